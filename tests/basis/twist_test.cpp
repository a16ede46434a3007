#include "tests/support/twist.hpp"

#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::twist_test {
namespace {

/// Figure 7 of Barbic & James 2005: a square beam in the space of two twist modes and their derivatives.
class TwistBeam : public testing::Test {
 protected:
  VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(6.0, 1.0, 1.0), Eigen::Vector3i(18, 3, 3)});
  FullModel model{mesh, {test::material("stvk")}, test::vertices_below(mesh, 1e-9)};
  test::TwistBasis twist = test::make_twist_basis(model);
};

TEST_F(TwistBeam, HasABasisOfFiveMassOrthonormalVectors) {
  ASSERT_EQ(twist.basis.cols(), 5);
  const Matrix gram = twist.basis.transpose() * (model.mass() * twist.basis);
  EXPECT_LT((gram - Matrix::Identity(5, 5)).norm(), 1e-12);
}

TEST_F(TwistBeam, TwistsInFrequenciesOfOneToThree) {
  // Torsion waves of a rod held at one end: f_m proportional to 2 m - 1.
  EXPECT_NEAR(std::sqrt(twist.eigenvalues(1) / twist.eigenvalues(0)), 3.0, 0.05);
}

TEST_F(TwistBeam, HasDerivativesThatKeepItsSectionsFromSwelling) {
  // The twist mode moves a corner along a tangent, which takes it outward; its derivative must lead it back
  // onto the circle: r (1 - cos a) inward for an angle a, that is 1/2 Phi_aa = - r/2 for Psi_a of angle 1.
  const Matrix3X tangent = model.dofs().expand(twist.shapes.col(0));
  const Matrix3X inward = model.dofs().expand(twist.derivatives.col(0));
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 6.0 - 1e-9) continue;  // the free end
    const Vector3 arm(0.0, mesh.vertices(1, v), mesh.vertices(2, v));
    const double angle = tangent.col(v).dot(Vector3::UnitX().cross(arm)) / arm.squaredNorm();
    EXPECT_NEAR(inward.col(v).dot(arm) / (-angle * angle * arm.squaredNorm()), 1.0, 0.1) << "vertex " << v;
  }
}

}  // namespace
}  // namespace limber::twist_test
