#include "limber/io/vtk_legacy_writer.hpp"

#include "limber/io/mesh_parts.hpp"
#include "limber/io/vtk_grid.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace limber {
namespace {

/// Takes values and spells them as text or stores them as bytes.
class VtkSink {
 public:
  explicit VtkSink(bool binary) : binary_(binary) {}

  [[nodiscard]] const std::string& content() const { return content_; }

  template <class... Args>
  void text(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(content_), format, std::forward<Args>(args)...);
  }
  template <class Number>
  void put(Number value) {
    if (binary_) {
      append_number(content_, value, ByteOrder::big);
    } else {
      text("{} ", value);  // the shortest digits that read back exactly
    }
  }
  /// Ends a line of text; bytes have none.
  void end_record() {
    if (!binary_) content_.back() = '\n';
  }
  /// Ends an array.
  void end_array() {
    if (binary_ || content_.back() == ' ') content_ += '\n';
  }

 private:
  std::string content_;
  bool binary_;
};

/// After the cells: Gmsh expects the points first.
void put_region_names(VtkSink& sink, const VolumeMesh& mesh) {
  const std::string codes = encode_region_names(mesh);
  if (codes.empty()) return;
  sink.text("FIELD FieldData 2\n{} 1 {} int\n", vtk_tags_field, mesh.regions.size());
  for (const Region& region : mesh.regions) sink.put(std::int32_t{region.tag});
  sink.end_array();
  sink.text("{} 1 {} int\n", vtk_names_field, codes.size());
  for (const char code : codes) sink.put(std::int32_t{static_cast<unsigned char>(code)});
  sink.end_array();
}

void put_cells(VtkSink& sink, const VolumeMesh& mesh, bool offsets_layout) {
  const Index cells = mesh.element_count();
  const Index corners = mesh.elements.rows();
  if (offsets_layout) {
    sink.text("CELLS {} {}\nOFFSETS vtktypeint64\n", cells + 1, corners * cells);
    for (Index e = 0; e <= cells; ++e) sink.put(std::int64_t{corners * e});
    sink.end_array();
    sink.text("CONNECTIVITY vtktypeint64\n");
  } else {
    sink.text("CELLS {} {}\n", cells, (corners + 1) * cells);
  }
  for (Index e = 0; e < cells; ++e) {
    if (!offsets_layout) sink.put(static_cast<std::int32_t>(corners));
    for (const int vertex : mesh.elements.col(e)) {
      offsets_layout ? sink.put(std::int64_t{vertex}) : sink.put(std::int32_t{vertex});
    }
    sink.end_record();
  }
  sink.end_array();
  sink.text("CELL_TYPES {}\n", cells);
  for (Index e = 0; e < cells; ++e) {
    sink.put(std::int32_t{mesh.kind == ElementKind::tetrahedron ? vtk_tetra : vtk_hexahedron});
    sink.end_record();
  }
  sink.end_array();
}

}  // namespace

void write_vtk_legacy(const std::filesystem::path& path, const VolumeMesh& mesh,
                      const VtkLegacyOptions& options, const ReadBack& read_back) {
  check_writable(mesh, path.string());
  VtkSink sink(options.binary);
  sink.text("# vtk DataFile Version {}\nvolume mesh written by limber\n{}\nDATASET UNSTRUCTURED_GRID\n",
            options.offsets_layout ? "5.1" : "3.0", options.binary ? "BINARY" : "ASCII");
  sink.text("POINTS {} double\n", mesh.vertex_count());
  for (const auto& x : mesh.vertices.colwise()) {
    for (const double coordinate : x) sink.put(coordinate);
    sink.end_record();
  }
  sink.end_array();
  put_cells(sink, mesh, options.offsets_layout);
  put_region_names(sink, mesh);
  sink.text("CELL_DATA {}\nSCALARS region int 1\nLOOKUP_TABLE default\n", mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    sink.put(std::int32_t{region_tag(mesh, e)});
    sink.end_record();
  }
  sink.end_array();
  write_file(path, sink.content(), read_back);
}

}  // namespace limber
