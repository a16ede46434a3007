#pragma once

#include "limber/contact/deformed_solid.hpp"
#include "limber/contact/refitted_boxes.hpp"

#include <cstdint>
#include <utility>
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
  std::vector<std::uint64_t> of_point_, of_group_;  ///< a bit per patch; of a group: those of all its points
};

/// Finds where bodies touch: descends into the two trees where their boxes meet, then asks the solid for each
/// point that is in the box of a patch.
///
/// A point is told if it is inside of the solid, or at most `reach` from its surface: `margin`, and on top
/// how far it and the patch may come together within the step, |h (v_point - v_patch)|, where both were
/// refitted with a motion. As long as the solution of a step lets no gap close by more than its distance, a
/// part that is thinner than the way it goes is met on the side it comes from: so points do not tunnel at the
/// velocities of the refit. What is narrower than the shell's points are apart may still pass between them:
/// ask both ways round.
///
/// Of each point at most one touch is told, the one that holds it or else the nearest; in the same order each
/// time. Domains of one tree are bodies to each other; whoever asks leaves out what is next to the interface
/// that joins them.
///
/// Allocates nothing once its lists have grown.
class TouchFinder {
 public:
  /// Appends to touches. Points against solid; ask again the other way round.
  void between(const RefittedBoxes& points, DeformedSolid& solid, double margin, std::vector<Touch>& touches);

  /// The same for a body and itself; solid and points are of one body and refitted to the same state.
  void within(const RefittedBoxes& points, DeformedSolid& solid, const OwnPatches& own, double margin,
              std::vector<Touch>& touches);

  /// Pairs of a group of points and a patch that were looked at in the last call.
  [[nodiscard]] Index visited_pairs() const { return visited_; }

 private:
  void find(const RefittedBoxes& points, DeformedSolid& solid, const OwnPatches* own, double margin,
            std::vector<Touch>& touches);
  void look_at(const RefittedBoxes& points, std::size_t leaf, DeformedSolid& solid, std::size_t node,
               const OwnPatches* own, float margin, std::vector<Touch>& touches);

  std::vector<std::pair<int, int>> pending_;
  std::vector<int> touch_of_;  ///< of slots: index into touches; -1: none yet
  std::vector<int> found_;     ///< slots for which there is one
  Eigen::Vector3d between_ = Vector3::Zero();
  Index visited_ = 0;
};

}  // namespace limber
