#pragma once

#include "limber/linalg/types.hpp"

#include <array>

namespace limber {

/// Terms of an expansion that are kept.
inline constexpr int far_field_order = 5;

/// Coefficients of a homogeneous polynomial of degree K in three variables. Monomials x^a y^b z^c are in the
/// order of falling a, then falling b: for K = 2  xx xy xz yy yz zz. Multiples of x come first.
constexpr int coefficient_count(int K) { return (K + 1) * (K + 2) / 2; }
template <int K>
using Polynomial = std::array<double, static_cast<std::size_t>(coefficient_count(K))>;

/// Where the coefficients of degree K start in the list of all degrees from 1 on.
constexpr int first_coefficient(int K) { return K * (K + 1) * (K + 2) / 6 - 1; }
inline constexpr int far_field_coefficients = first_coefficient(far_field_order + 1);  // 55

/// The winding number of triangles seen from far away.                          [after Barill et al. 2018, 3]
///
/// With r from the point to a centre, d from there to the surface, n its normal and G(r) = r/|r|^3,
///   4 pi w = int n . G(r + d) = sum over k of 1/(k-1)! int (n . D) (d . D)^(k-1) (-1/|r|),   D = d/dr.
/// For a homogeneous polynomial q of degree k, q(D) (1/|r|) = (-1)^k (2k-1)!! h(r) / |r|^(2k+1), where h is
/// the harmonic part of q, what is left of it without multiples of |r|^2 [Hobson 1931, 79]. So w is a sum of
///   pk(r) / |r|^(2k+1),   pk = (-1)^(k-1) (2k-1)!! / (4 pi (k-1)!) hk,
/// where hk is the harmonic part of int (n . r) (d . r)^(k-1). Terms with odd powers of d nearly cancel where
/// a cluster is symmetric; so the last one kept has an even one, d^4.
class FarField {
 public:
  /// Adds a triangle given by its corners relative to the centre.
  void add(const Vector3& a, const Vector3& b, const Vector3& c);

  /// Adds another field whose centre lies at `offset` from this one's.
  void add(const FarField& other, const Vector3& offset);

  /// Coefficients of p1 to p5.
  [[nodiscard]] std::array<double, far_field_coefficients> coefficients() const;

 private:
  // Integrals of (n . r) (d . r)^(k-1).
  Polynomial<1> q1_{};
  Polynomial<2> q2_{};
  Polynomial<3> q3_{};
  Polynomial<4> q4_{};
  Polynomial<5> q5_{};
};

}  // namespace limber
