#include "limber/body/mesh_body.hpp"
#include "limber/warp/rotation.hpp"
#include "tests/body/bar.hpp"
#include "tests/multidomain/small_trees.hpp"
#include "tests/reduced/allocations.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

// How points move with the unknowns of their body, for every way to move.

namespace limber::point_rows_test {
namespace {

using test::error_text;
using test::random_vector;

const Pose ridden(double t) {
  return {Vector3(0.3 * std::sin(2.0 * t), 0.1 + 0.2 * t, t * t),
          test::turn(0.4 + 0.7 * t, Vector3(0.2, -0.5, 1.0))};
}

/// All velocities of the unknowns: those of the frame last.
Vector velocities(const TreeState& state, bool flies) {
  Vector all(state.v.size() + (flies ? 6 : 0));
  all.head(state.v.size()) = state.v;
  if (flies) all.tail<6>() << state.root.velocity, state.root.angular_velocity;
  return all;
}

void set_velocities(TreeState& state, const Vector& all) {
  state.v = all.head(state.v.size());
  if (all.size() == state.v.size()) return;
  state.root.velocity = all.segment<3>(state.v.size());
  state.root.angular_velocity = all.tail<3>();
}

/// The same state with the unknowns moved along a direction.
TreeState moved(TreeState state, const Vector& direction, double h) {
  const Index size = state.q.size();
  state.q += h * direction.head(size);
  if (direction.size() == size) return state;
  state.root.position += h * direction.segment<3>(size);
  const Matrix3 turned = rotation_matrix(h * direction.tail<3>()) * state.root.rotation.toRotationMatrix();
  state.root.rotation = Eigen::Quaterniond(turned).normalized();
  return state;
}

/// A body that is bent and moves, and what is known of it.
struct Case {
  std::string name;
  std::function<Body()> make;
  double bend = 0.05, speed = 1.0;  ///< of its coordinates
  bool flies = false;
  bool moves = true;  ///< false: a quasistatic body, which has no velocities
  Index modes = 0;    ///< in use, where they are fewer than its coordinates
};

std::ostream& operator<<(std::ostream& stream, const Case& one) { return stream << one.name; }

Body started(const Case& one) {
  Body body = one.make();
  TreeState state = body.state();
  const Index size = state.q.size();
  state.time = 0.5;
  state.q += random_vector(size, one.bend, 1);
  if (one.moves) state.v = random_vector(size, one.speed, 2);
  if (one.flies) {
    state.root.position = Vector3(0.4, -0.3, 0.2);
    state.root.rotation = test::turn(0.8, Vector3(1.0, 0.3, -0.4));
    state.root.velocity = Vector3(1.0, 0.5, -0.2);
    state.root.angular_velocity = Vector3(1.0, 4.0, 2.0);
  }
  body.set_state(state);
  return body;
}

/// Some of the surface and some of the mesh.
std::vector<Point> points_of(const Body& body) {
  std::vector<Point> points;
  const auto surface = static_cast<int>(body.surface().mesh().vertex_count()),
             mesh = static_cast<int>(body.mesh_vertex_count());
  for (const double share : {0.0, 0.3, 0.55, 0.8, 1.0}) {
    points.emplace_back(static_cast<int>(share * (surface - 1)));
    points.push_back(mesh_point(static_cast<int>(share * (mesh - 1))));
  }
  return points;
}

/// J v of all unknowns.
Vector3 product(const PointRows& rows, const Vector& v) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < rows.columns.size(); ++i)
    sum += v(rows.columns[i]) * rows.rows.col(static_cast<Index>(i));
  return sum;
}

double size_of(const Body& body) {
  const Matrix3X& x = body.surface().mesh().vertices;
  return (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm();
}

MeshBodySetup mesh_setup() {
  MeshBodySetup setup;
  setup.name = "beam";
  setup.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(4, 1, 1)});
  setup.materials = {test::material("stvk", 4e5, 0.3, 1000.0)};
  setup.fixed = test::vertices_below(setup.mesh, 1e-6);
  setup.executor = Executor(1);
  return setup;
}

/// Drawn by a surface that lies between the vertices of its mesh, and is held in part of an element.
MeshBodySetup embedded_setup() {
  MeshBodySetup setup = mesh_setup();
  Matrix3X vertices(3, 5);
  vertices << 0.1, 0.3, 0.55, 0.93, 0.97, 0.02, 0.05, -0.04, 0.02, 0.03, 0.01, 0.03, 0.06, -0.07, 0.08;
  Eigen::Matrix3Xi triangles(3, 2);
  triangles << 0, 2, 1, 3, 2, 4;
  setup.surface = make_surface_mesh(vertices, triangles);
  return setup;
}

/// Carried by maps that turn and stretch its vertices.
MeshBodySetup carried_setup() {
  MeshBodySetup setup = embedded_setup();
  setup.quasistatic = true;
  setup.maps = [n = setup.mesh.vertex_count()](double /*t*/) {
    VertexMaps maps = VertexMaps::identity(n);
    for (Index v = 0; v < n; ++v)
      maps.linear.push_back(Matrix3::Identity() +
                            test::random_matrix3(0.2, static_cast<std::uint64_t>(v) + 1));
    return maps;
  };
  return setup;
}

Body riding(Body body) {
  body.set_support(ridden);
  return body;
}

Body bar(Method method, Index modes = 0) {
  Body body(make_model(test::bar_model(), false));
  body.set_method(method);
  if (modes > 0) body.set_modal_settings({.modes = modes});
  return body;
}

/// A bar that nothing holds.
Body flyer(Method method, Index modes = 0) {
  static const auto model = [] {
    const FullModel full(make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.1), {6, 2, 1}}),
                         {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
    ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, 14).elastic_shapes());
    return std::make_shared<const Model>(make_model(std::move(reduced), true));
  }();
  Body body(model);
  body.set_method(method);
  if (modes > 0) body.set_modal_settings({.modes = modes});
  return body;
}

Body chain(Method method = Method::reduced) {
  static const std::shared_ptr<const Model> model = test::beam_tree();
  Body body(model);
  body.set_method(method);
  return body;
}

/// A stem with twigs of several sizes and a rigid knob.
Body bush(bool free) {
  PartTree parts = test::twig_parts();
  parts.free = free;
  if (free) parts.parts[0].fixed.clear();
  return Body(test::reduced(parts));
}

Body with_rank(Body body, Index rank) {
  body.set_rank(rank);
  return body;
}

std::vector<Case> all_cases() {
  const auto online = [] { return make_online_body(mesh_setup(), {}, 1.0); };
  return {
      {"full", [] { return make_full_body(mesh_setup()); }, 0.01},
      {"full_embedded", [] { return make_full_body(embedded_setup()); }, 0.01},
      {"full_on_a_support", [] { return riding(make_full_body(embedded_setup())); }, 0.01},
      {.name = "full_quasistatic",
       .make = [] { return make_full_body(carried_setup()); },
       .bend = 0.01,
       .moves = false},
      {"online", online, 0.01},
      {.name = "online_quasistatic",
       .make = [] { return make_online_body(carried_setup(), {}, 1.0); },
       .bend = 0.01,
       .moves = false},
      {"reduced", [] { return bar(Method::reduced); }},
      {"reduced_by_fewer_coordinates", [] { return with_rank(bar(Method::reduced), 7); }},
      {"reduced_on_a_support", [] { return riding(bar(Method::reduced)); }},
      {.name = "reduced_in_flight", .make = [] { return flyer(Method::reduced); }, .flies = true},
      {"linear", [] { return bar(Method::linear); }},
      {.name = "linear_by_fewer_modes", .make = [] { return bar(Method::linear, 5); }, .modes = 5},
      {"linear_on_a_support", [] { return riding(bar(Method::linear)); }},
      {.name = "linear_in_flight", .make = [] { return flyer(Method::linear); }, .flies = true},
      {"warped", [] { return bar(Method::warped); }, 1.0, 2.0},
      {"warped_by_fewer_coordinates", [] { return with_rank(bar(Method::warped), 7); }, 1.0, 2.0},
      {.name = "warped_by_fewer_modes",
       .make = [] { return bar(Method::warped, 5); },
       .bend = 1.0,
       .modes = 5},
      {"warped_on_a_support", [] { return riding(bar(Method::warped)); }, 1.0, 2.0},
      {.name = "warped_in_flight", .make = [] { return flyer(Method::warped); }, .bend = 1.0, .flies = true},
      {.name = "warped_in_flight_by_fewer_modes",
       .make = [] { return flyer(Method::warped, 4); },
       .bend = 1.0,
       .flies = true,
       .modes = 4},
      {"tree", [] { return chain(); }, 1.0},
      {"tree_linear", [] { return chain(Method::linear); }, 1.0},
      {"tree_on_a_support", [] { return riding(chain()); }, 1.0},
      {"tree_with_twigs", [] { return bush(false); }, 1.0},
      {.name = "tree_in_flight", .make = [] { return bush(true); }, .bend = 1.0, .flies = true},
  };
}

class PointRowsOf : public testing::TestWithParam<Case> {};

TEST_P(PointRowsOf, GiveTheVelocityOfThePoint) {
  const Case& one = GetParam();
  Body body = started(one), still = body;
  const Vector v = velocities(body.state(), one.flies);
  TreeState resting = body.state();
  set_velocities(resting, Vector::Zero(v.size()));
  still.set_state(resting);
  PointRows rows;
  double fastest = 0.0;
  for (const Point& point : points_of(body)) {
    body.point_rows(point, rows);
    ASSERT_EQ(rows.rows.cols(), static_cast<Index>(rows.columns.size()));
    const Vector3 expected = body.velocity(point) - still.velocity(point);  // what the support gives it
    EXPECT_LE((product(rows, v) - expected).norm(),
              1e-12 * (1.0 + expected.norm() + body.velocity(point).norm()))
        << point.vertex;
    fastest = std::max(fastest, expected.norm());
  }
  if (one.moves) {
    EXPECT_GT(fastest, 0.01);
  }
}

TEST_P(PointRowsOf, AreTheDerivativeOfThePosition) {
  const Case& one = GetParam();
  const Body body = started(one);
  const TreeState state = body.state();
  const Index size = state.q.size() + (one.flies ? 6 : 0);
  Body tried = body;
  PointRows rows;
  for (const Point& point : points_of(body)) {
    body.point_rows(point, rows);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Vector direction = random_vector(size, 1.0, seed);
      const Vector3 expected = product(rows, direction);
      const auto at = [&](double h) {
        tried.set_state(moved(state, direction, h));
        return tried.position(point);
      };
      const auto error = [&](double h) { return ((at(h) - at(-h)) / (2.0 * h) - expected).norm(); };
      const double slope = test::remainder_slope(error, 100.0 * size_of(body), 2e-2);
      EXPECT_GT(slope, 1.9) << "vertex " << point.vertex << ", error " << error(2e-2);
      EXPECT_LT(error(1e-4), 1e-6 * (1.0 + expected.norm()));
    }
  }
}

/// w^T M a, by the kinetic energies of what moves so fast.
double inertia_between(const Body& body, const Vector& w, const Vector& a) {
  Body tried = body;
  TreeState state = body.state();
  const auto energy = [&](const Vector& v) {
    set_velocities(state, v);
    tried.set_state(state);
    return tried.energy().kinetic;
  };
  return energy(w + a) - energy(w) - energy(a) + energy(Vector::Zero(w.size()));
}

TEST_P(PointRowsOf, TurnAForceIntoThatOnTheUnknowns) {
  const Case& one = GetParam();
  if (!one.moves) GTEST_SKIP() << "nothing accelerates";
  const Body body = started(one);
  const Vector v = velocities(body.state(), one.flies);
  PointRows rows;
  for (const Point& point : points_of(body)) {
    body.point_rows(point, rows);
    const Vector3 force(300.0, -500.0, 400.0);
    constexpr double h = 1e-8;  // s: in which hardly anything turns
    const auto after = [&](const Vector3& pull) {
      Body next = body;
      next.set_force(point, pull);
      next.set_state(body.state());
      EXPECT_TRUE(next.step(h).ok());
      return velocities(next.state(), one.flies);
    };
    const Vector acceleration = (after(force) - after(Vector3::Zero())) / h;
    // Of any motion that the body can make.
    Vector w = random_vector(v.size(), 1.0, 7);
    if (one.modes > 0) {
      Body held_by_modes = body;
      TreeState state = body.state();
      set_velocities(state, w);
      held_by_modes.set_state(state);
      w = velocities(held_by_modes.state(), one.flies);
    }
    const double power = product(rows, w).dot(force);
    EXPECT_NEAR(inertia_between(body, w, acceleration), power,
                1e-5 * (force.norm() * product(rows, w).norm() + 1e-3))
        << point.vertex;
  }
}

TEST_P(PointRowsOf, AllocateNothingOnceThereIsRoom) {
  const Body body = started(GetParam());
  for (const Point& point : points_of(body)) {
    PointRows rows;
    body.point_rows(point, rows);
    EXPECT_EQ(test::allocations_of([&] { body.point_rows(point, rows); }), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, PointRowsOf, testing::ValuesIn(all_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(PointRows, OfMeshesAreThoseOfTheVerticesAround) {
  const Body body = make_full_body(embedded_setup());
  PointRows rows;
  body.point_rows(Point(2), rows);
  EXPECT_EQ(rows.columns.size(), 12U);
  body.point_rows(Point(0), rows);
  EXPECT_LT(rows.columns.size(), 12U) << "some are fixed";
  EXPECT_GT(rows.columns.size(), 0U);
  body.point_rows(mesh_point(mesh_setup().fixed.front()), rows);
  EXPECT_TRUE(rows.columns.empty());
  EXPECT_EQ(rows.rows.cols(), 0);
}

TEST(PointRows, OfTreesAreThoseOfAllAncestors) {
  const Body body = bush(true);
  const std::vector<int>& domains = body.vertex_domains();
  PointRows rows;
  for (std::size_t v = 0; v < domains.size(); ++v) {
    body.point_rows(Point(static_cast<int>(v)), rows);
    const Index domain = domains[v];
    const Index own = body.model().rank(domain), stem = body.model().rank(0);
    EXPECT_EQ(static_cast<Index>(rows.columns.size()), 6 + stem + (domain > 0 ? own : 0));
    EXPECT_EQ(rows.columns.back(), body.unknowns() - 1);
    EXPECT_TRUE(std::is_sorted(rows.columns.begin(), rows.columns.end()));
  }
}

TEST(PointRows, OfPointsThatDoNotExistAreRefused) {
  const Body body = bar(Method::reduced);
  PointRows rows;
  EXPECT_PRED2(test::contains, error_text([&] { body.point_rows(Point(-1), rows); }), "vertices 0 to");
  EXPECT_PRED2(test::contains, error_text([&] { body.point_rows(mesh_point(100000), rows); }),
               "vertices 0 to");
}

/// Whoever gathers rows of points makes room for all of their columns.
TEST(PointRows, HaveColumnsOfTheUnknownsWhereFewModesAreInUse) {
  Body body = bar(Method::warped);
  body.set_modal_settings({.modes = 5});
  PointRows rows;
  body.point_rows(test::tip(), rows);
  EXPECT_EQ(rows.columns.back(), body.unknowns() - 1);
  EXPECT_EQ(body.unknowns(), body.q().size());
  EXPECT_EQ(body.freedoms(), 5);
}

}  // namespace
}  // namespace limber::point_rows_test
