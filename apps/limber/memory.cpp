#include "apps/limber/memory.hpp"

#include <sys/resource.h>

namespace limber::app {

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in KiB
}

}  // namespace limber::app
