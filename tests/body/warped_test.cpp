// Body moved by warped modes.

#include "limber/warp/warped_dynamics.hpp"
#include "tests/body/bar.hpp"
#include "tests/reduced/allocations.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <utility>

namespace limber::warped_test {
namespace {

using test::advance;
using test::bar_model;
using test::bar_rank;
using test::bent;
using test::error_text;
using test::random_vector;
using test::warped_bar;

const Vector3 down(0.0, 0.0, -9.81);

/// R~ of a rotation vector by its definition: the mean of the rotations from none to all of it. Boole's rule,
/// exact to 1e-12.
Matrix3 mean_of_rotations(const Vector3& w) {
  constexpr int panels = 64;
  Matrix3 sum = Matrix3::Zero();
  for (int i = 0; i <= 4 * panels; ++i) {
    const double weight = i % 4 == 0 ? (i == 0 || i == 4 * panels ? 7.0 : 14.0) : (i % 4 == 2 ? 12.0 : 32.0);
    const double x = i / (4.0 * panels);
    sum += weight / (90.0 * panels) * Eigen::AngleAxisd(x * w.norm(), w.normalized()).toRotationMatrix();
  }
  return sum;
}

TEST(WarpedBody, StepsAsWarpedDynamicsDo) {
  Body body = warped_bar();
  const RayleighDamping damping{0.2, 0.001};
  WarpedDynamics dynamics(make_warped_equations(bar_model(), bar_model().materials(), {.damping = damping}));
  const Vector3 force(0.0, 3.0, 1.0);
  body.set_damping(damping);
  body.set_gravity(down);
  body.set_force(test::tip(), force);
  dynamics.set_gravity(down);
  dynamics.set_forces({{surface_site(bar_model(), dynamics.equations(), test::tip()), force}});
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(dynamics.step(0.01).met);
    ASSERT_TRUE(body.step(0.01).ok());
  }
  const Vector q = dynamics.equations().shapes * dynamics.state().q,
               v = dynamics.equations().shapes * dynamics.state().v;
  EXPECT_GT(q.norm(), 0.1);
  EXPECT_LT((body.state().q - q).norm(), 1e-12 * q.norm());
  EXPECT_LT((body.state().v - v).norm(), 1e-12 * v.norm());
  EXPECT_NEAR(body.state().time, 0.5, 1e-12);
}

TEST(WarpedBody, GoesOnFromTheSameStateWhereItsMethodChanges) {
  Body body(make_model(bar_model(), false));
  EXPECT_EQ(body.method(), Method::reduced);
  const Vector q = 0.01 * bent(), v = random_vector(bar_rank, 0.1, 4);
  body.set_state(q, v);
  for (const Method method : {Method::warped, Method::linear, Method::warped, Method::reduced}) {
    body.set_method(method);
    EXPECT_EQ(body.method(), method);
    EXPECT_EQ(body.state().q, q);
    EXPECT_EQ(body.state().v, v);
  }
}

TEST(WarpedBody, HasTheAccelerationOfItsNewMethodWhereThatChanges) {
  Body body(make_model(bar_model(), false)), fresh = body;
  const Vector q = bent(), v = Vector::Zero(bar_rank);
  body.set_state(q, v);
  for (const Method method : {Method::warped, Method::reduced, Method::linear}) {
    body.set_method(method);
    fresh.set_method(method);
    fresh.set_state(q, v);
    EXPECT_LT((body.state().a - fresh.state().a).norm(), 1e-12 * fresh.state().a.norm());
  }
}

TEST(WarpedBody, KeepsItsStateWhereMaterialsDampingAndRankChange) {
  Body body = warped_bar();
  const Vector q = bent(), v = random_vector(bar_rank, 0.1, 4);
  body.set_state(q, v);
  Material heavy = body.material(1);
  heavy.density *= 2.0;
  body.set_material(1, heavy);
  body.set_damping({0.1, 0.001});
  body.set_rank(7);
  EXPECT_EQ(body.method(), Method::warped);
  EXPECT_EQ(body.state().q, q.head(7));
  EXPECT_EQ(body.state().v, v.head(7));
  // Its modes are others now; the energies tell whether their amplitudes fit.
  Body twin(make_model(bar_model(), false));
  twin.set_material(1, heavy);
  twin.set_rank(7);
  twin.set_method(Method::linear);
  twin.set_state(q.head(7), v.head(7));
  EXPECT_NEAR(body.energy().elastic, twin.energy().elastic, 1e-10 * twin.energy().elastic);
  EXPECT_NEAR(body.energy().kinetic, twin.energy().kinetic, 1e-10 * twin.energy().kinetic);
}

TEST(WarpedBody, TurnsItsVerticesByTheMeanOfAllRotations) {
  Body body = warped_bar();
  for (const Index rank : {bar_rank, Index{5}}) {
    body.set_rank(rank);
    const Vector q = bent().head(rank);
    body.set_state(q, Vector::Zero(rank));
    const ReducedModel& model = body.model().parts.front().model;
    const Index n = model.surface.mesh.vertex_count();
    Eigen::Matrix3Xf x(3, n);
    body.positions(x);
    double largest = 0.0;
    for (int vertex = 0; vertex < n; ++vertex) {
      const Index row = 3 * Index{vertex};
      const Vector3 u = model.surface.basis.block(row, 0, 3, rank).cast<double>() * q;
      const Vector3 w = model.warp->surface_rotations.block(row, 0, 3, rank).cast<double>() * q;
      const Vector3 expected = model.surface.mesh.vertices.col(vertex) + mean_of_rotations(w) * u;
      EXPECT_LT((body.position(vertex) - expected).norm(), 1e-11);
      EXPECT_LT((x.col(vertex).cast<double>() - expected).norm(), 3e-6);
      EXPECT_LT(test::angle_between(body.orientation(vertex), test::turn(w.norm(), w)), 1e-12);
      EXPECT_NEAR(body.orientation(vertex).norm(), 1.0, 1e-14);
      largest = std::max(largest, w.norm());
    }
    EXPECT_GT(largest, 0.5);
  }
}

TEST(WarpedBody, IsNotTurnedByOtherMethods) {
  Body body = warped_bar();
  body.set_state(bent(), Vector::Zero(bar_rank));
  body.set_method(Method::reduced);
  EXPECT_EQ(body.orientation(test::tip()).coeffs(), Eigen::Quaterniond::Identity().coeffs());
  body.set_method(Method::linear);  // whose vertices turn, but are not moved by that
  const Vector3 u = bar_model().surface.basis.middleRows<3>(3 * Index{test::tip()}).cast<double>() * bent();
  EXPECT_LT((body.position(test::tip()) - bar_model().surface.mesh.vertices.col(test::tip()) - u).norm(),
            1e-13);
}

TEST(WarpedBody, IsPickedWhereItsWarpedSurfaceIs) {
  Body body = warped_bar();
  body.set_state(bent(), Vector::Zero(bar_rank));
  const Vector3 corner = body.position(test::tip()), inside = body.position(test::middle());
  const std::optional<Pick> pick = body.pick(corner + (corner - inside), inside - corner);
  ASSERT_TRUE(pick);
  EXPECT_EQ(pick->vertex, test::tip());
  EXPECT_NEAR(pick->distance, 1.0, 1e-4);
}

TEST(WarpedBody, HasTheEnergiesOfTheLinearModel) {
  Body body = warped_bar(), linear(make_model(bar_model(), false));
  linear.set_method(Method::linear);
  const Vector q = bent(), v = random_vector(bar_rank, 1.0, 4);
  for (Body* one : {&body, &linear}) one->set_state(q, v);
  EXPECT_NEAR(body.energy().elastic, linear.energy().elastic, 1e-10 * linear.energy().elastic);
  EXPECT_NEAR(body.energy().kinetic, linear.energy().kinetic, 1e-10 * linear.energy().kinetic);
}

TEST(WarpedBody, VibratesExactlyWhereItsStepsIterate) {
  Body body = warped_bar();
  const Vector shape = body.mode_shape(2);
  const double omega = 2.0 * std::numbers::pi * body.frequencies()(2), h = 0.4 / omega;
  const auto error = [&](int iterations) {
    body.reset();
    body.set_state(shape, Vector::Zero(bar_rank));
    advance(body, 30, h, iterations);
    return (body.state().q - std::cos(30.0 * omega * h) * shape).norm() / shape.norm();
  };
  EXPECT_LT(error(2), 1e-11);
  EXPECT_GT(error(1), 1e-3);  // Newmark's step is of second order
  EXPECT_LT(error(20), 1e-11);
}

TEST(WarpedBody, FeelsAnAcceleratedSupportAsGravity) {
  const Vector3 g(1.0, 2.0, -9.81);
  Body falling = warped_bar(), carried = warped_bar();
  falling.set_gravity(g);
  carried.set_support([&](double t) { return Pose{-0.5 * t * t * g}; });
  for (Body* one : {&falling, &carried}) advance(*one, 20, 0.01, 2);
  EXPECT_GT(falling.state().q.norm(), 0.1);
  EXPECT_LT((falling.state().q - carried.state().q).norm(), 1e-9 * falling.state().q.norm());
  const double t = carried.time();
  const Vector3 apart = carried.position(test::tip()) - falling.position(test::tip());
  EXPECT_LT((apart + 0.5 * t * t * g).norm(), 1e-9);
  carried.set_support(nullptr);
  carried.reset();
  advance(carried, 1);
  EXPECT_EQ(carried.state().q, Vector::Zero(bar_rank));  // the support is at rest again
}

TEST(WarpedBody, BalancesTheForcesWhereItsStateIsSet) {
  Body body = warped_bar(), linear(make_model(bar_model(), false));
  linear.set_method(Method::linear);
  const Vector tiny = 1e-9 * bent(), v = 1e-3 * bent();  // where rotations do not matter yet
  for (Body* one : {&body, &linear}) {
    one->set_damping({0.3, 0.001});
    one->set_gravity(down);
    one->set_force(test::tip(), Vector3(1.0, 2.0, 3.0));
    one->set_state(tiny, v);
  }
  EXPECT_LT((body.state().a - linear.state().a).norm(), 1e-6 * linear.state().a.norm());
}

TEST(WarpedBody, GoesBackToItsStartOnReset) {
  Body body = warped_bar();
  body.set_gravity(down);
  advance(body, 10);
  const Vector first = body.state().q;
  body.reset();
  EXPECT_EQ(body.state().q, Vector::Zero(bar_rank));
  EXPECT_EQ(body.state().time, 0.0);
  EXPECT_EQ(body.energy().kinetic, 0.0);
  advance(body, 10);
  EXPECT_EQ(body.state().q, first);
}

TEST(WarpedBody, ComesToRestWhereSpringsAndItsStiffnessBalance) {
  Body warped = warped_bar(), linear(make_model(bar_model(), false));
  linear.set_method(Method::linear);
  const Vector3 rest = warped.position(test::tip()),
                pull(0.0, 1e-5, 2e-5);  // where rotations do not matter yet
  for (Body* one : {&warped, &linear}) {
    const Spring spring{test::tip(), rest + pull, one->stiffness_at(test::tip())};
    one->set_damping({20.0, 0.01});
    one->set_springs({&spring, 1});
    advance(*one, 2000, 0.01);
  }
  const Vector3 reached = linear.position(test::tip()) - rest;
  EXPECT_GT(reached.norm(), 0.3 * pull.norm());
  EXPECT_LT((warped.position(test::tip()) - rest - reached).norm(), 1e-3 * reached.norm());
}

TEST(WarpedBody, FollowsSpringsOfAnyStiffnessAtAnyStep) {
  for (const double stiffness : {1e-3, 1.0, 1e4, 1e9}) {
    for (const double h : {1e-4, 1e-2, 0.3}) {
      Body body = warped_bar();
      const Vector3 target = body.position(test::tip()) + Vector3(-0.1, 0.2, 0.3);
      const Spring spring{test::tip(), target, stiffness * body.stiffness_at(test::tip())};
      body.set_gravity(down);
      body.set_springs({&spring, 1});
      advance(body, 300, h);
      EXPECT_TRUE(body.q().allFinite());
      EXPECT_LT(body.q().norm(), 50.0) << stiffness << " " << h;
      if (stiffness >= 1e9) {
        EXPECT_LT((body.position(test::tip()) - target).norm(), 1e-6);
      }
      body.set_gravity(Vector3::Zero());
      body.set_springs({});
      advance(body, 1, h);
      const double let_go = body.energy().elastic + body.energy().kinetic;
      advance(body, 200, h);
      EXPECT_LE(body.energy().elastic + body.energy().kinetic, let_go * (1.0 + 1e-9));
    }
  }
}

TEST(WarpedBody, KeepsWhatAnotherMethodTakesAndLetsGoOfTheRest) {
  Body body = warped_bar();
  const std::vector<Spring> springs{{test::tip(), Vector3::Ones(), 10.0}};
  const Handle handle{.point = test::middle(), .position = body.position(test::middle())};
  const Handle turned{test::tip(), false, true};
  body.set_springs(springs);
  body.set_handles(std::vector<Handle>{handle, turned});
  body.set_method(Method::reduced);
  EXPECT_EQ(body.loads().springs, springs);
  ASSERT_EQ(body.loads().handles.size(), 1);
  EXPECT_EQ(body.loads().handles.front().point, handle.point);
  advance(body, 3);
  EXPECT_GT(body.q().norm(), 0.0);
}

TEST(WarpedBody, NeedsAModelThatKnowsItsRotations) {
  ReducedModel model = bar_model();
  model.warp.reset();
  Body body(make_model(model, false));
  EXPECT_NE(error_text([&] { body.set_method(Method::warped); }).find("bar has no rotations"),
            std::string::npos);
  EXPECT_EQ(body.method(), Method::reduced);
  advance(body, 1);
}

TEST(WarpedBody, StaysAsItWasWhereACallIsRefused) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  Body body = warped_bar(), twin = warped_bar();
  for (Body* one : {&body, &twin}) {
    one->set_gravity(down);
    one->set_support([](double t) { return Pose{Vector3::Zero(), test::turn(t, Vector3::UnitZ())}; });
    advance(*one, 3);
  }
  Material broken = body.material(0);
  broken.density = -1.0;
  const std::vector<std::function<void()>> refusals{
      [&] { body.set_material(0, broken); },
      [&] {
        body.set_damping({nan, 0.0});
      },
      [&] { body.set_rank(0); },
      [&] { body.set_gravity(Vector3(nan, 0.0, 0.0)); },
      [&] { body.set_force(-1, Vector3::Ones()); },
      [&] { body.set_force(test::tip(), Vector3(0.0, nan, 0.0)); },
      [&] { body.set_support([&](double) { return Pose{Vector3(infinity, 0.0, 0.0)}; }); },
      [&] { body.set_state(Vector::Zero(3), Vector::Zero(3)); },
      [&] { body.set_state(Vector::Constant(bar_rank, nan), Vector::Zero(bar_rank)); },
      [&] { body.set_state(Vector::Constant(bar_rank, 1e307), Vector::Zero(bar_rank)); },
      [&] { (void)body.step(0.0); },
      [&] { (void)body.step(nan); },
      [&] { (void)body.orientation(-1); },
  };
  for (std::size_t i = 0; i < refusals.size(); ++i) EXPECT_NE(error_text(refusals[i]), "") << "call " << i;
  for (Body* one : {&body, &twin}) advance(*one, 3);
  EXPECT_EQ(body.state().q, twin.state().q);
  EXPECT_EQ(body.state().v, twin.state().v);
}

TEST(WarpedBody, IsLeftAsItWasByAStepThatFails) {
  Body body = warped_bar();
  body.set_gravity(down);
  advance(body, 3);
  const Vector q = body.state().q;
  body.set_gravity(Vector3::Constant(1e308));
  const SolveReport report = body.step(1e3);
  EXPECT_EQ(report.status, SolveStatus::not_finite);
  EXPECT_EQ(body.state().q, q);
  EXPECT_NEAR(body.state().time, 0.03, 1e-15);
  body.set_gravity(down);
  advance(body, 1);
}

TEST(WarpedBody, AllocatesNothingInAWarmStep) {
  Body body = warped_bar();
  body.set_damping({0.1, 0.001});
  body.set_gravity(down);
  body.set_force(test::tip(), Vector3::Ones());
  Eigen::Matrix3Xf x(3, bar_model().surface.mesh.vertex_count());
  const auto frame = [&] {
    for (int i = 0; i < 3; ++i) (void)body.step(0.01);
    body.positions(x);
    (void)body.energy();
    (void)body.position(test::tip());
    (void)body.orientation(test::tip());
  };
  frame();
  EXPECT_EQ(test::allocations_of(frame), 0);
}

TEST(WarpedBody, AllocatesNothingWhereAStepIsRescued) {
  const ReducedModel& model = bar_model();
  WarpedDynamics dynamics(make_warped_equations(model, model.materials()));
  dynamics.set_gravity(down);
  for (int i = 0; i < 2; ++i) (void)dynamics.step(0.01);
  WarpedState state = dynamics.state();
  state.slack = -0.5 * dynamics.kinetic_energy();  // so much must go in the next step
  dynamics.set_state(state);
  ConstraintReport report;
  EXPECT_EQ(test::allocations_of([&] { report = dynamics.step(0.01); }), 0);
  EXPECT_TRUE(report.rescued);
}

}  // namespace
}  // namespace limber::warped_test
