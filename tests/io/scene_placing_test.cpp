// Bodies of scenes that stand elsewhere than their files have them.

#include "limber/base/error.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "tests/io/mesh_support.hpp"
#include "tests/support/files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace limber::scene_placing_test {
namespace {

using test::contains;
using test::error_text;
using test::ScratchFolder;

/// A quarter and a bit about a slanted axis.
const Eigen::Quaterniond turn(Eigen::AngleAxisd(1.7, Vector3(1.0, 2.0, -0.5).normalized()));
const Vector3 place(0.3, -2.0, 5.0);

std::string text_of(const Vector3& x) { return fmt::format("[{}, {}, {}]", x.x(), x.y(), x.z()); }

std::string pose_keys() {
  return fmt::format(R"("position": {}, "rotation": [{}, {}, {}, {}])", text_of(place), turn.x(), turn.y(),
                     turn.z(), turn.w());
}

/// A beam, held at one end by the numbers of its vertices unless told.
std::string beam(std::string_view method, std::string_view more) {
  std::string_view basis;
  if (method == "reduced" && !contains(more, "domains")) basis = R"(, "basis": {"modes": 4, "rank": 8})";
  return fmt::format(R"({{"mesh": "builtin:beam?size=1,0.2,0.1&cells=6,2,1", "method": "{}",
      "material": {{"young": 2e5, "poisson": 0.3}}{}{}}})",
                     method, basis, more);
}

Scene scene_of(const std::string& bodies, const Vector3& gravity, std::string_view more = "") {
  return parse_scene(fmt::format(R"({{"bodies": [{}], "gravity": {},
      "solver": {{"type": "dynamic", "timestep": 0.005, "steps": 40}}{}}})",
                                 bodies, text_of(gravity), more),
                     ".", "scene");
}

SceneState run(const Scene& scene) {
  SceneState state = make_state(scene);
  for (int i = 0; i < scene.solver.steps; ++i) EXPECT_TRUE(step(scene, state).ok()) << i;
  return state;
}

/// Least and largest coordinates, along an axis, of what a beam of some more keys holds, and of the beam.
std::array<double, 4> held_along(int axis, const std::string& more, std::string_view of_scene) {
  const Scene scene =
      parse_scene(fmt::format(R"({{"bodies": [{}]{}}})", beam("full", more), of_scene), ".", "scene");
  const SceneBody& body = scene.bodies[0];
  const Eigen::VectorXd x = body.mesh.vertices.row(axis).transpose();
  const std::vector<int> held = select_vertices(body.mesh, body.fixed, "test");
  const Eigen::VectorXd y = x(held);
  return {y.minCoeff(), y.maxCoeff(), x.minCoeff(), x.maxCoeff()};
}

TEST(Rotations, MayBeRoundedToFourDigits) {
  const auto read = [](std::string_view rotation) {
    return scene_of(beam("full", fmt::format(R"(, "rotation": [{}])", rotation)), Vector3::UnitZ())
        .bodies[0]
        .pose.rotation;
  };
  const Eigen::Quaterniond rounded = read("0, 0, 0.2588, 0.9659");
  EXPECT_NEAR(rounded.norm(), 1.0, 1e-15);
  EXPECT_NEAR(
      rounded.angularDistance(Eigen::Quaterniond(Eigen::AngleAxisd(EIGEN_PI / 6.0, Vector3::UnitZ()))), 0.0,
      1e-4);
  EXPECT_TRUE(contains(error_text([&] { (void)read("0, 0, 0.26, 0.97"); }),
                       "this one is of length 1.00424101; divide it by that"));
}

TEST(PlacedSides, AreThoseInTheScene) {
  const std::string upright = R"(, "rotation": [0, -0.7071067811865476, 0, 0.7071067811865476])";  // x to z
  const auto expect_top = [](const std::array<double, 4>& z) {
    EXPECT_NEAR(z[0], z[3], 0.051 * (z[3] - z[2]));
    EXPECT_NEAR(z[1], z[3], 1e-12);
  };
  const std::string top = R"(, "fixed": "top")";
  const std::array<double, 4> standing = held_along(2, top + upright, R"(, "up": "z")");
  EXPECT_NEAR(standing[3] - standing[2], 1.0, 1e-9);
  expect_top(standing);
  expect_top(held_along(2, top + upright, R"(, "gravity": [0, 0, -9.81])"));
  expect_top(held_along(1, top, R"(, "gravity": [0, -9.81, 0])"));
  expect_top(held_along(1, top, R"(, "up": "y", "gravity": [0, 0, -9.81])"));
  expect_top(held_along(2, top, R"(, "gravity": [1, 0, -9.81])"));
  EXPECT_TRUE(
      contains(error_text([&] { held_along(2, top, R"(, "gravity": [0, 0, 9.81])"); }),
               "bodies[0].fixed: gravity says that up is along (0, 0, -1), where sides are not told"));
}

TEST(PlacedSides, BodiesStandByWhatIsUpInTheScene) {
  const auto up = [](std::string_view more, std::string_view of_scene) {
    return parse_scene(fmt::format(R"({{"bodies": [{}]{}}})", beam("full", more), of_scene), ".", "scene");
  };
  EXPECT_EQ(up("", "").bodies[0].up, UpAxis::z);
  EXPECT_EQ(up("", R"(, "gravity": [0, -2, 0])").bodies[0].up, UpAxis::y);
  EXPECT_EQ(up("", R"(, "up": "x", "gravity": 2)").bodies[0].up, UpAxis::x);
  const Scene turned =
      up(R"(, "rotation": [-0.7071067811865476, 0, 0, 0.7071067811865476])", R"(, "gravity": 2)");
  EXPECT_EQ(turned.bodies[0].up, UpAxis::y) << "its z is there";
  EXPECT_EQ(up_of(turned), Vector3::UnitY());
  const Scene tilted =
      up(R"(, "rotation": [0.09983341664682815, 0, 0, 0.9950041652780258])", R"(, "gravity": 2)");
  EXPECT_EQ(tilted.gravity, Vector3(0, 0, -2)) << "the ground is not tilted with it";
}

struct PlacedKind {
  std::string method, more;
};

void PrintTo(const PlacedKind& kind, std::ostream* out) { *out << kind.method << kind.more; }

class PlacedBody : public testing::TestWithParam<PlacedKind> {};

/// Turned with all that acts on it, a body moves as it did, turned.
TEST_P(PlacedBody, MovesAsItWouldWhereItWasMade) {
  const auto& [method, more] = GetParam();
  const bool free = contains(more, "none");
  const Vector3 gravity(0.5, 0.3, -3.0), velocity = free ? Vector3(1.0, 0.2, 0.0) : Vector3::Zero(),
                                         spin = free ? Vector3(0.0, 2.0, 1.0) : Vector3::Zero();
  const auto body = [&](const Vector3& v, const Vector3& w, const std::string& where) {
    return beam(
        method,
        more + where +
            (free ? fmt::format(R"(, "velocity": {}, "angular_velocity": {})", text_of(v), text_of(w)) : ""));
  };
  const Scene made = scene_of(body(velocity, spin, ""), gravity);
  const Scene moved = scene_of(body(turn * velocity, turn * spin, ", " + pose_keys()), turn * gravity);
  const Matrix3 R = turn.toRotationMatrix();
  EXPECT_LE((moved.bodies[0].mesh.vertices - ((R * made.bodies[0].mesh.vertices).colwise() + place)).norm(),
            1e-12);
  const SceneState one = run(made), other = run(moved);
  const Matrix3X expected = R * mesh_displacement(made, one, 0), found = mesh_displacement(moved, other, 0);
  ASSERT_GT(expected.norm(), 0.01);
  const bool cut = contains(more, "domains");  // where that is depends on the axes
  EXPECT_LE((found - expected).norm(), (cut ? 2e-3 : 1e-6) * expected.norm());
  EXPECT_LE((other.body(0).surface_displacement() - R * one.body(0).surface_displacement()).norm(),
            (cut ? 2e-3 : 1e-4) * one.body(0).surface_displacement().norm());  // drawn in floats
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, PlacedBody,
    testing::Values(PlacedKind{"full", ""}, PlacedKind{"reduced", ""}, PlacedKind{"linear", ""},
                    PlacedKind{"warped", ""}, PlacedKind{"full", R"(, "fixed": "none")"},
                    PlacedKind{"reduced", R"(, "fixed": "none")"},
                    PlacedKind{"reduced", R"(, "domains": {"from": "auto", "count": 2, "rank": 5})"}));

TEST(PlacedBody, ThoseAlikeAreReducedOnce) {
  const std::string first = beam("reduced", R"(, "fixed": "none", "name": "first")"),
                    second =
                        beam("reduced",
                             R"(, "fixed": "none", "name": "second", "velocity": [0, 0, 1], )" + pose_keys());
  Scene scene = scene_of(first + ", " + second + ", " + beam("reduced", ""), Vector3(0.0, 0.0, -9.81),
                         R"(, "ground": {"height": -0.3})");
  EXPECT_FALSE(scene.bodies[0].alike);
  ASSERT_EQ(scene.bodies[1].alike, std::optional<std::size_t>(0));
  EXPECT_FALSE(scene.bodies[2].alike);  // it is held
  const SceneState together = run(scene);
  EXPECT_EQ(together.body(0).name(), "first");
  EXPECT_EQ(together.body(1).name(), "second") << "which is how messages call it";
  EXPECT_EQ(together.body(1).model().parts.front().model.surface.mesh.vertices,
            together.body(0).model().parts.front().model.surface.mesh.vertices);
  {
    const SceneState again = run(scene);
    EXPECT_EQ(together.body(0).state().q, again.body(0).state().q);
    EXPECT_EQ(together.body(1).state().q, again.body(1).state().q);
  }
  scene.bodies[1].alike.reset();
  const SceneState apart = run(scene);
  const Matrix3X expected = mesh_displacement(scene, apart, 1);
  EXPECT_LE((mesh_displacement(scene, together, 1) - expected).norm(), 1e-5 * expected.norm());
}

TEST(PlacedBody, OthersAreNotTakenForAlike) {
  const auto alike = [](const std::string& other) {
    return scene_of(beam("reduced", R"(, "fixed": "none")") + ", " + other, Vector3::UnitZ()).bodies[1].alike;
  };
  EXPECT_TRUE(alike(beam("reduced", R"(, "fixed": "none", "position": [0, 0, 3])")));
  EXPECT_FALSE(alike(beam("linear", R"(, "fixed": "none")")));
  EXPECT_FALSE(alike(beam("warped", R"(, "fixed": "none")")));
  EXPECT_FALSE(alike(beam("reduced", R"(, "fixed": "none", "mass": "lumped")")));
  EXPECT_FALSE(alike(beam("reduced", R"(, "fixed": {"vertices": [0, 1, 2, 3]})")));
}

TEST(PlacedBody, SelectionsSeeItWhereItStands) {
  const Scene scene =
      scene_of(beam("full", R"(, "position": [2, 0, 0], "fixed": {"where": "x < 2.01"})"), Vector3::UnitZ());
  const SceneState state = run(scene);
  EXPECT_GT(mesh_displacement(scene, state, 0).norm(), 0.0);
}

TEST(PlacedBody, SketchesAreOfTheBodyAsItsFileHasIt) {
  const ScratchFolder folder;
  const std::vector<SketchForce> sketch{{Vector3(1.0, 0.0, 0.0), Vector3(0.0, 2.0, -5.0)},
                                        {Vector3(1.0, 0.1, 0.05), Vector3(0.0, 3.0, 1.0)}};
  write_sketch(folder / "pulls.json", sketch);
  const std::string text =
      R"({"bodies": [{"mesh": "builtin:beam?size=1,0.2,0.1&cells=6,2,1", "method": "reduced",
      "material": {"young": 2e5, "poisson": 0.3}, "basis": {"modes": 0, "rank": 2, "sketch": "pulls.json"}WHERE}],
      "gravity": GRAVITY, "solver": {"type": "dynamic", "timestep": 0.005, "steps": 40}})";
  const auto scene = [&](const std::string& where, const Vector3& gravity) {
    return parse_scene(test::replaced(test::replaced(text, "WHERE", where), "GRAVITY", text_of(gravity)),
                       folder.path(), "scene");
  };
  const Vector3 gravity(0.0, 1.0, -3.0);
  const Scene made = scene("", gravity), moved = scene(", " + pose_keys(), turn * gravity);
  const SceneState one = run(made), other = run(moved);
  const Matrix3X expected = turn.toRotationMatrix() * mesh_displacement(made, one, 0);
  ASSERT_GT(expected.norm(), 0.01);
  EXPECT_LE((mesh_displacement(moved, other, 0) - expected).norm(), 1e-6 * expected.norm());
}

TEST(PlacedBody, SaysWhatCannotBeTurned) {
  const auto message = [](std::string_view body) {
    return error_text([&] { (void)scene_of(std::string(body), Vector3::UnitZ()); });
  };
  EXPECT_EQ(
      message(R"({"mesh": "builtin:beam?element=brick&cells=4,1,1", "rotation": [1, 0, 0, 0]})"),
      "scene: bodies[0].rotation: the mesh is of bricks, which keep to the axes; give 'position' alone, or "
      "take tetrahedra");
  EXPECT_TRUE(
      contains(message(R"({"assembly": {"parts": {"link": {"mesh": "builtin:beam?element=brick&cells=4,1,1",
      "fixed": {"where": "x < 0.01"}, "rank": 4}}, "instances": [{"name": "one", "part": "link"}]}, "method": "reduced",
      "rotation": [1, 0, 0, 0]})"),
               "bodies[0].rotation: the mesh is of bricks"));
  EXPECT_TRUE(contains(message(R"({"mesh": "builtin:beam", "rotation": [1, 0, 0, 1]})"),
                       "bodies[0].rotation: a unit quaternion"));
  EXPECT_NO_THROW(scene_of(R"({"mesh": "builtin:beam?element=brick&cells=4,1,1", "position": [1, 0, 0]})",
                           Vector3::UnitZ()));
  EXPECT_TRUE(contains(message(R"({"mesh": "builtin:beam?cells=4,1,1", "method": "reduced",
      "rotation": [1, 0, 0, 0], "basis": {"snapshots": "x.csv"}})"),
                       "bodies[0].basis.snapshots: it is of the body as its file has it"));
}

}  // namespace
}  // namespace limber::scene_placing_test
