#include "limber/precompute/reduce.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/linalg/svd.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::reduce_test {
namespace {

using test::contains;

VolumeMesh beam(double size = 1.0) {
  return make_beam({ElementKind::tetrahedron, size * Vector3(1.0, 0.15, 0.1), Eigen::Vector3i(8, 2, 2)});
}

FullModel held(double size = 1.0, double density = 900.0, std::string_view law = "stvk") {
  const VolumeMesh mesh = beam(size);
  return {mesh, {test::material(law, 1e5, 0.3, density)}, test::vertices_below(mesh, 1e-9)};
}

BasisSettings settings(int modes, int rank) {
  BasisSettings result;
  result.modes = modes;
  result.rank = rank;
  return result;
}

/// Sine of the largest angle between two spaces of the same unknowns, by orthonormal bases of both.
double largest_angle(const Matrix& a, const Matrix& b) {
  const Matrix p = left_singular_vectors(a).U, q = left_singular_vectors(b).U;
  return (q - p * (p.transpose() * q)).norm();
}

TEST(ComputeBasis, IsTheSameForABodyOfAnotherSizeOrDensity) {
  ReduceReport report;
  const Matrix basis = compute_basis(held(), settings(5, 12), report);
  EXPECT_LT(report.orthonormality, 1e-12);
  for (const auto& [size, density] :
       {std::pair(1e-3, 900.0), std::pair(100.0, 900.0), std::pair(1.0, 3600.0)}) {
    const Matrix other = compute_basis(held(size, density), settings(5, 12), report);
    EXPECT_LT(largest_angle(basis, other), 1e-5) << "size " << size << ", density " << density;
  }
}

TEST(ComputeBasis, LeavesOutTheRigidMotionOfSnapshots) {
  const FullModel model(beam(), {test::material("stvk")}, std::vector<int>{});
  BasisSettings drift = settings(0, 10);
  Matrix3X bent = Matrix3X::Zero(3, model.mesh().vertex_count());
  for (Index v = 0; v < bent.cols(); ++v) bent(2, v) = 0.1 * std::pow(model.mesh().vertices(0, v) - 0.5, 2);
  bent.colwise() += Vector3(3.0, -2.0, 7.0);
  drift.snapshots = {bent};
  ReduceReport report;
  const Matrix basis = compute_basis(model, drift, report);
  EXPECT_EQ(report.rigid_modes, 6);
  ASSERT_EQ(basis.cols(), 1);
  EXPECT_LT((rigid_motions(model).transpose() * (model.mass() * basis)).norm(), 1e-8);
}

TEST(ComputeBasis, RefusesSettingsThatGiveNothing) {
  const FullModel model = held();
  const auto refusal = [&](const BasisSettings& basis) {
    ReduceReport report;
    return test::error_text([&] { (void)compute_basis(model, basis, report); });
  };
  EXPECT_TRUE(contains(refusal(settings(0, 5)), "none was given"));
  EXPECT_TRUE(contains(refusal(settings(5, 0)), "the rank is 0"));
  BasisSettings many = settings(200, 5);
  many.order = 3;
  EXPECT_TRUE(contains(refusal(many), "ask for fewer modes or a lower order"));
  BasisSettings snapshots = settings(0, 5);
  snapshots.snapshots = {Matrix3X::Zero(3, model.mesh().vertex_count())};
  EXPECT_TRUE(contains(refusal(snapshots), "zero"));
  snapshots.snapshots = {Matrix3X::Ones(3, 4)};
  EXPECT_TRUE(contains(refusal(snapshots), "has 4 vertices"));
}

TEST(Reduce, RefusesExactForcesOfOtherMaterialsBeforeTheLongWork) {
  const FullModel model = held(1.0, 900.0, "neo-hookean");
  ReduceOptions options;
  options.forces = ForceKind::exact;
  ReduceReport report;
  const std::string text = test::error_text([&] { (void)reduce(model, {}, {}, options, report); });
  EXPECT_TRUE(contains(text, "only that law has exact reduced forces")) << text;
  EXPECT_TRUE(report.stages.empty());
}

TEST(Reduce, RefusesRanksWhoseCoefficientsNoMachineHolds) {
  ReduceOptions options;
  options.basis = settings(5, 900);
  ReduceReport report;
  const std::string text = test::error_text([&] { (void)reduce(held(), {}, {}, options, report); });
  EXPECT_TRUE(contains(text, "GB for the coefficients")) << text;
}

TEST(Reduce, TellsWhatTheBasisIsMadeOf) {
  ReduceOptions options;
  options.basis = settings(4, 9);
  ReduceReport report;
  const ReducedModel model = reduce(held(), {}, {}, options, report);
  EXPECT_EQ(model.rank, 9);
  EXPECT_EQ(model.description, "mass-PCA of 4 linear modes, 10 derivatives to rank 9");
  EXPECT_EQ(report.frequencies_hz.size(), 4);
  EXPECT_EQ(report.singular_values.size(), 14);
}

/// What a user would choose for a small body.
ReduceOptions small_options(std::string_view forces) {
  ReduceOptions options;
  options.basis = settings(4, 8);
  options.forces = parse_force_kind(forces);
  options.cubature.error = 0.02;
  return options;
}

TEST(Reduce, TakesCubatureForOtherMaterials) {
  const FullModel model = held(1.0, 900.0, "neo-hookean");
  ReduceReport report;
  const ReducedModel reduced = reduce(model, {}, {}, small_options("auto"), report);
  ASSERT_TRUE(reduced.cubature.has_value());
  EXPECT_FALSE(reduced.cubature->modal());
  ASSERT_TRUE(report.cubature.has_value());
  EXPECT_TRUE(report.cubature->reached);
  EXPECT_TRUE(contains(reduced.description, "optimized cubature with")) << reduced.description;
  EXPECT_EQ(reduced.regions[0].lambda_energy.size(), 0);
}

TEST(ComputeBasis, FromInertiaModesHoldsTheLowestModesAndSaysSo) {
  const FullModel model = held();
  BasisSettings inertia = settings(6, 15);
  inertia.kind = ModeKind::inertia;
  ReduceReport report;
  (void)compute_basis(model, inertia, report);
  ASSERT_TRUE(report.check.has_value());
  ASSERT_EQ(report.check->angles.size(), 6);
  EXPECT_LT(report.check->angles.head(3).maxCoeff(), 0.05) << report.check->angles.transpose();
  EXPECT_LT(report.orthonormality, 1e-12);
  // Rayleigh quotients bound frequencies from above.
  for (Index i = 0; i < 6; ++i)
    EXPECT_GE(report.frequencies_hz(i), (1.0 - 1e-6) * report.check->frequencies_hz(i));
}

TEST(ComputeBasis, ByRandomProjectionIsOrthonormalAndMissesMoreThanByPca) {
  const FullModel model = held();
  BasisSettings basis = settings(6, 12);
  ReduceReport pca, random, again;
  (void)compute_basis(model, basis, pca);
  basis.condense = Condensation::random;
  const Matrix first = compute_basis(model, basis, random), second = compute_basis(model, basis, again);
  EXPECT_LT(random.orthonormality, 1e-12);
  EXPECT_GT(random.missed, pca.missed);
  EXPECT_LT(random.missed, 0.7);
  EXPECT_TRUE(first == second);
}

/// Everything that makes a basis, for bodies smaller than what it asks for.
TEST(Reduce, TakesBodiesSmallerThanTheBasisAskedFor) {
  for (const Eigen::Vector3i& cells : {Eigen::Vector3i(1, 1, 1), Eigen::Vector3i(2, 1, 1)}) {
    const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), cells});
    for (const bool free : {false, true}) {
      const FullModel model(mesh, {test::material("stvk")},
                            free ? std::vector<int>{} : test::vertices_below(mesh, 1e-9));
      const Index most = model.dof_count() - (free ? 6 : 0);
      for (const ModeKind kind : {ModeKind::modal, ModeKind::inertia}) {
        for (const Condensation condense : {Condensation::pca, Condensation::random}) {
          ReduceOptions options;
          options.basis = settings(50, 50);
          options.basis.kind = kind;
          options.basis.condense = condense;
          ReduceReport report;
          const ReducedModel reduced = reduce(model, {}, {}, options, report);
          EXPECT_EQ(reduced.rank, most);
          EXPECT_LE(report.modes, most);
          EXPECT_LT(report.orthonormality, 1e-11);
          EXPECT_LT(report.missed, 1e-9) << "all unknowns are spanned";
          EXPECT_LE(report.singular_values.size(), model.dof_count());
        }
      }
    }
  }
}

TEST(ComputeBasis, OfManySamplesOfFewUnknownsKeepsNoSquareOfTheirNumber) {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), {3, 1, 1}});
  const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 1e-9));
  BasisSettings basis = settings(20, 30);
  basis.order = 2;
  ReduceReport report;
  EXPECT_EQ(compute_basis(model, basis, report).cols(), 30);
  EXPECT_EQ(report.samples, 26585);
  EXPECT_EQ(report.singular_values.size(), 36) << "no more directions than unknowns";
}

TEST(ParseWords, NamesTheNearest) {
  EXPECT_EQ(parse_force_kind("modal-cubature"), ForceKind::modal_cubature);
  EXPECT_TRUE(contains(test::error_text([] { (void)parse_force_kind("cubatur"); }), "cubature"));
  EXPECT_TRUE(contains(test::error_text([] { (void)parse_pose_source("gausian"); }), "gaussian"));
}

}  // namespace
}  // namespace limber::reduce_test
