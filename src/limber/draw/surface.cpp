#include "limber/draw/surface.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Squares of coordinates up to this size are finite in float; nothing that limber draws comes near it.
constexpr double largest_coordinate = 1e15;

std::int64_t edge_key(int a, int b) {
  return (static_cast<std::int64_t>(std::min(a, b)) << 32) | static_cast<std::int64_t>(std::max(a, b));
}

bool drawable(const Shape& shape, Index triangle) {
  for (int k = 0; k < 3; ++k) {
    const auto x = shape.vertices.col(shape.triangles(k, triangle));
    if (!x.allFinite() || x.cwiseAbs().maxCoeff() > largest_coordinate) return false;
  }
  return true;
}

/// Normal of the vertex as seen from one of its triangles: the mean, weighted by area, over those of its
/// triangles that face nearly the same way.
Vector3 corner_normal(const Surface& surface, int vertex, Index triangle, double crease) {
  const Vector3 own = surface.normals.col(triangle);
  Vector3 sum = Vector3::Zero();
  for (int i = surface.first[vertex]; i < surface.first[vertex + 1]; ++i) {
    const int other = surface.incident[i];
    if (surface.normals.col(other).dot(own) >= crease)
      sum += surface.areas(other) * surface.normals.col(other);
  }
  return sum.norm() > 0.0 ? Vector3(sum.normalized()) : own;
}

/// Twice the signed area of the picture of a facet; negative seen from outside, because y points down.
double screen_area(const Facet& facet) {
  const auto& [a, b, c] = facet.corners;
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

float least_altitude(const Facet& facet, double area) {
  double longest = 0.0;
  for (int k = 0; k < 3; ++k) {
    const ScreenPoint& a = facet.corners[k];
    const ScreenPoint& b = facet.corners[(k + 1) % 3];
    longest = std::max(longest, std::hypot(b.x - a.x, b.y - a.y));
  }
  return longest > 0.0 ? static_cast<float>(std::abs(area) / longest) : 0.0f;
}

}  // namespace

Surface make_surface(const Shape& shape) {
  Surface surface;
  std::vector<Vector3> normals;
  std::vector<double> areas;
  for (Index t = 0; t < shape.triangles.cols(); ++t) {
    if (!drawable(shape, t)) continue;
    const auto x = [&](int k) -> Vector3 { return shape.vertices.col(shape.triangles(k, t)); };
    const Vector3 doubled = (x(1) - x(0)).cross(x(2) - x(0));
    if (!(doubled.norm() > 0.0)) continue;
    surface.triangles.push_back(t);
    normals.push_back(doubled.stableNormalized());
    areas.push_back(doubled.norm() / 2);
  }
  const auto count = static_cast<Index>(normals.size());
  surface.normals =
      count > 0 ? Matrix3X(Eigen::Map<const Matrix3X>(normals.data()->data(), 3, count)) : Matrix3X(3, 0);
  surface.areas = Eigen::Map<const Vector>(areas.data(), count);

  surface.first.assign(static_cast<std::size_t>(shape.vertices.cols()) + 1, 0);
  for (const Index t : surface.triangles) {
    for (int k = 0; k < 3; ++k) ++surface.first[shape.triangles(k, t) + 1];
  }
  for (std::size_t v = 1; v < surface.first.size(); ++v) surface.first[v] += surface.first[v - 1];
  surface.incident.resize(3 * surface.triangles.size());
  std::vector<int> next(surface.first.begin(), surface.first.end() - 1);
  for (Index i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) {
      surface.incident[next[shape.triangles(k, surface.triangles[i])]++] = static_cast<int>(i);
    }
  }

  if (shape.edge_list) {
    for (Index e = 0; e < shape.edge_list->cols(); ++e) {
      surface.keys.push_back(edge_key((*shape.edge_list)(0, e), (*shape.edge_list)(1, e)));
    }
    std::sort(surface.keys.begin(), surface.keys.end());
  }
  return surface;
}

Matrix3X vertex_normals(const Shape& shape, const Surface& surface) {
  Matrix3X normals = Matrix3X::Zero(3, shape.vertices.cols());
  for (Index v = 0; v < normals.cols(); ++v) {
    for (int i = surface.first[v]; i < surface.first[v + 1]; ++i) {
      normals.col(v) += surface.areas(surface.incident[i]) * surface.normals.col(surface.incident[i]);
    }
  }
  normals.colwise().normalize();
  return normals;
}

Matrix3X used_points(const Shape& shape, const Surface& surface) {
  std::vector<int> used;
  for (int v = 0; v < static_cast<int>(shape.vertices.cols()); ++v) {
    if (surface.first[v] < surface.first[v + 1]) used.push_back(v);
  }
  return shape.vertices(Eigen::all, used);
}

std::vector<Facet> project_surface(const Shape& shape, const Surface& surface, const Camera& camera,
                                   const Eigen::VectorXf& ambient, double crease, int shape_number) {
  std::vector<ScreenPoint> points(static_cast<std::size_t>(shape.vertices.cols()));
  for (std::size_t v = 0; v < points.size(); ++v) {
    if (surface.first[v] < surface.first[v + 1]) points[v] = camera.project(shape.vertices.col(v));
  }
  std::vector<Facet> facets;
  facets.reserve(surface.triangles.size());
  for (Index i = 0; i < static_cast<Index>(surface.triangles.size()); ++i) {
    const Eigen::Vector3i vertices = shape.triangles.col(surface.triangles[i]);
    Facet facet;
    facet.shape = shape_number;
    bool seen = true;
    for (int k = 0; k < 3; ++k) {
      const int v = vertices(k);
      facet.corners[k] = points[v];
      seen = seen && points[v].weight > 0.0;
      facet.normals.col(k) = corner_normal(surface, v, i, crease).cast<float>();
      facet.values(k) = shape.values.size() > 0 ? static_cast<float>(shape.values(v))
                                                : std::numeric_limits<float>::quiet_NaN();
      facet.ambient(k) = ambient(v);
      const int after = vertices((k + 1) % 3);
      if (shape.edges && (!shape.edge_list ||
                          std::binary_search(surface.keys.begin(), surface.keys.end(), edge_key(v, after)))) {
        facet.edges |= 1 << k;
      }
    }
    if (!seen) continue;
    const double area = screen_area(facet);
    facet.smallness = least_altitude(facet, area);
    if (area > 0.0) facet.normals = -facet.normals;
    facets.push_back(facet);
  }
  return facets;
}

}  // namespace limber
