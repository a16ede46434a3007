#include "limber/base/random.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/multidomain/small_trees.hpp"
#include "tests/reduced/allocations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

// Trees whose root follows a given motion.

namespace limber::tree_support_test {
namespace {

const std::shared_ptr<const Model>& bush() {
  static const auto tree = test::reduced(test::twig_parts());
  return tree;
}

/// Slender and soft, of one domain or cut into three.
std::shared_ptr<const Model> soft_beam(int domains, bool free = false) {
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(12, 2, 2)});
  Decomposition cut{{}, {}};
  for (int d = 0; d < domains; ++d) cut.names.push_back(fmt::format("{}", d));
  for (Index e = 0; e < mesh.element_count(); ++e)
    cut.domain.push_back(static_cast<int>(domains * test::element_center(mesh, e).x()));
  DecomposedBody body{mesh, {test::material("stvk", 1e6)}, {}, {}, {}};
  if (!free) body.fixed = test::vertices_below(mesh, 1e-9);
  return test::reduced(make_parts(body, cut));
}

/// From rest to full speed in one second, and on.
double smooth_start(double t) {
  if (t <= 0.0) return 0.0;
  if (t >= 1.0) return t - 0.5;
  return 0.5 * t * t -
         (1.0 - std::cos(2.0 * std::numbers::pi * t)) / (4.0 * std::numbers::pi * std::numbers::pi);
}

Vector3 accelerated(const PoseFunction& motion, double t, double h) {
  return (motion(t + h).position - 2.0 * motion(t).position + motion(t - h).position) / (h * h);
}

TEST(CarriedRoot, ThatDoesNotTurnFeelsItsAccelerationAsGravity) {
  const PoseFunction shake = [](double t) {
    return Pose{Vector3(0.3 * (1.0 - std::cos(4.0 * t)), 0.2 * smooth_start(2.0 * t),
                        0.1 * std::sin(3.0 * t) * t * t),
                Eigen::Quaterniond::Identity()};
  };
  const Vector3 gravity(0.0, -1.0, -9.81);
  NewmarkOptions options = tree_newmark();
  options.guarded = false;  // to which a gravity that changes is another matter than a support that moves
  for (const double h : {0.002, 0.02}) {
    TreeDynamics carried(bush()), held(bush());
    carried.set_gravity(gravity);
    carried.set_support(shake);
    for (TreeDynamics* tree : {&carried, &held}) tree->set_damping({.stiffness = 1e-3});
    const double c = 1.0 - options.alpha_f;
    const PoseFunction clamped = [&](double t) { return shake(std::max(t, 0.0)); };
    held.set_gravity(gravity - 2.0 * shake(h).position / (h * h));
    ASSERT_TRUE(held.balance().ok());
    for (int i = 0; i < 200; ++i) {
      const double t = (i + c) * h;
      Vector3 felt = accelerated(clamped, t, h);
      if (i == 0)
        felt += (shake(c * h).position - 2.0 * (1.0 - options.gamma - options.alpha_m) * shake(h).position) /
                (h * h);
      held.set_gravity(gravity - felt);
      ASSERT_TRUE(carried.step(h, options).ok() && held.step(h, options).ok()) << "step " << i;
      ASSERT_LT((carried.state().q - held.state().q).norm(), 1e-9 * (1.0 + held.state().q.norm()))
          << "h = " << h << ", step " << i;
      const Vector3 way = carried.frame(2).position - held.frame(2).position;
      ASSERT_LT((way - shake((i + 1) * h).position).norm(), 1e-9) << "step " << i;
    }
  }
}

/// In the axes of the support: what the springs of the body hold against is rho w^2 times the distance from
/// the axis, of the shape that it has taken.
TEST(CarriedRoot, ThatSpinsEvenlyIsStretchedByCentrifugalForces) {
  const auto tree = soft_beam(1);
  const double speed = 3.0;  // rad/s
  const Vector3 axis(0.0, 0.0, 1.0), through(-0.2, 0.1, 0.0);
  TreeDynamics dynamics(tree);
  dynamics.set_damping({.stiffness = 0.2});
  dynamics.set_support([&](double t) {
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(speed * smooth_start(t), axis));
    return Pose{through - turn * through, turn};
  });
  for (int i = 0; i < 4000; ++i) ASSERT_TRUE(dynamics.step(0.005).ok()) << "step " << i;

  const ReducedModel& model = tree->parts.front().model;
  const SimulationMesh& simulation = *model.simulation;
  const FullModel full(simulation.mesh, model.materials(), simulation.fixed,
                       {MassKind::consistent, Executor(1)});
  Matrix3X field(3, simulation.mesh.vertex_count());
  field.reshaped() = simulation.basis * dynamics.state().q;
  const Vector u = full.dofs().restrict(field);
  // With the mass of the held vertices, whose places the shape functions of others reach.
  const FullModel whole(simulation.mesh, model.materials(), {}, {MassKind::consistent, Executor(1)});
  Matrix3X outward = (simulation.mesh.vertices + field).colwise() - through;
  outward.row(2).setZero();
  const Matrix3X pulled =
      whole.dofs().expand(whole.mass() * (speed * speed * whole.dofs().restrict(outward)));
  const Vector missing =
      simulation.basis.transpose() * (full.dofs().expand(full.internal_force(u)) - pulled).reshaped();
  const Vector load = simulation.basis.transpose() * pulled.reshaped();
  EXPECT_GT(dynamics.state().q.norm(), 0.0);
  EXPECT_LT(missing.norm(), 1e-4 * load.norm());
}

/// At any state, a free tree accelerates as one whose root is carried just as the root of the free one
/// accelerates: all that a moving frame does.
TEST(CarriedRoot, ThatMovesAsTheRootOfAFreeTreeGivesTheSameAccelerations) {
  Random random(3);
  const auto flying = soft_beam(3, true);
  const auto held = std::make_shared<Model>(*flying);
  held->free = false;
  const Vector3 gravity(0.3, -9.0, 1.0);
  const auto some = [&] { return Vector3(random.normal(), random.normal(), random.normal()); };
  for (int run = 0; run < 5; ++run) {
    TreeDynamics free(flying), carried(held);
    for (TreeDynamics* tree : {&free, &carried}) tree->set_gravity(gravity);
    TreeState state = free.state();
    state.time = 1.0;
    state.root.position = some();
    state.root.rotation = Eigen::Quaterniond(rotation_matrix(some()));
    state.root.velocity = some();
    state.root.angular_velocity = 3.0 * some();
    for (Index i = 0; i < state.q.size(); ++i) {
      state.q(i) = 0.02 * random.normal();
      state.v(i) = 0.2 * random.normal();
    }
    free.set_state(state);
    ASSERT_TRUE(free.balance().ok());
    const FrameState root = free.state().root;
    const Pose rest{held->domains.front().position, held->domains.front().rotation};
    carried.set_support([&](double t) {
      const double s = t - state.time;
      const Vector3 turn = s * root.angular_velocity + 0.5 * s * s * root.angular_acceleration;
      return Pose{root.position + s * root.velocity + 0.5 * s * s * root.acceleration,
                  Eigen::Quaterniond(rotation_matrix(turn)) * root.rotation} *
             rest.inverse();
    });
    carried.set_state(state);
    ASSERT_TRUE(carried.balance().ok());
    EXPECT_LT((carried.state().a - free.state().a).norm(), 1e-5 * free.state().a.norm()) << "run " << run;
  }
}

double energy_of(const TreeDynamics& dynamics) {
  return dynamics.elastic_energy() + dynamics.kinetic_energy();
}

TEST(CarriedRoot, ThatSetsOffAtOnceGivesTheSameImpulseHoweverItIsStepped) {
  const Vector3 velocity(0.0, 0.5, 1.0);
  const auto set_off = [&](double balanced, double h, int steps) {
    TreeDynamics dynamics(soft_beam(1));
    dynamics.set_support([&](double t) { return Pose{t * velocity, Eigen::Quaterniond::Identity()}; });
    EXPECT_TRUE(dynamics.balance(balanced).ok());
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(dynamics.step(h).ok());
    return dynamics.momentum().linear;
  };
  const double whole = TreeDynamics(soft_beam(1)).momentum().mass * velocity.norm();
  const Vector3 usual = set_off(1e-4, 1e-4, 4);
  EXPECT_LT(usual.norm(), 0.35 * whole) << "what is not near the support is still where it was";
  for (const double balanced : {1e-5, 1e-3})
    EXPECT_LT((set_off(balanced, 1e-4, 4) - usual).norm(), 0.1 * whole) << balanced;
}

/// Violent, so that steps are shared and rescued: in a wind, on supports that jerk.
TEST(CarriedRoot, MayJerkAsItLikes) {
  Random random(11);
  const auto tree = soft_beam(3);
  int helped = 0;
  for (int run = 0; run < 10; ++run) {
    const double h = std::pow(10.0, random.uniform(-3.0, -1.0)), pace = random.uniform(1.0, 20.0);
    const Vector3 way(random.normal(), random.normal(), random.normal()),
        turn(random.normal(), random.normal(), random.normal());
    TreeDynamics dynamics(tree);
    dynamics.set_wind({.velocity = {5.0, 1.0, 0.0}, .gusts = 0.5});
    dynamics.set_inertia(run % 3 == 0 ? SubtreeInertia::center : SubtreeInertia::full);
    const double stop = 40.0 * h;
    dynamics.set_support([=](double t) {
      const double s = std::asin(std::sin(pace * std::min(t, stop)));
      return Pose{s * way, Eigen::Quaterniond(rotation_matrix(0.5 * s * turn))};
    });
    for (int i = 0; i < 42; ++i) {
      const SolveReport report = dynamics.step(h);
      ASSERT_TRUE(report.ok()) << "run " << run << ", step " << i;
      helped += report.iterations > 1 || report.rescued ? 1 : 0;
    }
    dynamics.set_wind({});
    ASSERT_TRUE(dynamics.step(h).ok());
    const double start = energy_of(dynamics);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(dynamics.step(h).ok()) << "run " << run << ", step " << i;
      ASSERT_LE(energy_of(dynamics), start * (1.0 + 1e-9))
          << "run " << run << ", h = " << h << ", step " << i;
    }
  }
  EXPECT_GT(helped, 0);
}

TEST(CarriedRoot, ThatComesToRestLeavesNoEnergyBehindThatGrows) {
  Random random(7);
  const auto tree = soft_beam(3);
  for (int run = 0; run < 12; ++run) {
    const double h = std::pow(10.0, random.uniform(-3.0, -1.0));
    const Vector3 way(random.normal(), random.normal(), random.normal()),
        turn(random.normal(), random.normal(), random.normal());
    const double stop = 60.0 * h, pace = random.uniform(0.5, 6.0);
    TreeDynamics dynamics(tree);
    dynamics.set_support([=](double t) {
      const double s = std::sin(pace * std::min(t, stop));
      return Pose{0.3 * s * way, Eigen::Quaterniond(rotation_matrix(0.3 * s * turn))};
    });
    for (int i = 0; i < 62; ++i) ASSERT_TRUE(dynamics.step(h).ok()) << "run " << run << ", step " << i;
    const double start = energy_of(dynamics);
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(dynamics.step(h).ok()) << "run " << run << ", step " << i;
      ASSERT_LE(energy_of(dynamics), start * (1.0 + 1e-9))
          << "run " << run << ", h = " << h << ", step " << i;
    }
  }
}

TEST(CarriedRoot, ThatStandsStillChangesNothing) {
  TreeDynamics carried(bush()), held(bush());
  carried.set_support([](double) { return Pose{}; });
  for (TreeDynamics* tree : {&carried, &held}) tree->set_gravity({0.0, 0.0, -9.81});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(carried.step(0.01).ok() && held.step(0.01).ok());
    ASSERT_LT((carried.state().q - held.state().q).norm(), 1e-10 * (1.0 + held.state().q.norm())) << i;
  }
}

TEST(CarriedRoot, GoesOnWithTheSameBitsAndAllocatesNothing) {
  const auto swing = [](double t) {
    return Pose{Vector3(0.1 * std::sin(4.0 * t), 0.0, 0.0),
                Eigen::Quaterniond(rotation_matrix({0.0, 0.3 * std::sin(5.0 * t), 0.0}))};
  };
  TreeDynamics one(bush()), other(bush());
  for (TreeDynamics* tree : {&one, &other}) tree->set_support(swing);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(one.step(0.01).ok());
  StateWriter writer;
  one.save(writer);
  StateReader reader(writer.bytes(), "state");
  other.restore(reader);
  reader.finish();
  const long allocations = test::allocations_of([&] {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(one.step(0.01).ok());
  });
  EXPECT_EQ(allocations, 0);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(other.step(0.01).ok());
  EXPECT_EQ(one.state().q, other.state().q);
  EXPECT_EQ(one.state().v, other.state().v);
}

TEST(CarriedRoot, IsRefusedForAFreeTree) {
  TreeDynamics free(soft_beam(2, true));
  EXPECT_THROW(free.set_support([](double) { return Pose{}; }), Error);
}

TEST(CarriedRoot, OfPosesThatAreNoneIsRefusedAndChangesNothing) {
  TreeDynamics tree(soft_beam(2));
  const Vector3 place = tree.frame(1).position;
  EXPECT_THROW(tree.set_support([](double) {
    return Pose{Vector3::Constant(std::numeric_limits<double>::quiet_NaN()), Eigen::Quaterniond::Identity()};
  }),
               Error);
  EXPECT_THROW(tree.set_support([](double) {
    return Pose{Vector3::Zero(), Eigen::Quaterniond(2.0, 0.0, 0.0, 0.0)};
  }),
               Error);
  EXPECT_THROW((void)tree.balance(0.0), Error);
  ASSERT_TRUE(tree.step(0.01).ok());
  EXPECT_EQ(tree.frame(1).position, place);
}

}  // namespace
}  // namespace limber::tree_support_test
