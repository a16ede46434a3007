#pragma once

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

// Words by which files, options and messages name the values of an enum: one array for each, in the order of
// the values.

namespace limber {

template <class Enum, std::size_t count>
constexpr std::string_view word_of(Enum value, const std::array<std::string_view, count>& words) {
  return words[static_cast<std::size_t>(value)];
}

/// The value that a word stands for. Throws Error for a word that is none of them, naming the nearest.
/// unknown: what such a word is, as in "unknown kind of forces".
template <class Enum, std::size_t count>
Enum parse_word(std::string_view word, const std::array<std::string_view, count>& words,
                std::string_view unknown) {
  const auto found = std::find(words.begin(), words.end(), word);
  require(found != words.end(), "{} '{}'; {}", unknown, word, suggestion(word, words));
  return static_cast<Enum>(found - words.begin());
}

}  // namespace limber
