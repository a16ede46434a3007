#pragma once

#include "limber/scene/scene.hpp"

#include <span>

namespace limber {

// What holds a body. Statics and quasistatics need that nothing moves as a whole: three fixed vertices of
// each connected part that are not on one line. In dynamics a body that moves with every vertex takes fewer,
// and turns about them; one with a reduced model is either held by as many or flies, with none.

/// Throws Error unless the vertices that are held leave the mesh of a body something to move, and hold it as
/// its solver and its method need it.
void check_held(const Scene& scene, const SceneBody& body, std::span<const int> held);

/// The same for a body whose reduced model says what holds it.
void check_held(const Scene& scene, const SceneBody& body, const Model& model);

/// Whether the supports of the model, where they are known, keep it from moving as a whole.
bool is_held(const Model& model);

}  // namespace limber
