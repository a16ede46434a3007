#pragma once

#include "limber/scene/scene.hpp"

#include <memory>

namespace limber {

/// The model that a body of a reduced method moves by: the one that it brings, that of its tree of domains,
/// else one made from its mesh; of the methods warped and linear by linear modes alone, with no more of the
/// forces than their stiffness at rest. A body that nothing holds flies in motions. Throws Error for a model
/// that is held by other vertices than the body says, and as check_held() does.
std::shared_ptr<const Model> find_model(const Scene& scene, const SceneBody& body, const Executor& executor,
                                        const Progress& progress);

/// The materials that a body with one domain has in place of those of its model, one per region; none: those
/// of the model. Of the methods warped and linear: with the law stvk, which all models take and which has the
/// same stiffness at rest. Throws Error for another number of them and for a law that the model does not
/// take.
std::vector<Material> edited_materials(const SceneBody& body, const ReducedModel& model);

}  // namespace limber
