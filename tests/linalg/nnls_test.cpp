#include "limber/linalg/nnls.hpp"

#include "limber/base/random.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/growing_cholesky.hpp"
#include "limber/linalg/qr.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber::nnls_test {
namespace {

struct Problem {
  Matrix A;
  Vector b;
};

Matrix random_matrix(Index rows, Index columns, Random& random) {
  return Matrix::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

Problem random_problem(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  Matrix A = random_matrix(rows, columns, random);
  return {std::move(A), random_matrix(rows, 1, random)};
}

/// Like the forces of elements in training poses: columns are combinations of few vectors and have one in
/// common, b is the sum of many more of the kind.
Problem correlated_problem(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  const Index rank = std::max<Index>(columns / 5, 1);
  const Matrix F = random_matrix(rows, rank, random);
  Matrix H = random_matrix(rank, 10 * columns, random);
  H.row(0) = 1.0 + 3.0 * H.row(0).array().abs();
  const Matrix noise = 0.05 * random_matrix(rows, columns, random);
  return {F * H.leftCols(columns) + noise, F * H.rowwise().sum()};
}

NormalEquations equations_of(const Problem& p) {
  NormalEquations equations(p.A.cols());
  equations.add_rows(p.A, p.b);
  return equations;
}

/// How far x is from optimal: slopes a_j . (b - A x) of positive entries, and those of zero entries where
/// positive, as shares of |a_j| |b|. Infinite where an entry is negative.
double kkt_error(const Problem& p, const Vector& x) {
  const Vector w = p.A.transpose() * (p.b - p.A * x);
  double error = 0.0;
  for (Index j = 0; j < x.size(); ++j) {
    if (!(x[j] >= 0.0)) return std::numeric_limits<double>::infinity();
    const double scale = p.A.col(j).norm() * p.b.norm();
    if (scale > 0.0) error = std::max(error, (x[j] > 0.0 ? std::abs(w[j]) : w[j]) / scale);
  }
  return error;
}

double relative_residual(const Problem& p, const Vector& x) { return (p.A * x - p.b).norm() / p.b.norm(); }

Vector least_squares(const Matrix& A, const Vector& b) {
  return A.cols() == 0 ? Vector() : Vector(solve_least_squares(A, b));
}

/// The least |A x - b| over x >= 0, by trying every support.
double least_residual_by_brute_force(const Problem& p) {
  double least = p.b.norm();
  for (unsigned chosen = 1; chosen < 1U << p.A.cols(); ++chosen) {
    std::vector<Index> columns;
    for (Index j = 0; j < p.A.cols(); ++j)
      if (chosen >> j & 1U) columns.push_back(j);
    const Matrix A = p.A(Eigen::all, columns);
    const Vector x = least_squares(A, p.b);
    if (x.minCoeff() >= 0.0) least = std::min(least, (A * x - p.b).norm());
  }
  return least;
}

/// Lawson & Hanson as in their book, one entry at a time, by a QR factorisation for every support.
Vector solve_by_the_book(const Problem& p) {
  Vector x = Vector::Zero(p.A.cols());
  std::vector<Index> support;
  for (;;) {
    const Vector w = p.A.transpose() * (p.b - p.A * x);
    Index enters = -1;
    for (Index j = 0; j < w.size(); ++j) {
      const bool inside = std::find(support.begin(), support.end(), j) != support.end();
      if (!inside && w[j] > 1e-10 * p.b.norm() * p.A.col(j).norm() && (enters < 0 || w[j] > w[enters]))
        enters = j;
    }
    if (enters < 0) return x;
    support.push_back(enters);
    for (;;) {
      const Vector s = solve_least_squares(p.A(Eigen::all, support), p.b);
      double step = 1.0;
      for (Index i = 0; i < s.size(); ++i)
        if (s[i] <= 0.0) step = std::min(step, x[support[i]] / (x[support[i]] - s[i]));
      for (Index i = 0; i < s.size(); ++i) x[support[i]] += step * (s[i] - x[support[i]]);
      if (s.minCoeff() > 0.0) break;
      std::erase_if(support, [&](Index j) { return x[j] <= 1e-15 && (x[j] = 0.0) == 0.0; });
    }
  }
}

TEST(Nnls, FulfilsTheOptimalityConditions) {
  for (const auto& [rows, columns] : {std::pair{200, 60}, {60, 60}, {30, 90}, {300, 150}}) {
    for (const Problem& p : {random_problem(rows, columns, 1), correlated_problem(rows, columns, 2)}) {
      for (const NnlsResult& result : {solve_nnls(p.A, p.b), solve_nnls(equations_of(p))}) {
        EXPECT_TRUE(result.report.ok());
        EXPECT_LT(kkt_error(p, result.x), 1.01e-10) << rows << " x " << columns;
        EXPECT_NEAR(result.residual, relative_residual(p, result.x), 1e-7);
        EXPECT_EQ(static_cast<Index>(result.support.size()), (result.x.array() > 0.0).count());
      }
    }
  }
}

TEST(Nnls, FindsTheLeastResidualOfAllSupports) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Problem p =
        random_problem(3 + static_cast<Index>(seed % 9), 1 + static_cast<Index>(seed % 8), seed);
    const double expected = least_residual_by_brute_force(p) / p.b.norm();
    EXPECT_NEAR(solve_nnls(p.A, p.b).residual, expected, 1e-12) << seed;
    EXPECT_NEAR(solve_nnls(equations_of(p)).residual, expected, 1e-6) << seed;
  }
}

TEST(Nnls, FindsTheLeastResidualOfDegenerateProblems) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Problem p = random_problem(2 + static_cast<Index>(seed % 4), 8,
                               seed);  // small integers: many ties and dependent columns
    p = {p.A.array().round(), p.b.array().round()};
    if (p.b.norm() == 0.0) continue;
    const NnlsResult result = solve_nnls(p.A, p.b);
    EXPECT_TRUE(result.report.ok()) << seed;
    EXPECT_NEAR(result.residual, least_residual_by_brute_force(p) / p.b.norm(), 1e-12) << seed;
  }
}

TEST(Nnls, AgreesWithLawsonAndHansonByQr) {
  for (const Problem& p : {random_problem(60, 40, 3), correlated_problem(120, 70, 4)}) {
    const Vector expected = solve_by_the_book(p);
    EXPECT_LT((solve_nnls(p.A, p.b).x - expected).norm(), 1e-11 * expected.norm());
    EXPECT_LT((solve_nnls(equations_of(p)).x - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(Nnls, RecoversANonNegativeCombination) {
  Random random(5);
  Vector x = random_matrix(80, 1, random).cwiseMax(0.0);
  Problem p = random_problem(120, 80, 6);
  p.b = p.A * x;
  const NnlsResult result = solve_nnls(p.A, p.b);
  EXPECT_LT((result.x - x).norm(), 1e-13 * x.norm());
  EXPECT_LT(result.residual, 1e-14);
}

TEST(Nnls, IsAsExactAsAQrFactorisation) {
  // Powers of points in [0, 1]: the condition number is 1e5, that of the normal equations 1e10.
  Problem p{Matrix(100, 8), {}};
  for (Index i = 0; i < 100; ++i)
    for (Index j = 0; j < 8; ++j) p.A(i, j) = std::pow(static_cast<double>(i) / 99.0, j);
  const Vector x = Vector::LinSpaced(8, 1.0, 2.0);
  p.b = p.A * x;
  const double by_qr = (least_squares(p.A, p.b) - x).norm(), error = (solve_nnls(p.A, p.b).x - x).norm();
  EXPECT_LT(error, 20.0 * by_qr) << by_qr;
  EXPECT_GT((solve_nnls(equations_of(p)).x - x).norm(), 100.0 * error);
}

TEST(Nnls, OfNothingIsZero) {
  const Vector none;
  EXPECT_EQ(solve_nnls(Matrix(4, 0), Vector::Ones(4)).residual, 1.0);
  EXPECT_EQ(solve_nnls(Matrix(0, 3), none).x, Vector::Zero(3));
  EXPECT_EQ(solve_nnls(NormalEquations()).x.size(), 0);
  EXPECT_EQ(solve_nnls(Matrix::Zero(4, 3), Vector::Ones(4)).x, Vector::Zero(3));
  EXPECT_EQ(solve_nnls(Matrix::Zero(4, 3), Vector::Ones(4)).residual, 1.0);
  const NnlsResult no_target = solve_nnls(Matrix::Ones(4, 3), Vector::Zero(4), {}, Vector::Ones(3));
  EXPECT_EQ(no_target.x, Vector::Zero(3));
  EXPECT_EQ(no_target.residual, 0.0);
  EXPECT_TRUE(no_target.report.ok());
}

TEST(Nnls, OfOneColumnIsItsProjectionOrZero) {
  const Matrix A = Vector::Ones(4);
  EXPECT_DOUBLE_EQ(solve_nnls(A, Vector::LinSpaced(4, 1.0, 4.0)).x[0], 2.5);
  EXPECT_EQ(solve_nnls(A, -Vector::LinSpaced(4, 1.0, 4.0)).x[0], 0.0);
}

TEST(Nnls, IgnoresZeroColumns) {
  Problem p = random_problem(20, 10, 7);
  const Vector expected = solve_nnls(p.A, p.b).x;
  Matrix wider = Matrix::Zero(20, 20);
  for (Index j = 0; j < 10; ++j) wider.col(2 * j) = p.A.col(j);
  const NnlsResult result = solve_nnls(wider, p.b, {}, Vector::Ones(20));
  for (Index j = 0; j < 10; ++j) {
    EXPECT_NEAR(result.x[2 * j], expected[j], 1e-13);
    EXPECT_EQ(result.x[2 * j + 1], 0.0);
  }
}

TEST(Nnls, TakesTheFirstOfEqualColumns) {
  const Problem p = correlated_problem(60, 20, 8);
  const Vector expected = solve_nnls(p.A, p.b).x;
  const Matrix twice = p.A.replicate(1, 2);
  for (const NnlsResult& result : {solve_nnls(twice, p.b), solve_nnls(equations_of({twice, p.b}))}) {
    EXPECT_LT((result.x.head(20) - expected).norm(), 1e-9 * expected.norm());
    EXPECT_EQ(result.x.tail(20), Vector::Zero(20));
  }
}

TEST(Nnls, EndsForColumnsThatDependOnEachOther) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Problem p{random_matrix(40, 6, random) * random_matrix(6, 50, random),
                    random_matrix(40, 1, random)};
    for (const Vector& start : {Vector(), Vector(Vector::Ones(50))}) {
      const NnlsResult result = solve_nnls(equations_of(p), {}, start);
      EXPECT_TRUE(result.report.ok()) << seed;
      EXPECT_LT(kkt_error(p, result.x), 1e-10) << seed;
      EXPECT_LE(result.support.size(), 6U) << seed;
    }
  }
}

TEST(Nnls, EndsForColumnsThatAreEqualButForRounding) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Problem p = random_problem(30, 40, seed);
    for (Index j = 20; j < 40; ++j)
      p.A.col(j) = p.A.col(j - 20) + std::pow(10.0, random.uniform(-16.0, -4.0)) * p.A.col(j);
    const NnlsResult result = solve_nnls(p.A, p.b, {.optimality = 0.0});
    EXPECT_TRUE(result.report.ok()) << seed;
    EXPECT_LT(kkt_error(p, result.x), 1e-7)
        << seed;  // what columns that nearly depend on the support may have
  }
}

TEST(Nnls, ReturnsAnOptimalStartWithoutIterations) {
  const Problem p = correlated_problem(200, 80, 9);
  const NnlsResult cold = solve_nnls(p.A, p.b), warm = solve_nnls(p.A, p.b, {}, cold.x);
  EXPECT_GT(cold.report.iterations, 0);
  EXPECT_EQ(warm.report.iterations, 0);
  EXPECT_LT((warm.x - cold.x).norm(), 1e-12 * cold.x.norm());
}

TEST(Nnls, FindsTheSameOptimumFromAnyStart) {
  const Problem p = correlated_problem(200, 80, 10);
  const Vector expected = solve_nnls(p.A, p.b).x;
  Random random(11);
  for (int k = 0; k < 10; ++k) {
    const double spread = 3.0 * k;  // up to 1e27 apart, half of them negative
    const Vector start = Vector::NullaryExpr(
        80, [&] { return random.normal() * std::pow(10.0, random.uniform(-spread, spread)); });
    const NnlsResult result = solve_nnls(p.A, p.b, {}, start);
    EXPECT_TRUE(result.report.ok());
    EXPECT_LT((result.x - expected).norm(), 1e-11 * expected.norm()) << k;
  }
  const Vector largest = Vector::Constant(80, std::numeric_limits<double>::max());
  EXPECT_LT((solve_nnls(p.A, p.b, {}, largest).x - expected).norm(), 1e-11 * expected.norm());
}

TEST(Nnls, TakesNegativeEntriesOfTheStartForZero) {
  const Problem p = random_problem(40, 30, 12);
  Vector start = solve_nnls(p.A, p.b).x;
  for (Index j = 0; j < 30; ++j)
    if (start[j] == 0.0) start[j] = -1.0;
  EXPECT_EQ(solve_nnls(p.A, p.b, {}, start).report.iterations, 0);
}

TEST(Nnls, ContinuesAfterRowsWereAdded) {
  const Problem p = correlated_problem(300, 60, 13);
  NormalEquations equations(60);
  equations.add_rows(p.A.topRows(200), p.b.head(200));
  const NnlsResult before = solve_nnls(equations);
  equations.add_rows(p.A.bottomRows(100), p.b.tail(100));
  const NnlsResult after = solve_nnls(equations, {}, before.x), cold = solve_nnls(p.A, p.b);
  EXPECT_LT((after.x - cold.x).norm(), 1e-9 * cold.x.norm());
  EXPECT_LT(after.report.iterations, cold.report.iterations / 2);
}

TEST(Nnls, GivesTheSameBitsForColumnsScaledByPowersOfTwo) {
  const Problem p = correlated_problem(100, 50, 14);
  const NnlsResult plain = solve_nnls(p.A, p.b);
  Vector scales(50);
  for (Index j = 0; j < 50; ++j) scales[j] = std::ldexp(1.0, static_cast<int>(j * 37 % 160) - 80);
  const NnlsResult scaled = solve_nnls(p.A * scales.asDiagonal(), 0x1p-40 * p.b);
  EXPECT_EQ(scaled.support, plain.support);
  EXPECT_EQ(Vector(scaled.x.cwiseProduct(scales) * 0x1p40), plain.x);
}

TEST(Nnls, DoesNotDependOnUnits) {
  const Problem p = correlated_problem(100, 50, 15);
  const Vector expected = solve_nnls(p.A, p.b).x;
  for (const double scale : {1e-100, 1e-12, 1e12, 1e100}) {
    EXPECT_LT((scale * solve_nnls(scale * p.A, p.b).x - expected).norm(), 1e-12 * expected.norm()) << scale;
    EXPECT_LT((solve_nnls(p.A, scale * p.b).x / scale - expected).norm(), 1e-12 * expected.norm()) << scale;
  }
}

TEST(Nnls, StopsAtTheFirstSupportWithTheResidualAskedFor) {
  const Problem p = correlated_problem(300, 200, 16);
  for (const double asked : {0.5, 0.1, 0.03, 0.01}) {
    const NnlsResult result = solve_nnls(equations_of(p), {.residual = asked});
    const Index nonzeros = static_cast<Index>(result.support.size());
    EXPECT_TRUE(result.report.ok());
    EXPECT_LE(relative_residual(p, result.x), asked);
    EXPECT_GT(solve_nnls(equations_of(p), {.max_nonzeros = nonzeros - 1}).residual, asked) << nonzeros;
    const std::vector<Index> but_one(result.support.begin(), result.support.end() - 1);
    const Matrix A = p.A(Eigen::all, but_one);
    EXPECT_GT((A * least_squares(A, p.b) - p.b).norm() / p.b.norm(), asked) << nonzeros;
  }
}

TEST(Nnls, ReturnsAStartWithTheResidualAskedForWithoutIterations) {
  const Problem p = correlated_problem(300, 200, 17);
  const Vector start = solve_nnls(p.A, p.b, {.residual = 0.01}).x;
  const NnlsResult result = solve_nnls(p.A, p.b, {.residual = 0.02}, start);
  EXPECT_EQ(result.report.iterations, 0);
  EXPECT_LT(result.residual, 0.011);
}

TEST(Nnls, ReachesResidualsThatNormalEquationsCannotTellFromZero) {
  Problem p = random_problem(100, 60, 18);
  Vector x(60);
  for (Index j = 0; j < 60; ++j) x[j] = std::pow(10.0, -0.25 * static_cast<double>(j));
  p.b = p.A * x;
  for (const double asked : {1e-6, 1e-8, 1e-9}) {
    const NnlsResult result = solve_nnls(p.A, p.b, {.residual = asked, .optimality = 1e-15});
    EXPECT_LE(result.residual, asked);
    EXPECT_GT(result.residual, 0.1 * asked);
    EXPECT_LE(solve_nnls(equations_of(p), {.residual = asked}).residual, std::max(asked, 1e-7));
  }
}

TEST(Nnls, HasNoMoreNonzerosThanAllowed) {
  const Problem p = correlated_problem(200, 100, 19);
  double last = 1.0;
  for (const Index allowed : {0, 1, 7, 40}) {
    const NnlsResult result = solve_nnls(p.A, p.b, {.max_nonzeros = allowed});
    EXPECT_EQ((result.x.array() > 0.0).count(), allowed);
    EXPECT_TRUE(result.report.ok());
    EXPECT_TRUE(allowed == 0 || result.residual < last) << allowed;
    last = result.residual;
  }
}

TEST(Nnls, KeepsTheLargestEntriesOfAStartThatHasTooMany) {
  const Problem p{Matrix::Identity(6, 6), Vector::Ones(6)};
  const Vector start = (Vector(6) << 1.0, 4.0, 2.0, 6.0, 2.0, 3.0).finished();
  const NnlsResult result = solve_nnls(p.A, p.b, {.max_nonzeros = 4}, start);
  EXPECT_EQ(result.support, (std::vector<Index>{1, 2, 3, 5}));
  EXPECT_EQ(result.report.iterations, 0);
}

TEST(Nnls, ReportsThatItWasEndedByTheLimitOfIterations) {
  const Problem p = correlated_problem(200, 100, 20);
  const NnlsResult result = solve_nnls(p.A, p.b, {.max_iterations = 5});
  EXPECT_EQ(result.report.status, SolveStatus::not_converged);
  EXPECT_EQ(result.report.iterations, 5);
  EXPECT_GE(result.x.minCoeff(), 0.0);
  EXPECT_NEAR(result.residual, relative_residual(p, result.x), 1e-15);
}

TEST(NormalEquations, OfBatchesOfRowsAreThoseOfAll) {
  const Problem p = random_problem(700, 13, 21);
  const NormalEquations all = equations_of(p);
  NormalEquations parts(13);
  for (const auto& [begin, count] : {std::pair{0, 0}, {0, 300}, {300, 1}, {301, 399}})
    parts.add_rows(p.A.middleRows(begin, count), p.b.segment(begin, count));
  const Matrix gram = p.A.transpose() * p.A;
  EXPECT_LT((all.gram - gram).norm(), 1e-14 * gram.norm());
  EXPECT_LT((parts.gram - gram).norm(), 1e-14 * gram.norm());
  EXPECT_EQ(all.gram, all.gram.transpose());
  EXPECT_LT((parts.projection - p.A.transpose() * p.b).norm(), 1e-13 * gram.norm());
  EXPECT_NEAR(parts.target_sq, p.b.squaredNorm(), 1e-12 * p.b.squaredNorm());
}

TEST(Nnls, RefusesSizesThatDoNotMatch) {
  EXPECT_EQ(test::error_text([] { (void)solve_nnls(Matrix::Ones(4, 3), Vector::Ones(5)); }),
            "A has 4 rows, b has 5 entries: expected one for each row");
  EXPECT_EQ(
      test::error_text([] { (void)solve_nnls(Matrix::Ones(4, 3), Vector::Ones(4), {}, Vector::Ones(2)); }),
      "non-negative least squares: the start has 2 entries, expected 3 (one per column) or none");
  EXPECT_EQ(test::error_text([] { NormalEquations(2).add_rows(Matrix::Ones(4, 3), Vector::Ones(4)); }),
            "rows of 3 columns cannot be added to normal equations of 2; make those with as many columns");
  NormalEquations equations(3);
  equations.projection = Vector::Ones(4);
  EXPECT_EQ(test::error_text([&] { (void)solve_nnls(equations); }),
            "non-negative least squares: the Gram matrix is 3 x 3, A^T b has 4 entries: expected 4 x 4");
}

TEST(Nnls, RefusesNumbersThatAreNotFinite) {
  const std::string rows = "rows to be added to normal equations hold numbers that are not finite",
                    equations =
                        "non-negative least squares: the normal equations hold numbers that are not finite "
                        "(or lengths above 1e150)",
                    start = "non-negative least squares: the start holds numbers that are not finite";
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Problem p = random_problem(20, 9, 22);
    Problem q = p;
    q.A(13, 4) = bad;
    EXPECT_EQ(test::error_text([&] { (void)solve_nnls(q.A, q.b); }), rows);
    q = p;
    q.b[7] = -bad;
    EXPECT_EQ(test::error_text([&] { (void)solve_nnls(q.A, q.b); }), rows);
    NormalEquations e = equations_of(p);
    e.gram(3, 5) = bad;
    EXPECT_EQ(test::error_text([&] { (void)solve_nnls(e); }), equations);
    EXPECT_EQ(test::error_text([&] { (void)solve_nnls(p.A, p.b, {}, Vector::Constant(9, bad)); }), start);
  }
  EXPECT_EQ(test::error_text([&] { (void)solve_nnls(Matrix::Constant(2, 2, 1e200), Vector::Ones(2)); }),
            equations);
}

TEST(Nnls, RefusesOptionsOutOfRange) {
  const auto text = [](const NnlsOptions& options) {
    return test::error_text([&] { (void)solve_nnls(Matrix::Ones(2, 2), Vector::Ones(2), options); });
  };
  EXPECT_EQ(text({.residual = -0.5}),
            "non-negative least squares: residual is -0.5 and optimality 1e-10, expected numbers from 0 on");
  EXPECT_NE(text({.optimality = std::numeric_limits<double>::quiet_NaN()}), "");
  EXPECT_EQ(
      text({.max_nonzeros = -3}),
      "non-negative least squares: max_nonzeros is -3 and max_iterations -1, expected -1 (no limit) or more");
  NormalEquations equations(1);
  equations.gram(0, 0) = -1.0;
  EXPECT_EQ(
      test::error_text([&] { (void)solve_nnls(equations); }),
      "non-negative least squares: a squared length is negative; fill the normal equations by add_rows");
}

/// The solution of H s = g for the rows and columns chosen, by a factorisation from scratch.
Vector solve_chosen(const Matrix& H, const Vector& g, const std::vector<Index>& chosen) {
  return Cholesky(H(chosen, chosen)).solve(g(chosen));
}

TEST(GrowingCholesky, SolvesAfterRowsWereAppendedAndRemoved) {
  Random random(23);
  const Matrix B = random_matrix(90, 60, random), H = B.transpose() * B;
  const Vector g = random_matrix(60, 1, random);
  GrowingCholesky factor;
  std::vector<Index> chosen;
  for (Index j = 0; j < 60; ++j) {
    PivotBlock(factor, H(chosen, std::vector{j}), H.block(j, j, 1, 1), g.segment(j, 1)).append(0);
    chosen.push_back(j);
    if (j % 3 != 2) continue;
    const Index p = static_cast<Index>(random.uniform() * static_cast<double>(chosen.size()));
    const double before = factor.y().squaredNorm(), lost = factor.remove(p);
    chosen.erase(chosen.begin() + p);
    EXPECT_NEAR(lost, before - factor.y().squaredNorm(), 1e-12 * before);
  }
  Vector s = factor.y();
  factor.solve_upper(s);
  const Vector expected = solve_chosen(H, g, chosen);
  ASSERT_EQ(factor.size(), 40);
  EXPECT_LT((s - expected).norm(), 1e-12 * expected.norm());
}

TEST(GrowingCholesky, SolvesAfterSomeOfABlockWereAppendedInAnyOrder) {
  Random random(24);
  const Matrix B = random_matrix(50, 30, random), H = B.transpose() * B;
  const Vector g = random_matrix(30, 1, random);
  GrowingCholesky factor;
  PivotBlock first(factor, Matrix(0, 20), H.topLeftCorner(20, 20), g.head(20));
  for (const Index t : {7, 3, 19, 0}) first.append(t);
  const std::vector<Index> in{7, 3, 19, 0};
  PivotBlock second(factor, H(in, Eigen::seqN(20, 10)), H.bottomRightCorner(10, 10), g.tail(10));
  for (const Index t : {9, 2}) second.append(t);
  const std::vector<Index> chosen{7, 3, 19, 0, 29, 22};
  Vector s = factor.y();
  factor.solve_upper(s);
  const Vector expected = solve_chosen(H, g, chosen);
  EXPECT_LT((s - expected).norm(), 1e-13 * expected.norm());
  // What is left of another row's right-hand side is its residual for that solution.
  EXPECT_NEAR(second.rhs(5), g[25] - Vector(H(chosen, 25)).dot(expected), 1e-12 * g.norm());
  EXPECT_EQ(second.pivot(9), 0.0);
}

}  // namespace
}  // namespace limber::nnls_test
