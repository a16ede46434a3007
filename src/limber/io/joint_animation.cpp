#include "limber/io/joint_animation.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/bvh_file.hpp"
#include "limber/io/gltf_animation.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {

std::string advice_for_name(std::string_view word, std::vector<std::string> names) {
  for (std::string& name : names) name = printable(name);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  if (!nearest_name(word, candidates).empty()) return suggestion(word, candidates);
  constexpr std::size_t most = 8;
  const bool all = names.size() <= most;
  if (!all) names.resize(most);
  return fmt::format("known are {}{}", fmt::join(names, ", "), all ? "" : ", ...");
}

const PoseFunction& JointAnimation::motion_of(std::string_view joint) const {
  const auto is_it = [&](const Joint& candidate) { return candidate.name == joint; };
  const auto found = std::find_if(joints.begin(), joints.end(), is_it);
  if (found == joints.end()) {
    std::vector<std::string> names;
    for (const Joint& candidate : joints) names.push_back(candidate.name);
    throw Error("{}: has no joint '{}'; {}", where, printable(joint),
                advice_for_name(joint, std::move(names)));
  }
  require(std::find_if(found + 1, joints.end(), is_it) == joints.end(),
          "{}: has several joints '{}', expected one; rename the others", where, printable(joint));
  return found->motion;
}

PoseFunction JointAnimation::motion_between(std::span<const std::string> names,
                                            std::vector<double> weights) const {
  require(!names.empty(), "{}: no joint is named, expected one at least", where);
  if (weights.empty()) weights.assign(names.size(), 1.0 / static_cast<double>(names.size()));
  require(weights.size() == names.size(), "{}: there are {} weights for {} joints, expected one for each",
          where, weights.size(), names.size());
  double sum = 0.0;
  for (const double weight : weights) {
    require(weight >= 0.0 && std::isfinite(weight), "{}: a joint has the weight {}, expected 0 to 1", where,
            weight);
    sum += weight;
  }
  require(std::abs(sum - 1.0) <= 1e-6, "{}: the weights of the joints add up to {}, expected 1", where, sum);
  std::vector<PoseFunction> motions;
  for (const std::string& name : names) motions.push_back(motion_of(name));
  if (motions.size() == 1) return motions.front();
  return [motions = std::move(motions), weights = std::move(weights)](double time) {
    const Pose first = motions.front()(time);
    Pose mean{weights.front() * first.position, {}};
    Eigen::Vector4d turn = weights.front() * first.rotation.coeffs();
    for (std::size_t i = 1; i < motions.size(); ++i) {
      const Pose pose = motions[i](time);
      mean.position += weights[i] * pose.position;
      const double side = first.rotation.dot(pose.rotation) < 0.0 ? -1.0 : 1.0;  // q and -q are one rotation
      turn += side * weights[i] * pose.rotation.coeffs();
    }
    mean.rotation = turn.norm() > 1e-6 ? Eigen::Quaterniond(turn.normalized().eval()) : first.rotation;
    return mean;
  };
}

JointAnimation read_joint_animation(const std::filesystem::path& path, std::string_view animation,
                                    FileList* read_from) {
  note_file(read_from, path);
  const std::string content = read_file(path);
  if (looks_like_bvh(content)) {
    require(animation.empty(), "{}: has one motion without a name; leave the name '{}' out", path.string(),
            printable(animation));
    return parse_bvh(content, path.string());
  }
  require(looks_like_gltf(content),
          "{}: is no animation, expected glTF (.glb or .gltf) or a motion capture (.bvh, which begins with "
          "HIERARCHY)",
          path.string());
  return parse_gltf_animation(content, path.string(), animation, [&](const std::string& name) {
    note_file(read_from, path.parent_path() / name);
    return read_file(path.parent_path() / name);
  });
}

}  // namespace limber
