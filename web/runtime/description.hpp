#pragma once

#include "limber/body/body.hpp"

#include <string>
#include <vector>

namespace limber::bindings {

/// The one domain of a body, where it stands as it was made: its arrays are then in the world. Else null.
const ReducedModel* domain_as_made(const Model& model);

/// BodyInfo of types.ts, the parts of the surface and the kind of element, as JSON.
std::string describe(const Body& body);

/// The domain of each triangle of the surface.
std::vector<int> triangle_domains(const Model& model);

/// m by which the farthest vertex of its domain moves, per unit of each coordinate in use.
Vector reach(const Body& body);

}  // namespace limber::bindings
