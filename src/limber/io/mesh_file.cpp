#include "limber/io/mesh_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/gmsh_reader.hpp"
#include "limber/io/gmsh_reader_source.hpp"
#include "limber/mesh/builtin.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace limber {
namespace {

/// A format of mesh files. To add one, write its two functions and list it below.
struct MeshFormat {
  std::string_view name;
  bool (*recognizes)(std::string_view content);
  VolumeMesh (*parse)(std::string_view content, std::string_view where);
};

constexpr std::array<MeshFormat, 1> formats{{{"Gmsh (MSH 2.2 or 4.1)", looks_like_gmsh, parse_gmsh}}};

const MeshFormat& detect_format(std::string_view content, std::string_view where) {
  require(content.find_first_not_of(" \t\r\n") != std::string_view::npos, "{}: is empty, expected a mesh",
          where);
  const auto format = std::find_if(formats.begin(), formats.end(),
                                   [&](const MeshFormat& f) { return f.recognizes(content); });
  if (format == formats.end()) {
    std::vector<std::string_view> names;
    for (const MeshFormat& known : formats) names.push_back(known.name);
    throw Error(
        "{}: is no mesh that limber reads, it starts with '{}'; convert it to {}, e.g. with gmsh or meshio",
        where, printable(content.substr(0, content.find('\n'))), fmt::join(names, ", "));
  }
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

}  // namespace

VolumeMesh parse_mesh(std::string_view content, std::string_view where) {
  VolumeMesh mesh = detect_format(content, where).parse(content, where);
  if (mesh.kind == ElementKind::brick) canonicalize_bricks(mesh, where);
  check_mesh(mesh, where);
  check_no_element_twice(mesh, where);
  return mesh;
}

VolumeMesh read_mesh(const std::filesystem::path& path) { return parse_mesh(read_file(path), path.string()); }

VolumeMesh load_mesh(std::string_view name) {
  return is_builtin(name) ? make_builtin(name) : read_mesh(std::filesystem::path(name));
}

}  // namespace limber
