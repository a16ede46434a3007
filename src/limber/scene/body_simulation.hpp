#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/linalg/types.hpp"

#include <memory>

namespace limber {

inline constexpr int max_step_halvings =
    6;  ///< of a body that halves its steps itself; as for the full model

struct Scene;
struct SceneBody;
struct ReducedModel;
class TreeDynamics;

/// What one step did, of one body or summed over several.
struct [[nodiscard]] StepReport : SolveReport {
  double smallest_volume_ratio = 1.0;  ///< statics: at most 0 where an element ended up inverted
  int load_steps = 0;                  ///< statics
  int rescued_steps = 0;               ///< how many were rescued (integrators/energy_guard.hpp)
};

/// The moving part of one body. The order of its model decides how it is computed.
class BodySimulation {
 public:
  virtual ~BodySimulation() = default;

  /// Solves for equilibrium.
  virtual StepReport solve(const Progress& progress) = 0;
  /// Advances by one time step.
  virtual StepReport advance(double timestep) = 0;

  /// Remembers the state, and goes back to it: a step counts only if it succeeds for all bodies.
  virtual void remember() = 0;
  virtual void go_back() = 0;

  /// Writes the state, and takes it back in a simulation made from the same scene: it then goes on with the
  /// same bits.
  virtual void save(StateWriter& out) const = 0;
  virtual void restore(StateReader& in) = 0;

  [[nodiscard]] virtual Index unknowns() const = 0;
  [[nodiscard]] virtual double mass() const = 0;    ///< kg
  [[nodiscard]] virtual double energy() const = 0;  ///< elastic, and in dynamics kinetic, J; may cost a step
  [[nodiscard]] virtual const Executor& executor() const = 0;

  /// Displacements of the vertices of the body's mesh, 3 x n, m; no columns for a reduced model without its
  /// mesh.
  [[nodiscard]] virtual Matrix3X displacement() const = 0;
  /// Displacements of the vertices of the body's surface to draw, 3 x n, m; no columns where it has none.
  [[nodiscard]] virtual Matrix3X surface_displacement() const = 0;
  /// Smallest det F over the body; at most 0 where an element is inverted. NaN where that is not known.
  [[nodiscard]] virtual double smallest_volume_ratio() const = 0;
  /// The model in whose subspace it moves; nullptr for a full body.
  [[nodiscard]] virtual const ReducedModel* reduced_model() const { return nullptr; }
  /// The motion of its tree of domains; nullptr for any other body.
  [[nodiscard]] virtual const TreeDynamics* tree_dynamics() const { return nullptr; }
};

/// The simulation that a scene asks for. Throws Error for whatever makes it impossible.
std::unique_ptr<BodySimulation> make_simulation(const Scene& scene, const SceneBody& body,
                                                const Executor& executor, const Progress& progress = {});

}  // namespace limber
