#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/types.hpp"

#include <memory>

namespace limber {

/// x + R~(Psi q) U q for all vertices of a surface, at the speed of memory, and their normals R(Psi q) n. q
/// are coordinates of the model. [Choi & Ko 2005, Eq. 22 and Appendix III]
class WarpedSurface {
 public:
  WarpedSurface() = default;
  /// rest: 3 x n, m.  basis, rotations: 3n x r. Throws Error for sizes that do not fit.
  WarpedSurface(const Eigen::Ref<const Eigen::Matrix3Xf>& rest,
                const Eigen::Ref<const Eigen::MatrixXf>& basis,
                const Eigen::Ref<const Eigen::MatrixXf>& rotations);

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index vertex_count() const { return vertices_; }

  /// Positions of all vertices from the first q.size() <= r coordinates; x: 3 x n. On this thread, or on
  /// those of an executor: the same bits either way. Allocates nothing after the first call.
  void positions(const Eigen::Ref<const Eigen::VectorXf>& q, Eigen::Ref<Eigen::Matrix3Xf> x);
  void positions(const Eigen::Ref<const Eigen::VectorXf>& q, Eigen::Ref<Eigen::Matrix3Xf> x,
                 const Executor& executor);

  /// Normals turned as the vertices are: those of the q last given to positions(). rest, normals: 3 x n.
  void normals(const Eigen::Ref<const Eigen::Matrix3Xf>& rest, Eigen::Ref<Eigen::Matrix3Xf> normals) const;

 private:
  void update(const Executor* executor, const Eigen::Ref<const Eigen::VectorXf>& q,
              Eigen::Ref<Eigen::Matrix3Xf>& x);

  /// In blocks of as many vertices as a register holds: x of all, then y, then z. The last one is padded with
  /// zeros. Copies share it.
  struct Data {
    Eigen::VectorXf rest;
    Eigen::VectorXf blocks;  ///< of each block by columns: U, then Psi
  };

  Index rank_ = 0, vertices_ = 0;
  std::shared_ptr<const Data> data_;
  Eigen::VectorXf q_;  ///< the last given; zeros for those left out
  /// Rotation vectors for these, in such blocks. Kept from the first call of normals() on: bodies that nobody
  /// asks for these need no memory for each vertex.
  mutable Eigen::VectorXf turns_;
};

}  // namespace limber
