#include "limber/mesh/beam.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/coordinates.hpp"

#include <array>
#include <utility>

namespace limber {
namespace {

/// The six axis orders: each is a path of three edges from corner (0,0,0) to (1,1,1) of a cube, hence a
/// tetrahedron. Together they fill the cube, and neighbouring cubes agree on the diagonals of their faces
/// (Kuhn's triangulation).
constexpr std::array<std::array<int, 3>, 6> axis_orders{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

/// How often as long as wide a cell may be: beyond it, elements are degenerate (see check_mesh).
constexpr double longest_cell = 1e5;

}  // namespace

VolumeMesh make_beam(const BeamOptions& options) {
  const Eigen::Vector3i cells = options.cells;
  require(cells.minCoeff() >= 1, "beam: {} x {} x {} cells, expected at least 1 along each axis", cells.x(),
          cells.y(), cells.z());
  require(cells.cast<double>().prod() <= max_beam_cells,
          "beam: {} x {} x {} cells are more than the {} that limber builds", cells.x(), cells.y(), cells.z(),
          max_beam_cells);
  require(options.size.allFinite() && options.size.minCoeff() > 0.0,
          "beam: size {} x {} x {}, expected positive lengths in metres", options.size.x(), options.size.y(),
          options.size.z());
  require(options.size.maxCoeff() <= farthest_coordinate, "beam: size {} x {} x {}, expected at most {} m",
          options.size.x(), options.size.y(), options.size.z(), farthest_coordinate);
  const Vector3 cell = options.size.cwiseQuotient(cells.cast<double>());
  require(cell.maxCoeff() <= longest_cell * cell.minCoeff(),
          "beam: its cells are {:.3g} x {:.3g} x {:.3g} m, expected at most {} times as long as wide; choose "
          "other cells",
          cell.x(), cell.y(), cell.z(), longest_cell);

  VolumeMesh mesh;
  mesh.kind = options.kind;
  mesh.regions = {{1, "beam"}};
  mesh.vertices.resize(3, (cells.array() + 1).prod());
  const auto vertex = [&](const Eigen::Vector3i& c) {
    return (c.x() * (cells.y() + 1) + c.y()) * (cells.z() + 1) + c.z();
  };
  const Vector3 corner(0.0, -options.size.y() / 2, -options.size.z() / 2);
  for (int i = 0; i <= cells.x(); ++i) {
    for (int j = 0; j <= cells.y(); ++j) {
      for (int k = 0; k <= cells.z(); ++k) {
        const Eigen::Vector3i c(i, j, k);
        mesh.vertices.col(vertex(c)) =
            corner.array() + options.size.array() * c.cast<double>().array() / cells.cast<double>().array();
      }
    }
  }

  const bool bricks = options.kind == ElementKind::brick;
  mesh.elements.resize(bricks ? 8 : 4, Index{cells.prod()} * (bricks ? 1 : 6));
  mesh.region.assign(static_cast<std::size_t>(mesh.elements.cols()), 0);
  Index e = 0;
  for (int i = 0; i < cells.x(); ++i) {
    for (int j = 0; j < cells.y(); ++j) {
      for (int k = 0; k < cells.z(); ++k) {
        const Eigen::Vector3i c(i, j, k);
        const auto at = [&](int dx, int dy, int dz) { return vertex(c + Eigen::Vector3i(dx, dy, dz)); };
        if (bricks) {
          mesh.elements.col(e++) << at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0), at(0, 0, 1),
              at(1, 0, 1), at(1, 1, 1), at(0, 1, 1);
          continue;
        }
        for (const auto& order : axis_orders) {
          Eigen::Vector3i corner_of_path = c;
          mesh.elements(0, e) = vertex(corner_of_path);
          for (int step = 0; step < 3; ++step) {
            corner_of_path(order[step])++;
            mesh.elements(step + 1, e) = vertex(corner_of_path);
          }
          if (element_volume(mesh, e) < 0.0) std::swap(mesh.elements(2, e), mesh.elements(3, e));
          ++e;
        }
      }
    }
  }
  return mesh;
}

}  // namespace limber
