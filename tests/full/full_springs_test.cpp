// Springs and handles at places of a full model.

#include "limber/full/full_springs.hpp"

#include "limber/base/error.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/mesh/embedding.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace limber::full_springs_test {
namespace {

void no_load(double, double, Vector& f) { f.setZero(); }

/// A beam along x that is held at x = 0.
struct Beam {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(5, 1, 1)});
  FullModel model;

  explicit Beam(MassKind mass = MassKind::consistent, bool held = true)
      : model(mesh, {test::material("neo-hookean", 1e5, 0.3, 1000.0)},
              held ? test::vertices_below(mesh, 1e-6) : std::vector<int>{}, {mass, Executor(1)}) {}

  [[nodiscard]] MeshPlace tip() const { return {{static_cast<int>(mesh.vertex_count()) - 1}, {1.0}}; }
  /// Somewhere within an element.
  [[nodiscard]] MeshPlace inside(const Vector3& point) const {
    const Embedding embedding = embed_points(mesh, point);
    MeshPlace place;
    for (Index a = 0; a < 4; ++a) {
      place.vertices.push_back(embedding.vertices(a, 0));
      place.weights.push_back(embedding.weights(a, 0));
    }
    return place;
  }
  [[nodiscard]] Vector3 moved(const MeshPlace& place, const Vector& u) const {
    return displacement_at(place, model.dofs(), u, Matrix3X(3, 0));
  }
  [[nodiscard]] Vector zero() const { return Vector::Zero(model.dof_count()); }
};

/// One at the tip, one within an element, and one in an element that is partly fixed.
std::vector<FullSpring> some_springs(const Beam& beam) {
  return {{beam.tip(), Vector3(0.1, -0.2, 0.3), 50.0},
          {beam.inside({0.71, 0.03, -0.06}), Vector3(0.0, 0.1, 0.0), 300.0},
          {beam.inside({0.07, 0.03, 0.05}), Vector3(-0.05, 0.0, 0.02), 1000.0}};
}

TEST(FullSprings, PullWithTheDerivativeOfTheirEnergy) {
  const Beam beam;
  FullSystem system(beam.model, {});
  system.set_springs(some_springs(beam));
  const Vector u = test::random_vector(beam.model.dof_count(), 0.02, 1),
               d = test::random_vector(beam.model.dof_count(), 0.5, 2);
  system.evaluate(u);
  const double energy = system.elastic_energy(), slope = system.force().dot(d);
  const auto remainder = [&](double h) {
    system.evaluate(u + h * d);
    return std::abs(system.elastic_energy() - energy - h * slope);
  };
  EXPECT_GT(test::remainder_slope(remainder, energy), 1.9);
}

TEST(FullSprings, AreInTheMatrixAsInTheForce) {
  const Beam beam;
  const std::vector<FullSpring> springs = some_springs(beam);
  FullSystem system(beam.model, {});
  system.set_springs(springs);
  const Vector u = test::random_vector(beam.model.dof_count(), 0.01, 1),
               p = test::random_vector(beam.model.dof_count(), 1.0, 2);
  system.evaluate(u);
  const double c1 = 1e3, c3 = 0.7;
  Vector product, found;
  system.multiply_mass(p, product);
  product = c1 * product + c3 * (beam.model.stiffness(u) * p);
  system.add_end_stiffness_product(p, product);
  ASSERT_TRUE(system.factor(c1, 0.0, c3, beam.zero()).ok());
  ASSERT_TRUE(system.solve(product, found).ok());
  EXPECT_LT((found - p).norm(), 1e-10 * p.norm());

  // Their forces are linear: the product is their difference.
  const FullSprings all(beam.model, springs);
  Vector before = beam.zero(), after = beam.zero(), change = beam.zero();
  const Matrix3X still(3, 0);
  all.add_force(u, still, before);
  all.add_force(u + p, still, after);
  all.add_product(p, change);
  EXPECT_LT((after - before - change).norm(), 1e-12 * after.norm());
}

TEST(FullSprings, AreTheSameInASubspace) {
  const Beam beam;
  const FullSprings springs(beam.model, some_springs(beam));
  Matrix U(beam.model.dof_count(), 5);
  for (Index i = 0; i < U.cols(); ++i) U.col(i) = test::random_vector(U.rows(), 1.0, 10 + i);
  const Vector q = test::random_vector(5, 0.1, 3), u = U * q;
  const FullSprings::Projected projected = springs.projected(U);
  Vector force = beam.zero();
  springs.add_force(u, Matrix3X(3, 0), force);
  const Vector expected = U.transpose() * force, found = projected.stiffness * q + projected.force;
  EXPECT_LT((found - expected).norm(), 1e-12 * expected.norm());
  const double energy = q.dot(0.5 * projected.stiffness * q + projected.force) + projected.energy;
  EXPECT_NEAR(energy, springs.energy(u, Matrix3X(3, 0)), 1e-12 * energy);
}

TEST(FullSprings, BalanceTheBodyInEquilibrium) {
  const Beam beam;
  const MeshPlace place = beam.inside({0.97, 0.05, 0.07});
  const Vector3 target(0.05, 0.2, -0.3);
  const double k = 80.0;
  StaticSolver solver(beam.model);
  solver.set_springs(std::vector<FullSpring>{{place, target, k}}, Matrix3X(3, 0));
  Vector u = beam.zero();
  ASSERT_TRUE(solver.solve(beam.zero(), u).ok());
  const Vector3 pull = k * (target - beam.moved(place, u));
  Vector expected = beam.zero();
  add_force_at(place, beam.model.dofs(), pull, expected);
  const Vector force = beam.model.internal_force(u);
  EXPECT_GT(pull.norm(), 1.0);
  EXPECT_LT((force - expected).norm(), 1e-6 * force.norm());
}

TEST(FullSprings, BringAMovingBodyToItsEquilibrium) {
  const Beam beam;
  const std::vector<FullSpring> springs{{beam.tip(), Vector3(0.0, 0.1, -0.2), 40.0}};
  StaticSolver solver(beam.model);
  solver.set_springs(springs, Matrix3X(3, 0));
  Vector expected = beam.zero();
  ASSERT_TRUE(solver.solve(beam.zero(), expected).ok());
  for (const NewmarkOptions& newmark : {NewmarkOptions{}, real_time_newmark()}) {
    FullDynamics dynamics(beam.model, no_load, beam.zero(), beam.zero(),
                          {.newmark = newmark, .damping = {4.0, 0.02}});
    dynamics.set_springs(springs);
    for (int i = 0; i < 600; ++i) ASSERT_TRUE(dynamics.step(0.02).ok());
    EXPECT_LT((dynamics.state().u - expected).norm(), 1e-4 * expected.norm());
  }
}

/// However stiff, and when they let go.
TEST(FullSprings, AddNoEnergy) {
  for (const double stiffness : {1.0, 1e3, 1e6}) {
    for (const NewmarkOptions& newmark : {NewmarkOptions{}, real_time_newmark()}) {
      const Beam beam;
      const std::vector<FullSpring> springs{
          {beam.tip(), Vector3(0.0, 0.1, -0.08), stiffness},
          {beam.inside({0.45, 0.02, -0.05}), Vector3(0.0, 0.03, 0.0), stiffness}};
      const FullSprings all(beam.model, springs);
      FullDynamics dynamics(beam.model, no_load, beam.zero(), beam.zero(), {.newmark = newmark});
      dynamics.set_springs(springs);
      const auto energy = [&] { return dynamics.energy() + all.energy(dynamics.state().u, Matrix3X(3, 0)); };
      const double start = energy();
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(dynamics.step(0.02).ok()) << "k = " << stiffness << ", step " << i;
        ASSERT_LE(energy(), start * (1.0 + 1e-9)) << "k = " << stiffness << ", step " << i;
      }
      dynamics.set_springs({});
      ASSERT_TRUE(dynamics.step(0.02).ok());
      const double free = dynamics.energy() + beam.model.energy_rounding();
      for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(dynamics.step(0.02).ok());
        ASSERT_LE(dynamics.energy(), free) << "k = " << stiffness << ", step " << i;
      }
    }
  }
}

TEST(FullSprings, HoldABodyThatNothingElseHolds) {
  const Beam beam(MassKind::lumped, false);
  const Vector weight = beam.model.gravity_force({0.0, 0.0, -1.0});
  FullDynamics dynamics(beam.model, [&](double, double, Vector& f) { f = weight; }, beam.zero(), beam.zero(),
                        {.damping = {5.0, 0.01}});
  dynamics.set_springs({{beam.tip(), Vector3::Zero(), 1e5}, {{{0}, {1.0}}, Vector3::Zero(), 1e5}});
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(dynamics.step(0.02).ok());
  const double pull = 1e5 * -(beam.moved(beam.tip(), dynamics.state().u).z() + dynamics.state().u(2));
  EXPECT_NEAR(pull, -weight.reshaped(3, weight.size() / 3).row(2).sum(), 1e-3 * std::abs(pull));
}

TEST(FullSprings, RefuseStiffnessesThatAreNone) {
  const Beam beam;
  FullSystem system(beam.model, {});
  EXPECT_THROW(system.set_springs(std::vector<FullSpring>{{beam.tip(), Vector3::Zero(), -1.0}}), Error);
  EXPECT_THROW(system.set_springs(std::vector<FullSpring>{{beam.tip(), Vector3::Zero(), std::nan("")}}),
               Error);
}

/// A handle at a vertex and one within an element, led along arcs.
std::vector<FullHandle> led(const Beam& beam, double t) {
  const double s = std::sin(2.0 * t);
  return {{beam.tip(), Vector3(-0.05 * s * s, 0.2 * s, 0.3 * s)},
          {beam.inside({0.55, 0.03, 0.06}), Vector3(0.0, 0.08 * s, 0.1 * s)}};
}

TEST(FullHandles, AreWhereTheirPlacesAreWhileTheyMove) {
  for (const MassKind mass : {MassKind::lumped, MassKind::consistent}) {
    for (const NewmarkOptions& newmark : {NewmarkOptions{}, real_time_newmark()}) {
      const Beam beam(mass);
      const double h = 0.01;
      FullDynamics dynamics(beam.model, no_load, beam.zero(), beam.zero(), {.newmark = newmark});
      for (int i = 1; i <= 100; ++i) {
        const std::vector<FullHandle> handles = led(beam, h * i), before = led(beam, h * i - 1e-5),
                                      after = led(beam, h * i + 1e-5);
        dynamics.set_handles(handles);
        const SolveReport report = dynamics.step(h);
        ASSERT_TRUE(report.ok() && !report.rescued) << "step " << i;
        for (std::size_t k = 0; k < handles.size(); ++k) {
          ASSERT_LT((beam.moved(handles[k].place, dynamics.state().u) - handles[k].target).norm(), 1e-6)
              << "step " << i;
          if (i <= 2) continue;  // they set off at once, and two steps is what that is seen for
          const Vector3 velocity = (after[k].target - before[k].target) / 2e-5;
          ASSERT_LT((beam.moved(handles[k].place, dynamics.state().v) - velocity).norm(), 1e-3)
              << "step " << i;
        }
      }
    }
  }
}

/// A hand that stands still, and one that lets go, give nothing.
TEST(FullHandles, AddNoEnergyWhereTheyStandStill) {
  const Beam beam;
  const double h = 0.02;
  FullDynamics dynamics(beam.model, no_load, beam.zero(), beam.zero());
  for (int i = 1; i <= 20; ++i) {
    dynamics.set_handles(led(beam, h * i));
    ASSERT_TRUE(dynamics.step(h).ok());
  }
  double start = dynamics.energy();  // with the motion of the hand, which then stops
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(dynamics.step(h).ok());
    ASSERT_LE(dynamics.energy(), start * (1.0 + 1e-6)) << "held, step " << i;
  }
  dynamics.set_handles({});
  ASSERT_TRUE(dynamics.step(h).ok());
  start = dynamics.energy();
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(dynamics.step(h).ok());
    ASSERT_LE(dynamics.energy(), start * (1.0 + 1e-9)) << "let go, step " << i;
  }
}

/// Farther than the body is thick, many times a second: a hand gives it no more than throwing it that fast
/// takes.
TEST(FullHandles, ThatLeapKeepTheBodyInBounds) {
  for (const NewmarkOptions& newmark : {NewmarkOptions{}, real_time_newmark()}) {
    const Beam beam(MassKind::lumped);
    const double h = 1.0 / 60.0;
    FullDynamics dynamics(beam.model, no_load, beam.zero(), beam.zero(), {.newmark = newmark});
    const double mass = beam.model.mass().diagonal().sum() / 3.0, speed = 0.6 / h;
    for (int i = 0; i < 180; ++i) {
      const Vector3 target = test::random_vector(3, 0.3, static_cast<std::uint64_t>(i / 3));
      dynamics.set_handles({{beam.tip(), target}, {beam.inside({0.55, 0.03, 0.06}), 0.4 * target}});
      ASSERT_TRUE(dynamics.step(h).ok()) << "step " << i;
      ASSERT_LT(dynamics.energy(), 0.5 * mass * speed * speed) << "step " << i;
    }
  }
}

/// As a vertex that is fixed: there, both are the same body.
TEST(FullHandles, HoldAVertexAsIfItWereFixed) {
  const Beam beam(MassKind::lumped);
  const int tip = static_cast<int>(beam.mesh.vertex_count()) - 1;
  std::vector<int> fixed = test::vertices_below(beam.mesh, 1e-6);
  fixed.push_back(tip);
  const FullModel held(beam.mesh, beam.model.materials(), fixed, {MassKind::lumped, Executor(1)});
  const Vector3 g(1.0, 2.0, -5.0);
  const auto weight = [&](const FullModel& model) {
    return [force = model.gravity_force(g)](double, double, Vector& f) { f = force; };
  };
  FullDynamics with_handle(beam.model, weight(beam.model), beam.zero(), beam.zero());
  with_handle.set_handles({{beam.tip(), Vector3::Zero()}});
  const Vector zero = Vector::Zero(held.dof_count());
  FullDynamics with_support(held, weight(held), zero, zero, {.newmark = generalized_alpha(0.0, 30)});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(with_handle.step(0.01).ok());
    ASSERT_TRUE(with_support.step(0.01).ok());
  }
  const Matrix3X one = beam.model.dofs().expand(with_handle.state().u),
                 other = held.dofs().expand(with_support.state().u);
  EXPECT_LT((one - other).norm(), 1e-4 * other.norm());
}

}  // namespace
}  // namespace limber::full_springs_test
