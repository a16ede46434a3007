#include "limber/io/gltf_animation.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "tests/io/gltf_support.hpp"
#include "tests/support/files.hpp"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <numbers>
#include <numeric>
#include <ostream>

namespace limber::gltf_animation_test {
namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using nlohmann::json;
using test::GltfSample;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double float_error = 1e-6;

/// A glTF document with one animation, which grows channel by channel.
struct AnimationSample : GltfSample {
  explicit AnimationSample(const std::vector<json>& nodes) {
    document["nodes"] = nodes;
    document["animations"] = json::array({{{"samplers", json::array()}, {"channels", json::array()}}});
  }

  json& animation() { return document["animations"][0]; }

  int add_floats(std::string_view type, const std::vector<float>& values) {
    const int size = type == "SCALAR" ? 1 : type == "VEC3" ? 3 : 4;
    return add_accessor(5126, type, static_cast<int>(values.size()) / size,
                        {{"bufferView", add_view(values)}});
  }

  int add_sampler(int input, int output, std::string_view interpolation = "LINEAR") {
    animation()["samplers"].push_back(
        {{"input", input}, {"output", output}, {"interpolation", interpolation}});
    return static_cast<int>(animation()["samplers"].size() - 1);
  }

  void add_channel(int sampler, int node, std::string_view path) {
    animation()["channels"].push_back({{"sampler", sampler}, {"target", {{"node", node}, {"path", path}}}});
  }

  void animate(int node, std::string_view path, const std::vector<float>& times,
               const std::vector<float>& values, std::string_view interpolation = "LINEAR") {
    const int input = add_floats("SCALAR", times);
    const int output = add_floats(path == "rotation" ? "VEC4" : "VEC3", values);
    add_channel(add_sampler(input, output, interpolation), node, path);
  }

  [[nodiscard]] JointAnimation parse(std::string_view name = {}) const {
    GltfSample complete = *this;
    if (complete.bytes.empty()) complete.bytes.resize(4, '\0');  // no buffer is empty
    return parse_gltf_animation(complete.glb(), "walk.glb", name);
  }
};

void append(std::vector<float>& values, const Quaterniond& q) {
  for (const double x : q.coeffs()) values.push_back(static_cast<float>(x));
}

Quaterniond turn(double angle, const Vector3& axis) { return Quaterniond(AngleAxisd(angle, axis)); }

std::vector<float> rotations(const std::vector<Quaterniond>& list) {
  std::vector<float> values;
  for (const Quaterniond& q : list) append(values, q);
  return values;
}

json node(std::string_view name, const std::vector<int>& children = {}) {
  json result = {{"name", name}};
  if (!children.empty()) result["children"] = children;
  return result;
}

TEST(JointAnimation, MovesLinearlyBetweenItsKeys) {
  AnimationSample sample(std::vector<json>{node("a")});
  sample.animate(0, "translation", {1.0F, 3.0F}, {0, 0, 0, 4, -2, 8});
  const JointAnimation animation = sample.parse();
  EXPECT_EQ(animation.duration, 3.0);
  const PoseFunction& motion = animation.motion_of("a");
  EXPECT_EQ(motion(0.0).position, Vector3::Zero()) << "before the first key";
  EXPECT_LT((motion(1.5).position - Vector3(1, -0.5, 2)).norm(), 1e-15);
  EXPECT_EQ(motion(99.0).position, Vector3(4, -2, 8)) << "after the last key";
}

TEST(JointAnimation, TurnsTheShortestWayWithConstantSpeed) {
  const Vector3 axis = Vector3(1.0, 2.0, -2.0) / 3.0;
  AnimationSample sample(std::vector<json>{node("a")});
  Quaterniond end = turn(2.0, axis);
  end.coeffs() *= -1.0;  // the same rotation, the long way for a blend that does not look
  sample.animate(0, "rotation", {0.0F, 1.0F}, rotations({turn(0.5, axis), end}));
  const PoseFunction motion = sample.parse().motion_of("a");
  for (const double t : {0.0, 0.25, 0.5, 1.0}) {
    EXPECT_LT(motion(t).rotation.angularDistance(turn(0.5 + 1.5 * t, axis)), float_error) << t;
    EXPECT_NEAR(motion(t).rotation.norm(), 1.0, 1e-15);
  }
}

TEST(JointAnimation, StepsWhereItIsToldTo) {
  AnimationSample sample(std::vector<json>{node("a")});
  sample.animate(0, "translation", {0.0F, 1.0F, 2.0F}, {1, 0, 0, 2, 0, 0, 3, 0, 0}, "STEP");
  sample.animate(0, "rotation", {0.0F, 1.0F},
                 rotations({Quaterniond::Identity(), turn(1.0, Vector3::UnitX())}), "STEP");
  const PoseFunction motion = sample.parse().motion_of("a");
  EXPECT_EQ(motion(0.999).position.x(), 1.0);
  EXPECT_EQ(motion(1.0).position.x(), 2.0);
  EXPECT_EQ(motion(5.0).position.x(), 3.0);
  EXPECT_LT(motion(0.999).rotation.angularDistance(Quaterniond::Identity()), 1e-7);
  EXPECT_LT(motion(1.0).rotation.angularDistance(turn(1.0, Vector3::UnitX())), float_error);
}

/// Any cubic is met exactly with its own derivatives as tangents.
TEST(JointAnimation, FollowsCubicSplines) {
  const auto cubic = [](double t) { return Vector3(t * t * t - t, 2.0 * t * t, 1.0 - t); };
  const auto slope = [](double t) { return Vector3(3.0 * t * t - 1.0, 4.0 * t, -1.0); };
  AnimationSample sample(std::vector<json>{node("a")});
  std::vector<float> values;
  const std::vector<float> times{0.0F, 0.5F, 2.0F};
  for (const float time : times) {
    for (const Vector3& column : {slope(time), cubic(time), slope(time)}) {
      for (const double x : column) values.push_back(static_cast<float>(x));
    }
  }
  sample.animate(0, "translation", times, values, "CUBICSPLINE");
  const PoseFunction motion = sample.parse().motion_of("a");
  for (double t = 0.0; t <= 2.0; t += 0.125) EXPECT_LT((motion(t).position - cubic(t)).norm(), 1e-14) << t;
}

TEST(JointAnimation, FollowsCubicSplinesOfRotations) {
  AnimationSample sample(std::vector<json>{node("a")});
  const Quaterniond end = turn(1.0, Vector3::UnitY());
  std::vector<float> values(4, 0.0F);
  append(values, Quaterniond::Identity());
  values.resize(16, 0.0F);
  append(values, end);
  values.resize(24, 0.0F);
  sample.animate(0, "rotation", {0.0F, 1.0F}, values, "CUBICSPLINE");
  const PoseFunction motion = sample.parse().motion_of("a");
  EXPECT_LT(motion(0.5).rotation.angularDistance(turn(0.5, Vector3::UnitY())), float_error);
  EXPECT_LT(motion(1.0).rotation.angularDistance(end), float_error);
  const double h = 1e-4;  // tangents of 0: at rest at its keys
  EXPECT_LT(motion(h).rotation.angularDistance(Quaterniond::Identity()) / h, 1e-2);
}

/// Root at (1, 0, 0), turned by 90 degrees about z and twice as large; its child at (0, 3, 0) turns about x.
TEST(JointAnimation, AppliesAllParents) {
  json root = node("root", {1});
  root["translation"] = {1.0, 0.0, 0.0};
  root["scale"] = {2.0, 2.0, 2.0};
  json child = node("child");
  child["translation"] = {0.0, 3.0, 0.0};
  AnimationSample sample(std::vector<json>{root, child});
  const double quarter = 0.5 * std::numbers::pi;
  sample.animate(0, "rotation", {0.0F, 1.0F},
                 rotations({Quaterniond::Identity(), turn(quarter, Vector3::UnitZ())}));
  sample.animate(1, "rotation", {0.0F, 1.0F},
                 rotations({Quaterniond::Identity(), turn(0.5, Vector3::UnitX())}));
  const PoseFunction motion = sample.parse().motion_of("child");
  EXPECT_LT((motion(0.0).position - Vector3(1, 6, 0)).norm(), float_error);
  EXPECT_LT((motion(1.0).position - Vector3(-5, 0, 0)).norm(), 10 * float_error);
  EXPECT_LT(
      motion(1.0).rotation.angularDistance(turn(quarter, Vector3::UnitZ()) * turn(0.5, Vector3::UnitX())),
      float_error);
}

TEST(JointAnimation, AppliesAnimatedScalesToPositionsBelow) {
  json child = node("child");
  child["translation"] = {1.0, 1.0, 1.0};
  AnimationSample sample(std::vector<json>{node("root", {1}), child});
  sample.animate(0, "scale", {0.0F, 1.0F}, {1, 1, 1, 3, 1, -1});
  const JointAnimation animation = sample.parse();
  EXPECT_LT((animation.motion_of("child")(0.5).position - Vector3(2, 1, 0)).norm(), 1e-15);
  EXPECT_EQ(animation.motion_of("root")(0.5).position, Vector3::Zero());
  EXPECT_EQ(animation.motion_of("child")(0.5).rotation.angularDistance(Quaterniond::Identity()), 0.0);
}

/// Translation, rotation and scale that a matrix stands for; scale: also a mirroring one.
class JointAnimationOfMatrices : public testing::TestWithParam<double> {};

TEST_P(JointAnimationOfMatrices, TakesThemApart) {
  const Quaterniond rotation = turn(0.7, Vector3(0.6, 0.0, 0.8));
  const Eigen::Affine3d transform =
      Eigen::Translation3d(1, 2, 3) * rotation * Eigen::Scaling(GetParam(), 3.0, 0.5);
  json root = node("root", {1});
  root["matrix"] = std::vector<double>(transform.matrix().data(), transform.matrix().data() + 16);
  json child = node("child");
  child["translation"] = {1.0, 1.0, 1.0};
  AnimationSample sample(std::vector<json>{root, child});
  const JointAnimation animation = sample.parse();
  EXPECT_LT((animation.motion_of("child")(0.0).position - transform * Vector3::Ones()).norm(), 1e-14);
  EXPECT_LT(animation.motion_of("root")(0.0).rotation.angularDistance(rotation), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(All, JointAnimationOfMatrices, testing::Values(2.0, -2.0),
                         [](const testing::TestParamInfo<double>& scale) {
                           return scale.param > 0.0 ? "proper" : "mirroring";
                         });

TEST(JointAnimation, ReadsRotationsOfNormalizedIntegers) {
  AnimationSample sample(std::vector<json>{node("a")});
  const int output = sample.add_accessor(
      5122, "VEC4", 1,
      {{"bufferView", sample.add_view(std::vector<std::int16_t>{0, 0, 23170, 23170})}, {"normalized", true}});
  sample.add_channel(sample.add_sampler(sample.add_floats("SCALAR", {0.0F}), output), 0, "rotation");
  const Pose pose = sample.parse().motion_of("a")(0.0);
  EXPECT_LT(pose.rotation.angularDistance(turn(0.5 * std::numbers::pi, Vector3::UnitZ())), 1e-7);
}

TEST(JointAnimation, SharesSamplersBetweenChannels) {
  AnimationSample sample(std::vector<json>{node("a"), node("b")});
  sample.animate(0, "translation", {0.0F, 1.0F}, {0, 0, 0, 1, 2, 3});
  sample.add_channel(0, 1, "translation");
  EXPECT_EQ(sample.parse().motion_of("b")(1.0).position, Vector3(1, 2, 3));
}

TEST(JointAnimation, SharesAccessorsBetweenManySamplers) {
  std::vector<json> nodes;
  for (int n = 0; n < 200; ++n) nodes.push_back(node(fmt::format("n{}", n)));
  AnimationSample sample(nodes);
  const int input = sample.add_floats("SCALAR", {0.0F, 1.0F});
  const int output = sample.add_floats("VEC3", {0, 0, 0, 1, 2, 3});
  for (int n = 0; n < 200; ++n) sample.add_channel(sample.add_sampler(input, output), n, "translation");
  EXPECT_EQ(sample.parse().motion_of("n199")(1.0).position, Vector3(1, 2, 3));
}

TEST(JointAnimation, PassesOverWhatIsNoMotionOfANode) {
  AnimationSample sample(std::vector<json>{node("a")});
  sample.animation()["channels"] = {{{"sampler", 7}, {"target", {{"node", 0}, {"path", "weights"}}}},
                                    {{"sampler", 8}, {"target", {{"path", "pointer"}}}}};
  const JointAnimation animation = sample.parse();
  EXPECT_EQ(animation.duration, 0.0);
  EXPECT_EQ(animation.motion_of("a")(1.0).position, Vector3::Zero());
}

TEST(JointAnimation, IsTheFirstOrTheOneOfThatName) {
  AnimationSample sample(std::vector<json>{node("a")});
  sample.animate(0, "translation", {0.0F}, {1, 0, 0});
  sample.animation()["name"] = "walk";
  json other = sample.animation();
  other["name"] = "run";
  other["samplers"][0]["output"] = sample.add_floats("VEC3", {2, 0, 0});
  sample.document["animations"].push_back(other);
  EXPECT_EQ(sample.parse().motion_of("a")(0.0).position.x(), 1.0);
  EXPECT_EQ(sample.parse("walk").motion_of("a")(0.0).position.x(), 1.0);
  EXPECT_EQ(sample.parse("run").motion_of("a")(0.0).position.x(), 2.0);
  EXPECT_EQ(test::error_text([&] { (void)sample.parse("walks"); }),
            "walk.glb: no animation is called 'walks'; did you mean 'walk'?");
  EXPECT_EQ(test::error_text([&] { (void)sample.parse("summersault"); }),
            "walk.glb: no animation is called 'summersault'; known are walk, run");
}

TEST(JointAnimation, SaysWhereNoAnimationHasAName) {
  const AnimationSample sample(std::vector<json>{node("a")});
  EXPECT_THAT(test::error_text([&] { (void)sample.parse("walk"); }), HasSubstr("none has a name"));
}

TEST(JointAnimation, NamesItsJoints) {
  AnimationSample sample(std::vector<json>{node("hip"), json::object(), node("knee"), node("knee")});
  const JointAnimation animation = sample.parse();
  ASSERT_EQ(animation.joints.size(), 4U);
  EXPECT_EQ(animation.joints[1].name, "node 1");
  EXPECT_NO_THROW((void)animation.motion_of("node 1"));
  EXPECT_EQ(test::error_text([&] { (void)animation.motion_of("hips"); }),
            "walk.glb: has no joint 'hips'; did you mean 'hip'?");
  EXPECT_EQ(test::error_text([&] { (void)animation.motion_of("shoulder"); }),
            "walk.glb: has no joint 'shoulder'; known are hip, node 1, knee, knee");
  EXPECT_EQ(test::error_text([&] { (void)animation.motion_of("knee"); }),
            "walk.glb: has several joints 'knee', expected one; rename the others");
}

TEST(JointAnimation, KeepsMessagesShortWhateverTheNames) {
  std::vector<json> nodes;
  for (int n = 0; n < 1000; ++n) nodes.push_back(node(std::string(1000, 'x').append("\n")));
  const JointAnimation animation = AnimationSample(nodes).parse();
  const std::string text = test::error_text([&] { (void)animation.motion_of("hand"); });
  EXPECT_THAT(text, HasSubstr("xxx..., ..."));
  EXPECT_LT(text.size(), 500U);
}

TEST(JointAnimation, SaysWhichJointIsNowhere) {
  std::vector<json> nodes;
  for (int n = 0; n < 10; ++n) {
    json item = n < 9 ? node(fmt::format("n{}", n), {n + 1}) : node("tip");
    item["scale"] = {1e200, 1.0, 1.0};
    item["translation"] = {1.0, 0.0, 0.0};
    nodes.push_back(item);
  }
  const JointAnimation animation = AnimationSample(nodes).parse();
  EXPECT_THAT(test::error_text([&] { (void)animation.motion_of("tip")(0.5); }),
              HasSubstr("walk.glb: the joint 'tip' is nowhere at 0.5 s"));
}

TEST(JointAnimation, IsReadFromFilesAndTheirBuffers) {
  AnimationSample sample(std::vector<json>{node("a")});
  sample.animate(0, "translation", {0.0F}, {1, 2, 3});
  const test::ScratchFolder folder;
  json document = sample.document;
  document["buffers"] = json::array({{{"byteLength", sample.bytes.size()}, {"uri", "data.bin"}}});
  write_file(folder / "walk.gltf", document.dump());
  write_file(folder / "data.bin", sample.bytes);
  EXPECT_EQ(read_joint_animation(folder / "walk.gltf").motion_of("a")(0.0).position, Vector3(1, 2, 3));
  write_file(folder / "walk.glb", sample.glb());
  EXPECT_EQ(read_joint_animation(folder / "walk.glb").motion_of("a")(0.0).position, Vector3(1, 2, 3));
}

/// A change of a document and what its refusal must say.
struct Forgery {
  std::string name;  ///< of the test, in camel case
  std::function<void(AnimationSample&)> change;
  std::string message;  ///< a part of it
};

std::ostream& operator<<(std::ostream& stream, const Forgery& forgery) { return stream << forgery.name; }

/// Nodes root > a, b; channel 0 moves a, channel 1 turns b. Accessors: 0 and 2 times, 1 places, 3
/// quaternions.
AnimationSample good_sample() {
  AnimationSample sample(std::vector<json>{node("root", {1, 2}), node("a"), node("b")});
  sample.animate(1, "translation", {0.0F, 1.0F}, {0, 0, 0, 1, 2, 3});
  sample.animate(2, "rotation", {0.0F, 1.0F, 2.0F},
                 rotations({Quaterniond::Identity(), turn(1.0, Vector3::UnitX()), Quaterniond::Identity()}));
  return sample;
}

const std::vector<Forgery> forgeries{
    {"NoAnimations", [](AnimationSample& s) { s.document.erase("animations"); },
     "has no animations, expected one at least"},
    {"EmptyAnimations", [](AnimationSample& s) { s.document["animations"] = json::array(); },
     "has no animations"},
    {"NoNodes", [](AnimationSample& s) { s.document.erase("nodes"); }, "'nodes' is missing"},
    {"NoChannels", [](AnimationSample& s) { s.animation().erase("channels"); },
     "animations[0]: 'channels' is missing"},
    {"NoSamplers", [](AnimationSample& s) { s.animation().erase("samplers"); },
     "channels[0].sampler: names item 0 of 'samplers', which has none"},
    {"OwnParent", [](AnimationSample& s) { s.document["nodes"][1]["children"] = {0}; },
     "is its own parent, at least in the end"},
    {"OwnChild",
     [](AnimationSample& s) {
       s.document["nodes"].push_back({{"children", {3}}});
     },
     "node 3 is its own parent"},
    {"TwoParents", [](AnimationSample& s) { s.document["nodes"][1]["children"] = {2}; },
     "nodes[1].children[0]: is a child of node 0 too, expected one parent"},
    {"ChildOutOfRange",
     [](AnimationSample& s) {
       s.document["nodes"][0]["children"] = {1, 3};
     },
     "nodes[0].children[1]: expected an integer from 0 to 2, found 3"},
    {"NodeOutOfRange", [](AnimationSample& s) { s.animation()["channels"][0]["target"]["node"] = 3; },
     "channels[0].target.node: expected an integer from 0 to 2, found 3"},
    {"UnknownPath", [](AnimationSample& s) { s.animation()["channels"][0]["target"]["path"] = "colour"; },
     "channels[0].target.path: expected translation, rotation, scale or weights, found 'colour'"},
    {"AnimatedTwice",
     [](AnimationSample& s) { s.animation()["channels"].push_back(s.animation()["channels"][1]); },
     "channels[2]: animates the rotation of 'b' again"},
    {"UnknownInterpolation",
     [](AnimationSample& s) { s.animation()["samplers"][0]["interpolation"] = "BEZIER"; },
     "samplers[0].interpolation: expected STEP, LINEAR or CUBICSPLINE, found 'BEZIER'"},
    {"SamplerOutOfRange", [](AnimationSample& s) { s.animation()["channels"][0]["sampler"] = 2; },
     "channels[0].sampler: expected an integer from 0 to 1, found 2"},
    {"InputOutOfRange", [](AnimationSample& s) { s.animation()["samplers"][0]["input"] = 4; },
     "samplers[0].input: expected an integer from 0 to 3, found 4"},
    {"FewerValuesThanKeys", [](AnimationSample& s) { s.document["accessors"][3]["count"] = 2; },
     "samplers[1].output: has 2 elements for 3 keys, expected 3"},
    {"CubicWithoutTangents",
     [](AnimationSample& s) { s.animation()["samplers"][0]["interpolation"] = "CUBICSPLINE"; },
     "samplers[0].output: has 2 elements for 2 keys, expected 6"},
    {"PlacesAsQuaternions", [](AnimationSample& s) { s.animation()["samplers"][1]["output"] = 1; },
     "samplers[1].output: has elements of 3 x 1 numbers, expected quaternions (VEC4)"},
    {"QuaternionsAsPlaces", [](AnimationSample& s) { s.animation()["samplers"][0]["output"] = 3; },
     "samplers[0].output: has elements of 4 x 1 numbers, expected vectors (VEC3)"},
    {"PlacesAsTimes", [](AnimationSample& s) { s.animation()["samplers"][0]["input"] = 1; },
     "samplers[0].input: has elements of 3 x 1 numbers, expected times (SCALAR)"},
    {"TimesNotAscending",
     [](AnimationSample& s) {
       s.animation()["samplers"][0]["input"] = s.add_floats("SCALAR", {1.0F, 1.0F});
     },
     "samplers[0].input: keys 0 and 1 are at 1 s and 1 s, expected ascending times"},
    {"TimeNotFinite",
     [](AnimationSample& s) {
       s.animation()["samplers"][0]["input"] = s.add_floats("SCALAR", {0.0F, std::nanf("")});
     },
     "element 1 is not finite"},
    {"QuaternionOfNoLength",
     [](AnimationSample& s) {
       s.animation()["samplers"][1]["output"] = s.add_floats("VEC4", {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1});
     },
     "samplers[1].output: element 1 is a quaternion of length 0, expected 1"},
    {"AccessorsShareBytes",
     [](AnimationSample& s) {
       std::vector<float> many(1800);
       std::iota(many.begin(), many.end(), 0.0F);
       const int view = s.add_view(many);
       const int input = s.add_accessor(5126, "SCALAR", 600, {{"bufferView", view}});
       for (int n = 0; n < 100; ++n) {
         s.document["nodes"].push_back(json::object());
         const int output = s.add_accessor(5126, "VEC3", 600, {{"bufferView", view}});
         s.add_channel(s.add_sampler(input, output), 3 + n, "translation");
       }
     },
     "more numbers than the file has bytes"},
    {"MatrixThatFlattens",
     [](AnimationSample& s) {
       s.document["nodes"][0]["matrix"] = {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1};
     },
     "nodes[0].matrix: flattens space"},
    {"MatrixOfZeros",
     [](AnimationSample& s) {
       s.document["nodes"][0]["matrix"] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
     },
     "nodes[0].matrix: flattens space"},
    {"RotationOfZeros",
     [](AnimationSample& s) {
       s.document["nodes"][1]["rotation"] = {0, 0, 0, 0};
     },
     "nodes[1].rotation: expected a unit quaternion"},
};

class JointAnimationRefusal : public testing::TestWithParam<Forgery> {};

TEST_P(JointAnimationRefusal, SaysWhatIsWrong) {
  AnimationSample sample = good_sample();
  ASSERT_NO_THROW((void)sample.parse());
  GetParam().change(sample);
  const std::string message = test::error_text([&] { (void)sample.parse(); });
  EXPECT_THAT(message, StartsWith("walk.glb: "));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_LT(message.size(), 400U) << message;
}

INSTANTIATE_TEST_SUITE_P(All, JointAnimationRefusal, testing::ValuesIn(forgeries),
                         [](const testing::TestParamInfo<Forgery>& forgery) { return forgery.param.name; });

TEST(JointAnimationRefusal, NamesForeignFiles) {
  EXPECT_EQ(test::error_text([&] { (void)parse_gltf_animation("solid ascii", "walk.glb"); }),
            "walk.glb: is not a glTF file, expected an animation (.glb or .gltf)");
}

TEST(JointAnimationRefusal, MeetsAFileCutOffAnywhere) {
  const std::string content = good_sample().glb();
  for (std::size_t length = 0; length < content.size(); ++length) {
    EXPECT_THROW((void)parse_gltf_animation(std::string_view(content).substr(0, length), "walk.glb"), Error)
        << length;
  }
}

}  // namespace
}  // namespace limber::gltf_animation_test
