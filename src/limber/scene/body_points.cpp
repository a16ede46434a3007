#include "limber/scene/body_points.hpp"

#include "limber/multidomain/tree_shape.hpp"

#include <utility>

namespace limber {
namespace {

/// domains: of each vertex; those of none cannot be chosen.
VolumeMesh as_points(const Matrix3X& vertices, const std::vector<int>& domains) {
  VolumeMesh points;
  points.vertices = vertices;
  std::vector<int> used;
  for (std::size_t v = 0; v < domains.size(); ++v) {
    if (domains[v] >= 0) used.push_back(static_cast<int>(v));
  }
  // An element for each vertex: whatever no element uses cannot be chosen.
  points.elements =
      Eigen::Map<const Eigen::RowVectorXi>(used.data(), static_cast<Index>(used.size())).replicate(4, 1);
  return points;
}

/// Whether the vertices of the whole are those of its one part.
bool is_its_part(const Model& model) {
  const Domain& root = model.domains.front();
  return model.domain_count() == 1 && root.vertices.empty() && root.scale == 1.0 &&
         root.position.isZero(0.0) && root.rotation.coeffs() == Eigen::Quaterniond::Identity().coeffs();
}

/// Marks vertices of the whole that no coordinate of the root moves.  basis: of its part.  numbers: what its
/// vertices are in the whole; none: their own.
template <class Basis>
void mark_still(const Basis& basis, Index rank, const std::vector<int>& numbers, std::vector<char>& still) {
  for (Index v = 0; 3 * v < basis.rows(); ++v) {
    const Index number = numbers.empty() ? v : Index{numbers[static_cast<std::size_t>(v)]};
    if (basis.block(3 * v, 0, 3, rank).isZero(0)) still[static_cast<std::size_t>(number)] = 1;
  }
}

}  // namespace

BodyPoints points_of(const SceneBody& scene_body, const Body& body) {
  if (!body.has_model()) return {{std::shared_ptr<const VolumeMesh>(), &scene_body.mesh}, Point::Of::mesh};
  const std::shared_ptr<const Model>& model = body.shared_model();
  if (body.mesh_vertex_count() == 0) return surface_points_of(body);
  if (is_its_part(*model)) return {{model, &model->part(0).model.simulation->mesh}, Point::Of::mesh};
  const TreeMesh whole(model);
  return {std::make_shared<const VolumeMesh>(as_points(whole.mesh().vertices, whole.domains())),
          Point::Of::mesh};
}

BodyPoints surface_points_of(const Body& body) {
  return {
      std::make_shared<const VolumeMesh>(as_points(body.surface().mesh().vertices, body.vertex_domains())),
      Point::Of::surface};
}

std::vector<char> fixed_points(const SceneBody& scene_body, const BodyPoints& points, const Body& body) {
  std::vector<char> fixed(static_cast<std::size_t>(points.mesh->vertex_count()), 0);
  if (!body.has_model()) {
    for (const int v : select_vertices(*points.mesh, scene_body.fixed, scene_body.name + ": fixed"))
      fixed[static_cast<std::size_t>(v)] = 1;
    return fixed;
  }
  const Model& model = body.model();
  if (model.free) return fixed;
  const Domain& root = model.domains.front();
  const ReducedModel& part = model.part(0).model;
  if (points.of == Point::Of::surface) {
    mark_still(part.surface.basis, body.rank(root.part), root.surface_vertices, fixed);
  } else {
    mark_still(part.simulation->basis, body.rank(root.part), root.vertices, fixed);
  }
  return fixed;
}

}  // namespace limber
