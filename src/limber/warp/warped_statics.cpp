// Equilibrium of warped modes: K q = F(q), the modal load F of a body at rest. The load J^T a changes with J,
// so that its derivative belongs to the stiffness.

#include "limber/base/error.hpp"
#include "limber/linalg/lu.hpp"
#include "limber/warp/rotation.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

constexpr int max_search_halvings = 10;
constexpr double sufficient_decrease = 1e-4;
constexpr double least_load_step = 1.0 / 256.0;  ///< share of the load below which a way to it is given up

}  // namespace

/// dF/dq at v = 0, m x m.
Matrix WarpedDynamics::load_derivative(const Vector& q) const {
  const Index modes = equations_.modes(), lumps = equations_.lumps();
  Matrix result = Matrix::Zero(modes, modes);
  // weight (J^T field J + d(J^T a)/dq) of a place that is accelerated by a. By the gradient of a . R~(w) y,
  // with y = shape q and w = turn q.
  const auto add = [&](const WarpSite& site, double weight, const Matrix3& field, const Vector3& a) {
    if (!field.isZero(0.0)) {
      const Matrix3X J = site.derivative(q);
      result.noalias() += weight * (J.transpose() * (field * J));
    }
    if (!options_.warp) return;
    const Vector3 w = site.turn * q;
    const Matrix3 mixed = -weight * mean_rotation_derivative(-w, a);  // d(R~(w)^T a)/dw
    const Matrix3 curvature = weight * mean_rotation_curvature(w, site.shape * q, a);
    const Matrix3X by_shape = mixed * site.turn;
    result.noalias() += site.shape.transpose() * by_shape + by_shape.transpose() * site.shape;
    result.noalias() += site.turn.transpose() * (curvature * site.turn);
  };
  const Vector3& spin = frame_.angular_velocity;
  const Matrix3 field =
      -(cross_matrix(frame_.angular_acceleration) + cross_matrix(spin) * cross_matrix(spin));
  WarpSite site;
  for (Index i = 0; i < lumps; ++i) {
    const double mass = equations_.lump_mass(i);
    site.shape = equations_.moments.middleRows<3>(3 * i) / mass;
    site.turn = equations_.rotations.middleRows<3>(3 * i);
    if (!options_.warp) site.turn.setZero();
    const Vector3 place = equations_.centers.col(i) + site.displacement(q);
    add(site, mass, field, gravity_ - frame_.acceleration + field * place);
  }
  for (const SiteForce& one : forces_) add(one.site, 1.0, Matrix3::Zero(), one.force);
  return result;
}

/// Newton's method for K q = share F(q), with a line search on the residual. q: start on entry, the best
/// point on return.
SolveReport WarpedDynamics::balance(double share, double tolerance, int limit, Vector& q) const {
  const Vector still = Vector::Zero(q.size());
  Vector load, next, next_residual;
  double scale = 0.0;
  const auto residual = [&](const Vector& at, Vector& r) {
    loads(at, still, load);
    r = equations_.stiffness.cwiseProduct(at);
    scale = std::max(r.norm(), share * load.norm());
    r -= share * load;
  };
  Vector r;
  residual(q, r);
  for (int i = 0;; ++i) {
    const double size = r.norm();
    const double relative = scale > 0.0 ? size / scale : 0.0;
    if (!std::isfinite(relative)) return {SolveStatus::not_finite, i, relative};
    if (relative <= tolerance) return {SolveStatus::converged, i, relative};
    if (i >= limit) return {SolveStatus::not_converged, i, relative};
    Matrix tangent = -share * load_derivative(q);
    tangent.diagonal() += equations_.stiffness;
    const Vector direction = solve_general(tangent, r);
    double length = 1.0;
    bool accepted = false;
    for (int k = 0; k < max_search_halvings && !accepted; ++k, length *= 0.5) {
      next = q - length * direction;
      residual(next, next_residual);
      accepted = next_residual.norm() <= (1.0 - sufficient_decrease * length) * size;
    }
    if (!accepted) return {SolveStatus::not_converged, i + 1, relative};
    q.swap(next);
    r.swap(next_residual);
  }
}

SolveReport WarpedDynamics::solve_static(double tolerance, int max_iterations) {
  require(std::isfinite(tolerance) && tolerance > 0.0, "a tolerance of {}, expected a positive number",
          tolerance);
  Vector q = state_.q;
  SolveReport report = balance(1.0, tolerance, max_iterations, q);
  int iterations = report.iterations;
  if (!report.ok()) {
    // From rest, by shares of the load that are as large as Newton's method takes.
    double reached = 0.0, step = 0.25;
    q.setZero();
    while (reached < 1.0 && step >= least_load_step && iterations < max_iterations) {
      const double share = std::min(1.0, reached + step);
      Vector next = q;
      report = balance(share, tolerance, std::min(20, max_iterations - iterations), next);
      iterations += report.iterations;
      if (report.ok()) {
        q = next;
        reached = share;
        step *= 2.0;
      } else {
        step *= 0.5;
      }
    }
    if (report.ok() && reached < 1.0) report.status = SolveStatus::not_converged;
  }
  report.iterations = iterations;
  if (!report.ok()) return report;
  state_.q = q;
  state_.v.setZero();
  loads_change();
  return report;
}

}  // namespace limber
