#include "limber/contact/rest_field.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/bvh.hpp"
#include "limber/mesh/triangle_distance.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

// Four passes over a lattice that fills the box of the body, of at most two million points: which are inside
// (by counting crossings along lines), exact distances next to triangles (each writes to the points around
// it), which blocks are needed, and distances at all of their points, from point to point with the triangles
// that were nearest. A tree of triangles would be exact there, too, and slow: in the middle of a ball all of
// them are as near.

namespace limber {
namespace {

constexpr int cells_per_block = 4;
constexpr double unknown_distance = std::numeric_limits<float>::infinity();

/// Throws Error unless every edge is run through equally often in both directions.
void require_balanced_edges(const Eigen::Matrix3Xi& triangles, std::string_view where) {
  std::vector<std::array<int, 3>> edges;  // lower and higher vertex, direction
  edges.reserve(static_cast<std::size_t>(3 * triangles.cols()));
  for (Index t = 0; t < triangles.cols(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangles(k, t), b = triangles((k + 1) % 3, t);
      if (a != b) edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size();) {
    int balance = 0;
    const std::size_t first = i;
    for (; i < edges.size() && edges[i][0] == edges[first][0] && edges[i][1] == edges[first][1]; ++i)
      balance += edges[i][2];
    require(balance == 0,
            "{}: the surface is open or turned over at the edge between vertices {} and {}; expected a "
            "closed one, "
            "whose inside is known; close it with limber mesh, or keep the simulation mesh in the model",
            where, edges[first][0], edges[first][1]);
  }
}

/// The edge of a cell for which that many points lie inside or within two cells of the surface.
double choose_cell(const BoundingBox& box, double volume, double area, Index points) {
  const Vector3 size = box.max - box.min;
  constexpr double band = 4.0;         // cells, on both sides together
  constexpr double most_points = 2e6;  // of the whole box: 8 MB while it is built
  constexpr double pad = 10.0;         // cells around it
  const auto too_many = [&](double a) {
    return (volume / a + band * area) / (a * a) > static_cast<double>(points) ||
           (size.array() / a + pad).prod() > most_points;
  };
  double low = 1e-4 * size.maxCoeff(), high = size.maxCoeff();
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (too_many(middle) ? low : high) = middle;
  }
  return size.maxCoeff() / std::ceil(size.maxCoeff() / high);
}

/// For each triangle those behind its edges, in no particular order. Of several at one edge, the next one.
Eigen::Matrix3Xi triangles_across(const Eigen::Matrix3Xi& triangles) {
  std::vector<std::array<int, 3>> edges;  // lower and higher vertex, 3 triangle + edge
  edges.reserve(static_cast<std::size_t>(3 * triangles.cols()));
  for (Index t = 0; t < triangles.cols(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(triangles(k, t), triangles((k + 1) % 3, t));
      edges.push_back({low, high, static_cast<int>(3 * t) + k});
    }
  }
  std::sort(edges.begin(), edges.end());
  Eigen::Matrix3Xi across(3, triangles.cols());
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i;
    while (end < edges.size() && edges[end][0] == edges[i][0] && edges[end][1] == edges[i][1]) ++end;
    for (std::size_t j = i; j < end; ++j) {
      const int here = edges[j][2], there = edges[j + 1 < end ? j + 1 : i][2];
      across(here % 3, here / 3) = there / 3;
    }
    i = end;
  }
  return across;
}

/// In cells from the lattice's origin, with a ball around it.
struct LatticeTriangle {
  std::array<Vector3, 3> corner;
  std::array<int, 3> vertex{};
  Vector3 middle = Vector3::Zero();
  double radius = 0.0;

  [[nodiscard]] Vector3 low() const { return corner[0].cwiseMin(corner[1]).cwiseMin(corner[2]); }
  [[nodiscard]] Vector3 high() const { return corner[0].cwiseMax(corner[1]).cwiseMax(corner[2]); }
  /// By the region of its plane that x lies over: as closest_on_triangle(), a third of its cost.
  ///                                                                                      [Ericson 2005, 5.1.5]
  [[nodiscard]] double distance(const Vector3& x) const {
    const Vector3 ab = corner[1] - corner[0], ac = corner[2] - corner[0], ap = x - corner[0];
    const double d1 = ab.dot(ap), d2 = ac.dot(ap);
    if (d1 <= 0.0 && d2 <= 0.0) return ap.norm();
    const Vector3 bp = x - corner[1];
    const double d3 = ab.dot(bp), d4 = ac.dot(bp);
    if (d3 >= 0.0 && d4 <= d3) return bp.norm();
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return (ap - d1 / (d1 - d3) * ab).norm();
    const Vector3 cp = x - corner[2];
    const double d5 = ab.dot(cp), d6 = ac.dot(cp);
    if (d6 >= 0.0 && d5 <= d6) return cp.norm();
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return (ap - d2 / (d2 - d6) * ac).norm();
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 >= d3 && d5 >= d6)
      return (bp - (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (corner[2] - corner[1])).norm();
    const double sum = va + vb + vc;
    if (!(sum > 0.0)) return closest_on_triangle(x, corner[0], corner[1], corner[2]).distance;  // flat
    return (ap - vb / sum * ab - vc / sum * ac).norm();
  }
};

/// The lattice while it is built. Places are in cells from its origin.
struct LatticeDraft {
  std::array<int, 3> count{};  ///< points along each axis
  std::vector<signed char> winding;
  std::vector<float> distance;  ///< without sign
  std::vector<int> nearest;     ///< triangle that it was measured to

  std::vector<LatticeTriangle> triangles;

  explicit LatticeDraft(const std::array<int, 3>& blocks) {
    for (std::size_t k = 0; k < 3; ++k) count[k] = cells_per_block * blocks[k] + 1;
    const std::size_t all = at(0, 0, count[2]);
    winding.assign(all, 0);
    distance.assign(all, static_cast<float>(unknown_distance));
    nearest.assign(all, -1);
  }

  [[nodiscard]] std::size_t at(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(count[0]) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(count[1]) * static_cast<std::size_t>(z));
  }

  /// Adds the crossings of lines along x with a triangle. A line is inside of its projection by the sides of
  /// the edges, each computed from its lower vertex, so that two triangles agree about the edge that they
  /// share.
  void count_crossings(const LatticeTriangle& triangle) {
    const auto& [corner, vertex, middle, radius] = triangle;
    // Lines a thousandth of a cell beside the points: meshes made of cubes would have lines through vertices.
    constexpr double beside_y = 1.0e-3 * 0.7548776662, beside_z = 1.0e-3 * 0.5698402910;
    const auto cross = [](const Vector3& a, const Vector3& b, double y, double z) {
      return (b.y() - a.y()) * (z - a.z()) - (b.z() - a.z()) * (y - a.y());
    };
    const Vector3 low = triangle.low(), high = triangle.high();
    const Vector3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    for (int k = static_cast<int>(std::ceil(low.z() - beside_z)); k + beside_z <= high.z(); ++k) {
      for (int j = static_cast<int>(std::ceil(low.y() - beside_y)); j + beside_y <= high.y(); ++j) {
        const double y = j + beside_y, z = k + beside_z;
        int left = 0;
        for (std::size_t e = 0; e < 3; ++e) {
          const std::size_t a = e, b = (e + 1) % 3;
          const bool forward = vertex[a] < vertex[b];
          const double side = forward ? cross(corner[a], corner[b], y, z) : cross(corner[b], corner[a], y, z);
          left += (side > 0.0) == forward ? 1 : 0;
        }
        if (left != 0 && left != 3) continue;
        if (normal.x() == 0.0) continue;
        const double x = corner[0].x() -
                         (normal.y() * (y - corner[0].y()) + normal.z() * (z - corner[0].z())) / normal.x();
        const int first = std::clamp(static_cast<int>(std::ceil(x)), 0, count[0] - 1);
        winding[at(first, j, k)] = static_cast<signed char>(winding[at(first, j, k)] + (left == 3 ? -1 : 1));
      }
    }
  }

  /// From crossings to how often the surface winds around each point.
  void sum_crossings() {
    for (std::size_t row = 0; row < winding.size(); row += static_cast<std::size_t>(count[0]))
      for (std::size_t i = row + 1; i < row + static_cast<std::size_t>(count[0]); ++i)
        winding[i] = static_cast<signed char>(winding[i] + winding[i - 1]);
  }

  /// Measures the distance of a point to a triangle, and keeps it where it is the least so far.
  void try_triangle(std::size_t point, const Vector3& place, int t) {
    const LatticeTriangle& triangle = triangles[static_cast<std::size_t>(t)];
    const double bound = distance[point] + triangle.radius;
    if ((place - triangle.middle).squaredNorm() > bound * bound) return;
    const auto d = static_cast<float>(triangle.distance(place));
    if (!(d < distance[point])) return;
    distance[point] = d;
    nearest[point] = t;
  }

  /// Exact for points within a cell of a triangle.
  void write_around(int t) {
    const LatticeTriangle& triangle = triangles[static_cast<std::size_t>(t)];
    const Vector3 low = triangle.low().array() - 1.0, high = triangle.high().array() + 1.0;
    for (int z = static_cast<int>(std::ceil(low.z())); z <= high.z(); ++z)
      for (int y = static_cast<int>(std::ceil(low.y())); y <= high.y(); ++y)
        for (int x = static_cast<int>(std::ceil(low.x())); x <= high.x(); ++x)
          try_triangle(at(x, y, z), Vector3(x, y, z), t);
  }

  /// Distances of the points that are `needed`, from those that are known outwards: a point's nearest
  /// triangle is one of those of its neighbours, or is reached from there over edges, each triangle nearer
  /// than the one before. across: three to a triangle, behind its edges.
  void spread(const std::vector<char>& needed, const Eigen::Matrix3Xi& across) {
    std::vector<std::array<int, 3>> queue;
    std::vector<char> queued(distance.size(), 0);
    const auto for_each_around = [&](const std::array<int, 3>& p, const auto& action) {
      for (std::size_t k = 0; k < 3; ++k) {
        for (const int step : {-1, 1}) {
          std::array<int, 3> next = p;
          next[k] += step;
          if (next[k] >= 0 && next[k] < count[k]) action(next);
        }
      }
    };
    const auto put_around = [&](const std::array<int, 3>& p) {
      for_each_around(p, [&](const std::array<int, 3>& other) {
        const std::size_t i = at(other[0], other[1], other[2]);
        if (needed[i] == 0 || distance[i] <= 1.0F || queued[i] != 0) return;
        queued[i] = 1;
        queue.push_back(other);
      });
    };
    for (int z = 0; z < count[2]; ++z)
      for (int y = 0; y < count[1]; ++y)
        for (int x = 0; x < count[0]; ++x)
          if (distance[at(x, y, z)] <= 1.0F) put_around({x, y, z});
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::array<int, 3> p = queue[next];
      const Vector3 place(p[0], p[1], p[2]);
      const std::size_t i = at(p[0], p[1], p[2]);
      int last = -1;
      for_each_around(p, [&](const std::array<int, 3>& other) {
        const int t = nearest[at(other[0], other[1], other[2])];
        if (t >= 0 && t != last) try_triangle(i, place, t);
        last = t;
      });
      for (int before = -1; before != nearest[i];) {
        before = nearest[i];
        for (const int t : across.col(before)) try_triangle(i, place, t);
      }
      put_around(p);
    }
  }

  [[nodiscard]] float signed_distance(std::size_t i) const {
    return winding[i] > 0 ? -distance[i] : distance[i];
  }
};

/// Cells squared: what is as near as that to the lattice is in it.
constexpr double on_lattice = 1e-12;

/// Trilinear in a cell between eight numbers, x first.  f: within it, 0 to 1.
template <class Place>
[[gnu::always_inline]] inline double interpolate_cell(const float* p, std::size_t next_y, std::size_t next_z,
                                                      const Place& f, Vector3& gradient) {
  const double x00 = p[1] - p[0], x10 = p[next_y + 1] - p[next_y], x01 = p[next_z + 1] - p[next_z],
               x11 = p[next_z + next_y + 1] - p[next_z + next_y];
  const double a00 = p[0] + f[0] * x00, a10 = p[next_y] + f[0] * x10, a01 = p[next_z] + f[0] * x01,
               a11 = p[next_z + next_y] + f[0] * x11;
  const double b0 = a00 + f[1] * (a10 - a00), b1 = a01 + f[1] * (a11 - a01);
  const double x0 = x00 + f[1] * (x10 - x00), x1 = x01 + f[1] * (x11 - x01);
  gradient = {x0 + f[2] * (x1 - x0), (a10 - a00) + f[2] * ((a11 - a01) - (a10 - a00)), b1 - b0};
  return b0 + f[2] * (b1 - b0);
}

}  // namespace

RestField::RestField(const SurfaceMesh& surface, std::string_view where, const RestFieldOptions& options) {
  check_surface(surface, where);
  require(options.points >= 1000, "{}: a field of {} points, expected at least 1000", where, options.points);
  SurfaceMesh merged = surface;
  merge_vertices(merged);
  require_balanced_edges(merged.triangles, where);
  const double volume = enclosed_volume(merged);
  require(volume > 0.0,
          "{}: the surface encloses a volume of {} m^3; expected one whose triangles are turned outwards, "
          "counter-clockwise as seen from there",
          where, volume);
  bounds_ = bounding_box(merged);
  cell_ = choose_cell(bounds_, volume, surface_area(merged), options.points);
  per_cell_ = 1.0 / cell_;
  // A block and more around the body, so that triangles write to points that exist.
  const Vector3 origin = bounds_.min - Vector3::Constant(block_cells * cell_);
  for (int k = 0; k < 3; ++k)
    blocks_[static_cast<std::size_t>(k)] =
        static_cast<int>(std::ceil((bounds_.max(k) - bounds_.min(k)) / cell_ / block_cells)) + 2;

  for (int k = 0; k < 3; ++k) {
    origin_[k] = origin(k);
    last_[k] = block_cells * blocks_[static_cast<std::size_t>(k)] * (1.0 - 1e-9);
  }
  const Matrix3X places = (merged.vertices.colwise() - origin) / cell_;
  const Index count = merged.triangles.cols();
  LatticeDraft draft(blocks_);
  std::vector<BoundingBox> boxes;
  for (Index t = 0; t < count; ++t) {
    LatticeTriangle triangle;
    for (std::size_t k = 0; k < 3; ++k) {
      triangle.vertex[k] = merged.triangles(static_cast<Index>(k), t);
      triangle.corner[k] = places.col(triangle.vertex[k]);
      triangle.middle += triangle.corner[k] / 3.0;
    }
    for (const Vector3& corner : triangle.corner)
      triangle.radius = std::max(triangle.radius, (corner - triangle.middle).norm());
    draft.triangles.push_back(triangle);
    draft.count_crossings(triangle);
    draft.write_around(static_cast<int>(t));
    boxes.push_back({triangle.low(), triangle.high()});
  }
  draft.sum_crossings();
  const Bvh tree(boxes);
  const auto exact = [&](const Vector3& x) {
    const auto measure = [&](int item) {
      const double d = draft.triangles[static_cast<std::size_t>(item)].distance(x);
      return d * d;
    };
    return std::sqrt(measure(tree.nearest(x, measure)));
  };
  constexpr double near_surface = 1.0;  // cells: what write_around() knows
  block_.assign(static_cast<std::size_t>(blocks_[0]) * static_cast<std::size_t>(blocks_[1]) *
                    static_cast<std::size_t>(blocks_[2]),
                -1);
  std::size_t block = 0;
  std::vector<std::array<int, 3>> kept;
  for (int bz = 0; bz < blocks_[2]; ++bz) {
    for (int by = 0; by < blocks_[1]; ++by) {
      for (int bx = 0; bx < blocks_[0]; ++bx, ++block) {
        bool needed = false;
        for (int z = 0; z < block_side && !needed; ++z) {
          for (int y = 0; y < block_side && !needed; ++y) {
            for (int x = 0; x < block_side && !needed; ++x) {
              const std::size_t i =
                  draft.at(bx * block_cells + x, by * block_cells + y, bz * block_cells + z);
              needed = draft.winding[i] > 0 || draft.distance[i] <= near_surface;
            }
          }
        }
        if (!needed) continue;
        block_[block] = static_cast<int>(kept.size()) * block_side * block_side * block_side;
        kept.push_back({bx, by, bz});
      }
    }
  }
  std::vector<char> needed(draft.distance.size(), 0);
  const auto each_point = [&](const std::array<int, 3>& of_block, const auto& action) {
    for (int z = 0; z < block_side; ++z)
      for (int y = 0; y < block_side; ++y)
        for (int x = 0; x < block_side; ++x)
          action(draft.at(of_block[0] * block_cells + x, of_block[1] * block_cells + y,
                          of_block[2] * block_cells + z));
  };
  for (const auto& of_block : kept) each_point(of_block, [&](std::size_t i) { needed[i] = 1; });
  draft.spread(needed, triangles_across(merged.triangles));
  fine_.reserve(kept.size() * block_side * block_side * block_side);
  for (const auto& of_block : kept)
    each_point(of_block,
               [&](std::size_t i) { fine_.push_back(static_cast<float>(cell_) * draft.signed_distance(i)); });
  for (int z = 0; z <= blocks_[2]; ++z) {
    for (int y = 0; y <= blocks_[1]; ++y) {
      for (int x = 0; x <= blocks_[0]; ++x) {
        const std::size_t i = draft.at(x * block_cells, y * block_cells, z * block_cells);
        if (draft.nearest[i] < 0)
          draft.distance[i] = static_cast<float>(exact(block_cells * Vector3(x, y, z)));
        coarse_.push_back(static_cast<float>(cell_) * draft.signed_distance(i));
      }
    }
  }

  // The error: on the surface, and in the middle of cells next to it.
  const auto measure = [&](const Vector3& place, double exact_distance) {
    const double error =
        std::abs(std::abs(distance(origin + cell_ * place).distance) - cell_ * exact_distance);
    largest_error_ = std::max(largest_error_, error);
  };
  const Index stride = std::max<Index>(1, count / 1000);
  for (Index t = 0; t < count; t += stride) {
    const LatticeTriangle& triangle = draft.triangles[static_cast<std::size_t>(t)];
    measure(triangle.middle, 0.0);
    measure(triangle.corner[static_cast<std::size_t>(t % 3)], 0.0);
    const Vector3 place = triangle.middle.array().floor() + 0.5;
    measure(place, exact(place));
  }
}

[[gnu::always_inline]] inline RestField::Cell RestField::cell_at(const Vector3& x) const {
  using LatticeCell = int __attribute__((vector_size(16)));
  const LatticePlace place{x.x(), x.y(), x.z(), 0.0};
  const LatticePlace t = (place - origin_) * per_cell_, zero{};
  LatticePlace within = t > zero ? t : zero;  // 0 for what is no number
  within = within < last_ ? within : last_;
  const LatticeCell cell = __builtin_convertvector(within, LatticeCell);
  static_assert(block_cells == 4);
  const LatticeCell block = cell >> 2, in_block = cell & 3;  // neither is negative
  Cell found;
  found.beyond = t - within;
  found.within = within - __builtin_convertvector(cell, LatticePlace);
  const int nx = blocks_[0], ny = blocks_[1];
  if (const int start = block_[static_cast<std::size_t>(block[0] + nx * (block[1] + ny * block[2]))];
      start >= 0) {
    found.corner = fine_.data() + start + in_block[0] + block_side * (in_block[1] + block_side * in_block[2]);
    found.next_y = block_side;
    found.next_z = block_side * block_side;
    return found;
  }
  found.within = (__builtin_convertvector(in_block, LatticePlace) + found.within) * (1.0 / block_cells);
  found.corner = coarse_.data() + block[0] + (nx + 1) * (block[1] + (ny + 1) * block[2]);
  found.next_y = static_cast<std::size_t>(nx + 1);
  found.next_z = static_cast<std::size_t>((nx + 1) * (ny + 1));
  return found;
}

SurfaceDistance RestField::distance(const Vector3& x) const {
  const Cell cell = cell_at(x);
  Vector3 gradient;
  const double d = interpolate_cell(cell.corner, cell.next_y, cell.next_z, cell.within, gradient);
  const double slope = gradient.norm();
  const Vector3 normal = slope > 0.0 ? Vector3(gradient / slope) : Vector3::UnitZ();
  const Vector3 out(cell.beyond[0], cell.beyond[1], cell.beyond[2]);
  if (out.squaredNorm() < on_lattice) return {d, normal};
  // From where the surface is nearest to the last place of the lattice.
  const Vector3 way = cell_ * out + d * normal;
  const double length = way.norm();
  return {length, length > 0.0 ? Vector3(way / length) : way};
}

double RestField::distance_alone(const Vector3& x) const {
  const Cell cell = cell_at(x);
  const double out =
      cell.beyond[0] * cell.beyond[0] + cell.beyond[1] * cell.beyond[1] + cell.beyond[2] * cell.beyond[2];
  Vector3 gradient;
  const double d = interpolate_cell(cell.corner, cell.next_y, cell.next_z, cell.within, gradient);
  if (out < on_lattice) return d;
  // As above, |way|^2.
  const double slope = gradient.squaredNorm();
  const double along =
      slope > 0.0
          ? (cell.beyond[0] * gradient.x() + cell.beyond[1] * gradient.y() + cell.beyond[2] * gradient.z()) /
                std::sqrt(slope)
          : cell.beyond[2];
  const double squared = cell_ * cell_ * out + 2.0 * cell_ * along * d + d * d;
  return squared < 0.0 ? 0.0 : std::sqrt(squared);
}

std::size_t RestField::bytes() const {
  return sizeof(float) * (fine_.size() + coarse_.size()) + sizeof(int) * block_.size();
}

RestField make_rest_field(const ReducedModel& model, const RestFieldOptions& options) {
  const std::string name = model.name.empty() ? "model" : model.name;
  return model.simulation ? RestField(boundary_surface(model.simulation->mesh), name, options)
                          : RestField(model.surface.mesh, name, options);
}

}  // namespace limber
