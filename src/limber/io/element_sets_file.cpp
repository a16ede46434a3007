#include "limber/io/element_sets_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"
#include "limber/io/gltf_json.hpp"
#include "limber/io/json_schema.hpp"

#include <nlohmann/json.hpp>

#include <limits>

namespace limber {

void ElementSetBuilder::begin(std::string name) { sets_.push_back({std::move(name), {}}); }

void ElementSetBuilder::add(Index first, Index last, std::string_view where) {
  require(first <= last, "{}: the range [{}, {}] ends before it starts", where, first, last);
  require(last < static_cast<Index>(last_.size()),
          "{}: element {} does not exist; the mesh has elements 0 to {}", where, last, last_.size() - 1);
  for (Index e = first; e <= last; ++e) {
    std::size_t& by = last_[static_cast<std::size_t>(e)];
    require(by != sets_.size(), "{}: the set names element {} twice", where, e);
    by = sets_.size();
    sets_.back().elements.push_back(static_cast<int>(e));
  }
}

std::vector<ElementSet> parse_element_sets(std::string_view text, Index elements, std::string_view where) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const nlohmann::json json = parse_json(text, where);
  require(json.is_object() && !json.empty(),
          "{}: expected an object of element sets, as {{\"stem\": [0, 1, 2], \"leaf\": [[3, 9]]}}", where);
  ElementSetBuilder builder(elements);
  for (const auto& [name, value] : json.items()) {
    const std::string shown = printable(name);
    const JsonValue list(value, shown, where);
    builder.begin(name);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const JsonValue item = list.at(i);
      const bool range = item.json().is_array();
      if (range && item.size() != 2) item.fail("expected an element or a range [first, last]");
      builder.add((range ? item.at(0) : item).integer(0, most), (range ? item.at(1) : item).integer(0, most),
                  fmt::format("{}: {}[{}]", where, shown, i));
    }
  }
  return std::move(builder).finish();
}

std::vector<ElementSet> read_element_sets(const std::filesystem::path& path, Index elements) {
  return parse_element_sets(read_file(path, max_json_bytes), elements, path.string());
}

}  // namespace limber
