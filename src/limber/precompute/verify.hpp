#pragma once

#include "limber/base/progress.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <cstdint>

namespace limber {

struct VerifyOptions {
  int states = 10;
  double largest_gradient =
      1.0;  ///< |grad u| of the strongest state: 1 is 100 % strain; states are spread over (0, this]
  std::uint64_t seed = 1;
  Progress progress{};
};

/// Largest relative errors of a reduced model over random states: |reduced - projected full| / |projected full|.
struct VerifyReport {
  int states = 0;
  double force_error = 0.0;
  double stiffness_error = 0.0;
  double energy_error = 0.0;
  double mass_error = 0.0;      ///< |U^T M U of the full model - reduced mass| / |reduced mass|
  double largest_gradient = 0;  ///< |grad u| met
};

/// Compares W(q), f(q) and K(q) with W(Uq), U^T f(Uq) and U^T K(Uq) U. The full model must have the mesh of the reduced one and
/// the materials given to it; throws Error where they do not fit together or the reduced model was kept without its mesh.
VerifyReport verify_model(const FullModel& full, const ReducedModel& reduced,
                          const VerifyOptions& options = {});

}  // namespace limber
