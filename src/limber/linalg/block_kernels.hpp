#pragma once

#include <Eigen/Core>

#include <vector>

namespace limber {

// Inner loops of factors of small dense blocks (some dozen rows), as contact solves factor by the thousand
// per second: half the time of a general library's, because nothing is packed and no rest is left over.
//
// A block is stored by columns, each padded to whole packets of eight: padded_rows(rows) numbers apart.
// Padding is zero, and stays so.

/// Storage of blocks, at which packets start on lines of the cache: loads that cross one take twice the time.
using BlockNumbers = std::vector<double, Eigen::aligned_allocator<double>>;

constexpr int padded_rows(int rows) { return (rows + 7) / 8 * 8; }

/// C += s A B^T.  C: rows x columns.  A: rows x depth.  B: columns x depth.  lower: of C, which is square,
/// the triangle below the diagonal alone; what is above, in the same packet, is left open.
void add_product(double s, const double* A, const double* B, int rows, int columns, int depth, bool lower,
                 double* C);

/// A = L L^T in place, of the lower triangle, with the diagonal of L inverted: n^3 / 6 multiply-adds. False
/// where A is not positive definite or not finite.
bool factor_block(double* A, int n);

/// C += s A x, C += s A^T x.  A: rows x columns; vectors padded as columns are.
void add_block(double s, const double* A, int rows, int columns, const double* x, double* C);
void add_block_transposed(double s, const double* A, int rows, int columns, const double* x, double* C);

/// B := B L^-T.  B: rows x n.  L: as factor_block() leaves it, n x n.
void solve_block_right(const double* L, int n, double* B, int rows);

/// x := L^-1 x, and x := L^-T x.  x: n, padded as a column is.
void solve_block_lower(const double* L, int n, double* x);
void solve_block_upper(const double* L, int n, double* x);

}  // namespace limber
