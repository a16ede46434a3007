#pragma once

#include "limber/contact/surface_distance.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace limber {

struct ReducedModel;

struct RestFieldOptions {
  /// About how many lattice points lie in the body and next to it. 300,000: cells of 1/63 of a cube's edge,
  /// of 1/150 and less of the size of bodies with arms; 2.5 MB.
  Index points = 300000;
};

/// Signed distance phi(X) to the surface of a body at rest, negative inside, on a lattice: trilinear between
/// its points, where it is exact. Fine cells (of edge a, in blocks of 4 x 4 x 4) cover the body and a cell or
/// more around it; beyond, cells of 4 a lead on, and outside of those the distance grows as one goes.
///
/// Exact within flat sides; sharp edges are rounded by up to a third of a cell. What that comes to is
/// measured at construction and reported. Inside is where the surface winds around a point: along each line
/// of the lattice, crossings are counted by their directions. So surfaces that touch or overlap themselves
/// will do, if every edge is run through as often in one direction as in the other.
///
/// Constant and shared by all bodies of a model. Built in O(points + triangles), 0.1 to 0.2 s for 8,000 to
/// 50,000 triangles; read in O(1), 10 to 30 ns as the cache has it. The same bits each time.
class RestField {
 public:
  /// Throws Error for a surface that is not closed or is turned inwards, naming an edge. where: names it.
  RestField(const SurfaceMesh& surface, std::string_view where, const RestFieldOptions& options = {});

  /// The normal is the gradient brought to unit length, UnitZ where there is none (in the very middle).
  [[nodiscard]] SurfaceDistance distance(const Vector3& x) const;

  /// The same distance without its normal: for what is mostly too far away to ask for that.
  [[nodiscard]] double distance_alone(const Vector3& x) const;

  [[nodiscard]] const BoundingBox& bounds() const { return bounds_; }  ///< of the surface
  [[nodiscard]] double cell() const { return cell_; }                  ///< a, m
  /// Largest |phi - exact distance| over some 2,000 places: on the surface, and in the middle of
  /// cells within two cells of it, where the lattice is worst. m
  [[nodiscard]] double largest_error() const { return largest_error_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// Three numbers that are computed on together, and one that is not used.
  using LatticePlace = double __attribute__((vector_size(32)));

  static constexpr int block_cells = 4;
  static constexpr int block_side = block_cells + 1;  ///< blocks share the points of their sides

  /// The eight numbers around a place.
  struct Cell {
    const float* corner;         ///< the lowest one; its neighbour along x is behind it
    std::size_t next_y, next_z;  ///< how far behind it those along the others are
    LatticePlace within;         ///< where the place is between them, 0 to 1
    LatticePlace beyond;         ///< how far it is outside of the lattice, cells
  };
  [[nodiscard]] Cell cell_at(const Vector3& x) const;

  LatticePlace origin_{};  ///< m
  LatticePlace last_{};    ///< cells; a little before the last point
  double cell_ = 0.0, per_cell_ = 0.0, largest_error_ = 0.0;
  std::array<int, 3> blocks_{};  ///< along each axis
  std::vector<int> block_;       ///< start of a block in fine_; -1: only its corners are known
  std::vector<float> fine_;      ///< 5 x 5 x 5 distances of each block, x first
  std::vector<float> coarse_;    ///< at the corners of blocks
  BoundingBox bounds_{Vector3::Zero(), Vector3::Zero()};
};

/// Of the boundary of the mesh that a model was made from; where the model was kept without it, of the
/// surface to draw. Throws Error where that is not closed.
RestField make_rest_field(const ReducedModel& model, const RestFieldOptions& options = {});

}  // namespace limber
