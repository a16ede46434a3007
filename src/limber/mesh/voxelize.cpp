#include "limber/mesh/voxelize.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/surface_query.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// How it works. The lattice is cut into chunks of 32^3 cells, which are filled in parallel, one slab of them
// after the other. Within a chunk an octree is descended: a cube of cells around which a ball is clear of the
// surface is inside or outside as a whole; only single cells near the surface are looked at one by one. A
// slab's cells are sorted by x, y, z, so that vertices are numbered with no more than two planes of the
// lattice in memory.

namespace limber {
namespace {

constexpr int chunk_width = 32;  ///< cells; a power of two
constexpr double most_cells = 2147483648.0;
constexpr double most_voxels = 5e7;

struct VoxelLattice {
  Vector3 origin;
  double cell = 0.0;
  Eigen::Array3i cells;
  double border = 0.0;  ///< a surface nearer to the side of a cell than this lies on it

  [[nodiscard]] BoundingBox box(const Eigen::Array3i& low, int width) const {
    const Vector3 min = corner(low);
    return {min, corner(low + width)};
  }
  [[nodiscard]] Vector3 corner(const Eigen::Array3i& at) const {
    return origin + cell * at.cast<double>().matrix();
  }
};

/// Cells along each axis; more than an int can hold where the cell is tiny.
Eigen::Array3d cell_counts(const Vector3& size, double cell, double border) {
  return ((size.array() - 2.0 * border) / cell).ceil().max(1.0);
}

/// Two digits, not below x.
double rounded_up(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - 1.0);
  return std::ceil(x / unit) * unit;
}

VoxelLattice make_lattice(const BoundingBox& box, double cell) {
  const Vector3 size = box.max - box.min;
  const double magnitude = box.max.cwiseAbs().cwiseMax(box.min.cwiseAbs()).maxCoeff();
  // What rounding of the coordinates leaves of a position.
  const double border = 1e-9 * cell + 4.0 * std::numeric_limits<double>::epsilon() * magnitude;
  const Eigen::Array3d counts = cell_counts(size, cell, border);
  if (!(counts.prod() < most_cells)) {
    double enough = cell;
    for (double found = counts.prod(); !(found < most_cells);
         found = cell_counts(size, enough, border).prod()) {
      enough *= std::isfinite(found) ? std::max(1.01, std::cbrt(found / most_cells)) : 1e6;
    }
    throw Error(
        "a body of {:.4g} x {:.4g} x {:.4g} m in cells of {:.4g} m needs a lattice of {:.3g} cells, more "
        "than "
        "{:.3g}; use cells of at least {:.3g} m",
        size.x(), size.y(), size.z(), cell, counts.prod(), most_cells, rounded_up(enough));
  }
  const Vector3 middle = 0.5 * (box.min + box.max);
  return {middle - 0.5 * cell * counts.matrix(), cell, counts.cast<int>(), border};
}

/// What is known of a cell: the last surface that holds its centre, and the last that meets it; -1: none.
struct Mark {
  std::int16_t held = -1;
  std::int16_t met = -1;
};

struct FilledCell {
  std::uint32_t id;  ///< (x ny + y) nz + z
  int surface;
};

/// Fills the chunks of one lattice.
class ChunkFiller {
 public:
  ChunkFiller(const VoxelLattice& lattice, std::span<const SurfaceQuery> surfaces, VoxelFill fill)
      : lattice_(lattice), surfaces_(surfaces), fill_(fill) {}

  /// The voxels of the chunk whose lowest cell is `low`.
  [[nodiscard]] std::vector<FilledCell> fill(const Eigen::Array3i& low) const {
    Chunk chunk{low, std::vector<Mark>(chunk_width * chunk_width * chunk_width)};
    for (std::size_t s = 0; s < surfaces_.size(); ++s) {
      descend(chunk, low, chunk_width, static_cast<std::int16_t>(s));
    }
    std::vector<FilledCell> filled;
    const Eigen::Array3i& n = lattice_.cells;
    const Eigen::Array3i high = (low + chunk_width).min(n);
    for (int x = low.x(); x < high.x(); ++x) {
      for (int y = low.y(); y < high.y(); ++y) {
        for (int z = low.z(); z < high.z(); ++z) {
          const Mark& mark = chunk.at({x, y, z});
          if (!is_filled(mark)) continue;
          const auto id = (static_cast<std::uint32_t>(x) * n.y() + y) * n.z() + z;
          filled.push_back({id, mark.held >= 0 ? mark.held : mark.met});
        }
      }
    }
    return filled;
  }

 private:
  struct Chunk {
    Eigen::Array3i low;
    std::vector<Mark> marks;
    Mark& at(const Eigen::Array3i& cell) {
      const Eigen::Array3i local = cell - low;
      return marks[(local.x() * chunk_width + local.y()) * chunk_width + local.z()];
    }
  };

  [[nodiscard]] bool is_filled(const Mark& mark) const {
    switch (fill_) {
      case VoxelFill::touched:
        return mark.held >= 0 || mark.met >= 0;
      case VoxelFill::center:
        return mark.held >= 0;
      case VoxelFill::shell:
        return mark.met >= 0;
    }
    return false;
  }

  /// Marks the cells of a cube for one surface.
  void descend(Chunk& chunk, const Eigen::Array3i& low, int width, std::int16_t s) const {
    if ((low >= lattice_.cells).any()) return;
    const SurfaceQuery& surface = surfaces_[s];
    const BoundingBox box = lattice_.box(low, width);
    const Vector3 middle = 0.5 * (box.min + box.max);
    const double radius = 0.5 * (box.max - box.min).norm() + lattice_.border;
    const double distance = surface.closest(middle).distance;
    if (distance > radius) {
      const SolidSample sample = surface.sample(middle);
      if (sample.clear > radius) {
        if (sample.distance < 0.0) hold(chunk, low, width, s);
        return;
      }
    }
    if (width == 1) {
      mark_cell(chunk.at(low), s, box, distance);
      return;
    }
    const int half = width / 2;
    for (int k = 0; k < 8; ++k) {
      descend(chunk, low + half * Eigen::Array3i(k >> 2 & 1, k >> 1 & 1, k & 1), half, s);
    }
  }

  void hold(Chunk& chunk, const Eigen::Array3i& low, int width, std::int16_t s) const {
    const Eigen::Array3i high = (low + width).min(lattice_.cells);
    for (int x = low.x(); x < high.x(); ++x) {
      for (int y = low.y(); y < high.y(); ++y) {
        for (int z = low.z(); z < high.z(); ++z) chunk.at({x, y, z}).held = s;
      }
    }
  }

  /// distance: of the cell's middle to the surface.
  void mark_cell(Mark& mark, std::int16_t s, const BoundingBox& box, double distance) const {
    const SurfaceQuery& surface = surfaces_[s];
    const Vector3 middle = 0.5 * (box.min + box.max);
    const auto meets = [&](double grown) {
      if (distance < 0.5 * lattice_.cell + grown) return true;  // the ball inside of the cell
      return surface.meets({box.min.array() - grown, box.max.array() + grown});
    };
    const bool met = fill_ != VoxelFill::center && meets(-lattice_.border);
    if (met) mark.met = s;
    // With one surface the answer would change nothing.
    if (met && surfaces_.size() == 1) return;
    if (!surface.contains(middle)) return;
    mark.held = s;
    // Only a cell that the surface bounds from outside is shell; `touched` has it by its centre.
    if (!met && fill_ == VoxelFill::shell && meets(lattice_.border)) mark.met = s;
  }

  const VoxelLattice& lattice_;
  std::span<const SurfaceQuery> surfaces_;
  VoxelFill fill_;
};

void refuse_too_many(double voxels, double cell) {
  throw Error("cells of {:.4g} m make about {:.2g} voxels, more than {:.2g}; use cells of at least {:.3g} m",
              cell, voxels, most_voxels, rounded_up(cell * std::cbrt(voxels / most_voxels)));
}

/// All voxels, by x, y and z.
std::vector<FilledCell> fill_lattice(const VoxelLattice& lattice, std::span<const SurfaceQuery> queries,
                                     const VoxelizeOptions& options) {
  const ChunkFiller filler(lattice, queries, options.fill);
  const Eigen::Array3i chunks = (lattice.cells + (chunk_width - 1)) / chunk_width;
  std::vector<FilledCell> all;
  for (int x = 0; x < chunks.x(); ++x) {
    report(options.progress, "filling voxels", static_cast<double>(x) / chunks.x());
    const Index count = static_cast<Index>(chunks.y()) * chunks.z();
    std::vector<std::vector<FilledCell>> filled(static_cast<std::size_t>(count));
    options.executor.parallel_for(count, [&](std::ptrdiff_t i) {
      const Eigen::Array3i at(x, static_cast<int>(i / chunks.z()), static_cast<int>(i % chunks.z()));
      filled[i] = filler.fill(chunk_width * at);
    });
    const auto start = static_cast<std::ptrdiff_t>(all.size());
    for (const auto& one : filled) all.insert(all.end(), one.begin(), one.end());
    const auto total = static_cast<double>(all.size());
    if (total > most_voxels) refuse_too_many(total * chunks.x() / (x + 1), lattice.cell);
    std::sort(all.begin() + start, all.end(),
              [](const FilledCell& a, const FilledCell& b) { return a.id < b.id; });
  }
  report(options.progress, "filling voxels", 1.0);
  return all;
}

/// Numbers the corners of cells that come by rising x: of two neighbouring planes it knows the vertices by
/// number.
class VertexNumbers {
 public:
  explicit VertexNumbers(const VoxelLattice& lattice) : lattice_(lattice), row_(lattice.cells.z() + 1) {
    for (auto& plane : planes_) plane.assign(static_cast<std::size_t>(lattice.cells.y() + 1) * row_, -1);
  }

  /// Starts the layer between the planes x and x + 1.
  void enter_layer(int x) {
    if (x == x_) return;
    const int count = static_cast<int>(positions_.size());
    if (x != x_ + 1) first_[x & 1] = count;
    first_[(x + 1) & 1] = count;
    x_ = x;
  }

  int number(const Eigen::Array3i& at) {
    int& vertex = planes_[at.x() & 1][at.y() * row_ + at.z()];
    if (vertex < first_[at.x() & 1]) {  // unknown, or of the plane before last
      vertex = static_cast<int>(positions_.size());
      positions_.push_back(lattice_.corner(at));
    }
    return vertex;
  }

  [[nodiscard]] Matrix3X positions() const {
    return Eigen::Map<const Matrix3X>(positions_.front().data(), 3, static_cast<Index>(positions_.size()));
  }

 private:
  const VoxelLattice& lattice_;
  std::size_t row_;
  std::array<std::vector<int>, 2> planes_;
  std::array<int, 2> first_{0, 0};  ///< lowest number in use on each plane
  int x_ = -2;
  std::vector<Vector3> positions_;
};

VolumeMesh make_bricks(const VoxelLattice& lattice, std::span<const FilledCell> cells) {
  VolumeMesh mesh;
  mesh.kind = ElementKind::brick;
  mesh.elements.resize(8, static_cast<Index>(cells.size()));
  mesh.region.reserve(cells.size());
  VertexNumbers numbers(lattice);
  const auto ny = static_cast<std::uint32_t>(lattice.cells.y());
  const auto nz = static_cast<std::uint32_t>(lattice.cells.z());
  for (std::size_t e = 0; e < cells.size(); ++e) {
    const std::uint32_t id = cells[e].id;
    const Eigen::Array3i low(static_cast<int>(id / nz / ny), static_cast<int>(id / nz % ny),
                             static_cast<int>(id % nz));
    numbers.enter_layer(low.x());
    for (int a = 0; a < 8; ++a) {  // 0, 1, 2, 3 go around, 4 to 7 the same above
      const int dx = (a + 1) >> 1 & 1;
      mesh.elements(a, static_cast<Index>(e)) = numbers.number(low + Eigen::Array3i(dx, a >> 1 & 1, a >> 2));
    }
    mesh.region.push_back(cells[e].surface);
  }
  mesh.vertices = numbers.positions();
  return mesh;
}

/// Names the regions that have voxels.
void name_regions(VolumeMesh& mesh, std::span<const RegionSurface> surfaces) {
  std::vector<int> renumbered(surfaces.size(), -1);
  for (const int surface : mesh.region) renumbered[surface] = 0;
  for (int s = 0; s < static_cast<int>(surfaces.size()); ++s) {
    if (renumbered[s] < 0) continue;
    renumbered[s] = static_cast<int>(mesh.regions.size());
    mesh.regions.push_back({s + 1, surfaces[s].name});
  }
  for (int& region : mesh.region) region = renumbered[region];
}

}  // namespace

VolumeMesh voxelize(std::span<const RegionSurface> surfaces, const VoxelizeOptions& options) {
  require(!surfaces.empty(), "there is no surface to fill with voxels; give at least one");
  require(surfaces.size() <= std::numeric_limits<std::int16_t>::max(),
          "{} surfaces to fill with voxels, more than {}; join some", surfaces.size(),
          std::numeric_limits<std::int16_t>::max());
  require(options.cell > 0.0 && std::isfinite(options.cell), "voxels of {} m, expected a finite edge above 0",
          options.cell);
  BoundingBox box{Vector3::Constant(std::numeric_limits<double>::infinity()),
                  Vector3::Constant(-std::numeric_limits<double>::infinity())};
  std::vector<SurfaceQuery> queries;
  for (const RegionSurface& one : surfaces) {
    check_surface(one.surface, one.name.empty() ? "surface" : one.name);
    queries.emplace_back(one.surface);
    box.min = box.min.cwiseMin(queries.back().bounds().min);
    box.max = box.max.cwiseMax(queries.back().bounds().max);
  }
  const VoxelLattice lattice = make_lattice(box, options.cell);
  const std::vector<FilledCell> cells = fill_lattice(lattice, queries, options);
  require(
      !cells.empty(),
      "no voxel of {:.4g} m lies inside the surface; use smaller cells or fill all voxels that it touches",
      options.cell);
  VolumeMesh mesh = make_bricks(lattice, cells);
  name_regions(mesh, surfaces);
  return mesh;
}

}  // namespace limber
