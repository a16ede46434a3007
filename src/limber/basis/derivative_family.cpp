#include "limber/basis/derivative_family.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/pairs.hpp"

#include <algorithm>

namespace limber {
namespace {

/// A family in the order of the pairs they come from: shape modes + pair_index(i, j) is the derivative of
/// shape i along shape j. So the pairs of the shapes up to some order give the derivatives of all orders up
/// to the next, those known already first.
class FamilyBuilder {
 public:
  FamilyBuilder(RestStiffness& rest, const Eigen::Ref<const Matrix>& modes, const VectorRef& eigenvalues,
                Index most, const Progress& progress)
      : rest_(rest), progress_(progress), modes_(modes.cols()), most_(most) {
    family_.shapes = modes;
    family_.weights = eigenvalues.minCoeff() * eigenvalues.cwiseInverse();
    family_.first = {0, modes.cols()};
  }

  void add_order() {
    const Index from = family_.shapes.cols(), known = from - modes_, pairs = pair_count(from);
    Matrix loads;
    rest_.model().stiffness_derivative_products(Vector::Zero(family_.shapes.rows()), family_.shapes, loads);
    family_.shapes.conservativeResize(Eigen::NoChange, modes_ + pairs);
    for (Index begin = known; begin < pairs && family_.report.ok(); begin += columns_between_reports)
      solve(loads.middleCols(begin, std::min(columns_between_reports, pairs - begin)), modes_ + begin);
    add_weights(from);
    family_.first.push_back(family_.shapes.cols());
  }

  [[nodiscard]] const SolveReport& report() const { return family_.report; }
  DerivativeFamily take() { return std::move(family_); }

 private:
  void solve(Eigen::Ref<Matrix> loads, Index column) {
    loads = -loads;
    const SolveReport solved = rest_.solve(loads, family_.shapes.middleCols(column, loads.cols()));
    family_.report.status = solved.status;
    family_.report.iterations = std::max(family_.report.iterations, solved.iterations);
    family_.report.residual = std::max(family_.report.residual, solved.residual);
    limber::report(progress_, "derivatives",
                   static_cast<double>(column + loads.cols() - modes_) / static_cast<double>(most_ - modes_));
  }

  /// For the derivatives of the first `from` shapes along each other.
  void add_weights(Index from) {
    Vector weights(family_.shapes.cols());
    weights.head(from) = family_.weights;
    for (Index i = 0; i < from; ++i) {
      for (Index j = 0; j <= i; ++j)
        weights(modes_ + pair_index(i, j)) = family_.weights(i) * family_.weights(j);
    }
    family_.weights = std::move(weights);
  }

  RestStiffness& rest_;
  const Progress& progress_;
  Index modes_, most_;
  DerivativeFamily family_;
};

}  // namespace

double derivative_family_size(Index modes, int order) {
  double size = static_cast<double>(modes);
  for (int k = 0; k < order; ++k) size = static_cast<double>(modes) + 0.5 * size * (size + 1.0);
  return size;
}

DerivativeFamily compute_derivative_family(RestStiffness& rest, const Eigen::Ref<const Matrix>& modes,
                                           const VectorRef& eigenvalues, int order, const Progress& progress,
                                           double most_bytes) {
  const Index dofs = rest.model().dof_count();
  require(modes.rows() == dofs, "modes have {} rows, the model needs {} (3 per free vertex)", modes.rows(),
          dofs);
  require(modes.cols() >= 1, "derivatives of no modes asked for, expected one mode at least");
  require(eigenvalues.size() == modes.cols(), "{} eigenvalues for {} modes, expected one each",
          eigenvalues.size(), modes.cols());
  require(eigenvalues.allFinite() && eigenvalues.minCoeff() > 0.0,
          "an eigenvalue is {}, expected positive ones; leave the rigid modes out", eigenvalues.minCoeff());
  require(order >= 0, "derivatives of order {} asked for, expected 0 or more", order);
  const double count = derivative_family_size(modes.cols(), order);
  const double bytes = 2.0 * sizeof(double) * static_cast<double>(dofs) * count;
  require(bytes <= most_bytes,
          "the derivatives of {} modes up to order {} are {:.3g} vectors that need {:.3g} GB, more than the "
          "{:.3g} "
          "GB allowed; ask for fewer modes or a lower order",
          modes.cols(), order, count, 1e-9 * bytes, 1e-9 * most_bytes);
  report(progress, "derivatives", 0.0);
  FamilyBuilder builder(rest, modes, eigenvalues, static_cast<Index>(count), progress);
  for (int k = 0; k < order && builder.report().ok(); ++k) builder.add_order();
  return builder.take();
}

}  // namespace limber
