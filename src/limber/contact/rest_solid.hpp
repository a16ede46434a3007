#pragma once

#include "limber/contact/ball_packets.hpp"
#include "limber/contact/patch_maps.hpp"
#include "limber/contact/rest_field.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace limber {

/// A place in the mesh of a body: the sum of four of its vertices' places, with weights that sum to 1.
struct SolidPlace {
  std::array<int, 4> vertices{};
  std::array<double, 4> weights{};
};

/// The solid that a body fills, as contact needs it: a mesh of tetrahedra with neighbours, the rows of its
/// basis vertex by vertex where it has one, its distance field at rest, and patches by which places are
/// found. Or a piece of it, without a field: cut from the rest it does not know how far the surface is.
///
/// A patch is a connected group of tetrahedra, about 1/192 of them. How its vertices move is nearly affine in
/// their rest places, and linear in q as all motion is (patch_maps.hpp):
///   x_v(q) = t + A (X_v - c) + e_v,
/// with a bound of |e_v| that shrinks with the square of the patch's size. t, A and the bound cost O(r),
/// whatever the patch holds; the box of its deformed tetrahedra follows, and so does a first guess of the
/// rest place of any x: c + A^-1 (x - t). Balls that follow q [James & Pai 2004] are the same without A.
/// Where each vertex moves by itself, t and A are fitted to where they are, in O(n).
///
/// Bricks are cut into six tetrahedra each, the same way everywhere; within a brick that differs from its
/// trilinear map in second order. Floats: places are good to 1e-6 of the size. Constant, shared by all bodies
/// of a model. Memory: 16 (r + 2) bytes per vertex and 32 per tetrahedron, beside the field.
class RestSolid {
 public:
  /// basis: 3n x r, rows of the mesh's vertices.  field: none of a piece.
  RestSolid(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& basis,
            std::shared_ptr<const RestField> field);
  /// Of a body whose vertices move each by itself.
  RestSolid(const VolumeMesh& mesh, std::shared_ptr<const RestField> field);

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index vertex_count() const { return vertex_count_; }
  [[nodiscard]] Index patch_count() const { return static_cast<Index>(patches_.size()); }
  [[nodiscard]] bool has_field() const { return field_ != nullptr; }
  [[nodiscard]] const RestField& field() const { return *field_; }
  [[nodiscard]] std::size_t bytes() const;  ///< without the field

  /// The tetrahedron that a place at rest lies in, else one nearby, whose weights then are not all positive.
  /// O(patches): for what is done once.
  [[nodiscard]] int locate(const Vector3& rest) const;
  [[nodiscard]] int patch_of(int tetrahedron) const {
    return patch_of_[static_cast<std::size_t>(tetrahedron)];
  }
  /// Whether two patches share a vertex, or are one.
  [[nodiscard]] bool adjacent(int a, int b) const {
    return (neighbours_[static_cast<std::size_t>(a) * words_ + static_cast<std::size_t>(b) / 64] >> (b % 64) &
            1) != 0;
  }

  /// How a place of the mesh moves with q: 3 x r, m per unit. O(r).
  void rows_at(const SolidPlace& place, Eigen::Ref<Eigen::Matrix3Xd> rows) const;

 private:
  friend class DeformedSolid;
  friend class OwnPatches;
  friend class TouchFinder;

  static constexpr int start_side = 4;  ///< places along each axis of a patch from which walks start

  struct Tetrahedron {
    std::array<int, 4> vertex{};
    std::array<int, 4> next{};  ///< behind the face across from each vertex; -1: none
  };
  struct Patch {
    Eigen::Vector3f center = Eigen::Vector3f::Zero(), half = Eigen::Vector3f::Zero();  ///< box at rest
  };
  /// Of a patch whose vertices move each by itself.
  struct PatchFit {
    AffineFit affine;
    std::vector<int> vertices;
  };

  struct RestWalk {
    int tetrahedron = -1;
    Eigen::Vector4f weights = Eigen::Vector4f::Zero();
  };

  void split_into_tetrahedra(const VolumeMesh& mesh);
  void find_neighbours();
  void make_patches(const Matrix3X& vertices);
  [[nodiscard]] std::vector<std::vector<int>> patch_vertices() const;
  void bound_patches(const Matrix3X& vertices, const std::vector<std::vector<int>>& members);
  void pack_patches(const Matrix3X& vertices, const Eigen::Ref<const Matrix>& basis,
                    const std::vector<std::vector<int>>& members);
  [[nodiscard]] const float* row_of(int vertex) const {
    return rows_.data() + static_cast<std::size_t>(vertex) * 4 * static_cast<std::size_t>(rank_ + 1);
  }
  [[nodiscard]] const float* rest_of(int vertex) const {
    return places_.data() + 4 * static_cast<std::size_t>(vertex);
  }
  [[nodiscard]] int start_in(int patch, const Eigen::Vector3f& rest) const;
  /// Goes from tetrahedron to tetrahedron towards a place at rest, until it is there or at the boundary.
  [[nodiscard]] RestWalk walk_at_rest(const Eigen::Vector3f& rest, int from) const;

  Index rank_ = 0, vertex_count_ = 0;
  std::shared_ptr<const RestField> field_;
  std::vector<Tetrahedron> tetrahedra_;
  std::vector<int> patch_of_;  ///< of tetrahedra
  std::vector<float> rows_;    ///< of vertices: X, then a column per coordinate, of four numbers each; zeros
  std::vector<float> places_;  ///< X once more: walks at rest ask for nothing else
  std::vector<Patch> patches_;
  std::vector<PatchFit> fits_;  ///< of patches, where vertices move each by itself; else none
  std::vector<int> starts_;     ///< of patches: tetrahedra nearest to places of its box
  std::vector<int> order_;      ///< patches, those together that are next to each other; sixteen to a packet
  std::vector<int> slots_;      ///< of patches: where they are in that order
  BallPackets balls_;           ///< around the vertices of patches, in that order
  PatchMaps maps_;              ///< how they move, in that order
  std::vector<LanePlaces> halves_;  ///< of their packets: half the boxes at rest
  std::size_t words_ = 0;
  std::vector<std::uint64_t> neighbours_;  ///< of patches: words_ each, a bit per patch
};

/// Of the mesh that a model was made from. Throws Error where the model was kept without it. field: none to
/// make it here.
RestSolid make_rest_solid(const ReducedModel& model, std::shared_ptr<const RestField> field = nullptr);

}  // namespace limber
