#pragma once

#include "limber/base/progress.hpp"
#include "limber/body/condensed_step.hpp"
#include "limber/body/loads.hpp"
#include "limber/body/step_report.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/multidomain/tree_shape.hpp"
#include "limber/reduced/reduced_step_options.hpp"
#include "limber/warp/oscillators.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace limber {

struct OnlineReport;
struct VolumeMesh;

/// J, of the body; without the springs that pull at it.
struct BodyEnergy {
  double elastic = 0.0;
  double kinetic = 0.0;
};

/// How a body that moves by its natural modes is stepped.
struct ModalSettings {
  /// None: Newmark's for one iteration, the exact solution of each oscillator for more.
  std::optional<ModalIntegrator> integrator;
  Index modes = 0;        ///< in use, the slowest; 0: as many as there are coordinates
  bool coriolis = false;  ///< of warped modes: forces of the turning of the local frames
};

/// What the motion of a reduced model is made from. Bodies of one model share the first two.
struct MotionSetup {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const TreeSurface> surface;
  std::vector<PartSettings> settings;  ///< of the parts
  std::vector<double> stiffness;       ///< of each domain, a factor of its elastic forces
  SubtreeInertia inertia = SubtreeInertia::full;
  RayleighDamping damping;
  ModalSettings modal;
  bool warp = true;      ///< of natural modes; false: they are linear
  bool coupled = false;  ///< whether its steps are taken together with others
};

/// How equilibrium is looked for.
struct EquilibriumOptions {
  double tolerance = 1e-8;   ///< of what is left of the loads, as a share of these
  int max_iterations = 100;  ///< at most
  Progress progress;
};

/// What a method implements for a body: how it takes loads, steps, and where its points are. Body sees to it
/// that nothing is asked for that the method cannot do (method.hpp), and that points and numbers are good.
///
/// Places and forces are in the world. Lists of loads are replaced whole. What throws Error leaves the motion
/// as it was.
class Motion {
 public:
  virtual ~Motion() = default;
  /// A copy, which shares what is constant.
  [[nodiscard]] virtual std::unique_ptr<Motion> copy() const = 0;

  virtual void set_damping(const RayleighDamping& damping) = 0;
  /// Whether it goes on with another factor for a domain; else a new motion is made.
  virtual bool set_stiffness(Index /*domain*/, double /*factor*/) { return false; }
  virtual void set_inertia(SubtreeInertia /*inertia*/) {}  ///< of subtrees, which others do not have
  /// Of motions without a reduced model: of others a new motion is made.
  virtual void set_material(Index region, const Material& material);
  [[nodiscard]] virtual const std::vector<Material>& materials() const;  ///< likewise, one per region

  virtual void set_gravity(const Vector3& acceleration) = 0;
  virtual void set_forces(std::span<const PointForce> forces) = 0;
  virtual void set_timed_loads(const TimedLoads& loads) = 0;
  /// Of loads on the surface, beside those on points: Body computes them anew when the shape is another. The
  /// same ones again are no change of the loads; others on the same vertices in the same times allocate
  /// nothing. They have no part in load_energy().
  virtual void set_surface_forces(std::span<const SurfaceForces> forces);
  virtual void set_springs(std::span<const Spring> springs);
  virtual void set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                           std::span<const Point> exercised);
  /// Throws Error where set_handles() would, for handles that Body has nothing against, and changes nothing.
  virtual void check_handles(std::span<const Handle> /*handles*/, ConstraintPriority /*priority*/,
                             std::span<const Point> /*exercised*/) const {}
  virtual void set_wind(const Wind& wind);
  virtual void set_support(const PoseFunction& motion);
  /// The same for all of these, in a motion that is new.
  void take(const BodyLoads& loads);

  virtual StepReport step(double h, const ReducedStepOptions& options) = 0;
  /// The next step in velocities, and then the step itself: see TreeDynamics. Of motions of bodies that can
  /// touch others (method.hpp).
  virtual SolveReport begin_coupled(double h, CoupledStep& step, ElasticEnd elastic, const StepPart& part);
  virtual SolveReport end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse, bool last);
  virtual void undo_coupled();
  /// The same of motions whose steps have no matrix of their own, for the unknowns that are given.
  virtual SolveReport condense(CondensedStep& step);
  virtual SolveReport end_condensed(const CondensedStep& step, const Vector& impulse, bool last);
  /// Of motions without a reduced model: of others a new motion is made. Throws Error for what such a body
  /// cannot have, and for a method that cannot.
  virtual void set_coupled(bool on);
  /// How much time before the positions the velocities are, s, after such steps; and for a motion that takes
  /// the state of one.
  [[nodiscard]] virtual double lag() const { return 0.0; }
  virtual void set_lag(double /*lag*/) {}
  /// Equilibrium under the loads of now, from the present shape; at rest there. On failure all is left as it
  /// was.
  virtual StepReport solve_static(const EquilibriumOptions& options) = 0;
  [[nodiscard]] virtual double time() const = 0;      ///< s
  [[nodiscard]] virtual const Vector& q() const = 0;  ///< coordinates in use, of one domain after the other
  [[nodiscard]] virtual const Vector& v() const = 0;  ///< their velocities
  [[nodiscard]] virtual Index unknowns() const { return q().size(); }  ///< those of a free frame included
  /// How many of them move by themselves: fewer where fewer modes are in use than there are coordinates.
  [[nodiscard]] virtual Index freedoms() const { return unknowns(); }
  /// With accelerations where they are known.
  [[nodiscard]] virtual TreeState state() const = 0;
  /// keep: the accelerations given are those of the motion; else they become the ones that balance the
  /// forces. Throws Error for forces that are not finite there.
  enum class Accelerations { keep, balance };
  virtual void set_state(const TreeState& state, Accelerations accelerations) = 0;
  /// Moves as one rigid body from now on, of a body that nothing holds.  angular: about its centre of mass.
  virtual void set_velocity(const Vector3& velocity, const Vector3& angular) = 0;
  virtual void reset() = 0;  ///< at rest, at time 0
  virtual void save(StateWriter& out) const = 0;
  virtual void restore(StateReader& in) = 0;
  /// Remembers the state, and goes back to it: a step of several bodies counts only if all of them take it.
  /// What was learned on the way may stay.
  virtual void remember();
  virtual void go_back();

  [[nodiscard]] virtual BodyEnergy energy() const = 0;
  [[nodiscard]] virtual double load_energy() const = 0;  ///< of gravity and forces, 0 at rest, J
  [[nodiscard]] virtual TreeMomentum momentum() const = 0;
  [[nodiscard]] virtual Vector3 position(const Point& point) const = 0;  ///< m
  [[nodiscard]] virtual Vector3 velocity(const Point& point) const = 0;  ///< m/s
  [[nodiscard]] virtual Eigen::Quaterniond orientation(const Point& point) const = 0;
  /// Allocates nothing where `result` has room for as many columns.
  virtual void point_rows(const Point& point, PointRows& result) const = 0;
  virtual void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const = 0;  ///< of the surface
  /// Where forces on vertices of the surface act now, as position() says. x: 3 x vertices, m.
  virtual void positions_of(std::span<const int> vertices, Matrix3X& x) const;
  /// Displacements of the surface, 3 x n, m.
  [[nodiscard]] virtual Matrix3X surface_displacement() const = 0;
  [[nodiscard]] virtual Index mesh_vertex_count() const = 0;  ///< 0 where its mesh was not kept
  /// That mesh; none where it was not kept.
  [[nodiscard]] virtual const VolumeMesh* volume_mesh() const { return nullptr; }
  /// Whether it moves: some vertices of a mesh belong to no element.
  [[nodiscard]] virtual bool has_mesh_vertex(int /*vertex*/) const { return true; }
  /// The same for the vertices of the mesh; none where it was not kept.
  [[nodiscard]] virtual Matrix3X mesh_displacement() const = 0;
  /// Where a part's own coordinates are carried to, for a domain: those of its frame now.
  [[nodiscard]] virtual Pose frame(Index /*domain*/) const { return {}; }

  /// How well handles were met in the last step.
  [[nodiscard]] virtual ConstraintReport handle_report() const { return {}; }
  /// The frames of its domains; none where they do not move.
  [[nodiscard]] virtual const TreeDynamics* tree() const { return nullptr; }
  /// What a body that learns has done so far; none of others.
  [[nodiscard]] virtual const OnlineReport* online_report() const { return nullptr; }
  /// Smallest det F over the mesh; at most 0 where an element is inverted. NaN where that is not known:
  /// nobody needs it enough to walk over the mesh of a reduced body.
  [[nodiscard]] virtual double smallest_volume_ratio() const;

 protected:
  Motion() = default;
  Motion(const Motion&) = default;
  Motion& operator=(const Motion&) = default;

 private:
  StateWriter remembered_;
};

}  // namespace limber
