#include "limber/base/error.hpp"
#include "limber/body/body.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "tests/body/bar.hpp"
#include "tests/multidomain/small_trees.hpp"
#include "tests/reduced/allocations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

// Bodies of one domain that fly or are carried, and what all bodies share: copies, saved states, settings.

namespace limber::frames_test {
namespace {

using test::bar_model;
using test::error_text;
using test::random_vector;

VolumeMesh flyer_mesh() { return make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.1), {8, 2, 1}}); }

const FullModel& flyer() {
  static const FullModel model(flyer_mesh(), {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
  return model;
}

/// A beam that nothing holds, with modes and their derivatives.
const std::shared_ptr<const Model>& free_model() {
  static const std::shared_ptr<const Model> model = [] {
    ReduceOptions options;
    options.basis.modes = 8;
    options.basis.rank = 24;
    ReduceReport report;
    ReducedModel reduced = reduce(flyer(), {}, {}, options, report);
    reduced.name = "flyer";
    return std::make_shared<const Model>(make_model(std::move(reduced)));
  }();
  return model;
}

/// Thrown and spinning about its centre of mass, as a rigid body at first.
Body thrown(const Vector3& velocity, const Vector3& spin) {
  Body body(free_model());
  TreeState state = body.state();
  const Vector3 arm = state.root.position - body.momentum().center;
  state.root.velocity = velocity + spin.cross(arm);
  state.root.angular_velocity = spin;
  body.set_state(state);
  return body;
}

TEST(FreeBody, KeepsItsMomentum) {
  ASSERT_TRUE(free_model()->free);
  Body body = thrown(Vector3(1.0, 0.5, -0.2), Vector3(1.0, 4.0, 2.0));
  const TreeMomentum start = body.momentum();
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(body.step(2e-3).ok()) << i;
  const TreeMomentum end = body.momentum();
  EXPECT_LE((end.linear - start.linear).norm(), 1e-12 * start.linear.norm());
  EXPECT_LE((end.angular - start.angular).norm(), 1e-12 * start.angular.norm());
  EXPECT_LE((end.center - start.center - 10.0 * start.linear / start.mass).norm(), 1e-10);
}

TEST(FreeBody, FliesAndSpinsAsTheFullModelDoes) {
  const Vector3 velocity(1.0, 0.5, -0.2), spin(1.0, 4.0, 2.0);
  Body body = thrown(velocity, spin);
  const FullModel& full = flyer();
  const Matrix3X& x = full.mesh().vertices;
  const Vector3 center = body.momentum().center;
  Matrix3X v = Matrix3X::Zero(3, x.cols());
  for (Index i = 0; i < x.cols(); ++i) v.col(i) = velocity + spin.cross(Vector3(x.col(i)) - center);
  DynamicsOptions options;
  options.newmark = generalized_alpha(0.8, 30);
  FullDynamics dynamics(
      full, [](double, double, Vector& f) { f.setZero(flyer().dof_count()); }, Vector::Zero(full.dof_count()),
      full.dofs().restrict(v), options);
  const double h = 2e-3;
  double worst = 0.0;
  const SurfaceMesh& surface = body.surface().mesh();
  const int tip = static_cast<int>([&] {
    Index found = 0;
    surface.vertices.row(0).maxCoeff(&found);
    return found;
  }());
  Index node = 0;
  (x.colwise() - surface.vertices.col(tip)).colwise().norm().minCoeff(&node);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(body.step(h).ok());
    ASSERT_TRUE(dynamics.step(h).ok());
    const Vector3 expected = x.col(node) + full.dofs().expand(dynamics.state().u).col(node);
    worst = std::max(worst, (body.position(tip) - expected).norm());
  }
  EXPECT_LT(worst, 0.01 * spin.norm() * 2.0) << "of a way of about two metres";
}

TEST(FreeBody, IsPulledAndLetGo) {
  Body body(free_model());
  const Vector3 start = body.position(3);
  const Spring spring{3, start + Vector3(0.0, 0.0, 0.5), 100.0};
  body.set_springs({&spring, 1});
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(body.step(1e-3).ok());
  EXPECT_GT(body.position(3).z(), start.z() + 0.01);
  body.set_springs({});
  const BodyEnergy energy = body.energy();
  const TreeMomentum before = body.momentum();
  EXPECT_GT(before.linear.norm(), 0.1);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(body.step(1e-3).ok());
  EXPECT_LE((body.momentum().linear - before.linear).norm(), 1e-12 * before.linear.norm());
  EXPECT_LE(body.energy().elastic + body.energy().kinetic, (energy.elastic + energy.kinetic) * (1.0 + 1e-9));
}

TEST(FreeBody, FallsWithoutFeelingIt) {
  Body body(free_model());
  body.set_gravity({0.0, 0.0, -10.0});
  const Vector3 start = body.momentum().center;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(body.step(1e-3).ok());
  EXPECT_LE((body.momentum().center - start - Vector3(0.0, 0.0, -5.0)).norm(), 1e-9);
  EXPECT_LT(body.q().norm(), 1e-12);
  EXPECT_NEAR(body.load_energy(), -body.momentum().mass * 50.0, 1e-9 * body.momentum().mass * 50.0);
}

TEST(FreeBody, HasVelocitiesOfItsPositions) {
  Body body = thrown(Vector3(1.0, 0.5, -0.2), Vector3(1.0, 4.0, 2.0));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(body.step(1e-3).ok());
  const double h = 1e-6;
  Body later = body;
  const Vector3 v = body.velocity(5), x = body.position(5);
  ASSERT_TRUE(later.step(h).ok());
  EXPECT_LT((later.position(5) - x - h * v).norm(), 1e-3 * h * v.norm());
}

TEST(CarriedBody, FeelsAnAcceleratedSupportAsGravity) {
  const Vector3 g(1.0, 2.0, -9.81);
  for (const Method method : {Method::reduced, Method::linear}) {
    Body falling(make_model(bar_model(), false));
    falling.set_method(method);
    Body carried = falling;
    falling.set_gravity(g);
    falling.set_support([](double) { return Pose{}; });  // by the same steps
    carried.set_support([&](double t) { return Pose{-0.5 * t * t * g}; });
    for (Body* one : {&falling, &carried}) test::advance(*one, 50, 0.01);
    EXPECT_GT(falling.q().norm(), 0.01);
    EXPECT_LT((falling.q() - carried.q()).norm(), 1e-8 * falling.q().norm());
    const double t = carried.time();
    const Vector3 apart = carried.position(test::tip()) - falling.position(test::tip());
    EXPECT_LT((apart + 0.5 * t * t * g).norm(), 1e-8);
  }
}

TEST(CarriedBody, GoesOnFromWhereItWasWhenItsSupportSetsOffAndWhenItIsTakenAway) {
  Body body(make_model(bar_model(), false));
  body.set_gravity({0.0, 0.0, -9.81});
  test::advance(body, 20, 0.01);
  const Vector q = body.q(), v = body.v();
  const Vector3 tip = body.position(test::tip());
  const double time = body.time();
  body.set_support([=](double t) { return Pose{Vector3(0.1 * std::sin(t - time), 0.0, 0.0)}; });
  EXPECT_EQ(body.q(), q);
  EXPECT_EQ(body.v(), v);
  EXPECT_EQ(body.time(), time);
  EXPECT_LT((body.position(test::tip()) - tip).norm(), 1e-12);
  test::advance(body, 20, 0.01);
  const Vector moved = body.q();
  body.set_support(nullptr);
  EXPECT_EQ(body.q(), moved);
  EXPECT_LT((body.position(test::held()) - body.surface().mesh().vertices.col(test::held())).norm(), 1e-12);
  test::advance(body, 20, 0.01);
  EXPECT_NEAR(body.time(), time + 0.4, 1e-12);
}

TEST(CarriedBody, StaysAsItWasWhereASupportIsRefusedNowOrLater) {
  for (const Method method : {Method::reduced, Method::warped}) {
    Body body(make_model(bar_model(), false));
    body.set_method(method);
    body.set_gravity({0.0, 0.0, -1.0});
    body.set_support([](double t) { return Pose{Vector3(0.0, 0.1 * t, 0.0)}; });
    test::advance(body, 3);
    Body twin = body;
    const double last = body.time();
    const PoseFunction ends = [last](double t) {
      return t <= last ? Pose{} : Pose{Vector3::Constant(std::nan(""))};
    };
    const PoseFunction longer = [](double) { return Pose{Vector3::Zero(), {2.0, 0.0, 0.0, 0.0}}; };
    EXPECT_NE(error_text([&] { body.set_support(longer); }).find("unit length"), std::string::npos);
    try {
      body.set_support(ends);
      EXPECT_NE(error_text([&] { (void)body.step(0.01); }), "");  // only the step sees so far ahead
      body.set_support(twin.loads().support);
    } catch (const Error&) {
      EXPECT_TRUE(body.loads().support(1.0).position == twin.loads().support(1.0).position);
    }
    EXPECT_EQ(body.q(), twin.q());
    EXPECT_EQ(body.time(), twin.time());
    test::advance(body, 3);
    EXPECT_TRUE(body.q().allFinite());
  }
}

TEST(CarriedBody, HasTheVelocityOfItsSupport) {
  for (const Method method : {Method::reduced, Method::linear, Method::warped}) {
    Body body(make_model(bar_model(), false));
    body.set_method(method);
    body.set_support([](double t) { return Pose{Vector3(0.0, 2.0 * t, 0.0)}; });
    body.set_damping({200.0, 0.1});
    test::advance(body, 300, 0.01);
    EXPECT_LT((body.velocity(test::held()) - Vector3(0.0, 2.0, 0.0)).norm(), 1e-6) << name_of(method);
  }
}

TEST(CarriedBody, IsPulledWhereTheWorldSaysAlsoAfterItsSupportIsTakenAway) {
  for (const Method method : {Method::reduced, Method::warped}) {
    Body body(make_model(bar_model(), false));
    body.set_method(method);
    body.set_damping({20.0, 0.01});
    const Vector3 target = body.position(test::tip()) + Vector3(0.0, 0.0, 0.05);
    const Spring spring{test::tip(), target, 1e4 * body.stiffness_at(test::tip())};
    body.set_springs({&spring, 1});
    body.set_support([](double t) { return Pose{Vector3(0.0, 0.05 * std::sin(t), 0.0)}; });
    test::advance(body, 300, 0.01);
    EXPECT_LT((body.position(test::tip()) - target).norm(), 2e-3) << name_of(method);
    body.set_support(nullptr);
    test::advance(body, 300, 0.01);
    EXPECT_LT((body.position(test::tip()) - target).norm(), 1e-3) << name_of(method);
  }
}

TEST(FreeBody, GetsAllOfAKickHoweverShort) {
  for (const Method method : {Method::reduced, Method::warped}) {
    for (const double until : {0.001, 0.004, 0.013, 0.027}) {
      Body body(free_model());
      body.set_method(method);
      const Vector3 force(0.2, -0.1, 0.3);
      const int last = static_cast<int>(body.surface().mesh().vertex_count()) - 1;
      body.set_timed_loads({{{{last}, force, 0.0, until}}, {}});
      test::advance(body, 5, 0.01);
      EXPECT_LT((body.momentum().linear - until * force).norm(), 1e-12 * until) << name_of(method) << until;
    }
  }
}

TEST(CarriedBody, IsRefusedWhereNothingHoldsIt) {
  Body body(free_model());
  EXPECT_NE(error_text([&] { body.set_support([](double) { return Pose{}; }); }).find("flyer is a free body"),
            std::string::npos);
  test::advance(body, 3);
}

/// One of every motion: without a frame, by warped modes, in flight, on a support, in the wind, of several
/// domains.
std::vector<Body> all_motions() {
  std::vector<Body> bodies;
  bodies.emplace_back(make_model(bar_model(), false));
  bodies.push_back(test::warped_bar());
  bodies.push_back(test::warped_bar());
  bodies.back().set_support([](double t) {
    return Pose{Vector3(0.1 * std::sin(5.0 * t), 0.0, 0.0),
                Eigen::Quaterniond(Eigen::AngleAxisd(0.3 * std::sin(3.0 * t), Vector3::UnitZ()))};
  });
  bodies.back().set_force(test::middle(), Vector3(0.0, 0.1, 0.0));
  bodies.push_back(thrown(Vector3(1.0, 0.5, -0.2), Vector3(1.0, 4.0, 2.0)));
  bodies.emplace_back(make_model(bar_model(), false));
  bodies.back().set_support([](double t) { return Pose{Vector3(0.0, 0.1 * std::sin(5.0 * t), 0.0)}; });
  bodies.emplace_back(make_model(bar_model(), false));
  bodies.back().set_wind({.velocity = Vector3(5.0, 1.0, 0.0), .gusts = 0.5});
  bodies.emplace_back(test::beam_tree());
  for (Body& body : bodies) body.set_gravity({0.0, 1.0, -9.81});
  return bodies;
}

bool same_bits(const Body& a, const Body& b) {
  const TreeState x = a.state(), y = b.state();
  return x.time == y.time && x.q == y.q && x.v == y.v && x.root.position == y.root.position &&
         x.root.rotation.coeffs() == y.root.rotation.coeffs() && x.root.velocity == y.root.velocity;
}

TEST(EveryBody, IsCopiedWithAllThatItIsAndDoes) {
  for (Body& body : all_motions()) {
    test::advance(body, 10);
    Body copy = body;
    EXPECT_EQ(&copy.model(), &body.model());
    EXPECT_EQ(&copy.surface(), &body.surface());
    test::advance(body, 10);
    EXPECT_FALSE(same_bits(body, copy));
    test::advance(copy, 10);
    EXPECT_TRUE(same_bits(body, copy)) << static_cast<int>(body.method());
  }
}

TEST(EveryBody, GoesOnFromASavedStateWithTheSameBits) {
  for (Body& body : all_motions()) {
    Body other = body;
    test::advance(body, 10);
    StateWriter out;
    body.save(out);
    test::advance(body, 10);
    StateReader in(out.bytes(), "a saved state");
    other.restore(in);
    in.finish();
    test::advance(other, 10);
    EXPECT_TRUE(same_bits(body, other));
  }
}

TEST(EveryBody, AllocatesNothingInAWarmStep) {
  for (Body& body : all_motions()) {
    const int last = static_cast<int>(body.surface().mesh().vertex_count()) - 1;
    const Spring spring{last, body.position(last) + Vector3(0.0, 0.01, 0.0), 1.0};
    body.set_springs({&spring, 1});
    Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
    const auto frame = [&] {
      for (int i = 0; i < 3; ++i) (void)body.step(0.01);
      body.positions(x);
    };
    frame();
    EXPECT_EQ(test::allocations_of(frame), 0) << name_of(body.method());
  }
}

TEST(EveryBody, AllocatesNothingWhereHandlesMove) {
  for (Body& body : all_motions()) {
    const int last = static_cast<int>(body.surface().mesh().vertex_count()) - 1;
    const Vector3 start = body.position(last);
    Handle handle{last, true, false, start};
    const auto frame = [&](double shift) {
      for (int i = 0; i < 3; ++i) {
        handle.position = start + (shift + 0.001 * i) * Vector3::UnitY();
        body.set_handles({&handle, 1});
        (void)body.step(0.01);
      }
      EXPECT_TRUE(body.handle_report().met) << name_of(body.method());
    };
    frame(0.001);
    EXPECT_EQ(test::allocations_of([&] { frame(0.004); }), 0) << name_of(body.method());
  }
}

TEST(EveryBody, WritesPositionsAndNormalsIntoAVertexBuffer) {
  for (Body& body : all_motions()) {
    test::advance(body, 5);
    const Index n = body.surface().mesh().vertex_count();
    Eigen::Matrix3Xf x(3, n), normals(3, n);
    body.positions(x);
    NormalUpdater(body.surface().mesh().triangles, n).update(x, normals);
    std::vector<float> buffer(static_cast<std::size_t>(8 * n), -7.0F);
    const VertexLayout layout{.stride = 8, .position = 4, .normal = 0};
    body.write_vertices(buffer, layout);
    for (Index v = 0; v < n; ++v) {
      const float* const vertex = buffer.data() + 8 * v;
      EXPECT_EQ(Eigen::Vector3f(vertex + 4), x.col(v));
      EXPECT_EQ(Eigen::Vector3f(vertex), normals.col(v));
      EXPECT_EQ(vertex[3], -7.0F);
      EXPECT_EQ(vertex[7], -7.0F);
    }
    std::vector<float> tight(static_cast<std::size_t>(3 * n));
    body.write_vertices(tight, {.stride = 3, .normal = -1});
    EXPECT_EQ(Eigen::Map<Eigen::Matrix3Xf>(tight.data(), 3, n), x);
    tight.pop_back();
    EXPECT_NE(error_text([&] { body.write_vertices(tight, {.stride = 3, .normal = -1}); }).find("room for"),
              std::string::npos);
    EXPECT_NE(error_text([&] { body.write_vertices(buffer, {.stride = 6, .position = 2}); }).find("overlap"),
              std::string::npos);
    EXPECT_EQ(test::allocations_of([&] { body.write_vertices(buffer, layout); }), 0);
  }
}

TEST(EveryBody, TakesAllForcesInOneCall) {
  for (Body& body : all_motions()) {
    body.set_forces({});
    Body one_by_one = body;
    std::vector<PointForce> forces;
    for (int v = 0; v < 5; ++v) forces.push_back({3 * v, Vector3(0.1 * v, 0.2, -0.1)});
    body.set_forces(forces);
    for (const auto& [vertex, force] : forces) one_by_one.set_force(vertex, force);
    test::advance(body, 10);
    test::advance(one_by_one, 10);
    EXPECT_TRUE(same_bits(body, one_by_one));
    body.set_forces({});
    EXPECT_TRUE(body.loads().forces.empty());
  }
}

TEST(EveryBody, IsMadeStifferByItsMaterialAsByAFactor) {
  Body by_factor(test::beam_tree()), by_material(test::beam_tree());
  for (Index d = 0; d < by_factor.model().domain_count(); ++d) by_factor.set_stiffness(d, 4.0);
  for (std::size_t p = 0; p < by_material.model().parts.size(); ++p) {
    Material material = by_material.material(0, static_cast<Index>(p));
    const LameParameters lame = lame_of(material.law);
    material.law = make_law("stvk", {4.0 * lame.lambda, 4.0 * lame.mu});
    by_material.set_material(0, material, static_cast<Index>(p));
  }
  for (Body* one : {&by_factor, &by_material}) {
    one->set_gravity({0.0, 0.0, -1.0});
    test::advance(*one, 50);
  }
  EXPECT_GT(by_factor.q().norm(), 1e-4);
  EXPECT_LT((by_factor.q() - by_material.q()).norm(), 1e-9 * by_factor.q().norm());
}

TEST(EveryBody, VibratesTwiceAsFastFourTimesAsStiff) {
  for (const Method method : {Method::reduced, Method::linear, Method::warped}) {
    Body body(make_model(bar_model(), false));
    body.set_method(method);
    const double frequency = body.frequencies()(0), stiffness = body.stiffness_at(test::tip());
    body.set_stiffness(0, 4.0);
    EXPECT_NEAR(body.frequencies()(0), 2.0 * frequency, 1e-9 * frequency);
    EXPECT_NEAR(body.stiffness_at(test::tip()), 4.0 * stiffness, 1e-9 * stiffness);
    // Let go from a small deflection along its first mode it is back after a period.
    const Vector shape = 1e-5 * body.mode_shape(0);
    body.set_state(shape, Vector::Zero(shape.size()));
    const int steps = 2000;
    test::advance(body, steps, 1.0 / (2.0 * frequency * steps));
    EXPECT_LT((body.q() - shape).norm(), 0.02 * shape.norm()) << name_of(method);
  }
}

TEST(EveryBody, IsTwiceAsHeavyWithTwiceTheDensity) {
  for (Body& body : all_motions()) {
    const double mass = body.momentum().mass;
    for (std::size_t p = 0; p < body.model().parts.size(); ++p) {
      const auto regions = static_cast<Index>(body.model().parts[p].model.regions.size());
      for (Index r = 0; r < regions; ++r) {
        Material material = body.material(r, static_cast<Index>(p));
        material.density *= 2.0;
        body.set_material(r, material, static_cast<Index>(p));
      }
    }
    EXPECT_NEAR(body.momentum().mass, 2.0 * mass, 1e-12 * mass);
    test::advance(body, 5);
  }
}

TEST(EveryBody, KeepsTheFirstCoordinatesOfEachDomainWhereRanksChange) {
  Body body(test::beam_tree());
  const Index r = body.rank(0), domains = body.model().domain_count();
  ASSERT_EQ(domains, 3);
  const Vector q = 1e-3 * random_vector(body.q().size(), 1.0, 1);
  body.set_state(q, Vector::Zero(q.size()));
  body.set_rank(2, 1);  // the part of one of them
  Index changed = 0;
  for (Index d = 0, from = 0, to = 0; d < domains; ++d) {
    const bool other = body.model().domains[static_cast<std::size_t>(d)].part == 1;
    changed += other ? 1 : 0;
    EXPECT_EQ(body.q().segment(to, other ? 2 : r), q.segment(from, other ? 2 : r));
    from += r;
    to += other ? 2 : r;
  }
  EXPECT_EQ(body.q().size(), q.size() - changed * (r - 2));
  test::advance(body, 20);
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  body.positions(x);
  EXPECT_TRUE(x.allFinite());
  body.set_rank(r, 1);
  test::advance(body, 20);
  EXPECT_NE(error_text([&] { body.set_rank(r + 1, 1); }).find("expected 1 to"), std::string::npos);
  EXPECT_NE(error_text([&] { body.set_rank(1, 7); }).find("part 7"), std::string::npos);
}

TEST(EveryBody, DoesWhatItsMethodCanAndRefusesTheRestInOneSentence) {
  const std::vector<std::pair<Ability, std::function<void(Body&)>>> asked{
      {Ability::orientations,
       [](Body& body) {
         const Handle handle{.point = test::tip(), .hold_position = false, .hold_orientation = true};
         body.set_handles({&handle, 1});
       }},
      {Ability::rank, [](Body& body) { body.set_rank(3); }},
  };
  for (const Method method : {Method::reduced, Method::linear, Method::warped}) {
    for (const auto& [ability, ask] : asked) {
      Body body(make_model(bar_model(), false));
      body.set_method(method);
      std::string refusal;
      try {
        ask(body);
      } catch (const Error& error) {
        refusal = error.what();
      }
      EXPECT_EQ(refusal.empty(), can(method, ability)) << name_of(method) << ": " << refusal;
      if (!can(method, ability)) {
        EXPECT_EQ(refusal.find(fmt::format("bar: the method '{}' does not take ", name_of(method))), 0u)
            << refusal;
      }
      test::advance(body, 3);
    }
  }
  Body tree(test::beam_tree());
  EXPECT_NE(error_text([&] { tree.set_method(Method::warped); }).find("does not take several domains"),
            std::string::npos);
}

/// A support that breaks when it is asked too often.
struct FragileSupport {
  std::shared_ptr<int> left = std::make_shared<int>(unlimited);
  static constexpr int unlimited = std::numeric_limits<int>::max();

  Pose operator()(double t) const {
    if (*left < unlimited && --*left < 0) throw Error("the support broke");
    return {Vector3(0.0, 0.3 * std::sin(20.0 * t), 0.2 * t), test::turn(0.5 * t, Vector3::UnitX())};
  }
};

/// Thrown about on it, so that steps are taken in parts.
Body shaken_on(const FragileSupport& support, bool timed, double speed) {
  Body body(make_model(bar_model(), false));
  body.set_support(support);
  const Point tip(test::tip());
  if (timed) body.set_timed_loads({{{{tip}, Vector3(0.0, 5.0, 0.0), 0.005, 0.023}}, {}});
  body.set_state(random_vector(test::bar_rank, 0.02 * speed, 1), random_vector(test::bar_rank, speed, 2));
  return body;
}

bool breaks(Body& body, const ReducedStepOptions& options) {
  try {
    return !body.step(0.01, options).ok();
  } catch (const Error&) {
    return true;
  }
}

/// Lets the support break at each call of a step in turn. Returns how often it is called in it.
int break_in_step(const Body& body, const FragileSupport& support, const ReducedStepOptions& options) {
  Body whole = body;
  EXPECT_TRUE(whole.step(0.01, options).ok());
  for (int calls = 0;; ++calls) {
    Body tried = body;
    *support.left = calls;
    const bool broken = breaks(tried, options);
    *support.left = FragileSupport::unlimited;
    if (!broken) return calls;
    EXPECT_EQ(tried.time(), body.time()) << calls;
    EXPECT_EQ(tried.q(), body.q()) << calls;
    EXPECT_EQ(tried.v(), body.v()) << calls;
    EXPECT_TRUE(tried.step(0.01, options).ok());
    EXPECT_EQ(tried.q(), whole.q()) << "as if nothing had happened, call " << calls;
  }
}

TEST(CarriedBody, IsAsItWasWhereItsSupportThrowsInAStep) {
  for (const int iterations : {1, 2, 30}) {
    int most = 0;
    for (const bool timed : {false, true}) {
      for (const double speed : {1.0, 300.0, 1e5}) {
        const FragileSupport support;
        Body body = shaken_on(support, timed, speed);
        ReducedStepOptions options;
        options.newmark.max_iterations = iterations;
        options.newmark.tolerance = 1e-13;
        for (int i = 0; i < 3; ++i) {
          most = std::max(most, break_in_step(body, support, options));
          ASSERT_TRUE(body.step(0.01, options).ok());
        }
      }
    }
    EXPECT_GT(most, 20) << "steps that are taken in parts";
  }
}

TEST(FreeBody, FliesOnInAStormThatNoIterationSolves) {
  PartTree parts = test::twig_parts();
  parts.free = true;
  parts.parts[0].fixed.clear();
  Body bush(test::reduced(parts));
  ReducedStepOptions options;
  options.newmark.max_iterations = 30;
  for (const double speed : {5e3, 5e4}) {
    bush.reset();
    bush.set_wind({.velocity = speed * Vector3(1.0, 0.3, 0.1), .gusts = 0.5});
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(bush.step(1.0 / 60.0, options).ok()) << speed << ", step " << i;
    const TreeMomentum now = bush.momentum();
    EXPECT_LT(now.linear.norm(), 2.0 * speed * now.mass) << "no faster than gusts";
    EXPECT_GT(now.linear.norm(), 0.01 * speed * now.mass);
  }
}

/// Loads that come and go are put back as well, with what the body had noted of them.
TEST(CarriedBody, IsAsItWasWhereItsSupportThrowsUnderLoadsForATime) {
  bool broken = false;
  Body body(make_model(bar_model(), false));
  body.set_support([&](double t) {
    if (broken) throw Error("broken");
    return Pose{Vector3(0.01 * t, 0.0, 0.0), Eigen::Quaterniond::Identity()};
  });
  body.set_timed_loads({{{{test::tip()}, Vector3(0.0, 1.0, 0.0), 0.0, 0.033}}, {}});
  const auto bytes = [&] {
    StateWriter out;
    body.save(out);
    return out.bytes();
  };
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(body.step(0.01).ok());
    const std::string before = bytes();
    broken = true;
    EXPECT_THROW((void)body.step(0.01), Error);
    broken = false;
    EXPECT_EQ(bytes(), before) << i;
  }
}

}  // namespace
}  // namespace limber::frames_test
