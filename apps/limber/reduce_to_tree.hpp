#pragma once

#include "apps/limber/reduce_options.hpp"
#include "limber/multidomain/model.hpp"

namespace limber::app {

/// `limber reduce` for all tasks but one body. Throws Error for bad input and Failure where writing fails.
void reduce_to_tree(const ReduceCommand& options);

/// The same without writing it, for a page; says on standard error what it did. inputs: gets the files that
/// were read.
Model reduce_tree_to_show(const ReduceCommand& options, FileList& inputs);

}  // namespace limber::app
