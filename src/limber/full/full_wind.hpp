#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/integrators/newmark.hpp"

#include <array>
#include <functional>
#include <vector>

namespace limber {

/// Air that a body moves through.
struct FullAir {
  std::function<Vector3(const Vector3& x, double t)> velocity;  ///< at a place (m) and time (s), m/s
  double thickness = 0.0;  ///< half of its density times the coefficient of drag, kg/m^3; 0: there is none

  [[nodiscard]] bool blows() const { return velocity && thickness > 0.0; }
};

/// The drag of the air on a full model, spread over its boundary. Each free vertex of that feels
///
///   F_i = c_i (w_i - v_i),   c_i = 1/2 rho C (A_i / 4) |w_i - v_i|,
///
/// with w_i the velocity of the air where it is and A_i its share in the area of the boundary at rest. A
/// quarter, because that is what a convex body shows, of its surface, on average over all directions
/// [Cauchy]. What fixed vertices feel their support takes.
///
/// In a step c_i and w_i are those at its start, and v_i is its mean over the step, (u - u_0) / h. All of
/// this is linear in u: a spring, which is taken at the end of the step as springs are, and has a potential.
///
/// F stands still during the step: seen from the air, that loses energy at any h. What the state remembers of
/// the drag F_0 of the step before gives way to F: with x = M^-1 (F - F_0) and the constants of
/// newmark_step(),
///
///   a_0 + x at the start of the step, and a_1 - alpha3 x, v_1 + alpha6 x at its end
///
/// are its accelerations and its velocity, and what is balanced is the force F + n (F - F_0), n = (1 -
/// alpha_m) alpha3 - alpha_m. At rest x is zero. Where nothing holds the body c_i is at most 2 m_i / h, with
/// which a lone vertex comes to the velocity of the air within the step; none passes it.
///
/// A body that is held rests under c_i w_i, at any h, however light it is: there c_i has no bound. It is that
/// of the mean velocity in the step before: where stiffness rules, velocities at the ends of steps swing
/// about that, and a c_i that swings along would keep them going. By rules with alpha6 = 0, which damp
/// nothing, F stands still here, too. By others v_1 changes with x, which forces of damping do not know of:
/// where little mass is beside much stiffness that would grow. There F is the force at the end of the step
/// alone, without x, as springs are: of a lone vertex that is stable for all c_i h / m_i, and of others the
/// rule damps what the lag of half a step leaves.
class FullWind {
 public:
  /// What a step leaves for the next one. On the unknowns; empty: nothing.
  struct Wake {
    Vector drag;      ///< F, N
    Vector velocity;  ///< its mean, m/s
  };

  FullWind() = default;
  FullWind(const FullModel& model, FullAir air);

  [[nodiscard]] bool has_boundary() const { return !entries_.empty(); }
  /// Other air past the same boundary, which is not looked for again.
  void set_air(FullAir air);
  [[nodiscard]] bool blows() const { return air_.blows() && has_boundary(); }

  /// Before a step of h seconds by these options.  held: whether something holds the body.
  void aim(const DynamicState& start, double h, const NewmarkOptions& options, const Wake& before, bool held);
  /// Pulls at nothing until it is aimed again. Returns whether it was.
  bool let_go();

  // Of the step that was aimed at, as springs of the body.
  void add_force(const Vector& u, Vector& f) const;              ///< less the drag that is balanced at u, N
  void add_product(const Vector& p, Vector& y) const;            ///< y += k p
  void add_stiffness(SparseMatrix& K) const;                     ///< to one with the pattern of the model
  [[nodiscard]] double stiffness() const { return stiffness_; }  ///< sum of k_i, N/m
  /// Energy of these springs less that at the start of the step, J.
  [[nodiscard]] double potential(const Vector& u) const;
  /// F of a step that ends at u, on the unknowns, N.
  [[nodiscard]] Vector drag(const Vector& u) const;
  /// What the air gives the body in it at most, J; negative: it takes that.
  [[nodiscard]] double work(const Vector& u) const;
  /// Whether F is the force at the end of the step alone, so that there is no x.
  [[nodiscard]] bool at_end() const { return at_end_; }
  /// How much of x the end of the step has: in its acceleration, and in its velocity (s).
  [[nodiscard]] double on_acceleration() const { return on_acceleration_; }
  [[nodiscard]] double on_velocity() const { return on_velocity_; }
  /// Sizes of the rounding errors in force (N) and energy (J) at u.
  struct Rounding {
    double force = 0.0, energy = 0.0;
  };
  [[nodiscard]] Rounding rounding(const Vector& u) const;

  /// Adds F at a state, for an explicit step of h seconds: lessened so that it, too, gives no vertex more
  /// than the velocity of the air.  h = 0: as it is.
  void add_drag(const Vector& u, const Vector& v, double time, double h, Vector& f) const;

 private:
  struct Entry {
    Index first = 0;                  ///< unknown
    Vector3 rest = Vector3::Zero();   ///< m
    double shadow = 0.0;              ///< A_i / 4, m^2
    double mass = 0.0;                ///< kg
    std::array<int, 3> slots{};       ///< where in the values of a matrix
    double stiffness = 0.0;           ///< k_i, N/m
    Vector3 from = Vector3::Zero();   ///< u at the start of the step, m
    Vector3 pull = Vector3::Zero();   ///< what is balanced there, N
    Vector3 start = Vector3::Zero();  ///< F of a step that would end there, N
    double slope = 0.0;               ///< by which F falls with u, N/m
    Vector3 last = Vector3::Zero();   ///< F_0, N
  };

  FullAir air_;
  std::vector<Entry> entries_;
  bool aimed_ = false;
  bool at_end_ = false;
  double stiffness_ = 0.0;
  double start_share_ = 0.0;  ///< of F_0 in the mean of F over the step
  double on_acceleration_ = 1.0, on_velocity_ = 0.0;
};

}  // namespace limber
