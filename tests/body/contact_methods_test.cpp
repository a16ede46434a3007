// Bodies of all methods touch: those with every vertex of a mesh against mechanics, and against the reduced
// body that can move in the same ways.

#include "limber/base/error.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/body/world.hpp"
#include "limber/precompute/build_model.hpp"
#include "tests/body/bar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <gmock/gmock.h>

namespace limber::contact_methods_test {
namespace {

using test::error_text;
using testing::HasSubstr;

constexpr double edge = 0.2;  // m, of a cube
const Vector3 down(0.0, 0.0, -9.81);

VolumeMesh cube_mesh(double height, int cells = 3) {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3::Constant(edge), {cells, cells, cells}});
  const Vector3 low = mesh.vertices.rowwise().minCoeff();
  mesh.vertices.colwise() += Vector3(0.0, 0.0, height) - low;
  return mesh;
}

/// With its lower face at that height.
Body full_cube(double height, double young = 1e6, const Vector3& weight = down, std::string_view law = "stvk",
               int cells = 3) {
  MeshBodySetup setup;
  setup.name = "cube";
  setup.mesh = cube_mesh(height, cells);
  setup.materials = {test::material(law, young, 0.3, 1000.0)};
  Body body = make_full_body(std::move(setup));
  body.set_gravity(weight);
  return body;
}

Body reduced_cube(double height, double young, const Vector3& weight) {
  static const std::shared_ptr<const Model> model = [] {
    const FullModel full(cube_mesh(0.0), {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
    return std::make_shared<const Model>(
        make_model(build_reduced_model(full, compute_linear_modes(full, 12).elastic_shapes()), true));
  }();
  Body body(model);
  body.set_material(0, test::material("stvk", young, 0.3, 1000.0));
  body.set_gravity(weight);
  TreeState state = body.state();
  state.root.position.z() += height;
  body.set_state(state);
  return body;
}

/// The same, by warped modes.
Body warped_cube(double height, double young = 1e6, const Vector3& weight = down) {
  Body body = reduced_cube(height, young, weight);
  body.set_method(Method::warped);
  return body;
}

Obstacle flat_ground(double friction = 0.5) {
  return {.name = "ground", .shape = HalfSpace{}, .material = {.friction = friction}};
}

Index touching(World& world, Body body, const ContactMaterial& material = {}) {
  const Index number = world.add(std::move(body));
  world.set_contact(number, material);
  return number;
}

double lowest_of(const Body& body) {
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  body.positions(x);
  return x.row(2).minCoeff();
}

Vector3 mean_velocity(const Body& body) { return body.momentum().linear / body.momentum().mass; }

double whole_energy(const World& world) {
  double sum = world.energy();
  for (Index i = 0; i < world.body_count(); ++i) sum += world.body(i).load_energy();
  return sum;
}

using Momenta = Eigen::Matrix<double, 6, 1>;

/// Linear, and angular about the origin.
Momenta all_momenta(const World& world) {
  Momenta sum = Momenta::Zero();
  const auto add = [&](const Vector3& linear, const Vector3& angular, const Vector3& center) {
    sum.head<3>() += linear;
    sum.tail<3>() += angular + center.cross(linear);
  };
  for (Index i = 0; i < world.body_count(); ++i) {
    const TreeMomentum part = world.body(i).momentum();
    add(part.linear, part.angular, part.center);
  }
  for (Index i = 0; i < world.rigid_count(); ++i)
    add(world.rigid(i).momentum(), world.rigid(i).angular_momentum(), world.rigid(i).center());
  return sum;
}

/// Falls from its own height.
void expect_landing(Body body, double h) {
  World world;
  world.add_obstacle(flat_ground());
  body.set_damping({0.0, 1e-3});
  const double weight = body.momentum().mass * 9.81, whole = weight * edge;
  touching(world, std::move(body));
  double deepest = 0.0, growth = 0.0, before = whole_energy(world);
  for (int i = 0; i < static_cast<int>(2.0 / h); ++i) {
    const StepReport report = world.step(h);
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(world.contact_report().converged);
    deepest = std::max(deepest, -lowest_of(world.body(0)));
    const double now = whole_energy(world);
    if (i > 0) growth = std::max(growth, now - before);
    before = now;
  }
  EXPECT_LE(deepest, 0.005 * edge);
  EXPECT_LE(growth, (h < 2e-3 ? 1e-5 : 1e-4) * whole);
  EXPECT_LE(mean_velocity(world.body(0)).norm(), 1e-4);
  double fastest = 0.0;
  for (int v = 0; v < world.body(0).surface().mesh().vertex_count(); ++v)
    fastest = std::max(fastest, world.body(0).velocity(v).norm());
  EXPECT_LE(fastest, 1e-4);
  EXPECT_NEAR(world.contact_impulse({Touching::Of::body, 0}).z() / h, weight, 0.01 * weight);
}

class MethodSteps : public testing::TestWithParam<double> {};

TEST_P(MethodSteps, FullBodiesLandWithoutSinkingInAndComeToRest) {
  expect_landing(full_cube(edge), GetParam());
}

TEST_P(MethodSteps, WarpedBodiesLandWithoutSinkingInAndComeToRest) {
  expect_landing(warped_cube(edge), GetParam());
}

template <class Make>
void expect_friction(double h, const Make& make_block) {
  const double friction = 0.5;
  for (const double beyond : {-0.2, 0.2}) {  // degrees
    const double angle = std::atan(friction) + beyond * 3.141592653589793 / 180.0;
    World world;
    world.add_obstacle(flat_ground(friction));
    Body block = make_block(9.81 * Vector3(std::sin(angle), 0.0, -std::cos(angle)));
    block.set_damping({0.0, 1e-3});
    touching(world, block, {.friction = friction});
    double early = 0.0;
    const int steps = static_cast<int>(std::lround(0.5 / h));
    for (int i = 0; i < 2 * steps; ++i) {
      ASSERT_TRUE(world.step(h).ok());
      ASSERT_TRUE(world.contact_report().converged);
      if (i + 1 == steps) early = mean_velocity(world.body(0)).x();
    }
    const double late = mean_velocity(world.body(0)).x();
    const double exact = 0.5 * 9.81 * (std::sin(angle) - friction * std::cos(angle));
    if (beyond < 0.0) {
      EXPECT_LE(std::abs(late), 0.1 * h) << "creeps";  // 0.1 mm/s at 1 ms
    } else {
      EXPECT_NEAR(late - early, exact, 0.01 * exact);
    }
  }
}

TEST_P(MethodSteps, FullBodiesHoldAndSlideAtTheAngleOfFriction) {
  // Stiff enough that it does not shake itself loose: a softer one is set swinging by its weight, and slips.
  expect_friction(GetParam(), [](const Vector3& weight) { return full_cube(0.0, 1e7, weight); });
}

TEST_P(MethodSteps, WarpedBodiesHoldAndSlideAtTheAngleOfFriction) {
  expect_friction(GetParam(), [](const Vector3& weight) { return warped_cube(0.0, 1e6, weight); });
}

INSTANTIATE_TEST_SUITE_P(Steps, MethodSteps, testing::Values(1e-3, 5e-3));

TEST(ContactMethods, GoOnTouchingWhereTheMethodChangesOnTheWay) {
  World world;
  world.add_obstacle(flat_ground());
  const Index number = touching(world, warped_cube(0.01));
  touching(world, warped_cube(0.3));
  world.body(number).set_damping({0.2, 1e-4});
  world.set_contact_points(number, 100000);
  for (const Method method : {Method::reduced, Method::warped, Method::linear, Method::warped}) {
    world.body(number).set_method(method);
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(world.step(1e-3).ok()) << static_cast<int>(method);
    EXPECT_GT(lowest_of(world.body(number)), -0.005 * edge) << static_cast<int>(method);
  }
}

/// m that it falls in a tenth of a second, with a change before each step.
template <class Change>
double fall(Body body, const Change& change) {
  World world;
  touching(world, std::move(body));
  const Vector3 before = world.body(0).momentum().center;
  for (int i = 0; i < 20; ++i) {
    change(world.body(0), i);
    EXPECT_TRUE(world.step(5e-3).ok());
  }
  return (before - world.body(0).momentum().center).z();
}

TEST(ContactMethods, FallAsFastWhateverIsSetOnTheWay) {
  const auto nothing = [](Body&, int) {};
  const auto material = [](Body& body, int) {
    body.set_material(0, test::material("stvk", 1e6, 0.3, 1000.0));
  };
  const auto stiffness = [](Body& body, int i) { body.set_stiffness(0, 1.0 + 0.01 * i); };
  const auto method = [](Body& body, int i) {
    body.set_method(i % 2 == 0 ? Method::warped : i % 4 == 1 ? Method::reduced : Method::linear);
  };
  const double free = fall(warped_cube(1.0), nothing);
  EXPECT_NEAR(free, 0.5 * 9.81 * 0.01, 2e-3 * free);
  EXPECT_NEAR(fall(warped_cube(1.0), material), free, 1e-9);
  EXPECT_NEAR(fall(warped_cube(1.0), stiffness), free, 1e-9);
  EXPECT_NEAR(fall(warped_cube(1.0), method), free, 1e-9);
  EXPECT_NEAR(fall(reduced_cube(1.0, 1e6, down), material), free, 1e-9);
  EXPECT_NEAR(fall(full_cube(1.0), material), free, 1e-9);
}

TEST(ContactMethods, TheEnergyOfAFullBodyIsWithoutItsSprings) {
  World world;
  const Index number = touching(world, full_cube(0.0, 1e6, Vector3::Zero(), "stvk", 2));
  const Vector3 target = world.body(number).position(Point(0)) + Vector3(1.0, 0.0, 0.0);
  world.body(number).set_springs(std::vector<Spring>{{Point(0), target, 0.1}});
  ASSERT_TRUE(world.step(1e-3).ok());
  EXPECT_LT(world.body(number).energy().elastic, 1e-4) << "the spring has 0.05 J";
}

TEST(ContactMethods, SettingsOfModesThatContactDoesNotKnowAreRefused) {
  for (const Method method : {Method::linear, Method::warped}) {
    Body body = test::warped_bar();
    body.set_method(method);
    body.set_modal_settings({.modes = 3});
    World world;
    world.add(body);
    EXPECT_THAT(error_text([&] { world.set_contact(0, {}); }), HasSubstr("fewer modes")) << name_of(method);
    world.body(0).set_modal_settings({.integrator = ModalIntegrator::exact});
    EXPECT_THAT(error_text([&] { world.set_contact(0, {}); }), HasSubstr("'newmark' only"));
    EXPECT_FALSE(world.touches(0));
    world.body(0).set_modal_settings({});
    world.set_contact(0, {});
    EXPECT_THAT(error_text([&] { world.body(0).set_modal_settings({.modes = 3}); }),
                HasSubstr("fewer modes"));
  }
}

TEST(ContactMethods, SelfContactIsNotDroppedWithoutAWord) {
  World world;
  world.add_obstacle(flat_ground());
  const Index number = touching(world, reduced_cube(0.1, 1e6, down));
  world.set_self_contact(number, true);
  ASSERT_TRUE(world.step(1e-3).ok());
  world.body(number).set_method(Method::warped);
  EXPECT_THAT(error_text([&] { (void)world.step(1e-3); }), HasSubstr("it touches itself"));
  EXPECT_DOUBLE_EQ(world.time(), 1e-3);
  world.set_self_contact(number, false);
  EXPECT_TRUE(world.step(1e-3).ok());
}

TEST(ContactMethods, StopsFullBodiesOfAnyStiffness) {
  for (const double young : {1e4, 1e5, 1e7, 1e9, 2e11}) {
    for (const double h : {1e-3, 5e-3}) {
      World world;
      world.add_obstacle(flat_ground());
      Body body = full_cube(0.1, young, down, young < 1e5 ? "neo-hookean" : "stvk", 2);
      body.set_damping({0.2, 1e-4});
      touching(world, body);
      double deepest = 0.0, fastest = 0.0;
      for (int i = 0; i < static_cast<int>(0.6 / h); ++i) {
        ASSERT_TRUE(world.step(h).ok()) << young << " " << h;
        deepest = std::max(deepest, -lowest_of(world.body(0)));
        fastest = std::max(fastest, mean_velocity(world.body(0)).norm());
      }
      EXPECT_LE(deepest, 0.005 * edge) << young << " " << h;
      EXPECT_LE(std::abs(lowest_of(world.body(0))), 0.02) << young << " " << h;
      EXPECT_LE(fastest, 1.01 * std::sqrt(2.0 * 9.81 * 0.1)) << young << " " << h;
    }
  }
}

/// Thrown at the cube that stands above the origin, askew.
template <class Other>
void expect_momentum_kept(const Other& throw_other) {
  World world;
  touching(world, full_cube(0.0, 2e5, Vector3::Zero()));
  throw_other(world);
  const Momenta start = all_momenta(world);
  const double before = world.energy();
  bool touched = false;
  double deepest = 0.0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(world.step(1e-3).ok()) << i;
    touched = touched || world.contact_report().active > 0;
    deepest = std::max(deepest, world.contact_report().deepest);
  }
  EXPECT_TRUE(touched);
  EXPECT_LE(deepest, 0.01 * edge);
  EXPECT_GT(world.body(0).momentum().linear.norm(), 0.05 * start.head<3>().norm());
  EXPECT_LE((all_momenta(world) - start).norm(), 1e-10 * start.norm());
  EXPECT_LE(world.energy(), before * (1.0 + 1e-5));
}

TEST(ContactMethods, FullBodiesExchangeMomentumWithRigidOnesToRounding) {
  expect_momentum_kept([](World& world) {
    RigidBody ball({.name = "ball", .shape = Sphere{0.05}, .pose = {Vector3(0.13, 0.02, 0.3)}});
    ball.set_velocity(Vector3(0.3, 0.1, -3.0), Vector3(5.0, 0.0, 20.0));
    world.add_rigid(ball);
  });
}

TEST(ContactMethods, FullBodiesExchangeMomentumWithEachOtherToRounding) {
  expect_momentum_kept([](World& world) {
    MeshBodySetup setup;
    setup.name = "other";
    setup.mesh = cube_mesh(0.0, 2);
    const Matrix3 turn = Eigen::AngleAxisd(0.4, Vector3(1.0, 2.0, 0.5).normalized()).toRotationMatrix();
    setup.mesh.vertices = ((turn * setup.mesh.vertices).colwise() + Vector3(0.05, 0.03, 0.32)).eval();
    setup.materials = {test::material("stvk", 2e5, 0.3, 1000.0)};
    Body other = make_full_body(std::move(setup));
    other.set_velocity(Vector3(0.2, 0.0, -2.0), Vector3(1.0, 3.0, 0.5));
    touching(world, std::move(other));
  });
}

TEST(ContactMethods, FullBodiesExchangeMomentumWithReducedOnesToRounding) {
  expect_momentum_kept([](World& world) {
    Body other = reduced_cube(0.3, 2e5, Vector3::Zero());
    TreeState state = other.state();
    state.root.position += Vector3(0.05, 0.03, 0.0);
    state.root.rotation = Eigen::AngleAxisd(0.4, Vector3(1.0, 2.0, 0.5).normalized());
    other.set_state(state);
    other.set_velocity(Vector3(0.2, 0.0, -2.0), Vector3(1.0, 3.0, 0.5));
    touching(world, std::move(other));
  });
}

TEST(ContactMethods, FullBodiesExchangeMomentumWithWarpedOnesToRounding) {
  expect_momentum_kept([](World& world) {
    Body other = warped_cube(0.3, 2e5, Vector3::Zero());
    TreeState state = other.state();
    state.root.position += Vector3(0.05, 0.03, 0.0);
    state.root.rotation = Eigen::AngleAxisd(0.4, Vector3(1.0, 2.0, 0.5).normalized());
    other.set_state(state);
    other.set_velocity(Vector3(0.2, 0.0, -2.0), Vector3(1.0, 3.0, 0.5));
    touching(world, std::move(other));
  });
}

TEST(ContactMethods, AFullBodyThatTurnsKeepsItsEnergyAndMomentum) {
  for (const double young : {1e5, 2e11}) {
    World world;
    Body body = full_cube(0.0, young, Vector3::Zero(), "stvk", 2);
    body.set_velocity(Vector3(0.3, 0.0, 0.1), Vector3(2.0, 5.0, 1.0));
    touching(world, std::move(body));
    const double start = world.energy();
    const Momenta before = all_momenta(world);
    for (int i = 0; i < 400; ++i) ASSERT_TRUE(world.step(2e-3).ok()) << young;
    // Of 400 steps together: stresses of steel are differences of large numbers.
    EXPECT_LE(world.energy(), start * (1.0 + 1e-4)) << young;
    EXPECT_GE(world.energy(), 0.98 * start) << young;
    EXPECT_LE((all_momenta(world) - before).norm(), 1e-10 * before.norm()) << young;
  }
}

TEST(ContactMethods, ABallIsMetByTheSolidOfAFullBody) {
  World world;
  touching(world, full_cube(0.0, 1e6, Vector3::Zero(), "stvk", 2));  // with 0.1 m between its vertices
  RigidBody pebble(
      {.name = "pebble", .shape = Sphere{0.004}, .density = 8000.0, .pose = {Vector3(0.13, 0.04, 0.25)}});
  pebble.set_velocity(Vector3(0.0, 0.0, -5.0));
  world.add_rigid(pebble);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(world.step(1e-3).ok());
  EXPECT_GT(world.rigid(0).center().z(), 0.19);
}

/// A bar of 8 vertices that move, held at x = 0, above a floor that its end meets.
constexpr double floor_height = -0.004;
VolumeMesh short_bar() {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(0.4, 0.1, 0.1), {2, 1, 1}});
  const Vector3 low = mesh.vertices.rowwise().minCoeff();
  mesh.vertices.colwise() -= low;
  return mesh;
}

/// The tip's height after each step, and the force on the floor in the end.
struct BarPath {
  Vector heights;
  double force = 0.0;
};

BarPath bend(Body body, double h, double duration) {
  World world;
  world.add_obstacle({.name = "floor", .shape = HalfSpace{}, .pose = {Vector3(0.0, 0.0, floor_height)}});
  body.set_gravity(down);
  body.set_damping({2.0, 2e-3});
  touching(world, std::move(body));
  const auto steps = static_cast<Index>(std::lround(duration / h));
  const SurfaceMesh& surface = world.body(0).surface().mesh();
  Index tip = 0;
  (surface.vertices.colwise() - Vector3(0.4, 0.1, 0.0)).colwise().norm().minCoeff(&tip);
  BarPath path;
  path.heights.resize(steps);
  for (Index i = 0; i < steps; ++i) {
    EXPECT_TRUE(world.step(h).ok());
    path.heights(i) = world.body(0).position(static_cast<int>(tip)).z();
  }
  path.force = world.contact_impulse({Touching::Of::body, 0}).z() / h;
  return path;
}

TEST(ContactMethods, AFullBodyMovesAsTheReducedOneThatCanDoAllOfIt) {
  const VolumeMesh mesh = short_bar();
  const Material material = test::material("linear", 1e5, 0.3, 1000.0);
  const std::vector<int> fixed = test::vertices_below(mesh, 1e-9);
  MeshBodySetup setup;
  setup.name = "bar";
  setup.mesh = mesh;
  setup.materials = {material};
  setup.fixed = fixed;
  const Body every_vertex = make_full_body(setup);
  const FullModel full(mesh, {test::material("stvk", 1e5, 0.3, 1000.0)}, fixed);
  Body reduced(
      make_model(build_reduced_model(full, Matrix::Identity(full.dof_count(), full.dof_count())), false));
  reduced.set_method(Method::linear);
  // Both differ by how they damp what is fast for the step: by less and less as it becomes shorter.
  double differences[3];
  BarPath last[2];
  for (int k = 0; k < 3; ++k) {
    const double h = 1e-3 / (1 << k);
    last[0] = bend(every_vertex, h, 1.0);
    last[1] = bend(reduced, h, 1.0);
    differences[k] = (last[0].heights - last[1].heights).cwiseAbs().maxCoeff();
  }
  EXPECT_LE(differences[0], 5e-4);
  EXPECT_LE(differences[2], 0.5 * differences[0]);
  // At rest nothing is damped.
  EXPECT_NEAR(last[0].heights(last[0].heights.size() - 1), last[1].heights(last[1].heights.size() - 1), 1e-6);
  EXPECT_GT(last[0].force, 0.1);
  EXPECT_NEAR(last[0].force, last[1].force, 1e-3 * last[1].force);
}

TEST(ContactMethods, FullAndWarpedBodiesSaveAndGoOnWithTheSameBits) {
  for (const bool warped : {false, true}) {
    const auto made = [&] {
      World world;
      world.add_obstacle(flat_ground());
      touching(world, warped ? warped_cube(0.02) : full_cube(0.02, 1e6, down, "stvk", 2));
      return world;
    };
    World world = made(), other = made();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(world.step(1e-3).ok());
    StateWriter out;
    world.body(0).save(out);
    StateReader in(out.bytes(), "state");
    other.body(0).restore(in);
    bool touched = false;
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(world.step(1e-3).ok());
      ASSERT_TRUE(other.step(1e-3).ok());
      touched = touched || world.contact_report().active > 0;
    }
    EXPECT_EQ(world.body(0).q(), other.body(0).q()) << warped;
    EXPECT_TRUE(touched) << warped;
  }
}

TEST(ContactMethods, FullBodiesRefuseWhatTheyCannotHaveThere) {
  World world;
  world.add(full_cube(0.0));
  const Handle hand{.point = 0, .position = Vector3(0.0, 0.0, 1.0)};
  world.body(0).set_handles(std::span(&hand, 1));
  EXPECT_THAT(error_text([&] { world.set_contact(0, {}); }), HasSubstr("takes no handles"));
  world.body(0).set_handles({});
  world.set_contact(0, {});
  EXPECT_THAT(error_text([&] { world.body(0).set_handles(std::span(&hand, 1)); }),
              HasSubstr("takes no handles"));
  EXPECT_THAT(error_text([&] { world.body(0).set_wind({.velocity = Vector3(5.0, 0.0, 0.0)}); }),
              HasSubstr("takes no wind"));
  EXPECT_THAT(error_text([&] { world.set_self_contact(0, true); }),
              HasSubstr("does not take contact with itself; choose 'reduced' or 'linear'"));
}

}  // namespace
}  // namespace limber::contact_methods_test
