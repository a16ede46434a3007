// Bodies of several methods in one scene.
#include "limber/base/error.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace limber::mixed_scene_test {
namespace {

/// A beam that is held at one end and pushed at the other.
SceneBody beam(const std::string& name, Method method) {
  SceneBody body;
  body.name = name;
  body.method = method;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(8, 1, 1)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.loads = {{{.where = "x > 0.99"}, Vector3(0, 0.02, -0.1), 0.013, 0.25}};
  body.damping = {0.1, 0.002};
  body.reduction.basis.modes = 5;
  body.reduction.basis.rank = 8;
  return body;
}

SceneBody tree(const std::string& name) {
  SceneBody body = beam(name, Method::reduced);
  body.domains.emplace();
  body.domains->from = DomainSource::automatic;
  body.domains->count = 3;
  body.domains->rank = 5;
  return body;
}

/// Its tip is dragged.
SceneBody dragged(const std::string& name, Method method) {
  SceneBody body = beam(name, method);
  BodyConstraint constraint;
  constraint.where.nearest = {Vector3(1, 0.05, 0.05)};
  constraint.motion =
      interpolate_poses({{0.0, {}}, {0.2, {Vector3(-0.05, 0.1, 0.1)}}}, Interpolation::smooth);
  body.constraints = {constraint};
  return body;
}

Scene scene_of(const std::vector<SceneBody>& bodies) {
  Scene scene;
  scene.bodies = bodies;
  scene.gravity = {0, 0, -1.0};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = 12;
  scene.solver.timestep = 0.03;
  scene.solver.threads = 1;
  return scene;
}

/// Takes all steps; the motion of each body, and the energy that it has at the end.
struct Motions {
  std::vector<std::vector<Matrix3X>> fields;  ///< of each body, one for each step
  std::vector<double> energies;
};

Motions motions_of(const Scene& scene) {
  SceneState state = make_state(scene);
  Motions motions;
  motions.fields.resize(scene.bodies.size());
  for (int i = 0; i < scene.solver.steps; ++i) {
    EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
      motions.fields[b].push_back(mesh_displacement(scene, state, b));
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyEnergy energy = state.body(b).energy();
    motions.energies.push_back(energy.elastic + energy.kinetic);
  }
  return motions;
}

void expect_as_alone(const std::vector<SceneBody>& bodies) {
  const Motions together = motions_of(scene_of(bodies));
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Motions alone = motions_of(scene_of({bodies[b]}));
    for (std::size_t i = 0; i < alone.fields[0].size(); ++i)
      ASSERT_EQ(together.fields[b][i], alone.fields[0][i]) << bodies[b].name << ", step " << i;
    EXPECT_EQ(together.energies[b], alone.energies[0]) << bodies[b].name;
    EXPECT_GT(alone.fields[0].back().norm(), 0.01) << bodies[b].name << " hardly moves: nothing is tested";
  }
}

TEST(MixedScene, MovesAFullAndAWarpedBodyAsEachAlone) {
  expect_as_alone({beam("full", Method::full), dragged("warped", Method::warped)});
}

TEST(MixedScene, MovesAReducedBodyAndATreeAsEachAlone) {
  expect_as_alone({beam("reduced", Method::reduced), tree("tree")});
}

TEST(MixedScene, MovesAnOnlineAndALinearBodyAsEachAlone) {
  expect_as_alone({beam("online", Method::online), beam("linear", Method::linear)});
}

TEST(MixedScene, FindsTheEquilibriumOfEachBody) {
  Scene scene = scene_of(
      {beam("full", Method::full), beam("reduced", Method::reduced), beam("warped", Method::warped)});
  scene.solver.type = SimulationType::statics;
  for (SceneBody& body : scene.bodies) body.loads.clear();
  scene.gravity *= 0.1;
  SceneState state = make_state(scene);
  ASSERT_TRUE(step(scene, state).ok());
  const Matrix3X full = mesh_displacement(scene, state, 0);
  EXPECT_GT(full.cwiseAbs().maxCoeff(), 0.01) << "hardly bends: nothing is tested";
  for (const std::size_t b : {1, 2})
    EXPECT_LT((mesh_displacement(scene, state, b) - full).norm(), 0.05 * full.norm()) << scene.bodies[b].name;
}

TEST(MixedScene, StaysWhereOneOfItsBodiesCannotTakeAStep) {
  Scene scene = scene_of({beam("reduced", Method::reduced), dragged("warped", Method::warped), tree("tree"),
                          beam("full", Method::full)});
  const SceneLoad huge{{.where = "x > 0.99"}, Vector3::Constant(1.7e308), 0.2, 0.3};
  scene.bodies[3].loads = {huge, huge};  // together they are no number any more
  SceneState state = make_state(scene);
  bool failed = false;
  while (!failed && state.step < scene.solver.steps) {
    std::vector<Matrix3X> before;
    std::vector<double> times;
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      before.push_back(mesh_displacement(scene, state, b));
      times.push_back(state.body(b).time());
    }
    const int number = state.step;
    const double time = state.time;
    failed = !step(scene, state).ok();
    if (!failed) continue;
    EXPECT_EQ(state.step, number);
    EXPECT_EQ(state.time, time);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      EXPECT_EQ(mesh_displacement(scene, state, b), before[b]) << scene.bodies[b].name;
      EXPECT_EQ(state.body(b).time(), times[b]) << scene.bodies[b].name;
    }
  }
  EXPECT_TRUE(failed);
  EXPECT_GE(state.step, 5);
  EXPECT_LE(state.step, 7);
}

/// Where a step fails and is tried again, nothing of the first try is left.
TEST(MixedScene, GoesOnAfterAStepThatFailedAsIfItHadNot) {
  Scene good = scene_of({dragged("warped", Method::warped), beam("full", Method::full)}), bad = good;
  const SceneLoad huge{{.where = "x > 0.99"}, Vector3::Constant(1.7e308), 0.2, 0.3};
  bad.bodies[1].loads = {huge, huge};
  SceneState state = make_state(bad), never = make_state(good);
  while (step(bad, state).ok()) ASSERT_LT(state.step, bad.solver.steps);
  while (never.step < state.step) ASSERT_TRUE(step(good, never).ok());
  EXPECT_EQ(mesh_displacement(bad, state, 0), mesh_displacement(good, never, 0));
  state.body(1).set_timed_loads({});
  ASSERT_TRUE(step(bad, state).ok());
  ASSERT_TRUE(step(good, never).ok());
  EXPECT_EQ(mesh_displacement(bad, state, 0), mesh_displacement(good, never, 0));
}

}  // namespace
}  // namespace limber::mixed_scene_test
