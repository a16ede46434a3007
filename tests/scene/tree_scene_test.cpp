#include "limber/base/error.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace limber::tree_scene_test {
namespace {

/// A slender beam, held at one end, that a push at its tip bends deeply.
Scene beam_scene(Method method, int steps = 20) {
  SceneBody body;
  body.name = "beam";
  body.method = method;
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(8, 1, 1)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.loads = {{{.where = "x > 0.99"}, Vector3(0, 0.02, -0.1), 0.013, 0.25}};
  body.accelerations = {{Vector3(0, 0.5, 0), 0.1, 0.2}};
  body.reduction.basis.modes = 5;
  body.reduction.basis.rank = 8;
  Scene scene;
  scene.bodies = {body};
  scene.gravity = {0, 0, -1.0};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.steps = steps;
  scene.solver.timestep = 0.03;
  scene.solver.threads = 1;
  return scene;
}

/// The same as a tree: of one domain, because it has one region.
Scene domain_scene(int steps = 20) {
  Scene scene = beam_scene(Method::reduced, steps);
  scene.bodies[0].domains.emplace();
  scene.bodies[0].domains->rank = 8;
  return scene;
}

/// In two domains, the second of which is the outer half.
Scene halves_scene(int steps = 20) {
  Scene scene = domain_scene(steps);
  SceneBody& body = scene.bodies[0];
  const auto half = static_cast<std::size_t>(body.mesh.element_count() / 2);
  ElementSet outer{"outer", std::vector<int>(half)};
  std::iota(outer.elements.begin(), outer.elements.end(), static_cast<int>(half));
  body.domains->from = DomainSource::sets;
  body.domains->sets = {outer};
  return scene;
}

/// Two bars, the second turned upward at the end of the first; free ones fly.
Scene bars_scene(bool free, int steps = 20) {
  Part bar;
  bar.name = "bar";
  bar.mesh = make_beam({ElementKind::tetrahedron, Vector3(0.5, 0.1, 0.1), Eigen::Vector3i(6, 2, 2)});
  bar.materials = {test::material("stvk", 1e5)};
  bar.fixed = test::vertices_below(bar.mesh, 0.01);
  bar.rank = 6;
  bar.sites = {site_near(bar.mesh, Vector3(0.5, 0, 0), 0.08, "end")};
  Scene scene = domain_scene(steps);
  SceneBody& body = scene.bodies[0];
  body.parts.parts = {bar};
  Placement inner, outer;
  inner.name = "inner";
  outer.name = "outer";
  outer.parent = outer.site = 0;
  outer.position = {0.5, 0, 0};
  outer.rotation = Eigen::AngleAxisd(-0.5, Vector3::UnitY());
  body.parts.placements = {inner, outer};
  if (free) release_root(body.parts);
  WholeBody whole = join_parts(body.parts);
  body.mesh = whole.mesh;
  body.render = whole.surface;
  body.fixed = {};
  body.loads[0].where = {.nearest = {Vector3(0.93, 0, 0.24)}};
  return scene;
}

Matrix3X displacement(const Scene& scene, const SceneState& state) {
  return mesh_displacement(scene, state, 0);
}

std::vector<Matrix3X> motion_of(const Scene& scene) {
  SceneState state = make_state(scene);
  std::vector<Matrix3X> fields;
  for (int i = 0; i < scene.solver.steps; ++i) {
    EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
    fields.push_back(displacement(scene, state));
  }
  return fields;
}

std::string message_of(const Scene& scene) {
  try {
    (void)make_state(scene);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Largest difference at any time, as a share of the largest displacement.
double difference(const std::vector<Matrix3X>& a, const std::vector<Matrix3X>& b) {
  double largest = 0.0, size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, (a[i] - b[i]).cwiseAbs().maxCoeff());
    size = std::max(size, a[i].cwiseAbs().maxCoeff());
  }
  EXPECT_GT(size, 0.05) << "hardly moves: nothing is tested";
  return largest / size;
}

/// The same model, whose one domain has a frame: that of a support that stands still.
Scene with_a_frame(const Scene& reduced) {
  Scene tree = reduced;
  tree.bodies[0].model = make_state(reduced).body(0).shared_model();
  tree.bodies[0].support = [](double) { return Pose{}; };
  EXPECT_EQ(make_state(reduced).body(0).tree(), nullptr);
  EXPECT_NE(make_state(tree).body(0).tree(), nullptr);
  return tree;
}

TEST(TreeScene, WithOneDomainEqualsTheReducedOne) {
  Scene reduced = beam_scene(Method::reduced);
  reduced.solver.newmark.max_iterations = 1;
  reduced.solver.newmark.guarded = false;
  EXPECT_LT(difference(motion_of(reduced), motion_of(with_a_frame(reduced))), 1e-9);
}

TEST(TreeScene, WithOneDomainEqualsTheReducedOneWithItsDamping) {
  Scene reduced = beam_scene(Method::reduced);
  reduced.bodies[0].damping = {0.1, 0.01, RayleighDamping::Stiffness::linear};
  reduced.solver.newmark.max_iterations = 1;
  reduced.solver.newmark.guarded = false;
  EXPECT_LT(difference(motion_of(reduced), motion_of(with_a_frame(reduced))), 1e-9);
}

TEST(TreeScene, MovesLinearlyToo) {
  Scene reduced = halves_scene(), linear = reduced;
  linear.bodies[0].method = Method::linear;
  for (Scene* scene : {&reduced, &linear}) {  // so small that both are the same
    scene->gravity *= 1e-5;
    scene->bodies[0].loads[0].force *= 1e-5;
    scene->bodies[0].accelerations.clear();
  }
  const Matrix3X expected = motion_of(reduced).back();
  EXPECT_GT(expected.norm(), 1e-7);
  EXPECT_LT((motion_of(linear).back() - expected).norm(), 1e-3 * expected.norm());
}

TEST(TreeScene, OfADecomposedMeshFollowsTheFullMotion) {
  const Scene full = beam_scene(Method::full, 40);
  Scene tree = halves_scene(40);
  tree.bodies[0].domains->rank = 14;
  EXPECT_LT(difference(motion_of(full), motion_of(tree)), 0.1);
}

TEST(TreeScene, FindsTheStaticShape) {
  Scene full = beam_scene(Method::full), tree = halves_scene();
  tree.bodies[0].domains->rank = 14;
  for (Scene* scene : {&full, &tree}) {
    scene->solver.type = SimulationType::statics;
    scene->gravity *= 0.2;
    scene->bodies[0].loads.clear();
    scene->bodies[0].accelerations.clear();
  }
  SceneState a = make_state(full), b = make_state(tree);
  ASSERT_TRUE(step(full, a).ok());
  ASSERT_TRUE(step(tree, b).ok());
  const Matrix3X u = displacement(full, a);
  EXPECT_GT(u.cwiseAbs().maxCoeff(), 0.01) << "hardly bends: nothing is tested";
  EXPECT_LT((displacement(tree, b) - u).norm(), 0.05 * u.norm());
}

TEST(TreeScene, HasTheColumnsOfTheWholeMeshAndSurface) {
  for (const Scene& scene : {halves_scene(1), bars_scene(false, 1), bars_scene(true, 1)}) {
    SceneState state = make_state(scene);
    ASSERT_TRUE(step(scene, state).ok());
    const SceneBody& body = scene.bodies[0];
    EXPECT_EQ(displacement(scene, state).cols(), body.mesh.vertex_count());
    ASSERT_NE(state.body(0).tree(), nullptr);
    EXPECT_EQ(element_count(scene, state, 0), body.mesh.element_count());
    const Index drawn = state.body(0).surface().mesh().vertex_count();
    EXPECT_EQ(state.body(0).surface_displacement().cols(), drawn);
    if (body.render.triangle_count() > 0) {
      EXPECT_EQ(drawn, body.render.vertex_count());
    }
  }
}

TEST(TreeScene, KnowsItsMassUnknownsAndGap) {
  const Scene scene = bars_scene(true, 15);
  SceneState state = make_state(scene);
  EXPECT_NEAR(state.body(0).momentum().mass, 2 * 0.5 * 0.1 * 0.1 * 900.0, 1e-9);
  EXPECT_EQ(state.body(0).unknowns(), state.body(0).tree()->coordinate_count() + 6);
  EXPECT_EQ(largest_gap(state, 0).domain, -1);
  double largest = 0.0;
  for (int i = 0; i < scene.solver.steps; ++i) {
    ASSERT_TRUE(step(scene, state).ok());
    largest = std::max(largest, state.body(0).largest_gap().share);
  }
  EXPECT_GT(largest_gap(state, 0).share, 0.5 * largest);  // not every step is looked at
  EXPECT_LE(largest_gap(state, 0).share, largest);
  EXPECT_EQ(largest_gap(state, 0).domain, 1);
}

TEST(TreeScene, StartsAFreeBodyAsOneRigidBody) {
  Scene scene = bars_scene(true, 1);
  SceneBody& body = scene.bodies[0];
  body.loads.clear();
  body.accelerations.clear();
  body.velocity = {1, 2, 3};
  body.angular_velocity = {0, 0, 0.5};
  scene.gravity.setZero();
  const SceneState state = make_state(scene);
  const TreeMomentum momentum = state.body(0).momentum();
  EXPECT_LT((momentum.linear / momentum.mass - body.velocity).norm(), 1e-9);
  const Point tip = mesh_point(static_cast<int>(body.mesh.vertex_count()) - 1);
  const Vector3 arm = state.body(0).position(tip) - momentum.center;
  EXPECT_LT((state.body(0).velocity(tip) - body.velocity - body.angular_velocity.cross(arm)).norm(), 1e-9);
}

TEST(TreeScene, FallsAsGravityAndAccelerationsSay) {
  Scene scene = bars_scene(true, 10);
  SceneBody& body = scene.bodies[0];
  body.loads.clear();
  body.accelerations = {{Vector3(0, 2, 0), 0.0, 0.15}};
  SceneState state = make_state(scene);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(step(scene, state).ok());
  const TreeMomentum momentum = state.body(0).momentum();
  // Loads stand for the time about the end of a step: half a step of the first is left out.
  EXPECT_LT((momentum.linear / momentum.mass - Vector3(0, 2 * 0.15, -0.3)).norm(), 2 * 0.5 * 0.03 + 1e-9);
  EXPECT_NEAR(momentum.linear.z() / momentum.mass, -0.3, 1e-9);
}

TEST(TreeScene, ChangesTheStiffnessOfNamedDomains) {
  Scene soft = bars_scene(false, 8), stiff = soft;
  stiff.bodies[0].domains->stiffness = {{"bar", 100.0}};  // a part: both
  const auto largest = [](const Scene& scene) {
    double size = 0.0;
    for (const Matrix3X& field : motion_of(scene)) size = std::max(size, field.norm());
    return size;
  };
  EXPECT_LT(largest(stiff), 0.25 * largest(soft));
  Scene outer = soft;
  outer.bodies[0].domains->stiffness = {{"outer", 4.0}};
  SceneState state = make_state(outer);
  EXPECT_EQ(state.body(0).stiffness(0), 1.0);
  EXPECT_EQ(state.body(0).stiffness(1), 4.0);
}

TEST(TreeScene, MakesNamedDomainsRigid) {
  Scene scene = bars_scene(false, 3);
  scene.bodies[0].domains->rigid = {"outer"};
  SceneState state = make_state(scene);
  const Model& tree = state.body(0).model();
  EXPECT_EQ(tree.rank(0), 6);
  EXPECT_EQ(tree.rank(1), 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(step(scene, state).ok());
  scene.bodies[0].domains->rigid = {"oter"};
  EXPECT_NE(message_of(scene).find("domains.rigid: the body has no domain 'oter'; did you mean 'outer'?"),
            std::string::npos)
      << message_of(scene);
}

TEST(TreeScene, IsBlownAwayByWind) {
  Scene calm = bars_scene(false, 10), windy = calm;
  for (Scene* scene : {&calm, &windy}) {
    scene->gravity.setZero();
    scene->bodies[0].loads.clear();
    scene->bodies[0].accelerations.clear();
  }
  windy.bodies[0].wind.velocity = {0, 5, 0};
  EXPECT_LT(motion_of(calm).back().norm(), 1e-12);
  EXPECT_GT(motion_of(windy).back().row(1).maxCoeff(), 1e-4);
}

TEST(TreeScene, IsRescuedWhereNoStepConverges) {
  Scene scene = halves_scene(6);
  scene.solver.newmark.max_iterations = 2;  // which are too few
  scene.gravity *= 1e5;
  SceneState state = make_state(scene);
  int rescued = 0;
  for (int i = 0; i < scene.solver.steps; ++i) {
    const StepReport report = step(scene, state);
    ASSERT_TRUE(report.ok()) << "step " << i;
    rescued += report.rescued_steps;
  }
  EXPECT_GT(rescued, 0);
  EXPECT_TRUE(displacement(scene, state).allFinite());
}

TEST(TreeScene, GoesBackToWhereItWas) {
  const Scene scene = bars_scene(true, 6);
  SceneState state = make_state(scene);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(step(scene, state).ok());
  Body& body = state.body(0);
  const ReducedStepOptions options = step_options(scene.solver, body);
  body.remember();
  ASSERT_TRUE(body.step(0.03, options).ok());
  const Matrix3X once = body.mesh_displacement();
  ASSERT_TRUE(body.step(0.03, options).ok());
  body.go_back();
  ASSERT_TRUE(body.step(0.03, options).ok());
  EXPECT_EQ(body.mesh_displacement(), once);
}

std::string saved(const SceneState& state) {
  StateWriter out;
  save(state, 0, out);
  return out.bytes();
}

/// Whether a run that is saved and taken back goes on with the same bits.
void expect_same_bits(const Scene& scene) {
  for (const int stop : {0, 1, 7}) {
    SceneState whole = make_state(scene), resumed = make_state(scene);
    for (int i = 0; i < stop; ++i) ASSERT_TRUE(step(scene, whole).ok()) << "step " << i;
    const std::string state = saved(whole);
    StateReader in(state, "state");
    restore(resumed, 0, in);
    in.finish();
    resumed.step = whole.step;
    resumed.time = whole.time;
    EXPECT_EQ(displacement(scene, resumed), displacement(scene, whole));
    for (int i = stop; i < scene.solver.steps; ++i) {
      const StepReport a = step(scene, whole), b = step(scene, resumed);
      ASSERT_TRUE(a.ok() && b.ok()) << "step " << i;
      EXPECT_EQ(a.iterations, b.iterations) << "stopped after " << stop << ", step " << i;
      EXPECT_EQ(whole.world.energy(), resumed.world.energy()) << "stopped after " << stop << ", step " << i;
      ASSERT_EQ(displacement(scene, whole), displacement(scene, resumed))
          << "stopped after " << stop << ", step " << i;
    }
    EXPECT_TRUE(saved(whole) == saved(resumed)) << "stopped after " << stop;
    EXPECT_GT(displacement(scene, whole).norm(), 0.01) << "hardly moves: nothing is tested";
  }
}

TEST(TreeScene, GoesOnWithTheSameBitsWhenItIsResumed) {
  Scene held = bars_scene(false, 12), free = bars_scene(true, 12);
  for (Scene* scene : {&held, &free}) {
    scene->bodies[0].damping = {0.1, 0.01};
    scene->bodies[0].wind = {Vector3(0, 3, 0), 0.4};
  }
  free.bodies[0].angular_velocity = {0, 1, 2};
  expect_same_bits(held);
  expect_same_bits(free);
  Scene loaded = bars_scene(false, 12);
  for (SceneLoad& load : loaded.bodies[0].loads) load.to = 1e3;  // stands all the time
  expect_same_bits(loaded);
}

TEST(TreeScene, RefusesAStateOfAnotherTree) {
  SceneState one = make_state(bars_scene(false)), other = make_state(halves_scene());
  const std::string state = saved(one);
  StateReader in(state, "state");
  EXPECT_THROW(restore(other, 0, in), Error);
}

/// Steps that gain energy however short they are leave it at rest, which is no equilibrium.
TEST(TreeScene, IsNotInEquilibriumWhereNoStepCanBeTaken) {
  Scene scene = halves_scene();
  scene.solver.type = SimulationType::statics;
  scene.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0, 1e20)}};
  SceneState state = make_state(scene);
  EXPECT_FALSE(step(scene, state).ok());
}

TEST(TreeScene, IsRefusedWhereItCannotBe) {
  struct Case {
    std::function<void(Scene&)> change;
    std::string expected;
  };
  const Case cases[] = {
      {[](Scene& s) {
         s = bars_scene(true);
         s.solver.type = SimulationType::statics;
       },
       "nothing holds"},
      {[](Scene& s) {
         s.solver.type = SimulationType::statics;
         s.bodies[0].wind.velocity = {1, 0, 0};
       },
       "set solver.type to 'dynamic'"},
      {[](Scene& s) { s.solver.type = SimulationType::quasistatic; }, "does not take quasistatic steps"},
      {[](Scene& s) { s.solver.integrator = Integrator::central_differences; },
       "takes no central differences; choose the integrator 'newmark'"},
      {[](Scene& s) { s.bodies[0].method = Method::full; },
       "the method 'full' does not take several domains"},
      {[](Scene& s) { s.bodies[0].method = Method::warped; },
       "the method 'warped' does not take several domains"},
      {[](Scene& s) {
         s.bodies[0].velocity = {1, 0, 0};
       },
       "it is held"},
      {[](Scene& s) { s.bodies[0].rank = 3; }, "give 'domains' with a 'rank' instead"},
      {[](Scene& s) { s.bodies[0].loads[0].where = {.where = "x > 9"}; }, "chooses no vertex"},
      {[](Scene& s) {
         s.bodies[0].domains->stiffness = {{"outr", 2.0}};
       },
       "did you mean 'outer'?"},
      {[](Scene& s) {
         s = bars_scene(true);
         s.bodies[0].support = [](double) { return Pose{}; };
       },
       "'support' moves what holds the body, but nothing does"},
      {[](Scene& s) {
         s.bodies[0].support = [](double t) {
           return Pose{Vector3(t > 0.1 ? 1.0 : 0.0, 0.0, 0.0), Eigen::Quaterniond::Identity()};
         };
       },
       "'support' jumps by 1 m"},
  };
  for (const Case& refused : cases) {
    Scene scene = bars_scene(false);
    refused.change(scene);
    EXPECT_NE(message_of(scene).find(refused.expected), std::string::npos)
        << message_of(scene) << "\nexpected: " << refused.expected;
  }
}

Matrix3X end_of(const Scene& scene) {
  SceneState state = make_state(scene);
  for (int i = 0; i < scene.solver.steps; ++i) EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
  return displacement(scene, state);
}

TEST(TreeSupport, ThatSpeedsUpActsAsGravityDoes) {
  const Vector3 acceleration(0.0, 0.3, 0.8);
  Scene pulled = halves_scene(), moving = halves_scene();
  pulled.gravity -= acceleration;
  moving.bodies[0].support = [acceleration](double t) {
    return Pose{0.5 * t * t * acceleration, Eigen::Quaterniond::Identity()};
  };
  const double t = moving.solver.steps * moving.solver.timestep;
  const Matrix3X in_frame = end_of(moving).colwise() - Vector3(0.5 * t * t * acceleration);
  EXPECT_LT((in_frame - end_of(pulled)).norm(), 1e-6 * end_of(pulled).norm());
}

TEST(TreeSupport, ThatStartsAtOnceKicksAsAStartVelocityDoes) {
  const Vector3 velocity(0.0, 0.002, 0.004);
  Scene full = beam_scene(Method::full, 100), moving = domain_scene(100);
  for (Scene* scene : {&full, &moving}) {
    scene->gravity.setZero();
    scene->bodies[0].loads.clear();
    scene->bodies[0].accelerations.clear();
    scene->solver.timestep = 0.002;
  }
  full.bodies[0].velocity = -velocity;
  moving.bodies[0].support = [velocity](double t) {
    return Pose{t * velocity, Eigen::Quaterniond::Identity()};
  };
  const Matrix3X expected = end_of(full), in_frame = end_of(moving).colwise() - Vector3(0.2 * velocity);
  EXPECT_LT((in_frame - expected).norm(), 0.05 * expected.norm());  // in eight coordinates
}

TEST(TreeSupport, ThatTurnsCarriesTheBodyAlong) {
  Scene scene = halves_scene(400);
  scene.gravity.setZero();
  scene.bodies[0].loads.clear();
  scene.bodies[0].accelerations.clear();
  scene.bodies[0].damping = {.mass = 2.0};
  const Pose end{Vector3(0.1, 0.2, 0.3), Eigen::Quaterniond(Eigen::AngleAxisd(1.0, Vector3::UnitY()))};
  scene.bodies[0].support = interpolate_poses({{0.0, {}}, {0.6, end}}, Interpolation::smooth);
  const Matrix3X& rest = scene.bodies[0].mesh.vertices;
  const Matrix3X moved = (end.rotation.toRotationMatrix() * rest).colwise() + end.position;
  EXPECT_LT((rest + end_of(scene) - moved).norm(), 0.02 * moved.norm()) << "it has come to rest there";
}

}  // namespace
}  // namespace limber::tree_scene_test
