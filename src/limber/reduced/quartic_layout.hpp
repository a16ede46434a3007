#pragma once

#include "limber/linalg/pairs.hpp"
#include "limber/linalg/types.hpp"
#include "limber/reduced/quartic_lanes.hpp"

#include <algorithm>

// Where the sweep over the coefficients of a quartic finds what, and in which order: see the essay in
// quartic.cpp.

namespace limber::quartic {

inline constexpr Index tile = 4;  ///< indices i, and indices j, that are worked on together

constexpr Index round_up(Index n, Index multiple) { return (n + multiple - 1) / multiple * multiple; }

/// The lanes of a register are successive products x_k x_l of one state; a step takes a packet of eight.
struct OneState {
  static constexpr Index products = 8;     ///< of one state in a step
  static constexpr Index width = 8;        ///< doubles that the products of a step take
  static constexpr int parts = 8 / lanes;  ///< registers that they take
  static constexpr Index rows = 8;         ///< k that stay together
  static constexpr Index most_doubles =
      3072;  ///< of rows u: 24 KiB, what the L1 cache of most CPUs has room for

  /// Position of x_k x_0 among the products; x_k x_1 ... x_k x_k and then row k + 1 follow. Four numbers of
  /// padding after every eight rows let each block of eight rows begin with a packet.
  static constexpr Index row_offset(Index k) { return pair_index(k, 0) + k / 8 * 4; }
  static Lanes coefficients(const double* from, int part) { return load(from + part * lanes); }
};

/// The lanes of a register are states; a step takes one product of each.
struct ManyStates {
  static constexpr Index products = 1;
  static constexpr Index width = lanes;
  static constexpr int parts = 1;
  static constexpr Index rows = 1;
  static constexpr Index most_doubles = 4096;
  static constexpr Index row_offset(Index k) { return pair_index(k, 0); }
  static Lanes coefficients(const double* from, int) { return spread(*from); }
};

/// Tiles are counted from the last index, so that only the first one, which is short, is padded: with indices
/// below zero, down to -3. Returns the first index of the tile that holds `index`.
constexpr Index tile_of(Index index, Index variables) {
  const Index first = variables - round_up(variables, tile);
  return (index - first) / tile * tile + first;
}

/// Products x_k x_l of some rows k, few enough for what is added up beside them to stay in the L1 cache.
template <class Layout>
struct Slab {
  Index variables;
  Index first_row, end_row;  ///< k; the last one may exceed the number of variables
  Index first_tile;          ///< i and j of the first tile that reaches it
  Index first_step, steps;   ///< where its products begin, and how many steps they take

  Slab(Index number_of_variables, Index first, Index end)
      : variables(number_of_variables),
        first_row(first),
        end_row(end),
        first_tile(tile_of(first, variables)),
        first_step(Layout::row_offset(first) / Layout::products),
        steps(Layout::row_offset(end) / Layout::products - first_step) {}

  /// Steps of the slab in which rows (i, j) have coefficients: those with k <= j.
  [[nodiscard]] Index steps_up_to(Index j) const {
    if (j < first_row) return 0;
    if (j >= end_row - 1) return steps;
    return round_up(Layout::row_offset(j) + j + 1, Layout::products) / Layout::products - first_step;
  }

  /// From one row u_i to the next, in doubles: an odd number of registers, lest rows fall upon each other in
  /// the cache.
  [[nodiscard]] Index stride() const { return (steps | 1) * Layout::width; }
  [[nodiscard]] Index size_of_rows() const { return (variables - first_tile) * stride(); }

  /// The slab that begins with row k.
  static Slab from(Index k, Index variables) {
    Slab slab(variables, k, k + Layout::rows);
    while (slab.end_row < variables) {
      const Slab longer(variables, k, slab.end_row + Layout::rows);
      if (longer.size_of_rows() > Layout::most_doubles) break;
      slab = longer;
    }
    return slab;
  }
};

/// For each slab calls visit.begin_slab(slab); then, for each tile of indices i, visit.diagonal_tile(slab, i)
/// and visit.off_diagonal_tile(slab, i, j) for each tile of indices j before it; then visit.end_slab(slab).
/// The coefficients are stored in this order.
template <class Layout, class Visitor>
void sweep(Index variables, Visitor& visit) {
  for (Index k = 0; k < variables;) {
    const auto slab = Slab<Layout>::from(k, variables);
    visit.begin_slab(slab);
    for (Index i = slab.first_tile; i < variables; i += tile) {
      visit.diagonal_tile(slab, i);
      for (Index j = slab.first_tile; j < i; j += tile) visit.off_diagonal_tile(slab, i, j);
    }
    visit.end_slab(slab);
    k = slab.end_row;
  }
}

/// Room that the rows u of any slab need.
template <class Layout>
Index largest_rows(Index variables) {
  Index largest = 0;
  for (Index k = 0; k < variables;) {
    const auto slab = Slab<Layout>::from(k, variables);
    largest = std::max(largest, slab.size_of_rows());
    k = slab.end_row;
  }
  return largest;
}

/// The coefficients c_ijkl (monomials of quartic.hpp) in the order of the sweep, with zeros where a tile has
/// none.
template <class Layout>
Vector arrange(Index variables, const VectorRef& monomials);

extern template Vector arrange<OneState>(Index variables, const VectorRef& monomials);
extern template Vector arrange<ManyStates>(Index variables, const VectorRef& monomials);

/// Makes room for `size` numbers: workspaces only grow. What is new is zero.
inline void grow(Vector& vector, Index size) {
  if (vector.size() < size) vector.setZero(size);
}

}  // namespace limber::quartic
