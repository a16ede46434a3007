// Vertices of a Body that are held by hand.

#include "limber/body/handle_share.hpp"
#include "tests/body/bar.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace limber::handles_test {
namespace {

using test::advance;
using test::angle_between;
using test::bar_model;
using test::bar_rank;
using test::error_text;
using test::turn;
using test::warped_bar;

constexpr double h = 0.01;
constexpr double pi = std::numbers::pi;
const double size = std::hypot(1.0, 0.2, 0.15);  // of the bar, m
const Vector3 down(0.0, 0.0, -9.81);

Handle at(int vertex, const Vector3& position) { return {vertex, true, false, position}; }
Handle turned(int vertex, const Eigen::Quaterniond& rotation) {
  return {vertex, false, true, Vector3::Zero(), rotation};
}
Handle fixed_at(int vertex, const Vector3& position, const Eigen::Quaterniond& rotation) {
  return {vertex, true, true, position, rotation};
}

void hold(Body& body, const Handle& handle, ConstraintPriority priority = ConstraintPriority::position) {
  body.set_handles({&handle, 1}, priority);
}

Vector3 rest_of(int vertex) { return bar_model().surface.mesh.vertices.col(vertex); }

TEST(Handle, IsWhereItsVertexIsWhileBothMove) {
  Body body = warped_bar();
  body.set_gravity(down);
  body.set_damping({1.0, 0.002});
  const int vertex = test::tip();
  for (int i = 1; i <= 100; ++i) {
    const double s = std::sin(0.03 * i);
    const Vector3 target = rest_of(vertex) + Vector3(-0.1 * s * s, 0.2 * s, 0.3 * s);
    hold(body, at(vertex, target));
    advance(body, 1, h);
    ASSERT_LT((body.position(vertex) - target).norm(), 1e-8 * size) << "step " << i;
    ASSERT_TRUE(body.handle_report().met);
    ASSERT_LT(body.handle_report().position_error, 1e-8 * size);
  }
  EXPECT_GT(body.orientation(vertex).vec().norm(), 0.05);
}

TEST(Handle, IsTurnedAsItsVertexIsWhileBothTurn) {
  Body body = warped_bar();
  body.set_gravity(down);
  body.set_damping({1.0, 0.002});
  const int vertex = test::tip();
  for (int i = 1; i <= 100; ++i) {
    const Eigen::Quaterniond target = turn(0.01 * i, Vector3(1.0, 0.2, -0.1));
    hold(body, turned(vertex, target));
    advance(body, 1, h);
    ASSERT_LT(angle_between(body.orientation(vertex), target), 1e-6) << "step " << i;
    ASSERT_TRUE(body.handle_report().met);
  }
}

TEST(Handle, HoldsPositionAndOrientationTogether) {
  Body body = warped_bar();
  body.set_damping({1.0, 0.002});
  const int vertex = test::tip();
  for (int i = 1; i <= 50; ++i) {
    const Vector3 target = rest_of(vertex) + 0.002 * i * Vector3(-0.2, 1.0, 1.0);
    const Eigen::Quaterniond rotation = turn(0.01 * i, Vector3(0.5, -1.0, 1.0));
    hold(body, fixed_at(vertex, target, rotation));
    advance(body, 1, h);
    ASSERT_TRUE(body.handle_report().met) << "step " << i;
    ASSERT_LT((body.position(vertex) - target).norm(), 1e-8 * size);
    ASSERT_LT(angle_between(body.orientation(vertex), rotation), 1e-6);
  }
}

TEST(Handle, ThatCannotHaveBothKeepsWhatComesFirst) {
  // Five modes, and six numbers to meet.
  const int vertex = test::tip();
  const Handle far = fixed_at(vertex, rest_of(vertex) + Vector3(0.0, 0.0, 0.2), turn(0.5, Vector3::UnitY()));
  const auto errors = [&](ConstraintPriority priority) {
    Body body = warped_bar();
    body.set_rank(5);
    body.set_damping({20.0, 0.0});
    hold(body, far, priority);
    advance(body, 50, h);
    EXPECT_FALSE(body.handle_report().met);
    return std::pair((body.position(vertex) - far.position).norm() / size,
                     angle_between(body.orientation(vertex), far.rotation));
  };
  const auto [position_first, orientation_after] = errors(ConstraintPriority::position);
  const auto [position_after, orientation_first] = errors(ConstraintPriority::orientation);
  EXPECT_LT(position_first, 1e-8);
  EXPECT_GT(orientation_after, 1e-3);
  EXPECT_LT(orientation_first, 1e-6);
  EXPECT_GT(position_after, 1e-3);
}

TEST(Handle, OutOfReachIsApproachedAndReported) {
  Body body = warped_bar();
  body.set_rank(2);
  body.set_damping({5.0, 0.0});
  const Vector3 far = rest_of(test::tip()) + Vector3(50.0, 0.0, 0.0);
  hold(body, at(test::tip(), far));
  advance(body, 20, h);
  EXPECT_FALSE(body.handle_report().met);
  EXPECT_TRUE(body.state().q.allFinite());
  EXPECT_NEAR(body.handle_report().position_error, (body.position(test::tip()) - far).norm(), 1e-9);
}

TEST(Handle, ThatWasMissedIsNotReportedAfterReset) {
  Body body = warped_bar();
  body.set_rank(2);
  hold(body, at(test::tip(), rest_of(test::tip()) + Vector3(50.0, 0.0, 0.0)));
  advance(body, 1, h);
  ASSERT_FALSE(body.handle_report().met);
  body.reset();
  EXPECT_TRUE(body.handle_report().met);
  EXPECT_EQ(body.handle_report().iterations, 0);
  EXPECT_EQ(body.handle_report().position_error, 0.0);
}

TEST(Handle, IsTurnedOnAndOnWithoutUnwinding) {
  Body body = warped_bar();
  body.set_damping({2.0, 0.002});
  double quarter = 0.0;
  for (int i = 1; i <= 250; ++i) {
    hold(body, turned(test::tip(), turn(i * 0.01 * pi, Vector3::UnitX())));
    advance(body, 1, h);
    ASSERT_TRUE(body.handle_report().met) << "step " << i;
    if (i == 50) quarter = body.energy().elastic;
  }
  const auto expect_turned = [&] {  // by five quarters: energies are as squares of angles
    EXPECT_NEAR(body.energy().elastic / quarter, 25.0, 5.0);
  };
  expect_turned();
  body.set_damping({3.0, 0.002});
  advance(body, 1, h);
  expect_turned();
  advance(body, 1, h, 2);  // other dynamics, by exact steps
  expect_turned();
}

TEST(Handle, HoldsOnWhereMaterialsDampingRankAndStepsChange) {
  Body body = warped_bar();
  const Vector3 target = rest_of(test::tip()) + Vector3(-0.02, 0.05, 0.1);
  hold(body, at(test::tip(), target));
  const auto expect_held = [&](double step, int iterations) {
    advance(body, 2, step, iterations);
    EXPECT_LT((body.position(test::tip()) - target).norm(), 1e-8 * size);
  };
  expect_held(h, 1);
  Material soft = body.material(0);
  soft.law = make_law("stvk", lame_from_young(1e5, 0.3));
  body.set_material(0, soft);
  expect_held(h, 1);
  body.set_damping({0.5, 0.001});
  expect_held(h, 2);
  body.set_rank(9);
  expect_held(0.003, 1);
  body.set_gravity(down);
  body.set_force(test::middle(), Vector3::UnitY());
  expect_held(0.02, 1);
  body.set_state(Vector::Zero(9), Vector::Zero(9));
  expect_held(h, 1);
  body.reset();
  expect_held(h, 1);
}

TEST(Handle, LetsGoWhereItIsTakenAwayAndHoldsOnWhereTheMethodChanges) {
  Body body = warped_bar();
  body.set_damping({3.0, 0.005});
  hold(body, at(test::tip(), rest_of(test::tip()) + Vector3(0.0, 0.0, 0.1)));
  advance(body, 10, h);
  body.set_handles({});
  EXPECT_EQ(body.handle_report().position_error, 0.0);
  advance(body, 500, 0.02);
  EXPECT_LT((body.position(test::tip()) - rest_of(test::tip())).norm(), 1e-6);

  const Handle handle = at(test::tip(), rest_of(test::tip()) + Vector3(0.0, 0.0, 0.1));
  hold(body, handle);
  for (const Method method : {Method::reduced, Method::linear, Method::warped}) {
    body.set_method(method);
    advance(body, 10, h);
    EXPECT_LT((body.position(test::tip()) - handle.position).norm(), 1e-6) << name_of(method);
    EXPECT_TRUE(body.handle_report().met) << name_of(method);
  }
}

TEST(Handle, OfSeveralVerticesHoldsEach) {
  Body body = warped_bar();
  body.set_gravity(down);
  const std::vector<Handle> handles{at(test::middle(), rest_of(test::middle()) + Vector3(0.0, 0.02, 0.03)),
                                    at(test::tip(), rest_of(test::tip()) + Vector3(0.0, 0.0, 0.05))};
  body.set_handles(handles);
  advance(body, 5, h);
  for (const Handle& handle : handles)
    EXPECT_LT((body.position(handle.point) - handle.position).norm(), 1e-8 * size);
}

TEST(Handle, AddsNoEnergyWhereSeveralHoldPositionAndOrientation) {
  for (const double step : {1.0 / 240.0, 1e-3}) {
    Body body = warped_bar();
    const int middle = test::middle();
    for (int i = 0; i < static_cast<int>(3.0 / step); ++i) {
      const double share = std::min(1.0, i * step);
      const Eigen::Quaterniond turn(Eigen::AngleAxisd(1.2 * share, Vector3::UnitX()));
      const std::vector<Handle> handles{
          {test::tip(), true, true, rest_of(test::tip()) + share * Vector3(-0.1, 0.2, 0.2), turn},
          {middle, true, false, rest_of(middle), Eigen::Quaterniond::Identity()}};
      body.set_handles(handles);
      ASSERT_TRUE(body.step(step).ok());
    }
    EXPECT_TRUE(body.handle_report().met);
    EXPECT_LT(body.energy().kinetic, 1e-6 * body.energy().elastic) << step;  // long at rest
  }
}

TEST(Handle, IsRefusedWithAReasonAndTheOthersHoldOn) {
  const double nan = std::nan("");
  Body body = warped_bar(), twin = warped_bar();
  const Handle good = at(test::tip(), rest_of(test::tip()) + Vector3(0.0, 0.05, 0.05));
  for (Body* one : {&body, &twin}) {
    hold(*one, good);
    advance(*one, 2, h);
  }
  const int n = static_cast<int>(bar_model().surface.mesh.vertex_count());
  const Eigen::Quaterniond none(0.0, 0.0, 0.0, 0.0), two(2.0, 0.0, 0.0, 0.0), broken(nan, 0.0, 0.0, 0.0);
  const Vector3 x = Vector3::Zero();
  const std::vector<std::pair<std::vector<Handle>, std::string>> refusals{
      {{at(n, x)}, "of a surface with vertices 0 to"},
      {{at(-1, x)}, "handle 0 holds vertex -1"},
      {{good, at(test::tip(), x)}, "handles 0 and 1 both hold vertex"},
      {{good, at(test::held(), x)}, "cannot move"},
      {{turned(test::held(), turn(0.1, Vector3::UnitX()))}, "cannot move"},
      {{at(test::tip(), Vector3(0.0, nan, 0.0))}, "finite"},
      {{turned(test::tip(), none)}, "length 1"},
      {{turned(test::tip(), two)}, "(0, 0, 0, 2)"},
      {{turned(test::tip(), broken)}, "length 1"},
      {{Handle{test::tip(), false, false}}, "neither"},
  };
  for (const auto& [handles, text] : refusals) {
    const std::string reason = error_text([&] { body.set_handles(handles); });
    EXPECT_NE(reason.find(text), std::string::npos) << text << ": " << reason;
    EXPECT_EQ(error_text([&] { body.check_handles(handles); }), reason) << "before it is due";
  }
  for (Body* one : {&body, &twin}) advance(*one, 3, h);
  EXPECT_EQ(body.state().q, twin.state().q);
}

TEST(Handle, TurnsNothingWhoseVerticesDoNotTurn) {
  Body body(make_model(bar_model(), false));
  EXPECT_NE(error_text([&] {
              hold(body, turned(test::tip(), turn(0.1, Vector3::UnitX())));
            }).find("does not take handles that hold orientations; choose 'linear' or 'warped'"),
            std::string::npos);
  const Point elsewhere(test::middle());
  const Handle handle = at(test::tip(), rest_of(test::tip()));
  EXPECT_NE(error_text([&] {
              body.set_handles({&handle, 1}, ConstraintPriority::position, {&elsewhere, 1});
            }).find("act at the handles"),
            std::string::npos);
  body.set_handles({});
}

TEST(Handle, PutsOrientationsFirstWhereThereAreSomeAlone) {
  const Handle handle = at(test::tip(), rest_of(test::tip()));
  const auto refused = [&](Body& body) {
    return error_text([&] {
             hold(body, handle, ConstraintPriority::orientation);
           }).find("cannot come first") != std::string::npos;
  };
  Body reduced(make_model(bar_model(), false)), free(make_model(bar_model(), true)), windy = reduced,
                                                                                     linear = reduced;
  free.set_method(Method::warped);
  windy.set_method(Method::linear);
  windy.set_wind({.velocity = Vector3(1.0, 0.0, 0.0)});
  linear.set_method(Method::linear);
  for (Body* body : {&reduced, &free, &windy}) {
    EXPECT_TRUE(refused(*body)) << name_of(body->method());
    EXPECT_TRUE(body->loads().handles.empty());
  }
  hold(linear, handle, ConstraintPriority::orientation);
  linear.set_method(Method::reduced);
  EXPECT_EQ(linear.loads().priority, ConstraintPriority::position);
  EXPECT_EQ(linear.loads().handles.size(), 1U);
}

TEST(Handle, TakesAShareOfWhatTheBodyCanDo) {
  const auto share_of = [](const Body& body, const std::vector<Handle>& handles) {
    const HandleShare share = largest_share(body, handles);
    return std::pair(share.held, share.coordinates);
  };
  const Vector3 x = Vector3::Zero();
  const std::vector<Handle> two{at(test::tip(), x),
                                fixed_at(test::middle(), x, turn(0.0, x + Vector3::UnitX()))};
  Body bar = warped_bar();
  EXPECT_EQ(share_of(bar, two), std::pair(Index{9}, bar_rank));
  bar.set_modal_settings({.modes = 5});
  EXPECT_EQ(share_of(bar, two), std::pair(Index{9}, Index{5}));
  const std::vector<Handle> one{at(test::tip(), x)};
  EXPECT_EQ(share_of(Body(make_model(bar_model(), true)), one), std::pair(Index{3}, bar_rank + 6));
  // In a tree: of the domain where it is most, which its parent carries.
  const Body chain(test::beam_tree());
  const std::vector<int>& domains = chain.vertex_domains();
  std::vector<Handle> handles;
  for (const int domain : {0, 2, 2, 2}) {
    int vertex = static_cast<int>(std::find(domains.begin(), domains.end(), domain) - domains.begin());
    handles.push_back(at(vertex + static_cast<int>(handles.size()), x));
    ASSERT_EQ(domains[static_cast<std::size_t>(handles.back().point.vertex)], domain);
  }
  const HandleShare most = largest_share(chain, handles);
  EXPECT_EQ(most.domain, 2);
  EXPECT_EQ(most.held, 9);
  EXPECT_EQ(most.coordinates, chain.model().rank(2) + 6);
}

TEST(Handle, IsRefusedBeforeItIsDueWhereForcesElsewhereDoNotMoveIt) {
  Body body = warped_bar();
  const Point fixed(test::held());
  const Handle handle = at(test::tip(), rest_of(test::tip()));
  const auto given = [&](const auto& give) { return error_text([&] { give(); }); };
  const std::string reason = given([&] {
    body.set_handles({&handle, 1}, ConstraintPriority::position, {&fixed, 1});
  });
  EXPECT_NE(reason.find("no force on the exercised sites moves its vertex"), std::string::npos) << reason;
  EXPECT_EQ(given([&] {
              body.check_handles({&handle, 1}, ConstraintPriority::position, {&fixed, 1});
            }),
            reason);
  EXPECT_TRUE(body.loads().handles.empty());
}

}  // namespace
}  // namespace limber::handles_test
