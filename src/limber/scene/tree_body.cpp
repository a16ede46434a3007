#include "limber/scene/tree_body.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/halving.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/support.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

/// Vertices that loads may act on. domains: of each vertex; those of none cannot be chosen.
VolumeMesh points_to_choose(const Matrix3X& vertices, const std::vector<int>& domains) {
  VolumeMesh points;
  points.vertices = vertices;
  std::vector<int> used;
  for (std::size_t v = 0; v < domains.size(); ++v) {
    if (domains[v] >= 0) used.push_back(static_cast<int>(v));
  }
  // An element for each vertex: whatever no element uses cannot be chosen.
  points.elements =
      Eigen::Map<const Eigen::RowVectorXi>(used.data(), static_cast<Index>(used.size())).replicate(4, 1);
  return points;
}

/// Room for vertices of the scene's mesh that no domain has, which rest; without those that only domains
/// have, inside of the body.
Matrix3X with_columns(Matrix3X field, Index count) {
  const Index known = field.cols();
  if (count == 0) return field;
  if (known >= count) return field.leftCols(count);
  field.conservativeResize(3, count);
  field.rightCols(count - known).setZero();
  return field;
}

/// One linearised step is taken as in real time, unless the scene chose its own.
NewmarkOptions newmark_of(const NewmarkOptions& given) {
  const NewmarkOptions standard;
  const bool chosen = given.beta != standard.beta || given.gamma != standard.gamma || !given.guarded;
  return given.max_iterations == 1 && !chosen ? tree_newmark() : given;
}

}  // namespace

TreeBody::TreeBody(const Scene& scene, const SceneBody& body, const Executor& executor,
                   const Progress& progress)
    : executor_(executor),
      dynamics_(find_tree(body, executor, progress, reduction_)),
      surface_(dynamics_.shared_tree()),
      mesh_(find_mesh(dynamics_.shared_tree())),
      vertex_count_(body.mesh.vertex_count()),
      surface_vertex_count_(body.render.vertex_count()),
      gravity_(scene.gravity),
      accelerations_(body.accelerations),
      newmark_(newmark_of(scene.solver.newmark)) {
  require(body.rank == 0, "{}: 'rank' is that of one subspace; give 'domains' with a 'rank' instead",
          body.name);
  dynamics_.set_inertia(body.domains.inertia);
  dynamics_.set_damping(body.damping);
  dynamics_.set_wind(body.wind);
  for (const auto& [name, factor] : body.domains.stiffness) {
    for (const Index d : find_domains(tree(), name, body.name + ": domains.stiffness"))
      dynamics_.set_stiffness(d, factor * dynamics_.stiffness(d));
  }
  mass_ = dynamics_.momentum().mass;
  read_loads(body);
  start_flight(body);
  if (!body.support) return;
  require(!tree().free, "{}: 'support' moves what holds the body, but nothing does; give 'fixed'", body.name);
  check_support(scene, body, surface_.mesh().vertices);
  dynamics_.set_support(body.support);
}

void TreeBody::read_loads(const SceneBody& body) {
  const VolumeMesh points = mesh_ ? points_to_choose(mesh_->mesh().vertices, mesh_->domains())
                                  : points_to_choose(surface_.mesh().vertices, surface_.domains());
  for (std::size_t i = 0; i < body.loads.size(); ++i) {
    Load load{body.loads[i], {}};
    for (const int v : loaded_vertices(points, body, i)) {
      load.points.push_back(mesh_ ? mesh_->point(v) : surface_.point(v));
    }
    loads_.push_back(std::move(load));
  }
}

/// The whole moves as one rigid body at first.
void TreeBody::start_flight(const SceneBody& body) {
  if (body.velocity.isZero(0.0) && body.angular_velocity.isZero(0.0)) return;
  require(tree().free,
          "{}: it is held, so that it cannot start with a velocity; leave out 'velocity' and "
          "'angular_velocity', or let it go",
          body.name);
  TreeState state = dynamics_.state();
  state.root.angular_velocity = body.angular_velocity;
  state.root.velocity =
      body.velocity + body.angular_velocity.cross(state.root.position - dynamics_.momentum().center);
  dynamics_.set_state(state);
}

void TreeBody::apply_loads(double t0, double t1) {
  loads_from_ = t0;
  loads_to_ = t1;
  dynamics_.set_gravity(gravity_ + mean_acceleration(accelerations_, t0, t1));
  if (loads_.empty()) return;
  std::vector<double> shares;
  shares.reserve(loads_.size());
  for (const Load& load : loads_) shares.push_back(active_share(load.load, t0, t1));
  if (shares == shares_) return;
  shares_ = std::move(shares);
  forces_.clear();
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    if (shares_[i] == 0.0) continue;
    for (const TreePoint& point : loads_[i].points) {
      forces_.push_back({point, shares_[i] * loads_[i].load.force});
    }
  }
  dynamics_.set_forces(forces_);
}

StepReport TreeBody::solve(const Progress&) {
  throw Error("the order 'domains' computes motions only; set solver.type to 'dynamic'");
}

StepReport TreeBody::advance(double timestep) {
  if (!started_) {  // only now is it known over which time the first force stands
    apply_loads(0.0, 0.5 * timestep);
    if (const SolveReport balanced = dynamics_.balance(timestep); !balanced.ok()) return {balanced};
    started_ = true;
  }
  StateWriter start;  // filled only where it is needed
  const auto advance_part = [&](double h, bool last) {
    const double time = dynamics_.state().time;
    apply_loads(time + 0.5 * h, time + 1.5 * h);
    SolveReport one = dynamics_.step(h, newmark_);
    if (one.status == SolveStatus::not_converged && last) {
      NewmarkOptions linearized = newmark_;
      linearized.max_iterations = 1;
      one = dynamics_.step(h, linearized);  // which always ends
      one.rescued = one.unsolved = one.ok();
    }
    if (!one.ok() && start.bytes().empty()) dynamics_.save(start);
    return one;
  };
  const SolveReport solved = step_by_halves(advance_part, timestep, max_step_halvings);
  if (!solved.ok()) {
    StateReader in(start.bytes(), "state");
    dynamics_.restore(in);
    shares_.clear();
  }
  if (const auto number = std::llround(dynamics_.state().time / timestep); number <= 8 || number % 8 == 0) {
    const InterfaceGap gap = dynamics_.largest_gap();
    if (gap_.domain < 0 || gap.share > gap_.share) gap_ = gap;
  }
  return {solved};
}

void TreeBody::remember() {
  StateWriter out;
  save(out);
  remembered_ = out.bytes();
}

void TreeBody::go_back() {
  StateReader in(remembered_, "state");
  restore(in);
}

void TreeBody::save(StateWriter& out) const {
  out.write(started_);
  out.write(std::int64_t{gap_.domain});
  out.write(gap_.largest);
  out.write(gap_.share);
  out.write(loads_from_);
  out.write(loads_to_);
  dynamics_.save(out);
}

void TreeBody::restore(StateReader& in) {
  bool started = false;
  std::int64_t domain = -1;
  InterfaceGap gap;
  in.read(started);
  in.read(domain);
  in.read(gap.largest);
  in.read(gap.share);
  double from = 0.0, to = 0.0;
  in.read(from);
  in.read(to);
  require(domain >= -1 && domain < tree().domain_count(), "the state has a gap at domain {}, the body has {}",
          domain, tree().domain_count());
  gap.domain = domain;
  // Loads that stand as before the break are no change, after which slack is forgotten.
  if (to > from) apply_loads(from, to);
  dynamics_.restore(in);
  started_ = started;
  gap_ = gap;
}

Index TreeBody::unknowns() const { return dynamics_.coordinate_count() + (tree().free ? 6 : 0); }

Index TreeBody::element_count() const {
  Index sum = 0;
  for (Index d = 0; d < tree().domain_count(); ++d) {
    const std::optional<SimulationMesh>& simulation = tree().part(d).model.simulation;
    if (simulation) sum += simulation->mesh.element_count();
  }
  return sum;
}

Matrix3X TreeBody::displacement() const {
  if (!mesh_) return Matrix3X(3, 0);
  return with_columns(mesh_->displacements(dynamics_), vertex_count_);
}

Matrix3X TreeBody::surface_displacement() const {
  Eigen::Matrix3Xf positions(3, surface_.mesh().vertex_count());
  surface_.positions(dynamics_, positions);
  return with_columns(positions.cast<double>() - surface_.mesh().vertices, surface_vertex_count_);
}

/// Nobody needs it enough to walk over the mesh at each step.
double TreeBody::smallest_volume_ratio() const { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace limber
