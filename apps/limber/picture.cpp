#include "apps/limber/picture.hpp"

#include "limber/draw/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::app {
namespace {

constexpr double ghost_opacity = 0.22;
constexpr int most_modes = 12;  ///< in one picture
constexpr double mode_amplitude =
    0.15;                              ///< largest displacement of a mode in a picture, share of the diagonal
constexpr double mode_spacing = 1.12;  ///< distance of neighbours, multiples of their size in the picture

Vector lengths(const Matrix3X& displacement) { return displacement.colwise().norm().transpose(); }

/// Copies of one body laid out on a grid in the plane of the picture, which has about the shape of the
/// picture.
void lay_out(std::vector<Shape>& shapes, const RenderOptions& options) {
  const Matrix3 axes = frame_shapes(shapes, options).axes();
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Shape& shape : shapes) {
    const Matrix3X seen = axes * shape.vertices;
    low = low.cwiseMin(seen.rowwise().minCoeff());
    high = high.cwiseMax(seen.rowwise().maxCoeff());
  }
  const Vector3 cell = mode_spacing * (high - low);
  const double aspect = static_cast<double>(options.width) / options.height;
  const auto count = static_cast<double>(shapes.size());
  const int columns =
      static_cast<int>(std::clamp(std::round(std::sqrt(count * aspect * cell.y() / cell.x())), 1.0, count));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
    const Vector3 offset = column * cell.x() * axes.row(0) - row * cell.y() * axes.row(1);
    shapes[i].vertices.colwise() += offset;
  }
}

}  // namespace

Image draw_mesh(const VolumeMesh& mesh) {
  const std::vector<Shape> shapes{make_shape(mesh)};
  return render(shapes);
}

Image draw_state(const SceneState& state) {
  std::vector<Shape> shapes;
  for (const BodyState& body : state.bodies) {
    const Matrix3X displacement = body.displacement();
    shapes.push_back(make_shape(body.model->mesh(), displacement));
    shapes.back().values = lengths(displacement);
    if (displacement.isZero(0.0)) continue;
    shapes.push_back(make_shape(body.model->mesh()));
    shapes.back().opacity = ghost_opacity;
    shapes.back().edges = false;
  }
  RenderOptions options;
  options.value_title = "displacement (m)";
  options.executor = state.bodies.front().model->executor();
  return render(shapes, options);
}

Image draw_modes(const FullModel& model, const LinearModes& modes) {
  const BoundingBox box = bounding_box(model.mesh());
  const double largest = mode_amplitude * (box.max - box.min).norm();
  const Index shown = std::min<Index>(modes.shapes.cols(), most_modes);
  std::vector<Shape> shapes;
  for (Index i = 0; i < shown; ++i) {
    Matrix3X displacement = model.dofs().expand(modes.shapes.col(i));
    displacement *= largest / lengths(displacement).maxCoeff();
    shapes.push_back(make_shape(model.mesh(), displacement));
    shapes.back().values = lengths(displacement) / largest;
  }
  RenderOptions options;
  options.view.field_of_view = 0.0;  // copies beside each other look alike
  options.shadow = false;
  options.title = fmt::format("modes 1 to {}, {:.4g} to {:.4g} Hz", shown, modes.frequencies_hz(0),
                              modes.frequencies_hz(shown - 1));
  options.value_title = "share of largest";
  options.executor = model.executor();
  lay_out(shapes, options);
  return render(shapes, options);
}

}  // namespace limber::app
