#include "limber/mesh/lattice_octree.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr std::size_t max_octants = 4'000'000;  ///< 48 million tetrahedra, about 10 GB while they are made
constexpr int max_root_level = 19;              ///< coordinates in half cells fit into 21 bits

constexpr int corner_bit(int child, int axis) { return (child >> axis) & 1; }

Eigen::Vector3i child_offset(int child) {
  return {corner_bit(child, 0), corner_bit(child, 1), corner_bit(child, 2)};
}

/// Bits of the three coordinates in turn: neighbours in space are near each other in this order (Morton).
std::uint64_t interleaved(const Eigen::Vector3i& corner) {
  std::uint64_t code = 0;
  for (int bit = 20; bit >= 0; --bit) {
    for (int axis = 2; axis >= 0; --axis) {
      code = (code << 1) | ((static_cast<std::uint64_t>(corner(axis)) >> bit) & 1U);
    }
  }
  return code;
}

template <class Visit>
void for_each_neighbour(const Visit& visit) {
  for (int dx = -1; dx <= 1; ++dx) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dz = -1; dz <= 1; ++dz) {
        if (dx != 0 || dy != 0 || dz != 0) visit(Eigen::Vector3i(dx, dy, dz));
      }
    }
  }
}

}  // namespace

LatticeOctree::LatticeOctree(const Solid& solid, const Options& options, const Executor& executor,
                             const Progress& progress) {
  require(std::isfinite(options.cell) && options.cell > 0.0, "cell size {} m, expected a positive length",
          options.cell);
  const Vector3 size = solid.bounds.max - solid.bounds.min;
  require(size.allFinite() && size.minCoeff() >= 0.0, "the solid has no finite bounds");
  // Two more cells on each side hold what the surface level adds and the outer ends of the cut edges.
  const double cells = (size.maxCoeff() + 2.0 * std::abs(options.level)) / options.cell + 4.0;
  require(cells <= 1 << max_root_level,
          "a cell of {:.4g} m divides the body of {:.4g} m into more than {} cells along an axis; use larger "
          "cells",
          options.cell, size.maxCoeff(), 1 << max_root_level);
  root_level_ = std::max(2, static_cast<int>(std::ceil(std::log2(cells))));
  grading_ = std::clamp(options.grading, 0, root_level_);
  lattice_.cell = options.cell;
  const Vector3 center = 0.5 * (solid.bounds.min + solid.bounds.max);
  lattice_.origin = center.array() - 0.5 * options.cell * (1 << root_level_);
  classify(solid, options, executor, progress);
  keep_near_surface_uniform();
  for (int level = 0; level + 1 < grading_; ++level) balance(level);
  sort();
}

std::uint64_t LatticeOctree::key(const Eigen::Vector3i& corner, int level) {
  // An octant's corner is a multiple of its size: the bit below marks the level.
  const auto coordinate = [&](int axis) { return static_cast<std::uint64_t>(corner(axis)) & 0x1fffffU; };
  const std::uint64_t position = (coordinate(0) << 42) | (coordinate(1) << 21) | coordinate(2);
  return level == 0 ? position : position | (std::uint64_t{1} << (level - 1)) | (std::uint64_t{1} << 63);
}

/// Descends from the root, level by level: octants in which the sign of the distance cannot change are done.
void LatticeOctree::classify(const Solid& solid, const Options& options, const Executor& executor,
                             const Progress& progress) {
  std::vector<Eigen::Vector3i> pending{Eigen::Vector3i::Zero()};
  std::vector<char> verdict;
  enum : char { outside, inside, undecided };
  for (int level = root_level_; level >= 0; --level) {
    const double half = 0.5 * options.cell * (1 << level);
    const double radius = std::sqrt(3.0) * half * (1.0 + 1e-9);
    verdict.assign(pending.size(), undecided);
    executor.parallel_ranges(static_cast<std::ptrdiff_t>(pending.size()), 256, [&](auto begin, auto end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const Vector3 center = lattice_.position(2 * pending[i]).array() + half;
        const SolidSample sample = solid.sample(center);
        if (sample.clear - std::abs(options.level) > radius)
          verdict[i] = sample.distance < 0.0 ? inside : outside;
      }
    });
    std::vector<Eigen::Vector3i> next;
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (verdict[i] == outside) continue;
      if (level == 0 || (verdict[i] == inside && level <= grading_)) {
        add({pending[i], level, verdict[i] == undecided});
        continue;
      }
      require(next.size() + octants_.size() < max_octants,
              "cells of {:.4g} m divide the body into more than {} of them; use larger cells", options.cell,
              max_octants);
      // An inside octant that is too large is split without asking again.
      for (int child = 0; child < 8; ++child)
        next.push_back(pending[i] + (1 << (level - 1)) * child_offset(child));
    }
    pending.swap(next);
    report(progress, "lattice", 1.0 - static_cast<double>(level) / (root_level_ + 1));
  }
}

void LatticeOctree::add(const Octant& octant) {
  index_.insert(key(octant.corner, octant.level), -1);
  index_.set(key(octant.corner, octant.level), static_cast<int>(octants_.size()));
  octants_.push_back(octant);
  removed_.push_back(0);
}

void LatticeOctree::split(int octant) {
  const Octant parent = octants_[static_cast<std::size_t>(octant)];
  removed_[static_cast<std::size_t>(octant)] = 1;
  index_.set(key(parent.corner, parent.level), -1);
  for (int child = 0; child < 8; ++child) {
    add({parent.corner + parent.size() / 2 * child_offset(child), parent.level - 1, false});
  }
}

/// The octant of `from_level` or higher that holds a cell, or -1.
int LatticeOctree::find_covering(const Eigen::Vector3i& cell, int from_level) const {
  for (int level = from_level; level <= grading_; ++level) {
    const Eigen::Vector3i corner = cell.unaryExpr([&](int c) { return c & ~((1 << level) - 1); });
    const int octant = find(corner, level);
    if (octant >= 0) return octant;
  }
  return -1;
}

/// Splits whatever shares a corner with an octant until it has at most the given level.
void LatticeOctree::refine_around(const Octant& octant, int largest_level) {
  for_each_neighbour([&](const Eigen::Vector3i& direction) {
    const Eigen::Vector3i cell = octant.corner + octant.size() * direction;
    if (cell.minCoeff() < 0 || cell.maxCoeff() >= (1 << root_level_)) return;
    for (int found = find_covering(cell, largest_level + 1); found >= 0;
         found = find_covering(cell, largest_level + 1)) {
      split(found);
    }
  });
}

void LatticeOctree::keep_near_surface_uniform() {
  if (grading_ == 0) return;
  const std::size_t count = octants_.size();  // octants near the surface are never split
  for (std::size_t i = 0; i < count; ++i) {
    if (octants_[i].near_surface) refine_around(Octant(octants_[i]), 0);
  }
}

/// Makes the neighbours of all octants of a level at most one level larger. Splitting creates octants of
/// larger levels only, whose turn comes later.
void LatticeOctree::balance(int level) {
  const std::size_t count = octants_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!removed_[i] && octants_[i].level == level) refine_around(Octant(octants_[i]), level + 1);
  }
}

void LatticeOctree::sort() {
  std::vector<std::pair<std::uint64_t, int>> order;
  for (std::size_t i = 0; i < octants_.size(); ++i) {
    if (!removed_[i]) order.emplace_back(interleaved(octants_[i].corner), static_cast<int>(i));
  }
  std::sort(order.begin(), order.end());
  std::vector<Octant> sorted;
  sorted.reserve(order.size());
  for (const auto& [code, i] : order) {
    const Octant& octant = octants_[static_cast<std::size_t>(i)];
    index_.set(key(octant.corner, octant.level), static_cast<int>(sorted.size()));
    sorted.push_back(octant);
  }
  octants_.swap(sorted);
  removed_.assign(octants_.size(), 0);
}

}  // namespace limber
