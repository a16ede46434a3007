#include "limber/io/stl.hpp"

#include "limber/io/byte_order.hpp"
#include "tests/io/surface_support.hpp"

#include <cstdint>

namespace limber::stl_test {
namespace {

using test::Refusal;
using testing::ElementsAre;
using testing::HasSubstr;

SurfaceMesh parse(std::string_view content) { return parse_surface(content, "test.stl"); }

/// One triangle as binary STL.
std::string one_triangle(std::string_view header, std::uint32_t count = 1) {
  std::string content(header);
  content.resize(80, ' ');
  append_number(content, count, ByteOrder::little);
  for (const float value : {0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F, 0.F, 0.F, 1.F, 0.F}) {
    append_number(content, value, ByteOrder::little);
  }
  return content + "\xff\x7f";
}

std::string with_float(std::string content, std::size_t at, float value) {
  std::string bytes;
  append_number(bytes, value, ByteOrder::little);
  return content.replace(at, bytes.size(), bytes);
}

constexpr std::string_view facet =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

TEST(Stl, TextReadsBackBitByBit) {
  const SurfaceMesh surface = test::awkward_surface();
  const SurfaceMesh read = parse(encode_stl(surface, "test.stl", {.binary = false}));
  EXPECT_EQ(test::triangle_soup(read), test::triangle_soup(surface));
  EXPECT_EQ(test::part_names(read), test::part_names(surface));
}

TEST(Stl, BinaryReadsBackExactlyWhereCoordinatesAreFloats) {
  const SurfaceMesh surface = test::awkward_float_surface();
  const SurfaceMesh read = parse(encode_stl(surface, "test.stl"));
  EXPECT_EQ(test::triangle_soup(read), test::triangle_soup(surface));
  EXPECT_THAT(read.parts, ElementsAre(""));
}

TEST(Stl, BinaryRoundsOtherCoordinatesToFloats) {
  SurfaceMesh surface = test::awkward_surface();
  surface.vertices(2, 0) = 1.0;
  const SurfaceMesh read = parse(encode_stl(surface, "test.stl"));
  EXPECT_EQ(test::triangle_soup(read), test::triangle_soup(surface).cast<float>().cast<double>());
}

TEST(Stl, WritesUnitNormals) {
  const std::string content = encode_stl(parse(one_triangle("a")), "test.stl");
  const auto value = [&](std::size_t i) {
    return load_number<float>(content.substr(84 + 4 * i), ByteOrder::little);
  };
  EXPECT_EQ(Eigen::Vector3f(value(0), value(1), value(2)), Eigen::Vector3f::UnitZ());
}

TEST(Stl, MergesVerticesOfEqualPositionWhereAsked) {
  const std::filesystem::path path = test::surface_sample("vtk_binary.stl");
  EXPECT_EQ(read_surface(path).vertex_count(), 36);
  const SurfaceMesh merged = read_surface(path, {.merge_vertices = true});
  EXPECT_EQ(merged.vertex_count(), 8);
  EXPECT_EQ(merged.triangle_count(), 12);
  EXPECT_NEAR(enclosed_volume(merged), 1.0, 1e-12);
}

TEST(Stl, TakesSolidsForParts) {
  const SurfaceMesh surface =
      parse(fmt::format("solid a wheel\n{0}{0}endsolid a wheel\nsolid\n{0}endsolid\nsolid a "
                        "wheel\n{0}endsolid a wheel\nsolid empty\nendsolid\n",
                        facet));
  EXPECT_THAT(test::part_names(surface), ElementsAre("a wheel", "a wheel", "", "a wheel"));
  EXPECT_EQ(surface.parts.size(), 2U);
}

TEST(Stl, ReadsKeywordsInCapitalsAndNormalsThatAreNoNumbers) {
  EXPECT_EQ(parse("SOLID A\nFACET NORMAL nan NaN -nan\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX +1 0 0\nVERTEX 0 "
                  "1.E+00 0\nENDLOOP\n"
                  "ENDFACET\nENDSOLID A\n")
                .triangle_count(),
            1);
}

TEST(Stl, TellsBinaryFilesBySizeEvenIfTheyStartWithSolid) {
  const SurfaceMesh surface = parse(one_triangle("solid made by a careless exporter"));
  EXPECT_EQ(surface.vertices, (Matrix3X(3, 3) << 0, 1, 0, 0, 0, 1, 0, 0, 0).finished());
}

TEST(Stl, PassesOverBytesBehindTheTriangles) {
  EXPECT_EQ(parse(one_triangle("a") + "made by").triangle_count(), 1);
}

TEST(Stl, ReadsSamplesOfOtherPrograms) {
  for (const std::string_view name :
       {"meshio_ascii.stl", "meshio_binary.stl", "vtk_ascii.stl", "vtk_binary.stl"}) {
    const SurfaceMesh surface = read_surface(test::surface_sample(name));
    EXPECT_EQ(surface.triangle_count(), 12) << name;
    EXPECT_NEAR(enclosed_volume(surface), 1.0, 1e-6) << name;
  }
  const SurfaceMesh solids = read_surface(test::surface_sample("gmsh_solids.stl"));
  EXPECT_EQ(solids.parts.size(), 11U);
  EXPECT_EQ(solids.parts[3], "Gmsh Surface 4");
  EXPECT_NEAR(surface_area(solids), 11.0, 1e-12);
  EXPECT_NEAR(surface_area(read_surface(test::surface_sample("gmsh_binary.stl"))), 11.0, 1e-6);
}

TEST(Stl, WriterRefusesWhatTheFormatCannotHold) {
  SurfaceMesh surface = test::awkward_surface();
  surface.vertices(1, 2) = 1e300;
  EXPECT_THAT(test::error_text([&] { encode_stl(surface, "test.stl"); }),
              HasSubstr("test.stl: vertex 2 has the coordinates"));
  surface = test::awkward_surface();
  surface.parts[1] = "a\nb";
  EXPECT_THAT(test::error_text([&] { encode_stl(surface, "test.stl", {.binary = false}); }),
              HasSubstr("the part name 'a?b' cannot be written"));
}

TEST(Stl, SurvivesDamage) {
  for (const std::string_view name : {"vtk_ascii.stl", "vtk_binary.stl"}) {
    test::expect_survives_damage(read_file(test::surface_sample(name)), "test.stl");
  }
}

TEST(Stl, IsRefusedWhereverItIsCutOff) {
  for (const std::string_view name : {"vtk_ascii.stl", "vtk_binary.stl"}) {
    const std::string content = read_file(test::surface_sample(name));
    const std::size_t end = std::min(content.find("endsolid"), content.size());
    for (std::size_t length = 0; length < end; ++length) {
      EXPECT_THROW(parse(std::string_view(content).substr(0, length)), Error)
          << name << ": " << length << " bytes";
    }
  }
}

class StlRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(StlRefusal, SaysWhatAndWhere) { test::expect_refused(GetParam(), "test.stl"); }

INSTANTIATE_TEST_SUITE_P(
    Files, StlRefusal,
    testing::Values(
        Refusal{"Empty", "", "is empty"}, Refusal{"Short", "abc", "has 3 bytes, expected 84 or more"},
        Refusal{"TruncatedBinary", one_triangle("a").substr(0, 130),
                "byte 80: announces 1 triangles, which take 134 bytes, but the file has 130"},
        Refusal{"TruncatedBinaryWithSolid", one_triangle(std::string_view("solid\0", 6)).substr(0, 130),
                "announces 1 triangles"},
        Refusal{"TooManyTriangles", one_triangle("a", 4000000000U),
                "announces 4000000000 triangles, which take 200000000084 bytes, but the file has 134"},
        Refusal{"NoTriangles", one_triangle("a", 0).substr(0, 84), "byte 80: has no triangles"},
        Refusal{"NotANumber", with_float(one_triangle("a"), 100, std::nanf("")),
                "byte 100: a coordinate of triangle 0 is nan"},
        Refusal{"Infinite", with_float(one_triangle("a"), 128, -HUGE_VALF),
                "byte 128: a coordinate of triangle 0 is -inf"},
        Refusal{"NoFacets", "solid a\nendsolid a\n", "has no facets"},
        Refusal{"TruncatedText", fmt::format("solid a\n{}", facet), "the file ends, expected facet"},
        Refusal{"WrongKeyword", "solid a\nfacets\n", "line 2: expected 'facet', found 'facets'"},
        Refusal{"TextNotANumber", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 nan 0\n",
                "line 4: expected a coordinate"},
        Refusal{"Word", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 x 0\n",
                "line 4: expected a coordinate of a vertex, found 'x'"},
        Refusal{"ThinFacet",
                "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\nendfacet\nendsolid\n",
                "no triangles"},
        Refusal{"TextBetweenSolids", fmt::format("solid a\n{}endsolid a\nhello\n", facet),
                "line 10: expected 'solid', found 'hello'"}),
    test::name_of_refusal);

}  // namespace
}  // namespace limber::stl_test
