// Constraints of bodies in motion, whatever their method.
#include "limber/base/error.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <string>

namespace limber::handle_scene_test {
namespace {

/// The middle of the far end of the beam is a vertex.
const Vector3 tip_place(1.0, 0.0, 0.0);

Scene beam_scene(Method method, bool tree = false) {
  SceneBody body;
  body.name = "beam";
  body.method = method;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(8, 2, 2)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.damping = {0.5, 0.005};
  body.reduction.basis.modes = 10;
  body.reduction.basis.rank = 14;
  if (tree) {
    body.domains.emplace();
    body.domains->from = DomainSource::automatic;
    body.domains->count = 2;
    body.domains->rank = 10;
  }
  Scene scene;
  scene.bodies = {body};
  scene.gravity = {0, 0, -0.5};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = 30;
  scene.solver.timestep = 0.01;
  scene.solver.threads = 1;
  return scene;
}

/// One scene for each method, and for a tree.
std::vector<Scene> all_scenes() {
  std::vector<Scene> scenes;
  for (const Method method : all_methods) scenes.push_back(beam_scene(method));
  scenes.push_back(beam_scene(Method::reduced, true));
  return scenes;
}

std::string title(const Scene& scene) {
  const SceneBody& body = scene.bodies[0];
  return std::string(name_of(body.method)) + (body.is_tree() ? ", a tree" : "");
}

int tip_of(const Scene& scene) {
  return select_vertices(scene.bodies[0].mesh, {.nearest = {tip_place}}, "tip").front();
}

Vector3 tip_displacement(const Scene& scene, const SceneState& state) {
  return state.body(0).position(mesh_point(tip_of(scene))) - scene.bodies[0].mesh.vertices.col(tip_of(scene));
}

/// Some methods hold points by stiff springs; m, of a body of 1 m.
double tolerance_of(const Scene& scene) { return scene.bodies[0].method == Method::reduced ? 1e-4 : 1e-5; }

BodyConstraint at_tip(PoseFunction motion = {}) {
  BodyConstraint constraint;
  constraint.name = "tip";
  constraint.where.nearest = {tip_place};
  constraint.motion = std::move(motion);
  return constraint;
}

TEST(HandleScene, BringsAVertexToItsPlace) {
  const Vector3 offset(-0.02, 0.05, 0.1);
  for (Scene& scene : all_scenes()) {
    scene.bodies[0].constraints = {
        at_tip(interpolate_poses({{0.0, {}}, {0.2, {offset}}}, Interpolation::smooth))};
    SceneState state = make_state(scene);
    EXPECT_EQ(most_held(state, 0), 3) << title(scene);
    for (int i = 0; i < scene.solver.steps; ++i) ASSERT_TRUE(step(scene, state).ok()) << title(scene);
    EXPECT_LT((tip_displacement(scene, state) - offset).norm(), tolerance_of(scene)) << title(scene);
    ASSERT_EQ(constraint_outcomes(state, 0).size(), 1u);
    const ConstraintOutcome& outcome = constraint_outcomes(state, 0)[0];
    EXPECT_EQ(outcome.name, "tip");
    EXPECT_TRUE(outcome.met) << title(scene) << " missed by " << outcome.position_error << " m";
    EXPECT_LT(outcome.position_error, tolerance_of(scene)) << title(scene);
  }
}

TEST(HandleScene, HoldsWhereItStartsAndLetsGo) {
  for (Scene& scene : all_scenes()) {
    BodyConstraint still = at_tip();
    still.from = 0.1;
    still.to = 0.2;
    const Scene without = scene;
    scene.bodies[0].constraints = {still};
    SceneState state = make_state(scene), free = make_state(without);
    Vector3 caught = Vector3::Zero();
    for (int i = 1; i <= scene.solver.steps; ++i) {
      ASSERT_TRUE(step(scene, state).ok()) << title(scene);
      ASSERT_TRUE(step(without, free).ok()) << title(scene);
      const Vector3 now = tip_displacement(scene, state);
      if (i == 10) caught = now;
      if (i <= 10) {
        EXPECT_EQ(now, tip_displacement(without, free)) << title(scene) << ", step " << i;
      } else if (i <= 20) {
        EXPECT_LT((now - caught).norm(), tolerance_of(scene)) << title(scene) << ", step " << i;
      } else if (i > 24) {
        EXPECT_GT((now - caught).norm(), 1e-4) << title(scene) << ", step " << i;
      }
    }
    EXPECT_GT(caught.norm(), 1e-4) << title(scene) << " hardly moves: nothing is tested";
  }
}

/// A vertex that stays in the world while the support under the body moves, and one that goes with it.
TEST(HandleScene, HasTargetsInTheWorldOrOnTheSupport) {
  for (Scene& scene : all_scenes()) {
    SceneBody& body = scene.bodies[0];
    const Pose end{Vector3(0, 0, 0.05), Eigen::Quaterniond(Eigen::AngleAxisd(0.1, Vector3::UnitY()))};
    body.support = interpolate_poses({{0.0, {}}, {0.25, end}}, Interpolation::smooth);
    for (const MotionFrame frame : {MotionFrame::world, MotionFrame::support}) {
      body.constraints = {at_tip([](double) { return Pose{}; })};
      body.constraints[0].frame = frame;
      SceneState state = make_state(scene);
      for (int i = 0; i < scene.solver.steps; ++i) ASSERT_TRUE(step(scene, state).ok()) << title(scene);
      const Vector3 rest = body.mesh.vertices.col(tip_of(scene));
      const Vector3 expected = frame == MotionFrame::world ? rest : end.apply(rest);
      EXPECT_LT((rest + tip_displacement(scene, state) - expected).norm(), tolerance_of(scene))
          << title(scene);
      EXPECT_TRUE(constraint_outcomes(state, 0)[0].met) << title(scene);
    }
  }
}

TEST(HandleScene, HoldsPositionAndOrientationOfAVertexByTwoConstraints) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].reduction.basis.modes = 20;
  const Pose end{Vector3(0, 0.02, 0.05), Eigen::Quaterniond(Eigen::AngleAxisd(0.2, Vector3::UnitX()))};
  BodyConstraint position = at_tip(interpolate_poses({{0.0, {}}, {0.2, end}}, Interpolation::smooth));
  BodyConstraint orientation = position;
  orientation.hold = Hold::orientation;
  scene.bodies[0].constraints = {position, orientation};
  SceneState state = make_state(scene);
  EXPECT_EQ(most_held(state, 0), 6);
  for (int i = 0; i < scene.solver.steps; ++i) ASSERT_TRUE(step(scene, state).ok());
  const Point tip = mesh_point(tip_of(scene));
  EXPECT_LT((tip_displacement(scene, state) - end.position).norm(), 1e-8);
  EXPECT_LT(state.body(0).orientation(tip).angularDistance(end.rotation), 1e-8);
  for (const ConstraintOutcome& outcome : constraint_outcomes(state, 0)) EXPECT_TRUE(outcome.met);
}

TEST(HandleScene, RefusesWhatCannotBeForEveryMethod) {
  for (const Scene& good : all_scenes()) {
    const auto message_of = [&](const BodyConstraint& constraint) -> std::string {
      Scene scene = good;
      scene.bodies[0].constraints = {constraint, constraint};
      scene.bodies[0].constraints[1].where.nearest = {Vector3(0.5, 0, 0)};
      try {
        (void)make_state(scene);
      } catch (const Error& error) {
        return error.what();
      }
      return "no error";
    };
    EXPECT_EQ(message_of(at_tip()), "no error") << title(good);
    BodyConstraint fixed = at_tip(), nothing = at_tip(), twice = at_tip(), turned = at_tip();
    fixed.where.nearest = {Vector3(0, 0, 0)};
    EXPECT_NE(message_of(fixed).find("beam: constraints[0]: "), std::string::npos)
        << title(good) << ": " << message_of(fixed);
    nothing.where = {};
    EXPECT_NE(message_of(nothing).find("beam: constraints[0]: no vertices given"), std::string::npos)
        << title(good) << ": " << message_of(nothing);
    twice.where.vertices = {tip_of(good)};
    EXPECT_NE(message_of(twice).find("beam: constraints[1]: it holds the position of vertex"),
              std::string::npos)
        << title(good) << ": " << message_of(twice);
    turned.hold = Hold::both;
    const bool turns = can(good.bodies[0].method, Ability::orientations);
    EXPECT_EQ(message_of(turned) == "no error", turns) << title(good) << ": " << message_of(turned);
  }
}

/// What moves in the world starts where the support has it: its jumps are those of places there.
TEST(HandleScene, FindsJumpsWhereTheSupportHasTheBody) {
  Scene scene = beam_scene(Method::warped);
  SceneBody& body = scene.bodies[0];
  body.support = [](double) { return Pose{Vector3(10.0, 0.0, 0.0), Eigen::Quaterniond::Identity()}; };
  BodyConstraint constraint;
  constraint.where.nearest = {tip_place};
  constraint.frame = MotionFrame::world;
  constraint.motion = [](double t) {  // about the origin of the world
    return Pose{Vector3::Zero(),
                Eigen::Quaterniond(Eigen::AngleAxisd(t > 0.055 ? 0.1 : 0.0, Vector3::UnitZ()))};
  };
  body.constraints = {constraint};
  SceneState state = make_state(scene);
  for (int i = 0; i < 7; ++i) (void)step(scene, state);
  EXPECT_NEAR(constraint_outcomes(state, 0)[0].jump, 1.1, 0.01);
}

}  // namespace
}  // namespace limber::handle_scene_test
