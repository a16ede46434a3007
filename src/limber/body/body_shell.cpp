#include "limber/body/body_shell.hpp"

#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

BodyShell::BodyShell(const std::shared_ptr<const Model>& shared, Index points) {
  const Model& model = *shared;
  constexpr Index least = 48;  // of a part: a twig still has its tips and edges
  const Index each = std::max(least, points / std::max<Index>(1, model.domain_count()));
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const ReducedPart& part : model.parts) {
    const ReducedModel& reduced = part.model;
    Matrix3X vertices;
    Matrix basis;
    Eigen::Matrix3Xi triangles;
    if (reduced.simulation) {
      // Both: what is drawn is what shall not sink in, and where it has few vertices the mesh has more.
      const Index drawn = reduced.surface.mesh.vertices.cols(),
                  kept = reduced.simulation->mesh.vertices.cols();
      const Eigen::Matrix3Xi boundary = boundary_triangles(reduced.simulation->mesh);
      vertices.resize(3, drawn + kept);
      vertices << reduced.surface.mesh.vertices, reduced.simulation->mesh.vertices;
      basis.resize(3 * (drawn + kept), reduced.rank);
      basis << reduced.surface.basis.cast<double>(), reduced.simulation->basis;
      triangles.resize(3, reduced.surface.mesh.triangles.cols() + boundary.cols());
      triangles << reduced.surface.mesh.triangles, boundary.array() + static_cast<int>(drawn);
    } else {
      vertices = reduced.surface.mesh.vertices;
      basis = reduced.surface.basis.cast<double>();
      triangles = reduced.surface.mesh.triangles;
    }
    const ShellSample sample = sample_shell(vertices, triangles, each);
    spacing_ = std::max(spacing_, sample.spacing);
    parts_.push_back(std::make_unique<const PointShell>(vertices, basis, sample.vertices));
  }
  for (const Domain& domain : model.domains) {
    const SurfaceMesh& mesh = model.parts[static_cast<std::size_t>(domain.part)].model.surface.mesh;
    const Matrix3 R = domain.scale * domain.rotation.normalized().toRotationMatrix();
    for (Index i = 0; i < mesh.vertices.cols(); ++i) {
      const Vector3 x = domain.position + R * mesh.vertices.col(i);
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
  }
  size_ = (high - low).norm();
  if (model.domain_count() == 1 && model.part(0).model.simulation && model.domains.front().scale == 1.0)
    solid_of_ = shared;
}

void BodyShell::make_solid() {
  if (solid_ || !solid_of_) return;
  solid_ = std::make_shared<const RestSolid>(make_rest_solid(solid_of_->part(0).model));
  tree_ = std::make_shared<const ShellTree>(part(0));
  own_ = std::make_unique<const OwnPatches>(*tree_, *solid_);
}

double MovingShell::swing() const {
  double swing = 0.0;
  for (const Placed& placed : domains_) swing = std::max(swing, placed.scale * placed.shell->swing());
  return swing;
}

double MovingShell::reach(const TreeDynamics& tree) const {
  double reach = 0.0;
  for (const Placed& placed : domains_) {
    const double bent = placed.shell->swing() * tree.state().q.segment(placed.first, placed.rank).norm();
    reach =
        std::max(reach, (placed.position - center()).norm() + placed.scale * (placed.shell->radius() + bent));
  }
  return reach;
}

void MovingShell::make_solid() {
  if (boxes_ || !can_have_solid()) return;
  shell_->make_solid();
  boxes_ = std::make_unique<RefittedBoxes>(shell_->tree());
  solid_ = std::make_unique<DeformedSolid>(shell_->solid());
}

void MovingShell::refit(const TreeDynamics& tree, const Vector& u, double h) {
  make_solid();
  const Placed& placed = domains_.front();
  const Pose pose{placed.position, Eigen::Quaterniond(placed.rotation)};
  SweptMotion motion{.step = h};
  if (tree.tree().free) {
    motion.velocity = u.segment<3>(u.size() - 6);
    motion.angular_velocity = u.tail<3>();
  }
  const auto q = tree.state().q.head(placed.rank), v = u.head(placed.rank);
  boxes_->refit(pose, q, v, motion);
  solid_->refit(pose, q, v, motion);
}

void MovingShell::follow(const TreeDynamics& tree) {
  const Model& model = tree.tree();
  domains_.resize(model.domains.size());
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const Domain& domain = model.domains[d];
    const auto index = static_cast<Index>(d);
    Placed& placed = domains_[d];
    placed.shell = &shell_->part(domain.part);
    placed.scale = domain.scale;
    placed.rotation = domain.scale * tree.frame(index).rotation;
    placed.position = tree.frame(index).position;
    placed.first = tree.first_coordinate(index);
    placed.rank = tree.rank(index);
    placed.q.set(tree.state().q.segment(placed.first, placed.rank));
  }
}

double MovingShell::speed(const TreeDynamics& tree, const Vector& u) const {
  const bool free = tree.tree().free;
  double moving = 0.0, turning = 0.0, elastic = 0.0;
  if (free) {
    moving = u.segment<3>(u.size() - 6).norm();
    turning = u.tail<3>().norm();
  }
  // Coordinates of a parent carry all that hangs from it; so they are added up, which is more than enough.
  for (const Placed& placed : domains_)
    elastic += placed.scale * placed.shell->swing() * u.segment(placed.first, placed.rank).norm();
  return moving + turning * reach(tree) + elastic;
}

/// Of the frame of a body of one domain that flies.
void MovingShell::write_root(const Vector3& x, const Matrix3& axes, double sign,
                             ContactSolver::Rows rows) const {
  const Placed& placed = domains_.front();
  if (rows.cols() == placed.rank) return;
  rows.middleCols<3>(placed.rank) = sign * axes.transpose();
  rows.rightCols<3>().noalias() = sign * axes.transpose() * cross_matrix(placed.position - x);
}

void MovingShell::write_rows(const SolidPlace& place, const Vector3& x, const Matrix3& axes, double sign,
                             ContactSolver::Rows rows) const {
  const Placed& placed = domains_.front();
  own_.resize(3, solid_->rest().rank());
  solid_->rest().rows_at(place, own_);
  rows.leftCols(placed.rank).noalias() =
      (sign * axes.transpose() * placed.rotation).lazyProduct(own_.leftCols(placed.rank));
  write_root(x, axes, sign, rows);
}

void MovingShell::write_rows(const TreeDynamics& tree, Index domain, Index point, const Vector3& x,
                             const Matrix3& axes, double sign, ContactSolver::Rows rows) const {
  const Placed& placed = domains_[static_cast<std::size_t>(domain)];
  if (domains_.size() == 1) {
    placed.shell->rows(point, sign * placed.rotation.transpose() * axes, rows.leftCols(placed.rank));
    return write_root(x, axes, sign, rows);
  }
  own_.resize(3, placed.rank);
  for (Index k = 0; k < placed.rank; ++k) own_.col(k) = placed.shell->column(point, k);
  const Vector3 local = placed.rotation.transpose() * (x - placed.position) / (placed.scale * placed.scale);
  const Vector3 place = local - own_ * tree.state().q.segment(placed.first, placed.rank);
  tree.point_rows(domain, place, own_, columns_, rows_);
  rows.setZero();
  for (std::size_t k = 0; k < columns_.size(); ++k)
    rows.col(columns_[k]) = sign * axes.transpose() * rows_.col(static_cast<Index>(k));
}

}  // namespace limber
