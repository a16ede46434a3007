#pragma once

#include "limber/body/contact.hpp"
#include "limber/contact/mass_properties.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/multidomain/coupled_step.hpp"

#include <optional>
#include <string>
#include <vector>

namespace limber {

/// How a rigid body is made.
struct RigidBodySetup {
  std::string name = "a rigid body";
  SolidShape shape;
  double density = 1000.0;             ///< kg/m^3
  std::optional<MassProperties> mass;  ///< in place of the density
  /// Another engine moves it (host_body.hpp): its velocities are those of the whole step, as they were set.
  bool hosted = false;
  Pose pose;                                   ///< of the axes of the shape
  Vector3 velocity = Vector3::Zero();          ///< of its centre of mass, m/s
  Vector3 angular_velocity = Vector3::Zero();  ///< rad/s
  Vector3 gravity = Vector3::Zero();           ///< m/s^2
  ContactMaterial material;
};

/// A ball of points that stand for the surface of a solid where it touches others; most are points.
struct SamplePoint {
  Vector3 place = Vector3::Zero();  ///< in the axes of the shape, m
  double radius = 0.0;              ///< m
};

/// Of a shape, for others to be tested against; none of ground, which bodies come to. Spheres and capsules
/// are balls and so exact, boxes a grid of points, meshes their vertices, thinned to some hundred.
std::vector<SamplePoint> sample_shape(const SolidShape& shape);

/// A hand that holds a rigid body by springs and dampers: what couples a haptic device, or a pointer, to the
/// body that stands for it. Taken implicitly, so that it is stable at any stiffness and step.
struct RigidGrip {
  Pose pose;                                   ///< where the axes of the shape are to be after the step
  Vector3 velocity = Vector3::Zero();          ///< of the hand, m/s
  Vector3 angular_velocity = Vector3::Zero();  ///< rad/s
  double stiffness = 0.0;                      ///< N/m
  double damping = 0.0;                        ///< N s/m
  double turning_stiffness = 0.0;              ///< N m per radian
  double turning_damping = 0.0;                ///< N m s
};

/// A force and a torque about the centre of mass.
struct RigidLoad {
  Vector3 force = Vector3::Zero();   ///< N
  Vector3 torque = Vector3::Zero();  ///< N m
};

/// A body that does not deform. Its steps are those of CoupledStep with six unknowns, velocity of its centre
/// of mass and angular velocity; momentum is kept to rounding.
class RigidBody {
 public:
  /// Throws Error for shapes without end, densities that are not positive and numbers that are not finite.
  explicit RigidBody(RigidBodySetup setup);

  [[nodiscard]] const std::string& name() const { return setup_.name; }
  [[nodiscard]] const SolidShape& shape() const { return setup_.shape; }
  [[nodiscard]] const ContactMaterial& material() const { return setup_.material; }
  void set_material(const ContactMaterial& material);
  [[nodiscard]] const MassProperties& mass_properties() const { return mass_; }
  /// Velocity and pose stay. Throws Error for a mass or an inertia that is not positive.
  void set_mass_properties(const MassProperties& mass);
  [[nodiscard]] const std::vector<SamplePoint>& samples() const { return samples_; }
  /// No point of it is farther from the centre of mass, m.
  [[nodiscard]] double radius() const { return radius_; }

  [[nodiscard]] Pose pose() const;  ///< of the axes of the shape
  [[nodiscard]] const Vector3& center() const { return center_; }
  [[nodiscard]] Vector3 velocity() const { return momentum_ / mass_.mass; }  ///< of that, m/s
  [[nodiscard]] const Vector3& angular_velocity() const { return spin_; }
  [[nodiscard]] const Vector3& momentum() const { return momentum_; }
  [[nodiscard]] const Vector3& angular_momentum() const { return angular_; }  ///< about the centre of mass
  [[nodiscard]] double kinetic_energy() const;
  /// How long before the present places the velocities and energies of the last step are at home, s.
  [[nodiscard]] double lag() const { return 0.5 * last_; }
  [[nodiscard]] const Vector3& gravity() const { return setup_.gravity; }
  void set_gravity(const Vector3& acceleration);
  void set_pose(const Pose& pose);
  void set_velocity(const Vector3& velocity, const Vector3& angular = Vector3::Zero());

  /// Until the next call; none lets go. Throws Error for numbers that are not finite or below 0.
  void set_grip(const std::optional<RigidGrip>& grip);
  [[nodiscard]] const std::optional<RigidGrip>& grip() const { return grip_; }
  /// With which the grip acted on the body in the last step, on average where that was taken in shorter ones:
  /// a hand feels the opposite.
  [[nodiscard]] const RigidLoad& grip_load() const { return grip_load_; }

  void begin_coupled(double h, CoupledStep& step) const;
  void end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse);
  /// The impulse after which it stands still when the step that was begun ends, N s and N m s.
  [[nodiscard]] Vector stopping_impulse(const CoupledStep& step) const;
  void remember() {
    before_ = {center_, momentum_, angular_, spin_, rotation_, last_, grip_load_};
    gripped_ = 0.0;
  }
  void go_back();

  /// Where it is and how it moves, for a body made in the same way to go on from with the same bits.
  void save(StateWriter& out) const;
  /// Throws Error for numbers that are not finite.
  void restore(StateReader& in);

 private:
  struct State {
    Vector3 center, momentum, angular, spin;
    Eigen::Quaterniond rotation;
    double last = 0.0;
    RigidLoad grip_load;
  };
  /// Of the grip, in a step of h seconds with the velocity u: force - resistance u, and so of the torque.
  struct Pull {
    RigidLoad load;
    double resistance = 0.0, turning_resistance = 0.0;
  };
  [[nodiscard]] Pull pull(double h) const;
  /// N; none of a body of another engine, which has done what it does.
  [[nodiscard]] Vector3 weight() const {
    return setup_.hosted ? Vector3(Vector3::Zero()) : Vector3(mass_.mass * setup_.gravity);
  }
  [[nodiscard]] Matrix3 inertia(const Eigen::Quaterniond& rotation) const;  ///< in axes of the world

  RigidBodySetup setup_;
  MassProperties mass_;
  std::vector<SamplePoint> samples_;
  double radius_ = 0.0;
  Vector3 center_ = Vector3::Zero(), momentum_ = Vector3::Zero(), angular_ = Vector3::Zero(),
          spin_ = Vector3::Zero();
  Eigen::Quaterniond rotation_ = Eigen::Quaterniond::Identity();
  double last_ = 0.0;  ///< length of the last step, in the middle of which velocities are at home, s; or 0
  std::optional<RigidGrip> grip_;
  RigidLoad grip_load_;
  double gripped_ = 0.0;  ///< s, since remember(): of which that is the mean
  State before_;
};

}  // namespace limber
