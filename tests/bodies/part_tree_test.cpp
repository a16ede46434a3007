#include "limber/bodies/part_tree.hpp"

#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace limber::part_tree_test {
namespace {

using test::contains;
using test::error_text;

/// A beam that carries another one.
PartTree two_beams() {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(2.0, 1.0, 1.0), {4, 2, 2}});
  PartTree tree;
  Part& part = tree.parts.emplace_back();
  part.name = "beam";
  part.mesh = mesh;
  part.materials = {test::material("stvk")};
  part.fixed = test::vertices_below(mesh, 1e-9);
  part.sites = {site_near(mesh, Vector3(2.0, 0.0, 0.0), 0.6, "end")};
  tree.placements = {{.name = "lower"}, {.name = "upper", .parent = 0, .site = 0}};
  return tree;
}

TEST(CheckParts, TakesATree) { EXPECT_NO_THROW(check_parts(two_beams(), "a tree")); }

TEST(CheckParts, RefusesWhatDoesNotFitAndNamesIt) {
  const auto text = [](const auto& change) {
    PartTree tree = two_beams();
    change(tree, tree.parts[0], tree.placements[1]);
    return error_text([&] { check_parts(tree, "a tree"); });
  };
  const auto refused = [&](std::string_view expected, const auto& change) {
    const std::string found = text(change);
    EXPECT_TRUE(contains(found, expected)) << found;
    EXPECT_TRUE(contains(found, "a tree")) << found;
  };
  using P = Placement;
  refused("nothing is placed", [](PartTree& t, Part&, P&) { t.placements.clear(); });
  refused("'upper': part 1", [](PartTree&, Part&, P& p) { p.part = 1; });
  refused("'upper': its parent is 1", [](PartTree&, Part&, P& p) { p.parent = 1; });
  refused("'upper': its parent is -1", [](PartTree&, Part&, P& p) { p.parent = -1; });
  refused("'lower': it comes first", [](PartTree& t, Part&, P&) { t.placements[0].parent = 0; });
  refused("'upper': attached to site 1 of 'lower'", [](PartTree&, Part&, P& p) { p.site = 1; });
  refused("'lower': two pieces", [](PartTree&, Part&, P& p) { p.name = "lower"; });
  refused("its scale is 0", [](PartTree&, Part&, P& p) { p.scale = 0.0; });
  refused("its stiffness is -1", [](PartTree&, Part&, P& p) { p.stiffness = -1.0; });
  refused("its rotation", [](PartTree&, Part&, P& p) { p.rotation.coeffs() *= 2.0; });
  refused("its position",
          [](PartTree&, Part&, P& p) { p.position.x() = std::numeric_limits<double>::infinity(); });
  refused("3 numbers of mesh vertices", [](PartTree&, Part&, P& p) { p.vertices = {0, 1, 2}; });
  refused("numbers of surface vertices", [](PartTree&, Part&, P& p) { p.surface_vertices = {0}; });
  refused("part 'beam': it is held by 2 vertices", [](PartTree&, Part& p, P&) { p.fixed.resize(2); });
  refused("on one line", [](PartTree&, Part& p, P&) {
    std::erase_if(p.fixed, [&](int v) { return std::abs(p.mesh.vertices(1, v)) > 0.1; });
  });
  refused("vertex 1000", [](PartTree&, Part& p, P&) { p.fixed.push_back(1000); });
  refused("is there twice", [](PartTree&, Part& p, P&) { p.fixed.push_back(p.fixed[0]); });
  refused("0 materials", [](PartTree&, Part& p, P&) { p.materials.clear(); });
  refused("2 colours", [](PartTree&, Part& p, P&) { p.colors.resize(2, Vector3::Zero()); });
  refused("its rank is -3", [](PartTree&, Part& p, P&) { p.rank = -3; });
  refused("site 0 'end': a weight of 0", [](PartTree&, Part& p, P&) { p.sites[0].weights[1] = 0.0; });
  refused("weights for", [](PartTree&, Part& p, P&) { p.sites[0].weights.pop_back(); });
  refused("site 0 'end': its 2 vertices", [](PartTree&, Part& p, P&) {
    p.sites[0].weights.resize(2);
    p.sites[0].vertices.resize(2);
  });
  refused("the body is free, but 9", [](PartTree& t, Part&, P&) { t.free = true; });
  refused("degenerate", [](PartTree&, Part& p, P&) { p.mesh.vertices.row(2).setZero(); });
}

TEST(CheckParts, LetsAFreeRootAndRigidPartsBeHeldByNothing) {
  PartTree tree = two_beams();
  tree.parts.push_back(tree.parts[0]);
  tree.parts[1].fixed.clear();
  tree.placements[0].part = 1;
  EXPECT_TRUE(contains(error_text([&] { check_parts(tree, "a tree"); }), "held by 0 vertices"));
  tree.free = true;
  EXPECT_NO_THROW(check_parts(tree, "a tree"));
  tree.free = false;
  tree.parts[1].rigid = true;
  EXPECT_NO_THROW(check_parts(tree, "a tree"));
}

TEST(SiteNear, TakesVerticesAroundAPointWithWeightsThatFallOff) {
  const VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(4.0, 1.0, 1.0), {16, 4, 4}});
  const Vector3 point(2.0, 0.0, 0.0);
  const AttachmentSite site = site_near(mesh, point, 0.6, "middle");
  EXPECT_EQ(site.name, "middle");
  ASSERT_EQ(site.vertices.size(), site.weights.size());
  Vector3 center = Vector3::Zero();
  double sum = 0.0, at_point = 0.0;
  for (std::size_t i = 0; i < site.vertices.size(); ++i) {
    const Vector3 x = mesh.vertices.col(site.vertices[i]);
    EXPECT_LT((x - point).norm(), 0.6 + 0.25 * std::sqrt(3.0) + 1e-12);
    EXPECT_GT(site.weights[i], 0.0);
    center += site.weights[i] * x;
    sum += site.weights[i];
    if ((x - point).norm() < 1e-9) at_point = site.weights[i];
  }
  EXPECT_LT((center / sum - point).norm(), 1e-12) << "by symmetry";
  EXPECT_EQ(at_point, *std::max_element(site.weights.begin(), site.weights.end()));
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if ((mesh.vertices.col(v) - point).norm() > 0.6) continue;
    EXPECT_TRUE(std::binary_search(site.vertices.begin(), site.vertices.end(), v));
  }
}

TEST(SiteNear, TakesTheNearestElementWhereTheRadiusHoldsNone) {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(4.0, 1.0, 1.0), {4, 1, 1}});
  for (const Vector3& point : {Vector3(1.3, 0.1, 0.2), Vector3(1.3, 0.1, 5.0)}) {
    const AttachmentSite site = site_near(mesh, point, 0.0);
    EXPECT_EQ(site.vertices.size(), 4u);
    for (const double weight : site.weights) EXPECT_GT(weight, 0.0);
  }
  EXPECT_TRUE(contains(error_text([&] { site_near(mesh, Vector3::Zero(), -1.0); }), "radius -1"));
}

}  // namespace
}  // namespace limber::part_tree_test
