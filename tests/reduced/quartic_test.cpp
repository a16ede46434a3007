#include "limber/reduced/quartic.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <array>
#include <gmock/gmock.h>
#include <limits>
#include <vector>

namespace limber::quartic_test {
namespace {

using test::random_vector;
using test::remainder_slope;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Values {
  double energy = 0.0;
  Vector force;
  Matrix stiffness;
};

template <class Visitor>
void for_each_monomial(Index rank, const Visitor& visit) {
  for (Index i = 0; i <= rank; ++i) {
    for (Index j = 0; j <= i; ++j) {
      for (Index k = 0; k <= j; ++k) {
        for (Index l = 0; l <= k; ++l) visit(std::array{i, j, k, l});
      }
    }
  }
}

/// Monomial by monomial, as the definition says.
Values direct_sum(Index rank, const Vector& coefficients, const Vector& q) {
  Vector x(rank + 1), gradient = Vector::Zero(rank + 1);
  x << 1.0, q;
  Matrix hessian = Matrix::Zero(rank + 1, rank + 1);
  Values sum;
  for_each_monomial(rank, [&](const std::array<Index, 4>& n) {
    const double c = coefficients[monomial_index(n[0], n[1], n[2], n[3])];
    sum.energy += c * x[n[0]] * x[n[1]] * x[n[2]] * x[n[3]];
    for (std::size_t a = 0; a < 4; ++a) {
      const std::size_t b = (a + 1) % 4, d = (a + 2) % 4, e = (a + 3) % 4;
      gradient[n[a]] += c * x[n[b]] * x[n[d]] * x[n[e]];
      hessian(n[a], n[b]) += c * x[n[d]] * x[n[e]];
      hessian(n[a], n[d]) += c * x[n[b]] * x[n[e]];
      hessian(n[a], n[e]) += c * x[n[b]] * x[n[d]];
    }
  });
  sum.force = gradient.tail(rank);
  sum.stiffness = hessian.bottomRightCorner(rank, rank);
  return sum;
}

Values evaluate(const Quartic& quartic, const Vector& q, QuarticWorkspace& work) {
  Values values{0.0, Vector(q.size()), Matrix(q.size(), q.size())};
  values.energy = quartic.evaluate(q, work, values.force, values.stiffness);
  return values;
}

Values evaluate(const Quartic& quartic, const Vector& q) {
  QuarticWorkspace work;
  return evaluate(quartic, q, work);
}

bool same_bits(const Values& a, const Values& b) {
  return a.energy == b.energy && a.force == b.force && a.stiffness == b.stiffness;
}

Vector random_coefficients(Index rank) { return random_vector(monomial_count(rank), 1.0, 7); }

/// Sums of n numbers in another order differ by rounding, which grows more slowly than this for the n there
/// are here.
constexpr double rounding = 1e-13;

TEST(MonomialIndex, NumbersEveryMonomialOnce) {
  const Index rank = 9;
  std::vector<int> count(static_cast<std::size_t>(monomial_count(rank)), 0);
  for_each_monomial(rank, [&](const std::array<Index, 4>& n) {
    ++count.at(static_cast<std::size_t>(monomial_index(n[0], n[1], n[2], n[3])));
  });
  EXPECT_THAT(count, testing::Each(1));
}

TEST(MonomialIndex, GivesTheFirstNumbersToTheFirstCoordinates) {
  for (Index rank = 1; rank < 70; ++rank) {
    EXPECT_EQ(monomial_index(rank, rank, rank, rank), monomial_count(rank) - 1);
    EXPECT_EQ(monomial_index(rank + 1, 0, 0, 0), monomial_count(rank));
  }
}

/// Ranks on both sides of every size that the layout is made of.
class EveryRank : public testing::TestWithParam<Index> {
 protected:
  Index rank = GetParam();
  Vector coefficients = random_coefficients(rank);
  Quartic quartic{rank, coefficients};
  Vector q = random_vector(rank, 0.8, 11);

  /// The sum of the absolute values of all monomials: what the rounding of the energy is relative to.
  [[nodiscard]] double scale(const Vector& at) const { return evaluate(absolute, at.cwiseAbs()).energy; }
  Quartic absolute{rank, coefficients.cwiseAbs()};
};

TEST_P(EveryRank, GivesTheSumOfAllMonomialsAndItsDerivatives) {
  const Values expected = direct_sum(rank, coefficients, q), found = evaluate(quartic, q);
  EXPECT_NEAR(found.energy, expected.energy, rounding * scale(q));
  EXPECT_LT((found.force - expected.force).norm() / expected.force.norm(), rounding);
  EXPECT_LT((found.stiffness - expected.stiffness).norm() / expected.stiffness.norm(), rounding);
}

TEST_P(EveryRank, GivesTheSameForceWithoutTheStiffness) {
  const Values both = evaluate(quartic, q);
  QuarticWorkspace work;
  Vector force(rank);
  const double energy = quartic.evaluate_force(q, work, force);
  EXPECT_NEAR(energy, both.energy, rounding * scale(q));
  EXPECT_LT((force - both.force).norm() / both.force.norm(), rounding);
}

TEST_P(EveryRank, HasTheForceThatIsTheDerivativeOfItsEnergy) {
  const Values at = evaluate(quartic, q);
  const Vector d = random_vector(rank, 1.0, 13);
  const auto remainder = [&](double h) {
    return std::abs(evaluate(quartic, q + h * d).energy - at.energy - h * at.force.dot(d));
  };
  EXPECT_GT(remainder_slope(remainder, scale(q)), 1.9);
}

TEST_P(EveryRank, HasTheStiffnessThatIsTheDerivativeOfItsForce) {
  const Values at = evaluate(quartic, q);
  const Vector d = random_vector(rank, 1.0, 17);
  const auto remainder = [&](double h) {
    return (evaluate(quartic, q + h * d).force - at.force - h * at.stiffness * d).norm();
  };
  EXPECT_GT(remainder_slope(remainder, at.force.norm()), 1.9);
}

TEST_P(EveryRank, HasAStiffnessThatIsSymmetricToTheLastBit) {
  const Matrix K = evaluate(quartic, q).stiffness;
  EXPECT_EQ(K, Matrix(K.transpose()));
}

TEST_P(EveryRank, IsWhatALargerOneIsWhereTheOtherCoordinatesAreZero) {
  const Index larger = rank + 5;
  const Vector more = random_coefficients(larger);
  ASSERT_EQ(more.head(coefficients.size()), coefficients);
  Vector longer = Vector::Zero(larger);
  longer.head(rank) = q;
  const Values whole = evaluate(Quartic(larger, more), longer), part = evaluate(Quartic(rank, more), q);
  EXPECT_NEAR(part.energy, whole.energy, rounding * scale(q));
  EXPECT_LT((part.force - whole.force.head(rank)).norm() / part.force.norm(), rounding);
  EXPECT_LT((part.stiffness - whole.stiffness.topLeftCorner(rank, rank)).norm() / part.stiffness.norm(),
            rounding);
}

TEST_P(EveryRank, GivesManyStatesTheSameAsOne) {
  for (const Index count : {1, 8, 11}) {
    const Matrix states = random_vector(rank * count, 0.8, 19).reshaped(rank, count);
    Matrix forces(rank, count), stiffnesses(rank * rank, count);
    Vector energies(count);
    QuarticBatchWorkspace work;
    QuarticBatch(rank, coefficients).evaluate(states, work, forces, stiffnesses, energies);
    for (Index s = 0; s < count; ++s) {
      const Values one = evaluate(quartic, states.col(s));
      EXPECT_NEAR(energies[s], one.energy, rounding * scale(states.col(s)));
      EXPECT_LT((forces.col(s) - one.force).norm() / one.force.norm(), rounding) << s << " of " << count;
      EXPECT_LT((stiffnesses.col(s) - one.stiffness.reshaped()).norm() / one.stiffness.norm(), rounding)
          << s << " of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Quartic, EveryRank,
                         testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 17, 23, 30),
                         testing::PrintToStringParamName());

TEST(Quartic, GivesTheSameBitsInAWorkspaceThatOtherRanksHaveUsed) {
  QuarticWorkspace work;
  for (const Index rank : {5, 30, 1, 16, 30, 12, 33, 7}) {
    const Quartic quartic(rank, random_coefficients(rank));
    const Vector q = random_vector(rank, 0.8, 23);
    EXPECT_TRUE(same_bits(evaluate(quartic, q, work), evaluate(quartic, q))) << "rank " << rank;
  }
}

TEST(Quartic, ForgetsAStateThatWasNotFinite) {
  QuarticWorkspace work;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const Index rank : {6, 15, 30}) {
      Vector force(30);
      const Quartic large(30, random_coefficients(30)), quartic(rank, random_coefficients(rank));
      EXPECT_FALSE(std::isfinite(evaluate(large, Vector::Constant(30, bad), work).energy));
      EXPECT_FALSE(std::isfinite(large.evaluate_force(Vector::Constant(30, bad), work, force)));
      const Vector q = random_vector(rank, 0.8, 29);
      EXPECT_TRUE(same_bits(evaluate(quartic, q, work), evaluate(quartic, q))) << "rank " << rank;
    }
  }
}

TEST(Quartic, ReadsAndWritesPartsOfLargerArrays) {
  const Index rank = 13;
  const Quartic quartic(rank, random_coefficients(rank));
  const Vector longer = random_vector(rank + 2, 0.8, 31);
  const Values expected = evaluate(quartic, longer.segment(1, rank));
  Vector force = Vector::Constant(rank + 2, 5.0);
  Matrix stiffness = Matrix::Constant(rank + 3, rank + 2, 5.0);
  QuarticWorkspace work;
  quartic.evaluate(longer.segment(1, rank), work, force.segment(1, rank), stiffness.block(2, 1, rank, rank));
  EXPECT_EQ(force.segment(1, rank), expected.force);
  EXPECT_EQ(stiffness.block(2, 1, rank, rank), expected.stiffness);
  force.segment(1, rank).setConstant(5.0);
  stiffness.block(2, 1, rank, rank).setConstant(5.0);
  EXPECT_TRUE((force.array() == 5.0).all() && (stiffness.array() == 5.0).all()) << "wrote beside its room";
}

TEST(Quartic, RefusesTooFewCoefficients) {
  EXPECT_THAT([] { Quartic(3, Vector::Zero(34)); },
              ThrowsMessage<Error>("a quartic of rank 3 needs 35 coefficients, not 34"));
  EXPECT_THAT([] { QuarticBatch(3, Vector::Zero(34)); },
              ThrowsMessage<Error>("a quartic of rank 3 needs 35 coefficients, not 34"));
  EXPECT_THAT([] { Quartic(0, Vector::Zero(1)); },
              ThrowsMessage<Error>(HasSubstr("rank of 1 or more, not 0")));
}

TEST(Quartic, RefusesArraysOfAnotherSize) {
  const Quartic quartic(3, random_coefficients(3));
  QuarticWorkspace work;
  Vector three(3), two(2);
  Matrix K(3, 2);
  EXPECT_THAT([&] { quartic.evaluate(two, work, three, K); },
              ThrowsMessage<Error>(HasSubstr("rank 3 was given 2 coordinates, room for 3 forces and 3 x 2")));
  EXPECT_THAT([&] { quartic.evaluate_force(three, work, two); },
              ThrowsMessage<Error>(HasSubstr("rank 3 was given 3 coordinates and room for 2 forces")));
}

/// A batch of states of rank 9, evaluated.
struct Batch {
  explicit Batch(const Matrix& states)
      : forces(9, states.cols()), stiffnesses(81, states.cols()), energies(states.cols()) {
    QuarticBatchWorkspace work;
    QuarticBatch(9, random_coefficients(9)).evaluate(states, work, forces, stiffnesses, energies);
  }
  Matrix forces, stiffnesses;
  Vector energies;
};

TEST(QuarticBatch, GivesAStateTheSameBitsInAnyCompany) {
  const Matrix states = random_vector(9 * 19, 0.8, 37).reshaped(9, 19);
  const Batch all(states);
  for (const Index s : {0, 5, 8, 18}) {
    const Batch alone(states.col(s));
    EXPECT_EQ(alone.energies[0], all.energies[s]);
    EXPECT_EQ(alone.forces.col(0), all.forces.col(s));
    EXPECT_EQ(alone.stiffnesses.col(0), all.stiffnesses.col(s));
  }
}

TEST(QuarticBatch, KeepsAStateThatIsNotFiniteToItself) {
  Matrix states = random_vector(9 * 12, 0.8, 41).reshaped(9, 12);
  const Batch good(states);
  states(4, 3) = std::numeric_limits<double>::quiet_NaN();
  const Batch bad(states);
  EXPECT_FALSE(std::isfinite(bad.energies[3]));
  for (const Index s : {2, 4, 11}) EXPECT_EQ(bad.stiffnesses.col(s), good.stiffnesses.col(s));
}

TEST(QuarticBatch, HasNothingToDoWithoutStates) { EXPECT_EQ(Batch(Matrix(9, 0)).energies.size(), 0); }

TEST(QuarticBatch, GivesTheSameBitsInAWorkspaceThatOtherRanksHaveUsed) {
  QuarticBatchWorkspace used;
  for (const Index rank : {4, 21, 10}) {
    const QuarticBatch batch(rank, random_coefficients(rank));
    const Matrix states = random_vector(rank * 3, 0.8, 43).reshaped(rank, 3);
    Matrix forces(rank, 3), stiffnesses(rank * rank, 3), fresh_forces(rank, 3), fresh(rank * rank, 3);
    Vector energies(3);
    batch.evaluate(states, used, forces, stiffnesses, energies);
    QuarticBatchWorkspace unused;
    batch.evaluate(states, unused, fresh_forces, fresh, energies);
    EXPECT_EQ(forces, fresh_forces);
    EXPECT_EQ(stiffnesses, fresh);
  }
}

TEST(QuarticBatch, RefusesArraysOfAnotherSize) {
  const QuarticBatch batch(2, random_coefficients(2));
  QuarticBatchWorkspace work;
  Matrix states(2, 5), stiffnesses(4, 4);
  Vector energies(5);
  EXPECT_THAT(
      [&] { batch.evaluate(states, work, states, stiffnesses, energies); },
      ThrowsMessage<Error>(HasSubstr("2 x 5 states, room for 2 x 5 forces, 4 x 4 stiffnesses and 5")));
}

}  // namespace
}  // namespace limber::quartic_test
