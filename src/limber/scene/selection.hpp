#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Vertices chosen in the rest shape; what several criteria choose is united.
struct VertexSelection {
  std::vector<int> vertices;       ///< by number
  std::optional<BoundingBox> box;  ///< inside of it, sides included
  std::string where;               ///< by position: "x < 0.01 and z >= 0"; empty for none
  std::vector<Vector3> nearest;    ///< the vertex nearest to each of these points

  [[nodiscard]] bool empty() const { return vertices.empty() && !box && where.empty() && nearest.empty(); }
};

/// The chosen vertices of the mesh, ascending, each once. `context` names the selection in messages.
/// Throws Error for numbers that the mesh does not have, an expression that cannot be read, and a criterion
/// that chooses nothing.
std::vector<int> select_vertices(const VolumeMesh& mesh, const VertexSelection& selection,
                                 std::string_view context);

}  // namespace limber
