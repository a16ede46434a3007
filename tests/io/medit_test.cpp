#include "limber/io/byte_order.hpp"
#include "limber/io/medit_reader.hpp"
#include "limber/io/medit_writer.hpp"
#include "tests/io/volume_support.hpp"

#include <array>

namespace limber::medit_test {
namespace {

using test::BadEdit;
using test::data_file;
using testing::HasSubstr;

/// One tetrahedron with the corners 0, x, y, z and reference 5.
constexpr std::string_view tetrahedron = R"(MeshVersionFormatted 2
# by hand
Dimension
3
Vertices
4
0 0 0 1
1 0 0 1
0 1 0 1
0 0 1 1
Corners
1
3
Tetrahedra
1
1 2 3 4 5
End
)";

/// Its tetrahedron as bytes of the version and order.
std::string as_bytes(int version, ByteOrder order) {
  std::string bytes;
  const auto put_int = [&](std::int32_t value) { append_number(bytes, value, order); };
  const auto put_long = [&](std::int64_t value) {
    version >= 4 ? append_number(bytes, value, order) : put_int(static_cast<std::int32_t>(value));
  };
  const auto start = [&](int code, std::int64_t size) {
    put_int(code);
    const std::int64_t position_bytes = version >= 3 ? 8 : 4;
    const auto next = static_cast<std::int64_t>(bytes.size()) + position_bytes + size;
    version >= 3 ? append_number(bytes, next, order) : put_int(static_cast<std::int32_t>(next));
  };
  const int integer = version >= 4 ? 8 : 4;
  const int real = version >= 2 ? 8 : 4;
  put_int(1);
  put_int(version);
  start(3, 4);
  put_int(3);
  start(13, integer + integer);  // Corners, to be skipped
  put_long(1);
  put_long(3);
  start(4, integer + 4 * (3 * real + integer));
  put_long(4);
  for (int v = 0; v < 4; ++v) {
    for (int axis = 0; axis < 3; ++axis) {
      const double x = v == axis + 1 ? 1.0 : 0.0;
      version >= 2 ? append_number(bytes, x, order) : append_number(bytes, static_cast<float>(x), order);
    }
    put_long(1);
  }
  start(8, integer + 5 * integer);
  for (const int value : {1, 1, 2, 3, 4, 5}) put_long(value);
  put_int(54);
  return bytes;
}

TEST(Medit, ReadsTextAndEveryVersionOfBytes) {
  const VolumeMesh expected = parse_mesh(tetrahedron, "a.mesh");
  EXPECT_EQ(test::total_volume(expected), 1.0 / 6.0);
  EXPECT_EQ(expected.regions, (std::vector<Region>{{5, ""}}));
  for (const int version : {1, 2, 3, 4}) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      SCOPED_TRACE(fmt::format("version {}, {}", version, order == ByteOrder::big ? "big" : "little"));
      test::expect_same_mesh(parse_mesh(as_bytes(version, order), "a.meshb"), expected);
    }
  }
}

TEST(Medit, ReadsAFileWithoutEndAndWithUnknownSections) {
  const std::string content = test::replaced(test::replaced(tetrahedron, "End\n", ""), "Corners\n1\n3",
                                             "Foo\n1 2.5 -3\nRidges\n0\nHexahedra\n0\nPyramids\n0");
  EXPECT_EQ(parse_mesh(content, "a.mesh").element_count(), 1);
}

TEST(Medit, RefusesWhatIsMalformed) {
  constexpr std::array refusals{
      BadEdit{"Dimension\n3", "Dimension\n2", "line 4: Dimension is 2, expected 3"},
      BadEdit{"0 1 0 1", "0 nan 0 1",
              "line 9: expected a coordinate of a vertex, a finite number, found nan"},
      BadEdit{"0 1 0 1", "0 1e999 0 1", "line 9: expected a coordinate of a vertex, found '1e999'"},
      BadEdit{"0 1 0 1", "0 one 0 1", "line 9: expected a coordinate of a vertex, found 'one'"},
      BadEdit{"1 2 3 4 5", "1 2 3 5 5",
              "line 16: Tetrahedra names vertex 5, but the file has vertices 1 to 4"},
      BadEdit{"1 2 3 4 5", "0 2 3 4 5", "names vertex 0, but"},
      BadEdit{"1 2 3 4 5", "1 2 3 3 5", "is degenerate"},
      BadEdit{"1 2 3 4 5", "1 2 3 4 9999999999", "the reference of an element is 9999999999"},
      BadEdit{"1 2 3 4 5", "1 2 3 4 5\n6", "line 17: expected a keyword such as Tetrahedra"},
      BadEdit{"1 2 3 4 5", "1 2 3 4", "expected the reference of an element, found 'End'"},
      BadEdit{"Vertices\n4", "Vertices\n1000000000", "line 6: 1000000000 Vertices are announced, but only"},
      BadEdit{"Vertices\n4", "Vertices\n-4", "-4 Vertices are announced, expected at least 0"},
      BadEdit{"Tetrahedra\n1\n", "Tetrahedra\n1000000000\n", "1000000000 Tetrahedra are announced, but only"},
      BadEdit{"Tetrahedra\n1\n1 2 3 4 5", "Triangles\n1\n1 2 3 5", "has no tetrahedra or hexahedra"},
      BadEdit{"End", "Prisms\n1\n1 2 3 4 1 2 7\nEnd",
              "line 18: 1 Prisms, expected tetrahedra or hexahedra; mesh"},
      BadEdit{"End", "Pyramids\n1\n1 2 3 4 1 7\nEnd", "1 Pyramids, expected tetrahedra"},
      BadEdit{"End", "TetrahedraP2\n1\n", "1 TetrahedraP2, expected linear tetrahedra"},
      BadEdit{"End", "Hexahedra\n1\n1 2 3 4 1 2 3 4 7\nEnd",
              "both tetrahedra and hexahedra, expected one kind"},
      BadEdit{"Vertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1", "",
              "expected the section Vertices before Tetrahedra"},
      BadEdit{"End", "Vertices\n0\n", "a second section Vertices"},
      BadEdit{"MeshVersionFormatted 2", "MeshVersionFormatted x", "line 1: expected the version, found 'x'"}};
  test::expect_refused_edits(tetrahedron, refusals, test::parse_bad);
}

TEST(Medit, RefusesDamagedBytes) {
  const std::string good = as_bytes(3, ByteOrder::little);
  const auto damaged = [&](std::size_t at, std::int32_t value) {
    std::string bytes = good;
    std::string four;
    append_number(four, value, ByteOrder::little);
    return test::error_text([&] { parse_mesh(bytes.replace(at, 4, four), "bad"); });
  };
  EXPECT_THAT(damaged(20, 2), HasSubstr("bad: byte 20: Dimension is 2"));
  EXPECT_THAT(damaged(12, 9), HasSubstr("the next section starts at byte"));  // the high half of a position
  EXPECT_THAT(damaged(28, 3), HasSubstr("the next section starts at byte 3, before this one ends"));
  EXPECT_THAT(damaged(56, 1000000000), HasSubstr("1000000000 Vertices are announced, but only"));
  EXPECT_THAT(damaged(64, 0x7ff80000),
              HasSubstr("byte 60: expected a coordinate of a vertex, a finite number"));
}

TEST(Medit, NoticesTruncationAtEveryByte) {
  for (const char* const name : {"volume_gmsh.mesh", "volume_gmsh_bricks.mesh", "volume_meshio.meshb"}) {
    SCOPED_TRACE(name);
    test::expect_truncation_is_noticed(read_file(data_file(name)), test::parse_bad);
  }
}

TEST(MeditWriter, WritesBothEncodingsBitByBit) {
  const test::ScratchFolder folder;
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    for (const bool binary : {false, true}) {
      SCOPED_TRACE(fmt::format("{}, {}", name_of(kind), binary ? "binary" : "text"));
      VolumeMesh mesh = test::without_names(test::awkward_mesh(kind));
      mesh.regions[0].tag = -7;
      write_medit(folder / "mesh.data", mesh, {.binary = binary});
      test::expect_same_mesh(read_mesh(folder / "mesh.data"), mesh);
    }
  }
}

TEST(MeditWriter, RefusesRegionsThatTagsDoNotTellApart) {
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  mesh.regions = {{1, "a"}, {1, "b"}};
  EXPECT_THAT(test::error_text([&] { write_medit(folder / "a.mesh", mesh); }),
              HasSubstr("two regions have the tag 1"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.mesh"));
}

}  // namespace
}  // namespace limber::medit_test
