#include "limber/full/full_springs.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Position of an entry in the values of a sparse matrix that has it.
int value_slot(const SparseMatrix& pattern, Index row, Index column) {
  const int* const first = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column];
  const int* const last = pattern.innerIndexPtr() + pattern.outerIndexPtr()[column + 1];
  const int* const found = std::lower_bound(first, last, static_cast<int>(row));
  require(found != last && *found == row, "the vertices of a spring do not belong to one element");
  return static_cast<int>(found - pattern.innerIndexPtr());
}

}  // namespace

Vector3 displacement_at(const MeshPlace& place, const DofMap& dofs, const VectorRef& u,
                        const Matrix3X& supports) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < place.vertices.size(); ++i) {
    const int v = place.vertices[i], f = dofs.free_index(v);
    if (f >= 0) {
      sum += place.weights[i] * u.segment<3>(3 * Index{f});
    } else if (supports.cols() > 0) {
      sum += place.weights[i] * supports.col(v);
    }
  }
  return sum;
}

void add_force_at(const MeshPlace& place, const DofMap& dofs, const Vector3& force, Vector& f) {
  for (std::size_t i = 0; i < place.vertices.size(); ++i) {
    const int free = dofs.free_index(place.vertices[i]);
    if (free >= 0) f.segment<3>(3 * Index{free}) += place.weights[i] * force;
  }
}

FullSprings::FullSprings(const FullModel& model, std::span<const FullSpring> springs) {
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const auto& [place, anchor, k, half_way] = springs[i];
    require(std::isfinite(k) && k >= 0.0,
            "the stiffness of spring {} is {}, expected a finite number of at least 0", i, k);
    require(anchor.allFinite() && half_way.allFinite(),
            "spring {} has an anchor with entries that are not finite", i);
    Entry entry;
    for (std::size_t j = 0; j < place.vertices.size(); ++j) {
      const int f = model.dofs().free_index(place.vertices[j]);
      if (place.weights[j] == 0.0) continue;
      if (f >= 0) {
        entry.free.emplace_back(3 * Index{f}, place.weights[j]);
      } else {
        entry.fixed.emplace_back(place.vertices[j], place.weights[j]);
      }
    }
    if (entry.free.empty()) continue;  // it pulls at what cannot move
    entry.anchor = anchor;
    entry.half_way = half_way;
    entry.stiffness = k;
    moving_ = moving_ || !half_way.isZero(0.0);
    for (const auto& [row, left] : entry.free) {
      for (const auto& [column, right] : entry.free) {
        for (int axis = 0; axis < 3; ++axis)
          stiffness_.emplace_back(value_slot(model.pattern(), row + axis, column + axis), k * left * right);
      }
    }
    entries_.push_back(std::move(entry));
  }
}

Vector3 FullSprings::Entry::displacement(const Vector& u, const Matrix3X& supports) const {
  Vector3 sum = Vector3::Zero();
  for (const auto& [first, weight] : free) sum += weight * u.segment<3>(first);
  if (supports.cols() > 0) {
    for (const auto& [vertex, weight] : fixed) sum += weight * supports.col(vertex);
  }
  return sum;
}

void FullSprings::add_force(const Vector& u, const Matrix3X& supports, Vector& f) const {
  for (const Entry& entry : entries_) {
    const Vector3 pull = entry.stiffness * (entry.displacement(u, supports) - entry.anchor);
    for (const auto& [first, weight] : entry.free) f.segment<3>(first) += weight * pull;
  }
}

double FullSprings::energy(const Vector& u, const Matrix3X& supports) const {
  double sum = 0.0;
  for (const Entry& entry : entries_) {
    const Vector3 stretch = entry.displacement(u, supports) - entry.anchor;
    sum += entry.stiffness * (0.5 * stretch + entry.half_way).dot(stretch);
  }
  return sum;
}

double FullSprings::half_work(const Vector& u, const Matrix3X& supports) const {
  double sum = 0.0;
  for (const Entry& entry : entries_) {
    const Vector3 pull = entry.stiffness * (entry.anchor - entry.displacement(u, supports));
    sum += std::abs(pull.dot(entry.half_way));
  }
  return sum;
}

void FullSprings::add_product(const Vector& p, Vector& y) const {
  const Matrix3X still(3, 0);
  for (const Entry& entry : entries_) {
    const Vector3 pull = entry.stiffness * entry.displacement(p, still);
    for (const auto& [first, weight] : entry.free) y.segment<3>(first) += weight * pull;
  }
}

void FullSprings::add_stiffness(SparseMatrix& K) const {
  for (const auto& [slot, value] : stiffness_) K.valuePtr()[slot] += value;
}

FullSprings::Projected FullSprings::projected(const Eigen::Ref<const Matrix>& U) const {
  Projected sum{Matrix::Zero(U.cols(), U.cols()), Vector::Zero(U.cols())};
  for (const Entry& entry : entries_) {
    Matrix3X rows = Matrix3X::Zero(3, U.cols());
    for (const auto& [first, weight] : entry.free) rows += weight * U.middleRows<3>(first);
    sum.stiffness.noalias() += entry.stiffness * rows.transpose() * rows;
    sum.force.noalias() -= entry.stiffness * rows.transpose() * entry.anchor;
    sum.energy += 0.5 * entry.stiffness * entry.anchor.squaredNorm();
  }
  return sum;
}

FullSprings::Rounding FullSprings::rounding(const Vector& u, const Matrix3X& supports) const {
  Rounding sum;
  for (const Entry& entry : entries_) {
    double size = 0.0, reach = entry.anchor.norm();
    for (const auto& [first, weight] : entry.free) {
      size += weight * weight;
      reach += std::abs(weight) * u.segment<3>(first).norm();
    }
    const double stretch = (entry.displacement(u, supports) - entry.anchor).norm() + entry.half_way.norm();
    const double error = 8.0 * std::numeric_limits<double>::epsilon() * reach;
    sum.force += entry.stiffness * std::sqrt(size) * error;
    sum.energy += entry.stiffness * (stretch + error) * error;
  }
  return sum;
}

}  // namespace limber
