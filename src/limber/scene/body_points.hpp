#pragma once

#include "limber/body/body.hpp"
#include "limber/scene/scene.hpp"

#include <memory>
#include <vector>

namespace limber {

/// What selections of a body choose from: the vertices of its mesh, or of its surface where it was kept
/// without.
struct BodyPoints {
  std::shared_ptr<const VolumeMesh> mesh;  ///< at rest; whatever no element uses cannot be chosen
  Point::Of of = Point::Of::mesh;

  [[nodiscard]] Point point(int vertex) const { return {vertex, of}; }
};

/// Refers to the mesh of the scene for bodies that are computed with it: not to be kept beyond that.
BodyPoints points_of(const SceneBody& scene_body, const Body& body);

/// The same of the surface that the body is drawn by, and that pressure acts on.
BodyPoints surface_points_of(const Body& body);

/// For each of these points whether it is held for good: fixed in the mesh, or a point of the root that no
/// coordinate moves.
std::vector<char> fixed_points(const SceneBody& scene_body, const BodyPoints& points, const Body& body);

}  // namespace limber
