#pragma once

#include "limber/mesh/solid.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <memory>

namespace limber {

struct TriangleTree;

/// The point of a surface that is nearest to another one.
struct SurfacePoint {
  int triangle = -1;
  Vector3 position = Vector3::Zero();     ///< m
  Vector3 barycentric = Vector3::Zero();  ///< weights of the triangle's corners
  double distance = 0.0;                  ///< m
};

/// Answers where a point lies relative to a surface, in O(log triangles).
///
/// Inside or outside is told by the generalised winding number
///   w(x) = 1/(4 pi) sum over triangles of the solid angle under which x sees them,
/// 1 inside and 0 outside of a closed surface, and in between, smoothly, near holes: w > 1/2 is inside. Far
/// clusters of triangles are replaced by their dipole and its next four moments.
///                                   [Jacobson et al. 2013; Barill et al. 2018; van Oosterom & Strackee 1983]
///
/// Thread-safe, and cheap to copy: copies share the tree.
class SurfaceQuery {
 public:
  /// Keeps a copy of the triangles. The surface passed check_surface. Triangles without area count for
  /// closest and meets, and add nothing to the winding number. Cost O(triangles log triangles). Throws
  /// Error for coordinates beyond 1e15 m.
  explicit SurfaceQuery(const SurfaceMesh& surface);

  [[nodiscard]] SurfacePoint closest(const Vector3& point) const;

  /// Accurate to about 1e-3 away from the surface.
  [[nodiscard]] double winding_number(const Vector3& point) const;

  /// True where the winding number exceeds 1/2.
  [[nodiscard]] bool contains(const Vector3& point) const { return winding_number(point) > 0.5; }

  /// Distance to the surface, negative inside; and how far the sign is sure to stay (Solid): all the way for
  /// a closed surface, part of it for one with holes, nowhere near the middle of a hole.
  [[nodiscard]] SolidSample sample(const Vector3& point) const;

  /// True where some triangle meets the box; touching counts. By separating axes.      [Akenine-Moeller 2001]
  [[nodiscard]] bool meets(const BoundingBox& box) const;

  /// Box around the triangles.
  [[nodiscard]] const BoundingBox& bounds() const;

  /// True where the winding number is a whole number everywhere, because every edge is run through equally
  /// often in both directions (after merging vertices of equal position): the sign changes at triangles only.
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  std::shared_ptr<const TriangleTree> tree_;
  bool closed_ = false;
};

/// The solid that a surface encloses. Keeps the query alive.
Solid make_solid(const SurfaceMesh& surface);

}  // namespace limber
