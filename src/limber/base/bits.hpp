#pragma once

#include <cstring>
#include <type_traits>

namespace limber {

/// The value of type To that has the same bits. std::bit_cast does this too, but not every standard library
/// that limber is compiled with has it (Emscripten's of Debian 12 has not).
template <class To, class From>
To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace limber
