// What bodies meet, in scene files.
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <numbers>

namespace limber::scene_contact_test {
namespace {

using nlohmann::json;
using test::error_text;

json good_scene() {
  return json::parse(R"({
    "bodies": [{"method": "reduced", "mesh": "builtin:beam?size=1,0.2,0.2&cells=3,1,1",
                "material": {"young": 1e5, "poisson": 0.3}, "fixed": "none",
                "contact": {"friction": 0.25, "restitution": 0.5, "compliance": 1e-4}}],
    "gravity": [0, -9.81, 0],
    "ground": {"height": -2, "friction": 0.75, "restitution": 0.125, "compliance": 1e-5},
    "obstacles": [
      {"shape": "box", "size": [1, 2, 3], "position": [0, -1, 0],
       "keys": [{"time": 0}, {"time": 1, "position": [0, 0.5, 0]}], "interpolation": "linear"},
      {"name": "slope", "shape": "half-space", "rotation": [0.6, 0, 0, 0.8]},
      {"shape": "capsule", "radius": 0.5, "length": 3, "position": [9, 0, 0], "friction": 2},
      {"shape": "height-field", "heights": [[0, 1, 2], [3, 4, 5]], "spacing": 0.5, "position": [9, 0, 0]}],
    "rigid": [{"name": "ball", "shape": "sphere", "radius": 0.1, "density": 500, "position": [0, 1, 0],
               "velocity": [1, 0, 0], "angular_velocity": [0, 0, 2], "restitution": 0.5}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 10}})");
}

Scene parse(const json& scene, const std::filesystem::path& folder = {}) {
  return parse_scene(scene.dump(), folder, "scene.json");
}

TEST(SceneContact, IsReadAsItIsGiven) {
  const Scene scene = parse(good_scene());
  ASSERT_TRUE(scene.bodies[0].contact.has_value());
  EXPECT_TRUE(*scene.bodies[0].contact);
  EXPECT_EQ(scene.bodies[0].surface, (ContactMaterial{0.25, 0.5, 1e-4}));
  ASSERT_EQ(scene.obstacles.size(), 5U);
  const Obstacle& ground = scene.obstacles[0];
  EXPECT_EQ(ground.name, "ground");
  EXPECT_EQ(ground.material, (ContactMaterial{0.75, 0.125, 1e-5}));
  // Level with respect to gravity.
  EXPECT_LT((ground.pose.position - Vector3(0, -2, 0)).norm(), 1e-15);
  EXPECT_LT((ground.pose.rotation * Vector3::UnitZ() - Vector3::UnitY()).norm(), 1e-15);
  const Obstacle& box = scene.obstacles[1];
  EXPECT_EQ(box.name, "obstacle0");
  EXPECT_EQ(box.material, ContactMaterial{});
  EXPECT_EQ(std::get<Box>(box.shape).half, Vector3(0.5, 1.0, 1.5));
  EXPECT_LT((box.motion(0.5).position - Vector3(0, -0.75, 0)).norm(), 1e-15);
  EXPECT_EQ(scene.obstacles[2].name, "slope");
  EXPECT_LT(scene.obstacles[2].pose.rotation.angularDistance(Eigen::Quaterniond(0.8, 0.6, 0, 0)), 1e-12);
  EXPECT_FALSE(scene.obstacles[2].motion);
  EXPECT_EQ(std::get<Capsule>(scene.obstacles[3].shape).half_length, 1.5);
  EXPECT_EQ(scene.obstacles[3].material.friction, 2.0);
  EXPECT_EQ(std::get<std::shared_ptr<const HeightField>>(scene.obstacles[4].shape)->height(0.5, 0.5), 4.0);
  ASSERT_EQ(scene.rigids.size(), 1U);
  const RigidBodySetup& ball = scene.rigids[0];
  EXPECT_EQ(std::get<Sphere>(ball.shape).radius, 0.1);
  EXPECT_EQ(ball.density, 500.0);
  EXPECT_EQ(ball.velocity, Vector3(1, 0, 0));
  EXPECT_EQ(ball.angular_velocity, Vector3(0, 0, 2));
  EXPECT_EQ(ball.material.restitution, 0.5);
}

TEST(SceneContact, GroundIsAtHeightZeroUnlessItSaysOtherwise) {
  json scene = good_scene();
  scene["ground"] = true;
  EXPECT_EQ(parse(scene).obstacles[0].pose.position, Vector3::Zero());
  scene["ground"] = false;
  EXPECT_EQ(parse(scene).obstacles.size(), 4U);
}

TEST(SceneContact, BodiesThatNothingHoldsTouchBySelfAndOthersWhereTheySaySo) {
  json scene = good_scene();
  scene.erase("rigid");
  scene["bodies"].push_back(scene["bodies"][0]);  // for which the ground is
  json& body = scene["bodies"][0];
  body.erase("contact");
  Scene read = parse(scene);
  EXPECT_TRUE(touches(read, read.bodies[0]));
  body["fixed"] = {{"where", "x < 0.01"}};
  read = parse(scene);
  EXPECT_FALSE(touches(read, read.bodies[0]));
  body["contact"] = true;
  read = parse(scene);
  EXPECT_TRUE(touches(read, read.bodies[0]));
}

/// What is said about a scene with a change.
std::string refusal(const char* patch) {
  json scene = good_scene();
  scene.merge_patch(json::parse(patch));
  return error_text([&] { parse(scene); });
}

TEST(SceneContact, BadNumbersAndShapesAreRefused) {
  EXPECT_EQ(refusal(R"({"ground": {"friction": -0.1}})"),
            "scene.json: ground.friction is -0.1, expected a number from 0 to 1000000");
  EXPECT_EQ(refusal(R"({"ground": {"restitution": 1.5}})"),
            "scene.json: ground.restitution is 1.5, expected a number from 0 to 1");
  EXPECT_EQ(refusal(R"({"rigid": [{"shape": "sphere", "radius": 1, "density": 0}]})"),
            "scene.json: rigid[0].density is 0, expected a number from 1e-20 to 1e+20");
  EXPECT_EQ(
      refusal(R"({"rigid": [{"shape": "half-space"}]})"),
      R"(scene.json: rigid[0].shape is "half-space", expected one of "box", "sphere", "capsule", "mesh")");
  EXPECT_EQ(refusal(R"({"obstacles": [{"shape": "spere", "radius": 1}]})"),
            R"(scene.json: obstacles[0].shape is "spere", expected one of "half-space", "box", "sphere", )"
            R"("capsule", "height-field", "mesh"; did you mean "sphere"?)");
  EXPECT_EQ(refusal(R"({"obstacles": [{"shape": "sphere"}]})"),
            "scene.json: obstacles[0].radius is missing; the shape 'sphere' needs it");
  EXPECT_EQ(refusal(R"({"obstacles": [{"shape": "box", "size": [1, 1, 0]}]})"),
            "scene.json: obstacles[0].size[2] is 0, expected a number from 1e-20 to 1e+20");
  EXPECT_EQ(refusal(R"({"obstacles": [{"shape": "sphere", "radius": 1, "length": 2}]})"),
            "scene.json: obstacles[0].length: the shape 'sphere' has no use for it; leave it out");
  EXPECT_EQ(
      refusal(R"({"obstacles": [{"shape": "height-field", "spacing": 1, "heights": [[0, 1], [2, 3, 4]]}]})"),
      "scene.json: obstacles[0].heights[1]: it has 3 heights, the first row 2");
  EXPECT_EQ(
      refusal(R"({"obstacles": [{"shape": "half-space", "rotation": [0, 0, 0, 2]}]})"),
      "scene.json: obstacles[0].rotation: a unit quaternion x, y, z, w is expected, this one is of length 2; "
      "divide it by that");
}

TEST(SceneContact, OpenMeshesAreRefused) {
  const test::ScratchFolder folder;
  SurfaceMesh surface = boundary_surface(make_beam({.size = {1.0, 1.0, 1.0}, .cells = {1, 1, 1}}));
  write_surface(folder / "closed.obj", surface);
  const Index count = surface.triangle_count() - 1;
  surface.triangles = surface.triangles.leftCols(count).eval();
  surface.part.pop_back();
  write_surface(folder / "open.obj", surface);
  json scene = good_scene();
  scene["obstacles"] = json::parse(R"([{"shape": "mesh", "mesh": "closed.obj"}])");
  const Scene closed = parse(scene, folder.path());
  EXPECT_EQ(closed.inputs.back(), folder / "closed.obj");
  scene["obstacles"][0]["mesh"] = "open.obj";
  const std::string said = error_text([&] { parse(scene, folder.path()); });
  EXPECT_TRUE(test::contains(said, "scene.json: obstacles[0].mesh: the surface is open at the edge")) << said;
}

TEST(SceneContact, WhatIsWrongWithAMeshIsToldWithItsKey) {
  const test::ScratchFolder folder;
  write_file(folder / "empty.obj", "");
  write_file(folder / "nan.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n");
  for (const char* list : {"obstacles", "rigid"}) {
    json scene = good_scene();
    scene["ground"] = false;
    scene["rigid"] = scene["obstacles"] = json::array();
    for (const auto& [name, what] : {std::pair("no.obj", "no such file"), std::pair(".", "is a folder"),
                                     std::pair("empty.obj", "is empty"), std::pair("nan.obj", "found nan")}) {
      scene[list] = {{{"shape", "mesh"}, {"mesh", name}}};
      const std::string said = error_text([&] { parse(scene, folder.path()); });
      EXPECT_TRUE(said.starts_with(fmt::format("scene.json: {}[0].mesh: ", list))) << said;
      EXPECT_TRUE(test::contains(said, what)) << said;
    }
    scene[list][0]["mesh"] = "builtin:beam";
    EXPECT_EQ(
        error_text([&] { parse(scene); }),
        fmt::format("scene.json: {}[0].mesh: 'builtin:beam' is a volume mesh made by code, expected a file "
                    "with a surface, closed triangles, of one of {}; give that",
                    list, surface_format_names()));
  }
  json scene = good_scene();
  scene["bodies"][0]["render"] = "no.obj";
  const std::string said = error_text([&] { parse(scene); });
  EXPECT_TRUE(said.starts_with("scene.json: bodies[0].render: no.obj: no such file")) << said;
}

TEST(SceneContact, NoTwoOfThoseThatTouchHaveOneName) {
  const json good = good_scene();
  const auto said = [&](const std::vector<std::pair<const char*, const char*>>& names) {
    json scene = good;
    for (const auto& [place, name] : names) scene[json::json_pointer(place)]["name"] = name;
    return error_text([&] { parse(scene); });
  };
  EXPECT_EQ(said({{"/bodies/0", "a"}, {"/rigid/0", "a"}}),
            "scene.json: rigid[0] is called 'a', as bodies[0] is, so that messages could mean either; choose "
            "another 'name'");
  EXPECT_TRUE(test::contains(said({{"/obstacles/0", "a"}, {"/obstacles/2", "a"}}),
                             "obstacles[2] is called 'a', as obstacles[0] is"));
  EXPECT_TRUE(test::contains(said({{"/obstacles/1", "ground"}}), "as ground is"));
  EXPECT_TRUE(test::contains(said({{"/rigid/0", "body0"}}), "as bodies[0] is"));
  json scene = good;
  scene["bodies"].push_back(scene["bodies"][0]);
  EXPECT_NO_THROW(parse(scene)) << "they are numbered";
  scene["bodies"][0]["name"] = scene["bodies"][1]["name"] = "b";
  EXPECT_TRUE(test::contains(error_text([&] { parse(scene); }), "bodies[1] is called 'b', as bodies[0] is"));
}

TEST(SceneContact, WhatIsFoundWhenABodyIsMadeNamesTheSceneAndThePlace) {
  const auto said = [](const char* patch) {
    json scene = good_scene();
    scene["bodies"][0]["name"] = "b";
    scene["bodies"][0]["basis"] = {{"modes", 2}, {"derivatives", 0}, {"rank", 3}};
    scene["bodies"][0].merge_patch(json::parse(patch));
    return error_text([&] { make_state(parse(scene)); });
  };
  EXPECT_EQ(
      said(R"({"constraints": [{"vertices": [9999]}]})"),
      "scene.json: bodies[0] ('b'): constraints[0]: vertex 9999 does not exist; the mesh has vertices 0 to "
      "15");
  EXPECT_EQ(said(R"({"constraints": [{}]})"),
            "scene.json: bodies[0] ('b'): constraints[0]: no vertices given; name some by 'vertices', 'box', "
            "'where' or 'nearest'");
  EXPECT_TRUE(test::contains(said(R"({"constraints": [{"where": "x > 99"}]})"),
                             R"(scene.json: bodies[0] ('b'): constraints[0]: "x > 99" chooses no vertex)"));
  EXPECT_TRUE(test::contains(said(R"({"fixed": {"vertices": [99]}})"),
                             "scene.json: bodies[0] ('b'): fixed: vertex 99 does not exist"));
  EXPECT_EQ(
      said(R"({"basis": {"contact": 3}})"),
      "scene.json: bodies[0].basis.contact is 3 of a 'rank' of 3, expected less: the other coordinates hold "
      "the motion");
  EXPECT_EQ(
      said(R"({"position": [1e20, 0, 0]})"),
      "scene.json: bodies[0].position is 1e+20 m from the origin, expected at most 1e+09 times the size of "
      "the body, 1.04 m: beyond, its shape is lost in rounding; let it stand nearer");
}

TEST(SceneContact, KeysWithoutAnEffectAreRefused) {
  // Steps in velocities know none of these.
  EXPECT_EQ(refusal(R"({"solver": {"beta": 0.3}})"),
            "scene.json: solver.beta: the motion of bodies that touch has no use for it; leave it out");
  EXPECT_EQ(refusal(R"({"ground": null, "obstacles": null, "rigid": null})"),
            "scene.json: bodies[0].contact: there is nothing that it could touch; give the scene 'ground', "
            "'obstacles' or 'rigid', or other bodies 'contact'");
  json scene = good_scene();
  scene["bodies"][0].erase("contact");
  scene["bodies"][0]["fixed"] = {{"where", "x < 0.01"}};
  scene.erase("obstacles");
  scene.erase("rigid");
  EXPECT_EQ(error_text([&] { parse(scene); }),
            "scene.json: ground: nothing in the scene touches it: bodies that nothing holds do unless their "
            "'contact' is false, and those that are held with 'contact' only; give them that");
  scene["bodies"][0]["method"] = "online";
  EXPECT_EQ(error_text([&] { parse(scene); }),
            "scene.json: ground: a dynamic scene of the method 'online' has no use for it (used by dynamic "
            "'full', 'reduced', 'linear', 'warped', trees of domains); leave it out");
}

TEST(SceneContact, BodiesOfEveryMethodButOnlineMeetGroundObstaclesAndRigidBodies) {
  for (const char* method : {"full", "reduced", "linear", "warped", "tree"}) {
    const bool tree = method == std::string_view("tree");
    json scene = good_scene();
    json& body = scene["bodies"][0];
    body["method"] = tree ? "reduced" : method;
    if (tree) body["domains"] = {{"from", "auto"}, {"count", 2}, {"rank", 4}};
    scene["ground"]["height"] = -0.11;
    scene["obstacles"] = json::parse(R"([{"shape": "half-space", "position": [0, 0, -9]}])");
    scene["solver"]["steps"] = 30;
    const Scene read = parse(scene);
    ASSERT_TRUE(touches(read, read.bodies[0])) << method;
    SceneState state = make_state(read);
    for (int i = 0; i < read.solver.steps; ++i)
      ASSERT_TRUE(step(read, state).ok()) << method << ", step " << i;
    const Vector3 impulse = state.world.contact_impulse({Touching::Of::body, 0});
    EXPECT_GT(impulse.y(), 0.0) << method << " does not lie on the ground";
  }
}

TEST(SceneContact, BodiesThatRigidOnesWouldPassThroughAreAskedWhatIsMeant) {
  json scene = good_scene();
  scene["bodies"][0].erase("contact");
  scene["bodies"][0]["fixed"] = {{"where", "x < 0.01"}};
  EXPECT_EQ(
      error_text([&] { parse(scene); }),
      "scene.json: rigid: they would pass through bodies[0], which is held and so touches with 'contact' "
      "only; give it 'contact': true, or false where that is meant");
  for (const bool on : {false, true}) {
    scene["bodies"][0]["contact"] = on;
    EXPECT_NO_THROW(parse(scene));
  }
}

TEST(SceneContact, FullBodiesThatTouchTakeTheLinearSolver) {
  json scene = good_scene();
  scene["solver"]["linear_solver"] = "cg";
  EXPECT_TRUE(
      test::contains(error_text([&] { parse(scene); }), "solver.linear_solver: the motion of bodies"));
  scene["bodies"][0]["method"] = "full";
  EXPECT_EQ(parse(scene).solver.linear_solver, SparseSolverKind::conjugate_gradient);
}

}  // namespace
}  // namespace limber::scene_contact_test
