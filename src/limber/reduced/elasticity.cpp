#include "limber/reduced/elasticity.hpp"

#include "limber/base/error.hpp"

namespace limber {

LinearElasticity::LinearElasticity(Matrix K) : stiffness_(std::move(K)) {
  require(stiffness_.rows() == stiffness_.cols(),
          "a linear stiffness is {} x {}, expected as many columns as rows", stiffness_.rows(),
          stiffness_.cols());
  require(stiffness_.allFinite() && stiffness_ == stiffness_.transpose(),
          "a linear stiffness is not symmetric or not finite");
}

double LinearElasticity::evaluate(const VectorRef& q, Eigen::Ref<Vector> f, Eigen::Ref<Matrix> K) const {
  K = stiffness_;
  return evaluate_force(q, f);
}

double LinearElasticity::evaluate_force(const VectorRef& q, Eigen::Ref<Vector> f) const {
  f.noalias() = stiffness_ * q;
  return 0.5 * f.dot(q);
}

Index Elasticity::rank() const {
  return std::visit([](const auto& form) { return form.rank(); }, form_);
}

double Elasticity::evaluate(const VectorRef& q, ElasticWorkspace& work, Eigen::Ref<Vector> f,
                            Eigen::Ref<Matrix> K) const {
  if (const auto* exact = std::get_if<Quartic>(&form_)) return exact->evaluate(q, work.quartic, f, K);
  if (const auto* points = std::get_if<Cubature>(&form_)) return points->evaluate(q, work.cubature, f, K);
  return std::get<LinearElasticity>(form_).evaluate(q, f, K);
}

double Elasticity::evaluate_force(const VectorRef& q, ElasticWorkspace& work, Eigen::Ref<Vector> f) const {
  if (const auto* exact = std::get_if<Quartic>(&form_)) return exact->evaluate_force(q, work.quartic, f);
  if (const auto* points = std::get_if<Cubature>(&form_)) return points->evaluate_force(q, work.cubature, f);
  return std::get<LinearElasticity>(form_).evaluate_force(q, f);
}

}  // namespace limber
