#include "limber/mesh/mesher.hpp"

#include "limber/base/error.hpp"
#include "limber/base/grouped.hpp"
#include "limber/mesh/lattice_octree.hpp"
#include "limber/mesh/sheet.hpp"
#include "limber/mesh/surface_query.hpp"
#include "limber/mesh/tetrahedralize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace limber {
namespace {

constexpr int most_trials = 10;            ///< to find the cell for a number of elements
constexpr double count_tolerance = 0.01;   ///< share by which that number may be missed
constexpr double volume_tolerance = 1e-3;  ///< share of the volume that may be missing
constexpr double largest_shift = 0.1;      ///< of the surface, cells: more would show
constexpr double noticeable_loss = 1e-3;   ///< share of the volume dropped as crumbs
constexpr double alarming_change = 0.05;   ///< of the volume, as a share
constexpr double near_cells = 1.5;         ///< from the surface to the mesh: what a cell's own shape explains
/// Cells that the surface may cross for each element asked for. Bodies that are worth meshing have less than
/// one; with so many across a sheet into which still nothing fits, nothing will.
constexpr double most_crossed = 8.0;
constexpr double usual_cells = 10'000.0;  ///< along sheets of bodies of few elements
constexpr int overlap_cells = 48;         ///< along the longest side, to measure overlaps
constexpr int volume_cells = 32;          ///< at least, to estimate the volume of surfaces with holes
constexpr int samples_per_axis = 3;       ///< in a cell near the surface; their errors cancel to a few 1e-4

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

/// "3.1 %", "less than 0.1 %".
std::string share_text(double share) {
  constexpr double least = 1e-3;
  return share < least ? "less than 0.1 %" : fmt::format("{:.1f} %", 100.0 * share);
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
    if (!fills_by_touch() && encloses_nothing()) refuse_sheet();
    measure_surfaces();
  }

  MeshedSurfaces run() {
    if (options_.target_elements > 0) {
      find_cell();
    } else {
      cell_ = longest_side(solid_.bounds) / std::max(options_.cells, 1);
      make_mesh();
    }
    if (is_tetrahedral()) {
      if (options_.match_volume) find_level();
      smooth(stuffed_, solid_, stuffing_options());
      name_regions();
    }
    const double before = volume();
    report_.cleanup = clean_up_parts(stuffed_.mesh, options_.smallest_part);
    drop_empty_regions(stuffed_.mesh);
    check_mesh(stuffed_.mesh, "the mesh of the surface");
    report_.cell = cell_;
    report_.level = level_;
    report_.shell = is_shell();
    report_.mesh_volume = volume();
    measure_uncovered();
    add_warnings(before);
    return {std::move(stuffed_.mesh), report_};
  }

 private:
  [[nodiscard]] bool is_shell() const {
    return options_.method == MeshMethod::voxels && options_.fill == VoxelFill::shell;
  }

  /// Voxels that triangles touch need no inside.
  [[nodiscard]] bool fills_by_touch() const {
    return options_.method == MeshMethod::voxels && options_.fill != VoxelFill::center;
  }

  [[nodiscard]] bool encloses_nothing() const {
    for (std::size_t i = 0; i < surfaces_.size(); ++i)
      if (!is_sheet(surfaces_[i].surface, *queries_[i])) return false;
    return true;
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

  /// Where all surfaces are closed, the divergence theorem gives the volume with overlaps counted twice or
  /// more, and only the overlaps need sampling; else all of it does.
  void measure_surfaces() {
    bool closed = true;
    double sum = 0.0;
    std::size_t pieces = 0;
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      closed = closed && queries_[i]->closed();
      sum += enclosed_volume(surfaces_[i].surface);
      pieces += static_cast<std::size_t>(report_.defects[i].components);
    }
    report_.volume_sampled = !closed || sum <= 0.0;
    if (report_.volume_sampled) {
      report_.surface_volume =
          measure_volume(solid_, std::max(volume_cells, options_.cells), options_.executor);
    } else {
      report_.surface_volume = pieces == 1 ? sum : sum - overlap_volume();
    }
  }

  /// Integral of what winding numbers exceed 1 by, m^3, on a lattice over the bounding box.
  [[nodiscard]] double overlap_volume() const {
    const double edge = longest_side(solid_.bounds) / overlap_cells;
    const Vector3 size = solid_.bounds.max - solid_.bounds.min;
    const Eigen::Vector3i cells = (size / edge).array().ceil().max(1.0).cast<int>();
    const Vector3 step = size.array() / cells.cast<double>().array();
    Vector excess = Vector::Zero(cells.prod());
    options_.executor.parallel_ranges(excess.size(), 256, [&](auto begin, auto end) {
      for (auto i = begin; i < end; ++i) {
        const Index row = i / cells.x() % cells.y(), layer = i / (Index{cells.x()} * cells.y());
        const Vector3 share(static_cast<double>(i % cells.x()) + 0.5, static_cast<double>(row) + 0.5,
                            static_cast<double>(layer) + 0.5);
        const Vector3 point = solid_.bounds.min.array() + share.array() * step.array();
        double winding = 0.0;
        for (const auto& query : queries_) winding += query->winding_number(point);
        excess(i) = std::max(0.0, std::round(winding) - 1.0);
      }
    });
    return excess.sum() * step.prod();
  }

  [[nodiscard]] double area() const {
    double sum = 0.0;
    for (const RegionSurface& one : surfaces_) sum += surface_area(one.surface);
    return sum;
  }

  /// A first guess: elements go with the volume, those of a shell with the area.
  [[nodiscard]] double first_cell() const {
    const auto target = static_cast<double>(options_.target_elements);
    if (!is_shell() && report_.surface_volume > 0.0) {
      return std::cbrt((is_tetrahedral() ? 12.0 : 1.0) * report_.surface_volume / target);
    }
    return std::sqrt(area() / target);
  }

  [[noreturn]] void refuse_sheet() const {
    const std::string& name = surfaces_.front().name;
    throw Error(
        "{}: it is a sheet, or encloses next to nothing, so that nothing can fill it; make its shell of "
        "voxels "
        "(--method voxel --fill shell), or give it a thickness",
        name.empty() ? "the surface" : name);
  }

  /// Corrects the cell until the number of elements is the one asked for: two or three trials, more for
  /// bodies so coarse that the number jumps. The nearest is kept.
  void find_cell() {
    const auto target = static_cast<double>(options_.target_elements);
    const double exponent = is_shell() ? 1.0 / 2.0 : 1.0 / 3.0;
    StuffedMesh best;
    double best_cell = 0.0, least_miss = std::numeric_limits<double>::infinity();
    const double finest = std::sqrt(area() / (most_crossed * std::max(target, usual_cells)));
    cell_ = std::max(finest, std::min(first_cell(), longest_side(solid_.bounds)));
    for (int trial = 0; trial < most_trials; ++trial) {
      double count = 0.0;  // of a body into which nothing fits
      try {
        make_mesh();
        count = static_cast<double>(stuffed_.mesh.element_count());
      } catch (const Error&) {
        if (best_cell == 0.0 && (trial + 1 == most_trials || cell_ == finest)) refuse_sheet();
      }
      const double miss =
          count > 0.0 ? std::abs(std::log(count / target)) : std::numeric_limits<double>::infinity();
      if (miss < least_miss) {
        least_miss = miss;
        best_cell = cell_;
        best = std::move(stuffed_);
      }
      if (miss < count_tolerance || (cell_ == finest && count < target)) break;
      cell_ *= count > 0.0 ? std::pow(std::clamp(count / target, 0.1, 10.0), exponent) : 0.7;
      cell_ = std::max(cell_, finest);
    }
    cell_ = best_cell;
    stuffed_ = std::move(best);
  }

  /// Shifts the surface until the mesh has its volume: by what is missing over the area. An estimate of that
  /// volume is only followed a little way.
  void find_level() {
    const double most_missing = (report_.volume_sampled ? 0.02 : 0.1) * report_.surface_volume;
    for (int trial = 0; trial < 2; ++trial) {
      const double missing = report_.surface_volume - volume();
      if (std::abs(missing) < volume_tolerance * report_.surface_volume || std::abs(missing) > most_missing)
        break;
      level_ += missing / surface_area(boundary_surface(stuffed_.mesh));
      level_ = std::clamp(level_, -largest_shift * cell_, largest_shift * cell_);
      make_mesh();
    }
  }

  void measure_uncovered() {
    std::vector<const SurfaceMesh*> surfaces;
    for (const RegionSurface& one : surfaces_) surfaces.push_back(&one.surface);
    report_.uncovered =
        find_uncovered(surfaces, boundary_surface(stuffed_.mesh), near_cells * cell_, options_.executor);
  }

  /// Half as large ones: as what was lost is thinner than a cell, nobody knows how thin, that may take two
  /// goes.
  [[nodiscard]] std::string more_cells() const {
    const double cells = std::round(2.0 * longest_side(solid_.bounds) / cell_);
    const double finer = cells * cell_ / longest_side(solid_.bounds);
    const double count =
        static_cast<double>(stuffed_.mesh.element_count()) * std::pow(finer, is_shell() ? 2.0 : 3.0);
    const double digits = std::pow(10.0, std::max(0.0, std::floor(std::log10(count)) - 1.0));
    return fmt::format("use more cells, as {} (about {} elements)", cells,
                       grouped(std::llround(std::round(count / digits) * digits)));
  }

  /// Whether a surface has a rim, beside which it may lie outside of what it encloses.
  [[nodiscard]] bool is_open() const {
    return std::any_of(report_.defects.begin(), report_.defects.end(),
                       [](const SurfaceDefects& defects) { return defects.holes > 0; });
  }

  /// Says what the mesh lacks of the surfaces. before: volume of the mesh with all its crumbs, m^3.
  void add_warnings(double before) {
    const auto warn = [&](std::string text) { report_.warnings.push_back(std::move(text)); };
    const VolumeMesh& mesh = stuffed_.mesh;
    const std::vector<int> part = connected_parts(mesh);
    const Index parts = *std::max_element(part.begin(), part.end()) + 1;
    Index pieces = 0;
    for (const SurfaceDefects& defects : report_.defects) pieces += defects.components;
    if (parts > pieces) {
      warn(
          fmt::format("the mesh has {} separate parts, the surface {}: places thinner than a cell were lost; "
                      "{}",
                      parts, pieces, more_cells()));
    }
    if (before - report_.mesh_volume > noticeable_loss * before) {
      warn(fmt::format("{} loose parts with {:.1f} % of the volume were dropped; {}",
                       report_.cleanup.dropped_parts, 100.0 * (1.0 - report_.mesh_volume / before),
                       more_cells()));
    }
    if (const Uncovered& lost = report_.uncovered; lost.farthest > 0.0) {
      warn(fmt::format(
          "{} of the surface is not followed by the mesh, which ends up to {:.3g} m from it, at "
          "({:.3g}, {:.3g}, {:.3g}): places thinner than a cell{} were lost; {}{}",
          share_text(lost.share), lost.farthest, lost.at.x(), lost.at.y(), lost.at.z(),
          is_open() ? " or beside a hole" : "", is_open() ? "close its holes, or " : "", more_cells()));
    }
    const double change =
        report_.surface_volume > 0.0 ? report_.mesh_volume / report_.surface_volume - 1.0 : 0.0;
    if (is_tetrahedral() && std::abs(change) > alarming_change) {
      warn(fmt::format("the mesh has {:+.1f} % of volume against the surface; {}", 100.0 * change,
                       more_cells()));
    }
    if (!is_tetrahedral() && !is_shell() && std::abs(change) > 4.0 * alarming_change) {
      warn(
          fmt::format("the voxels have {:+.0f} % of volume, and mass, against the surface; {} or "
                      "fill by center",
                      100.0 * change, more_cells()));
    }
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      const auto is_this = [&](const Region& region) { return region.tag == static_cast<int>(i) + 1; };
      if (std::none_of(mesh.regions.begin(), mesh.regions.end(), is_this)) {
        warn(fmt::format(
            "surface '{}' has no element of its own: those after it cover it; name inner surfaces last",
            surfaces_[i].name));
      }
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
        const Eigen::Vector3i place(s % n, s / n % n, s / (n * n));
        const Vector3 share = (place.cast<double>().array() + 0.5) / n;
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
