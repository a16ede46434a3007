#pragma once

#include "limber/linalg/definite_factor.hpp"
#include "limber/reduced/reduced_step_options.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

// The linear systems of an implicit step without their matrix.                [Yang et al. 2015, Appendix C]
//
//   A p = (c1 + c2 alpha) M p + (c3 + c2 beta) Df(q)[p],   Df(q)[p] = (f(q + e p) - f(q)) / e,   (Eq. 14, 15)
//   P   = (c1 + c2 alpha) M   + (c3 + c2 beta) K(0),                                             (Eq. 17)
//
// solved by conjugate gradients with the preconditioner P, which is constant: its factor is kept while h is.
// A product costs one evaluation of the force, O(points r) with cubature, where the matrix itself costs
// O(points r^2) and its factor O(r^3).
//
// The paper starts from the increment of the step before. The residual of a start that is not zero costs a
// product as well, and there are only two or three to save: we start from zero.

/// What the solves of a system have cost so far.
struct ConjugateGradientCount {
  long solves = 0;
  long iterations = 0;  ///< products, of all solves
  long unfinished = 0;  ///< solves that ended above the tolerance: at negative curvature, stuck, at the limit
  int most = 0;         ///< iterations of the longest solve
};

/// Vectors that a solve needs, kept from solve to solve: only the first one allocates.
struct ConjugateGradientWorkspace {
  Vector residual, preconditioned, direction, product, iterate;
};

/// x near A^-1 b by preconditioned conjugate gradients from x = 0.
///
/// multiply(p, y) sets y = A p.  P: the preconditioner.  floor: a direction with p . A p at or below
/// floor |p|^2 counts as one of negative curvature, and so does one a million times softer than P, which no
/// difference of forces tells from it.
///
/// A need not be quite symmetric: beta = z . (r_new - r) / (z_old . r_old) (Polak & Ribiere) is the usual one
/// where it is, and forgets directions that are not conjugate where it is not.
///
/// Where the tolerance is not met, because a direction has negative curvature, the limit is reached or
/// several iterations brought nothing, x is the iterate of the smallest residual, or P^-1 b where none is
/// smaller than b: it descends as well. That is no failure; numbers that are not finite are.
/// residual in the report: |b - A x| / |b| in the norm of P^-1, 1 for P^-1 b.
template <class Multiply>
SolveReport conjugate_gradient(const Multiply& multiply, DefiniteFactor& P, double floor, const Vector& b,
                               Vector& x, ConjugateGradientWorkspace& work,
                               const ConjugateGradientOptions& options = {}) {
  constexpr int patience = 8;  // residuals of a symmetric matrix rise too, but not for long
  constexpr double softest = 1e-6;
  Vector &r = work.residual, &z = work.preconditioned, &p = work.direction;
  work.iterate.setZero(b.size());
  x = work.iterate;
  if (!b.allFinite()) return {SolveStatus::not_finite, 0, 0.0};
  const double scale = b.cwiseAbs().maxCoeff();
  if (scale == 0.0) return {};
  r = b / scale;  // squares of tiny loads would vanish
  P.solve(r, z);
  p = z;
  x = z;
  double rho = r.dot(z), best = rho, size = rho;  // size: p . P p
  const double start = rho, enough = options.tolerance * options.tolerance * start;
  int iterations = 0, best_at = 0;
  while (best > enough && iterations < options.max_iterations && iterations - best_at < patience) {
    multiply(p, work.product);
    ++iterations;
    const double curvature = p.dot(work.product);
    if (!std::isfinite(curvature)) return {SolveStatus::not_finite, iterations, std::sqrt(best / start)};
    if (curvature <= std::max(floor * p.squaredNorm(), softest * size)) break;
    const double length = r.dot(p) / curvature;
    work.iterate += length * p;
    r -= length * work.product;
    P.solve(r, z);
    const double beta = -length * z.dot(work.product) / rho;
    rho = r.dot(z);
    size = rho + beta * beta * size;
    p = z + beta * p;
    if (rho < best) {
      best = rho;
      best_at = iterations;
      x = work.iterate;
    }
  }
  x *= scale;
  return {SolveStatus::converged, iterations, std::sqrt(std::max(best, 0.0) / start)};
}

}  // namespace limber
