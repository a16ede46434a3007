#include "limber/mesh/far_field.hpp"

#include <Eigen/Geometry>

#include <numbers>

namespace limber {
namespace {

/// Place of x^a y^b z^(K-a-b) among the coefficients.
template <int K>
constexpr int place(int a, int b) {
  return (K - a) * (K - a + 1) / 2 + (K - a - b);
}

/// Calls visit(a, b, c) for the exponents of every monomial.
template <int K, class Visit>
void each_monomial(Visit&& visit) {
  for (int a = K; a >= 0; --a) {
    for (int b = K - a; b >= 0; --b) visit(a, b, K - a - b);
  }
}

/// (v . r) times a polynomial.
template <int K>
Polynomial<K> times_linear(const Vector3& v, const Polynomial<K - 1>& p) {
  Polynomial<K> result{};
  each_monomial<K - 1>([&](int a, int b, int) {
    const double value = p[place<K - 1>(a, b)];
    result[place<K>(a + 1, b)] += v.x() * value;
    result[place<K>(a, b + 1)] += v.y() * value;
    result[place<K>(a, b)] += v.z() * value;
  });
  return result;
}

template <std::size_t N>
void accumulate(std::array<double, N>& sum, double factor, const std::array<double, N>& p) {
  for (std::size_t i = 0; i < N; ++i) sum[i] += factor * p[i];
}

template <int K>
Polynomial<K - 2> laplacian(const Polynomial<K>& p) {
  Polynomial<K - 2> result{};
  each_monomial<K>([&](int a, int b, int c) {
    const double value = p[place<K>(a, b)];
    if (a > 1) result[place<K - 2>(a - 2, b)] += a * (a - 1) * value;
    if (b > 1) result[place<K - 2>(a, b - 2)] += b * (b - 1) * value;
    if (c > 1) result[place<K - 2>(a, b)] += c * (c - 1) * value;
  });
  return result;
}

/// |r|^2 times a polynomial.
template <int K>
Polynomial<K> times_square(const Polynomial<K - 2>& p) {
  Polynomial<K> result{};
  each_monomial<K - 2>([&](int a, int b, int) {
    const double value = p[place<K - 2>(a, b)];
    result[place<K>(a + 2, b)] += value;
    result[place<K>(a, b + 2)] += value;
    result[place<K>(a, b)] += value;
  });
  return result;
}

/// p - |r|^2 Lap p / (2 (2K-1)) + |r|^4 Lap^2 p / (8 (2K-1) (2K-3)); further terms vanish up to K = 5.
template <int K>
Polynomial<K> harmonic_part(const Polynomial<K>& p) {
  Polynomial<K> result = p;
  const Polynomial<K - 2> first = laplacian<K>(p);
  accumulate(result, -1.0 / (2 * (2 * K - 1)), times_square<K>(first));
  if constexpr (K >= 4) {
    const Polynomial<K> second = times_square<K>(times_square<K - 2>(laplacian<K - 2>(first)));
    accumulate(result, 1.0 / (8 * (2 * K - 1) * (2 * K - 3)), second);
  }
  return result;
}

}  // namespace

void FarField::add(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 normal = 0.5 * (b - a).cross(c - a);
  const Polynomial<1> q1{normal.x(), normal.y(), normal.z()};
  accumulate(q1_, 1.0, q1);
  const auto add_point = [&](const Vector3& d, double weight) {
    const Polynomial<2> q2 = times_linear<2>(d, q1);
    const Polynomial<3> q3 = times_linear<3>(d, q2);
    const Polynomial<4> q4 = times_linear<4>(d, q3);
    accumulate(q2_, weight, q2);
    accumulate(q3_, weight, q3);
    accumulate(q4_, weight, q4);
    accumulate(q5_, weight, times_linear<5>(d, q4));
  };
  // Six points integrate polynomials of degree four over a triangle exactly.        [Dunavant 1985, table II]
  constexpr std::array<double, 2> share{0.445948490915965, 0.091576213509771};
  constexpr std::array<double, 2> weight{0.223381589678011, 0.109951743655322};
  for (int k = 0; k < 2; ++k) {
    const double s = share[k];
    add_point((1.0 - 2.0 * s) * a + s * (b + c), weight[k]);
    add_point((1.0 - 2.0 * s) * b + s * (c + a), weight[k]);
    add_point((1.0 - 2.0 * s) * c + s * (a + b), weight[k]);
  }
}

void FarField::add(const FarField& other, const Vector3& offset) {
  // ((d + s) . r)^m by the binomial theorem; each row multiplies what came before by s . r once more.
  const Polynomial<2> q1s = times_linear<2>(offset, other.q1_);
  const Polynomial<3> q1ss = times_linear<3>(offset, q1s);
  const Polynomial<4> q1sss = times_linear<4>(offset, q1ss);
  const Polynomial<3> q2s = times_linear<3>(offset, other.q2_);
  const Polynomial<4> q2ss = times_linear<4>(offset, q2s);
  const Polynomial<4> q3s = times_linear<4>(offset, other.q3_);
  accumulate(q1_, 1.0, other.q1_);
  accumulate(q2_, 1.0, other.q2_);
  accumulate(q2_, 1.0, q1s);
  accumulate(q3_, 1.0, other.q3_);
  accumulate(q3_, 2.0, q2s);
  accumulate(q3_, 1.0, q1ss);
  accumulate(q4_, 1.0, other.q4_);
  accumulate(q4_, 3.0, q3s);
  accumulate(q4_, 3.0, q2ss);
  accumulate(q4_, 1.0, q1sss);
  accumulate(q5_, 1.0, other.q5_);
  accumulate(q5_, 4.0, times_linear<5>(offset, other.q4_));
  accumulate(q5_, 6.0, times_linear<5>(offset, q3s));
  accumulate(q5_, 4.0, times_linear<5>(offset, q2ss));
  accumulate(q5_, 1.0, times_linear<5>(offset, q1sss));
}

std::array<double, far_field_coefficients> FarField::coefficients() const {
  constexpr double unit = 0.25 * std::numbers::inv_pi;
  std::array<double, far_field_coefficients> result{};
  const auto store = [&](int degree, double factor, const auto& p) {
    for (std::size_t i = 0; i < p.size(); ++i) result[first_coefficient(degree) + i] = factor * p[i];
  };
  store(1, unit, q1_);
  store(2, -3.0 * unit, harmonic_part<2>(q2_));
  store(3, 15.0 / 2.0 * unit, harmonic_part<3>(q3_));
  store(4, -105.0 / 6.0 * unit, harmonic_part<4>(q4_));
  store(5, 945.0 / 24.0 * unit, harmonic_part<5>(q5_));
  return result;
}

}  // namespace limber
