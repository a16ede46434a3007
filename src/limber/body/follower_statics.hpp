#pragma once

#include "limber/body/motion.hpp"
#include "limber/body/surface_loads.hpp"

namespace limber {

/// Equilibrium under loads that follow the shape, from the present one: the shape in which they are F(x) is
/// x itself,
///
///   g = F(x(g)),     x(g): the equilibrium under constant forces g.
///
/// The iteration g <- F(x(g)) alone diverges where F changes more by a shape than the body resists that; it
/// is taken with the combination of its last rounds whose residuals F - g cancel best [Anderson 1965], and,
/// where that does not converge, with loads that grow in parts. Converged where forces change by less than
/// the tolerance of the options, as a share of all. On failure, and where a solution throws Error, motion and
/// loads are left as they were.
StepReport solve_following(Motion& motion, SurfaceLoads& loads, const EquilibriumOptions& options);

}  // namespace limber
