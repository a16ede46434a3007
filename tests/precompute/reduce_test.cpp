#include "limber/precompute/reduce.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/contact_responses.hpp"
#include "limber/basis/energy_pca.hpp"
#include "limber/basis/inertia_modes.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/svd.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <array>

namespace limber::reduce_test {
namespace {

using test::contains;

VolumeMesh beam(double size = 1.0) {
  return make_beam({ElementKind::tetrahedron, size * Vector3(1.0, 0.15, 0.1), Eigen::Vector3i(8, 2, 2)});
}

FullModel held(double size = 1.0, double density = 900.0, std::string_view law = "stvk") {
  const VolumeMesh mesh = beam(size);
  return {mesh, {test::material(law, 1e5, 0.3, density)}, test::vertices_below(mesh, 1e-9)};
}

BasisSettings settings(int modes, int rank) {
  BasisSettings result;
  result.modes = modes;
  result.rank = rank;
  return result;
}

/// Sine of the largest angle between two spaces of the same unknowns, by orthonormal bases of both.
double largest_angle(const Matrix& a, const Matrix& b) {
  const Matrix p = left_singular_vectors(a).U, q = left_singular_vectors(b).U;
  return (q - p * (p.transpose() * q)).norm();
}

TEST(ComputeBasis, IsTheSameForABodyOfAnotherSizeOrDensity) {
  ReduceReport report;
  const Matrix basis = compute_basis(held(), settings(5, 12), report);
  EXPECT_LT(report.orthonormality, 1e-12);
  for (const auto& [size, density] :
       {std::pair(1e-3, 900.0), std::pair(100.0, 900.0), std::pair(1.0, 3600.0)}) {
    const Matrix other = compute_basis(held(size, density), settings(5, 12), report);
    EXPECT_LT(largest_angle(basis, other), 1e-5) << "size " << size << ", density " << density;
  }
}

TEST(ComputeBasis, WithContactIsTheSameForABodyOfAnotherSizeOrDensity) {
  BasisSettings touchable = settings(5, 12);
  touchable.contact = 4;
  ReduceReport report;
  const Matrix basis = compute_basis(held(), touchable, report);
  EXPECT_LT(report.orthonormality, 1e-12);
  for (const auto& [size, density] :
       {std::pair(1e-3, 900.0), std::pair(100.0, 900.0), std::pair(1.0, 3600.0)}) {
    const Matrix other = compute_basis(held(size, density), touchable, report);
    EXPECT_LT(largest_angle(basis, other), 1e-5) << "size " << size << ", density " << density;
  }
}

TEST(ComputeBasis, WithContactBeginsAsWithoutAndHoldsMoreOfDents) {
  ReduceReport without, with;
  BasisSettings touchable = settings(6, 15);
  const Matrix plain = compute_basis(held(), touchable, without);
  EXPECT_EQ(without.contact.patches, 0);
  touchable.contact = 5;
  const Matrix basis = compute_basis(held(), touchable, with);
  ASSERT_EQ(basis.cols(), 15);
  EXPECT_LT(largest_angle(plain.leftCols(10), basis.leftCols(10)), 1e-10);
  EXPECT_EQ(with.contact.directions, 5);
  EXPECT_GT(with.contact.patches, 60);  // all vertices that move, for so small a body
  EXPECT_LT(with.contact.patches, 75);
  EXPECT_GT(with.contact.after, with.contact.before);
}

/// A block that nothing holds, pressed in the middle of a face, as the prototype of contact did: with nine
/// responses at places of that face, its middle among them, in the samples of mass-PCA, a patch of a quarter
/// of its size had 0.62 of its true compliance at rank 30.
TEST(ComputeBasis, WithContactMakesABlockSofterThanThePrototypeDidAndKeepsItsFrequencies) {
  const double size = 0.2;
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3::Constant(size), Eigen::Vector3i(12, 12, 12)});
  const FullModel model(mesh, {test::material("stvk", 1e6, 0.4, 1000.0)}, std::vector<int>{});
  RestStiffness rest(model);
  const Vector3 low = mesh.vertices.rowwise().minCoeff();
  std::vector<int> top;
  Matrix loads = Matrix::Zero(model.dof_count(), 3), responses(model.dof_count(), 3);
  const std::array<double, 3> radii{0.105 * size, 0.255 * size, size};
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const Vector3 d = mesh.vertices.col(v) - low - Vector3(0.5 * size, 0.5 * size, size);
    if (d.z() < -1e-9) continue;
    top.push_back(v);
    for (Index i = 0; i < 3; ++i) {
      if (d.norm() <= radii[static_cast<std::size_t>(i)]) loads(3 * Index{v} + 2, i) = -1.0;
    }
  }
  ASSERT_TRUE(rest.solve(loads, responses).ok());
  const LinearModes modes = compute_linear_modes(rest, 16);
  const auto frequency_error = [&](const Matrix& basis) {
    const Vector found = rayleigh_ritz(rest, basis, 10).eigenvalues;
    return ((found.array() / modes.elastic_eigenvalues().array()).sqrt() - 1.0).maxCoeff();
  };
  BasisSettings touchable = settings(20, 30);
  ReduceReport report;
  const Matrix plain = compute_basis(model, touchable, report);
  touchable.contact = contact_share(30);
  const Matrix anywhere = compute_basis(model, touchable, report);
  touchable.contact_vertices = top;
  const Matrix above = compute_basis(model, touchable, report);
  const Vector without = held_energy(rest, plain, responses), all = held_energy(rest, anywhere, responses),
               some = held_energy(rest, above, responses);
  EXPECT_NEAR(without(1), 0.41, 0.01);
  for (Index i = 0; i < 3; ++i)
    EXPECT_GT(all(i), without(i)) << "radius " << radii[static_cast<std::size_t>(i)];
  EXPECT_GT(all(1), 0.50) << all.transpose();
  EXPECT_GT(some(0), 0.38) << some.transpose();
  EXPECT_GT(some(1), 0.62) << some.transpose();
  EXPECT_GT(some(2), 0.84) << some.transpose();  // pressed hardest at the edges, by even forces
  for (const Matrix& basis : {anywhere, above}) {
    EXPECT_LT(frequency_error(basis), frequency_error(plain));
    EXPECT_LT((rest.rigid_modes().transpose() * (model.mass() * basis)).norm(), 1e-9);
  }
}

TEST(ComputeBasis, LeavesOutTheRigidMotionOfSnapshots) {
  const FullModel model(beam(), {test::material("stvk")}, std::vector<int>{});
  BasisSettings drift = settings(0, 10);
  Matrix3X bent = Matrix3X::Zero(3, model.mesh().vertex_count());
  for (Index v = 0; v < bent.cols(); ++v) bent(2, v) = 0.1 * std::pow(model.mesh().vertices(0, v) - 0.5, 2);
  bent.colwise() += Vector3(3.0, -2.0, 7.0);
  drift.snapshots = {bent};
  ReduceReport report;
  const Matrix basis = compute_basis(model, drift, report);
  EXPECT_EQ(report.rigid_modes, 6);
  ASSERT_EQ(basis.cols(), 1);
  EXPECT_LT((rigid_motions(model).transpose() * (model.mass() * basis)).norm(), 1e-8);
}

TEST(ComputeBasis, RefusesSettingsThatGiveNothing) {
  const FullModel model = held();
  const auto refusal = [&](const BasisSettings& basis) {
    ReduceReport report;
    return test::error_text([&] { (void)compute_basis(model, basis, report); });
  };
  EXPECT_TRUE(contains(refusal(settings(0, 5)), "none was given"));
  EXPECT_TRUE(contains(refusal(settings(5, 0)), "the rank is 0"));
  for (const int contact : {-1, 5, 6}) {
    BasisSettings touchable = settings(5, 5);
    touchable.contact = contact;
    EXPECT_TRUE(contains(refusal(touchable), "of 5 coordinates are to be for contact, expected 0 to 4"));
  }
  BasisSettings many = settings(200, 5);
  many.order = 3;
  EXPECT_TRUE(contains(refusal(many), "ask for fewer modes or a lower order"));
  BasisSettings snapshots = settings(0, 5);
  snapshots.snapshots = {Matrix3X::Zero(3, model.mesh().vertex_count())};
  EXPECT_TRUE(contains(refusal(snapshots), "zero"));
  snapshots.snapshots = {Matrix3X::Ones(3, 4)};
  EXPECT_TRUE(contains(refusal(snapshots), "has 4 vertices"));
}

TEST(Reduce, RefusesExactForcesOfOtherMaterialsBeforeTheLongWork) {
  const FullModel model = held(1.0, 900.0, "neo-hookean");
  ReduceOptions options;
  options.forces = ForceKind::exact;
  ReduceReport report;
  const std::string text = test::error_text([&] { (void)reduce(model, {}, {}, options, report); });
  EXPECT_TRUE(contains(text, "only that law has exact reduced forces")) << text;
  EXPECT_TRUE(report.stages.empty());
}

TEST(Reduce, RefusesRanksWhoseCoefficientsNoMachineHolds) {
  ReduceOptions options;
  options.basis = settings(5, 900);
  ReduceReport report;
  const std::string text = test::error_text([&] { (void)reduce(held(), {}, {}, options, report); });
  EXPECT_TRUE(contains(text, "GB for the coefficients")) << text;
}

TEST(Reduce, TellsWhatTheBasisIsMadeOf) {
  ReduceOptions options;
  options.basis = settings(4, 9);
  ReduceReport report;
  const ReducedModel model = reduce(held(), {}, {}, options, report);
  EXPECT_EQ(model.rank, 9);
  EXPECT_EQ(model.description, "mass-PCA of 4 linear modes, 10 derivatives to rank 9");
  EXPECT_EQ(report.frequencies_hz.size(), 4);
  EXPECT_EQ(report.singular_values.size(), 14);
  options.basis.contact = 3;
  EXPECT_EQ(reduce(held(), {}, {}, options, report).description,
            "mass-PCA of 4 linear modes, 10 derivatives to rank 9, 3 of it for contact at 65 patches");
}

/// Cubature is trained along motions that pull at single vertices, so that it knows dents.
TEST(Reduce, WithContactGivesCubatureTheStiffnessOfDents) {
  const FullModel model = held(1.0, 900.0, "neo-hookean");
  ReduceOptions options;
  options.basis = settings(4, 12);
  options.basis.contact = 4;
  options.cubature.error = 0.01;
  ReduceReport report;
  const ReducedModel reduced = reduce(model, {}, {}, options, report);
  ASSERT_TRUE(reduced.cubature.has_value());
  Vector force(12);
  Matrix K(12, 12);
  ElasticWorkspace work;
  make_equations(reduced).elastic.evaluate(Vector::Zero(12), work, force, K);
  const Matrix& basis = reduced.simulation->basis;
  RestStiffness rest(model);
  Matrix U(model.dof_count(), 12);
  for (Index i = 0; i < 12; ++i)
    U.col(i) = model.dofs().restrict(basis.col(i).reshaped(3, model.mesh().vertex_count()));
  const Cholesky trained(K), exact(U.transpose() * (rest.matrix() * U));
  ASSERT_TRUE(trained.ok());
  const BoundaryAreas areas = boundary_areas(model.mesh());
  for (const int center : compute_contact_responses(rest).centers) {
    const Vector g = U.transpose() * patch_load(model, areas, center, 0.5 * areas.size);
    const double ratio = g.dot(trained.solve(g).col(0)) / g.dot(exact.solve(g).col(0));
    EXPECT_NEAR(ratio, 1.0, 0.05) << "vertex " << center;
  }
}

/// What a user would choose for a small body.
ReduceOptions small_options(std::string_view forces) {
  ReduceOptions options;
  options.basis = settings(4, 8);
  options.forces = parse_force_kind(forces);
  options.cubature.error = 0.02;
  return options;
}

TEST(Reduce, TakesCubatureForOtherMaterials) {
  const FullModel model = held(1.0, 900.0, "neo-hookean");
  ReduceReport report;
  const ReducedModel reduced = reduce(model, {}, {}, small_options("auto"), report);
  ASSERT_TRUE(reduced.cubature.has_value());
  EXPECT_FALSE(reduced.cubature->modal());
  ASSERT_TRUE(report.cubature.has_value());
  EXPECT_TRUE(report.cubature->reached);
  EXPECT_TRUE(contains(reduced.description, "optimized cubature with")) << reduced.description;
  EXPECT_EQ(reduced.regions[0].lambda_energy.size(), 0);
}

TEST(ComputeBasis, FromInertiaModesHoldsTheLowestModesAndSaysSo) {
  const FullModel model = held();
  BasisSettings inertia = settings(6, 15);
  inertia.kind = ModeKind::inertia;
  ReduceReport report;
  (void)compute_basis(model, inertia, report);
  ASSERT_TRUE(report.check.has_value());
  ASSERT_EQ(report.check->angles.size(), 6);
  EXPECT_LT(report.check->angles.head(3).maxCoeff(), 0.05) << report.check->angles.transpose();
  EXPECT_LT(report.orthonormality, 1e-12);
  // Rayleigh quotients bound frequencies from above.
  for (Index i = 0; i < 6; ++i)
    EXPECT_GE(report.frequencies_hz(i), (1.0 - 1e-6) * report.check->frequencies_hz(i));
}

TEST(ComputeBasis, ByRandomProjectionIsOrthonormalAndMissesMoreThanByPca) {
  const FullModel model = held();
  BasisSettings basis = settings(6, 12);
  ReduceReport pca, random, again;
  (void)compute_basis(model, basis, pca);
  basis.condense = Condensation::random;
  const Matrix first = compute_basis(model, basis, random), second = compute_basis(model, basis, again);
  EXPECT_LT(random.orthonormality, 1e-12);
  EXPECT_GT(random.missed, pca.missed);
  EXPECT_LT(random.missed, 0.7);
  EXPECT_TRUE(first == second);
}

/// Everything that makes a basis, for bodies smaller than what it asks for.
TEST(Reduce, TakesBodiesSmallerThanTheBasisAskedFor) {
  for (const Eigen::Vector3i& cells : {Eigen::Vector3i(1, 1, 1), Eigen::Vector3i(2, 1, 1)}) {
    const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), cells});
    for (const bool free : {false, true}) {
      const FullModel model(mesh, {test::material("stvk")},
                            free ? std::vector<int>{} : test::vertices_below(mesh, 1e-9));
      const Index most = model.dof_count() - (free ? 6 : 0);
      for (const ModeKind kind : {ModeKind::modal, ModeKind::inertia}) {
        for (const auto& [condense, contact] :
             {std::pair(Condensation::pca, 0), {Condensation::random, 0}, {Condensation::pca, 20}}) {
          ReduceOptions options;
          options.basis = settings(50, 50);
          options.basis.kind = kind;
          options.basis.condense = condense;
          options.basis.contact = contact;
          ReduceReport report;
          const ReducedModel reduced = reduce(model, {}, {}, options, report);
          EXPECT_EQ(reduced.rank, most);
          EXPECT_LE(report.modes, most);
          EXPECT_LT(report.orthonormality, 1e-11);
          EXPECT_LT(report.missed, 1e-9) << "all unknowns are spanned";
          EXPECT_LE(report.singular_values.size(), model.dof_count());
        }
      }
    }
  }
}

TEST(ComputeBasis, OfManySamplesOfFewUnknownsKeepsNoSquareOfTheirNumber) {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), {3, 1, 1}});
  const FullModel model(mesh, {test::material("stvk")}, test::vertices_below(mesh, 1e-9));
  BasisSettings basis = settings(20, 30);
  basis.order = 2;
  ReduceReport report;
  EXPECT_EQ(compute_basis(model, basis, report).cols(), 30);
  EXPECT_EQ(report.samples, 26585);
  EXPECT_EQ(report.singular_values.size(), 36) << "no more directions than unknowns";
}

TEST(ParseWords, NamesTheNearest) {
  EXPECT_EQ(parse_force_kind("modal-cubature"), ForceKind::modal_cubature);
  EXPECT_TRUE(contains(test::error_text([] { (void)parse_force_kind("cubatur"); }), "cubature"));
  EXPECT_TRUE(contains(test::error_text([] { (void)parse_pose_source("gausian"); }), "gaussian"));
}

}  // namespace
}  // namespace limber::reduce_test
