// Triangular solves with a supernodal factor for many right-hand sides.
//
// CHOLMOD's own solve calls BLAS for each supernode and spreads the products over rows of a matrix stored by
// columns: most supernodes are so small that calls and scattered accesses take longer than the arithmetic.
// Here the right-hand sides are stored by rows, one row of a panel being one to three packets, so that each
// access to a row is contiguous. Columns k of L are worked on in groups whose rows of X stay in registers,
// while L is read in the order in which it is stored:
//
//      forward    X(i, :) -= L(i, k) X(k, :)          backward    sum(k, :) += L(i, k) X(i, :)          for all rows i below.
//
// Measured on 29,000 unknowns: 2.2 times faster for 48 columns, and not slower for one.

#include "limber/linalg/supernodal_solve.hpp"

#include <type_traits>
#include <utility>

namespace limber {
namespace {

/// Columns of L that are worked on together: with panel_packets they fill the registers.
#ifdef __AVX512F__
constexpr int group_size = 8;
#else
constexpr int group_size = 4;
#endif

/// One supernode: `columns` columns of `rows` rows each.
struct Supernode {
  Index columns;
  Index rows;
  Index first;      ///< number of its first column
  const int* row;   ///< row numbers
  const double* L;  ///< entry (i, k) is L[i + k rows]
};

Supernode supernode(const SupernodalFactor& L, Index s) {
  return {L.first_column[s + 1] - L.first_column[s], L.first_row[s + 1] - L.first_row[s], L.first_column[s],
          L.row + L.first_row[s], L.value + L.first_value[s]};
}

template <int W, class T>
void subtract_scaled(double factor, const T* x, T* X) {
  for (int w = 0; w < W; ++w) X[w] -= factor * x[w];
}

template <int W, class T>
void divide(double divisor, T* X) {
  for (int w = 0; w < W; ++w) X[w] /= divisor;
}

/// Columns k to k + R - 1:  X_k = L_kk^-1 X_k,  then  X_i -= L_ik X_k  for all rows i below.
template <int W, int R, class T>
void forward_columns(const Supernode& s, Index k, T* own, T* X) {
  const double* L = s.L + k * s.rows;
  T solved[R][W];
  for (int r = 0; r < R; ++r) {
    T* x = own + (k + r) * W;
    for (int q = 0; q < r; ++q) subtract_scaled<W>(L[k + r + q * s.rows], own + (k + q) * W, x);
    divide<W>(L[k + r + r * s.rows], x);
    for (int w = 0; w < W; ++w) solved[r][w] = x[w];
  }
  const auto update = [&](Index i, T* x) {
    T value[W];
    for (int w = 0; w < W; ++w) value[w] = x[w];
    for (int r = 0; r < R; ++r) {
      const T l = T{} + L[i + r * s.rows];
      for (int w = 0; w < W; ++w) value[w] -= l * solved[r][w];
    }
    for (int w = 0; w < W; ++w) x[w] = value[w];
  };
  for (Index i = k + R; i < s.columns; ++i) update(i, own + i * W);
  for (Index i = s.columns; i < s.rows; ++i) update(i, X + Index{s.row[i]} * W);
}

/// Calls body(R) with R = columns, a number below the group size, as a constant of the compiler.
template <class Body>
void with_constant(Index columns, const Body& body) {
  const auto try_sizes = [&]<int... R>(std::integer_sequence<int, R...>) {
    (void)((columns == R + 1 && (body(std::integral_constant<int, R + 1>()), true)) || ...);
  };
  try_sizes(std::make_integer_sequence<int, group_size - 1>());
}

template <int W, class T>
void forward(const Supernode& s, T* X) {
  T* own = X + s.first * W;
  Index k = 0;
  for (; k + group_size <= s.columns; k += group_size) forward_columns<W, group_size>(s, k, own, X);
  with_constant(s.columns - k, [&](auto rest) { forward_columns<W, rest>(s, k, own, X); });
}

/// Columns k to k + R - 1:  X_k = L_kk^-T (X_k - L_ik^T X_i)  with all rows i below.
template <int W, int R, class T>
void backward_columns(const Supernode& s, Index k, T* own, const T* X) {
  const double* L = s.L + k * s.rows;
  T sum[R][W]{};
  const auto add = [&](Index i, const T* x) {
    for (int r = 0; r < R; ++r) {
      const T l = T{} + L[i + r * s.rows];
      for (int w = 0; w < W; ++w) sum[r][w] += l * x[w];
    }
  };
  for (Index i = k + R; i < s.columns; ++i) add(i, own + i * W);
  for (Index i = s.columns; i < s.rows; ++i) add(i, X + Index{s.row[i]} * W);
  for (int r = R - 1; r >= 0; --r) {
    T* x = own + (k + r) * W;
    for (int w = 0; w < W; ++w) x[w] -= sum[r][w];
    for (int q = r + 1; q < R; ++q) subtract_scaled<W>(L[k + q + r * s.rows], own + (k + q) * W, x);
    divide<W>(L[k + r + r * s.rows], x);
  }
}

template <int W, class T>
void backward(const Supernode& s, T* X) {
  T* own = X + s.first * W;
  Index k = s.columns / group_size * group_size;
  with_constant(s.columns - k, [&](auto rest) { backward_columns<W, rest>(s, k, own, X); });
  for (; k > 0; k -= group_size) backward_columns<W, group_size>(s, k - group_size, own, X);
}

template <int W, class T>
void solve(const SupernodalFactor& L, T* X) {
  for (Index s = 0; s < L.supernodes; ++s) forward<W>(supernode(L, s), X);
  for (Index s = L.supernodes - 1; s >= 0; --s) backward<W>(supernode(L, s), X);
}

}  // namespace

void solve_supernodal(const SupernodalFactor& L, double* X) { solve<1>(L, X); }

void solve_supernodal(const SupernodalFactor& L, int packets, Packet* X) {
  if (packets == 1) return solve<1>(L, X);
#ifdef __AVX512F__
  return packets == 2 ? solve<2>(L, X) : solve<3>(L, X);
#endif
}

}  // namespace limber
