#ifdef LIMBER_WITH_CHOLMOD

#include "limber/linalg/cholmod_solver.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/blas.hpp"

#include <cholmod.h>
#include <metis.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace limber {
namespace {

/// Operations of a factorisation from which on BLAS gets more than one thread. Below, its products are so
/// small that handing them over costs more than they do: a body of 3,000 unknowns took twice as long on two
/// threads, and most of it inside of the kernel; 10^9 is 15 ms of work.
constexpr double threading_pays = 1e9;

/// Nested-dissection order of the blocks of A, expanded to unknowns.
std::vector<int> block_ordering(const SparseMatrix& A, int block_size) {
  const idx_t block_count = static_cast<idx_t>(A.cols() / block_size);
  std::vector<idx_t> begin(1, 0), neighbour;
  for (idx_t block = 0; block < block_count; ++block) {
    idx_t last = -1;
    for (SparseMatrix::InnerIterator it(A, Index{block} * block_size); it; ++it) {
      const idx_t other = static_cast<idx_t>(it.row() / block_size);
      if (other != block && other != last) neighbour.push_back(other);
      last = other;
    }
    begin.push_back(static_cast<idx_t>(neighbour.size()));
  }

  std::vector<idx_t> order(static_cast<std::size_t>(block_count)),
      inverse(static_cast<std::size_t>(block_count));
  std::iota(order.begin(), order.end(), 0);
  if (!neighbour.empty()) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;  // the ordering, and with it every bit of the solution, is reproducible
    idx_t vertices = block_count;
    const int status = METIS_NodeND(&vertices, begin.data(), neighbour.data(), nullptr, options, order.data(),
                                    inverse.data());
    if (status != METIS_OK) std::iota(order.begin(), order.end(), 0);
  }
  std::vector<int> permutation;
  permutation.reserve(static_cast<std::size_t>(A.cols()));
  for (const idx_t block : order) {
    for (int i = 0; i < block_size; ++i) permutation.push_back(static_cast<int>(block) * block_size + i);
  }
  return permutation;
}

class CholmodSolver final : public SparseSolver {
 public:
  explicit CholmodSolver(const SparseSolverOptions& options) : options_(options) {
    prepare_blas();
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.print = 0;
    common_.error_handler = nullptr;
  }

  ~CholmodSolver() override {
    cholmod_free_factor(&factor_, &common_);
    cholmod_free_dense(&X_, &common_);
    cholmod_free_dense(&Y_, &common_);
    cholmod_free_dense(&E_, &common_);
    cholmod_finish(&common_);
  }
  CholmodSolver(const CholmodSolver&) = delete;
  CholmodSolver& operator=(const CholmodSolver&) = delete;

  void analyze(const SparseMatrix& A) override {
    require(A.rows() == A.cols() && A.rows() % options_.block_size == 0,
            "a {} x {} matrix cannot be factored in blocks of {}", A.rows(), A.cols(), options_.block_size);
    cholmod_free_factor(&factor_, &common_);
    std::vector<int> permutation = block_ordering(A, options_.block_size);
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
    common_.postorder = 1;
    cholmod_sparse view = view_of(A);
    factor_ = cholmod_analyze_p(&view, permutation.data(), nullptr, 0, &common_);
    require(factor_ != nullptr,
            "the sparse factorisation of {} unknowns does not fit (CHOLMOD status {}); use a coarser "
            "mesh or the solver 'cg'",
            A.rows(), common_.status);
    blas_threads_ = common_.fl >= threading_pays ? options_.threads : 1;
  }

  SolveReport factor(const SparseMatrix& A) override {
    if (!factor_) analyze(A);
    set_blas_threads(blas_threads_);
    cholmod_sparse view = view_of(A);
    cholmod_factorize(&view, factor_, &common_);
    if (common_.status < CHOLMOD_OK) return {SolveStatus::out_of_memory, 0, 0.0};
    const bool positive = common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
    return {positive ? SolveStatus::converged : SolveStatus::not_positive_definite, 0, 0.0};
  }

  SolveReport solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    require(factor_ && B.rows() == static_cast<Index>(factor_->n),
            "right-hand side has {} rows, the factor {}", B.rows(), factor_ ? factor_->n : 0);
    set_blas_threads(blas_threads_);
    cholmod_dense view{};
    view.nrow = static_cast<std::size_t>(B.rows());
    view.ncol = static_cast<std::size_t>(B.cols());
    view.d = static_cast<std::size_t>(B.outerStride());
    view.nzmax = view.d * view.ncol;
    view.x = const_cast<double*>(B.data());
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    if (!cholmod_solve2(CHOLMOD_A, factor_, &view, nullptr, &X_, nullptr, &Y_, &E_, &common_)) {
      return {SolveStatus::out_of_memory, 0, 0.0};
    }
    X = Eigen::Map<const Matrix>(static_cast<const double*>(X_->x), B.rows(), B.cols());
    return {X.allFinite() ? SolveStatus::converged : SolveStatus::not_finite, 1, 0.0};
  }

  double factor_flops() const override { return common_.fl; }

  double reciprocal_condition() const override {
    return factor_ ? cholmod_rcond(factor_, const_cast<cholmod_common*>(&common_)) : 1.0;
  }

 private:
  /// CHOLMOD's description of A's own storage; it reads the lower triangle and skips the upper one.
  static cholmod_sparse view_of(const SparseMatrix& A) {
    cholmod_sparse view{};
    view.nrow = static_cast<std::size_t>(A.rows());
    view.ncol = static_cast<std::size_t>(A.cols());
    view.nzmax = static_cast<std::size_t>(A.nonZeros());
    view.p = const_cast<int*>(A.outerIndexPtr());
    view.i = const_cast<int*>(A.innerIndexPtr());
    view.x = const_cast<double*>(A.valuePtr());
    view.stype = -1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_REAL;
    view.dtype = CHOLMOD_DOUBLE;
    view.sorted = 1;
    view.packed = 1;
    return view;
  }

  SparseSolverOptions options_;
  int blas_threads_ = 1;  ///< follows from the size of the factorisation
  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense* X_ = nullptr;  ///< solution and workspaces, kept from solve to solve
  cholmod_dense* Y_ = nullptr;
  cholmod_dense* E_ = nullptr;
};

}  // namespace

std::unique_ptr<SparseSolver> make_cholmod_solver(const SparseSolverOptions& options) {
  return std::make_unique<CholmodSolver>(options);
}

}  // namespace limber

#endif  // LIMBER_WITH_CHOLMOD
