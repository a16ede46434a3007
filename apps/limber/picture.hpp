#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/draw/image.hpp"
#include "limber/mesh/up_axis.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <span>

namespace limber::app {

// All of them upright.

/// The mesh coloured by region, and beside it cut open.
Image draw_mesh(const VolumeMesh& mesh, UpAxis up, const Executor& executor);

/// The mesh, with what holds it in orange.
Image draw_held(const VolumeMesh& mesh, std::span<const int> held, UpAxis up, const Executor& executor);

/// The shapes of up to twelve modes beside each other, the lowest at the top left, coloured by how far they
/// move.
Image draw_modes(const FullModel& model, const LinearModes& modes, UpAxis up);

}  // namespace limber::app
