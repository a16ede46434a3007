#include "limber/multidomain/domain_body.hpp"

#include "limber/linalg/symmetric_solve.hpp"
#include "limber/multidomain/elimination.hpp"
#include "limber/multidomain/interface_frame.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace limber {
namespace {

/// U_i x^T by columns: entry (a, b) is number a + 3 b. x cross U_i for all i, r x 3.
template <class Moments, class Result>
void axial_columns(const Moments& moments, Result&& result) {
  result.col(0) = moments.col(5) - moments.col(7);
  result.col(1) = moments.col(6) - moments.col(2);
  result.col(2) = moments.col(1) - moments.col(3);
}

Matrix3 by_columns(const Eigen::Matrix<double, 9, 1>& entries) {
  return Eigen::Map<const Matrix3>(entries.data());
}

Matrix6 rigid_inertia(double mass, const Vector3& first, const Matrix3& rotational) {
  Matrix6 I;
  const Matrix3 offset = cross_matrix(first);
  I.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
  I.topRightCorner<3, 3>() = -offset;
  I.bottomLeftCorner<3, 3>() = offset;
  I.bottomRightCorner<3, 3>() = rotational;
  return I;
}

DomainBody::Port make_run_time_port(const InterfacePort& port) {
  DomainBody::Port result{&port, port.center_rows.transpose(), port.covariance_rows.transpose(), {}};
  result.columns.setZero(16, port.center_rows.cols());
  result.columns.topRows<9>() = port.covariance_rows;
  result.columns.middleRows<3>(9) = port.center_rows;
  result.spread = spreads_of(port.covariance, Matrix3::Identity()).values(0);
  return result;
}

/// Energy that takes one of its spreads to nothing: the least of those of three.
double crush_energy_of(const DomainBody::Port& port, const Matrix& stiffness) {
  const Spreads spreads = spreads_of(port.data->covariance, Matrix3::Identity());
  double most = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vector3 axis = spreads.axes.col(i);
    const Matrix3 G = Matrix3::Identity() - axis * axis.transpose();
    const Vector g = port.covariance_rows * G.reshaped() / spreads.values(i);
    most = std::max(most, g.dot(solve_symmetric(stiffness, g).col(0)));
  }
  return most > 0.0 ? 0.5 / most : 0.0;
}

}  // namespace

void DomainBody::Port::motion(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v,
                              Vector12& moved, Vector12& moving) const {
  Packet sum[4] = {};
  for (Index i = 0; i < columns.cols(); ++i) {
    const Packet upper = load_packet(&columns(0, i)), lower = load_packet(&columns(8, i));
    sum[0] += q(i) * upper;
    sum[1] += q(i) * lower;
    sum[2] += v(i) * upper;
    sum[3] += v(i) * lower;
  }
  for (int i = 0; i < 12; ++i) {
    moved(i) = sum[i / packet_size][i % packet_size];
    moving(i) = sum[2 + i / packet_size][i % packet_size];
  }
}

DomainBody::Port::Barrier DomainBody::Port::barrier(double x) const {
  constexpr double strength = 0.3;  // of the energy that crushes it: more is a wall that steps run into
  if (x >= narrow) return {};
  const double c = strength * crush_energy, from = std::max(x, least), past = x - from;
  const double ratio = narrow / from, gap = ratio - 1.0;
  const double energy = c * gap * gap * gap, slope = -3.0 * c * gap * gap * ratio / from,
               curvature = 6.0 * c * gap * ratio * (ratio + gap) / (from * from);
  return {energy + past * (slope + 0.5 * past * curvature), slope + past * curvature, curvature};
}

Matrix6 InertiaTerms::rigid() const { return rigid_inertia(mass, first, rotational); }
Matrix6 MotionTerms::rigid() const { return rigid_inertia(mass, first, rotational); }

DomainBody::DomainBody(const DomainKind& kind) : kind_(&kind), rank_(kind.model.rank) {
  const DomainInertia& inertia = kind.inertia;
  shadow_ =
      0.25 * surface_area(kind.model.surface.mesh);  // Cauchy: a quarter of the surface, where it is convex
  first_rows_ = inertia.first_rows.transpose();
  center_ = {inertia.first / inertia.mass, first_rows_ / inertia.mass};
  second_rows_ = inertia.second_rows.transpose();
  second_pairs_.resize(9 * rank_, rank_);
  for (Index j = 0; j < rank_; ++j)
    second_pairs_.col(j) = inertia.second_pairs.middleCols(rank_ * j, rank_).transpose().reshaped();
  for (const InterfacePort& port : kind.ports) ports_.push_back(make_run_time_port(port));
  work_.tangent.setZero(rank_, rank_);
  work_.system.setZero(padded(rank_ + 7), rank_ + 7);
  moments_q_.setZero(9 * rank_);
  moments_v_.setZero(9 * rank_);
  reach_ = std::sqrt(std::max(0.0, inertia.second.trace() - inertia.first.squaredNorm() / inertia.mass));
  if (rank_ == 0) return;
  equations_ = make_equations(kind.model);
  mass_ = equations_.mass;
  if (equations_.elastic.quartic() != nullptr)
    batch_.emplace(rank_, energy_coefficients(kind.model, kind.model.materials(), rank_));
  ElasticWorkspace work;
  Vector force(rank_);
  rest_stiffness_.resize(rank_, rank_);
  equations_.elastic.evaluate(Vector::Zero(rank_), work, force, rest_stiffness_);
  rest_stiffness_ = 0.5 * (rest_stiffness_ + rest_stiffness_.transpose()).eval();
  work_.tangent = rest_stiffness_;
  work_.positive.take(work_.tangent);  // its memory
  for (Port& port : ports_) port.crush_energy = crush_energy_of(port, rest_stiffness_);
  if (const Cubature* cubature = equations_.elastic.cubature()) {
    energy_rounding_ = 8.0 * std::numeric_limits<double>::epsilon() * rest_stiffness_.norm() *
                       cubature->reach() * cubature->reach();
  }
}

void DomainBody::inertia(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v,
                         const Vector3& w, double scale, InertiaTerms& terms) {
  using Vector9 = Eigen::Matrix<double, 9, 1>;
  const DomainInertia& data = kind_->inertia;
  const double s3 = scale * scale * scale, s4 = s3 * scale, s5 = s4 * scale;
  terms.mass = s3 * data.mass;
  terms.first = s4 * data.first;
  Matrix3 second = data.second, flow = Matrix3::Zero();
  Vector3 momentum = Vector3::Zero();
  if (rank_ > 0) {
    moments_q_.noalias() = second_pairs_ * q;
    moments_v_.noalias() = second_pairs_ * v;
    Eigen::Map<MatrixX9> N(moments_q_.data(), rank_, 9);              // integral of rho U_i x^T, x = X + u
    const Eigen::Map<const MatrixX9> Z(moments_v_.data(), rank_, 9);  // of rho U_i (u')^T
    const Vector9 pairs = N.transpose() * q, rows = second_rows_.transpose() * q;
    second += by_columns(pairs) + by_columns(rows) + by_columns(rows).transpose();
    N += second_rows_;
    terms.first.noalias() += s4 * (first_rows_.transpose() * q);
    momentum.noalias() = s4 * (first_rows_.transpose() * v);
    const Vector9 stream = N.transpose() * v;
    flow = by_columns(stream);  // of rho u' x^T

    terms.coupling.resize(rank_, 6);
    terms.coupling.leftCols<3>() = s4 * first_rows_;
    axial_columns(N, terms.coupling.rightCols<3>());
    terms.coupling.rightCols<3>() *= s5;

    const Matrix3 centrifugal = w * w.transpose() - w.squaredNorm() * Matrix3::Identity();
    const Vector9 weights = s5 * Eigen::Map<const Vector9>(centrifugal.data());
    terms.bias_q.noalias() = N * weights;
    const Vector3 twice = 2.0 * s5 * w;
    terms.bias_q += twice.x() * (Z.col(5) - Z.col(7)) + twice.y() * (Z.col(6) - Z.col(2)) +
                    twice.z() * (Z.col(1) - Z.col(3));
  } else {
    terms.coupling.resize(0, 6);
    terms.bias_q.resize(0);
  }
  terms.rotational = s5 * (second.trace() * Matrix3::Identity() - second);
  terms.bias.head<3>() = w.cross(w.cross(terms.first)) + 2.0 * w.cross(momentum);
  terms.bias.tail<3>() = w.cross(terms.rotational * w) + 2.0 * s5 * (flow.trace() * w - flow * w);
}

void DomainBody::motion(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, double scale,
                        MotionTerms& terms) {
  using Vector9 = Eigen::Matrix<double, 9, 1>;
  const DomainInertia& data = kind_->inertia;
  const double s3 = scale * scale * scale, s4 = s3 * scale, s5 = s4 * scale;
  terms.mass = s3 * data.mass;
  terms.first = s4 * data.first;
  terms.momentum.setZero();
  terms.energy = 0.0;
  Matrix3 second = data.second;
  if (rank_ > 0) {
    moments_q_.noalias() = second_pairs_ * q;
    Eigen::Map<MatrixX9> N(moments_q_.data(), rank_, 9);
    const Vector9 pairs = N.transpose() * q, rows = second_rows_.transpose() * q;
    second += by_columns(pairs) + by_columns(rows) + by_columns(rows).transpose();
    const Vector9 stream = N.transpose() * v + second_rows_.transpose() * v;  // of rho u' x^T
    terms.first.noalias() += s4 * (first_rows_.transpose() * q);
    terms.momentum.head<3>().noalias() = s4 * (first_rows_.transpose() * v);
    terms.momentum.tail<3>() = s5 * axial(by_columns(stream));
    terms.energy = 0.5 * s5 * v.dot(mass_.lazyProduct(v));
  }
  terms.rotational = s5 * (second.trace() * Matrix3::Identity() - second);
}

}  // namespace limber
