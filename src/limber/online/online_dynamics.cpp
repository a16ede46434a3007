#include "limber/online/online_dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/saved_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

constexpr int max_enrichments = 4;      ///< of one step, before the full model takes it
constexpr Index longest_audit_gap = 8;  ///< steps
constexpr double stale_share =
    0.3;  ///< of the largest displacement: farther away the stiffness is taken anew
constexpr double changed_share = 0.02;  ///< of a load, from one step to the next: more is looked at
constexpr double least_factor = 0.95;   ///< of the velocity, where an audit finds too much energy
constexpr int most_lowerings = 6;       ///< of the potential: each takes nearly all of what is too much
/// The predicted column counts as new if so much of it, as a share, is not in the basis.
constexpr double new_direction = 1e-3;

/// Whether they resist in the same way, whatever they pull towards.
bool same_resistance(const std::vector<FullSpring>& one, const std::vector<FullSpring>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const FullSpring& a, const FullSpring& b) {
                      return a.place == b.place && a.stiffness == b.stiffness;
                    });
}

/// The same state with coordinates of vectors that were added, zero.
void pad(DynamicState& state, Index rank) {
  for (Vector* x : {&state.u, &state.v, &state.a}) {
    const Index before = x->size();
    x->conservativeResize(rank);
    if (rank > before) x->tail(rank - before).setZero();
  }
}

/// A state of the full model as one of the subspace.
DynamicState into_subspace(const OnlineBasis& basis, const DynamicState& full) {
  return {full.time,
          basis.coordinates(full.u),
          basis.coordinates(full.v),
          basis.coordinates(full.a),
          full.slack,
          full.caution,
          full.changed};
}

/// And the other way round.
DynamicState out_of_subspace(const OnlineBasis& basis, const DynamicState& reduced) {
  return {reduced.time,  basis.vector(reduced.u), basis.vector(reduced.v), basis.vector(reduced.a),
          reduced.slack, reduced.caution,         reduced.changed};
}

}  // namespace

OnlineDynamics::OnlineDynamics(FullModel& model, LoadFunction load, Vector u, Vector v,
                               const DynamicsOptions& options, const OnlineSettings& settings,
                               double duration)
    : model_(model),
      load_(load),
      options_(options),
      learns_(settings.throttle > 0.0),
      full_(model, std::move(load), std::move(u), std::move(v), options),
      subspace_(
          model,
          has_polynomial_energy(model) ? OnlineForces::Kind::polynomial : OnlineForces::Kind::key_elements,
          settings),
      system_(subspace_.forces(), options.damping),
      budget_(settings, options.damping.mass, options.damping.stiffness, duration),
      residual_error_(model, options.solver),
      still_(VertexMaps::identity(model.mesh().vertex_count())) {
  require(options.integrator == Integrator::newmark,
          "online model reduction needs the integrator 'newmark': explicit steps are too cheap to be worth "
          "skipping");
  if (options.damping.stiffness > 0.0 && options.damping.kind == RayleighDamping::Stiffness::linear)
    rest_stiffness_ = model.stiffness(Vector::Zero(model.dof_count()));
  if (learns_) slowest_frequency_ = lowest_frequency(model, options.solver);
}

void OnlineDynamics::set_springs(const std::vector<FullSpring>& springs) {
  FullSprings next(model_, springs);
  full_.set_springs(springs);
  if (!same_resistance(springs, spring_list_)) residual_error_.set_springs(next);
  spring_list_ = springs;
  springs_ = std::move(next);
  resize_system();
  note_change();
}

void OnlineDynamics::set_handles(std::vector<FullHandle> handles) {
  const bool held = !handles.empty();
  full_.set_handles(std::move(handles));
  if (held != held_) note_change();
  held_ = held;
}

void OnlineDynamics::set_support(std::shared_ptr<MovingSupport> support) {
  full_.set_support(support);
  support_ = std::move(support);
  note_change();
}

void OnlineDynamics::set_air(FullAir air) {
  blown_ = air.blows();
  full_.set_air(std::move(air));
  note_change();
}

/// Whether all that acts on the body in the next step is known to the subspace.
bool OnlineDynamics::subspace_may_do(double h) const {
  if (held_ || blown_) return false;
  return !support_ || (!support_->moves(time(), h) && support_->pose_at(time()).matrix().isIdentity(0.0));
}

SolveReport OnlineDynamics::step(double h) {
  const bool may_skip = subspace_may_do(h);
  subspace_.begin_step();
  SolveReport report;
  const bool entering = std::exchange(enters_, false) && may_skip;
  if (entering) enter_subspace(h);
  if (reduced_ && !may_skip) leave_subspace(h);
  if (reduced_) {
    if (take_reduced_step(h, report)) {
      const OnlineBasis& basis = subspace_.basis();
      budget_.watch(basis.reduced_norm(state_.u), basis.reduced_norm(state_.v));
      budget_.spend(h, audited_);
      subspace_.remember(state_.u);
      subspace_.remember(h * state_.v);
      subspace_.end_step(StepKind::reduced, budget_.error(audited_));
      return report;
    }
    if (entering) {
      reduced_ = false;  // the full model still has the state, whole
    } else {
      leave_subspace(h);
    }
    patience_.fail();
  }
  const int spent = report.iterations;
  report = take_full_step(h, learns_ && may_skip);
  report.iterations += spent;
  if (report.ok()) {
    budget_.spend(h, 0.0);
    subspace_.end_step(StepKind::full, budget_.error(0.0));
  }
  return report;
}

SolveReport OnlineDynamics::take_full_step(double h, bool learns) {
  const DynamicState start = full_.state();
  const SolveReport report = full_.step(h);
  if (!report.ok() || !learns) return report;
  const auto timer = subspace_.learning_timer();
  const DynamicState& end = full_.state();
  const OnlineBasis& basis = subspace_.basis();
  budget_.watch(basis.norm(end.u), basis.norm(end.v));
  if (budget_.frequency() == 0.0) return report;  // nothing moves
  patience_.pass();
  if (patience_.waits()) return report;
  const bool enough = subspace_would_do(h, start);
  if (!enough) patience_.fail();
  const bool shrunk = subspace_.shrink_if_full();
  if (shrunk) {
    error_column_ = -1;
    resize_system();
  }
  learn(end, h);
  subspace_.remember(basis.coordinates(end.u));
  subspace_.remember(h * basis.coordinates(end.v));
  enters_ = enough && !shrunk;
  return report;
}

/// Whether a reduced step from the same start ends where the full one did. [Kim & James 2009, Algorithm 6,
/// lines 5-8]
bool OnlineDynamics::subspace_would_do(double h, const DynamicState& start) {
  const OnlineBasis& basis = subspace_.basis();
  if (basis.rank() == 0) return false;
  DynamicState state{start.time, basis.coordinates(start.u), basis.coordinates(start.v),
                     basis.coordinates(start.a)};
  const SolveReport taken = newmark(h, state);
  if (!taken.ok() || taken.rescued) return false;
  const DynamicState& end = full_.state();
  const double u_error = basis.norm(end.u - basis.vector(state.u));
  const double v_error = basis.norm(end.v - basis.vector(state.v));
  return std::max(u_error, h * v_error) <= budget_.accepted();
}

SolveReport OnlineDynamics::newmark(double h, DynamicState& state) {
  load_(std::max(0.0, state.time - 0.5 * h), state.time + 0.5 * h, load_before_);
  load_(state.time + 0.5 * h, state.time + 1.5 * h, f_ext_);
  if (load_before_ != f_ext_) allowed_.reset();
  Vector start = subspace_.basis().force(load_before_);
  const Vector end = subspace_.basis().force(f_ext_);
  return newmark_step(system_, h, mean_load(end, options_.newmark, start, state), state, work_,
                      options_.newmark);
}

/// Returns whether the step was taken; else the state is as before.
bool OnlineDynamics::take_reduced_step(double h, SolveReport& report) {
  DynamicState start = state_;
  ++since_audit_;
  for (int attempt = 0;; ++attempt) {
    const SolveReport taken = newmark(h, state_);
    report = {taken.status, report.iterations + taken.iterations, taken.residual, taken.rescued};
    // Rescued steps are damped: where the full model needs no rescue, nothing tells how far off they lead.
    if (!taken.ok() || taken.rescued) break;
    if (attempt == 0 && since_audit_ < audit_after_ && !wandered() && !load_changed(h)) return true;
    Audit found = audit(h);
    if (attempt == 0 && std::isfinite(found.size)) {
      // The error went from what it was at the last audit to what it is now, unseen.
      const double unseen = h * static_cast<double>(since_audit_ - 1);
      budget_.spend_unseen(unseen, 0.5 * std::max(0.0, found.size - audited_));
    }
    if (found.size <= budget_.accepted()) {
      pass_audit(found, attempt == 0);
      return true;
    }
    if (attempt == 0 && by_key_elements() && std::isfinite(found.size)) {
      // It may be only the forces that are wrong, not the basis.
      calibrate(state_.u, found.force);
    } else if (attempt >= max_enrichments || !learn_from(std::move(found), start)) {
      break;
    }
    state_ = start;
  }
  state_ = start;
  return false;
}

/// The next audit comes the later the smaller the error is that this one found.
void OnlineDynamics::pass_audit(const Audit& audit, bool at_once) {
  const double share = audit.size / budget_.accepted();
  calibrate(state_.u, audit.force);
  if (by_key_elements()) bound_energy();
  if (!at_once) {
    audit_after_ = 1;
  } else if (share < 0.2) {
    audit_after_ = std::min(longest_audit_gap, 2 * audit_after_);
  } else if (share > 0.5) {
    audit_after_ = std::max<Index>(1, audit_after_ / 2);
  }
  if (wandered()) error_column_ = -1;  // it has become part of the motion
  since_audit_ = 0;
  audited_ = audit.size;
  patience_.succeed();
}

/// Whether the motion goes along the predicted column by more than may be missed. [Kim & James 2009,
/// Algorithm 6, line 20]
bool OnlineDynamics::wandered() const {
  if (error_column_ < 0) return false;
  return subspace_.basis().reduced_norm(state_.u.segment(error_column_, 1)) > budget_.accepted();
}

/// Whether the load at the end of the step that was just taken differs much from that at its start: it may
/// push where the basis has nothing.
bool OnlineDynamics::load_changed(double h) {
  load_(state_.time - 1.5 * h, state_.time - 0.5 * h, load_before_);
  load_(state_.time - 0.5 * h, state_.time + 0.5 * h, f_ext_);
  return (f_ext_ - load_before_).norm() > changed_share * f_ext_.norm();
}

OnlineDynamics::Audit OnlineDynamics::audit(double h) {
  const OnlineBasis& basis = subspace_.basis();
  const Vector u = basis.vector(state_.u), v = basis.vector(state_.v);
  Audit result;
  if (!residual_error_.ready() ||
      basis.norm(u - residual_error_.reference()) > stale_share * budget_.largest()) {
    if (!residual_error_.refresh(u, still_, shift()).ok()) {
      result.size = std::numeric_limits<double>::infinity();
      return result;
    }
  }
  model_.internal_force(u, result.force);
  load_(state_.time - 0.5 * h, state_.time + 0.5 * h, f_ext_);
  Vector residual = basis.momentum(state_.a + options_.damping.mass * state_.v) + result.force - f_ext_;
  springs_.add_force(u, no_supports_, residual);
  if (rest_stiffness_.nonZeros() > 0) {
    residual += options_.damping.stiffness * (rest_stiffness_ * v);
  } else if (options_.damping.stiffness > 0.0 && v.squaredNorm() > 0.0) {
    // K(u) v by a difference of forces, for a sixth of what the matrix costs.
    const double step = 1e-6 * budget_.largest() / basis.norm(v);
    residual += options_.damping.stiffness / step * (model_.internal_force(u + step * v) - result.force);
  }
  result.displacement = residual_error_.displacement(residual);
  result.size = basis.norm(result.displacement);
  if (!std::isfinite(result.size)) result.size = std::numeric_limits<double>::infinity();
  return result;
}

/// Adds what an audit found missing. start: of the step, gets the coordinates that come with it. Returns
/// whether anything is new.
bool OnlineDynamics::learn_from(Audit audit, DynamicState& start) {
  if (subspace_.full() || !std::isfinite(audit.size)) return false;
  const auto timer = subspace_.learning_timer();
  if (by_key_elements()) subspace_.forces().learn(subspace_.basis().vector(state_.u), still_, audit.force);
  const bool grown = subspace_.grow(std::move(audit.displacement), budget_.discarded());
  if (!grown && !by_key_elements()) return false;
  follow_basis();
  pad(start, subspace_.rank());
  pad(state_, subspace_.rank());
  calibrate(state_.u, audit.force);
  return true;
}

/// Makes key elements exact at q. force: that of the full model there, N.
void OnlineDynamics::calibrate(const Vector& q, const Vector& force) {
  if (by_key_elements()) subspace_.forces().calibrate(q, subspace_.basis().force(force));
}

/// Of the full model at the state, J.  f_ext_: the load.
double OnlineDynamics::potential() const {
  const Vector u = subspace_.basis().vector(state_.u);
  return model_.energy(u) + energy_of_springs(u) - f_ext_.dot(u);
}

/// Holds the state to the energy that it may have, and says what the next step may give back. f_ext_: the
/// load. Reduced steps gain what their error is: it is taken from the velocity, and near a turning point,
/// where that would have to change too much, from the displacement.
void OnlineDynamics::bound_energy() {
  const double kinetic = 0.5 * state_.v.squaredNorm();
  double potential = this->potential();
  if (!allowed_) {
    forget_slack(state_);
    allowed_ = kinetic + potential;
    return;
  }
  const double lower = lower_potential(potential, *allowed_ - least_factor * least_factor * kinetic);
  const double factor = std::max(slowing_factor(*allowed_, kinetic, lower), least_factor);
  state_.v *= factor;
  if (lower < potential) balance();
  potential = lower;
  const double energy = factor * factor * kinetic + potential;
  state_.slack = next_slack(*allowed_, energy);
  if (energy < *allowed_) allowed_ = energy + state_.slack;
}

/// Sets the acceleration that balances the forces at the state; in the subspace the mass is 1. f_ext_: the
/// load.
void OnlineDynamics::balance() {
  system_.evaluate(state_.u);
  system_.multiply_damping(state_.v, work_.product);
  state_.a = subspace_.basis().force(f_ext_) - system_.force() - work_.product;
}

/// Moves the state downhill, along (K + s M)^-1 (f_ext - f), until its potential is `most`, J, where it is
/// more. Returns what it is then, at most what it was.  A linear body so loses amplitude and nothing else.
double OnlineDynamics::lower_potential(double potential, double most) {
  Vector gradient, direction;
  for (int i = 0; i < most_lowerings && potential > most; ++i) {
    system_.evaluate(state_.u);
    gradient = system_.force() - subspace_.basis().force(f_ext_);
    if (!system_.factor(shift(), 0.0, 1.0, Vector::Zero(gradient.size())).ok() ||
        !system_.solve(gradient, direction).ok())
      break;
    const double slope = gradient.dot(direction);
    if (!(slope > 0.0)) break;
    // A thousandth more: each try would end just above otherwise.
    const Vector before = state_.u;
    state_.u -= std::min(1.001 * (potential - most) / slope, 1.0) * direction;
    const double lower = this->potential();
    if (!(lower < potential)) {
      state_.u = before;
      break;
    }
    potential = lower;
  }
  return potential;
}

/// From the end of a full step: where the body is, and where it goes in the next one. (Scaled by a frequency
/// of the motion, the velocities of small fast vibrations would fill the basis.)
void OnlineDynamics::learn(const DynamicState& state, double h) {
  bool grown = subspace_.grow(state.u, budget_.discarded());
  grown = subspace_.grow(h * state.v, budget_.discarded()) || grown;
  if (!grown) return;
  if (by_key_elements()) subspace_.forces().learn(state.u, still_, model_.internal_force(state.u));
  follow_basis();
}

void OnlineDynamics::follow_basis() {
  subspace_.follow();
  resize_system();
}

void OnlineDynamics::resize_system() {
  system_.resize(subspace_.rank());
  if (springs_.empty() || subspace_.rank() == 0) {
    system_.let_go();
  } else {
    system_.set_springs(springs_.projected(subspace_.basis().columns()));
  }
}

void OnlineDynamics::enter_subspace(double h) {
  const DynamicState& full = full_.state();
  if (!residual_error_.refresh(full.u, still_, shift()).ok()) return;
  predict_error_column(full.u, full.v);
  state_ = into_subspace(subspace_.basis(), full);
  load_(std::max(0.0, full.time - 0.5 * h), full.time + 0.5 * h, f_ext_);
  allowed_ = full_.energy() + energy_of_springs(full.u) - f_ext_.dot(full.u) + full.slack;
  if (by_key_elements()) {
    calibrate(state_.u, model_.internal_force(full.u));
  } else {  // exact forces hold their steps to what is allowed; what the subspace has not counts, too
    state_.slack = *allowed_ - (0.5 * state_.v.squaredNorm() + potential());
    allowed_.reset();
  }
  reduced_ = true;
  since_audit_ = 0;
  audit_after_ = 1;
  audited_ = 0.0;
}

void OnlineDynamics::leave_subspace(double h) {
  if (by_key_elements()) bound_energy();  // what may still be too much the full steps have to give back
  if (remembered_reduced_) leave_remembered_subspace(h);
  full_.restore(state());
  reduced_ = false;
}

/// The full step to come may turn the basis, and the coordinates that are remembered with it. Their slack is
/// that of key elements, and becomes that of the full model: what was gained since the last audit is a debt.
void OnlineDynamics::leave_remembered_subspace(double h) {
  const double kinetic = 0.5 * remembered_.v.squaredNorm();
  pad(remembered_, subspace_.rank());
  remembered_ = out_of_subspace(subspace_.basis(), remembered_);
  remembered_reduced_ = false;
  if (!by_key_elements()) return;
  forget_slack(remembered_);
  if (!remembered_allowed_) return;
  const double time = remembered_.time;
  load_(std::max(0.0, time - 0.5 * h), time + 0.5 * h, load_before_);
  const double potential =
      model_.energy(remembered_.u) + energy_of_springs(remembered_.u) - load_before_.dot(remembered_.u);
  remembered_.slack = next_slack(*remembered_allowed_, kinetic + potential);
}

/// Where new forces will push the body as it moves on: (K + s M)^-1 (H(u) : v) v. [Kim & James 2009,
/// Algorithm 5]
void OnlineDynamics::predict_error_column(const Vector& u, const Vector& v) {
  error_column_ = -1;
  if (subspace_.full()) return;
  Matrix product;
  model_.stiffness_derivative_products(u, v, product);
  const Vector predicted = residual_error_.displacement(product.col(0));
  const double length = subspace_.basis().norm(predicted);
  if (!(length > 0.0) || !std::isfinite(length)) return;
  // Its length means nothing: what counts is whether it points out of the subspace.
  const Index rank = subspace_.rank();
  if (!subspace_.grow(predicted / length, new_direction)) return;
  error_column_ = rank;
  follow_basis();
}

double OnlineDynamics::shift() const {
  const double omega = slowest_frequency_ > 0.0 ? slowest_frequency_ : budget_.frequency();
  return omega * omega;
}

DynamicState OnlineDynamics::state() const {
  return reduced_ ? out_of_subspace(subspace_.basis(), state_) : full_.state();
}

Vector OnlineDynamics::displacement() const {
  return reduced_ ? subspace_.basis().vector(state_.u) : full_.state().u;
}

double OnlineDynamics::kinetic_energy() const {
  return reduced_ ? 0.5 * state_.v.squaredNorm() : full_.kinetic_energy();
}

double OnlineDynamics::energy() const { return kinetic_energy() + model_.energy(displacement()); }

void OnlineDynamics::resume(DynamicState state, bool started) {
  full_.resume(std::move(state), started);
  reduced_ = enters_ = false;
  allowed_.reset();
}

void OnlineDynamics::note_change() {
  full_.note_change();
  if (reduced_) limber::note_change(state_);
  allowed_.reset();
  audit_after_ = 1;
}

void OnlineDynamics::remember() {
  subspace_.remember_report();
  remembered_reduced_ = reduced_;
  remembered_enters_ = enters_;
  remembered_ = reduced_ ? state_ : full_.state();
  remembered_memory_ = full_.memory();
  remembered_allowed_ = allowed_;
}

void OnlineDynamics::go_back() {
  subspace_.go_back_in_report();
  reduced_ = remembered_reduced_;
  enters_ = remembered_enters_;
  allowed_ = remembered_allowed_;
  full_.set_memory(remembered_memory_);
  if (reduced_) {
    state_ = remembered_;
    pad(state_, subspace_.rank());
  } else {
    full_.restore(remembered_);
  }
}

void OnlineDynamics::save(StateWriter& out) const {
  out.write(full_.started());
  save_state(full_.state(), out);
  full_.memory().save(out);
  subspace_.save(out);
  out.write(reduced_);
  out.write(enters_);
  if (reduced_) save_state(state_, out);
  out.write(allowed_.has_value());
  out.write(allowed_.value_or(0.0));
  budget_.save(out);
  residual_error_.save(out);
  patience_.save(out);
  for (const Index count : {since_audit_, audit_after_, error_column_}) out.write(std::int64_t{count});
  out.write(audited_);
}

void OnlineDynamics::restore(StateReader& in) {
  bool started = false;
  in.read(started);
  full_.resume(restore_state(in, model_.dof_count()), started);
  full_.set_memory(FullDynamics::Memory::restored(in, model_.dof_count()));
  subspace_.restore(in);
  const Index rank = subspace_.rank();
  in.read(reduced_);
  in.read(enters_);
  if (reduced_) state_ = restore_state(in, rank);
  bool bounded = false;
  double allowed = 0.0;
  in.read(bounded);
  in.read(allowed);
  allowed_ = bounded ? std::optional(allowed) : std::nullopt;
  resize_system();
  budget_.restore(in);
  residual_error_.restore(in);
  patience_.restore(in);
  for (Index* count : {&since_audit_, &audit_after_, &error_column_}) {
    std::int64_t value = 0;
    in.read(value);
    *count = static_cast<Index>(value);
  }
  require(error_column_ < rank, "the saved error column is {}, the basis has {} columns", error_column_,
          rank);
  in.read(audited_);
}

}  // namespace limber
