#include "limber/precompute/cubature_fit.hpp"

#include "tests/precompute/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::cubature_fit_test {
namespace {

using test::error_text;

/// A small body with poses of moderate strain.
struct Body {
  FullModel model;
  Matrix U;
  ModeGradients gradients{model, U};
  TrainingSet training = poses(1, 60);

  explicit Body(ElementKind kind = ElementKind::tetrahedron, std::size_t regions = 1, int threads = 2)
      : Body(test::uneven_model(kind, regions, 1.0, {MassKind::consistent, Executor(threads)})) {}
  explicit Body(FullModel body) : model(std::move(body)), U(test::wave_basis(model, 5)) {}
  Body(const Body&) = delete;

  [[nodiscard]] TrainingSet poses(std::uint64_t seed, Index count) const {
    Matrix q(U.cols(), count);
    for (Index t = 0; t < count; ++t)
      q.col(t) = test::state_of_gradient(model, U, 0.3, 1000 * seed + static_cast<std::uint64_t>(t));
    return evaluate_poses(model, U, q);
  }

  [[nodiscard]] double error(const CubatureRule& rule, const TrainingSet& set) const {
    return root_mean_square(pose_errors(rule, model.materials(), set));
  }
};

std::vector<QuadraturePoint> points_of(const CubatureRule& rule) {
  std::vector<QuadraturePoint> points;
  for (std::size_t p = 0; p < rule.element.size(); ++p) points.push_back({rule.element[p], rule.point[p]});
  return points;
}

OptimizedFitOptions with_error(double error) {
  OptimizedFitOptions options;
  options.error = error;
  return options;
}

/// The rule's shape and signs, and that its gradients are those of its points.
void check_rule(const Body& body, const CubatureRule& rule, bool modal) {
  const Index m = rule.point_count(), r = body.U.cols();
  ASSERT_GT(m, 0);
  ASSERT_EQ(static_cast<Index>(rule.element.size()), m);
  ASSERT_EQ(static_cast<Index>(rule.point.size()), m);
  ASSERT_EQ(static_cast<Index>(rule.region.size()), m);
  ASSERT_EQ(rule.gradients.rows(), 9 * m);
  ASSERT_EQ(rule.weights.cols(), modal ? r : 1);
  ASSERT_EQ(rule.energy_weights.size(), m);
  EXPECT_GE(rule.weights.minCoeff(), 0.0);
  EXPECT_GE(rule.energy_weights.minCoeff(), 0.0);
  EXPECT_GT(rule.weights.rowwise().maxCoeff().minCoeff(), 0.0) << "a point that is of no use";
  const std::vector<QuadraturePoint> points = points_of(rule);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
  EXPECT_EQ(std::adjacent_find(points.begin(), points.end()), points.end());
  Matrix G(9, r);
  for (Index p = 0; p < m; ++p) {
    const QuadraturePoint& point = points[static_cast<std::size_t>(p)];
    body.gradients.write(point, G);
    EXPECT_EQ(G, rule.gradients.middleRows(9 * p, 9));
    EXPECT_EQ(body.gradients.region(point), rule.region[static_cast<std::size_t>(p)]);
  }
}

class CubatureFitOf : public testing::TestWithParam<ElementKind> {};

INSTANTIATE_TEST_SUITE_P(Meshes, CubatureFitOf, testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(CubatureFitOf, ReachesSixDigitsWhereAllPointsCompete) {
  const Body body(GetParam(), 3);
  const CubatureFit fit = fit_optimized_cubature(body.gradients, body.training, {}, with_error(1e-6));
  EXPECT_LT(fit.error, 1e-6) << "with " << fit.rule.point_count() << " of " << body.gradients.point_count();
  EXPECT_LT(body.error(fit.rule, body.training), 1e-6);
}

TEST_P(CubatureFitOf, GivesRulesOfThePointsChosen) {
  const Body body(GetParam(), 3);
  check_rule(body, fit_optimized_cubature(body.gradients, body.training).rule, false);
  check_rule(body, fit_modal_cubature(body.gradients, body.training, body.gradients.spread(25)).rule, true);
}

TEST_P(CubatureFitOf, ReportsTheErrorOfItsRule) {
  const Body body(GetParam(), 3);
  const CubatureFit optimized = fit_optimized_cubature(body.gradients, body.training);
  const CubatureFit modal = fit_modal_cubature(body.gradients, body.training, body.gradients.spread(12));
  for (const CubatureFit* fit : {&optimized, &modal}) {
    EXPECT_LT(std::abs(fit->error / body.error(fit->rule, body.training) - 1.0), 1e-10);
    EXPECT_EQ(fit->rule.training.training_error, fit->error);
    EXPECT_EQ(fit->rule.training.poses, body.training.size());
    EXPECT_EQ(fit->steps.back().error, fit->error);
    EXPECT_EQ(fit->steps.back().points, fit->rule.point_count());
  }
  EXPECT_LE(optimized.error, 0.01);
  EXPECT_EQ(optimized.rule.training.error_asked_for, 0.01);
}

TEST_P(CubatureFitOf, ErrsLessWithAWeightForEachCoordinate) {
  const Body body(GetParam(), 3);
  for (const double error : {0.3, 0.1, 0.03, 0.01}) {
    const CubatureFit optimized =
        fit_optimized_cubature(body.gradients, body.training, {}, with_error(error));
    const CubatureFit modal = fit_modal_cubature(body.gradients, body.training, points_of(optimized.rule));
    EXPECT_LT(modal.error, optimized.error * (1.0 + 1e-9)) << optimized.rule.point_count() << " points";
  }
}

TEST(CubatureFit, ErrsLessWithEveryStep) {
  const Body body;
  const CubatureFit fit = fit_optimized_cubature(body.gradients, body.training, {}, with_error(1e-3));
  ASSERT_GT(fit.steps.size(), 5u);
  EXPECT_EQ(fit.steps[0].points, 0);
  EXPECT_EQ(fit.steps[0].error, 1.0);
  for (std::size_t i = 1; i < fit.steps.size(); ++i) {
    EXPECT_LT(fit.steps[i].error, fit.steps[i - 1].error) << "step " << i;
    EXPECT_GE(fit.steps[i].seconds, fit.steps[i - 1].seconds) << "step " << i;
  }
}

TEST(CubatureFit, HoldsForPosesThatItHasNotSeen) {
  const Body body;
  const TrainingSet many = body.poses(2, 200), unseen = body.poses(3, 100);
  const CubatureFit optimized = fit_optimized_cubature(body.gradients, many);
  const CubatureFit modal = fit_modal_cubature(body.gradients, many, body.gradients.spread(25));
  for (const CubatureFit* fit : {&optimized, &modal})
    EXPECT_LT(body.error(fit->rule, unseen), 1.5 * fit->error) << fit->rule.point_count() << " points";
}

TEST(CubatureFit, FollowsEveryLaw) {
  const VolumeMesh mesh = test::uneven_beam(ElementKind::tetrahedron, 1);
  for (const std::string_view law : material_names) {
    const Body body(FullModel(mesh, {test::material(law)}, test::vertices_below(mesh, 1e-9)));
    const CubatureFit optimized = fit_optimized_cubature(body.gradients, body.training, {}, with_error(1e-4));
    EXPECT_LT(body.error(optimized.rule, body.training), 1.0001e-4) << law;
    const CubatureFit modal = fit_modal_cubature(body.gradients, body.training, points_of(optimized.rule));
    EXPECT_LT(body.error(modal.rule, body.training), 1.0001e-4) << law;
  }
}

TEST(CubatureFit, GivesModalRulesAnEnergyOfTheirOwn) {
  const Body body(ElementKind::tetrahedron, 3);
  const TrainingSet unseen = body.poses(2, 50);
  const CubatureRule rule = fit_modal_cubature(body.gradients, body.training, body.gradients.spread(40)).rule;
  const Cubature cubature(rule, body.model.materials(), body.U.cols());
  CubatureWorkspace work;
  Vector f(body.U.cols());
  for (Index t = 0; t < unseen.size(); ++t) {
    const double W = cubature.evaluate_force(unseen.poses.col(t), work, f);
    EXPECT_LT(std::abs(W / unseen.energies(t) - 1.0), 0.05) << "pose " << t;
  }
}

TEST(CubatureFit, GivesOptimizedRulesOneWeightForForceAndEnergy) {
  const Body body;
  const CubatureRule rule = fit_optimized_cubature(body.gradients, body.training).rule;
  EXPECT_EQ(rule.weights.col(0), rule.energy_weights);
}

TEST(CubatureFit, DropsPointsThatNothingMoves) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 4, 2, 2);
  const Body body(FullModel(mesh, {test::material("stvk")}, test::vertices_below(mesh, 1.5)));
  Matrix G(9, body.U.cols());
  Index still = 0;
  for (Index i = 0; i < body.gradients.point_count(); ++i) {
    body.gradients.write(body.gradients.at(i), G);
    still += G.isZero(0.0);
  }
  ASSERT_GT(still, 10);
  const auto all = body.gradients.spread(body.gradients.point_count());
  check_rule(body, fit_modal_cubature(body.gradients, body.training, all).rule, true);
  check_rule(body, fit_optimized_cubature(body.gradients, body.training, all).rule, false);
}

TEST(CubatureFit, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<CubatureRule> rules;
  for (const int threads : {1, 1, 2, 3}) {
    const Body body(ElementKind::brick, 3, threads);
    OptimizedFitOptions options = with_error(0.003);
    options.candidates = 200;
    const TrainingSet many = body.poses(4, 700);  // several shares
    rules.push_back(fit_optimized_cubature(body.gradients, many, {}, options).rule);
    rules.push_back(fit_modal_cubature(body.gradients, many, body.gradients.spread(25)).rule);
  }
  for (std::size_t i = 2; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i].element, rules[i % 2].element);
    EXPECT_EQ(rules[i].point, rules[i % 2].point);
    EXPECT_EQ(rules[i].weights, rules[i % 2].weights);
    EXPECT_EQ(rules[i].energy_weights, rules[i % 2].energy_weights);
    EXPECT_EQ(rules[i].training, rules[i % 2].training);
  }
}

TEST(CubatureFit, DrawsOtherCandidatesForAnotherSeed) {
  const Body body(ElementKind::brick);
  OptimizedFitOptions options;
  options.candidates = 20;
  const CubatureFit one = fit_optimized_cubature(body.gradients, body.training, {}, options);
  options.seed = 2;
  const CubatureFit two = fit_optimized_cubature(body.gradients, body.training, {}, options);
  EXPECT_NE(one.rule.element, two.rule.element);
  EXPECT_LE(one.error, 0.01);
  EXPECT_LE(two.error, 0.01);
}

TEST(CubatureFit, StopsAtTheMostPointsAllowed) {
  const Body body;
  OptimizedFitOptions options = with_error(1e-6);
  options.max_points = 7;
  const CubatureFit fit = fit_optimized_cubature(body.gradients, body.training, {}, options);
  EXPECT_EQ(fit.rule.point_count(), 7);
  EXPECT_GT(fit.error, 1e-6);
}

TEST(CubatureFit, EndsWhereNoPointHelps) {
  const Body body;
  TrainingSet impossible = body.training;
  impossible.forces.row(0) *= 2.0;  // no weights give that
  const CubatureFit fit = fit_optimized_cubature(body.gradients, impossible, {}, with_error(1e-5));
  EXPECT_GT(fit.error, 1e-5);
  EXPECT_LT(fit.error, 1.0);
  EXPECT_LT(std::abs(fit.error / body.error(fit.rule, impossible) - 1.0), 1e-10);
}

TEST(CubatureFit, BeginsWithThePointsGiven) {
  const Body body(ElementKind::brick);
  const CubatureFit before = fit_optimized_cubature(body.gradients, body.training);
  OptimizedFitOptions options;
  options.candidates = 1;
  options.error = 1.001 * before.error;
  std::vector<QuadraturePoint> start = points_of(before.rule);
  start.push_back(start.front());  // a repeat does no harm
  const CubatureFit again = fit_optimized_cubature(body.gradients, body.training, start, options);
  EXPECT_LE(again.error, options.error);
  EXPECT_EQ(again.steps.size(), 2u) << "one round does";
  EXPECT_LE(again.rule.point_count(), before.rule.point_count());
}

TEST(CubatureFit, TellsHowFarItIs) {
  const Body body;
  OptimizedFitOptions options;
  std::vector<double> fractions;
  options.progress = [&](std::string_view stage, double fraction) {
    EXPECT_EQ(stage, "cubature");
    fractions.push_back(fraction);
  };
  fit_optimized_cubature(body.gradients, body.training, {}, options);
  ASSERT_GE(fractions.size(), 3u);
  EXPECT_EQ(fractions.front(), 0.0);
  EXPECT_EQ(fractions.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
}

TEST(CubatureFit, RefusesBadArguments) {
  const Body body;
  const auto optimized = [&](const TrainingSet& training, const OptimizedFitOptions& options = {}) {
    return error_text([&] { fit_optimized_cubature(body.gradients, training, {}, options); });
  };
  EXPECT_EQ(optimized({}), "there are no training poses, expected one at least");
  EXPECT_EQ(optimized(body.training, with_error(0.0)),
            "the error asked for is 0, expected a number between 0 and 1");
  EXPECT_EQ(optimized(body.training, with_error(std::numeric_limits<double>::quiet_NaN())),
            "the error asked for is nan, expected a number between 0 and 1");
  OptimizedFitOptions none;
  none.candidates = 0;
  EXPECT_EQ(optimized(body.training, none),
            "1000 points and 0 candidates asked for, expected one at least of each");
  TrainingSet bad = body.training;
  bad.forces(2, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(optimized(bad), "training pose 3 has numbers that are not finite");
  TrainingSet pushed = body.training;  // the other way: no weights >= 0 help
  pushed.forces *= -1.0;
  EXPECT_EQ(optimized(pushed), "no point of the body matches the training forces; check the poses");
  const std::vector<QuadraturePoint> outside{{0, 1}};
  EXPECT_EQ(error_text([&] { fit_optimized_cubature(body.gradients, body.training, outside); }),
            "there is no quadrature point 1 in an element, a tetrahedron has 1");
  EXPECT_EQ(error_text([&] { fit_modal_cubature(body.gradients, body.training, outside); }),
            "there is no quadrature point 1 in an element, a tetrahedron has 1");
  EXPECT_EQ(error_text([&] { fit_modal_cubature(body.gradients, body.training, {}); }),
            "there are no cubature points, expected one at least");
  EXPECT_EQ(error_text([&] { fit_modal_cubature(body.gradients, {}, body.gradients.spread(3)); }),
            "there are no training poses, expected one at least");
  EXPECT_EQ(error_text([] { (void)root_mean_square(Vector()); }), "no values, so no mean");
}

TEST(CubatureFit, HasAMeanOfSquares) {
  EXPECT_DOUBLE_EQ(root_mean_square(Eigen::Vector2d(3.0, -4.0)), std::sqrt(12.5));
}

}  // namespace
}  // namespace limber::cubature_fit_test
