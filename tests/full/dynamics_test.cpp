#include "limber/full/dynamics.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/integrators/saved_state.hpp"
#include "tests/support/fixtures.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <limits>

namespace limber::dynamics_test {
namespace {

void no_load(double, double, Vector& f) { f.setZero(); }

/// A small held beam that is bent and let go.
struct Swing {
  VolumeMesh mesh;
  FullModel model;
  Vector start;

  explicit Swing(ElementKind kind = ElementKind::tetrahedron, std::string_view law = "stvk",
                 MassKind mass = MassKind::consistent)
      : mesh(make_beam({kind, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)})),
        model(mesh, {test::material(law, 1e5, 0.3, 1000.0)}, test::vertices_below(mesh, 1e-6),
              {mass, Executor(1)}) {
    const LinearModes modes = compute_linear_modes(model, 1);
    start = modes.shapes.col(0) * (0.2 / modes.shapes.col(0).cwiseAbs().maxCoeff());
  }

  Vector run(double h, double duration, const DynamicsOptions& options = {}) const {
    FullDynamics dynamics(model, no_load, start, Vector::Zero(model.dof_count()), options);
    const int steps = static_cast<int>(std::lround(duration / h));
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(dynamics.step(h).ok());
    EXPECT_NEAR(dynamics.state().time, duration, 1e-12);
    return dynamics.state().u;
  }
};

double observed_order(const Vector& coarse, const Vector& middle, const Vector& fine) {
  return std::log2((coarse - middle).norm() / (middle - fine).norm());
}

TEST(Newmark, IsOfSecondOrder) {
  const Swing swing;
  const double h = 0.004;
  const double order = observed_order(swing.run(h, 0.08), swing.run(h / 2, 0.08), swing.run(h / 4, 0.08));
  EXPECT_NEAR(order, 2.0, 0.15);
}

TEST(Newmark, IsOfSecondOrderWithLocalAndWithLinearDamping) {
  const Swing swing;
  for (const auto kind : {RayleighDamping::Stiffness::local, RayleighDamping::Stiffness::linear}) {
    DynamicsOptions options;
    options.damping = {0.5, 0.002, kind};
    options.newmark.tolerance = 1e-10;
    const double h = 0.001;
    const double order = observed_order(swing.run(h, 0.08, options), swing.run(h / 2, 0.08, options),
                                        swing.run(h / 4, 0.08, options));
    EXPECT_NEAR(order, 2.0, 0.2);
  }
}

TEST(Newmark, KeepsTheEnergyWithinBoundsOverTenThousandSteps) {
  const Swing swing(ElementKind::brick);
  FullDynamics dynamics(swing.model, no_load, swing.start, Vector::Zero(swing.model.dof_count()));
  const double start = dynamics.energy();
  double lowest = start, highest = start;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(dynamics.step(0.005).ok()) << "step " << i;
    lowest = std::min(lowest, dynamics.energy());
    highest = std::max(highest, dynamics.energy());
  }
  EXPECT_GT(lowest, 0.8 * start);
  EXPECT_LT(highest, 1.2 * start);
}

TEST(Newmark, FollowsALinearOscillationAtItsFrequency) {
  const Swing swing(ElementKind::brick, "linear");
  const double frequency = compute_linear_modes(swing.model, 1).frequencies_hz(0);
  const double period = 1.0 / frequency;
  const Vector after = swing.run(period / 400, period);
  EXPECT_LT((after - swing.start).norm(), 1e-3 * swing.start.norm());
}

TEST(Newmark, LosesEnergyToDampingAsTheoryPredicts) {
  // A single mode under D = alpha M decays like exp(-alpha t / 2).
  const Swing swing(ElementKind::brick, "linear");
  DynamicsOptions options;
  const double period = 1.0 / compute_linear_modes(swing.model, 1).frequencies_hz(0), alpha = 0.1 / period;
  options.damping = {alpha, 0.0, RayleighDamping::Stiffness::local};
  FullDynamics dynamics(swing.model, no_load, swing.start, Vector::Zero(swing.model.dof_count()), options);
  const double start = dynamics.energy();
  for (int i = 0; i < 800; ++i) ASSERT_TRUE(dynamics.step(period / 200).ok());
  EXPECT_NEAR(dynamics.energy() / start, std::exp(-alpha * 4.0 * period), 0.005);
}

TEST(Newmark, WithOneIterationStaysCloseToTheConvergedStep) {
  const Swing swing;
  DynamicsOptions once;
  once.newmark.max_iterations = 1;
  const Vector converged = swing.run(0.001, 0.05), linearised = swing.run(0.001, 0.05, once);
  EXPECT_LT((converged - linearised).norm(), 1e-2 * converged.norm());
  EXPECT_GT((converged - linearised).norm(), 0.0);
}

TEST(Newmark, ReportsAStepThatCannotBeSolvedAndKeepsTheState) {
  const Swing swing;
  DynamicsOptions options;
  options.newmark.max_iterations = 2;
  options.newmark.tolerance = 1e-30;
  options.newmark.guarded = false;
  options.max_halvings = 1;
  FullDynamics dynamics(swing.model, no_load, swing.start, Vector::Zero(swing.model.dof_count()), options);
  const SolveReport report = dynamics.step(0.01);
  EXPECT_EQ(report.status, SolveStatus::not_converged);
  EXPECT_EQ(dynamics.state().u, swing.start);
  EXPECT_EQ(dynamics.state().time, 0.0);
}

TEST(Newmark, ReportsALoadThatIsNotFinite) {
  const Swing swing;
  const auto broken = [](double, double t1, Vector& f) { f.setConstant(t1 > 0.0 ? std::nan("") : 0.0); };
  FullDynamics dynamics(swing.model, broken, swing.start, Vector::Zero(swing.model.dof_count()));
  EXPECT_EQ(dynamics.step(0.01).status, SolveStatus::not_finite);
  EXPECT_EQ(dynamics.state().u, swing.start);
}

TEST(CentralDifferences, AreOfSecondOrderAndAgreeWithNewmark) {
  const Swing swing(ElementKind::tetrahedron, "neo-hookean", MassKind::lumped);
  DynamicsOptions explicit_options;
  explicit_options.integrator = Integrator::central_differences;
  const double h = 1e-3;
  ASSERT_LT(h, critical_timestep(swing.model));
  const Vector coarse = swing.run(h, 0.08, explicit_options),
               middle = swing.run(h / 2, 0.08, explicit_options),
               fine = swing.run(h / 4, 0.08, explicit_options);
  EXPECT_NEAR(observed_order(coarse, middle, fine), 2.0, 0.15);
  EXPECT_LT((fine - swing.run(h / 4, 0.08)).norm(), 1e-3 * fine.norm());
}

TEST(CentralDifferences, BlowUpBeyondTheCriticalTimeStepAndNotBelow) {
  const Swing swing(ElementKind::brick, "linear", MassKind::lumped);
  DynamicsOptions options;
  options.integrator = Integrator::central_differences;
  const double critical = critical_timestep(swing.model);
  for (const double share : {0.97, 1.06}) {
    FullDynamics dynamics(swing.model, no_load, test::random_vector(swing.model.dof_count(), 1e-3, 1),
                          Vector::Zero(swing.model.dof_count()), options);
    const double start = dynamics.energy();
    double highest = 0.0;
    for (int i = 0; i < 600 && dynamics.step(share * critical).ok(); ++i)
      highest = std::max(highest, dynamics.energy());
    if (share < 1.0) {
      EXPECT_LT(highest, 20.0 * start);
    } else {
      EXPECT_GT(highest, 1e6 * start);
    }
  }
}

TEST(CentralDifferences, AreStableBelowTheCriticalTimeStepOfADampedBody) {
  const Swing swing(ElementKind::brick, "linear", MassKind::lumped);
  DynamicsOptions options;
  options.integrator = Integrator::central_differences;
  options.damping = {1.0, 0.01, RayleighDamping::Stiffness::local};
  const double critical = critical_timestep(swing.model, options.damping);
  EXPECT_LT(critical, 0.6 * critical_timestep(swing.model));
  for (const double share : {0.95, 1.2}) {
    FullDynamics dynamics(swing.model, no_load, test::random_vector(swing.model.dof_count(), 1e-3, 1),
                          Vector::Zero(swing.model.dof_count()), options);
    const double start = dynamics.energy();
    for (int i = 0; i < 400 && dynamics.step(share * critical).ok(); ++i) continue;
    if (share < 1.0) {
      EXPECT_LT(dynamics.energy(), start);
    } else {
      EXPECT_GT(dynamics.energy(), 1e3 * start);
    }
  }
}

/// A body in free flight: it drifts, tumbles and wobbles.
class FreeBody : public testing::TestWithParam<Integrator> {
 protected:
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.3, 0.2), Eigen::Vector3i(4, 2, 1)});
  FullModel model{mesh, {test::material("stvk", 1e5, 0.3, 1000.0)}, {}, {MassKind::lumped, Executor(1)}};

  Vector3 linear_momentum(const DynamicState& state) const {
    return model.dofs().expand(state.v) * model.vertex_masses();
  }
  Vector3 angular_momentum(const DynamicState& state) const {
    const Matrix3X x = mesh.vertices + model.dofs().expand(state.u), v = model.dofs().expand(state.v);
    Vector3 sum = Vector3::Zero();
    for (Index i = 0; i < x.cols(); ++i) sum += model.vertex_masses()(i) * x.col(i).cross(v.col(i));
    return sum;
  }
  FullDynamics launch() const {
    Matrix3X v(3, mesh.vertex_count());
    for (Index i = 0; i < v.cols(); ++i)
      v.col(i) = Vector3(1, -0.5, 0.3) + Vector3(2, 3, -1).cross(mesh.vertices.col(i));
    DynamicsOptions options;
    options.integrator = GetParam();
    options.newmark.tolerance = 1e-11;
    return {model, no_load, Vector::Zero(model.dof_count()), model.dofs().restrict(v), options};
  }
};

TEST_P(FreeBody, KeepsItsLinearMomentum) {
  FullDynamics dynamics = launch();
  const Vector3 start = linear_momentum(dynamics.state());
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(dynamics.step(1e-3).ok());
  EXPECT_LT((linear_momentum(dynamics.state()) - start).norm(), 1e-9 * start.norm());
}

TEST_P(FreeBody, KeepsItsAngularMomentum) {
  // By itself Newmark's method does not; velocity Verlet with a diagonal mass does.
  for (const double h : {1e-3, 5e-4}) {
    FullDynamics dynamics = launch();
    const Vector3 start = angular_momentum(dynamics.state());
    const int steps = static_cast<int>(std::lround(0.2 / h));
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(dynamics.step(h).ok());
    EXPECT_LT((angular_momentum(dynamics.state()) - start).norm(), 1e-12 * start.norm());
  }
}

TEST_P(FreeBody, DriftsWithoutEffort) {
  // Pure translation: all forces are zero but for rounding.
  DynamicsOptions options;
  options.integrator = GetParam();
  const Vector velocity = model.dofs().restrict(Vector3(1.0, 0.3, 0.2).replicate(1, mesh.vertex_count()));
  FullDynamics dynamics(model, no_load, Vector::Zero(model.dof_count()), velocity, options);
  int iterations = 0;
  for (int i = 0; i < 100; ++i) {
    const SolveReport report = dynamics.step(1e-3);
    ASSERT_TRUE(report.ok()) << "step " << i << ", residual " << report.residual;
    iterations += report.iterations;
  }
  EXPECT_LE(iterations, 200);
  EXPECT_LT((dynamics.state().u - 0.1 * velocity).norm(), 1e-10 * velocity.norm());
}

INSTANTIATE_TEST_SUITE_P(, FreeBody, testing::Values(Integrator::newmark, Integrator::central_differences),
                         [](const auto& tested) {
                           return tested.param == Integrator::newmark ? "newmark" : "central_differences";
                         });

TEST(Dynamics, ComeToRestAtTheStaticSolution) {
  const Swing swing(ElementKind::brick, "neo-hookean");
  const Vector weight = swing.model.gravity_force({0, 0, -2.0});
  DynamicsOptions options;
  options.damping = {4.0, 0.02, RayleighDamping::Stiffness::local};
  FullDynamics dynamics(
      swing.model, [&](double, double, Vector& f) { f = weight; }, Vector::Zero(weight.size()),
      Vector::Zero(weight.size()), options);
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(dynamics.step(0.02).ok());
  EXPECT_LT((swing.model.internal_force(dynamics.state().u) - weight).norm(), 1e-5 * weight.norm());
}

TEST(Dynamics, RefuseVectorsOfTheWrongSize) {
  const Swing swing;
  EXPECT_THROW(FullDynamics(swing.model, no_load, Vector::Zero(3), Vector::Zero(3)), Error);
}

/// A load that is not finite cannot be borne: what the step had noted by then is undone.
TEST(FullDynamics, IsAsBeforeAfterAStepThatFails) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {4, 1, 1}});
  const FullModel model(mesh, {test::material("stvk", 4e5, 0.3, 1000.0)}, test::vertices_below(mesh, 1e-9),
                        {MassKind::lumped, Executor(1)});
  const double h = 0.5 * critical_timestep(model);
  for (const Integrator integrator : {Integrator::newmark, Integrator::central_differences}) {
    DynamicsOptions options;
    options.integrator = integrator;
    bool bad = false;
    FullDynamics dynamics(
        model,
        [&](double, double, Vector& f) {
          f.setConstant(model.dof_count(), bad ? std::numeric_limits<double>::infinity() : 0.0);
        },
        Vector::Zero(model.dof_count()), Vector::Zero(model.dof_count()), options);
    dynamics.set_air({[](const Vector3&, double) { return Vector3(0.0, 30.0, 0.0); }, 0.6});
    const auto bytes = [&] {
      StateWriter out;
      out.write(dynamics.started());
      save_state(dynamics.state(), out);
      dynamics.memory().save(out);
      return out.bytes();
    };
    for (int i = 0; i < 3; ++i) {
      const std::string before = bytes();
      bad = true;
      ASSERT_FALSE(dynamics.step(h).ok());
      bad = false;
      EXPECT_EQ(bytes(), before) << i;
      ASSERT_TRUE(dynamics.step(h).ok());
    }
  }
}

}  // namespace
}  // namespace limber::dynamics_test
