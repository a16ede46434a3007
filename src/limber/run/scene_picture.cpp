#include "limber/run/scene_picture.hpp"

#include "limber/draw/regions.hpp"
#include "limber/draw/render.hpp"
#include "limber/run/solids.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace limber {
namespace {

constexpr double ghost_opacity = 0.22;
constexpr Index most_triangles_with_edges = 60'000;  ///< beyond, edges would cover the picture

Vector lengths_of(const Matrix3X& displacement) { return displacement.colwise().norm().transpose(); }

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
std::vector<MovedShape> moved_shapes(const Scene& scene, const SceneState& state, std::size_t i) {
  const SceneBody& stated = scene.bodies[i];
  const Body& body = state.body(i);
  std::vector<MovedShape> shapes;
  if (stated.render.triangle_count() == 0 && stated.mesh.element_count() > 0) {
    const Matrix3X displacement = mesh_displacement(scene, state, i);
    shapes.push_back({make_shape(stated.mesh, displacement), displacement});
  } else {
    shapes = part_shapes(body.surface().mesh(), body.surface().colors(), body.surface_displacement());
    for (MovedShape& one : shapes) one.shape.edges = false;
  }
  for (MovedShape& one : shapes) one.shape.values = lengths_of(one.moved);
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

BoundingBox box_of(const std::vector<Shape>& shapes) {
  BoundingBox box{shapes.front().vertices.col(0), shapes.front().vertices.col(0)};
  for (const Shape& shape : shapes) {
    box.min = box.min.cwiseMin(shape.vertices.rowwise().minCoeff());
    box.max = box.max.cwiseMax(shape.vertices.rowwise().maxCoeff());
  }
  return box;
}

/// Rigid bodies and obstacles. Level ground is what shadows fall on; it and all obstacles may reach out of
/// the picture.
void add_solids(const World& world, std::vector<Shape>& shapes, RenderOptions& options) {
  BoundingBox seen = box_of(shapes);
  const std::vector<DrawnSolid> solids = drawn_solids(world, seen);
  const std::vector<Pose> poses = solid_poses(world);
  for (std::size_t i = 0; i < solids.size(); ++i) {
    const Index obstacle = static_cast<Index>(i) - world.rigid_count();
    if (obstacle >= 0 && std::holds_alternative<HalfSpace>(world.obstacle(obstacle).shape)) {
      const Vector3 up = options.view.up.normalized();
      if ((poses[i].rotation * Vector3::UnitZ()).isApprox(up, 1e-9)) {
        options.ground = std::max(options.ground.value_or(-std::numeric_limits<double>::infinity()),
                                  poses[i].position.dot(up));
        continue;
      }
    }
    Shape shape =
        make_shape(solids[i].surface.vertices, solids[i].surface.triangles, ElementKind::tetrahedron);
    shape.vertices =
        ((poses[i].rotation.toRotationMatrix() * shape.vertices).colwise() + poses[i].position).eval();
    shape.color = solids[i].color;
    shape.edges = false;
    shapes.push_back(std::move(shape));
    if (obstacle >= 0) continue;
    seen.min = seen.min.cwiseMin(shapes.back().vertices.rowwise().minCoeff());
    seen.max = seen.max.cwiseMax(shapes.back().vertices.rowwise().maxCoeff());
  }
  if (!solids.empty()) options.frame = seen;
}

}  // namespace

Image draw_surface(const SurfaceMesh& surface, const std::vector<Vector3>& colors, UpAxis up,
                   const Executor& executor) {
  std::vector<Shape> shapes;
  for (MovedShape& part : part_shapes(surface, colors, Matrix3X::Zero(3, surface.vertex_count()))) {
    shapes.push_back(std::move(part.shape));
  }
  RenderOptions options;
  options.view = upright_view(direction_of(up));
  options.executor = executor;
  return render(shapes, options);
}

Image draw_state(const Scene& scene, const SceneState& state, const Executor& executor) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < state.body_count(); ++i) {
    for (MovedShape& one : moved_shapes(scene, state, i)) {
      if (scene.output.picture_of == PictureOf::appearance) {
        one.shape.values.resize(0);  // its own colour
      } else if (!one.moved.isZero(0.0)) {
        shapes.push_back(ghost_of(one));
      }
      shapes.push_back(std::move(one.shape));
    }
  }
  RenderOptions options;
  options.view = upright_view(up_of(scene));
  options.ghosts_in_front = false;
  options.value_title = "displacement (m)";
  options.executor = executor;
  add_solids(state.world, shapes, options);
  return render(shapes, options);
}

}  // namespace limber
