#include "limber/full/full_wind.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

/// Shares of the vertices in the area of the boundary at rest, m^2.
Vector boundary_areas(const VolumeMesh& mesh) {
  Vector areas = Vector::Zero(mesh.vertex_count());
  const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
  for (const auto& triangle : triangles.colwise()) {
    const Vector3 a = mesh.vertices.col(triangle(0));
    const Vector3 one = mesh.vertices.col(triangle(1)) - a, other = mesh.vertices.col(triangle(2)) - a;
    const double area = 0.5 * one.cross(other).norm();
    for (const int v : triangle) areas(v) += area / 3.0;
  }
  return areas;
}

/// Position of a diagonal entry in the values of a sparse matrix.
int diagonal_slot(const SparseMatrix& pattern, Index i) {
  const int* const first = pattern.innerIndexPtr() + pattern.outerIndexPtr()[i];
  const int* const last = pattern.innerIndexPtr() + pattern.outerIndexPtr()[i + 1];
  return static_cast<int>(std::lower_bound(first, last, static_cast<int>(i)) - pattern.innerIndexPtr());
}

}  // namespace

FullWind::FullWind(const FullModel& model, FullAir air) : air_(std::move(air)) {
  constexpr double shown = 0.25;
  const Vector areas = boundary_areas(model.mesh());
  for (const int v : model.dofs().free_vertices()) {
    if (areas(v) == 0.0) continue;
    Entry entry;
    entry.first = 3 * Index{model.dofs().free_index(v)};
    entry.rest = model.mesh().vertices.col(v);
    entry.shadow = shown * areas(v);
    entry.mass = model.vertex_masses()(v);
    for (int axis = 0; axis < 3; ++axis)
      entry.slots[static_cast<std::size_t>(axis)] = diagonal_slot(model.pattern(), entry.first + axis);
    entries_.push_back(entry);
  }
}

void FullWind::set_air(FullAir air) {
  air_ = std::move(air);
  let_go();
}

void FullWind::aim(const DynamicState& start, double h, const NewmarkOptions& options, const Wake& before,
                   bool held) {
  const NewmarkConstants constants(options.beta, options.gamma, h);
  at_end_ = held && constants.alpha6 != 0.0;
  const double more = at_end_ ? 0.0 : (1.0 - options.alpha_m) * constants.alpha3 - options.alpha_m;  // n
  // Who sets off at once gets more than of the mean with nothing.
  start_share_ = at_end_ && before.drag.size() > 0 ? 1.0 - options.gamma : 0.0;
  on_acceleration_ = -constants.alpha3;
  on_velocity_ = constants.alpha6;
  stiffness_ = 0.0;
  aimed_ = true;
  const Vector& velocity = held && before.velocity.size() > 0 ? before.velocity : start.v;
  for (Entry& entry : entries_) {
    entry.from = start.u.segment<3>(entry.first);
    const Vector3 air = air_.velocity(entry.rest + entry.from, start.time);
    entry.last = before.drag.size() > 0 ? Vector3(before.drag.segment<3>(entry.first)) : Vector3::Zero();
    double drag = air_.thickness * entry.shadow * (air - velocity.segment<3>(entry.first)).norm();
    if (!held) drag = std::min(drag, 2.0 * entry.mass / h);
    entry.slope = drag / h;
    entry.start = drag * air;
    entry.stiffness = (1.0 + more) * entry.slope;
    entry.pull = (1.0 + more) * entry.start - more * entry.last;
    stiffness_ += entry.stiffness;
  }
}

bool FullWind::let_go() {
  for (Entry& entry : entries_) {
    entry.slope = entry.stiffness = 0.0;
    entry.start.setZero();
    entry.pull.setZero();
  }
  stiffness_ = 0.0;
  return std::exchange(aimed_, false);
}

void FullWind::add_force(const Vector& u, Vector& f) const {
  for (const Entry& entry : entries_) {
    const Vector3 way = u.segment<3>(entry.first) - entry.from;
    f.segment<3>(entry.first) += entry.stiffness * way - entry.pull;
  }
}

void FullWind::add_product(const Vector& p, Vector& y) const {
  for (const Entry& entry : entries_)
    y.segment<3>(entry.first) += entry.stiffness * p.segment<3>(entry.first);
}

void FullWind::add_stiffness(SparseMatrix& K) const {
  for (const Entry& entry : entries_) {
    for (const int slot : entry.slots) K.valuePtr()[slot] += entry.stiffness;
  }
}

double FullWind::potential(const Vector& u) const {
  double sum = 0.0;
  for (const Entry& entry : entries_) {
    const Vector3 way = u.segment<3>(entry.first) - entry.from;
    sum += way.dot(0.5 * entry.stiffness * way - entry.pull);
  }
  return sum;
}

Vector FullWind::drag(const Vector& u) const {
  Vector force = Vector::Zero(u.size());
  for (const Entry& entry : entries_) {
    const Vector3 way = u.segment<3>(entry.first) - entry.from;
    force.segment<3>(entry.first) = entry.start - entry.slope * way;
  }
  return force;
}

/// Of a force at the end of the step alone it is that of the mean of F_0 and F.
double FullWind::work(const Vector& u) const {
  double sum = 0.0;
  for (const Entry& entry : entries_) {
    const Vector3 way = u.segment<3>(entry.first) - entry.from;
    const Vector3 drag = entry.start - entry.slope * way;
    sum += way.dot(drag + start_share_ * (entry.last - drag));
  }
  return sum;
}

FullWind::Rounding FullWind::rounding(const Vector& u) const {
  constexpr double few_eps = 8.0 * std::numeric_limits<double>::epsilon();
  Rounding sum;
  for (const Entry& entry : entries_) {
    const double way = (u.segment<3>(entry.first) - entry.from).norm();
    const double error =
        few_eps * (entry.stiffness * (u.segment<3>(entry.first).norm() + way) + entry.pull.norm());
    sum.force += error;
    sum.energy += error * way;
  }
  return sum;
}

void FullWind::add_drag(const Vector& u, const Vector& v, double time, double h, Vector& f) const {
  for (const Entry& entry : entries_) {
    const Vector3 air = air_.velocity(entry.rest + u.segment<3>(entry.first), time);
    const Vector3 past = air - v.segment<3>(entry.first);
    const double drag = air_.thickness * entry.shadow * past.norm();
    f.segment<3>(entry.first) += drag / (1.0 + h * drag / entry.mass) * past;
  }
}

}  // namespace limber
