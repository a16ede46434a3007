#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/scene_file.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace limber::quasistatic_scene_file_test {
namespace {

using nlohmann::json;

/// A beam that two bones bend, with a constraint at its tip.
json good_scene() {
  return json::parse(R"({
    "bodies": [{"method": "online", "mesh": "builtin:beam?size=1,0.2,0.2&cells=2,1,1",
                "material": {"young": 1e5, "poisson": 0.3},
                "fixed": {"where": "x < 0.1"},
                "loads": [{"where": "x > 0.9", "force": [0, 0, 1]}, {"acceleration": [0, 1, 2], "from": 0.5, "to": 2}],
                "constraints": [{"nearest": [1, 0, 0], "keys": [{"time": 0}, {"time": 1, "position": [0, 0, 0.1]}]}],
                "skin": {"bones": [{"name": "root", "from": [0, 0, 0], "to": [0.4, 0, 0]},
                                   {"name": "tip", "from": [0.5, 0, 0], "to": [1, 0, 0],
                                    "keys": [{"time": 0}, {"time": 1, "position": [0, 0, 0.1], "rotation": [0, 0, 0.6, 0.8]}]}],
                         "radius": 0.1}}],
    "solver": {"type": "quasistatic", "timestep": 0.01, "steps": 100,
               "online": {"error": 0.01, "throttle": 2, "max_rank": 30, "error_threshold": 0.3,
                          "discard_threshold": 0.2, "cubature_error": 0.02, "seed": 7}},
    "output": {"timeline": "bars.svg"}})");
}

Scene parse(const json& scene, const std::filesystem::path& folder = {}) {
  return parse_scene(scene.dump(), folder, "scene.json");
}

TEST(QuasistaticSceneFile, IsReadWithAllItsSettings) {
  const Scene scene = parse(good_scene());
  EXPECT_EQ(scene.solver.type, SimulationType::quasistatic);
  EXPECT_EQ(scene.bodies[0].method, Method::online);
  EXPECT_EQ(scene.solver.timestep, 0.01);
  EXPECT_EQ(scene.solver.steps, 100);
  const OnlineSettings& online = scene.solver.online;
  EXPECT_EQ(online.error, 0.01);
  EXPECT_EQ(online.throttle, 2.0);
  EXPECT_EQ(online.max_rank, 30);
  EXPECT_EQ(online.error_threshold, 0.3);
  EXPECT_EQ(online.discard_threshold, 0.2);
  EXPECT_EQ(online.cubature_error, 0.02);
  EXPECT_EQ(online.seed, 7u);
  EXPECT_EQ(scene.output.timeline, "bars.svg");
  EXPECT_EQ(scene.bodies[0].constraints.size(), 1u);
}

TEST(QuasistaticSceneFile, HasTheDefaultsOfTheSettings) {
  json scene = good_scene();
  scene["solver"].erase("online");
  const OnlineSettings found = parse(scene).solver.online, standard;
  EXPECT_EQ(found.error, standard.error);
  EXPECT_EQ(found.throttle, standard.throttle);
  EXPECT_EQ(found.max_rank, standard.max_rank);
  EXPECT_FALSE(found.error_threshold || found.discard_threshold);
  EXPECT_EQ(found.cubature_error, standard.cubature_error);
  EXPECT_EQ(found.seed, standard.seed);
}

TEST(QuasistaticSceneFile, HasLoadsOnVerticesAndOnTheWholeBody) {
  const SceneBody body = parse(good_scene()).bodies[0];
  ASSERT_EQ(body.loads.size(), 1u);
  EXPECT_EQ(body.loads[0].force, Vector3(0, 0, 1));
  ASSERT_EQ(body.accelerations.size(), 1u);
  EXPECT_EQ(body.accelerations[0].acceleration, Vector3(0, 1, 2));
  EXPECT_EQ(body.accelerations[0].from, 0.5);
  EXPECT_EQ(body.accelerations[0].to, 2.0);
}

TEST(QuasistaticSceneFile, TurnsBonesAboutTheirFirstEnds) {
  const Skeleton skin = parse(good_scene()).bodies[0].skin;
  ASSERT_EQ(skin.bones.size(), 2u);
  EXPECT_EQ(skin.radius, 0.1);
  EXPECT_EQ(skin.bones[0].name, "root");
  EXPECT_FALSE(skin.bones[0].motion);
  EXPECT_EQ(skin.bones[1].segment.to, Vector3(1, 0, 0));
  const Pose end = skin.bones[1].motion(1.0);
  EXPECT_LT((end.apply(Vector3(0.5, 0, 0)) - Vector3(0.5, 0, 0.1)).norm(), 1e-14);
  // cos = 0.8^2 - 0.6^2, sin = 2 * 0.6 * 0.8.
  EXPECT_LT((end.apply(Vector3(1, 0, 0)) - Vector3(0.5 + 0.5 * 0.28, 0.5 * 0.96, 0.1)).norm(), 1e-14);
}

TEST(QuasistaticSceneFile, ReadsWeightsOfBones) {
  const test::ScratchFolder folder;
  std::string lines;
  for (int v = 0; v < 12; ++v) lines += fmt::format("{},{},1\n", v, v < 6 ? "root" : "tip");
  write_file(folder / "weights.csv", lines);
  json scene = good_scene();
  scene["bodies"][0]["skin"].erase("radius");
  scene["bodies"][0]["skin"]["weights"] = "weights.csv";
  const Scene found = parse(scene, folder.path());
  ASSERT_EQ(found.bodies[0].skin.weights.cols(), 12);
  EXPECT_EQ(found.bodies[0].skin.weights(1, 11), 1.0);
  EXPECT_NE(std::find(found.inputs.begin(), found.inputs.end(), folder / "weights.csv"), found.inputs.end());
}

TEST(QuasistaticSceneFile, TakesAMovingSupportInPlaceOfASkin) {
  json scene = good_scene();
  scene["bodies"][0].erase("skin");
  scene["bodies"][0]["support"] = {{"keys", {{{"time", 0}}, {{"time", 1}, {"position", {1, 0, 0}}}}}};
  EXPECT_LT((parse(scene).bodies[0].support(1.0).position - Vector3(1, 0, 0)).norm(), 1e-14);
}

struct Refusal {
  std::string name;
  std::function<void(json&)> spoil;
  std::string message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class QuasistaticSceneFileRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(QuasistaticSceneFileRefusal, IsInOneLineAtThePlace) {
  json scene = good_scene();
  GetParam().spoil(scene);
  std::string message = "no error";
  try {
    (void)parse(scene);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

json& body(json& scene) { return scene["bodies"][0]; }
json& tip(json& scene) { return body(scene)["constraints"][0]; }

INSTANTIATE_TEST_SUITE_P(
    All, QuasistaticSceneFileRefusal,
    testing::Values(
        Refusal{
            "TheReducedMethod", [](json& s) { body(s)["method"] = "reduced"; },
            "scene.json: bodies[0].method is 'reduced', but a quasistatic solver takes 'full' or 'online'"},
        Refusal{"OnlineStatics", [](json& s) { s["solver"]["type"] = "static"; },
                "scene.json: bodies[0].method is 'online', which learns from steps"},
        Refusal{"NoSteps", [](json& s) { s["solver"].erase("steps"); },
                "solver.steps is missing; a quasistatic solver needs it"},
        Refusal{"OnlineCentralDifferences",
                [](json& s) { s["solver"]["integrator"] = "central-differences"; },
                "solver.integrator: a quasistatic scene of the method 'online' has no use for it"},
        Refusal{"AnErrorOfZero", [](json& s) { s["solver"]["online"]["error"] = 0; },
                "solver.online.error is 0"},
        Refusal{"ANegativeThrottle", [](json& s) { s["solver"]["online"]["throttle"] = -1; },
                "solver.online.throttle is -1"},
        Refusal{"ARankOfOne", [](json& s) { s["solver"]["online"]["max_rank"] = 1; },
                "solver.online.max_rank is 1"},
        Refusal{"ADynamicSkin",
                [](json& s) {
                  s["solver"]["type"] = "dynamic";
                  body(s).erase("constraints");
                },
                "bodies[0].skin: a dynamic body of the method 'online' has no use for it"},
        Refusal{"AnOrientation", [](json& s) { tip(s)["hold"] = "orientation"; },
                "bodies[0].constraints[0].hold: "},
        Refusal{"AStart", [](json& s) { tip(s)["from"] = 0.5; },
                "bodies[0].constraints[0].from: a quasistatic body of the method 'online' has no use for it"},
        Refusal{"AnEnd", [](json& s) { tip(s)["to"] = 0.5; },
                "bodies[0].constraints[0].to: a quasistatic body of the method 'online' has no use for it"},
        Refusal{"ExercisedVertices",
                [](json& s) {
                  tip(s)["exercised"] = {{"where", "x > 0.9"}};
                },
                "bodies[0].constraints[0].exercised: a quasistatic body of the method 'online' has no use "
                "for it"},
        Refusal{"SkinAndSupport",
                [](json& s) {
                  body(s)["support"] = {{"keys", {{{"time", 0}}}}};
                },
                "bodies[0].skin: 'skin' and 'support' exclude each other"},
        Refusal{"NeitherRadiusNorWeights", [](json& s) { body(s)["skin"].erase("radius"); },
                "bodies[0].skin: 'radius' is missing"},
        Refusal{"BonesOfOneName", [](json& s) { body(s)["skin"]["bones"][0]["name"] = "tip"; },
                "bodies[0].skin.bones[1].name: another bone is called 'tip'"},
        Refusal{"NoBones", [](json& s) { body(s)["skin"]["bones"] = json::array(); },
                "bodies[0].skin.bones is []"},
        Refusal{"ABoneWithoutEnd", [](json& s) { body(s)["skin"]["bones"][0].erase("to"); },
                "bodies[0].skin.bones[0].to is missing"},
        Refusal{"WeightsThatAreNotThere",
                [](json& s) {
                  body(s)["skin"].erase("radius");
                  body(s)["skin"]["weights"] = "none.csv";
                },
                "bodies[0].skin.weights: "},
        Refusal{"ALoadWithoutForce", [](json& s) { body(s)["loads"][0].erase("force"); },
                "bodies[0].loads[0]: 'force', 'total_force', 'acceleration', 'pressure' or 'traction' is "
                "missing"},
        Refusal{"ALoadOfTwoKinds",
                [](json& s) {
                  body(s)["loads"][0]["acceleration"] = {0, 0, 1};
                },
                "bodies[0].loads[0]: 'force' and 'acceleration' exclude each other"},
        Refusal{"AnAccelerationOfVertices", [](json& s) { body(s)["loads"][1]["where"] = "x > 0"; },
                "bodies[0].loads[1]: 'acceleration' acts on the whole body"},
        Refusal{"ATimelineOfAFullRun",
                [](json& s) {
                  body(s)["method"] = "full";
                  s["solver"].erase("online");
                },
                "scene.json: output.timeline: a quasistatic scene of the method 'full' has no use for it"},
        Refusal{"ATimelineOfAnotherFormat", [](json& s) { s["output"]["timeline"] = "bars.pdf"; },
                "scene.json: output.timeline is 'bars.pdf', expected a name that ends in .svg or .png"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace limber::quasistatic_scene_file_test
