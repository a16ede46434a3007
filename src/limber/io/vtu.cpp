#include "limber/io/vtu.hpp"

#include "limber/base/base64.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/vtk_grid.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

namespace limber {
namespace {

constexpr std::string_view byte_order =
    std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (const std::string_view entity = xml_entity(c); entity.empty()) {
      result += c;
    } else {
      result += entity;
    }
  }
  return result;
}

/// The name of a type in VTK files.
template <class Number>
constexpr std::string_view type_name = "Float64";
template <>
constexpr std::string_view type_name<std::int32_t> = "Int32";
template <>
constexpr std::string_view type_name<std::int64_t> = "Int64";
template <>
constexpr std::string_view type_name<std::uint8_t> = "UInt8";

/// Appends a DataArray: the number of bytes as UInt64, then the bytes, in one run of base64. `counts`: the
/// attribute that says how many values belong together or, in field data, how many there are.
template <class Number>
void append_values(std::string& xml, std::string_view name, std::string_view counts,
                   std::span<const Number> values) {
  const std::uint64_t size = values.size_bytes();
  std::string bytes(sizeof size + size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  if (size > 0) std::memcpy(bytes.data() + sizeof size, values.data(), size);
  xml += fmt::format(R"(<DataArray type="{}" Name="{}" {}{}format="binary">)", type_name<Number>,
                     escaped(name), counts, counts.empty() ? "" : " ");
  append_base64(xml, bytes);
  xml += "</DataArray>\n";
}

template <class Number>
void append_array(std::string& xml, std::string_view name, Index components, std::span<const Number> values) {
  // Without the attribute there is one; meshio makes a matrix of one column of an array that spells it out.
  append_values(xml, name, components == 1 ? "" : fmt::format(R"(NumberOfComponents="{}")", components),
                values);
}

void append_matrix(std::string& xml, std::string_view name, const Eigen::Ref<const Matrix>& values) {
  const Matrix packed = values;
  append_array<double>(xml, name, packed.rows(), {packed.data(), static_cast<std::size_t>(packed.size())});
}

void check_fields(const std::vector<VtuField>& fields, Index count, std::string_view of,
                  std::set<std::string> names, std::string_view where) {
  for (const VtuField& field : fields) {
    require(!field.name.empty(), "{}: a field of the {} has no name", where, of);
    require(names.insert(field.name).second, "{}: two fields of the {} have the name '{}'", where, of,
            field.name);
    require(field.values.rows() > 0 && field.values.cols() == count,
            "{}: field '{}' is {} x {}, expected {} columns (one for each of the {})", where, field.name,
            field.values.rows(), field.values.cols(), count, of);
  }
}

void append_cells(std::string& xml, const VolumeMesh& mesh) {
  const auto corners = mesh.elements.rows();
  std::vector<std::int64_t> offsets;
  for (Index e = 1; e <= mesh.element_count(); ++e) offsets.push_back(e * corners);
  const std::uint8_t type = mesh.kind == ElementKind::tetrahedron ? vtk_tetra : vtk_hexahedron;
  const std::vector<std::uint8_t> types(offsets.size(), type);
  xml += "<Cells>\n";
  append_array<std::int32_t>(xml, "connectivity", 1,
                             {mesh.elements.data(), static_cast<std::size_t>(mesh.elements.size())});
  append_array<std::int64_t>(xml, "offsets", 1, offsets);
  append_array<std::uint8_t>(xml, "types", 1, types);
  xml += "</Cells>\n";
}

void append_cell_data(std::string& xml, const VolumeMesh& mesh, const std::vector<VtuField>& fields) {
  std::vector<std::int32_t> tags;
  for (const int region : mesh.region) tags.push_back(mesh.regions[static_cast<std::size_t>(region)].tag);
  xml += "<CellData>\n";
  append_array<std::int32_t>(xml, "region", 1, tags);
  for (const VtuField& field : fields) append_matrix(xml, field.name, field.values);
  xml += "</CellData>\n";
}

/// The names of the regions, where there are any.
void append_names(std::string& xml, const VolumeMesh& mesh) {
  const std::string names = encode_region_names(mesh);
  if (names.empty()) return;
  std::vector<std::int32_t> tags;
  for (const Region& region : mesh.regions) tags.push_back(region.tag);
  const std::vector<std::uint8_t> codes(names.begin(), names.end());
  const auto tuples = [](std::size_t count) { return fmt::format(R"(NumberOfTuples="{}")", count); };
  xml += "<FieldData>\n";
  append_values<std::int32_t>(xml, vtk_tags_field, tuples(tags.size()), tags);
  append_values<std::uint8_t>(xml, vtk_names_field, tuples(codes.size()), codes);
  xml += "</FieldData>\n";
}

}  // namespace

void write_vtu(const std::filesystem::path& path, const VolumeMesh& mesh, const VtuFields& fields,
               const ReadBack& read_back) {
  const bool deformed = fields.displacement.cols() > 0;
  require(!deformed || fields.displacement.cols() == mesh.vertex_count(),
          "{}: the displacement has {} columns, expected {} (one per vertex)", path.string(),
          fields.displacement.cols(), mesh.vertex_count());
  check_fields(fields.vertices, mesh.vertex_count(), "vertices", {"displacement"}, path.string());
  check_fields(fields.elements, mesh.element_count(), "elements", {"region"}, path.string());

  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"{}\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n",
      byte_order);
  append_names(xml, mesh);
  xml += fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>\n", mesh.vertex_count(),
                     mesh.element_count());
  append_matrix(xml, "Points", deformed ? Matrix3X(mesh.vertices + fields.displacement) : mesh.vertices);
  xml += "</Points>\n";
  append_cells(xml, mesh);
  xml += "<PointData>\n";
  if (deformed) append_matrix(xml, "displacement", fields.displacement);
  for (const VtuField& field : fields.vertices) append_matrix(xml, field.name, field.values);
  xml += "</PointData>\n";
  append_cell_data(xml, mesh, fields.elements);
  xml += "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
  write_file(path, xml, read_back);
}

void write_pvd(const std::filesystem::path& path, std::span<const PvdEntry> entries) {
  std::string xml = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"{}\">\n<Collection>\n",
      byte_order);
  for (const PvdEntry& entry : entries) {
    xml += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", entry.time,
                       escaped(entry.file.generic_string()));
  }
  xml += "</Collection>\n</VTKFile>\n";
  write_file(path, xml);
}

}  // namespace limber
