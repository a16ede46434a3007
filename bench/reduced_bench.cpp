#include "bench/registry.hpp"
#include "limber/base/random.hpp"
#include "limber/reduced/quartic.hpp"

#include <memory>

namespace limber::bench {
namespace {

constexpr Index batch_rank = 30, batch_states = 1024;

/// Flops per second of dgemm in this run.
double dgemm_speed(const Results& results) {
  return 2.0 * 1000 * 1000 * 1000 / results.at("linalg/dgemm/1000");
}

Matrix random_matrix(Index rows, Index columns, double amplitude) {
  Random random(1);
  Matrix values(rows, columns);
  for (double& value : values.reshaped()) value = random.uniform(-amplitude, amplitude);
  return values;
}

std::function<void()> force_and_stiffness(Index rank) {
  struct Data {
    Quartic quartic;
    QuarticWorkspace work;
    Vector q, force;
    Matrix stiffness;
  };
  auto data = std::make_shared<Data>(Data{Quartic(rank, random_matrix(monomial_count(rank), 1, 1.0)),
                                          {},
                                          random_matrix(rank, 1, 0.5),
                                          Vector(rank),
                                          Matrix(rank, rank)});
  return [data] { data->quartic.evaluate(data->q, data->work, data->force, data->stiffness); };
}

std::function<void()> batch() {
  struct Data {
    QuarticBatch quartic;
    QuarticBatchWorkspace work;
    Matrix states, forces, stiffnesses;
    Vector energies;
  };
  const Index r = batch_rank, s = batch_states;
  auto data = std::make_shared<Data>(Data{QuarticBatch(r, random_matrix(monomial_count(r), 1, 1.0)),
                                          {},
                                          random_matrix(r, s, 0.5),
                                          Matrix(r, s),
                                          Matrix(r * r, s),
                                          Vector(s)});
  return [data] {
    data->quartic.evaluate(data->states, data->work, data->forces, data->stiffnesses, data->energies);
  };
}

}  // namespace

std::vector<Case> reduced_cases(int /*threads*/) {
  std::vector<Case> cases;
  for (const Index rank : {15, 30, 60}) {
    const double flops = 6.0 * static_cast<double>(monomial_count(rank));
    cases.push_back({"reduced/force_stiffness/r_" + std::to_string(rank),
                     [rank] { return force_and_stiffness(rank); },
                     "the speed of dgemm (6 flops per coefficient)",
                     [flops](const Results& results, double s) { return flops / s / dgemm_speed(results); }});
  }
  const double pairs = static_cast<double>(pair_count(1 + batch_rank));
  const double flops = 2.0 * pairs * pairs * static_cast<double>(batch_states);
  cases.push_back({"reduced/batch_1024/r_30", batch,
                   "the speed of dgemm (one product with the pairs-by-pairs matrix)",
                   [flops](const Results& results, double s) { return flops / s / dgemm_speed(results); }});
  return cases;
}

}  // namespace limber::bench
