#include "limber/run/motion_recorder.hpp"

#include "limber/body/mesh_body.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/run/clip.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

namespace limber::motion_recorder_test {
namespace {

using test::Clip;
using test::contains;
using test::error_text;
using test::ScratchFolder;

const Vector3 gravity(0.0, 0.0, -9.81);

VolumeMesh beam() { return make_beam({.size = {1.0, 0.2, 0.2}, .cells = {4, 1, 1}}); }

std::vector<int> ends(const VolumeMesh& mesh, bool held) {
  return held ? test::vertices_below(mesh, 1e-9) : std::vector<int>{};
}

/// A soft beam, held at x = 0 or by nothing.
std::shared_ptr<const Model> beam_model(bool held) {
  const VolumeMesh mesh = beam();
  const FullModel full(mesh, {test::material("stvk", 5e5)}, ends(mesh, held));
  ReduceOptions options;
  options.basis.modes = 3;
  options.basis.rank = 6;
  ReduceReport report;
  return std::make_shared<const Model>(make_model(reduce(full, {}, {}, options, report)));
}

/// The same as a tree of domains.
std::shared_ptr<const Model> beam_tree(bool held) {
  SceneBody body;
  body.name = "tree";
  body.mesh = beam();
  body.materials = {test::material("stvk", 5e5)};
  body.fixed.vertices = ends(body.mesh, held);
  body.domains.emplace();
  body.domains->from = DomainSource::automatic;
  body.domains->count = 2;
  body.domains->rank = 4;
  TreeReduceReport report;
  return find_tree(body, Executor(1), {}, report);
}

Body made(const std::shared_ptr<const Model>& model, Method method = Method::reduced) {
  Body body(model);
  body.set_method(method);
  body.set_gravity(gravity);
  return body;
}

Body full_beam() {
  MeshBodySetup setup;
  setup.name = "full";
  setup.mesh = beam();
  setup.materials = {test::material("stvk", 5e5)};
  setup.fixed = ends(setup.mesh, true);
  Body body = make_full_body(std::move(setup));
  body.set_gravity(gravity);
  return body;
}

Body flying(const std::shared_ptr<const Model>& model) {
  Body body = made(model);
  body.set_velocity({0.5, 0.0, 2.0}, {0.0, 6.0, 1.0});
  return body;
}

PoseFunction swing() {
  return [](double t) {
    return Pose{Vector3(0.0, 0.3 * t, 0.0), Eigen::Quaterniond(Eigen::AngleAxisd(2.0 * t, Vector3::UnitZ()))};
  };
}

/// Where the surfaces of all bodies were in each frame, as viewers show them.
struct Filmed {
  std::vector<std::vector<Matrix3X>> frames;

  void look(const World& world) {
    const Matrix3 turn = rotation_between(-gravity, Vector3::UnitY()).toRotationMatrix();
    frames.emplace_back();
    for (Index i = 0; i < world.body_count(); ++i) {
      const Body& body = world.body(i);
      frames.back().push_back(turn * (body.surface().mesh().vertices + body.surface_displacement()));
    }
  }
};

constexpr int steps = 10;

/// Steps a world and records each step.
Filmed film(World& world, MotionRecorder& recorder) {
  constexpr double h = 0.02;
  Filmed filmed;
  for (int i = 0; i <= steps; ++i) {
    const bool stepped = i == 0 || world.step(h).ok();
    EXPECT_TRUE(stepped) << i;
    recorder.add(i * h);
    filmed.look(world);
  }
  return filmed;
}

// Floats have 24 bits, and each shape is a sum of a few of them.
constexpr double float_error = 1e-5;
// What fits are allowed, for a body of about 1 m.
constexpr double fit_error = 1.2e-4;

void expect_shown(const Filmed& filmed, const Clip& clip, std::size_t body, double tolerance) {
  for (std::size_t f = 0; f < filmed.frames.size(); ++f) {
    const Matrix3X shown = clip.positions(body, static_cast<Index>(f));
    const Matrix3X& there = filmed.frames[f][body];
    ASSERT_EQ(shown.cols(), there.cols());
    EXPECT_LT((shown - there).colwise().norm().maxCoeff(), tolerance) << "body " << body << ", frame " << f;
  }
}

TEST(MotionRecorder, ShowsBodiesOfAllMethodsWhereTheyWere) {
  const ScratchFolder folder;
  World world;
  world.add(made(beam_model(true)));
  world.add(flying(beam_model(false)));
  Body carried = made(beam_model(true), Method::warped);
  carried.set_support(swing());
  world.add(std::move(carried));
  world.add(full_beam());
  MotionRecorder recorder(world, {.names = {"held", "flying", "carried", "full"}});
  const Filmed filmed = film(world, recorder);
  const std::vector<AnimationFit> fits = recorder.write(folder / "motion.glb");
  ASSERT_EQ(fits.size(), 2U);
  EXPECT_EQ(fits[0].body, "carried");
  EXPECT_EQ(fits[1].body, "full");
  const Clip clip(folder / "motion.glb");
  ASSERT_EQ(clip.node_count(), 4U);
  EXPECT_EQ(clip.node_name(1), "flying");
  EXPECT_FALSE(clip.moves(0, "translation"));
  EXPECT_TRUE(clip.moves(1, "rotation"));
  EXPECT_TRUE(clip.moves(2, "rotation"));
  expect_shown(filmed, clip, 0, float_error);
  expect_shown(filmed, clip, 1, float_error);
  expect_shown(filmed, clip, 2, fit_error);
  expect_shown(filmed, clip, 3, fit_error);
}

TEST(MotionRecorder, ShowsRigidBodiesAndObstacles) {
  const ScratchFolder folder;
  World world;
  world.add(flying(beam_tree(false)));
  RigidBodySetup box;
  box.name = "box";
  const Vector3 box_half(0.1, 0.2, 0.3);
  box.shape = Box{box_half};
  box.pose.position = Vector3(0.0, 0.0, 5.0);
  box.velocity = Vector3(0.3, 0.0, 0.0);
  box.angular_velocity = Vector3(0.0, 3.0, 0.0);
  box.gravity = gravity;
  world.add_rigid(RigidBody(box));
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}, .pose = {Vector3(0.0, 0.0, -2.0)}});
  world.add_obstacle({.name = "wheel", .shape = Sphere{0.3}, .motion = swing()});
  MotionRecorder recorder(world);
  std::vector<Pose> poses;
  for (int i = 0; i <= steps; ++i) {
    ASSERT_TRUE(i == 0 || world.step(0.02).ok()) << i;
    recorder.add(0.02 * i);
    poses.push_back(world.rigid(0).pose());
  }
  recorder.write(folder / "motion.glb");
  const Clip clip(folder / "motion.glb");
  ASSERT_EQ(clip.node_count(), 5U) << "two domains, a body and two obstacles";
  EXPECT_EQ(clip.node_name(2), "box");
  EXPECT_EQ(clip.node_name(3), "ground");
  EXPECT_EQ(clip.node_name(4), "wheel");
  EXPECT_TRUE(clip.moves(2, "translation") && clip.moves(2, "rotation"));
  EXPECT_FALSE(clip.moves(3, "translation") || clip.moves(3, "rotation"));
  EXPECT_TRUE(clip.moves(4, "rotation"));
  const Matrix3 turn = rotation_between(-gravity, Vector3::UnitY()).toRotationMatrix();
  for (int i = 0; i <= steps; ++i) {
    // The middle and the size of the box: its corners are in an order of their own.
    const Matrix3X shown = turn.transpose() * clip.positions(2, i);
    const Pose& pose = poses[static_cast<std::size_t>(i)];
    const Matrix3X own = pose.rotation.inverse().toRotationMatrix() * (shown.colwise() - pose.position);
    EXPECT_LT((own.rowwise().maxCoeff() - box_half).norm(), float_error);
    EXPECT_LT((own.rowwise().minCoeff() + box_half).norm(), float_error);
  }
  // Level, and wider than all that moves.
  const Matrix3X level = turn.transpose() * clip.positions(3, 0);
  EXPECT_LT((level.row(2).array() + 2.0).abs().maxCoeff(), float_error);
  EXPECT_GT(level.row(0).maxCoeff(), 1.0);
  EXPECT_LT(level.row(0).minCoeff(), 0.0);
}

/// Each vertex of a tree near one that a node of its domains shows: copies of a vertex differ a little.
void expect_domains_shown(const Filmed& filmed, const Clip& clip, std::size_t body, std::size_t first) {
  for (std::size_t f = 0; f < filmed.frames.size(); ++f) {
    const Matrix3X a = clip.positions(first, static_cast<Index>(f));
    const Matrix3X b = clip.positions(first + 1, static_cast<Index>(f));
    Matrix3X shown(3, a.cols() + b.cols());
    shown << a, b;
    const Matrix3X& there = filmed.frames[f][body];
    for (Index i = 0; i < there.cols(); ++i)
      EXPECT_LT((shown.colwise() - there.col(i)).colwise().norm().minCoeff(), 0.01)
          << "body " << body << ", frame " << f << ", vertex " << i;
  }
}

TEST(MotionRecorder, WritesATreeDomainByDomain) {
  const ScratchFolder folder;
  const auto model = beam_tree(false);
  World world;
  world.add(flying(model));
  MotionRecorder recorder(world);
  const Filmed filmed = film(world, recorder);
  EXPECT_TRUE(recorder.write(folder / "motion.glb").empty());
  const Clip clip(folder / "motion.glb");
  ASSERT_EQ(clip.node_count(), model->domains.size());
  EXPECT_EQ(clip.node_name(0), model->domains[0].name);
  for (std::size_t d = 0; d < clip.node_count(); ++d) EXPECT_TRUE(clip.moves(d, "rotation")) << d;
  expect_domains_shown(filmed, clip, 0, 0);
}

TEST(MotionRecorder, WritesTreesBesideOthersDomainByDomain) {
  const ScratchFolder folder;
  const auto model = beam_tree(false);
  World world;
  world.add(flying(model));
  world.add(made(beam_tree(true)));
  world.add(made(model));
  world.add(full_beam());
  MotionRecorder recorder(world);
  const Filmed filmed = film(world, recorder);
  EXPECT_EQ(recorder.write(folder / "motion.glb").size(), 1U);
  const Clip clip(folder / "motion.glb");
  ASSERT_EQ(clip.node_count(), 7U);
  EXPECT_EQ(clip.node_name(1), "tree " + model->domains[1].name);
  EXPECT_TRUE(clip.moves(0, "rotation"));
  for (std::size_t body = 0; body < 3; ++body) expect_domains_shown(filmed, clip, body, 2 * body);
  const Matrix3X full = clip.positions(6, steps);
  EXPECT_LT((full - filmed.frames[steps][3]).colwise().norm().maxCoeff(), fit_error);
}

TEST(MotionRecorder, FollowsABodyWhoseRankChanges) {
  const ScratchFolder folder;
  World world;
  world.add(made(beam_model(true)));
  MotionRecorder recorder(world);
  Filmed filmed;
  for (int i = 0; i < 6; ++i) {
    if (i == 3) world.body(0).set_rank(2);
    ASSERT_TRUE(world.step(0.02).ok());
    recorder.add(0.02 * i);
    filmed.look(world);
  }
  recorder.write(folder / "motion.glb");
  expect_shown(filmed, Clip(folder / "motion.glb"), 0, float_error);
}

TEST(MotionRecorder, RefusesWhatItCannotRecord) {
  const ScratchFolder folder;
  World world;
  EXPECT_TRUE(contains(error_text([&] { MotionRecorder recorder(world); }), "at least one body"));
  world.add(made(beam_model(true)));
  EXPECT_TRUE(contains(error_text([&] {
                         MotionRecorder recorder(world, {.names = {"a", "b"}});
                       }),
                       "2 names for the recording of 1 bodies"));
  MotionRecorder recorder(world);
  EXPECT_TRUE(contains(error_text([&] { recorder.write(folder / "m.glb"); }), "nothing was recorded"));
  recorder.add(0.0);
  world.body(0).set_method(Method::warped);
  EXPECT_TRUE(contains(error_text([&] { recorder.add(0.1); }), "its method was 'reduced'"));
  world.body(0).set_method(Method::reduced);
  world.add(made(beam_model(true)));
  EXPECT_TRUE(contains(error_text([&] { recorder.add(0.1); }), "begun with 1"));
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace limber::motion_recorder_test
