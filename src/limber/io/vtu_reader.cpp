#include "limber/io/vtu_reader.hpp"

#include "limber/base/error.hpp"
#include "limber/io/text_source.hpp"
#include "limber/io/vtk_grid.hpp"
#include "limber/io/vtu_document.hpp"

#include <string>

namespace limber {
namespace {

/// The array of that section and name; of any name where it is empty.
const VtuArray& find_array(const VtuDocument& document, std::string_view section, std::string_view name) {
  for (const VtuArray& array : document.arrays) {
    if (array.section == section && (name.empty() || array.name == name)) return array;
  }
  throw Error("{}: has no DataArray{} in the element {}; the file holds no mesh or is damaged",
              document.where, name.empty() ? "" : fmt::format(" '{}'", name), section);
}

template <class Number>
void require_count(const VtuDocument& document, const VtuArray& array, const std::vector<Number>& values,
                   std::int64_t items, std::int64_t each) {
  const auto count = static_cast<std::int64_t>(values.size());
  if (count % each == 0 && count / each == items) return;
  document.fail(array.position,
                fmt::format("the DataArray '{}' has {} values, expected {} for each of {}; the file is "
                            "truncated or damaged, so copy or export it anew",
                            printable(array.name), count, each, items));
}

void read_points(const VtuDocument& document, VtkGrid& grid) {
  const VtuArray& array = find_array(document, "Points", "");
  grid.points = read_vtu_reals(document, array);
  require_count(document, array, grid.points, document.points, 3);
}

void read_cells(const VtuDocument& document, VtkGrid& grid) {
  grid.connectivity = read_vtu_integers(document, find_array(document, "Cells", "connectivity"));
  const VtuArray& ends = find_array(document, "Cells", "offsets");
  grid.offsets = read_vtu_integers(document, ends);
  require_count(document, ends, grid.offsets, document.cells, 1);
  grid.offsets.insert(grid.offsets.begin(), 0);
  const VtuArray& types = find_array(document, "Cells", "types");
  grid.types = read_vtu_integers(document, types);
  require_count(document, types, grid.types, document.cells, 1);
}

void read_regions(const VtuDocument& document, VtkGrid& grid) {
  const VtuArray* chosen = nullptr;
  for (const VtuArray& array : document.arrays) {
    if (array.section == "FieldData" && array.name == vtk_tags_field && grid.name_tags.empty()) {
      grid.name_tags = read_vtu_integers(document, array);
    } else if (array.section == "FieldData" && array.name == vtk_names_field && grid.name_codes.empty()) {
      grid.name_codes = read_vtu_integers(document, array);
    } else if (array.section == "CellData" && array.components == 1 &&
               is_better_region_array(array.name, grid.region_array)) {
      grid.region_array = array.name;
      chosen = &array;
    }
  }
  if (chosen == nullptr) return;
  grid.regions = read_vtu_reals(document, *chosen);
  require_count(document, *chosen, grid.regions, document.cells, 1);
}

}  // namespace

bool looks_like_vtu(std::string_view content) {
  constexpr std::size_t far = 4096;  // room for a declaration and comments
  const std::size_t start = content.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && content[start] == '<' &&
         content.substr(0, far).find("<VTKFile") != std::string_view::npos;
}

VolumeMesh parse_vtu(std::string_view content, std::string_view where) {
  const VtuDocument document = scan_vtu(content, where);
  VtkGrid grid;
  read_points(document, grid);
  read_cells(document, grid);
  read_regions(document, grid);
  return build_mesh(grid, where);
}

}  // namespace limber
