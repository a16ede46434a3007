#include "limber/io/surface_file.hpp"

#include "limber/io/gltf.hpp"
#include "limber/io/obj.hpp"
#include "limber/io/off.hpp"
#include "limber/io/ply.hpp"
#include "limber/io/stl.hpp"
#include "tests/io/surface_support.hpp"

namespace limber::surface_file_test {
namespace {

using testing::HasSubstr;

std::vector<std::string> encodings(const SurfaceMesh& surface) {
  return {encode_obj(surface, "a"), encode_off(surface, "a"),
          encode_stl(surface, "a"), encode_stl(surface, "a", {.binary = false}),
          encode_ply(surface, "a"), encode_ply(surface, "a", {.binary = false}),
          encode_glb(surface, "a")};
}

TEST(SurfaceFile, TellsTheFormatByItsContentWhateverTheEnding) {
  const SurfaceMesh surface = test::awkward_float_surface();
  for (const std::string& content : encodings(surface)) {
    EXPECT_TRUE(looks_like_surface(content)) << content.substr(0, 20);
    for (const std::string_view where : {"a", "a.off", "a.obj", "a.stl", "a.ply", "a.glb", "a.xyz"}) {
      EXPECT_EQ(parse_surface(content, where).triangle_count(), surface.triangle_count())
          << content.substr(0, 20);
    }
  }
}

TEST(SurfaceFile, TellsADamagedFileByItsEnding) {
  EXPECT_THAT(test::surface_error("hello", "a.off"), HasSubstr("expected OFF"));
  EXPECT_THAT(test::surface_error("hello", "a.PLY"), HasSubstr("expected 'ply'"));
  EXPECT_THAT(test::surface_error("hello", "a.stl"), HasSubstr("binary STL"));
  EXPECT_THAT(test::surface_error("hello", "a.obj"), HasSubstr("no statement of OBJ"));
  EXPECT_THAT(test::surface_error("hello", "a.gltf"), HasSubstr("line 1, column 1"));
}

TEST(SurfaceFile, OfAnotherFormatIsRefusedWithTheNamesOfThoseThatAreRead) {
  EXPECT_THAT(
      test::surface_error("$MeshFormat\n2.2 0 8\n", "a.msh"),
      testing::AllOf(HasSubstr("a.msh: is no surface that limber reads, it starts with '$MeshFormat'"),
                     HasSubstr(surface_format_names())));
  for (const std::string_view name : {"OBJ", "STL", "PLY", "OFF", "glTF"}) {
    EXPECT_THAT(surface_format_names(), HasSubstr(name));
  }
}

TEST(SurfaceFile, LooksLikeNoneOfOtherFiles) {
  for (const std::string_view content :
       {"", "\n", "$MeshFormat\n", "{\"mesh\": \"a.msh\"}", "solidarity", "OFFICE 1 2", "ply",
        "*NODE\n1, 0, 0, 0\n", "MeshVersionFormatted 2\n", "v", "g hello\n"}) {
    EXPECT_FALSE(looks_like_surface(content)) << content;
  }
}

TEST(SurfaceFile, WritesTheFormatOfTheEnding) {
  const test::ScratchFolder folder;
  const SurfaceMesh surface = test::awkward_float_surface();
  const std::vector<std::pair<std::string, bool (*)(std::string_view)>> formats{{"a.obj", looks_like_obj},
                                                                                {"a.off", looks_like_off},
                                                                                {"a.STL", looks_like_stl},
                                                                                {"a.ply", looks_like_ply},
                                                                                {"a.glb", looks_like_gltf}};
  for (const auto& [name, recognizes] : formats) {
    write_surface(folder / name, surface);
    EXPECT_TRUE(recognizes(read_file(folder / name))) << name;
    const SurfaceMesh read = read_surface(folder / name);
    EXPECT_EQ(read.triangle_count(), surface.triangle_count()) << name;
    EXPECT_EQ(read.vertices.rowwise().minCoeff(), surface.vertices.rowwise().minCoeff()) << name;
  }
}

TEST(SurfaceFile, RefusesToWriteOtherEndingsAndSurfacesThatAreNone) {
  const test::ScratchFolder folder;
  EXPECT_THAT(test::error_text([&] { write_surface(folder / "a.gltf", test::awkward_surface()); }),
              HasSubstr("limber writes surfaces as .obj, .stl, .ply, .off or .glb, not as '.gltf'"));
  for (const std::string_view name : {"a.obj", "a.stl", "a.ply", "a.off", "a.glb"}) {
    EXPECT_THROW(write_surface(folder / name, SurfaceMesh{}), Error) << name;
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(SurfaceFile, NamesAFileThatIsNotThere) {
  EXPECT_THAT(test::error_text([] { read_surface("/nowhere/a.obj"); }),
              HasSubstr("/nowhere/a.obj: no such file"));
}

TEST(SurfaceFile, MergesVerticesOfEqualPositionInEveryFormat) {
  const SurfaceMesh surface = test::awkward_float_surface();
  for (const std::string& content : encodings(surface)) {
    const SurfaceMesh read = parse_surface(content, "a", {.merge_vertices = true});
    EXPECT_EQ(read.vertex_count(), surface.vertex_count()) << content.substr(0, 20);
  }
}

}  // namespace
}  // namespace limber::surface_file_test
