#pragma once

#include "limber/base/error.hpp"
#include "limber/linalg/types.hpp"

#include <string_view>

namespace limber {

/// Farther than anything is: the square of a volume, the highest power of lengths in use, is then still a
/// number.
inline constexpr double farthest_coordinate = 1e30;  ///< m

/// Throws Error for the first vertex (a column) whose coordinates cannot be computed with.
inline void check_coordinates(const Matrix3X& vertices, std::string_view where) {
  for (Index v = 0; v < vertices.cols(); ++v) {
    const auto at = vertices.col(v);
    require(at.allFinite(), "{}: vertex {} has the coordinates ({}, {}, {}), expected finite numbers", where,
            v, at.x(), at.y(), at.z());
    require(
        at.cwiseAbs().maxCoeff() <= farthest_coordinate,
        "{}: vertex {} has the coordinates ({:.4g}, {:.4g}, {:.4g}), expected at most {} m; scale the mesh",
        where, v, at.x(), at.y(), at.z(), farthest_coordinate);
  }
}

}  // namespace limber
