#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/linalg/symmetric_solve.hpp"
#include "limber/linalg/types.hpp"

#include <algorithm>
#include <cstdint>

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

/// Takes `pivots` columns from `first` on, whose pivots have these inverses, away from `columns` others from
/// j on, which are of one packet's rows: all of it while the others are in registers.
template <int pivots, int columns>
inline void take_away(Matrix& S, Index first, const double* inverses, Index j) {
  double factor[pivots][columns];
  for (int m = 0; m < pivots; ++m)
    for (int c = 0; c < columns; ++c) factor[m][c] = S(j + c, first + m) * inverses[m];
  for (Index i = j / packet_size * packet_size; i < S.rows(); i += packet_size) {
    Packet sum[columns];
    for (int c = 0; c < columns; ++c) sum[c] = load_packet(&S(i, j + c));
    for (int m = 0; m < pivots; ++m) {
      const Packet values = load_packet(&S(i, first + m));
      for (int c = 0; c < columns; ++c) sum[c] -= factor[m][c] * values;
    }
    for (int c = 0; c < columns; ++c) store_packet(&S(i, j + c), sum[c]);
  }
}

/// Gauss's elimination of the first `pivots` unknowns: their columns become those of the equations that are
/// left when their turn comes, with the inverse of the pivot on the diagonal; the others become what is left
/// in the end. False where a pivot is not positive.  S: padded(n) x n.
inline bool eliminate(Matrix& S, Index pivots) {
  constexpr int width = 4;  // pivots that are taken away from the columns after them together
  const Index n = S.cols();
  for (Index first = 0; first < pivots; first += width) {
    const Index end = std::min(first + width, pivots);
    double inverses[width];
    for (Index k = first; k < end; ++k) {
      const double pivot = S(k, k);
      if (!(pivot > 0.0)) return false;
      inverses[k - first] = 1.0 / pivot;
      for (Index j = k + 1; j < end; ++j) take_away<1, 1>(S, k, inverses + (k - first), j);
    }
    if (end - first == width) {
      Index j = end;
      for (; j + 1 < n; j += 2) take_away<width, 2>(S, first, inverses, j);
      if (j < n) take_away<width, 1>(S, first, inverses, j);
    } else {
      for (Index j = end; j < n; ++j)
        for (Index k = first; k < end; ++k) take_away<1, 1>(S, k, inverses + (k - first), j);
    }
    for (Index k = first; k < end; ++k) S(k, k) = inverses[k - first];
  }
  return true;
}

/// The unknowns that were eliminated, from the others: z, padded(n), has these from `pivots` on, and zeros
/// where it is padded.
inline void substitute(const Matrix& S, Index pivots, Vector& z) {
  for (Index start = (pivots - 1) / packet_size * packet_size; start >= 0; start -= packet_size) {
    const Index end = std::min(start + packet_size, pivots), next = start + packet_size;
    double sums[packet_size];
    for (Index k = start; k < end; ++k) {  // of what lies behind the packet
      Packet sum{};
      for (Index i = next; i < S.rows(); i += packet_size)
        sum += load_packet(&S(i, k)) * load_packet(z.data() + i);
      sums[k - start] = sum_lanes(sum);
    }
    for (Index k = end - 1; k >= start; --k) {
      double sum = sums[k - start];
      for (Index i = next - 1; i > k; --i) sum += S(i, k) * z(i);
      z(k) = -S(k, k) * sum;
    }
  }
}

/// S += factor A in the lower triangle, y += A x.  A: symmetric, r x r, in memory that goes on for a packet
/// after its last entry.  S: padded(n) x n with n >= r.  x: r.  y: padded(r).
inline void add_symmetric(Matrix& S, const double* A, Index r, double factor, const double* x, double* y) {
  constexpr PacketMask lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  for (Index start = 0; start < r; start += packet_size) {
    const PacketMask inside = lanes < static_cast<std::int64_t>(r - start);
    const Index lower = std::min(r, start + packet_size);
    const auto add_column = [&](Index j, Packet& sum) {
      const Packet values = select(inside, load_packet(A + j * r + start), Packet{});
      sum += x[j] * values;
      if (j < lower) store_packet(&S(start, j), load_packet(&S(start, j)) + factor * values);
    };
    Packet even = load_packet(y + start), odd{};
    for (Index j = 0; j + 1 < r; j += 2) {
      add_column(j, even);
      add_column(j + 1, odd);
    }
    if (r % 2 == 1) add_column(r - 1, even);
    store_packet(y + start, even + odd);
  }
}

/// A^-1 b for the six motions of a rigid body, of a symmetric matrix that is positive definite or, of a body
/// on a line, semidefinite: without the search for pivots that this alone needs.
inline Eigen::Matrix<double, 6, 1> solve_rigid(const Eigen::Matrix<double, 6, 6>& A,
                                               const Eigen::Matrix<double, 6, 1>& b) {
  constexpr double least_pivot = 1e-10;  // as a share of the diagonal
  Eigen::Matrix<double, 6, 6> L = A;
  Eigen::Matrix<double, 6, 1> inverse, x = b;
  for (int k = 0; k < 6; ++k) {
    if (!(L(k, k) > least_pivot * A(k, k))) return solve_symmetric6(A, b);
    inverse(k) = 1.0 / L(k, k);
    for (int j = k + 1; j < 6; ++j) {
      const double factor = L(j, k) * inverse(k);
      for (int i = j; i < 6; ++i) L(i, j) -= factor * L(i, k);
      x(j) -= factor * x(k);
    }
  }
  for (int k = 5; k >= 0; --k) {
    for (int i = 5; i > k; --i) x(k) -= L(i, k) * x(i);
    x(k) *= inverse(k);
  }
  return x;
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
