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

}  // namespace

BodyPoints points_of(const SceneBody& scene_body, const Body& body) {
  if (!body.has_model()) return {{std::shared_ptr<const VolumeMesh>(), &scene_body.mesh}, Point::Of::mesh};
  const std::shared_ptr<const Model>& model = body.shared_model();
  if (body.mesh_vertex_count() == 0) {
    return {
        std::make_shared<const VolumeMesh>(as_points(body.surface().mesh().vertices, body.vertex_domains())),
        Point::Of::surface};
  }
  if (is_its_part(*model)) return {{model, &model->part(0).model.simulation->mesh}, Point::Of::mesh};
  const TreeMesh whole(model);
  return {std::make_shared<const VolumeMesh>(as_points(whole.mesh().vertices, whole.domains())),
          Point::Of::mesh};
}

}  // namespace limber
