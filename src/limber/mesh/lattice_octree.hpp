#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/mesh/flat_map.hpp"
#include "limber/mesh/solid.hpp"

#include <cstdint>
#include <vector>

namespace limber {

/// A cubic lattice in space: cubes of edge `cell`; positions are counted in half cells, so that corners of
/// cubes are even and centres odd.
struct Lattice {
  Vector3 origin;     ///< m, position of half cell (0, 0, 0)
  double cell = 0.0;  ///< m

  [[nodiscard]] Vector3 position(const Eigen::Vector3i& half_cells) const {
    return origin + 0.5 * cell * half_cells.cast<double>();
  }
};

/// A cube of 2^level cells along each edge.
struct Octant {
  Eigen::Vector3i corner;  ///< lowest corner, cells
  int level = 0;
  bool near_surface = false;  ///< the surface may cross it; such octants have level 0

  [[nodiscard]] int size() const { return 1 << level; }  ///< cells
};

/// The cubes that a solid fills or touches: those near its surface are single cells, those inside grow with
/// the distance to it. Octants that share a corner with one near the surface are single cells too, and any
/// two that share a corner differ by one level at most: what the transition tetrahedra need.
class LatticeOctree {
 public:
  struct Options {
    double cell = 0.0;   ///< m
    int grading = 0;     ///< largest level of an octant
    double level = 0.0;  ///< of the solid's distance at which its surface is taken, m
  };

  /// Throws Error where there are more octants than limber handles.
  LatticeOctree(const Solid& solid, const Options& options, const Executor& executor,
                const Progress& progress);

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  [[nodiscard]] const std::vector<Octant>& octants() const {
    return octants_;
  }  ///< along a space-filling curve

  /// The octant of the given level at a corner (cells), or -1.
  [[nodiscard]] int find(const Eigen::Vector3i& corner, int level) const {
    return index_.find(key(corner, level));
  }

 private:
  static std::uint64_t key(const Eigen::Vector3i& corner, int level);
  void classify(const Solid& solid, const Options& options, const Executor& executor,
                const Progress& progress);
  void keep_near_surface_uniform();
  void balance(int finest);
  int find_covering(const Eigen::Vector3i& cell, int from_level) const;
  void add(const Octant& octant);
  void split(int octant);
  void refine_around(const Octant& octant, int largest_level);
  void sort();

  Lattice lattice_;
  int root_level_ = 0;
  int grading_ = 0;
  std::vector<Octant> octants_;
  std::vector<char> removed_;  ///< octants that were split
  FlatMap index_;              ///< (corner, level) to octant; -1 once it was split
};

}  // namespace limber
