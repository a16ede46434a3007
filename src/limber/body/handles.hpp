#pragma once

#include "limber/body/loads.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <span>
#include <vector>

namespace limber {

/// Throws Error unless each handle holds something at a vertex of its own, by numbers that are finite and
/// quaternions of unit length. vertices: of the surface.
void check_handles(std::span<const Handle> handles, Index vertices);

/// Whether they hold the same vertices in the same way, whatever their targets.
bool same_grip(std::span<const Handle> one, std::span<const Handle> other);

/// What Manipulation takes for handles, in their order: ideal constraints. Throws Error for a vertex that
/// cannot move.
ManipulationSites handle_sites(const ReducedModel& model, const WarpedEquations& equations,
                               std::span<const Handle> handles, ConstraintPriority priority);

/// Sends constraints on the sites of these handles to their targets, moved by `to_frame`.
void set_targets(Manipulation& constraints, std::span<const Handle> handles, const Pose& to_frame);

}  // namespace limber
