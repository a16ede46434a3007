#pragma once

#include "limber/body/point.hpp"
#include "limber/linalg/types.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/warp/constraint_report.hpp"
#include "limber/warp/pose.hpp"

#include <Eigen/Geometry>

#include <limits>
#include <span>
#include <vector>

namespace limber {

/// A constant force on a point.
struct PointForce {
  Point point;
  Vector3 force = Vector3::Zero();  ///< N

  bool operator==(const PointForce&) const = default;
};

/// The same force on each of some points, for a time. What it gives a step is its mean over that, so that an
/// impulse has its exact size, however the steps lie.
struct TimedForce {
  std::vector<Point> points;
  Vector3 force = Vector3::Zero();                      ///< N, on each
  double from = 0.0;                                    ///< s
  double to = std::numeric_limits<double>::infinity();  ///< s
};

/// A force on the whole body in proportion to its mass, as gravity is, for a time.
struct TimedAcceleration {
  Vector3 acceleration = Vector3::Zero();               ///< m/s^2
  double from = 0.0;                                    ///< s
  double to = std::numeric_limits<double>::infinity();  ///< s
};

/// Loads by the time of the body.
struct TimedLoads {
  std::vector<TimedForce> forces;
  std::vector<TimedAcceleration> accelerations;

  [[nodiscard]] bool empty() const { return forces.empty() && accelerations.empty(); }
};

/// A load on a piece of the surface, for a time: a pressure, a traction or both. Pressure pushes against the
/// outer normal of the surface as it is at the start of a step, on its area as it is then: it follows the
/// body, and has no potential. Traction is a force per area at rest, in axes of the world. What a load gives
/// a step is its mean over that, as for TimedForce. Without an end, and from 0 s or before, it acts at every
/// time.
struct SurfaceLoad {
  std::vector<int> triangles;                           ///< of the surface, each once
  double pressure = 0.0;                                ///< Pa; negative: it pulls outwards
  Vector3 traction = Vector3::Zero();                   ///< Pa
  double from = 0.0;                                    ///< s
  double to = std::numeric_limits<double>::infinity();  ///< s

  bool operator==(const SurfaceLoad&) const = default;
};

/// Share of the time from t0 to t1 (s) in which a load acts; for t0 = t1 whether it does then.
double active_share(double from, double to, double t0, double t1);

/// Mean of what they add up to from t0 to t1 (s), m/s^2.
Vector3 mean_acceleration(std::span<const TimedAcceleration> loads, double t0, double t1);

/// What pulls a point towards a place, as a hand or a haptic device does.
struct Spring {
  Point point;
  Vector3 target = Vector3::Zero();  ///< m
  double stiffness = 0.0;            ///< N/m; stiffness_at(point) times what a person chose is a good one

  bool operator==(const Spring&) const = default;
};

/// A point that is held by hand: dragged, twisted or both, as hard constraints. [Choi & Ko 2005, section V]
struct Handle {
  Point point;
  bool hold_position = true;
  bool hold_orientation = false;
  Vector3 position = Vector3::Zero();  ///< where the point shall be, m
  Eigen::Quaterniond rotation =
      Eigen::Quaterniond::Identity();  ///< how it shall be turned from rest, of unit length
};

/// What loads on the surface are in the present shape of a body: forces on its vertices, which come and go
/// together.
struct SurfaceForces {
  std::vector<int> vertices;  ///< of the surface, ascending
  Matrix3X forces;            ///< 3 x vertices, N
  double from = 0.0;          ///< s
  double to = std::numeric_limits<double>::infinity();

  /// Without an end, and from 0 s or before: at every time.
  [[nodiscard]] bool always() const { return from <= 0.0 && to == std::numeric_limits<double>::infinity(); }
  /// Share of the time from t0 to t1 (s) in which they act.
  [[nodiscard]] double share(double t0, double t1) const {
    return always() ? 1.0 : active_share(from, to, t0, t1);
  }

  bool operator==(const SurfaceForces& other) const;
};

/// Whether they act on the same vertices in the same times, whatever they are.
bool same_sites(std::span<const SurfaceForces> one, std::span<const SurfaceForces> other);
/// Whether some of them come or go.
bool by_time(std::span<const SurfaceForces> forces);

/// Shares of the time from t0 to t1 (s) in which these act: of each timed force, then of those of the
/// surface.
void active_shares(const TimedLoads& timed, std::span<const SurfaceForces> surface, double t0, double t1,
                   std::vector<double>& shares);

/// Adds these forces as far as they act from t0 to t1 (s).  forces, surface_forces: what each of them is to
/// the unknowns of the load.
void add_active(const TimedLoads& timed, std::span<const Vector> forces,
                std::span<const SurfaceForces> surface, std::span<const Vector> surface_forces, double t0,
                double t1, Vector& load);

/// All that acts on a body, until it is changed.
struct BodyLoads {
  Vector3 gravity = Vector3::Zero();  ///< m/s^2
  std::vector<PointForce> forces;     ///< none is zero
  TimedLoads timed;
  std::vector<SurfaceLoad> surface;  ///< each has triangles, and a pressure or traction
  std::vector<Spring> springs;
  std::vector<Handle> handles;
  ConstraintPriority priority = ConstraintPriority::position;  ///< of the handles
  std::vector<Point> exercised;  ///< where forces act to meet them; none: wherever the handles push
  Wind wind;
  PoseFunction support;  ///< how what holds the root moves; none: it stands still
};

}  // namespace limber
