#include "limber/scene/handle_schedule.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/manipulation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace limber {
namespace {

/// As a share of a step: times that are multiples of it up to rounding mean these.
constexpr double time_rounding = 1e-6;

/// The first vertex that is in both lists (ascending), or -1.
int common_vertex(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.empty() ? -1 : common.front();
}

std::string title_of(const BodyConstraint& constraint, std::size_t i) {
  return constraint.name.empty() ? fmt::format("constraints[{}]", i) : constraint.name;
}

double size_of(const Body& body) {
  const Matrix3X& x = body.surface().mesh().vertices;
  return x.cols() > 0 ? (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm() : 0.0;
}

}  // namespace

HandleSchedule::HandleSchedule(const SceneBody& scene_body, const BodyPoints& points, const Body& body)
    : priority_(scene_body.constraint_priority),
      size_(size_of(body)),
      active_(scene_body.constraints.size(), 0) {
  if (scene_body.support) {
    support_ = from_time_zero(scene_body.support);
    start_ = scene_body.support(0.0);
  }
  const std::vector<char> fixed = fixed_points(scene_body, points, body);
  for (std::size_t i = 0; i < scene_body.constraints.size(); ++i) {
    const BodyConstraint& constraint = scene_body.constraints[i];
    const std::string where = fmt::format("{}: constraints[{}]", scene_body.name, i);
    require(!constraint.holds_orientation() || can(body.method(), Ability::orientations),
            "{}: it holds orientations, which a body without modes does not have; hold 'position'", where);
    entries_.emplace_back(constraint, where, points);
    outcomes_.push_back({title_of(constraint, i)});
    for (const int v : entries_.back().vertices)
      require(fixed[static_cast<std::size_t>(v)] == 0,
              "{}: vertex {} is fixed and cannot be moved; choose others", where, v);
    const std::vector<Point>& exercised = entries_.back().exercised;
    require(exercised.empty() || std::any_of(exercised.begin(), exercised.end(),
                                             [&](const Point& point) {
                                               return fixed[static_cast<std::size_t>(point.vertex)] == 0;
                                             }),
            "{}: all of its 'exercised' vertices are fixed, where forces do nothing; choose others", where);
  }
  check_apart();
  check_possible(body);
}

HandleSchedule::Entry::Entry(const BodyConstraint& given, std::string place, const BodyPoints& from)
    : constraint(given), where(std::move(place)) {
  require(!constraint.where.empty(),
          "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'", where);
  vertices = select_vertices(*from.mesh, constraint.where, where);
  rest = from.mesh->vertices(Eigen::all, vertices);
  for (const int v : vertices) {
    points.push_back(from.point(v));
    center += from.mesh->vertices.col(v) / static_cast<double>(vertices.size());
  }
  if (constraint.exercised.empty()) return;
  for (const int v : select_vertices(*from.mesh, constraint.exercised, where + ".exercised"))
    exercised.push_back(from.point(v));
}

/// No vertex can be at two places, or turned in two ways.
void HandleSchedule::check_apart() const {
  for (std::size_t j = 0; j < entries_.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const BodyConstraint &a = entries_[i].constraint, &b = entries_[j].constraint;
      const bool position = a.holds_position() && b.holds_position();
      const bool orientation = a.holds_orientation() && b.holds_orientation();
      if (!(position || orientation) || a.from >= b.to || b.from >= a.to) continue;
      const int vertex = common_vertex(entries_[i].vertices, entries_[j].vertices);
      require(vertex < 0,
              "{}: it holds the {} of vertex {}, which constraints[{}] holds at the same time; choose other "
              "vertices or other times",
              entries_[j].where, position ? "position" : "orientation", vertex, i);
    }
  }
}

/// What the body does not take is said before the first step, not when it is due.
void HandleSchedule::check_possible(const Body& body) const {
  for (const Entry& entry : entries_) {
    Entry as_it_is = entry;
    as_it_is.constraint.motion = {};
    as_it_is.hold(body, {});
    std::vector<Handle> handles;
    as_it_is.add_handles(0.0, {}, {}, handles);
    try {
      body.check_handles(handles, priority_, entry.exercised);
    } catch (const Error& error) {
      // It names the body, as the place does.
      std::string_view what = error.what();
      if (const std::string start = body.name() + ": "; what.starts_with(start))
        what.remove_prefix(start.size());
      throw Error("{}: {}", entry.where, what);
    }
  }
}

Index HandleSchedule::Entry::held_numbers() const {
  const int kinds = int{constraint.holds_position()} + int{constraint.holds_orientation()};
  return 3 * kinds * static_cast<Index>(points.size());
}

Index HandleSchedule::most_held() const {
  Index most = 0;
  for (const Entry& first : entries_) {  // the count grows only where one starts
    const double start = first.constraint.from;
    Index count = 0;
    for (const Entry& other : entries_) {
      const bool together = other.constraint.from <= start && start < other.constraint.to;
      if (together) count += other.held_numbers();
    }
    most = std::max(most, count);
  }
  return most;
}

HandleShare HandleSchedule::largest_share(const Body& body) const {
  HandleShare largest;
  std::vector<Handle> handles;
  for (const Entry& first : entries_) {
    const double start = first.constraint.from;
    handles.clear();
    for (const Entry& other : entries_) {
      if (other.constraint.from > start || start >= other.constraint.to) continue;
      for (const Point& point : other.points)
        handles.push_back({point, other.constraint.holds_position(), other.constraint.holds_orientation()});
    }
    if (const HandleShare share = limber::largest_share(body, handles); share.more_than(largest))
      largest = share;
  }
  return largest;
}

/// From now on. support: its pose now.
void HandleSchedule::Entry::hold(const Body& body, const Pose& support) {
  held_positions.clear();
  held_rotations.clear();
  const Pose to_frame = support.inverse();
  for (const Point& point : points) {
    if (constraint.holds_position()) held_positions.push_back(to_frame.apply(body.position(point)));
    if (constraint.holds_orientation())
      held_rotations.push_back((to_frame.rotation * body.orientation(point)).normalized());
  }
}

/// The motion of the handle from rest, in the world. What moves there starts where the support has it at time
/// 0.
Pose HandleSchedule::Entry::target(double time, const Pose& support, const Pose& start) const {
  const Pose motion = constraint.motion(time);
  if (constraint.frame == MotionFrame::world) return motion * start;
  return support * Pose{center + motion.position - motion.rotation * center, motion.rotation};
}

void HandleSchedule::Entry::add_handles(double time, const Pose& support, const Pose& start,
                                        std::vector<Handle>& handles) const {
  const bool moves = static_cast<bool>(constraint.motion);
  const Pose moved = moves ? target(time, support, start) : Pose{};
  for (std::size_t k = 0; k < points.size(); ++k) {
    Handle handle{points[k], constraint.holds_position(), constraint.holds_orientation()};
    if (handle.hold_position)
      handle.position =
          moves ? moved.apply(rest.col(static_cast<Index>(k))) : support.apply(held_positions[k]);
    if (handle.hold_orientation)
      handle.rotation =
          moves ? moved.rotation.normalized() : (support.rotation * held_rotations[k]).normalized();
    handles.push_back(handle);
  }
}

/// From where the points are to where the motion has them.
double HandleSchedule::Entry::jump_to(const Body& body, const Pose& target) const {
  double farthest = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k)
    farthest =
        std::max(farthest, (target.apply(rest.col(static_cast<Index>(k))) - body.position(points[k])).norm());
  return farthest;
}

/// How much the way of a point differs from that of the step before, as support.cpp has it.
double HandleSchedule::Entry::jump_within(double time, double h, const Pose& start) const {
  const Pose next = constraint.motion(time), now = constraint.motion(time - h),
             before = constraint.motion(std::max(time - 2.0 * h, 0.0));
  double farthest = 0.0;
  for (const auto& x : rest.colwise()) {
    const Vector3 arm = constraint.frame == MotionFrame::world ? start.apply(x) : Vector3(x - center);
    farthest = std::max(farthest, (next.apply(arm) - 2.0 * now.apply(arm) + before.apply(arm)).norm());
  }
  return farthest;
}

void HandleSchedule::note_jump(std::size_t constraint, bool starts, const Body& body, double h) {
  const Entry& entry = entries_[constraint];
  if (!entry.constraint.holds_position()) return;
  const double begin = step_ * h, end = (step_ + 1) * h;
  const double jump = starts ? entry.jump_to(body, entry.target(end, support_at(end), start_))
                             : entry.jump_within(end, h, start_);
  ConstraintOutcome& outcome = outcomes_[constraint];
  if (jump <= std::max(0.5 * size_, outcome.jump)) return;
  outcome.jump = jump;
  outcome.jump_time = begin;
}

bool HandleSchedule::holds() const {
  return std::any_of(active_.begin(), active_.end(), [](char active) { return active != 0; });
}

std::vector<Handle> HandleSchedule::handles_at(double time) const {
  std::vector<Handle> handles;
  const Pose support = support_at(time);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (active_[i]) entries_[i].add_handles(time, support, start_, handles);
  }
  return handles;
}

std::vector<Point> HandleSchedule::exercised_points() const {
  std::vector<Point> points;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!active_[i]) continue;
    const std::vector<Point>& own = entries_[i].exercised;
    if (own.empty()) return {};  // one that names none lets forces act wherever constraints push
    points.insert(points.end(), own.begin(), own.end());
  }
  const auto number = [](const Point& point) { return point.vertex; };
  std::ranges::sort(points, {}, number);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

void HandleSchedule::give(Body& body) const {
  body.set_handles(handles_at(time_), priority_, exercised_points());
}

void HandleSchedule::prepare(Body& body, double h) {
  const double end = (step_ + 1) * h, rounding = time_rounding * h;
  std::vector<char> active;
  for (const Entry& entry : entries_) {
    const BodyConstraint& constraint = entry.constraint;
    active.push_back(end > constraint.from + rounding && end <= constraint.to + rounding);
  }
  const bool held = holds();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (active[i] && !active_[i] && !entries_[i].constraint.motion)
      entries_[i].hold(body, support_at(step_ * h));
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (active[i] && entries_[i].constraint.motion) note_jump(i, !active_[i], body, h);
  }
  active_ = std::move(active);
  time_ = end;
  if (held || holds()) give(body);
}

void HandleSchedule::record(const Body& body) {
  ++step_;
  const bool met = body.handle_report().met;
  const Pose support = support_at(time_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!active_[i]) continue;
    std::vector<Handle> handles;
    entries_[i].add_handles(time_, support, start_, handles);
    double distance = 0.0, angle = 0.0;
    for (const Handle& handle : handles) {
      if (handle.hold_position)
        distance = std::max(distance, (body.position(handle.point) - handle.position).norm());
      if (handle.hold_orientation)
        angle = std::max(angle, body.orientation(handle.point).angularDistance(handle.rotation));
    }
    ConstraintOutcome& outcome = outcomes_[i];
    const auto missed = [&](double metres, double radians) { return std::max(metres / size_, radians); };
    if (missed(distance, angle) > missed(outcome.position_error, outcome.orientation_error))
      outcome.worst_time = time_;
    outcome.position_error = std::max(outcome.position_error, distance);
    outcome.orientation_error = std::max(outcome.orientation_error, angle);
    if (!met &&
        (distance > Manipulation::position_tolerance * size_ || angle > Manipulation::orientation_tolerance))
      outcome.met = false;
  }
}

void HandleSchedule::Entry::save(StateWriter& out) const {
  Matrix3X places(3, static_cast<Index>(held_positions.size()));
  Matrix turns(4, static_cast<Index>(held_rotations.size()));
  for (Index k = 0; k < places.cols(); ++k) places.col(k) = held_positions[static_cast<std::size_t>(k)];
  for (Index k = 0; k < turns.cols(); ++k)
    turns.col(k) = held_rotations[static_cast<std::size_t>(k)].coeffs();
  out.write(places);
  out.write(turns);
}

void HandleSchedule::Entry::restore(StateReader& in) {
  Matrix3X places;
  Matrix turns;
  in.read(places);
  in.read(turns);
  const auto count = static_cast<Index>(points.size());
  const Index positions = constraint.holds_position() ? count : 0;
  const Index orientations = constraint.holds_orientation() ? count : 0;
  const bool nothing = places.cols() == 0 && turns.cols() == 0;  // it may not have held anything yet
  require((nothing || (places.cols() == positions && turns.cols() == orientations)) &&
              (turns.rows() == 4 || turns.size() == 0),
          "{}: the state holds {} positions and {} orientations, expected {} and {}", where, places.cols(),
          turns.cols(), positions, orientations);
  held_positions.assign(places.colwise().begin(), places.colwise().end());
  held_rotations.clear();
  for (const auto& turn : turns.colwise()) held_rotations.emplace_back(Eigen::Vector4d(turn));
}

void HandleSchedule::save(StateWriter& out) const {
  out.write(std::int64_t{step_});
  out.write(time_);
  out.write(std::vector<int>(active_.begin(), active_.end()));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].save(out);
    out.write(outcomes_[i].met);
    out.write(outcomes_[i].position_error);
    out.write(outcomes_[i].orientation_error);
    out.write(outcomes_[i].worst_time);
    out.write(outcomes_[i].jump);
    out.write(outcomes_[i].jump_time);
  }
}

void HandleSchedule::restore(StateReader& in, Body& body) {
  std::int64_t step = 0;
  std::vector<int> active;
  in.read(step);
  in.read(time_);
  in.read(active);
  require(active.size() == entries_.size(), "the state is of {} constraints, expected {}", active.size(),
          entries_.size());
  step_ = static_cast<int>(step);
  active_.assign(active.begin(), active.end());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.restore(in);
    require(!active_[i] || entry.constraint.motion || !entry.held_positions.empty() ||
                !entry.held_rotations.empty(),
            "{}: the state does not say where it holds its vertices", entry.where);
    in.read(outcomes_[i].met);
    in.read(outcomes_[i].position_error);
    in.read(outcomes_[i].orientation_error);
    in.read(outcomes_[i].worst_time);
    in.read(outcomes_[i].jump);
    in.read(outcomes_[i].jump_time);
  }
  give(body);
}

}  // namespace limber
