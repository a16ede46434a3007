#include "limber/online/residual_error.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/full/statics.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::residual_error_test {
namespace {

FullModel held_beam(std::string_view law = "neo-hookean") {
  VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.3}, .cells = {5, 1, 2}});
  const std::vector<int> fixed = test::vertices_below(mesh, 1e-9);
  return {std::move(mesh), {test::material(law)}, fixed};
}

/// Each vertex turned by much, and stretched and shifted, by maps that vary a little along the body: not by
/// so much that it buckles.
VertexMaps some_maps(const FullModel& model) {
  const Matrix3X& X = model.mesh().vertices;
  VertexMaps maps = VertexMaps::identity(X.cols());
  for (Index v = 0; v < X.cols(); ++v) {
    const Matrix3 turn =
        Eigen::AngleAxisd(1.0 + 0.02 * X(0, v), Vector3(0.3, 0.5, 0.8).normalized()).toRotationMatrix();
    maps.linear.push_back((1.0 + 0.02 * X(1, v)) * turn);
    maps.offset.col(v) = (maps.linear.back() - Matrix3::Identity()) * X.col(v) + Vector3(0.1, 0.0, -0.2);
  }
  return maps;
}

VertexMaps still(const FullModel& model) { return VertexMaps::identity(model.mesh().vertex_count()); }

/// u in equilibrium under a load that bends the body far: the stiffness there is positive definite.
Vector bent(FullModel& model) {
  Vector u = Vector::Zero(model.dof_count());
  model.set_supports(still(model).offset);
  EXPECT_TRUE(solve_static(model, model.gravity_force({0.0, 0.4, -1.0}), u).ok());
  return u;
}

/// How |e - t w| falls with t where a state in equilibrium is displaced by t w.
double error_slope(FullModel& model, const VertexMaps& maps) {
  const Vector u = bent(model), w = test::random_vector(model.dof_count(), 0.05, 3);
  ResidualError error(model, SparseSolverKind::cholesky);
  EXPECT_FALSE(error.ready());
  EXPECT_TRUE(error.refresh(u, maps, 0.0).ok());
  EXPECT_TRUE(error.ready());
  EXPECT_EQ(error.reference(), u);
  const Vector load = model.internal_force(maps.to_world(model.dofs(), u));
  const auto remainder = [&](double t) {
    const Vector force = model.internal_force(maps.to_world(model.dofs(), u + t * w));
    return (error.displacement(maps.pulled_back(model.dofs(), force - load)) - t * w).norm();
  };
  return test::remainder_slope(remainder, w.norm());
}

TEST(ResidualError, InStaticsIsTheErrorToFirstOrder) {
  FullModel model = held_beam();
  EXPECT_NEAR(error_slope(model, still(model)), 2.0, 0.1);
}

TEST(ResidualError, InThePoseOfASkeletonIsTheErrorToFirstOrder) {
  FullModel model = held_beam();
  EXPECT_NEAR(error_slope(model, some_maps(model)), 2.0, 0.1);
}

TEST(ResidualError, InMotionIsShiftedByTheMass) {
  FullModel model = held_beam();
  ResidualError error(model, SparseSolverKind::cholesky);
  const Vector u = bent(model), residual = test::random_vector(model.dof_count(), 1.0, 4);
  ASSERT_TRUE(error.refresh(u, still(model), 30.0).ok());
  const Vector e = error.displacement(residual);
  const Vector back = model.stiffness(u) * e + 30.0 * (model.mass() * e);
  EXPECT_LT((back - residual).norm(), 1e-9 * residual.norm());
}

TEST(ResidualError, HasAnAnswerWhereTheStiffnessIsIndefinite) {
  FullModel model = held_beam("stvk");
  Matrix3X field = Matrix3X::Zero(3, model.mesh().vertex_count());
  field.row(0) = -0.1 * model.mesh().vertices.row(0);  // pressed far beyond where it buckles
  const Vector u = model.dofs().restrict(field);
  const SymmetricEigen eigen = symmetric_eigen(Matrix(model.stiffness(u)));
  ASSERT_LT(eigen.values(0), 0.0);
  ResidualError error(model, SparseSolverKind::cholesky);
  EXPECT_TRUE(error.refresh(u, still(model), 0.0).ok());
  const Vector buckling = eigen.vectors.col(0);
  EXPECT_TRUE(error.displacement(buckling).allFinite());
  EXPECT_GT(buckling.dot(error.displacement(buckling)), 0.0);
}

TEST(ResidualError, TakenBackGivesTheSameBits) {
  for (const bool carried : {false, true}) {
    FullModel model = held_beam(), same = held_beam();
    const VertexMaps maps = carried ? some_maps(model) : still(model);
    ResidualError error(model, SparseSolverKind::cholesky), other(same, SparseSolverKind::cholesky);
    ASSERT_TRUE(error.refresh(bent(model), maps, 7.0).ok());
    StateWriter out;
    error.save(out);
    StateReader in(out.bytes(), "state");
    other.restore(in);
    in.finish();
    EXPECT_TRUE(other.ready());
    EXPECT_EQ(other.reference(), error.reference());
    const Vector residual = test::random_vector(model.dof_count(), 1.0, 4);
    EXPECT_EQ(error.displacement(residual), other.displacement(residual));
  }
}

TEST(ResidualError, TakenBackBeforeItWasMadeIsNotReady) {
  FullModel model = held_beam();
  ResidualError error(model, SparseSolverKind::cholesky), other(model, SparseSolverKind::cholesky);
  ASSERT_TRUE(other.refresh(bent(model), still(model), 0.0).ok());
  StateWriter out;
  error.save(out);
  StateReader in(out.bytes(), "state");
  other.restore(in);
  in.finish();
  EXPECT_FALSE(other.ready());
}

TEST(PullBackStiffness, IsTheProductWithTheMapsOnBothSides) {
  FullModel model = held_beam();
  const VertexMaps maps = some_maps(model);
  SparseMatrix K = model.stiffness(bent(model));
  const Matrix dense = K;
  const Matrix L = maps.carried(model.dofs(), Matrix::Identity(model.dof_count(), model.dof_count()));
  pull_back_stiffness(model.dofs(), maps, K);
  EXPECT_LT((Matrix(K) - L.transpose() * dense * L).norm(), 1e-13 * dense.norm());
}

TEST(LowestFrequency, IsThatOfTheFirstModeOrALittleMore) {
  const FullModel model = held_beam();
  const double exact = std::sqrt(compute_linear_modes(model, 1).eigenvalues(0));
  const double found = lowest_frequency(model, SparseSolverKind::cholesky);
  EXPECT_GE(found, (1.0 - 1e-9) * exact);
  EXPECT_LE(found, 1.05 * exact);
}

TEST(LowestFrequency, IsZeroWhereAPartCanMoveWithoutStrain) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {3, 1, 1}});
  const FullModel free(mesh, {test::material("stvk")}, std::vector<int>{});
  EXPECT_EQ(lowest_frequency(free, SparseSolverKind::cholesky), 0.0);
  const std::vector<int> end = test::vertices_below(mesh, 1e-9);
  const FullModel hinged(mesh, {test::material("stvk")}, std::vector<int>{end[0], end[1]});
  EXPECT_EQ(lowest_frequency(hinged, SparseSolverKind::cholesky), 0.0);
}

}  // namespace
}  // namespace limber::residual_error_test
