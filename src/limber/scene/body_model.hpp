#pragma once

#include "limber/scene/scene.hpp"

#include <memory>

namespace limber {

// What the bodies that move in a subspace have in common.

/// The model that a body brings, else one made from its mesh with these materials and options; held as the
/// body is. Throws Error for a body that starts with a velocity, and one whose model is held by other
/// vertices than it says.
std::shared_ptr<const ReducedModel> find_model(const SceneBody& body, const std::vector<Material>& materials,
                                               ReduceOptions options, const Executor& executor,
                                               const Progress& progress);

/// Materials of the regions of the model: the body's, else the model's own. Throws Error for another number
/// of them.
std::vector<Material> region_materials(const SceneBody& body, const ReducedModel& model);

/// kg
double total_mass(const ReducedModel& model, const std::vector<Material>& materials);

/// What vertices are chosen from: the simulation mesh, or the vertices of the surface for a model without it.
VolumeMesh vertices_to_choose(const ReducedModel& model);

/// Throws Error, for statics, unless the supports of the model, where they are known, keep it from moving as
/// a whole.
void require_held(const SceneBody& body, const ReducedModel& model);

}  // namespace limber
