#include "limber/fem/vertex_maps.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::vertex_maps_test {
namespace {

using test::random_vector;

/// A held beam, each vertex of which has an affine map x -> A x + t of its own.
struct MappedBeam {
  VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron);
  DofMap dofs{mesh, test::vertices_below(mesh, 0.5)};
  std::vector<Eigen::Matrix4d> affine;  ///< in homogeneous coordinates
  VertexMaps maps = VertexMaps::identity(mesh.vertex_count());

  MappedBeam() {
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
      Eigen::Matrix4d A = Eigen::Matrix4d::Identity();
      const auto seed = static_cast<std::uint64_t>(v);
      A.topLeftCorner<3, 3>() += test::random_matrix3(0.4, 10 + seed);
      A.topRightCorner<3, 1>() = random_vector(3, 2.0, 500 + seed);
      affine.push_back(A);
      maps.linear.emplace_back(A.topLeftCorner<3, 3>());
      maps.offset.col(v) = (A * mesh.vertices.col(v).homogeneous()).head<3>() - mesh.vertices.col(v);
    }
  }
};

TEST(VertexMaps, PlaceVerticesWhereTheirAffineMapsDo) {
  const MappedBeam beam;
  const Vector u = random_vector(beam.dofs.dof_count(), 0.5, 1);
  const Matrix3X field = beam.maps.displacement(beam.dofs, u), rest = beam.dofs.expand(u);
  for (Index v = 0; v < beam.mesh.vertex_count(); ++v) {
    const Vector3 x = beam.mesh.vertices.col(v);
    const Vector3 place =
        (beam.affine[static_cast<std::size_t>(v)] * (x + rest.col(v)).homogeneous()).head<3>();
    EXPECT_LT((x + field.col(v) - place).norm(), 1e-13) << "vertex " << v;
  }
  EXPECT_LT((beam.dofs.restrict(field) - beam.maps.to_world(beam.dofs, u)).norm(), 1e-14);
}

TEST(VertexMaps, ComeBackFromTheWorldToTheRestPose) {
  const MappedBeam beam;
  const Vector u = random_vector(beam.dofs.dof_count(), 0.5, 1);
  EXPECT_LT((beam.maps.to_rest(beam.dofs, beam.maps.to_world(beam.dofs, u)) - u).norm(), 1e-12);
}

TEST(VertexMaps, CarryChangesOfTheDisplacement) {
  const MappedBeam beam;
  const Vector u = random_vector(beam.dofs.dof_count(), 0.5, 1);
  Matrix X(u.size(), 2);
  X << random_vector(u.size(), 1.0, 2), random_vector(u.size(), 1.0, 3);
  const Matrix Y = beam.maps.carried(beam.dofs, X);
  for (Index k = 0; k < 2; ++k) {
    const Vector change = beam.maps.to_world(beam.dofs, u + X.col(k)) - beam.maps.to_world(beam.dofs, u);
    EXPECT_LT((Y.col(k) - change).norm(), 1e-12);
  }
}

TEST(VertexMaps, PullForcesBackSuchThatTheyDoTheSameWork) {
  const MappedBeam beam;
  const Vector f = random_vector(beam.dofs.dof_count(), 1.0, 4), x = random_vector(f.size(), 1.0, 5);
  EXPECT_NEAR(beam.maps.pulled_back(beam.dofs, f).dot(x), f.dot(beam.maps.carried(beam.dofs, x).col(0)),
              1e-12);
}

TEST(VertexMaps, WithoutLinearPartsOnlyShift) {
  MappedBeam beam;
  beam.maps.linear.clear();
  EXPECT_FALSE(beam.maps.carries());
  const Vector u = random_vector(beam.dofs.dof_count(), 0.5, 1);
  const Vector shift = beam.dofs.restrict(beam.maps.offset);
  EXPECT_EQ(beam.maps.to_world(beam.dofs, u), Vector(shift + u));
  EXPECT_LT((beam.maps.to_rest(beam.dofs, Vector(shift + u)) - u).norm(), 1e-14);
  EXPECT_EQ(beam.maps.carried(beam.dofs, u), Matrix(u));
  EXPECT_EQ(beam.maps.pulled_back(beam.dofs, u), u);
}

TEST(VertexMaps, ThatAreTheIdentityChangeNothing) {
  const MappedBeam beam;
  const VertexMaps identity = VertexMaps::identity(beam.mesh.vertex_count());
  const Vector u = random_vector(beam.dofs.dof_count(), 0.5, 1);
  EXPECT_EQ(identity.displacement(beam.dofs, u), beam.dofs.expand(u));
}

TEST(VertexMaps, ThatFoldTheBodyFlatCannotBeInverted) {
  MappedBeam beam;
  const int vertex = beam.dofs.free_vertices().back();
  beam.maps.linear[static_cast<std::size_t>(vertex)].col(2).setZero();
  const Vector u = random_vector(beam.dofs.dof_count(), 0.5, 1);
  const Vector y = beam.maps.to_world(beam.dofs, u);
  EXPECT_THROW((void)beam.maps.to_rest(beam.dofs, y), Error);
}

TEST(VertexMaps, OfAnotherMeshAreRefused) {
  const MappedBeam beam;
  const Vector u = random_vector(beam.dofs.dof_count(), 0.5, 1);
  EXPECT_THROW((void)VertexMaps::identity(3).to_world(beam.dofs, u), Error);
  EXPECT_THROW((void)beam.maps.to_world(beam.dofs, u.head(3)), Error);
}

}  // namespace
}  // namespace limber::vertex_maps_test
