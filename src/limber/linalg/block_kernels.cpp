#include "limber/linalg/block_kernels.hpp"

#include "limber/linalg/packet.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr int most_packets = 6;  ///< of a column that are summed at once: they stay in registers

/// to += s sum_k A_k c_k, with columns A_k `stride` apart and numbers c_k `step` apart, for P packets of
/// rows.
template <int P>
[[gnu::always_inline]] inline void add_packets(double s, const double* A, int stride, const double* c,
                                               int step, int depth, double* to) {
  Packet sum[P] = {};
  for (int k = 0; k < depth; ++k) {
    const Packet factor = broadcast(c[static_cast<long>(k) * step]);
    const double* const column = A + static_cast<long>(k) * stride;
    for (int p = 0; p < P; ++p) sum[p] += load_packet(column + packet_size * p) * factor;
  }
  const Packet scale = broadcast(s);
  for (int p = 0; p < P; ++p)
    store_packet(to + packet_size * p, load_packet(to + packet_size * p) + scale * sum[p]);
}

/// The same for any number of packets.
void add_columns(double s, const double* A, int stride, const double* c, int step, int depth, int packets,
                 double* to) {
  while (packets > 0) {
    const int some = std::min(packets, most_packets);
    switch (some) {
      case 1:
        add_packets<1>(s, A, stride, c, step, depth, to);
        break;
      case 2:
        add_packets<2>(s, A, stride, c, step, depth, to);
        break;
      case 3:
        add_packets<3>(s, A, stride, c, step, depth, to);
        break;
      case 4:
        add_packets<4>(s, A, stride, c, step, depth, to);
        break;
      case 5:
        add_packets<5>(s, A, stride, c, step, depth, to);
        break;
      default:
        add_packets<6>(s, A, stride, c, step, depth, to);
        break;
    }
    packets -= some;
    A += packet_size * some;
    to += packet_size * some;
  }
}

void scale_column(double s, int packets, double* column) {
  const Packet factor = broadcast(s);
  for (int p = 0; p < packets; ++p)
    store_packet(column + packet_size * p, load_packet(column + packet_size * p) * factor);
}

}  // namespace

void add_product(double s, const double* A, const double* B, int rows, int columns, int depth, bool lower,
                 double* C) {
  const int stride = padded_rows(rows), step = padded_rows(columns);
  for (int j = 0; j < columns; ++j) {
    const int first = lower ? j / packet_size * packet_size : 0;
    add_columns(s, A + first, stride, B + j, step, depth, (stride - first) / packet_size,
                C + static_cast<long>(j) * stride + first);
  }
}

bool factor_block(double* A, int n) {
  const int stride = padded_rows(n);
  for (int j = 0; j < n; ++j) {
    const int first = j / packet_size * packet_size, packets = (stride - first) / packet_size;
    double* const column = A + static_cast<long>(j) * stride;
    add_columns(-1.0, A + first, stride, A + j, stride, j, packets, column + first);
    const double pivot = column[j];
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
    scale_column(1.0 / std::sqrt(pivot), packets, column + first);
  }
  return true;
}

void solve_block_right(const double* L, int n, double* B, int rows) {
  const int stride = padded_rows(rows), step = padded_rows(n), packets = stride / packet_size;
  for (int j = 0; j < n; ++j) {
    double* const column = B + static_cast<long>(j) * stride;
    add_columns(-1.0, B, stride, L + j, step, j, packets, column);
    scale_column(1.0 / L[static_cast<long>(j) * step + j], packets, column);
  }
}

void solve_block_lower(const double* L, int n, double* x) {
  const int stride = padded_rows(n);
  for (int j = 0; j < n; ++j) {
    const double* const column = L + static_cast<long>(j) * stride;
    x[j] /= column[j];
    for (int i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
  }
}

void solve_block_upper(const double* L, int n, double* x) {
  const int stride = padded_rows(n);
  for (int j = n - 1; j >= 0; --j) {
    const double* const column = L + static_cast<long>(j) * stride;
    double sum = x[j];
    for (int i = j + 1; i < n; ++i) sum -= column[i] * x[i];
    x[j] = sum / column[j];
  }
}

}  // namespace limber
