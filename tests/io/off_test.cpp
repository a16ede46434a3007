#include "limber/io/off.hpp"

#include "tests/io/surface_support.hpp"

namespace limber::off_test {
namespace {

using test::Refusal;

SurfaceMesh parse(std::string_view content) { return parse_surface(content, "test.off"); }

TEST(Off, ReadsBackWhatItWritesBitByBit) {
  const SurfaceMesh surface = test::awkward_surface();
  const SurfaceMesh read = parse(encode_off(surface, "test.off"));
  EXPECT_EQ(read.vertices, surface.vertices);
  EXPECT_EQ(read.triangles, surface.triangles);
  EXPECT_THAT(read.parts, testing::ElementsAre(""));
}

TEST(Off, ReadsEveryHeaderAndLayoutOfCounts) {
  constexpr std::string_view plain = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  const std::vector<std::string> files{
      fmt::format("OFF\n3 1 0\n{}", plain),
      fmt::format("OFF 3 1 0\n{}", plain),
      fmt::format("OFF\n3 1\n{}", plain),
      fmt::format("OFF\n3\n1\n0\n{}", plain),
      fmt::format("# made by hand\nOFF # header\n# counts\n3 1 0 # end\n\n{}\n# end\n", plain),
      fmt::format("OFF\r\n3 1 0\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n"),
      "OFF\r3 1 0\r0 0 0\r1 0 0\r0 1 0\r3 0 1 2\r",
      "COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 0 0 255 255\n3 0 1 2\n",
      "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n",
      "STCNOFF\n3 1 0\n0 0 0 0 0 1 1 1 1 1 0 0\n1 0 0 0 0 1 1 1 1 1 0 0\n0 1 0 0 0 1 1 1 1 1 0 0\n3 0 1 2\n",
      "4OFF\n3 1 0\n0 0 0 1\n2 0 0 2\n0 -3 0 -3\n3 0 1 2\n",
      "nOFF\n3\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
      "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 0.5 0.5 0.5\n",
      "OFF\n3 3 0\n0 0 0\n1 0 0\n0 1 0\n1 0\n3 0 1 2 7\n2 0 1\n",
  };
  for (const std::string& content : files) {
    const SurfaceMesh surface = parse(content);
    EXPECT_EQ(surface.vertices, (Matrix3X(3, 3) << 0, 1, 0, 0, 0, 1, 0, 0, 0).finished()) << content;
    EXPECT_EQ(surface.triangles, Eigen::Vector3i(0, 1, 2)) << content;
  }
}

TEST(Off, CutsPolygonsIntoTriangles) {
  // An arrow head whose corner 3 points inward.
  const SurfaceMesh surface = parse("OFF\n4 1 0\n0 0 0\n2 1 0\n0 2 0\n1 1 0\n4 0 1 2 3\n");
  EXPECT_EQ(surface.triangle_count(), 2);
  EXPECT_NEAR(surface_area(surface), 1.0, 1e-15);
}

TEST(Off, ReadsASampleOfMeshio) {
  const SurfaceMesh surface = read_surface(test::surface_sample("meshio.off"));
  EXPECT_EQ(surface.vertex_count(), 8);
  EXPECT_NEAR(enclosed_volume(surface), 1.0, 1e-12);
}

TEST(Off, SurvivesDamage) {
  test::expect_survives_damage(read_file(test::surface_sample("meshio.off")), "test.off");
  test::expect_survives_damage(
      "4OFF\n4 2 0\n0 0 0 1\n2 1 0 1\n0 2 0 2\n1 1 0 1\n4 0 1 2 3 # c\n5 0 1 2 3 0\n", "test.off");
}

TEST(Off, IsRefusedWhereverItIsCutOffBeforeTheLastFace) {
  const std::string content = read_file(test::surface_sample("meshio.off"));
  for (std::size_t length = 0; length < content.rfind("\n", content.size() - 2); ++length) {
    EXPECT_THROW(parse(content.substr(0, length)), Error) << length << " bytes";
  }
}

class OffRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(OffRefusal, SaysWhatAndWhere) { test::expect_refused(GetParam(), "test.off"); }

INSTANTIATE_TEST_SUITE_P(
    Files, OffRefusal,
    testing::Values(
        Refusal{"Empty", "\n", "is empty"}, Refusal{"NoHeader", "3 1 0\n", "line 1: expected OFF, found '3'"},
        Refusal{"Binary", "OFF BINARY\nabc", "line 1: binary OFF is not read"},
        Refusal{"OtherDimension", "nOFF\n5\n3 1 0\n", "line 2: vertices of 5 coordinates, expected 3"},
        Refusal{"NoCounts", "OFF\n", "the file ends, expected the number of vertices"},
        Refusal{"MissingCounts", "OFF\n0.5 0.5 0.5\n",
                "line 2: expected the number of vertices, found '0.5'"},
        Refusal{"FourCounts", "OFF\n3 1 0 5\n0 0 0\n1 0 0\n0 1 0\n",
                "line 2: expected the numbers of vertices, faces and edges"},
        Refusal{"NegativeVertices", "OFF\n-3 1 0\n", "line 2: -3 vertices are announced"},
        Refusal{"ManyVertices", "OFF\n1000000000 1 0\n0 0 0\n",
                "1000000000 vertices are announced, but only"},
        Refusal{"AbsurdVertices", "OFF\n999999999999999 1 0\n0 0 0\n",
                "999999999999999 vertices are announced"},
        Refusal{"OverflowingVertices", "OFF\n99999999999999999999 1 0\n", "found '99999999999999999999'"},
        Refusal{"ManyFaces", "OFF\n3 1000000000 0\n0 0 0\n1 0 0\n0 1 0\n",
                "1000000000 faces are announced, but only"},
        Refusal{"NoFaces", "OFF\n1 0 0\n0 0 0\n", "line 2: has no faces"},
        Refusal{"ManyCorners", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n1000000000 0 1 2\n",
                "line 6: 1000000000 corners of a face are announced, but only"},
        Refusal{"NegativeCorners", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", "line 6: -3 corners"},
        Refusal{"OutOfRange", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
                "line 6: a face names vertex 3, expected 0 to 2"},
        Refusal{"NegativeCorner", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "a face names vertex -1"},
        Refusal{"NotANumber", "OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n",
                "line 4: expected a coordinate"},
        Refusal{"TooLarge", "OFF\n3 1 0\n0 0 0\n1 1e400 0\n0 1 0\n3 0 1 2\n",
                "line 4: expected a coordinate"},
        Refusal{"Word", "OFF\n3 1 0\n0 0 0\n1 a 0\n0 1 0\n3 0 1 2\n",
                "line 4: expected a coordinate of a vertex, found 'a'"},
        Refusal{"AtInfinity", "4OFF\n3 1 0\n0 0 0 0\n1 1 0 1\n0 1 0 1\n3 0 1 2\n",
                "line 3: the fourth coordinate"},
        Refusal{"BeyondDoubles", "4OFF\n3 1 0\n1e300 0 0 1e-300\n1 1 0 1\n0 1 0 1\n3 0 1 2\n", "finite"},
        Refusal{"MoreThanAnnounced", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n",
                "line 7: expected the end of the file after 3 vertices and 1 faces"},
        Refusal{"VerticesOnOneLine", "OFF\n3 1 0\n0 0 0 1 0 0 0 1 0\n3 0 1 2\n", "the file ends"},
        Refusal{"Truncated", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0",
                "line 7: 3 corners of a face are announced, but only"}),
    test::name_of_refusal);

}  // namespace
}  // namespace limber::off_test
