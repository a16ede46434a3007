#include "limber/reduced/reconstruction.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace limber {
namespace {

// The product reads each entry of U once and does two flops with it: memory decides its speed. A row-major or
// column-major basis needs many streams at once or horizontal sums; blocks of 64-byte rows by r columns are
// one stream, in the order of the memory, and the sums of a block stay in a register.

constexpr Index row_bytes = 64;  ///< a cache line, and a register of AVX-512
template <class Scalar>
constexpr Index row_size = row_bytes / static_cast<Index>(sizeof(Scalar));

template <class Scalar>
struct RowType {
  using type __attribute__((vector_size(row_bytes))) = Scalar;
};
template <class Scalar>
using Row = typename RowType<Scalar>::type;

constexpr Index prefetch_distance = 4096;  ///< bytes: the hardware's own prefetch stops at the end of a page
constexpr Index block_grain = 256;         ///< blocks per task: about 0.5 MB of basis at r = 30
constexpr Index vertex_grain = 4096;       ///< vertices per task, when normals are computed

/// Pages of 2 MiB instead of 4 KiB for memory that is read from end to end, where the system has them:
/// the processor keeps the addresses of few pages at hand.
void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (address + page - 1) / page * page, end = (address + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // may fail: a wish
#endif
}

/// Calls body(begin, end) for ranges of `grain` on the executor's threads, or once for all on this one.
/// Nothing is allocated: std::function keeps a reference without.
template <class Body>
void for_ranges(const Executor* executor, Index count, Index grain, const Body& body) {
  if (executor == nullptr || executor->threads() == 1 || count <= grain) return body(Index{0}, count);
  const auto task = [&](std::ptrdiff_t i) { body(i * grain, std::min(count, (i + 1) * grain)); };
  executor->parallel_for((count + grain - 1) / grain, std::cref(task));
}

/// One product: U in blocks, and where its result goes.
template <class Scalar>
struct Product {
  const Scalar* blocks;
  Index rank, rows;
  const Scalar* q;
  Index coordinates;   ///< of q, at most rank
  const Scalar* rest;  ///< added to the result; null for nothing
  Scalar* result;

  void operator()(Index begin, Index end) const {
    constexpr Index size = row_size<Scalar>;
    for (Index b = begin; b < end; ++b) {
      Row<Scalar> sum{};
      multiply_block(blocks + b * size * rank, sum);
      const Index row = b * size, left = rows - row;
      if (rest != nullptr) {
        Row<Scalar> offset{};
        copy_row(&offset, rest + row, left);
        sum += offset;
      }
      copy_row(result + row, &sum, left);
    }
  }

  /// One move between a register and memory that need not be aligned, but for the last row of all.
  static void copy_row(void* to, const void* from, Index left) {
    const bool whole = left >= row_size<Scalar>;
    whole ? std::memcpy(to, from, row_bytes)
          : std::memcpy(to, from, static_cast<std::size_t>(left) * sizeof(Scalar));
  }

  void multiply_block(const Scalar* block, Row<Scalar>& sum) const {
    constexpr Index size = row_size<Scalar>;
    const auto column = [block](Index k) -> const Row<Scalar>& {
      const Scalar* data = block + k * size;
      __builtin_prefetch(reinterpret_cast<const char*>(data) + prefetch_distance);
      return *reinterpret_cast<const Row<Scalar>*>(data);
    };
    Row<Scalar> even{}, odd{};  // two sums: one would wait for each addition
    Index k = 0;
    for (; k + 1 < coordinates; k += 2) {
      even += column(k) * q[k];
      odd += column(k + 1) * q[k + 1];
    }
    if (k < coordinates) even += column(k) * q[k];
    sum = even + odd;
  }
};

/// A Ref accepts columns with gaps in between, such as the first three rows of a 4 x n matrix: not what these
/// loops write.
template <class Field>
void require_packed(const Field& field, const char* name) {
  require(field.outerStride() == 3 || field.cols() <= 1,
          "the columns of the {} are {} numbers apart, expected 3; give a 3 x n matrix whose columns follow "
          "each other",
          name, field.outerStride());
}

template <class Scalar>
void multiply(const Executor* executor, const Product<Scalar>& product) {
  for_ranges(executor, (product.rows + row_size<Scalar> - 1) / row_size<Scalar>, block_grain, product);
}

}  // namespace

template <class Scalar>
Reconstruction<Scalar>::Reconstruction(
    const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>& basis)
    : rank_(basis.cols()), rows_(basis.rows()) {
  require(rows_ % 3 == 0, "the basis has {} rows, expected a multiple of 3 (3 per vertex)", rows_);
  constexpr Index size = row_size<Scalar>;
  const Index count = (rows_ + size - 1) / size;
  blocks_.resize(count * size * rank_);
  prefer_huge_pages(blocks_.data(), static_cast<std::size_t>(blocks_.size()) * sizeof(Scalar));
  for (Index b = 0; b < count; ++b) {
    const Index rows = std::min(size, rows_ - b * size);
    Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>> block(blocks_.data() + b * size * rank_,
                                                                            size, rank_);
    block.topRows(rows) = basis.middleRows(b * size, rows);
    block.bottomRows(size - rows).setZero();
  }
}

template <class Scalar>
void Reconstruction<Scalar>::check(Index coordinates, Index vertices) const {
  require(coordinates <= rank_, "{} reduced coordinates for a basis of {} vectors", coordinates, rank_);
  require(vertices == vertex_count(), "room for {} vertices, the basis moves {}", vertices, vertex_count());
}

template <class Scalar>
Index Reconstruction<Scalar>::offset(Index row) const {
  constexpr Index size = row_size<Scalar>;
  return row / size * size * rank_ + row % size;
}

template <class Scalar>
void Reconstruction<Scalar>::displacements(const Eigen::Ref<const Values>& q, Eigen::Ref<Field> u) const {
  check(q.size(), u.cols());
  require_packed(u, "displacements");
  multiply<Scalar>(nullptr, {blocks_.data(), rank_, rows_, q.data(), q.size(), nullptr, u.data()});
}

template <class Scalar>
void Reconstruction<Scalar>::displacements(const Eigen::Ref<const Values>& q, Eigen::Ref<Field> u,
                                           const Executor& executor) const {
  check(q.size(), u.cols());
  require_packed(u, "displacements");
  multiply<Scalar>(&executor, {blocks_.data(), rank_, rows_, q.data(), q.size(), nullptr, u.data()});
}

template <class Scalar>
void Reconstruction<Scalar>::positions(const Eigen::Ref<const Field>& rest, const Eigen::Ref<const Values>& q,
                                       Eigen::Ref<Field> x) const {
  check(q.size(), x.cols());
  check(q.size(), rest.cols());
  require_packed(rest, "rest positions");
  require_packed(x, "positions");
  multiply<Scalar>(nullptr, {blocks_.data(), rank_, rows_, q.data(), q.size(), rest.data(), x.data()});
}

template <class Scalar>
void Reconstruction<Scalar>::positions(const Eigen::Ref<const Field>& rest, const Eigen::Ref<const Values>& q,
                                       Eigen::Ref<Field> x, const Executor& executor) const {
  check(q.size(), x.cols());
  check(q.size(), rest.cols());
  require_packed(rest, "rest positions");
  require_packed(x, "positions");
  multiply<Scalar>(&executor, {blocks_.data(), rank_, rows_, q.data(), q.size(), rest.data(), x.data()});
}

template <class Scalar>
Eigen::Matrix<Scalar, 3, 1> Reconstruction<Scalar>::displacement(const Eigen::Ref<const Values>& q,
                                                                 Index vertex) const {
  check(q.size(), vertex_count());
  require(vertex >= 0 && vertex < vertex_count(), "vertex {}, but the basis moves vertices 0 to {}", vertex,
          vertex_count() - 1);
  Eigen::Matrix<Scalar, 3, 1> u;
  for (int axis = 0; axis < 3; ++axis) {
    const Scalar* row = blocks_.data() + offset(3 * vertex + axis);
    Scalar sum = 0;
    for (Index k = 0; k < q.size(); ++k) sum += row[k * row_size<Scalar>] * q(k);
    u(axis) = sum;
  }
  return u;
}

template <class Scalar>
void Reconstruction<Scalar>::add_force(Index vertex, const Vector3& force, Eigen::Ref<Vector> f) const {
  check(f.size(), vertex_count());
  require(vertex >= 0 && vertex < vertex_count(), "vertex {}, but the basis moves vertices 0 to {}", vertex,
          vertex_count() - 1);
  for (int axis = 0; axis < 3; ++axis) {
    const Scalar* row = blocks_.data() + offset(3 * vertex + axis);
    for (Index k = 0; k < f.size(); ++k) f(k) += double{row[k * row_size<Scalar>]} * force(axis);
  }
}

template class Reconstruction<float>;
template class Reconstruction<double>;

NormalUpdater::NormalUpdater(const Eigen::Matrix3Xi& triangles, Index vertices)
    : first_(static_cast<std::size_t>(vertices) + 1, 0),
      corners_(static_cast<std::size_t>(6 * triangles.cols())) {
  for (Index t = 0; t < triangles.cols(); ++t) {
    for (const int vertex : triangles.col(t)) {
      require(vertex >= 0 && vertex < vertices, "triangle {} names vertex {}, but there are vertices 0 to {}",
              t, vertex, vertices - 1);
      ++first_[static_cast<std::size_t>(vertex) + 1];
    }
  }
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (const auto& t : triangles.colwise()) {
    for (int k = 0; k < 3; ++k) {
      const std::size_t slot = 2 * static_cast<std::size_t>(next[static_cast<std::size_t>(t(k))]++);
      corners_[slot] = t((k + 1) % 3);
      corners_[slot + 1] = t((k + 2) % 3);
    }
  }
}

template <class Field>
void NormalUpdater::update_on(const Executor* executor, const Eigen::Ref<const Field>& positions,
                              Eigen::Ref<Field>& normals) const {
  using Scalar = typename Field::Scalar;
  const Index count = static_cast<Index>(first_.size()) - 1;
  require(positions.cols() == count && normals.cols() == count,
          "{} positions and {} normals of a mesh with {} vertices, expected as many", positions.cols(),
          normals.cols(), count);
  require_packed(positions, "positions");
  require_packed(normals, "normals");
  const Scalar* x = positions.data();
  // Each vertex gathers its own triangles, in a fixed order: no vertex is written by two threads.
  const auto body = [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      const Scalar* o = x + 3 * v;
      Scalar sum[3] = {0, 0, 0};
      for (int k = first_[v]; k < first_[v + 1]; ++k) {
        const Scalar* p = x + 3 * Index{corners_[2 * k]};
        const Scalar* q = x + 3 * Index{corners_[2 * k + 1]};
        const Scalar a[3] = {p[0] - o[0], p[1] - o[1], p[2] - o[2]};
        const Scalar b[3] = {q[0] - o[0], q[1] - o[1], q[2] - o[2]};
        for (int i = 0; i < 3; ++i)
          sum[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
      }
      // In doubles: the square of an area of 1e-20 m^2 is no float.
      const double n[3] = {sum[0], sum[1], sum[2]};
      const double norm = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      const double scale = norm > 0.0 ? 1.0 / norm : 0.0;
      for (int i = 0; i < 3; ++i) normals(i, v) = static_cast<Scalar>(n[i] * scale);
    }
  };
  for_ranges(executor, count, vertex_grain, body);
}

void NormalUpdater::update(const Eigen::Ref<const Eigen::Matrix3Xf>& positions,
                           Eigen::Ref<Eigen::Matrix3Xf> normals) const {
  update_on<Eigen::Matrix3Xf>(nullptr, positions, normals);
}
void NormalUpdater::update(const Eigen::Ref<const Matrix3X>& positions, Eigen::Ref<Matrix3X> normals) const {
  update_on<Matrix3X>(nullptr, positions, normals);
}
void NormalUpdater::update(const Eigen::Ref<const Eigen::Matrix3Xf>& positions,
                           Eigen::Ref<Eigen::Matrix3Xf> normals, const Executor& executor) const {
  update_on<Eigen::Matrix3Xf>(&executor, positions, normals);
}
void NormalUpdater::update(const Eigen::Ref<const Matrix3X>& positions, Eigen::Ref<Matrix3X> normals,
                           const Executor& executor) const {
  update_on<Matrix3X>(&executor, positions, normals);
}

}  // namespace limber
