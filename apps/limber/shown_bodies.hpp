#pragma once

#include "apps/limber/reduce_options.hpp"
#include "apps/limber/viewer_page.hpp"
#include "limber/multidomain/model.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace limber::app {

/// What `limber view` and `limber export` show: reduced models, and whatever can become one on the way:
/// surfaces, volume meshes, built-in bodies and scenes; or a clip, alone.
struct ShowCommand {
  std::string command;  ///< "view" or "export", for messages
  std::vector<std::string> names;
  ReduceCommand reduce;  ///< how what is no model yet becomes one
};

using ModelContent = std::function<std::string(const std::string& name, std::string bytes)>;

/// Declares BODY and the options about bodies that are not reduced yet.
CLI::Option* add_show_options(CLI::App& parser, ShowCommand& options);

/// Reads and reduces what is named. Throws Error for what cannot be shown, and for options that no body has a
/// use for. content: what the page gets of a model, from the name that it came by and its bytes; of a clip it
/// gets all. inputs: gets the files that were read.
PageModels read_shown_bodies(const ShowCommand& options, const ModelContent& content, FileList& inputs);

}  // namespace limber::app
