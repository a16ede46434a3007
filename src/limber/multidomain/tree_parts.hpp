#pragma once

#include "limber/base/timer.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/multidomain/coupled_step.hpp"
#include "limber/multidomain/elimination.hpp"
#include "limber/multidomain/tree_node.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace limber {

/// A rotation, and after it that of a rotation vector.
inline Eigen::Quaterniond turned_by(const Eigen::Quaterniond& start, const Vector3& turn) {
  return Eigen::Quaterniond(rotation_matrix(turn) * start.toRotationMatrix()).normalized();
}

/// A clock that is read only where somebody measures: small trees take a step in the time of a few readings.
class TreeTimer {
 public:
  explicit TreeTimer(bool on) {
    if (on) timer_.emplace();
  }
  /// Adds the time since it was made, or since the last call.
  void add_to(double& sum) {
    if (!timer_) return;
    sum += timer_->seconds();
    timer_->restart();
  }

 private:
  std::optional<Timer> timer_;
};

/// What TreeDynamics is made of. Between two steps elastic forces, frames and kinetic energy are those of the
/// state.
class TreeDynamics::Parts {
 public:
  Parts(std::shared_ptr<const Model> given, std::vector<PartSettings> chosen);
  [[nodiscard]] std::unique_ptr<Parts> copy() const;  ///< which shares what is constant
  Parts& operator=(const Parts&) = delete;

  // Kinematics (tree_kinematics.cpp): what follows from the state.
  [[nodiscard]] Vector3 position(const TreeLoad& load) const { return position(node_of(load), load); }
  [[nodiscard]] Vector3 velocity(const TreeLoad& load) const { return velocity(node_of(load), load); }
  void point_rows(const TreeNode& at, const Vector3& place, const Eigen::Ref<const Matrix3X>& own,
                  std::vector<int>& columns, Matrix3X& rows) const;
  void update_sums();                                 ///< over subtrees, of mass and momentum
  [[nodiscard]] TreeMomentum total_momentum() const;  ///< after update_sums()

  // Energy (tree_energy.cpp).
  [[nodiscard]] double elastic_energy() const;
  [[nodiscard]] double kinetic_energy() const { return middle_.judged ? middle_.kinetic : kinetic_; }
  [[nodiscard]] double shown_elastic() const { return middle_.judged ? middle_.elastic : elastic_energy(); }
  [[nodiscard]] double lag() const { return middle_.known ? 0.5 * middle_.h : 0.0; }
  void set_lag(double lag) { middle_ = {.known = lag > 0.0, .h = 2.0 * lag}; }
  [[nodiscard]] bool adrift() const;  ///< whether nothing takes up momentum: gravity is felt as free fall

  // Steps (tree_step.cpp).
  SolveReport step(double h, const NewmarkOptions& options);
  SolveStatus balance(double h);

  // Steps in velocities (tree_coupled.cpp).
  SolveStatus begin_coupled(double h, CoupledStep& step, ElasticEnd elastic);
  SolveReport end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse, bool last);
  void undo_coupled();
  [[nodiscard]] Vector6 frame_motion(std::size_t node, const Vector& u) const;

  [[nodiscard]] TreeState rest() const;
  [[nodiscard]] FrameState rest_root() const;  ///< where it was placed
  [[nodiscard]] Index coordinate_count() const { return nodes.back().first + nodes.back().rank; }
  void take_support(PoseFunction motion);  ///< none: it stands still
  void take_state(const TreeState& next);  ///< and all that follows from it
  void take_momentum();                    ///< of a free tree, from its velocities
  /// What acts on it changes: whoever lets go of it sees no energy come back that was lost in his hands.
  void forget_slack() { state.slack = std::min(state.slack, 0.0); }
  /// The same for forces, springs, wind and the gravity that is felt. Whoever lets go in the next step has
  /// the energy at its end in mind: what that step loses does not come back either.
  void take_new_loads() {
    forget_slack();
    loads_changed_ = true;
  }

  /// Elastic forces become others of the same shape.
  void take_new_stiffness() {
    forget_slack();
    middle_.judged = middle_.stayed = false;
    middle_.hardness = 0.0;
    rest_modes_.clear();
    filter_h_ = 0.0;
  }
  /// Of a tree adrift after a step in velocities: these are those of its middle, and so is the momentum.
  [[nodiscard]] bool keeps_momentum() const { return middle_.known && adrift(); }
  [[nodiscard]] const TreeMomentum& kept_momentum() const { return momentum_; }

  // Bytes (tree_state.cpp).
  void save(StateWriter& out) const;
  void restore(StateReader& in);

  // What can be said of it (tree_analysis.cpp).
  [[nodiscard]] InterfaceGap largest_gap() const;
  [[nodiscard]] double stiffness_at(const TreeLoad& point) const;
  [[nodiscard]] Vector natural_frequencies() const;

  std::shared_ptr<const Model> tree;
  std::vector<PartSettings> settings;  ///< of its parts
  std::vector<DomainBody> bodies;      ///< of the parts
  std::vector<TreeNode> nodes;
  TreeState state;
  SubtreeInertia inertia = SubtreeInertia::full;
  RayleighDamping damping;
  Vector3 gravity = Vector3::Zero();
  std::vector<TreeLoad> forces, springs;
  Wind wind;
  PoseFunction support;  ///< of the root; none: it stands still, or is free
  TreeTimings timings;
  bool measure = false;

 private:
  Parts(const Parts& other);  ///< whose nodes still point to the bodies of the other: see copy()

  // Kinematics.

  enum class Rotations { seek, keep };              ///< of ports: sought near the last ones, or known already
  void place(TreeNode& node, Rotations rotations);  ///< its frame from that of its parent
  void place_all(Rotations rotations);
  void prepare(TreeNode& node, Rotations rotations);  ///< the same, and all that a solve needs
  void prepare_all(Rotations rotations);
  void carry(TreeNode& node);
  void carry_all();  ///< where only the root's state has changed since they were placed
  InertiaTerms& update_inertia(TreeNode& node);  ///< valid until that of another of its part
  double read_motion(const TreeNode& node, Vector6& total);
  void fill_sums(SubtreeSums& sum, const Vector6& total) const;
  void begin_motion();
  void add_motion(const TreeNode& node);
  void end_motion();
  /// All three: energy and centre of mass, and of a free tree the sums over its subtrees.
  void take_motion();
  void add_up_sums();
  [[nodiscard]] MatrixX6 carried_by(
      const TreeNode& node) const;  ///< r of the parent x 6, as in the node, now
  [[nodiscard]] const TreeNode& node_of(const TreeLoad& load) const {
    return nodes[static_cast<std::size_t>(load.node)];
  }
  [[nodiscard]] Vector3 in_axes(const TreeNode& node, const DomainPoint& point) const;
  [[nodiscard]] Vector3 position(const TreeNode& node, const DomainPoint& point) const;  ///< in the world
  [[nodiscard]] Vector3 velocity(const TreeNode& node, const DomainPoint& point) const;  ///< likewise
  /// Acceleration of a point whose frame has the one given, and where neither that nor its coordinates have
  /// any; in the axes of the domain.
  [[nodiscard]] Vector3 acceleration(const TreeNode& node, const DomainPoint& point,
                                     const Vector6& of_frame) const;
  [[nodiscard]] Vector3 bias_at(const TreeNode& node, const DomainPoint& point) const;

  // Equations of motion (tree_solve.cpp).

  void evaluate_elastic(const Vector& q);
  void resist_crushing();
  /// Eliminates coordinates from the leaves to the root, for q_hat + displacement A and v_hat + velocity A in
  /// elastic forces and damping; elastic forces are linearised about where they were evaluated last, all else
  /// is as it was prepared.
  SolveStatus eliminate(const StepRule& rule, const Vector& q_hat, const Vector& v_hat);
  SolveStatus eliminate_once(const StepRule& rule, const Vector& q_hat, const Vector& v_hat, bool positive);
  void set_up(TreeNode& node, const StepRule& rule, const Vector& q_hat, const Vector& v_hat, bool positive);
  void set_up_elastic(TreeNode& node, const StepRule& rule, const Eigen::Ref<const Vector>& q_hat,
                      const Eigen::Ref<const Vector>& v_hat, bool positive);
  void feel(const TreeNode& node, const StepRule& rule);
  void add_to_parent(const TreeNode& node);
  /// The acceleration of the root, which begins the way back; then of each domain, parents first. Those of
  /// coordinates are left in state.a.
  void accelerate_root();
  void accelerate(TreeNode& node, const StepRule& rule);
  void clear_systems();
  void expect(const TreeNode& node) const;  ///< asks for its memory ahead of time
  [[nodiscard]] SubtreeSums& sums_of(const TreeNode& node) {
    return sums_[static_cast<std::size_t>(&node - nodes.data())];
  }
  static Matrix& system_of(TreeNode& node) { return node.leaf ? node.body->work().system : node.system; }

  // What acts from outside (tree_loads.cpp).

  void aim(const StepRule& rule);  ///< before a step: what springs, damping and wind begin with
  void aim_spring(TreeLoad& spring, const StepRule& rule) const;
  void aim_damping(TreeNode& node, const StepRule& rule) const;
  void aim_wind(TreeNode& node) const;
  [[nodiscard]] Vector6 drift_in_axes(const TreeNode& node, const StepRule& rule) const;
  void add_loads(TreeNode& node, const StepRule& rule);
  void add_pull(TreeNode& node, double mass, const DomainPoint& at, const Vector3& pull);
  void add_point(TreeNode& node, double mass, const DomainPoint& at, const Vector3& force);
  void feel_loads(const TreeNode& node, const StepRule& rule);
  void push_on(const Vector3& place, const Vector3& force);
  [[nodiscard]] bool blowing() const { return !wind.velocity.isZero(0.0) && wind.coefficient > 0.0; }
  [[nodiscard]] double wind_work(double h) const;

  // A root that is carried (tree_support.cpp).

  [[nodiscard]] bool carried() const { return static_cast<bool>(support); }
  [[nodiscard]] Pose support_pose(double time) const;
  [[nodiscard]] FrameState support_root(double time, double h) const;
  void aim_balance(double h);  ///< where balance() sees the root; h: of the step after it
  void set_off(const StepRule& rule);
  [[nodiscard]] bool support_moves(double h) const;
  void follow_support(double h);
  void aim_support(const StepRule& rule);  ///< and what the step may end with
  [[nodiscard]] double relative_kinetic() const;
  [[nodiscard]] double support_potential() const;
  [[nodiscard]] double support_power() const;
  [[nodiscard]] double support_work(double h) const;
  [[nodiscard]] double energy_with_support();

  // Steps.

  void remember();
  void go_back();
  NewmarkOptions chosen(const NewmarkOptions& options);
  SolveReport advance(double h, const NewmarkOptions& options);
  bool take_shares(double h, int count, const NewmarkOptions& options, SolveReport& report);
  bool advance_in_shares(double h, int count, const NewmarkOptions& options, SolveReport& report);
  SolveStatus advance_once(const StepRule& rule, const NewmarkOptions& options);
  void predict(const StepRule& rule);
  void approach(const StepRule& rule);
  void advance_root(const StepRule& rule, const NewmarkOptions& options);
  void take_impulses(double h);
  void settle_root();
  void follow_momentum();
  [[nodiscard]] Vector6 momentum_in_axes() const;
  [[nodiscard]] Vector6 frame_velocity(const TreeNode& node) const;      ///< in the world
  [[nodiscard]] Vector6 frame_acceleration(const TreeNode& node) const;  ///< likewise, as it was solved for

  // Energy.

  /// What a free tree keeps of its motion where its parts stand still relative to each other: all that its
  /// momentum says. Of a held one: nothing.
  struct LockedMotion {
    Vector6 velocity = Vector6::Zero();  ///< of the root, in its axes
    double kinetic = 0.0;                ///< J
    double cross = 0.0;  ///< J: with the rest f times as fast T is kinetic + f cross + f^2 (what is left)
  };
  [[nodiscard]] double flight() const;
  [[nodiscard]] double counted_kinetic() const;  ///< T, but for that of the flight and of the support
  [[nodiscard]] double given(double h) const { return wind_work(h) + support_work(h); }  ///< in a step
  [[nodiscard]] double potential();
  [[nodiscard]] double rounding() const;
  [[nodiscard]] double energy();
  [[nodiscard]] LockedMotion locked() const;
  bool turn(double energy, double largest);
  void slow_down(double allowed, double potential, const LockedMotion& lock);
  bool hold_energy(double h, bool guarded);
  void end_step(double allowed, double now);
  SolveStatus rescue(double h);
  SolveStatus solve_euler(double h);
  bool try_part(double part, double h, bool turning);
  bool take_part(double h);
  bool snap_back(double h);

  // Steps in velocities.

  void find_rest_modes();
  void make_filters(double h);
  SolveStatus set_up_alone(std::size_t i, const StepRule& rule, bool positive);
  void add_to_whole(const TreeNode& node, const Matrix& moved, const Vector6& bias, Matrix& A, Vector& b);
  void take_single(Matrix& A, Vector& b) const;
  SolveStatus assemble(const StepRule& rule, bool positive, Matrix& A, Vector& b);
  void fly_on(CoupledStep& step);
  // Of shapes that no length of step brings back (tree_creep.cpp).
  /// At the largest they stay as they are: velocities that are left are far below what anything can tell.
  static constexpr double largest_hardness = 1e10;
  [[nodiscard]] double hardness(ElasticEnd elastic) const;
  [[nodiscard]] bool stiffen(Matrix& A);
  void harden(CoupledStep& step);
  void find_lasting_shape();
  void harden_by(const CoupledStep& step, double share);
  void soften(const CoupledStep& step, double crept);
  [[nodiscard]] Vector3 linear_momentum();
  [[nodiscard]] double load_potential(double later);
  [[nodiscard]] double load_power();
  struct HalfEnergy {
    double quintic = 0.0;  ///< by energies, forces and stiffnesses of the ends
    double cubic = 0.0;    ///< by energies and forces alone
  };
  [[nodiscard]] HalfEnergy half_of_middle(const Vector& way) const;
  [[nodiscard]] bool polynomial() const;
  void scale_motion(double factor, const LockedMotion& lock);
  void slow_down_from_middle(double factor, double h);
  void move_by(double t);
  void settle_in_middle(double h);
  void settle_at_end(double h);
  void settle_here();
  void take_coupled_impulses(const CoupledStep& step, const Vector& impulse);
  struct MiddleEnergy {
    double kinetic = 0.0, locked = 0.0, elastic = 0.0;
  };
  MiddleEnergy take_way(const CoupledStep& step, const Vector& u);
  MiddleEnergy stand_still();
  void judge_middle();
  MiddleEnergy creep_downhill(const CoupledStep& step, const Vector& u, double before, double& share);
  void return_to_start();

  // The present state.
  bool balanced_ = false;               ///< the accelerations are those of the state
  bool loads_changed_ = false;          ///< as take_new_loads() says, since the last step
  bool support_moved_ = false;          ///< in the last step
  TreeMomentum momentum_;               ///< of a free tree, which only impulses from outside change
  std::vector<ElasticStates> elastic_;  ///< of the parts
  double kinetic_ = 0.0;                ///< J
  double mass_ = 0.0;                   ///< kg
  Vector3 center_ = Vector3::Zero();    ///< of mass, from where the root rests, m
  std::vector<SubtreeSums> sums_;       ///< of the nodes
  std::vector<int> narrow_;             ///< nodes whose ports resist being crushed further

  // A step: its start, and what is found on the way.
  struct StepStart {
    TreeState state;
    TreeMomentum momentum;
    double kinetic = 0.0;
    Vector3 center = Vector3::Zero();
    std::vector<std::pair<Matrix3, Vector6>> moving;  ///< turned and settled of the nodes
    double allowed = 0.0;  ///< energy that the step may end with, but for what is given(), J
    double power = 0.0;    ///< support_power(), W
  };
  StepStart start_;
  StepStart whole_;                        ///< of all of a step that is taken as several
  std::vector<Vector6> start_velocities_;  ///< of the frames of the nodes, in the world
  FrameState aimed_, aimed_end_;  ///< of a carried root, where the step is balanced and where it ends
  Vector6 start_acceleration_ = Vector6::Zero();  ///< of the root, that it was balanced with last
  FrameState field_;                              ///< the same with its mean accelerations in the step
  double support_h_ = 1e-3;                ///< s, of the last step, for differences of the support's motion
  double energy_size_ = 0.0;               ///< sum of the sizes of all parts of the energy last computed, J
  Vector3 load_force_ = Vector3::Zero();   ///< from outside, on the whole
  Vector3 load_torque_ = Vector3::Zero();  ///< about where the centre of mass was at the start
  /// kg m: mass times the way of the centre of mass from there to the point that the solve was prepared at.
  Vector3 swept_ = Vector3::Zero();
  Vector3 turn_ = Vector3::Zero();  ///< of the root in the step, as solved for, rad
  Vector q_hat_, v_hat_, before_;
  // By implicit Euler: how coordinates and root would move in all of the step.
  Vector moved_;
  Vector6 end_velocity_ = Vector6::Zero();
  TreeMomentum impelled_;

  // Of steps in velocities.
  struct Middle {
    bool known = false;                   ///< whether the last step was one
    bool judged = false;                  ///< whether its energies are those of the present stiffness
    double h = 0.0;                       ///< its length, s
    double kinetic = 0.0, elastic = 0.0;  ///< T and W in the middle of it, J
    bool stayed = false;                  ///< whether its shape stayed or crept (tree_creep.cpp)
    double hardness = 0.0;                ///< of the step that follows (CoupledStep)
    bool hardened = false;  ///< whether a step that is tried again knows how hard that has to be
    Vector q;               ///< coordinates in the middle of it
  };
  Middle middle_, middle_before_;
  struct RestModes {
    Vector frequencies;  ///< rad/s
    Matrix shapes;       ///< M times the modes
  };
  std::vector<std::shared_ptr<const RestModes>> rest_modes_;  ///< of the nodes
  double filter_h_ = 0.0;                                     ///< s, of the steps that the filters are for
  std::vector<Matrix> filters_;                               ///< damping of fast modes, of the nodes
  Vector rates_;
  Matrix scaled_shapes_;
  Cholesky coupled_factor_, creep_factor_;
  Vector lasting_, crept_;            ///< memory of find_lasting_shape() and creep_downhill()
  std::vector<Matrix> frames_moved_;  ///< memory of assemble(): 6 x n of the nodes
  std::vector<Vector6> frame_biases_;
  Matrix in_parent_, carried_frame_, across_, own_system_;
  Vector way_;

  // What is constant.
  double reach_ = 0.0;        ///< |q| as large as the domains are
  bool conservative_ = true;  ///< all elastic forces have a potential

  // Memory for one domain at a time, whatever its rank.
  QuarticBatchWorkspace batch_;
  ElasticWorkspace elastic_work_;
  Vector strain_, load_;  ///< padded
  Matrix carried_, carried_work_;
  Matrix7 felt_ = Matrix7::Zero();  ///< C of the domain last eliminated, as its parent feels it
  MatrixX3 point_;
  MotionTerms motion_;
};

}  // namespace limber
