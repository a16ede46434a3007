#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/fem/vertex_maps.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace limber {

/// An estimate of |L^T (f(y) - f_ext)| in equilibrium from a few vertices drawn at random and the elements
/// around them: its cost does not depend on the mesh. [Kim & James 2009, Algorithm 3]
class ResidualSamples {
 public:
  /// count: of vertices, at least 1; all free ones where there are no more.
  ResidualSamples(const FullModel& model, Index count, std::uint64_t seed);

  [[nodiscard]] Index count() const { return static_cast<Index>(samples_.size()); }

  /// The rows of a basis (dofs x r) that are needed. Cost O(vertices around r).
  void set_basis(const Eigen::Ref<const Matrix>& basis);

  /// For u = U q under these maps and the load f_ext (dofs, in the world, N): the root of the mean square
  /// over the sampled vertices times the number of free ones, N.
  [[nodiscard]] double residual(const VectorRef& q, const VertexMaps& maps, const VectorRef& f_ext) const;

 private:
  struct Sample {
    int vertex = 0;  ///< of the body
    int free = 0;    ///< its number among the free ones
    int around = 0;  ///< its number in the mesh around
  };

  Index free_count_ = 0;
  std::vector<Sample> samples_;
  std::vector<int> vertices_;  ///< of the body, that are in the mesh around
  std::vector<int> free_;      ///< their numbers among the free ones; -1: fixed
  std::unique_ptr<FullModel> around_;
  Matrix rows_;  ///< three per vertex around
};

}  // namespace limber
