#include "limber/full/free_flight.hpp"

#include "limber/linalg/symmetric_solve.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

FreeFlight::FreeFlight(const FullModel& model) : model_(model) {
  const std::vector<int>& vertices = model.dofs().free_vertices();
  masses_.resize(static_cast<Index>(vertices.size()));
  rest_.resize(3, masses_.size());
  for (Index i = 0; i < masses_.size(); ++i) {
    const int v = vertices[static_cast<std::size_t>(i)];
    masses_(i) = model.vertex_masses()(v);
    rest_.col(i) = model.mesh().vertices.col(v);
  }
}

Matrix3X FreeFlight::arms(const Vector& u) const {
  Matrix3X x = rest_ + u.reshaped(3, rest_.cols());
  const Vector3 center = x * masses_ / masses_.sum();
  x.colwise() -= center;
  return x;
}

Vector3 FreeFlight::torque(const Vector& u, const Vector& force) const {
  const Matrix3X x = arms(u);
  Vector3 sum = Vector3::Zero();
  for (Index i = 0; i < x.cols(); ++i) sum += x.col(i).cross(force.segment<3>(3 * i));
  return sum;
}

Vector3 FreeFlight::angular_momentum(const Vector& u, const Vector& v) const {
  return torque(u, model_.mass() * v);
}

Matrix FreeFlight::rigid_motions(const Vector& u) const {
  const Matrix3X x = arms(u);
  Matrix R = Matrix::Zero(3 * x.cols(), 6);
  for (Index i = 0; i < x.cols(); ++i) {
    R.block<3, 3>(3 * i, 0).setIdentity();
    for (int k = 0; k < 3; ++k) R.block<3, 1>(3 * i, 3 + k) = Vector3::Unit(k).cross(x.col(i));
  }
  return R;
}

void FreeFlight::rigid_velocity(const Vector& u, const Vector& v, Vector& rigid) const {
  const Matrix R = rigid_motions(u), MR = model_.mass() * R;
  const Matrix6 inertia = R.transpose() * MR;
  const Vector6 momentum = MR.transpose() * v;
  rigid.noalias() = R * solve_symmetric6(inertia, momentum);
}

namespace {

/// The rotation of a rigid body in h seconds, R = cay(h w) with w = I^-1 (m_0 + m_1) / 2, where its angular
/// momentum goes, in its own axes, from m_0 to m_1 = m_0 + h (m_0 + m_1) / 2 x w: of the same length, and
/// with the same energy. The identity where the iteration does not end.
Matrix3 rigid_rotation(const Matrix3& inertia, const Vector3& momentum, double h) {
  constexpr int most_iterations = 100;
  const Matrix3 inverse = inertia.inverse();
  Vector3 spin = inverse * momentum;
  for (int i = 0; i < most_iterations; ++i) {
    // m_1 = cay(-h w) m_0, and the mean of both is (I + S)^-1 m_0 with S = h/2 [w]x.
    const Vector3 half = 0.5 * h * spin;
    const Vector3 mean =
        (momentum - half.cross(momentum) + half.dot(momentum) * half) / (1.0 + half.squaredNorm());
    const Vector3 next = 0.5 * (spin + inverse * mean);
    const double change = (next - spin).norm();
    spin = next;
    if (change <= 1e-15 * spin.norm()) {
      const double angle = 2.0 * std::atan(0.5 * h * spin.norm());
      const double length = spin.norm();
      if (!(length > 0.0)) break;
      return Eigen::AngleAxisd(angle, spin / length).toRotationMatrix();
    }
  }
  return Matrix3::Identity();
}

}  // namespace

void FreeFlight::carry(double h, Vector& u, Vector& v) const {
  const Matrix3X x = arms(u);
  const Matrix R = rigid_motions(u), MR = model_.mass() * R;
  const Matrix6 inertia = R.transpose() * MR;
  const Vector6 momentum = MR.transpose() * v, motion = solve_symmetric6(inertia, momentum);
  const Matrix3 turn = rigid_rotation(inertia.bottomRightCorner<3, 3>(), momentum.tail<3>(), h);
  v -= R * motion;
  for (Index i = 0; i < x.cols(); ++i) {
    u.segment<3>(3 * i) += (turn * x.col(i) - x.col(i)) + h * motion.head<3>();
    v.segment<3>(3 * i) = turn * v.segment<3>(3 * i);
  }
}

Vector FreeFlight::take_translation(Vector& d) const {
  const Vector3 mean = d.reshaped(3, masses_.size()) * masses_ / masses_.sum();
  Vector translation = mean.replicate(masses_.size(), 1);
  d -= translation;
  return translation;
}

double FreeFlight::flight_energy(const Vector& force, const Vector& u, const Vector& v) const {
  const Index n = masses_.size();
  const Vector3 momentum = v.reshaped(3, n) * masses_, moment = u.reshaped(3, n) * masses_;
  return (0.5 * momentum.squaredNorm() - force.reshaped(3, n).rowwise().sum().dot(moment)) / masses_.sum();
}

void FreeFlight::set_linear_momentum(const Vector3& P, Vector& d) const {
  const Vector3 missing = (P - d.reshaped(3, masses_.size()) * masses_) / masses_.sum();
  d += missing.replicate(masses_.size(), 1);
}

void FreeFlight::set_angular_momentum(const Vector& u, const Vector3& L, Vector& v) const {
  const Matrix R = rigid_motions(u), MR = model_.mass() * R;
  const Matrix6 inertia = R.transpose() * MR;
  Vector6 missing = Vector6::Zero();
  missing.tail<3>() = L - MR.rightCols<3>().transpose() * v;
  v.noalias() += R * solve_symmetric6(inertia, missing);
}

bool is_free(const FullModel& model) {
  const std::vector<int>& free = model.dofs().free_vertices();
  std::vector<bool> used(static_cast<std::size_t>(model.mesh().vertex_count()), false);
  for (const int v : model.mesh().elements.reshaped()) used[static_cast<std::size_t>(v)] = true;
  return static_cast<std::size_t>(std::count(used.begin(), used.end(), true)) == free.size();
}

}  // namespace limber
