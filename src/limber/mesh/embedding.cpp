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

/// F = I + sum over the corners of u_a grad N_a^T, at the point with the given weights.
Matrix3 deformation_gradient(const VolumeMesh& mesh, int e, const Matrix3X& displacement,
                             const Eigen::Ref<const Vector>& weights) {
  Matrix3 F = Matrix3::Identity();
  const auto u = [&](int a) { return displacement.col(mesh.elements(a, e)); };
  if (mesh.kind == ElementKind::tetrahedron) {
    const Matrix3 gradients = barycentric_gradients(mesh, e);
    for (int a = 1; a < 4; ++a) F += (u(a) - u(0)) * gradients.row(a - 1);
    return F;
  }
  // The weights of the corners on one side of an axis sum to the coordinate along it.
  Vector3 local = Vector3::Zero();
  for (int a = 0; a < 8; ++a) {
    for (int axis = 0; axis < 3; ++axis) local(axis) += brick_corners[a][axis] * weights(a);
  }
  const Vector3 size = brick_size(mesh, e);
  for (int a = 0; a < 8; ++a) {
    const auto side = [&](int axis) { return brick_corners[a][axis] != 0; };
    const auto share = [&](int axis) { return side(axis) ? local(axis) : 1.0 - local(axis); };
    Vector3 gradient;
    for (int axis = 0; axis < 3; ++axis) {
      gradient(axis) = (side(axis) ? 1.0 : -1.0) / size(axis) * share((axis + 1) % 3) * share((axis + 2) % 3);
    }
    F += u(a) * gradient.transpose();
  }
  return F;
}

void require_columns(const Matrix3X& field, Index expected, std::string_view what) {
  require(field.cols() == expected, "{} {}, expected {}", field.cols(), what, expected);
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
  require_columns(displacement, embedding.mesh_vertices, "displacements of the mesh's vertices");
  Matrix3X result = Matrix3X::Zero(3, embedding.point_count());
  for (Index p = 0; p < embedding.point_count(); ++p) {
    for (Index a = 0; a < embedding.weights.rows(); ++a) {
      result.col(p) += embedding.weights(a, p) * displacement.col(embedding.vertices(a, p));
    }
  }
  return result;
}

Matrix3X distribute_forces(const Embedding& embedding, const Matrix3X& forces) {
  require_columns(forces, embedding.point_count(), "forces on the embedded points");
  Matrix3X result = Matrix3X::Zero(3, embedding.mesh_vertices);
  for (Index p = 0; p < embedding.point_count(); ++p) {
    for (Index a = 0; a < embedding.weights.rows(); ++a) {
      result.col(embedding.vertices(a, p)) += embedding.weights(a, p) * forces.col(p);
    }
  }
  return result;
}

SparseMatrix weight_matrix(const Embedding& embedding) {
  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(static_cast<std::size_t>(embedding.weights.size()));
  for (int p = 0; p < static_cast<int>(embedding.point_count()); ++p) {
    for (Index a = 0; a < embedding.weights.rows(); ++a) {
      entries.emplace_back(p, embedding.vertices(a, p), embedding.weights(a, p));
    }
  }
  SparseMatrix matrix(embedding.point_count(), embedding.mesh_vertices);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Matrix3X deform_normals(const Embedding& embedding, const VolumeMesh& mesh, const Matrix3X& displacement,
                        const Matrix3X& normals) {
  require_columns(displacement, embedding.mesh_vertices, "displacements of the mesh's vertices");
  require_columns(normals, embedding.point_count(), "normals of the embedded points");
  Matrix3X result(3, normals.cols());
  for (Index p = 0; p < normals.cols(); ++p) {
    const Matrix3 F = deformation_gradient(mesh, embedding.element[static_cast<std::size_t>(p)], displacement,
                                           embedding.weights.col(p));
    Matrix3 cofactor;
    for (int k = 0; k < 3; ++k) cofactor.col(k) = F.col((k + 1) % 3).cross(F.col((k + 2) % 3));
    const Vector3 turned = cofactor * normals.col(p);
    const double norm = turned.norm();
    // An element squeezed to a line has no normal: the old one is as good as any.
    result.col(p) = norm > 0.0 ? Vector3(turned / norm) : Vector3(normals.col(p));
  }
  return result;
}

}  // namespace limber
