#include "limber/warp/nodal_rotations.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/lumps.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <numeric>

namespace limber {
namespace {

constexpr Index vertex_grain = 512;  ///< vertices per task

/// The corners of elements at each vertex: of vertex v those from first[v] to first[v + 1].
struct Corners {
  std::vector<Index> first;
  std::vector<Index> corner;  ///< element times corners per element, plus the corner
};

Corners corners_of(const VolumeMesh& mesh) {
  const Index count = mesh.elements.size();
  const int* vertex = mesh.elements.data();
  Corners corners{std::vector<Index>(static_cast<std::size_t>(mesh.vertex_count()) + 1, 0),
                  std::vector<Index>(static_cast<std::size_t>(count))};
  for (Index i = 0; i < count; ++i) ++corners.first[static_cast<std::size_t>(vertex[i]) + 1];
  std::partial_sum(corners.first.begin(), corners.first.end(), corners.first.begin());
  std::vector<Index> next = corners.first;
  for (Index i = 0; i < count; ++i) {
    Index& slot = next[static_cast<std::size_t>(vertex[i])];
    corners.corner[static_cast<std::size_t>(slot++)] = i;
  }
  return corners;
}

/// What a vertex has to do with the rotation at another one: that is the sum of weight x displacement.
struct Neighbor {
  int vertex;
  Vector3 weight;  ///< half the gradient of a shape function, 1/m
};

/// Half the gradients of the four shape functions, which are constant.
void add_tetrahedron(const VolumeMesh& mesh, Index e, std::vector<Neighbor>& neighbors) {
  const auto vertex = mesh.elements.col(e);
  Matrix3 edges;
  for (int i = 0; i < 3; ++i) edges.col(i) = mesh.vertices.col(vertex(i + 1)) - mesh.vertices.col(vertex(0));
  const Matrix3 gradients = 0.5 * edges.inverse().transpose();
  for (int i = 0; i < 3; ++i) neighbors.push_back({vertex(i + 1), gradients.col(i)});
  neighbors.push_back({vertex(0), -gradients.rowwise().sum()});
}

/// At a corner only the shape functions of it and of the three corners beside it have a gradient: differences
/// along the edges.
void add_brick(const VolumeMesh& mesh, Index e, int corner, std::vector<Neighbor>& neighbors) {
  static constexpr int beside[8][3] = {{1, 3, 4}, {0, 2, 5}, {3, 1, 6}, {2, 0, 7},
                                       {5, 7, 0}, {4, 6, 1}, {7, 5, 2}, {6, 4, 3}};
  const auto vertex = mesh.elements.col(e);
  const int here = vertex(corner);
  for (int axis = 0; axis < 3; ++axis) {
    const int there = vertex(beside[corner][axis]);
    const Vector3 weight =
        0.5 / (mesh.vertices(axis, there) - mesh.vertices(axis, here)) * Vector3::Unit(axis);
    neighbors.push_back({there, weight});
    neighbors.push_back({here, -weight});
  }
}

/// All neighbours of a vertex, each once: the mean over its elements.
void find_neighbors(const VolumeMesh& mesh, const Corners& corners, Index v,
                    std::vector<Neighbor>& neighbors) {
  const Index per_element = vertices_per_element(mesh.kind);
  const auto begin = static_cast<std::size_t>(corners.first[static_cast<std::size_t>(v)]);
  const auto end = static_cast<std::size_t>(corners.first[static_cast<std::size_t>(v) + 1]);
  neighbors.clear();
  for (std::size_t i = begin; i < end; ++i) {
    const Index e = corners.corner[i] / per_element;
    if (mesh.kind == ElementKind::tetrahedron)
      add_tetrahedron(mesh, e, neighbors);
    else
      add_brick(mesh, e, static_cast<int>(corners.corner[i] % per_element), neighbors);
  }
  std::stable_sort(neighbors.begin(), neighbors.end(),
                   [](const Neighbor& a, const Neighbor& b) { return a.vertex < b.vertex; });
  std::size_t count = 0;
  for (const Neighbor& neighbor : neighbors) {
    if (count > 0 && neighbors[count - 1].vertex == neighbor.vertex)
      neighbors[count - 1].weight += neighbor.weight;
    else
      neighbors[count++] = neighbor;
  }
  neighbors.resize(count, Neighbor{});
  for (Neighbor& neighbor : neighbors) neighbor.weight /= static_cast<double>(end - begin);
}

}  // namespace

Matrix nodal_rotations(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& displacements,
                       const Executor& executor) {
  require(displacements.rows() == 3 * mesh.vertex_count(),
          "the displacements have {} rows, the mesh needs {} (3 per vertex)", displacements.rows(),
          3 * mesh.vertex_count());
  const Corners corners = corners_of(mesh);
  const Matrix rows = displacements.transpose();  // the entries of a vertex side by side
  Matrix result(rows.rows(), rows.cols());
  executor.parallel_ranges(mesh.vertex_count(), vertex_grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<Neighbor> neighbors;
    for (Index v = begin; v < end; ++v) {
      find_neighbors(mesh, corners, v, neighbors);
      auto rotation = result.middleCols<3>(3 * v);
      rotation.setZero();
      for (const auto& [vertex, g] : neighbors) {
        const auto u = rows.middleCols<3>(3 * Index{vertex});
        rotation.col(0) += g.y() * u.col(2) - g.z() * u.col(1);
        rotation.col(1) += g.z() * u.col(0) - g.x() * u.col(2);
        rotation.col(2) += g.x() * u.col(1) - g.y() * u.col(0);
      }
    }
  });
  return result.transpose();
}

WarpData make_warp_data(const VolumeMesh& mesh, const Eigen::Ref<const Matrix>& basis,
                        const Embedding& embedding, Index lumps, const Executor& executor) {
  require(lumps >= 0, "{} lumps asked for, expected 0 (one per vertex) or more", lumps);
  require(embedding.mesh_vertices == mesh.vertex_count(),
          "the embedding is of a mesh with {} vertices, but the mesh has {}", embedding.mesh_vertices,
          mesh.vertex_count());
  const Matrix rotations = nodal_rotations(mesh, basis, executor);
  WarpData warp;
  warp.surface_rotations.resize(3 * embedding.point_count(), basis.cols());
  executor.parallel_for(basis.cols(), [&](std::ptrdiff_t i) {
    const Matrix3X field = Eigen::Map<const Matrix3X>(rotations.col(i).data(), 3, mesh.vertex_count());
    warp.surface_rotations.col(i) = interpolate(embedding, field).reshaped().cast<float>();
  });
  warp.lumps = make_lumps(mesh, basis, rotations, lumps);
  return warp;
}

namespace {

template <class Basis>
Matrix3X make_warped_field(const Basis& basis, const Basis& rotations, const Vector& coordinates) {
  require(coordinates.size() <= basis.cols(), "a field of {} coordinates, the basis has {}",
          coordinates.size(), basis.cols());
  using Scalar = typename Basis::Scalar;
  const Eigen::VectorX<Scalar> q = coordinates.cast<Scalar>();  // NOLINT: a copy only for doubles
  Matrix3X u(3, basis.rows() / 3);
  u.reshaped() = (basis.leftCols(q.size()) * q).template cast<double>();
  if (rotations.cols() == 0) return u;
  require(rotations.rows() == basis.rows() && rotations.cols() == basis.cols(),
          "rotations of {} x {} for a basis of {} x {}, expected the same", rotations.rows(),
          rotations.cols(), basis.rows(), basis.cols());
  Matrix3X w(3, u.cols());
  w.reshaped() = (rotations.leftCols(q.size()) * q).template cast<double>();
  for (Index v = 0; v < u.cols(); ++v) u.col(v) = mean_rotation(w.col(v)) * Vector3(u.col(v));
  return u;
}

}  // namespace

Matrix3X warped_field(const Matrix& basis, const Matrix& rotations, const Vector& q) {
  return make_warped_field(basis, rotations, q);
}

Matrix3X warped_field(const Eigen::MatrixXf& basis, const Eigen::MatrixXf& rotations, const Vector& q) {
  return make_warped_field(basis, rotations, q);
}

}  // namespace limber
