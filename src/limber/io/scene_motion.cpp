#include "limber/io/scene_motion.hpp"

#include "limber/base/error.hpp"
#include "limber/base/words.hpp"
#include "limber/io/skin_file.hpp"
#include "limber/warp/rotation.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

PoseFunction to_keyed_motion(const json& keys, const std::string& interpolation, const std::string& where) {
  std::vector<PoseKey> poses;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string place = fmt::format("{}.keys[{}]", where, i);
    const double time = keys[i]["time"].get<double>();
    require(poses.empty() || time > poses.back().time,
            "{}: its time is {} s, expected more than that of the key before, {} s", place, time,
            poses.empty() ? 0.0 : poses.back().time);
    poses.push_back({time, to_pose(keys[i], place)});
  }
  try {
    return interpolate_poses(poses,
                             interpolation == "linear" ? Interpolation::linear : Interpolation::smooth);
  } catch (const Error& error) {
    throw Error("{}.keys: {}", where, error.what());
  }
}

}  // namespace

PoseFunction read_keys(const json& value, const std::string& where) {
  if (!value.contains("keys")) return {};
  return to_keyed_motion(value["keys"], value["interpolation"].get<std::string>(), where);
}

namespace {

/// Where motions are read from.
struct Context {
  SceneFiles& files;
  FollowedAnimations& animations;
  Vector3 up;  ///< in the scene, a direction
};

/// The motion of a joint, or of a point between several, from its start, in the axes and units of the scene.
PoseFunction to_followed_motion(const json& follow, const Context& context, const std::string& where) {
  const double scale = follow["scale"].get<double>();
  const auto file_up = parse_word<UpAxis>(follow["up"].get<std::string>(), up_axis_words, "unknown axis");
  const Eigen::Quaterniond axes = rotation_between(direction_of(file_up), context.up);
  try {
    const JointAnimation& animation = context.animations.find(
        context.files.path(follow, "file"),
        follow.contains("animation") ? follow["animation"].get<std::string>() : "", &context.files.inputs);
    const json& joint = follow["joint"];
    const auto joints =
        joint.is_array() ? joint.get<std::vector<std::string>>() : std::vector{joint.get<std::string>()};
    const auto weights =
        follow.contains("weights") ? follow["weights"].get<std::vector<double>>() : std::vector<double>{};
    return [motion = from_start(animation.motion_between(joints, weights)), scale, axes](double time) {
      const Pose pose = motion(time);
      return Pose{axes * Vector3(scale * pose.position),
                  (axes * pose.rotation * axes.conjugate()).normalized()};
    };
  } catch (const Error& error) {
    throw Error("{}.follow: {}", where, error.what());
  }
}

/// By keys or by a joint; none where neither is given.
PoseFunction to_motion(const json& value, const Context& context, const std::string& where) {
  require(!(value.contains("keys") && value.contains("follow")),
          "{}: 'keys' and 'follow' exclude each other: give one motion", where);
  if (value.contains("keys")) return read_keys(value, where);
  return value.contains("follow") ? to_followed_motion(value["follow"], context, where) : PoseFunction{};
}

BodyConstraint to_constraint(const json& value, const Context& context, const std::string& where) {
  BodyConstraint constraint;
  constraint.name = value["name"].get<std::string>();
  constraint.where = to_selection(value, where);
  constraint.hold = value["hold"] == "both"          ? Hold::both
                    : value["hold"] == "orientation" ? Hold::orientation
                                                     : Hold::position;
  constraint.motion = to_motion(value, context, where);
  constraint.frame = value.contains("follow") ? MotionFrame::world : MotionFrame::support;
  if (value.contains("exercised")) {
    constraint.exercised = to_selection(value["exercised"], where + ".exercised");
    require(!constraint.exercised.empty(),
            "{}.exercised: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'", where);
  }
  constraint.from = value["from"].get<double>();
  if (value.contains("to")) constraint.to = value["to"].get<double>();
  require(constraint.to > constraint.from, "{}: it ends at {} s, before it starts at {} s", where,
          constraint.to, constraint.from);
  return constraint;
}

/// Keys turn a bone about its first end.
PoseFunction about(const Vector3& center, PoseFunction motion) {
  return [center, motion = std::move(motion)](double time) {
    const Pose pose = motion(time);
    return Pose{center + pose.position - pose.rotation * center, pose.rotation};
  };
}

Bone to_bone(const json& value, const Context& context, const std::string& where) {
  Bone bone{value["name"].get<std::string>(), {to_vector(value["from"]), to_vector(value["to"])}, {}};
  bone.motion = to_motion(value, context, where);
  if (value.contains("keys")) bone.motion = about(bone.segment.from, std::move(bone.motion));
  return bone;
}

Skeleton to_skin(const json& value, const Context& context, Index vertices, const std::string& where) {
  Skeleton skin;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < value["bones"].size(); ++i) {
    const std::string place = fmt::format("{}.bones[{}]", where, i);
    skin.bones.push_back(to_bone(value["bones"][i], context, place));
    const std::string& name = skin.bones.back().name;
    require(name.empty() || std::find(names.begin(), names.end(), name) == names.end(),
            "{}.name: another bone is called '{}'; choose other names", place, name);
    names.push_back(name);
  }
  require(value.contains("radius") || value.contains("weights"),
          "{}: 'radius' is missing, without which no weights can be computed; give it or 'weights'", where);
  if (value.contains("radius")) skin.radius = value["radius"].get<double>();
  if (!value.contains("weights")) return skin;
  try {
    skin.weights = read_skin_weights(context.files.input(value, "weights"), names, vertices);
  } catch (const Error& error) {
    throw Error("{}.weights: {}", where, error.what());
  }
  return skin;
}

/// Throws Error for a priority where all constraints are of one kind.
void check_priority(const json& value, const std::vector<BodyConstraint>& constraints,
                    const std::string& where) {
  if (value["constraint_priority"] == "position") return;  // as where it is not given
  const auto holds = [&](bool (BodyConstraint::*kind)() const) {
    return std::any_of(constraints.begin(), constraints.end(),
                       [&](const BodyConstraint& one) { return (one.*kind)(); });
  };
  require(
      holds(&BodyConstraint::holds_position) && holds(&BodyConstraint::holds_orientation),
      "{}.constraint_priority: it has no use where constraints hold positions alone or orientations alone; "
      "leave it out",
      where);
}

}  // namespace

const JointAnimation& FollowedAnimations::find(const std::filesystem::path& file,
                                               const std::string& animation, FileList* read_from) {
  const std::pair key(file.lexically_normal(), animation);
  const auto found = read_.find(key);
  if (found != read_.end()) return found->second;
  return read_.emplace(key, read_joint_animation(file, animation, read_from)).first->second;
}

void check_start(double from, const SolverSettings& solver, const std::string& where) {
  if (solver.type == SimulationType::statics) return;
  const double end = solver.steps * solver.timestep;
  const double rounding = 1e-6 * solver.timestep;  // times that are multiples of a step mean these
  const bool late =
      solver.type == SimulationType::quasistatic ? from > end + rounding : from >= end - rounding;
  require(!late,
          "{}: it starts at {} s, but the run is over at {:.6g} s; leave it out, or take more solver.steps",
          where, from, end);
}

void read_motion(const json& value, const SolverSettings& solver, SceneFiles& files, const std::string& where,
                 FollowedAnimations& animations, const Vector3& up, SceneBody& body) {
  const Context context{files, animations, up};
  const json& constraints = value["constraints"];
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const std::string place = fmt::format("{}.constraints[{}]", where, i);
    body.constraints.push_back(to_constraint(constraints[i], context, place));
    check_start(body.constraints.back().from, solver, place);
  }
  check_priority(value, body.constraints, where);
  body.constraint_priority = value["constraint_priority"] == "orientation" ? ConstraintPriority::orientation
                                                                           : ConstraintPriority::position;
  body.coriolis = value["coriolis"].get<bool>();
  if (value.contains("support")) {
    const std::string place = where + ".support";
    body.support = to_motion(value["support"], context, place);
    require(static_cast<bool>(body.support), "{}: it has no motion; give 'keys' or 'follow'", place);
  }
  if (value.contains("skin")) {
    const std::string place = where + ".skin";
    require(!body.support, "{}: 'skin' and 'support' exclude each other: both carry the whole body", place);
    body.skin = to_skin(value["skin"], context, body.mesh.vertex_count(), place);
  }
}

}  // namespace limber
