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

DomainBody::Port make_run_time_port(const InterfacePort& port, Index rank) {
  DomainBody::Port result{&port,
                          port.center_rows.leftCols(rank).transpose(),
                          port.covariance_rows.leftCols(rank).transpose(),
                          {}};
  result.columns.setZero(16, rank);
  result.columns.topRows<9>() = port.covariance_rows.leftCols(rank);
  result.columns.middleRows<3>(9) = port.center_rows.leftCols(rank);
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

DomainBody::Data DomainBody::make_data(const ReducedPart& part, const PartSettings& settings, Index uses) {
  const Index r = settings.rank;
  Data data;
  data.part = &part;
  data.rank = r;
  data.inertia = inertia_of(part.model, settings.materials, r);
  const Inertia& inertia = data.inertia;
  data.shadow = 0.25 * surface_area(part.model.surface.mesh);  // Cauchy: of the surface, where it is convex
  data.first_rows = inertia.first_rows.transpose();
  data.center = {inertia.first / inertia.mass, data.first_rows / inertia.mass};
  data.second_rows = inertia.second_rows.transpose();
  data.second_pairs.resize(9 * r, r);
  for (Index j = 0; j < r; ++j)
    data.second_pairs.col(j) = inertia.second_pairs.middleCols(r * j, r).transpose().reshaped();
  for (const InterfacePort& port : part.ports) data.ports.push_back(make_run_time_port(port, r));
  data.reach = std::sqrt(std::max(0.0, inertia.second.trace() - inertia.first.squaredNorm() / inertia.mass));
  data.rest_stiffness.resize(r, r);
  if (r == 0) return data;
  data.equations = make_equations(part.model, settings.materials, r);
  if (settings.linear) data.equations = linearized(data.equations);
  if (uses >= least_batch && data.equations.elastic.quartic() != nullptr)
    data.batch.emplace(r, energy_coefficients(part.model, settings.materials, r));
  ElasticWorkspace work;
  Vector force(r);
  data.equations.elastic.evaluate(Vector::Zero(r), work, force, data.rest_stiffness);
  data.rest_stiffness = 0.5 * (data.rest_stiffness + data.rest_stiffness.transpose()).eval();
  for (Port& port : data.ports) port.crush_energy = crush_energy_of(port, data.rest_stiffness);
  if (const Cubature* cubature = data.equations.elastic.cubature()) {
    data.energy_rounding = 8.0 * std::numeric_limits<double>::epsilon() * data.rest_stiffness.norm() *
                           cubature->reach() * cubature->reach();
  }
  return data;
}

DomainBody::DomainBody(const ReducedPart& part, const PartSettings& settings, Index uses)
    : data_(std::make_shared<const Data>(make_data(part, settings, uses))) {
  const Index r = rank();
  work_.tangent = data_->rest_stiffness;
  work_.system.setZero(padded(r + 7), r + 7);
  moments_q_.setZero(9 * r);
  moments_v_.setZero(9 * r);
  if (r > 0) work_.positive.take(work_.tangent);  // its memory
}

void DomainBody::inertia(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v,
                         const Vector3& w, double scale, InertiaTerms& terms) {
  using Vector9 = Eigen::Matrix<double, 9, 1>;
  const Inertia& data = data_->inertia;
  const Index r = rank();
  const double s3 = scale * scale * scale, s4 = s3 * scale, s5 = s4 * scale;
  terms.mass = s3 * data.mass;
  terms.first = s4 * data.first;
  Matrix3 second = data.second, flow = Matrix3::Zero();
  Vector3 momentum = Vector3::Zero();
  if (r > 0) {
    moments_q_.noalias() = data_->second_pairs * q;
    moments_v_.noalias() = data_->second_pairs * v;
    Eigen::Map<MatrixX9> N(moments_q_.data(), r, 9);              // integral of rho U_i x^T, x = X + u
    const Eigen::Map<const MatrixX9> Z(moments_v_.data(), r, 9);  // of rho U_i (u')^T
    const Vector9 pairs = N.transpose() * q, rows = data_->second_rows.transpose() * q;
    second += by_columns(pairs) + by_columns(rows) + by_columns(rows).transpose();
    N += data_->second_rows;
    terms.first.noalias() += s4 * (data_->first_rows.transpose() * q);
    momentum.noalias() = s4 * (data_->first_rows.transpose() * v);
    const Vector9 stream = N.transpose() * v;
    flow = by_columns(stream);  // of rho u' x^T

    terms.coupling.resize(r, 6);
    terms.coupling.leftCols<3>() = s4 * data_->first_rows;
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
  const Inertia& data = data_->inertia;
  const Index r = rank();
  const double s3 = scale * scale * scale, s4 = s3 * scale, s5 = s4 * scale;
  terms.mass = s3 * data.mass;
  terms.first = s4 * data.first;
  terms.momentum.setZero();
  terms.energy = 0.0;
  Matrix3 second = data.second;
  if (r > 0) {
    moments_q_.noalias() = data_->second_pairs * q;
    Eigen::Map<MatrixX9> N(moments_q_.data(), r, 9);
    const Vector9 pairs = N.transpose() * q, rows = data_->second_rows.transpose() * q;
    second += by_columns(pairs) + by_columns(rows) + by_columns(rows).transpose();
    const Vector9 stream = N.transpose() * v + data_->second_rows.transpose() * v;  // of rho u' x^T
    terms.first.noalias() += s4 * (data_->first_rows.transpose() * q);
    terms.momentum.head<3>().noalias() = s4 * (data_->first_rows.transpose() * v);
    terms.momentum.tail<3>() = s5 * axial(by_columns(stream));
    terms.energy = 0.5 * s5 * v.dot(mass().lazyProduct(v));
  }
  terms.rotational = s5 * (second.trace() * Matrix3::Identity() - second);
}

}  // namespace limber
