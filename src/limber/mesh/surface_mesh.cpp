#include "limber/mesh/surface_mesh.hpp"

#include "limber/base/bits.hpp"
#include "limber/base/error.hpp"
#include "limber/mesh/coordinates.hpp"

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>

namespace limber {
namespace {

/// Three numbers by their bits, as the key of a hash table: NaN and infinity are as good as any.
struct CellKey {
  std::array<std::uint64_t, 3> bits;

  explicit CellKey(const Vector3& x) {
    for (int axis = 0; axis < 3; ++axis) bits[axis] = bits_as<std::uint64_t>(x(axis) + 0.0);  // -0 is 0
  }
  bool operator==(const CellKey&) const = default;
};

struct CellHash {
  std::size_t operator()(const CellKey& key) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    for (const std::uint64_t value : key.bits) {
      hash = (hash ^ value) * 0xff51afd7ed558ccdULL;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

/// For each vertex the one that stands for it: the first at its position.
std::vector<int> first_at_position(const Matrix3X& vertices) {
  std::unordered_map<CellKey, int, CellHash> first;
  first.reserve(static_cast<std::size_t>(vertices.cols()));
  std::vector<int> result;
  result.reserve(static_cast<std::size_t>(vertices.cols()));
  for (int v = 0; v < static_cast<int>(vertices.cols()); ++v) {
    result.push_back(first.try_emplace(CellKey(vertices.col(v)), v).first->second);
  }
  return result;
}

/// The same within a tolerance: each vertex joins the nearest one that was kept before it, if near enough.
/// Kept vertices lie in the cells of a grid as wide as the tolerance, so 27 cells hold all candidates.
std::vector<int> first_within(const Matrix3X& vertices, double tolerance) {
  std::unordered_map<CellKey, std::vector<int>, CellHash> kept;
  std::vector<int> result;
  result.reserve(static_cast<std::size_t>(vertices.cols()));
  for (int v = 0; v < static_cast<int>(vertices.cols()); ++v) {
    const Vector3 x = vertices.col(v);
    const Vector3 cell = (x / tolerance).array().floor();
    int nearest = v;
    double best = tolerance * tolerance;
    for (int k = 0; k < 27; ++k) {
      const auto found =
          kept.find(CellKey(cell + Eigen::Vector3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1).cast<double>()));
      if (found == kept.end()) continue;
      for (const int other : found->second) {
        const double distance = (vertices.col(other) - x).squaredNorm();
        if (distance < best) {
          best = distance;
          nearest = other;
        }
      }
    }
    if (nearest == v) kept[CellKey(cell)].push_back(v);
    result.push_back(nearest);
  }
  return result;
}

}  // namespace

void check_surface(const SurfaceMesh& surface, std::string_view where) {
  require(surface.triangle_count() > 0, "{}: the surface has no triangles; limber needs at least one", where);
  check_coordinates(surface.vertices, where);
  require(static_cast<Index>(surface.part.size()) == surface.triangle_count(),
          "{}: {} part numbers for {} triangles, expected one each", where, surface.part.size(),
          surface.triangle_count());
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int vertex = surface.triangles(k, t);
      require(vertex >= 0 && vertex < surface.vertex_count(),
              "{}: triangle {} names vertex {}, but the surface has vertices 0 to {}", where, t, vertex,
              surface.vertex_count() - 1);
    }
    const int part = surface.part[static_cast<std::size_t>(t)];
    require(part >= 0 && part < static_cast<int>(surface.parts.size()),
            "{}: triangle {} belongs to part {}, but the surface has parts 0 to {}", where, t, part,
            static_cast<int>(surface.parts.size()) - 1);
  }
}

SurfaceMesh make_surface_mesh(Matrix3X vertices, Eigen::Matrix3Xi triangles, std::string name) {
  SurfaceMesh surface;
  surface.vertices = std::move(vertices);
  surface.triangles = std::move(triangles);
  surface.part.assign(static_cast<std::size_t>(surface.triangle_count()), 0);
  surface.parts = {std::move(name)};
  return surface;
}

double surface_area(const SurfaceMesh& surface) {
  double sum = 0.0;
  for (const auto& t : surface.triangles.colwise()) {
    const Vector3 a = surface.vertices.col(t(0));
    sum += 0.5 * (surface.vertices.col(t(1)) - a).cross(surface.vertices.col(t(2)) - a).norm();
  }
  return sum;
}

double enclosed_volume(const SurfaceMesh& surface) {
  if (surface.triangle_count() == 0) return 0.0;
  // Any origin gives the same volume of a closed surface; the middle of the box loses the fewest digits.
  const BoundingBox box = bounding_box(surface);
  const Vector3 origin = 0.5 * (box.min + box.max);
  double sum = 0.0;
  for (const auto& t : surface.triangles.colwise()) {
    const Vector3 a = surface.vertices.col(t(0)) - origin;
    const Vector3 b = surface.vertices.col(t(1)) - origin;
    const Vector3 c = surface.vertices.col(t(2)) - origin;
    sum += a.dot(b.cross(c)) / 6.0;
  }
  return sum;
}

BoundingBox bounding_box(const SurfaceMesh& surface) {
  BoundingBox box{Vector3::Constant(std::numeric_limits<double>::infinity()),
                  Vector3::Constant(-std::numeric_limits<double>::infinity())};
  for (const int vertex : surface.triangles.reshaped()) {
    box.min = box.min.cwiseMin(surface.vertices.col(vertex));
    box.max = box.max.cwiseMax(surface.vertices.col(vertex));
  }
  return box;
}

Matrix3X vertex_normals(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles) {
  Matrix3X normals = Matrix3X::Zero(3, vertices.cols());
  for (const auto& t : triangles.colwise()) {
    const Vector3 area =
        (vertices.col(t(1)) - vertices.col(t(0))).cross(vertices.col(t(2)) - vertices.col(t(0)));
    const double norm = area.norm();
    if (!(norm > 0.0)) continue;
    for (int k = 0; k < 3; ++k) {
      const Vector3 left = vertices.col(t((k + 1) % 3)) - vertices.col(t(k));
      const Vector3 right = vertices.col(t((k + 2) % 3)) - vertices.col(t(k));
      normals.col(t(k)) += std::atan2(norm, left.dot(right)) / norm * area;
    }
  }
  for (auto normal : normals.colwise()) {
    const double norm = normal.norm();
    if (norm > 0.0) normal /= norm;
  }
  return normals;
}

Index merge_vertices(SurfaceMesh& surface, double tolerance) {
  require(tolerance >= 0.0 && std::isfinite(tolerance),
          "vertices cannot be merged within {} m, expected a finite number of at least 0", tolerance);
  const std::vector<int> first =
      tolerance > 0.0 ? first_within(surface.vertices, tolerance) : first_at_position(surface.vertices);
  std::vector<int> renumbered(first.size());
  int kept = 0;
  for (int v = 0; v < static_cast<int>(first.size()); ++v) {
    if (first[v] == v) {
      surface.vertices.col(kept) = surface.vertices.col(v);
      renumbered[v] = kept++;
    } else {
      renumbered[v] = renumbered[first[v]];
    }
  }
  surface.vertices.conservativeResize(3, kept);
  for (int& vertex : surface.triangles.reshaped()) vertex = renumbered[vertex];
  return static_cast<Index>(first.size()) - kept;
}

SurfaceMesh boundary_surface(const VolumeMesh& mesh) {
  BoundaryFaces faces = boundary_faces(mesh);
  SurfaceMesh surface;
  surface.triangles = std::move(faces.triangles);
  for (const Region& region : mesh.regions) surface.parts.push_back(region.name);
  surface.part.reserve(faces.element.size());
  for (const int e : faces.element) surface.part.push_back(mesh.region[static_cast<std::size_t>(e)]);

  std::vector<int> renumbered(static_cast<std::size_t>(mesh.vertex_count()), -1);
  for (const int vertex : surface.triangles.reshaped()) renumbered[vertex] = 0;
  surface.vertices.resize(3, mesh.vertex_count());
  int used = 0;
  for (int v = 0; v < static_cast<int>(renumbered.size()); ++v) {
    if (renumbered[v] < 0) continue;
    surface.vertices.col(used) = mesh.vertices.col(v);
    renumbered[v] = used++;
  }
  surface.vertices.conservativeResize(3, used);
  for (int& vertex : surface.triangles.reshaped()) vertex = renumbered[vertex];
  return surface;
}

}  // namespace limber
