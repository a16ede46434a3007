#pragma once

#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/full/full_springs.hpp"
#include "limber/linalg/solve_report.hpp"
#include "limber/linalg/sparse_solver.hpp"

#include <memory>
#include <span>

namespace limber {

struct StaticOptions {
  /// On |f(u) - f_ext| / |f_ext|: the error in u is then far below that of any mesh. Where supports were
  /// moved or springs pull, in place of |f_ext| the norm of the forces on all vertices, reactions included,
  /// if that is larger: there may be no f_ext at all.
  double tolerance = 1e-8;
  int max_iterations = 50;  ///< Newton iterations per load step
  int load_steps = 0;       ///< equal parts in which the load is applied; 0: chosen from the linear solution
  SparseSolverKind solver = SparseSolverKind::cholesky;
};

struct StaticReport : SolveReport {
  int load_steps = 0;            ///< taken, those cut in half included
  int projected_iterations = 0;  ///< in which the exact tangent was indefinite and its projection was used
  double smallest_volume_ratio = 1.0;  ///< at most 0 where an element ended up inverted
};

/// Static equilibrium  f(u) = f_ext  of a held body: a local minimum of  W(u) - f_ext . u.
///
/// Newton's iteration with a line search on that energy. Where the exact tangent is not positive definite the
/// projected one takes its place, so that every step descends. The load grows in steps: their number is
/// chosen such that the linear solution of one step has |grad u| of at most 1/2; a step that does not
/// converge, or that inverts an element, is halved and tried again. The class keeps the symbolic
/// factorisation for solves with many loads; solve_static() is the one-shot form.
class StaticSolver {
 public:
  /// Throws Error when some part of the body is not held: nothing then balances a load on it.
  explicit StaticSolver(const FullModel& model, const StaticOptions& options = {});
  ~StaticSolver();
  StaticSolver(StaticSolver&&) noexcept;
  StaticSolver& operator=(StaticSolver&&) noexcept;

  /// Springs that pull at the body beside the load, in place of those there were; none at first. The body
  /// must be held without them all the same. supports: as for displacement_at().
  void set_springs(std::span<const FullSpring> springs, const Matrix3X& supports);

  /// f_ext: forces on the unknowns, N.  u: start on entry, solution on return (the last converged load step
  /// where it fails).
  StaticReport solve(const VectorRef& f_ext, Vector& u, const Progress& progress = {});

  /// The same for a start that is near the solution, as in a series of small steps: Newton's iteration alone,
  /// without the factorisation that chooses load steps. Fails, and leaves u, where the start is not near:
  /// where the first step has |grad du| above 1/2, or more than a few iterations are needed. Whether elements
  /// may be inverted is for the caller to say.
  StaticReport solve_near(const VectorRef& f_ext, Vector& u);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

StaticReport solve_static(const FullModel& model, const VectorRef& f_ext, Vector& u,
                          const StaticOptions& options = {});

}  // namespace limber
