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

/// Adds a mesh with one primitive and one material per part that has triangles, all primitives with the same vertices
/// and targets, and a node that shows it. Returns the number of the node. All floats must be finite.
int add_morph_node(GlbBuilder& builder, const ReducedSurface& surface, const MorphShape& shape,
                   const std::string& name);

/// Adds the scene with all nodes.
void add_scene(GlbBuilder& builder);

}  // namespace limber
