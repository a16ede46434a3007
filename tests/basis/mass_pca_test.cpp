#include "limber/basis/mass_pca.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/qr.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::mass_pca_test {
namespace {

const SparseMatrix& mass() {
  static const SparseMatrix M =
      FullModel(test::unit_beam(ElementKind::tetrahedron, 6, 3, 3), {test::material("stvk")}, {}).mass();
  return M;
}

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  return test::random_vector(rows * columns, 1.0, seed).reshaped(rows, columns);
}

Matrix random_orthogonal(Index size, std::uint64_t seed) {
  return orthonormal_columns(random_matrix(size, size, seed));
}

double orthonormality_error(const Matrix& X) {
  return (X.transpose() * (mass() * X) - Matrix::Identity(X.cols(), X.cols())).norm();
}

/// Samples with known singular values and directions, mixed by a random rotation.
struct Constructed {
  Vector values;
  Matrix directions;
  Matrix samples;
};

Constructed construct(Index count, double decades) {
  Constructed c;
  c.values.resize(count);
  for (Index i = 0; i < count; ++i)
    c.values(i) = 3.0 * std::pow(10.0, -decades * static_cast<double>(i) / static_cast<double>(count - 1));
  c.directions = mass_orthonormalize(random_matrix(mass().rows(), count, 1), mass()).Q;
  c.samples = c.directions * c.values.asDiagonal() * random_orthogonal(count, 2).transpose();
  return c;
}

TEST(MassOrthonormalization, FactorsItsColumns) {
  const Matrix X = random_matrix(mass().rows(), 100, 3);
  const MassQr qr = mass_orthonormalize(X, mass());
  EXPECT_EQ(qr.Q.cols(), 100);
  EXPECT_LT(orthonormality_error(qr.Q), 1e-12);
  EXPECT_LT((qr.Q * qr.R - X).norm(), 1e-13 * X.norm());
}

TEST(MassOrthonormalization, LeavesOutDependentColumns) {
  Matrix X = random_matrix(mass().rows(), 60, 4);
  X.col(3) = 2.0 * X.col(1) - X.col(0);
  X.col(7).setZero();
  X.col(50) = X.leftCols(50) * test::random_vector(50, 1.0, 5);
  const MassQr qr = mass_orthonormalize(X, mass());
  EXPECT_EQ(qr.Q.cols(), 57);
  EXPECT_LT((qr.Q * qr.R - X).norm(), 1e-12 * X.norm());
}

TEST(MassOrthonormalization, RefusesWrongSizesAndNumbers) {
  EXPECT_THROW(mass_orthonormalize(Matrix::Ones(5, 2), mass()), Error);
  Matrix X = random_matrix(mass().rows(), 2, 6);
  X(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(mass_orthonormalize(X, mass()), Error);
}

TEST(MassPca, FindsSingularValuesOverThirteenDecades) {
  const Constructed c = construct(27, 13.0);
  const MassPca pca = mass_pca(c.samples, mass(), 5);
  ASSERT_EQ(pca.singular_values.size(), 27);
  for (Index i = 0; i < 27; ++i) {
    // Rounding of the samples alone moves each value by about eps times the largest.
    const double error = std::abs(pca.singular_values(i) - c.values(i));
    EXPECT_LT(error, 1e-12 * c.values(i) + 1e-14 * c.values(0)) << "value " << i << ", " << c.values(i);
  }
}

TEST(MassPca, FindsTheDirectionsInTheirOrder) {
  const Constructed c = construct(12, 3.0);
  const MassPca pca = mass_pca(c.samples, mass(), 12);
  for (Index i = 0; i < 12; ++i) {
    const double cosine = pca.basis.col(i).dot(mass() * c.directions.col(i));
    EXPECT_NEAR(std::abs(cosine), 1.0, 1e-12) << "direction " << i;
  }
}

TEST(MassPca, GivesAMassOrthonormalBasis) {
  for (const double decades : {1.0, 6.0, 12.0}) {
    const MassPca pca = mass_pca(construct(80, decades).samples, mass(), 60);
    EXPECT_EQ(pca.basis.cols(), 60);
    EXPECT_LT(orthonormality_error(pca.basis), 1e-12) << decades;
  }
}

TEST(MassPca, IsTheBestSubspaceInTheMassMetric) {
  const Constructed c = construct(20, 4.0);
  const Index rank = 7;
  const Matrix U = mass_pca(c.samples, mass(), rank).basis;
  const Matrix rest = c.samples - U * (U.transpose() * (mass() * c.samples));
  const double error = std::sqrt(rest.cwiseProduct(mass() * rest).sum());
  EXPECT_NEAR(error / c.values.tail(20 - rank).norm(), 1.0, 1e-9);
}

TEST(MassPca, TakesMoreSamplesThanThereAreUnknowns) {
  const SparseMatrix M =
      FullModel(test::unit_beam(ElementKind::tetrahedron, 2, 1, 1), {test::material("stvk")}, {}).mass();
  const Index n = M.rows();
  for (const Index count : {n - 1, n, n + 1, 3 * n, 1000 * n}) {
    const Matrix samples = random_matrix(n, count, 14);
    const MassPca pca = mass_pca(samples, M, 10 * n);
    EXPECT_EQ(pca.basis.cols(), std::min(n, count)) << count;
    ASSERT_EQ(pca.singular_values.size(), std::min(n, count));
    // The sum of their squares is that of the mass-norms of all samples.
    EXPECT_NEAR(pca.singular_values.squaredNorm() / samples.cwiseProduct(M * samples).sum(), 1.0, 1e-12);
    EXPECT_LT((pca.basis.transpose() * (M * pca.basis) - Matrix::Identity(pca.basis.cols(), pca.basis.cols()))
                  .norm(),
              1e-12)
        << count;
  }
}

TEST(MassPca, GivesFewerVectorsWhereTheSamplesSpanLess) {
  const Matrix few = random_matrix(mass().rows(), 4, 7);
  const Matrix samples = few * random_matrix(4, 15, 8);
  const MassPca pca = mass_pca(samples, mass(), 10);
  EXPECT_EQ(pca.basis.cols(), 4);
  EXPECT_EQ(pca.singular_values.size(), 15);
  EXPECT_LT(pca.singular_values.tail(11).maxCoeff(), 1e-13 * pca.singular_values(0));
  EXPECT_EQ(mass_pca(Matrix::Zero(mass().rows(), 3), mass(), 2).basis.cols(), 0);
}

TEST(MassPca, MakesNoVectorsOfTheErrorsOfItsSamples) {
  const Matrix few = random_matrix(mass().rows(), 4, 7);
  Matrix samples = few * random_matrix(4, 15, 8);
  samples += 1e-11 * samples.cwiseAbs().maxCoeff() * random_matrix(samples.rows(), samples.cols(), 9);
  const MassPca pca = mass_pca(samples, mass(), 10);
  EXPECT_EQ(pca.basis.cols(), 4);
  const double error = pca.singular_values(4) / pca.singular_values(0);
  EXPECT_GT(error, 1e-13) << "the spectrum shows the errors all the same";
  EXPECT_LT(error, 1e-10);
}

TEST(MassPca, MakesTheLargestComponentPositive) {
  const Constructed c = construct(10, 2.0);
  const Matrix plus = mass_pca(c.samples, mass(), 10).basis, minus = mass_pca(-c.samples, mass(), 10).basis;
  EXPECT_LT((plus - minus).norm(), 1e-11);
  for (Index i = 0; i < 10; ++i) EXPECT_EQ(plus.col(i).maxCoeff(), plus.col(i).cwiseAbs().maxCoeff());
}

TEST(MassPca, HasTheSameBitsForAnyNumberOfThreads) {
  const SparseMatrix M =
      FullModel(test::unit_beam(ElementKind::tetrahedron, 30, 6, 6), {test::material("stvk")}, {}).mass();
  ASSERT_GT(M.rows(), 4096) << "products of tall matrices take 1024 rows at a time";
  const Matrix samples = random_matrix(M.rows(), 60, 13);
  const MassPca one = mass_pca(samples, M, 20, Executor(1)), three = mass_pca(samples, M, 20, Executor(3));
  EXPECT_EQ(one.basis, three.basis);
  EXPECT_EQ(one.singular_values, three.singular_values);
}

TEST(MassPca, RefusesRanksBelowOne) {
  EXPECT_THROW(mass_pca(random_matrix(mass().rows(), 3, 9), mass(), 0), Error);
}

TEST(MixedSamples, HaveLargestColumnsOfTheirWeight) {
  const Matrix a = random_matrix(mass().rows(), 3, 10), b = 1e6 * random_matrix(mass().rows(), 2, 11);
  const std::vector<WeightedSamples> sources{{a, 1.0}, {b, 0.25}};
  const Matrix mixed = mix_samples(sources, mass());
  ASSERT_EQ(mixed.cols(), 5);
  const Vector norms = mixed.cwiseProduct(mass() * mixed).colwise().sum().cwiseSqrt().transpose();
  EXPECT_NEAR(norms.head(3).maxCoeff(), 1.0, 1e-14);
  EXPECT_NEAR(norms.tail(2).maxCoeff(), 0.25, 1e-14);
  EXPECT_NEAR(mixed(4, 1) / mixed(4, 0), a(4, 1) / a(4, 0), 1e-12)
      << "columns of one source keep their proportions";
}

TEST(MixedSamples, RefuseOtherSizesAndWeights) {
  const std::vector<WeightedSamples> wrong_size{{Matrix::Ones(4, 1), 1.0}};
  EXPECT_THROW(mix_samples(wrong_size, mass()), Error);
  const std::vector<WeightedSamples> no_weight{{random_matrix(mass().rows(), 1, 12), 0.0}};
  EXPECT_THROW(mix_samples(no_weight, mass()), Error);
}

}  // namespace
}  // namespace limber::mass_pca_test
