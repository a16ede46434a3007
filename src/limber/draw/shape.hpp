#pragma once

#include "limber/draw/color.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <optional>

namespace limber {

/// A surface to draw. Triangles with a vertex that is not finite, or without area, are skipped.
struct Shape {
  Matrix3X vertices;                          ///< 3 x n, m
  Eigen::Matrix3Xi triangles;                 ///< 3 x t, counter-clockwise seen from outside
  Vector values;                              ///< n numbers shown by the colour map, or empty: `color`
  Color color{0.60, 0.68, 0.78};              ///< sRGB; also where a value is not finite
  double opacity = 1.0;                       ///< below 1: a ghost, drawn over what is opaque
  bool edges = true;                          ///< draw thin lines along the edges
  std::optional<Eigen::Matrix2Xi> edge_list;  ///< 2 x e, the sides of triangles that are edges; absent: all
};

/// The boundary of a body, moved by a displacement (3 x n, m; no columns: the rest pose). Its edges are those
/// of the elements: the two triangles of a brick's face show as one quadrilateral.
Shape make_shape(const VolumeMesh& mesh, const Matrix3X& displacement = {});

/// Some boundary faces of a body (3 x t vertex numbers, as boundary_faces gives them), with only the vertices
/// they use.
Shape make_shape(const Matrix3X& vertices, const Eigen::Matrix3Xi& faces, ElementKind kind);

/// Throws Error unless the sizes fit together and every vertex number exists.
void check_shape(const Shape& shape);

}  // namespace limber
