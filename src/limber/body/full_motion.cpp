#include "limber/body/full_motion.hpp"

#include "limber/body/handles.hpp"
#include "limber/full/mass_pairs.hpp"
#include "limber/integrators/saved_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// Stiffness of what holds a handle in equilibria, in multiples of what resists it.
constexpr double static_grip = 1e6;

RigidMotion rigid_motion(PoseFunction motion) {
  return [motion = checked_poses(std::move(motion))](double t) {
    const Pose pose = motion(t);
    Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
    result.linear() = pose.rotation.normalized().toRotationMatrix();
    result.translation() = pose.position;
    return result;
  };
}

bool same_handles(std::span<const Handle> one, std::span<const Handle> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Handle& a, const Handle& b) {
    return a.point == b.point && a.hold_position == b.hold_position && a.position == b.position;
  });
}

bool same_statics(const StaticOptions& a, const StaticOptions& b) {
  return a.tolerance == b.tolerance && a.max_iterations == b.max_iterations && a.load_steps == b.load_steps &&
         a.solver == b.solver;
}

}  // namespace

FullMotion::FullMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials)
    : MeshMotion(std::move(setup), std::move(materials)) {
  moment_.state = state_at_rest(0.0, Vector::Zero(model_->dof_count()));
  moment_.memory.reached.resize(3, 0);
  if (quasistatic()) make_quasistatics();
}

std::unique_ptr<Motion> FullMotion::copy() const {
  auto next = std::make_unique<FullMotion>(setup_, model_->materials());
  next->points_ = points_;
  next->damping_ = damping_;
  hand_loads_to(*next);
  next->set_springs(springs_);
  next->set_handles(handles_, ConstraintPriority::position, {});
  next->set_support(support_motion_);
  next->support_h_ = support_h_;
  next->adopt(moment());
  next->remembered_ = remembered_;
  return next;
}

FullMotion::Moment FullMotion::moment() const {
  Moment result = moment_;
  if (dynamics_) {
    result.state = dynamics_->state();
    result.started = dynamics_->started();
    result.memory = dynamics_->memory();
  }
  result.report = report_;
  return result;
}

void FullMotion::adopt(Moment moment) {
  report_ = moment.report;
  if (dynamics_) {
    dynamics_->resume(moment.state, moment.started);
    dynamics_->set_memory(moment.memory);
  }
  moment_ = std::move(moment);
  place_supports();
}

void FullMotion::require_dynamic(bool nothing, std::string_view what) const {
  require(nothing || !quasistatic(),
          "{}: a quasistatic body does not take {}; let it move by the type 'dynamic'", name(), what);
}

/// Where the supports of the model are now: what is made from it sees it at rest.
void FullMotion::release_supports() {
  if (quasistatics_) model_->set_supports(Matrix3X::Zero(3, mesh_vertex_count()));
  if (support_) support_->place(Eigen::Isometry3d::Identity());
}

void FullMotion::place_supports() {
  if (quasistatics_) quasistatics_->place(time());
  if (support_) support_->place_at(time());
}

void FullMotion::make_quasistatics() {
  quasistatics_ = naming(name(), [&] {
    return std::make_unique<QuasistaticSolver>(*model_, map_function(), load_function(),
                                               quasistatic_options());
  });
}

void FullMotion::make_statics(const EquilibriumOptions& options) {
  StaticOptions wanted = setup_->statics;
  wanted.solver = setup_->solver;
  wanted.tolerance = options.tolerance;
  wanted.max_iterations = options.max_iterations;
  if (statics_ && same_statics(wanted, static_options_)) return;
  statics_ = naming(name(), [&] { return std::make_unique<StaticSolver>(*model_, wanted); });
  static_options_ = wanted;
}

/// The state goes over to them as it is.
void FullMotion::make_dynamics(const DynamicsOptions& options) {
  release_supports();
  auto next =
      std::make_unique<FullDynamics>(*model_, load_function(), moment_.state.u, moment_.state.v, options);
  if (!springs_.empty()) next->set_springs(full_springs());
  if (!handles_.empty()) next->set_handles(full_handles());
  if (support_) next->set_support(support_);
  next->resume(moment_.state, moment_.started);
  next->set_memory(moment_.memory);
  dynamics_ = std::move(next);
  place_supports();
}

/// Before the first step nothing was lost that could come back.
void FullMotion::loads_changed() {
  if (dynamics_ && dynamics_->started()) dynamics_->note_change();
  if (!dynamics_ && moment_.started) note_change(moment_.state);
}

void FullMotion::set_damping(const RayleighDamping& damping) {
  damping_ = damping;  // the next step takes it
  critical_ = 0.0;
  loads_changed();
}

void FullMotion::set_material(Index region, const Material& material) {
  std::vector<Material> materials = model_->materials();
  materials[static_cast<std::size_t>(region)] = material;
  std::unique_ptr<FullModel> next = make_model(std::move(materials));
  std::shared_ptr<MovingSupport> support =
      support_ ? std::make_shared<MovingSupport>(*next, rigid_motion(support_motion_)) : nullptr;
  Moment kept = moment();
  if (kept.started) note_change(kept.state);
  dynamics_.reset();
  statics_.reset();
  quasistatics_.reset();
  support_ = std::move(support);
  adopt_model(std::move(next));
  critical_ = 0.0;
  if (quasistatic()) make_quasistatics();
  adopt(std::move(kept));
}

std::vector<FullSpring> FullMotion::full_springs() const {
  std::vector<FullSpring> result;
  result.reserve(springs_.size());
  for (const auto& [point, target, stiffness] : springs_)
    result.push_back({points_.place(point), target - points_.rest(point), stiffness});
  return result;
}

std::vector<FullHandle> FullMotion::full_handles() const {
  std::vector<FullHandle> result;
  result.reserve(handles_.size());
  for (const Handle& handle : handles_)
    result.push_back({points_.place(handle.point), handle.position - points_.rest(handle.point)});
  return result;
}

void FullMotion::set_springs(std::span<const Spring> springs) {
  require_dynamic(springs.empty(), "springs");
  if (std::equal(springs.begin(), springs.end(), springs_.begin(), springs_.end())) return;
  springs_.assign(springs.begin(), springs.end());
  if (dynamics_) {
    dynamics_->set_springs(full_springs());
  } else {
    loads_changed();
  }
}

void FullMotion::go_back() {
  require(remembered_.has_value(), "there is nothing remembered to go back to");
  adopt(*remembered_);
}

void FullMotion::set_handles(std::span<const Handle> handles, ConstraintPriority /*priority*/,
                             std::span<const Point> /*exercised*/) {
  require_dynamic(handles.empty(), "handles");
  if (same_handles(handles, handles_)) return;
  for (const Handle& handle : handles) {
    const MeshPlace place = points_.place(handle.point);
    bool moves = false;
    for (std::size_t i = 0; i < place.vertices.size(); ++i)
      moves = moves || (place.weights[i] != 0.0 && model_->dofs().free_index(place.vertices[i]) >= 0);
    require(moves, "vertex {} cannot move: the body is held there; hold another one", handle.point.vertex);
  }
  const bool led = same_grip(handles, handles_);  // which is no change of the loads
  handles_.assign(handles.begin(), handles.end());
  if (handles_.empty()) report_ = {};
  if (dynamics_) {
    dynamics_->set_handles(full_handles());
  } else if (!led) {
    loads_changed();
  }
}

void FullMotion::set_support(const PoseFunction& motion) {
  require_dynamic(!motion, "another support than that of its maps");
  if (!motion && !support_motion_) return;
  std::shared_ptr<MovingSupport> next;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  if (motion) {
    next = naming(name(), [&] { return std::make_shared<MovingSupport>(*model_, rigid_motion(motion)); });
    pose = next->pose_at(time());
  }
  const Eigen::Isometry3d before = support_ ? support_->pose_at(time()) : Eigen::Isometry3d::Identity();
  release_supports();
  support_ = std::move(next);
  support_motion_ = motion;
  Moment carried = moment();
  if (pose.matrix() != before.matrix()) {
    const Eigen::Isometry3d way = pose * before.inverse();
    const auto turn = [&](Vector& x) {
      const Matrix3X turned = way.linear() * x.reshaped(3, x.size() / 3);
      x = turned.reshaped();
    };
    const Vector rest = model_->dofs().restrict(setup_->mesh.vertices);
    Matrix3X places = (rest + carried.state.u).reshaped(3, rest.size() / 3);
    places = ((way.linear() * places).colwise() + way.translation()).eval();
    carried.state.u = places.reshaped() - rest;
    turn(carried.state.v);
    turn(carried.state.a);
  }
  if (carried.started) note_change(carried.state);
  carried.memory = {false, Matrix3X(3, 0)};
  if (dynamics_) dynamics_->set_support(support_);
  adopt(std::move(carried));
}

StepReport FullMotion::step(double h, const ReducedStepOptions& options) {
  check_step(h);
  if (quasistatic()) return step_quasistatic(h);
  check_explicit_step(h, options);
  if (dynamics_) {
    dynamics_->set_options(dynamics_options(options));
  } else {
    make_dynamics(dynamics_options(options));
  }
  const SolveReport solved = dynamics_->step(h);
  if (!solved.ok()) return {solved};
  support_h_ = h;
  if (!handles_.empty()) look_at_handles();
  return {solved};
}

StepReport FullMotion::step_quasistatic(double h) {
  StepClock clock = moment_.clock;
  clock.aim(h);
  const StaticReport solved = quasistatics_->step(clock.begin(), clock.end(), moment_.state.u);
  if (solved.ok()) {
    clock.advance();
    moment_.clock = clock;
    moment_.state.time = clock.time();
  }
  return step_report_of(solved);
}

/// Central differences leave every bound where the step is too long.
void FullMotion::check_explicit_step(double h, const ReducedStepOptions& options) {
  if (options.integrator != Integrator::central_differences) return;
  require(springs_.empty() && handles_.empty(), "{}: springs and handles need the integrator 'newmark'",
          name());
  if (critical_ == 0.0) {
    release_supports();
    critical_ = critical_timestep(*model_, damping_);
    place_supports();
  }
  require(h < critical_,
          "the time step is {} s, but central differences are stable only below {:.3g} s for {}; use that or "
          "the integrator 'newmark'",
          h, critical_, name());
}

/// How far they are from where they should be.
void FullMotion::look_at_handles() {
  constexpr double tolerance = 1e-5;  // of the size of the body
  const BoundingBox box = bounding_box(setup_->mesh);
  report_ = {};
  for (const Handle& handle : handles_)
    report_.position_error =
        std::max(report_.position_error, (position(handle.point) - handle.position).norm());
  report_.met = report_.position_error <= tolerance * (box.max - box.min).norm();
}

/// Of equilibria: handles are springs, too, far stiffer than the body.
std::vector<FullSpring> FullMotion::static_springs() const {
  std::vector<FullSpring> springs = full_springs();
  if (handles_.empty()) return springs;
  const Vector resisting = model_->stiffness(Vector::Zero(model_->dof_count())).diagonal();
  for (const FullHandle& handle : full_handles()) {
    double largest = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < handle.place.vertices.size(); ++i) {
      const int f = model_->dofs().free_index(handle.place.vertices[i]);
      if (f < 0) continue;
      squares += handle.place.weights[i] * handle.place.weights[i];
      largest = std::max(largest, resisting.segment<3>(3 * Index{f}).maxCoeff());
    }
    springs.push_back({handle.place, handle.target, static_grip * largest / squares});
  }
  return springs;
}

StepReport FullMotion::solve_static(const EquilibriumOptions& options) {
  Vector load_now, y = world_displacement();
  load(time(), time(), load_now);
  release_supports();
  std::vector<FullSpring> springs;
  try {
    make_statics(options);
    springs = static_springs();
  } catch (...) {
    place_supports();
    throw;
  }
  place_supports();
  statics_->set_springs(springs, support_ ? support_->displacement() : Matrix3X(3, 0));
  const StaticReport solved = statics_->solve(load_now, y, options.progress);
  if (solved.ok()) {
    Moment next = moment();
    const double time = next.state.time;
    next.state = state_at_rest(time, quasistatic() ? quasistatics_->maps().to_rest(model_->dofs(), y) : y);
    next.started = false;
    next.memory = {false, Matrix3X(3, 0)};
    adopt(std::move(next));
    if (!handles_.empty()) look_at_handles();
  }
  return step_report_of(solved);
}

void FullMotion::set_state(const TreeState& state, Accelerations accelerations) {
  Moment next = moment();
  if (quasistatic()) {
    require(state.q.size() == model_->dof_count(), "the state has {} displacements, the body needs {}",
            state.q.size(), model_->dof_count());
    next.state = state_at_rest(state.time, state.q);
    next.clock.set(state.time);
  } else {
    next.state = taken_state(state, accelerations);
    next.started = accelerations == Accelerations::keep;
  }
  next.memory = {false, Matrix3X(3, 0)};
  adopt(std::move(next));
}

void FullMotion::take_velocities(Vector v) {
  Moment next = moment();
  next.state = {next.state.time, next.state.u, std::move(v), Vector::Zero(model_->dof_count())};
  next.started = false;
  adopt(std::move(next));
}

void FullMotion::reset() {
  Moment next;
  next.memory.reached.resize(3, 0);
  Vector u = Vector::Zero(model_->dof_count());
  if (support_) {
    const Eigen::Isometry3d pose = support_->pose_at(0.0);
    const Matrix3X& rest = setup_->mesh.vertices;
    u = model_->dofs().restrict(((pose.linear() * rest).colwise() + pose.translation()) - rest);
  }
  next.state = state_at_rest(0.0, std::move(u));
  adopt(std::move(next));
}

/// Solvers keep nothing from step to step that this does not give back, to the bit.
void FullMotion::save(StateWriter& out) const {
  const Moment now = moment();
  out.write(now.started);
  save_state(now.state, out);
  now.clock.save(out);
  out.write(now.memory.moved);
  out.write(now.memory.reached);
  out.write(now.report.met);
  out.write(now.report.position_error);
}

void FullMotion::restore(StateReader& in) {
  Moment next;
  in.read(next.started);
  next.state = restore_state(in, model_->dof_count());
  next.clock.restore(in);
  in.read(next.memory.moved);
  in.read(next.memory.reached);
  in.read(next.report.met);
  in.read(next.report.position_error);
  require(next.memory.reached.allFinite() && std::isfinite(next.report.position_error),
          "the state has numbers that are not finite");
  adopt(std::move(next));
}

Vector FullMotion::world_displacement() const {
  return quasistatic() ? quasistatics_->maps().to_world(model_->dofs(), q()) : q();
}

Matrix3X FullMotion::mesh_displacement() const {
  if (quasistatic()) return quasistatics_->maps().displacement(model_->dofs(), q());
  Matrix3X field = model_->dofs().expand(q());
  if (support_) field += support_->displacement();  // one of the two is zero in each column
  return field;
}

Vector3 FullMotion::vertex_displacement(int vertex) const {
  const int f = model_->dofs().free_index(vertex);
  if (!quasistatic()) {
    if (f >= 0) return q().segment<3>(3 * Index{f});
    return support_ ? Vector3(support_->displacement().col(vertex)) : Vector3::Zero();
  }
  const VertexMaps& maps = quasistatics_->maps();
  Vector3 moved = maps.offset.col(vertex);
  if (f < 0) return moved;
  const Vector3 u = q().segment<3>(3 * Index{f});
  if (maps.carries()) {
    moved += maps.linear[static_cast<std::size_t>(vertex)] * u;
  } else {
    moved += u;
  }
  return moved;
}

RigidVelocity FullMotion::support_velocity() const {
  return support_ ? support_->velocity(time(), support_h_) : RigidVelocity{};
}

Vector3 FullMotion::vertex_velocity(int vertex) const {
  if (!support_ || model_->dofs().free_index(vertex) >= 0) return MeshMotion::vertex_velocity(vertex);
  const std::vector<int>& held = support_->held();
  if (!std::binary_search(held.begin(), held.end(), vertex)) return Vector3::Zero();
  return support_velocity().at(setup_->mesh.vertices.col(vertex) + vertex_displacement(vertex));
}

Matrix3X FullMotion::mesh_velocity() const {
  Matrix3X field = MeshMotion::mesh_velocity();
  const RigidVelocity velocity = support_velocity();
  if (velocity.is_zero()) return field;
  for (const int v : support_->held())
    field.col(v) = velocity.at(setup_->mesh.vertices.col(v) + vertex_displacement(v));
  return field;
}

/// With that of the fixed vertices where they move.
double FullMotion::kinetic_energy() const {
  if (support_velocity().is_zero()) return 0.5 * v().dot(model_->mass() * v());
  const Matrix3X velocities = mesh_velocity();
  double sum = 0.0;
  for_each_mass(*model_, [&](int a, int b, double mass) {
    sum += 0.5 * mass * velocities.col(a).dot(velocities.col(b));
  });
  return sum;
}

}  // namespace limber
