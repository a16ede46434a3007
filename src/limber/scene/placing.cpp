#include "limber/scene/placing.hpp"

#include "limber/base/error.hpp"

namespace limber {
namespace {

void place_points(const Pose& pose, Matrix3X& points) {
  if (moves_nothing(pose)) return;
  points = (pose.rotation.toRotationMatrix() * points).colwise() + pose.position;
}

/// What has a position and a rotation of its own: a domain, or a placement of a part.
template <class Placed>
void place_frame(const Pose& pose, Placed& one) {
  one.position = pose.apply(one.position);
  one.rotation = (pose.rotation * one.rotation).normalized();
}

/// Throws Error for bricks that would be turned.
void check_kind(const Pose& pose, ElementKind kind, std::string_view where) {
  require(kind == ElementKind::tetrahedron || pose.rotation.vec().isZero(0.0),
          "{}.rotation: the mesh is of bricks, which keep to the axes; give 'position' alone, or take "
          "tetrahedra",
          where);
}

/// Throws Error for places where rounding takes a body's shape: nearer, its size is known there to a
/// millionth.
void check_distance(const Pose& pose, const Matrix3X& vertices, std::string_view where) {
  constexpr double most_sizes = 1e9;
  if (moves_nothing(pose) || vertices.cols() == 0) return;
  const double size = (vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff()).norm();
  require(pose.position.norm() <= most_sizes * size,
          "{}.position is {:.3g} m from the origin, expected at most {:.0e} times the size of the body, "
          "{:.3g} m: "
          "beyond, its shape is lost in rounding; let it stand nearer",
          where, pose.position.norm(), most_sizes, size);
}

}  // namespace

bool moves_nothing(const Pose& pose) { return same_pose(pose, Pose{}); }

void place(const Pose& pose, std::string_view where, VolumeMesh& mesh) {
  check_kind(pose, mesh.kind, where);
  check_distance(pose, mesh.vertices, where);
  place_points(pose, mesh.vertices);
}

void place(const Pose& pose, SurfaceMesh& surface) { place_points(pose, surface.vertices); }

void place(const Pose& pose, std::span<SketchForce> sketch) {
  if (moves_nothing(pose)) return;
  for (SketchForce& one : sketch) one = {pose.apply(one.at), pose.rotation * one.force};
}

void place(const Pose& pose, std::string_view where, PartTree& tree) {
  if (moves_nothing(pose)) return;
  for (const Part& part : tree.parts) check_kind(pose, part.mesh.kind, where);
  for (Placement& placement : tree.placements) place_frame(pose, placement);
}

std::shared_ptr<const Model> placed(std::shared_ptr<const Model> model, const Pose& pose,
                                    std::string_view where) {
  if (!model || moves_nothing(pose)) return model;
  for (const ReducedPart& part : model->parts)
    if (part.model.simulation) check_kind(pose, part.model.simulation->mesh.kind, where);
  auto moved = std::make_shared<Model>(*model);
  for (Domain& domain : moved->domains) place_frame(pose, domain);
  return moved;
}

}  // namespace limber
