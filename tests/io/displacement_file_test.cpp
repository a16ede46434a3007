#include "limber/io/displacement_file.hpp"

#include "limber/base/file.hpp"
#include "limber/io/csv.hpp"
#include "limber/io/vtu.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/io/mesh_support.hpp"
#include "tests/support/fixtures.hpp"

#include <array>
#include <gmock/gmock.h>

namespace limber::displacement_file_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using Fields = std::vector<Matrix3X>;

Matrix3X random_field(Index vertices, std::uint64_t seed) {
  return Eigen::Map<const Matrix3X>(test::random_vector(3 * vertices, 0.1, seed).eval().data(), 3, vertices);
}

std::string csv_error(std::string_view text, Index vertices) {
  return test::error_text([&] { parse_displacements_csv(text, vertices, "bad.csv"); });
}

TEST(DisplacementCsv, GivesBackWhatTheWriterWrote) {
  const test::ScratchFolder folder;
  const Matrix3X field = random_field(7, 1);
  write_csv(folder / "u.csv", field);
  EXPECT_EQ(read_displacements(folder / "u.csv", 7), Fields{field});
}

TEST(DisplacementCsv, HoldsOneFieldAfterAnother) {
  const test::ScratchFolder folder;
  const Fields fields{random_field(4, 1), random_field(4, 2), random_field(4, 3)};
  std::string joined;
  for (const Matrix3X& field : fields) {
    write_csv(folder / "u.csv", field);
    joined += read_file(folder / "u.csv");
  }
  EXPECT_EQ(parse_displacements_csv(joined, 4, "u.csv"), fields);
  EXPECT_EQ(parse_displacements_csv(joined, 12, "u.csv").size(), 1U) << "of a mesh with three times as many";
}

TEST(DisplacementCsv, ToleratesHowProgramsWriteIt) {
  Matrix3X field(3, 2);
  field << 1, -4, 2.5, 5e-3, 3, 6;
  constexpr std::array<std::string_view, 8> texts{"1,2.5,3\n-4,5e-3,6\n",
                                                  "1,2.5,3\n-4,5e-3,6",
                                                  "1,2.5,3\r\n-4,5e-3,6\r\n",
                                                  " 1 ,\t2.5 , +3 \n-4, 5E-3, 6.0\n",
                                                  "1,2.5,3\n-4,.005,6\n\n  \r\n",
                                                  "x,y,z\n1,2.5,3\n-4,5e-3,6\n",
                                                  "\"X\", \"Y\", \"Z\"\r\n1,2.5,3\r\n-4,5e-3,6\r\n",
                                                  "\xef\xbb\xbf\nx,y,z\n1,2.5,3\n-4,5e-3,6\n"};
  for (const std::string_view text : texts) {
    EXPECT_EQ(parse_displacements_csv(text, 2, "u.csv"), Fields{field}) << text;
  }
}

TEST(DisplacementCsv, ToleratesHeadersAndBlankLinesBetweenFields) {
  const Fields fields = parse_displacements_csv("x,y,z\n1,2,3\n4,5,6\n\nx,y,z\n7,8,9\n0,0,0\n", 2, "u.csv");
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[1].col(0), Vector3(7, 8, 9));
}

TEST(DisplacementCsv, RefusesLinesThatAreNotThreeNumbers) {
  for (const std::string_view line :
       {"1,2", "1,2,3,4", "1;2;3", "1 2 3", "1,2,", "1,,3", "1,2,three", "1,2,3x", "nan,0,0", "1,inf,0",
        "1,2,1e999", "0x1,2,3", "x,y,z", "1,2,3 4"}) {
    const std::string error = csv_error(fmt::format("0,0,0\n{}\n0,0,0\n0,0,0\n", line), 4);
    EXPECT_EQ(error, fmt::format("bad.csv: line 2: expected three finite numbers x,y,z, found '{}'", line));
  }
}

TEST(DisplacementCsv, RefusesAnotherNumberOfVertices) {
  EXPECT_EQ(
      csv_error("1,2,3\n4,5,6\n7,8,9\n", 2),
      "bad.csv: has 3 lines of numbers, expected 2 for each field (one per vertex of the mesh); take the "
      "file that belongs to this mesh");
  EXPECT_THAT(csv_error("1,2,3\n\n", 2), HasSubstr("has 1 lines of numbers, expected 2"));
  EXPECT_THAT(csv_error("1,2,3\n", 1 << 30), HasSubstr("has 1 lines of numbers, expected 1073741824"));
}

TEST(DisplacementCsv, RefusesFilesWithoutNumbers) {
  for (const std::string_view text : {"", "\n\n", "x,y,z\n"}) {
    EXPECT_THAT(csv_error(text, 2), HasSubstr("bad.csv: holds no displacements, expected lines x,y,z"));
  }
}

TEST(DisplacementCsv, RefusesBlankLinesInsideOfAField) {
  EXPECT_THAT(csv_error("1,2,3\n\n4,5,6\n", 2), HasSubstr("bad.csv: line 2: is blank"));
}

TEST(DisplacementVtu, GivesBackWhatTheWriterWrote) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = make_beam({.cells = {2, 1, 1}});
  const Matrix3X field = random_field(mesh.vertex_count(), 5);
  write_vtu(folder / "body.VTU", mesh, {.displacement = field});
  EXPECT_EQ(read_displacements(folder / "body.VTU", mesh.vertex_count()), Fields{field});
}

/// Two points and no cells, which is enough here.
constexpr std::string_view two_points =
    R"(<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece NumberOfPoints="2" NumberOfCells="0">
<PointData>
<DataArray type="Float64" Name="v" NumberOfComponents="3" format="ascii">9 9 9 9 9 9</DataArray>
<DataArray type="Float64" Name="U" NumberOfComponents="3" format="ascii">1 2 3 4 5 6</DataArray>
</PointData>
<CellData><DataArray type="Float64" Name="displacement" NumberOfComponents="3" format="ascii"></DataArray></CellData>
</Piece></UnstructuredGrid></VTKFile>
)";

TEST(DisplacementVtu, TakesThePointDataNamedDisplacementOrU) {
  Matrix3X field(3, 2);
  field << 1, 4, 2, 5, 3, 6;
  EXPECT_EQ(parse_displacements_vtu(two_points, 2, "a.vtu"), field);
  const std::string both = test::replaced(two_points, "Name=\"v\"", "Name=\"Displacement\"");
  EXPECT_EQ(parse_displacements_vtu(both, 2, "a.vtu"), Matrix3X::Constant(3, 2, 9.0));
}

TEST(DisplacementVtu, RefusesFilesWithoutFittingPointData) {
  struct Edit {
    std::string_view old_part, new_part, message;
  };
  constexpr std::array edits{
      Edit{"Name=\"U\"", "Name=\"w\"", "has no point data named displacement or u, found v, w"},
      Edit{"NumberOfPoints=\"2\"", "NumberOfPoints=\"3\"",
           "has 3 points, the mesh 2 vertices; take the file"},
      Edit{"Name=\"U\" NumberOfComponents=\"3\"", "Name=\"U\" NumberOfComponents=\"2\"",
           "line 4: the point data 'U' have 2 components, expected 3"},
      Edit{"4 5 6", "4 5", "line 4: the point data 'U' have 5 values, expected 3 for each of 2 points"},
      Edit{"4 5 6", "4 5 nan", "line 4: expected a number, a finite number, found nan"},
      Edit{"format=\"ascii\">1 2 3 4 5 6",
           "format=\"binary\">MAAAAAAAAAAAAPB/AAAAAAAA8D8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
           "AAAAAAAAAAA==",
           "line 4: the point data 'U' hold numbers that are not finite"}};
  for (const Edit& edit : edits) {
    const std::string text = test::replaced(two_points, edit.old_part, edit.new_part);
    EXPECT_THAT(test::error_text([&] { parse_displacements_vtu(text, 2, "bad.vtu"); }),
                AllOf(StartsWith("bad.vtu: "), HasSubstr(edit.message)));
  }
}

TEST(DisplacementPvd, GivesTheFieldsOfASeriesInItsOrder) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  std::filesystem::create_directories(folder / "frames & more");
  const Fields fields{random_field(8, 1), random_field(8, 2)};
  write_vtu(folder / "frames & more/0.vtu", mesh, {.displacement = fields[0]});
  write_vtu(folder / "1.vtu", mesh, {.displacement = fields[1]});
  const std::array<PvdEntry, 2> entries{{{0.0, "frames & more/0.vtu"}, {0.5, "1.vtu"}}};
  write_pvd(folder / "series.pvd", entries);
  EXPECT_EQ(read_displacements(folder / "series.pvd", 8), fields);
}

TEST(DisplacementPvd, RefusesWhatIsNoSeries) {
  const test::ScratchFolder folder;
  const auto error = [&](std::string_view text) {
    write_file(folder / "bad.pvd", text);
    return test::error_text([&] { read_displacements(folder / "bad.pvd", 8); });
  };
  const std::string head = "<VTKFile type=\"Collection\"><Collection>\n";
  const std::string tail = "</Collection></VTKFile>";
  EXPECT_THAT(error(head + tail), HasSubstr("bad.pvd: line 2: has no element DataSet"));
  EXPECT_THAT(error(head + "<DataSet timestep=\"0\"/>" + tail),
              HasSubstr("line 2: a DataSet has no attribute file"));
  EXPECT_THAT(error(head + "<DataSet file=\"no.vtu\"/>" + tail), HasSubstr("no.vtu: no such file"));
  EXPECT_THAT(error(head + "<DataSet file=\"bad.pvd\"/>" + tail),
              HasSubstr("'Collection', expected UnstructuredGrid"));
  EXPECT_THAT(error(head + "<DataSet file=\"a.vtu\"/>"),
              HasSubstr("line 2: the file ends, expected </VTKFile>"));
  EXPECT_THAT(error(two_points), HasSubstr("line 1: expected the element VTKFile of the type Collection"));
  EXPECT_THAT(error(""), HasSubstr("the file ends"));
}

TEST(DisplacementFile, RefusesOtherKindsOfFiles) {
  const test::ScratchFolder folder;
  EXPECT_THAT(test::error_text([&] { read_displacements(folder / "u.txt", 2); }),
              HasSubstr("u.txt: the extension is '.txt', expected .csv, .vtu or .pvd for displacements"));
  EXPECT_THAT(test::error_text([&] { read_displacements(folder / "none.csv", 2); }),
              HasSubstr("no such file"));
}

TEST(DisplacementFile, RefusesAMeshWithoutVertices) {
  EXPECT_THAT(csv_error("1,2,3\n", 0), HasSubstr("a mesh with 0 vertices, expected at least 1"));
}

}  // namespace
}  // namespace limber::displacement_file_test
