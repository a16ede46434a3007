#include "limber/io/medit_writer.hpp"

#include "limber/io/byte_order.hpp"
#include "limber/io/mesh_parts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>

namespace limber {
namespace {

std::string as_text(const VolumeMesh& mesh) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "MeshVersionFormatted 2\nDimension 3\n\nVertices\n{}\n", mesh.vertex_count());
  for (const auto& x : mesh.vertices.colwise()) fmt::format_to(out, "{} {} {} 0\n", x(0), x(1), x(2));
  fmt::format_to(out, "\n{}\n{}\n", mesh.kind == ElementKind::tetrahedron ? "Tetrahedra" : "Hexahedra",
                 mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (const int vertex : mesh.elements.col(e)) fmt::format_to(out, "{} ", vertex + 1);
    fmt::format_to(out, "{}\n", region_tag(mesh, e));
  }
  text += "\nEnd\n";
  return text;
}

/// Version 3: 8-byte positions and reals, 4-byte integers.
std::string as_bytes(const VolumeMesh& mesh) {
  std::string bytes;
  const auto put_int = [&](Index value) {
    append_number(bytes, static_cast<std::int32_t>(value), native_order);
  };
  // A section: its code, where the next one starts, then its own `size` bytes.
  const auto start_section = [&](int code, Index size) {
    put_int(code);
    append_number(bytes, static_cast<std::int64_t>(bytes.size()) + 8 + size, native_order);
  };
  put_int(1);
  put_int(3);
  start_section(3, 4);
  put_int(3);  // Dimension
  start_section(4, 4 + 28 * mesh.vertex_count());
  put_int(mesh.vertex_count());
  for (const auto& x : mesh.vertices.colwise()) {
    for (const double coordinate : x) append_number(bytes, coordinate, native_order);
    put_int(0);
  }
  start_section(mesh.kind == ElementKind::tetrahedron ? 8 : 10,
                4 + 4 * (mesh.elements.rows() + 1) * mesh.element_count());
  put_int(mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (const int vertex : mesh.elements.col(e)) put_int(vertex + 1);
    put_int(region_tag(mesh, e));
  }
  put_int(54);  // End, which nothing follows
  append_number(bytes, std::int64_t{0}, native_order);
  return bytes;
}

}  // namespace

void write_medit(const std::filesystem::path& path, const VolumeMesh& mesh, const MeditOptions& options,
                 const ReadBack& read_back) {
  check_writable(mesh, path.string());
  write_file(path, options.binary ? as_bytes(mesh) : as_text(mesh), read_back);
}

}  // namespace limber
