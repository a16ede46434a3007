#pragma once

#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/newmark.hpp"

namespace limber {

/// How the linear systems of an implicit step are solved.
enum class ReducedSolver {
  direct,              ///< with the factor of the matrix, its stiffness evaluated
  conjugate_gradient,  ///< without the matrix: only forces are evaluated
};

struct ConjugateGradientOptions {
  /// On |b - A x| / |b| in the norm of P^-1, which is that of the energy of the error where P is near A. The
  /// value of the paper; where Newton iterates, each iteration gains these three digits.
  double tolerance = 1e-3;
  int max_iterations = 60;  ///< of one solve: ten times what is usual
};

struct ReducedStepOptions {
  Integrator integrator = Integrator::newmark;
  NewmarkOptions newmark = real_time_newmark();  ///< [Barbic & James 2005, 6.1]
  ReducedSolver solver = ReducedSolver::direct;  ///< of the linear systems of Newmark steps
  ConjugateGradientOptions conjugate_gradient;   ///< where it is that
  int max_halvings = 6;  ///< a Newmark step of several iterations that fails is taken as two half steps, and
                         ///< so on, this often; never for 0 and below
  bool last_resort = true;  ///< then it is rescued (integrators/rescue.hpp); false: it fails
};

}  // namespace limber
