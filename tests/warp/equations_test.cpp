#include "limber/base/error.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "limber/warp/rotation.hpp"
#include "limber/warp/warped_equations.hpp"
#include "tests/support/slope.hpp"
#include "tests/warp/warped_body.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace limber::equations_test {
namespace {

using test::random_vector;
using test::warped_beam;
using test::WarpedBody;

/// The order with which a quantity of an amplitude vanishes.
template <class Function>
double order(const Function& value, double amplitude = 1e-2) {
  return std::log2(value(amplitude) / value(0.5 * amplitude));
}

TEST(WarpedEquations, HaveTheNaturalModesOfTheModel) {
  const WarpedBody body = warped_beam();
  const ReducedEquations equations = make_equations(body.model);
  const Vector frequencies = natural_frequencies(equations);
  const Matrix& S = body.equations.shapes;
  for (Index i = 0; i < frequencies.size(); ++i) {
    const double omega = 2.0 * std::numbers::pi * frequencies(i);
    EXPECT_NEAR(body.equations.stiffness(i) / (omega * omega), 1.0, 1e-12);
  }
  EXPECT_LT((S.transpose() * equations.mass * S - Matrix::Identity(10, 10)).norm(), 1e-10);
}

TEST(WarpedEquations, TakeMaterialsOfAnyLawByTheirStiffnessAtRest) {
  const WarpedBody body = warped_beam();
  const std::vector<Material> stvk{test::material("stvk", 3e5, 0.2, 500.0)};
  const std::vector<Material> other{test::material("neo-hookean", 3e5, 0.2, 500.0)};
  const WarpedEquations expected = make_warped_equations(body.model, stvk);
  const WarpedEquations found = make_warped_equations(body.model, other);
  EXPECT_LT((found.stiffness - expected.stiffness).norm(), 1e-12 * expected.stiffness.norm());
  EXPECT_LT((found.moments - expected.moments).norm(), 1e-12 * expected.moments.norm());
}

TEST(WarpedEquations, LumpsWeighWhatTheBodyWeighs) {
  const WarpedBody body = warped_beam();
  const WarpedEquations& equations = body.equations;
  const Eigen::MatrixX3d weight = equations.shapes.transpose() * make_equations(body.model).weight;
  Eigen::MatrixX3d sum = Eigen::MatrixX3d::Zero(equations.modes(), 3);
  for (Index i = 0; i < equations.lumps(); ++i) sum += equations.moments.middleRows<3>(3 * i).transpose();
  EXPECT_LT((sum - weight).norm(), 1e-10 * weight.norm());
  EXPECT_LE(equations.lump_mass.sum(), 1000.0 * 1.0 * 0.24 * 0.2 * (1.0 + 1e-12));
}

TEST(WarpedEquations, FourfoldDensityHalvesFrequencies) {
  const WarpedBody body = warped_beam();
  std::vector<Material> heavy = body.model.materials();
  heavy[0].density *= 4.0;
  const WarpedEquations equations = make_warped_equations(body.model, heavy);
  EXPECT_LT((4.0 * equations.stiffness - body.equations.stiffness).norm(),
            1e-10 * body.equations.stiffness.norm());
  EXPECT_NEAR(equations.lump_mass.sum(), 4.0 * body.equations.lump_mass.sum(), 1e-9);
  // Modes of mass 1 are half as large: moments, mass times modes, are doubled.
  EXPECT_LT((equations.moments.cwiseAbs() - 2.0 * body.equations.moments.cwiseAbs()).norm(),
            1e-8 * equations.moments.norm());
}

TEST(WarpedEquations, KeepTheSlowestModesAndTheirRayleighDamping) {
  const WarpedBody body = warped_beam();
  WarpedEquationsOptions options;
  options.modes = 4;
  options.damping = {0.3, 0.02};
  const WarpedEquations equations = make_warped_equations(body.model, body.model.materials(), options);
  ASSERT_EQ(equations.modes(), 4);
  EXPECT_EQ(equations.shapes.rows(), 10);
  EXPECT_EQ(equations.moments.cols(), 4);
  EXPECT_EQ(equations.stiffness, body.equations.stiffness.head(4));
  for (Index i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(equations.damping(i), 0.3 + 0.02 * equations.stiffness(i));
}

TEST(WarpedEquations, OfALowerRankUseTheFirstCoordinatesAlone) {
  const WarpedBody body = warped_beam();
  WarpedEquationsOptions options;
  options.rank = 3;
  const WarpedEquations equations = make_warped_equations(body.model, body.model.materials(), options);
  EXPECT_EQ(equations.shapes.rows(), 3);
  // The coordinates are linear modes, which do not mix.
  EXPECT_LT((equations.stiffness - body.equations.stiffness.head(3)).norm(),
            1e-6 * equations.stiffness.norm());
}

TEST(WarpedEquations, SizeIsTheDiagonalOfTheBox) {
  EXPECT_NEAR(warped_beam(2).equations.size, Vector3(1.0, 0.24, 0.2).norm(), 1e-6);
}

TEST(WarpedEquations, RefuseWhatCannotBe) {
  WarpedBody body = warped_beam(3);
  const std::vector<Material> materials = body.model.materials();
  WarpedEquationsOptions options;
  options.modes = 4;
  EXPECT_THROW(make_warped_equations(body.model, materials, options), Error);
  options = {};
  options.rank = 4;
  EXPECT_THROW(make_warped_equations(body.model, materials, options), Error);
  options = {};
  options.damping.mass = -1.0;
  EXPECT_THROW(make_warped_equations(body.model, materials, options), Error);
  EXPECT_THROW(make_warped_equations(body.model, {}), Error);
  EXPECT_THROW(make_warped_equations(body.model, std::vector{Material{materials[0].law, -1.0}}), Error);
  const int vertices = static_cast<int>(body.model.surface.mesh.vertex_count());
  EXPECT_THROW(surface_site(body.model, body.equations, vertices), Error);
  EXPECT_THROW(surface_site(body.model, body.equations, -1), Error);
  EXPECT_THROW(body.site(-1), Error);
  body.model.warp.reset();
  EXPECT_THROW(make_warped_equations(body.model, materials), Error);
  EXPECT_THROW(surface_site(body.model, body.equations, 0), Error);
}

TEST(WarpSite, OfTheSurfaceIsThatOfTheMeshToFloatPrecision) {
  const WarpedBody body = warped_beam();
  const Matrix3X& surface = body.model.surface.mesh.vertices;
  const Vector q = random_vector(10, 0.5, 3);
  for (int v = 0; v < surface.cols(); v += 7) {
    const WarpSite one = surface_site(body.model, body.equations, v);
    const WarpSite other = body.site_near(surface.col(v));
    EXPECT_LT((one.rest - other.rest).norm(), 1e-6);
    EXPECT_LT((one.displacement(q) - other.displacement(q)).norm(), 1e-5);
    EXPECT_LT((one.rotation(q) - other.rotation(q)).norm(), 1e-4);
  }
}

TEST(WarpSite, DerivativeIsThatOfTheDisplacement) {
  const WarpedBody body = warped_beam();
  const WarpSite site = body.site_near(Vector3(1.0, 0.12, 0.1));
  for (const double amplitude : {0.0, 0.3, 3.0}) {  // at rest, turned somewhat, turned far
    const Vector q = random_vector(10, amplitude, 5), dq = random_vector(10, 1.0, 6);
    const auto remainder = [&](double h) {
      return (site.displacement(q + h * dq) - site.displacement(q) - h * site.derivative(q) * dq).norm();
    };
    EXPECT_NEAR(test::remainder_slope(remainder, 1.0), 2.0, 0.2) << "amplitude " << amplitude;
  }
}

TEST(WarpSite, DisplacementApproachesTheLinearOneWithTheSquareOfTheAmplitude) {
  const WarpedBody body = warped_beam();
  const WarpSite site = body.site_near(Vector3(1.0, 0.12, 0.1));
  const Vector q = random_vector(10, 1.0, 7);
  const auto difference = [&](double s) { return (site.displacement(s * q) - s * site.shape * q).norm(); };
  EXPECT_NEAR(order(difference), 2.0, 0.05);
}

TEST(WarpSite, RotationApproachesTheInfinitesimalOneWithTheSquareOfTheAmplitude) {
  const WarpedBody body = warped_beam();
  const WarpSite site = body.site_near(Vector3(1.0, 0.12, 0.1));
  const Vector q = random_vector(10, 1.0, 8);
  const auto difference = [&](double s) {
    return (rotation_matrix(site.rotation(s * q)) - Matrix3::Identity() - cross_matrix(site.turn * (s * q)))
        .norm();
  };
  EXPECT_NEAR(order(difference), 2.0, 0.05);
}

}  // namespace
}  // namespace limber::equations_test
