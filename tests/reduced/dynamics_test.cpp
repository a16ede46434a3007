#include "limber/linalg/symmetric_solve.hpp"
#include "tests/reduced/swing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::dynamics_test {
namespace {

using test::bare_newmark;
using test::equations_of;
using test::iterate;
using test::random_vector;
using test::Swing;
using Kind = RayleighDamping::Stiffness;

double observed_order(const Swing& swing, double h, double duration, const ReducedStepOptions& options) {
  const Vector coarse = swing.run(h, duration, options).u, middle = swing.run(h / 2, duration, options).u,
               fine = swing.run(h / 4, duration, options).u;
  return std::log2((coarse - middle).norm() / (middle - fine).norm());
}

/// Barbic & James 2005, Appendix C, line by line.
DynamicState appendix_c(const ReducedEquations& equations, const RayleighDamping& damping, double beta,
                        double gamma, double dt, const Vector& f, const DynamicState& at, int iterations) {
  const double alpha1 = 1 / (beta * dt * dt), alpha2 = 1 / (beta * dt), alpha3 = (1 - 2 * beta) / (2 * beta),
               alpha4 = gamma / (beta * dt), alpha5 = 1 - gamma / beta,
               alpha6 = (1 - gamma / (2 * beta)) * dt;
  const Matrix& M = equations.mass;
  DynamicState next{at.time + dt, at.u, at.v, at.a};
  for (int j = 1; j <= iterations; ++j) {
    const test::Evaluation elastic = test::evaluate(equations, next.u);
    const Matrix& K = elastic.stiffness;
    const Matrix C = damping.mass * M + damping.stiffness * K;
    const Matrix A = alpha1 * M + alpha4 * C + K;
    const Vector residual = M * (alpha1 * (next.u - at.u) - alpha2 * at.v - alpha3 * at.a) +
                            C * (alpha4 * (next.u - at.u) + alpha5 * at.v + alpha6 * at.a) + elastic.force -
                            f;
    next.u += solve_symmetric(A, -residual);
  }
  next.v = alpha4 * (next.u - at.u) + alpha5 * at.v + alpha6 * at.a;
  next.a = alpha1 * (next.u - at.u) - alpha2 * at.v - alpha3 * at.a;
  return next;
}

TEST(ReducedNewmark, WithOneIterationIsAppendixCOfThePaperForAnyBetaAndGamma) {
  Swing swing;
  swing.damping = {0.2, 0.05, Kind::local};
  swing.load = random_vector(6, 1.0, 3);
  for (const auto& [beta, gamma] : std::vector<std::pair<double, double>>{
           {0.25, 0.5}, {1.0 / 6.0, 0.5}, {0.3025, 0.6}, {0.5, 1.0}, {0.1, 0.0}}) {
    ReducedStepOptions options = bare_newmark();
    options.newmark.beta = beta;
    options.newmark.gamma = gamma;
    ReducedWorkspace work = swing.workspace();
    DynamicState state = swing.at_start(work);
    state.v = random_vector(6, 1.0, 4);
    for (int i = 0; i < 5; ++i) {
      const DynamicState expected =
          appendix_c(swing.equations, swing.damping, beta, gamma, 0.05, swing.load, state, 1);
      const SolveReport report = step(work, 0.05, swing.load, state, options);
      ASSERT_TRUE(report.ok());
      EXPECT_EQ(report.iterations, 1);
      EXPECT_EQ(state.time, expected.time);
      EXPECT_LT((state.u - expected.u).norm(), 1e-12 * expected.u.norm());
      EXPECT_LT((state.v - expected.v).norm(), 1e-10 * expected.v.norm());
      EXPECT_LT((state.a - expected.a).norm(), 1e-9 * expected.a.norm());
    }
  }
}

TEST(ReducedNewmark, ConvergesToTheSolutionOfAppendixC) {
  Swing swing;
  swing.damping = {0.2, 0.02, Kind::local};
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work);
  const DynamicState expected =
      appendix_c(swing.equations, swing.damping, 0.25, 0.5, 0.05, swing.load, state, 100);
  const SolveReport report = step(work, 0.05, swing.load, state, iterate());
  ASSERT_TRUE(report.ok());
  EXPECT_LE(report.residual, 1e-12);
  EXPECT_LT((state.u - expected.u).norm(), 1e-11 * expected.u.norm());
}

TEST(ReducedNewmark, IsOfSecondOrder) {
  for (const RayleighDamping& damping : {RayleighDamping{}, RayleighDamping{0.1, 0.05, Kind::local},
                                         RayleighDamping{0.1, 0.05, Kind::linear}}) {
    Swing swing;
    swing.damping = damping;
    EXPECT_NEAR(observed_order(swing, 0.01, 1.0, iterate()), 2.0, 0.1);
  }
}

TEST(ReducedNewmark, WithOneIterationIsOfSecondOrderButForLocalDamping) {
  Swing swing;
  EXPECT_NEAR(observed_order(swing, 0.01, 1.0, {}), 2.0, 0.1);
  swing.damping = {0.1, 0.05, Kind::linear};
  EXPECT_NEAR(observed_order(swing, 0.01, 1.0, {}), 2.0, 0.1);
  swing.damping = {0.1, 0.05, Kind::local};  // that of the start of the step, as in Appendix C
  EXPECT_NEAR(observed_order(swing, 0.01, 1.0, {}), 1.0, 0.15);
}

TEST(ReducedNewmark, IsOfFirstOrderWhereGammaIsNotOneHalf) {
  ReducedStepOptions options = iterate();
  options.newmark.beta = 0.5;
  options.newmark.gamma = 0.9;
  EXPECT_NEAR(observed_order(Swing(), 0.005, 1.0, options), 1.0, 0.1);
}

TEST(ReducedNewmark, FollowsALinearOscillatorAtItsDiscreteFrequency) {
  // Average acceleration turns the phase by 2 atan(omega h / 2) a step and keeps the amplitude.
  const Matrix K = Eigen::Vector2d(4.0, 25.0).asDiagonal();
  const ReducedEquations equations = equations_of(2, test::spring_energy(K));
  ReducedWorkspace work{ReducedSystem(equations)};
  DynamicState state = make_reduced_state(2);
  state.u << 1.0, -0.5;
  const Vector load = Vector::Zero(2);
  ASSERT_TRUE(balance(work, load, state).ok());
  const double h = 0.1;
  const int steps = 1000;
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(step(work, h, load, state, bare_newmark()).ok());
  EXPECT_NEAR(state.u(0), std::cos(steps * 2.0 * std::atan(0.5 * 2.0 * h)), 1e-10);
  EXPECT_NEAR(state.u(1), -0.5 * std::cos(steps * 2.0 * std::atan(0.5 * 5.0 * h)), 1e-10);
}

TEST(ReducedNewmark, KeepsTheEnergyWithinBoundsOverTenThousandSteps) {
  const Swing swing;
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work);
  const double start = total_energy(work, state);
  double lowest = start, highest = start;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(step(work, 0.05, swing.load, state, iterate()).ok()) << "step " << i;
    const double energy = total_energy(work, state);
    lowest = std::min(lowest, energy);
    highest = std::max(highest, energy);
  }
  EXPECT_GT(lowest, 0.9 * start);
  EXPECT_LT(highest, 1.1 * start);
}

TEST(ReducedNewmark, TakesTwoHalfStepsWhereAWholeOneFails) {
  Swing swing;
  swing.start *= 3.0;
  ReducedStepOptions options = iterate(3);
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work);
  options.max_halvings = 0;
  options.last_resort = false;
  ASSERT_EQ(step(work, 2.0, swing.load, state, options).status, SolveStatus::not_converged);
  options.max_halvings = 6;
  const SolveReport report = step(work, 2.0, swing.load, state, options);
  EXPECT_TRUE(report.ok());
  EXPECT_GT(report.iterations, 6);
  EXPECT_EQ(state.time, 2.0);
}

TEST(ReducedNewmark, StepsThroughAStiffnessThatIsIndefinite) {
  // Two coordinates that buckle: the matrix of the step has a negative eigenvalue at the start.
  Matrix K = Matrix::Identity(2, 2);
  K(1, 1) = -100.0;
  Vector energy = test::spring_energy(K);
  energy(monomial_index(2, 2, 2, 2)) = 25.0;  // -50 q^2 + 25 q^4: two wells at q = +-1
  const ReducedEquations equations = equations_of(2, energy);
  ReducedWorkspace work{ReducedSystem(equations, {1.0, 0.0, Kind::local})};
  DynamicState state = make_reduced_state(2);
  state.u << 0.5, 1e-3;
  const Vector load = Vector::Zero(2);
  ASSERT_TRUE(balance(work, load, state).ok());
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(step(work, 0.25, load, state, iterate()).ok()) << "step " << i;
  EXPECT_NEAR(std::abs(state.u(1)), 1.0, 1e-3);
  EXPECT_NEAR(state.u(0), 0.0, 1e-3);
}

TEST(ReducedNewmark, StaysAtRestWithoutALoad) {
  const Swing swing;
  ReducedWorkspace work = swing.workspace();
  DynamicState state = make_reduced_state(6);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(step(work, 0.1, swing.load, state).ok());
  EXPECT_EQ(state.u, Vector::Zero(6));
}

TEST(CentralDifferencesReduced, AreOfSecondOrderAndAgreeWithNewmark) {
  Swing swing;
  for (const RayleighDamping& damping : {RayleighDamping{}, RayleighDamping{0.1, 0.0, Kind::local}}) {
    swing.damping = damping;
    ReducedStepOptions options;
    options.integrator = Integrator::central_differences;
    if (damping.mass == 0.0) {
      EXPECT_NEAR(observed_order(swing, 0.01, 1.0, options), 2.0, 0.1);
    }
    const Vector explicit_u = swing.run(1e-3, 1.0, options).u, implicit_u = swing.run(1e-3, 1.0).u;
    EXPECT_LT((explicit_u - implicit_u).norm(), 1e-3 * implicit_u.norm());
  }
}

TEST(CentralDifferencesReduced, BlowUpBeyondTheCriticalTimeStepAndNotBelow) {
  const Matrix K = Eigen::Vector3d(1.0, 10.0, 50.0).asDiagonal();
  const ReducedEquations equations = equations_of(3, test::spring_energy(K), 2.0 * Matrix::Identity(3, 3));
  EXPECT_NEAR(critical_timestep(equations), 0.4, 1e-13);
  ReducedStepOptions options;
  options.integrator = Integrator::central_differences;
  for (const RayleighDamping& damping : {RayleighDamping{}, RayleighDamping{1.0, 0.05, Kind::local}}) {
    for (const double share : {0.99, 1.01}) {
      ReducedWorkspace work{ReducedSystem(equations, damping)};
      DynamicState state = make_reduced_state(3);
      state.u = Vector::Ones(3);
      const Vector load = Vector::Zero(3);
      ASSERT_TRUE(balance(work, load, state).ok());
      const double start = total_energy(work, state);
      for (int i = 0; i < 400; ++i) {
        ASSERT_TRUE(step(work, share * critical_timestep(equations, damping), load, state, options).ok());
      }
      if (share < 1.0) {
        EXPECT_LT(total_energy(work, state), 100.0 * start);
      } else {
        EXPECT_GT(total_energy(work, state), 1e3 * start);
      }
    }
  }
}

TEST(CriticalTimestep, IsInfiniteWithoutStiffness) {
  EXPECT_EQ(critical_timestep(equations_of(2, Vector::Zero(monomial_count(2)))),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace limber::dynamics_test
