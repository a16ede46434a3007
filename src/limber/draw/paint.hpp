#pragma once

#include "limber/draw/occlusion.hpp"
#include "limber/draw/render.hpp"
#include "limber/draw/shade.hpp"
#include "limber/draw/visibility.hpp"

#include <span>
#include <vector>

namespace limber {

inline constexpr int band_rows = 16;  ///< pixels; the samples of a band then fit into a core's cache

/// Facets of the shapes that are drawn together.
struct Layer {
  std::vector<Facet> facets;
  std::vector<std::vector<int>> of_band;  ///< numbers of the facets that touch each band of rows
  float opacity = 1.0f;
  double distance = 0.0;  ///< ghosts: smaller is nearer
};

/// Finds out which facets touch which band of a picture.
void sort_into_bands(Layer& layer, int height);

/// Everything that turns facets into colours.
struct Painter {
  const RenderOptions& options;
  const Camera& camera;
  const Shader& shader;
  std::span<const Layer> layers;  ///< the opaque one, then ghosts from far to near
  const GroundShadow* ground;     ///< nullptr: no ground, or seen from below

  /// Linear colours of the pixels of a band, row by row.
  [[nodiscard]] std::vector<Eigen::Vector3f> paint(int band) const;
};

}  // namespace limber
