#pragma once

#include "limber/linalg/types.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

enum class ElementKind {
  tetrahedron,  ///< 4 vertices, linear; positive volume: det[x1-x0, x2-x0, x3-x0] > 0
  brick,        ///< 8 vertices, trilinear, edges along x, y, z; order below
};

/// Vertices per element.
constexpr int vertices_per_element(ElementKind kind) { return kind == ElementKind::tetrahedron ? 4 : 8; }

/// Faces as vertex loops, counter-clockwise seen from outside; a triangle repeats its last vertex.
inline constexpr std::array<std::array<int, 4>, 4> tetrahedron_faces{
    {{0, 2, 1, 1}, {0, 1, 3, 3}, {1, 2, 3, 3}, {0, 3, 2, 2}}};
inline constexpr std::array<std::array<int, 4>, 6> brick_faces{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {2, 3, 7, 6}, {1, 2, 6, 5}, {0, 4, 7, 3}}};

std::string_view name_of(ElementKind kind);  ///< "tetrahedron" or "brick"

/// A part of the body with a material of its own.
struct Region {
  int tag = 0;       ///< number in the mesh file (Gmsh: physical group)
  std::string name;  ///< name in the mesh file; empty where it gives none

  bool operator==(const Region&) const = default;
};

/// A volume made of elements of one kind.
///
/// Brick vertices follow Gmsh and VTK: 0 (-,-,-), 1 (+,-,-), 2 (+,+,-), 3 (-,+,-), then 4 to 7 the same at
/// +z. Vertices that no element uses may exist (files often hold some); they carry no mass and never move.
struct VolumeMesh {
  ElementKind kind = ElementKind::tetrahedron;
  Matrix3X vertices;            ///< 3 x n, rest positions, m
  Eigen::MatrixXi elements;     ///< 4 x m or 8 x m, vertex numbers from 0
  std::vector<int> region;      ///< m, index into `regions`
  std::vector<Region> regions;  ///< at least one

  [[nodiscard]] Index vertex_count() const { return vertices.cols(); }
  [[nodiscard]] Index element_count() const { return elements.cols(); }
};

/// Signed volume of element e, m^3. For a brick: of the box between its corners 0 and 6.
double element_volume(const VolumeMesh& mesh, Index e);

/// Throws Error unless the mesh can be simulated: at least one element, finite coordinates, indices in range,
/// no inverted or degenerate element, bricks axis-aligned and in canonical order, one region per element.
/// `where` names the source in the message, e.g. the file.
void check_mesh(const VolumeMesh& mesh, std::string_view where);

/// Puts the vertices of every axis-aligned brick into canonical order, whatever order they came in.
/// Throws Error for a brick whose corners are not those of an axis-aligned box (relative tolerance 1e-6, what
/// a file with seven digits can hold).
void canonicalize_bricks(VolumeMesh& mesh, std::string_view where);

/// For each vertex whether an element uses it.
std::vector<char> used_vertices(const VolumeMesh& mesh);

/// Connected parts: for each vertex the number of its part, counted from 0 in the order of their lowest
/// vertex; -1 for vertices that no element uses. Elements that share a vertex belong together.
std::vector<int> connected_parts(const VolumeMesh& mesh);

/// Boundary of the volume as triangles, counter-clockwise seen from outside. A brick's quadrilateral a b c d
/// is two consecutive triangles, a b c and a c d. Faces shared by two elements are inside.
struct BoundaryFaces {
  Eigen::Matrix3Xi triangles;  ///< 3 x t, vertex numbers
  std::vector<int> element;    ///< t, the element behind each triangle
};
BoundaryFaces boundary_faces(const VolumeMesh& mesh);

/// The triangles alone, 3 x t.
Eigen::Matrix3Xi boundary_triangles(const VolumeMesh& mesh);

/// Axis-aligned bounding box of the used vertices.
struct BoundingBox {
  Vector3 min;
  Vector3 max;
};
BoundingBox bounding_box(const VolumeMesh& mesh);

}  // namespace limber
