#include "limber/online/online_basis.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/qr.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::online_basis_test {
namespace {

FullModel free_beam(int cells) {
  return {make_beam({.size = {2.0, 0.5, 0.5}, .cells = {4 * cells, cells, cells}}),
          {test::material("stvk")},
          std::vector<int>{}};
}

double distance_from_orthonormal(const OnlineBasis& basis, const SparseMatrix& mass) {
  const Matrix U = basis.columns();
  return (U.transpose() * (mass * U) - Matrix::Identity(basis.rank(), basis.rank())).norm();
}

TEST(OnlineBasis, StaysOrthonormalInTheMassAfterManyVectors) {
  const FullModel model = free_beam(2);
  OnlineBasis basis(model.mass());
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    basis.add(test::random_vector(model.dof_count(), 1.0, seed), 0.0);
  EXPECT_EQ(basis.rank(), 40);
  EXPECT_LT(distance_from_orthonormal(basis, model.mass()), 1e-12);
}

TEST(OnlineBasis, StaysOrthonormalWhereVectorsAreNearlyDependent) {
  const FullModel model = free_beam(2);
  OnlineBasis basis(model.mass());
  const Vector x = test::random_vector(model.dof_count(), 1.0, 1);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    basis.add(x + test::random_vector(model.dof_count(), 1e-10, seed + 1), 0.0);
  EXPECT_EQ(basis.rank(), 20);
  EXPECT_LT(distance_from_orthonormal(basis, model.mass()), 1e-12);
}

TEST(OnlineBasis, HasANormThatDoesNotDependOnTheMesh) {
  for (const int cells : {1, 2, 3}) {
    const FullModel model = free_beam(cells);
    const OnlineBasis basis(model.mass());
    Matrix3X field = Matrix3X::Zero(3, model.mesh().vertex_count());
    field.row(1) = 3.0 * model.mesh().vertices.row(0);  // 3 x along y, with x from 0 to 2
    EXPECT_NEAR(basis.norm(model.dofs().restrict(field)), 3.0 * 2.0 / std::sqrt(3.0), 1e-12) << cells;
  }
}

TEST(OnlineBasis, MeasuresCoordinatesAsItMeasuresVectors) {
  const FullModel model = free_beam(1);
  OnlineBasis basis(model.mass());
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    basis.add(test::random_vector(model.dof_count(), 1.0, seed), 0.0);
  const Vector q = test::random_vector(5, 1.0, 9);
  EXPECT_NEAR(basis.reduced_norm(q), basis.norm(basis.vector(q)), 1e-13);
  EXPECT_LT((basis.coordinates(basis.vector(q)) - q).norm(), 1e-13);
  EXPECT_LT((basis.momentum(q) - model.mass() * basis.vector(q)).norm(), 1e-12 * basis.momentum(q).norm());
}

TEST(OnlineBasis, TellsHowMuchOfAVectorIsNew) {
  const FullModel model = free_beam(1);
  OnlineBasis basis(model.mass());
  const Vector x = test::random_vector(model.dof_count(), 1.0, 1);
  EXPECT_NEAR(basis.add(x, 0.0), basis.norm(x), 1e-14);
  Vector other = test::random_vector(model.dof_count(), 1.0, 2);
  other -= basis.vector(basis.coordinates(other));
  other *= 0.25 / basis.norm(other);
  EXPECT_NEAR(basis.add(3.0 * x + other, 0.1), 0.25, 1e-13);
  EXPECT_EQ(basis.rank(), 2);
  EXPECT_LT(basis.norm(other - basis.vector(basis.coordinates(other))), 1e-13);
}

TEST(OnlineBasis, LeavesOutWhatIsTooShort) {
  const FullModel model = free_beam(1);
  OnlineBasis basis(model.mass());
  const Vector x = test::random_vector(model.dof_count(), 1.0, 1);
  EXPECT_EQ(basis.add(Vector::Zero(x.size()), 0.0), 0.0);
  EXPECT_EQ(basis.rank(), 0);
  EXPECT_EQ(basis.vector(Vector()).norm(), 0.0);
  EXPECT_GT(basis.add(x, 1.01 * basis.norm(x)), 0.0);
  EXPECT_EQ(basis.rank(), 0);
  basis.add(x, 0.99 * basis.norm(x));
  EXPECT_EQ(basis.rank(), 1);
}

TEST(OnlineBasis, TurnedAndCutDownStaysOrthonormal) {
  const FullModel model = free_beam(2);
  OnlineBasis basis(model.mass());
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    basis.add(test::random_vector(model.dof_count(), 1.0, seed), 0.0);
  const Matrix R = orthonormal_columns(test::random_vector(60, 1.0, 3).reshaped(12, 5));
  const Matrix expected = basis.columns() * R;
  basis.turn(R);
  EXPECT_EQ(basis.rank(), 5);
  EXPECT_LT((basis.columns() - expected).norm(), 1e-13 * expected.norm());
  EXPECT_LT(distance_from_orthonormal(basis, model.mass()), 1e-12);
  basis.add(test::random_vector(model.dof_count(), 1.0, 99), 0.0);  // goes on from there
  EXPECT_LT(distance_from_orthonormal(basis, model.mass()), 1e-12);
  EXPECT_THROW(basis.turn(Matrix::Identity(5, 5)), Error);
}

TEST(OnlineBasis, TakenBackGoesOnWithTheSameBits) {
  const FullModel model = free_beam(1);
  OnlineBasis basis(model.mass()), other(model.mass());
  for (std::uint64_t seed = 1; seed <= 7; ++seed)
    basis.add(test::random_vector(model.dof_count(), 1.0, seed), 0.0);
  StateWriter out;
  basis.save(out);
  StateReader in(out.bytes(), "state");
  other.restore(in);
  in.finish();
  const Vector x = test::random_vector(model.dof_count(), 1.0, 50);
  EXPECT_EQ(basis.add(x, 0.0), other.add(x, 0.0));
  EXPECT_EQ(basis.columns(), other.columns());
  EXPECT_EQ(basis.coordinates(x), other.coordinates(x));

  const FullModel wrong = free_beam(2);
  OnlineBasis of_wrong(wrong.mass());
  StateReader again(out.bytes(), "state");
  EXPECT_THROW(of_wrong.restore(again), Error);
}

TEST(RecentDirections, AreTheDominantOnesOfAKnownHistory) {
  const Index r = 9, k = 40;
  const Matrix A = orthonormal_columns(test::random_vector(r * r, 1.0, 4).reshaped(r, r));
  const Matrix B = orthonormal_columns(test::random_vector(k * k, 1.0, 5).reshaped(k, k));
  const Matrix states = A.leftCols(3) * Vector3(5.0, 2.0, 0.3).asDiagonal() * B.leftCols(3).transpose();
  for (const Index count : {1, 2, 3}) {
    const Matrix kept = recent_directions(states, count);
    ASSERT_EQ(kept.cols(), count);
    EXPECT_LT((kept * kept.transpose() - A.leftCols(count) * A.leftCols(count).transpose()).norm(), 1e-12)
        << count;
  }
  const Matrix more = recent_directions(states, 7);  // than the history has
  EXPECT_LT((more.transpose() * more - Matrix::Identity(7, 7)).norm(), 1e-12);
  EXPECT_LT((more * (more.transpose() * states) - states).norm(), 1e-12);
  EXPECT_EQ(recent_directions(states, 20).cols(), r);
}

}  // namespace
}  // namespace limber::online_basis_test
