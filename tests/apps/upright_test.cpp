// Whatever way a file has up, the body stands in its picture, its model file, its clip and its page.

#include "limber/base/words.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/surface_file.hpp"
#include "tests/apps/support.hpp"
#include "tests/mesh/shapes.hpp"

#include <nlohmann/json.hpp>
#include <png.h>

namespace limber::upright_test {
namespace {

using nlohmann::json;
using test::contains;
using test::expect_refused;
using test::run_limber;
using test::ScratchFolder;

/// Three times as tall as wide along one axis.
SurfaceMesh tall(UpAxis up) {
  SurfaceMesh ball = test::icosphere(2, 0.2);
  ball.vertices.row(static_cast<Index>(up)) *= 3.0;
  return ball;
}

/// Rows and columns of a picture between which it is darker than its background, and not a shadow on the
/// ground: the body is bluish, or orange where it is held; all else is grey.
struct Seen {
  int width = 0, height = 0;
};

/// share: of its width from the left, where no scale of colours is.
Seen seen_in(const std::filesystem::path& file, double share = 1.0) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&header, file.c_str()), 0) << header.message;
  header.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(header));
  EXPECT_NE(png_image_finish_read(&header, nullptr, rgb.data(), 0, nullptr), 0) << header.message;
  int left = static_cast<int>(header.width), right = 0, top = static_cast<int>(header.height), bottom = 0;
  for (int y = 0; y < static_cast<int>(header.height); ++y) {
    for (int x = 0; x < static_cast<int>(share * header.width); ++x) {
      const std::uint8_t* p =
          &rgb[3 * (static_cast<std::size_t>(y) * header.width + static_cast<std::size_t>(x))];
      if (std::abs(p[0] - p[2]) < 25) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
  }
  return {right - left, bottom - top};
}

/// The axis of the largest extent of a glTF file, as any program sees it.
int tallest_axis(const std::filesystem::path& glb) {
  const BoundingBox box = bounding_box(read_surface(glb));
  Index axis = 0;
  (box.max - box.min).maxCoeff(&axis);
  return static_cast<int>(axis);
}

struct Case {
  std::string file, option;
  UpAxis up;
};

class Upright : public testing::TestWithParam<Case> {};

TEST_P(Upright, InPictureModelClipAndPage) {
  const auto& [file, option, up] = GetParam();
  const ScratchFolder folder;
  write_surface(folder / file, tall(up));
  const std::string name(word_of(up, up_axis_words));
  const auto result = run_limber(
      folder.path(),
      fmt::format("reduce {} {} -o body.glb --cells 14 --modes 4 --rank 6 --picture body.png --json", file,
                  option));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["up"], name);
  const Seen held = seen_in(folder / "body.png");
  EXPECT_GT(held.height, 2 * held.width);

  const Model model = read_model(folder / "body.glb");
  EXPECT_EQ(model.up, up);
  const SimulationMesh& mesh = *model.parts.front().model.simulation;
  ASSERT_FALSE(mesh.fixed.empty());
  for (const int v : mesh.fixed)
    EXPECT_LT(direction_of(up).dot(mesh.mesh.vertices.col(v)), -0.5) << "it stands on what holds it";
  EXPECT_EQ(tallest_axis(folder / "body.glb"), 1) << "in glTF up is y";

  ASSERT_EQ(run_limber(folder.path(), "inspect body.glb --picture model.png").status, 0);
  const Seen drawn = seen_in(folder / "model.png");
  EXPECT_GT(drawn.height, 2 * drawn.width);

  const auto run = run_limber(folder.path(), "simulate body.glb -o clip.glb --seconds 0.2");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(tallest_axis(folder / "clip.glb"), 1);
}

TEST_P(Upright, InSceneByTheSameUp) {
  const auto& [file, option, up] = GetParam();
  const ScratchFolder folder;
  write_surface(folder / file, tall(up));
  ASSERT_EQ(run_limber(folder.path(),
                       fmt::format("reduce {} {} -o body.glb --cells 14 --modes 4 --rank 6", file, option))
                .status,
            0);
  write_file(folder / "scene.json",
             R"({"gravity": 9.81, "bodies": [{"model": "body.glb", "method": "reduced"}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 5},
    "output": {"picture": "scene.png", "animation": "scene.glb"}})");
  const auto run = run_limber(folder.path(), "simulate scene.json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(tallest_axis(folder / "scene.glb"), 1);
  const Seen drawn = seen_in(folder / "scene.png", 0.8);
  EXPECT_GT(drawn.height, 2 * drawn.width);
  const json found = json::parse(run_limber(folder.path(), "inspect scene.json --json").out);
  EXPECT_NEAR(found["gravity"][static_cast<std::size_t>(up)].get<double>(), -9.81, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(FromFiles, Upright,
                         testing::Values(Case{"y_up.obj", "--up y", UpAxis::y},
                                         Case{"y_up.glb", "", UpAxis::y}, Case{"z_up.stl", "", UpAxis::z},
                                         Case{"x_up.off", "--up x", UpAxis::x}),
                         [](const auto& one) {
                           std::string name = one.param.file;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(Up, OfAVolumeMeshAndItsModes) {
  const ScratchFolder folder;
  write_mesh(folder / "beam.msh", make_beam({.size = {0.2, 1.0, 0.2}, .cells = {2, 8, 2}}));
  const auto result =
      run_limber(folder.path(), "modes beam.msh --up y --hold bottom --count 1 --picture m.png --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["up"], "y");
  EXPECT_EQ(json::parse(result.out)["held"]["vertices"], 9);
  const Seen drawn = seen_in(folder / "m.png", 0.8);
  EXPECT_GT(drawn.height, drawn.width);
  expect_refused(folder, "modes beam.msh --up w", "--up: unknown axis 'w'");
  expect_refused(folder, "modes builtin:beam --up y", "--up: a body that is made here");
  expect_refused(folder, "inspect beam.msh --up y", "--up: a description without --picture");
}

TEST(Up, BringsGravityToTheGround) {
  const ScratchFolder folder;
  write_surface(folder / "ball.glb", test::icosphere(2, 0.2));
  ASSERT_EQ(run_limber(folder.path(), "reduce ball.glb -o m.glb --cells 6 --modes 3 --rank 4 --free").status,
            0);
  write_surface(folder / "ball.off", test::icosphere(2, 0.2));
  ASSERT_EQ(run_limber(folder.path(), "reduce ball.off -o z.glb --cells 6 --modes 3 --rank 4 --free").status,
            0);
  for (const char* what : {"m.glb", "z.glb --gravity 0,-9.81,0", "z.glb"}) {
    const auto run = run_limber(
        folder.path(), fmt::format("simulate {} -o clip.glb --ground -1 --seconds 1.5 --json", what));
    ASSERT_EQ(run.status, 0) << run.err;
    const json found = json::parse(run.out);
    EXPECT_TRUE(found.contains("contact")) << what;
    EXPECT_NEAR(found["bodies"][0]["max_displacement"].get<double>(), 0.8, 0.25)
        << what << ": 0.8 m above the ground, it would fall by 11 m without";
  }
}

TEST(Up, OfGltfIsToldByTheContentAndLostInMeshes) {
  const ScratchFolder folder;
  write_surface(folder / "ball.glb", test::icosphere(2, 0.2));
  std::filesystem::copy_file(folder / "ball.glb", folder / "ball.bin");
  EXPECT_EQ(json::parse(run_limber(folder.path(), "inspect ball.bin --json").out)["up"], "y");
  const auto meshed = run_limber(folder.path(), "mesh ball.glb -o ball.msh --cells 6");
  ASSERT_EQ(meshed.status, 0) << meshed.err;
  EXPECT_TRUE(contains(meshed.err, "y is up in ball.glb, which ball.msh does not hold: give --up y"))
      << meshed.err;
  ASSERT_EQ(run_limber(folder.path(), "reduce ball.msh -o m.glb --modes 3 --rank 4 --up y").status, 0);
  expect_refused(folder, "reduce ball.msh -o o.glb --modes 3 --rank 4 --render m.glb",
                 "m.glb: is a reduced model, which turns its surface");
}

TEST(Unit, IsAskedForAndScales) {
  const ScratchFolder folder;
  SurfaceMesh figurine = test::icosphere(2, 100.0);  // mm
  write_surface(folder / "figurine.stl", figurine);
  const std::string reduce = "reduce figurine.stl -o m.glb --cells 6 --modes 3 --rank 4 --json";
  const auto asked = run_limber(folder.path(), reduce);
  ASSERT_EQ(asked.status, 0) << asked.err;
  EXPECT_TRUE(contains(asked.err, "--unit mm")) << asked.err;
  const auto told = run_limber(folder.path(), reduce + " --unit mm");
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_FALSE(contains(told.err, "--unit")) << told.err;
  EXPECT_NEAR(json::parse(told.out)["size"][0].get<double>(), 0.2, 0.02);
  const BoundingBox box = bounding_box(read_model(folder / "m.glb").parts.front().model.surface.mesh);
  EXPECT_NEAR((box.max - box.min).x(), 0.2, 0.01);
  EXPECT_FALSE(contains(run_limber(folder.path(), reduce + " --unit m").err, "--unit"));
  expect_refused(folder, reduce + " --unit km", "--unit: unknown unit 'km'");
}

}  // namespace
}  // namespace limber::upright_test
