#include "limber/precompute/growing_coefficients.hpp"

#include "limber/precompute/stvk_coefficients.hpp"
#include "limber/reduced/quartic.hpp"
#include "tests/precompute/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::growing_coefficients_test {
namespace {

using test::error_text;

/// Computed at once by the other path, with the materials of the model.
Vector computed_at_once(const FullModel& model, const Matrix& basis) {
  Vector sum = Vector::Zero(monomial_count(basis.cols()));
  const auto regions = compute_stvk_coefficients(model, basis);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const LameParameters lame = lame_of(model.materials()[i].law);
    sum += lame.lambda * regions[i].lambda_energy + lame.mu * regions[i].mu_energy;
  }
  return sum;
}

Vector grown_one_by_one(const FullModel& model, const Matrix& basis) {
  GrowingCoefficients coefficients(model);
  for (Index r = 1; r <= basis.cols(); ++r) coefficients.grow(basis.leftCols(r));
  return coefficients.coefficients();
}

/// Largest difference as a share of the largest coefficient.
double difference(const Vector& found, const Vector& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

struct Setup {
  ElementKind kind;
  std::size_t regions;
};

class GrowingCoefficientsOf : public testing::TestWithParam<Setup> {
 protected:
  FullModel model = test::uneven_model(GetParam().kind, GetParam().regions);
};

INSTANTIATE_TEST_SUITE_P(Meshes, GrowingCoefficientsOf,
                         testing::Values(Setup{ElementKind::tetrahedron, 1},
                                         Setup{ElementKind::tetrahedron, 3}, Setup{ElementKind::brick, 1},
                                         Setup{ElementKind::brick, 3}),
                         [](const auto& setup) {
                           return fmt::format("{}s_{}_regions", name_of(setup.param.kind),
                                              setup.param.regions);
                         });

TEST_P(GrowingCoefficientsOf, AreThoseComputedAtOnceWhenGrownOneByOne) {
  const Matrix U = test::wave_basis(model, 13);  // more than two blocks of columns
  GrowingCoefficients coefficients(model);
  for (Index r = 1; r <= U.cols(); ++r) {
    coefficients.grow(U.leftCols(r));
    ASSERT_EQ(coefficients.rank(), r);
    const Vector expected = computed_at_once(model, U.leftCols(r));
    ASSERT_EQ(coefficients.coefficients().size(), expected.size());
    EXPECT_LT(difference(coefficients.coefficients(), expected), 1e-12) << "rank " << r;
  }
}

TEST_P(GrowingCoefficientsOf, HaveTheSameBitsHoweverTheyGrew) {
  const Matrix U = test::wave_basis(model, 9);
  const Vector expected = grown_one_by_one(model, U);
  GrowingCoefficients coefficients(model);
  coefficients.grow(U);
  EXPECT_EQ(coefficients.coefficients(), expected);
  coefficients.truncate(0);
  for (const Index r : {2, 3, 7, 9}) coefficients.grow(U.leftCols(r));
  EXPECT_EQ(coefficients.coefficients(), expected);
}

TEST_P(GrowingCoefficientsOf, GiveTheEnergyOfTheFullModel) {
  const Index rank = 6;
  const Matrix U = test::wave_basis(model, rank);
  const Quartic quartic(rank, grown_one_by_one(model, U));
  QuarticWorkspace work;
  Vector f(rank);
  Matrix K(rank, rank);
  for (const double gradient : {1e-3, 0.1, 1.0}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Vector q = test::state_of_gradient(model, U, gradient, seed);
      EXPECT_NEAR(quartic.evaluate(q, work, f, K) / model.energy(U * q), 1.0, 1e-11) << "at " << gradient;
    }
  }
}

TEST_P(GrowingCoefficientsOf, GrowByAnotherVectorAfterTruncation) {
  const Matrix U = test::wave_basis(model, 6), others = test::wave_basis(model, 2, 77);
  GrowingCoefficients coefficients(model);
  coefficients.grow(U);
  const Vector before = coefficients.coefficients();
  coefficients.truncate(4);
  EXPECT_EQ(coefficients.rank(), 4);
  EXPECT_EQ(coefficients.coefficients(), before.head(monomial_count(4)));

  Matrix changed(model.dof_count(), 6);
  changed << U.leftCols(4), others;
  coefficients.grow(changed);
  EXPECT_LT(difference(coefficients.coefficients(), computed_at_once(model, changed)), 1e-12);
  EXPECT_GT(difference(coefficients.coefficients(), before), 1e-3);  // the vectors do matter
}

TEST(GrowingCoefficients, OfMaterialsWithANegativeLambdaAreThoseComputedAtOnce) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const VolumeMesh mesh = test::uneven_beam(kind, 2);
    const std::vector<Material> materials{Material{Stvk{{-0.6, 1.0}}}, Material{Stvk{{0.0, 2.0}}}};
    const FullModel model(mesh, materials, test::vertices_below(mesh, 1e-9));
    const Matrix U = test::wave_basis(model, 4);
    EXPECT_LT(difference(grown_one_by_one(model, U), computed_at_once(model, U)), 1e-12);
  }
}

TEST(GrowingCoefficients, HaveTheSameBitsForAnyNumberOfThreads) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const int width = kind == ElementKind::tetrahedron ? 8 : 12;  // some shares of the elements, not one
    const VolumeMesh mesh = test::unit_beam(kind, 20, width, width);
    std::vector<Vector> results;
    for (const int threads : {1, 1, 3}) {
      const FullModel body(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5),
                           {MassKind::consistent, Executor(threads)});
      results.push_back(grown_one_by_one(body, test::wave_basis(body, 4)));
    }
    EXPECT_EQ(results[1], results[0]);
    EXPECT_EQ(results[2], results[0]);
  }
}

TEST(GrowingCoefficients, OfManyElementsAreThoseComputedAtOnce) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const VolumeMesh mesh = test::unit_beam(kind, 20, 8, 8);  // several shares, of many chunks of rows
    const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5));
    const Matrix U = test::wave_basis(model, 5);
    EXPECT_LT(difference(grown_one_by_one(model, U), computed_at_once(model, U)), 1e-12);
  }
}

TEST(GrowingCoefficients, GrowOnAfterARestore) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 3);
  const Matrix U = test::wave_basis(model, 5);
  GrowingCoefficients first(model), second(model);
  first.grow(U.leftCols(3));
  second.restore(3, first.coefficients());
  EXPECT_EQ(second.rank(), 3);
  EXPECT_EQ(second.coefficients(), first.coefficients());
  first.grow(U);
  second.grow(U);
  EXPECT_EQ(second.coefficients(), first.coefficients());
}

TEST(GrowingCoefficients, OfNoVectorsAreTheEnergyAtRest) {
  const FullModel model = test::uneven_model(ElementKind::brick, 1);
  GrowingCoefficients coefficients(model);
  EXPECT_EQ(coefficients.rank(), 0);
  EXPECT_EQ(coefficients.coefficients(), Vector::Zero(1));
  coefficients.grow(Matrix(model.dof_count(), 0));
  EXPECT_EQ(coefficients.coefficients(), Vector::Zero(1));
}

TEST(GrowingCoefficients, StayAsTheyAreWithoutANewVector) {
  const FullModel model = test::uneven_model(ElementKind::brick, 1);
  const Matrix U = test::wave_basis(model, 3);
  GrowingCoefficients coefficients(model);
  coefficients.grow(U);
  const Vector before = coefficients.coefficients();
  coefficients.grow(U);
  EXPECT_EQ(coefficients.rank(), 3);
  EXPECT_EQ(coefficients.coefficients(), before);
}

TEST(GrowingCoefficients, RefuseWhatDoesNotFit) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  const Index dofs = model.dof_count();
  GrowingCoefficients coefficients(model);
  EXPECT_EQ(error_text([&] { coefficients.grow(Matrix::Ones(dofs - 3, 2)); }),
            fmt::format("the basis has {} rows, the model needs {} (3 per free vertex)", dofs - 3, dofs));
  Matrix basis = test::wave_basis(model, 2);
  coefficients.grow(basis);
  EXPECT_EQ(error_text([&] { coefficients.grow(basis.leftCols(1)); }),
            "the basis has 1 vectors, expected the 2 that the coefficients are of and more");
  EXPECT_EQ(error_text([&] { coefficients.truncate(3); }), "cannot keep 3 vectors, expected 0 to 2");
  EXPECT_EQ(error_text([&] { coefficients.restore(2, Vector::Zero(14)); }),
            "there are 14 coefficients, 2 vectors have 15");
  basis(5, 1) = std::numeric_limits<double>::quiet_NaN();
  coefficients.truncate(1);
  EXPECT_EQ(error_text([&] { coefficients.grow(basis); }), "the basis has entries that are not finite");
  EXPECT_EQ(coefficients.rank(), 1);
}

TEST(GrowingCoefficients, AreOfStVenantKirchhoffMaterialsOnly) {
  const VolumeMesh mesh = test::uneven_beam(ElementKind::tetrahedron, 2);
  const auto model = [&](std::string_view first, std::string_view second) {
    return FullModel(mesh, {test::material(first), test::material(second)}, test::vertices_below(mesh, 1e-9));
  };
  EXPECT_TRUE(has_polynomial_energy(model("stvk", "stvk")));
  EXPECT_FALSE(has_polynomial_energy(model("stvk", "neo-hookean")));
  EXPECT_FALSE(has_polynomial_energy(model("corotational", "stvk")));
  EXPECT_EQ(
      error_text([&] { GrowingCoefficients coefficients(model("stvk", "neo-hookean")); }),
      "the energy of the law neo-hookean is no polynomial, expected stvk in all regions: use cubature for "
      "this body");
}

}  // namespace
}  // namespace limber::growing_coefficients_test
