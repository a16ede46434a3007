#pragma once

#include "limber/mesh/body_surface.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/reduced/reconstruction.hpp"

#include <memory>
#include <vector>

namespace limber {

/// Vertices of all domains as those of one body. Copies of a vertex in several domains are averaged: with one
/// weight, so that the surface stays closed. [Barbic & Zhao 2011, section 5]
template <class Scalar>
class TreePoints {
 public:
  using Field = Eigen::Matrix<Scalar, 3, Eigen::Dynamic>;
  struct PartPoints {
    Field rest;  ///< 3 x n, in its own coordinates
    Reconstruction<Scalar> basis;
  };

  /// numbers: where a domain says which vertices of the whole its own are. Throws Error for numbers that do
  /// not fit.
  TreePoints(std::shared_ptr<const Model> tree, std::vector<PartPoints> parts,
             std::vector<int> Domain::*numbers);

  [[nodiscard]] const Model& tree() const { return *tree_; }
  [[nodiscard]] Index count() const { return static_cast<Index>(domain_.size()); }
  [[nodiscard]] const std::vector<int>& domains() const { return domain_; }
  [[nodiscard]] int domain(int vertex) const;  ///< throws Error for a vertex that no domain has
  [[nodiscard]] int local(int vertex) const;   ///< number in that domain
  /// In the whole, of vertex i of a domain.
  [[nodiscard]] int number(Index domain, Index i) const;
  [[nodiscard]] Matrix3X rest() const;  ///< in the world
  [[nodiscard]] const PartPoints& part(Index i) const { return parts_[static_cast<std::size_t>(i)]; }

  /// Memory of positions(), kept from call to call.
  struct Scratch {
    Field own;  ///< positions in one domain that shares vertices with others
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> q;
  };
  void positions(const TreeDynamics& dynamics, Eigen::Ref<Field> x, Scratch& scratch) const;

 private:
  struct Group {
    int first = 0;             ///< number of its first vertex, where no other domain has a copy of any
    std::vector<int> numbers;  ///< of all, where one may have; else empty
  };

  std::shared_ptr<const Model> tree_;
  std::vector<PartPoints> parts_;
  std::vector<Group> groups_;  ///< one per domain
  std::vector<int> domain_;    ///< of each vertex, the first that has a copy; -1: none
  std::vector<int> local_;
  std::vector<Scalar> share_;  ///< one over the number of its copies
  Index largest_rank_ = 0;
  Index largest_shared_ = 0;  ///< vertices of a domain, of those that have numbers
};
extern template class TreePoints<float>;
extern template class TreePoints<double>;

/// A vertex of the whole as one of a domain.
struct VertexCopy {
  Index domain = 0;
  Index vertex = 0;  ///< number in that domain
};

/// The whole surface of a tree, closed at the interfaces: with the parts of the parts' surfaces, each name
/// and colour once. Bodies of one model share it.
class TreeSurface : public BodySurface {
 public:
  explicit TreeSurface(const std::shared_ptr<const Model>& tree);

  /// Of each vertex, the first that has a copy; -1 for a vertex that none has, which no triangle uses.
  [[nodiscard]] const std::vector<int>& domains() const { return points_.domains(); }
  [[nodiscard]] TreePoint point(int vertex) const;  ///< of the copy in that domain
  [[nodiscard]] VertexCopy copy_of(int vertex) const {
    return {points_.domain(vertex), points_.local(vertex)};
  }

  /// At rest, in its own coordinates, and how it moves with q.
  [[nodiscard]] const TreePoints<float>::PartPoints& part(Index i) const { return points_.part(i); }

  /// Positions now. x: 3 x n. Allocates nothing after the first call with the same memory.
  using Scratch = TreePoints<float>::Scratch;
  void positions(const TreeDynamics& dynamics, Eigen::Ref<Eigen::Matrix3Xf> x, Scratch& scratch) const {
    points_.positions(dynamics, x, scratch);
  }
  void positions(const TreeDynamics& dynamics, Eigen::Ref<Eigen::Matrix3Xf> x) const {
    Scratch scratch;
    points_.positions(dynamics, x, scratch);
  }

 private:
  TreePoints<float> points_;
};

/// Whether the meshes of all domains do: tetrahedra and bricks together do not, nor do bricks that are
/// turned.
bool makes_one_mesh(const Model& tree);

/// The same for the simulation mesh, in doubles. Where the meshes do not make one it has points only.
class TreeMesh {
 public:
  /// Throws Error where a part was kept without its mesh.
  explicit TreeMesh(const std::shared_ptr<const Model>& tree);

  [[nodiscard]] const VolumeMesh& mesh() const { return mesh_; }
  /// Of each vertex, the first that has a copy; -1 for a vertex that none has.
  [[nodiscard]] const std::vector<int>& domains() const { return points_.domains(); }
  [[nodiscard]] TreePoint point(int vertex) const;  ///< of the copy in that domain
  [[nodiscard]] VertexCopy copy_of(int vertex) const {
    return {points_.domain(vertex), points_.local(vertex)};
  }
  [[nodiscard]] Matrix3X positions(const TreeDynamics& dynamics) const;
  [[nodiscard]] Matrix3X displacements(const TreeDynamics& dynamics) const;

 private:
  TreePoints<double> points_;
  VolumeMesh mesh_;
};

}  // namespace limber
