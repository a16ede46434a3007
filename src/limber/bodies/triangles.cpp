#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace limber {
namespace {

/// The two triangles of each face of a cube, counter-clockwise from outside. Bit k of a corner is its side
/// along axis k.
constexpr std::array<std::array<int, 3>, 12> cube_triangles{{{0, 2, 3},
                                                             {0, 3, 1},
                                                             {4, 5, 7},
                                                             {4, 7, 6},
                                                             {0, 1, 5},
                                                             {0, 5, 4},
                                                             {2, 6, 7},
                                                             {2, 7, 3},
                                                             {0, 4, 6},
                                                             {0, 6, 2},
                                                             {1, 3, 7},
                                                             {1, 7, 5}}};

}  // namespace

Matrix3 frame_about(const Vector3& axis) {
  Matrix3 frame;
  frame.col(2) = axis.normalized();
  Index least = 0;
  frame.col(2).cwiseAbs().minCoeff(&least);
  frame.col(0) = Vector3::Unit(least).cross(frame.col(2)).normalized();
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return frame;
}

Matrix3 bar_axes(const Bar& bar) {
  Matrix3 axes;
  axes.col(0) = (bar.to - bar.from).normalized();
  axes.col(1) = bar.up.cross(axes.col(0)).normalized();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

SurfaceMesh bar_surface(std::span<const Bar> bars) {
  Matrix3X vertices(3, 8 * static_cast<Index>(bars.size()));
  Eigen::Matrix3Xi triangles(3, 12 * static_cast<Index>(bars.size()));
  for (Index i = 0; i < static_cast<Index>(bars.size()); ++i) {
    const Bar& bar = bars[static_cast<std::size_t>(i)];
    const Matrix3 axes = bar_axes(bar);
    for (int corner = 0; corner < 8; ++corner) {
      const double side = corner & 2 ? 0.5 : -0.5, up = corner & 4 ? 0.5 : -0.5;
      vertices.col(8 * i + corner) =
          (corner & 1 ? bar.to : bar.from) + side * bar.width * axes.col(1) + up * bar.height * axes.col(2);
    }
    for (int t = 0; t < 12; ++t) {
      const auto& corners = cube_triangles[static_cast<std::size_t>(t)];
      triangles.col(12 * i + t) =
          Eigen::Vector3i(corners[0], corners[1], corners[2]).array() + 8 * static_cast<int>(i);
    }
  }
  return make_surface_mesh(std::move(vertices), std::move(triangles));
}

SurfaceMesh revolved_surface(std::span<const Eigen::Vector2d> outline, const Vector3& center,
                             const Matrix3& frame, int segments) {
  const bool ring = outline.front().x() > 0.0;
  std::vector<Vector3> points;
  std::vector<int> first;  // vertex of each outline point; those on the axis have only one
  for (const Eigen::Vector2d& p : outline) {
    first.push_back(static_cast<int>(points.size()));
    const int copies = p.x() > 0.0 ? segments : 1;
    for (int k = 0; k < copies; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / segments;
      points.push_back(center + frame * Vector3(p.x() * std::cos(angle), p.x() * std::sin(angle), p.y()));
    }
  }
  std::vector<Eigen::Vector3i> triangles;
  const std::size_t sides = outline.size() - (ring ? 0 : 1);
  for (std::size_t i = 0; i < sides; ++i) {
    const std::size_t j = (i + 1) % outline.size();
    for (int k = 0; k < segments; ++k) {
      const int next = (k + 1) % segments;
      const bool low_point = outline[i].x() <= 0.0, high_point = outline[j].x() <= 0.0;
      const int a = first[i] + (low_point ? 0 : k), b = first[i] + (low_point ? 0 : next);
      const int c = first[j] + (high_point ? 0 : next), d = first[j] + (high_point ? 0 : k);
      if (!low_point) triangles.emplace_back(a, b, c);
      if (!high_point) triangles.emplace_back(a, c, d);
    }
  }
  Matrix3X vertices(3, static_cast<Index>(points.size()));
  for (std::size_t v = 0; v < points.size(); ++v) vertices.col(static_cast<Index>(v)) = points[v];
  Eigen::Matrix3Xi all(3, static_cast<Index>(triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t) all.col(static_cast<Index>(t)) = triangles[t];
  return make_surface_mesh(std::move(vertices), std::move(all));
}

SurfaceMesh sphere_surface(const Vector3& center, double radius, int segments) {
  std::vector<Eigen::Vector2d> outline;
  const int rings = segments / 2;
  for (int i = 0; i <= rings; ++i) {
    const double angle = std::numbers::pi * (static_cast<double>(i) / rings - 0.5);
    const bool pole = i == 0 || i == rings;
    outline.emplace_back(pole ? 0.0 : radius * std::cos(angle), radius * std::sin(angle));
  }
  return revolved_surface(outline, center, Matrix3::Identity(), segments);
}

SurfaceMesh cylinder_surface(const Vector3& a, const Vector3& b, double radius, int segments) {
  const double length = (b - a).norm();
  const std::array<Eigen::Vector2d, 4> outline{{{0.0, 0.0}, {radius, 0.0}, {radius, length}, {0.0, length}}};
  return revolved_surface(outline, a, frame_about(b - a), segments);
}

SurfaceMesh torus_surface(const Vector3& center, const Vector3& axis, double ring, double tube_radius,
                          int segments) {
  std::vector<Eigen::Vector2d> outline;
  const int sides = std::max(6, segments / 2);
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / sides;
    outline.emplace_back(ring + tube_radius * std::cos(angle), tube_radius * std::sin(angle));
  }
  return revolved_surface(outline, center, frame_about(axis), segments);
}

SurfaceMesh joined(std::span<const SurfaceMesh> surfaces) {
  Index vertex_count = 0, triangle_count = 0;
  for (const SurfaceMesh& one : surfaces) {
    vertex_count += one.vertex_count();
    triangle_count += one.triangle_count();
  }
  Matrix3X vertices(3, vertex_count);
  Eigen::Matrix3Xi triangles(3, triangle_count);
  Index v = 0, t = 0;
  for (const SurfaceMesh& one : surfaces) {
    vertices.middleCols(v, one.vertex_count()) = one.vertices;
    triangles.middleCols(t, one.triangle_count()) = one.triangles.array() + static_cast<int>(v);
    v += one.vertex_count();
    t += one.triangle_count();
  }
  return make_surface_mesh(std::move(vertices), std::move(triangles));
}

}  // namespace limber
