#include "limber/linalg/svd.hpp"

#include <cmath>
#include <limits>

namespace limber {
namespace {

/// More than were ever needed: convergence is quadratic.
constexpr int most_sweeps = 30;

/// Columns (a, b) become (c a - s b, s a + c b).
void rotate(double c, double s, Eigen::Ref<Vector> a, Eigen::Ref<Vector> b) {
  for (Index i = 0; i < a.size(); ++i) {
    const double before = a(i);
    a(i) = c * before - s * b(i);
    b(i) = s * before + c * b(i);
  }
}

}  // namespace

void orthogonalize_columns(Eigen::Ref<Matrix> A, Eigen::Ref<Matrix> turns) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  turns.setIdentity();
  // Columns below the rounding of the whole are noise, whose directions mean nothing.
  const double noise = eps * eps * A.squaredNorm();
  bool turned = true;
  for (int sweep = 0; sweep < most_sweeps && turned; ++sweep) {
    turned = false;
    for (Index i = 0; i < A.cols(); ++i) {
      for (Index j = i + 1; j < A.cols(); ++j) {
        const double a = A.col(i).squaredNorm(), b = A.col(j).squaredNorm(), both = A.col(i).dot(A.col(j));
        if (!(std::abs(both) > eps * std::sqrt(a * b) + noise)) continue;
        const double ratio = (b - a) / (2.0 * both);
        const double tangent = std::copysign(1.0 / (std::abs(ratio) + std::hypot(1.0, ratio)), ratio);
        const double c = 1.0 / std::hypot(1.0, tangent);
        rotate(c, c * tangent, A.col(i), A.col(j));
        rotate(c, c * tangent, turns.col(i), turns.col(j));
        turned = true;
      }
    }
  }
}

}  // namespace limber
