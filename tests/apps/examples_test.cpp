// Every scene in examples/scenes runs: with the coarsest meshes that its bodies have, small subspaces and two
// steps. What is in the folder is what is tested.
#include "limber/base/file.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/bodies/part_tree.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

#include <regex>

namespace limber::examples_test {
namespace {

using nlohmann::json;
using test::run_limber;
using test::ScratchFolder;
namespace fs = std::filesystem;

const fs::path examples = fs::path(LIMBER_SOURCE_DIR) / "examples";

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(examples / "scenes")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The name of a body with as few cells as it allows; a beam with a few in place of many.
std::string coarse(const std::string& mesh) {
  if (mesh == "builtin:oak") return mesh + "?leaves=10";
  if (mesh.starts_with("builtin:beam"))
    return std::regex_replace(mesh, std::regex(R"(cells=\d+,\d+,\d+)"), "cells=4,4,12");
  if (!is_builtin(mesh) || is_builtin_tree(mesh) || mesh.find('?') != std::string::npos) return mesh;
  const std::string refusal = test::error_text([&] { (void)make_builtin(mesh + "?cells=1"); });
  std::smatch least;
  EXPECT_TRUE(std::regex_search(refusal, least, std::regex(R"(from (\d+) to)"))) << refusal;
  return mesh + "?cells=" + least.str(1);
}

/// Takes out what starts after the run.
void drop_late(json& scene) {
  const double end = scene["solver"]["steps"].get<int>() * scene["solver"]["timestep"].get<double>();
  for (json& body : scene["bodies"]) {
    for (const char* key : {"loads", "constraints"}) {
      if (!body.contains(key)) continue;
      json early = json::array();
      for (const json& one : body[key]) {
        if (one.value("from", 0.0) < end) early.push_back(one);
      }
      body[key] = early;
    }
  }
}

void shorten(json& scene) {
  for (json& body : scene["bodies"]) {
    if (body.contains("mesh")) body["mesh"] = coarse(body["mesh"]);
    if (body.contains("basis")) body["basis"].update({{"modes", 8}});
    if (body.contains("domains") && body["domains"].contains("rank")) body["domains"]["rank"] = 4;
  }
  if (scene.contains("solver") && scene["solver"].contains("steps")) {
    scene["solver"]["steps"] = 2;
    drop_late(scene);
  }
  scene["output"].erase("every");
}

class Example : public testing::TestWithParam<std::string> {};

TEST_P(Example, RunsShortened) {
  const ScratchFolder folder;
  fs::copy(examples / "motions", folder / "motions");
  fs::create_directory(folder / "scenes");
  json scene = json::parse(read_file(examples / "scenes" / (GetParam() + ".json")));
  shorten(scene);
  write_file(folder / "scenes/scene.json", scene.dump());
  const auto result =
      run_limber(folder.path(), "simulate scenes/scene.json --output-dir out --json --threads 1");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["status"], "converged");
  EXPECT_EQ(report["steps"], scene.value("solver", json::object()).value("steps", 1));
  EXPECT_GE(report["outputs"].size(), 1u);
  for (const json& output : report["outputs"])
    EXPECT_GT(fs::file_size(folder.path() / output.get<std::string>()), 0u) << output;
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(scene_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace limber::examples_test
