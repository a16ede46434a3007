#pragma once

#include "tests/reduced/support.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::test {

/// Newmark's iteration to convergence.
inline ReducedStepOptions iterate(int max_iterations = 30, double tolerance = 1e-12) {
  return {.newmark = {.tolerance = tolerance, .max_iterations = max_iterations}};
}

/// One linearised step of Newmark's method as it is, whatever energy that may give.
inline ReducedStepOptions bare_newmark() { return {.newmark = {.max_iterations = 1, .guarded = false}}; }

/// A nonlinear body of six coordinates that is bent and let go.
struct Swing {
  ReducedEquations equations = equations_of(6, strain_energy(6, 1), some_mass(6));
  RayleighDamping damping = {};
  Vector start = random_vector(6, 0.8, 2);
  Vector load = Vector::Zero(6);

  [[nodiscard]] ReducedWorkspace workspace() const { return {ReducedSystem(equations, damping)}; }
  [[nodiscard]] DynamicState at_start(ReducedWorkspace& work) const {
    DynamicState state = make_reduced_state(6);
    state.u = start;
    EXPECT_TRUE(balance(work, load, state).ok());
    return state;
  }
  [[nodiscard]] DynamicState run(double h, double duration, const ReducedStepOptions& options = {}) const {
    ReducedWorkspace work = workspace();
    DynamicState state = at_start(work);
    const int steps = static_cast<int>(std::lround(duration / h));
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(step(work, h, load, state, options).ok()) << "step " << i;
    EXPECT_NEAR(state.time, duration, 1e-12);
    return state;
  }
};

}  // namespace limber::test
