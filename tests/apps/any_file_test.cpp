// From any file to a body, by one command.

#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/surface_file.hpp"
#include "tests/apps/support.hpp"
#include "tests/mesh/shapes.hpp"

#include <nlohmann/json.hpp>

#include <regex>

namespace limber::any_file_test {
namespace {

using nlohmann::json;
using test::contains;
using test::expect_refused;
using test::run_limber;
using test::ScratchFolder;

constexpr std::string_view small = "--cells 6 --modes 3 --rank 4";

/// A ball around a point.
SurfaceMesh ball_at(const Vector3& center, double radius) {
  SurfaceMesh ball = test::icosphere(2, radius);
  ball.vertices.colwise() += center;
  return ball;
}

/// Two surfaces as one that does not hang together.
SurfaceMesh both(const SurfaceMesh& one, const SurfaceMesh& other) {
  SurfaceMesh result = one;
  result.vertices.conservativeResize(3, one.vertex_count() + other.vertex_count());
  result.vertices.rightCols(other.vertex_count()) = other.vertices;
  result.triangles.conservativeResize(3, one.triangle_count() + other.triangle_count());
  result.triangles.rightCols(other.triangle_count()) =
      other.triangles.array() + static_cast<int>(one.vertex_count());
  result.part.resize(static_cast<std::size_t>(result.triangle_count()), 0);
  return result;
}

TEST(AnyFile, ReduceMeshesASurfaceAndMovesThatSurface) {
  const ScratchFolder folder;
  const SurfaceMesh ball = test::icosphere(3, 0.5);
  write_surface(folder / "ball.obj", ball);
  const auto result = run_limber(
      folder.path(), fmt::format("reduce ball.obj -o ball.glb {} --picture ball.png --json", small));
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["render_vertices"], ball.vertex_count());
  EXPECT_LT(std::abs(found["meshing"]["volume_error"].get<double>()), 0.02);
  EXPECT_EQ(found["held"]["by_default"], true);
  EXPECT_TRUE(contains(found["held"]["where"].get<std::string>(), "bottom"));
  const ReducedModel model = read_model(folder / "ball.glb").parts.front().model;
  EXPECT_EQ(model.surface.mesh.triangles, ball.triangles) << "not the coarse boundary of the mesh";
  EXPECT_EQ(model.simulation->fixed.size(), found["held"]["vertices"].get<std::size_t>());
  EXPECT_TRUE(read_file(folder / "ball.png").starts_with("\x89PNG"));
  const auto told = run_limber(folder.path(), fmt::format("reduce ball.obj -o ball.glb {}", small));
  EXPECT_TRUE(contains(told.out, "meshed on the way")) << told.out;
  EXPECT_TRUE(contains(told.out, "because nothing else was said")) << told.out;
}

TEST(AnyFile, TheMesherIsTheOneOfLimberMesh) {
  const ScratchFolder folder;
  write_surface(folder / "ball.off", test::icosphere(2, 0.5));
  for (const char* how : {"--cells 5", "--target-elements 400", "--method voxel --cells 5 --fill center"}) {
    ASSERT_EQ(run_limber(folder.path(), fmt::format("mesh ball.off -o ball.msh {}", how)).status, 0);
    const auto reduced =
        run_limber(folder.path(), fmt::format("reduce ball.off -o m.glb --modes 3 --rank 4 {}", how));
    ASSERT_EQ(reduced.status, 0) << reduced.err;
    EXPECT_EQ(read_model(folder / "m.glb").parts.front().model.simulation->mesh.vertices,
              read_mesh(folder / "ball.msh").vertices)
        << how;
  }
}

TEST(AnyFile, WhatWasLostOnTheWayIsSaid) {
  const ScratchFolder folder;
  const SurfaceMesh open = test::without(test::icosphere(3, 0.5), [](int t) { return t == 7; });
  write_surface(folder / "open.off", open);
  const auto result = run_limber(folder.path(), fmt::format("reduce open.off -o open.glb {}", small));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "1 hole")) << result.out;
}

#ifdef LIMBER_VIEWER_PAGE

TEST(AnyFile, WhatWasLostIsSaidInTheLineOfAPageToo) {
  const ScratchFolder folder;
  SurfaceMesh open = test::without(ball_at({0, 0, 0}, 0.5), [](int t) { return t == 7; });
  write_surface(folder / "open.off", both(open, ball_at({0, 0, 0.9}, 0.07)));
  const auto result = run_limber(folder.path(), "export open.off -o open.html --cells 12 --modes 3 --rank 4");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::size_t at = result.err.find("limber: note: open.off: ");
  ASSERT_NE(at, std::string::npos) << result.err;
  const std::string note = result.err.substr(at);
  EXPECT_TRUE(contains(note, "3 open edges along 1 hole: repaired for the mesh, drawn as it is")) << note;
  EXPECT_TRUE(contains(note, "% of the surface not followed")) << note;
}

#endif

TEST(AnyFile, WhatIsGuessedOfASurfaceIsSaidToBeGuessed) {
  const ScratchFolder folder;
  write_surface(folder / "ball.obj", test::icosphere(1, 0.5));
  write_surface(folder / "ball.glb", test::icosphere(1, 0.5));
  const auto obj = run_limber(folder.path(), "inspect ball.obj"),
             glb = run_limber(folder.path(), "inspect ball.glb");
  EXPECT_TRUE(contains(obj.out, "z, because nothing says it; else --up y")) << obj.out;
  EXPECT_TRUE(contains(obj.out, "metres, because files do not say it; else --unit mm")) << obj.out;
  EXPECT_FALSE(contains(glb.out, "because nothing says it")) << glb.out;
}

TEST(AnyFile, ASurfaceIsNoSceneButMayBeNamedInOne) {
  const ScratchFolder folder;
  write_surface(folder / "ball.obj", test::icosphere(2, 5.0));
  write_surface(folder / "ball.glb", test::icosphere(2, 5.0));
  expect_refused(folder, "simulate ball.obj -o x.glb", "make it one: limber reduce ball.obj -o ball.glb");
  expect_refused(folder, "simulate ball.glb -o x.glb", "limber reduce ball.glb -o ball_body.glb");
  write_file(folder / "scene.json", R"({"bodies": [{"mesh": "ball.obj", "unit": "cm", "method": "reduced",
    "material": {"name": "jelly"}, "fixed": "bottom", "basis": {"modes": 3, "rank": 4}}], "gravity": 9.81,
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 4}, "output": {"animation": "a.glb", "picture": "p.png"}})");
  const auto result = run_limber(folder.path(), "simulate scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NEAR(json::parse(result.out)["bodies"][0]["elements"].get<double>(), 30000.0, 1500.0);
  const json clip = json::parse(run_limber(folder.path(), "inspect a.glb --json").out);
  EXPECT_EQ(clip["nodes"][0]["triangles"], test::icosphere(2, 5.0).triangle_count())
      << "not the mesh's boundary";
}

TEST(AnyFile, SidesAreHeld) {
  const ScratchFolder folder;
  write_mesh(folder / "beam.msh", test::tiny_beam());
  for (const auto& [side, axis, high] : {std::tuple("bottom", 2, false),
                                         {"top", 2, true},
                                         {"left", 0, false},
                                         {"right", 0, true},
                                         {"front", 1, false},
                                         {"back", 1, true}}) {
    const auto result =
        run_limber(folder.path(), fmt::format("reduce beam.msh -o m.glb --modes 3 --rank 4 --hold {}", side));
    ASSERT_EQ(result.status, 0) << side << ": " << result.err;
    const ReducedModel model = read_model(folder / "m.glb").parts.front().model;
    const VolumeMesh& mesh = model.simulation->mesh;
    const BoundingBox box = bounding_box(mesh);
    std::vector<int> expected;
    for (int v = 0; v < mesh.vertex_count(); ++v)
      if (mesh.vertices(axis, v) == (high ? box.max(axis) : box.min(axis))) expected.push_back(v);
    EXPECT_EQ(model.simulation->fixed, expected) << side;
  }
  EXPECT_EQ(run_limber(folder.path(), "reduce beam.msh -o m.glb --modes 3 --rank 4 --hold left,right").status,
            0);
  EXPECT_EQ(run_limber(folder.path(), "reduce --hold bottom beam.msh -o m.glb --modes 3 --rank 4").status, 0)
      << "the option takes one word";
  expect_refused(folder, "reduce beam.msh -o m.glb --hold botom", "did you mean 'bottom'?");
  expect_refused(folder, "reduce beam.msh -o m.glb --hold left,", "--hold: unknown side ''");
  expect_refused(folder, "reduce beam.msh -o m.glb --hold top --free",
                 "--free and --hold exclude each other");
}

TEST(AnyFile, ALoosePartIsNamedAndDoesNotFreeTheBody) {
  const ScratchFolder folder;
  write_surface(folder / "two.off", both(ball_at({0, 0, 0}, 0.5), ball_at({0, 0, 1.5}, 0.4)));
  const auto result =
      run_limber(folder.path(), "reduce two.off -o two.glb --cells 12 --modes 4 --rank 6 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "a part of ")) << result.err;
  EXPECT_TRUE(contains(result.err, "hangs together with nothing that is held")) << result.err;
  EXPECT_TRUE(contains(result.err, ", 1.5)")) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["rigid_modes"], 0);
  EXPECT_EQ(found["left_out"]["parts"], 1);
  EXPECT_GT(found["left_out"]["elements"], 10);
  EXPECT_NEAR(found["size"][2].get<double>(), 1.0, 0.1) << "of what is left";
  const Model model = read_model(folder / "two.glb");
  EXPECT_FALSE(model.free);
  const auto run = run_limber(folder.path(), "simulate two.glb -o motion.glb --seconds 0.05");
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(AnyFile, WhatLiesBelowABodyDoesNotTakeItsPlace) {
  const ScratchFolder folder;
  write_surface(folder / "shoe.off", both(ball_at({0, 0, 0}, 0.5), ball_at({0, 0, -0.9}, 0.2)));
  const std::string reduce = "reduce shoe.off -o m.glb --cells 16 --modes 3 --rank 4 --json";
  const auto result = run_limber(folder.path(), reduce);
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["left_out"]["elements"], 0) << result.err;
  EXPECT_EQ(found["rigid_modes"], 0);
  EXPECT_NEAR(found["size"][2].get<double>(), 1.6, 0.1);
  const SimulationMesh mesh = *read_model(folder / "m.glb").parts.front().model.simulation;
  const auto holds = [&](double from, double to) {
    return std::any_of(mesh.fixed.begin(), mesh.fixed.end(), [&](int v) {
      return mesh.mesh.vertices(2, v) > from && mesh.mesh.vertices(2, v) < to;
    });
  };
  EXPECT_TRUE(holds(-0.55, -0.4)) << "the body";
  EXPECT_TRUE(holds(-1.2, -0.65)) << "what lies below it";
  EXPECT_FALSE(holds(-0.4, 1.0));
  expect_refused(folder, reduce + " --hold bottom",
                 "hang together with what is held, expected at least half");
}

/// Beside a beam some tetrahedra that touch nothing.
VolumeMesh with_crumbs(int count) {
  VolumeMesh mesh = test::tiny_beam();
  const Index vertices = mesh.vertex_count(), elements = mesh.element_count();
  mesh.vertices.conservativeResize(3, vertices + 4 * count);
  mesh.elements.conservativeResize(4, elements + count);
  mesh.region.resize(static_cast<std::size_t>(elements + count), 0);
  for (int c = 0; c < count; ++c) {
    const Index v = vertices + 4 * c;
    const Vector3 corner(0.05 * c, 0.0, 1.0);
    mesh.vertices.col(v) = corner;
    for (int i = 0; i < 3; ++i) mesh.vertices.col(v + 1 + i) = corner + 0.01 * Vector3::Unit(i);
    for (int i = 0; i < 4; ++i) mesh.elements(i, elements + c) = static_cast<int>(v) + i;
  }
  return mesh;
}

TEST(AnyFile, OfManyLoosePartsThreeAreNamed) {
  const ScratchFolder folder;
  const Index beam = test::tiny_beam().element_count();
  write_mesh(folder / "some.msh", with_crumbs(7));
  const auto result = run_limber(folder.path(), "reduce some.msh -o m.glb --modes 3 --rank 4 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(test::line_count(result.err), 4) << result.err;
  EXPECT_TRUE(contains(result.err, "and 4 more with 4 elements, which are left out, too")) << result.err;
  EXPECT_EQ(json::parse(result.out)["left_out"], (json{{"parts", 7}, {"elements", 7}}));
  EXPECT_EQ(json::parse(result.out)["elements"], beam);
  write_mesh(folder / "most.msh", with_crumbs(static_cast<int>(beam) + 1));
  expect_refused(folder, "reduce most.msh -o other.glb --fixed-where 'z < 0.5'",
                 fmt::format("of its {} elements {} hang together", 2 * beam + 1, beam));
}

TEST(AnyFile, OfABodyOfLoosePartsTheLargestAreHeldWhereNothingIsSaid) {
  const ScratchFolder folder;
  SurfaceMesh balls = ball_at({0, 0, 0}, 0.5);
  for (const int i : {1, 2, 3}) balls = both(balls, ball_at({0, 0, 1.2 * i}, 0.5 - 0.03 * i));
  write_surface(folder / "balls.off", balls);
  const auto result =
      run_limber(folder.path(), "reduce balls.off -o balls.glb --cells 30 --modes 4 --rank 6 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "1 more, the largest, is held in the air at its own bottom"))
      << result.err;
  EXPECT_TRUE(contains(result.err, "it is left out")) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["left_out"]["parts"], 2);
  EXPECT_EQ(found["rigid_modes"], 0);
  EXPECT_NEAR(found["size"][2].get<double>(), 0.5 + 1.2 + 0.47, 0.1);
}

TEST(AnyFile, ANameIsRefusedWhereNumbersSayAll) {
  const ScratchFolder folder;
  const std::string reduce = "reduce builtin:beam -o m.glb --material steel --young 1e6 --poisson 0.3 ";
  expect_refused(folder, reduce + "--density 1000", "--material: a body of given --young, --poisson");
}

TEST(AnyFile, WhatIsShownTakesOnlyOptionsThatItHasAUseFor) {
  const ScratchFolder folder;
  for (const char* option : {"--modes 3", "--hold top", "--fixed-vertices 1", "--fixed-where 'x < 1'"})
    expect_refused(folder, fmt::format("export builtin:oak -o page.html {}", option),
                   ": a tree of parts has");
  expect_refused(folder, "view --no-open --hold top", "--hold: a page without a body");
  expect_refused(folder, "view --no-open --up y", "--up: a page without a body");
  ASSERT_EQ(run_limber(folder.path(), "reduce builtin:beam -o m.glb --modes 3 --rank 4").status, 0);
  expect_refused(folder, "export m.glb -o page.html --up y", "--up: a model, a clip or a scene");
}

TEST(AnyFile, ATreeOfASurfaceSaysWhatItIsMadeOf) {
  const ScratchFolder folder;
  write_surface(folder / "two.off", both(ball_at({0, 0, 0}, 0.5), ball_at({0, 0, 1.5}, 0.4)));
  const std::string reduce = "reduce two.off -o tree.glb --cells 14 --domains auto:2 --rank 4";
  const auto result = run_limber(folder.path(), reduce + " --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_TRUE(found.contains("meshing"));
  EXPECT_TRUE(found["held"]["by_default"].get<bool>());
  EXPECT_EQ(found["left_out"]["parts"], 1);
  EXPECT_NEAR(found["size"][2].get<double>(), 1.0, 0.1);
  const auto told = run_limber(folder.path(), reduce);
  EXPECT_TRUE(contains(told.out, "because nothing else was said")) << told.out;
}

TEST(AnyFile, ABodyThatCollapsesIsToldOf) {
  const ScratchFolder folder;
  const std::string reduce =
      "reduce 'builtin:beam?size=0.03,0.03,0.6&cells=2,2,40' -o m.glb --modes 12 --hold bottom ";
  const std::string simulate = "simulate m.glb -o motion.glb --seconds 3 --gravity 3,0,-9.81";
  ASSERT_EQ(run_limber(folder.path(), reduce + "--material fat").status, 0);
  const auto soft = run_limber(folder.path(), simulate);
  EXPECT_TRUE(contains(soft.err, "it has collapsed")) << soft.err << soft.out;
  ASSERT_EQ(run_limber(folder.path(), reduce + "--material plastic").status, 0);
  const auto stiff = run_limber(folder.path(), simulate);
  EXPECT_FALSE(contains(stiff.err, "collapsed")) << stiff.err;
}

TEST(AnyFile, ModesOfASurface) {
  const ScratchFolder folder;
  write_surface(folder / "ball.off", test::icosphere(2, 0.5));
  const auto result = run_limber(folder.path(), "modes ball.off --count 7 --cells 5 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_LT(found["frequencies_hz"][5].get<double>(), 1e-3 * found["frequencies_hz"][6].get<double>());
}

TEST(AnyFile, OptionsOfTheMesherAreRefusedWhereNothingIsMeshed) {
  const ScratchFolder folder;
  write_mesh(folder / "beam.msh", test::tiny_beam());
  for (const char* command : {"reduce beam.msh -o m.glb", "modes beam.msh", "reduce builtin:beam -o m.glb"})
    expect_refused(folder, fmt::format("{} --cells 5", command),
                   "--cells: a body that has its mesh already has no use for it");
}

#ifdef LIMBER_VIEWER_PAGE

/// The names of the models inside of a page.
std::vector<std::string> names_in(const std::string& page) {
  static const std::regex name(R"re(<script id="limber-model[^>]*data-name="([^"]*)")re");
  std::vector<std::string> names;
  for (std::sregex_iterator found(page.begin(), page.end(), name), end; found != end; ++found)
    names.push_back((*found)[1]);
  return names;
}

TEST(AnyFile, BecomesAPageByOneCommand) {
  const ScratchFolder folder;
  write_surface(folder / "ball.off", test::icosphere(2, 0.5));
  write_mesh(folder / "beam.msh", test::tiny_beam());
  write_file(folder / "scene.json", R"({"bodies": [
    {"name": "one", "mesh": "beam.msh", "fixed": {"where": "x < 0.01"}, "material": {"young": 1e5, "poisson": 0.3}},
    {"name": "two", "mesh": "beam.msh", "position": [0, 1, 0], "fixed": "none",
     "material": {"young": 1e5, "poisson": 0.3}}], "solver": {"type": "dynamic", "timestep": 0.01, "steps": 2}})");
  const std::string fast = " --modes 3 --rank 4";
  for (const auto& [given, expected] :
       {std::pair<std::string, std::vector<std::string>>("ball.off --cells 6" + fast, {"ball.glb"}),
        {"beam.msh" + fast, {"beam.glb"}},
        {fmt::format("'{}'", test::tiny_beam_name) + fast, {"beam.glb"}},
        {"scene.json", {"one.glb", "two.glb"}},
        {"beam.msh ball.off --cells 6" + fast, {"beam.glb", "ball.glb"}}}) {
    const auto result = run_limber(folder.path(), fmt::format("export {} -o page.html", given));
    ASSERT_EQ(result.status, 0) << given << ": " << result.err;
    EXPECT_EQ(names_in(read_file(folder / "page.html")), expected) << given;
  }
  expect_refused(folder, "export scene.json -o other.html --hold bottom", "--hold");
  expect_refused(folder, "export beam.msh -o beam.msh", "beam.msh");
}

TEST(AnyFile, AModelIsNoMesh) {
  const ScratchFolder folder;
  ASSERT_EQ(
      run_limber(folder.path(), fmt::format("reduce '{}' -o m.glb --modes 3 --rank 4", test::tiny_beam_name))
          .status,
      0);
  ASSERT_EQ(run_limber(folder.path(), "simulate m.glb -o clip.glb --seconds 0.1").status, 0);
  const json found = json::parse(run_limber(folder.path(), "inspect clip.glb --json").out);
  EXPECT_EQ(found["type"], "clip");
  EXPECT_EQ(found["frames"], 7);
  EXPECT_NEAR(found["seconds"].get<double>(), 0.1, 1e-6);
  EXPECT_NEAR(found["frames_per_second"].get<double>(), 60.0, 0.01);
  const auto told = run_limber(folder.path(), "inspect clip.glb --picture clip.png");
  EXPECT_TRUE(contains(told.out, "clip, a motion that was recorded")) << told.out << told.err;
  EXPECT_TRUE(read_file(folder / "clip.png").starts_with("\x89PNG"));
  expect_refused(folder, "reduce m.glb -o n.glb", "is a reduced model already");
  expect_refused(folder, "export m.glb -o page.html --hold top", "--hold: a model, a clip or a scene");
}

#endif

}  // namespace
}  // namespace limber::any_file_test
