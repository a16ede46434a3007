#include "limber/base/error.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/reduced/reduced_dynamics.hpp"
#include "limber/scene/body_held.hpp"
#include "limber/scene/body_model.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/drive.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/scene.hpp"
#include "limber/scene/support.hpp"

#include <utility>

namespace limber {
namespace {

bool is_dynamic(const Scene& scene) { return scene.solver.type == SimulationType::dynamics; }
bool is_static(const Scene& scene) { return scene.solver.type == SimulationType::statics; }

bool starts_moving(const SceneBody& body) {
  return !body.velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0);
}

bool has_wind(const SceneBody& body) { return !(body.wind == Wind{}); }

// What a scene may ask for is checked before anything is computed, as far as it is known then.

void check_domains(const SceneBody& body) {
  const bool in_parts = !body.parts.placements.empty() || (body.model && body.model->domain_count() > 1);
  if (in_parts || (body.is_tree() && !uses_mesh(body.method)))
    require_ability(body.method, Ability::several_domains, body.name);
  require(body.rank == 0 || uses_mesh(body.method) || !body.is_tree(),
          "{}: 'rank' is that of one subspace; give 'domains' with a 'rank' instead", body.name);
}

/// frames: whether it has domains in frames of their own.
void check_integrator(const Scene& scene, const SceneBody& body, bool frames) {
  if (!is_dynamic(scene) || scene.solver.integrator == Integrator::newmark) return;
  require(body.constraints.empty(),
          "{}: central differences do not take 'constraints', which are stiffer than they bear; set "
          "solver.integrator to 'newmark'",
          body.name);
  require_ability(body.method, Ability::central_differences, body.name);
  if (touches(scene, body))
    require_ability(body.method, Ability::central_differences, Circumstance::touching, body.name);
  if (frames) require_ability(body.method, Ability::central_differences, Circumstance::framed, body.name);
}

/// What acts on the body beside its loads.
void check_surroundings(const Scene& scene, const SceneBody& body) {
  const bool windy = has_wind(body);
  require(!windy || is_dynamic(scene), "{}: 'wind' needs a dynamic solver; set solver.type to 'dynamic'",
          body.name);
  require(!is_static(scene) || (body.constraints.empty() && !body.support),
          "{}: 'constraints' and 'support' need a dynamic solver; set solver.type to 'dynamic'", body.name);
  require(is_dynamic(scene) || !touches(scene, body),
          "{}: 'contact' needs a dynamic solver; set solver.type to 'dynamic'", body.name);
  require(scene.solver.type == SimulationType::quasistatic || body.skin.empty(),
          "{}: 'skin' needs the solver.type 'quasistatic'", body.name);
}

void check_possible(const Scene& scene, const SceneBody& body) {
  if (scene.solver.type == SimulationType::quasistatic)
    require_ability(body.method, Ability::quasistatics, body.name);
  // It would be the full body under another name: a key that changes nothing.
  require(
      !is_static(scene) || body.method != Method::online,
      "{}: the method 'online' learns from steps, but a static solution is one solve; take 'full', or the "
      "solver.type 'dynamic' or 'quasistatic'",
      body.name);
  if (touches(scene, body)) require_ability(body.method, Ability::contact, body.name);
  check_domains(body);
  check_surroundings(scene, body);
  check_integrator(scene, body, body.is_tree() && !uses_mesh(body.method));
}

/// Throws Error for a time step that central differences cannot take: not below the critical one, s.
void check_explicit_timestep(const Scene& scene, const SceneBody& body, double critical) {
  require(scene.solver.timestep < critical,
          "solver.timestep is {} s, but central differences are stable only below {:.3g} s for {}; use that "
          "or the integrator 'newmark'",
          scene.solver.timestep, critical, body.name);
}

bool steps_explicitly(const Scene& scene) {
  return is_dynamic(scene) && scene.solver.integrator == Integrator::central_differences;
}

// Bodies that are computed with their mesh.

MeshBodySetup mesh_setup(const Scene& scene, const SceneBody& body, const Executor& executor) {
  const SolverSettings& solver = scene.solver;
  MeshBodySetup setup;
  setup.name = body.name;
  setup.mesh = body.mesh;
  setup.surface = body.render;
  setup.colors = body.render_colors;
  setup.materials = body.materials;
  setup.mass = body.mass;
  setup.damping = body.damping;
  setup.solver = solver.linear_solver;
  setup.statics = solver.statics;
  setup.statics.solver = solver.linear_solver;
  setup.executor = executor;
  setup.quasistatic = solver.type == SimulationType::quasistatic;
  if (setup.quasistatic) {
    setup.statics.load_steps = 0;
    setup.fixed = held_vertices(body);
    const auto drive = std::make_shared<const Drive>(body);
    if (drive->moves()) setup.maps = [drive](double t) { return drive->maps(t); };
  } else {
    setup.fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
  }
  return setup;
}

Body make_mesh_body(const Scene& scene, const SceneBody& body, const Executor& executor) {
  const SolverSettings& solver = scene.solver;
  MeshBodySetup setup = mesh_setup(scene, body, executor);
  check_held(scene, body, setup.fixed);
  if (steps_explicitly(scene)) {
    const FullModel model(setup.mesh, setup.materials, setup.fixed, {setup.mass, executor});
    check_explicit_timestep(scene, body, critical_timestep(model, body.damping));
  }
  Body made = body.method == Method::online
                  ? make_online_body(std::move(setup), solver.online, solver.timestep * solver.steps)
                  : make_full_body(std::move(setup));
  made.set_coupled(touches(scene, body));
  if (is_dynamic(scene) && starts_moving(body)) made.set_velocity(body.velocity, body.angular_velocity);
  if (has_wind(body)) made.set_wind(body.wind);
  return made;
}

// Bodies with a reduced model.

/// Of a body whose model has one domain.
void set_single(const SceneBody& body, Body& made) {
  const Model& model = made.model();
  const Index part = model.domains.front().part;
  const ReducedModel& reduced = model.part(0).model;
  if (body.model) {
    const std::vector<Material> materials = edited_materials(body, reduced);
    for (std::size_t r = 0; r < materials.size(); ++r)
      made.set_material(static_cast<Index>(r), materials[r], part);
  }
  require(body.rank <= reduced.rank, "{}: rank {} asked for, the reduced model has {}", body.name, body.rank,
          reduced.rank);
  if (body.rank > 0 && body.method == Method::reduced) made.set_rank(body.rank, part);
}

/// The domains that a name stands for; of one domain also that of the body.
std::vector<Index> named_domains(const SceneBody& body, const Model& model, const std::string& name) {
  if (model.domain_count() == 1 && name == body.name) return {0};
  return find_domains(model, name, body.name + ": domains.stiffness");
}

void set_domains(const SceneBody& body, Body& made) {
  if (!body.domains) return;
  made.set_inertia(body.domains->inertia);
  for (const auto& [name, factor] : body.domains->stiffness) {
    for (const Index d : named_domains(body, made.model(), name))
      made.set_stiffness(d, factor * made.stiffness(d));
  }
}

/// The whole moves as one rigid body at first.
void start_flight(const SceneBody& body, Body& made) {
  if (!starts_moving(body)) return;
  require(made.model().free,
          "{}: it is held, so that it cannot start with a velocity; leave out 'velocity' and "
          "'angular_velocity', or let it go",
          body.name);
  made.set_velocity(body.velocity, body.angular_velocity);
}

/// What steps of a body with frames do not take. Statics of one has none of it.
void check_steps_with_frames(const Scene& scene, const SceneBody& body) {
  if (!is_dynamic(scene)) return;
  const auto require_with_frames = [&](Ability ability) {
    require_ability(body.method, ability, Circumstance::framed, body.name);
  };
  if (scene.solver.linear_solver == SparseSolverKind::conjugate_gradient)
    require_with_frames(Ability::conjugate_gradients);
  if (body.method == Method::linear && scene.solver.modal_integrator != ModalIntegrator::newmark)
    require_with_frames(Ability::modal_integrators);
}

void check_explicit_steps(const Scene& scene, const SceneBody& body, const Body& made) {
  if (made.tree() != nullptr) check_steps_with_frames(scene, body);
  check_integrator(scene, body, made.tree() != nullptr);
  if (!steps_explicitly(scene)) return;
  const Index part = made.model().domains.front().part;
  const ReducedModel& reduced = made.model().part(0).model;
  std::vector<Material> materials;
  for (std::size_t r = 0; r < reduced.regions.size(); ++r)
    materials.push_back(made.material(static_cast<Index>(r), part));
  check_explicit_timestep(
      scene, body, critical_timestep(make_equations(reduced, materials, made.rank(part)), body.damping));
}

Body make_reduced_body(const Scene& scene, const SceneBody& body, const Executor& executor,
                       const Progress& progress) {
  Body made(find_model(scene, body, executor, progress));
  const bool single = made.model().domain_count() == 1;
  if (single) set_single(body, made);
  made.set_method(body.method);
  if (single && body.method != Method::reduced)
    made.set_modal_settings({scene.solver.modal_integrator,
                             body.method == Method::linear && touches(scene, body) ? 0 : body.rank,
                             body.coriolis && body.method == Method::warped});
  set_domains(body, made);
  made.set_coupled(touches(scene, body));
  made.set_damping(body.damping);
  if (is_dynamic(scene)) start_flight(body, made);
  if (has_wind(body)) made.set_wind(body.wind);
  // With frames there are no natural modes to choose from.
  if (single && body.rank > 0 && body.method == Method::linear && made.tree() != nullptr)
    made.set_rank(body.rank, made.model().domains.front().part);
  return made;
}

void set_loads(const Scene& scene, const SceneBody& body, Body& made) {
  const BodyPoints points = points_of(body, made);
  std::vector<char> fixed = fixed_points(body, points, made);
  if (scene.solver.type == SimulationType::quasistatic) {
    for (const int v : held_vertices(body)) fixed[static_cast<std::size_t>(v)] = 1;
  }
  made.set_timed_loads(timed_loads(body, points, fixed));
  if (!body.surface_loads.empty()) made.set_surface_loads(surface_loads(body, made));
}

void set_support(const Scene& scene, const SceneBody& body, Body& made) {
  if (!is_dynamic(scene) || !body.support) return;
  if (made.has_model()) {
    require(!made.model().free, "{}: 'support' moves what holds the body, but nothing does; give 'fixed'",
            body.name);
  } else {
    const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
    require(unheld_parts(body.mesh, fixed).empty(),
            "{}: 'support' moves the vertices that are fixed, but they do not hold the body; give 'fixed'",
            body.name);
  }
  check_support(scene, body, made.surface().mesh().vertices);
  if (touches(scene, body))
    require_ability(body.method, Ability::supports, Circumstance::touching, body.name + ": support");
  made.set_support(body.support);
}

/// One linearised step of a body with frames is taken as in real time, unless the scene chose its own.
NewmarkOptions newmark_with_frames(const NewmarkOptions& given) {
  const NewmarkOptions standard;
  const bool chosen = given.beta != standard.beta || given.gamma != standard.gamma || !given.guarded;
  return given.max_iterations == 1 && !chosen ? tree_newmark() : given;
}

}  // namespace

Body make_body(const Scene& scene, const SceneBody& body, const Executor& executor,
               const Progress& progress) {
  check_possible(scene, body);
  Body made = uses_mesh(body.method) ? make_mesh_body(scene, body, executor)
                                     : make_reduced_body(scene, body, executor, progress);
  made.set_gravity(scene.gravity);
  set_loads(scene, body, made);
  set_support(scene, body, made);
  if (made.has_model()) check_explicit_steps(scene, body, made);
  return made;
}

ReducedStepOptions step_options(const SolverSettings& solver, const Body& body) {
  const bool frames = body.tree() != nullptr;
  ReducedStepOptions options;
  options.integrator = solver.integrator;
  options.newmark = frames ? newmark_with_frames(solver.newmark) : solver.newmark;
  if (body.method() == Method::reduced && !frames &&
      solver.linear_solver == SparseSolverKind::conjugate_gradient)
    options.solver = ReducedSolver::conjugate_gradient;
  return options;
}

}  // namespace limber
