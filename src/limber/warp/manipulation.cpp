// Constraints c(q) = target on q = q_free + B f. With exercised sites f are the forces there (Eq. 25);
// without, B B^T = gamma, and the least f gives q the least change in the norm of gamma^-1, by forces J^T:
// those of ideal constraints. For positions c = x + R~(Psi q) Phi q, whose derivative is J = R~ Phi + d(R~
// Phi q)/dw Psi; for orientations c = Psi q. Three methods, each where the one before fails:
//
//  1. With exercised sites: chords. f += C (R~^-1 r_p, r_o) with the pseudo-inverse C of (Phi_c B, Psi_c B)
//     with task priority, computed beforehand. That is Eq. 26, 28 and 29 iterated with R~ of the present q.
//     It leaves out the change of R~, so that it converges the slower the more a site is turned.
//  2. Newton's method with J B, damped and with task priority, and a line search on  mu |r_1| + |r_2|  (r_1:
//     the errors of the first task). The factor mu makes the step descend though the second task may lose by
//     it: an exact penalty function.
//  3. The same along the way: targets move from where the sites are to where they shall be.
//
// Where all three miss, the steps after it take a few iterations of the second alone, until targets have
// moved or a while has passed.
//
// Errors are shares of the size and radians, so that both kinds weigh alike.

#include "limber/warp/manipulation.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

constexpr int max_chords = 6;
constexpr double chord_gain =
    4.0;  ///< by which errors must shrink; Newton's method costs about as much as five chords
/// Of R~, below which its inverse is of no use: 1 at rest, 0 after a whole turn.
constexpr double least_determinant = 0.1;

constexpr int max_newton_iterations = 30;
/// Where all was tried already and did not help: a target out of reach must not cost as much at each step.
constexpr int max_iterations_in_vain = 6;
/// All is tried again where targets have moved so far (sizes and rad, and as a share of the error that was
/// left), and after so many solves.
constexpr double noticeable_change = 0.1;
constexpr int solves_in_vain = 60;
constexpr int max_newton_halvings = 12;
constexpr double least_kept_promise = 1e-4;  ///< of what the linear prediction promises
/// Promised decrease, as a share, at which the nearest point is found: it is that near to the square root of
/// this.
constexpr double stationary_share = 1e-11;
constexpr double max_penalty = 1e8;
/// Of a Newton step: how far a site may turn (rad) or move (sizes), because R~ is another after that.
constexpr double longest_turn = 1.0;

constexpr int way_stations = 12;
constexpr int iterations_per_station = 6;
constexpr double far_away =
    0.02;  ///< error from which on a way may help: below it Newton's method is at home

/// Share of what its rows and the forces could do at which a site cannot be moved: rounding of stored floats.
constexpr double immobile_share = 1e-9;

void check_site(const WarpSite& site, Index modes, const char* what, std::size_t i) {
  require(site.shape.cols() == modes && site.turn.cols() == modes,
          "{} site {} has {} modes of displacement and {} of rotation, expected {} each", what, i,
          site.shape.cols(), site.turn.cols(), modes);
  require(site.rest.allFinite() && site.shape.allFinite() && site.turn.allFinite(),
          "{} site {} has numbers that are not finite", what, i);
}

bool can_move(const Matrix3X& rows, const Matrix& force_gain) {
  return (rows * force_gain).norm() > immobile_share * rows.norm() * force_gain.norm();
}

double largest_block(const Eigen::Ref<const Vector>& r) {
  double largest = 0.0;
  for (Index i = 0; i + 2 < r.size(); i += 3) largest = std::max(largest, r.segment<3>(i).norm());
  return largest;
}

}  // namespace

Manipulation::Manipulation(ManipulationSites sites, const Vector& gain, double size)
    : sites_(std::move(sites)), size_(size) {
  require(std::isfinite(size) && size > 0.0, "the size of the body is {}, expected a positive number of m",
          size);
  for (std::size_t i = 0; i < sites_.positions.size(); ++i)
    check_site(sites_.positions[i], gain.size(), "position", i);
  for (std::size_t i = 0; i < sites_.orientations.size(); ++i)
    check_site(sites_.orientations[i], gain.size(), "orientation", i);
  for (std::size_t i = 0; i < sites_.exercised.size(); ++i)
    check_site(sites_.exercised[i], gain.size(), "exercised", i);
  precompute(gain);
  for (std::size_t i = 0; i < sites_.positions.size(); ++i) {
    require(can_move(sites_.positions[i].shape, force_gain_),
            "position constraint {}: no force on the exercised sites moves its vertex; choose one that is "
            "not fixed",
            i);
  }
  for (std::size_t i = 0; i < sites_.orientations.size(); ++i) {
    require(can_move(sites_.orientations[i].turn, force_gain_),
            "orientation constraint {}: no force on the exercised sites turns its vertex; choose another", i);
  }
  positions_.resize(3, static_cast<Index>(sites_.positions.size()));
  orientations_.resize(3, static_cast<Index>(sites_.orientations.size()));
  set_targets(Vector::Zero(gain.size()));
}

void Manipulation::set_gain(const Vector& gain) {
  require(gain.size() == force_gain_.rows(), "gains of {} modes for constraints on {}, expected as many",
          gain.size(), force_gain_.rows());
  precompute(gain);
}

void Manipulation::precompute(const Vector& gain) {
  require(gain.allFinite() && (gain.array() > 0.0).all(),
          "the gains of the modes must be positive and finite");
  solves_left_ = 0;
  if (ideal()) {
    force_gain_ = gain.cwiseSqrt().asDiagonal();  // least norms are then those of gamma^-1
  } else {
    force_gain_.resize(gain.size(), 3 * static_cast<Index>(sites_.exercised.size()));
    for (std::size_t i = 0; i < sites_.exercised.size(); ++i) {
      force_gain_.middleCols<3>(3 * static_cast<Index>(i)) =
          gain.asDiagonal() * sites_.exercised[i].shape.transpose();
    }
  }
  differentiate(Vector::Zero(gain.size()));
  invert(newton_.inverse);
  chord_.noalias() = force_gain_ * newton_.inverse;
}

/// Of scaled errors, to forces, where it was differentiated last.
void Manipulation::invert(Matrix& inverse) const {
  newton_.gained.noalias() = newton_.derivative * force_gain_;
  const Matrix& A = newton_.gained;
  const Index positions = position_rows(), orientations = A.rows() - positions;
  if (sites_.priority == ConstraintPriority::position) {
    inverse = newton_.tasks.compute(A.topRows(positions), A.bottomRows(orientations));
    return;
  }
  const Matrix& turned = newton_.tasks.compute(A.bottomRows(orientations), A.topRows(positions));
  inverse.resize(turned.rows(), turned.cols());
  inverse.leftCols(positions) = turned.rightCols(positions);
  inverse.rightCols(orientations) = turned.leftCols(orientations);
}

void Manipulation::set_position(Index i, const Vector3& position) {
  require(i >= 0 && i < positions_.cols(), "position constraint {} of {}", i, positions_.cols());
  require(position.allFinite(), "the target of position constraint {} is not finite", i);
  positions_.col(i) = position;
}

void Manipulation::set_orientation(Index i, const Eigen::Quaterniond& rotation) {
  require(i >= 0 && i < orientations_.cols(), "orientation constraint {} of {}", i, orientations_.cols());
  require(is_unit(rotation),
          "the target of orientation constraint {} is a quaternion of length {}, expected 1; normalise it", i,
          rotation.norm());
  orientations_.col(i) = nearest_rotation_vector(rotation.normalized(), orientations_.col(i));
}

void Manipulation::set_targets(const VectorRef& q) {
  require(q.size() == force_gain_.rows() && q.allFinite(),
          "targets from {} amplitudes, expected {} that are finite", q.size(), force_gain_.rows());
  for (Index i = 0; i < positions_.cols(); ++i) {
    const WarpSite& site = sites_.positions[static_cast<std::size_t>(i)];
    positions_.col(i) = site.rest + site.displacement(q);
  }
  for (Index i = 0; i < orientations_.cols(); ++i)
    orientations_.col(i) = sites_.orientations[static_cast<std::size_t>(i)].rotation(q);
}

Vector3 Manipulation::position_target(Index i) const {
  require(i >= 0 && i < positions_.cols(), "position constraint {} of {}", i, positions_.cols());
  return positions_.col(i);
}

Vector3 Manipulation::orientation_target(Index i) const {
  require(i >= 0 && i < orientations_.cols(), "orientation constraint {} of {}", i, orientations_.cols());
  return orientations_.col(i);
}

double Manipulation::position_error(Index i, const VectorRef& q) const {
  const Vector3 target = position_target(i);
  const WarpSite& site = sites_.positions[static_cast<std::size_t>(i)];
  return (target - (site.rest + site.displacement(q))).norm();
}

double Manipulation::orientation_error(Index i, const VectorRef& q) const {
  const Vector3 target = orientation_target(i);
  return (target - sites_.orientations[static_cast<std::size_t>(i)].rotation(q)).norm();
}

void Manipulation::save(StateWriter& out) const {
  out.write(positions_);
  out.write(orientations_);
  out.write(missed_positions_);
  out.write(missed_orientations_);
  out.write(missed_error_);
  out.write(std::int64_t{solves_left_});
}

void Manipulation::restore(StateReader& in) {
  const Index positions = positions_.cols(), orientations = orientations_.cols();
  std::int64_t left = 0;
  for (Matrix3X* places : {&positions_, &orientations_, &missed_positions_, &missed_orientations_})
    in.read(*places);
  in.read(missed_error_);
  in.read(left);
  const bool missed_fits =
      missed_positions_.cols() == positions && missed_orientations_.cols() == orientations;
  require(positions_.cols() == positions && orientations_.cols() == orientations &&
              (left == 0 || (left > 0 && left <= solves_in_vain && missed_fits)),
          "the state is not that of {} position and {} orientation constraints", positions, orientations);
  solves_left_ = static_cast<int>(left);
}

/// Scaled errors: positions first.
void Manipulation::residual(const Vector& q, Vector& r) const {
  r.resize(3 * (positions_.cols() + orientations_.cols()));
  Index row = 0;
  for (Index i = 0; i < positions_.cols(); ++i, row += 3) {
    const WarpSite& site = sites_.positions[static_cast<std::size_t>(i)];
    r.segment<3>(row) = (positions_.col(i) - (site.rest + site.displacement(q))) / size_;
  }
  for (Index i = 0; i < orientations_.cols(); ++i, row += 3)
    r.segment<3>(row) = orientations_.col(i) - sites_.orientations[static_cast<std::size_t>(i)].rotation(q);
}

/// Of what the constraints speak of, scaled.
void Manipulation::differentiate(const Vector& q) const {
  const auto sites = sites_.positions.size() + sites_.orientations.size();
  Matrix& result = newton_.derivative;
  result.resize(3 * static_cast<Index>(sites), q.size());
  Index row = 0;
  for (const WarpSite& site : sites_.positions) {
    site.derivative(q, result.middleRows<3>(row));
    result.middleRows<3>(row) /= size_;
    row += 3;
  }
  for (const WarpSite& site : sites_.orientations) {
    result.middleRows<3>(row) = site.turn;
    row += 3;
  }
}

/// Whether scaled errors are all below the tolerances.
bool Manipulation::met(const Vector& r) const {
  // Positions far from the origin are known no better than this.
  const double rounding = 4.0 * std::numeric_limits<double>::epsilon() *
                          (positions_.size() > 0 ? positions_.cwiseAbs().maxCoeff() : 0.0);
  const Index positions = position_rows();
  return r.allFinite() && largest_block(r.head(positions)) <= position_tolerance + rounding / size_ &&
         largest_block(r.tail(r.size() - positions)) <= orientation_tolerance;
}

ConstraintReport Manipulation::solve(Vector& q) const {
  if (empty()) return {};
  require(q.size() == force_gain_.rows(), "constraints on {} modes, but {} amplitudes", force_gain_.rows(),
          q.size());
  start_ = q;
  residual(q, error_);
  if (!error_.allFinite()) return report(q, 0);
  const bool far = error_.norm() > far_away, in_vain = is_in_vain();
  int iterations = ideal() ? 0 : iterate_chords(q, error_);  // chords would go another way
  if (!met(error_)) {
    newton_.offset.setZero(error_.size());
    iterations += iterate_newton(q, in_vain ? max_iterations_in_vain : max_newton_iterations);
    residual(q, error_);
  }
  if (far && !in_vain && !met(error_)) {
    next_q_ = start_;
    iterations += follow(next_q_, start_);
    residual(next_q_, next_error_);
    // Where nothing helps the nearer way stays: a target out of reach must not make the body flip.
    if (met(next_error_) || next_error_.norm() < 0.5 * error_.norm()) q = next_q_;
  }
  const ConstraintReport result = report(q, iterations);
  remember(result.met, in_vain);
  return result;
}

/// Whether all methods missed targets that are about the present ones, not long ago.
bool Manipulation::is_in_vain() const {
  if (solves_left_ == 0) return false;
  const double change = std::hypot((positions_ - missed_positions_).norm() / size_,
                                   (orientations_ - missed_orientations_).norm());
  return change <= noticeable_change * std::max(1.0, missed_error_);
}

/// error_: what is left.
void Manipulation::remember(bool was_met, bool was_in_vain) const {
  if (was_met) {
    solves_left_ = 0;
  } else if (was_in_vain) {
    --solves_left_;
  } else {
    solves_left_ = solves_in_vain;
    missed_positions_ = positions_;
    missed_orientations_ = orientations_;
    missed_error_ = error_.norm();
  }
}

/// local_: scaled errors r as the local frames see them. False where the mean rotation of a site is next to
/// singular.
bool Manipulation::to_local(const Vector& q, const Vector& r) const {
  local_ = r;
  for (Index k = 0; k < positions_.cols(); ++k) {
    const Matrix3 mean = mean_rotation(sites_.positions[static_cast<std::size_t>(k)].rotation(q));
    if (!(std::abs(mean.determinant()) > least_determinant)) return false;
    local_.segment<3>(3 * k) = mean.inverse() * r.segment<3>(3 * k);
  }
  return true;
}

/// q and its errors r become the best that chords find. Returns how many were tried.
int Manipulation::iterate_chords(Vector& q, Vector& r) const {
  for (int i = 0; i < max_chords; ++i) {
    if (met(r)) return i;
    if (!to_local(q, r)) return i;
    next_q_ = q;
    next_q_.noalias() += chord_ * local_;
    residual(next_q_, next_error_);
    const double before = r.norm(), after = next_error_.norm();
    if (after < before) {
      q.swap(next_q_);
      r.swap(next_error_);
    }
    if (!(after * chord_gain <= before)) return i + 1;
  }
  return max_chords;
}

/// Share of a step at which no constrained site turns or moves too far.
double Manipulation::longest_step(const Vector& dq) const {
  double longest = 0.0;
  for (const WarpSite& site : sites_.positions)
    longest = std::max({longest, (site.turn * dq).norm(), (site.shape * dq).norm() / size_});
  return longest > longest_turn ? longest_turn / longest : 1.0;
}

/// Brings the errors to newton_.offset (scaled). Returns the number of iterations.
int Manipulation::iterate_newton(Vector& q, int limit) const {
  auto& [J, gained, inverse, tasks, r, next, next_r, force, dq, left, offset, way] = newton_;
  const Index split = position_rows(), rows = offset.size();
  const bool positions_first = sites_.priority == ConstraintPriority::position && split > 0;
  const auto sizes = [&](const Vector& errors) {
    const double p = errors.head(split).norm(), o = errors.tail(rows - split).norm();
    return positions_first || split == rows ? std::pair(p, o) : std::pair(o, p);
  };
  double penalty = 1.0;
  residual(q, r);
  r -= offset;
  for (int i = 0; i < limit; ++i) {
    if (met(r)) return i;
    differentiate(q);
    invert(inverse);
    force.noalias() = inverse * r;
    dq.noalias() = force_gain_ * force;
    left = r;
    left.noalias() -= J * dq;
    const auto [first, second] = sizes(r);
    const auto [first_left, second_left] = sizes(left);
    const double gain = first - first_left, loss = second_left - second;
    if (gain > 0.0 && loss > 0.0) penalty = std::clamp(2.0 * loss / gain, penalty, max_penalty);
    const double merit = penalty * first + second, promised = penalty * gain - loss;
    if (!(promised > stationary_share * merit)) return i;
    bool accepted = false;
    double share = longest_step(dq);
    for (int k = 0; k < max_newton_halvings && !accepted; ++k, share *= 0.5) {
      next = q + share * dq;
      residual(next, next_r);
      next_r -= offset;
      const auto [next_first, next_second] = sizes(next_r);
      accepted = penalty * next_first + next_second <= merit - least_kept_promise * share * promised;
    }
    if (!accepted) return i + 1;
    q = next;
    r = next_r;
  }
  return limit;
}

/// Newton's method while the targets go from where the sites are at `start` to where they shall be.
int Manipulation::follow(Vector& q, const Vector& start) const {
  residual(start, newton_.way);
  q = start;
  int iterations = 0;
  for (int i = 1; i <= way_stations; ++i) {
    newton_.offset = (1.0 - static_cast<double>(i) / way_stations) * newton_.way;
    iterations += iterate_newton(q, i < way_stations ? iterations_per_station : max_newton_iterations);
  }
  return iterations;
}

ConstraintReport Manipulation::report(const Vector& q, int iterations) const {
  Vector& r = error_;
  residual(q, r);
  ConstraintReport result;
  result.met = met(r);
  result.iterations = iterations;
  const Index positions = position_rows();
  const bool finite = r.allFinite();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result.position_error = finite ? size_ * largest_block(r.head(positions)) : infinity;
  result.orientation_error = finite ? largest_block(r.tail(r.size() - positions)) : infinity;
  return result;
}

}  // namespace limber
