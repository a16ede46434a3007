#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/scene/selection.hpp"

#include <filesystem>
#include <limits>
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

struct Body {
  std::string name;  ///< for messages and output files
  VolumeMesh mesh;
  SurfaceMesh render;  ///< drawn in place of the mesh, and moved by it; without triangles: none
  std::vector<Vector3> render_colors;  ///< sRGB, one per part of `render`; empty: chosen when drawn
  std::vector<Material> materials;     ///< one per region
  VertexSelection fixed;
  std::vector<PointLoad> loads;
  RayleighDamping damping;
  MassKind mass = MassKind::consistent;
  Vector3 velocity = Vector3::Zero();          ///< of the whole body at the start, m/s
  Vector3 angular_velocity = Vector3::Zero();  ///< about its centre of mass at the start, rad/s
};

enum class SimulationType { statics, dynamics };

struct SolverSettings {
  SimulationType type = SimulationType::statics;
  double timestep = 0.0;  ///< s; dynamics
  int steps = 0;          ///< dynamics
  Integrator integrator = Integrator::newmark;
  NewmarkOptions newmark{};
  StaticOptions statics{};
  SparseSolverKind linear_solver = SparseSolverKind::cholesky;
  int threads = 0;  ///< 0: one per core
};

/// What a picture shows: lengths of displacements as colours, with the rest pose as a ghost, or bodies as they
/// look.
enum class PictureOf { displacement, appearance };

/// What to write, where; empty paths for nothing.
struct OutputSettings {
  std::filesystem::path displacements;  ///< CSV of the last state
  std::filesystem::path vtu;            ///< folder of a series
  std::filesystem::path picture;        ///< PNG of the last state
  PictureOf picture_of = PictureOf::displacement;
  int every = 1;  ///< each n-th step goes into the series
};

/// Everything that a simulation is made of. Constant while it runs.
struct Scene {
  std::vector<Body> bodies;
  Vector3 gravity = Vector3::Zero();  ///< m/s^2
  SolverSettings solver;
  OutputSettings output;
};

/// The moving part of one body.
struct BodyState {
  std::unique_ptr<FullModel> model;
  std::unique_ptr<StaticSolver> statics;   ///< statics only
  std::unique_ptr<FullDynamics> dynamics;  ///< dynamics only
  Vector static_load;                      ///< statics only, N
  Vector u;                                ///< displacement of the unknowns, m

  [[nodiscard]] Matrix3X displacement() const { return model->dofs().expand(u); }  ///< 3 x n
};

struct SceneState {
  std::vector<BodyState> bodies;
  int step = 0;
  double time = 0.0;  ///< s
};

/// What one step did, summed over the bodies.
struct [[nodiscard]] StepReport : SolveReport {
  double energy = 0.0;                 ///< elastic, and in dynamics kinetic, J
  double smallest_volume_ratio = 1.0;  ///< statics: at most 0 where an element ended up inverted
  int load_steps = 0;                  ///< statics
};

/// Builds the models and the start state. Throws Error for whatever makes the scene impossible: nothing is
/// held, a selection that chooses nothing, a time step too long for central differences.
SceneState make_state(const Scene& scene);

/// Steps that the scene asks for: 1 in statics.
int step_count(const Scene& scene);

/// Statics: solves for equilibrium. Dynamics: advances by one time step. On failure the state stays where it
/// was.
StepReport step(const Scene& scene, SceneState& state, const Progress& progress = {});

}  // namespace limber
