#include "limber/fem/assembly.hpp"

#include "limber/fem/element_schedule.hpp"
#include "limber/fem/sparsity.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <set>

namespace limber::assembly_test {
namespace {

VolumeMesh two_region_beam() {
  VolumeMesh mesh = test::unit_beam(ElementKind::tetrahedron, 10, 5, 5);
  mesh.regions = {{1, "a"}, {2, "b"}};
  for (std::size_t e = 0; e < mesh.region.size(); ++e) mesh.region[e] = e % 3 == 0 ? 1 : 0;
  return mesh;
}

TEST(ElementSchedule, HoldsEveryElementOnceInAPacketOfItsRegion) {
  const VolumeMesh mesh = two_region_beam();
  const ElementSchedule schedule = make_element_schedule(mesh);
  std::multiset<int> seen;
  for (const ElementPacket& packet : schedule.packets) {
    for (int lane = 0; lane < packet.count; ++lane) {
      seen.insert(packet.element[static_cast<std::size_t>(lane)]);
      EXPECT_EQ(mesh.region[static_cast<std::size_t>(packet.element[static_cast<std::size_t>(lane)])],
                packet.region);
    }
  }
  EXPECT_EQ(static_cast<Index>(seen.size()), mesh.element_count());
  EXPECT_EQ(static_cast<Index>(std::set<int>(seen.begin(), seen.end()).size()), mesh.element_count());
}

TEST(ElementSchedule, GivesOneColourOnlyToBlocksWithoutACommonVertex) {
  const VolumeMesh mesh = two_region_beam();
  const ElementSchedule schedule = make_element_schedule(mesh);
  for (std::size_t c = 0; c + 1 < schedule.first_of_colour.size(); ++c) {
    std::set<int> taken;
    for (int b = schedule.first_of_colour[c]; b < schedule.first_of_colour[c + 1]; ++b) {
      std::set<int> own;
      const auto& block = schedule.blocks[static_cast<std::size_t>(b)];
      for (int p = block.first_packet; p < block.end_packet; ++p) {
        for (const int e : schedule.packets[static_cast<std::size_t>(p)].element) {
          for (const int v : mesh.elements.col(e)) own.insert(v);
        }
      }
      for (const int v : own)
        EXPECT_TRUE(taken.insert(v).second) << "vertex " << v << " twice in colour " << c;
    }
  }
}

TEST(Sparsity, PointsEveryBlockOfEveryElementToItsPlace) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::brick, 2, 2, 2);
  const DofMap dofs(mesh, test::vertices_below(mesh, 0.5));
  const Sparsity sparsity = make_sparsity(mesh, dofs);
  const int N = sparsity.nodes;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (int b = 0; b < N; ++b) {
      for (int a = 0; a < N; ++a) {
        const int slot = sparsity.slots[static_cast<std::size_t>((e * N + b) * N + a)];
        const int row = dofs.free_index(mesh.elements(a, e)), column = dofs.free_index(mesh.elements(b, e));
        if (row < 0 || column < 0) {
          EXPECT_EQ(slot, -1);
          continue;
        }
        for (int j = 0; j < 3; ++j) {
          const int position = slot + j * sparsity.stride[static_cast<std::size_t>(column)];
          EXPECT_EQ(sparsity.pattern.innerIndexPtr()[position], 3 * row);
          EXPECT_GE(position, sparsity.pattern.outerIndexPtr()[3 * column + j]);
          EXPECT_LT(position, sparsity.pattern.outerIndexPtr()[3 * column + j + 1]);
        }
      }
    }
  }
}

TEST(DofMap, ExpandsAndRestricts) {
  const VolumeMesh mesh = test::unit_beam(ElementKind::brick, 2, 2, 2);
  const DofMap dofs(mesh, std::vector<int>{4, 4, 0});
  EXPECT_EQ(dofs.dof_count(), 3 * (27 - 2));
  const Vector u = test::random_vector(dofs.dof_count(), 1.0, 1);
  const Matrix3X field = dofs.expand(u);
  EXPECT_EQ(dofs.restrict(field), u);
  EXPECT_EQ(field.col(0), Vector3::Zero());
  EXPECT_EQ(field.col(4), Vector3::Zero());
}

}  // namespace
}  // namespace limber::assembly_test
