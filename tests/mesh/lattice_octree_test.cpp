#include "limber/mesh/lattice_octree.hpp"

#include "limber/mesh/lattice_tetrahedra.hpp"
#include "tests/mesh/solids.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace limber::lattice_octree_test {
namespace {

LatticeOctree octree_of(const Solid& solid, double cell, int grading) {
  return {solid, {cell, grading, 0.0}, Executor(1), {}};
}

/// True where two octants share at least a corner.
bool touch(const Octant& a, const Octant& b) {
  const Eigen::Array3i a_end = a.corner.array() + a.size(), b_end = b.corner.array() + b.size();
  return (a.corner.array() <= b_end).all() && (b.corner.array() <= a_end).all();
}

TEST(LatticeOctree, CoversTheSolidWithoutOverlap) {
  for (const int grading : {0, 1, 3}) {
    const LatticeOctree octree = octree_of(test::ball(1.0), 0.11, grading);
    double inside = 0.0, all = 0.0;
    for (const Octant& octant : octree.octants()) {
      const double volume = std::pow(0.11 * octant.size(), 3);
      all += volume;
      if (!octant.near_surface) inside += volume;
    }
    EXPECT_LT(inside, 4.19);
    EXPECT_GT(all, 4.19);
    EXPECT_LT(all - inside, 4.0 * 3.1416 * 4.0 * 0.11)
        << "the layer near the surface is about two cells thick";
  }
}

TEST(LatticeOctree, KeepsNeighboursWithinOneLevelAndTheSurfaceUniform) {
  const LatticeOctree octree = octree_of(test::ball(1.0), 0.06, 4);
  const auto& octants = octree.octants();
  int largest = 0;
  for (std::size_t i = 0; i < octants.size(); ++i) {
    largest = std::max(largest, octants[i].level);
    if (octants[i].near_surface) {
      EXPECT_EQ(octants[i].level, 0);
    }
    if (octants[i].level == 0) continue;
    for (const Octant& other : octants) {
      if (!touch(octants[i], other)) continue;
      EXPECT_LE(octants[i].level - other.level, 1);
      EXPECT_FALSE(other.near_surface);
    }
  }
  EXPECT_GE(largest, 2) << "too coarse to test the balance";
}

TEST(LatticeOctree, FindsItsOctants) {
  const LatticeOctree octree = octree_of(test::ball(1.0), 0.1, 3);
  for (std::size_t i = 0; i < octree.octants().size(); ++i) {
    const Octant& octant = octree.octants()[i];
    EXPECT_EQ(octree.find(octant.corner, octant.level), static_cast<int>(i));
    EXPECT_EQ(octree.find(octant.corner, octant.level + 1), -1);
  }
}

TEST(LatticeTetrahedra, FillTheInteriorConformingly) {
  const LatticeTetrahedra lattice = make_lattice_tetrahedra(octree_of(test::ball(1.0), 0.06, 4));
  std::map<std::array<int, 3>, int> faces;
  double volume = 0.0;
  for (const LatticeTetrahedron& tet : lattice.tetrahedra) {
    const auto x = [&](std::size_t i) -> Vector3 {
      return lattice.vertices[static_cast<std::size_t>(tet.vertices[i])].cast<double>();
    };
    const double v = std::abs((x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0))) / 6.0;
    EXPECT_GT(v, 0.0);
    volume += v;
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::array<int, 3> face{};
      std::size_t next = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        if (i != left_out) face[next++] = tet.vertices[i];
      }
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
  }
  // Faces with an owner only belong to the outermost layer, whose corners are not sure to be inside.
  for (const auto& [face, owners] : faces) {
    EXPECT_LE(owners, 2);
    if (owners == 2) continue;
    bool sure = true;
    for (const int v : face) sure = sure && lattice.sure[static_cast<std::size_t>(v)] != 0;
    EXPECT_FALSE(sure);
  }
  EXPECT_GT(volume * std::pow(0.03, 3), 4.18);
}

}  // namespace
}  // namespace limber::lattice_octree_test
