#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/linalg/sparse_solver.hpp"

#include <memory>

namespace limber {

/// Columns solved between two reports of progress: a few full panels for each thread (sparse_solver.hpp).
inline constexpr Index columns_between_reports = 96;

/// The stiffness K = K(0) of a body at rest, factored once for everything that needs it: linear modes, modal
/// derivatives, linear responses.
///
/// A body that nothing holds (or a part of it, or one that may still turn about an axis) has motions without
/// strain: K is singular. A load f then has an answer only if it does no work on them, so it is first made
/// self-equilibrated: the inertia force M N N^T f of the rigid motions N is taken off. As many unknowns as
/// there are such motions are pinned, which statically determines the rest; K with these pinned is positive
/// definite and factored as usual; from its solution the rigid motions are projected out. That is the
/// solution of the constrained system K x + M N y = f, N^T M x = 0 of Yang et al. 2015 (Eq. 3), without
/// factoring an indefinite matrix.
class RestStiffness final {
 public:
  /// Assembles and factors. Keeps a reference to the model. Throws Error where K cannot be factored.
  explicit RestStiffness(const FullModel& model);
  RestStiffness(const FullModel&& temporary) = delete;
  ~RestStiffness();
  RestStiffness(RestStiffness&&) noexcept;

  [[nodiscard]] const FullModel& model() const;
  [[nodiscard]] const SparseMatrix& matrix() const;  ///< K(0), in the pattern of the model

  /// Motions without strain N, dofs x k, mass-orthonormal: none for a held body, six for a free one.
  [[nodiscard]] const Matrix& rigid_modes() const;

  /// X = K^-1 B for a held body, else the self-equilibrated solution, mass-orthogonal to rigid_modes().
  /// Columns are solved in blocks, in parallel.
  SolveReport solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X);

  /// The same as a SparseSolver, for the eigensolver. factor() and analyze() must not be called on it.
  [[nodiscard]] SparseSolver& solver();

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace limber
