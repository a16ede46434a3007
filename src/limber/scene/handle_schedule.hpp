#pragma once

#include "limber/body/handle_share.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/scene/body_points.hpp"

#include <span>
#include <string>
#include <vector>

namespace limber {

/// The constraints of a body over time: which of them hold during a step, and where their points shall be at
/// its end. It drives the handles of one body (World::Driver). Time is that of the scene, which is a number
/// of steps times their length: a sum of steps would drift away from times that are multiples of them.
class HandleSchedule {
 public:
  /// body: as it starts. Throws Error, naming the body and the constraint, for vertices that do not exist,
  /// cannot move or are constrained twice at a time, and for orientations where its method has none.
  HandleSchedule(const SceneBody& scene_body, const BodyPoints& points, const Body& body);

  /// Gives the body the handles of its next step, of h seconds.
  void prepare(Body& body, double h);
  /// After that step, where it succeeded: how well they were met.
  void record(const Body& body);

  /// Largest count of numbers that are held at a time: 3 per position, 3 per orientation. More than the body
  /// has coordinates can be met only where they agree.
  [[nodiscard]] Index most_held() const;
  /// What they take from the body at a time, at most.
  [[nodiscard]] HandleShare largest_share(const Body& body) const;
  /// In the order of the constraints.
  [[nodiscard]] const std::vector<ConstraintOutcome>& outcomes() const { return outcomes_; }

  /// Writes what holds since when, where, and how well it was met.
  void save(StateWriter& out) const;
  /// Takes that back and gives the body the handles that it had, whose own state can follow then. Throws
  /// Error for the state of other constraints.
  void restore(StateReader& in, Body& body);

 private:
  struct Entry {
    BodyConstraint constraint;
    std::string where;                 ///< names it in messages
    std::vector<int> vertices;         ///< ascending
    std::vector<Point> points;         ///< the same
    Matrix3X rest;                     ///< 3 x n, where they are at rest, m
    Vector3 center = Vector3::Zero();  ///< mean of these
    std::vector<Point> exercised;
    // Of a constraint without motion: as the points were when it started, in the frame of the support.
    std::vector<Vector3> held_positions;
    std::vector<Eigen::Quaterniond> held_rotations;

    Entry(const BodyConstraint& given, std::string place, const BodyPoints& from);
    [[nodiscard]] Index held_numbers() const;
    [[nodiscard]] double jump_to(const Body& body, const Pose& target) const;
    [[nodiscard]] double jump_within(double time, double h, const Pose& start) const;
    void hold(const Body& body, const Pose& support);
    [[nodiscard]] Pose target(double time, const Pose& support, const Pose& start) const;
    void add_handles(double time, const Pose& support, const Pose& start, std::vector<Handle>& handles) const;
    void save(StateWriter& out) const;
    void restore(StateReader& in);
  };

  void check_apart() const;
  void check_possible(const Body& body) const;
  [[nodiscard]] Pose support_at(double time) const { return support_ ? support_(time) : Pose{}; }
  /// The handles of all that is active, and the points exercised for them.
  [[nodiscard]] std::vector<Handle> handles_at(double time) const;
  [[nodiscard]] std::vector<Point> exercised_points() const;
  [[nodiscard]] bool holds() const;
  void give(Body& body) const;
  /// Notes how far the way of a constraint changes in the step that ends now, from where its points are if it
  /// starts with that.
  void note_jump(std::size_t constraint, bool starts, const Body& body, double h);

  PoseFunction support_;  ///< none: the world
  Pose start_;            ///< of the support
  ConstraintPriority priority_;
  double size_ = 0.0;  ///< of the body, m
  std::vector<Entry> entries_;
  std::vector<char> active_;
  std::vector<ConstraintOutcome> outcomes_;
  int step_ = 0;       ///< steps done
  double time_ = 0.0;  ///< s, the end of the step that was last prepared
};

}  // namespace limber
