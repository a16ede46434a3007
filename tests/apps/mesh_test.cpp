#include "limber/io/mesh_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/quality.hpp"
#include "tests/apps/support.hpp"
#include "tests/mesh/shapes.hpp"

#include <nlohmann/json.hpp>

namespace limber::mesh_test {
namespace {

using nlohmann::json;
using test::contains;
using test::run_limber;
using test::ScratchFolder;

TEST(MeshCommand, FillsASurfaceAndReportsItsQuality) {
  const ScratchFolder folder;
  write_surface(folder / "ball.obj", test::icosphere(3, 0.5));
  const auto result =
      run_limber(folder.path(),
                 "mesh ball.obj -o ball.msh --target-elements 5000 --picture ball.png --threads 1 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["kind"], "tetrahedron");
  EXPECT_NEAR(found["elements"].get<double>(), 5000.0, 250.0);
  EXPECT_GT(found["smallest_dihedral_degrees"].get<double>(), 10.7);
  EXPECT_LT(found["largest_dihedral_degrees"].get<double>(), 164.8);
  EXPECT_LT(std::abs(found["meshing"]["volume_error"].get<double>()), 0.005);
  EXPECT_EQ(found["meshing"]["surfaces"][0]["closed"], true);
  EXPECT_EQ(found["regions"][0]["name"], "ball");
  const VolumeMesh mesh = read_mesh(folder / "ball.msh");
  EXPECT_EQ(mesh.element_count(), found["elements"].get<Index>());
  EXPECT_NEAR(measure_quality(mesh).volume, found["volume"].get<double>(), 1e-12);
  EXPECT_TRUE(read_file(folder / "ball.png").starts_with("\x89PNG"));
}

TEST(MeshCommand, WritesEveryVolumeFormat) {
  const ScratchFolder folder;
  write_surface(folder / "ball.off", test::icosphere(2, 0.5));
  ASSERT_EQ(run_limber(folder.path(), "mesh ball.off -o first.msh --cells 6").status, 0);
  const VolumeMesh first = read_mesh(folder / "first.msh");
  for (const char* name : {"ball.mesh", "ball.node", "ball.vtk", "ball.vtu", "ball.veg"}) {
    const auto result = run_limber(folder.path(), fmt::format("mesh ball.off -o {} --cells 6", name));
    ASSERT_EQ(result.status, 0) << name << ": " << result.err;
    EXPECT_EQ(read_mesh(folder / name).vertices, first.vertices) << name;
  }
}

TEST(MeshCommand, MakesVoxelsWithARegionPerSurface) {
  const ScratchFolder folder;
  write_surface(folder / "flesh.stl", test::icosphere(3, 1.0));
  write_surface(folder / "bone.ply", test::icosphere(3, 0.4));
  const auto result = run_limber(
      folder.path(), "mesh flesh.stl bone.ply -o both.vtu --method voxel --fill center --cells 20 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["kind"], "brick");
  ASSERT_EQ(found["regions"].size(), 2u);
  EXPECT_EQ(found["regions"][1]["name"], "bone");
  EXPECT_NEAR(found["regions"][1]["volume"].get<double>(), 0.268, 0.03);
}

TEST(MeshCommand, SaysWhatWasWrongWithTheSurface) {
  const ScratchFolder folder;
  SurfaceMesh surface = test::without(test::icosphere(3, 1.0), [](int t) { return t == 5; });
  surface.triangles.col(100).reverseInPlace();
  write_surface(folder / "broken.off", surface);
  const auto result = run_limber(folder.path(), "mesh broken.off -o out.msh --cells 12");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "1 hole")) << result.out;
  EXPECT_TRUE(contains(result.out, "1 triangle")) << result.out;
  const auto inspected = run_limber(folder.path(), "inspect broken.off");
  EXPECT_TRUE(contains(inspected.out, "1 hole")) << inspected.out;
  EXPECT_TRUE(contains(inspected.out, "the surface is not closed")) << inspected.out;
}

TEST(MeshCommand, RefusesBadInputAndLeavesNothingBehind) {
  const ScratchFolder folder;
  write_surface(folder / "ball.off", test::icosphere(1, 0.5));
  write_file(folder / "empty.obj", "");
  write_file(folder / "flat.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n");
  write_file(folder / "nan.off", "OFF\n3 1 0\n0 0 0\nnan 0 0\n1 1 0\n3 0 1 2\n");
  write_file(folder / "huge.off", "OFF\n1000000000 1000000000 0\n0 0 0\n");
  const auto before = test::files_in(folder.path());
  for (const auto& [arguments, expected] : std::vector<std::pair<std::string, std::string>>{
           {"mesh missing.obj -o out.msh", "missing.obj"},
           {"mesh empty.obj -o out.msh", "empty"},
           {"mesh flat.off -o out.msh", "flat"},
           {"mesh nan.off -o out.msh", "nan.off"},
           {"mesh huge.off -o out.msh", "huge.off"},
           {"mesh ball.off -o out.xyz", ".xyz"},
           {"mesh ball.off -o missing/out.msh", "does not exist"},
           {"mesh ball.off -o out.msh --method tetra", "did you mean 'tet'"},
           {"mesh ball.off -o out.msh --method voxel --fill centre", "did you mean 'center'"},
           {"mesh ball.off -o out.msh --fill center",
            "mesh: --fill: the method tet has no use for it; leave it out"},
           {"mesh ball.off -o out.msh --up y",
            "mesh: --up: the file of a mesh, which cannot say which way is up, has no use for it (used by "
            "--picture, and by what reads the file, as limber reduce); leave it out"},
           {"mesh ball.off -o out.msh --cells 0", "--cells"},
           {"mesh ball.off -o ball.off", "ball.off"},
           {"mesh ball.off -o out.msh --picture out.jpg", ".png"}}) {
    const auto result = run_limber(folder.path(), arguments);
    EXPECT_EQ(result.status, 2) << arguments << ": " << result.out;
    EXPECT_EQ(test::line_count(result.err), 1) << result.err;
    EXPECT_TRUE(contains(result.err, expected)) << arguments << ": " << result.err;
  }
  EXPECT_EQ(test::files_in(folder.path()), before);
}

TEST(InspectCommand, DescribesABuiltinBodyWithItsDefaults) {
  const ScratchFolder folder;
  const auto result = run_limber(folder.path(), "inspect builtin:spoon --json --picture spoon.png --render");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_GT(found["fixed_vertices"].get<int>(), 0);
  EXPECT_GT(found["render_triangles"].get<int>(), 1000);
  EXPECT_EQ(found["materials"].size(), found["regions"].size());
  EXPECT_TRUE(read_file(folder / "spoon.png").starts_with("\x89PNG"));
}

TEST(SimulateCommand, DrawsTheSurfaceThatTheMeshMoves) {
  const ScratchFolder folder;
  write_surface(folder / "ball.obj", test::icosphere(2, 0.5));
  ASSERT_EQ(run_limber(folder.path(), "mesh ball.obj -o ball.msh --cells 5").status, 0);
  write_file(folder / "scene.json", R"({"bodies": [{"mesh": "ball.msh", "render": "ball.obj",
    "material": {"young": 1e6, "poisson": 0.3}, "fixed": {"where": "z < -0.2"}}],
    "gravity": [0, 0, -9.81], "output": {"picture": "ball.png"}})");
  const auto result = run_limber(folder.path(), "simulate scene.json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(read_file(folder / "ball.png").starts_with("\x89PNG"));
}

TEST(SimulateCommand, TakesMaterialAndSupportsFromABuiltinBody) {
  const ScratchFolder folder;
  write_file(
      folder / "scene.json",
      fmt::format(R"({{"bodies": [{{"mesh": "{}"}}], "gravity": [0, 0, -9.81]}})", test::tiny_beam_name));
  EXPECT_EQ(run_limber(folder.path(), "simulate scene.json").status, 0);
  write_file(folder / "free.json",
             fmt::format(R"({{"bodies": [{{"mesh": "{}", "fixed": "none"}}], "gravity": [0, 0, -9.81]}})",
                         test::tiny_beam_name));
  EXPECT_EQ(run_limber(folder.path(), "simulate free.json").status, 2) << "nothing holds the body";
}

}  // namespace
}  // namespace limber::mesh_test
