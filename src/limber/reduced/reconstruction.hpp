#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// u = U q for many rows, at the speed of memory: the basis is kept in blocks of 64-byte rows by r columns.
///                                                                           [Barbic & James 2005, section 6.3]
template <class Scalar>
class Reconstruction {
 public:
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Field = Eigen::Matrix<Scalar, 3, Eigen::Dynamic>;

  Reconstruction() = default;
  /// basis: 3n x r. Throws Error where its rows are no multiple of three.
  explicit Reconstruction(
      const Eigen::Ref<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>& basis);

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index vertex_count() const { return rows_ / 3; }

  /// Displacements of all vertices, 3 x n, from the first q.size() <= r coordinates. u must have its size. On
  /// this thread, or on those of an executor: the same bits either way, and nothing is allocated.
  /// Throws Error for sizes that do not fit and for columns that do not follow each other in memory.
  void displacements(const Eigen::Ref<const Values>& q, Eigen::Ref<Field> u) const;
  void displacements(const Eigen::Ref<const Values>& q, Eigen::Ref<Field> u, const Executor& executor) const;

  /// Rest positions and displacements added up.
  void positions(const Eigen::Ref<const Field>& rest, const Eigen::Ref<const Values>& q,
                 Eigen::Ref<Field> x) const;
  void positions(const Eigen::Ref<const Field>& rest, const Eigen::Ref<const Values>& q, Eigen::Ref<Field> x,
                 const Executor& executor) const;

  /// Displacement of one vertex: O(r).
  [[nodiscard]] Eigen::Matrix<Scalar, 3, 1> displacement(const Eigen::Ref<const Values>& q,
                                                         Index vertex) const;

  /// f += U_v^T force: what a force (N) on one vertex is in the subspace. O(r), whatever n. f: r' <= r.
  void add_force(Index vertex, const Vector3& force, Eigen::Ref<Vector> f) const;

 private:
  void check(Index coordinates, Index vertices) const;
  [[nodiscard]] Index offset(Index row) const;  ///< in blocks_, of the row's entry in the first column

  Index rank_ = 0, rows_ = 0;
  Values blocks_;  ///< one after the other, each by columns; the last one padded with zeros
};
extern template class Reconstruction<float>;
extern template class Reconstruction<double>;

/// Unit normals of a moving triangle mesh: which triangles meet at each vertex is found once.
class NormalUpdater {
 public:
  NormalUpdater() = default;
  /// Throws Error for triangles that name vertices outside of 0 to vertices - 1.
  NormalUpdater(const Eigen::Matrix3Xi& triangles, Index vertices);

  /// positions: 3 x n.  normals: 3 x n, the mean of the incident triangles' normals weighted by their area,
  /// unit length; zero where no triangle with area meets the vertex. On this thread, or in parallel over the
  /// vertices: the same bits either way, and nothing is allocated. Throws Error for sizes that do not fit and
  /// for columns that do not follow each other in memory.
  void update(const Eigen::Ref<const Eigen::Matrix3Xf>& positions,
              Eigen::Ref<Eigen::Matrix3Xf> normals) const;
  void update(const Eigen::Ref<const Matrix3X>& positions, Eigen::Ref<Matrix3X> normals) const;
  void update(const Eigen::Ref<const Eigen::Matrix3Xf>& positions, Eigen::Ref<Eigen::Matrix3Xf> normals,
              const Executor& executor) const;
  void update(const Eigen::Ref<const Matrix3X>& positions, Eigen::Ref<Matrix3X> normals,
              const Executor& executor) const;

 private:
  template <class Field>
  void update_on(const Executor* executor, const Eigen::Ref<const Field>& positions,
                 Eigen::Ref<Field>& normals) const;

  std::vector<int> first_ = {0};  ///< n + 1
  std::vector<int> corners_;      ///< other two corners of the triangles at v: 2 first_[v] to 2 first_[v + 1]
};

}  // namespace limber
