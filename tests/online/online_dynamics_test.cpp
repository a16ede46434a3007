#include "limber/online/online_dynamics.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace limber::online_dynamics_test {
namespace {

using Stiffness = RayleighDamping::Stiffness;

/// A beam of 192 tetrahedra that takes about a second to swing.
FullModel beam(std::string_view law, bool held = true) {
  VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {8, 2, 2}});
  const std::vector<int> fixed = held ? test::vertices_below(mesh, 1e-9) : std::vector<int>{};
  FullModelOptions options;
  options.executor = Executor(1);
  return {std::move(mesh), {test::material(law, 1e6)}, fixed, options};
}

/// A motion to be computed both ways.
struct Motion {
  FullModel model;
  LoadFunction load;
  Vector u, v;
  DynamicsOptions options;
  OnlineSettings settings;
  double h = 0.01;
  int steps = 250;

  explicit Motion(std::string_view law, bool held = true)
      : model(beam(law, held)),
        load(gravity(model)),
        u(Vector::Zero(model.dof_count())),
        v(Vector::Zero(model.dof_count())) {}

  static LoadFunction gravity(const FullModel& model, const Vector3& g = {0, 0, -5}) {
    return [f = model.gravity_force(g)](double, double, Vector& sum) { sum = f; };
  }
  [[nodiscard]] FullDynamics full() const { return {model, load, u, v, options}; }
  OnlineDynamics online() { return {model, load, u, v, options, settings, h * steps}; }
};

/// What a run made of it.
struct Outcome {
  OnlineReport report;
  double error = 0.0;  ///< largest against the full run, as a share of the largest displacement until then
  double largest = 0.0;

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "error {:.4f} (estimate {:.4f}), skipped {:.3f}, rank {}, grown {}, shrunk {}, largest {:.3f} m",
        error, report.error, report.skipped_share(), report.rank, report.basis_grown, report.basis_shrunk,
        largest);
  }
};

/// Takes all steps both ways. Asserts that time goes on by one step at a time.
Outcome compare(Motion& motion) {
  FullDynamics full = motion.full();
  OnlineDynamics online = motion.online();
  const OnlineBasis measure(motion.model.mass());
  Outcome outcome;
  for (int i = 0; i < motion.steps; ++i) {
    EXPECT_TRUE(full.step(motion.h).ok()) << "step " << i;
    EXPECT_TRUE(online.step(motion.h).ok()) << "step " << i;
    EXPECT_NEAR(online.state().time, (i + 1) * motion.h, 1e-9);
    EXPECT_EQ(online.report().timeline.size(), static_cast<std::size_t>(i + 1));
    outcome.largest = std::max(outcome.largest, measure.norm(full.state().u));
    outcome.error =
        std::max(outcome.error, measure.norm(full.state().u - online.displacement()) / outcome.largest);
  }
  outcome.report = online.report();
  ::testing::Test::RecordProperty("outcome", outcome.text());
  return outcome;
}

/// The counts of a report are those of its timeline.
void expect_consistent(const OnlineReport& report) {
  Index full = 0, grown = 0, shrunk = 0;
  double error = 0.0;
  for (const TimelineStep& step : report.timeline) {
    full += step.kind == StepKind::full ? 1 : 0;
    grown += step.change == BasisChange::grown ? 1 : 0;
    shrunk += step.change == BasisChange::shrunk ? 1 : 0;
    error = std::max(error, step.error);
  }
  EXPECT_EQ(report.full_steps, full);
  EXPECT_EQ(report.full_steps + report.reduced_steps, static_cast<Index>(report.timeline.size()));
  EXPECT_GE(report.basis_grown, grown);
  EXPECT_EQ(report.basis_shrunk, shrunk);
  EXPECT_EQ(report.error, error);
  EXPECT_EQ(report.rank, report.timeline.back().rank);
}

TEST(OnlineDynamics, WithAThrottleOfZeroHasTheBitsOfTheFullSolver) {
  for (const char* law : {"stvk", "neo-hookean"}) {
    Motion motion(law);
    motion.settings.throttle = 0.0;
    motion.options.damping = {0.1, 0.01};
    FullDynamics full = motion.full();
    OnlineDynamics online = motion.online();
    for (int i = 0; i < 40; ++i) {
      const SolveReport a = full.step(motion.h), b = online.step(motion.h);
      ASSERT_TRUE(a.ok() && b.ok());
      ASSERT_EQ(a.iterations, b.iterations);
      ASSERT_EQ(full.state().u, online.displacement()) << "step " << i;
      ASSERT_EQ(full.state().v, online.state().v) << "step " << i;
      ASSERT_EQ(full.state().a, online.state().a) << "step " << i;
      ASSERT_EQ(full.energy(), online.energy()) << "step " << i;
    }
    EXPECT_EQ(online.report().skipped_share(), 0.0);
    EXPECT_EQ(online.report().error, 0.0);
    EXPECT_EQ(online.report().rank, 0);
  }
}

/// A law and a damping, each with an error that the user accepts.
struct Case {
  const char* law;
  RayleighDamping damping;
  double error;

  friend std::ostream& operator<<(std::ostream& stream, const Case& one) {
    return stream << fmt::format("{}_{}_{}_{}_{}", one.law, one.damping.mass, one.damping.stiffness,
                                 one.damping.kind == Stiffness::local ? "local" : "linear", one.error);
  }
};

class OnlineDynamicsOf : public ::testing::TestWithParam<Case> {};

TEST_P(OnlineDynamicsOf, SkipsMostStepsWithinTheAcceptedError) {
  Motion motion(GetParam().law);
  motion.options.damping = GetParam().damping;
  motion.settings.error = GetParam().error;
  const Outcome outcome = compare(motion);
  EXPECT_GT(outcome.report.skipped_share(), 0.5) << outcome.text();
  EXPECT_LT(outcome.error, 3.0 * motion.settings.error) << outcome.text();
  EXPECT_GT(outcome.largest, 0.05) << "hardly moves: nothing is tested";
  EXPECT_LE(outcome.error, 5.0 * outcome.report.error) << "the estimate says nothing: " << outcome.text();
  expect_consistent(outcome.report);
  EXPECT_EQ(outcome.report.key_elements == 0, std::string_view(GetParam().law) == "stvk");
}

INSTANTIATE_TEST_SUITE_P(LawsAndDampings, OnlineDynamicsOf,
                         ::testing::Values(Case{"stvk", {}, 0.02}, Case{"stvk", {0.5, 0.0}, 0.02},
                                           Case{"stvk", {0.1, 0.01, Stiffness::local}, 0.02},
                                           Case{"stvk", {0.1, 0.01, Stiffness::linear}, 0.02},
                                           Case{"stvk", {}, 0.005}, Case{"neo-hookean", {}, 0.02},
                                           Case{"neo-hookean", {0.1, 0.01, Stiffness::local}, 0.02},
                                           Case{"neo-hookean", {0.1, 0.01, Stiffness::linear}, 0.02},
                                           Case{"corotational", {}, 0.02},
                                           Case{"corotational", {0.1, 0.01, Stiffness::local}, 0.02}));

/// Steps far longer than the body's periods: subspaces are tried and left again.
TEST(OnlineDynamics, HasTheBitsOfTheFullSolverUntilItsFirstReducedStep) {
  for (const std::string_view law : {"corotational", "neo-hookean", "stvk"}) {
    Motion motion(law);
    motion.h = 0.3;
    motion.steps = 40;
    motion.load = [push = motion.model.gravity_force({1, -2, 5})](double from, double, Vector& sum) {
      sum = from < 1.0 ? push : Vector(0.0 * push);
    };
    FullDynamics full = motion.full();
    OnlineDynamics online = motion.online();
    for (int i = 0; i < motion.steps; ++i) {
      ASSERT_TRUE(full.step(motion.h).ok() && online.step(motion.h).ok()) << law << ", step " << i;
      if (online.report().reduced_steps > 0) break;
      ASSERT_EQ(online.state().u, full.state().u) << law << ", step " << i;
      ASSERT_EQ(online.state().a, full.state().a) << law << ", step " << i;
    }
  }
}

/// Key elements have an energy of their own: held to that, which each calibration makes another, swings would
/// lose what the full model keeps, or gain what it does not have.
TEST(OnlineDynamics, KeepsTheEnergyOfTheFullSolverAfterLettingGo) {
  for (const std::string_view law : {"corotational", "neo-hookean"}) {
    SCOPED_TRACE(law);
    Motion motion(law);
    motion.h = 0.05;
    motion.load = [push = motion.model.gravity_force({1, -2, -8})](double from, double, Vector& sum) {
      sum = from < 0.5 ? push : Vector(0.0 * push);
    };
    FullDynamics full = motion.full();
    OnlineDynamics online = motion.online();
    double start = 0.0, most = 0.0;
    for (int i = 0; i < motion.steps; ++i) {
      ASSERT_TRUE(full.step(motion.h).ok() && online.step(motion.h).ok()) << "step " << i;
      if (i < 12) start = online.energy();
      if (i >= 12) most = std::max(most, online.energy());
    }
    EXPECT_GT(online.energy(), 0.98 * full.energy());
    EXPECT_LT(most, 1.005 * start);
    EXPECT_GT(online.report().skipped_share(), 0.5);
  }
}

/// Audits, eight steps apart at most, find what was gained since the last one; near turning points there is
/// hardly any velocity to take it from.
TEST(OnlineDynamics, GivesBackAtAuditsWhatItsStepsHaveGained) {
  const VolumeMesh mesh = make_beam({.size = {0.004, 0.0008, 0.0008}, .cells = {6, 1, 2}});
  for (const std::string_view law : {"corotational", "mooney-rivlin", "stvk"}) {
    SCOPED_TRACE(law);
    FullModel model(mesh, {test::material(law, 3e3)}, test::vertices_below(mesh, 1e-9),
                    {MassKind::consistent, Executor(1)});
    const double h = 0.00159;
    const int let_go = 30, steps = 260;
    const auto load = [push = model.gravity_force({0.15, -0.3, -1.2}), h](double, double to, Vector& f) {
      f = to < let_go * h ? push : Vector(0.0 * push);
    };
    OnlineSettings settings;
    settings.throttle = 10.0;
    settings.max_rank = 24;
    const Vector zero = Vector::Zero(model.dof_count());
    OnlineDynamics online(model, load, zero, zero, {}, settings, steps * h);
    std::vector<double> energies;
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(online.step(h).ok()) << "step " << i;
      if (i < let_go - 1) continue;  // in that step the load goes
      energies.push_back(online.energy());
      const double most = energies.front() * (1.0 + 1e-9);
      const bool full = online.report().timeline.back().kind == StepKind::full;
      EXPECT_TRUE(!full || energies.back() <= most) << "step " << i;
      const auto recent = energies.end() - std::min<std::ptrdiff_t>(8, std::ssize(energies));
      EXPECT_LE(*std::min_element(recent, energies.end()), most) << "step " << i;
    }
    EXPECT_GT(energies.back(), 0.8 * energies.front());
    EXPECT_GT(online.report().skipped_share(), 0.8);
  }
}

/// Another body of the scene may fail in a step in which this one has left its subspace.
TEST(OnlineDynamics, GoesBackFromAFullStepWithoutWhatReducedOnesHaveGained) {
  const VolumeMesh mesh = make_beam({.size = {0.004, 0.0008, 0.0008}, .cells = {6, 1, 2}});
  int left = 0;
  for (const std::string_view law : {"corotational", "mooney-rivlin"}) {
    SCOPED_TRACE(law);
    FullModel model(mesh, {test::material(law, 3e3)}, test::vertices_below(mesh, 1e-9),
                    {MassKind::consistent, Executor(1)});
    const double h = 0.00159;
    const int let_go = 30, steps = 200;
    const auto load = [push = model.gravity_force({0.15, -0.3, -1.2}), h](double, double to, Vector& f) {
      f = to < let_go * h ? push : Vector(0.0 * push);
    };
    OnlineSettings settings;
    settings.throttle = 10.0;
    settings.max_rank = 12;
    const Vector zero = Vector::Zero(model.dof_count());
    OnlineDynamics online(model, load, zero, zero, {}, settings, steps * h);
    double start = 0.0;
    for (int i = 0; i < steps; ++i) {
      const bool was_reduced = i > 0 && online.report().timeline.back().kind == StepKind::reduced;
      online.remember();
      ASSERT_TRUE(online.step(h).ok()) << "step " << i;
      if (i < let_go) start = online.energy();
      const bool full = online.report().timeline.back().kind == StepKind::full;
      if (i < let_go + 2 || !was_reduced || !full) continue;
      ++left;
      online.go_back();
      EXPECT_LE(online.energy() + online.state().slack, start * (1.0 + 1e-9)) << "step " << i;
      ASSERT_TRUE(online.step(h).ok()) << "step " << i;
    }
  }
  EXPECT_GT(left, 0);
}

TEST(OnlineDynamics, SkipsMoreWithALargerThrottle) {
  double last = 0.0;
  for (const double throttle : {0.25, 1.0, 4.0}) {
    Motion motion("stvk");
    motion.settings.throttle = throttle;
    const Outcome outcome = compare(motion);
    EXPECT_GE(outcome.report.skipped_share(), last) << "throttle " << throttle << ": " << outcome.text();
    EXPECT_LT(outcome.error, 3.0 * throttle * motion.settings.error)
        << "throttle " << throttle << ": " << outcome.text();
    last = outcome.report.skipped_share();
  }
}

TEST(OnlineDynamics, SurvivesATinyRankByDowndating) {
  for (const char* law : {"stvk", "neo-hookean"}) {
    Motion motion(law);
    motion.settings.max_rank = 6;
    motion.options.damping = {0.1, 0.01};
    const Outcome outcome = compare(motion);
    EXPECT_GT(outcome.report.basis_shrunk, 0) << outcome.text();
    EXPECT_LT(outcome.error, 3.0 * motion.settings.error) << outcome.text();
    expect_consistent(outcome.report);
    for (const TimelineStep& step : outcome.report.timeline) EXPECT_LE(step.rank, 7);
  }
}

TEST(OnlineDynamics, LeavesABodyWithoutLoadAtRest) {
  Motion motion("stvk");
  motion.load = Motion::gravity(motion.model, Vector3::Zero());
  OnlineDynamics online = motion.online();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(online.step(motion.h).ok());
  EXPECT_EQ(online.displacement().norm(), 0.0);
  EXPECT_EQ(online.report().rank, 0);
  EXPECT_EQ(online.report().full_steps, 10);
}

TEST(OnlineDynamics, FollowsAFreeBodyThatFallsAndVibrates) {
  Motion motion("neo-hookean", false);
  motion.h = 0.002;
  for (Index i = 0; i < motion.v.size() / 3; ++i) {  // bent upwards at once, and turning
    const Vector3 x = motion.model.mesh().vertices.col(i);
    const double s = 2.0 * x.x() - 1.0;
    motion.v.segment<3>(3 * i) = Vector3(-0.3 * x.y(), 0.3 * s, 3.0 * (s * s - 1.0 / 3.0));
  }
  const Outcome outcome = compare(motion);
  EXPECT_GT(outcome.report.skipped_share(), 0.3) << outcome.text();
  EXPECT_LT(outcome.error, 3.0 * motion.settings.error) << outcome.text();
}

/// Forces that twist the right end of the beam, which gravity does not. N.
Vector twist_at_end(const FullModel& model) {
  const Matrix3X& X = model.mesh().vertices;
  Matrix3X forces = Matrix3X::Zero(3, X.cols());
  const Vector3 center(1.0, X.row(1).mean(), X.row(2).mean());
  for (Index v = 0; v < X.cols(); ++v) {
    if (X(0, v) > 0.99) forces.col(v) = 300.0 * Vector3::UnitX().cross(X.col(v) - center);
  }
  return model.dofs().restrict(forces);
}

TEST(OnlineDynamics, LearnsTheDirectionOfALoadThatSetsInSuddenly) {
  for (const char* law : {"stvk", "neo-hookean"}) {
    Motion motion(law);
    motion.options.damping = {0.1, 0.01};
    const double from = 1.2;
    const Vector down = motion.model.gravity_force({0, 0, -5}), twist = twist_at_end(motion.model);
    motion.load = [=](double t0, double t1, Vector& f) {
      const double share = t1 > t0 ? std::clamp((t1 - from) / (t1 - t0), 0.0, 1.0) : (t0 >= from ? 1.0 : 0.0);
      f = down + share * twist;
    };
    const Outcome outcome = compare(motion);
    EXPECT_LT(outcome.error, 3.0 * motion.settings.error) << outcome.text();
    const auto learned = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      const auto start = outcome.report.timeline.begin();
      return std::count_if(start + begin, start + end, [](const TimelineStep& step) {
        return step.kind == StepKind::full || step.change != BasisChange::none;
      });
    };
    EXPECT_GT(learned(118, 128), 0) << outcome.text();
    EXPECT_LT(learned(80, 118), 5) << "it learned all the time: " << outcome.text();
  }
}

TEST(OnlineDynamics, ReportsAFailureOfTheFullSolverAndStays) {
  Motion motion("neo-hookean");
  const double until = 0.397;
  motion.load = [f = motion.model.gravity_force({0, 0, -5}), until](double, double t1, Vector& sum) {
    sum = f;
    if (t1 > until) sum.setConstant(std::numeric_limits<double>::quiet_NaN());
  };
  OnlineDynamics online = motion.online();
  int i = 0;
  while (i < 100 && online.state().time + 1.5 * motion.h < until) {
    ASSERT_TRUE(online.step(motion.h).ok()) << i;
    ++i;
  }
  const DynamicState before = online.state();
  const SolveReport report = online.step(motion.h);
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(online.state().time, before.time);
  EXPECT_EQ(online.state().u, before.u);
  EXPECT_EQ(online.state().v, before.v);
  EXPECT_EQ(online.report().timeline.size(), static_cast<std::size_t>(i));
  EXPECT_GT(online.report().reduced_steps, 0) << "nothing is tested";
}

TEST(OnlineDynamics, GoesBackToWhatItRemembers) {
  Motion motion("stvk");
  motion.settings.max_rank = 10;
  OnlineDynamics online = motion.online();
  int reduced = 0, shrunk = 0;
  for (int i = 0; i < 150; ++i) {
    const DynamicState before = online.state();
    const Index downdates = online.report().basis_shrunk;
    online.remember();
    for (int k = 0; k < 1 + i % 3; ++k) ASSERT_TRUE(online.step(motion.h).ok());
    reduced += online.report().timeline.back().kind == StepKind::reduced ? 1 : 0;
    shrunk += online.report().basis_shrunk > downdates ? 1 : 0;
    online.go_back();
    ASSERT_EQ(online.state().time, before.time);
    ASSERT_LT((online.state().u - before.u).norm(), 1e-12 * before.u.norm() + 1e-300) << "step " << i;
    ASSERT_LT((online.state().v - before.v).norm(), 1e-12 * before.v.norm() + 1e-300) << "step " << i;
    ASSERT_TRUE(online.step(motion.h).ok());
  }
  EXPECT_GT(reduced, 20);
  EXPECT_GT(shrunk, 0);
}

/// Saves a motion now and then, takes it back in another body, and compares some steps of both.
void expect_same_bits(const char* law, Stiffness kind) {
  const auto make = [&] {
    Motion motion(law);
    motion.options.damping = {0.1, 0.01, kind};
    motion.settings.max_rank = 12;
    return motion;
  };
  Motion motion = make();
  OnlineDynamics online = motion.online();
  int after_full = 0, after_reduced = 0;
  for (int i = 0; i < 120; i += 5) {
    if (i > 0) ++(online.report().timeline.back().kind == StepKind::full ? after_full : after_reduced);
    StateWriter out;
    online.save(out);
    Motion same = make();
    OnlineDynamics other = same.online();
    StateReader in(out.bytes(), "state");
    other.restore(in);
    in.finish();
    ASSERT_EQ(other.displacement(), online.displacement());
    for (int k = i; k < i + 5; ++k) {
      const SolveReport a = other.step(motion.h), b = online.step(motion.h);
      ASSERT_TRUE(a.ok() && b.ok());
      ASSERT_EQ(a.iterations, b.iterations) << "saved at " << i << ", step " << k;
      ASSERT_EQ(other.state().u, online.state().u) << "saved at " << i << ", step " << k;
      ASSERT_EQ(other.state().a, online.state().a) << "saved at " << i << ", step " << k;
      ASSERT_EQ(other.report().timeline.back().error, online.report().timeline.back().error);
      ASSERT_EQ(other.report().timeline.back().rank, online.report().timeline.back().rank);
    }
  }
  EXPECT_GT(after_full, 0);
  EXPECT_GT(after_reduced, 0);
}

TEST(OnlineDynamics, TakenBackGoesOnWithTheSameBits) {
  for (const char* law : {"stvk", "neo-hookean"}) {
    for (const Stiffness kind : {Stiffness::local, Stiffness::linear}) {
      SCOPED_TRACE(law);
      expect_same_bits(law, kind);
    }
  }
}

TEST(OnlineDynamics, RefusesCentralDifferences) {
  Motion motion("stvk");
  motion.options.integrator = Integrator::central_differences;
  EXPECT_THROW(motion.online(), Error);
}

}  // namespace
}  // namespace limber::online_dynamics_test
