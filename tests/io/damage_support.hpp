#pragma once

#include "tests/io/model_support.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

namespace limber::test {

/// A change of a file and what its refusal must say.
struct Damage {
  std::string name;  ///< of the test, in camel case
  std::function<void(GlbChunks&, nlohmann::json& extension)> change;
  std::string message;  ///< a part of it
};

inline std::ostream& operator<<(std::ostream& stream, const Damage& damage) { return stream << damage.name; }

inline std::string name_of_damage(const testing::TestParamInfo<Damage>& damage) { return damage.param.name; }

inline const double nan_value = std::numeric_limits<double>::quiet_NaN();
inline const double infinite = std::numeric_limits<double>::infinity();

/// Overwrites number `item` of a buffer view.
template <class Number>
void poke(GlbChunks& chunks, const nlohmann::json& view, std::size_t item, Number value) {
  std::string raw;
  append_number(raw, value, ByteOrder::little);
  chunks.bytes.replace(chunks.offset(view) + item * sizeof(Number), sizeof(Number), raw);
}

/// The damaged file, called "test.glb", is refused in one short line.
inline void expect_refusal(const std::string& whole, std::string_view extension_name, const Damage& damage,
                           const std::function<void(const std::string& content)>& parse) {
  GlbChunks chunks(whole);
  nlohmann::json extension = chunks.document["extensions"][std::string(extension_name)];
  damage.change(chunks, extension);
  chunks.document["extensions"][std::string(extension_name)] = extension;
  const std::string content = chunks.glb();
  const std::string message = error_text([&] { parse(content); });
  EXPECT_THAT(message, testing::StartsWith("test.glb: "));
  EXPECT_THAT(message, testing::HasSubstr(damage.message));
  EXPECT_LT(message.size(), 400U) << message;
}

/// How many of 1000 damaged copies of a file are refused.
inline int refusals_of_damage(const std::string& content,
                              const std::function<bool(std::string_view content)>& parses) {
  const std::size_t text =
      20 + load_number<std::uint32_t>(std::string_view(content).substr(12), ByteOrder::little);
  Random random(1);
  int refused = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::string damaged = content;
    // Half of the damage goes into the JSON, where it hurts most.
    const std::size_t end = trial % 2 == 0 ? text : content.size();
    for (int change = 0; change < 3; ++change) {
      damaged[random.next() % end] = static_cast<char>(random.next());
    }
    if (!parses(damaged)) ++refused;
  }
  return refused;
}

}  // namespace limber::test
