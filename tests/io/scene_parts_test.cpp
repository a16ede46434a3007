#include "limber/base/error.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/scene/body_tree.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace limber::scene_parts_test {
namespace {

using nlohmann::json;

/// Three links of a chain, children before their parents.
json chain_scene() {
  return json::parse(R"({
    "bodies": [{"name": "chain", "method": "reduced",
                "material": {"young": 1e5, "poisson": 0.3},
                "assembly": {
                  "parts": {
                    "link": {"mesh": "builtin:beam?size=0.3,0.06,0.06&cells=3,1,1",
                             "fixed": {"where": "x < 0.01"}, "rank": 4,
                             "sites": {"end": {"where": "x > 0.29"},
                                       "middle": {"near": [0.15, 0, 0], "radius": 0.02}}},
                    "weight": {"mesh": "builtin:beam?size=0.1,0.1,0.1&cells=1,1,1",
                               "material": {"young": 1e6, "poisson": 0.3, "density": 5000},
                               "fixed": {"where": "x < 0.01"}, "rigid": true}},
                  "instances": [
                    {"name": "third", "part": "link", "parent": "second", "site": "end", "position": [0.6, 0, 0],
                     "rotation": [0, 0, 0.6, 0.8], "scale": 0.5, "stiffness": 4},
                    {"name": "first", "part": "link"},
                    {"name": "bob", "part": "weight", "parent": "first", "site": "middle"},
                    {"name": "second", "part": "link", "parent": "first", "site": "end", "position": [0.3, 0, 0]}]},
                "domains": {"rank": 7, "inertia": "center", "stiffness": {"second": 2}, "rigid": ["third"]},
                "wind": {"velocity": [3, 0, 1], "gusts": 0.5, "drag": 1.2}}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 10}})");
}

/// A beam of ten cells in three domains.
json mesh_scene() {
  return json::parse(R"({
    "bodies": [{"name": "beam", "method": "reduced", "mesh": "builtin:beam?element=brick&size=1,0.1,0.1&cells=10,1,1",
                "material": {"young": 1e5, "poisson": 0.3},
                "fixed": {"where": "x < 0.01"},
                "domains": {"from": "sets", "sets": {"middle": [[3, 5], 6], "tip": [7, 8, 9]}, "total_rank": 30}}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 10}})");
}

Scene parse(const json& scene) { return parse_scene(scene.dump(), {}, "scene.json"); }

struct Refusal {
  std::function<void(json&)> change;  ///< of the scene
  std::string expected;               ///< in the message
};

void expect_refusals(const json& good, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    json scene = good;
    refusal.change(scene);
    EXPECT_PRED2(test::contains, test::error_text([&] { (void)parse(scene); }), refusal.expected);
  }
}

json& body_of(json& scene) { return scene["bodies"][0]; }
json& assembly_of(json& scene) { return scene["bodies"][0]["assembly"]; }
json& instance_of(json& scene, int i) { return scene["bodies"][0]["assembly"]["instances"][i]; }

TEST(SceneAssembly, IsSortedWithParentsFirst) {
  const PartTree parts = parse(chain_scene()).bodies[0].parts;
  ASSERT_EQ(parts.placements.size(), 4u);
  std::vector<std::string> names, parents;
  for (const Placement& placement : parts.placements) {
    names.push_back(placement.name);
    const bool root = placement.parent < 0;
    parents.push_back(root ? "" : parts.placements[static_cast<std::size_t>(placement.parent)].name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "third", "bob"}));
  EXPECT_EQ(parents, (std::vector<std::string>{"", "first", "second", "first"}));
  EXPECT_FALSE(parts.free);
}

TEST(SceneAssembly, HasItsPartsAndPlaces) {
  const SceneBody body = parse(chain_scene()).bodies[0];
  const PartTree& parts = body.parts;
  ASSERT_EQ(parts.parts.size(), 2u);
  const Part &link = parts.parts[0], &weight = parts.parts[1];
  EXPECT_EQ(link.name, "link");
  EXPECT_EQ(link.rank, 4);
  EXPECT_EQ(link.fixed.size(), 4u);
  ASSERT_EQ(link.sites.size(), 2u);
  EXPECT_EQ(link.sites[0].name, "end");
  EXPECT_EQ(link.sites[0].vertices.size(), 4u);
  EXPECT_EQ(link.sites[1].name, "middle");
  EXPECT_EQ(link.materials.at(0).density, 1000.0) << "that of the body";
  EXPECT_TRUE(weight.rigid);
  EXPECT_EQ(weight.materials.at(0).density, 5000.0) << "its own";
  const Placement& third = parts.placements[2];
  EXPECT_EQ(third.part, 0);
  EXPECT_EQ(third.site, 0);
  EXPECT_EQ(parts.placements[3].site, 1);
  EXPECT_EQ(third.position, Vector3(0.6, 0, 0));
  EXPECT_LT(third.rotation.angularDistance(Eigen::Quaterniond(0.8, 0, 0, 0.6)), 1e-12);
  EXPECT_EQ(third.scale, 0.5);
  EXPECT_EQ(third.stiffness, 4.0);
}

TEST(SceneAssembly, ShowsTheWholeAtRest) {
  const SceneBody body = parse(chain_scene()).bodies[0];
  EXPECT_EQ(body.mesh.vertex_count(), 3 * 16 + 8);
  EXPECT_GT(body.render.triangle_count(), 0);
  // The third link starts at (0.6, 0, 0) and is turned by 73.7 degrees: cos 0.28, sin 0.96.
  const Vector3 tip = Vector3(0.6, 0, 0) + 0.5 * 0.3 * Vector3(0.28, 0.96, 0);
  double nearest = 1.0;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v)
    nearest = std::min(nearest, (body.mesh.vertices.col(v) - tip).norm());
  EXPECT_NEAR(nearest, 0.5 * 0.03 * std::sqrt(2.0), 1e-6) << "a corner of its end";
}

TEST(SceneAssembly, ReadsSettingsAndWind) {
  const SceneBody body = parse(chain_scene()).bodies[0];
  ASSERT_TRUE(body.domains);
  EXPECT_EQ(body.domains->rank, 7);
  EXPECT_EQ(body.domains->total_rank, 0);
  EXPECT_EQ(body.domains->inertia, SubtreeInertia::center);
  ASSERT_EQ(body.domains->stiffness.size(), 1u);
  EXPECT_EQ(body.domains->stiffness[0].first, "second");
  EXPECT_EQ(body.domains->stiffness[0].second, 2.0);
  EXPECT_EQ(body.domains->rigid, std::vector<std::string>{"third"});
  EXPECT_EQ(body.wind.velocity, Vector3(3, 0, 1));
  EXPECT_EQ(body.wind.gusts, 0.5);
  EXPECT_EQ(body.wind.coefficient, 1.2);
}

TEST(SceneAssembly, OfAFreeBodyLetsItsRootGoAlone) {
  json scene = chain_scene();
  assembly_of(scene)["free"] = true;
  const PartTree parts = parse(scene).bodies[0].parts;
  EXPECT_TRUE(parts.free);
  const auto fixed = [&](std::size_t i) {
    return parts.parts[static_cast<std::size_t>(parts.placements[i].part)].fixed.size();
  };
  EXPECT_EQ(fixed(0), 0u);
  EXPECT_EQ(fixed(1), 4u) << "another instance of the same part";
}

TEST(SceneAssembly, IsRefusedWhereItIsNoTree) {
  expect_refusals(
      chain_scene(),
      {{[](json& s) {
          instance_of(s, 1)["parent"] = "third";
          instance_of(s, 1)["site"] = "end";
        },
        "loop: third -> second -> first -> third"},
       {[](json& s) { instance_of(s, 0)["parent"] = "secnd"; },
        "('third').parent: there is no instance 'secnd'; did you mean 'second'?"},
       {[](json& s) { instance_of(s, 0)["site"] = "ent"; },
        "('third').site: there is no site of the part 'link' called 'ent'; did you mean 'end'?"},
       {[](json& s) { instance_of(s, 0)["part"] = "lnk"; },
        "instances[0].part: there is no part 'lnk'; did you mean 'link'?"},
       {[](json& s) {
          instance_of(s, 3).erase("parent");
          instance_of(s, 3).erase("site");
        },
        "('second'): it has no parent, and neither has 'first'"},
       {[](json& s) { instance_of(s, 3).erase("parent"); }, "('second'): it has a 'site' but no 'parent'"},
       {[](json& s) { instance_of(s, 3).erase("site"); }, "('second'): 'site' is missing"},
       {[](json& s) { instance_of(s, 3)["name"] = "first"; }, "another instance is called 'first'"},
       {[](json& s) {
          instance_of(s, 3)["position"] = {1e19, 0, 0};
        },
        "it stands 1e+19 m from the site"},
       {[](json& s) {
          instance_of(s, 2)["parent"] = "bob";
          instance_of(s, 2)["site"] = "x";
        },
        "there is no site of the part 'weight' called 'x'; it has none"},
       {[](json& s) { assembly_of(s)["instances"].erase(2); }, "parts.weight: no instance stands for it"}});
}

TEST(SceneAssembly, IsRefusedWithPartsThatCannotBe) {
  const auto link = [](json& s) -> json& { return assembly_of(s)["parts"]["link"]; };
  expect_refusals(
      chain_scene(),
      {{[&](json& s) { link(s)["sites"]["middle"].erase("radius"); }, "'near' and 'radius' go together"},
       {[&](json& s) { link(s)["sites"]["middle"]["where"] = "x > 0"; },
        "sites.middle: give either 'near' and 'radius' or vertices"},
       {[&](json& s) { link(s)["sites"]["end"] = json::object(); }, "sites.end: give either"},
       {[&](json& s) { link(s)["sites"]["end"]["where"] = "x > 3"; }, "chooses no vertex"},
       {[&](json& s) {
          link(s)["sites"]["end"] = {{"vertices", {0, 1}}};
        },
        "site 0 'end'"},
       {[&](json& s) {
          link(s)["fixed"] = {{"vertices", {0}}};
        },
        "it is held by 1 vertices"},
       {[&](json& s) { link(s)["rigid"] = true; }, "a rigid part has no coordinates"},
       {[&](json& s) { link(s)["mesh"] = "builtin:oak"; }, "is a tree of parts itself"},
       {[&](json& s) {
          instance_of(s, 0)["rotation"] = {0, 0, 1, 1};
        },
        "a unit quaternion"},
       {[&](json& s) { instance_of(s, 0)["scale"] = 0; }, "instances[0].scale is 0"},
       {[&](json& s) { instance_of(s, 0)["stiffness"] = -1; }, "instances[0].stiffness is -1"}});
}

TEST(SceneAssembly, RefusesKeysOfAMesh) {
  expect_refusals(
      chain_scene(),
      {{[](json& s) { body_of(s)["mesh"] = "builtin:beam"; }, "exclude each other"},
       {[](json& s) { body_of(s).erase("assembly"); }, "'mesh', 'model' or 'assembly' is missing"},
       {[](json& s) { body_of(s)["fixed"] = "none"; },
        "parts are held each and which 'free' lets go, has no use for it"},
       {[](json& s) { body_of(s)["render"] = "a.obj"; },
        "bodies[0].render: what has 'assembly' has no use for it"},
       {[](json& s) { body_of(s)["materials"] = json::object(); },
        "bodies[0].materials: an assembly, whose parts name theirs, has no use for it"},
       {[](json& s) { body_of(s)["domains"]["from"] = "auto"; },
        "domains.from: an assembly, which is in parts already,"},
       {[](json& s) { body_of(s)["domains"]["root"] = "first"; },
        "domains.root: an assembly, which is in parts already,"}});
}

TEST(SceneDomains, AreReadFromSetsOfElements) {
  const SceneBody body = parse(mesh_scene()).bodies[0];
  EXPECT_TRUE(body.parts.placements.empty());
  ASSERT_TRUE(body.domains);
  EXPECT_EQ(body.domains->from, DomainSource::sets);
  ASSERT_EQ(body.domains->sets.size(), 2u);
  EXPECT_EQ(body.domains->sets[0].name, "middle");
  EXPECT_EQ(body.domains->sets[0].elements, (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(body.domains->sets[1].elements, (std::vector<int>{7, 8, 9}));
  EXPECT_EQ(body.domains->total_rank, 30);
  EXPECT_EQ(body.fixed.where, "x < 0.01");
}

TEST(SceneDomains, HaveTheDefaultsOfTheSettings) {
  json scene = mesh_scene();
  body_of(scene)["domains"] = json::object();
  const DomainSettings found = parse(scene).bodies[0].domains.value(), standard;
  EXPECT_EQ(found.from, standard.from);
  EXPECT_EQ(found.rank, standard.rank);
  EXPECT_EQ(found.total_rank, standard.total_rank);
  EXPECT_EQ(found.inertia, standard.inertia);
  EXPECT_TRUE(found.rigid.empty() && found.stiffness.empty() && found.root.empty());
  body_of(scene).erase("domains");
  EXPECT_FALSE(parse(scene).bodies[0].domains) << "then it is one domain";
  json chain = chain_scene();
  body_of(chain).erase("domains");
  EXPECT_EQ(parse(chain).bodies[0].domains.value().rank, standard.rank) << "of a body that is a tree anyway";
}

TEST(SceneDomains, AreRefusedWhereTheKeysDoNotFit) {
  const auto domains = [](json& s) -> json& { return body_of(s)["domains"]; };
  expect_refusals(
      mesh_scene(),
      {{[&](json& s) { domains(s)["sets"]["tip"][0] = 10; }, "sets.tip: element 10 does not exist"},
       {[&](json& s) {
          domains(s)["sets"]["middle"][0] = {5, 3};
        },
        "range [5, 3] ends before it starts"},
       {[&](json& s) {
          domains(s)["sets"]["middle"][0] = {0, 2147483647};
        },
        "does not exist"},
       {[&](json& s) { domains(s).erase("sets"); }, "'sets' and 'from' as 'sets' go together"},
       {[&](json& s) { domains(s)["count"] = 3; }, "'count' and 'from' as 'auto' go together"},
       {[&](json& s) { domains(s)["rank"] = 3; }, "'rank' and 'total_rank' exclude each other"},
       {[&](json& s) { domains(s)["from"] = "metis"; }, "expected one of \"regions\", \"auto\", \"sets\""},
       {[&](json& s) { domains(s)["inertia"] = "ful"; }, "did you mean \"full\"?"},
       {[&](json& s) { domains(s)["ranks"] = 3; }, "unknown key 'ranks'; did you mean 'rank'?"},
       {[&](json& s) {
          domains(s)["stiffness"] = {{"tip", 0}};
        },
        "stiffness.tip is 0"},
       {[&](json& s) { domains(s)["rigid"] = "tip"; }, "expected a list of non-empty strings"}});
}

TEST(SceneDomains, RefuseKeysThatMeanNothingToThem) {
  const std::string unused = "a dynamic body as a tree of domains has no use for it (used by ";
  const std::string unused_by_scene = "a dynamic scene with trees of domains has no use for it (used by ";
  expect_refusals(
      mesh_scene(),
      {{[&](json& s) { body_of(s)["rank"] = 5; },
        "rank: " + unused + "static 'reduced', 'linear', 'warped'; dynamic 'reduced', 'linear', 'warped')"},
       {[&](json& s) {
          body_of(s)["constraints"] = {{{"nearest", {1, 0, 0}}, {"hold", "orientation"}}};
        },
        "constraints[0].hold: " + unused},
       {[&](json& s) {
          body_of(s)["skin"] = {{"bones", {{{"from", {0, 0, 0}}, {"to", {1, 0, 0}}}}}, {"radius", 0.1}};
        },
        "skin: " + unused},
       {[&](json& s) { body_of(s)["coriolis"] = true; }, "coriolis: " + unused},
       {[&](json& s) { body_of(s)["basis"]["modes"] = 5; }, "basis.modes: " + unused},
       {[&](json& s) { body_of(s)["basis"]["sketch"] = "a.json"; }, "basis.sketch: " + unused},
       {[&](json& s) { body_of(s)["forces"]["training"] = "a.csv"; }, "forces.training: " + unused},
       {[](json& s) { s["solver"]["type"] = "quasistatic"; },
        "bodies[0].method is 'reduced', but a quasistatic solver takes 'full' or 'online'"},
       {[&](json& s) { s["solver"]["integrator"] = "central-differences"; },
        "integrator: " + unused_by_scene},
       {[&](json& s) { s["solver"]["linear_solver"] = "cg"; }, "linear_solver: " + unused_by_scene}});
}

TEST(SceneDomains, OfTheLinearMethodRefuseWhatLinearForcesDoNotKnow) {
  json linear = mesh_scene();
  body_of(linear)["method"] = "linear";
  EXPECT_EQ(parse(linear).bodies[0].method, Method::linear);
  EXPECT_TRUE(parse(linear).bodies[0].domains);
  const std::string unused = "a dynamic body as a linear tree of domains has no use for it (used by ";
  expect_refusals(linear, {{[](json& s) { body_of(s)["material"]["law"] = "stvk"; }, "law: " + unused},
                           {[](json& s) { body_of(s)["forces"] = json::object(); },
                            "forces: " + unused + "static 'reduced', reduced trees of domains"},
                           {[](json& s) {
                              body_of(s)["damping"] = {{"kind", "linear"}};
                            },
                            "damping.kind: " + unused}});
}

TEST(SceneDomains, HaveAShapeAtRest) {
  json scene = mesh_scene();
  scene["solver"] = {{"type", "static"}, {"newton", {{"tolerance", 1e-6}}}};
  EXPECT_TRUE(parse(scene).bodies[0].domains);
  expect_refusals(scene, {{[](json& s) { body_of(s)["domains"]["inertia"] = "center"; },
                           "inertia: a static body as a tree of domains has no use for it (used by dynamic "
                           "trees of domains)"},
                          {[](json& s) { s["solver"]["load_steps"] = 3; },
                           "load_steps: a static scene with trees of domains has no use for it"}});
}

TEST(SceneDomains, AreRefusedByMethodsThatMoveOneDomain) {
  const auto moved = [](const char* key, const char* method) {
    return fmt::format(
        "bodies[0].{}: it makes the body a tree of domains, which the method '{}' does not move; choose "
        "'reduced' or 'linear'",
        key, method);
  };
  expect_refusals(chain_scene(),
                  {{[](json& s) { body_of(s)["method"] = "warped"; }, moved("assembly", "warped")},
                   {[](json& s) { body_of(s).erase("method"); }, moved("assembly", "full")}});
  expect_refusals(mesh_scene(),
                  {{[](json& s) { body_of(s)["method"] = "online"; }, moved("domains", "online")},
                   {[](json& s) {
                      body_of(s) = {{"method", "warped"}, {"mesh", "builtin:oak"}};
                    },
                    moved("mesh", "warped")}});
}

TEST(SceneDomains, TakeBuiltinTreesWithOtherMaterials) {
  json scene = mesh_scene();
  body_of(scene) = {{"method", "reduced"}, {"mesh", "builtin:letters"}};
  const PartTree own = parse(scene).bodies[0].parts;
  ASSERT_FALSE(own.placements.empty());
  EXPECT_TRUE(own.free);
  const std::string name = own.parts[0].name;
  body_of(scene)["materials"][name] = {{"young", 7e5}, {"poisson", 0.2}, {"density", 123}};
  const PartTree changed = parse(scene).bodies[0].parts;
  EXPECT_EQ(changed.parts[0].materials[0].density, 123.0);
  if (own.parts.size() > 1) {
    EXPECT_EQ(changed.parts[1].materials[0].density, own.parts[1].materials[0].density);
  }
  expect_refusals(scene,
                  {{[](json& s) {
                      body_of(s)["materials"]["nosuchpart"] = {{"young", 7e5}, {"poisson", 0.2}};
                    },
                    "the body has no part or region 'nosuchpart'"},
                   {[](json& s) { body_of(s)["fixed"] = "none"; }, "nothing holds builtin:letters anyway"},
                   {[](json& s) {
                      body_of(s)["fixed"] = {{"where", "x < 0"}};
                    },
                    "a tree of parts is held at its root"},
                   {[](json& s) {
                      body_of(s)["domains"] = {{"from", "regions"}};
                    },
                    "domains.from: a tree of parts, which is made of domains already, has no use for it"}});
}

TEST(SceneDomains, MoveAModelThatHoldsATree) {
  const SceneBody made = parse(chain_scene()).bodies[0];
  TreeReduceReport report;
  const test::ScratchFolder folder;
  write_model(folder.path() / "chain.glb", *find_tree(made, Executor(1), {}, report));
  json scene = chain_scene();
  body_of(scene) = {
      {"method", "reduced"}, {"model", "chain.glb"}, {"domains", {{"stiffness", {{"link", 2}}}}}};
  const auto read = [&](const json& value) { return parse_scene(value.dump(), folder.path(), "scene.json"); };
  const SceneBody body = read(scene).bodies[0];
  ASSERT_NE(body.model, nullptr);
  EXPECT_EQ(body.model->domain_count(), 4);
  EXPECT_EQ(body.mesh.vertex_count(), made.mesh.vertex_count());
  EXPECT_EQ(body.render.vertex_count(), made.render.vertex_count());
  const std::pair<const char*, json> refused[] = {{"material", {{"young", 1e5}, {"poisson", 0.3}}},
                                                  {"fixed", "none"},
                                                  {"mass", "lumped"},
                                                  {"basis", json::object()},
                                                  {"domains", {{"rank", 5}}},
                                                  {"domains", {{"rigid", {"link"}}}},
                                                  {"domains", {{"from", "regions"}}}};
  for (const auto& [key, value] : refused) {
    json changed = scene;
    body_of(changed)[key] = value;
    EXPECT_THROW((void)read(changed), Error) << key;
  }
  body_of(scene).erase("domains");
  EXPECT_TRUE(read(scene).bodies[0].domains) << "a tree without being told";
  const auto error_of = [&](const char* method) {
    body_of(scene)["method"] = method;
    return test::error_text([&] { (void)read(scene); });
  };
  EXPECT_PRED2(
      test::contains, error_of("warped"),
      "bodies[0].model: it makes the body a tree of domains, which the method 'warped' does not move");
  EXPECT_PRED2(
      test::contains, error_of("full"),
      "which the method 'full' does not move; choose 'reduced' or 'linear', or give 'mesh' in its place");
}

}  // namespace
}  // namespace limber::scene_parts_test
