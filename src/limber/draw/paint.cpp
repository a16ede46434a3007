#include "limber/draw/paint.hpp"

#include <algorithm>
#include <array>

namespace limber {
namespace {

constexpr float shadow_strength = 0.75f;      ///< how much of the background's light a full shadow takes away
constexpr float line_strength = 0.55f;        ///< how much of a surface's light an edge takes away
constexpr float ghost_line_strength = 0.35f;  ///< opacity that an edge adds to a ghost
constexpr double ghost_bias = 2e-3;           ///< of the scene: a ghost that touches a shape stays behind it

void add_background_row(std::vector<Eigen::Vector3f>& pixels, const Painter& painter, int y) {
  const RenderOptions& options = painter.options;
  const double t = (y + 0.5) / options.height;
  const Color color = (1.0 - t) * options.background_top + t * options.background_bottom;
  const Eigen::Vector3f linear = srgb_to_linear(color).cast<float>();
  for (int x = 0; x < options.width; ++x) {
    float light = 1.0f;
    if (painter.ground != nullptr) {
      const auto point =
          painter.camera.intersect_plane(x + 0.5, y + 0.5, painter.ground->up(), painter.ground->height());
      if (point) light -= shadow_strength * painter.ground->at(*point);
    }
    pixels.push_back(light * linear);
  }
}

/// Lays the facets that a band sees over its pixels.
void lay_over(std::vector<Eigen::Vector3f>& pixels, const Painter& painter, const VisibilityBand& seen,
              const Layer& layer, int top) {
  constexpr int side = samples_per_side;
  const int width = painter.options.width;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const int x = static_cast<int>(i) % width;
    const int y = static_cast<int>(i) / width;
    std::array<int, side * side> numbers{};
    bool any = false;
    for (int s = 0; s < side * side; ++s) {
      numbers[s] = seen.facet_at(side * x + s % side, side * y + s / side);
      any = any || numbers[s] >= 0;
    }
    if (!any) continue;
    Eigen::Vector3f sum = Eigen::Vector3f::Zero();
    float covered = 0.0f;
    for (int s = 0; s < side * side; ++s) {
      const int number = numbers[s];
      if (number < 0) continue;
      // All samples of this facet at once, shaded at their centre, which lies inside of it.
      int count = 0;
      Vector2 centre = Vector2::Zero();
      for (int other = s; other < side * side; ++other) {
        if (numbers[other] != number) continue;
        numbers[other] = -1;
        const int row = other / side;
        centre += Vector2(other % side + 0.5, row + 0.5) / side;
        ++count;
      }
      centre /= count;
      const Fragment fragment = painter.shader.shade(layer.facets[static_cast<std::size_t>(number)],
                                                     x + centre.x(), top + y + centre.y());
      const float share = static_cast<float>(count) / (side * side);
      const float ghost_line = (1.0f - layer.opacity) * ghost_line_strength * fragment.line;
      const float opacity = share * (layer.opacity + ghost_line);
      sum += opacity * (1.0f - line_strength * fragment.line) * fragment.color;
      covered += opacity;
    }
    pixels[i] = (1.0f - covered) * pixels[i] + sum;
  }
}

}  // namespace

void sort_into_bands(Layer& layer, int height) {
  const int bands = (height + band_rows - 1) / band_rows;
  layer.of_band.resize(static_cast<std::size_t>(bands));
  for (std::size_t i = 0; i < layer.facets.size(); ++i) {
    const auto& [a, b, c] = layer.facets[i].corners;
    const auto [low, high] = std::minmax({a.y, b.y, c.y});
    const int first = static_cast<int>(std::clamp((low - 1.0) / band_rows, 0.0, static_cast<double>(bands)));
    const int last = static_cast<int>(std::clamp((high + 1.0) / band_rows, -1.0, bands - 1.0));
    for (int band = first; band <= last; ++band) layer.of_band[band].push_back(static_cast<int>(i));
  }
}

std::vector<Eigen::Vector3f> Painter::paint(int band) const {
  const int top = band * band_rows;
  const int rows = std::min(band_rows, options.height - top);
  std::vector<Eigen::Vector3f> pixels;
  pixels.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(options.width));
  for (int y = top; y < top + rows; ++y) add_background_row(pixels, *this, y);
  VisibilityBand opaque(options.width, top, rows);
  for (const int number : layers[0].of_band[band]) opaque.draw(layers[0].facets[number], number);
  lay_over(pixels, *this, opaque, layers[0], top);
  constexpr float never = 1e30f;  // nearer than everything by more than a picture is deep
  const float bias = options.ghosts_in_front ? static_cast<float>(camera.nearness_of(ghost_bias)) : never;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (layers[i].of_band[band].empty()) continue;
    VisibilityBand ghost(options.width, top, rows);
    for (const int number : layers[i].of_band[band]) {
      ghost.draw(layers[i].facets[number], number, &opaque, bias);
    }
    lay_over(pixels, *this, ghost, layers[i], top);
  }
  return pixels;
}

}  // namespace limber
