#pragma once

#include "limber/fem/element_schedule.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// Exact coefficients of the St. Venant-Kirchhoff energy (reduced/quartic.hpp) in a subspace that grows by
/// single vectors: a further one adds the coefficients of the monomials in which it occurs and leaves the
/// others.
///
/// With p = pair_count(1 + r) products x_i x_j, vector r + 1 adds r + 2 of them: their products with all p +
/// r + 2 cost about 4 / r of the whole computation. Same bits for any number of threads, and whether vectors
/// come one by one or together. The fixed vertices are taken to be at rest. Memory: (r + 2) p doubles for
/// each of up to 8 shares of the elements and each vector that is added at a time, 256 MiB at most but for a
/// single vector.
class GrowingCoefficients {
 public:
  /// Keeps a reference to the model, whose materials must all be St. Venant-Kirchhoff; throws Error else.
  explicit GrowingCoefficients(const FullModel& model);

  [[nodiscard]] Index rank() const { return rank_; }
  /// Of the whole energy with the materials of the model, monomial_count(rank()), J.
  [[nodiscard]] const Vector& coefficients() const { return coefficients_; }

  /// basis: dofs x r, whose first rank() columns are those that the coefficients are of; the others are
  /// added. Returns at once where there are none.
  void grow(const Eigen::Ref<const Matrix>& basis);

  /// Forgets all but the first vectors.
  void truncate(Index rank);

  /// Takes coefficients that were computed before. Throws Error for another number of them than the rank has.
  void restore(Index rank, const Vector& coefficients);

 private:
  const FullModel& model_;
  std::vector<ElementPacket> packets_;
  Index rank_ = 0;
  Vector coefficients_;
};

/// Whether the energy of all regions of the model is such a polynomial.
bool has_polynomial_energy(const FullModel& model);

}  // namespace limber
