#include "limber/full/coupled_full.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/energy_guard.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// e of the header. More damps fast motion sooner, and makes slow vibrations slower, by (1/12 + e/2) x^2.
constexpr double fast_stiffness = 0.1;

/// What a step may gain of energy that earlier ones have lost, as a share of it for each second of its
/// length: some 1e-5 at 1 ms. More would let a body that was struck ring up again.
constexpr double slack_share = 0.015;

/// Unknowns that are solved for at once: many are far cheaper each than one, and memory is bounded.
constexpr Index columns_at_once = 96;

/// Compliance that is added to that of the touched unknowns, as a share of the largest: where nearly all of a
/// body is touched, what is left beside its motion as a whole is singular.
constexpr double added_compliance = 1e-9;

/// Rounding of sums of energies of that size.
constexpr double energy_digits = 1e-13;

Matrix3 rotation_by(const Vector3& way) {
  const double angle = way.norm();
  if (!(angle > 0.0)) return Matrix3::Identity();
  return Eigen::AngleAxisd(angle, way / angle).toRotationMatrix();
}

}  // namespace

void CoupledFull::Memory::save(StateWriter& out) const {
  for (const double value : {h, elastic, pulled, fast}) out.write(value);
  out.write(judged);
}

CoupledFull::Memory CoupledFull::Memory::restored(StateReader& in) {
  Memory memory;
  for (double* value : {&memory.h, &memory.elastic, &memory.pulled, &memory.fast}) in.read(*value);
  in.read(memory.judged);
  require(std::isfinite(memory.h) && memory.h >= 0.0 && std::isfinite(memory.elastic) &&
              std::isfinite(memory.pulled) && std::isfinite(memory.fast),
          "the state has a step that is none, or energies that are not finite");
  return memory;
}

double CoupledFull::Memory::kept() const { return elastic + 0.5 * fast_stiffness * h * h * fast; }

CoupledFull::CoupledFull(const FullModel& model, const RayleighDamping& damping, SparseSolverKind solver)
    : model_(model), damping_(damping), system_(model, damping, solver) {
  if (is_free(model)) flight_.emplace(model);
}

void CoupledFull::set_damping(const RayleighDamping& damping) {
  damping_ = damping;
  system_.set_damping(damping);
}

void CoupledFull::set_springs(std::span<const FullSpring> springs) {
  FullSprings next(model_, springs);
  system_.set_springs(springs);
  springs_ = std::move(next);
}

/// Where the whole is, and how it can move.
void CoupledFull::place_whole(const Vector& u) {
  const std::vector<int>& vertices = model_.dofs().free_vertices();
  const auto count = static_cast<Index>(vertices.size());
  Vector masses(count);
  arms_.resize(3, count);
  for (Index i = 0; i < count; ++i) {
    const int v = vertices[static_cast<std::size_t>(i)];
    masses(i) = model_.vertex_masses()(v);
    arms_.col(i) = model_.mesh().vertices.col(v) + u.segment<3>(3 * i);
  }
  mass_ = masses.sum();
  center_ = arms_ * masses / mass_;
  arms_.colwise() -= center_;
  whole_.setZero(3 * count, 6);
  for (Index i = 0; i < count; ++i) {
    whole_.block<3, 3>(3 * i, 0).setIdentity();
    for (int k = 0; k < 3; ++k) whole_.block<3, 1>(3 * i, 3 + k) = Vector3::Unit(k).cross(arms_.col(i));
  }
  whole_mass_ = model_.mass() * whole_;
  inertia_ = whole_.transpose() * whole_mass_;
  inertia_factor_.compute(inertia_);
}

/// A R: stiffness resists no translation, and of a rotation by w it gives w x f. Numbers of the size of K,
/// which are known to rounding alone, have no part in that.
void CoupledFull::set_whole_matrix() {
  const double on_mass = 1.0 + 0.5 * h_ * damping_.mass,
               on_stiffness = on_stiffness_ + 0.5 * h_ * damping_.stiffness;
  if (system_.projected()) {
    whole_product_ = (h_ * kick_) * (system_.matrix() * whole_);
    whole_product_.leftCols<3>() = on_mass * whole_mass_.leftCols<3>();
  } else {
    whole_product_ = on_mass * whole_mass_;
    const Vector& force = system_.body_force();
    for (Index i = 0; i < arms_.cols(); ++i)
      for (int k = 0; k < 3; ++k)
        whole_product_.block<3, 1>(3 * i, 3 + k) +=
            on_stiffness * Vector3::Unit(k).cross(force.segment<3>(3 * i));
  }
  const Matrix6 product = whole_.transpose() * whole_product_;
  whole_matrix_ = 0.5 * (product + product.transpose());
}

CoupledFull::Split CoupledFull::split(const Vector& u) const {
  if (!flies_) return {Vector6::Zero(), u};
  Split result;
  result.whole = whole_factor_.solve(whole_product_.transpose() * u);
  result.rest = u - whole_ * result.whole;
  return result;
}

Vector CoupledFull::joined(const Split& split) const {
  return flies_ ? Vector(split.rest + whole_ * split.whole) : split.rest;
}

SolveReport CoupledFull::solve_rest(Eigen::Ref<Matrix> b, Eigen::Ref<Matrix> x) {
  if (flies_) b.noalias() -= whole_product_ * whole_factor_.solve(whole_.transpose() * b);
  b /= h_ * kick_;  // the matrix was factored so
  const SolveReport report = system_.solve_columns(b, x);
  if (report.ok() && flies_) x.noalias() -= whole_ * whole_factor_.solve(whole_product_.transpose() * x);
  return report;
}

SolveReport CoupledFull::solve(const Vector& b, Split& x) {
  Vector left = b;
  x.rest.resize(b.size());
  x.whole.setZero();
  if (flies_) x.whole = whole_factor_.solve(whole_.transpose() * b);
  return solve_rest(left, x.rest);
}

/// - e h^2 K P^2 u_0
SolveReport CoupledFull::damp_fast(const Vector& rest, Vector& rhs) {
  if (fast_share_ == 0.0) return {};
  Vector fast = rest, slow(rest.size());
  for (int i = 0; i < 2; ++i) {
    Vector momentum = model_.mass() * fast;
    if (const SolveReport report = solve_rest(momentum, slow); !report.ok()) return report;
    fast -= slow;
  }
  rhs.noalias() -= (fast_share_ * h_ * h_) * (system_.stiffness() * fast);
  return {};
}

/// u_0 at the start of the step: the mean velocity of the step before, turned on for half of it.
void CoupledFull::take_turned(const DynamicState& start) {
  start_velocity_ = start.v;
  if (!flies_ || last_h_ == 0.0) return;
  const Vector6 whole = inertia_factor_.solve(whole_mass_.transpose() * start.v);
  const Matrix3 turn = rotation_by(0.5 * last_h_ * whole.tail<3>());
  for (Index i = 0; i < arms_.cols(); ++i)
    start_velocity_.segment<3>(3 * i) =
        whole.head<3>() + turn * (start.v.segment<3>(3 * i) - whole.head<3>());
}

Vector CoupledFull::product_with_damping(const Vector& rest, const Vector& whole) const {
  Vector product;
  system_.multiply_damping(rest, product);
  if (flies_ && damping_.mass > 0.0) product.noalias() += damping_.mass * (model_.mass() * whole);
  return product;
}

SolveReport CoupledFull::begin(double h, Elastic elastic, const Vector& load, const DynamicState& start,
                               const Memory& memory) {
  const bool implicit = elastic != Elastic::mean;
  rigid_ = elastic == Elastic::rigid;
  h_ = h;
  last_h_ = memory.h;
  kick_ = 0.5 * (h + last_h_);
  load_ = load;
  displacement_ = start.u;
  velocity_ = start.v;
  flies_ = system_.free();
  fast_share_ = implicit ? 0.0 : fast_stiffness;
  double ahead = 0.5 * (h - last_h_), on_stiffness = 0.25 * h * h;
  // Modes that were fast for a longer step have a mean velocity that says nothing of how fast they were at
  // its end: elastic forces half way through the step let them lose it, those of its end all the more.
  if (implicit || h < last_h_) {
    ahead = implicit ? h : 0.5 * h;
    on_stiffness = ahead * kick_;
  }
  on_stiffness_ = on_stiffness + fast_share_ * h * h;

  system_.evaluate(start.u);
  if (!system_.force().allFinite()) return {SolveStatus::not_finite};
  if (flies_) place_whole(start.u);
  take_turned(start);
  // Springs, which may be far stiffer than the body, are those of the end of the step: h k K_s in A.
  const double scale = 1.0 / (h * kick_);
  const SolveReport factored =
      system_.factor(scale, 0.5 * h * scale, on_stiffness_ * scale, Vector::Zero(start.u.size()));
  if (!factored.ok()) return factored;
  Vector rest = start_velocity_, whole;
  Vector rhs = load - system_.force();
  if (flies_) {
    set_whole_matrix();
    if (!inertia_factor_.ok() || !whole_factor_.compute(whole_matrix_))
      return {SolveStatus::not_positive_definite};
    const Vector6 motion = inertia_factor_.solve(whole_mass_.transpose() * start_velocity_);
    whole = whole_ * motion;
    rest -= whole;
    Vector turning(start_velocity_.size());
    for (Index i = 0; i < arms_.cols(); ++i)
      turning.segment<3>(3 * i) =
          Vector3(motion.tail<3>()).cross(start_velocity_.segment<3>(3 * i) - motion.head<3>());
    rhs.noalias() -= model_.mass() * turning;
  }
  rhs.noalias() -= ahead * (system_.stiffness() * rest);
  rhs -= product_with_damping(rest, whole);
  rhs *= kick_;
  if (!springs_.empty()) {
    Vector pulled = Vector::Zero(rhs.size());
    springs_.add_product(start_velocity_, pulled);
    rhs -= (h * kick_) * pulled;
  }
  if (const SolveReport damped = damp_fast(rest, rhs); !damped.ok()) return damped;
  Split change;
  if (const SolveReport solved = solve(rhs, change); !solved.ok()) return solved;
  free_velocity_ = start_velocity_ + joined(change);
  if (rigid_) {
    Split parts = split(free_velocity_);
    parts.rest.setZero();
    free_velocity_ = joined(parts);
  }
  return free_velocity_.allFinite() ? SolveReport{} : SolveReport{SolveStatus::not_finite};
}

SolveReport CoupledFull::condense(std::span<const int> unknowns, Condensed& result) {
  const auto count = static_cast<Index>(unknowns.size());
  const Index size = count + (flies_ ? 6 : 0);
  Matrix compliance(count, count);
  for (Index first = 0; first < count; first += columns_at_once) {
    const Index width = std::min(columns_at_once, count - first);
    Matrix b = Matrix::Zero(displacement_.size(), width), x(displacement_.size(), width);
    for (Index j = 0; j < width; ++j) b(unknowns[static_cast<std::size_t>(first + j)], j) = 1.0;
    if (const SolveReport report = solve_rest(b, x); !report.ok()) return report;
    for (Index i = 0; i < count; ++i)
      compliance.row(i).segment(first, width) = x.row(unknowns[static_cast<std::size_t>(i)]);
  }
  compliance = (0.5 * (compliance + compliance.transpose())).eval();
  result.matrix.setZero(size, size);
  if (count > 0) {
    compliance.diagonal().array() += added_compliance * compliance.diagonal().maxCoeff();
    const Cholesky factor(compliance);
    if (!factor.ok()) return {SolveStatus::not_positive_definite};
    const Matrix inverse = factor.solve(Matrix::Identity(count, count));
    // Of one whose shape stays: what is left of its velocities is far below what anything can tell.
    const double hard = rigid_ ? 1e10 : 1.0;
    result.matrix.topLeftCorner(count, count) = 0.5 * hard * (inverse + inverse.transpose());
  }
  if (flies_) result.matrix.bottomRightCorner<6, 6>() = whole_matrix_;
  const auto take = [&](const Vector& velocity, Vector& chosen) {
    const Split parts = split(velocity);
    chosen.resize(size);
    for (Index i = 0; i < count; ++i) chosen(i) = parts.rest(unknowns[static_cast<std::size_t>(i)]);
    if (flies_) chosen.tail<6>() = parts.whole;
  };
  take(start_velocity_, result.start);
  take(free_velocity_, result.free);
  return {};
}

/// Linear and angular, the latter about the centre of mass, in the middle of the step.
CoupledFull::Vector6 CoupledFull::momentum_after(const Vector6& impulse) const {
  // Damping by mass, against the world: half of it before and half after the start of the step.
  const double before = 1.0 - 0.5 * last_h_ * damping_.mass, after = 1.0 + 0.5 * h_ * damping_.mass;
  const Vector6 start = whole_mass_.transpose() * velocity_, loads = whole_.transpose() * load_;
  return (before * start + kick_ * loads + impulse) / after;
}

/// With x = x_0 + h u the angular momentum of the middle of the step is sum (x_0 - c_0) x M u: it is linear
/// in u, which in turn follows from w by a rotation. w is found by iteration, and what that leaves by one
/// more rotation.
void CoupledFull::turn(const Vector& velocity, const Vector6& momentum, Way& way) const {
  constexpr int most_iterations = 50;
  const Index count = arms_.cols();
  const Matrix3 inertia = inertia_.bottomRightCorner<3, 3>();
  const Matrix3 inverse = inertia.inverse();
  Vector6 motion = inertia_factor_.solve(whole_mass_.transpose() * velocity);
  const Vector rest = velocity - whole_ * motion;
  const Vector3 flight = momentum.head<3>() / mass_, wanted = momentum.tail<3>();
  Vector3 spin = motion.tail<3>(), left = Vector3::Zero();
  double before = std::numeric_limits<double>::infinity();
  Matrix3 half = Matrix3::Identity();
  way.velocity.resize(velocity.size());
  for (int i = 0; i < most_iterations; ++i) {
    const Matrix3 whole = rotation_by(h_ * spin) - Matrix3::Identity();
    half = rotation_by(0.5 * h_ * spin);
    for (Index v = 0; v < count; ++v)
      way.velocity.segment<3>(3 * v) = flight + whole * arms_.col(v) / h_ + half * rest.segment<3>(3 * v);
    left = wanted - whole_mass_.rightCols<3>().transpose() * way.velocity;
    if (!(left.norm() < 0.5 * before)) break;
    before = left.norm();
    spin += inverse * left;
  }
  way.velocity.noalias() += whole_.rightCols<3>() * (inverse * left);
  const Vector3 missing = momentum.head<3>() - whole_mass_.leftCols<3>().transpose() * way.velocity;
  way.velocity += (missing / mass_).replicate(count, 1);
  way.middle.resize(velocity.size());
  for (Index v = 0; v < count; ++v) {
    const Vector3 arm = arms_.col(v);
    way.middle.segment<3>(3 * v) = displacement_.segment<3>(3 * v) + 0.5 * h_ * flight +
                                   half * (arm + 0.5 * h_ * rest.segment<3>(3 * v)) - arm;
  }
  way.locked = 0.5 * wanted.dot(inverse * wanted);
}

/// The step as it was solved for.
void CoupledFull::take_way(const Split& velocity, const Vector6& momentum, Way& way) const {
  const Vector& rest = velocity.rest;
  if (flies_) {
    turn(joined(velocity), momentum, way);
  } else {
    way.velocity = rest;
    way.middle = displacement_ + 0.5 * h_ * rest;
    way.locked = 0.0;
  }
  way.end = displacement_ + h_ * way.velocity;
  way.kinetic = 0.5 * way.velocity.dot(model_.mass() * way.velocity);
  if (flies_) way.kinetic -= momentum.head<3>().squaredNorm() / (2.0 * mass_);
  way.locked = std::min(way.locked, way.kinetic);
  way.elastic = model_.energy(way.middle);
  way.pulled = springs_.energy(way.middle, Matrix3X(3, 0));
  way.fast = std::max(0.0, rest.dot(system_.stiffness() * rest));
}

/// Of the loads, J; of a body that flies but for what moves it as a whole.
double CoupledFull::potential(const Vector& middle) const {
  if (!flies_) return -load_.dot(middle);
  Vector moved = middle;
  const Vector translation = flight_->take_translation(moved);
  return -load_.dot(moved);
}

/// What loads as they are at the start do to these velocities, W; but for what moves a body that flies as a
/// whole.
double CoupledFull::load_power(const Vector& velocity) const {
  Vector moved = velocity;
  if (flies_) (void)flight_->take_translation(moved);
  Vector force = -load_;
  springs_.add_force(displacement_, Matrix3X(3, 0), force);
  return -force.dot(moved);
}

/// All motion but that of the whole that many times as fast: of a body that is held from the middle of the
/// step on, so that this stays where it is, half a step before; of one that flies, whose places say how much
/// angular momentum its velocities have, from the end on.
void CoupledFull::slow(double factor, Way& way) const {
  if (flies_) {
    Vector rigid;
    flight_->rigid_velocity(way.end, way.velocity, rigid);
    way.velocity = rigid + factor * (way.velocity - rigid);
  } else {
    way.end -= 0.5 * h_ * (1.0 - factor) * way.velocity;
    way.velocity *= factor;
  }
  way.kinetic = way.locked + factor * factor * (way.kinetic - way.locked);
  way.fast *= factor * factor;
}

SolveReport CoupledFull::end(std::span<const int> unknowns, const Vector& impulse, double unearned,
                             double excess, bool last, DynamicState& state, Memory& memory) {
  const auto count = static_cast<Index>(unknowns.size());
  Vector pushed = Vector::Zero(displacement_.size());
  for (Index i = 0; i < count; ++i) pushed(unknowns[static_cast<std::size_t>(i)]) = impulse(i);
  const Split start = split(start_velocity_);
  Split velocity = split(free_velocity_);
  Vector6 on_whole = Vector6::Zero(), momentum = Vector6::Zero();
  double struck = 0.0, flown = 0.0, flight_before = 0.0, flight_gained = 0.0;
  if (count > 0) {
    Vector b = pushed, change(pushed.size());
    if (const SolveReport report = solve_rest(b, change); !report.ok()) return report;
    if (!rigid_) velocity.rest += change;
    if (!rigid_) struck = 0.5 * pushed.dot(start.rest + velocity.rest);
  }
  if (flies_) {
    on_whole = impulse.tail<6>();
    velocity.whole += whole_factor_.solve(on_whole);
    momentum = momentum_after(on_whole);
    struck += 0.5 * on_whole.dot(start.whole + velocity.whole);
    const Vector3 linear = whole_mass_.leftCols<3>().transpose() * velocity_;
    flown = on_whole.head<3>().dot(linear + momentum.head<3>()) / (2.0 * mass_);
    flight_before = linear.squaredNorm() / (2.0 * mass_);
    flight_gained = on_whole.head<3>().dot(momentum.head<3>() - linear) / mass_;
  }
  const double fast = 0.5 * fast_share_ * h_ * h_;
  const double loads_before = potential(displacement_ - 0.5 * last_h_ * velocity_);
  const double before = 0.5 * velocity_.dot(model_.mass() * velocity_) - flight_before + memory.elastic +
                        memory.pulled + fast * memory.fast + loads_before;
  SolveReport report{SolveStatus::converged, 1, 0.0};
  report.rescued = rigid_;
  Way way;
  take_way(velocity, momentum, way);
  double allowed = before + struck - flown + state.slack, beyond = 0.0;
  // What loads and contacts do in steps of two lengths (multidomain/tree_coupled.cpp).
  const bool remembered = memory.judged;
  if (remembered && h_ != last_h_ && way.velocity.allFinite()) {
    double gained = on_whole.dot(velocity.whole - start.whole) - flight_gained;
    if (!rigid_) gained += pushed.dot(velocity.rest) - pushed.dot(start.rest);
    beyond = beyond_way(last_h_, h_, load_power(way.velocity) - load_power(velocity_), gained / kick_);
    allowed += beyond;
  }
  const double fixed = way.elastic + way.pulled + fast * way.fast + potential(way.middle);
  const bool finite = std::isfinite(way.kinetic + fixed) && way.end.allFinite();
  const double rounding = system_.energy_rounding() +
                          energy_digits * (way.kinetic + std::abs(way.elastic) + way.pulled +
                                           std::abs(fixed) + std::abs(loads_before) + std::abs(struck));
  EnergyVerdict verdict = finite ? EnergyVerdict::accept : EnergyVerdict::rescue;
  const bool judged = remembered && std::isfinite(allowed);
  if (finite && judged)
    verdict = judge_energy(allowed, way.kinetic - way.locked, fixed + way.locked, rounding);
  // In the end it may be slowed down by as much as it takes.
  if (verdict == EnergyVerdict::rescue && finite && (rigid_ || (last && fixed + way.locked <= allowed))) {
    verdict = EnergyVerdict::slow;
    report.rescued = true;
  }
  if (verdict == EnergyVerdict::rescue) {
    report.status = finite ? SolveStatus::not_converged : SolveStatus::not_finite;
    return report;
  }
  double factor = verdict == EnergyVerdict::slow
                      ? slowing_factor(allowed, way.kinetic - way.locked, fixed + way.locked)
                      : 1.0;
  const auto energy = [&] { return way.locked + factor * factor * (way.kinetic - way.locked) + fixed; };
  double slack = slack_without(beyond, allowed, energy(), state.slack);
  if (judged && !rigid_ && unearned + excess > 0.0) {
    const double given = allowed - unearned, vibrations = factor * factor * (way.kinetic - way.locked);
    if (const double taken =
            taken_back(energy() - (given - excess), vibrations, way.kinetic + way.elastic + way.pulled);
        taken > 0.0)
      factor *= std::sqrt(1.0 - taken / vibrations);
    slack = slack_without(excess + beyond, given, energy(), state.slack);
  }
  if (factor < 1.0) slow(factor, way);
  // What even a shape that stays did not keep is not held against the steps that follow.
  const double most = slack_share * h_ * std::max(0.0, way.kinetic + way.elastic + way.pulled);
  state.slack = judged ? std::clamp(slack, -rounding, std::max(most, -rounding)) : 0.0;
  state.u = std::move(way.end);
  state.v = std::move(way.velocity);
  state.a.setZero(state.u.size());
  state.time += h_;
  state.caution = 0;
  state.changed = false;
  memory = {h_, way.elastic, way.pulled, way.fast, true};
  return report;
}

}  // namespace limber
