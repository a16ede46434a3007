#pragma once

#include "apps/limber/reduce_options.hpp"
#include "limber/multidomain/model.hpp"

#include <string>
#include <vector>

namespace limber::app {

// From what a command names to a reduced model: the work of `limber reduce`, and what view and export do for
// bodies that are not reduced yet.

/// A body on its way to a reduced model.
struct BodyToReduce {
  LoadedBody body;
  ReduceOptions how;
};

/// Reads and meshes what is needed. Throws Error for bad options and bodies.
BodyToReduce load_to_reduce(const ReduceCommand& options, const Progress& progress);

/// Whether something holds it.
bool is_held(const FullModel& model);

/// A body in one piece, named as what it was made from. warnings: gets what was lost on the way, one line
/// each, to be printed when no bar of its progress is drawn.
Model reduce_body(const ReduceCommand& options, const BodyToReduce& loaded, ReduceReport& report,
                  std::vector<std::string>& warnings, const Progress& progress);

/// The model of whatever a page is to show: a body in one piece or a tree, by what it names. Says on standard
/// error what it did. inputs: gets the files that were read.
Model reduce_to_show(const ReduceCommand& options, FileList& inputs);

}  // namespace limber::app
