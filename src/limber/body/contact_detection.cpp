// What is near in a step of bodies that may touch.

#include "limber/body/contact_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// What is as near as that share of the size of a body may touch it in a step, however slow both are.
constexpr double near_share = 1e-4;

/// Distance of a point from a box; 0 inside.
double distance_from(const BoundingBox& box, const Vector3& x) {
  return (x - x.cwiseMax(box.min).cwiseMin(box.max)).norm();
}

/// No place of an obstacle within a ball is faster, m/s. What turns about its own axes is as fast as its
/// farthest corner, and ground, which has none, as what is there.
double speed_of(const ContactStep::Static& fixed, const BoundingBox& bounds, const Vector3& center,
                double radius) {
  const Vector3 far = bounds.min.cwiseAbs().cwiseMax(bounds.max.cwiseAbs());
  const double arm = std::min(far.norm(), (center - fixed.pose.position).norm() + radius);
  return fixed.velocity.norm() + fixed.angular_velocity.norm() * arm;
}

/// What a place of a body yields to an impulse at most, m/s per N s: by its coordinates, and by the velocity
/// and the turning of the whole where it flies, which are of other units.  harder: than it is, in A.
double most_yield(const Matrix& A, bool flies, double swing, double reach, double harder = 1.0) {
  const Index count = A.rows() - (flies ? 6 : 0);
  double yield = count > 0 ? harder * swing * swing / A.diagonal().head(count).minCoeff() : 0.0;
  if (flies)
    yield +=
        1.0 / A.diagonal().segment<3>(count).minCoeff() + reach * reach / A.diagonal().tail<3>().minCoeff();
  return yield;
}

}  // namespace

void ContactStep::clear() {
  members_.clear();
  statics_.clear();
}

/// What bodies of another engine do to each other is its own, and what stands in their way, too.
bool ContactStep::may_touch(const Touching& one, const Touching& other) const {
  const auto own = [](const Touching& x) {
    return x.of == Touching::Of::body || x.of == Touching::Of::rigid;
  };
  return !(one == other) && (own(one) || own(other)) && (!*filter_ || (*filter_)(one, other));
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

/// The step of one member, and how fast it is.
void ContactStep::begin(std::size_t i) {
  const Member& member = members_[i];
  CoupledStep& step = steps_[i];
  aside_[i] = 0.0;
  if (member.rigid != nullptr) {
    member.rigid->begin_coupled(h_, step);
    yields_[i] = 1.0 / member.rigid->mass_properties().mass;
    reaches_[i] = member.rigid->radius();
    speeds_[i] = std::max(speed(i, step.start), speed(i, step.free));
    return;
  }
  reports_[i] = member.body->begin_coupled(h_, step, member.elastic, part_);
  if (!reports_[i].ok()) return;
  member.shell->follow(*member.body);
  reaches_[i] = member.shell->reach();
  speeds_[i] = std::max(speed(i, step.start), speed(i, step.free));
  const double harder = step.hardness > 0.0 ? step.hardness : 1.0;
  if (step.condensed || (member.elastic == ElasticEnd::rigid && harder == 1.0))
    return;  // which yields as it did before
  yields_[i] = most_yield(step.matrix, member.body->model().free, member.shell->swing(), reaches_[i], harder);
}

/// No place of a member that moves with u is faster, m/s.
double ContactStep::speed(std::size_t i, const Vector& u) const {
  const Member& member = members_[i];
  if (member.rigid != nullptr) return u.head<3>().norm() + member.rigid->radius() * u.tail<3>().norm();
  return member.shell->speed(*member.body, u);
}

/// Whether contacts have made members faster than they were taken to be; they are taken to be as fast from
/// now on. Not those with every vertex, whose velocities are not known yet.
bool ContactStep::take_speeds() {
  // What is faster by less is met within what is near anyway, in the next step.
  constexpr double faster = 1.01;
  constexpr double stopped = 1e-3;  // share of the kinetic energy that is left
  bool any = false;
  for (int island = 0; island < report_.islands; ++island) {
    for (const int member : islands_[static_cast<std::size_t>(island)].members) {
      const auto i = static_cast<std::size_t>(member);
      if (condenses(i) || pushes_[i].isZero(0.0)) continue;
      // What contacts have all but stopped, as most that rests, is not asked: that takes a while.
      const CoupledStep& step = steps_[i];
      const auto size = [&](const Vector& u) { return step.matrix.diagonal().dot(u.cwiseAbs2()); };
      if (size(ends_[i]) <= stopped * std::max(size(step.start), size(step.free))) continue;
      const double now = speed(i, ends_[i]);
      if (!(now > faster * speeds_[i] && h_ * (now - speeds_[i]) > near_share * members_[i].size)) continue;
      speeds_[i] = now;
      aside_[i] = speed(i, ends_[i] - steps_[i].free);
      any = any || std::isfinite(now);
    }
  }
  return any;
}

/// What is as near as that to each other may touch, beside what boxes say that follow the members on their
/// free ways.
double ContactStep::margin_of(int one, int other) const {
  const auto i = static_cast<std::size_t>(one), j = static_cast<std::size_t>(other);
  return near_share * std::min(members_[i].size, members_[j].size) + h_ * (aside_[i] + aside_[j]);
}

SolveReport ContactStep::detect(double h, const StepPart& part, const ContactFilter& filter) {
  h_ = h;
  part_ = part;
  filter_ = &filter;
  report_ = {};
  failed_.clear();
  nears_.clear();
  contacts_.clear();
  const std::size_t count = members_.size();
  if (steps_.size() < count) steps_.resize(count);
  if (condensed_.size() < count) condensed_.resize(count);
  speeds_.resize(count);
  aside_.resize(count);
  reaches_.resize(count);
  yields_.resize(count);
  ends_.resize(std::max(ends_.size(), count));
  pushes_.resize(ends_.size());
  reports_.assign(count, {});
  executor_.parallel_for(static_cast<std::ptrdiff_t>(count),
                         [this](std::ptrdiff_t i) { begin(static_cast<std::size_t>(i)); });
  SolveReport all;
  for (std::size_t i = 0; i < count; ++i) {
    if (reports_[i].ok()) continue;
    all = reports_[i];
    failed_.push_back(static_cast<int>(i));
  }
  return all.ok() ? find_near() : all;
}

SolveReport ContactStep::find_near() {
  report_ = {};
  nears_.clear();
  contacts_.clear();
  list_solids();
  for (int i = 0; i < static_cast<int>(members_.size()); ++i)
    for (const Solid& solid : solids_) find(i, solid);
  // Corners of obstacles against rigid bodies.
  for (const Static& fixed : statics_) {
    if (fixed.samples->empty()) continue;
    const BoundingBox bounds = bounds_of(fixed.obstacle->shape);
    for (const Solid& solid : solids_) {
      if (solid.member < 0) continue;
      const Member& member = members_[static_cast<std::size_t>(solid.member)];
      const double radius = member.rigid->radius();
      const Vector3& center = member.rigid->center();
      const double margin =
          h_ * (solid.speed + speed_of(fixed, bounds, center, radius)) + near_share * member.size;
      if (distance_from(bounds, fixed.pose.inverse().apply(center)) <= radius + margin &&
          may_touch(fixed.name, solid.name))
        find_points(*fixed.samples, fixed.pose, -1, &fixed, solid, margin);
    }
  }
  find_deforming();
  report_.contacts = static_cast<int>(contacts_.size());
  return condense();
}

SolveReport ContactStep::condense() {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (condenses(i)) condensed_[i].unknowns.clear();
  for (const Near& near : nears_) {
    for (int side = 0; side < 2; ++side) {
      const int index = side == 0 ? near.first : near.second;
      if (index < 0 || !condenses(static_cast<std::size_t>(index))) continue;
      const Member& member = members_[static_cast<std::size_t>(index)];
      std::vector<int>& unknowns = condensed_[static_cast<std::size_t>(index)].unknowns;
      if (near.at_place == side) {
        member.shell->list_unknowns(*member.body, near.place, unknowns);
      } else {
        member.shell->list_unknowns(*member.body, near.point, unknowns);
      }
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!condenses(i)) continue;
    CondensedStep& condensed = condensed_[i];
    std::sort(condensed.unknowns.begin(), condensed.unknowns.end());
    condensed.unknowns.erase(std::unique(condensed.unknowns.begin(), condensed.unknowns.end()),
                             condensed.unknowns.end());
    if (const SolveReport found = members_[i].body->condense(condensed); !found.ok()) return found;
    yields_[i] = condensed.unknowns.empty()
                     ? 0.0
                     : most_yield(condensed.step.matrix, condensed.flies, 1.0, reaches_[i]);
  }
  return {};
}

/// What deformable bodies touch with their own solids: each other, themselves, and points of rigid bodies and
/// obstacles.
void ContactStep::find_deforming() {
  const auto count = static_cast<int>(members_.size());
  const auto center = [&](int i) {
    const Member& member = members_[static_cast<std::size_t>(i)];
    return member.rigid != nullptr ? member.rigid->center() : member.shell->center();
  };
  const auto radius = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    return (members_[at].rigid != nullptr ? members_[at].rigid->radius() : reaches_[at]) + h_ * speeds_[at] +
           near_share * members_[at].size;
  };
  covered_.assign(members_.size(), 0);
  boxes_refitted_.assign(members_.size(), 0);
  solid_refitted_.assign(members_.size(), 0);
  for (int i = 0; i < count; ++i) {
    const Member& one = members_[static_cast<std::size_t>(i)];
    if (one.body == nullptr) continue;
    if (one.self) find_self(i);
    for (int j = 0; j < count; ++j) {
      const Member& other = members_[static_cast<std::size_t>(j)];
      if (i == j || (other.body != nullptr && j < i)) continue;  // of two bodies the first one asks
      if ((center(i) - center(j)).norm() > radius(i) + radius(j)) continue;
      if (!may_touch(one.name, other.name)) continue;
      if (other.rigid != nullptr) {
        if (!one.shell->can_have_solid()) continue;  // its points meet the other
        find_samples(other.rigid->samples(), other.rigid->pose(), j, nullptr, i,
                     h_ * speeds_[static_cast<std::size_t>(j)]);
        continue;
      }
      if (!covers_meet(i, j, margin_of(i, j))) continue;
      if (!one.shell->can_have_solid() && !other.shell->can_have_solid()) ++report_.untested;
      find_between(i, j);
      find_between(j, i);
    }
    if (!one.shell->can_have_solid()) continue;
    for (const Static& fixed : statics_) {
      if (fixed.samples->empty()) continue;
      const BoundingBox bounds = bounds_of(fixed.obstacle->shape);
      const double away = distance_from(bounds, fixed.pose.inverse().apply(center(i))),
                   way = h_ * speed_of(fixed, bounds, center(i), radius(i));
      if (away <= radius(i) + way && may_touch(one.name, fixed.name))
        find_samples(*fixed.samples, fixed.pose, -1, &fixed, i, way);
    }
  }
}

void ContactStep::cover(int member) {
  const auto i = static_cast<std::size_t>(member);
  if (std::exchange(covered_[i], 1) != 0) return;
  members_[i].shell->cover(*members_[i].body, steps_[i].free, h_);
}

/// Whether a ball comes near a deformable body in the step; what has no part of the body near it is spared
/// the refit.
bool ContactStep::near_cover(int member, const Vector3& x, double radius) {
  cover(member);
  const MovingShell& shell = *members_[static_cast<std::size_t>(member)].shell;
  if (distance_from(shell.cover_box(), x) > radius) return false;
  const auto meets = [&](const PointShell::Ball& ball) {
    const double reach = ball.radius + radius;
    return (ball.center - x).squaredNorm() <= reach * reach;
  };
  return std::any_of(shell.cover().begin(), shell.cover().end(), meets);
}

/// The same for two of them.
bool ContactStep::covers_meet(int one, int other, double margin) {
  cover(one);
  const MovingShell& shell = *members_[static_cast<std::size_t>(one)].shell;
  return std::any_of(shell.cover().begin(), shell.cover().end(), [&](const PointShell::Ball& ball) {
    return near_cover(other, ball.center, ball.radius + margin);
  });
}

void ContactStep::refit_boxes(int member) {
  const auto i = static_cast<std::size_t>(member);
  if (std::exchange(boxes_refitted_[i], 1) != 0) return;
  members_[i].shell->refit_boxes(*members_[i].body, steps_[i].free, h_);
}

void ContactStep::refit_solid(int member) {
  const auto i = static_cast<std::size_t>(member);
  if (std::exchange(solid_refitted_[i], 1) != 0) return;
  members_[i].shell->refit_solid(*members_[i].body, steps_[i].free, h_);
}

/// Points of one body in the solid of another. Bodies without a solid have points that are not refitted: the
/// other asks for them one by one.
void ContactStep::find_between(int points, int solid) {
  const Member& owner = members_[static_cast<std::size_t>(points)];
  const Member& other = members_[static_cast<std::size_t>(solid)];
  if (!other.shell->can_have_solid()) return;
  refit_solid(solid);
  const double margin = margin_of(points, solid);
  if (owner.shell->has_boxes() && other.shell->has_boxes()) {
    refit_boxes(points);
    touches_.clear();
    finder_.between(owner.shell->boxes(), other.shell->solid(), margin, touches_);
    return add_touches(points, solid);
  }
  // Points of a tree, or of a body that moves without frames, and what touches that: those within the box
  // around the other and its ways.
  cover(solid);
  const double way = h_ * speeds_[static_cast<std::size_t>(points)],
               reach = margin + way + h_ * speeds_[static_cast<std::size_t>(solid)];
  owner.shell->for_each_near(
      margin + way, [&](const Vector3& x) { return distance_from(other.shell->cover_box(), x); },
      [&](Index domain, Index point, const Vector3& x) {
        MovingShell::PlaceTouch touch;
        if (!other.shell->touch(*other.body, x, reach, touch)) return;
        Near near;
        near.first = points;
        near.second = solid;
        near.domain = domain;
        near.point = point;
        near.at_place = 1;
        near.place_domain = touch.domain;
        near.place = touch.place;
        near.material = combined(owner.material, other.material);
        add_contact(near, owner.name, other.name, x, {touch.distance, touch.normal}, 0.0);
      });
}

void ContactStep::find_self(int member) {
  const Member& one = members_[static_cast<std::size_t>(member)];
  refit_boxes(member);
  refit_solid(member);
  touches_.clear();
  finder_.within(one.shell->boxes(), one.shell->solid(), one.shell->shell().own_patches(),
                 margin_of(member, member), touches_);
  add_touches(member, member);
}

void ContactStep::add_touches(int points, int solid) {
  const Member& owner = members_[static_cast<std::size_t>(points)];
  const Member& other = members_[static_cast<std::size_t>(solid)];
  const Pose& pose = other.shell->solid().pose();
  for (const Touch& touch : touches_) {
    if (!owner.shell->uses(0, touch.point)) continue;
    Near near;
    near.first = points;
    near.second = solid;
    near.domain = 0;
    near.point = touch.point;
    near.at_place = 1;
    near.place = touch.solid.place;
    near.material = combined(owner.material, other.material);
    add_contact(near, owner.name, other.name, owner.shell->boxes().position(touch.point),
                {touch.solid.distance, pose.rotation * touch.solid.normal}, 0.0);
  }
}

/// Points of a rigid body (owner) or of an obstacle (fixed) in the solid of a deformable one.  way: that they
/// go at most, m.
void ContactStep::find_samples(std::span<const SamplePoint> samples, const Pose& pose, int owner,
                               const Static* fixed, int member, double way) {
  const Member& one = members_[static_cast<std::size_t>(member)];
  const Matrix3 turned = pose.rotation.toRotationMatrix();
  const double margin = way + near_share * one.size + h_ * aside_[static_cast<std::size_t>(member)];
  const double wide = margin + h_ * speeds_[static_cast<std::size_t>(member)];
  for (const SamplePoint& sample : samples) {
    const Vector3 x = pose.position + turned * sample.place;
    if (!near_cover(member, x, sample.radius + margin)) continue;
    refit_solid(member);
    MovingShell::PlaceTouch touch;
    if (!one.shell->touch(*one.body, x, sample.radius + wide, touch)) continue;
    const Vector3 normal = touch.normal, place = x - sample.radius * normal;
    Near near;
    near.place_domain = touch.domain;
    near.place = touch.place;
    if (owner >= 0) {
      const Member& rigid = members_[static_cast<std::size_t>(owner)];
      near.first = owner;
      near.second = member;
      near.at_place = 1;
      near.material = combined(rigid.material, one.material);
      add_contact(near, rigid.name, one.name, place, {touch.distance, normal}, sample.radius);
      continue;
    }
    near.first = member;
    near.at_place = 0;
    near.material = combined(fixed->obstacle->material, one.material);
    near.drift = -(fixed->velocity + fixed->angular_velocity.cross(place - fixed->pose.position));
    add_contact(near, one.name, fixed->name, place, {touch.distance, -normal}, sample.radius);
  }
}

void ContactStep::find(int index, const Solid& solid) {
  const auto i = static_cast<std::size_t>(index);
  const Member& member = members_[i];
  if (member.name == solid.name) return;
  const Vector3& center = member.rigid != nullptr ? member.rigid->center() : member.shell->center();
  const double speed =
      solid.fixed != nullptr ? speed_of(*solid.fixed, solid.bounds, center, reaches_[i]) : solid.speed;
  const double margin = h_ * (speeds_[i] + speed) + near_share * member.size;
  if (distance_from(solid.bounds, solid.pose.inverse().apply(center)) > reaches_[i] + margin) return;
  if (!may_touch(member.name, solid.name)) return;
  if (member.rigid != nullptr)
    return find_points(member.rigid->samples(), member.rigid->pose(), index, nullptr, solid, margin);
  const Matrix3 back = solid.pose.rotation.toRotationMatrix().transpose();
  const auto measure = [&](const Vector3& x) {
    return distance_to(*solid.shape, back * (x - solid.pose.position));
  };
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
          near.drift =
              -(solid.fixed->velocity + solid.fixed->angular_velocity.cross(x - solid.fixed->pose.position));
        add_contact(near, member.name, solid.name, x, found, 0.0);
      });
}

/// Points of a rigid body (owner) or of an obstacle (fixed) against a solid.
void ContactStep::find_points(std::span<const SamplePoint> samples, const Pose& pose, int owner,
                              const Static* fixed, const Solid& solid, double margin) {
  const Pose there = solid.pose.inverse() * pose;
  const Matrix3 turned = there.rotation.toRotationMatrix();
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
  // So many sizes away, what is within the way of a step has a velocity that no digit of it is true of.
  constexpr double most_sizes = 1e6;
  const auto size = [&](int member) {
    return member < 0 ? 0.0 : members_[static_cast<std::size_t>(member)].size;
  };
  if (!(std::abs(found.distance) <= most_sizes * std::max(size(near.first), size(near.second)))) return;
  nears_.push_back(near);
  ContactPoint& contact = contacts_.emplace_back();
  contact.first = first;
  contact.second = second;
  contact.position = x;
  contact.normal = found.normal;
  contact.distance = found.distance - radius;
  report_.deepest = std::max(report_.deepest, -contact.distance);
}

}  // namespace limber
