#pragma once

#include <cstdint>
#include <cstring>

// The vector registers of the CPU that this is compiled for: eight, four or two doubles. The layouts of
// quartic.cpp are made of packets of eight; compilers handle vectors wider than a register badly, so that its
// loops go through a packet register by register instead of using Packet.

namespace limber::quartic {

#if defined(__AVX512F__)
inline constexpr int lanes = 8;
#elif defined(__AVX__)
inline constexpr int lanes = 4;
#else
inline constexpr int lanes = 2;  // SSE2, WebAssembly, NEON
#endif

using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using LaneMask = std::int64_t __attribute__((vector_size(lanes * sizeof(double))));

inline Lanes load(const double* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}
inline void store(double* to, Lanes x) { std::memcpy(to, &x, sizeof(x)); }
inline void add_to(double* to, Lanes x) { store(to, load(to) + x); }
/// to[a] += from[a], a < 4.
inline void add_four(double* to, const double* from) {
  double __attribute__((vector_size(4 * sizeof(double)))) a, b;
  std::memcpy(&a, from, sizeof(a));
  std::memcpy(&b, to, sizeof(b));
  b += a;
  std::memcpy(to, &b, sizeof(b));
}

inline Lanes spread(double x) { return Lanes{} + x; }

/// The first `count` lanes of x, zeros in the others. With a constant count a load under a mask, which costs
/// nothing.
inline Lanes first_lanes(Lanes x, int count) {
#if defined(__AVX512F__)
  constexpr LaneMask lane = {0, 1, 2, 3, 4, 5, 6, 7};
#elif defined(__AVX__)
  constexpr LaneMask lane = {0, 1, 2, 3};
#else
  constexpr LaneMask lane = {0, 1};
#endif
  return lane < (LaneMask{} + count) ? x : Lanes{};
}

/// Stops the compiler from loading a value from memory once for each of its uses.
inline void keep_in_register([[maybe_unused]] Lanes& x) {
#if defined(__AVX512F__)
  asm("" : "+v"(x));
#elif defined(__SSE2__) && !defined(__wasm__)
  asm("" : "+x"(x));
#endif
}

#if defined(__AVX512F__)

/// to[a] = sum of the lanes of x[a], a < 8: seven additions in a tree of shuffles.
[[gnu::always_inline]] inline void sum_lanes(const Lanes (&x)[8], double* to) {
  Lanes y[4], z[2];
  for (int a = 0; a < 4; ++a) {
    y[a] = __builtin_shufflevector(x[2 * a], x[2 * a + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(x[2 * a], x[2 * a + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int a = 0; a < 2; ++a) {
    z[a] = __builtin_shufflevector(y[2 * a], y[2 * a + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(y[2 * a], y[2 * a + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  store(to, __builtin_shufflevector(z[0], z[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                __builtin_shufflevector(z[0], z[1], 4, 5, 6, 7, 12, 13, 14, 15));
}

/// Turns eight rows of eight into eight columns.
[[gnu::always_inline]] inline void transpose(Lanes (&x)[8]) {
  Lanes y[8], z[8];
  for (int a = 0; a < 8; a += 2) {
    y[a] = __builtin_shufflevector(x[a], x[a + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    y[a + 1] = __builtin_shufflevector(x[a], x[a + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int a = 0; a < 8; a += 4) {
    for (int b = a; b < a + 2; ++b) {
      z[b] = __builtin_shufflevector(y[b], y[b + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      z[b + 2] = __builtin_shufflevector(y[b], y[b + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int a = 0; a < 4; ++a) {
    x[a] = __builtin_shufflevector(z[a], z[a + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    x[a + 4] = __builtin_shufflevector(z[a], z[a + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

#else

[[gnu::always_inline]] inline void sum_lanes(const Lanes (&x)[8], double* to) {
  for (int a = 0; a < 8; ++a) {
    double sum = x[a][0];
    for (int lane = 1; lane < lanes; ++lane) sum += x[a][lane];
    to[a] = sum;
  }
}

/// Turns `lanes` rows into columns.
[[gnu::always_inline]] inline void transpose(Lanes (&x)[lanes]) {
  for (int a = 0; a < lanes; ++a) {
    for (int b = 0; b < a; ++b) {
      const double upper = x[b][a];
      x[b][a] = x[a][b];
      x[a][b] = upper;
    }
  }
}

#endif

}  // namespace limber::quartic
