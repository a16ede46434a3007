#include "limber/mesh/surface_query.hpp"

#include "tests/mesh/shapes.hpp"
#include "tests/mesh/support.hpp"
#include "tests/mesh/winding.hpp"

#include <algorithm>
#include <cmath>

namespace limber::surface_query_test {
namespace {

/// A box without one of its twelve triangles.
SurfaceMesh box_with_a_hole() {
  return test::without(test::box_surface({-1, -0.5, -0.8}, {1, 0.5, 0.8}), [](int t) { return t == 5; });
}

/// A hollow sphere: the inner one is turned inward.
SurfaceMesh hollow_sphere() {
  return test::joined(test::icosphere(4), test::turned_inside_out(test::icosphere(3, 0.5)));
}

/// A sphere whose cap above z = 0.6 is missing.
SurfaceMesh open_sphere() {
  const SurfaceMesh sphere = test::icosphere(4);
  return test::without(sphere, [&](int t) { return sphere.vertices(2, sphere.triangles(0, t)) > 0.6; });
}

double worst_winding_error(const SurfaceMesh& surface, std::uint64_t seed) {
  const SurfaceQuery query(surface);
  Random random(seed);
  double worst = 0.0;
  for (int i = 0; i < 300; ++i) {
    const Vector3 point = test::random_point(random, 1.5);
    worst =
        std::max(worst, std::abs(query.winding_number(point) - test::exact_winding_number(surface, point)));
  }
  return worst;
}

TEST(WindingNumber, OfTheTreeAgreesWithTheSumOverAllTriangles) {
  EXPECT_LT(worst_winding_error(test::icosphere(4), 1), 1e-3);
  EXPECT_LT(worst_winding_error(open_sphere(), 2), 1e-3);
  EXPECT_LT(worst_winding_error(hollow_sphere(), 3), 1e-3);
  EXPECT_LT(worst_winding_error(box_with_a_hole(), 4), 1e-3);
}

TEST(WindingNumber, NearTheSurfaceAgreesWithTheSumOverAllTriangles) {
  const SurfaceMesh sphere = test::icosphere(4);
  const SurfaceQuery query(sphere);
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Vector3 point = test::random_point(random, 1.0).normalized() * random.uniform(0.97, 1.03);
    ASSERT_NEAR(query.winding_number(point), test::exact_winding_number(sphere, point), 1e-3);
  }
}

TEST(WindingNumber, OfSmallSurfacesIsExact) {
  const SurfaceQuery query(test::box_surface({0, 0, 0}, {1, 1, 1}));
  EXPECT_NEAR(query.winding_number({0.3, 0.4, 0.9}), 1.0, 1e-14);
  EXPECT_NEAR(query.winding_number({0.3, 0.4, 1.1}), 0.0, 1e-14);
}

TEST(WindingNumber, OfATriangleIsItsSolidAngle) {
  // The corner of a cube seen from the opposite one is an eighth of the whole; from the other side negative.
  Matrix3X corners = Matrix3X::Identity(3, 3);
  const SurfaceMesh triangle = make_surface_mesh(corners, Eigen::Matrix3Xi(Eigen::Vector3i(0, 1, 2)));
  const SurfaceQuery query(triangle);
  EXPECT_NEAR(query.winding_number({0, 0, 0}), 0.125, 1e-15);
  EXPECT_NEAR(query.winding_number(Vector3::Constant(2.0 / 3.0)), -0.125, 1e-15);
  EXPECT_NEAR(test::exact_winding_number(triangle, {0, 0, 0}), 0.125, 1e-15);
}

TEST(WindingNumber, CountsNestedSurfacesByTheirOrientation) {
  const SurfaceQuery nested(test::joined(test::icosphere(3), test::icosphere(3, 0.5)));
  EXPECT_NEAR(nested.winding_number({0.1, 0, 0}), 2.0, 1e-3);
  EXPECT_NEAR(nested.winding_number({0.7, 0, 0}), 1.0, 1e-3);
  const SurfaceQuery hollow(hollow_sphere());
  EXPECT_NEAR(hollow.winding_number({0.1, 0, 0}), 0.0, 1e-3);
  EXPECT_NEAR(hollow.winding_number({0.7, 0, 0}), 1.0, 1e-3);
  EXPECT_FALSE(hollow.contains({0.1, 0, 0}));
  EXPECT_TRUE(hollow.contains({0.7, 0, 0}));
}

TEST(WindingNumber, HasAnErrorOfTheFirstTermLeftOut) {
  // Of a cluster seen as a whole five terms are kept, d^0/r^2 to d^4/r^6; the next one falls by 2^7.
  Random random(6);
  Matrix3X vertices(3, 60);
  for (auto vertex : vertices.colwise()) vertex = test::random_point(random, 1.0);
  Eigen::Matrix3Xi triangles(3, 40);
  for (int& vertex : triangles.reshaped()) vertex = static_cast<int>(random.next() % 60);
  const SurfaceMesh cluster = make_surface_mesh(vertices, triangles);
  const SurfaceQuery query(cluster);
  const auto error = [&](double distance) {
    double sum = 0.0;
    Random directions(7);
    for (int i = 0; i < 50; ++i) {
      const Vector3 point = distance * test::random_point(directions, 1.0).normalized();
      sum += std::abs(query.winding_number(point) - test::exact_winding_number(cluster, point));
    }
    return sum;
  };
  EXPECT_NEAR(std::log2(error(10.0) / error(20.0)), 7.0, 0.5);
}

TEST(ClosestPoint, OfOneTriangleHasAllCornersBehindIt) {
  // A point of a convex set is the nearest one just where the whole set lies behind the plane through it.
  Random random(8);
  for (int i = 0; i < 500; ++i) {
    Matrix3X v(3, 3);
    for (auto vertex : v.colwise()) vertex = test::random_point(random, 1.0);
    const Vector3 point = test::random_point(random, 2.0);
    const SurfacePoint found =
        SurfaceQuery(make_surface_mesh(v, Eigen::Matrix3Xi(Eigen::Vector3i(0, 1, 2)))).closest(point);
    ASSERT_EQ(found.triangle, 0);
    for (const auto& corner : v.colwise()) {
      ASSERT_LT((corner - found.position).dot(point - found.position), 1e-14);
    }
    ASSERT_NEAR(found.barycentric.sum(), 1.0, 1e-14);
    ASSERT_GE(found.barycentric.minCoeff(), 0.0);
    ASSERT_LT((v * found.barycentric - found.position).norm(), 1e-14);
    ASSERT_NEAR((found.position - point).norm(), found.distance, 1e-14);
  }
}

TEST(ClosestPoint, OfManyTrianglesIsTheNearestOfAll) {
  const SurfaceMesh sphere = test::icosphere(3);
  const SurfaceQuery query(sphere);
  std::vector<SurfaceQuery> single;
  for (Index t = 0; t < sphere.triangle_count(); ++t) {
    single.emplace_back(make_surface_mesh(sphere.vertices, Eigen::Matrix3Xi(sphere.triangles.col(t))));
  }
  Random random(9);
  for (int i = 0; i < 30; ++i) {
    const Vector3 point = test::random_point(random, 1.5);
    double nearest = 1e300;
    for (const SurfaceQuery& one : single) nearest = std::min(nearest, one.closest(point).distance);
    const SurfacePoint found = query.closest(point);
    ASSERT_NEAR(found.distance, nearest, 1e-14);
    ASSERT_NEAR(single[static_cast<std::size_t>(found.triangle)].closest(point).distance, nearest, 1e-14);
  }
}

TEST(ClosestPoint, CopesWithTrianglesWithoutArea) {
  Matrix3X v(3, 3);
  v << 0, 1, 3, 0, 0, 0, 0, 0, 0;
  const auto distance = [&](const Eigen::Vector3i& corners, const Vector3& point) {
    return SurfaceQuery(make_surface_mesh(v, Eigen::Matrix3Xi(corners))).closest(point).distance;
  };
  EXPECT_NEAR(distance({0, 1, 2}, {2, 1, 0}), 1.0, 1e-15);   // a segment
  EXPECT_NEAR(distance({1, 1, 1}, {1, 2, 0}), 2.0, 1e-15);   // a point
  EXPECT_NEAR(distance({0, 2, 2}, {-3, 4, 0}), 5.0, 1e-15);  // a corner twice
  v(1, 1) = 1e-10;                                           // a sliver
  EXPECT_NEAR(distance({0, 1, 2}, {2, 0.3, 0.4}), 0.5, 1e-9);
}

TEST(SurfaceQuery, KnowsWhichSurfacesAreClosed) {
  EXPECT_TRUE(SurfaceQuery(test::icosphere(1)).closed());
  EXPECT_TRUE(SurfaceQuery(test::unshared(test::icosphere(1))).closed());
  EXPECT_TRUE(SurfaceQuery(hollow_sphere()).closed());
  EXPECT_FALSE(SurfaceQuery(open_sphere()).closed());
  EXPECT_FALSE(SurfaceQuery(box_with_a_hole()).closed());
  SurfaceMesh one_flipped = test::icosphere(1);
  std::swap(one_flipped.triangles(0, 0), one_flipped.triangles(1, 0));
  EXPECT_FALSE(SurfaceQuery(one_flipped).closed());
}

TEST(SurfaceQuery, RefusesNothing) {
  EXPECT_TRUE(
      test::contains(test::error_text([] { SurfaceQuery query{SurfaceMesh{}}; }), "without triangles"));
}

TEST(SurfaceSample, OfASphereIsTheSignedDistance) {
  const Solid solid = make_solid(test::icosphere(4));
  Random random(10);
  for (int i = 0; i < 300; ++i) {
    const Vector3 point = test::random_point(random, 1.5);
    const SolidSample sample = solid.sample(point);
    EXPECT_NEAR(sample.distance, point.norm() - 1.0, 4e-3);
    EXPECT_EQ(sample.clear, std::abs(sample.distance));
  }
  EXPECT_NEAR(solid.bounds.max.x(), 1.0, 1e-2);
}

TEST(SurfaceSample, OfAnOpenSurfaceNeverPromisesTooMuch) {
  for (const SurfaceMesh& surface : {open_sphere(), box_with_a_hole()}) {
    const SurfaceQuery query(surface);
    Random random(11);
    int promised = 0;
    for (int i = 0; i < 300; ++i) {
      const Vector3 point = test::random_point(random, 1.5);
      const SolidSample sample = query.sample(point);
      promised += sample.clear > 0.0 ? 1 : 0;
      for (int k = 0; k < 10; ++k) {
        const Vector3 near = point + sample.clear * test::random_point(random, 1.0).normalized();
        ASSERT_EQ(query.sample(near).distance < 0.0, sample.distance < 0.0) << point.transpose();
      }
    }
    EXPECT_GT(promised, 150);
  }
}

TEST(SurfaceMeets, AgreesWithTheDistanceOfTheMiddle) {
  const SurfaceQuery query(test::icosphere(3));
  Random random(12);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector3 point = test::random_point(random, 1.0).normalized() * random.uniform(0.9, 1.1);
    const double half = 0.03;
    const double distance = query.closest(point).distance;
    const bool met = query.meets({point.array() - half, point.array() + half});
    hits += met ? 1 : 0;
    ASSERT_TRUE(met || distance > half);
    ASSERT_TRUE(!met || distance < std::sqrt(3.0) * half);
  }
  EXPECT_GT(hits, 50);
}

TEST(SurfaceMeets, FindsSeparatingEdges) {
  // A triangle that passes a corner of the box: only cross products of edges tell them apart.
  Matrix3X v(3, 3);
  v << 2.2, 0.0, 2.0, 0.0, 2.2, 2.0, 0.5, 0.5, 0.5;
  const SurfaceQuery query(make_surface_mesh(v, Eigen::Matrix3Xi(Eigen::Vector3i(0, 1, 2))));
  EXPECT_FALSE(query.meets({{0, 0, 0}, {1, 1, 1}}));
  EXPECT_TRUE(query.meets({{0, 0, 0}, {1.2, 1.2, 1}}));
}

TEST(SurfaceMeets, SeesATriangleThatPiercesTheBoxWithNoCornerInside) {
  Matrix3X v(3, 3);
  v << -10, 10, 0, -10, -10, 10, 0.5, 0.5, 0.5;
  const SurfaceQuery query(make_surface_mesh(v, Eigen::Matrix3Xi(Eigen::Vector3i(0, 1, 2))));
  EXPECT_TRUE(query.meets({{0, 0, 0}, {1, 1, 1}}));
  EXPECT_FALSE(query.meets({{0, 0, 0.6}, {1, 1, 1}}));
}

TEST(SurfaceMeets, CountsTouching) {
  const SurfaceQuery query(test::box_surface({0, 0, 0}, {1, 1, 1}));
  EXPECT_TRUE(query.meets({{1, 0.2, 0.2}, {2, 0.3, 0.3}}));
  EXPECT_TRUE(query.meets({{1, 1, 1}, {2, 2, 2}}));
  EXPECT_FALSE(query.meets({{1.0000001, 0.2, 0.2}, {2, 0.3, 0.3}}));
  EXPECT_FALSE(query.meets({{0.1, 0.1, 0.1}, {0.9, 0.9, 0.9}}));
}

}  // namespace
}  // namespace limber::surface_query_test
