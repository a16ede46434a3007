// What commands leave behind where writing fails, or the work itself.

#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::leftovers_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::contains;
using test::files_in;
using test::run_shell;
using test::ScratchFolder;

/// A beam that swings, with all outputs.
json swinging_beam() {
  return json::parse(fmt::format(R"({{
    "bodies": [{{"name": "b", "mesh": "{}", "loads": [{{"where": "x > 0.9", "force": [0, 0, 1]}}]}}],
    "solver": {{"type": "dynamic", "timestep": 0.01, "steps": 6, "threads": 1}},
    "output": {{"displacements": "u.csv", "vtu": "frames", "animation": "a.glb", "picture": "p.png"}}}})",
                                 test::tiny_beam_name));
}

/// Runs a command with files of at most so many blocks of 512 bytes.
test::CommandResult run_with_limit(const ScratchFolder& folder, int blocks, std::string_view command) {
  return run_shell(folder.path(), fmt::format("ulimit -f {}; limber {}", blocks, command));
}

TEST(Leftovers, OfAFullDiskAreNone) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", swinging_beam().dump());
  const std::string beam = fmt::format("'{}'", test::tiny_beam_name);
  ASSERT_EQ(test::run_limber(folder.path(), "reduce " + beam + " --rank 3 -o model.glb").status, 0);
  const auto before = files_in(folder.path());
  std::vector<std::string> commands = {"simulate scene.json",
                                       "simulate scene.json --output-dir new/deep",
                                       "simulate scene.json --checkpoint-every 0",
                                       "mesh " + beam + " -o m.msh",
                                       "mesh 'builtin:beam?cells=40,2,2' -o m.node",
                                       "modes " + beam + " -o m.vtu",
                                       "modes " + beam + " --picture m.png",
                                       "reduce " + beam + " -o m.glb",
                                       "reduce " + beam + " --domains auto:2 -o m.glb",
                                       "compare scene.json --basis modes --plot p.svg"};
#ifdef LIMBER_VIEWER_PAGE
  commands.push_back("export model.glb -o page.html");
#endif
  for (const std::string& command : commands) {
    const test::CommandResult result = run_with_limit(folder, 1, command);
    EXPECT_EQ(result.status, 1) << command << ": " << result.err;
    EXPECT_TRUE(contains(result.err, "cannot be written")) << command << ": " << result.err;
    EXPECT_EQ(files_in(folder.path()), before) << command;
  }
}

TEST(Leftovers, OfADiskThatIsFullAtTheLastAreNone) {
  const ScratchFolder folder;
  json scene = swinging_beam();
  scene["output"] = {{"displacements", "u.csv"},
                     {"picture", "p.png"}};  // a table that fits, a picture that does not
  write_file(folder / "scene.json", scene.dump());
  const auto before = files_in(folder.path());
  const test::CommandResult result = run_with_limit(folder, 8, "simulate scene.json");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "p.png: cannot be written")) << result.err;
  EXPECT_EQ(files_in(folder.path()), before);
}

TEST(Leftovers, OfAReportThatCannotBeWrittenAreTheModelAlone) {
  const ScratchFolder folder;
  const std::string reduce = fmt::format("reduce '{}' -o m.glb --rank 3 --report page", test::tiny_beam_name);
  fs::create_directories(folder / "page/index.html");  // where the last of its files goes
  const test::CommandResult result = run_shell(folder.path(), "limber " + reduce);
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_EQ(files_in(folder.path()), (std::set<std::string>{"m.glb", "page", "page/index.html"}));
}

TEST(Leftovers, OfASeriesThatCannotGoOnAreNone) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", swinging_beam().dump());
  fs::create_directories(folder / "frames/b_0003.vtu");  // no frame can take this place
  const auto before = files_in(folder.path());
  const test::CommandResult result = test::run_limber(folder.path(), "simulate scene.json");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "b_0003.vtu")) << result.err;
  EXPECT_EQ(files_in(folder.path()), before);
}

TEST(Leftovers, OfASeriesWithACheckpointAreWhatAResumeNeeds) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", swinging_beam().dump());
  fs::create_directories(folder / "frames/b_0003.vtu");
  const test::CommandResult result =
      test::run_limber(folder.path(), "simulate scene.json --checkpoint-every 0");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "--resume goes on from")) << result.err;
  EXPECT_TRUE(fs::exists(folder / "frames/b_0002.vtu"));
  fs::remove(folder / "frames/b_0003.vtu");
  EXPECT_EQ(test::run_limber(folder.path(), "simulate scene.json --resume").status, 0);
  EXPECT_TRUE(fs::exists(folder / "frames/b.pvd"));
}

TEST(Leftovers, OfASceneThatFailsAreItsFramesAndNoCheckpoint) {
  const ScratchFolder folder;
  json scene = swinging_beam();
  scene["bodies"][0]["loads"][0] = {{"where", "x > 0.9"}, {"force", {0, 0, 1e20}}};
  scene["solver"].update({{"integrator", "central-differences"}, {"timestep", 1e-5}});
  write_file(folder / "scene.json", scene.dump());
  const test::CommandResult result =
      test::run_limber(folder.path(), "simulate scene.json --checkpoint-every 0");
  ASSERT_EQ(result.status, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "the solve failed after")) << result.err;
  for (const std::string& name : files_in(folder.path()))
    EXPECT_TRUE(name == "scene.json" || name.starts_with("frames")) << name;
  EXPECT_TRUE(fs::exists(folder / "frames/b.pvd"));
}

}  // namespace
}  // namespace limber::leftovers_test
