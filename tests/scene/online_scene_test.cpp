#include "limber/base/error.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

namespace limber::online_scene_test {
namespace {

const BoundingBox right_end{Vector3(0.99, -1, -1), Vector3(1.01, 1, 1)};

SceneBody beam(const std::string& name, std::string_view law) {
  SceneBody body;
  body.name = name;
  body.method = Method::online;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(6, 2, 2)});
  body.materials = {test::material(law, 1e6)};
  body.fixed.where = "x < 0.01";
  body.damping = {0.1, 0.002};
  return body;
}

Scene online_scene(SimulationType type) {
  Scene scene;
  scene.bodies = {beam("beam", "stvk")};
  scene.gravity = {0, 0, -5};
  scene.solver.type = type;
  scene.solver.steps = 100;
  scene.solver.timestep = 0.01;
  scene.solver.threads = 1;
  return scene;
}

BodyConstraint moving_tip() {
  BodyConstraint constraint;
  constraint.where.where = "x > 0.99";
  constraint.motion = [](double t) {
    return Pose{Vector3(0, 0.2 * t, 0.1 * t),
                Eigen::Quaterniond(Eigen::AngleAxisd(0.5 * t, Vector3::UnitX()))};
  };
  return constraint;
}

const OnlineReport& report_of(const SceneState& state, std::size_t body = 0) {
  return *state.body(body).online_report();
}

/// Takes all steps by the methods online and full, and returns the largest distance of any vertex as a share
/// of the largest displacement.
double run_both(const Scene& scene, SceneState& state) {
  Scene full = scene;
  for (SceneBody& body : full.bodies) body.method = Method::full;
  SceneState reference = make_state(full);
  double distance = 0.0, largest = 0.0;
  for (int i = 0; i < scene.solver.steps; ++i) {
    EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
    EXPECT_TRUE(step(full, reference).ok()) << "step " << i;
    for (std::size_t b = 0; b < state.body_count(); ++b) {
      const Matrix3X u = mesh_displacement(full, reference, b);
      largest = std::max(largest, u.colwise().norm().maxCoeff());
      distance = std::max(distance, (mesh_displacement(scene, state, b) - u).colwise().norm().maxCoeff());
    }
  }
  EXPECT_EQ(state.step, scene.solver.steps);
  EXPECT_EQ(state.time, reference.time);
  return distance / largest;
}

TEST(OnlineScene, InMotionFollowsTheFullOne) {
  const Scene scene = online_scene(SimulationType::dynamics);
  SceneState state = make_state(scene);
  EXPECT_LT(run_both(scene, state), 3.0 * scene.solver.online.error);
  EXPECT_GT(report_of(state).skipped_share(), 0.4);
  EXPECT_EQ(report_of(state).timeline.size(), 100u);
}

TEST(OnlineScene, OfTwoBodiesLearnsForEach) {
  Scene scene = online_scene(SimulationType::dynamics);
  scene.bodies.push_back(beam("other", "neo-hookean"));
  scene.bodies[1].damping = {0.1, 0.01, RayleighDamping::Stiffness::linear};
  SceneState state = make_state(scene);
  EXPECT_LT(run_both(scene, state), 3.0 * scene.solver.online.error);
  for (const std::size_t body : {0, 1}) {
    EXPECT_GT(report_of(state, body).skipped_share(), 0.4) << body;
    EXPECT_EQ(report_of(state, body).timeline.size(), 100u) << body;
  }
  EXPECT_EQ(report_of(state, 0).key_elements, 0);
  EXPECT_GT(report_of(state, 1).key_elements, 0);
}

TEST(OnlineScene, ThatIsQuasistaticFollowsTheFullOne) {
  Scene scene = online_scene(SimulationType::quasistatic);
  scene.bodies[0].constraints = {moving_tip()};
  scene.bodies.push_back(beam("other", "neo-hookean"));
  scene.bodies[1].skin.bones = {{"left", {Vector3(0, 0, 0), Vector3(0.4, 0, 0)}, {}},
                                {"right", {Vector3(0.6, 0, 0), Vector3(1, 0, 0)}, [](double t) {
                                   return Pose{Vector3(0, 0.1 * t, 0), Eigen::Quaterniond(Eigen::AngleAxisd(
                                                                           0.4 * t, Vector3::UnitX()))};
                                 }}};
  scene.bodies[1].skin.radius = 0.02;
  scene.bodies[1].fixed.box = right_end;  // goes with the right bone
  scene.gravity = {0, 0, -1};
  SceneState state = make_state(scene);
  EXPECT_LT(run_both(scene, state), 3.0 * scene.solver.online.error);
  for (const std::size_t body : {0, 1}) EXPECT_GT(report_of(state, body).skipped_share(), 0.6) << body;
}

TEST(OnlineScene, WithAThrottleOfZeroHasTheBitsOfTheFullOne) {
  for (const SimulationType type : {SimulationType::dynamics, SimulationType::quasistatic}) {
    Scene scene = online_scene(type);
    scene.solver.online.throttle = 0.0;
    scene.solver.steps = 15;
    if (type == SimulationType::quasistatic) scene.bodies[0].constraints = {moving_tip()};
    SceneState state = make_state(scene);
    EXPECT_EQ(run_both(scene, state), 0.0);
    EXPECT_EQ(report_of(state).reduced_steps, 0);
  }
}

TEST(OnlineScene, StaysWhereOneOfItsBodiesCannotTakeAStep) {
  Scene scene = online_scene(SimulationType::dynamics);
  scene.bodies.push_back(beam("other", "neo-hookean"));
  const SceneLoad huge{{.where = "x > 0.99"}, Vector3::Constant(1.7e308), 0.5, 0.6};
  scene.bodies[1].loads = {huge, huge};  // together they are no number any more
  SceneState state = make_state(scene);
  while (state.step < 100) {
    const Matrix3X first = mesh_displacement(scene, state, 0), second = mesh_displacement(scene, state, 1);
    const double time = state.time;
    if (step(scene, state).ok()) continue;
    EXPECT_EQ(state.time, time);
    EXPECT_LT((mesh_displacement(scene, state, 0) - first).norm(), 1e-12 * first.norm());
    EXPECT_LT((mesh_displacement(scene, state, 1) - second).norm(), 1e-12 * second.norm());
    break;
  }
  EXPECT_GE(state.step, 48);
  EXPECT_LE(state.step, 50);
}

TEST(OnlineScene, RefusesStatics) {
  const Scene scene = online_scene(SimulationType::statics);
  try {
    make_state(scene);
    ADD_FAILURE() << "statics was accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("beam: the method 'online' learns from steps"),
              std::string::npos)
        << error.what();
  }
}

TEST(OnlineScene, RefusesCentralDifferences) {
  Scene scene = online_scene(SimulationType::dynamics);
  scene.bodies[0].damping = {};
  scene.solver.integrator = Integrator::central_differences;
  scene.solver.timestep = 1e-5;
  try {
    make_state(scene);
    ADD_FAILURE() << "central differences were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("beam: the method 'online' does not take central differences"),
              std::string::npos)
        << error.what();
  }
}

TEST(OnlineScene, RefusesInMotionWhatOnlyQuasistaticOnesCanDo) {
  Scene scene = online_scene(SimulationType::dynamics);
  scene.bodies[0].skin.bones = {{"bone", {Vector3::Zero(), Vector3::UnitX()}, {}}};
  EXPECT_THROW(make_state(scene), Error);
}

}  // namespace
}  // namespace limber::online_scene_test
