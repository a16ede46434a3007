#include "tests/reduced/swing.hpp"

#include <gtest/gtest.h>

namespace limber::damping_test {
namespace {

using test::equations_of;
using test::iterate;
using test::random_vector;
using test::Swing;
using Kind = RayleighDamping::Stiffness;

TEST(ReducedNewmark, LosesEnergyToDampingAsTheoryPredicts) {
  // q'' + (alpha + beta omega^2) q' + omega^2 q = 0 decays like exp(-(alpha + beta omega^2) t / 2).
  const Matrix K = Matrix::Constant(1, 1, 9.0);
  const ReducedEquations equations = equations_of(1, test::spring_energy(K));
  for (const Kind kind : {Kind::local, Kind::linear}) {
    ReducedWorkspace work{ReducedSystem(equations, {0.1, 0.02, kind})};
    DynamicState state = make_reduced_state(1);
    state.u << 1.0;
    const Vector load = Vector::Zero(1);
    ASSERT_TRUE(balance(work, load, state).ok());
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(step(work, 0.005, load, state).ok());
    const double c = 0.1 + 0.02 * 9.0, omega = std::sqrt(9.0 - 0.25 * c * c), t = state.time;
    const double expected =
        std::exp(-0.5 * c * t) * (std::cos(omega * t) + 0.5 * c / omega * std::sin(omega * t));
    EXPECT_NEAR(state.u(0), expected, 2e-4);
  }
}

TEST(ReducedNewmark, LosesEnergyWithDampingEveryStep) {
  Swing swing;
  swing.damping = {0.1, 0.05, Kind::local};
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work);
  const double start = total_energy(work, state);
  double before = start;
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(step(work, 0.02, swing.load, state, iterate()).ok()) << "step " << i;
    const double energy = total_energy(work, state);
    EXPECT_LT(energy, before) << "step " << i;
    before = energy;
  }
  EXPECT_LT(before, 0.2 * start);
  EXPECT_GT(before, 0.0);
}

TEST(ReducedNewmark, ConvergesQuadraticallyWithLocalDamping) {
  // The residual after each iteration, by asking for one more every time.
  Swing swing;
  swing.damping = {0.0, 0.5, Kind::local};
  const auto residual_after = [&](int iterations, bool exact) {
    ReducedSystem system(swing.equations, swing.damping);
    system.exact_damping = exact;
    NewmarkWorkspace memory;
    DynamicState state = make_reduced_state(6);
    state.u = swing.start;
    state.v = random_vector(6, 3.0, 7);
    NewmarkOptions options;
    options.max_iterations = iterations;
    options.tolerance = 0.0;
    return newmark_step(system, 0.2, swing.load, state, memory, options).residual;
  };
  const double second = residual_after(2, true), third = residual_after(3, true),
               fourth = residual_after(4, true);
  EXPECT_LT(third, 10.0 * second * second);
  EXPECT_LT(fourth, std::max(10.0 * third * third, 1e-14));
  EXPECT_LT(third, 1e-4);
  EXPECT_GT(residual_after(3, false), 10.0 * third);  // without the derivative it is linear
}

TEST(ReducedNewmark, ConvergesToTheLastDigitsThatRoundingLeaves) {
  Swing swing;
  swing.damping = {0.1, 0.05, Kind::local};
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work);
  for (int i = 0; i < 100; ++i) {
    const SolveReport report = step(work, 0.02, swing.load, state, iterate(12, 0.0));
    ASSERT_TRUE(report.ok()) << "step " << i << ", residual " << report.residual;
    EXPECT_LT(report.residual, 1e-12);
  }
}

}  // namespace
}  // namespace limber::damping_test
