#include "limber/body/body.hpp"

#include "limber/linalg/cholesky.hpp"
#include "tests/reduced/allocations.hpp"
#include "tests/reduced/points.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numbers>
#include <utility>

namespace limber::body_test {
namespace {

using test::error_text;
using test::iterate;
using test::random_vector;

/// Equal to the last bit, time included.
bool same_state(const TreeState& a, const TreeState& b) {
  return a.time == b.time && a.q == b.q && a.v == b.v && a.a == b.a;
}
bool same_state(const TreeState& a, const DynamicState& b) {
  return a.time == b.time && a.q == b.u && a.v == b.v && a.a == b.a;
}

constexpr int fixed_vertex = 0, free_vertex = 7;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two regions of neo-Hookean points instead of a polynomial.
ReducedModel model_of_points(Index rank = 4) {
  ReducedModel model = test::small_model(rank);
  model.simulation.reset();
  model.cubature = test::random_rule(rank, 40, 5);
  for (std::size_t p = 0; p < 40; ++p) model.cubature->region[p] = p % 2;
  for (ReducedRegion& region : model.regions) {
    region.material.law = make_law("neo-hookean", lame_of(region.material.law));
    region.lambda_energy.resize(0);
    region.mu_energy.resize(0);
  }
  return model;
}

/// Three coordinates that move the whole surface along the axes, against forces in proportion.
ReducedModel model_on_springs(const Matrix& K = Matrix::Identity(3, 3)) {
  ReducedModel model = test::small_model(3);
  model.simulation.reset();
  model.surface.basis = Eigen::Matrix3f::Identity().replicate(model.surface.mesh.vertex_count(), 1);
  for (ReducedRegion& region : model.regions) {
    region.lambda_energy = test::spring_energy(K);
    region.mu_energy = test::spring_energy(K);
  }
  return model;
}

std::vector<ReducedModel> both_models() { return {test::small_model(), model_of_points()}; }

Eigen::Matrix3Xd rows_at(const ReducedModel& model, int vertex) {
  return model.surface.basis.middleRows<3>(3 * Index{vertex}).cast<double>();
}

/// U_v K(0)^-1 U_v^T.
Matrix3 compliance_at(const ReducedModel& model, int vertex) {
  const Matrix K = test::evaluate(make_equations(model), Vector::Zero(model.rank)).stiffness;
  const Eigen::Matrix3Xd B = rows_at(model, vertex);
  return B * Cholesky(K).solve(B.transpose());
}

Material stiffer(Material material, double factor) {
  const LameParameters lame = lame_of(material.law);
  material.law = make_law(name_of(material.law), {factor * lame.lambda, factor * lame.mu});
  return material;
}

void stiffen(Body& body, double factor) {
  for (Index i = 0; i < 2; ++i) body.set_material(i, stiffer(body.material(i), factor));
}

void run(Body& body, int steps, double h = 0.02, const ReducedStepOptions& options = {}) {
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(body.step(h, options).ok()) << "step " << i;
}

TEST(Body, StepsAsItsEquationsDo) {
  for (const ReducedModel& model : both_models()) {
    const ReducedEquations equations = make_equations(model);
    ReducedWorkspace work{ReducedSystem(equations, {0.2, 0.01})};
    DynamicState expected = make_reduced_state(4);
    note_change(expected);
    const Vector load = equations.weight * Vector3(0.0, 0.0, -9.81);
    Body body(make_model(model, false));
    body.set_damping({0.2, 0.01});
    body.set_gravity(Vector3(0.0, 0.0, -9.81));
    ASSERT_TRUE(balance(work, load, expected).ok());  // as the first step of a body does
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(step(work, 0.02, load, expected).ok());
      ASSERT_TRUE(body.step(0.02).ok());
    }
    EXPECT_GT(expected.u.norm(), 1e-6);
    EXPECT_TRUE(same_state(body.state(), expected));
  }
}

TEST(Body, TakesOtherMaterialsWhileItMoves) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    body.set_gravity(Vector3(0.0, 1.0, 0.0));
    run(body, 5);
    const TreeState before = body.state();
    Material heavy = stiffer(body.material(1), 3.0);
    heavy.density *= 2.0;
    body.set_material(1, heavy);
    EXPECT_TRUE(body.material(1) == heavy);
    const TreeState kept = body.state();
    EXPECT_TRUE(same_state(kept, before));
    DynamicState expected{kept.time, kept.q, kept.v, kept.a, kept.slack, kept.caution, true};

    std::vector<Material> materials = model.materials();
    materials[1] = heavy;
    const ReducedEquations equations = make_equations(model, materials, 4);
    ReducedWorkspace work{ReducedSystem(equations)};
    ASSERT_TRUE(step(work, 0.02, equations.weight * Vector3(0.0, 1.0, 0.0), expected).ok());
    run(body, 1);
    EXPECT_TRUE(same_state(body.state(), expected));
  }
}

TEST(Body, VibratesFasterByTheSquareRootOfItsStiffness) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    const Vector before = body.frequencies();
    EXPECT_LT((before - natural_frequencies(make_equations(model))).norm(), 1e-12 * before.norm());
    stiffen(body, 2.0);
    EXPECT_LT((body.frequencies() - std::numbers::sqrt2 * before).norm(), 1e-12 * before.norm());
  }
}

TEST(Body, KeepsTheFirstCoordinatesWhereItsRankChanges) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    const Vector q = random_vector(4, 0.1, 1), v = random_vector(4, 0.1, 2);
    body.set_state(q, v);
    body.set_rank(2);
    EXPECT_EQ(body.rank(), 2);
    EXPECT_EQ(body.frequencies().size(), 2);
    EXPECT_EQ(body.state().q, q.head(2));
    EXPECT_EQ(body.state().v, v.head(2));
    run(body, 3);
    const Vector reached = body.state().q;
    body.set_rank(4);
    EXPECT_EQ(body.state().q.head(2), reached);
    EXPECT_EQ(body.state().q.tail(2), Vector::Zero(2));
    EXPECT_EQ(body.state().v.tail(2), Vector::Zero(2));
    run(body, 3);
  }
}

TEST(Body, IsLinearWhereItIsAskedToBe) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    const Vector q = random_vector(4, 0.3, 1), frequencies = body.frequencies();
    const Matrix K = test::evaluate(make_equations(model), Vector::Zero(4)).stiffness;
    body.set_state(q, Vector::Zero(4));
    const double bent = body.energy().elastic;
    body.set_method(Method::linear);
    EXPECT_NEAR(body.energy().elastic, 0.5 * q.dot(K * q), 1e-13 * bent);
    EXPECT_LT((body.frequencies() - frequencies).norm(), 1e-12 * frequencies.norm());
    stiffen(body, 2.0);
    EXPECT_NEAR(body.energy().elastic, q.dot(K * q), 1e-13 * bent);
    stiffen(body, 0.5);
    body.set_method(Method::reduced);
    EXPECT_NEAR(body.energy().elastic, bent, 1e-13 * bent);
  }
}

TEST(Body, FeelsForcesOnItsVertices) {
  const ReducedModel model = test::small_model();
  const Vector zero = Vector::Zero(4);
  const Vector3 first(1.0, 2.0, 3.0), second(-1.0, 0.5, 0.0);
  const auto accelerations = [&](Body& body) {  // the mass is the identity
    body.set_state(zero, zero);
    return body.state().a;
  };
  const Vector of_first = rows_at(model, free_vertex).transpose() * first,
               of_second = rows_at(model, free_vertex + 1).transpose() * second;
  Body body(make_model(model, false));
  body.set_force(free_vertex, second);
  body.set_force(free_vertex, first);
  body.set_force(free_vertex + 1, second);
  EXPECT_LT((accelerations(body) - of_first - of_second).norm(), 1e-13);
  body.set_force(free_vertex, Vector3::Zero());
  EXPECT_LT((accelerations(body) - of_second).norm(), 1e-13);
  body.set_rank(3);
  body.set_rank(4);
  EXPECT_LT((accelerations(body) - of_second).norm(), 1e-13);
  body.set_forces({});
  EXPECT_EQ(accelerations(body), zero);
}

TEST(Body, ResistsAPullByTheInverseOfItsMeanCompliance) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    const double expected = 3.0 / compliance_at(model, free_vertex).trace();
    EXPECT_NEAR(body.stiffness_at(free_vertex), expected, 1e-10 * expected);
    stiffen(body, 2.0);
    EXPECT_NEAR(body.stiffness_at(free_vertex), 2.0 * expected, 1e-10 * expected);
    EXPECT_EQ(body.stiffness_at(fixed_vertex), infinity);
  }
}

TEST(Body, ResistsAPullAsStiffAtAnyRank) {
  const ReducedModel model = both_models().front();
  Body body(make_model(model, false));
  const double expected = body.stiffness_at(free_vertex);
  stiffen(body, 2.0);
  for (const Index rank : {Index{1}, Index{2}, Index{1}}) {
    body.set_rank(rank);
    EXPECT_NEAR(body.stiffness_at(free_vertex), 2.0 * expected, 1e-10 * expected) << rank;
  }
}

TEST(Body, ResistsAPullAsStiffAsItsDomainWasMade) {
  Body body(make_model(model_on_springs(Vector3(4.0, 2.0, 1.0).asDiagonal()), true));
  for (const Index rank : {Index{3}, Index{1}}) {
    body.set_rank(rank);
    body.set_stiffness(0, 1.0);
    const double before = body.stiffness_at(3);
    body.set_stiffness(0, 4.0);
    EXPECT_NEAR(body.stiffness_at(3), 4.0 * before, 1e-10 * before) << rank;
  }
}

TEST(Body, ThatNothingHoldsResistsByItsDeformationAlone) {
  const Matrix K = Vector3(4.0, 0.0, 0.0).asDiagonal();
  const Body body(make_model(model_on_springs(K), false));
  const Body held(make_model(model_on_springs(4.0 * Matrix::Identity(3, 3)), false));
  EXPECT_NEAR(body.stiffness_at(3), 3.0 * held.stiffness_at(3), 1e-12 * held.stiffness_at(3));
  EXPECT_EQ(Body(make_model(model_on_springs(Matrix::Zero(3, 3)), false)).stiffness_at(3), 0.0);
}

TEST(Body, ComesHalfWayToAPullAsStiffAsItself) {
  Body body(make_model(model_on_springs(), false));
  const Vector3 rest = body.position(free_vertex), target = rest + Vector3(0.3, -0.2, 0.1);
  const double k = body.stiffness_at(free_vertex);
  body.set_springs(std::vector<Spring>{{free_vertex, target, k}});
  body.set_damping({8.0, 0.0});
  run(body, 1000, 0.05);
  EXPECT_LT((body.position(free_vertex) - 0.5 * (rest + target)).norm(), 1e-10);
  EXPECT_LT((body.spring_force(0) - 0.5 * k * (target - rest)).norm(), 1e-9 * k);
}

TEST(Body, SettlesWhereItsComplianceBalancesThePull) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    body.set_method(Method::linear);
    const Vector3 rest = body.position(free_vertex), way(0.05, -0.02, 0.03);
    const double k = body.stiffness_at(free_vertex);
    body.set_springs(std::vector<Spring>{{free_vertex, rest + way, k}});
    body.set_damping({4.0, 0.0});
    run(body, 3000, 0.05);
    const Matrix3 kC = k * compliance_at(model, free_vertex);
    const Vector3 expected = (Matrix3::Identity() + kC).inverse() * kC * way;
    EXPECT_LT((body.position(free_vertex) - rest - expected).norm(), 1e-8 * way.norm());
  }
}

TEST(Body, IsPulledOnAfterItsMaterialsRankAndDampingChange) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    const Vector3 target = body.position(free_vertex) + Vector3(0.02, 0.01, -0.02);
    body.set_springs(std::vector<Spring>{{free_vertex, target, 1e9 * body.stiffness_at(free_vertex)}});
    stiffen(body, 2.0);
    body.set_rank(3);
    body.set_damping({1.0, 0.01});
    run(body, 5);
    EXPECT_LT((body.position(free_vertex) - target).norm(), 1e-5);
    body.set_springs({});
    body.reset();
    run(body, 1);
    EXPECT_EQ(body.state().q, Vector::Zero(3));
    EXPECT_NE(error_text([&] { (void)body.spring_force(0); }), "");
  }
}

TEST(Body, HasTheEnergyOfItsStateWithoutThatOfPulls) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    body.set_material(0, {body.material(0).law, 3000.0});
    body.set_springs(std::vector<Spring>{{free_vertex, Vector3(1.0, 1.0, 1.0), 1e6}});
    const Vector q = random_vector(4, 0.1, 1), v = random_vector(4, 0.1, 2);
    body.set_state(q, v);
    std::vector<Material> materials = model.materials();
    materials[0].density = 3000.0;
    const ReducedEquations equations = make_equations(model, materials, 4);
    EXPECT_NEAR(body.energy().elastic, test::evaluate(equations, q).energy, 1e-13 * body.energy().elastic);
    EXPECT_NEAR(body.energy().kinetic, 0.5 * v.dot(equations.mass * v), 1e-14 * body.energy().kinetic);
  }
}

TEST(Body, ConservesItsEnergyWithoutDamping) {
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false));
    body.set_state(random_vector(4, 0.1, 1), Vector::Zero(4));
    const double start = body.energy().elastic;
    run(body, 200, 0.02, iterate());
    const auto [elastic, kinetic] = body.energy();
    EXPECT_NEAR(elastic + kinetic, start, 0.01 * start);
  }
}

TEST(Body, BalancesTheForcesWhereItsStateIsSet) {
  const ReducedModel model = model_of_points();
  const ReducedEquations equations = make_equations(model);
  Body body(make_model(model, false));
  body.set_damping({0.3, 0.0});
  const Vector q = random_vector(4, 0.1, 1), v = random_vector(4, 0.1, 2);
  body.set_springs(std::vector<Spring>{{free_vertex, Vector3(1.0, 1.0, 1.0), 2.0}});
  run(body, 2, 0.25);
  body.set_state(q, v);
  const Vector pulled = rows_at(model, free_vertex).transpose() * body.spring_force(0);
  const Vector expected = pulled - test::evaluate(equations, q).force - 0.3 * v;
  EXPECT_LT((body.state().a - expected).norm(), 1e-13 * expected.norm());
  EXPECT_EQ(body.state().time, 0.5);
}

TEST(Body, GoesBackToItsStartOnReset) {
  Body body(make_model(test::small_model(), false));
  body.set_gravity(Vector3(0.0, 0.0, -9.81));
  run(body, 10);
  const TreeState first = body.state();
  body.reset();
  EXPECT_TRUE(same_state(body.state(), make_reduced_state(4)));
  run(body, 10);
  EXPECT_TRUE(same_state(body.state(), first));
}

TEST(Body, MovesItsSurfaceWithItsCoordinates) {
  const ReducedModel model = test::small_model();
  Body body(make_model(model, false));
  const Index n = model.surface.mesh.vertex_count();
  Eigen::Matrix3Xf x(3, n);
  body.positions(x);
  EXPECT_EQ(x, model.surface.mesh.vertices.cast<float>());
  for (const Index rank : {Index{4}, Index{2}}) {
    body.set_rank(rank);
    const Vector q = random_vector(rank, 0.5, 1);
    body.set_state(q, Vector::Zero(rank));
    body.positions(x);
    for (int v = 0; v < n; ++v) {
      const Vector3 expected = model.surface.mesh.vertices.col(v) + rows_at(model, v).leftCols(rank) * q;
      EXPECT_LT((body.position(v) - expected).norm(), 1e-14);
      EXPECT_LT((x.col(v).cast<double>() - expected).norm(), 1e-6);
    }
  }
}

TEST(Body, IsPickedWhereItIsNow) {
  Body body(make_model(model_on_springs(), false));
  const Vector3 corner = body.position(free_vertex), shift(0.0, 30.0, 0.0);
  const Vector3 outwards = corner - body.surface().mesh().vertices.rowwise().mean();
  const Vector3 origin = corner + outwards;
  ASSERT_TRUE(body.pick(origin, -outwards).has_value());
  body.set_state(shift, Vector::Zero(3));
  EXPECT_FALSE(body.pick(origin, -outwards).has_value());  // it lies behind the origin
  const std::optional<Pick> pick = body.pick(origin + shift, -outwards);
  ASSERT_TRUE(pick && pick->hit);
  EXPECT_EQ(pick->vertex, free_vertex);
  EXPECT_NEAR(pick->distance, 1.0, 1e-6);
}

TEST(Body, ShowsVibrationsThatMoveOneVertexByOneMetre) {
  for (const ReducedModel& model : both_models()) {
    const Body body(make_model(model, false));
    const Matrix shapes = natural_modes(make_equations(model)).shapes;
    for (Index i = 0; i < 4; ++i) {
      const Vector q = body.mode_shape(i);
      const Vector u = model.surface.basis.cast<double>() * q;
      EXPECT_NEAR(u.reshaped(3, u.size() / 3).colwise().norm().maxCoeff(), 1.0, 1e-12);
      EXPECT_NEAR(q.normalized().dot(shapes.col(i).normalized()), 1.0, 1e-12);
    }
  }
}

TEST(Body, StaysAsItWasWhereACallIsRefused) {
  const double nan = std::nan("");
  for (const ReducedModel& model : both_models()) {
    Body body(make_model(model, false)), twin = body;
    for (Body* one : {&body, &twin}) {
      one->set_gravity(Vector3(0.0, 0.0, -1.0));
      one->set_force(free_vertex, Vector3::UnitX());
      one->set_springs(std::vector<Spring>{{free_vertex, Vector3::Ones(), 1.0}});
      run(*one, 3);
    }
    const int n = static_cast<int>(model.surface.mesh.vertex_count());
    Material broken = body.material(0);
    broken.density = -1.0;
    Eigen::Matrix3Xf small(3, 2);
    const std::vector<std::pair<std::function<void()>, std::string>> refusals{
        {[&] { body.set_material(2, body.material(0)); }, "region 2 of a body with regions 0 to 1"},
        {[&] { body.set_material(0, broken); }, "density"},
        {[&] { (void)body.material(-1); }, "region -1"},
        {[&] {
           body.set_damping({nan, 0.0});
         },
         "damping nan"},
        {[&] { body.set_rank(0); }, "expected 1 to 4"},
        {[&] { body.set_rank(5); }, "expected 1 to 4"},
        {[&] { body.set_gravity(Vector3(nan, 0.0, 0.0)); }, "gravity"},
        {[&] { body.set_force(n, Vector3::Ones()); }, fmt::format("vertex {} of a surface", n)},
        {[&] { body.set_force(-1, Vector3::Ones()); }, "vertex -1 of a surface"},
        {[&] { body.set_force(0, Vector3(0.0, infinity, 0.0)); }, "the force on vertex 0"},
        {[&] {
           body.set_springs(std::vector<Spring>{{n, Vector3::Ones(), 1.0}});
         },
         "of a surface"},
        {[&] {
           body.set_springs(std::vector<Spring>{{0, Vector3(0.0, 0.0, nan), 1.0}});
         },
         "spring 0 pulls towards"},
        {[&] {
           body.set_springs(std::vector<Spring>{{0, Vector3::Ones(), -1.0}});
         },
         "the stiffness of spring 0"},
        {[&] { (void)body.spring_force(1); }, "spring 1 of a body with 1 springs"},
        {[&] { (void)body.stiffness_at(n); }, "of a surface"},
        {[&] { (void)body.step(0.0); }, "the time step is 0"},
        {[&] { body.set_state(Vector::Zero(3), Vector::Zero(4)); }, "expected 4 of each"},
        {[&] { body.set_state(Vector::Zero(4), Vector::Constant(4, nan)); }, "not finite"},
        {[&] { body.set_state(Vector::Constant(4, 1e200), Vector::Zero(4)); }, "not finite"},
        {[&] { (void)body.position(n); }, "of a surface"},
        {[&] { body.positions(small); }, "2"},
        {[&] { (void)body.pick(Vector3::Zero(), Vector3::Zero()); }, "the ray points along"},
        {[&] { (void)body.pick(Vector3(nan, 0.0, 0.0), Vector3::UnitX()); }, "the ray starts at"},
        {[&] { (void)body.mode_shape(4); }, "vibration 4"},
    };
    for (const auto& [call, text] : refusals) {
      EXPECT_NE(error_text(call).find(text), std::string::npos) << text << ": " << error_text(call);
    }
    EXPECT_EQ(body.rank(), 4);
    run(body, 3);
    run(twin, 3);
    EXPECT_TRUE(same_state(body.state(), twin.state()));
  }
}

TEST(Body, RefusesAModelWhosePartsDoNotFit) {
  ReducedModel model = test::small_model();
  model.surface.basis.conservativeResize(Eigen::NoChange, 3);
  EXPECT_NE(error_text([&] { Body(make_model(model, false)); }).find("the basis of the surface"),
            std::string::npos);
}

TEST(Body, GoesOnWhereItIsMovedTo) {
  Body body(make_model(test::small_model(), false)), twin = body;
  for (Body* one : {&body, &twin}) one->set_force(free_vertex, Vector3::Ones());
  run(body, 3);
  Body moved(std::move(body));
  run(moved, 3);
  body = Body(make_model(model_of_points(), false));
  run(body, 3);
  body = std::move(moved);
  run(body, 3);
  run(twin, 9);
  EXPECT_TRUE(same_state(body.state(), twin.state()));
}

TEST(Body, AllocatesNothingInAWarmStep) {
  for (const ReducedModel& model : both_models()) {
    for (const Method method : {Method::reduced, Method::linear}) {
      for (const ReducedStepOptions& options :
           {ReducedStepOptions{}, iterate(10, 1e-8), test::matrix_free()}) {
        const bool matrix_free = options.solver == ReducedSolver::conjugate_gradient;
        if (matrix_free && !can(method, Ability::conjugate_gradients)) continue;
        Body body(make_model(model, false));
        body.set_method(method);
        body.set_damping({0.1, 0.01});
        body.set_gravity(Vector3(0.0, 0.0, -1.0));
        body.set_springs(std::vector<Spring>{{free_vertex, Vector3::Ones(), body.stiffness_at(free_vertex)}});
        Eigen::Matrix3Xf x(3, model.surface.mesh.vertex_count());
        const auto frame = [&] {
          for (int i = 0; i < 3; ++i) (void)body.step(0.01, options);
          body.positions(x);
          (void)body.energy();
          (void)body.position(free_vertex);
          (void)body.spring_force(0);
        };
        frame();
        EXPECT_EQ(test::allocations_of(frame), 0);
      }
    }
  }
}

}  // namespace
}  // namespace limber::body_test
