#include "limber/reduced/cubature.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "tests/mesh/shapes.hpp"
#include "tests/reduced/allocations.hpp"
#include "tests/reduced/points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace limber::allocation_test {
namespace {

using test::allocations_of;
using test::equations_of;
using test::random_vector;
using Kind = RayleighDamping::Stiffness;

/// Enough to meet the blocked kernels of Eigen, of which the last start at 48, without the cost of a large
/// polynomial.
constexpr Index large_rank = 52;

/// Springs with a quartic term, cheap to make at any rank.
ReducedEquations springs(Index rank, double stiffness, const Matrix& mass) {
  Vector energy = test::spring_energy(stiffness * test::some_mass(rank));
  for (Index i = 1; i <= rank; ++i) energy(monomial_index(i, i, i, i)) = 100.0;
  return equations_of(rank, energy, mass);
}

TEST(AllocationCount, SeesEigenTheStandardLibraryAndLimber) {
  EXPECT_GE(allocations_of([] { Vector::Zero(100).eval().norm(); }), 1);
  EXPECT_GE(allocations_of([] { std::vector<int>(100, 1).at(1); }), 1);
  const ReducedEquations equations = springs(4, 1.0, Matrix::Identity(4, 4));
  EXPECT_GE(allocations_of([&] { ReducedSystem{equations}; }), 5);
}

TEST(WarmStep, AllocatesNothing) {
  ReducedStepOptions once, several, central;
  several.newmark.max_iterations = 10;
  central.integrator = Integrator::central_differences;
  for (const Index rank : {Index{5}, large_rank}) {
    for (const Matrix& mass : {Matrix(Matrix::Identity(rank, rank)), test::some_mass(rank)}) {
      const ReducedEquations equations = springs(rank, 1.0, mass);
      for (const Kind kind : {Kind::local, Kind::linear}) {
        for (const ReducedStepOptions& options : {once, several, central}) {
          ReducedWorkspace work{ReducedSystem(equations, {0.1, 0.01, kind})};
          DynamicState state = make_reduced_state(rank);
          const Vector load = random_vector(rank, 0.1, 1);
          ASSERT_TRUE(balance(work, load, state).ok());
          for (int i = 0; i < 2; ++i) ASSERT_TRUE(step(work, 1e-3, load, state, options).ok());
          EXPECT_EQ(allocations_of([&] {
                      for (int i = 0; i < 3; ++i) (void)step(work, 1e-3, load, state, options);
                      (void)balance(work, load, state);
                      (void)total_energy(work, state);
                    }),
                    0)
              << "rank " << rank;
        }
      }
    }
  }
}

TEST(WarmStep, OfCubatureAndWithoutMatricesAllocatesNothing) {
  ReducedStepOptions once, several, central;
  several.newmark.max_iterations = 10;
  central.integrator = Integrator::central_differences;
  for (const Index rank : {Index{5}, large_rank}) {
    const Matrix mass = test::some_mass(rank);
    const std::vector<ReducedEquations> bodies{
        springs(rank, 1.0, mass), equations_of(test::random_rule(rank, 20, 1), mass),
        equations_of(test::random_rule(rank, 20, 1, 0.1), Matrix::Identity(rank, rank))};
    for (const ReducedEquations& equations : bodies) {
      for (const Kind kind : {Kind::local, Kind::linear}) {
        for (const ReducedStepOptions& options : {once, several, test::matrix_free(once),
                                                  test::matrix_free(several), test::matrix_free(central)}) {
          ReducedWorkspace work{ReducedSystem(equations, {0.1, 0.01, kind})};
          DynamicState state = make_reduced_state(rank);
          const Vector load = random_vector(rank, 0.1, 1);
          ASSERT_TRUE(balance(work, load, state).ok());
          for (int i = 0; i < 2; ++i) ASSERT_TRUE(step(work, 1e-3, load, state, options).ok());
          EXPECT_EQ(allocations_of([&] {
                      for (int i = 0; i < 3; ++i) (void)step(work, 1e-3, load, state, options);
                      (void)step(work, 2e-3, load, state, options);  // another preconditioner
                      (void)total_energy(work, state);
                    }),
                    0)
              << "rank " << rank;
        }
      }
    }
  }
}

/// The first step that is rescued, and the cautious ones after it.
TEST(WarmStep, AllocatesNothingWhereItIsRescued) {
  for (const Index rank : {Index{5}, large_rank}) {
    const std::vector<ReducedEquations> bodies{
        springs(rank, 1.0, test::some_mass(rank)),
        equations_of(test::random_rule(rank, 20, 1), Matrix::Identity(rank, rank)),
        equations_of(test::random_rule(rank, 20, 1, 0.1), Matrix::Identity(rank, rank))};
    for (const ReducedEquations& equations : bodies) {
      ReducedStepOptions once, several;
      several.newmark.max_iterations = 10;
      for (const ReducedStepOptions& options : {once, several, test::matrix_free(once)}) {
        ReducedWorkspace work{ReducedSystem(equations, {0.1, 0.01})};
        DynamicState state = make_reduced_state(rank);
        state.v = random_vector(rank, 0.1, 1);
        const Vector load = Vector::Zero(rank);
        ASSERT_TRUE(balance(work, load, state).ok());
        for (int i = 0; i < 2; ++i) ASSERT_TRUE(step(work, 1e-3, load, state, options).ok());
        state.slack = -0.5 * total_energy(work, state);  // so much must go in the next step
        SolveReport report;
        EXPECT_EQ(allocations_of([&] { report = step(work, 1e-3, load, state, options); }), 0);
        EXPECT_TRUE(report.ok() && report.rescued) << name_of(report.status);
        EXPECT_EQ(state.caution, cautious_steps);
        EXPECT_EQ(allocations_of([&] {
                    for (int i = 0; i < 3; ++i) (void)step(work, 1e-3, load, state, options);
                  }),
                  0)
            << "rank " << rank;
      }
    }
  }
}

TEST(WarmStep, AllocatesNothingWhereItFails) {
  const ReducedEquations equations = springs(5, 1.0, Matrix::Identity(5, 5));
  ReducedWorkspace work{ReducedSystem(equations)};
  DynamicState state = make_reduced_state(5);
  const Vector load = Vector::Ones(5), broken = Vector::Constant(5, std::nan(""));
  ReducedStepOptions options;
  options.newmark.max_iterations = 10;
  ASSERT_TRUE(step(work, 0.1, load, state, options).ok());
  ASSERT_FALSE(step(work, 0.1, broken, state, options).ok());
  EXPECT_EQ(allocations_of([&] { (void)step(work, 0.1, broken, state, options); }), 0);
}

TEST(WarmStep, AllocatesNothingWhereTheStiffnessIsIndefinite) {
  for (const Index rank : {Index{5}, large_rank}) {
    const ReducedEquations equations = springs(rank, -1.0, Matrix::Identity(rank, rank));
    ReducedWorkspace work{ReducedSystem(equations)};
    DynamicState state = make_reduced_state(rank);
    const Vector load = random_vector(rank, 1e-3, 1);
    ASSERT_TRUE(step(work, 10.0, load, state).ok());
    state = make_reduced_state(rank);
    EXPECT_EQ(allocations_of([&] { (void)step(work, 10.0, load, state); }), 0) << "rank " << rank;
  }
}

/// Random gradients at m points; with one weight per point, or one per point and coordinate.
CubatureRule some_rule(Index points, Index rank, bool modal) {
  CubatureRule rule;
  rule.region.assign(static_cast<std::size_t>(points), 0);
  rule.gradients = random_vector(9 * points * rank, 0.1, 1).reshaped(9 * points, rank);
  rule.weights = Matrix::Ones(points, modal ? rank : 1);
  rule.energy_weights = Vector::Ones(points);
  return rule;
}

TEST(WarmCubature, AllocatesNothing) {
  for (const std::string_view law : material_names) {
    for (const auto& [points, rank] : {std::pair<Index, Index>{9, 5}, {100, 30}, {342, 120}}) {
      for (const bool modal : {false, true}) {
        const Cubature cubature(some_rule(points, rank, modal), std::vector{test::material(law)}, rank);
        const Vector q = random_vector(rank, 0.1, 2);
        Vector f(rank);
        Matrix K(rank, rank);
        CubatureWorkspace work;
        cubature.evaluate(q, work, f, K);
        EXPECT_EQ(allocations_of([&] {
                    cubature.evaluate(q, work, f, K);
                    cubature.evaluate_force(q, work, f);
                  }),
                  0)
            << law << ", " << points << " points, rank " << rank;
      }
    }
  }
}

TEST(Reconstruction, AllocatesNothing) {
  const Index n = 20000;
  const Reconstruction<float> reconstruction(Eigen::MatrixXf::Random(3 * n, 6));
  const Eigen::VectorXf q = Eigen::VectorXf::Random(6);
  const Eigen::Matrix3Xf rest = Eigen::Matrix3Xf::Random(3, n);
  Eigen::Matrix3Xf u(3, n);
  Vector f = Vector::Zero(6);
  EXPECT_EQ(allocations_of([&] {
              reconstruction.displacements(q, u);
              reconstruction.positions(rest, q, u);
              (void)reconstruction.displacement(q, 7);
              reconstruction.add_force(7, Vector3(1, 2, 3), f);
            }),
            0);
  for (const int threads : {1, 2}) {
    const Executor executor(threads);
    reconstruction.displacements(q, u, executor);
    EXPECT_EQ(allocations_of([&] {
                reconstruction.displacements(q, u, executor);
                reconstruction.positions(rest, q, u, executor);
              }),
              0)
        << threads << " threads";
  }
}

TEST(NormalUpdater, AllocatesNothing) {
  const SurfaceMesh sphere = test::icosphere(5);
  const NormalUpdater updater(sphere.triangles, sphere.vertex_count());
  const Eigen::Matrix3Xf positions = sphere.vertices.cast<float>();
  Eigen::Matrix3Xf normals(3, sphere.vertex_count());
  EXPECT_EQ(allocations_of([&] { updater.update(positions, normals); }), 0);
  for (const int threads : {1, 2}) {
    const Executor executor(threads);
    EXPECT_EQ(allocations_of([&] { updater.update(positions, normals, executor); }), 0)
        << threads << " threads";
  }
}

}  // namespace
}  // namespace limber::allocation_test
