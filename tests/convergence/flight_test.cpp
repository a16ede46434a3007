// Bodies thrown alike by every method, against finite elements of the same mesh: what ./run experiment flight
// small prints; without small it has finer and other bodies.

#include "bench/experiments/flight_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::flight_test {
namespace {

using namespace bench;

class Flight : public testing::Test {
 protected:
  static const FlightCase& small() {
    static const FlightCase made = make_flight_case("small");
    return made;
  }
};

TEST_F(Flight, IsThatOfFiniteElementsWithinAHundredth) {
  Throw given = small().given;
  for (const double gravity : {0.0, -9.81}) {
    given.gravity.z() = gravity;
    const FlightTrack truth = fly(by_finite_elements(small().specimen), small().specimen, given);
    EXPECT_EQ(truth.failed, 0);
    EXPECT_GT(truth.turned(truth.turned.size() - 1), 15.0);  // rad: more than two turns
    EXPECT_GT(truth.strain.maxCoeff(), 0.015);               // it is no rigid body
    for (const auto& [method, body] : small().flyers) {
      const FlightTrack track = fly(body, small().specimen, given);
      const FlightError error = compare(track, truth);
      EXPECT_EQ(track.failed, 0) << method;
      // Copies of vertices in two domains are averaged, by which the centre of a tree is seen a little beside
      // itself; that of others is where it is to rounding.
      EXPECT_LT(error.path, body.model().domain_count() > 1 ? 1e-4 : 1e-8) << method;
      EXPECT_LT(std::abs(error.turned), 0.01) << method;
      EXPECT_LT(error.spin, 0.01) << method;
      EXPECT_LT(error.seen, body.method() == Method::warped || body.model().domain_count() > 1 ? 2e-3 : 1e-12)
          << method;
      EXPECT_NEAR(track.strain.maxCoeff(), truth.strain.maxCoeff(), 0.2 * truth.strain.maxCoeff()) << method;
    }
  }
}

/// A body that is too stiff, as one of few modes without their derivatives is, would be seen.
TEST_F(Flight, IsAnotherForABodyOfOtherStiffness) {
  const FlightTrack truth = fly(by_finite_elements(small().specimen), small().specimen, small().given);
  Body stiff = small().flyers.front().body;
  stiff.set_stiffness(0, 4.0);
  EXPECT_GT(compare(fly(stiff, small().specimen, small().given), truth).spin, 0.01);
}

TEST_F(Flight, KeepsMomentumToRoundingAndGainsNoEnergy) {
  for (const auto& [method, body] : small().flyers) {
    const Endurance kept = endure(body, small().given, small().endurance);
    EXPECT_EQ(kept.failed + kept.rescued, 0) << method;
    EXPECT_LT(kept.linear, 1e-12) << method;
    EXPECT_LT(kept.angular, 1e-12) << method;
    EXPECT_LT(kept.gain, 1e-12) << method;
    EXPECT_GT(kept.end, -1e-3) << method;  // nor is it damped
  }
  const Endurance full = endure(by_finite_elements(small().specimen), small().given, small().full_endurance);
  EXPECT_LT(full.linear, 1e-12);
  EXPECT_LT(full.angular, 1e-12);
  EXPECT_LT(full.gain, 1e-12);
  EXPECT_GT(full.end, -1e-3);
}

}  // namespace
}  // namespace limber::flight_test
