#include "limber/basis/reduced_gram_schmidt.hpp"

#include "limber/basis/basis_quality.hpp"
#include "limber/basis/inertia_modes.hpp"
#include "limber/basis/linear_modes.hpp"
#include "tests/basis/support.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace limber::reduced_gram_schmidt_test {
namespace {

using test::contains;
using test::error_text;

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  return test::random_vector(rows * columns, 1.0, seed).reshaped(rows, columns);
}

FullModel beam(bool held = true) {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(4.0, 1.1, 0.9), Eigen::Vector3i(20, 6, 5)});
  const std::vector<int> fixed = held ? test::vertices_below(mesh, 1e-9) : std::vector<int>{};
  return {std::move(mesh), {test::material("stvk")}, fixed, {MassKind::consistent, Executor(1)}};
}

double sampled_product(const MassSamples& samples, const VectorRef& u, const VectorRef& v) {
  double sum = 0.0;
  for (std::size_t s = 0; s < samples.free_vertex.size(); ++s) {
    const Index row = 3 * samples.free_vertex[s];
    sum += samples.mass(static_cast<Index>(s)) * u.segment<3>(row).dot(v.segment<3>(row));
  }
  return sum;
}

Matrix sampled_gram(const MassSamples& samples, const Matrix& V) {
  Matrix G(V.cols(), V.cols());
  for (Index i = 0; i < V.cols(); ++i) {
    for (Index j = 0; j < V.cols(); ++j) G(i, j) = sampled_product(samples, V.col(i), V.col(j));
  }
  return G;
}

TEST(MassSamples, AreAboutAsManyAsAskedFor) {
  const FullModel model = beam();
  for (const int count : {20, 100, 400}) {
    const double found = static_cast<double>(sample_mass(model, count).mass.size());
    EXPECT_NEAR(found / count, 1.0, 0.35) << count;
  }
}

TEST(MassSamples, AreDifferentFreeVerticesInOrder) {
  const FullModel model = beam();
  const MassSamples samples = sample_mass(model, 100);
  EXPECT_TRUE(std::is_sorted(samples.free_vertex.begin(), samples.free_vertex.end()));
  EXPECT_EQ(std::adjacent_find(samples.free_vertex.begin(), samples.free_vertex.end()),
            samples.free_vertex.end());
  EXPECT_GE(samples.free_vertex.front(), 0);
  EXPECT_LT(3 * samples.free_vertex.back(), model.dof_count());
}

TEST(MassSamples, ShareOutAllMassOfAFreeBody) {
  const FullModel model = beam(false);
  const double all = model.vertex_masses().sum();
  for (const int count : {1, 7, 300, 1000000})
    EXPECT_NEAR(sample_mass(model, count).mass.sum(), all, 1e-12 * all) << count;
}

TEST(MassSamples, AreAllVerticesWhereThatManyAreAskedFor) {
  const FullModel model = beam(false);
  const MassSamples samples = sample_mass(model, 1000000);
  ASSERT_EQ(samples.mass.size(), model.mesh().vertex_count());
  EXPECT_LT((samples.mass - model.vertex_masses()).norm(), 1e-12 * samples.mass.norm());
}

TEST(MassSamples, ComeNearerToTheMassTheMoreTheyAre) {
  const FullModel model = beam();
  RestStiffness rest(model);
  const Matrix modes = compute_linear_modes(rest, 12).shapes;
  double before = 1e300;
  for (const int count : {30, 120, 480}) {
    const double error = (sampled_gram(sample_mass(model, count), modes) - Matrix::Identity(12, 12)).norm();
    EXPECT_LT(error, before) << count << " samples";
    before = error;
  }
  EXPECT_LT(before, 0.5);
}

TEST(MassSamples, AreTheSameVerticesInOtherUnits) {
  const FullModel metres = beam();
  VolumeMesh mesh = metres.mesh();
  mesh.vertices *= 1024.0;  // a power of two, so that no vertex is rounded across the side of a cube
  const FullModel others(mesh, {test::material("stvk")}, test::vertices_below(mesh, 1e-6));
  EXPECT_EQ(sample_mass(metres, 100).free_vertex, sample_mass(others, 100).free_vertex);
}

TEST(MassSamples, RefuseNone) {
  const FullModel model = beam();
  EXPECT_TRUE(contains(error_text([&] { (void)sample_mass(model, 0); }), "expected 1 or more"));
}

class ReducedGramSchmidtTest : public testing::Test {
 protected:
  FullModel model = beam();
  MassSamples samples = sample_mass(model, 200);
  Matrix W = random_matrix(model.dof_count(), 20, 1);
  Matrix V;
  ReducedGramSchmidtReport report;

  /// Of vectors in blocks of so many.
  void orthogonalize(const MassSamples& by, const Matrix& vectors, double threshold, Index block = 20) {
    ReducedGramSchmidt set(by, threshold, vectors.rows(), vectors.cols());
    for (Index begin = 0; begin < vectors.cols(); begin += block)
      set.append(vectors.middleCols(begin, std::min(block, vectors.cols() - begin)));
    report = set.report();
    V = set.take_vectors();
  }
};

TEST_F(ReducedGramSchmidtTest, MakesVectorsOrthonormalOnTheSamples) {
  orthogonalize(samples, W, 0.0, 5);
  ASSERT_EQ(V.cols(), 20);
  EXPECT_LT((sampled_gram(samples, V) - Matrix::Identity(20, 20)).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_EQ(report.products, 190);
  EXPECT_EQ(report.skipped, 0);
  EXPECT_EQ(report.samples, samples.mass.size());
}

TEST_F(ReducedGramSchmidtTest, KeepsTheSpan) {
  orthogonalize(samples, W, 1e-3);
  EXPECT_LT(subspace_angles(V, W, model.mass()).maxCoeff(), 1e-12);
  EXPECT_LT(subspace_angles(W, V, model.mass()).maxCoeff(), 1e-12);
}

TEST_F(ReducedGramSchmidtTest, LeavesCosinesBelowTheThresholdAlone) {
  constexpr double threshold = 0.05;
  orthogonalize(samples, W, threshold);
  EXPECT_GT(report.skipped, 0);
  EXPECT_LT(report.skipped, report.products);
  const Matrix gram = sampled_gram(samples, V);
  EXPECT_LT((gram.diagonal().array() - 1.0).abs().maxCoeff(), 1e-13);
  const double worst = (gram - Matrix::Identity(20, 20)).cwiseAbs().maxCoeff();
  // Later subtractions of vectors that are not quite orthogonal move a cosine by a few thresholds at most.
  EXPECT_LT(worst, 3.0 * threshold);
  EXPECT_GT(worst, 1e-3);
}

TEST_F(ReducedGramSchmidtTest, IsTheFullOneWhereEveryVertexIsASample) {
  FullModel lumped(model.mesh(), {test::material("stvk")}, test::vertices_below(model.mesh(), 1e-9),
                   {MassKind::lumped, Executor(1)});
  orthogonalize(sample_mass(lumped, 1000000), W, 0.0);
  EXPECT_LT(orthonormality_error(V, lumped.mass()), 1e-12);
}

TEST_F(ReducedGramSchmidtTest, DropsDependentColumns) {
  W.col(3) = W.col(0) - 2.0 * W.col(2);
  W.col(7).setZero();
  W.col(11) = 1e-6 * W.col(1);
  orthogonalize(samples, W, 1e-12);
  EXPECT_EQ(V.cols(), 17);
  EXPECT_LT((sampled_gram(samples, V) - Matrix::Identity(17, 17)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_F(ReducedGramSchmidtTest, KeepsColumnsOfWhichLittleIsNew) {
  W.col(1) = W.col(0) + 1e-5 * W.col(1);
  orthogonalize(samples, W, 0.0);
  EXPECT_EQ(V.cols(), 20);
  // Modified Gram-Schmidt in one pass: rounding divided by the share that is new.
  EXPECT_LT((sampled_gram(samples, V) - Matrix::Identity(20, 20)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST_F(ReducedGramSchmidtTest, DoesNotDependOnTheLengthsOfTheColumns) {
  orthogonalize(samples, W, 0.05);
  const Matrix unscaled = V;
  const Index skipped = report.skipped;
  orthogonalize(samples, 1024.0 * W, 0.05);
  EXPECT_EQ(report.skipped, skipped);
  EXPECT_LT((V - unscaled).norm(), 1e-12 * V.norm());
}

TEST_F(ReducedGramSchmidtTest, RefusesThresholdsAndSizesThatDoNotFit) {
  EXPECT_TRUE(contains(error_text([&] { orthogonalize(samples, W, 1.0); }), "threshold"));
  EXPECT_TRUE(contains(error_text([&] { orthogonalize(samples, Matrix::Ones(6, 1), 0.1); }), "6 rows"));
  EXPECT_TRUE(contains(error_text([&] { orthogonalize({}, W, 0.1); }), "sample"));
}

TEST(ReducedInertiaModes, SpanNearlyTheSameAsTheFullOnes) {
  const FullModel model = beam();
  RestStiffness rest(model);
  InertiaModesOptions options;
  options.orthogonalization = Orthogonalization::reduced;
  const InertiaModes reduced = compute_inertia_modes(rest, 30, options);
  ASSERT_EQ(reduced.shapes.cols(), 30);
  EXPECT_GT(reduced.reduced.products, 400);
  EXPECT_LT(orthonormality_error(reduced.shapes, model.mass()), 0.5);
  const Matrix modes = compute_linear_modes(rest, 8).shapes;
  const double full = subspace_angles(compute_inertia_modes(rest, 30).shapes, modes, model.mass()).maxCoeff();
  EXPECT_LT(subspace_angles(reduced.shapes, modes, model.mass()).maxCoeff(), 2.0 * full + 1e-6);
}

}  // namespace
}  // namespace limber::reduced_gram_schmidt_test
