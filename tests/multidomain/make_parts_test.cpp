#include "limber/multidomain/decompose.hpp"
#include "tests/multidomain/cut_beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace limber::make_parts_test {
namespace {

using test::contains;
using test::cut_beam;
using test::error_text;
using test::held_body;

Vector3 site_center(const Part& part, const AttachmentSite& site) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < site.vertices.size(); ++i)
    sum += site.weights[i] * part.mesh.vertices.col(site.vertices[i]);
  return sum / std::accumulate(site.weights.begin(), site.weights.end(), 0.0);
}

class CutBeam : public testing::TestWithParam<ElementKind> {};

TEST_P(CutBeam, IsAChainThatHangsFromItsHeldEnd) {
  const VolumeMesh mesh = cut_beam(GetParam());
  const PartTree tree = make_parts(held_body(mesh), decompose_by_regions(mesh));
  ASSERT_EQ(tree.placements.size(), 3u);
  EXPECT_FALSE(tree.free);
  const std::array<std::string, 3> names{"root", "middle", "tip"};
  for (int i = 0; i < 3; ++i) {
    const Placement& placement = tree.placements[i];
    const Part& part = tree.parts[placement.part];
    EXPECT_EQ(placement.name, names[i]);
    EXPECT_EQ(placement.parent, i - 1);
    EXPECT_EQ(placement.site, i == 0 ? -1 : 0);
    EXPECT_LT((placement.position - Vector3(i, 0.0, 0.0)).norm(), 1e-14);
    EXPECT_EQ(part.sites.size(), i == 2 ? 0u : 1u);
    ASSERT_EQ(part.mesh.regions.size(), 1u) << "only regions in use";
    EXPECT_EQ(part.mesh.regions[0].name, names[i]);
    EXPECT_EQ(part.materials.size(), 1u);
    EXPECT_EQ(part.fixed.size(), 9u);
    for (const int v : part.fixed) EXPECT_NEAR(part.mesh.vertices(0, v), 0.0, 1e-14);
  }
}

TEST_P(CutBeam, WeighsInterfacesByArea) {
  const VolumeMesh mesh = cut_beam(GetParam());
  const PartTree tree = make_parts(held_body(mesh), decompose_by_regions(mesh));
  for (const int child : {1, 2}) {
    const Part& parent = tree.parts[child - 1];
    const AttachmentSite& site = parent.sites[0];
    EXPECT_EQ(site.name, tree.placements[child].name);
    EXPECT_NEAR(std::accumulate(site.weights.begin(), site.weights.end(), 0.0), 1.0, 1e-14);
    const Vector3 center = site_center(parent, site) + tree.placements[child - 1].position;
    EXPECT_LT((center - tree.placements[child].position).norm(), 1e-14);
    // The same vertices hold the child.
    const Part& part = tree.parts[child];
    ASSERT_EQ(part.fixed.size(), site.vertices.size());
    for (std::size_t i = 0; i < site.vertices.size(); ++i) {
      EXPECT_EQ(tree.placements[child].vertices[part.fixed[i]],
                tree.placements[child - 1].vertices[site.vertices[i]]);
    }
    if (GetParam() == ElementKind::brick) {
      EXPECT_NEAR(*std::max_element(site.weights.begin(), site.weights.end()), 0.25, 1e-14);
      EXPECT_NEAR(*std::min_element(site.weights.begin(), site.weights.end()), 0.0625, 1e-14);
    }
  }
}

TEST_P(CutBeam, IsRecoveredFromItsParts) {
  const VolumeMesh mesh = cut_beam(GetParam());
  const Decomposition decomposition = decompose_by_regions(mesh);
  const PartTree tree = make_parts(held_body(mesh), decomposition);
  std::set<std::vector<int>> whole, pieces;
  for (Index e = 0; e < mesh.element_count(); ++e)
    whole.insert({mesh.elements.col(e).begin(), mesh.elements.col(e).end()});
  Index elements = 0;
  for (const Placement& placement : tree.placements) {
    const VolumeMesh& part = tree.parts[placement.part].mesh;
    for (Index v = 0; v < part.vertex_count(); ++v) {
      EXPECT_LT((part.vertices.col(v) + placement.position - mesh.vertices.col(placement.vertices[v])).norm(),
                1e-14);
    }
    for (Index e = 0; e < part.element_count(); ++e) {
      std::vector<int> corners;
      for (const int v : part.elements.col(e)) corners.push_back(placement.vertices[v]);
      pieces.insert(std::move(corners));
    }
    elements += part.element_count();
  }
  EXPECT_EQ(elements, mesh.element_count());
  EXPECT_EQ(pieces, whole);
}

/// Triangles of a surface, in the numbers of its vertices in the whole.
using Triangles = std::multiset<std::array<int, 3>>;

Triangles drawn_triangles(const PartTree& tree, const SurfaceMesh& whole) {
  Triangles found;
  for (const Placement& placement : tree.placements) {
    const SurfaceMesh& surface = tree.parts[placement.part].render;
    EXPECT_EQ(surface.vertex_count(), static_cast<Index>(placement.surface_vertices.size()));
    for (Index v = 0; v < surface.vertex_count(); ++v) {
      EXPECT_LT(
          (surface.vertices.col(v) + placement.position - whole.vertices.col(placement.surface_vertices[v]))
              .norm(),
          1e-14);
    }
    for (Index t = 0; t < surface.triangle_count(); ++t) {
      std::array<int, 3> corners{};
      for (int k = 0; k < 3; ++k) corners[k] = placement.surface_vertices[surface.triangles(k, t)];
      found.insert(corners);
    }
  }
  return found;
}

Triangles all_triangles(const SurfaceMesh& surface) {
  Triangles found;
  for (Index t = 0; t < surface.triangle_count(); ++t)
    found.insert({surface.triangles(0, t), surface.triangles(1, t), surface.triangles(2, t)});
  return found;
}

TEST_P(CutBeam, SharesOutItsBoundaryAndDrawsNoInterface) {
  const VolumeMesh mesh = cut_beam(GetParam());
  const PartTree tree = make_parts(held_body(mesh), decompose_by_regions(mesh));
  const SurfaceMesh boundary = boundary_surface(mesh);
  EXPECT_EQ(drawn_triangles(tree, boundary), all_triangles(boundary));
  EXPECT_NEAR(surface_area(tree.parts[1].render), 4.0, 1e-12) << "four sides of a unit cube";
}

TEST_P(CutBeam, GivesEachTriangleOfARenderMeshToTheDomainItsCentreIsIn) {
  const VolumeMesh mesh = cut_beam(GetParam());
  DecomposedBody body = held_body(mesh);
  body.render = boundary_surface(test::unit_beam(ElementKind::brick, 3, 1, 1));
  body.render.vertices *= 1.01;
  body.render.parts = {"unused", "low", "high"};
  for (Index t = 0; t < body.render.triangle_count(); ++t) {
    const Vector3 center = body.render.vertices(Eigen::all, body.render.triangles.col(t)).rowwise().mean();
    body.render.part[t] = center.x() < 1.5 ? 1 : 2;
  }
  body.colors = {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  const PartTree tree = make_parts(body, decompose_by_regions(mesh));
  EXPECT_EQ(drawn_triangles(tree, body.render), all_triangles(body.render));
  EXPECT_EQ(tree.parts[0].render.parts, std::vector<std::string>{"low"});
  EXPECT_EQ(tree.parts[0].colors, std::vector<Vector3>{Vector3::UnitY()});
  EXPECT_EQ(tree.parts[1].render.parts, (std::vector<std::string>{"low", "high"}));
  EXPECT_EQ(tree.parts[2].colors, std::vector<Vector3>{Vector3::UnitZ()});
  for (const Part& part : tree.parts) {
    for (Index t = 0; t < part.render.triangle_count(); ++t) {
      const Vector3 center = part.render.vertices(Eigen::all, part.render.triangles.col(t)).rowwise().mean();
      EXPECT_LT(center.x(), 1.1);
      EXPECT_GT(center.x(), -0.1);
    }
  }
}

TEST_P(CutBeam, HangsFromItsMiddleWhereItIsFree) {
  const VolumeMesh mesh = cut_beam(GetParam());
  DecomposedBody body = held_body(mesh);
  body.fixed.clear();
  const PartTree tree = make_parts(body, decompose_by_regions(mesh));
  EXPECT_TRUE(tree.free);
  EXPECT_EQ(tree.placements[0].name, "middle");
  EXPECT_EQ(tree.placements[0].position, Vector3::Zero());
  EXPECT_TRUE(tree.parts[0].fixed.empty());
  EXPECT_EQ(tree.parts[0].sites.size(), 2u);
  const PartTree turned = make_parts(body, decompose_by_regions(mesh), "tip");
  EXPECT_EQ(turned.placements[0].name, "tip");
  EXPECT_EQ(turned.placements[2].name, "root");
}

INSTANTIATE_TEST_SUITE_P(Kinds, CutBeam, testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                         [](const auto& one) { return std::string(name_of(one.param)); });

/// Elements shared out by where their centres are.
template <class Choose>
Decomposition decompose(const VolumeMesh& mesh, std::vector<std::string> names, const Choose& choose) {
  Decomposition result{{}, std::move(names)};
  for (Index e = 0; e < mesh.element_count(); ++e)
    result.domain.push_back(choose(test::element_center(mesh, e)));
  return result;
}

DecomposedBody free_body(const VolumeMesh& mesh) {
  DecomposedBody body = held_body(mesh);
  body.fixed.clear();
  return body;
}

TEST(MakeParts, RefusesALoopAndNamesIt) {
  const VolumeMesh mesh = test::plate(2, 2);
  const Decomposition squares = decompose(mesh, {"a", "b", "c", "d"}, [](const Vector3& x) {
    return (x.x() < 1.0 ? 0 : 1) + (x.y() < 0.0 ? 0 : 2);
  });
  EXPECT_EQ(error_text([&] { make_parts(free_body(mesh), squares); }),
            "domains 'a', 'c', 'd', 'b' form a loop; join some of them");
}

TEST(MakeParts, LeavesWhatHangsFromALoopOutOfItsName) {
  const VolumeMesh mesh = test::plate(3, 2);
  const Decomposition domains = decompose(mesh, {"a", "b", "c", "d"}, [](const Vector3& x) {
    return x.x() < 2.0 ? static_cast<int>(x.x()) : x.y() < 0.0 ? 2 : 3;
  });
  EXPECT_EQ(error_text([&] { make_parts(held_body(mesh), domains); }),
            "domains 'b', 'c', 'd' form a loop; join some of them");
}

TEST(MakeParts, TakesAnEdgeThatTwoDomainsShareForNoInterface) {
  // Three of four squares: the first and the last touch along an edge only.
  VolumeMesh mesh = test::plate(2, 2);
  std::vector<int> kept;
  for (int e = 0; e < 4; ++e) {
    const Vector3 x = test::element_center(mesh, e);
    if (x.x() > 1.0 || x.y() < 0.0) kept.push_back(e);
  }
  mesh.elements = mesh.elements(Eigen::all, kept).eval();
  mesh.region.resize(3);
  const PartTree tree =
      make_parts(held_body(mesh), decompose(mesh, {"first", "corner", "last"}, [](const Vector3& x) {
                   return x.x() < 1.0 ? 0 : x.y() < 0.0 ? 1 : 2;
                 }));
  ASSERT_EQ(tree.placements.size(), 3u);
  EXPECT_EQ(tree.placements[2].name, "last");
  EXPECT_EQ(tree.placements[2].parent, 1);
  EXPECT_EQ(tree.parts[0].sites.size(), 1u);
  // The vertices of the edge have copies in all three.
  std::vector<int> copies(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (const Placement& placement : tree.placements) {
    for (const int v : placement.vertices) ++copies[v];
  }
  EXPECT_EQ(std::count(copies.begin(), copies.end(), 3), 2);
}

TEST(MakeParts, RefusesARootThatDoesNotHoldTheSupports) {
  const VolumeMesh mesh = cut_beam();
  EXPECT_EQ(error_text([&] { make_parts(held_body(mesh), decompose_by_regions(mesh), "tip"); }),
            "the root 'tip' has 0 of 9 fixed vertices; the others are in domains 'root'");
}

TEST(MakeParts, RefusesDomainsThatNothingJoins) {
  VolumeMesh mesh = cut_beam();
  const std::size_t elements = static_cast<std::size_t>(mesh.element_count());
  // A second beam beside the first.
  VolumeMesh both = mesh;
  both.vertices.conservativeResize(3, 2 * mesh.vertex_count());
  both.vertices.rightCols(mesh.vertex_count()) = mesh.vertices.colwise() + Vector3(0.0, 5.0, 0.0);
  both.elements.conservativeResize(mesh.elements.rows(), 2 * mesh.element_count());
  both.elements.rightCols(mesh.element_count()) =
      mesh.elements.array() + static_cast<int>(mesh.vertex_count());
  both.region.insert(both.region.end(), mesh.region.begin(), mesh.region.end());
  Decomposition two{std::vector<int>(elements, 0), {"here", "there"}};
  two.domain.resize(2 * elements, 1);
  EXPECT_EQ(error_text([&] { make_parts(free_body(both), two); }),
            "no interface joins domain 'there' to the domain 'here'; expected domains that share faces");
}

TEST(MakeParts, RefusesSupportsInSeveralDomains) {
  const VolumeMesh mesh = cut_beam();
  DecomposedBody body = held_body(mesh);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) > 2.99) body.fixed.push_back(v);
  }
  EXPECT_TRUE(contains(error_text([&] { make_parts(body, decompose_by_regions(mesh)); }),
                       "fixed vertices are in several domains ('root', 'tip')"));
}

TEST(MakeParts, RefusesADecompositionOfSomethingElse) {
  const VolumeMesh mesh = cut_beam();
  const DecomposedBody body = held_body(mesh);
  Decomposition domains = decompose_by_regions(mesh);
  EXPECT_TRUE(
      contains(error_text([&] { make_parts(body, domains, "trunk"); }), "no domain is named 'trunk'"));
  domains.names.push_back("ghost");
  EXPECT_TRUE(contains(error_text([&] { make_parts(body, domains); }), "'ghost' has no elements"));
  domains.names = {"a", "b", "a"};
  EXPECT_TRUE(contains(error_text([&] { make_parts(body, domains); }), "two domains are named 'a'"));
  domains.names = {"a", "b"};
  EXPECT_TRUE(contains(error_text([&] { make_parts(body, domains); }), "domains 0 to 1"));
  domains.domain.pop_back();
  EXPECT_TRUE(contains(error_text([&] { make_parts(body, domains); }), "shared out among domains"));
}

TEST(MakeParts, DrawsTheBoundaryOfADomainWithinOthers) {
  // A cube of 3 x 3 x 3 bricks whose middle one is a domain of its own.
  const VolumeMesh mesh = test::unit_beam(ElementKind::brick, 3, 3, 3);
  Decomposition domains{std::vector<int>(27, 0), {"shell", "kernel"}};
  domains.domain[13] = 1;
  const PartTree tree = make_parts(held_body(mesh), domains);
  EXPECT_EQ(tree.parts[1].render.triangle_count(), 0);
  const std::vector<int>& numbers = tree.placements[1].surface_vertices;
  ASSERT_EQ(numbers.size(), 8u);
  EXPECT_EQ(numbers[0], 56) << "after the vertices of the boundary";
}

}  // namespace
}  // namespace limber::make_parts_test
