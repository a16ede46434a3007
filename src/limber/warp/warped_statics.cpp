// Equilibrium of warped modes: K q = F(q), the modal load F of a body at rest. The load turns with the local frames, so that its
// derivative belongs to the stiffness:  d(R^T a) = R^T [a] R~ Psi dq, because R~ is the left Jacobian of the rotations.

#include "limber/base/error.hpp"
#include "limber/linalg/lu.hpp"
#include "limber/warp/rotation.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

constexpr int max_halvings = 10;
constexpr double sufficient_decrease = 1e-4;
constexpr double least_load_step = 1.0 / 256.0;  ///< share of the load below which a way to it is given up

}  // namespace

/// dF/dq at v = 0, m x m.
Matrix WarpedDynamics::load_derivative(const Vector& q) const {
  const Index modes = equations_.modes(), lumps = equations_.lumps();
  Matrix result = Matrix::Zero(modes, modes);
  const Vector3& spin = frame_.angular_velocity;
  const Matrix3 field =
      -(cross_matrix(frame_.angular_acceleration) + cross_matrix(spin) * cross_matrix(spin));
  const bool turns = !spin.isZero(0.0) || !frame_.angular_acceleration.isZero(0.0);
  Matrix forces(3 * lumps, modes);
  WarpSite site;
  for (Index i = 0; i < lumps; ++i) {
    site.shape = equations_.moments.middleRows<3>(3 * i) / equations_.lump_mass(i);
    site.turn = equations_.rotations.middleRows<3>(3 * i);
    if (!options_.warp) site.turn.setZero();
    const Vector3 w = site.turn * q;
    Vector3 a = gravity_ - frame_.acceleration;
    Matrix3X change = Matrix3X::Zero(3, modes);
    if (turns) {
      a += field * (equations_.centers.col(i) + site.displacement(q));
      change = field * site.derivative(q);
    }
    change += cross_matrix(a) * mean_rotation(w) * site.turn;
    forces.middleRows<3>(3 * i) = rotation_matrix(w).transpose() * change;
  }
  result.noalias() += equations_.moments.transpose() * forces;
  if (!options_.warp) return result;
  for (const SiteForce& one : forces_) {
    const Vector3 w = one.site.turn * q;
    result += one.site.shape.transpose() * rotation_matrix(w).transpose() * cross_matrix(one.force) *
              mean_rotation(w) * one.site.turn;
  }
  return result;
}

/// Newton's method for K q = share F(q), with a line search on the residual. q: start on entry, the best point on return.
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
    for (int k = 0; k < max_halvings && !accepted; ++k, length *= 0.5) {
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
  return report;
}

}  // namespace limber
