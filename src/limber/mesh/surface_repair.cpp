#include "limber/mesh/surface_repair.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/surface_orientation.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace limber {
namespace {

/// A triangle has no area when it is below this share of its longest edge squared: about what rounding of the
/// coordinates makes of three points in a line, some thousand times over.
constexpr double no_area = 1e-12;

/// A surface is flat when it is thinner than this share of its diagonal.
constexpr double flat = 1e-9;

bool is_degenerate(const SurfaceMesh& surface, Index t) {
  const Vector3 a = surface.vertices.col(surface.triangles(0, t));
  const Vector3 b = surface.vertices.col(surface.triangles(1, t));
  const Vector3 c = surface.vertices.col(surface.triangles(2, t));
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return 0.5 * (b - a).cross(c - a).norm() <= no_area * longest;
}

/// For each triangle whether another one before it has the same corners.
std::vector<char> repeated_triangles(const SurfaceMesh& surface, const std::vector<char>& ignored) {
  struct Key {
    std::array<int, 3> corners;
    int triangle;
  };
  std::vector<Key> keys;
  for (int t = 0; t < static_cast<int>(surface.triangle_count()); ++t) {
    if (ignored[t]) continue;
    std::array<int, 3> corners{surface.triangles(0, t), surface.triangles(1, t), surface.triangles(2, t)};
    std::sort(corners.begin(), corners.end());
    keys.push_back({corners, t});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.corners != b.corners ? a.corners < b.corners : a.triangle < b.triangle;
  });
  std::vector<char> repeated(ignored.size(), 0);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (keys[i].corners == keys[i - 1].corners) repeated[keys[i].triangle] = 1;
  }
  return repeated;
}

void remove_triangles(SurfaceMesh& surface, const std::vector<char>& removed) {
  int kept = 0;
  for (int t = 0; t < static_cast<int>(removed.size()); ++t) {
    if (removed[t]) continue;
    surface.triangles.col(kept) = surface.triangles.col(t);
    surface.part[kept] = surface.part[t];
    ++kept;
  }
  surface.triangles.conservativeResize(3, kept);
  surface.part.resize(static_cast<std::size_t>(kept));
}

std::vector<char> used_by_triangles(const SurfaceMesh& surface) {
  std::vector<char> used(static_cast<std::size_t>(surface.vertex_count()), 0);
  for (const int vertex : surface.triangles.reshaped()) used[vertex] = 1;
  return used;
}

void remove_unused_vertices(SurfaceMesh& surface) {
  const std::vector<char> used = used_by_triangles(surface);
  std::vector<int> renumbered(used.size());
  int kept = 0;
  for (int v = 0; v < static_cast<int>(used.size()); ++v) {
    if (!used[v]) continue;
    surface.vertices.col(kept) = surface.vertices.col(v);
    renumbered[v] = kept++;
  }
  surface.vertices.conservativeResize(3, kept);
  for (int& vertex : surface.triangles.reshaped()) vertex = renumbered[vertex];
}

/// Union-find over 0 to n - 1; counts the groups of those that were joined or marked.
class Groups {
 public:
  explicit Groups(Index count) : parent_(static_cast<std::size_t>(count)), member_(parent_.size(), 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  void join(int a, int b) {
    member_[a] = member_[b] = 1;
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  [[nodiscard]] Index count() const {
    Index roots = 0;
    for (int i = 0; i < static_cast<int>(parent_.size()); ++i) roots += member_[i] && parent_[i] == i ? 1 : 0;
    return roots;
  }

 private:
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::vector<int> parent_;
  std::vector<char> member_;
};

void count_edges(const SurfaceMesh& surface, SurfaceDefects& defects) {
  Groups rims(surface.vertex_count());
  Groups pieces(surface.triangle_count());
  const std::vector<TriangleEdge> edges = sorted_edges(surface);
  for_each_edge(edges, [&](std::span<const TriangleEdge> sides) {
    if (sides.size() == 1) {
      ++defects.boundary_edges;
      rims.join(sides[0].low, sides[0].high);
    } else if (sides.size() > 2) {
      ++defects.nonmanifold_edges;
    }
    for (const TriangleEdge& side : sides) pieces.join(sides[0].triangle, side.triangle);
  });
  defects.holes = rims.count();
  defects.components = pieces.count();
  defects.closed = defects.boundary_edges == 0 && defects.nonmanifold_edges == 0;
}

/// Extent of the vertices across the plane that fits them best, over the diagonal of their box.
double relative_thickness(const Matrix3X& vertices) {
  const Matrix3X centred = vertices.colwise() - vertices.rowwise().mean();
  const Matrix3 spread = centred * centred.transpose();
  const Vector3 across = Eigen::SelfAdjointEigenSolver<Matrix3>(spread).eigenvectors().col(0);
  const Eigen::RowVectorXd height = across.transpose() * centred;
  const Vector3 size = vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff();
  return (height.maxCoeff() - height.minCoeff()) / size.norm();
}

std::string counted(Index count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

bool SurfaceDefects::none() const {
  return closed && duplicate_vertices == 0 && unused_vertices == 0 && degenerate_triangles == 0 &&
         duplicate_triangles == 0 && flipped_triangles == 0;
}

std::vector<std::string> describe(const SurfaceDefects& defects) {
  std::vector<std::string> lines;
  const auto add = [&](Index count, std::string_view one, std::string_view many) {
    if (count > 0) lines.push_back(counted(count, one, many));
  };
  add(defects.duplicate_vertices, "vertex at the position of another one",
      "vertices at the position of another one");
  add(defects.unused_vertices, "vertex in no triangle", "vertices in no triangle");
  add(defects.degenerate_triangles, "triangle without area", "triangles without area");
  add(defects.duplicate_triangles, "triangle given twice", "triangles given twice");
  add(defects.flipped_triangles, "triangle turned inward", "triangles turned inward");
  if (defects.boundary_edges > 0) {
    lines.push_back(fmt::format("{} along {}", counted(defects.boundary_edges, "open edge", "open edges"),
                                counted(defects.holes, "hole", "holes")));
  }
  add(defects.nonmanifold_edges, "edge in three triangles or more", "edges in three triangles or more");
  return lines;
}

RepairedSurface repair_surface(const SurfaceMesh& surface, std::string_view where) {
  check_surface(surface, where);
  RepairedSurface result{surface, {}};
  SurfaceMesh& repaired = result.surface;
  SurfaceDefects& defects = result.defects;

  defects.duplicate_vertices = merge_vertices(repaired);
  const std::vector<char> used = used_by_triangles(repaired);
  defects.unused_vertices = std::count(used.begin(), used.end(), 0);

  std::vector<char> removed(static_cast<std::size_t>(repaired.triangle_count()), 0);
  for (Index t = 0; t < repaired.triangle_count(); ++t) removed[t] = is_degenerate(repaired, t) ? 1 : 0;
  defects.degenerate_triangles = std::count(removed.begin(), removed.end(), 1);
  require(defects.degenerate_triangles < repaired.triangle_count(),
          "{}: none of its {} triangles has an area; it encloses no volume", where,
          repaired.triangle_count());
  const std::vector<char> repeated = repeated_triangles(repaired, removed);
  defects.duplicate_triangles = std::count(repeated.begin(), repeated.end(), 1);
  for (std::size_t t = 0; t < removed.size(); ++t) removed[t] |= repeated[t];
  remove_triangles(repaired, removed);
  remove_unused_vertices(repaired);
  require(relative_thickness(repaired.vertices) > flat,
          "{}: the surface is flat: all its vertices lie in one plane; it encloses no volume", where);

  count_edges(repaired, defects);
  defects.flipped_triangles = orient_outward(repaired);
  return result;
}

}  // namespace limber
