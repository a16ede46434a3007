#pragma once

#include "limber/bodies/part_tree.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/online/online_settings.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/scene/body_simulation.hpp"
#include "limber/scene/constraint.hpp"
#include "limber/scene/domain_settings.hpp"
#include "limber/scene/selection.hpp"
#include "limber/scene/skeleton.hpp"
#include "limber/warp/constraint_report.hpp"
#include "limber/warp/oscillators.hpp"

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace limber {

/// A force on each chosen vertex, constant while it lasts.
struct PointLoad {
  VertexSelection where;
  Vector3 force = Vector3::Zero();                      ///< N, on each vertex
  double from = 0.0;                                    ///< s
  double to = std::numeric_limits<double>::infinity();  ///< s
};

/// A force on the whole body in proportion to its mass, as gravity is, constant while it lasts.
struct AccelerationLoad {
  Vector3 acceleration = Vector3::Zero();               ///< m/s^2
  double from = 0.0;                                    ///< s
  double to = std::numeric_limits<double>::infinity();  ///< s
};

struct SceneBody {
  std::string name;  ///< for messages and output files
  VolumeMesh mesh;
  SurfaceMesh render;  ///< drawn in place of the mesh, and moved by it; without triangles: none
  std::vector<Vector3> render_colors;  ///< sRGB, one per part of `render`; empty: chosen when drawn
  std::vector<Material> materials;     ///< one per region
  VertexSelection fixed;
  bool fixed_stated = false;  ///< a reduced model must then have been made with just these
  std::vector<PointLoad> loads;
  std::vector<AccelerationLoad> accelerations;
  RayleighDamping damping;
  MassKind mass = MassKind::consistent;
  Vector3 velocity = Vector3::Zero();          ///< of the whole body at the start, m/s
  Vector3 angular_velocity = Vector3::Zero();  ///< about its centre of mass at the start, rad/s

  // All orders but the full one. `mesh`, `materials`, `render` and `render_colors` then are those of the
  // model, or what it is made from.
  std::shared_ptr<const ReducedModel> model;  ///< none: made from the mesh, as `reduction` says
  ReduceOptions reduction;
  int rank =
      0;  ///< coordinates in use, or natural modes where they are warped or linear; 0: all that the model has

  // The orders warped and linear in motion, the orders full and online where they are quasistatic; `support`
  // also of the order domains.
  std::vector<BodyConstraint> constraints;
  ConstraintPriority constraint_priority = ConstraintPriority::position;
  PoseFunction
      support;  ///< from time 0 on, of the frame that fixed vertices are attached to; none: the world
  bool coriolis = false;  ///< order warped only: forces of the turning of the local frames
  Skeleton skin;          ///< quasistatic only, the orders full and online; without bones: none

  // Order domains only. `mesh`, `render` and `render_colors` are those of the whole, in the order of its
  // domains.
  std::shared_ptr<const Model> tree;  ///< none: made from `parts`, `model` or the mesh
  PartTree parts;                     ///< without placements: none
  DomainSettings domains;
  Wind wind;

  /// Regions of the mesh, or of a reduced model that was kept without its mesh.
  [[nodiscard]] std::vector<Region> regions() const;
};

/// How a body is computed.
enum class ModelOrder {
  full,     ///< with every vertex of its mesh
  reduced,  ///< in the subspace of a reduced model
  warped,  ///< by the natural modes of such a subspace, which are warped                     [Choi & Ko 2005]
  linear,  ///< by these modes as they are: linear modal analysis, for small displacements
  /// With every vertex, and in a subspace learned from that wherever it will do [Kim & James 2009]
  online,
  /// as a tree of domains, each in a subspace of its own [Barbic & Zhao 2011]
  domains,
};

/// Its word in scene files.
std::string_view order_name(ModelOrder order);

/// Whether bodies are computed by natural modes.
constexpr bool is_modal(ModelOrder order) {
  return order == ModelOrder::warped || order == ModelOrder::linear;
}

/// Whether bodies are computed with their mesh, at least at times: without a reduced model.
constexpr bool uses_mesh(ModelOrder order) {
  return order == ModelOrder::full || order == ModelOrder::online;
}

enum class SimulationType {
  statics,      ///< one equilibrium
  dynamics,     ///< motion with inertia
  quasistatic,  ///< equilibrium at each time, under the loads and the prescribed motion of then
};

struct SolverSettings {
  SimulationType type = SimulationType::statics;
  ModelOrder order = ModelOrder::full;
  double timestep = 0.0;  ///< s; dynamics and quasistatic
  int steps = 0;          ///< the same
  Integrator integrator = Integrator::newmark;
  ModalIntegrator modal_integrator = ModalIntegrator::newmark;  ///< of the orders warped and linear
  NewmarkOptions newmark{};
  StaticOptions statics{};
  int reduced_static_iterations = 50;  ///< at most, of the orders reduced and warped
  OnlineSettings online{};             ///< order online only
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
  std::filesystem::path timeline;       ///< .svg or .png of what each step was; order online only
  double animation_tolerance =
      1e-4;  ///< of a warped motion: largest error of a vertex, as a share of the body's size
  PictureOf picture_of = PictureOf::displacement;
  int every = 1;  ///< each n-th step goes into the series and the animation
};

/// Everything that a simulation is made of. Constant while it runs.
struct Scene {
  std::vector<SceneBody> bodies;
  Vector3 gravity = Vector3::Zero();  ///< m/s^2
  SolverSettings solver;
  OutputSettings output;
  std::vector<std::filesystem::path> inputs;  ///< files that it was read from, which no output may replace
};

struct SceneState {
  std::vector<std::unique_ptr<BodySimulation>> bodies;  ///< in the order of the scene's
  int step = 0;
  double time = 0.0;  ///< s
};

/// Builds the models and the start state. Throws Error for whatever makes the scene impossible: nothing is
/// held, a selection that chooses nothing, a time step too long for central differences.
SceneState make_state(const Scene& scene, const Progress& progress = {});

/// Of all bodies together: elastic, and in dynamics kinetic, J.
double energy(const SceneState& state);

/// Steps that the scene asks for: 1 in statics.
int step_count(const Scene& scene);

/// Statics: solves for equilibrium. Otherwise: advances by one time step. On failure the state stays where it
/// was.
StepReport step(const Scene& scene, SceneState& state, const Progress& progress = {});

}  // namespace limber
