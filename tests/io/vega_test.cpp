#include "limber/io/vega_reader.hpp"
#include "limber/io/vega_writer.hpp"
#include "tests/io/volume_support.hpp"

#include <array>

namespace limber::vega_test {
namespace {

using test::BadEdit;
using testing::HasSubstr;

/// Two tetrahedra that share a face.
constexpr std::string_view two_tetrahedra = R"(# Vega mesh file
*VERTICES
5 3 0 0
1 0 0 0
2, 1, 0, 0
3	0 1 0
4 0 0 1
5 1 1 1

*ELEMENTS
TETS
2 4 0
1 1 2 3 4
2, 2, 3, 4, 5

*MATERIAL rubber
ENU, 1000, 1e6, 0.45

*SET tip
2

*REGION
allElements, rubber
*REGION
tip, rubber
)";

TEST(Vega, NamesRegionsByTheirSetsAndLetsTheLastWin) {
  const VolumeMesh mesh = parse_mesh(two_tetrahedra, "a.veg");
  EXPECT_EQ(mesh.vertex_count(), 5);
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{1, "allElements"}, {2, "tip"}}));
  EXPECT_EQ(mesh.region, (std::vector<int>{0, 1}));
}

TEST(Vega, CountsFromZeroWhereTheFirstNumbersDo) {
  constexpr std::string_view from_zero =
      "*VERTICES\n4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n*ELEMENTS\nTET\n1 4 0\n0 0 1 2 3\n*SET a\n0,\n"
      "*REGION\na, m\n";
  const VolumeMesh mesh = parse_mesh(from_zero, "a.veg");
  EXPECT_EQ(mesh.elements.col(0), Eigen::Vector4i(0, 1, 2, 3));
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{1, "a"}}));
}

TEST(Vega, GathersElementsOfNoRegion) {
  const std::string content = test::replaced(two_tetrahedra, "*REGION\nallElements, rubber\n", "");
  EXPECT_EQ(parse_mesh(content, "a.veg").regions, (std::vector<Region>{{0, ""}, {1, "tip"}}));
}

TEST(Vega, ResolvesIncludedFilesBesideTheFirst) {
  const test::ScratchFolder folder;
  const std::string content(two_tetrahedra);
  const std::size_t elements = content.find("*ELEMENTS");
  const std::size_t header = content.find("5 3 0 0");
  std::filesystem::create_directories(folder / "parts");
  write_file(folder / "parts/nodes.node", content.substr(header, elements - header));
  write_file(folder / "parts/rest.veg", "# the rest\n*INCLUDE parts/more.veg\n");
  write_file(folder / "parts/more.veg", content.substr(elements));
  write_file(folder / "a.veg", "*VERTICES\n*INCLUDE parts/nodes.node\n*INCLUDE   parts/rest.veg  \n");
  test::expect_same_mesh(read_mesh(folder / "a.veg"), parse_mesh(content, "a.veg"));
}

TEST(Vega, NamesTheIncludedFileInMessages) {
  const test::ScratchFolder folder;
  write_file(folder / "b.veg", "\n1 3 0 0\n1 0 zero 0\n");
  write_file(folder / "a.veg", "*VERTICES\n*INCLUDE b.veg\n");
  EXPECT_THAT(test::error_text([&] { read_mesh(folder / "a.veg"); }),
              HasSubstr("b.veg: line 3: expected a coordinate of a vertex, found 'zero'"));
}

TEST(Vega, RefusesCyclesAndMissingFiles) {
  const test::ScratchFolder folder;
  write_file(folder / "a.veg", "*INCLUDE b.veg\n");
  EXPECT_THAT(test::error_text([&] { read_mesh(folder / "a.veg"); }), HasSubstr("b.veg: no such file"));
  write_file(folder / "b.veg", "*INCLUDE ./a.veg\n");
  EXPECT_THAT(test::error_text([&] { read_mesh(folder / "a.veg"); }),
              HasSubstr("b.veg: line 1: './a.veg' includes itself"));
  write_file(folder / "c.veg", "# nothing\n");
  std::string many;
  for (int i = 0; i < 101; ++i) many += "*INCLUDE c.veg\n";
  write_file(folder / "d.veg", many);
  EXPECT_THAT(test::error_text([&] { read_mesh(folder / "d.veg"); }), HasSubstr("more than 100 inclusions"));
  EXPECT_THAT(test::error_text([&] { parse_mesh(many, "d.veg"); }),
              HasSubstr("d.veg: line 1: *INCLUDE, which content"));
}

TEST(Vega, RefusesWhatIsMalformed) {
  constexpr std::array refusals{
      BadEdit{"5 3 0 0", "5 2 0 0", "line 3: expected the dimension 3"},
      BadEdit{"5 3 0 0", "6 3 0 0", "line 10: expected the number of the next entry, found '*ELEMENTS'"},
      BadEdit{"5 3 0 0", "4 3 0 0", "line 8: expected a keyword such as *ELEMENTS"},
      BadEdit{"5 3 0 0", "1000000000 3 0 0", "expected the number of the next entry, found '*ELEMENTS'"},
      BadEdit{"1 0 0 0", "7 0 0 0", "the first vertex has the number 7, expected 0 or 1"},
      BadEdit{"3	0 1 0", "2 0 1 0",
              "line 6: expected vertex 3 (they are numbered one after another), found '2'"},
      BadEdit{"3	0 1 0", "3 0 1", "line 6: the file ends, expected a coordinate of a vertex"},
      BadEdit{"3	0 1 0", "3 0 nan 0",
              "line 6: expected a coordinate of a vertex, a finite number, found nan"},
      BadEdit{"TETS", "WEDGE", "line 11: expected TET or CUBIC, found 'WEDGE'"},
      BadEdit{"2 4 0", "2 10 0", "line 12: 10-node elements, expected linear tetrahedra"},
      BadEdit{"2 4 0", "2 8 0", "8 vertices per element, expected 4 for TETS"},
      BadEdit{"2 4 0", "3 4 0", "line 16: expected the number of the next entry, found '*MATERIAL'"},
      BadEdit{"1 1 2 3 4", "1 1 2 3 6",
              "line 13: an element names vertex 6, but the file has vertices 1 to 5"},
      BadEdit{"1 1 2 3 4", "1 1 2 3 3", "is degenerate"},
      BadEdit{"*SET tip\n2", "*SET tip\n3",
              "line 19: the set names element 3, but the file has elements 1 to 2"},
      BadEdit{"*SET tip\n2", "*SET tip\ntwo", "line 20: expected the number of an element, found 'two'"},
      BadEdit{"*SET tip", "*SET", "line 19: expected a name after *SET"},
      BadEdit{"*SET tip\n", "*SET tip\n1\n*SET tip\n", "a second set 'tip'"},
      BadEdit{"tip, rubber", "top, rubber", "line 25: no *SET has the name 'top'"},
      BadEdit{"tip, rubber", "tip rubber", "expected a set, a comma and a material, found 'tip rubber'"},
      BadEdit{"*VERTICES", "*REGION\na, b\n*VERTEX", "expected *VERTICES before *ELEMENTS"},
      BadEdit{"*ELEMENTS", "*MATERIAL", "has no section *ELEMENTS"},
      BadEdit{"*MATERIAL", "*VERTICES\n*MATERIAL", "a second section *VERTICES"}};
  test::expect_refused_edits(two_tetrahedra, refusals, test::parse_bad);
}

TEST(Vega, NoticesTruncationAtEveryByte) {
  test::expect_truncation_is_noticed(std::string(two_tetrahedra), test::parse_bad);
}

TEST(VegaWriter, WritesAMaterialASetAndARegionForEachRegion) {
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.kind = ElementKind::brick, .cells = {9, 1, 1}});
  mesh.regions = {{3, "soft core"}};
  write_vega(folder / "a.veg", mesh);
  const std::string content = read_file(folder / "a.veg");
  EXPECT_THAT(content, HasSubstr("*ELEMENTS\nCUBIC\n9 8 0\n1 "));
  EXPECT_THAT(
      content,
      HasSubstr("\n*MATERIAL material_3\nENU, 1000, 1000000, 0.45\n\n*SET soft core\n1, 2, 3, 4, 5, 6, "
                "7, 8\n9\n\n*REGION\nsoft core, material_3\n"));
}

TEST(VegaWriter, KeepsTagsAndNamesOfAnyRegions) {
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.cells = {2, 1, 1}});
  for (const std::vector<Region>& regions : {std::vector<Region>{{0, ""}},
                                             {{-3, "allElements"}},
                                             {{-3, "a"}, {0, ""}},
                                             {{5, "unnamed_6"}, {6, ""}}}) {
    SCOPED_TRACE(regions.front().tag);
    mesh.regions = regions;
    for (std::size_t e = 0; e < mesh.region.size(); ++e)
      mesh.region[e] = static_cast<int>(e % regions.size());
    if (regions.back().tag == 6) {  // VegaFEM could not tell them apart
      EXPECT_THAT(test::error_text([&] { write_vega(folder / "a.veg", mesh); }),
                  HasSubstr("stands for two sets"));
      continue;
    }
    write_vega(folder / "a.veg", mesh);
    test::expect_same_mesh(read_mesh(folder / "a.veg"), mesh);
  }
}

TEST(VegaWriter, RefusesNamesThatTheFormatCannotHold) {
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  const auto error = [&](std::vector<Region> regions) {
    mesh.regions = std::move(regions);
    return test::error_text([&] { write_vega(folder / "a.veg", mesh); });
  };
  for (const char* const name : {"a,b", "a\nb", " a", "a\t", "a\r"}) {
    EXPECT_THAT(error({{1, name}}),
                HasSubstr("the name of region 1 holds a comma, a line break or blanks around it"));
  }
  EXPECT_THAT(error({{1, "soft core"}, {2, "softcore"}}),
              HasSubstr("'softcore' stands for two sets of elements"));
  EXPECT_THAT(error({{1, "allElements"}, {2, "a"}}), HasSubstr("stands for two sets of elements"));
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace limber::vega_test
