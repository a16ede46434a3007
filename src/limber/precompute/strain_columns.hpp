#pragma once

#include "limber/fem/dof_map.hpp"
#include "limber/fem/element_schedule.hpp"
#include "limber/fem/elements.hpp"
#include "limber/linalg/packet.hpp"
#include "limber/linalg/small.hpp"
#include "limber/linalg/types.hpp"

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
// Integrals of squares of the strain are therefore z^T S z, where z holds the products and S is the Gram matrix of a matrix with
// one column per pair. Its rows are chosen so that few of them, integrated exactly, give both parts of the energy:
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

/// Rows of axis-aligned bricks: coefficients of the strain in products of Legendre polynomials, orthonormal over the brick, so
/// that no quadrature is needed. d u_c / d x is bilinear in y and z: E_xx has 9 coefficients, E_xy 2 x 2 x 3. The trace has 19,
/// because each term is constant along one axis at least.
///
/// A coefficient of tr(E) to which n diagonal components contribute (n = 3: the constant one, 2: six of one variable, 1: twelve
/// of two) adds its square to the first integral and the n squares to the second. Their difference needs n - 1 squares
/// with sign + and, for n > 1, one with sign -. All in all 70 rows; 27 quadrature points have 162.
struct BrickStrain {
  using Element = BrickElement;
  static constexpr int trace_rows = 19, plus_rows = 44, minus_rows = 7;
  static constexpr double trace_share = 1.0;

  /// [c][axis][a][b]: d u_c / d x_axis, coefficient of degree a along the next axis and b along the one after it (cyclic).
  Packet gradient[3][3][2][2];
};

/// Where rows go: entry (row, pair) is at first[row + stride * pair].
struct RowBlock {
  double* first = nullptr;
  Index stride = 0;
};

/// Writes the rows of eight elements at a time. One object per thread.  Strain: one of the two above.
template <class Strain>
class StrainColumns {
 public:
  /// basis: dofs x r. Keeps references to the mesh, the map and the entries of the basis.
  StrainColumns(const VolumeMesh& mesh, const DofMap& dofs, const Eigen::Ref<const Matrix>& basis);

  /// Rows of a packet, 8 for each of an element's (zero in lanes that the packet does not use), at all pairs but the
  /// first: (0, 0) stays as it is.  Cost: about a dozen flops per entry written.
  void write(const ElementPacket& packet, const RowBlock& trace, const RowBlock& plus, const RowBlock& minus);

 private:
  void compute_gradients(const ElementPacket& packet, const typename Strain::Element& element);

  const VolumeMesh& mesh_;
  const DofMap& dofs_;
  Eigen::Ref<const Matrix> basis_;  ///< by value: what it refers to lives on, the Ref given need not
  std::vector<Strain> strains_;     ///< 1 + r: G_0 = I and the modes
};
extern template class StrainColumns<TetrahedronStrain>;
extern template class StrainColumns<BrickStrain>;

}  // namespace limber
