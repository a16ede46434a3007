#include "limber/multidomain/tree_shape.hpp"

#include "tests/multidomain/small_trees.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

namespace limber::tree_shape_test {
namespace {

using test::contains;
using test::error_text;

/// Somewhere that is not the rest shape.
TreeDynamics bent(const std::shared_ptr<const Model>& tree) {
  TreeDynamics dynamics(tree);
  TreeState state = dynamics.state();
  state.q = test::random_vector(state.q.size(), 0.02, 7);
  dynamics.set_state(state);
  return dynamics;
}

/// Edges that do not have two triangles, one on each side.
int open_edges(const Eigen::Matrix3Xi& triangles) {
  std::map<std::pair<int, int>, int> sum;
  for (const auto& t : triangles.colwise()) {
    for (int k = 0; k < 3; ++k) {
      const int a = t(k), b = t((k + 1) % 3);
      sum[std::minmax(a, b)] += a < b ? 1 : -1;
    }
  }
  int count = 0;
  for (const auto& [edge, balance] : sum) count += balance != 0;
  return count;
}

TEST(TreeSurface, IsTheClosedSurfaceOfTheBodyThatWasCut) {
  const TreeSurface surface(test::beam_tree());
  const SurfaceMesh whole = boundary_surface(test::cut_beam());
  EXPECT_EQ(surface.mesh().vertex_count(), whole.vertex_count());
  EXPECT_EQ(surface.mesh().triangle_count(), whole.triangle_count());
  EXPECT_EQ(open_edges(surface.mesh().triangles), 0);
  EXPECT_NEAR(enclosed_volume(surface.mesh()), 3.0, 1e-6);
  EXPECT_NO_THROW(check_surface(surface.mesh(), "surface"));
  EXPECT_EQ(surface.colors().size(), surface.mesh().parts.size());
}

TEST(TreeSurface, NeedsNoMemoryForVerticesOfOneDomainAlone) {
  PartTree parts = test::twig_parts();
  parts.parts.resize(1);
  parts.parts[0].sites.clear();
  parts.placements.resize(1);
  const auto one = test::reduced(parts);
  const TreeDynamics dynamics = bent(one);
  const TreeSurface surface(one);
  Eigen::Matrix3Xf x(3, surface.mesh().vertex_count());
  TreeSurface::Scratch scratch;
  surface.positions(dynamics, x, scratch);
  EXPECT_EQ(scratch.own.size(), 0);
  EXPECT_GT((x - surface.mesh().vertices.cast<float>()).norm(), 1e-3f);
  for (int v = 0; v < x.cols(); ++v)
    EXPECT_LE((x.col(v).cast<double>() - dynamics.position(surface.point(v))).norm(), 1e-5) << v;
}

TEST(TreeSurface, AveragesTheCopiesOfAVertex) {
  const auto tree = test::beam_tree();
  const TreeDynamics dynamics = bent(tree);
  const TreeSurface surface(tree);
  Eigen::Matrix3Xf x(3, surface.mesh().vertex_count());
  surface.positions(dynamics, x);

  Matrix3X sum = Matrix3X::Zero(3, x.cols());
  Vector copies = Vector::Zero(x.cols());
  for (Index d = 0; d < tree->domain_count(); ++d) {
    const ReducedSurface& own = tree->part(d).model.surface;
    for (Index i = 0; i < own.mesh.vertex_count(); ++i) {
      const int v = tree->domains[static_cast<std::size_t>(d)].surface_vertices[static_cast<std::size_t>(i)];
      sum.col(v) +=
          dynamics.position({d, own.mesh.vertices.col(i), own.basis.middleRows(3 * i, 3).cast<double>()});
      copies(v) += 1.0;
    }
  }
  EXPECT_EQ(copies.maxCoeff(), 2.0);
  EXPECT_LT((sum * copies.cwiseInverse().asDiagonal() - x.cast<double>()).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_GT((x.cast<double>() - surface.mesh().vertices).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(TreeSurface, PutsInstancesInTheirPlacesTurnedAndScaled) {
  const auto tree = test::reduced(test::twig_parts());
  const TreeDynamics dynamics = bent(tree);
  const TreeSurface surface(tree);
  Eigen::Matrix3Xf x(3, surface.mesh().vertex_count());
  surface.positions(dynamics, x);
  std::set<int> seen;
  for (int v = 0; v < x.cols(); ++v) {
    const TreePoint point = surface.point(v);
    EXPECT_EQ(point.domain, surface.domains()[static_cast<std::size_t>(v)]);
    EXPECT_LT((dynamics.position(point) - x.col(v).cast<double>()).norm(), 3e-6) << v;
    seen.insert(static_cast<int>(point.domain));
  }
  EXPECT_EQ(seen.size(), 5u);
}

TEST(TreeSurface, NamesEachPartOnce) {
  const TreeSurface surface(test::reduced(test::twig_parts()));
  const std::vector<std::string>& parts = surface.mesh().parts;
  EXPECT_LE(parts.size(), 3u);
  for (const int part : surface.mesh().part) EXPECT_LT(part, static_cast<int>(parts.size()));
  EXPECT_EQ(surface.mesh().part.size(), static_cast<std::size_t>(surface.mesh().triangle_count()));
}

TEST(TreeSurface, RefusesTheMotionOfAnotherTree) {
  const auto tree = test::beam_tree();
  const TreeDynamics other(std::make_shared<const Model>(*tree));
  const TreeSurface surface(tree);
  Eigen::Matrix3Xf x(3, surface.mesh().vertex_count());
  EXPECT_PRED2(contains, error_text([&] { surface.positions(other, x); }), "another tree");
}

TEST(TreeSurface, RefusesVerticesThatAreNotThere) {
  const TreeSurface surface(test::beam_tree());
  const int count = static_cast<int>(surface.mesh().vertex_count());
  for (const int v : {-1, count})
    EXPECT_PRED2(contains, error_text([&] { (void)surface.point(v); }), "expected 0 to");
}

TEST(TreeSurface, RefusesNumbersThatDoNotFit) {
  Model tree = *test::beam_tree();
  tree.domains[1].surface_vertices.pop_back();
  EXPECT_PRED2(contains, error_text([&] { TreeSurface(std::make_shared<const Model>(tree)); }),
               "domain 'middle' numbers");
}

class TreeMeshOf : public testing::TestWithParam<ElementKind> {};

TEST_P(TreeMeshOf, IsTheMeshThatWasCut) {
  const VolumeMesh whole = test::cut_beam(GetParam());
  const auto tree = test::beam_tree(GetParam());
  const TreeMesh mesh(tree);
  ASSERT_EQ(mesh.mesh().vertex_count(), whole.vertex_count());
  EXPECT_LT((mesh.mesh().vertices - whole.vertices).cwiseAbs().maxCoeff(), 1e-12);
  ASSERT_EQ(mesh.mesh().element_count(), whole.element_count());
  EXPECT_NO_THROW(check_mesh(mesh.mesh(), "mesh"));
  std::set<std::string> names;
  for (Index e = 0; e < mesh.mesh().element_count(); ++e) {
    const Region& region =
        mesh.mesh().regions[static_cast<std::size_t>(mesh.mesh().region[static_cast<std::size_t>(e)])];
    const auto place = static_cast<std::size_t>(test::element_center(mesh.mesh(), e).x());
    EXPECT_EQ(region.name, whole.regions[place].name);
    names.insert(region.name);
  }
  EXPECT_EQ(names.size(), 3u);
  EXPECT_LT(mesh.displacements(TreeDynamics(tree)).cwiseAbs().maxCoeff(), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Elements, TreeMeshOf, testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST(TreeMesh, FollowsTheMotionOfItsPoints) {
  const auto tree = test::reduced(test::twig_parts());
  const TreeDynamics dynamics = bent(tree);
  const TreeMesh mesh(tree);
  const Matrix3X x = mesh.positions(dynamics), u = mesh.displacements(dynamics);
  for (int v = 0; v < x.cols(); ++v)
    EXPECT_LT((dynamics.position(mesh.point(v)) - x.col(v)).norm(), 1e-12) << v;
  EXPECT_LT((x - u - mesh.mesh().vertices).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(TreeMesh, HasPointsOnlyWhereBricksAreTurned) {
  const TreeMesh mesh(test::reduced(test::twig_parts(ElementKind::brick)));
  EXPECT_EQ(mesh.mesh().element_count(), 0);
  EXPECT_EQ(mesh.mesh().elements.rows(), 8);
  EXPECT_GT(mesh.mesh().vertex_count(), 0);
}

TEST(TreeMesh, NeedsTheMeshesOfAllParts) {
  Model tree = *test::reduced(test::twig_parts());
  tree.parts[1].model.simulation.reset();
  EXPECT_PRED2(contains, error_text([&] { TreeMesh(std::make_shared<const Model>(tree)); }),
               "part 'twig' were kept without");
}

}  // namespace
}  // namespace limber::tree_shape_test
