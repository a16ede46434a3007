#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/draw/image.hpp"
#include "limber/mesh/volume_mesh.hpp"

namespace limber::app {

/// The mesh coloured by region, and beside it cut open.
Image draw_mesh(const VolumeMesh& mesh, const Executor& executor);

/// The shapes of up to twelve modes beside each other, the lowest at the top left, coloured by how far they
/// move.
Image draw_modes(const FullModel& model, const LinearModes& modes);

}  // namespace limber::app
