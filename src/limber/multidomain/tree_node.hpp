#pragma once

#include "limber/multidomain/domain_body.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

#include <vector>

// What TreeDynamics keeps of each domain, and of what acts on it.

namespace limber {

/// One domain while it moves. Quantities are in the axes of its frame, those marked * in the axes of its
/// parent's.
struct TreeNode {
  // What it is.
  int parent = -1;
  DomainBody* body = nullptr;
  const DomainBody::Port* port = nullptr;  ///< of the parent's part
  Index first = 0, rank = 0;               ///< of its coordinates
  Index part = 0, lane = 0;                ///< where its elastic forces are among those of the tree
  double scale = 1.0, stiffness = 1.0;
  Vector3 lever = Vector3::Zero();     ///< from the centre of the port to its origin at rest *, m
  Matrix3 rest = Matrix3::Identity();  ///< its axes at rest *

  // Where it is, and how it moves.
  Matrix3 turned = Matrix3::Identity();  ///< rotation of the port from rest *
  Vector3 arm = Vector3::Zero();         ///< its origin *, m
  Matrix3 axes = Matrix3::Identity();    ///< *
  Vector6 rate = Vector6::Zero();        ///< velocity of its frame by that of its parent's coordinates *
  Vector3 velocity = Vector3::Zero(), spin = Vector3::Zero();
  PoseMatrix frame;                   ///< in the world
  Vector6 settled = Vector6::Zero();  ///< acceleration of the frame at the end of the last step, in the world

  // For the solve of a step, at the point about which it is linearised.
  MatrixX6
      carried;  ///< padded(r of the parent) x 6: velocity of its frame for each coordinate's of the parent *
  Vector6 carried_bias = Vector6::Zero();  ///< acceleration of its frame where the parent has none *
  Vector6 acceleration = Vector6::Zero();  ///< of the frame, less gravity
  Vector6 drift = Vector6::Zero();  ///< its velocity but for the acceleration that is sought, in the world
  bool crushed = false;             ///< the port
  double drag = 0.0;                ///< of the wind, N s/m
  Vector3 air = Vector3::Zero();    ///< velocity of the wind at its centre of mass at the start of the step
  Vector3 relative = Vector3::Zero();  ///< the same past that centre
  Vector3 from = Vector3::Zero();      ///< where the centre was then, in the world

  // Equations of motion (elimination.hpp). A large tree does not fit into the caches: what can be computed
  // again is not kept.
  std::vector<int> forces, springs;  ///< of those of the tree, the ones that act here
  bool leaf = true;                  ///< without children, and not the root
  Matrix system;                     ///< S, to which children add; of a leaf, only the factor
  Vector solution;                   ///< z
};

/// Sums over a subtree, about the origin of its root and in its axes.
struct SubtreeSums {
  double mass = 0.0;                ///< kg
  double springs = 0.0;             ///< mass that stands for springs and drag, kg
  Vector3 first = Vector3::Zero();  ///< kg m
  Matrix6 rigid = Matrix6::Zero();  ///< inertia as if it were rigid
  Vector6 load = Vector6::Zero();   ///< from outside
  Vector6 momentum = Vector6::Zero();
};

/// What pulls at a point of a domain.
struct TreeLoad : DomainPoint {
  Index node = 0;
  Vector3 force = Vector3::Zero();    ///< N, in the world
  Vector3 target = Vector3::Zero();   ///< of springs
  double stiffness = 0.0;             ///< N/m, of springs
  Vector3 from = Vector3::Zero();     ///< where the point was at the start of the step; of springs
  Vector3 reached = Vector3::Zero();  ///< where it would be but for the acceleration that is sought; likewise
};

/// Elastic energies, forces and stiffnesses of all domains of a part, before scaling; those of exact
/// polynomials are computed some at a time, which is less work.
struct ElasticStates {
  std::vector<int> nodes;
  Matrix q;            ///< r x n, where they were evaluated
  Matrix forces;       ///< r x n
  Matrix stiffnesses;  ///< r^2 + 8 x n, each column a matrix and eight zeros (add_symmetric())
  Vector energies;     ///< n
};

/// How a step of h seconds solves for A = alpha_m a_0 + (1 - alpha_m) a_1: forces are balanced at the point t
/// + c h, where
///
///   q = q_0 + c h v_0 + early_displacement a_0 + displacement A,     v = v_0 + early_velocity a_0 + velocity A.
struct StepRule {
  double h = 0.0, point = 1.0, alpha_m = 0.0;  ///< point: c
  double displacement = 0.0, velocity = 0.0, early_displacement = 0.0, early_velocity = 0.0;
  double spring = 0.0;  ///< springs pull at q_0 + c h v_0 + early_displacement a_0 + spring A
  double air = 0.0;     ///< the air drags at v_0 + air A
};

}  // namespace limber
