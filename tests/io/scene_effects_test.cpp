// What a scene says has an effect, or is refused: values that do nothing, and those that no body has.

#include "limber/base/error.hpp"
#include "limber/io/scene_file.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>

namespace limber::scene_effects_test {
namespace {

using nlohmann::json;

/// A warped beam with a constraint, in the wind.
json good_scene() {
  return json::parse(R"({
    "bodies": [{"method": "warped", "mesh": "builtin:beam?size=1,0.2,0.2&cells=3,1,1",
                "material": {"young": 1e5, "poisson": 0.3, "density": 1000}, "fixed": {"where": "x < 0.1"},
                "constraints": [{"nearest": [1, 0, 0], "hold": "both"}], "constraint_priority": "orientation",
                "loads": [{"nearest": [1, 0, 0], "force": [0, 0, 1], "from": 0.05}],
                "wind": {"velocity": [1, 0, 0], "gusts": 0.5}}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 10}})");
}

/// Empty: none.
std::string refusal_of(const json& scene) {
  try {
    (void)parse_scene(scene.dump(), {}, "scene.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct Change {
  std::string name;
  std::function<void(json& scene, json& body)> change;
  std::string refusal;  ///< after "scene.json: "; empty: none
};

const std::vector<Change> changes{
    {"Good", [](json&, json&) {}, ""},
    {"PriorityOfNoConstraints", [](json&, json& b) { b["constraints"] = json::array(); },
     "bodies[0].constraint_priority: it has no use without 'constraints'; leave it out"},
    {"PriorityAmongPositions", [](json&, json& b) { b["constraints"][0]["hold"] = "position"; },
     "bodies[0].constraint_priority: it has no use where constraints hold positions alone or orientations "
     "alone; "
     "leave it out"},
    {"NoConstraints",
     [](json&, json& b) {
       b["constraints"] = json::array();
       b.erase("constraint_priority");
     },
     ""},
    {"NoLoads", [](json&, json& b) { b["loads"] = json::array(); }, ""},
    {"ZeroForce",
     [](json&, json& b) {
       b["loads"][0]["force"] = {0, 0, 0};
     },
     "bodies[0].loads[0].force: it is zero and does nothing; leave it out"},
    {"ZeroAcceleration",
     [](json&, json& b) {
       b["loads"].push_back({{"acceleration", {0, 0, 0}}});
     },
     "bodies[0].loads[1].acceleration: it is zero and does nothing; leave it out"},
    {"LoadAfterTheRun", [](json&, json& b) { b["loads"][0]["from"] = 0.1; },
     "bodies[0].loads[0]: it starts at 0.1 s, but the run is over at 0.1 s; leave it out, or take more "
     "solver.steps"},
    {"LoadInTheLastStep", [](json&, json& b) { b["loads"][0]["from"] = 0.095; }, ""},
    {"LoadThatOutlastsTheRun", [](json&, json& b) { b["loads"][0]["to"] = 5; }, ""},
    {"ConstraintAfterTheRun", [](json&, json& b) { b["constraints"][0]["from"] = 3; },
     "bodies[0].constraints[0]: it starts at 3 s, but the run is over at 0.1 s; leave it out, or take more "
     "solver.steps"},
    {"ZeroWind",
     [](json&, json& b) {
       b["wind"]["velocity"] = {0, 0, 0};
     },
     "bodies[0].wind.velocity: it is zero and does nothing; leave it out"},
    {"WindWithoutDrag", [](json&, json& b) { b["wind"]["drag"] = 0; }, "bodies[0].wind.drag is 0, expected"},
    {"FixedWithoutKeys", [](json&, json& b) { b["fixed"] = json::object(); },
     "bodies[0].fixed: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest', or let it go "
     "by "
     "'none'"},
    {"FixedByAnEmptyList",
     [](json&, json& b) {
       b["fixed"] = {{"vertices", json::array()}};
     },
     ""},
    {"NoGravity",
     [](json& s, json&) {
       s["gravity"] = {0, 0, 0};
     },
     ""},

    {"TinyTimestep", [](json& s, json&) { s["solver"]["timestep"] = 1e-300; },
     "solver.timestep is 1e-300, expected a number from 1e-15 to 1000000000"},
    {"HugeForce", [](json&, json& b) { b["loads"][0]["force"][2] = 1e300; },
     "bodies[0].loads[0].force[2] is 1e+300, expected a number from -1e+20 to 1e+20"},
    {"HugeModulus", [](json&, json& b) { b["material"]["young"] = 1e300; },
     "bodies[0].material.young is 1e+300, expected a number from 1e-20 to 1e+20"},
    {"TinyDensity", [](json&, json& b) { b["material"]["density"] = 1e-300; },
     "bodies[0].material.density is 1e-300, expected a number from 1e-20 to 1e+20"},
    {"HugeGravity",
     [](json& s, json&) {
       s["gravity"] = {0, -1e300, 0};
     },
     "gravity[1] is -1e+300, expected"},
    {"HugeWind", [](json&, json& b) { b["wind"]["velocity"][0] = 1e300; }, "bodies[0].wind.velocity[0] is"},
    {"HugeBox",
     [](json&, json& b) { b["fixed"] = json::parse(R"({"box": [[-1e300, -1, -1], [0.1, 1, 1]]})"); }, ""},
};

class SceneEffects : public testing::TestWithParam<Change> {};

TEST_P(SceneEffects, AreThereOrMissed) {
  json scene = good_scene();
  GetParam().change(scene, scene["bodies"][0]);
  const std::string refusal = refusal_of(scene), expected = GetParam().refusal;
  if (expected.empty()) {
    EXPECT_EQ(refusal, "");
  } else {
    EXPECT_TRUE(refusal.starts_with("scene.json: " + expected)) << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(OfValues, SceneEffects, testing::ValuesIn(changes),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace limber::scene_effects_test
