#include "limber/io/scene_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/displacement_file.hpp"
#include "limber/io/json_schema.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_domains.hpp"
#include "limber/io/scene_materials.hpp"
#include "limber/io/scene_motion.hpp"
#include "limber/io/scene_parts.hpp"
#include "limber/io/scene_uses.hpp"
#include "limber/io/scene_values.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

// The schema has checked types, ranges and defaults before anything here runs; what is left are the rules
// that tie keys together.

/// Adds a load to those of the body.
void read_load(const json& value, const std::string& where, SceneBody& body) {
  const double from = value["from"].get<double>();
  const double to =
      value.contains("to") ? value["to"].get<double>() : std::numeric_limits<double>::infinity();
  require(to > from, "{}: it ends at {} s, before it starts at {} s", where, to, from);
  const bool force = value.contains("force"), acceleration = value.contains("acceleration");
  require(force || acceleration, "{}: 'force' or 'acceleration' is missing", where);
  require(force != acceleration, "{}: 'force' and 'acceleration' exclude each other: give two loads", where);
  VertexSelection selection = to_selection(value, where);
  if (force) {
    body.loads.push_back({std::move(selection), to_vector(value["force"]), from, to});
    return;
  }
  require(selection.empty(),
          "{}: 'acceleration' acts on the whole body; leave out 'vertices', 'box', 'where' and 'nearest'",
          where);
  body.accelerations.push_back({to_vector(value["acceleration"]), from, to});
}

RayleighDamping to_damping(const json& value) {
  const bool linear = value["kind"] == "linear";
  return {value["mass"].get<double>(), value["stiffness"].get<double>(),
          linear ? RayleighDamping::Stiffness::linear : RayleighDamping::Stiffness::local};
}

BasisSettings to_basis(const json& value, SceneFiles& files, Index vertices) {
  BasisSettings basis;
  basis.kind = value["kind"] == "inertia" ? ModeKind::inertia : ModeKind::modal;
  basis.modes = value["modes"].get<int>();
  basis.order = value["order"].get<int>();
  basis.condense = value["condense"] == "random" ? Condensation::random : Condensation::pca;
  basis.rank = value["rank"].get<int>();
  basis.check = false;  // nobody would see it
  if (value.contains("sketch")) basis.sketch = read_sketch(files.input(value, "sketch"));
  if (value.contains("snapshots"))
    basis.snapshots = read_displacements(files.path(value, "snapshots"), vertices, &files.inputs);
  return basis;
}

/// How the forces of a reduced body are computed.
void to_forces(const json& value, SceneFiles& files, Index vertices, ReduceOptions& reduction) {
  reduction.forces = parse_force_kind(value["kind"].get<std::string>());
  CubatureSettings& cubature = reduction.cubature;
  cubature.error = value["error"].get<double>();
  cubature.source = parse_pose_source(value["poses"].get<std::string>());
  cubature.amplitude = value["amplitude"].get<double>();
  cubature.points = value["points"].get<Index>();
  if (value.contains("training"))
    reduction.training_snapshots = read_displacements(files.path(value, "training"), vertices, &files.inputs);
}

/// Whether all of it is of the law stvk, whose forces are polynomials of the displacements.
bool is_stvk(const SceneBody& body) {
  const auto all_stvk = [](const std::vector<Material>& materials) {
    return std::all_of(materials.begin(), materials.end(),
                       [](const Material& material) { return std::holds_alternative<Stvk>(material.law); });
  };
  return all_stvk(body.materials) && std::all_of(body.parts.parts.begin(), body.parts.parts.end(),
                                                 [&](const Part& part) { return all_stvk(part.materials); });
}

/// Throws Error for keys of training where forces are exact.  stated: the body without the defaults of the
/// schema. orders: that it is computed with; where there are several, forces may be of another kind in some.
void check_training(const json& stated, const SceneBody& body, const std::vector<ModelOrder>& orders,
                    const std::string& where) {
  const ForceKind kind = body.reduction.forces;
  const bool exact = kind == ForceKind::exact || (kind == ForceKind::automatic && is_stvk(body));
  if (!stated.contains("forces") || !exact || orders.size() > 1) return;
  for (const char* key : {"error", "poses", "amplitude", "points", "training"}) {
    if (stated["forces"].contains(key))
      refuse_unused(fmt::format("{}.forces.{}", where, key), "an exact force, which is not trained,");
  }
}

/// Throws Error for keys of a basis that natural modes, which nothing else is mixed with, have no use for.
void check_modal_basis(const json& stated, const std::vector<ModelOrder>& orders, const std::string& where) {
  const bool other = std::find(orders.begin(), orders.end(), ModelOrder::reduced) != orders.end();
  const json basis = stated.value("basis", json::object());
  if (other || basis.contains("sketch") || basis.contains("snapshots")) return;
  for (const char* key : {"rank", "condense"}) {
    if (basis.contains(key))
      refuse_unused(fmt::format("{}.basis.{}", where, key),
                    "a basis of natural modes, whose number is 'modes',");
  }
}

/// Throws Error for a mesh or a model that the other makes useless. with_mesh: whether the mesh is computed
/// with.
void check_one_source(const json& value, const std::vector<ModelOrder>& orders, bool with_mesh,
                      const std::string& where) {
  if (!value.contains("mesh") || !value.contains("model") || orders.size() > 1) return;
  refuse_unused(fmt::format("{}.{}", where, with_mesh ? "model" : "mesh"),
                fmt::format("a body with '{}' in the order '{}'", with_mesh ? "mesh" : "model",
                            order_name(orders.front())));
}

/// Where a body comes from: fills mesh, surface, supports and materials with what that brings.
/// orders: that the body is computed with.
void load_shape(const json& value, SceneFiles& files, const std::string& where, const SolverSettings& solver,
                const std::vector<ModelOrder>& orders, SceneBody& body) {
  require(value.contains("mesh") || value.contains("model"), "{}: 'mesh' or 'model' is missing", where);
  const bool with_mesh = std::any_of(orders.begin(), orders.end(), uses_mesh);
  check_one_source(value, orders, with_mesh, where);
  if (value.contains("mesh")) {
    const std::string mesh = value["mesh"].get<std::string>();
    if (is_builtin(mesh)) {
      BuiltinBody builtin = make_builtin(mesh, Executor(solver.threads));
      body.mesh = std::move(builtin.mesh);
      body.render = std::move(builtin.render);
      body.render_colors = std::move(builtin.part_colors);
      body.fixed.vertices = std::move(builtin.fixed);
      body.materials = std::move(builtin.materials);
    } else {
      body.mesh = read_mesh(files.path(value, "mesh"), &files.inputs);
    }
  }
  if (!value.contains("model")) return;
  const std::filesystem::path path = files.input(value, "model");
  const std::string content = read_file(path);
  const auto model = std::make_shared<const Model>(parse_model(content, path.string()));
  require(model->domain_count() == 1, "{}.model: it is a tree of domains; set solver.order to 'domains'",
          where);
  body.model = std::shared_ptr<const ReducedModel>(model, &model->parts.front().model);
  if (value.contains("mesh") && with_mesh) return;
  body.render = body.model->surface.mesh;
  body.render_colors = body.model->surface.colors;
  body.materials = body.model->materials();
  require(body.model->simulation || !with_mesh,
          "{}.model: it was kept without its mesh; give 'mesh' too for the orders 'full' and 'online'",
          where);
  body.mesh = {};
  body.fixed = {};
  if (body.model->simulation) {
    body.mesh = body.model->simulation->mesh;
    body.fixed.vertices = body.model->simulation->fixed;
  }
}

/// The same for a body of any order. Returns whether it is a tree, whose parts bring all that.
bool load_any_shape(const json& value, const json& stated, SceneFiles& files, const std::string& where,
                    const SolverSettings& solver, const std::vector<ModelOrder>& orders, SceneBody& body) {
  check_domain_keys(stated, solver, where);
  if (solver.order == ModelOrder::domains && load_tree(value, stated, files, where, solver, body))
    return true;
  load_shape(value, files, where, solver, orders, body);
  return false;
}

/// stated: the body without the defaults of the schema.  orders: that it is computed with.
SceneBody to_body(const json& value, const json& stated, std::size_t number, SceneFiles& files,
                  const std::string& where, const SolverSettings& solver,
                  const std::vector<ModelOrder>& orders, FollowedAnimations& animations) {
  SceneBody body;
  body.name = value["name"].get<std::string>();
  if (body.name.empty()) body.name = fmt::format("body{}", number);
  const bool tree = load_any_shape(value, stated, files, where, solver, orders, body);
  if (value.contains("render")) {
    body.render = read_surface(files.path(value, "render"), {}, &files.inputs);
    body.render_colors.clear();
  }
  if (!tree) body.materials = to_materials(value, body.regions(), body.materials, where);
  read_domains(value, stated, where, body);
  body.reduction.basis = to_basis(value["basis"], files, body.mesh.vertex_count());
  to_forces(value["forces"], files, body.mesh.vertex_count(), body.reduction);
  check_training(stated, body, orders, where);
  check_modal_basis(stated, orders, where);
  body.rank = value["rank"].get<int>();
  if (value.contains("fixed") && !tree) {
    body.fixed_stated = true;
    const bool none = value["fixed"].is_string();
    body.fixed = none ? VertexSelection{} : to_selection(value["fixed"], where + ".fixed");
  }
  for (std::size_t i = 0; i < value["loads"].size(); ++i) {
    read_load(value["loads"][i], fmt::format("{}.loads[{}]", where, i), body);
  }
  read_motion(value, files, where, animations, body);
  body.damping = to_damping(value["damping"]);
  body.mass = value["mass"] == "lumped" ? MassKind::lumped : MassKind::consistent;
  body.velocity = to_vector(value["velocity"]);
  body.angular_velocity = to_vector(value["angular_velocity"]);
  return body;
}

ModelOrder to_order(const std::string& word) {
  if (word == "reduced") return ModelOrder::reduced;
  if (word == "warped") return ModelOrder::warped;
  if (word == "online") return ModelOrder::online;
  if (word == "domains") return ModelOrder::domains;
  return word == "linear" ? ModelOrder::linear : ModelOrder::full;
}

/// After the order.
void to_integrator(const std::string& word, std::string_view where, SolverSettings& solver) {
  if (!is_modal(solver.order)) {
    require(word == "newmark" || word == "central-differences",
            "{}: solver.integrator is '{}', which steps single modes; take 'newmark' or "
            "'central-differences', or the solver.order 'warped' or 'linear'",
            where, word);
    solver.integrator = word == "newmark" ? Integrator::newmark : Integrator::central_differences;
    return;
  }
  require(word != "central-differences",
          "{}: solver.integrator is 'central-differences', but the orders 'warped' and 'linear' take "
          "'newmark', 'semi-implicit' or 'exact'",
          where);
  solver.modal_integrator = word == "exact"           ? ModalIntegrator::exact
                            : word == "semi-implicit" ? ModalIntegrator::semi_implicit
                                                      : ModalIntegrator::newmark;
}

OnlineSettings to_online(const json& value) {
  OnlineSettings online;
  online.error = value["error"].get<double>();
  online.throttle = value["throttle"].get<double>();
  online.max_rank = value["max_rank"].get<Index>();
  if (value.contains("error_threshold")) online.error_threshold = value["error_threshold"].get<double>();
  if (value.contains("discard_threshold"))
    online.discard_threshold = value["discard_threshold"].get<double>();
  online.cubature_error = value["cubature_error"].get<double>();
  online.seed = value["seed"].get<std::uint64_t>();
  return online;
}

SolverSettings to_solver(const json& value, std::string_view where) {
  SolverSettings solver;
  const std::string type = value["type"].get<std::string>();
  solver.type = type == "dynamic"       ? SimulationType::dynamics
                : type == "quasistatic" ? SimulationType::quasistatic
                                        : SimulationType::statics;
  solver.order = to_order(value["order"].get<std::string>());
  require(solver.type != SimulationType::quasistatic || uses_mesh(solver.order),
          "{}: solver.order is '{}', but a quasistatic solver takes 'full' or 'online'", where,
          value["order"].get<std::string>());
  require(solver.type != SimulationType::statics || solver.order != ModelOrder::online,
          "{}: solver.order is 'online', which learns from steps, but a static solution is one solve; take "
          "'full', or the solver.type 'dynamic' or 'quasistatic'",
          where);
  require(solver.order != ModelOrder::domains || solver.type == SimulationType::dynamics,
          "{}: solver.order is 'domains', which computes motions only; set solver.type to 'dynamic'", where);
  if (solver.type != SimulationType::statics) {
    for (const char* key : {"timestep", "steps"}) {
      require(value.contains(key), "{}: solver.{} is missing; a {} solver needs it", where, key, type);
    }
    solver.timestep = value["timestep"].get<double>();
    solver.steps = value["steps"].get<int>();
  }
  solver.newmark.beta = value["beta"].get<double>();
  solver.newmark.gamma = value["gamma"].get<double>();
  to_integrator(value["integrator"].get<std::string>(), where, solver);
  solver.newmark.tolerance = solver.statics.tolerance = value["newton"]["tolerance"].get<double>();
  if (value["newton"].contains("max_iterations"))
    solver.newmark.max_iterations = solver.statics.max_iterations = solver.reduced_static_iterations =
        value["newton"]["max_iterations"].get<int>();
  solver.statics.load_steps = value["load_steps"].get<int>();
  solver.online = to_online(value["online"]);
  solver.linear_solver =
      value["linear_solver"] == "cg" ? SparseSolverKind::conjugate_gradient : SparseSolverKind::cholesky;
  solver.threads = value["threads"].get<int>();
  return solver;
}

OutputSettings to_output(const json& value, const SceneFiles& files, std::string_view where) {
  OutputSettings output;
  output.displacements = files.path(value, "displacements");
  output.vtu = files.path(value, "vtu");
  output.picture = files.path(value, "picture");
  output.animation = files.path(value, "animation");
  output.timeline = files.path(value, "timeline");
  output.animation_tolerance = value["animation_tolerance"].get<double>();
  output.picture_of = value["picture_of"] == "appearance" ? PictureOf::appearance : PictureOf::displacement;
  output.every = value["every"].get<int>();
  if (output.timeline.empty()) return output;
  const std::string ending = output.timeline.extension().string();
  require(ending == ".svg" || ending == ".png",
          "{}: output.timeline is '{}', expected a name that ends in .svg or .png", where,
          value["timeline"].get<std::string>());
  return output;
}

/// The same for keys of key elements in motions of the order online.  stated: the scene without the defaults
/// of the schema.
void check_key_elements(const json& stated, const Scene& scene, std::string_view where) {
  if (scene.solver.type != SimulationType::dynamics ||
      !std::all_of(scene.bodies.begin(), scene.bodies.end(), is_stvk))
    return;
  const json online = stated.value("solver", json::object()).value("online", json::object());
  for (const char* key : {"cubature_error", "seed"}) {
    if (online.contains(key))
      refuse_unused(fmt::format("{}: solver.online.{}", where, key),
                    "the motion of the law stvk, whose forces are exact,");
  }
}

/// Throws Error for other files that limber reads, which people take for scenes.
void check_looks_like_scene(std::string_view content, std::string_view where) {
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || content[first] == '{')
    return;  // the parser says what is wrong with it
  require(!looks_like_model(content),
          "{}: is a reduced model, expected a scene (.json); name it there as 'model'", where);
  require(
      !looks_like_mesh(content),
      "{}: is a mesh, expected a scene (.json); name it there as 'mesh', or reduce it: limber reduce {} -o "
      "MODEL.glb",
      where, where);
  require(!looks_like_surface(content),
          "{}: is a surface, expected a scene (.json); fill it first: limber mesh {} -o MESH", where, where);
}

/// Throws Error for the first key without a use.
void check_keys(json stated, json filled, const SolverSettings& solver, const SceneUse& use,
                std::string_view where) {
  std::vector<std::string> orders;
  for (const ModelOrder order : use.orders) orders.emplace_back(order_name(order));
  if (use.animation && solver.type != SimulationType::statics)
    stated["output"]["animation"] = filled["output"]["animation"] = "";
  check_uses(scene_schema(), stated, filled, orders, where);
}

}  // namespace

Scene parse_scene(std::string_view text, const std::filesystem::path& folder, std::string_view where,
                  const SceneUse& use) {
  const json stated = parse_json(text, where);
  const json value = validate(scene_schema(), stated, where);
  Scene scene;
  scene.gravity = to_vector(value["gravity"]);
  scene.solver = to_solver(value["solver"], where);
  check_keys(stated, value, scene.solver, use, where);
  std::vector<ModelOrder> orders{scene.solver.order};
  orders.insert(orders.end(), use.orders.begin(), use.orders.end());
  SceneFiles files{folder, {}};
  FollowedAnimations animations;
  for (std::size_t i = 0; i < value["bodies"].size(); ++i) {
    scene.bodies.push_back(to_body(value["bodies"][i], stated["bodies"][i], i, files,
                                   fmt::format("{}: bodies[{}]", where, i), scene.solver, orders,
                                   animations));
  }
  check_key_elements(stated, scene, where);
  scene.output = to_output(value["output"], files, where);
  if (scene.solver.order == ModelOrder::domains && scene.bodies.size() == 1 &&
      stated.value("output", json::object()).contains("animation_tolerance"))
    refuse_unused(fmt::format("{}: output.animation_tolerance", where),
                  "the animation of one tree, which is exact,");
  // Each once: what several bodies share, and the model that is looked at for a tree first.
  for (std::filesystem::path& file : files.inputs) {
    if (std::find(scene.inputs.begin(), scene.inputs.end(), file) == scene.inputs.end())
      scene.inputs.push_back(std::move(file));
  }
  return scene;
}

Scene read_scene(const std::filesystem::path& path, const SceneUse& use) {
  const std::string content = read_file(path);
  check_looks_like_scene(content, path.string());
  Scene scene = parse_scene(content, path.parent_path(), path.string(), use);
  scene.inputs.push_back(path);
  return scene;
}

}  // namespace limber
