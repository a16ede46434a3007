#include "limber/contact/shape_surface.hpp"

#include <cmath>
#include <numbers>

namespace limber {
namespace {

/// Quadrilaterals between neighbours of a grid of points, columns by columns, two triangles each, turned
/// towards (along rows) x (along columns).
Eigen::Matrix3Xi grid_triangles(int rows, int columns) {
  Eigen::Matrix3Xi triangles(3, 2 * (rows - 1) * (columns - 1));
  Index count = 0;
  for (int i = 0; i + 1 < columns; ++i) {
    for (int j = 0; j + 1 < rows; ++j) {
      const int a = i * rows + j, b = a + rows;
      triangles.col(count++) << a, b, a + 1;  // as HeightField has them
      triangles.col(count++) << b, b + 1, a + 1;
    }
  }
  return triangles;
}

/// A ball whose halves are drawn apart along z.
SurfaceMesh round_surface(double radius, double half_length) {
  constexpr int around = 24, along = 12;  // facets of 15 degrees
  constexpr int rows = along + 2;         // the equator twice
  Matrix3X vertices(3, (around + 1) * rows);
  for (int i = 0; i <= around; ++i) {
    const double turn = 2.0 * std::numbers::pi * (i % around) / around;
    for (int j = 0; j < rows; ++j) {
      const int step = j <= along / 2 ? j : j - 1;
      const double rise = std::numbers::pi * (static_cast<double>(step) / along - 0.5);
      const double shift = j <= along / 2 ? -half_length : half_length;
      vertices.col(i * rows + j) << radius * std::cos(rise) * std::cos(turn),
          radius * std::cos(rise) * std::sin(turn), radius * std::sin(rise) + shift;
    }
  }
  SurfaceMesh surface = make_surface_mesh(vertices, grid_triangles(rows, around + 1));
  merge_vertices(surface, 1e-9 * radius);
  // Triangles at the poles, and between the halves of a sphere, have lost a corner.
  std::vector<Index> kept;
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    const auto corners = surface.triangles.col(t);
    if (corners(0) != corners(1) && corners(1) != corners(2) && corners(2) != corners(0)) kept.push_back(t);
  }
  return make_surface_mesh(surface.vertices, surface.triangles(Eigen::all, kept).eval());
}

struct DrawnSurface {
  Vector3 about;
  double extent;

  SurfaceMesh operator()(const HalfSpace&) const {
    Matrix3X vertices(3, 4);
    for (int i = 0; i < 4; ++i)
      vertices.col(i) << about.x() + (i < 2 ? -extent : extent), about.y() + (i % 2 == 0 ? -extent : extent),
          0.0;
    return make_surface_mesh(vertices, grid_triangles(2, 2));
  }
  SurfaceMesh operator()(const Sphere& sphere) const { return round_surface(sphere.radius, 0.0); }
  SurfaceMesh operator()(const Capsule& capsule) const {
    return round_surface(capsule.radius, capsule.half_length);
  }
  SurfaceMesh operator()(const Box& box) const {
    Matrix3X vertices(3, 24);
    Eigen::Matrix3Xi triangles(3, 12);
    for (int face = 0; face < 6; ++face) {
      const int k = face % 3;
      const double side = face < 3 ? 1.0 : -1.0;
      for (int corner = 0; corner < 4; ++corner) {
        Vector3 share;
        share(k) = side;
        share((k + 1) % 3) = side * (corner == 0 || corner == 3 ? -1.0 : 1.0);
        share((k + 2) % 3) = corner < 2 ? -1.0 : 1.0;
        vertices.col(4 * face + corner) = share.cwiseProduct(box.half);
      }
      triangles.col(2 * face) << 4 * face, 4 * face + 1, 4 * face + 2;
      triangles.col(2 * face + 1) << 4 * face, 4 * face + 2, 4 * face + 3;
    }
    return make_surface_mesh(vertices, triangles);
  }
  SurfaceMesh operator()(const std::shared_ptr<const HeightField>& field) const {
    const Matrix& heights = field->heights();
    Matrix3X vertices(3, heights.size());
    for (Index i = 0; i < heights.cols(); ++i)
      for (Index j = 0; j < heights.rows(); ++j)
        vertices.col(i * heights.rows() + j) << field->spacing() * static_cast<double>(i),
            field->spacing() * static_cast<double>(j), heights(j, i);
    return make_surface_mesh(
        vertices, grid_triangles(static_cast<int>(heights.rows()), static_cast<int>(heights.cols())));
  }
  SurfaceMesh operator()(const std::shared_ptr<const MeshShape>& mesh) const {
    return make_surface_mesh(mesh->vertices(), mesh->triangles());
  }
};

}  // namespace

SurfaceMesh surface_of(const SolidShape& shape, const Vector3& about, double extent) {
  return std::visit(DrawnSurface{about, extent}, shape);
}

}  // namespace limber
