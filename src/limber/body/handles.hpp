#pragma once

#include "limber/body/body.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <functional>
#include <span>

namespace limber {

/// Throws Error unless each handle holds something at a point that exists, which no other holds in the same
/// way, and has targets as check_targets() asks for. One handle may hold the position of a point and another
/// its orientation. surface_vertices, mesh_vertices: how many there are; 0 of a mesh that was not kept.
void check_handles(std::span<const Handle> handles, Index surface_vertices, Index mesh_vertices);

/// Throws Error unless handles hold points by numbers that are finite and quaternions of unit length.
void check_targets(std::span<const Handle> handles);

/// Whether they hold the same points in the same way, whatever their targets.
bool same_grip(std::span<const Handle> one, std::span<const Handle> other);
/// The same for springs.
bool same_grip(std::span<const Spring> one, std::span<const Spring> other);

/// How far points are from where handles shall have them.  tolerance: up to which they are met, m.
ConstraintReport missed_targets(const Motion& motion, std::span<const Handle> handles, double tolerance);

/// A point as modal warping sees it, with how it turns.
using SiteFunction = std::function<WarpSite(const Point&)>;

/// What Manipulation takes for handles, in their order. exercised: where forces act to meet them; none: they
/// are ideal constraints.
ManipulationSites handle_sites(const SiteFunction& site_at, std::span<const Handle> handles,
                               ConstraintPriority priority, std::span<const Point> exercised);

/// Sends constraints on the sites of these handles to their targets, moved by `to_frame`.
void set_targets(Manipulation& constraints, std::span<const Handle> handles, const Pose& to_frame);

}  // namespace limber
