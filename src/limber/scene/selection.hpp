#pragma once

#include "limber/mesh/up_axis.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// What counts as a side of a body: this share of its extent across.
inline constexpr double side_depth = 0.05;

/// Vertices chosen in the rest shape; what several criteria choose is united.
struct VertexSelection {
  std::vector<int> vertices;       ///< by number
  std::optional<BoundingBox> box;  ///< inside of it, sides included
  std::string where;               ///< by position: "x < 0.01 and z >= 0"; empty for none
  std::vector<Vector3> nearest;    ///< the vertex nearest to each of these points
  std::vector<BodySide> sides;     ///< on a side of the body, to a depth of side_depth
  UpAxis up = UpAxis::z;           ///< by which sides are told

  [[nodiscard]] bool empty() const {
    return vertices.empty() && !box && where.empty() && nearest.empty() && sides.empty();
  }
};

/// The chosen vertices of the mesh, ascending, each once. `context` names the selection in messages.
/// Throws Error for numbers that the mesh does not have, an expression that cannot be read, and a criterion
/// that chooses nothing.
std::vector<int> select_vertices(const VolumeMesh& mesh, const VertexSelection& selection,
                                 std::string_view context);

}  // namespace limber
