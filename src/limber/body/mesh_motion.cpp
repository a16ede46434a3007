#include "limber/body/mesh_motion.hpp"

#include "limber/body/handles.hpp"
#include "limber/full/mass_pairs.hpp"
#include "limber/multidomain/wind.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

bool has_own_surface(const MeshBodySetup& setup) { return setup.surface.triangle_count() > 0; }

/// Vertices of the boundary, ascending: those of boundary_surface(), in its order.
std::vector<int> vertices_of_boundary(const VolumeMesh& mesh) {
  std::vector<char> used(static_cast<std::size_t>(mesh.vertex_count()), 0);
  const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
  for (const int v : triangles.reshaped()) used[static_cast<std::size_t>(v)] = 1;
  std::vector<int> vertices;
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v] != 0) vertices.push_back(static_cast<int>(v));
  }
  return vertices;
}

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

MeshPoints::MeshPoints(std::shared_ptr<const MeshBodySetup> setup) : setup_(std::move(setup)) {
  if (has_own_surface(*setup_)) {
    surface_ = setup_->surface.vertices;
  } else {
    boundary_ = vertices_of_boundary(setup_->mesh);
    surface_ = setup_->mesh.vertices(Eigen::all, boundary_);
  }
}

const Embedding& MeshPoints::embedding() const {
  if (!embedding_)
    embedding_ = std::make_shared<const Embedding>(embed_points(setup_->mesh, surface_, setup_->executor));
  return *embedding_;
}

Vector3 MeshPoints::rest(const Point& point) const {
  return point.of == Point::Of::mesh ? setup_->mesh.vertices.col(point.vertex) : surface_.col(point.vertex);
}

MeshPlace MeshPoints::place(const Point& point) const {
  if (point.of == Point::Of::mesh) return {{point.vertex}, {1.0}};
  if (!boundary_.empty()) return {{boundary_[static_cast<std::size_t>(point.vertex)]}, {1.0}};
  MeshPlace place;
  const Embedding& bound = embedding();
  for (Index a = 0; a < bound.weights.rows(); ++a) {
    place.vertices.push_back(bound.vertices(a, point.vertex));
    place.weights.push_back(bound.weights(a, point.vertex));
  }
  return place;
}

Matrix3X MeshPoints::on_surface(const Matrix3X& of_mesh) const {
  if (!boundary_.empty()) return of_mesh(Eigen::all, boundary_);
  return interpolate(embedding(), of_mesh);
}

std::shared_ptr<const BodySurface> surface_of(const MeshBodySetup& setup) {
  return std::make_shared<const BodySurface>(
      has_own_surface(setup) ? setup.surface : boundary_surface(setup.mesh), setup.colors);
}

void StepClock::set(double time) {
  *this = {};
  from_ = time_ = time;
}

void StepClock::aim(double h) {
  if (h == h_) return;
  from_ = time_;
  steps_ = 0;
  h_ = h;
}

void StepClock::advance() {
  time_ = end();
  ++steps_;
}

void StepClock::save(StateWriter& out) const {
  for (const double value : {from_, h_, time_}) out.write(value);
  out.write(steps_);
}

void StepClock::restore(StateReader& in) {
  StepClock next;
  for (double* value : {&next.from_, &next.h_, &next.time_}) in.read(*value);
  in.read(next.steps_);
  require(std::isfinite(next.from_) && std::isfinite(next.h_) && std::isfinite(next.time_),
          "the state has times that are not finite");
  *this = next;
}

MeshMotion::MeshMotion(std::shared_ptr<const MeshBodySetup> setup, std::vector<Material> materials)
    : setup_(std::move(setup)),
      model_(make_model(std::move(materials))),
      points_(setup_),
      damping_(setup_->damping) {
  compute_loads();
}

std::unique_ptr<FullModel> MeshMotion::make_model(std::vector<Material> materials) const {
  return naming(setup_->name, [&] {
    return std::make_unique<FullModel>(setup_->mesh, std::move(materials), setup_->fixed,
                                       FullModelOptions{setup_->mass, setup_->executor});
  });
}

std::unique_ptr<FullModel> MeshMotion::model_with(Index region, const Material& material) const {
  std::vector<Material> materials = model_->materials();
  materials[static_cast<std::size_t>(region)] = material;
  return make_model(std::move(materials));
}

void MeshMotion::adopt_model(std::unique_ptr<FullModel> model) {
  if (support_) {
    auto support = std::make_shared<MovingSupport>(*model, rigid_motion(support_motion_));
    support->place(support_->pose());
    support_ = std::move(support);
  }
  statics_.reset();
  model_ = std::move(model);
  compute_loads();
}

/// All that depends on the model: masses may be others.
void MeshMotion::compute_loads() {
  constant_ = constant_load(gravity_, forces_);
  compute_timed_loads();
  compute_surface_loads();
}

void MeshMotion::compute_surface_loads() {
  surface_loads_.resize(surface_.size());
  for (std::size_t i = 0; i < surface_.size(); ++i) {
    const auto& [vertices, forces, from, to] = surface_[i];
    surface_loads_[i].setZero(model_->dof_count());
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      const Vector3 force = forces.col(static_cast<Index>(k));
      points_.for_each_vertex(vertices[k], [&, i = i](int vertex, double weight) {
        const int f = model_->dofs().free_index(vertex);
        if (f >= 0) surface_loads_[i].segment<3>(3 * Index{f}) += weight * force;
      });
    }
  }
}

void MeshMotion::compute_timed_loads() {
  timed_forces_ = timed_forces(timed_);
  if (timed_.accelerations.empty()) return;
  for (int axis = 0; axis < 3; ++axis)
    along_[static_cast<std::size_t>(axis)] = model_->gravity_force(Vector3::Unit(axis));
}

Vector MeshMotion::constant_load(const Vector3& gravity, std::span<const PointForce> forces) const {
  Vector sum = model_->gravity_force(gravity);
  for (const auto& [point, force] : forces) add_force_at(points_.place(point), model_->dofs(), force, sum);
  return sum;
}

std::vector<Vector> MeshMotion::timed_forces(const TimedLoads& loads) const {
  std::vector<Vector> forces;
  for (const TimedForce& one : loads.forces) {
    forces.emplace_back(Vector::Zero(model_->dof_count()));
    for (const Point& point : one.points)
      add_force_at(points_.place(point), model_->dofs(), one.force, forces.back());
  }
  return forces;
}

void MeshMotion::set_gravity(const Vector3& acceleration) {
  if (acceleration == gravity_) return;  // what a step has lost may come back
  constant_ = constant_load(acceleration, forces_);
  gravity_ = acceleration;
  loads_changed();
}

void MeshMotion::set_forces(std::span<const PointForce> forces) {
  if (std::equal(forces.begin(), forces.end(), forces_.begin(), forces_.end())) return;
  std::vector<PointForce> next(forces.begin(), forces.end());
  constant_ = constant_load(gravity_, next);
  forces_ = std::move(next);
  loads_changed();
}

void MeshMotion::set_timed_loads(const TimedLoads& loads) {
  if (loads.empty() && timed_.empty()) return;
  timed_ = loads;
  compute_timed_loads();
  loads_changed();
}

void MeshMotion::set_surface_forces(std::span<const SurfaceForces> forces) {
  if (std::equal(forces.begin(), forces.end(), surface_.begin(), surface_.end())) return;
  if (same_sites(forces, surface_)) {  // nothing is allocated
    std::copy(forces.begin(), forces.end(), surface_.begin());
  } else {
    surface_.assign(forces.begin(), forces.end());
  }
  compute_surface_loads();
  loads_changed();
}

void MeshMotion::hand_loads_to(MeshMotion& other) const {
  other.set_gravity(gravity_);
  other.set_forces(forces_);
  other.set_timed_loads(timed_);
  other.set_surface_forces(surface_);
  other.set_springs(springs_);
  other.set_handles(handles_, ConstraintPriority::position, {});
  other.set_wind(wind_);
  other.set_support(support_motion_);
}

MeshMotion::AtRest::AtRest(MeshMotion& motion) : motion_(motion) {
  if (motion_.maps() != nullptr) motion_.model_->set_supports(Matrix3X::Zero(3, motion_.mesh_vertex_count()));
  if (!motion_.support_) return;
  pose_ = motion_.support_->pose();
  motion_.support_->place(Eigen::Isometry3d::Identity());
}

MeshMotion::AtRest::~AtRest() {
  if (const VertexMaps* const maps = motion_.maps()) motion_.model_->set_supports(maps->offset);
  if (motion_.support_) motion_.support_->place(pose_);
}

void MeshMotion::require_dynamic(bool nothing, Ability ability) const {
  if (nothing || !quasistatic()) return;
  require_ability(Method::full, ability, Circumstance::quasistatic, name());  // those that learn are alike
}

void MeshMotion::set_springs(std::span<const Spring> springs) {
  require_dynamic(springs.empty(), Ability::springs);
  if (std::equal(springs.begin(), springs.end(), springs_.begin(), springs_.end())) return;
  springs_.assign(springs.begin(), springs.end());
  springs_changed();
}

void MeshMotion::set_handles(std::span<const Handle> handles, ConstraintPriority /*priority*/,
                             std::span<const Point> /*exercised*/) {
  require_dynamic(handles.empty(), Ability::handles);
  if (same_handles(handles, handles_)) return;
  const bool led = same_grip(handles, handles_);  // which is no change of the loads
  handles_.assign(handles.begin(), handles.end());
  if (handles_.empty()) report_ = {};
  handles_changed(led);
}

void MeshMotion::set_wind(const Wind& wind) {
  require_dynamic(wind == Wind{}, Ability::wind);
  if (wind == wind_) return;
  wind_ = wind;
  air_changed();
}

void MeshMotion::set_support(const PoseFunction& motion) {
  require_dynamic(!motion, Ability::supports);
  if (!motion && !support_motion_) return;
  std::shared_ptr<MovingSupport> next;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity(), before = pose, way = pose;
  if (motion) {
    next = naming(name(), [&] { return std::make_shared<MovingSupport>(*model_, rigid_motion(motion)); });
    pose = next->pose_at(time());
  }
  if (support_) {
    before = support_->pose();
    support_->place(Eigen::Isometry3d::Identity());
  }
  support_ = std::move(next);
  support_motion_ = motion;
  if (support_) support_->place(pose);
  if (pose.matrix() != before.matrix()) way = pose * before.inverse();
  support_changed(way);
}

Eigen::Isometry3d MeshMotion::support_pose_at(double time) const {
  return support_ ? support_->pose_at(time) : Eigen::Isometry3d::Identity();
}

std::vector<FullSpring> MeshMotion::full_springs() const {
  std::vector<FullSpring> result;
  result.reserve(springs_.size());
  for (const auto& [point, target, stiffness] : springs_)
    result.push_back({points_.place(point), target - points_.rest(point), stiffness});
  return result;
}

std::vector<FullHandle> MeshMotion::full_handles() const {
  std::vector<FullHandle> result;
  result.reserve(handles_.size());
  for (const Handle& handle : handles_)
    result.push_back({points_.place(handle.point), handle.position - points_.rest(handle.point)});
  return result;
}

FullAir MeshMotion::air() const {
  if (wind_ == Wind{}) return {};
  return {[wind = wind_](const Vector3& x, double t) { return air_velocity(wind, x, t); },
          0.5 * wind_.density * wind_.coefficient};
}

void MeshMotion::look_at_handles() {
  constexpr double tolerance = 1e-5;  // of the size of the body
  const BoundingBox box = bounding_box(setup_->mesh);
  report_ = missed_targets(*this, handles_, tolerance * (box.max - box.min).norm());
}

/// Of equilibria: handles are springs, too, far stiffer than the body.
std::vector<FullSpring> MeshMotion::static_springs() const {
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

void MeshMotion::make_statics(const EquilibriumOptions& options) {
  StaticOptions wanted = setup_->statics;
  wanted.solver = setup_->solver;
  wanted.tolerance = options.tolerance;
  wanted.max_iterations = options.max_iterations;
  if (statics_ && same_statics(wanted, static_options_)) return;
  statics_ = naming(name(), [&] { return std::make_unique<StaticSolver>(*model_, wanted); });
  static_options_ = wanted;
}

StepReport MeshMotion::solve_static(const EquilibriumOptions& options) {
  Vector load_now, y = world_displacement();
  load(time(), time(), load_now);
  if (!(wind_ == Wind{})) FullWind(*model_, air()).add_drag(y, Vector::Zero(y.size()), time(), 0.0, load_now);
  std::vector<FullSpring> springs;
  {
    const AtRest at_rest(*this);
    make_statics(options);
    springs = static_springs();
  }
  statics_->set_springs(springs, support_ ? support_->displacement() : Matrix3X(3, 0));
  const StaticReport solved = statics_->solve(load_now, y, options.progress);
  if (solved.ok()) {
    rest_at(quasistatic() ? maps()->to_rest(model_->dofs(), y) : y);
    if (!handles_.empty()) look_at_handles();
  }
  return step_report_of(solved);
}

void MeshMotion::load(double t0, double t1, Vector& f) const {
  f = constant_;
  add_active(timed_, timed_forces_, surface_, surface_loads_, t0, t1, f);
  if (timed_.accelerations.empty()) return;
  const Vector3 acceleration = mean_acceleration(timed_.accelerations, t0, t1);
  for (int axis = 0; axis < 3; ++axis) f += acceleration(axis) * along_[static_cast<std::size_t>(axis)];
}

LoadFunction MeshMotion::load_function() const {
  return [this](double t0, double t1, Vector& f) { load(t0, t1, f); };
}

std::function<VertexMaps(double)> MeshMotion::map_function() const {
  if (setup_->maps) return setup_->maps;
  return [n = setup_->mesh.vertex_count()](double /*t*/) { return VertexMaps::identity(n); };
}

StaticOptions MeshMotion::quasistatic_options() const {
  StaticOptions options = setup_->statics;
  options.solver = setup_->solver;
  options.load_steps = 0;
  return options;
}

DynamicsOptions MeshMotion::dynamics_options(const ReducedStepOptions& options) const {
  require(options.solver == ReducedSolver::direct,
          "{}: steps without a matrix are those of reduced models; choose the solver 'direct'", name());
  DynamicsOptions result;
  result.integrator = options.integrator;
  result.newmark = options.newmark;
  result.damping = damping_;
  result.solver = setup_->solver;
  result.max_halvings = options.max_halvings;
  result.last_resort = options.last_resort;
  return result;
}

void MeshMotion::check_step(double h) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
}

DynamicState MeshMotion::taken_state(const TreeState& state, Accelerations accelerations) const {
  const Index size = model_->dof_count();
  require(state.q.size() == size && state.v.size() == size,
          "the state has {} displacements and {} velocities, the body needs {} of each", state.q.size(),
          state.v.size(), size);
  DynamicState next{state.time, state.q, state.v, Vector::Zero(size)};
  if (accelerations == Accelerations::keep) {
    require(state.a.size() == size, "the state has {} accelerations, the body needs {}", state.a.size(),
            size);
    next.a = state.a;
    next.slack = state.slack;
    next.caution = state.caution;
    note_change(next);
  } else {
    require(model_->internal_force(next.u).allFinite(),
            "the body is so far from rest that its forces are not finite; reset it first");
  }
  return next;
}

void MeshMotion::set_velocity(const Vector3& velocity, const Vector3& angular) {
  const bool still = velocity.isZero(0.0) && angular.isZero(0.0);
  require_dynamic(still, Ability::flight);
  if (setup_->quasistatic) return;
  const Matrix3X x = setup_->mesh.vertices + mesh_displacement();
  const Vector3 center = x * model_->vertex_masses() / model_->vertex_masses().sum();
  Matrix3X field(3, x.cols());
  for (Index v = 0; v < field.cols(); ++v) field.col(v) = velocity + angular.cross(x.col(v) - center);
  take_velocities(model_->dofs().restrict(field));
}

BodyEnergy MeshMotion::energy() const { return {model_->energy(world_displacement()), kinetic_energy()}; }

double MeshMotion::load_energy() const {
  Matrix3X moved = mesh_displacement();
  const double later = lag();
  if (later > 0.0) moved -= later * mesh_velocity();
  double energy = -gravity_.dot(moved * model_->vertex_masses());
  for (const auto& [point, force] : forces_) {
    energy -= force.dot(position(point) - points_.rest(point));
    if (later > 0.0) energy += later * force.dot(velocity(point));
  }
  return energy;
}

TreeMomentum MeshMotion::momentum() const {
  const Vector& masses = model_->vertex_masses();
  const Matrix3X x = setup_->mesh.vertices + mesh_displacement(), v = mesh_velocity();
  TreeMomentum result;
  result.mass = masses.sum();
  result.center = x * masses / result.mass;
  result.linear = v * masses;
  for_each_mass(*model_, [&](int a, int b, double mass) {
    result.angular += mass * Vector3(x.col(a) - result.center).cross(v.col(b));
  });
  return result;
}

Vector3 MeshMotion::position(const Point& point) const {
  const MeshPlace place = points_.place(point);
  Vector3 sum = points_.rest(point);
  for (std::size_t i = 0; i < place.vertices.size(); ++i)
    sum += place.weights[i] * vertex_displacement(place.vertices[i]);
  return sum;
}

Vector3 MeshMotion::velocity(const Point& point) const {
  const MeshPlace place = points_.place(point);
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < place.vertices.size(); ++i)
    sum += place.weights[i] * vertex_velocity(place.vertices[i]);
  return sum;
}

void MeshMotion::point_rows(const Point& point, PointRows& result) const {
  const DofMap& dofs = model_->dofs();
  result.columns.clear();
  points_.for_each_vertex(point, [&](int vertex, double weight) {
    const int f = dofs.free_index(vertex);
    for (int axis = 0; axis < 3 && f >= 0 && weight != 0.0; ++axis) result.columns.push_back(3 * f + axis);
  });
  result.rows.resize(3, static_cast<Index>(result.columns.size()));
  Index next = 0;
  points_.for_each_vertex(point, [&](int vertex, double weight) {
    if (dofs.free_index(vertex) < 0 || weight == 0.0) return;
    const Matrix3* const map = vertex_map(vertex);
    result.rows.middleCols<3>(next) = weight * (map != nullptr ? *map : Matrix3(Matrix3::Identity()));
    next += 3;
  });
}

Eigen::Quaterniond MeshMotion::orientation(const Point& /*point*/) const {
  return Eigen::Quaterniond::Identity();
}

void MeshMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  x = (points_.surface() + surface_displacement()).cast<float>();
}

void MeshMotion::positions_of(std::span<const int> vertices, Matrix3X& x) const {
  const Matrix3X moved = surface_displacement();
  for (std::size_t i = 0; i < vertices.size(); ++i)
    x.col(static_cast<Index>(i)) = points_.surface().col(vertices[i]) + moved.col(vertices[i]);
}

Matrix3X MeshMotion::surface_displacement() const { return points_.on_surface(mesh_displacement()); }

double MeshMotion::smallest_volume_ratio() const {
  return model_->smallest_volume_ratio(world_displacement());
}

Vector MeshMotion::world_displacement() const {
  return quasistatic() ? maps()->to_world(model_->dofs(), q()) : q();
}

Matrix3X MeshMotion::mesh_displacement() const {
  if (quasistatic()) return maps()->displacement(model_->dofs(), q());
  Matrix3X field = model_->dofs().expand(q());
  if (support_) field += support_->displacement();  // one of the two is zero in each column
  return field;
}

Vector3 MeshMotion::vertex_displacement(int vertex) const {
  const int f = model_->dofs().free_index(vertex);
  if (!quasistatic()) {
    if (f >= 0) return q().segment<3>(3 * Index{f});
    return support_ ? Vector3(support_->displacement().col(vertex)) : Vector3::Zero();
  }
  Vector3 moved = maps()->offset.col(vertex);
  if (f < 0) return moved;
  const Vector3 u = q().segment<3>(3 * Index{f});
  if (maps()->carries()) {
    moved += maps()->linear[static_cast<std::size_t>(vertex)] * u;
  } else {
    moved += u;
  }
  return moved;
}

RigidVelocity MeshMotion::support_velocity() const {
  return support_ ? support_->velocity(time(), support_h_) : RigidVelocity{};
}

Vector3 MeshMotion::vertex_velocity(int vertex) const {
  const int f = model_->dofs().free_index(vertex);
  if (f >= 0) return v().segment<3>(3 * Index{f});
  if (!support_) return Vector3::Zero();
  const std::vector<int>& held = support_->held();
  if (!std::binary_search(held.begin(), held.end(), vertex)) return Vector3::Zero();
  return support_velocity().at(setup_->mesh.vertices.col(vertex) + vertex_displacement(vertex));
}

Matrix3X MeshMotion::mesh_velocity() const {
  Matrix3X field = model_->dofs().expand(v());
  const RigidVelocity velocity = support_velocity();
  if (velocity.is_zero()) return field;
  for (const int vertex : support_->held())
    field.col(vertex) = velocity.at(setup_->mesh.vertices.col(vertex) + vertex_displacement(vertex));
  return field;
}

/// With that of the fixed vertices where they move.
double MeshMotion::kinetic_energy() const {
  if (support_velocity().is_zero()) return moving_energy();
  const Matrix3X velocities = mesh_velocity();
  double sum = 0.0;
  for_each_mass(*model_, [&](int a, int b, double mass) {
    sum += 0.5 * mass * velocities.col(a).dot(velocities.col(b));
  });
  return sum;
}

Vector turned(const Eigen::Isometry3d& way, const Vector& x) {
  const Matrix3X result = way.linear() * x.reshaped(3, x.size() / 3);
  return result.reshaped();
}

DynamicState carried(const Eigen::Isometry3d& way, const Vector& X, DynamicState state) {
  if (way.matrix() == Eigen::Isometry3d::Identity().matrix()) return state;
  Matrix3X places = (X + state.u).reshaped(3, X.size() / 3);
  places = ((way.linear() * places).colwise() + way.translation()).eval();
  state.u = places.reshaped() - X;
  state.v = turned(way, state.v);
  state.a = turned(way, state.a);
  return state;
}

DynamicState state_at_rest(double time, Vector u) {
  const Index size = u.size();
  return {time, std::move(u), Vector::Zero(size), Vector::Zero(size)};
}

TreeState tree_state_of(const DynamicState& state) {
  TreeState result;
  result.time = state.time;
  result.q = state.u;
  result.v = state.v;
  result.a = state.a;
  result.slack = state.slack;
  result.caution = state.caution;
  return result;
}

StepReport step_report_of(const StaticReport& solved) {
  return {
      {solved.status, solved.iterations, solved.residual}, solved.smallest_volume_ratio, solved.load_steps};
}

}  // namespace limber
