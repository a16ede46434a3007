#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/linalg/types.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

// The equations of motion of a domain as one symmetric matrix S of size n = r + 7, for z = (q'', A, 1), with
// A the acceleration of its frame: their solution makes 1/2 z^T S z stationary in q''. Eliminating q'' leaves
// a 7 x 7 matrix C in (A, 1): the inertia and the forces that its parent feels. For a child (A, 1) is G z
// with a 7 x n matrix G, as its frame is carried by its parent, whose S grows by G^T C G.
//
// These matrices are small. Columns are padded to whole packets, and only lower triangles are kept up; what
// is above the diagonal is never read.

/// Entries of a column with its padding.
constexpr Index padded(Index n) { return (n + packet_size - 1) / packet_size * packet_size; }

/// Cholesky's elimination of the first `pivots` unknowns: their columns become those of the factor L, with 1
/// / L_kk on the diagonal; the others become what is left. False where a pivot is not positive.  S: padded(n)
/// x n.
inline bool eliminate(Matrix& S, Index pivots) {
  const Index n = S.cols(), rows = S.rows();
  for (Index k = 0; k < pivots; ++k) {
    const double pivot = S(k, k);
    if (!(pivot > 0.0)) return false;
    const double inverse = 1.0 / std::sqrt(pivot);
    double* column = &S(0, k);
    for (Index i = k / packet_size * packet_size; i < rows; i += packet_size)
      store_packet(column + i, load_packet(column + i) * inverse);
    for (Index j = k + 1; j < n; ++j) {
      const double factor = column[j];
      double* other = &S(0, j);
      for (Index i = j / packet_size * packet_size; i < rows; i += packet_size)
        store_packet(other + i, load_packet(other + i) - factor * load_packet(column + i));
    }
    column[k] = inverse;
  }
  return true;
}

/// The unknowns that were eliminated, from the others: z, padded(n), has these from `pivots` on and zeros
/// elsewhere.
inline void substitute(const Matrix& S, Index pivots, Vector& z) {
  for (Index k = pivots - 1; k >= 0; --k) {
    const double* column = &S(0, k);
    Packet sum{};
    for (Index i = k / packet_size * packet_size; i < S.rows(); i += packet_size)
      sum += load_packet(column + i) * load_packet(z.data() + i);
    z(k) = -column[k] * sum_lanes(sum);
  }
}

using Matrix7 = Eigen::Matrix<double, 7, 7>;

/// S += G^T C G.  S: padded(n) x n.  carried: G^T, padded(n) x 7.  C: symmetric.  work: as large as
/// `carried`.
inline void add_carried(Matrix& S, const Matrix& carried, const Matrix7& C, Matrix& work) {
  const Index n = S.cols(), rows = S.rows();
  for (Index i = 0; i < rows; i += packet_size) {
    Packet g[7];
    for (int k = 0; k < 7; ++k) g[k] = load_packet(&carried(i, k));
    for (int j = 0; j < 7; ++j) {
      Packet sum = C(0, j) * g[0];
      for (int k = 1; k < 7; ++k) sum += C(k, j) * g[k];
      store_packet(&work(i, j), sum);
    }
  }
  for (Index start = 0; start < rows; start += packet_size) {  // eight rows of S at a time
    Packet g[7];
    for (int k = 0; k < 7; ++k) g[k] = load_packet(&carried(start, k));
    const Index end = std::min(n, start + packet_size);
    for (Index j = 0; j < end; ++j) {
      Packet sum = load_packet(&S(start, j));
      for (int k = 0; k < 7; ++k) sum += work(j, k) * g[k];
      store_packet(&S(start, j), sum);
    }
  }
}

/// S += mass G^T G.  S: padded(n) x n.  rows: G^T, at least padded(n) x 3.
inline void add_outer(Matrix& S, const Eigen::MatrixX3d& rows, double mass) {
  const Index n = S.cols();
  for (Index start = 0; start < S.rows(); start += packet_size) {
    Packet g[3];
    for (int k = 0; k < 3; ++k) g[k] = mass * load_packet(&rows(start, k));
    const Index end = std::min(n, start + packet_size);
    for (Index j = 0; j < end; ++j) {
      Packet sum = load_packet(&S(start, j));
      for (int k = 0; k < 3; ++k) sum += rows(j, k) * g[k];
      store_packet(&S(start, j), sum);
    }
  }
}

}  // namespace limber
