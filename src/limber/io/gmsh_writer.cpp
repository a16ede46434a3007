#include "limber/io/gmsh_writer.hpp"

#include "limber/base/error.hpp"

#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace limber {
namespace {

/// Takes values and spells them as text or stores them as bytes; the counterpart of GmshSource.
class GmshSink {
 public:
  explicit GmshSink(bool binary) : binary_(binary) {}

  [[nodiscard]] bool binary() const { return binary_; }
  [[nodiscard]] std::string_view content() const { return {buffer_.data(), buffer_.size()}; }

  /// Text in binary files too.
  template <class... Args>
  void text(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }
  void put_int(int value) { put(static_cast<std::int32_t>(value)); }
  void put_size(Index value) { put(static_cast<std::int64_t>(value)); }
  void put_real(double value) { put(value); }
  /// Ends a line of text; bytes have no lines.
  void end_record() {
    if (!binary_) buffer_.data()[buffer_.size() - 1] = '\n';
  }
  /// Ends a section.
  void end(std::string_view section) { text("{}$End{}\n", binary_ ? "\n" : "", section); }

 private:
  template <class Number>
  void put(Number value) {
    if (binary_) {
      const char* bytes = reinterpret_cast<const char*>(&value);
      buffer_.append(bytes, bytes + sizeof value);
    } else {
      fmt::format_to(std::back_inserter(buffer_), "{} ",
                     value);  // the shortest digits that read back exactly
    }
  }

  fmt::memory_buffer buffer_;
  bool binary_;
};

int gmsh_type(const VolumeMesh& mesh) { return mesh.kind == ElementKind::tetrahedron ? 4 : 5; }

void check_regions(const VolumeMesh& mesh, std::string_view where) {
  std::set<int> tags;
  for (const Region& region : mesh.regions) {
    require(region.tag > 0 || (region.tag == 0 && region.name.empty()),
            "{}: region '{}' has the tag {}, but Gmsh numbers physical groups from 1; give it another tag",
            where, region.name, region.tag);
    require(tags.insert(region.tag).second, "{}: two regions have the tag {}, expected each tag once", where,
            region.tag);
    require(region.name.find_first_of("\r\n") == std::string::npos,
            "{}: the name of region {} spans several lines, which Gmsh files cannot hold", where, region.tag);
  }
}

void put_format(GmshSink& sink, GmshVersion version) {
  sink.text("$MeshFormat\n{} {} 8\n", version == GmshVersion::v2_2 ? "2.2" : "4.1", sink.binary() ? 1 : 0);
  if (sink.binary()) sink.put_int(1);
  sink.end("MeshFormat");
}

void put_names(GmshSink& sink, const VolumeMesh& mesh) {
  int named = 0;
  for (const Region& region : mesh.regions) named += region.name.empty() ? 0 : 1;
  if (named == 0) return;
  sink.text("$PhysicalNames\n{}\n", named);
  for (const Region& region : mesh.regions) {
    if (!region.name.empty()) sink.text("3 {} \"{}\"\n", region.tag, region.name);
  }
  sink.text("$EndPhysicalNames\n");
}

void put_position(GmshSink& sink, const VolumeMesh& mesh, Index v) {
  for (int axis = 0; axis < 3; ++axis) sink.put_real(mesh.vertices(axis, v));
  sink.end_record();
}

const Region& region_of(const VolumeMesh& mesh, Index e) {
  return mesh.regions[static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)])];
}

void put_mesh_2(GmshSink& sink, const VolumeMesh& mesh) {
  sink.text("$Nodes\n{}\n", mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    sink.put_int(static_cast<int>(v + 1));
    put_position(sink, mesh, v);
  }
  sink.end("Nodes");

  sink.text("$Elements\n{}\n", mesh.element_count());
  const auto put_block = [&](Index count) {
    sink.put_int(gmsh_type(mesh));
    if (sink.binary()) sink.put_int(static_cast<int>(count));
    sink.put_int(2);  // tags: physical group and elementary entity
  };
  if (sink.binary()) put_block(mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    sink.put_int(static_cast<int>(e + 1));
    if (!sink.binary()) put_block(1);
    sink.put_int(region_of(mesh, e).tag);
    sink.put_int(region_of(mesh, e).tag);
    for (const int vertex : mesh.elements.col(e)) sink.put_int(vertex + 1);
    sink.end_record();
  }
  sink.end("Elements");
}

void put_entities_4(GmshSink& sink, const VolumeMesh& mesh) {
  const Vector3 low = mesh.vertices.rowwise().minCoeff();
  const Vector3 high = mesh.vertices.rowwise().maxCoeff();
  sink.text("$Entities\n");
  for (int dimension = 0; dimension < 3; ++dimension) sink.put_size(0);
  sink.put_size(static_cast<Index>(mesh.regions.size()));
  sink.end_record();
  for (const Region& region : mesh.regions) {
    sink.put_int(region.tag);
    for (const double bound : low) sink.put_real(bound);
    for (const double bound : high) sink.put_real(bound);
    sink.put_size(region.tag == 0 ? 0 : 1);
    if (region.tag != 0) sink.put_int(region.tag);
    sink.put_size(0);  // bounding surfaces
    sink.end_record();
  }
  sink.end("Entities");
}

void put_nodes_4(GmshSink& sink, const VolumeMesh& mesh) {
  sink.text("$Nodes\n");
  for (const Index value : {Index{1}, mesh.vertex_count(), Index{1}, mesh.vertex_count()})
    sink.put_size(value);
  sink.end_record();
  for (const int value : {3, mesh.regions.front().tag, 0}) sink.put_int(value);
  sink.put_size(mesh.vertex_count());
  sink.end_record();
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    sink.put_size(v + 1);
    sink.end_record();
  }
  for (Index v = 0; v < mesh.vertex_count(); ++v) put_position(sink, mesh, v);
  sink.end("Nodes");
}

/// A block per run of elements of one region, which keeps the order of the elements.
void put_elements_4(GmshSink& sink, const VolumeMesh& mesh) {
  std::vector<Index> starts;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    if (e == 0 || &region_of(mesh, e) != &region_of(mesh, e - 1)) starts.push_back(e);
  }
  sink.text("$Elements\n");
  sink.put_size(static_cast<Index>(starts.size()));
  for (const Index value : {mesh.element_count(), Index{1}, mesh.element_count()}) sink.put_size(value);
  sink.end_record();
  for (std::size_t block = 0; block < starts.size(); ++block) {
    const Index end = block + 1 < starts.size() ? starts[block + 1] : mesh.element_count();
    for (const int value : {3, region_of(mesh, starts[block]).tag, gmsh_type(mesh)}) sink.put_int(value);
    sink.put_size(end - starts[block]);
    sink.end_record();
    for (Index e = starts[block]; e < end; ++e) {
      sink.put_size(e + 1);
      for (const int vertex : mesh.elements.col(e)) sink.put_size(vertex + 1);
      sink.end_record();
    }
  }
  sink.end("Elements");
}

}  // namespace

void write_gmsh(const std::filesystem::path& path, const VolumeMesh& mesh, const GmshOptions& options,
                const ReadBack& read_back) {
  check_mesh(mesh, path.string());
  check_regions(mesh, path.string());
  GmshSink sink(options.binary);
  put_format(sink, options.version);
  put_names(sink, mesh);
  if (options.version == GmshVersion::v2_2) {
    put_mesh_2(sink, mesh);
  } else {
    put_entities_4(sink, mesh);
    put_nodes_4(sink, mesh);
    put_elements_4(sink, mesh);
  }
  write_file(path, sink.content(), read_back);
}

}  // namespace limber
