#include "limber/contact/block_cholesky.hpp"

#include "limber/linalg/cholesky.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace limber::block_cholesky_test {
namespace {

using test::random_vector;
using Pairs = std::vector<std::pair<int, int>>;

/// A definite matrix of such blocks, dense and in the solver.
struct Blocks {
  std::vector<int> sizes, firsts;
  Matrix A;
  BlockCholesky factor;

  Blocks(std::vector<int> block_sizes, const Pairs& pairs) : sizes(std::move(block_sizes)) {
    for (const int size : sizes) firsts.push_back(firsts.empty() ? 0 : firsts.back() + last), last = size;
    const int n = firsts.back() + last;
    A = Matrix::Zero(n, n);
    factor.analyze(sizes, pairs);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Matrix B = random_vector(sizes[i] * sizes[i], 1.0, i).reshaped(sizes[i], sizes[i]);
      put(static_cast<int>(i), static_cast<int>(i),
          B * B.transpose() + 9.0 * Matrix::Identity(sizes[i], sizes[i]),
          factor.diagonal(static_cast<int>(i)));
    }
    for (auto [i, j] : pairs) {
      if (!factor.below(i, j)) std::swap(i, j);
      const Index rows = sizes[static_cast<std::size_t>(i)], columns = sizes[static_cast<std::size_t>(j)];
      put(i, j,
          random_vector(rows * columns, 0.3, static_cast<std::uint64_t>(17 * i + j)).reshaped(rows, columns),
          factor.off_diagonal(i, j));
    }
  }

  void put(int i, int j, const Matrix& block, double* to) {
    const Index row = firsts[static_cast<std::size_t>(i)], column = firsts[static_cast<std::size_t>(j)];
    A.block(row, column, block.rows(), block.cols()) = block;
    A.block(column, row, block.cols(), block.rows()) = block.transpose();
    const int stride = padded_rows(static_cast<int>(block.rows()));
    Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(to, block.rows(), block.cols(),
                                                Eigen::OuterStride<>(stride)) = block;
  }

  Vector solve(const Vector& b) {
    std::vector<double> x(static_cast<std::size_t>(factor.padded_total()), 0.0);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (int k = 0; k < sizes[i]; ++k)
        x[static_cast<std::size_t>(factor.offset(static_cast<int>(i)) + k)] = b(firsts[i] + k);
    factor.solve(x);
    Vector result(b.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (int k = 0; k < sizes[i]; ++k)
        result(firsts[i] + k) = x[static_cast<std::size_t>(factor.offset(static_cast<int>(i)) + k)];
    return result;
  }

  int last = 0;
};

TEST(BlockCholesky, SolvesAsADenseFactorDoes) {
  const Pairs ring{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {1, 0}}, chain{{3, 1}, {1, 4}, {0, 3}}, none;
  for (const Pairs& pairs : {ring, chain, none}) {
    Blocks blocks({6, 36, 1, 13, 53}, pairs);
    ASSERT_TRUE(blocks.factor.factor());
    const Vector b = random_vector(blocks.A.rows(), 1.0, 9);
    const Vector expected = Cholesky(blocks.A).solve(b);
    EXPECT_LT((blocks.solve(b) - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(BlockCholesky, FillsInNothingWhereAStackOfBodiesTouches) {
  const int n = 30;
  Pairs pairs;
  for (int i = 0; i + 1 < n; ++i) pairs.emplace_back((7 * i) % n, (7 * (i + 1)) % n);
  BlockCholesky factor;
  factor.analyze(std::vector<int>(n, 6), pairs);
  EXPECT_EQ(factor.block_count(), 2 * n - 1);
}

TEST(BlockCholesky, SaysWhereAMatrixIsNotDefinite) {
  Blocks blocks({6, 9}, {{0, 1}});
  blocks.factor.diagonal(1)[0] = -1.0;
  EXPECT_FALSE(blocks.factor.factor());
}

}  // namespace
}  // namespace limber::block_cholesky_test
