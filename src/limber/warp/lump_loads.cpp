#include "limber/warp/lump_loads.hpp"

#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace limber {
namespace {

/// Lumps that are computed on together: as many as a register of the CPU has lanes. The sums below fill most
/// of the registers; in a wider vector they would be kept in memory.
#if defined(__AVX512F__)
constexpr Index lump_lanes = 8;
#elif defined(__AVX__)
constexpr Index lump_lanes = 4;
#else
constexpr Index lump_lanes = 2;
#endif
using Lanes = double __attribute__((vector_size(lump_lanes * sizeof(double))));

Lanes load_lanes(const double* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

/// A vector per lump of a group.
struct LaneVector {
  Lanes x, y, z;

  static LaneVector all(const Vector3& value) {
    return {Lanes{} + value.x(), Lanes{} + value.y(), Lanes{} + value.z()};
  }
  friend LaneVector operator+(const LaneVector& a, const LaneVector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend LaneVector operator-(const LaneVector& a, const LaneVector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend LaneVector operator*(const Lanes& s, const LaneVector& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Lanes dot(const LaneVector& a, const LaneVector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend LaneVector cross(const LaneVector& a, const LaneVector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

/// c and e of rotation.hpp, and their derivatives by t^2.
struct LaneFactors {
  Lanes cosine, mean;
  Lanes cosine_slope, mean_slope;
};

/// Coefficients of their series by powers of t^2.
struct FactorSeries {
  static constexpr int terms = 11;
  double cosine[terms], mean[terms], cosine_slope[terms], mean_slope[terms];
};

constexpr FactorSeries make_factor_series() {
  FactorSeries series{};
  double factor = 0.5;  // (-1)^k / (2 k + 2)!
  for (int k = 0; k < FactorSeries::terms; ++k) {
    series.cosine[k] = factor;
    series.mean[k] = factor / (2 * k + 3);
    factor /= -(2.0 * k + 3) * (2 * k + 4);
    series.cosine_slope[k] = (k + 1) * factor;
    series.mean_slope[k] = (k + 1) * factor / (2 * k + 5);
  }
  return series;
}

constexpr FactorSeries factor_series = make_factor_series();

/// By the first terms of the four series, side by side: one alone would wait for its own sums.
template <int terms>
LaneFactors sum_series(const Lanes& squared) {
  constexpr const FactorSeries& series = factor_series;
  LaneFactors sum{};
  for (int k = terms - 1; k >= 0; --k) {
    sum.cosine = sum.cosine * squared + series.cosine[k];
    sum.mean = sum.mean * squared + series.mean[k];
    sum.cosine_slope = sum.cosine_slope * squared + series.cosine_slope[k];
    sum.mean_slope = sum.mean_slope * squared + series.mean_slope[k];
  }
  return sum;
}

LaneFactors factors_at(const LaneVector& w) {
  const Lanes squared = dot(w, w);
  double largest = squared[0];
  for (Index i = 1; i < lump_lanes; ++i) largest = std::max(largest, squared[i]);
  // What comes after so many terms is below 2^-54 of the sums.
  if (largest < 0.25) return sum_series<7>(squared);
  if (largest < 4.0) return sum_series<FactorSeries::terms>(squared);
  LaneFactors result;
  for (Index i = 0; i < lump_lanes; ++i) {
    const RotationFactors<double> factors = rotation_factors(squared[i]);
    const RotationSlopes slopes = rotation_slopes(squared[i], factors);
    result.cosine[i] = factors.cosine;
    result.mean[i] = factors.mean;
    result.cosine_slope[i] = slopes.cosine;
    result.mean_slope[i] = slopes.mean;
  }
  return result;
}

/// How the lumps of a group are turned and moved, or at which rates.
struct Placement {
  LaneVector w;  ///< rotation vectors
  LaneVector y;  ///< mass times displacements in the local frames: u = R~(w) y
};

/// field: of the group.  amplitudes: of the modes. Rotations and moments in one sweep: six sums side by side
/// take hardly longer than three, each of which waits for itself.
Placement place(const double* field, const Vector& amplitudes) {
  Placement sum{};
  for (const double amplitude : amplitudes) {
    sum.w.x += amplitude * load_lanes(field);
    sum.w.y += amplitude * load_lanes(field + lump_lanes);
    sum.w.z += amplitude * load_lanes(field + 2 * lump_lanes);
    sum.y.x += amplitude * load_lanes(field + 3 * lump_lanes);
    sum.y.y += amplitude * load_lanes(field + 4 * lump_lanes);
    sum.y.z += amplitude * load_lanes(field + 5 * lump_lanes);
    field += 6 * lump_lanes;
  }
  return sum;
}

/// sums (lump_lanes x modes) += modal loads of torques and forces on a group.
void add_modal_loads(const double* field, Index modes, const LaneVector& torque, const LaneVector& force,
                     double* sums) {
  const LaneVector t = torque, f = force;  // kept in registers: sums might be the same memory
  for (Index k = 0; k < modes; ++k) {
    const Lanes turning = t.x * load_lanes(field) + t.y * load_lanes(field + lump_lanes) +
                          t.z * load_lanes(field + 2 * lump_lanes);
    const Lanes moving = f.x * load_lanes(field + 3 * lump_lanes) + f.y * load_lanes(field + 4 * lump_lanes) +
                         f.z * load_lanes(field + 5 * lump_lanes);
    const Lanes sum = load_lanes(sums) + (turning + moving);
    std::memcpy(sums, &sum, sizeof sum);
    field += 6 * lump_lanes;
    sums += lump_lanes;
  }
}

/// What a frame that turns adds to the acceleration of a group. Adds the potential energy of centrifugal
/// forces.  rest: of the group.
LaneVector frame_acceleration(const LumpMotion& motion, const double* rest, const Placement& at,
                              const Placement& rate, const LaneFactors& factors, Lanes& potential) {
  const auto& [w, y] = at;
  const LaneVector center{load_lanes(rest), load_lanes(rest + lump_lanes), load_lanes(rest + 2 * lump_lanes)};
  const Lanes inverse_mass = load_lanes(rest + 3 * lump_lanes);
  const LaneVector once = cross(w, y), twice = cross(w, once);
  const LaneVector x = center + inverse_mass * (y + factors.cosine * once + factors.mean * twice);
  const LaneVector spin = LaneVector::all(motion.spin), arm = cross(spin, x);
  // Lanes without a lump have an inverse mass of 0, and no y.
  potential -= 0.5 * (inverse_mass > 0.0 ? dot(arm, arm) / inverse_mass : Lanes{});
  LaneVector a = cross(x, LaneVector::all(motion.spin_up)) - cross(spin, arm);
  if (motion.gyroscopic()) {
    const LaneVector w_moving = cross(w, rate.y);
    const Lanes along = 2.0 * dot(w, rate.w);
    const LaneVector velocity =
        rate.y + factors.cosine * (w_moving + cross(rate.w, y)) +
        factors.mean * (cross(w, w_moving) + dot(w, y) * rate.w + dot(y, rate.w) * w - along * y) +
        along * (factors.cosine_slope * once + factors.mean_slope * twice);
    a = a - inverse_mass * cross(LaneVector::all(2.0 * motion.spin), velocity);
  }
  return a;
}

/// d(a . R~(w) y)/dw, as mean_rotation_derivative() has it.
LaneVector torque_of(const LaneVector& a, const Placement& at, const LaneFactors& factors) {
  const auto& [w, y] = at;
  const LaneVector wa = cross(w, a);
  const Lanes along = factors.mean_slope * dot(y, cross(w, wa)) - factors.cosine_slope * dot(y, wa);
  return factors.cosine * cross(y, a) + factors.mean * (dot(w, y) * a + dot(w, a) * y) +
         (2.0 * (along - factors.mean * dot(y, a))) * w;
}

/// sums += mass J^T a of a group. Adds its potential energy.
void add_group(const LumpMotion& motion, const double* field, const double* rest, const Vector& q,
               const Vector& v, double* sums, Lanes& potential) {
  Placement at = place(field, q), rate{};
  if (motion.gyroscopic()) rate = place(field, v);
  if (!motion.warp) at.w = rate.w = LaneVector{};
  const LaneFactors factors = factors_at(at.w);
  const auto to_local = [&](const LaneVector& a) {  // R~^T a
    const LaneVector wa = cross(at.w, a);
    return a - factors.cosine * wa + factors.mean * cross(at.w, wa);
  };
  LaneVector a = LaneVector::all(motion.uniform), local = to_local(a);
  potential -= dot(local, at.y);
  if (motion.turns()) {
    a = a + frame_acceleration(motion, rest, at, rate, factors, potential);
    local = to_local(a);
  }
  if (motion.coriolis) local = local - load_lanes(rest + 3 * lump_lanes) * cross(to_local(rate.w), rate.y);
  const LaneVector torque = motion.warp ? torque_of(a, at, factors) : LaneVector{};
  add_modal_loads(field, q.size(), torque, local, sums);
}

}  // namespace

LumpLoads::LumpLoads(const WarpedEquations& equations) : modes_(equations.modes()) {
  const Index lumps = equations.lumps(), groups = (lumps + lump_lanes - 1) / lump_lanes;
  auto data = std::make_shared<Data>();
  data->field.setZero(lump_lanes, groups * 6 * modes_);  // lanes without a lump have no moment
  data->rest.setZero(lump_lanes, groups * 4);
  for (Index i = 0; i < lumps; ++i) {
    const Index group = i / lump_lanes, lane = i % lump_lanes;
    for (Index k = 0; k < modes_; ++k) {
      const Index column = 6 * (group * modes_ + k);
      for (Index c = 0; c < 3; ++c) {
        data->field(lane, column + c) = equations.rotations(3 * i + c, k);
        data->field(lane, column + 3 + c) = equations.moments(3 * i + c, k);
      }
    }
    for (Index c = 0; c < 3; ++c) data->rest(lane, 4 * group + c) = equations.centers(c, i);
    data->rest(lane, 4 * group + 3) = 1.0 / equations.lump_mass(i);
  }
  data_ = std::move(data);
  sums_.setZero(lump_lanes, modes_);
}

double LumpLoads::add(const LumpMotion& motion, const Vector& q, const Vector& v, Vector& load) const {
  if (motion.none()) return 0.0;
  const Index groups = data_->rest.cols() / 4;
  Lanes potential{};
  sums_.setZero();
  for (Index group = 0; group < groups; ++group)
    add_group(motion, data_->field.col(group * 6 * modes_).data(), data_->rest.col(4 * group).data(), q, v,
              sums_.data(), potential);
  load += sums_.colwise().sum().transpose();
  double sum = 0.0;
  for (Index i = 0; i < lump_lanes; ++i) sum += potential[i];
  return sum;
}

}  // namespace limber
