#include "limber/io/bvh_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/text_source.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace limber {
namespace {

constexpr std::array<std::string_view, 6> channel_words{"Xposition", "Yposition", "Zposition",
                                                        "Xrotation", "Yrotation", "Zrotation"};

struct BvhJoint {
  std::string name;
  int parent = -1;
  Vector3 offset = Vector3::Zero();
  std::vector<int> channels;  ///< places in channel_words
  std::size_t first = 0;      ///< of its channels in a frame
  int moving = -1;            ///< its place among those with channels; -1: it stays
};

/// The poses of joints relative to their parents, frame by frame.
struct BvhMotion {
  std::vector<BvhJoint> joints;
  std::size_t moving = 0;   ///< joints with channels
  std::vector<Pose> poses;  ///< of these, those of a frame one after the other
  std::size_t frames = 0;
  double interval = 0.0;  ///< s
  std::string where;

  [[nodiscard]] Pose local(const BvhJoint& joint, double t) const {
    if (joint.moving < 0) return {joint.offset, Eigen::Quaterniond::Identity()};
    const auto one = static_cast<std::size_t>(joint.moving);
    const double last = static_cast<double>(frames - 1);
    const double place = interval > 0.0 ? std::clamp(t / interval, 0.0, last) : 0.0;
    const auto k = std::min(static_cast<std::size_t>(place), frames - 1);
    const double share = place - static_cast<double>(k);
    const Pose& before = poses[k * moving + one];
    if (!(share > 0.0)) return before;
    const Pose& after = poses[(k + 1) * moving + one];
    return {before.position + share * (after.position - before.position),
            before.rotation.slerp(share, after.rotation).normalized()};
  }

  [[nodiscard]] Pose pose(std::size_t joint, double t) const {
    Pose sum;
    for (int j = static_cast<int>(joint); j >= 0;) {
      const BvhJoint& step = joints[static_cast<std::size_t>(j)];
      sum = local(step, t) * sum;
      j = step.parent;
    }
    sum.rotation.normalize();
    require(sum.position.allFinite(), "{}: the joint '{}' is nowhere at {} s: its position is not finite",
            where, printable(joints[joint].name), t);
    return sum;
  }
};

/// Where a joint is against its parent by the values of its channels.
Pose local_pose(const BvhJoint& joint, const double* values) {
  Pose pose{joint.offset, Eigen::Quaterniond::Identity()};
  for (std::size_t c = 0; c < joint.channels.size(); ++c) {
    const int channel = joint.channels[c];
    if (channel < 3) {
      pose.position(channel) = values[c];
    } else {
      const double angle = std::remainder(values[c], 360.0) * std::numbers::pi / 180.0;
      pose.rotation = pose.rotation * Eigen::AngleAxisd(angle, Vector3::Unit(channel - 3));
    }
  }
  pose.rotation.normalize();
  return pose;
}

/// Editors put a mark in front that says how bytes stand for letters.
std::string_view without_mark(std::string_view content) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (content.starts_with(mark)) content.remove_prefix(mark.size());
  return content;
}

constexpr std::size_t deepest_nesting = 1000;  // a pose takes as long as its joint is deep

class BvhReader {
 public:
  BvhReader(std::string_view content, std::string_view where)
      : source_(without_mark(content), where, {.separators = ":"}), where_(where) {}

  JointAnimation read() {
    read_joints();
    read_frames();
    JointAnimation result;
    result.where = where_;
    result.duration = static_cast<double>(motion_->frames - 1) * motion_->interval;
    for (std::size_t j = 0; j < motion_->joints.size(); ++j)
      result.joints.push_back({motion_->joints[j].name, [motion = std::shared_ptr<const BvhMotion>(motion_),
                                                         j](double t) { return motion->pose(j, t); }});
    return result;
  }

 private:
  [[noreturn]] void fail_expected(std::string_view what, std::string_view found) {
    source_.fail(fmt::format("expected {}, found '{}'", what, printable(found)));
  }

  void expect(std::string_view word) {
    const std::string_view found = source_.read_word(word);
    if (found != word) fail_expected(word, found);
  }

  /// The rest of the line, and the brace that opens what follows, there or in the next line.
  std::string read_name() {
    std::string_view line = source_.read_line();
    const bool open = line.ends_with('{');
    if (open) line.remove_suffix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    if (!open) expect("{");
    return std::string(line);
  }

  /// A file may nest as deeply as it is long, so there is no recursion.
  void read_joints() {
    expect("HIERARCHY");
    std::vector<int> open;  // joints whose braces are
    std::vector<bool> ends;
    while (true) {
      const std::string_view word = source_.read_word("ROOT, JOINT, End Site, } or MOTION");
      if (word == "MOTION" && open.empty() && !motion_->joints.empty()) return;
      if (word == "}" && !open.empty()) {
        open.pop_back();
        ends.pop_back();
      } else if (word == (open.empty() ? "ROOT" : "JOINT") && (ends.empty() || !ends.back())) {
        add_joint(read_name(), open.empty() ? -1 : open.back(), open.size());
        read_channels();
        open.push_back(static_cast<int>(motion_->joints.size()) - 1);
        ends.push_back(false);
      } else if (word == "End" && !open.empty() && !ends.back()) {
        read_name();  // Site
        add_joint(motion_->joints[static_cast<std::size_t>(open.back())].name + " end", open.back(),
                  open.size());
        open.push_back(static_cast<int>(motion_->joints.size()) - 1);
        ends.push_back(true);
      } else {
        fail_expected(open.empty()  ? (motion_->joints.empty() ? "ROOT" : "ROOT or MOTION")
                      : ends.back() ? "}"
                                    : "JOINT, End Site or }",
                      word);
      }
    }
  }

  void add_joint(std::string name, int parent, std::size_t depth) {
    require(depth < deepest_nesting, "{}: joints are nested {} deep at '{}', expected at most {}", where_,
            depth + 1, printable(name), deepest_nesting);
    BvhJoint joint;
    joint.name = std::move(name);
    joint.parent = parent;
    joint.first = channels_;
    expect("OFFSET");
    for (int i = 0; i < 3; ++i) joint.offset(i) = source_.read_real("the offset of a joint");
    motion_->joints.push_back(std::move(joint));
  }

  void read_channels() {
    BvhJoint& joint = motion_->joints.back();
    expect("CHANNELS");
    const int count = source_.read_int("the number of channels");
    require(count >= 0 && count <= 6, "{}: the joint '{}' has {} channels, expected 0 to 6", where_,
            printable(joint.name), count);
    for (int i = 0; i < count; ++i) {
      const std::string_view word = source_.read_word("a channel");
      const auto found = std::find(channel_words.begin(), channel_words.end(), word);
      require(found != channel_words.end(), "{}: the joint '{}' has the channel '{}', expected one of {}",
              where_, printable(joint.name), printable(word), fmt::join(channel_words, ", "));
      const int channel = static_cast<int>(found - channel_words.begin());
      require(std::find(joint.channels.begin(), joint.channels.end(), channel) == joint.channels.end(),
              "{}: the joint '{}' has the channel '{}' twice", where_, printable(joint.name), word);
      joint.channels.push_back(channel);
    }
    channels_ += joint.channels.size();
    if (count > 0) joint.moving = static_cast<int>(motion_->moving++);
  }

  void read_frames() {
    require(channels_ > 0, "{}: no joint has channels, expected a motion", where_);
    expect("Frames");
    const std::int64_t frames = source_.read_size("the number of frames");
    require(frames >= 1, "{}: has {} frames, expected one at least", where_, frames);
    expect("Frame");
    expect("Time");
    motion_->interval = source_.read_real("the time of a frame");
    require(motion_->interval > 0.0 || (frames == 1 && motion_->interval == 0.0),
            "{}: its frames take {} s, expected a positive number", where_, motion_->interval);
    source_.require_room(frames, "frames", 2 * channels_);
    motion_->frames = static_cast<std::size_t>(frames);
    motion_->where = where_;
    motion_->poses.reserve(motion_->frames * motion_->moving);
    std::vector<double> values(channels_);
    for (std::int64_t f = 0; f < frames; ++f) {
      for (double& value : values) value = source_.read_real("the value of a channel");
      for (const BvhJoint& joint : motion_->joints)
        if (joint.moving >= 0) motion_->poses.push_back(local_pose(joint, values.data() + joint.first));
    }
    if (!source_.at_end())
      source_.fail(fmt::format("more numbers than those of {} frames of {} channels", frames, channels_));
  }

  TextSource source_;
  std::string_view where_;
  std::size_t channels_ = 0;
  std::shared_ptr<BvhMotion> motion_ = std::make_shared<BvhMotion>();
};

}  // namespace

bool looks_like_bvh(std::string_view content) {
  TextSource source(without_mark(content), "");
  return source.peek_word() == "HIERARCHY";
}

JointAnimation parse_bvh(std::string_view content, std::string_view where) {
  return BvhReader(content, where).read();
}

}  // namespace limber
