// Both products run over tiles of eight columns of V by up to three of X, within ranges of rows that are
// short enough for the tile to stay in the nearest cache: 24 multiplications for eleven loads, and V comes
// from memory once.

#include "limber/basis/narrow_products.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/panels.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace limber {
namespace {

constexpr Index rows_multiplied_at_once = 512;
constexpr int tall_tile = packet_size;
constexpr int narrow_tile = 3;

/// A packet anywhere in memory.
using LoosePacket = double __attribute__((vector_size(64), aligned(8), may_alias));

Packet load(const double* from) { return *reinterpret_cast<const LoosePacket*>(from); }
void store(Packet value, double* to) { *reinterpret_cast<LoosePacket*>(to) = value; }

/// Starts of the columns of a tile; beyond the last column its copy, whose results are not used.
template <int tile, class Derived>
auto tile_columns(Derived& A, Index first) {
  std::array<decltype(A.data()), tile> columns;
  for (int i = 0; i < tile; ++i)
    columns[static_cast<std::size_t>(i)] =
        A.data() + std::min<Index>(first + i, A.cols() - 1) * A.outerStride();
  return columns;
}

/// Products of one tile over a range of rows, whole packets of them: entry a of products[b] is v_a . x_b.
void multiply_tile(const std::array<const double*, tall_tile>& v,
                   const std::array<const double*, narrow_tile>& x, Index begin, Index end,
                   Packet (&products)[narrow_tile]) {
  Packet sums[narrow_tile][tall_tile] = {};
  for (Index row = begin; row < end; row += packet_size) {
    Packet right[narrow_tile];
    for (std::size_t b = 0; b < narrow_tile; ++b) right[b] = load(x[b] + row);
    for (std::size_t a = 0; a < tall_tile; ++a) {
      const Packet left = load(v[a] + row);
      for (std::size_t b = 0; b < narrow_tile; ++b) sums[b][a] += left * right[b];
    }
  }
  for (std::size_t b = 0; b < narrow_tile; ++b) {
    transpose(sums[b]);
    products[b] = ((sums[b][0] + sums[b][1]) + (sums[b][2] + sums[b][3])) +
                  ((sums[b][4] + sums[b][5]) + (sums[b][6] + sums[b][7]));
  }
}

/// V^T X over a range of rows.
Matrix multiply_rows(const Eigen::Ref<const Matrix>& V, const Eigen::Ref<const Matrix>& X, Index begin,
                     Index end) {
  const Index whole = begin + (end - begin) / packet_size * packet_size;
  Matrix H(V.cols(), X.cols());
  for (Index j = 0; j < V.cols(); j += tall_tile) {
    const auto v = tile_columns<tall_tile>(V, j);
    const Index height = std::min<Index>(tall_tile, V.cols() - j);
    for (Index c = 0; c < X.cols(); c += narrow_tile) {
      Packet products[narrow_tile];
      multiply_tile(v, tile_columns<narrow_tile>(X, c), begin, whole, products);
      for (Index b = 0; b < std::min<Index>(narrow_tile, X.cols() - c); ++b) {
        for (Index a = 0; a < height; ++a) H(j + a, c + b) = products[b][a];
      }
    }
  }
  if (whole < end)
    H += V.middleRows(whole, end - whole).transpose().lazyProduct(X.middleRows(whole, end - whole));
  return H;
}

/// X -= V h for one tile of `columns` columns of X and a range of rows.
template <int columns>
void subtract_tile(const std::array<const double*, tall_tile>& v, const double (&h)[tall_tile][narrow_tile],
                   const std::array<double*, narrow_tile>& x, Index begin, Index end) {
  Index row = begin;
  for (; row + packet_size <= end; row += packet_size) {
    Packet left[tall_tile];
    for (std::size_t a = 0; a < tall_tile; ++a) left[a] = load(v[a] + row);
    for (std::size_t b = 0; b < columns; ++b) {
      Packet sum = load(x[b] + row);
      for (std::size_t a = 0; a < tall_tile; ++a) sum -= left[a] * h[a][b];
      store(sum, x[b] + row);
    }
  }
  for (; row < end; ++row) {
    for (std::size_t b = 0; b < columns; ++b) {
      for (std::size_t a = 0; a < tall_tile; ++a) x[b][row] -= v[a][row] * h[a][b];
    }
  }
}

void require_same_rows(const Eigen::Ref<const Matrix>& V, Index rows) {
  require(V.rows() == rows, "a product of matrices with {} and {} rows, expected the same number", V.rows(),
          rows);
}

}  // namespace

Matrix narrow_product(const Eigen::Ref<const Matrix>& V, const Eigen::Ref<const Matrix>& X,
                      const Executor& executor) {
  require_same_rows(V, X.rows());
  const Index ranges = (V.rows() + rows_multiplied_at_once - 1) / rows_multiplied_at_once;
  Matrix H = Matrix::Zero(V.cols(), X.cols());
  if (H.size() == 0) return H;
  std::vector<Matrix> parts(static_cast<std::size_t>(ranges));
  executor.parallel_for(ranges, [&](std::ptrdiff_t range) {
    const Index begin = range * rows_multiplied_at_once;
    parts[static_cast<std::size_t>(range)] =
        multiply_rows(V, X, begin, std::min(begin + rows_multiplied_at_once, V.rows()));
  });
  for (const Matrix& part : parts) H += part;
  return H;
}

void subtract_combination(const Eigen::Ref<const Matrix>& V, const Eigen::Ref<const Matrix>& H,
                          Eigen::Ref<Matrix> X, const Executor& executor) {
  require_same_rows(V, X.rows());
  require(H.rows() == V.cols() && H.cols() == X.cols(), "{} x {} coefficients, expected {} x {}", H.rows(),
          H.cols(), V.cols(), X.cols());
  std::vector<char> matters;
  for (Index j = 0; j < V.cols(); j += tall_tile)
    matters.push_back(H.middleRows(j, std::min<Index>(tall_tile, V.cols() - j)).isZero(0.0) ? 0 : 1);
  executor.parallel_ranges(V.rows(), rows_multiplied_at_once, [&](Index begin, Index end) {
    for (Index j = 0; j < V.cols(); j += tall_tile) {
      if (matters[static_cast<std::size_t>(j / tall_tile)] == 0) continue;
      const auto v = tile_columns<tall_tile>(V, j);
      for (Index c = 0; c < X.cols(); c += narrow_tile) {
        const auto x = tile_columns<narrow_tile>(X, c);
        double h[tall_tile][narrow_tile] = {};
        for (Index a = 0; a < tall_tile && j + a < V.cols(); ++a) {
          for (Index b = 0; b < narrow_tile && c + b < X.cols(); ++b) h[a][b] = H(j + a, c + b);
        }
        switch (std::min<Index>(narrow_tile, X.cols() - c)) {
          case 1:
            subtract_tile<1>(v, h, x, begin, end);
            break;
          case 2:
            subtract_tile<2>(v, h, x, begin, end);
            break;
          default:
            subtract_tile<narrow_tile>(v, h, x, begin, end);
        }
      }
    }
  });
}

}  // namespace limber
