#pragma once

#include "limber/body/contact_step.hpp"
#include "limber/body/host_body.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace limber {

/// Bodies that move together, each by a method of its own, and what they meet: rigid bodies, obstacles, and
/// bodies of another engine. A step counts only if it succeeds for all. For one thread at a time.
class World {
 public:
  /// What is to happen to a body before its step of h seconds: loads that change, hands that move.
  using Driver = std::function<void(Body& body, double h)>;

  /// Returns its number. options: of its steps, as long as it touches nothing.
  Index add(Body body, const ReducedStepOptions& options = {}, Driver driver = {});
  /// Takes a body out, as it is now: it touches nothing any more. Those after it have one number less from
  /// now on, and the contacts of the last step, which name numbers, are gone. So it is for what follows.
  Body remove(Index i);
  [[nodiscard]] Index body_count() const { return static_cast<Index>(entries_.size()); }
  [[nodiscard]] Body& body(Index i) { return entry(i).body; }
  [[nodiscard]] const Body& body(Index i) const { return entry(i).body; }

  // What touches.

  /// The body meets obstacles, rigid bodies and others that do from now on. Throws Error for what its method
  /// cannot do (method.hpp), for a body on a support that moves, and for numbers out of range.
  void set_contact(Index i, const ContactMaterial& material);
  /// Whether its parts touch each other, too; not at first. Of a body of one domain that was kept with its
  /// mesh and takes part in contact: throws Error for others.
  void set_self_contact(Index i, bool on);
  /// Of the points of its shell so many are looked at from now on (of each part of a tree), those that stand
  /// for most of it first; more than there are: all, as at first. It costs nothing, so that a loop that has
  /// to keep time may call it at each step. Throws Error for less than one, and where it touches nothing.
  void set_contact_points(Index i, Index points);
  void leave_contact(Index i);  ///< it meets nothing any more
  [[nodiscard]] bool touches(Index i) const { return entry(i).shell != nullptr; }
  /// Points of its surface that stand for all of it, and how far others are from these.
  [[nodiscard]] const BodyShell& shell(Index i) const;

  Index add_rigid(RigidBody body);  ///< returns its number
  RigidBody remove_rigid(Index i);
  [[nodiscard]] Index rigid_count() const { return static_cast<Index>(rigids_.size()); }
  [[nodiscard]] RigidBody& rigid(Index i);
  [[nodiscard]] const RigidBody& rigid(Index i) const;
  /// Returns its number. Throws Error for a shape, pose or material that is none.
  Index add_obstacle(Obstacle obstacle);
  void remove_obstacle(Index i);
  [[nodiscard]] Index obstacle_count() const { return static_cast<Index>(obstacles_.size()); }
  [[nodiscard]] const Obstacle& obstacle(Index i) const;
  /// It stands elsewhere from now on, and has not moved there. Throws Error for one that moves by itself.
  void set_obstacle_pose(Index i, const Pose& pose);

  // Bodies of another engine (host_body.hpp): they touch bodies and rigid bodies of this world.

  Index add_host(HostBody body);  ///< returns its number; it is to be told how it is before the next step
  void remove_host(Index i);
  [[nodiscard]] Index host_count() const { return static_cast<Index>(hosts_.size()); }
  [[nodiscard]] HostBody& host(Index i);
  [[nodiscard]] const HostBody& host(Index i) const;

  void set_contact_filter(ContactFilter filter) { filter_ = std::move(filter); }  ///< none: all may touch
  /// Throws Error for numbers that are out of range.
  void set_contact_options(const ContactOptions& options);
  [[nodiscard]] const ContactOptions& contact_options() const { return contact_options_; }
  /// Threads for those that touch: one unless told. Their number changes no bit.
  void set_executor(const Executor& executor) { contact_.set_executor(executor); }

  /// Of the last step: all that was found, none left out.
  [[nodiscard]] std::span<const ContactPoint> contacts() const { return contacts_; }
  [[nodiscard]] const ContactReport& contact_report() const { return contact_report_; }
  /// Impulse of all contacts of the last step on one of those that touch, N s.
  [[nodiscard]] Vector3 contact_impulse(const Touching& one) const;

  [[nodiscard]] double time() const { return time_; }  ///< s, of all steps so far

  /// Advances all by h seconds, in phases: loads, detection of what touches, solution, commit. On failure all
  /// are left as they were, but for what drivers did. Throws Error where a host body that moves was not told
  /// how it is since the last step, and where a body that touches itself has a method now that does not.
  StepReport step(double h);

  [[nodiscard]] double energy() const;  ///< elastic and kinetic, of all bodies, J

  /// The time and the rigid bodies, for a world made in the same way to go on from; bodies save themselves.
  void save(StateWriter& out) const;
  /// Throws Error for another number of rigid bodies, and for times that are not finite.
  void restore(StateReader& in);

 private:
  struct Entry {
    Body body;
    ReducedStepOptions options;
    Driver driver;
    ContactMaterial material;
    std::unique_ptr<MovingShell> shell;     ///< of a body that touches
    ElasticEnd elastic = ElasticEnd::mean;  ///< in the present step
    bool self = false;                      ///< whether it touches itself
  };
  struct Standing {
    Obstacle obstacle;
    std::vector<SamplePoint> samples;
  };
  [[nodiscard]] Entry& entry(Index i);
  [[nodiscard]] const Entry& entry(Index i) const;

  void apply_loads(double h);
  [[nodiscard]] bool contact_possible() const;
  SolveReport detect(double h, double time, const StepPart& part);
  StepReport try_touching(double h, double time, int halvings, const StepPart& part);
  bool try_others(bool last);
  StepReport step_touching(double h, double time, int halvings, const StepPart& part);
  StepReport solve(double h);
  std::shared_ptr<BodyShell> shell_of(const Body& body);
  [[nodiscard]] bool meets_points(Index more) const;
  void make_solids(bool points);
  void add_hosts();
  void add_pushes();
  void go_back();
  void forget_contacts();

  std::vector<Entry> entries_;
  std::vector<RigidBody> rigids_;
  std::vector<Standing> obstacles_;
  std::vector<HostBody> hosts_;
  std::map<const void*, std::weak_ptr<BodyShell>> shells_;  ///< of models, or else surfaces, in use
  ContactFilter filter_;
  ContactOptions contact_options_;
  ContactStep contact_;
  std::vector<Entry*> touching_;  ///< the first members of that
  std::vector<ContactPoint> contacts_;
  ContactReport contact_report_;
  double time_ = 0.0;
};

}  // namespace limber
