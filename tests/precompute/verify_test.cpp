#include "limber/precompute/verify.hpp"

#include "limber/precompute/build_model.hpp"
#include "limber/reduced/quartic.hpp"
#include "tests/precompute/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

namespace limber::verify_test {
namespace {

using test::contains;
using test::error_text;

class Verify : public testing::Test {
 protected:
  FullModel full = test::uneven_model(ElementKind::tetrahedron, 3);
  ReducedModel reduced = build_reduced_model(full, test::wave_basis(full, 5));
  VerifyReport right = verify_model(full, reduced);
};

TEST_F(Verify, FindsNothingInAModelThatIsRight) {
  EXPECT_EQ(right.states, 10);
  EXPECT_LT(right.force_error, 1e-11);
  EXPECT_LT(right.stiffness_error, 1e-11);
  EXPECT_LT(right.energy_error, 1e-11);
  EXPECT_LT(right.mass_error, 1e-13);
}

TEST_F(Verify, GoesAsFarAsAsked) {
  EXPECT_NEAR(right.largest_gradient, 1.0, 1e-12);
  EXPECT_NEAR(verify_model(full, reduced, {.states = 3, .largest_gradient = 0.25}).largest_gradient, 0.25,
              1e-12);
}

TEST_F(Verify, FindsOneWrongCoefficientOfAnyDegree) {
  const Index places[] = {monomial_index(3, 2, 0, 0), monomial_index(4, 2, 1, 0), monomial_index(5, 3, 2, 1)};
  for (const Index place : places) {
    ReducedModel wrong = reduced;
    wrong.regions[1].mu_energy(place) *= 1.01;
    const VerifyReport report = verify_model(full, wrong);
    EXPECT_GT(report.force_error, 1e4 * right.force_error) << "monomial " << place;
    EXPECT_GT(report.stiffness_error, 1e4 * right.stiffness_error) << "monomial " << place;
    EXPECT_GT(report.energy_error, 1e4 * right.energy_error) << "monomial " << place;
    EXPECT_EQ(report.mass_error, right.mass_error);
  }
}

TEST_F(Verify, FindsAWrongMass) {
  reduced.regions[2].mass *= 1.001;
  EXPECT_GT(verify_model(full, reduced).mass_error, 1e-6);
}

TEST_F(Verify, RepeatsItselfForOneSeedOnly) {
  const VerifyReport again = verify_model(full, reduced), other = verify_model(full, reduced, {.seed = 2});
  EXPECT_EQ(again.stiffness_error, right.stiffness_error);
  EXPECT_NE(other.stiffness_error, right.stiffness_error);
}

TEST_F(Verify, AcceptsABasisWithRigidMotions) {
  const FullModel free(full.mesh(), full.materials(), {});
  Matrix basis(free.dof_count(), 5);
  basis << test::wave_basis(free, 4), Vector::Ones(free.dof_count());
  const VerifyReport report = verify_model(free, build_reduced_model(free, basis));
  EXPECT_LT(report.force_error, 1e-10);
  EXPECT_LT(report.energy_error, 1e-10);
}

TEST_F(Verify, RefusesAnotherBody) {
  const std::vector<int> fixed = test::vertices_below(full.mesh(), 1e-9);
  VolumeMesh mesh = full.mesh();
  mesh.vertices(1, 20) += 1e-4;
  EXPECT_TRUE(contains(error_text([&] { verify_model(FullModel(mesh, full.materials(), fixed), reduced); }),
                       "vertex 20 lies 0.0001"));
  mesh = full.mesh();
  std::swap(mesh.region[0], mesh.region[9]);
  EXPECT_TRUE(contains(error_text([&] { verify_model(FullModel(mesh, full.materials(), fixed), reduced); }),
                       "expected the same mesh, not renumbered"));
  EXPECT_EQ(error_text([&] { verify_model(test::uneven_model(ElementKind::brick, 3), reduced); }),
            "the mesh has 30 bricks and 73 vertices, that of the reduced model 180 tetrahedrons and 73 "
            "vertices: expected the "
            "same mesh");
}

TEST_F(Verify, RefusesOtherSupports) {
  std::vector<int> fixed = test::vertices_below(full.mesh(), 1e-9);
  const int freed = fixed.back();
  fixed.pop_back();
  EXPECT_EQ(
      error_text([&] { verify_model(FullModel(full.mesh(), full.materials(), fixed), reduced); }),
      fmt::format("vertex {} is free here and fixed in the reduced model; fix the same vertices", freed));
}

TEST_F(Verify, RefusesOtherMaterials) {
  const FullModel stiffer = test::uneven_model(ElementKind::tetrahedron, 3, 1.1);
  EXPECT_TRUE(contains(error_text([&] { verify_model(stiffer, reduced); }), "region 0 has lambda"));
}

TEST_F(Verify, RefusesAModelWithoutItsMesh) {
  reduced.simulation.reset();
  EXPECT_TRUE(contains(error_text([&] { verify_model(full, reduced); }), "kept without its simulation mesh"));
}

TEST_F(Verify, RefusesToCompareNothing) {
  EXPECT_EQ(error_text([&] { verify_model(full, reduced, {.states = -1}); }),
            "-1 states to compare, expected one at least, or 0 to choose");
  EXPECT_EQ(error_text([&] { verify_model(full, reduced, {.largest_gradient = 0.0}); }),
            "the largest gradient is 0, expected a positive number");
}

}  // namespace
}  // namespace limber::verify_test
