#include "limber/basis/inertia_modes.hpp"

#include "limber/basis/basis_quality.hpp"
#include "limber/basis/krylov_basis.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/basis/mass_pca.hpp"
#include "limber/basis/narrow_products.hpp"
#include "tests/basis/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <vector>

namespace limber::inertia_modes_test {
namespace {

using test::contains;
using test::error_text;
using test::Support;

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  return test::random_vector(rows * columns, 1.0, seed).reshaped(rows, columns);
}

/// A slender beam of uneven sections: its lowest modes are bending and torsion.
FullModel slender_beam(bool held, int threads = 1, double unit = 1.0) {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(8.0, 1.1, 0.9), Eigen::Vector3i(24, 3, 3)});
  const std::vector<int> fixed = held ? test::vertices_below(mesh, 1e-9) : std::vector<int>{};
  mesh.vertices *= unit;
  // Young's modulus in N / unit^2 and density in kg / unit^3.
  return {std::move(mesh),
          {test::material("stvk", 1e5 / unit, 0.3, 900.0 / (unit * unit * unit))},
          fixed,
          {MassKind::consistent, Executor(threads)}};
}

class EveryInertiaSpace : public testing::TestWithParam<Support> {
 protected:
  FullModel model = test::supported_beam(GetParam());
  RestStiffness rest{model};
};

TEST_P(EveryInertiaSpace, IsMassOrthonormalToRounding) {
  const InertiaModes modes = compute_inertia_modes(rest, 60);
  ASSERT_TRUE(modes.report.ok());
  ASSERT_EQ(modes.shapes.cols(), 60);
  EXPECT_LT(orthonormality_error(modes.shapes, model.mass()), 1e-12);
}

TEST_P(EveryInertiaSpace, HoldsNoRigidMotion) {
  const InertiaModes modes = compute_inertia_modes(rest, 60);
  const Matrix share = rest.rigid_modes().transpose() * (model.mass() * modes.shapes);
  EXPECT_LT(share.norm(), 1e-12);
}

TEST_P(EveryInertiaSpace, HoldsTheResponsesToTheInertiaOfItsStartTwiceOver) {
  const Matrix start = inertia_start(rest);
  Matrix once(start.rows(), start.cols()), twice(start.rows(), start.cols());
  ASSERT_TRUE(rest.solve(model.mass() * start, once).ok());
  ASSERT_TRUE(rest.solve(model.mass() * once, twice).ok());
  const InertiaModes modes = compute_inertia_modes(rest, 2 * start.cols());
  EXPECT_EQ(modes.report.iterations, 2);
  EXPECT_LT(subspace_angles(modes.shapes, once, model.mass()).maxCoeff(), 1e-9);
  // Vectors of the second block are known to rounding divided by the share of them that is new.
  EXPECT_LT(subspace_angles(modes.shapes, twice, model.mass()).maxCoeff(), 1e-7);
}

TEST_P(EveryInertiaSpace, HasRitzValuesAboveTheEigenvaluesThatConvergeToThem) {
  constexpr Index k = 6;
  const Vector exact = compute_linear_modes(rest, rest.rigid_modes().cols() + k).elastic_eigenvalues();
  double worst_before = 1e300;
  for (Index count : {24, 48, 96}) {
    if (GetParam() == Support::two_free_parts) count *= 2;
    const RitzModes ritz = rayleigh_ritz(rest, compute_inertia_modes(rest, count).shapes, k);
    const Vector excess = (ritz.eigenvalues - exact).cwiseQuotient(exact);
    EXPECT_GT(excess.minCoeff(), -1e-9) << count << " vectors";
    EXPECT_LT(excess.maxCoeff(), worst_before) << count << " vectors";
    worst_before = std::max(excess.maxCoeff(), 1e-9);
  }
  EXPECT_LT(worst_before, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(, EveryInertiaSpace, testing::ValuesIn(test::all_supports),
                         [](const auto& tested) { return test::name_of(tested.param); });

TEST(InertiaModes, OfAHeldBeamHoldItsLowestModes) {
  const FullModel model = slender_beam(true);
  RestStiffness rest(model);
  const Vector angles = subspace_angles(compute_inertia_modes(rest, 30).shapes,
                                        compute_linear_modes(rest, 10).shapes, model.mass());
  EXPECT_LT(angles.maxCoeff(), 0.02) << angles.transpose();
}

TEST(InertiaModes, OfTwoAlikePartsThatAreHeldHoldTheModesOfEach) {
  const VolumeMesh one =
      make_beam({ElementKind::tetrahedron, Vector3(4.0, 1.1, 0.9), Eigen::Vector3i(8, 2, 2)});
  const VolumeMesh mesh = test::two_of(one);
  std::vector<int> fixed = test::vertices_below(one, 1e-9);
  for (std::size_t i = 0, count = fixed.size(); i < count; ++i)
    fixed.push_back(fixed[i] + static_cast<int>(one.vertex_count()));
  const FullModel model(mesh, {test::material("stvk")}, fixed);
  RestStiffness rest(model);
  // Both parts vibrate alike: each frequency is there twice.
  const Vector angles = subspace_angles(compute_inertia_modes(rest, 36).shapes,
                                        compute_linear_modes(rest, 8).shapes, model.mass());
  EXPECT_LT(angles.maxCoeff(), 0.02) << angles.transpose();
}

TEST(InertiaModes, OfAFreeBeamHoldItsLowestModesWithinAFewDegrees) {
  const FullModel model = slender_beam(false);
  RestStiffness rest(model);
  const Matrix modes = compute_linear_modes(rest, 12).elastic_shapes();
  constexpr double degree = std::numbers::pi / 180.0;
  const Vector of_24 = subspace_angles(compute_inertia_modes(rest, 24).shapes, modes, model.mass());
  const Vector of_48 = subspace_angles(compute_inertia_modes(rest, 48).shapes, modes, model.mass());
  EXPECT_LT(of_24.head(2).maxCoeff(), 1.0 * degree) << of_24.transpose();  // the two first bending modes
  EXPECT_LT(of_48.maxCoeff(), 5.0 * degree) << of_48.transpose();
}

TEST(InertiaModes, FollowTheirStart) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness rest(model);
  InertiaModesOptions options;
  options.start = rigid_motions(model).col(2);
  const InertiaModes modes = compute_inertia_modes(rest, 5, options);
  EXPECT_EQ(modes.report.iterations, 5);
  Matrix response(model.dof_count(), 1);
  ASSERT_TRUE(rest.solve(model.mass() * options.start, response).ok());
  const double along = std::abs(modes.shapes.col(0).dot(model.mass() * response.col(0)));
  EXPECT_NEAR(along / std::sqrt(response.col(0).dot(model.mass() * response.col(0))), 1.0, 1e-12);
}

TEST(InertiaModes, AreTheSameInOtherUnits) {
  const FullModel metres = slender_beam(true), millimetres = slender_beam(true, 1, 1000.0);
  RestStiffness rest(metres), rest_mm(millimetres);
  const Vector angles = subspace_angles(compute_inertia_modes(rest, 24).shapes,
                                        compute_inertia_modes(rest_mm, 24).shapes, metres.mass());
  EXPECT_LT(angles.maxCoeff(), 1e-6) << angles.transpose();
}

TEST(InertiaModes, HaveTheSameBitsForAnyNumberOfThreads) {
  const FullModel one = slender_beam(true, 1), two = slender_beam(true, 2);
  RestStiffness rest_one(one), rest_two(two);
  for (const Orthogonalization kind : {Orthogonalization::full, Orthogonalization::reduced}) {
    InertiaModesOptions options;
    options.orthogonalization = kind;
    EXPECT_EQ(compute_inertia_modes(rest_one, 25, options).shapes,
              compute_inertia_modes(rest_two, 25, options).shapes);
  }
}

TEST(InertiaModes, LeaveOutDependentColumnsOfTheStart) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness rest(model);
  const Matrix rigid = rigid_motions(model);
  InertiaModesOptions options;
  options.start.resize(model.dof_count(), 5);
  options.start << rigid.col(0), 3.0 * rigid.col(0), rigid.col(1), rigid.col(0) - 2.0 * rigid.col(1),
      Vector::Zero(model.dof_count());
  const InertiaModes modes = compute_inertia_modes(rest, 8, options);
  EXPECT_EQ(modes.shapes.cols(), 8);
  EXPECT_EQ(modes.report.iterations, 4);  // blocks of two vectors
  EXPECT_LT(orthonormality_error(modes.shapes, model.mass()), 1e-12);
}

TEST(InertiaModes, AreFewerWhereTheSpaceIsExhausted) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness rest(model);
  InertiaModesOptions options;
  options.start = compute_linear_modes(rest, 3).shapes.rightCols(2);  // K^-1 M leads no further
  const InertiaModes modes = compute_inertia_modes(rest, 10, options);
  EXPECT_TRUE(modes.report.ok());
  EXPECT_EQ(modes.shapes.cols(), 2);
}

TEST(InertiaModes, MaySpanAllThatABodyCanDo) {
  const FullModel model(make_beam({ElementKind::tetrahedron, Vector3(2.0, 1.1, 0.9), {2, 1, 1}}),
                        {test::material("stvk")}, {});
  RestStiffness rest(model);
  InertiaModesOptions options;
  options.start = random_matrix(model.dof_count(), 7, 1);
  const InertiaModes modes = compute_inertia_modes(rest, model.dof_count() - 6, options);
  ASSERT_EQ(modes.shapes.cols(), model.dof_count() - 6);
  EXPECT_LT(orthonormality_error(modes.shapes, model.mass()), 1e-11);
}

TEST(InertiaModes, OfAThinRodStayOrthonormal) {
  // Three hundred times as long as thick: its stiffnesses range over ten decades, and so does the rounding in
  // its solves.
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(300.0, 1.0, 1.0), Eigen::Vector3i(150, 1, 1)});
  for (const bool held : {true, false}) {
    const FullModel model(mesh, {test::material("stvk")},
                          held ? test::vertices_below(mesh, 1e-9) : std::vector<int>{});
    RestStiffness rest(model);
    const InertiaModes modes = compute_inertia_modes(rest, 150);
    EXPECT_EQ(modes.shapes.cols(), 150);
    EXPECT_LT(orthonormality_error(modes.shapes, model.mass()), 1e-11) << (held ? "held" : "free");
  }
}

TEST(InertiaModes, ReportTheirProgressToTheEnd) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness rest(model);
  std::vector<double> seen;
  InertiaModesOptions options;
  options.progress = [&](std::string_view, double fraction) { seen.push_back(fraction); };
  (void)compute_inertia_modes(rest, 20, options);
  ASSERT_GE(seen.size(), 3u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 1.0);
}

TEST(InertiaModes, RefuseCountsThatTheBodyHasNot) {
  const FullModel model = test::supported_beam(Support::free);
  RestStiffness rest(model);
  EXPECT_TRUE(contains(error_text([&] { (void)compute_inertia_modes(rest, 0); }), "expected 1 to"));
  EXPECT_TRUE(contains(error_text([&] { (void)compute_inertia_modes(rest, model.dof_count() - 5); }),
                       fmt::format("expected 1 to {}", model.dof_count() - 6)));
}

TEST(InertiaModes, RefuseStartsThatDoNotFit) {
  const FullModel model = test::supported_beam(Support::free);
  RestStiffness rest(model);
  InertiaModesOptions options;
  options.start = Matrix::Ones(5, 2);
  EXPECT_TRUE(contains(error_text([&] { (void)compute_inertia_modes(rest, 3, options); }), "has 5 rows"));
  options.start = rigid_motions(model);
  EXPECT_TRUE(contains(error_text([&] { (void)compute_inertia_modes(rest, 3, options); }),
                       "strain the body nowhere"));
  options.start = Matrix::Zero(model.dof_count(), 2);
  EXPECT_TRUE(contains(error_text([&] { (void)compute_inertia_modes(rest, 3, options); }), "zero"));
}

TEST(InertiaStart, OfAFreeBodyHasTwentyFourMotions) {
  const FullModel model = slender_beam(false);
  const RestStiffness rest(model);
  const Matrix start = inertia_start(rest);
  EXPECT_EQ(start.cols(), 24);
  EXPECT_LT(orthonormality_error(start, model.mass()), 1e-12);
  EXPECT_LT((rest.rigid_modes().transpose() * (model.mass() * start)).norm(), 1e-12);
}

TEST(InertiaStart, OfACoarseFreeBodyLeavesOutWhatItCannotTellApart) {
  // One cell across: zz and yy are constant on its vertices, and so is what goes with them.
  const FullModel model(make_beam({ElementKind::tetrahedron, Vector3(3.0, 1.0, 1.0), {6, 1, 1}}),
                        {test::material("stvk")}, {});
  EXPECT_EQ(inertia_start(RestStiffness(model)).cols(), 18);
}

TEST(InertiaStart, OfAHeldBodyIsItsRigidMotions) {
  const FullModel model = test::supported_beam(Support::held);
  const Matrix start = inertia_start(RestStiffness(model));
  EXPECT_EQ(start.cols(), 6);
  EXPECT_LT(subspace_angles(start, rigid_motions(model), model.mass()).maxCoeff(), 1e-12);
}

TEST(RayleighRitz, FindsTheModesInAnyBasisOfTheirSpan) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness rest(model);
  const LinearModes modes = compute_linear_modes(rest, 5);
  const RitzModes ritz = rayleigh_ritz(rest, modes.shapes * random_matrix(5, 5, 3), 4);
  EXPECT_LT((ritz.eigenvalues - modes.eigenvalues.head(4)).cwiseQuotient(modes.eigenvalues.head(4)).norm(),
            1e-9);
  EXPECT_LT(orthonormality_error(ritz.shapes, model.mass()), 1e-12);
  const Matrix overlap = modes.shapes.leftCols(4).transpose() * (model.mass() * ritz.shapes);
  EXPECT_LT((overlap.cwiseAbs() - Matrix::Identity(4, 4)).norm(), 1e-6);
}

TEST(RayleighRitz, RefusesMoreModesThanTheVectorsSpan) {
  const FullModel model = test::supported_beam(Support::held);
  const RestStiffness rest(model);
  Matrix vectors = random_matrix(model.dof_count(), 3, 4);
  vectors.col(2) = vectors.col(0) + vectors.col(1);
  EXPECT_TRUE(contains(error_text([&] { (void)rayleigh_ritz(rest, vectors, 3); }), "expected 1 to 2"));
}

TEST(KrylovBasis, TakesBlocksOfAnyOriginAndKeepsThemOrthonormal) {
  const FullModel model = test::supported_beam(Support::held);
  KrylovBasis basis(model.mass(), Matrix(model.dof_count(), 0), 40, Executor(1));
  Matrix all(model.dof_count(), 40);
  for (Index block = 0; block < 8; ++block) {
    Matrix W = random_matrix(model.dof_count(), 5, static_cast<std::uint64_t>(block));
    // Nearly in the span of the blocks before: a thousandth of it is new.
    if (block > 0) W = all.leftCols(5 * block) * random_matrix(5 * block, 5, 100) + 1e-3 * W;
    all.middleCols(5 * block, 5) = W;
    basis.append(W);
  }
  const Matrix V = basis.take_vectors();
  ASSERT_EQ(V.cols(), 40);
  EXPECT_LT(orthonormality_error(V, model.mass()), 1e-12);
  EXPECT_LT(subspace_angles(V, all, model.mass()).maxCoeff(), 1e-12);
}

TEST(KrylovBasis, DropsABlockThatLiesInOldVectors) {
  const FullModel model = test::supported_beam(Support::held);
  KrylovBasis basis(model.mass(), Matrix(model.dof_count(), 0), 40, Executor(1));
  const Matrix first = random_matrix(model.dof_count(), 4, 1);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 1}) basis.append(random_matrix(model.dof_count(), 4, seed));
  basis.finish();
  EXPECT_EQ(basis.size(), 20);
  EXPECT_LT(orthonormality_error(basis.take_vectors(), model.mass()), 1e-12);
}

TEST(NarrowProducts, AgreeWithMatrixProductsOfAnySize) {
  for (const Index rows : {1, 7, 8, 513, 1100}) {
    for (const Index k : {1, 8, 13}) {
      for (const Index c : {1, 2, 3, 7}) {
        const Matrix V = random_matrix(rows, k, 1), X = random_matrix(rows, c, 2), H = random_matrix(k, c, 3);
        Matrix Y = X;
        subtract_combination(V, H, Y, Executor(2));
        EXPECT_LT((Y - (X - V * H)).norm(), 1e-13 * (1.0 + Y.norm())) << rows << ", " << k << ", " << c;
        EXPECT_LT((narrow_product(V, X, Executor(2)) - V.transpose() * X).norm(), 1e-12 * X.norm() * V.norm())
            << rows << ", " << k << ", " << c;
      }
    }
  }
}

TEST(NarrowProducts, MayHaveNoColumns) {
  EXPECT_EQ(narrow_product(Matrix(9, 0), Matrix::Ones(9, 2), Executor(1)), Matrix(0, 2));
  Matrix X = Matrix::Ones(9, 2);
  subtract_combination(Matrix(9, 0), Matrix(0, 2), X, Executor(1));
  EXPECT_EQ(X, Matrix::Ones(9, 2));
}

}  // namespace
}  // namespace limber::inertia_modes_test
