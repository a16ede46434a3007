// Pressure and traction in scene files.

#include "limber/base/error.hpp"
#include "limber/io/scene_file.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace limber::scene_surface_loads_test {
namespace {

using nlohmann::json;

Scene read(const std::string& loads) {
  json scene = json::parse(R"({
    "bodies": [{"mesh": "builtin:beam?size=1,0.2,0.2&cells=3,1,1",
                "material": {"young": 1e5, "poisson": 0.3, "density": 1000}, "fixed": {"where": "x < 0.1"}}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 10}})");
  scene["bodies"][0]["loads"] = json::parse(loads);
  return parse_scene(scene.dump(), {}, "scene.json");
}

TEST(SceneSurfaceLoads, AreRead) {
  const Scene scene = read(R"([{"where": "x > 0.9", "force": [0, 0, 1]}, {"pressure": 30},
    {"where": "x > 0.9", "traction": [1, 2, 3], "from": 0.01, "to": 0.05}])");
  const std::vector<SceneSurfaceLoad>& loads = scene.bodies[0].surface_loads;
  EXPECT_EQ(scene.bodies[0].loads.size(), 1U);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].pressure, 30.0);
  EXPECT_TRUE(loads[0].traction.isZero(0.0));
  EXPECT_TRUE(loads[0].where.empty());
  EXPECT_EQ(loads[0].from, 0.0);
  EXPECT_EQ(loads[0].to, std::numeric_limits<double>::infinity());
  EXPECT_EQ(loads[0].number, 1U);
  EXPECT_EQ(loads[1].pressure, 0.0);
  EXPECT_EQ(loads[1].traction, Vector3(1, 2, 3));
  EXPECT_EQ(loads[1].where.where, "x > 0.9");
  EXPECT_EQ(loads[1].from, 0.01);
  EXPECT_EQ(loads[1].to, 0.05);
  EXPECT_EQ(loads[1].number, 2U);
}

TEST(SceneSurfaceLoads, AreOneOfFourKinds) {
  const auto refusal = [](const std::string& load) {
    return test::error_text([&] { (void)read("[" + load + "]"); });
  };
  const std::string where = "scene.json: bodies[0].loads[0]";
  const auto expect = [&](const std::string& load, const std::string& words) {
    EXPECT_TRUE(test::contains(refusal(load), where + words)) << refusal(load);
  };
  expect(R"({"pressure": 1, "traction": [1, 0, 0]})",
         ": 'pressure' and 'traction' exclude each other: give two loads");
  expect(R"({"where": "x > 0.9", "force": [1, 0, 0], "pressure": 1})",
         ": 'force' and 'pressure' exclude each other: give two loads");
  expect(R"({"where": "x > 0.9"})",
         ": 'force', 'total_force', 'acceleration', 'pressure' or 'traction' is missing");
  expect(R"({"vertices": [1, 2], "pressure": 1})",
         ": 'pressure' acts on triangles, not on single vertices; choose them by 'box' or 'where'");
  expect(R"({"nearest": [1, 0, 0], "traction": [1, 0, 0]})", ": 'traction' acts on triangles");
  expect(R"({"pressure": 0})", ".pressure: it is zero and does nothing; leave it out");
  expect(R"({"traction": [0, 0, 0]})", ".traction: it is zero and does nothing; leave it out");
  expect(R"({"pressure": 1, "from": 0.05, "to": 0.02})", ": it ends at 0.02 s, before it starts at 0.05 s");
  expect(R"({"pressure": 1e30})", ".pressure");
}

}  // namespace
}  // namespace limber::scene_surface_loads_test
