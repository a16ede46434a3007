#include "limber/io/bvh_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "tests/support/files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>
#include <string>

namespace limber::bvh_file_test {
namespace {

using test::error_text;
using testing::HasSubstr;

/// Hips with six channels, a thigh and a foot in a chain, and an arm without channels.
const std::string hierarchy = R"(HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left Thigh {
    OFFSET 0 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Foot
    {
      OFFSET 0 -5 0
      CHANNELS 1 Xrotation
      End Site
      {
        OFFSET 0 -1 2
      }
    }
  }
  JOINT Arm
  {
    OFFSET 0 6 0
    CHANNELS 0
    End Site
    {
      OFFSET 3 0 0
    }
  }
}
)";

std::string two_frames(std::string_view first, std::string_view second) {
  return fmt::format("{}MOTION\nFrames: 2\nFrame Time: 0.5\n{}\n{}\n", hierarchy, first, second);
}

Eigen::Quaterniond turn(double degrees, const Vector3& axis) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis));
}

const JointAnimation walk() {
  return parse_bvh(two_frames("10 0 0  0 0 0  0 0 0  0", "20 0 0  90 0 0  30 20 10  40"), "walk.bvh");
}

TEST(Bvh, JointsAreThoseOfTheFileAndTheEndsOfChains) {
  const JointAnimation animation = walk();
  std::vector<std::string> names;
  for (const auto& joint : animation.joints) names.push_back(joint.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Hips", "Left Thigh", "Foot", "Foot end", "Arm", "Arm end"}));
  EXPECT_EQ(animation.duration, 0.5);
}

TEST(Bvh, OffsetsAddUpWherePositionsTakeThePlaceOfTheFirst) {
  const JointAnimation animation = walk();
  EXPECT_LT((animation.motion_of("Hips")(0.0).position - Vector3(10, 0, 0)).norm(), 1e-14);
  EXPECT_LT((animation.motion_of("Foot end")(0.0).position - Vector3(10, -10, 2)).norm(), 1e-14);
  EXPECT_LT((animation.motion_of("Arm end")(0.0).position - Vector3(13, 6, 0)).norm(), 1e-14);
}

TEST(Bvh, RotationsAreAppliedInTheOrderOfTheirChannelsAlongTheChain) {
  const Pose hips{Vector3(20, 0, 0), turn(90, Vector3::UnitZ())};
  const Pose thigh{Vector3(0, -4, 0),
                   turn(30, Vector3::UnitZ()) * turn(20, Vector3::UnitX()) * turn(10, Vector3::UnitY())};
  const Pose foot{Vector3(0, -5, 0), turn(40, Vector3::UnitX())};
  const Pose expected = hips * thigh * foot;
  const Pose found = walk().motion_of("Foot")(0.5);
  EXPECT_LT((found.position - expected.position).norm(), 1e-13);
  EXPECT_LT(found.rotation.angularDistance(expected.rotation), 1e-13);
}

TEST(Bvh, BetweenFramesPositionsGoStraightAndRotationsTheShortestWay) {
  const JointAnimation animation = walk();
  const Pose hips = animation.motion_of("Hips")(0.125);
  EXPECT_LT((hips.position - Vector3(12.5, 0, 0)).norm(), 1e-13);
  EXPECT_LT(hips.rotation.angularDistance(turn(22.5, Vector3::UnitZ())), 1e-13);
  for (const double t : {-1.0, 0.0}) EXPECT_EQ(animation.motion_of("Hips")(t).position, Vector3(10, 0, 0));
  for (const double t : {0.5, 7.0}) EXPECT_EQ(animation.motion_of("Hips")(t).position, Vector3(20, 0, 0));
}

TEST(Bvh, APointBetweenJointsIsTheirMean) {
  const JointAnimation animation = walk();
  const std::vector<std::string> joints{"Hips", "Arm end"};
  const Pose half = animation.motion_between(joints, {})(0.0);
  EXPECT_LT((half.position - Vector3(11.5, 3, 0)).norm(), 1e-13);
  const Pose near = animation.motion_between(joints, {0.75, 0.25})(0.0);
  EXPECT_LT((near.position - Vector3(10.75, 1.5, 0)).norm(), 1e-13);
  const Pose turned = animation.motion_between(std::vector<std::string>{"Hips", "Foot"}, {})(0.5);
  const Eigen::Quaterniond a = animation.motion_of("Hips")(0.5).rotation;
  const Eigen::Quaterniond b = animation.motion_of("Foot")(0.5).rotation;
  EXPECT_LT(turned.rotation.angularDistance(a.slerp(0.5, b)), 1e-12);
  EXPECT_EQ(error_text([&] { (void)animation.motion_between(joints, {0.5}); }),
            "walk.bvh: there are 1 weights for 2 joints, expected one for each");
  EXPECT_EQ(error_text([&] {
              (void)animation.motion_between(joints, {0.5, 0.4});
            }),
            "walk.bvh: the weights of the joints add up to 0.9, expected 1");
  EXPECT_EQ(error_text([&] { (void)animation.motion_between({}, {}); }),
            "walk.bvh: no joint is named, expected one at least");
}

TEST(Bvh, AFileIsReadByWhatItHolds) {
  const test::ScratchFolder folder;
  write_file(folder / "walk.txt", two_frames("10 0 0 0 0 0 0 0 0 0", "20 0 0 90 0 0 30 20 10 40"));
  EXPECT_EQ(read_joint_animation(folder / "walk.txt").joints.size(), 6u);
  EXPECT_EQ(error_text([&] { (void)read_joint_animation(folder / "walk.txt", "run"); }),
            fmt::format("{}: has one motion without a name; leave the name 'run' out",
                        (folder / "walk.txt").string()));
}

TEST(Bvh, WhatIsWrongIsSaidInOneLine) {
  const auto wrong = [](const std::string& content) {
    return error_text([&] { (void)parse_bvh(content, "a.bvh"); });
  };
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = two_frames("10 0 0 0 0 0 0 0 0 0", "20 0 0 90 0 0 30 20 10 40");
    const std::size_t at = text.find(from);
    return wrong(text.replace(at, from.size(), to));
  };
  EXPECT_EQ(with("ROOT", "JOINT"), "a.bvh: line 2: expected ROOT, found 'JOINT'");
  EXPECT_EQ(
      with("Zrotation Xrotation Yrotation", "Zrotation Xrotation Yrotate"),
      "a.bvh: the joint 'Hips' has the channel 'Yrotate', expected one of Xposition, Yposition, Zposition, "
      "Xrotation, Yrotation, Zrotation");
  EXPECT_EQ(with("Zrotation Xrotation Yrotation", "Zrotation Xrotation Zrotation"),
            "a.bvh: the joint 'Hips' has the channel 'Zrotation' twice");
  EXPECT_EQ(with("CHANNELS 6", "CHANNELS 9"), "a.bvh: the joint 'Hips' has 9 channels, expected 0 to 6");
  EXPECT_EQ(with("Frames: 2", "Frames: 0"), "a.bvh: has 0 frames, expected one at least");
  EXPECT_EQ(with("Frame Time: 0.5", "Frame Time: 0"),
            "a.bvh: its frames take 0 s, expected a positive number");
  EXPECT_EQ(with("Frames: 2", "Frames: 1"),
            "a.bvh: line 33: more numbers than those of 1 frames of 10 channels");
  EXPECT_THAT(with("Frames: 2", "Frames: 2000000000"), HasSubstr("line 31: 2000000000 frames are announced"));
  EXPECT_THAT(with("30 20 10 40\n", "30 20 10\n"), HasSubstr("expected the value of a channel"));
  EXPECT_THAT(with("30 20 10 40\n", "30 20 10 nan\n"), HasSubstr("line 33: expected the value of a channel"));
  EXPECT_EQ(with("OFFSET 0 6 0", "OFFSET 0 6"),
            "a.bvh: line 22: expected the offset of a joint, found 'CHANNELS'");
  EXPECT_EQ(wrong("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 1\nFrame Time: 1\n"),
            "a.bvh: no joint has channels, expected a motion");
}

TEST(Bvh, APartOfAFileIsNone) {
  const std::string whole = two_frames("10 0 0 0 0 0 0 0 0 0", "20 0 0 90 0 0 30 20 10 4");
  for (std::size_t length = 0; length + 2 < whole.size(); ++length)
    EXPECT_THROW((void)parse_bvh(std::string_view(whole).substr(0, length), "a.bvh"), Error) << length;
}

TEST(Bvh, JointsAreNestedUpToAThousandDeep) {
  const auto nested = [](int depth) {
    std::string text = "HIERARCHY\n";
    for (int i = 0; i < depth; ++i)
      text += fmt::format("{} j{}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n", i == 0 ? "ROOT" : "JOINT", i);
    for (int i = 0; i < depth; ++i) text += "}\n";
    text += "MOTION\nFrames: 1\nFrame Time: 0\n";
    for (int i = 0; i < depth; ++i) text += "0 ";
    return text;
  };
  EXPECT_EQ(parse_bvh(nested(1000), "deep.bvh").joints.back().motion(0.0).position, Vector3(0, 1000, 0));
  EXPECT_EQ(error_text([&] { (void)parse_bvh(nested(20000), "deep.bvh"); }),
            "deep.bvh: joints are nested 1001 deep at 'j1000', expected at most 1000");
}

TEST(Bvh, MarksOfEditorsAndLabelsWithoutBlanksAreTaken) {
  std::string text = "\xEF\xBB\xBF" + two_frames("10 0 0 0 0 0 0 0 0 0", "20 0 0 90 0 0 30 20 10 40");
  text.replace(text.find("Frames: 2"), 9, "Frames:2");
  text.replace(text.find("ROOT Hips"), 9, "ROOT rig:Hips");
  text.replace(text.find("Frame Time: 0.5"), 15, "Frame Time:0.5");
  EXPECT_TRUE(looks_like_bvh(text));
  const JointAnimation animation = parse_bvh(text, "a.bvh");
  EXPECT_EQ(animation.duration, 0.5);
  EXPECT_EQ(animation.joints.front().name, "rig:Hips");
}

}  // namespace
}  // namespace limber::bvh_file_test
