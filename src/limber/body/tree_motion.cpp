#include "limber/body/tree_motion.hpp"

#include "limber/base/error.hpp"
#include "limber/body/handles.hpp"
#include "limber/body/lowest_frequency.hpp"
#include "limber/integrators/halving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace limber {
namespace {

/// One linearised step is taken as in real time, unless somebody chose parameters.
NewmarkOptions newmark_of(const NewmarkOptions& given) {
  const NewmarkOptions usual = real_time_newmark();
  const bool chosen = given.beta != usual.beta || given.gamma != usual.gamma ||
                      given.alpha_m != usual.alpha_m || given.alpha_f != usual.alpha_f || !given.guarded;
  return chosen ? given : tree_newmark(given.max_iterations);
}

}  // namespace

TreeMotion::TreeMotion(MotionSetup setup)
    : surface_(setup.surface),
      dynamics_(setup.model, std::move(setup.settings)),
      rest_center_(dynamics_.momentum().center) {
  const Matrix3X& rest = surface_->mesh().vertices;
  if (rest.cols() > 0) size_ = (rest.rowwise().maxCoeff() - rest.rowwise().minCoeff()).norm();
  for (Index d = 0; d < setup.model->domain_count(); ++d)
    largest_rank_ = std::max(largest_rank_, dynamics_.rank(d));
  dynamics_.set_inertia(setup.inertia);
  dynamics_.set_damping(setup.damping);
  for (std::size_t d = 0; d < setup.stiffness.size(); ++d)
    dynamics_.set_stiffness(static_cast<Index>(d), setup.stiffness[d]);
}

const TreeMesh& TreeMotion::mesh() const {
  if (!mesh_) mesh_ = std::make_shared<const TreeMesh>(dynamics_.shared_tree());
  return *mesh_;
}

TreePoint TreeMotion::place(const Point& point) const {
  return point.of == Point::Of::mesh ? mesh().point(point.vertex) : surface_->point(point.vertex);
}

void TreeMotion::set_gravity(const Vector3& acceleration) {
  gravity_ = acceleration;
  if (timed_.accelerations.empty()) return dynamics_.set_gravity(gravity_);
  use_loads(loads_from_, loads_to_);
}

void TreeMotion::set_forces(std::span<const PointForce> forces) {
  std::vector<TreeForce> taken;
  taken.reserve(forces.size());
  for (const auto& [point, force] : forces) taken.push_back({place(point), force});
  std::vector<PointForce> next(forces.begin(), forces.end());
  std::swap(taken_forces_, taken);
  try {
    use_forces(shares_);
  } catch (...) {
    std::swap(taken_forces_, taken);
    throw;
  }
  forces_ = std::move(next);
}

void TreeMotion::set_timed_loads(const TimedLoads& loads) {
  std::vector<std::vector<TreeForce>> taken;
  for (const TimedForce& one : loads.forces) {
    taken.emplace_back();
    for (const Point& point : one.points) taken.back().push_back({place(point), one.force});
  }
  timed_ = loads;
  timed_forces_ = std::move(taken);
  use_loads(dynamics_.state().time, dynamics_.state().time, true);
}

void TreeMotion::set_surface_forces(std::span<const SurfaceForces> forces) {
  if (std::equal(forces.begin(), forces.end(), surface_loads_.begin(), surface_loads_.end())) return;
  const std::size_t timed = timed_.forces.size();
  if (same_sites(forces, surface_loads_)) {
    std::copy(forces.begin(), forces.end(), surface_loads_.begin());
    auto next = static_cast<Index>(taken_forces_.size());
    for (std::size_t i = 0; i < timed; ++i)
      if (shares_[i] != 0.0) next += static_cast<Index>(timed_forces_[i].size());
    for (std::size_t i = 0; i < surface_loads_.size(); ++i) {
      if (shares_[timed + i] == 0.0) continue;
      for (const auto& force : surface_loads_[i].forces.colwise())
        dynamics_.set_force(next++, shares_[timed + i] * force);
    }
    return;
  }
  std::vector<std::vector<TreePoint>> points;
  for (const SurfaceForces& one : forces) {
    points.emplace_back();
    for (const int vertex : one.vertices) points.back().push_back(place(vertex));
  }
  surface_loads_.assign(forces.begin(), forces.end());
  loaded_points_ = std::move(points);
  use_loads(dynamics_.state().time, dynamics_.state().time, true);
}

/// The constant forces, and then those that depend on time or shape as far as they act.
void TreeMotion::use_forces(const std::vector<double>& shares) {
  std::vector<TreeForce> all = taken_forces_;
  const std::size_t timed = timed_.forces.size();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0.0) continue;
    if (i < timed) {
      for (const TreeForce& one : timed_forces_[i]) all.push_back({one.point, shares[i] * one.force});
      continue;
    }
    const std::vector<TreePoint>& points = loaded_points_[i - timed];
    for (std::size_t k = 0; k < points.size(); ++k)
      all.push_back({points[k], shares[i] * surface_loads_[i - timed].forces.col(static_cast<Index>(k))});
  }
  dynamics_.set_forces(all);
}

/// As loads are on average from t0 to t1, s.  others: they are not those there were.
void TreeMotion::use_loads(double t0, double t1, bool others) {
  loads_from_ = t0;
  loads_to_ = t1;
  dynamics_.set_gravity(gravity_ + mean_acceleration(timed_.accelerations, t0, t1));
  active_shares(timed_, surface_loads_, t0, t1, next_shares_);
  if (!others && next_shares_ == shares_) return;
  use_forces(next_shares_);
  shares_.swap(next_shares_);
}

/// Stiffnesses of the springs that hold handles, N/m: far above what resists a force there within a step of h
/// seconds, and as much as the recursion over a tree takes.
Vector TreeMotion::grips_of(std::span<const Handle> handles, double h) const {
  constexpr double grip = 1e4;
  const double mass = dynamics_.momentum().mass / static_cast<double>(dynamics_.tree().domain_count());
  Vector grips(static_cast<Index>(handles.size()));
  for (Index i = 0; i < grips.size(); ++i) {
    const double elastic = dynamics_.stiffness_at(place(handles[static_cast<std::size_t>(i)].point));
    grips(i) = grip * ((std::isfinite(elastic) ? elastic : 0.0) + 4.0 * mass / (h * h));
  }
  return grips;
}

/// grips: of the handles; none: not known yet, and they hold nothing.
void TreeMotion::use_springs(std::span<const Spring> springs, std::span<const Handle> handles,
                             const Vector& grips) {
  std::vector<TreeSpring> taken;
  taken.reserve(springs.size() + handles.size());
  for (const auto& [point, target, stiffness] : springs) taken.push_back({place(point), target, stiffness});
  for (Index i = 0; i < grips.size(); ++i) {
    const Handle& handle = handles[static_cast<std::size_t>(i)];
    taken.push_back({place(handle.point), handle.position, grips(i)});
  }
  dynamics_.set_springs(taken);
}

/// Springs and handles hold what they held, and pull elsewhere.
void TreeMotion::aim_springs() {
  Index next = 0;
  for (const Spring& spring : springs_) dynamics_.set_spring_target(next++, spring.target);
  for (Index i = 0; i < grips_.size(); ++i)
    dynamics_.set_spring_target(next++, handles_[static_cast<std::size_t>(i)].position);
}

void TreeMotion::set_springs(std::span<const Spring> springs) {
  if (same_grip(springs_, springs)) {
    std::copy(springs.begin(), springs.end(), springs_.begin());
    return aim_springs();
  }
  std::vector<Spring> next(springs.begin(), springs.end());
  use_springs(next, handles_, grips_);
  springs_ = std::move(next);
}

void TreeMotion::set_handles(std::span<const Handle> handles, ConstraintPriority /*priority*/,
                             std::span<const Point> /*exercised*/) {
  if (handles.empty() && handles_.empty()) return;
  if (same_grip(handles_, handles)) {
    std::copy(handles.begin(), handles.end(), handles_.begin());
    return aim_springs();
  }
  std::vector<Handle> next(handles.begin(), handles.end());
  use_springs(springs_, next, {});  // how stiff they are follows from the next step
  handled_.clear();
  for (const Handle& handle : next) handled_.push_back(position(handle.point));
  handles_ = std::move(next);
  grips_.resize(0);
  if (handles_.empty()) report_ = {};
}

void TreeMotion::grasp(double h, double point) {
  if (h != grip_h_ || grips_.size() == 0) {
    grips_ = grips_of(handles_, h);
    use_springs(springs_, handles_, grips_);
  }
  grip_h_ = h;
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    const Vector3& to = handles_[i].position;
    const Vector3 from = i < handled_.size() ? handled_[i] : to;
    dynamics_.set_spring_target(static_cast<Index>(springs_.size() + i), from + point * (to - from));
  }
}

/// What the first step, and the first of another length, need.
///
/// point: where in its way during the step a spring is taken to pull, as a share of it. There handles shall
/// be as far on their own way.
SolveReport TreeMotion::begin(double h, double point) {
  if (!handles_.empty()) grasp(h, point);
  if (!loads_vary() || balanced_) return {};
  const double time = dynamics_.state().time;
  use_loads(time, time + (dynamics_.tree().free ? h : 0.5 * h));
  const SolveReport balanced = dynamics_.balance(h);
  balanced_ = balanced.ok();
  return balanced;
}

/// By halves where it does not converge.
SolveReport TreeMotion::step_by_parts(double h, const NewmarkOptions& newmark, int halvings) {
  StateWriter start;  // filled only where it is needed
  const bool varies = loads_vary();
  if (varies && support_) dynamics_.save(start);  // who moves it may throw, after loads were changed
  const auto advance = [&](double part, bool last) {
    const double time = dynamics_.state().time;
    // Those about the end of a step are what it balances there. The momentum of a body that flies is settled
    // by what acts within the step: a kick in the first half of the first one is not to be lost.
    const double later = dynamics_.tree().free ? 0.0 : 0.5 * part;
    if (varies) use_loads(time + later, time + later + part);
    SolveReport one = dynamics_.step(part, newmark);
    if (!one.ok() && newmark.max_iterations > 1 && last) {
      NewmarkOptions linearized = newmark;
      linearized.max_iterations = 1;
      one = dynamics_.step(part, linearized);  // which always ends
      one.rescued = one.unsolved = one.ok();
    }
    if (!one.ok() && start.bytes().empty()) dynamics_.save(start);
    return one;
  };
  const double from = loads_from_, to = loads_to_;
  const auto go_back = [&] {
    if (start.bytes().empty()) return;  // nothing was advanced
    StateReader in(start.bytes(), "state");
    dynamics_.restore(in);
  };
  SolveReport solved;
  try {
    solved = step_by_halves(advance, h, halvings);
  } catch (...) {  // by the motion of the support
    if (varies) use_loads(from, to);
    go_back();
    throw;
  }
  if (!solved.ok()) {
    go_back();
    if (varies) use_loads(dynamics_.state().time, dynamics_.state().time);
  }
  return solved;
}

/// share: of what was left of their way, that they went in the step.
void TreeMotion::look_at_handles(double share) {
  constexpr double tolerance = 1e-3;  // of the size of the body
  report_ = {};
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    const Vector3& to = handles_[i].position;
    if (handled_.size() <= i) handled_.push_back(to);
    handled_[i] = share < 1.0 ? Vector3(handled_[i] + share * (to - handled_[i])) : to;
    report_.position_error =
        std::max(report_.position_error, (position(handles_[i].point) - handled_[i]).norm());
  }
  handled_.resize(handles_.size());
  report_.met = report_.position_error <= tolerance * size_;
}

StepReport TreeMotion::step(double h, const ReducedStepOptions& options) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  // Springs as stiff as those of handles are found by one solve, not by an iteration that lags behind; and
  // what they set ringing is gone after a step by a rule that takes forces at its end.
  const NewmarkOptions newmark = handles_.empty() ? newmark_of(options.newmark) : generalized_alpha(0.0, 1);
  if (const SolveReport begun = begin(h, 1.0 - newmark.alpha_f); !begun.ok()) return {begun};
  const bool parts = newmark.max_iterations > 1 || loads_vary();
  const SolveReport solved =
      parts ? step_by_parts(h, newmark, options.max_halvings) : dynamics_.step(h, newmark);
  if (solved.ok() && !handles_.empty()) look_at_handles();
  return {solved};
}

SolveReport TreeMotion::begin_coupled(double h, CoupledStep& step, ElasticEnd elastic, const StepPart& part) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  if (!handles_.empty()) {
    handle_share_ = part.share(h);
    grasp(std::max(h, part.whole), handle_share_);
  }
  if (loads_vary()) use_loads(time() - dynamics_.lag(), time() + 0.5 * h);  // for as long as forces act
  return dynamics_.begin_coupled(h, step, elastic);
}

SolveReport TreeMotion::end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse,
                                    bool last) {
  const SolveReport report = dynamics_.end_coupled(step, u, impulse, last);
  balanced_ = false;
  if (report.ok() && !handles_.empty()) {
    handled_before_ = handled_;
    look_at_handles(handle_share_);
  }
  return report;
}

void TreeMotion::undo_coupled() {
  dynamics_.undo_coupled();
  if (!handles_.empty()) handled_ = handled_before_;
}

StepReport TreeMotion::solve_static(const EquilibriumOptions& options) {
  require(!dynamics_.tree().free,
          "nothing holds the body, so no load on it can be balanced; hold it somewhere");
  report(options.progress, "statics of domains", 0.0);
  const double time = dynamics_.state().time;
  TreeMotion found = *this;
  if (loads_vary()) found.use_loads(time, time);
  if (!handles_.empty() && grips_.size() == 0) found.grasp(1e-2, 1.0);
  const SolveReport solved = found.find_equilibrium(options.tolerance, options.max_iterations);
  if (solved.ok()) {
    if (!found.handles_.empty()) found.look_at_handles();
    *this = std::move(found);
  }
  return {solved, 1.0, 1};
}

/// By a motion that mass damps as strongly as lets the slowest vibration die out soonest, until nothing moves
/// any more. Each iteration is a period of that vibration, in steps that become shorter where it does not
/// settle: what they take from the shape at their start then sets it moving again.
SolveReport TreeMotion::find_equilibrium(double tolerance, int max_iterations) {
  constexpr int patience = 8;  // periods without half the motion gone, after which steps are shorter
  int steps = 20;
  const double frequency = lowest_frequency(dynamics_);
  if (frequency == 0.0) return {};  // nothing can move
  if (!std::isfinite(frequency)) return {SolveStatus::not_finite};
  const double omega = 2.0 * std::numbers::pi * frequency;
  const double time = this->time();
  TreeDynamics falling = dynamics_;
  if (support_) falling.set_support([pose = support_(time)](double) { return pose; });
  falling.set_damping({2.0 * omega, 0.0});
  const auto stop = [](TreeDynamics& dynamics, TreeState state, double at) {
    state.time = at;
    state.v.setZero();
    dynamics.set_state(state);
  };
  stop(falling, falling.state(), 0.0);
  SolveReport outcome{SolveStatus::not_converged};
  double least = std::numeric_limits<double>::infinity();
  int since = 0;
  while (outcome.iterations < max_iterations && !outcome.ok()) {
    ++outcome.iterations;
    bool stuck = true;  // all steps were rescued: what they leave at rest is no equilibrium
    for (int i = 0; i < steps; ++i) {
      const SolveReport one = falling.step(1.0 / (steps * frequency));
      if (!one.ok()) return one;
      stuck = stuck && one.rescued;
    }
    const TreeState& now = falling.state();
    const double moving = now.v.norm() / omega + now.a.norm() / (omega * omega);
    outcome.residual = moving > 0.0 ? moving / now.q.norm() : 0.0;
    if (outcome.residual <= tolerance && !stuck) outcome.status = SolveStatus::converged;
    since = outcome.residual < 0.5 * least ? 0 : since + 1;
    least = std::min(least, outcome.residual);
    if (since < patience) continue;
    steps *= 2;
    since = 0;
  }
  TreeState found = dynamics_.state();
  found.q = falling.state().q;
  stop(dynamics_, found, time);
  return outcome;
}

Index TreeMotion::unknowns() const { return dynamics_.coordinate_count() + (dynamics_.tree().free ? 6 : 0); }

/// Accelerations of trees are always those that balance the forces: they follow when the next step begins.
void TreeMotion::set_state(const TreeState& state, Accelerations /*accelerations*/) {
  TreeDynamics next = dynamics_, balanced = dynamics_;
  balanced.set_state(state);
  require(balanced.balance().ok() && balanced.state().a.allFinite(),
          "the state is so far from rest that its forces are not finite; reset the body first");
  next.set_state(state);
  dynamics_ = std::move(next);
}

void TreeMotion::set_velocity(const Vector3& velocity, const Vector3& angular) {
  require(dynamics_.tree().free, "the body is held, so that it cannot be thrown");
  TreeState state = dynamics_.state();
  state.v.setZero();
  state.root.angular_velocity = angular;
  state.root.velocity = velocity + angular.cross(state.root.position - dynamics_.momentum().center);
  set_state(state, Accelerations::balance);
}

void TreeMotion::reset() {
  dynamics_.reset();
  balanced_ = false;
  report_ = {};
}

void TreeMotion::save(StateWriter& out) const {
  out.write(balanced_);
  out.write(loads_from_);
  out.write(loads_to_);
  out.write(report_.met);
  out.write(report_.position_error);
  Matrix3X handled(3, static_cast<Index>(handled_.size()));
  for (Index i = 0; i < handled.cols(); ++i) handled.col(i) = handled_[static_cast<std::size_t>(i)];
  out.write(handled);
  out.write(grips_);
  out.write(grip_h_);
  dynamics_.save(out);
}

void TreeMotion::restore(StateReader& in) {
  bool balanced = false;
  double from = 0.0, to = 0.0;
  ConstraintReport report;
  in.read(balanced);
  in.read(from);
  in.read(to);
  in.read(report.met);
  in.read(report.position_error);
  Matrix3X handled;
  Vector grips;
  double grip_h = 0.0;
  in.read(handled);
  in.read(grips);
  in.read(grip_h);
  const auto held = static_cast<Index>(handles_.size());
  require(handled.cols() == held && (grips.size() == 0 || grips.size() == held) && grips.allFinite() &&
              (grips.size() == 0 || grips.minCoeff() > 0.0),
          "the state is of a body with {} handles, this one has {}", handled.cols(), held);
  require(std::isfinite(from) && std::isfinite(to), "the state has loads of a time that is not finite");
  TreeMotion next = *this;
  // Loads that stand as before the break are no change, after which slack is forgotten.
  if (loads_vary()) next.use_loads(from, to);
  // How stiff they are follows from the shape at which they took hold.
  if (held > 0) next.use_springs(springs_, handles_, grips);
  next.grips_ = std::move(grips);
  next.grip_h_ = grip_h;
  next.dynamics_.restore(in);
  next.balanced_ = balanced;
  next.report_ = report;
  next.handled_.assign(handled.colwise().begin(), handled.colwise().end());
  *this = std::move(next);
}

double TreeMotion::load_energy() const {
  const TreeMomentum now = dynamics_.momentum();
  const double lag = dynamics_.lag();
  const Vector3 center = now.center - (lag / now.mass) * now.linear;
  double energy = -now.mass * dynamics_.gravity().dot(center - rest_center_);
  for (const auto& [point, force] : forces_)
    energy -= force.dot(position(point) - lag * velocity(point) - rest(point));
  return energy;
}

/// Where a point was made.
Vector3 TreeMotion::rest(const Point& point) const {
  return point.of == Point::Of::mesh ? mesh().mesh().vertices.col(point.vertex)
                                     : surface_->mesh().vertices.col(point.vertex);
}

/// place: of a vertex in its domain at rest; first_row: its x in the basis.
Vector3 TreeMotion::in_world(Index domain, Vector3 place, Index first_row, bool of_mesh) const {
  const ReducedModel& model = dynamics_.tree().part(domain).model;
  const Index first = dynamics_.first_coordinate(domain);
  for (Index k = 0; k < dynamics_.rank(domain); ++k) {
    const double q = dynamics_.state().q(first + k);
    if (of_mesh) {
      place += q * model.simulation->basis.block<3, 1>(first_row, k);
    } else {
      place += q * model.surface.basis.block<3, 1>(first_row, k).cast<double>();
    }
  }
  const PoseMatrix& frame = dynamics_.frame(domain);
  const double scale = dynamics_.tree().domains[static_cast<std::size_t>(domain)].scale;
  return frame.position + frame.rotation * (scale * place);
}

Vector3 TreeMotion::position(const Point& point) const {
  const bool of_mesh = point.of == Point::Of::mesh;
  const auto [domain, vertex] = of_mesh ? mesh().copy_of(point.vertex) : surface_->copy_of(point.vertex);
  const ReducedModel& model = dynamics_.tree().part(domain).model;
  const Matrix3X& places = of_mesh ? model.simulation->mesh.vertices : model.surface.mesh.vertices;
  return in_world(domain, places.col(vertex), 3 * Index{vertex}, of_mesh);
}

Vector3 TreeMotion::velocity(const Point& point) const { return dynamics_.velocity(place(point)); }

Eigen::Quaterniond TreeMotion::orientation(const Point& point) const {
  const std::vector<int>& domains = point.of == Point::Of::mesh ? mesh().domains() : surface_->domains();
  const Index domain = domains[static_cast<std::size_t>(point.vertex)];
  const Eigen::Quaterniond made =
      dynamics_.tree().domains[static_cast<std::size_t>(domain)].rotation.normalized();
  return (frame(domain).rotation * made.conjugate()).normalized();
}

void TreeMotion::point_rows(const Point& point, PointRows& result) const {
  const bool of_mesh = point.of == Point::Of::mesh;
  const auto [domain, vertex] = of_mesh ? mesh().copy_of(point.vertex) : surface_->copy_of(point.vertex);
  const Model& tree = dynamics_.tree();
  const ReducedModel& model = tree.part(domain).model;
  const Index rank = dynamics_.rank(domain), first = 3 * vertex;
  own_rows_.resize(3, largest_rank_);
  auto own = own_rows_.leftCols(rank);
  if (rank > 0 && of_mesh) own = model.simulation->basis.block(first, 0, 3, rank);
  if (rank > 0 && !of_mesh) own = model.surface.basis.block(first, 0, 3, rank).cast<double>();
  const Vector3 place =
      of_mesh ? model.simulation->mesh.vertices.col(vertex) : model.surface.mesh.vertices.col(vertex);
  dynamics_.point_rows(domain, place, own, result.columns, result.rows);
}

void TreeMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  surface_->positions(dynamics_, x, scratch_);
}

void TreeMotion::positions_of(std::span<const int> vertices, Matrix3X& x) const {
  for (std::size_t i = 0; i < vertices.size(); ++i) x.col(static_cast<Index>(i)) = position(vertices[i]);
}

Matrix3X TreeMotion::surface_displacement() const {
  Eigen::Matrix3Xf x(3, surface_->mesh().vertex_count());
  positions(x);
  return x.cast<double>() - surface_->mesh().vertices;
}

Index TreeMotion::mesh_vertex_count() const {
  const Model& tree = dynamics_.tree();
  for (Index d = 0; d < tree.domain_count(); ++d) {
    if (!tree.part(d).model.simulation) return 0;
  }
  return mesh().mesh().vertex_count();
}

bool TreeMotion::has_mesh_vertex(int vertex) const {
  return mesh().domains()[static_cast<std::size_t>(vertex)] >= 0;
}

Matrix3X TreeMotion::mesh_displacement() const {
  return mesh_vertex_count() > 0 ? mesh().displacements(dynamics_) : Matrix3X(3, 0);
}

Pose TreeMotion::frame(Index domain) const {
  const PoseMatrix& now = dynamics_.frame(domain);
  return {now.position, Eigen::Quaterniond(now.rotation).normalized()};
}

}  // namespace limber
