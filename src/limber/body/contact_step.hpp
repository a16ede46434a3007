#pragma once

#include "limber/base/executor.hpp"
#include "limber/body/body.hpp"
#include "limber/body/body_shell.hpp"
#include "limber/body/contact.hpp"
#include "limber/body/rigid_body.hpp"

#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace limber {

/// How contacts are solved.
struct ContactOptions {
  ContactSolveOptions solve;
  /// What is hardly deep, as a share of the size of the smaller body: left as it is in deforming bodies, and
  /// made good by 0.002 sizes per second at most in others.
  double slop = 3e-4;
  double recovery = 0.2;  ///< share of what is deeper that is made good in a step, whatever its parts
  /// Speed of that at most, as sizes of the smaller body per second: what starts inside of something comes
  /// out gently.
  double recovery_speed = 0.5;
};

/// Throws Error for numbers that are out of range.
void check_contact_options(const ContactOptions& options);

struct ContactReport {
  int contacts = 0;         ///< found, those that are only near included
  int active = 0;           ///< that push
  int islands = 0;          ///< of bodies that touch each other
  int iterations = 0;       ///< of the solver, in the island that took most
  bool converged = true;    ///< in all islands
  double residual = 0.0;    ///< share of the momentum that flows which is not accounted for, there
  double deepest = 0.0;     ///< m, of the points found, at the start of the step
  double pushed_out = 0.0;  ///< J: work of what pushed out what was too deep
  /// Pairs of bodies near each other of which neither has a solid (BodyShell::can_have_solid()), and bodies
  /// that were to touch themselves but move by a method that cannot.
  int untested = 0;
  int steps = 0;  ///< shorter ones that it was taken as; 1: as it is
};

/// A step of bodies that may touch: each begins its own (CoupledStep), what is near is found, bodies with far
/// more unknowns than are touched are condensed to these (CondensedStep), and islands of those that touch are
/// solved for their velocities (ContactSolver).
///
/// A contact with the distance d at the start of a step of h seconds may close at d/h, so that fast bodies
/// stop at what they would have passed; one that is too deep opens at a share of the depth per step. Its
/// softness is that of the materials, or 0.003 of what the bodies there yield to an impulse.
class ContactStep {
 public:
  struct Member {
    Touching name;
    Body* body = nullptr;        ///< or
    RigidBody* rigid = nullptr;  ///< one of the two
    MovingShell* shell = nullptr;
    ContactMaterial material;
    double size = 0.0;  ///< m
    ElasticEnd elastic = ElasticEnd::mean;
    bool self = false;  ///< whether it touches itself
  };
  /// An obstacle as it is in the step.
  struct Static {
    Touching name;
    const Obstacle* obstacle = nullptr;
    const std::vector<SamplePoint>* samples = nullptr;
    Pose pose;
    Vector3 velocity = Vector3::Zero(), angular_velocity = Vector3::Zero();  ///< mean ones of the step
  };

  /// Bodies begin and end their steps, and islands are solved, side by side; with the same bits for any
  /// number of threads.
  void set_executor(const Executor& executor) { executor_ = executor; }

  void clear();  ///< of the members and obstacles of the step before
  void add(const Member& member) { members_.push_back(member); }
  void add(const Static& obstacle) { statics_.push_back(obstacle); }

  /// Begins the steps of all members and finds what is near. Nothing moves.
  SolveReport detect(double h, const StepPart& part, const ContactFilter& filter);
  /// Where contacts make members faster than they were taken to be, what is near is found anew.
  SolveReport solve(const ContactOptions& options);
  /// Whether it would be better to take shorter steps than to commit: where islands are not solved to a
  /// residual.
  [[nodiscard]] bool wants_halves(double bearable) const;
  /// Moves the members, all of them or none.  last: there will be no shorter steps where some fail.
  StepReport commit(bool last);
  /// Members that did not begin or end their steps.
  [[nodiscard]] const std::vector<int>& failed() const { return failed_; }

  [[nodiscard]] std::span<const ContactPoint> contacts() const { return contacts_; }
  [[nodiscard]] const ContactReport& report() const { return report_; }

 private:
  /// What a contact is before it is solved.
  struct Near {
    int first = 0, second = -1;     ///< members; -1: an obstacle
    Index domain = -1, point = -1;  ///< of the shell of the first
    int at_place = -1;              ///< which of the two touches with a place of its mesh; -1: neither
    Index place_domain = 0;         ///< that the place is of
    SolidPlace place;
    Vector3 drift = Vector3::Zero();  ///< of the first seen from an obstacle that moves, m/s, in the world
    ContactMaterial material;
  };
  /// A solid that points are tested against.
  struct Solid {
    Touching name;
    const SolidShape* shape = nullptr;
    Pose pose;
    int member = -1;
    const Static* fixed = nullptr;
    ContactMaterial material;
    BoundingBox bounds;  ///< in its own axes
    double speed = 0.0;  ///< m/s, at most; of a member
  };

  /// A contact that bounces: velocities along its normal from which on it pushes, m/s.
  struct Bounce {
    int number = 0;                     ///< in the solver
    double alone = 0.0, leaving = 0.0;  ///< if it did not bounce, and as its restitution has it
  };
  /// What it takes to solve an island.
  struct Island {
    std::vector<int> members, contacts;
    std::vector<ContactBody> bodies;
    ContactSolver solver;
    ContactSolveReport solved;
    /// Share of the energy of its members that impulses give, where they should take; 0 where none of them
    /// deforms: rigid bodies have no shape that would gain, and the step is exact for them.
    double gain = 0.0;
    double pushed_out = 0.0;  ///< J, ContactReport
    Matrix3X own_rows;
    std::vector<Bounce> bounces;
  };

  void begin(std::size_t member);
  SolveReport find_near();
  [[nodiscard]] double speed(std::size_t member, const Vector& u) const;
  bool take_speeds();
  [[nodiscard]] double margin_of(int one, int other) const;
  void list_solids();
  void find(int member, const Solid& solid);
  void find_points(std::span<const SamplePoint> samples, const Pose& pose, int owner, const Static* fixed,
                   const Solid& solid, double margin);
  void find_deforming();
  void cover(int member);
  [[nodiscard]] bool near_cover(int member, const Vector3& x, double radius);
  [[nodiscard]] bool covers_meet(int one, int other, double margin);
  void refit_boxes(int member);
  void refit_solid(int member);
  void find_between(int points, int solid);
  void find_self(int member);
  void find_samples(std::span<const SamplePoint> samples, const Pose& pose, int owner, const Static* fixed,
                    int member, double way);
  void add_touches(int points, int solid);
  SolveReport condense();
  [[nodiscard]] bool condenses(std::size_t member) const { return steps_[member].condensed; }
  /// As the solver sees it.
  [[nodiscard]] CoupledStep& step_of(std::size_t member) {
    return condenses(member) ? condensed_[member].step : steps_[member];
  }
  [[nodiscard]] const CoupledStep& seen(std::size_t member) const {
    return condenses(member) ? condensed_[member].step : steps_[member];
  }
  void add_contact(const Near& near, const Touching& first, const Touching& second, const Vector3& x,
                   const SurfaceDistance& found, double radius);
  [[nodiscard]] bool may_touch(const Touching& one, const Touching& other) const;
  void find_islands();
  void solve_islands(const ContactOptions& options);
  [[nodiscard]] int root_of(int member);
  void solve_island(Island& island, const ContactOptions& options);
  void solve_bounces(Island& island, const ContactSolveOptions& options);
  void take_solution(Island& island);
  [[nodiscard]] double given_by(const Island& island) const;
  void find_unearned(Island& island);
  void share_excess(const Island& island, double energy);
  [[nodiscard]] double energy_of(const Island& island) const;
  [[nodiscard]] double work_on(std::size_t member) const;
  [[nodiscard]] static bool unsolved(const Island& island);
  [[nodiscard]] bool turns_far(int member) const;
  [[nodiscard]] bool creeps(int member) const;
  [[nodiscard]] bool creeps(const Island& island) const;
  void stop(Island& island);
  [[nodiscard]] bool stop_unsolved(bool last);
  void write_rows(int side, std::size_t contact, const Matrix3& axes, ContactSolver::Rows rows);
  void set_cone(ContactSolver& solver, int number, std::size_t contact, const ContactOptions& options);

  double h_ = 0.0;
  StepPart part_;
  std::vector<int> failed_;
  bool solved_ = true;  ///< with numbers that are finite
  const ContactFilter* filter_ = nullptr;
  std::vector<Member> members_;
  std::vector<Static> statics_;
  std::vector<Solid> solids_;
  std::deque<CoupledStep> steps_;        ///< of the members
  std::deque<CondensedStep> condensed_;  ///< the same, of those whose steps have no matrix of their own
  std::vector<double> speeds_;           ///< of the members, m/s
  /// Of the members, m/s: how much their places may be faster than where nothing touches, in any direction;
  /// 0 where contacts were not seen to do that.
  std::vector<double> aside_;
  std::vector<Vector> ends_, pushes_;  ///< of the members: u and J^T g
  std::vector<double> yields_;   ///< of the members: what a place yields to an impulse at most, m/s per N s
  std::vector<double> reaches_;  ///< of the members, m: from their centres
  std::vector<SolveReport> reports_;                             ///< of the members' own parts
  std::vector<char> covered_, boxes_refitted_, solid_refitted_;  ///< whether members were
  TouchFinder finder_;
  std::vector<Touch> touches_;
  std::vector<Near> nears_;
  std::vector<ContactPoint> contacts_;
  std::vector<int> parents_, numbers_;  ///< of the members, in islands
  std::deque<Island> islands_;          ///< of which report_.islands are in use
  Executor executor_{1};
  ContactReport report_;
};

}  // namespace limber
