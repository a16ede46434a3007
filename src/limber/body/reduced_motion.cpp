#include "limber/body/reduced_motion.hpp"

#include "limber/base/error.hpp"
#include "limber/body/handles.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/integrators/halving.hpp"
#include "limber/integrators/saved_state.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/reduced/inertia.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

std::shared_ptr<const ReducedEquations> equations_of(const MotionSetup& setup) {
  const PartSettings& settings = setup.settings.front();
  ReducedEquations equations =
      make_equations(setup.model->parts.front().model, settings.materials, settings.rank);
  return std::make_shared<const ReducedEquations>(settings.linear ? linearized(equations)
                                                                  : std::move(equations));
}

}  // namespace

Vector3 product_at(const Eigen::MatrixXf& columns, int vertex, const Vector& q) {
  Vector3 sum = Vector3::Zero();
  for (Index k = 0; k < q.size(); ++k) {
    sum += q(k) * columns.block<3, 1>(3 * Index{vertex}, k).cast<double>();
  }
  return sum;
}

TreeMomentum momentum_of(const ReducedModel& model, const PartSettings& settings, const Vector& q,
                         const Vector& v) {
  const Inertia inertia = inertia_of(model, settings.materials, settings.rank);
  const Index r = settings.rank;
  TreeMomentum result;
  result.mass = inertia.mass;
  result.center = (inertia.first + inertia.first_rows * q) / inertia.mass;
  result.linear = inertia.first_rows * v;
  Vector pairs = inertia.second_rows * v;  // the integral of rho u' x^T, by columns
  for (Index j = 0; j < r; ++j) pairs += q(j) * (inertia.second_pairs.middleCols(r * j, r) * v);
  const Matrix3 stream = pairs.reshaped(3, 3);
  const Vector3 about_origin(stream(2, 1) - stream(1, 2), stream(0, 2) - stream(2, 0),
                             stream(1, 0) - stream(0, 1));
  result.angular = about_origin - result.center.cross(result.linear);
  return result;
}

ReducedMotion::ReducedMotion(MotionSetup setup)
    : setup_(std::move(setup)),
      equations_(equations_of(setup_)),
      work_{ReducedSystem(*equations_, setup_.damping)},
      state_(make_reduced_state(equations_->rank)),
      load_(Vector::Zero(equations_->rank)) {}

std::unique_ptr<Motion> ReducedMotion::copy() const { return std::make_unique<ReducedMotion>(*this); }

void ReducedMotion::set_damping(const RayleighDamping& damping) {
  ReducedWorkspace next{ReducedSystem(*equations_, damping)};
  work_.system = std::move(next.system);
  setup_.damping = damping;
  explicit_h_ = 0.0;
  use_springs(springs_, handles_, grips_);
  note_change(state_);
}

Vector3 ReducedMotion::rest(const Point& point) const {
  return point.of == Point::Of::mesh ? reduced().simulation->mesh.vertices.col(point.vertex)
                                     : reduced().surface.mesh.vertices.col(point.vertex);
}

Matrix3X ReducedMotion::rows(const Point& point) const {
  const Index first = 3 * Index{point.vertex};
  if (point.of == Point::Of::mesh) return reduced().simulation->basis.block(first, 0, 3, rank());
  return reduced().surface.basis.block(first, 0, 3, rank()).cast<double>();
}

void ReducedMotion::add_force(const Point& point, const Vector3& force, Vector& sum) const {
  if (point.of == Point::Of::mesh) {
    sum.noalias() += rows(point).transpose() * force;
  } else {
    setup_.surface->part(0).basis.add_force(point.vertex, force, sum);
  }
}

Vector ReducedMotion::load_of(const Vector3& gravity, std::span<const PointForce> forces) const {
  Vector sum = equations_->weight * gravity;
  for (const auto& [point, force] : forces) add_force(point, force, sum);
  return sum;
}

/// On average from t0 to t1, s.
void ReducedMotion::load_from(double t0, double t1, Vector& load) const {
  load = load_;
  add_active(timed_, timed_forces_, surface_, surface_loads_, t0, t1, load);
  if (!timed_.accelerations.empty())
    load.noalias() += equations_->weight * mean_acceleration(timed_.accelerations, t0, t1);
}

void ReducedMotion::set_gravity(const Vector3& acceleration) {
  if (acceleration == gravity_) return;  // what a step has lost may come back
  load_ = load_of(acceleration, forces_);
  gravity_ = acceleration;
  note_change(state_);
}

void ReducedMotion::set_forces(std::span<const PointForce> forces) {
  if (std::equal(forces.begin(), forces.end(), forces_.begin(), forces_.end())) return;
  std::vector<PointForce> next(forces.begin(), forces.end());
  load_ = load_of(gravity_, next);
  forces_ = std::move(next);
  note_change(state_);
}

void ReducedMotion::set_timed_loads(const TimedLoads& loads) {
  std::vector<Vector> forces;
  for (const TimedForce& one : loads.forces) {
    forces.emplace_back(Vector::Zero(rank()));
    for (const Point& point : one.points) add_force(point, one.force, forces.back());
  }
  timed_ = loads;
  timed_forces_ = std::move(forces);
  note_change(state_);
}

void ReducedMotion::set_surface_forces(std::span<const SurfaceForces> forces) {
  if (std::equal(forces.begin(), forces.end(), surface_.begin(), surface_.end())) return;
  surface_.assign(forces.begin(), forces.end());
  surface_loads_.resize(surface_.size());
  for (std::size_t i = 0; i < surface_.size(); ++i) {
    surface_loads_[i].setZero(rank());
    for (std::size_t k = 0; k < surface_[i].vertices.size(); ++k)
      add_force(surface_[i].vertices[k], surface_[i].forces.col(static_cast<Index>(k)), surface_loads_[i]);
  }
  note_change(state_);
}

ReducedSpring ReducedMotion::spring_at(const Point& point, const Vector3& target, double stiffness) const {
  return {rows(point), target - rest(point), stiffness};
}

/// Stiffnesses of the springs that hold handles, N/m: a million times what resists a force there within a
/// step of h seconds, so that they are missed by a millionth of what they change.
Vector ReducedMotion::grips_of(std::span<const Handle> handles, double h) const {
  constexpr double grip = 1e6;
  ElasticWorkspace work;
  Vector force(rank());
  Matrix resisting(rank(), rank());
  equations_->elastic.evaluate(Vector::Zero(rank()), work, force, resisting);
  resisting += 4.0 / (h * h) * equations_->mass;
  const Cholesky factor(resisting);
  require(factor.ok(), "handles cannot hold the body: its stiffness and mass are not positive definite");
  Vector grips(static_cast<Index>(handles.size()));
  for (Index i = 0; i < grips.size(); ++i) {
    const Matrix columns = rows(handles[static_cast<std::size_t>(i)].point).transpose();
    grips(i) = grip * 3.0 / (columns.transpose() * factor.solve(columns)).trace();
  }
  return grips;
}

/// grips: of the handles; none: not known yet, and they hold nothing.
void ReducedMotion::use_springs(std::span<const Spring> springs, std::span<const Handle> handles,
                                const Vector& grips) {
  std::vector<ReducedSpring> taken;
  taken.reserve(springs.size() + handles.size());
  for (const auto& [point, target, stiffness] : springs) taken.push_back(spring_at(point, target, stiffness));
  for (Index i = 0; i < grips.size(); ++i) {
    const Handle& handle = handles[static_cast<std::size_t>(i)];
    taken.push_back(spring_at(handle.point, handle.position, grips(i)));
  }
  work_.system.set_springs(std::move(taken));
}

/// Springs and handles hold what they held, and pull elsewhere.
void ReducedMotion::aim_springs() {
  anchors_.resize(3, static_cast<Index>(springs_.size()) + grips_.size());
  Index next = 0;
  for (const Spring& spring : springs_) anchors_.col(next++) = spring.target - rest(spring.point);
  for (Index i = 0; i < grips_.size(); ++i) {
    const Handle& handle = handles_[static_cast<std::size_t>(i)];
    anchors_.col(next++) = handle.position - rest(handle.point);
  }
  work_.system.set_anchors(anchors_);
  note_change(state_);
}

void ReducedMotion::set_springs(std::span<const Spring> springs) {
  if (std::equal(springs.begin(), springs.end(), springs_.begin(), springs_.end())) return;
  if (same_grip(springs_, springs)) {
    std::copy(springs.begin(), springs.end(), springs_.begin());
    return aim_springs();
  }
  std::vector<Spring> next(springs.begin(), springs.end());
  use_springs(next, handles_, grips_);
  springs_ = std::move(next);
  note_change(state_);
}

void ReducedMotion::set_handles(std::span<const Handle> handles, ConstraintPriority /*priority*/,
                                std::span<const Point> /*exercised*/) {
  if (handles.empty() && handles_.empty()) return;
  if (same_grip(handles_, handles)) {
    std::copy(handles.begin(), handles.end(), handles_.begin());
    return aim_springs();
  }
  std::vector<Handle> next(handles.begin(), handles.end());
  use_springs(springs_, next, {});  // how stiff they are follows from the next step
  handles_ = std::move(next);
  grips_.resize(0);
  if (handles_.empty()) report_ = {};
  const Matrix3X& rest = setup_.surface->mesh().vertices;
  size_ = (rest.rowwise().maxCoeff() - rest.rowwise().minCoeff()).norm();
  note_change(state_);
}

/// What the first step, and the first of another length, need.
SolveReport ReducedMotion::begin(double h) {
  if (!handles_.empty() && (h != grip_h_ || grips_.size() == 0)) {
    Vector grips = grips_of(handles_, h);
    use_springs(springs_, handles_, grips);
    grips_ = std::move(grips);
    grip_h_ = h;
    note_change(state_);
  }
  if (balanced_) return {};
  balanced_ = true;
  // Springs act at the end of a step alone: what they would do at once, with no end to it, is left out.
  if (!springs_.empty() || !handles_.empty()) return {};
  load_from(state_.time, state_.time + 0.5 * h, load_after_);
  const SolveReport balanced = balance(work_, load_after_, state_);
  balanced_ = balanced.ok();
  return balanced;
}

/// Central differences leave every bound where the step is too long.
void ReducedMotion::check_explicit_step(double h, const ReducedStepOptions& options) {
  if (options.integrator != Integrator::central_differences) return;
  require(springs_.empty() && handles_.empty(),
          "central differences do not take springs and handles, which are stiffer than they bear; use the "
          "integrator 'newmark'");
  if (h == explicit_h_) return;
  const double critical = critical_timestep(*equations_, setup_.damping);
  require(h < critical,
          "the time step is {} s, but central differences are stable only below {:.3g} s for {}; use that or "
          "the integrator 'newmark'",
          h, critical, setup_.model->name.empty() ? "the body" : setup_.model->name);
  explicit_h_ = h;
}

/// Forces at the ends of a step are their means over half a step before and after.
SolveReport ReducedMotion::step_under_timed_loads(double h, const ReducedStepOptions& options) {
  start_ = state_;
  bool load_changes = false;
  const auto advance = [&](double part, bool last) {
    load_from(std::max(0.0, state_.time - 0.5 * part), state_.time + 0.5 * part, load_before_);
    load_from(state_.time + 0.5 * part, state_.time + 1.5 * part, load_after_);
    const StepLoad load = mean_load(load_after_, options.newmark, load_before_, state_);
    load_changes = load_changes || !load.stands_still();
    return step_once(work_, part, load, state_, options, last);
  };
  const bool halves = options.integrator == Integrator::newmark && options.newmark.max_iterations > 1;
  const SolveReport solved = step_by_halves(advance, h, halves ? options.max_halvings : 0);
  if (solved.ok()) {
    state_.time = start_.time + h;
    if (load_changes || start_.changed) forget_slack(state_);
  } else {
    state_ = start_;
  }
  return solved;
}

/// How far they are from where they should be.
void ReducedMotion::look_at_handles() {
  constexpr double tolerance = 1e-5;  // of the size of the body
  report_ = missed_targets(*this, handles_, tolerance * size_);
}

StepReport ReducedMotion::step(double h, const ReducedStepOptions& options) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  check_explicit_step(h, options);
  if (const SolveReport begun = begin(h); !begun.ok()) return {begun};
  const bool varies = loads_vary();
  if (!varies && !surface_.empty()) load_from(state_.time, state_.time + h, load_after_);
  const Vector& load = surface_.empty() ? load_ : load_after_;
  const SolveReport solved =
      varies ? step_under_timed_loads(h, options) : limber::step(work_, h, load, state_, options);
  if (solved.ok() && !handles_.empty()) look_at_handles();
  return {solved};
}

StepReport ReducedMotion::solve_static(const EquilibriumOptions& options) {
  report(options.progress, "reduced statics", 0.0);
  load_from(state_.time, state_.time, load_after_);
  if (!handles_.empty() && grips_.size() == 0) {
    constexpr double second = 1.0;  // inertia, which has no part in it, is little beside any stiffness then
    Vector grips = grips_of(handles_, second);
    use_springs(springs_, handles_, grips);
    grips_ = std::move(grips);
    grip_h_ = second;
  }
  Vector q = state_.u;
  const SolveReport solved =
      limber::solve_static(work_.system, load_after_, q, options.tolerance, options.max_iterations);
  if (solved.ok()) {
    const double time = state_.time;
    state_ = make_reduced_state(rank());
    state_.time = time;
    state_.u = std::move(q);
    balanced_ = true;
    note_change(state_);
    if (!handles_.empty()) look_at_handles();
  }
  return {solved, 1.0, 1};
}

TreeState ReducedMotion::state() const {
  TreeState result;
  result.time = state_.time;
  result.q = state_.u;
  result.v = state_.v;
  result.a = state_.a;
  result.slack = state_.slack;
  result.caution = state_.caution;
  return result;
}

void ReducedMotion::set_state(const TreeState& state, Accelerations accelerations) {
  DynamicState next{state.time, state.q, state.v, state.a};
  if (accelerations == Accelerations::keep) {
    next.slack = state.slack;
    next.caution = state.caution;
    note_change(next);
  } else {
    next.a = Vector::Zero(state.q.size());
    load_from(next.time, next.time, load_after_);
    require(balance(work_, load_after_, next).ok(),
            "the body is so far from rest that its forces are not finite; reset it first");
    if (!handles_.empty()) next.a.setZero();  // which act at the end of a step alone
  }
  state_ = std::move(next);
  balanced_ = accelerations == Accelerations::balance || state_.time > 0.0 || !state_.a.isZero(0.0);
}

void ReducedMotion::set_velocity(const Vector3& /*velocity*/, const Vector3& /*angular*/) {
  throw Error("the body is held, so that it cannot be thrown");
}

void ReducedMotion::reset() {
  state_ = make_reduced_state(rank());
  balanced_ = false;
  report_ = {};
  note_change(state_);
}

/// What the workspace keeps from step to step (preconditioner, evaluations) follows from the state and the
/// step, to the bit.
void ReducedMotion::save(StateWriter& out) const {
  out.write(balanced_);
  save_state(state_, out);
  out.write(report_.met);
  out.write(report_.position_error);
  out.write(grips_.size() > 0 ? grip_h_ : 0.0);
}

void ReducedMotion::restore(StateReader& in) {
  bool balanced = false;
  ConstraintReport report;
  in.read(balanced);
  DynamicState state = restore_state(in, rank());
  in.read(report.met);
  in.read(report.position_error);
  double grip_h = 0.0;
  in.read(grip_h);
  require(grip_h >= 0.0 && std::isfinite(grip_h), "the state has handles for a step of {} s", grip_h);
  if (!handles_.empty()) {
    Vector grips = grip_h > 0.0 ? grips_of(handles_, grip_h) : Vector();
    use_springs(springs_, handles_, grips);
    grips_ = std::move(grips);
    grip_h_ = grip_h;
  }
  state_ = std::move(state);
  balanced_ = balanced;
  report_ = report;
}

BodyEnergy ReducedMotion::energy() const {
  product_.resize(rank());
  const double elastic = equations_->elastic.evaluate_force(state_.u, elastic_, product_);
  work_.system.multiply_mass(state_.v, product_);
  return {elastic, 0.5 * state_.v.dot(product_)};
}

TreeMomentum ReducedMotion::momentum() const {
  return momentum_of(reduced(), setup_.settings.front(), state_.u, state_.v);
}

Vector3 ReducedMotion::position(const Point& point) const {
  if (point.of == Point::Of::mesh)
    return rest(point) + reduced().simulation->basis.block(3 * Index{point.vertex}, 0, 3, rank()) * state_.u;
  return rest(point) + product_at(reduced().surface.basis, point.vertex, state_.u);
}

Vector3 ReducedMotion::velocity(const Point& point) const {
  if (point.of == Point::Of::mesh) return rows(point) * state_.v;
  return product_at(reduced().surface.basis, point.vertex, state_.v);
}

Eigen::Quaterniond ReducedMotion::orientation(const Point& /*point*/) const {
  return Eigen::Quaterniond::Identity();
}

void ReducedMotion::point_rows(const Point& point, PointRows& result) const {
  result.take_first(rank());
  const Index first = 3 * Index{point.vertex};
  if (point.of == Point::Of::mesh) {
    result.rows = reduced().simulation->basis.block(first, 0, 3, rank());
  } else {
    result.rows = reduced().surface.basis.block(first, 0, 3, rank()).cast<double>();
  }
}

Matrix3X ReducedMotion::surface_displacement() const {
  const Eigen::MatrixXf& basis = reduced().surface.basis;
  Matrix3X field(3, basis.rows() / 3);
  field.reshaped() = (basis.leftCols(rank()) * state_.u.cast<float>()).cast<double>();
  return field;
}

Index ReducedMotion::mesh_vertex_count() const {
  return reduced().simulation ? reduced().simulation->mesh.vertex_count() : 0;
}

Matrix3X ReducedMotion::mesh_displacement() const {
  if (!reduced().simulation) return Matrix3X(3, 0);
  const Matrix& basis = reduced().simulation->basis;
  Matrix3X field(3, basis.rows() / 3);
  field.reshaped() = basis.leftCols(rank()) * state_.u;
  return field;
}

void ReducedMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  const TreePoints<float>::PartPoints& part = setup_.surface->part(0);
  coordinates_ = state_.u.cast<float>();
  part.basis.positions(part.rest, coordinates_, x);
}

}  // namespace limber
