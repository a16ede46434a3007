#include "limber/basis/random_projection.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/linalg/panels.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace limber {
namespace {

/// Packets of rows that are projected together: 500 samples of these fit into the second cache.
constexpr Index packets_at_once = 4;
constexpr Index rows_projected_at_once = packets_at_once * packet_size;

/// A column of R, without its factor sqrt(3).
struct SignedColumn {
  std::vector<int> plus, minus;  ///< rows
};

std::vector<SignedColumn> draw(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  std::vector<SignedColumn> R(static_cast<std::size_t>(columns));
  for (SignedColumn& column : R) {
    // One of zeros would be no direction at all; likely for a handful of samples only.
    while (column.plus.empty() && column.minus.empty()) {
      for (int i = 0; i < static_cast<int>(rows); ++i) {
        const double x = random.uniform();
        if (x < 1.0 / 6.0)
          column.plus.push_back(i);
        else if (x < 2.0 / 6.0)
          column.minus.push_back(i);
      }
    }
  }
  return R;
}

/// Some rows of all samples, sample after sample, filled up with zeros.
void pack_rows(const Eigen::Ref<const Matrix>& samples, Index begin, Index end, Packet* packed) {
  for (Index c = 0; c < samples.cols(); ++c) {
    double* const to = reinterpret_cast<double*>(packed + c * packets_at_once);
    const double* const from = samples.data() + c * samples.outerStride();
    std::fill(std::copy(from + begin, from + end, to), to + rows_projected_at_once, 0.0);
  }
}

}  // namespace

Matrix random_projection(const Eigen::Ref<const Matrix>& samples, Index rank, std::uint64_t seed,
                         const Executor& executor) {
  require(rank >= 1, "a random projection to {} vectors asked for, expected at least 1", rank);
  if (rank >= samples.cols()) return samples;
  const std::vector<SignedColumn> R = draw(samples.cols(), rank, seed);
  Matrix projected(samples.rows(), rank);
  executor.parallel_ranges(samples.rows(), 16 * rows_projected_at_once, [&](Index first, Index last) {
    const auto packed =
        std::make_unique_for_overwrite<Packet[]>(static_cast<std::size_t>(packets_at_once * samples.cols()));
    for (Index begin = first; begin < last; begin += rows_projected_at_once) {
      const Index end = std::min(begin + rows_projected_at_once, last);
      pack_rows(samples, begin, end, packed.get());
      for (Index c = 0; c < rank; ++c) {
        Packet sum[packets_at_once] = {};
        for (const int i : R[static_cast<std::size_t>(c)].plus) {
          for (Index p = 0; p < packets_at_once; ++p) sum[p] += packed[i * packets_at_once + p];
        }
        for (const int i : R[static_cast<std::size_t>(c)].minus) {
          for (Index p = 0; p < packets_at_once; ++p) sum[p] -= packed[i * packets_at_once + p];
        }
        for (Packet& s : sum) s *= std::sqrt(3.0);
        std::copy_n(reinterpret_cast<const double*>(sum), end - begin,
                    projected.data() + c * projected.rows() + begin);
      }
    }
  });
  return projected;
}

}  // namespace limber
