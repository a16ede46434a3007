#include "apps/limber/picture.hpp"

#include "limber/draw/regions.hpp"
#include "limber/draw/render.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber::app {
namespace {

constexpr double ghost_opacity = 0.22;
constexpr Index most_triangles_with_edges = 60'000;  ///< beyond, edges would cover the picture
constexpr int most_modes = 12;                       ///< in one picture
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

/// A shape whose vertices moved: the rest pose is its vertices less `moved` (3 x vertices, m).
struct MovedShape {
  Shape shape;
  Matrix3X moved;
};

/// One shape per part of a surface that moved by a displacement (3 x vertices, m). colors: one per part, or
/// none.
std::vector<MovedShape> part_shapes(const SurfaceMesh& surface, const std::vector<Vector3>& colors,
                                    const Matrix3X& displacement) {
  std::vector<std::vector<Index>> triangles(surface.parts.size());
  for (std::size_t t = 0; t < surface.part.size(); ++t) {
    triangles[static_cast<std::size_t>(surface.part[t])].push_back(static_cast<Index>(t));
  }
  std::vector<MovedShape> shapes;
  for (std::size_t p = 0; p < triangles.size(); ++p) {
    if (triangles[p].empty()) continue;
    const Eigen::Matrix3Xi faces = surface.triangles(Eigen::all, triangles[p]);
    MovedShape one{make_shape(surface.vertices, faces, ElementKind::tetrahedron),
                   make_shape(displacement, faces, ElementKind::tetrahedron).vertices};
    one.shape.vertices += one.moved;
    one.shape.color = p < colors.size() ? colors[p] : region_color(p);
    one.shape.edges = colors.empty() && surface.triangle_count() <= most_triangles_with_edges;
    shapes.push_back(std::move(one));
  }
  return shapes;
}

/// What is drawn of a body, with the length of its displacement as values.
std::vector<MovedShape> moved_shapes(const SceneBody& body, const BodySimulation& simulation) {
  std::vector<MovedShape> shapes;
  if (body.render.triangle_count() == 0) {
    const Matrix3X displacement = simulation.displacement();
    shapes.push_back({make_shape(body.mesh, displacement), displacement});
  } else {
    shapes = part_shapes(body.render, body.render_colors, simulation.surface_displacement());
    for (MovedShape& one : shapes) one.shape.edges = false;
  }
  for (MovedShape& one : shapes) one.shape.values = lengths(one.moved);
  return shapes;
}

Shape ghost_of(const MovedShape& moved) {
  Shape ghost = moved.shape;
  ghost.vertices -= moved.moved;
  ghost.values.resize(0);
  ghost.opacity = ghost_opacity;
  ghost.edges = false;
  return ghost;
}

}  // namespace

Image draw_mesh(const VolumeMesh& mesh, const Executor& executor) {
  RenderOptions options;
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

Image draw_surface(const SurfaceMesh& surface, const std::vector<Vector3>& colors, const Executor& executor) {
  std::vector<Shape> shapes;
  for (MovedShape& part : part_shapes(surface, colors, Matrix3X::Zero(3, surface.vertex_count()))) {
    shapes.push_back(std::move(part.shape));
  }
  RenderOptions options;
  options.executor = executor;
  return render(shapes, options);
}

/// The usual view, turned so that things fall downward in it.
View view_along(const Vector3& gravity) {
  View view;
  if (gravity.norm() == 0.0) return view;
  const Eigen::Quaterniond turn = rotation_between(view.up, -gravity);
  return {turn * view.direction, turn * view.up, view.field_of_view};
}

Image draw_state(const Scene& scene, const SceneState& state) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    for (MovedShape& one : moved_shapes(scene.bodies[i], *state.bodies[i])) {
      if (scene.output.picture_of == PictureOf::appearance) {
        one.shape.values.resize(0);  // its own colour
      } else if (!one.moved.isZero(0.0)) {
        shapes.push_back(ghost_of(one));
      }
      shapes.push_back(std::move(one.shape));
    }
  }
  RenderOptions options;
  options.view = view_along(scene.gravity);
  options.ghosts_in_front = false;
  options.value_title = "displacement (m)";
  options.executor = state.bodies.front()->executor();
  return render(shapes, options);
}

Image draw_modes(const FullModel& model, const LinearModes& modes) {
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
