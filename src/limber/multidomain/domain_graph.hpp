#pragma once

#include "limber/mesh/shared_faces.hpp"

#include <vector>

namespace limber {

/// Where two domains touch.
struct DomainInterface {
  int first = 0, second = 0;  ///< domains, first < second
  double area = 0.0;          ///< m^2
  std::vector<int> faces;     ///< numbers among the shared ones
};

/// All of them, in the order of their domains.
std::vector<DomainInterface> find_interfaces(const std::vector<SharedFace>& faces,
                                             const std::vector<int>& domain);

}  // namespace limber
