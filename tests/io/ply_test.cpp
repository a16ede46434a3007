#include "limber/io/ply.hpp"

#include "limber/io/byte_order.hpp"
#include "tests/io/surface_support.hpp"

namespace limber::ply_test {
namespace {

using test::Refusal;
using testing::HasSubstr;

SurfaceMesh parse(std::string_view content) { return parse_surface(content, "test.ply"); }

constexpr std::string_view xyz = "property float x\nproperty float y\nproperty float z\n";

/// A file of three vertices and one face with other properties; `body` are the values behind the header.
std::string file(std::string_view body, std::string_view vertex_properties = xyz,
                 std::string_view face_properties = "property list uchar int vertex_indices\n",
                 std::string_view format = "ascii") {
  return fmt::format("ply\nformat {} 1.0\nelement vertex 3\n{}element face 1\n{}end_header\n{}", format,
                     vertex_properties, face_properties, body);
}

const Matrix3X corner_triangle = (Matrix3X(3, 3) << 0, 1, 0, 0, 0, 1, 0, 0, 0).finished();

TEST(Ply, ReadsBackWhatItWritesBitByBit) {
  const SurfaceMesh surface = test::awkward_surface();
  for (const bool binary : {false, true}) {
    const SurfaceMesh read = parse(encode_ply(surface, "test.ply", {.binary = binary}));
    EXPECT_EQ(read.vertices, surface.vertices) << binary;
    EXPECT_EQ(read.triangles, surface.triangles) << binary;
    EXPECT_THAT(read.parts, testing::ElementsAre(""));
  }
}

TEST(Ply, ReadsPropertiesInAnyOrderAndPassesOverOthers) {
  const SurfaceMesh surface = parse(
      "ply\r\nformat ascii 1.0\r\ncomment element nonsense\r\nobj_info 1 2 3\r\nelement camera 1\r\nproperty "
      "double fov\r\n"
      "property list int double matrix\r\nelement empty 1000000000\r\nelement vertex 3\r\nproperty uchar "
      "red\r\nproperty short "
      "z\r\nproperty double x\r\nproperty list uchar float weights\r\nproperty float y\r\nelement face "
      "1\r\nproperty uchar "
      "flags\r\nproperty list ushort uint vertex_index\r\nproperty list uchar float texcoord\r\nelement edge "
      "1\r\nproperty "
      "int vertex1\r\nend_header\r\n"
      "nan 2 7 8\r\n255 0 0 1 0.5 0\r\n255 0 1 0 0\r\n255 0 0 3 1 2 3 1\r\n1 3 0 1 2 6 0 0 1 1 0 1\r\n7\r\n");
  EXPECT_EQ(surface.vertices, corner_triangle);
  EXPECT_EQ(surface.triangles, Eigen::Vector3i(0, 1, 2));
}

/// Three vertices and a face with every scalar type, in the given byte order.
std::string binary_file(ByteOrder order) {
  std::string body;
  const auto put = [&](auto value) { append_number(body, value, order); };
  for (Index v = 0; v < 3; ++v) {
    put(static_cast<std::uint16_t>(999));
    put(static_cast<float>(corner_triangle(2, v)));
    put(static_cast<std::int8_t>(corner_triangle(0, v)));
    put(static_cast<double>(corner_triangle(1, v)));
    put(static_cast<std::uint32_t>(2));
    put(static_cast<std::int16_t>(-1));
    put(static_cast<std::int16_t>(-2));
  }
  put(static_cast<std::int32_t>(3));
  for (const int corner : {0, 1, 2}) put(static_cast<std::uint16_t>(corner));
  put(std::uint8_t{7});
  return file(body,
              "property ushort a\nproperty float32 z\nproperty int8 x\nproperty float64 y\nproperty list "
              "uint32 int16 b\n",
              "property list int32 uint16 vertex_indices\nproperty uint8 c\n",
              order == ByteOrder::little ? "binary_little_endian" : "binary_big_endian");
}

TEST(Ply, ReadsEveryTypeInBothByteOrders) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const SurfaceMesh surface = parse(binary_file(order));
    EXPECT_EQ(surface.vertices, corner_triangle);
    EXPECT_EQ(surface.triangles, Eigen::Vector3i(0, 1, 2));
  }
}

TEST(Ply, CutsPolygonsIntoTriangles) {
  const SurfaceMesh surface = parse(
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face 2\n"
      "property list uchar int vertex_indices\nend_header\n0 0 0\n2 1 0\n0 2 0\n1 1 0\n4 0 1 2 3\n2 0 1\n");
  EXPECT_EQ(surface.triangle_count(), 2);
  EXPECT_NEAR(surface_area(surface), 1.0, 1e-15);
}

TEST(Ply, ReadsStripsOfTriangles) {
  // Two strips in one list: a square of two triangles, and one triangle.
  const SurfaceMesh surface = parse(
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
      "z\nelement tristrips 1\n"
      "property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n8 0 1 2 3 -1 0 1 3\n");
  ASSERT_EQ(surface.triangle_count(), 3);
  EXPECT_EQ(surface.triangles.col(0), Eigen::Vector3i(0, 1, 2));
  EXPECT_EQ(surface.triangles.col(1), Eigen::Vector3i(2, 1, 3));
  EXPECT_EQ(surface.triangles.col(2), Eigen::Vector3i(0, 1, 3));
}

TEST(Ply, ReadsSamplesOfOtherPrograms) {
  for (const std::string_view name : {"meshio_ascii.ply", "meshio_binary.ply", "meshio_quads.ply",
                                      "vtk_ascii.ply", "vtk_binary.ply", "vtk_big_endian.ply"}) {
    const SurfaceMesh surface = read_surface(test::surface_sample(name));
    EXPECT_EQ(surface.triangle_count(), 12) << name;
    EXPECT_NEAR(enclosed_volume(surface), 1.0, 1e-12) << name;
  }
}

TEST(Ply, SurvivesDamage) {
  for (const std::string_view name : {"meshio_ascii.ply", "vtk_binary.ply", "vtk_big_endian.ply"}) {
    test::expect_survives_damage(read_file(test::surface_sample(name)), "test.ply");
  }
  test::expect_survives_damage(binary_file(ByteOrder::big), "test.ply");
}

TEST(Ply, IsRefusedWhereverItIsCutOff) {
  for (const std::string_view name : {"meshio_binary.ply", "vtk_big_endian.ply"}) {
    const std::string content = read_file(test::surface_sample(name));
    for (std::size_t length = 0; length < content.size(); ++length) {
      EXPECT_THROW(parse(std::string_view(content).substr(0, length)), Error)
          << name << ": " << length << " bytes";
    }
  }
}

/// The binary file with a NaN for y of the second vertex.
std::string binary_with_nan() {
  std::string content = binary_file(ByteOrder::little);
  std::string bytes;
  append_number(bytes, std::nan(""), ByteOrder::little);
  const std::size_t vertex_bytes = 2 + 4 + 1 + 8 + 4 + 2 * 2;
  return content.replace(content.find("end_header\n") + 11 + vertex_bytes + 7, bytes.size(), bytes);
}

class PlyRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(PlyRefusal, SaysWhatAndWhere) { test::expect_refused(GetParam(), "test.ply"); }

INSTANTIATE_TEST_SUITE_P(
    Files, PlyRefusal,
    testing::Values(
        Refusal{"Empty", "", "is empty"}, Refusal{"OtherMagic", "plz\n", "line 1: expected 'ply'"},
        Refusal{"HeaderEnds", "ply\nformat ascii 1.0\n", "the file ends, expected end_header"},
        Refusal{"NoFormat", "ply\nelement vertex 1\nend_header\n", "the header has no line 'format'"},
        Refusal{"OtherFormat", "ply\nformat binary_middle_endian 1.0\n",
                "line 2: the format is 'binary_middle_endian'"},
        Refusal{"OtherVersion", "ply\nformat ascii 2.0\n", "line 2: the version is '2.0', expected 1.0"},
        Refusal{"UnknownLine", "ply\nformat ascii 1.0\nhello\n",
                "line 3: expected element, property or end_header, found 'hello'"},
        Refusal{"UnknownType", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n",
                "line 4: expected the type of a property such as float or int, found 'quad'"},
        Refusal{"RealLength",
                "ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\n",
                "line 4: the length of a list is a real number"},
        Refusal{"PropertyFirst", "ply\nformat ascii 1.0\nproperty float x\n",
                "line 3: a property before the first element"},
        Refusal{"ElementTwice", "ply\nformat ascii 1.0\nelement face 1\nelement face 1\n",
                "line 4: a second element 'face'"},
        Refusal{"LongLine", "ply\nformat ascii 1.0\nelement face 1 2\n",
                "line 3: expected the end of the line"},
        Refusal{"NoVertices",
                "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int "
                "vertex_indices\nend_header\n3 0 0 0\n",
                "has no element 'vertex'"},
        Refusal{"PointCloud",
                fmt::format("ply\nformat ascii 1.0\nelement vertex 1\n{}end_header\n0 0 0\n", xyz),
                "a point cloud without faces"},
        Refusal{"NoZ", file("0 0\n1 0\n0 1\n3 0 1 2\n", "property float x\nproperty float y\n"),
                "no property z"},
        Refusal{"NoProperties", file("3 0 1 2\n", ""), "no property x"},
        Refusal{"NoList", file("0 0 0\n1 0 0\n0 1 0\n3\n", xyz, "property int vertex_indices\n"),
                "no list vertex_indices"},
        Refusal{
            "ManyVertices",
            fmt::format(
                "ply\nformat ascii 1.0\nelement vertex 1000000000\n{}element face 1\nproperty list uchar int "
                "vertex_indices\nend_header\n",
                xyz),
            "1000000000 elements 'vertex' are announced, but only 0 bytes follow"},
        Refusal{
            "NegativeVertices",
            fmt::format("ply\nformat ascii 1.0\nelement vertex -1\n{}element face 1\nproperty list uchar int "
                        "vertex_indices\nend_header\n",
                        xyz),
            "-1 elements 'vertex' are announced"},
        Refusal{"ManyFaces",
                fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex 0\n{}element face "
                            "2000000000\nproperty list "
                            "uchar int vertex_indices\nend_header\n",
                            xyz),
                "2000000000 elements 'face' are announced, but only 0 bytes follow"},
        Refusal{
            "LongList",
            file("0 0 0\n1 0 0\n0 1 0\n1000000000 0 1 2\n", xyz, "property list int int vertex_indices\n"),
            "line 13: 1000000000 values of a list are announced"},
        Refusal{"NegativeList", file("0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n"), "line 13: -3 values of a list"},
        Refusal{"OutOfRange", file("0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"),
                "line 13: a face names vertex 3, expected 0 to 2"},
        Refusal{"NegativeCorner", file("0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n"), "line 13: a face names vertex -1"},
        Refusal{"FractionalCorner",
                file("0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", xyz, "property list uchar float vertex_indices\n"),
                "a face names vertex 1.5"},
        Refusal{"BeyondThirtyTwoBits", file("0 0 0\n1 0 0\n0 1 0\n3 0 1 9999999999\n"), "more than 32 bits"},
        Refusal{"NotANumber", file("0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n"),
                "line 11: expected a coordinate of a vertex, a finite"},
        Refusal{"BinaryNotANumber", binary_with_nan(), "byte 269: a coordinate of vertex 1 is nan"},
        Refusal{"Truncated", file("0 0 0\n1 0 0\n0 1 0\n3 0 1"),
                "line 13: 3 values of a list are announced, but only"},
        Refusal{"TruncatedBinary", binary_file(ByteOrder::little).substr(0, 310), "bytes follow"},
        Refusal{"MoreThanAnnounced", file("0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n"),
                "line 14: expected the end of the file"}),
    test::name_of_refusal);

}  // namespace
}  // namespace limber::ply_test
