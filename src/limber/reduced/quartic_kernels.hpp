#pragma once

#include "limber/reduced/quartic_layout.hpp"

// The innermost loops: what quartic.cpp's essay says is done with the coefficients of a tile, for one state
// and for many. Each reads coefficients and advances its pointer past them.

namespace limber::quartic {

/// One value per index of a tile, in all lanes of a register for one state, in one lane for each of many.
struct TileValues {
  Lanes value[tile];
  const Lanes& operator[](int a) const { return value[a]; }
};

/// S_ij of a tile, sum[b][a] for row (i + a, j + b), not yet added up over the lanes where these are
/// products.
struct TileSums {
  Lanes sum[tile][tile] = {};
};

/// Rows u_i: stride doubles from one to the next.
struct Rows {
  double* first;
  Index stride;
};

/// Steps begin <= t < end of rows (i + a, j + b), b >= first, of a tile off the diagonal:
///   S_ij += sum_kl c z_kl,   u_i[kl] += sum_j c x_j,   u_j[kl] += sum_i c x_i.
/// Sixteen sums, four parts of u_j and eight x fill the 32 registers of AVX-512. That leaves one load of
/// itself and one access to u per coefficient; loads and stores, not multiply-adds, are what limits a CPU
/// here, so that smaller tiles are slower.
template <class Layout, int first>
[[gnu::always_inline]] inline void stiffness_tile(const double*& stream, Index begin, Index end,
                                                  const double* z, const TileValues& x_i,
                                                  const TileValues& x_j, Rows u_i, Rows u_j, TileSums& S) {
  const double* c = stream;
  for (Index t = begin * Layout::width; t < end * Layout::width; t += Layout::width) {
    for (int part = 0; part < Layout::parts; ++part) {
      const Index at = t + part * lanes;
      const double* row = c;
      const Lanes product = load(z + at);
      Lanes w[tile];
#pragma GCC unroll 4
      for (int b = first; b < tile; ++b) w[b] = load(u_j.first + b * u_j.stride + at);
#pragma GCC unroll 4
      for (int a = 0; a < tile; ++a) {
        Lanes v = load(u_i.first + a * u_i.stride + at);
#pragma GCC unroll 4
        for (int b = first; b < tile; ++b, row += Layout::products) {
          Lanes value = Layout::coefficients(row, part);
          keep_in_register(value);
          S.sum[b][a] += value * product;
          w[b] += value * x_i[a];
          v += value * x_j[b];
        }
        store(u_i.first + a * u_i.stride + at, v);
      }
#pragma GCC unroll 4
      for (int b = first; b < tile; ++b) store(u_j.first + b * u_j.stride + at, w[b]);
    }
    c += tile * (tile - first) * Layout::products;
  }
  stream = c;
}

/// The same for rows (i + a, i + b), first <= b <= a. Rows u_i begin here: they are written, not added to.
template <class Layout, int first>
[[gnu::always_inline]] inline void stiffness_diagonal(const double*& stream, Index begin, Index end,
                                                      const double* z, const TileValues& x, Rows u,
                                                      TileSums& S) {
  const double* c = stream;
  for (Index t = begin * Layout::width; t < end * Layout::width; t += Layout::width) {
    for (int part = 0; part < Layout::parts; ++part) {
      const Index at = t + part * lanes;
      const double* row = c;
      const Lanes product = load(z + at);
      Lanes w[tile] = {};
#pragma GCC unroll 4
      for (int a = first; a < tile; ++a) {
#pragma GCC unroll 4
        for (int b = first; b <= a; ++b, row += Layout::products) {
          Lanes value = Layout::coefficients(row, part);
          keep_in_register(value);
          S.sum[b][a] += value * product;
          w[a] += value * x[b];
          w[b] += value * x[a];
        }
      }
#pragma GCC unroll 4
      for (int a = 0; a < tile; ++a) store(u.first + a * u.stride + at, w[a]);
    }
    c += (tile - first) * (tile - first + 1) / 2 * Layout::products;
  }
  stream = c;
}

/// Without the stiffness:  S_ij += sum_kl c z_kl,   y[kl] += sum_ij c x_i x_j.  `diagonal`: of rows with b <=
/// a only.
template <class Layout, int first, bool diagonal>
[[gnu::always_inline]] inline void force_tile(const double*& stream, Index begin, Index end, const double* z,
                                              const TileValues& x_i, const TileValues& x_j, double* y,
                                              TileSums& S) {
  const double* c = stream;
  for (Index t = begin * Layout::width; t < end * Layout::width; t += Layout::width) {
    for (int part = 0; part < Layout::parts; ++part) {
      const Index at = t + part * lanes;
      const double* row = c;
      const Lanes product = load(z + at);
      Lanes w[tile] = {};
#pragma GCC unroll 4
      for (int a = diagonal ? first : 0; a < tile; ++a) {
#pragma GCC unroll 4
        for (int b = first; b < (diagonal ? a + 1 : tile); ++b, row += Layout::products) {
          Lanes value = Layout::coefficients(row, part);
          keep_in_register(value);
          S.sum[b][a] += value * product;
          w[b] += value * x_i[a];
        }
      }
      Lanes sum = load(y + at);
#pragma GCC unroll 4
      for (int b = first; b < tile; ++b) sum += w[b] * x_j[b];
      store(y + at, sum);
    }
    c += (diagonal ? (tile - first) * (tile - first + 1) / 2 : tile * (tile - first)) * Layout::products;
  }
  stream = c;
}

}  // namespace limber::quartic
