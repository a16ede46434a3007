#include "limber/multidomain/reduce_tree.hpp"

#include "limber/basis/rest_stiffness.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/reduced/inertia.hpp"
#include "tests/multidomain/cut_beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace limber::reduce_tree_test {
namespace {

using test::contains;
using test::error_text;

PartTree beam_parts() {
  const VolumeMesh mesh = test::cut_beam();
  return make_parts(test::held_body(mesh), decompose_by_regions(mesh));
}

/// A stem that carries `count` twigs, each a part with `cells` cells along it.
PartTree bush(int count, int cells = 4) {
  const VolumeMesh stem = make_beam({ElementKind::tetrahedron, Vector3(4.0, 1.0, 1.0), {8, 2, 2}});
  const VolumeMesh twig = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), {cells, 1, 1}});
  PartTree tree;
  tree.name = "bush";
  Part& trunk = tree.parts.emplace_back();
  trunk.name = "stem";
  trunk.mesh = stem;
  trunk.materials = {test::material("stvk")};
  trunk.fixed = test::vertices_below(stem, 1e-9);
  Part& branch = tree.parts.emplace_back();
  branch.name = "twig";
  branch.mesh = twig;
  branch.materials = {test::material("stvk")};
  branch.fixed = test::vertices_below(twig, 1e-9);
  tree.placements.push_back({.name = "stem"});
  for (int i = 0; i < count; ++i) {
    const Vector3 place(4.0 * (i + 1) / count, 0.5, 0.0);
    tree.parts[0].sites.push_back(site_near(stem, place, 0.4, fmt::format("site {}", i)));
    tree.placements.push_back(
        {.name = fmt::format("twig {}", i), .part = 1, .parent = 0, .site = i, .position = place});
  }
  return tree;
}

int sum_of_ranks(const PartTree& tree, const std::vector<int>& rank) {
  int sum = 0;
  for (const Placement& placement : tree.placements) sum += rank[placement.part];
  return sum;
}

TEST(ChooseRanks, TakesTheSameForAllUnlessPartsSayOtherwise) {
  PartTree tree = bush(3);
  TreeReduceOptions options;
  options.rank = 9;
  EXPECT_EQ(choose_ranks(tree, options), (std::vector<int>{9, 9}));
  tree.parts[1].rank = 5;
  EXPECT_EQ(choose_ranks(tree, options), (std::vector<int>{9, 5}));
  tree.parts[0].rigid = true;
  EXPECT_EQ(choose_ranks(tree, options), (std::vector<int>{0, 5}));
}

TEST(ChooseRanks, NeverExceedsTheUnknowns) {
  const PartTree tree = bush(3, 1);  // a twig of one cell: four vertices move
  TreeReduceOptions options;
  options.rank = 30;
  EXPECT_EQ(choose_ranks(tree, options), (std::vector<int>{30, 12}));
}

TEST(ChooseRanks, SharesOutATotalByTheLogarithmOfTheElements) {
  const PartTree tree = bush(5, 30);
  const double stem = std::log(static_cast<double>(tree.parts[0].mesh.element_count()));
  const double twig = std::log(static_cast<double>(tree.parts[1].mesh.element_count()));
  for (const int total : {6, 20, 60, 61, 62, 63, 64, 65, 100}) {
    TreeReduceOptions options;
    options.total_rank = total;
    const std::vector<int> rank = choose_ranks(tree, options);
    EXPECT_EQ(sum_of_ranks(tree, rank), total);
    EXPECT_NEAR(rank[1], total * twig / (stem + 5.0 * twig), 1.0) << "of " << total;
  }
}

TEST(ChooseRanks, LeavesEveryPartACoordinateAndKeepsWhatIsGiven) {
  PartTree tree = bush(5);
  TreeReduceOptions options;
  options.total_rank = 3;
  EXPECT_EQ(choose_ranks(tree, options), (std::vector<int>{1, 1}));
  tree.parts[0].rank = 7;
  options.total_rank = 47;
  EXPECT_EQ(choose_ranks(tree, options), (std::vector<int>{7, 8}));
}

TEST(ReduceTree, PutsTheDomainsWhereThePartsWere) {
  const PartTree parts = bush(3);
  TreeReduceOptions options;
  options.rank = 6;
  TreeReduceReport report;
  const Model tree = reduce_tree(parts, options, report);
  EXPECT_EQ(tree.name, "bush");
  ASSERT_EQ(tree.parts.size(), 2u);
  ASSERT_EQ(tree.domain_count(), 4);
  EXPECT_EQ(tree.coordinate_count(), 24);
  for (int i = 0; i < 3; ++i) {
    const Domain& domain = tree.domains[i + 1];
    EXPECT_EQ(domain.name, parts.placements[i + 1].name);
    EXPECT_EQ(domain.part, 1);
    EXPECT_EQ(domain.parent, 0);
    EXPECT_EQ(domain.port, i);
    EXPECT_EQ(domain.position, parts.placements[i + 1].position);
    EXPECT_EQ(tree.parts[0].ports[i].name, parts.parts[0].sites[i].name);
  }
  EXPECT_FALSE(tree.parts[0].model.warp.has_value());
  EXPECT_TRUE(tree.parts[0].model.simulation.has_value());
  EXPECT_NEAR(inertia_of(tree.parts[0].model).mass, 900.0 * 4.0, 1e-9);
  ASSERT_EQ(report.parts.size(), 2u);
  EXPECT_EQ(report.parts[1].name, "twig");
  EXPECT_EQ(report.parts[1].uses, 3);
  EXPECT_EQ(report.full_dofs, 3 * (81 - 9) + 3 * 3 * (20 - 4));
}

TEST(ReduceTree, ReducesPartsOfAFewUnknowns) {
  TreeReduceOptions options;
  options.rank = 30;
  TreeReduceReport report;
  const Model tree = reduce_tree(bush(1, 1), options, report);
  EXPECT_EQ(tree.rank(1), 12);
}

TEST(ReduceTree, ReducesEqualPartsOnce) {
  const PartTree one = bush(2);
  PartTree two = one;
  two.parts.push_back(two.parts[1]);
  two.parts[2].name = "another twig";
  two.parts[2].mesh.vertices.array() += 1e-14;
  two.placements[2].part = 2;
  TreeReduceOptions options;
  options.rank = 4;
  TreeReduceReport report;
  const Model tree = reduce_tree(two, options, report);
  EXPECT_EQ(tree.parts.size(), 2u);
  EXPECT_EQ(tree.domains[2].part, 1);
  EXPECT_EQ(report.parts[1].uses, 2);

  const auto part_count = [&](const PartTree& parts) {
    TreeReduceReport ignored;
    return reduce_tree(parts, options, ignored).parts.size();
  };
  PartTree stiffer = two, shorter = two, lower = two;
  stiffer.parts[2].materials = {test::material("stvk", 2e5)};
  shorter.parts[2].mesh.vertices.row(0) *= 0.9;
  lower.parts[2].rank = 3;
  EXPECT_EQ(part_count(stiffer), 3u);
  EXPECT_EQ(part_count(shorter), 3u);
  EXPECT_EQ(part_count(lower), 3u);
}

TEST(ReduceTree, GivesTheSameBitsOnOneThreadAndOnSeveral) {
  const PartTree parts = bush(2);
  const auto reduced = [&](int threads) {
    TreeReduceOptions options;
    options.rank = 6;
    options.executor = Executor(threads);
    TreeReduceReport report;
    return reduce_tree(parts, options, report);
  };
  const Model a = reduced(1), b = reduced(3);
  for (std::size_t k = 0; k < a.parts.size(); ++k) {
    EXPECT_EQ(a.parts[k].model.simulation->basis, b.parts[k].model.simulation->basis);
    EXPECT_EQ(a.parts[k].model.regions[0].moments.second_pairs,
              b.parts[k].model.regions[0].moments.second_pairs);
    EXPECT_EQ(a.parts[k].model.regions[0].lambda_energy, b.parts[k].model.regions[0].lambda_energy);
  }
}

TEST(ReduceTree, MakesRigidDomainsWithoutCoordinates) {
  PartTree parts = bush(2);
  parts.parts[0].rigid = true;
  TreeReduceOptions options;
  options.rank = 4;
  TreeReduceReport report;
  const Model tree = reduce_tree(parts, options, report);
  const ReducedModel& model = tree.parts[0].model;
  EXPECT_EQ(model.rank, 0);
  EXPECT_EQ(tree.coordinate_count(), 8);
  EXPECT_NEAR(model.regions[0].volume, 4.0, 1e-12);
  EXPECT_EQ(model.regions[0].lambda_energy.size(), 1);
  EXPECT_EQ(model.surface.basis.cols(), 0);
  EXPECT_EQ(model.surface.basis.rows(), 3 * model.surface.mesh.vertex_count());
  EXPECT_EQ(tree.parts[0].ports.size(), 2u);
}

TEST(ReduceTree, ReducesADecomposedBodyFreeOrHeld) {
  const VolumeMesh mesh = test::cut_beam();
  DecomposedBody body = test::held_body(mesh);
  TreeReduceOptions options;
  options.rank = 5;
  TreeReduceReport report;
  const Model held = reduce_tree(beam_parts(), options, report);
  EXPECT_FALSE(held.free);
  body.fixed.clear();
  const Model free = reduce_tree(make_parts(body, decompose_by_regions(mesh)), options, report);
  EXPECT_TRUE(free.free);
  EXPECT_EQ(free.coordinate_count(), 15);
  // The free root's coordinates carry no momentum.
  const auto momentum = [](const Model& tree) {
    return inertia_of(tree.parts[0].model).first_rows.cwiseAbs().maxCoeff();
  };
  EXPECT_LT(momentum(free), 1e-8 * momentum(held));
}

/// Work of unit forces on a site, along each axis, in the true body and in its subspace: the share that the
/// subspace holds.
Vector3 held_compliance(const Part& part, const ReducedPart& reduced) {
  const FullModel full(part.mesh, part.materials, part.fixed);
  RestStiffness rest(full);
  const InterfacePort& port = reduced.ports[0];
  Matrix U(full.dof_count(), reduced.model.rank);
  for (Index i = 0; i < U.cols(); ++i)
    U.col(i) =
        full.dofs().restrict(reduced.model.simulation->basis.col(i).reshaped(3, part.mesh.vertex_count()));
  const Matrix K = U.transpose() * rest.matrix() * U;
  Vector3 share;
  for (int axis = 0; axis < 3; ++axis) {
    Matrix3X load = Matrix3X::Zero(3, part.mesh.vertex_count());
    for (std::size_t i = 0; i < port.vertices.size(); ++i)
      load(axis, port.vertices[i]) = port.weights(static_cast<Index>(i));
    const Vector f = full.dofs().restrict(load), r = U.transpose() * f;
    Matrix u(f.size(), 1);
    EXPECT_TRUE(rest.solve(f, u).ok());
    share(axis) = r.dot(Cholesky(K).solve(r).col(0)) / f.dot(u.col(0));
  }
  return share;
}

TEST(ReduceTree, HoldsTheResponseToLoadsOnASite) {
  PartTree parts = bush(1);
  TreeReduceOptions options;
  options.rank = 8;
  TreeReduceReport report;
  const Model tree = reduce_tree(parts, options, report);
  const Vector3 with = held_compliance(parts.parts[0], tree.parts[0]);
  EXPECT_GT(with.y(), 0.98);
  EXPECT_GT(with.z(), 0.98);
  EXPECT_LE(with.maxCoeff(), 1.0 + 1e-9);
}

TEST(ReduceTree, SaysWhichPartIsAtFault) {
  PartTree parts = bush(2);
  TreeReduceOptions options;
  TreeReduceReport report;
  parts.parts[1].materials = {test::material("neo-hookean")};
  options.reduce.forces = ForceKind::exact;
  EXPECT_TRUE(contains(error_text([&] { reduce_tree(parts, options, report); }), "part 'twig':"));
  parts.parts[1].fixed.resize(2);
  EXPECT_TRUE(contains(error_text([&] { reduce_tree(parts, options, report); }), "held by 2 vertices"));
  parts = bush(2);
  options = {};
  options.reduce.basis.snapshots.resize(1);
  EXPECT_TRUE(contains(error_text([&] { reduce_tree(parts, options, report); }), "snapshots and sketches"));
}

}  // namespace
}  // namespace limber::reduce_tree_test
