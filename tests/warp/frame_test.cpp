#include "limber/warp/rotation.hpp"
#include "limber/warp/warped_dynamics.hpp"
#include "tests/warp/warped_body.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace limber::frame_test {
namespace {

using test::load_of;
using test::some_state;
using test::standard_gravity;
using test::warped_beam;
using test::WarpedBody;

constexpr double pi = std::numbers::pi;
const RayleighDamping some_damping{0.5, 0.002};

/// Positions of all vertices of the mesh.
Matrix3X positions_of(const WarpedBody& body, const Vector& q) {
  Matrix3X x = body.model.simulation->mesh.vertices;
  for (int v = 0; v < x.cols(); ++v) x.col(v) += body.site(v).displacement(q);
  return x;
}

TEST(ModalLoad, OfAFrameThatAcceleratesIsGravityTheOtherWay) {
  const WarpedBody body = warped_beam();
  WarpedDynamics falling(body.equations), pushed(body.equations);
  falling.set_state(some_state(body));
  pushed.set_state(some_state(body));
  const Vector3 a(1.0, -2.0, 3.0);
  falling.set_gravity(a);
  pushed.set_frame_motion({.acceleration = -a});
  EXPECT_EQ(load_of(falling), load_of(pushed));
  pushed.set_gravity(-a);
  EXPECT_EQ(load_of(pushed).norm(), 0.0);
}

TEST(ModalLoad, OfAFrameThatSpinsPullsOutwards) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  dynamics.set_frame_motion({.angular_velocity = Vector3(0.0, 0.0, 2.0)});
  Vector expected = Vector::Zero(10);
  for (Index i = 0; i < body.equations.lumps(); ++i) {
    const Vector3 x = body.equations.centers.col(i);
    expected += body.equations.moments.middleRows<3>(3 * i).transpose() * (4.0 * Vector3(x.x(), x.y(), 0.0));
  }
  EXPECT_LT((load_of(dynamics) - expected).norm(), 1e-12 * expected.norm());
}

TEST(ModalLoad, OfAFrameThatSpinsUpLagsBehind) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations);
  dynamics.set_frame_motion({.angular_acceleration = Vector3(0.0, 0.0, 3.0)});
  Vector expected = Vector::Zero(10);
  for (Index i = 0; i < body.equations.lumps(); ++i) {
    const Vector3 x = body.equations.centers.col(i);
    expected += body.equations.moments.middleRows<3>(3 * i).transpose() * (3.0 * Vector3(x.y(), -x.x(), 0.0));
  }
  EXPECT_LT((load_of(dynamics) - expected).norm(), 1e-12 * expected.norm());
}

TEST(ModalLoad, CoriolisForcesDoNoWork) {
  const WarpedBody body = warped_beam();
  const WarpedState moving = some_state(body), still{0.0, moving.q, Vector::Zero(10)};
  WarpedDynamics spinning(body.equations), plain(body.equations), local(body.equations, {.coriolis = true});
  spinning.set_frame_motion({.angular_velocity = Vector3(1.0, -2.0, 3.0)});
  spinning.set_state(moving);
  Vector force = load_of(spinning);
  spinning.set_state(still);
  force -= load_of(spinning);
  EXPECT_GT(force.norm(), 1.0);
  EXPECT_LT(std::abs(force.dot(moving.v)), 1e-12 * force.norm() * moving.v.norm());

  plain.set_state(moving);
  local.set_state(moving);
  force = load_of(local) - load_of(plain);
  EXPECT_GT(force.norm(), 1.0);
  EXPECT_LT(std::abs(force.dot(moving.v)), 1e-12 * force.norm() * moving.v.norm());
}

/// The option's term is  - Phi^T M R^T R' Phi q', with R' by differences along the motion.
TEST(ModalLoad, CoriolisTermIsThatOfTheTurningOfTheLocalFrames) {
  const WarpedBody body = warped_beam();
  const WarpedState state = some_state(body);
  WarpedDynamics dynamics(body.equations, {.coriolis = true});
  dynamics.set_state(state);
  Vector expected = Vector::Zero(10);
  const double h = 1e-5;
  for (Index i = 0; i < body.equations.lumps(); ++i) {
    const auto turn = body.equations.rotations.middleRows<3>(3 * i);
    const auto moment = body.equations.moments.middleRows<3>(3 * i);
    const auto R = [&](double t) { return rotation_matrix(turn * (state.q + t * state.v)); };
    const Matrix3 rate = (R(h) - R(-h)) / (2.0 * h);
    expected -=
        moment.transpose() * (R(0.0).transpose() * rate * (moment * state.v)) / body.equations.lump_mass(i);
  }
  EXPECT_LT((load_of(dynamics) - expected).norm(), 1e-6 * expected.norm());
}

/// The same body with the same modes, turned with its support.
WarpedBody rotated(const WarpedBody& body, const Matrix3& Q) {
  VolumeMesh mesh = body.model.simulation->mesh;
  const FullModel full(mesh, body.model.materials(), body.model.simulation->fixed);
  mesh.vertices = (Q * mesh.vertices).eval();
  const FullModel turned(std::move(mesh), body.model.materials(), body.model.simulation->fixed);
  Matrix basis = compute_linear_modes(full, body.model.rank).shapes;
  for (Index i = 0; i < basis.rows(); i += 3) basis.middleRows<3>(i) = (Q * basis.middleRows<3>(i)).eval();
  return test::make_warped_body(build_reduced_model(turned, basis), 0, some_damping);
}

TEST(RotatedSupport, GivesARotatedResult) {
  const WarpedBody body = warped_beam(10, 0, some_damping);
  const Matrix3 Q = test::some_rotation();
  const WarpedBody turned = rotated(body, Q);
  // In the axes of the frame gravity is turned back; in those of the world the body is turned.
  WarpedDynamics in_frame(body.equations), in_world(turned.equations);
  const FrameMotion motion{Vector3(1.0, 2.0, 0.0), Vector3(0.0, 0.5, 1.0), Vector3(0.3, 0.0, 0.0)};
  in_frame.set_gravity(Q.transpose() * standard_gravity);
  in_frame.set_frame_motion({Q.transpose() * motion.acceleration, Q.transpose() * motion.angular_velocity,
                             Q.transpose() * motion.angular_acceleration});
  in_world.set_gravity(standard_gravity);
  in_world.set_frame_motion(motion);
  const auto difference = [&] {
    const Matrix3X expected = Q * positions_of(body, in_frame.state().q);
    return (positions_of(turned, in_world.state().q) - expected).cwiseAbs().maxCoeff();
  };
  for (int i = 0; i < 60; ++i) {
    in_frame.step(1.0 / 60.0);
    in_world.step(1.0 / 60.0);
  }
  EXPECT_GT(
      (positions_of(body, in_frame.state().q) - body.model.simulation->mesh.vertices).cwiseAbs().maxCoeff(),
      0.05);
  EXPECT_LT(difference(), 1e-8);
  ASSERT_TRUE(in_frame.solve_static().ok());
  ASSERT_TRUE(in_world.solve_static().ok());
  EXPECT_LT(difference(), 1e-8);
}

/// Two modes along x and y of a point mass, alike, on a support that spins about z: the Foucault pendulum.
WarpedEquations pendulum(double frequency) {
  WarpedEquations equations;
  const double omega = 2.0 * pi * frequency;
  equations.shapes = Matrix::Identity(2, 2);
  equations.stiffness = Vector::Constant(2, omega * omega);
  equations.damping = Vector::Zero(2);
  equations.lump_mass = Vector::Ones(1);
  equations.centers = Matrix3X::Zero(3, 1);
  equations.moments = Matrix::Identity(3, 2);
  equations.rotations = Matrix::Zero(3, 2);
  equations.size = 1.0;
  return equations;
}

class SpinningFrame : public testing::TestWithParam<ModalIntegrator> {};

TEST_P(SpinningFrame, AddsNoEnergyToAPendulum) {
  for (const double frequency : {3.0, 30.0}) {
    for (const double turns : {0.2, 1.0, 2.5}) {  // per second
      WarpedDynamics dynamics(pendulum(frequency), {.integrator = GetParam()});
      const double spin = 2.0 * pi * turns;
      dynamics.set_frame_motion({.angular_velocity = Vector3(0.0, 0.0, spin)});
      dynamics.set_state({0.0, Eigen::Vector2d(0.1, 0.0), Vector::Zero(2)});
      // Without the work of the support: that of centrifugal forces is potential energy.
      const auto energy = [&] {
        return dynamics.elastic_energy() + dynamics.kinetic_energy() -
               0.5 * spin * spin * dynamics.state().q.squaredNorm();
      };
      const double before = energy();
      for (int i = 0; i < 1200; ++i) {
        dynamics.step(1.0 / 60.0);
        ASSERT_LT(energy(), 1.05 * before) << frequency << " Hz, " << turns << " turns/s, step " << i;
      }
      if (GetParam() != ModalIntegrator::semi_implicit && turns <= 1.0) {
        EXPECT_GT(energy(), 0.9 * before) << frequency << " Hz, " << turns << " turns/s";
      }
    }
  }
}

TEST_P(SpinningFrame, KeepsAWarpedBodyBounded) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations, {.integrator = GetParam()});
  dynamics.set_frame_motion({.angular_velocity = Vector3(0.0, 0.0, 2.0 * pi)});
  dynamics.set_state(some_state(body));
  const double before = dynamics.elastic_energy() + dynamics.kinetic_energy();
  for (int i = 0; i < 1200; ++i) {
    dynamics.step(1.0 / 60.0);
    ASSERT_LT(dynamics.elastic_energy() + dynamics.kinetic_energy(), 4.0 * before) << "step " << i;
  }
}

TEST_P(SpinningFrame, IsNotNeededForTheForcesOfLocalFramesToAddNoEnergy) {
  const WarpedBody body = warped_beam();
  WarpedDynamics dynamics(body.equations, {.integrator = GetParam(), .coriolis = true});
  dynamics.set_state(some_state(body));
  const double before = dynamics.elastic_energy() + dynamics.kinetic_energy();
  for (int i = 0; i < 1200; ++i) {
    dynamics.step(1.0 / 60.0);
    ASSERT_LT(dynamics.elastic_energy() + dynamics.kinetic_energy(), 1.05 * before) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, SpinningFrame,
                         testing::Values(ModalIntegrator::semi_implicit, ModalIntegrator::newmark,
                                         ModalIntegrator::exact));

/// The pendulum swings on in a plane of the world, which turns backwards in the frame: q = exp(-i spin t)
/// q_world.
TEST(SpinningPendulum, SwingsAsOneAtRestSeenFromTheFrameToSecondOrder) {
  const double omega = 2.0 * pi * 3.0, spin = 2.0 * pi, end = 1.0;
  // In the world: from (0.1, 0) with the velocity of the support, (0, 0.1 spin).
  const Eigen::Vector2d world(0.1 * std::cos(omega * end), 0.1 * spin * std::sin(omega * end) / omega);
  const Eigen::Vector2d expected = Eigen::Rotation2Dd(-spin * end) * world;
  const auto error = [&](int steps) {
    WarpedDynamics dynamics(pendulum(3.0), {.integrator = ModalIntegrator::newmark});
    dynamics.set_frame_motion({.angular_velocity = Vector3(0.0, 0.0, spin)});
    dynamics.set_state({0.0, Eigen::Vector2d(0.1, 0.0), Vector::Zero(2)});
    for (int i = 0; i < steps; ++i) dynamics.step(end / steps);
    return (dynamics.state().q - expected).norm();
  };
  EXPECT_LT(error(800), 1e-3);
  EXPECT_NEAR(std::log2(error(400) / error(800)), 2.0, 0.1);
}

}  // namespace
}  // namespace limber::frame_test
