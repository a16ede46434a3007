#include "limber/precompute/stvk_coefficients.hpp"

#include "limber/linalg/qr.hpp"
#include "limber/reduced/quartic.hpp"
#include "tests/precompute/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace limber::stvk_coefficients_test {
namespace {

using test::error_text;

/// Energy of the whole body for the model's own materials.
Vector total(const FullModel& model, const std::vector<StvkCoefficients>& regions) {
  Vector sum = Vector::Zero(regions[0].mu_energy.size());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const LameParameters lame = std::get<Stvk>(model.materials()[i].law).lame;
    sum += lame.lambda * regions[i].lambda_energy + lame.mu * regions[i].mu_energy;
  }
  return sum;
}

struct Setup {
  ElementKind kind;
  std::size_t regions;
};

class StvkCoefficientsOf : public testing::TestWithParam<Setup> {
 protected:
  FullModel model = test::uneven_model(GetParam().kind, GetParam().regions);
};

INSTANTIATE_TEST_SUITE_P(Meshes, StvkCoefficientsOf,
                         testing::Values(Setup{ElementKind::tetrahedron, 1},
                                         Setup{ElementKind::tetrahedron, 3}, Setup{ElementKind::brick, 1},
                                         Setup{ElementKind::brick, 3}),
                         [](const auto& setup) {
                           return fmt::format("{}s_{}_regions", name_of(setup.param.kind),
                                              setup.param.regions);
                         });

TEST_P(StvkCoefficientsOf, GiveTheProjectedEnergyForceAndStiffness) {
  const Index rank = 7;
  const Matrix U = test::wave_basis(model, rank);
  const Quartic quartic(rank, total(model, compute_stvk_coefficients(model, U)));
  QuarticWorkspace work;
  Vector f(rank);
  Matrix K(rank, rank);
  for (const double gradient : {1e-3, 0.1, 0.5, 1.0}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Vector q = test::state_of_gradient(model, U, gradient, seed);
      const test::Projected expected(model, U, q);
      const double W = quartic.evaluate(q, work, f, K);
      EXPECT_LT(std::abs(W / expected.energy - 1.0), 1e-11) << "at " << gradient;
      EXPECT_LT((f - expected.force).norm(), 1e-11 * expected.force.norm()) << "at " << gradient;
      EXPECT_LT((K - expected.stiffness).norm(), 1e-11 * expected.stiffness.norm()) << "at " << gradient;
    }
  }
}

TEST_P(StvkCoefficientsOf, AreThoseThatFitTheEnergyOfTwoMaterials) {
  // Independent of all formulas: W is linear in 15 unknown coefficients and in the two parameters, which two
  // bodies of different materials tell apart.
  const Matrix U = test::wave_basis(model, 2);
  const Index samples = 40;
  const LameParameters lame[2] = {{2.0, 1.0}, {-0.3, 1.7}};
  Matrix monomials(samples, monomial_count(2)), energies(samples, 2);
  for (int m = 0; m < 2; ++m) {
    std::vector<Material> materials(GetParam().regions, Material{Stvk{lame[m]}});
    const FullModel body(model.mesh(), materials, test::vertices_below(model.mesh(), 1e-9));
    for (Index s = 0; s < samples; ++s) {
      const Vector q = test::random_vector(2, 1.0, static_cast<std::uint64_t>(s));
      const double x[3] = {1.0, q(0), q(1)};
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j <= i; ++j)
          for (Index k = 0; k <= j; ++k)
            for (Index l = 0; l <= k; ++l)
              monomials(s, monomial_index(i, j, k, l)) = x[i] * x[j] * x[k] * x[l];
      energies(s, m) = body.energy(U * q);
    }
  }
  const Matrix fit = solve_least_squares(monomials, energies);
  Eigen::Matrix2d parameters;
  parameters << lame[0].lambda, lame[1].lambda, lame[0].mu, lame[1].mu;
  const Matrix expected = solve_least_squares(parameters.transpose(), fit.transpose()).transpose();

  Matrix found = Matrix::Zero(monomial_count(2), 2);
  for (const StvkCoefficients& region : compute_stvk_coefficients(model, U)) {
    found.col(0) += region.lambda_energy;
    found.col(1) += region.mu_energy;
  }
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff());
}

TEST_P(StvkCoefficientsOf, ComeFirstForTheFirstVectors) {
  const Matrix U = test::wave_basis(model, 6);
  const auto all = compute_stvk_coefficients(model, U);
  const auto first = compute_stvk_coefficients(model, U.leftCols(4));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Vector head = all[i].mu_energy.head(monomial_count(4));
    EXPECT_LT((head - first[i].mu_energy).norm(), 1e-13 * head.norm());
  }
}

TEST(StvkCoefficients, HaveTheSameBitsForAnyNumberOfThreads) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const int width = kind == ElementKind::tetrahedron ? 8 : 12;  // some shares of the elements, not one
    const VolumeMesh mesh = test::unit_beam(kind, 20, width, width);
    std::vector<StvkCoefficients> results;
    for (const int threads : {1, 1, 2, 3, 7}) {
      const FullModel body(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5),
                           {MassKind::consistent, Executor(threads)});
      results.push_back(compute_stvk_coefficients(body, test::wave_basis(body, 4))[0]);
    }
    for (const StvkCoefficients& result : results) {
      EXPECT_EQ(result.lambda_energy, results[0].lambda_energy);
      EXPECT_EQ(result.mu_energy, results[0].mu_energy);
    }
  }
}

TEST(StvkCoefficients, OfRegionsAddUpToThoseOfTheBody) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const FullModel three = test::uneven_model(kind, 3), one = test::uneven_model(kind, 1);
    const Matrix U = test::wave_basis(one, 4);
    StvkCoefficients sum{Vector::Zero(monomial_count(4)), Vector::Zero(monomial_count(4))};
    for (const StvkCoefficients& region : compute_stvk_coefficients(three, U)) {
      sum.lambda_energy += region.lambda_energy;
      sum.mu_energy += region.mu_energy;
    }
    const StvkCoefficients whole = compute_stvk_coefficients(one, U)[0];
    EXPECT_LT((sum.lambda_energy - whole.lambda_energy).norm(), 1e-13 * whole.lambda_energy.norm());
    EXPECT_LT((sum.mu_energy - whole.mu_energy).norm(), 1e-13 * whole.mu_energy.norm());
  }
}

TEST(StvkCoefficients, OfARegionWithoutElementsAreZero) {
  VolumeMesh mesh = test::unit_beam(ElementKind::brick);
  mesh.regions = {{1, "nothing"}, {2, "all"}, {3, "nothing"}};
  mesh.region.assign(mesh.region.size(), 1);
  const FullModel model(mesh, std::vector<Material>(3, test::material("stvk")),
                        test::vertices_below(mesh, 0.5));
  const auto regions = compute_stvk_coefficients(model, test::wave_basis(model, 2));
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[0].mu_energy, Vector::Zero(monomial_count(2)));
  EXPECT_GT(regions[1].mu_energy.norm(), 0.0);
  EXPECT_EQ(regions[2].lambda_energy, Vector::Zero(monomial_count(2)));
}

TEST(StvkCoefficients, HaveNoTermsBelowTheSecondDegree) {
  const FullModel model = test::uneven_model(ElementKind::brick, 1);
  const Index rank = 3;
  const StvkCoefficients c = compute_stvk_coefficients(model, test::wave_basis(model, rank))[0];
  for (Index i = 0; i <= rank; ++i) {
    EXPECT_EQ(c.lambda_energy(monomial_index(i, 0, 0, 0)), 0.0);
    EXPECT_EQ(c.mu_energy(monomial_index(i, 0, 0, 0)), 0.0);
  }
}

TEST(StvkCoefficients, VanishForTranslations) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const FullModel model(test::unit_beam(kind), {test::material("stvk")}, {});
    Matrix basis(model.dof_count(), 2);
    basis << Vector::Ones(model.dof_count()), test::wave_basis(model, 1);
    const StvkCoefficients c = compute_stvk_coefficients(model, basis)[0];
    const double scale = c.mu_energy(monomial_index(2, 2, 0, 0));
    EXPECT_GT(scale, 0.0);
    EXPECT_LT(c.mu_energy.head(monomial_count(1)).cwiseAbs().maxCoeff(), 1e-14 * scale);
    EXPECT_LT(std::abs(c.mu_energy(monomial_index(2, 1, 0, 0))), 1e-14 * scale);
  }
}

TEST(StvkCoefficients, ReportProgressToTheThreadThatAsked) {
  const FullModel model =
      test::uneven_model(ElementKind::tetrahedron, 3, 1.0, {MassKind::consistent, Executor(2)});
  std::vector<double> fractions;
  const auto caller = std::this_thread::get_id();
  compute_stvk_coefficients(model, test::wave_basis(model, 2), [&](std::string_view stage, double fraction) {
    EXPECT_EQ(stage, "coefficients");
    EXPECT_EQ(std::this_thread::get_id(), caller);
    fractions.push_back(fraction);
  });
  ASSERT_GE(fractions.size(), 2u);
  EXPECT_EQ(fractions.front(), 0.0);
  EXPECT_EQ(fractions.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
}

TEST(StvkCoefficients, RefuseABasisThatDoesNotFit) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  const Index dofs = model.dof_count();
  EXPECT_EQ(error_text([&] { compute_stvk_coefficients(model, Matrix::Ones(dofs - 3, 2)); }),
            fmt::format("the basis has {} rows, the model needs {} (3 per free vertex)", dofs - 3, dofs));
  EXPECT_EQ(error_text([&] { compute_stvk_coefficients(model, Matrix(dofs, 0)); }),
            "the basis has no vectors, expected one at least");
  Matrix basis = Matrix::Ones(dofs, 2);
  basis(5, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { compute_stvk_coefficients(model, basis); }),
            "the basis has entries that are not finite");
}

}  // namespace
}  // namespace limber::stvk_coefficients_test
