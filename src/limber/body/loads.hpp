#pragma once

#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/warp/constraint_report.hpp"
#include "limber/warp/pose.hpp"

#include <Eigen/Geometry>

#include <vector>

namespace limber {

/// A force on a vertex of the surface.
struct VertexForce {
  int vertex = -1;
  Vector3 force = Vector3::Zero();  ///< N

  bool operator==(const VertexForce&) const = default;
};

/// What pulls a vertex of the surface towards a point, as a hand or a haptic device does.
struct Spring {
  int vertex = -1;
  Vector3 target = Vector3::Zero();  ///< m
  double stiffness = 0.0;            ///< N/m; stiffness_at(vertex) times what a person chose is a good one

  bool operator==(const Spring&) const = default;
};

/// A vertex of the surface that is held by hand: dragged, twisted or both, as hard constraints.   [Choi & Ko
/// 2005, section V]
struct Handle {
  int vertex = -1;
  bool hold_position = true;
  bool hold_orientation = false;
  Vector3 position = Vector3::Zero();  ///< where the vertex shall be, m
  Eigen::Quaterniond rotation =
      Eigen::Quaterniond::Identity();  ///< how it shall be turned from rest, of unit length
};

/// All that acts on a body, until it is changed.
struct BodyLoads {
  Vector3 gravity = Vector3::Zero();  ///< m/s^2
  std::vector<VertexForce> forces;    ///< none is zero
  std::vector<Spring> springs;
  std::vector<Handle> handles;
  ConstraintPriority priority = ConstraintPriority::position;  ///< of the handles
  Wind wind;
  PoseFunction support;  ///< how what holds the root moves; none: it stands still
};

}  // namespace limber
