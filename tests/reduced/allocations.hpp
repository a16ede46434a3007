#pragma once

namespace limber::test {

/// Calls of malloc, calloc, realloc and operator new so far, in this program and in the static library.
long heap_allocations();

template <class Action>
long allocations_of(const Action& action) {
  const long before = heap_allocations();
  action();
  return heap_allocations() - before;
}

}  // namespace limber::test
