#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/fem/vertex_maps.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/warp/pose.hpp"

#include <vector>

namespace limber {

struct Scene;
struct SceneBody;

/// The full model of a body: held by its fixed vertices and, where it is quasistatic, by those that its
/// constraints move. Throws Error, naming the body, for what FullModel refuses and for constraints without
/// vertices, on fixed vertices, or on the same ones.
FullModel make_full_model(const Scene& scene, const SceneBody& body, const Executor& executor);

/// What acts on a body from outside, for bodies that are computed with their mesh: how its vertices are
/// carried along, and its loads.
///
/// In the world, vertex v is displaced by L_v u_v + c_v (vertex_maps.hpp). A skin blends the motions of its
/// bones; a support carries the whole body, so that u is measured in its frame; constraints move their
/// vertices, which are fixed ones of the model. Where nothing of this is given, and in dynamics, all maps are
/// the identity.
class Drive {
 public:
  /// model: that of make_full_model(). Computes the weights of a skin that brings none: one sparse
  /// factorisation.
  Drive(const Scene& scene, const SceneBody& body, const FullModel& model);

  /// Whether anything is carried: otherwise maps() is the identity at all times.
  [[nodiscard]] bool moves() const { return !bones_.empty() || support_ || !handles_.empty(); }

  /// How the vertices are carried at time t, s. Cost O(n bones).
  [[nodiscard]] VertexMaps maps(double t) const;

  /// A LoadFunction: the mean force on the unknowns, in the world, from t0 to t1 (at t0 where they are
  /// equal), N.
  void load(double t0, double t1, Vector& f) const { load_(t0, t1, f); }

 private:
  /// Vertices that a constraint moves.
  struct Handle {
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
  std::vector<Handle> handles_;
  LoadFunction load_;
};

}  // namespace limber
