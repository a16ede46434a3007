#include "limber/draw/regions.hpp"

#include <algorithm>
#include <array>

namespace limber {
namespace {

constexpr double paleness = 0.55;  ///< of the cut: share of white
const Color held_color(0.93, 0.49, 0.12);

using Key = std::array<int, 3>;

Key sorted(const Eigen::Vector3i& triangle) {
  Key key{triangle(0), triangle(1), triangle(2)};
  std::sort(key.begin(), key.end());
  return key;
}

std::vector<Key> sorted_keys(const Eigen::Matrix3Xi& triangles) {
  std::vector<Key> keys;
  for (const auto& triangle : triangles.colwise()) keys.push_back(sorted(triangle));
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// The elements that stay, with all vertices.
VolumeMesh cut_open(const VolumeMesh& mesh, const Vector3& normal, double offset) {
  std::vector<Index> kept;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    Vector3 center = Vector3::Zero();
    for (const int v : mesh.elements.col(e))
      center += mesh.vertices.col(v) / static_cast<double>(mesh.elements.rows());
    if (normal.dot(center) <= offset) kept.push_back(e);
  }
  VolumeMesh part = mesh;
  part.elements = mesh.elements(Eigen::all, kept).eval();
  part.region.clear();
  for (const Index e : kept) part.region.push_back(mesh.region[static_cast<std::size_t>(e)]);
  return part;
}

/// Shapes of the boundary faces, sorted by `group` (one number per triangle); groups without any are left
/// out.
std::vector<Shape> make_shapes(const VolumeMesh& mesh, const BoundaryFaces& faces,
                               const std::vector<std::size_t>& group, std::size_t groups) {
  std::vector<Shape> shapes;
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<Index> chosen;
    for (std::size_t t = 0; t < group.size(); ++t) {
      if (group[t] == g) chosen.push_back(static_cast<Index>(t));
    }
    shapes.push_back(make_shape(mesh.vertices, faces.triangles(Eigen::all, chosen), mesh.kind));
  }
  return shapes;
}

void drop_empty(std::vector<Shape>& shapes) {
  std::erase_if(shapes, [](const Shape& shape) { return shape.triangles.cols() == 0; });
}

}  // namespace

Color region_color(std::size_t region) {
  static const std::array<Color, 8> palette{
      Shape().color,           Color(0.87, 0.56, 0.36), Color(0.49, 0.72, 0.47), Color(0.78, 0.42, 0.48),
      Color(0.90, 0.78, 0.42), Color(0.56, 0.49, 0.74), Color(0.38, 0.68, 0.71), Color(0.62, 0.52, 0.43)};
  return palette[region % palette.size()];
}

std::vector<Shape> make_region_shapes(const VolumeMesh& mesh) {
  const BoundaryFaces faces = boundary_faces(mesh);
  std::vector<std::size_t> group;
  for (const int e : faces.element)
    group.push_back(static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)]));
  std::vector<Shape> shapes = make_shapes(mesh, faces, group, mesh.regions.size());
  for (std::size_t r = 0; r < shapes.size(); ++r) shapes[r].color = region_color(r);
  drop_empty(shapes);
  return shapes;
}

std::vector<Shape> make_cut_shapes(const VolumeMesh& mesh, const Vector3& normal, double offset) {
  const std::vector<Key> old_boundary = sorted_keys(boundary_triangles(mesh));
  const VolumeMesh part = cut_open(mesh, normal, offset);
  const BoundaryFaces faces = boundary_faces(part);
  const std::size_t regions = mesh.regions.size();
  std::vector<std::size_t> group;
  for (std::size_t t = 0; t < faces.element.size(); ++t) {
    const bool old = std::binary_search(old_boundary.begin(), old_boundary.end(),
                                        sorted(faces.triangles.col(static_cast<Index>(t))));
    const int region = part.region[static_cast<std::size_t>(faces.element[t])];
    group.push_back(static_cast<std::size_t>(region) + (old ? 0 : regions));
  }
  std::vector<Shape> shapes = make_shapes(part, faces, group, 2 * regions);
  for (std::size_t g = 0; g < shapes.size(); ++g) {
    const Color color = region_color(g % regions);
    shapes[g].color = g < regions ? color : Color((1.0 - paleness) * color + paleness * Color::Ones());
  }
  drop_empty(shapes);
  return shapes;
}

std::vector<Shape> make_held_shapes(const VolumeMesh& mesh, std::span<const int> held) {
  std::vector<char> is_held(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (const int v : held) is_held[static_cast<std::size_t>(v)] = 1;
  const BoundaryFaces faces = boundary_faces(mesh);
  std::vector<std::size_t> group;
  for (const auto& triangle : faces.triangles.colwise()) {
    const bool any = std::any_of(triangle.begin(), triangle.end(),
                                 [&](int v) { return is_held[static_cast<std::size_t>(v)] != 0; });
    group.push_back(any ? 1 : 0);
  }
  std::vector<Shape> shapes = make_shapes(mesh, faces, group, 2);
  shapes[1].color = held_color;
  drop_empty(shapes);
  return shapes;
}

}  // namespace limber
