#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// Products of one symmetric sparse matrix with many columns. Keeps a copy of the entries that are not zero:
/// a mass matrix in the pattern of the stiffness has two zeros for each. Eight columns are multiplied at
/// once, so that each entry is read once for them.
class SymmetricProduct final {
 public:
  explicit SymmetricProduct(const SparseMatrix& A);

  [[nodiscard]] Index rows() const { return A_.rows(); }

  /// Y = A X.  X, Y: n x s, different storage.  Each column's bits are the same whatever is beside it.
  void apply(const Eigen::Ref<const Matrix>& X, Eigen::Ref<Matrix> Y, const Executor& executor) const;

 private:
  SparseMatrix A_;
};

}  // namespace limber
