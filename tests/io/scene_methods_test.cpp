// Every body of a scene file has a method of its own, which decides what its keys mean.

#include "limber/base/error.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>

namespace limber::scene_methods_test {
namespace {

using nlohmann::json;

/// A beam that is held at its left end.
json beam_of(const std::string& method) {
  return {{"method", method},
          {"mesh", "builtin:beam?size=1,0.2,0.2&cells=2,1,1"},
          {"material", {{"young", 1e5}, {"poisson", 0.3}}},
          {"fixed", {{"where", "x < 0.1"}}}};
}

json tree_of(const std::string& method) {
  json body = beam_of(method);
  body["domains"] = {{"from", "auto"}, {"count", 2}};
  return body;
}

json scene_of(std::initializer_list<json> bodies) {
  return {{"bodies", bodies}, {"solver", {{"type", "dynamic"}, {"timestep", 0.01}, {"steps", 3}}}};
}

Scene parse(const json& scene, const std::filesystem::path& folder = {}, const SceneUse& use = {}) {
  return parse_scene(scene.dump(), folder, "scene.json", use);
}

std::string error_of(const json& scene, const std::filesystem::path& folder = {}, const SceneUse& use = {}) {
  return test::error_text([&] { (void)parse(scene, folder, use); });
}

TEST(SceneMethods, IsFullWhereNothingIsSaid) {
  json scene = scene_of({beam_of("full")});
  scene["bodies"][0].erase("method");
  EXPECT_EQ(parse(scene).bodies[0].method, Method::full);
}

TEST(SceneMethods, BelongToBodies) {
  const Scene scene = parse(scene_of({beam_of("full"), beam_of("online"), beam_of("reduced"),
                                      beam_of("linear"), beam_of("warped"), tree_of("linear")}));
  ASSERT_EQ(scene.bodies.size(), 6u);
  for (std::size_t i = 0; i < all_methods.size(); ++i) {
    EXPECT_EQ(scene.bodies[i].method, all_methods[i]);
    EXPECT_FALSE(scene.bodies[i].domains) << i;
  }
  EXPECT_EQ(scene.bodies[5].method, Method::linear);
  EXPECT_TRUE(scene.bodies[5].domains);
}

TEST(SceneMethods, AreRefusedByTheTypeOfTheSolver) {
  json scene = scene_of({beam_of("full"), beam_of("reduced")});
  scene["solver"]["type"] = "quasistatic";
  EXPECT_PRED2(
      test::contains, error_of(scene),
      "scene.json: bodies[1].method is 'reduced', but a quasistatic solver takes 'full' or 'online'");
  scene = scene_of({beam_of("reduced"), beam_of("online")});
  scene["solver"] = {{"type", "static"}};
  EXPECT_PRED2(test::contains, error_of(scene), "bodies[1].method is 'online', which learns from steps");
}

TEST(SceneMethods, HaveNoSecondName) {
  json scene = scene_of({beam_of("full")});
  scene["solver"]["order"] = "reduced";
  EXPECT_PRED2(test::contains, error_of(scene), "scene.json: solver: unknown key 'order'");
  scene = scene_of({beam_of("full")});
  scene["bodies"][0]["material"]["model"] = "stvk";
  EXPECT_PRED2(test::contains, error_of(scene), "bodies[0].material: unknown key 'model'");
  scene = scene_of({beam_of("reduced")});
  scene["bodies"][0]["basis"] = {{"order", 1}};
  EXPECT_PRED2(test::contains, error_of(scene), "bodies[0].basis: unknown key 'order'");
  scene = scene_of({beam_of("domains")});
  EXPECT_PRED2(test::contains, error_of(scene), "bodies[0].method is \"domains\", expected one of");
}

TEST(SceneMethods, DecideWhichKeysOfABodyHaveAUse) {
  json scene = scene_of({beam_of("full"), beam_of("warped")});
  scene["bodies"][1]["coriolis"] = true;
  scene["bodies"][1]["basis"] = {{"modes", 4}};
  scene["bodies"][0]["material"]["law"] = "neo-hookean";
  EXPECT_TRUE(parse(scene).bodies[1].coriolis);
  json wrong = scene;
  wrong["bodies"][0]["coriolis"] = true;
  EXPECT_PRED2(
      test::contains, error_of(wrong),
      "scene.json: bodies[0].coriolis: a dynamic body of the method 'full' has no use for it (used by "
      "dynamic 'warped')");
  wrong = scene;
  wrong["bodies"][1]["material"]["law"] = "stvk";
  EXPECT_PRED2(
      test::contains, error_of(wrong),
      "bodies[1].material.law: a dynamic body of the method 'warped' has no use for it (used by static "
      "'full', 'reduced', reduced trees of domains; dynamic 'full', 'online', 'reduced', reduced trees "
      "of domains; quasistatic 'full', 'online')");
}

TEST(SceneMethods, OfOneBodySufficeForKeysBesideTheBodies) {
  json scene = scene_of({beam_of("warped"), beam_of("full"), beam_of("online")});
  scene["solver"]["beta"] = 0.3;
  scene["solver"]["online"] = {{"error", 0.1}};
  scene["output"]["timeline"] = "steps.svg";
  EXPECT_EQ(parse(scene).solver.newmark.beta, 0.3);
  scene = scene_of({beam_of("warped"), beam_of("linear"), beam_of("warped")});
  scene["solver"]["beta"] = 0.3;
  EXPECT_PRED2(test::contains, error_of(scene),
               "solver.beta: a dynamic scene of the methods 'warped' and 'linear' has no use for it (used by "
               "dynamic 'full', 'online', 'reduced', trees of domains)");
  scene = scene_of({beam_of("warped"), tree_of("reduced"), tree_of("linear")});
  scene["solver"]["online"] = {{"error", 0.1}};
  EXPECT_PRED2(test::contains, error_of(scene),
               "solver.online: a dynamic scene of the method 'warped' and with trees of domains and with "
               "linear trees of domains has no use for it");
}

TEST(SceneMethods, ShareAnIntegratorThatAllOfThemTake) {
  const auto with = [](std::initializer_list<json> bodies, const char* integrator) {
    json scene = scene_of(bodies);
    scene["solver"]["integrator"] = integrator;
    return scene;
  };
  const json full = beam_of("full"), reduced = beam_of("reduced"), linear = beam_of("linear"),
             warped = beam_of("warped"), tree = tree_of("reduced");
  EXPECT_EQ(parse(with({linear, warped}, "exact")).solver.modal_integrator, ModalIntegrator::exact);
  EXPECT_EQ(parse(with({linear}, "semi-implicit")).solver.modal_integrator, ModalIntegrator::semi_implicit);
  EXPECT_EQ(parse(with({full, reduced}, "central-differences")).solver.integrator,
            Integrator::central_differences);
  EXPECT_EQ(parse(with({full, warped, tree}, "newmark")).solver.integrator, Integrator::newmark);
  EXPECT_PRED2(
      test::contains, error_of(with({warped, full}, "exact")),
      "scene.json: solver.integrator is 'exact', but bodies[1] moves by the method 'full', which takes "
      "'newmark', 'central-differences'; take one that all bodies do");
  EXPECT_PRED2(test::contains, error_of(with({full, warped}, "central-differences")),
               "bodies[1] moves by the method 'warped', which takes 'newmark', 'semi-implicit', 'exact'");
  EXPECT_PRED2(test::contains, error_of(with({full, tree}, "central-differences")),
               "bodies[1] moves as a tree of domains by the method 'reduced', which takes 'newmark'");
  EXPECT_PRED2(test::contains, error_of(with({full, beam_of("online")}, "central-differences")),
               "bodies[1] moves by the method 'online', which takes 'newmark'");
}

TEST(SceneMethods, OnlineHasKeyElementsForItsOwnLawOnly) {
  json scene = scene_of({beam_of("full"), beam_of("online")});
  scene["bodies"][0]["material"]["law"] = "neo-hookean";
  scene["solver"]["online"] = {{"seed", 3}};
  EXPECT_PRED2(test::contains, error_of(scene), "solver.online.seed: the motion of the law stvk");
  scene["bodies"][1]["material"]["law"] = "neo-hookean";
  EXPECT_EQ(parse(scene).solver.online.seed, 3u);
}

TEST(SceneMethods, AllFlyAndFeelTheWind) {
  json scene = scene_of(
      {beam_of("full"), beam_of("online"), beam_of("reduced"), beam_of("linear"), beam_of("warped")});
  for (json& body : scene["bodies"]) {
    body["fixed"] = "none";
    body["velocity"] = {1, 2, 3};
    body["angular_velocity"] = {0, 0, 1};
    body["wind"] = {{"velocity", {4, 0, 0}}, {"gusts", 0.5}};
  }
  for (const SceneBody& body : parse(scene).bodies) {
    EXPECT_TRUE(body.fixed.empty());
    EXPECT_EQ(body.velocity, Vector3(1, 2, 3));
    EXPECT_EQ(body.angular_velocity, Vector3(0, 0, 1));
    EXPECT_EQ(body.wind.velocity, Vector3(4, 0, 0));
  }
}

TEST(SceneMethods, OfTheAnimationOfOneTreeNeedNoTolerance) {
  json scene = scene_of({tree_of("reduced"), tree_of("reduced")});
  scene["output"] = {{"animation", "a.glb"}, {"animation_tolerance", 0.01}};
  EXPECT_EQ(parse(scene).output.animation_tolerance, 0.01);
  scene["bodies"].erase(1);
  EXPECT_PRED2(test::contains, error_of(scene),
               "output.animation_tolerance: the animation of one tree, which is exact, has no use for it");
}

/// Writes the model of a beam; returns its body.
json write_beam(const test::ScratchFolder& folder, bool keep_mesh = true) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {2, 1, 1}});
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 0.1) fixed.push_back(v);
  }
  const FullModel full(mesh, {{make_law("stvk", lame_from_young(1e5, 0.3)), 1000.0}}, fixed,
                       {MassKind::consistent, Executor(1)});
  ReduceOptions options;
  options.basis.modes = options.basis.rank = 4;
  ReduceReport report;
  ReducedModel reduced = reduce(full, {}, {}, options, report);
  if (!keep_mesh) reduced.simulation.reset();
  write_model(folder / "beam.glb", make_model(std::move(reduced), false));
  return {{"method", "reduced"}, {"model", "beam.glb"}};
}

TEST(SceneMethods, TakeAModelWithOneDomain) {
  const test::ScratchFolder folder;
  json scene = scene_of({write_beam(folder)});
  for (const char* method : {"reduced", "linear", "warped", "full", "online"}) {
    scene["bodies"][0]["method"] = method;
    const SceneBody body = parse(scene, folder.path()).bodies[0];
    ASSERT_NE(body.model, nullptr) << method;
    EXPECT_EQ(body.model->domain_count(), 1) << method;
    EXPECT_FALSE(body.domains) << method;
    EXPECT_EQ(body.mesh.vertex_count(), 12) << method;
    EXPECT_EQ(body.fixed.vertices.size(), 4u) << method;
    EXPECT_EQ(body.materials.size(), 1u) << method;
    EXPECT_GT(body.render.triangle_count(), 0) << method;
  }
}

TEST(SceneMethods, RefuseWhatAModelMakesUseless) {
  const test::ScratchFolder folder;
  const json scene = scene_of({write_beam(folder)});
  json wrong = scene;
  wrong["bodies"][0]["domains"] = {{"stiffness", {{"beam", 2}}}};
  EXPECT_PRED2(test::contains, error_of(wrong, folder.path()),
               "bodies[0].domains: a reduced model, which is one domain, has no use for it");
  wrong = scene;
  wrong["bodies"][0]["mesh"] = "builtin:beam";
  EXPECT_PRED2(test::contains, error_of(wrong, folder.path()),
               "bodies[0].mesh: a body with 'model' and the method 'reduced' has no use for it");
  wrong["bodies"][0]["method"] = "full";
  EXPECT_PRED2(test::contains, error_of(wrong, folder.path()),
               "bodies[0].model: a body with 'mesh' and the method 'full' has no use for it");
}

TEST(SceneMethods, OfMeshesNeedTheMeshOfAModel) {
  const test::ScratchFolder folder;
  json scene = scene_of({write_beam(folder, false)});
  EXPECT_EQ(parse(scene, folder.path()).bodies[0].mesh.vertex_count(), 0);
  scene["bodies"][0]["method"] = "online";
  EXPECT_PRED2(test::contains, error_of(scene, folder.path()),
               "bodies[0].model: it was kept without its mesh; give 'mesh' too for the methods 'full' and "
               "'online'");
}

TEST(SceneMethods, BesideTheOwnOneHaveAUseForKeys) {
  const test::ScratchFolder folder;
  json scene = scene_of({write_beam(folder)});
  scene["bodies"][0]["mesh"] = beam_of("full")["mesh"];
  scene["bodies"][0]["material"] = beam_of("full")["material"];
  const SceneBody body = parse(scene, folder.path(), {.methods = {Method::full}}).bodies[0];
  EXPECT_EQ(body.method, Method::reduced);
  EXPECT_NE(body.model, nullptr);
  EXPECT_GT(body.mesh.element_count(), 0);

  scene = scene_of({beam_of("full")});
  scene["bodies"][0]["basis"] = {{"modes", 3}};
  scene["bodies"][0]["coriolis"] = true;
  EXPECT_NO_THROW((void)parse(scene, {}, {.methods = {Method::reduced, Method::warped}}));
  EXPECT_PRED2(test::contains, error_of(scene, {}, {.methods = {Method::reduced}}),
               "bodies[0].coriolis: a dynamic body of the methods 'full' and 'reduced' has no use for it");
}

TEST(SceneMethods, MayCutTheMeshOfABodyThatIsNoTreeByItself) {
  json scene = scene_of({tree_of("full")});
  EXPECT_PRED2(
      test::contains, error_of(scene, {}, {.methods = {Method::reduced}}),
      "bodies[0].domains: it makes the body a tree of domains, which the method 'full' does not move");
  const SceneBody body = parse(scene, {}, {.domains = true}).bodies[0];
  EXPECT_EQ(body.method, Method::full);
  ASSERT_TRUE(body.domains);
  EXPECT_EQ(body.domains->count, 2);
  EXPECT_PRED2(
      test::contains,
      [&] {
        scene["bodies"][0]["coriolis"] = true;
        return error_of(scene, {}, {.domains = true});
      }(),
      "coriolis: a dynamic body of the method 'full' and as a tree of domains has no use for it");
}

}  // namespace
}  // namespace limber::scene_methods_test
