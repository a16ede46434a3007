#include "limber/precompute/poses.hpp"

#include "limber/precompute/reduce.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::poses_test {
namespace {

class Poses : public testing::Test {
 protected:
  Poses()
      : mesh(make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.15, 0.1), Eigen::Vector3i(8, 2, 2)})),
        model(mesh, {test::material("stvk", 1e5, 0.3)}, test::vertices_below(mesh, 1e-9)) {
    ReduceOptions options;
    options.basis.modes = 4;
    options.basis.rank = 8;
    ReduceReport report;
    reduced = reduce(model, {}, {}, options, report);
    basis.resize(model.dof_count(), 8);
    for (Index i = 0; i < 8; ++i) {
      const Matrix3X field =
          Eigen::Map<const Matrix3X>(reduced.simulation->basis.col(i).data(), 3, mesh.vertex_count());
      basis.col(i) = model.dofs().restrict(field);
    }
    space = make_pose_space(model, basis);
  }

  VolumeMesh mesh;
  FullModel model;
  ReducedModel reduced;
  Matrix basis;
  PoseSpace space;
};

TEST_F(Poses, NaturalDirectionsDiagonaliseMassAndStiffness) {
  const Matrix M = space.directions.transpose() * space.mass * space.directions;
  const Matrix K = space.directions.transpose() * space.stiffness * space.directions;
  EXPECT_LT((M - Matrix::Identity(8, 8)).norm(), 1e-10);
  const Vector squares = space.omega.cwiseAbs2();
  EXPECT_LT((K - Matrix(squares.asDiagonal())).norm(), 1e-9 * squares.maxCoeff());
}

TEST_F(Poses, LinearOnesReachTheAmplitudeAndNoMore) {
  const Vector sizes = largest_displacements(space, linear_poses(space, 40, 0.2, 3)) / space.size;
  EXPECT_NEAR(sizes.maxCoeff(), 0.2, 0.2 / 40);
  EXPECT_GT(sizes.minCoeff(), 0.0);
}

TEST_F(Poses, OfMotionsGoFarAndStayInBounds) {
  const Elasticity elastic = make_equations(reduced).elastic;
  const Matrix poses = motion_poses(space, elastic, 50, 0.25, 3);
  ASSERT_EQ(poses.cols(), 50);
  const Vector sizes = largest_displacements(space, poses) / space.size;
  EXPECT_GT(sizes.maxCoeff(), 0.12);
  EXPECT_LT(sizes.maxCoeff(), 0.5);
}

// What training rests on: poses of motions have far smaller forces than shapes of the linear body that move
// as far.
TEST_F(Poses, OfMotionsAreSofterThanLinearOnes) {
  const Elasticity elastic = make_equations(reduced).elastic;
  const auto energy_per_square = [&](const Matrix& poses) {
    ElasticWorkspace work;
    Vector force(8);
    Vector values(poses.cols());
    const Vector sizes = largest_displacements(space, poses);
    for (Index t = 0; t < poses.cols(); ++t)
      values(t) = elastic.evaluate_force(poses.col(t), work, force) / (sizes(t) * sizes(t));
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values(values.size() / 2);
  };
  const Matrix moving = motion_poses(space, elastic, 100, 0.3, 5);
  const Matrix linear = linear_poses(space, 100, 0.3, 5);
  EXPECT_LT(energy_per_square(moving), energy_per_square(linear));
}

TEST_F(Poses, AreTheSameForTheSameSeedOnAnyNumberOfThreads) {
  const Elasticity elastic = make_equations(reduced).elastic;
  const Matrix one = motion_poses(space, elastic, 20, 0.2, 9, Executor(1));
  EXPECT_TRUE(one == motion_poses(space, elastic, 20, 0.2, 9, Executor(2)));
  EXPECT_FALSE(one == motion_poses(space, elastic, 20, 0.2, 10, Executor(2)));
}

TEST_F(Poses, GaussianOnesHaveTheDeviationsAskedFor) {
  const Vector deviation = gaussian_deviation(space, 0.1, 1);
  const Matrix poses = gaussian_poses(space, Vector::Zero(8), deviation, 4000, 2);
  const Matrix coordinates = space.directions.transpose() * (space.mass * poses);
  for (Index i = 0; i < 8; ++i)
    EXPECT_NEAR(coordinates.row(i).norm() / std::sqrt(4000.0), deviation(i), 0.05 * deviation(i));
  const double size = largest_displacements(space, poses).norm() / std::sqrt(4000.0);
  EXPECT_NEAR(size, 0.1 * space.size, 0.02 * space.size);
}

}  // namespace
}  // namespace limber::poses_test
