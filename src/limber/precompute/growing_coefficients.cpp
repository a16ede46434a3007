// A further vector n adds the monomials in which x_n occurs, and these are products of a pair (n, j) with any
// pair (k, l), l <= k <= n. With the rows of strain_columns.hpp, weighted by the materials,
//
//   S_(n,j),(k,l) = sum over rows of  weight * row_(n,j) * row_(k,l)
//
// is all that is needed: a product of few columns with many. Every column of the many is used with few
// others, so a general matrix product spends much of its time on copying them into its own layout. Here they
// are written a few hundred rows at a time and multiplied while they are in the cache, as dot products: lanes
// of a register hold rows, that is elements, as they are written, and are added up at the end of these rows
// only.
//
// An entry is the same sum for whatever vectors are added together with n, so that the bits do not depend on
// how a basis grew.

#include "limber/precompute/growing_coefficients.hpp"

#include "limber/base/error.hpp"
#include "limber/precompute/strain_columns.hpp"
#include "limber/reduced/quartic.hpp"

#include <algorithm>

namespace limber {
namespace {

/// Rows that are multiplied at a time, about: more would leave the cache, fewer cost more sums over lanes.
constexpr Index strain_rows_at_once = 480;

/// Columns of one register block: `group` new ones by up to `most_columns`, whose sums stay in registers.
constexpr Index group = 4;
#ifdef __AVX512F__
constexpr Index most_columns = 6;
#else
constexpr Index most_columns = 1;
#endif

/// Sums of all shares take this much at most, but for one vector's: vectors are added together only up to it.
/// 256 MiB of doubles.
constexpr Index most_sums = Index{1} << 25;

Index groups_of(Index columns) { return (columns + group - 1) / group; }

/// sums[i] += the sum of the lanes of x[i].
void add_lanes(const Packet (&x)[group], double* sums) {
  const auto fold = [](Packet a, Packet b) {  // neighbours added: a0 b0 a1 b1 ...
    return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  };
  const Packet a = fold(x[0], x[1]), b = fold(x[2], x[3]);
  const Packet halves = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                        __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  for (int i = 0; i < group; ++i) sums[i] += halves[i] + halves[i + group];
}

/// sums(i, j) += left(:, i) . right(:, j).  left: packets x group, row by row.  right: column by column.
template <Index columns>
void add_products(const double* left, const double* right, Index stride, Index packets, double* sums,
                  Index sums_stride) {
  Packet sum[columns][group] = {};
  for (Index k = 0; k < packets; ++k) {
    Packet a[group];
    for (Index i = 0; i < group; ++i) a[i] = load_packet(left + (k * group + i) * packet_size);
    for (Index j = 0; j < columns; ++j) {
      const Packet b = load_packet(right + stride * j + k * packet_size);
      for (Index i = 0; i < group; ++i) sum[j][i] += a[i] * b;
    }
  }
  for (Index j = 0; j < columns; ++j) add_lanes(sum[j], sums + sums_stride * j);
}

/// The same for a number of columns that is known at run time, at most `columns`.
template <Index columns>
void add_products(Index count, const double* left, const double* right, Index stride, Index packets,
                  double* sums, Index sums_stride) {
  if (count == columns) return add_products<columns>(left, right, stride, packets, sums, sums_stride);
  if constexpr (columns > 1)
    add_products<columns - 1>(count, left, right, stride, packets, sums, sums_stride);
}

/// Weights of the squares of the rows in twice the energy, Pa.
struct RowWeights {
  double trace, plus, minus;
};

template <class Strain>
RowWeights weights_of(const Material& material) {
  const LameParameters lame = lame_of(material.law);
  return {lame.lambda + 2.0 * Strain::trace_share * lame.mu, 2.0 * lame.mu, -2.0 * lame.mu};
}

/// What is added for one new vector n.
struct NewVector {
  Index n = 0;
  Matrix sums;    ///< (j, p): S of the pairs (n, j) and p; j <= n, filled up to whole groups
  Vector left{};  ///< weighted columns of the rows at hand, by groups

  explicit NewVector(Index vector)
      : n(vector), sums(Matrix::Zero(group * groups_of(n + 1), pair_count(n + 1))) {}
};

/// Sums over the elements that it is given, for the vectors after the first `old_rank`.
template <class Strain>
class ShareSums {
 public:
  ShareSums(const FullModel& model, const Eigen::Ref<const Matrix>& basis, Index old_rank)
      : rank_(basis.cols()), old_rank_(old_rank) {
    for (const Material& material : model.materials()) weights_.push_back(weights_of<Strain>(material));
    columns_.reserve(packets_at_once);
    for (std::size_t i = 0; i < packets_at_once; ++i)
      columns_.emplace_back(model.mesh(), model.dofs(), basis);
    for (Index n = old_rank + 1; n <= rank_; ++n) {
      vectors_.emplace_back(n);
      vectors_.back().left = Vector::Zero(vectors_.back().sums.rows() * row_packets * packet_size);
    }
    right_.resize(stride * (rank_ + 1));
  }

  void add(std::span<const ElementPacket> packets) {
    for (; !packets.empty(); packets = packets.subspan(std::min(packets_at_once, packets.size())))
      add_chunk(packets.first(std::min(packets_at_once, packets.size())));
  }

  std::vector<NewVector> take() { return std::move(vectors_); }

 private:
  static constexpr Index rows_of_packet = Strain::trace_rows + Strain::plus_rows + Strain::minus_rows;
  static constexpr std::size_t packets_at_once =
      std::max<Index>(1, strain_rows_at_once / (rows_of_packet * packet_size));
  static constexpr Index row_packets = rows_of_packet * static_cast<Index>(packets_at_once);
  /// An odd number of cache lines: columns that start in the same set of a cache would evict each other.
  static constexpr Index stride = packet_size * (row_packets | 1);

  void add_chunk(std::span<const ElementPacket> packets) {
    for (std::size_t i = 0; i < packets.size(); ++i) columns_[i].load(packets[i]);
    for (Index i = rank_; i >= 1; --i) {  // the new ones first: the others are multiplied with them
      for (std::size_t k = 0; k < packets.size(); ++k) {
        double* const first = right_.data() + static_cast<Index>(k) * rows_of_packet * packet_size;
        double* const plus = first + Strain::trace_rows * packet_size;
        columns_[k].write(
            i, {{first, stride}, {plus, stride}, {plus + Strain::plus_rows * packet_size, stride}});
      }
      if (i > old_rank_) pack_left(vectors_[static_cast<std::size_t>(i - old_rank_ - 1)], packets);
      const Index from = std::max(i, old_rank_ + 1);
      for (Index n = from; n <= rank_; ++n)
        multiply(vectors_[static_cast<std::size_t>(n - old_rank_ - 1)], i,
                 rows_of_packet * static_cast<Index>(packets.size()));
    }
  }

  /// Weights the columns at hand, which are those of the vector.
  void pack_left(NewVector& vector, std::span<const ElementPacket> packets) const {
    for (Index j = 0; j <= vector.n; ++j) {
      const double* from = right_.data() + stride * j;
      double* to = vector.left.data() + (j / group * row_packets * group + j % group) * packet_size;
      const auto copy = [&](int rows, double weight) {
        for (int row = 0; row < rows; ++row, from += packet_size, to += group * packet_size) {
          const Packet x = weight * load_packet(from);
          store_packet(to, x);
        }
      };
      for (const ElementPacket& packet : packets) {
        const RowWeights& weights = weights_[static_cast<std::size_t>(packet.region)];
        copy(Strain::trace_rows, weights.trace);
        copy(Strain::plus_rows, weights.plus);
        copy(Strain::minus_rows, weights.minus);
      }
    }
  }

  /// Adds the products of the new columns with those at hand, of the pairs (i, 0) to (i, i).
  void multiply(NewVector& vector, Index i, Index rows) const {
    const Index columns = i + 1, blocks = (columns + most_columns - 1) / most_columns;
    for (Index block = 0; block < blocks; ++block) {  // of nearly equal widths
      const Index begin = columns * block / blocks, end = columns * (block + 1) / blocks;
      for (Index g = 0; g < groups_of(vector.n + 1); ++g) {
        add_products<most_columns>(end - begin, vector.left.data() + g * row_packets * group * packet_size,
                                   right_.data() + stride * begin, stride, rows,
                                   &vector.sums(g * group, pair_index(i, begin)), vector.sums.rows());
      }
    }
  }

  Index rank_, old_rank_;
  std::vector<RowWeights> weights_;  ///< by region
  std::vector<StrainColumns<Strain>> columns_;
  std::vector<NewVector> vectors_;
  Vector right_;  ///< columns of the pairs (i, 0) to (i, i)
};

template <class Strain>
std::vector<NewVector> add_up(const FullModel& model, std::span<const ElementPacket> packets,
                              const Eigen::Ref<const Matrix>& basis, Index old_rank) {
  const std::size_t shares = share_count(packets.size());
  std::vector<std::vector<NewVector>> results(shares);
  model.executor().parallel_for(static_cast<std::ptrdiff_t>(shares), [&](std::ptrdiff_t task) {
    const auto share = static_cast<std::size_t>(task);
    ShareSums<Strain> sums(model, basis, old_rank);
    sums.add(share_of(packets, share, shares));
    results[share] = sums.take();
  });
  for (std::size_t share = 1; share < shares; ++share) {
    for (std::size_t i = 0; i < results[0].size(); ++i) results[0][i].sums += results[share][i].sums;
    results[share].clear();
  }
  return std::move(results[0]);
}

/// How many vectors after the first ones have sums that are not too many, one at least.
Index vectors_at_once(Index old_rank, Index rank, std::size_t shares) {
  Index sums = 0, n = old_rank;
  while (n < rank) {
    sums += static_cast<Index>(shares) * (n + 2) * pair_count(n + 2);
    if (sums > most_sums && n > old_rank) break;
    ++n;
  }
  return n - old_rank;
}

}  // namespace

bool has_polynomial_energy(const FullModel& model) {
  return std::ranges::all_of(model.materials(),
                             [](const Material& m) { return std::holds_alternative<Stvk>(m.law); });
}

GrowingCoefficients::GrowingCoefficients(const FullModel& model)
    : model_(model), coefficients_(Vector::Zero(monomial_count(0))) {
  for (const Material& material : model.materials()) {
    require(
        std::holds_alternative<Stvk>(material.law),
        "the energy of the law {} is no polynomial, expected stvk in all regions: use cubature for this body",
        name_of(material.law));
  }
  packets_ = make_element_schedule(model.mesh()).packets;
}

void GrowingCoefficients::grow(const Eigen::Ref<const Matrix>& basis) {
  require(basis.rows() == model_.dof_count(), "the basis has {} rows, the model needs {} (3 per free vertex)",
          basis.rows(), model_.dof_count());
  require(basis.cols() >= rank_,
          "the basis has {} vectors, expected the {} that the coefficients are of and more", basis.cols(),
          rank_);
  require(basis.allFinite(), "the basis has entries that are not finite");
  while (rank_ < basis.cols()) {
    const Index rank = rank_ + vectors_at_once(rank_, basis.cols(), share_count(packets_.size()));
    const std::vector<NewVector> vectors =
        model_.mesh().kind == ElementKind::tetrahedron
            ? add_up<TetrahedronStrain>(model_, packets_, basis.leftCols(rank), rank_)
            : add_up<BrickStrain>(model_, packets_, basis.leftCols(rank), rank_);
    coefficients_.conservativeResize(monomial_count(rank));
    for (const NewVector& vector : vectors) {
      const auto S = [&](Index p, Index q) { return vector.sums(p - pair_index(vector.n, 0), q); };
      write_monomials(S, vector.n, vector.n, coefficients_.data() + monomial_count(vector.n - 1));
    }
    rank_ = rank;
  }
}

void GrowingCoefficients::truncate(Index rank) {
  require(rank >= 0 && rank <= rank_, "cannot keep {} vectors, expected 0 to {}", rank, rank_);
  rank_ = rank;
  coefficients_.conservativeResize(monomial_count(rank));
}

void GrowingCoefficients::restore(Index rank, const Vector& coefficients) {
  require(rank >= 0, "the rank is {}, expected 0 or more", rank);
  require(coefficients.size() == monomial_count(rank), "there are {} coefficients, {} vectors have {}",
          coefficients.size(), rank, monomial_count(rank));
  rank_ = rank;
  coefficients_ = coefficients;
}

}  // namespace limber
