#pragma once

#include "bench/experiments/compared_bodies.hpp"

#include <memory>
#include <string>
#include <vector>

namespace limber::bench {

/// How what holds a body is shaken, from rest: to and fro, and turning to and fro about the origin, half as
/// fast again, so that one swing is not like the next. Both grow smoothly to their full size.
struct Shaking {
  double frequency = 1.0;          ///< of the way, Hz
  Vector3 way = Vector3::Zero();   ///< amplitude, m
  Vector3 tilt = Vector3::Zero();  ///< amplitude, rad
  RayleighDamping damping;
  double h = 1e-3;  ///< s
  int steps = 0;
  int every = 1;  ///< steps from one look to the next

  [[nodiscard]] Pose pose(double t) const;
};

/// Displacements at each look, as they are seen from the support: each 3 x n, m.
struct ShakenMotion {
  std::vector<Matrix3X> displacements;
  int failed = 0;  ///< steps
};
ShakenMotion shake(Body body, const Specimen& specimen, const Shaking& shaking);

/// Root of the sum of squares over the looks and over the mass of a body.
class MotionNorm {
 public:
  explicit MotionNorm(const Specimen& specimen);
  ~MotionNorm();
  MotionNorm(const MotionNorm&) = delete;
  MotionNorm& operator=(const MotionNorm&) = delete;

  [[nodiscard]] double size(const ShakenMotion& motion) const;
  /// Of the difference, as a share of the size of the second.
  [[nodiscard]] double error(const ShakenMotion& motion, const ShakenMotion& truth) const;
  /// The same for the shapes that a body can take and that are nearest to those of a motion: what its
  /// coordinates cannot say, whatever its forces are. For a body in one domain that is the projection of the
  /// motion to its basis; shapes of warped modes and of trees are found by Gauss's and Newton's method.
  /// body: that stands still on its support, which does not move.
  [[nodiscard]] double least_error(Body body, const ShakenMotion& truth) const;

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

struct ShakenBody {
  std::string method;
  Body body;
};

/// A body, how it is shaken, and what it moves by beside finite elements.
struct ShakeCase {
  Specimen specimen;
  Shaking shaking;
  std::vector<ShakenBody> bodies;  ///< at rest
};

/// stout: a bar. slender: another. heart: the built-in one. small: a coarse bar, for seconds. Throws Error
/// for any other name.
ShakeCase make_shake_case(const std::string& name);

/// Lowest natural frequency of a body that is held, Hz.
double lowest_frequency_of(const Body& body);

}  // namespace limber::bench
