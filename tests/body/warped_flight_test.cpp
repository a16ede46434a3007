#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/body/body.hpp"
#include "limber/body/lump_inertia.hpp"
#include "limber/precompute/build_model.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/body/bar.hpp"
#include "tests/reduced/allocations.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

// Bodies that nothing holds, moved by warped modes; and wind.

namespace limber::warped_flight_test {
namespace {

using test::advance;
using test::error_text;
using test::random_vector;

constexpr double frame = 1.0 / 60.0;  // s
constexpr Index rank = 8;
const Vector3 tumbling(1.0, 4.0, 2.0);  // rad/s

/// A soft beam along x that nothing holds, by its linear modes: the slowest has 7 Hz.
const std::shared_ptr<const Model>& free_beam() {
  static const std::shared_ptr<const Model> model = [] {
    const FullModel full(make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.1), {8, 2, 1}}),
                         {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
    ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, rank + 6).elastic_shapes());
    reduced.name = "beam";
    return std::make_shared<const Model>(make_model(std::move(reduced), true));
  }();
  return model;
}

const ReducedModel& beam() { return free_beam()->parts.front().model; }
int tip() { return test::vertex_at(beam(), Vector3(1.0, 0.2, 0.1)); }

Body flying(Method method = Method::warped, double stiffness = 1.0) {
  Body body(free_beam());
  body.set_stiffness(0, stiffness);
  body.set_method(method);
  return body;
}

/// Bent and vibrating, thrown and turning.
Body shaken(double bending) {
  Body body = flying();
  body.set_velocity(Vector3(1.0, 0.5, -0.2), tumbling);
  TreeState state = body.state();
  state.q = random_vector(rank, bending, 3);
  state.v = random_vector(rank, 10.0 * bending, 4);
  body.set_state(state);
  return body;
}

/// But for the flight of the centre of mass.
double internal_energy(const Body& body) {
  const TreeMomentum now = body.momentum();
  return body.energy().elastic + body.energy().kinetic - 0.5 * now.linear.squaredNorm() / now.mass;
}

WarpedEquations equations() { return make_warped_equations(beam(), beam().materials()); }

TEST(LumpInertia, IsThatOfTheBodyAtRest) {
  const Inertia exact = inertia_of(beam());
  const LumpInertia lumps(equations(), exact);
  const Vector still = Vector::Zero(rank), v = random_vector(rank, 1.0, 1);
  const LumpSums sums = lumps.at(still, v);
  const Matrix3 second = exact.second - exact.first * exact.first.transpose() / exact.mass;
  const Matrix3 expected = second.trace() * Matrix3::Identity() - second;
  EXPECT_LT((sums.inertia - expected).norm(), 1e-8 * expected.norm());
  EXPECT_LT((sums.inertia * sums.inverse - Matrix3::Identity()).norm(), 1e-12);
  // Modes of a free body move neither its centre of mass, nor do they turn it.
  EXPECT_LT(sums.swirl.norm(), 1e-8 * exact.mass * v.norm());
  EXPECT_LT(sums.drift.norm(), 1e-8 * v.norm());
  EXPECT_LT(sums.shift.norm(), 1e-12);
}

TEST(LumpInertia, HasTheRatesOfItsSums) {
  const LumpInertia lumps(equations(), inertia_of(beam()));
  const Vector q = random_vector(rank, 0.5, 1), v = random_vector(rank, 1.0, 2);
  const LumpSums sums = lumps.at(q, v);
  const double slope = test::remainder_slope(
      [&](double h) {
        const Vector moved = q + h * v;
        return (lumps.at(moved).shift - sums.shift - h * sums.drift).norm();
      },
      sums.shift.norm());
  EXPECT_GT(slope, 1.9);
  Matrix3X drift, swirl;
  lumps.rows(q, drift, swirl);
  EXPECT_LT((drift * v - sums.drift).norm(), 1e-12 * sums.drift.norm());
  EXPECT_LT((swirl * v - sums.swirl).norm(), 1e-12 * sums.swirl.norm());
}

TEST(LumpInertia, StaysPositiveInAnyShape) {
  const LumpInertia lumps(equations(), inertia_of(beam()));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Matrix3 inertia = lumps.at(random_vector(rank, 20.0, seed)).inertia;
    const Vector3 x = Vector3(random_vector(3, 1.0, seed + 100));
    EXPECT_GT(x.dot(inertia * x), 0.0);
  }
}

TEST(WarpedFlight, KeepsMomentumToTheBitAndEnergyToRounding) {
  for (const double bending : {0.0, 0.05, 1.0}) {
    Body body = shaken(bending);
    const TreeMomentum start = body.momentum();
    const double energy = internal_energy(body);
    const int steps = 4000;
    double most = 0.0, least = energy;
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(body.step(frame).ok()) << i;
      most = std::max(most, internal_energy(body));
      least = std::min(least, internal_energy(body));
    }
    const TreeMomentum end = body.momentum();
    EXPECT_EQ(end.linear, start.linear);
    EXPECT_EQ(end.angular, start.angular);
    EXPECT_LE(most, (1.0 + 1e-9) * energy) << bending;
    EXPECT_GE(least, (1.0 - 1e-3) * energy) << bending;
    EXPECT_LE((end.center - start.center - steps * frame * start.linear / start.mass).norm(), 1e-9);
  }
}

TEST(WarpedFlight, GainsNoEnergyAtStepsOfAnyLengthNorByAnyIntegrator) {
  for (const ModalIntegrator integrator :
       {ModalIntegrator::semi_implicit, ModalIntegrator::newmark, ModalIntegrator::exact}) {
    for (const double h : {1e-3, frame, 0.1}) {
      for (const double spin : {1.0, 10.0}) {
        Body body = flying();
        body.set_modal_settings({.integrator = integrator});
        body.set_velocity(Vector3::Zero(), spin * tumbling);
        const double energy = internal_energy(body);
        const TreeMomentum start = body.momentum();
        for (int i = 0; i < 100; ++i) {
          ASSERT_TRUE(body.step(h).ok());
          ASSERT_LE(internal_energy(body), (1.0 + 1e-9) * energy) << "h = " << h << ", step " << i;
        }
        EXPECT_EQ(body.momentum().angular, start.angular);
      }
    }
  }
}

TEST(WarpedFlight, GainsNoEnergyByCoriolisForcesOfItsLocalFrames) {
  for (const double bending : {0.05, 1.0}) {
    Body body = shaken(bending), plain = body;
    body.set_modal_settings({.coriolis = true});
    const TreeMomentum start = body.momentum();
    const double energy = internal_energy(body);
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(body.step(frame).ok() && plain.step(frame).ok());
      ASSERT_LE(internal_energy(body), (1.0 + 1e-9) * energy) << "step " << i;
    }
    EXPECT_EQ(body.momentum().angular, start.angular);
    EXPECT_NE(body.q(), plain.q());
  }
}

TEST(WarpedFlight, HasTheMomentumOfItsPoints) {
  Body body = shaken(0.02);
  advance(body, 10, 1e-3);
  const VolumeMesh& mesh = beam().simulation->mesh;
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
  const TreeMomentum now = body.momentum();
  const double share = 1000.0 / vertices_per_element(mesh.kind);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    // With the mass that a linear field has in a tetrahedron: a fifth of it at the corners, the rest in the
    // middle.
    const double mass = share * element_volume(mesh, e);
    Vector3 x = Vector3::Zero(), v = Vector3::Zero();
    for (const int vertex : mesh.elements.col(e)) {
      const Vector3 place = body.position(mesh_point(vertex)), velocity = body.velocity(mesh_point(vertex));
      x += 0.25 * place;
      v += 0.25 * velocity;
      angular += 0.2 * mass * (place - now.center).cross(velocity);
      linear += mass * velocity;
    }
    angular += 3.2 * mass * (x - now.center).cross(v);
  }
  EXPECT_LT((linear - now.linear).norm(), 1e-6 * now.linear.norm());
  EXPECT_LT((angular - now.angular).norm(), 0.02 * now.angular.norm());
}

TEST(WarpedFlight, SpinsStiffAsARigidBody) {
  Body body = flying(Method::warped, 1e5);
  const Vector3 spin(0.0, 0.0, 5.0);  // about the axis of its largest inertia
  body.set_velocity(Vector3::Zero(), spin);
  const Vector3 center = body.momentum().center, arm = body.position(tip()) - center;
  const double energy = internal_energy(body);
  const int steps = 600;
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(body.step(frame).ok());
  // Cayley's map turns by 2 atan(h w / 2) in a step.
  const double angle = steps * 2.0 * std::atan(0.5 * frame * spin.z());
  const Vector3 expected = center + rotation_matrix(Vector3(0.0, 0.0, angle)) * arm;
  EXPECT_LT((body.position(tip()) - expected).norm(), 1e-2);
  EXPECT_NEAR(internal_energy(body), energy, 1e-9 * energy);
}

TEST(WarpedFlight, FallsWithoutFeelingIt) {
  Body body = flying();
  const Vector3 g(0.0, 1.0, -9.81), velocity(2.0, 0.0, 3.0);
  body.set_gravity(g);
  body.set_velocity(velocity);
  const Vector3 start = body.momentum().center;
  const int steps = 300;
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(body.step(frame).ok());
  const double t = steps * frame;
  EXPECT_LE((body.momentum().center - start - t * velocity - 0.5 * t * t * g).norm(), 1e-9);
  EXPECT_LT(body.q().norm(), 1e-12);
  EXPECT_NEAR(body.load_energy(), -body.momentum().mass * g.dot(body.momentum().center - start), 1e-6);
}

TEST(WarpedFlight, IsMovedAndTurnedByAForceAsTheReducedBody) {
  const Vector3 force(0.0, 3.0, 1.0);
  Body warped = flying(Method::warped, 10.0), reduced = flying(Method::reduced, 10.0);
  for (Body* body : {&warped, &reduced}) {
    body->set_force(tip(), force);
    advance(*body, 500, 1e-3);
  }
  const TreeMomentum now = warped.momentum(), expected = reduced.momentum();
  EXPECT_LT((now.linear - 0.5 * force).norm(), 1e-10);
  EXPECT_LT((now.angular - expected.angular).norm(), 0.01 * expected.angular.norm());
  const Vector3 way = reduced.position(tip()) - beam().surface.mesh.vertices.col(tip());
  EXPECT_LT((warped.position(tip()) - reduced.position(tip())).norm(), 0.01 * way.norm());
}

TEST(WarpedFlight, GetsTheEnergyThatAForceGives) {
  Body body = flying();
  body.set_force(tip(), Vector3(0.0, 3.0, 1.0));
  const double start = internal_energy(body) + body.load_energy();
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(body.step(5e-3).ok());
    const double total = body.energy().elastic + body.energy().kinetic + body.load_energy();
    EXPECT_NEAR(total, start, 1e-9 * (body.energy().kinetic + 1e-3)) << i;
  }
  EXPECT_GT(body.energy().kinetic, 0.3);
}

TEST(WarpedFlight, TumblesAsTheReducedBody) {
  Body warped = flying(Method::warped, 10.0), reduced = flying(Method::reduced, 10.0);
  for (Body* body : {&warped, &reduced}) body->set_velocity(Vector3(0.5, 0.0, 0.2), tumbling);
  EXPECT_LT((warped.momentum().angular - reduced.momentum().angular).norm(),
            1e-6 * reduced.momentum().angular.norm());
  double worst = 0.0, way = 0.0;
  Vector3 last = reduced.position(tip());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(warped.step(1e-3).ok());
    ASSERT_TRUE(reduced.step(1e-3).ok());
    worst = std::max(worst, (warped.position(tip()) - reduced.position(tip())).norm());
    way += (reduced.position(tip()) - last).norm();
    last = reduced.position(tip());
  }
  EXPECT_GT(way, 2.0);
  EXPECT_LT(worst, 0.01 * way);
}

TEST(WarpedFlight, StretchesAsItSpins) {
  std::vector<double> longer;
  for (const Method method : {Method::warped, Method::reduced}) {
    Body body = flying(method);
    const int left = test::vertex_at(beam(), Vector3(0.0, 0.1, 0.0)),
              right = test::vertex_at(beam(), Vector3(1.0, 0.1, 0.0));
    const double rest = (body.position(left) - body.position(right)).norm();
    body.set_damping({0.0, 0.02});  // which slows no body down that keeps its shape
    body.set_velocity(Vector3::Zero(), Vector3(0.0, 0.0, 8.0));
    const Vector3 angular = body.momentum().angular;
    advance(body, 1000, 2e-3);
    EXPECT_LT((body.momentum().angular - angular).norm(), 1e-9 * angular.norm());
    longer.push_back((body.position(left) - body.position(right)).norm() / rest - 1.0);
  }
  EXPECT_GT(longer[1], 1e-3);
  EXPECT_NEAR(longer[0], longer[1], 0.1 * longer[1]);
}

TEST(WarpedFlight, HasVelocitiesOfItsPositions) {
  Body body = shaken(0.1);
  advance(body, 20, 1e-3);
  Body later = body;
  const double h = 1e-7;
  const Vector3 v = body.velocity(5), x = body.position(5);
  advance(later, 1, h);
  EXPECT_LT((later.position(5) - x - h * v).norm(), 1e-3 * h * v.norm());
}

TEST(WarpedFlight, GoesOnFromTheSameMotionWhereItsMethodChanges) {
  Body body = flying(Method::reduced, 10.0);
  body.set_velocity(Vector3(1.0, 0.5, -0.2), tumbling);
  advance(body, 100, 1e-3);
  const TreeState state = body.state();
  const TreeMomentum momentum = body.momentum();
  const Vector3 place = body.position(tip()), velocity = body.velocity(tip());
  for (const Method method : {Method::warped, Method::reduced, Method::warped}) {
    body.set_method(method);
    const TreeState now = body.state();
    EXPECT_EQ(now.q, state.q);
    EXPECT_EQ(now.v, state.v);
    EXPECT_EQ(now.root.position, state.root.position);
    EXPECT_EQ(now.root.rotation.coeffs(), state.root.rotation.coeffs());
    EXPECT_EQ(now.root.velocity, state.root.velocity);
    EXPECT_EQ(now.root.angular_velocity, state.root.angular_velocity);
    EXPECT_LT((body.position(tip()) - place).norm(), 1e-4);
    EXPECT_LT((body.velocity(tip()) - velocity).norm(), 1e-2);
    EXPECT_LT((body.momentum().linear - momentum.linear).norm(), 1e-3 * momentum.linear.norm());
    EXPECT_LT((body.momentum().angular - momentum.angular).norm(), 1e-2 * momentum.angular.norm());
  }
  advance(body, 100, 1e-3);
}

TEST(WarpedFlight, IsSavedRestoredAndCopiedToTheBit) {
  Body body = shaken(0.1);
  body.set_gravity({0.0, 0.0, -9.81});
  body.set_wind({.velocity = Vector3(3.0, 1.0, 0.0), .gusts = 0.3});
  TimedLoads loads;
  loads.forces.push_back({{tip()}, Vector3(0.0, 0.0, 2.0), 0.013, 0.262});
  body.set_timed_loads(loads);
  Body other = body;
  advance(body, 10, frame);
  Body copy = body;
  StateWriter out;
  body.save(out);
  StateReader in(out.bytes(), "state");
  other.restore(in);
  in.finish();
  for (Body* one : {&body, &copy, &other}) advance(*one, 20, frame);
  for (const Body* one : {&copy, &other}) {
    EXPECT_EQ(one->q(), body.q());
    EXPECT_EQ(one->v(), body.v());
    EXPECT_EQ(one->state().root.position, body.state().root.position);
    EXPECT_EQ(one->state().root.rotation.coeffs(), body.state().root.rotation.coeffs());
    EXPECT_EQ(one->momentum().angular, body.momentum().angular);
    EXPECT_EQ(one->position(tip()), body.position(tip()));
  }
}

TEST(WarpedFlight, IsResetToWhereItWasMade) {
  Body body = shaken(0.1);
  advance(body, 10);
  body.reset();
  EXPECT_EQ(body.time(), 0.0);
  EXPECT_LT((body.position(tip()) - beam().surface.mesh.vertices.col(tip())).norm(), 1e-6);
  EXPECT_LT(body.energy().kinetic + body.energy().elastic, 1e-20);
  EXPECT_LT(body.frame().position.norm(), 1e-12);
}

TEST(WarpedFlight, IsSlowedDownByTheWorldWhereItsMassIsDamped) {
  for (const Method method : {Method::warped, Method::reduced}) {
    Body body = flying(method, 10.0);
    body.set_damping({0.7, 0.0});
    body.set_velocity(Vector3(1.0, 0.0, 0.0), tumbling);
    const TreeMomentum start = body.momentum();
    advance(body, 1000, 1e-3);
    const double left = std::exp(-0.7);
    EXPECT_LT((body.momentum().linear - left * start.linear).norm(), 1e-3 * start.linear.norm());
    EXPECT_LT((body.momentum().angular - left * start.angular).norm(), 1e-2 * start.angular.norm());
  }
}

TEST(WarpedFlight, IsPulledAndLetGo) {
  Body body = flying();
  const Vector3 start = body.position(tip());
  const Spring spring{tip(), start + Vector3(0.0, 0.0, 0.5), 100.0};
  body.set_springs({&spring, 1});
  double last = 0.5 * spring.stiffness * 0.25;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(body.step(5e-3).ok());
    const double stretch = (body.position(tip()) - spring.target).squaredNorm();
    const double total = body.energy().elastic + body.energy().kinetic + 0.5 * spring.stiffness * stretch;
    EXPECT_LE(total, 1.02 * last);  // soft springs give back what they lost before
    last = total;
  }
  EXPECT_GT(body.position(tip()).z(), start.z() + 0.01);
  EXPECT_GT(body.momentum().linear.z(), 0.1);
  body.set_springs({});
  const TreeMomentum before = body.momentum();
  const double energy = internal_energy(body);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(body.step(5e-3).ok());
    ASSERT_LE(internal_energy(body), (1.0 + 1e-9) * energy);
  }
  EXPECT_EQ(body.momentum().linear, before.linear);
  EXPECT_EQ(body.momentum().angular, before.angular);
}

TEST(WarpedFlight, SwingsOnASoftSpringAsTheReducedBody) {
  std::vector<Vector3> places;
  for (const Method method : {Method::warped, Method::reduced}) {
    Body body = flying(method, 10.0);
    const Spring spring{tip(), body.position(tip()) + Vector3(0.0, 0.0, 0.1), 200.0};
    body.set_springs({&spring, 1});
    advance(body, 400, 1e-3);
    places.push_back(body.position(tip()) - spring.target);
  }
  EXPECT_LT((places[0] - places[1]).norm(), 0.02);
}

TEST(WarpedFlight, EndsWhereAStiffSpringHoldsIt) {
  for (const double stiffness : {1e3, 1e6, 1e9}) {
    Body body = flying();
    body.set_damping({5.0, 0.0});
    const Spring spring{tip(), body.position(tip()) + Vector3(0.3, 0.0, 0.5), stiffness};
    body.set_springs({&spring, 1});
    advance(body, 600, frame);
    EXPECT_LT((body.position(tip()) - spring.target).norm(), 1e-3) << stiffness;
  }
}

/// Whatever they do, its energy is finite, and it gains none once they let go.
TEST(WarpedFlight, SurvivesRoughHands) {
  for (const double h : {2e-3, frame}) {
    Body body = flying();
    Random random(7);
    for (int episode = 0; episode < 2; ++episode) {
      Spring pull{tip(), body.position(tip()), 1e6};
      for (int i = 0; i < 60; ++i) {
        if (i % 10 == 0) pull.target += Vector3(random.normal(), random.normal(), random.normal());
        body.set_springs({&pull, 1});
        ASSERT_TRUE(body.step(h).ok());
        ASSERT_TRUE(std::isfinite(body.energy().elastic + body.energy().kinetic));
      }
      body.set_springs({});
      const double energy = internal_energy(body);
      for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(body.step(h).ok());
        ASSERT_LE(internal_energy(body), (1.0 + 1e-9) * energy) << "h = " << h << ", episode " << episode;
      }
    }
  }
}

TEST(WarpedFlight, IsLedByAHandle) {
  Body body = flying();
  Handle handle{.point = tip(), .position = body.position(tip())};
  for (int i = 0; i < 100; ++i) {
    handle.position.z() += 0.005;
    body.set_handles({&handle, 1});
    ASSERT_TRUE(body.step(frame).ok());
    EXPECT_TRUE(body.handle_report().met) << i << ": " << body.handle_report().position_error;
  }
  EXPECT_GT(body.momentum().center.z(), 0.1);
  handle.hold_orientation = true;
  EXPECT_NE(error_text([&] { body.set_handles({&handle, 1}); }).find("no orientations"), std::string::npos);
  body.set_handles({});
  const TreeMomentum thrown = body.momentum();
  advance(body, 30, frame);
  EXPECT_EQ(body.momentum().linear, thrown.linear);
}

TEST(WarpedFlight, HasNoEquilibrium) {
  Body body = flying();
  EXPECT_NE(error_text([&] { (void)body.solve_static(); }).find("nothing holds the body"), std::string::npos);
}

TEST(WarpedFlight, AllocatesNothingInAWarmStep) {
  Body body = shaken(0.02);
  body.set_gravity({0.0, 0.0, -9.81});
  body.set_force(tip(), Vector3(0.0, 0.1, 0.0));
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  const auto steps = [&] {
    for (int i = 0; i < 3; ++i) (void)body.step(2e-3);
    body.positions(x);
  };
  steps();
  EXPECT_EQ(test::allocations_of(steps), 0);
  const Spring spring{tip(), body.position(tip()), 10.0};
  body.set_springs({&spring, 1});
  steps();
  EXPECT_EQ(test::allocations_of(steps), 0);
}

TEST(Wind, CarriesAFreeBodyAlong) {
  std::vector<Vector3> ways;
  for (const Method method : {Method::warped, Method::reduced}) {
    Body body = flying(method);
    body.set_wind({.velocity = Vector3(0.0, 30.0, 0.0)});
    const Vector3 start = body.momentum().center;
    advance(body, 300, 0.01);
    ways.push_back(body.momentum().center - start);
    EXPECT_GT(body.momentum().linear.y() / body.momentum().mass, 1.0);
    EXPECT_LT(body.momentum().linear.y() / body.momentum().mass, 30.0);
  }
  EXPECT_LT((ways[0] - ways[1]).norm(), 0.02 * ways[1].norm());
}

TEST(Wind, BendsABodyThatIsHeldAndLetsItGo) {
  std::vector<double> bent;
  for (const Method method : {Method::warped, Method::reduced}) {
    Body body(make_model(test::bar_model(), false));
    body.set_method(method);
    body.set_damping({20.0, 0.01});
    const Vector3 start = body.position(test::tip());
    body.set_wind({.velocity = Vector3(0.0, 5.0, 0.0)});
    advance(body, 400);
    bent.push_back((body.position(test::tip()) - start).y());
    body.set_wind({});
    advance(body, 400);
    EXPECT_LT((body.position(test::tip()) - start).norm(), 0.01 * bent.back());
  }
  EXPECT_GT(bent[1], 1e-3);
  EXPECT_NEAR(bent[0], bent[1], 0.05 * bent[1]);
}

TEST(Wind, GoesOnWithTheSameBitsAfterABreak) {
  Body body = test::warped_bar();
  body.set_wind({.velocity = Vector3(2.0, 20.0, 0.0), .gusts = 0.5});
  Body other = body;
  advance(body, 10);
  StateWriter out;
  body.save(out);
  StateReader in(out.bytes(), "state");
  other.restore(in);
  for (Body* one : {&body, &other}) advance(*one, 20);
  EXPECT_EQ(body.q(), other.q());
  EXPECT_EQ(body.v(), other.v());
}

/// However light it is: c h / m is from 0.01 to 10. With a handle, too, while which steps are others.
TEST(Wind, BringsAHeldBodyToWhereStaticsFindIt) {
  constexpr double h = 0.02;
  const Wind wind{.velocity = Vector3(0.0, 10.0, 0.0), .gusts = 0.0};
  for (const double share : {0.01, 0.3, 1.0, 10.0}) {
    Body still = test::warped_bar();
    const double drag = 0.5 * wind.density * wind.coefficient * 0.25 * surface_area(still.surface().mesh()) *
                        wind.velocity.norm();
    const double density = drag * h / share / (0.2 * 0.15);
    for (const Index region : {0, 1}) still.set_material(region, test::material("stvk", 4e5, 0.3, density));
    still.set_damping({20.0, 0.01});
    still.set_wind(wind);
    Body blown = still, held = still;
    ASSERT_TRUE(still.solve_static().ok());
    const Handle handle{test::tip(), true, false, still.position(test::tip())};
    held.set_handles({&handle, 1});
    for (const int iterations : {1, 10}) {
      for (Body one : {blown, held}) {
        advance(one, 400, h, iterations);
        // Natural modes are normalised by mass: q has the same size, whatever that is.
        EXPECT_LT((one.q() - still.q()).norm(), 1e-3 * still.q().norm()) << share << ", " << iterations;
      }
    }
  }
}

}  // namespace
}  // namespace limber::warped_flight_test
