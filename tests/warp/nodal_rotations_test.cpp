#include "limber/warp/nodal_rotations.hpp"

#include "limber/precompute/build_model.hpp"
#include "tests/mesh/support.hpp"
#include "tests/precompute/support.hpp"
#include "tests/warp/support.hpp"

#include <gtest/gtest.h>

#include <set>

namespace limber::nodal_rotations_test {
namespace {

using test::random_matrix;
using test::sampled;

class NodalRotationsOf : public testing::TestWithParam<ElementKind> {
 protected:
  static VolumeMesh beam() {
    VolumeMesh mesh = test::small_beam(GetParam());
    if (GetParam() == ElementKind::tetrahedron)  // bricks must stay aligned with the axes
      mesh.vertices += 0.02 * random_matrix(3, mesh.vertex_count(), 1.0, 3);
    return mesh;
  }
};
INSTANTIATE_TEST_SUITE_P(Meshes, NodalRotationsOf, testing::ValuesIn(test::both_kinds),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(NodalRotationsOf, AreThatOfAnInfinitesimalRotationEverywhere) {
  const VolumeMesh mesh = beam();
  const Vector3 w(0.3, -1.2, 0.7), center(1.0, 2.0, 3.0);
  const Vector u = sampled(mesh, [&](const Vector3& x) { return Vector3(w.cross(x - center)); });
  const Vector expected = sampled(mesh, [&](const Vector3&) { return w; });
  EXPECT_LT((nodal_rotations(mesh, u) - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(NodalRotationsOf, AreExactForEveryLinearField) {
  const VolumeMesh mesh = beam();
  const Matrix3 A = test::random_matrix3(1.0, 5);
  const Vector u = sampled(mesh, [&](const Vector3& x) { return Vector3(A * x + Vector3(1, 2, 3)); });
  const Vector3 w = 0.5 * Vector3(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
  const Vector expected = sampled(mesh, [&](const Vector3&) { return w; });
  EXPECT_LT((nodal_rotations(mesh, u) - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(NodalRotationsOf, AreThoseOfEachColumnForAnyNumberOfThreads) {
  const VolumeMesh mesh = make_beam({.kind = GetParam(), .size = {3, 1, 1}, .cells = {30, 6, 6}});
  const Matrix U = random_matrix(3 * mesh.vertex_count(), 7, 1.0, 4);
  const Matrix rotations = nodal_rotations(mesh, U);
  EXPECT_EQ(nodal_rotations(mesh, U, Executor(3)), rotations);
  for (Index k = 0; k < U.cols(); ++k)
    EXPECT_LT((nodal_rotations(mesh, U.col(k)) - rotations.col(k)).norm(), 1e-13 * rotations.col(k).norm());
}

TEST_P(NodalRotationsOf, AreZeroForVerticesThatNoElementUses) {
  const VolumeMesh mesh = test::uneven_beam(GetParam(), 1);
  const Matrix U = random_matrix(3 * mesh.vertex_count(), 2, 1.0, 4);
  const Matrix rotations = nodal_rotations(mesh, U);
  EXPECT_TRUE((rotations.topRows<3>().array() == 0.0).all());
  EXPECT_TRUE((rotations.bottomRows(rotations.rows() - 3).array() != 0.0).all());
}

TEST_P(NodalRotationsOf, RefuseDisplacementsOfAnotherMesh) {
  EXPECT_EQ(test::error_text([&] { nodal_rotations(test::small_beam(GetParam()), Matrix::Zero(100, 2)); }),
            "the displacements have 100 rows, the mesh needs 108 (3 per vertex)");
}

TEST(NodalRotations, AreTheMeanOfTheTetrahedraAtAVertex) {
  // Two tetrahedra that share a face: the second one moves alone.
  VolumeMesh mesh = test::unit_tetrahedron();
  mesh.vertices.conservativeResize(3, 5);
  mesh.vertices.col(4) = Vector3(-1, 0, 0);
  mesh.elements.conservativeResize(4, 2);
  mesh.elements.col(1) = Eigen::Vector4i(0, 4, 3, 2);
  mesh.region = {0, 0};
  check_mesh(mesh, "two tetrahedra");
  Vector u = Vector::Zero(15);
  u(3 * 4 + 1) = 1.0;  // u = (0, -x, 0) in the second: half its curl is (0, 0, -1/2)
  const Matrix rotations = nodal_rotations(mesh, u);
  EXPECT_LT((rotations.middleRows<3>(0) - Vector3(0, 0, -0.25)).norm(), 1e-15);
  EXPECT_LT(rotations.middleRows<3>(3).norm(), 1e-15);
  EXPECT_LT((rotations.middleRows<3>(12) - Vector3(0, 0, -0.5)).norm(), 1e-15);
}

TEST(NodalRotations, ConvergeWithSecondOrderInsideOfAGridOfBricks) {
  const auto field = [](const Vector3& x) {
    return Vector3(std::sin(2 * x.y()) * x.z(), std::cos(x.x() + 2 * x.z()), std::exp(x.x() * x.y()));
  };
  const auto half_curl = [](const Vector3& x) {
    return Vector3(0.5 * Vector3(x.x() * std::exp(x.x() * x.y()) + 2 * std::sin(x.x() + 2 * x.z()),
                                 std::sin(2 * x.y()) - x.y() * std::exp(x.x() * x.y()),
                                 -std::sin(x.x() + 2 * x.z()) - 2 * std::cos(2 * x.y()) * x.z()));
  };
  const auto error = [&](int cells) {
    const VolumeMesh mesh =
        make_beam({ElementKind::brick, Vector3::Ones(), Eigen::Vector3i::Constant(cells)});
    const Vector difference = nodal_rotations(mesh, sampled(mesh, field)) - sampled(mesh, half_curl);
    double largest = 0.0;
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
      const Vector3 x = mesh.vertices.col(v) - Vector3(0.5, 0, 0);
      if (x.cwiseAbs().maxCoeff() < 0.499) largest = std::max(largest, difference.segment<3>(3 * v).norm());
    }
    return largest;
  };
  EXPECT_NEAR(test::order_of(error(8), error(16)), 2.0, 0.15);
}

/// A beam of three regions, fixed at one end.
class WarpDataOf : public NodalRotationsOf {
 protected:
  static constexpr Index rank = 5;
  FullModel model = test::uneven_model(GetParam(), 3);
  Matrix U = test::wave_basis(model, rank);

  [[nodiscard]] ReducedModel build(Index lumps) const {
    BuildModelOptions options;
    options.lumps = lumps;
    return build_reduced_model(model, U, {}, {}, options);
  }
};
INSTANTIATE_TEST_SUITE_P(Meshes, WarpDataOf, testing::ValuesIn(test::both_kinds),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(WarpDataOf, HasLumpsThatAddUpToTheWeightsOfTheRegions) {
  for (const Index lumps : {0, 1, 7, 20, 100000}) {
    const ReducedModel reduced = build(lumps);
    for (int region = 0; region < 3; ++region) {
      Matrix sum = Matrix::Zero(3, rank);
      for (Index i = 0; i < reduced.warp->lumps.count(); ++i) {
        if (reduced.warp->lumps.region[static_cast<std::size_t>(i)] == region)
          sum += reduced.warp->lumps.moment.middleRows<3>(3 * i);
      }
      const Matrix weight = reduced.regions[static_cast<std::size_t>(region)].weight.transpose();
      EXPECT_LT((sum - weight).norm(), 1e-14 * weight.norm()) << lumps << " lumps, region " << region;
    }
  }
}

TEST_P(WarpDataOf, HasAsManyLumpsAsAskedForAndOnePerRegionAtLeast) {
  EXPECT_EQ(build(1).warp->lumps.count(), 3);
  EXPECT_EQ(build(3).warp->lumps.count(), 3);
  EXPECT_EQ(build(20).warp->lumps.count(), 20);
  EXPECT_EQ(build(0).warp->lumps.count(), build(100000).warp->lumps.count());
}

TEST_P(WarpDataOf, GivesALumpToEachMovingVertexOfARegionWhereAllAreAskedFor) {
  const ReducedModel reduced = build(0);
  const VolumeMesh& mesh = model.mesh();
  std::set<std::pair<int, int>> pairs;
  double volume = 0.0;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (const int v : mesh.elements.col(e)) {
      if (model.dofs().free_index(v) < 0) continue;
      pairs.emplace(mesh.region[static_cast<std::size_t>(e)], v);
      volume += element_volume(mesh, e) / vertices_per_element(mesh.kind);
    }
  }
  EXPECT_EQ(reduced.warp->lumps.count(), static_cast<Index>(pairs.size()));
  EXPECT_NEAR(reduced.warp->lumps.volume.sum(), volume, 1e-13 * volume);
}

TEST_P(WarpDataOf, HasLumpsOfMeansOverTheirVertices) {
  // Weighted by volume, the means of any number of lumps add up to those of the whole.
  const ReducedModel one = build(1), many = build(20);
  const auto total = [](const Lumps& lumps) {
    Matrix sum = Matrix::Zero(3, rank + 1);
    for (Index i = 0; i < lumps.count(); ++i) {
      sum.leftCols<rank>() += lumps.volume(i) * lumps.rotations.middleRows<3>(3 * i);
      sum.col(rank) += lumps.volume(i) * lumps.center.col(i);
    }
    return sum;
  };
  const Matrix expected = total(one.warp->lumps);
  EXPECT_LT((total(many.warp->lumps) - expected).norm(), 1e-13 * expected.norm());
}

TEST_P(WarpDataOf, TurnsTheSurfaceAsTheMeshTurns) {
  const ReducedModel reduced = build(20);
  const Matrix rotations = nodal_rotations(reduced.simulation->mesh, reduced.simulation->basis);
  for (Index k = 0; k < rank; ++k) {
    const Matrix3X field = rotations.col(k).reshaped(3, rotations.rows() / 3);
    const Vector expected = interpolate(reduced.simulation->embedding, field).reshaped();
    EXPECT_LT((reduced.warp->surface_rotations.col(k).cast<double>() - expected).norm(),
              1e-6 * expected.norm());
  }
}

TEST_P(WarpDataOf, IsTheSameForAnyNumberOfThreads) {
  const ReducedModel reduced = build(20);
  const SimulationMesh& simulation = *reduced.simulation;
  const WarpData warp =
      make_warp_data(simulation.mesh, simulation.basis, simulation.embedding, 20, Executor(3));
  EXPECT_EQ(warp.surface_rotations, reduced.warp->surface_rotations);
  EXPECT_EQ(warp.lumps.region, reduced.warp->lumps.region);
  EXPECT_EQ(warp.lumps.volume, reduced.warp->lumps.volume);
  EXPECT_EQ(warp.lumps.center, reduced.warp->lumps.center);
  EXPECT_EQ(warp.lumps.moment, reduced.warp->lumps.moment);
  EXPECT_EQ(warp.lumps.rotations, reduced.warp->lumps.rotations);
}

TEST(WarpData, DividesALongBarIntoPiecesOfEqualSizeInARow) {
  const VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(8, 1, 1), Eigen::Vector3i(64, 4, 4)});
  const Matrix U = Matrix::Ones(3 * mesh.vertex_count(), 1);
  const Lumps lumps = make_warp_data(mesh, U, {.mesh_vertices = mesh.vertex_count()}, 8).lumps;
  ASSERT_EQ(lumps.count(), 8);
  for (Index i = 0; i < 8; ++i) {
    EXPECT_NEAR(lumps.volume(i), 1.0, 0.07) << i;  // half a cell
    EXPECT_LT((lumps.center.col(i) - Vector3(static_cast<double>(i) + 0.5, 0, 0)).norm(), 0.07) << i;
  }
}

TEST(WarpData, GivesLumpsToRegionsByTheirVolume) {
  VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(4, 1, 1), Eigen::Vector3i(32, 8, 8)});
  mesh.regions = {{1, "quarter"}, {2, "rest"}};
  for (Index e = 0; e < mesh.element_count(); ++e)
    mesh.region[static_cast<std::size_t>(e)] = mesh.vertices(0, mesh.elements(0, e)) < 0.999 ? 0 : 1;
  const Matrix U = Matrix::Ones(3 * mesh.vertex_count(), 1);
  const Lumps lumps = make_warp_data(mesh, U, {.mesh_vertices = mesh.vertex_count()}, 40).lumps;
  EXPECT_EQ(lumps.count(), 40);
  EXPECT_NEAR(static_cast<double>(std::count(lumps.region.begin(), lumps.region.end(), 0)), 10.0, 1.0);
}

TEST(WarpData, PutsArmsThatTurnApartIntoDifferentLumps) {
  VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(1, 0.1, 0.1), Eigen::Vector3i(10, 1, 1)});
  const Index half = mesh.vertex_count(), elements = mesh.element_count();
  mesh.vertices.conservativeResize(3, 2 * half);
  mesh.vertices.rightCols(half) = mesh.vertices.leftCols(half).colwise() + Vector3(0, 0.15, 0);
  mesh.elements.conservativeResize(8, 2 * elements);
  mesh.elements.rightCols(elements) = mesh.elements.leftCols(elements).array() + static_cast<int>(half);
  mesh.region.resize(static_cast<std::size_t>(2 * elements));
  Matrix U(6 * half, 1);  // one arm turns about z, the other against it
  for (Index v = 0; v < 2 * half; ++v) {
    const Vector3 x = mesh.vertices.col(v) - Vector3(0, v < half ? 0 : 0.15, 0);
    U.block<3, 1>(3 * v, 0) = Vector3(0, 0, v < half ? 1 : -1).cross(x) + Vector3(0, 0, 1e-3);
  }
  const Lumps lumps = make_warp_data(mesh, U, {.mesh_vertices = mesh.vertex_count()}, 2).lumps;
  ASSERT_EQ(lumps.count(), 2);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(std::abs(lumps.rotations(3 * i + 2, 0)), 1.0, 1e-12);
    EXPECT_NEAR(lumps.volume(i), 0.01, 1e-12);
  }
}

TEST(WarpData, HasNoLumpOfARegionThatCannotMove) {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(2, 1, 1), Eigen::Vector3i(2, 1, 1)});
  mesh.regions = {{1, "held"}, {2, "free"}};
  Matrix U = Matrix::Ones(3 * mesh.vertex_count(), 2);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const auto corners = mesh.elements.col(e);
    const bool left =
        std::all_of(corners.begin(), corners.end(), [&](int v) { return mesh.vertices(0, v) < 1.01; });
    mesh.region[static_cast<std::size_t>(e)] = left ? 0 : 1;
  }
  for (const int v : test::vertices_below(mesh, 1.01)) U.middleRows<3>(3 * Index{v}).setZero();
  const Lumps lumps = make_warp_data(mesh, U, {.mesh_vertices = mesh.vertex_count()}).lumps;
  EXPECT_EQ(lumps.region, std::vector<int>(4, 1));
}

TEST(WarpData, RefusesAnEmbeddingOfAnotherMeshAndNegativeNumbersOfLumps) {
  const VolumeMesh mesh = test::small_beam(ElementKind::brick);
  const Matrix U = Matrix::Ones(3 * mesh.vertex_count(), 1);
  EXPECT_EQ(test::error_text([&] { make_warp_data(mesh, U, {.mesh_vertices = 35}); }),
            "the embedding is of a mesh with 35 vertices, but the mesh has 36");
  EXPECT_EQ(test::error_text([&] { make_warp_data(mesh, U, {.mesh_vertices = 36}, -1); }),
            "-1 lumps asked for, expected 0 (one per vertex) or more");
}

}  // namespace
}  // namespace limber::nodal_rotations_test
