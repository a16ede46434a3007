#include "bench/bodies.hpp"
#include "bench/registry.hpp"
#include "limber/linalg/pairs.hpp"
#include "limber/precompute/growing_coefficients.hpp"
#include "limber/precompute/stvk_coefficients.hpp"

namespace limber::bench {
namespace {

constexpr double gemm_flops = 2e9;  ///< of linalg/dgemm/1000

struct Work {
  std::string name;  ///< "10368_tets"
  ElementKind kind;
  Eigen::Vector3i cells;
  int threads;
};

/// Of the rank updates alone: rows per element times pairs squared.
double update_flops(const Work& work, Index rank) {
  const double rows = work.kind == ElementKind::tetrahedron ? 6.0 * 6.0 : 70.0;  // per cell
  const double pairs = static_cast<double>(pair_count(1 + rank));
  return rows * work.cells.cast<double>().prod() * pairs * pairs;
}

std::string name_of_case(std::string_view what, const Work& work, Index rank) {
  return "precompute/" + std::string(what) + "/" + work.name + "_r_" + std::to_string(rank) + "/" +
         std::to_string(work.threads) + (work.threads == 1 ? "_thread" : "_threads");
}

Case coefficients(const Work& work, Index rank) {
  return {name_of_case("coefficients", work, rank),
          [work, rank] {
            const auto model = bar("stvk", work.threads, work.kind, work.cells);
            auto basis = std::make_shared<Matrix>(Matrix::Random(model->dof_count(), rank));
            return [=] { compute_stvk_coefficients(*model, *basis); };
          },
          work.threads == 1 ? "the speed of dgemm" : "the speed of dgemm on as many threads",
          [work, rank](const Results& results, double s) {
            const double dgemm = gemm_flops / results.at("linalg/dgemm/1000");
            return update_flops(work, rank) / s / (work.threads * dgemm);
          }};
}

/// By the last one of `rank` vectors.
Case growth(const Work& work, Index rank) {
  return {name_of_case("growth", work, rank),
          [work, rank] {
            const auto model = bar("stvk", work.threads, work.kind, work.cells);
            const auto basis = std::make_shared<Matrix>(Matrix::Random(model->dof_count(), rank));
            const auto growing = std::make_shared<GrowingCoefficients>(*model);
            growing->grow(basis->leftCols(rank - 1));
            return [model, basis, growing, rank] {
              growing->truncate(rank - 1);
              growing->grow(*basis);
            };
          },
          "the time of the whole computation",
          [work, rank](const Results& results, double s) {
            return s / results.at(name_of_case("coefficients", work, rank));
          }};
}

}  // namespace

std::vector<Case> precompute_cases(int threads) {
  const Work tets{"10368_tets", ElementKind::tetrahedron, {48, 6, 6}, 1};
  const Work more_tets{"48000_tets", ElementKind::tetrahedron, {80, 10, 10}, threads};
  // As many as the tower of Barbic & James 2005, table 1, which took 79 minutes.
  const Work bricks{"11000_bricks", ElementKind::brick, {110, 10, 10}, threads};
  return {
      coefficients(tets, 10), coefficients(tets, 20), coefficients(tets, 30),      growth(tets, 10),
      growth(tets, 20),       growth(tets, 30),       coefficients(more_tets, 30), coefficients(bricks, 30)};
}

}  // namespace limber::bench
