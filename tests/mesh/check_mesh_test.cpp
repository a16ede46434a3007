#include "limber/base/random.hpp"
#include "tests/mesh/support.hpp"

#include <algorithm>
#include <array>

namespace limber::check_mesh_test {
namespace {

using test::contains;
using test::error_text;
using test::unit_brick;
using test::unit_tetrahedron;

std::string refusal(const VolumeMesh& mesh) {
  return error_text([&] { check_mesh(mesh, "a.msh"); });
}

TEST(CheckMesh, AcceptsTheSmallestMeshes) {
  EXPECT_NO_THROW(check_mesh(unit_tetrahedron(), "a.msh"));
  EXPECT_NO_THROW(check_mesh(unit_brick(), "a.msh"));
}

TEST(CheckMesh, RefusesAMeshWithoutElements) {
  VolumeMesh mesh = unit_tetrahedron();
  mesh.elements.resize(4, 0);
  mesh.region.clear();
  EXPECT_EQ(refusal(mesh), "a.msh: the mesh has no tetrahedra or bricks; limber needs a volume mesh");
}

TEST(CheckMesh, RefusesTheWrongNumberOfVerticesPerElement) {
  VolumeMesh mesh = unit_tetrahedron();
  mesh.kind = ElementKind::brick;
  EXPECT_EQ(refusal(mesh), "a.msh: 4 vertices per element, expected 8 for a brick");
}

TEST(CheckMesh, RefusesMissingRegionNumbers) {
  VolumeMesh mesh = unit_tetrahedron();
  mesh.region.clear();
  EXPECT_EQ(refusal(mesh), "a.msh: 0 region numbers for 1 elements, expected one each");
}

TEST(CheckMesh, RefusesRegionsThatDoNotExist) {
  for (const int region : {-1, 1}) {
    VolumeMesh mesh = unit_tetrahedron();
    mesh.region[0] = region;
    EXPECT_EQ(refusal(mesh),
              fmt::format("a.msh: element 0 belongs to region {}, but the mesh has regions 0 to 0", region));
  }
}

TEST(CheckMesh, RefusesVerticesThatDoNotExist) {
  for (const int vertex : {-1, 4}) {
    VolumeMesh mesh = unit_tetrahedron();
    mesh.elements(2, 0) = vertex;
    EXPECT_EQ(refusal(mesh),
              fmt::format("a.msh: element 0 names vertex {}, but the mesh has vertices 0 to 3", vertex));
  }
}

TEST(CheckMesh, RefusesCoordinatesThatAreNotFinite) {
  VolumeMesh mesh = unit_tetrahedron();
  mesh.vertices(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(mesh), "a.msh: vertex 2 has the coordinates (0, nan, 0), expected finite numbers");
  mesh.vertices(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(mesh), "a.msh: vertex 2 has the coordinates (0, inf, 0), expected finite numbers");
}

TEST(CheckMesh, RefusesCoordinatesWhoseVolumesAreNoNumbers) {
  VolumeMesh mesh = unit_tetrahedron();
  mesh.vertices *= 1e200;
  EXPECT_EQ(refusal(mesh),
            "a.msh: vertex 1 has the coordinates (1e+200, 0, 0), expected at most 1e+30 m; scale the mesh");
  mesh.vertices *= 1e-171;
  EXPECT_NO_THROW(check_mesh(mesh, "a.msh"));
}

TEST(CheckMesh, RefusesDegenerateElements) {
  VolumeMesh flat = unit_tetrahedron();
  flat.vertices(2, 3) = 1e-13;
  EXPECT_TRUE(contains(refusal(flat), "a.msh: element 0 is degenerate: volume 1.66")) << refusal(flat);
  VolumeMesh repeated = unit_tetrahedron();
  repeated.elements(3, 0) = 2;
  EXPECT_TRUE(contains(refusal(repeated), "a.msh: element 0 is degenerate: volume 0 for"));
  VolumeMesh brick = unit_brick();
  brick.vertices.row(1) *= 1e-14;
  EXPECT_TRUE(contains(refusal(brick), "a.msh: element 0 is degenerate"));
}

TEST(CheckMesh, AcceptsThinElementsThatAreNotDegenerate) {
  VolumeMesh mesh = unit_tetrahedron();
  mesh.vertices(2, 3) = 1e-6;
  EXPECT_NO_THROW(check_mesh(mesh, "a.msh"));
}

TEST(CheckMesh, DoesNotDependOnTheUnitOfLength) {
  for (const double unit : {1e-9, 1e9}) {
    VolumeMesh mesh = unit_tetrahedron();
    mesh.vertices *= unit;
    EXPECT_NO_THROW(check_mesh(mesh, "a.msh")) << unit;
  }
}

TEST(CheckMesh, RefusesInvertedElements) {
  VolumeMesh mesh = unit_tetrahedron();
  std::swap(mesh.elements(0, 0), mesh.elements(1, 0));
  EXPECT_TRUE(contains(refusal(mesh), "a.msh: element 0 is inverted: volume -0.16666666666666666; swap two"));
  VolumeMesh mirrored = unit_brick();
  for (int a = 0; a < 4; ++a) std::swap(mirrored.elements(a, 0), mirrored.elements(a + 4, 0));
  EXPECT_TRUE(contains(refusal(mirrored), "a.msh: element 0 is inverted: volume -1"));
}

TEST(CheckMesh, RefusesBricksOutOfOrder) {
  VolumeMesh mesh = unit_brick();
  std::swap(mesh.elements(1, 0), mesh.elements(3, 0));  // the corners 0 and 6 stay, so the volume is positive
  EXPECT_EQ(refusal(mesh), "a.msh: the vertices of brick 0 are out of order");
}

TEST(CheckMesh, RefusesHexahedraThatAreNoBoxes) {
  VolumeMesh mesh = unit_brick();
  mesh.vertices(0, mesh.elements(1, 0)) += 1e-3;
  EXPECT_TRUE(contains(refusal(mesh), "element 0 is a hexahedron that is not an axis-aligned box"));
}

TEST(CheckMesh, RefusesBricksThatUseACornerTwice) {
  VolumeMesh mesh = unit_brick();
  mesh.elements(1, 0) = mesh.elements(0, 0);
  EXPECT_EQ(refusal(mesh), "a.msh: element 0 uses a corner of its box twice");
}

TEST(CanonicalizeBricks, RestoresEveryShuffledOrder) {
  const VolumeMesh expected = test::small_beam(ElementKind::brick);
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    VolumeMesh mesh = expected;
    for (Index e = 0; e < mesh.element_count(); ++e) {
      for (int a = 7; a > 0; --a) std::swap(mesh.elements(a, e), mesh.elements(random.next() % (a + 1), e));
    }
    canonicalize_bricks(mesh, "a.msh");
    ASSERT_EQ(mesh.elements, expected.elements);
  }
}

TEST(CanonicalizeBricks, RestoresTheRotationsOfACube) {
  // Turning the body by 90 degrees permutes the corners of each brick; the turned mesh must come out valid.
  std::array<int, 3> axes{0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      VolumeMesh mesh = test::small_beam(ElementKind::brick);
      const Matrix3X original = mesh.vertices;
      for (int k = 0; k < 3; ++k)
        mesh.vertices.row(k) = ((signs >> k & 1) != 0 ? -1 : 1) * original.row(axes[k]);
      canonicalize_bricks(mesh, "a.msh");
      EXPECT_NO_THROW(check_mesh(mesh, "a.msh"));
      EXPECT_NEAR(test::total_volume(mesh), 1.5 * 0.7 * 0.4, 1e-14);
    }
  } while (std::next_permutation(axes.begin(), axes.end()));
}

TEST(CanonicalizeBricks, ForgivesTheRoundingOfAFile) {
  VolumeMesh mesh = unit_brick();
  Random random(3);
  for (double& x : mesh.vertices.reshaped()) x += random.uniform(-4e-7, 4e-7);
  EXPECT_NO_THROW(canonicalize_bricks(mesh, "a.msh"));
}

TEST(CanonicalizeBricks, SaysWhatIsWrong) {
  const auto text = [](VolumeMesh mesh) { return error_text([&] { canonicalize_bricks(mesh, "a.msh"); }); };
  VolumeMesh skewed = unit_brick();
  skewed.vertices.row(0) += 0.1 * skewed.vertices.row(1);
  EXPECT_TRUE(contains(text(skewed), "is not an axis-aligned box"));
  VolumeMesh flat = unit_brick();
  flat.vertices.row(2).setZero();
  EXPECT_TRUE(contains(text(flat), "element 0 is degenerate: its box is 1 x 1 x 0"));
  VolumeMesh missing = unit_brick();
  missing.elements(0, 0) = 8;
  EXPECT_TRUE(contains(text(missing), "names vertex 8"));
  VolumeMesh unassigned = unit_brick();
  unassigned.region.clear();
  EXPECT_TRUE(contains(text(unassigned), "0 region numbers for 1 elements"));
  EXPECT_EQ(text(unit_tetrahedron()), "a.msh: the mesh is made of tetrahedra, expected bricks");
}

}  // namespace
}  // namespace limber::check_mesh_test
