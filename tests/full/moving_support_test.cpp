// Full bodies on supports that move.

#include "limber/full/moving_support.hpp"

#include "limber/base/error.hpp"
#include "limber/full/dynamics.hpp"
#include "tests/support/fixtures.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace limber::moving_support_test {
namespace {

void no_load(double, double, Vector& f) { f.setZero(); }

const Vector3 direction = Vector3(0.2, -0.6, 0.77).normalized();

Eigen::Isometry3d moved_by(const Vector3& way) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = way;
  return pose;
}

/// Along a line.
RigidMotion along(std::function<double(double)> way) {
  return [way = std::move(way)](double t) { return moved_by(way(t) * direction); };
}

/// A beam along x on a support at x = 0.
struct Cantilever {
  FullModel model;
  std::shared_ptr<MovingSupport> support;

  Cantilever(MassKind mass, RigidMotion motion, std::string_view law = "neo-hookean",
             ElementKind kind = ElementKind::tetrahedron)
      : model(make_model(mass, law, kind)),
        support(std::make_shared<MovingSupport>(model, std::move(motion))) {}

  static FullModel make_model(MassKind mass, std::string_view law, ElementKind kind) {
    const VolumeMesh mesh = make_beam({kind, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
    return {
        mesh, {test::material(law, 1e5, 0.3, 1000.0)}, test::vertices_below(mesh, 1e-6), {mass, Executor(1)}};
  }

  [[nodiscard]] FullDynamics dynamics(const DynamicsOptions& options = {}) const {
    FullDynamics result(model, no_load, zero(), zero(), options);
    result.set_support(support);
    return result;
  }
  [[nodiscard]] Vector zero() const { return Vector::Zero(model.dof_count()); }
  /// What the free vertices are displaced by if they move with something rigid.
  [[nodiscard]] Vector carried(const Eigen::Isometry3d& pose) const {
    const Matrix3X& X = model.mesh().vertices;
    return model.dofs().restrict((pose.linear() * X).colwise() + pose.translation() - X);
  }
};

DynamicsOptions bare(double tolerance = 1e-11) {
  DynamicsOptions options;
  options.newmark.tolerance = tolerance;
  options.newmark.guarded = false;
  return options;
}

/// Shakes, from rest.
double shake(double t) { return 0.05 * std::pow(std::sin(2.0 * t), 4); }
double shake_velocity(double t) { return 0.4 * std::pow(std::sin(2.0 * t), 3) * std::cos(2.0 * t); }

/// The forces of the frame of the support, for displacements measured in it.
TEST(MovingSupport, ShakesABodyAsTheForcesOfItsFrameDo) {
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    const Cantilever body(mass, along(shake));
    const double h = 1e-4;
    const int steps = 4000;
    FullDynamics shaken = body.dynamics(bare());
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(shaken.step(h).ok());

    const Cantilever frame(mass, along([](double) { return 0.0; }));
    const Vector pull = frame.model.gravity_force(-direction);
    const auto load = [&](double t0, double t1, Vector& f) {
      f = t1 > t0 ? Vector((shake_velocity(t1) - shake_velocity(t0)) / (t1 - t0) * pull) : Vector(0.0 * pull);
    };
    FullDynamics relative(frame.model, load, frame.zero(), frame.zero(), bare());
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(relative.step(h).ok());

    const Vector found = shaken.state().u - body.carried(body.support->pose_at(h * steps));
    const double error = (found - relative.state().u).norm() / relative.state().u.norm();
    EXPECT_GT(relative.state().u.norm(), 1e-3);
    EXPECT_LT(error, 1e-6) << "mass " << static_cast<int>(mass);
  }
}

/// In steps of any length, where the frame takes the accelerations that Newmark's method makes of its way.
TEST(MovingSupport, IsExactlyTheFrameForALumpedMass) {
  const Cantilever body(MassKind::lumped, along(shake)), frame(MassKind::lumped, along(shake));
  const double h = 0.02;
  const int steps = 60;
  std::vector<double> accelerations{0.0};
  for (double s = 0.0, v = 0.0; static_cast<int>(accelerations.size()) < steps + 3;) {
    const double next = shake(h * static_cast<double>(accelerations.size())), a = accelerations.back();
    accelerations.push_back(4.0 * (next - s - h * v) / (h * h) - a);
    v += 0.5 * h * (a + accelerations.back());
    s = next;
  }
  const Vector pull = frame.model.gravity_force(-direction);
  FullDynamics shaken = body.dynamics(bare(1e-12));
  FullDynamics relative(
      frame.model,
      [&](double t0, double t1, Vector& f) {
        f = accelerations[static_cast<std::size_t>(std::lround(0.5 * (t0 + t1) / h))] * pull;
      },
      frame.zero(), frame.zero(), bare(1e-12));
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(shaken.step(h).ok());
    ASSERT_TRUE(relative.step(h).ok());
  }
  const Vector found = shaken.state().u - body.carried(body.support->pose_at(h * steps));
  EXPECT_LT((found - relative.state().u).norm(), 1e-7 * relative.state().u.norm());
}

/// With the guard of energy, which takes no more than the error of the steps; turning, too. One linearised
/// step is of first order in the local damping (reduced_dynamics.hpp) and of second in all else.
TEST(MovingSupport, IsFollowedToSecondOrder) {
  struct Case {
    NewmarkOptions newmark;
    double damping, least;  ///< s, and the order
  };
  const RigidMotion turned = [](double t) {
    Eigen::Isometry3d pose = moved_by(shake(t) * direction);
    pose.linear() =
        Eigen::AngleAxisd(10.0 * shake(t), Vector3(0.3, 0.8, 0.5).normalized()).toRotationMatrix();
    return pose;
  };
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    for (const auto& [newmark, damping, least] :
         {Case{{}, 0.02, 1.9}, Case{generalized_alpha(0.8, 30), 0.02, 1.9},
          Case{real_time_newmark(), 0.0, 1.9}, Case{real_time_newmark(), 0.02, 0.9}}) {
      DynamicsOptions options;
      options.newmark = newmark;
      options.newmark.tolerance = 1e-10;
      options.damping = {0.0, damping};
      const Cantilever body(mass, turned);
      const auto run = [&](double h) {
        FullDynamics dynamics = body.dynamics(options);
        body.support->place_at(0.0);
        const int steps = static_cast<int>(std::lround(0.6 / h));
        int rescued = 0;
        for (int i = 0; i < steps; ++i) rescued += dynamics.step(h).rescued ? 1 : 0;
        EXPECT_EQ(rescued, 0);
        return dynamics.state().u;
      };
      const double h = 0.004;
      const Vector coarse = run(h), middle = run(h / 2), fine = run(h / 4);
      const double order = std::log2((coarse - middle).norm() / (middle - fine).norm());
      EXPECT_GT(order, least) << "mass " << static_cast<int>(mass) << ", alpha_f " << newmark.alpha_f
                              << ", iterations " << newmark.max_iterations << ", damping " << damping;
    }
  }
}

/// Speeds up to 1 m/s within a second, and goes on.
double speed_up(double t) {
  const double x = std::min(t, 1.0);
  return x * x * x * x * (2.5 - 3.0 * x + x * x) + std::max(0.0, t - 1.0);
}

TEST(MovingSupport, ThatGoesOnEvenlyCarriesTheBodyAlongAsItIs) {
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    for (const auto kind : {RayleighDamping::Stiffness::local, RayleighDamping::Stiffness::linear}) {
      const Cantilever body(mass, along(speed_up));
      DynamicsOptions options;
      options.damping = {0.0, 0.4, kind};
      FullDynamics dynamics = body.dynamics(options);
      for (int i = 0; i < 1200; ++i) ASSERT_TRUE(dynamics.step(0.02).ok());
      const Vector expected = body.carried(body.support->pose_at(24.0));
      EXPECT_LT((dynamics.state().u - expected).lpNorm<Eigen::Infinity>(), 1e-6);
      const Vector velocity = body.carried(moved_by(direction));
      EXPECT_LT((dynamics.state().v - velocity).lpNorm<Eigen::Infinity>(), 1e-6);
    }
  }
}

TEST(MovingSupport, ThatTurnsAndStopsLeavesTheBodyTurned) {
  const RigidMotion turning = [](double t) {
    Eigen::Isometry3d pose = moved_by(0.3 * std::min(1.0, speed_up(t) / speed_up(2.0)) * direction);
    const double share = std::min(t, 2.0) / 2.0;
    const double angle = std::numbers::pi * share * share * (3.0 - 2.0 * share);
    pose.linear() = Eigen::AngleAxisd(angle, Vector3::UnitY()).toRotationMatrix();
    return pose;
  };
  const Cantilever body(MassKind::consistent, turning, "stvk");
  DynamicsOptions options;
  options.damping = {0.0, 0.4};
  FullDynamics dynamics = body.dynamics(options);
  for (int i = 0; i < 1200; ++i) ASSERT_TRUE(dynamics.step(0.02).ok());
  const Vector expected = body.carried(body.support->pose_at(24.0));
  EXPECT_LT((dynamics.state().u - expected).lpNorm<Eigen::Infinity>(), 1e-5);
  EXPECT_LT(dynamics.energy(), 1e-8);
}

/// Jerked aside within steps, however long these are. From the end of the first step that sees it stand
/// still, as after any change of loads: what later ones lose may come back (energy_guard.hpp).
TEST(MovingSupport, ThatHasStoppedGivesNoMoreEnergy) {
  const double stop = 0.2;
  const RigidMotion jerk = [&](double t) {
    const double share = std::min(t, stop) / stop;
    Eigen::Isometry3d pose = moved_by(0.4 * share * direction);
    pose.linear() = Eigen::AngleAxisd(0.8 * share, Vector3(0.3, 0.8, 0.5).normalized()).toRotationMatrix();
    return pose;
  };
  for (const std::string_view law : material_names) {
    for (const double h : {1.0 / 60.0, 0.1}) {
      for (const NewmarkOptions& newmark : {NewmarkOptions{}, real_time_newmark()}) {
        SCOPED_TRACE(fmt::format("{}, h = {}, alpha_f {}", law, h, newmark.alpha_f));
        const Cantilever body(MassKind::consistent, jerk, law);
        DynamicsOptions options;
        options.newmark = newmark;
        FullDynamics dynamics = body.dynamics(options);
        for (bool moves = true; moves;) {
          moves = body.support->moves(dynamics.state().time, h);
          ASSERT_TRUE(dynamics.step(h).ok());
        }
        const double start = dynamics.energy();
        ASSERT_LT(start, 1e4);
        for (int i = 0; i < 150; ++i) {
          ASSERT_TRUE(dynamics.step(h).ok()) << "step " << i;
          ASSERT_LE(dynamics.energy(), start * (1.0 + 1e-9)) << "step " << i;
        }
      }
    }
  }
}

TEST(MovingSupport, KeepsAShakenBodyInBounds) {
  const Cantilever body(MassKind::consistent,
                        along([](double t) { return 0.05 * (1.0 - std::cos(7.0 * t)); }), "stvk");
  DynamicsOptions options;
  options.newmark = real_time_newmark();
  FullDynamics dynamics = body.dynamics(options);
  double most = 0.0;
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(dynamics.step(1.0 / 60.0).ok()) << "step " << i;
    most = std::max(most, dynamics.state().u.lpNorm<Eigen::Infinity>());
  }
  EXPECT_LT(most, 2.0);
}

TEST(MovingSupport, StepsTheSameInCentralDifferences) {
  const Cantilever body(MassKind::lumped, along(shake));
  DynamicsOptions explicit_steps;
  explicit_steps.integrator = Integrator::central_differences;
  const double h = 5e-4;
  ASSERT_LT(h, critical_timestep(body.model));
  FullDynamics one = body.dynamics(explicit_steps);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(one.step(h).ok());
  FullDynamics other = body.dynamics();
  body.support->place_at(0.0);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(other.step(h).ok());
  const Vector relative = other.state().u - body.carried(body.support->pose_at(1000 * h));
  EXPECT_LT((one.state().u - other.state().u).norm(), 1e-3 * relative.norm());
}

/// Rows of the whole mass matrix sum up to the masses of the vertices.
TEST(MovingSupport, KnowsTheMassBetweenFixedAndFreeVertices) {
  const Cantilever body(MassKind::consistent, along(shake), "stvk", ElementKind::brick);
  const Vector pull =
      body.support->mass_times({Vector3::Zero(), direction, Vector3::Zero()}, Eigen::Isometry3d::Identity());
  const Vector all = body.model.gravity_force(direction);
  const Vector free = body.model.mass() * body.carried(moved_by(direction));
  EXPECT_GT(pull.norm(), 0.01 * all.norm());
  EXPECT_LT((pull + free - all).norm(), 1e-12 * all.norm());
}

TEST(MovingSupport, NeedsSomethingThatItHolds) {
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(2, 1, 1)});
  FullModel model(mesh, {test::material("stvk")}, {});
  EXPECT_THROW(MovingSupport(model, along(shake)), Error);
}

/// Whoever moves the support may fail at any moment of a step: all is then as before it.
TEST(MovingSupport, ThatCannotTellItsPoseLeavesTheBodyAsItWas) {
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    int calls_left = -1;  // none: it never fails
    const Cantilever body(mass, [&](double t) {
      if (calls_left == 0) throw Error("no pose");
      if (calls_left > 0) --calls_left;
      return moved_by(shake(t) * direction);
    });
    const Cantilever other(mass, along(shake));
    DynamicsOptions options;
    options.damping = {0.5, 0.002};
    FullDynamics dynamics = body.dynamics(options), good = other.dynamics(options);
    for (int i = 0; i < 12; ++i) {
      const double before = body.model.energy(dynamics.state().u);
      const Eigen::Isometry3d pose = body.support->pose();
      int failures = 0;
      for (bool done = false; !done; ++failures) {
        calls_left = failures;
        try {
          ASSERT_TRUE(dynamics.step(0.02).ok());
          done = true;
        } catch (const Error&) {
          ASSERT_EQ(body.support->pose().matrix(), pose.matrix()) << "call " << failures;
          ASSERT_EQ(body.model.energy(dynamics.state().u), before) << "call " << failures;
        }
      }
      calls_left = -1;
      EXPECT_GT(failures, 5);
      ASSERT_TRUE(good.step(0.02).ok());
      ASSERT_EQ(dynamics.state().u, good.state().u) << "step " << i;
      ASSERT_EQ(dynamics.state().slack, good.state().slack) << "step " << i;
    }
  }
}

}  // namespace
}  // namespace limber::moving_support_test
