#include "limber/body/rigid_body.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/point_shell.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

struct Sample {
  std::vector<SamplePoint> operator()(const HalfSpace&) const { return {}; }
  std::vector<SamplePoint> operator()(const std::shared_ptr<const HeightField>&) const { return {}; }
  std::vector<SamplePoint> operator()(const Sphere& sphere) const {
    return {{Vector3::Zero(), sphere.radius}};
  }
  /// Its ends, and balls between them as far apart as leaves less than a hundredth of the radius uncovered.
  std::vector<SamplePoint> operator()(const Capsule& capsule) const {
    constexpr double most = 4000.0;  // one that is 560 times as long as it is thick
    const int between = static_cast<int>(
        std::clamp(std::ceil(2.0 * capsule.half_length / (0.28 * capsule.radius)), 1.0, most));
    std::vector<SamplePoint> result;
    for (int i = 0; i <= between; ++i)
      result.push_back({(2.0 * i / between - 1.0) * capsule.half_length * Vector3::UnitZ(), capsule.radius});
    return result;
  }
  std::vector<SamplePoint> operator()(const Box& box) const {
    constexpr int cells = 4;  // of each edge
    std::vector<SamplePoint> result;
    for (int i = 0; i <= cells; ++i)
      for (int j = 0; j <= cells; ++j)
        for (int k = 0; k <= cells; ++k) {
          const auto ends = [](int x) { return x == 0 || x == cells; };
          if (!ends(i) && !ends(j) && !ends(k)) continue;
          const Vector3 share(2.0 * i / cells - 1.0, 2.0 * j / cells - 1.0, 2.0 * k / cells - 1.0);
          result.push_back({share.cwiseProduct(box.half), 0.0});
        }
    return result;
  }
  std::vector<SamplePoint> operator()(const std::shared_ptr<const MeshShape>& mesh) const {
    constexpr Index most = 400;
    std::vector<SamplePoint> result;
    for (const int v : sample_shell(mesh->vertices(), mesh->triangles(), most).vertices)
      result.push_back({mesh->vertices().col(v), 0.0});
    return result;
  }
};

}  // namespace

std::vector<SamplePoint> sample_shape(const SolidShape& shape) { return std::visit(Sample{}, shape); }

RigidBody::RigidBody(RigidBodySetup setup) : setup_(std::move(setup)) {
  check_shape(setup_.shape, setup_.name);
  check_material(setup_.material, setup_.name);
  samples_ = sample_shape(setup_.shape);
  require(!setup_.mass || !samples_.empty(), "{}: ground has no end, and so no mass", setup_.name);
  set_mass_properties(setup_.mass ? *setup_.mass
                                  : limber::mass_properties(setup_.shape, setup_.density, setup_.name));
  set_gravity(setup_.gravity);
  set_pose(setup_.pose);
  set_velocity(setup_.velocity, setup_.angular_velocity);
  remember();
}

void RigidBody::set_material(const ContactMaterial& material) {
  check_material(material, setup_.name);
  setup_.material = material;
}

void RigidBody::set_mass_properties(const MassProperties& mass) {
  require(std::isfinite(mass.mass) && mass.mass > 0.0, "{}: the mass is {} kg, expected a positive number",
          setup_.name, mass.mass);
  require(
      mass.center.allFinite() && mass.inertia.allFinite() && symmetric_eigen3(mass.inertia).values(0) > 0.0,
      "{}: its centre of mass is not finite, or its inertia not positive", setup_.name);
  const Pose before = pose();
  const Vector3 speed = mass_.mass > 0.0 ? velocity() : Vector3::Zero();
  mass_ = mass;
  radius_ = 0.0;
  for (const SamplePoint& sample : samples_)
    radius_ = std::max(radius_, (sample.place - mass_.center).norm() + sample.radius);
  if (const auto* const mesh = std::get_if<std::shared_ptr<const MeshShape>>(&setup_.shape))  // sampled
    radius_ = ((*mesh)->vertices().colwise() - mass_.center).colwise().norm().maxCoeff();
  momentum_ = mass_.mass * speed;
  set_pose(before);
}

void RigidBody::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "{}: gravity must be finite", setup_.name);
  setup_.gravity = acceleration;
}

void RigidBody::set_pose(const Pose& pose) {
  check_pose(pose, setup_.name);
  rotation_ = pose.rotation.normalized();
  center_ = pose.position + rotation_ * mass_.center;
  angular_ = inertia(rotation_) * spin_;
}

void RigidBody::set_velocity(const Vector3& velocity, const Vector3& angular) {
  require(velocity.allFinite() && angular.allFinite(), "{}: its velocity must be finite", setup_.name);
  momentum_ = mass_.mass * velocity;
  spin_ = angular;
  last_ = 0.0;
  angular_ = inertia(rotation_) * spin_;
}

Pose RigidBody::pose() const { return {center_ - rotation_ * mass_.center, rotation_}; }

Matrix3 RigidBody::inertia(const Eigen::Quaterniond& rotation) const {
  const Matrix3 R = rotation.toRotationMatrix();
  return R * mass_.inertia * R.transpose();
}

double RigidBody::kinetic_energy() const {
  return 0.5 * momentum_.squaredNorm() / mass_.mass + 0.5 * spin_.dot(angular_);
}

void RigidBody::set_grip(const std::optional<RigidGrip>& grip) {
  if (grip) {
    require(grip->pose.position.allFinite() && is_unit(grip->pose.rotation) && grip->velocity.allFinite() &&
                grip->angular_velocity.allFinite(),
            "{}: the hand that holds it is at a place that is not finite, or its rotation not of unit length",
            setup_.name);
    for (const double number :
         {grip->stiffness, grip->damping, grip->turning_stiffness, grip->turning_damping})
      require(std::isfinite(number) && number >= 0.0,
              "{}: stiffness and damping of a grip are {}, expected 0 or more", setup_.name, number);
  } else {
    grip_load_ = {};
  }
  grip_ = grip;
}

/// F = k (x_hand - c - h u) + d (v_hand - u): the spring at the end of the step.
RigidBody::Pull RigidBody::pull(double h) const {
  if (!grip_) return {};
  const Vector3 way = grip_->pose.position + grip_->pose.rotation * mass_.center - center_;
  const Vector3 turn = rotation_vector(grip_->pose.rotation * rotation_.conjugate());
  return {{grip_->stiffness * way + grip_->damping * grip_->velocity,
           grip_->turning_stiffness * turn + grip_->turning_damping * grip_->angular_velocity},
          h * grip_->stiffness + grip_->damping,
          h * grip_->turning_stiffness + grip_->turning_damping};
}

void RigidBody::begin_coupled(double h, CoupledStep& step) const {
  const Pull pulled = pull(h);
  step.h = h;
  step.elastic = ElasticEnd::mean;
  step.hardness = 0.0;
  step.condensed = step.pulled = false;
  step.kick = setup_.hosted ? h : 0.5 * (h + last_);
  const double held = mass_.mass + step.kick * pulled.resistance;
  const Matrix3 turning = step.kick * pulled.turning_resistance * Matrix3::Identity();
  step.matrix.setZero(6, 6);
  step.matrix.diagonal().head<3>().setConstant(held);
  step.matrix.bottomRightCorner<3, 3>() = inertia(rotation_) + turning;
  step.start.resize(6);
  step.start.head<3>() = velocity();
  step.start.tail<3>() = spin_;
  if (setup_.hosted) {
    step.free = step.start;
    return;
  }
  // What the momentum makes of the angular velocity, as the body turns by half of the step.
  const Eigen::Quaterniond half =
      Eigen::Quaterniond(rotation_matrix(0.5 * h * spin_) * rotation_.toRotationMatrix()).normalized();
  step.free.resize(6);
  step.free.head<3>() = (momentum_ + step.kick * (weight() + pulled.load.force)) / held;
  step.free.tail<3>() = (inertia(half) + turning).inverse() * (angular_ + step.kick * pulled.load.torque);
}

Vector RigidBody::stopping_impulse(const CoupledStep& step) const {
  const Pull pulled = pull(step.h);
  Vector impulse(6);
  impulse.head<3>() = -(momentum_ + step.kick * (weight() + pulled.load.force));
  impulse.tail<3>() = -(angular_ + step.kick * pulled.load.torque);
  return impulse;
}

void RigidBody::end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse) {
  const double h = step.h;
  const Pull pulled = pull(h);
  // From the impulses, not from u, which was solved for to a tolerance: so momentum is kept to rounding.
  const Vector3 moved = (momentum_ + step.kick * (weight() + pulled.load.force) + impulse.head<3>()) /
                        (mass_.mass + step.kick * pulled.resistance);
  const Vector3 turned = angular_ + step.kick * pulled.load.torque + impulse.tail<3>();
  const Matrix3 turning = step.kick * pulled.turning_resistance * Matrix3::Identity();
  // The angular velocity is that of the middle of the step.
  Vector3 spin = u.tail<3>();
  for (int i = 0; i < 2 && !setup_.hosted; ++i) {
    const Eigen::Quaterniond half(rotation_matrix(0.5 * h * spin) * rotation_.toRotationMatrix());
    spin = (inertia(half.normalized()) + turning).inverse() * turned;
  }
  const RigidLoad load{pulled.load.force - pulled.resistance * moved,
                       pulled.load.torque - pulled.turning_resistance * spin};
  momentum_ += step.kick * (weight() + load.force) + impulse.head<3>();
  angular_ += step.kick * load.torque + impulse.tail<3>();
  const double share = h / (gripped_ + h);
  grip_load_.force += share * (load.force - grip_load_.force);
  grip_load_.torque += share * (load.torque - grip_load_.torque);
  gripped_ += h;
  spin_ = spin;
  last_ = h;
  center_ += h * velocity();
  rotation_ = Eigen::Quaterniond(rotation_matrix(h * spin) * rotation_.toRotationMatrix()).normalized();
}

void RigidBody::go_back() {
  center_ = before_.center;
  momentum_ = before_.momentum;
  angular_ = before_.angular;
  spin_ = before_.spin;
  rotation_ = before_.rotation;
  last_ = before_.last;
  grip_load_ = before_.grip_load;
}

void RigidBody::save(StateWriter& out) const {
  Vector numbers(23);
  numbers << center_, momentum_, angular_, spin_, rotation_.coeffs(), last_, grip_load_.force,
      grip_load_.torque;
  out.write(numbers);
}

void RigidBody::restore(StateReader& in) {
  Vector numbers;
  in.read(numbers);
  require(numbers.size() == 23 && numbers.allFinite() && numbers(16) >= 0.0,
          "{}: its state is not that of a rigid body", setup_.name);
  const Eigen::Quaterniond rotation(numbers(15), numbers(12), numbers(13), numbers(14));
  require(is_unit(rotation), "{}: the rotation of its state is not of unit length", setup_.name);
  center_ = numbers.head<3>();
  momentum_ = numbers.segment<3>(3);
  angular_ = numbers.segment<3>(6);
  spin_ = numbers.segment<3>(9);
  rotation_ = rotation;
  last_ = numbers(16);
  grip_load_ = {numbers.segment<3>(17), numbers.tail<3>()};
}

}  // namespace limber
