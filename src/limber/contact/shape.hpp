#pragma once

#include "limber/contact/height_field.hpp"
#include "limber/contact/mesh_shape.hpp"
#include "limber/contact/surface_distance.hpp"

#include <memory>
#include <string_view>
#include <variant>

namespace limber {

// What stands in the way of bodies, each in axes of its own.

struct HalfSpace {};  ///< all that is below z = 0: the ground

struct Sphere {
  double radius = 1.0;  ///< m
};

struct Box {
  Vector3 half = Vector3::Ones();  ///< m, half of its edges
};

/// All points within a distance of a piece of the z axis.
struct Capsule {
  double radius = 1.0;       ///< m
  double half_length = 1.0;  ///< m, of that piece
};

/// Heights and triangles are shared by copies.
using SolidShape = std::variant<HalfSpace, Sphere, Box, Capsule, std::shared_ptr<const HeightField>,
                                std::shared_ptr<const MeshShape>>;

/// Throws Error for lengths that are not positive and finite, and for a field or mesh that is not there.
/// where: names it in messages.
void check_shape(const SolidShape& shape, std::string_view where);

/// O(1); of height fields and meshes O(log n).
SurfaceDistance distance_to(const SolidShape& shape, const Vector3& x);

/// Around all of it; without bounds where it has none.
BoundingBox bounds_of(const SolidShape& shape);

}  // namespace limber
