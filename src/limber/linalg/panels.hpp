#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// Transposes an 8 x 8 matrix whose rows are packets.
inline void transpose(Packet (&rows)[packet_size]) {
  Packet a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      b[i + k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + k + 2] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int k = 0; k < 4; ++k) {
    rows[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// Panels: matrices of a few columns stored row after row, a row being `packets` packets of eight columns.
/// Loops over sparse matrices touch whole rows, which are then contiguous.

/// panel(place(i), :) = X(i, :), filled up with zeros to full packets.
template <class Place>
void pack_panel(const Eigen::Ref<const Matrix>& X, int packets, const Place& place, Packet* panel) {
  const int columns = static_cast<int>(X.cols()), width = packets * packet_size;
  for (Index i = 0; i < X.rows(); ++i) {
    double* row = reinterpret_cast<double*>(panel + place(i) * packets);
    for (int c = 0; c < columns; ++c) row[c] = X(i, c);
    for (int c = columns; c < width; ++c) row[c] = 0.0;
  }
}

/// X(i, :) = panel(place(i), :).
template <class Place>
void unpack_panel(const Packet* panel, int packets, const Place& place, Eigen::Ref<Matrix> X) {
  const int columns = static_cast<int>(X.cols());
  for (Index i = 0; i < X.rows(); ++i) {
    const double* row = reinterpret_cast<const double*>(panel + place(i) * packets);
    for (int c = 0; c < columns; ++c) X(i, c) = row[c];
  }
}

}  // namespace limber
