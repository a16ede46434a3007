#pragma once

#include "limber/body/body.hpp"

#include <algorithm>
#include <span>

namespace limber {

/// How much of what a body can do its handles take from it, in the domain where that is most.
struct HandleShare {
  Index domain = 0;
  Index held = 0;         ///< numbers: three for each position there, three for each orientation
  Index coordinates = 0;  ///< that are there to meet them: of the domain, and up to six that carry it

  [[nodiscard]] bool more_than(const HandleShare& other) const {
    return held * std::max<Index>(other.coordinates, 1) > other.held * std::max<Index>(coordinates, 1);
  }
};

/// Of handles as check_handles() of the body takes them. Nothing of a body that moves with every vertex.
HandleShare largest_share(const Body& body, std::span<const Handle> handles);

}  // namespace limber
