// Bodies that are computed with their mesh, as Body has them.

#include "limber/body/mesh_body.hpp"

#include "limber/mesh/embedding.hpp"
#include "limber/precompute/reduce.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace limber::mesh_body_test {
namespace {

using test::contains;
using test::error_text;

const Vector3 down(0.0, 0.0, -9.81);
constexpr double h = 0.01;

/// A beam along x that is held at x = 0, of two regions.
MeshBodySetup beam(MassKind mass = MassKind::consistent) {
  MeshBodySetup setup;
  setup.name = "beam";
  setup.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
  setup.mesh.regions = {{1, "left"}, {2, "right"}};
  for (std::size_t e = setup.mesh.region.size() / 2; e < setup.mesh.region.size(); ++e)
    setup.mesh.region[e] = 1;
  setup.materials = {test::material("neo-hookean", 4e5, 0.3, 1000.0),
                     test::material("stvk", 3e5, 0.3, 900.0)};
  setup.fixed = test::vertices_below(setup.mesh, 1e-6);
  setup.mass = mass;
  setup.damping = {0.5, 0.002};
  setup.executor = Executor(1);
  return setup;
}

/// A surface of one triangle within the beam.
SurfaceMesh triangle() {
  Matrix3X vertices(3, 3);
  vertices << 0.3, 0.5, 0.93, 0.05, -0.04, 0.02, 0.03, 0.06, -0.07;
  return make_surface_mesh(vertices, Eigen::Vector3i(0, 1, 2));
}

ReducedStepOptions exact() {
  ReducedStepOptions options;
  options.newmark = NewmarkOptions{};
  return options;
}

void advance(Body& body, int steps, const ReducedStepOptions& options = exact()) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(body.step(h, options).ok()) << "step " << i;
}

int last_vertex(const Body& body) { return static_cast<int>(body.mesh_vertex_count()) - 1; }

std::string bytes_of(const Body& body) {
  StateWriter out;
  body.save(out);
  return out.bytes();
}

/// All that a dynamic body takes.
void burden(Body& body) {
  body.set_gravity(down);
  const PointForce force{mesh_point(last_vertex(body)), Vector3(0.0, 2.0, 1.0)};
  body.set_forces({&force, 1});
  body.set_timed_loads(
      {{{{mesh_point(10)}, Vector3(0.0, -3.0, 0.0), 0.02, 0.055}}, {{Vector3(0, 1, 0), 0.0, 0.1}}});
  const Spring spring{Point(9), body.position(Point(9)) + Vector3(0.0, 0.05, 0.0), 40.0};
  body.set_springs({&spring, 1});
  body.set_support([](double t) {
    return Pose{Vector3(0.0, 0.02 * std::sin(9.0 * t) * t, 0.0),
                Eigen::Quaterniond(Eigen::AngleAxisd(t * t, Vector3::UnitZ()))};
  });
}

TEST(MeshBody, MovesAsFullDynamicsDo) {
  const MeshBodySetup setup = beam();
  Body body = make_full_body(setup);
  body.set_gravity(down);
  body.set_timed_loads({{{{mesh_point(13), mesh_point(20)}, Vector3(0.0, 4.0, 0.0), 0.013, 0.05}}, {}});
  const FullModel model(setup.mesh, setup.materials, setup.fixed, {setup.mass, setup.executor});
  const Vector weight = model.gravity_force(down);
  Vector force = Vector::Zero(model.dof_count());
  for (const int v : {13, 20})
    force.segment<3>(3 * Index{model.dofs().free_index(v)}) += Vector3(0.0, 4.0, 0.0);
  DynamicsOptions options;
  options.damping = setup.damping;
  FullDynamics dynamics(
      model,
      [&](double t0, double t1, Vector& f) {
        f = weight;
        f += active_share(0.013, 0.05, t0, t1) * force;
      },
      Vector::Zero(weight.size()), Vector::Zero(weight.size()), options);
  for (int i = 0; i < 20; ++i) {
    advance(body, 1);
    ASSERT_TRUE(dynamics.step(h).ok());
  }
  EXPECT_EQ(body.q(), dynamics.state().u) << "to the bit";
  EXPECT_EQ(body.v(), dynamics.state().v);
  EXPECT_EQ(body.energy().elastic + body.energy().kinetic, dynamics.energy());
  EXPECT_EQ(body.mesh_displacement(), model.dofs().expand(dynamics.state().u));
}

TEST(MeshBody, FindsTheEquilibriumOfStatics) {
  const MeshBodySetup setup = beam();
  Body body = make_full_body(setup);
  body.set_gravity(down);
  const StepReport report = body.solve_static();
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report.smallest_volume_ratio, 0.0);
  const FullModel model(setup.mesh, setup.materials, setup.fixed, {setup.mass, setup.executor});
  Vector u = Vector::Zero(model.dof_count());
  ASSERT_TRUE(solve_static(model, model.gravity_force(down), u, {.max_iterations = 100}).ok());
  EXPECT_EQ(body.q(), u);
  EXPECT_EQ(body.time(), 0.0);
  advance(body, 20);
  EXPECT_LT((body.q() - u).norm(), 1e-6 * u.norm()) << "it rests there";
}

TEST(MeshBody, SpringsBalanceItInStatics) {
  MeshBodySetup setup = beam();
  setup.surface = triangle();
  Body body = make_full_body(setup);
  const Spring spring{Point(2), body.position(Point(2)) + Vector3(0.0, 0.1, -0.2), 60.0};
  body.set_springs({&spring, 1});
  ASSERT_TRUE(body.solve_static().ok());
  const Vector3 pull = body.spring_force(0);
  EXPECT_GT(pull.norm(), 1.0);
  // The same force in place of the spring.
  Body other = make_full_body(setup);
  other.set_force(Point(2), pull);
  ASSERT_TRUE(other.solve_static().ok());
  EXPECT_LT((other.q() - body.q()).norm(), 1e-5 * body.q().norm());
}

TEST(MeshBody, HoldsHandlesWhileTheyMove) {
  MeshBodySetup setup = beam();
  setup.surface = triangle();
  Body body = make_full_body(setup);
  body.set_gravity(down);
  const double size = std::hypot(1.0, 0.2, 0.2);
  const Vector3 at = body.position(Point(2)), of_mesh = body.position(mesh_point(16));
  for (int i = 1; i <= 60; ++i) {
    const double s = std::sin(0.04 * i);
    const std::vector<Handle> handles{{Point(2), true, false, at + Vector3(0.0, 0.1 * s, 0.2 * s)},
                                      {mesh_point(16), true, false, of_mesh + Vector3(0.0, 0.03 * s, 0.0)}};
    body.set_handles(handles);
    advance(body, 1);
    ASSERT_TRUE(body.handle_report().met) << "step " << i;
    ASSERT_LT((body.position(Point(2)) - handles[0].position).norm(), 1e-6 * size);
    ASSERT_LT((body.position(mesh_point(16)) - handles[1].position).norm(), 1e-6 * size);
  }
  const Handle fixed{mesh_point(0), true, false, Vector3::Zero()};
  EXPECT_TRUE(contains(error_text([&] { body.set_handles({&fixed, 1}); }), "cannot move"));
  EXPECT_EQ(body.loads().handles.size(), 2u);
}

TEST(MeshBody, GoesOnWithTheSameBitsFromWhatWasSaved) {
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    for (const ReducedStepOptions& options : {exact(), ReducedStepOptions{}}) {
      Body body = make_full_body(beam(mass)), other = make_full_body(beam(mass));
      burden(body);
      burden(other);
      advance(body, 7, options);
      const std::string saved = bytes_of(body);
      StateReader in(saved, "test");
      other.restore(in);
      in.finish();
      EXPECT_EQ(other.time(), body.time());
      EXPECT_EQ(other.mesh_displacement(), body.mesh_displacement());
      advance(body, 8, options);
      advance(other, 8, options);
      EXPECT_EQ(bytes_of(other), bytes_of(body));
    }
  }
}

TEST(MeshBody, GoesBackToWhatItRemembered) {
  Body body = make_full_body(beam());
  burden(body);
  body.remember();
  advance(body, 1);
  body.go_back();
  advance(body, 3);
  Body other = make_full_body(beam());
  burden(other);
  advance(other, 3);
  EXPECT_EQ(bytes_of(body), bytes_of(other));
}

TEST(MeshBody, IsCopiedWithItsStateAndLoads) {
  Body body = make_full_body(beam());
  burden(body);
  body.set_material(1, test::material("stvk", 1e5, 0.3, 700.0));
  advance(body, 5);
  Body copy = body;
  EXPECT_EQ(bytes_of(copy), bytes_of(body));
  advance(copy, 5);
  advance(body, 5);
  EXPECT_EQ(bytes_of(copy), bytes_of(body));
  advance(copy, 1);
  EXPECT_NE(copy.q(), body.q());
}

TEST(MeshBody, GoesOnWithAnotherMaterial) {
  Body body = make_full_body(beam());
  body.set_gravity(down);
  advance(body, 10);
  const Vector q = body.q(), v = body.v();
  const Material softer = test::material("neo-hookean", 1e5, 0.3, 1000.0);
  body.set_material(0, softer);
  EXPECT_EQ(body.q(), q);
  EXPECT_EQ(body.v(), v);
  EXPECT_DOUBLE_EQ(body.time(), 10 * h);
  EXPECT_EQ(body.material(0).density, softer.density);
  advance(body, 10);
  EXPECT_GT(body.q().norm(), q.norm());
}

TEST(MeshBody, IsDrawnByItsBoundaryOrBySomethingWithin) {
  const MeshBodySetup plain = beam();
  Body body = make_full_body(plain);
  body.set_gravity(down);
  advance(body, 10);
  const Matrix3X mesh = body.mesh_displacement();
  EXPECT_EQ(body.surface().mesh().vertex_count(), plain.mesh.vertex_count()) << "all are on the boundary";
  EXPECT_EQ(body.surface_displacement(), mesh);
  Eigen::Matrix3Xf positions(3, mesh.cols());
  body.positions(positions);
  EXPECT_LT((positions.cast<double>() - plain.mesh.vertices - mesh).norm(), 1e-6);

  MeshBodySetup embedded = plain;
  embedded.surface = triangle();
  Body other = make_full_body(embedded);
  other.set_gravity(down);
  advance(other, 10);
  const Embedding embedding = embed_points(plain.mesh, embedded.surface.vertices);
  EXPECT_LT((other.surface_displacement() - interpolate(embedding, mesh)).norm(), 1e-14);
  const Vector3 place = embedded.surface.vertices.col(1) + other.surface_displacement().col(1);
  EXPECT_LT((other.position(Point(1)) - place).norm(), 1e-14);
}

TEST(MeshBody, KeepsTheMomentumThatItIsThrownWith) {
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    MeshBodySetup setup = beam(mass);
    setup.fixed.clear();
    setup.damping = {};
    Body body = make_full_body(setup);
    body.set_velocity(Vector3(1.0, -2.0, 3.0), Vector3(0.5, 1.0, 2.0));
    const TreeMomentum start = body.momentum();
    EXPECT_LT((start.linear - start.mass * Vector3(1.0, -2.0, 3.0)).norm(), 1e-10 * start.linear.norm());
    EXPECT_NEAR(
        body.energy().kinetic,
        0.5 * start.linear.squaredNorm() / start.mass + 0.5 * start.angular.dot(Vector3(0.5, 1.0, 2.0)),
        1e-8 * body.energy().kinetic);
    advance(body, 30);
    const TreeMomentum end = body.momentum();
    EXPECT_LT((end.linear - start.linear).norm(), 1e-7 * start.linear.norm());
    EXPECT_LT((end.angular - start.angular).norm(), 1e-7 * start.angular.norm());
    EXPECT_LT((end.center - start.center - 30 * h * Vector3(1.0, -2.0, 3.0)).norm(), 1e-7);
  }
}

TEST(MeshBody, LosesTheEnergyOfItsLoadsToItsMotion) {
  MeshBodySetup setup = beam();
  setup.damping = {};
  Body body = make_full_body(setup);
  body.set_gravity(down);
  body.set_force(mesh_point(last_vertex(body)), Vector3(0.0, 5.0, 0.0));
  EXPECT_EQ(body.load_energy(), 0.0);
  ReducedStepOptions options = exact();
  options.newmark.tolerance = 1e-10;
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(body.step(1e-3, options).ok());
  const BodyEnergy energy = body.energy();
  EXPECT_NEAR(energy.elastic + energy.kinetic, -body.load_energy(), 1e-2 * energy.kinetic);
}

TEST(MeshBody, IsCarriedByItsSupportFromWhereThatHasIt) {
  MeshBodySetup setup = beam();
  setup.damping = {0.0, 0.3};
  Body body = make_full_body(setup);
  const Pose away{Vector3(2.0, 0.5, -1.0),
                  Eigen::Quaterniond(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3::UnitZ()))};
  body.set_support([&](double) { return away; });
  const int tip = last_vertex(body);
  const Vector3 rest = setup.mesh.vertices.col(tip);
  EXPECT_LT((body.position(mesh_point(tip)) - away.apply(rest)).norm(), 1e-13);
  EXPECT_LT((body.position(mesh_point(0)) - away.apply(setup.mesh.vertices.col(0))).norm(), 1e-13);
  EXPECT_LT(body.energy().elastic, 1e-9);
  advance(body, 10);
  EXPECT_LT((body.position(mesh_point(tip)) - away.apply(rest)).norm(), 1e-9) << "nothing pulls at it";
  body.reset();
  EXPECT_LT((body.position(mesh_point(tip)) - away.apply(rest)).norm(), 1e-13);
  body.set_support(nullptr);
  EXPECT_LT((body.position(mesh_point(tip)) - rest).norm(), 1e-12);
}

TEST(MeshBody, HasTheVelocityOfItsSupportWhereItIsFixed) {
  Body body = make_full_body(beam());
  body.set_support([](double t) { return Pose{Vector3(0.0, 0.5 * t * t, 0.0)}; });
  advance(body, 20);
  EXPECT_NEAR(body.velocity(mesh_point(0)).y(), 20 * h, 1e-9);
  EXPECT_NEAR(body.position(mesh_point(0)).y() - beam().mesh.vertices(1, 0), 0.5 * 0.2 * 0.2, 1e-12);
}

TEST(MeshBody, RefusesExplicitStepsThatAreTooLong) {
  Body body = make_full_body(beam(MassKind::lumped));
  ReducedStepOptions options;
  options.integrator = Integrator::central_differences;
  const std::string error = error_text([&] { static_cast<void>(body.step(1.0, options)); });
  EXPECT_TRUE(contains(error, "central differences are stable only below")) << error;
  EXPECT_TRUE(contains(error, "for beam")) << error;
  EXPECT_TRUE(body.step(1e-5, options).ok());
  EXPECT_NEAR(body.time(), 1e-5, 1e-15);
}

TEST(MeshBody, NamesItselfWhereItCannotBeMade) {
  MeshBodySetup setup = beam();
  for (int v = 0; v < setup.mesh.vertex_count(); ++v) setup.fixed.push_back(v);
  EXPECT_TRUE(contains(error_text([&] { make_full_body(setup); }), "beam: every vertex is fixed"));
}

/// Equilibrium at each time: loads that come and go are followed at once.
TEST(MeshBody, FollowsItsLoadsQuasistatically) {
  MeshBodySetup setup = beam();
  setup.quasistatic = true;
  Body body = make_full_body(setup);
  body.set_timed_loads({{}, {{down, 0.0, 0.025}}});
  advance(body, 2);
  EXPECT_EQ(body.time(), 2 * h);
  EXPECT_GT(body.q().norm(), 1e-3);
  Body copy = body;
  const std::string saved = bytes_of(body);
  advance(body, 1);
  EXPECT_LT(body.q().norm(), 1e-6) << "the load has gone";
  EXPECT_EQ(body.time(), 3 * h) << "to the bit: no sum of steps";
  StateReader in(saved, "test");
  body.restore(in);
  EXPECT_EQ(bytes_of(copy), bytes_of(body));
  EXPECT_EQ(body.v().norm(), 0.0);
  const Spring spring{mesh_point(10), Vector3::Zero(), 1.0};
  EXPECT_TRUE(contains(error_text([&] { body.set_springs({&spring, 1}); }), "quasistatic"));
}

TEST(MeshBody, IsCarriedByItsMapsQuasistatically) {
  MeshBodySetup setup = beam();
  setup.quasistatic = true;
  const int end = static_cast<int>(setup.mesh.vertex_count()) - 1;
  setup.fixed.push_back(end);
  setup.maps = [n = setup.mesh.vertex_count(), end](double t) {
    VertexMaps maps = VertexMaps::identity(n);
    maps.offset.col(end) = Vector3(0.0, 0.0, 2.0 * t);
    return maps;
  };
  Body body = make_full_body(setup);
  advance(body, 3);
  EXPECT_LT((body.mesh_displacement().col(end) - Vector3(0.0, 0.0, 6 * h)).norm(), 1e-15);
  EXPECT_GT(body.energy().elastic, 0.0);
  EXPECT_EQ(body.energy().kinetic, 0.0);
}

TEST(MeshBody, LearnsOnline) {
  MeshBodySetup setup = beam();
  Body body = make_online_body(setup, {}, 3.0), full = make_full_body(setup);
  EXPECT_EQ(body.method(), Method::online);
  for (Body* one : {&body, &full}) one->set_gravity(down);
  ASSERT_NE(body.online_report(), nullptr);
  EXPECT_EQ(full.online_report(), nullptr);
  advance(body, 150);
  advance(full, 150);
  EXPECT_GT(body.online_report()->reduced_steps, 10);
  EXPECT_LT((body.q() - full.q()).norm(), 0.1 * full.q().norm());
  EXPECT_DOUBLE_EQ(body.time(), full.time());

  Body copy = body;
  EXPECT_EQ(copy.q(), body.q());
  advance(body, 20);
  advance(copy, 20);
  EXPECT_EQ(copy.q(), body.q()) << "to the bit";
}

TEST(MeshBody, LearnsOnlineOfLoadsThatChange) {
  MeshBodySetup setup = beam();
  Body body = make_online_body(setup, {}, 3.0), full = make_full_body(setup);
  for (Body* one : {&body, &full}) {
    one->set_gravity(down);
    advance(*one, 100);
    one->set_force(mesh_point(last_vertex(*one)), Vector3(0.0, 20.0, 0.0));
    advance(*one, 100);
  }
  EXPECT_LT((body.q() - full.q()).norm(), 0.1 * full.q().norm());
}

/// Springs pull in the subspace, too.
TEST(MeshBody, LearnsOnlineOfSprings) {
  for (const char* law : {"stvk", "neo-hookean"}) {
    MeshBodySetup setup = beam();
    for (Material& material : setup.materials) material = test::material(law, 3e5, 0.3, 1000.0);
    Body body = make_online_body(setup, {}, 3.0), full = make_full_body(setup);
    for (Body* one : {&body, &full}) {
      one->set_gravity(down);
      const Point tip = mesh_point(last_vertex(*one));
      const Spring spring{tip, one->position(tip) + Vector3(0.0, 0.2, 0.1), 300.0};
      one->set_springs({&spring, 1});
      advance(*one, 150);
    }
    EXPECT_GT(body.online_report()->reduced_steps, 30) << law;
    EXPECT_LT((body.q() - full.q()).norm(), 0.05 * full.q().norm()) << law;
    EXPECT_LT((body.spring_force(0) - full.spring_force(0)).norm(), 0.05 * full.spring_force(0).norm())
        << law;
  }
}

/// The energy of a body and its spring, let go of, stays or falls.
TEST(MeshBody, GainsNothingOnlineFromSprings) {
  for (const char* law : {"stvk", "neo-hookean"}) {
    MeshBodySetup setup = beam();
    setup.damping = {};
    setup.mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {8, 2, 2}});
    setup.fixed = test::vertices_below(setup.mesh, 1e-6);
    setup.materials = {test::material(law, 1e6, 0.3, 1000.0)};
    Body body = make_online_body(setup, {}, 4.0);
    body.set_gravity(Vector3(0.0, 0.0, -5.0));
    const Point tip = mesh_point(last_vertex(body));
    const Spring spring{tip, body.position(tip) + Vector3(0.0, 0.0, 0.1), 400.0};
    body.set_springs({&spring, 1});
    const auto energy = [&] {
      const BodyEnergy now = body.energy();
      const double stretch = (body.position(tip) - spring.target).norm();
      return now.elastic + now.kinetic + body.load_energy() + 0.5 * spring.stiffness * stretch * stretch;
    };
    const double start = energy();
    double swing = 0.0;  // what goes to and fro
    for (int i = 0; i < 400; ++i) {
      advance(body, 1);
      swing = std::max(swing, body.energy().kinetic);
      ASSERT_LE(energy(), start + 0.005 * swing) << law << ", step " << i;
    }
    EXPECT_GT(body.online_report()->reduced_steps, 100) << law;
    EXPECT_GT(energy(), start - 0.2 * swing) << law;
  }
}

/// One that is led and let go, a support that moves and rests, wind that comes and goes.
TEST(MeshBody, TakesOnlineWhatFullBodiesTake) {
  MeshBodySetup setup = beam();
  setup.damping = {1.0, 0.004};
  Body body = make_online_body(setup, {}, 5.0), full = make_full_body(setup);
  const auto near = [&](const char* what) {
    EXPECT_LT((body.q() - full.q()).norm(), 0.05 * full.q().norm()) << what;
    EXPECT_NEAR(body.energy().kinetic, full.energy().kinetic,
                0.1 * (full.energy().kinetic + full.energy().elastic))
        << what;
  };
  const Point tip = mesh_point(last_vertex(body));
  for (Body* one : {&body, &full}) {
    one->set_gravity(0.2 * down);
    advance(*one, 60);
    const Vector3 at = one->position(tip);
    for (int i = 1; i <= 20; ++i) {
      const Handle handle{tip, true, false, at + Vector3(0.0, 0.01 * i, 0.0)};
      one->set_handles({&handle, 1});
      advance(*one, 1);
      ASSERT_TRUE(one->handle_report().met) << "step " << i;
    }
  }
  near("held");
  for (Body* one : {&body, &full}) {
    one->set_handles({});
    advance(*one, 20);
  }
  near("let go");
  for (Body* one : {&body, &full}) {
    one->set_wind({.velocity = Vector3(0.0, 60.0, 0.0), .gusts = 0.5});
    advance(*one, 40);
  }
  near("in the wind");
  for (Body* one : {&body, &full}) {
    one->set_wind({});
    one->set_support([from = one->time()](double t) {
      const double s = std::clamp((t - from) / 0.3, 0.0, 1.0);
      return Pose{Vector3(0.0, 0.2 * s * s * (3.0 - 2.0 * s), 0.0)};
    });
    advance(*one, 50);
    EXPECT_NEAR(one->position(mesh_point(0)).y() - setup.mesh.vertices(1, 0), 0.2, 1e-12);
  }
  near("carried");
  const Index reduced = body.online_report()->reduced_steps;
  for (Body* one : {&body, &full}) {
    one->set_support(nullptr);
    advance(*one, 80);
  }
  near("at home");
  EXPECT_GT(body.online_report()->reduced_steps, reduced) << "steps are skipped again";
}

/// With all that acts on it, in whatever it does at the time.
TEST(MeshBody, GoesOnOnlineWithTheSameBits) {
  const auto make = [] {
    MeshBodySetup setup = beam();
    return make_online_body(setup, {}, 3.0);
  };
  const auto lead = [](Body& body, int step) {
    if (step == 45) body.set_handles({});
    if (step < 40 || step >= 45) return;
    const Handle handle{mesh_point(10), true, false,
                        beam().mesh.vertices.col(10) + Vector3(0.0, 0.01 * (step - 39), 0.0)};
    body.set_handles({&handle, 1});
  };
  const auto go = [&](Body& body, int from, int to) {
    for (int i = from; i < to; ++i) {
      lead(body, i);
      advance(body, 1);
    }
  };
  const auto load = [](Body& body) {
    body.set_gravity(down);
    const Spring spring{Point(9), body.position(Point(9)) + Vector3(0.0, 0.05, 0.0), 40.0};
    body.set_springs({&spring, 1});
    body.set_support(
        [](double t) { return Pose{Vector3(0.0, t < 0.6 ? 0.0 : 0.02 * std::sin(9.0 * (t - 0.6)), 0.0)}; });
  };
  for (const int saved_at : {0, 3, 35, 42, 50, 70}) {
    Body body = make(), other = make();
    load(body);
    load(other);
    go(body, 0, saved_at);
    lead(body, saved_at);
    const std::string saved = bytes_of(body);
    lead(other, saved_at);
    StateReader in(saved, "test");
    other.restore(in);
    in.finish();
    EXPECT_EQ(other.mesh_displacement(), body.mesh_displacement()) << saved_at;
    EXPECT_EQ(other.velocity(mesh_point(0)), body.velocity(mesh_point(0))) << saved_at;
    Body copy = body;
    for (Body* one : {&body, &other, &copy}) go(*one, saved_at, saved_at + 15);
    EXPECT_EQ(other.q(), body.q()) << saved_at;
    EXPECT_EQ(copy.q(), body.q()) << saved_at;
    EXPECT_EQ(copy.v(), body.v()) << saved_at;
    // What it learns on the way stays; where it is does not.
    const Matrix3X before = body.mesh_displacement();
    body.remember();
    other.remember();
    advance(body, 2);
    advance(other, 2);
    body.go_back();
    other.go_back();
    EXPECT_EQ(body.mesh_displacement(), before) << saved_at;
    advance(body, 5);
    advance(other, 5);
    EXPECT_EQ(other.q(), body.q()) << saved_at;
  }
}

TEST(MeshBody, LearnsOnlineAnewWithAnotherMaterial) {
  Body body = make_online_body(beam(), {}, 3.0), full = make_full_body(beam());
  for (Body* one : {&body, &full}) {
    one->set_gravity(down);
    advance(*one, 80);
    const Vector q = one->q(), v = one->v();
    for (const Index region : {0, 1}) one->set_material(region, test::material("stvk", 1.5e5, 0.3, 1100.0));
    EXPECT_EQ(one->q(), q);
    EXPECT_EQ(one->v(), v);
    EXPECT_DOUBLE_EQ(one->time(), 80 * h);
    EXPECT_EQ(one->material(1).density, 1100.0);
    advance(*one, 120);
  }
  EXPECT_GT(body.online_report()->reduced_steps, 10);
  EXPECT_LT((body.q() - full.q()).norm(), 0.1 * full.q().norm());
  Body copy = body;
  EXPECT_EQ(copy.material(0).density, 1100.0);
  advance(body, 5);
  advance(copy, 5);
  EXPECT_EQ(copy.q(), body.q());
}

TEST(MeshBody, FindsOnlineTheEquilibriumOfTheFullBody) {
  for (const bool quasistatic : {false, true}) {
    MeshBodySetup setup = beam();
    setup.quasistatic = quasistatic;
    Body body = make_online_body(setup, {}, 1.0), full = make_full_body(setup);
    for (Body* one : {&body, &full}) {
      one->set_gravity(down);
      advance(*one, 7);
      ASSERT_TRUE(one->solve_static().ok());
      EXPECT_DOUBLE_EQ(one->time(), 7 * h);
      EXPECT_EQ(one->v().norm(), 0.0);
    }
    EXPECT_LT((body.q() - full.q()).norm(), 1e-6 * full.q().norm());
    const Vector rest = body.q();
    advance(body, 20);
    EXPECT_LT((body.q() - rest).norm(), 1e-3 * rest.norm()) << "it rests there";
  }
}

/// A rigid block in flight: the drag is that of the reduced one, which feels it at its middle.
TEST(MeshBody, FeelsTheWindAsAReducedBodyDoes) {
  MeshBodySetup setup = beam();
  setup.mesh = make_beam({.size = {0.4, 0.3, 0.3}, .cells = {3, 2, 2}});
  setup.materials = {test::material("stvk", 1e6, 0.3, 40.0)};
  setup.fixed.clear();
  setup.damping = {};
  Body full = make_full_body(setup), online = make_online_body(setup, {}, 1.0);
  const FullModel model(setup.mesh, setup.materials, {}, {setup.mass, setup.executor});
  ReduceOptions options;
  options.basis.modes = 6;
  ReduceReport report;
  Body reduced(make_model(reduce(model, {}, {}, options, report), true));
  const Wind wind{.velocity = Vector3(3.0, 20.0, -5.0), .gusts = 0.4, .coefficient = 1.3};
  const double speed = wind.velocity.norm();
  for (Body* one : {&full, &online, &reduced}) {
    one->set_wind(wind);
    advance(*one, 80);
  }
  const auto velocity = [](const Body& body) -> Vector3 {
    return body.momentum().linear / body.momentum().mass;
  };
  EXPECT_GT(velocity(reduced).norm(), 0.2 * speed);
  EXPECT_LT((velocity(full) - velocity(reduced)).norm(), 0.03 * velocity(reduced).norm());
  EXPECT_LT((velocity(online) - velocity(reduced)).norm(), 0.03 * velocity(reduced).norm());
  EXPECT_LT((full.momentum().center - reduced.momentum().center).norm(), 0.03);
}

TEST(MeshBody, StaysInTheWindWithTheSameBits) {
  Body body = make_full_body(beam()), other = make_full_body(beam());
  for (Body* one : {&body, &other}) {
    burden(*one);
    one->set_wind({.velocity = Vector3(0.0, 30.0, 4.0), .gusts = 1.0});
  }
  advance(body, 9);
  Body copy = body;
  const std::string saved = bytes_of(body);
  StateReader in(saved, "test");
  other.restore(in);
  body.remember();
  advance(body, 2);
  body.go_back();
  for (Body* one : {&body, &other, &copy}) advance(*one, 9);
  EXPECT_EQ(bytes_of(other), bytes_of(body));
  EXPECT_EQ(bytes_of(copy), bytes_of(body));
}

/// Air pushes in statics as it does at a body that has come to rest.
TEST(MeshBody, BalancesTheWindInStatics) {
  Body body = make_full_body(beam()), blown = make_full_body(beam());
  for (Body* one : {&body, &blown}) one->set_wind({.velocity = Vector3(0.0, 30.0, 4.0)});
  ASSERT_TRUE(body.solve_static().ok());
  blown.set_damping({5.0, 0.02});
  advance(blown, 500);
  EXPECT_GT(body.q().norm(), 1e-3);
  EXPECT_LT((body.q() - blown.q()).norm(), 1e-4 * body.q().norm());
}

TEST(MeshBody, HasTheVelocityOfItsSupportWhenItComesBack) {
  const auto make = [] {
    Body body = make_full_body(beam());
    body.set_support([](double t) { return Pose{Vector3(0.0, 0.1 * std::sin(8.0 * t), 0.0)}; });
    return body;
  };
  Body body = make(), other = make();
  advance(body, 5);
  const std::string saved = bytes_of(body);
  StateReader in(saved, "test");
  other.restore(in);
  EXPECT_EQ(other.velocity(mesh_point(0)), body.velocity(mesh_point(0)));
  EXPECT_EQ(other.energy().kinetic, body.energy().kinetic);
}

/// At the first step, too, in which all is made that it is taken with.
TEST(MeshBody, IsAsItWasWhereItsSupportCannotTellItsPose) {
  for (const Method method : {Method::full, Method::online}) {
    int calls_left = -1;  // none: it never fails
    const auto moved = [](double t) { return Pose{Vector3(0.0, 0.2 + 0.1 * std::sin(8.0 * t), 0.0)}; };
    const auto make = [&](const PoseFunction& motion) {
      Body body = method == Method::full ? make_full_body(beam()) : make_online_body(beam(), {}, 1.0);
      body.set_gravity(down);
      body.set_support(motion);
      return body;
    };
    Body good = make(moved);
    Body body = make([&](double t) {
      if (calls_left == 0) throw Error("no pose");
      if (calls_left > 0) --calls_left;
      return moved(t);
    });
    for (int i = 0; i < 3; ++i) {
      const Matrix3X before = body.mesh_displacement();
      const double elastic = body.energy().elastic;
      int failures = 0;
      for (bool done = false; !done; ++failures) {
        calls_left = failures;
        try {
          ASSERT_TRUE(body.step(h, exact()).ok());
          done = true;
        } catch (const Error&) {
          ASSERT_EQ(body.mesh_displacement(), before) << "call " << failures;
          calls_left = -1;
          ASSERT_EQ(body.energy().elastic, elastic) << "call " << failures;
        }
      }
      calls_left = -1;
      EXPECT_GT(failures, 5);
      advance(good, 1);
      ASSERT_EQ(body.mesh_displacement(), good.mesh_displacement()) << "step " << i;
    }
  }
}

/// Copies have no dynamics until their first step.
TEST(MeshBody, IsLetGoByTheWindAsItsCopyIs) {
  MeshBodySetup setup = beam();
  setup.fixed.clear();
  setup.damping = {};
  const Wind wind{.velocity = Vector3(0.0, 30.0, 4.0)};
  for (Body body : {make_full_body(setup), make_online_body(setup, {}, 1.0)}) {
    body.set_wind(wind);
    advance(body, 3);
    Body copy = body;
    const Vector3 before = body.momentum().linear;
    for (Body* one : {&body, &copy}) {
      one->set_wind({});
      advance(*one, 3);
      EXPECT_LT((one->momentum().linear - before).norm(), 1e-9 * before.norm()) << name_of(one->method());
      one->set_wind(wind);
      advance(*one, 1);
    }
    EXPECT_LT((copy.v() - body.v()).norm(), 1e-9 * body.v().norm()) << name_of(body.method());
  }
}

TEST(MeshBody, GoesBackOnlineWhateverWasMadeSince) {
  ReducedStepOptions others;
  others.newmark = generalized_alpha(0.5, 10);
  const std::vector<std::function<void(Body&)>> changes{
      [&](Body& body) { advance(body, 1, others); },
      [](Body& body) {
        body.set_damping({1.0, 0.001});
      },
      [](Body& body) { body.set_material(0, test::material("stvk", 3e5, 0.3, 1000.0)); },
      [](Body& body) { body.reset(); }};
  for (const bool quasistatic : {false, true}) {
    MeshBodySetup setup = beam();
    setup.quasistatic = quasistatic;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (quasistatic && i < 2) continue;  // it knows neither
      Body body = make_online_body(setup, {}, 1.0);
      body.set_gravity(down);
      advance(body, 4);
      body.remember();
      const TreeState state = body.state();
      Body copy = body;
      for (Body* one : {&body, &copy}) {
        changes[i](*one);
        advance(*one, 2);
        one->go_back();
        EXPECT_EQ(one->time(), state.time) << i;
        ASSERT_EQ(one->q().size(), state.q.size()) << i;
        EXPECT_LT((one->q() - state.q).norm(), 1e-12 * state.q.norm()) << i;
        EXPECT_LE((one->v() - state.v).norm(), 1e-12 * state.v.norm()) << i;
        advance(*one, 2);
      }
    }
    Body body = make_online_body(setup, {}, 1.0);
    EXPECT_TRUE(contains(error_text([&] { body.go_back(); }), "nothing remembered"));
  }
}

TEST(MeshBody, IsAsItWasMadeAfterAReset) {
  for (Body body : {make_full_body(beam()), make_online_body(beam(), {}, 1.0)}) {
    const std::string before = bytes_of(body);
    advance(body, 2);
    body.reset();
    EXPECT_EQ(bytes_of(body), before) << name_of(body.method());
  }
}

/// c h / m is from 0.01 to 10.
TEST(MeshBody, ComesToRestInTheWindWhereStaticsFindIt) {
  for (const double share : {0.01, 0.3, 10.0}) {
    MeshBodySetup setup = beam();
    const double drag = 0.6 * 0.25 * 0.84 * 30.0;  // kg/s, of the whole
    for (Material& material : setup.materials) material.density = drag * 0.02 / share / 0.04;
    setup.damping = {20.0, 0.01};
    Body still = make_full_body(setup), blown = make_full_body(setup),
         online = make_online_body(setup, {}, 9.0);
    for (Body* one : {&still, &blown, &online})
      one->set_wind({.velocity = Vector3(0.0, 30.0, 0.0), .gusts = 0.0});
    ASSERT_TRUE(still.solve_static().ok());
    for (Body* one : {&blown, &online}) {
      for (int i = 0; i < 300; ++i) ASSERT_TRUE(one->step(0.02).ok());
      EXPECT_LT((one->q() - still.q()).norm(), 1e-4 * still.q().norm())
          << share << " " << name_of(one->method());
    }
  }
}

}  // namespace
}  // namespace limber::mesh_body_test
