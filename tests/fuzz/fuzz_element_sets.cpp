// Whatever bytes a file of element sets holds, reading it ends with sets of elements that the mesh has, each
// named once, or with an Error of one short line; sets that are written again read back the same.
#include "limber/base/error.hpp"
#include "limber/io/element_sets_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

bool same(const limber::ElementSet& a, const limber::ElementSet& b) {
  return a.name == b.name && a.elements == b.elements;
}

void check(std::string_view text, limber::Index elements) {
  const std::vector<limber::ElementSet> sets = limber::parse_element_sets(text, elements, "fuzz.json");
  if (sets.empty()) std::abort();
  nlohmann::json again = nlohmann::json::object();
  for (const limber::ElementSet& set : sets) {
    if (set.elements.size() > static_cast<std::size_t>(elements)) std::abort();
    for (const int e : set.elements) {
      if (e < 0 || e >= elements) std::abort();
    }
    again[set.name] = set.elements;
  }
  const auto read = limber::parse_element_sets(again.dump(), elements, "fuzz.json");
  if (!std::equal(sets.begin(), sets.end(), read.begin(), read.end(), same)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const limber::Index elements : {1, 24, 100'000}) {
    try {
      check(text, elements);
    } catch (const limber::Error& error) {
      const std::string_view message = error.what();
      if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
    }
  }
  return 0;
}
