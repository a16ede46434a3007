#include "limber/base/error.hpp"
#include "limber/scene/scene.hpp"
#include "limber/scene/trajectory.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::reduced_scene_test {
namespace {

/// A slender beam, held at one end, that an impulse at its tip bends deeply.
Scene beam_scene(Method method, int steps = 40) {
  SceneBody body;
  body.name = "beam";
  body.method = method;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(10, 2, 2)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.loads = {{{.where = "x > 0.99"}, Vector3(0, 0.02, -0.1), 0.0, 0.5}};
  body.reduction.basis.modes = 8;
  body.reduction.basis.rank = 16;
  Scene scene;
  scene.bodies = {body};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = steps;
  scene.solver.timestep = 0.05;
  scene.solver.threads = 1;
  return scene;
}

std::vector<Matrix3X> motion_of(const Scene& scene) {
  SceneState state = make_state(scene);
  std::vector<Matrix3X> fields;
  for (int i = 0; i < scene.solver.steps; ++i) {
    EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
    fields.push_back(mesh_displacement(scene, state, 0));
  }
  return fields;
}

std::shared_ptr<const Model> model_of(const Scene& scene) { return make_state(scene).body(0).shared_model(); }

TEST(ReducedScene, FollowsTheFullMotion) {
  const Scene full = beam_scene(Method::full), reduced = beam_scene(Method::reduced);
  const std::vector<Matrix3X> u = motion_of(full);
  const TrajectoryError error =
      compare_trajectories(u, motion_of(reduced), full.solver.timestep, u[0].cols() - 1);
  EXPECT_GT(error.full.amplitude, 0.1) << "the beam hardly bends: nothing is tested";
  EXPECT_LT(error.relative_rms, 0.05);
  EXPECT_NEAR(error.amplitude_ratio, 1.0, 0.05);
}

TEST(ReducedScene, InTheBasisOfItsOwnMotionIsNearlyExact) {
  const Scene full = beam_scene(Method::full);
  const std::vector<Matrix3X> u = motion_of(full);
  Scene reduced = beam_scene(Method::reduced);
  reduced.bodies[0].reduction.basis.modes = 0;
  reduced.bodies[0].reduction.basis.snapshots = u;
  reduced.bodies[0].reduction.basis.rank = 25;
  const TrajectoryError error =
      compare_trajectories(u, motion_of(reduced), full.solver.timestep, u[0].cols() - 1);
  EXPECT_LT(error.relative_rms, 1e-3);
}

TEST(ReducedScene, CountsTheStepsThatOnlyARescueTakes) {
  for (const Method method : {Method::full, Method::reduced}) {
    Scene scene = beam_scene(method, 5);
    scene.bodies[0].loads[0].force *= 1e8;
    scene.solver.newmark.max_iterations = 2;
    SceneState state = make_state(scene);
    int rescued = 0;
    for (int i = 0; i < scene.solver.steps; ++i) {
      const StepReport report = step(scene, state);
      ASSERT_TRUE(report.ok()) << "step " << i;
      rescued += report.rescued_steps;
    }
    EXPECT_GT(rescued, 0);
    EXPECT_TRUE(mesh_displacement(scene, state, 0).allFinite());
  }
}

TEST(ReducedScene, FindsTheStaticShape) {
  Scene full = beam_scene(Method::full), reduced = beam_scene(Method::reduced);
  for (Scene* scene : {&full, &reduced}) {
    scene->solver.type = SimulationType::statics;
    scene->bodies[0].loads[0].to = std::numeric_limits<double>::infinity();
  }
  SceneState a = make_state(full), b = make_state(reduced);
  ASSERT_TRUE(step(full, a).ok());
  ASSERT_TRUE(step(reduced, b).ok());
  const Matrix3X u = mesh_displacement(full, a, 0);
  EXPECT_LT((mesh_displacement(reduced, b, 0) - u).norm() / u.norm(), 0.02);
}

TEST(ReducedScene, MovesAModelAsItWouldOneThatItMakes) {
  const Scene made = beam_scene(Method::reduced, 5);
  Scene given = made;
  given.bodies[0].model = model_of(made);
  EXPECT_EQ(motion_of(made).back(), motion_of(given).back());
}

TEST(ReducedScene, TakesEditedMaterials) {
  Scene soft = beam_scene(Method::reduced, 10);
  Scene stiff = soft;
  stiff.bodies[0].model = model_of(soft);
  stiff.bodies[0].materials = {test::material("stvk", 1e7)};
  const double soft_tip = motion_of(soft).back().norm(), stiff_tip = motion_of(stiff).back().norm();
  EXPECT_LT(stiff_tip, 0.1 * soft_tip);
}

TEST(ReducedScene, UsesTheFirstCoordinatesWhenAskedForFewer) {
  Scene scene = beam_scene(Method::reduced, 2);
  scene.bodies[0].rank = 3;
  SceneState state = make_state(scene);
  ASSERT_TRUE(step(scene, state).ok());
  EXPECT_EQ(state.body(0).q().size(), 3);
  scene.bodies[0].rank = 99;
  EXPECT_THROW(make_state(scene), Error);
}

TEST(ReducedScene, LoadsTheSurfaceOfAModelWithoutItsMesh) {
  Scene scene = beam_scene(Method::reduced, 5);
  auto model = std::make_shared<Model>(*model_of(scene));
  const std::vector<Matrix3X> expected = motion_of(scene);
  model->parts[0].model.simulation.reset();
  scene.bodies[0].model = model;
  scene.bodies[0].mesh = {};
  scene.bodies[0].fixed = {};
  SceneState state = make_state(scene);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(step(scene, state).ok());
  // The same vertices carry the load, all on the surface; its basis is kept in floats.
  EXPECT_NEAR(state.body(0).surface_displacement().cwiseAbs().maxCoeff(),
              expected.back().cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_EQ(mesh_displacement(scene, state, 0).cols(), 0);
}

TEST(ReducedScene, RefusesWhatAReducedBodyCannotDo) {
  Scene scene = beam_scene(Method::reduced, 1);
  Scene moving = scene;
  moving.bodies[0].velocity = {1, 0, 0};
  EXPECT_THROW(make_state(moving), Error);
  Scene rubber = scene;
  rubber.bodies[0].materials = {test::material("neo-hookean")};
  rubber.bodies[0].reduction.forces = ForceKind::exact;
  EXPECT_THROW(make_state(rubber), Error);
  Scene held_elsewhere = scene;
  held_elsewhere.bodies[0].model = model_of(scene);
  held_elsewhere.bodies[0].fixed.where = "x > 0.99";
  held_elsewhere.bodies[0].fixed_stated = true;
  EXPECT_THROW(make_state(held_elsewhere), Error);
  Scene explicit_steps = scene;
  explicit_steps.solver.integrator = Integrator::central_differences;
  explicit_steps.solver.timestep = 1.0;
  EXPECT_THROW(make_state(explicit_steps), Error);
}

/// A beam that nothing holds, thrown.
Scene thrown_scene(Method method) {
  Scene scene = beam_scene(method, 20);
  scene.bodies[0].fixed = {};
  scene.bodies[0].loads.clear();
  scene.bodies[0].velocity = {1, 2, 3};
  scene.bodies[0].angular_velocity = {0.5, -1, 2};
  scene.gravity = {0, 0.5, -9.81};
  scene.solver.timestep = 0.005;
  return scene;
}

TEST(FreeReducedScene, FallsAndKeepsItsMomentum) {
  for (const Method method : {Method::reduced, Method::linear, Method::warped}) {
    const Scene scene = thrown_scene(method);
    SceneState state = make_state(scene);
    ASSERT_TRUE(state.body(0).model().free);
    const TreeMomentum start = state.body(0).momentum();
    EXPECT_LT((start.linear / start.mass - scene.bodies[0].velocity).norm(), 1e-9);
    EXPECT_NEAR(start.mass, 0.01 * 900.0, 1e-6);
    for (int i = 0; i < scene.solver.steps; ++i) ASSERT_TRUE(step(scene, state).ok()) << "step " << i;
    const TreeMomentum end = state.body(0).momentum();
    const Vector3 velocity = scene.bodies[0].velocity + state.time * scene.gravity;
    EXPECT_LT((end.linear / end.mass - velocity).norm(), 1e-9) << name_of(method);
    const Vector3 way = state.time * scene.bodies[0].velocity + 0.5 * state.time * state.time * scene.gravity;
    EXPECT_LT((end.center - start.center - way).norm(), 1e-3 * way.norm()) << name_of(method);
    EXPECT_LT((end.angular - start.angular).norm(), 1e-6 * start.angular.norm()) << name_of(method);
    // What is seen moves along.
    const Matrix3X u = mesh_displacement(scene, state, 0);
    EXPECT_LT((u.rowwise().mean() - way).norm(), 0.1 * way.norm()) << name_of(method);
  }
}

TEST(FreeReducedScene, OfWarpedModesTakesEveryModalIntegratorAndCoriolisForces) {
  Scene scene = thrown_scene(Method::warped);
  scene.bodies[0].angular_velocity = {5, -10, 20};
  const auto end_of = [&] {
    SceneState state = make_state(scene);
    const TreeMomentum start = state.body(0).momentum();
    for (int i = 0; i < scene.solver.steps; ++i) EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
    EXPECT_LT((state.body(0).momentum().angular - start.angular).norm(), 1e-9 * start.angular.norm());
    return Vector(state.body(0).q());
  };
  std::vector<Vector> ends;
  for (const ModalIntegrator integrator :
       {ModalIntegrator::newmark, ModalIntegrator::exact, ModalIntegrator::semi_implicit}) {
    scene.solver.modal_integrator = integrator;
    ends.push_back(end_of());
  }
  scene.solver.modal_integrator = ModalIntegrator::newmark;
  scene.bodies[0].coriolis = true;
  ends.push_back(end_of());
  for (std::size_t i = 1; i < ends.size(); ++i) EXPECT_NE(ends[i], ends[0]) << "it has an effect: " << i;
  scene.solver.integrator = Integrator::central_differences;
  EXPECT_NE(test::error_text([&] { (void)make_state(scene); }).find("'newmark', 'exact' or 'semi-implicit'"),
            std::string::npos);
}

TEST(FreeReducedScene, IsRefusedInStatics) {
  Scene scene = thrown_scene(Method::reduced);
  scene.solver.type = SimulationType::statics;
  EXPECT_THROW(make_state(scene), Error);
  scene.bodies[0].model = model_of(thrown_scene(Method::reduced));
  EXPECT_THROW(make_state(scene), Error);
}

TEST(ReducedScene, AgreesBetweenExplicitAndImplicitSteps) {
  Scene implicit = beam_scene(Method::reduced, 1000);
  implicit.solver.timestep = 1e-4;
  Scene central = implicit;
  central.solver.integrator = Integrator::central_differences;
  const Matrix3X u = motion_of(implicit).back();
  EXPECT_LT((motion_of(central).back() - u).norm() / u.norm(), 1e-3);
}

}  // namespace
}  // namespace limber::reduced_scene_test
