#pragma once

#include "limber/fem/full_model.hpp"

namespace limber {

/// The motion as a whole of a body that nothing holds: what its shape does in itself moves its centre of
/// mass nowhere and turns nothing.
///
/// With x = X + u, c the centre of mass and p = M v:  P = sum p_i,  L = sum (x_i - c) x p_i.  The rigid
/// motions of the deformed body are the columns of R (dofs x 6): three translations, three rotations about
/// c; (P, L) = R^T M v. Costs are those of six products with M.
class FreeFlight {
 public:
  explicit FreeFlight(const FullModel& model);

  /// L of the velocities v, kg m^2/s; or, for forces in place of p, their torque about c, N m.
  [[nodiscard]] Vector3 angular_momentum(const Vector& u, const Vector& v) const;
  [[nodiscard]] Vector3 torque(const Vector& u, const Vector& force) const;

  /// Of v, the rigid motion with the same linear and angular momentum: R (R^T M R)^-1 R^T M v.
  void rigid_velocity(const Vector& u, const Vector& v, Vector& rigid) const;
  /// Where the body of displacements u and velocities v would be after h seconds if it were rigid: u there,
  /// and v without its motion as a whole, turned along. By the implicit midpoint rule in its own axes,
  /// which keeps the energy of the spin and its angular momentum. Not turned where a step is too long for
  /// that.
  void carry(double h, Vector& u, Vector& v) const;
  /// Takes out of the displacement d what moves the centre of mass, the same for all vertices, and returns
  /// it.
  [[nodiscard]] Vector take_translation(Vector& d) const;
  /// Energy of the motion of the centre of mass under forces that stand still, J: m V^2 / 2 - F . c, with c
  /// how far it has moved from rest.
  [[nodiscard]] double flight_energy(const Vector& force, const Vector& u, const Vector& v) const;
  /// Adds the translation to d that makes the sum of M d what is given.
  void set_linear_momentum(const Vector3& P, Vector& d) const;
  /// Adds the rotation to v that makes its angular momentum L.
  void set_angular_momentum(const Vector& u, const Vector3& L, Vector& v) const;

 private:
  [[nodiscard]] Matrix3X arms(const Vector& u) const;  ///< x_i - c, of the vertices that are unknown
  [[nodiscard]] Matrix rigid_motions(const Vector& u) const;

  const FullModel& model_;
  Vector masses_;  ///< of these vertices, kg
  Matrix3X rest_;  ///< their X, m
};

/// Whether nothing holds the body.
bool is_free(const FullModel& model);

}  // namespace limber
