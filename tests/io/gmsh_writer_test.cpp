#include "limber/io/gmsh_writer.hpp"

#include "limber/mesh/beam.hpp"
#include "tests/io/mesh_support.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace limber::gmsh_writer_test {
namespace {

using testing::HasSubstr;

/// A beam whose coordinates use all their bits, whose regions alternate and which has a vertex of no element.
VolumeMesh make_sample(ElementKind kind) {
  VolumeMesh mesh = make_beam({.kind = kind, .size = {1.0 / 3.0, 0.1, std::sqrt(0.02)}, .cells = {3, 2, 1}});
  mesh.vertices.conservativeResize(3, mesh.vertex_count() + 1);
  mesh.vertices.rightCols(1) << 1e-300, -1e30, std::nextafter(1.0, 2.0);
  mesh.regions = {{2, "soft core"}, {4, ""}, {70, "\"quoted\" & <odd>"}};
  for (std::size_t e = 0; e < mesh.region.size(); ++e) mesh.region[e] = static_cast<int>(e / 2 % 3);
  return mesh;
}

using Variant = std::tuple<ElementKind, GmshVersion, bool>;

class GmshRoundTrip : public testing::TestWithParam<Variant> {};

TEST_P(GmshRoundTrip, GivesTheSameMeshBitByBit) {
  const auto [kind, version, binary] = GetParam();
  const test::ScratchFolder folder;
  const VolumeMesh mesh = make_sample(kind);
  write_gmsh(folder / "mesh.msh", mesh, {version, binary});
  test::expect_same_mesh(read_mesh(folder / "mesh.msh"), mesh);
}

TEST_P(GmshRoundTrip, KeepsAMeshWithoutGroups) {
  const auto [kind, version, binary] = GetParam();
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.kind = kind, .cells = {2, 1, 1}});
  mesh.regions = {{0, ""}};
  write_gmsh(folder / "mesh.msh", mesh, {version, binary});
  test::expect_same_mesh(read_mesh(folder / "mesh.msh"), mesh);
}

std::string name_of_variant(const testing::TestParamInfo<Variant>& tested) {
  const auto [kind, version, binary] = tested.param;
  return fmt::format("{}_{}_{}", name_of(kind), version == GmshVersion::v2_2 ? "22" : "41",
                     binary ? "binary" : "ascii");
}

INSTANTIATE_TEST_SUITE_P(Variants, GmshRoundTrip,
                         testing::Combine(testing::Values(ElementKind::tetrahedron, ElementKind::brick),
                                          testing::Values(GmshVersion::v2_2, GmshVersion::v4_1),
                                          testing::Bool()),
                         name_of_variant);

TEST(GmshWriter, OrdersRegionsByTagWhenReadBack) {
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.cells = {2, 1, 1}});
  mesh.regions = {{9, "late"}, {1, "early"}};
  mesh.region.back() = 1;
  write_gmsh(folder / "mesh.msh", mesh);
  const VolumeMesh back = read_mesh(folder / "mesh.msh");
  EXPECT_EQ(back.regions, (std::vector<Region>{{1, "early"}, {9, "late"}}));
  EXPECT_EQ(back.region.front(), 1);
  EXPECT_EQ(back.region.back(), 0);
}

TEST(GmshWriter, RefusesRegionsThatGmshCannotExpress) {
  const test::ScratchFolder folder;
  VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  const auto error = [&](std::vector<Region> regions) {
    mesh.regions = std::move(regions);
    return test::error_text([&] { write_gmsh(folder / "mesh.msh", mesh); });
  };
  EXPECT_THAT(error({{-1, ""}}), HasSubstr("has the tag -1, but Gmsh numbers physical groups from 1"));
  EXPECT_THAT(error({{0, "core"}}), HasSubstr("region 'core' has the tag 0"));
  EXPECT_THAT(error({{1, "a"}, {1, "b"}}), HasSubstr("two regions have the tag 1"));
  EXPECT_THAT(error({{1, "a\nb"}}), HasSubstr("spans several lines"));
  EXPECT_FALSE(std::filesystem::exists(folder / "mesh.msh"));
}

}  // namespace
}  // namespace limber::gmsh_writer_test
