#include "limber/mesh/tetrahedralize.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/lattice_tetrahedra.hpp"
#include "limber/mesh/smoothing.hpp"
#include "limber/mesh/stuffing_stencil.hpp"

#include <algorithm>
#include <cmath>
#include <span>

// Isosurface stuffing in five steps:
//   1. Octree: which cubes of the lattice the solid fills or touches, and the tetrahedra between their
//      centres and corners (LatticeOctree, LatticeTetrahedra).
//   2. Signs: each lattice vertex is inside, outside or on the surface.
//   3. Cuts: where the surface crosses the lattice edges whose ends have opposite signs.
//   4. Warping: a vertex with a cut too near to it (a share `alpha` of the edge) moves onto that cut, which
//      takes all cuts off its edges. What remains keeps its distance from the vertices: hence the bound on
//      angles.
//   5. Stencils: what is inside of each cut tetrahedron is filled by a few tetrahedra (fill_cut_tetrahedron).
// Smoothing then moves the vertices of the worst elements.

namespace limber {
namespace {

/// Shares of an edge within which a cut draws its end onto itself. This choice keeps all angles between 10.7
/// and 164.8 degrees for whatever cuts and moves there are (a test goes through their extremes).
constexpr double alpha_long = 0.285;
constexpr double alpha_short = 0.3975;

/// A lattice edge that the surface crosses.
struct Cut {
  int inside = 0, outside = 0;  ///< its ends
  bool is_long = false;
  bool alive = true;                   ///< false once an end was moved onto the surface
  double share = 0.0;                  ///< of the edge, from its inner end
  Vector3 position = Vector3::Zero();  ///< m

  [[nodiscard]] double violation(int end) const {
    return (end == inside ? share : 1.0 - share) / (is_long ? alpha_long : alpha_short);
  }
};

std::uint64_t edge_key(int a, int b) {
  const auto low = static_cast<std::uint64_t>(std::min(a, b)),
             high = static_cast<std::uint64_t>(std::max(a, b));
  return (low << 32) | high;
}

class Stuffing {
 public:
  Stuffing(const Solid& solid, const TetrahedralizeOptions& options) : solid_(solid), options_(options) {}

  VolumeMesh run() {
    const LatticeOctree octree(solid_, {options_.cell, options_.grading, options_.level}, options_.executor,
                               options_.progress);
    lattice_ = make_lattice_tetrahedra(octree);
    find_signs(octree.lattice());
    find_cuts();
    warp();
    fill();
    return pack();
  }

  /// Which vertices of the result lie on the surface.
  [[nodiscard]] const std::vector<char>& on_surface() const { return on_surface_; }

 private:
  /// Positive inside, zero on the surface.
  [[nodiscard]] double depth(const Vector3& x) const { return options_.level - solid_.sample(x).distance; }

  [[nodiscard]] int sign(int vertex) const { return sign_[static_cast<std::size_t>(vertex)]; }

  void find_signs(const Lattice& lattice) {
    const std::size_t count = lattice_.vertices.size();
    points_.resize(count);
    depth_.assign(count, 0.0);
    sign_.assign(count, 1);
    options_.executor.parallel_ranges(static_cast<std::ptrdiff_t>(count), 256, [&](auto begin, auto end) {
      for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
        points_[v] = lattice.position(lattice_.vertices[v]);
        if (lattice_.sure[v]) continue;
        const double distance = solid_.sample(points_[v]).distance;
        depth_[v] = options_.level - distance;
        require(!std::isnan(depth_[v]), "the solid's distance at ({}, {}, {}) is not a number",
                points_[v].x(), points_[v].y(), points_[v].z());
        // A distance of -0.0 is inside: on a triangle within the body, where pieces of a surface overlap.
        const bool inside = depth_[v] > 0.0 || (depth_[v] == 0.0 && std::signbit(distance));
        sign_[v] = static_cast<signed char>(inside ? 1 : depth_[v] < 0.0 ? -1 : 0);
      }
    });
  }

  void find_cuts() {
    for (const LatticeTetrahedron& tet : lattice_.tetrahedra) {
      if (!tet.regular) continue;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = i + 1; j < 4; ++j) {
          const int a = tet.vertices[i], b = tet.vertices[j];
          if (sign(a) * sign(b) >= 0) continue;
          const int next = static_cast<int>(cuts_.size());
          if (cut_index_.insert(edge_key(a, b), next) != next) continue;
          cuts_.push_back({sign(a) > 0 ? a : b, sign(a) > 0 ? b : a, i + j == 1 || i + j == 5});
        }
      }
    }
    const auto count = static_cast<std::ptrdiff_t>(cuts_.size());
    const std::ptrdiff_t stretch = 16384;  // between two reports of progress
    for (std::ptrdiff_t done = 0; done < count; done += stretch) {
      report(options_.progress, "surface", static_cast<double>(done) / static_cast<double>(count));
      options_.executor.parallel_ranges(std::min(stretch, count - done), 64, [&](auto begin, auto end) {
        for (auto i = begin; i < end; ++i) locate(cuts_[static_cast<std::size_t>(done + i)]);
      });
    }
    report(options_.progress, "surface", 1.0);
  }

  /// Finds where the surface crosses an edge: false position (Illinois), which converges in two or three
  /// steps for a distance function, and halving where the sign jumps, as it does across a hole.
  void locate(Cut& cut) const {
    const Vector3 from = points_[static_cast<std::size_t>(cut.inside)];
    const Vector3 to = points_[static_cast<std::size_t>(cut.outside)];
    const double length = (to - from).norm();
    const double tolerance = 1e-4 * length;  // far below what the mesh resolves of a curved surface
    double low = 0.0, high = 1.0;
    double at_low = known_depth(cut.inside), at_high = known_depth(cut.outside);
    double share = 0.5;
    int last_side = 0;
    for (int step = 0; step < 24 && (high - low) * length > tolerance; ++step) {
      share = step % 6 == 5 ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
      const double value = depth(from + share * (to - from));
      if (std::abs(value) < tolerance) break;
      if (value > 0.0) {
        low = share, at_low = value;
        if (last_side == 1) at_high *= 0.5;
        last_side = 1;
      } else {
        high = share, at_high = value;
        if (last_side == -1) at_low *= 0.5;
        last_side = -1;
      }
      share = 0.5 * (low + high);
    }
    cut.share = std::clamp(share, 0.0, 1.0);
    cut.position = from + cut.share * (to - from);
  }

  [[nodiscard]] double known_depth(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return lattice_.sure[v] ? depth(points_[v]) : depth_[v];
  }

  void warp() {
    const std::size_t count = points_.size();
    std::vector<int> first(count + 1, 0);
    for (const Cut& cut : cuts_) {
      for (const int end : {cut.inside, cut.outside}) ++first[static_cast<std::size_t>(end) + 1];
    }
    for (std::size_t v = 0; v < count; ++v) first[v + 1] += first[v];
    std::vector<int> incident(2 * cuts_.size());
    std::vector<int> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      for (const int end : {cuts_[i].inside, cuts_[i].outside}) {
        incident[static_cast<std::size_t>(next[static_cast<std::size_t>(end)]++)] = static_cast<int>(i);
      }
    }
    for (std::size_t v = 0; v < count; ++v) {
      const std::span<int> around(incident.data() + first[v], incident.data() + first[v + 1]);
      const Cut* nearest = nullptr;
      for (const int i : around) {
        const Cut& cut = cuts_[static_cast<std::size_t>(i)];
        if (!cut.alive) continue;
        const double violation = cut.violation(static_cast<int>(v));
        if (violation < 1.0 && (nearest == nullptr || violation < nearest->violation(static_cast<int>(v))))
          nearest = &cut;
      }
      if (nearest == nullptr) continue;
      points_[v] = nearest->position;
      sign_[v] = 0;
      for (const int i : around) cuts_[static_cast<std::size_t>(i)].alive = false;
    }
  }

  void fill() {
    const int lattice_vertices = static_cast<int>(points_.size());
    for (const Cut& cut : cuts_) points_.push_back(cut.position);
    for (const LatticeTetrahedron& tet : lattice_.tetrahedra) {
      if (!tet.regular) {
        tets_.push_back(tet.vertices);
        continue;
      }
      CutTetrahedron cut{tet.vertices, {}, {}, {}};
      for (std::size_t i = 0; i < 4; ++i) {
        cut.sign[i] = sign(tet.vertices[i]);
        cut.position[i] = lattice_.vertices[static_cast<std::size_t>(tet.vertices[i])];
      }
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          const bool crossed = cut.sign[i] * cut.sign[j] < 0;
          cut.cut[i][j] =
              crossed ? lattice_vertices + cut_index_.find(edge_key(tet.vertices[i], tet.vertices[j])) : -1;
        }
      }
      fill_cut_tetrahedron(cut, points_, tets_);
    }
    surface_flag_.assign(points_.size(), 1);
    for (int v = 0; v < lattice_vertices; ++v) surface_flag_[static_cast<std::size_t>(v)] = sign(v) == 0;
  }

  /// The mesh with only the vertices in use, numbered as the elements meet them.
  VolumeMesh pack() {
    require(!tets_.empty(),
            "no tetrahedron fits into the body with cells of {:.4g} m; it is thinner than them: use smaller "
            "cells, or voxels; or it is a sheet that encloses nothing: fill its shell with voxels",
            options_.cell);
    std::vector<int> number(points_.size(), -1);
    std::vector<int> used;
    VolumeMesh mesh;
    mesh.kind = ElementKind::tetrahedron;
    mesh.regions = {{1, ""}};
    mesh.region.assign(tets_.size(), 0);
    mesh.elements.resize(4, static_cast<Index>(tets_.size()));
    for (std::size_t e = 0; e < tets_.size(); ++e) {
      for (std::size_t i = 0; i < 4; ++i) {
        const auto v = static_cast<std::size_t>(tets_[e][i]);
        if (number[v] < 0) {
          number[v] = static_cast<int>(used.size());
          used.push_back(static_cast<int>(v));
        }
        mesh.elements(static_cast<Index>(i), static_cast<Index>(e)) = number[v];
      }
    }
    mesh.vertices.resize(3, static_cast<Index>(used.size()));
    for (std::size_t v = 0; v < used.size(); ++v) {
      mesh.vertices.col(static_cast<Index>(v)) = points_[static_cast<std::size_t>(used[v])];
      on_surface_.push_back(surface_flag_[static_cast<std::size_t>(used[v])]);
    }
    for (Index e = 0; e < mesh.element_count(); ++e) {
      if (element_volume(mesh, e) < 0.0) std::swap(mesh.elements(2, e), mesh.elements(3, e));
    }
    return mesh;
  }

  const Solid& solid_;
  const TetrahedralizeOptions& options_;
  LatticeTetrahedra lattice_;
  std::vector<Vector3> points_;    ///< lattice vertices, then cuts; m
  std::vector<double> depth_;      ///< of the lattice vertices that were sampled, m
  std::vector<signed char> sign_;  ///< of the lattice vertices: 1 inside, 0 on the surface, -1 outside
  std::vector<Cut> cuts_;
  FlatMap cut_index_;  ///< edge to cut
  std::vector<std::array<int, 4>> tets_;
  std::vector<char> surface_flag_;  ///< one per point
  std::vector<char> on_surface_;    ///< one per vertex of the result
};

}  // namespace

StuffedMesh stuff(const Solid& solid, const TetrahedralizeOptions& options) {
  Stuffing stuffing(solid, options);
  VolumeMesh mesh = stuffing.run();
  return {std::move(mesh), stuffing.on_surface()};
}

void smooth(StuffedMesh& stuffed, const Solid& solid, const TetrahedralizeOptions& options) {
  if (options.smoothing_passes <= 0) return;
  SmoothingOptions smoothing;
  smoothing.passes = options.smoothing_passes;
  smoothing.cell = options.cell;
  smoothing.level = options.level;
  smoothing.progress = options.progress;
  smooth_worst_elements(stuffed.mesh, solid, stuffed.on_surface, smoothing);
}

VolumeMesh tetrahedralize(const Solid& solid, const TetrahedralizeOptions& options) {
  StuffedMesh stuffed = stuff(solid, options);
  smooth(stuffed, solid, options);
  return std::move(stuffed.mesh);
}

}  // namespace limber
