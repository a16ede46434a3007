#include "limber/basis/basis_quality.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace limber::basis_quality_test {
namespace {

/// diag(1, 4, 9, 16): unit vectors have mass-norms 1, 2, 3, 4.
SparseMatrix mass() {
  SparseMatrix M(4, 4);
  for (int i = 0; i < 4; ++i) M.insert(i, i) = (i + 1.0) * (i + 1.0);
  M.makeCompressed();
  return M;
}

/// Of mass-norm 1.
Vector unit(Index i) { return Vector::Unit(4, i) / static_cast<double>(i + 1); }

TEST(OrthonormalityError, IsZeroForAMassOrthonormalBasis) {
  Matrix U(4, 2);
  U << unit(0), unit(3);
  EXPECT_EQ(orthonormality_error(U, mass()), 0.0);
}

TEST(OrthonormalityError, IsTheLargestEntryThatIsOff) {
  Matrix U(4, 2);
  U << unit(0), unit(1) + 0.25 * unit(0);
  EXPECT_NEAR(orthonormality_error(U, mass()), 0.25, 1e-15);
  U.col(1) = 2.0 * unit(1);
  EXPECT_NEAR(orthonormality_error(U, mass()), 3.0, 1e-15);
}

TEST(SubspaceAngles, AreExactForTinyAngles) {
  Matrix U(4, 2);
  U << unit(0) + 0.5 * unit(2), unit(2);
  for (const double angle : {1e-9, 1e-5, 0.3, 0.5 * std::numbers::pi - 1e-9}) {
    const Vector turned = 7.0 * (std::cos(angle) * unit(0) + std::sin(angle) * unit(3));
    EXPECT_NEAR(subspace_angles(U, turned, mass())(0) / angle, 1.0, 1e-7) << angle;
  }
}

TEST(SubspaceAngles, AreZeroInsideAndARightAngleOutside) {
  Matrix U(4, 3), vectors(4, 2);
  U << unit(0), unit(0) + unit(1), unit(1);  // a dependent column does no harm
  vectors << unit(0) - 3.0 * unit(1), unit(2);
  const Vector angles = subspace_angles(U, vectors, mass());
  EXPECT_LT(angles(0), 1e-15);
  EXPECT_DOUBLE_EQ(angles(1), 0.5 * std::numbers::pi);
}

TEST(SubspaceAngles, DependOnTheMass) {
  // (1, 1): components of mass-norms 1 and 2.
  const Vector diagonal = Vector::Unit(4, 0) + Vector::Unit(4, 1);
  EXPECT_NEAR(subspace_angles(unit(0), diagonal, mass())(0), std::atan(2.0), 1e-15);
}

TEST(SubspaceAngles, WithNoBasisAreRightAngles) {
  EXPECT_DOUBLE_EQ(subspace_angles(Matrix(4, 0), unit(1), mass())(0), 0.5 * std::numbers::pi);
}

TEST(ProjectionError, IsTheShareThatIsMissed) {
  Matrix samples(4, 2);
  samples << 3.0 * unit(0) + 4.0 * unit(1), 12.0 * unit(1);
  // 4^2 + 12^2 of 5^2 + 12^2 lie beside the first direction.
  EXPECT_NEAR(projection_error(unit(0), samples, mass()), std::sqrt(160.0 / 169.0), 1e-15);
  EXPECT_LT(projection_error(samples, samples, mass()), 1e-15);
}

TEST(BasisQuality, HasTheSameBitsForAnyNumberOfThreads) {
  const FullModel model(test::unit_beam(ElementKind::tetrahedron, 10, 6, 6), {test::material("stvk")}, {});
  const Index n = model.dof_count();
  const Matrix U = test::random_vector(n * 60, 1.0, 1).reshaped(n, 60);
  const Matrix X = test::random_vector(n * 50, 1.0, 2).reshaped(n, 50);
  EXPECT_EQ(subspace_angles(U, X, model.mass(), Executor(1)),
            subspace_angles(U, X, model.mass(), Executor(2)));
  EXPECT_EQ(projection_error(U, X, model.mass(), Executor(1)),
            projection_error(U, X, model.mass(), Executor(2)));
}

TEST(BasisQuality, RefusesSizesThatDoNotFitAndZeros) {
  EXPECT_THROW(orthonormality_error(Matrix::Ones(3, 1), mass()), Error);
  EXPECT_THROW(subspace_angles(Matrix::Ones(3, 1), Matrix::Ones(4, 1), mass()), Error);
  EXPECT_THROW(subspace_angles(Matrix::Ones(4, 1), Matrix::Ones(3, 1), mass()), Error);
  EXPECT_THROW(subspace_angles(Matrix::Ones(4, 1), Matrix::Zero(4, 1), mass()), Error);
  EXPECT_THROW(projection_error(Matrix::Ones(4, 1), Matrix::Zero(4, 2), mass()), Error);
}

}  // namespace
}  // namespace limber::basis_quality_test
