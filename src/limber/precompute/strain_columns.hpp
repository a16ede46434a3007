#pragma once

#include "limber/fem/dof_map.hpp"
#include "limber/fem/element_schedule.hpp"
#include "limber/fem/elements.hpp"
#include "limber/linalg/packet.hpp"
#include "limber/linalg/pairs.hpp"
#include "limber/linalg/small.hpp"
#include "limber/linalg/types.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace limber {

// With the constant as one more coordinate, x = (1, q), the deformation gradient in the subspace is
//
//   F = sum_i x_i G_i,     G_0 = I,  G_i = grad of mode i,
//
// and the Green strain is linear in the products of coordinates:
//
//   E = (F^T F - I) / 2 = sum over pairs i >= j of  x_i x_j E_ij,     E_ij = sym(G_i^T G_j), half of it for i = j, E_00 = 0.
//
// Integrals of squares of the strain are therefore z^T S z, where z holds the products and S is the Gram
// matrix of a matrix with one column per pair. Its rows are chosen so that few of them, integrated exactly,
// give both parts of the energy:
//
//   integral of tr(E)^2 = sum of the squares of the rows `trace`,
//   integral of E : E   = trace_share * that + sum of the squares of the rows `plus` - those of the rows `minus`.

/// Rows of linear tetrahedra, whose strain is constant: its trace and its five components without trace.
struct TetrahedronStrain {
  using Element = TetrahedronElement;
  static constexpr int trace_rows = 1, plus_rows = 5, minus_rows = 0;  ///< per element
  static constexpr double trace_share = 1.0 / 3.0;

  Mat3<Packet> gradient;  ///< (c, axis): d u_c / d x_axis
};

/// Rows of axis-aligned bricks: coefficients of the strain in products of Legendre polynomials, orthonormal
/// over the brick, so that no quadrature is needed. d u_c / d x is bilinear in y and z: E_xx has 9
/// coefficients, E_xy 2 x 2 x 3. The trace has 19, because each term is constant along one axis at least.
///
/// A coefficient of tr(E) to which n diagonal components contribute (n = 3: the constant one, 2: six of one
/// variable, 1: twelve of two) adds its square to the first integral and the n squares to the second. Their
/// difference needs n - 1 squares with sign + and, for n > 1, one with sign -. All in all 70 rows; 27
/// quadrature points have 162.
struct BrickStrain {
  using Element = BrickElement;
  static constexpr int trace_rows = 19, plus_rows = 44, minus_rows = 7;
  static constexpr double trace_share = 1.0;

  /// [c][axis][a][b]: d u_c / d x_axis, coefficient of degree a along the next axis and b along the one after
  /// it (cyclic).
  Packet gradient[3][3][2][2];
};

/// Where rows go: entry (row, pair) is at first[row + stride * pair].
struct RowBlock {
  double* first = nullptr;
  Index stride = 0;
};

/// Where the rows of the three kinds go.
struct StrainTarget {
  RowBlock trace, plus, minus;
};

/// Writes the rows of eight elements at a time. One object per thread.  Strain: one of the two above.
template <class Strain>
class StrainColumns {
 public:
  /// basis: dofs x r. Keeps references to the mesh, the map and the entries of the basis.
  StrainColumns(const VolumeMesh& mesh, const DofMap& dofs, const Eigen::Ref<const Matrix>& basis);

  /// The eight elements that the functions below are about. Cost O(r).
  void load(const ElementPacket& packet);

  /// Rows at the pairs (i, 0) to (i, i), i >= 1: 8 for each of an element's, zero in lanes that the packet
  /// does not use. Pair (i, 0) goes to the first column of the target.  Cost: about a dozen flops per entry
  /// written.
  void write(Index i, const StrainTarget& target) const;

  /// Rows at all pairs but the first: (0, 0) stays as it is.
  void write_all(const StrainTarget& target) const;

 private:
  void compute_gradients(const ElementPacket& packet, const typename Strain::Element& element);

  const VolumeMesh& mesh_;
  const DofMap& dofs_;
  Eigen::Ref<const Matrix> basis_;  ///< by value: what it refers to lives on, the Ref given need not
  std::vector<Strain> strains_;     ///< 1 + r: G_0 = I and the modes
  Packet weight_{};                 ///< roots of the volumes, m^(3/2)
};
extern template class StrainColumns<TetrahedronStrain>;
extern template class StrainColumns<BrickStrain>;

/// Coefficients of the monomials of z^T S z / 2, z_(i,j) = x_i x_j, in which the highest coordinate is one of
/// x_first to x_last, in the order of monomial_index (reduced/quartic.hpp). A monomial x_i x_j x_k x_l is the
/// product of two pairs in up to three ways, so its coefficient is the sum of as many entries.  S(p, q): the
/// entry of the pairs p >= q.
template <class Entry>
void write_monomials(const Entry& S, Index first, Index last, double* coefficients) {
  const auto entry = [&](Index p, Index q) { return p == q ? 0.5 * S(p, p) : p > q ? S(p, q) : S(q, p); };
  for (Index i = first; i <= last; ++i) {
    for (Index j = 0; j <= i; ++j) {
      for (Index k = 0; k <= j; ++k) {
        for (Index l = 0; l <= k; ++l) {
          const bool second_is_first = j == k;
          const bool third_is_second =
              k == l || i == j;  // with j = k or without: it then is the first one too
          double sum = entry(pair_index(i, j), pair_index(k, l));
          if (!second_is_first) sum += entry(pair_index(i, k), pair_index(j, l));
          if (!third_is_second) sum += entry(pair_index(i, l), pair_index(j, k));
          *coefficients++ = sum;
        }
      }
    }
  }
}

/// Shares of the packets that can be worked on at a time, each with sums of its own. Their number decides the
/// rounding, so it must not follow that of the threads. With fewer than 64 packets in each, sums of their own
/// cost more than they spare.
inline std::size_t share_count(std::size_t packets) { return std::clamp<std::size_t>(packets / 64, 1, 8); }

inline std::span<const ElementPacket> share_of(std::span<const ElementPacket> packets, std::size_t share,
                                               std::size_t shares) {
  const std::size_t begin = packets.size() * share / shares, end = packets.size() * (share + 1) / shares;
  return packets.subspan(begin, end - begin);
}

}  // namespace limber
