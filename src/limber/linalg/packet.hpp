#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace limber {

/// Eight doubles that are computed on together: one register on a CPU with AVX-512, two or four on others.
/// Arithmetic and comparisons are the compiler's own, lane by lane; numerical code is written once as a
/// template over its number type and used with double, Packet and Dual (dual.hpp).
///
/// How a Packet is handed to a function depends on the CPU that is compiled for. What others call takes it by
/// reference; the functions below are always inlined, so that no copy of them made for one CPU is ever called
/// by code made for another.
using Packet = double __attribute__((vector_size(64)));
using PacketMask = std::int64_t __attribute__((vector_size(64)));  ///< all bits set in the lanes that hold

inline constexpr int packet_size = 8;

// GCC warns of every function that takes or gives a Packet: of these, which are inlined, it need not.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

[[gnu::always_inline]] inline Packet broadcast(double x) { return Packet{} + x; }

/// Eight doubles that follow each other in memory, wherever they start.
[[gnu::always_inline]] inline Packet load_packet(const double* from) {
  Packet x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
[[gnu::always_inline]] inline void store_packet(double* to, Packet x) { std::memcpy(to, &x, sizeof x); }

/// `yes` where the mask holds, else `no`.
[[gnu::always_inline]] inline Packet select(PacketMask mask, Packet yes, Packet no) {
  return reinterpret_cast<Packet>((mask & reinterpret_cast<PacketMask>(yes)) |
                                  (~mask & reinterpret_cast<PacketMask>(no)));
}
inline double select(bool mask, double yes, double no) { return mask ? yes : no; }

/// Calls a scalar function for each lane: for what the hardware has no instruction for.
template <class Function>
[[gnu::always_inline]] inline Packet map_lanes(Packet x, Function function) {
  Packet y = x;
  for (int lane = 0; lane < packet_size; ++lane) y[lane] = function(x[lane]);
  return y;
}

[[gnu::always_inline]] inline Packet log(Packet x) {
  return map_lanes(x, [](double v) { return std::log(v); });
}
inline double log(double x) { return std::log(x); }

[[gnu::always_inline]] inline Packet max(Packet a, Packet b) { return select(a > b, a, b); }
inline double max(double a, double b) { return a > b ? a : b; }

[[gnu::always_inline]] inline double sum_lanes(Packet x) {
  double sum = 0.0;
  for (int lane = 0; lane < packet_size; ++lane) sum += x[lane];
  return sum;
}

#pragma GCC diagnostic pop

}  // namespace limber
