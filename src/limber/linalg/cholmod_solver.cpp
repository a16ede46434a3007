#ifdef LIMBER_WITH_CHOLMOD

#include "limber/linalg/cholmod_solver.hpp"

#include "limber/base/error.hpp"
#include "limber/base/executor.hpp"
#include "limber/linalg/blas.hpp"
#include "limber/linalg/panels.hpp"
#include "limber/linalg/supernodal_solve.hpp"

#include <cholmod.h>
#include <metis.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <optional>
#include <vector>

namespace limber {
namespace {

/// Operations of a factorisation from which on BLAS gets more than one thread. Most of its products are
/// small, and OpenBLAS waits for the last of its threads after each: two threads gained a tenth for 48,000
/// tetrahedra (5 * 10^9), lost half for 3,000 unknowns, and took eight times as long (27 s for 3.4) where
/// another program kept one of two cores busy. So only bodies that take tens of seconds on one thread get
/// several.
constexpr double threading_pays = 5e11;

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
    static std::mutex metis;  // its random numbers are those of the whole process
    const std::lock_guard lock(metis);
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
    options_.threads = std::max(1, options_.threads);
    prepare_blas();
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.print = 0;
    common_.error_handler = nullptr;
  }

  ~CholmodSolver() override {
    cholmod_free_factor(&factor_, &common_);
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
    place_.resize(factor_->n);
    const int* unknown_at = static_cast<const int*>(factor_->Perm);
    for (int i = 0; i < static_cast<int>(factor_->n); ++i)
      place_[static_cast<std::size_t>(unknown_at[i])] = i;
    blas_threads_ = common_.fl >= threading_pays ? options_.threads : 1;
  }

  SolveReport factor(const SparseMatrix& A) override {
    if (!factor_) analyze(A);
    set_blas_threads(blas_threads_);
    const SerialOpenMp serial(blas_threads_ == 1);
    cholmod_sparse view = view_of(A);
    cholmod_factorize(&view, factor_, &common_);
    if (common_.status < CHOLMOD_OK) return {SolveStatus::out_of_memory, 0, 0.0};
    const bool positive = common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
    return {positive ? SolveStatus::converged : SolveStatus::not_positive_definite, 0, 0.0};
  }

  SolveReport solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    require(factor_ && factor_->x, "nothing is factored yet");
    check_shapes(static_cast<Index>(factor_->n), B, X);
    if (B.cols() == 1) {
      solve_column(B, X);
    } else {
      solve_panels(B, X);
    }
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

  /// Full panels, unless that leaves threads without one.
  Index panel_count(Index columns) const {
    const Index full = (columns + panel_packets * packet_size - 1) / (panel_packets * packet_size);
    const Index packets = (columns + packet_size - 1) / packet_size;
    return std::max(full, std::min<Index>(packets, options_.threads));
  }

  void solve_panels(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) {
    const Index panels = panel_count(B.cols()), width = (B.cols() + panels - 1) / std::max<Index>(panels, 1);
    const int workers = static_cast<int>(std::min<Index>(panels, options_.threads));
    if (workers > 1 && !executor_) executor_.emplace(options_.threads);
    workspaces_.resize(std::max(workspaces_.size(), static_cast<std::size_t>(workers)));
    std::atomic<Index> next{0};
    const auto work = [&](std::ptrdiff_t worker) {
      std::vector<Packet>& workspace = workspaces_[static_cast<std::size_t>(worker)];
      for (Index panel = next++; panel < panels; panel = next++) {
        const Index begin = panel * width, columns = std::min(width, B.cols() - begin);
        if (columns > 0) solve_panel(B.middleCols(begin, columns), X.middleCols(begin, columns), workspace);
      }
    };
    if (workers > 1) {
      executor_->parallel_for(workers, work);
    } else if (workers == 1) {
      work(0);
    }
  }

  SupernodalFactor factor_view() const {
    return {static_cast<Index>(factor_->nsuper),  static_cast<const int*>(factor_->super),
            static_cast<const int*>(factor_->pi), static_cast<const int*>(factor_->px),
            static_cast<const int*>(factor_->s),  static_cast<const double*>(factor_->x)};
  }

  Index place_of(Index unknown) const { return place_[static_cast<std::size_t>(unknown)]; }

  void solve_panel(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X,
                   std::vector<Packet>& workspace) const {
    const int packets = static_cast<int>((B.cols() + packet_size - 1) / packet_size);
    const auto place = [this](Index i) { return place_of(i); };
    workspace.resize(static_cast<std::size_t>(B.rows() * packets));
    pack_panel(B, packets, place, workspace.data());
    solve_supernodal(factor_view(), packets, workspace.data());
    unpack_panel(workspace.data(), packets, place, X);
  }

  void solve_column(const Eigen::Ref<const Matrix>& b, Eigen::Ref<Matrix> x) {
    column_.resize(b.rows());
    for (Index i = 0; i < b.rows(); ++i) column_(place_of(i)) = b(i, 0);
    solve_supernodal(factor_view(), column_.data());
    for (Index i = 0; i < b.rows(); ++i) x(i, 0) = column_(place_of(i));
  }

  SparseSolverOptions options_;
  int blas_threads_ = 1;  ///< follows from the size of the factorisation
  cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  std::vector<int> place_;                       ///< of each unknown in the factor
  std::optional<Executor> executor_;             ///< started by the first solve that has work for it
  std::vector<std::vector<Packet>> workspaces_;  ///< per thread
  Vector column_;                                ///< workspace for one column
};

}  // namespace

std::unique_ptr<SparseSolver> make_cholmod_solver(const SparseSolverOptions& options) {
  return std::make_unique<CholmodSolver>(options);
}

}  // namespace limber

#endif  // LIMBER_WITH_CHOLMOD
