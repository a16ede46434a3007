#include "limber/base/error.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "limber/warp/rotation.hpp"
#include "limber/warp/warped_dynamics.hpp"
#include "tests/support/slope.hpp"
#include "tests/warp/warped_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace limber::dynamics_test {
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

TEST(ModalLoad, OfAForceDoesItsWorkOnTheDisplacementThatIsSeen) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  const WarpSite tip = body.site_near(tip_place);
  const Vector3 force(10.0, 20.0, -5.0);
  const WarpedState state = some_state(body);
  dynamics.set_forces({{tip, force}});
  dynamics.set_state(state);
  const Vector expected = tip.derivative(state.q).transpose() * force;
  EXPECT_LT((load_of(dynamics) - expected).norm(), 1e-12 * expected.norm());
  Vector load;
  EXPECT_NEAR(dynamics.modal_load(load), -force.dot(tip.displacement(state.q)), 1e-12 * force.norm());
}

TEST(ModalLoad, OfATurningPlaceIsThatOfThePaper) {
  // A mode that moves a place across and turns it: d/dq of q sin(psi q) / (psi q) is cos(psi q), as R^T F has
  // it.   [Choi & Ko 2005, Eq. 18]
  WarpedEquations equations;
  equations.shapes = Matrix::Identity(1, 1);
  equations.stiffness = Vector::Ones(1);
  equations.damping = Vector::Zero(1);
  equations.lump_mass = Vector::Constant(1, 2.0);
  equations.centers = Matrix3X::Zero(3, 1);
  equations.moments = 2.0 * Vector3::UnitY();
  equations.rotations = 1.5 * Vector3::UnitZ();
  equations.size = 1.0;
  for (const double q : {0.0, 0.1, 0.5, 1.2, 3.0}) {
    WarpedDynamics dynamics(equations);
    const Vector3 g(0.7, -9.81, 2.0);
    dynamics.set_gravity(g);
    dynamics.set_state({0.0, Vector::Constant(1, q), Vector::Zero(1)});
    const double expected =
        2.0 * Vector3::UnitY().dot(rotation_matrix(1.5 * q * Vector3::UnitZ()).transpose() * g);
    EXPECT_NEAR(load_of(dynamics)(0), expected, 1e-13 * g.norm()) << q;
  }
}

TEST(ModalLoad, IsWhatItsPotentialFallsBy) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  dynamics.set_gravity(standard_gravity);
  dynamics.set_forces({{body.site_near(tip_place), Vector3(10.0, 20.0, -5.0)}});
  dynamics.set_frame_motion(
      {.acceleration = Vector3(3.0, 0.0, 1.0), .angular_velocity = Vector3(0.5, 1.0, 2.0)});
  for (const double share : {0.1, 1.0, 3.0}) {
    WarpedState state = some_state(body);
    state.q *= share;
    state.v.setZero();
    dynamics.set_state(state);
    Vector load;
    const double potential = dynamics.modal_load(load);
    const Vector direction = test::random_vector(10, 0.1, 5);
    const auto remainder = [&](double h) {
      WarpedDynamics there = dynamics;
      there.set_state({0.0, state.q + h * direction, state.v});
      Vector ignored;
      return std::abs(there.modal_load(ignored) - potential + h * load.dot(direction));
    };
    EXPECT_NEAR(test::remainder_slope(remainder, std::abs(potential)), 2.0, 0.1) << share;
  }
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

TEST(StaticEquilibrium, IsWhereTheNextStepBegins) {
  const WarpedBody body = warped_beam();
  WarpedDynamics moved(body.equations), resting(body.equations);
  for (WarpedDynamics* one : {&moved, &resting}) one->set_gravity(standard_gravity);
  for (int i = 0; i < 10; ++i) moved.step(0.01);
  ASSERT_TRUE(moved.solve_static().ok());
  resting.set_state({moved.state().time, moved.state().q, moved.state().v});
  moved.step(0.01);
  resting.step(0.01);
  EXPECT_EQ(moved.state().q, resting.state().q);
  EXPECT_EQ(moved.state().v, resting.state().v);
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

/// Energy of a body at its present state, that of the loads included.
double energy_of(const WarpedDynamics& dynamics) {
  Vector load;
  return dynamics.kinetic_energy() + dynamics.elastic_energy() + dynamics.modal_load(load);
}

class LetGo : public testing::TestWithParam<ModalIntegrator> {};

TEST_P(LetGo, ABodyUnderGravityAndAForceGainsNoEnergyAtStepsOfAnyLength) {
  const WarpedBody body = warped_beam();
  for (const double h : {1e-3, 1.0 / 240.0, 1.0 / 60.0, 0.1}) {
    WarpedDynamics dynamics(body.equations, {.integrator = GetParam()});
    dynamics.set_gravity(standard_gravity);
    dynamics.set_forces({{body.site_near(tip_place), Vector3(10.0, 20.0, -5.0)}});
    const double before = energy_of(dynamics);
    double most = 0.0;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_TRUE(dynamics.step(h).met);
      most = std::max(most, dynamics.kinetic_energy() + dynamics.elastic_energy());
      ASSERT_LE(energy_of(dynamics), before + 1e-9 * most) << "h = " << h << ", step " << i;
    }
  }
}

TEST_P(LetGo, AGentleSwingUnderGravityNeedsNoRescue) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations, {.integrator = GetParam()});
  dynamics.set_gravity(0.1 * standard_gravity);
  for (int i = 0; i < 2000; ++i) ASSERT_FALSE(dynamics.step(1.0 / 240.0).rescued) << i;
}

INSTANTIATE_TEST_SUITE_P(Integrators, LetGo,
                         testing::Values(ModalIntegrator::semi_implicit, ModalIntegrator::newmark,
                                         ModalIntegrator::exact),
                         name_of_integrator);

TEST(LetGo, ASwingUnderGravityIsFollowedToSecondOrder) {
  const WarpedBody body = warped_beam(4);
  const auto end = [&](int steps) {
    WarpedDynamics dynamics(body.equations);
    dynamics.set_gravity(standard_gravity);
    for (int i = 0; i < steps; ++i) dynamics.step(0.25 / steps);
    return dynamics.state().q;
  };
  const Vector exact = end(8000);
  EXPECT_NEAR(std::log2((end(250) - exact).norm() / (end(500) - exact).norm()), 2.0, 0.1);
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
}  // namespace limber::dynamics_test
