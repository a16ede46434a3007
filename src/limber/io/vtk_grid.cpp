#include "limber/io/vtk_grid.hpp"

#include "limber/base/error.hpp"
#include "limber/io/mesh_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <type_traits>
#include <utility>

namespace limber {
namespace {

using TypeName = std::pair<std::string_view, VtkType>;

std::optional<VtkType> find_type(std::span<const TypeName> names, std::string_view name) {
  for (const auto& [known, type] : names) {
    if (known == name) return type;
  }
  return std::nullopt;
}

template <class Stored, class Number>
void append_decoded(std::string_view bytes, ByteOrder order, std::vector<Number>& values) {
  values.reserve(bytes.size() / sizeof(Stored));
  for (; bytes.size() >= sizeof(Stored); bytes.remove_prefix(sizeof(Stored))) {
    const auto value = load_number<Stored>(bytes, order);
    if constexpr (std::is_floating_point_v<Stored> && std::is_integral_v<Number>) {
      constexpr double limit = 9e18;  // below 2^63
      values.push_back(std::isnan(value) ? -1
                                         : static_cast<Number>(std::clamp<double>(value, -limit, limit)));
    } else {
      values.push_back(static_cast<Number>(value));
    }
  }
}

template <class Number>
std::vector<Number> decode(std::string_view bytes, VtkType type, ByteOrder order) {
  std::vector<Number> values;
  switch (type) {
    case VtkType::int8:
      append_decoded<std::int8_t>(bytes, order, values);
      break;
    case VtkType::uint8:
      append_decoded<std::uint8_t>(bytes, order, values);
      break;
    case VtkType::int16:
      append_decoded<std::int16_t>(bytes, order, values);
      break;
    case VtkType::uint16:
      append_decoded<std::uint16_t>(bytes, order, values);
      break;
    case VtkType::int32:
      append_decoded<std::int32_t>(bytes, order, values);
      break;
    case VtkType::uint32:
      append_decoded<std::uint32_t>(bytes, order, values);
      break;
    case VtkType::int64:
      append_decoded<std::int64_t>(bytes, order, values);
      break;
    case VtkType::uint64:
      append_decoded<std::uint64_t>(bytes, order, values);
      break;
    case VtkType::float32:
      append_decoded<float>(bytes, order, values);
      break;
    case VtkType::float64:
      append_decoded<double>(bytes, order, values);
      break;
  }
  return values;
}

/// True for cells of a lower dimension than volumes, straight or curved.
bool is_flat_cell(std::int64_t type) {
  static constexpr std::array<int, 14> curved{21, 22, 23, 28, 30, 34, 35, 36, 68, 69, 70, 75, 76, 77};
  return (type >= 0 && type < vtk_tetra) || std::find(curved.begin(), curved.end(), type) != curved.end();
}

/// Throws for a simple flat cell with another number of points than its type has: a type whose last digit is
/// cut off names another one.
void check_flat_cell(const VtkGrid& grid, std::size_t cell, std::string_view where) {
  static constexpr std::array<int, vtk_tetra> points{0, 1, -1, 2, -1, 3, -1, -1, 4, 4};  // -1 for any number
  const std::int64_t type = grid.types[cell];
  const std::int64_t begin = grid.offsets[cell];
  const std::int64_t end = grid.offsets[cell + 1];
  const std::int64_t found = begin >= 0 && end >= begin ? end - begin : -1;
  const int expected = type < vtk_tetra ? points[static_cast<std::size_t>(type)] : -1;
  require(expected < 0 || found == expected,
          "{}: cell {} (from 0) has {} points, expected {} for VTK cell type {}; the file is truncated or "
          "damaged, so copy or export it anew",
          where, cell, found, expected, type);
}

/// The kind of a cell; nothing for one to leave out.
std::optional<ElementKind> kind_of_cell(std::int64_t type, std::size_t cell, std::string_view where) {
  if (type == vtk_tetra) return ElementKind::tetrahedron;
  if (type == vtk_hexahedron || type == vtk_voxel) return ElementKind::brick;
  if (is_flat_cell(type)) return std::nullopt;
  require(type > 0 && type <= 81,
          "{}: cell {} (from 0) has the type {}, which VTK does not know; the file is damaged", where, cell,
          type);
  std::string_view name = "a cell of higher order";
  bool linear = true;
  switch (type) {
    case 13:
      name = "a wedge";
      break;
    case 14:
      name = "a pyramid";
      break;
    case 15:
    case 16:
      name = "a prism";
      break;
    case 41:
    case 42:
      name = "a polyhedron";
      break;
    default:
      linear = false;
  }
  const std::string found = fmt::format("{} (VTK cell type {})", name, type);
  throw Error("{}: cell {} (from 0) is {}", where, cell,
              linear ? unknown_cell_text(found) : second_order_text(found));
}

/// The tag of each volume cell is an integer.
int tag_of_cell(const VtkGrid& grid, std::size_t cell, std::string_view where) {
  if (grid.regions.empty()) return 0;
  const double value = grid.regions[cell];
  const bool fits = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  require(fits && value == std::floor(value),
          "{}: the cell data '{}' of cell {} (from 0) are {}, expected an integer that numbers its region",
          where, grid.region_array, cell, value);
  return static_cast<int>(value);
}

void check_sizes(const VtkGrid& grid, std::string_view where) {
  const std::size_t cells = grid.types.size();
  require(grid.points.size() % 3 == 0, "{}: {} coordinates, expected 3 for each point", where,
          grid.points.size());
  require(grid.offsets.size() == cells + 1, "{}: {} cells but {} cell types, expected as many", where,
          static_cast<std::ptrdiff_t>(grid.offsets.size()) - 1, cells);
  require(grid.regions.empty() || grid.regions.size() == cells,
          "{}: {} values of '{}' for {} cells, expected one each", where, grid.regions.size(),
          grid.region_array, cells);
  for (std::size_t i = 0; i < grid.points.size(); ++i) {
    require(std::isfinite(grid.points[i]),
            "{}: a coordinate of point {} (from 0) is {}, expected a finite number", where, i / 3,
            grid.points[i]);
  }
}

void add_cell(const VtkGrid& grid, std::size_t cell, std::string_view where, MeshParts& parts) {
  const std::optional<ElementKind> kind = kind_of_cell(grid.types[cell], cell, where);
  if (!kind.has_value()) return check_flat_cell(grid, cell, where);
  require(accept_kind(parts, *kind), "{}: cell {} (from 0): {}", where, cell, mixed_kinds_text);
  const std::int64_t begin = grid.offsets[cell];
  const std::int64_t end = grid.offsets[cell + 1];
  const auto size = static_cast<std::int64_t>(grid.connectivity.size());
  const int corners = vertices_per_element(*kind);
  require(begin >= 0 && end <= size && begin <= end && end - begin == corners,
          "{}: cell {} (from 0) takes the entries {} to {} of {}, expected {} of them", where, cell, begin,
          end, size, corners);
  // A voxel numbers x first, then y, then z; a hexahedron goes around.
  static constexpr std::array<int, 8> voxel_order{0, 1, 3, 2, 4, 5, 7, 6};
  for (int a = 0; a < corners; ++a) {
    const int slot = grid.types[cell] == vtk_voxel ? voxel_order[static_cast<std::size_t>(a)] : a;
    const std::int64_t point = grid.connectivity[static_cast<std::size_t>(begin + slot)];
    const auto points = static_cast<std::int64_t>(grid.points.size() / 3);
    require(point >= 0 && point < points && point <= std::numeric_limits<int>::max(),
            "{}: cell {} (from 0) names point {}, but the file has points 0 to {}", where, cell, point,
            points - 1);
    parts.corners.push_back(static_cast<int>(point));
  }
  parts.tags.push_back(tag_of_cell(grid, cell, where));
}

/// Names by tag. Malformed ones are left out: they do not bear on the simulation, and other programs may use
/// the same field names.
std::map<int, std::string> decode_region_names(const VtkGrid& grid) {
  std::map<int, std::string> names;
  std::size_t code = 0;
  for (const std::int64_t tag : grid.name_tags) {
    std::string name;
    while (code < grid.name_codes.size() && grid.name_codes[code] != 0) {
      name += static_cast<char>(grid.name_codes[code++] & 255);
    }
    if (code == grid.name_codes.size()) break;
    ++code;
    if (tag == static_cast<int>(tag)) names[static_cast<int>(tag)] = name;
  }
  return names;
}

}  // namespace

std::size_t size_of(VtkType type) {
  static constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

std::optional<VtkType> vtk_xml_type(std::string_view name) {
  static constexpr std::array<TypeName, 10> names{{{"Int8", VtkType::int8},
                                                   {"UInt8", VtkType::uint8},
                                                   {"Int16", VtkType::int16},
                                                   {"UInt16", VtkType::uint16},
                                                   {"Int32", VtkType::int32},
                                                   {"UInt32", VtkType::uint32},
                                                   {"Int64", VtkType::int64},
                                                   {"UInt64", VtkType::uint64},
                                                   {"Float32", VtkType::float32},
                                                   {"Float64", VtkType::float64}}};
  return find_type(names, name);
}

std::optional<VtkType> vtk_legacy_type(std::string_view name) {
  static constexpr std::array<TypeName, 16> names{{{"char", VtkType::int8},
                                                   {"signed_char", VtkType::int8},
                                                   {"unsigned_char", VtkType::uint8},
                                                   {"short", VtkType::int16},
                                                   {"unsigned_short", VtkType::uint16},
                                                   {"int", VtkType::int32},
                                                   {"unsigned_int", VtkType::uint32},
                                                   {"vtkidtype", VtkType::int32},
                                                   {"long", VtkType::int64},
                                                   {"unsigned_long", VtkType::uint64},
                                                   {"vtktypeint32", VtkType::int32},
                                                   {"vtktypeuint32", VtkType::uint32},
                                                   {"vtktypeint64", VtkType::int64},
                                                   {"vtktypeuint64", VtkType::uint64},
                                                   {"float", VtkType::float32},
                                                   {"double", VtkType::float64}}};
  std::string lower(name.substr(0, 20));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return find_type(names, lower);
}

std::vector<std::int64_t> decode_integers(std::string_view bytes, VtkType type, ByteOrder order) {
  return decode<std::int64_t>(bytes, type, order);
}

std::vector<double> decode_reals(std::string_view bytes, VtkType type, ByteOrder order) {
  return decode<double>(bytes, type, order);
}

bool is_better_region_array(std::string_view name, std::string_view current) {
  static constexpr std::array<std::string_view, 9> known{"region",       "CellEntityIds", "gmsh:physical",
                                                         "medit:ref",    "tetgen:ref",    "gmsh:geometrical",
                                                         "cell_scalars", "RegionId",      "MaterialIds"};
  const auto rank = [](std::string_view one) {
    return std::find(known.begin(), known.end(), one) - known.begin();
  };
  return rank(name) < rank(current);
}

VolumeMesh build_mesh(const VtkGrid& grid, std::string_view where) {
  check_sizes(grid, where);
  MeshParts parts;
  for (std::size_t cell = 0; cell < grid.types.size(); ++cell) add_cell(grid, cell, where, parts);
  parts.positions = grid.points;
  parts.names = decode_region_names(grid);
  return build_mesh(parts, where);
}

std::string encode_region_names(const VolumeMesh& mesh) {
  std::string codes;
  bool named = false;
  for (const Region& region : mesh.regions) {
    named = named || !region.name.empty();
    codes += region.name;
    codes += '\0';
  }
  return named ? codes : std::string();
}

}  // namespace limber
