// One sweep over the coefficients of W = sum c_ijkl x_i x_j x_k x_l, i >= j >= k >= l, for W, its gradient
// and its Hessian.
//
// A second derivative takes away two of the four factors of each monomial. Which two, gives six parts of the
// Hessian; three sums, one multiply-add per coefficient each, hold all of them:
//
//      S_ij    = sum_kl c_ijkl z_kl,  z_kl = x_k x_l         takes away x_i and x_j
//      y_kl    = sum_ij c_ijkl x_i x_j                       takes away x_k and x_l
//      u_i[kl] = sum_j c_ijkl x_j  +  sum_n c_nikl x_n       takes away x_i, the first or the second factor, and then
//      m_ik    = sum_l u_i[kl] x_l + sum_l u_i[lk] x_l       x_k, the third or the fourth, in a second stage of cost O(r^3)
//
// and y_kl = 1/2 sum_i x_i u_i[kl] needs no sum of its own. Collected in one matrix, M_ji = S_ij, M_kl +=
// y_kl, M_ik += m_ik, the Hessian is M + M^T (where both factors are the same, M + M^T counts it twice, as it
// should). With x_0 = 1 among the variables W is homogeneous, and Euler's theorem gives the rest: dW/dx = 1/3
// (M + M^T) x, W = 1/4 x . dW/dx. Without m, all that u is for, the same M gives dW/dx = (M + M^T) x: the
// force alone takes two multiply-adds per coefficient.
//
//           products z, row k = 0, 1, 2, ... one after the other
//          +-+---+-----+-------+---------+-----------
//  (i,j)   |0|1  |2    |3      |4        |5             Coefficients of a row (i, j) fill a prefix: k <= j.
//          +-+---+-----+-------+---------+-----------   Rows (i, j) are taken in tiles of 4 x 4 (here 3 x 2), products in
//  (5,3)   |c|c c|c c c|c c c c|                        packets of 8. Each packet of coefficients that is loaded is
//  (6,3)   |c|c c|c c c|c c c c|                        multiplied by z into its sum S_ij, by x_j into u_i, by x_i into u_j.
//  (7,3)   |c|c c|c c c|c c c c|
//  (5,4)   |c|c c|c c c|c c c c|c c c c c|              Sums S_ij stay in registers from one end of the tile to the other,
//  (6,4)   |c|c c|c c c|c c c c|c c c c c|              rows u in the L1 cache: for that, the products are cut into slabs,
//  (7,4)   |c|c c|c c c|c c c c|c c c c c|              which are the outermost loop, each followed by its second stage.
//          |<-- slab ->|<---- slab ----->|
//
// The coefficients are stored in the order in which they are read (quartic_layout.hpp): the sweep is one
// stream through memory. At r = 15 it comes from the L1 cache, at r = 30 from L2; at r = 60 (5 MB) the
// bandwidth of L3 is the limit.

#include "limber/reduced/quartic.hpp"

#include "limber/base/error.hpp"
#include "limber/reduced/quartic_kernels.hpp"

namespace limber {
namespace {

using namespace quartic;

using PacketSlab = Slab<OneState>;
constexpr Index block = OneState::rows;

/// The arrays of one evaluation. Indices may go down to -3, where the first tile begins: there, x and
/// coefficients are zero.
struct Arrays {
  static constexpr Index lead_rows = tile - 1, lead = block;

  Arrays(Index rank, Index size_of_rows, QuarticWorkspace& work)
      : variables(rank + 1), padded(round_up(variables, block)), stride(lead + padded) {
    const Index products = OneState::row_offset(padded);
    grow(work.x, lead + padded);
    grow(work.products, products);
    grow(work.rows, size_of_rows);
    grow(work.pairs, products);
    grow(work.sums, (lead_rows + padded) * stride);
    x = work.x.data() + lead;
    z = work.products.data();
    u = work.rows.data();
    y = work.pairs.data();
    M = work.sums.data() + lead_rows * stride + lead;
  }

  [[nodiscard]] double* sums(Index row, Index column) const { return M + row * stride + column; }
  [[nodiscard]] Rows rows(const PacketSlab& slab, Index i) const {
    return {u + (i - slab.first_tile) * slab.stride(), slab.stride()};
  }
  [[nodiscard]] const double* products(const PacketSlab& slab) const { return z + slab.first_step * block; }
  [[nodiscard]] TileValues values(Index i) const {
    return {{spread(x[i]), spread(x[i + 1]), spread(x[i + 2]), spread(x[i + 3])}};
  }

  Index variables;  ///< 1 + r
  Index padded;     ///< to whole packets
  Index stride;     ///< of M
  double *x, *z, *u, *y, *M;
};

/// x, z and an empty M. Every number that an evaluation reads is written by it, or is padding that stays
/// zero: what is not finite in one evaluation does not reach the next.
void set_state(const Arrays& A, const VectorRef& q) {
  std::fill(A.x - Arrays::lead, A.x + A.padded, 0.0);
  A.x[0] = 1.0;
  std::copy(q.data(), q.data() + q.size(), A.x + 1);
  std::fill(A.sums(-Arrays::lead_rows, -Arrays::lead), A.sums(A.padded, -Arrays::lead), 0.0);
  for (Index k = 0; k < A.padded; ++k) {
    double* row = A.z + OneState::row_offset(k);  // whole registers: the next row overwrites what is too much
    for (Index l = 0; l <= k; l += lanes) store(row + l, load(A.x + l) * A.x[k]);
  }
}

/// M_ji += S_ij of a tile.
[[gnu::always_inline]] inline void add_tile_sums(const TileSums& S, double* to, Index stride) {
#pragma GCC unroll 2
  for (int b = 0; b < tile; b += 2) {
    const auto &p = S.sum[b], &q = S.sum[b + 1];
    double sums[8];
    sum_lanes({p[0], p[1], p[2], p[3], q[0], q[1], q[2], q[3]}, sums);
    add_four(to + b * stride, sums);
    add_four(to + (b + 1) * stride, sums + tile);
  }
}

/// M_kl += y_kl for the block of rows from k on.
void add_pairs(const Arrays& A, const PacketSlab& slab, Index k) {
  const double* y = A.y - slab.first_step * block;
#pragma GCC unroll 8
  for (int a = 0; a < block; ++a) {
    const double* from = y + OneState::row_offset(k + a);
    double* to = A.sums(k + a, 0);
    for (Index l = 0; l < k; l += lanes) add_to(to + l, load(from + l));
#pragma GCC unroll 4
    for (int l = 0; l < block; l += lanes) add_to(to + k + l, first_lanes(load(from + k + l), a + 1 - l));
  }
}

/// Adds up `count` registers of y = 1/2 sum_i x_i u_i.
template <int count>
void add_up_rows(const Arrays& A, const PacketSlab& slab, Index first, Index at) {
  Lanes sum[count] = {};
  const Rows u = A.rows(slab, first);
  const double* from = u.first + at;
  for (Index i = first; i < A.variables; ++i, from += u.stride) {
    const Lanes x = spread(0.5 * A.x[i]);
#pragma GCC unroll 4
    for (int n = 0; n < count; ++n) sum[n] += x * load(from + n * lanes);
  }
#pragma GCC unroll 4
  for (int n = 0; n < count; ++n) store(A.y + at + n * lanes, sum[n]);
}

/// y for the block of rows from k on.
void compute_pairs(const Arrays& A, const PacketSlab& slab, Index k) {
  const Index origin = slab.first_step * block;
  Index at = OneState::row_offset(k) - origin;
  const Index end = OneState::row_offset(k + block) - origin, first = tile_of(k, A.variables);
  for (; at + 4 * lanes <= end; at += 4 * lanes) add_up_rows<4>(A, slab, first, at);
  for (; at < end; at += lanes) add_up_rows<1>(A, slab, first, at);
}

/// M_ik += m_ik and M_il += m_il from the products k, l with k in the block of rows from k on, for one i.
void add_mixed(double* M, const double* u, const double* x, Index k) {
  Lanes dot[8] = {};
  const Lanes x_k[8] = {spread(x[k]),     spread(x[k + 1]), spread(x[k + 2]), spread(x[k + 3]),
                        spread(x[k + 4]), spread(x[k + 5]), spread(x[k + 6]), spread(x[k + 7])};
  for (Index l = 0; l < k; l += lanes) {
    const Lanes x_l = load(x + l);
    Lanes even = load(M + l), odd = {};
#pragma GCC unroll 8
    for (int a = 0; a < block; ++a) {
      Lanes value = load(u + a * k + a * (a + 1) / 2 + l);
      keep_in_register(value);
      dot[a] += value * x_l;
      (a % 2 == 0 ? even : odd) += value * x_k[a];
    }
    store(M + l, even + odd);
  }
#pragma GCC unroll 4
  for (int l = 0; l < block; l += lanes) {  // the triangle at the end of the rows
    const Lanes x_l = load(x + k + l);
    Lanes even = load(M + k + l), odd = {};
#pragma GCC unroll 8
    for (int a = 0; a < block; ++a) {
      Lanes value = first_lanes(load(u + (a + 1) * k + a * (a + 1) / 2 + l), a + 1 - l);
      keep_in_register(value);
      dot[a] += value * x_l;
      (a % 2 == 0 ? even : odd) += value * x_k[a];
    }
    store(M + k + l, even + odd);
  }
  double sums[8];
  sum_lanes(dot, sums);
  for (int l = 0; l < block; l += lanes) add_to(M + k + l, load(sums + l));
}

class StiffnessSweep {
 public:
  StiffnessSweep(const Arrays& arrays, const double* stream) : A_(arrays), stream_(stream) {}

  void begin_slab(const PacketSlab&) {}

  void diagonal_tile(const PacketSlab& slab, Index i) {
    const Index all = slab.steps_up_to(i + 1), last = slab.steps_up_to(i + 3);
    const Rows u = A_.rows(slab, i);
    TileSums S;
    stiffness_diagonal<OneState, 0>(stream_, 0, all, A_.products(slab), A_.values(i), u, S);
    stiffness_diagonal<OneState, 2>(stream_, all, last, A_.products(slab), A_.values(i), u, S);
    add_tile_sums(S, A_.sums(i, i), A_.stride);
    // What follows reads whole blocks.
    const Index end_row = std::min(round_up(i + tile, block), slab.end_row);
    const Index end = OneState::row_offset(end_row) - slab.first_step * block;
    for (Index a = 0; a < tile; ++a) {
      for (Index t = last * block; t < end; t += lanes) store(u.first + a * u.stride + t, Lanes{});
    }
  }

  void off_diagonal_tile(const PacketSlab& slab, Index i, Index j) {
    const Index all = slab.steps_up_to(j + 1), last = slab.steps_up_to(j + 3);
    const Rows u_i = A_.rows(slab, i), u_j = A_.rows(slab, j);
    const TileValues x_i = A_.values(i), x_j = A_.values(j);
    TileSums S;
    stiffness_tile<OneState, 0>(stream_, 0, all, A_.products(slab), x_i, x_j, u_i, u_j, S);
    stiffness_tile<OneState, 2>(stream_, all, last, A_.products(slab), x_i, x_j, u_i, u_j, S);
    add_tile_sums(S, A_.sums(j, i), A_.stride);
  }

  void end_slab(const PacketSlab& slab) {
    for (Index k = slab.first_row; k < slab.end_row; k += block) {
      compute_pairs(A_, slab, k);
      add_pairs(A_, slab, k);
      const Rows u = A_.rows(slab, k);
      const double* from = u.first + OneState::row_offset(k) - slab.first_step * block;
      for (Index i = k; i < A_.variables; ++i, from += u.stride) add_mixed(A_.sums(i, 0), from, A_.x, k);
    }
  }

 private:
  const Arrays& A_;
  const double* stream_;
};

class ForceSweep {
 public:
  ForceSweep(const Arrays& arrays, const double* stream) : A_(arrays), stream_(stream) {}

  void begin_slab(const PacketSlab& slab) { std::fill(A_.y, A_.y + slab.steps * block, 0.0); }

  void diagonal_tile(const PacketSlab& slab, Index i) { add<true>(slab, i, i); }
  void off_diagonal_tile(const PacketSlab& slab, Index i, Index j) { add<false>(slab, i, j); }

  void end_slab(const PacketSlab& slab) {
    for (Index k = slab.first_row; k < slab.end_row; k += block) add_pairs(A_, slab, k);
  }

 private:
  template <bool diagonal>
  void add(const PacketSlab& slab, Index i, Index j) {
    const Index all = slab.steps_up_to(j + 1), last = slab.steps_up_to(j + 3);
    const TileValues x_i = A_.values(i), x_j = A_.values(j);
    TileSums S;
    force_tile<OneState, 0, diagonal>(stream_, 0, all, A_.products(slab), x_i, x_j, A_.y, S);
    force_tile<OneState, 2, diagonal>(stream_, all, last, A_.products(slab), x_i, x_j, A_.y, S);
    add_tile_sums(S, A_.sums(j, i), A_.stride);
  }

  const Arrays& A_;
  const double* stream_;
};

/// M <- M + M^T.
void symmetrize(const Arrays& A) {
  for (Index i = 0; i < A.padded; i += lanes) {
    for (Index j = 0; j <= i; j += lanes) {
      double *lower = A.sums(i, j), *upper = A.sums(j, i);
      Lanes sum[lanes];
      for (int a = 0; a < lanes; ++a) sum[a] = load(lower + a * A.stride);
      transpose(sum);
      for (int a = 0; a < lanes; ++a) {
        sum[a] += load(upper + a * A.stride);
        store(upper + a * A.stride, sum[a]);
      }
      if (i == j) continue;
      transpose(sum);
      for (int a = 0; a < lanes; ++a) store(lower + a * A.stride, sum[a]);
    }
  }
}

/// f = factor M x; returns W. M is symmetric.
double multiply(const Arrays& A, double factor, Eigen::Ref<Vector>& f) {
  double* g = A.y;  // no longer needed
  Lanes energy = {};
  for (Index i = 0; i < A.padded; i += lanes) {
    Lanes even = {}, odd = {};
    Index k = 0;
    for (; k + 1 < A.variables; k += 2) {
      even += load(A.sums(k, i)) * A.x[k];
      odd += load(A.sums(k + 1, i)) * A.x[k + 1];
    }
    if (k < A.variables) even += load(A.sums(k, i)) * A.x[k];
    const Lanes product = factor * (even + odd);
    store(g + i, product);
    energy += product * load(A.x + i);
  }
  std::copy(g + 1, g + A.variables, f.data());
  double sum = 0.0;
  for (int lane = 0; lane < lanes; ++lane) sum += energy[lane];
  return 0.25 * sum;
}

/// The part of M that belongs to q.
void copy_stiffness(const Arrays& A, Eigen::Ref<Matrix>& K) {
  const Index r = K.rows();
  for (Index k = 0; k < r; ++k) {
    const double* from = A.sums(k + 1, 1);
    double* to = K.data() + k * K.outerStride();
    Index i = 0;
    for (; i + lanes <= r; i += lanes) store(to + i, load(from + i));
    for (; i < r; ++i) to[i] = from[i];
  }
}

}  // namespace

Quartic::Quartic(Index rank, const VectorRef& coefficients) : rank_(rank) {
  require(rank >= 1, "a quartic needs a rank of 1 or more, not {}", rank);
  require(coefficients.size() >= monomial_count(rank), "a quartic of rank {} needs {} coefficients, not {}",
          rank, monomial_count(rank), coefficients.size());
  stream_ = arrange<OneState>(rank + 1, coefficients);
  size_of_rows_ = largest_rows<OneState>(rank + 1);
}

double Quartic::evaluate(const VectorRef& q, QuarticWorkspace& work, Eigen::Ref<Vector> f,
                         Eigen::Ref<Matrix> K) const {
  require(q.size() == rank_ && f.size() == rank_ && K.rows() == rank_ && K.cols() == rank_,
          "a quartic of rank {} was given {} coordinates, room for {} forces and {} x {} stiffnesses", rank_,
          q.size(), f.size(), K.rows(), K.cols());
  const Arrays arrays(rank_, size_of_rows_, work);
  set_state(arrays, q);
  StiffnessSweep visit(arrays, stream_.data());
  sweep<OneState>(arrays.variables, visit);
  symmetrize(arrays);
  copy_stiffness(arrays, K);
  return multiply(arrays, 1.0 / 3.0, f);
}

double Quartic::evaluate_force(const VectorRef& q, QuarticWorkspace& work, Eigen::Ref<Vector> f) const {
  require(q.size() == rank_ && f.size() == rank_,
          "a quartic of rank {} was given {} coordinates and room for {} forces", rank_, q.size(), f.size());
  const Arrays arrays(rank_, size_of_rows_, work);
  set_state(arrays, q);
  ForceSweep visit(arrays, stream_.data());
  sweep<OneState>(arrays.variables, visit);
  symmetrize(arrays);
  return multiply(arrays, 1.0, f);
}

}  // namespace limber
