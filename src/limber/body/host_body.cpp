#include "limber/body/host_body.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// Share of the largest inverse inertia that stands for none: what is locked yields that much, which no
/// contact can tell, and the step keeps a matrix that is definite.
constexpr double locked_share = 1e-9;

/// Of a matrix in single precision that was turned to axes of the world.
constexpr double symmetry_tolerance = 1e-5;

void check_host_state(const HostState& state, const std::string& name) {
  check_pose(state.pose, name);
  require(state.center.allFinite() && state.velocity.allFinite() && state.angular_velocity.allFinite() &&
              state.acceleration.allFinite() && state.angular_acceleration.allFinite(),
          "{}: its centre of mass, its velocity or its acceleration is not finite", name);
  require(std::isfinite(state.inverse_mass) && state.inverse_mass >= 0.0,
          "{}: its inverse mass is {} 1/kg, expected a number of at least 0 (0: nothing moves it)", name,
          state.inverse_mass);
  const Matrix3& W = state.inverse_inertia;
  require(W.allFinite() && (W - W.transpose()).norm() <= symmetry_tolerance * W.norm(),
          "{}: its inverse inertia is not finite, or not symmetric", name);
}

/// What two vectors have in common: the shorter one; nothing where they point apart.
Vector3 common(const Vector3& one, const Vector3& other) {
  if (!(one.dot(other) > 0.0)) return Vector3::Zero();
  return one.squaredNorm() < other.squaredNorm() ? one : other;
}

}  // namespace

HostBody::HostBody(std::string name, SolidShape shape, const ContactMaterial& material)
    : standing_{.name = std::move(name), .shape = std::move(shape), .material = material} {
  check_shape(standing_.shape, standing_.name);
  check_material(material, standing_.name);
  samples_ = sample_shape(standing_.shape);
}

void HostBody::set_material(const ContactMaterial& material) {
  check_material(material, name());
  standing_.material = material;
  if (copy_) copy_->set_material(material);
}

void HostBody::set_state(const HostState& state) {
  check_host_state(state, name());
  const bool yields = state.inverse_mass > 0.0 || !state.inverse_inertia.isZero(0.0);
  require(!yields || !samples_.empty(),
          "{}: ground has no end, so nothing can move it; its inverse mass and inertia must be 0", name());
  const double largest = state.inverse_inertia.norm();
  require(!yields || symmetric_eigen3(state.inverse_inertia).values(0) >= -symmetry_tolerance * largest,
          "{}: its inverse inertia has a negative eigenvalue; expected a positive semidefinite matrix",
          name());
  state_ = state;
  state_.pose.rotation.normalize();
  yields_ = yields;
  stands_ = !yields && state.velocity.isZero(0.0) && state.angular_velocity.isZero(0.0);
  standing_.pose = state_.pose;
  if (last_ > 0.0) {
    before_ = latest_;
    latest_ = (velocities() - expected_) / last_;
    last_ = 0.0;
  }
  if (state.asleep) latest_.setZero();
  fresh_ = true;
}

/// In the axes of the shape.
MassProperties HostBody::mass_properties() const {
  double reach = 0.0;
  for (const SamplePoint& sample : samples_)
    reach = std::max(reach, (state_.pose.apply(sample.place) - state_.center).norm() + sample.radius);
  const SymmetricEigen3 axes = symmetric_eigen3(state_.inverse_inertia);
  const double largest = std::max(axes.values(2), state_.inverse_mass / (reach * reach));
  const Vector3 inertia = axes.values.cwiseMax(locked_share * largest).cwiseInverse();
  const Matrix3 turn = state_.pose.rotation.toRotationMatrix().transpose() * axes.vectors;
  MassProperties mass;
  mass.mass = 1.0 / std::max(state_.inverse_mass, locked_share * largest * reach * reach);
  mass.center = state_.pose.inverse().apply(state_.center);
  mass.inertia = turn * inertia.asDiagonal() * turn.transpose();
  return mass;
}

HostBody::Velocities HostBody::velocities() const {
  Velocities both;
  both << state_.velocity, state_.angular_velocity;
  return both;
}

void HostBody::begin_step(double h) {
  if (!yields_) return;
  free_ = velocities();
  free_.head<3>() += h * (state_.acceleration + common(latest_.head<3>(), before_.head<3>()));
  free_.tail<3>() += h * (state_.angular_acceleration + common(latest_.tail<3>(), before_.tail<3>()));
  if (!copy_)
    copy_ = std::make_unique<RigidBody>(RigidBodySetup{
        .name = name(), .shape = shape(), .mass = mass_properties(), .hosted = true, .material = material()});
  copy_->set_mass_properties(mass_properties());
  copy_->set_gravity(state_.acceleration);  // slower than what that does in a few steps nothing bounces
  copy_->set_pose(state_.pose);
  copy_->set_velocity(free_.head<3>(), free_.tail<3>());
}

void HostBody::end_step(double h) {
  fresh_ = false;
  expected_ = velocities();
  expected_.head<3>() += h * state_.acceleration + state_.inverse_mass * push_.impulse;
  expected_.tail<3>() += h * state_.angular_acceleration + state_.inverse_inertia * push_.angular_impulse;
  last_ = h;
}

void HostBody::add_push(const Vector3& impulse, const Vector3& place) {
  push_.impulse += impulse;
  push_.angular_impulse += (place - state_.center).cross(impulse);
}

Vector3 HostBody::velocity_of_pose() const {
  return state_.velocity + state_.angular_velocity.cross(state_.pose.position - state_.center);
}

}  // namespace limber
