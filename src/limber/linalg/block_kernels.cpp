#include "limber/linalg/block_kernels.hpp"

#include "limber/linalg/packet.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

/// Columns that are summed at once, so that no sum waits for another and each packet is loaded once for all
/// of them; as many as registers hold two packets of.
#ifdef __AVX512F__
constexpr int most_columns = 4;
#else
constexpr int most_columns = 2;
#endif

/// The lanes of the packet around row j that are below it.
[[gnu::always_inline]] inline Packet keep_below(int j, Packet x) {
  alignas(64) static constexpr std::int64_t masks[2 * packet_size] = {0,  0,  0,  0,  0,  0,  0,  0,
                                                                      -1, -1, -1, -1, -1, -1, -1, -1};
  PacketMask mask;
  std::memcpy(&mask, masks + packet_size - 1 - j % packet_size, sizeof mask);
  return reinterpret_cast<Packet>(mask & reinterpret_cast<PacketMask>(x));
}

[[gnu::always_inline]] inline double sum_by_halves(Packet x) {
  double lanes[packet_size];
  store_packet(lanes, x);
  for (int half = packet_size / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

/// to_c += s sum_k A_k b_kc for P packets of rows of C columns. Columns of A are `stride` apart, b_kc is
/// number c behind b + k step, columns of `to` are `stride` apart, too.
template <int P, int C>
[[gnu::always_inline]] inline void add_tile(double s, const double* A, int stride, const double* b, int step,
                                            int depth, double* to) {
  Packet sum[C][P] = {};
  for (int k = 0; k < depth; ++k) {
    const double* const column = A + static_cast<long>(k) * stride;
    const double* const factors = b + static_cast<long>(k) * step;
    Packet x[P];
    for (int p = 0; p < P; ++p) x[p] = load_packet(column + packet_size * p);
    for (int c = 0; c < C; ++c)
      for (int p = 0; p < P; ++p) sum[c][p] += x[p] * factors[c];
  }
  for (int c = 0; c < C; ++c)
    for (int p = 0; p < P; ++p) {
      double* const place = to + static_cast<long>(c) * stride + packet_size * p;
      store_packet(place, load_packet(place) + s * sum[c][p]);
    }
}

/// The same for any number of packets.
template <int C>
void add_tiles(double s, const double* A, int stride, const double* b, int step, int depth, int packets,
               double* to) {
  int p = 0;
  for (; p + 2 <= packets; p += 2)
    add_tile<2, C>(s, A + packet_size * p, stride, b, step, depth, to + packet_size * p);
  if (p < packets) add_tile<1, C>(s, A + packet_size * p, stride, b, step, depth, to + packet_size * p);
}

/// The same for any number of columns up to most_columns.
void add_columns(double s, const double* A, int stride, const double* b, int step, int depth, int packets,
                 int columns, double* to) {
  switch (columns) {
    case 1:
      return add_tiles<1>(s, A, stride, b, step, depth, packets, to);
    case 2:
      return add_tiles<2>(s, A, stride, b, step, depth, packets, to);
    case 3:
      return add_tiles<3>(s, A, stride, b, step, depth, packets, to);
    default:
      return add_tiles<4>(s, A, stride, b, step, depth, packets, to);
  }
}

void scale_column(double s, int packets, double* column) {
  for (int p = 0; p < packets; ++p)
    store_packet(column + packet_size * p, load_packet(column + packet_size * p) * s);
}

}  // namespace

void add_product(double s, const double* A, const double* B, int rows, int columns, int depth, bool lower,
                 double* C) {
  const int stride = padded_rows(rows), step = padded_rows(columns);
  for (int j = 0; j < columns; j += most_columns) {
    const int first = lower ? j / packet_size * packet_size : 0;
    add_columns(s, A + first, stride, B + j, step, depth, (stride - first) / packet_size,
                std::min(most_columns, columns - j), C + static_cast<long>(j) * stride + first);
  }
}

bool factor_block(double* A, int n) {
  const int stride = padded_rows(n);
  for (int panel = 0; panel < n; panel += most_columns) {
    const int first = panel / packet_size * packet_size, packets = (stride - first) / packet_size;
    const int end = std::min(panel + most_columns, n);
    add_columns(-1.0, A + first, stride, A + panel, stride, panel, packets, end - panel,
                A + static_cast<long>(panel) * stride + first);
    for (int j = panel; j < end; ++j) {
      double* const column = A + static_cast<long>(j) * stride;
      for (int k = panel; k < j; ++k) {
        const double* const before = A + static_cast<long>(k) * stride;
        const double factor = before[j];
        for (int p = first; p < stride; p += packet_size)
          store_packet(column + p, load_packet(column + p) - load_packet(before + p) * factor);
      }
      const double pivot = column[j];
      if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
      const double inverse = 1.0 / std::sqrt(pivot);
      scale_column(inverse, packets, column + first);
      column[j] = inverse;
    }
  }
  return true;
}

void add_block(double s, const double* A, int rows, int columns, const double* x, double* C) {
  const int stride = padded_rows(rows);
  add_columns(s, A, stride, x, 1, columns, stride / packet_size, 1, C);
}

void add_block_transposed(double s, const double* A, int rows, int columns, const double* x, double* C) {
  const int stride = padded_rows(rows);
  for (int j = 0; j < columns; ++j) {
    Packet sum{};
    for (int i = 0; i < stride; i += packet_size)
      sum += load_packet(A + static_cast<long>(j) * stride + i) * load_packet(x + i);
    C[j] += s * sum_by_halves(sum);
  }
}

void solve_block_right(const double* L, int n, double* B, int rows) {
  const int stride = padded_rows(rows), step = padded_rows(n), packets = stride / packet_size;
  for (int panel = 0; panel < n; panel += most_columns) {
    const int end = std::min(panel + most_columns, n);
    add_columns(-1.0, B, stride, L + panel, step, panel, packets, end - panel,
                B + static_cast<long>(panel) * stride);
    for (int j = panel; j < end; ++j) {
      double* const column = B + static_cast<long>(j) * stride;
      add_columns(-1.0, B + static_cast<long>(panel) * stride, stride,
                  L + static_cast<long>(panel) * step + j, step, j - panel, packets, 1, column);
      scale_column(L[static_cast<long>(j) * step + j], packets, column);
    }
  }
}

void solve_block_lower(const double* L, int n, double* x) {
  const int stride = padded_rows(n);
  for (int j = 0; j < n; ++j) {
    const double* const column = L + static_cast<long>(j) * stride;
    const int first = j / packet_size * packet_size;
    x[j] *= column[j];
    const double factor = x[j];
    store_packet(x + first, load_packet(x + first) - keep_below(j, load_packet(column + first)) * factor);
    for (int i = first + packet_size; i < stride; i += packet_size)
      store_packet(x + i, load_packet(x + i) - load_packet(column + i) * factor);
  }
}

void solve_block_upper(const double* L, int n, double* x) {
  const int stride = padded_rows(n);
  for (int j = n - 1; j >= 0; --j) {
    const double* const column = L + static_cast<long>(j) * stride;
    const int first = j / packet_size * packet_size;
    Packet sum = keep_below(j, load_packet(column + first)) * load_packet(x + first);
    for (int i = first + packet_size; i < stride; i += packet_size)
      sum += load_packet(column + i) * load_packet(x + i);
    x[j] = (x[j] - sum_by_halves(sum)) * column[j];
  }
}

}  // namespace limber
