#include "limber/body/mesh_motion.hpp"

#include "limber/full/mass_pairs.hpp"

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

void MeshMotion::adopt_model(std::unique_ptr<FullModel> model) {
  model_ = std::move(model);
  compute_loads();
}

/// All that depends on the model: masses may be others.
void MeshMotion::compute_loads() {
  constant_ = constant_load(gravity_, forces_);
  compute_timed_loads();
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

void MeshMotion::hand_loads_to(MeshMotion& other) const {
  other.set_gravity(gravity_);
  other.set_forces(forces_);
  other.set_timed_loads(timed_);
}

void MeshMotion::load(double t0, double t1, Vector& f) const {
  f = constant_;
  for (std::size_t i = 0; i < timed_forces_.size(); ++i)
    f += active_share(timed_.forces[i].from, timed_.forces[i].to, t0, t1) * timed_forces_[i];
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
  require(!setup_->quasistatic || still,
          "{}: a quasistatic body has no velocity; let it move by the type 'dynamic'", name());
  if (setup_->quasistatic) return;
  const Matrix3X x = setup_->mesh.vertices + mesh_displacement();
  const Vector3 center = x * model_->vertex_masses() / model_->vertex_masses().sum();
  Matrix3X field(3, x.cols());
  for (Index v = 0; v < field.cols(); ++v) field.col(v) = velocity + angular.cross(x.col(v) - center);
  take_velocities(model_->dofs().restrict(field));
}

BodyEnergy MeshMotion::energy() const { return {model_->energy(world_displacement()), kinetic_energy()}; }

double MeshMotion::load_energy() const {
  const Matrix3X moved = mesh_displacement();
  double energy = -gravity_.dot(moved * model_->vertex_masses());
  for (const auto& [point, force] : forces_) energy -= force.dot(position(point) - points_.rest(point));
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

Eigen::Quaterniond MeshMotion::orientation(const Point& /*point*/) const {
  return Eigen::Quaterniond::Identity();
}

void MeshMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  x = (points_.surface() + surface_displacement()).cast<float>();
}

Matrix3X MeshMotion::surface_displacement() const { return points_.on_surface(mesh_displacement()); }

double MeshMotion::smallest_volume_ratio() const {
  return model_->smallest_volume_ratio(world_displacement());
}

Matrix3X MeshMotion::mesh_velocity() const { return model_->dofs().expand(v()); }

Vector3 MeshMotion::vertex_velocity(int vertex) const {
  const int f = model_->dofs().free_index(vertex);
  return f >= 0 ? Vector3(v().segment<3>(3 * Index{f})) : Vector3::Zero();
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
