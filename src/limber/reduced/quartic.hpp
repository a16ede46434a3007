#pragma once

#include "limber/linalg/pairs.hpp"
#include "limber/linalg/types.hpp"

#include <cstdint>

namespace limber {

// The energy of a St. Venant-Kirchhoff body in a subspace is a polynomial of degree four in q.
// [Barbic & James 2005, section 4]. With the constant as one more coordinate, x = (1, q), it is homogeneous:
//
//   W(q) = sum over i >= j >= k >= l of  c_ijkl x_i x_j x_k x_l,      indices 0 to r.
//
// Its coefficients are stored once each, ordered by monomial_index(): those of the first r' coordinates are
// the first monomial_count(r') ones, so that truncating a model is taking a prefix.

/// Monomials of degree four in 1 + rank variables: (rank + 4 choose 4). In 64 bits where Index has 32 as
/// well: a file may claim more than there is memory for.
constexpr std::int64_t monomial_count(std::int64_t rank) {
  return (rank + 1) * (rank + 2) / 2 * (rank + 3) / 3 * (rank + 4) / 4;
}

/// Position of c_ijkl, i >= j >= k >= l >= 0.
constexpr Index monomial_index(Index i, Index j, Index k, Index l) {
  return i * (i + 1) / 2 * (i + 2) / 3 * (i + 3) / 4 + j * (j + 1) / 2 * (j + 2) / 3 + k * (k + 1) / 2 + l;
}

/// Memory for one evaluation at a time; sized by the first one, for any rank. See quartic.cpp for the
/// symbols.
struct QuarticWorkspace {
  Vector x;         ///< (1, q), padded
  Vector products;  ///< z: x_k x_l, packed and padded
  Vector rows;      ///< u_i, for a slab of products
  Vector pairs;     ///< y, for a slab of products
  Vector sums;      ///< M, whose symmetric part is half of the stiffness
};

/// The polynomial in a layout made for one sweep that gives stiffness, force and energy together.
/// Constant after construction. Nothing is allocated by an evaluation whose workspace has been used before.
class Quartic {
 public:
  Quartic() = default;
  /// coefficients: monomial_count(rank) or more, of which the first ones are taken; J.
  Quartic(Index rank, const VectorRef& coefficients);

  [[nodiscard]] Index rank() const { return rank_; }

  /// f = dW/dq (r), K = d^2 W/dq^2 (r x r, both triangles); returns W.  Cost: 3 multiply-adds per
  /// coefficient, O(r^4 / 24) of them. f and K must have their sizes.
  double evaluate(const VectorRef& q, QuarticWorkspace& work, Eigen::Ref<Vector> f,
                  Eigen::Ref<Matrix> K) const;

  /// f alone, in two thirds of the time; returns W.
  double evaluate_force(const VectorRef& q, QuarticWorkspace& work, Eigen::Ref<Vector> f) const;

 private:
  Index rank_ = 0;
  Index size_of_rows_ = 0;
  Vector stream_;  ///< coefficients in the order of the sweep, padded with zeros
};

/// Memory for the evaluation of many states; sized by the first one, for any rank and number of states.
struct QuarticBatchWorkspace {
  Vector x, products, rows, sums;  ///< as in QuarticWorkspace, of as many states as a register has lanes
};

/// The same polynomial for many states at once, as many in one sweep as a register has lanes. The
/// coefficients are then read once for all of these, no sum runs across lanes and hardly any coefficient is
/// padded: at r = 60 half the time of one state after the other, whose sweep waits for the coefficients. (One
/// matrix product with the pairs-by-pairs matrix of d^2 W / (dx_i dx_j) does it too, with nearly twice the
/// operations and six times the memory.) What comes out for a state does not depend on the others.
class QuarticBatch {
 public:
  QuarticBatch() = default;
  /// coefficients: monomial_count(rank) or more, of which the first ones are taken; J.
  QuarticBatch(Index rank, const VectorRef& coefficients);

  [[nodiscard]] Index rank() const { return rank_; }

  /// states: r x s.  forces: r x s.  stiffnesses: r^2 x s, each column a matrix.  energies: s. All must have
  /// their sizes.
  void evaluate(const Eigen::Ref<const Matrix>& states, QuarticBatchWorkspace& work,
                Eigen::Ref<Matrix> forces, Eigen::Ref<Matrix> stiffnesses, Eigen::Ref<Vector> energies) const;

 private:
  Index rank_ = 0;
  Index size_of_rows_ = 0;
  Vector stream_;  ///< coefficients in the order of the sweep
};

}  // namespace limber
