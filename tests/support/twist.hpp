#pragma once

#include "limber/basis/mass_pca.hpp"
#include "tests/support/modal_derivatives.hpp"

#include <Eigen/Geometry>

#include <array>
#include <stdexcept>
#include <vector>

namespace limber::test {

/// The basis of Barbic & James 2005, Figure 7 (right): two twist modes of a beam and their derivatives.
struct TwistBasis {
  Matrix basis;                ///< dofs x 5, mass-orthonormal: Psi_a, Psi_b, Phi_aa, Phi_ab, Phi_bb
  std::array<Index, 2> modes;  ///< numbers of the twist modes a < b
  Vector eigenvalues;          ///< of these, 2
  Matrix shapes;               ///< Psi_a, Psi_b
  Matrix derivatives;          ///< Phi_aa, Phi_ab, Phi_bb
  double length = 0.0;         ///< of the beam, along x
};

/// Share of a mode's (kinetic) energy in rotations of the sections about the x axis through `centre`: 1 for
/// pure twist. twists: fields x^k e_x x r, k = 0 to 6, mass-orthonormal.
inline Matrix twist_fields(const FullModel& model, const Vector3& centre, double length) {
  constexpr int powers = 7;
  Matrix fields(model.dof_count(), powers);
  Index row = 0;
  for (const int v : model.dofs().free_vertices()) {
    const Vector3 x = model.mesh().vertices.col(v) - centre;
    const Vector3 turn = Vector3::UnitX().cross(x);
    for (int k = 0; k < powers; ++k) fields.block<3, 1>(row, k) = std::pow(x.x() / length, k) * turn;
    row += 3;
  }
  return mass_orthonormalize(fields, model.mass()).Q;
}

/// Of a beam along x that is held at one end. Looks among the lowest 30 modes.
inline TwistBasis make_twist_basis(const FullModel& model) {
  const BoundingBox box = bounding_box(model.mesh());
  TwistBasis twist;
  twist.length = box.max.x() - box.min.x();
  RestStiffness rest(model);
  const LinearModes modes = compute_linear_modes(rest, 30);
  const Matrix fields = twist_fields(model, 0.5 * (box.min + box.max), twist.length);
  const Matrix shares = fields.transpose() * (model.mass() * modes.shapes);
  std::vector<Index> found;
  for (Index i = 0; i < modes.shapes.cols() && found.size() < 2; ++i) {
    if (shares.col(i).squaredNorm() > 0.5) found.push_back(i);
  }
  if (found.size() < 2) throw std::runtime_error("fewer than two twist modes among the lowest 30");
  twist.modes = {found[0], found[1]};
  twist.eigenvalues = modes.eigenvalues(found);
  twist.shapes = modes.shapes(Eigen::all, found);
  twist.derivatives = compute_modal_derivatives(rest, twist.shapes).shapes;
  Matrix all(model.dof_count(), 5);
  all << twist.shapes, twist.derivatives;
  twist.basis = mass_orthonormalize(all, model.mass()).Q;
  return twist;
}

}  // namespace limber::test
