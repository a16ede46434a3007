#include "limber/reduced/reconstruction.hpp"

#include "tests/mesh/shapes.hpp"
#include "tests/reduced/support.hpp"

#include <gtest/gtest.h>

namespace limber::reconstruction_test {
namespace {

template <class Scalar>
class ReconstructionOf : public testing::Test {
 protected:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Values = typename Reconstruction<Scalar>::Values;
  using Field = typename Reconstruction<Scalar>::Field;

  static constexpr double rounding = 20.0 * std::numeric_limits<Scalar>::epsilon();

  static Matrix basis(Index vertices, Index rank) {
    const Vector values = test::random_vector(3 * vertices * rank, 1.0, 1);
    return Eigen::Map<const limber::Matrix>(values.data(), 3 * vertices, rank).template cast<Scalar>();
  }
  static Values coordinates(Index rank) { return test::random_vector(rank, 1.0, 2).template cast<Scalar>(); }
  static Field plain_product(const Matrix& U, const Values& q) {
    const Vector u = U.leftCols(q.size()).template cast<double>() * q.template cast<double>();
    return Eigen::Map<const Matrix3X>(u.data(), 3, u.size() / 3).template cast<Scalar>();
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(ReconstructionOf, Scalars, );

TYPED_TEST(ReconstructionOf, IsThePlainProductForAllSizesAndRanks) {
  for (const Index vertices : {1, 2, 5, 6, 16, 43, 1000}) {
    for (const Index rank : {1, 2, 7, 30}) {
      const auto U = this->basis(vertices, rank);
      const Reconstruction<TypeParam> reconstruction(U);
      EXPECT_EQ(reconstruction.rank(), rank);
      EXPECT_EQ(reconstruction.vertex_count(), vertices);
      for (const Index used : {Index{0}, rank / 2, rank}) {
        const auto q = this->coordinates(used);
        typename TestFixture::Field u(3, vertices);
        u.setConstant(99);
        reconstruction.displacements(q, u);
        EXPECT_LT((u - this->plain_product(U, q)).norm(), this->rounding * (1.0 + u.norm()))
            << vertices << " vertices, " << used << " of " << rank;
      }
    }
  }
}

TYPED_TEST(ReconstructionOf, WritesNothingBesideItsResult) {
  const Reconstruction<TypeParam> reconstruction(this->basis(7, 3));
  typename TestFixture::Field room(3, 9);
  room.setConstant(99);
  reconstruction.displacements(this->coordinates(3), room.middleCols(1, 7));
  EXPECT_TRUE((room.col(0).array() == 99).all());
  EXPECT_TRUE((room.col(8).array() == 99).all());
  EXPECT_TRUE((room.middleCols(1, 7).array() != 99).all());
}

TYPED_TEST(ReconstructionOf, AddsRestPositions) {
  const Index n = 43;
  const auto U = this->basis(n, 6);
  const Reconstruction<TypeParam> reconstruction(U);
  const auto q = this->coordinates(5);
  typename TestFixture::Field rest = TestFixture::Field::Random(3, n), x(3, n);
  reconstruction.positions(rest, q, x);
  EXPECT_LT((x - rest - this->plain_product(U, q)).norm(), this->rounding * x.norm());
}

TYPED_TEST(ReconstructionOf, GivesTheSameBitsForAnyNumberOfThreads) {
  const Index n = 20011;
  const Reconstruction<TypeParam> reconstruction(this->basis(n, 5));
  const auto q = this->coordinates(5);
  const typename TestFixture::Field rest = TestFixture::Field::Random(3, n);
  typename TestFixture::Field u(3, n), x(3, n), other(3, n);
  reconstruction.displacements(q, u);
  reconstruction.positions(rest, q, x);
  for (const int threads : {1, 2, 3}) {
    const Executor executor(threads);
    reconstruction.displacements(q, other, executor);
    EXPECT_EQ(u, other);
    reconstruction.positions(rest, q, other, executor);
    EXPECT_EQ(x, other);
  }
}

TYPED_TEST(ReconstructionOf, GivesOneVertexAsAllOfThem) {
  const auto U = this->basis(13, 6);
  const Reconstruction<TypeParam> reconstruction(U);
  const auto q = this->coordinates(4);
  const typename TestFixture::Field expected = this->plain_product(U, q);
  for (Index v = 0; v < 13; ++v) {
    EXPECT_LT((reconstruction.displacement(q, v) - expected.col(v)).norm(), this->rounding * 4.0) << v;
  }
}

TYPED_TEST(ReconstructionOf, ProjectsAForceByTheTransposeOfTheDisplacement) {
  const Reconstruction<TypeParam> reconstruction(this->basis(13, 6));
  const Vector3 force(0.3, -2.0, 1.0);
  for (const Index used : {6, 4}) {
    const auto q = this->coordinates(used);
    for (Index v = 0; v < 13; ++v) {
      const Vector before = test::random_vector(used, 1.0, 3);
      Vector f = before;
      reconstruction.add_force(v, force, f);
      const double work = force.dot(reconstruction.displacement(q, v).template cast<double>());
      EXPECT_NEAR((f - before).dot(q.template cast<double>()), work, this->rounding * 10.0) << "vertex " << v;
    }
  }
}

TYPED_TEST(ReconstructionOf, RefusesSizesThatDoNotFit) {
  EXPECT_EQ(test::error_text([] { Reconstruction<TypeParam>(TestFixture::Matrix::Zero(7, 2)); }),
            "the basis has 7 rows, expected a multiple of 3 (3 per vertex)");
  const Reconstruction<TypeParam> reconstruction(this->basis(4, 2));
  typename TestFixture::Field u(3, 4), small(3, 3);
  EXPECT_EQ(test::error_text([&] { reconstruction.displacements(this->coordinates(3), u); }),
            "3 reduced coordinates for a basis of 2 vectors");
  EXPECT_EQ(test::error_text([&] { reconstruction.displacements(this->coordinates(2), small); }),
            "room for 3 vertices, the basis moves 4");
  EXPECT_EQ(test::error_text([&] { reconstruction.positions(small, this->coordinates(2), u); }),
            "room for 3 vertices, the basis moves 4");
  EXPECT_EQ(test::error_text([&] { (void)reconstruction.displacement(this->coordinates(2), 4); }),
            "vertex 4, but the basis moves vertices 0 to 3");
  Vector f = Vector::Zero(2);
  EXPECT_EQ(test::error_text([&] { reconstruction.add_force(-1, Vector3::Ones(), f); }),
            "vertex -1, but the basis moves vertices 0 to 3");
}

TYPED_TEST(ReconstructionOf, RefusesColumnsWithGaps) {
  const Reconstruction<TypeParam> reconstruction(this->basis(4, 2));
  const auto q = this->coordinates(2);
  Eigen::Matrix<TypeParam, 4, Eigen::Dynamic> wide(4, 4);
  wide.setConstant(99);
  typename TestFixture::Field x(3, 4);
  x.setZero();
  const auto expected = [](std::string_view name) {
    return fmt::format(
        "the columns of the {} are 4 numbers apart, expected 3; give a 3 x n matrix whose columns follow "
        "each other",
        name);
  };
  const Executor executor(1);
  EXPECT_EQ(test::error_text([&] { reconstruction.displacements(q, wide.template topRows<3>()); }),
            expected("displacements"));
  EXPECT_EQ(test::error_text([&] { reconstruction.displacements(q, wide.template topRows<3>(), executor); }),
            expected("displacements"));
  EXPECT_EQ(test::error_text([&] { reconstruction.positions(x, q, wide.template topRows<3>()); }),
            expected("positions"));
  EXPECT_EQ(test::error_text([&] { reconstruction.positions(x, q, wide.template topRows<3>(), executor); }),
            expected("positions"));
  EXPECT_EQ(test::error_text([&] { reconstruction.positions(wide.template topRows<3>(), q, x); }),
            expected("rest positions"));
  EXPECT_EQ(test::error_text([&] { reconstruction.positions(wide.template topRows<3>(), q, x, executor); }),
            expected("rest positions"));
  EXPECT_TRUE((wide.array() == 99).all());
}

TYPED_TEST(ReconstructionOf, TakesOneColumnOfAnyMatrix) {
  const auto U = this->basis(1, 2);
  const auto q = this->coordinates(2);
  Eigen::Matrix<TypeParam, 4, Eigen::Dynamic> wide(4, 1);
  wide.setConstant(99);
  Reconstruction<TypeParam>(U).displacements(q, wide.template topRows<3>());
  EXPECT_LT((wide.template topRows<3>() - this->plain_product(U, q)).norm(), this->rounding * 2.0);
  EXPECT_EQ(wide(3, 0), 99);
}

/// Mean of the incident triangles' normals weighted by their area, triangle by triangle.
Matrix3X reference_normals(const Matrix3X& vertices, const Eigen::Matrix3Xi& triangles) {
  Matrix3X normals = Matrix3X::Zero(3, vertices.cols());
  for (const auto& t : triangles.colwise()) {
    const Vector3 area =
        (vertices.col(t(1)) - vertices.col(t(0))).cross(vertices.col(t(2)) - vertices.col(t(0)));
    for (const int v : t) normals.col(v) += area;
  }
  normals.colwise().normalize();
  return normals;
}

/// A sphere whose vertices were moved by random amounts.
SurfaceMesh crumpled_sphere(int subdivisions) {
  SurfaceMesh sphere = test::icosphere(subdivisions);
  sphere.vertices.reshaped() += test::random_vector(sphere.vertices.size(), 0.05, 1);
  return sphere;
}

TEST(NormalUpdater, GivesNormalsWeightedByArea) {
  const SurfaceMesh sphere = crumpled_sphere(2);
  const NormalUpdater updater(sphere.triangles, sphere.vertex_count());
  const Matrix3X expected = reference_normals(sphere.vertices, sphere.triangles);
  Matrix3X normals(3, sphere.vertex_count());
  updater.update(sphere.vertices, normals);
  EXPECT_LT((normals - expected).cwiseAbs().maxCoeff(), 1e-13);
  Eigen::Matrix3Xf single(3, sphere.vertex_count());
  updater.update(sphere.vertices.cast<float>().eval(), single);
  EXPECT_LT((single.cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(NormalUpdater, PointsOutwardOnASphere) {
  const SurfaceMesh sphere = test::icosphere(3);
  Matrix3X normals(3, sphere.vertex_count());
  NormalUpdater(sphere.triangles, sphere.vertex_count()).update(sphere.vertices, normals);
  EXPECT_LT((normals - sphere.vertices.colwise().normalized()).colwise().norm().maxCoeff(), 0.02);
}

TEST(NormalUpdater, GivesTheSameBitsForAnyNumberOfThreads) {
  const SurfaceMesh sphere = crumpled_sphere(5);
  const NormalUpdater updater(sphere.triangles, sphere.vertex_count());
  const Eigen::Matrix3Xf positions = sphere.vertices.cast<float>();
  Eigen::Matrix3Xf expected(3, sphere.vertex_count()), normals = expected;
  updater.update(positions, expected);
  for (const int threads : {1, 2, 3}) {
    updater.update(positions, normals, Executor(threads));
    EXPECT_EQ(normals, expected);
  }
}

TEST(NormalUpdater, GivesZeroWhereNoTriangleWithAreaMeetsTheVertex) {
  Matrix3X positions = Matrix3X::Zero(3, 5);
  positions.col(1) << 1, 0, 0;
  positions.col(2) << 2, 0, 0;  // on one line with the first two
  Eigen::Matrix3Xi triangles(3, 2);
  triangles << 0, 3, 1, 3, 2, 3;
  Matrix3X normals = Matrix3X::Ones(3, 5);
  NormalUpdater(triangles, 5).update(positions, normals);
  EXPECT_EQ(normals, Matrix3X::Zero(3, 5));
}

TEST(NormalUpdater, RefusesColumnsWithGaps) {
  const SurfaceMesh sphere = test::icosphere(1);
  const NormalUpdater updater(sphere.triangles, sphere.vertex_count());
  Eigen::Matrix4Xd wide = Eigen::Matrix4Xd::Zero(4, sphere.vertex_count());
  Matrix3X field = sphere.vertices;
  const std::string expected =
      " are 4 numbers apart, expected 3; give a 3 x n matrix whose columns follow each other";
  EXPECT_EQ(test::error_text([&] { updater.update(wide.topRows<3>(), field); }),
            "the columns of the positions" + expected);
  EXPECT_EQ(test::error_text([&] { updater.update(field, wide.topRows<3>()); }),
            "the columns of the normals" + expected);
}

TEST(NormalUpdater, KeepsItsDigitsForTinyBodies) {
  const SurfaceMesh sphere = test::icosphere(2);
  const Eigen::Matrix3Xf positions = (1e-10 * sphere.vertices).cast<float>();
  Eigen::Matrix3Xf normals(3, sphere.vertex_count());
  NormalUpdater(sphere.triangles, sphere.vertex_count()).update(positions, normals);
  EXPECT_LT((normals.colwise().norm().array() - 1.0f).abs().maxCoeff(), 1e-6f);
}

TEST(NormalUpdater, RefusesTrianglesAndFieldsThatDoNotFit) {
  EXPECT_EQ(test::error_text([] { NormalUpdater(Eigen::Vector3i(0, 1, 3), 3); }),
            "triangle 0 names vertex 3, but there are vertices 0 to 2");
  const NormalUpdater updater(Eigen::Vector3i(0, 1, 2), 3);
  Matrix3X normals(3, 4);
  EXPECT_EQ(test::error_text([&] { updater.update(Matrix3X::Zero(3, 3), normals); }),
            "3 positions and 4 normals of a mesh with 3 vertices, expected as many");
}

}  // namespace
}  // namespace limber::reconstruction_test
