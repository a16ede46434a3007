#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/draw/image.hpp"
#include "limber/scene/scene.hpp"

namespace limber::app {

/// The body at rest.
Image draw_mesh(const VolumeMesh& mesh);

/// All bodies of a scene, coloured by how far they moved, and their rest poses as ghosts.
Image draw_state(const SceneState& state);

/// The shapes of up to twelve modes beside each other, the lowest at the top left, coloured by how far they
/// move.
Image draw_modes(const FullModel& model, const LinearModes& modes);

}  // namespace limber::app
