#pragma once

#include "limber/fem/vertex_maps.hpp"
#include "limber/scene/scene.hpp"

#include <functional>
#include <vector>

namespace limber {

/// The vertices of a quasistatic body that are held: the fixed ones, and those that its constraints move.
/// Throws Error, naming the body, for constraints without vertices, on fixed vertices, on the same ones, or
/// of orientations.
std::vector<int> held_vertices(const SceneBody& body);

/// How the vertices of a quasistatic body are carried along.
///
/// In the world, vertex v is displaced by L_v u_v + c_v (vertex_maps.hpp). A skin blends the motions of its
/// bones; a support carries the whole body, so that u is measured in its frame; constraints move their
/// vertices, which are among those held.
class Drive {
 public:
  /// Computes the weights of a skin that brings none: one sparse factorisation. Keeps what it needs of the
  /// body.
  explicit Drive(const SceneBody& body);

  /// Whether anything is carried: otherwise maps() is the identity at all times.
  [[nodiscard]] bool moves() const { return !bones_.empty() || support_ || !handles_.empty(); }

  /// How the vertices are carried at time t, s. Cost O(n bones).
  [[nodiscard]] VertexMaps maps(double t) const;

 private:
  /// Vertices that a constraint moves.
  struct MovedVertices {
    std::vector<int> vertices;
    Vector3 center = Vector3::Zero();  ///< that keys turn about, in the frame of the support
    PoseFunction motion;               ///< none: it stays
    bool in_world =
        false;  ///< whether that is the motion in the world, from where the support has it at time 0

    [[nodiscard]] Pose pose(double t, const Pose& support, const Pose& start) const;
  };

  Matrix3X rest_;                    ///< places of the vertices, 3 x n, m
  Matrix weights_;                   ///< of a skin, bones x n
  std::vector<PoseFunction> bones_;  ///< motions from rest in the world
  PoseFunction support_;             ///< none: the world
  std::vector<MovedVertices> handles_;
};

}  // namespace limber
