#include "limber/reduced/reduced_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/halving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace limber {

static_assert(DynamicSystem<ReducedSystem>);

namespace {

/// Smallest eigenvalue of a factored matrix as a share of its largest: below it, rounding decides the sign.
constexpr double smallest_eigenvalue = 1e-10;

/// Smallest eigenvalue as a share of the inertia in the matrix, which no body that pushes back could fall below.
constexpr double smallest_inertia = 0.1;

}  // namespace

ReducedSystem::ReducedSystem(const ReducedEquations& equations, const RayleighDamping& damping)
    : equations_(&equations), damping_(damping) {
  require(std::isfinite(damping.mass) && damping.mass >= 0.0 && std::isfinite(damping.stiffness) &&
              damping.stiffness >= 0.0,
          "Rayleigh damping is alpha = {}, beta = {}; expected finite numbers of at least 0", damping.mass,
          damping.stiffness);
  set_equations(equations);
}

void ReducedSystem::set_equations(const ReducedEquations& equations) {
  const Index r = equations.rank;
  require(r >= 1 && equations.elastic.rank() == r && equations.mass.rows() == r && equations.mass.cols() == r,
          "reduced equations of rank {} with a polynomial of rank {} and a mass of {} x {}", r,
          equations.elastic.rank(), equations.mass.rows(), equations.mass.cols());
  const bool unit_mass = equations.mass.isIdentity(0.0);
  double least_mass = 1.0;
  Eigen::LLT<Matrix> mass_factor(Matrix::Identity(1, 1));
  if (!unit_mass) {
    mass_factor.compute(equations.mass);
    least_mass = equations.mass.selfadjointView<Eigen::Lower>().eigenvalues()(0);
    require(mass_factor.info() == Eigen::Success && least_mass > 0.0,
            "the mass of the reduced equations is not positive definite");
  }
  equations_ = &equations;
  unit_mass_ = unit_mass;
  least_mass_ = least_mass;
  mass_factor_ = std::move(mass_factor);
  force_.resize(r);
  stiffness_.resize(r, r);
  rest_stiffness_.resize(r, r);
  probe_force_.resize(r);
  probe_stiffness_.resize(r, r);

  // K(q) = K0 + K1 q + K2 q q. The even part along one direction d tells where K2 d d s^2 becomes as large as K0.
  probe_ = Vector::Constant(r, 1.0 / std::sqrt(static_cast<double>(r)));
  equations.elastic.evaluate(probe_, work_, probe_force_, probe_stiffness_);
  matrix_ = probe_stiffness_;
  equations.elastic.evaluate(-probe_, work_, probe_force_, probe_stiffness_);
  matrix_ += probe_stiffness_;
  q_ = Vector::Zero(r);
  evaluate(q_);
  rest_stiffness_ = stiffness_;
  rest_norm_ = rest_stiffness_.norm();
  reach_ = std::sqrt(rest_norm_ / (0.5 * matrix_ - rest_stiffness_).norm());
  if (!(std::isfinite(reach_) && reach_ > 0.0)) reach_ = 1.0;
}

void ReducedSystem::evaluate(const Vector& q) {
  q_ = q;
  energy_ = equations_->elastic.evaluate(q, work_, force_, stiffness_);
}

void ReducedSystem::evaluate_force(const Vector& q) {
  if (damps_locally()) return evaluate(q);  // D needs K
  q_ = q;
  energy_ = equations_->elastic.evaluate_force(q, work_, force_);
}

double ReducedSystem::force_rounding() const {
  // The force is a sum of terms like K_ij q_j, each rounded on its own.
  return 8.0 * std::numeric_limits<double>::epsilon() * std::max(rest_norm_, stiffness_.norm()) * q_.norm();
}

void ReducedSystem::multiply_mass(const Vector& x, Vector& y) const {
  if (unit_mass_) {
    y = x;
  } else {
    y.noalias() = equations_->mass * x;
  }
}

void ReducedSystem::multiply_damping(const Vector& x, Vector& y) const {
  if (damping_.mass > 0.0) {
    multiply_mass(x, y);
    y *= damping_.mass;
  } else {
    y.setZero(x.size());
  }
  if (damping_.stiffness > 0.0) {
    y.noalias() += damping_.stiffness * (damps_locally() ? stiffness_ : rest_stiffness_) * x;
  }
}

SolveReport ReducedSystem::solve_mass(const Vector& b, Vector& x) {
  x = b;
  if (!unit_mass_) mass_factor_.solveInPlace(x);
  return {x.allFinite() ? SolveStatus::converged : SolveStatus::not_finite, 0, 0.0};
}

void ReducedSystem::combine(double mass, double damping, double stiffness, const Vector& v) {
  const double on_mass = mass + damping * damping_.mass;
  const bool local = damps_locally();
  matrix_ = (stiffness + (local ? damping * damping_.stiffness : 0.0)) * stiffness_;
  if (unit_mass_) {
    matrix_.diagonal().array() += on_mass;
  } else {
    matrix_ += on_mass * equations_->mass;
  }
  if (local && exact_damping) add_damping_derivative(stiffness * damping_.stiffness, v);
  if (!local && damping_.stiffness > 0.0) matrix_ += damping * damping_.stiffness * rest_stiffness_;
}

/// matrix_ += factor * d(K(q) v)/dq. K is a quadratic polynomial in q and its third derivatives of W are symmetric, so
/// the difference (K(q + s v) - K(q - s v)) / (2 s) is exact for any s; one that moves q by as much as changes
/// K by its own size loses no digits.
void ReducedSystem::add_damping_derivative(double factor, const Vector& v) {
  const double speed = v.norm();
  if (!(speed > 0.0) || factor == 0.0) return;
  const double s = std::max(reach_, q_.norm()) / speed;
  for (const double sign : {1.0, -1.0}) {
    probe_ = q_ + sign * s * v;
    equations_->elastic.evaluate(probe_, work_, probe_force_, probe_stiffness_);
    matrix_ += (0.5 * sign * factor / s) * probe_stiffness_;
  }
}

SolveReport ReducedSystem::factor(double mass, double damping, double stiffness, const Vector& v) {
  combine(mass, damping, stiffness, v);
  factor_.compute(matrix_);
  // A pivot that is no number makes all later ones so, without LLT noticing.
  indefinite_ = factor_.info() != Eigen::Success || !std::isfinite(factor_.matrixLLT().diagonal().sum());
  if (!indefinite_) return {};
  if (!matrix_.allFinite()) return {SolveStatus::not_finite, 0, 0.0};
  const bool found = absolute_.compute(matrix_, smallest_inertia * mass * least_mass_, smallest_eigenvalue);
  return {found ? SolveStatus::converged : SolveStatus::not_positive_definite, 0, 0.0};
}

SolveReport ReducedSystem::solve(const Vector& b, Vector& x) {
  if (indefinite_) {
    absolute_.solve(b, x);
  } else {
    x = b;
    factor_.solveInPlace(x);
  }
  return {x.allFinite() ? SolveStatus::converged : SolveStatus::not_finite, 0, 0.0};
}

DynamicState make_reduced_state(Index rank) {
  return {0.0, Vector::Zero(rank), Vector::Zero(rank), Vector::Zero(rank)};
}

namespace {

void check_sizes(Index rank, const Vector& f_ext, const DynamicState& state) {
  require(state.u.size() == rank && state.v.size() == rank && state.a.size() == rank,
          "the state has {} displacements, {} velocities and {} accelerations, the reduced equations need {}",
          state.u.size(), state.v.size(), state.a.size(), rank);
  require(f_ext.size() == rank, "the reduced force has {} entries, the reduced equations need {}",
          f_ext.size(), rank);
}

}  // namespace

SolveReport step(ReducedWorkspace& work, double h, const Vector& f_ext, DynamicState& state,
                 const ReducedStepOptions& options) {
  check_sizes(work.system.size(), f_ext, state);
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected more than 0", h);
  if (options.integrator == Integrator::central_differences) {
    return central_differences_step(work.system, h, f_ext, state, work.central);
  }
  require(options.newmark.beta > 0.0, "Newmark's beta is {}, expected more than 0", options.newmark.beta);
  work.system.exact_damping = options.newmark.max_iterations > 1;
  if (!work.system.exact_damping) {
    return newmark_step(work.system, h, f_ext, state, work.newmark, options.newmark);
  }
  work.start = state;
  const auto advance = [&](double part) {
    return newmark_step(work.system, part, f_ext, state, work.newmark, options.newmark);
  };
  const SolveReport report = step_by_halves(advance, h, options.max_halvings);
  if (report.ok()) {
    state.time = work.start.time + h;
  } else {
    std::swap(state, work.start);
  }
  return report;
}

SolveReport balance(ReducedWorkspace& work, const Vector& f_ext, DynamicState& state) {
  check_sizes(work.system.size(), f_ext, state);
  CentralDifferencesWorkspace& memory = work.central;
  work.system.evaluate_force(state.u);
  work.system.multiply_damping(state.v, memory.product);
  memory.residual = f_ext - work.system.force() - memory.product;
  const SolveReport report = work.system.solve_mass(memory.residual, memory.acceleration);
  if (report.ok()) state.a = memory.acceleration;
  return report;
}

double total_energy(ReducedWorkspace& work, const DynamicState& state) {
  work.system.evaluate_force(state.u);
  work.system.multiply_mass(state.v, work.central.product);
  return work.system.elastic_energy() + 0.5 * state.v.dot(work.central.product);
}

double critical_timestep(const ReducedEquations& equations, const RayleighDamping& damping) {
  const double omega = 2.0 * std::numbers::pi * natural_frequencies(equations).maxCoeff();
  if (omega == 0.0) return std::numeric_limits<double>::infinity();
  const double c = damping.mass + damping.stiffness * omega * omega;
  return (std::sqrt(c * c + 4.0 * omega * omega) - c) / (omega * omega);
}

}  // namespace limber
