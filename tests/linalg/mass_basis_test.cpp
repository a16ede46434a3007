#include "limber/linalg/mass_basis.hpp"

#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::mass_basis_test {
namespace {

const SparseMatrix& some_mass() {
  static const SparseMatrix M =
      FullModel(test::unit_beam(ElementKind::tetrahedron, 8, 4, 4), {test::material("stvk")}, {}).mass();
  return M;
}

Matrix random_columns(Index count, std::uint64_t seed) {
  return test::random_vector(some_mass().rows() * count, 1.0, seed).reshaped(some_mass().rows(), count);
}

double orthonormality_error(const MassBasis& basis) {
  const Matrix V = basis.vectors();
  return (V.transpose() * (some_mass() * V) - Matrix::Identity(V.cols(), V.cols())).norm();
}

TEST(SymmetricProduct, IsThatOfTheMatrix) {
  const SymmetricProduct product(some_mass());
  for (const Index columns : {1, 8, 13}) {
    const Matrix X = random_columns(columns, 1), expected = some_mass() * X;
    Matrix Y(X.rows(), columns);
    product.apply(X, Y, Executor(2));
    EXPECT_LT((Y - expected).norm(), 1e-15 * static_cast<double>(X.rows()) * expected.norm()) << columns;
  }
}

TEST(MassBasis, IsOrthonormalAndGivesItsColumnsBack) {
  MassBasis basis(some_mass(), Executor(1));
  const Matrix first = random_columns(20, 2), second = random_columns(30, 3);
  basis.append(first, 1e-12);
  const Matrix R = basis.append(second, 1e-12);
  EXPECT_EQ(basis.size(), 50);
  EXPECT_LT(orthonormality_error(basis), 1e-13);
  EXPECT_LT((basis.vectors() * R - second).norm(), 1e-13 * second.norm());
  EXPECT_LT((basis.mass_vectors() - some_mass() * basis.vectors()).norm(),
            1e-13 * basis.mass_vectors().norm());
}

TEST(MassBasis, StaysOrthonormalWhenHardlyAnythingOfABlockIsNew) {
  for (const double share : {1e-2, 1e-5, 1e-8, 1e-11}) {
    MassBasis basis(some_mass(), Executor(1));
    const Matrix known = random_columns(20, 4);
    basis.append(known, 1e-14);
    const Matrix nearly = known + share * random_columns(20, 5);
    const Matrix R = basis.append(nearly, 1e-14);
    EXPECT_EQ(basis.size(), 40) << share;
    EXPECT_LT(orthonormality_error(basis), 1e-13) << share;
    EXPECT_LT((basis.vectors() * R - nearly).norm(), 1e-13 * nearly.norm()) << share;
  }
}

TEST(MassBasis, StaysOrthonormalWhenTheColumnsOfABlockAreNearlyEqual) {
  MassBasis basis(some_mass(), Executor(1));
  const Matrix one = random_columns(1, 6);
  const Matrix block = one.replicate(1, 24) + 1e-9 * random_columns(24, 7);
  const Matrix R = basis.append(block, 1e-14);
  EXPECT_EQ(basis.size(), 24);
  EXPECT_LT(orthonormality_error(basis), 1e-13);
  EXPECT_LT((basis.vectors() * R - block).norm(), 1e-13 * block.norm());
}

TEST(MassBasis, LeavesOutWhatDependsOnEarlierColumns) {
  MassBasis basis(some_mass(), Executor(1));
  const Matrix X = random_columns(10, 8);
  Matrix block(X.rows(), 31);
  block << X, X * test::random_vector(200, 1.0, 9).reshaped(10, 20), Vector::Zero(X.rows());
  const Matrix R = basis.append(block, 1e-12);
  EXPECT_EQ(basis.size(), 10);
  EXPECT_LT((basis.vectors() * R - block).norm(), 1e-12 * block.norm());
}

TEST(MassBasis, NeverHoldsMoreVectorsThanThereAreUnknowns) {
  const SparseMatrix M =
      FullModel(test::unit_beam(ElementKind::tetrahedron, 2, 1, 1), {test::material("stvk")}, {}).mass();
  MassBasis basis(M, Executor(1));
  // A tolerance of zero takes rounding for a direction, too.
  for (const Index columns : {20, 1, 50, 1, 40}) {
    const Matrix X = test::random_vector(M.rows() * columns, 1.0, 11).reshaped(M.rows(), columns);
    const Matrix R = basis.append(X, 0.0);
    ASSERT_LE(basis.size(), M.rows()) << columns;
    EXPECT_EQ(R.rows(), basis.size());
    EXPECT_LT((basis.vectors() * R - X).norm(), 1e-12 * X.norm()) << columns;
  }
  EXPECT_EQ(basis.size(), M.rows());
  const Matrix V = basis.vectors();
  EXPECT_LT((V.transpose() * (M * V) - Matrix::Identity(V.cols(), V.cols())).norm(), 1e-12);
}

TEST(MassBasis, HasTheSameBitsForAnyNumberOfThreads) {
  const VolumeMesh mesh =
      test::unit_beam(ElementKind::brick, 30, 5, 5);  // more rows than one thread takes at once
  const SparseMatrix M = FullModel(mesh, {test::material("stvk")}, {}).mass();
  const Matrix X = test::random_vector(M.rows() * 12, 1.0, 10).reshaped(M.rows(), 12);
  MassBasis one(M, Executor(1)), three(M, Executor(3));
  one.append(X, 1e-12);
  three.append(X, 1e-12);
  EXPECT_EQ(Matrix(one.vectors()), Matrix(three.vectors()));
}

}  // namespace
}  // namespace limber::mass_basis_test
