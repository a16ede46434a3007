#include "limber/warp/lump_loads.hpp"

#include "limber/warp/rotation.hpp"

#include <utility>

namespace limber {

/// A vector per lump of a group.
struct LumpLoads::Lanes {
  Lane x, y, z;

  static Lanes all(const Vector3& value) {
    return {Lane::Constant(value.x()), Lane::Constant(value.y()), Lane::Constant(value.z())};
  }
  friend Lanes operator+(const Lanes& a, const Lanes& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Lanes operator*(const Lane& s, const Lanes& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Lane dot(const Lanes& a, const Lanes& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Lanes cross(const Lanes& a, const Lanes& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

/// As RotationFactors, with derivatives of two of them by t^2.
struct LumpLoads::Factors {
  Lane sine, cosine, mean;
  Lane cosine_slope, mean_slope;
};

LumpLoads::Factors LumpLoads::factors_of(const Lanes& w) {
  const Lane squared = dot(w, w);
  Factors result;
  const double largest = squared.maxCoeff();
  if (largest < 4.0) {
    // The series of rotation_factors() and of its derivatives, for all lanes at once: to rounding by so many
    // terms.
    const int terms = largest < 0.25 ? 7 : 10;
    const auto series = [&](int n) {
      Lane sum = Lane::Ones();
      for (int k = n + 2 * terms - 2; k >= n; k -= 2) sum = 1.0 - (squared * (1.0 / (k * (k + 1)))) * sum;
      return sum;
    };
    const auto slope_series = [&](int n) {
      Lane sum = Lane::Ones();
      for (int k = terms + 2; k >= 1; --k)
        sum = 1.0 - (squared * ((k + 1) / (k * (n + 2.0 * k + 1) * (n + 2.0 * k + 2)))) * sum;
      return sum;
    };
    result.mean = series(4) * (1.0 / 6.0);
    result.cosine = series(3) * 0.5;
    result.sine = 1.0 - squared * result.mean;
    result.cosine_slope = slope_series(2) * (-1.0 / 24.0);
    result.mean_slope = slope_series(3) * (-1.0 / 120.0);
    return result;
  }
  for (int i = 0; i < lanes; ++i) {
    const RotationFactors<double> factors = rotation_factors(squared(i));
    const RotationSlopes slopes = rotation_slopes(squared(i), factors);
    result.sine(i) = factors.sine;
    result.cosine(i) = factors.cosine;
    result.mean(i) = factors.mean;
    result.cosine_slope(i) = slopes.cosine;
    result.mean_slope(i) = slopes.mean;
  }
  return result;
}

LumpLoads::LumpLoads(const WarpedEquations& equations) : modes_(equations.modes()) {
  const Index lumps = equations.lumps(), groups = (lumps + lanes - 1) / lanes;
  auto data = std::make_shared<Data>();
  data->field.setZero(lanes, groups * 6 * modes_);  // lanes without a lump have no moment
  data->rest.setZero(lanes, groups * 4);
  for (Index i = 0; i < lumps; ++i) {
    const Index group = i / lanes, lane = i % lanes;
    for (Index k = 0; k < modes_; ++k) {
      for (Index c = 0; c < 3; ++c) {
        const Index column = 3 * (group * 2 * modes_ + k) + c;
        data->field(lane, column) = equations.rotations(3 * i + c, k);
        data->field(lane, column + 3 * modes_) = equations.moments(3 * i + c, k);
      }
    }
    for (Index c = 0; c < 3; ++c) data->rest(lane, 4 * group + c) = equations.centers(c, i);
    data->rest(lane, 4 * group + 3) = 1.0 / equations.lump_mass(i);
  }
  data_ = std::move(data);
  sums_.setZero(lanes, modes_);
}

/// Of what starts at this column of the field with amplitudes of the modes.
LumpLoads::Lanes LumpLoads::product(Index first, const Vector& amplitudes) const {
  const Columns& field = data_->field;
  Lane x = Lane::Zero(), y = Lane::Zero(), z = Lane::Zero();
  for (Index k = 0; k < modes_; ++k) {
    const double amplitude = amplitudes(k);
    x += amplitude * field.col(first + 3 * k);
    y += amplitude * field.col(first + 3 * k + 1);
    z += amplitude * field.col(first + 3 * k + 2);
  }
  return {x, y, z};
}

/// sums_ += the transpose of what starts at this column, times a force.
void LumpLoads::add_product(Index first, const Lanes& force) const {
  const Columns& field = data_->field;
  for (Index k = 0; k < modes_; ++k) {
    const Index column = first + 3 * k;
    sums_.col(k) +=
        force.x * field.col(column) + force.y * field.col(column + 1) + force.z * field.col(column + 2);
  }
}

/// sums_ += mass J^T a of a group. Returns its potential energy.
double LumpLoads::add_group(const LumpMotion& motion, Index group, const Vector& q, const Vector& v) const {
  const Index rotations = 6 * modes_ * group, moments = rotations + 3 * modes_;
  const Columns& rest = data_->rest;
  const Lane inverse_mass = rest.col(4 * group + 3);
  const Lanes w = motion.warp ? product(rotations, q) : Lanes::all(Vector3::Zero());
  const Factors factors = factors_of(w);
  // In this function displacements are mass times those of the lumps: y = moments q, u = R~(w) y.
  const Lanes y = product(moments, q), once = cross(w, y), twice = cross(w, once);
  const Lanes u = y + factors.cosine * once + factors.mean * twice;
  const Lane wy = dot(w, y);
  Lanes a = Lanes::all(motion.uniform);
  double potential = -dot(a, u).sum();
  if (!motion.spin.isZero(0.0) || !motion.spin_up.isZero(0.0)) {
    const Lanes spin = Lanes::all(motion.spin);
    const Lanes center{rest.col(4 * group), rest.col(4 * group + 1), rest.col(4 * group + 2)};
    const Lanes x = center + inverse_mass * u, turning = cross(spin, x);
    // Lanes without a lump have an inverse mass of 0, and no y.
    potential -= 0.5 * (inverse_mass > 0.0).select(dot(turning, turning) / inverse_mass, 0.0).sum();
    a = a - cross(Lanes::all(motion.spin_up), x) - cross(spin, turning);
  }
  const Lanes moving = motion.gyroscopic() ? product(moments, v) : Lanes::all(Vector3::Zero());
  const Lanes rate = motion.gyroscopic() && motion.warp ? product(rotations, v) : Lanes::all(Vector3::Zero());
  if (motion.gyroscopic() && !motion.spin.isZero(0.0)) {
    const Lanes w_moving = cross(w, moving);
    const Lanes velocity = moving + factors.cosine * w_moving + factors.mean * cross(w, w_moving) +
                           factors.cosine * cross(rate, y) +
                           factors.mean * (wy * rate + dot(y, rate) * w - 2.0 * dot(w, rate) * y) +
                           (2.0 * dot(w, rate)) * (factors.cosine_slope * once + factors.mean_slope * twice);
    a = a - inverse_mass * cross(Lanes::all(2.0 * motion.spin), velocity);
  }
  const Lanes wa = cross(w, a);
  Lanes local = a - factors.cosine * wa + factors.mean * cross(w, wa);  // R~^T a
  if (motion.coriolis) {
    const Lanes wr = cross(w, rate);
    const Lanes spin = rate - factors.cosine * wr + factors.mean * cross(w, wr);
    local = local - inverse_mass * cross(spin, moving);
  }
  add_product(moments, local);
  if (motion.warp) {
    // d(a . R~ y)/dw, as mean_rotation_derivative() has it.
    const Lane along = factors.cosine_slope * dot(a, once) + factors.mean_slope * dot(a, twice);
    add_product(rotations, factors.cosine * cross(y, a) +
                               factors.mean * (wy * a + dot(w, a) * y - 2.0 * dot(y, a) * w) +
                               (2.0 * along) * w);
  }
  return potential;
}

double LumpLoads::add(const LumpMotion& motion, const Vector& q, const Vector& v, Vector& load) const {
  if (motion.none()) return 0.0;
  const Index groups = data_->rest.cols() / 4;
  double potential = 0.0;
  sums_.setZero();
  for (Index group = 0; group < groups; ++group) potential += add_group(motion, group, q, v);
  for (Index k = 0; k < modes_; ++k) load(k) += sums_.col(k).sum();
  return potential;
}

}  // namespace limber
