#include "limber/precompute/reduce.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <Eigen/SVD>
#include <gtest/gtest.h>

namespace limber {
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
  const auto orthonormal = [](const Matrix& x) -> Matrix {
    return Eigen::JacobiSVD<Matrix>(x, Eigen::ComputeThinU).matrixU();
  };
  const Matrix p = orthonormal(a), q = orthonormal(b);
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
  EXPECT_TRUE(contains(refusal(settings(5, 900)), "GB"));
  EXPECT_TRUE(contains(refusal(settings(1'000'000, 5)), "modes"));
  BasisSettings snapshots = settings(0, 5);
  snapshots.snapshots = {Matrix3X::Zero(3, model.mesh().vertex_count())};
  EXPECT_TRUE(contains(refusal(snapshots), "zero"));
  snapshots.snapshots = {Matrix3X::Ones(3, 4)};
  EXPECT_TRUE(contains(refusal(snapshots), "has 4 vertices"));
}

TEST(Reduce, RefusesOtherMaterialsBeforeTheLongWork) {
  const FullModel model = held(1.0, 900.0, "neo-hookean");
  ReduceReport report;
  const std::string text = test::error_text([&] { (void)reduce(model, {}, {}, {}, report); });
  EXPECT_TRUE(contains(text, "stvk")) << text;
  EXPECT_TRUE(report.stages.empty());
}

TEST(Reduce, TellsWhatTheBasisIsMadeOf) {
  ReduceOptions options;
  options.basis = settings(4, 9);
  ReduceReport report;
  const ReducedModel model = reduce(held(), {}, {}, options, report);
  EXPECT_EQ(model.rank, 9);
  EXPECT_EQ(model.description, "mass-PCA of 4 linear modes, 10 modal derivatives to rank 9");
  EXPECT_EQ(report.frequencies_hz.size(), 4);
  EXPECT_EQ(report.singular_values.size(), 14);
}

}  // namespace
}  // namespace limber
