#include "limber/mesh/tetrahedralize.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "tests/mesh/solids.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <utility>

namespace limber::tetrahedralize_test {
namespace {

constexpr double unit_ball = 4.0 / 3.0 * std::numbers::pi;

VolumeMesh tetrahedra(const Solid& solid, double cell, int grading = 0, int smoothing = 0) {
  TetrahedralizeOptions options;
  options.cell = cell;
  options.grading = grading;
  options.smoothing_passes = smoothing;
  options.executor = Executor(1);
  return tetrahedralize(solid, options);
}

/// Directed edges of the boundary that are not matched by exactly one in the other direction.
int loose_edges(const VolumeMesh& mesh) {
  std::map<std::pair<int, int>, int> count;
  const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
  for (const auto& t : triangles.colwise()) {
    for (int side = 0; side < 3; ++side) ++count[{t(side), t((side + 1) % 3)}];
  }
  int loose = 0;
  for (const auto& [edge, times] : count) {
    const auto back = count.find({edge.second, edge.first});
    if (times != 1 || back == count.end() || back->second != 1) ++loose;
  }
  return loose;
}

TEST(Tetrahedralize, FillsABallWithSecondOrderVolumeError) {
  double last = 0.0;
  for (const double cell : {0.2, 0.1, 0.05}) {
    const VolumeMesh mesh = tetrahedra(test::ball(1.0), cell);
    check_mesh(mesh, "ball");
    const double error = std::abs(measure_quality(mesh).volume / unit_ball - 1.0);
    if (last > 0.0) {
      EXPECT_NEAR(std::log2(last / error), 2.0, 0.3) << "cell " << cell << ", error " << error;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(Tetrahedralize, PutsBoundaryVerticesOnTheSurface) {
  for (const int smoothing : {0, 6}) {
    const VolumeMesh mesh = tetrahedra(test::ball(1.0), 0.1, 0, smoothing);
    const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
    for (const int v : triangles.reshaped()) {
      EXPECT_NEAR(mesh.vertices.col(v).norm(), 1.0, 0.0025 * 0.1) << "vertex " << v;
    }
  }
}

TEST(Tetrahedralize, KeepsItsAnglesWithinTheBoundsForWhateverSolid) {
  double smallest = 180.0, largest = 0.0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const VolumeMesh mesh = tetrahedra(test::rough_ball(seed, 3.0 + 4.0 * static_cast<double>(seed)), 0.11);
    const MeshQuality quality = measure_quality(mesh);
    smallest = std::min(smallest, quality.smallest_dihedral);
    largest = std::max(largest, quality.largest_dihedral);
    EXPECT_GT(quality.smallest_dihedral, 10.7) << "seed " << seed;
    EXPECT_LT(quality.largest_dihedral, 164.8) << "seed " << seed;
  }
  for (const auto& [seed, cell] : {std::pair{56, 0.15}, {135, 0.2}}) {  // among the worst of 1600
    const MeshQuality quality =
        measure_quality(tetrahedra(test::rough_ball(static_cast<std::uint64_t>(seed), 12.0), cell));
    EXPECT_GT(quality.smallest_dihedral, 10.7) << "seed " << seed;
    EXPECT_LT(quality.largest_dihedral, 164.8) << "seed " << seed;
  }
  EXPECT_LT(smallest, 20.0) << "the solids were too tame to test the bound; largest angle " << largest;
}

TEST(Tetrahedralize, SmoothingRaisesTheWorstAngle) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Solid solid = test::rough_ball(seed, 8.0);
    const MeshQuality plain = measure_quality(tetrahedra(solid, 0.1));
    const MeshQuality smooth = measure_quality(tetrahedra(solid, 0.1, 0, 10));
    EXPECT_GT(smooth.smallest_dihedral, plain.smallest_dihedral + 3.0);
    EXPECT_GT(smooth.smallest_dihedral, 20.0);
    EXPECT_LT(smooth.largest_dihedral, 160.0);
    EXPECT_NEAR(smooth.volume / plain.volume, 1.0, 2e-3);
  }
}

TEST(Tetrahedralize, GradingFillsTheSameBodyWithFewerElements) {
  const Solid solid = test::rough_ball(3, 4.0);
  const VolumeMesh uniform = tetrahedra(solid, 0.07);
  const MeshQuality whole = measure_quality(uniform);
  Index last = uniform.element_count();
  for (const int grading : {1, 2, 3}) {
    const VolumeMesh graded = tetrahedra(solid, 0.07, grading);
    check_mesh(graded, "graded");
    const MeshQuality quality = measure_quality(graded);
    EXPECT_LE(graded.element_count(), last);
    EXPECT_NEAR(quality.volume, whole.volume, 1e-10);
    EXPECT_GT(quality.smallest_dihedral, 10.7);
    EXPECT_EQ(loose_edges(graded), 0);
    // Where elements do not fit together, faces inside would count as boundary.
    EXPECT_EQ(boundary_triangles(graded).cols(), boundary_triangles(uniform).cols());
    last = graded.element_count();
  }
  EXPECT_LT(static_cast<double>(last), 0.9 * static_cast<double>(uniform.element_count()));
}

TEST(Tetrahedralize, HasAClosedBoundaryThatEnclosesItsVolume) {
  const VolumeMesh mesh = tetrahedra(test::rough_ball(5, 5.0), 0.08);
  EXPECT_EQ(loose_edges(mesh), 0);
  EXPECT_NEAR(enclosed_volume(boundary_surface(mesh)), measure_quality(mesh).volume, 1e-10);
}

TEST(Tetrahedralize, MeetsABlockAlignedWithItsCellsExactly) {
  const VolumeMesh mesh = tetrahedra(test::block({0.5, 0.25, 0.25}), 0.125);
  const BoundingBox box = bounding_box(mesh);
  EXPECT_NEAR((box.max - Vector3(0.5, 0.25, 0.25)).norm(), 0.0, 1e-9);
  EXPECT_NEAR(measure_quality(mesh).volume, 0.25, 0.25 * 0.02);  // edges are chamfered
}

TEST(Tetrahedralize, TakesTheSurfaceAtTheLevelAskedFor) {
  TetrahedralizeOptions options;
  options.cell = 0.1;
  options.level = 0.07;
  const VolumeMesh mesh = tetrahedralize(test::ball(1.0), options);
  EXPECT_NEAR(measure_quality(mesh).volume / (unit_ball * std::pow(1.07, 3)), 1.0, 5e-3);
}

TEST(Tetrahedralize, GivesTheSameBitsForEveryNumberOfThreads) {
  TetrahedralizeOptions options;
  options.cell = 0.13;
  options.grading = 2;
  options.executor = Executor(1);
  const VolumeMesh one = tetrahedralize(test::rough_ball(7, 6.0), options);
  options.executor = Executor(3);
  const VolumeMesh three = tetrahedralize(test::rough_ball(7, 6.0), options);
  EXPECT_EQ(one.vertices, three.vertices);
  EXPECT_EQ(one.elements, three.elements);
}

TEST(Tetrahedralize, RefusesWhatCannotBeMeshed) {
  const auto message = [](const Solid& solid, double cell) {
    return test::error_text([&] { tetrahedra(solid, cell); });
  };
  EXPECT_EQ(message(test::ball(1.0), 0.0), "cell size 0 m, expected a positive length");
  EXPECT_EQ(message(test::ball(1.0), 1e-7),
            "a cell of 1e-07 m divides the body of 2 m into more than 524288 cells along an axis; use larger "
            "cells");
  EXPECT_EQ(message(test::ball(0.01, {0.3, 0.2, 0.1}), 1.0),
            "no tetrahedron fits into the body with cells of 1 m; it is thinner than them: use smaller "
            "cells, or voxels; or it is a sheet that encloses nothing: fill its shell with voxels");
  EXPECT_TRUE(message(test::ball(1.0), 1e-310).find("use larger cells") != std::string::npos);
  Solid broken = test::ball(1.0);
  broken.sample = [](const Vector3&) { return SolidSample{std::nan(""), 0.0}; };
  EXPECT_TRUE(message(broken, 0.5).find("is not a number") != std::string::npos) << message(broken, 0.5);
}

TEST(Tetrahedralize, FollowsAJumpOfTheSign) {
  // A ball with a function that is never near zero: as the distance to a surface is across a hole.
  Solid solid = test::ball(1.0);
  solid.sample = [](const Vector3& x) {
    const double r = x.norm();
    return SolidSample{r < 1.0 ? -5.0 : 5.0, std::abs(r - 1.0)};
  };
  EXPECT_NEAR(measure_quality(tetrahedra(solid, 0.1)).volume / unit_ball, 1.0, 0.01);
}

}  // namespace
}  // namespace limber::tetrahedralize_test
