#pragma once

#include "limber/linalg/packet.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <array>
#include <vector>

namespace limber {

/// Eight elements of one region that are computed together. A packet that is not full repeats its last
/// element; only the first `count` lanes are added to the result.
struct ElementPacket {
  std::array<int, packet_size> element{};
  int count = 0;
  int region = 0;
};

/// The order in which elements are added up.
///
/// Elements are sorted by region and along a space-filling curve, packed by eight, and packets are grouped
/// into blocks. Blocks are coloured: two of one colour share no vertex, so all blocks of a colour may be
/// added in parallel without locks. Colours follow each other. Every sum is thus formed in one fixed order,
/// and the result has the same bits for any number of threads.
struct ElementSchedule {
  struct Block {
    int first_packet = 0;
    int end_packet = 0;
  };
  std::vector<ElementPacket> packets;
  std::vector<Block> blocks;         ///< ordered by colour
  std::vector<int> first_of_colour;  ///< blocks of colour c: first_of_colour[c] to first_of_colour[c + 1]
};

ElementSchedule make_element_schedule(const VolumeMesh& mesh);

}  // namespace limber
