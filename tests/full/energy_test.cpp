#include "limber/base/random.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/full/dynamics.hpp"
#include "tests/support/fixtures.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace limber::energy_test {
namespace {

void no_load(double, double, Vector& f) { f.setZero(); }

FullModel make_beam_model(std::string_view law, bool held) {
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
  return {mesh,
          {test::material(law, 1e5, 0.3, 1000.0)},
          held ? test::vertices_below(mesh, 1e-6) : std::vector<int>{},
          {MassKind::consistent, Executor(1)}};
}

/// Velocities of a body that is thrown, turning and shaking.
Vector thrown(const FullModel& model) {
  Random random(5);
  Matrix3X velocity = model.mesh().vertices;
  for (auto column : velocity.colwise()) {
    column = Vector3(1.0, 2.0, -3.0) + Vector3(4.0, -2.0, 1.0).cross(Vector3(column)) +
             Vector3(random.normal(), random.normal(), random.normal());
  }
  return model.dofs().restrict(velocity);
}

TEST(FullEnergy, DoesNotGrowInLargeStepsOfAnyLaw) {
  for (const std::string_view law : material_names) {
    const FullModel model = make_beam_model(law, true);
    const Vector shape = compute_linear_modes(model, 1).shapes.col(0);
    for (const double h : {1.0 / 60.0, 0.1}) {
      for (const int iterations : {1, 30}) {
        FullDynamics dynamics(model, no_load, shape * (0.5 / shape.cwiseAbs().maxCoeff()),
                              Vector::Zero(model.dof_count()), {.newmark = {.max_iterations = iterations}});
        const double start = dynamics.energy();
        double most = start;
        for (int i = 0; i < 150; ++i) {
          ASSERT_TRUE(dynamics.step(h).ok()) << law << ", h = " << h << ", step " << i;
          most = std::max(most, dynamics.energy());
        }
        EXPECT_LE(most, start * (1.0 + 1e-9)) << law << ", h = " << h << ", iterations " << iterations;
      }
    }
  }
}

/// As long and as stiff as no step finds its end otherwise: what is rescued is its shape, not its flight.
TEST(FullEnergy, LetsAStiffBodyTurnOnWhereStepsAreRescued) {
  for (const std::string_view law : {"stvk", "neo-hookean", "corotational"}) {
    for (const double young : {1e7, 1e8, 2e9}) {
      const VolumeMesh mesh =
          make_beam({ElementKind::tetrahedron, Vector3(0.5, 0.1, 0.1), Eigen::Vector3i(5, 1, 1)});
      const FullModel model(mesh, {test::material(law, young, 0.35, 1000.0)}, {},
                            {MassKind::consistent, Executor(1)});
      const Vector3 center(0.25, 0.05, 0.05), spin(0.0, 12.0, 0.0);
      Matrix3X velocity = mesh.vertices;
      for (auto column : velocity.colwise()) column = spin.cross(Vector3(column - center));
      FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), model.dofs().restrict(velocity));
      // Turned around, its ends are two lengths from where rounding of strains counts.
      const double start = dynamics.energy(), most = start * (1.0 + 1e-9) + 2.0 * model.energy_rounding(),
                   h = 1.0 / 30.0;
      double turned = 0.0;
      const auto axis = [&] {
        const Vector& u = dynamics.state().u;
        const auto along = [&](const Vector3& side) {
          Vector3 mean = Vector3::Zero();
          for (Index i = 0; i < mesh.vertex_count(); ++i)
            mean += (mesh.vertices.col(i) - center).dot(side) * (mesh.vertices.col(i) + u.segment<3>(3 * i));
          return mean;
        };
        return along(Vector3::UnitX());
      };
      Vector3 before = axis();
      for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(dynamics.step(h).ok());
        const Vector3 now = axis();
        turned += std::atan2(before.cross(now).y(), before.dot(now));
        before = now;
        ASSERT_LE(dynamics.energy(), most) << law << young;
      }
      EXPECT_NEAR(turned, 12.0, 0.3) << law << young;
    }
  }
}

/// Velocities of a stiff beam that turns by half a radian in a step of h seconds, and shakes.
Vector turning(const FullModel& model, double h) {
  const Vector3 axis = Vector3(0.3, 0.8, 0.5).normalized();
  Random random(7);
  Matrix3X velocity = model.mesh().vertices;
  for (auto column : velocity.colwise()) {
    column = (0.5 / h) * axis.cross(Vector3(column) - Vector3(0.5, 0.1, 0.1)) +
             0.3 * Vector3(random.normal(), random.normal(), random.normal());
  }
  return model.dofs().restrict(velocity);
}

/// Its steps gain by the error of their method, one after the other; in parts they do not.
TEST(FullEnergy, OfAStiffBodyThatTurnsFastIsKeptInParts) {
  for (const std::string_view law : {"stvk", "corotational", "neo-hookean"}) {
    const VolumeMesh mesh =
        make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
    const FullModel model(mesh, {test::material(law, 3e6, 0.3, 1000.0)}, {},
                          {MassKind::consistent, Executor(1)});
    const FreeFlight flight(model);
    for (const double h : {0.03, 0.08}) {
      for (const NewmarkOptions& rule : {NewmarkOptions{}, real_time_newmark()}) {
        SCOPED_TRACE(fmt::format("{}, h = {}, {} iterations", law, h, rule.max_iterations));
        FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), turning(model, h),
                              {.newmark = rule});
        const double start = dynamics.energy();
        const Vector3 L = flight.angular_momentum(dynamics.state().u, dynamics.state().v);
        int rescued = 0;
        for (int i = 0; i < 150; ++i) {
          const SolveReport report = dynamics.step(h);
          ASSERT_TRUE(report.ok()) << "step " << i;
          rescued += report.rescued ? 1 : 0;
          ASSERT_LE(dynamics.energy(), start * (1.0 + 1e-9)) << "step " << i;
        }
        EXPECT_LE(rescued, 5);
        const DynamicState& end = dynamics.state();
        EXPECT_LT((flight.angular_momentum(end.u, end.v) - L).norm(), 1e-12 * L.norm());
      }
    }
  }
}

/// It remembers whether parts were of use lately.
TEST(FullEnergy, OfABodyWhoseStepsAreRescuedGoesOnFromASavedState) {
  const double h = 0.08;
  const FullModel model = make_beam_model("stvk", false);
  const Vector rest = Vector::Zero(model.dof_count());
  const DynamicsOptions options{.newmark = real_time_newmark()};
  FullDynamics dynamics(model, no_load, rest, 30.0 * thrown(model),
                        {.newmark = real_time_newmark(), .max_halvings = 0});
  ASSERT_TRUE(dynamics.step(h).rescued);
  dynamics.set_options(options);
  ASSERT_GT(dynamics.memory().whole_steps, 0);

  StateWriter out;
  dynamics.memory().save(out);
  StateReader in(out.bytes(), "state");
  FullDynamics other(model, no_load, rest, rest, options);
  other.resume(dynamics.state(), true);
  other.set_memory(FullDynamics::Memory::restored(in, model.dof_count()));
  for (int i = 0; i < 20; ++i) {
    const SolveReport report = dynamics.step(h), again = other.step(h);
    ASSERT_TRUE(report.ok() && again.ok()) << "step " << i;
    ASSERT_EQ(report.iterations, again.iterations) << "step " << i;
    ASSERT_EQ(dynamics.state().u, other.state().u) << "step " << i;
  }
}

TEST(NewmarkStep, ThatIsNotToBeRescuedFailsAndKeepsTheState) {
  const double h = 0.08;
  const FullModel model = make_beam_model("stvk", false);
  FullSystem system(model, {});
  const Vector no_force = Vector::Zero(model.dof_count());
  NewmarkWorkspace work;
  DynamicState state{0.0, no_force, 30.0 * thrown(model), no_force};
  const DynamicState start = state;
  EXPECT_FALSE(newmark_step(system, h, no_force, state, work, real_time_newmark(), Rescues::none).ok());
  EXPECT_EQ(state.u, start.u);
  EXPECT_EQ(state.v, start.v);
  EXPECT_EQ(state.time, 0.0);
  const SolveReport report = newmark_step(system, h, no_force, state, work, real_time_newmark());
  EXPECT_TRUE(report.ok() && report.rescued);
}

/// Energy that the step lost in which the load went must not come back later. The strongest of these pushes
/// leave no step that Newton's iteration finds, however short.
TEST(FullEnergy, DoesNotGrowAfterALoadEndedWithinAStep) {
  int rescued = 0;
  for (const std::string_view law : material_names) {
    const FullModel model = make_beam_model(law, true);
    const Vector push = model.gravity_force({20.0, -15.0, 10.0});
    const double h = 0.05, end = 0.16;
    const auto load = [&](double from, double to, Vector& f) {
      f = std::clamp((end - from) / (to - from), 0.0, 1.0) * push;
    };
    for (const double strength : {0.1, 1.0, 3.0, 10.0, 100.0}) {
      FullDynamics dynamics(
          model,
          [&](double from, double to, Vector& f) {
            load(from, to, f);
            f *= strength;
          },
          Vector::Zero(model.dof_count()), Vector::Zero(model.dof_count()));
      SCOPED_TRACE(fmt::format("{}, strength {}", law, strength));
      for (int i = 0; i < 4; ++i) ASSERT_TRUE(dynamics.step(h).ok()) << "step " << i;
      const double start = dynamics.energy();
      for (int i = 0; i < 100; ++i) {
        const SolveReport report = dynamics.step(h);
        rescued += report.rescued ? 1 : 0;
        ASSERT_TRUE(report.ok()) << "step " << i;
        ASSERT_LE(dynamics.energy(), start * (1.0 + 1e-9)) << "step " << i;
      }
    }
  }
  EXPECT_GT(rescued, 0);
}

TEST(FullEnergy, OfABodyInFlightDoesNotGrowAndItsMomentumStays) {
  for (const std::string_view law : {"stvk", "corotational", "neo-hookean"}) {
    const FullModel model = make_beam_model(law, false);
    const FreeFlight flight(model);
    for (const double h : {0.002, 0.05}) {
      FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), thrown(model));
      const double start = dynamics.energy();
      const Vector3 L = flight.angular_momentum(dynamics.state().u, dynamics.state().v);
      const Vector3 P = model.dofs().expand(model.mass() * dynamics.state().v).rowwise().sum();
      for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(dynamics.step(h).ok()) << law << ", h = " << h << ", step " << i;
        EXPECT_LE(dynamics.energy(), start * (1.0 + 1e-9)) << law << ", h = " << h << ", step " << i;
      }
      const DynamicState& end = dynamics.state();
      EXPECT_LT((flight.angular_momentum(end.u, end.v) - L).norm(), 1e-12 * L.norm()) << law << ", h = " << h;
      EXPECT_LT((model.dofs().expand(model.mass() * end.v).rowwise().sum() - P).norm(), 1e-12 * P.norm());
    }
  }
}

/// Its mass is lost to rounding beside its stiffness in steps as long as these, and so are its strains in
/// displacements as large.
TEST(FullEnergy, OfASmallStiffBodyThatIsThrownFarStays) {
  const VolumeMesh mesh =
      make_beam({ElementKind::brick, Vector3(1e-3, 2e-4, 2e-4), Eigen::Vector3i(5, 1, 1)});
  const FullModel model(mesh, {test::material("stvk", 1e11, 0.3, 1000.0)}, {},
                        {MassKind::consistent, Executor(1)});
  for (const int iterations : {1, 30}) {
    SCOPED_TRACE(iterations);
    const Vector start = model.dofs().restrict(Vector3(10.0, -20.0, 5.0).replicate(1, mesh.vertex_count()));
    FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), start,
                          {.newmark = {.max_iterations = iterations}});
    const double energy = dynamics.energy();
    for (int i = 0; i < 100; ++i) {
      const SolveReport report = dynamics.step(0.05);
      ASSERT_TRUE(report.ok() && !report.rescued) << "step " << i;
      ASSERT_LE(report.iterations, 2) << "step " << i;
      ASSERT_NEAR(dynamics.energy(), energy, 1e-9 * energy) << "step " << i;
    }
    EXPECT_LT((dynamics.state().v - start).norm(), 1e-9 * start.norm());
  }
}

/// Steel that turns slowly has less energy than rounding of its elastic energy may be thought to be worth: so
/// much may pass the guard, once and not in each step.
TEST(FullEnergy, OfAVeryStiffBodyInFlightGrowsByRoundingAtMost) {
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(3, 1, 1)});
  for (const std::string_view law : {"stvk", "corotational", "neo-hookean"}) {
    const FullModel model(mesh, {test::material(law, 2e11, 0.3, 7800.0)}, {},
                          {MassKind::consistent, Executor(1)});
    for (const double speed : {1.0, 10.0}) {
      SCOPED_TRACE(fmt::format("{}, speed {}", law, speed));
      const Vector3 spin = speed * Vector3(0.3, 0.2, 0.1);
      Matrix3X velocity = mesh.vertices;
      for (auto column : velocity.colwise()) column = spin.cross(Vector3(column) - Vector3(0.5, 0.0, 0.0));
      FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), model.dofs().restrict(velocity));
      const double start = dynamics.energy(), most = start * (1.0 + 1e-9) + model.energy_rounding();
      for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(dynamics.step(0.05).ok()) << "step " << i;
        ASSERT_LE(dynamics.energy(), most) << "step " << i;
      }
      EXPECT_GT(dynamics.energy(), 0.9 * start) << "it stopped";  // some of it comes back later
    }
  }
}

/// Kinetic and elastic, but for that of the motion of the centre, J.
double energy_within(const FullModel& model, const DynamicState& state) {
  const Vector momenta = model.mass() * state.v;
  const Vector3 P = model.dofs().expand(momenta).rowwise().sum();
  return 0.5 * state.v.dot(momenta) - 0.5 * P.squaredNorm() / model.vertex_masses().sum() +
         model.energy(state.u);
}

TEST(FullEnergy, OfVibrationGetsNothingOfWhatDampingTakesFromTheFlight) {
  for (const std::string_view law : {"stvk", "corotational", "neo-hookean"}) {
    const FullModel model = make_beam_model(law, false);
    const Vector flight =
        model.dofs().restrict(Vector3(0.0, 30.0, 0.0).replicate(1, model.mesh().vertex_count()));
    for (const double h : {0.01, 0.03, 0.08}) {
      FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), thrown(model) + flight,
                            {.newmark = real_time_newmark(), .damping = {.mass = 0.05}});
      const double start = energy_within(model, dynamics.state());
      for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(dynamics.step(h).ok()) << law << ", h = " << h << ", step " << i;
        ASSERT_LE(energy_within(model, dynamics.state()), start * (1.0 + 1e-9))
            << law << ", h = " << h << ", step " << i;
      }
    }
  }
}

TEST(GeneralizedAlpha, DoesNotStretchABodyThatTurns) {
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
  const FullModel model(mesh, {test::material("stvk", 1e9, 0.3, 1000.0)}, {},
                        {MassKind::consistent, Executor(1)});
  const double spin = 5.0, h = 0.02;  // rad/s, s: by 5.7 degrees in a step
  Matrix3X velocity = mesh.vertices;
  for (auto column : velocity.colwise()) column = Vector3(0.0, 0.0, spin).cross(Vector3(column)).eval();
  NewmarkOptions bare = generalized_alpha(0.8, 30);
  bare.guarded = false;
  FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), model.dofs().restrict(velocity),
                        {.newmark = bare});
  const double kinetic = dynamics.energy();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(dynamics.step(h).ok()) << "step " << i;
  EXPECT_LT(model.energy(dynamics.state().u), 1e-3 * kinetic);
  EXPECT_NEAR(dynamics.energy(), kinetic, 1e-2 * kinetic);  // it damps a little
}

TEST(FreeFlight, UnderGravityAndAPushGainsTheMomentumOfThese) {
  const FullModel model = make_beam_model("stvk", false);
  const FreeFlight flight(model);
  const Vector weight = model.gravity_force({0.0, 0.0, -9.81});
  Vector push = Vector::Zero(model.dof_count());
  push.segment<3>(0) = Vector3(5.0, 3.0, -4.0);
  const auto load = [&](double t0, double t1, Vector& f) {
    const double share = t1 > t0 ? std::clamp((0.1 - t0) / (t1 - t0), 0.0, 1.0) : 1.0;
    f = weight + share * push;
  };
  const auto momentum_after = [&](double h) {
    FullDynamics dynamics(model, load, Vector::Zero(model.dof_count()), Vector::Zero(model.dof_count()));
    for (double t = 0.0; t < 0.2 - 0.5 * h; t += h) EXPECT_TRUE(dynamics.step(h).ok());
    return flight.angular_momentum(dynamics.state().u, dynamics.state().v);
  };
  const Vector3 coarse = momentum_after(0.004), fine = momentum_after(0.001);
  const Vector3 rigid = 0.1 * flight.torque(Vector::Zero(model.dof_count()), push);
  EXPECT_LT((coarse - fine).norm(), 0.01 * fine.norm());
  EXPECT_LT((fine - rigid).norm(), 0.2 * rigid.norm());  // while it is pushed it turns and bends
}

}  // namespace
}  // namespace limber::energy_test
