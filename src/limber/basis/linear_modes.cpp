#include "limber/basis/linear_modes.hpp"

#include "limber/base/error.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber {
namespace {

/// Where K is singular, K + s M is factored with s this small a share of the largest K_ii / M_ii: far above
/// rounding, and low enough that the lowest modes stay well apart.
constexpr double shift_share = 1e-7;

double singular_shift(const SparseMatrix& K, const SparseMatrix& M) {
  return -shift_share * (K.diagonal().array() / M.diagonal().array()).maxCoeff();
}

}  // namespace

LinearModes compute_linear_modes(const FullModel& model, int count, const LinearModesOptions& options) {
  require(count >= 1 && count <= model.dof_count(), "{} modes asked for, the model has {} unknowns", count,
          model.dof_count());
  SparseMatrix K = model.stiffness(Vector::Zero(model.dof_count()));
  const auto solver = make_sparse_solver({.threads = model.executor().threads()});
  double shift = 0.0;
  if (!solver->factor(K).ok() || solver->reciprocal_condition() < 1e-13) {
    shift = singular_shift(K, model.mass());
    K.coeffs() -= shift * model.mass().coeffs();
    const SolveReport factored = solver->factor(K);
    require(factored.ok(), "the stiffness cannot be factored ({}): is the material stable at rest?",
            name_of(factored.status));
  }
  EigenResult eigen =
      lowest_eigenpairs(*solver, model.mass(), count, shift, rigid_motions(model), options.eigen);
  LinearModes modes{std::move(eigen.values), {}, std::move(eigen.vectors), eigen.report};
  modes.frequencies_hz = modes.eigenvalues.cwiseMax(0.0).cwiseSqrt() / (2.0 * std::numbers::pi);
  return modes;
}

Matrix rigid_motions(const FullModel& model) {
  const Vector3 centre = model.mesh().vertices * model.vertex_masses() / model.vertex_masses().sum();
  Matrix motions(model.dof_count(), 6);
  Index row = 0;
  for (const int v : model.dofs().free_vertices()) {
    const Vector3 x = model.mesh().vertices.col(v) - centre;
    motions.block<3, 3>(row, 0).setIdentity();
    for (int axis = 0; axis < 3; ++axis) motions.block<3, 1>(row, 3 + axis) = Vector3::Unit(axis).cross(x);
    row += 3;
  }
  return motions;
}

}  // namespace limber
