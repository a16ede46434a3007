#include "limber/full/dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/integrators/halving.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

static_assert(DynamicSystem<FullSystem> && FreeSystem<FullSystem>);

namespace {

/// Stiffness of what holds a handle, in multiples of what resists it within a step.
constexpr double handle_grip = 1e6;

/// How far a place may be from where its handle was last, as a share of the body's size: farther off, it goes
/// on from where it is.
constexpr double handle_slip = 1e-5;

double extent_of(const FullModel& model) {
  const Matrix3X& X = model.mesh().vertices;
  return (X.rowwise().maxCoeff() - X.rowwise().minCoeff()).norm();
}

/// A step that gains energy is taken in so many parts before one of them is rescued: long steps of a stiff
/// body that turns or shakes gain by the error of their method, which falls with the square of their length.
/// What would be a run of rescues, which are of first order, is none by two or four parts mostly; more than
/// eight help few.
constexpr double most_parts = 8.0;

/// Steps that are not taken in parts after one for which they were of no use, at most: where they never are,
/// they are six tries more in 32 steps then.
constexpr std::int64_t longest_wait = 31;

bool same_places(const std::vector<FullHandle>& one, const std::vector<FullHandle>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const FullHandle& a, const FullHandle& b) { return a.place == b.place; });
}

bool same_damping(const RayleighDamping& one, const RayleighDamping& other) {
  return one.mass == other.mass && one.stiffness == other.stiffness && one.kind == other.kind;
}

}  // namespace

FullSystem::FullSystem(const FullModel& model, const RayleighDamping& damping, SparseSolverKind solver)
    : model_(model),
      solver_(make_sparse_solver({.kind = solver, .threads = model.executor().threads()})),
      K_(model.pattern()),
      matrix_(model.pattern()),
      extent_(extent_of(model)) {
  set_damping(damping);
}

void FullSystem::set_damping(const RayleighDamping& damping) {
  damping_ = damping;
  rest_stiffness_ = damps_linearly() ? stiffness_at_rest() : SparseMatrix();
  if (damps_linearly() || !is_free(model_)) {  // linear damping takes momentum from a body that turns
    flight_.reset();
  } else if (!flight_) {
    flight_.emplace(model_);
  }
  forget();  // forces that need no stiffness may need it now
}

void FullSystem::set_springs(std::span<const FullSpring> springs, std::span<const FullSpring> gentle) {
  FullSprings next(model_, springs);
  gentle_ = FullSprings(model_, gentle);
  springs_ = std::move(next);
  energy_.reset();
  if (u_.size() > 0) sum_up();
}

void FullSystem::set_air(FullAir air) {
  if (wind_.has_boundary()) {
    wind_.set_air(std::move(air));
  } else if (air.blows()) {
    wind_ = FullWind(model_, std::move(air));
  }
  blown_to_.resize(0);
  forget();
}

void FullSystem::follow_wind(const DynamicState& start, double h, const NewmarkOptions& options,
                             const FullWind::Wake& wake) {
  if (!wind_.blows()) return;
  wind_.aim(start, h, options, wake, !is_free(model_) || !springs_.empty());
  blown_from_ = start.u;
  blown_for_ = h;
  blown_to_.resize(0);
  energy_.reset();
  if (u_.size() > 0) sum_up();
}

SolveReport FullSystem::settle_wind(bool rescued, DynamicState& end, FullWind::Wake& wake) {
  if (!wind_.blows()) return {};
  Vector now;
  if (rescued) {  // its acceleration is that of all that was balanced
    now.setZero(end.u.size());
    wind_.add_force(end.u, now);
    now = -now;
  } else if (wind_.at_end()) {
    now = wind_.drag(end.u);
  } else {
    now = wind_.drag(end.u);
    Vector changed;
    const SolveReport report = solve_mass(wake.drag.size() > 0 ? Vector(now - wake.drag) : now, changed);
    if (!report.ok()) return report;
    end.a += wind_.on_acceleration() * changed;
    end.v += wind_.on_velocity() * changed;
  }
  wake = {std::move(now), (end.u - blown_from_) / blown_for_};
  return {};
}

void FullSystem::let_go_of_wind() {
  if (wind_.let_go()) forget();
}

void FullSystem::set_support(std::shared_ptr<MovingSupport> support) {
  support_ = std::move(support);
  step_ = {};
  velocity_ = {};
  field_.resize(0);
  coupled_.resize(0);
  rest_diagonal_.resize(0);
  forget();
}

void FullSystem::put_support(const Eigen::Isometry3d& pose) {
  at_middle_ = false;
  step_ = {};
  velocity_ = {};
  field_.resize(0);
  coupled_.resize(0);
  if (support_) support_->place(pose);
  forget();
}

void FullSystem::place_support(double t, double h) {
  at_middle_ = false;
  if (!support_) return;
  step_ = {};
  support_->place_at(t);
  velocity_ = h > 0.0 ? support_->velocity(t, h) : RigidVelocity{};
  field_.resize(0);
  coupled_.resize(0);
  if (damping_.mass > 0.0 && !velocity_.is_zero())
    coupled_ = support_->mass_times(velocity_, support_->pose());
  forget();
}

void FullSystem::follow_support(const DynamicState& start, double h, const NewmarkOptions& options) {
  if (!support_) return;
  const double t = start.time, balanced = (1.0 - options.alpha_f) * h;
  place_support(t + balanced, h);
  if (!support_->moves(t, h)) return;
  const Eigen::Isometry3d begin = support_->pose_at(t);
  step_.force = support_->pose();
  step_.middle = support_->pose_at(t + 0.5 * h);
  step_.end = support_->pose_at(t + h);
  step_.way = support_->displacement_of(step_.end) - support_->displacement_of(begin);
  step_.inertia = support_->inertia(t + balanced - 0.5 * h, t + balanced + 0.5 * h, h);
  step_.mean_inertia = 0.5 * (support_->inertia(std::max(0.0, t - 0.5 * h), t + 0.5 * h, h) +
                              support_->inertia(t + 0.5 * h, t + 1.5 * h, h));
  step_.moving = true;
  // Where the body will be then: one linearised step knows no more, and Newton's iteration needs no
  // derivative.
  if (!velocity_.is_zero()) field_ = support_field(velocity_, start.u + balanced * start.v);
  evaluate(start.u);
  const Vector carried = support_field(support_->velocity(t + h, h), u_);
  step_.carried = 0.5 * carried.dot(model_.mass() * carried);
  step_.start_energy = energy_with_work(begin, 0.5) + 0.5 * h * transmitted_power(start.v);
}

/// Where supports were moved, all is evaluated with them at rest.
SparseMatrix FullSystem::stiffness_at_rest() const {
  const Vector rest = Vector::Zero(model_.dof_count());
  if (!support_) return model_.stiffness(rest);
  const Eigen::Isometry3d pose = support_->pose();
  support_->place(Eigen::Isometry3d::Identity());
  SparseMatrix K = model_.stiffness(rest);
  support_->place(pose);
  return K;
}

const Vector& FullSystem::rest_diagonal() {
  if (rest_diagonal_.size() == 0) rest_diagonal_ = stiffness_at_rest().diagonal();
  return rest_diagonal_;
}

/// Of what was evaluated nothing holds any more.
void FullSystem::forget() {
  u_.resize(0);
  stiffness_current_ = false;
  energy_.reset();
}

bool FullSystem::stands_as_evaluated() const {
  return !support_ || support_->pose().matrix() == evaluated_at_.matrix();
}

const Matrix3X& FullSystem::supports() const {
  static const Matrix3X still(3, 0);
  return support_ ? support_->displacement() : still;
}

void FullSystem::sum_up() {
  if (!is_sum()) return;
  sum_ = force_;
  springs().add_force(u_, supports(), sum_);
  wind_.add_force(u_, sum_);
  if (step_.inertia.size() > 0) sum_ += at_middle_ ? step_.mean_inertia : step_.inertia;
}

void FullSystem::evaluate(const Vector& u) {
  if (stiffness_current_ && stands_as_evaluated() && u == u_) return;
  u_ = u;
  energy_.reset();
  stiffness_current_ = true;
  if (support_) evaluated_at_ = support_->pose();
  model_.force_and_stiffness(u, force_, K_);
  sum_up();
}

void FullSystem::evaluate_force(const Vector& u) {
  const bool damping_needs_stiffness = damping_.stiffness > 0.0 && !damps_linearly();
  if (damping_needs_stiffness) return evaluate(u);
  if (u.size() == u_.size() && stands_as_evaluated() && u == u_) return;
  u_ = u;
  energy_.reset();
  stiffness_current_ = false;
  if (support_) evaluated_at_ = support_->pose();
  model_.internal_force(u, force_);
  sum_up();
}

/// Far from where it began a body has fewer digits left for its strain.
double FullSystem::distance() const { return std::max(1.0, u_.lpNorm<Eigen::Infinity>() / extent_); }

double FullSystem::force_rounding() const {
  double sum = distance() * model_.force_rounding();
  if (!springs_.empty()) sum += springs().rounding(u_, supports()).force;
  if (wind_.blows()) sum += wind_.rounding(u_).force;
  return sum;
}

double FullSystem::energy_rounding() const {
  // Of the work of supports: where one sets off, steps miss by half of that.
  constexpr double uncertain = 0.01;
  // Of the work of hands: what one sets off at once gets 9/8 of it, by the rule that they are followed by.
  constexpr double uncertain_by_hand = 0.25;
  double sum = distance() * model_.energy_rounding() + uncertain * step_.carried;
  if (!springs_.empty()) sum += springs().rounding(u_, supports()).energy;
  if (springs_.moving()) sum += uncertain_by_hand * springs().half_work(u_, supports());
  if (wind_.blows()) sum += wind_.rounding(u_).energy;
  return sum;
}

double FullSystem::elastic_energy() const {
  if (!energy_) energy_ = counted_energy();
  return *energy_;
}

double FullSystem::counted_energy() const {
  double beside = springs().energy(u_, supports()) + energy_of_wind();
  if (step_.mean_inertia.size() > 0) beside += step_.mean_inertia.dot(u_);
  if (!step_.moving || at_middle_) return model_.energy(u_) + beside;
  if (!step_.ended) return step_.start_energy + beside;
  return energy_with_work(step_.end, -0.5) - step_.end_work + beside;
}

/// At the start of a step none; at its end less the work that was done. What a rescue looks for has its
/// potential. Of a body that nothing holds: but for what moves it as a whole.
double FullSystem::energy_of_wind() const {
  if (!wind_.blows()) return 0.0;
  const bool ended = blown_to_.size() > 0 && blown_to_ == u_;
  if (!ended && !at_middle_) return 0.0;
  const double whole = ended ? -wind_.work(u_) : wind_.potential(u_);
  if (!free()) return whole;
  Vector way = u_ - blown_from_;
  const Vector translation = flight_->take_translation(way);
  return ended ? whole + wind_.drag(u_).dot(translation) : whole - wind_.potential(blown_from_ + translation);
}

/// W at u_ with the supports at a pose, and that share of the work of their forces over the step, J.
double FullSystem::energy_with_work(const Eigen::Isometry3d& pose, double share) const {
  const Eigen::Isometry3d placed = support_->pose();
  support_->place(pose);
  const double work = model_.vertex_forces(u_).cwiseProduct(step_.way).sum();
  const double energy = model_.energy(u_) + share * work;
  support_->place(placed);
  return energy;
}

/// Velocities that the free vertices would have at u if they moved with the support.
Vector FullSystem::support_field(const RigidVelocity& velocity, const Vector& u) const {
  Vector field(u.size());
  Index i = 0;
  for (const int v : model_.dofs().free_vertices()) {
    field.segment<3>(i) = velocity.at(model_.mesh().vertices.col(v) + u.segment<3>(i));
    i += 3;
  }
  return field;
}

/// The same where forces are taken, by the velocity that the support has then.
Vector FullSystem::support_field() const { return field_.size() > 0 ? field_ : support_field(velocity_, u_); }

/// What the support gives the body by its damping, W: all of the power of that, but for what is lost.
double FullSystem::transmitted_power(const Vector& v) const {
  if (damping_.stiffness == 0.0 || velocity_.is_zero()) return 0.0;
  const Vector field = support_field(), relative = v - field;
  const Vector product = (damps_linearly() ? rest_stiffness_ : K_) * relative;
  return -damping_.stiffness * field.dot(product);
}

void FullSystem::take_forces_of_energy(bool on) {
  if (!step_.moving && !springs_.moving() && !wind_.blows()) return;
  at_middle_ = on;
  if (step_.moving) support_->place(on ? step_.middle : step_.force);
  forget();
}

void FullSystem::set_start_torque(const Vector& f_ext, double share) {
  if (!free()) return;
  start_torque_ = flight_->torque(u_, f_ext);
  start_share_ = share;
}

void FullSystem::settle(double h, const Vector& f_ext, const DynamicState& start, DynamicState& end) const {
  if (step_.moving) {
    step_.ended = true;
    step_.end_work = 0.5 * h * transmitted_power(end.v);
    energy_.reset();
  }
  if (wind_.blows()) {
    blown_to_ = end.u;
    energy_.reset();
  }
  if (!free()) return;
  const Vector3 before = flight_->angular_momentum(start.u, start.v);
  Vector3 torque = start_share_ * start_torque_ + (1.0 - start_share_) * flight_->torque(end.u, f_ext);
  if (wind_.blows()) torque += flight_->torque(end.u, wind_.drag(end.u));
  // Damping in proportion to mass, as Newmark's method takes it.
  const double kept = 1.0 - start_share_ * h * damping_.mass,
               over = 1.0 + (1.0 - start_share_) * h * damping_.mass;
  flight_->set_angular_momentum(end.u, (kept * before + h * torque) / over, end.v);
}

void FullSystem::multiply_damping(const Vector& x, Vector& y) const {
  y.setZero(x.size());
  if (damping_.mass > 0.0) y.noalias() += damping_.mass * (model_.mass() * x);
  if (coupled_.size() > 0) y += damping_.mass * coupled_;
  if (damping_.stiffness == 0.0) return;
  const SparseMatrix& K = damps_linearly() ? rest_stiffness_ : K_;
  if (velocity_.is_zero()) {
    y.noalias() += damping_.stiffness * (K * x);
  } else {
    y.noalias() += damping_.stiffness * (K * (x - support_field()).eval());
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
  if (damping_.stiffness > 0.0 && !damps_linearly()) {
    if (damping_derivative_.nonZeros() == 0) damping_derivative_ = model_.pattern();
    if (velocity_.is_zero() || at_middle_) {  // a rescue, which has no such term, gives no velocity
      model_.stiffness_derivative(u_, v, damping_derivative_);
    } else {
      model_.stiffness_derivative(u_, v - support_field(), damping_derivative_);
    }
    matrix_.coeffs() += stiffness * damping_.stiffness * damping_derivative_.coeffs();
  }
  springs().add_stiffness(matrix_);
  wind_.add_stiffness(matrix_);
  SolveReport report = solver_->factor(matrix_);
  projected_ = report.status == SolveStatus::not_positive_definite;
  if (!projected_) return report;
  model_.force_and_stiffness(u_, force_, K_, Tangent::projected);
  combine(mass, damping, stiffness);
  springs().add_stiffness(matrix_);
  wind_.add_stiffness(matrix_);
  report = solver_->factor(matrix_);
  model_.force_and_stiffness(u_, force_, K_);  // damping forces speak of the exact K
  return report;
}

/// Forces inside of a free body move it nowhere as a whole: that part of x is known. Where the mass is little
/// beside the stiffness (small stiff bodies in long steps), the solver would not only miss it: what it is off
/// by, as a share of the whole flight, would be strain. In the wind that part is known nearly.
SolveReport FullSystem::solve(const Vector& b, Vector& x) {
  x.resize(b.size());
  if (!free()) return solver_->solve(b, x);
  if (wind_.blows()) return solve_in_wind(b, x);
  Vector translation = Vector::Zero(b.size());
  flight_->set_linear_momentum(b.reshaped(3, b.size() / 3).rowwise().sum() / on_mass_, translation);
  const SolveReport report = solver_->solve(b - on_mass_ * (model_.mass() * translation), x);
  if (!report.ok()) return report;
  flight_->set_linear_momentum(Vector3::Zero(), x);
  x += translation;
  return report;
}

SolveReport FullSystem::solve_in_wind(const Vector& b, Vector& x) {
  const double resisting = on_mass_ * model_.vertex_masses().sum() + wind_.stiffness();
  const Vector translation =
      Vector3(b.reshaped(3, b.size() / 3).rowwise().sum() / resisting).replicate(b.size() / 3, 1);
  Vector moved = on_mass_ * (model_.mass() * translation);
  wind_.add_product(translation, moved);
  const SolveReport report = solver_->solve(b - moved, x);
  if (report.ok()) x += translation;
  return report;
}

FullDynamics::FullDynamics(const FullModel& model, LoadFunction load, Vector u, Vector v,
                           const DynamicsOptions& options)
    : model_(model),
      load_(std::move(load)),
      options_(options),
      system_(model, options.damping, options.solver),
      extent_(extent_of(model)) {
  require(u.size() == model.dof_count() && v.size() == model.dof_count(),
          "start displacement and velocity have {} and {} entries, the model needs {} (3 per free vertex)",
          u.size(), v.size(), model.dof_count());
  require(options.newmark.beta > 0.0, "Newmark's beta is {}, expected more than 0", options.newmark.beta);
  state_ = {0.0, std::move(u), std::move(v), Vector()};
  f_ext_ = load_before_ = Vector::Zero(model.dof_count());
  const SolveReport report = balance(0.0);
  require(report.ok(), "the mass matrix cannot be factored ({})", name_of(report.status));
}

void FullDynamics::Memory::save(StateWriter& out) const {
  out.write(moved);
  out.write(reached);
  out.write(wake.drag);
  out.write(wake.velocity);
  out.write(whole_steps);
  out.write(most_whole_steps);
}

FullDynamics::Memory FullDynamics::Memory::restored(StateReader& in, Index size) {
  Memory memory;
  in.read(memory.moved);
  in.read(memory.reached);
  in.read(memory.wake.drag);
  in.read(memory.wake.velocity);
  in.read(memory.whole_steps);
  in.read(memory.most_whole_steps);
  require(memory.whole_steps >= 0 && memory.whole_steps <= longest_wait && memory.most_whole_steps >= 0 &&
              memory.most_whole_steps <= longest_wait,
          "the state has numbers that are out of range");
  require(memory.reached.allFinite(), "the state has numbers that are not finite");
  for (const Vector* const x : {&memory.wake.drag, &memory.wake.velocity}) {
    require(x->allFinite(), "the state has numbers that are not finite");
    require(x->size() == 0 || x->size() == size, "the state has the drag of {} unknowns, the body has {}",
            x->size(), size);
  }
  return memory;
}

void FullDynamics::set_options(const DynamicsOptions& options) {
  require(options.newmark.beta > 0.0, "Newmark's beta is {}, expected more than 0", options.newmark.beta);
  if (!same_damping(options.damping, options_.damping)) system_.set_damping(options.damping);
  options_ = options;
}

void FullDynamics::set_springs(std::vector<FullSpring> springs) {
  system_.set_springs(springs);  // with the next step, handles are among them again
  springs_ = std::move(springs);
  note_change();
}

void FullDynamics::set_handles(std::vector<FullHandle> handles) {
  if (!same_places(handles, handles_)) {
    // Those that come first go on from what was remembered.
    if (!handles_.empty()) memory_.reached.resize(3, 0);
    note_change();
  }
  handles_ = std::move(handles);
  if (handles_.empty()) system_.set_springs(springs_);
}

void FullDynamics::set_support(std::shared_ptr<MovingSupport> support) {
  support_ = support;
  system_.set_support(std::move(support));
  memory_.moved = false;
  note_change();
}

void FullDynamics::set_air(FullAir air) {
  system_.set_air(std::move(air));
  if (!system_.wind().blows()) forget_wake();
  note_change();
}

/// What the acceleration holds of the last drag goes with it: else the next step would go on with half of
/// its impulse.
void FullDynamics::forget_wake() {
  Vector pushed;
  if (memory_.wake.drag.size() > 0 && system_.solve_mass(memory_.wake.drag, pushed).ok()) state_.a -= pushed;
  memory_.wake = {};
}

void FullDynamics::take_load(double t0, double t1, double h) {
  load_(t0, t1, f_ext_);
  if (!support_) return;
  const Vector inertia = support_->inertia(t0, t1, h);
  if (inertia.size() > 0) f_ext_ -= inertia;
}

SolveReport FullDynamics::balance(double duration) {
  take_load(state_.time, state_.time + duration, 2.0 * duration);
  system_.place_support(state_.time, 2.0 * duration);
  system_.evaluate(state_.u);
  Vector damping;
  system_.multiply_damping(state_.v, damping);
  return system_.solve_mass(f_ext_ - system_.body_force() - damping, state_.a);
}

SolveReport FullDynamics::step(double h) {
  require(h > 0.0, "the time step is {} s, expected more than 0", h);
  DynamicState state = state_;
  Memory memory = memory_;
  const bool was_started = started_;
  const Eigen::Isometry3d pose = support_ ? support_->pose() : Eigen::Isometry3d::Identity();
  const auto go_back = [&] {
    state_ = std::move(state);
    memory_ = std::move(memory);
    started_ = was_started;
    if (support_) system_.put_support(pose);
  };
  try {
    const SolveReport report = take_step(h);
    if (!report.ok()) go_back();
    return report;
  } catch (...) {  // by who moves the support
    go_back();
    throw;
  }
}

SolveReport FullDynamics::take_step(double h) {
  if (!started_) {  // only now is it known over which time the first force stands
    const SolveReport report = balance(0.5 * h);
    if (!report.ok()) return report;
    started_ = true;
  }
  const bool led = begin_handles(), moves = led || (support_ && support_->moves(state_.time, h));
  note_motion(moves);
  const SolveReport report =
      options_.integrator == Integrator::newmark ? newmark(h, led) : central_differences(h);
  if (support_) system_.place_support(state_.time, 0.0);
  if (!report.ok()) return report;
  memory_.moved = moves;
  memory_.reached.resize(3, static_cast<Index>(handles_.size()));
  for (Index i = 0; i < memory_.reached.cols(); ++i)
    memory_.reached.col(i) = handles_[static_cast<std::size_t>(i)].target;
  return report;
}

/// Before a step: a support or a hand that starts or stops is a change of loads. What the body has too much,
/// by the error of their work, fades while they move and is forgiven at the end: nothing may be left that
/// could give it back.
void FullDynamics::note_motion(bool moves) {
  constexpr double kept = 0.9;
  if (moves && state_.slack < 0.0) state_.slack *= kept;
  if (moves == memory_.moved) return;
  note_change();
  if (!moves) state_.slack = 0.0;
}

/// After a step.  split: whether it was taken in parts.
void FullDynamics::note_parts(bool rescued, bool split) {
  Memory& memory = memory_;
  if (memory.whole_steps > 0) {
    --memory.whole_steps;
  } else if (rescued) {
    memory.most_whole_steps = std::min(2 * memory.most_whole_steps + 1, longest_wait);
    memory.whole_steps = memory.most_whole_steps;
  } else if (split) {
    memory.most_whole_steps /= 2;
  }
}

SolveReport FullDynamics::central_differences(double h) {
  take_load(state_.time + 0.5 * h, state_.time + 1.5 * h, h);
  if (system_.wind().blows()) {
    system_.let_go_of_wind();
    memory_.wake = {Vector::Zero(f_ext_.size()), {}};
    system_.wind().add_drag(state_.u, state_.v, state_.time, h, memory_.wake.drag);
    f_ext_ += memory_.wake.drag;
  }
  system_.place_support(state_.time + h, h);
  return central_differences_step(system_, h, f_ext_, state_, central_work_);
}

NewmarkOptions FullDynamics::rule() const {
  NewmarkOptions result = options_.newmark;
  if (handles_.empty()) return result;
  result = generalized_alpha(0.0, options_.newmark.max_iterations);
  result.tolerance = options_.newmark.tolerance;
  result.guarded = options_.newmark.guarded;
  return result;
}

SolveReport FullDynamics::newmark(double h, bool led) {
  const double begin = state_.time;
  const NewmarkOptions newmark = rule();
  bool changes = state_.changed;
  // What hands and air give, rescues bound best: in these alone hands pull gently.
  const bool spares = handles_.empty() && !system_.wind().blows();
  bool in_parts = spares && memory_.whole_steps == 0, split = false;
  const auto advance = [&](double part, bool last) {
    // Caution is for steps that damp less, and has forces of the middle of the step, where handles are
    // behind.
    if (!handles_.empty()) state_.caution = 0;
    aim(begin, h, part, newmark);
    load_(std::max(0.0, state_.time - 0.5 * part), state_.time + 0.5 * part, load_before_);
    if (system_.free()) {
      system_.evaluate(state_.u);
      system_.set_start_torque(load_before_, 1.0 - newmark.gamma);
    }
    load_(state_.time + 0.5 * part, state_.time + 1.5 * part, f_ext_);
    const StepLoad load = mean_load(f_ext_, newmark, load_before_, state_);
    split = split || part < h;
    changes = changes || !load.stands_still();
    Rescues rescues = in_parts && most_parts * part > h ? Rescues::none : Rescues::gains;
    if (last) rescues = options_.last_resort ? Rescues::all : Rescues::gains;
    SolveReport report = newmark_step(system_, part, load, state_, newmark_work_, newmark, rescues);
    in_parts = in_parts && !report.rescued;  // no more of them in vain
    // What was lost is forgotten by the step, in however many parts it is taken: the energy of a stiff body
    // that tumbles goes up and down by far more than it should lose.
    if (report.ok() && state_.slack > 0.0) state_.slack *= std::pow(kept_slack, part / h - 1.0);
    if (report.ok()) {
      const SolveReport settled = system_.settle_wind(report.rescued, state_, memory_.wake);
      if (!settled.ok()) report.status = settled.status;
    }
    // What a hand that pulls gently does is not counted: nothing is owed, on either side.
    if (report.rescued && led) state_.slack = 0.0;
    return report;
  };
  const SolveReport report = step_by_halves(advance, h, options_.max_halvings);
  if (spares) note_parts(report.rescued, split);
  state_.time = begin + h;
  if (changes) forget_slack(state_);
  return report;
}

void FullDynamics::aim(double begin, double whole, double part, const NewmarkOptions& newmark) {
  if (!handles_.empty()) {
    const double done = (state_.time - begin) / whole;
    const double until = part == whole ? 1.0 : std::min(1.0, (state_.time + part - begin) / whole);
    std::vector<FullSpring> springs = springs_, gentle = springs_;
    springs.reserve(springs_.size() + handles_.size());
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const Vector3 from = from_.col(static_cast<Index>(i)), way = handles_[i].target - from;
      springs.push_back(
          {handles_[i].place, from + until * way, grip(handles_[i].place, part), 0.5 * (until - done) * way});
      gentle.push_back({handles_[i].place, springs.back().anchor, springs.back().stiffness / handle_grip});
    }
    system_.set_springs(springs, gentle);
  }
  const NewmarkOptions taken = state_.caution > 0 ? cautious(newmark) : newmark;
  system_.follow_support(state_, part, taken);
  system_.follow_wind(state_, part, taken, memory_.wake);
}

/// N/m, for steps of h seconds. What resists a force on a place is at most the largest of what resists one on
/// each of its vertices, over the sum of the squares of their weights.
double FullDynamics::grip(const MeshPlace& place, double h) {
  const Vector& stiffness = system_.rest_diagonal();
  double largest = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < place.vertices.size(); ++i) {
    const int f = model_.dofs().free_index(place.vertices[i]);
    if (f < 0 || place.weights[i] == 0.0) continue;
    squares += place.weights[i] * place.weights[i];
    for (Index k = 3 * Index{f}; k < 3 * Index{f} + 3; ++k)
      largest = std::max(largest, stiffness(k) + 4.0 / (h * h) * model_.mass().coeff(k, k));
  }
  return handle_grip * largest / squares;
}

/// Finds from where targets go on. Returns whether one of them moves.
bool FullDynamics::begin_handles() {
  const auto count = static_cast<Index>(handles_.size());
  from_.resize(3, count);
  if (count == 0) return false;
  const Matrix3X supports =
      support_ ? support_->displacement_of(support_->pose_at(state_.time)) : Matrix3X(3, 0);
  bool led = false;
  for (Index i = 0; i < count; ++i) {
    const FullHandle& handle = handles_[static_cast<std::size_t>(i)];
    from_.col(i) = displacement_at(handle.place, model_.dofs(), state_.u, supports);
    const bool goes_on = memory_.reached.cols() == count &&
                         (memory_.reached.col(i) - from_.col(i)).norm() <= handle_slip * extent_;
    if (goes_on) from_.col(i) = memory_.reached.col(i);
    led = led || from_.col(i) != handle.target;
  }
  return led;
}

double FullDynamics::energy() const { return kinetic_energy() + model_.energy(state_.u); }

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
