#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <utility>
#include <vector>

namespace limber {

/// The surface that a body is drawn by, at rest, in the world. Constant.
class BodySurface {
 public:
  BodySurface() = default;
  /// colors: sRGB, one per part of the mesh; none: chosen when drawn.
  BodySurface(SurfaceMesh mesh, std::vector<Vector3> colors)
      : mesh_(std::move(mesh)), colors_(std::move(colors)) {}

  [[nodiscard]] const SurfaceMesh& mesh() const { return mesh_; }
  [[nodiscard]] const std::vector<Vector3>& colors() const { return colors_; }

 protected:
  SurfaceMesh mesh_;
  std::vector<Vector3> colors_;
};

}  // namespace limber
