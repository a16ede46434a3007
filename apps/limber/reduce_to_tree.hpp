#pragma once

#include "apps/limber/reduce_options.hpp"

namespace limber::app {

/// `limber reduce` for all tasks but one body. Throws Error for bad input and Failure where writing fails.
void reduce_to_tree(const ReduceCommand& options);

}  // namespace limber::app
