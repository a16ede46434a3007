#pragma once

#include "limber/linalg/block_kernels.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace limber {

/// Cholesky's factor of a symmetric positive definite matrix of dense blocks, most of which are zero: one row
/// and column of blocks per body, and blocks off the diagonal where two bodies touch. Blocks are eliminated
/// in the order of least degree, so that a pile fills in little. Once it has held a matrix as large nothing
/// is allocated for the numbers.
///
/// Blocks are stored as linalg/block_kernels.hpp has them; vectors are those of all blocks one after the
/// other, each padded likewise.
class BlockCholesky {
 public:
  /// sizes: of the blocks.  pairs: of blocks that touch, in any order, as often as one likes. All numbers
  /// become zero.
  void analyze(std::span<const int> sizes, std::span<const std::pair<int, int>> pairs);
  void clear_off_diagonal();  ///< those blocks become zero

  [[nodiscard]] double* diagonal(int i) { return numbers_of(i, i); }  ///< n_i x n_i: its lower triangle
  /// n_i x n_j, of a pair that was given: as block (i, j) where i is eliminated after j, else none.
  [[nodiscard]] bool below(int i, int j) const { return turn_[at(i)] > turn_[at(j)]; }
  [[nodiscard]] double* off_diagonal(int i, int j) { return numbers_of(i, j); }

  /// In place. False where the matrix is not positive definite.
  bool factor();
  void solve(std::span<double> x) const;

  [[nodiscard]] int size(int i) const { return sizes_[at(i)]; }
  [[nodiscard]] int offset(int i) const { return offsets_[at(i)]; }  ///< of block i in a vector
  [[nodiscard]] int padded_total() const { return padded_total_; }   ///< length of a vector
  [[nodiscard]] int block_count() const;                             ///< on and below the diagonal

 private:
  /// The rest of a column of blocks: which rows it has, and where their numbers are.
  struct Row {
    int body = 0;
    std::size_t first = 0;
  };
  struct Column {
    std::size_t diagonal = 0;
    std::vector<Row> rows;  ///< by turn
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void order_blocks(std::span<const std::pair<int, int>> pairs);
  void place_numbers();
  [[nodiscard]] double* numbers_of(int row, int column);

  std::vector<int> sizes_, offsets_;
  int padded_total_ = 0;
  std::vector<int> order_, turn_;  ///< bodies as they are eliminated, and when each is
  std::vector<Column> columns_;    ///< of each body
  BlockNumbers numbers_;
  std::vector<std::vector<int>> neighbours_;  ///< while blocks are ordered
};

}  // namespace limber
