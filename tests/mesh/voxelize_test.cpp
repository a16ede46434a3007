#include "limber/mesh/voxelize.hpp"

#include "tests/mesh/shapes.hpp"
#include "tests/mesh/support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

namespace limber::voxelize_test {
namespace {

using test::contains;
using test::error_text;

VolumeMesh voxelize_one(const SurfaceMesh& surface, double cell, VoxelFill fill = VoxelFill::touched,
                        int threads = 1) {
  const std::array<RegionSurface, 1> surfaces{RegionSurface{surface, "body"}};
  VolumeMesh mesh = voxelize(surfaces, {.cell = cell, .fill = fill, .executor = Executor(threads)});
  check_mesh(mesh, "voxels");
  return mesh;
}

/// Centres of the voxels as numbers of cells, so that they compare exactly.
std::set<std::array<int, 3>> cells_of(const VolumeMesh& mesh, double cell) {
  std::set<std::array<int, 3>> cells;
  for (const auto& e : mesh.elements.colwise()) {
    const Vector3 middle = 0.5 * (mesh.vertices.col(e(0)) + mesh.vertices.col(e(6))) / cell;
    cells.insert({static_cast<int>(std::lround(2 * middle.x())),
                  static_cast<int>(std::lround(2 * middle.y())),
                  static_cast<int>(std::lround(2 * middle.z()))});
  }
  return cells;
}

bool any_holds(const VolumeMesh& mesh, const Vector3& point) {
  for (const auto& e : mesh.elements.colwise()) {
    if ((point.array() >= mesh.vertices.col(e(0)).array() - 1e-8).all() &&
        (point.array() <= mesh.vertices.col(e(6)).array() + 1e-8).all()) {
      return true;
    }
  }
  return false;
}

TEST(Voxelize, ByCentresGivesTheVolumeOfASphere) {
  const SurfaceMesh sphere = test::icosphere(4);
  const double volume = enclosed_volume(sphere);
  const auto error = [&](double cell) {
    return std::abs(test::total_volume(voxelize_one(sphere, cell, VoxelFill::center)) / volume - 1.0);
  };
  EXPECT_LT(error(0.2), 0.08);
  EXPECT_LT(error(0.1), 0.02);
  EXPECT_LT(error(0.05), 0.005);
}

TEST(Voxelize, OfACubeOfWholeCellsIsThatCube) {
  for (const Vector3& at : {Vector3(0, 0, 0), Vector3(0.1, -7.3, 1e3)}) {
    const SurfaceMesh cube = test::box_surface(at, at + Vector3::Constant(0.7));
    for (const VoxelFill fill : {VoxelFill::center, VoxelFill::touched}) {
      const VolumeMesh mesh = voxelize_one(cube, 0.1, fill);
      EXPECT_EQ(mesh.element_count(), 343);
      EXPECT_EQ(mesh.vertex_count(), 512);
      EXPECT_NEAR(test::total_volume(mesh), 0.343, 1e-12);
    }
    EXPECT_EQ(voxelize_one(cube, 0.1, VoxelFill::shell).element_count(), 343 - 125);
  }
}

TEST(Voxelize, PutsTheSurfaceInTheMiddleOfItsLattice) {
  const VolumeMesh mesh = voxelize_one(test::box_surface({0, 0, 0}, {1.0, 0.5, 0.1}), 0.3);
  const BoundingBox box = bounding_box(mesh);
  EXPECT_LT((box.max - box.min - Vector3(1.2, 0.6, 0.3)).norm(), 1e-14);
  EXPECT_LT((box.min + box.max - Vector3(1.0, 0.5, 0.1)).norm(), 1e-14);
}

TEST(Voxelize, ByTouchHoldsTheWholeSurface) {
  const SurfaceMesh sphere = test::icosphere(3);
  const VolumeMesh mesh = voxelize_one(sphere, 0.23);
  for (const auto& vertex : sphere.vertices.colwise())
    ASSERT_TRUE(any_holds(mesh, vertex)) << vertex.transpose();
  for (const auto& t : sphere.triangles.colwise()) {
    const Vector3 middle =
        (sphere.vertices.col(t(0)) + sphere.vertices.col(t(1)) + sphere.vertices.col(t(2))) / 3.0;
    ASSERT_TRUE(any_holds(mesh, middle)) << middle.transpose();
  }
}

TEST(Voxelize, ByTouchHasWhatIsInsideAndTheShell) {
  const SurfaceMesh sphere = test::icosphere(3);
  const double cell = 0.13;
  const auto touched = cells_of(voxelize_one(sphere, cell, VoxelFill::touched), cell);
  const auto shell = cells_of(voxelize_one(sphere, cell, VoxelFill::shell), cell);
  const auto center = cells_of(voxelize_one(sphere, cell, VoxelFill::center), cell);
  std::set<std::array<int, 3>> both;
  std::set_union(shell.begin(), shell.end(), center.begin(), center.end(), std::inserter(both, both.end()));
  EXPECT_EQ(touched, both);
  EXPECT_TRUE(std::includes(touched.begin(), touched.end(), shell.begin(), shell.end()));
  EXPECT_LT(shell.size(), touched.size());
  EXPECT_GT(shell.size(), touched.size() - center.size());
}

TEST(Voxelize, AgreesWithAskingEveryCell) {
  // A body larger than a chunk, so that whole cubes of cells are decided at once.
  const SurfaceMesh sphere = test::icosphere(2);
  const double cell = 2.0 / 39.3;
  const auto center = cells_of(voxelize_one(sphere, cell, VoxelFill::center), cell);
  std::size_t inside = 0;
  const Vector3 size = bounding_box(sphere).max - bounding_box(sphere).min;
  const Eigen::Array3i n = (size / cell).array().ceil().cast<int>();
  for (int x = 0; x < n.x(); ++x) {
    for (int y = 0; y < n.y(); ++y) {
      for (int z = 0; z < n.z(); ++z) {
        const Eigen::Array3i twice = 2 * Eigen::Array3i(x, y, z) + 1 - n;
        const Vector3 middle = 0.5 * cell * twice.cast<double>().matrix();
        // Inside of a convex body is behind the planes of all its triangles.
        bool behind = middle.norm() < 1.0;
        for (Index t = 0; behind && middle.norm() > 0.9 && t < sphere.triangle_count(); ++t) {
          const Vector3 a = sphere.vertices.col(sphere.triangles(0, t));
          const Vector3 b = sphere.vertices.col(sphere.triangles(1, t));
          const Vector3 c = sphere.vertices.col(sphere.triangles(2, t));
          behind = (b - a).cross(c - a).dot(middle - a) < 0.0;
        }
        inside += behind ? 1 : 0;
        ASSERT_EQ(center.contains({twice.x(), twice.y(), twice.z()}), behind) << middle.transpose();
      }
    }
  }
  EXPECT_GT(inside, 25000u);
}

TEST(Voxelize, OfASoupIsNearlyThatOfTheWholeSphere) {
  Random random(1);
  const SurfaceMesh whole = test::icosphere(4);
  const SurfaceMesh soup = test::unshared(test::without(whole, [&](int) { return random.uniform() < 0.03; }));
  const double cell = 0.1;
  const auto expected = cells_of(voxelize_one(whole, cell, VoxelFill::center), cell);
  const auto found = cells_of(voxelize_one(soup, cell, VoxelFill::center), cell);
  std::vector<std::array<int, 3>> differing;
  std::set_symmetric_difference(expected.begin(), expected.end(), found.begin(), found.end(),
                                std::back_inserter(differing));
  EXPECT_LT(differing.size(), expected.size() / 50);
}

TEST(Voxelize, GivesVoxelsToTheLastSurfaceThatHoldsThem) {
  const RegionSurface outer{test::icosphere(3), "outer"};
  const RegionSurface inner{test::icosphere(3, 0.5), "inner"};
  const double inner_volume = enclosed_volume(inner.surface);
  const double outer_volume = enclosed_volume(outer.surface);

  VolumeMesh mesh = voxelize(std::array{outer, inner}, {.cell = 0.07, .fill = VoxelFill::center});
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{1, "outer"}, {2, "inner"}}));
  double inside = 0.0;
  for (Index e = 0; e < mesh.element_count(); ++e)
    inside += mesh.region[e] == 1 ? element_volume(mesh, e) : 0.0;
  EXPECT_NEAR(inside / inner_volume, 1.0, 0.05);
  EXPECT_NEAR(test::total_volume(mesh) / outer_volume, 1.0, 0.02);

  // The other way round nothing is left of the inner one.
  mesh = voxelize(std::array{inner, outer}, {.cell = 0.07, .fill = VoxelFill::center});
  EXPECT_EQ(mesh.regions, (std::vector<Region>{{2, "outer"}}));
  EXPECT_EQ(*std::max_element(mesh.region.begin(), mesh.region.end()), 0);
}

TEST(Voxelize, PrefersASurfaceThatHoldsACentreToOneThatMeetsTheVoxel) {
  // Two boxes side by side; the second reaches a little into cells whose centres the first one holds.
  const RegionSurface left{test::box_surface({0, 0, 0}, {1.03, 1, 1}), "left"};
  const RegionSurface right{test::box_surface({0.97, 0, 0}, {2, 1, 1}), "right"};
  const VolumeMesh mesh = voxelize(std::array{left, right}, {.cell = 0.1});
  ASSERT_EQ(mesh.element_count(), 2000);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    EXPECT_EQ(mesh.region[e], mesh.vertices(0, mesh.elements(0, e)) > 0.95 ? 1 : 0);
  }
}

TEST(Voxelize, DoesNotDependOnTheNumberOfThreads) {
  const SurfaceMesh sphere = test::icosphere(2);
  const VolumeMesh one = voxelize_one(sphere, 0.05, VoxelFill::touched, 1);
  const VolumeMesh three = voxelize_one(sphere, 0.05, VoxelFill::touched, 3);
  EXPECT_EQ(one.vertices, three.vertices);
  EXPECT_EQ(one.elements, three.elements);
}

TEST(Voxelize, SharesEveryVertexAndOrdersVoxelsByXYZ) {
  const VolumeMesh mesh = voxelize_one(test::icosphere(2), 0.12);
  std::set<std::array<double, 3>> positions;
  for (const auto& v : mesh.vertices.colwise()) positions.insert({v.x(), v.y(), v.z()});
  EXPECT_EQ(static_cast<Index>(positions.size()), mesh.vertex_count());
  for (Index e = 1; e < mesh.element_count(); ++e) {
    const Vector3 before = mesh.vertices.col(mesh.elements(0, e - 1));
    const Vector3 here = mesh.vertices.col(mesh.elements(0, e));
    ASSERT_TRUE(std::lexicographical_compare(before.begin(), before.end(), here.begin(), here.end()));
  }
}

TEST(Voxelize, ReportsItsAdvance) {
  std::vector<double> fractions;
  const std::array<RegionSurface, 1> surfaces{RegionSurface{test::icosphere(1), ""}};
  voxelize(surfaces, {.cell = 0.03, .progress = [&](std::string_view, double f) { fractions.push_back(f); }});
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_GT(fractions.size(), 2u);
  EXPECT_EQ(fractions.back(), 1.0);
}

TEST(Voxelize, RefusesALatticeThatIsTooLargeAndNamesOneThatIsNot) {
  const SurfaceMesh box = test::box_surface({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(error_text([&] { voxelize_one(box, 1e-4); }),
            "a body of 1 x 1 x 1 m in cells of 0.0001 m needs a lattice of 1e+12 cells, more than 2.15e+09; "
            "use cells of "
            "at least 0.00079 m");
  EXPECT_TRUE(contains(error_text([&] { voxelize_one(box, 1e-300); }), "0.00079 m"));
}

TEST(Voxelize, RefusesCellsThatAreNoLength) {
  const SurfaceMesh box = test::box_surface({0, 0, 0}, {1, 1, 1});
  for (const double cell : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_TRUE(contains(error_text([&] { voxelize_one(box, cell); }), "expected a finite edge above 0"));
  }
  EXPECT_TRUE(contains(error_text([] { voxelize({}, {.cell = 1.0}); }), "no surface"));
}

TEST(Voxelize, RefusesABodyThatHoldsNoCentre) {
  // A plate between the centres of two layers of cells: its box is three cells high because of two pins.
  const SurfaceMesh plate = test::joined(test::box_surface({0, 0, 0.45}, {1, 1, 0.55}),
                                         test::joined(test::box_surface({0, 0, 0}, {0.01, 0.01, 0.01}),
                                                      test::box_surface({0, 0, 0.99}, {0.01, 0.01, 1})));
  EXPECT_EQ(
      error_text([&] { voxelize_one(plate, 0.5, VoxelFill::center); }),
      "no voxel of 0.5 m lies inside the surface; use smaller cells or fill all voxels that it touches");
  EXPECT_EQ(voxelize_one(plate, 0.5).element_count(), 8);
}

}  // namespace
}  // namespace limber::voxelize_test
