#include "limber/io/vtu_reader.hpp"

#include "limber/io/vtu.hpp"
#include "tests/io/volume_support.hpp"

#include <array>

namespace limber::vtu_reader_test {
namespace {

using test::BadEdit;
using test::data_file;
using testing::HasSubstr;

/// A tetrahedron with the corners 0, x, y, z and one of its faces. The offsets 3 and 7 are spelled in base64:
/// 8 bytes, then two 4-byte integers.
constexpr std::string_view tetrahedron = R"(<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<!-- <Piece> by hand -->
<UnstructuredGrid>
<Piece NumberOfPoints="4" NumberOfCells="2">
<Points><DataArray type="Float32" NumberOfComponents = '3' format="ascii">
0 0 0  1 0 0  0 1 0  0 0 1
</DataArray></Points>
<Cells>
<DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="binary">CAAAAAMAAAAHAAAA</DataArray>
<DataArray type="UInt8" Name="types">5 10</DataArray>
</Cells>
<CellData><DataArray type="Int64" Name="region" format="ascii">9 5</DataArray></CellData>
</Piece>
</UnstructuredGrid>
</VTKFile>
)";

TEST(VtuReader, ReadsTextAndBytesInOneFile) {
  const VolumeMesh mesh = parse_mesh(tetrahedron, "a.vtu");
  EXPECT_EQ(mesh.vertices.col(3), Vector3(0, 0, 1));
  EXPECT_EQ(mesh.element_count(), 1);
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{5, ""}}));
}

TEST(VtuReader, PassesOverInformationKeysAndOtherArrays) {
  const std::string content = test::replaced(
      test::replaced(tetrahedron, "NumberOfComponents = '3' format=\"ascii\">",
                     "NumberOfComponents = '3' format=\"ascii\"><InformationKey name=\"L2_NORM_RANGE\" "
                     "location=\"vtkDataArray\" length=\"2\"><Value index=\"0\">0</Value></InformationKey>"),
      "<CellData>", "<CellData><Array type=\"String\" Name=\"a &lt; b\" format=\"ascii\">97 0</Array>");
  test::expect_same_mesh(parse_mesh(content, "a.vtu"), parse_mesh(tetrahedron, "a.vtu"));
}

TEST(VtuReader, ReadsBase64OfHeaderAndDataEncodedApart) {
  const std::string content = test::replaced(tetrahedron, "CAAAAAMAAAAHAAAA", "\n CAAAAA==AwAAAAcAAAA= \n");
  test::expect_same_mesh(parse_mesh(content, "a.vtu"), parse_mesh(tetrahedron, "a.vtu"));
}

TEST(VtuReader, RefusesWhatIsMalformed) {
  constexpr std::array refusals{
      BadEdit{"type=\"UnstructuredGrid\"", "type=\"PolyData\"",
              "line 2: the type of the file is 'PolyData', expected"},
      BadEdit{"LittleEndian", "MiddleEndian", "byte_order is 'MiddleEndian'"},
      BadEdit{"version=\"0.1\"", "header_type=\"UInt16\"",
              "header_type is 'UInt16', expected UInt32 or UInt64"},
      BadEdit{"version=\"0.1\"", "compressor=\"vtkLZ4DataCompressor\"",
              "line 2: the data are compressed by vtkLZ4DataCompressor, expected vtkZLibDataCompressor; save "
              "the file"},
      BadEdit{"version=\"0.1\"", "version=0.1",
              "line 2: expected attributes of the form name=\"value\" in the tag"},
      BadEdit{"NumberOfPoints=\"4\"", "NumberOfPoints=\"5\"",
              "line 6: the DataArray '' has 12 values, expected 3 for each"},
      BadEdit{"NumberOfPoints=\"4\"", "NumberOfPoints=\"9223372036854775807\"", "has 12 values"},
      BadEdit{"NumberOfPoints=\"4\"", "NumberOfPoints=\"-4\"",
              "line 5: NumberOfPoints is '-4', expected an integer"},
      BadEdit{"NumberOfPoints=\"4\"", "", "the tag 'Piece' has no attribute NumberOfPoints"},
      BadEdit{"NumberOfCells=\"2\"", "NumberOfCells=\"3\"",
              "line 11: the DataArray 'offsets' has 2 values, expected 1"},
      BadEdit{"</Piece>", "</Piece><Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"/>",
              "a second Piece, expected one"},
      BadEdit{"<Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">", "", "has no element Piece"},
      BadEdit{"1 0 0  0 1 0", "1 0 0  0 nan 0", "line 7: expected a number, a finite number, found nan"},
      BadEdit{"1 0 0  0 1 0", "1 0 0  0 one 0", "line 7: expected a number, found 'one'"},
      BadEdit{"0 1 2 0 1 2 3", "0 1 2 0 1 2 4", "cell 1 (from 0) names point 4"},
      BadEdit{"0 1 2 0 1 2 3", "0 1 2 0 1 2",
              "cell 1 (from 0) takes the entries 3 to 7 of 6, expected 4 of them"},
      BadEdit{"CAAAAAMAAAAHAAAA", "CAAAAAMAAAA",
              "the DataArray 'offsets' announces 12 bytes, more than follow"},
      BadEdit{"CAAAAAMAAAAHAAAA", "CAAAAAMA!AAHAAAA", "announces 12 bytes, more than follow"},
      BadEdit{"CAAAAAMAAAAHAAAA", "////fwMAAAAHAAAA", "announces 2147483647 bytes, more than follow"},
      BadEdit{"CAAAAAMAAAAHAAAA", "", "announces 4 bytes, more than follow"},
      BadEdit{"version=\"0.1\"", "compressor=\"vtkZLibDataCompressor\"", "the DataArray 'offsets' announces"},
      BadEdit{"format=\"binary\"", "format=\"appended\" offset=\"0\"",
              "refers to AppendedData, which the file does not"},
      BadEdit{"format=\"binary\"", "format=\"appended\"", "the tag 'DataArray' has no attribute offset"},
      BadEdit{"format=\"binary\"", "format=\"hex\"", "format is 'hex', expected ascii, binary or appended"},
      BadEdit{"type=\"Int32\" Name=\"offsets\"", "type=\"Int7\" Name=\"offsets\"",
              "has the type 'Int7', expected one such"},
      BadEdit{"Name=\"types\"", "Name=\"kinds\"", "has no DataArray 'types' in the element Cells"},
      BadEdit{"5 10<", "5 13<", "cell 1 (from 0) is a wedge"},
      BadEdit{"9 5<", "9 5.5<", "the cell data 'region' of cell 1 (from 0) are 5.5"},
      BadEdit{"9 5<", "9<", "the DataArray 'region' has 1 values, expected 1 for each of 2"},
      BadEdit{"</VTKFile>", "", "line 18: the file ends, expected </VTKFile>; it is truncated"},
      BadEdit{"<VTKFile ", "<VTKFiles ", "expected the element VTKFile, found 'VTKFiles'"}};
  test::expect_refused_edits(tetrahedron, refusals, test::parse_bad);
}

TEST(VtuReader, RefusesDamagedCompressedData) {
  const std::string good = read_file(data_file("volume_vtk_raw_zlib_32.vtu"));
  const std::size_t data = good.find("\n   _") + 5;
  const auto damaged = [&](std::size_t at, std::string_view bytes) {
    std::string content = good;
    content.replace(data + at, bytes.size(), bytes);
    return test::error_text([&] { test::parse_bad(content); });
  };
  const std::string tag = R"(Name="Points" NumberOfComponents="3" format="appended")";
  const std::size_t offset_begin = good.find("offset=\"", good.find(tag)) + 8;
  const std::size_t points = std::stoul(good.substr(offset_begin));
  EXPECT_THAT(damaged(points, std::string_view("\xff\xff\xff\x7f", 4)),
              HasSubstr("announces 2147483647 blocks"));
  EXPECT_THAT(damaged(points + 8, std::string_view("\xff\xff\xff\x7f", 4)),
              HasSubstr("'Points' announces 2147483647 bytes that"));
  EXPECT_THAT(damaged(points + 24, "xxxx"), HasSubstr("holds a block that zlib cannot decompress"));
}

TEST(VtuReader, NoticesTruncationAtEveryByte) {
  for (const char* const name : {"volume_vtk_ascii.vtu", "volume_vtk_binary_zlib_32.vtu",
                                 "volume_vtk_raw.vtu", "volume_vtk_raw_zlib_32.vtu", "volume_vtk_base64.vtu",
                                 "volume_vtk_base64_zlib_big.vtu", "volume_meshio_zlib.vtu"}) {
    SCOPED_TRACE(name);
    test::expect_truncation_is_noticed(read_file(data_file(name)), test::parse_bad);
  }
}

TEST(VtuReader, GivesBackWhatTheWriterWroteWhateverFieldsItAdds) {
  const test::ScratchFolder folder;
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const VolumeMesh mesh = test::awkward_mesh(kind);
    write_vtu(folder / "plain.vtu", mesh);
    test::expect_same_mesh(read_mesh(folder / "plain.vtu"), mesh);
    write_vtu(folder / "fields.vtu", mesh,
              {.displacement = Matrix3X::Zero(3, mesh.vertex_count()),
               .elements = {{"RegionId", Matrix::Constant(1, mesh.element_count(), 0.5)}}});
    test::expect_same_mesh(read_mesh(folder / "fields.vtu"), mesh);
  }
}

}  // namespace
}  // namespace limber::vtu_reader_test
