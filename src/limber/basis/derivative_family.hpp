#pragma once

#include "limber/base/progress.hpp"
#include "limber/basis/rest_stiffness.hpp"

#include <vector>

namespace limber {

/// Linear modes with their derivatives up to some order, each with the importance it has for a condensed
/// basis.
struct DerivativeFamily {
  Matrix shapes;  ///< dofs x count; the linear modes first, then order after order
  /// count: lambda_1 / lambda_i for a mode; for a derivative the product of the weights of the two shapes it
  /// comes from. They compare shapes of one order: those of different orders have different units.
  Vector weights;
  std::vector<Index> first;  ///< orders + 2: shapes of order k (0: the modes) are first[k] to first[k + 1]
  SolveReport report;
};

/// Derivatives of first, second and any higher order.
///                                         [Barbic & James 2005, Eq. 14; Yang et al. 2015, Eq. 8-9]
///
///   v_ab = -K^-1 (H : a) b,
///
/// order k + 1: for all pairs (a, b), a of order k and b of any order up to k, where H : a is the derivative
/// of the stiffness at rest. The product is symmetric in a and b, so each pair counts once: 2 modes have 3
/// derivatives of first and 12 of second order (the 15 of the paper's Figure 8 count the 3 again). Shape k +
/// pair_index(i, j) comes from the shapes i >= j (pairs.hpp).
///
/// They hold the Neumann series of (K + s H : a)^-1 f term by term. They do not hold all of the third order
/// of a static shape, to which the second derivative of the stiffness contributes as well.
///
/// modes: dofs x k, elastic ones.  eigenvalues: k, > 0, of these.  order: 0 (the modes alone) or more.
/// Throws Error for sizes that do not fit, and where the vectors with the loads they come from would fill
/// more than `most_bytes`.
DerivativeFamily compute_derivative_family(RestStiffness& rest, const Eigen::Ref<const Matrix>& modes,
                                           const VectorRef& eigenvalues, int order,
                                           const Progress& progress = {}, double most_bytes = 16e9);

/// How many vectors that gives: modes, and derivatives of all orders.
double derivative_family_size(Index modes, int order);

}  // namespace limber
