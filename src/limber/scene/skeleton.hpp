#pragma once

#include "limber/fem/skin.hpp"
#include "limber/warp/pose.hpp"

#include <string>
#include <vector>

namespace limber {

/// A bone that moves what is around it.
struct Bone {
  std::string name;     ///< for messages and files of weights
  BoneSegment segment;  ///< at rest
  PoseFunction motion;  ///< in the world, from rest; none: it stays
};

/// Bones, and how much each of them moves each vertex: linear blend skinning. The displacements of the body
/// are measured in the rest pose and carried along by the bones. [Kim & James 2009, section 5]
struct Skeleton {
  std::vector<Bone> bones;
  double radius = 0.0;  ///< vertices so near to a bone follow it alone, m; used where no weights are given
  Matrix weights;       ///< bones x n; empty: harmonic ones

  [[nodiscard]] bool empty() const { return bones.empty(); }
};

}  // namespace limber
