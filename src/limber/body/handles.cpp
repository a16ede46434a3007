#include "limber/body/handles.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>

namespace limber {
namespace {

void check_handle(const Handle& handle, std::size_t i, Index vertices) {
  const auto& [vertex, hold_position, hold_orientation, position, rotation] = handle;
  require(vertex >= 0 && vertex < vertices, "handle {} holds vertex {} of a surface with vertices 0 to {}", i,
          vertex, vertices - 1);
  require(hold_position || hold_orientation,
          "handle {} holds neither the position nor the orientation of vertex {}; leave it out", i, vertex);
  require(!hold_position || position.allFinite(),
          "handle {} holds its vertex at ({}, {}, {}) m, expected finite numbers", i, position.x(),
          position.y(), position.z());
  require(!hold_orientation || is_unit(rotation),
          "the rotation of handle {} is the quaternion ({}, {}, {}, {}), expected one of length 1; divide it "
          "by its length",
          i, rotation.x(), rotation.y(), rotation.z(), rotation.w());
}

}  // namespace

void check_handles(std::span<const Handle> handles, Index vertices) {
  for (std::size_t i = 0; i < handles.size(); ++i) {
    check_handle(handles[i], i, vertices);
    for (std::size_t j = 0; j < i; ++j) {
      require(handles[j].vertex != handles[i].vertex,
              "handles {} and {} both hold vertex {}; one handle holds position and orientation", j, i,
              handles[i].vertex);
    }
  }
}

bool same_grip(std::span<const Handle> one, std::span<const Handle> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Handle& a, const Handle& b) {
    return a.vertex == b.vertex && a.hold_position == b.hold_position &&
           a.hold_orientation == b.hold_orientation;
  });
}

ManipulationSites handle_sites(const ReducedModel& model, const WarpedEquations& equations,
                               std::span<const Handle> handles, ConstraintPriority priority) {
  ManipulationSites sites;
  sites.priority = priority;
  for (const Handle& handle : handles) {
    const WarpSite site = surface_site(model, equations, handle.vertex);
    require(!site.shape.isZero(0.0), "vertex {} cannot move: the body is held there; hold another one",
            handle.vertex);
    if (handle.hold_position) sites.positions.push_back(site);
    if (handle.hold_orientation) sites.orientations.push_back(site);
  }
  return sites;
}

void set_targets(Manipulation& constraints, std::span<const Handle> handles, const Pose& to_frame) {
  Index position = 0, orientation = 0;
  for (const Handle& handle : handles) {
    if (handle.hold_position) constraints.set_position(position++, to_frame.apply(handle.position));
    if (handle.hold_orientation)
      constraints.set_orientation(orientation++, to_frame.rotation * handle.rotation);
  }
}

}  // namespace limber
