// Bodies of scenes that are surfaces, which are filled on the way.

#include "limber/base/error.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/mesh/mesher.hpp"
#include "tests/mesh/shapes.hpp"
#include "tests/support/files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace limber::scene_surface_test {
namespace {

using test::contains;
using test::error_text;
using test::ScratchFolder;

Scene scene_with(const ScratchFolder& folder, std::string_view body, std::string_view rest = "") {
  return parse_scene(fmt::format(R"({{"bodies": [{{{}, "material": {{"name": "rubber"}}}}]{}}})", body, rest),
                     folder.path(), "scene");
}

TEST(SceneSurface, IsFilledAndDrawnItself) {
  const ScratchFolder folder;
  const SurfaceMesh ball = test::icosphere(3, 20.0);
  write_surface(folder / "ball.obj", ball);
  const Scene scene =
      scene_with(folder, R"("mesh": "ball.obj", "unit": "cm", "position": [1, 0, 0], "fixed": "bottom")");
  const SceneBody& body = scene.bodies.front();
  EXPECT_NEAR(std::log(static_cast<double>(body.mesh.element_count()) / static_cast<double>(usual_elements)),
              0.0, 0.05);
  EXPECT_EQ(body.mesh.regions.front().name, "ball");
  EXPECT_EQ(body.render.triangles, ball.triangles);
  const BoundingBox box = bounding_box(body.render), filled = bounding_box(body.mesh);
  EXPECT_NEAR(box.min.x(), 0.8, 0.01);
  EXPECT_NEAR(box.max.x(), 1.2, 0.01);
  EXPECT_LT((filled.max - box.max).norm(), 0.01);
  EXPECT_EQ(scene.inputs.size(), 1U);
  EXPECT_TRUE(scene.warnings.empty()) << scene.warnings.front();
}

TEST(SceneSurface, TellsWhatWasLostAndAsksForItsUnit) {
  const ScratchFolder folder;
  write_surface(folder / "pan.obj",
                test::joined(test::icosphere(3, 100.0), test::box_surface({50, -1, -1}, {300, 1, 1})));
  const Scene scene = scene_with(folder, R"("mesh": "pan.obj", "fixed": "bottom")");
  ASSERT_GE(scene.warnings.size(), 2U);
  EXPECT_TRUE(contains(scene.warnings.front(), "bodies[0].mesh: ")) << scene.warnings.front();
  EXPECT_TRUE(contains(scene.warnings.front(), "use more cells, as ")) << scene.warnings.front();
  EXPECT_TRUE(contains(scene.warnings.back(), R"("unit": "mm")")) << scene.warnings.back();
  EXPECT_EQ(scene_with(folder, R"("mesh": "pan.obj", "unit": "m")").warnings.size(),
            scene.warnings.size() - 1);
}

TEST(SceneSurface, OfGltfStandsByItsY) {
  const ScratchFolder folder;
  write_surface(folder / "ball.glb", test::icosphere(2, 0.2));
  write_surface(folder / "ball.off", test::icosphere(2, 0.2));
  EXPECT_EQ(scene_with(folder, R"("mesh": "ball.glb")", R"(, "gravity": 9.81)").gravity,
            Vector3(0.0, -9.81, 0.0));
  EXPECT_EQ(scene_with(folder, R"("mesh": "ball.off")", R"(, "gravity": 9.81)").gravity,
            Vector3(0.0, 0.0, -9.81));
}

TEST(SceneSurface, HasAUnitAsMeshesHave) {
  const ScratchFolder folder;
  write_mesh(folder / "beam.msh", make_beam({.size = {10.0, 2.0, 2.0}, .cells = {4, 1, 1}}));
  write_surface(folder / "skin.obj", test::box_surface({0, -1, -1}, {10, 1, 1}));
  const Scene scene = scene_with(folder, R"("mesh": "beam.msh", "render": "skin.obj", "unit": "in")");
  const BoundingBox mesh = bounding_box(scene.bodies[0].mesh), drawn = bounding_box(scene.bodies[0].render);
  EXPECT_NEAR((mesh.max - mesh.min).x(), 0.254, 1e-12);
  EXPECT_NEAR((drawn.max - drawn.min).x(), 0.254, 1e-12);
  for (const char* name : {"builtin:beam", "builtin:oak"})
    EXPECT_TRUE(contains(
        error_text([&] {
          scene_with(folder, fmt::format(R"("mesh": "{}", "method": "reduced", "unit": "cm")", name));
        }),
        "bodies[0].unit: a body made by code, which is in metres, has no use for it"));
}

TEST(SceneSurface, ThatIsASheetIsRefusedAtItsKey) {
  const ScratchFolder folder;
  SurfaceMesh sheet = test::without(test::icosphere(3, 1.0), [](int) { return false; });
  for (Index v = 0; v < sheet.vertex_count(); ++v)
    sheet.vertices(2, v) = 0.05 * std::sin(4.0 * sheet.vertices(0, v)) * std::cos(3.0 * sheet.vertices(1, v));
  const SurfaceMesh ball = test::icosphere(3, 1.0);
  sheet = test::without(sheet, [&](int t) { return ball.vertices(2, ball.triangles(0, t)) < 0.0; });
  write_surface(folder / "sheet.obj", sheet);
  const std::string said = error_text([&] { scene_with(folder, R"("mesh": "sheet.obj")"); });
  EXPECT_TRUE(contains(said, "bodies[0].mesh: sheet: it is a sheet")) << said;
}

}  // namespace
}  // namespace limber::scene_surface_test
