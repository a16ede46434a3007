#pragma once

#include "limber/contact/shape.hpp"

#include <string_view>

namespace limber {

/// What a rigid body is to forces.
struct MassProperties {
  double mass = 0.0;                  ///< kg
  Vector3 center = Vector3::Zero();   ///< of mass, m
  Matrix3 inertia = Matrix3::Zero();  ///< about it, kg m^2, in the axes of the shape
};

/// Of a solid shape of even density (kg/m^3). Throws Error for a density that is not positive, and for
/// ground, which has no end; `where` names the shape.
MassProperties mass_properties(const SolidShape& shape, double density, std::string_view where);

/// The same of what closed triangles that are turned outwards enclose: exact, by the divergence theorem.
///                                                                                          [Mirtich 1996]
MassProperties mass_properties(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles, double density);

}  // namespace limber
