#include "limber/io/tetgen_writer.hpp"

#include "limber/base/error.hpp"
#include "limber/io/mesh_parts.hpp"
#include "limber/io/tetgen_reader.hpp"

#include <array>
#include <iterator>
#include <string>

namespace limber {

void write_tetgen(const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back) {
  require(
      mesh.kind == ElementKind::tetrahedron,
      "{}: TetGen files hold tetrahedra, the mesh is made of bricks; write .msh, .mesh, .vtk, .vtu or .veg",
      path.string());
  check_writable(mesh, path.string());
  TetgenPaths paths = tetgen_paths(path);
  if (!is_tetgen_path(path)) paths = {path.string() + ".node", path.string() + ".ele"};

  std::string nodes = fmt::format("{} 3 0 0\n", mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const auto x = mesh.vertices.col(v);
    fmt::format_to(std::back_inserter(nodes), "{} {} {} {}\n", v + 1, x(0), x(1), x(2));
  }
  std::string elements = fmt::format("{} 4 1\n", mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const Eigen::Vector4i vertices = mesh.elements.col(e).array() + 1;
    fmt::format_to(std::back_inserter(elements), "{} {} {} {} {} {}\n", e + 1, vertices(0), vertices(1),
                   vertices(2), vertices(3), region_tag(mesh, e));
  }
  write_files(std::array{NewFile{paths.nodes, nodes}, NewFile{paths.elements, elements}}, read_back);
}

}  // namespace limber
