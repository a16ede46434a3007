#include "limber/draw/render.hpp"

#include "limber/base/error.hpp"
#include "limber/draw/paint.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

// How a picture is made
//
//   shapes -> surfaces (normals, neighbours) -> facets (triangles in the picture) -> bands of rows -> bytes
//
// A band finds the nearest facet for every sample (visibility.hpp) before it computes any colour. Each pixel
// then shades every facet it sees once, at the centre of the facet's samples: as smooth as shading all nine
// samples, at little more than the cost of one. Ghosts go through the same steps, one after the other, and
// are laid over the band in proportion to the samples they cover. Bands share nothing, so threads never wait
// and the result does not depend on them.

namespace limber {
namespace {

constexpr int largest_side = 16384;    ///< pixels
constexpr double shadow_budget = 4e7;  ///< disc evaluations at the vertices, about 0.1 s
constexpr double ground_discs = 3000;  ///< contact shadows need more discs than folds; about 0.1 s
constexpr double ground_cells = 144;   ///< of the table of the ground's shadow, along its longer side
constexpr int byte_steps = 8192;       ///< fine enough for every level of sRGB to be reached
constexpr double title_size = 24.0;    ///< height of a capital, thousandths of the picture's height

struct Scene {
  std::vector<Surface> surfaces;
  Matrix3X points;  ///< vertices in use
  std::optional<ColorBar> color_bar;
  ValueRange range;
};

void check_options(const RenderOptions& o) {
  require(o.width >= 1 && o.height >= 1 && o.width <= largest_side && o.height <= largest_side,
          "picture of {} x {} pixels, expected 1 to {} each", o.width, o.height, largest_side);
  require(o.margin >= 0.0 && o.margin < 0.45, "margin of {} of the picture's height, expected 0 to 0.45",
          o.margin);
  require(o.line_width > 0.0 && o.line_width <= 100.0, "line width {}, expected more than 0, up to 100",
          o.line_width);
  require(o.crease_angle >= 0.0 && o.crease_angle <= 180.0, "crease angle of {} degrees, expected 0 to 180",
          o.crease_angle);
  require(!o.range ||
              (std::isfinite(o.range->low) && std::isfinite(o.range->high) && o.range->low < o.range->high),
          "colour range from {} to {}, expected two finite numbers, the smaller first",
          o.range ? o.range->low : 0.0, o.range ? o.range->high : 0.0);
  require(!o.frame || (o.frame->min.allFinite() && o.frame->max.allFinite()),
          "the box to frame is not finite");
  require(!o.ground || std::isfinite(*o.ground), "the height of the ground is not finite");
}

/// Range of the finite values of all shapes; nothing where there are none.
std::optional<ValueRange> range_of(std::span<const Shape> shapes) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Shape& shape : shapes) {
    for (const double value : shape.values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return std::nullopt;
  if (low == high) return ValueRange{low, low + std::max(std::abs(low), 1.0)};
  return ValueRange{low, high};
}

Scene make_scene(std::span<const Shape> shapes, const RenderOptions& options) {
  check_options(options);
  Scene scene;
  Index count = 0;
  for (const Shape& shape : shapes) {
    check_shape(shape);
    scene.surfaces.push_back(make_surface(shape));
    count += shape.vertices.cols();
  }
  scene.points.resize(3, count);
  count = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Matrix3X points = used_points(shapes[i], scene.surfaces[i]);
    scene.points.middleCols(count, points.cols()) = points;
    count += points.cols();
  }
  scene.points.conservativeResize(3, count);
  const auto found = range_of(shapes);
  scene.range = options.range.value_or(found.value_or(ValueRange{}));
  if (options.color_bar && found) scene.color_bar = ColorBar{scene.range, options.value_title};
  return scene;
}

Camera frame_scene(const Scene& scene, const RenderOptions& options) {
  const double margin = std::min(options.margin * options.height, 0.45 * options.width);
  Viewport viewport{margin, margin, options.width - 2 * margin, options.height - 2 * margin};
  if (scene.color_bar) viewport.width -= color_bar_width(*scene.color_bar, options.height);
  if (!options.title.empty()) {
    const double strip = 2.0 * title_size * options.height / 1000.0;
    viewport.top += strip;
    viewport.height -= strip;
  }
  viewport.width = std::max(viewport.width, 0.1 * options.width);  // a narrow picture: let the bar overlap
  viewport.height = std::max(viewport.height, 0.1 * options.height);
  if (!options.frame) return Camera(options.view, scene.points, viewport);
  Matrix3X corners(3, 8);
  for (int i = 0; i < 8; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      corners(axis, i) = (i >> axis & 1) != 0 ? options.frame->max(axis) : options.frame->min(axis);
    }
  }
  return Camera(options.view, corners, viewport);
}

/// Linear light, in steps of 1 / byte_steps, as bytes of sRGB.
std::vector<std::uint8_t> make_byte_table() {
  std::vector<std::uint8_t> table;
  for (int i = 0; i <= byte_steps; ++i) {
    table.push_back(to_byte(linear_to_srgb(Color::Constant(i / static_cast<double>(byte_steps))).x()));
  }
  return table;
}

std::size_t byte_index(float linear) {
  return linear > 0.0f ? static_cast<std::size_t>(std::floor(std::min(linear, 1.0f) * byte_steps + 0.5f))
                       : 0;  // NaN: 0
}

/// Share of the sky that each vertex sees.
Eigen::VectorXf ambient_light(const Shape& shape, const Surface& surface, const Sky* sky,
                              const Executor& executor) {
  Eigen::VectorXf ambient = Eigen::VectorXf::Ones(shape.vertices.cols());
  if (sky == nullptr || shape.opacity < 1.0) return ambient;
  const Matrix3X normals = vertex_normals(shape, surface);
  executor.parallel_ranges(ambient.size(), 64, [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v) {
      if (surface.first[v] == surface.first[v + 1]) continue;
      ambient(v) = 1.0f - sky->occlusion(shape.vertices.col(v), normals.col(v));
    }
  });
  return ambient;
}

/// The opaque layer, then the ghosts from far to near.
std::vector<Layer> make_layers(std::span<const Shape> shapes, const Scene& scene, const Camera& camera,
                               const Sky* sky, const RenderOptions& options) {
  const double crease = std::cos(options.crease_angle * std::numbers::pi / 180.0);
  std::vector<Layer> layers(1);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    const Surface& surface = scene.surfaces[i];
    if (shape.opacity <= 0.0 || surface.triangles.empty()) continue;
    const auto ambient = ambient_light(shape, surface, sky, options.executor);
    auto facets = project_surface(shape, surface, camera, ambient, crease, static_cast<int>(i));
    if (shape.opacity >= 1.0) {
      layers[0].facets.insert(layers[0].facets.end(), facets.begin(), facets.end());
    } else {
      const Vector3 centre = used_points(shape, surface).rowwise().mean();
      layers.push_back(
          {std::move(facets), {}, static_cast<float>(shape.opacity), camera.axes().row(2).dot(centre)});
    }
  }
  std::stable_sort(layers.begin() + 1, layers.end(),
                   [](const Layer& a, const Layer& b) { return a.distance > b.distance; });
  for (Layer& layer : layers) sort_into_bands(layer, options.height);
  return layers;
}

}  // namespace

Image render(std::span<const Shape> shapes, const RenderOptions& options) {
  const Scene scene = make_scene(shapes, options);
  const Camera camera = frame_scene(scene, options);
  const Vector3 up = options.view.up.stableNormalized();

  std::vector<Caster> casters;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].opacity >= 1.0) casters.push_back({&shapes[i], &scene.surfaces[i]});
  }
  std::optional<Sky> sky;
  std::optional<GroundShadow> ground;
  if (options.shadow && scene.points.cols() > 0) {
    const double detail = std::clamp(options.height / 1000.0, 0.15, 1.0);  // a small picture shows less of it
    const double discs = std::min(shadow_budget / static_cast<double>(scene.points.cols()), 1500.0 * detail);
    sky.emplace(casters, static_cast<int>(std::max(discs, 200.0)));
    const double height = options.ground.value_or((up.transpose() * scene.points).minCoeff());
    const bool from_above = camera.axes().row(2).dot(up) < -0.02;
    if (from_above) {
      ground.emplace(Sky(casters, static_cast<int>(ground_discs * detail)), scene.points, up, height,
                     static_cast<int>(ground_cells * detail), options.executor);
    }
  }

  const std::vector<Layer> layers = make_layers(shapes, scene, camera, sky ? &*sky : nullptr, options);
  const double line_width = std::max(options.line_width * options.height / 1000.0, 0.5);
  const Shader shader(shapes, scene.range, camera, up, line_width);
  const Painter painter{options, camera, shader, layers, ground ? &*ground : nullptr};

  Image image{options.width, options.height, {}};
  image.rgb.resize(3 * static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height));
  const std::vector<std::uint8_t> bytes = make_byte_table();
  options.executor.parallel_for((options.height + band_rows - 1) / band_rows, [&](Index band) {
    std::uint8_t* out = image.pixel(0, static_cast<int>(band) * band_rows);
    for (const Eigen::Vector3f& pixel : painter.paint(static_cast<int>(band))) {
      for (int c = 0; c < 3; ++c) *out++ = bytes[byte_index(pixel(c))];
    }
  });

  if (scene.color_bar) draw_color_bar(image, *scene.color_bar);
  const double text = title_size * options.height / 1000.0;
  draw_text(image, {2.0 * text, 2.6 * text}, options.title, {.height = text});
  return image;
}

Camera frame_shapes(std::span<const Shape> shapes, const RenderOptions& options) {
  return frame_scene(make_scene(shapes, options), options);
}

}  // namespace limber
