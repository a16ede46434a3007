// Pressure and traction on pieces of the surface.

#include "limber/body/full_motion.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/body/world.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/precompute/reduce.hpp"
#include "tests/body/bar.hpp"
#include "tests/multidomain/small_trees.hpp"
#include "tests/reduced/allocations.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace limber::surface_loads_test {
namespace {

using test::contains;
using test::error_text;

constexpr double h = 0.01, infinity = std::numeric_limits<double>::infinity();

std::vector<int> all_triangles(const Body& body) {
  std::vector<int> all(static_cast<std::size_t>(body.surface().mesh().triangle_count()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Those whose corners are all chosen, at rest.
std::vector<int> triangles_where(const Body& body, const std::function<bool(const Vector3&)>& chosen) {
  const SurfaceMesh& mesh = body.surface().mesh();
  std::vector<int> result;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    bool all = true;
    for (const int v : mesh.triangles.col(t)) all = all && chosen(mesh.vertices.col(v));
    if (all) result.push_back(t);
  }
  return result;
}

std::vector<int> triangles_at(const Body& body, double x) {
  return triangles_where(body, [x](const Vector3& place) { return std::abs(place.x() - x) < 1e-6; });
}

Eigen::Vector3i corners(const Body& body, int triangle) {
  return body.surface().mesh().triangles.col(triangle);
}

/// What a pressure is in the present shape, by positions of points alone.
std::vector<PointForce> forces_of_pressure(const Body& body, const std::vector<int>& triangles, double p) {
  std::vector<PointForce> forces;
  for (const int t : triangles) {
    const Eigen::Vector3i c = corners(body, t);
    const Vector3 a = body.position(c(0)), ab = body.position(c(1)) - a, ac = body.position(c(2)) - a;
    for (const int v : c) forces.push_back({v, -p / 6.0 * ab.cross(ac)});
  }
  return forces;
}

ReducedStepOptions newton() {
  ReducedStepOptions options;
  options.newmark.max_iterations = 30;
  options.newmark.tolerance = 1e-11;
  return options;
}

void step_all(Body& body, int steps, const ReducedStepOptions& options = newton()) {
  for (int i = 0; i < steps; ++i)
    ASSERT_TRUE(body.step(h, options).ok()) << name_of(body.method()) << " " << i;
}

std::string bytes_of(const Body& body) {
  StateWriter out;
  body.save(out);
  return out.bytes();
}

// Bodies.

struct Bar {
  Vector3 size = Vector3(1.0, 0.25, 0.2);
  Eigen::Vector3i cells = Eigen::Vector3i(4, 2, 2);
  double young = 1e5, poisson = 0.3;
  bool held = true;

  [[nodiscard]] VolumeMesh mesh() const { return make_beam({ElementKind::tetrahedron, size, cells}); }
  [[nodiscard]] Material material() const { return test::material("stvk", young, poisson, 1000.0); }
  [[nodiscard]] std::vector<int> fixed() const {
    return held ? test::vertices_below(mesh(), 1e-9) : std::vector<int>{};
  }
  [[nodiscard]] MeshBodySetup setup() const {
    MeshBodySetup setup;
    setup.name = "bar";
    setup.mesh = mesh();
    setup.materials = {material()};
    setup.fixed = fixed();
    setup.executor = Executor(1);
    return setup;
  }
  /// By all displacements that it has, as coordinates.
  [[nodiscard]] Body whole(Method method) const {
    const FullModel full(mesh(), {material()}, fixed());
    const Cholesky factor{Matrix(full.mass())};
    ReducedModel reduced =
        build_reduced_model(full, factor.solve_upper(Matrix::Identity(full.dof_count(), full.dof_count())));
    reduced.name = "bar";
    Body body(make_model(std::move(reduced), false));
    body.set_method(method);
    return body;
  }
};

const std::shared_ptr<const Model>& free_model() {
  static const std::shared_ptr<const Model> model = [] {
    const Bar bar{.held = false};
    const FullModel full(bar.mesh(), {bar.material()}, {});
    ReduceOptions options;
    options.basis.modes = 6;
    options.basis.rank = 15;
    ReduceReport report;
    ReducedModel reduced = reduce(full, {}, {}, options, report);
    reduced.name = "flyer";
    return std::make_shared<const Model>(make_model(std::move(reduced)));
  }();
  return model;
}

/// One that nothing holds, by each method.
std::vector<Body> free_bodies() {
  std::vector<Body> bodies;
  const Bar bar{.held = false};
  bodies.push_back(make_full_body(bar.setup()));
  bodies.push_back(make_online_body(bar.setup(), {}, 1.0));
  for (const Method method : {Method::reduced, Method::linear, Method::warped}) {
    bodies.emplace_back(free_model());
    bodies.back().set_method(method);
  }
  return bodies;
}

/// One that is held, by each method and in each way to move.
std::vector<Body> held_bodies() {
  std::vector<Body> bodies;
  bodies.push_back(make_full_body(Bar().setup()));
  bodies.push_back(make_online_body(Bar().setup(), {}, 1.0));
  for (const Method method : {Method::reduced, Method::linear, Method::warped}) {
    bodies.emplace_back(make_model(test::bar_model(), false));
    bodies.back().set_method(method);
  }
  bodies.push_back(bodies.back());
  bodies.back().set_support([](double t) {
    return Pose{Vector3(0.05 * std::sin(5.0 * t), 0.0, 0.0),
                Eigen::Quaterniond(Eigen::AngleAxisd(0.3 * std::sin(3.0 * t), Vector3::UnitZ()))};
  });
  bodies.emplace_back(make_model(test::bar_model(), false));
  bodies.back().set_wind({.velocity = Vector3(3.0, 1.0, 0.0)});
  bodies.emplace_back(test::beam_tree());
  return bodies;
}

std::vector<Body> every_body() {
  std::vector<Body> bodies = held_bodies();
  for (Body& body : free_bodies()) bodies.push_back(std::move(body));
  return bodies;
}

/// A pressure that stays, one for a time, and tractions of both kinds.
std::vector<SurfaceLoad> some_loads(const Body& body) {
  const std::vector<int> all = all_triangles(body);
  const std::vector<int> half(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
  return {{.triangles = half, .pressure = 40.0},
          {.triangles = all, .pressure = -30.0, .from = 0.033, .to = 0.121},
          {.triangles = half, .traction = Vector3(2.0, -5.0, 3.0)},
          {.triangles = half, .traction = Vector3(0.0, 6.0, 3.0), .from = 0.05}};
}

// What they are.

/// How much a uniform pressure on all of its surface changes the momentum of a body that flies and spins in
/// so many steps of h seconds: linear, and angular.
Eigen::Vector2d gained_by_pressure(Body body, double timestep, int steps) {
  body.set_velocity(Vector3(0.1, 0.2, -0.1), Vector3(0.5, 1.0, 2.0));
  EXPECT_TRUE(body.step(timestep, newton()).ok());
  const TreeMomentum start = body.momentum();
  body.set_surface_loads({{.triangles = all_triangles(body), .pressure = 4000.0}});
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(body.step(timestep, newton()).ok());
  const TreeMomentum end = body.momentum();
  return {(end.linear - start.linear).norm(), (end.angular - start.angular).norm()};
}

TEST(SurfaceLoads, UniformPressureOnAClosedSurfaceNeitherMovesNorTurnsIt) {
  for (const Body& body : free_bodies()) {
    const double pushed = 4000.0 * 0.05;  // by the pressure on one end, N
    EXPECT_LT(gained_by_pressure(body, h, 20)(0), 1e-9 * pushed * 20.0 * h) << name_of(body.method());
    // In the shape at the start of a step there is no torque; from there the body turns on.
    const double brief = 1e-6;
    const double turned = gained_by_pressure(body, brief, 1)(1);
    EXPECT_LT(turned, 1e-5 * pushed * brief) << name_of(body.method());
  }
}

TEST(SurfaceLoads, PressureOnABodyThatSpinsLagsByAStep) {
  for (const Body& body : free_bodies()) {
    const double coarse = gained_by_pressure(body, 2e-3, 20)(1), fine = gained_by_pressure(body, 1e-3, 40)(1);
    EXPECT_NEAR(fine / coarse, 0.5, 0.15) << name_of(body.method()) << ": of first order in the step";
  }
}

TEST(SurfaceLoads, PressureFromAllSidesIsFelt) {
  for (Body& body : free_bodies()) {
    body.set_surface_loads({{.triangles = all_triangles(body), .pressure = 4000.0}});
    step_all(body, 20);
    EXPECT_GT(body.energy().elastic, 1e-6) << name_of(body.method());
  }
}

/// Far from the end that is held it is a cube under pressure from all sides.
void expect_hydrostatic(Body body, const Bar& bar) {
  const double p = 1e-4 * bar.young, bulk = bar.young / (3.0 * (1.0 - 2.0 * bar.poisson));
  std::vector<int> triangles = all_triangles(body);
  for (const int t : triangles_at(body, 0.0)) std::erase(triangles, t);
  body.set_surface_loads({{.triangles = triangles, .pressure = p}});
  ASSERT_TRUE(body.solve_static().ok());
  const SurfaceMesh& mesh = body.surface().mesh();
  const auto at = [&](double x, double y, double z) {
    Index nearest = 0;
    const Vector3 place(x, y, z);
    (mesh.vertices.colwise() - place.cwiseProduct(bar.size)).colwise().norm().minCoeff(&nearest);
    return body.position(static_cast<int>(nearest));
  };
  const double expected = -p / (3.0 * bulk);
  constexpr double edge = 0.5;  // of the cross section, whose middle is on the axis
  for (const auto& [side, length] :
       {std::pair{(at(1, edge, -edge) - at(1, -edge, -edge)).norm(), bar.size.y()},
        std::pair{(at(1, edge, edge) - at(1, edge, -edge)).norm(), bar.size.z()},
        std::pair{(at(1, edge, edge) - at(0.75, edge, edge)).norm(), 0.25}})
    EXPECT_NEAR(side / length - 1.0, expected, 0.01 * std::abs(expected)) << name_of(body.method());
}

TEST(SurfaceLoads, PressureFromAllSidesShrinksByItOverThreeTimesTheBulkModulus) {
  const Bar fine{.size = Vector3(1.0, 0.2, 0.2), .cells = Eigen::Vector3i(8, 2, 2)};
  expect_hydrostatic(make_full_body(fine.setup()), fine);
  const Bar coarse{.size = Vector3(1.0, 0.2, 0.2), .cells = Eigen::Vector3i(4, 1, 1)};
  for (const Method method : {Method::reduced, Method::linear})
    expect_hydrostatic(coarse.whole(method), coarse);
}

TEST(SurfaceLoads, TractionOnTheEndOfABarStretchesItByStressOverModulus) {
  const Bar bar{.cells = Eigen::Vector3i(4, 1, 1), .poisson = 0.0};
  const double sigma = 1e-5 * bar.young;
  std::vector<Body> bodies;
  bodies.push_back(make_full_body(bar.setup()));
  for (const Method method : {Method::reduced, Method::linear}) bodies.push_back(bar.whole(method));
  for (Body& body : bodies) {
    const std::vector<int> end = triangles_at(body, 1.0);
    body.set_surface_loads({{.triangles = end, .traction = Vector3(sigma, 0.0, 0.0)}});
    ASSERT_TRUE(body.solve_static().ok());
    for (const int v : corners(body, end.front()))
      EXPECT_NEAR(body.position(v).x() - 1.0, 1e-5, 1e-5 * 1e-4) << name_of(body.method());
    EXPECT_NEAR(body.load_energy(), -2.0 * body.energy().elastic, 1e-3 * body.energy().elastic)
        << "it counts as forces do";
  }
}

TEST(SurfaceLoads, PressureTurnsWithABeamAndTractionDoesNot) {
  const Bar bar{.size = Vector3(1.0, 0.1, 0.1), .cells = Eigen::Vector3i(10, 1, 1), .young = 1e6};
  Body body = make_full_body(bar.setup());
  const std::vector<int> top =
      triangles_where(body, [&](const Vector3& x) { return x.z() > 0.05 - 1e-6 && x.x() > 0.79; });
  const double p = 3000.0;
  body.set_surface_loads({{.triangles = top, .pressure = p}});
  ASSERT_TRUE(body.solve_static().ok());
  Body dead = make_full_body(bar.setup());
  dead.set_surface_loads({{.triangles = top, .traction = Vector3(0.0, 0.0, -p)}});
  ASSERT_TRUE(dead.solve_static().ok());
  const std::vector<PointForce> follow = forces_of_pressure(body, top, p);
  Vector3 sum = Vector3::Zero();
  for (const PointForce& one : follow) sum += one.force;
  EXPECT_LT(sum.x(), -0.3 * p * 0.02) << "it is turned by a good part of a right angle";
  // Forces as they are in the shape found hold the body there.
  Body by_forces = make_full_body(bar.setup());
  by_forces.set_forces(follow);
  ASSERT_TRUE(by_forces.solve_static().ok());
  EXPECT_LT((by_forces.q() - body.q()).norm(), 1e-6 * body.q().norm());
  // Traction is what it was at rest.
  Body by_weight = make_full_body(bar.setup());
  by_weight.set_forces(forces_of_pressure(by_weight, top, p));
  ASSERT_TRUE(by_weight.solve_static().ok());
  EXPECT_LT((by_weight.q() - dead.q()).norm(), 1e-6 * dead.q().norm());
  EXPECT_GT((dead.q() - body.q()).norm(), 0.05 * body.q().norm());
}

/// The loads grow beyond where taking forces from one shape to the next would converge.
TEST(SurfaceLoads, EquilibriaUnderStrongPressureAreFoundByEveryMethod) {
  for (Body& body : held_bodies()) {
    if (body.loads().support) continue;
    body.set_wind({});
    const double largest = body.surface().mesh().vertices.row(0).maxCoeff();
    const std::vector<int> top =
        triangles_where(body, [&](const Vector3& x) { return x.x() > 0.6 * largest; });
    std::vector<int> above;
    for (const int t : top) {
      if (forces_of_pressure(body, {t}, 1.0).front().force.z() < -1e-9) above.push_back(t);
    }
    ASSERT_FALSE(above.empty());
    const double p = body.has_model() && body.model().domain_count() > 1 ? 30.0 : 300.0;
    body.set_surface_loads({{.triangles = above, .pressure = p}});
    const StepReport report = body.solve_static();
    ASSERT_TRUE(report.ok()) << name_of(body.method()) << ": " << report.residual;
    Body other = body;
    other.set_surface_loads({});
    other.reset();
    other.set_forces(forces_of_pressure(body, above, p));
    ASSERT_TRUE(other.solve_static().ok());
    EXPECT_LT((other.q() - body.q()).norm(), 1e-5 * body.q().norm()) << name_of(body.method());
  }
}

TEST(SurfaceLoads, AnEquilibriumThatIsNotFoundLeavesTheBodyAsItWas) {
  Body body = make_full_body(Bar().setup());
  step_all(body, 3);
  body.set_surface_loads({{.triangles = triangles_at(body, 1.0), .pressure = -3e6}});
  const std::string before = bytes_of(body);
  EquilibriumOptions options;
  options.max_iterations = 3;
  EXPECT_FALSE(body.solve_static(options).ok());
  EXPECT_EQ(bytes_of(body), before);
}

// Over time.

TEST(SurfaceLoads, ImpulsesHaveTheirExactSizeHoweverTheStepsLie) {
  const double p = 0.1, area = 0.25 * 0.2;
  for (const auto& [from, to] : {std::pair{0.0132, 0.0581}, std::pair{0.0, 0.004}, std::pair{0.02, 0.03}}) {
    for (Body& body : free_bodies()) {
      const std::vector<int> end = triangles_at(body, 1.0);
      Body by_forces = body;
      TimedLoads forces;
      for (const PointForce& one : forces_of_pressure(body, end, p))
        forces.forces.push_back({{one.point}, one.force + Vector3(0.0, -2.0 * one.force.x(), 0.0), from, to});
      by_forces.set_timed_loads(forces);
      body.set_surface_loads(
          {{.triangles = end, .pressure = p, .from = from, .to = to},
           {.triangles = end, .traction = Vector3(0.0, 2.0 * p, 0.0), .from = from, .to = to}});
      step_all(body, 12);
      step_all(by_forces, 12);
      const Vector3 expected = (to - from) * area * Vector3(-p, 2.0 * p, 0.0);
      const Vector3 found = body.momentum().linear, of_forces = by_forces.momentum().linear;
      EXPECT_LT((found - of_forces).norm(), 1e-5 * expected.norm())
          << name_of(body.method()) << " from " << from << " s: as forces for a time have it";
      // What ends within half of the first step is felt too late by those who take loads at the ends of
      // steps.
      if (to > 0.5 * h) {
        // Of the full model some steps are halved, and their ends are where loads are taken.
        const double tolerance = uses_mesh(body.method()) ? 1e-4 : 1e-5;
        EXPECT_LT((found - expected).norm(), tolerance * expected.norm())
            << name_of(body.method()) << " from " << from << " s";
      }
    }
  }
}

TEST(SurfaceLoads, AreThoseOfForcesThatFollowByHand) {
  for (Body& body : held_bodies()) {
    if (body.method() == Method::online) continue;  // which looks at changes of forces more closely
    Body by_hand = body;
    const std::vector<int> all = all_triangles(body);
    const std::vector<int> half(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    body.set_surface_loads({{.triangles = half, .pressure = 50.0}});
    for (int i = 0; i < 20; ++i) {
      by_hand.set_forces(forces_of_pressure(by_hand, half, 50.0));
      ASSERT_TRUE(by_hand.step(h).ok());
      ASSERT_TRUE(body.step(h).ok());
    }
    EXPECT_GT(body.q().norm(), 0.0);
    EXPECT_LT((body.q() - by_hand.q()).norm(), 1e-8 * body.q().norm()) << name_of(body.method());
    EXPECT_LT((body.v() - by_hand.v()).norm(), 1e-8 * body.v().norm()) << name_of(body.method());
  }
}

TEST(SurfaceLoads, WhatDoesNotMoveIsNoChangeOfLoads) {
  for (Body& body : held_bodies()) {
    if (body.loads().support) continue;
    Body other = body;
    body.set_gravity({0.0, 1.0, -3.0});
    other.set_gravity({0.0, 1.0, -3.0});
    // On the end that is held.
    body.set_surface_loads({{.triangles = triangles_at(body, 0.0), .pressure = 100.0}});
    body.set_forces({});
    step_all(body, 40, {});
    step_all(other, 40, {});
    EXPECT_EQ(body.state().slack, other.state().slack) << name_of(body.method());
    EXPECT_LT((body.q() - other.q()).norm(), 1e-9 * body.q().norm()) << name_of(body.method());
  }
}

TEST(SurfaceLoads, LeavePressureOutOfTheEnergyOfLoads) {
  for (Body& body : every_body()) {
    body.set_gravity({0.0, 0.5, -1.0});
    const std::vector<int> all = all_triangles(body);
    body.set_surface_loads({{.triangles = {all.begin(), all.begin() + 10}, .pressure = 200.0}});
    step_all(body, 10, {});
    const double with = body.load_energy();
    EXPECT_NE(with, 0.0);
    body.set_surface_loads({});
    EXPECT_NEAR(with, body.load_energy(), 1e-10 * std::abs(with)) << name_of(body.method());
  }
}

TEST(SurfaceLoads, GoOnFromASavedStateWithTheSameBits) {
  for (Body& body : every_body()) {
    body.set_surface_loads(some_loads(body));
    Body other = body;
    step_all(body, 7, {});
    const std::string saved = bytes_of(body);
    step_all(body, 10, {});
    StateReader in(saved, "a saved state");
    other.restore(in);
    in.finish();
    EXPECT_EQ(bytes_of(other), saved) << name_of(body.method());
    Body copy = other;
    step_all(other, 10, {});
    step_all(copy, 10, {});
    EXPECT_EQ(other.q(), body.q()) << name_of(body.method());
    EXPECT_EQ(other.v(), body.v());
    EXPECT_EQ(other.state().slack, body.state().slack);
    EXPECT_EQ(copy.q(), body.q()) << name_of(body.method()) << ", of a copy";
  }
}

TEST(SurfaceLoads, GoBackWithTheBody) {
  for (Body& body : every_body()) {
    if (body.method() == Method::online) continue;  // what it learned on the way stays
    body.set_surface_loads(some_loads(body));
    step_all(body, 5, {});
    body.remember();
    step_all(body, 3, {});
    const Vector q = body.q(), v = body.v();
    body.go_back();
    step_all(body, 3, {});
    EXPECT_EQ(body.q(), q) << name_of(body.method());
    EXPECT_EQ(body.v(), v) << name_of(body.method());
  }
}

TEST(SurfaceLoads, StayAsTheyWereWhereAWorldTakesAStepBack) {
  World world, undisturbed;
  for (World* one : {&world, &undisturbed}) {
    for (const Method method : {Method::warped, Method::reduced}) {
      Body body(make_model(test::bar_model(), false));
      body.set_method(method);
      body.set_surface_loads(some_loads(body));
      one->add(body);
    }
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(one->step(h).ok());
  }
  world.body(1).set_force(test::tip(), Vector3::Constant(1e308));
  EXPECT_FALSE(world.step(h).ok());
  world.body(1).set_force(test::tip(), Vector3::Zero());
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(world.step(h).ok());
    ASSERT_TRUE(undisturbed.step(h).ok());
  }
  EXPECT_EQ(world.body(0).q(), undisturbed.body(0).q());
  EXPECT_EQ(world.body(0).v(), undisturbed.body(0).v());
}

TEST(SurfaceLoads, StayWhenTheMethodChanges) {
  for (const auto& [from, to] : {std::pair{Method::reduced, Method::warped},
                                 {Method::warped, Method::linear},
                                 {Method::linear, Method::reduced}}) {
    Body body(make_model(test::bar_model(), false)), other = body;
    body.set_method(from);
    body.set_surface_loads(some_loads(body));
    body.set_method(to);
    EXPECT_EQ(body.loads().surface, some_loads(body));
    other.set_method(to);
    other.set_surface_loads(some_loads(other));
    step_all(body, 20, {});
    step_all(other, 20, {});
    EXPECT_EQ(body.q(), other.q()) << name_of(to);
    body.set_rank(6);
    step_all(body, 5, {});
  }
}

TEST(SurfaceLoads, StepsAllocateNothing) {
  for (Body& body : every_body()) {
    if (!body.has_model()) continue;
    body.set_surface_loads({some_loads(body)[0], some_loads(body)[2]});
    const auto steps = [&] {
      for (int i = 0; i < 3; ++i) (void)body.step(h);
    };
    steps();
    EXPECT_EQ(test::allocations_of(steps), 0) << name_of(body.method());
    body.set_surface_loads({{.triangles = all_triangles(body), .pressure = 10.0, .from = 0.01}});
    steps();
    EXPECT_EQ(test::allocations_of(steps), 0) << name_of(body.method()) << " by the time";
  }
}

TEST(SurfaceLoads, ActOnASurfaceThatTheMeshCarries) {
  MeshBodySetup setup = Bar{.held = false}.setup();
  setup.surface = boundary_surface(setup.mesh);
  setup.surface.vertices = (0.9 * setup.surface.vertices).colwise() + Vector3(0.05, 0.0, 0.0);
  Body body = make_full_body(setup);
  body.set_surface_loads({{.triangles = all_triangles(body), .pressure = 2000.0}});
  step_all(body, 10);
  EXPECT_LT(body.momentum().linear.norm(), 1e-9);
  EXPECT_LT(body.momentum().angular.norm(), 1e-3) << "of 10 N m s by one end alone";
  EXPECT_GT(body.energy().elastic, 0.0);
}

TEST(SurfaceLoads, AreRefusedInOneLine) {
  Body body(make_model(test::bar_model(), false));
  const std::vector<SurfaceLoad> loads = some_loads(body);
  body.set_surface_loads(loads);
  const int count = static_cast<int>(body.surface().mesh().triangle_count());
  const auto refusal = [&](SurfaceLoad load) {
    return error_text([&] { body.set_surface_loads({loads[0], std::move(load)}); });
  };
  EXPECT_EQ(refusal({.triangles = {0, count}, .pressure = 1.0}),
            fmt::format("bar: surface load 1 acts on triangle {} of a surface with triangles 0 to {}", count,
                        count - 1));
  EXPECT_TRUE(contains(refusal({.triangles = {-1}, .pressure = 1.0}), "triangle -1"));
  EXPECT_EQ(refusal({.triangles = {3, 1, 3}, .pressure = 1.0}),
            "bar: surface load 1 names triangle 3 twice; name it once");
  EXPECT_EQ(refusal({.pressure = 1.0}), "bar: surface load 1 has no triangles; name those that it acts on");
  EXPECT_TRUE(contains(refusal({.triangles = {1}, .pressure = std::nan("")}), "expected finite numbers"));
  EXPECT_TRUE(
      contains(refusal({.triangles = {1}, .traction = Vector3(0.0, infinity, 0.0)}), "finite numbers"));
  EXPECT_TRUE(contains(refusal({.triangles = {1}, .pressure = 1.0, .from = 2.0, .to = 2.0}),
                       "expected that it ends after it starts"));
  EXPECT_EQ(body.loads().surface, loads) << "it is as it was";
}

TEST(SurfaceLoads, EquilibriaReportTheShapeThatTheyEndIn) {
  Body body = make_full_body(Bar().setup());
  body.set_surface_loads({{.triangles = triangles_at(body, 1.0), .pressure = -1e4}});
  const StepReport report = body.solve_static();
  ASSERT_TRUE(report.ok());
  EXPECT_NEAR(report.smallest_volume_ratio, body.smallest_volume_ratio(), 1e-6);
}

/// Loads that grow in parts: the first one fails already.
TEST(SurfaceLoads, EquilibriaThatAreNotFoundReportWhatIsLeft) {
  Body body = make_full_body(Bar().setup());
  body.set_surface_loads({{.triangles = triangles_at(body, 1.0), .pressure = -3e6}});
  EquilibriumOptions options;
  options.max_iterations = 3;
  const StepReport report = body.solve_static(options);
  ASSERT_FALSE(report.ok());
  EXPECT_GT(report.residual, 0.0);
}

TEST(SurfaceLoads, WithoutPressureAndTractionAreNotKept) {
  Body body = make_full_body(Bar().setup());
  const std::vector<int> end = triangles_at(body, 1.0);
  body.set_surface_loads({{.triangles = end}, {.triangles = end, .pressure = 3.0}});
  ASSERT_EQ(body.loads().surface.size(), 1U);
  EXPECT_EQ(body.loads().surface[0].pressure, 3.0);
}

TEST(SurfaceLoads, ThatChangeOnTheSameVerticesAllocateNothing) {
  MeshBodySetup setup = Bar().setup();
  FullMotion motion(std::make_shared<const MeshBodySetup>(setup), setup.materials);
  std::vector<SurfaceForces> forces{{{1, 4, 7}, Matrix3X::Ones(3, 3)}};
  motion.set_surface_forces(forces);
  forces[0].forces *= 2.0;
  EXPECT_EQ(test::allocations_of([&] { motion.set_surface_forces(forces); }), 0);
}

}  // namespace
}  // namespace limber::surface_loads_test
