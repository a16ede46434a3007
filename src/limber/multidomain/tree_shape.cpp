#include "limber/multidomain/tree_shape.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace limber {
namespace {

/// The basis of a part; of one without coordinates a matrix without columns, whatever it keeps.
template <class Scalar>
Reconstruction<Scalar> basis_of(const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>& basis,
                                Index vertices, Index rank) {
  using Basis = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  return rank > 0 ? Reconstruction<Scalar>(basis) : Reconstruction<Scalar>(Basis(3 * vertices, 0));
}

std::vector<TreePoints<float>::PartPoints> surface_parts(const Model& tree) {
  std::vector<TreePoints<float>::PartPoints> points;
  points.reserve(tree.parts.size());
  for (const auto& [model, ports] : tree.parts) {
    const ReducedSurface& surface = model.surface;
    points.push_back({surface.mesh.vertices.cast<float>(),
                      basis_of<float>(surface.basis, surface.mesh.vertex_count(), model.rank)});
  }
  return points;
}

std::vector<TreePoints<double>::PartPoints> mesh_parts(const Model& tree) {
  std::vector<TreePoints<double>::PartPoints> points;
  points.reserve(tree.parts.size());
  for (const auto& [model, ports] : tree.parts) {
    require(model.simulation.has_value(),
            "domains of part '{}' were kept without their simulation mesh; reduce the body again and keep it",
            model.name);
    const SimulationMesh& simulation = *model.simulation;
    points.push_back({simulation.mesh.vertices,
                      basis_of<double>(simulation.basis, simulation.mesh.vertex_count(), model.rank)});
  }
  return points;
}

/// Index of a value, which is added where it is missing.
template <class Value>
int index_of(std::vector<Value>& values, const Value& value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<int>(found - values.begin());
  values.push_back(value);
  return static_cast<int>(values.size()) - 1;
}

/// Columns of the domains' vertex numbers, one after the other, in those of the whole. columns(part): k x m.
template <class Scalar, class Columns>
Eigen::MatrixXi join(const TreePoints<Scalar>& points, Index rows, const Columns& columns) {
  const Model& tree = points.tree();
  Index count = 0;
  for (Index d = 0; d < tree.domain_count(); ++d) count += columns(tree.part(d)).cols();
  Eigen::MatrixXi result(rows, count);
  Index next = 0;
  for (Index d = 0; d < tree.domain_count(); ++d) {
    const auto& own = columns(tree.part(d));
    for (Index i = 0; i < own.size(); ++i) {
      result.data()[rows * next + i] = points.number(d, own.data()[i]);
    }
    next += own.cols();
  }
  return result;
}

}  // namespace

template <class Scalar>
TreePoints<Scalar>::TreePoints(std::shared_ptr<const Model> tree, std::vector<PartPoints> parts,
                               std::vector<int> Domain::*numbers)
    : tree_(std::move(tree)), parts_(std::move(parts)), groups_(tree_->domains.size()) {
  std::vector<int> copies;
  for (std::size_t d = 0; d < groups_.size(); ++d) {
    const Domain& domain = tree_->domains[d];
    const PartPoints& part = parts_[static_cast<std::size_t>(domain.part)];
    const Index n = part.rest.cols();
    largest_rank_ = std::max(largest_rank_, part.basis.rank());

    std::vector<int>& own = groups_[d].numbers;
    own = domain.*numbers;
    if (own.empty()) {
      require(copies.size() + static_cast<std::size_t>(n) <= std::numeric_limits<int>::max(),
              "the domains have more than {} vertices together", std::numeric_limits<int>::max());
      own.resize(static_cast<std::size_t>(n));
      std::iota(own.begin(), own.end(), static_cast<int>(copies.size()));
    }
    require(static_cast<Index>(own.size()) == n,
            "domain '{}' numbers {} vertices, its part '{}' has {}; expected as many", domain.name,
            own.size(), tree_->parts[static_cast<std::size_t>(domain.part)].model.name, n);
    for (std::size_t i = 0; i < own.size(); ++i) {
      require(own[i] >= 0, "vertex {} of domain '{}' has the number {}, expected at least 0", i, domain.name,
              own[i]);
      const auto v = static_cast<std::size_t>(own[i]);
      if (v >= copies.size()) {
        copies.resize(v + 1, 0);
        domain_.resize(v + 1, -1);
        local_.resize(v + 1, -1);
      }
      if (copies[v]++ == 0) {
        domain_[v] = static_cast<int>(d);
        local_[v] = static_cast<int>(i);
      }
    }
  }

  share_.resize(copies.size());
  for (std::size_t v = 0; v < copies.size(); ++v) {
    share_[v] = Scalar{1} / static_cast<Scalar>(std::max(copies[v], 1));
  }
  for (Group& group : groups_) {
    group.first = group.numbers.empty() ? 0 : group.numbers.front();
    bool alone = true;
    for (std::size_t i = 0; i < group.numbers.size(); ++i) {
      const int v = group.numbers[i];
      alone = alone && v == group.first + static_cast<int>(i) && copies[static_cast<std::size_t>(v)] == 1;
    }
    if (alone) group.numbers = {};
    largest_shared_ = std::max(largest_shared_, static_cast<Index>(group.numbers.size()));
  }
}

template <class Scalar>
int TreePoints<Scalar>::domain(int vertex) const {
  require(vertex >= 0 && vertex < count(), "vertex {}, expected 0 to {}", vertex, count() - 1);
  const int domain = domain_[static_cast<std::size_t>(vertex)];
  require(domain >= 0, "vertex {} belongs to no domain", vertex);
  return domain;
}

template <class Scalar>
int TreePoints<Scalar>::local(int vertex) const {
  (void)domain(vertex);
  return local_[static_cast<std::size_t>(vertex)];
}

template <class Scalar>
int TreePoints<Scalar>::number(Index domain, Index i) const {
  const Group& group = groups_[static_cast<std::size_t>(domain)];
  return group.numbers.empty() ? group.first + static_cast<int>(i)
                               : group.numbers[static_cast<std::size_t>(i)];
}

template <class Scalar>
Matrix3X TreePoints<Scalar>::rest() const {
  Matrix3X result = Matrix3X::Zero(3, count());
  for (std::size_t d = 0; d < groups_.size(); ++d) {
    const Domain& domain = tree_->domains[d];
    const Matrix3 turn = domain.scale * domain.rotation.toRotationMatrix();
    const Field& own = parts_[static_cast<std::size_t>(domain.part)].rest;
    for (Index i = 0; i < own.cols(); ++i) {
      const int v = number(static_cast<Index>(d), i);
      result.col(v) += double{share_[static_cast<std::size_t>(v)]} *
                       (turn * own.col(i).template cast<double>() + domain.position);
    }
  }
  // Where vertices that nothing uses do not stretch the box around the body.
  for (Index v = 0; v < count(); ++v) {
    if (domain_[static_cast<std::size_t>(v)] < 0) result.col(v) = tree_->domains.front().position;
  }
  return result;
}

template <class Scalar>
void TreePoints<Scalar>::positions(const TreeDynamics& dynamics, Eigen::Ref<Field> x,
                                   Scratch& scratch) const {
  require(&dynamics.tree() == tree_.get(), "the motion is that of another tree");
  require(x.cols() == count() && (x.outerStride() == 3 || count() <= 1),
          "room for {} vertices, the tree has {}; give a 3 x n matrix whose columns follow each other",
          x.cols(), count());
  using Point = Eigen::Matrix<Scalar, 3, 1>;
  scratch.own.resize(3, largest_shared_);
  scratch.q.resize(largest_rank_);
  for (Index v = 0; v < count(); ++v) {
    const auto i = static_cast<std::size_t>(v);
    if (domain_[i] < 0) {
      x.col(v) = tree_->domains.front().position.cast<Scalar>();
    } else if (share_[i] < Scalar{1}) {
      x.col(v).setZero();
    }
  }
  const Vector& q = dynamics.state().q;
  for (std::size_t d = 0; d < groups_.size(); ++d) {
    const auto index = static_cast<Index>(d);
    const Group& group = groups_[d];
    const Domain& domain = tree_->domains[d];
    const PartPoints& part = parts_[static_cast<std::size_t>(domain.part)];
    const PoseMatrix& frame = dynamics.frame(index);
    const Index n = part.rest.cols(), rank = dynamics.rank(index);
    const Eigen::Matrix<Scalar, 3, 3> turn = (domain.scale * frame.rotation).cast<Scalar>();
    const Point shift = frame.position.cast<Scalar>();

    scratch.q.head(rank) = q.segment(dynamics.first_coordinate(index), rank).cast<Scalar>();
    if (group.numbers.empty()) {
      auto own = x.middleCols(group.first, n);
      part.basis.positions(part.rest, scratch.q.head(rank), own);
      for (Index i = 0; i < n; ++i) {
        const Point point = own.col(i);
        own.col(i) = turn * point + shift;
      }
      continue;
    }
    auto own = scratch.own.leftCols(n);
    part.basis.positions(part.rest, scratch.q.head(rank), own);
    for (Index i = 0; i < n; ++i) {
      const auto v = static_cast<std::size_t>(group.numbers[static_cast<std::size_t>(i)]);
      const Point point = turn * own.col(i) + shift;
      if (share_[v] < Scalar{1}) {
        x.col(static_cast<Index>(v)) += share_[v] * point;
      } else {
        x.col(static_cast<Index>(v)) = point;
      }
    }
  }
}

template class TreePoints<float>;
template class TreePoints<double>;

TreeSurface::TreeSurface(const std::shared_ptr<const Model>& tree)
    : points_(tree, surface_parts(*tree), &Domain::surface_vertices) {
  mesh_.vertices = points_.rest();
  mesh_.triangles = join(
      points_, 3, [](const ReducedPart& part) -> const auto& { return part.model.surface.mesh.triangles; });

  std::vector<std::pair<std::string, Vector3>> parts;
  std::vector<std::vector<int>> renumbered;  // of each part's parts
  for (const auto& [model, ports] : tree->parts) {
    std::vector<int>& own = renumbered.emplace_back();
    for (std::size_t i = 0; i < model.surface.mesh.parts.size(); ++i) {
      own.push_back(index_of(parts, {model.surface.mesh.parts[i], model.surface.colors[i]}));
    }
  }
  for (const Domain& domain : tree->domains) {
    const auto number = static_cast<std::size_t>(domain.part);
    for (const int part : tree->parts[number].model.surface.mesh.part) {
      mesh_.part.push_back(renumbered[number][static_cast<std::size_t>(part)]);
    }
  }
  for (auto& [name, color] : parts) {
    mesh_.parts.push_back(std::move(name));
    colors_.push_back(color);
  }
}

TreePoint TreeSurface::point(int vertex) const {
  const Index domain = points_.domain(vertex), local = points_.local(vertex);
  const ReducedModel& model = points_.tree().part(domain).model;
  TreePoint result{domain, model.surface.mesh.vertices.col(local), Matrix3X(3, model.rank)};
  if (model.rank > 0) result.rows = model.surface.basis.middleRows(3 * local, 3).cast<double>();
  return result;
}

bool makes_one_mesh(const Model& tree) {
  const ElementKind kind = tree.part(0).model.simulation->mesh.kind;
  const auto fits = [&](const Domain& domain) {
    const ElementKind own = tree.parts[static_cast<std::size_t>(domain.part)].model.simulation->mesh.kind;
    const bool turned = domain.rotation.vec().squaredNorm() > 0.0;
    return own == kind && (kind == ElementKind::tetrahedron || !turned);
  };
  return std::all_of(tree.domains.begin(), tree.domains.end(), fits);
}

TreeMesh::TreeMesh(const std::shared_ptr<const Model>& tree)
    : points_(tree, mesh_parts(*tree), &Domain::vertices) {
  mesh_.kind = tree->part(0).model.simulation->mesh.kind;
  mesh_.vertices = points_.rest();
  std::vector<std::vector<int>> renumbered;  // of each part's regions
  for (const auto& [model, ports] : tree->parts) {
    std::vector<int>& own = renumbered.emplace_back();
    for (const Region& region : model.simulation->mesh.regions) {
      own.push_back(index_of(mesh_.regions, region));
    }
  }
  const int corners = vertices_per_element(mesh_.kind);
  mesh_.elements.resize(corners, 0);
  if (!makes_one_mesh(*tree)) return;
  mesh_.elements = join(
      points_, corners,
      [](const ReducedPart& part) -> const auto& { return part.model.simulation->mesh.elements; });
  for (const Domain& domain : tree->domains) {
    const auto number = static_cast<std::size_t>(domain.part);
    for (const int region : tree->parts[number].model.simulation->mesh.region) {
      mesh_.region.push_back(renumbered[number][static_cast<std::size_t>(region)]);
    }
  }
}

TreePoint TreeMesh::point(int vertex) const {
  const Index domain = points_.domain(vertex), local = points_.local(vertex);
  const ReducedModel& model = points_.tree().part(domain).model;
  TreePoint result{domain, model.simulation->mesh.vertices.col(local), Matrix3X(3, model.rank)};
  if (model.rank > 0) result.rows = model.simulation->basis.middleRows(3 * local, 3);
  return result;
}

Matrix3X TreeMesh::positions(const TreeDynamics& dynamics) const {
  Matrix3X x(3, points_.count());
  TreePoints<double>::Scratch scratch;
  points_.positions(dynamics, x, scratch);
  return x;
}

Matrix3X TreeMesh::displacements(const TreeDynamics& dynamics) const {
  return positions(dynamics) - mesh_.vertices;
}

}  // namespace limber
