#include "limber/mesh/mesher.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/lattice_octree.hpp"
#include "limber/mesh/surface_query.hpp"
#include "limber/mesh/tetrahedralize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace limber {
namespace {

constexpr int most_trials = 6;             ///< to find the cell for a number of elements
constexpr double count_tolerance = 0.01;   ///< share by which that number may be missed
constexpr double volume_tolerance = 1e-3;  ///< share of the volume that may be missing
constexpr double largest_shift = 0.1;      ///< of the surface, cells: more would show
constexpr int volume_cells = 32;           ///< to measure the volume of surfaces that overlap or have holes
constexpr int samples_per_axis = 3;        ///< in a cell near the surface; their errors cancel to a few 1e-4

using Queries = std::vector<std::shared_ptr<const SurfaceQuery>>;

BoundingBox united(const BoundingBox& a, const BoundingBox& b) {
  return {a.min.cwiseMin(b.min), a.max.cwiseMax(b.max)};
}

BoundingBox bounds_of(const Queries& queries) {
  BoundingBox box = queries.front()->bounds();
  for (const auto& query : queries) box = united(box, query->bounds());
  return box;
}

/// Inside of any.
Solid unite(const Queries& queries) {
  if (queries.size() == 1) {
    return {[query = queries.front()](const Vector3& x) { return query->sample(x); }, bounds_of(queries)};
  }
  const auto sample = [queries](const Vector3& x) {
    SolidSample all = queries.front()->sample(x);
    for (std::size_t i = 1; i < queries.size(); ++i) {
      const SolidSample one = queries[i]->sample(x);
      const bool was_inside = all.distance < 0.0, is_inside = one.distance < 0.0;
      // Inside of one is sure as far as that one reaches; outside only as far as all agree.
      if (was_inside == is_inside) {
        all.clear = is_inside ? std::max(all.clear, one.clear) : std::min(all.clear, one.clear);
      } else if (is_inside) {
        all.clear = one.clear;
      }
      all.distance = std::min(all.distance, one.distance);
    }
    return all;
  };
  return {sample, bounds_of(queries)};
}

double longest_side(const BoundingBox& box) { return (box.max - box.min).maxCoeff(); }

/// One run of the mesher: what it has found so far.
class Mesher {
 public:
  Mesher(std::span<const RegionSurface> surfaces, const MesherOptions& options) : options_(options) {
    for (const RegionSurface& given : surfaces) {
      const std::string name = given.name.empty() ? "the surface" : given.name;
      check_surface(given.surface, name);
      RepairedSurface repaired = repair_surface(given.surface, name);
      report_.defects.push_back(repaired.defects);
      surfaces_.push_back({std::move(repaired.surface), given.name});
      queries_.push_back(std::make_shared<const SurfaceQuery>(surfaces_.back().surface));
    }
    solid_ = unite(queries_);
    report_.surface_volume = volume_inside();
    require(report_.surface_volume > 0.0 || is_shell(),
            "the surfaces enclose no volume: no point is inside of them; close them, or fill only their "
            "shell with voxels");
  }

  MeshedSurfaces run() {
    cell_ = options_.target_elements > 0 ? first_cell()
                                         : longest_side(solid_.bounds) / std::max(options_.cells, 1);
    make_mesh();
    if (options_.target_elements > 0) find_cell();
    if (is_tetrahedral()) {
      if (options_.match_volume) find_level();
      smooth(stuffed_, solid_, stuffing_options());
      name_regions();
    }
    report_.cleanup = clean_up_parts(stuffed_.mesh, options_.smallest_part);
    drop_empty_regions(stuffed_.mesh);
    report_.cell = cell_;
    report_.level = level_;
    report_.mesh_volume = volume();
    return {std::move(stuffed_.mesh), report_};
  }

 private:
  [[nodiscard]] bool is_shell() const {
    return options_.method == MeshMethod::voxels && options_.fill == VoxelFill::shell;
  }

  [[nodiscard]] bool is_tetrahedral() const { return options_.method == MeshMethod::tetrahedra; }

  [[nodiscard]] TetrahedralizeOptions stuffing_options() const {
    TetrahedralizeOptions options;
    options.cell = cell_;
    options.grading = options_.grading;
    options.level = level_;
    options.executor = options_.executor;
    options.progress = options_.progress;
    return options;
  }

  /// With the present cell and level; tetrahedra are not smoothed yet.
  void make_mesh() {
    if (is_tetrahedral()) {
      stuffed_ = stuff(solid_, stuffing_options());
    } else {
      stuffed_.mesh = voxelize(surfaces_, {cell_, options_.fill, options_.executor, options_.progress});
    }
  }

  [[nodiscard]] double volume() const {
    double sum = 0.0;
    for (Index e = 0; e < stuffed_.mesh.element_count(); ++e) sum += element_volume(stuffed_.mesh, e);
    return sum;
  }

  /// The divergence theorem where it holds: one closed surface, in one piece; else by sampling.
  [[nodiscard]] double volume_inside() const {
    const SurfaceDefects& defects = report_.defects.front();
    if (surfaces_.size() == 1 && defects.closed && defects.components == 1) {
      return enclosed_volume(surfaces_.front().surface);
    }
    return measure_volume(solid_, volume_cells, options_.executor);
  }

  /// Elements go with the volume, those of a shell with the area.
  [[nodiscard]] double first_cell() const {
    const auto target = static_cast<double>(options_.target_elements);
    if (!is_shell()) return std::cbrt((is_tetrahedral() ? 12.0 : 1.0) * report_.surface_volume / target);
    double area = 0.0;
    for (const RegionSurface& one : surfaces_) area += surface_area(one.surface);
    return std::sqrt(area / target);
  }

  /// Corrects the cell until the number of elements is the one asked for: two or three trials.
  void find_cell() {
    const auto target = static_cast<double>(options_.target_elements);
    for (int trial = 1; trial < most_trials; ++trial) {
      const double ratio = static_cast<double>(stuffed_.mesh.element_count()) / target;
      if (std::abs(ratio - 1.0) < count_tolerance) break;
      cell_ *= std::pow(ratio, is_shell() ? 1.0 / 2.0 : 1.0 / 3.0);
      make_mesh();
    }
  }

  /// Shifts the surface until the mesh has its volume: by what is missing over the area.
  void find_level() {
    for (int trial = 0; trial < 2; ++trial) {
      const double missing = report_.surface_volume - volume();
      if (std::abs(missing) < volume_tolerance * report_.surface_volume) break;
      level_ += missing / surface_area(boundary_surface(stuffed_.mesh));
      level_ = std::clamp(level_, -largest_shift * cell_, largest_shift * cell_);
      make_mesh();
    }
  }

  void name_regions() {
    VolumeMesh& mesh = stuffed_.mesh;
    mesh.regions.clear();
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      mesh.regions.push_back({static_cast<int>(i) + 1, surfaces_[i].name});
    }
    if (surfaces_.size() == 1) return;
    options_.executor.parallel_ranges(mesh.element_count(), 256, [&](auto begin, auto end) {
      for (auto e = begin; e < end; ++e) {
        Vector3 center = Vector3::Zero();
        for (const int v : mesh.elements.col(e)) center += 0.25 * mesh.vertices.col(v);
        mesh.region[static_cast<std::size_t>(e)] = region_at(center);
      }
    });
  }

  /// The last surface around a point; where there is none, at the rim of the mesh, the nearest one.
  [[nodiscard]] int region_at(const Vector3& point) const {
    int nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = queries_.size(); i-- > 0;) {
      const double distance = queries_[i]->sample(point).distance;
      if (distance < 0.0) return static_cast<int>(i);
      if (distance < least) {
        least = distance;
        nearest = static_cast<int>(i);
      }
    }
    return nearest;
  }

  static void drop_empty_regions(VolumeMesh& mesh) {
    std::vector<int> number(mesh.regions.size(), -1);
    for (const int region : mesh.region) number[static_cast<std::size_t>(region)] = 0;
    std::vector<Region> kept;
    for (std::size_t r = 0; r < number.size(); ++r) {
      if (number[r] < 0) continue;
      number[r] = static_cast<int>(kept.size());
      kept.push_back(mesh.regions[r]);
    }
    for (int& region : mesh.region) region = number[static_cast<std::size_t>(region)];
    mesh.regions = std::move(kept);
  }

  const MesherOptions& options_;
  std::vector<RegionSurface> surfaces_;  ///< repaired
  Queries queries_;
  Solid solid_;
  MesherReport report_;
  double cell_ = 0.0;    ///< m
  double level_ = 0.0;   ///< m
  StuffedMesh stuffed_;  ///< or voxels
};

}  // namespace

MeshedSurfaces mesh_surfaces(std::span<const RegionSurface> surfaces, const MesherOptions& options) {
  require(!surfaces.empty(), "no surface was given to mesh");
  require(options.target_elements > 0 || options.cells > 0,
          "{} cells along the longest side, expected at least 1", options.cells);
  return Mesher(surfaces, options).run();
}

double measure_volume(const Solid& solid, int cells, const Executor& executor) {
  const double cell = longest_side(solid.bounds) / std::max(cells, 1);
  const LatticeOctree octree(solid, {cell, cells > 16 ? 4 : 0, 0.0}, executor, {});
  const auto& octants = octree.octants();
  std::vector<double> volume(octants.size());
  executor.parallel_ranges(static_cast<std::ptrdiff_t>(octants.size()), 64, [&](auto begin, auto end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Octant& octant = octants[i];
      const double edge = cell * octant.size();
      volume[i] = edge * edge * edge;
      if (!octant.near_surface) continue;
      const Vector3 corner = octree.lattice().position(2 * octant.corner);
      constexpr int n = samples_per_axis;
      int inside = 0;
      for (int s = 0; s < n * n * n; ++s) {
        const Vector3 share = (Vector3(s % n, s / n % n, s / (n * n)).array() + 0.5) / n;
        inside += solid.sample(corner + edge * share).distance < 0.0 ? 1 : 0;
      }
      volume[i] *= inside / static_cast<double>(n * n * n);
    }
  });
  double sum = 0.0;
  for (const double v : volume) sum += v;
  return sum;
}

}  // namespace limber
