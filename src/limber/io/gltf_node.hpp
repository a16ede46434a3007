#pragma once

#include "limber/io/gltf_json.hpp"
#include "limber/linalg/types.hpp"

#include <Eigen/Geometry>

namespace limber {

/// Translation, rotation and scale of a node: x -> rotation (scale * x) + translation.
struct GltfPlacement {
  Vector3 translation = Vector3::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();  ///< of unit length
  Vector3 scale = Vector3::Ones();
};

/// The transform of a node relative to its parent, whether it is given as a matrix or as a placement.
Eigen::Affine3d read_node_transform(const JsonValue& node);

/// The placement of a node. A matrix is taken apart: the scales are the lengths of its columns, the first one
/// negative where it mirrors; shear, which glTF forbids, is left out. Throws Error for a matrix that flattens
/// space.
GltfPlacement read_node_placement(const JsonValue& node);

}  // namespace limber
