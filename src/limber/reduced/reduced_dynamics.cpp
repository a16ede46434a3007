#include "limber/reduced/reduced_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/halving.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace limber {

static_assert(DynamicSystem<ReducedSystem>);

namespace {

/// Smallest eigenvalue as a share of the inertia in the matrix, which no body that pushes back could fall
/// below.
constexpr double smallest_inertia = 0.1;

// Steps of differences as shares of the length over which the force bends (scale_of_change). The force is
// rounded at about 1e-16 |K| times that length, so that a step of share s has a rounding error of 1e-16 / s
// and a truncation error of s (one-sided) or s^2 (central), both as shares of |K| |p|.

/// Of one-sided differences. 1e-8 would balance the two errors of the stiffest directions. Directions up to
/// 1e6 times softer matter as much; for these 1e-6 leaves 1e-4 of K p to rounding, below the tolerance of
/// conjugate gradients.
constexpr double forward_share = 1e-6;

/// Of central differences: both errors are 1e-10 or less.
constexpr double central_share = 1e-5;

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
          "reduced equations of rank {} with forces of rank {} and a mass of {} x {}", r,
          equations.elastic.rank(), equations.mass.rows(), equations.mass.cols());
  const bool unit_mass = equations.mass.isIdentity(0.0);
  double least_mass = 1.0;
  Cholesky mass_factor;
  if (!unit_mass) {
    mass_factor.compute(equations.mass);
    least_mass = symmetric_eigenvalues(equations.mass).values(0);
    require(mass_factor.ok() && least_mass > 0.0,
            "the mass of the reduced equations is not positive definite");
  }
  equations_ = &equations;
  unit_mass_ = unit_mass;
  least_mass_ = least_mass;
  mass_factor_ = std::move(mass_factor);
  for (Vector* vector : {&force_, &scratch_.q, &scratch_.force, &tangent_.base_force}) vector->resize(r);
  for (Matrix* matrix : {&stiffness_, &rest_stiffness_, &scratch_.stiffness}) matrix->resize(r, r);
  preconditioned_.fill(-1.0);
  springs_ = {};
  sum_.spring_energy = 0.0;

  q_ = Vector::Zero(r);
  energy_ = equations.elastic.evaluate(q_, scratch_.elastic, force_, stiffness_);
  stiffness_current_ = true;
  rest_stiffness_ = stiffness_;
  rest_norm_ = rest_stiffness_.norm();
  if (const Cubature* cubature = equations.elastic.cubature()) {
    reach_ = cubature->reach();
  } else {
    // K(q) = K0 + K1 q + K2 q q. The even part along one direction d tells where K2 d d s^2 becomes as large
    // as K0.
    matrix_ = -rest_stiffness_;
    for (const double sign : {1.0, -1.0}) {
      scratch_.q = Vector::Constant(r, sign / std::sqrt(static_cast<double>(r)));
      equations.elastic.evaluate(scratch_.q, scratch_.elastic, scratch_.force, scratch_.stiffness);
      matrix_ += 0.5 * scratch_.stiffness;
    }
    reach_ = std::sqrt(rest_norm_ / matrix_.norm());
  }
  if (!(std::isfinite(reach_) && reach_ > 0.0)) reach_ = 1.0;
}

void ReducedSystem::evaluate(const Vector& q) {
  if (matrix_free()) return evaluate_force(q);
  if (stiffness_current_ && q == q_) return;
  q_ = q;
  stiffness_current_ = true;
  scratch_.damping_rounding = 0.0;
  energy_ = equations_->elastic.evaluate(q, scratch_.elastic, force_, stiffness_);
  if (!springs_.empty()) add_springs(true);
}

void ReducedSystem::evaluate_force(const Vector& q) {
  if (damps_locally() && !matrix_free()) return evaluate(q);  // D needs K
  if (q == q_) return;
  q_ = q;
  stiffness_current_ = false;
  scratch_.damping_rounding = 0.0;
  energy_ = equations_->elastic.evaluate_force(q, scratch_.elastic, force_);
  if (!springs_.empty()) add_springs(false);
}

void ReducedSystem::take_forces_of_energy(bool on) {
  if (conservative()) return;
  scratch_.elastic.cubature.forces_of_energy = on;
  scratch_.q = q_;
  q_.setConstant(std::numeric_limits<double>::quiet_NaN());  // of what was evaluated, nothing holds any more
  evaluate(scratch_.q);
}

void ReducedSystem::set_springs(std::vector<ReducedSpring> springs) {
  ReducedSprings next(std::move(springs), size());
  // A hand that moves changes the anchor alone, and the preconditioner stays.
  const bool moved = !next.empty() && !springs_.empty() && next.stiffness() == springs_.stiffness();
  if (!moved) preconditioned_.fill(-1.0);
  springs_ = std::move(next);
  sum_.spring_energy = 0.0;
  if (!springs_.empty()) add_springs(true);
}

void ReducedSystem::set_anchors(const Matrix3X& anchors) {
  for (Index i = 0; i < anchors.cols(); ++i) springs_.set_anchor(i, anchors.col(i));
  if (!springs_.empty()) add_springs(false);
}

void ReducedSystem::add_springs(bool with_stiffness) {
  sum_.force = force_;
  sum_.spring_energy = springs_.add_force(q_, sum_.force);
  if (with_stiffness) sum_.stiffness = stiffness_ + springs_.stiffness();
}

double ReducedSystem::force_rounding() const {
  return elastic_rounding() + scratch_.damping_rounding + springs_.rounding(q_).force;
}

/// The force is a sum of terms like K_ij q_j, each rounded on its own.
double ReducedSystem::elastic_rounding() const {
  const double stiffness = matrix_free() ? rest_norm_ : std::max(rest_norm_, stiffness_.norm());
  return 8.0 * std::numeric_limits<double>::epsilon() * stiffness * rounded_size();
}

/// |q| whose forces are as large as those that are rounded: with cubature the stresses are taken at I + G q,
/// and I is rounded too.
double ReducedSystem::rounded_size() const {
  return q_.norm() + (equations_->elastic.cubature() != nullptr ? reach_ : 0.0);
}

double ReducedSystem::energy_rounding() const {
  // With cubature the energy is a sum of densities, each rounded at the size of the moduli or at its own.
  const Cubature* const cubature = equations_->elastic.cubature();
  const double elastic = cubature != nullptr
                             ? std::numeric_limits<double>::epsilon() * cubature->unit_energy()
                             : elastic_rounding() * rounded_size();
  return elastic + springs_.rounding(q_).energy +
         16.0 * std::numeric_limits<double>::epsilon() * (std::abs(energy_) + sum_.spring_energy);
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
  if (damping_.stiffness == 0.0) return;
  if (damps_locally() && matrix_free()) {
    add_stiffness_product(damping_.stiffness, x, y);
    const double step = (exact_damping ? central_share : forward_share) * scale_of_change();
    scratch_.damping_rounding = damping_.stiffness * elastic_rounding() * x.norm() / step;
  } else {
    y.noalias() += damping_.stiffness * (damps_locally() ? stiffness_ : rest_stiffness_) * x;
  }
}

void ReducedSystem::multiply_stiffness(const Vector& x, Vector& y) const {
  if (matrix_free()) {
    y.setZero(x.size());
    add_stiffness_product(1.0, x, y);
  } else {
    y.noalias() = stiffness_ * x;
  }
  springs_.add_product(1.0, x, y);
}

void ReducedSystem::multiply_force_derivative(const Vector& x, Vector& y) const {
  y.setZero(x.size());
  add_derivative(q_, force_, 1.0, x, y);
  springs_.add_product(1.0, x, y);
}

/// |q| over which the force bends: a polynomial far from rest is bent as strongly as its argument is large;
/// stresses do not care how far q is, and the gradients of the displacement never change by 1 within the
/// reach.
double ReducedSystem::scale_of_change() const {
  return equations_->elastic.cubature() != nullptr ? reach_ : std::max(reach_, q_.norm());
}

/// y += factor * Df(q)[p], `force` being f(q), by a one-sided difference.   [Yang et al. 2015, Eq. 15-16]
void ReducedSystem::add_derivative(const Vector& q, const Vector& force, double factor, const Vector& p,
                                   Vector& y) const {
  const double size = p.norm();
  if (size == 0.0) return;
  const double e = forward_share * scale_of_change() / size;
  scratch_.q = q + e * p;
  equations_->elastic.evaluate_force(scratch_.q, scratch_.elastic, scratch_.force);
  y += (factor / e) * (scratch_.force - force);
}

/// y += factor * K(q) p where K is not evaluated. A residual that is iterated away must be exact to more
/// digits than the direction of a linearised step: a central difference for it.
void ReducedSystem::add_stiffness_product(double factor, const Vector& p, Vector& y) const {
  if (!exact_damping) return add_derivative(q_, force_, factor, p, y);
  const double size = p.norm();
  if (size == 0.0) return;
  const double e = central_share * scale_of_change() / size;
  for (const double sign : {1.0, -1.0}) {
    scratch_.q = q_ + sign * e * p;
    equations_->elastic.evaluate_force(scratch_.q, scratch_.elastic, scratch_.force);
    y += (0.5 * sign * factor / e) * scratch_.force;
  }
}

SolveReport ReducedSystem::solve_mass(const Vector& b, Vector& x) {
  x = b;
  if (!unit_mass_) mass_factor_.solve_in_place(x);
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
  if (!springs_.empty()) matrix_ += springs_.stiffness();
  if (local && exact_damping) add_damping_derivative(stiffness * damping_.stiffness, v);
  if (!local && damping_.stiffness > 0.0) matrix_ += damping * damping_.stiffness * rest_stiffness_;
}

/// matrix_ += factor * d(K(q) v)/dq, by the difference (K(q + s v) - K(q - s v)) / (2 s): third derivatives
/// of W are symmetric. For a polynomial K is quadratic in q and the difference exact for any s; one that
/// moves q by as much as changes K by its own size loses no digits. For others the step is that of a central
/// difference.
void ReducedSystem::add_damping_derivative(double factor, const Vector& v) {
  const double speed = v.norm();
  if (!(speed > 0.0) || factor == 0.0) return;
  const double share = equations_->elastic.cubature() != nullptr ? central_share : 1.0;
  const double s = share * scale_of_change() / speed;
  for (const double sign : {1.0, -1.0}) {
    scratch_.q = q_ + sign * s * v;
    equations_->elastic.evaluate(scratch_.q, scratch_.elastic, scratch_.force, scratch_.stiffness);
    matrix_ += (0.5 * sign * factor / s) * scratch_.stiffness;
  }
}

SolveReport ReducedSystem::factor(double mass, double damping, double stiffness, const Vector& v) {
  if (matrix_free()) return prepare_products(mass, damping, stiffness, v);
  combine(mass, damping, stiffness, v);
  return factor_.compute(matrix_, smallest_inertia * mass * least_mass_);
}

SolveReport ReducedSystem::solve(const Vector& b, Vector& x) {
  if (matrix_free()) return solve_by_products(b, x);
  factor_.solve(b, x);
  return {x.allFinite() ? SolveStatus::converged : SolveStatus::not_finite, 0, 0.0};
}

SolveReport ReducedSystem::solve_by_products(const Vector& b, Vector& x) {
  const auto multiply = [this](const Vector& p, Vector& y) { multiply_tangent(p, y); };
  const SolveReport report = conjugate_gradient(multiply, preconditioner_, tangent_.floor, b, x,
                                                conjugate_gradient_work_, conjugate_gradient_options);
  ConjugateGradientCount& count = conjugate_gradient_count;
  ++count.solves;
  count.iterations += report.iterations;
  count.unfinished += report.residual > conjugate_gradient_options.tolerance ? 1 : 0;
  count.most = std::max(count.most, report.iterations);
  return report;
}

/// Sets the matrix of multiply_tangent and factors its preconditioner, Eq. 17 of Yang et al. 2015, where it
/// is not at hand.
///
/// The derivative of local damping needs no differences of its own: with a = c3 + c2 beta and s = c3 beta /
/// a,
///
///   a K(q + s v) = c3 K + c2 beta K + c3 beta d(K v)/dq + O(s^2 |v|^2),
///
/// and s is less than c3 / c2: for Newmark a part of the step, so that q + s v is no farther off than where
/// the body goes.
SolveReport ReducedSystem::prepare_products(double mass, double damping, double stiffness, const Vector& v) {
  const bool local = damps_locally();
  const double damped = damping * damping_.stiffness;
  tangent_.mass = mass + damping * damping_.mass;
  tangent_.stiffness = stiffness + (local ? damped : 0.0);
  tangent_.rest = local ? 0.0 : damped;
  tangent_.floor = smallest_inertia * mass * least_mass_;
  if (local && exact_damping && tangent_.stiffness > 0.0) {
    tangent_.base = q_ + (stiffness * damping_.stiffness / tangent_.stiffness) * v;
    equations_->elastic.evaluate_force(tangent_.base, scratch_.elastic, tangent_.base_force);
  } else {
    tangent_.base = q_;
    tangent_.base_force = force_;
  }
  const std::array<double, 2> coefficients{tangent_.mass, stiffness + damped};
  if (coefficients == preconditioned_) return {};
  preconditioned_.fill(-1.0);
  matrix_ = coefficients[1] * rest_stiffness_ + tangent_.mass * equations_->mass;
  if (!springs_.empty()) matrix_ += springs_.stiffness();
  const SolveReport report = preconditioner_.compute(matrix_, tangent_.floor);
  if (report.ok()) preconditioned_ = coefficients;
  return report;
}

/// y = A p.                                                        [Yang et al. 2015, Eq. 14]
void ReducedSystem::multiply_tangent(const Vector& p, Vector& y) const {
  multiply_mass(p, y);
  y *= tangent_.mass;
  if (tangent_.rest > 0.0) y.noalias() += tangent_.rest * rest_stiffness_ * p;
  add_derivative(tangent_.base, tangent_.base_force, tangent_.stiffness, p, y);
  springs_.add_product(1.0, p, y);
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

SolveReport step_once(ReducedWorkspace& work, double h, const StepLoad& load, DynamicState& state,
                      const ReducedStepOptions& options, bool last) {
  check_sizes(work.system.size(), load.end, state);
  work.system.solver = options.solver;
  work.system.conjugate_gradient_options = options.conjugate_gradient;
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected more than 0", h);
  if (options.integrator == Integrator::central_differences) {
    return central_differences_step(work.system, h, load.end, state, work.central);
  }
  require(options.newmark.beta > 0.0, "Newmark's beta is {}, expected more than 0", options.newmark.beta);
  work.system.exact_damping = options.newmark.max_iterations > 1;
  return newmark_step(work.system, h, load, state, work.newmark, options.newmark,
                      last && options.last_resort ? Rescues::all : Rescues::gains);
}

SolveReport step(ReducedWorkspace& work, double h, const StepLoad& load, DynamicState& state,
                 const ReducedStepOptions& options) {
  if (options.integrator != Integrator::newmark || options.newmark.max_iterations <= 1)
    return step_once(work, h, load, state, options, true);
  work.start = state;
  const auto advance = [&](double part, bool last) {
    return step_once(work, part, load, state, options, last);
  };
  const SolveReport report = step_by_halves(advance, h, options.max_halvings);
  if (report.ok()) {
    state.time = work.start.time + h;
    if (work.start.changed || !load.stands_still()) forget_slack(state);
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
