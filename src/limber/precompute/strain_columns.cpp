#include "limber/precompute/strain_columns.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

namespace limber {
namespace {

constexpr double sqrt_half = std::numbers::sqrt2 / 2.0;
const double sqrt_sixth = std::sqrt(1.0 / 6.0);

/// Writes packets below each other.
class Writer {
 public:
  Writer(const RowBlock& block, Index pair) : next_(block.first + block.stride * pair) {}
  void operator()(Packet x) {
    std::memcpy(next_, &x, sizeof x);
    next_ += packet_size;
  }

 private:
  double* next_;
};

struct PairTarget {
  Writer trace, plus, minus;
};

/// Displacements of the corners of eight elements: [a][c].
template <int nodes>
using Nodal = std::array<std::array<Packet, 3>, nodes>;

// ---- Linear tetrahedra

TetrahedronStrain identity(TetrahedronStrain) { return {identity3<Packet>()}; }

TetrahedronStrain gradient(const TetrahedronElement& element, const Nodal<4>& u) {
  TetrahedronStrain strain;
  for (int axis = 0; axis < 3; ++axis) {
    for (int c = 0; c < 3; ++c) {
      Packet sum = u[0][c] * element.gradient[0][axis];
      for (int a = 1; a < 4; ++a) sum += u[a][c] * element.gradient[a][axis];
      strain.gradient(c, axis) = sum;
    }
  }
  return strain;
}

TetrahedronStrain scaled(Packet factor, const TetrahedronStrain& strain) {
  return {factor * strain.gradient};
}

void write_pair(const TetrahedronStrain& left, const TetrahedronStrain& right, PairTarget to) {
  const auto product = [&](int i, int j) {
    return left.gradient(0, i) * right.gradient(0, j) + left.gradient(1, i) * right.gradient(1, j) +
           left.gradient(2, i) * right.gradient(2, j);
  };
  const Packet xx = product(0, 0), yy = product(1, 1), zz = product(2, 2);
  to.trace(xx + yy + zz);
  to.plus(sqrt_half * (xx - yy));
  to.plus(sqrt_sixth * (xx + yy - 2.0 * zz));
  to.plus(sqrt_half * (product(0, 1) + product(1, 0)));  // E_xy counts twice in E : E
  to.plus(sqrt_half * (product(1, 2) + product(2, 1)));
  to.plus(sqrt_half * (product(2, 0) + product(0, 2)));
}

// ---- Bricks
//
// Orthonormal over -1 <= x <= 1 with the mean as inner product: p_0 = 1, p_1 = sqrt(3) x, p_2 = sqrt(5)/2 (3
// x^2 - 1), so that (f_0 + f_1 p_1)(g_0 + g_1 p_1) = (f_0 g_0 + f_1 g_1) + (f_0 g_1 + f_1 g_0) p_1 + k f_1
// g_1 p_2 with
const double k = 2.0 / std::sqrt(5.0);

BrickStrain identity(BrickStrain) {
  BrickStrain strain{};
  for (int c = 0; c < 3; ++c) strain.gradient[c][c][0][0] = broadcast(1.0);
  return strain;
}

/// Corner of a brick by its side (0 low, 1 high) along z, y, x.
constexpr int brick_corner[2][2][2] = {{{0, 1}, {3, 2}}, {{4, 5}, {7, 6}}};

BrickStrain gradient(const BrickElement& element, const Nodal<8>& u) {
  const double slope =
      0.5 / std::sqrt(3.0);  // half the difference is the coefficient of x, x = p_1 / sqrt(3)
  BrickStrain strain;
  for (int axis = 0; axis < 3; ++axis) {
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    for (int c = 0; c < 3; ++c) {
      Packet edge[2][2];  // differences along the edges, by the sides of the other two axes
      for (int s = 0; s < 2; ++s) {
        for (int t = 0; t < 2; ++t) {
          int side[3];
          side[next] = s;
          side[last] = t;
          const auto corner = [&](int end) {
            side[axis] = end;
            return u[brick_corner[side[2]][side[1]][side[0]]][c];
          };
          edge[s][t] = (corner(1) - corner(0)) * element.inverse_size[axis];
        }
      }
      Packet(&g)[2][2] = strain.gradient[c][axis];
      const Packet low = edge[0][0] + edge[1][0], high = edge[0][1] + edge[1][1];
      const Packet low_slope = edge[1][0] - edge[0][0], high_slope = edge[1][1] - edge[0][1];
      g[0][0] = 0.25 * (low + high);
      g[0][1] = 0.5 * slope * (high - low);
      g[1][0] = 0.5 * slope * (low_slope + high_slope);
      g[1][1] = slope * slope * (high_slope - low_slope);
    }
  }
  return strain;
}

BrickStrain scaled(Packet factor, const BrickStrain& strain) {
  BrickStrain result;
  for (int c = 0; c < 3; ++c)
    for (int axis = 0; axis < 3; ++axis)
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) result.gradient[c][axis][a][b] = factor * strain.gradient[c][axis][a][b];
  return result;
}

/// The nine coefficients of E_axis,axis: [degree along the next axis][along the last].
struct Diagonal {
  Packet at[3][3];
};

Diagonal diagonal(const BrickStrain& left, const BrickStrain& right, int axis) {
  Packet s00{}, s10{}, s01{}, s11{};                   // products of equal degrees
  Packet next0{}, next1{}, last0{}, last1{}, mixed{};  // of degrees that differ along next, last, both
  for (int c = 0; c < 3; ++c) {
    const Packet(&f)[2][2] = left.gradient[c][axis];
    const Packet(&g)[2][2] = right.gradient[c][axis];
    s00 += f[0][0] * g[0][0];
    s10 += f[1][0] * g[1][0];
    s01 += f[0][1] * g[0][1];
    s11 += f[1][1] * g[1][1];
    next0 += f[0][0] * g[1][0] + f[1][0] * g[0][0];
    next1 += f[0][1] * g[1][1] + f[1][1] * g[0][1];
    last0 += f[0][0] * g[0][1] + f[0][1] * g[0][0];
    last1 += f[1][0] * g[1][1] + f[1][1] * g[1][0];
    mixed += f[0][0] * g[1][1] + f[1][1] * g[0][0] + f[1][0] * g[0][1] + f[0][1] * g[1][0];
  }
  return {{{s00 + s10 + (s01 + s11), last0 + last1, k * (s01 + s11)},
           {next0 + next1, mixed, k * next1},
           {k * (s10 + s11), k * last1, (k * k) * s11}}};
}

/// The twelve coefficients of sqrt(2) E_ab, b the axis after a.
void write_shear(const BrickStrain& left, const BrickStrain& right, int a, Writer& to) {
  const int b = (a + 1) % 3;
  for (int degree_a = 0; degree_a < 2; ++degree_a) {
    for (int degree_b = 0; degree_b < 2; ++degree_b) {
      Packet equal0{}, equal1{}, mixed{};  // products by degree along the third axis
      const auto add = [&](const BrickStrain& f, const BrickStrain& g) {  // d_a of f times d_b of g
        for (int c = 0; c < 3; ++c) {
          const Packet f0 = f.gradient[c][a][degree_b][0], f1 = f.gradient[c][a][degree_b][1];
          const Packet g0 = g.gradient[c][b][0][degree_a], g1 = g.gradient[c][b][1][degree_a];
          equal0 += f0 * g0;
          equal1 += f1 * g1;
          mixed += f0 * g1 + f1 * g0;
        }
      };
      add(left, right);
      add(right, left);
      to(sqrt_half * (equal0 + equal1));
      to(sqrt_half * mixed);
      to((sqrt_half * k) * equal1);
    }
  }
}

void write_pair(const BrickStrain& left, const BrickStrain& right, PairTarget to) {
  const Diagonal E[3] = {diagonal(left, right, 0), diagonal(left, right, 1), diagonal(left, right, 2)};
  const Packet xx = E[0].at[0][0], yy = E[1].at[0][0], zz = E[2].at[0][0];
  to.trace(xx + yy + zz);
  to.minus((2.0 * sqrt_sixth) * (xx + yy + zz));  // 2/3 of the square
  to.plus(sqrt_half * (xx - yy));
  to.plus(sqrt_sixth * (xx + yy - 2.0 * zz));
  for (int axis = 0; axis < 3; ++axis) {  // functions of one coordinate: in the two other diagonal components
    for (int degree = 1; degree < 3; ++degree) {
      const Packet one = E[(axis + 1) % 3].at[0][degree], other = E[(axis + 2) % 3].at[degree][0];
      to.trace(one + other);
      to.minus(sqrt_half * (one + other));
      to.plus(sqrt_half * (one - other));
    }
  }
  for (int axis = 0; axis < 3; ++axis) {  // of two: in the third component alone
    for (int a = 1; a < 3; ++a)
      for (int b = 1; b < 3; ++b) to.trace(E[axis].at[a][b]);
  }
  for (int axis = 0; axis < 3; ++axis) write_shear(left, right, axis, to.plus);
}

}  // namespace

template <class Strain>
StrainColumns<Strain>::StrainColumns(const VolumeMesh& mesh, const DofMap& dofs,
                                     const Eigen::Ref<const Matrix>& basis)
    : mesh_(mesh), dofs_(dofs), basis_(basis), strains_(static_cast<std::size_t>(basis.cols() + 1)) {
  strains_[0] = identity(Strain{});
}

template <class Strain>
void StrainColumns<Strain>::compute_gradients(const ElementPacket& packet,
                                              const typename Strain::Element& element) {
  constexpr int nodes = Strain::Element::nodes;
  static constexpr double at_rest[3] = {0.0, 0.0, 0.0};
  Index dof[packet_size][nodes];  // of the x displacement, or -1
  for (int lane = 0; lane < packet_size; ++lane) {
    for (int a = 0; a < nodes; ++a) {
      const int free = dofs_.free_index(mesh_.elements(a, packet.element[static_cast<std::size_t>(lane)]));
      dof[lane][a] = free < 0 ? -1 : 3 * Index{free};
    }
  }
  for (Index i = 0; i < basis_.cols(); ++i) {
    const double* mode = basis_.data() + i * basis_.outerStride();
    Nodal<nodes> u;
    for (std::size_t a = 0; a < nodes; ++a) {
      for (int lane = 0; lane < packet_size; ++lane) {
        const double* x = dof[lane][a] < 0 ? at_rest : mode + dof[lane][a];
        for (std::size_t c = 0; c < 3; ++c) u[a][c][lane] = x[c];
      }
    }
    strains_[static_cast<std::size_t>(i + 1)] = gradient(element, u);
  }
}

template <class Strain>
void StrainColumns<Strain>::load(const ElementPacket& packet) {
  const typename Strain::Element element(mesh_, packet);
  compute_gradients(packet, element);
  weight_ = map_lanes(element.volume, [](double volume) { return std::sqrt(volume); });
  for (int lane = packet.count; lane < packet_size; ++lane) weight_[lane] = 0.0;
}

template <class Strain>
void StrainColumns<Strain>::write(Index i, const StrainTarget& target) const {
  const auto at = [&](Index j) {
    return PairTarget{Writer(target.trace, j), Writer(target.plus, j), Writer(target.minus, j)};
  };
  const Strain& mode = strains_[static_cast<std::size_t>(i)];
  const Strain left = scaled(weight_, mode);
  for (Index j = 0; j < i; ++j) write_pair(left, strains_[static_cast<std::size_t>(j)], at(j));
  write_pair(scaled(broadcast(0.5), left), mode, at(i));
}

template <class Strain>
void StrainColumns<Strain>::write_all(const StrainTarget& target) const {
  const auto from = [](const RowBlock& block, Index pair) {
    return RowBlock{block.first + block.stride * pair, block.stride};
  };
  for (Index i = 1; i <= basis_.cols(); ++i) {
    const Index pair = pair_index(i, 0);
    write(i, {from(target.trace, pair), from(target.plus, pair), from(target.minus, pair)});
  }
}

template class StrainColumns<TetrahedronStrain>;
template class StrainColumns<BrickStrain>;

}  // namespace limber
