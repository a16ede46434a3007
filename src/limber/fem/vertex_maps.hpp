#pragma once

#include "limber/fem/dof_map.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// How the vertices of a body are carried along, each by an affine map: vertex v, displaced by u_v in the
/// rest pose, is in the world at
///
///   L_v (X_v + u_v) + t_v,     so that its displacement there is   y_v = L_v u_v + c_v,   c_v = (L_v - I) X_v + t_v.
///
/// Skeletal skinning gives such maps; so do supports that move: L = I, and c is the motion of fixed vertices,
/// for which u = 0. [Kim & James 2009, section 5; Magnenat-Thalmann et al. 1988]
struct VertexMaps {
  std::vector<Matrix3> linear;  ///< L_v, n of them; empty: all the identity
  Matrix3X offset;              ///< c_v, 3 x n, m

  /// n vertices that stay where they are.
  static VertexMaps identity(Index n) { return {{}, Matrix3X::Zero(3, n)}; }
  [[nodiscard]] bool carries() const { return !linear.empty(); }  ///< whether any L differs from the identity

  /// y of the unknowns, from u; and back. Free vertices only: 3 per free vertex. Throws Error for maps that
  /// cannot be inverted.
  [[nodiscard]] Vector to_world(const DofMap& dofs, const VectorRef& u) const;
  [[nodiscard]] Vector to_rest(const DofMap& dofs, const VectorRef& y) const;

  /// L X, for the unknowns: columns of displacements (dofs x k) in the rest pose -> in the world.
  [[nodiscard]] Matrix carried(const DofMap& dofs, const Eigen::Ref<const Matrix>& X) const;
  /// L^T f, for the unknowns: forces in the world -> in the rest pose.
  [[nodiscard]] Vector pulled_back(const DofMap& dofs, const VectorRef& f) const;

  /// y of all vertices, 3 x n, from u of the free ones; fixed ones are at their offset.
  [[nodiscard]] Matrix3X displacement(const DofMap& dofs, const VectorRef& u) const;
};

}  // namespace limber
