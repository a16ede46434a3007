#include "limber/fem/full_model.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/pairs.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <numeric>

namespace limber::full_model_test {
namespace {

using test::Combination;
using test::random_vector;
using test::remainder_slope;

/// Every law on both elements, on a small held beam in a random, strongly deformed state.
class EveryModel : public testing::TestWithParam<Combination> {
 protected:
  VolumeMesh mesh = test::unit_beam(GetParam().kind);
  FullModel model{mesh, {test::material(GetParam().law)}, test::vertices_below(mesh, 0.5)};
  Vector u = random_vector(model.dof_count(), 0.15, 1);
  Vector d = random_vector(model.dof_count(), 1.0, 2);
};

TEST_P(EveryModel, HasTheForceThatIsTheDerivativeOfItsEnergy) {
  const double energy = model.energy(u), slope = model.internal_force(u).dot(d);
  const auto remainder = [&](double h) { return std::abs(model.energy(u + h * d) - energy - h * slope); };
  EXPECT_GT(remainder_slope(remainder, energy, 1e-3), 1.9);
}

TEST_P(EveryModel, HasTheStiffnessThatIsTheDerivativeOfItsForce) {
  Vector f;
  SparseMatrix K = model.pattern();
  model.force_and_stiffness(u, f, K);
  EXPECT_LT((f - model.internal_force(u)).norm(), 1e-13 * f.norm()) << "the two ways to the force differ";
  const Vector slope = K * d;
  const auto remainder = [&](double h) { return (model.internal_force(u + h * d) - f - h * slope).norm(); };
  EXPECT_GT(remainder_slope(remainder, f.norm(), 1e-3), 1.9);
}

TEST_P(EveryModel, HasTheStiffnessDerivativeThatIsTheDerivativeOfItsStiffness) {
  const SparseMatrix K = model.stiffness(u);
  const SparseMatrix H = model.stiffness_derivative(u, d);
  const auto remainder = [&](double h) { return (model.stiffness(u + h * d) - K - h * H).norm(); };
  EXPECT_GT(remainder_slope(remainder, K.norm(), 1e-3), 1.9);
}

TEST_P(EveryModel, HasAStiffnessDerivativeThatIsSymmetricInAllItsArguments) {
  const Vector e = random_vector(model.dof_count(), 1.0, 3);
  const SparseMatrix along_d = model.stiffness_derivative(u, d), along_e = model.stiffness_derivative(u, e);
  const double scale = model.stiffness(u).norm();
  EXPECT_LT((along_d - SparseMatrix(along_d.transpose())).norm(), 1e-12 * scale);
  EXPECT_LT((along_d * e - along_e * d).norm(), 1e-11 * scale);
}

TEST_P(EveryModel, HasProductsOfAllPairsOfDirectionsThatAreThoseOfItsStiffnessDerivative) {
  const Index k = 4;
  const Matrix a = random_vector(k * model.dof_count(), 1.0, 4).reshaped(model.dof_count(), k);
  Matrix products;
  model.stiffness_derivative_products(u, a, products);
  ASSERT_EQ(products.cols(), pair_count(k));
  for (Index i = 0; i < k; ++i) {
    const SparseMatrix H = model.stiffness_derivative(u, a.col(i));
    for (Index j = 0; j <= i; ++j) {
      const double error = (products.col(pair_index(i, j)) - H * a.col(j)).norm();
      EXPECT_LE(error, 1e-13 * H.norm() * a.col(j).norm()) << "pair " << i << ", " << j;
    }
  }
}

TEST_P(EveryModel, HasASymmetricStiffness) {
  const SparseMatrix K = model.stiffness(u);
  EXPECT_LT((K - SparseMatrix(K.transpose())).norm(), 1e-13 * K.norm());
}

TEST_P(EveryModel, HasAProjectedStiffnessThatIsPositiveDefinite) {
  const Vector crushed = random_vector(model.dof_count(), 0.6, 4);  // with inverted elements
  ASSERT_LT(model.smallest_volume_ratio(crushed), 0.0);
  const Vector eigenvalues =
      symmetric_eigenvalues(Matrix(model.stiffness(crushed, Tangent::projected))).values;
  EXPECT_GT(eigenvalues(0), -1e-10 * eigenvalues.tail(1)(0));
}

TEST_P(EveryModel, PassesThePatchTest) {
  // A uniform gradient prescribed on the boundary is in equilibrium inside: interior forces vanish, whatever
  // the law.
  // The elements differ, so that forces must balance and cannot merely cancel by symmetry.
  VolumeMesh block = test::unit_beam(GetParam().kind, 3, 3, 3);
  Random random(12);
  for (int v = 0; v < block.vertex_count(); ++v) {
    Vector3 x = block.vertices.col(v);
    const bool inside = x.x() > 0.5 && x.x() < 2.5 && x.tail<2>().cwiseAbs().maxCoeff() < 1.0;
    if (GetParam().kind == ElementKind::tetrahedron && inside) {
      for (double& coordinate : x) coordinate += random.uniform(-0.2, 0.2);
    } else if (GetParam().kind == ElementKind::brick) {
      x = x.unaryExpr([](double c) { return c + 0.15 * std::sin(2.0 * c); });
    }
    block.vertices.col(v) = x;
  }
  double volume = 0.0;
  for (Index e = 0; e < block.element_count(); ++e) volume += element_volume(block, e);
  const FullModel free(block, {test::material(GetParam().law)}, {});
  const Matrix3 G = test::random_matrix3(0.2, 5);
  const Matrix3X forces = free.vertex_forces(free.dofs().restrict(G * block.vertices));
  const double scale = forces.colwise().norm().maxCoeff();
  int interior = 0;
  for (int v = 0; v < block.vertex_count(); ++v) {
    const Vector3 x = block.vertices.col(v);
    const bool inside = x.x() > 0.5 && x.x() < 2.5 && x.tail<2>().cwiseAbs().maxCoeff() < 1.0;
    if (!inside) continue;
    ++interior;
    EXPECT_LT(forces.col(v).norm(), 1e-12 * scale) << "vertex " << v;
  }
  EXPECT_EQ(interior, 8);
  // And the energy is that of the material alone.
  const double expected =
      energy_density(make_law(GetParam().law, lame_from_young(1e5, 0.3)), Matrix3::Identity() + G) * volume;
  EXPECT_NEAR(free.energy(free.dofs().restrict(G * block.vertices)) / expected, 1.0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(, EveryModel, testing::ValuesIn(test::all_combinations()),
                         [](const auto& tested) { return test::name_of(tested.param); });

class EveryObjectiveModel : public EveryModel {};

TEST_P(EveryObjectiveModel, ExertsNoNetForceAndNoNetTorque) {
  const FullModel free(mesh, {test::material(GetParam().law)}, {});
  const Vector state = random_vector(free.dof_count(), 0.15, 6);
  const Matrix3X forces = free.vertex_forces(state), x = mesh.vertices + free.dofs().expand(state);
  Vector3 torque = Vector3::Zero();
  for (Index v = 0; v < x.cols(); ++v) torque += x.col(v).cross(forces.col(v));
  const double scale = forces.colwise().norm().sum();
  EXPECT_LT(forces.rowwise().sum().norm(), 1e-13 * scale);
  EXPECT_LT(torque.norm(), 1e-12 * scale);
}

TEST_P(EveryObjectiveModel, IsNotStrainedByRigidMotion) {
  const FullModel free(mesh, {test::material(GetParam().law)}, {});
  const Matrix3 R = test::some_rotation();
  const auto moved = [&](const Matrix3X& x) {
    return free.dofs().restrict((R * x).colwise() + Vector3(1, 2, 3) - mesh.vertices);
  };
  const double stiffness = free.stiffness(Vector::Zero(free.dof_count())).norm();
  EXPECT_LT(free.internal_force(moved(mesh.vertices)).norm(), 1e-12 * stiffness);
  // The same holds on top of a deformation: the energy stays, the forces turn along.
  const Vector state = random_vector(free.dof_count(), 0.15, 7);
  const Vector turned = moved(mesh.vertices + free.dofs().expand(state));
  EXPECT_NEAR(free.energy(turned) / free.energy(state), 1.0, 1e-12);
  EXPECT_LT((free.vertex_forces(turned) - R * free.vertex_forces(state)).norm(), 1e-12 * stiffness);
}

INSTANTIATE_TEST_SUITE_P(, EveryObjectiveModel, testing::ValuesIn(test::objective_combinations()),
                         [](const auto& tested) { return test::name_of(tested.param); });

class EveryElement : public testing::TestWithParam<ElementKind> {
 protected:
  VolumeMesh mesh = test::unit_beam(GetParam());
};

TEST_P(EveryElement, CarriesTheMassOfTheBody) {
  for (const MassKind kind : {MassKind::consistent, MassKind::lumped}) {
    const FullModel free(mesh, {test::material("stvk", 1e5, 0.3, 900.0)}, {}, {kind, Executor(1)});
    const Vector along_x =
        Vector::NullaryExpr(free.dof_count(), [](Index i) { return i % 3 == 0 ? 1.0 : 0.0; });
    EXPECT_NEAR(along_x.dot(free.mass() * along_x), 900.0 * 12.0, 1e-8);
    EXPECT_NEAR(free.vertex_masses().sum(), 900.0 * 12.0, 1e-8);
  }
}

TEST_P(EveryElement, GivesLinearVelocitiesTheirExactKineticEnergy) {
  // v = omega x r is linear, so the consistent mass integrates |v|^2 exactly: 1/2 omega . I omega of a box.
  const FullModel free(mesh, {test::material("stvk", 1e5, 0.3, 1.0)}, {});
  Matrix3X v(3, mesh.vertex_count());
  for (Index i = 0; i < v.cols(); ++i)
    v.col(i) = Vector3::UnitZ().cross(mesh.vertices.col(i) - Vector3(1.5, 0, 0));
  const Vector q = free.dofs().restrict(v);
  const double inertia = 12.0 * (9.0 + 4.0) / 12.0;  // m (a^2 + b^2) / 12
  EXPECT_NEAR(q.dot(free.mass() * q), inertia, 1e-12 * inertia);
}

TEST_P(EveryElement, WeighsWhatGravitySays) {
  const FullModel free(mesh, {test::material("stvk", 1e5, 0.3, 900.0)}, {});
  EXPECT_NEAR(free.dofs().expand(free.gravity_force({0, 0, -9.81})).row(2).sum(), -9.81 * 900.0 * 12.0, 1e-7);
}

TEST_P(EveryElement, GivesTheSameBitsForAnyNumberOfThreads) {
  const VolumeMesh beam = test::unit_beam(GetParam(), 20, 6, 6);
  const auto fixed = test::vertices_below(beam, 0.5);
  const FullModel one(beam, {test::material("neo-hookean")}, fixed, {MassKind::consistent, Executor(1)});
  const FullModel four(beam, {test::material("neo-hookean")}, fixed, {MassKind::consistent, Executor(4)});
  const Vector u = random_vector(one.dof_count(), 0.1, 8);
  Vector f1, f4;
  SparseMatrix K1 = one.pattern(), K4 = four.pattern();
  one.force_and_stiffness(u, f1, K1);
  four.force_and_stiffness(u, f4, K4);
  EXPECT_EQ(f1, f4);
  EXPECT_TRUE((K1.coeffs() == K4.coeffs()).all());
  EXPECT_EQ(one.energy(u), four.energy(u));
}

TEST_P(EveryElement, TreatsRegionsWithOneMaterialAsOneBody) {
  VolumeMesh parted = mesh;
  parted.regions = {{1, "a"}, {2, "b"}};
  for (std::size_t e = 0; e < parted.region.size(); ++e) parted.region[e] = static_cast<int>(e % 2);
  const FullModel whole(mesh, {test::material("stvk")}, {}),
      parts(parted, {test::material("stvk"), test::material("stvk")}, {});
  const Vector u = random_vector(whole.dof_count(), 0.1, 9);
  EXPECT_LT((whole.internal_force(u) - parts.internal_force(u)).norm(),
            1e-13 * whole.internal_force(u).norm());
}

TEST_P(EveryElement, AddsUpTheRegionsOfDifferentMaterials) {
  VolumeMesh parted = mesh;
  parted.regions = {{1, "soft"}, {2, "hard"}};
  for (Index e = 0; e < parted.element_count(); ++e)
    parted.region[static_cast<std::size_t>(e)] = e < 4 ? 0 : 1;
  const auto energy = [&](double soft, double hard) {
    const FullModel model(parted, {test::material("stvk", soft), test::material("neo-hookean", hard)}, {});
    return model.energy(random_vector(model.dof_count(), 0.1, 10));
  };
  const double tiny = 1e-6;
  EXPECT_NEAR(energy(1e5, 2e5), energy(1e5, tiny) + energy(tiny, 2e5), 1e-6);
}

TEST_P(EveryElement, SurvivesInvertedElements) {
  for (const std::string_view law : material_names) {
    const FullModel model(mesh, {test::material(law)}, {});
    const Matrix3X flipped = -1.7 * mesh.vertices;  // every element inside out
    const Vector u = model.dofs().restrict(flipped);
    EXPECT_LT(model.smallest_volume_ratio(u), 0.0);
    Vector f;
    SparseMatrix K = model.pattern();
    model.force_and_stiffness(u, f, K, Tangent::projected);
    EXPECT_TRUE(f.allFinite() && K.coeffs().allFinite()) << law;
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryElement, testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(Bricks, IntegrateTheStVenantKirchhoffEnergyExactly) {
  // Against five Gauss points per axis, far more than a polynomial of degree four needs.
  const VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(0.7, 1.1, 1.9), Eigen::Vector3i(1, 1, 1)});
  const FullModel model(mesh, {test::material("stvk")}, {});
  const Vector u = random_vector(24, 0.4, 11);
  const Matrix3X nodal = model.dofs().expand(u);
  const double point[5] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                           0.9061798459386640};
  const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                            0.2369268850561891};
  const Vector3 low = mesh.vertices.rowwise().minCoeff(), size = mesh.vertices.rowwise().maxCoeff() - low;
  double energy = 0.0;
  for (int q = 0; q < 125; ++q) {
    const int index[3] = {q % 5, q / 5 % 5, q / 25};
    Matrix3 F = Matrix3::Identity();
    double w = size.prod() / 8.0;
    for (const int i : index) w *= weight[i];
    for (int a = 0; a < 8; ++a) {
      Vector3 N, dN;
      for (int axis = 0; axis < 3; ++axis) {
        const double s = mesh.vertices(axis, mesh.elements(a, 0)) > low(axis) + 0.5 * size(axis) ? 1.0 : -1.0;
        N(axis) = 0.5 * (1.0 + s * point[index[axis]]);
        dN(axis) = s / size(axis);
      }
      const Vector3 gradient(dN.x() * N.y() * N.z(), N.x() * dN.y() * N.z(), N.x() * N.y() * dN.z());
      F += nodal.col(mesh.elements(a, 0)) * gradient.transpose();
    }
    energy += w * energy_density(model.materials()[0].law, F);
  }
  EXPECT_NEAR(model.energy(u) / energy, 1.0, 1e-13);
}

TEST(FullModel, ReportsHowFarAStateIsFromRest) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::brick);
  const FullModel model(mesh, {test::material("stvk")}, {});
  const Matrix3 G = Vector3(0.5, 0.0, -0.25).asDiagonal();
  const Vector u = model.dofs().restrict(G * mesh.vertices);
  EXPECT_NEAR(model.smallest_volume_ratio(u), 1.5 * 0.75, 1e-12);
  EXPECT_NEAR(model.largest_gradient(u), G.norm(), 1e-12);
}

TEST(FullModel, LeavesVerticesThatNoElementUsesOutOfTheUnknowns) {
  VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron);
  const Index used = mesh.vertex_count();
  mesh.vertices.conservativeResize(3, used + 2);
  mesh.vertices.rightCols(2).setConstant(5.0);
  EXPECT_EQ(FullModel(mesh, {test::material("stvk")}, {}).dof_count(), 3 * used);
}

TEST(FullModel, RefusesWhatCannotBeSimulated) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron);
  std::vector<int> all(static_cast<std::size_t>(mesh.vertex_count()));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_THROW(FullModel(mesh, {}, {}), Error);
  EXPECT_THROW(FullModel(mesh, {test::material("stvk")}, all), Error);
  EXPECT_THROW(FullModel(mesh, {test::material("stvk")}, std::vector<int>{-1}), Error);
  EXPECT_THROW(FullModel(mesh, {test::material("stvk")}, std::vector<int>{100000}), Error);
  const FullModel model(mesh, {test::material("stvk")}, {});
  EXPECT_THROW((void)model.energy(Vector::Zero(3)), Error);
  SparseMatrix foreign(3, 3);
  Vector f;
  EXPECT_THROW(model.force_and_stiffness(Vector::Zero(model.dof_count()), f, foreign), Error);
}

TEST(UnheldParts, AreThoseWithoutThreeFixedVerticesOffALine) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron);
  EXPECT_EQ(unheld_parts(mesh, {}), std::vector<int>{0});
  EXPECT_EQ(unheld_parts(mesh, std::vector<int>{0, 1, 2}), std::vector<int>{0});  // 0, 1, 2 lie along z
  EXPECT_TRUE(unheld_parts(mesh, std::vector<int>{0, 1, 3}).empty());
}

TEST(StiffnessDerivativeProducts, OfMoreDirectionsThanOnePassHoldsAreTheSame) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 2, 1, 1);
  const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 0.5));
  const Index k = 26;  // 351 pairs
  const Vector u = random_vector(model.dof_count(), 0.1, 1);
  const Matrix a = random_vector(k * model.dof_count(), 1.0, 2).reshaped(model.dof_count(), k);
  Matrix all, last;
  model.stiffness_derivative_products(u, a, all);
  model.stiffness_derivative_products(u, a.rightCols(3), last);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j <= i; ++j)
      EXPECT_EQ(all.col(pair_index(k - 3 + i, k - 3 + j)), last.col(pair_index(i, j))) << i << ", " << j;
  }
}

TEST(StiffnessDerivativeProducts, HaveTheSameBitsForAnyNumberOfThreads) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 12, 4, 4);
  Matrix products[2];
  for (const int threads : {1, 3}) {
    const FullModel model(mesh, {test::material("stvk")}, {}, {MassKind::consistent, Executor(threads)});
    const Matrix a = random_vector(4 * model.dof_count(), 1.0, 2).reshaped(model.dof_count(), 4);
    model.stiffness_derivative_products(Vector::Zero(model.dof_count()), a, products[threads == 1 ? 0 : 1]);
  }
  EXPECT_EQ(products[0], products[1]);
}

TEST(StiffnessDerivativeProducts, RefuseDirectionsOfAnotherSize) {
  const FullModel model(test::unit_beam(ElementKind::brick, 1, 1, 1), {test::material("stvk")}, {});
  Matrix products;
  EXPECT_THROW(model.stiffness_derivative_products(Vector::Zero(24), Matrix::Zero(23, 2), products), Error);
}

}  // namespace
}  // namespace limber::full_model_test
