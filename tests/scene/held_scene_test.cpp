// What holds a body, by all methods.
#include "limber/base/error.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace limber::held_scene_test {
namespace {

// A copy would drive the handles of the one that it was made of.
static_assert(!std::is_copy_constructible_v<SceneState> && std::is_move_constructible_v<SceneState>);

/// A way to move: a method, or a tree of domains.
struct Way {
  Method method = Method::full;
  bool tree = false;

  [[nodiscard]] bool is_full() const { return !tree && uses_mesh(method); }
};

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Method method : all_methods) ways.push_back({method});
  ways.push_back({Method::reduced, true});
  ways.push_back({Method::linear, true});
  return ways;
}

std::string title(const Way& way) { return std::string(name_of(way.method)) + (way.tree ? ", a tree" : ""); }

Scene beam_scene(const Way& way, SimulationType type, VertexSelection fixed) {
  SceneBody body;
  body.name = "beam";
  body.method = way.method;
  body.mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {4, 1, 1}});
  body.materials = {test::material("stvk", 1e5)};
  body.fixed = std::move(fixed);
  body.reduction.basis.modes = 4;
  body.reduction.basis.rank = 6;
  if (way.tree) {
    body.domains.emplace();
    body.domains->from = DomainSource::automatic;
    body.domains->count = 2;
    body.domains->rank = 4;
  }
  Scene scene;
  scene.bodies = {body};
  scene.gravity = {0, 0, -1};
  scene.solver.type = type;
  scene.solver.timestep = 0.01;
  scene.solver.steps = 3;
  scene.solver.threads = 1;
  return scene;
}

/// Empty: none.
std::string refusal_of(const Scene& scene) {
  try {
    (void)make_state(scene);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const VertexSelection one{.vertices = {0}};
const VertexSelection two{.vertices = {0, 1}};
const VertexSelection line{.where = "y < -0.09 and z < -0.09"};
const VertexSelection all{.where = "x > -1"};
const VertexSelection end{.where = "x < 0.01"};

TEST(HeldScene, RefusesOneOrTwoVerticesInStaticsAlikeForEveryMethod) {
  for (const Way& way : all_ways()) {
    if (way.method == Method::online) continue;
    for (const VertexSelection& fixed : {VertexSelection{}, one, two, line}) {
      EXPECT_EQ(refusal_of(beam_scene(way, SimulationType::statics, fixed)),
                "beam: nothing holds it, or a part of it: fix at least three of its vertices that are not on "
                "one line, or simulate it dynamically")
          << title(way);
    }
    EXPECT_EQ(refusal_of(beam_scene(way, SimulationType::statics, end)), "") << title(way);
  }
}

TEST(HeldScene, TakesAHingeInMotionWhereEveryVertexMovesAndRefusesItElsewhere) {
  for (const Way& way : all_ways()) {
    for (const VertexSelection& fixed : {one, two, line}) {
      const std::string refusal = refusal_of(beam_scene(way, SimulationType::dynamics, fixed));
      const std::string expected =
          way.is_full() ? ""
                        : fmt::format(
                              "beam: its fixed vertices let it turn, or leave a part of it loose, which "
                              "the method '{}' does not take; fix at least three of each part that are "
                              "not on one line, or none, or choose 'full' or 'online'",
                              name_of(way.method));
      EXPECT_EQ(refusal, expected) << title(way);
    }
    EXPECT_EQ(refusal_of(beam_scene(way, SimulationType::dynamics, {})), "") << title(way) << ", in flight";
  }
}

TEST(HeldScene, RefusesBodiesOfWhichNothingCanMoveAlikeForEveryMethod) {
  for (const Way& way : all_ways()) {
    EXPECT_EQ(refusal_of(beam_scene(way, SimulationType::dynamics, all)),
              "beam: every vertex is fixed, so nothing can move; fix fewer vertices")
        << title(way);
  }
}

TEST(HeldScene, SaysWhereAModelMustBeReducedAgain) {
  Scene scene = beam_scene({Method::reduced}, SimulationType::statics, end);
  const std::shared_ptr<const Model> held = make_state(scene).body(0).shared_model();
  Model loose = *held;
  loose.parts[0].model.simulation->fixed = {0};
  scene.bodies[0].model = std::make_shared<const Model>(loose);
  EXPECT_TRUE(test::contains(refusal_of(scene), "not on one line and reduce it again, or simulate"))
      << refusal_of(scene);
}

TEST(HeldScene, RefusesLoadsOnFixedVerticesAloneForEveryMethod) {
  for (const Way& way : all_ways()) {
    Scene scene = beam_scene(way, SimulationType::dynamics, end);
    scene.bodies[0].loads = {{{.where = "x < 0.01"}, Vector3(0, 0, 1)}};
    EXPECT_EQ(
        refusal_of(scene),
        "beam: loads[0]: all of its vertices are held, so that it does nothing; choose others, or leave "
        "it out")
        << title(way);
    scene.bodies[0].loads[0].where.where = "x < 0.3";  // some of them are not
    EXPECT_EQ(refusal_of(scene), "") << title(way);
  }
}

TEST(HeldScene, RefusesLoadsOnVerticesThatQuasistaticConstraintsMove) {
  Scene scene = beam_scene({Method::full}, SimulationType::quasistatic, end);
  BodyConstraint tip;
  tip.where.where = "x > 0.99";
  scene.bodies[0].constraints = {tip};
  scene.bodies[0].loads = {{{.where = "x > 0.99"}, Vector3(0, 0, 1)}};
  EXPECT_TRUE(test::contains(refusal_of(scene), "all of its vertices are held")) << refusal_of(scene);
}

TEST(HeldScene, RefusesMassesBeyondAllNumbers) {
  for (const auto& [size, density] : {std::pair(1e25, 1e280), {1e-20, 1e-290}}) {
    Scene scene = beam_scene({Method::full}, SimulationType::dynamics, {});
    scene.bodies[0].mesh.vertices *= size;
    scene.bodies[0].materials[0].density = density;
    EXPECT_TRUE(test::contains(refusal_of(scene), "the mass of the body is ")) << refusal_of(scene);
  }
}

}  // namespace
}  // namespace limber::held_scene_test
