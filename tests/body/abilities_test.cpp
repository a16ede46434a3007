#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/body/world.hpp"
#include "limber/precompute/reduce.hpp"
#include "tests/body/bar.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// The table of what bodies can do: every cell, by every method, either does what it says or is refused.

namespace limber::abilities_test {
namespace {

using test::error_text;

const Vector3 bar_size(1.0, 0.2, 0.15);
constexpr double h = 0.005;

VolumeMesh bar_mesh() { return make_beam({ElementKind::tetrahedron, bar_size, {6, 2, 2}}); }
Material rubber(double young = 2e5) { return test::material("stvk", young, 0.3, 1000.0); }

std::vector<int> foot(bool free) {
  return free ? std::vector<int>{} : test::vertices_below(bar_mesh(), 1e-9);
}

std::shared_ptr<const Model> bar_model(bool free) {
  static const std::array models = [] {
    std::array<std::shared_ptr<const Model>, 2> made;
    for (const bool loose : {false, true}) {
      ReduceOptions options;
      options.basis.modes = 8;
      options.basis.rank = 20;
      ReduceReport report;
      const FullModel full(bar_mesh(), {rubber()}, foot(loose));
      ReducedModel reduced = reduce(full, {}, {}, options, report);
      reduced.name = "bar";
      made[loose ? 1 : 0] = std::make_shared<const Model>(make_model(std::move(reduced), loose));
    }
    return made;
  }();
  return models[free ? 1 : 0];
}

std::shared_ptr<const Model> tree_model(bool free) {
  if (!free) return test::beam_tree();
  DecomposedBody body = test::held_body(test::cut_beam());
  body.fixed.clear();
  return test::reduced(make_parts(body, decompose_by_regions(body.mesh)));
}

MeshBodySetup mesh_setup(bool free) {
  MeshBodySetup setup;
  setup.name = "bar";
  setup.mesh = bar_mesh();
  setup.materials = {rubber()};
  setup.fixed = foot(free);
  setup.executor = Executor(1);
  return setup;
}

/// What is said where it is refused; empty where it is not.
std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// A way to move, as a row of the table.
struct Subject {
  Method method;
  bool tree = false;

  [[nodiscard]] Body make(bool free = false) const {
    if (method == Method::full) return make_full_body(mesh_setup(free));
    if (method == Method::online) return make_online_body(mesh_setup(free), {}, 1.0);
    Body body(tree ? tree_model(free) : bar_model(free));
    body.set_method(method);
    return body;
  }
};

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << name_of(subject.method) << (subject.tree ? "_tree" : "");
}

class Abilities : public ::testing::TestWithParam<Subject> {
 protected:
  /// Farthest along x.
  static int tip(const Body& body) {
    Index vertex = 0;
    body.surface().mesh().vertices.row(0).maxCoeff(&vertex);
    return static_cast<int>(vertex);
  }
  static double size(const Body& body) { return body.surface().mesh().vertices.row(0).maxCoeff(); }

  static void advance(Body& body, int steps) {
    ReducedStepOptions options;
    options.newmark.max_iterations = 10;
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(body.step(h, options).ok()) << "step " << i;
      ASSERT_TRUE(std::isfinite(body.energy().elastic));
    }
  }
  /// Whether it says that it can; if not, that the action is refused, with the name of what was asked for.
  static bool able(Ability ability, const std::function<void()>& action) {
    const Method method = GetParam().method;
    if (!can(method, ability)) {
      const std::string refused =
          fmt::format("the method '{}' does not take {};", name_of(method), name_of(ability));
      EXPECT_NE(error_text(action).find(refused), std::string::npos) << error_text(action);
      return false;
    }
    if (!GetParam().tree || can(method, ability, Circumstance::in_domains)) return true;
    const std::string refused = fmt::format("a body of several domains takes no {}", name_of(ability));
    EXPECT_NE(error_text(action).find(refused), std::string::npos) << error_text(action);
    return false;
  }
};

TEST_P(Abilities, Springs) {
  Body body = GetParam().make();
  const int vertex = tip(body);
  const Vector3 start = body.position(vertex), target = start + 0.1 * size(body) * Vector3::UnitZ();
  const double stiffness = body.has_model() ? body.stiffness_at(vertex) : 200.0;
  const Spring spring{vertex, target, stiffness};
  body.set_damping({2.0, 0.01});
  body.set_springs({&spring, 1});
  advance(body, 100);
  EXPECT_LT((body.position(vertex) - target).norm(), 0.9 * (start - target).norm());
  EXPECT_GT(body.spring_force(0).z(), 0.0);
}

TEST_P(Abilities, Handles) {
  Body body = GetParam().make();
  Handle handle{tip(body), true, false, body.position(tip(body))};
  body.set_damping({2.0, 0.01});
  for (int i = 0; i < 60; ++i) {
    handle.position.z() += 0.002 * size(body);
    body.set_handles({&handle, 1});
    advance(body, 1);
    EXPECT_TRUE(body.handle_report().met) << body.handle_report().position_error;
  }
  EXPECT_LT((body.position(tip(body)) - handle.position).norm(), 2e-3 * size(body));
  body.set_handles({});
  advance(body, 60);
  EXPECT_GT((body.position(tip(body)) - handle.position).norm(), 0.02 * size(body));
}

TEST_P(Abilities, Orientations) {
  Body body = GetParam().make();
  const Handle handle{tip(body), false, true, {}, test::turn(0.3, Vector3::UnitX())};
  if (!able(Ability::orientations, [&] { body.set_handles({&handle, 1}); })) return;
  body.set_handles({&handle, 1});
  advance(body, 5);
  EXPECT_LT(test::angle_between(body.orientation(tip(body)), handle.rotation), 1e-4);
}

/// What flies has no modes that turn: a frame, or a motion of the whole, does.
TEST_P(Abilities, OrientationsAreThoseOfHeldBodies) {
  Body body = GetParam().make(true);
  const Handle handle{tip(body), false, true, {}, test::turn(0.3, Vector3::UnitX())};
  if (!able(Ability::orientations, [&] { body.set_handles({&handle, 1}); })) return;
  EXPECT_NE(error_text([&] { body.set_handles({&handle, 1}); }).find("orientations"), std::string::npos);
  Body windy = GetParam().make();
  windy.set_handles({&handle, 1});
  const bool refused = !refusal_of([&] { windy.set_wind({.velocity = Vector3(0.0, 20.0, 0.0)}); }).empty();
  EXPECT_EQ(refused, GetParam().method == Method::linear);
}

TEST_P(Abilities, Support) {
  Body body = GetParam().make();
  const Vector3 way = 0.3 * size(body) * Vector3::UnitY();
  const PoseFunction motion = [&](double t) {
    const double s = std::clamp(t / 0.2, 0.0, 1.0);
    return Pose{s * s * (3.0 - 2.0 * s) * way, Eigen::Quaterniond::Identity()};
  };
  body.set_damping({4.0, 0.02});
  body.set_support(motion);
  const Vector3 start = body.position(tip(body));
  advance(body, 20);
  EXPECT_GT(body.energy().elastic, 0.0);  // it lags behind
  advance(body, 1500);
  EXPECT_LT((body.position(tip(body)) - start - way).norm(), 0.02 * size(body));
}

TEST_P(Abilities, Flight) {
  Body body = GetParam().make(true);
  const Vector3 velocity(0.4, 0.0, 1.0), spin(0.0, 2.0, 0.5);
  body.set_velocity(velocity, spin);
  const TreeMomentum start = body.momentum();
  EXPECT_LT((start.linear / start.mass - velocity).norm(), 1e-9);
  advance(body, 40);
  const TreeMomentum end = body.momentum();
  // What is learned on the way is as exact as was asked for.
  const bool learns = GetParam().method == Method::online;
  EXPECT_LT((end.linear - start.linear).norm(), (learns ? 1e-2 : 1e-9) * start.linear.norm());
  EXPECT_LT((end.angular - start.angular).norm(), (learns ? 1e-2 : 1e-6) * start.angular.norm());
  EXPECT_LT((end.center - start.center - 40 * h * velocity).norm(), learns ? 1e-3 : 1e-6);
}

TEST_P(Abilities, Statics) {
  Body body = GetParam().make();
  body.set_gravity(Vector3(0.0, 0.0, -1.0));
  ASSERT_TRUE(body.solve_static().ok());
  const double deflection = body.position(tip(body)).z();
  Body swinging = GetParam().make();
  swinging.set_gravity(Vector3(0.0, 0.0, -1.0));
  const double frequency = swinging.has_model() ? swinging.frequencies()(0) : 1.0;
  swinging.set_damping({8.0 * frequency, 0.0});
  advance(swinging, static_cast<int>(4.0 / (frequency * h)));
  const double rest = swinging.surface().mesh().vertices(2, tip(body));
  EXPECT_LT(deflection, rest);
  // What is learned on the way is as exact as was asked for.
  const double share = GetParam().method == Method::online ? 0.03 : 1e-3;
  EXPECT_NEAR(deflection - rest, swinging.position(tip(body)).z() - rest, share * (rest - deflection));
}

TEST_P(Abilities, Materials) {
  Body body = GetParam().make();
  body.set_gravity(Vector3(0.0, 0.0, -1.0));
  ASSERT_TRUE(body.solve_static().ok());
  const double soft = body.energy().elastic;
  Material stiff = body.material(0);
  stiff.law = rubber(1e7).law;
  const Index parts = body.has_model() ? static_cast<Index>(body.model().parts.size()) : 1;
  for (Index part = 0; part < parts; ++part) body.set_material(0, stiff, part);
  ASSERT_TRUE(body.solve_static().ok());
  EXPECT_LT(body.energy().elastic, 0.5 * soft);
}

TEST_P(Abilities, SurfaceLoads) {
  Body body = GetParam().make();
  const SurfaceMesh& skin = body.surface().mesh();
  SurfaceLoad push{.pressure = 5.0};
  for (int t = 0; t < skin.triangle_count(); ++t) {
    const Matrix3 x = skin.vertices(Eigen::all, skin.triangles.col(t));
    if (x.row(2).minCoeff() > skin.vertices.row(2).maxCoeff() - 1e-6) push.triangles.push_back(t);
  }
  ASSERT_FALSE(push.triangles.empty());
  body.set_surface_loads({push});
  const double start = body.position(tip(body)).z();
  advance(body, 10);
  EXPECT_LT(body.position(tip(body)).z(), start);
}

TEST_P(Abilities, SeveralDomains) {
  if (uses_mesh(GetParam().method)) {  // there is no model to give it
    EXPECT_FALSE(can(GetParam().method, Ability::several_domains));
    return;
  }
  Body body(test::beam_tree());
  if (!able(Ability::several_domains, [&] { body.set_method(GetParam().method); })) return;
  body.set_method(GetParam().method);
  advance(body, 3);
}

/// It falls onto ground and does not sink in.
TEST_P(Abilities, Contact) {
  World world;
  world.add(GetParam().make(true));
  if (!able(Ability::contact, [&] { world.set_contact(0, {}); })) return;
  Body& body = world.body(0);
  world.set_contact(0, {});
  const double lowest = body.surface().mesh().vertices.row(2).minCoeff(), gap = 0.01 * size(body);
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}, .pose = {Vector3(0.0, 0.0, lowest - gap)}});
  body.set_gravity(Vector3(0.0, 0.0, -9.81));
  bool touched = false;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(world.step(h).ok()) << i;
    touched = touched || world.contact_report().active > 0;
  }
  EXPECT_TRUE(touched);
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  body.positions(x);
  EXPECT_GT(x.row(2).minCoeff(), lowest - 2.0 * gap);
}

TEST_P(Abilities, SelfContact) {
  World world;
  world.add(GetParam().make(true));
  if (can(GetParam().method, Ability::contact)) world.set_contact(0, {});
  if (!able(Ability::self_contact, [&] { world.set_self_contact(0, true); })) return;
  world.set_self_contact(0, true);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world.step(h).ok());
}

/// What a body cannot have while it may touch others is refused, before and after it may.
TEST_P(Abilities, OfBodiesThatTouch) {
  const Method method = GetParam().method;
  if (!can(method, Ability::contact)) return;
  const std::pair<Ability, std::function<void(Body&)>> asked[] = {
      {Ability::springs,
       [](Body& body) {
         body.set_springs(std::vector<Spring>{{tip(body), body.position(tip(body)), 10.0}});
       }},
      {Ability::handles,
       [](Body& body) {
         body.set_handles(std::vector<Handle>{{tip(body), true, false, body.position(tip(body))}});
       }},
      {Ability::wind, [](Body& body) { body.set_wind({.velocity = Vector3(0.0, 5.0, 0.0)}); }},
      {Ability::supports, [](Body& body) { body.set_support([](double) { return Pose{}; }); }},
  };
  for (const auto& [ability, ask] : asked) {
    const bool able = can(method, ability, Circumstance::touching);
    for (const bool before : {false, true}) {
      Body body = GetParam().make();
      const std::string refusal = refusal_of([&, &act = ask] {
        if (before) act(body);
        body.set_coupled(true);
        if (!before) act(body);
      });
      EXPECT_EQ(refusal.empty(), able) << name_of(ability) << ": " << refusal;
      const std::string refused = fmt::format("that may touch others takes no {}", name_of(ability));
      EXPECT_EQ(refusal.find(refused) != std::string::npos, !able) << refusal;
    }
  }
}

TEST_P(Abilities, CentralDifferences) {
  Body body = GetParam().make();
  ReducedStepOptions options;
  options.integrator = Integrator::central_differences;
  const auto step = [&] { (void)body.step(1e-6, options); };
  if (!able(Ability::central_differences, step)) return;
  EXPECT_TRUE(body.step(1e-6, options).ok());
  if (!body.has_model()) return;
  body.set_wind({.velocity = Vector3(0.0, 5.0, 0.0)});
  EXPECT_NE(error_text(step).find(
                "in the wind or that touches takes no central differences; choose the integrator 'newmark'"),
            std::string::npos);
}

/// Of bodies of meshes it is a setting of theirs.
TEST_P(Abilities, ConjugateGradients) {
  const Method method = GetParam().method;
  if (uses_mesh(method)) {
    EXPECT_TRUE(can(method, Ability::conjugate_gradients));
    MeshBodySetup setup = mesh_setup(false);
    setup.solver = SparseSolverKind::conjugate_gradient;
    Body body = method == Method::full ? make_full_body(std::move(setup))
                                       : make_online_body(std::move(setup), {}, 1.0);
    advance(body, 2);
    return;
  }
  Body body = GetParam().make();
  ReducedStepOptions options;
  options.solver = ReducedSolver::conjugate_gradient;
  if (!able(Ability::conjugate_gradients, [&] { (void)body.step(h, options); })) return;
  EXPECT_TRUE(body.step(h, options).ok());
}

TEST_P(Abilities, QuasistaticBodiesHaveNoVelocities) {
  const Method method = GetParam().method;
  EXPECT_EQ(can(method, Ability::quasistatics), uses_mesh(method));
  if (!uses_mesh(method)) return;
  MeshBodySetup setup = mesh_setup(false);
  setup.quasistatic = true;
  Body body =
      method == Method::full ? make_full_body(std::move(setup)) : make_online_body(std::move(setup), {}, 1.0);
  const std::string refusals[] = {error_text([&] {
                                    body.set_springs(std::vector<Spring>{{tip(body), Vector3::Zero(), 10.0}});
                                  }),
                                  error_text([&] { body.set_wind({.velocity = Vector3(0.0, 5.0, 0.0)}); }),
                                  error_text([&] { body.set_support([](double) { return Pose{}; }); }),
                                  error_text([&] { body.set_velocity(Vector3::UnitX(), Vector3::Zero()); })};
  for (const std::string& refusal : refusals)
    EXPECT_NE(refusal.find("a quasistatic body takes no "), std::string::npos) << refusal;
  body.set_gravity(Vector3(0.0, 0.0, -1.0));
  EXPECT_TRUE(body.step(h).ok());
}

TEST_P(Abilities, Rank) {
  Body body = GetParam().make();
  if (!able(Ability::rank, [&] { body.set_rank(3); })) return;
  body.set_rank(5);
  EXPECT_EQ(body.rank(), 5);
  advance(body, 3);
}

TEST_P(Abilities, Wind) {
  Body body = GetParam().make();
  const Wind wind{.velocity = Vector3(0.0, 20.0, 0.0)};
  body.set_damping({2.0, 0.01});
  body.set_wind(wind);
  const Vector3 start = body.position(tip(body));
  advance(body, 100);
  EXPECT_GT(body.position(tip(body)).y(), start.y());
}

/// An impulse has its size wherever the steps lie: the momentum it gives a free body.
TEST_P(Abilities, LoadsForATime) {
  Body body = GetParam().make();
  TimedLoads loads;
  loads.forces.push_back({{tip(body)}, Vector3(0.0, 0.0, 2.0), 0.003, 0.013});
  loads.accelerations.push_back({Vector3(0.0, 1.0, 0.0), 0.0, 0.01});
  body.set_timed_loads(loads);
  advance(body, 6);
  const Vector3 moved = body.position(tip(body)) - body.surface().mesh().vertices.col(tip(body));
  EXPECT_GT(moved.z(), 0.0);
  EXPECT_GT(moved.y(), 0.0);
  EXPECT_NE(error_text([&] {
              body.set_timed_loads({{{{tip(body)}, Vector3::UnitX(), 1.0, 1.0}}, {}});
            }).find("ends"),
            std::string::npos);
}

TEST_P(Abilities, MeshPoints) {
  Body body = GetParam().make();
  ASSERT_GT(body.mesh_vertex_count(), 0);
  const int last = static_cast<int>(body.mesh_vertex_count()) - 1;
  body.set_force(mesh_point(last), Vector3(0.0, 0.0, 0.1));
  advance(body, 4);
  const Matrix3X u = body.mesh_displacement();
  ASSERT_EQ(u.cols(), last + 1);
  EXPECT_GT(u.norm(), 0.0);
  Body rest = GetParam().make();
  EXPECT_LT((body.position(mesh_point(last)) - rest.position(mesh_point(last)) - u.col(last)).norm(), 1e-9);
  EXPECT_NE(error_text([&] { (void)body.position(mesh_point(last + 1)); }).find("mesh"), std::string::npos);
}

TEST_P(Abilities, SavedStatesAndCopiesGoOnWithTheSameBits) {
  Body body = GetParam().make();
  body.set_gravity(Vector3(0.0, 0.3, -1.0));
  TimedLoads loads;
  loads.forces.push_back({{tip(body)}, Vector3(0.0, 0.0, 2.0), 0.013, 0.062});
  body.set_timed_loads(loads);
  advance(body, 5);
  Body copy = body;
  StateWriter out;
  body.save(out);
  advance(body, 10);
  advance(copy, 10);
  EXPECT_EQ(copy.q(), body.q());
  EXPECT_EQ(copy.time(), body.time());
  Body other = GetParam().make();
  other.set_gravity(Vector3(0.0, 0.3, -1.0));
  other.set_timed_loads(loads);
  StateReader in(out.bytes(), "state");
  other.restore(in);
  advance(other, 10);
  EXPECT_EQ(other.q(), body.q());
  EXPECT_EQ(other.time(), body.time());
}

INSTANTIATE_TEST_SUITE_P(Of, Abilities,
                         ::testing::Values(Subject{Method::full}, Subject{Method::online},
                                           Subject{Method::reduced}, Subject{Method::linear},
                                           Subject{Method::warped}, Subject{Method::reduced, true},
                                           Subject{Method::linear, true}),
                         [](const auto& subject) { return ::testing::PrintToString(subject.param); });

/// Cells of a line of a table, without the outer bars.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    cells.emplace_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

/// docs/embedding.md, from its heading to the end of the table.
std::vector<std::vector<std::string>> documented_table() {
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "../../docs/embedding.md");
  std::string line;
  while (std::getline(file, line) && line != "## What each method can do") {
  }
  std::vector<std::vector<std::string>> rows;
  while (std::getline(file, line)) {
    if (line.starts_with('|')) rows.push_back(cells_of(line));
    if (!rows.empty() && !line.starts_with('|')) break;
  }
  return rows;
}

TEST(AbilitiesInTheDocuments, AreThoseOfTheTable) {
  const std::vector<std::vector<std::string>> rows = documented_table();
  ASSERT_EQ(rows.size(), all_abilities.size() + 2) << "a head, a line below it, and a row for each ability";
  std::vector<std::string> head{""};
  for (const Method method : all_methods) head.emplace_back(name_of(method));
  head.emplace_back("tree of domains");
  EXPECT_EQ(rows[0], head);
  for (std::size_t i = 0; i < all_abilities.size(); ++i) {
    const Ability ability = all_abilities[i];
    const std::vector<std::string>& row = rows[i + 2];
    ASSERT_EQ(row.size(), head.size()) << name_of(ability);
    EXPECT_EQ(row[0], name_of(ability));
    std::vector<bool> able;
    for (const Method method : all_methods) able.push_back(can(method, ability));
    able.push_back(can(Method::reduced, ability, Circumstance::in_domains));
    for (std::size_t k = 0; k < able.size(); ++k) {
      EXPECT_EQ(row[k + 1].substr(0, row[k + 1].find(' ')), able[k] ? "yes" : "-")
          << name_of(ability) << ", " << head[k + 1];
    }
  }
}

/// Trees of linear domains can do the same as those of reduced ones.
TEST(AbilitiesInTheDocuments, AreThoseOfEveryTree) {
  for (const Ability ability : all_abilities)
    EXPECT_EQ(can(Method::linear, ability, Circumstance::in_domains),
              can(Method::reduced, ability, Circumstance::in_domains))
        << name_of(ability);
}

}  // namespace
}  // namespace limber::abilities_test
