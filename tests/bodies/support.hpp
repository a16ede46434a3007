#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace limber::test {

/// Sides of triangles that are not run through equally often in both directions: 0 for a closed surface whose
/// triangles are all turned the same way.
inline std::size_t open_sides(const SurfaceMesh& surface) {
  std::vector<std::pair<int, int>> forward, backward;
  for (const auto& t : surface.triangles.colwise()) {
    for (int k = 0; k < 3; ++k) {
      forward.emplace_back(t(k), t((k + 1) % 3));
      backward.emplace_back(t((k + 1) % 3), t(k));
    }
  }
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  std::vector<std::pair<int, int>> unmatched;
  std::set_difference(forward.begin(), forward.end(), backward.begin(), backward.end(),
                      std::back_inserter(unmatched));
  return unmatched.size();
}

}  // namespace limber::test
