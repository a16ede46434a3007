#include "limber/precompute/training_set.hpp"

#include "tests/precompute/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace limber::training_set_test {
namespace {

using test::error_text;

Matrix poses_of_gradient(const FullModel& model, const Matrix& U, Index count, double gradient) {
  Matrix poses(U.cols(), count);
  for (Index t = 0; t < count; ++t)
    poses.col(t) = test::state_of_gradient(model, U, gradient, static_cast<std::uint64_t>(t));
  return poses;
}

TEST(TrainingSet, HoldsTheProjectedForcesAndEnergiesOfTheFullModel) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const FullModel model = test::uneven_model(kind, 3);
    const Matrix U = test::wave_basis(model, 4), poses = poses_of_gradient(model, U, 7, 0.3);
    const TrainingSet set = evaluate_poses(model, U, poses);
    ASSERT_EQ(set.size(), 7);
    EXPECT_EQ(set.poses, poses);
    for (Index t = 0; t < 7; ++t) {
      const test::Projected expected(model, U, poses.col(t));
      EXPECT_LT((set.forces.col(t) - expected.force).norm() / expected.force.norm(), 1e-13);
      EXPECT_LT(std::abs(set.energies(t) / expected.energy - 1.0), 1e-13);
    }
  }
}

TEST(TrainingSet, LeavesOutPosesWithoutForceOrNumber) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  const Matrix U = test::wave_basis(model, 4);
  Matrix poses = poses_of_gradient(model, U, 6, 0.3);
  poses.col(1).setZero();
  poses.col(4).setConstant(1e200);  // its stress is beyond the largest number
  const TrainingSet set = evaluate_poses(model, U, poses);
  ASSERT_EQ(set.size(), 4);
  ASSERT_EQ(set.forces.cols(), 4);
  ASSERT_EQ(set.energies.size(), 4);
  const Index kept[] = {0, 2, 3, 5};
  for (Index t = 0; t < 4; ++t) EXPECT_EQ(set.poses.col(t), poses.col(kept[t]));
}

TEST(TrainingSet, LeavesOutForcesThatAreRounding) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron);
  const FullModel model(mesh, {test::material("stvk")}, {});
  const Vector turned = model.dofs().restrict((test::some_rotation() - Matrix3::Identity()) * mesh.vertices);
  Matrix basis(model.dof_count(), 2);
  basis << turned, test::wave_basis(model, 1);
  Matrix poses(2, 3);
  poses << 1.0, 0.0, 1.0, 0.0, 1e-3, 1e-3;  // a rotation, a strain, both
  const TrainingSet set = evaluate_poses(model, basis, poses);
  ASSERT_EQ(set.size(), 2);
  EXPECT_EQ(set.poses.col(0), poses.col(1));
}

TEST(TrainingSet, HasTheSameBitsForAnyNumberOfThreads) {
  std::vector<TrainingSet> sets;
  for (const int threads : {1, 2, 3, 7}) {
    const FullModel model =
        test::uneven_model(ElementKind::tetrahedron, 3, 1.0, {MassKind::consistent, Executor(threads)});
    const Matrix U = test::wave_basis(model, 5);
    sets.push_back(evaluate_poses(model, U, poses_of_gradient(model, U, 70, 0.3)));
    EXPECT_EQ(sets.back().forces, sets[0].forces) << threads << " threads";
    EXPECT_EQ(sets.back().energies, sets[0].energies) << threads << " threads";
  }
}

TEST(TrainingSet, GrowsByAnother) {
  const FullModel model = test::uneven_model(ElementKind::brick, 1);
  const Matrix U = test::wave_basis(model, 3), poses = poses_of_gradient(model, U, 8, 0.3);
  TrainingSet set;
  set.append(evaluate_poses(model, U, poses.leftCols(4)));
  set.append(evaluate_poses(model, U, poses.rightCols(4)));
  set.append(evaluate_poses(model, U, Matrix(3, 0)));
  const TrainingSet whole = evaluate_poses(model, U, poses);
  EXPECT_EQ(set.poses, whole.poses);
  EXPECT_EQ(set.forces, whole.forces);
  EXPECT_EQ(set.energies, whole.energies);
  const TrainingSet other = evaluate_poses(model, U.leftCols(2), poses.topRows(2));
  EXPECT_EQ(error_text([&] { set.append(other); }), "poses of 2 coordinates cannot join poses of 3");
}

TEST(TrainingSet, ReportsItsProgress) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  const Matrix U = test::wave_basis(model, 2);
  std::vector<double> fractions;
  evaluate_poses(model, U, poses_of_gradient(model, U, 100, 0.1),
                 [&](std::string_view stage, double fraction) {
                   EXPECT_EQ(stage, "training poses");
                   fractions.push_back(fraction);
                 });
  ASSERT_GE(fractions.size(), 3u);
  EXPECT_EQ(fractions.front(), 0.0);
  EXPECT_EQ(fractions.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
}

TEST(TrainingSet, RefusesWhatDoesNotFit) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  const Index dofs = model.dof_count();
  Matrix U = test::wave_basis(model, 3), poses = poses_of_gradient(model, U, 2, 0.1);
  EXPECT_EQ(error_text([&] { evaluate_poses(model, U.topRows(dofs - 1), poses); }),
            fmt::format("the basis has {} rows, the model needs {} (3 per free vertex)", dofs - 1, dofs));
  EXPECT_EQ(error_text([&] { evaluate_poses(model, U, poses.topRows(2)); }),
            "poses have 2 coordinates, the basis has 3");
  poses(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { evaluate_poses(model, U, poses); }),
            "poses have coordinates that are not finite");
  poses(1, 1) = 0.0;
  U(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_text([&] { evaluate_poses(model, U, poses); }),
            "the basis has entries that are not finite");
}

TEST(TrainingSet, IsCheckedBeforeItIsUsed) {
  const TrainingSet good{Matrix::Ones(3, 2), Matrix::Ones(3, 2), Vector::Ones(2)};
  EXPECT_NO_THROW(check_training_set(good, 3));
  EXPECT_EQ(error_text([&] { check_training_set({}, 3); }),
            "there are no training poses, expected one at least");
  EXPECT_EQ(error_text([&] { check_training_set(good, 4); }),
            "training poses have 3 coordinates and forces 3, the basis has 4");
  TrainingSet bad = good;
  bad.energies.resize(1);
  EXPECT_EQ(error_text([&] { check_training_set(bad, 3); }),
            "2 training poses have 2 forces and 1 energies, expected one of each");
  bad = good;
  bad.forces(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { check_training_set(bad, 3); }),
            "training pose 1 has numbers that are not finite");
  bad = good;
  bad.forces.col(1).setZero();
  EXPECT_EQ(error_text([&] { check_training_set(bad, 3); }),
            "training pose 1 has no force, so no relative error; leave it out");
}

}  // namespace
}  // namespace limber::training_set_test
