#include "limber/precompute/mode_gradients.hpp"

#include "tests/precompute/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::mode_gradients_test {
namespace {

using test::error_text;

std::vector<QuadraturePoint> all_points(const ModeGradients& gradients) {
  std::vector<QuadraturePoint> points;
  for (Index i = 0; i < gradients.point_count(); ++i) points.push_back(gradients.at(i));
  return points;
}

class ModeGradientsOf : public testing::TestWithParam<ElementKind> {
 protected:
  FullModel model = test::uneven_model(GetParam(), 3);
  Matrix U = test::wave_basis(model, 5);
  ModeGradients gradients{model, U};
};

INSTANTIATE_TEST_SUITE_P(Meshes, ModeGradientsOf,
                         testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(ModeGradientsOf, AddUpToTheForceOfTheFullModel) {
  const Vector q = test::state_of_gradient(model, U, 0.4, 1);
  Vector f = Vector::Zero(U.cols());
  Matrix G(9, U.cols());
  for (const QuadraturePoint& point : all_points(gradients)) {
    gradients.write(point, G);
    Matrix3 F = Matrix3::Identity();
    F.reshaped() += G * q;
    const Material& material = model.materials()[static_cast<std::size_t>(gradients.region(point))];
    f += gradients.weight(point) * (G.transpose() * stress(material.law, F).reshaped());
  }
  const Vector expected = U.transpose() * model.internal_force(U * q);
  EXPECT_LT((f - expected).norm() / expected.norm(), 1e-12);
}

TEST_P(ModeGradientsOf, AreTheGradientOfALinearField) {
  const FullModel body(model.mesh(), model.materials(), {});
  const Matrix3 slope = test::random_matrix3(1.0, 3);
  const Vector u = body.dofs().restrict(slope * body.mesh().vertices);
  const ModeGradients linear(body, u);
  Matrix G(9, 1);
  double largest = 0.0;
  for (const QuadraturePoint& point : all_points(linear)) {
    linear.write(point, G);
    largest = std::max(largest, (G - slope.reshaped()).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(largest, 1e-12);
}

TEST_P(ModeGradientsOf, HavePositionsAndWeightsOfTheQuadrature) {
  const Vector3 size(3.0, 1.4, 0.9);
  double volume = 0.0;
  Vector3 first = Vector3::Zero(), second = Vector3::Zero();
  for (const QuadraturePoint& point : all_points(gradients)) {
    const Vector3 x = gradients.position(point);
    volume += gradients.weight(point);
    first += gradients.weight(point) * x;
    second += gradients.weight(point) * x.cwiseAbs2();
  }
  EXPECT_NEAR(volume, size.prod(), 1e-12);
  EXPECT_LT((first - volume * Vector3(1.5, 0.0, 0.0)).norm(), 1e-12);
  if (GetParam() == ElementKind::brick) {  // one point per tetrahedron is exact for linear functions only
    EXPECT_NEAR(second.x(), volume * size.x() * size.x() / 3.0, 1e-11);
    EXPECT_NEAR(second.y(), volume * size.y() * size.y() / 12.0, 1e-12);
    EXPECT_NEAR(second.z(), volume * size.z() * size.z() / 12.0, 1e-12);
  }
}

TEST_P(ModeGradientsOf, NumberPointsElementByElement) {
  const std::vector<QuadraturePoint> points = all_points(gradients);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  EXPECT_EQ(static_cast<Index>(points.size()),
            model.mesh().element_count() * (GetParam() == ElementKind::brick ? 27 : 1));
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(gradients.number_of(points[i]), static_cast<Index>(i));
}

TEST_P(ModeGradientsOf, SpreadPointsOverTheWholeBody) {
  const VolumeMesh mesh = test::unit_beam(GetParam(), 16, 5, 4);
  const FullModel beam(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5));
  const Matrix basis = test::wave_basis(beam, 1);
  const ModeGradients fine(beam, basis);
  for (const Index count : {4, 20, 61, 150}) {
    const std::vector<QuadraturePoint> spread = fine.spread(count);
    EXPECT_NEAR(static_cast<double>(spread.size()), static_cast<double>(count),
                std::max(1.0, 0.1 * static_cast<double>(count)));
    EXPECT_TRUE(std::is_sorted(spread.begin(), spread.end()));
    EXPECT_EQ(std::adjacent_find(spread.begin(), spread.end()), spread.end());
    const double side = std::cbrt(16.0 * 5.0 * 4.0 / static_cast<double>(count));
    double farthest = 0.0;  // from a point of the body to the nearest one chosen
    for (const QuadraturePoint& point : all_points(fine)) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const QuadraturePoint& chosen : spread)
        nearest = std::min(nearest, (fine.position(chosen) - fine.position(point)).norm());
      farthest = std::max(farthest, nearest);
    }
    EXPECT_LT(farthest, 2.0 * side) << count << " points";
  }
}

TEST_P(ModeGradientsOf, SpreadAllPointsWhereNoMoreAreThere) {
  EXPECT_EQ(gradients.spread(gradients.point_count()), all_points(gradients));
  EXPECT_EQ(gradients.spread(gradients.point_count() + 100), all_points(gradients));
}

TEST_P(ModeGradientsOf, SpreadOnePointInTheMiddle) {
  const std::vector<QuadraturePoint> one = gradients.spread(1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_LT((gradients.position(one[0]) - Vector3(1.5, 0.0, 0.0)).norm(), 0.5);
}

TEST_P(ModeGradientsOf, RefuseWhatTheMeshDoesNotHave) {
  const Index elements = model.mesh().element_count(), points = gradients.point_count();
  Matrix G(9, 5), narrow(9, 4);
  EXPECT_EQ(error_text([&] {
              gradients.write({static_cast<int>(elements), 0}, G);
            }),
            fmt::format("there is no element {}, the mesh has {}", elements, elements));
  EXPECT_EQ(error_text([&] {
              (void)gradients.position({0, 27});
            }),
            fmt::format("there is no quadrature point 27 in an element, a {} has {}", name_of(GetParam()),
                        points / elements));
  EXPECT_EQ(error_text([&] { (void)gradients.at(points); }),
            fmt::format("there is no quadrature point {}, the mesh has {}", points, points));
  EXPECT_EQ(error_text([&] {
              gradients.write({0, 0}, narrow);
            }),
            "gradients of 5 vectors do not fit into 9 x 4 numbers");
  EXPECT_EQ(error_text([&] { (void)gradients.spread(0); }),
            "0 spread points asked for, expected one at least");
}

TEST_P(ModeGradientsOf, RefuseABasisThatDoesNotFit) {
  const Index dofs = model.dof_count();
  EXPECT_EQ(error_text([&] { ModeGradients(model, Matrix::Ones(dofs - 3, 2)); }),
            fmt::format("the basis has {} rows, the model needs {} (3 per free vertex)", dofs - 3, dofs));
  EXPECT_EQ(error_text([&] { ModeGradients(model, Matrix(dofs, 0)); }),
            "the basis has no vectors, expected one at least");
  U(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { ModeGradients(model, U); }), "the basis has entries that are not finite");
}

}  // namespace
}  // namespace limber::mode_gradients_test
