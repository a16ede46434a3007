#include "limber/bodies/builtin.hpp"

#include "limber/bodies/plan_mesh.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/mesh/embedding.hpp"
#include "limber/mesh/quality.hpp"
#include "tests/bodies/support.hpp"
#include "tests/support/files.hpp"

#include <map>
#include <ostream>
#include <set>

namespace limber::builtin_test {
namespace {

using test::contains;
using test::error_text;

/// The least cells that each body allows, for its elements and for its surfaces: what is fastest to make.
struct Coarse {
  std::string name;
  int cells;
  int render;
  int regions;

  friend void PrintTo(const Coarse& body, std::ostream* stream) { *stream << body.name; }
};

const std::vector<Coarse> coarse_bodies{
    {"spoon", 56, 160, 1}, {"bridge", 40, 1, 2},     {"tower", 30, 1, 1},   {"heart", 22, 60, 1},
    {"wire", 64, 110, 1},  {"flower", 56, 150, 3},   {"tree", 44, 150, 2},  {"octopus", 38, 70, 1},
    {"head", 24, 60, 1},   {"pendulum", 90, 150, 1}, {"lily", 44, 130, 12}, {"dragon", 42, 90, 40}};

std::string coarse_name(const Coarse& body, std::string_view element = "tet") {
  return fmt::format("builtin:{}?cells={}&render={}&element={}", body.name, body.cells, body.render, element);
}

double longest_side(const VolumeMesh& mesh) {
  const BoundingBox box = bounding_box(mesh);
  return (box.max - box.min).maxCoeff();
}

int part_count(const VolumeMesh& mesh) {
  const std::vector<int> parts = connected_parts(mesh);
  return 1 + *std::max_element(parts.begin(), parts.end());
}

/// 2 for each closed surface, less 2 for each handle.
Index euler_characteristic(const VolumeMesh& mesh) {
  const SurfaceMesh surface = boundary_surface(mesh);
  return surface.vertex_count() - surface.triangle_count() / 2;
}

class BuiltinBodies : public testing::TestWithParam<Coarse> {
 protected:
  /// The body as tetrahedra, made by one thread; and as bricks, made by two.
  static const BuiltinBody& body() { return made(coarse_name(GetParam()), 1); }
  static const BuiltinBody& bricks() { return made(coarse_name(GetParam(), "brick"), 2); }

 private:
  /// Made once for all tests of one run.
  static const BuiltinBody& made(const std::string& name, int threads) {
    static std::map<std::string, BuiltinBody> bodies;
    const auto [entry, is_new] = bodies.try_emplace(name);
    if (is_new) entry->second = make_builtin(name, Executor(threads));
    return entry->second;
  }
};

TEST_P(BuiltinBodies, AreOnePartOfWellShapedTetrahedra) {
  const VolumeMesh& mesh = body().mesh;
  EXPECT_EQ(mesh.kind, ElementKind::tetrahedron);
  EXPECT_NO_THROW(check_mesh(mesh, GetParam().name));
  EXPECT_EQ(part_count(mesh), 1);
  EXPECT_GT(mesh.element_count(), 1000);
  const MeshQuality quality = measure_quality(mesh);
  EXPECT_GE(quality.smallest_dihedral, 10.7);
  EXPECT_LE(quality.largest_dihedral, 164.8);
}

TEST_P(BuiltinBodies, HoldSomeVerticesButNotAll) {
  const std::vector<int>& fixed = body().fixed;
  EXPECT_FALSE(fixed.empty());
  EXPECT_LT(static_cast<Index>(fixed.size()), body().mesh.vertex_count() / 4);
  EXPECT_TRUE(std::is_sorted(fixed.begin(), fixed.end()));
  EXPECT_EQ(std::set<int>(fixed.begin(), fixed.end()).size(), fixed.size());
}

TEST_P(BuiltinBodies, HaveAMaterialAndElementsInEveryRegion) {
  const VolumeMesh& mesh = body().mesh;
  EXPECT_EQ(static_cast<int>(mesh.regions.size()), GetParam().regions);
  EXPECT_EQ(body().materials.size(), mesh.regions.size());
  for (const RegionMeasure& region : measure_quality(mesh).regions) EXPECT_GT(region.elements, 0);
}

TEST_P(BuiltinBodies, HaveAClosedSurfaceToDrawNearTheMesh) {
  const SurfaceMesh& render = body().render;
  EXPECT_NO_THROW(check_surface(render, GetParam().name));
  EXPECT_EQ(body().part_colors.size(), render.parts.size());
  EXPECT_EQ(test::open_sides(render), 0U);
  EXPECT_GT(enclosed_volume(render), 0.0);
  const double cell = longest_side(body().mesh) / GetParam().cells;
  const Embedding embedding = embed_points(body().mesh, render.vertices);
  EXPECT_LT(embedding.farthest, 2.0 * cell);
}

TEST_P(BuiltinBodies, AreOnePartOfBricksThatHoldTheSurface) {
  EXPECT_EQ(bricks().mesh.kind, ElementKind::brick);
  EXPECT_NO_THROW(check_mesh(bricks().mesh, GetParam().name));
  EXPECT_EQ(part_count(bricks().mesh), 1);
  EXPECT_FALSE(bricks().fixed.empty());
  EXPECT_EQ(bricks().materials.size(), bricks().mesh.regions.size());
  const double cell = longest_side(bricks().mesh) / GetParam().cells;
  EXPECT_LT(embed_points(bricks().mesh, bricks().render.vertices).farthest, cell);
}

TEST_P(BuiltinBodies, AreDrawnBySameBitsWhenMadeAgainByMoreThreads) {
  EXPECT_EQ(bricks().render.vertices, body().render.vertices);
  EXPECT_EQ(bricks().render.triangles, body().render.triangles);
  EXPECT_EQ(bricks().render.part, body().render.part);
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinBodies, testing::ValuesIn(coarse_bodies),
                         [](const auto& one) { return one.param.name; });

TEST(Builtin, RecognisesItsPrefix) {
  EXPECT_TRUE(is_builtin("builtin:beam"));
  EXPECT_TRUE(is_builtin("builtin:"));
  EXPECT_FALSE(is_builtin("beam.msh"));
  EXPECT_FALSE(is_builtin(""));
}

TEST(Builtin, DescribesEveryBodyInOneLine) {
  EXPECT_EQ(builtin_names().size(), coarse_bodies.size() + 1);
  for (const std::string_view name : builtin_names()) {
    EXPECT_FALSE(builtin_description(name).empty()) << name;
    EXPECT_FALSE(contains(builtin_description(name), "\n")) << name;
  }
  EXPECT_EQ(error_text([] { (void)builtin_description("spon"); }),
            "unknown built-in body 'spon'; did you mean 'spoon'?");
}

TEST(Builtin, BeamTakesDefaultsAndParameters) {
  const VolumeMesh plain = make_builtin("builtin:beam").mesh;
  EXPECT_EQ(plain.kind, ElementKind::tetrahedron);
  EXPECT_EQ(plain.element_count(), 20 * 4 * 4 * 6);
  EXPECT_EQ(make_builtin("builtin:beam?").mesh.vertices, plain.vertices);
  EXPECT_EQ(make_builtin("builtin:beam?element=tet").mesh.elements, plain.elements);

  const VolumeMesh mesh = make_builtin("builtin:beam?element=brick&size=2,0.5,0.25&cells=4,2,1").mesh;
  EXPECT_EQ(mesh.kind, ElementKind::brick);
  EXPECT_EQ(mesh.element_count(), 8);
  EXPECT_NEAR(measure_quality(mesh).volume, 0.25, 1e-15);
  EXPECT_EQ(mesh.vertices,
            make_beam({.kind = ElementKind::brick, .size = {2, 0.5, 0.25}, .cells = {4, 2, 1}}).vertices);
}

TEST(Builtin, BeamIsHeldAtItsLeftEndAndDrawnByItsBoundary) {
  const BuiltinBody beam = make_builtin("builtin:beam?cells=6,3,2");
  EXPECT_EQ(beam.fixed.size(), 4U * 3U);
  for (const int v : beam.fixed) EXPECT_EQ(beam.mesh.vertices(0, v), 0.0);
  EXPECT_EQ(beam.render.triangle_count(), 4 * (6 * 3 + 3 * 2 + 6 * 2));
  EXPECT_EQ(test::open_sides(beam.render), 0U);
  EXPECT_EQ(beam.part_colors.size(), 1U);
  EXPECT_EQ(beam.materials.size(), 1U);
}

TEST(Builtin, GradingLeavesFewerElementsInside) {
  const Index uniform = make_builtin("builtin:octopus?cells=60&render=70&grading=0").mesh.element_count();
  const Index graded = make_builtin("builtin:octopus?cells=60&render=70&grading=2").mesh.element_count();
  EXPECT_LT(graded, uniform);
}

TEST(Builtin, IsTheSameBitsForAnyNumberOfThreads) {
  for (const std::string name : {"builtin:tower", "builtin:tree?cells=44&render=150"}) {
    const BuiltinBody one = make_builtin(name, Executor(1)), two = make_builtin(name, Executor(2));
    EXPECT_EQ(one.mesh.vertices, two.mesh.vertices) << name;
    EXPECT_EQ(one.mesh.elements, two.mesh.elements) << name;
    EXPECT_EQ(one.mesh.region, two.mesh.region) << name;
    EXPECT_EQ(one.fixed, two.fixed) << name;
  }
}

TEST(Builtin, ArmsOfTheOctopusTouchNothing) {
  const VolumeMesh mesh = make_builtin("builtin:octopus?render=70").mesh;
  EXPECT_EQ(euler_characteristic(mesh), 2) << "where arms meet, the surface has handles";
}

TEST(Builtin, HeadIsAShellAroundOneCavity) {
  const BuiltinBody head = make_builtin("builtin:head?render=60");
  EXPECT_EQ(euler_characteristic(head.mesh), 4) << "two closed surfaces without handles";
  EXPECT_NEAR(static_cast<double>(head.mesh.element_count()), 20000.0, 1500.0);
}

TEST(Builtin, HeadIsHeldByItsSkullAndAtTheNeckOnly) {
  const BuiltinBody head = make_builtin("builtin:head?render=60");
  const Vector3 middle(0.0, 0.02, 0.16);
  double farthest_held = 0.0, nearest_free = 1.0;
  std::set<int> held(head.fixed.begin(), head.fixed.end());
  int at_neck = 0;
  for (int v = 0; v < head.mesh.vertex_count(); ++v) {
    const Vector3 x = head.mesh.vertices.col(v);
    if (x.z() < 1e-3) {
      EXPECT_TRUE(held.contains(v));
      ++at_neck;
    }
    if (x.z() < middle.z()) continue;  // the cranium is nearly round
    const double distance = (x - middle).norm();
    if (held.contains(v)) farthest_held = std::max(farthest_held, distance);
    if (!held.contains(v)) nearest_free = std::min(nearest_free, distance);
  }
  EXPECT_GT(at_neck, 20);
  EXPECT_GT(nearest_free, 0.045) << "no flesh within the skull";
  EXPECT_LT(farthest_held, 0.072) << "the scalp is free";
}

TEST(Builtin, HeadIsOfSoftArrudaBoyceFlesh) {
  const std::vector<Material> materials = make_builtin("builtin:head?cells=24&render=60").materials;
  ASSERT_EQ(materials.size(), 1U);
  EXPECT_EQ(name_of(materials[0].law), "arruda-boyce");
  const LameParameters lame = lame_of(materials[0].law);
  EXPECT_EQ(lame.mu, 5000.0);
  EXPECT_NEAR(lame.lambda + 2.0 / 3.0 * lame.mu, 1e5, 1e-9) << "bulk modulus";
}

TEST(Builtin, AcrobatsTouchNothingButHandsAndFeet) {
  const BuiltinBody pendulum = make_builtin("builtin:pendulum?render=150");
  // The ring, four pairs of arms around heads, and three pairs of legs are eight handles.
  EXPECT_EQ(euler_characteristic(pendulum.mesh), 2 - 2 * 8);
  EXPECT_NEAR(static_cast<double>(pendulum.mesh.element_count()), 64000.0, 2000.0);
  EXPECT_NEAR(longest_side(pendulum.mesh), 1.0, 0.05);
}

TEST(Builtin, PendulumIsHeldByItsRing) {
  const BuiltinBody pendulum = make_builtin("builtin:pendulum?cells=90&render=150");
  const double top = bounding_box(pendulum.mesh).max.z();
  for (const int v : pendulum.fixed) EXPECT_GT(pendulum.mesh.vertices(2, v), top - 0.09);
}

TEST(Builtin, RefusesABodyThatFallsApart) {
  BodyPlan plan;
  plan.solid = unite({sphere({0, 0, 0}, 1.0), sphere({5, 0, 0}, 1.0)});
  plan.regions = {{"balls", elastic(1e5, 0.3, 1000.0), {}}};
  plan.surfaces = {{"balls", {1, 1, 1}, plan.solid}};
  plan.cells = 100;
  PlanMeshOptions options;
  options.cells = 30;
  options.render_cells = 30;
  EXPECT_EQ(
      error_text([&] { (void)mesh_plan(plan, options, "builtin:balls"); }),
      "builtin:balls: falls into 2 parts with 30 cells along its longest side; use more, the default is 100");
}

TEST(Builtin, SaysWhatIsWrongWithAName) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"beam", "'beam' is not the name of a built-in body; they start with 'builtin:'"},
      {"builtin:bean", "unknown built-in body 'bean'; did you mean 'beam'?"},
      {"builtin:elephant",
       "unknown built-in body 'elephant'; known are beam, spoon, bridge, tower, heart, wire, flower, tree, "
       "octopus, head, pendulum, lily, dragon"},
      {"builtin:beam?cells", "builtin:beam?cells: 'cells' should read key=value"},
      {"builtin:beam?&", "builtin:beam?&: '' should read key=value"},
      {"builtin:beam?cell=1,1,1", "builtin:beam?cell=1,1,1: unknown parameter 'cell'; did you mean 'cells'?"},
      {"builtin:beam?material=1",
       "builtin:beam?material=1: unknown parameter 'material'; known are element, size, cells"},
      {"builtin:beam?element=hex", "builtin:beam?element=hex: element is 'hex', expected 'tet' or 'brick'"},
      {"builtin:beam?size=1,2",
       "builtin:beam?size=1,2: 'size' is '1,2', expected three numbers separated by commas"},
      {"builtin:beam?size=1,b,2", "builtin:beam?size=1,b,2: 'b' in 'size' is not a number"},
      {"builtin:beam?size=1,nan,2", "builtin:beam?size=1,nan,2: 'nan' in 'size' is not a number"},
      {"builtin:beam?size=1,-1,2", "beam: size 1 x -1 x 2, expected positive lengths in metres"},
      {"builtin:beam?cells=1,2.5,1",
       "builtin:beam?cells=1,2.5,1: 2.5 cells along an axis, expected a whole number from 1 to 50000000"},
      {"builtin:beam?cells=1,0,1",
       "builtin:beam?cells=1,0,1: 0 cells along an axis, expected a whole number from 1 to 50000000"},
      {"builtin:beam?cells=1e10,1,1",
       "builtin:beam?cells=1e10,1,1: 10000000000 cells along an axis, expected a whole number from 1 to "
       "50000000"},
      {"builtin:beam?cells=10000,10000,1",
       "beam: 10000 x 10000 x 1 cells are more than the 50000000 that limber builds"},
      {"builtin:spoon?cells=10",
       "builtin:spoon?cells=10: cells is '10', expected a whole number from 56 to 2000"},
      {"builtin:spoon?cells=80.5",
       "builtin:spoon?cells=80.5: cells is '80.5', expected a whole number from 56 to 2000"},
      {"builtin:spoon?cells=3000",
       "builtin:spoon?cells=3000: cells is '3000', expected a whole number from 56 to 2000"},
      {"builtin:spoon?grading=5",
       "builtin:spoon?grading=5: grading is '5', expected a whole number from 0 to 4"},
      {"builtin:spoon?render=1",
       "builtin:spoon?render=1: render is '1', expected a whole number from 160 to 2000"},
      {"builtin:spoon?element=hex", "builtin:spoon?element=hex: element is 'hex', expected 'tet' or 'brick'"},
      {"builtin:spoon?size=1",
       "builtin:spoon?size=1: unknown parameter 'size'; known are cells, element, grading, render"},
      {"builtin:spoon?cels=80", "builtin:spoon?cels=80: unknown parameter 'cels'; did you mean 'cells'?"},
  };
  for (const auto& [name, text] : cases) EXPECT_EQ(error_text([&] { (void)make_builtin(name); }), text);
}

}  // namespace
}  // namespace limber::builtin_test
