#include "tests/mesh/support.hpp"

namespace limber {
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
}

TEST(Builtin, RecognisesItsPrefix) {
  EXPECT_TRUE(is_builtin("builtin:beam"));
  EXPECT_TRUE(is_builtin("builtin:"));
  EXPECT_FALSE(is_builtin("beam.msh"));
  EXPECT_FALSE(is_builtin(""));
}

TEST(Builtin, TakesDefaultsAndParameters) {
  const VolumeMesh plain = make_builtin("builtin:beam");
  EXPECT_EQ(plain.kind, ElementKind::tetrahedron);
  EXPECT_EQ(plain.element_count(), 20 * 4 * 4 * 6);
  EXPECT_EQ(make_builtin("builtin:beam?").vertices, plain.vertices);
  EXPECT_EQ(make_builtin("builtin:beam?element=tet").elements, plain.elements);

  const VolumeMesh mesh = make_builtin("builtin:beam?element=brick&size=2,0.5,0.25&cells=4,2,1");
  EXPECT_EQ(mesh.kind, ElementKind::brick);
  EXPECT_EQ(mesh.element_count(), 8);
  EXPECT_NEAR(test::total_volume(mesh), 0.25, 1e-15);
  EXPECT_EQ(mesh.vertices,
            make_beam({.kind = ElementKind::brick, .size = {2, 0.5, 0.25}, .cells = {4, 2, 1}}).vertices);
}

TEST(Builtin, SaysWhatIsWrongWithAName) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"beam", "'beam' is not the name of a built-in body; they start with 'builtin:'"},
      {"builtin:bean", "unknown built-in body 'bean'; did you mean 'beam'?"},
      {"builtin:dragon", "unknown built-in body 'dragon'; known are beam"},
      {"builtin:", "unknown built-in body ''; known are beam"},
      {"builtin:beam?cells", "builtin:beam?cells: 'cells' should read key=value"},
      {"builtin:beam?&", "builtin:beam?&: '' should read key=value"},
      {"builtin:beam?cell=1,1,1", "builtin:beam?cell=1,1,1: unknown parameter 'cell'; did you mean 'cells'?"},
      {"builtin:beam?material=1",
       "builtin:beam?material=1: unknown parameter 'material'; known are element, size, cells"},
      {"builtin:beam?element=hex", "builtin:beam?element=hex: element is 'hex', expected 'tet' or 'brick'"},
      {"builtin:beam?size=1,2",
       "builtin:beam?size=1,2: 'size' is '1,2', expected three numbers separated by commas"},
      {"builtin:beam?size=1,b,2", "builtin:beam?size=1,b,2: 'b' in 'size' is not a number"},
      {"builtin:beam?size=1,nan,2", "builtin:beam?size=1,nan,2: 'nan' in 'size' is not a number"},
      {"builtin:beam?size=1,-1,2", "beam: size 1 x -1 x 2, expected positive lengths in metres"},
      {"builtin:beam?cells=1,2.5,1",
       "builtin:beam?cells=1,2.5,1: 2.5 cells along an axis, expected a whole number from 1 to 50000000"},
      {"builtin:beam?cells=1,0,1",
       "builtin:beam?cells=1,0,1: 0 cells along an axis, expected a whole number from 1 to 50000000"},
      {"builtin:beam?cells=1e10,1,1",
       "builtin:beam?cells=1e10,1,1: 10000000000 cells along an axis, expected a whole number from 1 to "
       "50000000"},
      {"builtin:beam?cells=10000,10000,1",
       "beam: 10000 x 10000 x 1 cells are more than the 50000000 that limber builds"},
  };
  for (const auto& [name, text] : cases) EXPECT_EQ(error_text([&] { make_builtin(name); }), text);
}

}  // namespace
}  // namespace limber
