#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

// A row for each key of each object of the schema of scenes: how it is given, and what a scene needs beside
// it. scene_uses_test.cpp tries all of them in scenes of all kinds.

namespace limber::scene_uses_test {

inline constexpr std::string_view beam = "builtin:beam?size=1,0.2,0.2&cells=4,1,1";

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
inline bool is_of_scene(const Row& row) {
  constexpr std::array objects{"scene.",   "solver.", "online.",  "newton.",
                               "contact.", "ground.", "obstacle", "rigid."};
  return row.key == "body.contact" || std::any_of(objects.begin(), objects.end(),
                                                  [&](const char* one) { return row.key.starts_with(one); });
}

inline constexpr const char* pull = R"("where": "x > 0.7", "force": [0, 0.02, -0.1])";

/// A finer beam, pushed to and fro often enough to learn from.
inline constexpr const char* pushes = R"({"solver": {"steps": 24}, "bodies": [{"name": "beam",
    "mesh": "builtin:beam?size=1,0.2,0.2&cells=8,2,2", "material": {"young": 1e5, "poisson": 0.3},
    "fixed": {"where": "x < 0.01"}, "loads": [{"where": "x > 0.99", "force": [0, 1, -2]},
      {"where": "x > 0.99", "force": [0, 0.2, -0.2], "from": 0.06},
      {"where": "x > 0.99", "force": [0, 0.1, -0.1], "from": 0.1},
      {"where": "x > 0.4", "force": [0.1, 0.1, 0], "from": 0.15},
      {"nearest": [0.5, 0.1, 0.1], "force": [0.1, -0.6, 0.3], "from": 0.05},
      {"nearest": [0.75, -0.1, 0.1], "force": [0, 0.4, -0.5], "from": 0.12}]}]})";

/// The same of another law, whose forces need key elements.
inline const std::string rubber_pushes =
    std::regex_replace(pushes, std::regex(R"("young")"), R"("law": "neo-hookean", "young")");

/// The same with a smaller error, and so a larger basis.
inline const std::string fine_pushes =
    std::regex_replace(pushes, std::regex(R"("steps": 24)"), R"("steps": 24, "online": {"error": 1e-3})");

/// What takes a model in place of the mesh.
inline constexpr const char* model_only =
    R"({"mesh": null, "fixed": null, "model": "model.glb", "domains": null})";

inline std::string loads(std::string_view load) { return fmt::format(R"({{"loads": [{{{}}}]}})", load); }

/// A constraint that moves the right end.
inline std::string constraint(std::string_view more) {
  return fmt::format(R"({{"constraints": [{{"where": "x > 0.99", {}}}]}})", more);
}
inline constexpr const char* lift = R"("keys": [{"time": 0}, {"time": 0.05, "position": [0, 0, 0.02]}])";

inline std::string skin(std::string_view bone, std::string_view more = R"(, "radius": 0.3)") {
  return fmt::format(R"({{"skin": {{"bones": [{{{}}}]{}}}}})", bone, more);
}
inline constexpr const char* bone = R"("from": [0, 0, 0], "to": [0.4, 0, 0])";
inline const std::string two_bones =
    fmt::format(R"({}}}, {{"from": [0.6, 0, 0], "to": [1, 0, 0], {})", bone, lift);

/// An assembly of two bars.
inline std::string assembly(std::string_view part, std::string_view second, std::string_view more = "",
                            std::string_view site = R"("where": "x > 0.99")") {
  return fmt::format(
      R"({{"mesh": null, "fixed": null, "loads": [{{"where": "x > 1.1", "force": [0, 0.02, -0.1]}}],
    "domains": {{"from": null, "count": null, "rank": 4}},
    "assembly": {{"parts": {{"bar": {{"mesh": "{}", "fixed": {{"where": "x < 0.01"}}, "sites": {{"end": {{{}}}}}{}}}}},
      "instances": [{{"name": "a", "part": "bar"}},
                    {{"name": "b", "part": "bar", "parent": "a", "site": "end", "position": [1, 0, 0]{}}}]{}}}}})",
      beam, site, part, second, more);
}

/// A beam that nothing holds, sliding and falling; its lowest side is at z = -0.1.
inline std::string falling(std::string_view body = "", std::string_view scene = "") {
  return fmt::format(
      R"({{"bodies": [{{"name": "beam", "mesh": "{}", "material": {{"young": 1e5, "poisson": 0.3}},
    "fixed": "none", "velocity": [1, 0, -1]{}}}]{}}})",
      beam, body, scene);
}

/// Ground that it meets at once.
inline std::string ground(std::string_view more = "") {
  return fmt::format(R"({{"ground": {{"height": -0.1{}}}}})", more);
}

/// An obstacle, by default one that it meets at once.
inline std::string obstacle(std::string_view more = R"("shape": "half-space", "position": [0, 0, -0.1])") {
  return fmt::format(R"({{"obstacles": [{{{}}}]}})", more);
}
inline constexpr const char* sill = R"("position": [0.5, 0, -0.2], "shape": )";
inline constexpr const char* dome = R"("position": [0.5, 0, -0.6], "shape": )";  // wide enough for corners

/// A rigid body that strikes it from above. Of keys that are there twice the last counts.
inline std::string rigid(std::string_view shape = R"("shape": "box", "size": [0.2, 0.2, 0.2])",
                         std::string_view more = "") {
  return fmt::format(R"({{"rigid": [{{"position": [0.6, 0, 0.2], "velocity": [0, 0.5, -4], {}{}}}]}})", shape,
                     more);
}
inline constexpr const char* cube = R"("shape": "box", "size": [0.2, 0.2, 0.2])";
inline const std::string struck = falling(
    "",
    R"(, "rigid": [{"position": [0.6, 0, 0.2], "velocity": [0, 0.5, -4], "shape": "box", "size": [0.2, 0.2, 0.2]}])");

/// All rows, in the order of the schema.
inline const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"scene.$schema", "{}", R"({"$schema": "here"})", Effect::nothing},
      {"scene.description", "{}", R"({"description": "text"})", Effect::nothing},
      {"scene.bodies", "{}", "{}", Effect::nothing},  // is in all of them
      {"scene.gravity", "{}", R"({"gravity": [0, 0, -2]})"},
      {"scene.up", R"({"gravity": 2})", R"({"up": "y"})"},
      {"scene.ground", falling(), ground()},
      {"scene.ground", falling(), R"({"ground": true})"},
      {"scene.obstacles", falling(), obstacle()},
      {"scene.rigid", falling(), rigid()},
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
      {"body.position", "{}", R"({"position": [-0.26, 0, 0]})"},
      {"body.position", model_only, R"({"position": [-0.26, 0, 0]})"},
      {"body.rotation", "{}", R"({"rotation": [0.2588190451025207, 0, 0, 0.9659258262890683]})"},
      {"body.rotation", model_only, R"({"rotation": [0.2588190451025207, 0, 0, 0.9659258262890683]})"},
      {"body.domains", R"({"domains": null})", R"({"domains": {"from": "auto", "count": 2}})"},
      {"body.basis", "{}", R"({"basis": {"modes": 3}})"},
      {"body.basis", model_only, R"({"basis": {"modes": 3}})"},
      {"body.forces", "{}", R"({"forces": {"kind": "cubature", "error": 0.3}})"},
      {"body.forces", model_only, R"({"forces": {"kind": "cubature"}})"},
      {"body.rank", "{}", R"({"rank": 2})"},
      {"body.rank", model_only, R"({"rank": 2})"},
      {"body.unit", "{}", R"({"unit": "in"})"},
      {"body.unit",
       R"({"mesh": "beam.msh", "fixed": {"vertices": [0, 1, 2, 3]},
           "loads": [{"vertices": [18, 19], "force": [0, 0, -0.0005]}]})",
       R"({"unit": "in"})"},
      {"body.unit", model_only, R"({"unit": "in"})"},
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
      {"body.contact", "{}", falling(R"(, "contact": true)")},
      {"body.contact", falling(), falling(R"(, "contact": true)")},
      {"body.contact", struck, falling(R"(, "contact": false)")},
      {"body.contact", rigid(),
       R"({"bodies": [{"name": "beam", "fixed": {"where": "x < 0.01"}, "contact": true,
        "mesh": "builtin:beam?size=1,0.2,0.2&cells=4,1,1", "material": {"young": 1e5, "poisson": 0.3}}]})"},
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

      {"contact.friction", falling("", R"(, "ground": {"height": -0.1})"),
       falling(R"(, "contact": {"friction": 0.1})")},
      {"contact.restitution", falling("", R"(, "ground": {"height": -0.1})"),
       falling(R"(, "contact": {"restitution": 0.5})")},
      {"contact.compliance", falling("", R"(, "ground": {"height": -0.1})"),
       falling(R"(, "contact": {"compliance": 1e-3})")},
      {"ground.height", falling("", R"(, "ground": {"height": -0.1})"), ground(R"(, "height": -0.11)")},
      {"ground.friction", falling("", R"(, "ground": {"height": -0.1})"), ground(R"(, "friction": 0.1)")},
      {"ground.restitution", falling("", R"(, "ground": {"height": -0.1})"),
       ground(R"(, "restitution": 0.5)")},
      {"ground.compliance", falling("", R"(, "ground": {"height": -0.1})"),
       ground(R"(, "compliance": 1e-3)")},

      {"obstacle.name", falling(),
       obstacle(R"("shape": "half-space", "position": [0, 0, -0.1], "name": "a")")},
      {"obstacle.shape", falling(), obstacle()},
      {"obstacle.size", falling(), obstacle(fmt::format(R"({} "box", "size": [0.2, 0.4, 0.2])", sill))},
      {"obstacle.radius", falling(), obstacle(fmt::format(R"({} "sphere", "radius": 0.5)", dome))},
      {"obstacle.length", falling(),
       obstacle(fmt::format(R"({} "capsule", "radius": 0.5, "length": 0.01)", dome))},
      {"obstacle.length", falling(),
       obstacle(fmt::format(R"({} "sphere", "radius": 0.5, "length": 1)", dome))},
      {"obstacle.heights", falling(),
       obstacle(
           R"("shape": "height-field", "position": [-5, -5, -0.1], "spacing": 10, "heights": [[0, 0], [0, 0.01]])")},
      {"obstacle.spacing", falling(),
       obstacle(
           R"("shape": "height-field", "position": [-5, -5, -0.1], "spacing": 10, "heights": [[0, 0], [0, 0]])")},
      {"obstacle.mesh", falling(), obstacle(fmt::format(R"({} "mesh", "mesh": "solid.obj")", sill))},
      {"obstacle.position", falling(), obstacle()},
      {"obstacle.rotation",
       falling("", R"(, "obstacles": [{"shape": "half-space", "position": [0, 0, -0.1]}])"),
       obstacle(
           R"("shape": "half-space", "position": [0, 0, -0.1], "rotation": [0, 0.1, 0, 0.99498743710662])")},
      {"obstacle.friction",
       falling("", R"(, "obstacles": [{"shape": "half-space", "position": [0, 0, -0.1]}])"),
       obstacle(R"("shape": "half-space", "position": [0, 0, -0.1], "friction": 0.1)")},
      {"obstacle.restitution",
       falling("", R"(, "obstacles": [{"shape": "half-space", "position": [0, 0, -0.1]}])"),
       obstacle(R"("shape": "half-space", "position": [0, 0, -0.1], "restitution": 0.5)")},
      {"obstacle.compliance",
       falling("", R"(, "obstacles": [{"shape": "half-space", "position": [0, 0, -0.1]}])"),
       obstacle(R"("shape": "half-space", "position": [0, 0, -0.1], "compliance": 1e-3)")},
      {"obstacle.keys", falling("", R"(, "obstacles": [{"shape": "half-space", "position": [0, 0, -0.1]}])"),
       obstacle(fmt::format(R"("shape": "half-space", "position": [0, 0, -0.1], {})", lift))},
      {"obstacle.interpolation",
       falling("", fmt::format(R"(, "obstacles": [{{"shape": "half-space", "position": [0, 0, -0.1], {}}}])",
                               lift)),
       obstacle(fmt::format(
           R"("shape": "half-space", "position": [0, 0, -0.1], {}, "interpolation": "linear")", lift))},

      {"rigid.name", falling(), rigid(cube, R"(, "name": "a")")},
      {"rigid.shape", falling(), rigid()},
      {"rigid.size", falling(), rigid()},
      {"rigid.radius", falling(), rigid(R"("shape": "sphere", "radius": 0.1)")},
      {"rigid.length", falling(), rigid(R"("shape": "capsule", "radius": 0.1, "length": 0.01)")},
      {"rigid.length", falling(), rigid(R"("shape": "sphere", "radius": 0.1, "length": 0.01)")},
      {"rigid.mesh", falling(), rigid(R"("shape": "mesh", "mesh": "solid.obj")")},
      {"rigid.position", struck, rigid(cube, R"(, "position": [0.7, 0, 0.2])")},
      {"rigid.rotation", struck, rigid(cube, R"(, "rotation": [0, 0, 0.6, 0.8])")},
      {"rigid.density", struck, rigid(cube, R"(, "density": 500)")},
      {"rigid.velocity", struck, rigid(cube, R"(, "velocity": [0, 0, -5])")},
      {"rigid.angular_velocity", struck, rigid(cube, R"(, "angular_velocity": [3, 0, 0])")},
      {"rigid.friction", struck, rigid(cube, R"(, "friction": 0.1)")},
      {"rigid.restitution", struck, rigid(cube, R"(, "restitution": 0.5)")},
      {"rigid.compliance", struck, rigid(cube, R"(, "compliance": 1e-3)")},

      {"basis.kind", R"({"basis": {"modes": 3}})", R"({"basis": {"kind": "inertia"}})"},
      {"basis.modes", "{}", R"({"basis": {"modes": 3}})"},
      {"basis.derivatives", R"({"basis": {"modes": 3}})", R"({"basis": {"derivatives": 0}})"},
      {"basis.derivatives", R"({"domains": {"rank": 10}})", R"({"basis": {"derivatives": 0}})"},
      {"basis.condense", R"({"basis": {"rank": 4}})", R"({"basis": {"condense": "random"}})"},
      {"basis.condense", R"({"basis": {"sketch": "sketch.json", "rank": 4}})",
       R"({"basis": {"condense": "random"}})"},
      {"basis.sketch", R"({"basis": {"modes": 2}})", R"({"basis": {"sketch": "sketch.json"}})"},
      {"basis.snapshots", R"({"basis": {"modes": 2}})", R"({"basis": {"snapshots": "snapshots.csv"}})"},
      {"basis.contact", R"({"basis": {"modes": 2}})", R"({"basis": {"contact": 3}})"},
      {"basis.contact_where", R"({"basis": {"modes": 2, "contact": 3}})",
       R"({"basis": {"contact_where": "z > 0"}})"},
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
      {"material.name", R"({"material": {"young": null, "poisson": null, "name": "fat"}})",
       R"({"material": {"name": "flesh"}})"},
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
      {"load.box", "{}", loads(R"("box": [[0.4, -1, -1], [2, 1, 1]], "force": [0, 0.02, -0.1])")},
      {"load.where", "{}", loads(R"("where": "x > 0.4", "force": [0, 0.02, -0.1])")},
      {"load.nearest", "{}", loads(R"("nearest": [1, 0, 0], "force": [0, 0.02, -0.1])")},
      {"load.force", "{}", loads(R"("where": "x > 0.99", "force": [0, 0.05, 0])")},
      {"load.total_force", "{}", loads(R"("where": "x > 0.99", "total_force": [0, 0.2, 0])")},
      {"load.acceleration", "{}", loads(R"("acceleration": [0, 3, 0])")},
      {"load.pressure", "{}", loads(R"("where": "x > 0.2 and z > 0.099", "pressure": 100)")},
      {"load.traction", "{}", loads(R"("where": "x > 0.99", "traction": [0, 30, 0])")},
      {"load.from", loads(pull), loads(fmt::format(R"({}, "from": 0.02)", pull))},
      {"load.to", loads(pull), loads(fmt::format(R"({}, "to": 0.02)", pull))},

      {"constraint.name", constraint(lift), constraint(fmt::format(R"({}, "name": "handle")", lift)),
       Effect::nothing},
      {"constraint.vertices", constraint(lift),
       fmt::format(R"({{"constraints": [{{"vertices": [12], {}}}]}})", lift)},
      {"constraint.box", constraint(lift),
       fmt::format(R"({{"constraints": [{{"box": [[0.9, 0, -1], [2, 1, 1]], {}}}]}})", lift)},
      {"constraint.where", constraint(lift),
       fmt::format(R"({{"constraints": [{{"where": "x > 0.9 and y > 0", {}}}]}})", lift)},
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
      {"follow.weights", constraint(R"("follow": {"file": "walk.glb", "joint": ["hand", "foot"]})"),
       constraint(R"("follow": {"file": "walk.glb", "joint": ["hand", "foot"], "weights": [0.9, 0.1]})")},
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

}  // namespace limber::scene_uses_test
