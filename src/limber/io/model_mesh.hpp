#pragma once

#include "limber/io/gltf_container.hpp"
#include "limber/io/model_normals.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <string>
#include <vector>

namespace limber {

/// The shape of a glTF mesh with morph targets: positions + sum_t w_t target_t.
struct MorphShape {
  Eigen::Matrix3Xf positions;      ///< 3 x n, m
  Eigen::MatrixXf targets;         ///< 3n x t, m
  MorphNormals normals;            ///< of both
  std::vector<double> weights;     ///< t, those that a mesh has by default
  std::vector<std::string> names;  ///< t, of the targets
};

/// For each part of a surface the number of its primitive in the mesh; -1 for parts without triangles.
std::vector<int> primitive_numbers(const SurfaceMesh& surface);

/// Adds a mesh with one primitive and one material per part that has triangles, all primitives with the same
/// vertices and targets. Returns its number. All floats must be finite.
int add_morph_mesh(GlbBuilder& builder, const ReducedSurface& surface, const MorphShape& shape,
                   const std::string& name);

/// Adds a node that shows a mesh, and returns its number.
int add_node(GlbBuilder& builder, int mesh, const std::string& name);

/// Puts a node at a place: x -> rotation (scale x) + position. rotation: x y z w. What changes nothing is
/// left out.
void place_node(GlbBuilder& builder, int node, const Vector3& position, const Eigen::Vector4d& rotation,
                double scale);

/// Adds the scene with all nodes.
void add_scene(GlbBuilder& builder);
/// The same below a node, added as the last, that turns `up` to y, which is up in glTF; none where it is y.
void add_scene(GlbBuilder& builder, const Vector3& up);

}  // namespace limber
