#pragma once

#include "limber/multidomain/domain_body.hpp"
#include "limber/multidomain/elimination.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

#include <utility>
#include <vector>

namespace limber {

/// One domain while it moves. Quantities are in the axes of its frame, those marked * in the axes of its parent's.
struct TreeNode {
  // What it is.
  int parent = -1;
  DomainBody* body = nullptr;
  const DomainBody::Port* port = nullptr;  ///< of the parent's kind
  Index first = 0, rank = 0;               ///< of its coordinates
  double scale = 1.0, stiffness = 1.0;
  Vector3 lever = Vector3::Zero();     ///< from the centre of the port to its origin at rest *, m
  Matrix3 rest = Matrix3::Identity();  ///< its axes at rest *

  // Where it is, and how it moves.
  Matrix3 turned = Matrix3::Identity();         ///< rotation of the port from rest *
  Matrix3 turned_before = Matrix3::Identity();  ///< where it was sought from: the same bits are found again
  Vector3 arm = Vector3::Zero();                ///< its origin *, m
  Matrix3 axes = Matrix3::Identity();           ///< *
  MatrixX6
      carried;  ///< padded(r of the parent) x 6: velocity of its frame for each coordinate's of the parent *
  Vector6 carried_bias = Vector6::Zero();  ///< acceleration of its frame where the parent has none *
  Vector3 velocity = Vector3::Zero(), spin = Vector3::Zero();
  DomainFrame frame;                       ///< in the world
  Vector6 acceleration = Vector6::Zero();  ///< of the frame, less gravity
  Vector6 drift =
      Vector6::Zero();  ///< its velocity after the step but for its last acceleration, in the world

  // Equations of motion (elimination.hpp). A large tree does not fit into the caches: what can be computed again is not kept.
  std::vector<int> forces, springs;  ///< of those of the tree, the ones that act here
  bool leaf = true;                  ///< without children
  Matrix system;                     ///< S, to which children add; of a leaf, only the factor
  Vector solution;                   ///< z
};

/// Sums over a subtree, about the origin of its root and in its axes.
struct SubtreeSums {
  double mass = 0.0;                ///< kg
  double springs = 0.0;             ///< mass that stands for springs, kg
  Vector3 first = Vector3::Zero();  ///< kg m
  Matrix6 rigid = Matrix6::Zero();  ///< inertia as if it were rigid
  Vector6 load = Vector6::Zero();   ///< from outside
  Vector6 momentum = Vector6::Zero();
};

/// What pulls at a point of a domain.
struct TreeLoad {
  Index node = 0;
  Vector3 place = Vector3::Zero();   ///< X
  MatrixX3 rows;                     ///< r x 3
  Vector3 force = Vector3::Zero();   ///< N, in the world; of springs: in the step last solved
  Vector3 target = Vector3::Zero();  ///< of springs
  double stiffness = 0.0;            ///< N/m, of springs
  Vector3 reached =
      Vector3::Zero();  ///< where the point would be after the step but for its last acceleration; of springs
};

/// Domains of one kind whose elastic forces are computed at once.
inline constexpr Index batch_size = 16;

/// Elastic forces of the domains of one kind, some at a time: less work than one after the other.
struct ElasticQueue {
  std::vector<int>
      nodes;  ///< in the order in which they are eliminated; none where the kind has no use for it
  std::size_t next = 0;
  Matrix states, forces, stiffnesses;
  Vector energies;
};

/// What TreeDynamics is made of.
class TreeDynamics::Parts {
 public:
  explicit Parts(std::shared_ptr<const DomainTree> given);

  // Kinematics (tree_kinematics.cpp): what follows from the state.
  void update_frame(TreeNode& node);             ///< from that of its parent
  void update_frames();                          ///< of all domains
  InertiaTerms& update_inertia(TreeNode& node);  ///< valid until that of another of its kind
  void update_sums();  ///< over subtrees, of mass and momentum, from the inertia of all domains
  [[nodiscard]] Vector3 position(const TreeLoad& point) const;
  [[nodiscard]] Vector3 velocity(const TreeLoad& point) const;
  [[nodiscard]] TreeMomentum total_momentum() const;  ///< after update_sums()
  [[nodiscard]] double kinetic_energy();

  // Equations of motion (tree_solve.cpp).

  /// Accelerations of all coordinates and of a free root, for coordinates q_hat + displacement a and velocities v_hat + velocity a in elastic forces and
  /// damping, which are linearised about the present state; all else is as it is now.
  struct Implicit {
    double displacement = 0.0, velocity = 0.0;  ///< beta h^2, gamma h
  };
  /// Eliminates coordinates from the leaves to the root.
  SolveStatus eliminate(const Implicit& implicit, const Vector& q_hat, const Vector& v_hat);
  /// The acceleration of the root, which begins the way back; then of each domain, parents first.
  void accelerate_root();
  void accelerate(TreeNode& node);
  double evaluate_elastic(TreeNode& node);  ///< force and tangent of its kind; returns the energy, J
  /// Where springs pull and what damping acts on, before a step of length h. h = 0: as things are.
  void aim_springs(double h, const NewmarkOptions& options);
  void aim_damping(double h, const NewmarkOptions& options);

  // Steps (tree_step.cpp).
  SolveReport step(double h, const NewmarkOptions& options);
  SolveStatus balance();
  [[nodiscard]] TreeState rest() const;
  void take_state(const TreeState& next);  ///< and all that follows from it
  /// Whether the accelerations are those of the state, and the gravity that they are less.
  [[nodiscard]] std::pair<bool, Vector3> balanced() const { return {balanced_, solved_gravity_}; }
  void set_balanced(bool balanced, const Vector3& gravity_of_it) {
    balanced_ = balanced;
    solved_gravity_ = gravity_of_it;
  }
  void take_momentum();  ///< of a free tree, from its velocities

  // What can be said of it (tree_analysis.cpp).
  [[nodiscard]] InterfaceGap largest_gap() const;
  [[nodiscard]] double stiffness_at(const TreeLoad& point) const;
  [[nodiscard]] Vector natural_frequencies() const;

  std::shared_ptr<const DomainTree> tree;
  std::vector<DomainBody> bodies;  ///< of the kinds
  std::vector<TreeNode> nodes;
  std::vector<SubtreeSums> sums;  ///< of the nodes
  TreeState state;
  SubtreeInertia inertia = SubtreeInertia::full;
  RayleighDamping damping;
  Vector3 gravity = Vector3::Zero();
  std::vector<TreeLoad> forces, springs;
  Wind wind;
  TreeTimings timings;
  bool measure = false;
  TreeMomentum momentum;  ///< of a free tree, which only impulses from outside change

 private:
  [[nodiscard]] SubtreeSums& sums_of(const TreeNode& node) {
    return sums[static_cast<std::size_t>(&node - nodes.data())];
  }
  static Matrix& system_of(TreeNode& node) { return node.leaf ? node.body->work().system : node.system; }
  SolveStatus eliminate_once(const Implicit& implicit, const Vector& q_hat, const Vector& v_hat,
                             bool positive);
  void evaluate_next(TreeNode& node);
  [[nodiscard]] Vector3 point_acceleration(const TreeNode& node, const TreeLoad& load) const;
  [[nodiscard]] Vector6 drift_in_axes(const TreeNode& node, const Implicit& implicit) const;
  void set_up(TreeNode& node, const Implicit& implicit, const Vector& q_hat, const Vector& v_hat);
  void add_forces(TreeNode& node);
  void add_springs(TreeNode& node, const Implicit& implicit);
  void add_wind(TreeNode& node);
  void add_point(TreeNode& node, double mass, const TreeLoad& load, const Vector3& force);
  void feel(const TreeNode& node, const Implicit& implicit);
  void add_to_parent(const TreeNode& node);
  void clear_systems();
  static void expect(const TreeNode& node);  ///< asks for its memory ahead of time
  void advance_root(double h, const RootState& start, const NewmarkOptions& options);
  void settle_root(double h, const TreeMomentum& start, const NewmarkOptions& options);

  bool balanced_ = false;             ///< the accelerations are those of the state
  bool blowing_ = false;              ///< there is wind
  std::vector<ElasticQueue> queues_;  ///< of the kinds
  QuarticBatchWorkspace batch_;
  ElasticWorkspace elastic_;
  Vector3 load_force_ = Vector3::Zero();      ///< of forces and wind on the whole
  Vector3 load_torque_ = Vector3::Zero();     ///< about the centre of mass
  Vector3 solved_gravity_ = Vector3::Zero();  ///< that of the accelerations of the nodes
  double displacement_ = 0.0;                 ///< that of the accelerations in a step, beta h^2
  Vector q_hat_, v_hat_, before_;
  // Memory for one domain at a time, whatever its rank.
  Vector strain_, load_;
  Matrix carried_, carried_work_;
  Matrix7 felt_ = Matrix7::Zero();  ///< C of the domain last eliminated, as its parent feels it
  MatrixX3 point_;
  TreeState start_;
  std::vector<std::pair<Matrix3, Vector6>> start_moving_;  ///< turned_before and acceleration of the nodes
};

}  // namespace limber
