#include "limber/mesh/surface_repair.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/mesh/surface_orientation.hpp"
#include "limber/mesh/union_find.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <utility>

namespace limber {
namespace {

/// A triangle has no area when it is below this share of its longest edge squared: about what rounding of the
/// coordinates makes of three points in a line, some thousand times over.
constexpr double no_area = 1e-12;

/// Vertices are at the same place when nearer than this share of the diagonal: what rounding makes of one
/// point computed in two ways, as at the seam of a sphere.
constexpr double same_place = 1e-12;

/// A surface is flat when it is thinner than this share of its diagonal.
constexpr double least_thickness = 1e-9;

bool has_repeated_corner(const SurfaceMesh& surface, Index t) {
  const auto corners = surface.triangles.col(t);
  return corners(0) == corners(1) || corners(1) == corners(2) || corners(2) == corners(0);
}

bool is_degenerate(const SurfaceMesh& surface, Index t) {
  const Vector3 a = surface.vertices.col(surface.triangles(0, t));
  const Vector3 b = surface.vertices.col(surface.triangles(1, t));
  const Vector3 c = surface.vertices.col(surface.triangles(2, t));
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return 0.5 * (b - a).cross(c - a).norm() <= no_area * longest;
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

/// Groups of which those are counted that were joined, if only with themselves.
class CountedGroups {
 public:
  explicit CountedGroups(Index count) : groups_(count), member_(static_cast<std::size_t>(count), 0) {}

  void join(int a, int b) {
    member_[a] = member_[b] = 1;
    groups_.join(a, b);
  }
  [[nodiscard]] Index count() const {
    Index roots = 0;
    for (int i = 0; i < static_cast<int>(member_.size()); ++i)
      roots += member_[i] && groups_.is_root(i) ? 1 : 0;
    return roots;
  }

 private:
  UnionFind groups_;
  std::vector<char> member_;
};

/// Triangles with the same corners.
struct Copies {
  std::vector<int> first;      ///< by triangle: the first one with its corners
  std::vector<char> repeated;  ///< by triangle: there is another one with its corners, turned either way
};

/// Triangles must have three different corners.
Copies find_copies(const SurfaceMesh& surface) {
  struct Key {
    std::array<int, 3> corners;  ///< rising
    int triangle;
  };
  std::vector<Key> keys;
  for (int t = 0; t < static_cast<int>(surface.triangle_count()); ++t) {
    std::array<int, 3> c{surface.triangles(0, t), surface.triangles(1, t), surface.triangles(2, t)};
    std::sort(c.begin(), c.end());
    keys.push_back({c, t});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.corners != b.corners ? a.corners < b.corners : a.triangle < b.triangle;
  });
  Copies copies{std::vector<int>(keys.size()), std::vector<char>(keys.size(), 0)};
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    for (end = begin; end < keys.size() && keys[end].corners == keys[begin].corners; ++end) {
      copies.first[keys[end].triangle] = keys[begin].triangle;
    }
    for (std::size_t i = begin; i < end; ++i) copies.repeated[keys[i].triangle] = end - begin > 1 ? 1 : 0;
  }
  return copies;
}

/// For each triangle whether it belongs to a wall between pieces: those of both pieces cancel.
///
/// Repeated triangles connected through edges of such ones only are kept or removed together. At an edge that
/// `single` others share with `own` of the group, counted without copies, the surface is closed
/// - without the group, where single is even (a wall: the two pieces go on at either side);
/// - with one copy of it, where single + own is even (a patch of the surface that is there twice).
/// How the copies are turned says nothing: one of two pieces may be inside out.
/// The edges vote. Where both hold at all edges, or there is none, one copy stays: it is a piece of its own,
/// given from both sides.
std::vector<char> find_walls(const SurfaceMesh& surface, const Copies& copies) {
  const auto is_first = [&](const TriangleEdge& side) {
    return copies.first[side.triangle] == side.triangle;
  };
  const auto count_single = [&](std::span<const TriangleEdge> sides) {
    return std::count_if(sides.begin(), sides.end(), [&](const TriangleEdge& side) {
      return is_first(side) && !copies.repeated[side.triangle];
    });
  };
  const std::size_t count = copies.first.size();
  const std::vector<TriangleEdge> edges = sorted_edges(surface);
  UnionFind groups(surface.triangle_count());
  for (std::size_t t = 0; t < count; ++t) groups.join(static_cast<int>(t), copies.first[t]);
  for_each_edge(edges, [&](std::span<const TriangleEdge> sides) {
    if (count_single(sides) > 0) return;
    for (const TriangleEdge& side : sides) groups.join(sides[0].triangle, side.triangle);
  });

  std::vector<int> votes(count, 0);  // of the group by its root, for being a wall
  std::vector<int> own;
  for_each_edge(edges, [&](std::span<const TriangleEdge> sides) {
    const auto single = count_single(sides);
    if (single == 0) return;
    own.clear();
    for (const TriangleEdge& side : sides) {
      if (is_first(side) && copies.repeated[side.triangle]) own.push_back(groups.root(side.triangle));
    }
    std::sort(own.begin(), own.end());
    for (auto begin = own.begin(); begin != own.end();) {
      const auto end = std::upper_bound(begin, own.end(), *begin);
      if (single % 2 != 0) {
        --votes[*begin];
      } else if ((end - begin) % 2 != 0) {
        ++votes[*begin];
      }
      begin = end;
    }
  });

  std::vector<char> walls(count, 0);
  for (std::size_t t = 0; t < count; ++t) {
    walls[t] = copies.repeated[t] && votes[groups.root(static_cast<int>(t))] > 0 ? 1 : 0;
  }
  return walls;
}

/// Keeps one triangle of several with the same corners, and none of walls. Counts those with area.
void remove_copies(SurfaceMesh& surface, SurfaceDefects& defects) {
  const Copies copies = find_copies(surface);
  std::vector<char> removed = find_walls(surface, copies);
  for (int t = 0; t < static_cast<int>(removed.size()); ++t) {
    const bool repeated = !removed[t] && copies.first[t] != t;
    if (!is_degenerate(surface, t)) {
      defects.wall_triangles += removed[t];
      defects.duplicate_triangles += repeated ? 1 : 0;
    }
    removed[t] |= repeated ? 1 : 0;
  }
  remove_triangles(surface, removed);
}

/// Removes the triangles on a line, but for those that seal the surface. With a triangle the number of open
/// edges (those with an odd number of triangles) changes by one for each of its three: it stays if fewer than
/// two of them are open. As every removal leaves fewer open edges, the order matters little.
void remove_idle_lines(SurfaceMesh& surface) {
  struct Edge {
    std::size_t sides;
    std::vector<int> lines;  ///< triangles on a line
  };
  std::vector<int> pending;
  std::vector<char> removed(static_cast<std::size_t>(surface.triangle_count()), 0);
  std::vector<char> on_line(removed.size(), 0);
  for (int t = 0; t < static_cast<int>(removed.size()); ++t) {
    if (!is_degenerate(surface, t)) continue;
    on_line[t] = 1;
    pending.push_back(t);
  }
  if (pending.empty()) return;
  std::vector<Edge> edges;  // of triangles on a line
  std::vector<std::vector<int>> edges_of(removed.size());
  const std::vector<TriangleEdge> all = sorted_edges(surface);
  for_each_edge(all, [&](std::span<const TriangleEdge> sides) {
    std::vector<int> lines;
    for (const TriangleEdge& side : sides) {
      if (on_line[side.triangle]) lines.push_back(side.triangle);
    }
    for (const int t : lines) edges_of[t].push_back(static_cast<int>(edges.size()));
    if (!lines.empty()) edges.push_back({sides.size(), std::move(lines)});
  });
  while (!pending.empty()) {
    const int t = pending.back();
    pending.pop_back();
    const auto is_open = [&](int edge) { return edges[edge].sides % 2 != 0; };
    if (removed[t] || std::count_if(edges_of[t].begin(), edges_of[t].end(), is_open) < 2) continue;
    removed[t] = 1;
    for (const int edge : edges_of[t]) {
      --edges[edge].sides;
      pending.insert(pending.end(), edges[edge].lines.begin(), edges[edge].lines.end());
    }
  }
  remove_triangles(surface, removed);
}

void count_edges(const SurfaceMesh& surface, SurfaceDefects& defects) {
  CountedGroups rims(surface.vertex_count());
  CountedGroups pieces(surface.triangle_count());
  defects.closed = true;
  const std::vector<TriangleEdge> edges = sorted_edges(surface);
  for_each_edge(edges, [&](std::span<const TriangleEdge> sides) {
    if (sides.size() == 1) {
      ++defects.boundary_edges;
      rims.join(sides[0].low, sides[0].high);
    } else if (sides.size() > 2) {
      ++defects.nonmanifold_edges;
    }
    int balance = 0;
    for (const TriangleEdge& side : sides) {
      pieces.join(sides[0].triangle, side.triangle);
      balance += side.forward ? 1 : -1;
    }
    defects.closed = defects.closed && balance == 0;
  });
  defects.holes = rims.count();
  defects.components = pieces.count();
}

/// Extent of the vertices across the plane that fits them best, over the diagonal of their box.
double relative_thickness(const Matrix3X& vertices) {
  const Matrix3X centred = vertices.colwise() - vertices.rowwise().mean();
  const Matrix3 spread = centred * centred.transpose();
  const Vector3 across = symmetric_eigen3(spread).vectors.col(0);
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
  add(defects.wall_triangles, "triangle of a wall between touching pieces",
      "triangles of walls between touching pieces");
  add(defects.flipped_triangles, "triangle that faced inward", "triangles that faced inward");
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

  const BoundingBox box = bounding_box(repaired);
  defects.duplicate_vertices = merge_vertices(repaired, same_place * (box.max - box.min).norm());
  const std::vector<char> used = used_by_triangles(repaired);
  defects.unused_vertices = std::count(used.begin(), used.end(), 0);

  const Index given = repaired.triangle_count();
  std::vector<char> pointless(static_cast<std::size_t>(given), 0);
  for (Index t = 0; t < given; ++t) {
    pointless[t] = has_repeated_corner(repaired, t) ? 1 : 0;
    defects.degenerate_triangles += is_degenerate(repaired, t) ? 1 : 0;
  }
  require(defects.degenerate_triangles < given,
          "{}: none of its {} triangles has an area; it encloses no volume", where, given);
  remove_triangles(repaired, pointless);
  remove_copies(repaired, defects);
  remove_idle_lines(repaired);
  require(surface_area(repaired) > 0.0, "{}: nothing but walls between pieces; it encloses no volume", where);
  remove_unused_vertices(repaired);
  require(relative_thickness(repaired.vertices) > least_thickness,
          "{}: the surface is flat: all its vertices lie in one plane; it encloses no volume", where);

  defects.flipped_triangles = orient_outward(repaired);
  count_edges(repaired, defects);
  return result;
}

}  // namespace limber
