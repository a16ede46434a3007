#include "limber/linalg/symmetric_product.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/panels.hpp"

#include <memory>

namespace limber {

SymmetricProduct::SymmetricProduct(const SparseMatrix& A) : A_(A) {
  require(A.rows() == A.cols(), "a {} x {} matrix is not symmetric", A.rows(), A.cols());
  A_.prune([](Index, Index, double value) { return value != 0.0; });
}

void SymmetricProduct::apply(const Eigen::Ref<const Matrix>& X, Eigen::Ref<Matrix> Y,
                             const Executor& executor) const {
  require(X.rows() == A_.rows() && Y.rows() == X.rows() && Y.cols() == X.cols(),
          "product of {} x {} by {} x {} into {} x {}", A_.rows(), A_.cols(), X.rows(), X.cols(), Y.rows(),
          Y.cols());
  const auto in_order = [](Index i) { return i; };
  executor.parallel_ranges(X.cols(), packet_size, [&](Index begin, Index end) {
    const auto panel = std::make_unique_for_overwrite<Packet[]>(static_cast<std::size_t>(2 * A_.rows()));
    Packet* const x = panel.get();
    Packet* const y = x + A_.rows();
    pack_panel(X.middleCols(begin, end - begin), 1, in_order, x);
    for (Index i = 0; i < A_.cols(); ++i) {
      Packet sum{};
      for (SparseMatrix::InnerIterator it(A_, i); it; ++it) sum += it.value() * x[it.row()];
      y[i] = sum;
    }
    unpack_panel(y, 1, in_order, Y.middleCols(begin, end - begin));
  });
}

}  // namespace limber
