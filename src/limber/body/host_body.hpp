#pragma once

#include "limber/body/rigid_body.hpp"

#include <memory>
#include <string>

namespace limber {

/// How a body of another engine is at the start of a step. All in axes of the world.
struct HostState {
  Pose pose;                                   ///< of the axes of its shape
  Vector3 center = Vector3::Zero();            ///< of mass, in the world, m
  Vector3 velocity = Vector3::Zero();          ///< of the centre of mass, m/s
  Vector3 angular_velocity = Vector3::Zero();  ///< rad/s
  /// What gravity and other forces that the engine knows will do in the step, m/s^2 and rad/s^2.
  Vector3 acceleration = Vector3::Zero(), angular_acceleration = Vector3::Zero();
  /// 1/kg and 1/(kg m^2), the second about the centre of mass. Zero, whole or along some axes: nothing moves
  /// or turns it there.
  double inverse_mass = 0.0;
  Matrix3 inverse_inertia = Matrix3::Zero();
  bool asleep = false;  ///< the engine holds it where it is, and did not take the last push
};

/// What bodies of limber did to a body of another engine in a step.
struct HostPush {
  Vector3 impulse = Vector3::Zero();          ///< N s
  Vector3 angular_impulse = Vector3::Zero();  ///< about the centre of mass that was given, N m s
};

/// A rigid body that another engine, the host, moves: bodies of limber touch it with its inertia and never
/// move it. Before each step the engine says how it is; afterwards it adds the push to its own velocities
/// and integrates as it always does:
///
///   v += inverse_mass impulse + h acceleration,   w += inverse_inertia angular_impulse,   x += h v.
///
/// An engine that moves bodies by the velocities of the end of the step closes gaps as the contacts were
/// solved. What its bodies do to each other it finds only after that. So limber expects of the engine what it
/// did in the two steps before, as far as they agree: of what lies on a body of limber and carries others,
/// their weight. A stroke, which comes once, is not expected again.
class HostBody {
 public:
  /// Throws Error for a shape or a material that is none.
  HostBody(std::string name, SolidShape shape, const ContactMaterial& material = {});

  [[nodiscard]] const std::string& name() const { return standing_.name; }
  [[nodiscard]] const SolidShape& shape() const { return standing_.shape; }
  [[nodiscard]] const ContactMaterial& material() const { return standing_.material; }
  void set_material(const ContactMaterial& material);

  /// Throws Error for numbers that are not finite, negative masses, matrices that are not symmetric or have
  /// negative eigenvalues, and shapes without end that could be moved.
  void set_state(const HostState& state);
  [[nodiscard]] const HostState& state() const { return state_; }
  /// Whether an impulse changes how it moves.
  [[nodiscard]] bool yields() const { return yields_; }
  /// Whether it was told how it is in the step to come, or has no need to.
  [[nodiscard]] bool is_ready() const { return fresh_ || stands_; }
  [[nodiscard]] const HostPush& push() const { return push_; }  ///< of the last step

  // For the world.

  /// As it is at the start of a step: a copy that the step may move, of one that yields.
  RigidBody& copy() { return *copy_; }
  void begin_step(double h);
  [[nodiscard]] const Obstacle& standing() const { return standing_; }  ///< of one that does not
  [[nodiscard]] const std::vector<SamplePoint>& samples() const { return samples_; }
  [[nodiscard]] Vector3 velocity_of_pose() const;  ///< of the origin of its axes, m/s
  void clear_push() { push_ = {}; }
  /// About the centre that was given: there the engine will add it, wherever the step moved the copy.
  void add_push(const Vector3& impulse, const Vector3& place);
  void end_step(double h);

 private:
  using Velocities = Eigen::Matrix<double, 6, 1>;  ///< velocity and angular velocity
  [[nodiscard]] MassProperties mass_properties() const;
  [[nodiscard]] Velocities velocities() const;

  Obstacle standing_;
  std::vector<SamplePoint> samples_;
  HostState state_;
  HostPush push_;
  std::unique_ptr<RigidBody> copy_;
  Velocities free_ = Velocities::Zero();      ///< expected at the end of the step, but for the push
  Velocities expected_ = Velocities::Zero();  ///< with it
  /// What the engine did besides in the last two steps, per second.
  Velocities latest_ = Velocities::Zero(), before_ = Velocities::Zero();
  double last_ = 0.0;  ///< length of the step that expected_ is of, s; 0: none
  bool yields_ = false, stands_ = false, fresh_ = false;
};

}  // namespace limber
