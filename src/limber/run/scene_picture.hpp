#pragma once

#include "limber/base/executor.hpp"
#include "limber/draw/image.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/scene/scene.hpp"

#include <vector>

namespace limber {

/// A surface, upright, its parts in different colours. colors: sRGB, one per part, or none to choose them
/// here.
Image draw_surface(const SurfaceMesh& surface, const std::vector<Vector3>& colors, UpAxis up,
                   const Executor& executor);

/// All bodies of a scene, as its output settings ask: coloured by how far they moved, with their rest poses
/// as ghosts, or as they look. Bodies with a surface to draw show that.
Image draw_state(const Scene& scene, const SceneState& state, const Executor& executor);

}  // namespace limber
