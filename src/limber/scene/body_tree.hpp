#pragma once

#include "limber/multidomain/reduce_tree.hpp"
#include "limber/multidomain/tree_shape.hpp"
#include "limber/scene/scene.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace limber {

// From a body to its tree of domains.

/// The parts that a body is made of: those that it brings, else those of its mesh, decomposed as its settings
/// say; rigid where these say so. Throws Error for names that it does not have.  rigid_key: what gave these
/// names, for that message.
PartTree find_parts(const SceneBody& body, std::string_view rigid_key = "domains.rigid");

/// How the parts of a body are reduced.
TreeReduceOptions reduce_options(const SceneBody& body, const Executor& executor, const Progress& progress);

/// The model that a body brings, else its parts, reduced. The report is that of the reduction, empty where
/// there was none.
std::shared_ptr<const Model> find_tree(const SceneBody& body, const Executor& executor,
                                       const Progress& progress, TreeReduceReport& report);

/// The mesh of a whole tree; none where a domain was kept without its own.
std::optional<TreeMesh> find_mesh(const std::shared_ptr<const Model>& tree);

/// Gives a body a model, with the whole at rest as its mesh and surface.
void take_tree(std::shared_ptr<const Model> tree, SceneBody& body);

/// The domains that a name stands for (see DomainSettings). Throws Error, naming the nearest, where there are
/// none.
std::vector<Index> find_domains(const Model& tree, std::string_view name, std::string_view where);

/// Lets the root go: nothing holds it any more.
void release_root(PartTree& parts);

/// All of a tree of parts as one mesh at rest, with its surface to draw: vertices one placement after the
/// other, but for copies of vertices of one mesh. Parts with different kinds of elements do not make one
/// mesh: then it has points only.
struct WholeBody {
  VolumeMesh mesh;
  SurfaceMesh surface;
  std::vector<Vector3> colors;  ///< sRGB, one per part of the surface; empty: chosen when drawn
};
WholeBody join_parts(const PartTree& parts);

}  // namespace limber
