#include "bench/registry.hpp"
#include "limber/base/random.hpp"
#include "limber/reduced/cubature.hpp"

#include <array>
#include <memory>

namespace limber::bench {
namespace {

enum class Kind { optimized, modal };
enum class Work { force, force_and_stiffness };

struct Size {
  Index points, rank;
};
/// From a small body to the wire of Yang et al. 2015, Figure 1.
constexpr std::array<Size, 4> sizes{{{100, 15}, {100, 30}, {100, 60}, {342, 120}}};

/// Random gradients, small enough for the body to be in no trouble.
CubatureRule random_rule(const Size& size, Kind kind) {
  Random random(1);
  CubatureRule rule;
  rule.element.assign(static_cast<std::size_t>(size.points), 0);
  rule.point = rule.region = rule.element;
  rule.gradients.resize(9 * size.points, size.rank);
  for (double& value : rule.gradients.reshaped()) value = random.uniform(-0.1, 0.1);
  rule.weights = Matrix::Ones(size.points, kind == Kind::modal ? size.rank : 1);
  rule.energy_weights = Vector::Ones(size.points);
  return rule;
}

std::function<void()> evaluation(const Size& size, Kind kind, Work what) {
  struct Data {
    Cubature cubature;
    CubatureWorkspace work;
    Vector q, force;
    Matrix stiffness;
  };
  const std::array materials{Material{make_law("neo-hookean", lame_from_young(1e5, 0.45))}};
  const Index r = size.rank;
  auto data = std::make_shared<Data>(Data{Cubature(random_rule(size, kind), materials, r),
                                          {},
                                          Vector::Constant(r, 0.02),
                                          Vector(r),
                                          Matrix(r, r)});
  if (what == Work::force) {
    return [data] { data->cubature.evaluate_force(data->q, data->work, data->force); };
  }
  return [data] { data->cubature.evaluate(data->q, data->work, data->force, data->stiffness); };
}

/// Of the products with the gradients: two for the force; for the stiffness one with A, and one of half a
/// matrix, whose entries modal cubature also weighs.
double flops(const Size& size, Kind kind, Work what) {
  const double m = static_cast<double>(size.points), r = static_cast<double>(size.rank);
  if (what == Work::force) return 36.0 * m * r;
  return 162.0 * m * r + (kind == Kind::modal ? 11.0 : 9.0) * m * r * r;
}

}  // namespace

std::vector<Case> cubature_cases(int /*threads*/) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const Size& size, Kind kind, Work what) {
    cases.push_back(
        {"reduced/" + name + "/" + std::to_string(size.points) + "_points_r_" + std::to_string(size.rank),
         [=] { return evaluation(size, kind, what); }, "the speed of dgemm (products with the gradients)",
         [count = flops(size, kind, what)](const Results& results, double s) {
           return count / s * results.at("linalg/dgemm/1000") / (2.0 * 1000 * 1000 * 1000);
         }});
  };
  for (const Size& size : sizes) {
    add("cubature_force", size, Kind::optimized, Work::force);
    add("cubature_force_stiffness", size, Kind::optimized, Work::force_and_stiffness);
    add("modal_cubature_force_stiffness", size, Kind::modal, Work::force_and_stiffness);
  }
  return cases;
}

}  // namespace limber::bench
