#include "limber/base/random.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/multidomain/domain_body.hpp"
#include "limber/multidomain/interface_frame.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "tests/multidomain/small_trees.hpp"
#include "tests/reduced/allocations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace limber::tree_energy_test {
namespace {

constexpr double rounding = 1e-9;  ///< share by which an energy may exceed what it started with

/// A slender beam of 1 m in three domains, soft enough to swing about twice in a second.
std::shared_ptr<const Model> slender_beam(const std::string& law = "stvk",
                                          ForceKind forces = ForceKind::automatic, bool free = false) {
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(12, 2, 2)});
  Decomposition cut{{}, {"a", "b", "c"}};
  for (Index e = 0; e < mesh.element_count(); ++e)
    cut.domain.push_back(static_cast<int>(3.0 * test::element_center(mesh, e).x()));
  DecomposedBody body{mesh, {test::material(law, 1e6)}, {}, {}, {}};
  if (!free) body.fixed = test::vertices_below(mesh, 1e-9);
  TreeReduceOptions options;
  options.rank = 8;
  options.reduce.forces = forces;
  options.executor = Executor(1);
  TreeReduceReport report;
  return std::make_shared<const Model>(reduce_tree(make_parts(body, cut), options, report));
}

const std::shared_ptr<const Model>& beam() {
  static const auto tree = slender_beam();
  return tree;
}

const std::shared_ptr<const Model>& flying_beam() {
  static const auto tree = slender_beam("stvk", ForceKind::automatic, true);
  return tree;
}

/// The middle of a domain's far end.
TreePoint end_of(const Model& tree, Index domain) {
  const SimulationMesh& simulation = *tree.part(domain).model.simulation;
  Index end = 0;
  simulation.mesh.vertices.row(0).maxCoeff(&end);
  return {domain, simulation.mesh.vertices.col(end), simulation.basis.middleRows<3>(3 * end)};
}

/// Elastic and kinetic energy, and that of gravity.
double energy_of(const TreeDynamics& dynamics, const Vector3& gravity = Vector3::Zero()) {
  double sum = dynamics.elastic_energy() + dynamics.kinetic_energy();
  if (!gravity.isZero(0.0)) {
    const TreeMomentum momentum = dynamics.momentum();
    sum -= momentum.mass * gravity.dot(momentum.center - dynamics.tree().domains[0].position);
  }
  return sum;
}

/// Everything moves somehow, with this energy.
void kick(TreeDynamics& dynamics, double energy, unsigned seed) {
  TreeState state = dynamics.state();
  state.v = test::random_vector(state.v.size(), 1.0, seed);
  if (dynamics.tree().free) {
    state.root.velocity = Vector3(0.2, -0.1, 0.3);
    state.root.angular_velocity = Vector3(1.0, -2.0, 0.5);
  }
  dynamics.set_state(state);
  const double factor = std::sqrt(energy / dynamics.kinetic_energy());
  state.v *= factor;
  state.root.velocity *= factor;
  state.root.angular_velocity *= factor;
  dynamics.set_state(state);
}

struct LetGo {
  double worst = 0.0;  ///< growth of the energy, as a share of the first
  double last = 0.0;   ///< energy at the end, likewise
  int rescued = 0;
};

/// Steps after which nothing changes from outside.
LetGo let_go(TreeDynamics& dynamics, double h, int steps, const std::function<double()>& energy,
             const NewmarkOptions& options = tree_newmark()) {
  LetGo result;
  const double start = energy();
  for (int i = 0; i < steps; ++i) {
    const SolveReport report = dynamics.step(h, options);
    EXPECT_TRUE(report.ok()) << "step " << i << " of " << h << " s: " << name_of(report.status);
    if (!report.ok()) break;
    result.rescued += report.rescued;
    const double now = energy();
    EXPECT_TRUE(std::isfinite(now));
    result.worst = std::max(result.worst, (now - start) / std::abs(start));
    result.last = now / start;
  }
  return result;
}

LetGo let_go(TreeDynamics& dynamics, double h, int steps) {
  return let_go(dynamics, h, steps, [&] { return energy_of(dynamics); });
}

TEST(TreeEnergy, OfABeamThatWasPushedNeverGrows) {
  TreeDynamics dynamics(beam());
  dynamics.set_gravity({0.0, 0.0, -9.81});
  for (int i = 0; i < 18; ++i) ASSERT_TRUE(dynamics.step(1.0 / 60.0).ok());
  dynamics.set_gravity(Vector3::Zero());
  const LetGo found = let_go(dynamics, 1.0 / 60.0, 4000);
  EXPECT_LE(found.worst, rounding);
  EXPECT_LE(found.rescued, 80);
}

TEST(TreeEnergy, NeverGrowsAtAnyStepAndAnyStiffness) {
  TreeDynamics dynamics(beam());
  unsigned seed = 1;
  for (const double stiffness : {0.01, 1.0, 100.0}) {
    for (Index d = 0; d < 3; ++d) dynamics.set_stiffness(d, d == 1 ? stiffness : 1.0);
    for (const double h : {1e-5, 1e-3, 1e-2, 0.1}) {
      for (const double violence : {0.3, 300.0}) {
        dynamics.reset();
        kick(dynamics, violence, ++seed);
        const LetGo found = let_go(dynamics, h, 100);
        EXPECT_LE(found.worst, rounding)
            << "stiffness " << stiffness << ", h " << h << ", " << violence << " J";
      }
    }
  }
}

TEST(TreeEnergy, OfAGentleSwingStays) {
  TreeDynamics dynamics(beam());
  const double frequency = dynamics.natural_frequencies()(0), h = 1.0 / 60.0;
  dynamics.set_gravity({0.0, 0.0, -0.3});
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(dynamics.step(h).ok());
  dynamics.set_gravity(Vector3::Zero());
  const int periods = 10;
  const LetGo found = let_go(dynamics, h, static_cast<int>(std::lround(periods / frequency / h)));
  EXPECT_LE(found.worst, rounding);
  EXPECT_GE(found.last, std::pow(1.0 - 0.004, periods)) << "a swing of " << frequency << " Hz";
  EXPECT_EQ(found.rescued, 0);
}

TEST(TreeEnergy, WithMomentumOfAFreeTreeStays) {
  for (const double h : {1e-3, 1.0 / 60.0, 0.1}) {
    TreeDynamics dynamics(flying_beam());
    kick(dynamics, 20.0, 7);
    const TreeMomentum start = dynamics.momentum();
    const LetGo found = let_go(dynamics, h, 500);
    const TreeMomentum end = dynamics.momentum();
    EXPECT_LE(found.worst, rounding) << h;
    EXPECT_LE((end.linear - start.linear).norm(), 1e-12 * start.linear.norm()) << h;
    EXPECT_LE((end.angular - start.angular).norm(), 1e-12 * start.angular.norm()) << h;
    EXPECT_LE((end.center - start.center - 500 * h * start.linear / start.mass).norm(), 1e-9) << h;
  }
}

TEST(TreeEnergy, OfABodyThatFallsOrHangsNeverGrows) {
  const Vector3 gravity(0.5, 0.0, -9.81);
  for (const auto& tree : {beam(), flying_beam()}) {
    TreeDynamics dynamics(tree);
    kick(dynamics, 5.0, 11);
    dynamics.set_gravity(gravity);
    const LetGo found = let_go(dynamics, 0.02, 500, [&] { return energy_of(dynamics, gravity); });
    EXPECT_LE(found.worst, rounding);
  }
}

TEST(TreeEnergy, WithThatOfSpringsAndForcesNeverGrows) {
  for (const auto& tree : {beam(), flying_beam()}) {
    for (const double h : {2e-3, 0.05}) {
      TreeDynamics dynamics(tree);
      const TreePoint end = end_of(*tree, 2), middle = end_of(*tree, 1);
      const Vector3 target = dynamics.position(end) + Vector3(-0.2, 0.3, 0.2), force(0.0, 2.0, -3.0),
                    origin = dynamics.position(middle);
      const double stiffness = 300.0;
      dynamics.set_springs({{{end, target, stiffness}}});
      dynamics.set_forces({{{middle, force}}});
      const LetGo found = let_go(dynamics, h, 400, [&] {
        return energy_of(dynamics) + 0.5 * stiffness * (dynamics.position(end) - target).squaredNorm() -
               force.dot(dynamics.position(middle) - origin);
      });
      EXPECT_LE(found.worst, rounding) << h << (tree->free ? ", free" : ", held");
    }
  }
}

class Lumped : public testing::TestWithParam<SubtreeInertia> {};

TEST_P(Lumped, InertiaGivesNoEnergyEither) {
  // Its equations conserve no energy; that of the true masses is bounded all the same.
  for (const auto& tree : {beam(), flying_beam()}) {
    for (const double h : {1e-3, 1.0 / 60.0}) {
      TreeDynamics dynamics(tree);
      dynamics.set_inertia(GetParam());
      kick(dynamics, 10.0, 5);
      EXPECT_LE(let_go(dynamics, h, 1000).worst, rounding) << h << (tree->free ? ", free" : ", held");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Inertia, Lumped, testing::Values(SubtreeInertia::interface, SubtreeInertia::center));

TEST(TreeEnergy, OfAnyMaterialNeverGrows) {
  const std::pair<const char*, ForceKind> kinds[] = {{"corotational", ForceKind::cubature},
                                                     {"neo-hookean", ForceKind::cubature},
                                                     {"neo-hookean", ForceKind::modal_cubature}};
  for (const auto& [law, forces] : kinds) {
    TreeDynamics dynamics(slender_beam(law, forces));
    for (const double h : {1e-3, 1.0 / 60.0}) {
      dynamics.reset();
      kick(dynamics, 10.0, 3);
      EXPECT_LE(let_go(dynamics, h, 300).worst, rounding) << law << " " << h;
    }
  }
}

TEST(TreeEnergy, OfDampedMotionOnlyFalls) {
  for (const RayleighDamping& damping : {RayleighDamping{2.0, 0.0}, RayleighDamping{0.0, 0.01},
                                         RayleighDamping{1.0, 0.02, RayleighDamping::Stiffness::linear}}) {
    for (const auto& tree : {beam(), flying_beam()}) {
      TreeDynamics dynamics(tree);
      dynamics.set_damping(damping);
      kick(dynamics, 30.0, 9);
      EXPECT_LE(let_go(dynamics, 0.02, 300).worst, rounding);
    }
  }
}

TEST(TreeEnergy, OfIteratedStepsNeverGrows) {
  TreeDynamics dynamics(beam());
  for (const NewmarkOptions& options : {tree_newmark(30), NewmarkOptions{}}) {
    dynamics.reset();
    kick(dynamics, 3.0, 2);
    const LetGo found = let_go(
        dynamics, 5e-3, 500, [&] { return energy_of(dynamics); }, options);
    EXPECT_LE(found.worst, rounding);
    EXPECT_GE(found.last, 0.3);
  }
}

TEST(TreeEnergy, OfALightTreeInAStormIsThatOfTheStorm) {
  // The drag of a leaf would stop it within a hundredth of such a step.
  TreeDynamics dynamics(slender_beam());
  const Wind storm{.velocity = Vector3(0.0, 40.0, 10.0), .gusts = 0.5, .coefficient = 30.0};
  const double most = 0.5 * dynamics.momentum().mass * 40.0 * 40.0;
  for (const double h : {0.01, 0.1}) {
    dynamics.reset();
    dynamics.set_wind(storm);
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(dynamics.step(h).ok());
      ASSERT_LE(energy_of(dynamics), 10.0 * most) << "step " << i << " of " << h << " s";
    }
    dynamics.set_wind({});
    EXPECT_LE(let_go(dynamics, h, 300).worst, rounding);
  }
}

TEST(TreeEnergy, LeansIntoTheWindByTheSameAtAnyStep) {
  const auto lean = [](double h) {
    TreeDynamics dynamics(beam());
    dynamics.set_damping({2.0, 0.01});
    dynamics.set_wind({.velocity = Vector3(0.0, 5.0, 0.0)});
    for (int i = 0; i < 400; ++i) EXPECT_TRUE(dynamics.step(h).ok());
    EXPECT_LE(dynamics.kinetic_energy(), 1e-10);
    return dynamics.state().q;
  };
  const Vector fine = lean(0.02), coarse = lean(0.1);
  EXPECT_GT(fine.norm(), 1e-3);
  EXPECT_LE((fine - coarse).norm(), 1e-3 * fine.norm());
}

std::string saved(const TreeDynamics& dynamics) {
  StateWriter out;
  dynamics.save(out);
  return out.bytes();
}

TEST(TreeEnergy, IsRememberedToTheBit) {
  for (const auto& tree : {beam(), flying_beam()}) {
    TreeDynamics one(tree), other(tree);
    const TreePoint end = end_of(*tree, 2);
    kick(one, 2e4, 4);
    for (TreeDynamics* dynamics : {&one, &other}) {
      dynamics->set_damping({0.1, 1e-4});
      dynamics->set_wind({.velocity = Vector3(1.0, 3.0, 0.0), .gusts = 0.5});
      dynamics->set_springs({{{end, Vector3(0.9, 0.2, 0.1), 20.0}}});
    }
    int rescued = 0, slack = 0;
    for (int i = 0; i < 60; ++i) {
      if (i % 5 == 0) {  // new loads, which the other has taken already
        for (TreeDynamics* dynamics : {&one, &other})
          dynamics->set_springs({{{end, Vector3(0.9, 0.2 - 0.01 * i, 0.1), 20.0}}});
        ASSERT_TRUE(other.step(0.02).ok());
      }
      const std::string bytes = saved(one);
      StateReader in(bytes, "test");
      other.restore(in);
      for (int k = 0; k < 2; ++k) {
        const SolveReport a = one.step(0.02), b = other.step(0.02);
        ASSERT_TRUE(a.ok() && b.ok());
        ASSERT_EQ(a.rescued, b.rescued);
        rescued += a.rescued;
        slack += one.state().slack > 0.0;
      }
      ASSERT_TRUE(saved(one) == saved(other)) << "after " << i;
    }
    EXPECT_GT(rescued, 0) << "nothing is tested";
    EXPECT_GT(slack, 0) << "nothing is tested";
  }
}

TEST(TreeEnergy, LostInAHandDoesNotComeBack) {
  TreeDynamics dynamics(beam());
  dynamics.set_damping({5.0, 0.05});
  const TreePoint end = end_of(*beam(), 2);
  dynamics.set_forces({{{end, Vector3(0.0, 0.0, 5.0)}}});
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(dynamics.step(0.02).ok());
  EXPECT_GT(dynamics.state().slack, 0.0);
  dynamics.set_forces({{{end, Vector3(0.0, 0.0, 5.0)}}});  // the same: nothing has changed
  EXPECT_GT(dynamics.state().slack, 0.0);
  dynamics.set_forces({});
  EXPECT_LE(dynamics.state().slack, 0.0);
}

/// Energy that the step lost in which a load went must not come back later.
TEST(TreeEnergy, LostInTheStepInWhichALoadEndsDoesNotComeBack) {
  const double h = 0.05;
  for (const auto& tree : {beam(), flying_beam()}) {
    const TreePoint end = end_of(*tree, 2);
    for (const double strength : {0.1, 1.0, 10.0}) {
      const std::pair<const char*, std::function<void(TreeDynamics&)>> loads[] = {
          {"force",
           [&](TreeDynamics& d) {
             d.set_forces({{{end, strength * Vector3(2.0, -1.5, 5.0)}}});
           }},
          {"spring",
           [&](TreeDynamics& d) {
             d.set_springs({{{end, d.position(end) + strength * Vector3(-0.1, 0.2, 0.1), 30.0}}});
           }},
          {"wind", [&](TreeDynamics& d) { d.set_wind({.velocity = strength * Vector3(1.0, 5.0, 3.0)}); }},
          {"gravity", [&](TreeDynamics& d) { d.set_gravity(strength * Vector3(1.0, 3.0, -9.0)); }}};
      for (const auto& [name, push] : loads) {
        TreeDynamics dynamics(tree);
        push(dynamics);
        for (int i = 0; i < 4; ++i) ASSERT_TRUE(dynamics.step(h).ok());
        dynamics.set_forces({});
        dynamics.set_springs({});
        dynamics.set_wind({});
        dynamics.set_gravity(Vector3::Zero());
        ASSERT_TRUE(dynamics.step(h).ok());
        EXPECT_LE(let_go(dynamics, h, 100).worst, rounding)
            << name << " " << strength << (tree->free ? ", free" : ", held");
      }
    }
  }
}

/// What run time makes of a domain's part. Keeps a reference to it.
DomainBody run_time_body(const Model& tree, Index domain) {
  const auto part = static_cast<std::size_t>(tree.domains[static_cast<std::size_t>(domain)].part);
  return {tree.parts[part], settings_of(tree)[part], 1};
}

/// Coordinates as large as the domains.
double reach_of(const Model& tree) {
  double sum = 0.0;
  for (Index d = 0; d < tree.domain_count(); ++d) sum += std::pow(run_time_body(tree, d).reach(), 2);
  return std::sqrt(sum);
}

/// Hands that would crush its interfaces to a line, past which no step leads on.
TEST(TreeEnergy, InRoughHandsMovesAndNeedsFewRescues) {
  for (const auto& tree : {beam(), flying_beam()}) {
    TreeDynamics dynamics(tree);
    Random random(5);
    const double least_move = 1e-7 * reach_of(*tree);
    int steps = 0, stuck = 0, rescued = 0;
    long allocations = 0;
    ASSERT_TRUE(dynamics.step(1e-3).ok());  // warms it up
    for (int pull = 0; pull < 40; ++pull) {
      if (pull % 3 == 0) dynamics.reset();
      for (Index d = 0; d < 3; ++d) dynamics.set_stiffness(d, std::pow(100.0, random.uniform(-1.0, 1.0)));
      std::vector<TreeSpring> springs;
      for (Index d = 0; d < 3; ++d) {
        const TreePoint end = end_of(*tree, d);
        const Vector3 way(random.uniform(-1.0, 1.0), random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6));
        springs.push_back({end, dynamics.position(end) + way, 100.0 * dynamics.stiffness_at(end)});
      }
      const double h = std::pow(10.0, random.uniform(-4.0, -1.0));
      dynamics.set_springs(springs);
      for (int i = 0; i < 150; ++i) {
        if (i == 50) dynamics.set_springs({});
        const Vector before = dynamics.state().q;
        SolveReport report;
        allocations += test::allocations_of([&] { report = dynamics.step(h); });
        ASSERT_TRUE(report.ok());
        ++steps;
        rescued += report.rescued;
        stuck += report.rescued && (dynamics.state().q - before).norm() <= least_move;
      }
    }
    EXPECT_EQ(allocations, 0) << "also where the stiffness is indefinite";
    EXPECT_EQ(stuck, 0) << (tree->free ? "free" : "held");
    EXPECT_LE(rescued, tree->free ? steps / 3 : steps / 20);  // three strong hands stop a free one often
  }
}

/// Nine links of one part in a row, each of another size: enough to be computed at once.
std::shared_ptr<const Model> chain() {
  PartTree tree;
  tree.name = "chain";
  Part& link = tree.parts.emplace_back();
  link.name = "link";
  link.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(4, 2, 2)});
  link.materials = {test::material("stvk")};
  link.fixed = test::vertices_below(link.mesh, 1e-9);
  link.sites.push_back(site_near(link.mesh, {1.0, 0.1, 0.1}, 0.15, "end"));
  double x = 0.0;
  for (int i = 0; i < 9; ++i) {
    const double scale = 1.0 + 0.05 * i;
    tree.placements.push_back({.name = "link " + std::to_string(i),
                               .parent = i - 1,
                               .site = i > 0 ? 0 : -1,
                               .position = Vector3(x, 0.0, 0.0),
                               .scale = scale});
    x += scale;
  }
  return test::reduced(tree);
}

struct Width {
  Vector3 shares;  ///< spreads over the least at rest
  Vector slope;    ///< of the least, by coordinates
};

Width width_of(const DomainBody::Port& port, const Vector& q) {
  const Matrix3 A = port.data->covariance + (port.covariance_rows.transpose() * q).reshaped(3, 3);
  const Matrix3 R = nearest_rotation(A, Matrix3::Identity());
  const Spreads spreads = spreads_of(A, R);
  const Vector3 axis = spreads.axes.col(0);
  const Matrix3 across = (Matrix3::Identity() - axis * axis.transpose()) * R / port.spread;
  return {spreads.values / port.spread, port.covariance_rows * across.reshaped()};
}

/// Coordinates that crush the port to this width.
Vector crushing(const DomainBody& body, double share) {
  Vector q = Vector::Zero(body.rank());
  for (int i = 1; i <= 100; ++i) {
    const Width width = width_of(body.port(0), q);
    const double next = 1.0 - (1.0 - share) * std::min(1.0, i / 80.0);
    q += (next - width.shares(0)) / width.slope.squaredNorm() * width.slope;
  }
  return q;
}

TEST(Barrier, HasTheSlopesOfItsEnergyHoweverNarrow) {
  const auto tree = chain();
  const DomainBody body = run_time_body(*tree, 0);
  const DomainBody::Port& port = body.port(0);
  EXPECT_GT(port.crush_energy, 0.0);
  EXPECT_NEAR(port.barrier(0.2).energy, 0.3 * port.crush_energy, 1e-12 * port.crush_energy);
  EXPECT_EQ(port.barrier(0.4).energy, 0.0);
  const double least = DomainBody::Port::least, step = 1e-6;
  for (const double x : {0.35, 0.1, least + 2.0 * step, least - 2.0 * step, 0.0, -0.3}) {
    const auto here = port.barrier(x), less = port.barrier(x - step), more = port.barrier(x + step);
    EXPECT_NEAR((more.energy - less.energy) / (2.0 * step), here.slope, 1e-6 * std::abs(here.slope)) << x;
    EXPECT_NEAR((more.slope - less.slope) / (2.0 * step), here.curvature, 1e-6 * here.curvature) << x;
    EXPECT_LE(here.curvature, port.barrier(least).curvature);
  }
}

TEST(Barrier, OfATreeIsInItsForcesAndStiffness) {
  const auto tree = chain();
  const DomainBody body = run_time_body(*tree, 0);
  const DomainBody::Port& port = body.port(0);
  TreeDynamics dynamics(tree);
  TreeState state = dynamics.state();
  const Index r = body.rank(), size = state.q.size();
  for (Index d = 0; d < 9; ++d) dynamics.set_stiffness(d, 0.5 + 0.3 * static_cast<double>(d));
  const double narrow[] = {0.2, 0.03, 0.6, 0.1, 0.3, 0.02, 0.15, 0.25};
  for (Index d = 0; d < 8; ++d) state.q.segment(r * d, r) = crushing(body, narrow[d]);
  state.q += test::random_vector(size, 2e-3 * state.q.norm() / std::sqrt(static_cast<double>(size)), 1);
  const Vector q = state.q;
  const double nudge = 1e-6 * q.norm();

  const auto energy_at = [&](const Vector& place) {
    state.q = place;
    state.v.setZero();
    dynamics.set_state(state);
    return dynamics.elastic_energy();
  };
  // u^T M a, by the kinetic energy.
  const auto weigh = [&](const Vector& u, const Vector& a) {
    const auto kinetic = [&](const Vector& v) {
      state.q = q;
      state.v = v;
      dynamics.set_state(state);
      return dynamics.kinetic_energy();
    };
    const double equal = a.norm() / u.norm();
    return 0.5 * (kinetic(equal * u + a) - kinetic(equal * u - a)) / equal;
  };
  const auto accelerations = [&](const Vector& v, double friction) {
    dynamics.set_damping({0.0, friction});
    state.q = q;
    state.v = v;
    dynamics.set_state(state);
    EXPECT_TRUE(dynamics.balance().ok());
    return Vector(dynamics.state().a);
  };

  const Vector forced = accelerations(Vector::Zero(size), 0.0);
  for (unsigned seed = 2; seed < 6; ++seed) {
    const Vector u = test::random_vector(size, 1.0, seed).normalized(), v = u;
    const double slope = (energy_at(q + nudge * u) - energy_at(q - nudge * u)) / (2.0 * nudge);
    EXPECT_NEAR(-weigh(u, forced), slope, 1e-5 * std::abs(slope));

    double energy = 0.0, stiffness = 0.0;  // v^T K v
    ElasticWorkspace work;
    Vector force(r);
    Matrix K(r, r);
    for (Index d = 0; d < 9; ++d) {
      const Domain& domain = tree->domains[static_cast<std::size_t>(d)];
      const double factor = dynamics.stiffness(d) * std::pow(domain.scale, 3);
      const Vector own = q.segment(r * d, r), way = v.segment(r * d, r);
      energy += factor * body.elastic().evaluate(own, work, force, K);
      stiffness += factor * way.dot(K * way);
      if (d == 8) continue;  // carries nothing
      const auto width_at = [&](double t) { return width_of(port, own + t * way).shares; };
      const Vector3 width = width_at(0.0), slopes = (width_at(nudge) - width_at(-nudge)) / (2.0 * nudge);
      EXPECT_NEAR(width(0), narrow[d], 0.02) << d;
      for (int i = 0; i < 3; ++i) {
        energy += factor * port.barrier(width(i)).energy;
        stiffness += factor * port.barrier(width(i)).curvature * slopes(i) * slopes(i);
      }
    }
    EXPECT_NEAR(energy_at(q), energy, 1e-9 * energy);
    const double friction = 1.0;
    const Vector rubbed = accelerations(v, 0.0) - accelerations(v, friction);
    EXPECT_NEAR(weigh(v, rubbed), friction * stiffness, 1e-5 * stiffness);
  }
}

TEST(TreeDynamics, AWarmedUpStepAllocatesNothing) {
  for (const auto& tree : {beam(), flying_beam()}) {
    TreeDynamics dynamics(tree);
    const TreePoint end = end_of(*tree, 2), middle = end_of(*tree, 1);
    dynamics.set_gravity({0.0, 0.0, -1.0});
    dynamics.set_damping({0.1, 1e-3});
    dynamics.set_wind({.velocity = Vector3(1.0, 3.0, 0.0), .gusts = 0.5});
    dynamics.set_springs({{{end, Vector3(0.9, 0.2, 0.1), 20.0}}});
    dynamics.set_forces({{{middle, Vector3(0.0, 1.0, 0.0)}}});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(dynamics.step(5e-3).ok());
    EXPECT_EQ(test::allocations_of([&] {
                for (int i = 0; i < 20; ++i) EXPECT_TRUE(dynamics.step(5e-3).ok());
              }),
              0);
  }
}

/// The first step that is rescued, after shorter ones were tried, and the cautious ones after it.
TEST(TreeDynamics, AStepThatIsRescuedAllocatesNothing) {
  for (const auto& tree : {beam(), flying_beam()}) {
    TreeDynamics dynamics(tree);
    kick(dynamics, 1.0, 3);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(dynamics.step(5e-3).ok());
    TreeState state = dynamics.state();
    state.slack = -0.5 * energy_of(dynamics);  // so much must go in the next step
    dynamics.set_state(state);
    SolveReport report;
    EXPECT_EQ(test::allocations_of([&] { report = dynamics.step(5e-3); }), 0);
    EXPECT_TRUE(report.ok() && report.rescued) << name_of(report.status);
    EXPECT_EQ(test::allocations_of([&] {
                for (int i = 0; i < 3; ++i) EXPECT_TRUE(dynamics.step(5e-3).ok());
              }),
              0);
  }
}

/// Forces of a shape that is crushed may be so large that their squares overflow, and with them what was
/// taken for the size of rounding errors: steps to energies beyond all bounds were accepted.
TEST(TreeEnergy, IsNotAcceptedWhereNothingIsKnownOfItsRounding) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judge_energy(1.0, 1.0, 1e260, infinity), EnergyVerdict::rescue);
  EXPECT_EQ(judge_energy(1.0, 0.5, 0.5, infinity), EnergyVerdict::accept);
}

}  // namespace
}  // namespace limber::tree_energy_test
