#include "limber/warp/oscillators.hpp"

#include "limber/base/error.hpp"

#include <cmath>

namespace limber {
namespace {

/// The coefficients of one oscillator.
struct Coefficients {
  double q_of_q, q_of_v, q_of_f;
  double v_of_q, v_of_v, v_of_f;
};

Coefficients semi_implicit(double k, double c, double h) {
  const double friction = h * c, spring = h * h * k;
  const double d = 1.0 + friction + spring;
  return {(1.0 + friction) / d, h / d, h * h / d, -spring / d / h, 1.0 / d, h / d};
}

/// q and v move by the mean of the accelerations at both ends, of which the one at the end is eliminated.
Coefficients newmark(double k, double c, double h) {
  const double friction = 0.5 * h * c, spring = 0.25 * h * h * k;
  const double d = 1.0 + friction + spring;
  return {(1.0 + friction - spring) / d, h / d, 0.5 * h * h / d, -4.0 * spring / d / h,
          (1.0 - friction - spring) / d, h / d};
}

// The exact step, in units of h: the oscillator x'' + 2 a x' + w^2 x = f over the time 1, with a = c h / 2
// and w = h sqrt(k). All follows from its answer S(t) to an impulse, S'' + 2 a S' + w^2 S = 0, S(0) = 0,
// S'(0) = 1: the answer to f = 1 is the integral F of S, that to x(0) = 1 is 1 - w^2 F = S' + 2 a S. Each
// range below has forms that neither cancel nor overflow in it.
struct Response {
  double S, slope, F, decay;  ///< S(1), S'(1), F(1), S'(1) + 2 a S(1)
};

/// a and w below 1: the Taylor series. Its terms grow to a few times the sum at most.
Response short_step(double a, double w) {
  double previous = 0.0, derivative = 1.0;  // S^(n-1)(0) and S^(n)(0)
  double power = 1.0;                       // 1 / (n - 1)!
  Response r{0.0, 0.0, 0.0, 0.0};
  // |S^(n)(0)| <= n 2^(n-1): what comes after 27 terms is below 1e-19.
  for (int n = 1; n <= 27; ++n) {
    r.slope += derivative * power;
    r.S += derivative * power / n;
    r.F += derivative * power / (n * (n + 1.0));
    power /= n;
    const double next = -2.0 * a * derivative - w * w * previous;
    previous = derivative;
    derivative = next;
  }
  r.decay = 1.0 - w * w * r.F;
  return r;
}

Response underdamped(double a, double w) {
  const double frequency = std::sqrt(w - a) * std::sqrt(w + a);
  const double envelope = std::exp(-a), cosine = envelope * std::cos(frequency);
  const double S = envelope * (frequency > 0.0 ? std::sin(frequency) / frequency : 1.0);
  return {S, cosine - a * S, (1.0 - cosine - a * S) / w / w, cosine + a * S};
}

/// (1 - exp(-x)) / x.
double mean_decay(double x) { return x > 0.0 ? -std::expm1(-x) / x : 1.0; }

/// Two rates, fast >= slow: S' + fast S = exp(-slow t) and S' + slow S = exp(-fast t).
Response overdamped(double a, double w) {
  const double half_gap = std::sqrt(a - w) * std::sqrt(a + w);
  const double fast = a + half_gap, slow = w * (w / fast);
  const double S = std::exp(-slow) * mean_decay(2.0 * half_gap);
  const double fast_decay = std::exp(-fast);
  return {S, fast_decay - slow * S, (mean_decay(slow) - S) / fast, fast_decay + fast * S};
}

Coefficients exact(double k, double c, double h) {
  const double rate = std::sqrt(k), a = 0.5 * c * h, w = rate * h;
  const Response r = a < 1.0 && w < 1.0 ? short_step(a, w) : a < w ? underdamped(a, w) : overdamped(a, w);
  return {r.decay, h * r.S, h * h * r.F, -w * r.S * rate, r.slope, h * r.S};
}

Coefficients coefficients_of(ModalIntegrator integrator, double k, double c, double h) {
  switch (integrator) {
    case ModalIntegrator::semi_implicit:
      return semi_implicit(k, c, h);
    case ModalIntegrator::newmark:
      return newmark(k, c, h);
    case ModalIntegrator::exact:
      break;
  }
  return exact(k, c, h);
}

}  // namespace

OscillatorStep make_oscillator_step(const VectorRef& stiffness, const VectorRef& damping, double h,
                                    ModalIntegrator integrator) {
  const Index count = stiffness.size();
  require(damping.size() == count, "{} dampings for {} oscillators, expected one each", damping.size(),
          count);
  require(std::isfinite(h) && h > 0.0, "a step of {} s, expected a positive number", h);
  OscillatorStep step;
  for (Vector* values : {&step.q_of_q, &step.q_of_v, &step.q_of_f, &step.v_of_q, &step.v_of_v, &step.v_of_f})
    values->resize(count);
  for (Index i = 0; i < count; ++i) {
    const double k = stiffness(i), c = damping(i);
    require(std::isfinite(k) && k >= 0.0, "the stiffness of oscillator {} is {}, expected at least 0 1/s^2",
            i, k);
    require(std::isfinite(c) && c >= 0.0, "the damping of oscillator {} is {}, expected at least 0 1/s", i,
            c);
    const Coefficients one = coefficients_of(integrator, k, c, h);
    for (const double value : {one.q_of_q, one.q_of_v, one.q_of_f, one.v_of_q, one.v_of_v, one.v_of_f}) {
      require(
          std::isfinite(value),
          "the step of {} s is too long for oscillator {} of stiffness {} and damping {}; take a shorter one",
          h, i, k, c);
    }
    step.q_of_q(i) = one.q_of_q;
    step.q_of_v(i) = one.q_of_v;
    step.q_of_f(i) = one.q_of_f;
    step.v_of_q(i) = one.v_of_q;
    step.v_of_v(i) = one.v_of_v;
    step.v_of_f(i) = one.v_of_f;
  }
  return step;
}

}  // namespace limber
