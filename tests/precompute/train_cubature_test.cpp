#include "limber/precompute/train_cubature.hpp"

#include "limber/base/error.hpp"
#include "limber/precompute/build_model.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/precompute/verify.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <set>

namespace limber::train_cubature_test {
namespace {

using test::contains;
using test::error_text;

FullModel beam(std::string_view law, ElementKind kind = ElementKind::tetrahedron, int threads = 1) {
  const VolumeMesh mesh = make_beam({kind, Vector3(1.0, 0.15, 0.1), Eigen::Vector3i(8, 2, 2)});
  return {mesh,
          {test::material(law, 1e5, 0.3)},
          test::vertices_below(mesh, 1e-9),
          {MassKind::consistent, Executor(threads)}};
}

Matrix basis_of(const FullModel& model, int modes = 4, int rank = 8) {
  BasisSettings settings;
  settings.modes = modes;
  settings.rank = rank;
  settings.check = false;
  ReduceReport report;
  return compute_basis(model, settings, report);
}

struct Case {
  std::string_view law;
  ElementKind kind;
  CubatureKind cubature;
};

class TrainCubature : public testing::TestWithParam<Case> {};

// What issue and paper ask for: states that were not trained with, along real motion.
TEST_P(TrainCubature, IsAsGoodInNewMotionsAsAskedFor) {
  const FullModel model = beam(GetParam().law, GetParam().kind);
  const Matrix basis = basis_of(model);
  CubatureSettings settings;
  settings.kind = GetParam().cubature;
  settings.error = 0.02;
  const CubatureResult result = train_cubature(model, basis, settings);
  EXPECT_TRUE(result.reached) << result.rule.training.held_out_error;
  EXPECT_EQ(result.rule.modal(), GetParam().cubature == CubatureKind::modal);
  EXPECT_LE(result.rule.training.training_error, settings.error);

  const ReducedModel reduced = build_reduced_model(model, basis, {}, {}, {true, result.rule, {}});
  const VerifyReport report = verify_model(model, reduced, {.states = 60, .seed = 7});
  EXPECT_LE(report.held_out_error, 2.0 * settings.error) << report.states << " states";
  EXPECT_GE(report.states, 50);
  EXPECT_GT(report.largest_gradient, 0.05) << "the body hardly deforms: nothing is tested";
  EXPECT_EQ(report.polynomial_error.has_value(), GetParam().law == "stvk");
  if (report.polynomial_error) {
    EXPECT_NEAR(*report.polynomial_error, report.held_out_error, 1e-9 * report.held_out_error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Laws, TrainCubature,
    testing::Values(Case{"stvk", ElementKind::tetrahedron, CubatureKind::optimized},
                    Case{"neo-hookean", ElementKind::tetrahedron, CubatureKind::optimized},
                    Case{"mooney-rivlin", ElementKind::tetrahedron, CubatureKind::optimized},
                    Case{"arruda-boyce", ElementKind::tetrahedron, CubatureKind::optimized},
                    Case{"corotational", ElementKind::tetrahedron, CubatureKind::optimized},
                    Case{"stvk", ElementKind::tetrahedron, CubatureKind::modal},
                    Case{"neo-hookean", ElementKind::tetrahedron, CubatureKind::modal},
                    Case{"mooney-rivlin", ElementKind::brick, CubatureKind::optimized},
                    Case{"arruda-boyce", ElementKind::brick, CubatureKind::modal}),
    [](const auto& parameter) {
      std::string name = fmt::format("{}_{}_{}", parameter.param.law, name_of(parameter.param.kind),
                                     parameter.param.cubature == CubatureKind::modal ? "modal" : "optimized");
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(TrainCubatureSources, GaussianPosesAreLearnedToo) {
  const FullModel model = beam("neo-hookean");
  CubatureSettings settings;
  settings.source = PoseSource::gaussian;
  settings.amplitude = 0.1;
  settings.error = 0.05;
  const CubatureResult result = train_cubature(model, basis_of(model), settings);
  EXPECT_TRUE(result.reached) << result.rule.training.held_out_error;
}

TEST(TrainCubatureSources, GivenPosesAloneAreLearned) {
  const FullModel model = beam("neo-hookean");
  const Matrix basis = basis_of(model);
  CubatureSettings settings;
  settings.source = PoseSource::given;
  settings.given = linear_poses(make_pose_space(model, basis), 60, 0.1, 3);
  settings.error = 0.02;
  const CubatureResult result = train_cubature(model, basis, settings);
  EXPECT_EQ(result.rule.training.poses, 48);  // each fifth is kept apart
  EXPECT_LE(result.rule.training.held_out_error, 2.0 * settings.error);
  EXPECT_NEAR(result.rule.training.amplitude, 0.1, 0.01);
}

TEST(TrainCubatureSources, AFixedNumberOfPointsStopsByItself) {
  const FullModel model = beam("stvk");
  CubatureSettings settings;
  settings.kind = CubatureKind::modal;
  settings.points = 10;
  settings.error = 1e-4;  // out of reach
  const CubatureResult result = train_cubature(model, basis_of(model), settings);
  EXPECT_FALSE(result.reached);
  EXPECT_LE(result.rule.point_count(), 15);
  EXPECT_GT(result.rule.training.held_out_error, settings.error);
}

TEST(TrainCubatureSources, TheSameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
  const FullModel one = beam("neo-hookean"), two = beam("neo-hookean", ElementKind::tetrahedron, 2);
  const Matrix basis = basis_of(one);
  for (const CubatureKind kind : {CubatureKind::optimized, CubatureKind::modal}) {
    CubatureSettings settings;
    settings.kind = kind;
    settings.error = 0.05;
    const CubatureRule a = train_cubature(one, basis, settings).rule,
                       b = train_cubature(two, basis, settings).rule;
    EXPECT_EQ(a.element, b.element);
    EXPECT_TRUE(a.weights == b.weights);
  }
}

TEST(TrainCubatureSources, NewGaussianPosesAreNotTheOldOnes) {
  const FullModel model = beam("neo-hookean");
  CubatureSettings settings;
  settings.source = PoseSource::gaussian;
  settings.amplitude = 0.1;
  settings.error = 0.05;
  settings.points = 4;  // too few to be good at anything but what was learned
  settings.kind = CubatureKind::modal;
  const CubatureResult result = train_cubature(model, basis_of(model), settings);
  EXPECT_GT(result.rounds.front().held_out_error, result.rounds.front().training_error);
}

TEST(TrainCubatureSources, AFreeBodyOfSeveralRegionsIsTrained) {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.15, 0.1), Eigen::Vector3i(8, 2, 2)});
  mesh.regions = {{1, "soft"}, {2, "stiff"}};
  for (Index e = 0; e < mesh.element_count(); ++e)
    mesh.region[static_cast<std::size_t>(e)] = mesh.vertices(0, mesh.elements(0, e)) > 0.4 ? 1 : 0;
  const FullModel model(mesh, {test::material("neo-hookean", 1e5), test::material("stvk", 1e6)},
                        std::vector<int>{});
  const Matrix basis = basis_of(model);
  CubatureSettings settings;
  settings.error = 0.05;
  const CubatureResult result = train_cubature(model, basis, settings);
  EXPECT_TRUE(result.reached) << result.rule.training.held_out_error;
  const std::vector<int>& regions = result.rule.region;
  EXPECT_EQ(std::set<int>(regions.begin(), regions.end()), (std::set<int>{0, 1}));
  // Gravity moves a free body as a whole: what rounding leaves of it must not become a load.
  EXPECT_TRUE(make_pose_space(model, basis).weight.isZero(0.0));
}

TEST(TrainCubatureSources, RankOneHasAPotentialOfEitherKind) {
  const FullModel model = beam("neo-hookean");
  const Matrix basis = basis_of(model, 1, 1);
  CubatureSettings settings;
  settings.kind = CubatureKind::modal;
  settings.error = 0.05;
  const CubatureRule rule = train_cubature(model, basis, settings).rule;
  EXPECT_TRUE(rule.energy_weights == rule.weights.col(0));
}

TEST(VerifyCubature, NoticesAWrongWeight) {
  const FullModel model = beam("neo-hookean");
  const Matrix basis = basis_of(model);
  CubatureSettings settings;
  settings.error = 0.02;
  CubatureRule rule = train_cubature(model, basis, settings).rule;
  Index heaviest = 0;
  rule.weights.col(0).maxCoeff(&heaviest);
  rule.weights(heaviest, 0) *= 3.0;
  const ReducedModel wrong = build_reduced_model(model, basis, {}, {}, {true, rule, {}});
  EXPECT_GT(verify_model(model, wrong, {.states = 30}).held_out_error, 2.0 * settings.error);
}

TEST(TrainCubatureSources, RefusesWhatMakesNoSense) {
  const FullModel model = beam("stvk");
  const Matrix basis = basis_of(model);
  const auto refusal = [&](const CubatureSettings& settings) {
    return error_text([&] { (void)train_cubature(model, basis, settings); });
  };
  CubatureSettings settings;
  settings.error = 0.0;
  EXPECT_TRUE(contains(refusal(settings), "the training error is 0"));
  settings = {};
  settings.amplitude = -1.0;
  EXPECT_TRUE(contains(refusal(settings), "amplitude"));
  settings = {};
  settings.source = PoseSource::given;
  EXPECT_TRUE(contains(refusal(settings), "none are given"));
  settings.given = Matrix::Ones(3, 9);
  EXPECT_TRUE(contains(refusal(settings), "training poses have 3 coordinates"));
  EXPECT_TRUE(contains(error_text([&] { (void)train_cubature(model, basis.topRows(5), {}); }), "rows"));
}

}  // namespace
}  // namespace limber::train_cubature_test
