#include "limber/io/vega_reader.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"
#include "limber/io/mesh_parts.hpp"
#include "limber/io/text_source.hpp"
#include "limber/io/vega_lines.hpp"
#include "limber/io/vega_writer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace limber {
namespace {

constexpr TextSyntax vega_syntax{.separators = ","};

/// The values of a line.
TextSource values_of(const VegaLine& line) { return {line.text, line.where, vega_syntax, line.number}; }

struct ElementSet {
  VegaLine line;  ///< *SET
  std::vector<std::int64_t> elements;
};

struct VegaRegion {
  VegaLine line;  ///< set, material
  std::string_view set;
  std::string_view material;
};

class VegaReader {
 public:
  VegaReader(VegaLines lines, std::string_view where) : lines_(std::move(lines)), where_(where) {}

  VolumeMesh read();

 private:
  void read_vertices();
  void read_elements(const VegaLine& keyword);
  void read_set(const VegaLine& keyword);
  void read_region();
  void skip_section();
  void assign_regions();
  [[nodiscard]] std::vector<int> region_tags() const;

  VegaLines lines_;
  std::string_view where_;
  MeshParts parts_;
  bool has_vertices_ = false;
  bool has_elements_ = false;
  std::int64_t first_vertex_ = 1;
  std::int64_t first_element_ = 1;
  std::map<std::string_view, ElementSet> sets_;
  std::vector<VegaRegion> regions_;
};

VolumeMesh VegaReader::read() {
  while (const std::optional<VegaLine> line = lines_.next()) {
    if (line->text.front() != '*') {
      line->fail(
          fmt::format("expected a keyword such as *ELEMENTS after as many entries as the section announces, "
                      "found '{}'",
                      printable(line->text)));
    }
    if (line->text.starts_with("*VERTICES")) {
      if (has_vertices_) line->fail("a second section *VERTICES, expected one");
      read_vertices();
    } else if (line->text.starts_with("*ELEMENTS")) {
      if (has_elements_) line->fail("a second section *ELEMENTS, expected one");
      read_elements(*line);
    } else if (line->text.starts_with("*SET")) {
      read_set(*line);
    } else if (line->text.starts_with("*REGION")) {
      read_region();
    } else {
      skip_section();
    }
  }
  require(has_vertices_, "{}: has no section *VERTICES; the file is truncated or holds no mesh", where_);
  require(has_elements_, "{}: has no section *ELEMENTS; the file is truncated or holds no mesh", where_);
  assign_regions();
  return build_mesh(parts_, where_);
}

/// The number at the start of an entry: 0 or 1 for the first, then one more each.
void check_number(TextSource& source, std::int64_t i, std::int64_t& first, std::string_view what) {
  const std::int64_t number = source.read_size("the number of the next entry");
  if (i == 0 && number != 0 && number != 1) {
    source.fail(fmt::format("the first {} has the number {}, expected 0 or 1", what, number));
  }
  if (i == 0) first = number;
  if (number != first + i) {
    source.fail(fmt::format("expected {} {} (they are numbered one after another), found '{}'", what,
                            first + i, number));
  }
}

void VegaReader::read_vertices() {
  has_vertices_ = true;
  TextSource header = values_of(lines_.require_next("the number of vertices"));
  const std::int64_t count = header.read_size("the number of vertices");
  if (!header.at_end() && header.read_size("the dimension") != 3) header.fail("expected the dimension 3");
  // Entries may come from an included file, so that the bytes left here bound nothing: memory grows with the
  // entries read.
  for (std::int64_t v = 0; v < count; ++v) {
    TextSource entry = values_of(lines_.require_next("another vertex"));
    check_number(entry, v, first_vertex_, "vertex");
    for (int axis = 0; axis < 3; ++axis)
      parts_.positions.push_back(entry.read_real("a coordinate of a vertex"));
  }
}

void VegaReader::read_elements(const VegaLine& keyword) {
  if (!has_vertices_) keyword.fail("expected *VERTICES before *ELEMENTS");
  has_elements_ = true;
  const VegaLine type = lines_.require_next("TET or CUBIC");
  if (!type.text.starts_with("TET") && !type.text.starts_with("CUBIC")) {
    type.fail(fmt::format("expected TET or CUBIC, found '{}'; mesh the body with tetrahedra",
                          printable(type.text)));
  }
  parts_.kind = type.text.starts_with("TET") ? ElementKind::tetrahedron : ElementKind::brick;
  const int corners = vertices_per_element(*parts_.kind);
  TextSource header = values_of(lines_.require_next("the number of elements"));
  const std::int64_t count = header.read_size("the number of elements");
  if (!header.at_end()) {
    const std::int64_t nodes = header.read_size("the number of vertices per element");
    if (nodes == 10 || nodes == 20 || nodes == 27)
      header.fail(second_order_text(fmt::format("{}-node elements", nodes)));
    if (nodes != corners) {
      header.fail(
          fmt::format("{} vertices per element, expected {} for {}", nodes, corners, printable(type.text)));
    }
  }
  const auto vertices = static_cast<std::int64_t>(parts_.positions.size() / 3);
  for (std::int64_t e = 0; e < count; ++e) {
    TextSource entry = values_of(lines_.require_next("another element"));
    check_number(entry, e, first_element_, "element");
    for (int a = 0; a < corners; ++a) {
      const std::int64_t vertex = entry.read_size("a vertex of an element");
      if (vertex < first_vertex_ || vertex >= first_vertex_ + vertices) {
        entry.fail(fmt::format("an element names vertex {}, but the file has vertices {} to {}", vertex,
                               first_vertex_, first_vertex_ + vertices - 1));
      }
      parts_.corners.push_back(static_cast<int>(vertex - first_vertex_));
    }
    parts_.tags.push_back(0);
  }
}

void VegaReader::read_set(const VegaLine& keyword) {
  const std::string_view name = trimmed(keyword.text.substr(4));
  if (name.empty()) keyword.fail("expected a name after *SET");
  const auto [set, added] = sets_.emplace(name, ElementSet{keyword, {}});
  if (!added || name == all_elements_set) {
    keyword.fail(fmt::format("a second set '{}', expected each name once", printable(name)));
  }
  while (const std::optional<VegaLine> line = lines_.next()) {
    if (line->text.front() == '*') return lines_.put_back(*line);
    TextSource numbers = values_of(*line);
    while (!numbers.at_end()) set->second.elements.push_back(numbers.read_size("the number of an element"));
  }
}

void VegaReader::read_region() {
  const VegaLine line = lines_.require_next("a set and a material");
  const std::size_t comma = line.text.find(',');
  if (comma == std::string_view::npos) {
    line.fail(fmt::format("expected a set, a comma and a material, found '{}'", printable(line.text)));
  }
  regions_.push_back({line, trimmed(line.text.substr(0, comma)), trimmed(line.text.substr(comma + 1))});
}

void VegaReader::skip_section() {
  while (const std::optional<VegaLine> line = lines_.next()) {
    if (line->text.front() == '*') return lines_.put_back(*line);
  }
}

/// Those in the names of the materials, where all regions have one of their own; else 1, 2, and so on.
std::vector<int> VegaReader::region_tags() const {
  std::vector<int> tags;
  for (const VegaRegion& region : regions_) {
    if (!region.material.starts_with(material_prefix)) break;
    const auto tag = parse_integer(region.material.substr(material_prefix.size()));
    if (tag.has_value()) tags.push_back(*tag);
  }
  const bool distinct = std::set<int>(tags.begin(), tags.end()).size() == tags.size();
  if (tags.size() == regions_.size() && distinct) return tags;
  tags.clear();
  for (std::size_t i = 0; i < regions_.size(); ++i) tags.push_back(static_cast<int>(i) + 1);
  return tags;
}

void VegaReader::assign_regions() {
  const auto elements = static_cast<std::int64_t>(parts_.tags.size());
  const std::vector<int> tags = region_tags();
  const std::set<int> used(tags.begin(), tags.end());
  int free_tag = 0;
  while (used.contains(free_tag)) ++free_tag;
  std::fill(parts_.tags.begin(), parts_.tags.end(), free_tag);
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    const VegaRegion& region = regions_[r];
    const int tag = tags[r];
    const bool unnamed = region.material == fmt::format("{}{}", material_prefix, tag) &&
                         region.set == fmt::format("{}{}", unnamed_prefix, tag);
    parts_.names[tag] = unnamed ? "" : std::string(region.set);
    if (region.set == all_elements_set) {
      std::fill(parts_.tags.begin(), parts_.tags.end(), tag);
      continue;
    }
    const auto set = sets_.find(region.set);
    if (set == sets_.end()) {
      region.line.fail(fmt::format("no *SET has the name '{}'; check the spelling", printable(region.set)));
    }
    for (const std::int64_t element : set->second.elements) {
      if (element < first_element_ || element >= first_element_ + elements) {
        set->second.line.fail(fmt::format("the set names element {}, but the file has elements {} to {}",
                                          element, first_element_, first_element_ + elements - 1));
      }
      parts_.tags[static_cast<std::size_t>(element - first_element_)] = tag;
    }
  }
}

}  // namespace

bool looks_like_vega(std::string_view content) {
  static constexpr std::array<std::string_view, 6> keywords{"*VERTICES", "*ELEMENTS", "*MATERIAL",
                                                            "*SET",      "*REGION",   "*INCLUDE"};
  const std::string_view word = TextSource(content, "", {.comment = '#'}).peek_word();
  return std::any_of(keywords.begin(), keywords.end(),
                     [&](std::string_view one) { return word.starts_with(one); });
}

VolumeMesh parse_vega(std::string_view content, std::string_view where) {
  return VegaReader(VegaLines(content, where, std::nullopt), where).read();
}

VolumeMesh read_vega(const std::filesystem::path& path, FileList* read_from) {
  const std::string content = read_file(path);
  const std::string where = path.string();
  return VegaReader(VegaLines(content, where, path.parent_path(), read_from), where).read();
}

}  // namespace limber
