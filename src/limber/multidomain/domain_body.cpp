#include "limber/multidomain/domain_body.hpp"

#include "limber/linalg/symmetric_solve.hpp"
#include "limber/multidomain/elimination.hpp"
#include "limber/multidomain/interface_frame.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace limber {
namespace {

// The integral N of rho U_i x^T has nine entries (a, b) for each coordinate i, number a + 3 b where it is
// kept by columns. All that inertia asks for are these combinations of them, a column each:
//
//   0 to 2   x cross U_i:   (2,1) - (1,2),   (0,2) - (2,0),   (1,0) - (0,1)
//   3 to 5   the diagonal:  (0,0),           (1,1),           (2,2)
//   6 to 8   the sums:      (2,1) + (1,2),   (0,2) + (2,0),   (1,0) + (0,1)
//
// Velocities ask for the first three alone. Those of pairs of coordinates are read in the order of memory, in
// blocks of rows that stay in registers for all columns.

constexpr Index axial_block = 3, other_block = 6;  ///< packets of rows: of the first three, of the others

template <class Entries, class Result>
void combine(const Entries& entries, Result&& result) {
  result.col(0) = entries.col(5) - entries.col(7);
  result.col(1) = entries.col(6) - entries.col(2);
  result.col(2) = entries.col(1) - entries.col(3);
  for (int a = 0; a < 3; ++a) result.col(3 + a) = entries.col(4 * a);
  result.col(6) = entries.col(5) + entries.col(7);
  result.col(7) = entries.col(6) + entries.col(2);
  result.col(8) = entries.col(1) + entries.col(3);
}

/// The matrix whose combinations these are.
Matrix3 separated(const std::array<double, 9>& sums) {
  Matrix3 result;
  for (int a = 0; a < 3; ++a) {
    const auto i = static_cast<std::size_t>(a);
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    result(a, a) = sums[3 + i];
    result(c, b) = 0.5 * (sums[6 + i] + sums[i]);
    result(b, c) = 0.5 * (sums[6 + i] - sums[i]);
  }
  return result;
}

/// x^T (a + factor b), of columns of whole packets.
template <int count>
std::array<double, count> products(const double* a, const double* b, double factor, const Vector& x) {
  Packet sum[count] = {};
  for (Index i = 0; i < x.size(); i += packet_size) {
    const Packet values = load_packet(x.data() + i);
    for (int k = 0; k < count; ++k) {
      const Index at = k * x.size() + i;
      sum[k] += (load_packet(a + at) + factor * load_packet(b + at)) * values;
    }
  }
  std::array<double, count> result;
  for (int k = 0; k < count; ++k) result[static_cast<std::size_t>(k)] = sum_lanes(sum[k]);
  return result;
}

/// The symmetric matrix of  x^T (pairs + 2 rows): second moments of a displacement, with those of rest.
Matrix3 second_of(const MatrixX9& pairs, const MatrixX9& rows, const Vector& x) {
  const std::array<double, 6> sums = products<6>(&pairs(0, 3), &rows(0, 3), 2.0, x);
  return separated({0.0, 0.0, 0.0, sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]});
}

/// rows^T x.
Vector3 times(const MatrixX3& rows, const Vector& x) {
  const std::array<double, 3> sums = products<3>(rows.data(), rows.data(), 0.0, x);
  return {sums[0], sums[1], sums[2]};
}

/// A block of rows of second_pairs times one vector, or two.
template <int packets>
void multiply_block(const double* block, const Vector& x, Index r, double* y) {
  Packet sum[packets] = {};
  for (Index j = 0; j < r; ++j, block += packets * packet_size)
    for (int k = 0; k < packets; ++k) sum[k] += x(j) * load_packet(block + k * packet_size);
  for (int k = 0; k < packets; ++k) store_packet(y + k * packet_size, sum[k]);
}
template <int packets>
void multiply_block(const double* block, const Vector& x, const Vector& x2, Index r, double* y, double* y2) {
  Packet sum[packets] = {}, sum2[packets] = {};
  for (Index j = 0; j < r; ++j, block += packets * packet_size) {
    for (int k = 0; k < packets; ++k) {
      const Packet values = load_packet(block + k * packet_size);
      sum[k] += x(j) * values;
      sum2[k] += x2(j) * values;
    }
  }
  for (int k = 0; k < packets; ++k) store_packet(y + k * packet_size, sum[k]);
  for (int k = 0; k < packets; ++k) store_packet(y2 + k * packet_size, sum2[k]);
}

/// second_pairs of DomainBody::Data from those of the part, of r coordinates.
Vector in_blocks(const Matrix& second_pairs, Index r) {
  const Index rows = padded(r), axial = 3 * rows;
  Vector result(9 * rows * r);
  MatrixX9 column = MatrixX9::Zero(rows, 9);
  for (Index j = 0; j < r; ++j) {
    combine(second_pairs.middleCols(r * j, r).transpose(), column.topRows(r));
    for (Index i = 0; i < column.size(); i += packet_size) {
      const Index begin = i < axial ? 0 : axial,
                  width = packet_size * (i < axial ? axial_block : other_block);
      const Index block = (i - begin) / width, at = (i - begin) % width;
      result.segment<packet_size>(begin * r + (block * r + j) * width + at) =
          column.reshaped().segment<packet_size>(i);
    }
  }
  return result;
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
  data.first_rows.setZero(padded(r), 3);
  data.first_rows.topRows(r) = inertia.first_rows.transpose();
  data.center = {inertia.first / inertia.mass, inertia.first_rows.transpose() / inertia.mass};
  data.second_rows.setZero(padded(r), 9);
  combine(inertia.second_rows.transpose(), data.second_rows.topRows(r));
  data.second_pairs = in_blocks(inertia.second_pairs, r);
  for (const InterfacePort& port : part.ports) data.ports.push_back(make_run_time_port(port, r));
  data.reach = std::sqrt(std::max(0.0, inertia.second.trace() - inertia.first.squaredNorm() / inertia.mass));
  data.rest_stiffness.resize(r, r);
  if (r == 0) return data;
  data.equations = make_equations(part.model, settings.materials, r);
  if (settings.linear) data.equations = linearized(data.equations);
  data.unit_mass = data.equations.mass.isIdentity(0.0);
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
  for (Vector* vector : {&q_, &v_, &work_.terms.bias_q}) vector->setZero(padded(r));
  moments_.setZero(padded(r), 9);
  rates_.setZero(padded(r), 3);
  work_.terms.coupling.setZero(padded(r), 6);
  if (r > 0) work_.positive.take(work_.tangent);  // its memory
}

/// The moments of q, and their rates with v where they are asked for.
void DomainBody::take_moments(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v,
                              bool with_rates) {
  const Index r = rank(), axial = 3 * q_.size(), all = 9 * q_.size();
  q_.head(r) = q;
  v_.head(r) = v;
  const double* block = data_->second_pairs.data();
  for (Index i = 0; i < axial; i += axial_block * packet_size, block += axial_block * packet_size * r) {
    if (with_rates) {
      multiply_block<axial_block>(block, q_, v_, r, moments_.data() + i, rates_.data() + i);
    } else {
      multiply_block<axial_block>(block, q_, r, moments_.data() + i);
    }
  }
  for (Index i = axial; i < all; i += other_block * packet_size, block += other_block * packet_size * r)
    multiply_block<other_block>(block, q_, r, moments_.data() + i);
}

namespace {

/// What of InertiaTerms is one number per coordinate, from the moments N = pairs + rows and their rates.
void fill_coordinates(const MatrixX9& pairs, const MatrixX9& rows, const MatrixX3& rates, const Vector3& w,
                      double factor, InertiaTerms& terms) {
  const Matrix3 centrifugal = factor * (w * w.transpose() - w.squaredNorm() * Matrix3::Identity());
  const double weights[6] = {centrifugal(0, 0), centrifugal(1, 1), centrifugal(2, 2),
                             centrifugal(2, 1), centrifugal(0, 2), centrifugal(1, 0)};
  const Vector3 twice = 2.0 * factor * w;
  for (Index i = 0; i < pairs.rows(); i += packet_size) {
    const auto moments = [&](int k) { return load_packet(&pairs(i, k)) + load_packet(&rows(i, k)); };
    Packet bias{};
    for (int k = 0; k < 3; ++k) {
      store_packet(&terms.coupling(i, 3 + k), factor * moments(k));
      bias += twice(k) * load_packet(&rates(i, k));
    }
    for (int k = 0; k < 6; ++k) bias += weights[k] * moments(3 + k);
    store_packet(&terms.bias_q(i), bias);
  }
}

}  // namespace

void DomainBody::inertia(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v,
                         const Vector3& w, double scale, InertiaTerms& terms) {
  const Inertia& data = data_->inertia;
  const double s3 = scale * scale * scale, s4 = s3 * scale, s5 = s4 * scale;
  terms.mass = s3 * data.mass;
  terms.first = s4 * data.first;
  terms.coupling.resize(q_.size(), 6);
  terms.bias_q.resize(q_.size());
  Matrix3 second = data.second, flow = Matrix3::Zero();  // flow: the integral of rho u' x^T
  Vector3 momentum = Vector3::Zero();
  if (rank() > 0) {
    take_moments(q, v, true);
    const MatrixX9& rows = data_->second_rows;
    second += second_of(moments_, rows, q_);
    flow = separated(products<9>(moments_.data(), rows.data(), 1.0, v_));
    terms.first += s4 * times(data_->first_rows, q_);
    momentum = s4 * times(data_->first_rows, v_);
    terms.coupling.leftCols<3>() = s4 * data_->first_rows;
    fill_coordinates(moments_, rows, rates_, w, s5, terms);
  }
  terms.rotational = s5 * (second.trace() * Matrix3::Identity() - second);
  terms.bias.head<3>() = w.cross(w.cross(terms.first)) + 2.0 * w.cross(momentum);
  terms.bias.tail<3>() = w.cross(terms.rotational * w) + 2.0 * s5 * (flow.trace() * w - flow * w);
}

void DomainBody::motion(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, double scale,
                        MotionTerms& terms) {
  const Inertia& data = data_->inertia;
  const double s3 = scale * scale * scale, s4 = s3 * scale, s5 = s4 * scale;
  terms.mass = s3 * data.mass;
  terms.first = s4 * data.first;
  terms.momentum.setZero();
  terms.energy = 0.0;
  Matrix3 second = data.second;
  if (rank() > 0) {
    take_moments(q, v, false);
    const MatrixX9& rows = data_->second_rows;
    second += second_of(moments_, rows, q_);
    const std::array<double, 3> swirl = products<3>(moments_.data(), rows.data(), 1.0, v_);
    terms.first += s4 * times(data_->first_rows, q_);
    terms.momentum.head<3>() = s4 * times(data_->first_rows, v_);
    terms.momentum.tail<3>() = s5 * Vector3(swirl[0], swirl[1], swirl[2]);
    terms.energy = 0.5 * s5 * (has_unit_mass() ? v.squaredNorm() : v.dot(mass().lazyProduct(v)));
  }
  terms.rotational = s5 * (second.trace() * Matrix3::Identity() - second);
}

}  // namespace limber
