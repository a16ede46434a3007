#include "limber/mesh/quality.hpp"

#include "tests/mesh/support.hpp"

#include <cmath>
#include <numbers>

namespace limber::quality_test {
namespace {

constexpr double degrees = 180.0 / std::numbers::pi;

TEST(MeshQuality, OfARegularTetrahedron) {
  VolumeMesh mesh = test::unit_tetrahedron();
  mesh.vertices << 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1;
  if (element_volume(mesh, 0) < 0.0) mesh.elements = Eigen::Vector4i(0, 2, 1, 3);
  const MeshQuality quality = measure_quality(mesh);
  EXPECT_NEAR(quality.smallest_dihedral, std::acos(1.0 / 3.0) * degrees, 1e-10);
  EXPECT_NEAR(quality.largest_dihedral, std::acos(1.0 / 3.0) * degrees, 1e-10);
  EXPECT_NEAR(quality.largest_edge_ratio, 1.0, 1e-14);
  EXPECT_NEAR(quality.volume, 8.0 / 3.0, 1e-14);
}

TEST(MeshQuality, OfTheCornerOfACube) {
  const MeshQuality quality = measure_quality(test::unit_tetrahedron());
  EXPECT_NEAR(quality.smallest_dihedral, std::acos(1.0 / std::sqrt(3.0)) * degrees, 1e-10);
  EXPECT_NEAR(quality.largest_dihedral, 90.0, 1e-10);
  EXPECT_NEAR(quality.largest_edge_ratio, std::sqrt(2.0), 1e-14);
}

TEST(MeshQuality, SeesASliver) {
  VolumeMesh mesh = test::unit_tetrahedron();
  mesh.vertices.col(3) = Vector3(0.25, 0.25, 1e-6);
  const MeshQuality quality = measure_quality(mesh);
  EXPECT_NEAR(quality.smallest_dihedral, std::atan2(1e-6, 0.5 / std::sqrt(2.0)) * degrees, 1e-10);
  EXPECT_GT(quality.largest_dihedral, 179.99);
}

TEST(MeshQuality, OfABrickBeamCountsItsSides) {
  const MeshQuality quality =
      measure_quality(make_beam({.kind = ElementKind::brick, .size = {3, 1, 0.5}, .cells = {3, 2, 2}}));
  EXPECT_NEAR(quality.largest_edge_ratio, 4.0, 1e-12);
  EXPECT_EQ(quality.smallest_dihedral, 90.0);
  EXPECT_EQ(quality.largest_dihedral, 90.0);
  EXPECT_NEAR(quality.smallest_volume, 0.125, 1e-14);
  EXPECT_NEAR(quality.largest_volume, 0.125, 1e-14);
}

TEST(MeshQuality, AddsUpVolumesByRegion) {
  for (const ElementKind kind : test::both_kinds) {
    VolumeMesh mesh = test::small_beam(kind);
    mesh.regions = {{1, "left"}, {2, "right"}};
    for (Index e = 0; e < mesh.element_count() / 3; ++e) mesh.region[static_cast<std::size_t>(e)] = 1;
    const MeshQuality quality = measure_quality(mesh);
    ASSERT_EQ(quality.regions.size(), 2u);
    EXPECT_EQ(quality.regions[1].elements, mesh.element_count() / 3);
    EXPECT_EQ(quality.regions[0].elements + quality.regions[1].elements, mesh.element_count());
    EXPECT_NEAR(quality.regions[1].volume, 1.5 * 0.7 * 0.4 / 3, 1e-14);
    EXPECT_NEAR(quality.volume, test::total_volume(mesh), 1e-14);
  }
}

}  // namespace
}  // namespace limber::quality_test
