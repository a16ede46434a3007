#pragma once

#include "limber/base/bits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace limber {

enum class ByteOrder { little, big };

inline constexpr ByteOrder native_order =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

/// The number that the first bytes of `bytes`, at least as many as it takes, hold in that order.
template <class Number>
Number load_number(std::string_view bytes, ByteOrder order) {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), bytes.data(), raw.size());
  if (order != native_order) std::reverse(raw.begin(), raw.end());
  return bits_as<Number>(raw);
}

/// Appends the bytes of a number in that order.
template <class Number>
void append_number(std::string& bytes, Number value, ByteOrder order) {
  auto raw = bits_as<std::array<char, sizeof(Number)>>(value);
  if (order != native_order) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

}  // namespace limber
