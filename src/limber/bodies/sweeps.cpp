#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace limber {
namespace {

/// Triangles as they are collected.
struct Builder {
  std::vector<Vector3> points;
  std::vector<Eigen::Vector3i> corners;

  int add(const Vector3& x) {
    points.push_back(x);
    return static_cast<int>(points.size()) - 1;
  }
  void triangle(int a, int b, int c) {
    if (a != b && b != c && c != a) corners.emplace_back(a, b, c);
  }
  void quadrilateral(int a, int b, int c, int d) {
    triangle(a, b, c);
    triangle(a, c, d);
  }

  [[nodiscard]] SurfaceMesh surface() const {
    Matrix3X vertices(3, static_cast<Index>(points.size()));
    for (std::size_t v = 0; v < points.size(); ++v) vertices.col(static_cast<Index>(v)) = points[v];
    Eigen::Matrix3Xi triangles(3, static_cast<Index>(corners.size()));
    for (std::size_t t = 0; t < corners.size(); ++t) triangles.col(static_cast<Index>(t)) = corners[t];
    return make_surface_mesh(std::move(vertices), std::move(triangles));
  }
};

/// How thick a sheet is at shares u of its length and s (-1 to 1) of its half width, of its middle.
double thickness_share(double u, double s) {
  return std::sqrt(std::max(0.0, (1.0 - s * s * s * s) * (1.0 - std::pow(2.0 * u - 1.0, 6))));
}

}  // namespace

SurfaceMesh swept_surface(std::span<const TubePoint> path, std::span<const Eigen::Vector2d> section,
                          const Vector3& up) {
  Builder builder;
  const std::size_t count = path.size();
  const auto around = static_cast<int>(section.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 before = path[i > 0 ? i - 1 : 0].position,
                  after = path[std::min(i + 1, count - 1)].position;
    const Vector3 along = (after - before).normalized();
    const Vector3 side = up.cross(along).normalized();
    const Vector3 upward = along.cross(side);
    for (const Eigen::Vector2d& p : section) {
      builder.add(path[i].position + path[i].radius * (p.x() * side + p.y() * upward));
    }
  }
  for (int i = 0; i + 1 < static_cast<int>(count); ++i) {
    for (int k = 0; k < around; ++k) {
      const int a = i * around + k, b = i * around + (k + 1) % around;
      builder.quadrilateral(a, b, b + around, a + around);
    }
  }
  const int last = (static_cast<int>(count) - 1) * around;
  const int front = builder.add(path.front().position), back = builder.add(path.back().position);
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around;
    builder.triangle(front, next, k);
    builder.triangle(back, last + k, last + next);
  }
  return builder.surface();
}

SurfaceMesh tube_surface(std::span<const TubePoint> path, int segments, const Vector3& up) {
  std::vector<Eigen::Vector2d> circle;
  for (int k = 0; k < segments; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / segments;
    circle.emplace_back(std::cos(angle), std::sin(angle));
  }
  const Vector3 first = (path[0].position - path[1].position).normalized();
  const Vector3 last = (path[path.size() - 1].position - path[path.size() - 2].position).normalized();
  const int rings = segments / 4;
  const auto cap = [&](const TubePoint& end, const Vector3& outward, int ring) {
    const double angle = 0.5 * std::numbers::pi * ring / (rings + 1);
    return TubePoint{end.position + end.radius * std::sin(angle) * outward, end.radius * std::cos(angle)};
  };
  std::vector<TubePoint> rounded;
  for (int ring = rings; ring > 0; --ring) rounded.push_back(cap(path.front(), first, ring));
  rounded.insert(rounded.end(), path.begin(), path.end());
  for (int ring = 1; ring <= rings; ++ring) rounded.push_back(cap(path.back(), last, ring));
  return swept_surface(rounded, circle, up);
}

SurfaceMesh sheet_surface(const Sheet& sheet) {
  Builder builder;
  const int rows = sheet.rows, columns = sheet.columns;
  // Vertices of both faces by row and column; on the edge and at both ends they are the same.
  std::vector<int> top, bottom;
  for (int i = 0; i <= rows; ++i) {
    const double u = 0.5 - 0.5 * std::cos(std::numbers::pi * i / rows);  // finer where the outline turns
    const bool end = i == 0 || i == rows;
    const double half_width = end ? 0.0 : sheet.half_width(u);
    for (int k = 0; k <= columns; ++k) {
      if (end && k > 0) {
        top.push_back(top.back());
        bottom.push_back(bottom.back());
        continue;
      }
      const double s = end ? 0.0 : 2.0 * k / columns - 1.0;
      const Vector3 x(u * sheet.length, s * half_width, sheet.height(u * sheet.length, s * half_width));
      const bool edge = end || k == 0 || k == columns;
      const Vector3 lift(0.0, 0.0, edge ? 0.0 : 0.5 * sheet.thickness * thickness_share(u, s));
      top.push_back(builder.add(x + lift));
      bottom.push_back(edge ? top.back() : builder.add(x - lift));
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < columns; ++k) {
      const auto a = static_cast<std::size_t>(i) * static_cast<std::size_t>(columns + 1) +
                     static_cast<std::size_t>(k),
                 b = a + static_cast<std::size_t>(columns) + 1;
      builder.quadrilateral(top[a], top[b], top[b + 1], top[a + 1]);
      builder.quadrilateral(bottom[a], bottom[a + 1], bottom[b + 1], bottom[b]);
    }
  }
  return builder.surface();
}

SurfaceMesh moved(SurfaceMesh surface, const Vector3& shift, const Matrix3& axes) {
  surface.vertices = (axes * surface.vertices).colwise() + shift;
  return surface;
}

}  // namespace limber
