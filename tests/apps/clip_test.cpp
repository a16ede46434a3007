// Clips in the viewer: what limber view and limber export take, and what they refuse in one line.

#include "limber/io/gltf.hpp"
#include "limber/io/gltf_container.hpp"
#include "tests/apps/support.hpp"
#include "tests/mesh/shapes.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <limits>

namespace limber::clip_test {
namespace {

#ifdef LIMBER_VIEWER_PAGE

using nlohmann::json;
using test::contains;
using test::expect_refused;
using test::run_limber;
using test::ScratchFolder;

/// A clip that another program might write: a triangle that a node carries along x.
class RigidClip {
 public:
  RigidClip() {
    Eigen::Matrix3Xf corners(3, 3);
    corners << 0, 1, 0, 0, 0, 1, 0, 0, 0;
    const std::vector<std::uint32_t> order{0, 1, 2};
    const int positions = builder_.add_floats(corners, true), indices = builder_.add_indices(order);
    builder_.document["meshes"] = {
        {{"primitives", {{{"attributes", {{"POSITION", positions}}}, {"indices", indices}}}}}};
    builder_.document["nodes"] = {{{"mesh", 0}, {"name", "triangle"}}};
    builder_.document["scenes"] = {{{"nodes", {0}}}};
    builder_.document["scene"] = 0;
  }

  /// A channel with these numbers, 3 for each time.
  RigidClip& animate(const std::vector<float>& times, const Eigen::MatrixXf& values,
                     const char* path = "translation") {
    const Eigen::Map<const Eigen::RowVectorXf> row(times.data(), static_cast<Index>(times.size()));
    const int input = builder_.add_floats(row, false), output = builder_.add_floats(values, false);
    builder_.document["animations"] = {
        {{"samplers", {{{"input", input}, {"output", output}}}},
         {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", path}}}}}}}};
    return *this;
  }

  void write(const ScratchFolder& folder, const std::string& name) const {
    write_file(folder / name, builder_.encode(name));
  }

 private:
  GlbBuilder builder_;
};

/// The motion of a small beam, clip.glb in the folder, and its model, m.glb.
void make_clip(const ScratchFolder& folder) {
  const auto reduced = run_limber(
      folder.path(), fmt::format("reduce '{}' -o m.glb --modes 3 --rank 4 --no-check", test::tiny_beam_name));
  ASSERT_EQ(reduced.status, 0) << reduced.err;
  const auto moved = run_limber(folder.path(), "simulate m.glb -o clip.glb --seconds 0.1");
  ASSERT_EQ(moved.status, 0) << moved.err;
}

TEST(Clips, AreExportedWithTheirNameAndAllOfTheirBytes) {
  const ScratchFolder folder;
  make_clip(folder);
  const auto result = run_limber(folder.path(), "export clip.glb -o page.html --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["model_bytes"], read_file(folder / "clip.glb").size());
  const std::string html = read_file(folder / "page.html");
  EXPECT_TRUE(contains(html, "data-name=\"clip.glb\">Z2xURg"));
  EXPECT_TRUE(contains(html, "<title>clip - limber</title>"));
}

TEST(Clips, OfOtherProgramsAreTaken) {
  const ScratchFolder folder;
  RigidClip().animate({0.0F, 1.0F}, Eigen::MatrixXf::Random(3, 2)).write(folder, "slide.glb");
  const auto result = run_limber(folder.path(), "export slide.glb -o page.html");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(Clips, AreNotWhatHasNoAnimation) {
  const ScratchFolder folder;
  write_file(folder / "ball.glb", encode_glb(test::icosphere(2, 0.5), "ball.glb"));
  const auto result =
      run_limber(folder.path(), "export ball.glb -o page.html --cells 6 --modes 3 --rank 4 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(json::parse(result.out)["model_bytes"], read_file(folder / "ball.glb").size())
      << "a surface becomes a body";
}

TEST(Clips, AreShownAloneAndAsTheyAre) {
  const ScratchFolder folder;
  make_clip(folder);
  expect_refused(folder, "export clip.glb m.glb -o page.html", "clip.glb: is a clip, which is shown alone");
  expect_refused(folder, "export clip.glb -o page.html --hold top", "--hold: a model, a clip or a scene");
  expect_refused(folder, "export clip.glb -o page.html --up z", "--up: a model, a clip or a scene");
}

TEST(Clips, ThatCannotBePlayedAreRefused) {
  const ScratchFolder folder;
  const auto refuse = [&](const RigidClip& clip, const std::string& message) {
    clip.write(folder, "bad.glb");
    expect_refused(folder, "export bad.glb -o page.html", message);
    expect_refused(folder, "view bad.glb --no-open", message);
  };
  const Eigen::MatrixXf two = Eigen::MatrixXf::Random(3, 2);
  refuse(RigidClip().animate({1.0F, 0.5F}, two), "ascending times");
  refuse(RigidClip().animate({0.0F, 1.0F, 2.0F}, two), "expected");
  refuse(RigidClip().animate({0.0F, 1.0F}, Eigen::MatrixXf::Random(1, 2), "weights"),
         "animates the weights of a node that has none");
}

TEST(Clips, WithNumbersThatAreNotFiniteAreRefused) {
  const ScratchFolder folder;
  constexpr float mark = 12345.0F;
  RigidClip().animate({0.0F, 1.0F}, Eigen::MatrixXf::Constant(3, 2, mark)).write(folder, "bad.glb");
  const auto bytes = [](float number) {
    return std::string(std::bit_cast<std::array<char, 4>>(number).data(), 4);
  };
  std::string content = read_file(folder / "bad.glb");
  content.replace(content.rfind(bytes(mark)), 4, bytes(std::numeric_limits<float>::infinity()));
  write_file(folder / "bad.glb", content);
  expect_refused(folder, "export bad.glb -o page.html", "bad.glb");
}

TEST(Clips, ThatAreCutShortAreRefused) {
  const ScratchFolder folder;
  make_clip(folder);
  const std::string content = read_file(folder / "clip.glb");
  for (const std::size_t kept : {std::size_t{30}, content.size() / 2, content.size() - 1}) {
    write_file(folder / "cut.glb", content.substr(0, kept));
    expect_refused(folder, "export cut.glb -o page.html", "cut.glb");
  }
}

TEST(Clips, WithTheirDataInOtherFilesBecomeOne) {
  const ScratchFolder folder;
  const RigidClip clip = RigidClip().animate({0.0F, 1.0F}, Eigen::MatrixXf::Random(3, 2));
  clip.write(folder, "walk.glb");
  const std::string content = read_file(folder / "walk.glb");
  const GltfContainer container(content, "walk.glb", {});
  json document = container.root().json();
  document["buffers"][0]["uri"] = "walk.bin";
  write_file(folder / "walk.gltf", document.dump());
  write_file(folder / "walk.bin", std::string(container.buffers()[0]));
  const auto page_of = [&](const char* name) {
    const auto result = run_limber(folder.path(), fmt::format("export {} -o page.html", name));
    EXPECT_EQ(result.status, 0) << result.err;
    return read_file(folder / "page.html");
  };
  EXPECT_TRUE(page_of("walk.gltf") == page_of("walk.glb"));
  std::filesystem::remove(folder / "walk.bin");
  expect_refused(folder, "export walk.gltf -o other.html", "walk");
}

#endif

}  // namespace
}  // namespace limber::clip_test
