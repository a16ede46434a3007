#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Triangles in space: a closed surface, several, or a soup of triangles that may have holes, overlap or be
/// turned either way. Vertices that no triangle uses may exist.
struct SurfaceMesh {
  Matrix3X vertices;               ///< 3 x n, m
  Eigen::Matrix3Xi triangles;      ///< 3 x t, vertex numbers from 0, counter-clockwise seen from outside
  std::vector<int> part;           ///< t, index into `parts`
  std::vector<std::string> parts;  ///< names of the objects or groups of the file; at least one, maybe empty

  [[nodiscard]] Index vertex_count() const { return vertices.cols(); }
  [[nodiscard]] Index triangle_count() const { return triangles.cols(); }
};

/// Throws Error unless there is at least one triangle, all coordinates are finite, vertex numbers and parts
/// are in range. Says nothing about holes or orientation (surface_repair.hpp does). `where` names the source.
void check_surface(const SurfaceMesh& surface, std::string_view where);

/// The triangles as one part; for surfaces made by code.
SurfaceMesh make_surface_mesh(Matrix3X vertices, Eigen::Matrix3Xi triangles, std::string name = {});

/// Area of all triangles, m^2.
double surface_area(const SurfaceMesh& surface);

/// Volume inside, m^3: exact for a closed surface turned outward (divergence theorem), else a number without
/// meaning.
double enclosed_volume(const SurfaceMesh& surface);

/// Box around the vertices that triangles use.
BoundingBox bounding_box(const SurfaceMesh& surface);

/// Unit normals of the vertices, 3 x n: the mean of the incident triangles' normals, weighted by the angle at
/// the vertex. Zero where no triangle with area meets the vertex.
Matrix3X vertex_normals(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles);

/// Makes one of all vertices nearer than `tolerance` (m; 0: of equal position) and renumbers the triangles;
/// none is removed, though some may have lost a corner. Returns how many vertices went away. The first vertex
/// of each group stays.
Index merge_vertices(SurfaceMesh& surface, double tolerance = 0.0);

/// The boundary of a volume mesh as a surface, with only the vertices it uses; one part per region.
SurfaceMesh boundary_surface(const VolumeMesh& mesh);

}  // namespace limber
