#pragma once

#include "limber/draw/render.hpp"
#include "tests/support/files.hpp"

#include <algorithm>
#include <cstdlib>

namespace limber::test {

inline Image blank_image(int width, int height, std::uint8_t level = 255) {
  return {width, height, std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width * height), level)};
}

inline Eigen::Vector3i pixel_of(const Image& image, int x, int y) {
  const std::uint8_t* p = image.pixel(x, y);
  return {p[0], p[1], p[2]};
}

/// Pixels that differ between two pictures of the same size.
inline int differing_pixels(const Image& a, const Image& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3) {
    count += !std::equal(a.rgb.begin() + static_cast<std::ptrdiff_t>(i),
                         a.rgb.begin() + static_cast<std::ptrdiff_t>(i) + 3,
                         b.rgb.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return count;
}

/// A square [-half, half]^2 at height z, facing up.
inline Shape square(double half, double z, const Color& color) {
  Shape shape;
  shape.vertices.resize(3, 4);
  shape.vertices << -half, half, half, -half, -half, -half, half, half, z, z, z, z;
  shape.triangles.resize(3, 2);
  shape.triangles << 0, 0, 1, 2, 2, 3;
  shape.color = color;
  shape.edges = false;
  return shape;
}

/// Seen from straight above, without shadow: x to the right, y up; [-1, 1]^2 fills the picture.
inline RenderOptions plan_view(int size = 90) {
  RenderOptions options;
  options.width = size;
  options.height = size;
  options.view.direction = {0, 0, -1};
  options.view.up = {0, 1, 0};
  options.view.field_of_view = 0.0;
  options.margin = 0.0;
  options.shadow = false;
  options.frame = BoundingBox{Vector3(-1, -1, -1), Vector3(1, 1, 1)};
  return options;
}

}  // namespace limber::test
