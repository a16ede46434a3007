#include "limber/fem/vertex_maps.hpp"

#include "limber/base/error.hpp"

#include <Eigen/LU>

namespace limber {
namespace {

/// Blends of rotations have determinants of at most 1; one so small folds the body flat, and displacements
/// that come back through it lose most of their digits.
constexpr double smallest_determinant = 1e-6;

void check_sizes(const VertexMaps& maps, const DofMap& dofs, Index rows) {
  require(maps.offset.cols() == dofs.vertex_count() &&
              (!maps.carries() || static_cast<Index>(maps.linear.size()) == dofs.vertex_count()),
          "maps of {} vertices, the mesh has {}", maps.offset.cols(), dofs.vertex_count());
  require(rows == dofs.dof_count(), "displacement has {} entries, the model needs {} (3 per free vertex)",
          rows, dofs.dof_count());
}

/// Calls use(i, v) with the first unknown i of each free vertex v.
template <class Use>
void for_each_free(const DofMap& dofs, const Use& use) {
  Index i = 0;
  for (const int v : dofs.free_vertices()) {
    use(i, v);
    i += 3;
  }
}

}  // namespace

Vector VertexMaps::to_world(const DofMap& dofs, const VectorRef& u) const {
  check_sizes(*this, dofs, u.size());
  Vector y(u.size());
  for_each_free(dofs, [&](Index i, int v) {
    y.segment<3>(i) = offset.col(v);
    if (carries()) {
      y.segment<3>(i) += linear[static_cast<std::size_t>(v)] * u.segment<3>(i);
    } else {
      y.segment<3>(i) += u.segment<3>(i);
    }
  });
  return y;
}

Vector VertexMaps::to_rest(const DofMap& dofs, const VectorRef& y) const {
  check_sizes(*this, dofs, y.size());
  Vector u(y.size());
  for_each_free(dofs, [&](Index i, int v) {
    const Vector3 relative = y.segment<3>(i) - offset.col(v);
    if (!carries()) {
      u.segment<3>(i) = relative;
      return;
    }
    Matrix3 inverse;
    bool invertible = false;
    linear[static_cast<std::size_t>(v)].computeInverseWithCheck(inverse, invertible, smallest_determinant);
    require(invertible,
            "the maps fold the body flat at vertex {}: bones that move it are turned against each other by "
            "about 180 degrees; turn "
            "them less",
            v);
    u.segment<3>(i) = inverse * relative;
  });
  return u;
}

Matrix VertexMaps::carried(const DofMap& dofs, const Eigen::Ref<const Matrix>& X) const {
  check_sizes(*this, dofs, X.rows());
  if (!carries()) return X;
  Matrix Y(X.rows(), X.cols());
  for_each_free(dofs, [&](Index i, int v) {
    Y.middleRows<3>(i).noalias() = linear[static_cast<std::size_t>(v)] * X.middleRows<3>(i);
  });
  return Y;
}

Vector VertexMaps::pulled_back(const DofMap& dofs, const VectorRef& f) const {
  check_sizes(*this, dofs, f.size());
  if (!carries()) return f;
  Vector g(f.size());
  for_each_free(dofs, [&](Index i, int v) {
    g.segment<3>(i).noalias() = linear[static_cast<std::size_t>(v)].transpose() * f.segment<3>(i);
  });
  return g;
}

Matrix3X VertexMaps::displacement(const DofMap& dofs, const VectorRef& u) const {
  const Vector y = to_world(dofs, u);
  Matrix3X field = offset;
  for_each_free(dofs, [&](Index i, int v) { field.col(v) = y.segment<3>(i); });
  return field;
}

}  // namespace limber
