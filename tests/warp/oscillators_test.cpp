#include "limber/warp/oscillators.hpp"

#include "tests/support/files.hpp"
#include "tests/warp/support.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace limber::oscillators_test {
namespace {

using Kind = ModalIntegrator;

constexpr std::array all_kinds{Kind::semi_implicit, Kind::newmark, Kind::exact};

/// Of one oscillator: [q_of_q, q_of_v, q_of_f; v_of_q, v_of_v, v_of_f].
Eigen::Matrix<double, 2, 3> step_of(double k, double c, double h, Kind kind) {
  const OscillatorStep s = make_oscillator_step(Vector::Constant(1, k), Vector::Constant(1, c), h, kind);
  Eigen::Matrix<double, 2, 3> result;
  result << s.q_of_q, s.q_of_v, s.q_of_f, s.v_of_q, s.v_of_v, s.v_of_f;
  return result;
}

/// The same by the exponential of the equation's matrix: its series for a step so short that it converges at
/// once, squared again and again, all in long double.
Eigen::Matrix<double, 2, 3> reference(long double k, long double c, long double h) {
  using Matrix3L = Eigen::Matrix<long double, 3, 3>;
  Matrix3L A;  // of (q, v, f), in units of h
  A << 0, 1, 0, -k * h * h, -c * h, 1, 0, 0, 0;
  int halvings = 0;
  for (long double size = A.cwiseAbs().maxCoeff(); size > 0.25L; size /= 2) ++halvings;
  A *= std::pow(0.5L, static_cast<long double>(halvings));
  // exp(A) - I, so that what is small is not lost beside 1.
  Matrix3L term = A, change = A;
  for (int i = 2; i < 25; ++i) {
    term = (term * A / i).eval();
    change += term;
  }
  for (int i = 0; i < halvings; ++i) change = (2.0L * change + change * change).eval();
  const Matrix3L step = change + Matrix3L::Identity();
  Eigen::Matrix<long double, 2, 3> result;
  result << step(0, 0), h * step(0, 1), h * h * step(0, 2), step(1, 0) / h, step(1, 1), h * step(1, 2);
  return result.cast<double>();
}

/// Largest difference of the coefficients, each relative to its size for slow motion: 1, h, h^2 / 2; k h or 1
/// / h, 1, h.
double difference(const Eigen::Matrix<double, 2, 3>& a, const Eigen::Matrix<double, 2, 3>& b, double k,
                  double h) {
  Eigen::Matrix<double, 2, 3> scale;
  scale << 1, h, 0.5 * h * h, std::max(k * h, 1e-300), 1, h;
  return ((a - b).array() / scale.array()).abs().maxCoeff();
}

TEST(ExactOscillator, IsTheExponentialForEveryDampingAndStep) {
  for (const double w : {0.0, 1e-9, 1e-4, 0.1, 0.9, 0.999, 1.001, 3.0, 20.0}) {    // h sqrt(k)
    for (const double a : {0.0, 1e-9, 1e-4, 0.1, 0.9, 0.999, 1.001, 3.0, 20.0}) {  // h c / 2
      for (const double h : {1.0, 1e-3}) {
        const double k = w * w / (h * h), c = 2.0 * a / h;
        EXPECT_LT(difference(step_of(k, c, h, Kind::exact), reference(k, c, h), k, h), 2e-14)
            << "w h = " << w << ", c h / 2 = " << a << ", h = " << h;
      }
    }
  }
}

TEST(ExactOscillator, IsSmoothThroughCriticalDamping) {
  for (const double w : {0.5, 1.5, 6.0}) {
    for (const double factor : {1.0 - 1e-6, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.0 + 1e-6}) {
      const double k = w * w, c = 2.0 * w * factor;
      EXPECT_LT(difference(step_of(k, c, 1.0, Kind::exact), reference(k, c, 1.0), k, 1.0), 1e-14)
          << w << " " << factor;
    }
  }
}

TEST(ExactOscillator, IsUniformMotionWithoutSpringAndDamping) {
  const double h = 0.3;
  Eigen::Matrix<double, 2, 3> expected;
  expected << 1, h, 0.5 * h * h, 0, 1, h;
  EXPECT_LT((step_of(0, 0, h, Kind::exact) - expected).cwiseAbs().maxCoeff(), 1e-16);
}

TEST(ExactOscillator, KeepsItsDigitsForTheShortestSteps) {
  const double h = 1e-9, k = 7.0, c = 3.0;
  const auto step = step_of(k, c, h, Kind::exact);
  EXPECT_NEAR(step(0, 2) / (0.5 * h * h), 1.0 - c * h / 3.0, 1e-15);
  EXPECT_NEAR(step(0, 1) / h, 1.0 - 0.5 * c * h, 1e-15);
  EXPECT_NEAR(step(1, 0) / (-k * h), 1.0 - 0.5 * c * h, 1e-15);
}

TEST(ExactOscillator, CreepsUnderHugeDampingWithoutOverflow) {
  // q' = (f - k q) / c, and v follows at once.
  for (const double c : {1e6, 1e12, 1e100, 1e300}) {
    const double h = 2.0, k = 0.7 * c;
    const auto step = step_of(k, c, h, Kind::exact);
    EXPECT_NEAR(step(0, 0), std::exp(-0.7 * h), 2.0 / c + 1e-15) << c;
    EXPECT_NEAR(step(0, 2) * k, 1.0 - std::exp(-0.7 * h), 2.0 / c + 1e-15) << c;
    EXPECT_NEAR(step(1, 0), -0.7 * std::exp(-0.7 * h), 2.0 / c + 1e-15) << c;
    EXPECT_NEAR(step(1, 1), 0.0, 2.0 / c) << c;
  }
}

TEST(ExactOscillator, GivesTheSameInOneStepAsInTwo) {
  for (const double c : {0.0, 0.5, 4.0, 9.0}) {
    const auto half = step_of(4.0, c, 0.7, Kind::exact), whole = step_of(4.0, c, 1.4, Kind::exact);
    const Eigen::Matrix2d A = half.leftCols<2>();
    EXPECT_LT((A * A - whole.leftCols<2>()).norm(), 1e-14) << c;
    EXPECT_LT((A * half.col(2) + half.col(2) - whole.col(2)).norm(), 1e-14) << c;
  }
}

TEST(SemiImplicitOscillator, HasTheCoefficientsOfThePaper) {
  const double k = 40.0, c = 3.0, h = 1.0 / 30.0, d = 1.0 + h * c + h * h * k;
  const double alpha = 1.0 - h * h * k / d, beta = h * (1.0 - (h * c + h * h * k) / d), gamma = h * h / d;
  Eigen::Matrix<double, 2, 3> expected;
  expected << alpha, beta, gamma, (alpha - 1.0) / h, beta / h, gamma / h;
  EXPECT_LT((step_of(k, c, h, Kind::semi_implicit) - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(NewmarkOscillator, MovesByTheMeanOfTheAccelerationsAtBothEnds) {
  const double k = 40.0, c = 3.0, h = 0.1, q = 0.7, v = -1.3, f = 5.0;
  const Eigen::Vector2d end = step_of(k, c, h, Kind::newmark) * Vector3(q, v, f);
  const double sum = (f - c * v - k * q) + (f - c * end(1) - k * end(0));
  EXPECT_NEAR(end(0), q + h * v + 0.25 * h * h * sum, 1e-15);
  EXPECT_NEAR(end(1), v + 0.5 * h * sum, 2e-15);
}

TEST(Oscillators, ConvergeWithTheOrderOfTheirIntegrator) {
  const double k = 30.0, c = 1.5, end = 1.0;
  const auto error = [&](Kind kind, int steps) {
    const Vector3 start(0.4, -1.0, 6.0);
    const auto step = step_of(k, c, end / steps, kind);
    Eigen::Vector2d state = start.head<2>();
    for (int i = 0; i < steps; ++i) state = (step * Vector3(state(0), state(1), start(2))).eval();
    return (state - reference(k, c, end) * start).norm();
  };
  EXPECT_NEAR(test::order_of(error(Kind::semi_implicit, 800), error(Kind::semi_implicit, 1600)), 1.0, 0.05);
  EXPECT_NEAR(test::order_of(error(Kind::newmark, 100), error(Kind::newmark, 200)), 2.0, 0.05);
  EXPECT_LT(error(Kind::exact, 7), 1e-14);
}

TEST(Oscillators, KeepTheirEnergyWithoutDampingUnlessSemiImplicit) {
  const double k = 30.0, h = 0.1;
  for (const Kind kind : all_kinds) {
    const auto step = step_of(k, 0.0, h, kind);
    Eigen::Vector2d state(0.4, -1.0);
    const auto energy = [&] { return 0.5 * (k * state(0) * state(0) + state(1) * state(1)); };
    const double before = energy();
    for (int i = 0; i < 1000; ++i) state = (step.leftCols<2>() * state).eval();
    if (kind == Kind::semi_implicit)
      EXPECT_LT(energy(), 1e-3 * before);
    else
      EXPECT_NEAR(energy() / before, 1.0, 1e-12);
  }
}

TEST(Oscillators, RestWhereForceAndSpringAreInBalance) {
  const double k = 30.0, f = 6.0;
  for (const Kind kind : all_kinds) {
    for (const double h : {1e-3, 0.1, 10.0}) {
      const Eigen::Vector2d end = step_of(k, 2.0, h, kind) * Vector3(f / k, 0.0, f);
      EXPECT_NEAR(end(0), f / k, 1e-15);
      EXPECT_NEAR(end(1), 0.0, 1e-14);
    }
  }
}

TEST(Oscillators, AreSteppedEachByItsOwnNumbers) {
  const Vector k = Vector3(1.0, 0.0, 50.0), c = Vector3(0.1, 2.0, 30.0);
  for (const Kind kind : all_kinds) {
    const OscillatorStep all = make_oscillator_step(k, c, 0.05, kind);
    for (Index i = 0; i < 3; ++i) {
      Eigen::Matrix<double, 2, 3> one;
      one << all.q_of_q(i), all.q_of_v(i), all.q_of_f(i), all.v_of_q(i), all.v_of_v(i), all.v_of_f(i);
      EXPECT_EQ(one, step_of(k(i), c(i), 0.05, kind));
    }
  }
}

TEST(Oscillators, RefuseImpossibleNumbers) {
  const Vector two = Vector::Ones(2);
  const auto text = [](double k, double c, double h) {
    return test::error_text([&] { step_of(k, c, h, Kind::exact); });
  };
  EXPECT_EQ(test::error_text([&] { make_oscillator_step(two, Vector::Ones(3), 0.1, Kind::exact); }),
            "3 dampings for 2 oscillators, expected one each");
  EXPECT_EQ(text(1, 1, 0), "a step of 0 s, expected a positive number");
  EXPECT_EQ(text(1, 1, std::numeric_limits<double>::infinity()),
            "a step of inf s, expected a positive number");
  EXPECT_EQ(text(-1, 1, 1), "the stiffness of oscillator 0 is -1, expected at least 0 1/s^2");
  EXPECT_EQ(text(1, std::nan(""), 1), "the damping of oscillator 0 is nan, expected at least 0 1/s");
}

TEST(Oscillators, RefuseStepsThatLeaveTheRangeOfDouble) {
  for (const Kind kind : all_kinds) {
    EXPECT_EQ(test::error_text([&] { step_of(1e300, 1.0, 1e200, kind); }),
              "the step of 1e+200 s is too long for oscillator 0 of stiffness 1e+300 and damping 1; take a "
              "shorter one");
    EXPECT_EQ(test::error_text([&] { step_of(1.0, 1e200, 1e200, kind); }),
              "the step of 1e+200 s is too long for oscillator 0 of stiffness 1 and damping 1e+200; take a "
              "shorter one");
  }
}

}  // namespace
}  // namespace limber::oscillators_test
