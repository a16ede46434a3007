#include "tests/mesh/support.hpp"

namespace limber::beam_test {
namespace {

using test::both_kinds;
using test::contains;
using test::error_text;

TEST(Beam, HasTheVerticesAndElementsOfItsCells) {
  for (const ElementKind kind : both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    EXPECT_EQ(mesh.kind, kind);
    EXPECT_EQ(mesh.vertex_count(), 4 * 3 * 3);
    EXPECT_EQ(mesh.element_count(), 12 * (kind == ElementKind::brick ? 1 : 6));
    EXPECT_EQ(mesh.elements.rows(), vertices_per_element(kind));
    EXPECT_EQ(mesh.regions, (std::vector<Region>{{1, "beam"}}));
  }
}

TEST(Beam, IsValidWithPositiveElementsThatFillTheBox) {
  for (const ElementKind kind : both_kinds) {
    const VolumeMesh mesh = test::small_beam(kind);
    EXPECT_NO_THROW(check_mesh(mesh, "beam"));
    for (Index e = 0; e < mesh.element_count(); ++e) {
      EXPECT_NEAR(element_volume(mesh, e), 1.5 * 0.7 * 0.4 / static_cast<double>(mesh.element_count()),
                  1e-15);
    }
    EXPECT_NEAR(test::total_volume(mesh), 1.5 * 0.7 * 0.4, 1e-14);
  }
}

TEST(Beam, BeginsAtTheOriginAndIsCentredOnTheXAxis) {
  const BoundingBox box = bounding_box(test::small_beam(ElementKind::tetrahedron));
  EXPECT_TRUE(box.min.isApprox(Vector3(0.0, -0.35, -0.2), 1e-15)) << box.min.transpose();
  EXPECT_TRUE(box.max.isApprox(Vector3(1.5, 0.35, 0.2), 1e-15)) << box.max.transpose();
}

TEST(Beam, RefusesCellsAndSizesOutOfRange) {
  EXPECT_EQ(error_text([] {
              make_beam({.cells = {3, 0, 2}});
            }),
            "beam: 3 x 0 x 2 cells, expected at least 1 along each axis");
  EXPECT_TRUE(contains(error_text([] {
                         make_beam({.cells = {100000, 100000, 100000}});
                       }),
                       "beam: 100000 x 100000 x 100000 cells are more than the"));
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(contains(error_text([&] {
                           make_beam({.size = {1.0, bad, 1.0}});
                         }),
                         "expected positive lengths in metres"));
  }
  EXPECT_EQ(error_text([] {
              make_beam({.size = {1e300, 1.0, 1.0}});
            }),
            "beam: size 1e+300 x 1 x 1, expected at most 1e+30 m");
  EXPECT_TRUE(contains(error_text([] {
                         make_beam({.size = {1e9, 1.0, 1.0}, .cells = {1, 1, 1}});
                       }),
                       "its cells are 1e+09 x 1 x 1 m, expected at most 100000 times as long as wide"));
}

}  // namespace
}  // namespace limber::beam_test
