// Natural frequencies of a slender cantilever under refinement, against beam theory.
//
// Euler-Bernoulli gives omega = (1.8751)^2 sqrt(E I / (rho A L^4)) for the first bending mode. With Poisson's
// ratio 0 and a length of 20 heights, shear and rotary inertia (Timoshenko) lower it by about 0.3 %.

#include "limber/basis/linear_modes.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace limber::cantilever_frequency_test {
namespace {

constexpr double length = 1.0, height = 0.05, young = 1e7, density = 1000.0;

double first_frequency(ElementKind kind, int refinement) {
  const VolumeMesh mesh = make_beam(
      {kind, Vector3(length, height, height), Eigen::Vector3i(20 * refinement, refinement, refinement)});
  const FullModel model(mesh, {test::material("stvk", young, 0.0, density)},
                        test::vertices_below(mesh, 1e-6));
  return compute_linear_modes(model, 1).frequencies_hz(0);
}

double beam_theory() {
  const double inertia = std::pow(height, 4) / 12.0, area = height * height;
  const double omega =
      std::pow(1.8751040687, 2) * std::sqrt(young * inertia / (density * area * std::pow(length, 4)));
  return omega / (2.0 * std::numbers::pi);
}

class CantileverFrequency : public testing::TestWithParam<ElementKind> {};

TEST_P(CantileverFrequency, ConvergesToBeamTheoryWithSecondOrder) {
  const double coarse = first_frequency(GetParam(), 2), middle = first_frequency(GetParam(), 4),
               fine = first_frequency(GetParam(), 8);
  EXPECT_GT(coarse, middle);  // finite elements of displacements are too stiff
  EXPECT_GT(middle, fine);
  const double order = std::log2((coarse - middle) / (middle - fine));
  EXPECT_NEAR(order, 2.0, 0.35) << coarse << " " << middle << " " << fine << " Hz";
  const double limit = fine + (fine - middle) / (std::pow(2.0, order) - 1.0);  // Richardson extrapolation
  EXPECT_NEAR(limit / beam_theory(), 1.0, 0.01) << limit << " Hz, theory " << beam_theory() << " Hz";
}

INSTANTIATE_TEST_SUITE_P(, CantileverFrequency, testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace limber::cantilever_frequency_test
