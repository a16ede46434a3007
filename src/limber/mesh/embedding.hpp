#pragma once

#include "limber/base/executor.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <vector>

namespace limber {

/// Points bound to the elements of a volume mesh: a render mesh driven by a simulation mesh.
///                                                                              [Barbic & James 2005, 3.1]
/// Point p lies in element[p] and is the sum of its vertices' positions with the weights of column p:
/// barycentric in a tetrahedron, trilinear in a brick. Weights sum to 1; those of a point outside of the mesh
/// continue the nearest element linearly (multilinearly), so that its rest position is met all the same. In a
/// brick they are continued for one cell at most, because they grow with the cube of the distance: points
/// farther away follow the displacement of the place where that ends. Displacements are interpolated, not
/// positions.
struct Embedding {
  std::vector<int> element;  ///< n, element that the point is bound to
  Matrix weights;            ///< 4 x n or 8 x n
  Eigen::MatrixXi vertices;  ///< 4 x n or 8 x n, vertices of that element
  Index mesh_vertices = 0;   ///< of the mesh
  Index outside = 0;         ///< points that lie in no element
  double farthest = 0.0;     ///< largest distance of one of them to its element, m

  [[nodiscard]] Index point_count() const { return weights.cols(); }
};

/// Binds points (3 x n, m) to a mesh that passed check_mesh. Cost O(n log elements). Throws Error for points
/// so far away that the square of their distance is no number.
Embedding embed_points(const VolumeMesh& mesh, const Matrix3X& points,
                       const Executor& executor = Executor(1));

/// Displacements of the points from those of the mesh's vertices: 3 x mesh_vertices in, 3 x n out.
Matrix3X interpolate(const Embedding& embedding, const Matrix3X& displacement);

}  // namespace limber
