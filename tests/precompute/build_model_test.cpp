#include "limber/precompute/build_model.hpp"

#include "limber/reduced/inertia.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "tests/precompute/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace limber::build_model_test {
namespace {

using test::contains;
using test::error_text;

struct Setup {
  ElementKind kind;
  MassKind mass;
};

class ReducedModelOf : public testing::TestWithParam<Setup> {
 protected:
  static constexpr Index rank = 5;
  FullModel model = test::uneven_model(GetParam().kind, 3, 1.0, {GetParam().mass, Executor(1)});
  Matrix U = test::wave_basis(model, rank);
  ReducedModel reduced = build_reduced_model(model, U);
};

INSTANTIATE_TEST_SUITE_P(Meshes, ReducedModelOf,
                         testing::Values(Setup{ElementKind::tetrahedron, MassKind::consistent},
                                         Setup{ElementKind::tetrahedron, MassKind::lumped},
                                         Setup{ElementKind::brick, MassKind::consistent},
                                         Setup{ElementKind::brick, MassKind::lumped}),
                         [](const auto& setup) {
                           return fmt::format("{}s_{}_mass", name_of(setup.param.kind),
                                              setup.param.mass == MassKind::lumped ? "lumped" : "consistent");
                         });

TEST_P(ReducedModelOf, HasRegionsWhoseMassesAddUpToTheProjectedMass) {
  Matrix sum = Matrix::Zero(rank, rank);
  for (const ReducedRegion& region : reduced.regions) sum += region.material.density * region.mass;
  const Matrix expected = U.transpose() * (model.mass() * U);
  EXPECT_LT((sum - expected).norm(), 1e-13 * expected.norm());
}

TEST_P(ReducedModelOf, HasRegionsWhoseWeightsAddUpToTheProjectedGravity) {
  const Vector3 g(1.0, -9.81, 3.0);
  Vector sum = Vector::Zero(rank);
  for (const ReducedRegion& region : reduced.regions) sum += region.material.density * region.weight * g;
  const Vector expected = U.transpose() * model.gravity_force(g);
  EXPECT_LT((sum - expected).norm(), 1e-13 * expected.norm());
}

TEST_P(ReducedModelOf, HasMomentsOfItsRegionsAndModes) {
  const Inertia inertia = inertia_of(reduced);
  Matrix trace(rank, rank);
  for (Index i = 0; i < rank; ++i) {
    for (Index j = 0; j < rank; ++j)
      trace(i, j) = inertia.second_pairs.col(i + rank * j).reshaped(3, 3).trace();
  }
  const Matrix mass = U.transpose() * (model.mass() * U);
  EXPECT_LT((trace - mass).norm(), 1e-13 * mass.norm());
  const Vector3 first = model.mesh().vertices * model.vertex_masses();
  EXPECT_LT((inertia.first - first).norm(), 1e-13 * first.norm());
  for (Index axis = 0; axis < 3; ++axis) {
    const Vector weight = U.transpose() * model.gravity_force(Vector3::Unit(axis));
    EXPECT_LT((inertia.first_rows.row(axis).transpose() - weight).norm(), 1e-13 * weight.norm());
  }
}

TEST_P(ReducedModelOf, KnowsTheVolumesOfItsRegions) {
  const double element = 3.0 * 1.4 * 0.9 / static_cast<double>(model.mesh().element_count());
  EXPECT_NEAR(reduced.regions[0].volume, 5.0 * element, 1e-14);
  EXPECT_NEAR(reduced.regions[1].volume, 14.0 * element, 1e-14);
}

TEST_P(ReducedModelOf, FollowsEditsOfMaterialsAndRank) {
  const FullModel edited = test::uneven_model(GetParam().kind, 3, 1.6, {GetParam().mass, Executor(1)});
  const std::vector<Material>& materials = edited.materials();
  ASSERT_FALSE(materials == reduced.materials());
  for (const Index used : {rank, Index{3}}) {
    const ReducedEquations equations = make_equations(reduced, materials, used);
    const Matrix V = U.leftCols(used);
    ElasticWorkspace work;
    Vector f(used);
    Matrix K(used, used);
    for (const double gradient : {0.2, 1.0}) {
      const Vector q = test::state_of_gradient(edited, V, gradient, 4);
      const test::Projected expected(edited, V, q);
      EXPECT_NEAR(equations.elastic.evaluate(q, work, f, K) / expected.energy, 1.0, 1e-11);
      EXPECT_LT((f - expected.force).norm(), 1e-11 * expected.force.norm());
      EXPECT_LT((K - expected.stiffness).norm(), 1e-11 * expected.stiffness.norm());
    }
    const Matrix mass = V.transpose() * (edited.mass() * V);
    EXPECT_LT((equations.mass - mass).norm(), 1e-13 * mass.norm());
  }
}

TEST_P(ReducedModelOf, KeepsTheSimulationMesh) {
  ASSERT_TRUE(reduced.simulation.has_value());
  const SimulationMesh& simulation = *reduced.simulation;
  EXPECT_EQ(simulation.mesh.vertices, model.mesh().vertices);
  EXPECT_EQ(simulation.mesh.elements, model.mesh().elements);
  ASSERT_EQ(simulation.basis.rows(), 3 * model.mesh().vertex_count());
  for (Index i = 0; i < rank; ++i)
    EXPECT_EQ(simulation.basis.col(i), model.dofs().expand(U.col(i)).reshaped());
  std::vector<int> held = test::vertices_below(model.mesh(), 1e-9);
  std::erase(held, 0);  // no element uses it
  EXPECT_EQ(simulation.fixed, held);
}

TEST_P(ReducedModelOf, IsDrawnAsItsBoundaryUnlessToldOtherwise) {
  const SurfaceMesh expected = boundary_surface(model.mesh());
  EXPECT_EQ(reduced.surface.mesh.triangles, expected.triangles);
  EXPECT_EQ(reduced.surface.mesh.parts.size(), 3u);
  EXPECT_EQ(reduced.surface.mesh.vertices, expected.vertices.cast<float>().cast<double>().eval());
  // Every boundary vertex is one of the mesh, and moves with it.
  const Embedding& embedding = reduced.simulation->embedding;
  for (Index v = 0; v < expected.vertices.cols(); ++v) {
    Index corner = 0;
    EXPECT_NEAR(embedding.weights.col(v).maxCoeff(&corner), 1.0, 1e-12);
    const Index vertex = embedding.vertices(corner, v);
    const Matrix exact = reduced.simulation->basis.middleRows<3>(3 * vertex);
    EXPECT_LT((reduced.surface.basis.middleRows<3>(3 * v).cast<double>() - exact).cwiseAbs().maxCoeff(),
              1e-6 * U.cwiseAbs().maxCoeff());
  }
}

TEST(BuildReducedModel, BindsAGivenSurfaceToTheMesh) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  const Matrix U = test::wave_basis(model, 3);
  Matrix3X points(3, 4);
  points << 0.3, 2.1, 1.2, 2.9, 0.1, 0.2, -0.6, 0.55, 0.11, -0.3, 0.2, 0.4;
  Eigen::Matrix3Xi triangles(3, 2);
  triangles << 0, 0, 1, 2, 2, 3;
  const std::vector<Vector3> colors{Vector3(0.1, 0.2, 0.3)};
  const ReducedModel reduced =
      build_reduced_model(model, U, make_surface_mesh(points, triangles, "skin"), colors);
  EXPECT_EQ(reduced.surface.mesh.parts, std::vector<std::string>{"skin"});
  EXPECT_EQ(reduced.surface.mesh.vertices, points.cast<float>().cast<double>().eval());
  EXPECT_EQ(reduced.surface.colors, colors);
  const Vector q = test::random_vector(3, 1.0, 2);
  const Matrix3X expected = interpolate(embed_points(model.mesh(), points), model.dofs().expand(U * q));
  const Vector found = reduced.surface.basis.cast<double>() * q;
  EXPECT_LT((found - expected.reshaped()).norm(), 1e-6 * expected.norm());
}

TEST(BuildReducedModel, ChoosesADifferentColourForEachPart) {
  const FullModel model = test::uneven_model(ElementKind::brick, 3);
  const auto colors = build_reduced_model(model, test::wave_basis(model, 1)).surface.colors;
  ASSERT_EQ(colors.size(), 3u);
  EXPECT_NE(colors[0], colors[1]);
  EXPECT_NE(colors[1], colors[2]);
}

TEST(BuildReducedModel, LeavesTheSimulationMeshOutWhenAsked) {
  const FullModel model = test::uneven_model(ElementKind::brick, 1);
  EXPECT_FALSE(build_reduced_model(model, test::wave_basis(model, 2), {}, {}, {.keep_simulation_mesh = false})
                   .simulation.has_value());
}

TEST(BuildReducedModel, RefusesOtherLawsAndSaysWhatToDo) {
  const VolumeMesh mesh = test::uneven_beam(ElementKind::tetrahedron, 2);
  const FullModel model(mesh, {test::material("stvk"), test::material("neo-hookean")},
                        test::vertices_below(mesh, 1e-9));
  EXPECT_EQ(error_text([&] { build_reduced_model(model, test::wave_basis(model, 2)); }),
            "region 1 'core' is made of neo-hookean, expected stvk: only that law has exact reduced forces; "
            "take cubature for it");
}

TEST(BuildReducedModel, RefusesDependentVectors) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  Matrix U = test::wave_basis(model, 3);
  U.col(2) = 1e-4 * U.col(0) - 2e-4 * U.col(1);
  EXPECT_TRUE(contains(error_text([&] { build_reduced_model(model, U); }),
                       "the 3 vectors of the basis are not independent"));
  U.col(2).setZero();
  EXPECT_EQ(error_text([&] { build_reduced_model(model, U); }),
            "vector 2 of the basis is zero; leave it out");
}

TEST(BuildReducedModel, AcceptsIndependentVectorsOfVeryDifferentLengths) {
  const FullModel model = test::uneven_model(ElementKind::tetrahedron, 1);
  Matrix U = test::wave_basis(model, 3);
  U.col(1) *= 1e-9;
  EXPECT_NO_THROW(build_reduced_model(model, U));
}

TEST(BuildReducedModel, RefusesARegionWithoutElements) {
  VolumeMesh mesh = test::unit_beam(ElementKind::brick);
  mesh.regions = {{1, "all"}, {8, ""}};
  const FullModel model(mesh, std::vector<Material>(2, test::material("stvk")),
                        test::vertices_below(mesh, 0.5));
  EXPECT_EQ(error_text([&] { build_reduced_model(model, test::wave_basis(model, 2)); }),
            "region 1 (tag 8) has no elements; remove it from the mesh");
}

TEST(BuildReducedModel, RefusesTheWrongNumberOfColours) {
  const FullModel model = test::uneven_model(ElementKind::brick, 3);
  const std::vector<Vector3> colors(2, Vector3::Ones());
  EXPECT_EQ(error_text([&] { build_reduced_model(model, test::wave_basis(model, 1), {}, colors); }),
            "2 colours for a surface of 3 parts, expected one each or none");
}

}  // namespace
}  // namespace limber::build_model_test
