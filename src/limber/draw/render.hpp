#pragma once

#include "limber/base/executor.hpp"
#include "limber/draw/camera.hpp"
#include "limber/draw/color_bar.hpp"
#include "limber/draw/image.hpp"
#include "limber/draw/shape.hpp"

#include <optional>
#include <span>
#include <string>

namespace limber {

struct RenderOptions {
  int width = 1600;   ///< pixels
  int height = 1000;  ///< pixels
  View view;
  double margin = 0.06;              ///< free space around the shapes, share of the height
  std::optional<BoundingBox> frame;  ///< what to frame, m; absent: the shapes. Fix it for a film

  std::string title;                ///< at the top; empty for none
  bool color_bar = true;            ///< legend of the values, where a shape has some
  std::string value_title;          ///< of the colour bar: quantity and unit
  std::optional<ValueRange> range;  ///< of the colour map; absent: that of all values

  bool ghosts_in_front = true;   ///< else ghosts are seen beside opaque shapes only
  bool shadow = true;            ///< soft shadow on the ground, and in folds
  std::optional<double> ground;  ///< height of the ground along View::up, m; absent: below the shapes
  double crease_angle = 35.0;    ///< degrees between two faces beyond which their edge is not smoothed
  double line_width = 1.2;       ///< of edges, thousandths of the height
  Color background_top{0.995, 0.995, 1.0};      ///< sRGB
  Color background_bottom{0.88, 0.895, 0.915};  ///< sRGB

  Executor executor{1};  ///< the picture does not depend on the number of threads
};

/// A picture of the shapes: framed to fit, 3 x 3 samples per pixel, opaque shapes first, then ghosts from far
/// to near (each shows its front only). Triangles that are not finite or have no area are skipped; without
/// any left the background remains. Throws Error for sizes, views and options that make no sense. Equal input
/// gives equal bytes. Cost O(pixels + triangles), plus 1500 evaluations per vertex for shadows.
Image render(std::span<const Shape> shapes, const RenderOptions& options = {});

/// The camera that render() uses.
Camera frame_shapes(std::span<const Shape> shapes, const RenderOptions& options);

}  // namespace limber
