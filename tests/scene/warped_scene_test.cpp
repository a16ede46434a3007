#include "limber/base/error.hpp"
#include "limber/body/handle_share.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

namespace limber::warped_scene_test {
namespace {

/// A slender beam, held at one end.
Scene beam_scene(Method method, int steps = 20) {
  SceneBody body;
  body.name = "beam";
  body.method = method;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(10, 2, 2)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.reduction.basis.modes = 12;
  Scene scene;
  scene.bodies = {body};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = steps;
  scene.solver.timestep = 0.02;
  scene.solver.threads = 1;
  return scene;
}

SceneState run(const Scene& scene) {
  SceneState state = make_state(scene);
  for (int i = 0; i < step_count(scene); ++i) EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
  return state;
}

Matrix3X end_of(const Scene& scene) { return mesh_displacement(scene, run(scene), 0); }

double difference(const Matrix3X& a, const Matrix3X& b) { return (a - b).norm() / b.norm(); }

int tip_of(const Scene& scene) {
  return select_vertices(scene.bodies[0].mesh, {.nearest = {Vector3(1, 0.05, 0.05)}}, "tip").front();
}

/// Drags the vertex at the tip by an offset within the first tenth of a second, or turns it, or both.
BodyConstraint tip_constraint(const Vector3& offset, const Eigen::Quaterniond& rotation, Hold hold) {
  BodyConstraint constraint;
  constraint.name = "tip";
  constraint.where.nearest = {Vector3(1, 0.05, 0.05)};
  constraint.hold = hold;
  constraint.motion = interpolate_poses({{0.0, {}}, {0.1, {offset, rotation}}}, Interpolation::smooth);
  return constraint;
}

Eigen::Quaterniond turn(double angle, const Vector3& axis) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
}

std::string refusal(const Scene& scene) {
  try {
    (void)make_state(scene);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(WarpedScene, FollowsTheFullMotionWhereItIsSmall) {
  for (const Method method : {Method::warped, Method::linear}) {
    Scene full = beam_scene(Method::full), modal = beam_scene(method);
    for (Scene* scene : {&full, &modal})
      scene->bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 1e-5, -1e-4), 0.013, 0.25}};
    EXPECT_LT(difference(end_of(modal), end_of(full)), 0.02) << name_of(method);
  }
}

TEST(WarpedScene, IsNearerToTheFullShapeThanLinearModes) {
  Matrix3X shapes[3];
  const Method methods[] = {Method::full, Method::warped, Method::linear};
  for (int i = 0; i < 3; ++i) {
    Scene scene = beam_scene(methods[i]);
    scene.solver.type = SimulationType::statics;
    scene.gravity = {0, 0, -1.0};
    shapes[i] = end_of(scene);
  }
  EXPECT_GT(shapes[0].cwiseAbs().maxCoeff(), 0.3) << "the beam hardly bends: nothing is tested";
  EXPECT_LT(difference(shapes[1], shapes[0]), 0.5 * difference(shapes[2], shapes[0]));
}

TEST(WarpedScene, TakesAllLawsByTheirStiffnessAtRest) {
  Scene scene = beam_scene(Method::warped, 5);
  scene.gravity = {0, 0, -1.0};
  const Matrix3X expected = end_of(scene);
  scene.bodies[0].materials = {test::material("neo-hookean", 1e5)};
  EXPECT_LT(difference(end_of(scene), expected), 1e-9);
}

TEST(WarpedScene, UsesTheSlowestModesWhenAskedForFewer) {
  Scene scene = beam_scene(Method::warped, 1);
  scene.bodies[0].rank = 3;
  EXPECT_EQ(make_state(scene).body(0).freedoms(), 3);
  scene.bodies[0].rank = 13;
  EXPECT_THROW(make_state(scene), Error);
}

TEST(WarpedScene, MovesByInertiaModesToo) {
  Scene modal = beam_scene(Method::warped, 10);
  modal.gravity = {0, 0, -0.1};
  Scene inertia = modal;
  inertia.bodies[0].reduction.basis.kind = ModeKind::inertia;
  EXPECT_LT(difference(end_of(inertia), end_of(modal)), 0.02);
}

TEST(WarpedConstraint, BringsAVertexToItsPlace) {
  Scene scene = beam_scene(Method::warped);
  scene.gravity = {0, 0, -1.0};
  const Vector3 offset(-0.05, 0.1, 0.2);
  scene.bodies[0].constraints = {tip_constraint(offset, Eigen::Quaterniond::Identity(), Hold::position)};
  const SceneState state = run(scene);
  EXPECT_LT((mesh_displacement(scene, state, 0).col(tip_of(scene)) - offset).norm(), 1e-8);
  const ConstraintOutcome& outcome = constraint_outcomes(state, 0)[0];
  EXPECT_TRUE(outcome.met);
  EXPECT_EQ(outcome.name, "tip");
  EXPECT_LT(outcome.position_error, 1e-8);
}

TEST(WarpedConstraint, BringsAVertexToItsPlaceInLinearModes) {
  Scene scene = beam_scene(Method::linear);
  const Vector3 offset(0.0, 0.1, 0.2);
  scene.bodies[0].constraints = {tip_constraint(offset, Eigen::Quaterniond::Identity(), Hold::position)};
  EXPECT_LT((end_of(scene).col(tip_of(scene)) - offset).norm(), 1e-8);
}

TEST(WarpedConstraint, TurnsAVertexAndBringsItToItsPlace) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].reduction.basis.modes = 20;
  const Vector3 offset(-0.02, 0.0, 0.1);
  scene.bodies[0].constraints = {tip_constraint(offset, turn(0.5, {1, 0.2, 0}), Hold::both)};
  const SceneState state = run(scene);
  EXPECT_TRUE(constraint_outcomes(state, 0)[0].met);
  EXPECT_LT(constraint_outcomes(state, 0)[0].orientation_error, 1e-6);
  EXPECT_LT((mesh_displacement(scene, state, 0).col(tip_of(scene)) - offset).norm(), 1e-8);
}

TEST(WarpedConstraint, HoldsOnlyFromItsStartToItsEnd) {
  Scene scene = beam_scene(Method::warped, 30);
  scene.gravity = {0, 0, -0.5};
  const Scene without = scene;
  BodyConstraint still;
  still.where.nearest = {Vector3(1, 0.05, 0.05)};
  still.from = 0.2;
  still.to = 0.4;
  scene.bodies[0].constraints = {still};
  const int tip = tip_of(scene);
  SceneState a = make_state(scene), b = make_state(without);
  Vector3 caught = Vector3::Zero();
  for (int i = 1; i <= 30; ++i) {
    ASSERT_TRUE(step(scene, a).ok());
    ASSERT_TRUE(step(without, b).ok());
    const Vector3 now = mesh_displacement(scene, a, 0).col(tip);
    if (i == 10) caught = now;
    if (i <= 10) {
      EXPECT_EQ(now, mesh_displacement(without, b, 0).col(tip)) << "step " << i;
    } else if (i <= 20) {
      EXPECT_LT((now - caught).norm(), 1e-8) << "step " << i;
    } else if (i > 22) {
      EXPECT_GT((now - caught).norm(), 1e-4) << "step " << i;
    }
  }
}

TEST(WarpedConstraint, OutOfReachIsReportedWhileTheRunGoesOn) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].rank = 3;
  scene.bodies[0].constraints = {
      tip_constraint(Vector3(5.0, 0, 0), Eigen::Quaterniond::Identity(), Hold::position)};
  const SceneState state = run(scene);
  const ConstraintOutcome& outcome = constraint_outcomes(state, 0)[0];
  EXPECT_FALSE(outcome.met);
  EXPECT_GT(outcome.position_error, 0.1);
  EXPECT_GT(outcome.worst_time, 0.0);
  EXPECT_TRUE(mesh_displacement(scene, state, 0).allFinite());
}

TEST(WarpedSupport, TurnedFromTheStartGivesTheSameMotionTurned) {
  const Pose pose{Vector3(0.3, -0.2, 0.1), turn(1.1, {0.3, 0.5, -0.4})};
  Scene straight = beam_scene(Method::warped);
  straight.gravity = {0, 0, -1.0};
  straight.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0.01, 0)}};
  Scene turned = straight;
  turned.bodies[0].support = [pose](double) { return pose; };
  turned.gravity = pose.rotation * straight.gravity;
  turned.bodies[0].loads[0].force = pose.rotation * straight.bodies[0].loads[0].force;
  const Matrix3X& rest = straight.bodies[0].mesh.vertices;
  const Matrix3X expected =
      (pose.rotation.toRotationMatrix() * (rest + end_of(straight))).colwise() + pose.position;
  EXPECT_LT((rest + end_of(turned) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(WarpedSupport, ThatSpeedsUpActsAsGravityDoes) {
  const Vector3 acceleration(0.0, 0.3, 0.8);
  Scene pulled = beam_scene(Method::warped);
  pulled.gravity = -acceleration;
  Scene moving = beam_scene(Method::warped);
  moving.bodies[0].support = [acceleration](double t) {
    return Pose{0.5 * t * t * acceleration, Eigen::Quaterniond::Identity()};
  };
  const double t = moving.solver.steps * moving.solver.timestep;
  const Matrix3X in_frame = end_of(moving).colwise() - Vector3(0.5 * t * t * acceleration);
  EXPECT_LT(difference(in_frame, end_of(pulled)), 1e-9);
}

TEST(WarpedSupport, ThatStartsAtOnceKicksAsAStartVelocityDoes) {
  const Vector3 velocity(0.0, 0.002, 0.004);
  Scene full = beam_scene(Method::full, 100), moving = beam_scene(Method::warped, 100);
  full.solver.timestep = moving.solver.timestep = 0.002;
  full.bodies[0].velocity = -velocity;
  moving.bodies[0].support = [velocity](double t) {
    return Pose{std::max(t, 0.0) * velocity, Eigen::Quaterniond::Identity()};
  };
  const Matrix3X in_frame = end_of(moving).colwise() - Vector3(0.2 * velocity);
  EXPECT_LT(difference(in_frame, end_of(full)), 0.02);
}

TEST(WarpedSupport, MayMoveUnderAVertexThatStaysInTheWorld) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].support = interpolate_poses({{0.0, {}}, {0.3, {Vector3(0, 0, 0.1), turn(0.2, {0, 1, 0})}}},
                                              Interpolation::smooth);
  BodyConstraint still = tip_constraint(Vector3::Zero(), Eigen::Quaterniond::Identity(), Hold::position);
  still.frame = MotionFrame::world;
  scene.bodies[0].constraints = {still};
  const Matrix3X u = end_of(scene);
  EXPECT_LT(u.col(tip_of(scene)).norm(), 1e-8);
  EXPECT_GT(u.col(0).norm(), 0.05) << "the support does not move";
}

/// Where the support starts is where the vertices are: what holds them in the world must not tear them away.
TEST(WarpedSupport, MayStartElsewhereUnderAVertexThatMovesInTheWorld) {
  const Pose start{Vector3(0.4, -0.3, 0.2), turn(0.7, {0.2, 1, 0.4})};
  const Pose way{Vector3(0.0, 0.05, 0.1), turn(0.1, {1, 0, 0})};
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].reduction.basis.modes = 20;
  scene.bodies[0].support = [start](double t) {
    return Pose{start.position + Vector3(0, 0, 0.05 * t), start.rotation};
  };
  BodyConstraint moved = tip_constraint(Vector3::Zero(), Eigen::Quaterniond::Identity(), Hold::both);
  moved.motion = interpolate_poses({{0.0, {}}, {0.3, way}}, Interpolation::smooth);
  moved.frame = MotionFrame::world;
  scene.bodies[0].constraints = {moved};
  const int tip = tip_of(scene);
  const Vector3 rest = scene.bodies[0].mesh.vertices.col(tip);
  SceneState state = make_state(scene);
  ASSERT_TRUE(step(scene, state).ok());
  EXPECT_LT((rest + mesh_displacement(scene, state, 0).col(tip) - start.apply(rest)).norm(), 0.02);
  for (int i = 1; i < scene.solver.steps; ++i) ASSERT_TRUE(step(scene, state).ok());
  const Vector3 expected = way.apply(start.apply(rest));
  EXPECT_LT((rest + mesh_displacement(scene, state, 0).col(tip) - expected).norm(), 1e-8);
  EXPECT_TRUE(constraint_outcomes(state, 0)[0].met);
}

TEST(WarpedSupport, MayBeFast) {
  Scene scene = beam_scene(Method::warped, 3);
  scene.bodies[0].support = [](double t) {
    const double from_rest = t < 0.02 ? 0.5 * t * t / 0.02 : t - 0.01;
    return Pose{Vector3(40.0 * from_rest, 0, 0), Eigen::Quaterniond::Identity()};
  };
  EXPECT_EQ(refusal(scene), "no error") << "it moves by 0.8 m per step, but evenly";
}

/// Loads on a support that stands still and that turns: those of the world, in its axes.
TEST(WarpedSupport, ThatTurnsKeepsLoadsInTheWorld) {
  Scene still = beam_scene(Method::warped, 40);
  still.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0.002, 0)}};
  still.bodies[0].damping = {.mass = 20.0};
  Scene turning = still;
  const Pose end{Vector3::Zero(), turn(1.0, {1, 0, 0})};
  turning.bodies[0].support = interpolate_poses({{0.0, {}}, {0.1, end}}, Interpolation::smooth);
  still.bodies[0].support = [end](double) { return end; };
  EXPECT_LT(difference(end_of(turning), end_of(still)), 0.02);
}

TEST(WarpedConstraint, MayHoldMoreNumbersThanThereAreModes) {
  Scene scene = beam_scene(Method::warped);
  scene.gravity = {0, 0, -0.5};
  BodyConstraint face = tip_constraint(Vector3(0, 0, 0.05), Eigen::Quaterniond::Identity(), Hold::position);
  face.where = {.where = "x > 0.99"};
  scene.bodies[0].constraints = {face};
  const SceneState state = run(scene);
  EXPECT_EQ(most_held(state, 0), 27);
  EXPECT_EQ(state.body(0).unknowns(), 12);
  EXPECT_EQ(largest_handle_share(state, 0).held, 27);
  EXPECT_EQ(largest_handle_share(state, 0).coordinates, 12);
  EXPECT_LT(constraint_outcomes(state, 0)[0].position_error, 0.01) << "not even nearly met";
}

TEST(WarpedScene, NeedsNoMeshForLoadsAndConstraints) {
  Scene scene = beam_scene(Method::warped, 10);
  scene.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0.01, 0)}};
  scene.bodies[0].constraints = {tip_constraint(Vector3(0, 0.05, 0.1), turn(0.1, {1, 0, 0}), Hold::both)};
  scene.bodies[0].constraints[0].where.nearest = {Vector3(1, 0, 0)};  // on the surface
  const SceneState expected = run(scene);
  auto model = std::make_shared<Model>(expected.body(0).model());
  model->parts[0].model.simulation.reset();
  scene.bodies[0].model = model;
  scene.bodies[0].mesh = {};
  scene.bodies[0].fixed = {};
  const SceneState state = run(scene);
  EXPECT_TRUE(constraint_outcomes(state, 0)[0].met);
  EXPECT_EQ(mesh_displacement(scene, state, 0).cols(), 0);
  // Forces for the orientation act on the surface alone here, so that the motion is only nearly the same.
  EXPECT_LT(difference(state.body(0).surface_displacement(), expected.body(0).surface_displacement()), 0.1);
}

TEST(WarpedScene, RefusesWhatCannotBe) {
  struct Case {
    std::function<void(Scene&)> spoil;
    std::string message;
  };
  const auto vertex = [](int v) { return VertexSelection{.vertices = {v}}; };
  const Case cases[] = {
      {[](Scene& s) {
         s.bodies[0].velocity = {1, 0, 0};
       },
       "beam: it is held"},
      {[](Scene& s) { s.bodies[0].domains.emplace(); }, "the method 'warped' does not take several domains"},
      {[](Scene& s) { s.solver.type = SimulationType::statics; }, "need a dynamic solver"},
      {[&](Scene& s) { s.bodies[0].constraints[0].where = vertex(0); },
       "beam: constraints[0]: vertex 0 is fixed"},
      {[&](Scene& s) { s.bodies[0].constraints[0].where = vertex(9999); }, "vertex 9999 does not exist"},
      {[](Scene& s) { s.bodies[0].constraints[0].where = {}; }, "no vertices given"},
      {[](Scene& s) { s.bodies[0].constraints.push_back(s.bodies[0].constraints[0]); },
       "beam: constraints[1]: it holds the position of vertex"},
      {[](Scene& s) { s.bodies[0].constraints[0].exercised.where = "x < 0.01"; }, "beam: constraints[0]: "},
      {[](Scene& s) {
         s.bodies[0].fixed = {};
         s.bodies[0].constraints.clear();
         s.bodies[0].support = [](double) { return Pose{}; };
       },
       "give 'fixed'"},
      {[](Scene& s) {
         s.bodies[0].support = [](double t) {
           return Pose{Vector3(t > 0.1 ? 1.0 : 0.0, 0, 0), Eigen::Quaterniond::Identity()};
         };
       },
       "beam: 'support' jumps by 1 m at 0.1 s"},
  };
  for (const Case& one : cases) {
    Scene scene = beam_scene(Method::warped);
    scene.bodies[0].constraints = {
        tip_constraint(Vector3(0, 0, 0.1), Eigen::Quaterniond::Identity(), Hold::position)};
    ASSERT_EQ(refusal(scene), "no error");
    one.spoil(scene);
    const std::string message = refusal(scene);
    EXPECT_NE(message.find(one.message), std::string::npos) << message << "\nexpected: " << one.message;
  }
}

TEST(WarpedScene, LetsConstraintsOnAVertexFollowEachOther) {
  Scene scene = beam_scene(Method::warped);
  scene.bodies[0].constraints.assign(
      2, tip_constraint(Vector3(0, 0, 0.1), Eigen::Quaterniond::Identity(), Hold::position));
  scene.bodies[0].constraints[0].to = scene.bodies[0].constraints[1].from = 0.2;
  const SceneState state = run(scene);
  for (const ConstraintOutcome& outcome : constraint_outcomes(state, 0)) EXPECT_TRUE(outcome.met);
}

}  // namespace
}  // namespace limber::warped_scene_test
