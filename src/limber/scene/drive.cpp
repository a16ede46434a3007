#include "limber/scene/drive.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/skin.hpp"

#include <utility>

namespace limber {
namespace {

std::vector<int> constrained_vertices(const SceneBody& body, std::size_t constraint) {
  const std::string where = fmt::format("{}: constraints[{}]", body.name, constraint);
  const VertexSelection& selection = body.constraints[constraint].where;
  require(!selection.empty(), "{}: no vertices given; name some by 'vertices', 'box', 'where' or 'nearest'",
          where);
  require(body.constraints[constraint].hold == Hold::position,
          "{}: it holds orientations, which a body without modes does not have; hold 'position'", where);
  return select_vertices(body.mesh, selection, where);
}

Matrix skin_weights(const SceneBody& body) {
  if (body.skin.weights.size() > 0) return body.skin.weights;
  std::vector<BoneSegment> segments;
  for (const Bone& bone : body.skin.bones) segments.push_back(bone.segment);
  try {
    return harmonic_weights(body.mesh, segments, body.skin.radius);
  } catch (const Error& error) {
    throw Error("{}: skin: {}", body.name, error.what());
  }
}

Eigen::Isometry3d as_isometry(const Pose& pose) {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.linear() = pose.rotation.toRotationMatrix();
  motion.translation() = pose.position;
  return motion;
}

}  // namespace

std::vector<int> held_vertices(const SceneBody& body) {
  std::vector<int> held = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
  // The number of the constraint that moves each vertex; -1: none.
  std::vector<int> holder(static_cast<std::size_t>(body.mesh.vertex_count()), -1);
  constexpr int fixed = -2;
  for (const int v : held) holder[static_cast<std::size_t>(v)] = fixed;
  for (std::size_t i = 0; i < body.constraints.size(); ++i) {
    for (const int v : constrained_vertices(body, i)) {
      int& by = holder[static_cast<std::size_t>(v)];
      require(by != fixed, "{}: constraints[{}]: vertex {} is fixed and cannot be moved; choose others",
              body.name, i, v);
      require(by < 0, "{}: constraints[{}]: vertex {} is moved by constraints[{}]; choose others", body.name,
              i, v, by);
      by = static_cast<int>(i);
      held.push_back(v);
    }
  }
  return held;
}

Drive::Drive(const SceneBody& body) : rest_(body.mesh.vertices), support_(body.support) {
  require(body.skin.empty() || !body.support,
          "{}: 'skin' and 'support' exclude each other: both carry the whole body; let the bones move as the "
          "support does",
          body.name);
  if (!body.skin.empty()) {
    weights_ = skin_weights(body);
    require(weights_.rows() == static_cast<Index>(body.skin.bones.size()) && weights_.cols() == rest_.cols(),
            "{}: skin: weights of {} bones and {} vertices, expected {} and {}", body.name, weights_.rows(),
            weights_.cols(), body.skin.bones.size(), rest_.cols());
    for (const Bone& bone : body.skin.bones) bones_.push_back(bone.motion);
  }
  for (std::size_t i = 0; i < body.constraints.size(); ++i) {
    const BodyConstraint& constraint = body.constraints[i];
    MovedVertices handle{constrained_vertices(body, i), Vector3::Zero(), constraint.motion,
                         constraint.frame == MotionFrame::world};
    for (const int v : handle.vertices) handle.center += rest_.col(v);
    handle.center /= static_cast<double>(handle.vertices.size());
    handles_.push_back(std::move(handle));
  }
}

/// The motion of the handle from rest, in the world. support, start: of the support now and at time 0.
Pose Drive::MovedVertices::pose(double t, const Pose& support, const Pose& start) const {
  if (!motion) return support;
  const Pose moved = motion(t);
  if (in_world) return moved * start;
  return support * Pose{center + moved.position - moved.rotation * center, moved.rotation};
}

VertexMaps Drive::maps(double t) const {
  const Pose support = support_ ? support_(t) : Pose{}, start = support_ ? support_(0.0) : Pose{};
  VertexMaps maps = VertexMaps::identity(rest_.cols());
  if (!bones_.empty()) {
    std::vector<Eigen::Isometry3d> motions;
    for (const PoseFunction& motion : bones_) motions.push_back(as_isometry(motion ? motion(t) : Pose{}));
    maps = blend(weights_, rest_, motions);
  } else if (support_) {
    const Eigen::Isometry3d motion = as_isometry(support);
    maps = blend(Matrix::Ones(1, rest_.cols()), rest_, {&motion, 1});
  }
  for (const MovedVertices& handle : handles_) {
    const Pose pose = handle.pose(t, support, start);
    for (const int v : handle.vertices) maps.offset.col(v) = pose.apply(rest_.col(v)) - rest_.col(v);
  }
  return maps;
}

}  // namespace limber
