#pragma once

#include "limber/integrators/newmark.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/multidomain/coupled_step.hpp"
#include "limber/multidomain/model.hpp"
#include "limber/warp/pose.hpp"

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace limber {

/// What a domain feels of the inertia of those that hang from it.
enum class SubtreeInertia {
  /// Their mass, as a point at the interface (L1) [Barbic & Zhao 2011, Eq. 16]
  interface,
  center,  ///< their mass, as a point at their centre of mass             (L2) [the same, section 5]
  full,    ///< all of it, by recursion over the tree: the exact equations of motion  (L3)
};

/// In scene files, options and JavaScript.
inline constexpr std::array<std::string_view, 3> subtree_inertia_words{"interface", "center", "full"};

/// A point of a domain, in its coordinates: X + rows q, of which the first columns are taken where fewer
/// coordinates are in use.
struct TreePoint {
  Index domain = 0;
  Vector3 place = Vector3::Zero();  ///< at rest, m before scaling
  Matrix3X rows;                    ///< 3 x r
};

struct TreeForce {
  TreePoint point;
  Vector3 force = Vector3::Zero();  ///< N, in the world
};

struct TreeSpring {
  TreePoint point;
  Vector3 target = Vector3::Zero();  ///< m, in the world
  double stiffness = 0.0;            ///< N/m
};

/// Air that moves past the domains: each feels a drag  1/2 density coefficient area |w - v| (w - v)  at its
/// middle, with the area of its shadow averaged over directions.
struct Wind {
  Vector3 velocity = Vector3::Zero();  ///< mean, m/s
  double gusts = 0.0;                  ///< how much it varies in place and time, as a share of the mean
  double coefficient = 1.0;            ///< of drag
  double density = 1.2;                ///< of air, kg/m^3

  bool operator==(const Wind&) const = default;
};

/// Where a frame is and how it moves, in world axes.
struct FrameState : Pose {
  Vector3 velocity = Vector3::Zero(), angular_velocity = Vector3::Zero();
  Vector3 acceleration = Vector3::Zero(), angular_acceleration = Vector3::Zero();
};

struct TreeState {
  double time = 0.0;   ///< s
  Vector q, v, a;      ///< coordinates of all domains, one after the other, and their derivatives
  FrameState root;     ///< of a free tree; else where the root was placed, at rest, or its support has it
  double slack = 0.0;  ///< energy that the next step may give back, J (integrators/energy_guard.hpp)
  int caution = 0;     ///< steps to go with strong numerical damping, after one that was rescued
};

/// A pose whose rotation is a matrix, as loops over many points need it.
struct PoseMatrix {
  Vector3 position = Vector3::Zero();  ///< m, in the world
  Matrix3 rotation = Matrix3::Identity();
};

struct TreeMomentum {
  double mass = 0.0;                  ///< kg
  Vector3 center = Vector3::Zero();   ///< of mass, m
  Vector3 linear = Vector3::Zero();   ///< kg m/s
  Vector3 angular = Vector3::Zero();  ///< about the centre of mass, kg m^2/s
};

/// How far the vertices of an interface are from the rigid motion of the frame that they carry.
struct InterfaceGap {
  Index domain = -1;     ///< child whose interface it is; -1: none
  double largest = 0.0;  ///< m
  double share =
      0.0;  ///< of the size of the interface (twice the largest distance of a vertex from its centre)
};

/// Seconds since they were last set to {}, for benchmarks.
struct TreeTimings {
  double elastic = 0.0;  ///< forces and stiffnesses of the domains
  double solve = 0.0;    ///< factors and solutions
  double core = 0.0;     ///< all else: frames, inertia, interfaces
};

/// What real time asks of a tree: one linearised solve, by which what is faster than the step soon loses its
/// energy. One that damps less is helped more often.
constexpr NewmarkOptions tree_newmark(int max_iterations = 1) {
  return generalized_alpha(0.5, max_iterations);
}

/// The motion of a tree of domains. For one thread at a time. A warmed-up step allocates nothing, one
/// that is rescued neither.
///
/// Coordinates are those of the parts, whatever the scale: a point of domain i is at p_i + R_i s_i (X + U
/// q_i). Functions that throw Error leave all as it was.
class TreeDynamics {
 public:
  /// At rest. Throws Error as check_model() does.
  explicit TreeDynamics(std::shared_ptr<const Model> tree);
  /// The same with other materials and ranks, of a model that check_model() accepts, which is not looked at
  /// again. Throws Error as check_settings() does.
  TreeDynamics(std::shared_ptr<const Model> tree, std::vector<PartSettings> settings);
  ~TreeDynamics();
  TreeDynamics(const TreeDynamics& other);  ///< shares what is constant: the tree, coefficients, integrals
  TreeDynamics& operator=(const TreeDynamics& other);
  TreeDynamics(TreeDynamics&&) noexcept;
  TreeDynamics& operator=(TreeDynamics&&) noexcept;

  [[nodiscard]] const Model& tree() const;
  [[nodiscard]] const std::shared_ptr<const Model>& shared_tree() const;
  [[nodiscard]] const std::vector<PartSettings>& settings() const;
  [[nodiscard]] Index coordinate_count() const;
  [[nodiscard]] Index rank(Index domain) const;
  [[nodiscard]] Index first_coordinate(
      Index domain) const;  ///< those of a domain are rank(domain) from here on

  // What it is made of.

  void set_inertia(SubtreeInertia inertia);  ///< full at first
  [[nodiscard]] SubtreeInertia inertia() const;
  void set_damping(const RayleighDamping& damping);  ///< that of mass against the world; none at first
  /// Factor of the elastic forces of a domain, positive: its frequencies change by the square root. [Barbic &
  /// Zhao 2011, section 5]
  void set_stiffness(Index domain, double factor);
  [[nodiscard]] double stiffness(Index domain) const;

  // What acts on it, until it is changed.

  void set_gravity(const Vector3& acceleration);  ///< m/s^2; none at first
  [[nodiscard]] const Vector3& gravity() const;
  void set_forces(std::span<const TreeForce> forces);  ///< in place of those there were
  void set_force(Index force, const Vector3& value);   ///< the same forces, one of another size
  /// In place of those there were. Taken implicitly: stable at any time step for springs up to some 10^4
  /// times stiffness_at().
  void set_springs(std::span<const TreeSpring> springs);
  void set_spring_target(Index spring, const Vector3& target);  ///< the same springs, one aimed elsewhere
  void set_wind(const Wind& wind);                              ///< none at first
  /// How what holds the root moves from time 0 on, by the time of the state: poses from where the tree was
  /// placed. None: it stands still, as at first. Asked for up to two steps before and after each one. It may
  /// set off at full speed, at time 0 alone. Throws Error for a free tree, which nothing holds, and for poses
  /// that are none.
  void set_support(PoseFunction motion);
  [[nodiscard]] Vector3 spring_force(Index spring) const;  ///< N, with which it pulls now

  // Motion.

  /// Advances by h seconds, with no more energy at the end than loads give it. One iteration: elastic forces
  /// linearised about the start of the step, all else where present accelerations lead to. More: until an
  /// iteration moves the coordinates by less than the tolerance, as a share of what the step does. On failure
  /// the state is left as it was. [Barbic & Zhao 2011, Algorithm 1]
  SolveReport step(double h, const NewmarkOptions& options = tree_newmark());
  /// Sets the accelerations that balance the forces at the present coordinates and velocities. The first step
  /// does so, too.  h: of the step that will follow, s, in which the support moves.
  SolveReport balance(double h = 1e-3);
  /// The next step in velocities, for whoever couples the tree with others: computes `step` and changes
  /// nothing. For full inertia, and a root that no support moves. O(n^2) beside the elastic forces for one
  /// domain, O(n^2) for each of several.
  SolveReport begin_coupled(double h, CoupledStep& step, ElasticEnd elastic = ElasticEnd::mean);
  /// Takes the step that was begun last, with the velocities u and the impulses J^T g that made them what
  /// they are.  u, impulse: n, as step.free. Velocities of the state are then those of the step. One that
  /// gains a little energy beyond what impulses and loads gave it is slowed down; one that gains much does
  /// not converge and leaves all as it was: shorter ones may do, and in the end ElasticEnd::rigid, which
  /// always ends.  last: it may be slowed down by more, but for what its shape takes. Both are `rescued`.
  SolveReport end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse, bool last = true);
  void undo_coupled();  ///< takes back such a step, which was the last that was taken
  /// How fast the frame of a domain is where the tree moves with u, of the step that was begun last: velocity
  /// of its origin, m/s, and angular velocity, in its axes.
  [[nodiscard]] Eigen::Matrix<double, 6, 1> frame_motion(Index domain, const Vector& u) const;
  void reset();  ///< at rest, at time 0; all that was set stays
  [[nodiscard]] const TreeState& state() const;
  /// The accelerations will be those that balance the forces, whatever is given.
  void set_state(const TreeState& state);
  void save(StateWriter& out) const;
  void restore(StateReader& in);

  [[nodiscard]] const PoseMatrix& frame(Index domain) const;
  [[nodiscard]] Vector3 position(const TreePoint& point) const;  ///< in the world, m
  [[nodiscard]] Vector3 velocity(const TreePoint& point) const;
  /// How the velocity of a point follows from the velocities of coordinates (columns, those of its domain and
  /// of all ancestors of that, ascending) and, of a free tree, from those of its root: velocity and angular
  /// velocity, in axes of the world, as if they were coordinates after all others. rows: 3 x columns. What a
  /// support gives it comes beside that. The point is at place + own q in its domain; own: 3 x rank(domain).
  /// O(rank) for each of these domains; allocates nothing where there is room for as many columns.
  void point_rows(Index domain, const Vector3& place, const Eigen::Ref<const Matrix3X>& own,
                  std::vector<int>& columns, Matrix3X& rows) const;
  /// How long ago energies and momentum were what they are said to be, s: half of a step in velocities, which
  /// has them in its middle; 0 after others.
  [[nodiscard]] double lag() const;
  /// Velocities are of that much time before the positions: of a state taken from steps in velocities.
  void set_lag(double lag);
  /// J, with that by which interfaces resist being crushed: where one is narrower than 0.4 of its width.
  [[nodiscard]] double elastic_energy() const;
  [[nodiscard]] double kinetic_energy() const;     ///< J, of the true mass distribution, whatever the lumping
  [[nodiscard]] TreeMomentum momentum() const;     ///< likewise
  [[nodiscard]] InterfaceGap largest_gap() const;  ///< before copies are averaged; by share
  /// Stiffness at rest with which the tree, as it is bent now, resists a force on a point, N/m: the mean over
  /// directions of its compliance, inverted. Infinity for a point that cannot move.
  [[nodiscard]] double stiffness_at(const TreePoint& point) const;

  /// Frequencies of small vibrations about the rest shape, Hz, ascending; without the six rigid motions of a
  /// free tree. O(r^3) for all coordinates: for trees of up to a few hundred.
  [[nodiscard]] Vector natural_frequencies() const;

  [[nodiscard]] TreeTimings& timings();  ///< kept where `measure` was set
  bool measure = false;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace limber
