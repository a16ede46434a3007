#include "limber/basis/contact_responses.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/basis/energy_pca.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/full/statics.hpp"
#include "limber/linalg/cholesky.hpp"
#include "tests/basis/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <set>

namespace limber::contact_responses_test {
namespace {

using test::Support;

class ContactResponsesOf : public testing::TestWithParam<Support> {};

INSTANTIATE_TEST_SUITE_P(AllSupports, ContactResponsesOf, testing::ValuesIn(test::all_supports),
                         [](const auto& one) { return test::name_of(one.param); });

TEST(BoundaryAreas, AddUpToNothingAndTellTheSize) {
  const VolumeMesh cube =
      make_beam({ElementKind::tetrahedron, Vector3::Constant(0.3), Eigen::Vector3i(3, 3, 3)});
  const BoundaryAreas areas = boundary_areas(cube);
  EXPECT_NEAR(areas.size, 0.3, 1e-14);
  EXPECT_EQ(areas.vertices.size(), 56u);  // all but the eight inside
  EXPECT_LT(areas.vectors.rowwise().sum().norm(), 1e-16);
  const Vector3 middle = cube.vertices.rowwise().mean();
  for (const int v : areas.vertices) EXPECT_GT(areas.vectors.col(v).dot(cube.vertices.col(v) - middle), 0.0);
}

TEST(PatchLoad, PressesOneSideOfAPlateWithOneNewton) {
  const VolumeMesh plate =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 1.0, 0.01), Eigen::Vector3i(10, 10, 1)});
  const FullModel model(plate, {test::material("stvk")}, std::vector<int>{});
  const BoundaryAreas areas = boundary_areas(plate);
  const double top = plate.vertices.row(2).maxCoeff();
  int center = -1;
  for (int v = 0; v < plate.vertex_count(); ++v) {
    if ((plate.vertices.col(v) - Vector3(plate.vertices.col(0) + Vector3(0.5, 0.5, 0.01))).norm() < 1e-9)
      center = v;
  }
  ASSERT_GE(center, 0);
  const Matrix3X load = model.dofs().expand(patch_load(model, areas, center, 0.25));
  EXPECT_LT((load.rowwise().sum() + Vector3(0.0, 0.0, 1.0)).norm(), 1e-12);
  for (int v = 0; v < plate.vertex_count(); ++v) {
    const double distance = (plate.vertices.col(v) - plate.vertices.col(center)).norm();
    const bool pressed = distance < 0.25 && plate.vertices(2, v) > top - 1e-9;
    EXPECT_EQ(load.col(v).norm() > 0.0, pressed) << "vertex " << v;
    EXPECT_LE(load.col(v).norm(), load.col(center).norm() * (1.0 + 1e-9)) << "vertex " << v;
  }
  const Matrix3X point = model.dofs().expand(patch_load(model, areas, center, 0.0));
  EXPECT_LT((point.col(center) + Vector3(0.0, 0.0, 1.0)).norm(), 1e-12);
  EXPECT_NEAR(point.norm(), 1.0, 1e-12);
}

TEST_P(ContactResponsesOf, SolveTheirEquationsWithoutRigidMotion) {
  const FullModel model = test::supported_beam(GetParam());
  RestStiffness rest(model);
  const BoundaryAreas areas = boundary_areas(model.mesh());
  const ContactResponses responses = compute_contact_responses(rest, {.patches = 30});
  ASSERT_EQ(responses.shapes.cols(), 30);
  EXPECT_EQ(std::set<int>(responses.centers.begin(), responses.centers.end()).size(), 30u);
  const Matrix& N = rest.rigid_modes();
  const Matrix MN = model.mass() * N;
  for (Index i = 0; i < 30; ++i) {
    const Vector f =
        patch_load(model, areas, responses.centers[static_cast<std::size_t>(i)], responses.radius);
    const Vector x = std::sqrt(responses.compliances(i)) * responses.shapes.col(i);
    const Vector balanced = f - MN * (N.transpose() * f);
    EXPECT_LT((rest.matrix() * x - balanced).norm(), 1e-9 * f.norm()) << "patch " << i;
    EXPECT_NEAR(x.dot(rest.matrix() * x) / responses.compliances(i), 1.0, 1e-9) << "patch " << i;
    EXPECT_LT((MN.transpose() * x).norm(), 1e-10 * std::sqrt(x.dot(model.mass() * x)) + 1e-300)
        << "patch " << i;
  }
}

TEST(ContactResponses, AreWhatFullStaticsFindsUnderASmallLoad) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness rest(model);
  const BoundaryAreas areas = boundary_areas(model.mesh());
  const ContactResponses responses = compute_contact_responses(rest, {.patches = 6});
  for (Index i = 0; i < 6; ++i) {
    const Vector x = std::sqrt(responses.compliances(i)) * responses.shapes.col(i);
    const double small = 1e-6 / x.lpNorm<Eigen::Infinity>();  // moves it by a micrometre
    const Vector load =
        small * patch_load(model, areas, responses.centers[static_cast<std::size_t>(i)], responses.radius);
    Vector u = Vector::Zero(model.dof_count());
    ASSERT_TRUE(solve_static(model, load, u).ok());
    EXPECT_LT((u / small - x).norm(), 1e-5 * x.norm()) << "patch " << i;
  }
}

TEST(ContactResponses, AreOfSomeOfTheSurfaceWhereThatIsSaid) {
  const FullModel model = test::supported_beam(Support::held);
  RestStiffness rest(model);
  std::vector<int> top;
  for (int v = 0; v < model.mesh().vertex_count(); ++v) {
    if (model.mesh().vertices(2, v) > 0.44) top.push_back(v);
  }
  const ContactResponses responses = compute_contact_responses(rest, {.where = top, .patches = 1000});
  EXPECT_EQ(responses.centers.size(), 15u);  // without the three that are held
  for (const int v : responses.centers) EXPECT_GT(model.mesh().vertices(2, v), 0.44);
  const auto refusal = [&](std::vector<int> where) {
    return test::error_text([&] { (void)compute_contact_responses(rest, {.where = std::move(where)}); });
  };
  EXPECT_TRUE(
      test::contains(refusal(test::vertices_below(model.mesh(), 1e-9)), "that is to be touched moves"));
  EXPECT_TRUE(test::contains(refusal({100000}), "vertex 100000 is to be touched"));
}

TEST(ContactResponses, RefuseABodyWhoseSurfaceIsHeld) {
  const VolumeMesh cube = make_beam({ElementKind::tetrahedron, Vector3::Ones(), Eigen::Vector3i(2, 2, 2)});
  const BoundaryAreas areas = boundary_areas(cube);
  const FullModel model(cube, {test::material("stvk")}, areas.vertices);
  RestStiffness rest(model);
  EXPECT_TRUE(test::contains(test::error_text([&] { (void)compute_contact_responses(rest); }),
                             "no vertex of the surface moves"));
  EXPECT_TRUE(test::contains(test::error_text([&] { (void)compute_contact_responses(rest, {.patches = 0}); }),
                             "0 patches"));
}

TEST_P(ContactResponsesOf, HeldEnergyIsTheShareOfTheTrueCompliance) {
  const FullModel model = test::supported_beam(GetParam());
  RestStiffness rest(model);
  const BoundaryAreas areas = boundary_areas(model.mesh());
  const ContactResponses responses = compute_contact_responses(rest, {.patches = 12});
  const Matrix U = compute_linear_modes(rest, rest.rigid_modes().cols() + 8).elastic_shapes();
  const Vector held = held_energy(rest, U, responses.shapes);
  const Cholesky factor(U.transpose() * (rest.matrix() * U));
  for (Index i = 0; i < 12; ++i) {
    const Vector f =
        patch_load(model, areas, responses.centers[static_cast<std::size_t>(i)], responses.radius);
    const Vector g = U.transpose() * f;
    EXPECT_NEAR(held(i), g.dot(factor.solve(g).col(0)) / responses.compliances(i), 1e-8) << "patch " << i;
  }
  EXPECT_LT(held.maxCoeff(), 0.99);
  EXPECT_LT(held_energy(rest, Matrix(model.dof_count(), 0), responses.shapes).norm(), 1e-12);
}

TEST_P(ContactResponsesOf, EnergyDirectionsAreOrthogonalAndHoldMoreThanAnyOfTheSamples) {
  const FullModel model = test::supported_beam(GetParam());
  RestStiffness rest(model);
  const Matrix X = compute_contact_responses(rest, {.patches = 20}).shapes;
  const Matrix U = compute_linear_modes(rest, rest.rigid_modes().cols() + 6).elastic_shapes();
  const Matrix V = energy_directions(rest, U, X, 4);
  ASSERT_EQ(V.cols(), 4);
  const Matrix KV = rest.matrix() * V;
  EXPECT_LT((V.transpose() * KV - Matrix::Identity(4, 4)).norm(), 1e-9);
  const Vector omega = (U.transpose() * (rest.matrix() * U)).diagonal().cwiseSqrt();
  EXPECT_LT((omega.cwiseInverse().asDiagonal() * (U.transpose() * KV)).norm(), 1e-9);
  EXPECT_LT((rest.rigid_modes().transpose() * (model.mass() * V)).norm(),
            1e-10 * std::sqrt((V.transpose() * (model.mass() * V)).trace()));

  Matrix joined(U.rows(), U.cols() + 4);
  joined << U, V;
  const double best = held_energy(rest, joined, X).sum();
  Random random(5);
  for (int trial = 0; trial < 10; ++trial) {
    Matrix C(X.cols(), 4);
    for (double& c : C.reshaped()) c = random.normal();
    joined.rightCols(4) = trial == 0 ? Matrix(X.leftCols(4)) : Matrix(X * C);
    EXPECT_GT(best, held_energy(rest, joined, X).sum()) << "trial " << trial;
  }
  const Matrix all = energy_directions(rest, U, X, 1000);
  ASSERT_LE(all.cols(), 20);
  joined.resize(Eigen::NoChange, U.cols() + all.cols());
  joined << U, all;
  EXPECT_GT(held_energy(rest, joined, X).minCoeff(), 1.0 - 1e-6);
  EXPECT_EQ(energy_directions(rest, joined, X, 5).cols(), 0) << "nothing is left to hold";
}

TEST(EnergyDirections, RefuseABasisThatMovesWithoutStrain) {
  const FullModel model = test::supported_beam(Support::free);
  RestStiffness rest(model);
  const Matrix X = compute_contact_responses(rest, {.patches = 5}).shapes;
  EXPECT_TRUE(test::contains(test::error_text([&] { (void)held_energy(rest, Matrix::Zero(X.rows(), 2), X); }),
                             "without straining it"));
  EXPECT_TRUE(test::contains(test::error_text([&] { (void)held_energy(rest, Matrix(3, 0), X); }), "3 rows"));
}

}  // namespace
}  // namespace limber::contact_responses_test
