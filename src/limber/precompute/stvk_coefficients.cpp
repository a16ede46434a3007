// Coefficients of the reduced St. Venant-Kirchhoff energy
//
//   W = integral of  lambda/2 tr(E)^2 + mu E : E.
//
// strain_columns.hpp gives rows whose squares sum up to the two integrals, one column per product x_i x_j of
// x = (1, q): their Gram matrices are W as a quadratic form of these products. The elements are split into
// shares, as many for any number of threads, and each is added to Gram matrices of its own, by rank updates
// of a few hundred rows; then the shares are added in their order.

#include "limber/precompute/stvk_coefficients.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/rank_update.hpp"
#include "limber/precompute/strain_columns.hpp"
#include "limber/reduced/quartic.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>

namespace limber {
namespace {

/// Rows of one rank update: enough that reading and writing the Gram matrix costs little, few enough for the
/// cache. What OpenBLAS takes at once.
constexpr Index rows_per_update = 384;

/// All Gram matrices together take this much at most, but for one share's: 2 GiB of doubles.
constexpr Index most_gram_entries = Index{1} << 28;

/// Collects rows and adds their products to a Gram matrix when enough are there.
class RowBuffer {
 public:
  /// rows: added at a time.  The matrix must outlive this.
  RowBuffer(Index rows, double sign, Matrix& gram) : rows_(rows), sign_(sign), gram_(gram) {
    if (rows == 0) return;
    capacity_ = std::max(rows, rows_per_update / rows * rows);
    // An odd number of cache lines per column: columns that start in the same set of a cache would evict each
    // other.
    const Index stride = 8 * ((capacity_ / 8) | 1);
    data_ = Matrix::Zero(stride, gram.cols());
  }

  /// Room for the next rows, all of which the caller must then write.
  RowBlock next() {
    if (rows_ == 0) return {};
    if (filled_ == capacity_) flush();
    filled_ += rows_;
    return {data_.data() + filled_ - rows_, data_.outerStride()};
  }

  void flush() {
    if (filled_ > 0) add_rank_update(sign_, data_.topRows(filled_), gram_);
    filled_ = 0;
  }

 private:
  Index rows_, capacity_ = 0, filled_ = 0;
  double sign_;
  Matrix& gram_;
  Matrix data_;
};

/// W for unit parameters, as lower triangles: tr(E)^2 is z^T trace z, E : E - trace_share tr(E)^2 is z^T rest
/// z.
struct GramMatrices {
  Matrix trace, rest;
};

/// done(): called after each packet.
template <class Strain, class Done>
GramMatrices add_up(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                    std::span<const ElementPacket> packets, const Done& done) {
  const Index pairs = pair_count(1 + basis.cols());
  GramMatrices grams{Matrix::Zero(pairs, pairs), Matrix::Zero(pairs, pairs)};
  RowBuffer trace(packet_size * Strain::trace_rows, 1.0, grams.trace);
  RowBuffer plus(packet_size * Strain::plus_rows, 1.0, grams.rest);
  RowBuffer minus(packet_size * Strain::minus_rows, -1.0, grams.rest);
  StrainColumns<Strain> columns(model.mesh(), model.dofs(), basis);
  for (const ElementPacket& packet : packets) {
    columns.load(packet);
    StrainTarget target;
    target.minus = minus.next();  // before `plus`: both add to one matrix, and the order decides the rounding
    target.plus = plus.next();
    target.trace = trace.next();
    columns.write_all(target);
    done();
  }
  trace.flush();
  plus.flush();
  minus.flush();
  return grams;
}

/// Tells the thread that started the work how much of it is done, every percent.
class Counter {
 public:
  Counter(const Progress& progress, std::size_t total) : progress_(progress), total_(total) {}

  void add_one() {
    const std::size_t done = ++done_;
    if (!progress_ || std::this_thread::get_id() != starter_) return;
    if (100 * (done - reported_) < total_) return;
    reported_ = done;
    report(progress_, "coefficients", static_cast<double>(done) / static_cast<double>(total_));
  }

 private:
  const Progress& progress_;
  std::size_t total_, reported_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::thread::id starter_ = std::this_thread::get_id();
};

template <class Strain>
GramMatrices add_up_in_parallel(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                                std::span<const ElementPacket> packets, Counter& counter) {
  const Index pairs = pair_count(1 + basis.cols());
  const auto affordable =
      static_cast<std::size_t>(std::max<Index>(1, most_gram_entries / (2 * pairs * pairs)));
  const std::size_t shares = std::min(affordable, share_count(packets.size()));
  std::vector<GramMatrices> grams(shares);
  model.executor().parallel_for(static_cast<std::ptrdiff_t>(shares), [&](std::ptrdiff_t task) {
    const auto share = static_cast<std::size_t>(task);
    grams[share] = add_up<Strain>(model, basis, share_of(packets, share, shares), [&] { counter.add_one(); });
  });
  for (std::size_t share = 1; share < shares; ++share) {
    grams[0].trace += grams[share].trace;
    grams[0].rest += grams[share].rest;
    grams[share] = {};
  }
  return std::move(grams[0]);
}

/// S: lower triangle.
Vector to_monomials(const Matrix& S, Index rank) {
  Vector coefficients(monomial_count(rank));
  write_monomials(S, 0, rank, coefficients.data());
  return coefficients;
}

template <class Strain>
std::vector<StvkCoefficients> compute(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                                      const Progress& progress) {
  const std::vector<ElementPacket> packets = make_element_schedule(model.mesh()).packets;  // sorted by region
  Counter counter(progress, packets.size());
  std::vector<StvkCoefficients> regions;
  auto begin = packets.begin();
  for (int region = 0; region < static_cast<int>(model.mesh().regions.size()); ++region) {
    const auto end =
        std::find_if(begin, packets.end(), [&](const ElementPacket& p) { return p.region != region; });
    if (begin == end) {  // a region without elements
      regions.push_back(
          {Vector::Zero(monomial_count(basis.cols())), Vector::Zero(monomial_count(basis.cols()))});
      continue;
    }
    const GramMatrices grams = add_up_in_parallel<Strain>(model, basis, {begin, end}, counter);
    const Vector trace = to_monomials(grams.trace, basis.cols());
    const Vector rest = to_monomials(grams.rest, basis.cols());
    regions.push_back({trace, 2.0 * (Strain::trace_share * trace + rest)});
    begin = end;
  }
  return regions;
}

}  // namespace

std::vector<StvkCoefficients> compute_stvk_coefficients(const FullModel& model,
                                                        const Eigen::Ref<const Matrix>& basis,
                                                        const Progress& progress) {
  require(basis.rows() == model.dof_count(), "the basis has {} rows, the model needs {} (3 per free vertex)",
          basis.rows(), model.dof_count());
  require(basis.cols() >= 1, "the basis has no vectors, expected one at least");
  require(basis.allFinite(), "the basis has entries that are not finite");
  start_rank_updates();
  report(progress, "coefficients", 0.0);
  auto regions = model.mesh().kind == ElementKind::tetrahedron
                     ? compute<TetrahedronStrain>(model, basis, progress)
                     : compute<BrickStrain>(model, basis, progress);
  report(progress, "coefficients", 1.0);
  return regions;
}

}  // namespace limber
