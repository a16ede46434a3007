#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <string_view>

namespace limber {

/// A bar along x with its left end at x = 0, centred on the x axis.
struct BeamOptions {
  ElementKind kind = ElementKind::tetrahedron;
  Vector3 size{1.0, 0.2, 0.2};      ///< m
  Eigen::Vector3i cells{20, 4, 4};  ///< cubes along each axis; 6 tetrahedra or 1 brick per cube
};

VolumeMesh make_beam(const BeamOptions& options = {});

inline constexpr std::string_view builtin_prefix = "builtin:";

/// True for names such as "builtin:beam".
bool is_builtin(std::string_view name);

/// The built-in body that a name asks for, e.g. "builtin:beam?element=brick&size=1,0.1,0.1&cells=20,2,2".
/// Throws Error for an unknown body or parameter (naming the nearest known one) and for values out of range.
VolumeMesh make_builtin(std::string_view name);

}  // namespace limber
