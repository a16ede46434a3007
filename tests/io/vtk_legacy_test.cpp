#include "limber/io/byte_order.hpp"
#include "limber/io/vtk_legacy_reader.hpp"
#include "limber/io/vtk_legacy_writer.hpp"
#include "tests/io/volume_support.hpp"

#include <array>

namespace limber::vtk_legacy_test {
namespace {

using test::BadEdit;
using test::data_file;
using testing::HasSubstr;

/// A tetrahedron with the corners 0, x, y, z and one of its faces.
constexpr std::string_view tetrahedron = R"(# vtk DataFile Version 3.0
by hand
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 float
0 0 0  1 0 0  0 1 0  0 0 1
CELLS 2 9
3 0 1 2
4 0 1 2 3
CELL_TYPES 2
5 10
CELL_DATA 2
SCALARS region int 1
LOOKUP_TABLE default
9 5
)";

/// The same with the cells of version 5.
std::string tetrahedron_51() {
  return test::replaced(test::replaced(tetrahedron, "3.0", "5.1"), "CELLS 2 9\n3 0 1 2\n4 0 1 2 3\n",
                        "CELLS 3 7\nOFFSETS vtktypeint64\n0 3 7\nCONNECTIVITY vtktypeint64\n0 1 2 0 1 2 3\n");
}

TEST(VtkLegacy, ReadsBothLayoutsOfCells) {
  const VolumeMesh mesh = parse_mesh(tetrahedron, "a.vtk");
  EXPECT_EQ(mesh.element_count(), 1);
  EXPECT_EQ(mesh.vertices.col(1), Vector3(1, 0, 0));
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{5, ""}}));
  test::expect_same_mesh(parse_mesh(tetrahedron_51(), "a.vtk"), mesh);
}

TEST(VtkLegacy, TakesTheArrayThatTellsRegionsApartBest) {
  const auto regions = [](std::string_view data) {
    return parse_mesh(test::replaced(tetrahedron, "SCALARS region int 1\nLOOKUP_TABLE default\n9 5\n", data),
                      "a.vtk")
        .regions;
  };
  using Regions = std::vector<Region>;
  EXPECT_EQ(regions("FIELD FieldData 2\nmedit:ref 1 2 long\n1 2\ngmsh:physical 1 2 long\n3 4\n"),
            (Regions{{4, ""}}));
  EXPECT_EQ(regions("SCALARS tetgen:ref double\nLOOKUP_TABLE default\n1 2\n"), (Regions{{2, ""}}));
  EXPECT_EQ(regions("SCALARS region int 2\nLOOKUP_TABLE default\n1 2 3 4\n"), (Regions{{0, ""}}));
  EXPECT_EQ(regions("SCALARS stress double\nLOOKUP_TABLE default\n0.5 nan\n"), (Regions{{0, ""}}));
  EXPECT_EQ(regions(""), (Regions{{0, ""}}));
}

TEST(VtkLegacy, PassesOverDataOfEveryKind) {
  constexpr std::string_view data = R"(METADATA
INFORMATION 1
NAME L2_NORM_RANGE LOCATION vtkDataArray

POINT_DATA 4
SCALARS height float
LOOKUP_TABLE own
0 0 0 1
LOOKUP_TABLE own 2
0 0 0 1 1 1 1 1
VECTORS u double
1 2 3  1 2 3  1 2 3  1 2 3
NORMALS n float
1 2 3  1 2 3  1 2 3  1 2 3
TEXTURE_COORDINATES t 2 float
1 2  1 2  1 2  1 2
COLOR_SCALARS c 1
1 1 1 1
FIELD FieldData 2
names 1 2 string
two%20words

METADATA
INFORMATION 0

flags 1 3 bit
0 1 0
CELL_DATA 2
TENSORS s float
1 2 3 4 5 6 7 8 9  1 2 3 4 5 6 7 8 9
GLOBAL_IDS id vtkIdType
1 2
)";
  const std::string content = test::replaced(tetrahedron, "CELL_DATA 2\n", data);
  test::expect_same_mesh(parse_mesh(content, "a.vtk"), parse_mesh(tetrahedron, "a.vtk"));
}

TEST(VtkLegacy, ReadsVoxelsAsBricks) {
  constexpr std::string_view voxel = R"(# vtk DataFile Version 2.0
by hand
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 8 double
0 0 0  2 0 0  0 3 0  2 3 0  0 0 4  2 0 4  0 3 4  2 3 4
CELLS 1 9
8 0 1 2 3 4 5 6 7
CELL_TYPES 1
11
)";
  const VolumeMesh mesh = parse_vtk_legacy(voxel, "a.vtk");
  EXPECT_NO_THROW(check_mesh(mesh, "without parse_mesh's canonical order"));
  EXPECT_EQ(test::total_volume(mesh), 24.0);
}

TEST(VtkLegacy, RefusesWhatIsMalformed) {
  constexpr std::array refusals{
      BadEdit{"Version 3.0", "Version 9.0", "line 1: the version is '9.0', expected 1.0 to 5.1"},
      BadEdit{"Version 3.0", "Version 5.1", "line 8: expected OFFSETS (version 5 of the format), found '3'"},
      BadEdit{"ASCII", "EBCDIC", "line 3: expected ASCII or BINARY, found 'EBCDIC'"},
      BadEdit{"UNSTRUCTURED_GRID", "POLYDATA", "line 4: DATASET is POLYDATA, expected UNSTRUCTURED_GRID"},
      BadEdit{"POINTS 4 float", "POINTS 4 complex",
              "line 5: expected a type such as int or double, found 'complex'"},
      BadEdit{"POINTS 4", "POINTS 1000000000", "line 5: 1000000000 points are announced, but only"},
      BadEdit{"POINTS 4", "POINTS 4611686018427387904", "points are announced, but only"},
      BadEdit{"POINTS 4", "POINTS -1", "-1 points are announced"},
      BadEdit{"POINTS 4", "POINTS 3",
              "line 6: expected a keyword such as POINTS, CELLS or CELL_DATA, found '0'"},
      BadEdit{"1 0 0  0 1", "1 0 nan  0 1",
              "line 6: expected coordinates of points, a finite number, found nan"},
      BadEdit{"CELLS 2 9", "CELLS 2 1000000000", "1000000000 integers in CELLS are announced, but only"},
      BadEdit{"CELLS 2 9", "CELLS 3 9",
              "cell 2 (from 0) does not fit into the 9 integers that CELLS announces"},
      BadEdit{"CELLS 2 9", "CELLS 1 9", "CELLS announces 9 integers, but its 1 cells have 4"},
      BadEdit{"CELLS 2 9\n3", "CELLS 2 9\n-3", "cell 0 (from 0) does not fit"},
      BadEdit{"4 0 1 2 3", "4 0 1 2 4", "cell 1 (from 0) names point 4, but the file has points 0 to 3"},
      BadEdit{"4 0 1 2 3", "4 0 1 2 -1", "names point -1"},
      BadEdit{"4 0 1 2 3", "4 0 1 2 2", "is degenerate"},
      BadEdit{"5 10\n", "5 9\n", "has no tetrahedra or hexahedra"},
      BadEdit{"5 10\n", "5 1\n",
              "cell 1 (from 0) has 4 points, expected 1 for VTK cell type 1; the file is truncated"},
      BadEdit{"5 10\n", "10 10\n", "cell 0 (from 0) takes the entries 0 to 3 of 7, expected 4 of them"},
      BadEdit{"5 10\n", "5 12\n", "expected 8 of them"},
      BadEdit{"5 10\n", "5 13\n",
              "cell 1 (from 0) is a wedge (VTK cell type 13), expected tetrahedra or hexahedra"},
      BadEdit{"5 10\n", "5 14\n", "is a pyramid"},
      BadEdit{"5 10\n", "5 24\n", "is a cell of higher order (VTK cell type 24), expected linear tetrahedra"},
      BadEdit{"5 10\n", "5 42\n", "is a polyhedron"},
      BadEdit{"5 10\n", "5 99\n", "has the type 99, which VTK does not know"},
      BadEdit{"CELL_TYPES 2\n5 10", "CELL_TYPES 1\n10", "2 cells but 1 cell types, expected as many"},
      BadEdit{"CELL_TYPES 2\n5 10", "", "has no CELL_TYPES"},
      BadEdit{"POINTS 4 float\n0 0 0  1 0 0  0 1 0  0 0 1\n", "", "has no POINTS"},
      BadEdit{"CELLS 2 9\n3 0 1 2\n4 0 1 2 3\n", "", "has no CELLS"},
      BadEdit{"CELL_TYPES", "POINTS 0 float\nCELL_TYPES", "a second section POINTS"},
      BadEdit{"CELL_DATA 2", "CELL_DATA 3", "the file ends, expected region"},
      BadEdit{"CELL_DATA 2\nSCALARS", "SCALARS", "line 12: expected a keyword such as POINTS"},
      BadEdit{"9 5\n", "9 0.5\n", "the cell data 'region' of cell 1 (from 0) are 0.5, expected an integer"},
      BadEdit{"9 5\n", "9 3e9\n", "are 3000000000, expected an integer"},
      BadEdit{"LOOKUP_TABLE default", "9 5", "line 14: expected LOOKUP_TABLE after SCALARS, found '9'"},
      BadEdit{"SCALARS region int 1", "SCALAR region int 1",
              "expected a keyword such as SCALARS, VECTORS or FIELD"},
      BadEdit{"9 5\n", "9 5\nFIELD f 1\na 1 1000000000 int\n",
              "array 'a' announces 1000000000 tuples, but only"},
      BadEdit{"9 5\n", "9 5\nFIELD f 1\na -1 1 int\n", "array 'a' has -1 components"}};
  test::expect_refused_edits(tetrahedron, refusals, test::parse_bad);
}

TEST(VtkLegacy, RefusesTetrahedraMixedWithHexahedra) {
  const std::string mixed = test::replaced(
      test::replaced(tetrahedron, "CELLS 2 9\n3 0 1 2", "CELLS 2 14\n8 0 1 2 3 0 1 2 3"), "5 10", "12 10");
  EXPECT_THAT(
      test::error_text([&] { test::parse_bad(mixed); }),
      HasSubstr(
          "cell 1 (from 0): both tetrahedra and hexahedra, expected one kind; mesh the whole body with"));
}

TEST(VtkLegacy, RefusesCoordinatesOfBytesThatAreNotFinite) {
  const test::ScratchFolder folder;
  write_vtk_legacy(folder / "a.vtk", make_beam({.cells = {1, 1, 1}}), {.binary = true});
  std::string content = read_file(folder / "a.vtk");
  const std::size_t points = content.find("double\n") + 7;
  content[points + 24] = '\x7f';
  content[points + 25] = '\xf8';
  EXPECT_THAT(test::error_text([&] { test::parse_bad(content); }),
              HasSubstr("a coordinate of point 1 (from 0) is nan, expected a finite number"));
}

TEST(VtkLegacy, NoticesTruncationAtEveryByte) {
  for (const char* const name :
       {"volume_gmsh.vtk", "volume_gmsh_bricks.vtk", "volume_gmsh_binary.vtk", "volume_vtk_51.vtk",
        "volume_vtk_51_binary.vtk", "volume_meshio_binary.vtk"}) {
    SCOPED_TRACE(name);
    test::expect_truncation_is_noticed(read_file(data_file(name)), test::parse_bad);
  }
}

class VtkLegacyRoundTrip : public testing::TestWithParam<std::tuple<ElementKind, bool, bool>> {};

TEST_P(VtkLegacyRoundTrip, GivesTheSameMeshBitByBit) {
  const auto [kind, binary, offsets_layout] = GetParam();
  const test::ScratchFolder folder;
  const VolumeMesh mesh = test::awkward_mesh(kind);
  write_vtk_legacy(folder / "mesh.vtk", mesh, {binary, offsets_layout});
  test::expect_same_mesh(read_mesh(folder / "mesh.vtk"), mesh);
}

std::string name_of_variant(const testing::TestParamInfo<std::tuple<ElementKind, bool, bool>>& tested) {
  const auto [kind, binary, offsets_layout] = tested.param;
  return fmt::format("{}_{}_{}", name_of(kind), binary ? "binary" : "ascii", offsets_layout ? "51" : "30");
}

INSTANTIATE_TEST_SUITE_P(Variants, VtkLegacyRoundTrip,
                         testing::Combine(testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                                          testing::Bool(), testing::Bool()),
                         name_of_variant);

TEST(VtkLegacyWriter, LeavesOutTheNamesWhereThereAreNone) {
  const test::ScratchFolder folder;
  write_vtk_legacy(folder / "mesh.vtk", test::without_names(test::awkward_mesh(ElementKind::brick)));
  EXPECT_THAT(read_file(folder / "mesh.vtk"), testing::Not(HasSubstr("FIELD")));
}

}  // namespace
}  // namespace limber::vtk_legacy_test
