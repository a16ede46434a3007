#include "bench/bodies.hpp"
#include "bench/registry.hpp"

namespace limber::bench {
namespace {

std::function<void()> assembly(std::string_view law, int threads, ElementKind kind, Eigen::Vector3i cells,
                               Tangent tangent) {
  const auto model = bar(law, threads, kind, cells);
  auto u = std::make_shared<Vector>(bent(*model));
  auto f = std::make_shared<Vector>();
  auto K = std::make_shared<SparseMatrix>(model->pattern());
  return [=] { model->force_and_stiffness(*u, *f, *K, tangent); };
}

std::function<void()> tets(std::string_view law, int threads, Tangent tangent = Tangent::exact) {
  return assembly(law, threads, ElementKind::tetrahedron, {80, 10, 10}, tangent);
}

std::function<void()> derivative(std::string_view law) {
  const auto model = bar(law, 1);
  auto u = std::make_shared<Vector>(bent(*model));
  auto H = std::make_shared<SparseMatrix>(model->pattern());
  return [=] { model->stiffness_derivative(*u, *u, *H); };
}

std::function<void()> force(std::string_view law) {
  const auto model = bar(law, 1);
  auto u = std::make_shared<Vector>(bent(*model));
  auto f = std::make_shared<Vector>();
  return [=] { model->internal_force(*u, *f); };
}

}  // namespace

std::vector<Case> fem_cases(int threads) {
  const std::string reference = "fem/force_stiffness/48000_tets_stvk/1_thread";
  const auto relative = [reference](const Results& results, double s) { return s / results.at(reference); };
  const std::string to_reference = "force + stiffness of 48,000 StVK tets";
  std::vector<Case> cases;
  // What the entries of K alone cost to write, at the speed that memory is read with.
  const double bytes = 8.0 * static_cast<double>(bar("stvk", 1)->pattern().nonZeros());
  cases.push_back({reference, [] { return tets("stvk", 1); }, "reading K once from memory",
                   [bytes](const Results& results, double s) {
                     return s / (bytes / (8.0 * (1 << 24)) * results.at("linalg/memory_read/128_MiB"));
                   }});
  cases.push_back({"fem/force_stiffness/48000_tets_stvk/" + std::to_string(threads) + "_threads",
                   [threads] { return tets("stvk", threads); }, "faster than 1 thread",
                   [reference](const Results& results, double s) { return results.at(reference) / s; }});
  cases.push_back({"fem/force/48000_tets_stvk", [] { return force("stvk"); }, to_reference, relative});
  for (const std::string_view law : material_names) {
    if (law != "stvk") {
      cases.push_back({"fem/force_stiffness/48000_tets_" + std::string(law), [law] { return tets(law, 1); },
                       to_reference, relative});
    }
  }
  cases.push_back({"fem/projected_stiffness/48000_tets_stvk",
                   [] { return tets("stvk", 1, Tangent::projected); }, to_reference, relative});
  cases.push_back({"fem/stiffness_derivative/48000_tets_stvk", [] { return derivative("stvk"); },
                   to_reference, relative});
  cases.push_back({"fem/force_stiffness/8000_bricks_stvk",
                   [] {
                     return assembly("stvk", 1, ElementKind::brick, {80, 10, 10}, Tangent::exact);
                   },
                   to_reference, relative});
  return cases;
}

}  // namespace limber::bench
