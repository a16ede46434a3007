// Scenes whose bodies meet ground, obstacles and rigid bodies.
#include "limber/base/error.hpp"
#include "limber/scene/placing.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::contact_scene_test {
namespace {

using test::contains;
using test::error_text;

/// A rubber block of 0.4 x 0.2 x 0.2 m that nothing holds, its lowest side at z = -0.1.
SceneBody block(const std::string& name = "block") {
  SceneBody body;
  body.name = name;
  body.method = Method::reduced;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(0.4, 0.2, 0.2), Eigen::Vector3i(4, 2, 2)});
  body.materials = {test::material("stvk", 2e5)};
  body.damping = {0.0, 0.002};
  body.reduction.basis.modes = 4;
  body.reduction.basis.rank = 6;
  return body;
}

Obstacle ground(double height) {
  Obstacle obstacle;
  obstacle.name = "ground";
  obstacle.shape = HalfSpace{};
  obstacle.pose.position.z() = height;
  return obstacle;
}

RigidBodySetup ball(const Vector3& position) {
  RigidBodySetup rigid;
  rigid.name = "ball";
  rigid.shape = Sphere{0.05};
  rigid.pose.position = position;
  return rigid;
}

Scene drop_scene() {
  Scene scene;
  scene.bodies = {block()};
  scene.gravity = {0, 0, -9.81};
  scene.obstacles = {ground(-0.15)};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = 300;
  scene.solver.timestep = 0.005;
  scene.solver.threads = 1;
  return scene;
}

void run(const Scene& scene, SceneState& state, int steps) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(step(scene, state).ok()) << "step " << i;
}

/// Lowest and highest vertex.
std::pair<double, double> heights(const Scene& scene, const SceneState& state) {
  const Matrix3X moved = scene.bodies[0].mesh.vertices + mesh_displacement(scene, state, 0);
  return {moved.row(2).minCoeff(), moved.row(2).maxCoeff()};
}

TEST(ContactScene, ABodyThatIsDroppedRestsOnTheGround) {
  const Scene scene = drop_scene();
  SceneState state = make_state(scene);
  run(scene, state, scene.solver.steps);
  const auto [low, high] = heights(scene, state);
  EXPECT_NEAR(low, -0.15, 0.002);  // 1 % of its height
  EXPECT_NEAR(high, 0.05, 0.01);   // less what it sags
  EXPECT_LT(state.body(0).energy().kinetic, 1e-6);
  const double weight = state.body(0).momentum().mass * 9.81;
  EXPECT_NEAR(state.world.contact_impulse({Touching::Of::body, 0}).z() / scene.solver.timestep, weight,
              1e-3 * weight);
}

TEST(ContactScene, ABodyThatIsHeldTouchesWhereItSaysSo) {
  Scene scene = drop_scene();
  scene.bodies[0].fixed.where = "x < 0.01";
  scene.rigids = {ball({0.35, 0.0, 0.16})};
  scene.obstacles.clear();
  EXPECT_FALSE(touches(scene, scene.bodies[0]));
  SceneState past = make_state(scene);
  run(scene, past, 100);
  EXPECT_LT(past.world.rigid(0).center().z(), -0.5);  // it fell through
  scene.bodies[0].contact = true;
  SceneState met = make_state(scene);
  run(scene, met, 20);
  EXPECT_GT(met.world.rigid(0).center().z(), 0.1);
  EXPECT_LT(heights(scene, met).first, -0.101);  // bent by it
}

TEST(ContactScene, ABodyThatSaysNoFallsThrough) {
  Scene scene = drop_scene();
  scene.bodies[0].contact = false;
  SceneState state = make_state(scene);
  run(scene, state, 100);
  EXPECT_LT(heights(scene, state).second, -0.5);
}

TEST(ContactScene, GravityActsOnRigidBodies) {
  Scene scene = drop_scene();
  scene.obstacles.clear();
  scene.rigids = {ball({0.0, 0.0, 3.0})};
  SceneState state = make_state(scene);
  run(scene, state, 100);
  EXPECT_NEAR(state.world.rigid(0).center().z(), 3.0 - 0.5 * 9.81 * 0.25, 1e-3);
}

TEST(ContactScene, FullAndWarpedBodiesRestOnTheGroundToo) {
  for (const Method method : {Method::full, Method::warped}) {
    Scene scene = drop_scene();
    scene.bodies[0].method = method;
    SceneState state = make_state(scene);
    run(scene, state, scene.solver.steps);
    const auto [low, high] = heights(scene, state);
    EXPECT_NEAR(low, -0.15, 0.002) << name_of(method);
    EXPECT_NEAR(high, 0.05, 0.01) << name_of(method);
    const double weight = state.body(0).momentum().mass * 9.81;
    EXPECT_NEAR(state.world.contact_impulse({Touching::Of::body, 0}).z() / scene.solver.timestep, weight,
                1e-2 * weight)
        << name_of(method);
  }
}

TEST(ContactScene, WhatCannotTouchIsRefused) {
  Scene learning = drop_scene();
  learning.bodies[0].method = Method::online;
  EXPECT_TRUE(contains(error_text([&] { make_state(learning); }), "does not take contact with others"));
  learning.bodies[0].contact = false;
  EXPECT_NO_THROW(make_state(learning));
  for (const Method method : {Method::full, Method::warped}) {
    Scene windy = drop_scene();
    windy.bodies[0].method = method;
    windy.bodies[0].wind.velocity = Vector3(5.0, 0.0, 0.0);
    EXPECT_TRUE(contains(error_text([&] { make_state(windy); }), "wind")) << name_of(method);
  }
  Scene scene = drop_scene();
  scene.bodies[0].fixed.where = "x < 0.01";
  scene.bodies[0].contact = true;
  scene.bodies[0].support = [](double t) {
    return Pose{Vector3(0, 0, 0.1 * t), Eigen::Quaterniond::Identity()};
  };
  scene.source = "scene.json";
  EXPECT_EQ(error_text([&] { make_state(scene); }),
            "scene.json: bodies[0] ('block'): support: a body of the method 'reduced' that may touch others "
            "takes no supports that move; let it touch nothing");
}

TEST(ContactScene, ConstraintsThatBodiesCannotHaveThereAreRefusedAtTheStart) {
  for (const Method method : {Method::full, Method::warped}) {
    for (const bool held : {false, true}) {
      Scene scene = drop_scene();
      scene.bodies[0].method = method;
      scene.bodies[0].contact = true;
      if (held) scene.bodies[0].fixed.where = "x < 0.01";
      BodyConstraint late;
      late.where.where = "x > 0.39";
      late.from = 1.0;  // s, long after the start
      scene.bodies[0].constraints = {late};
      const std::string said = error_text([&] { make_state(scene); });
      EXPECT_TRUE(said.starts_with("block: constraints[0]: a body")) << name_of(method) << ": " << said;
      EXPECT_TRUE(contains(said, "takes no handles")) << name_of(method) << ": " << said;
      scene.bodies[0].contact = false;
      EXPECT_NO_THROW(make_state(scene)) << name_of(method);
    }
  }
}

TEST(ContactScene, BodiesAtTheSamePlaceAreRefused) {
  for (const Method method : {Method::reduced, Method::full, Method::warped}) {
    Scene scene = drop_scene();
    scene.bodies = {block("one"), block("other")};
    scene.bodies[1].method = method;
    EXPECT_TRUE(contains(error_text([&] { make_state(scene); }), "one and other are at the same place"));
    scene.bodies[1].contact = false;
    EXPECT_NO_THROW(make_state(scene));
    scene.bodies[1].contact.reset();
    scene.bodies[1].mesh.vertices.row(2).array() += 0.2;  // it stands on the first
    EXPECT_TRUE(make_state(scene).overlaps.empty()) << name_of(method);
    scene.bodies[1].mesh.vertices.row(2).array() -= 0.04;
    const std::vector<StartOverlap> found = make_state(scene).overlaps;
    ASSERT_EQ(found.size(), 1U) << name_of(method);
    EXPECT_NEAR(found[0].share, 0.2, 0.05) << name_of(method);
    EXPECT_GT(found[0].depth, 0.01) << name_of(method);
  }
}

/// What is said against a scene; empty: nothing.
std::string refusal_of(const Scene& scene) {
  try {
    make_state(scene);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ContactScene, BodiesThatStartDeepInSomethingAreRefused) {
  Scene scene = drop_scene();
  scene.source = "deep.json";
  scene.bodies = {block("one"), block("other")};
  scene.bodies[1].mesh.vertices.row(2).array() += 0.1;
  const auto said = [&] { return refusal_of(scene); };
  EXPECT_TRUE(said().starts_with("deep.json: 50 % of one is inside of other at the start, up to 7"))
      << said();
  EXPECT_TRUE(
      contains(said(),
               " mm deep, expected at most 20 %, beyond which contact crushes instead of taking apart; "
               "give one of them another 'position', or a body 'contact': false"))
      << said();
  scene.bodies[1].mesh.vertices.row(2).array() += 0.2;
  EXPECT_EQ(said(), "");
  scene.rigids = {ball({0.2, 0.0, 0.07})};
  EXPECT_TRUE(contains(said(), "% of ball is inside of one at the start")) << said();
  scene.rigids[0].pose.position.z() = 0.14;  // a tenth of it
  EXPECT_EQ(said(), "");
  scene.rigids.clear();
  Obstacle post;
  post.name = "post";
  post.shape = Box{Vector3(0.05, 0.05, 0.3)};
  post.motion = [](double t) { return Pose{Vector3(0.2, 0.0, -0.15 + t), Eigen::Quaterniond::Identity()}; };
  scene.obstacles = {post};
  EXPECT_TRUE(contains(said(), "% of post is inside of one at the start")) << said();
  scene.obstacles[0].motion = nullptr;
  scene.obstacles[0].pose.position = Vector3(0.2, 0.0, -0.42);
  EXPECT_EQ(said(), "");
}

TEST(ContactScene, RigidBodiesAtTheSamePlaceAreRefusedToo) {
  Scene scene = drop_scene();
  scene.rigids = {ball({0.0, 0.0, 3.0}), ball({0.0, 0.0, 3.0})};
  scene.rigids[1].name = "twin";
  EXPECT_EQ(error_text([&] { make_state(scene); }),
            "ball and twin are at the same place, where contact cannot take them apart; give one of them "
            "another 'position'");
  scene.rigids[1].pose.position.x() = 0.05;  // they are rigid: nothing is crushed
  const std::vector<StartOverlap> found = make_state(scene).overlaps;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].share, 5.0 / 16.0, 0.05);  // of balls whose middles are a radius apart
}

TEST(ContactScene, WhatIsHeldInGroundOrAnObstacleIsRefused) {
  for (const Method method : {Method::reduced, Method::full, Method::warped}) {
    Scene scene = drop_scene();
    scene.source = "held.json";
    scene.bodies[0].method = method;
    scene.bodies[0].contact = true;
    scene.bodies[0].fixed.where = "z < -0.09";
    scene.obstacles = {ground(-0.1)};
    const auto said = [&] { return refusal_of(scene); };
    EXPECT_EQ(said(), "") << "it stands on the ground, " << name_of(method);
    scene.obstacles = {ground(-0.08)};
    EXPECT_EQ(said(),
              "held.json: block is held up to 20 mm deep in ground, where nothing can push it out; lower the "
              "ground, or give the body another 'position', or hold something else")
        << name_of(method);
    scene.bodies[0].fixed.where = "x < 0.01";
    EXPECT_TRUE(contains(said(), "held up to 20 mm deep in ground")) << said();
    scene.bodies[0].fixed.where = "z > 0.09";
    EXPECT_EQ(said(), "") << "it hangs, its lowest end a little too deep, " << name_of(method);
    scene.obstacles = {ground(-0.02)};
    EXPECT_TRUE(contains(said(),
                         "50 % of block is below ground at the start, up to 55 mm deep, where what "
                         "holds it keeps it"))
        << said();
    Obstacle wall;
    wall.name = "wall";
    wall.shape = Box{Vector3(0.2, 0.5, 0.5)};
    wall.pose.position = Vector3(-0.18, 0.0, 0.0);
    scene.obstacles = {wall};
    scene.bodies[0].fixed.where = "x < 0.01";
    EXPECT_TRUE(contains(said(),
                         "block is held up to 20 mm deep in wall, where nothing can push it out; move "
                         "the obstacle"))
        << said();
    scene.obstacles[0].pose.position.x() = -0.2;
    EXPECT_EQ(said(), "") << name_of(method);
  }
}

SceneBody tree_block(const std::string& name) {
  SceneBody tree = block(name);
  tree.domains.emplace();
  tree.domains->from = DomainSource::automatic;
  tree.domains->count = 2;
  tree.domains->rank = 6;
  return tree;
}

TEST(ContactScene, TreesLieOnTrees) {
  Scene scene = drop_scene();
  scene.bodies = {tree_block("one"), tree_block("other")};
  EXPECT_TRUE(contains(error_text([&] { make_state(scene); }), "one and other are at the same place"));
  scene.bodies[1].mesh.vertices.row(2).array() += 0.21;
  SceneState state = make_state(scene);
  EXPECT_TRUE(state.overlaps.empty());
  run(scene, state, scene.solver.steps);
  EXPECT_EQ(state.contact.untested, 0);
  EXPECT_EQ(state.contact.unsolved, 0);
  const Matrix3X upper = scene.bodies[1].mesh.vertices + mesh_displacement(scene, state, 1);
  EXPECT_NEAR(upper.row(2).minCoeff(), 0.05, 0.01);
}

TEST(ContactScene, NotesWhatCannotSeeEachOther) {
  Scene scene = drop_scene();
  Model small = make_state(scene).body(0).model();
  small.parts.front().model.simulation.reset();  // kept without its mesh
  scene.bodies = {block("one"), block("other")};
  for (SceneBody& body : scene.bodies) {
    body.model = std::make_shared<const Model>(small);
    body.materials.clear();
  }
  scene.bodies[1].model = placed(scene.bodies[1].model, {Vector3(0.0, 0.0, 0.21)}, "above");
  SceneState state = make_state(scene);
  run(scene, state, 40);
  EXPECT_EQ(state.contact.untested, 1);
  EXPECT_EQ(state.contact.unsolved, 0);
  EXPECT_GT(state.contact.deepest, 0.0);
}

std::string saved(const SceneState& state) {
  StateWriter out;
  save(state, 0, out);
  save_world(state, out);
  return out.bytes();
}

TEST(ContactScene, GoesOnFromASavedStateWithTheSameBits) {
  Scene scene = drop_scene();
  scene.rigids = {ball({0.2, 0.0, 0.2})};
  Obstacle lift;
  lift.name = "lift";
  lift.shape = Box{Vector3(0.1, 0.1, 0.02)};
  lift.motion = [](double t) {
    return Pose{Vector3(0.0, 0.0, -0.14 + 0.3 * t), Eigen::Quaterniond::Identity()};
  };
  scene.obstacles.push_back(lift);
  for (const int stop : {1, 17, 30}) {
    SceneState whole = make_state(scene), resumed = make_state(scene);
    run(scene, whole, stop);
    const std::string state = saved(whole);
    StateReader in(state, "state");
    restore(resumed, 0, in);
    restore_world(resumed, in);
    in.finish();
    resumed.step = whole.step;
    resumed.time = whole.time;
    EXPECT_TRUE(saved(resumed) == state);
    for (int i = stop; i < 60; ++i) {
      ASSERT_TRUE(step(scene, whole).ok() && step(scene, resumed).ok());
      ASSERT_TRUE(saved(resumed) == saved(whole)) << "stopped after " << stop << ", step " << i;
    }
    EXPECT_GT(whole.world.contact_report().active, 0) << "nothing touches: nothing is tested";
  }
}

}  // namespace
}  // namespace limber::contact_scene_test
