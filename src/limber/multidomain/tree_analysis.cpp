#include "limber/linalg/general_eigen.hpp"
#include "limber/linalg/symmetric_solve.hpp"
#include "limber/multidomain/tree_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace limber {

InterfaceGap TreeDynamics::Parts::largest_gap() const {
  InterfaceGap worst;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const TreeNode& node = nodes[i];
    const TreeNode& parent = nodes[static_cast<std::size_t>(node.parent)];
    const ReducedModel& model = parent.body->part().model;
    if (!model.simulation || parent.rank == 0) continue;
    const InterfacePort& port = *node.port->data;
    const auto q = state.q.segment(parent.first, parent.rank);
    const Vector3 center = port.center + port.center_rows.leftCols(parent.rank) * q;
    double gap = 0.0, radius = 0.0;
    for (const int v : port.vertices) {
      const Vector3 rest = model.simulation->mesh.vertices.col(v);
      const Vector3 moved = rest + model.simulation->basis.block(3 * Index{v}, 0, 3, parent.rank) * q;
      gap = std::max(gap, (moved - center - node.turned * (rest - port.center)).norm());
      radius = std::max(radius, (rest - port.center).norm());
    }
    const double share = gap / (2.0 * radius);
    if (worst.domain < 0 || share > worst.share) worst = {static_cast<Index>(i), parent.scale * gap, share};
  }
  return worst;
}

double TreeDynamics::Parts::stiffness_at(const TreeLoad& point) const {
  const Vector3 x = position(point);
  double compliance = 0.0;  // trace, m/N
  for (Index i = point.node, child = -1; i >= 0; child = i, i = nodes[static_cast<std::size_t>(i)].parent) {
    const TreeNode& node = nodes[static_cast<std::size_t>(i)];
    if (node.rank == 0) continue;
    MatrixX3 rows = node.scale * point.rows;
    if (child >= 0) {
      const TreeNode& carried = nodes[static_cast<std::size_t>(child)];
      const Vector3 arm = node.frame.rotation.transpose() * (x - carried.frame.position);
      const MatrixX6 moving = carried_by(carried);
      rows = moving.leftCols<3>() + moving.rightCols<3>() * cross_matrix(arm);
    }
    const double elastic = node.stiffness * node.scale * node.scale * node.scale;
    compliance += (rows.transpose() * solve_symmetric(node.body->rest_stiffness(), rows)).trace() / elastic;
  }
  return compliance > 0.0 ? 3.0 / compliance : std::numeric_limits<double>::infinity();
}

Vector TreeDynamics::Parts::natural_frequencies() const {
  Parts resting(tree, settings);
  resting.inertia = inertia;
  for (std::size_t i = 0; i < nodes.size(); ++i) resting.nodes[i].stiffness = nodes[i].stiffness;
  resting.prepare_all(Rotations::keep);
  const Index size = state.q.size();
  // Column by column: the accelerations of the tree let go with one coordinate displaced.
  Matrix restoring(size, size);
  const Vector still = Vector::Zero(size);
  for (Index i = 0; i < size; ++i) {
    if (resting.eliminate({}, Vector::Unit(size, i), still) != SolveStatus::converged) return {};
    resting.accelerate_root();
    for (TreeNode& node : resting.nodes) resting.accelerate(node, {});
    restoring.col(i) = -resting.state.a;
  }
  if (size == 0) return {};
  const Vector squares = general_eigenvalues(restoring).real();
  Vector frequencies = squares.cwiseMax(0.0).cwiseSqrt() / (2.0 * std::numbers::pi);
  std::sort(frequencies.begin(), frequencies.end());
  return frequencies;
}

}  // namespace limber
