#pragma once

#include "limber/linalg/types.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <span>
#include <vector>

namespace limber {

/// Numbers the unknowns: three per vertex that is neither fixed nor unused by every element. Unknowns 3 f, 3
/// f + 1, 3 f + 2 are the x, y, z displacements of the f-th free vertex, in the order of vertex numbers.
class DofMap {
 public:
  /// fixed: vertex numbers, in any order, repeats allowed. Throws Error for numbers that the mesh does not
  /// have.
  DofMap(const VolumeMesh& mesh, std::span<const int> fixed);

  [[nodiscard]] Index dof_count() const { return 3 * static_cast<Index>(vertex_of_free_.size()); }
  [[nodiscard]] Index vertex_count() const { return static_cast<Index>(free_of_vertex_.size()); }

  /// Number of a vertex among the free ones; -1 for vertices that do not move.
  [[nodiscard]] int free_index(int vertex) const { return free_of_vertex_[static_cast<std::size_t>(vertex)]; }
  [[nodiscard]] const std::vector<int>& free_vertices() const { return vertex_of_free_; }

  /// From unknowns (3 f) to one column per vertex (3 x n), zero where it does not move.
  [[nodiscard]] Matrix3X expand(const VectorRef& u) const;
  void expand(const VectorRef& u, Matrix3X& field) const;

  /// From one column per vertex to the unknowns.
  [[nodiscard]] Vector restrict(const Matrix3X& field) const;
  void restrict(const Matrix3X& field, Vector& u) const;

 private:
  std::vector<int> free_of_vertex_;
  std::vector<int> vertex_of_free_;
};

}  // namespace limber
