#pragma once

#include <cstdint>

namespace limber::app {

/// The most memory that this process has used so far, bytes.
std::int64_t peak_memory();

}  // namespace limber::app
