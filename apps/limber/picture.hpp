#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/draw/image.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/scene/scene.hpp"

namespace limber::app {

/// The mesh coloured by region, and beside it cut open.
Image draw_mesh(const VolumeMesh& mesh, const Executor& executor);

/// A surface, its parts in different colours. colors: sRGB, one per part, or none to choose them here.
Image draw_surface(const SurfaceMesh& surface, const std::vector<Vector3>& colors, const Executor& executor);

/// All bodies of a scene, as its output settings ask: coloured by how far they moved, with their rest poses
/// as ghosts, or as they look. Bodies with a surface to draw show that.
Image draw_state(const Scene& scene, const SceneState& state);

/// The shapes of up to twelve modes beside each other, the lowest at the top left, coloured by how far they
/// move.
Image draw_modes(const FullModel& model, const LinearModes& modes);

}  // namespace limber::app
