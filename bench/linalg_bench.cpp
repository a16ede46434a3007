#include "bench/bodies.hpp"
#include "bench/registry.hpp"
#include "limber/linalg/blas.hpp"
#include "limber/linalg/sparse_solver.hpp"

#include <numeric>

extern "C" void dgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                       const int* k, const double* alpha, const double* a, const int* lda, const double* b,
                       const int* ldb, const double* beta, double* c, const int* ldc);

namespace limber::bench {
namespace {

constexpr int gemm_size = 1000;
constexpr double gemm_flops = 2.0 * gemm_size * gemm_size * gemm_size;
constexpr std::size_t stream_doubles = std::size_t{1} << 24;  ///< 128 MiB, more than any cache

std::function<void()> matrix_product() {
  prepare_blas();
  set_blas_threads(1);
  auto data = std::make_shared<std::vector<double>>(3 * gemm_size * gemm_size, 1.0);
  return [data] {
    const int n = gemm_size;
    const double one = 1.0, zero = 0.0;
    double* a = data->data();
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a + n * n, &n, &zero, a + 2 * n * n, &n);
  };
}

std::function<void()> memory_read() {
  auto data = std::make_shared<Vector>(Vector::Ones(stream_doubles));
  auto sum = std::make_shared<double>(0.0);
  return [data, sum] { *sum += data->sum(); };
}

struct Factored {
  std::shared_ptr<FullModel> model;
  SparseMatrix K;
  std::unique_ptr<SparseSolver> solver;
};

std::shared_ptr<Factored> factored(int threads) {
  auto result = std::make_shared<Factored>();
  result->model = bar("stvk", threads);
  result->K = result->model->stiffness(Vector::Zero(result->model->dof_count()));
  result->solver = make_sparse_solver({.threads = threads});
  result->solver->analyze(result->K);
  (void)result->solver->factor(result->K);
  return result;
}

std::function<void()> solve(int columns) {
  const auto f = factored(1);
  auto B = std::make_shared<Matrix>(Matrix::Random(f->K.rows(), columns));
  auto X = std::make_shared<Matrix>(f->K.rows(), columns);
  return [=] { (void)f->solver->solve(*B, *X); };
}

}  // namespace

std::vector<Case> linalg_cases(int threads) {
  std::vector<Case> cases;
  cases.push_back({"linalg/dgemm/1000", matrix_product, "GFLOP/s",
                   [](const Results&, double s) { return 1e-9 * gemm_flops / s; }});
  cases.push_back({"linalg/memory_read/128_MiB", memory_read, "GB/s",
                   [](const Results&, double s) { return 8e-9 * static_cast<double>(stream_doubles) / s; }});
  cases.push_back({"linalg/analyze/48000_tets", [] {
                     const auto f = factored(1);
                     return [f] { f->solver->analyze(f->K); };
                   }});
  auto flops = std::make_shared<double>(0.0);
  cases.push_back({"linalg/factor/48000_tets/1_thread",
                   [flops] {
                     const auto f = factored(1);
                     *flops = f->solver->factor_flops();
                     return [f] { (void)f->solver->factor(f->K); };
                   },
                   "the speed of dgemm",
                   [flops](const Results& results, double s) {
                     return (*flops / s) / (gemm_flops / results.at("linalg/dgemm/1000"));
                   }});
  cases.push_back(
      {"linalg/factor/48000_tets/" + std::to_string(threads) + "_threads",
       [threads] {
         const auto f = factored(threads);
         return [f] { (void)f->solver->factor(f->K); };
       },
       "faster than 1 thread",
       [](const Results& results, double s) { return results.at("linalg/factor/48000_tets/1_thread") / s; }});
  cases.push_back({"linalg/solve/48000_tets/1_rhs", [] { return solve(1); }});
  cases.push_back({"linalg/solve/48000_tets/12_rhs", [] { return solve(12); }, "cheaper each than 1 rhs",
                   [](const Results& results, double s) {
                     return results.at("linalg/solve/48000_tets/1_rhs") / (s / 12.0);
                   }});
  return cases;
}

}  // namespace limber::bench
