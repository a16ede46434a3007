#include "limber/online/key_elements.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/qr.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace limber::test::key_elements_test {
namespace {

/// A beam held at one end. Two laws, one for each half.
FullModel make_model(ElementKind kind, int threads = 1) {
  VolumeMesh mesh = unit_beam(kind, 4, 2, 2);
  mesh.regions = {{1, "left"}, {2, "right"}};
  for (Index e = 0; e < mesh.element_count(); ++e)
    mesh.region[static_cast<std::size_t>(e)] = mesh.vertices(0, mesh.elements(0, e)) < 1.9 ? 0 : 1;
  const std::vector<int> fixed = vertices_below(mesh, 1e-9);
  FullModelOptions options;
  options.executor = Executor(threads);
  return {std::move(mesh), {material("neo-hookean"), material("arruda-boyce", 5e4)}, fixed, options};
}

/// Smooth orthonormal vectors: powers of the distance from the support, in each direction in turn.
Matrix smooth_basis(const FullModel& model, Index rank) {
  Matrix basis(model.dof_count(), rank);
  Matrix3X field(3, model.mesh().vertex_count());
  for (Index i = 0; i < rank; ++i) {
    field.setZero();
    for (Index v = 0; v < field.cols(); ++v) {
      const Vector3 x = model.mesh().vertices.col(v);
      field(i % 3, v) = std::pow(x(0) / 4.0, 1.0 + static_cast<double>(i / 3)) * (1.0 + 0.3 * x((i + 1) % 3));
    }
    basis.col(i) = model.dofs().restrict(field);
  }
  return orthonormal_columns(basis);
}

/// Each vertex turned, stretched and shifted by maps that vary along the body.
VertexMaps some_maps(const FullModel& model) {
  const Matrix3X& X = model.mesh().vertices;
  VertexMaps maps = VertexMaps::identity(X.cols());
  for (Index v = 0; v < X.cols(); ++v) {
    const Matrix3 turn =
        Eigen::AngleAxisd(0.2 * X(0, v), Vector3(0.3, 0.5, 0.8).normalized()).toRotationMatrix();
    maps.linear.push_back((1.0 + 0.02 * X(1, v)) * turn);
    maps.offset.col(v) = (maps.linear.back() - Matrix3::Identity()) * X.col(v) + Vector3(0.1, 0.0, -0.2);
  }
  return maps;
}

/// f of the full model at world displacements of all vertices. Moves the supports.
Vector full_force(FullModel& model, const Matrix3X& y) {
  model.set_supports(y);
  return model.internal_force(model.dofs().restrict(y));
}

/// Poses along a bent path.
void record_poses(FullModel& model, const Matrix& basis, const VertexMaps& maps, int count,
                  KeyElements& key) {
  for (int t = 1; t <= count; ++t) {
    Vector q(basis.cols());
    for (Index i = 0; i < q.size(); ++i)
      q(i) = 1.5 * std::sin(0.3 * t * static_cast<double>(i + 1)) / static_cast<double>(i + 1);
    const Matrix3X y = maps.displacement(model.dofs(), basis * q);
    key.add_pose(y, maps, full_force(model, y));
  }
}

/// All quadrature points with the weights of full quadrature.
void take_all_points(const FullModel& model, const Matrix& basis, KeyElements& key) {
  const ModeGradients gradients(model, basis);
  std::vector<QuadraturePoint> points;
  Vector weights(gradients.point_count());
  for (Index i = 0; i < gradients.point_count(); ++i) {
    points.push_back(gradients.at(i));
    weights(i) = gradients.weight(points.back());
  }
  key.set_points(points, weights);
  key.set_basis(basis);
}

class KeyElementsOf : public testing::TestWithParam<ElementKind> {};

INSTANTIATE_TEST_SUITE_P(elements, KeyElementsOf,
                         testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(KeyElementsOf, with_all_points_have_the_projected_forces_stiffness_and_energy_of_the_full_model) {
  FullModel model = make_model(GetParam());
  const Matrix U = smooth_basis(model, 5);
  KeyElements key(model, {});
  take_all_points(model, U, key);
  const Vector q = random_vector(5, 0.5, 3);
  Vector f;
  Matrix K;
  const double energy = key.evaluate(q, f, K);
  const Vector expected = U.transpose() * model.internal_force(U * q);
  const Matrix stiffness = U.transpose() * (model.stiffness(U * q) * U);
  EXPECT_LT((f - expected).norm(), 1e-11 * expected.norm());
  EXPECT_LT((K - stiffness).norm(), 1e-11 * stiffness.norm());
  EXPECT_NEAR(energy, model.energy(U * q), 1e-11 * energy);
  Vector force_alone;
  EXPECT_EQ(key.evaluate_force(q, force_alone), energy);
  EXPECT_EQ(force_alone, f);
}

TEST_P(KeyElementsOf, with_all_points_pull_back_the_forces_of_carried_vertices) {
  FullModel model = make_model(GetParam());
  const Matrix U = smooth_basis(model, 4);
  const VertexMaps maps = some_maps(model);
  KeyElements key(model, {});
  take_all_points(model, U, key);
  key.set_maps(maps);
  const Vector q = random_vector(4, 0.3, 5);
  Vector f;
  key.evaluate_force(q, f);
  const Vector world = full_force(model, maps.displacement(model.dofs(), U * q));
  const Vector expected = maps.carried(model.dofs(), U).transpose() * world;
  EXPECT_LT((f - expected).norm(), 1e-11 * expected.norm());
}

TEST_P(KeyElementsOf, that_are_carried_have_forces_and_stiffness_that_are_derivatives_of_the_energy) {
  FullModel model = make_model(GetParam());
  const Matrix U = smooth_basis(model, 5);
  const VertexMaps maps = some_maps(model);
  KeyElements key(model, {});
  record_poses(model, U, maps, 4, key);
  key.set_maps(maps);
  key.train(U);
  const Vector q = random_vector(5, 0.3, 7), d = random_vector(5, 1.0, 8);
  Vector f, moved;
  Matrix K;
  const double energy = key.evaluate(q, f, K);
  const auto energy_remainder = [&](double h) {
    return std::abs(key.evaluate_force(q + h * d, moved) - energy - h * f.dot(d));
  };
  const auto force_remainder = [&](double h) {
    key.evaluate_force(q + h * d, moved);
    return (moved - f - h * K * d).norm();
  };
  EXPECT_GT(remainder_slope(energy_remainder, std::abs(energy)), 1.9);
  EXPECT_GT(remainder_slope(force_remainder, f.norm()), 1.9);
  EXPECT_EQ(K, K.transpose());
}

TEST_P(KeyElementsOf, reach_the_error_asked_for_with_few_points_and_positive_weights) {
  FullModel model = make_model(GetParam());
  const Matrix U = smooth_basis(model, 4);
  KeyElements key(model, {.error = 0.02});
  record_poses(model, U, VertexMaps::identity(model.mesh().vertex_count()), 5, key);
  const KeyElementFit fit = key.train(U);
  EXPECT_LE(fit.error, 0.02);
  EXPECT_EQ(fit.points, key.point_count());
  EXPECT_LT(fit.points, ModeGradients(model, U).point_count());
  EXPECT_GT(key.weights().minCoeff(), 0.0);
}

TEST(KeyElements, have_the_error_that_training_reports) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 3);
  const VertexMaps maps = some_maps(model);
  KeyElements key(model, {.error = 0.05});
  const Vector q = random_vector(3, 0.6, 2);
  const Matrix3X y = maps.displacement(model.dofs(), U * q);
  const Vector world = full_force(model, y);
  key.add_pose(y, maps, world);
  const double error = key.train(U).error;
  key.set_maps(maps);
  Vector f;
  key.evaluate_force(q, f);
  const Vector expected = maps.carried(model.dofs(), U).transpose() * world;
  EXPECT_NEAR((f - expected).norm() / expected.norm(), error, 1e-6);
}

TEST(KeyElements, know_the_stiffness_across_the_path_of_their_poses) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 6);
  const VertexMaps rest = VertexMaps::identity(model.mesh().vertex_count());
  KeyElements key(model, {.error = 0.02});
  const Vector q = 0.3 * Vector::Ones(6);
  const Matrix3X y = rest.displacement(model.dofs(), U * q);
  key.add_pose(y, rest, full_force(model, y));
  key.train(U);
  Vector f;
  Matrix K;
  key.evaluate(q, f, K);
  const Matrix expected = U.transpose() * (model.stiffness(U * q) * U);
  EXPECT_LT((K - expected).norm(), 0.1 * expected.norm());
}

TEST(KeyElements, learn_the_stiffness_of_a_body_without_forces) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 4);
  const VertexMaps rest = VertexMaps::identity(model.mesh().vertex_count());
  KeyElements key(model, {.error = 0.02});
  key.add_pose(rest.offset, rest, Vector::Zero(model.dof_count()));
  EXPECT_EQ(key.train(U).error, 0.0);
  Vector f;
  Matrix K;
  key.evaluate(Vector::Zero(4), f, K);
  const Matrix expected = U.transpose() * (model.stiffness(Vector::Zero(model.dof_count())) * U);
  EXPECT_LT((K - expected).norm(), 0.1 * expected.norm());
}

TEST(KeyElements, that_are_trained_again_with_the_same_poses_keep_their_points) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 5);
  KeyElements key(model, {.error = 0.02});
  record_poses(model, U, VertexMaps::identity(model.mesh().vertex_count()), 5, key);
  const KeyElementFit first = key.train(U);
  const std::vector<QuadraturePoint> points = key.points();
  const KeyElementFit second = key.train(U);
  EXPECT_EQ(key.points(), points);
  EXPECT_LE(second.error, first.error * (1.0 + 1e-6));
}

TEST(KeyElements, keep_most_points_when_the_basis_grows) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 6);
  KeyElements key(model, {.error = 0.02});
  record_poses(model, U, VertexMaps::identity(model.mesh().vertex_count()), 6, key);
  key.train(U.leftCols(5));
  const std::vector<QuadraturePoint> before = key.points();
  EXPECT_LE(key.train(U).error, 0.02);
  std::size_t kept = 0;
  for (const QuadraturePoint& point : before)
    kept += std::count(key.points().begin(), key.points().end(), point);
  EXPECT_GT(2 * kept, before.size()) << kept << " of " << before.size();
}

TEST(KeyElements, do_not_exceed_the_number_of_points_asked_for) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 6);
  KeyElements key(model, {.error = 1e-6, .max_points = 7});
  record_poses(model, U, VertexMaps::identity(model.mesh().vertex_count()), 6, key);
  EXPECT_EQ(key.train(U).points, 7);
}

TEST(KeyElements, forget_the_first_of_too_many_poses) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 2);
  KeyElements key(model, {.max_poses = 3});
  record_poses(model, U, VertexMaps::identity(model.mesh().vertex_count()), 5, key);
  EXPECT_EQ(key.pose_count(), 3);
}

/// Weights and a force after two trainings.
std::vector<double> trained_bits(int threads) {
  FullModel model = make_model(ElementKind::tetrahedron, threads);
  const Matrix U = smooth_basis(model, 5);
  const VertexMaps maps = some_maps(model);
  KeyElements key(model, {.error = 0.01, .candidates = 40});
  record_poses(model, U, maps, 5, key);
  key.train(U.leftCols(3));
  key.train(U);
  key.set_maps(maps);
  Vector f;
  key.evaluate_force(random_vector(5, 0.3, 1), f);
  std::vector<double> bits(key.weights().begin(), key.weights().end());
  bits.insert(bits.end(), f.begin(), f.end());
  return bits;
}

TEST(KeyElements, have_the_same_bits_for_any_number_of_threads) {
  EXPECT_EQ(trained_bits(1), trained_bits(3));
}

TEST(KeyElements, go_on_with_the_same_bits_after_being_restored) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 5);
  const VertexMaps maps = some_maps(model);
  KeyElements original(model, {.error = 0.01, .candidates = 40});
  record_poses(model, U, maps, 4, original);
  original.train(U.leftCols(3));
  original.set_maps(maps);
  StateWriter out;
  original.save(out);
  KeyElements restored(model, {.error = 0.01, .candidates = 40});
  StateReader in(out.bytes(), "test");
  restored.restore(in);
  in.finish();
  restored.set_basis(U.leftCols(3));
  restored.set_maps(maps);
  for (const Index rank : {3, 5}) {
    const Vector q = random_vector(rank, 0.3, 4);
    Vector f, g;
    Matrix K, L;
    EXPECT_EQ(original.evaluate(q, f, K), restored.evaluate(q, g, L));
    EXPECT_EQ(f, g);
    EXPECT_EQ(K, L);
    EXPECT_EQ(original.train(U).error, restored.train(U).error);
    EXPECT_EQ(original.points(), restored.points());
    EXPECT_EQ(original.weights(), restored.weights());
  }
}

TEST(KeyElements, of_another_body_are_refused) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const FullModel smaller(unit_beam(ElementKind::tetrahedron, 1, 1, 1), {material("linear")},
                          std::vector<int>{0, 1, 2});
  const Matrix U = smooth_basis(model, 2);
  KeyElements key(model, {});
  record_poses(model, U, VertexMaps::identity(model.mesh().vertex_count()), 1, key);
  StateWriter out;
  key.save(out);
  KeyElements wrong(smaller, {});
  StateReader in(out.bytes(), "test");
  EXPECT_THROW(wrong.restore(in), Error);
}

TEST(KeyElements, refuse_what_does_not_fit) {
  FullModel model = make_model(ElementKind::tetrahedron);
  const Matrix U = smooth_basis(model, 2);
  const VertexMaps rest = VertexMaps::identity(model.mesh().vertex_count());
  KeyElements key(model, {});
  Vector f;
  EXPECT_THROW(key.train(U), Error) << "no poses";
  EXPECT_THROW(key.evaluate_force(Vector::Zero(2), f), Error) << "no basis";
  EXPECT_THROW(key.set_basis(U.topRows(3)), Error);
  EXPECT_THROW(key.set_maps(VertexMaps::identity(3)), Error);
  EXPECT_THROW(key.add_pose(rest.offset, rest, Vector::Zero(3)), Error);
  EXPECT_THROW(key.set_points({{-1, 0}}, Vector::Ones(1)), Error);
  EXPECT_THROW(key.set_points({{0, 0}}, Vector::Zero(1)), Error) << "weight 0";
  EXPECT_THROW(KeyElements(model, {.error = 0.0}), Error);
}

}  // namespace
}  // namespace limber::test::key_elements_test
