// Bodies on a shaken support, against finite elements whose held vertices are moved alike: what ./run
// experiment shake small prints; without small it has finer and other bodies.

#include "bench/experiments/shake_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace limber::shake_test {
namespace {

using namespace bench;

/// What was measured of one body.
struct Measured {
  const ShakenBody* body;
  double error, least;
};

class Shake : public testing::Test {
 protected:
  static const ShakeCase& small() {
    static const ShakeCase made = make_shake_case("small");
    return made;
  }
  static const MotionNorm& norm() {
    static const MotionNorm made(small().specimen);
    return made;
  }
  static const ShakenMotion& truth() {
    static const ShakenMotion moved =
        shake(by_finite_elements(small().specimen), small().specimen, small().shaking);
    return moved;
  }
  static const std::vector<Measured>& measured() {
    static const std::vector<Measured> all = [] {
      std::vector<Measured> list;
      for (const ShakenBody& one : small().bodies) {
        const ShakenMotion motion = shake(one.body, small().specimen, small().shaking);
        EXPECT_EQ(motion.failed, 0) << one.method;
        list.push_back({&one, norm().error(motion, truth()), norm().least_error(one.body, truth())});
      }
      return list;
    }();
    return all;
  }
};

TEST_F(Shake, BendsTheBody) {
  EXPECT_EQ(truth().failed, 0);
  double most = 0.0;
  for (const Matrix3X& field : truth().displacements)
    most = std::max(most, field.colwise().norm().maxCoeff());
  EXPECT_GT(most, 0.1);  // m, of a bar of 1 m
}

/// So that forces and inertia in the subspace are right: what is left is what the basis cannot say.
TEST_F(Shake, MissesFiniteElementsByHardlyMoreThanTheBasisDoes) {
  int counted = 0;
  for (const auto& [one, error, least] : measured()) {
    if (one->method != "reduced") continue;
    EXPECT_LT(error, 2.0 * least) << "rank " << one->body.rank();
    EXPECT_GT(error, 0.99 * least) << "rank " << one->body.rank();
    ++counted;
  }
  EXPECT_EQ(counted, 3);
}

TEST_F(Shake, MissesThemByLessWithMoreCoordinates) {
  double last = 1.0;
  for (const auto& [one, error, least] : measured()) {
    if (one->method != "reduced") continue;
    EXPECT_LT(error, last) << "rank " << one->body.rank();
    last = error;
  }
  EXPECT_LT(last, 0.002);
}

TEST_F(Shake, MovesWarpedBodiesAndTreesAlikeToAFewHundredths) {
  for (const auto& [one, error, least] : measured()) EXPECT_LT(error, 0.06) << one->method;
}

/// Where shapes are linear in the coordinates they are a projection.
TEST_F(Shake, FindsTheProjectionAsTheNearestShape) {
  const Body& body = small().bodies[1].body;
  Body bent = body;
  const Vector q = Vector::LinSpaced(bent.q().size(), 0.3, 1.0);
  bent.set_state(q, Vector::Zero(q.size()));
  ShakenMotion inside;
  inside.displacements.push_back(bent.mesh_displacement());
  EXPECT_LT(norm().least_error(body, inside), 1e-9);
  EXPECT_NEAR(norm().size(inside), q.norm(), 1e-9 * q.norm());  // the basis is orthonormal by the mass
}

}  // namespace
}  // namespace limber::shake_test
