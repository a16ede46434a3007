// Every key of the schema either changes the result of a scene or is refused, in every kind of scene.
//
// The table below has a row for each key of each object of the schema; a key without a row fails. Each row
// says how the key is given, and what a scene needs beside it. It is tried in scenes of all types and of one
// body of each method, as one domain and as a tree of domains.

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/csv.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/json_schema.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <regex>
#include <set>

namespace limber::scene_uses_test {
namespace {

using nlohmann::json;

/// A kind of scene.
struct SceneKind {
  std::string type, method;
  bool tree = false;  ///< whether its body is a tree of domains
};

std::string title_of(const SceneKind& kind) {
  return kind.type + "_" + kind.method + (kind.tree ? "_tree" : "");
}

void PrintTo(const SceneKind& kind, std::ostream* out) { *out << title_of(kind); }

const std::vector<SceneKind>& all_kinds() {
  static const std::vector<SceneKind> kinds{
      {"static", "full"},          {"static", "reduced"},       {"static", "linear"},
      {"static", "warped"},        {"static", "reduced", true}, {"static", "linear", true},
      {"dynamic", "full"},         {"dynamic", "online"},       {"dynamic", "reduced"},
      {"dynamic", "linear"},       {"dynamic", "warped"},       {"dynamic", "reduced", true},
      {"dynamic", "linear", true}, {"quasistatic", "full"},     {"quasistatic", "online"}};
  return kinds;
}

constexpr std::string_view beam = "builtin:beam?size=1,0.2,0.2&cells=4,1,1";

/// What a row shows.
enum class Effect {
  changes,   ///< the result, by more than rounding
  any_bits,  ///< it, if only by rounding: another way to the same result
  nothing,   ///< by design: names and comments
};

struct Row {
  std::string key;   ///< OBJECT.KEY, objects as they are called in the schema
  std::string with;  ///< what the body, or the scene, has beside it; JSON that is merged into it
  std::string given;
  Effect effect = Effect::changes;
  std::string type = "";  ///< of the scenes that it is tried in; empty: all
};

/// Objects of the schema that stand in the scene; all others stand in its body.
bool is_of_scene(const Row& row) {
  return row.key.starts_with("scene.") || row.key.starts_with("solver.") || row.key.starts_with("online.") ||
         row.key.starts_with("newton.");
}

constexpr const char* pull = R"("where": "x > 0.99", "force": [0, 0.02, -0.1])";

/// A finer beam, pushed to and fro often enough to learn from.
constexpr const char* pushes = R"({"solver": {"steps": 24}, "bodies": [{"name": "beam",
    "mesh": "builtin:beam?size=1,0.2,0.2&cells=8,2,2", "material": {"young": 1e5, "poisson": 0.3},
    "fixed": {"where": "x < 0.01"}, "loads": [{"where": "x > 0.99", "force": [0, 1, -2]},
      {"where": "x > 0.99", "force": [0, 0.2, -0.2], "from": 0.06},
      {"where": "x > 0.99", "force": [0, 0.1, -0.1], "from": 0.1},
      {"where": "x > 0.4", "force": [0.1, 0.1, 0], "from": 0.15},
      {"nearest": [0.5, 0.1, 0.1], "force": [0.1, -0.6, 0.3], "from": 0.05},
      {"nearest": [0.75, -0.1, 0.1], "force": [0, 0.4, -0.5], "from": 0.12}]}]})";

/// The same of another law, whose forces need key elements.
const std::string rubber_pushes =
    std::regex_replace(pushes, std::regex(R"("young")"), R"("law": "neo-hookean", "young")");

/// The same with a smaller error, and so a larger basis.
const std::string fine_pushes =
    std::regex_replace(pushes, std::regex(R"("steps": 24)"), R"("steps": 24, "online": {"error": 1e-3})");

/// What takes a model in place of the mesh.
constexpr const char* model_only = R"({"mesh": null, "fixed": null, "model": "model.glb", "domains": null})";

std::string loads(std::string_view load) { return fmt::format(R"({{"loads": [{{{}}}]}})", load); }

/// A constraint that moves the right end.
std::string constraint(std::string_view more) {
  return fmt::format(R"({{"constraints": [{{"where": "x > 0.99", {}}}]}})", more);
}
constexpr const char* lift = R"("keys": [{"time": 0}, {"time": 0.05, "position": [0, 0, 0.02]}])";

std::string skin(std::string_view bone, std::string_view more = R"(, "radius": 0.3)") {
  return fmt::format(R"({{"skin": {{"bones": [{{{}}}]{}}}}})", bone, more);
}
constexpr const char* bone = R"("from": [0, 0, 0], "to": [0.4, 0, 0])";
const std::string two_bones = fmt::format(R"({}}}, {{"from": [0.6, 0, 0], "to": [1, 0, 0], {})", bone, lift);

/// An assembly of two bars.
std::string assembly(std::string_view part, std::string_view second, std::string_view more = "",
                     std::string_view site = R"("where": "x > 0.99")") {
  return fmt::format(
      R"({{"mesh": null, "fixed": null, "loads": [{{"where": "x > 1.1", "force": [0, 0.02, -0.1]}}],
    "domains": {{"from": null, "count": null, "rank": 4}},
    "assembly": {{"parts": {{"bar": {{"mesh": "{}", "fixed": {{"where": "x < 0.01"}}, "sites": {{"end": {{{}}}}}{}}}}},
      "instances": [{{"name": "a", "part": "bar"}},
                    {{"name": "b", "part": "bar", "parent": "a", "site": "end", "position": [1, 0, 0]{}}}]{}}}}})",
      beam, site, part, second, more);
}

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"scene.$schema", "{}", R"({"$schema": "here"})", Effect::nothing},
      {"scene.description", "{}", R"({"description": "text"})", Effect::nothing},
      {"scene.bodies", "{}", "{}", Effect::nothing},  // is in all of them
      {"scene.gravity", "{}", R"({"gravity": [0, 0, -2]})"},
      {"scene.solver", "{}", "{}", Effect::nothing},
      {"scene.output", "{}", "{}", Effect::nothing},

      {"solver.type", "{}", "{}", Effect::nothing},
      {"solver.timestep", pushes, R"({"solver": {"timestep": 0.02}})"},
      {"solver.steps", "{}", R"({"solver": {"steps": 2}})"},
      {"solver.integrator", R"({"solver": {"timestep": 0.002}})",
       R"({"solver": {"integrator": "central-differences"}})"},
      {"solver.integrator", R"({"solver": {"timestep": 0.002}})", R"({"solver": {"integrator": "exact"}})"},
      {"solver.beta", "{}", R"({"solver": {"beta": 0.3}})"},
      {"solver.gamma", "{}", R"({"solver": {"gamma": 0.6}})"},
      {"solver.beta", R"({"solver": {"timestep": 0.002, "integrator": "central-differences"}})",
       R"({"solver": {"beta": 0.3}})"},
      {"solver.newton", "{}", R"({"solver": {"newton": {"tolerance": 0.1}}})"},
      {"solver.newton", R"({"solver": {"timestep": 0.002, "integrator": "central-differences"}})",
       R"({"solver": {"newton": {"tolerance": 0.1}}})"},
      {"newton.tolerance", "{}", R"({"solver": {"newton": {"tolerance": 0.1}}})"},
      {"newton.max_iterations", "{}", R"({"solver": {"newton": {"max_iterations": 1}}})"},
      {"solver.load_steps", "{}", R"({"solver": {"load_steps": 3}})", Effect::any_bits},
      {"solver.online", pushes, R"({"solver": {"online": {"throttle": 0}}})", Effect::any_bits},
      {"solver.linear_solver", "{}", R"({"solver": {"linear_solver": "cg"}})", Effect::any_bits},
      {"solver.linear_solver", R"({"solver": {"timestep": 0.002, "integrator": "central-differences"}})",
       R"({"solver": {"linear_solver": "cg"}})", Effect::any_bits},
      {"solver.threads", "{}", R"({"solver": {"threads": 2}})", Effect::nothing},

      {"online.error", pushes, R"({"solver": {"online": {"error": 1e-6}}})", Effect::any_bits},
      {"online.throttle", pushes, R"({"solver": {"online": {"throttle": 0}}})", Effect::any_bits},
      {"online.max_rank", fine_pushes, R"({"solver": {"online": {"max_rank": 6}}})", Effect::any_bits,
       "quasistatic"},
      {"online.max_rank", pushes, R"({"solver": {"online": {"max_rank": 6}}})", Effect::any_bits, "dynamic"},
      {"online.error_threshold", pushes, R"({"solver": {"online": {"error_threshold": 1e-9}}})",
       Effect::any_bits},
      {"online.discard_threshold", pushes, R"({"solver": {"online": {"discard_threshold": 0.5}}})",
       Effect::any_bits},
      {"online.cubature_error", pushes, R"({"solver": {"online": {"cubature_error": 0.3}}})",
       Effect::any_bits},
      {"online.cubature_error", rubber_pushes, R"({"solver": {"online": {"cubature_error": 0.3}}})",
       Effect::any_bits},
      {"online.seed", pushes, R"({"solver": {"online": {"seed": 7}}})", Effect::any_bits},
      {"online.seed", rubber_pushes, R"({"solver": {"online": {"seed": 7}}})", Effect::any_bits},

      {"body.name", "{}", R"({"name": "other"})"},
      {"body.method", "{}", "{}", Effect::nothing},  // scenes of all of them are tried
      {"body.mesh", "{}", R"({"mesh": "builtin:beam?size=1,0.2,0.2&cells=3,1,1"})"},
      {"body.mesh", model_only, R"({"mesh": "builtin:beam?size=1,0.2,0.2&cells=4,1,1"})"},
      {"body.model", "{}", R"({"model": "model.glb"})"},
      {"body.model", R"({"mesh": null, "fixed": null, "domains": null})", R"({"model": "model.glb"})"},
      {"body.assembly", R"({"mesh": null, "fixed": null, "domains": {"from": null, "count": null}})",
       assembly("", "")},
      {"body.domains", R"({"domains": null})", R"({"domains": {"from": "auto", "count": 2}})"},
      {"body.basis", "{}", R"({"basis": {"modes": 3}})"},
      {"body.basis", model_only, R"({"basis": {"modes": 3}})"},
      {"body.forces", "{}", R"({"forces": {"kind": "cubature", "error": 0.3}})"},
      {"body.forces", model_only, R"({"forces": {"kind": "cubature"}})"},
      {"body.rank", "{}", R"({"rank": 2})"},
      {"body.rank", model_only, R"({"rank": 2})"},
      {"body.render", "{}", R"({"render": "surface.obj"})"},
      {"body.render", model_only, R"({"render": "surface.obj"})"},
      {"body.material", "{}", R"({"material": {"young": 2e5, "poisson": 0.3}})"},
      {"body.materials", "{}", R"({"materials": {"beam": {"young": 2e5, "poisson": 0.3}}})"},
      {"body.material", model_only, R"({"material": {"young": 2e5, "poisson": 0.3}})"},
      {"body.fixed", "{}", R"({"fixed": {"where": "x < 0.3"}})"},
      {"body.fixed", model_only, R"({"fixed": {"where": "x < 0.3"}})"},
      {"body.loads", "{}", loads(R"("where": "x > 0.99", "force": [0, 0.05, 0])")},
      {"body.constraints", "{}", constraint(lift)},
      {"body.constraint_priority", "{}", R"({"constraint_priority": "orientation"})"},
      {"body.constraint_priority",
       constraint(
           std::string(R"("hold": "both", )") +
           R"("keys": [{"time": 0}, {"time": 0.05, "position": [0, 0, 0.02], "rotation": [0, 0.1, 0, 0.99498743710662]}])"),
       R"({"constraint_priority": "orientation"})"},
      {"body.support", "{}", fmt::format(R"({{"support": {{{}}}}})", lift)},
      {"body.skin", "{}", skin(fmt::format("{}, {}", bone, lift))},
      {"body.coriolis", loads(R"("where": "x > 0.99", "force": [0, 2, -5])"), R"({"coriolis": true})"},
      {"body.wind", "{}", R"({"wind": {"velocity": [0, 9, 0]}})"},
      {"body.damping", "{}", R"({"damping": {"mass": 1}})"},
      {"body.mass", "{}", R"({"mass": "lumped"})"},
      {"body.mass", model_only, R"({"mass": "lumped"})"},
      {"body.velocity", "{}", R"({"velocity": [0, 1, 0]})"},
      {"body.velocity", R"({"fixed": "none"})", R"({"velocity": [0, 1, 0]})"},
      {"body.angular_velocity", "{}", R"({"angular_velocity": [0, 0, 1]})"},
      {"body.angular_velocity", R"({"fixed": "none"})", R"({"angular_velocity": [0, 0, 1]})"},

      {"domains.from", R"({"domains": {"from": null, "count": null}})",
       R"({"domains": {"from": "auto", "count": 2}})"},
      {"domains.count", "{}", R"({"domains": {"count": 3}})"},
      {"domains.sets", R"({"domains": {"from": null, "count": null}})",
       R"({"domains": {"from": "sets", "sets": {"left": [[0, 11]]}}})"},
      {"domains.root", R"({"fixed": "none"})", R"({"domains": {"root": "part 2"}})", Effect::any_bits},
      {"domains.rank", "{}", R"({"domains": {"rank": 2}})"},
      {"domains.total_rank", R"({"domains": {"rank": null}})", R"({"domains": {"total_rank": 5}})"},
      {"domains.rigid", "{}", R"({"domains": {"rigid": ["part 2"]}})"},
      {"domains.rank", model_only, R"({"domains": {"rank": 2}})"},
      {"domains.inertia", model_only, R"({"domains": {"inertia": "center"}})"},
      {"domains.inertia", "{}", R"({"domains": {"inertia": "center"}})"},
      {"domains.stiffness", "{}", R"({"domains": {"stiffness": {"part 2": 3}}})"},

      {"assembly.parts", "{}", assembly("", "")},
      {"assembly.instances", "{}", assembly("", "")},
      {"assembly.free", assembly("", ""), assembly("", "", R"(, "free": true)"), Effect::changes, "dynamic"},
      {"part.mesh", "{}", assembly("", "")},
      {"part.render", assembly("", ""), assembly(R"(, "render": "surface.obj")", "")},
      {"part.material", assembly("", ""), assembly(R"(, "material": {"young": 3e5, "poisson": 0.3})", "")},
      {"part.materials", assembly("", ""),
       assembly(R"(, "materials": {"beam": {"young": 3e5, "poisson": 0.3}})", "")},
      {"part.fixed", assembly("", ""), assembly(R"(, "fixed": {"where": "x < 0.3"})", "")},
      {"part.rigid", assembly("", ""), assembly(R"(, "rigid": true)", "")},
      {"part.rank", assembly("", ""), assembly(R"(, "rank": 2)", "")},
      {"part.sites", "{}", assembly("", "")},
      {"site.near", assembly("", ""),
       assembly("", "", "", R"("where": null, "near": [1, 0, 0], "radius": 0.3)")},
      {"site.radius", assembly("", "", "", R"("near": [0.5, 0, 0], "radius": 0.3)"),
       assembly("", "", "", R"("near": [0.5, 0, 0], "radius": 0.6)")},
      {"site.vertices", assembly("", ""), assembly("", "", "", R"("vertices": [12, 13, 14])")},
      {"site.box", assembly("", ""), assembly("", "", "", R"("box": [[0.7, -1, -1], [2, 1, 1]])")},
      {"site.where", assembly("", ""), assembly("", "", "", R"("where": "x > 0.7")")},
      {"site.nearest", assembly("", ""),
       assembly("", "", "", R"("nearest": [[1, -0.1, -0.1], [1, 0.1, 0.1], [0.75, 0.1, 0.1]])")},
      {"instance.name", "{}", assembly("", "")},
      {"instance.part", "{}", assembly("", "")},
      {"instance.parent", "{}", assembly("", "")},
      {"instance.site", "{}", assembly("", "")},
      {"instance.position", assembly("", ""), assembly("", R"(, "position": [1, 0.1, 0])")},
      {"instance.rotation", assembly("", ""), assembly("", R"(, "rotation": [0, 0, 0.1, 0.99498743710662])")},
      {"instance.scale", assembly("", ""), assembly("", R"(, "scale": 1.5)")},
      {"instance.stiffness", assembly("", ""), assembly("", R"(, "stiffness": 2)")},

      {"wind.velocity", "{}", R"({"wind": {"velocity": [0, 9, 0]}})"},
      {"wind.gusts", R"({"wind": {"velocity": [0, 9, 0]}})", R"({"wind": {"gusts": 1}})"},
      {"wind.drag", R"({"wind": {"velocity": [0, 9, 0]}})", R"({"wind": {"drag": 2}})"},
      {"wind.density", R"({"wind": {"velocity": [0, 9, 0]}})", R"({"wind": {"density": 2}})"},

      {"basis.kind", R"({"basis": {"modes": 3}})", R"({"basis": {"kind": "inertia"}})"},
      {"basis.modes", "{}", R"({"basis": {"modes": 3}})"},
      {"basis.derivatives", R"({"basis": {"modes": 3}})", R"({"basis": {"derivatives": 0}})"},
      {"basis.derivatives", R"({"domains": {"rank": 10}})", R"({"basis": {"derivatives": 0}})"},
      {"basis.condense", R"({"basis": {"rank": 4}})", R"({"basis": {"condense": "random"}})"},
      {"basis.condense", R"({"basis": {"sketch": "sketch.json", "rank": 4}})",
       R"({"basis": {"condense": "random"}})"},
      {"basis.sketch", R"({"basis": {"modes": 2}})", R"({"basis": {"sketch": "sketch.json"}})"},
      {"basis.snapshots", R"({"basis": {"modes": 2}})", R"({"basis": {"snapshots": "snapshots.csv"}})"},
      {"basis.rank", "{}", R"({"basis": {"rank": 3}})"},
      {"basis.rank", R"({"basis": {"sketch": "sketch.json"}})", R"({"basis": {"rank": 3}})"},

      {"forces.kind", "{}", R"({"forces": {"kind": "cubature", "error": 0.3}})"},
      {"forces.error", R"({"forces": {"kind": "cubature"}})", R"({"forces": {"error": 0.3}})"},
      {"forces.error", "{}", R"({"forces": {"error": 0.3}})"},
      {"forces.poses", R"({"forces": {"kind": "cubature", "error": 0.3}})",
       R"({"forces": {"poses": "gaussian"}})"},
      {"forces.poses", "{}", R"({"forces": {"poses": "gaussian"}})"},
      {"forces.amplitude", R"({"forces": {"kind": "cubature", "error": 0.3}})",
       R"({"forces": {"amplitude": 0.5}})"},
      {"forces.amplitude", "{}", R"({"forces": {"amplitude": 0.5}})"},
      {"forces.points", R"({"forces": {"kind": "cubature"}})", R"({"forces": {"points": 3}})"},
      {"forces.points", "{}", R"({"forces": {"points": 3}})"},
      {"forces.training", R"({"forces": {"kind": "cubature", "error": 0.3}})",
       R"({"forces": {"training": "snapshots.csv"}})"},
      {"forces.training", "{}", R"({"forces": {"training": "snapshots.csv"}})"},

      {"material.law", "{}", R"({"material": {"law": "neo-hookean"}})"},
      {"material.young", "{}", R"({"material": {"young": 2e5}})"},
      {"material.poisson", "{}", R"({"material": {"poisson": 0.4}})"},
      {"material.lambda", R"({"material": {"young": null, "poisson": null, "mu": 4e4, "lambda": 6e4}})",
       R"({"material": {"lambda": 9e4}})"},
      {"material.mu", R"({"material": {"young": null, "poisson": null, "mu": 4e4, "lambda": 6e4}})",
       R"({"material": {"mu": 9e4}})"},
      {"material.density", "{}", R"({"material": {"density": 2000}})"},
      {"material.mooney_share", R"({"material": {"law": "mooney-rivlin"}})",
       R"({"material": {"mooney_share": 0.5}})"},
      {"material.mooney_share", "{}", R"({"material": {"mooney_share": 0.5}})"},
      {"material.locking_stretch", R"({"material": {"law": "arruda-boyce"}})",
       R"({"material": {"locking_stretch": 1.5}})"},
      {"material.locking_stretch", "{}", R"({"material": {"locking_stretch": 1.5}})"},

      {"selection.vertices", "{}", R"({"fixed": {"vertices": [4, 5, 6, 7]}})"},
      {"selection.box", "{}", R"({"fixed": {"box": [[-1, -1, -1], [0.3, 1, 1]]}})"},
      {"selection.where", "{}", R"({"fixed": {"where": "x < 0.3"}})"},
      {"selection.nearest", "{}", R"({"fixed": {"nearest": [1, 0, 0]}})"},
      {"corners.min", "{}", R"({"fixed": {"box": {"min": [-1, -1, -1], "max": [0.3, 1, 1]}}})"},
      {"corners.max", "{}", R"({"fixed": {"box": {"min": [-1, -1, -1], "max": [0.3, 1, 1]}}})"},

      {"load.vertices", "{}", loads(R"("vertices": [12], "force": [0, 0.02, -0.1])")},
      {"load.box", "{}", loads(R"("box": [[0.7, -1, -1], [2, 1, 1]], "force": [0, 0.02, -0.1])")},
      {"load.where", "{}", loads(R"("where": "x > 0.7", "force": [0, 0.02, -0.1])")},
      {"load.nearest", "{}", loads(R"("nearest": [1, 0, 0], "force": [0, 0.02, -0.1])")},
      {"load.force", "{}", loads(R"("where": "x > 0.99", "force": [0, 0.05, 0])")},
      {"load.acceleration", "{}", loads(R"("acceleration": [0, 3, 0])")},
      {"load.from", loads(pull), loads(fmt::format(R"({}, "from": 0.02)", pull))},
      {"load.to", loads(pull), loads(fmt::format(R"({}, "to": 0.02)", pull))},

      {"constraint.name", constraint(lift), constraint(fmt::format(R"({}, "name": "handle")", lift)),
       Effect::nothing},
      {"constraint.vertices", constraint(lift),
       fmt::format(R"({{"constraints": [{{"vertices": [12], {}}}]}})", lift)},
      {"constraint.box", constraint(lift),
       fmt::format(R"({{"constraints": [{{"box": [[0.7, -1, -1], [2, 1, 1]], {}}}]}})", lift)},
      {"constraint.where", constraint(lift),
       fmt::format(R"({{"constraints": [{{"where": "x > 0.7", {}}}]}})", lift)},
      {"constraint.nearest", constraint(lift),
       fmt::format(R"({{"constraints": [{{"nearest": [1, 0, 0], {}}}]}})", lift)},
      {"constraint.hold", constraint(lift), constraint(fmt::format(R"({}, "hold": "orientation")", lift))},
      {"constraint.keys", "{}", constraint(lift)},
      {"constraint.follow", constraint(lift),
       constraint(R"("follow": {"file": "walk.glb", "joint": "hand"})")},
      {"constraint.interpolation", constraint(lift),
       constraint(fmt::format(R"({}, "interpolation": "linear")", lift))},
      {"constraint.interpolation", constraint(R"("follow": {"file": "walk.glb", "joint": "hand"})"),
       constraint(R"("follow": {"file": "walk.glb", "joint": "hand"}, "interpolation": "linear")")},
      {"constraint.exercised", constraint(lift),
       constraint(fmt::format(R"({}, "exercised": {{"where": "x > 0.3"}})", lift))},
      {"constraint.from", constraint(lift), constraint(fmt::format(R"({}, "from": 0.02)", lift))},
      {"constraint.to", constraint(lift), constraint(fmt::format(R"({}, "to": 0.02)", lift))},

      {"support.keys", "{}", fmt::format(R"({{"support": {{{}}}}})", lift)},
      {"support.follow", "{}", R"({"support": {"follow": {"file": "walk.glb", "joint": "hand"}}})"},
      {"support.interpolation", fmt::format(R"({{"support": {{{}}}}})", lift),
       R"({"support": {"interpolation": "linear"}})"},
      {"support.interpolation", R"({"support": {"follow": {"file": "walk.glb", "joint": "hand"}}})",
       R"({"support": {"interpolation": "linear"}})"},

      {"skin.bones", "{}", skin(fmt::format("{}, {}", bone, lift))},
      {"skin.radius", skin(two_bones), skin(two_bones, R"(, "radius": 0.05)")},
      {"skin.weights", skin(two_bones), skin(two_bones, R"(, "radius": null, "weights": "weights.csv")")},
      {"skin.weights", skin(two_bones), skin(two_bones, R"(, "weights": "weights.csv")")},
      {"bone.name", skin(fmt::format("{}, {}", bone, lift)),
       skin(fmt::format(R"({}, {}, "name": "arm")", bone, lift)), Effect::nothing},
      {"bone.from", "{}", skin(fmt::format("{}, {}", bone, lift))},
      {"bone.to", "{}", skin(fmt::format("{}, {}", bone, lift))},
      {"bone.keys", "{}", skin(fmt::format("{}, {}", bone, lift))},
      {"bone.follow", "{}",
       skin(fmt::format(R"({}, "follow": {{"file": "walk.glb", "joint": "hand"}})", bone))},
      {"bone.interpolation", skin(fmt::format("{}, {}", bone, lift)),
       skin(fmt::format(R"({}, {}, "interpolation": "linear")", bone, lift))},
      {"bone.interpolation", skin(bone), skin(fmt::format(R"({}, "interpolation": "linear")", bone))},

      {"key.time", constraint(lift),
       constraint(R"("keys": [{"time": 0}, {"time": 0.04, "position": [0, 0, 0.02]}])")},
      {"key.position", constraint(lift),
       constraint(R"("keys": [{"time": 0}, {"time": 0.05, "position": [0, 0, 0.03]}])")},
      {"key.rotation", constraint(lift),
       constraint(
           R"("keys": [{"time": 0}, {"time": 0.05, "position": [0, 0, 0.02], "rotation": [0, 0.1, 0, 0.99498743710662]}])")},
      {"follow.file", "{}", constraint(R"("follow": {"file": "walk.glb", "joint": "hand"})")},
      {"follow.joint", constraint(R"("follow": {"file": "walk.glb", "joint": "hand"})"),
       constraint(R"("follow": {"file": "walk.glb", "joint": "foot"})")},
      {"follow.animation", constraint(R"("follow": {"file": "walk.glb", "joint": "hand"})"),
       constraint(R"("follow": {"file": "walk.glb", "joint": "hand", "animation": "run"})")},
      {"follow.scale", constraint(R"("follow": {"file": "walk.glb", "joint": "hand"})"),
       constraint(R"("follow": {"file": "walk.glb", "joint": "hand", "scale": 2})")},
      {"follow.up", constraint(R"("follow": {"file": "walk.glb", "joint": "hand"})"),
       constraint(R"("follow": {"file": "walk.glb", "joint": "hand", "up": "z"})")},

      {"damping.mass", "{}", R"({"damping": {"mass": 1}})"},
      {"damping.stiffness", "{}", R"({"damping": {"stiffness": 0.01}})"},
      {"damping.kind",
       R"({"damping": {"stiffness": 0.01}, "loads": [{"where": "x > 0.99", "force": [0, 1, -2]}]})",
       R"({"damping": {"kind": "linear"}})"},
  };
  return rows;
}

/// A node that moves, twice: the animations "walk" and "run" of the joints "hand" and "foot".
void write_walk(const std::filesystem::path& path) {
  GlbBuilder builder;
  json& document = builder.document;
  document["scenes"] = {{{"nodes", {0, 1}}}};
  document["nodes"] = {{{"name", "hand"}}, {{"name", "foot"}}};
  Eigen::RowVectorXf times(2);
  times << 0.0F, 0.05F;
  const int input = builder.add_floats(times, false);
  for (const float size : {0.02F, 0.04F}) {
    json animation{
        {"name", size < 0.03F ? "walk" : "run"}, {"samplers", json::array()}, {"channels", json::array()}};
    for (int node = 0; node < 2; ++node) {
      Eigen::Matrix3Xf way = Eigen::Matrix3Xf::Zero(3, 2);
      way.col(1) << size, 0.5F * size, node == 0 ? 0.0F : size;
      animation["samplers"].push_back({{"input", input}, {"output", builder.add_floats(way, false)}});
      animation["channels"].push_back(
          {{"sampler", node}, {"target", {{"node", node}, {"path", "translation"}}}});
    }
    document["animations"].push_back(std::move(animation));
  }
  write_file(path, builder.encode("walk"));
}

/// Files that rows name.
void write_files_of_rows(const test::ScratchFolder& folder) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {4, 1, 1}});
  SurfaceMesh surface = boundary_surface(mesh);
  surface.vertices *= 0.9;
  write_surface(folder / "surface.obj", surface);
  write_file(folder / "sketch.json", R"({"format": "limber sketch", "version": 1, "forces": [
    {"at": [1, 0, 0], "force": [0, 0.3, -0.2]}, {"at": [1, 0.2, 0], "force": [0.3, 0.3, 0]},
    {"at": [0.5, 0, 0], "force": [0, 0, 0.4]}]})");
  Matrix3X bent = Matrix3X::Zero(3, mesh.vertex_count());
  bent.row(2) = mesh.vertices.row(0).array().cube();
  write_csv(folder / "snapshots.csv", 0.1 * bent);
  std::string weights;
  for (Index v = 0; v < mesh.vertex_count(); ++v) weights += fmt::format("{},0,1\n", v);
  write_file(folder / "weights.csv", weights);
  write_walk(folder / "walk.glb");
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 0.01) fixed.push_back(v);
  }
  const FullModel full(mesh, {{make_law("stvk", lame_from_young(1e5, 0.3)), 1000.0}}, fixed,
                       {MassKind::consistent, Executor(1)});
  ReduceOptions options;
  options.basis.modes = options.basis.rank = 5;
  ReduceReport report;
  write_model(folder / "model.glb", make_model(reduce(full, {}, {}, options, report)));
}

/// A scene that all rows start from.
json base_scene(const SceneKind& kind) {
  json scene = json::parse(fmt::format(R"({{
    "bodies": [{{"name": "beam", "method": "{}", "mesh": "{}", "material": {{"young": 1e5, "poisson": 0.3}},
                 "fixed": {{"where": "x < 0.01"}}, "loads": [{{{}}}]}}],
    "gravity": [0, 0, -1], "solver": {{"type": "{}", "threads": 1}}}})",
                                       kind.method, beam, pull, kind.type));
  if (kind.type != "static") scene["solver"].update({{"timestep", 0.01}, {"steps", 5}});
  if (kind.tree) scene["bodies"][0]["domains"] = {{"from", "auto"}, {"count", 2}, {"rank", 4}};
  return scene;
}

json merged(const json& scene, const std::string& patch, bool of_scene) {
  json result = scene;
  json changes = json::parse(patch);
  if (of_scene) {
    result.merge_patch(changes);
    // Other bodies are of the same kind.
    for (json& body : result["bodies"]) {
      for (const char* key : {"method", "domains"}) {
        if (scene["bodies"][0].contains(key)) body[key] = scene["bodies"][0][key];
      }
    }
    return result;
  }
  // What a kind of scene does not have need not be taken away.
  json& body = result["bodies"][0];
  const bool domains = body.contains("domains");
  body.merge_patch(changes);
  if (!domains && body.contains("domains") && body["domains"].empty()) body.erase("domains");
  return result;
}

/// Whether a row says something about a kind of scene.
bool is_tried(const Row& row, const SceneKind& kind) {
  if (!row.type.empty() && row.type != kind.type) return false;
  // These make a tree of the body, which is another kind.
  const bool other_kind = !kind.tree && (kind.method == "reduced" || kind.method == "linear");
  return !other_kind || !row.key.starts_with("domains.");
}

/// What a scene computes: numbers, and words for what is no number.
struct Outcome {
  std::vector<double> numbers;
  std::string words;
};

void append(const Matrix3X& field, Outcome& outcome) {
  outcome.numbers.insert(outcome.numbers.end(), field.data(), field.data() + field.size());
}

Outcome compute(const json& value, const std::filesystem::path& folder) {
  const Scene scene = parse_scene(value.dump(), folder, "scene");
  SceneState state = make_state(scene);
  Outcome outcome;
  for (const SceneBody& body : scene.bodies)
    outcome.words += fmt::format("{} {};", body.name, body.render.vertex_count());
  for (int i = 0; i < step_count(scene); ++i) {
    const StepReport report = step(scene, state);
    outcome.words +=
        fmt::format("{} {} {};", static_cast<int>(report.status), report.iterations, report.load_steps);
    for (std::size_t b = 0; b < state.body_count(); ++b) {
      append(mesh_displacement(scene, state, b), outcome);
      append(state.body(b).surface_displacement(), outcome);
    }
    outcome.numbers.push_back(report.residual);
    if (!report.ok()) break;
  }
  return outcome;
}

/// Whether one differs from the other by more than rounding, or at all.
bool differs(const Outcome& a, const Outcome& b, Effect effect) {
  if (a.words != b.words || a.numbers.size() != b.numbers.size()) return true;
  const Vector x = Eigen::Map<const Vector>(a.numbers.data(), static_cast<Index>(a.numbers.size())),
               y = Eigen::Map<const Vector>(b.numbers.data(), static_cast<Index>(b.numbers.size()));
  return effect == Effect::any_bits ? x != y : !((x - y).norm() <= 1e-9 * y.norm());
}

class SceneKeys : public testing::TestWithParam<SceneKind> {};

TEST_P(SceneKeys, ChangeTheResultOrAreRefused) {
  const test::ScratchFolder folder;
  write_files_of_rows(folder);
  struct Try {
    std::optional<Outcome> outcome;  ///< none: refused
    std::string refusal;
  };
  std::map<std::string, Try> known;
  const auto outcome_of = [&](const json& scene) -> const Try& {
    const auto [entry, added] = known.try_emplace(scene.dump());
    if (!added) return entry->second;
    try {
      entry->second.outcome = compute(scene, folder.path());
    } catch (const Error& error) {
      entry->second.refusal = error.what();
      EXPECT_EQ(entry->second.refusal.find('\n'), std::string::npos) << error.what();
    }
    return entry->second;
  };
  for (const Row& row : table()) {
    if (!is_tried(row, GetParam())) continue;
    const json without = merged(base_scene(GetParam()), row.with, is_of_scene(row));
    const json with = merged(without, row.given, is_of_scene(row));
    const Try before = outcome_of(without), after = outcome_of(with);
    if (row.effect == Effect::nothing) {
      EXPECT_EQ(before.outcome.has_value(), after.outcome.has_value()) << row.key;
      continue;
    }
    if (!before.outcome) continue;  // what the key stands beside is refused here
    if (!after.outcome) {
      // By its own name, with all of the object that it stands in, or because it makes a tree of the body.
      const std::string name = row.key.substr(row.key.find_last_of('.') + 1);
      EXPECT_TRUE(test::contains(after.refusal, name) || test::contains(after.refusal, "has no use for it") ||
                  test::contains(after.refusal, "it makes the body a tree of domains"))
          << row.key << ": " << after.refusal;
      continue;
    }
    EXPECT_TRUE(differs(*after.outcome, *before.outcome, row.effect))
        << row.key << " changes nothing: " << row.given << " beside " << row.with;
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllKinds, SceneKeys, testing::ValuesIn(all_kinds()),
                         [](const auto& one) { return title_of(one.param); });

/// OBJECT.KEY of all keys of the schema but those of "output", which the command writes.
std::set<std::string> keys_of_schema() {
  std::set<std::string> keys;
  const nlohmann::ordered_json& schema = scene_schema();
  for (const auto& [key, property] : schema["properties"].items()) keys.insert("scene." + key);
  for (const auto& [name, object] : schema["$defs"].items()) {
    if (name == "output" || !object.contains("properties")) continue;
    for (const auto& [key, property] : object["properties"].items()) keys.insert(name + "." + key);
  }
  return keys;
}

TEST(SceneKeyTable, HasARowForEveryKeyOfTheSchema) {
  std::set<std::string> rows;
  for (const Row& row : table()) rows.insert(row.key);
  EXPECT_EQ(rows, keys_of_schema());
}

TEST(SceneKeyTable, HasARowForEveryKeyThatChangesSomething) {
  const test::ScratchFolder folder;
  write_files_of_rows(folder);
  std::set<std::string> useful;
  for (const SceneKind& kind : all_kinds()) {
    for (const Row& row : table()) {
      if (row.effect == Effect::nothing || useful.contains(row.key)) continue;
      try {
        (void)compute(
            merged(merged(base_scene(kind), row.with, is_of_scene(row)), row.given, is_of_scene(row)),
            folder.path());
        useful.insert(row.key);
      } catch (const Error&) {
        continue;  // in another kind of scene
      }
    }
  }
  for (const Row& row : table())
    EXPECT_TRUE(row.effect == Effect::nothing || useful.contains(row.key))
        << row.key << " is refused everywhere";
}

}  // namespace
}  // namespace limber::scene_uses_test
