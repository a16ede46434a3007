#include "limber/reduced/reduced_equations.hpp"
#include "tests/reduced/support.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace limber::equations_test {
namespace {

using test::error_text;

TEST(EnergyCoefficients, AreTheSumOverRegionsWeightedByTheirMaterials) {
  const ReducedModel model = test::small_model();
  const std::vector<Material> materials{{Stvk{{2.0, 3.0}}, 1.0}, {Stvk{{-0.5, 7.0}}, 1.0}};
  const Vector sum = energy_coefficients(model, materials, model.rank);
  const Vector expected = 2.0 * model.regions[0].lambda_energy + 3.0 * model.regions[0].mu_energy -
                          0.5 * model.regions[1].lambda_energy + 7.0 * model.regions[1].mu_energy;
  EXPECT_LT((sum - expected).norm(), 1e-14 * expected.norm());
}

TEST(ReducedEquations, OfFewerVectorsAreThoseWithTheOtherCoordinatesHeldAtZero) {
  const ReducedModel model = test::small_model(5);
  const ReducedEquations all = make_equations(model), few = make_equations(model, model.materials(), 3);
  Vector q = Vector::Zero(5);
  q.head(3) = test::random_vector(3, 1.0, 3);
  const test::Evaluation whole = test::evaluate(all, q), part = test::evaluate(few, q.head(3));
  EXPECT_EQ(few.rank, 3);
  EXPECT_NEAR(part.energy, whole.energy, 1e-13 * whole.energy);
  EXPECT_LT((part.force - whole.force.head(3)).norm(), 1e-13 * whole.force.norm());
  EXPECT_LT((part.stiffness - whole.stiffness.topLeftCorner(3, 3)).norm(), 1e-13 * whole.stiffness.norm());
  EXPECT_EQ(few.mass, Matrix::Identity(3, 3));
  EXPECT_EQ(few.weight, all.weight.topRows(3));
}

TEST(ReducedEquations, HaveTheIdentityForAMassUnlessDensitiesAreEdited) {
  const ReducedModel model = test::small_model();
  EXPECT_EQ(make_equations(model).mass, Matrix::Identity(4, 4));
  std::vector<Material> materials = model.materials();
  materials[1].density *= 2.0;
  const Matrix expected = 1000.0 * model.regions[0].mass + 1000.0 * model.regions[1].mass;
  EXPECT_LT((make_equations(model, materials, 4).mass - expected).norm(), 1e-14);
}

TEST(ReducedEquations, WeighTheSumOfTheRegions) {
  const ReducedModel model = test::small_model();
  const Eigen::MatrixX3d expected = 1000.0 * model.regions[0].weight + 500.0 * model.regions[1].weight;
  EXPECT_LT((make_equations(model).weight - expected).norm(), 1e-14 * expected.norm());
}

TEST(ReducedEquations, OscillateTwiceAsFastWhenFourTimesAsStiffAndHalfAsFastWhenFourTimesAsHeavy) {
  const ReducedModel model = test::small_model();
  const Vector as_made = natural_frequencies(make_equations(model));
  std::vector<Material> stiff = model.materials(), heavy = model.materials();
  for (Material& material : stiff)
    material.law = Stvk{{4.0 * lame_of(material.law).lambda, 4.0 * lame_of(material.law).mu}};
  for (Material& material : heavy) material.density *= 4.0;
  EXPECT_LT((natural_frequencies(make_equations(model, stiff, 4)) - 2.0 * as_made).norm(),
            1e-12 * as_made.norm());
  EXPECT_LT((natural_frequencies(make_equations(model, heavy, 4)) - 0.5 * as_made).norm(),
            1e-12 * as_made.norm());
}

TEST(ReducedEquations, RefuseAnotherNumberOfMaterials) {
  const ReducedModel model = test::small_model();
  std::vector<Material> materials = model.materials();
  materials.pop_back();
  EXPECT_EQ(error_text([&] { make_equations(model, materials, 4); }),
            "1 materials for a reduced model of 2 regions, expected one each");
}

TEST(ReducedEquations, RefuseImpossibleMaterials) {
  const ReducedModel model = test::small_model();
  std::vector<Material> materials = model.materials();
  materials[1].law = Stvk{{1.0, -1.0}};
  EXPECT_EQ(error_text([&] { make_equations(model, materials, 4); }),
            "material of region 1: Lamé's mu is -1, expected a positive number of pascals");
  materials = model.materials();
  materials[0].density = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_text([&] { make_equations(model, materials, 4); }),
            "material of region 0: the density is inf, expected a positive number of kg/m^3");
}

TEST(ReducedEquations, RefuseARankThatTheModelDoesNotHave) {
  const ReducedModel model = test::small_model();
  for (const Index rank : {0, 5}) {
    EXPECT_EQ(error_text([&] { make_equations(model, model.materials(), rank); }),
              fmt::format("rank {} of a reduced model with 4 vectors, expected 1 to 4", rank));
  }
}

TEST(NaturalFrequencies, AreThoseOfSpringsInAscendingOrder) {
  const Matrix K = Vector3(9.0, 0.0, 4.0).asDiagonal();
  const Matrix M = Vector3(1.0, 1.0, 16.0).asDiagonal();
  const Vector frequencies = natural_frequencies(test::equations_of(3, test::spring_energy(K), M));
  EXPECT_LT((frequencies - Vector3(0.0, 0.5, 3.0) / (2.0 * std::numbers::pi)).norm(), 1e-14);
}

}  // namespace
}  // namespace limber::equations_test
