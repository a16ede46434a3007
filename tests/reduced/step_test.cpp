#include "limber/integrators/halving.hpp"
#include "tests/reduced/swing.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace limber::step_test {
namespace {

using test::iterate;
using test::random_vector;
using test::Swing;
using Kind = RayleighDamping::Stiffness;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(ReducedStep, ThatFailsLeavesTheStateAsItWasToTheBit) {
  Swing swing;
  swing.damping = {0.1, 0.1, Kind::local};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ReducedStepOptions central;
  central.integrator = Integrator::central_differences;
  for (const ReducedStepOptions& options : {ReducedStepOptions{}, iterate(), central}) {
    for (const double force : {nan, infinity, 1e300}) {  // of the last, the energy is no number
      if (force == 1e300 && options.integrator == Integrator::central_differences) continue;  // knows none
      ReducedWorkspace work = swing.workspace();
      DynamicState state = swing.at_start(work);
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(step(work, 0.02, swing.load, state, options).ok());
      const DynamicState before = state;
      const SolveReport report = step(work, 0.02, force * Vector::Unit(6, 2), state, options);
      EXPECT_EQ(report.status, SolveStatus::not_finite) << "force " << force;
      EXPECT_TRUE(test::same_state(state, before)) << "force " << force;
      ASSERT_TRUE(step(work, 0.02, swing.load, state, options).ok());  // and it goes on from there
    }
  }
}

TEST(ReducedStep, OfCentralDifferencesThatLeavesTheRangeOfNumbersIsReported) {
  const Swing swing;
  ReducedStepOptions options;
  options.integrator = Integrator::central_differences;
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work), before = state;
  SolveReport report;
  for (int i = 0; i < 100 && report.ok(); ++i) {
    before = state;
    report = step(work, 50.0, swing.load, state, options);
  }
  EXPECT_EQ(report.status, SolveStatus::not_finite);
  EXPECT_TRUE(test::same_state(state, before));
}

TEST(ReducedStep, ThatDoesNotConvergeLeavesTheStateAsItWasToTheBit) {
  Swing swing;
  swing.start *= 3.0;
  ReducedStepOptions options = iterate(2, 1e-30);
  options.max_halvings = 2;
  options.last_resort = false;
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work);
  state.time = 0.1;
  const DynamicState before = state;
  EXPECT_EQ(step(work, 0.4, swing.load, state, options).status, SolveStatus::not_converged);
  EXPECT_TRUE(test::same_state(state, before));
}

TEST(ReducedStep, ThatDoesNotConvergeHoweverShortIsRescued) {
  Swing swing;
  swing.start *= 3.0;
  for (const int halvings : {0, 2}) {
    ReducedStepOptions options = iterate(2, 1e-30);
    options.max_halvings = halvings;
    ReducedWorkspace work = swing.workspace();
    DynamicState state = swing.at_start(work);
    const double start = total_energy(work, state);
    for (int i = 0; i < 50; ++i) {
      const SolveReport report = step(work, 0.4, swing.load, state, options);
      ASSERT_TRUE(report.ok()) << "step " << i;
      if (i == 0) {
        EXPECT_TRUE(report.rescued);
        EXPECT_LE(report.iterations, 3 * (2 * halvings + 1)) << "what follows a rescue is halved again";
      }
      EXPECT_LE(total_energy(work, state), start * (1.0 + 1e-12)) << "step " << i;
    }
    EXPECT_NEAR(state.time, 20.0, 1e-12);
  }
}

TEST(ReducedStep, IsNeverHalvedForANegativeNumberOfHalvings) {
  Swing swing;
  swing.start *= 3.0;
  ReducedStepOptions options = iterate(3);
  options.max_halvings = -1;
  options.last_resort = false;
  ReducedWorkspace work = swing.workspace();
  DynamicState state = swing.at_start(work);
  const SolveReport report = step(work, 2.0, swing.load, state, options);
  EXPECT_EQ(report.status, SolveStatus::not_converged);
  EXPECT_EQ(report.iterations, 3);
}

/// Parts of a step of length 1 whose first eighth has no solution but a report of `first`, where nothing
/// longer has one at all.
std::vector<double> parts_after(const SolveReport& first) {
  std::vector<double> taken;
  const auto advance = [&](double h, bool last) -> SolveReport {
    if (h > 0.125 && !last) return {SolveStatus::not_converged};
    taken.push_back(h);
    return taken.size() == 1 ? first : SolveReport{};
  };
  EXPECT_TRUE(step_by_halves(advance, 1.0, 3).ok());
  return taken;
}

TEST(StepByHalves, HalvesNoMoreOnceAPartCouldNotBeSolved) {
  EXPECT_EQ(parts_after({.rescued = true, .unsolved = true}), (std::vector<double>{0.125, 0.125, 0.25, 0.5}));
}

TEST(StepByHalves, HalvesOnAfterAPartThatWasSolvedButRescued) {
  EXPECT_EQ(parts_after({.rescued = true}), std::vector<double>(8, 0.125));
}

TEST(StepByHalves, TellsWhichPartsAreTheLastResort) {
  std::vector<std::pair<double, bool>> tried;
  const auto fails = [&](double h, bool last) -> SolveReport {
    tried.emplace_back(h, last);
    return {SolveStatus::not_converged, 1};
  };
  EXPECT_EQ(step_by_halves(fails, 1.0, 2).iterations, 3);
  EXPECT_EQ(tried, (std::vector<std::pair<double, bool>>{{1.0, false}, {0.5, false}, {0.25, true}}));
}

TEST(ReducedStep, RefusesWrongSizesStepsAndBeta) {
  const Swing swing;
  ReducedWorkspace work = swing.workspace();
  DynamicState state = make_reduced_state(6), small = make_reduced_state(5);
  ReducedStepOptions options;
  EXPECT_EQ(test::error_text([&] { (void)step(work, 0.1, Vector::Zero(5), state); }),
            "the reduced force has 5 entries, the reduced equations need 6");
  EXPECT_EQ(test::error_text([&] { (void)step(work, 0.1, swing.load, small); }),
            "the state has 5 displacements, 5 velocities and 5 accelerations, the reduced equations need 6");
  for (const double h : {0.0, -1.0, nan}) {
    EXPECT_EQ(test::error_text([&] { (void)step(work, h, swing.load, state); }),
              fmt::format("the time step is {} s, expected more than 0", h));
  }
  options.newmark.beta = 0.0;
  EXPECT_EQ(test::error_text([&] { (void)step(work, 0.1, swing.load, state, options); }),
            "Newmark's beta is 0, expected more than 0");
}

TEST(Balance, SetsTheAccelerationThatTheForcesCall) {
  Swing swing;
  swing.damping = {0.1, 0.2, Kind::local};
  ReducedWorkspace work = swing.workspace();
  DynamicState state = make_reduced_state(6);
  state.u = swing.start;
  state.v = random_vector(6, 1.0, 5);
  const Vector load = random_vector(6, 1.0, 6);
  ASSERT_TRUE(balance(work, load, state).ok());
  const test::Evaluation elastic = test::evaluate(swing.equations, state.u);
  const Matrix& M = swing.equations.mass;
  const Vector sum = M * state.a + (0.1 * M + 0.2 * elastic.stiffness) * state.v + elastic.force - load;
  EXPECT_LT(sum.norm(), 1e-13 * elastic.force.norm());
}

TEST(TotalEnergy, IsElasticAndKinetic) {
  const Swing swing;
  ReducedWorkspace work = swing.workspace();
  DynamicState state = make_reduced_state(6);
  state.u = swing.start;
  state.v = random_vector(6, 1.0, 5);
  const double expected =
      test::evaluate(swing.equations, state.u).energy + 0.5 * state.v.dot(swing.equations.mass * state.v);
  EXPECT_NEAR(total_energy(work, state), expected, 1e-13 * expected);
}

}  // namespace
}  // namespace limber::step_test
