#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// A supernodal Cholesky factor L of P A P^T = L L^T, in the layout of CHOLMOD; only views.
/// Supernode s holds the columns first_column[s] to first_column[s + 1] - 1 of L as one dense matrix, column
/// after column: its values start at first_value[s], its row numbers at first_row[s] and end at first_row[s +
/// 1]; the first rows are its own columns.
struct SupernodalFactor {
  Index supernodes = 0;
  const int* first_column = nullptr;
  const int* first_row = nullptr;
  const int* first_value = nullptr;
  const int* row = nullptr;
  const double* value = nullptr;
};

/// Columns that a panel has at most, in packets: what the registers hold.
#ifdef __AVX512F__
inline constexpr int panel_packets = 3;
#else
inline constexpr int panel_packets = 1;
#endif

/// Solves L L^T X = X in place for a panel of 8 `packets` columns that is stored row after row: row i is X[i
/// packets] to X[(i + 1) packets - 1].  packets: 1 to panel_packets.  Cost: 4 operations per entry of L and
/// column, and reading L twice. A thread-safe read of the factor: panels may be solved in parallel. Each
/// column's bits are the same in any panel.
void solve_supernodal(const SupernodalFactor& L, int packets, Packet* X);

/// The same for one column; differs from a panel's by rounding.
void solve_supernodal(const SupernodalFactor& L, double* X);

}  // namespace limber
