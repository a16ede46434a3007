#pragma once

#include "limber/mesh/volume_mesh.hpp"

#include <array>
#include <vector>

namespace limber {

/// A face between two elements.
struct SharedFace {
  int first = 0, second = 0;     ///< elements, first < second
  std::array<int, 4> corners{};  ///< vertices, around the face; a triangle repeats its last one
  int corner_count = 3;
  double area = 0.0;  ///< m^2
};

/// All faces that elements share, in the order of their elements.
std::vector<SharedFace> shared_faces(const VolumeMesh& mesh);

/// Elements with the same label that hang together by faces: for each element the number of its piece,
/// counted from 0 in the order of their lowest element.
std::vector<int> connected_elements(const std::vector<SharedFace>& faces, const std::vector<int>& label);

}  // namespace limber
