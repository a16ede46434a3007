// Many states at once: the sweep of quartic.cpp (its essay explains the symbols) with states instead of
// products in the lanes of a register. Every number of there is a register of `lanes` numbers here, and a
// coefficient is one number that all lanes share. No sum runs across lanes and no coefficient is padded,
// except at the diagonal of tiles.

#include "limber/base/error.hpp"
#include "limber/reduced/quartic.hpp"
#include "limber/reduced/quartic_kernels.hpp"

namespace limber {
namespace {

using namespace quartic;

using StateSlab = Slab<ManyStates>;

/// The arrays of one group of states. Indices may go down to -3, where the first tile begins: there, x and
/// coefficients are zero.
struct Arrays {
  static constexpr Index lead = tile - 1;

  Arrays(Index rank, Index size_of_rows, QuarticBatchWorkspace& work)
      : variables(rank + 1), stride((lead + variables) * lanes) {
    grow(work.x, stride);
    grow(work.products, pair_count(variables) * lanes);
    grow(work.rows, size_of_rows);
    grow(work.sums, stride * (lead + variables));
    x = work.x.data() + lead * lanes;
    z = work.products.data();
    u = work.rows.data();
    M = work.sums.data() + lead * (stride + lanes);
  }

  [[nodiscard]] double* sums(Index i, Index j) const { return M + i * stride + j * lanes; }
  [[nodiscard]] Rows rows(const StateSlab& slab, Index i) const {
    return {u + (i - slab.first_tile) * slab.stride(), slab.stride()};
  }
  [[nodiscard]] const double* products(const StateSlab& slab) const { return z + slab.first_step * lanes; }
  [[nodiscard]] Lanes value(Index i) const { return load(x + i * lanes); }
  [[nodiscard]] TileValues values(Index i) const {
    return {{value(i), value(i + 1), value(i + 2), value(i + 3)}};
  }

  Index variables;  ///< 1 + r
  Index stride;     ///< of M, row by row; only entries on and below its diagonal are used
  double *x, *z, *u, *M;
};

/// x, z and an empty M for states first, first + 1, ...; where there are fewer than lanes, zeros.
void set_states(const Arrays& A, const Eigen::Ref<const Matrix>& states, Index first) {
  const Index count = std::min<Index>(lanes, states.cols() - first);
  std::fill(A.x - Arrays::lead * lanes, A.x + A.variables * lanes, 0.0);
  store(A.x, spread(1.0));
  for (Index s = 0; s < count; ++s) {
    for (Index i = 1; i < A.variables; ++i) A.x[i * lanes + s] = states(i - 1, first + s);
  }
  double* z = A.z;
  for (Index k = 0; k < A.variables; ++k) {
    for (Index l = 0; l <= k; ++l, z += lanes) store(z, A.value(k) * A.value(l));
  }
  std::fill(A.sums(-Arrays::lead, -Arrays::lead), A.sums(A.variables, -Arrays::lead), 0.0);
}

[[gnu::always_inline]] inline void add_tile_sums(const TileSums& S, double* to, Index stride) {
#pragma GCC unroll 4
  for (int a = 0; a < tile; ++a) {
#pragma GCC unroll 4
    for (int b = 0; b < tile; ++b) add_to(to + a * stride + b * lanes, S.sum[b][a]);
  }
}

/// M_ik += m_ik and M_il += m_il for four i from the products of row k, and y_kl += 1/2 sum_i x_i u_i[kl].
void add_row(const Arrays& A, Rows u, Index i, Index k) {
  const Lanes x_k = A.value(k);
  const TileValues x_i = A.values(i);
  Lanes dot[tile] = {};
  for (Index l = 0; l <= k; ++l) {
    const Lanes x_l = A.value(l);
    Lanes y = {};
#pragma GCC unroll 4
    for (int a = 0; a < tile; ++a) {
      Lanes value = load(u.first + a * u.stride + l * lanes);
      keep_in_register(value);
      dot[a] += value * x_l;
      y += value * x_i[a];
      add_to(A.sums(i + a, l), value * x_k);
    }
    add_to(A.sums(k, l), 0.5 * y);
  }
  for (int a = 0; a < tile; ++a) add_to(A.sums(i + a, k), dot[a]);
}

class BatchSweep {
 public:
  BatchSweep(const Arrays& arrays, const double* stream) : A_(arrays), stream_(stream) {}

  void begin_slab(const StateSlab&) {}

  void diagonal_tile(const StateSlab& slab, Index i) {
    const Index all = slab.steps_up_to(i + 1), last = slab.steps_up_to(i + 3);
    const Rows u = A_.rows(slab, i);
    TileSums S;
    stiffness_diagonal<ManyStates, 0>(stream_, 0, all, A_.products(slab), A_.values(i), u, S);
    stiffness_diagonal<ManyStates, 2>(stream_, all, last, A_.products(slab), A_.values(i), u, S);
    add_tile_sums(S, A_.sums(i, i), A_.stride);
  }

  void off_diagonal_tile(const StateSlab& slab, Index i, Index j) {
    const Index all = slab.steps_up_to(j + 1), last = slab.steps_up_to(j + 3);
    const Rows u_i = A_.rows(slab, i), u_j = A_.rows(slab, j);
    const TileValues x_i = A_.values(i), x_j = A_.values(j);
    TileSums S;
    stiffness_tile<ManyStates, 0>(stream_, 0, all, A_.products(slab), x_i, x_j, u_i, u_j, S);
    stiffness_tile<ManyStates, 2>(stream_, all, last, A_.products(slab), x_i, x_j, u_i, u_j, S);
    add_tile_sums(S, A_.sums(i, j), A_.stride);
  }

  void end_slab(const StateSlab& slab) {
    for (Index i = slab.first_tile; i < A_.variables; i += tile) {
      Rows u = A_.rows(slab, i);
      for (Index k = slab.first_row; k < std::min(slab.end_row, i + tile); ++k) {
        add_row(A_, u, i, k);
        u.first += (k + 1) * lanes;
      }
    }
  }

 private:
  const Arrays& A_;
  const double* stream_;
};

/// M becomes the Hessian: M_ki = M_ik, M_ii counts twice.
void symmetrize(const Arrays& A) {
  for (Index i = 0; i < A.variables; ++i) {
    for (Index k = 0; k < i; ++k) store(A.sums(k, i), load(A.sums(i, k)));
    add_to(A.sums(i, i), load(A.sums(i, i)));
  }
}

/// Writes numbers i, i + 1, ... of each state, x[a] holding number i + a of all of them, to columns of `to`.
void write(Lanes (&x)[lanes], Index i, Index size, Index states, double* to, Index stride) {
  transpose(x);
  const Index count = std::min<Index>(lanes, size - i);
  for (Index s = 0; s < states; ++s) {
    double* column = to + s * stride + i;
    if (count == lanes) {
      store(column, x[s]);
    } else {
      for (Index a = 0; a < count; ++a) column[a] = x[s][a];
    }
  }
}

/// dW/dx = 1/3 M x, of q only, to `forces` (r x states); W = 1/4 x . dW/dx to `energies`.
void write_forces(const Arrays& A, Index states, Eigen::Ref<Matrix> forces, double* energies) {
  const Index r = A.variables - 1;
  Lanes energy = {};
  const auto derivative = [&](Index i) {
    Lanes even = {}, odd = {};
    for (Index k = 0; k < A.variables; k += 2) even += load(A.sums(i, k)) * A.value(k);
    for (Index k = 1; k < A.variables; k += 2) odd += load(A.sums(i, k)) * A.value(k);
    const Lanes sum = (even + odd) * (1.0 / 3.0);
    energy += sum * A.value(i);
    return sum;
  };
  derivative(0);
  for (Index i = 0; i < r; i += lanes) {
    Lanes f[lanes] = {};
    for (Index a = 0; a < std::min<Index>(lanes, r - i); ++a) f[a] = derivative(1 + i + a);
    write(f, i, r, states, forces.data(), forces.outerStride());
  }
  for (Index s = 0; s < states; ++s) energies[s] = 0.25 * energy[s];
}

/// stiffnesses: r^2 x states.
void write_stiffnesses(const Arrays& A, Index states, Eigen::Ref<Matrix> stiffnesses) {
  const Index r = A.variables - 1;
  for (Index k = 0; k < r; ++k) {
    for (Index i = 0; i < r; i += lanes) {
      Lanes column[lanes] = {};
      for (Index a = 0; a < std::min<Index>(lanes, r - i); ++a) column[a] = load(A.sums(1 + k, 1 + i + a));
      write(column, i, r, states, stiffnesses.data() + k * r, stiffnesses.outerStride());
    }
  }
}

}  // namespace

QuarticBatch::QuarticBatch(Index rank, const VectorRef& coefficients) : rank_(rank) {
  require(rank >= 1, "a quartic needs a rank of 1 or more, not {}", rank);
  require(coefficients.size() >= monomial_count(rank), "a quartic of rank {} needs {} coefficients, not {}",
          rank, monomial_count(rank), coefficients.size());
  stream_ = arrange<ManyStates>(rank + 1, coefficients);
  size_of_rows_ = largest_rows<ManyStates>(rank + 1);
}

void QuarticBatch::evaluate(const Eigen::Ref<const Matrix>& states, QuarticBatchWorkspace& work,
                            Eigen::Ref<Matrix> forces, Eigen::Ref<Matrix> stiffnesses,
                            Eigen::Ref<Vector> energies) const {
  const Index count = states.cols();
  require(
      states.rows() == rank_ && forces.rows() == rank_ && stiffnesses.rows() == rank_ * rank_ &&
          forces.cols() == count && stiffnesses.cols() == count && energies.size() == count,
      "a quartic of rank {} was given {} x {} states, room for {} x {} forces, {} x {} stiffnesses and {} "
      "energies",
      rank_, states.rows(), count, forces.rows(), forces.cols(), stiffnesses.rows(), stiffnesses.cols(),
      energies.size());
  const Arrays arrays(rank_, size_of_rows_, work);
  for (Index first = 0; first < count; first += lanes) {
    const Index here = std::min<Index>(lanes, count - first);
    set_states(arrays, states, first);
    BatchSweep visit(arrays, stream_.data());
    sweep<ManyStates>(arrays.variables, visit);
    symmetrize(arrays);
    write_forces(arrays, here, forces.middleCols(first, here), energies.data() + first);
    write_stiffnesses(arrays, here, stiffnesses.middleCols(first, here));
  }
}

}  // namespace limber
