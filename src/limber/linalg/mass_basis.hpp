#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/symmetric_product.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// A growing set of vectors V that are orthonormal in the inner product of a mass matrix: V^T M V = I, to
/// rounding. Blocks of columns are orthonormalised by Gram-Schmidt in matrix products, and inside of a block
/// by the Cholesky factor of its Gram matrix, all of it twice ("twice is enough", Giraud et al. 2005).
/// Columns that are nearly dependent on others of their block are put off until those are in the basis. There
/// are never more vectors than unknowns: a full basis takes no more, since nothing but rounding can be left
/// of what it is given.
class MassBasis final {
 public:
  /// M: n x n, symmetric, positive definite; copied.
  MassBasis(const SparseMatrix& M, const Executor& executor);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] auto vectors() const { return V_.leftCols(size_); }        ///< V, n x size
  [[nodiscard]] auto mass_vectors() const { return MV_.leftCols(size_); }  ///< M V, n x size
  [[nodiscard]] const SymmetricProduct& mass() const { return M_; }

  void reserve(Index columns);

  /// W -= V H with H = V^T M W, which is returned: size x columns. One pass.
  Matrix project_out(Eigen::Ref<Matrix> W) const;

  /// Appends the directions of W, n x s, that V does not hold yet. A column of which a share of its mass-norm
  /// of at most `tolerance` remains, after the earlier ones were taken off, adds none. Returns R with W = V
  /// R, but for what was dropped: size x s.
  Matrix append(Matrix W, double tolerance);

  /// V without copying; the basis is empty afterwards.
  Matrix take_vectors();

 private:
  struct GramFactor;
  static GramFactor factor_gram(const Matrix& G, const std::vector<Index>& candidates, Index room);
  [[nodiscard]] Index room() const { return M_.rows() - size_; }  ///< vectors that may still come
  Matrix append_columns(Eigen::Ref<Matrix> W, double tolerance, Vector lengths);
  Matrix append_independent(Eigen::Ref<Matrix> W, Matrix& MW, const GramFactor& factor, double tolerance,
                            const Vector& lengths);
  Matrix append_nearly_orthonormal(Eigen::Ref<Matrix> W, Matrix& MW);
  Matrix append_one(Eigen::Ref<Matrix> w, double smallest);
  void store(const Eigen::Ref<const Matrix>& W, const Eigen::Ref<const Matrix>& MW);

  SymmetricProduct M_;
  Executor executor_;
  Matrix V_, MV_;  ///< the first size_ columns are in use
  Index size_ = 0;
};

/// A^T B for two tall matrices, in parallel over rows, with the same bits for any number of threads.
Matrix tall_product(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B,
                    const Executor& executor);

/// A C for a tall A and a small C.
Matrix tall_combination(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& C,
                        const Executor& executor);

}  // namespace limber
