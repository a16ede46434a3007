#include "limber/full/dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/integrators/halving.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

static_assert(DynamicSystem<FullSystem>);

FullSystem::FullSystem(const FullModel& model, const RayleighDamping& damping, SparseSolverKind solver)
    : model_(model),
      damping_(damping),
      solver_(make_sparse_solver({.kind = solver, .threads = model.executor().threads()})),
      K_(model.pattern()),
      matrix_(model.pattern()) {
  const Matrix3X& X = model.mesh().vertices;
  extent_ = (X.rowwise().maxCoeff() - X.rowwise().minCoeff()).norm();
  if (damping.stiffness > 0.0 && damping.kind == RayleighDamping::Stiffness::linear) {
    rest_stiffness_ = model.stiffness(Vector::Zero(model.dof_count()));
  } else if (is_free(model)) {  // linear damping takes momentum from a body that turns
    flight_.emplace(model);
  }
}

void FullSystem::evaluate(const Vector& u) {
  if (stiffness_current_ && u == u_) return;
  u_ = u;
  energy_.reset();
  stiffness_current_ = true;
  model_.force_and_stiffness(u, force_, K_);
}

void FullSystem::evaluate_force(const Vector& u) {
  const bool damping_needs_stiffness =
      damping_.stiffness > 0.0 && damping_.kind == RayleighDamping::Stiffness::local;
  if (damping_needs_stiffness) return evaluate(u);
  if (u.size() == u_.size() && u == u_) return;
  u_ = u;
  energy_.reset();
  stiffness_current_ = false;
  model_.internal_force(u, force_);
}

/// Far from where it began a body has fewer digits left for its strain.
double FullSystem::distance() const { return std::max(1.0, u_.lpNorm<Eigen::Infinity>() / extent_); }

double FullSystem::elastic_energy() const {
  if (!energy_) energy_ = model_.energy(u_);
  return *energy_;
}

void FullSystem::set_start_torque(const Vector& f_ext, double share) {
  if (!flight_) return;
  start_torque_ = flight_->torque(u_, f_ext);
  start_share_ = share;
}

void FullSystem::settle(double h, const Vector& f_ext, const DynamicState& start, DynamicState& end) const {
  if (!flight_) return;
  const Vector3 before = flight_->angular_momentum(start.u, start.v);
  const Vector3 torque = start_share_ * start_torque_ + (1.0 - start_share_) * flight_->torque(end.u, f_ext);
  // Damping in proportion to mass, as Newmark's method takes it.
  const double kept = 1.0 - start_share_ * h * damping_.mass,
               over = 1.0 + (1.0 - start_share_) * h * damping_.mass;
  flight_->set_angular_momentum(end.u, (kept * before + h * torque) / over, end.v);
}

void FullSystem::multiply_damping(const Vector& x, Vector& y) const {
  y.setZero(x.size());
  if (damping_.mass > 0.0) y.noalias() += damping_.mass * (model_.mass() * x);
  if (damping_.stiffness > 0.0) {
    const bool linear = damping_.kind == RayleighDamping::Stiffness::linear;
    y.noalias() += damping_.stiffness * ((linear ? rest_stiffness_ : K_) * x);
  }
}

SolveReport FullSystem::solve_mass(const Vector& b, Vector& x) {
  if (!mass_solver_) {
    // The mass has the pattern of the stiffness; pruned, a lumped one factors in no time.
    SparseMatrix M = model_.mass();
    M.prune([](Index, Index, double value) { return value != 0.0; });
    auto solver = make_sparse_solver({.threads = model_.executor().threads()});
    const SolveReport factored = solver->factor(M);
    if (!factored.ok()) return factored;
    mass_solver_ = std::move(solver);
  }
  x.resize(b.size());
  return mass_solver_->solve(b, x);
}

void FullSystem::combine(double mass, double damping, double stiffness) {
  on_mass_ = mass + damping * damping_.mass;
  const bool linear = rest_stiffness_.nonZeros() > 0;
  const double on_stiffness = stiffness + (linear ? 0.0 : damping * damping_.stiffness);
  matrix_.coeffs() = on_mass_ * model_.mass().coeffs() + on_stiffness * K_.coeffs();
  if (linear) matrix_.coeffs() += damping * damping_.stiffness * rest_stiffness_.coeffs();
}

SolveReport FullSystem::factor(double mass, double damping, double stiffness, const Vector& v) {
  combine(mass, damping, stiffness);
  if (damping_.stiffness > 0.0 && damping_.kind == RayleighDamping::Stiffness::local) {
    if (damping_derivative_.nonZeros() == 0) damping_derivative_ = model_.pattern();
    model_.stiffness_derivative(u_, v, damping_derivative_);
    matrix_.coeffs() += stiffness * damping_.stiffness * damping_derivative_.coeffs();
  }
  SolveReport report = solver_->factor(matrix_);
  if (report.status != SolveStatus::not_positive_definite) return report;
  model_.force_and_stiffness(u_, force_, K_, Tangent::projected);
  combine(mass, damping, stiffness);
  report = solver_->factor(matrix_);
  model_.force_and_stiffness(u_, force_, K_);  // damping forces speak of the exact K
  return report;
}

/// Forces inside of a free body move it nowhere as a whole: that part of x is known. Where the mass is little
/// beside the stiffness (small stiff bodies in long steps), the solver would not only miss it: what it is off
/// by, as a share of the whole flight, would be strain.
SolveReport FullSystem::solve(const Vector& b, Vector& x) {
  x.resize(b.size());
  if (!flight_) return solver_->solve(b, x);
  Vector translation = Vector::Zero(b.size());
  flight_->set_linear_momentum(b.reshaped(3, b.size() / 3).rowwise().sum() / on_mass_, translation);
  const SolveReport report = solver_->solve(b - on_mass_ * (model_.mass() * translation), x);
  if (!report.ok()) return report;
  flight_->set_linear_momentum(Vector3::Zero(), x);
  x += translation;
  return report;
}

FullDynamics::FullDynamics(const FullModel& model, LoadFunction load, Vector u, Vector v,
                           const DynamicsOptions& options)
    : model_(model),
      load_(std::move(load)),
      options_(options),
      system_(model, options.damping, options.solver) {
  require(u.size() == model.dof_count() && v.size() == model.dof_count(),
          "start displacement and velocity have {} and {} entries, the model needs {} (3 per free vertex)",
          u.size(), v.size(), model.dof_count());
  require(options.newmark.beta > 0.0, "Newmark's beta is {}, expected more than 0", options.newmark.beta);
  state_ = {0.0, std::move(u), std::move(v), Vector()};
  f_ext_ = load_before_ = Vector::Zero(model.dof_count());
  const SolveReport report = balance(0.0);
  require(report.ok(), "the mass matrix cannot be factored ({})", name_of(report.status));
}

SolveReport FullDynamics::balance(double duration) {
  load_(0.0, duration, f_ext_);
  system_.evaluate(state_.u);
  Vector damping;
  system_.multiply_damping(state_.v, damping);
  return system_.solve_mass(f_ext_ - system_.force() - damping, state_.a);
}

SolveReport FullDynamics::step(double h) {
  require(h > 0.0, "the time step is {} s, expected more than 0", h);
  if (!started_) {  // only now is it known over which time the first force stands
    const SolveReport report = balance(0.5 * h);
    if (!report.ok()) return report;
    started_ = true;
  }
  if (options_.integrator == Integrator::newmark) return newmark(h);
  load_(state_.time + 0.5 * h, state_.time + 1.5 * h, f_ext_);
  return central_differences_step(system_, h, f_ext_, state_, central_work_);
}

SolveReport FullDynamics::newmark(double h) {
  const DynamicState start = state_;
  bool load_changes = false;
  const auto advance = [&](double part, bool last) {
    load_(std::max(0.0, state_.time - 0.5 * part), state_.time + 0.5 * part, load_before_);
    if (system_.free()) {
      system_.evaluate(state_.u);
      system_.set_start_torque(load_before_, 1.0 - options_.newmark.gamma);
    }
    load_(state_.time + 0.5 * part, state_.time + 1.5 * part, f_ext_);
    const StepLoad load = mean_load(f_ext_, options_.newmark, load_before_, state_);
    load_changes = load_changes || !load.stands_still();
    return newmark_step(system_, part, load, state_, newmark_work_, options_.newmark, last);
  };
  const SolveReport report = step_by_halves(advance, h, options_.max_halvings);
  if (report.ok()) {
    state_.time = start.time + h;
    if (load_changes) forget_slack(state_);
  } else {
    state_ = start;
  }
  return report;
}

double FullDynamics::energy() const {
  return 0.5 * state_.v.dot(model_.mass() * state_.v) + model_.energy(state_.u);
}

double critical_timestep(const FullModel& model, const RayleighDamping& damping) {
  FullSystem system(model, {});
  const SparseMatrix K = model.stiffness(Vector::Zero(model.dof_count()));
  Random random(1);
  Vector x(model.dof_count()), y, Mx;
  for (double& value : x) value = random.normal();
  double omega2 = 0.0;
  for (int iteration = 0; iteration < 300; ++iteration) {
    const double previous = omega2;
    const Vector Kx = K * x;
    system.multiply_mass(x, Mx);
    omega2 = x.dot(Kx) / x.dot(Mx);  // Rayleigh's quotient: never above the highest eigenvalue
    if (std::abs(omega2 - previous) < 1e-6 * omega2) break;
    if (!system.solve_mass(Kx, y).ok()) return 0.0;
    x = y / y.norm();
  }
  omega2 *= 1.06;
  const double c = damping.mass + damping.stiffness * omega2;
  return (std::sqrt(c * c + 4.0 * omega2) - c) / omega2;
}

}  // namespace limber
