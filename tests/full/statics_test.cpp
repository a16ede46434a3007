#include "limber/full/statics.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::statics_test {
namespace {

/// A slender cantilever, held at x = 0, pushed at its free end.
struct Cantilever {
  VolumeMesh mesh;
  FullModel model;
  Vector load;

  Cantilever(ElementKind kind, std::string_view law, double force, int cells = 20)
      : mesh(make_beam({kind, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(cells, 2, 2)})),
        model(mesh, {test::material(law, 1e6, 0.3)}, test::vertices_below(mesh, 1e-6)),
        load(Vector::Zero(model.dof_count())) {
    int tips = 0;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      if (mesh.vertices(0, v) < 1.0 - 1e-9) continue;
      load(3 * model.dofs().free_index(v) + 2) = -1.0;
      ++tips;
    }
    load *= force / tips;
  }

  double tip_drop(const Vector& u) const { return -model.dofs().expand(u).row(2).minCoeff(); }
};

TEST(Statics, OfALinearBodyTakeOneIteration) {
  const Cantilever c(ElementKind::brick, "linear", 1.0);
  Vector u = Vector::Zero(c.model.dof_count());
  const StaticReport report = solve_static(c.model, c.load, u, {.load_steps = 1});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.iterations, 1);
  EXPECT_LT((c.model.stiffness(u) * u - c.load).norm(), 1e-8 * c.load.norm());
}

TEST(Statics, OfASlenderBeamApproachBeamTheory) {
  // w = F L^3 / (3 E I); trilinear bricks are a little too stiff in bending.
  const Cantilever c(ElementKind::brick, "stvk", 0.01, 80);
  Vector u = Vector::Zero(c.model.dof_count());
  ASSERT_TRUE(solve_static(c.model, c.load, u).ok());
  const double theory = 0.01 / (3.0 * 1e6 * (0.1 * 0.1 * 0.1 * 0.1 / 12.0));
  EXPECT_NEAR(c.tip_drop(u) / theory, 1.0, 0.2);
}

class EveryLaw : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryLaw, BalancesALoadThatBendsTheBodyByHalfItsLength) {
  const Cantilever c(ElementKind::tetrahedron, GetParam(), 60.0);
  Vector u = Vector::Zero(c.model.dof_count());
  const StaticReport report = solve_static(c.model, c.load, u);
  ASSERT_TRUE(report.ok()) << name_of(report.status) << " at residual " << report.residual;
  EXPECT_GT(c.tip_drop(u), 0.5);
  EXPECT_LT((c.model.internal_force(u) - c.load).norm(), 1e-8 * c.load.norm());
  if (GetParam() != "linear") {
    EXPECT_GT(report.smallest_volume_ratio, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryLaw, testing::ValuesIn(material_names), [](const auto& tested) {
  std::string name(tested.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Statics, FindTheSameStateInOneLoadStepAndInMany) {
  const Cantilever c(ElementKind::tetrahedron, "stvk", 60.0);
  Vector automatic = Vector::Zero(c.model.dof_count()), many = automatic;
  ASSERT_TRUE(solve_static(c.model, c.load, automatic).ok());
  ASSERT_TRUE(solve_static(c.model, c.load, many, {.load_steps = 40}).ok());
  EXPECT_LT((automatic - many).norm(), 1e-6 * many.norm());
}

TEST(Statics, ComeBackToRestWhenTheLoadIsTakenAway) {
  const Cantilever c(ElementKind::tetrahedron, "neo-hookean", 60.0);
  StaticSolver solver(c.model);
  Vector u = Vector::Zero(c.model.dof_count());
  ASSERT_TRUE(solver.solve(c.load, u).ok());
  EXPECT_GT(u.norm(), 0.1);
  ASSERT_TRUE(solver.solve(Vector::Zero(u.size()), u).ok());
  EXPECT_LT(u.norm(), 1e-5);
}

TEST(Statics, AgreeBetweenCholeskyAndConjugateGradients) {
  const Cantilever c(ElementKind::tetrahedron, "stvk", 30.0, 10);
  Vector direct = Vector::Zero(c.model.dof_count()), iterative = direct;
  ASSERT_TRUE(solve_static(c.model, c.load, direct).ok());
  ASSERT_TRUE(
      solve_static(c.model, c.load, iterative, {.solver = SparseSolverKind::conjugate_gradient}).ok());
  EXPECT_LT((direct - iterative).norm(), 1e-6 * direct.norm());
}

TEST(Statics, RecoverFromAStartFullOfInvertedElements) {
  const Cantilever c(ElementKind::tetrahedron, "neo-hookean", 1.0, 8);
  Vector u = Vector::Zero(c.model.dof_count());
  u.tail<3>() = Vector3(-0.3, 0.02, 0.01);  // the last corner pushed through its neighbours
  ASSERT_LT(c.model.smallest_volume_ratio(u), 0.0);
  const StaticReport report = solve_static(c.model, c.load, u, {.max_iterations = 200, .load_steps = 1});
  ASSERT_TRUE(report.ok()) << report.residual;
  EXPECT_GT(report.projected_iterations, 0) << "the tangent there is indefinite";
  Vector reference = Vector::Zero(u.size());
  ASSERT_TRUE(solve_static(c.model, c.load, reference).ok());
  EXPECT_LT((u - reference).norm(), 1e-4 * reference.norm());
}

TEST(Statics, OfAStiffBodyUnderATinyLoadConvergeAsFarAsRoundingAllows) {
  // Steel under its weight, and under a millinewton: strains of 1e-6 and 1e-12, known to about 1e-16 each.
  for (const std::string_view law : material_names) {
    const VolumeMesh mesh =
        make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(20, 2, 2)});
    const FullModel model(mesh, {test::material(law, 2.1e11, 0.3, 7800.0)}, test::vertices_below(mesh, 1e-6));
    for (const double acceleration : {9.81, 1e-5}) {
      const Vector load = model.gravity_force({0, 0, -acceleration});
      Vector u = Vector::Zero(model.dof_count());
      const StaticReport report = solve_static(model, load, u);
      ASSERT_TRUE(report.ok()) << law << " at residual " << report.residual;
      EXPECT_LT(report.iterations, 10) << law;
      const auto linear = make_sparse_solver();
      ASSERT_TRUE(linear->factor(model.stiffness(Vector::Zero(u.size()))).ok());
      Vector expected(u.size());
      ASSERT_TRUE(linear->solve(load, expected).ok());
      EXPECT_LT((u - expected).norm(), 1e-3 * expected.norm()) << law;
    }
  }
}

TEST(Statics, OfALinearBodyDoNotMindInversion) {
  const Cantilever c(ElementKind::brick, "linear", 1.0, 4);
  Vector push = Vector::Zero(c.model.dof_count()), u = push;
  for (Index i = 0; i < push.size(); i += 3) push(i) = -1e5;
  const StaticReport report = solve_static(c.model, push, u, {.load_steps = 1});
  ASSERT_TRUE(report.ok());
  EXPECT_LT(report.smallest_volume_ratio, 0.0);
  EXPECT_EQ(report.load_steps, 1);
}

TEST(Statics, SayWhenTheyDoNotConverge) {
  const Cantilever c(ElementKind::tetrahedron, "stvk", 60.0);
  Vector u = Vector::Zero(c.model.dof_count());
  const StaticReport report = solve_static(c.model, c.load, u, {.tolerance = 1e-12, .max_iterations = 1});
  EXPECT_EQ(report.status, SolveStatus::not_converged);
  EXPECT_TRUE(u.allFinite());
}

TEST(Statics, RefuseBodiesThatNothingHolds) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron);
  for (const std::vector<int>& fixed : {std::vector<int>{}, {0}, {0, 1}, {0, 1, 2}}) {
    const FullModel model(mesh, {test::material("stvk")}, fixed);
    EXPECT_THROW(StaticSolver{model}, Error) << fixed.size() << " vertices";
  }
}

TEST(Statics, RefuseASecondPartThatNothingHolds) {
  VolumeMesh mesh = test::unit_beam(ElementKind::brick, 1, 1, 1);
  const VolumeMesh other = mesh;
  mesh.vertices.conservativeResize(3, 16);
  mesh.vertices.rightCols(8) = other.vertices.colwise() + Vector3(5, 0, 0);
  mesh.elements.conservativeResize(8, 2);
  mesh.elements.col(1) = other.elements.col(0).array() + 8;
  mesh.region.push_back(0);
  const FullModel model(mesh, {test::material("stvk")}, std::vector<int>{0, 1, 2, 3});
  EXPECT_THROW(StaticSolver{model}, Error);
}

TEST(Statics, RefusePartsThatHangOnAnEdge) {
  // Two bricks that share the two vertices of one edge: the second swings about it like a door.
  VolumeMesh mesh = test::unit_beam(ElementKind::brick, 2, 2, 1);
  Eigen::MatrixXi diagonal(8, 2);
  diagonal.col(0) = mesh.elements.col(0);
  diagonal.col(1) = mesh.elements.col(3);
  mesh.elements = diagonal;
  mesh.region = {0, 0};
  const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5));
  EXPECT_THROW(StaticSolver{model}, Error);
}

}  // namespace
}  // namespace limber::statics_test
