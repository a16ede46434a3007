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
  friend Lanes cross(const Lanes& a, const Lanes& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

/// As RotationFactors.
struct LumpLoads::Factors {
  Lane sine, cosine, mean;
};

LumpLoads::Factors LumpLoads::factors_of(const Lanes& w) {
  const Lane squared = w.x * w.x + w.y * w.y + w.z * w.z;
  Factors result;
  if ((squared < 4.0).all()) {
    // The series of rotation_factors(), for all lanes at once.
    const auto series = [&](int n) {
      Lane sum = Lane::Ones();
      for (int k = n + 18; k >= n; k -= 2) sum = 1.0 - (squared * (1.0 / (k * (k + 1)))) * sum;
      return sum;
    };
    result.mean = series(4) * (1.0 / 6.0);
    result.cosine = series(3) * 0.5;
    result.sine = 1.0 - squared * result.mean;
    return result;
  }
  for (int i = 0; i < lanes; ++i) {
    const auto [sine, cosine, mean] = rotation_factors(squared(i));
    result.sine(i) = sine;
    result.cosine(i) = cosine;
    result.mean(i) = mean;
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

/// In the local frames.
LumpLoads::Lanes LumpLoads::acceleration(const LumpMotion& motion, Index group, const Vector& q,
                                         const Vector& v) const {
  const Index rotations = 6 * modes_ * group, moments = rotations + 3 * modes_;
  const Columns& rest = data_->rest;
  const Lane inverse_mass = rest.col(4 * group + 3);
  const Lanes w = motion.warp ? product(rotations, q) : Lanes::all(Vector3::Zero());
  const Factors factors = factors_of(w);
  Lanes a = Lanes::all(motion.uniform);
  if (!motion.spin.isZero(0.0) || !motion.spin_up.isZero(0.0)) {
    const Lanes spin = Lanes::all(motion.spin), u = inverse_mass * product(moments, q);
    const Lanes wu = cross(w, u),
                center{rest.col(4 * group), rest.col(4 * group + 1), rest.col(4 * group + 2)};
    const Lanes x = center + u + factors.cosine * wu + factors.mean * cross(w, wu);
    a = a - cross(Lanes::all(motion.spin_up), x) - cross(spin, cross(spin, x));
  }
  const bool gyroscopic = motion.gyroscopic();
  const Lanes velocity =
      gyroscopic ? inverse_mass * product(moments, v) : Lanes::all(Vector3::Zero());  // in the local frames
  if (gyroscopic) {
    const Lanes wv = cross(w, velocity);
    const Lanes turned = velocity + factors.sine * wv + factors.cosine * cross(w, wv);
    a = a - cross(Lanes::all(2.0 * motion.spin), turned);
  }
  const Lanes wa = cross(w, a);
  Lanes local = a - factors.sine * wa + factors.cosine * cross(w, wa);
  if (motion.coriolis) {
    const Lanes rate = product(rotations, v), wr = cross(w, rate);
    const Lanes spin = rate - factors.cosine * wr + factors.mean * cross(w, wr);
    local = local - cross(spin, velocity);
  }
  return local;
}

void LumpLoads::add(const LumpMotion& motion, const Vector& q, const Vector& v, Vector& load) const {
  if (motion.none()) return;
  const Columns& field = data_->field;
  const Index groups = data_->rest.cols() / 4;
  sums_.setZero();
  for (Index group = 0; group < groups; ++group) {
    const Lanes a = acceleration(motion, group, q, v);
    const Index moments = 6 * modes_ * group + 3 * modes_;
    for (Index k = 0; k < modes_; ++k) {
      const Index column = moments + 3 * k;
      sums_.col(k) += a.x * field.col(column) + a.y * field.col(column + 1) + a.z * field.col(column + 2);
    }
  }
  for (Index k = 0; k < modes_; ++k) load(k) += sums_.col(k).sum();
}

}  // namespace limber
