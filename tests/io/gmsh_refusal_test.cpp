#include "limber/base/random.hpp"
#include "tests/io/mesh_support.hpp"

#include <gmock/gmock.h>

namespace limber::gmsh_refusal_test {
namespace {

using test::data_file;
using test::parse_error;
using test::replaced;
using test::tetrahedron_22;
using test::tetrahedron_41;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(GmshRefusal, NamesTheVersionsItReads) {
  for (const std::string_view version : {"1.0", "4", "4.0", "5", "x"}) {
    const std::string content = replaced(tetrahedron_22, "2.2", version);
    EXPECT_THAT(parse_error(content), AllOf(StartsWith("test.msh: line 2: "), HasSubstr(version),
                                            HasSubstr("expected 2.2 or 4.1"), HasSubstr("-format msh41")));
  }
}

TEST(GmshRefusal, NamesTheVersionsItReadsWhereTheFormatIsMissing) {
  EXPECT_THAT(parse_error("$NOD\n1\n1 0 0 0\n$ENDNOD\n"), AllOf(HasSubstr("$NOD"), HasSubstr("2.2 and 4.1")));
}

TEST(GmshRefusal, OfAFormatSectionThatIsDamaged) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "2.2 0 8", "2.2 7 8")),
              HasSubstr("file type is 7, expected 0"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "2.2 0 8", "4.1 1 4")),
              HasSubstr("data size is 4, expected 8"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "2.2 0 8\n", "2.2 1 8\nabcd")), HasSubstr("byte order"));
  EXPECT_THAT(parse_error(std::string(tetrahedron_22) + std::string(tetrahedron_22)),
              HasSubstr("a second section $MeshFormat"));
}

TEST(GmshRefusal, OfHigherOrderElementsSaysHowToMesh) {
  EXPECT_THAT(test::error_text([] { read_mesh(data_file("box_22_order2.msh")); }),
              AllOf(HasSubstr("box_22_order2.msh: line "), HasSubstr("higher-order"),
                    HasSubstr("Mesh.ElementOrder=1")));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "1 4 2 5 6", "1 11 2 5 6")),
              AllOf(HasSubstr("line 13: a higher-order element (Gmsh element type 11)"),
                    HasSubstr("Mesh.ElementOrder=1")));
}

TEST(GmshRefusal, OfPrismsAndPyramidsSaysHowToMesh) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "1 4 2 5 6", "1 6 2 5 6")),
              AllOf(HasSubstr("a prism"), HasSubstr("tetrahedra")));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "3 6 4 1", "3 6 7 1")),
              AllOf(HasSubstr("a pyramid"), HasSubstr("tetrahedra")));
}

TEST(GmshRefusal, OfAnElementTypeThatDoesNotExist) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "1 4 2 5 6", "1 999 2 5 6")),
              HasSubstr("element type 999"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "1 4 2 5 6", "1 -1 2 5 6")), HasSubstr("element type -1"));
}

TEST(GmshRefusal, OfTetrahedraMixedWithHexahedra) {
  const std::string content =
      replaced(tetrahedron_22, "1\n1 4 2 5 6 1 2 3 4", "2\n1 4 2 5 6 1 2 3 4\n2 5 2 5 6 1 2 3 4 1 2 3 4");
  EXPECT_THAT(parse_error(content), HasSubstr("both tetrahedra and hexahedra, expected one kind"));
}

TEST(GmshRefusal, OfASurfaceMeshSaysHowToGetAVolume) {
  const std::string content = replaced(tetrahedron_22, "1 4 2 5 6 1 2 3 4", "1 2 2 5 6 1 2 3");
  EXPECT_THAT(parse_error(content), AllOf(HasSubstr("no tetrahedra or hexahedra"), HasSubstr("gmsh -3")));
}

TEST(GmshRefusal, OfANodeTagUsedTwice) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "4 0 0 1", "2 0 0 1")),
              HasSubstr("two nodes have the tag 2"));
}

TEST(GmshRefusal, OfAnElementThatNamesANodeThatIsNotThere) {
  for (const std::string_view tag : {"0", "5", "-1", "2147483647"}) {
    EXPECT_THAT(
        parse_error(replaced(tetrahedron_22, "1 2 3 4\n$EndEl", fmt::format("1 2 3 {}\n$EndEl", tag))),
        HasSubstr(fmt::format("names node {}, which $Nodes does not hold", tag)));
  }
}

TEST(GmshRefusal, OfCoordinatesThatAreNotFinite) {
  for (const std::string_view number : {"nan", "inf", "-inf"}) {
    EXPECT_THAT(
        parse_error(replaced(tetrahedron_22, "3 0 1 0", fmt::format("3 0 {} 0", number))),
        AllOf(HasSubstr("line 8: a coordinate of node 3 (vertex 2)"), HasSubstr("expected a finite number")));
  }
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "3 0 1 0", "3 0 1e999 0")), HasSubstr("found '1e999'"));
}

TEST(GmshRefusal, OfTextWhereANumberBelongs) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "2 1 0 0", "2 one 0 0")),
              HasSubstr("line 7: expected a coordinate of a node in $Nodes, found 'one'"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "2 1 0 0", "2.5 1 0 0")), HasSubstr("found '2.5'"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "2 1 0 0", "99999999999 1 0 0")),
              HasSubstr("found '99999999999'"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "2 1 0 0", "2 1\x01\x02\xff 0 0")),
              HasSubstr("found '1?"));
}

TEST(GmshRefusal, OfCountsThatDoNotMatch) {
  EXPECT_THAT(
      parse_error(replaced(tetrahedron_22, "$Nodes\n4", "$Nodes\n3")),
      HasSubstr("line 9: expected $EndNodes after as many entries as the section announces, found '4'"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "$Nodes\n4", "$Nodes\n5")),
              HasSubstr("found '$EndNodes'"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "$Nodes\n4", "$Nodes\n-4")),
              HasSubstr("announces -4 nodes"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "1 4 1 4", "1 5 1 4")),
              HasSubstr("1 nodes more than its blocks"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "1 4 1 4", "1 3 1 4")),
              HasSubstr("a block of 4 nodes, but"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "3 6 4 1", "3 6 4 2")),
              HasSubstr("a block of 2 elements, but"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "3 6 4 1\n1 1 2 3 4", "3 6 4 0")),
              HasSubstr("elements more than"));
}

TEST(GmshRefusal, OfANegativeNumberOfTags) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "1 4 2 5 6", "1 4 -2 5 6")),
              HasSubstr("an element with -2 tags"));
}

TEST(GmshRefusal, OfAbsurdCountsComesBeforeAnythingIsAllocated) {
  // Were the count believed, a terabyte would be asked for.
  constexpr std::string_view many = "99999999999";
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "$Nodes\n4", "$Nodes\n2000000000")),
              AllOf(HasSubstr("announces 2000000000 nodes, but only"), HasSubstr("bytes follow")));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "$Elements\n1", "$Elements\n2000000000")),
              HasSubstr("announces 2000000000 elements, but only"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "1 4 1 4", fmt::format("1 {} 1 4", many))),
              HasSubstr(fmt::format("announces {} nodes, but only", many)));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "$Elements\n1 1", fmt::format("$Elements\n1 {}", many))),
              HasSubstr(fmt::format("announces {} elements, but only", many)));
  EXPECT_THAT(parse_error(replaced(tetrahedron_41, "0 0 0 1\n", fmt::format("0 0 {} 1\n", many))),
              HasSubstr(fmt::format("announces {} surfaces, but only", many)));
}

TEST(GmshRefusal, OfAPhysicalNameWithoutQuotes) {
  const std::string content =
      replaced(tetrahedron_22, "$Nodes", "$PhysicalNames\n1\n3 5 core\n$EndPhysicalNames\n$Nodes");
  EXPECT_THAT(parse_error(content),
              HasSubstr("line 6: expected the quoted name of physical group 5, found 'core'"));
}

TEST(GmshRefusal, OfElementsInTwoPhysicalGroups) {
  EXPECT_THAT(test::error_text([] { read_mesh(data_file("box_41_two_groups.msh")); }),
              HasSubstr("volume 1 belongs to the physical groups 7 and 9, expected at most one"));
  EXPECT_THAT(test::error_text([] { read_mesh(data_file("box_22_two_groups.msh")); }),
              AllOf(HasSubstr("have the same vertices"), HasSubstr("two physical groups")));
}

TEST(GmshRefusal, OfDegenerateElements) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "5 6 1 2 3 4", "5 6 1 2 3 3")), HasSubstr("degenerate"));
}

TEST(GmshRefusal, OfTextBetweenSections) {
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "$Nodes", "hello\n$Nodes")),
              HasSubstr("line 4: expected the start of a section such as $Nodes, found 'hello'"));
  EXPECT_THAT(parse_error(replaced(tetrahedron_22, "$Nodes", "$EndNodes\n$Nodes")),
              HasSubstr("found '$EndNodes'"));
}

TEST(GmshRefusal, OfATruncatedFileSaysSo) {
  EXPECT_THAT(parse_error(tetrahedron_22.substr(0, tetrahedron_22.find("$Nodes"))),
              HasSubstr("has no section $Nodes"));
  EXPECT_THAT(parse_error(tetrahedron_22.substr(0, tetrahedron_22.find("$Elements"))),
              HasSubstr("has no section $Elements"));
  EXPECT_THAT(parse_error(tetrahedron_22.substr(0, tetrahedron_22.find("$EndElements"))),
              HasSubstr("ends inside $Elements, expected $EndElements; it is truncated"));
  EXPECT_THAT(parse_error(fmt::format("{}$NodeData\n1\n", tetrahedron_22)),
              HasSubstr("$NodeData has no $End line"));
}

/// Parses what may be damaged: the outcome is an Error or a mesh that passes every check.
void expect_error_or_mesh(std::string_view content) {
  try {
    EXPECT_GT(parse_mesh(content, "test.msh").element_count(), 0);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("test.msh: "));
  }
}

class DamagedGmshFile : public testing::TestWithParam<std::string> {};

TEST_P(DamagedGmshFile, IsRefusedOrValidWhereverItIsCutOff) {
  const std::string content = read_file(data_file(GetParam() + ".msh"));
  for (std::size_t length = 0; length < content.size(); ++length) {
    expect_error_or_mesh(std::string_view(content).substr(0, length));
  }
  const std::size_t data_end = content.find("$EndElements");
  for (std::size_t length = 0; length < data_end; ++length) {
    EXPECT_THROW(parse_mesh(std::string_view(content).substr(0, length), "test.msh"), Error)
        << length << " bytes";
  }
}

TEST_P(DamagedGmshFile, IsRefusedOrValidWhateverBytesAreOverwritten) {
  const std::string original = read_file(data_file(GetParam() + ".msh"));
  Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string content = original;
    for (int change = 0; change < 3; ++change) {
      content[random.next() % content.size()] = static_cast<char>(random.next());
    }
    expect_error_or_mesh(content);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedGmshFile,
                         testing::Values("box_22", "box_22_binary", "box_41", "box_41_binary", "bricks_22",
                                         "bricks_22_binary", "bricks_41", "bricks_41_binary"),
                         [](const auto& variant) { return variant.param; });

}  // namespace
}  // namespace limber::gmsh_refusal_test
