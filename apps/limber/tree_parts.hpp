#pragma once

#include "apps/limber/reduce_options.hpp"
#include "limber/scene/scene.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace limber::app {

/// Settings from the word of --domains: "regions", "auto:K", or the name of a JSON file of element sets, which
/// is read with the mesh.
void read_domains(const std::string& word, DomainSettings& settings);

/// Whether a name is that of a scene file.
bool is_scene_file(const std::string& name);

/// What `limber reduce` is to make a tree of, as a body of a scene: a mesh to cut, a built-in tree, or the
/// body of a scene file. inputs: files that were read. source: see source_json(); of a mesh alone, else null.
/// Throws Error for options that do not go with it.
SceneBody load_tree_body(const ReduceCommand& options, FileList& inputs, nlohmann::ordered_json& source);

}  // namespace limber::app
