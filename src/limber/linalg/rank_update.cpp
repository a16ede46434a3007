#include "limber/linalg/rank_update.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/blas.hpp"

#include <dlfcn.h>

namespace limber {
namespace {

using Dsyrk = void(const char* triangle, const char* transpose, const int* n, const int* k,
                   const double* alpha, const double* a, const int* lda, const double* beta, double* c,
                   const int* ldc);

/// OpenBLAS's routine; null where no or another BLAS is loaded. Looked up at run time, as in blas.cpp: a
/// build without CHOLMOD links no BLAS.
Dsyrk* fast_dsyrk() {
  static Dsyrk* const routine =
      prepare_blas().kernels_used.empty() ? nullptr : reinterpret_cast<Dsyrk*>(dlsym(RTLD_DEFAULT, "dsyrk_"));
  return routine;
}

void check_sizes(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<Matrix>& C) {
  require(C.rows() == A.cols() && C.cols() == A.cols(),
          "a {} x {} matrix cannot take the products of {} columns", C.rows(), C.cols(), A.cols());
}

}  // namespace

void add_rank_update(double alpha, const Eigen::Ref<const Matrix>& A, Eigen::Ref<Matrix> C) {
  Dsyrk* const dsyrk = fast_dsyrk();
  if (!dsyrk) return add_rank_update_by_eigen(alpha, A, C);
  check_sizes(A, C);
  if (A.size() == 0) return;
  const int n = static_cast<int>(A.cols()), k = static_cast<int>(A.rows());
  const int lda = static_cast<int>(A.outerStride()), ldc = static_cast<int>(C.outerStride());
  const double one = 1.0;
  dsyrk("L", "T", &n, &k, &alpha, A.data(), &lda, &one, C.data(), &ldc);
}

void add_rank_update_by_eigen(double alpha, const Eigen::Ref<const Matrix>& A, Eigen::Ref<Matrix> C) {
  check_sizes(A, C);
  if (A.size() > 0) C.selfadjointView<Eigen::Lower>().rankUpdate(A.transpose(), alpha);
}

void start_rank_updates() {
  prepare_blas();
  set_blas_threads(1);
}

}  // namespace limber
