#include "limber/warp/manipulation.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/qr.hpp"
#include "limber/linalg/svd.hpp"
#include "limber/warp/damped_inverse.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/warp/warped_body.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace limber::manipulation_test {
namespace {

using test::random_vector;
using test::warped_beam;
using test::WarpedBody;

constexpr double pi = std::numbers::pi;
const Vector3 tip_place(1.0, 0.0, 0.0);

/// gamma of the semi-implicit step of 1/60 s.
Vector gain_of(const WarpedEquations& equations, double h = 1.0 / 60.0) {
  return h * h / (1.0 + h * h * equations.stiffness.array());
}

Manipulation manipulation_of(const WarpedBody& body, ManipulationSites sites) {
  return {std::move(sites), gain_of(body.equations), body.equations.size};
}

Eigen::Quaterniond turn_about_x(double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3::UnitX()));
}

/// A shape of the body that bends it by about as many radians as `amplitude` says.
Vector some_shape(const WarpedBody& body, double amplitude, std::uint64_t seed = 1) {
  const Vector& k = body.equations.stiffness;
  return amplitude * random_vector(k.size(), 1.0, seed).array() * std::sqrt(k(0)) / k.array().sqrt();
}

/// min |A f - b| among all f for which |C f - d| is least, of the smallest |f|: by orthogonal bases of the
/// spaces.
Vector constrained_least_squares(const Matrix& C, const Vector& d, const Matrix& A, const Vector& b) {
  const Vector f = solve_least_squares(C, d);
  const Matrix kernel = left_singular_vectors(C.transpose(), true).U.rightCols(C.cols() - C.rows());
  return f + kernel * solve_least_squares(A * kernel, b - A * f);
}

TEST(PrioritizedInverse, MeetsTheFirstTaskFirst) {
  const Matrix A = random_vector(12, 1.0, 2).reshaped(3, 4), B = random_vector(12, 1.0, 3).reshaped(3, 4);
  const Vector a = random_vector(3, 1.0, 4), b = random_vector(3, 1.0, 5);
  Vector both(6);
  both << a, b;
  const Vector x = PrioritizedInverse().compute(A, B) * both;
  EXPECT_LT((A * x - a).norm(), 1e-12);
  EXPECT_LT((x - constrained_least_squares(A, a, B, b)).norm(), 1e-10);
}

TEST(Manipulation, BringsASiteToAReachableTarget) {
  const WarpedBody body = warped_beam();
  Manipulation constraints = manipulation_of(body, {.positions = {body.site_near(tip_place)}});
  for (const double amplitude : {0.01, 0.2, 1.0}) {
    const Vector wanted = some_shape(body, amplitude);
    const WarpSite& site = constraints.sites().positions[0];
    constraints.set_position(0, site.rest + site.displacement(wanted));
    Vector q = Vector::Zero(10);
    const ConstraintReport report = constraints.solve(q);
    EXPECT_TRUE(report.met) << "amplitude " << amplitude << ", error " << report.position_error << ", "
                            << report.iterations << " iterations";
    EXPECT_LT((site.displacement(q) - site.displacement(wanted)).norm(), 1e-9 * body.equations.size);
    EXPECT_NEAR(report.position_error, constraints.position_error(0, q), 1e-15);
  }
}

TEST(Manipulation, TurnsASiteAsGiven) {
  const WarpedBody body = warped_beam();
  Manipulation constraints = manipulation_of(body, {.orientations = {body.site_near(tip_place)}});
  const Eigen::Quaterniond wanted(Eigen::AngleAxisd(1.2, Vector3(2.0, 1.0, -1.0).normalized()));
  constraints.set_orientation(0, wanted);
  Vector q = Vector::Zero(10);
  const ConstraintReport report = constraints.solve(q);
  EXPECT_TRUE(report.met) << report.orientation_error;
  const Matrix3 found = rotation_matrix(constraints.sites().orientations[0].rotation(q));
  EXPECT_LT((found - wanted.toRotationMatrix()).norm(), 1e-9);
}

TEST(Manipulation, MeetsPositionAndOrientationTogether) {
  const WarpedBody body = warped_beam(12);
  const WarpSite tip = body.site_near(tip_place);
  for (const ConstraintPriority priority : {ConstraintPriority::position, ConstraintPriority::orientation}) {
    Manipulation constraints =
        manipulation_of(body, {.positions = {tip}, .orientations = {tip}, .priority = priority});
    const Vector wanted = some_shape(body, 0.3, 4);
    constraints.set_targets(wanted);
    Vector q = Vector::Zero(12);
    const ConstraintReport report = constraints.solve(q);
    EXPECT_TRUE(report.met) << report.position_error << " m, " << report.orientation_error << " rad";
  }
}

TEST(Manipulation, LeavesABodyThatMeetsItsConstraintsAlone) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  Manipulation constraints = manipulation_of(body, {.positions = {tip}, .orientations = {tip}});
  const Vector q = some_shape(body, 0.5);
  constraints.set_targets(q);
  Vector found = q;
  EXPECT_EQ(constraints.solve(found).iterations, 0);
  EXPECT_EQ(found, q);
}

TEST(Manipulation, ActsByForcesOnTheExercisedSitesAlone) {
  const WarpedBody body = warped_beam();
  const std::vector<WarpSite> exercised{body.site_near(Vector3(0.5, 0.0, 0.0)),
                                        body.site_near(Vector3(0.67, 0.1, 0.1))};
  Manipulation constraints =
      manipulation_of(body, {.positions = {body.site_near(tip_place)}, .exercised = exercised});
  constraints.set_targets(some_shape(body, 0.1));
  const Vector start = some_shape(body, 0.1, 2);
  Vector q = start;
  EXPECT_TRUE(constraints.solve(q).met);
  Matrix forces(10, 6);  // what forces on these sites do to q
  forces << exercised[0].shape.transpose(), exercised[1].shape.transpose();
  forces = gain_of(body.equations).asDiagonal() * forces;
  const Vector change = q - start;
  const Vector rest = change - forces * solve_least_squares(forces, change);
  EXPECT_LT(rest.norm(), 1e-9 * change.norm());
}

TEST(Manipulation, PushesWhereItsSiteIsAloneIfNoOthersAreExercised) {
  // Ideal constraints: the change of q is gamma J^T times a force.
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  Manipulation constraints = manipulation_of(body, {.positions = {tip}});
  const Vector3 move(0.0, 1e-6, 2e-6);
  constraints.set_position(0, tip.rest + move);
  Vector q = Vector::Zero(10);
  EXPECT_TRUE(constraints.solve(q).met);
  const Matrix gain_shape = gain_of(body.equations).asDiagonal() * tip.shape.transpose();
  const Vector expected = gain_shape * (tip.shape * gain_shape).inverse() * move;
  EXPECT_LT((q - expected).norm(), 1e-3 * expected.norm());
}

TEST(Manipulation, MeetsAConstraintThatIsGivenTwice) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  Manipulation constraints = manipulation_of(body, {.positions = {tip, tip}, .orientations = {tip, tip}});
  constraints.set_targets(some_shape(body, 0.4));
  Vector q = Vector::Zero(10);
  const ConstraintReport report = constraints.solve(q);
  EXPECT_TRUE(report.met) << report.position_error << " m, " << report.orientation_error << " rad";
}

TEST(Manipulation, GoesHalfWayBetweenTargetsThatContradict) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  Manipulation constraints = manipulation_of(body, {.positions = {tip, tip}});
  const Vector3 middle = tip.rest + tip.displacement(some_shape(body, 0.2));
  const Vector3 apart(0.0, 0.02, 0.03);
  constraints.set_position(0, middle + apart);
  constraints.set_position(1, middle - apart);
  Vector q = Vector::Zero(10);
  const ConstraintReport report = constraints.solve(q);
  EXPECT_FALSE(report.met);
  EXPECT_NEAR(report.position_error, apart.norm(), 1e-4 * apart.norm());
  EXPECT_LT((tip.rest + tip.displacement(q) - middle).norm(), 1e-4 * apart.norm());
}

TEST(Manipulation, ReportsMoreConstraintsThanModes) {
  const WarpedBody body = warped_beam(4);
  ManipulationSites sites;
  for (const double x : {0.5, 0.67, 0.83, 1.0})
    sites.positions.push_back(body.site_near(Vector3(x, 0.1, 0.1)));
  Manipulation constraints = manipulation_of(body, std::move(sites));
  for (Index i = 0; i < 4; ++i)
    constraints.set_position(
        i, constraints.position_target(i) + random_vector(3, 0.1, 10 + static_cast<std::uint64_t>(i)));
  Vector q = Vector::Zero(4);
  const double before = constraints.position_error(0, q) + constraints.position_error(1, q) +
                        constraints.position_error(2, q) + constraints.position_error(3, q);
  const ConstraintReport report = constraints.solve(q);
  EXPECT_FALSE(report.met);
  EXPECT_TRUE(q.allFinite());
  EXPECT_GT(report.position_error, 1e-3);
  EXPECT_LT(report.position_error, before);
}

TEST(Manipulation, StaysFiniteForTargetsOutOfReach) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  for (const std::vector<WarpSite>& exercised : {std::vector<WarpSite>{}, std::vector<WarpSite>{tip}}) {
    Manipulation constraints = manipulation_of(body, {.positions = {tip}, .exercised = exercised});
    for (const Vector3& target : {Vector3(50.0, 0.0, 0.0), Vector3(-3.0, 2.0, 0.0), Vector3(0.0, 0.0, 1e6)}) {
      constraints.set_position(0, target);
      Vector q = some_shape(body, 0.1);
      const ConstraintReport report = constraints.solve(q);
      EXPECT_TRUE(q.allFinite());
      EXPECT_TRUE(std::isfinite(report.position_error));
      EXPECT_LE(report.position_error, (target - tip.rest).norm() + 0.2);
      EXPECT_EQ(report.met, report.position_error <= 2e-10 * body.equations.size + 1e-9 * report.met);
    }
  }
}

TEST(Manipulation, TriesLessWhileATargetStaysOutOfReach) {
  const WarpedBody body = warped_beam(2);
  const WarpSite tip = body.site_near(tip_place);
  Manipulation constraints = manipulation_of(body, {.positions = {tip}, .exercised = {tip}});
  constraints.set_position(0, Vector3(50.0, 0.0, 0.0));
  Vector q = Vector::Zero(2);
  const ConstraintReport first = constraints.solve(q);
  ASSERT_FALSE(first.met);
  ASSERT_GT(first.iterations, 12);
  Vector again = Vector::Zero(2);
  EXPECT_LE(constraints.solve(again).iterations, 12);
  // Another target out of reach is worth the effort again.
  constraints.set_position(0, Vector3(0.0, 60.0, 0.0));
  again.setZero();
  EXPECT_GT(constraints.solve(again).iterations, 12);
}

TEST(Manipulation, MeetsATargetThatComesBackIntoReach) {
  const WarpedBody body = warped_beam(2);
  const WarpSite tip = body.site_near(tip_place);
  Manipulation constraints = manipulation_of(body, {.positions = {tip}, .exercised = {tip}});
  const Vector3 near = tip.rest + tip.displacement(some_shape(body, 0.2));
  Vector q = Vector::Zero(2);
  ConstraintReport report;
  bool missed = false;
  for (int i = 0; i <= 40; ++i) {  // out by 10 m and back
    const double share = 1.0 - std::abs(i - 20) / 20.0;
    constraints.set_position(0, near + share * Vector3(10.0, 0.0, 0.0));
    report = constraints.solve(q);
    missed = missed || !report.met;
  }
  EXPECT_TRUE(missed);
  EXPECT_TRUE(report.met) << report.position_error;
}

/// In the linear regime, where an independent solution is at hand: two sites shall move and turn, twelve
/// conditions for ten modes.
struct Conflict {
  WarpedBody body = warped_beam();
  WarpSite tip = body.site_near(tip_place), middle = body.site_near(Vector3(0.5, 0.0, 0.0));
  Vector moves, turns;  ///< wanted, shares of the size and rad
  Matrix P, O;          ///< of q

  Conflict() : moves(random_vector(6, 1e-5, 20)), turns(random_vector(6, 1e-5, 21)), P(6, 10), O(6, 10) {
    P << tip.shape / body.equations.size, middle.shape / body.equations.size;
    O << tip.turn, middle.turn;
  }

  [[nodiscard]] Vector solve(ConstraintPriority priority) const {
    std::vector<WarpSite> linear{tip, middle};
    for (WarpSite& site : linear) site.turn.setZero();
    Manipulation constraints =
        manipulation_of(body, {.positions = linear, .orientations = {tip, middle}, .priority = priority});
    for (Index i = 0; i < 2; ++i) {
      const Vector3 w = turns.segment<3>(3 * i);
      constraints.set_position(
          i, constraints.position_target(i) + body.equations.size * moves.segment<3>(3 * i));
      constraints.set_orientation(i, Eigen::Quaterniond(Eigen::AngleAxisd(w.norm(), w.normalized())));
    }
    Vector q = Vector::Zero(10);
    EXPECT_FALSE(constraints.solve(q).met);
    return q;
  }
  [[nodiscard]] Matrix gain() const { return gain_of(body.equations).asDiagonal(); }
};

TEST(ConstraintPriority, OfPositionLeavesTheSmallestErrorOfOrientation) {
  const Conflict conflict;
  const Vector q = conflict.solve(ConstraintPriority::position);
  EXPECT_LT((conflict.P * q - conflict.moves).norm(), 1e-9);
  const Vector f = constrained_least_squares(conflict.P * conflict.gain(), conflict.moves,
                                             conflict.O * conflict.gain(), conflict.turns);
  const double least = (conflict.O * conflict.gain() * f - conflict.turns).norm();
  ASSERT_GT(least, 1e-7);
  EXPECT_NEAR((conflict.O * q - conflict.turns).norm(), least, 1e-4 * least);
}

TEST(ConstraintPriority, OfOrientationLeavesTheSmallestErrorOfPosition) {
  const Conflict conflict;
  const Vector q = conflict.solve(ConstraintPriority::orientation);
  EXPECT_LT((conflict.O * q - conflict.turns).norm(), 1e-9);
  const Vector f = constrained_least_squares(conflict.O * conflict.gain(), conflict.turns,
                                             conflict.P * conflict.gain(), conflict.moves);
  const double least = (conflict.P * conflict.gain() * f - conflict.moves).norm();
  ASSERT_GT(least, 1e-7);
  EXPECT_NEAR((conflict.P * q - conflict.moves).norm(), least, 1e-4 * least);
}

TEST(ConstraintPriority, DecidesWhichTaskIsMetWhenWarpedFar) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place);
  for (const ConstraintPriority priority : {ConstraintPriority::position, ConstraintPriority::orientation}) {
    Manipulation constraints = manipulation_of(
        body, {.positions = {tip}, .orientations = {tip}, .exercised = {tip}, .priority = priority});
    // Where a force on the tip can bring it; how it is turned there is another matter.
    const Vector reachable =
        gain_of(body.equations).asDiagonal() * (tip.shape.transpose() * Vector3(0.0, 1e3, 2e3));
    constraints.set_targets(reachable);
    constraints.set_orientation(0, Eigen::Quaterniond(Eigen::AngleAxisd(0.8, Vector3::UnitX())));
    Vector q = Vector::Zero(10);
    const ConstraintReport report = constraints.solve(q);
    EXPECT_FALSE(report.met);  // three forces for six conditions
    const double position = report.position_error / body.equations.size;
    if (priority == ConstraintPriority::position) {
      EXPECT_LT(position, 1e-9);
      EXPECT_GT(report.orientation_error, 1e-3);
    } else {
      EXPECT_GT(position, 1e-3);
    }
  }
}

TEST(Manipulation, TwistsOnThroughWholeTurns) {
  const WarpedBody body = warped_beam(14);
  const WarpSite tip = body.site_near(tip_place);
  Manipulation constraints = manipulation_of(body, {.positions = {tip}, .orientations = {tip}});
  Vector q = Vector::Zero(14);
  const int steps = 90;
  double largest_change = 0.0;
  for (int i = 1; i <= steps; ++i) {
    constraints.set_orientation(0, turn_about_x(3.0 * pi * i / steps));
    const Vector before = q;
    const ConstraintReport report = constraints.solve(q);
    ASSERT_TRUE(report.met) << "step " << i << ": " << report.position_error << " m, "
                            << report.orientation_error << " rad, " << report.iterations << " iterations";
    largest_change = std::max(largest_change, (q - before).norm());
  }
  EXPECT_LT((tip.rotation(q) - Vector3(3.0 * pi, 0.0, 0.0)).norm(), 1e-9);
  EXPECT_LT(largest_change, 0.1 * q.norm());
}

TEST(Manipulation, StaysFiniteWhereTheMeanRotationIsSingular) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(Vector3(1.0, 0.12, 0.1));
  Manipulation constraints = manipulation_of(body, {.positions = {tip}});
  // A start at which the site is turned by exactly 2 pi.
  Vector q = solve_least_squares(tip.turn, 2.0 * pi * Vector::Unit(3, 0));
  constraints.set_targets(q);
  constraints.set_position(0, constraints.position_target(0) + Vector3(0.01, 0.02, -0.03));
  const double before = q.norm();
  const ConstraintReport report = constraints.solve(q);
  EXPECT_TRUE(q.allFinite());
  EXPECT_LT(q.norm(), 10.0 * before);
  EXPECT_LT(report.position_error, 0.04);
}

TEST(Manipulation, ForStepsOfAnotherLengthKeepsItsTargets) {
  const WarpedBody body = warped_beam();
  Manipulation constraints = manipulation_of(body, {.positions = {body.site_near(tip_place)}});
  constraints.set_targets(some_shape(body, 0.2));
  const Vector3 target = constraints.position_target(0);
  constraints.set_gain(gain_of(body.equations, 1e-3));
  EXPECT_EQ(constraints.position_target(0), target);
  Vector q = Vector::Zero(10);
  EXPECT_TRUE(constraints.solve(q).met);
}

TEST(Manipulation, RefusesWhatCannotBe) {
  const WarpedBody body = warped_beam();
  const WarpSite tip = body.site_near(tip_place), wall = body.site_near(Vector3(0.0, 0.0, 0.0));
  EXPECT_THROW(manipulation_of(body, {.positions = {tip, wall}}), Error);
  EXPECT_THROW(manipulation_of(body, {.positions = {tip}, .exercised = {wall}}), Error);
  EXPECT_THROW(manipulation_of(warped_beam(3), {.positions = {tip}}), Error);
  Manipulation constraints = manipulation_of(body, {.positions = {tip}, .orientations = {tip}});
  EXPECT_THROW(constraints.set_position(1, Vector3::Zero()), Error);
  EXPECT_THROW(constraints.set_position(-1, Vector3::Zero()), Error);
  EXPECT_THROW(constraints.set_position(0, Vector3::Constant(std::nan(""))), Error);
  EXPECT_THROW(constraints.set_orientation(1, Eigen::Quaterniond::Identity()), Error);
  EXPECT_THROW(constraints.set_orientation(0, Eigen::Quaterniond(1.0, 0.1, 0.0, 0.0)), Error);
  EXPECT_THROW(constraints.set_orientation(0, Eigen::Quaterniond(std::nan(""), 0.0, 0.0, 0.0)), Error);
  EXPECT_EQ(constraints.position_target(0), tip.rest);
}

TEST(Manipulation, OfNoSitesChangesNothing) {
  const Manipulation none;
  Vector q = Vector::Ones(3);
  EXPECT_TRUE(none.solve(q).met);
  EXPECT_EQ(q, Vector::Ones(3));
}

TEST(Manipulation, ReportsAmplitudesThatAreNotFinite) {
  const WarpedBody body = warped_beam();
  const Manipulation constraints = manipulation_of(body, {.positions = {body.site_near(tip_place)}});
  Vector q = Vector::Constant(10, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(constraints.solve(q).met);
}

}  // namespace
}  // namespace limber::manipulation_test
