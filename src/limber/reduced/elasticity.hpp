#pragma once

#include "limber/reduced/cubature.hpp"
#include "limber/reduced/linear_elasticity.hpp"
#include "limber/reduced/quartic.hpp"

#include <utility>
#include <variant>

namespace limber {

/// Memory for one evaluation at a time, of whatever kind.
struct ElasticWorkspace {
  QuarticWorkspace quartic;
  CubatureWorkspace cubature;
};

/// Elastic energy, force and stiffness of a reduced body: exact polynomials for St. Venant-Kirchhoff,
/// cubature for any material, or a constant stiffness.
class Elasticity {
 public:
  Elasticity() = default;
  Elasticity(Quartic quartic) : form_(std::move(quartic)) {}
  Elasticity(Cubature cubature) : form_(std::move(cubature)) {}
  Elasticity(LinearElasticity linear) : form_(std::move(linear)) {}

  [[nodiscard]] Index rank() const;

  /// f (r), K (r x r, both triangles); returns W, J.
  double evaluate(const VectorRef& q, ElasticWorkspace& work, Eigen::Ref<Vector> f,
                  Eigen::Ref<Matrix> K) const;

  /// f alone; returns W.
  double evaluate_force(const VectorRef& q, ElasticWorkspace& work, Eigen::Ref<Vector> f) const;

  /// The polynomial, or null; the cubature, or null. A constant stiffness has neither.
  [[nodiscard]] const Quartic* quartic() const { return std::get_if<Quartic>(&form_); }
  [[nodiscard]] const Cubature* cubature() const { return std::get_if<Cubature>(&form_); }

  /// Whether f is the gradient of W.
  [[nodiscard]] bool conservative() const { return cubature() == nullptr || cubature()->conservative(); }

 private:
  std::variant<Quartic, Cubature, LinearElasticity> form_;
};

}  // namespace limber
