#include "limber/mesh/embedding.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/bvh.hpp"
#include "limber/mesh/triangle_distance.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// A point nearer to an element than this share of its size counts as inside: what is left of a surface's
/// vertices after they were rounded to the sides of voxels.
constexpr double inside_tolerance = 1e-8;

/// Sides of a brick's corners along each axis, in canonical order.
constexpr std::array<std::array<int, 3>, 8> brick_corners{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

Vector3 vertex(const VolumeMesh& mesh, int e, int a) { return mesh.vertices.col(mesh.elements(a, e)); }

BoundingBox element_box(const VolumeMesh& mesh, int e) {
  BoundingBox box{vertex(mesh, e, 0), vertex(mesh, e, 0)};
  for (int a = 1; a < static_cast<int>(mesh.elements.rows()); ++a) {
    box.min = box.min.cwiseMin(vertex(mesh, e, a));
    box.max = box.max.cwiseMax(vertex(mesh, e, a));
  }
  return box;
}

/// Rows: gradients of the barycentric coordinates 1 to 3; that of 0 is minus their sum.
Matrix3 barycentric_gradients(const VolumeMesh& mesh, int e) {
  Matrix3 edges;
  for (int a = 1; a < 4; ++a) edges.col(a - 1) = vertex(mesh, e, a) - vertex(mesh, e, 0);
  return edges.inverse();
}

Eigen::Vector4d barycentric(const VolumeMesh& mesh, int e, const Vector3& point) {
  const Vector3 rest = barycentric_gradients(mesh, e) * (point - vertex(mesh, e, 0));
  return {1.0 - rest.sum(), rest.x(), rest.y(), rest.z()};
}

double tetrahedron_distance_squared(const VolumeMesh& mesh, int e, const Vector3& point) {
  if (barycentric(mesh, e, point).minCoeff() >= 0.0) return 0.0;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& face : tetrahedron_faces) {
    nearest = std::min(nearest, closest_on_triangle(point, vertex(mesh, e, face[0]), vertex(mesh, e, face[1]),
                                                    vertex(mesh, e, face[2]))
                                    .distance);
  }
  return nearest * nearest;
}

double element_distance_squared(const VolumeMesh& mesh, int e, const Vector3& point) {
  if (mesh.kind == ElementKind::tetrahedron) return tetrahedron_distance_squared(mesh, e, point);
  return distance_squared(BoundingBox{vertex(mesh, e, 0), vertex(mesh, e, 6)}, point);
}

using BrickWeights = Eigen::Matrix<double, 8, 1>;

/// Trilinear weights at local coordinates, 0 to 1 inside.
BrickWeights trilinear(const Vector3& local) {
  BrickWeights weights;
  for (int a = 0; a < 8; ++a) {
    weights(a) = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
      weights(a) *= brick_corners[a][axis] != 0 ? local(axis) : 1.0 - local(axis);
    }
  }
  return weights;
}

Vector3 brick_size(const VolumeMesh& mesh, int e) { return vertex(mesh, e, 6) - vertex(mesh, e, 0); }

Vector weights_at(const VolumeMesh& mesh, int e, const Vector3& point) {
  if (mesh.kind == ElementKind::tetrahedron) return barycentric(mesh, e, point);
  const Vector3 local = (point - vertex(mesh, e, 0)).cwiseQuotient(brick_size(mesh, e));
  return trilinear(local.cwiseMax(-1.0).cwiseMin(2.0));
}

}  // namespace

Embedding embed_points(const VolumeMesh& mesh, const Matrix3X& points, const Executor& executor) {
  std::vector<BoundingBox> boxes;
  boxes.reserve(static_cast<std::size_t>(mesh.element_count()));
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) boxes.push_back(element_box(mesh, e));
  const Bvh bvh(boxes);
  require(!bvh.empty(), "points cannot follow a mesh without elements");
  require(points.allFinite(), "the points to embed have coordinates that are not finite");

  Embedding embedding;
  embedding.mesh_vertices = mesh.vertex_count();
  embedding.element.resize(static_cast<std::size_t>(points.cols()));
  embedding.weights.resize(mesh.elements.rows(), points.cols());
  embedding.vertices.resize(mesh.elements.rows(), points.cols());
  Vector distance(points.cols());  // 0 inside
  executor.parallel_ranges(points.cols(), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t p = begin; p < end; ++p) {
      const Vector3 point = points.col(p);
      double nearest = std::numeric_limits<double>::infinity();
      const int e = bvh.nearest(point, [&](int item) {
        const double d = element_distance_squared(mesh, item, point);
        nearest = std::min(nearest, d);
        return d;
      });
      require(e >= 0, "point {} at ({}, {}, {}) is too far from the mesh to be bound to it", p, point.x(),
              point.y(), point.z());
      const double size = (boxes[e].max - boxes[e].min).norm();
      distance(p) = std::sqrt(nearest) > inside_tolerance * size ? std::sqrt(nearest) : 0.0;
      embedding.element[p] = e;
      embedding.weights.col(p) = weights_at(mesh, e, point);
      embedding.vertices.col(p) = mesh.elements.col(e);
    }
  });
  embedding.outside = (distance.array() > 0.0).count();
  embedding.farthest = points.cols() > 0 ? distance.maxCoeff() : 0.0;
  return embedding;
}

Matrix3X interpolate(const Embedding& embedding, const Matrix3X& displacement) {
  require(displacement.cols() == embedding.mesh_vertices,
          "{} displacements of the mesh's vertices, expected {}", displacement.cols(),
          embedding.mesh_vertices);
  Matrix3X result = Matrix3X::Zero(3, embedding.point_count());
  for (Index p = 0; p < embedding.point_count(); ++p) {
    for (Index a = 0; a < embedding.weights.rows(); ++a) {
      result.col(p) += embedding.weights(a, p) * displacement.col(embedding.vertices(a, p));
    }
  }
  return result;
}

}  // namespace limber
