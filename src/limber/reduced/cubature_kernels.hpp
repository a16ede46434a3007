#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/linalg/small.hpp"
#include "limber/reduced/quartic_lanes.hpp"

#include <algorithm>
#include <type_traits>

// The innermost loops of cubature: what cubature.cpp's essay says is done with the gradients of one packet of
// points.

namespace limber::cubature {

using namespace quartic;  // Lanes and what is done with them

/// x in every lane. x - 0 is x for the compiler, zeros of either sign included, and this is one load; x + 0
/// would be an addition.
inline Lanes every_lane(double x) { return x - Lanes{}; }

inline constexpr int components = 9;  ///< of a deformation gradient

/// Coordinates that lie side by side, and columns of a tile of K.
inline constexpr int panel = lanes == 8 ? 8 : 4;
/// Numbers of one panel of a packet's G, and of its weights where there is one per point and coordinate.
inline constexpr Index panel_size = packet_size * components * panel;
inline constexpr Index weight_panel_size = packet_size * panel;

// Tiles whose sums fill the registers, of which there are 32 with AVX-512, else 16.
inline constexpr int tile_registers = 3;                      ///< at most, of rows of a tile
inline constexpr int modal_registers = lanes == 8 ? 3 : 2;    ///< the same with two sums for each entry
inline constexpr int modal_columns = lanes == 8 ? 4 : 2;      ///< columns of such a tile
inline constexpr int product_registers = lanes == 8 ? 2 : 1;  ///< at most, of coordinates with nine sums each

/// Calls visit(std::integral_constant<int, n>, done) for n <= most of `count` registers at a time. Four are
/// two and two: in a tile of one, multiply-adds wait for each other and for loads.
template <int most, class Visitor>
[[gnu::always_inline]] inline void in_groups(Index count, const Visitor& visit) {
  static_assert(most <= 3);
  for (Index done = 0; done < count;) {
    const Index left = count - done;
    if (most == 3 && left >= 3 && left != 4) {
      visit(std::integral_constant<int, most>{}, done);
      done += 3;
    } else if (most >= 2 && left >= 2) {
      visit(std::integral_constant<int, std::min(most, 2)>{}, done);
      done += 2;
    } else {
      visit(std::integral_constant<int, 1>{}, done);
      done += 1;
    }
  }
}

/// Where n registers of coordinates begin, in an array of panels of `size` numbers each.
template <int n>
struct Registers {
  const double* start[n];

  Registers(const double* array, Index size, Index first) {
    constexpr Index per_panel = panel / lanes;
    for (int a = 0; a < n; ++a) {
      start[a] = array + (first + a) / per_panel * size + (first + a) % per_panel * lanes;
    }
  }
  [[nodiscard]] Lanes operator()(int a, Index at) const { return load(start[a] + at); }
};

/// F = I + G q of eight points.
inline void deformation_gradients(const double* G, Index panels, const double* q, Mat3<Packet>& F) {
  for (int c = 0; c < components; ++c) {
    Lanes sum[packet_size] = {};
    const double* row = G + c * panel;
    for (Index v = 0; v < panels; ++v, row += panel_size) {
#pragma GCC unroll 2
      for (int l = 0; l < panel; l += lanes) {
        const Lanes x = load(q + v * panel + l);
#pragma GCC unroll 8
        for (int p = 0; p < packet_size; ++p) sum[p] += load(row + p * components * panel + l) * x;
      }
    }
    sum_lanes(sum, reinterpret_cast<double*>(&F.entry[c]));
  }
  for (int c = 0; c < components; c += 4) F.entry[c] += 1.0;
}

/// G_p^T P_p of one point, in three sums so that no multiply-add waits for the one before.  stress: of its
/// lane.
template <int n>
[[gnu::always_inline]] inline void add_point_force(const Registers<n>& G, Index p, const double* stress,
                                                   Lanes (&sum)[n][3]) {
#pragma GCC unroll 9
  for (int c = 0; c < components; ++c) {
    const Lanes P = every_lane(stress[c * packet_size]);
#pragma GCC unroll 3
    for (int a = 0; a < n; ++a) sum[a][c % 3] += P * G(a, (p * components + c) * panel);
  }
}

/// f += G^T P, where P has the weights in it.
inline void add_force(const double* G, Index panels, const Mat3<Packet>& P, int count, double* f) {
  const double* stress = reinterpret_cast<const double*>(P.entry);
  in_groups<3>(panels * panel / lanes, [&](auto size, Index first) {
    constexpr int n = decltype(size)::value;
    const Registers<n> g(G, panel_size, first);
    Lanes sum[n][3] = {};
    for (int p = 0; p < count; ++p) add_point_force<n>(g, p, stress + p, sum);
#pragma GCC unroll 3
    for (int a = 0; a < n; ++a) add_to(f + (first + a) * lanes, sum[a][0] + sum[a][1] + sum[a][2]);
  });
}

/// f_j += sum over points of w_j (G^T P)_j.  weights: laid out as one component of G.
inline void add_modal_force(const double* G, const double* weights, Index panels, const Mat3<Packet>& P,
                            int count, double* f) {
  const double* stress = reinterpret_cast<const double*>(P.entry);
  in_groups<3>(panels * panel / lanes, [&](auto size, Index first) {
    constexpr int n = decltype(size)::value;
    const Registers<n> g(G, panel_size, first), w(weights, weight_panel_size, first);
    Lanes total[n];
#pragma GCC unroll 3
    for (int a = 0; a < n; ++a) total[a] = load(f + (first + a) * lanes);
    for (int p = 0; p < count; ++p) {
      Lanes sum[n][3] = {};
      add_point_force<n>(g, p, stress + p, sum);
#pragma GCC unroll 3
      for (int a = 0; a < n; ++a) total[a] += w(a, p * panel) * (sum[a][0] + sum[a][1] + sum[a][2]);
    }
#pragma GCC unroll 3
    for (int a = 0; a < n; ++a) store(f + (first + a) * lanes, total[a]);
  });
}

/// B = A G of one point, for the n registers of coordinates that G and B begin with.  A: of its lane.
template <int n>
[[gnu::always_inline]] inline void point_products(const double* G, const double* A, double* B) {
  Lanes sum[components][n] = {};
  for (int d = 0; d < components; ++d) {
    Lanes g[n];
#pragma GCC unroll 2
    for (int a = 0; a < n; ++a) {
      g[a] = load(G + a * panel_size + d * panel);
      keep_in_register(g[a]);
    }
#pragma GCC unroll 9
    for (int c = 0; c < components; ++c) {
      const Lanes entry = every_lane(A[(c + components * d) * packet_size]);
#pragma GCC unroll 2
      for (int a = 0; a < n; ++a) sum[c][a] += entry * g[a];
    }
  }
#pragma GCC unroll 9
  for (int c = 0; c < components; ++c) {
#pragma GCC unroll 2
    for (int a = 0; a < n; ++a) store(B + a * panel_size + c * panel, sum[c][a]);
  }
}

/// sum += G^T B over rows begin <= k < end of a packet: n registers of coordinates i by some columns j.
template <int n, int columns>
[[gnu::always_inline]] inline void add_products(const Registers<n>& G, const double* B, Index begin,
                                                Index end, Lanes (&sum)[columns][n]) {
  for (Index k = begin * panel; k < end * panel; k += panel) {
    Lanes g[n];
#pragma GCC unroll 3
    for (int a = 0; a < n; ++a) {
      g[a] = G(a, k);
      keep_in_register(g[a]);
    }
#pragma GCC unroll 8
    for (int b = 0; b < columns; ++b) {
      const Lanes entry = every_lane(B[k + b]);
#pragma GCC unroll 3
      for (int a = 0; a < n; ++a) sum[b][a] += entry * g[a];
    }
  }
}

template <int n, int columns>
[[gnu::always_inline]] inline void load_tile(const double* K, Index stride, Lanes (&sum)[columns][n]) {
#pragma GCC unroll 8
  for (int b = 0; b < columns; ++b) {
#pragma GCC unroll 3
    for (int a = 0; a < n; ++a) sum[b][a] = load(K + b * stride + a * lanes);
  }
}

template <int n, int columns>
[[gnu::always_inline]] inline void store_tile(const Lanes (&sum)[columns][n], double* K, Index stride) {
#pragma GCC unroll 8
  for (int b = 0; b < columns; ++b) {
#pragma GCC unroll 3
    for (int a = 0; a < n; ++a) store(K + b * stride + a * lanes, sum[b][a]);
  }
}

/// Calls visit(v, B) with B = A G of a packet, laid out as G, for each panel v of columns. Made when it is
/// needed, it is in the L1 cache.
template <class Visitor>
[[gnu::always_inline]] inline void for_each_product(const double* G, Index panels, const Mat9<Packet>& A,
                                                    int count, const Visitor& visit) {
  const double* entries = reinterpret_cast<const double*>(A.entry);
  alignas(64) double B[product_registers * panel_size];
  in_groups<product_registers>(panels, [&](auto size, Index first) {
    constexpr int n = decltype(size)::value;
    for (int p = 0; p < count; ++p) {
      const Index at = p * components * panel;
      for (int l = 0; l < panel; l += lanes) {
        point_products<n>(G + first * panel_size + at + l, entries + p, B + at + l);
      }
    }
    for (int a = 0; a < n; ++a) visit(first + a, B + a * panel_size);
  });
}

/// K += G^T A G of a packet, for the lower triangle and the rest of the tiles on the diagonal.  A has the
/// weights in it.  K: columns of panels * panel numbers.
inline void add_stiffness(const double* G, Index panels, const Mat9<Packet>& A, int count, double* K) {
  const Index stride = panels * panel;
  for_each_product(G, panels, A, count, [&](Index v, const double* B) {
    const Index diagonal = v * panel / lanes;
    in_groups<tile_registers>(stride / lanes - diagonal, [&](auto size, Index done) {
      constexpr int n = decltype(size)::value;
      double* tile = K + v * panel * stride + (diagonal + done) * lanes;
      Lanes sum[panel][n];
      load_tile<n, panel>(tile, stride, sum);
      add_products<n, panel>({G, panel_size, diagonal + done}, B, 0, count * components, sum);
      store_tile<n, panel>(sum, tile, stride);
    });
  });
}

/// Some columns of one panel:  K_ij += sum over points of (w_i + w_j) (G^T B)_ij.
inline void add_modal_columns(const double* G, const double* B, const double* weights, const double* w_j,
                              Index diagonal, int count, double* K, Index stride) {
  in_groups<modal_registers>(stride / lanes - diagonal, [&](auto size, Index done) {
    constexpr int n = decltype(size)::value;
    const Registers<n> g(G, panel_size, diagonal + done), w_i(weights, weight_panel_size, diagonal + done);
    double* tile = K + (diagonal + done) * lanes;
    Lanes sum[modal_columns][n];
    load_tile<n, modal_columns>(tile, stride, sum);
    for (int p = 0; p < count; ++p) {
      Lanes one[modal_columns][n] = {};
      add_products<n, modal_columns>(g, B, p * components, (p + 1) * components, one);
#pragma GCC unroll 4
      for (int b = 0; b < modal_columns; ++b) {
        const Lanes w = every_lane(w_j[p * panel + b]);
#pragma GCC unroll 3
        for (int a = 0; a < n; ++a) sum[b][a] += (w + w_i(a, p * panel)) * one[b][a];
      }
    }
    store_tile<n, modal_columns>(sum, tile, stride);
  });
}

/// K_ij += sum over points of (w_i + w_j) (G^T A G)_ij, the same entries.
inline void add_modal_stiffness(const double* G, const double* weights, Index panels, const Mat9<Packet>& A,
                                int count, double* K) {
  const Index stride = panels * panel;
  for_each_product(G, panels, A, count, [&](Index v, const double* B) {
    for (Index b = 0; b < panel; b += modal_columns) {
      add_modal_columns(G, B + b, weights, weights + v * weight_panel_size + b, v * panel / lanes, count,
                        K + (v * panel + b) * stride, stride);
    }
  });
}

}  // namespace limber::cubature
