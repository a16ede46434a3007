#pragma once

#include "limber/reduced/cubature.hpp"
#include "limber/reduced/quartic.hpp"

#include <utility>
#include <variant>

namespace limber {

/// Memory for one evaluation at a time, of whatever kind.
struct ElasticWorkspace {
  QuarticWorkspace quartic;
  CubatureWorkspace cubature;
};

/// Elastic energy, force and stiffness of a reduced body: exact polynomials for St. Venant-Kirchhoff, or cubature for any material.
class Elasticity {
 public:
  Elasticity() = default;
  Elasticity(Quartic quartic) : form_(std::move(quartic)) {}
  Elasticity(Cubature cubature) : form_(std::move(cubature)) {}

  [[nodiscard]] Index rank() const {
    return std::visit([](const auto& form) { return form.rank(); }, form_);
  }

  /// f (r), K (r x r, both triangles); returns W, J.
  double evaluate(const VectorRef& q, ElasticWorkspace& work, Eigen::Ref<Vector> f,
                  Eigen::Ref<Matrix> K) const {
    if (const auto* exact = std::get_if<Quartic>(&form_)) return exact->evaluate(q, work.quartic, f, K);
    return std::get<Cubature>(form_).evaluate(q, work.cubature, f, K);
  }

  /// f alone; returns W.
  double evaluate_force(const VectorRef& q, ElasticWorkspace& work, Eigen::Ref<Vector> f) const {
    if (const auto* exact = std::get_if<Quartic>(&form_)) return exact->evaluate_force(q, work.quartic, f);
    return std::get<Cubature>(form_).evaluate_force(q, work.cubature, f);
  }

  /// The polynomial, or null; the cubature, or null.
  [[nodiscard]] const Quartic* quartic() const { return std::get_if<Quartic>(&form_); }
  [[nodiscard]] const Cubature* cubature() const { return std::get_if<Cubature>(&form_); }

  /// Whether f is the gradient of W.
  [[nodiscard]] bool conservative() const { return quartic() != nullptr || cubature()->conservative(); }

 private:
  std::variant<Quartic, Cubature> form_;
};

}  // namespace limber
