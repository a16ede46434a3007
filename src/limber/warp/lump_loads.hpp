#pragma once

#include "limber/warp/warped_equations.hpp"

#include <memory>

namespace limber {

/// What accelerates the lumps of a body, in the axes of the frame that it is attached to.
struct LumpMotion {
  Vector3 uniform = Vector3::Zero();  ///< gravity less the acceleration of the frame, m/s^2
  Vector3 spin = Vector3::Zero();     ///< angular velocity of the frame, rad/s
  Vector3 spin_up = Vector3::Zero();  ///< its angular acceleration, rad/s^2
  bool warp = true;                   ///< false: the local frames do not turn
  bool coriolis = false;              ///< forces of the turning of the local frames, which needs warp

  /// Slower than that, rad/s, the frame turns by rounding alone.
  static constexpr double least_spin = 1e-9;
  [[nodiscard]] bool turns() const { return !spin.isZero(0.0) || !spin_up.isZero(0.0); }
  /// Whether loads depend on velocities.
  [[nodiscard]] bool gyroscopic() const { return coriolis || spin.squaredNorm() > least_spin * least_spin; }
  [[nodiscard]] bool none() const { return uniform.isZero(0.0) && spin_up.isZero(0.0) && !gyroscopic(); }
  /// Whether loads have a potential, but for forces that do no work.
  [[nodiscard]] bool conservative() const { return spin_up.isZero(0.0); }
};

/// Modal loads of fields that act on the whole body, by its lumps. For one thread at a time.
class LumpLoads {
 public:
  explicit LumpLoads(const WarpedEquations& equations);

  /// load += sum of mass J^T a over the lumps, with their accelerations a at q and v (m each) and J = dx/dq
  /// of their places x: what acts on the body does its work on the motion that is seen. Returns the potential
  /// energy in the uniform acceleration and in centrifugal forces, J, but for a constant. Reads 6 m numbers
  /// per lump, in the order of memory. Allocates nothing.
  double add(const LumpMotion& motion, const Vector& q, const Vector& v, Vector& load) const;

 private:
  /// Lumps are computed on in groups, in the lanes of a register. Copies share it.
  struct Data {
    Matrix field;  ///< lanes x (per group and mode: rotations x, y, z, then moments x, y, z)
    Matrix rest;   ///< lanes x (per group: center x, y, z, and 1 / mass)
  };

  std::shared_ptr<const Data> data_;
  Index modes_ = 0;
  mutable Matrix sums_;  ///< lanes x m, memory of add()
};

}  // namespace limber
