#include "limber/mesh/surface_orientation.hpp"

#include "limber/mesh/surface_query.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace limber {
namespace {

/// Volume over area^(3/2) beyond which the sign of an open patch's volume means something: a sphere and a
/// half one have 0.1, a sheet has 0.
constexpr double telling_volume = 0.01;

/// Fall of the others' winding number across a patch that tells its orientation: about 1 where it fits a hole
/// in them, 0 far from them.
constexpr double telling_fall = 0.2;

struct Patch {
  std::vector<int> triangles;
  bool closed = true;  ///< by itself: it runs through every edge equally often in both directions
};

struct Neighbour {
  int triangle;
  bool agrees;  ///< both run through the common edge in opposite directions
};

Vector3 corner(const SurfaceMesh& surface, int triangle, int k) {
  return surface.vertices.col(surface.triangles(k, triangle));
}

Vector3 area_normal(const SurfaceMesh& surface, int triangle) {
  const Vector3 a = corner(surface, triangle, 0);
  return 0.5 * (corner(surface, triangle, 1) - a).cross(corner(surface, triangle, 2) - a);
}

Vector3 centroid(const SurfaceMesh& surface, int triangle) {
  return (corner(surface, triangle, 0) + corner(surface, triangle, 1) + corner(surface, triangle, 2)) / 3.0;
}

void turn(SurfaceMesh& surface, int triangle) {
  std::swap(surface.triangles(1, triangle), surface.triangles(2, triangle));
}

void turn(SurfaceMesh& surface, const Patch& patch) {
  for (const int t : patch.triangles) turn(surface, t);
}

/// A patch alone; every triangle has vertices of its own.
SurfaceMesh extract(const SurfaceMesh& surface, const Patch& patch) {
  Matrix3X vertices(3, 3 * static_cast<Index>(patch.triangles.size()));
  Eigen::Matrix3Xi triangles(3, static_cast<Index>(patch.triangles.size()));
  for (int i = 0; i < static_cast<int>(triangles.size()); ++i) {
    vertices.col(i) = corner(surface, patch.triangles[static_cast<std::size_t>(i / 3)], i % 3);
    triangles(i) = i;
  }
  return make_surface_mesh(std::move(vertices), std::move(triangles));
}

/// Area of a patch and the volume that it encloses with its centroid.
struct Measure {
  double area = 0.0;
  double volume = 0.0;
};

Measure measure(const SurfaceMesh& surface, std::span<const int> triangles) {
  Measure result;
  Vector3 middle = Vector3::Zero();
  for (const int t : triangles) {
    const double area = area_normal(surface, t).norm();
    result.area += area;
    middle += area * centroid(surface, t);
  }
  if (result.area == 0.0) return result;
  middle /= result.area;
  for (const int t : triangles) {
    result.volume += (centroid(surface, t) - middle).dot(area_normal(surface, t)) / 3.0;
  }
  return result;
}

bool clearly_positive(const Measure& measure) {
  return measure.volume > telling_volume * measure.area * std::sqrt(measure.area);
}

bool clearly_negative(const Measure& measure) { return clearly_positive({measure.area, -measure.volume}); }

/// The patches, with neighbours made to agree inside of each.
class Patches {
 public:
  explicit Patches(SurfaceMesh& surface) : surface_(surface) {
    const auto count = static_cast<std::size_t>(surface.triangle_count());
    neighbours_.resize(count);
    const std::vector<TriangleEdge> edges = sorted_edges(surface);
    for_each_edge(edges, [&](std::span<const TriangleEdge> sides) {
      if (sides.size() != 2) return;
      const bool agrees = sides[0].forward != sides[1].forward;
      neighbours_[sides[0].triangle].push_back({sides[1].triangle, agrees});
      neighbours_[sides[1].triangle].push_back({sides[0].triangle, agrees});
    });
    patch_of_.assign(count, -1);
    turned_.assign(count, 0);
    for (int t = 0; t < static_cast<int>(count); ++t) {
      if (patch_of_[t] < 0) collect(t);
    }
    find_open();
  }

  [[nodiscard]] std::vector<Patch> take() { return std::move(patches_); }

 private:
  /// Flood fill; the triangles that disagree with the larger area are turned.
  void collect(int seed) {
    Patch patch;
    const int number = static_cast<int>(patches_.size());
    patch.triangles.push_back(seed);
    patch_of_[seed] = number;
    double turned_area = 0.0;
    double kept_area = 0.0;
    for (std::size_t i = 0; i < patch.triangles.size(); ++i) {
      const int t = patch.triangles[i];
      (turned_[t] ? turned_area : kept_area) += area_normal(surface_, t).norm();
      for (const Neighbour& next : neighbours_[t]) {
        if (patch_of_[next.triangle] >= 0) continue;
        patch_of_[next.triangle] = number;
        turned_[next.triangle] = next.agrees ? turned_[t] : !turned_[t];
        patch.triangles.push_back(next.triangle);
      }
    }
    const char minority = turned_area > kept_area ? 0 : 1;
    for (const int t : patch.triangles) {
      if (turned_[t] == minority) turn(surface_, t);
    }
    patches_.push_back(std::move(patch));
  }

  /// Patches that touch along an edge may well be closed, each by itself.
  void find_open() {
    const std::vector<TriangleEdge> edges = sorted_edges(surface_);
    std::vector<int> balance(patches_.size(), 0);
    for_each_edge(edges, [&](std::span<const TriangleEdge> sides) {
      for (const TriangleEdge& side : sides) balance[patch_of_[side.triangle]] += side.forward ? 1 : -1;
      for (const TriangleEdge& side : sides) {
        int& excess = balance[patch_of_[side.triangle]];
        if (excess != 0) patches_[patch_of_[side.triangle]].closed = false;
        excess = 0;
      }
    });
  }

  SurfaceMesh& surface_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<int> patch_of_;  ///< by triangle
  std::vector<char> turned_;   ///< by triangle: against the seed of its patch
  std::vector<Patch> patches_;
};

int largest_triangle(const SurfaceMesh& surface, const Patch& patch) {
  return *std::max_element(patch.triangles.begin(), patch.triangles.end(), [&](int a, int b) {
    return area_normal(surface, a).squaredNorm() < area_normal(surface, b).squaredNorm();
  });
}

/// True where a patch is turned inward, as far as can be told from itself and from the others around it.
bool is_inside_out(const SurfaceMesh& surface, const Patch& patch, const SurfaceQuery& all) {
  const Measure own = measure(surface, patch.triangles);
  if (own.area == 0.0 || (patch.closed && own.volume >= 0.0)) return false;
  const bool hollow = patch.closed || clearly_negative(own);
  const bool solid = clearly_positive(own);

  const SurfaceQuery alone(extract(surface, patch));
  const auto others = [&](const Vector3& x) { return all.winding_number(x) - alone.winding_number(x); };
  const int t = largest_triangle(surface, patch);
  const Vector3 middle = centroid(surface, t);
  const Vector3 normal = area_normal(surface, t);
  const bool contained = std::abs(others(middle)) > 0.5;
  if (patch.closed) return !contained;

  // A short step, lest it leads through a thin wall; scaled to the size of the patch.
  const double scale = std::sqrt(own.area / normal.norm());
  const Vector3 step = 0.1 / std::sqrt(normal.norm()) * normal;
  const double fall = 5.0 * scale * (others(middle - step) - others(middle + step));
  if (fall < -telling_fall) return !solid;
  if (fall > telling_fall) return false;
  return hollow && !contained;
}

/// Marks the closed patches inside of closed ones that are turned.
void add_contents(const SurfaceMesh& surface, std::span<const Patch> patches, const SurfaceQuery& all,
                  std::vector<char>& turned) {
  std::vector<SurfaceQuery> containers;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (turned[i] && patches[i].closed) containers.emplace_back(extract(surface, patches[i]));
  }
  if (containers.empty()) return;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (turned[i] || !patches[i].closed) continue;
    const Vector3 middle = centroid(surface, largest_triangle(surface, patches[i]));
    const bool inside = std::any_of(containers.begin(), containers.end(), [&](const SurfaceQuery& container) {
      const BoundingBox& box = container.bounds();
      if ((middle.array() < box.min.array()).any() || (middle.array() > box.max.array()).any()) return false;
      return container.winding_number(middle) < -0.5;
    });
    if (!inside) continue;
    // What lies in a cavity of the turned patch is not inside of the body.
    const SurfaceQuery alone(extract(surface, patches[i]));
    if (std::abs(all.winding_number(middle) - alone.winding_number(middle)) > 0.5) turned[i] = 1;
  }
}

}  // namespace

std::vector<TriangleEdge> sorted_edges(const SurfaceMesh& surface) {
  std::vector<TriangleEdge> edges;
  edges.reserve(3 * static_cast<std::size_t>(surface.triangle_count()));
  for (int t = 0; t < static_cast<int>(surface.triangle_count()); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int from = surface.triangles(k, t);
      const int to = surface.triangles((k + 1) % 3, t);
      if (from != to) edges.push_back({std::min(from, to), std::max(from, to), t, from < to});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const TriangleEdge& a, const TriangleEdge& b) {
    return std::tie(a.low, a.high, a.triangle, a.forward) < std::tie(b.low, b.high, b.triangle, b.forward);
  });
  return edges;
}

Index orient_outward(SurfaceMesh& surface) {
  const Eigen::Matrix3Xi given = surface.triangles;
  const std::vector<Patch> patches = Patches(surface).take();
  std::vector<int> all(static_cast<std::size_t>(surface.triangle_count()));
  for (int t = 0; t < static_cast<int>(all.size()); ++t) all[t] = t;
  if (clearly_negative(measure(surface, all))) {
    for (const int t : all) turn(surface, t);
  }
  const SurfaceQuery query(surface);
  std::vector<char> turned_patches(patches.size(), 0);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    turned_patches[i] = is_inside_out(surface, patches[i], query) ? 1 : 0;
  }
  add_contents(surface, patches, query, turned_patches);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (turned_patches[i]) turn(surface, patches[i]);
  }
  Index turned = 0;
  for (Index t = 0; t < given.cols(); ++t) turned += surface.triangles.col(t) != given.col(t) ? 1 : 0;
  return turned;
}

}  // namespace limber
