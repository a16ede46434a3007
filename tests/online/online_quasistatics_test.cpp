#include "limber/online/online_quasistatics.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/skin.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace limber::online_quasistatics_test {
namespace {

/// A beam of 192 tetrahedra, held at both ends, that something moves.
struct Posed {
  FullModel model;
  QuasistaticSolver::MapFunction maps;
  LoadFunction load;
  OnlineSettings settings;
  int steps = 150;
  double h = 0.01;

  explicit Posed(std::string_view law) : model(beam(law)) {
    load = [f = model.gravity_force({0, 0, -1})](double, double, Vector& sum) { sum = f; };
  }
  static FullModel beam(std::string_view law) {
    VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {8, 2, 2}});
    std::vector<int> fixed;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      const double x = mesh.vertices(0, v);
      if (x < 1e-9 || x > 1.0 - 1e-9) fixed.push_back(v);
    }
    FullModelOptions options;
    options.executor = Executor(1);
    return {std::move(mesh), {test::material(law)}, fixed, options};
  }
  OnlineQuasistatics online() { return {model, maps, load, {}, settings}; }
};

/// The right end is carried about and turned.
Posed moving_end(std::string_view law = "neo-hookean") {
  Posed pose(law);
  pose.maps = [X = pose.model.mesh().vertices](double t) {
    VertexMaps maps = VertexMaps::identity(X.cols());
    const Matrix3 turn = Eigen::AngleAxisd(0.8 * std::sin(4.0 * t), Vector3::UnitX()).toRotationMatrix();
    for (Index v = 0; v < X.cols(); ++v) {
      if (X(0, v) > 1.0 - 1e-9)
        maps.offset.col(v) =
            turn * X.col(v) - X.col(v) +
            Vector3(0.1 * std::sin(5.0 * t), 0.1 * (1.0 - std::cos(7.0 * t)), 0.2 * std::sin(3.0 * t));
    }
    return maps;
  };
  return pose;
}

/// Two bones, the right of which bends, and the end of the beam with it.
Posed skinned(std::string_view law = "neo-hookean") {
  Posed pose(law);
  const std::vector<BoneSegment> bones{{{0, 0, 0}, {0.4, 0, 0}}, {{0.6, 0, 0}, {1, 0, 0}}};
  const Matrix weights = harmonic_weights(pose.model.mesh(), bones, 0.02);
  pose.maps = [weights, X = pose.model.mesh().vertices](double t) {
    Eigen::Isometry3d bend = Eigen::Isometry3d::Identity();
    bend.translate(Vector3(0.5, 0, 0));
    bend.rotate(Eigen::AngleAxisd(0.7 * std::sin(4.0 * t), Vector3::UnitY()));
    bend.rotate(Eigen::AngleAxisd(0.5 * (1.0 - std::cos(3.0 * t)), Vector3::UnitZ()));
    bend.translate(Vector3(-0.5, 0, 0));
    const std::vector<Eigen::Isometry3d> motions{Eigen::Isometry3d::Identity(), bend};
    return blend(weights, X, motions);
  };
  return pose;
}

struct Outcome {
  OnlineReport report;
  double error = 0.0;  ///< largest against the full solver, as a share of the largest displacement until then
  double largest = 0.0;

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "error {:.4f} (estimate {:.4f}), skipped {:.3f}, rank {}, {} key elements, shrunk {}, largest {:.3f} "
        "m",
        error, report.error, report.skipped_share(), report.rank, report.key_elements, report.basis_shrunk,
        largest);
  }
};

/// Both solvers, each with a body of its own, through all steps.
Outcome compare(Posed& pose, Posed& full) {
  QuasistaticSolver solver(full.model, full.maps, full.load);
  OnlineQuasistatics online = pose.online();
  const OnlineBasis measure(pose.model.mass());
  const DofMap& dofs = pose.model.dofs();
  Vector u = Vector::Zero(pose.model.dof_count());
  Outcome outcome;
  for (int i = 0; i < pose.steps; ++i) {
    const double t0 = i * pose.h, t1 = (i + 1) * pose.h;
    EXPECT_TRUE(solver.step(t0, t1, u).ok()) << "step " << i;
    EXPECT_TRUE(online.step(t0, t1).ok()) << "step " << i;
    EXPECT_EQ(online.report().timeline.size(), static_cast<std::size_t>(i + 1));
    EXPECT_EQ(online.maps().offset, solver.maps().offset) << "step " << i;
    const Vector y = solver.maps().to_world(dofs, u);
    outcome.largest = std::max(outcome.largest, measure.norm(y));
    const double error = measure.norm(y - online.maps().to_world(dofs, online.displacement()));
    outcome.error = std::max(outcome.error, error / outcome.largest);
  }
  outcome.report = online.report();
  ::testing::Test::RecordProperty("outcome", outcome.text());
  return outcome;
}

void expect_within_accepted(Posed pose, Posed full) {
  const Outcome outcome = compare(pose, full);
  EXPECT_GT(outcome.report.skipped_share(), 0.6) << outcome.text();
  EXPECT_LT(outcome.error, 3.0 * pose.settings.error) << outcome.text();
  EXPECT_LT(outcome.error, 5.0 * outcome.report.error) << "the estimate says nothing: " << outcome.text();
  EXPECT_GT(outcome.report.key_elements, 0);
  Index steps = 0;
  for (const TimelineStep& step : outcome.report.timeline) steps += step.kind == StepKind::full ? 1 : 0;
  EXPECT_EQ(outcome.report.full_steps, steps);
  EXPECT_EQ(outcome.report.full_steps + outcome.report.reduced_steps, Index{pose.steps});
}

TEST(OnlineQuasistatics, WithAThrottleOfZeroHasTheBitsOfTheFullSolver) {
  for (const auto make : {moving_end, skinned}) {
    Posed pose = make("neo-hookean"), full = make("neo-hookean");
    pose.settings.throttle = 0.0;
    pose.steps = 20;
    QuasistaticSolver solver(full.model, full.maps, full.load);
    OnlineQuasistatics online = pose.online();
    Vector u = Vector::Zero(pose.model.dof_count());
    for (int i = 0; i < pose.steps; ++i) {
      const StaticReport a = solver.step(i * pose.h, (i + 1) * pose.h, u);
      const StaticReport b = online.step(i * pose.h, (i + 1) * pose.h);
      ASSERT_TRUE(a.ok() && b.ok());
      ASSERT_EQ(u, online.displacement()) << "step " << i;
      ASSERT_EQ(a.iterations, b.iterations);
    }
    EXPECT_EQ(online.report().skipped_share(), 0.0);
    EXPECT_GT(u.norm(), 0.0);
  }
}

TEST(OnlineQuasistatics, OfABeamWithAMovingEndSkipsMostStepsWithinTheAcceptedError) {
  for (const char* law : {"stvk", "neo-hookean", "corotational"}) {
    SCOPED_TRACE(law);
    expect_within_accepted(moving_end(law), moving_end(law));
  }
}

TEST(OnlineQuasistatics, OfASkinnedBeamSkipsMostStepsWithinTheAcceptedError) {
  for (const char* law : {"stvk", "neo-hookean", "arruda-boyce"}) {
    SCOPED_TRACE(law);
    expect_within_accepted(skinned(law), skinned(law));
  }
}

TEST(OnlineQuasistatics, KeepsASmallerErrorWhereThatIsAsked) {
  Posed pose = skinned(), full = skinned();
  pose.settings.error = 0.002;
  const Outcome outcome = compare(pose, full);
  EXPECT_LT(outcome.error, 3.0 * pose.settings.error) << outcome.text();
  EXPECT_GT(outcome.report.skipped_share(), 0.3) << outcome.text();
}

TEST(OnlineQuasistatics, SkipsMoreWithALargerThrottle) {
  double last = 0.0;
  for (const double throttle : {0.2, 1.0, 5.0}) {
    Posed pose = moving_end(), full = moving_end();
    pose.settings.throttle = throttle;
    const Outcome outcome = compare(pose, full);
    EXPECT_GE(outcome.report.skipped_share(), last) << "throttle " << throttle << ": " << outcome.text();
    last = outcome.report.skipped_share();
  }
}

TEST(OnlineQuasistatics, SurvivesATinyRankByDowndating) {
  Posed pose = moving_end(), full = moving_end();
  pose.settings.max_rank = 4;
  const Outcome outcome = compare(pose, full);
  EXPECT_GT(outcome.report.basis_shrunk, 0) << outcome.text();
  EXPECT_LT(outcome.error, 3.0 * pose.settings.error) << outcome.text();
}

TEST(OnlineQuasistatics, FollowsALoadThatSetsInSuddenly) {
  const auto make = [] {
    Posed pose = skinned();
    const Vector down = pose.model.gravity_force({0, 0, -1}), aside = pose.model.gravity_force({0, 1.5, 0});
    pose.load = [=](double t, double, Vector& f) { f = t > 0.8 ? Vector(down + aside) : down; };
    return pose;
  };
  Posed pose = make(), full = make();
  const Outcome outcome = compare(pose, full);
  EXPECT_LT(outcome.error, 3.0 * pose.settings.error) << outcome.text();
  EXPECT_GT(outcome.report.timeline[85].rank, outcome.report.timeline[75].rank) << outcome.text();
}

TEST(OnlineQuasistatics, LeavesABodyThatNothingMovesAtRest) {
  Posed pose = moving_end();
  pose.maps = [n = pose.model.mesh().vertex_count()](double) { return VertexMaps::identity(n); };
  pose.load = [n = pose.model.dof_count()](double, double, Vector& f) { f.setZero(n); };
  OnlineQuasistatics online = pose.online();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(online.step(i * pose.h, (i + 1) * pose.h).ok());
  EXPECT_EQ(online.displacement().norm(), 0.0);
  EXPECT_EQ(online.report().full_steps, 5);
  EXPECT_EQ(online.report().rank, 0);
}

TEST(OnlineQuasistatics, ReportsAFailureAndStays) {
  Posed pose = skinned();
  pose.load = [down = pose.model.gravity_force({0, 0, -1})](double t, double, Vector& f) {
    f = down;
    if (t > 0.4 + 1e-9) f.setConstant(std::numeric_limits<double>::quiet_NaN());
  };
  OnlineQuasistatics online = pose.online();
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(online.step(i * pose.h, (i + 1) * pose.h).ok());
  EXPECT_GT(online.report().reduced_steps, 0) << "nothing is tested";
  const Vector before = online.displacement();
  EXPECT_FALSE(online.step(40 * pose.h, 41 * pose.h).ok());
  EXPECT_EQ(online.displacement(), before);
  EXPECT_EQ(online.maps().offset, pose.maps(40 * pose.h).offset);
  EXPECT_EQ(online.report().timeline.size(), 40u);
}

TEST(OnlineQuasistatics, GoesBackToWhatItRemembers) {
  Posed pose = skinned();
  OnlineQuasistatics online = pose.online();
  for (int i = 0; i < 30; ++i) {
    const Vector before = online.displacement();
    online.remember();
    ASSERT_TRUE(online.step(i * pose.h, (i + 1) * pose.h).ok());
    online.go_back(i * pose.h);
    ASSERT_EQ(online.displacement(), before);
    ASSERT_EQ(online.maps().offset, pose.maps(i * pose.h).offset);
    ASSERT_TRUE(online.step(i * pose.h, (i + 1) * pose.h).ok());
  }
}

TEST(OnlineQuasistatics, TakenBackGoesOnWithTheSameBits) {
  for (const auto make : {moving_end, skinned}) {
    Posed pose = make("neo-hookean");
    OnlineQuasistatics online = pose.online();
    int after_full = 0, after_reduced = 0;
    for (int i = 0; i < 60; ++i) {
      if (i == 2 || i % 4 == 3 || (i > 0 && online.report().timeline.back().kind == StepKind::full)) {
        if (i > 0) ++(online.report().timeline.back().kind == StepKind::full ? after_full : after_reduced);
        StateWriter out;
        online.save(out);
        Posed same = make("neo-hookean");
        OnlineQuasistatics other = same.online();
        StateReader in(out.bytes(), "state");
        other.restore(in, i * pose.h);
        in.finish();
        ASSERT_EQ(other.displacement(), online.displacement());
        ASSERT_EQ(other.maps().offset, online.maps().offset);
        for (int k = i; k < i + 4; ++k) {
          const StaticReport a = other.step(k * pose.h, (k + 1) * pose.h);
          const StaticReport b = online.step(k * pose.h, (k + 1) * pose.h);
          ASSERT_TRUE(a.ok() && b.ok());
          ASSERT_EQ(a.iterations, b.iterations);
          ASSERT_EQ(other.displacement(), online.displacement()) << "saved at " << i << ", step " << k;
          ASSERT_EQ(other.report().timeline.back().error, online.report().timeline.back().error);
          ASSERT_EQ(other.report().timeline.back().rank, online.report().timeline.back().rank);
        }
        i += 3;
        continue;
      }
      ASSERT_TRUE(online.step(i * pose.h, (i + 1) * pose.h).ok());
    }
    EXPECT_GT(after_full, 0);
    EXPECT_GT(after_reduced, 0);
  }
}

}  // namespace
}  // namespace limber::online_quasistatics_test
