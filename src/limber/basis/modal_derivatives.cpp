#include "limber/basis/modal_derivatives.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/pairs.hpp"

#include <algorithm>

namespace limber {
ModalDerivatives compute_modal_derivatives(RestStiffness& rest, const Eigen::Ref<const Matrix>& modes,
                                           const Progress& progress) {
  ModalDerivatives derivatives;
  Matrix loads;
  report(progress, "modal derivatives", 0.0);
  rest.model().stiffness_derivative_products(Vector::Zero(rest.model().dof_count()), modes, loads);
  derivatives.shapes.resize(loads.rows(), loads.cols());
  for (Index begin = 0; begin < loads.cols(); begin += columns_between_reports) {
    const Index columns = std::min(columns_between_reports, loads.cols() - begin);
    auto load = loads.middleCols(begin, columns);
    load = -load;
    const SolveReport solved = rest.solve(load, derivatives.shapes.middleCols(begin, columns));
    derivatives.report.iterations = std::max(derivatives.report.iterations, solved.iterations);
    derivatives.report.residual = std::max(derivatives.report.residual, solved.residual);
    if (!solved.ok()) {
      derivatives.report.status = solved.status;
      return derivatives;
    }
    report(progress, "modal derivatives",
           static_cast<double>(begin + columns) / static_cast<double>(loads.cols()));
  }
  return derivatives;
}

Matrix scale_modes_and_derivatives(const Eigen::Ref<const Matrix>& modes, const VectorRef& eigenvalues,
                                   const Eigen::Ref<const Matrix>& derivatives) {
  const Index k = modes.cols();
  require(eigenvalues.size() == k, "{} eigenvalues for {} modes, expected one each", eigenvalues.size(), k);
  require(derivatives.cols() == 0 || derivatives.cols() == pair_count(k),
          "{} modal derivatives for {} modes, expected {} or none", derivatives.cols(), k, pair_count(k));
  require(k == 0 || eigenvalues.minCoeff() > 0.0,
          "an eigenvalue is {}, expected positive ones; leave the rigid modes out",
          k == 0 ? 0.0 : eigenvalues.minCoeff());
  Matrix scaled(modes.rows(), k + derivatives.cols());
  const double lowest = k == 0 ? 1.0 : eigenvalues.minCoeff();
  for (Index i = 0; i < k; ++i) scaled.col(i) = lowest / eigenvalues(i) * modes.col(i);
  if (derivatives.cols() == 0) return scaled;
  for (Index i = 0; i < k; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double weight = lowest / eigenvalues(i) * (lowest / eigenvalues(j));
      scaled.col(k + pair_index(i, j)) = weight * derivatives.col(pair_index(i, j));
    }
  }
  return scaled;
}

}  // namespace limber
