#include "apps/limber/picture.hpp"

#include "limber/draw/regions.hpp"
#include "limber/draw/render.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::app {
namespace {

constexpr int most_modes = 12;  ///< in one picture
constexpr double mode_amplitude =
    0.15;                              ///< largest displacement of a mode in a picture, share of the diagonal
constexpr double mode_spacing = 1.12;  ///< distance of neighbours, multiples of their size in the picture

Vector lengths(const Matrix3X& displacement) { return displacement.colwise().norm().transpose(); }

/// Copies of one body, each of one or more shapes, laid out on a grid in the plane of the picture, which has
/// about the shape of the picture.
void lay_out(std::vector<std::vector<Shape>>& bodies, const RenderOptions& options) {
  const Matrix3 axes = frame_shapes(bodies.front(), options).axes();
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const std::vector<Shape>& body : bodies) {
    for (const Shape& shape : body) {
      const Matrix3X seen = axes * shape.vertices;
      low = low.cwiseMin(seen.rowwise().minCoeff());
      high = high.cwiseMax(seen.rowwise().maxCoeff());
    }
  }
  const Vector3 cell = mode_spacing * (high - low);
  const double aspect = static_cast<double>(options.width) / options.height;
  const auto count = static_cast<double>(bodies.size());
  const int columns =
      static_cast<int>(std::clamp(std::round(std::sqrt(count * aspect * cell.y() / cell.x())), 1.0, count));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int column = static_cast<int>(i) % columns, row = static_cast<int>(i) / columns;
    const Vector3 offset = column * cell.x() * axes.row(0) - row * cell.y() * axes.row(1);
    for (Shape& shape : bodies[i]) shape.vertices.colwise() += offset;
  }
}

}  // namespace

Image draw_mesh(const VolumeMesh& mesh, UpAxis up, const Executor& executor) {
  RenderOptions options;
  options.view = upright_view(direction_of(up));
  options.view.field_of_view = 0.0;  // whole and cut look alike
  options.executor = executor;
  const BoundingBox box = bounding_box(mesh);
  Vector3 towards_viewer = Vector3::Zero();  // the axis that faces the viewer most
  Index axis = 0;
  options.view.direction.cwiseAbs().maxCoeff(&axis);
  towards_viewer(axis) = options.view.direction(axis) > 0.0 ? -1.0 : 1.0;
  std::vector<std::vector<Shape>> bodies{
      make_region_shapes(mesh),
      make_cut_shapes(mesh, towards_viewer, towards_viewer.dot(0.5 * (box.min + box.max)))};
  lay_out(bodies, options);
  std::vector<Shape> shapes;
  for (auto& body : bodies) shapes.insert(shapes.end(), body.begin(), body.end());
  return render(shapes, options);
}

Image draw_held(const VolumeMesh& mesh, std::span<const int> held, UpAxis up, const Executor& executor) {
  RenderOptions options;
  options.view = upright_view(direction_of(up));
  options.executor = executor;
  return render(make_held_shapes(mesh, held), options);
}

Image draw_modes(const FullModel& model, const LinearModes& modes, UpAxis up) {
  const BoundingBox box = bounding_box(model.mesh());
  const double largest = mode_amplitude * (box.max - box.min).norm();
  const Index shown = std::min<Index>(modes.shapes.cols(), most_modes);
  std::vector<std::vector<Shape>> copies;
  for (Index i = 0; i < shown; ++i) {
    Matrix3X displacement = model.dofs().expand(modes.shapes.col(i));
    displacement *= largest / lengths(displacement).maxCoeff();
    copies.push_back({make_shape(model.mesh(), displacement)});
    copies.back().front().values = lengths(displacement) / largest;
  }
  RenderOptions options;
  options.view = upright_view(direction_of(up));
  options.view.field_of_view = 0.0;  // copies beside each other look alike
  options.shadow = false;
  options.title = fmt::format("modes 1 to {}, {:.4g} to {:.4g} Hz", shown, modes.frequencies_hz(0),
                              modes.frequencies_hz(shown - 1));
  options.value_title = "share of largest";
  options.executor = model.executor();
  lay_out(copies, options);
  std::vector<Shape> shapes;
  for (auto& copy : copies) shapes.push_back(std::move(copy.front()));
  return render(shapes, options);
}

}  // namespace limber::app
