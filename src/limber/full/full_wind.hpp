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
};

/// The drag of the air on a full model, spread over its boundary. Each free vertex of that feels
///
///   F_i = c_i (w_i - v_i),   c_i = 1/2 rho C (A_i / 4) |w_i - v_i|,
///
/// with w_i the velocity of the air where it is and A_i its share in the area of the boundary at rest. A
/// quarter, because that is what a convex body shows, of its surface, on average over all directions
/// [Cauchy]. What fixed vertices feel their support takes.
///
/// In a step c_i and w_i are those at its start, v_i is its mean over the step, (u - u_0) / h, and F stands
/// still in between: seen from the air, a step loses energy at any h. c_i is at most 2 m_i / h, with which a
/// lone vertex comes to the velocity of the air within the step; none passes it. What the state remembers of
/// the drag F_0 of the step before gives way to F: with x = M^-1 (F - F_0) and the constants of
/// newmark_step(),
///
///   a_0 + x at the start of the step, and a_1 - alpha3 x, v_1 + alpha6 x at its end
///
/// are its accelerations and its velocity, and what is balanced is the force F + n (F - F_0), n = (1 -
/// alpha_m) alpha3 - alpha_m. At rest x is zero. All of this is linear in u: a spring, which is taken at the
/// end of the step as springs are, and has a potential.
class FullWind {
 public:
  FullWind() = default;
  FullWind(const FullModel& model, FullAir air);

  [[nodiscard]] bool blows() const { return !entries_.empty(); }

  /// Before a step of h seconds by these options.  before: F_0 on the unknowns, N; empty: none.
  void aim(const DynamicState& start, double h, const NewmarkOptions& options, const Vector& before);

  // Of the step that was aimed at, as springs of the body.
  void add_force(const Vector& u, Vector& f) const;              ///< less the drag that is balanced at u, N
  void add_product(const Vector& p, Vector& y) const;            ///< y += k p
  void add_stiffness(SparseMatrix& K) const;                     ///< to one with the pattern of the model
  [[nodiscard]] double stiffness() const { return stiffness_; }  ///< sum of k_i, N/m
  /// Energy of these springs less that at the start of the step, J.
  [[nodiscard]] double potential(const Vector& u) const;
  /// F of a step that ends at u, on the unknowns, N.
  [[nodiscard]] Vector drag(const Vector& u) const;
  /// What the air gives the body in it, J; negative: it takes that.
  [[nodiscard]] double work(const Vector& u) const;
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
    double factor = 0.0;              ///< c_i over the speed, kg/m
    double mass = 0.0;                ///< kg
    std::array<int, 3> slots{};       ///< where in the values of a matrix
    double stiffness = 0.0;           ///< k_i, N/m
    Vector3 from = Vector3::Zero();   ///< u at the start of the step, m
    Vector3 pull = Vector3::Zero();   ///< what is balanced there, N
    Vector3 start = Vector3::Zero();  ///< F of a step that would end there, N
    double slope = 0.0;               ///< by which F falls with u, N/m
  };

  FullAir air_;
  std::vector<Entry> entries_;
  double stiffness_ = 0.0;
  double on_acceleration_ = 1.0, on_velocity_ = 0.0;
};

}  // namespace limber
