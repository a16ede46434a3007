#pragma once

#include "limber/draw/color_bar.hpp"
#include "limber/draw/surface.hpp"

#include <span>
#include <vector>

namespace limber {

/// What a facet looks like at one place.
struct Fragment {
  Eigen::Vector3f color;  ///< linear
  float line = 0.0f;      ///< share of an edge's line, 0 to 1
};

/// Lights facets: a bright sky above a darker ground, a key light from the upper left behind the camera and a
/// weak fill light from the right. The key and fill lights turn with the camera, so that every view is lit
/// well.
class Shader {
 public:
  /// up: unit.  line_width: pixels.
  Shader(std::span<const Shape> shapes, const ValueRange& range, const Camera& camera, const Vector3& up,
         double line_width);

  /// The facet at a place in the picture (pixels) that lies inside of it.
  [[nodiscard]] Fragment shade(const Facet& facet, double x, double y) const;

 private:
  [[nodiscard]] Eigen::Vector3f surface_color(int shape, float value) const;
  [[nodiscard]] Eigen::Vector3f lit(const Eigen::Vector3f& color, const Eigen::Vector3f& normal,
                                    float ambient) const;
  [[nodiscard]] float line_share(const Facet& facet, double x, double y) const;

  std::vector<Eigen::Vector3f> shape_color_;  ///< linear
  std::vector<Eigen::Vector3f> map_;          ///< the colour map, linear
  ValueRange range_;
  Eigen::Vector3f up_;
  Eigen::Vector3f key_;
  Eigen::Vector3f fill_;
  Eigen::Vector3f half_;  ///< between the key light and the line of sight
  double line_width_;
};

}  // namespace limber
