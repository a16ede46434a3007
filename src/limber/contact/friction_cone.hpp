#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// Coulomb's friction at one contact, regularised, as the derivative of a convex function of the velocity
/// there.                                      [Todorov 2014; Castro, Permenter & Han 2022, section IV]
///
///   l(v) = 1/2 g . R g,     g = P(-R^-1 (v - a e_n)),     dl/dv = -g,     d2l/dv2 = G,
///
/// v is the velocity of the first body seen from the second, in the axes of the contact: two tangents, then
/// the normal, which points to the first. g is the impulse on the first body, and P the nearest impulse (in
/// the norm of R = diag(R_t, R_t, R_n)) with |g_t| <= friction g_n. In the limit of small R nothing sticks
/// that should slide, and what should stick creeps by R_t |g_t|; a body that presses by g_n gives way at
/// the speed R_n g_n. v, a: m/s.  g: N s.  R: m/s per N s.
struct FrictionCone {
  double friction = 0.0;  ///< at least 0
  double normal = 0.0;    ///< R_n, positive
  double tangent = 0.0;   ///< R_t, positive
  double approach = 0.0;  ///< a: velocity along the normal from which on the contact pushes
};

struct ConeResponse {
  double cost = 0.0;                  ///< l, J
  Vector3 impulse = Vector3::Zero();  ///< g; its normal part is 0 where nothing touches
};

/// G: 3 x 3, symmetric and positive semidefinite, zero where nothing touches; written unless null.
ConeResponse respond(const FrictionCone& cone, const Vector3& v, Matrix3* G = nullptr);

/// F with F^T F = G: three rows where the contact sticks, two where it slides (the impulse grows along the
/// way, and turns across it), none where nothing touches.
struct ConeRoot {
  int rows = 0;
  Matrix3 F;  ///< of which the first `rows` count
};
ConeRoot stiffness_root(const FrictionCone& cone, const Vector3& v);

/// Eight contacts that are computed on together, each with a velocity v and a change c of it. At first none
/// of them pushes.
class ConeLanes {
 public:
  ConeLanes();

  void set_cone(int lane, const FrictionCone& cone);
  void set_velocity(int lane, const Vector3& v);
  void set_change(int lane, const Vector3& c);
  [[nodiscard]] Vector3 velocity(int lane) const {
    return {velocity_[0][lane], velocity_[1][lane], velocity_[2][lane]};
  }

  /// Bit i: whether contact i pushes.
  [[nodiscard]] unsigned pushing() const;
  /// Adds the first and second derivatives of l(v + x c) with x, of each lane.
  void add_line(double x, Packet& slope, Packet& curvature) const;
  void advance(double x);  ///< v += x c

 private:
  double velocity_[3][packet_size] = {}, change_[3][packet_size] = {};
  double friction_[packet_size], tangent_[packet_size], normal_[packet_size];  ///< those of R inverted
  double approach_[packet_size];
  double slope_[packet_size], share_[packet_size];  ///< friction R_t / R_n, 1 / (1 + friction slope)
};

}  // namespace limber
