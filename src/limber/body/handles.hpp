#pragma once

#include "limber/body/body.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace limber {

/// Throws Error unless each handle holds something at a point that exists, which no other holds in the same
/// way, and has targets as check_targets() asks for. One handle may hold the position of a point and another
/// its orientation. surface_vertices, mesh_vertices: how many there are; 0 of a mesh that was not kept.
void check_handles(std::span<const Handle> handles, Index surface_vertices, Index mesh_vertices);

/// Throws Error unless handles hold points by numbers that are finite and quaternions of unit length.
void check_targets(std::span<const Handle> handles);

/// Whether they hold the same points in the same way, whatever their targets.
bool same_grip(std::span<const Handle> one, std::span<const Handle> other);

/// How much of what a body can do its handles take from it, in the domain where that is most.
struct HandleShare {
  Index domain = 0;
  Index held = 0;         ///< numbers: three for each position there, three for each orientation
  Index coordinates = 0;  ///< that are there to meet them: of the domain, and up to six that carry it

  [[nodiscard]] bool more_than(const HandleShare& other) const {
    return held * std::max<Index>(other.coordinates, 1) > other.held * std::max<Index>(coordinates, 1);
  }
};

/// Of handles as check_handles() of the body takes them. Nothing of a body that moves with every vertex.
HandleShare largest_share(const Body& body, std::span<const Handle> handles);

/// A point as modal warping sees it, with how it turns.
using SiteFunction = std::function<WarpSite(const Point&)>;

/// What Manipulation takes for handles, in their order. exercised: where forces act to meet them; none: they
/// are ideal constraints. Throws Error for a handle at a point that cannot move.
ManipulationSites handle_sites(const SiteFunction& site_at, std::span<const Handle> handles,
                               ConstraintPriority priority, std::span<const Point> exercised);

/// Sends constraints on the sites of these handles to their targets, moved by `to_frame`.
void set_targets(Manipulation& constraints, std::span<const Handle> handles, const Pose& to_frame);

}  // namespace limber
