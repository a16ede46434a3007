#include "limber/reduced/quartic_layout.hpp"

#include "limber/reduced/quartic.hpp"

#include <vector>

namespace limber::quartic {
namespace {

struct Pair {
  Index k = 0, l = -1;  ///< l < 0: padding
};

template <class Layout>
class Arrangement {
 public:
  Arrangement(Index variables, const VectorRef& monomials) : monomials_(monomials) {
    pairs_.resize(static_cast<std::size_t>(Layout::row_offset(round_up(variables, Layout::rows))));
    for (Index k = 0; k < variables; ++k) {
      for (Index l = 0; l <= k; ++l) pairs_[static_cast<std::size_t>(Layout::row_offset(k) + l)] = {k, l};
    }
    stream_.reserve(static_cast<std::size_t>(monomial_count(variables - 1)));
  }

  void begin_slab(const Slab<Layout>&) {}
  void end_slab(const Slab<Layout>&) {}
  void diagonal_tile(const Slab<Layout>& slab, Index i) { add_tile(slab, i, i); }
  void off_diagonal_tile(const Slab<Layout>& slab, Index i, Index j) { add_tile(slab, i, j); }
  [[nodiscard]] const std::vector<double>& stream() const { return stream_; }

 private:
  /// Four by four rows (i, j) while two columns or more reach so far, then the last two columns.
  void add_tile(const Slab<Layout>& slab, Index i, Index j) {
    const Index all = slab.steps_up_to(j + 1), last = slab.steps_up_to(j + 3);
    for (Index step = 0; step < last; ++step) {
      const Index first = step < all ? 0 : 2;
      for (Index a = i == j ? first : 0; a < tile; ++a) {
        const Index end = i == j ? a + 1 : tile;
        for (Index b = first; b < end; ++b) add_step(slab.first_step + step, i + a, j + b);
      }
    }
  }

  void add_step(Index step, Index i, Index j) {
    for (Index p = step * Layout::products; p < (step + 1) * Layout::products; ++p) {
      const Pair pair = pairs_[static_cast<std::size_t>(p)];
      const bool exists = pair.l >= 0 && pair.k <= j;
      stream_.push_back(exists ? monomials_[monomial_index(i, j, pair.k, pair.l)] : 0.0);
    }
  }

  const VectorRef& monomials_;
  std::vector<Pair> pairs_;
  std::vector<double> stream_;
};

}  // namespace

template <class Layout>
Vector arrange(Index variables, const VectorRef& monomials) {
  Arrangement<Layout> arrangement(variables, monomials);
  sweep<Layout>(variables, arrangement);
  return Eigen::Map<const Vector>(arrangement.stream().data(),
                                  static_cast<Index>(arrangement.stream().size()));
}

template Vector arrange<OneState>(Index variables, const VectorRef& monomials);
template Vector arrange<ManyStates>(Index variables, const VectorRef& monomials);

}  // namespace limber::quartic
