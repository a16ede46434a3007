#include "limber/base/error.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/reduced_body.hpp"
#include "limber/scene/scene.hpp"
#include "limber/scene/tree_body.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace limber::tree_scene_test {
namespace {

/// A slender beam, held at one end, that a push at its tip bends deeply. One region: one domain.
Scene beam_scene(ModelOrder order, int steps = 20) {
  SceneBody body;
  body.name = "beam";
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(8, 1, 1)});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed.where = "x < 0.01";
  body.loads = {{{.where = "x > 0.99"}, Vector3(0, 0.02, -0.1), 0.013, 0.25}};
  body.accelerations = {{Vector3(0, 0.5, 0), 0.1, 0.2}};
  body.reduction.basis.modes = 5;
  body.reduction.basis.rank = 8;
  body.domains.rank = 8;
  Scene scene;
  scene.bodies = {body};
  scene.gravity = {0, 0, -1.0};
  scene.solver.type = SimulationType::dynamics;
  scene.solver.order = order;
  scene.solver.steps = steps;
  scene.solver.timestep = 0.03;
  scene.solver.threads = 1;
  return scene;
}

/// The same in two domains, the second of which is the outer half.
Scene halves_scene(int steps = 20) {
  Scene scene = beam_scene(ModelOrder::domains, steps);
  SceneBody& body = scene.bodies[0];
  const auto half = static_cast<std::size_t>(body.mesh.element_count() / 2);
  ElementSet outer{"outer", std::vector<int>(half)};
  std::iota(outer.elements.begin(), outer.elements.end(), static_cast<int>(half));
  body.domains.from = DomainSource::sets;
  body.domains.sets = {outer};
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
  Scene scene = beam_scene(ModelOrder::domains, steps);
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

const TreeBody& tree_body(const SceneState& state) { return dynamic_cast<const TreeBody&>(*state.bodies[0]); }

std::vector<Matrix3X> motion_of(const Scene& scene) {
  SceneState state = make_state(scene);
  std::vector<Matrix3X> fields;
  for (int i = 0; i < scene.solver.steps; ++i) {
    EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
    fields.push_back(state.bodies[0]->displacement());
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

TEST(TreeScene, WithOneDomainEqualsTheReducedOne) {
  Scene reduced = beam_scene(ModelOrder::reduced);
  reduced.solver.newmark.max_iterations = 1;
  reduced.solver.newmark.guarded = false;
  Scene tree = reduced;
  tree.solver.order = ModelOrder::domains;
  const SceneState state = make_state(reduced);
  tree.bodies[0].model =
      std::make_shared<ReducedModel>(dynamic_cast<const ReducedBody&>(*state.bodies[0]).model());
  EXPECT_LT(difference(motion_of(reduced), motion_of(tree)), 1e-9);
}

TEST(TreeScene, WithOneDomainEqualsTheReducedOneWithItsDamping) {
  Scene reduced = beam_scene(ModelOrder::reduced);
  reduced.bodies[0].damping = {0.1, 0.01, RayleighDamping::Stiffness::linear};
  Scene tree = reduced;
  tree.solver.order = ModelOrder::domains;
  const SceneState state = make_state(reduced);
  tree.bodies[0].model =
      std::make_shared<ReducedModel>(dynamic_cast<const ReducedBody&>(*state.bodies[0]).model());
  reduced.solver.newmark.max_iterations = tree.solver.newmark.max_iterations = 1;
  reduced.solver.newmark.guarded = tree.solver.newmark.guarded = false;
  EXPECT_LT(difference(motion_of(reduced), motion_of(tree)), 1e-9);
}

TEST(TreeScene, OfADecomposedMeshFollowsTheFullMotion) {
  const Scene full = beam_scene(ModelOrder::full, 40);
  Scene tree = halves_scene(40);
  tree.bodies[0].domains.rank = 14;
  EXPECT_LT(difference(motion_of(full), motion_of(tree)), 0.1);
}

TEST(TreeScene, HasTheColumnsOfTheWholeMeshAndSurface) {
  for (const Scene& scene : {halves_scene(1), bars_scene(false, 1), bars_scene(true, 1)}) {
    SceneState state = make_state(scene);
    ASSERT_TRUE(step(scene, state).ok());
    const SceneBody& body = scene.bodies[0];
    EXPECT_EQ(state.bodies[0]->displacement().cols(), body.mesh.vertex_count());
    ASSERT_NE(state.bodies[0]->tree_dynamics(), nullptr);
    if (body.render.triangle_count() > 0) {
      EXPECT_EQ(state.bodies[0]->surface_displacement().cols(), body.render.vertex_count());
    }
  }
}

TEST(TreeScene, KnowsItsMassUnknownsAndGap) {
  const Scene scene = bars_scene(true, 15);
  SceneState state = make_state(scene);
  EXPECT_NEAR(state.bodies[0]->mass(), 2 * 0.5 * 0.1 * 0.1 * 900.0, 1e-9);
  EXPECT_EQ(state.bodies[0]->unknowns(), tree_body(state).dynamics().coordinate_count() + 6);
  EXPECT_EQ(tree_body(state).largest_gap().domain, -1);
  double largest = 0.0;
  for (int i = 0; i < scene.solver.steps; ++i) {
    ASSERT_TRUE(step(scene, state).ok());
    largest = std::max(largest, tree_body(state).dynamics().largest_gap().share);
  }
  EXPECT_GT(tree_body(state).largest_gap().share, 0.5 * largest);  // not every step is looked at
  EXPECT_LE(tree_body(state).largest_gap().share, largest);
  EXPECT_EQ(tree_body(state).largest_gap().domain, 1);
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
  const TreeDynamics& dynamics = tree_body(state).dynamics();
  const TreeMomentum momentum = dynamics.momentum();
  EXPECT_LT((momentum.linear / momentum.mass - body.velocity).norm(), 1e-9);
  const TreePoint tip = tree_body(state).mesh()->point(static_cast<int>(body.mesh.vertex_count()) - 1);
  const Vector3 arm = dynamics.position(tip) - momentum.center;
  EXPECT_LT((dynamics.velocity(tip) - body.velocity - body.angular_velocity.cross(arm)).norm(), 1e-9);
}

TEST(TreeScene, FallsAsGravityAndAccelerationsSay) {
  Scene scene = bars_scene(true, 10);
  SceneBody& body = scene.bodies[0];
  body.loads.clear();
  body.accelerations = {{Vector3(0, 2, 0), 0.0, 0.15}};
  SceneState state = make_state(scene);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(step(scene, state).ok());
  const TreeMomentum momentum = tree_body(state).dynamics().momentum();
  // Loads stand for the time about the end of a step: half a step of the first is left out.
  EXPECT_LT((momentum.linear / momentum.mass - Vector3(0, 2 * 0.15, -0.3)).norm(), 2 * 0.5 * 0.03 + 1e-9);
  EXPECT_NEAR(momentum.linear.z() / momentum.mass, -0.3, 1e-9);
}

TEST(TreeScene, ChangesTheStiffnessOfNamedDomains) {
  Scene soft = bars_scene(false, 8), stiff = soft;
  stiff.bodies[0].domains.stiffness = {{"bar", 100.0}};  // a part: both
  const auto largest = [](const Scene& scene) {
    double size = 0.0;
    for (const Matrix3X& field : motion_of(scene)) size = std::max(size, field.norm());
    return size;
  };
  EXPECT_LT(largest(stiff), 0.25 * largest(soft));
  Scene outer = soft;
  outer.bodies[0].domains.stiffness = {{"outer", 4.0}};
  SceneState state = make_state(outer);
  EXPECT_EQ(tree_body(state).dynamics().stiffness(0), 1.0);
  EXPECT_EQ(tree_body(state).dynamics().stiffness(1), 4.0);
}

TEST(TreeScene, MakesNamedDomainsRigid) {
  Scene scene = bars_scene(false, 3);
  scene.bodies[0].domains.rigid = {"outer"};
  SceneState state = make_state(scene);
  const Model& tree = tree_body(state).tree();
  EXPECT_EQ(tree.rank(0), 6);
  EXPECT_EQ(tree.rank(1), 0);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(step(scene, state).ok());
  scene.bodies[0].domains.rigid = {"oter"};
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
  EXPECT_TRUE(state.bodies[0]->displacement().allFinite());
}

TEST(TreeScene, GoesBackToWhereItWas) {
  const Scene scene = bars_scene(true, 6);
  SceneState state = make_state(scene);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(step(scene, state).ok());
  BodySimulation& body = *state.bodies[0];
  body.remember();
  ASSERT_TRUE(body.advance(0.03).ok());
  const Matrix3X once = body.displacement();
  ASSERT_TRUE(body.advance(0.03).ok());
  body.go_back();
  ASSERT_TRUE(body.advance(0.03).ok());
  EXPECT_EQ(body.displacement(), once);
}

std::string saved(const BodySimulation& body) {
  StateWriter out;
  body.save(out);
  return out.bytes();
}

/// Whether a run that is saved and taken back goes on with the same bits.
void expect_same_bits(const Scene& scene) {
  for (const int stop : {0, 1, 7}) {
    SceneState whole = make_state(scene), resumed = make_state(scene);
    for (int i = 0; i < stop; ++i) ASSERT_TRUE(step(scene, whole).ok()) << "step " << i;
    const std::string state = saved(*whole.bodies[0]);
    StateReader in(state, "state");
    resumed.bodies[0]->restore(in);
    in.finish();
    EXPECT_EQ(resumed.bodies[0]->displacement(), whole.bodies[0]->displacement());
    for (int i = stop; i < scene.solver.steps; ++i) {
      const StepReport a = step(scene, whole), b = step(scene, resumed);
      ASSERT_TRUE(a.ok() && b.ok()) << "step " << i;
      EXPECT_EQ(a.iterations, b.iterations) << "stopped after " << stop << ", step " << i;
      EXPECT_EQ(energy(whole), energy(resumed)) << "stopped after " << stop << ", step " << i;
      ASSERT_EQ(whole.bodies[0]->displacement(), resumed.bodies[0]->displacement())
          << "stopped after " << stop << ", step " << i;
    }
    EXPECT_TRUE(saved(*whole.bodies[0]) == saved(*resumed.bodies[0])) << "stopped after " << stop;
    EXPECT_GT(whole.bodies[0]->displacement().norm(), 0.01) << "hardly moves: nothing is tested";
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
  for (PointLoad& load : loaded.bodies[0].loads) load.to = 1e3;  // stands all the time
  expect_same_bits(loaded);
}

TEST(TreeScene, RefusesAStateOfAnotherTree) {
  const SceneState one = make_state(bars_scene(false)), other = make_state(halves_scene());
  const std::string state = saved(*one.bodies[0]);
  StateReader in(state, "state");
  EXPECT_THROW(other.bodies[0]->restore(in), Error);
}

TEST(TreeScene, IsRefusedWhereItCannotBe) {
  struct Case {
    std::function<void(Scene&)> change;
    std::string expected;
  };
  const Case cases[] = {
      {[](Scene& s) { s.solver.type = SimulationType::statics; }, "set solver.type to 'dynamic'"},
      {[](Scene& s) { s.solver.type = SimulationType::quasistatic; }, "solver"},
      {[](Scene& s) { s.solver.integrator = Integrator::central_differences; }, "'newmark' only"},
      {[](Scene& s) { s.solver.order = ModelOrder::reduced; }, "needs the order 'domains'"},
      {[](Scene& s) {
         s.bodies[0].velocity = {1, 0, 0};
       },
       "it is held"},
      {[](Scene& s) { s.bodies[0].rank = 3; }, "give 'domains' with a 'rank' instead"},
      {[](Scene& s) { s.bodies[0].loads[0].where = {.where = "x > 9"}; }, "chooses no vertex"},
      {[](Scene& s) {
         s.bodies[0].domains.stiffness = {{"outr", 2.0}};
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
  return state.bodies[0]->displacement();
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
  Scene full = beam_scene(ModelOrder::full, 100), moving = beam_scene(ModelOrder::domains, 100);
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
