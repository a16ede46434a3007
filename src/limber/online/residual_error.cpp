#include "limber/online/residual_error.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {

ResidualError::ResidualError(FullModel& model, SparseSolverKind solver)
    : model_(model),
      solver_(make_sparse_solver({.kind = solver, .threads = model.executor().threads()})),
      K_(model.pattern()) {}

void ResidualError::set_springs(FullSprings springs) {
  springs_ = std::move(springs);
  ready_ = false;
}

SolveReport ResidualError::refresh(const Vector& u, const VertexMaps& maps, double shift) {
  u_ = u;
  maps_ = maps;
  shift_ = shift;
  model_.set_supports(maps.offset);
  const Vector y = maps.to_world(model_.dofs(), u);
  SolveReport report;
  for (const Tangent tangent : {Tangent::exact, Tangent::projected}) {
    model_.force_and_stiffness(y, force_, K_, tangent);
    if (maps.carries()) pull_back_stiffness(model_.dofs(), maps, K_);
    K_.coeffs() += shift * model_.mass().coeffs();
    springs_.add_stiffness(K_);
    report = solver_->factor(K_);
    if (report.status != SolveStatus::not_positive_definite) break;
  }
  ready_ = report.ok();
  return report;
}

Vector ResidualError::displacement(const Vector& residual) const {
  Vector e(residual.size());
  const SolveReport report = solver_->solve(residual, e);
  return report.ok() ? e : Vector::Constant(residual.size(), std::numeric_limits<double>::infinity());
}

void ResidualError::save(StateWriter& out) const {
  out.write(ready_);
  if (!ready_) return;
  out.write(u_);
  out.write(shift_);
  out.write(maps_.offset);
  out.write(maps_.carries());
  if (!maps_.carries()) return;
  Matrix linear(9, static_cast<Index>(maps_.linear.size()));
  for (Index v = 0; v < linear.cols(); ++v)
    linear.col(v) = maps_.linear[static_cast<std::size_t>(v)].reshaped();
  out.write(linear);
}

void ResidualError::restore(StateReader& in) {
  bool ready = false, carries = false;
  in.read(ready);
  ready_ = false;
  if (!ready) return;
  Vector u;
  VertexMaps maps;
  double shift = 0.0;
  in.read(u);
  in.read(shift);
  in.read(maps.offset);
  in.read(carries);
  if (carries) {
    Matrix linear;
    in.read(linear);
    require(linear.rows() == 9 && linear.cols() == model_.mesh().vertex_count(),
            "the saved maps are of {} vertices, the body has {}", linear.cols(),
            model_.mesh().vertex_count());
    for (Index v = 0; v < linear.cols(); ++v) maps.linear.emplace_back(linear.col(v).reshaped(3, 3));
  }
  require(u.size() == model_.dof_count() && maps.offset.cols() == model_.mesh().vertex_count(),
          "the saved state is of {} unknowns, the body has {}", u.size(), model_.dof_count());
  const SolveReport report = refresh(u, maps, shift);
  require(report.ok(), "the saved stiffness cannot be factored ({})", name_of(report.status));
}

double lowest_frequency(const FullModel& model, SparseSolverKind kind) {
  std::vector<int> held;
  for (int v = 0; v < model.mesh().vertex_count(); ++v) {
    if (model.dofs().free_index(v) < 0) held.push_back(v);
  }
  if (!unheld_parts(model.mesh(), held).empty()) return 0.0;
  const auto solver = make_sparse_solver({.kind = kind, .threads = model.executor().threads()});
  if (!solver->factor(model.stiffness(Vector::Zero(model.dof_count()))).ok()) return 0.0;
  // From a uniform field, which the slowest modes of most bodies resemble, along no axis of symmetry.
  Vector x = Vector3(1.0, 0.8, 0.6).replicate(model.dof_count() / 3, 1), y(model.dof_count());
  double square = 0.0;
  for (int iteration = 0; iteration < 12; ++iteration) {
    const Vector force = model.mass() * x;
    if (!solver->solve(force, y).ok()) return 0.0;
    square = y.dot(force) / y.dot(model.mass() * y);
    x = y / y.norm();
  }
  return std::sqrt(std::max(0.0, square));
}

void pull_back_stiffness(const DofMap& dofs, const VertexMaps& maps, SparseMatrix& K) {
  const std::vector<int>& vertices = dofs.free_vertices();
  const auto map = [&](Index unknown) -> const Matrix3& {
    const int vertex = vertices[static_cast<std::size_t>(unknown / 3)];
    return maps.linear[static_cast<std::size_t>(vertex)];
  };
  for (Index column = 0; column < K.cols(); column += 3) {
    const Index entries = K.outerIndexPtr()[column + 1] - K.outerIndexPtr()[column];
    const int* rows = K.innerIndexPtr() + K.outerIndexPtr()[column];
    // The three columns of a vertex hold the same rows, three by three, one column after the other.
    double* values = K.valuePtr() + K.outerIndexPtr()[column];
    for (Index k = 0; k < entries; k += 3) {
      Eigen::Map<Matrix3, 0, Eigen::OuterStride<>> block(values + k, Eigen::OuterStride<>(entries));
      block = (map(rows[k]).transpose() * block * map(column)).eval();
    }
  }
}

}  // namespace limber
