#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/symmetric_product.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// A growing set of vectors V with V^T M V = I, to rounding, for the narrow blocks of a Krylov sequence
/// V_j+1 = K^-1 M V_j.
///
/// By block Gram-Schmidt. MassBasis, made for blocks of any origin, makes two passes over all vectors for
/// each of them. Here more is known:
/// - K^-1 M is self-adjoint in the inner product of M, so that a new block is orthogonal to all but the last
///   two already, but for rounding. It is made orthogonal to those two at once, and to all others together
///   with the block that follows it.
/// - What rounding brings back are the softest motions, which K^-1 multiplies most (Parlett & Scott 1979),
///   and these are held by the first vectors. Those in the middle are left alone as long as random sums of
///   them, with signs, show no product: a check that costs as much as a few vectors and misses nothing of
///   weight.
/// Where a pass takes away more than rounding, others follow until one does not.
class KrylovBasis final {
 public:
  /// M: n x n, symmetric, positive definite; copied.  first: n x k, mass-orthonormal vectors to begin with.
  /// capacity: vectors that it can hold beside them.
  KrylovBasis(const SparseMatrix& M, const Eigen::Ref<const Matrix>& first, Index capacity,
              const Executor& executor);

  /// Vectors beside the first ones; fewer after finish() where some turn out to depend on old ones.
  [[nodiscard]] Index size() const { return size_ - first_; }

  /// M times the vectors of the last block: the load that gives the next one.
  [[nodiscard]] auto last_mass_vectors() const { return MR_.rightCols(last_); }

  [[nodiscard]] const SymmetricProduct& mass() const { return M_; }

  /// Appends what a block W, n x s, adds to the span, columns in their order. Those of which a share of at
  /// most 1e-7 is new add nothing.  Cost O(n s size).
  void append(Matrix W);

  /// Makes the last block orthogonal to all others, if it is not yet.
  void finish();

  /// Finishes, and gives V away but for the first vectors; the basis is empty afterwards.
  Matrix take_vectors();

 private:
  [[nodiscard]] Matrix products_with_pending();
  void finish_thoroughly();
  void add_to_checks();

  SymmetricProduct M_;
  Executor executor_;
  Index first_ = 0;
  Matrix V_;           ///< the first size_ columns are in use
  Matrix MR_;          ///< M times the last vectors: of two blocks
  Matrix checks_;      ///< sums of vectors, n x sums
  Matrix signs_;       ///< of the vectors in these, sums x vectors
  Index size_ = 0;     ///< vectors, the first ones included
  Index soft_ = 0;     ///< of these the first so many always get their products
  Index checked_ = 0;  ///< and the first so many are in the sums
  Index last_ = 0;     ///< in the last block
  Index pending_ = 0;  ///< not yet orthogonal to all before them: of none, one or two blocks
};

}  // namespace limber
