#include "apps/limber/compare_motion.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/scene_report.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/linear_modes.hpp"

#include <algorithm>

namespace limber::app {
namespace {

constexpr Index frequency_count = 6;      ///< that are shown
constexpr Index most_coordinates = 2000;  ///< of a tree whose frequencies are found in reasonable time

}  // namespace

ComparedMotion run_motion(const Scene& scene, const std::string& name) {
  ComparedMotion motion{name};
  ProgressBar bar;
  const Timer setup;
  SceneState state = make_state(scene, bar.callback());
  motion.setup_seconds = setup.seconds();
  const Body& body = state.body(0);
  motion.unknowns = body.freedoms();
  motion.fields.push_back(mesh_displacement(scene, state, 0));
  double seconds = 0.0;
  for (int i = 1; i <= scene.solver.steps; ++i) {
    {
      const ScopedTimer timer(seconds);
      const StepReport report = step(scene, state);
      if (!report.ok()) {
        throw Failure(fmt::format(
            "{}: the solve failed after {} steps (t = {:.6g} s): {}; use a shorter solver.timestep", name,
            state.step, state.time, failure_text(report)));
      }
    }
    motion.fields.push_back(mesh_displacement(scene, state, 0));
    bar.show(fmt::format("{}: step {} of {}", name, i, scene.solver.steps),
             static_cast<double>(i) / scene.solver.steps);
  }
  if (const OnlineReport* const online = body.online_report()) motion.unknowns = online->rank;
  if (const TreeDynamics* const tree = body.tree(); tree != nullptr && scene.bodies[0].is_tree()) {
    motion.gap = largest_gap(state, 0);
    if (tree->coordinate_count() <= most_coordinates) {
      const Vector all = tree->natural_frequencies();
      motion.frequencies_hz = all.head(std::min(frequency_count, all.size()));
    }
  }
  motion.seconds_per_step = seconds / scene.solver.steps;
  return motion;
}

Vector full_frequencies(const Scene& scene) {
  const SceneBody& body = scene.bodies[0];
  const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
  const FullModel model(body.mesh, body.materials, fixed, {body.mass, Executor(scene.solver.threads)});
  const Index rigid = fixed.empty() ? 6 : 0;
  const Index count = std::min(frequency_count + rigid, model.dof_count());
  const LinearModes modes = compute_linear_modes(model, count);
  if (!modes.report.ok())
    throw Failure(
        fmt::format("the full model's frequencies were not found: {}", name_of(modes.report.status)));
  return modes.frequencies_hz.tail(count - rigid);
}

}  // namespace limber::app
