#pragma once

#include "limber/contact/follow.hpp"
#include "limber/contact/rest_solid.hpp"
#include "limber/contact/swept_box.hpp"
#include "limber/contact/tetrahedron_place.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace limber {

/// A place next to a solid, or in it, and the place of the solid's surface that it touches. In the axes of
/// the solid's domain.
struct SolidTouch {
  double distance = 0.0;              ///< m, negative inside: how far from `surface`, along the normal
  Vector3 normal = Vector3::UnitZ();  ///< of unit length, outwards
  Vector3 surface = Vector3::Zero();  ///< the place touched, m
  Vector3 rest = Vector3::Zero();     ///< where that is at rest, m
  SolidPlace place;                   ///< the same in the mesh: what moves with it
  bool inside = false;                ///< whether a tetrahedron holds the place asked for
  bool held = true;                   ///< whether one holds the place touched: else another piece does
  int patch = -1;                     ///< of the surface touched
};

/// Distances at rest, as a piece of a body sees them: X of the piece is at  position + rotation (scale X)  in
/// the field of the whole.
struct PieceField {
  std::shared_ptr<const RestField> whole;
  Vector3 position = Vector3::Zero();  ///< m
  Matrix3 rotation = Matrix3::Identity();
  double scale = 1.0;
};

/// The solid of one body as it is deformed now, x = X + U q in the axes of its domain or with each vertex
/// where it is said to be, and as it moves within a step. Answers how far a place is from its surface without
/// looking at most of its vertices.
///
/// A place x is taken back to rest, where distances are known: the patches whose boxes hold it give a first
/// guess, from which a walk over deformed tetrahedra leads to the one that holds x (or to the boundary), and
/// its weights to the rest place X. There the field leads to the nearest place of the surface at rest,
///   S = X - phi(X) grad phi(X),  and deformed  s = sum w_i x_i(q)
/// over the tetrahedron that holds S. The normal is n = F^-T grad phi(S), normalised, the distance is
/// (x - s) . n. What is nearest at rest is not where a body is stretched or sheared: S is moved by what x - s
/// has beside n, taken back by F^-1, and brought to the surface again, a few times, while that shortens
/// x - s. Outside, and farther than a cell of the field, normal and distance are those of x - s itself.
///
/// Exact (up to floats and the field's error) where the body moves affinely, and otherwise where x is next to
/// the surface; for places outside the map is continued from the tetrahedron that the walk ends in. A place
/// deeper than half of a thin part belongs to its other side: see TouchFinder for what keeps it from there.
///
/// A refit computes balls that follow q around patches, 7 ns each at r = 30 and twice that with a motion; how
/// a patch moves, and its box, where something comes near to its ball, 40 ns each; a place 0.25 to 0.4 us
/// once its vertices are known, O(r) for each of these. Each is computed once per refit. Measured on an
/// octopus, bent by up to a fifth of its size, for 24,000 places within 3 % of it from the surface, against
/// exact distances to the deformed boundary: one on the wrong side, 15 that were missed though nearer than
/// 0.9 of the reach; mean error 0.02 to 0.03 % of the size, beyond 0.5 % for 53 places.
///
/// Allocates nothing after construction. Not for several threads at once: places that were computed are
/// kept.
class DeformedSolid {
 public:
  explicit DeformedSolid(std::shared_ptr<const RestSolid> rest);
  /// Of a piece of a body, where distances are those from the surface of the whole at rest.
  DeformedSolid(std::shared_ptr<const RestSolid> rest, PieceField field);

  [[nodiscard]] const RestSolid& rest() const { return *rest_; }

  /// pose: of the domain.  q: as many of the coordinates as are moving, the others are 0.
  void refit(const Pose& pose, const VectorRef& q);
  /// The same, with boxes over all of a step.  v: q', as many as q.
  void refit(const Pose& pose, const VectorRef& q, const VectorRef& v, const SweptMotion& motion);

  /// With each vertex where it is.  places: 3 x n, in the axes of that pose. Of a solid at rest that is made
  /// for that.
  void refit_vertices(const Pose& pose, const Matrix3X& places);

  /// The nearest place of the surface, if it is at most `reach` (m) away or x is inside; else false, and
  /// touch is as it was.  x: in the axes of the domain.
  bool touch(const Vector3& x, double reach, SolidTouch& touch);

  /// Where a vertex of the mesh is, in the axes of the domain.
  [[nodiscard]] Vector3 position(int vertex);

  /// Around a patch, and its ways within the step.
  [[nodiscard]] SweptBox box(int patch);
  [[nodiscard]] const Pose& pose() const { return pose_; }
  /// How many patches, and how many vertices, were computed since the last refit.
  [[nodiscard]] Index computed_patches() const { return computed_patches_; }
  [[nodiscard]] Index computed_vertices() const { return computed_; }

 private:
  friend class TouchFinder;

  /// Of sixteen patches: as their packet has them, with places turned to the world.
  struct Motions {
    LanePlaces world;    ///< t, m
    LanePlaces back[3];  ///< rows of A^-1; 0 where there is none
    LanePlaces rows;     ///< squares of their lengths; infinite where there is none
    Lanes stretch;       ///< no less than the square of its norm
    Lanes slack;         ///< bound of |e|, m
  };

  [[nodiscard]] SurfaceDistance rest_distance(const Vector3& X) const;
  [[nodiscard]] double rest_distance_alone(const Vector3& X) const;
  [[nodiscard]] double cell() const;  ///< of the field, m before scaling
  void begin_refit(const Pose& pose, bool moving, const SweptMotion& motion);
  /// Those of a packet that were not computed yet, of which there are some.  missing: a bit for each.
  void fit_missing(std::size_t packet, std::uint32_t missing);
  void set_motions(std::size_t packet, const PatchLanes& maps, const LaneMask& of);
  void set_ways(std::size_t packet, const PatchLanes& maps, PatchLanes& change, const LaneMask& of);
  /// From where its vertices are.
  void fit_vertices(std::size_t patch, int lane, PatchLanes& maps) const;
  void join_packets();
  /// Packets and patches whose boxes meet another one.  between: from the origin of the solid, m.
  [[nodiscard]] std::uint32_t near_packets(std::size_t sixteen, const SweptBox& box,
                                           const SweptBox::Corner& between, float margin, bool moving) const {
    return may_meet(box, packets_[sixteen], between, margin, moving);
  }
  /// Patches whose balls a box, or a ball, is near.  middle: of that box.
  [[nodiscard]] std::uint32_t near_balls(std::size_t packet, const SweptBox& box, const SweptMiddle& middle,
                                         const SweptBox::Corner& between, float margin) const {
    const std::uint32_t near = balls_near(middle, balls_[packet], margin);
    // What goes by a ball along one axis is far from it, but for how far it goes.
    return near == 0 || !middle.moving ? near : near & may_meet(box, balls_[packet].boxes(), between, margin);
  }
  /// Those of them that were computed only if their boxes meet it, too. Balls count before and after: what is
  /// found must not depend on what was asked before.
  [[nodiscard]] std::uint32_t near_patches(std::size_t packet, const SweptBox& box, const SweptMiddle& middle,
                                           const SweptBox::Corner& between, float margin) const {
    const std::uint32_t near = near_balls(packet, box, middle, between, margin);
    if ((near & fitted_[packet]) == 0) return near;
    return near & (~fitted_[packet] | may_meet(box, boxes_[packet], between, margin, middle.moving));
  }
  void compute_vertex(int vertex);
  const float* vertex_at(int vertex);
  TetrahedronFrame frame_at(int tetrahedron);
  bool may_hold(std::size_t slot, const Eigen::Vector3f& x, float reach, Eigen::Vector3f& guess) const;

  static constexpr int query_batch = 32;
  /// A place that a patch is asked for, and what it holds there, or leads to.
  struct Query {
    Eigen::Vector3f x = Eigen::Vector3f::Zero();      ///< in the axes of the domain
    Eigen::Vector3f guess = Eigen::Vector3f::Zero();  ///< where that is at rest, as the patch moves
    float reach = 0.0F;                               ///< m
    int slot = 0;
    const std::uint64_t* own = nullptr;  ///< bits of patches that do not count; or none
    SolidTouch* touch = nullptr;         ///< the answer, if it was found
    bool found = false;
  };
  /// A place of the surface that is looked for.
  struct Search {
    Query* query;
    Vector3 place;    ///< at rest: first that of x, or near it
    double distance;  ///< of the place, and the direction of that
    Vector3 normal;
    float best;       ///< how far it is from x
    int tetrahedron;  ///< holds it, or is near
  };
  /// Answers query_batch of them at most, each for itself.
  void ask(std::span<Query* const> queries);
  [[nodiscard]] bool may_touch(const Query& query) const;
  bool begin_search(Query& query, Search& search);
  void find_surfaces(std::span<Search> searches);
  void project(std::span<Search> searches, std::span<const int> active) const;
  bool move_search(Search& search);

  std::shared_ptr<const RestSolid> rest_;
  PieceField piece_;  ///< without a field: the solid at rest has its own
  Pose pose_;
  Matrix3 rotation_ = Matrix3::Identity();
  FollowedCoordinates now_;
  std::vector<float> sizes_, way_sizes_;  ///< of these, and zeros
  std::vector<float> repeated_;           ///< q, each of them four times
  bool moving_ = false;
  SweptMotion motion_;
  // Of packets of patches.
  std::vector<std::uint32_t> fitted_, all_;  ///< a bit for each patch that was computed, and that there is
  std::vector<Motions> motions_;             ///< of those that were computed
  std::vector<SweptBoxes> boxes_;            ///< of these; of the others around their balls
  std::vector<SweptBalls> balls_;            ///< of all of them
  std::vector<SweptBoxes> packets_;          ///< around each packet, sixteen together
  SweptBox whole_;                           ///< around all of these
  Index computed_patches_ = 0;
  std::vector<float> positions_;       ///< of vertices, 4 each
  std::vector<std::int64_t> time_of_;  ///< of vertices: the refit for which they were computed
  std::int64_t time_ = 0;
  Index computed_ = 0;
};

/// Whether b is to be taken in place of a: what holds the place before what is only near, then the nearer
/// one.
inline bool nearer(const SolidTouch& b, const SolidTouch& a) {
  return b.inside != a.inside ? b.inside : std::abs(b.distance) < std::abs(a.distance);
}

}  // namespace limber
