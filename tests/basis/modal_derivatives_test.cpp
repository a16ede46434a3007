#include "tests/support/modal_derivatives.hpp"

#include "tests/basis/support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace limber::modal_derivatives_test {
namespace {

using test::compute_modal_derivatives;
using test::ModalDerivatives;
using test::Support;

struct Case {
  Support support;
  std::string law;
  ElementKind kind;
};

class EveryDerivative : public testing::TestWithParam<Case> {
 protected:
  static constexpr Index k = 4;
  FullModel model = test::supported_beam(GetParam().support, GetParam().law, GetParam().kind);
  RestStiffness rest{model};
  LinearModes modes = compute_linear_modes(rest, rest.rigid_modes().cols() + k);
  Matrix Psi = modes.elastic_shapes();
  ModalDerivatives derivatives = compute_modal_derivatives(rest, Psi);

  /// Without the inertia of the rigid motions: all that a body which is not held can answer to.
  Vector self_equilibrated(const Vector& f) const {
    const Matrix& N = rest.rigid_modes();
    return f - model.mass() * (N * (N.transpose() * f));
  }

  /// u(p) = Psi p, with 1/2 Phi pp for order 2.
  Vector shape(const Vector& p, int order) const {
    Vector u = Psi * p;
    if (order == 1) return u;
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j <= i; ++j)
        u += (i == j ? 0.5 : 1.0) * p(i) * p(j) * derivatives.shapes.col(pair_index(i, j));
    }
    return u;
  }

  /// How fast the residual of the static problem with the load K Psi p shrinks with p.
  double residual_slope(const Vector& direction, int order) const {
    const auto residual = [&](double size) {
      const Vector p = size * direction;
      return self_equilibrated(model.internal_force(shape(p, order)) - rest.matrix() * (Psi * p)).norm();
    };
    // Far above the rounding of forces, and small enough for one order to dominate.
    const double largest = 0.02 / model.largest_gradient(Psi * direction);
    return std::log2(residual(largest) / residual(0.5 * largest));
  }
};

TEST_P(EveryDerivative, SolvesItsSystem) {
  ASSERT_TRUE(derivatives.report.ok());
  ASSERT_EQ(derivatives.shapes.cols(), pair_count(k));
  const Vector at_rest = Vector::Zero(model.dof_count());
  for (Index i = 0; i < k; ++i) {
    const SparseMatrix H = model.stiffness_derivative(at_rest, Psi.col(i));
    for (Index j = 0; j <= i; ++j) {
      const Vector load = self_equilibrated(-(H * Psi.col(j)));
      const double error =
          (rest.matrix() * derivatives.shapes.col(pair_index(i, j)) - load).norm() / load.norm();
      EXPECT_LT(error, 1e-8) << "pair " << i << ", " << j;
    }
  }
}

TEST_P(EveryDerivative, MakesTheStaticResidualOfSingleModesFallOneOrderFaster) {
  for (Index i = 0; i < k; ++i) {
    EXPECT_NEAR(residual_slope(Vector::Unit(k, i), 1), 2.0, 0.2) << "mode " << i << " alone";
    EXPECT_NEAR(residual_slope(Vector::Unit(k, i), 2), 3.0, 0.2) << "mode " << i << " with its derivative";
  }
}

TEST_P(EveryDerivative, MakesTheStaticResidualOfCombinationsFallOneOrderFaster) {
  const Vector mixed = Vector::LinSpaced(k, 1.0, -0.7);
  EXPECT_NEAR(residual_slope(mixed, 1), 2.0, 0.2);
  EXPECT_NEAR(residual_slope(mixed, 2), 3.0, 0.2);
}

TEST_P(EveryDerivative, HoldsNoRigidMotion) {
  const Matrix share = rest.rigid_modes().transpose() * (model.mass() * derivatives.shapes);
  EXPECT_LT(share.norm(),
            1e-12 * std::sqrt(derivatives.shapes.cwiseProduct(model.mass() * derivatives.shapes).sum()));
}

INSTANTIATE_TEST_SUITE_P(
    , EveryDerivative,
    testing::Values(Case{Support::held, "stvk", ElementKind::tetrahedron},
                    Case{Support::held, "stvk", ElementKind::brick},
                    Case{Support::held, "neo-hookean", ElementKind::tetrahedron},
                    Case{Support::free, "stvk", ElementKind::tetrahedron},
                    Case{Support::free, "corotational", ElementKind::brick},
                    Case{Support::hinge, "stvk", ElementKind::tetrahedron}),
    [](const auto& tested) {
      const Case& c = tested.param;
      return test::name_of(c.support) + "_" + test::name_of(test::Combination{c.law, c.kind});
    });

TEST(ModalDerivatives, OfALinearMaterialVanish) {
  const FullModel model = test::supported_beam(Support::held, "linear");
  RestStiffness rest(model);
  EXPECT_EQ(compute_modal_derivatives(rest, compute_linear_modes(rest, 2).shapes).shapes,
            Matrix::Zero(model.dof_count(), 3));
}

TEST(ScaledModesAndDerivatives, FollowEquation16) {
  const Matrix modes = Matrix::Ones(6, 3), derivatives = Matrix::Ones(6, 6);
  const Vector eigenvalues{{2.0, 4.0, 20.0}};
  const Matrix scaled = test::scale_modes_and_derivatives(modes, eigenvalues, derivatives);
  ASSERT_EQ(scaled.cols(), 9);
  const Eigen::RowVectorXd expected =
      (Eigen::RowVectorXd(9) << 1.0, 0.5, 0.1, 1.0, 0.5, 0.25, 0.1, 0.05, 0.01).finished();
  EXPECT_LT((scaled.row(5) - expected).norm(), 1e-15);
}

}  // namespace
}  // namespace limber::modal_derivatives_test
