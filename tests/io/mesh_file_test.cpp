#include "limber/io/mesh_file.hpp"

#include "limber/io/gmsh_reader.hpp"
#include "limber/io/gmsh_writer.hpp"
#include "tests/io/volume_support.hpp"

#include <cstring>

namespace limber::mesh_file_test {
namespace {

using test::data_file;
using testing::AllOf;
using testing::HasSubstr;

TEST(MeshFile, LoadsFilesByPathWhateverTheirExtension) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = make_beam({.cells = {2, 1, 1}});
  for (const char* const written : {"a.msh", "a.mesh", "a.meshb", "a.vtk", "a.vtu", "a.veg"}) {
    SCOPED_TRACE(written);
    write_mesh(folder / written, mesh);
    std::filesystem::rename(folder / written, folder / "body.node");
    EXPECT_EQ(read_mesh(folder / "body.node").elements, mesh.elements);
  }
}

TEST(MeshFile, NamesAFileThatIsNotThere) {
  EXPECT_THAT(test::error_text([] { read_mesh("/nowhere/body.msh"); }),
              HasSubstr("/nowhere/body.msh: no such file"));
}

TEST(MeshFile, SaysHowToFillASurface) {
  EXPECT_THAT(test::parse_error("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
              HasSubstr("limber mesh test.msh -o MESH"));
}

TEST(MeshFile, RefusesAnEmptyFile) {
  EXPECT_EQ(test::parse_error(""), "test.msh: is empty, expected a mesh");
  EXPECT_EQ(test::parse_error(" \r\n\n"), "test.msh: is empty, expected a mesh");
}

TEST(MeshFile, SaysWhichFormatsItReadsAndHowTheFileStarts) {
  EXPECT_THAT(
      test::parse_error("cubes and balls\n1 2 3\n"),
      AllOf(HasSubstr("it starts with 'cubes and balls'"),
            HasSubstr("convert it to Gmsh (.msh 2.2 or 4.1), MEDIT"), HasSubstr("TetGen (.node with .ele)")));
  EXPECT_THAT(test::parse_error(std::string("\x89PNG\0\0", 6)), HasSubstr("'?PNG?"));
}

/// A file name as GoogleTest takes names.
std::string test_name(std::string_view file) {
  std::string name(file);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

/// A file of another program and what it holds.
struct Sample {
  std::string_view name;
  double volume;
  Index vertices;
  Index elements;
  std::vector<int> tags;
};

class SampleOfAnotherProgram : public testing::TestWithParam<Sample> {};

TEST_P(SampleOfAnotherProgram, IsReadInFull) {
  const Sample& sample = GetParam();
  const VolumeMesh mesh = read_mesh(data_file(sample.name));
  EXPECT_EQ(mesh.vertex_count(), sample.vertices);
  EXPECT_EQ(mesh.element_count(), sample.elements);
  EXPECT_NEAR(test::total_volume(mesh), sample.volume, 1e-14);
  std::vector<int> tags;
  for (const Region& region : mesh.regions) tags.push_back(region.tag);
  EXPECT_EQ(tags, sample.tags);
  for (const int tag : tags) {
    EXPECT_EQ(test::elements_in(mesh, tag) * static_cast<Index>(tags.size()), sample.elements)
        << "region " << tag;
  }
}

/// box.geo: two cubes, 24 tetrahedra each.
Sample box(std::string_view name) { return {name, 2.0, 23, 48, {3, 7}}; }
/// bricks.geo: 3 x 2 x 1 bricks.
Sample bricks(std::string_view name, int tag) { return {name, 1.5, 24, 6, {tag}}; }
/// cubes.poly: two cubes, 6 tetrahedra each.
Sample cubes(std::string_view name) { return {name, 2.0, 12, 12, {3, 7}}; }

INSTANTIATE_TEST_SUITE_P(Files, SampleOfAnotherProgram,
                         testing::Values(Sample{"volume_gmsh.mesh", 2.0, 23, 48, {1, 2}},
                                         bricks("volume_gmsh_bricks.mesh", 1), box("volume_gmsh.vtk"),
                                         box("volume_gmsh_binary.vtk"), bricks("volume_gmsh_bricks.vtk", 0),
                                         cubes("volume_tetgen.node"), cubes("volume_tetgen_zero.ele"),
                                         cubes("volume_tetgen_zero.mesh"), cubes("volume_tetgen_zero.vtk"),
                                         Sample{"volume_netgen.msh", 1.0, 8, 6, {100001}},
                                         box("volume_meshio.mesh"), box("volume_meshio.meshb"),
                                         bricks("volume_meshio_bricks.meshb", 1), box("volume_meshio.node"),
                                         box("volume_meshio.vtk"), box("volume_meshio_binary.vtk"),
                                         box("volume_meshio_ascii.vtu"), box("volume_meshio_binary.vtu"),
                                         box("volume_meshio_zlib.vtu"), box("volume_vtk_42.vtk"),
                                         box("volume_vtk_42_binary.vtk"), box("volume_vtk_51.vtk"),
                                         box("volume_vtk_51_binary.vtk"), box("volume_vtk_ascii.vtu"),
                                         box("volume_vtk_binary.vtu"), box("volume_vtk_binary_zlib_32.vtu"),
                                         box("volume_vtk_raw.vtu"), box("volume_vtk_raw_zlib_32.vtu"),
                                         box("volume_vtk_raw_big_32.vtu"), box("volume_vtk_base64.vtu"),
                                         box("volume_vtk_base64_zlib_big.vtu")),
                         [](const auto& tested) {
                           std::string name(tested.param.name);
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(MeshFile, RefusesAnUnknownCompressorWithWhatToDo) {
  EXPECT_THAT(
      test::error_text([] { read_mesh(data_file("volume_vtk_raw_lz4.vtu")); }),
      HasSubstr(
          "compressed by vtkLZ4DataCompressor, expected vtkZLibDataCompressor; save the file with ZLib"));
}

TEST(MeshFile, TurnsTetrahedraThatNetgenNumbersTheOtherWayRound) {
  const VolumeMesh netgen = parse_gmsh(read_file(data_file("volume_netgen.msh")), "volume_netgen.msh");
  for (Index e = 0; e < netgen.element_count(); ++e) EXPECT_LT(element_volume(netgen, e), 0.0);
  EXPECT_NEAR(test::total_volume(read_mesh(data_file("volume_netgen.msh"))), 1.0, 1e-14);
}

TEST(MeshFile, TurnsSomeTetrahedraAndLeavesTheOthers) {
  VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  const VolumeMesh expected = mesh;
  std::swap(mesh.elements(0, 2), mesh.elements(1, 2));
  finish_mesh(mesh, "a.msh");
  for (Index e = 0; e < mesh.element_count(); ++e) {
    EXPECT_GT(element_volume(mesh, e), 0.0);
    EXPECT_EQ(mesh.elements.col(e) == expected.elements.col(e), e != 2) << "element " << e;
  }
}

TEST(MeshFile, StillRefusesFlatTetrahedraAndVerticesOutOfRange) {
  VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  mesh.elements(3, 4) = mesh.elements(2, 4);
  EXPECT_THAT(test::error_text([&] { finish_mesh(mesh, "a.msh"); }), HasSubstr("element 4 is degenerate"));
  mesh.elements(3, 4) = 8;
  EXPECT_THAT(test::error_text([&] { finish_mesh(mesh, "a.msh"); }), HasSubstr("element 4 names vertex 8"));
}

struct Target {
  std::string_view file;
  ElementKind kind;
  bool keeps_names;
};

class MeshRoundTrip : public testing::TestWithParam<Target> {};

TEST_P(MeshRoundTrip, GivesTheSameBitsBack) {
  const Target& target = GetParam();
  const test::ScratchFolder folder;
  const VolumeMesh mesh = test::awkward_mesh(target.kind);
  write_mesh(folder / target.file, mesh);
  const VolumeMesh back = read_mesh(folder / target.file);
  test::expect_same_mesh(back, target.keeps_names ? mesh : test::without_names(mesh));
  ASSERT_EQ(back.vertices.size(), mesh.vertices.size());
  EXPECT_EQ(std::memcmp(back.vertices.data(), mesh.vertices.data(), sizeof(double) * mesh.vertices.size()), 0)
      << "signs of zeros differ";
}

constexpr ElementKind tetrahedron = ElementKind::tetrahedron;
constexpr ElementKind brick = ElementKind::brick;
INSTANTIATE_TEST_SUITE_P(
    Formats, MeshRoundTrip,
    testing::Values(Target{"tets.msh", tetrahedron, true}, Target{"bricks.msh", brick, true},
                    Target{"tets.mesh", tetrahedron, false}, Target{"bricks.mesh", brick, false},
                    Target{"tets.meshb", tetrahedron, false}, Target{"bricks.MESHB", brick, false},
                    Target{"tets.node", tetrahedron, false}, Target{"tets.ELE", tetrahedron, false},
                    Target{"tets.vtk", tetrahedron, true}, Target{"bricks.vtk", brick, true},
                    Target{"tets.vtu", tetrahedron, true}, Target{"bricks.vtu", brick, true},
                    Target{"tets.veg", tetrahedron, true}, Target{"bricks.veg", brick, true}),
    [](const auto& variant) { return test_name(variant.param.file); });

TEST(MeshFile, WritesNothingUnderAnUnknownExtension) {
  const test::ScratchFolder folder;
  for (const char* const name : {"a.stl", "a", "a."}) {
    EXPECT_THAT(test::error_text([&] {
                  write_mesh(folder / name, make_beam({.cells = {1, 1, 1}}));
                }),
                AllOf(HasSubstr("names no format of volume meshes"), HasSubstr("Vega (.veg)")));
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(MeshFile, RefusesToWriteAMeshThatItWouldNotRead) {
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  mesh.vertices(0, 0) = std::numeric_limits<double>::quiet_NaN();
  for (const char* const name : {"a.msh", "a.mesh", "a.meshb", "a.node", "a.vtk", "a.vtu", "a.veg"}) {
    EXPECT_THAT(test::error_text([&] { write_mesh(folder / name, mesh); }),
                HasSubstr("vertex 0 has the coordinates"));
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(MeshFile, NamesEveryFormatForHelpTexts) {
  EXPECT_EQ(volume_format_names(),
            "Gmsh (.msh 2.2 or 4.1), MEDIT (.mesh, .meshb), VTK (.vtk), VTK XML (.vtu), Vega (.veg), "
            "TetGen (.node with .ele)");
}

}  // namespace
}  // namespace limber::mesh_file_test
