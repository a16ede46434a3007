#include "limber/io/vtk_legacy_reader.hpp"

#include "limber/base/error.hpp"
#include "limber/io/text_source.hpp"
#include "limber/io/vtk_grid.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace limber {
namespace {

constexpr std::string_view vtk_magic = "# vtk DataFile Version";

/// VTK compares keywords without regard to case.
std::string upper(std::string_view text) {
  std::string result(text.substr(0, 30));
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

/// What an array of numbers, the header line of which was read, consists of.
struct ArrayHeader {
  std::string_view name;
  std::string_view type;
  std::int64_t tuples = 0;
  std::int64_t components = 1;
};

class LegacyReader {
 public:
  LegacyReader(std::string_view content, std::string_view where) : source_(content, where), where_(where) {}

  VolumeMesh read();

 private:
  enum class Data { none, points, cells };

  void read_header();
  void read_section(const std::string& keyword);
  void read_points();
  void read_cells();
  void read_cell_lists(std::int64_t cells, std::int64_t size);
  void read_cell_types();
  void start_data(Data data, std::string_view of);
  void read_attribute(const std::string& keyword);
  void read_scalars();
  void read_field();
  void skip_metadata();
  void skip_strings(const ArrayHeader& header);
  void take_array(const ArrayHeader& header, bool field);

  std::vector<std::int64_t> read_integers(std::int64_t count, VtkType type, std::string_view what);
  std::vector<double> read_reals(std::int64_t count, VtkType type, std::string_view what);
  void skip_values(const ArrayHeader& header);
  VtkType require_type(std::string_view name);
  std::int64_t count_values(const ArrayHeader& header);
  /// Passes the line break before an array of bytes.
  void start_array() {
    if (binary_) source_.read_line();
  }

  TextSource source_;
  std::string_view where_;
  VtkGrid grid_;
  bool binary_ = false;
  bool offsets_layout_ = false;  ///< of CELLS: version 5
  bool has_points_ = false;
  bool has_cells_ = false;
  bool has_types_ = false;
  Data data_ = Data::none;
  std::int64_t data_count_ = 0;
};

VolumeMesh LegacyReader::read() {
  read_header();
  while (!source_.at_end()) read_section(upper(source_.read_word("a keyword")));
  require(has_points_, "{}: has no POINTS; the file is truncated or holds no mesh", where_);
  require(has_cells_, "{}: has no CELLS; the file is truncated or holds no mesh", where_);
  require(has_types_, "{}: has no CELL_TYPES; the file is truncated, so copy or export it anew", where_);
  return build_mesh(grid_, where_);
}

void LegacyReader::read_header() {
  std::string_view version = source_.read_line();
  if (!version.starts_with(vtk_magic))
    source_.fail(fmt::format("expected '{} 3.0' or another version", vtk_magic));
  version.remove_prefix(vtk_magic.size());
  version.remove_prefix(std::min(version.find_first_not_of(' '), version.size()));
  const bool known = version.size() >= 3 && version[0] >= '1' && version[0] <= '5' && version[1] == '.';
  if (!known) {
    source_.fail(
        fmt::format("the version is '{}', expected 1.0 to 5.1; export the file anew", printable(version)));
  }
  offsets_layout_ = version[0] == '5';
  source_.read_line();  // the title
  const std::string_view encoding = source_.read_line();
  binary_ = upper(encoding) == "BINARY";
  if (!binary_ && upper(encoding) != "ASCII") {
    source_.fail(fmt::format("expected ASCII or BINARY, found '{}'", printable(encoding)));
  }
  const std::string_view keyword = source_.read_word("DATASET");
  if (upper(keyword) != "DATASET")
    source_.fail(fmt::format("expected DATASET, found '{}'", printable(keyword)));
  const std::string_view dataset = source_.read_word("UNSTRUCTURED_GRID");
  if (upper(dataset) != "UNSTRUCTURED_GRID") {
    source_.fail(
        fmt::format("DATASET is {}, expected UNSTRUCTURED_GRID; limber needs a volume mesh of tetrahedra or "
                    "hexahedra",
                    printable(dataset)));
  }
  if (binary_) source_.set_binary();
}

void LegacyReader::read_section(const std::string& keyword) {
  if (keyword == "POINTS") {
    read_points();
  } else if (keyword == "CELLS") {
    read_cells();
  } else if (keyword == "CELL_TYPES") {
    read_cell_types();
  } else if (keyword == "FIELD") {
    read_field();
  } else if (keyword == "METADATA") {
    skip_metadata();
  } else if (keyword == "POINT_DATA") {
    start_data(Data::points, "points");
  } else if (keyword == "CELL_DATA") {
    start_data(Data::cells, "cells");
  } else {
    read_attribute(keyword);
  }
}

VtkType LegacyReader::require_type(std::string_view name) {
  const std::optional<VtkType> type = vtk_legacy_type(name);
  if (!type) source_.fail(fmt::format("expected a type such as int or double, found '{}'", printable(name)));
  return *type;
}

std::vector<std::int64_t> LegacyReader::read_integers(std::int64_t count, VtkType type,
                                                      std::string_view what) {
  start_array();
  source_.require_room(count, what, binary_ ? size_of(type) : 2);
  const auto size = static_cast<std::size_t>(count);
  if (binary_) return decode_integers(source_.take(size * size_of(type), what), type, ByteOrder::big);
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values) value = source_.read_size(what);
  return values;
}

std::vector<double> LegacyReader::read_reals(std::int64_t count, VtkType type, std::string_view what) {
  start_array();
  source_.require_room(count, what, binary_ ? size_of(type) : 2);
  const auto size = static_cast<std::size_t>(count);
  if (binary_) return decode_reals(source_.take(size * size_of(type), what), type, ByteOrder::big);
  std::vector<double> values(size);
  for (double& value : values) value = source_.read_real(what);
  return values;
}

void LegacyReader::read_points() {
  if (has_points_) source_.fail("a second section POINTS, expected one");
  const std::int64_t count = source_.read_size("the number of points");
  const VtkType type = require_type(source_.read_word("the type of the coordinates"));
  source_.require_room(count, "points", 3);
  grid_.points = read_reals(3 * count, type, "coordinates of points");
  has_points_ = true;
}

void LegacyReader::read_cells() {
  if (has_cells_) source_.fail("a second section CELLS, expected one");
  has_cells_ = true;
  const std::int64_t cells = source_.read_size("the number of cells");
  const std::int64_t size = source_.read_size("the size of CELLS");
  if (!offsets_layout_) return read_cell_lists(cells, size);

  // Here the first number counts the offsets, one more than cells.
  for (const auto& [keyword, count, values] :
       {std::tuple{"OFFSETS", cells, &grid_.offsets}, {"CONNECTIVITY", size, &grid_.connectivity}}) {
    const std::string_view found = source_.read_word(keyword);
    if (upper(found) != keyword) {
      source_.fail(
          fmt::format("expected {} (version 5 of the format), found '{}'", keyword, printable(found)));
    }
    const VtkType type = require_type(source_.read_word("the type of the integers"));
    *values = read_integers(count, type, keyword);
  }
  if (grid_.offsets.empty()) grid_.offsets = {0};  // a grid without cells
}

/// Versions 1 to 4: for each cell the number of its points, then these.
void LegacyReader::read_cell_lists(std::int64_t cells, std::int64_t size) {
  const std::vector<std::int64_t> lists = read_integers(size, VtkType::int32, "integers in CELLS");
  grid_.offsets = {0};
  auto list = lists.begin();
  for (std::int64_t c = 0; c < cells; ++c) {
    if (list == lists.end() || *list < 0 || *list > lists.end() - list - 1) {
      source_.fail(
          fmt::format("cell {} (from 0) does not fit into the {} integers that CELLS announces", c, size));
    }
    grid_.connectivity.insert(grid_.connectivity.end(), list + 1, list + 1 + *list);
    grid_.offsets.push_back(static_cast<std::int64_t>(grid_.connectivity.size()));
    list += 1 + *list;
  }
  if (list != lists.end()) {
    source_.fail(fmt::format("CELLS announces {} integers, but its {} cells have {}", size, cells,
                             list - lists.begin()));
  }
}

void LegacyReader::read_cell_types() {
  if (has_types_) source_.fail("a second section CELL_TYPES, expected one");
  has_types_ = true;
  grid_.types = read_integers(source_.read_size("the number of cell types"), VtkType::int32, "cell types");
}

void LegacyReader::start_data(Data data, std::string_view of) {
  data_ = data;
  data_count_ = source_.read_size(fmt::format("the number of {}", of));
  if (data_count_ < 0) source_.fail(fmt::format("{} {} are announced, expected at least 0", data_count_, of));
}

void LegacyReader::read_attribute(const std::string& keyword) {
  struct Attribute {
    std::string_view keyword;
    std::int64_t components;
  };
  static constexpr std::array<Attribute, 7> attributes{{{"VECTORS", 3},
                                                        {"NORMALS", 3},
                                                        {"TENSORS", 9},
                                                        {"TENSORS6", 6},
                                                        {"GLOBAL_IDS", 1},
                                                        {"PEDIGREE_IDS", 1},
                                                        {"EDGE_FLAGS", 1}}};
  if (data_ == Data::none && keyword != "LOOKUP_TABLE") {
    source_.fail(
        fmt::format("expected a keyword such as POINTS, CELLS or CELL_DATA, found '{}'", printable(keyword)));
  }
  if (keyword == "SCALARS") return read_scalars();
  const std::string_view name = source_.read_word("a name");
  ArrayHeader header{name, "", data_count_, 1};
  const auto known = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.keyword == keyword; });
  if (known != attributes.end()) {
    header.components = known->components;
    header.type = source_.read_word("a type");
  } else if (keyword == "TEXTURE_COORDINATES") {
    header.components = source_.read_size("the number of texture coordinates");
    header.type = source_.read_word("a type");
  } else if (keyword == "COLOR_SCALARS") {
    header.components = source_.read_size("the number of colour values");
    header.type = "unsigned_char";
  } else if (keyword == "LOOKUP_TABLE") {
    header.tuples = source_.read_size("the size of a lookup table");
    header.components = 4;
    header.type = "unsigned_char";
  } else {
    source_.fail(
        fmt::format("expected a keyword such as SCALARS, VECTORS or FIELD, found '{}'", printable(keyword)));
  }
  skip_values(header);
}

void LegacyReader::read_scalars() {
  ArrayHeader header{source_.read_word("the name of scalars"), "", data_count_, 1};
  header.type = source_.read_word("the type of scalars");
  if (!source_.at_line_end()) header.components = source_.read_size("the number of components");
  const std::string_view table = source_.read_word("LOOKUP_TABLE");
  if (upper(table) != "LOOKUP_TABLE") {
    source_.fail(fmt::format("expected LOOKUP_TABLE after SCALARS, found '{}'", printable(table)));
  }
  source_.read_word("the name of a lookup table");
  take_array(header, false);
}

void LegacyReader::read_field() {
  source_.read_word("the name of a field");
  const std::int64_t arrays = source_.read_size("the number of arrays in a field");
  source_.require_room(arrays, "arrays", 8);
  for (std::int64_t i = 0; i < arrays; ++i) {
    ArrayHeader header;
    header.name = source_.read_word("the name of an array");
    if (header.name == "METADATA") {
      skip_metadata();
      header.name = source_.read_word("the name of an array");
    }
    header.components = source_.read_size("the number of components");
    header.tuples = source_.read_size("the number of tuples");
    header.type = source_.read_word("a type");
    take_array(header, true);
  }
}

/// Keeps the array where it bears on regions.
void LegacyReader::take_array(const ArrayHeader& header, bool field) {
  const bool scalars = header.components == 1 && vtk_legacy_type(header.type).has_value();
  if (scalars && field && data_ == Data::none &&
      (header.name == vtk_tags_field || header.name == vtk_names_field)) {
    auto& values = header.name == vtk_tags_field ? grid_.name_tags : grid_.name_codes;
    values = read_integers(header.tuples, require_type(header.type), header.name);
  } else if (scalars && data_ == Data::cells && is_better_region_array(header.name, grid_.region_array)) {
    grid_.regions = read_reals(header.tuples, require_type(header.type), header.name);
    grid_.region_array = header.name;
  } else {
    skip_values(header);
  }
}

std::int64_t LegacyReader::count_values(const ArrayHeader& header) {
  constexpr std::int64_t most_components = 1000000;
  if (header.components < 0 || header.components > most_components) {
    source_.fail(fmt::format("array '{}' has {} components, expected 0 to {}", printable(header.name),
                             header.components, most_components));
  }
  // Bits are packed: eight values in a byte.
  if (header.tuples < 0 || static_cast<std::uint64_t>(header.tuples) > 8 * source_.bytes_left()) {
    source_.fail(
        fmt::format("array '{}' announces {} tuples, but only {} bytes follow; the file is truncated or "
                    "damaged, so copy or export it anew",
                    printable(header.name), header.tuples, source_.bytes_left()));
  }
  return header.components * header.tuples;
}

void LegacyReader::skip_values(const ArrayHeader& header) {
  const std::int64_t count = count_values(header);
  if (header.type == "string") return skip_strings(header);
  const bool bits = header.type == "bit";
  const std::size_t size = bits ? 1 : size_of(require_type(header.type));
  if (!binary_) {
    source_.require_room(count, "values", 2);
    for (std::int64_t i = 0; i < count; ++i) source_.read_word("a value");
    return;
  }
  start_array();
  const std::int64_t items = bits ? (count + 7) / 8 : count;
  source_.require_room(items, "values", size);
  source_.take(static_cast<std::size_t>(items) * size, "values");
}

/// As text one string per line; as bytes each follows its length, whose first two bits tell how many bytes it
/// takes.
void LegacyReader::skip_strings(const ArrayHeader& header) {
  const std::int64_t count = count_values(header);
  source_.read_line();
  source_.require_room(count, "strings", 1);
  for (std::int64_t i = 0; i < count; ++i) {
    if (!binary_) {
      source_.read_line();
      continue;
    }
    const auto first = load_number<std::uint8_t>(source_.take(1, "the length of a string"), ByteOrder::big);
    std::uint64_t length = first & 63U;
    for (int more = (1 << (3 - (first >> 6U))) - 1; more > 0; --more) {
      length = (length << 8U) |
               load_number<std::uint8_t>(source_.take(1, "the length of a string"), ByteOrder::big);
    }
    source_.take(length, "a string");
  }
}

/// Lasts until a blank line.
void LegacyReader::skip_metadata() {
  source_.read_line();
  while (source_.bytes_left() > 0 && !source_.read_line().empty()) {
  }
}

}  // namespace

bool looks_like_vtk_legacy(std::string_view content) { return content.starts_with(vtk_magic); }

VolumeMesh parse_vtk_legacy(std::string_view content, std::string_view where) {
  return LegacyReader(content, where).read();
}

}  // namespace limber
