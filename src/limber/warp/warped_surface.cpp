#include "limber/warp/warped_surface.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

namespace limber {
namespace {

// Both bases are kept as one stream, in blocks of as many vertices as a register holds, whose coordinates lie
// side by side: what a block needs is read once, in the order of the memory, and stays in registers from the
// products with q to the warped positions.

/// Bytes of a register: longer rows would not stay in registers.
#if defined(__AVX512F__)
constexpr Index row_bytes = 64;
#elif defined(__AVX__)
constexpr Index row_bytes = 32;
#else
constexpr Index row_bytes = 16;
#endif
constexpr Index lanes = row_bytes / 4;     ///< vertices of a block
constexpr Index prefetch_distance = 4096;  ///< bytes: the hardware's own prefetch stops at the end of a page
constexpr Index block_grain = 4096 / lanes;  ///< blocks per task: 0.8 MB of bases at r = 8

using Row = float __attribute__((vector_size(row_bytes)));
using Mask = int __attribute__((vector_size(row_bytes)));

Row choose(Mask mask, Row yes, Row no) {
  return reinterpret_cast<Row>((mask & reinterpret_cast<Mask>(yes)) | (~mask & reinterpret_cast<Mask>(no)));
}

struct Row3 {
  Row x, y, z;
};
Row3 cross(const Row3& a, const Row3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Row3 load(const float* data) {
  const Row* rows = reinterpret_cast<const Row*>(data);
  return {rows[0], rows[1], rows[2]};
}

void keep(const Row3& v, float* to) {
  Row* rows = reinterpret_cast<Row*>(to);
  rows[0] = v.x, rows[1] = v.y, rows[2] = v.z;
}

struct Factors {
  Row sine, cosine, mean;  ///< as in RotationFactors
};

/// The sum of (-x)^k / (n + 2k)! over k < terms.
template <int n, int terms>
Row series(Row x) {
  constexpr auto coefficients = [] {
    std::array<float, terms> values{};
    double value = 1.0;
    for (int i = 2; i <= n; ++i) value /= i;
    for (int k = 0; k < terms; ++k) {
      values[static_cast<std::size_t>(k)] = static_cast<float>(value);
      value /= -(n + 2 * k + 1) * (n + 2 * k + 2);
    }
    return values;
  }();
  Row sum = Row{} + coefficients[terms - 1];
  for (int k = terms - 2; k >= 0; --k) sum = sum * x + coefficients[static_cast<std::size_t>(k)];
  return sum;
}

/// For t of at most pi, where the terms left out are below 2^-26 of the sums.
Factors small_factors(Row squared) {
  const Row mean = series<3, 8>(squared);
  return {1.0f - squared * mean, series<2, 9>(squared), mean};
}

/// For any t^2: those of the angle that is left without whole turns.
Factors large_factors(Row squared) {
  constexpr float turn_high = 6.28125f,
                  turn_low = 0.00193530718f;  // their sum is 2 pi; products of the first are exact
  constexpr float round = 12582912.0f;        // adding 1.5 * 2^23 rounds to whole numbers
  Row t;
  for (int lane = 0; lane < lanes; ++lane) t[lane] = std::sqrt(squared[lane]);
  const Row turns = (t * 0.159154943f + round) - round;
  const Row rest = (t - turns * turn_high) - turns * turn_low, x = rest * rest;
  const Factors small = small_factors(x);
  const Row sine = rest * small.sine;
  const Mask whole = turns > 0.0f;
  return {choose(whole, sine / t, small.sine), choose(whole, x * small.cosine / squared, small.cosine),
          choose(whole, (t - sine) / (t * squared), small.mean)};
}

Factors factors_of(Row squared) {
  const Mask large = squared > 9.8f;
  int any = 0;
  for (int lane = 0; lane < lanes; ++lane) any |= large[lane];
  return any == 0 ? small_factors(squared) : large_factors(squared);
}

/// v + a w x v + b w x (w x v).
Row3 turned(const Row3& w, Row a, Row b, const Row3& v) {
  const Row3 once = cross(w, v), twice = cross(w, once);
  return {v.x + a * once.x + b * twice.x, v.y + a * once.y + b * twice.y, v.z + a * once.z + b * twice.z};
}

Row squared_norm(const Row3& w) { return w.x * w.x + w.y * w.y + w.z * w.z; }

/// The columns of a block to the 3 x n matrix that begins at `to`.
void store(const Row3& v, Index count, float* to) {
  float columns[3 * lanes];
  for (int lane = 0; lane < lanes; ++lane) {
    columns[3 * lane] = v.x[lane];
    columns[3 * lane + 1] = v.y[lane];
    columns[3 * lane + 2] = v.z[lane];
  }
  count >= lanes ? std::memcpy(to, columns, sizeof(columns))
                 : std::memcpy(to, columns, static_cast<std::size_t>(3 * count) * sizeof(float));
}

/// One update: where its numbers come from and go to.
struct Update {
  const float* blocks;
  const float* rest;
  float* turns;  ///< where they are kept; null: nowhere
  const float* q;
  Index rank, coordinates, vertices;
  float* positions;

  void operator()(Index begin, Index end) const {
    for (Index b = begin; b < end; ++b) {
      Row3 u{}, w{};
      multiply(blocks + b * 6 * lanes * rank, u, w);
      if (turns != nullptr) keep(w, turns + b * 3 * lanes);
      const Factors factors = factors_of(squared_norm(w));
      const Row3 x = load(rest + b * 3 * lanes), moved = turned(w, factors.cosine, factors.mean, u);
      store({x.x + moved.x, x.y + moved.y, x.z + moved.z}, vertices - b * lanes, positions + b * 3 * lanes);
    }
  }

  void multiply(const float* block, Row3& u, Row3& w) const {
    for (Index k = 0; k < coordinates; ++k) {
      const float* column = block + k * 6 * lanes;
      for (Index offset = 0; offset < 6 * row_bytes; offset += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(column) + offset + prefetch_distance);
      const Row3 shape = load(column), turn = load(column + 3 * lanes);
      u.x += q[k] * shape.x, u.y += q[k] * shape.y, u.z += q[k] * shape.z;
      w.x += q[k] * turn.x, w.y += q[k] * turn.y, w.z += q[k] * turn.z;
    }
  }
};

/// Rotation vectors of a block.
Row3 turn_of(const float* block, const Eigen::VectorXf& q) {
  Row3 w{};
  for (Index k = 0; k < q.size(); ++k) {
    const Row3 turn = load(block + (6 * k + 3) * lanes);
    w.x += q(k) * turn.x, w.y += q(k) * turn.y, w.z += q(k) * turn.z;
  }
  return w;
}

Index block_count(Index vertices) { return (vertices + lanes - 1) / lanes; }

/// One column, 3 x n, to every `stride`-th block of memory.
void fill_blocks(const float* column, Index vertices, float* to, Index stride) {
  for (Index v = 0; v < vertices; ++v) {
    for (Index axis = 0; axis < 3; ++axis)
      to[v / lanes * stride + axis * lanes + v % lanes] = column[3 * v + axis];
  }
}

/// A Ref accepts columns with gaps in between: not what these loops read and write.
template <class Field>
void check_field(const Field& field, Index vertices, const char* name) {
  require(field.cols() == vertices, "{} {} for a surface of {} vertices, expected one each", field.cols(),
          name, vertices);
  require(field.outerStride() == 3 || field.cols() <= 1,
          "the columns of the {} are {} numbers apart, expected 3; give a 3 x n matrix whose columns follow "
          "each other",
          name, field.outerStride());
}

}  // namespace

WarpedSurface::WarpedSurface(const Eigen::Ref<const Eigen::Matrix3Xf>& rest,
                             const Eigen::Ref<const Eigen::MatrixXf>& basis,
                             const Eigen::Ref<const Eigen::MatrixXf>& rotations)
    : rank_(basis.cols()), vertices_(rest.cols()) {
  check_field(rest, vertices_, "rest positions");
  require(basis.rows() == 3 * vertices_, "the basis has {} rows, the surface needs {} (3 per vertex)",
          basis.rows(), 3 * vertices_);
  require(rotations.rows() == basis.rows() && rotations.cols() == rank_,
          "the rotations are {} x {}, expected {} x {} as the basis is", rotations.rows(), rotations.cols(),
          basis.rows(), rank_);
  const Index blocks = block_count(vertices_), stride = 6 * lanes * rank_;
  Data data;
  q_ = Eigen::VectorXf::Zero(rank_);
  data.rest = Eigen::VectorXf::Zero(blocks * 3 * lanes);
  data.blocks = Eigen::VectorXf::Zero(blocks * stride);
  fill_blocks(rest.data(), vertices_, data.rest.data(), 3 * lanes);
  for (Index k = 0; k < rank_; ++k) {
    fill_blocks(basis.col(k).data(), vertices_, data.blocks.data() + k * 6 * lanes, stride);
    fill_blocks(rotations.col(k).data(), vertices_, data.blocks.data() + (k * 6 + 3) * lanes, stride);
  }
  data_ = std::make_shared<const Data>(std::move(data));
}

void WarpedSurface::update(const Executor* executor, const Eigen::Ref<const Eigen::VectorXf>& q,
                           Eigen::Ref<Eigen::Matrix3Xf>& x) {
  require(q.size() <= rank_, "{} reduced coordinates for a basis of {} vectors", q.size(), rank_);
  check_field(x, vertices_, "positions");
  if (vertices_ == 0) return;
  q_.head(q.size()) = q;
  q_.tail(rank_ - q.size()).setZero();
  const Update body{data_->blocks.data(),
                    data_->rest.data(),
                    turns_.size() > 0 ? turns_.data() : nullptr,
                    q.data(),
                    rank_,
                    q.size(),
                    vertices_,
                    x.data()};
  const Index count = block_count(vertices_);
  if (executor == nullptr || executor->threads() == 1 || count <= block_grain) return body(0, count);
  const auto task = [&](std::ptrdiff_t i) { body(i * block_grain, std::min(count, (i + 1) * block_grain)); };
  executor->parallel_for((count + block_grain - 1) / block_grain, std::cref(task));  // allocates nothing
}

void WarpedSurface::positions(const Eigen::Ref<const Eigen::VectorXf>& q, Eigen::Ref<Eigen::Matrix3Xf> x) {
  update(nullptr, q, x);
}
void WarpedSurface::positions(const Eigen::Ref<const Eigen::VectorXf>& q, Eigen::Ref<Eigen::Matrix3Xf> x,
                              const Executor& executor) {
  update(&executor, q, x);
}

void WarpedSurface::normals(const Eigen::Ref<const Eigen::Matrix3Xf>& rest,
                            Eigen::Ref<Eigen::Matrix3Xf> normals) const {
  check_field(rest, vertices_, "normals at rest");
  check_field(normals, vertices_, "normals");
  if (turns_.size() == 0 && vertices_ > 0) {
    turns_.resize(block_count(vertices_) * 3 * lanes);
    for (Index b = 0; b < block_count(vertices_); ++b)
      keep(turn_of(data_->blocks.data() + b * 6 * lanes * rank_, q_), turns_.data() + b * 3 * lanes);
  }
  for (Index b = 0; b < block_count(vertices_); ++b) {
    const Index first = b * lanes, count = std::min(lanes, vertices_ - first);
    const Row3 w = load(turns_.data() + 3 * first);
    const Factors factors = factors_of(squared_norm(w));
    alignas(64) float block[3 * lanes] = {};
    fill_blocks(rest.data() + 3 * first, count, block, 3 * lanes);
    store(turned(w, factors.sine, factors.cosine, load(block)), count, normals.data() + 3 * first);
  }
}

}  // namespace limber
