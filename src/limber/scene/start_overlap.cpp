#include "limber/scene/start_overlap.hpp"

#include "limber/contact/rest_solid.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/scene/body_tree.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace limber {
namespace {

/// Of the elements of both: all but those next to the surface, where rounding decides.
constexpr double all_of_it = 0.9;

/// Places in a shape along each axis of its box: a share is then known to some percent.
constexpr int lattice_side = 12;

/// Of those that touch: where it is, and how deep others are in it.
struct Occupant {
  Touching name;
  double size = 0.0;                 ///< m
  Vector3 center = Vector3::Zero();  ///< in the world, m
  double reach = 0.0;                ///< none of it is farther from there, m
  Matrix3X places;                   ///< within it, in the world, m
  BoundingBox box;                   ///< in its own axes
  Pose to_axes;                      ///< from the world
  /// In its own axes, m; none: what is in it is not known.
  std::function<double(const Vector3&)> depth;
};

Matrix3X middles_of(const VolumeMesh& mesh, const Matrix3X& x) {
  Matrix3X middles = Matrix3X::Zero(3, mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e)
    for (const int v : mesh.elements.col(e))
      middles.col(e) += x.col(v) / static_cast<double>(mesh.elements.rows());
  return middles;
}

/// Where the middles of its elements are, m; of a body without a mesh the vertices that are drawn.
Matrix3X inner_places(const Body& body) {
  if (!body.has_model()) {
    const VolumeMesh& mesh = *body.volume_mesh();
    return middles_of(mesh, mesh.vertices + body.mesh_displacement());
  }
  if (const std::optional<TreeMesh> mesh = find_mesh(body.shared_model());
      mesh && mesh->mesh().element_count() > 0)
    return middles_of(mesh->mesh(), mesh->mesh().vertices + body.mesh_displacement());
  return body.surface().mesh().vertices + body.surface_displacement();
}

/// The middles of the cells of a lattice that are within a shape; of one that is thinner than a cell the
/// middle of its box.
Matrix3X lattice_in(const SolidShape& shape, const BoundingBox& box) {
  Matrix3X places(3, lattice_side * lattice_side * lattice_side);
  Index count = 0;
  const Vector3 cell = (box.max - box.min) / lattice_side;
  for (int k = 0; k < lattice_side; ++k)
    for (int j = 0; j < lattice_side; ++j)
      for (int i = 0; i < lattice_side; ++i) {
        const Vector3 x = box.min + cell.cwiseProduct(Vector3(i + 0.5, j + 0.5, k + 0.5));
        if (distance_to(shape, x).distance < 0.0) places.col(count++) = x;
      }
  if (count == 0) places.col(count++) = 0.5 * (box.min + box.max);
  return places.leftCols(count);
}

/// From the world to where the distance field of a body has its places.
Pose to_field(const World& world, Index i) {
  const Body& body = world.body(i);
  Pose rest;
  if (world.shell(i).in_pieces()) {
    const Domain& root = body.model().domains.front();
    rest = {root.position, root.rotation.normalized()};
  }
  return rest * body.frame().inverse();
}

Occupant occupant_body(const World& world, Index i) {
  Occupant one{.name = {Touching::Of::body, i}, .size = world.shell(i).size()};
  one.places = inner_places(world.body(i));
  if (one.places.cols() > 0)
    one.center = 0.5 * (one.places.rowwise().minCoeff() + one.places.rowwise().maxCoeff());
  one.reach = one.size;  // half of it would do, were the middle of these the middle of all
  if (!world.shell(i).has_solid()) return one;
  const RestField& field = world.shell(i).field();
  one.box = field.bounds();
  one.to_axes = to_field(world, i);
  one.depth = [&field](const Vector3& x) { return std::max(0.0, -field.distance_alone(x)); };
  return one;
}

Occupant occupant_shape(const Touching& name, const SolidShape& shape, const Pose& pose) {
  Occupant one{.name = name, .size = std::numeric_limits<double>::infinity()};
  one.to_axes = pose.inverse();
  one.depth = [&shape](const Vector3& x) { return depth_in(shape, x); };
  one.box = bounds_of(shape);
  one.reach = std::numeric_limits<double>::infinity();
  if (is_ground(shape)) return one;
  one.size = (one.box.max - one.box.min).norm();
  one.center = pose.apply(0.5 * (one.box.min + one.box.max));
  one.reach = 0.5 * one.size;
  one.places = lattice_in(shape, one.box);
  for (auto place : one.places.colwise()) place = pose.apply(place);
  return one;
}

bool meets_box(const Matrix3X& places, const BoundingBox& box) {
  return (places.rowwise().minCoeff().array() <= box.max.array()).all() &&
         (places.rowwise().maxCoeff().array() >= box.min.array()).all();
}

/// How much of the one is in the other.
StartOverlap measure(const Occupant& one, const Occupant& other) {
  StartOverlap found{one.name, other.name};
  if (!other.depth || one.places.cols() == 0) return found;
  if ((one.center - other.center).norm() > one.reach + other.reach) return found;
  Matrix3X x = one.places;
  for (auto place : x.colwise()) place = other.to_axes.apply(place);
  if (!meets_box(x, other.box)) return found;
  for (const auto& place : x.colwise()) {
    const double depth = other.depth(place);
    if (depth == 0.0) continue;
    found.share += 1.0 / static_cast<double>(x.cols());
    found.depth = std::max(found.depth, depth);
  }
  return found.depth > counted_depth * std::min(one.size, other.size) ? found
                                                                      : StartOverlap{one.name, other.name};
}

bool moves(const Occupant& one) { return one.name.of != Touching::Of::obstacle; }

}  // namespace

Pose start_pose(const Obstacle& obstacle) { return obstacle.motion ? obstacle.motion(0.0) : obstacle.pose; }

double depth_in(const SolidShape& shape, const Vector3& x) {
  const BoundingBox box = bounds_of(shape);  // beyond it heights far away would take long
  const bool beyond = (x.array() < box.min.array()).any() || (x.array() > box.max.array()).any();
  return beyond ? 0.0 : std::max(0.0, -distance_to(shape, x).distance);
}

bool is_ground(const SolidShape& shape) {
  return std::holds_alternative<HalfSpace>(shape) ||
         std::holds_alternative<std::shared_ptr<const HeightField>>(shape);
}

std::vector<StartOverlap> find_overlaps(const World& world) {
  std::vector<Occupant> all;
  for (Index i = 0; i < world.body_count(); ++i)
    if (world.touches(i)) all.push_back(occupant_body(world, i));
  for (Index i = 0; i < world.rigid_count(); ++i)
    all.push_back(occupant_shape({Touching::Of::rigid, i}, world.rigid(i).shape(), world.rigid(i).pose()));
  for (Index i = 0; i < world.obstacle_count(); ++i) {
    const Obstacle& obstacle = world.obstacle(i);
    if (!is_ground(obstacle.shape))
      all.push_back(occupant_shape({Touching::Of::obstacle, i}, obstacle.shape, start_pose(obstacle)));
  }
  std::vector<StartOverlap> overlaps;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!moves(all[i]) && !moves(all[j])) continue;
      const StartOverlap one = measure(all[i], all[j]), other = measure(all[j], all[i]);
      if (one.depth == 0.0 && other.depth == 0.0) continue;
      overlaps.push_back(one.share >= other.share ? one : other);
      overlaps.back().same_place = std::min(one.share, other.share) > all_of_it;
    }
  return overlaps;
}

StartOverlap find_overlap(const World& world, Index body, Index obstacle) {
  const Obstacle& other = world.obstacle(obstacle);
  return measure(occupant_body(world, body),
                 occupant_shape({Touching::Of::obstacle, obstacle}, other.shape, start_pose(other)));
}

}  // namespace limber
