#pragma once

#include "limber/scene/body_sites.hpp"
#include "limber/scene/scene.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <string>
#include <vector>

namespace limber {

/// How well a constraint was met so far.
struct ConstraintOutcome {
  std::string name;
  bool met = true;                 ///< at the end of every step
  double position_error = 0.0;     ///< largest distance of a vertex from where it should be, m
  double orientation_error = 0.0;  ///< largest angle, rad
  double worst_time = 0.0;         ///< s, when it was missed most
};

/// The constraints of a body over time: which of them hold during a step, and where their vertices shall be
/// at its end.
class ConstraintSchedule {
 public:
  ConstraintSchedule() = default;
  /// gain: q of a unit of modal force over a step, as for Manipulation. Throws Error, naming the body and the
  /// constraint, for vertices that do not exist, cannot move or are constrained twice at a time.
  ConstraintSchedule(const SceneBody& body, const BodySites& sites, const WarpedEquations& equations,
                     const Vector& gain);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Largest count of numbers that are held at a time: 3 per position, 3 per orientation. More than the body
  /// has modes can be met only where they agree.
  [[nodiscard]] Index most_held() const;

  /// Sets what holds during the step that ends at `time` (s) and the targets then. support: the pose of the
  /// body's frame at that time. rounding: times that differ by less are the same, s.
  void prepare(WarpedDynamics& dynamics, double time, const Pose& support, double rounding);
  /// After the step that ended at `time` (s): how well they were met.
  void record(const WarpedDynamics& dynamics, double time, const ConstraintReport& report);

  /// Writes what holds since when, where, and how well it was met; takes it back, constraints of the dynamics
  /// included, which must have their own state back already. Throws Error for the state of other constraints.
  void save(const WarpedDynamics& dynamics, StateWriter& out) const;
  void restore(WarpedDynamics& dynamics, StateReader& in);

  /// In the order of the body's.
  [[nodiscard]] const std::vector<ConstraintOutcome>& outcomes() const { return outcomes_; }

 private:
  struct Entry {
    BodyConstraint constraint;
    std::string where;  ///< names it in messages
    std::vector<int> vertices, exercised;
    Vector3 center;  ///< mean of the vertices at rest, m
    std::vector<WarpSite> positions, orientations;
    // Of a constraint without motion: as the vertices were when it started.
    std::vector<Vector3> held_positions;
    std::vector<Eigen::Quaterniond> held_rotations;

    void hold(const Vector& q);
    void save(StateWriter& out) const;
    void restore(StateReader& in);
    [[nodiscard]] Pose target(double time, const Pose& support, const Pose& start) const;
  };

  Entry make_entry(const SceneBody& body, const WarpedEquations& equations, std::size_t i) const;
  void check_apart() const;
  void change(WarpedDynamics& dynamics, std::vector<char> active);
  void set_sites(WarpedDynamics& dynamics) const;

  BodySites sites_;
  Pose start_;  ///< of the support
  ConstraintPriority priority_ = ConstraintPriority::position;
  std::vector<Entry> entries_;
  std::vector<char> active_;
  std::vector<ConstraintOutcome> outcomes_;
};

}  // namespace limber
