#pragma once

#include "limber/contact/deformed_solid.hpp"
#include "limber/contact/refitted_boxes.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace limber {

/// A point of one body's shell at another body's solid, or at another part of its own.
struct Touch {
  int point = -1;      ///< of the shell
  double reach = 0.0;  ///< m: farther away it would not be told
  SolidTouch solid;    ///< in the axes of the solid's domain
};

/// For each point of a shell the patches of its own solid that it never touches: the one that holds it at
/// rest, and those that share a vertex with that. It is not how near they are at rest, but whether they hang
/// together there that counts: so arms side by side do touch. What is folded sharper than about two patches
/// is not seen.
class OwnPatches {
 public:
  OwnPatches(const ShellTree& shell, const RestSolid& solid);

  [[nodiscard]] bool contains(Index point, int patch) const { return bit(of_point_, point, patch); }

 private:
  friend class TouchFinder;

  [[nodiscard]] bool bit(const std::vector<std::uint64_t>& bits, Index of, int patch) const {
    return (bits[static_cast<std::size_t>(of) * words_ + static_cast<std::size_t>(patch) / 64] >>
                (patch % 64) &
            1) != 0;
  }

  std::size_t words_ = 0;
  std::vector<std::uint64_t> of_point_;  ///< a bit per patch
  // Of groups of points and patches in the order of packets.
  std::size_t packets_ = 0;
  std::vector<std::uint16_t> lanes_;     ///< a bit for each point of the group that never touches the patch
  std::vector<std::uint16_t> of_group_;  ///< of packets: a bit for each patch that no point of it touches
};

/// Finds where bodies touch: a group of points after the other, sixteen patches at a time, first by balls
/// that follow the coordinates, then by the boxes of those that are near, which are computed for that; then
/// sixteen points at a time against the box of each patch, and the box that it has at rest; and asks the
/// solid for each point that is in both.
///
/// A point is told if it is inside of the solid, or at most `reach` from its surface: `margin`, and on top
/// how far it and the patch may come together within the step, |h (v_point - v_patch)|, where both were
/// refitted with a motion. As long as the solution of a step lets no gap close by more than its distance, a
/// part that is thinner than the way it goes is met on the side it comes from: so points do not tunnel at the
/// velocities of the refit. What is narrower than the shell's points are apart may still pass between them:
/// ask both ways round.
///
/// What comes no nearer than the margin within the step may be left out, though it be within reach: balls and
/// boxes see which way it goes. Nothing that is inside, or comes that near, is. What is told does not depend
/// on what was asked since the refits.
///
/// Of each point at most one touch is told, the one that holds it or else the nearest; in the same order each
/// time. Domains of one tree are bodies to each other; whoever asks leaves out what is next to the interface
/// that joins them.
///
/// Allocates nothing once its lists have grown.
class TouchFinder {
 public:
  /// Appends to touches. Points against solid; ask again the other way round.
  void between(RefittedBoxes& points, DeformedSolid& solid, double margin, std::vector<Touch>& touches);

  /// The same for a body and itself; solid and points are of one body and refitted to the same state.
  void within(RefittedBoxes& points, DeformedSolid& solid, const OwnPatches& own, double margin,
              std::vector<Touch>& touches);

  /// Pairs of a group of points and a patch that were looked at in the last call.
  [[nodiscard]] Index visited_pairs() const { return visited_; }

 private:
  void find(RefittedBoxes& points, DeformedSolid& solid, const OwnPatches* own, double margin,
            std::vector<Touch>& touches);
  /// Patches of a packet that are near a group of points, a bit for each.
  struct Near {
    std::size_t group, packet;
    std::uint32_t patches;
  };
  void list_packets(RefittedBoxes& points, Index group, const DeformedSolid& solid, const OwnPatches* own);
  void find_pairs(const RefittedBoxes& points, const Near& pair, const DeformedSolid& solid,
                  const OwnPatches* own);
  [[nodiscard]] bool ball_is_near(const RefittedBoxes& points, std::size_t group,
                                  const DeformedSolid& solid) const;
  void list_queries(const RefittedBoxes& points, std::size_t group, std::uint32_t open,
                    const DeformedSolid& solid, std::size_t slot, const OwnPatches* own);
  void ask_all(DeformedSolid& solid);
  void tell(std::vector<Touch>& touches);
  struct Bounds;
  void bound_points(const SweptBox& around, const SweptBoxes& boxes, Bounds& bounds) const;
  std::uint32_t in_patch(const RefittedBoxes& points, std::size_t group, const DeformedSolid& solid,
                         std::size_t slot, const SweptBox& box, LanePlaces& guesses) const;

  /// A patch, and a bit for each point of a group that may touch it.
  struct Asked {
    std::size_t slot;
    std::uint32_t points;
  };
  /// A point and a patch.
  struct Query {
    DeformedSolid::Query asked;
    int point = -1;
    int first = -1, next = -1;  ///< of the same point; -1: there is no next one
    int nearest = -1;           ///< in the first one of a point: the one whose touch is to be told, if any
    bool tells = false;         ///< whether it is in its place among the touches that this is told
  };
  std::vector<Near> near_;                             ///< group by group
  std::vector<std::uint32_t> wanted_;                  ///< of packets: patches that have to be computed
  std::vector<Query> queries_;                         ///< all, in order
  std::vector<SolidTouch> answers_;                    ///< to these
  std::vector<int> open_;                              ///< those that are to be asked next
  std::array<int, lane_count> last_{};                 ///< of the points of a group: their last query; or -1
  Vector3 between_ = Vector3::Zero();                  ///< from the solid's origin to that of the points, m
  SweptBox::Corner shift_ = SweptBox::Corner::Zero();  ///< the same
  float margin_ = 0.0F;
  bool moving_ = false;  ///< either of them
  Index visited_ = 0;
};

}  // namespace limber
