#include "limber/io/gmsh_reader.hpp"

#include "tests/io/mesh_support.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace limber::gmsh_reader_test {
namespace {

using test::data_file;
using test::replaced;

double total_volume(const VolumeMesh& mesh, int region) {
  double volume = 0.0;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    if (mesh.region[static_cast<std::size_t>(e)] == region) volume += element_volume(mesh, e);
  }
  return volume;
}

/// A file of given byte order, value by value.
class BinaryFile {
 public:
  explicit BinaryFile(std::endian order) : order_(order) {}

  BinaryFile& text(std::string_view text) {
    content_ += text;
    return *this;
  }
  template <class Number>
  BinaryFile& put(std::initializer_list<Number> values) {
    for (const Number value : values) {
      auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(value);
      if (order_ != std::endian::native) std::reverse(bytes.begin(), bytes.end());
      content_.append(bytes.data(), bytes.size());
    }
    return *this;
  }
  BinaryFile& ints(std::initializer_list<std::int32_t> values) { return put(values); }
  BinaryFile& sizes(std::initializer_list<std::int64_t> values) { return put(values); }
  BinaryFile& reals(std::initializer_list<double> values) { return put(values); }
  [[nodiscard]] const std::string& content() const { return content_; }

 private:
  std::endian order_;
  std::string content_;
};

std::string binary_tetrahedron_22(std::endian order) {
  BinaryFile file(order);
  file.text("$MeshFormat\n2.2 1 8\n").ints({1}).text("\n$EndMeshFormat\n$Nodes\n4\n");
  file.ints({1}).reals({0, 0, 0}).ints({2}).reals({1, 0, 0}).ints({3}).reals({0, 1, 0}).ints({4});
  file.reals({0, 0, 1}).text("\n$EndNodes\n$Elements\n2\n");
  file.ints({2, 1, 2, 1, 8, 8, 1, 2, 3}).ints({4, 1, 2, 2, 5, 6, 1, 2, 3, 4}).text("\n$EndElements\n");
  return file.content();
}

std::string binary_tetrahedron_41(std::endian order) {
  BinaryFile file(order);
  file.text("$MeshFormat\n4.1 1 8\n").ints({1}).text("\n$EndMeshFormat\n$Entities\n").sizes({0, 0, 0, 1});
  file.ints({6}).reals({0, 0, 0, 1, 1, 1}).sizes({1}).ints({5}).sizes({0}).text("\n$EndEntities\n$Nodes\n");
  file.sizes({1, 4, 1, 4}).ints({3, 6, 0}).sizes({4, 1, 2, 3, 4});
  file.reals({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}).text("\n$EndNodes\n$Elements\n").sizes({1, 1, 1, 1});
  file.ints({3, 6, 4}).sizes({1, 1, 1, 2, 3, 4}).text("\n$EndElements\n");
  return file.content();
}

class GmshProgram : public testing::TestWithParam<std::string> {};

TEST_P(GmshProgram, WritesTetrahedraInTwoNamedRegionsThatFillTheirBoxes) {
  const VolumeMesh mesh = read_mesh(data_file("box_" + GetParam() + ".msh"));
  EXPECT_EQ(mesh.kind, ElementKind::tetrahedron);
  EXPECT_EQ(mesh.vertex_count(), 23);
  EXPECT_EQ(mesh.element_count(), 48);
  ASSERT_EQ(mesh.regions, (std::vector<Region>{{3, "shell"}, {7, "soft core"}}));
  EXPECT_NEAR(total_volume(mesh, 0), 1.0, 1e-12);
  EXPECT_NEAR(total_volume(mesh, 1), 1.0, 1e-12);
  EXPECT_GT(mesh.vertices.row(0).maxCoeff(), 1.9);
}

TEST_P(GmshProgram, WritesTheSameMeshInEveryVariant) {
  test::expect_same_mesh(read_mesh(data_file("box_" + GetParam() + ".msh")),
                         read_mesh(data_file("box_22.msh")));
}

INSTANTIATE_TEST_SUITE_P(Tetrahedra, GmshProgram,
                         testing::Values("22", "22_binary", "41", "41_binary", "41_parametric"),
                         [](const auto& variant) { return "Version" + variant.param; });

class GmshProgramBricks : public testing::TestWithParam<std::string> {};

TEST_P(GmshProgramBricks, FillTheirBoxInCanonicalOrder) {
  const VolumeMesh mesh = read_mesh(data_file("bricks_" + GetParam() + ".msh"));
  EXPECT_EQ(mesh.kind, ElementKind::brick);
  EXPECT_EQ(mesh.vertex_count(), 24);
  EXPECT_EQ(mesh.element_count(), 6);
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{1, ""}})) << "no physical group: the entity's tag";
  EXPECT_NEAR(total_volume(mesh, 0), 1.5, 1e-12);
  test::expect_same_mesh(mesh, read_mesh(data_file("bricks_22.msh")));
}

INSTANTIATE_TEST_SUITE_P(Bricks, GmshProgramBricks, testing::Values("22", "22_binary", "41", "41_binary"),
                         [](const auto& variant) { return "Version" + variant.param; });

TEST(GmshReader, ReadsTheSmallestFileOfEachVersion) {
  for (const std::string_view content : {test::tetrahedron_22, test::tetrahedron_41}) {
    const VolumeMesh mesh = parse_mesh(content, "test.msh");
    EXPECT_EQ(mesh.elements, Eigen::Vector4i(0, 1, 2, 3));
    EXPECT_EQ(mesh.vertices.rightCols(3), Matrix3::Identity());
    EXPECT_EQ(mesh.regions, (std::vector<Region>{{5, ""}}));
  }
}

TEST(GmshReader, ReadsBinaryFilesOfEitherByteOrder) {
  const VolumeMesh expected = parse_mesh(test::tetrahedron_22, "test.msh");
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    test::expect_same_mesh(parse_mesh(binary_tetrahedron_22(order), "test.msh"), expected);
    test::expect_same_mesh(parse_mesh(binary_tetrahedron_41(order), "test.msh"), expected);
  }
}

TEST(GmshReader, NumbersVerticesInTheOrderOfTheFileWhateverTheirTags) {
  std::string content = replaced(test::tetrahedron_22, "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1",
                                 "900000000 0 0 0\n7 1 0 0\n31 0 1 0\n-4 0 0 1");
  content = replaced(content, "5 6 1 2 3 4", "5 6 900000000 7 31 -4");
  const VolumeMesh mesh = parse_mesh(content, "test.msh");
  EXPECT_EQ(mesh.elements, Eigen::Vector4i(0, 1, 2, 3));
  EXPECT_EQ(mesh.vertices.col(1), Vector3::UnitX());
}

TEST(GmshReader, KeepsVerticesThatNoElementUses) {
  const std::string content =
      replaced(test::tetrahedron_22, "4\n1 0 0 0\n2 1", "6\n8 9 9 9\n1 0 0 0\n5 8 8 8\n2 1");
  const VolumeMesh mesh = parse_mesh(content, "test.msh");
  EXPECT_EQ(mesh.vertex_count(), 6);
  EXPECT_EQ(mesh.vertices.col(0), Vector3::Constant(9));
  EXPECT_EQ(mesh.elements, Eigen::Vector4i(1, 3, 4, 5));
}

TEST(GmshReader, LeavesOutPointsLinesTrianglesAndQuadrilaterals) {
  const std::string content = replaced(test::tetrahedron_22, "1\n1 4 2 5 6 1 2 3 4",
                                       "5\n1 15 2 9 9 1\n2 1 2 9 9 1 2\n3 4 2 5 6 1 2 3 4\n4 2 2 9 9 1 2 3\n"
                                       "5 3 0 1 2 3 4");
  const VolumeMesh mesh = parse_mesh(content, "test.msh");
  EXPECT_EQ(mesh.element_count(), 1);
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{5, ""}}));
}

TEST(GmshReader, SkipsCommentsAndSectionsItDoesNotKnow) {
  std::string content = replaced(test::tetrahedron_22, "$Nodes",
                                 "$Periodic\n1\n$EndPeriodicity is not the end\n$EndPeriodic\n\n\n$Nodes");
  content = "\n$Comments\nmade by hand, $Nodes and all\n$EndComments\n" + content +
            "$NodeData\n1\n\"view\"\n$EndNodeData\n$ElementData\n$EndElementData";
  EXPECT_EQ(parse_mesh(content, "test.msh").element_count(), 1);
}

TEST(GmshReader, ReadsWindowsLineEndsBlanksAndPlusSigns) {
  std::string content;
  for (const char c : replaced(test::tetrahedron_22, "2 1 0 0", "  2\t+1   0 0  ")) {
    content += c == '\n' ? "\r\n" : std::string(1, c);
  }
  EXPECT_EQ(parse_mesh(content, "test.msh").vertices.col(1), Vector3::UnitX());
}

TEST(GmshReader, NamesRegionsByTheirGroupAndOrdersThemByTag) {
  std::string content =
      replaced(test::tetrahedron_22, "$Nodes\n4\n1 0 0 0",
               "$PhysicalNames\n3\n2 5 \"a surface\"\n3 5 \"five\"\n3 2 \"has \"quotes\" in it\"\n"
               "$EndPhysicalNames\n$Nodes\n5\n5 1 1 1\n1 0 0 0");
  content = replaced(content, "1\n1 4 2 5 6 1 2 3 4", "2\n1 4 2 5 6 1 2 3 4\n2 4 2 2 6 2 3 4 5");
  content = replaced(content, "2 3 4 5\n$End", "2 4 3 5\n$End");
  const VolumeMesh mesh = parse_mesh(replaced(content, "2 4 3 5", "3 4 2 5"), "test.msh");
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{2, "has \"quotes\" in it"}, {5, "five"}}));
  EXPECT_EQ(mesh.region, (std::vector<int>{1, 0}));
}

TEST(GmshReader, PutsElementsInNoGroupIntoARegionWithTheTagOfTheirEntity) {
  std::string content = replaced(test::tetrahedron_22, "4\n1 0 0 0", "5\n5 1 1 1\n1 0 0 0");
  content = replaced(content, "1\n1 4 2 5 6 1 2 3 4", "2\n1 4 2 0 6 1 2 3 4\n2 4 2 6 1 3 4 2 5");
  const VolumeMesh mesh = parse_mesh(content, "test.msh");
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{6, ""}, {6, ""}})) << "group 6, then volume 6 in no group";
  EXPECT_EQ(mesh.region, (std::vector<int>{1, 0}));

  const std::string ungrouped = replaced(test::tetrahedron_41, "1 5 0\n$EndEntities", "0 0\n$EndEntities");
  EXPECT_EQ(parse_mesh(ungrouped, "test.msh").regions, (std::vector<Region>{{6, ""}}));
}

TEST(GmshReader, IgnoresTheSignOfAGroupTagThatMarksReversedOrientation) {
  EXPECT_EQ(parse_mesh(replaced(test::tetrahedron_41, "1 5 0\n", "1 -5 0\n"), "test.msh").regions.front().tag,
            5);
  EXPECT_EQ(parse_mesh(replaced(test::tetrahedron_22, "4 2 5 6", "4 2 -5 6"), "test.msh").regions.front().tag,
            5);
}

TEST(GmshReader, PutsBricksGivenInAnyOrderIntoCanonicalOrder) {
  constexpr std::string_view brick = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
8
1 0 0 0
2 0 0 3
3 0 2 0
4 0 2 3
5 1 0 0
6 1 0 3
7 1 2 0
8 1 2 3
$EndNodes
$Elements
1
1 5 2 1 1 8 7 5 6 4 3 1 2
$EndElements
)";
  const VolumeMesh mesh = parse_mesh(brick, "test.msh");
  const Eigen::Vector<int, 8> expected{0, 4, 6, 2, 1, 5, 7, 3};
  EXPECT_EQ(mesh.elements, expected);
}

}  // namespace
}  // namespace limber::gmsh_reader_test
