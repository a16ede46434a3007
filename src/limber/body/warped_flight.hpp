#pragma once

#include "limber/body/flight_springs.hpp"
#include "limber/body/lump_inertia.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/warp/lump_loads.hpp"
#include "limber/warp/oscillators.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <Eigen/Geometry>

#include <vector>

namespace limber {

/// Of a body that flies by warped modes: these in its frame, and the whole in the world.
struct FlightState {
  WarpedState modal;
  Vector3 center = Vector3::Zero();                              ///< of mass, m
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  ///< of the frame, of unit length
  Vector3 linear = Vector3::Zero();                              ///< momentum, kg m/s
  Vector3 angular = Vector3::Zero();                             ///< about the centre of mass, kg m^2/s
};

/// What acts on the whole, in the world.
struct FlightPush {
  Vector3 force = Vector3::Zero();   ///< N
  Vector3 torque = Vector3::Zero();  ///< about the centre of mass, N m
};

struct FlightSettings {
  double mass_damping = 0.0;  ///< alpha, against the world, 1/s
  bool coriolis = false;      ///< forces of the turning of the local frames (WarpedOptions)
};

/// Free flight of a body that moves by warped modes. Its state is the momentum of the whole, which only what
/// acts from outside changes, and the modes, in a frame that turns so that the momentum is what it is:
///
///   P' = F,     L' = T,     L = R (I w + A v),
///   q'' + c q' + k q = J^T F - A^T I^-1 (T + L x W) - sum of m_i J_i^T (W x (W x x_i) + 2 W x u_i'),
///
/// with forces F and torques T from outside, the inertia I of the shape and the angular momentum A v of its
/// motion in the frame (lump_inertia.hpp), and W = I^-1 L: so fast it would turn if it were locked in its
/// shape. In the second line all is in the axes of the frame, and places are from the centre of mass. Where
/// nothing acts this conserves P, L and
///
///   E = P^2 / 2 m + 1/2 L . I^-1 L + 1/2 |v|^2 + 1/2 q . k q:
///
/// the mass of a mode is 1 for what it moves beside the motion as a whole. At rest A = 0, and these are the
/// equations of motion; in large deformation they are as true as modal warping is, which takes the mass of
/// modes for what it is at rest.
///
/// A step is taken at its middle, as the rotation by Cayley's map, for which a body that keeps its shape
/// keeps its energy to rounding, and is iterated. What is left of the error of the energy is put right by a
/// force along the way of the modes. A step that still ends with too much is taken in parts; the shortest of
/// these stop the motion in the frame (integrators/energy_guard.hpp says why). Bodies that turn fast take
/// their steps in parts, too, each of 17 degrees at most.
///
/// Springs are implicit (flight_springs.hpp); while there are any, modes take semi-implicit steps, as those
/// of bodies that are held do. They take up momentum, so that then all of the motion may be slowed down.
///
/// For one thread at a time. Warmed up, a step allocates nothing; it costs O(m lumps) for each iteration, of
/// which there are two for a body that does not turn, and about six for one that does.
class WarpedFlight {
 public:
  /// At rest, where it was made.  inertia: as LumpInertia asks for.
  WarpedFlight(const WarpedEquations& equations, const Inertia& inertia, const FlightSettings& settings);

  /// damping: of the modes, 1/s each.  mass_damping: alpha.
  void set_damping(const Vector& damping, double mass_damping);

  // What acts on it until it is changed, in the world. Throw Error for what is not finite.

  void set_gravity(const Vector3& acceleration);  ///< m/s^2
  void set_forces(std::vector<SiteForce> forces);
  void set_force(Index force, const Vector3& value);  ///< the same forces, one of another size
  void set_springs(const std::vector<SiteSpring>& springs);
  void set_spring_target(Index spring, const Vector3& target) { springs_.set_target(spring, target); }
  /// shadow: the area that it sees, averaged over directions, m^2.
  void set_wind(const Wind& wind, double shadow);

  /// Advances by h seconds. On failure, where numbers leave the range of double, the state is left as it was.
  SolveReport step(double h, ModalIntegrator integrator);

  [[nodiscard]] const FlightState& state() const { return state_; }
  /// Throws Error for wrong sizes, numbers that are not finite and a rotation that is not of unit length.
  void set_state(const FlightState& state);
  /// The state with the momentum that the velocities of the frame and of the modes make. Accelerations are
  /// not looked at. Throws Error as set_state() does.
  [[nodiscard]] FlightState moving_with(const WarpedState& modal, const FrameState& root) const;

  [[nodiscard]] Pose pose() const;  ///< of the frame
  /// The same with its velocities; without accelerations.
  [[nodiscard]] FrameState root() const;
  [[nodiscard]] TreeMomentum momentum() const;
  [[nodiscard]] double kinetic_energy() const;                 ///< J
  [[nodiscard]] Vector3 velocity(const WarpSite& site) const;  ///< in the world, m/s
  /// Potential energy of gravity and forces, 0 at rest, J.
  [[nodiscard]] double load_energy() const;
  /// Accelerations of the modes by all that acts now but springs.
  [[nodiscard]] Vector modal_acceleration() const;
  [[nodiscard]] const LumpInertia& lumps() const { return lumps_; }
  [[nodiscard]] FlightPush push() const;  ///< of gravity and forces now
  /// Potential energy of forces on places about the centre of mass, with that shape and frame, J.
  [[nodiscard]] double reach_energy(const Vector& q, const Matrix3& axes) const {
    return forces_.empty() ? 0.0 : -reach_of_forces(q, lumps_.at(q).shift, axes);
  }

 private:
  /// A turning body, in the axes of its frame.
  struct Turning {
    Vector3 spin = Vector3::Zero();     ///< W, rad/s
    Vector3 spin_up = Vector3::Zero();  ///< I^-1 (T + L x W), rad/s^2
    Vector3 force = Vector3::Zero();    ///< sum of those on points, N
    Vector3 torque = Vector3::Zero();   ///< T: of these about the centre of mass, N m
  };
  /// What a part of a step begins with.
  struct Start {
    double h = 0.0;                      ///< s
    Matrix3 axes = Matrix3::Identity();  ///< R
    Vector3 angular = Vector3::Zero();   ///< L, damped, in the world
    Vector3 momentum = Vector3::Zero();  ///< the same in the axes of the frame
    double after = 1.0;                  ///< factor of L at the end, by damping
    double rotational = 0.0;             ///< 1/2 L . I^-1 L, J
    double modal = 0.0;                  ///< energy of the modes, J
    double reached = 0.0;                ///< sum of F . R x, of forces on points, J
    double drag = 0.0;                   ///< of the air, kg/s
    Vector3 air = Vector3::Zero();       ///< its velocity, m/s
    double impulse = 0.0;                ///< s: of a force, as it changes P
    Vector3 linear = Vector3::Zero();    ///< P at the end, without springs
    Vector3 center = Vector3::Zero();    ///< c at the end, likewise
  };
  /// The energy that a part ends with, J.
  struct Balance {
    double rotational = 0.0;  ///< 1/2 L . I^-1 L
    double modal = 0.0;       ///< of the modes
    double work = 0.0;        ///< of forces on points, but for that on the motion of the centre of mass
    double error = 0.0;       ///< by how much the equations gained, less what they may
    double size = 0.0;        ///< of the terms

    [[nodiscard]] double rounding() const;
  };

  [[nodiscard]] bool in_hand() const { return !springs_.empty(); }
  void loads_change();
  [[nodiscard]] Vector3 arm(const WarpSite& site, const Vector& q, const Vector3& shift) const;
  [[nodiscard]] Vector3 spin_in_axes() const;
  [[nodiscard]] double modal_energy(const WarpedState& modal) const;
  [[nodiscard]] FlightPlace place(const FlightState& state, const LumpSums& sums, const Matrix3& axes) const;
  void load_modes(const Vector& q, const Vector& v, const LumpSums& sums, const Turning& turning,
                  const Matrix3& to_axes, Vector& load) const;
  [[nodiscard]] Turning pushed(const Vector& q, const Vector3& shift, const Matrix3& to_axes) const;
  [[nodiscard]] double reach_of_forces(const Vector& q, const Vector3& shift, const Matrix3& axes) const;

  const OscillatorStep& oscillators(double h, ModalIntegrator integrator);
  [[nodiscard]] Index parts_for(double h) const;
  bool take_part(double h, ModalIntegrator integrator, double reach);
  bool stop(double h);
  void begin_part(double h);
  void fly_on(double before, double damped);
  [[nodiscard]] Turning turn_on(const LumpSums& sums, const Vector& q);
  void turn_to_end();
  void set_modes(const OscillatorStep& step);
  double iterate(const OscillatorStep& step);
  bool pull(const OscillatorStep& step, Vector3& turn, Vector3& center);
  bool find_end(const OscillatorStep& step);
  void turn_in_shape();
  void take_end(const OscillatorStep& step);
  [[nodiscard]] Balance balance();
  bool correct(const OscillatorStep& step, double error);
  bool hold_energy(const OscillatorStep& step);
  bool hold_energy_in_hand();
  void end_part();

  // What is constant.
  LumpInertia lumps_;
  LumpLoads lump_loads_;
  Vector stiffness_, damping_;  ///< of the modes
  FlightSettings settings_;
  double size_ = 0.0;  ///< of the body, m

  Vector3 gravity_ = Vector3::Zero();
  std::vector<SiteForce> forces_;
  FlightSprings springs_;
  Wind wind_;
  double shadow_ = 0.0;

  FlightState state_;
  LumpSums now_;  ///< of the state

  // Steps of the modes, for the lengths and integrators that came last.
  struct PreparedStep {
    double h;
    ModalIntegrator integrator;
    OscillatorStep step;
  };
  std::vector<PreparedStep> prepared_;

  // A part of a step: its start, the end as it is found, and memory.
  FlightState before_;  ///< of all of the step
  Start start_;
  FlightState end_;
  LumpSums end_sums_;                      ///< without velocities
  Vector3 turn_ = Vector3::Zero();         ///< of the frame, in its axes: h times a mean angular velocity
  Matrix3 to_axes_ = Matrix3::Identity();  ///< of the frame in the middle of the part
  SpringPull pull_;                        ///< in the world
  int iterations_ = 0;
  Vector load_, next_q_, mean_q_, mean_v_;
};

}  // namespace limber
