#include "limber/io/mesh_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/gmsh_reader.hpp"
#include "limber/io/gmsh_writer.hpp"
#include "limber/io/medit_reader.hpp"
#include "limber/io/medit_writer.hpp"
#include "limber/io/mesh_parts.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/io/tetgen_reader.hpp"
#include "limber/io/tetgen_writer.hpp"
#include "limber/io/text_source.hpp"
#include "limber/io/vega_reader.hpp"
#include "limber/io/vega_writer.hpp"
#include "limber/io/vtk_legacy_reader.hpp"
#include "limber/io/vtk_legacy_writer.hpp"
#include "limber/io/vtu.hpp"
#include "limber/io/vtu_reader.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace limber {
namespace {

/// A format of mesh files. To add one, write its functions and list it below.
struct MeshFormat {
  std::string_view name;  ///< with its extensions, for messages
  std::array<std::string_view, 2> extensions;
  bool (*recognizes)(std::string_view content);
  VolumeMesh (*parse)(std::string_view content, std::string_view where);
  void (*write)(const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back);
};

/// The extension in small letters.
std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

VolumeMesh refuse_half_of_tetgen(std::string_view /*content*/, std::string_view where) {
  throw Error(
      "{}: looks like half of a TetGen mesh, which needs two files; call them NAME.node and NAME.ele and "
      "give either name",
      where);
}

/// In the order in which they are tried: TetGen's files have no magic word, so they come last.
constexpr std::array<MeshFormat, 6> mesh_formats{{
    {"Gmsh (.msh 2.2 or 4.1)",
     {".msh"},
     looks_like_gmsh,
     parse_gmsh,
     [](const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back) {
       write_gmsh(path, mesh, {}, read_back);
     }},
    {"MEDIT (.mesh, .meshb)",
     {".mesh", ".meshb"},
     looks_like_medit,
     parse_medit,
     [](const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back) {
       write_medit(path, mesh, {.binary = extension_of(path) == ".meshb"}, read_back);
     }},
    {"VTK (.vtk)",
     {".vtk"},
     looks_like_vtk_legacy,
     parse_vtk_legacy,
     [](const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back) {
       write_vtk_legacy(path, mesh, {}, read_back);
     }},
    {"VTK XML (.vtu)",
     {".vtu"},
     looks_like_vtu,
     parse_vtu,
     [](const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back) {
       check_writable(mesh, path.string());
       write_vtu(path, mesh, {}, read_back);
     }},
    {"Vega (.veg)", {".veg"}, looks_like_vega, parse_vega, write_vega},
    {"TetGen (.node with .ele)", {".node", ".ele"}, looks_like_tetgen, refuse_half_of_tetgen, write_tetgen},
}};

const MeshFormat& detect_format(std::string_view content, std::string_view where) {
  require(content.find_first_not_of(" \t\r\n") != std::string_view::npos, "{}: is empty, expected a mesh",
          where);
  const auto format = std::find_if(mesh_formats.begin(), mesh_formats.end(),
                                   [&](const MeshFormat& f) { return f.recognizes(content); });
  require(format != mesh_formats.end() || !looks_like_model(content),
          "{}: is a reduced model already, expected a volume mesh; name the mesh that it was made from",
          where);
  require(format != mesh_formats.end() || !looks_like_surface(content),
          "{}: is a surface, expected a volume mesh; fill it first: limber mesh {} -o MESH", where, where);
  require(format != mesh_formats.end(),
          "{}: is no mesh that limber reads, it starts with '{}'; convert it to {}, e.g. with gmsh or meshio",
          where, printable(content.substr(0, content.find('\n'))), volume_format_names());
  return *format;
}

/// Throws for an element that is there twice, which would count its mass twice. MSH 2.2 repeats an element
/// for each of its physical groups.
void check_no_element_twice(const VolumeMesh& mesh, std::string_view where) {
  Eigen::MatrixXi sorted = mesh.elements;
  for (Index e = 0; e < sorted.cols(); ++e) std::sort(sorted.col(e).begin(), sorted.col(e).end());
  std::vector<Index> order(static_cast<std::size_t>(sorted.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto column = [&](Index e) { return sorted.col(e); };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::lexicographical_compare(column(a).begin(), column(a).end(), column(b).begin(),
                                        column(b).end());
  });
  const auto twice = std::adjacent_find(order.begin(), order.end(),
                                        [&](Index a, Index b) { return column(a) == column(b); });
  if (twice == order.end()) return;
  throw Error(
      "{}: elements {} and {} have the same vertices; remove one, or where it belongs to two physical groups "
      "take it out of one",
      where, std::min(twice[0], twice[1]), std::max(twice[0], twice[1]));
}

/// Swaps two vertices of each tetrahedron of negative volume. Indices out of range are for check_mesh.
void orient_tetrahedra(VolumeMesh& mesh) {
  const bool in_range = mesh.elements.size() > 0 && mesh.elements.rows() == 4 &&
                        mesh.elements.minCoeff() >= 0 && mesh.elements.maxCoeff() < mesh.vertex_count();
  if (!in_range) return;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    if (element_volume(mesh, e) < 0.0) std::swap(mesh.elements(2, e), mesh.elements(3, e));
  }
}

/// Throws Error unless the second mesh is the first one: vertices, elements and the tags of their regions.
void require_same(const VolumeMesh& mesh, const VolumeMesh& found) {
  require(found.kind == mesh.kind && found.vertex_count() == mesh.vertex_count() &&
              found.element_count() == mesh.element_count(),
          "it has {} vertices and {} elements, expected {} and {}", found.vertex_count(),
          found.element_count(), mesh.vertex_count(), mesh.element_count());
  require(found.vertices == mesh.vertices, "its vertices are elsewhere");
  require(found.elements == mesh.elements, "its elements have other vertices");
  for (Index e = 0; e < mesh.element_count(); ++e)
    require(region_tag(found, e) == region_tag(mesh, e), "element {} is in another region", e);
}

/// The format that the extension names.
const MeshFormat& format_to_write(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  for (const MeshFormat& format : mesh_formats) {
    if (extension.empty()) break;
    const auto& known = format.extensions;
    if (std::find(known.begin(), known.end(), extension) != known.end()) return format;
  }
  throw Error("{}: the extension '{}' names no format of volume meshes, expected one of {}", path.string(),
              printable(extension), volume_format_names());
}

}  // namespace

void finish_mesh(VolumeMesh& mesh, std::string_view where) {
  if (mesh.kind == ElementKind::brick) {
    canonicalize_bricks(mesh, where);
  } else {
    orient_tetrahedra(mesh);
  }
  check_mesh(mesh, where);
  check_no_element_twice(mesh, where);
}

VolumeMesh parse_mesh(std::string_view content, std::string_view where) {
  VolumeMesh mesh = detect_format(content, where).parse(content, where);
  finish_mesh(mesh, where);
  return mesh;
}

VolumeMesh read_mesh(const std::filesystem::path& path, FileList* read_from) {
  const std::string content = read_file(path);
  note_file(read_from, path);
  const MeshFormat& format = detect_format(content, path.string());
  VolumeMesh mesh;
  if (format.parse == parse_vega) {
    mesh = read_vega(path, read_from);
  } else if (format.recognizes == looks_like_tetgen && is_tetgen_path(path)) {
    mesh = read_tetgen(path);
    for (const std::filesystem::path& file : files_of_mesh(path)) note_file(read_from, file);
  } else {
    mesh = format.parse(content, path.string());
  }
  finish_mesh(mesh, path.string());
  return mesh;
}

bool looks_like_mesh(std::string_view content) {
  return std::any_of(mesh_formats.begin(), mesh_formats.end(),
                     [&](const MeshFormat& f) { return f.recognizes(content); });
}

void check_mesh_extension(const std::filesystem::path& path) { format_to_write(path); }

std::vector<std::filesystem::path> files_of_mesh(const std::filesystem::path& path) {
  if (!is_tetgen_path(path)) return {path};
  const TetgenPaths both = tetgen_paths(path);
  return {both.nodes, both.elements};
}

void write_mesh(const std::filesystem::path& path, const VolumeMesh& mesh) {
  format_to_write(path).write(path, mesh, [&](std::span<const std::string> contents) {
    VolumeMesh found = contents.size() == 1 ? parse_mesh(contents.front(), "its content")
                                            : parse_tetgen(contents.front(), contents.back(),
                                                           "the file of its nodes", "that of its elements");
    if (contents.size() > 1) finish_mesh(found, "its content");
    require_same(mesh, found);
  });
}

std::string volume_format_names() {
  std::vector<std::string_view> names;
  names.reserve(mesh_formats.size());
  for (const MeshFormat& format : mesh_formats) names.push_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace limber
