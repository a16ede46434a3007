#include "limber/scene/scene.hpp"

#include "limber/base/error.hpp"
#include "limber/scene/body_points.hpp"
#include "limber/scene/body_watch.hpp"
#include "limber/scene/handle_schedule.hpp"
#include "limber/scene/placing.hpp"
#include "limber/scene/start_check.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace limber {

bool SceneBody::is_tree() const {
  if (model) return model->domain_count() > 1;
  return domains.has_value() || !parts.placements.empty();
}

std::vector<Region> SceneBody::regions() const {
  if (mesh.element_count() > 0 || !model || model->domain_count() > 1) return mesh.regions;
  std::vector<Region> regions;
  for (const ReducedRegion& region : model->part(0).model.regions) regions.push_back(region.region);
  return regions;
}

Vector3 up_of(const Scene& scene) {
  if (scene.up) return direction_of(*scene.up);
  if (!scene.gravity.isZero(0.0)) return Vector3::Zero() - scene.gravity.normalized();  // without -0
  if (scene.bodies.empty()) return Vector3::UnitZ();
  return direction_of(scene.bodies.front().up);
}

Obstacle make_ground(double height, const Vector3& up, const ContactMaterial& material) {
  Obstacle ground;
  ground.name = "ground";
  ground.shape = HalfSpace{};
  ground.material = material;
  ground.pose.rotation = rotation_between(Vector3::UnitZ(), up);
  ground.pose.position = ground.pose.rotation * (height * Vector3::UnitZ());
  return ground;
}

bool touches(const Scene& scene, const SceneBody& body) {
  if (body.contact) return *body.contact;
  if (scene.obstacles.empty() && scene.rigids.empty()) return false;
  if (body.model) return body.model->free;
  return body.parts.placements.empty() ? body.fixed.empty() : body.parts.free;
}

namespace {

void add_actor(const Scene& scene, const SceneBody& scene_body, Body body, SceneState& state) {
  Actor actor;
  World::Driver driver;
  if (scene.solver.type == SimulationType::dynamics && !scene_body.constraints.empty()) {
    actor.handles = std::make_shared<HandleSchedule>(scene_body, points_of(scene_body, body), body);
    driver = [handles = actor.handles](Body& driven, double h) { handles->prepare(driven, h); };
  }
  actor.watch = std::make_shared<BodyWatch>(body);
  const ReducedStepOptions options = step_options(scene.solver, body);
  actor.body = state.world.add(std::move(body), options, std::move(driver));
  if (touches(scene, scene_body)) state.world.set_contact(actor.body, scene_body.surface);
  state.actors.push_back(std::move(actor));
}

/// The body, which takes its model from one that is made already, where that is like it.
Body make_scene_body(const Scene& scene, std::size_t i, const SceneState& state, const Executor& executor,
                     const Progress& progress) {
  const SceneBody& body = scene.bodies[i];
  const bool shares = body.alike && (body.method == Method::reduced || body.method == Method::linear);
  if (!shares) return make_body(scene, body, executor, progress);
  const std::size_t first = *body.alike;
  require(first < i && state.body(first).has_model(), "{}: body {} has no model that it could share",
          body.name, first);
  SceneBody twin = body;
  const Pose way = body.pose * scene.bodies.at(first).pose.inverse();
  auto own = std::make_shared<Model>(*placed(state.body(first).shared_model(), way, body.name));
  own->name = body.name;  // which messages say
  if (own->parts.size() == 1) own->parts.front().model.name = body.name;
  twin.model = std::move(own);
  return make_body(scene, twin, executor, progress);
}

/// What is wrong with a body, with the place in the scene's file that it comes from.
Error at_body(const Scene& scene, std::size_t i, std::string_view what) {
  if (scene.source.empty()) return Error("{}", what);
  const std::string& name = scene.bodies[i].name;
  if (what.starts_with("solver.")) return Error("{}: {}", scene.source, what);
  if (const std::string start = name + ": "; what.starts_with(start)) what.remove_prefix(start.size());
  return Error("{}: bodies[{}] ('{}'): {}", scene.source, i, name, what);
}

void note_contact(const ContactReport& report, ContactSummary& summary) {
  if (!report.converged) ++summary.unsolved;
  summary.untested = std::max(summary.untested, report.untested);
  summary.deepest = std::max(summary.deepest, report.deepest);
}

const Actor& actor_of(const SceneState& state, std::size_t body) {
  require(body < state.actors.size(), "body {} of a scene with {}", body, state.actors.size());
  return state.actors[body];
}

StepReport solve_statics(const SolverSettings& solver, SceneState& state, const Progress& progress) {
  for (std::size_t i = 0; i < state.body_count(); ++i) state.body(i).remember();
  StepReport total;
  for (std::size_t i = 0; i < state.body_count() && total.ok(); ++i) {
    Body& body = state.body(i);
    const int iterations =
        body.has_model() ? solver.reduced_static_iterations : solver.statics.max_iterations;
    add_report(body.solve_static({solver.statics.tolerance, iterations, progress}), total);
  }
  if (!total.ok()) {
    for (std::size_t i = 0; i < state.body_count(); ++i) state.body(i).go_back();
  }
  return total;
}

/// Room for vertices of the scene's mesh that no domain has, which rest; without those that only domains
/// have, inside of the body.
Matrix3X with_columns(Matrix3X field, Index columns) {
  const Index known = field.cols();
  if (known == 0 || columns == 0) return field;
  if (known >= columns) return field.leftCols(columns);
  field.conservativeResize(3, columns);
  field.rightCols(columns - known).setZero();
  return field;
}

}  // namespace

SceneState make_state(const Scene& scene, const Progress& progress) {
  require(!scene.bodies.empty(), "the scene has no bodies");
  const Executor executor(scene.solver.threads);
  SceneState state;
  state.world.set_executor(executor);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    try {
      add_actor(scene, scene.bodies[i], make_scene_body(scene, i, state, executor, progress), state);
    } catch (const Error& error) {
      throw at_body(scene, i, error.what());
    }
  }
  for (const Obstacle& obstacle : scene.obstacles) state.world.add_obstacle(obstacle);
  for (RigidBodySetup rigid : scene.rigids) {
    rigid.gravity = scene.gravity;
    state.world.add_rigid(RigidBody(std::move(rigid)));
  }
  check_start_places(scene, state);
  return state;
}

int step_count(const Scene& scene) {
  return scene.solver.type == SimulationType::statics ? 1 : scene.solver.steps;
}

StepReport step(const Scene& scene, SceneState& state, const Progress& progress) {
  const bool statics = scene.solver.type == SimulationType::statics;
  const StepReport report =
      statics ? solve_statics(scene.solver, state, progress) : state.world.step(scene.solver.timestep);
  if (!report.ok()) return report;
  ++state.step;
  if (!statics) state.time = state.step * scene.solver.timestep;
  if (!statics) note_contact(state.world.contact_report(), state.contact);
  for (std::size_t i = 0; i < state.body_count(); ++i) {
    const Actor& actor = state.actors[i];
    if (actor.handles) actor.handles->record(state.body(i));
    actor.watch->note(state.body(i), state.step);
  }
  return report;
}

void save(const SceneState& state, std::size_t body, StateWriter& out) {
  const Actor& actor = actor_of(state, body);
  actor.watch->save(out);
  if (actor.handles) actor.handles->save(out);
  state.body(body).save(out);
}

void restore(SceneState& state, std::size_t body, StateReader& in) {
  const Actor& actor = actor_of(state, body);
  actor.watch->restore(in, state.body(body));
  if (actor.handles) actor.handles->restore(in, state.body(body));
  state.body(body).restore(in);
}

void save_world(const SceneState& state, StateWriter& out) {
  state.world.save(out);
  out.write(std::int64_t{state.contact.unsolved});
  out.write(std::int64_t{state.contact.untested});
  out.write(state.contact.deepest);
}

void restore_world(SceneState& state, StateReader& in) {
  state.world.restore(in);
  std::int64_t unsolved = 0, untested = 0;
  double deepest = 0.0;
  in.read(unsolved);
  in.read(untested);
  in.read(deepest);
  const auto counts = [](std::int64_t number) {
    return number >= 0 && number <= std::numeric_limits<int>::max();
  };
  require(counts(unsolved) && counts(untested) && std::isfinite(deepest) && deepest >= 0.0,
          "the state says of contact what cannot be");
  state.contact = {static_cast<int>(unsolved), static_cast<int>(untested), deepest};
}

const std::vector<ConstraintOutcome>& constraint_outcomes(const SceneState& state, std::size_t body) {
  static const std::vector<ConstraintOutcome> none;
  const Actor& actor = actor_of(state, body);
  return actor.handles ? actor.handles->outcomes() : none;
}

Index most_held(const SceneState& state, std::size_t body) {
  const Actor& actor = actor_of(state, body);
  return actor.handles ? actor.handles->most_held() : 0;
}

HandleShare largest_handle_share(const SceneState& state, std::size_t body) {
  const Actor& actor = actor_of(state, body);
  return actor.handles ? actor.handles->largest_share(state.body(body)) : HandleShare{};
}

WarpDistortion largest_distortion(const SceneState& state, std::size_t body) {
  return actor_of(state, body).watch->largest_distortion(state.body(body));
}

LinearReach largest_reach(const SceneState& state, std::size_t body) {
  return actor_of(state, body).watch->largest_reach(state.body(body));
}

double largest_displacement(const SceneState& state, std::size_t body) {
  return actor_of(state, body).watch->largest_displacement(state.body(body));
}

TrainedReach largest_trained_reach(const SceneState& state, std::size_t body) {
  return actor_of(state, body).watch->largest_trained_reach(state.body(body));
}

InterfaceGap largest_gap(const SceneState& state, std::size_t body) {
  return actor_of(state, body).watch->largest_gap();
}

Matrix3X mesh_displacement(const Scene& scene, const SceneState& state, std::size_t body) {
  return with_columns(state.body(body).mesh_displacement(), scene.bodies.at(body).mesh.vertex_count());
}

Index element_count(const Scene& scene, const SceneState& state, std::size_t body) {
  if (!state.body(body).has_model()) return scene.bodies.at(body).mesh.element_count();
  const Model& model = state.body(body).model();
  Index sum = 0;
  for (Index d = 0; d < model.domain_count(); ++d) {
    const std::optional<SimulationMesh>& simulation = model.part(d).model.simulation;
    if (simulation) sum += simulation->mesh.element_count();
  }
  return sum;
}

}  // namespace limber
