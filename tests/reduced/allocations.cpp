// Counts what is allocated on the heap: the linker sends all calls of malloc, calloc, realloc and operator
// new in this program and in the static library to the functions below (see CMakeLists.txt of those who link
// it).

#include "tests/reduced/allocations.hpp"

#include <atomic>
#include <cstddef>

namespace {
std::atomic<long> allocations = 0;
}

extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* memory, std::size_t bytes);
void* __real__Znwm(std::size_t bytes);  // operator new
void* __real__Znam(std::size_t bytes);  // operator new[]

void* __wrap_malloc(std::size_t bytes) {
  ++allocations;
  return __real_malloc(bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __real_calloc(count, bytes);
}
void* __wrap_realloc(void* memory, std::size_t bytes) {
  ++allocations;
  return __real_realloc(memory, bytes);
}
void* __wrap__Znwm(std::size_t bytes) {
  ++allocations;
  return __real__Znwm(bytes);
}
void* __wrap__Znam(std::size_t bytes) {
  ++allocations;
  return __real__Znam(bytes);
}
}

long limber::test::heap_allocations() { return allocations; }
