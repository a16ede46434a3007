#pragma once

#include "limber/base/progress.hpp"
#include "limber/basis/rest_stiffness.hpp"
#include "limber/linalg/eigensolver.hpp"

namespace limber {

struct LinearModesOptions {
  EigenOptions eigen{};
};

/// Natural vibrations of the body about its rest shape: K x = lambda M x.
struct LinearModes {
  Index rigid = 0;        ///< motions without strain, which come first: 6 for a free body
  Vector eigenvalues;     ///< lambda = omega^2, rad^2/s^2, ascending; exactly 0 for the rigid ones
  Vector frequencies_hz;  ///< sqrt(lambda) / (2 pi)
  Matrix shapes;          ///< dofs x count, mass-orthonormal
  SolveReport report;

  /// Those that deform the body.
  [[nodiscard]] auto elastic_shapes() const { return shapes.rightCols(shapes.cols() - rigid); }
  [[nodiscard]] auto elastic_eigenvalues() const { return eigenvalues.tail(eigenvalues.size() - rigid); }
};

/// The `count` lowest modes, rigid ones included, for held and for free bodies. Throws Error when the model
/// has fewer unknowns than that.
LinearModes compute_linear_modes(RestStiffness& rest, Index count, const LinearModesOptions& options = {});

/// The same, factoring the stiffness for this alone.
LinearModes compute_linear_modes(const FullModel& model, Index count, const LinearModesOptions& options = {});

/// The six infinitesimal rigid motions of the free vertices (3 translations, 3 rotations about the centre),
/// dofs x 6.
Matrix rigid_motions(const FullModel& model);

}  // namespace limber
