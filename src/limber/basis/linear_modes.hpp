#pragma once

#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/linalg/eigensolver.hpp"

namespace limber {

struct LinearModesOptions {
  EigenOptions eigen{};
};

/// Natural vibrations of the body about its rest shape: K x = lambda M x.
struct LinearModes {
  Vector eigenvalues;     ///< lambda = omega^2, rad^2/s^2, ascending; the rigid motions of a free body come
                          ///< first, near zero
  Vector frequencies_hz;  ///< sqrt(lambda) / (2 pi)
  Matrix shapes;          ///< dofs x count, mass-orthonormal
  SolveReport report;
};

/// The `count` lowest modes, for held and for free bodies. Throws Error when the model has fewer unknowns
/// than that.
LinearModes compute_linear_modes(const FullModel& model, int count, const LinearModesOptions& options = {});

/// The six infinitesimal rigid motions of the free vertices (3 translations, 3 rotations about the centre),
/// dofs x 6.
Matrix rigid_motions(const FullModel& model);

}  // namespace limber
