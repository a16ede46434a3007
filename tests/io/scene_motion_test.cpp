#include "limber/io/scene_motion.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/scene_file.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace limber::scene_motion_test {
namespace {

using nlohmann::json;

/// A beam on a moving support with a constraint at its tip.
json good_scene() {
  return json::parse(R"({
    "bodies": [{"method": "warped", "mesh": "builtin:beam?size=1,0.2,0.2&cells=3,1,1",
                "material": {"young": 1e5, "poisson": 0.3},
                "fixed": {"where": "x < 0.1"},
                "constraints": [{"name": "tip", "nearest": [1, 0, 0], "hold": "both",
                                 "keys": [{"time": 0}, {"time": 1, "position": [0, 0, 0.1], "rotation": [0.6, 0, 0, 0.8]}],
                                 "exercised": {"where": "x > 0.9"}, "from": 0.25, "to": 2}],
                "constraint_priority": "orientation",
                "support": {"keys": [{"time": 0}, {"time": 2, "position": [1, 0, 0]}], "interpolation": "linear"},
                "coriolis": true}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 100, "integrator": "exact"},
    "output": {"animation": "a.glb", "animation_tolerance": 0.01}})");
}

Scene parse(const json& scene, const std::filesystem::path& folder = {}) {
  return parse_scene(scene.dump(), folder, "scene.json");
}

TEST(SceneMotion, ReadsConstraintsAndSupport) {
  const Scene scene = parse(good_scene());
  EXPECT_EQ(scene.bodies[0].method, Method::warped);
  EXPECT_EQ(scene.solver.modal_integrator, ModalIntegrator::exact);
  EXPECT_EQ(scene.output.animation_tolerance, 0.01);
  const SceneBody& body = scene.bodies[0];
  EXPECT_EQ(body.constraint_priority, ConstraintPriority::orientation);
  EXPECT_TRUE(body.coriolis);
  ASSERT_EQ(body.constraints.size(), 1u);
  const BodyConstraint& constraint = body.constraints[0];
  EXPECT_EQ(constraint.name, "tip");
  EXPECT_EQ(constraint.hold, Hold::both);
  EXPECT_EQ(constraint.frame, MotionFrame::support);
  EXPECT_EQ(constraint.exercised.where, "x > 0.9");
  EXPECT_EQ(constraint.from, 0.25);
  EXPECT_EQ(constraint.to, 2.0);
  const Pose end = constraint.motion(1.0);
  EXPECT_LT((end.position - Vector3(0, 0, 0.1)).norm(), 1e-15);
  EXPECT_LT(end.rotation.angularDistance(Eigen::Quaterniond(0.8, 0.6, 0, 0)), 1e-12);
  // Linear keys are half way at half time.
  EXPECT_LT((body.support(0.5).position - Vector3(0.25, 0, 0)).norm(), 1e-15);
}

TEST(SceneMotion, IsReadForAllMethodsThatAreMoved) {
  for (const char* method : {"full", "reduced", "linear"}) {
    json scene = good_scene();
    json& body = scene["bodies"][0];
    body["method"] = method;
    for (const char* key : {"constraint_priority", "coriolis"}) body.erase(key);
    for (const char* key : {"hold", "exercised"}) body["constraints"][0].erase(key);
    for (json* object : {&scene["solver"], &scene["output"]}) {
      object->erase("integrator");
      object->erase("animation_tolerance");
    }
    const SceneBody read = parse(scene).bodies[0];
    EXPECT_TRUE(read.support) << method;
    ASSERT_EQ(read.constraints.size(), 1u) << method;
    EXPECT_EQ(read.constraints[0].to, 2.0) << method;
  }
}

TEST(SceneMotion, WithoutMotionHoldsVerticesAsTheyAre) {
  json scene = good_scene();
  scene["bodies"][0]["constraints"][0].erase("keys");
  EXPECT_FALSE(parse(scene).bodies[0].constraints[0].motion);
}

/// A node "hand" that moves from (0, 1, 0) to (0, 3, 0) within a second and turns about y by 90 degrees.
void write_character(const std::filesystem::path& path) {
  GlbBuilder builder;
  const float half = std::sqrt(0.5F);
  const int times = builder.add_floats(Eigen::RowVector2f(0.0F, 1.0F), false);
  Eigen::Matrix<float, 3, 2> places;
  places << 0, 0, 1, 3, 0, 0;
  Eigen::Matrix<float, 4, 2> turns;
  turns << 0, 0, 0, half, 0, 0, 1, half;
  const int translations = builder.add_floats(places, false), rotations = builder.add_floats(turns, false);
  json& document = builder.document;
  document["nodes"] = {{{"name", "hand"}}};
  document["scenes"] = {{{"nodes", {0}}}};
  document["scene"] = 0;
  document["animations"] = {
      {{"samplers",
        {{{"input", times}, {"output", translations}}, {{"input", times}, {"output", rotations}}}},
       {"channels",
        {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}},
         {{"sampler", 1}, {"target", {{"node", 0}, {"path", "rotation"}}}}}}}};
  write_file(path, builder.encode(path.string()));
}

TEST(SceneMotion, FollowsAJointInTheAxesAndUnitsOfTheScene) {
  const test::ScratchFolder folder;
  write_character(folder / "walk.glb");
  json scene = good_scene();
  json& constraint = scene["bodies"][0]["constraints"][0];
  constraint.erase("keys");
  constraint["follow"] = {{"file", "walk.glb"}, {"joint", "hand"}, {"scale", 0.1}};
  const Scene found = parse(scene, folder.path());
  EXPECT_EQ(found.bodies[0].constraints[0].frame, MotionFrame::world);
  const PoseFunction& motion = found.bodies[0].constraints[0].motion;
  EXPECT_LT(motion(0.0).position.norm(), 1e-7) << "the motion is not from the start";
  // A point above the hand's first place goes up by 2 of the file's units; y there is z here.
  EXPECT_LT((motion(1.0).apply(Vector3(0, 0, 0.5)) - Vector3(0, 0, 0.7)).norm(), 1e-7);
  // A turn about y there is one about z here: x goes to y.
  EXPECT_LT((motion(1.0).rotation * Vector3::UnitX() - Vector3::UnitY()).norm(), 1e-6);
  EXPECT_NE(std::find(found.inputs.begin(), found.inputs.end(), folder / "walk.glb"), found.inputs.end());
}

TEST(SceneMotion, NamesTheNearestJoint) {
  const test::ScratchFolder folder;
  write_character(folder / "walk.glb");
  json scene = good_scene();
  scene["bodies"][0]["support"] = {{"follow", {{"file", "walk.glb"}, {"joint", "hnad"}}}};
  try {
    (void)parse(scene, folder.path());
    FAIL() << "an unknown joint was taken";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("bodies[0].support.follow: "), std::string::npos) << message;
    EXPECT_NE(message.find("'hand'"), std::string::npos) << message;
  }
}

TEST(SceneMotion, FollowsAMotionCaptureAndPointsBetweenItsJoints) {
  const test::ScratchFolder folder;
  write_file(
      folder / "jump.bvh",
      "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT head\n{\n"
      "OFFSET 0 60 0\nCHANNELS 1 Zrotation\nEnd Site\n{\nOFFSET 20 0 0\n}\n}\n}\n"
      "MOTION\nFrames: 2\nFrame Time: 0.5\n0 90 0 0\n10 130 0 90\n");
  json scene = good_scene();
  json& constraint = scene["bodies"][0]["constraints"][0];
  constraint.erase("keys");
  /// Where a point goes that is at `from` in the beginning.
  const auto carried = [&](const json& joint, const json& weights, const Vector3& from) {
    constraint["follow"] = {{"file", "jump.bvh"}, {"joint", joint}, {"scale", 0.01}};
    if (!weights.is_null()) constraint["follow"]["weights"] = weights;
    return parse(scene, folder.path()).bodies[0].constraints[0].motion(0.5).apply(from);
  };
  // Up is y there and z here.
  EXPECT_LT((carried("hips", {}, {0.0, 0.0, 0.9}) - Vector3(0.1, 0.0, 1.3)).norm(), 1e-12);
  EXPECT_LT((carried("head end", {}, {0.2, 0.0, 1.5}) - Vector3(0.1, 0.0, 2.1)).norm(), 1e-12);
  const json both = {"hips", "head end"};
  EXPECT_LT((carried(both, {}, {0.1, 0.0, 1.2}) - Vector3(0.1, 0.0, 1.7)).norm(), 1e-12);
  EXPECT_LT((carried(both, {0.25, 0.75}, {0.15, 0.0, 1.35}) - Vector3(0.1, 0.0, 1.9)).norm(), 1e-12);
  const std::string refused = test::error_text([&] { (void)carried(both, {0.25, 0.25}, {0.0, 0.0, 0.0}); });
  EXPECT_NE(refused.find("add up to 0.5, expected 1"), std::string::npos) << refused;
}

TEST(SceneMotion, ReadsAFollowedFileOnce) {
  const test::ScratchFolder folder;
  write_character(folder / "walk.glb");
  FollowedAnimations animations;
  const JointAnimation& first = animations.find(folder / "walk.glb", "");
  std::filesystem::remove(folder / "walk.glb");
  EXPECT_EQ(&animations.find(folder.path() / "." / "walk.glb", ""), &first);
}

struct Refusal {
  std::string name;
  std::function<void(json&)> spoil;  ///< the body
  std::string message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class SceneMotionRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(SceneMotionRefusal, IsInOneLineAtThePlace) {
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
json& tip(json& scene) { return scene["bodies"][0]["constraints"][0]; }

INSTANTIATE_TEST_SUITE_P(
    All, SceneMotionRefusal,
    testing::Values(
        Refusal{
            "TheFullMethod",
            [](json& s) {
              body(s)["method"] = "full";
              s["solver"]["integrator"] = "newmark";
            },
            "bodies[0].constraint_priority: a dynamic body of the method 'full' has no use for it (used by "
            "dynamic 'linear', 'warped')"},
        Refusal{"AnOrientationOfAReducedBody",
                [](json& s) {
                  body(s)["method"] = "reduced";
                  s["solver"]["integrator"] = "newmark";
                  for (const char* key : {"constraint_priority", "coriolis"}) body(s).erase(key);
                  tip(s).erase("exercised");
                },
                "bodies[0].constraints[0].hold: a dynamic body of the method 'reduced' has no use for it"},
        Refusal{"Statics", [](json& s) { s["solver"]["type"] = "static"; },
                "bodies[0].constraint_priority: a static body of the method 'warped' has no use for it"},
        Refusal{"AQuaternionOfAnotherLength",
                [](json& s) {
                  tip(s)["keys"][1]["rotation"] = {0, 0, 0, 2};
                },
                "bodies[0].constraints[0].keys[1].rotation: a unit quaternion x, y, z, w is expected, this "
                "one is of length 2"},
        Refusal{"KeysThatDoNotAscend", [](json& s) { tip(s)["keys"][1]["time"] = 0; },
                "bodies[0].constraints[0].keys[1]: its time is 0 s"},
        Refusal{"AHalfTurn",
                [](json& s) {
                  tip(s)["keys"][1]["rotation"] = {1, 0, 0, 0};
                },
                "bodies[0].constraints[0].keys: "},
        Refusal{"TwoMotions",
                [](json& s) {
                  tip(s)["follow"] = {{"file", "a.glb"}, {"joint", "hand"}};
                },
                "bodies[0].constraints[0]: 'keys' and 'follow' exclude each other"},
        Refusal{"InterpolationOfWhatIsFollowed",
                [](json& s) {
                  tip(s).erase("keys");
                  tip(s)["follow"] = {{"file", "a.glb"}, {"joint", "hand"}};
                  tip(s)["interpolation"] = "linear";
                },
                "bodies[0].constraints[0].interpolation: it has no use without 'keys'; leave it out"},
        Refusal{"CoriolisForcesOfLinearModes", [](json& s) { body(s)["method"] = "linear"; },
                "bodies[0].coriolis: a dynamic body of the method 'linear' has no use for it"},
        Refusal{"ASupportThatDoesNotMove", [](json& s) { s["bodies"][0]["support"] = json::object(); },
                "bodies[0].support: it has no motion"},
        Refusal{"AnEndBeforeTheStart", [](json& s) { tip(s)["to"] = 0.1; },
                "bodies[0].constraints[0]: it ends at 0.1 s, before it starts at 0.25 s"},
        Refusal{"ExercisedVerticesThatAreNone", [](json& s) { tip(s)["exercised"] = json::object(); },
                "bodies[0].constraints[0].exercised: no vertices given"},
        Refusal{"CentralDifferences", [](json& s) { s["solver"]["integrator"] = "central-differences"; },
                "solver.integrator is 'central-differences', but bodies[0] moves by the method 'warped', "
                "which takes "
                "'newmark', 'semi-implicit', 'exact'"},
        Refusal{"NewmarkParameters", [](json& s) { s["solver"]["gamma"] = 0.6; },
                "solver.gamma: a dynamic scene of the method 'warped' has no use for it"},
        Refusal{
            "ExactStepsOfAFullBody",
            [](json& s) {
              body(s)["method"] = "full";
              for (const char* key : {"constraints", "constraint_priority", "coriolis"}) body(s).erase(key);
            },
            "solver.integrator is 'exact', but bodies[0] moves by the method 'full', which takes 'newmark', "
            "'central-differences'"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace limber::scene_motion_test
