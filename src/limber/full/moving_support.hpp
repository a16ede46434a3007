#pragma once

#include "limber/fem/full_model.hpp"

#include <Eigen/Geometry>

#include <functional>
#include <vector>

namespace limber {

/// Poses of something rigid over time (s), from where it was made.
using RigidMotion = std::function<Eigen::Isometry3d(double t)>;

/// How something rigid moves at one time.
struct RigidVelocity {
  Vector3 center = Vector3::Zero();   ///< where it is then, m
  Vector3 linear = Vector3::Zero();   ///< there, m/s
  Vector3 angular = Vector3::Zero();  ///< rad/s

  [[nodiscard]] bool is_zero() const { return linear.isZero(0.0) && angular.isZero(0.0); }
  [[nodiscard]] Vector3 at(const Vector3& x) const { return linear + angular.cross(x - center); }
};

/// The fixed vertices s of a full model as something rigid moves them, from rest at time 0 on. Unknowns stay
/// displacements of the free vertices f in the world:
///
///   M_ff u'' + M_fs s'' + D + f(u, s) = f_ext.
///
/// M_fs is zero for a lumped mass. Velocities and accelerations of the support are differences of its poses
/// over steps: impulses have their size even where it sets off, or stops, at once.
class MovingSupport {
 public:
  /// Keeps a reference to the model, whose supports it moves. Throws Error where nothing is fixed.
  MovingSupport(FullModel& model, RigidMotion motion);

  [[nodiscard]] const std::vector<int>& held() const { return held_; }  ///< the vertices that it moves
  [[nodiscard]] Eigen::Isometry3d pose_at(double t) const { return motion_(t > 0.0 ? t : 0.0); }
  /// Whether the pose differs, by a bit, anywhere that a step of h seconds from t looks at it.
  [[nodiscard]] bool moves(double t, double h) const;

  /// Moves the supports of the model.
  void place(const Eigen::Isometry3d& pose);
  void place_at(double t) { place(pose_at(t)); }
  [[nodiscard]] const Eigen::Isometry3d& pose() const { return pose_; }  ///< where they are now
  /// What they are displaced by now; 3 x n, m, zero for vertices that are free.
  [[nodiscard]] const Matrix3X& displacement() const { return displacement_; }
  [[nodiscard]] Matrix3X displacement_of(const Eigen::Isometry3d& pose) const;

  /// Velocity at time t, by a difference over h before and after it, s.
  [[nodiscard]] RigidVelocity velocity(double t, double h) const;
  /// M_fs s'', N, with the mean of s'' from t0 to t1 in steps of h seconds. Empty where M_fs is zero.
  [[nodiscard]] Vector inertia(double t0, double t1, double h) const;
  /// M_fs x for rates x of the fixed vertices, as something rigid at `pose` moves them. Empty where M_fs is
  /// zero.
  [[nodiscard]] Vector mass_times(const RigidVelocity& velocity, const Eigen::Isometry3d& pose) const;

 private:
  [[nodiscard]] Matrix3X places_of(const Eigen::Isometry3d& pose) const;
  [[nodiscard]] Matrix3X mean_velocity(double t, double h) const;

  FullModel& model_;
  RigidMotion motion_;
  std::vector<int> held_;  ///< fixed vertices that elements use
  Matrix3X rest_;          ///< their places, 3 x m, m
  SparseMatrix coupling_;  ///< M_sf, m x free vertices, kg
  Eigen::Isometry3d pose_ = Eigen::Isometry3d::Identity();
  Matrix3X displacement_;
};

}  // namespace limber
