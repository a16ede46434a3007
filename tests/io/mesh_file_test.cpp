#include "limber/io/mesh_file.hpp"

#include "limber/io/gmsh_writer.hpp"
#include "limber/mesh/builtin.hpp"
#include "tests/io/mesh_support.hpp"

#include <gmock/gmock.h>

namespace limber {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MeshFile, LoadsBuiltInBodiesByName) {
  const VolumeMesh mesh = load_mesh("builtin:beam?element=brick&cells=3,1,1");
  EXPECT_EQ(mesh.kind, ElementKind::brick);
  EXPECT_EQ(mesh.element_count(), 3);
}

TEST(MeshFile, LoadsFilesByPathWhateverTheirExtension) {
  const test::ScratchFolder folder;
  const VolumeMesh mesh = make_beam({.cells = {2, 1, 1}});
  write_gmsh(folder / "body.data", mesh);
  test::expect_same_mesh(load_mesh((folder / "body.data").string()), mesh);
}

TEST(MeshFile, NamesAFileThatIsNotThere) {
  EXPECT_THAT(test::error_text([] { load_mesh("/nowhere/body.msh"); }),
              HasSubstr("/nowhere/body.msh: no such file"));
}

TEST(MeshFile, RefusesAnEmptyFile) {
  EXPECT_EQ(test::parse_error(""), "test.msh: is empty, expected a mesh");
  EXPECT_EQ(test::parse_error(" \r\n\n"), "test.msh: is empty, expected a mesh");
}

TEST(MeshFile, SaysWhichFormatsItReadsAndHowTheFileStarts) {
  EXPECT_THAT(test::parse_error("solid cube\nfacet normal 0 0 1\n"),
              AllOf(HasSubstr("it starts with 'solid cube'"), HasSubstr("Gmsh (MSH 2.2 or 4.1)")));
  EXPECT_THAT(test::parse_error(std::string("\x89PNG\0\0", 6)), HasSubstr("'?PNG?"));
}

}  // namespace
}  // namespace limber
