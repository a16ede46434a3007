#include "limber/scene/start_overlap.hpp"

#include "limber/contact/rest_solid.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "limber/scene/body_tree.hpp"

#include <algorithm>
#include <optional>

namespace limber {
namespace {

/// Of the size of the smaller body: what stands on another may be a little in it.
constexpr double counted_depth = 0.01;

/// Of the elements of both: all but those next to the surface, where rounding decides.
constexpr double all_of_it = 0.9;

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

bool meets_box(const Matrix3X& places, const BoundingBox& box) {
  return (places.rowwise().minCoeff().array() <= box.max.array()).all() &&
         (places.rowwise().maxCoeff().array() >= box.min.array()).all();
}

}  // namespace

std::vector<StartOverlap> find_overlaps(const World& world) {
  const Index count = world.body_count();
  std::vector<Matrix3X> places(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i)
    if (world.touches(i)) places[static_cast<std::size_t>(i)] = inner_places(world.body(i));

  const auto measure = [&](Index body, Index other) {
    StartOverlap found{body, other};
    Matrix3X x = places[static_cast<std::size_t>(body)];
    if (!world.shell(other).has_solid() || x.cols() == 0) return found;
    const RestField& field = world.shell(other).field();
    const Pose back = to_field(world, other);
    for (auto one : x.colwise()) one = back.apply(one);
    if (!meets_box(x, field.bounds())) return found;
    const double least = counted_depth * std::min(world.shell(body).size(), world.shell(other).size());
    for (const auto& one : x.colwise()) {
      const double depth = -field.distance(one).distance;
      if (depth <= 0.0) continue;
      found.share += 1.0 / static_cast<double>(x.cols());
      found.depth = std::max(found.depth, depth);
    }
    return found.depth > least ? found : StartOverlap{body, other};
  };

  std::vector<StartOverlap> overlaps;
  for (Index i = 0; i < count; ++i)
    for (Index j = i + 1; j < count; ++j) {
      if (!world.touches(i) || !world.touches(j)) continue;
      const StartOverlap one = measure(i, j), other = measure(j, i);
      if (one.depth == 0.0 && other.depth == 0.0) continue;
      overlaps.push_back(one.share >= other.share ? one : other);
      overlaps.back().same_place = std::min(one.share, other.share) > all_of_it;
    }
  return overlaps;
}

}  // namespace limber
