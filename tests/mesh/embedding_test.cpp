#include "limber/mesh/embedding.hpp"

#include "limber/mesh/voxelize.hpp"
#include "tests/mesh/shapes.hpp"
#include "tests/mesh/support.hpp"

#include <Eigen/Geometry>

namespace limber::embedding_test {
namespace {

/// Points in and around the small beam (1.5 x 0.7 x 0.4), up to `margin` outside of it.
Matrix3X points_around_beam(int count, double margin, std::uint64_t seed) {
  Random random(seed);
  Matrix3X points(3, count);
  for (auto p : points.colwise()) {
    p.x() = random.uniform(-margin, 1.5 + margin);
    p.y() = random.uniform(-0.35 - margin, 0.35 + margin);
    p.z() = random.uniform(-0.2 - margin, 0.2 + margin);
  }
  return points;
}

/// A gradient with nothing special about it.
Matrix3 some_gradient() { return (Matrix3() << 0.3, -0.2, 0.5, 0.1, -0.4, 0.7, 0.2, 0.6, 0.1).finished(); }

TEST(EmbedPoints, MeetsTheRestPositions) {
  for (const ElementKind kind : test::both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    const Matrix3X points = points_around_beam(300, 0.15, 1);
    const Embedding embedding = embed_points(mesh, points);
    EXPECT_LT((interpolate(embedding, mesh.vertices) - points).colwise().norm().maxCoeff(), 1e-14);
    EXPECT_LT((embedding.weights.colwise().sum().array() - 1.0).abs().maxCoeff(), 1e-14);
  }
}

TEST(EmbedPoints, FindsTheElementThatHoldsAPoint) {
  for (const ElementKind kind : test::both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    const Embedding embedding = embed_points(mesh, points_around_beam(300, 0.0, 2));
    EXPECT_EQ(embedding.outside, 0);
    EXPECT_EQ(embedding.farthest, 0.0);
    EXPECT_GT(embedding.weights.minCoeff(), -1e-12);
    for (Index p = 0; p < embedding.point_count(); ++p) {
      ASSERT_EQ(embedding.vertices.col(p), mesh.elements.col(embedding.element[static_cast<std::size_t>(p)]));
    }
  }
}

TEST(EmbedPoints, CountsVerticesOfTheMeshAsInside) {
  for (const ElementKind kind : test::both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    EXPECT_EQ(embed_points(mesh, mesh.vertices).outside, 0);
  }
}

TEST(EmbedPoints, CountsThoseOutsideAndTheirDistance) {
  Matrix3X points(3, 4);
  points << -0.2, 0.1, 1.5, 0.7, 0.0, 0.0, 0.35, 0.35 + 0.3, 0.0, 0.0, 0.2, 0.2 + 0.4;
  for (const ElementKind kind : test::both_kinds) {
    const Embedding embedding = embed_points(test::small_beam(kind), points);
    EXPECT_EQ(embedding.outside, 2);
    EXPECT_NEAR(embedding.farthest, 0.5, 1e-14);
  }
}

TEST(EmbedPoints, OutsideBindsToTheNearestElement) {
  for (const ElementKind kind : test::both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    Random random(3);
    for (int i = 0; i < 100; ++i) {
      const Matrix3X point = points_around_beam(1, 0.5, random.next());
      const Embedding whole = embed_points(mesh, point);
      double nearest = 1e300;
      for (Index e = 0; e < mesh.element_count(); ++e) {
        VolumeMesh one = mesh;
        one.elements = Eigen::MatrixXi(mesh.elements.col(e));
        one.region = {0};
        nearest = std::min(nearest, embed_points(one, point).farthest);
      }
      ASSERT_NEAR(whole.farthest, nearest, 1e-14);
    }
  }
}

TEST(EmbedPoints, DoesNotDependOnTheNumberOfThreads) {
  const VolumeMesh mesh = test::small_beam(ElementKind::tetrahedron);
  const Matrix3X points = points_around_beam(2000, 0.2, 4);
  const Embedding one = embed_points(mesh, points, Executor(1));
  const Embedding three = embed_points(mesh, points, Executor(3));
  EXPECT_EQ(one.element, three.element);
  EXPECT_EQ(one.weights, three.weights);
  EXPECT_EQ(one.outside, three.outside);
}

TEST(EmbedPoints, StayNearABrickTheyAreFarFrom) {
  const VolumeMesh mesh = test::unit_brick();
  Matrix3X points(3, 1);
  points << 1000, 1000, 1000;
  EXPECT_LE(embed_points(mesh, points).weights.cwiseAbs().maxCoeff(), 8.0);
}

TEST(EmbedPoints, RefusesPointsBeyondMeasure) {
  const Matrix3X far = Vector3(1e200, 0.0, 0.0);
  EXPECT_TRUE(test::error_text([&] { embed_points(make_beam(), far); }).find("too far from the mesh") !=
              std::string::npos);
}

TEST(Interpolate, ReproducesAffineDisplacements) {
  for (const ElementKind kind : test::both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    const Matrix3X points = points_around_beam(300, 0.15, 5);
    const auto field = [](const Matrix3X& x) {
      return Matrix3X((some_gradient() * x).colwise() + Vector3(0.1, 0.2, 0.3));
    };
    const Matrix3X found = interpolate(embed_points(mesh, points), field(mesh.vertices));
    EXPECT_LT((found - field(points)).colwise().norm().maxCoeff(), 1e-14);
  }
}

TEST(EmbedPoints, OfASurfaceInTheVoxelsItTouchesAreAllInside) {
  const SurfaceMesh sphere = test::icosphere(3);
  for (const double cell : {0.5, 0.31, 0.1}) {
    const std::array<RegionSurface, 1> surfaces{RegionSurface{sphere, "sphere"}};
    const Embedding embedding = embed_points(voxelize(surfaces, {.cell = cell}), sphere.vertices);
    EXPECT_EQ(embedding.outside, 0) << "cell " << cell << ", farthest " << embedding.farthest;
  }
}

TEST(Embedding, RefusesFieldsOfAnotherSize) {
  const Embedding embedding = embed_points(test::unit_brick(), Matrix3X::Zero(3, 2));
  EXPECT_EQ(test::error_text([&] { interpolate(embedding, Matrix3X::Zero(3, 7)); }),
            "7 displacements of the mesh's vertices, expected 8");
}

}  // namespace
}  // namespace limber::embedding_test
