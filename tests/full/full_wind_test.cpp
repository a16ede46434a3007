// The drag of the air on full bodies.

#include "limber/full/full_wind.hpp"

#include "limber/full/dynamics.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::full_wind_test {
namespace {

void no_load(double, double, Vector& f) { f.setZero(); }

const Vector3 along = Vector3(0.6, -0.48, 0.64);  // of unit length

FullAir uniform(double speed, double thickness = 0.6) {
  return {[speed](const Vector3&, double) -> Vector3 { return speed * along; }, thickness};
}

constexpr double side = 0.4;

/// A cube of so many cells a side, about the origin.
VolumeMesh cube(int cells = 4) {
  return make_beam({.size = Vector3::Constant(side), .cells = Eigen::Vector3i::Constant(cells)});
}

/// Vertices of the cube that are not on its boundary.
std::vector<int> core(const VolumeMesh& mesh) {
  const Vector3 low = mesh.vertices.rowwise().minCoeff(), high = mesh.vertices.rowwise().maxCoeff();
  std::vector<int> inside;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const Vector3 x = mesh.vertices.col(v);
    if ((x - low).minCoeff() > 1e-9 && (high - x).minCoeff() > 1e-9) inside.push_back(v);
  }
  return inside;
}

FullModel free_cube(double density, double young = 1e5, MassKind mass = MassKind::consistent) {
  return {cube(2), {test::material("neo-hookean", young, 0.3, density)}, {}, {mass, Executor(1)}};
}

FullDynamics moving(const FullModel& model, const DynamicsOptions& options, const FullAir& air,
                    const Vector3& velocity = Vector3::Zero()) {
  FullDynamics result(model, no_load, Vector::Zero(model.dof_count()),
                      velocity.replicate(model.dof_count() / 3, 1), options);
  result.set_air(air);
  return result;
}

double mass_of(const FullModel& model) { return model.vertex_masses().sum(); }

/// Velocity of the centre of mass, m/s.
Vector3 mean_velocity(const FullModel& model, const Vector& v) {
  const Vector p = model.mass() * v;
  return p.reshaped(3, p.size() / 3).rowwise().sum() / mass_of(model);
}

/// Half of rho C times the mean shadow, kg/m.
double resistance(const FullAir& air) { return air.thickness * 0.25 * 6.0 * side * side; }

DynamicsOptions linearised() {
  DynamicsOptions options;
  options.newmark = real_time_newmark();
  return options;
}

TEST(FullWind, PullsWithTheDerivativeOfItsPotential) {
  const FullModel model = free_cube(30.0);
  FullWind wind(model, uniform(12.0));
  DynamicState start{0.3, test::random_vector(model.dof_count(), 0.02, 1),
                     test::random_vector(model.dof_count(), 2.0, 2),
                     test::random_vector(model.dof_count(), 5.0, 3)};
  wind.aim(start, 0.02, generalized_alpha(0.5, 10), {test::random_vector(model.dof_count(), 0.1, 6), {}},
           false);
  EXPECT_EQ(wind.potential(start.u), 0.0);
  const Vector u = start.u + test::random_vector(model.dof_count(), 0.1, 4),
               d = test::random_vector(model.dof_count(), 0.1, 5);
  Vector force = Vector::Zero(u.size()), product = force;
  wind.add_force(u, force);
  wind.add_product(d, product);
  const double change = wind.potential(u + d) - wind.potential(u);
  EXPECT_NEAR(change, force.dot(d) + 0.5 * d.dot(product), 1e-12 * std::abs(change));
  SparseMatrix K = model.pattern();
  K.coeffs().setZero();
  wind.add_stiffness(K);
  EXPECT_LT((K * d - product).norm(), 1e-13 * product.norm());
}

/// The impulse of a step is that of the drag at its end, by every rule.
TEST(FullWind, GivesTheImpulseOfItsDrag) {
  const FullModel model = free_cube(5.0);
  const FullAir air = uniform(25.0);
  for (const NewmarkOptions& rule :
       {NewmarkOptions{}, generalized_alpha(0.8, 20), generalized_alpha(0.0, 20), real_time_newmark()}) {
    DynamicsOptions options;
    options.newmark = rule;
    options.newmark.guarded = false;
    for (const double h : {1e-3, 0.1, 5.0}) {
      FullDynamics dynamics = moving(model, options, air);
      ASSERT_TRUE(dynamics.step(h).ok());
      // All vertices have different shares of air and mass, so that some of it becomes vibration.
      const double z = h * resistance(air) * 25.0 / mass_of(model);
      const double kept = 1.0 - mean_velocity(model, dynamics.state().v).dot(along) / 25.0;
      if (z < 0.05) {
        EXPECT_NEAR(1.0 - kept, z, 0.1 * z) << h;
      }
      EXPECT_GT(kept, 0.0) << h;
      EXPECT_LT(kept, 1.0) << h;
    }
  }
}

TEST(FullWind, CarriesALightBodyAlongAndNeverFasterThanItself) {
  for (const DynamicsOptions& options : {DynamicsOptions{}, linearised()}) {
    for (const double speed : {3.0, 40.0, 300.0, 1e4}) {
      for (const double h : {0.002, 0.05, 1.0}) {
        const FullModel model = free_cube(2.0);
        const FullAir air = uniform(speed);
        FullDynamics dynamics = moving(model, options, air);
        double now = 0.0;
        for (int i = 0; i < 60; ++i) {
          ASSERT_TRUE(dynamics.step(h).ok()) << speed << " m/s, " << h << " s, step " << i;
          now = mean_velocity(model, dynamics.state().v).dot(along);
          // What such a storm crushes swings, and its middle with it, by next to nothing.
          ASSERT_LE(now, speed * (speed > 1000.0 ? 1.001 : 1.0 + 1e-9))
              << speed << " m/s, " << h << " s, step " << i;
          const Vector past = dynamics.state().v - (speed * along).replicate(model.dof_count() / 3, 1).eval();
          const double energy = 0.5 * past.dot(model.mass() * past) + model.energy(dynamics.state().u);
          ASSERT_LE(energy, 0.5 * mass_of(model) * speed * speed * (1.0 + 1e-6))
              << speed << " m/s, " << h << " s, step " << i << ", as the air sees it";
        }
        // The velocity past the air falls as one over the time.
        const double reached = 60.0 * h * resistance(air) * speed / mass_of(model);
        EXPECT_GT(now, 0.8 * speed * reached / (1.0 + reached)) << speed << " m/s, " << h << " s";
      }
    }
  }
}

TEST(FullWind, SlowsABodyAsTheClosedFormSays) {
  for (const MassKind mass : {MassKind::consistent, MassKind::lumped}) {
    const FullModel model = free_cube(20.0, 1e6, mass);
    const FullAir still = uniform(0.0);
    FullDynamics dynamics = moving(model, {}, still, 30.0 * along);
    const double k = resistance(still) / mass_of(model);
    for (int i = 1; i <= 200; ++i) {
      ASSERT_TRUE(dynamics.step(2e-3).ok());
      const double expected = 30.0 / (1.0 + 30.0 * k * 2e-3 * i);
      ASSERT_NEAR(mean_velocity(model, dynamics.state().v).norm(), expected, 0.01 * expected) << "step " << i;
    }
  }
}

/// Held by its core, so that all of its boundary feels the air.
TEST(FullWind, PushesAHeldBlockAsTheClosedFormSays) {
  const VolumeMesh mesh = cube();
  for (const MassKind mass : {MassKind::consistent, MassKind::lumped}) {
    const FullModel model(mesh, {test::material("stvk", 1e5, 0.3, 50.0)}, core(mesh), {mass, Executor(1)});
    for (const NewmarkOptions& rule : {NewmarkOptions{}, real_time_newmark()}) {
      DynamicsOptions options;
      options.newmark = rule;
      options.damping = {20.0, 1e-3};
      const FullAir air = uniform(15.0);
      FullDynamics dynamics = moving(model, options, air);
      for (int i = 0; i < 300; ++i) ASSERT_TRUE(dynamics.step(0.01).ok());
      const Vector force = model.internal_force(dynamics.state().u);
      const Vector3 push = force.reshaped(3, force.size() / 3).rowwise().sum();
      const Vector3 expected = resistance(air) * 15.0 * 15.0 * along;
      EXPECT_LT((push - expected).norm(), 1e-6 * expected.norm());
      EXPECT_LT(dynamics.kinetic_energy(), 1e-10);
    }
  }
}

/// In air that rests a body loses more than without, and never gains.
TEST(FullWind, TakesEnergyWhereTheAirRests) {
  for (const double h : {0.004, 0.05}) {
    const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {5, 1, 1}});
    const FullModel model(mesh, {test::material("neo-hookean", 2e4, 0.3, 20.0)},
                          test::vertices_below(mesh, 1e-9), {MassKind::consistent, Executor(1)});
    Vector v(model.dof_count());
    for (Index i = 0; i < v.size() / 3; ++i) {
      const int vertex = model.dofs().free_vertices()[static_cast<std::size_t>(i)];
      v.segment<3>(3 * i) = 8.0 * mesh.vertices(0, vertex) * Vector3::UnitZ();
    }
    FullDynamics alone(model, no_load, Vector::Zero(v.size()), v),
        blown(model, no_load, Vector::Zero(v.size()), v);
    blown.set_air(uniform(0.0));
    double energy = blown.energy();
    const double start = energy;
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(alone.step(h).ok() && blown.step(h).ok());
      ASSERT_LE(blown.energy(), start * (1.0 + 1e-9)) << "step " << i;
    }
    EXPECT_LT(blown.energy(), 0.6 * start);
    EXPECT_LT(blown.energy(), 0.9 * alone.energy());
  }
}

TEST(FullWind, LeavesABodyInAStormInBounds) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {5, 1, 1}});
  const FullModel model(mesh, {test::material("neo-hookean", 2e3, 0.3, 5.0)},
                        test::vertices_below(mesh, 1e-9), {MassKind::consistent, Executor(1)});
  for (const double speed : {100.0, 1e4}) {
    for (const double h : {0.01, 0.2}) {
      FullDynamics dynamics = moving(model, {}, uniform(speed));
      const double most =
          0.5 * 5.0 * 0.04 * std::pow(2.0 * speed, 2);  // as if all of it flew back at the air
      for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(dynamics.step(h).ok()) << speed << " m/s, step " << i;
        ASSERT_LE(dynamics.kinetic_energy(), most) << speed << " m/s, step " << i;
      }
    }
  }
}

TEST(FullWind, MovesABodyInExplicitStepsAsInImplicitOnes) {
  const FullModel model = free_cube(20.0, 1e5, MassKind::lumped);
  DynamicsOptions options;
  options.integrator = Integrator::central_differences;
  const double h = 0.5 * critical_timestep(model);
  FullDynamics one = moving(model, options, uniform(30.0)), other = moving(model, {}, uniform(30.0));
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(one.step(h).ok() && other.step(h).ok());
  const double a = mean_velocity(model, one.state().v).dot(along),
               b = mean_velocity(model, other.state().v).dot(along);
  EXPECT_GT(b, 1.0);
  EXPECT_NEAR(a, b, 0.01 * b);
}

/// Gravity with drag: the fall ends at the speed at which they balance.
TEST(FullWind, LetsABodyFallNoFasterThanItsDragAllows) {
  const FullModel model = free_cube(10.0);
  const Vector weight = model.gravity_force(Vector3(0.0, 0.0, -9.81));
  for (const double h : {0.01, 0.1}) {
    FullDynamics dynamics(
        model, [&](double, double, Vector& f) { f = weight; }, Vector::Zero(weight.size()),
        Vector::Zero(weight.size()));
    const FullAir air = uniform(0.0);
    dynamics.set_air(air);
    for (int i = 0; i < static_cast<int>(12.0 / h); ++i) ASSERT_TRUE(dynamics.step(h).ok());
    const double expected = std::sqrt(9.81 * mass_of(model) / resistance(air));
    EXPECT_NEAR(-mean_velocity(model, dynamics.state().v).z(), expected, 0.02 * expected);
  }
}

/// A bar along x that is held at its end; its middle moves freely.
FullModel held_bar(double density) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {4, 1, 1}});
  return {mesh,
          {test::material("stvk", 4e5, 0.3, density)},
          test::vertices_below(mesh, 1e-9),
          {MassKind::consistent, Executor(1)}};
}

/// However light it is, that is for any c h / m: here from 0.01 to 10.
TEST(FullWind, BringsAHeldBodyToTheSameEquilibriumAtAnyStep) {
  const FullAir air = uniform(30.0);
  constexpr double h = 0.02;
  for (const double share : {0.01, 0.1, 0.3, 1.0, 2.0, 10.0}) {
    const double factor = 0.6 * 0.25 * (4.0 * 0.2 + 0.04) * 30.0 * h;  // c h, of the whole
    const FullModel model = held_bar(factor / share / 0.04);
    for (const NewmarkOptions& rule : {NewmarkOptions{}, real_time_newmark(), generalized_alpha(0.0, 10)}) {
      DynamicsOptions options;
      options.newmark = rule;
      options.damping = {20.0, 0.01};
      FullDynamics dynamics = moving(model, options, air);
      for (int i = 0; i < 400; ++i) ASSERT_TRUE(dynamics.step(h).ok()) << share;
      const Vector& u = dynamics.state().u;
      Vector drag = Vector::Zero(u.size());
      FullWind(model, air).add_drag(u, Vector::Zero(u.size()), 0.0, 0.0, drag);
      // The rule that damps nothing leaves stiff modes ringing, in which there is next to no energy.
      EXPECT_LT((model.internal_force(u) - drag).norm(), 1e-3 * drag.norm()) << share << ", " << rule.gamma;
      EXPECT_LT(dynamics.kinetic_energy(), 1e-4 * model.energy(u)) << share << ", " << rule.gamma;
    }
  }
}

TEST(FullWind, IsThatOfOtherAirPastTheSameBoundary) {
  const FullModel model = free_cube(20.0);
  FullWind wind(model, uniform(3.0));
  wind.set_air(uniform(12.0, 0.8));
  const Vector u = test::random_vector(model.dof_count(), 0.01, 1),
               v = test::random_vector(model.dof_count(), 1.0, 2);
  Vector one = Vector::Zero(u.size()), other = one;
  wind.add_drag(u, v, 0.0, 0.01, one);
  FullWind(model, uniform(12.0, 0.8)).add_drag(u, v, 0.0, 0.01, other);
  EXPECT_EQ(one, other);
  wind.set_air({});
  EXPECT_FALSE(wind.blows());
  wind.add_force(u, one);
  EXPECT_EQ(one, other) << "it pulls at nothing";
}

/// Of a body that went by implicit steps before, as of one that is just handed its state.
TEST(FullWind, IsCountedOnceInExplicitStepsAfterImplicitOnes) {
  const FullModel model = free_cube(20.0, 1e5, MassKind::lumped);
  DynamicsOptions explicit_steps;
  explicit_steps.integrator = Integrator::central_differences;
  const double h = 0.5 * critical_timestep(model);
  FullDynamics one = moving(model, {}, uniform(30.0)), other = moving(model, explicit_steps, uniform(30.0));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(one.step(0.01).ok());
  other.resume(one.state(), true);
  other.set_memory(one.memory());
  one.set_options(explicit_steps);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(one.step(h).ok() && other.step(h).ok());
  EXPECT_EQ(one.state().v, other.state().v);
}

TEST(FullWind, LeavesNoImpulseBehindWhereItStops) {
  const FullModel model = free_cube(20.0);
  for (const DynamicsOptions& options : {DynamicsOptions{}, linearised()}) {
    FullDynamics dynamics = moving(model, options, uniform(30.0));
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(dynamics.step(0.01).ok());
    dynamics.set_air({});
    const Vector3 before = mean_velocity(model, dynamics.state().v);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(dynamics.step(0.01).ok());
    EXPECT_LT((mean_velocity(model, dynamics.state().v) - before).norm(), 1e-9 * before.norm());
  }
}

}  // namespace
}  // namespace limber::full_wind_test
