#pragma once

#include "limber/bodies/part_tree.hpp"

#include <vector>

namespace limber {

/// Kinds of pieces of the space station. All but the core start at their origin, where their parent holds
/// them, and run along +x.
enum class StationKind : int { core, node, lab, capsule, wing, truss, boom, panel, radiator, dish, mast };

struct StationPiece {
  Part part;
  std::vector<Vector3> places;  ///< of its sites, m
};

/// One of each kind, in their order.
std::vector<StationPiece> make_station_pieces();

}  // namespace limber
