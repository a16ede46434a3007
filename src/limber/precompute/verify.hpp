#pragma once

#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <cstdint>
#include <optional>

namespace limber {

struct VerifyOptions {
  int states = 0;  ///< to compare; 0: 10 for exact forces, 100 for cubature
  /// Exact forces: |grad u| of the strongest state: 1 is 100 % strain; states are spread over (0, this]
  double largest_gradient = 1.0;
  std::uint64_t seed = 1;
  Progress progress{};
};

/// How far a reduced model is from the full one. Exact forces are compared at random states, and all errors
/// are those of rounding. Cubature is compared along motions that it was not trained with (poses.hpp), of the
/// amplitude that it was trained for.
struct VerifyReport {
  int states = 0;
  int lost = 0;  ///< cubature: states asked for that no motion gave, because its forces are unstable
  double largest_gradient = 0.0;  ///< |grad u| met
  // Largest relative errors |reduced - projected full| / |projected full|:
  double force_error = 0.0;
  double stiffness_error = 0.0;
  double energy_error = 0.0;
  double mass_error = 0.0;  ///< |U^T M U of the full model - reduced mass| / |reduced mass|
  /// Cubature: the error of the force, root mean square over the states, as in its training.
  double held_out_error = 0.0;
  /// The same against the exact polynomial, for bodies of St. Venant-Kirchhoff material up to rank 60.
  std::optional<double> polynomial_error;
};

/// Compares W(q), f(q) and K(q) with W(Uq), U^T f(Uq) and U^T K(Uq) U. The full model must have the mesh of
/// the reduced one and the materials given to it; throws Error where they do not fit together, the reduced
/// model was kept without its mesh, or its cubature cannot be simulated.
VerifyReport verify_model(const FullModel& full, const ReducedModel& reduced,
                          const VerifyOptions& options = {});

/// Its mass_error alone.
double mass_error(const FullModel& full, const ReducedModel& reduced);

}  // namespace limber
