#include "limber/scene/constraint_schedule.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <iterator>

namespace limber {
namespace {

/// The first vertex that is in both lists (ascending), or -1.
int common_vertex(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.empty() ? -1 : common.front();
}

std::string title_of(const BodyConstraint& constraint, std::size_t i) {
  return constraint.name.empty() ? fmt::format("constraints[{}]", i) : constraint.name;
}

}  // namespace

ConstraintSchedule::ConstraintSchedule(const SceneBody& body, const BodySites& sites,
                                       const WarpedEquations& equations, const Vector& gain)
    : priority_(body.constraint_priority), active_(body.constraints.size(), 0) {
  if (body.constraints.empty()) return;
  sites_ = sites;
  if (body.support) start_ = body.support(0.0);
  for (std::size_t i = 0; i < body.constraints.size(); ++i) {
    entries_.push_back(make_entry(body, equations, i));
    outcomes_.push_back({title_of(body.constraints[i], i)});
  }
  check_apart();
  for (const Entry& entry : entries_) {
    ManipulationSites alone{entry.positions, entry.orientations, {}, priority_};
    for (const int v : entry.exercised) alone.exercised.push_back(sites_.site(equations, v));
    try {
      const Manipulation possible(std::move(alone), gain, equations.size);
    } catch (const Error& error) {
      throw Error("{}: {}", entry.where, error.what());
    }
  }
}

ConstraintSchedule::Entry ConstraintSchedule::make_entry(const SceneBody& body,
                                                         const WarpedEquations& equations,
                                                         std::size_t i) const {
  Entry entry{body.constraints[i], fmt::format("{}: constraints[{}]", body.name, i)};
  require(!entry.constraint.where.empty(),
          "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'", entry.where);
  entry.vertices = select_vertices(sites_.mesh(), entry.constraint.where, entry.where);
  entry.center = Vector3::Zero();
  for (const int v : entry.vertices) {
    const WarpSite site = sites_.site(equations, v);
    require(!site.shape.isZero(0.0), "{}: vertex {} is fixed and cannot be moved; choose others", entry.where,
            v);
    if (entry.constraint.holds_position()) entry.positions.push_back(site);
    if (entry.constraint.holds_orientation()) entry.orientations.push_back(sites_.turning_site(equations, v));
    entry.center += site.rest / static_cast<double>(entry.vertices.size());
  }
  if (!entry.constraint.exercised.empty())
    entry.exercised = select_vertices(sites_.mesh(), entry.constraint.exercised, entry.where + ".exercised");
  return entry;
}

/// No vertex can be at two places, or turned in two ways.
void ConstraintSchedule::check_apart() const {
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

Index ConstraintSchedule::most_held() const {
  std::size_t most = 0;
  for (const Entry& first : entries_) {  // the count grows only where one starts
    const double start = first.constraint.from;
    std::size_t count = 0;
    for (const Entry& other : entries_) {
      const bool together = other.constraint.from <= start && start < other.constraint.to;
      if (together) count += 3 * (other.positions.size() + other.orientations.size());
    }
    most = std::max(most, count);
  }
  return static_cast<Index>(most);
}

void ConstraintSchedule::Entry::hold(const Vector& q) {
  held_positions.clear();
  held_rotations.clear();
  for (const WarpSite& site : positions) held_positions.push_back(site.rest + site.displacement(q));
  for (const WarpSite& site : orientations) held_rotations.emplace_back(rotation_matrix(site.rotation(q)));
}

/// The motion of the handle from rest, in the frame of the support. What moves in the world starts where the
/// support has it at time 0.
Pose ConstraintSchedule::Entry::target(double time, const Pose& support, const Pose& start) const {
  const Pose motion = constraint.motion(time);
  if (constraint.frame == MotionFrame::world) return support.inverse() * motion * start;
  return {center + motion.position - motion.rotation * center, motion.rotation};
}

void ConstraintSchedule::Entry::save(StateWriter& out) const {
  Matrix3X places(3, static_cast<Index>(held_positions.size()));
  Matrix turns(4, static_cast<Index>(held_rotations.size()));
  for (Index k = 0; k < places.cols(); ++k) places.col(k) = held_positions[static_cast<std::size_t>(k)];
  for (Index k = 0; k < turns.cols(); ++k)
    turns.col(k) = held_rotations[static_cast<std::size_t>(k)].coeffs();
  out.write(places);
  out.write(turns);
}

void ConstraintSchedule::Entry::restore(StateReader& in) {
  Matrix3X places;
  Matrix turns;
  in.read(places);
  in.read(turns);
  const auto fits = [](Index count, std::size_t sites) {  // it may not have held anything yet
    return count == 0 || count == static_cast<Index>(sites);
  };
  require(fits(places.cols(), positions.size()) && fits(turns.cols(), orientations.size()) &&
              (turns.rows() == 4 || turns.size() == 0),
          "{}: the state holds {} positions and {} orientations, expected {} and {}", where, places.cols(),
          turns.cols(), positions.size(), orientations.size());
  held_positions.assign(places.colwise().begin(), places.colwise().end());
  held_rotations.clear();
  for (const auto& turn : turns.colwise()) held_rotations.emplace_back(Eigen::Vector4d(turn));
}

void ConstraintSchedule::change(WarpedDynamics& dynamics, std::vector<char> active) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (active[i] && !active_[i] && !entries_[i].constraint.motion) entries_[i].hold(dynamics.state().q);
  }
  active_ = std::move(active);
  set_sites(dynamics);
}

/// The sites of all that is active.
void ConstraintSchedule::set_sites(WarpedDynamics& dynamics) const {
  ManipulationSites now;
  now.priority = priority_;
  std::vector<int> exercised;
  bool anywhere = false;  // one that names no vertices lets forces act wherever constraints push
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!active_[i]) continue;
    const Entry& entry = entries_[i];
    anywhere = anywhere || entry.exercised.empty();
    now.positions.insert(now.positions.end(), entry.positions.begin(), entry.positions.end());
    now.orientations.insert(now.orientations.end(), entry.orientations.begin(), entry.orientations.end());
    exercised.insert(exercised.end(), entry.exercised.begin(), entry.exercised.end());
  }
  std::sort(exercised.begin(), exercised.end());
  exercised.erase(std::unique(exercised.begin(), exercised.end()), exercised.end());
  if (anywhere) exercised.clear();
  for (const int v : exercised) now.exercised.push_back(sites_.site(dynamics.equations(), v));
  dynamics.set_constraints(std::move(now));
}

void ConstraintSchedule::prepare(WarpedDynamics& dynamics, double time, const Pose& support,
                                 double rounding) {
  std::vector<char> active;
  for (const Entry& entry : entries_) {
    const BodyConstraint& constraint = entry.constraint;
    active.push_back(time > constraint.from + rounding && time <= constraint.to + rounding);
  }
  if (active != active_) change(dynamics, std::move(active));
  Manipulation& constraints = dynamics.constraints();
  Index position = 0, orientation = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!active_[i]) continue;
    const Entry& entry = entries_[i];
    const Pose target = entry.constraint.motion ? entry.target(time, support, start_) : Pose{};
    for (std::size_t k = 0; k < entry.positions.size(); ++k)
      constraints.set_position(position++, entry.constraint.motion ? target.apply(entry.positions[k].rest)
                                                                   : entry.held_positions[k]);
    for (std::size_t k = 0; k < entry.orientations.size(); ++k)
      constraints.set_orientation(
          orientation++, entry.constraint.motion ? target.rotation.normalized() : entry.held_rotations[k]);
  }
}

void ConstraintSchedule::record(const WarpedDynamics& dynamics, double time, const ConstraintReport& report) {
  const Manipulation& constraints = dynamics.constraints();
  const Vector& q = dynamics.state().q;
  Index position = 0, orientation = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!active_[i]) continue;
    double distance = 0.0, angle = 0.0;
    for (std::size_t k = 0; k < entries_[i].positions.size(); ++k)
      distance = std::max(distance, constraints.position_error(position++, q));
    for (std::size_t k = 0; k < entries_[i].orientations.size(); ++k)
      angle = std::max(angle, constraints.orientation_error(orientation++, q));
    ConstraintOutcome& outcome = outcomes_[i];
    const double size = dynamics.equations().size;
    const auto missed = [&](double metres, double radians) { return std::max(metres / size, radians); };
    if (missed(distance, angle) > missed(outcome.position_error, outcome.orientation_error))
      outcome.worst_time = time;
    outcome.position_error = std::max(outcome.position_error, distance);
    outcome.orientation_error = std::max(outcome.orientation_error, angle);
    if (!report.met &&
        (distance > Manipulation::position_tolerance * size || angle > Manipulation::orientation_tolerance))
      outcome.met = false;
  }
}

void ConstraintSchedule::save(const WarpedDynamics& dynamics, StateWriter& out) const {
  out.write(std::vector<int>(active_.begin(), active_.end()));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].save(out);
    out.write(outcomes_[i].met);
    out.write(outcomes_[i].position_error);
    out.write(outcomes_[i].orientation_error);
    out.write(outcomes_[i].worst_time);
  }
  dynamics.constraints().save(out);
}

void ConstraintSchedule::restore(WarpedDynamics& dynamics, StateReader& in) {
  std::vector<int> active;
  in.read(active);
  require(active.size() == entries_.size(), "the state is of {} constraints, expected {}", active.size(),
          entries_.size());
  active_.assign(active.begin(), active.end());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].restore(in);
    in.read(outcomes_[i].met);
    in.read(outcomes_[i].position_error);
    in.read(outcomes_[i].orientation_error);
    in.read(outcomes_[i].worst_time);
  }
  if (!entries_.empty()) set_sites(dynamics);
  dynamics.constraints().restore(in);
}

}  // namespace limber
