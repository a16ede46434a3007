#pragma once

#include "limber/body/loads.hpp"
#include "limber/body/method.hpp"
#include "limber/body/motion.hpp"
#include "limber/reduced/picking.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace limber {

/// How a vertex buffer is laid out, in floats.
struct VertexLayout {
  Index stride = 6;    ///< from one vertex to the next
  Index position = 0;  ///< of x in a vertex; y and z follow
  Index normal = 3;    ///< likewise; -1: without normals
};

/// A body in someone's hands: a model with its method, materials, state and loads, all of which may change
/// between two steps. This is what an engine embeds, and what the viewer runs in the browser. For one thread
/// at a time; bodies of one model may live in several threads. After the first step, steps of the same length
/// and kind allocate nothing.
///
/// Vertices are those of the surface, places and forces in the world. What a method cannot do is refused
/// (method.hpp). Functions that throw Error leave the body as it was.
class Body {
 public:
  /// At rest, with the materials that the model was made with, by the method 'reduced'. Throws Error as
  /// check_model() does.
  explicit Body(std::shared_ptr<const Model> model);
  explicit Body(Model model);
  /// By a motion that needs no reduced model: see mesh_body.hpp.
  Body(std::string name, Method method, std::shared_ptr<const BodySurface> surface,
       std::unique_ptr<Motion> motion);
  ~Body();
  /// A copy shares the model and all that is computed from it and does not change: it costs its state.
  Body(const Body& other);
  Body& operator=(const Body& other);
  Body(Body&&) noexcept;  ///< what is left may be assigned to and destroyed, no more
  Body& operator=(Body&&) noexcept;

  [[nodiscard]] const std::string& name() const;  ///< for messages
  [[nodiscard]] bool has_model() const;           ///< a reduced one: all but those of mesh_body.hpp
  [[nodiscard]] const Model& model() const;       ///< throws Error where there is none
  [[nodiscard]] const std::shared_ptr<const Model>& shared_model() const;  ///< empty where there is none
  [[nodiscard]] const BodySurface& surface() const;  ///< of the whole, at rest, with its colours
  [[nodiscard]] const std::shared_ptr<const BodySurface>& shared_surface() const;
  /// The domain of each vertex of the surface, the first that has a copy; -1 for a vertex that none has,
  /// which no triangle uses.
  [[nodiscard]] const std::vector<int>& vertex_domains() const;

  // What it is made of.

  /// Costs 0.2 ms at r = 30, so that a slider may call it.
  void set_material(Index region, const Material& material, Index part = 0);
  [[nodiscard]] const Material& material(Index region, Index part = 0) const;
  void set_damping(const RayleighDamping& damping);  ///< none at first
  /// Coordinates of a part in use: all of the model's at first. Those that leave are lost, those that come
  /// start from 0.
  void set_rank(Index rank, Index part = 0);
  [[nodiscard]] Index rank(Index part = 0) const;
  /// Factor of the elastic forces of a domain, positive: its frequencies change by the square root. [Barbic &
  /// Zhao 2011, section 5]
  void set_stiffness(Index domain, double factor);
  [[nodiscard]] double stiffness(Index domain) const;
  void set_inertia(SubtreeInertia inertia);  ///< of trees; full at first
  [[nodiscard]] SubtreeInertia inertia() const;
  /// The body goes on from the same q and v. Handles that the new method cannot hold are let go: those of
  /// orientations. `warped` needs a model with warp data. The method that it has already changes
  /// nothing. A body of a mesh keeps its method, and one of a reduced model does not take those of meshes.
  void set_method(Method method);
  [[nodiscard]] Method method() const;
  void set_modal_settings(const ModalSettings& settings);  ///< of the methods warped and linear

  // What acts on it, until it is changed.

  void set_gravity(const Vector3& acceleration);  ///< m/s^2; none at first
  /// Constant forces on points, in place of those there were: as many as one likes, O(r) each.
  void set_forces(std::span<const PointForce> forces);
  /// The same for one point, in place of the force there; zero takes it away. O(number of forces).
  void set_force(const Point& point, const Vector3& force);
  void set_timed_loads(TimedLoads loads);  ///< in place of those there were
  /// Pressure and traction on pieces of the surface, in place of those there were, for every method: they act
  /// as forces on its vertices, a third of each triangle's on each corner. Pressure follows the shape that
  /// the body has when a step begins: at each step it costs the positions of the surface and a change of
  /// forces. Throws Error for triangles that do not exist or are named twice, and for numbers that are not
  /// finite.
  void set_surface_loads(std::vector<SurfaceLoad> loads);
  /// Springs, taken implicitly: as stiff as one likes, at any time step (in trees up to some 10^4 times
  /// stiffness_at()). The whole list is replaced.
  void set_springs(std::span<const Spring> springs);
  [[nodiscard]] Vector3 spring_force(Index spring) const;  ///< N, with which the spring pulls now
  /// Stiffness with which the body at rest resists a force on a vertex of its surface, N/m: the mean over
  /// directions of its compliance, inverted. Of a single body by its whole basis, whatever rank it runs with:
  /// a few modes that hardly move there would make a hand stronger by orders of magnitude. Infinity for a
  /// vertex that cannot move. Motions that the body does not resist, such as the rigid ones of a body that
  /// nothing holds, are left out: 0 for a vertex that moves in these alone. Of bodies with a reduced model.
  [[nodiscard]] double stiffness_at(int vertex) const;
  /// Points that are held from the next step on. The whole list is replaced: handles at the same points
  /// in the same order, of the same kinds, only move, which costs nothing; others cost a small factorisation
  /// at the next step. They are ideal constraints: they add no energy beside that of their own motion. Throws
  /// Error for a point that cannot move, one that is held twice, and quaternions that are not of unit
  /// length. exercised: where forces act to that end, of the methods warped and linear; none: wherever the
  /// handles push.
  void set_handles(std::span<const Handle> handles,
                   ConstraintPriority priority = ConstraintPriority::position,
                   std::span<const Point> exercised = {});
  /// Throws Error where set_handles() would, and changes nothing: O(r) for each handle, and of natural modes
  /// the small factorisation.
  void check_handles(std::span<const Handle> handles,
                     ConstraintPriority priority = ConstraintPriority::position,
                     std::span<const Point> exercised = {}) const;
  /// How well they were met in the last step; as if met before the first, and after reset().
  [[nodiscard]] ConstraintReport handle_report() const;
  void set_wind(const Wind& wind);  ///< none at first
  /// How what holds the body moves from time 0 on, by the time of the body: poses from where it was made.
  /// None: it stands still, as at first. Asked for up to two steps before and after each one. It may set off
  /// at full speed, at time 0 alone. Throws Error for a body that nothing holds, and for poses that are none.
  void set_support(PoseFunction motion);
  [[nodiscard]] const BodyLoads& loads() const;

  // Motion.

  /// Advances by h seconds; see step() in reduced_dynamics.hpp, TreeDynamics::step() where the body has
  /// frames, and WarpedDynamics::step() for warped modes. On failure the state is left as it was.
  StepReport step(double h, const ReducedStepOptions& options = {});
  /// Whether its steps are taken together with those of others that it touches, by a World; not so at first.
  /// It then moves in a frame of its own, from the same q and v, and step() still takes it alone. Throws
  /// Error for a method that cannot, and on a support that moves.
  void set_coupled(bool on);
  [[nodiscard]] bool coupled() const;
  /// The next step in velocities, and the step itself, of a coupled body: see TreeDynamics. What changes
  /// between the two has no part in the step.  part: where it is one of several; handles go as far.
  SolveReport begin_coupled(double h, CoupledStep& step, ElasticEnd elastic = ElasticEnd::mean,
                            const StepPart& part = {});
  SolveReport end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse, bool last = true);
  void undo_coupled();
  /// Of a body whose steps have no matrix of their own, as those with every vertex of a mesh: its step for
  /// the unknowns that are touched, and the end of that.
  SolveReport condense(CondensedStep& step);
  SolveReport end_condensed(const CondensedStep& step, const Vector& impulse, bool last = true);
  /// Equilibrium under the loads as they are now, from the present shape; it rests there. On failure the
  /// state is left as it was.
  StepReport solve_static(const EquilibriumOptions& options = {});
  void reset();                           ///< at rest, in the rest shape, at time 0; materials and loads stay
  [[nodiscard]] double time() const;      ///< s
  [[nodiscard]] const Vector& q() const;  ///< coordinates in use, of one domain after the other
  [[nodiscard]] const Vector& v() const;  ///< their velocities
  [[nodiscard]] Index unknowns() const;   ///< of the method: coordinates, and six of a free frame
  [[nodiscard]] Index freedoms() const;   ///< the same with modes in use in place of coordinates
  [[nodiscard]] TreeState state() const;  ///< with accelerations, and the frame of the root
  /// q and v: as many as there are, finite. The time goes on from where it was.
  void set_state(const Vector& q, const Vector& v);
  /// The same with time and, of a body that flies, the frame of the root with its velocities.
  void set_state(const TreeState& state);
  /// Thrown: it moves as one rigid body from now on.  angular: about its centre of mass, rad/s. Throws Error
  /// for a body that is held, unless its method moves every vertex.
  void set_velocity(const Vector3& velocity, const Vector3& angular = Vector3::Zero());
  /// The state as bytes, and back: a body with the same model, settings and loads goes on with the same bits.
  void save(StateWriter& out) const;
  void restore(StateReader& in);
  void remember();  ///< the state, in memory
  void go_back();   ///< to what was remembered

  [[nodiscard]] BodyEnergy energy() const;
  /// Potential energy of gravity, forces and tractions that always act, 0 at rest, J; of warped modes also
  /// that of the support's motion. Pressure follows the body and has none; it is left out, as are tractions
  /// for a time. With that of the springs that pull, and with energy(), it is what never grows by itself.
  [[nodiscard]] double load_energy() const;
  [[nodiscard]] TreeMomentum momentum() const;

  [[nodiscard]] Vector3 position(const Point& point) const;  ///< m: O(r)
  [[nodiscard]] Vector3 velocity(const Point& point) const;  ///< m/s
  /// How a point is turned from rest: as modal warping has it, or as the frame of its domain.
  [[nodiscard]] Eigen::Quaterniond orientation(const Point& point) const;
  /// How the point moves with the unknowns, for whoever solves for what acts on it: contact, or a controller.
  /// O(r), in trees times the number of its ancestors. Allocates nothing where `result` has as many columns
  /// already.
  void point_rows(const Point& point, PointRows& result) const;
  /// Positions of all vertices of the surface now. x: 3 x n.
  void positions(Eigen::Ref<Eigen::Matrix3Xf> x) const;
  /// Displacements, 3 x n, m: of the surface, and of the mesh, without columns where it was not kept.
  [[nodiscard]] Matrix3X surface_displacement() const;
  [[nodiscard]] Matrix3X mesh_displacement() const;
  [[nodiscard]] Index mesh_vertex_count() const;  ///< 0 where the mesh was not kept
  /// That mesh at rest, of a body that moves without frames; else none, as where it was not kept.
  [[nodiscard]] const VolumeMesh* volume_mesh() const;
  /// Where the own coordinates of the part of a domain are carried to now.
  [[nodiscard]] Pose frame(Index domain = 0) const;
  /// Positions and unit normals of all vertices into an interleaved vertex buffer; what else is in it stays.
  /// Throws Error for a buffer that is too small and for a layout whose entries overlap. Allocates nothing
  /// after its first call.
  void write_vertices(std::span<float> buffer, const VertexLayout& layout = {}) const;
  /// See pick_vertex(): on the surface as it is now.
  [[nodiscard]] std::optional<Pick> pick(const Vector3& origin, const Vector3& direction) const;
  /// Before copies of vertices in several domains are averaged.
  [[nodiscard]] InterfaceGap largest_gap() const;
  /// The frames of its domains, and what is computed with them; none of bodies without frames.
  [[nodiscard]] const TreeDynamics* tree() const;
  [[nodiscard]] const OnlineReport* online_report() const;  ///< of the method online
  /// Smallest det F over the mesh; NaN where it is not known, as of reduced bodies.
  [[nodiscard]] double smallest_volume_ratio() const;

  // Natural vibrations about the rest shape, for the present materials and rank: computed when first asked
  // for.

  /// Hz, ascending, valid until the next change of these: of one domain all r', O(r^3), those of its frame
  /// held; of a tree the lowest alone, or about it.
  [[nodiscard]] const Vector& frequencies() const;
  /// q of vibration i, scaled so that the vertex of the surface that moves farthest moves by 1 m. Of one
  /// domain.
  [[nodiscard]] Vector mode_shape(Index i) const;

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace limber
