#include "limber/integrators/energy_guard.hpp"
#include "limber/multidomain/tree_parts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace limber {
namespace {

TreeNode make_node(const Model& tree, Index i, std::vector<DomainBody>& bodies) {
  const Domain& domain = tree.domains[static_cast<std::size_t>(i)];
  TreeNode node;
  node.parent = domain.parent;
  node.part = domain.part;
  node.body = &bodies[static_cast<std::size_t>(domain.part)];
  node.rank = node.body->rank();
  node.scale = domain.scale;
  node.stiffness = domain.stiffness;
  node.system.setZero(padded(node.rank + 7), node.rank);
  node.solution.setZero(padded(node.rank + 7));
  if (domain.parent < 0) return node;
  const Domain& parent = tree.domains[static_cast<std::size_t>(domain.parent)];
  DomainBody& carrier = bodies[static_cast<std::size_t>(parent.part)];
  node.port = &carrier.port(domain.port);
  node.carried.setZero(padded(carrier.rank()), 6);
  const Matrix3 to_parent = parent.rotation.normalized().toRotationMatrix().transpose();
  node.rest = to_parent * domain.rotation.normalized().toRotationMatrix();
  node.axes = node.rest;
  node.lever = to_parent * (domain.position - parent.position) - parent.scale * node.port->data->center;
  return node;
}

bool is_finite(const TreeState& state) {
  return state.q.allFinite() && state.v.allFinite() && state.a.allFinite() &&
         state.root.position.allFinite() && state.root.velocity.allFinite() &&
         state.root.angular_velocity.allFinite() && state.root.rotation.coeffs().allFinite();
}

/// Of Newmark's family; generalised alpha is among it.
StepRule newmark_rule(double h, const NewmarkOptions& options) {
  const double c = 1.0 - options.alpha_f, share = 1.0 / (1.0 - options.alpha_m);
  StepRule rule{.h = h, .point = c, .alpha_m = options.alpha_m};
  rule.displacement = c * options.beta * h * h * share;
  rule.velocity = c * options.gamma * h * share;
  rule.early_displacement = 0.5 * c * h * h - rule.displacement;
  rule.early_velocity = c * h - rule.velocity;
  rule.spring = rule.displacement;
  rule.air = c * h;
  return rule;
}

/// Rounding moves the coordinates of a domain by less than this share of its size: some hundred times the
/// last digit.
constexpr double rounding_share = 1e-13;

}  // namespace

TreeDynamics::Parts::Parts(std::shared_ptr<const Model> given, std::vector<PartSettings> chosen)
    : tree(std::move(given)), settings(std::move(chosen)) {
  std::vector<Index> uses(tree->parts.size(), 0);
  for (const Domain& domain : tree->domains) ++uses[static_cast<std::size_t>(domain.part)];
  bodies.reserve(tree->parts.size());
  for (std::size_t i = 0; i < uses.size(); ++i) bodies.emplace_back(tree->parts[i], settings[i], uses[i]);
  nodes.reserve(tree->domains.size());
  elastic_.resize(bodies.size());
  Index first = 0, most = 0;
  double reach = 0.0;
  for (Index i = 0; i < tree->domain_count(); ++i) {
    TreeNode& node = nodes.emplace_back(make_node(*tree, i, bodies));
    ElasticStates& states = elastic_[static_cast<std::size_t>(node.part)];
    node.lane = static_cast<Index>(states.nodes.size());
    states.nodes.push_back(static_cast<int>(i));
    node.first = first;
    if (i > 0) nodes[static_cast<std::size_t>(node.parent)].leaf = false;
    first += node.rank;
    most = std::max(most, node.rank);
    reach += node.body->reach() * node.body->reach();
  }
  reach_ = std::sqrt(reach);
  for (const DomainBody& body : bodies)
    if (body.rank() > 0) conservative_ = conservative_ && body.elastic().conservative();
  nodes.front().leaf = false;  // what one domain has to itself need not be copied
  for (TreeNode& node : nodes)
    if (!node.leaf) node.system.setZero(padded(node.rank + 7), node.rank + 7);
  for (std::size_t k = 0; k < elastic_.size(); ++k) {
    ElasticStates& states = elastic_[k];
    const Index r = bodies[k].rank(), count = static_cast<Index>(states.nodes.size());
    states.q.setZero(r, count);
    states.forces.setZero(r, count);
    states.stiffnesses.setZero(r * r + packet_size, count);
    states.energies.setZero(count);
  }
  sums_.resize(nodes.size());
  start_.moving.resize(nodes.size());
  narrow_.reserve(nodes.size());
  start_velocities_.resize(nodes.size());
  strain_.setZero(padded(most));
  load_.setZero(padded(most));
  carried_.setZero(padded(most + 7), 7);
  carried_work_ = carried_;
  point_.setZero(padded(most + 7), 3);
  moved_.setZero(first);
  take_state(rest());
  remember();
  whole_ = start_;  // their memory
}

TreeDynamics::Parts::Parts(const Parts& other) = default;

std::unique_ptr<TreeDynamics::Parts> TreeDynamics::Parts::copy() const {
  std::unique_ptr<Parts> result(new Parts(*this));
  for (TreeNode& node : result->nodes) node.body = &result->bodies[static_cast<std::size_t>(node.part)];
  return result;
}

TreeState TreeDynamics::Parts::rest() const {
  TreeState result;
  const Index size = coordinate_count();
  result.q.setZero(size);
  result.v.setZero(size);
  result.a.setZero(size);
  result.root = rest_root();
  return result;
}

FrameState TreeDynamics::Parts::rest_root() const {
  FrameState root;
  root.position = tree->domains.front().position;
  root.rotation = tree->domains.front().rotation.normalized();
  return root;
}

void TreeDynamics::Parts::take_momentum() {
  if (!tree->free) return;
  update_sums();
  follow_momentum();
}

/// From the sums.
void TreeDynamics::Parts::follow_momentum() {
  momentum_ = total_momentum();
  if (inertia == SubtreeInertia::full) return;
  Vector6 velocity;  // lumped: what is kept of the angular momentum is that of a rigid body
  velocity << nodes.front().velocity, nodes.front().spin;
  sums_.front().momentum = sums_.front().rigid * velocity;
  momentum_.angular = total_momentum().angular;
}

void TreeDynamics::Parts::take_state(const TreeState& next) {
  const FrameState root = carried() ? support_root(next.time, support_h_) : next.root;
  state = next;
  state.root = root;
  balanced_ = support_moved_ = middle_.known = middle_.judged = middle_.stayed = false;
  for (TreeNode& node : nodes) {
    node.turned.setIdentity();
    node.settled.setZero();
  }
  place_all(Rotations::seek);
  evaluate_elastic(state.q);
  take_motion();
  take_momentum();
}

SolveStatus TreeDynamics::Parts::balance(double h) {
  const StepRule rule;
  start_.momentum = momentum_;
  aim_balance(h);
  aim(rule);
  prepare_all(Rotations::keep);
  const SolveStatus status = eliminate(rule, state.q, state.v);
  if (status != SolveStatus::converged) return status;
  accelerate_root();
  for (TreeNode& node : nodes) accelerate(node, rule);
  if (!state.a.allFinite() || !nodes.front().acceleration.allFinite()) {
    state.a.setZero();
    return SolveStatus::not_finite;
  }
  for (TreeNode& node : nodes) node.settled = frame_acceleration(node);
  balanced_ = true;
  state.root.acceleration = nodes.front().settled.head<3>();
  state.root.angular_acceleration = nodes.front().settled.tail<3>();
  return status;
}

void TreeDynamics::Parts::remember() {
  start_.state = state;
  start_.momentum = momentum_;
  start_.kinetic = kinetic_;
  start_.center = center_;
  for (std::size_t i = 0; i < nodes.size(); ++i) start_.moving[i] = {nodes[i].turned, nodes[i].settled};
  start_.allowed = carried() ? 0.0 : energy() + state.slack;  // of a carried root: by aim_support()
}

void TreeDynamics::Parts::go_back() {
  state = start_.state;
  momentum_ = start_.momentum;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    std::tie(nodes[i].turned, nodes[i].settled) = start_.moving[i];
  place_all(Rotations::keep);
  evaluate_elastic(state.q);
  kinetic_ = start_.kinetic;
  center_ = start_.center;
  if (carried()) update_sums();
}

/// To where the solve of a step is linearised at first: as far as present accelerations take it. What
/// velocities do would pump energy into the tree if it were taken from the start of the step.
void TreeDynamics::Parts::predict(const StepRule& rule) {
  const double t = rule.point * rule.h;
  state.q += t * start_.state.v + (0.5 * t * t) * start_.state.a;
  state.v += t * start_.state.a;
  if (tree->free) {
    const FrameState& start = start_.state.root;
    FrameState& root = state.root;
    root.velocity += t * start.acceleration;
    root.angular_velocity += t * start.angular_acceleration;
    root.position += (0.5 * t) * (start.velocity + root.velocity);
    root.rotation = turned_by(start.rotation, (0.5 * t) * (start.angular_velocity + root.angular_velocity));
  } else if (carried()) {
    state.root = aimed_;
  }
  prepare_all(Rotations::seek);
}

/// To that point as the last iteration found it; elastic forces, too.
void TreeDynamics::Parts::approach(const StepRule& rule) {
  const double c = rule.point;
  state.q = start_.state.q + c * (state.q - start_.state.q);
  state.v = start_.state.v + c * (state.v - start_.state.v);
  if (tree->free) {
    const FrameState& start = start_.state.root;
    FrameState& root = state.root;
    root.rotation = turned_by(start.rotation, c * turn_);
    root.position = start.position + c * (root.position - start.position);
    root.velocity = start.velocity + c * (root.velocity - start.velocity);
    root.angular_velocity = start.angular_velocity + c * (root.angular_velocity - start.angular_velocity);
  } else if (carried()) {
    state.root = aimed_;
  }
  prepare_all(Rotations::seek);
  evaluate_elastic(state.q);
}

/// As Newmark does for coordinates, and the rotation likewise: springs count on it. Adrift, where nothing
/// does, by the mean angular velocity.
void TreeDynamics::Parts::advance_root(const StepRule& rule, const NewmarkOptions& options) {
  const double h = rule.h, share = 1.0 / (1.0 - rule.alpha_m);
  const FrameState& start = start_.state.root;
  FrameState& root = state.root;
  const Vector6 solved = frame_acceleration(nodes.front());
  root.acceleration = share * (solved.head<3>() - rule.alpha_m * start.acceleration);
  root.angular_acceleration = share * (solved.tail<3>() - rule.alpha_m * start.angular_acceleration);
  root.velocity =
      start.velocity + h * ((1.0 - options.gamma) * start.acceleration + options.gamma * root.acceleration);
  root.angular_velocity = start.angular_velocity + h * ((1.0 - options.gamma) * start.angular_acceleration +
                                                        options.gamma * root.angular_acceleration);
  root.position = start.position + h * start.velocity +
                  h * h * ((0.5 - options.beta) * start.acceleration + options.beta * root.acceleration);
  turn_ = adrift()
              ? Vector3((0.5 * h) * (start.angular_velocity + root.angular_velocity))
              : Vector3(h * start.angular_velocity + h * h *
                                                         ((0.5 - options.beta) * start.angular_acceleration +
                                                          options.beta * root.angular_acceleration));
  root.rotation = turned_by(start.rotation, turn_);
}

/// What impulses from outside make of the momentum of the whole.
void TreeDynamics::Parts::take_impulses(double h) {
  const TreeMomentum& start = start_.momentum;
  const Vector3 torque = load_torque_ - (swept_ / start.mass).cross(load_force_);
  const double damped = 0.5 * h * damping.mass;  // against the world, half before and half after the step
  momentum_ = start;
  momentum_.linear =
      ((1.0 - damped) * start.linear + h * (load_force_ + start.mass * gravity)) / (1.0 + damped);
  momentum_.angular = ((1.0 - damped) * start.angular + h * torque) / (1.0 + damped);
  momentum_.center += 0.5 * h * (start.linear + momentum_.linear) / start.mass;
}

/// Where the root is, and how it moves, follows from the momentum of the whole.
void TreeDynamics::Parts::settle_root() {
  const TreeNode& node = nodes.front();
  SubtreeSums& sum = sums_.front();
  const Matrix3 axes = node.frame.rotation;
  const Vector3 center = sum.first / sum.mass;  // from the root's origin, in its axes
  const Vector6 target = momentum_in_axes();
  Vector6 velocity, change;
  velocity << node.velocity, node.spin;
  if (inertia == SubtreeInertia::full) {
    change = solve_rigid(sum.rigid, target - sum.momentum);
  } else {
    change = solve_rigid(sum.rigid, target) - velocity;
    // Turning as a rigid body; but what its parts do to each other moves its centre of mass nowhere.
    const Vector3 linear = sum.momentum.head<3>() + sum.rigid.topRows<3>() * change;
    change.head<3>() += (target.head<3>() - linear) / sum.mass;
  }
  kinetic_ += change.dot(sum.momentum + 0.5 * sum.rigid * change);
  sum.momentum += sum.rigid * change;
  velocity += change;
  state.root.velocity = axes * velocity.head<3>();
  state.root.angular_velocity = axes * velocity.tail<3>();
  state.root.position = momentum_.center - axes * center;
  center_ = momentum_.center - tree->domains.front().position;
  carry_all();
}

/// That of the tree about the origin of its root, in the axes of that.
Vector6 TreeDynamics::Parts::momentum_in_axes() const {
  const Matrix3& axes = nodes.front().frame.rotation;
  const SubtreeSums& sum = sums_.front();
  Vector6 result;
  result.head<3>() = axes.transpose() * momentum_.linear;
  result.tail<3>() = axes.transpose() * momentum_.angular + (sum.first / sum.mass).cross(result.head<3>());
  return result;
}

/// One solve, and the state at the end of the step that follows from it.
SolveStatus TreeDynamics::Parts::advance_once(const StepRule& rule, const NewmarkOptions& options) {
  const SolveStatus status = eliminate(rule, q_hat_, v_hat_);
  if (status != SolveStatus::converged) return status;
  TreeTimer timer(measure);
  const double h = rule.h, share = 1.0 / (1.0 - rule.alpha_m);
  accelerate_root();
  begin_motion();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    TreeNode& node = nodes[i];
    if (i + 1 < nodes.size()) expect(nodes[i + 1]);
    accelerate(node, rule);
    node.settled = share * (frame_acceleration(node) - rule.alpha_m * start_.moving[i].second);
    auto q = state.q.segment(node.first, node.rank), v = state.v.segment(node.first, node.rank),
         a = state.a.segment(node.first, node.rank);
    const auto q0 = start_.state.q.segment(node.first, node.rank),
               v0 = start_.state.v.segment(node.first, node.rank),
               a0 = start_.state.a.segment(node.first, node.rank);
    a = share * (a - rule.alpha_m * a0);
    q = q0 + h * v0 + (h * h) * ((0.5 - options.beta) * a0 + options.beta * a);
    v = v0 + h * ((1.0 - options.gamma) * a0 + options.gamma * a);
    if (i == 0 && tree->free) advance_root(rule, options);
    if (i == 0 && carried()) state.root = aimed_end_;
    place(node, Rotations::seek);
    add_motion(node);
  }
  end_motion();
  if (!is_finite(state)) return SolveStatus::not_finite;
  if (adrift() || (tree->free && inertia != SubtreeInertia::full)) {
    take_impulses(h);
    settle_root();
  } else if (tree->free) {
    follow_momentum();
  }
  timer.add_to(timings.core);
  return status;
}

/// The implicit step by itself, whatever energy it ends with.
SolveReport TreeDynamics::Parts::advance(double h, const NewmarkOptions& options) {
  TreeTimer timer(measure);
  const StepRule rule = newmark_rule(h, options);
  q_hat_ = start_.state.q + (rule.point * h) * start_.state.v + rule.early_displacement * start_.state.a;
  v_hat_ = start_.state.v + rule.early_velocity * start_.state.a;
  aim_support(rule);
  aim(rule);
  predict(rule);
  timer.add_to(timings.core);
  SolveReport report;
  before_ = start_.state.a;
  while (true) {
    report.status = advance_once(rule, options);
    ++report.iterations;
    state.time = start_.state.time + h;
    if (!report.ok() || options.max_iterations == 1) return report;
    // By how much the last iteration moved the coordinates, as a share of the step; rounding hides what is
    // less than the share above of the size of the domains.
    const double change = options.beta * h * h * (state.a - before_).norm();
    const double size = (state.q - start_.state.q).norm() + 1e-4 * state.q.norm();
    report.residual = size > 0.0 ? change / size : 0.0;
    if (change <= rounding_share * reach_) report.residual = 0.0;  // all that is left is rounding
    if (report.residual <= options.tolerance) return report;
    if (report.iterations >= options.max_iterations) {
      report.status = SolveStatus::not_converged;
      return report;
    }
    before_ = state.a;
    approach(rule);
  }
}

/// What the step is taken by. In real time the first ones after a rescue, and all cautious ones while hands
/// hold the tree, go by implicit Euler, which is Newmark's method with these parameters where there is no
/// acceleration at the start: with generalised alpha up to twice as many rescues follow. Not so for trees
/// that are free, which hands that crush them stop all the more.
NewmarkOptions TreeDynamics::Parts::chosen(const NewmarkOptions& options) {
  constexpr int shaken_steps = 5;
  if (state.caution == 0) return options;
  const bool shaken = state.caution > cautious_steps - shaken_steps || !springs.empty();
  if (!shaken || tree->free || options.max_iterations != 1 || options.alpha_f == 0.0)
    return cautious(options);
  start_.state.a.setZero();
  start_.state.root.acceleration.setZero();
  start_.state.root.angular_acceleration.setZero();
  for (auto& [turned, settled] : start_.moving) settled.setZero();
  return {.beta = 1.0, .gamma = 1.0, .max_iterations = 1};
}

/// A step that gained too much, as so many shorter ones: whether none of these does. Else all of it is still
/// to be taken, also where a support throws on the way.
bool TreeDynamics::Parts::take_shares(double h, int count, const NewmarkOptions& options,
                                      SolveReport& report) {
  go_back();
  whole_ = start_;
  try {
    if (advance_in_shares(h, count, options, report)) return true;
  } catch (...) {
    start_ = whole_;
    go_back();
    throw;
  }
  start_ = whole_;
  return false;
}

bool TreeDynamics::Parts::advance_in_shares(double h, int count, const NewmarkOptions& options,
                                            SolveReport& report) {
  for (int i = 0; i < count; ++i) {
    if (i > 0) remember();
    const SolveReport share = advance(h / count, chosen(options));
    report.iterations += share.iterations;
    if (!share.ok() || !hold_energy(h / count, true)) return false;
  }
  state.time = whole_.state.time + h;
  return true;
}

SolveReport TreeDynamics::Parts::step(double h, const NewmarkOptions& options) {
  constexpr int most_shares = 16;  // half as many leave up to twice the rescues
  if (carried()) follow_support(h);
  support_h_ = h;
  if (!balanced_) {
    if (const SolveStatus status = balance(h); status != SolveStatus::converged) return {status, 0, 0.0};
  }
  remember();
  if (!std::isfinite(start_.allowed)) return {SolveStatus::not_finite, 0, 0.0};
  const int caution = state.caution;
  SolveReport report = advance(h, chosen(options));
  if (!std::isfinite(start_.allowed)) report.status = SolveStatus::not_finite;
  if (!report.ok() &&
      (options.max_iterations != 1 || !std::isfinite(start_.allowed))) {  // shorter ones may do
    go_back();
    return report;
  }
  bool held = report.ok() && hold_energy(h, options.guarded);
  // Soon after a rescue fewer would hardly do: tried in vain, they make it the slowest step of all.
  for (int count = caution > 0 ? most_shares : 2; options.guarded && !held && count <= most_shares;
       count *= 2)
    held = take_shares(h, count, options, report);
  report.rescued = options.guarded && !held;
  report.status = held ? SolveStatus::converged : SolveStatus::not_finite;
  if (report.rescued) report.status = rescue(h);
  if (!report.ok()) {
    go_back();
    report.rescued = false;
    return report;
  }
  if (report.rescued) ++report.iterations;
  middle_.known = middle_.judged = middle_.stayed = false;
  state.caution = report.rescued ? cautious_steps : std::max(0, caution - 1);
  if (loads_changed_) forget_slack();
  loads_changed_ = false;
  return report;
}

}  // namespace limber
