#pragma once

#include <cstdint>
#include <string>

namespace limber {

/// 1234567 as "1,234,567", for people.
std::string grouped(std::int64_t count);

}  // namespace limber
