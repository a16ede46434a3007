#pragma once

#include "limber/bodies/plan.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <string>
#include <vector>

namespace limber {

/// A domain of a body that is made to be taken apart at its necks.
struct PlanDomain {
  std::string name;
  int parent = -1;  ///< the domain that it hangs on, one before it; -1: the root, which comes first
  Material material;
  Implicit shape;  ///< holds it, and may reach farther where the body has nothing else; none for the root
  Vector3 neck = Vector3::Zero();    ///< a point of the plane that cuts it off its parent, m
  Vector3 along = Vector3::UnitZ();  ///< across that plane, away from the parent
};

/// Regions of a plan, one per domain: what of its shape lies beyond its neck, less what of its children's
/// shapes lies beyond theirs; what lies before them is the parent's. The root takes what is left.
/// Throws Error where a parent does not come first.
std::vector<PlanRegion> domain_regions(const std::vector<PlanDomain>& domains);

/// Makes every region one part, whose elements hang together by faces: its largest part stays, any other goes
/// to the region with which it shares most faces. Elements that a plane cuts leave such crumbs.
void join_crumbs(VolumeMesh& mesh);

}  // namespace limber
