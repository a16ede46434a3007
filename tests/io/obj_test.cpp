#include "limber/io/obj.hpp"

#include "tests/io/surface_support.hpp"

namespace limber::obj_test {
namespace {

using test::Refusal;
using test::surface_error;
using testing::ElementsAre;
using testing::HasSubstr;

SurfaceMesh parse(std::string_view content) { return parse_surface(content, "test.obj"); }

constexpr std::string_view square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(Obj, ReadsBackWhatItWritesBitByBit) {
  const SurfaceMesh surface = test::awkward_surface();
  const SurfaceMesh read = parse(encode_obj(surface, "test.obj"));
  EXPECT_EQ(read.vertices, surface.vertices);
  EXPECT_TRUE(std::signbit(read.vertices(1, 0))) << "of -0";
  EXPECT_EQ(read.triangles, surface.triangles);
  EXPECT_EQ(test::part_names(read), test::part_names(surface));
}

TEST(Obj, OfOnePartWithoutANameHasNoObjects) {
  SurfaceMesh surface = test::awkward_surface();
  surface.parts = {""};
  surface.part.assign(4, 0);
  const std::string content = encode_obj(surface, "test.obj");
  EXPECT_EQ(content.find("o "), std::string::npos) << content;
  EXPECT_THAT(parse(content).parts, ElementsAre(""));
}

TEST(Obj, CountsNegativeNumbersFromTheVertexReadLast) {
  const SurfaceMesh surface = parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1\n");
  EXPECT_EQ(surface.triangles.col(0), Eigen::Vector3i(0, 1, 2));
  EXPECT_EQ(surface.triangles.col(1), Eigen::Vector3i(0, 2, 3));
}

TEST(Obj, TakesOnlyTheVertexOfACorner) {
  const SurfaceMesh surface = parse(
      fmt::format("{}vt 0 0\nvn 0 0 1\nf 1/1 2/1 3/1\nf 1//1 2//1 3//1\nf 1/1/1 3/1/1 4/1/1\n", square));
  EXPECT_EQ(surface.triangles.col(0), Eigen::Vector3i(0, 1, 2));
  EXPECT_EQ(surface.triangles.col(1), Eigen::Vector3i(0, 1, 2));
  EXPECT_EQ(surface.triangles.col(2), Eigen::Vector3i(0, 2, 3));
}

TEST(Obj, ReadsVerticesThatComeAfterTheirFaces) {
  EXPECT_EQ(parse(fmt::format("f 1 2 3\n{}", square)).triangles.col(0), Eigen::Vector3i(0, 1, 2));
}

TEST(Obj, TakesObjectsForPartsAndGroupsWhereThereIsNoObject) {
  const SurfaceMesh surface = parse(fmt::format(
      "{}f 1 2 3\ng base left\nf 1 2 3\ng\nf 1 2 3\no wheel\nf 1 2 3\ng spokes\nf 1 2 3\n", square));
  EXPECT_THAT(test::part_names(surface), ElementsAre("", "base left", "", "wheel", "wheel"));
  EXPECT_THAT(surface.parts, ElementsAre("", "base left", "wheel"));
}

TEST(Obj, JoinsLinesThatEndWithABackslash) {
  const SurfaceMesh surface = parse(fmt::format("{}f 1 2 \\\n3 4\nf 1 \\\r\n 2 3\n", square));
  EXPECT_EQ(surface.triangle_count(), 3);
  EXPECT_THAT(surface_error(fmt::format("{}f 1 \\\n2 \\\n3\nf 1 x 3\n", square), "test.obj"),
              HasSubstr("line 8: "));
}

TEST(Obj, PassesOverWhatHasNoInfluenceOnTheTriangles) {
  const SurfaceMesh surface = parse(
      "# comment\nmtllib a.mtl\nusemtl red\ns off\nv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0 # here too\nl 1 "
      "2\np 1\n"
      "cstype bezier\ndeg 3\ncurv 0 1 1 2 3 1\nparm u 0 1\nend\nf 1 2 3 # and here\n");
  EXPECT_EQ(surface.triangle_count(), 1);
  EXPECT_EQ(surface.vertices.col(1), Vector3(1, 0, 0));
}

TEST(Obj, ReadsLinesOfAnySystem) {
  for (const std::string_view line_end : {"\n", "\r\n", "\r"}) {
    const std::string content = fmt::format("o a{0}v 0 0 0{0}v 1 0 0{0}v 1 1 0{0}f 1 2 3{0}", line_end);
    EXPECT_THAT(parse(content).parts, ElementsAre("a")) << "line end of " << line_end.size() << " bytes";
  }
  EXPECT_EQ(parse(fmt::format("\xEF\xBB\xBF{}f 1 2 3", square)).triangle_count(), 1)
      << "with a byte order mark";
}

TEST(Obj, ReadsSamplesOfOtherPrograms) {
  for (const std::string_view name : {"meshio_quads.obj", "vtk.obj"}) {
    const SurfaceMesh surface = read_surface(test::surface_sample(name));
    EXPECT_EQ(surface.triangle_count(), 12) << name;
    EXPECT_NEAR(enclosed_volume(surface), 1.0, 1e-12) << name;
    EXPECT_NEAR(surface_area(surface), 6.0, 1e-12) << name;
  }
}

TEST(Obj, WriterRefusesNamesThatTheFormatCannotHold) {
  SurfaceMesh surface = test::awkward_surface();
  for (const std::string_view name : {" a", "a ", "a\nb", "a#b", "a\\", "a\tb"}) {
    surface.parts[0] = name;
    EXPECT_THAT(test::error_text([&] { encode_obj(surface, "test.obj"); }), HasSubstr("rename the part"))
        << name;
  }
}

TEST(Obj, SurvivesDamage) {
  std::string content = read_file(test::surface_sample("vtk.obj"));
  test::expect_survives_damage(content, "test.obj");
  test::expect_survives_damage(
      "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 \\\n0\nv .2 .1 0\ng b\nf -1 -4 -3 -2 \\\n 1\n", "test.obj");
}

class ObjRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(ObjRefusal, SaysWhatAndWhere) { test::expect_refused(GetParam(), "test.obj"); }

INSTANTIATE_TEST_SUITE_P(
    Files, ObjRefusal,
    testing::Values(
        Refusal{"Empty", "", "is empty, expected a surface"}, Refusal{"Blank", " \n\n", "is empty"},
        Refusal{"NoFaces", "v 0 0 0\n", "has no faces"},
        Refusal{"OnlyThinFaces", "v 0 0 0\nf 1\nf 1 1\n", "no triangles"},
        Refusal{"MissingCoordinate", "v 0 0\nf 1 1 1\n", "expected a coordinate of a vertex, found 'f'"},
        Refusal{"NoNumber", "v 0 0 x\n", "line 1: expected a coordinate of a vertex, found 'x'"},
        Refusal{"DecimalComma", "v 0,5 0 0\n", "found '0,5'"},
        Refusal{"NotANumber", "v 0 nan 0\n", "line 1: expected a coordinate of a vertex, a finite number"},
        Refusal{"Infinite", "\nv 0 inf 0\n", "line 2: expected a coordinate of a vertex, a finite number"},
        Refusal{"TooLarge", "v 0 1e999 0\n", "found '1e999'"},
        Refusal{"Truncated", "v 0 0 0\nv 0", "the file ends, expected a coordinate of a vertex"},
        Refusal{"VertexZero", "v 0 0 0\nf 0 1 1\n", "line 2: a face names vertex 0, but 1 come before it"},
        Refusal{"VertexTooNegative", "v 0 0 0\nf -2 1 1\n", "line 2: a face names vertex -2"},
        Refusal{"VertexTooLarge", "v 0 0 0\nf 1 1 1\nf 1 7 1\nf 1 1 1\n",
                "line 3: a face names vertex 7, but the file has 1"},
        Refusal{"VertexHuge", "v 0 0 0\nf 1 99999999999 1\n", "found '99999999999'"},
        Refusal{"BadCorner", "v 0 0 0\nf 1 1x 1\n",
                "line 2: expected a corner of a face such as 7 or 7/1/3, found '1x'"},
        Refusal{"RealCorner", "v 0 0 0\nf 1 1.5 1\n", "found '1.5'"},
        Refusal{"FreeFormSurface", "v 0 0 0\nsurf 0 1 0 1 1\n", "line 2: a free-form surface"},
        Refusal{"UnknownStatement", "v 0 0 0\nhello 1\n", "line 2: 'hello' is no statement of OBJ"},
        Refusal{"Unprintable", "v 0 0 0\n\x01\x02\xff 1\n", "line 2: '?"}),
    test::name_of_refusal);

}  // namespace
}  // namespace limber::obj_test
