#include "limber/body/lump_inertia.hpp"

#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/multidomain/interface_frame.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <utility>

namespace limber {
namespace {

/// Second moments of the lumps as a share of those of the body below which a direction counts as flat: these
/// lumps are in one plane, or on one line.
constexpr double flat_share = 1e-9;

/// S: takes second moments `lumps` to ones that are nowhere larger than `exact`, and leaves them where they
/// are less.
Matrix3 contraction(const Matrix3& lumps, const Matrix3& exact) {
  const SymmetricEigen3 axes = symmetric_eigen3(lumps);
  const Vector3 spread = (axes.values.array().max(0.0) + flat_share * exact.trace()).sqrt();
  const Matrix3 to_unit = spread.cwiseInverse().asDiagonal() * axes.vectors.transpose();
  const Matrix3 from_unit = axes.vectors * spread.asDiagonal();
  const Matrix3 relative = to_unit * exact * to_unit.transpose();
  const SymmetricEigen3 ratio = symmetric_eigen3(relative);
  const Vector3 factor = ratio.values.cwiseMax(0.0).cwiseMin(1.0).cwiseSqrt();
  return from_unit * ratio.vectors * factor.asDiagonal() * ratio.vectors.transpose() * to_unit;
}

Matrix3 second_moments(const Matrix3X& places, const Vector& mass) {
  Matrix3 sum = Matrix3::Zero();
  for (Index i = 0; i < mass.size(); ++i) sum += mass(i) * places.col(i) * places.col(i).transpose();
  return sum;
}

/// A of the body at rest, for the coordinates of the model: 3 x r.
Matrix3X exact_swirl(const Inertia& inertia, const Vector3& center) {
  Matrix3X rows(3, inertia.first_rows.cols());
  for (Index i = 0; i < rows.cols(); ++i) {
    const Matrix3 moment = inertia.second_rows.col(i).reshaped(3, 3);  // integral of rho U_i X^T
    rows.col(i) = axial(moment) - center.cross(Vector3(inertia.first_rows.col(i)));
  }
  return rows;
}

Matrix3 inertia_about_center(const Matrix3& second) { return second.trace() * Matrix3::Identity() - second; }

}  // namespace

LumpInertia::LumpInertia(const WarpedEquations& equations, const Inertia& inertia) {
  auto data = std::make_shared<Data>();
  data->mass = inertia.mass;
  data->center = inertia.first / inertia.mass;
  data->lump_mass = equations.lump_mass;
  data->moments = equations.moments;
  data->rotations = equations.rotations;
  const Matrix3 exact = inertia.second - inertia.mass * data->center * data->center.transpose();
  const Matrix3X places = equations.centers.colwise() - data->center;
  data->places = contraction(second_moments(places, equations.lump_mass), exact) * places;
  data->lacking = exact - second_moments(data->places, equations.lump_mass);
  data->unseen_swirl = exact_swirl(inertia, data->center) * equations.shapes;
  for (Index i = 0; i < equations.lumps(); ++i)
    data->unseen_swirl -= cross_matrix(data->places.col(i)) * equations.moments.middleRows<3>(3 * i);
  data_ = std::move(data);
  for (Vector* memory : {&turns_, &moments_, &turn_rates_, &moment_rates_})
    memory->setZero(3 * equations.lumps());
  moving_.setZero(3, equations.modes());
}

WarpedEquations LumpInertia::about_center(WarpedEquations equations) const {
  equations.centers = data_->places;
  return equations;
}

LumpSums LumpInertia::at(const Vector& q) const { return sum(q, nullptr); }
LumpSums LumpInertia::at(const Vector& q, const Vector& v) const { return sum(q, &v); }

LumpSums LumpInertia::sum(const Vector& q, const Vector* v) const {
  turns_.noalias() = data_->rotations * q;
  moments_.noalias() = data_->moments * q;
  if (v != nullptr) {
    turn_rates_.noalias() = data_->rotations * *v;
    moment_rates_.noalias() = data_->moments * *v;
  }
  LumpSums result;
  Matrix3 second = data_->lacking;
  for (Index i = 0; i < data_->lump_mass.size(); ++i) {
    const double mass = data_->lump_mass(i);
    const Vector3 w = turns_.segment<3>(3 * i), y = moments_.segment<3>(3 * i);
    const RotationFactors<double> factors = rotation_factors(w.squaredNorm());
    const Vector3 once = w.cross(y), twice = w.cross(once);
    const Vector3 moved = y + factors.cosine * once + factors.mean * twice;  // mass times u
    const Vector3 place = data_->places.col(i) + moved / mass;
    result.shift += moved;
    second += mass * place * place.transpose();
    if (v == nullptr) continue;
    // d/dt of R~(w) y.
    const Vector3 w_rate = turn_rates_.segment<3>(3 * i), y_rate = moment_rates_.segment<3>(3 * i);
    const RotationSlopes slopes = rotation_slopes(w.squaredNorm(), factors);
    const Vector3 across = w.cross(y_rate);
    const double along = 2.0 * w.dot(w_rate);
    const Vector3 moving =
        y_rate + factors.cosine * (across + w_rate.cross(y)) +
        factors.mean * (w.cross(across) + w.dot(y) * w_rate + y.dot(w_rate) * w - along * y) +
        along * (slopes.cosine * once + slopes.mean * twice);
    result.drift += moving;
    result.swirl += place.cross(moving);
  }
  result.shift /= data_->mass;
  result.drift /= data_->mass;
  second -= data_->mass * result.shift * result.shift.transpose();
  result.inertia = inertia_about_center(second);
  result.inverse = result.inertia.inverse();
  if (v != nullptr) {
    result.swirl -= data_->mass * result.shift.cross(result.drift);
    result.swirl.noalias() += data_->unseen_swirl * *v;
  }
  return result;
}

void LumpInertia::rows(const Vector& q, Matrix3X& drift, Matrix3X& swirl) const {
  const Vector3 shift = at(q).shift;  // which leaves turns_ and moments_
  drift.setZero(3, q.size());
  swirl = data_->unseen_swirl;
  for (Index i = 0; i < data_->lump_mass.size(); ++i) {
    const Vector3 w = turns_.segment<3>(3 * i), y = moments_.segment<3>(3 * i);
    const Matrix3 turned = mean_rotation(w), turning = mean_rotation_derivative(w, y);
    moving_.noalias() = turned.lazyProduct(data_->moments.middleRows<3>(3 * i));
    moving_.noalias() += turning.lazyProduct(data_->rotations.middleRows<3>(3 * i));
    const Vector3 arm = data_->places.col(i) + turned * y / data_->lump_mass(i) - shift;
    drift += moving_;
    swirl.noalias() += cross_matrix(arm).lazyProduct(moving_);
  }
  drift /= data_->mass;
}

}  // namespace limber
