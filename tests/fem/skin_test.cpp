#include "limber/fem/skin.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::skin_test {
namespace {

/// Of length 1 along x, so thin that what is near an end of its axis is its end face.
VolumeMesh thin_beam(ElementKind kind) {
  return make_beam({kind, Vector3(1.0, 0.05, 0.05), Eigen::Vector3i(10, 2, 2)});
}

Vector3 middle_of(const VolumeMesh& mesh) {
  return 0.5 * (mesh.vertices.rowwise().minCoeff() + mesh.vertices.rowwise().maxCoeff());
}

/// Bones of length 0 in the middles of the end faces.
std::vector<BoneSegment> bones_at_ends(const VolumeMesh& mesh) {
  Vector3 low = middle_of(mesh), high = low;
  low.x() = mesh.vertices.row(0).minCoeff();
  high.x() = mesh.vertices.row(0).maxCoeff();
  return {{low, low}, {high, high}};
}

class HarmonicWeights : public testing::TestWithParam<ElementKind> {};

TEST_P(HarmonicWeights, BetweenTheEndsOfABarAreLinear) {
  const VolumeMesh mesh = thin_beam(GetParam());
  const Matrix W = harmonic_weights(mesh, bones_at_ends(mesh), 0.04);
  const double start = mesh.vertices.row(0).minCoeff();
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    EXPECT_NEAR(W(1, v), mesh.vertices(0, v) - start, 1e-10) << "vertex " << v;
    EXPECT_NEAR(W(0, v) + W(1, v), 1.0, 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, HarmonicWeights, testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST(Skin, GivesVerticesNearABoneToTheNearestAlone) {
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.4, 0.4), Eigen::Vector3i(10, 4, 4)});
  const double x0 = mesh.vertices.row(0).minCoeff();
  const Vector3 middle = middle_of(mesh);
  const Vector3 a(x0, middle.y(), middle.z()), b(x0 + 0.5, middle.y(), middle.z()),
      c(x0 + 1.0, middle.y(), middle.z());
  const Matrix W = harmonic_weights(mesh, std::vector<BoneSegment>{{a, b}, {b, c}}, 0.11);
  EXPECT_GE(W.minCoeff(), 0.0);
  int shared = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    EXPECT_NEAR(W.col(v).sum(), 1.0, 1e-14);
    const Vector3 x = mesh.vertices.col(v);
    const double radial = (x - Vector3(x.x(), middle.y(), middle.z())).norm();
    if (radial <= 0.105) {
      EXPECT_EQ(W(x.x() - x0 <= 0.5 + 1e-9 ? 0 : 1, v), 1.0) << "vertex " << v;
    } else if (W(0, v) > 0.01 && W(1, v) > 0.01) {
      ++shared;
    }
  }
  EXPECT_GT(shared, 10) << "nothing moves with both bones";
}

TEST(Skin, GivesEachBoneAtLeastItsNearestVertex) {
  const VolumeMesh mesh = thin_beam(ElementKind::tetrahedron);
  const std::vector<BoneSegment> bones = bones_at_ends(mesh);
  const Matrix W = harmonic_weights(mesh, bones, 0.0);
  for (Index b = 0; b < 2; ++b) EXPECT_EQ(W.row(b).maxCoeff(), 1.0);
}

TEST(Skin, LetsPartsWithoutABoneFollowTheNearest) {
  VolumeMesh mesh = thin_beam(ElementKind::tetrahedron);
  const VolumeMesh one = mesh;
  const Index n = one.vertex_count(), m = one.element_count();
  mesh.vertices.conservativeResize(3, 2 * n + 1);
  mesh.vertices.middleCols(n, n) = one.vertices.colwise() + Vector3(1.5, 0, 0);
  mesh.vertices.col(2 * n) = Vector3(-1, 0, 0);  // that no element uses
  mesh.elements.conservativeResize(4, 2 * m);
  mesh.elements.rightCols(m) = one.elements.array() + static_cast<int>(n);
  mesh.region.resize(static_cast<std::size_t>(2 * m), 0);
  const Matrix W = harmonic_weights(mesh, bones_at_ends(one), 0.04);
  EXPECT_LT((W.block(1, n, 1, n).array() - 1.0).abs().maxCoeff(), 1e-10);
  EXPECT_EQ(W(0, 2 * n), 1.0);
}

TEST(Skin, RefusesTwoBonesWithTheSameOnlyVertex) {
  const VolumeMesh mesh = thin_beam(ElementKind::tetrahedron);
  const BoneSegment far{Vector3(-9, 0, 0), Vector3(-9, 0, 0)},
      farther{Vector3(-9.1, 0, 0), Vector3(-9.1, 0, 0)};
  EXPECT_THROW((void)harmonic_weights(mesh, std::vector{far, farther}, 0.01), Error);
  EXPECT_THROW((void)harmonic_weights(mesh, std::vector<BoneSegment>{}, 0.01), Error);
  EXPECT_THROW((void)harmonic_weights(mesh, std::vector{far}, -1.0), Error);
}

Eigen::Isometry3d some_motion(double angle) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.rotate(Eigen::AngleAxisd(angle, Vector3(1, 2, -1).normalized()));
  motion.pretranslate(Vector3(0.3, -1.0, angle));
  return motion;
}

TEST(Skin, BlendsTheMotionsOfItsBones) {
  const VolumeMesh mesh = thin_beam(ElementKind::brick);
  const Matrix W = harmonic_weights(mesh, bones_at_ends(mesh), 0.04);
  const std::vector<Eigen::Isometry3d> motions{some_motion(0.5), some_motion(-1.0)};
  const VertexMaps maps = blend(W, mesh.vertices, motions);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Vector3 x = mesh.vertices.col(v), u(0.1, -0.2, 0.3);
    const Vector3 expected = W(0, v) * (motions[0] * (x + u)) + W(1, v) * (motions[1] * (x + u));
    const Vector3 found = x + maps.offset.col(v) + maps.linear[static_cast<std::size_t>(v)] * u;
    EXPECT_LT((found - expected).norm(), 1e-14);
  }
}

TEST(Skin, WhoseBonesMoveAlikeMovesRigidly) {
  const VolumeMesh mesh = thin_beam(ElementKind::brick);
  const Matrix W = harmonic_weights(mesh, bones_at_ends(mesh), 0.04);
  const Eigen::Isometry3d motion = some_motion(0.7);
  const VertexMaps maps = blend(W, mesh.vertices, std::vector{motion, motion});
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    EXPECT_LT((maps.linear[static_cast<std::size_t>(v)] - motion.linear()).norm(), 1e-14);
    EXPECT_LT((mesh.vertices.col(v) + maps.offset.col(v) - motion * Vector3(mesh.vertices.col(v))).norm(),
              1e-14);
  }
}

}  // namespace
}  // namespace limber::skin_test
