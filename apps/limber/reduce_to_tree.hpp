#pragma once

#include "apps/limber/reduce_options.hpp"

namespace limber::app {

/// Whether the options ask for a tree of domains: by --domains, or because their body is one of parts.
bool wants_tree(const ReduceCommand& options);

/// `limber reduce` for such a body. Throws Error for bad input and Failure where writing fails.
void reduce_to_tree(const ReduceCommand& options);

}  // namespace limber::app
