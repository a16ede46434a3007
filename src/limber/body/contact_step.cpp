#include "limber/body/contact_step.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace limber {
namespace {

/// What is as near as that share of the size of a body may touch it in a step, however slow both are.
constexpr double near_share = 1e-4;

/// Softness of contacts, as shares of what bodies yield: along the normal, and across. Less takes more
/// iterations; a block creeps down a slope by the second times gravity and step, below 0.1 mm/s at 1 ms.
constexpr double normal_softness = 0.003, tangent_softness = 0.003;

/// Axes of a contact: two tangents and the normal.
Matrix3 axes_of(const Vector3& normal) {
  Matrix3 axes;
  axes.col(2) = normal;
  axes.col(0) = normal.unitOrthogonal();
  axes.col(1) = normal.cross(axes.col(0));
  return axes;
}

/// Distance of a point from a box; 0 inside.
double distance_from(const BoundingBox& box, const Vector3& x) {
  return (x - x.cwiseMax(box.min).cwiseMin(box.max)).norm();
}

}  // namespace

void ContactStep::clear() {
  members_.clear();
  statics_.clear();
}

bool ContactStep::may_touch(const Touching& one, const Touching& other) const {
  return !(one == other) && (!*filter_ || (*filter_)(one, other));
}

void ContactStep::list_solids() {
  solids_.clear();
  for (const Static& fixed : statics_) {
    Solid& solid = solids_.emplace_back();
    solid.name = fixed.name;
    solid.shape = &fixed.obstacle->shape;
    solid.pose = fixed.pose;
    solid.fixed = &fixed;
    solid.material = fixed.obstacle->material;
    solid.bounds = bounds_of(*solid.shape);
    // What turns about its own axes is as fast as its farthest corner; ground does not turn.
    const Vector3 far = solid.bounds.min.cwiseAbs().cwiseMax(solid.bounds.max.cwiseAbs());
    solid.speed = fixed.velocity.norm();
    if (far.allFinite()) solid.speed += fixed.angular_velocity.norm() * far.norm();
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (member.rigid == nullptr) continue;
    Solid& solid = solids_.emplace_back();
    solid.name = member.name;
    solid.shape = &member.rigid->shape();
    solid.pose = member.rigid->pose();
    solid.member = static_cast<int>(i);
    solid.material = member.material;
    solid.bounds = bounds_of(*solid.shape);
    solid.speed = speeds_[i];
  }
}

SolveReport ContactStep::detect(double h, const ContactFilter& filter) {
  h_ = h;
  filter_ = &filter;
  report_ = {};
  nears_.clear();
  contacts_.clear();
  const std::size_t count = members_.size();
  if (steps_.size() < count) steps_.resize(count);
  speeds_.resize(count);
  ends_.resize(std::max(ends_.size(), count));
  pushes_.resize(ends_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Member& member = members_[i];
    CoupledStep& step = steps_[i];
    if (member.rigid != nullptr) {
      member.rigid->begin_coupled(h, step);
      const double start = step.start.head<3>().norm() + member.rigid->radius() * step.start.tail<3>().norm();
      const double free = step.free.head<3>().norm() + member.rigid->radius() * step.free.tail<3>().norm();
      speeds_[i] = std::max(start, free);
      continue;
    }
    if (const SolveReport begun = member.body->begin_coupled(h, step, member.elastic); !begun.ok()) return begun;
    const TreeDynamics& tree = *member.body->tree();
    member.shell->follow(tree);
    speeds_[i] = std::max(member.shell->speed(tree, step.start), member.shell->speed(tree, step.free));
  }
  list_solids();
  for (std::size_t i = 0; i < count; ++i)
    for (const Solid& solid : solids_)
      if (may_touch(members_[i].name, solid.name)) find(static_cast<int>(i), solid);
  // Corners of obstacles against rigid bodies.
  for (const Static& fixed : statics_)
    for (const Solid& solid : solids_)
      if (solid.member >= 0 && may_touch(fixed.name, solid.name))
        find_points(*fixed.samples, fixed.pose, -1, &fixed, solid,
                    h_ * solid.speed + near_share * members_[static_cast<std::size_t>(solid.member)].size);
  report_.contacts = static_cast<int>(contacts_.size());
  return {};
}

void ContactStep::find(int index, const Solid& solid) {
  const Member& member = members_[static_cast<std::size_t>(index)];
  const double margin = h_ * (speeds_[static_cast<std::size_t>(index)] + solid.speed) + near_share * member.size;
  if (member.rigid != nullptr)
    return find_points(member.rigid->samples(), member.rigid->pose(), index, nullptr, solid, margin);
  const Matrix3 back = solid.pose.rotation.toRotationMatrix().transpose();
  const auto measure = [&](const Vector3& x) { return distance_to(*solid.shape, back * (x - solid.pose.position)); };
  member.shell->for_each_near(
      margin, [&](const Vector3& x) { return measure(x).distance; },
      [&](Index domain, Index point, const Vector3& x) {
        SurfaceDistance found = measure(x);
        found.normal = back.transpose() * found.normal;
        Near near;
        near.first = index;
        near.second = solid.member;
        near.domain = domain;
        near.point = point;
        near.material = combined(member.material, solid.material);
        if (solid.fixed != nullptr)
          near.drift = -(solid.fixed->velocity +
                         solid.fixed->angular_velocity.cross(x - solid.fixed->pose.position));
        add_contact(near, member.name, solid.name, x, found, 0.0);
      });
}

/// Points of a rigid body (owner) or of an obstacle (fixed) against a solid.
void ContactStep::find_points(std::span<const SamplePoint> samples, const Pose& pose, int owner,
                              const Static* fixed, const Solid& solid, double margin) {
  const Pose there = solid.pose.inverse() * pose;
  const Matrix3 turned = there.rotation.toRotationMatrix();
  if (owner >= 0) {
    const RigidBody& rigid = *members_[static_cast<std::size_t>(owner)].rigid;
    const Vector3 center = turned * rigid.mass_properties().center + there.position;
    if (distance_from(solid.bounds, center) > rigid.radius() + margin) return;
  }
  for (const SamplePoint& sample : samples) {
    const Vector3 x = turned * sample.place + there.position;
    if (distance_from(solid.bounds, x) > sample.radius + margin) continue;
    SurfaceDistance found = distance_to(*solid.shape, x);
    if (found.distance - sample.radius > margin) continue;
    found.normal = solid.pose.rotation * found.normal;
    const Vector3 place = solid.pose.apply(x) - sample.radius * found.normal;
    Near near;
    if (owner >= 0) {
      near.first = owner;
      near.second = solid.member;
      near.material = combined(members_[static_cast<std::size_t>(owner)].material, solid.material);
      if (solid.fixed != nullptr)
        near.drift = -(solid.fixed->velocity +
                       solid.fixed->angular_velocity.cross(place - solid.fixed->pose.position));
      add_contact(near, members_[static_cast<std::size_t>(owner)].name, solid.name, place, found,
                  sample.radius);
      continue;
    }
    // The point is the obstacle's: seen from it, the solid is what moves.
    near.first = solid.member;
    near.material = combined(fixed->obstacle->material, solid.material);
    near.drift = -(fixed->velocity + fixed->angular_velocity.cross(place - fixed->pose.position));
    found.normal = -found.normal;
    add_contact(near, solid.name, fixed->name, place, found, sample.radius);
  }
}

void ContactStep::add_contact(const Near& near, const Touching& first, const Touching& second,
                              const Vector3& x, const SurfaceDistance& found, double radius) {
  nears_.push_back(near);
  ContactPoint& contact = contacts_.emplace_back();
  contact.first = first;
  contact.second = second;
  contact.position = x;
  contact.normal = found.normal;
  contact.distance = found.distance - radius;
  report_.deepest = std::max(report_.deepest, -contact.distance);
}

int ContactStep::root_of(int member) {
  while (parents_[static_cast<std::size_t>(member)] != member)
    member = parents_[static_cast<std::size_t>(member)] =
        parents_[static_cast<std::size_t>(parents_[static_cast<std::size_t>(member)])];
  return member;
}

void ContactStep::find_islands() {
  const std::size_t count = members_.size();
  parents_.resize(count);
  std::iota(parents_.begin(), parents_.end(), 0);
  for (const Near& near : nears_) {
    if (near.second < 0) continue;
    const int a = root_of(near.first), b = root_of(near.second);
    parents_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  numbers_.assign(count, -1);
  for (auto& island : island_members_) island.clear();
  for (auto& island : island_contacts_) island.clear();
  int islands = 0;
  for (std::size_t c = 0; c < nears_.size(); ++c) {
    int& number = numbers_[static_cast<std::size_t>(root_of(nears_[c].first))];
    if (number < 0) number = islands++;
    if (island_contacts_.size() < static_cast<std::size_t>(islands)) {
      island_contacts_.emplace_back();
      island_members_.emplace_back();
    }
    island_contacts_[static_cast<std::size_t>(number)].push_back(static_cast<int>(c));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int number = numbers_[static_cast<std::size_t>(root_of(static_cast<int>(i)))];
    if (number >= 0) island_members_[static_cast<std::size_t>(number)].push_back(static_cast<int>(i));
  }
  report_.islands = islands;
}

void ContactStep::write_rows(int member, std::size_t contact, const Matrix3& axes, double sign,
                             ContactSolver::Rows rows) {
  const Member& owner = members_[static_cast<std::size_t>(member)];
  const Vector3& x = contacts_[contact].position;
  if (owner.rigid != nullptr) {
    rows.leftCols<3>() = sign * axes.transpose();
    rows.rightCols<3>().noalias() = sign * axes.transpose() * cross_matrix(owner.rigid->center() - x);
    return;
  }
  const Near& near = nears_[contact];
  owner.shell->write_rows(*owner.body->tree(), near.domain, near.point, x, axes, sign, rows);
}

/// What the contact resists, and from which speed on.
void ContactStep::set_cone(ContactSolver& solver, int number, std::size_t contact,
                           const ContactOptions& options) {
  const Near& near = nears_[contact];
  const double distance = contacts_[contact].distance, yield = solver.yield(number);
  FrictionCone cone;
  cone.friction = near.material.friction;
  cone.normal = normal_softness * yield;
  cone.tangent = tangent_softness * yield;
  double size = members_[static_cast<std::size_t>(near.first)].size;
  if (near.second >= 0) size = std::min(size, members_[static_cast<std::size_t>(near.second)].size);
  if (near.material.compliance > 0.0) {
    // A spring, at the end of the step: g = k (-d - h v) / compliance.
    const double kick = steps_[static_cast<std::size_t>(near.first)].kick;
    cone.normal = std::max(cone.normal, near.material.compliance / (kick * h_));
    cone.approach = -distance / h_;
  } else {
    cone.approach = distance > 0.0 ? -distance / h_
                                   : std::min(-options.recovery * distance / h_, options.recovery_speed * size);
  }
  solver.cone(number) = cone;
}

void ContactStep::solve_island(std::span<const int> members, std::span<const int> contacts,
                               const ContactOptions& options) {
  bodies_.clear();
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto m = static_cast<std::size_t>(members[k]);
    numbers_[m] = static_cast<int>(k);
    const Member& member = members_[m];
    const bool flies = member.rigid != nullptr || member.body->model().free;
    bodies_.push_back({&steps_[m].matrix, &steps_[m].free, &steps_[m].start, flies ? 6 : 0});
  }
  solver_.begin(bodies_);
  for (const int c : contacts) {
    const auto contact = static_cast<std::size_t>(c);
    const Near& near = nears_[contact];
    const Matrix3 axes = axes_of(contacts_[contact].normal);
    const int second = near.second < 0 ? -1 : numbers_[static_cast<std::size_t>(near.second)];
    const int number = solver_.add(numbers_[static_cast<std::size_t>(near.first)], second);
    write_rows(near.first, contact, axes, 1.0, solver_.rows(number, 0));
    if (second >= 0) write_rows(near.second, contact, axes, -1.0, solver_.rows(number, 1));
    solver_.set_drift(number, axes.transpose() * near.drift);
    set_cone(solver_, number, contact, options);
    if (near.material.restitution > 0.0) {
      // How fast it comes, from the velocities before the step; slower than a few steps of gravity nothing
      // bounces, and only what meets in this step does.
      double coming = axes.col(2).dot(near.drift), weight = 0.0;
      for (int side = 0; side < (second >= 0 ? 2 : 1); ++side) {
        const auto m = static_cast<std::size_t>(side == 0 ? near.first : near.second);
        coming += solver_.rows(number, side).row(2).dot(steps_[m].start);
        const Member& member = members_[m];
        const Vector3& gravity =
            member.rigid != nullptr ? member.rigid->gravity() : member.body->loads().gravity;
        weight = std::max(weight, h_ * gravity.norm());
      }
      if (coming < -4.0 * weight && contacts_[contact].distance <= -coming * h_)
        solver_.cone(number).approach =
            std::max(solver_.cone(number).approach, -near.material.restitution * coming);
    }
  }
  const ContactSolveReport solved = solver_.solve(options.solve);
  report_.iterations = std::max(report_.iterations, solved.iterations);
  report_.active += solved.active;
  report_.converged = report_.converged && solved.ok();
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto m = static_cast<std::size_t>(members[k]);
    ends_[m] = solver_.velocity(static_cast<int>(k));
    pushes_[m] = solver_.impulses_on(static_cast<int>(k));
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ContactPoint& contact = contacts_[static_cast<std::size_t>(contacts[i])];
    const Matrix3 axes = axes_of(contact.normal);
    contact.impulse = axes * solver_.impulse(static_cast<int>(i));
    contact.velocity = axes * solver_.relative_velocity(static_cast<int>(i));
  }
}

void ContactStep::solve(const ContactOptions& options) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    ends_[i] = steps_[i].free;
    pushes_[i].setZero(steps_[i].free.size());
  }
  find_islands();
  for (int i = 0; i < report_.islands; ++i)
    solve_island(island_members_[static_cast<std::size_t>(i)], island_contacts_[static_cast<std::size_t>(i)],
                 options);
}

StepReport ContactStep::commit(bool last) {
  StepReport total;
  failed_ = -1;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].body == nullptr) continue;
    add_report({members_[i].body->end_coupled(steps_[i], ends_[i], pushes_[i], last)}, total);
    if (total.ok()) continue;
    failed_ = static_cast<int>(i);
    while (i-- > 0)
      if (members_[i].body != nullptr) members_[i].body->undo_coupled();
    return total;
  }
  for (std::size_t i = 0; i < members_.size(); ++i)  // which cannot fail
    if (members_[i].rigid != nullptr) members_[i].rigid->end_coupled(steps_[i], ends_[i], pushes_[i]);
  return total;
}

}  // namespace limber
