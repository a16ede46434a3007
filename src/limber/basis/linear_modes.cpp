#include "limber/basis/linear_modes.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/mass_pca.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <numbers>

namespace limber {
namespace {

/// Directions rich in low modes: what remains of the six rigid motions beside those that cost no energy. Held
/// bodies answer to their inertia by their lowest modes.
Matrix start_directions(const RestStiffness& rest) {
  const Matrix& N = rest.rigid_modes();
  Matrix motions(N.rows(), N.cols() + 6);
  motions << N, rigid_motions(rest.model());
  const Matrix Q = mass_orthonormalize(motions, rest.model().mass(), 1e-9).Q;
  return Q.rightCols(Q.cols() - N.cols());
}

}  // namespace

LinearModes compute_linear_modes(RestStiffness& rest, Index count, const LinearModesOptions& options) {
  const FullModel& model = rest.model();
  require(count >= 1 && count <= model.dof_count(), "{} modes asked for, the model has {} unknowns", count,
          model.dof_count());
  const Matrix& N = rest.rigid_modes();
  LinearModes modes;
  modes.rigid = std::min(count, N.cols());
  modes.eigenvalues = Vector::Zero(count);
  modes.shapes.resize(model.dof_count(), count);
  modes.shapes.leftCols(modes.rigid) = N.leftCols(modes.rigid);
  if (const Index elastic = count - modes.rigid; elastic > 0) {
    EigenOptions eigen_options = options.eigen;
    eigen_options.executor = model.executor();
    const EigenResult eigen = lowest_eigenpairs(rest.solver(), model.mass(), static_cast<int>(elastic), 0.0,
                                                start_directions(rest), eigen_options);
    modes.report = eigen.report;
    if (eigen.values.size() == 0) return modes;
    modes.eigenvalues.tail(elastic) = eigen.values;
    modes.shapes.rightCols(elastic) = eigen.vectors;
    // Random directions that entered the iteration held rigid motions, of which rounding may be left.
    if (N.cols() > 0) modes.shapes.rightCols(elastic) -= N * (N.transpose() * (model.mass() * eigen.vectors));
  }
  modes.frequencies_hz = modes.eigenvalues.cwiseMax(0.0).cwiseSqrt() / (2.0 * std::numbers::pi);
  return modes;
}

LinearModes compute_linear_modes(const FullModel& model, Index count, const LinearModesOptions& options) {
  require(count >= 1 && count <= model.dof_count(), "{} modes asked for, the model has {} unknowns", count,
          model.dof_count());
  RestStiffness rest(model);
  return compute_linear_modes(rest, count, options);
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
