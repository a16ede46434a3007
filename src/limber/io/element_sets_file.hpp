#pragma once

#include "limber/multidomain/decompose.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Sets of elements of a mesh from a JSON file: {"name": [element or [first, last], ...], ...}, elements from
/// 0. Throws Error, naming the file and the place in it, for what is none of that, ranges that end before
/// they start, elements that the mesh has not, and those that a set names twice.  elements: of the mesh.
std::vector<ElementSet> read_element_sets(const std::filesystem::path& path, Index elements);

/// The same for text in memory; `where` names it in messages.
std::vector<ElementSet> parse_element_sets(std::string_view text, Index elements, std::string_view where);

/// Adds elements to sets, one set after another.
class ElementSetBuilder {
 public:
  explicit ElementSetBuilder(Index elements) : last_(static_cast<std::size_t>(elements), 0) {}

  void begin(std::string name);
  /// The elements first to last, of the set begun last. Throws Error, which begins with `where`, as above: a
  /// range costs no more than the mesh has elements.
  void add(Index first, Index last, std::string_view where);
  [[nodiscard]] std::vector<ElementSet> finish() && { return std::move(sets_); }

 private:
  std::vector<ElementSet> sets_;
  std::vector<std::size_t> last_;  ///< for each element the number of the last set that names it, from 1
};

}  // namespace limber
