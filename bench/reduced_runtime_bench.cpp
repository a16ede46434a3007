#include "bench/registry.hpp"
#include "limber/base/random.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace limber::bench {
namespace {

constexpr std::array ranks{4, 8, 12, 15, 20, 30, 40, 60};
constexpr Index reconstruction_rank = 30;

/// W = 1/2 sum of squares of random quadratic "strains" in q: never negative, and stiff everywhere.
Vector random_energy(Index rank) {
  const Index variables = 1 + rank, pairs = pair_count(variables), strains = 2 * rank;
  Random random(1);
  Matrix strain(pairs, strains);
  for (double& value : strain.reshaped()) value = 0.3 * random.normal() / static_cast<double>(rank);
  for (Index i = 1; i <= rank; ++i) strain.row(pair_index(i, 0)) *= static_cast<double>(rank);
  strain.row(0).setZero();  // at rest there is none
  const Matrix products = strain * strain.transpose();

  Vector energy = Vector::Zero(monomial_count(rank));
  for (Index i = 0; i < variables; ++i) {
    for (Index j = 0; j <= i; ++j) {
      for (Index k = 0; k < variables; ++k) {
        for (Index l = 0; l <= k; ++l) {
          std::array index{i, j, k, l};
          std::sort(index.begin(), index.end());
          energy(monomial_index(index[3], index[2], index[1], index[0])) +=
              0.5 * products(pair_index(i, j), pair_index(k, l));
        }
      }
    }
  }
  return energy;
}

/// A step of a damped body that hangs on a force: it comes near to rest, and every step costs the same.
std::function<void()> implicit_step(Index rank) {
  struct Body {
    ReducedEquations equations;
    ReducedWorkspace work;
    DynamicState state;
    Vector force;

    explicit Body(Index r)
        : equations{r, Quartic(r, random_energy(r)), Matrix::Identity(r, r), Eigen::MatrixX3d::Zero(r, 3)},
          work{ReducedSystem(equations, {0.1, 0.01, RayleighDamping::Stiffness::local})},
          state(make_reduced_state(r)),
          force(Vector::Constant(r, 0.1)) {}
  };
  auto body = std::make_shared<Body>(rank);
  return [body] { (void)step(body->work, 0.05, body->force, body->state); };
}

/// The bytes of the basis of a reconstruction, in floats.
Index basis_size(Index vertices) { return 3 * vertices * reconstruction_rank; }

/// The fastest read of as many floats, from the same kind of pages.
std::function<void()> memory_read(Index vertices) {
  using Row = float __attribute__((vector_size(64)));
  constexpr Index at_once = 8;
  constexpr std::size_t huge_page = std::size_t{1} << 21;
  const std::size_t bytes = (static_cast<std::size_t>(basis_size(vertices)) * sizeof(float) + huge_page - 1) /
                            huge_page * huge_page;
  auto* data = static_cast<float*>(std::aligned_alloc(huge_page, bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  madvise(data, bytes, MADV_HUGEPAGE);
#endif
  std::fill_n(data, bytes / sizeof(float), 1.0f);
  const std::shared_ptr<float> owner(data, [](float* memory) { std::free(memory); });
  auto sum = std::make_shared<float>(0.0f);
  const Index rows = basis_size(vertices) / 16;
  return [owner, sum, rows] {
    const Row* row = reinterpret_cast<const Row*>(owner.get());
    std::array<Row, at_once> sums{};
    for (Index i = 0; i + at_once <= rows; i += at_once) {
      for (Index k = 0; k < at_once; ++k) sums[static_cast<std::size_t>(k)] += row[i + k];
    }
    for (const Row& one : sums) *sum += one[0];
  };
}

std::function<void()> reconstruct(Index vertices) {
  Eigen::MatrixXf basis(3 * vertices, reconstruction_rank);
  Random random(1);
  for (float& value : basis.reshaped()) value = static_cast<float>(random.uniform(-1.0, 1.0));
  auto reconstruction = std::make_shared<Reconstruction<float>>(basis);
  auto q = std::make_shared<Eigen::VectorXf>(Eigen::VectorXf::Random(reconstruction_rank));
  auto u = std::make_shared<Eigen::Matrix3Xf>(3, vertices);
  return [=] { reconstruction->displacements(*q, *u); };
}

/// Normals of a wavy square sheet of triangles.
std::function<void()> update_normals(int side, int threads) {
  auto positions = std::make_shared<Eigen::Matrix3Xf>(3, side * side);
  Eigen::Matrix3Xi triangles(3, 2 * (side - 1) * (side - 1));
  for (int i = 0, t = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int v = i * side + j;
      positions->col(v) << static_cast<float>(i), static_cast<float>(j),
          std::sin(0.1f * static_cast<float>(i + j));
      if (i + 1 == side || j + 1 == side) continue;
      triangles.col(t++) << v, v + side, v + 1;
      triangles.col(t++) << v + 1, v + side, v + side + 1;
    }
  }
  auto updater = std::make_shared<NormalUpdater>(triangles, side * side);
  auto normals = std::make_shared<Eigen::Matrix3Xf>(3, side * side);
  return [=, executor = Executor(threads)] { updater->update(*positions, *normals, executor); };
}

}  // namespace

std::vector<Case> reduced_runtime_cases(int threads) {
  std::vector<Case> cases;
  for (const int rank : ranks) {
    cases.push_back({"reduced/implicit_step/r_" + std::to_string(rank),
                     [rank] { return implicit_step(rank); }, "steps/s",
                     [](const Results&, double s) { return 1.0 / s; }});
  }
  for (const Index vertices : {60000, 400000}) {
    const std::string size = std::to_string(vertices) + "_vertices_r_" + std::to_string(reconstruction_rank);
    cases.push_back({"reduced/read/" + size, [vertices] { return memory_read(vertices); }, "GB/s",
                     [vertices](const Results&, double s) {
                       return 4e-9 * static_cast<double>(basis_size(vertices)) / s;
                     }});
    cases.push_back(
        {"reduced/reconstruct/" + size, [vertices] { return reconstruct(vertices); }, "the speed of a read",
         [size](const Results& results, double s) { return results.at("reduced/read/" + size) / s; }});
  }
  for (const int count : {1, threads}) {
    cases.push_back(
        {"reduced/normals/62500_vertices/" + std::to_string(count) + (count == 1 ? "_thread" : "_threads"),
         [count] { return update_normals(250, count); }});
    if (threads == 1) break;
  }
  return cases;
}

}  // namespace limber::bench
