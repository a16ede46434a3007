// Pressure and traction in scenes.

#include "limber/base/error.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <string>

namespace limber::surface_load_test {
namespace {

constexpr double p = 20.0;

Scene beam_scene(Method method) {
  SceneBody body;
  body.name = "beam";
  body.method = method;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.reduction.basis.modes = 6;
  body.reduction.basis.rank = 12;
  body.surface_loads = {{.where = {.where = "z > 0.099 and x > 0.3"}, .pressure = p}};
  Scene scene;
  scene.bodies = {body};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = 12;
  scene.solver.timestep = 0.02;
  scene.solver.threads = 1;
  return scene;
}

void run(const Scene& scene, SceneState& state, int steps) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(step(scene, state).ok()) << i;
}

double deepest(const Scene& scene, const SceneState& state) {
  return mesh_displacement(scene, state, 0).row(2).minCoeff();
}

TEST(SurfaceLoadsOfScenes, BendABeamByEveryMethodAlike) {
  const Scene full = beam_scene(Method::full);
  SceneState expected = make_state(full);
  run(full, expected, 12);
  ASSERT_LT(deepest(full, expected), -0.002);
  for (const Method method : {Method::online, Method::reduced, Method::linear, Method::warped}) {
    const Scene scene = beam_scene(method);
    SceneState state = make_state(scene);
    run(scene, state, 12);
    EXPECT_NEAR(deepest(scene, state), deepest(full, expected), 0.05 * std::abs(deepest(full, expected)))
        << name_of(method);
  }
}

TEST(SurfaceLoadsOfScenes, AreFoundInEquilibrium) {
  double expected = 0.0;
  for (const Method method : {Method::full, Method::reduced, Method::warped}) {
    Scene scene = beam_scene(method);
    scene.solver.type = SimulationType::statics;
    SceneState state = make_state(scene);
    ASSERT_TRUE(step(scene, state).ok()) << name_of(method);
    if (method == Method::full) expected = deepest(scene, state);
    EXPECT_NEAR(deepest(scene, state), expected, 0.05 * std::abs(expected)) << name_of(method);
  }
  EXPECT_LT(expected, -0.005);
}

TEST(SurfaceLoadsOfScenes, GiveAFreeBodyTheirMomentum) {
  for (const Method method : {Method::full, Method::reduced, Method::warped}) {
    Scene scene = beam_scene(method);
    scene.bodies[0].fixed = {};
    scene.bodies[0].surface_loads = {{.where = {.box = BoundingBox{Vector3(0.99, -1, -1), Vector3(2, 1, 1)}},
                                      .traction = Vector3(0.0, 0.0, p),
                                      .from = 0.013,
                                      .to = 0.118}};
    SceneState state = make_state(scene);
    run(scene, state, 12);
    const Vector3 given(0.0, 0.0, p * 0.04 * 0.105);
    // Surfaces of reduced models are drawn, and kept in single precision.
    const double rounding = method == Method::full ? 1e-9 : 1e-7;
    EXPECT_LT((state.body(0).momentum().linear - given).norm(), rounding * given.norm()) << name_of(method);
  }
}

TEST(SurfaceLoadsOfScenes, WithoutASelectionActOnAllOfTheSurface) {
  Scene scene = beam_scene(Method::full);
  scene.bodies[0].surface_loads = {{.pressure = 500.0}};
  const SceneState state = make_state(scene);
  EXPECT_EQ(static_cast<Index>(state.body(0).loads().surface.at(0).triangles.size()),
            state.body(0).surface().mesh().triangle_count());
}

TEST(SurfaceLoadsOfScenes, GoOnFromASavedStateWithTheSameBits) {
  for (const Method method : all_methods) {
    Scene scene = beam_scene(method);
    scene.bodies[0].surface_loads.push_back({.pressure = -40.0, .from = 0.05, .to = 0.13});
    SceneState whole = make_state(scene), resumed = make_state(scene);
    run(scene, whole, 5);
    StateWriter out;
    save(whole, 0, out);
    StateReader in(out.bytes(), "state");
    restore(resumed, 0, in);
    resumed.step = whole.step;
    resumed.time = whole.time;
    run(scene, whole, 7);
    run(scene, resumed, 7);
    EXPECT_EQ(mesh_displacement(scene, resumed, 0), mesh_displacement(scene, whole, 0)) << name_of(method);
  }
}

TEST(SurfaceLoadsOfScenes, ThatChooseNothingAreRefused) {
  const auto refusal = [](const std::string& where) {
    Scene scene = beam_scene(Method::full);
    scene.bodies[0].surface_loads[0].where.where = where;
    scene.bodies[0].surface_loads[0].number = 3;
    return test::error_text([&] { (void)make_state(scene); });
  };
  EXPECT_EQ(refusal("x > 0.99 and y > 0.05"),
            "beam: loads[3]: no triangle of the surface has all of its corners in the selection; choose a "
            "larger piece");
  EXPECT_TRUE(test::contains(refusal("x > 2"), "beam: loads[3]: \"x > 2\" chooses no vertex"));
  EXPECT_EQ(
      refusal("x < 0.01"),
      "beam: loads[3]: all of its triangles are fixed, so that it does nothing; choose others, or leave "
      "it out");
}

TEST(SurfaceLoadsOfScenes, AreNamedByTheirPlaceInTheFileAsAllLoadsAre) {
  Scene scene = beam_scene(Method::full);
  scene.bodies[0].loads = {{.where = {.where = "x < 0.01"}, .force = Vector3(0.0, 0.0, 1.0), .number = 3}};
  EXPECT_TRUE(
      test::contains(test::error_text([&] { (void)make_state(scene); }), "beam: loads[3]: all of its"));
}

TEST(TotalForces, PushAnyMeshAlike) {
  const auto pushed = [](int refined, bool total) {
    Scene scene = beam_scene(Method::full);
    SceneBody& body = scene.bodies[0];
    body.mesh =
        make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), refined * Eigen::Vector3i(5, 1, 1)});
    body.fixed = {};
    body.surface_loads.clear();
    body.loads = {{.where = {.where = "x > 0.99"}, .force = Vector3(0.0, 0.0, -0.5), .total = total}};
    SceneState state = make_state(scene);
    run(scene, state, 1);
    return state.body(0).momentum().linear.z();
  };
  for (const int refined : {1, 2}) EXPECT_NEAR(pushed(refined, true), -0.5 * 0.02, 1e-9) << refined;
  EXPECT_NEAR(pushed(1, false), 4 * -0.5 * 0.02, 1e-9);
  EXPECT_NEAR(pushed(2, false), 9 * -0.5 * 0.02, 1e-9) << "on each vertex: a finer mesh is pushed harder";
}

}  // namespace
}  // namespace limber::surface_load_test
