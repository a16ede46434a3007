#include "limber/bodies/builtin.hpp"
#include "limber/linalg/sparse_solver.hpp"
#include "limber/multidomain/decompose.hpp"
#include "tests/multidomain/cut_beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace limber::automatic_test {
namespace {

using test::contains;
using test::error_text;

class DecomposeAutomatically : public testing::Test {
 protected:
  void SetUp() override {
    if (!contains(cholesky_backend(), "METIS")) GTEST_SKIP() << "built without METIS";
  }
};

std::vector<int> sizes_of(const Decomposition& decomposition) {
  std::vector<int> sizes(decomposition.names.size(), 0);
  for (const int d : decomposition.domain) ++sizes[d];
  return sizes;
}

TEST_F(DecomposeAutomatically, CutsABeamIntoAChain) {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(4.0, 0.5, 0.5), {24, 3, 3}});
  const Decomposition result = decompose_automatically(mesh, 4);
  ASSERT_EQ(result.names, (std::vector<std::string>{"part 1", "part 2", "part 3", "part 4"}));
  const PartTree tree = make_parts(test::held_body(mesh), result);  // refuses what is no tree
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(tree.placements[i].parent, i - 1);
    EXPECT_EQ(tree.placements[i].name, result.names[i]) << "numbered along x";
  }
  for (const Part& part : tree.parts) {
    EXPECT_GT(part.mesh.element_count(), mesh.element_count() / 16);
    for (const AttachmentSite& site : part.sites) {
      const double area = std::accumulate(site.weights.begin(), site.weights.end(), 0.0);
      EXPECT_LT(area, 1.6 * 0.25) << "a cut across";
    }
  }
}

TEST_F(DecomposeAutomatically, FindsTheArmsOfAnOctopus) {
  const BuiltinBody body = make_builtin("builtin:octopus?cells=40&render=70");
  const Decomposition result = decompose_automatically(body.mesh, 9);
  ASSERT_EQ(result.names.size(), 9u);
  const PartTree tree = make_parts({body.mesh, body.materials, {}, {}, {}}, result);
  const std::vector<int> sizes = sizes_of(result);
  EXPECT_GT(*std::max_element(sizes.begin(), sizes.end()), body.mesh.element_count() / 3) << "the head";
  EXPECT_GE(tree.parts[0].sites.size(), 5u) << "most of the eight arms hang from it";
}

TEST_F(DecomposeAutomatically, DoesNotDependOnTheOrderOfElements) {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(4.0, 0.5, 0.5), {24, 3, 3}});
  const Decomposition result = decompose_automatically(mesh, 5);
  EXPECT_EQ(decompose_automatically(mesh, 5).domain, result.domain) << "not the same twice";
  VolumeMesh reversed = mesh;
  reversed.elements = mesh.elements.rowwise().reverse();
  std::vector<int> domain = decompose_automatically(reversed, 5).domain;
  std::reverse(domain.begin(), domain.end());
  EXPECT_EQ(domain, result.domain);
}

TEST_F(DecomposeAutomatically, KeepsVerticesTogether) {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(4.0, 0.5, 0.5), {24, 3, 3}});
  DecomposedBody body = test::held_body(mesh);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) > 0.5 && mesh.vertices(0, v) < 2.5) body.fixed.push_back(v);
  }
  const Decomposition result = decompose_automatically(mesh, 4, body.fixed);
  EXPECT_GE(result.names.size(), 2u);
  const PartTree tree = make_parts(body, result);
  EXPECT_EQ(tree.parts[0].fixed.size(), body.fixed.size());
}

TEST_F(DecomposeAutomatically, LeavesARingWhole) {
  // A square of 12 x 12 bricks with a hole of 8 x 8: every cut into two touches at two places.
  VolumeMesh mesh = test::plate(12, 12);
  std::vector<int> kept;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const Vector3 x = test::element_center(mesh, e) - Vector3(6.0, 0.0, 0.0);
    if (x.cwiseAbs().maxCoeff() > 4.0) kept.push_back(e);
  }
  mesh.elements = mesh.elements(Eigen::all, kept).eval();
  mesh.region.resize(kept.size());
  EXPECT_EQ(decompose_automatically(mesh, 2).names.size(), 1u);
}

TEST_F(DecomposeAutomatically, TakesOneDomainForTheWhole) {
  const VolumeMesh mesh = test::cut_beam();
  const Decomposition result = decompose_automatically(mesh, 1);
  EXPECT_EQ(result.names.size(), 1u);
  EXPECT_EQ(result.domain, std::vector<int>(static_cast<std::size_t>(mesh.element_count()), 0));
}

TEST_F(DecomposeAutomatically, RefusesWhatCannotBe) {
  const VolumeMesh mesh = test::cut_beam();
  EXPECT_TRUE(contains(error_text([&] { decompose_automatically(mesh, 0); }), "expected at least 1"));
  EXPECT_TRUE(contains(error_text([&] { decompose_automatically(mesh, 100000); }), "the mesh has"));
  VolumeMesh apart = test::plate(2, 2);
  apart.elements = apart.elements(Eigen::all, std::vector<int>{0, 3}).eval();
  apart.region.resize(2);
  EXPECT_TRUE(
      contains(error_text([&] { decompose_automatically(apart, 2); }), "2 pieces that share no face"));
}

}  // namespace
}  // namespace limber::automatic_test
