#include "limber/io/vtu.hpp"

#include "limber/mesh/beam.hpp"
#include "tests/io/mesh_support.hpp"

#include <array>
#include <cstring>
#include <gmock/gmock.h>

namespace limber::vtu_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string decode_base64(std::string_view text) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6) | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 255U);
  }
  return bytes;
}

/// The values of the DataArray with that name, whose type and number of components must be as given.
template <class Number>
std::vector<Number> array(const std::string& xml, std::string_view type, std::string_view name,
                          int components) {
  const std::string tag =
      fmt::format(R"(<DataArray type="{}" Name="{}" {}format="binary">)", type, name,
                  components == 1 ? "" : fmt::format(R"(NumberOfComponents="{}" )", components));
  const std::size_t found = xml.find(tag);
  EXPECT_NE(found, std::string::npos) << tag;
  if (found == std::string::npos) return {};
  const std::size_t begin = found + tag.size();
  const std::string bytes = decode_base64(std::string_view(xml).substr(begin, xml.find('<', begin) - begin));
  std::uint64_t size = 0;
  EXPECT_GE(bytes.size(), sizeof size);
  std::memcpy(&size, bytes.data(), sizeof size);
  EXPECT_EQ(size, bytes.size() - sizeof size);
  std::vector<Number> values(size / sizeof(Number));
  std::memcpy(values.data(), bytes.data() + sizeof size, size);
  return values;
}

Matrix3X as_columns(const std::vector<double>& values) {
  return Eigen::Map<const Matrix3X>(values.data(), 3, static_cast<Index>(values.size()) / 3);
}

VolumeMesh sample() {
  VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  mesh.regions = {{7, "a"}, {3, "b"}};
  mesh.region = {0, 1, 0, 0, 0, 1};
  return mesh;
}

TEST(Vtu, HoldsDeformedPointsDisplacementAndRegions) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = sample();
  VtuFields fields;
  fields.displacement = 0.25 * mesh.vertices.array().square();
  write_vtu(folder / "body.vtu", mesh, fields);
  const std::string xml = read_file(folder / "body.vtu");
  EXPECT_THAT(xml, HasSubstr(R"(<Piece NumberOfPoints="8" NumberOfCells="6">)"));
  EXPECT_THAT(xml, HasSubstr(R"(header_type="UInt64")"));
  EXPECT_EQ(as_columns(array<double>(xml, "Float64", "Points", 3)), mesh.vertices + fields.displacement);
  EXPECT_EQ(as_columns(array<double>(xml, "Float64", "displacement", 3)), fields.displacement);
  EXPECT_THAT(array<std::int32_t>(xml, "Int32", "region", 1), ElementsAre(7, 3, 7, 7, 7, 3));
}

TEST(Vtu, HoldsCellsAsVtkNumbersThem) {
  const test::ScratchFolder folder;
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const VolumeMesh mesh = make_beam({.kind = kind, .cells = {2, 1, 1}});
    write_vtu(folder / "body.vtu", mesh);
    const std::string xml = read_file(folder / "body.vtu");
    const auto connectivity = array<std::int32_t>(xml, "Int32", "connectivity", 1);
    ASSERT_EQ(static_cast<Index>(connectivity.size()), mesh.elements.size());
    EXPECT_TRUE(std::equal(connectivity.begin(), connectivity.end(), mesh.elements.data()));
    const auto offsets = array<std::int64_t>(xml, "Int64", "offsets", 1);
    ASSERT_EQ(static_cast<Index>(offsets.size()), mesh.element_count());
    EXPECT_EQ(offsets.front(), mesh.elements.rows());
    EXPECT_EQ(offsets.back(), mesh.elements.size());
    EXPECT_THAT(array<std::uint8_t>(xml, "UInt8", "types", 1),
                testing::Each(kind == ElementKind::tetrahedron ? 10 : 12));
  }
}

TEST(Vtu, HoldsTheBodyAtRestWhereNoDisplacementIsGiven) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = sample();
  write_vtu(folder / "body.vtu", mesh);
  const std::string xml = read_file(folder / "body.vtu");
  EXPECT_EQ(as_columns(array<double>(xml, "Float64", "Points", 3)), mesh.vertices);
  EXPECT_EQ(xml.find("displacement"), std::string::npos);
}

TEST(Vtu, HoldsFurtherFieldsUnderEscapedNames) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = sample();
  VtuFields fields;
  fields.vertices = {{"|u| < \"1\" & more", Matrix::Constant(1, 8, 0.5)}};
  fields.elements = {{"stress", Matrix::Constant(3, 6, 2.0)}};
  write_vtu(folder / "body.vtu", mesh, fields);
  const std::string xml = read_file(folder / "body.vtu");
  EXPECT_EQ(array<double>(xml, "Float64", "|u| &lt; &quot;1&quot; &amp; more", 1),
            std::vector<double>(8, 0.5));
  EXPECT_EQ(array<double>(xml, "Float64", "stress", 3), std::vector<double>(18, 2.0));
}

TEST(Vtu, RefusesFieldsThatDoNotFitTheMesh) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = sample();
  const auto error = [&](const VtuFields& fields) {
    return test::error_text([&] { write_vtu(folder / "body.vtu", mesh, fields); });
  };
  EXPECT_THAT(error({.displacement = Matrix3X::Zero(3, 7)}),
              HasSubstr("7 columns, expected 8 (one per vertex)"));
  EXPECT_THAT(error({.vertices = {{"t", Matrix::Zero(1, 6)}}}),
              HasSubstr("field 't' is 1 x 6, expected 8 columns"));
  EXPECT_THAT(error({.elements = {{"t", Matrix::Zero(1, 8)}}}),
              HasSubstr("field 't' is 1 x 8, expected 6 columns"));
  EXPECT_THAT(error({.elements = {{"", Matrix::Zero(1, 6)}}}), HasSubstr("has no name"));
  EXPECT_THAT(error({.elements = {{"region", Matrix::Zero(1, 6)}}}), HasSubstr("have the name 'region'"));
  EXPECT_FALSE(std::filesystem::exists(folder / "body.vtu"));
}

TEST(Pvd, ListsTheFilesOfASeriesWithTheirTimes) {
  const test::ScratchFolder folder;
  const std::array<PvdEntry, 2> entries{{{0.0, "a&b_0.vtu"}, {0.1, "frames/b_1.vtu"}}};
  write_pvd(folder / "series.pvd", entries);
  const std::string xml = read_file(folder / "series.pvd");
  EXPECT_THAT(xml, HasSubstr(R"(<DataSet timestep="0" part="0" file="a&amp;b_0.vtu"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(<DataSet timestep="0.1" part="0" file="frames/b_1.vtu"/>)"));
}

}  // namespace
}  // namespace limber::vtu_test
