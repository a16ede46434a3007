#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <vector>

namespace limber {

/// Points spread evenly over the area of a surface.
struct SurfaceSamples {
  Matrix3X points;            ///< 3 x n, m
  std::vector<int> triangle;  ///< n, on which each lies
};

/// `count` points, each for the same area. The same for the same surface. Cost O(count + triangles).
SurfaceSamples sample_surface(const SurfaceMesh& surface, Index count);

}  // namespace limber
