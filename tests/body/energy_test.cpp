#include "limber/base/random.hpp"
#include "limber/body/world.hpp"
#include "limber/precompute/reduce.hpp"
#include "tests/body/bar.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

namespace limber::energy_test {
namespace {

using test::bar_model;
using test::bent;
using test::tip;

constexpr double frame = 1.0 / 60.0;                                     // s
const std::vector<double> steps_of_all_lengths{1e-4, 2e-3, frame, 0.1};  // s

double energy(const Body& body) { return body.energy().elastic + body.energy().kinetic; }

struct Outcome {
  double gain = 0.0;  ///< of energy at most, as a share of what there was
  int rescued = 0;
};

/// What happens to a body that nobody touches.
Outcome watch(Body& body, double h, int steps) {
  const double start = energy(body);
  Outcome outcome;
  for (int i = 0; i < steps; ++i) {
    const SolveReport report = body.step(h);
    EXPECT_TRUE(report.ok()) << name_of(report.status) << " at step " << i << " of " << h << " s";
    outcome.gain = std::max(outcome.gain, energy(body) / start - 1.0);
    outcome.rescued += report.rescued ? 1 : 0;
  }
  return outcome;
}

/// The bar by optimized or by modal cubature.
ReducedModel bar_by_cubature(std::string_view law, ForceKind forces) {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.15), {6, 2, 2}});
  const FullModel full(mesh, {test::material(law, 4e5, 0.35, 1000.0)}, test::vertices_below(mesh, 1e-9));
  ReduceOptions options{.basis = {.modes = 6, .rank = 10}, .forces = forces};
  options.cubature.error = 0.05;
  ReduceReport report;
  return reduce(full, boundary_surface(mesh), {}, options, report);
}

TEST(LetGo, ABentBodyGainsNoEnergyAtStepsOfAnyLength) {
  for (const double h : steps_of_all_lengths) {
    Body body(make_model(bar_model(), false));
    body.set_state(bent(), test::random_vector(test::bar_rank, 2.0, 7));
    const Outcome outcome = watch(body, h, 3000);
    EXPECT_LE(outcome.gain, 1e-9) << "h = " << h;
    EXPECT_LE(outcome.rescued, 150) << "h = " << h;
  }
}

TEST(LetGo, ABodyThatWasPulledHardAndMadeSofterGainsNoEnergy) {
  for (const double h : steps_of_all_lengths) {
    Body body(make_model(bar_model(), false));
    const Spring pull{tip(), Vector3(0.2, 1.0, -0.5), 1e3 * body.stiffness_at(tip())};
    body.set_springs({&pull, 1});
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(body.step(h).ok());
    body.set_material(0, test::material("stvk", 4e3, 0.45, 1000.0));
    body.set_rank(7);
    body.set_springs({});
    EXPECT_LE(watch(body, h, 1000).gain, 1e-9) << "h = " << h;
  }
}

TEST(LetGo, BodiesOfEveryLawGainNoEnergy) {
  for (const std::string_view law : {"corotational", "neo-hookean", "mooney-rivlin", "arruda-boyce"}) {
    for (const ForceKind forces : {ForceKind::cubature, ForceKind::modal_cubature}) {
      const ReducedModel model = bar_by_cubature(law, forces);
      for (const double h : {1e-3, frame, 0.1}) {
        Body body(make_model(model, false));
        Vector q = Vector::Zero(model.rank);
        q(0) = 2.0;
        body.set_state(q, test::random_vector(model.rank, 2.0, 7));
        EXPECT_LE(watch(body, h, 500).gain, 1e-9) << law << ", h = " << h;
      }
    }
  }
}

/// The bar, soft and crushed far beyond what a step knows anything of, above ground that it may touch.
World crushed(std::uint64_t seed) {
  static const ReducedModel model = bar_by_cubature("neo-hookean", ForceKind::cubature);
  World world;
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}, .pose = {Vector3(0.0, 0.0, -1.0)}});
  world.set_contact(world.add(Body(make_model(model, false))), {});
  Body& body = world.body(0);
  body.set_material(0, test::material("neo-hookean", 4e3, 0.35, 1000.0));
  body.set_state(test::random_vector(model.rank, 3.0, seed), test::random_vector(model.rank, 30.0, seed + 7));
  return world;
}

TEST(LetGo, ACrushedBodyThatMayTouchComesBackInStepsOfItsOwnLength) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    for (const double h : {1e-3, frame}) {
      World world = crushed(seed);
      ASSERT_TRUE(world.step(h).ok());
      const double start = energy(world.body(0));
      double now = start;
      int parts = 0;
      for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(world.step(h).ok()) << seed << " " << h << " " << i;
        parts += world.contact_report().steps;
        // The ground pushes out what has crept into it, uphill for once.
        now = energy(world.body(0));
        ASSERT_LE(now, (1.0 + 1e-3) * start) << seed << " " << h << " " << i;
      }
      EXPECT_LE(now, 1e-2 * start) << seed << " " << h;
      EXPECT_LE(parts, 1800) << seed << " " << h;  // of 9,600 where it does not come back
    }
  }
}

TEST(LetGo, ACrushedBodyThatWasSavedGoesOnWithTheSameBits) {
  World world = crushed(1), other = crushed(2);
  for (int i = 0; i < 40; ++i) {
    StateWriter out;
    world.body(0).save(out);
    StateReader in(out.bytes(), "state");
    other.body(0).restore(in);
    ASSERT_TRUE(world.step(1e-3).ok());
    ASSERT_TRUE(other.step(1e-3).ok());
    ASSERT_EQ(other.body(0).q(), world.body(0).q()) << i;
  }
}

/// Steps that were rescued while hands jerk at a body and after they let go, as a share.
double rescues_in_rough_hands(const ReducedModel& model, double h) {
  Body body(make_model(model, false));
  Random random(5);
  Index rescued = 0, steps = 0;
  for (int episode = 0; episode < 6; ++episode) {
    Spring pull{tip(), body.position(tip()), 100.0 * body.stiffness_at(tip())};
    for (int i = 0; i < 400; ++i, ++steps) {
      if (i == 0) pull.target += 0.7 * Vector3(random.normal(), random.normal(), random.normal());
      if (i < 100) pull.target += 0.01 * Vector3(random.normal(), random.normal(), random.normal());
      body.set_springs({&pull, i < 100 ? 1u : 0u});
      const SolveReport report = body.step(h);
      EXPECT_TRUE(report.ok()) << name_of(report.status);
      rescued += report.rescued ? 1 : 0;
    }
  }
  return static_cast<double>(rescued) / static_cast<double>(steps);
}

TEST(LetGo, BodiesInRoughHandsNeedFewRescues) {
  const ReducedModel modal = bar_by_cubature("neo-hookean", ForceKind::modal_cubature);
  for (const double h : steps_of_all_lengths) {
    EXPECT_LE(rescues_in_rough_hands(bar_model(), h), 0.006) << "h = " << h;
    EXPECT_LE(rescues_in_rough_hands(modal, h), 0.03) << "h = " << h;
  }
}

/// Whoever changes a load has the energy at the end of the step in mind that follows: what that step loses
/// must not come back either.
TEST(LetGo, WhatTheFirstStepAfterAChangeOfLoadsLosesIsLost) {
  for (const Method method : {Method::reduced, Method::warped}) {
    for (const int iterations : {1, 10}) {
      SCOPED_TRACE(fmt::format("{} iterations, warped: {}", iterations, method == Method::warped));
      Body body(make_model(bar_model(), false));
      body.set_method(method);
      body.set_gravity({0.0, 0.0, -9.81});
      ReducedStepOptions options;
      options.newmark.max_iterations = iterations;
      double most = 0.0;
      for (int i = 0; i < 400; ++i) {
        const bool changes = i % 20 == 10;
        if (changes)
          body.set_force(tip(), i % 40 == 10 ? Vector3(5.0, 60.0, 20.0) : Vector3(Vector3::Zero()));
        ASSERT_TRUE(body.step(0.03, options).ok());
        const double total = energy(body) + body.load_energy();
        if (changes) most = total;
        if (i < 10) continue;
        ASSERT_LE(total, most + 1e-9 * (energy(body) + std::abs(body.load_energy()))) << "step " << i;
      }
    }
  }
}

TEST(LetGo, AGentleSwingKeepsItsEnergy) {
  Body body(make_model(bar_model(), false));
  const double period = 1.0 / body.frequencies()(0), h = period / 32.0;  // as 1.9 Hz at 60 steps a second
  body.set_state(0.002 * body.mode_shape(0), Vector::Zero(test::bar_rank));
  const double start = energy(body);
  const int periods = 50;
  const Outcome outcome = watch(body, h, 32 * periods);
  EXPECT_LE(1.0 - std::pow(energy(body) / start, 1.0 / periods), 2e-4);
  EXPECT_LE(outcome.gain, 1e-9);
  EXPECT_EQ(outcome.rescued, 0);
}

TEST(LetGo, LoadsThatAreSetAgainAsTheyWereChangeNothing) {
  Body once(make_model(bar_model(), false)), often = once;
  const Vector3 g(0.0, 0.0, -9.81), force(0.0, 1.0, 0.0);
  for (Body* body : {&once, &often}) {
    body->set_gravity(g);
    body->set_force(tip(), force);
  }
  for (int i = 0; i < 200; ++i) {
    often.set_gravity(g);
    often.set_force(tip(), force);
    often.set_springs({});
    ASSERT_TRUE(once.step(frame).ok());
    ASSERT_TRUE(often.step(frame).ok());
  }
  EXPECT_EQ(once.state().q, often.state().q);
}

TEST(LetGo, ABodyThatHangsStillIsLeftAlone) {
  Body body(make_model(bar_model(), false));
  body.set_gravity({0.0, 0.0, -9.81});
  body.set_damping({20.0, 1e-3});
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(body.step(0.01).ok());
  body.set_damping({});
  const Vector hanging = body.state().q;
  int rescued = 0;
  for (int i = 0; i < 5000; ++i) {
    const SolveReport report = body.step(0.01);
    ASSERT_TRUE(report.ok());
    rescued += report.rescued ? 1 : 0;
  }
  EXPECT_EQ(rescued, 0);
  EXPECT_LT((body.state().q - hanging).norm(), 1e-9 * hanging.norm());
}

}  // namespace
}  // namespace limber::energy_test
