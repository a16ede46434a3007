#include "limber/io/mesh_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/io/vtu.hpp"
#include "tests/apps/support.hpp"

#include <array>

namespace limber::overwrite_test {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::run_limber;
using test::ScratchFolder;

/// A command that reads a file and would write to a name that stands for the same file.
struct Case {
  std::string input;    ///< that must survive
  std::string ending;   ///< that the output's name must have
  std::string command;  ///< with {} for the output's name
};

/// Files of every kind that commands read, in the folder of a test.
void write_inputs(const ScratchFolder& folder) {
  const VolumeMesh mesh = test::tiny_beam();
  for (const char* name : {"b.msh", "b.vtu", "b.node"}) write_mesh(folder / name, mesh);
  write_surface(folder / "s.obj", boundary_surface(mesh));
  write_sketch(folder / "sketch.json", std::vector<SketchForce>{{Vector3(1, 0, 0), Vector3(0, 0, -0.2)}});
  write_vtu(folder / "frame.vtu", mesh, {.displacement = 0.01 * mesh.vertices.colwise().reverse()});
  write_pvd(folder / "series.pvd", std::array{PvdEntry{0.0, "frame.vtu"}});
  write_file(folder / "include.veg", "*INCLUDE part.veg\n");
  write_mesh(folder / "part.veg", mesh);
  write_file(folder / "sets.json", R"({"left": [[0, 5]]})");
  std::string weights;
  for (Index v = 0; v < mesh.vertex_count(); ++v) weights += fmt::format("{},0,1\n", v);
  write_file(folder / "weights.csv", weights);
  const auto scene = [&](const char* name, std::string_view body, std::string_view rest) {
    write_file(folder / name, fmt::format(R"({{"bodies": [{{"name": "b", "mesh": "b.vtu", "fixed": {{"where":
      "x < 0.01"}}, "material": {{"young": 1e5, "poisson": 0.3}}{}}}], "gravity": [0, 0, -1], {}}})",
                                          body, rest));
  };
  const std::string_view dynamic = R"("solver": {"type": "dynamic", "timestep": 0.01, "steps": 2})";
  scene("scene.json", "", dynamic);
  scene("csv.json", "", R"("output": {"displacements": "out.csv"})");
  scene("png.json", "", R"("output": {"picture": "out.png"})");
  const std::string_view reduced = R"(, "method": "reduced", "basis": {{"modes": 0, "{}": "{}"}})";
  scene("sketched.json", fmt::format(fmt::runtime(reduced), "sketch", "sketch.json"), dynamic);
  scene("snapshot.json", fmt::format(fmt::runtime(reduced), "snapshots", "series.pvd"), dynamic);
  const std::string_view small = R"(, "method": "reduced", "basis": {"modes": 2, "rank": 2})";
  scene("trained.json",
        fmt::format(R"({}, "forces": {{"kind": "cubature", "points": 6, "training": "frame.vtu"}})", small),
        dynamic);
  for (const char* key : {"obstacles", "rigid"}) {
    scene(fmt::format("{}.json", key).c_str(), fmt::format(R"({}, "contact": {{}})", small),
          fmt::format(R"({}, "{}": [{{"shape": "mesh", "mesh": "s.obj", "position": [0, 0, -3]}}])", dynamic,
                      key));
  }
  scene("drawn.json", R"(, "render": "s.obj")", dynamic);
  fs::copy_file(LIMBER_SOURCE_DIR "/examples/motions/jump.gltf", folder / "jump.gltf");
  const std::string_view follow = R"("follow": {"file": "jump.gltf", "joint": "hips"})";
  scene("supported.json", fmt::format(R"(, "support": {{{}}})", follow), dynamic);
  scene("dragged.json", fmt::format(R"(, "constraints": [{{"nearest": [1, 0, 0], {}}}])", follow), dynamic);
  const auto skinned = [&](const char* name, std::string_view bone, std::string_view skin) {
    write_file(folder / name, fmt::format(R"({{"bodies": [{{"name": "b", "mesh": "b.vtu", "material":
      {{"young": 1e5, "poisson": 0.3}}, "skin": {{"bones": [{{"from": [0, 0, 0], "to": [1, 0, 0]{}}}], {}}}}}],
      "solver": {{"type": "quasistatic", "timestep": 0.01, "steps": 2}}}})",
                                          bone, skin));
  };
  skinned("weighed.json", "", R"("weights": "weights.csv")");
  skinned("boned.json", fmt::format(", {}", follow), R"("radius": 0.02)");
  write_file(folder / "assembly.json", fmt::format(R"({{"bodies": [{{"name": "b", "method": "reduced",
    "material": {{"young": 1e5, "poisson": 0.3}}, "domains": {{"rank": 3}}, "assembly": {{"parts": {{"bar":
    {{"mesh": "b.msh", "render": "s.obj", "fixed": {{"where": "x < 0.01"}}}}}},
    "instances": [{{"name": "one", "part": "bar"}}]}}}}], {}}})",
                                                   dynamic));
}

constexpr std::string_view held = "--fixed-where 'x < 0.01' --modes 2 --rank 2";

std::vector<Case> cases() {
  const std::string reduce = fmt::format("reduce b.msh -o {{}} {}", held);
  return {
      {"b.vtu", ".vtu", "modes b.vtu --free --count 1 -o {}"},
      {"b.ele", ".vtu", "modes b.node --free --count 1 -o {}"},
      {"b.vtu", ".png", "modes b.vtu --free --count 1 --picture {}"},
      {"b.msh", ".png", "inspect b.msh --picture {}"},
      {"b.vtu", ".png", "inspect scene.json --picture {}"},
      {"scene.json", ".png", "inspect scene.json --picture {}"},
      {"s.obj", ".msh", "mesh s.obj --cells 3 -o {}"},
      {"s.obj", ".node", "mesh s.obj --cells 3 -o {}"},
      {"s.obj", ".png", "mesh s.obj --cells 3 -o new.msh --picture {}"},
      {"b.msh", ".glb", reduce},
      {"sketch.json", ".glb", reduce + " --sketch sketch.json"},
      {"series.pvd", ".glb", reduce + " --snapshots series.pvd"},
      {"frame.vtu", ".glb", reduce + " --snapshots series.pvd"},
      {"frame.vtu", ".glb", reduce + " --forces cubature --training frame.vtu"},
      {"s.obj", ".glb", reduce + " --render s.obj"},
      {"part.veg", ".glb", fmt::format("reduce include.veg -o {{}} {}", held)},
      {"b.node", ".glb", fmt::format("reduce b.ele -o {{}} {}", held)},
      {"sets.json", ".glb", "reduce b.msh --free --rank 2 --domains sets.json -o {}"},
      {"s.obj", ".glb", "reduce b.msh --free --rank 2 --domains sets.json --render s.obj -o {}"},
      {"b.vtu", ".glb", "simulate scene.json -o {}"},
      {"scene.json", ".glb", "simulate scene.json -o {}"},
      {"sketch.json", ".glb", "simulate sketched.json -o {}"},
      {"frame.vtu", ".glb", "simulate snapshot.json -o {}"},
      {"frame.vtu", ".glb", "simulate trained.json -o {}"},
      {"s.obj", ".glb", "simulate obstacles.json -o {}"},
      {"s.obj", ".glb", "simulate rigid.json -o {}"},
      {"s.obj", ".glb", "simulate drawn.json -o {}"},
      {"jump.gltf", ".glb", "simulate supported.json -o {}"},
      {"jump.gltf", ".glb", "simulate dragged.json -o {}"},
      {"jump.gltf", ".glb", "simulate boned.json -o {}"},
      {"weights.csv", ".glb", "simulate weighed.json -o {}"},
      {"b.msh", ".glb", "simulate assembly.json -o {}"},
      {"s.obj", ".glb", "simulate assembly.json -o {}"},
      {"b.msh", ".glb", "reduce assembly.json -o {}"},
      {"b.vtu", ".checkpoint", "simulate scene.json --checkpoint {}"},
      {"scene.json", ".svg", "compare scene.json --basis modes --plot {}"},
      {"b.vtu", ".svg", "compare scene.json --basis modes --plot {}"},
      {"sketch.json", ".svg", "compare scene.json --basis sketch:sketch.json/exact --plot {}"},
  };
}

/// The refusal is one line, and all files are as they were.
void expect_spared(const ScratchFolder& folder, const std::string& input, const std::string& command) {
  const std::string before = read_file(folder / input);
  const auto files = test::files_in(folder.path());
  const test::CommandResult result = run_limber(folder.path(), command);
  EXPECT_EQ(result.status, 2) << command << ": " << result.err;
  EXPECT_TRUE(contains(result.err, "would overwrite the input")) << command << ": " << result.err;
  EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  EXPECT_TRUE(read_file(folder / input) == before) << command;
  EXPECT_EQ(test::files_in(folder.path()), files) << command;
}

TEST(Overwriting, OfWhatACommandReadIsRefusedByAnyName) {
  const ScratchFolder folder;
  write_inputs(folder);
  for (const Case& one : cases()) {
    const fs::path file = folder / one.input, symlink = folder / ("symlink" + one.ending),
                   hard = folder / ("hard" + one.ending);
    fs::create_symlink(file, symlink);
    fs::create_hard_link(file, hard);
    std::vector<std::string> names{symlink.string(), "./hard" + one.ending};
    if (file.extension() == one.ending) {
      names.push_back(file.string());
      names.push_back(fmt::format("../{}/./{}", folder.path().filename().string(), one.input));
    }
    for (const std::string& name : names)
      expect_spared(folder, one.input, fmt::format(fmt::runtime(one.command), name));
    fs::remove(symlink);
    fs::remove(hard);
  }
}

TEST(Overwriting, IsRefusedForFilesThatCommandsChooseThemselves) {
  const ScratchFolder folder;
  write_inputs(folder);
  // The other half of a mesh for TetGen.
  fs::create_symlink("s.obj", folder / "two.ele");
  expect_spared(folder, "s.obj", "mesh s.obj --cells 3 -o two.node");
  // A page in a folder for it.
  fs::create_directory(folder / "page");
  fs::create_symlink("../b.msh", folder / "page/index.html");
  expect_spared(folder, "b.msh", fmt::format("reduce b.msh -o m.glb --report page {}", held));
  // What a scene says, or what follows from the folder that its outputs go to.
  for (const char* name : {"csv", "png"}) {
    const std::string scene = fmt::format("{}.json", name), out = fmt::format("out.{}", name);
    fs::create_hard_link(folder / "b.vtu", folder / out);
    expect_spared(folder, "b.vtu", "simulate " + scene);
    fs::remove(folder / out);
    fs::create_directory(folder / "dir");
    fs::create_symlink("../b.vtu", folder / ("dir/" + out));
    expect_spared(folder, "b.vtu", "simulate --output-dir dir " + scene);
    fs::remove_all(folder / "dir");
  }
}

TEST(Overwriting, IsRefusedForASeriesWhoseFolderHoldsTheMesh) {
  const ScratchFolder folder;
  fs::create_directory(folder / "frames");
  write_mesh(folder / "frames/b_0000.vtu", test::tiny_beam());
  write_file(folder / "scene.json",
             R"({"bodies": [{"name": "b", "mesh": "frames/b_0000.vtu", "fixed": {"where":
    "x < 0.01"}, "material": {"young": 1e5, "poisson": 0.3}}], "output": {"vtu": "frames"}})");
  expect_spared(folder, "frames/b_0000.vtu", "simulate scene.json");
  fs::rename(folder / "frames/b_0000.vtu", folder / "frames/body.vtu");
  std::string scene = read_file(folder / "scene.json");
  scene.replace(scene.find("b_0000"), 6, "body");
  write_file(folder / "scene.json", scene);
  EXPECT_EQ(run_limber(folder.path(), "simulate scene.json").status, 0) << "other names are no danger";
}

TEST(Outputs, ThatGoToOneFileAreRefused) {
  const ScratchFolder folder;
  write_file(folder / "a.vtu", "old");
  fs::create_symlink("a.vtu", folder / "b.png");
  test::expect_refused(folder, fmt::format("modes '{}' -o a.vtu --picture b.png", test::tiny_beam_name),
                       "two outputs go to b.png");
}

}  // namespace
}  // namespace limber::overwrite_test
