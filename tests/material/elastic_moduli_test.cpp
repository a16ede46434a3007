#include "limber/material/elastic_moduli.hpp"

#include "limber/base/error.hpp"

#include <gtest/gtest.h>

namespace limber::elastic_moduli_test {
namespace {

TEST(ElasticModuli, ConvertToLameParametersAndBack) {
  const LameParameters lame = lame_from_young(2e6, 0.35);
  EXPECT_NEAR(lame.lambda, 2e6 * 0.35 / (1.35 * 0.3), 1e-6);
  EXPECT_NEAR(lame.mu, 2e6 / 2.7, 1e-6);
  EXPECT_NEAR(young_modulus(lame), 2e6, 1e-6);
  EXPECT_NEAR(poisson_ratio(lame), 0.35, 1e-12);
}

TEST(ElasticModuli, RefusePoissonRatiosOfUnstableMaterials) {
  for (const double poisson : {-1.0, -2.0, 0.5, 0.7, std::nan("")}) {
    EXPECT_THROW(lame_from_young(1e6, poisson), Error) << poisson;
  }
  EXPECT_NO_THROW(lame_from_young(1e6, -0.99));
  EXPECT_NO_THROW(lame_from_young(1e6, 0.499));
}

TEST(ElasticModuli, RefuseYoungsModuliThatAreNotPositive) {
  for (const double young : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(lame_from_young(young, 0.3), Error) << young;
}

TEST(ElasticModuli, RefuseLameParametersWithoutBulkStiffness) {
  EXPECT_THROW(check_lame({-0.67, 1.0}), Error);
  EXPECT_THROW(check_lame({1.0, 0.0}), Error);
  EXPECT_NO_THROW(check_lame({-0.66, 1.0}));
}

}  // namespace
}  // namespace limber::elastic_moduli_test
