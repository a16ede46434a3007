#include "limber/mesh/quality.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace limber {
namespace {

/// Edges of a tetrahedron: first their two ends, then the two corners opposite.
constexpr std::array<std::array<int, 4>, 6> tetrahedron_edges{
    {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}}};

struct Extremes {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;

  void add(double value) {
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
};

/// Angle at the edge a b between the faces a b c and a b d, radians. Looking along the edge it is the angle
/// between c - a and d - a; the arctangent keeps all digits at angles near 0 and pi, where the cosine loses
/// half.
double dihedral_angle(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  const Vector3 axis = (b - a).normalized();
  const Vector3 to_c = (c - a) - axis.dot(c - a) * axis;
  const Vector3 to_d = (d - a) - axis.dot(d - a) * axis;
  return std::atan2(to_c.cross(to_d).norm(), to_c.dot(to_d));
}

void measure_tetrahedron(const VolumeMesh& mesh, Index e, Extremes& angles, Extremes& edges,
                         std::array<Index, 18>& histogram) {
  const auto x = [&](int a) -> Vector3 { return mesh.vertices.col(mesh.elements(a, e)); };
  for (const auto& [a, b, c, d] : tetrahedron_edges) {
    const double angle = dihedral_angle(x(a), x(b), x(c), x(d));
    angles.add(angle);
    ++histogram[std::min<std::size_t>(17, static_cast<std::size_t>(angle * 18.0 / std::numbers::pi))];
    edges.add((x(b) - x(a)).norm());
  }
}

void measure_brick(const VolumeMesh& mesh, Index e, Extremes& edges) {
  const Vector3 sides = mesh.vertices.col(mesh.elements(6, e)) - mesh.vertices.col(mesh.elements(0, e));
  for (const double side : sides) edges.add(side);
}

}  // namespace

double smallest_dihedral_sine(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  const Vector3 ab = b - a, ac = c - a, ad = d - a, bc = c - b, bd = d - b, cd = d - c;
  const Vector3 normal_d = ab.cross(ac), normal_c = ad.cross(ab), normal_b = ac.cross(ad),
                normal_a = bd.cross(bc);
  const double six_volumes = normal_d.dot(ad);
  const double d2 = normal_d.squaredNorm(), c2 = normal_c.squaredNorm(), b2 = normal_b.squaredNorm(),
               a2 = normal_a.squaredNorm();
  const double least =
      std::min({ab.squaredNorm() / (c2 * d2), ac.squaredNorm() / (b2 * d2), ad.squaredNorm() / (b2 * c2),
                bc.squaredNorm() / (a2 * d2), bd.squaredNorm() / (a2 * c2), cd.squaredNorm() / (a2 * b2)});
  return std::isfinite(least) ? six_volumes * std::sqrt(least) : 0.0;
}

MeshQuality measure_quality(const VolumeMesh& mesh) {
  MeshQuality quality;
  quality.regions.resize(mesh.regions.size());
  Extremes volumes, angles;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const double volume = element_volume(mesh, e);
    RegionMeasure& region =
        quality.regions[static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)])];
    ++region.elements;
    region.volume += volume;
    quality.volume += volume;
    volumes.add(volume);

    Extremes edges;
    if (mesh.kind == ElementKind::tetrahedron) {
      measure_tetrahedron(mesh, e, angles, edges, quality.dihedral_histogram);
    } else {
      measure_brick(mesh, e, edges);
    }
    quality.largest_edge_ratio = std::max(quality.largest_edge_ratio, edges.largest / edges.smallest);
  }
  quality.smallest_volume = volumes.smallest;
  quality.largest_volume = volumes.largest;
  if (mesh.kind == ElementKind::tetrahedron) {
    quality.smallest_dihedral = angles.smallest * 180.0 / std::numbers::pi;
    quality.largest_dihedral = angles.largest * 180.0 / std::numbers::pi;
  }
  return quality;
}

}  // namespace limber
