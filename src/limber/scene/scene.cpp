#include "limber/scene/scene.hpp"

#include "limber/base/error.hpp"
#include "limber/scene/full_body.hpp"
#include "limber/scene/modal_body.hpp"
#include "limber/scene/online_body.hpp"
#include "limber/scene/reduced_body.hpp"
#include "limber/scene/tree_body.hpp"

#include <algorithm>

namespace limber {

std::string_view order_name(ModelOrder order) {
  switch (order) {
    case ModelOrder::full:
      return "full";
    case ModelOrder::reduced:
      return "reduced";
    case ModelOrder::warped:
      return "warped";
    case ModelOrder::linear:
      return "linear";
    case ModelOrder::online:
      return "online";
    case ModelOrder::domains:
      return "domains";
  }
  return "unknown";
}

std::vector<Region> SceneBody::regions() const {
  if (mesh.element_count() > 0 || !model) return mesh.regions;
  std::vector<Region> regions;
  for (const ReducedRegion& region : model->regions) regions.push_back(region.region);
  return regions;
}

namespace {

/// Throws Error for a body that only the order domains can move, and for what that cannot do.
void check_domains(const SolverSettings& solver, const SceneBody& body) {
  if (solver.order != ModelOrder::domains) {
    require(!body.tree && body.parts.placements.empty(),
            "{}: the body is a tree of parts, which needs the order 'domains'; set solver.order", body.name);
    require(body.wind.velocity.isZero(0.0), "{}: 'wind' needs the order 'domains'; set solver.order",
            body.name);
    return;
  }
  require(solver.type == SimulationType::dynamics,
          "{}: the order 'domains' computes motions only; set solver.type to 'dynamic'", body.name);
  require(solver.integrator == Integrator::newmark,
          "{}: the order 'domains' takes the integrator 'newmark' only", body.name);
}

/// Throws Error for what the order or the type of the scene cannot do with the body.
void check_possible(const SolverSettings& solver, const SceneBody& body) {
  const bool quasistatic = solver.type == SimulationType::quasistatic;
  require(!quasistatic || uses_mesh(solver.order),
          "{}: a quasistatic solver needs the order 'full' or 'online'; set solver.order", body.name);
  require(solver.order != ModelOrder::online || solver.type != SimulationType::statics,
          "{}: the order 'online' learns from steps, and statics is one solve; set solver.order to 'full'",
          body.name);
  check_domains(solver, body);
  require(is_modal(solver.order) || quasistatic || body.constraints.empty(),
          "{}: 'constraints' need the order 'warped' or 'linear', or the solver.type 'quasistatic'",
          body.name);
  require(is_modal(solver.order) || solver.order == ModelOrder::domains || quasistatic || !body.support,
          "{}: 'support' needs the order 'warped', 'linear' or 'domains', or the solver.type 'quasistatic'",
          body.name);
  require(quasistatic || body.skin.empty(), "{}: 'skin' needs the solver.type 'quasistatic'", body.name);
}

}  // namespace

std::unique_ptr<BodySimulation> make_simulation(const Scene& scene, const SceneBody& body,
                                                const Executor& executor, const Progress& progress) {
  const ModelOrder order = scene.solver.order;
  check_possible(scene.solver, body);
  if (is_modal(order)) return std::make_unique<ModalBody>(scene, body, executor, progress);
  if (order == ModelOrder::reduced) return std::make_unique<ReducedBody>(scene, body, executor, progress);
  if (order == ModelOrder::domains) return std::make_unique<TreeBody>(scene, body, executor, progress);
  if (order == ModelOrder::online) return std::make_unique<OnlineBody>(scene, body, executor);
  return std::make_unique<FullBody>(scene, body, executor);
}

SceneState make_state(const Scene& scene, const Progress& progress) {
  require(!scene.bodies.empty(), "the scene has no bodies");
  const Executor executor(scene.solver.threads);
  SceneState state;
  for (const SceneBody& body : scene.bodies) {
    state.bodies.push_back(make_simulation(scene, body, executor, progress));
  }
  return state;
}

double energy(const SceneState& state) {
  double sum = 0.0;
  for (const auto& body : state.bodies) sum += body->energy();
  return sum;
}

int step_count(const Scene& scene) {
  return scene.solver.type == SimulationType::statics ? 1 : scene.solver.steps;
}

StepReport step(const Scene& scene, SceneState& state, const Progress& progress) {
  const bool statics = scene.solver.type == SimulationType::statics;
  for (const auto& body : state.bodies) body->remember();

  StepReport total;
  for (const auto& body : state.bodies) {
    const StepReport one = statics ? body->solve(progress) : body->advance(scene.solver.timestep);
    total.status = one.status;
    total.iterations += one.iterations;
    total.residual = std::max(total.residual, one.residual);
    total.smallest_volume_ratio = std::min(total.smallest_volume_ratio, one.smallest_volume_ratio);
    total.load_steps = std::max(total.load_steps, one.load_steps);
    total.rescued_steps += one.rescued ? 1 : 0;
    if (!total.ok()) break;
  }

  if (total.ok()) {
    ++state.step;
    if (!statics) state.time = state.step * scene.solver.timestep;
  } else {
    for (const auto& body : state.bodies) body->go_back();
  }
  return total;
}

}  // namespace limber
