#include "limber/material/material.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

namespace limber::material_test {
namespace {

using test::random_matrix3;
using test::remainder_slope;
using Matrix9 = Eigen::Matrix<double, 9, 9>;
using Vector9 = Eigen::Matrix<double, 9, 1>;

constexpr LameParameters lame{3.0, 2.0};

Vector9 flat(const Matrix3& A) { return A.reshaped(); }

/// Deformation gradients that a law must handle: moderate, strongly sheared and stretched, turned over,
/// inverted, flat, zero.
std::vector<Matrix3> gradients() {
  std::vector<Matrix3> F;
  F.push_back(Matrix3::Identity() + random_matrix3(0.3, 1));
  F.push_back(test::some_rotation() * (Matrix3::Identity() + random_matrix3(0.5, 2)));
  F.push_back(Vector3(1.0, 1.0, -1.0).asDiagonal() * (Matrix3::Identity() + random_matrix3(0.2, 3)));
  F.push_back(Vector3(1.2, 0.9, 0.05).asDiagonal() * test::some_rotation());
  return F;
}

class EveryMaterial : public testing::TestWithParam<std::string_view> {
 protected:
  MaterialLaw law = make_law(GetParam(), lame);
};

TEST_P(EveryMaterial, HasNoEnergyAndNoStressAtRest) {
  EXPECT_NEAR(energy_density(law, Matrix3::Identity()), 0.0, 1e-14);
  EXPECT_LT(stress(law, Matrix3::Identity()).norm(), 1e-13);
}

TEST_P(EveryMaterial, AnswersSmallStrainLikeHookesLaw) {
  const Matrix9 expected = stress_derivative(make_law("linear", lame), Matrix3::Identity());
  const Matrix9 found = stress_derivative(law, Matrix3::Identity());
  EXPECT_LT((found - expected).norm(), 1e-12 * expected.norm());
}

TEST_P(EveryMaterial, HasTheStressThatIsTheDerivativeOfItsEnergy) {
  for (const Matrix3& F : gradients()) {
    const Matrix3 dF = random_matrix3(1.0, 7);
    const double energy = energy_density(law, F), slope = stress(law, F).cwiseProduct(dF).sum();
    const auto remainder = [&](double h) {
      return std::abs(energy_density(law, F + h * dF) - energy - h * slope);
    };
    EXPECT_GT(remainder_slope(remainder, std::abs(energy), 1e-3), 1.9) << "F =\n" << F;
  }
}

TEST_P(EveryMaterial, HasTheStressDerivativeThatIsTheDerivativeOfItsStress) {
  for (const Matrix3& F : gradients()) {
    const Matrix3 dF = random_matrix3(1.0, 8);
    const Matrix3 P = stress(law, F);
    const Vector9 slope = stress_derivative(law, F) * flat(dF);
    const auto remainder = [&](double h) { return (flat(stress(law, F + h * dF) - P) - h * slope).norm(); };
    EXPECT_GT(remainder_slope(remainder, P.norm(), 1e-3), 1.9) << "F =\n" << F;
  }
}

TEST_P(EveryMaterial, HasTheSecondDerivativeThatIsTheDerivativeOfItsFirst) {
  for (const Matrix3& F : gradients()) {
    const Matrix3 dF = random_matrix3(1.0, 9);
    const Matrix9 A = stress_derivative(law, F);
    const Matrix9 slope = stress_second_derivative(law, F, dF);
    const auto remainder = [&](double h) {
      return (stress_derivative(law, F + h * dF) - A - h * slope).norm();
    };
    EXPECT_GT(remainder_slope(remainder, A.norm(), 1e-3), 1.9) << "F =\n" << F;
  }
}

TEST_P(EveryMaterial, HasASymmetricStressDerivative) {
  for (const Matrix3& F : gradients()) {
    const Matrix9 A = stress_derivative(law, F);
    EXPECT_LT((A - A.transpose()).norm(), 1e-12 * A.norm());
    const Matrix9 dA = stress_second_derivative(law, F, random_matrix3(1.0, 4));
    EXPECT_LT((dA - dA.transpose()).norm(), 1e-11 * (A.norm() + dA.norm()));
  }
}

TEST_P(EveryMaterial, HasAProjectedDerivativeWithoutNegativeEigenvaluesThatKeepsThePositiveOnes) {
  for (const Matrix3& F : gradients()) {
    const Matrix9 A = stress_derivative(law, F);
    const SymmetricEigen eigen = symmetric_eigen(A);
    const Matrix expected =
        eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
    const Matrix9 found = projected_stress_derivative(law, F);
    EXPECT_LT((found - expected).norm(), 1e-9 * A.norm()) << "F =\n" << F;
  }
}

TEST_P(EveryMaterial, StaysFiniteForInvertedFlatAndCollapsedElements) {
  std::vector<Matrix3> F = gradients();
  F.push_back(Matrix3::Zero());
  F.push_back(-Matrix3::Identity());
  F.push_back(Vector3(1.0, 1.0, 0.0).asDiagonal());
  F.push_back(Vector3(1.0, 0.0, 0.0).asDiagonal());
  F.push_back(Vector3(1.0, 1.0, -3.0).asDiagonal());
  F.push_back(100.0 * random_matrix3(1.0, 5));
  for (const Matrix3& each : F) {
    EXPECT_TRUE(std::isfinite(energy_density(law, each))) << each;
    EXPECT_TRUE(stress(law, each).allFinite()) << each;
    EXPECT_TRUE(stress_derivative(law, each).allFinite()) << each;
    EXPECT_TRUE(stress_second_derivative(law, each, random_matrix3(1.0, 6)).allFinite()) << each;
    EXPECT_TRUE(projected_stress_derivative(law, each).allFinite()) << each;
  }
}

TEST_P(EveryMaterial, GivesTheSameAnswerInEveryLane) {
  Mat3<Packet> F;
  std::vector<Matrix3> one;
  for (int lane = 0; lane < packet_size; ++lane) {
    one.push_back(Matrix3::Identity() + random_matrix3(0.4, 100 + static_cast<std::uint64_t>(lane)));
    for (int i = 0; i < 9; ++i) F.entry[i][lane] = one.back()(i);
  }
  Packet energy;
  energy_density(law, F, energy);
  const Mat3<Packet> P = stress(law, F);
  for (int lane = 0; lane < packet_size; ++lane) {
    EXPECT_EQ(energy[lane], energy_density(law, one[static_cast<std::size_t>(lane)]));
    for (int i = 0; i < 9; ++i)
      EXPECT_EQ(P.entry[i][lane], stress(law, one[static_cast<std::size_t>(lane)])(i));
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryMaterial, testing::ValuesIn(material_names), [](const auto& tested) {
  std::string name(tested.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class IsotropicMaterial : public EveryMaterial {};

TEST_P(IsotropicMaterial, IsNotChangedByRotationsBeforeAndAfter) {
  const Matrix3 F = Matrix3::Identity() + random_matrix3(0.4, 11);
  const Matrix3 R = test::some_rotation();
  EXPECT_NEAR(energy_density(law, R * F), energy_density(law, F), 1e-13);
  EXPECT_NEAR(energy_density(law, F * R), energy_density(law, F), 1e-13);
  EXPECT_LT((stress(law, R * F) - R * stress(law, F)).norm(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(, IsotropicMaterial,
                         testing::Values("corotational", "stvk", "neo-hookean", "mooney-rivlin",
                                         "arruda-boyce"),
                         [](const auto& tested) {
                           std::string name(tested.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Materials, MatchTheirClosedFormsUnderUniformStretch) {
  const double s = 1.3, J = s * s * s, L = std::log(J);
  const Matrix3 F = s * Matrix3::Identity();
  const auto pressure = [&](std::string_view name) { return stress(make_law(name, lame), F)(0, 0); };
  const double E = 0.5 * (s * s - 1.0);
  EXPECT_NEAR(pressure("linear"), (3.0 * lame.lambda + 2.0 * lame.mu) * (s - 1.0), 1e-12);
  EXPECT_NEAR(pressure("corotational"), (3.0 * lame.lambda + 2.0 * lame.mu) * (s - 1.0), 1e-12);
  EXPECT_NEAR(pressure("stvk"), s * (3.0 * lame.lambda + 2.0 * lame.mu) * E, 1e-12);
  EXPECT_NEAR(pressure("neo-hookean"), lame.mu * (s - 1.0 / s) + lame.lambda * L / s, 1e-12);
}

TEST(Materials, WithTheMooneyShareZeroAreNeoHookean) {
  const Matrix3 F = Matrix3::Identity() + random_matrix3(0.4, 12);
  const MaterialLaw mooney = make_law("mooney-rivlin", lame, {.mooney_share = 0.0});
  EXPECT_LT((stress(mooney, F) - stress(make_law("neo-hookean", lame), F)).norm(), 1e-12);
}

TEST(Materials, WithAFarLockingStretchAreNeoHookean) {
  const Matrix3 F = Matrix3::Identity() + random_matrix3(0.4, 13);
  const MaterialLaw chains = make_law("arruda-boyce", lame, {.locking_stretch = 1e6});
  EXPECT_LT((stress(chains, F) - stress(make_law("neo-hookean", lame), F)).norm(), 1e-9);
}

TEST(Materials, StiffenNearTheLockingStretch) {
  const Matrix3 F = Vector3(2.0, 1.0 / std::sqrt(2.0), 1.0 / std::sqrt(2.0)).asDiagonal();
  const double chains = stress(make_law("arruda-boyce", lame, {.locking_stretch = 1.5}), F)(0, 0);
  EXPECT_GT(chains, 1.2 * stress(make_law("neo-hookean", lame), F)(0, 0));
}

TEST(Materials, AreRefusedByNameWithTheNearestKnownOne) {
  try {
    make_law("neohookean", lame);
    FAIL() << "an unknown name was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown material 'neohookean'; did you mean 'neo-hookean'?");
  }
}

TEST(Materials, RefuseConstantsOutOfRange) {
  EXPECT_THROW(make_law("mooney-rivlin", lame, {.mooney_share = 1.5}), Error);
  EXPECT_THROW(make_law("mooney-rivlin", {0.1, 2.0}, {.mooney_share = 0.5}), Error);
  EXPECT_THROW(make_law("arruda-boyce", lame, {.locking_stretch = 1.0}), Error);
  EXPECT_THROW(check_density(0.0), Error);
}

}  // namespace
}  // namespace limber::material_test
