#include "limber/io/scene_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/words.hpp"
#include "limber/io/displacement_file.hpp"
#include "limber/io/json_schema.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_contact.hpp"
#include "limber/io/scene_domains.hpp"
#include "limber/io/scene_materials.hpp"
#include "limber/io/scene_motion.hpp"
#include "limber/io/scene_plan.hpp"
#include "limber/io/scene_shape.hpp"
#include "limber/io/scene_uses.hpp"
#include "limber/io/scene_values.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/scene/placing.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

// The schema has checked types, ranges and defaults before anything here runs; what is left are the rules
// that tie keys together.

/// Of what acts on a body. Throws Error for zero, which would do nothing.
Vector3 to_effect(const json& value, const char* key, const std::string& where) {
  const Vector3 effect = to_vector(value[key]);
  require(!effect.isZero(0.0), "{}.{}: it is zero and does nothing; leave it out", where, key);
  return effect;
}

/// What a load of the scene file is: the one of these keys that it has.
std::string load_kind(const json& value, const std::string& where) {
  std::string kind;
  for (const char* key : {"force", "total_force", "acceleration", "pressure", "traction"}) {
    if (!value.contains(key)) continue;
    require(kind.empty(), "{}: '{}' and '{}' exclude each other: give two loads", where, kind, key);
    kind = key;
  }
  require(!kind.empty(), "{}: 'force', 'total_force', 'acceleration', 'pressure' or 'traction' is missing",
          where);
  return kind;
}

/// A pressure or a traction.
SceneSurfaceLoad to_surface_load(const json& value, const std::string& kind, VertexSelection selection,
                                 const std::string& where) {
  require(selection.vertices.empty() && selection.nearest.empty(),
          "{}: '{}' acts on triangles, not on single vertices; choose them by 'box' or 'where'", where, kind);
  SceneSurfaceLoad load;
  load.where = std::move(selection);
  if (kind == "traction") {
    load.traction = to_effect(value, "traction", where);
    return load;
  }
  load.pressure = value["pressure"].get<double>();
  require(load.pressure != 0.0, "{}.pressure: it is zero and does nothing; leave it out", where);
  return load;
}

/// Adds a load to those of the body.
void read_load(const json& value, const SolverSettings& solver, std::size_t number, const std::string& where,
               SceneBody& body) {
  const double from = value["from"].get<double>();
  const double to =
      value.contains("to") ? value["to"].get<double>() : std::numeric_limits<double>::infinity();
  require(to > from, "{}: it ends at {} s, before it starts at {} s", where, to, from);
  check_start(from, solver, where);
  const std::string kind = load_kind(value, where);
  VertexSelection selection = to_selection(value, where);
  if (kind == "force" || kind == "total_force") {
    body.loads.push_back({std::move(selection), to_effect(value, kind.c_str(), where), from, to, number,
                          kind == "total_force"});
    return;
  }
  if (kind != "acceleration") {
    SceneSurfaceLoad& load =
        body.surface_loads.emplace_back(to_surface_load(value, kind, std::move(selection), where));
    load.from = from;
    load.to = to;
    load.number = number;
    return;
  }
  require(selection.empty(),
          "{}: 'acceleration' acts on the whole body; leave out 'vertices', 'box', 'where' and 'nearest'",
          where);
  body.accelerations.push_back({to_effect(value, "acceleration", where), from, to});
}

RayleighDamping to_damping(const json& value) {
  const bool linear = value["kind"] == "linear";
  return {value["mass"].get<double>(), value["stiffness"].get<double>(),
          linear ? RayleighDamping::Stiffness::linear : RayleighDamping::Stiffness::local};
}

BasisSettings to_basis(const json& value, SceneFiles& files, const VolumeMesh& mesh,
                       const std::string& where) {
  BasisSettings basis;
  basis.kind = parse_word<ModeKind>(value["kind"].get<std::string>(), mode_kind_words, "unknown kind");
  basis.modes = value["modes"].get<int>();
  basis.order = value["derivatives"].get<int>();
  basis.condense =
      parse_word<Condensation>(value["condense"].get<std::string>(), condensation_words, "unknown way");
  basis.rank = value["rank"].get<int>();
  basis.contact = value["contact"].get<int>();
  require(basis.contact < basis.rank,
          "{}.basis.contact is {} of a 'rank' of {}, expected less: the other coordinates hold the motion",
          where, basis.contact, basis.rank);
  if (value.contains("contact_where")) {
    if (basis.contact == 0) refuse_unused(where + ".basis.contact_where", "a basis without 'contact'");
    basis.contact_vertices = select_vertices(mesh, {.where = value["contact_where"].get<std::string>()},
                                             where + ".basis.contact_where");
  }
  basis.check = false;  // nobody would see it
  if (value.contains("sketch"))
    basis.sketch =
        read_at(where + ".basis.sketch", [&] { return read_sketch(files.input(value, "sketch")); });
  if (value.contains("snapshots"))
    basis.snapshots = read_at(where + ".basis.snapshots", [&] {
      return read_displacements(files.path(value, "snapshots"), mesh.vertex_count(), &files.inputs);
    });
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
/// schema. Where it is run in several ways, forces may be of another kind in some.
void check_training(const json& stated, const SceneBody& body, const ScenePlan& plan,
                    const std::string& where) {
  const ForceKind kind = body.reduction.forces;
  const bool exact = kind == ForceKind::exact || (kind == ForceKind::automatic && is_stvk(body));
  if (!stated.contains("forces") || !exact || plan.ways.size() > 1) return;
  for (const char* key : {"error", "poses", "amplitude", "points", "training"}) {
    if (stated["forces"].contains(key))
      refuse_unused(fmt::format("{}.forces.{}", where, key), "an exact force, which is not trained,");
  }
}

/// Throws Error for files of displacements of a body that is turned: they would not be.
void check_turned(const json& stated, const SceneBody& body, const std::string& where) {
  if (body.pose.rotation.vec().isZero(0.0)) return;
  for (const auto& [object, key] : {std::pair("basis", "snapshots"), std::pair("forces", "training")})
    require(!stated.value(object, json::object()).contains(key),
            "{}.{}.{}: it is of the body as its file has it, which 'rotation' turns; leave one of them out",
            where, object, key);
}

/// Throws Error for keys of a basis that natural modes, which nothing else is mixed with, have no use for.
void check_modal_basis(const json& stated, const ScenePlan& plan, const std::string& where) {
  const json basis = stated.value("basis", json::object());
  if (plan.runs_by(Method::reduced) || basis.contains("sketch") || basis.contains("snapshots")) return;
  for (const char* key : {"rank", "condense"}) {
    if (basis.contains(key))
      refuse_unused(fmt::format("{}.basis.{}", where, key),
                    "a basis of natural modes, whose number is 'modes',");
  }
}

Wind to_wind(const json& value, const std::string& where) {
  return {to_effect(value, "velocity", where), value["gusts"].get<double>(), value["drag"].get<double>(),
          value["density"].get<double>()};
}

/// What holds a body, and what acts on it.
/// up: of the scene.
void read_loads(const json& value, const SolverSettings& solver, SceneFiles& files, const std::string& where,
                FollowedAnimations& animations, const Vector3& up, SceneBody& body) {
  for (std::size_t i = 0; i < value["loads"].size(); ++i) {
    read_load(value["loads"][i], solver, i, fmt::format("{}.loads[{}]", where, i), body);
  }
  read_motion(value, solver, files, where, animations, up, body);
  if (value.contains("wind")) body.wind = to_wind(value["wind"], where + ".wind");
  body.damping = to_damping(value["damping"]);
  body.velocity = to_vector(value["velocity"]);
  body.angular_velocity = to_vector(value["angular_velocity"]);
}

/// Which way is up in a scene, and what follows from that.
struct Standing {
  Vector3 up = Vector3::UnitZ();
  UpAxis axis = UpAxis::z;            ///< nearest to it, by which sides go
  Vector3 gravity = Vector3::Zero();  ///< m/s^2
};

/// What holds a body: vertices, nothing, or one of its sides, where it stands in the scene.
VertexSelection to_fixed_or_side(const json& value, const std::string& where, const Standing& standing) {
  if (!value.is_string()) return to_fixed(value, where, "let it go by 'none'");
  const auto word = value.get<std::string>();
  if (word == "none") return {};
  VertexSelection selection;
  selection.sides.push_back(parse_word<BodySide>(word, body_side_words, where));
  selection.up = standing.axis;
  require(
      standing.up.dot(direction_of(standing.axis)) > 0.0,
      "{}: gravity says that up is along ({}, {}, {}), where sides are not told; give 'up', or vertices by "
      "'where'",
      where, standing.up.x(), standing.up.y(), standing.up.z());
  return selection;
}

/// stated: the body without the defaults of the schema.
SceneBody to_body(const json& value, const json& stated, std::size_t number, SceneFiles& files,
                  const std::string& where, const ScenePlan& plan, const SolverSettings& solver,
                  FollowedAnimations& animations, const Standing& standing) {
  SceneBody body;
  body.name = value["name"].get<std::string>();
  if (body.name.empty()) body.name = fmt::format("body{}", number);
  body.method = plan.method;
  const bool of_parts = load_shape(value, stated, files, where, plan, solver.threads, body);
  body.up = body.parts.up = standing.axis;
  if (value.contains("render")) {
    body.render = read_surface_at(value, "render", files, where);
    body.render.vertices *= unit_of(value);
    body.render_colors.clear();
    place(body.pose, body.render);
  }
  check_turned(stated, body, where);
  if (!of_parts) body.materials = to_materials(value, body.regions(), body.materials, where);
  read_domains(value, stated, where, plan, body);
  body.reduction.basis = to_basis(value["basis"], files, body.mesh, where);
  place(body.pose, body.reduction.basis.sketch);
  to_forces(value["forces"], files, body.mesh.vertex_count(), body.reduction);
  check_training(stated, body, plan, where);
  check_modal_basis(stated, plan, where);
  body.rank = value["rank"].get<int>();
  body.mass = value["mass"] == "lumped" ? MassKind::lumped : MassKind::consistent;
  if (value.contains("fixed") && !of_parts) {
    body.fixed_stated = true;
    body.fixed = to_fixed_or_side(value["fixed"], where + ".fixed", standing);
  }
  read_loads(value, solver, files, where, animations, standing.up, body);
  read_contact(value, body);
  return body;
}

/// Whether two bodies are reduced alike, wherever they stand.  one, other: as the file has them.
bool is_reduced_alike(const json& one, const json& other) {
  constexpr const char* keys[] = {"method", "mesh",   "assembly", "domains",   "basis", "forces", "mass",
                                  "fixed",  "render", "material", "materials", "model", "unit"};
  return std::all_of(std::begin(keys), std::end(keys), [&](const char* key) {
    return one.contains(key) == other.contains(key) && (!one.contains(key) || one[key] == other[key]);
  });
}

/// Says of bodies that are reduced alike which one is the first. Of those that nothing holds: what `where`
/// chooses is chosen where a body stands.
void find_alike(const json& stated, std::vector<SceneBody>& bodies) {
  const auto can_share = [&](std::size_t i) {
    const SceneBody& body = bodies[i];
    const bool held = body.parts.placements.empty() ? !body.fixed.empty() : !body.parts.free;
    return (body.method == Method::reduced || body.method == Method::linear) && !body.model && !held &&
           !stated[i].value("basis", json::object()).contains("contact_where");
  };
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    if (!can_share(i)) continue;
    for (std::size_t k = 0; k < i && !bodies[i].alike; ++k)
      if (can_share(k) && is_reduced_alike(stated[i], stated[k])) bodies[i].alike = k;
  }
}

/// Integrators that a body takes.
std::vector<std::string_view> integrators_of(const RunWay& way) {
  if (way.tree || way.method == Method::online) return {"newmark"};
  if (uses_mesh(way.method) || way.method == Method::reduced) return {"newmark", "central-differences"};
  return {"newmark", "semi-implicit", "exact"};
}

/// Throws Error, naming the first body that does not take it, for an integrator that not all bodies do.
void read_integrator(const std::string& word, const std::vector<ScenePlan>& plans, std::string_view where,
                     SolverSettings& solver) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const RunWay& own = plans[i].ways.front();
    const std::vector<std::string_view> taken = integrators_of(own);
    require(
        std::find(taken.begin(), taken.end(), word) != taken.end(),
        "{}: solver.integrator is '{}', but bodies[{}] moves {} '{}', which takes '{}'; take one that all "
        "bodies do",
        where, word, i, own.tree ? "as a tree of domains by the method" : "by the method",
        name_of(own.method), fmt::join(taken, "', '"));
  }
  if (word == "central-differences") solver.integrator = Integrator::central_differences;
  if (word == "exact") solver.modal_integrator = ModalIntegrator::exact;
  if (word == "semi-implicit") solver.modal_integrator = ModalIntegrator::semi_implicit;
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
  solver.type = parse_word<SimulationType>(type, simulation_type_words, "unknown type");
  if (solver.type != SimulationType::statics) {
    for (const char* key : {"timestep", "steps"}) {
      require(value.contains(key), "{}: solver.{} is missing; a {} solver needs it", where, key, type);
    }
    solver.timestep = value["timestep"].get<double>();
    solver.steps = value["steps"].get<int>();
  }
  solver.newmark.beta = value["beta"].get<double>();
  solver.newmark.gamma = value["gamma"].get<double>();
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

/// Throws Error for keys of key elements where no body that learns in motion has any.  stated: the scene
/// without the defaults of the schema.
void check_key_elements(const json& stated, const Scene& scene, std::string_view where) {
  const auto is_exact = [](const SceneBody& body) { return body.method != Method::online || is_stvk(body); };
  if (scene.solver.type != SimulationType::dynamics ||
      !std::all_of(scene.bodies.begin(), scene.bodies.end(), is_exact))
    return;
  const json online = stated.value("solver", json::object()).value("online", json::object());
  for (const char* key : {"cubature_error", "seed"}) {
    if (online.contains(key))
      refuse_unused(fmt::format("{}: solver.online.{}", where, key),
                    "the motion of the law stvk, whose forces are exact,");
  }
}

/// For a reduced model of what is in a file, beside which it can stand.
std::string name_of_model(const std::filesystem::path& file) {
  return file.stem().string() + (file.extension() == ".glb" ? "_body.glb" : ".glb");
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
  require(
      !looks_like_surface(content),
      "{}: is a surface, expected a scene (.json) or a reduced model (.glb); make it one: limber reduce {} "
      "-o {}; or name it in a scene as 'mesh'",
      where, where, name_of_model(where));
}

/// Throws Error for the first key without a use.
void check_keys(json stated, json filled, const SolverSettings& solver, const std::vector<ScenePlan>& plans,
                const SceneUse& use, std::string_view where) {
  if (use.animation && solver.type != SimulationType::statics)
    stated["output"]["animation"] = filled["output"]["animation"] = "";
  std::vector<std::vector<RunWay>> ways;
  for (const ScenePlan& plan : plans) ways.push_back(plan.ways);
  check_uses(scene_schema(), stated, filled, ways, where);
}

/// Throws Error for the tolerance of an animation that needs none.  stated: the scene without the defaults of
/// the schema.
void check_tolerance(const json& stated, const std::vector<ScenePlan>& plans, std::string_view where) {
  const bool alone = !stated.contains("ground") && !stated.contains("obstacles") && !stated.contains("rigid");
  if (alone && plans.size() == 1 && plans.front().tree &&
      stated.value("output", json::object()).contains("animation_tolerance"))
    refuse_unused(fmt::format("{}: output.animation_tolerance", where),
                  "the animation of one tree, which is exact,");
}

}  // namespace

namespace {

/// The axis nearest to a direction or against it; z of several.
UpAxis nearest_axis(const Vector3& direction) {
  UpAxis nearest = UpAxis::z;
  for (const UpAxis axis : {UpAxis::x, UpAxis::y}) {
    // What a rotation leaves of a tie is rounding.
    if (std::abs(direction.dot(direction_of(axis))) > std::abs(direction.dot(direction_of(nearest))) + 1e-9)
      nearest = axis;
  }
  return nearest;
}

/// The axis by which the body of a plan stands in the scene, as its file says: nearest to that, because who
/// tilts a body does not tilt the ground.
Vector3 up_of_plan(const ScenePlan& plan) {
  return direction_of(nearest_axis(plan.pose.rotation * direction_of(plan.up)));
}

/// A number is gravity downward. See up_of(), which says the same of what is read.
Standing to_standing(const json& value, const std::vector<ScenePlan>& plans, std::optional<UpAxis> stated) {
  Standing standing;
  const json& gravity = value["gravity"];
  const Vector3 along = gravity.is_number() ? Vector3(Vector3::Zero()) : to_vector(gravity);
  standing.up = stated               ? direction_of(*stated)
                : !along.isZero(0.0) ? Vector3(Vector3::Zero() - along.normalized())
                : plans.empty()      ? Vector3(Vector3::UnitZ())
                                     : up_of_plan(plans.front());
  standing.axis = nearest_axis(standing.up);
  standing.gravity =
      gravity.is_number() ? Vector3(Vector3::Zero() - gravity.get<double>() * standing.up) : along;
  return standing;
}

}  // namespace

Scene parse_scene(std::string_view text, const std::filesystem::path& folder, std::string_view where,
                  const SceneUse& use) {
  const json stated = parse_json(text, where);
  const json value = validate(scene_schema(), stated, where);
  Scene scene;
  if (value.contains("up"))
    scene.up = parse_word<UpAxis>(value["up"].get<std::string>(), up_axis_words, "unknown axis");
  scene.source = where;
  scene.solver = to_solver(value["solver"], where);
  SceneFiles files{folder, {}, {}};
  const auto place = [&](std::size_t i) { return fmt::format("{}: bodies[{}]", where, i); };
  std::vector<ScenePlan> plans;
  for (std::size_t i = 0; i < value["bodies"].size(); ++i)
    plans.push_back(plan_body(value["bodies"][i], scene.solver.type, use, files, place(i)));
  check_keys(stated, value, scene.solver, plans, use, where);
  const Standing standing = to_standing(value, plans, scene.up);
  scene.gravity = standing.gravity;
  check_tolerance(stated, plans, where);
  read_integrator(value["solver"]["integrator"].get<std::string>(), plans, where, scene.solver);
  FollowedAnimations animations;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    scene.bodies.push_back(to_body(value["bodies"][i], stated["bodies"][i], i, files, place(i), plans[i],
                                   scene.solver, animations, standing));
  }
  find_alike(stated["bodies"], scene.bodies);
  read_surroundings(value, files, where, scene);
  check_distinct_names(value, scene, where);
  check_contact(stated, scene, where);
  check_key_elements(stated, scene, where);
  scene.output = to_output(value["output"], files, where);
  scene.warnings = std::move(files.warnings);
  // Each once: what several bodies share.
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
