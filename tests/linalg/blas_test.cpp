#include "limber/linalg/blas.hpp"

#include "limber/linalg/sparse_solver.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace limber::blas_test {
namespace {

/// What an old OpenBLAS on a new CPU does, made to happen: the SSE3 kernels of 2004. CTest runs this program
/// with OPENBLAS_CORETYPE=Prescott in the environment (see CMakeLists.txt).
class MisdetectedCpu : public testing::Test {
 protected:
  void SetUp() override {
    const char* forced = std::getenv("OPENBLAS_CORETYPE");
    if (!forced || std::string(forced) != "Prescott") GTEST_SKIP() << "runs with OPENBLAS_CORETYPE=Prescott";
    make_sparse_solver();  // respects the user's choice
    if (prepare_blas().kernels_found.empty()) GTEST_SKIP() << "the BLAS in use is not OpenBLAS";
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this CPU has nothing better";
#else
    GTEST_SKIP() << "OpenBLAS is corrected on x86 only";
#endif
  }
};

TEST_F(MisdetectedCpu, IsLeftAloneWhereTheUserChoseIt) {
  EXPECT_EQ(prepare_blas().kernels_found, "Prescott");
  EXPECT_EQ(prepare_blas().kernels_used, "Prescott");
}

TEST_F(MisdetectedCpu, GetsFastKernelsThatGiveTheSameSolution) {
  const FullModel model(test::unit_beam(ElementKind::tetrahedron, 8, 4, 4), {test::material("stvk")}, {});
  SparseMatrix A = model.stiffness(Vector::Zero(model.dof_count()));
  A.coeffs() += 1e-1 * A.diagonal().maxCoeff() * model.mass().coeffs() / model.mass().diagonal().maxCoeff();
  const Matrix b = test::random_vector(A.rows(), 1.0, 1);
  Matrix slow(b.rows(), 1), fast(b.rows(), 1);
  const auto solver = make_sparse_solver();
  ASSERT_TRUE(solver->factor(A).ok());
  ASSERT_TRUE(solver->solve(b, slow).ok());

  const BlasReport report = prepare_blas({.override_environment = true});
  EXPECT_EQ(report.kernels_found, "Prescott");
  EXPECT_NE(report.kernels_used, "Prescott");
  EXPECT_STREQ(std::getenv("OPENBLAS_CORETYPE"), "Prescott") << "the environment was not put back";
  ASSERT_TRUE(solver->factor(A).ok());
  ASSERT_TRUE(solver->solve(b, fast).ok());
  EXPECT_LT((fast - slow).norm(), 1e-9 * slow.norm());
  prepare_blas({.override_environment = true});  // a second correction finds nothing to do
}

}  // namespace
}  // namespace limber::blas_test
