#pragma once

#include "limber/bodies/part_tree.hpp"
#include "limber/body/method.hpp"
#include "limber/body/world.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/online/online_settings.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/scene/constraint.hpp"
#include "limber/scene/domain_settings.hpp"
#include "limber/scene/selection.hpp"
#include "limber/scene/skeleton.hpp"
#include "limber/scene/start_overlap.hpp"
#include "limber/warp/constraint_report.hpp"
#include "limber/warp/oscillators.hpp"
#include "limber/warp/warp_distortion.hpp"

#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber {

/// A force on each chosen vertex, or on all of them together, constant while it lasts.
struct SceneLoad {
  VertexSelection where;
  Vector3 force = Vector3::Zero();                      ///< N, on each vertex
  double from = 0.0;                                    ///< s
  double to = std::numeric_limits<double>::infinity();  ///< s
  std::size_t number = 0;                               ///< among the loads of the scene file
  bool total = false;  ///< `force` is shared by the chosen vertices that can move, whatever their number
};

/// A pressure or a traction on the triangles of the surface whose corners are all chosen.
struct SceneSurfaceLoad {
  VertexSelection where;                                ///< of the surface; none: all of it
  double pressure = 0.0;                                ///< Pa
  Vector3 traction = Vector3::Zero();                   ///< Pa
  double from = 0.0;                                    ///< s
  double to = std::numeric_limits<double>::infinity();  ///< s
  std::size_t number = 0;                               ///< among the loads of the scene file
};

struct SceneBody {
  std::string name;  ///< for messages and output files
  /// Where it stands; mesh, surface, parts and model are there already.
  Pose pose;
  UpAxis up = UpAxis::z;  ///< the axis by which it stands there
  VolumeMesh mesh;
  SurfaceMesh render;  ///< drawn in place of the mesh, and moved by it; without triangles: none
  std::vector<Vector3> render_colors;  ///< sRGB, one per part of `render`; empty: chosen when drawn
  std::vector<Material> materials;     ///< one per region
  VertexSelection fixed;
  bool fixed_stated = false;     ///< a reduced model must then have been made with just these
  Method method = Method::full;  ///< how it moves
  std::vector<SceneLoad> loads;
  std::vector<TimedAcceleration> accelerations;
  std::vector<SceneSurfaceLoad> surface_loads;
  RayleighDamping damping;
  MassKind mass = MassKind::consistent;
  Vector3 velocity = Vector3::Zero();          ///< of the whole body at the start, m/s
  Vector3 angular_velocity = Vector3::Zero();  ///< about its centre of mass at the start, rad/s

  // All methods that need a reduced model. `mesh`, `materials`, `render` and `render_colors` then are those
  // of the model, or what it is made from.
  std::shared_ptr<const Model> model;  ///< none: made from `parts`, or from the mesh as `reduction` says
  ReduceOptions reduction;
  /// Of the scene: a body before it that is made in the same way but for its pose, and whose model it shares.
  std::optional<std::size_t> alike;
  int rank = 0;    ///< coordinates in use, of a body with one domain; 0: all that the model has
  PartTree parts;  ///< without placements: none
  /// How the mesh becomes a tree of domains, and how that moves; none: it is one domain.
  std::optional<DomainSettings> domains;

  std::vector<BodyConstraint> constraints;
  ConstraintPriority constraint_priority = ConstraintPriority::position;
  /// From time 0 on, of the frame that fixed vertices are attached to; none: the world.
  PoseFunction support;
  bool coriolis = false;  ///< method warped only: forces of the turning of the local frames
  Wind wind;
  Skeleton skin;  ///< quasistatic only, the methods full and online; without bones: none

  // Dynamics only, all methods but online.
  std::optional<bool> contact;  ///< whether it meets others that do; none: as touches() says
  ContactMaterial surface;      ///< what it then is to them

  /// Whether it moves as a tree of several domains, or is to be made one.
  [[nodiscard]] bool is_tree() const;
  /// Regions of the mesh, or of a reduced model that was kept without its mesh.
  [[nodiscard]] std::vector<Region> regions() const;
};

enum class SimulationType {
  statics,      ///< one equilibrium
  dynamics,     ///< motion with inertia
  quasistatic,  ///< equilibrium at each time, under the loads and the prescribed motion of then
};

/// In scene files.
inline constexpr std::array<std::string_view, 3> simulation_type_words{"static", "dynamic", "quasistatic"};

struct SolverSettings {
  SimulationType type = SimulationType::statics;
  double timestep = 0.0;  ///< s; dynamics and quasistatic
  int steps = 0;          ///< the same
  Integrator integrator = Integrator::newmark;
  ModalIntegrator modal_integrator = ModalIntegrator::newmark;  ///< of the methods warped and linear
  NewmarkOptions newmark{};
  StaticOptions statics{};
  int reduced_static_iterations = 50;  ///< at most, of the methods reduced, warped and linear
  OnlineSettings online{};             ///< method online only
  SparseSolverKind linear_solver = SparseSolverKind::cholesky;
  int threads = 0;  ///< 0: one per core
};

/// What a picture shows: lengths of displacements as colours, with the rest pose as a ghost, or bodies as
/// they look.
enum class PictureOf { displacement, appearance };

/// What to write, where; empty paths for nothing.
struct OutputSettings {
  std::filesystem::path displacements;  ///< CSV of the last state
  std::filesystem::path vtu;            ///< folder of a series
  std::filesystem::path picture;        ///< PNG of the last state
  std::filesystem::path animation;      ///< .glb of the whole motion
  std::filesystem::path timeline;       ///< .svg or .png of what each step was; method online only
  double animation_tolerance =
      1e-4;  ///< of a warped motion: largest error of a vertex, as a share of the body's size
  PictureOf picture_of = PictureOf::displacement;
  int every = 1;  ///< each n-th step goes into the series and the animation
};

/// Everything that a simulation is made of. Constant while it runs.
struct Scene {
  std::string source;  ///< the file that it was read from, which messages name; empty: none
  std::vector<SceneBody> bodies;
  Vector3 gravity = Vector3::Zero();   ///< m/s^2
  std::optional<UpAxis> up;            ///< which way is up, where it says so; see up_of()
  std::vector<Obstacle> obstacles;     ///< the ground among them; dynamics only
  std::vector<RigidBodySetup> rigids;  ///< under the gravity of the scene, whatever they say; dynamics only
  SolverSettings solver;
  OutputSettings output;
  std::vector<std::filesystem::path> inputs;  ///< files that it was read from, which no output may replace
  std::vector<std::string> warnings;          ///< what was lost when they were read, one line each
};

/// How well a constraint was met so far.
struct ConstraintOutcome {
  std::string name;
  bool met = true;                 ///< at the end of every step
  double position_error = 0.0;     ///< largest distance of a vertex from where it should be, m
  double orientation_error = 0.0;  ///< largest angle, rad
  double worst_time = 0.0;         ///< s, when it was missed most
  double jump = 0.0;       ///< m, the largest within a step, of those beyond half the size of the body
  double jump_time = 0.0;  ///< s, the start of that step
};

class HandleSchedule;
class BodyWatch;
struct HandleShare;
struct LinearReach;
struct TrainedReach;

/// A body of a scene on its way, with what moves its handles and what is noted of it.
struct Actor {
  Index body = 0;                           ///< in the world
  std::shared_ptr<HandleSchedule> handles;  ///< none where it has no constraints
  std::shared_ptr<BodyWatch> watch;
};

/// Of the contact of all steps so far.
struct ContactSummary {
  int unsolved = 0;      ///< steps whose contacts were not solved to the tolerance
  int untested = 0;      ///< pairs of bodies near each other that cannot see each other, of all at a time
  double deepest = 0.0;  ///< m, that one was in another at the start of a step
};

/// What moves. It is moved and not copied: a copy of its world would drive the same handles.
struct SceneState {
  SceneState() = default;
  SceneState(SceneState&&) = default;
  SceneState& operator=(SceneState&&) = default;
  SceneState(const SceneState&) = delete;
  SceneState& operator=(const SceneState&) = delete;
  ~SceneState() = default;

  World world;                ///< bodies in the order of the scene's
  std::vector<Actor> actors;  ///< one per body
  ContactSummary contact;
  std::vector<StartOverlap> overlaps;  ///< of those that touch, at the start
  int step = 0;
  double time = 0.0;  ///< s

  [[nodiscard]] Body& body(std::size_t i) { return world.body(static_cast<Index>(i)); }
  [[nodiscard]] const Body& body(std::size_t i) const { return world.body(static_cast<Index>(i)); }
  [[nodiscard]] std::size_t body_count() const { return actors.size(); }
};

/// The body that a scene asks for, without what changes its loads over time. Throws Error for whatever makes
/// it impossible.
Body make_body(const Scene& scene, const SceneBody& body, const Executor& executor,
               const Progress& progress = {});

/// Which way is up, a direction: as the scene says, else against its gravity, else as its first body stands.
Vector3 up_of(const Scene& scene);

/// Level ground at a height above the origin, m.  up: a direction.
Obstacle make_ground(double height, const Vector3& up, const ContactMaterial& material = {});

/// Whether the body meets others: as it says, else where the scene has something to meet and nothing holds
/// it.
bool touches(const Scene& scene, const SceneBody& body);

/// How the steps of such a body are taken.
ReducedStepOptions step_options(const SolverSettings& solver, const Body& body);

/// Builds the bodies and the start state. Throws Error for whatever makes the scene impossible: nothing is
/// held, a selection that chooses nothing, a time step too long for central differences, bodies that touch
/// and are too deep in each other or held in what they touch (start_check.hpp).
SceneState make_state(const Scene& scene, const Progress& progress = {});

/// Steps that the scene asks for: 1 in statics.
int step_count(const Scene& scene);

/// Statics: solves for equilibrium. Otherwise: advances by one time step. On failure the state stays where it
/// was.
StepReport step(const Scene& scene, SceneState& state, const Progress& progress = {});

/// Writes the state of a body, and takes it back in a state made from the same scene, which then goes on with
/// the same bits. Steps and time of the scene are not part of it.
void save(const SceneState& state, std::size_t body, StateWriter& out);
void restore(SceneState& state, std::size_t body, StateReader& in);
/// The same for what is no body of its own: rigid bodies, the time that obstacles move by, and what is noted
/// of contact.
void save_world(const SceneState& state, StateWriter& out);
void restore_world(SceneState& state, StateReader& in);

/// How well the constraints of a body were met so far, in their order.
const std::vector<ConstraintOutcome>& constraint_outcomes(const SceneState& state, std::size_t body);
/// Numbers that its constraints hold at a time, at most.
Index most_held(const SceneState& state, std::size_t body);
/// What they take from what it can do, at most (body/handle_share.hpp).
HandleShare largest_handle_share(const SceneState& state, std::size_t body);
/// Of the shape of the run in which warped modes turned the body farthest; nothing for other methods.
WarpDistortion largest_distortion(const SceneState& state, std::size_t body);
/// Of the shape of the run that linear modes carried farthest (body_watch.hpp); nothing for other methods.
LinearReach largest_reach(const SceneState& state, std::size_t body);
/// Of the shape of the run that went farthest beyond what its forces were trained for (body_watch.hpp);
/// nothing for other methods and for exact forces.
TrainedReach largest_trained_reach(const SceneState& state, std::size_t body);
/// Of the shape of the run that went farthest (body_watch.hpp), m; 0 for bodies of which that is not noted.
double largest_displacement(const SceneState& state, std::size_t body);
/// The largest gap between domains, as a share of its interface, of the first steps and then of every eighth.
InterfaceGap largest_gap(const SceneState& state, std::size_t body);

/// Displacements of the vertices of a body's mesh, as the scene has it, 3 x n, m; no columns for a model that
/// was kept without its mesh.
Matrix3X mesh_displacement(const Scene& scene, const SceneState& state, std::size_t body);
/// Elements of its mesh, or of the meshes of all its domains.
Index element_count(const Scene& scene, const SceneState& state, std::size_t body);

}  // namespace limber
