#include "limber/full/moving_support.hpp"

#include "limber/base/error.hpp"
#include "limber/full/mass_pairs.hpp"

#include <utility>

namespace limber {

MovingSupport::MovingSupport(FullModel& model, RigidMotion motion)
    : model_(model), motion_(std::move(motion)) {
  const std::vector<char> used = used_vertices(model.mesh());
  std::vector<int> number(used.size(), -1);
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (used[v] == 0 || model.dofs().free_index(static_cast<int>(v)) >= 0) continue;
    number[v] = static_cast<int>(held_.size());
    held_.push_back(static_cast<int>(v));
  }
  require(!held_.empty(), "nothing holds the body, so that no support can move it; fix some of its vertices");
  rest_.resize(3, static_cast<Index>(held_.size()));
  for (Index i = 0; i < rest_.cols(); ++i)
    rest_.col(i) = model.mesh().vertices.col(held_[static_cast<std::size_t>(i)]);

  std::vector<Eigen::Triplet<double, int>> entries;
  for_each_mass(model, [&](int a, int b, double mass) {
    const int held = number[static_cast<std::size_t>(a)], free = model.dofs().free_index(b);
    if (held >= 0 && free >= 0) entries.emplace_back(held, free, mass);
  });
  coupling_.resize(rest_.cols(), model.dof_count() / 3);
  coupling_.setFromTriplets(entries.begin(), entries.end());
  displacement_ = Matrix3X::Zero(3, model.mesh().vertex_count());
}

bool MovingSupport::moves(double t, double h) const {
  const Eigen::Isometry3d end = pose_at(t + h);
  for (const double other : {t - h, t, t + 0.5 * h, t + 2.0 * h}) {
    if (pose_at(other).matrix() != end.matrix()) return true;
  }
  return false;
}

Matrix3X MovingSupport::places_of(const Eigen::Isometry3d& pose) const {
  return (pose.linear() * rest_).colwise() + pose.translation();
}

Matrix3X MovingSupport::displacement_of(const Eigen::Isometry3d& pose) const {
  const Matrix3X moved = places_of(pose) - rest_;
  Matrix3X field = Matrix3X::Zero(3, model_.mesh().vertex_count());
  for (Index i = 0; i < moved.cols(); ++i) field.col(held_[static_cast<std::size_t>(i)]) = moved.col(i);
  return field;
}

void MovingSupport::place(const Eigen::Isometry3d& pose) {
  if (pose.matrix() == pose_.matrix()) return;
  Matrix3X next = displacement_of(pose);
  model_.set_supports(next);
  displacement_ = std::move(next);
  pose_ = pose;
}

RigidVelocity MovingSupport::velocity(double t, double h) const {
  const Eigen::Isometry3d before = pose_at(t - h), after = pose_at(t + h);
  const Vector3 middle = rest_.rowwise().mean();
  RigidVelocity result;
  result.center = pose_at(t) * middle;
  if (before.matrix() == after.matrix()) return result;
  result.linear = (after * middle - before * middle) / (2.0 * h);
  const Eigen::AngleAxisd turn(Matrix3(after.linear() * before.linear().transpose()));
  result.angular = turn.angle() / (2.0 * h) * turn.axis();
  return result;
}

/// About time t, over h in all. Before time 0 all is at rest, and a motion may begin there at full speed: it
/// grows evenly then, so that whatever time in steps an integrator asks for, impulses sum up to the same.
Matrix3X MovingSupport::mean_velocity(double t, double h) const {
  if (t <= 0.0) return Matrix3X::Zero(3, rest_.cols());
  if (t < 0.5 * h) return (2.0 * t / h) * mean_velocity(0.5 * h, h);
  return (places_of(pose_at(t + 0.5 * h)) - places_of(pose_at(t - 0.5 * h))) / h;
}

Vector MovingSupport::inertia(double t0, double t1, double h) const {
  if (coupling_.nonZeros() == 0) return {};
  if (t1 <= t0) return Vector::Zero(3 * coupling_.cols());
  const Matrix3X acceleration = (mean_velocity(t1, h) - mean_velocity(t0, h)) / (t1 - t0);
  const Matrix3X product = acceleration * coupling_;
  return product.reshaped();
}

Vector MovingSupport::mass_times(const RigidVelocity& velocity, const Eigen::Isometry3d& pose) const {
  if (coupling_.nonZeros() == 0) return {};
  Matrix3X rates = places_of(pose);
  for (auto column : rates.colwise()) column = velocity.at(column);
  const Matrix3X product = rates * coupling_;
  return product.reshaped();
}

}  // namespace limber
