#include "limber/draw/shade.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

// Chosen by eye so that a white surface facing the key light just stays below white, and one turned away from
// it keeps enough light to read its colour.
constexpr float sky_light = 0.54f;
constexpr float ground_light = 0.33f;
constexpr float key_light = 0.76f;
constexpr float fill_light = 0.08f;
constexpr float least_ambient =
    0.2f;  ///< light that comes round every corner: crowns of leaves are not black inside
constexpr float gloss = 0.05f;
constexpr int gloss_exponent = 24;

constexpr int map_size = 1024;

/// Lines fade out where a triangle is less than `faint` line widths across, and are whole from `full` on:
/// a fine mesh would be nothing but lines.
constexpr float faint = 2.5f;
constexpr float full = 13.0f;

Eigen::Vector3f camera_direction(const Camera& camera, double right, double up, double towards) {
  const Vector3 direction = camera.axes().transpose() * Vector3(right, up, -towards);
  return direction.normalized().cast<float>();
}

}  // namespace

Shader::Shader(std::span<const Shape> shapes, const ValueRange& range, const Camera& camera,
               const Vector3& up, double line_width)
    : range_(range),
      up_(up.cast<float>()),
      key_(camera_direction(camera, -0.62, 0.66, 0.62)),
      fill_(camera_direction(camera, 0.85, 0.10, 0.55)),
      line_width_(line_width) {
  half_ = (key_ + camera_direction(camera, 0.0, 0.0, 1.0)).normalized();
  for (const Shape& shape : shapes) shape_color_.push_back(srgb_to_linear(shape.color).cast<float>());
  for (int i = 0; i < map_size; ++i) {
    map_.push_back(srgb_to_linear(viridis(i / (map_size - 1.0))).cast<float>());
  }
}

Fragment Shader::shade(const Facet& facet, double x, double y) const {
  // Perspective-correct barycentric coordinates.
  const auto& [a, b, c] = facet.corners;
  Vector3 weights((b.x - x) * (c.y - y) - (b.y - y) * (c.x - x),
                  (c.x - x) * (a.y - y) - (c.y - y) * (a.x - x),
                  (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x));
  weights.array() *= Eigen::Array3d(a.weight, b.weight, c.weight) / weights.sum();
  const Eigen::Vector3f share = (weights / weights.sum()).cwiseMax(0.0).cwiseMin(1.0).cast<float>();

  const Eigen::Vector3f normal = (facet.normals * share).normalized();
  const Eigen::Vector3f color = surface_color(facet.shape, facet.values.dot(share));
  return {lit(color, normal, facet.ambient.dot(share)), facet.edges != 0 ? line_share(facet, x, y) : 0.0f};
}

Eigen::Vector3f Shader::surface_color(int shape, float value) const {
  if (!std::isfinite(value)) return shape_color_[static_cast<std::size_t>(shape)];
  // Halved first: the difference of two huge numbers may overflow.
  const double t = (0.5 * value - 0.5 * range_.low) / (0.5 * range_.high - 0.5 * range_.low);
  const double place = std::clamp(t, 0.0, 1.0) * (map_size - 1);
  return map_[static_cast<std::size_t>(std::lround(place))];
}

Eigen::Vector3f Shader::lit(const Eigen::Vector3f& color, const Eigen::Vector3f& normal, float open) const {
  const float ambient = std::max(open, least_ambient);
  const float upward = 0.5f + 0.5f * normal.dot(up_);
  float light = ambient * (ground_light + (sky_light - ground_light) * upward);
  light += key_light * std::max(0.0f, normal.dot(key_)) * (0.4f + 0.6f * ambient);
  light += fill_light * std::max(0.0f, normal.dot(fill_)) * ambient;
  const float glint = gloss * std::pow(std::max(0.0f, normal.dot(half_)), gloss_exponent);
  return color * light + Eigen::Vector3f::Constant(glint * ambient);
}

float Shader::line_share(const Facet& facet, double x, double y) const {
  double share = 0.0;
  for (int k = 0; k < 3; ++k) {
    if ((facet.edges >> k & 1) == 0) continue;
    const ScreenPoint& from = facet.corners[k];
    const ScreenPoint& to = facet.corners[(k + 1) % 3];
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = std::hypot(dx, dy);
    if (!(length > 0.0)) continue;
    const double distance = std::abs((x - from.x) * dy - (y - from.y) * dx) / length;
    share = std::max(share, std::clamp(line_width_ / 2 + 0.5 - distance, 0.0, 1.0));
  }
  const double across = facet.smallness / line_width_;
  return static_cast<float>(share * std::clamp((across - faint) / (full - faint), 0.0, 1.0));
}

}  // namespace limber
