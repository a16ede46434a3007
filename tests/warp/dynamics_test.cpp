#include "limber/base/error.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "limber/warp/rotation.hpp"
#include "limber/warp/warped_dynamics.hpp"
#include "tests/warp/warped_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace limber {
namespace {

using test::load_of;
using test::some_state;
using test::standard_gravity;
using test::warped_beam;
using test::WarpedBody;

const RayleighDamping some_damping{0.5, 0.002};
const Vector3 tip_place(1.0, 0.0, 0.0);

TEST(ModalLoad, OfGravityAtRestIsTheWeight) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  const Vector3 g(1.0, -2.0, 3.0);
  dynamics.set_gravity(g);
  const Vector weight = body.equations.shapes.transpose() * make_equations(body.model).weight * g;
  EXPECT_LT((load_of(dynamics) - weight).norm(), 1e-10 * weight.norm());
}

TEST(ModalLoad, OfAForceKeepsItsDirectionWhileTheVertexTurns) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  const WarpSite tip = body.site_near(tip_place);
  const Vector3 force(10.0, 20.0, -5.0);
  const WarpedState state = some_state(body);
  dynamics.set_forces({{tip, force}});
  dynamics.set_state(state);
  const Vector expected = tip.shape.transpose() * rotation_matrix(tip.rotation(state.q)).transpose() * force;
  EXPECT_LT((load_of(dynamics) - expected).norm(), 1e-12 * expected.norm());
}

TEST(LinearModes, KnowNoRotation) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations, {.warp = false, .coriolis = true});
  dynamics.set_gravity(standard_gravity);
  dynamics.set_forces({{body.site_near(tip_place), Vector3(0.0, 3.0, 1.0)}});
  const Vector at_rest = load_of(dynamics);
  dynamics.set_state(some_state(body));
  EXPECT_LT((load_of(dynamics) - at_rest).norm(), 1e-12 * at_rest.norm());
  ASSERT_TRUE(dynamics.solve_static().ok());
  const Vector expected = at_rest.cwiseQuotient(body.equations.stiffness);
  EXPECT_LT((dynamics.state().q - expected).norm(), 1e-9 * expected.norm());
}

TEST(LinearModes, AreConstrainedLinearly) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  WarpedDynamics dynamics(body.equations, {.warp = false});
  dynamics.set_constraints({.positions = {tip}, .orientations = {tip}});
  const Vector3 move(0.0, 0.1, 0.4);
  dynamics.constraints().set_position(0, tip.rest + move);
  const ConstraintReport report = dynamics.step(1.0 / 60.0);
  EXPECT_TRUE(report.met) << report.position_error << " m, " << report.orientation_error << " rad";
  EXPECT_LT((tip.shape * dynamics.state().q - move).norm(), 1e-9);
  EXPECT_LT((tip.turn * dynamics.state().q).norm(), 1e-9);
}

TEST(SmallMotion, OfWarpedModesIsThatOfLinearOnesToSecondOrder) {
  const WarpedBody body = warped_beam();
  const auto difference = [&](double share) {
    WarpedDynamics warped(body.equations), linear(body.equations, {.warp = false});
    for (WarpedDynamics* one : {&warped, &linear}) {
      one->set_gravity(share * standard_gravity);
      for (int i = 0; i < 30; ++i) one->step(1.0 / 60.0);
    }
    const WarpSite tip = body.site_near(tip_place);
    return (tip.displacement(warped.state().q) - tip.shape * linear.state().q).norm();
  };
  EXPECT_NEAR(std::log2(difference(0.02) / difference(0.01)), 2.0, 0.1);
}

TEST(StaticEquilibrium, IsWhereDampedMotionEnds) {
  const WarpedBody body = warped_beam(10, 40, {20.0, 0.02});
  WarpedDynamics moving(body.equations), resting(body.equations);
  for (WarpedDynamics* one : {&moving, &resting}) {
    one->set_gravity(standard_gravity);
    one->set_forces({{body.site_near(tip_place), Vector3(0.0, 20.0, 0.0)}});
    one->set_frame_motion(
        {.angular_velocity = Vector3(0.0, 0.0, 1.0), .angular_acceleration = Vector3(0.5, 0.0, 0.0)});
  }
  for (int i = 0; i < 4000; ++i) moving.step(1.0 / 60.0);
  const SolveReport report = resting.solve_static();
  ASSERT_TRUE(report.ok()) << name_of(report.status) << ", residual " << report.residual;
  EXPECT_LE(report.iterations, 12);
  EXPECT_LE(report.residual, 1e-10);
  EXPECT_LT((moving.state().q - resting.state().q).norm(), 1e-7 * resting.state().q.norm());
  EXPECT_GT(resting.state().q.norm() * body.site_near(tip_place).shape.norm(), 0.1);  // far from small
}

TEST(StaticEquilibrium, IsFoundQuadratically) {
  // With a wrong derivative of the loads Newton's method would gain a constant factor per iteration alone.
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  dynamics.set_gravity(standard_gravity);
  dynamics.set_frame_motion({.angular_velocity = Vector3(0.5, 1.0, 2.0)});
  const SolveReport coarse = dynamics.solve_static(1e-3);
  ASSERT_TRUE(coarse.ok());
  const SolveReport fine = dynamics.solve_static(1e-12);
  ASSERT_TRUE(fine.ok());
  EXPECT_LE(fine.iterations, 3);
}

TEST(StaticEquilibrium, WithoutLoadsIsRest) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  dynamics.set_state(some_state(body));
  ASSERT_TRUE(dynamics.solve_static().ok());
  EXPECT_LT(dynamics.state().q.norm(), 1e-9);
  EXPECT_EQ(dynamics.state().v.norm(), 0.0);
}

TEST(StaticEquilibrium, ThatIsNotFoundLeavesTheState) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  const WarpedState state = some_state(body);
  dynamics.set_state(state);
  dynamics.set_gravity(standard_gravity);
  EXPECT_FALSE(dynamics.solve_static(1e-10, 1).ok());
  EXPECT_EQ(dynamics.state().q, state.q);
  EXPECT_EQ(dynamics.state().v, state.v);
}

class ConstrainedMotion : public testing::TestWithParam<ModalIntegrator> {};

TEST_P(ConstrainedMotion, MeetsMovingTargetsAtEachStep) {
  const WarpedBody body = warped_beam(14, 40, some_damping);
  const WarpSite tip = body.site_near(tip_place);
  WarpedDynamics dynamics(body.equations, {.integrator = GetParam()});
  dynamics.set_gravity(standard_gravity);
  dynamics.set_constraints({.positions = {tip}, .orientations = {tip}});
  const double h = 1.0 / 60.0;
  int most = 0;
  for (int i = 1; i <= 300; ++i) {
    const double t = i * h;
    // The tip goes round on the ground of its reach while it is bent and twisted.
    const double bend = 0.5 * std::sin(2.0 * t), side = 0.4 * std::sin(3.0 * t);
    dynamics.constraints().set_position(
        0, tip.rest + Vector3(-0.3 * (bend * bend + side * side), 0.6 * side, -0.6 * bend));
    dynamics.constraints().set_orientation(
        0, Eigen::Quaterniond(Eigen::AngleAxisd(1.0 * std::sin(t), Vector3::UnitX()) *
                              Eigen::AngleAxisd(bend, Vector3::UnitY()) *
                              Eigen::AngleAxisd(side, Vector3::UnitZ())));
    const ConstraintReport report = dynamics.step(h);
    most = std::max(most, report.iterations);
    ASSERT_LT(report.position_error, 1e-8 * body.equations.size) << "step " << i;
    ASSERT_LT(report.orientation_error, 1e-6) << "step " << i;
    ASSERT_TRUE(report.met);
  }
  EXPECT_LE(most, 30);
  EXPECT_LT(dynamics.kinetic_energy() + dynamics.elastic_energy(), 1e4);
}

TEST_P(ConstrainedMotion, OfAHeldVertexComesToRest) {
  const WarpedBody body = warped_beam(10, 40, {2.0, 0.01});
  const WarpSite tip = body.site_near(tip_place);
  WarpedDynamics dynamics(body.equations, {.integrator = GetParam()});
  dynamics.set_gravity(standard_gravity);
  dynamics.set_constraints({.positions = {tip}});
  dynamics.constraints().set_position(0, tip.rest + Vector3(-0.05, 0.1, 0.3));
  for (int i = 0; i < 1200; ++i) dynamics.step(1.0 / 60.0);
  const WarpedState before = dynamics.state();
  dynamics.step(1.0 / 60.0);
  EXPECT_LT((dynamics.state().q - before.q).norm(), 1e-8 * before.q.norm());
  EXPECT_LT((tip.derivative(before.q) * before.v).norm(), 1e-6);
}

std::string name_of_integrator(const testing::TestParamInfo<ModalIntegrator>& info) {
  switch (info.param) {
    case ModalIntegrator::semi_implicit:
      return "semi_implicit";
    case ModalIntegrator::newmark:
      return "newmark";
    case ModalIntegrator::exact:
      return "exact";
  }
  return "unknown";
}
INSTANTIATE_TEST_SUITE_P(Integrators, ConstrainedMotion,
                         testing::Values(ModalIntegrator::semi_implicit, ModalIntegrator::newmark,
                                         ModalIntegrator::exact),
                         name_of_integrator);

TEST(WarpedDynamics, ConstraintsStartWhereTheSitesAre) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  WarpedDynamics dynamics(body.equations);
  WarpedState state = some_state(body);
  state.q *= 4.0;  // beyond half a turn
  dynamics.set_state(state);
  dynamics.set_constraints({.positions = {tip}, .orientations = {tip}});
  EXPECT_EQ(dynamics.constraints().position_error(0, state.q), 0.0);
  EXPECT_EQ(dynamics.constraints().orientation_error(0, state.q), 0.0);
}

TEST(WarpedDynamics, ConstraintsThatAreLetGoChangeNothingMore) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  WarpedDynamics held(body.equations), free(body.equations);
  held.set_constraints({.positions = {tip}});
  held.constraints().set_position(0, tip.rest + Vector3(0.0, 0.0, 0.1));
  for (int i = 0; i < 10; ++i) held.step(0.01);
  free.set_state(held.state());
  held.set_constraints({});
  EXPECT_TRUE(held.constraints().empty());
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(held.step(0.01).iterations, 0);
    free.step(0.01);
  }
  EXPECT_EQ(held.state().q, free.state().q);
}

TEST(WarpedDynamics, FreeVibrationKeepsItsEnergyByTheIntegratorsThatDoNotDamp) {
  const WarpedBody body = warped_beam();
  for (const ModalIntegrator integrator : {ModalIntegrator::newmark, ModalIntegrator::exact}) {
    WarpedDynamics dynamics(body.equations, {.integrator = integrator});
    dynamics.set_state(some_state(body));
    const double before = dynamics.elastic_energy() + dynamics.kinetic_energy();
    for (int i = 0; i < 500; ++i) dynamics.step(0.01);
    EXPECT_NEAR((dynamics.elastic_energy() + dynamics.kinetic_energy()) / before, 1.0, 1e-9);
    EXPECT_NEAR(dynamics.state().time, 5.0, 1e-12);
  }
}

TEST(WarpedDynamics, LeavesTheStateWhereNumbersOverflow) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  const double huge = std::numeric_limits<double>::max();
  dynamics.set_state({0.0, Vector::Constant(10, huge), Vector::Constant(10, huge)});
  const ConstraintReport report = dynamics.step(1.0);
  EXPECT_FALSE(report.met);
  EXPECT_EQ(dynamics.state().q, Vector::Constant(10, huge));
  EXPECT_EQ(dynamics.state().time, 0.0);
}

TEST(WarpedDynamics, RefusesWhatCannotBe) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  const Vector3 nan = Vector3::Constant(std::nan(""));
  EXPECT_THROW(dynamics.step(0.0), Error);
  EXPECT_THROW(dynamics.step(std::nan("")), Error);
  EXPECT_THROW(dynamics.set_gravity(nan), Error);
  EXPECT_THROW(dynamics.set_frame_motion({.angular_velocity = nan}), Error);
  EXPECT_THROW(dynamics.set_forces({{body.site_near(tip_place), nan}}), Error);
  EXPECT_THROW(dynamics.set_forces({{WarpSite{}, Vector3::Zero()}}), Error);
  EXPECT_THROW(dynamics.set_constraints({.positions = {body.site_near(Vector3::Zero())}}), Error);
  EXPECT_THROW(dynamics.set_state({0.0, Vector::Zero(9), Vector::Zero(10)}), Error);
  EXPECT_THROW(dynamics.set_state({0.0, Vector::Zero(10), Vector::Constant(10, std::nan(""))}), Error);
  EXPECT_TRUE(dynamics.constraints().empty());
}

}  // namespace
}  // namespace limber
