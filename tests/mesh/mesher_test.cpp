#include "limber/mesh/mesher.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/mesh/tetrahedralize.hpp"
#include "tests/mesh/shapes.hpp"
#include "tests/mesh/solids.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <regex>

namespace limber::mesher_test {
namespace {

RegionSurface sphere(double radius, const Vector3& center = Vector3::Zero(),
                     const std::string& name = "ball") {
  SurfaceMesh surface = test::icosphere(3, radius);
  surface.vertices.colwise() += center;
  return {surface, name};
}

MesherOptions with_cells(int cells, MeshMethod method = MeshMethod::tetrahedra) {
  MesherOptions options;
  options.method = method;
  options.cells = cells;
  options.executor = Executor(1);
  return options;
}

TEST(Mesher, MeetsTheVolumeOfTheSurface) {
  const std::vector<RegionSurface> surfaces{sphere(1.0)};
  MesherOptions options = with_cells(12);
  const MeshedSurfaces matched = mesh_surfaces(surfaces, options);
  options.match_volume = false;
  const MeshedSurfaces plain = mesh_surfaces(surfaces, options);
  const double volume = enclosed_volume(surfaces.front().surface);
  EXPECT_NEAR(matched.report.surface_volume, volume, 1e-12);
  EXPECT_NEAR(matched.report.mesh_volume / volume, 1.0, 3e-3);
  EXPECT_LT(plain.report.mesh_volume / volume, 0.994) << "too fine to show the difference";
  EXPECT_EQ(plain.report.level, 0.0);
  EXPECT_GT(matched.report.level, 0.0);
  EXPECT_LE(matched.report.level, 0.1 * matched.report.cell);
}

TEST(Mesher, ComesNearToTheNumberOfElementsAskedFor) {
  const std::vector<RegionSurface> surfaces{sphere(0.3)};
  for (const MeshMethod method : {MeshMethod::tetrahedra, MeshMethod::voxels}) {
    MesherOptions options = with_cells(0, method);
    options.target_elements = 6000;
    const Index count = mesh_surfaces(surfaces, options).mesh.element_count();
    EXPECT_NEAR(static_cast<double>(count), 6000.0, 0.05 * 6000.0);
  }
}

TEST(Mesher, GivesEachSurfaceARegion) {
  const std::vector<RegionSurface> surfaces{sphere(1.0, Vector3::Zero(), "flesh"),
                                            sphere(0.5, Vector3::Zero(), "bone"),
                                            sphere(0.3, {1.0, 0.0, 0.0}, "knob")};
  for (const MeshMethod method : {MeshMethod::tetrahedra, MeshMethod::voxels}) {
    MesherOptions options = with_cells(24, method);
    options.fill = VoxelFill::center;
    const MeshedSurfaces result = mesh_surfaces(surfaces, options);
    ASSERT_EQ(result.mesh.regions.size(), 3u);
    EXPECT_EQ(result.mesh.regions[1].name, "bone");
    EXPECT_EQ(result.mesh.regions[1].tag, 2);
    const MeshQuality quality = measure_quality(result.mesh);
    EXPECT_NEAR(quality.regions[1].volume, 4.0 / 3.0 * std::numbers::pi / 8.0, 0.05);
    EXPECT_NEAR(quality.regions[2].volume, 4.0 / 3.0 * std::numbers::pi * 0.027, 0.02);
  }
}

TEST(Mesher, CountsOverlapsOnceInTheVolume) {
  const std::vector<RegionSurface> surfaces{sphere(1.0), sphere(1.0)};
  const MeshedSurfaces result = mesh_surfaces(surfaces, with_cells(16));
  EXPECT_NEAR(result.report.surface_volume / enclosed_volume(surfaces.front().surface), 1.0, 5e-3);
}

TEST(Mesher, MakesAUsableMeshOfABrokenSurfaceAndSaysWhatItMet) {
  RegionSurface broken = sphere(1.0);
  SurfaceMesh& s = broken.surface;
  const Index count = s.triangle_count();
  for (Index t = 0; t < count; t += 11) s.triangles.col(t).reverseInPlace();  // turned
  Eigen::Matrix3Xi triangles(3, count - 3 + 40);
  triangles.leftCols(count - 3) = s.triangles.leftCols(count - 3);                       // a hole of three
  for (Index i = 0; i < 40; ++i) triangles.col(count - 3 + i) = s.triangles.col(7 * i);  // twice
  s = make_surface_mesh(s.vertices, triangles);
  const MeshedSurfaces result = mesh_surfaces(std::vector<RegionSurface>{broken}, with_cells(16));
  check_mesh(result.mesh, "ball");
  const SurfaceDefects& defects = result.report.defects.front();
  EXPECT_EQ(defects.duplicate_triangles, 40);
  EXPECT_GE(defects.holes, 1);
  EXPECT_GT(defects.flipped_triangles, count / 12);
  EXPECT_FALSE(defects.closed);
  EXPECT_FALSE(describe(defects).empty());
  const std::vector<int> parts = connected_parts(result.mesh);
  EXPECT_EQ(*std::max_element(parts.begin(), parts.end()), 0);
  EXPECT_NEAR(result.report.mesh_volume / (4.0 / 3.0 * std::numbers::pi), 1.0, 0.02);
  EXPECT_GT(measure_quality(result.mesh).smallest_dihedral, 10.7);
}

TEST(Mesher, FillsOnlyTheShellOfAnOpenSurface) {
  SurfaceMesh surface = test::icosphere(3, 1.0);  // its lower half is taken away
  std::vector<Index> upper;
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    if (surface.vertices(2, surface.triangles(0, t)) > 0.0) upper.push_back(t);
  }
  surface = make_surface_mesh(surface.vertices, surface.triangles(Eigen::all, upper));
  MesherOptions options = with_cells(20, MeshMethod::voxels);
  options.fill = VoxelFill::shell;
  const MeshedSurfaces result = mesh_surfaces(std::vector<RegionSurface>{{surface, "bowl"}}, options);
  EXPECT_GT(result.mesh.element_count(), 400);
  EXPECT_EQ(result.report.defects.front().holes, 1);
}

TEST(Mesher, DropsCrumbsAndReportsThem) {
  const std::vector<RegionSurface> surfaces{sphere(1.0), sphere(0.15, {1.6, 0.0, 0.0})};
  const MeshedSurfaces result = mesh_surfaces(surfaces, with_cells(30));
  EXPECT_EQ(result.report.cleanup.dropped_parts, 1);
  EXPECT_GT(result.report.cleanup.dropped_elements, 0);
  EXPECT_LT(bounding_box(result.mesh).max.x(), 1.1);
}

TEST(Mesher, KnowsTheVolumeOfThinBodiesThatSamplesMiss) {
  SurfaceMesh plates =
      test::joined(test::box_surface({0, 0, 0}, {1, 1, 0.02}), test::box_surface({0, 0, 0.5}, {1, 1, 0.52}));
  const MeshedSurfaces result =
      mesh_surfaces(std::vector<RegionSurface>{{plates, "plates"}}, with_cells(120));
  EXPECT_FALSE(result.report.volume_sampled);
  EXPECT_NEAR(result.report.surface_volume, 0.04, 1e-12);
  EXPECT_NEAR(result.report.mesh_volume, 0.04, 0.002);
}

TEST(Mesher, MeetsSmallNumbersOfElementsAsWellAsItCan) {
  const std::vector<RegionSurface> bar{{test::box_surface({0, 0, 0}, {1, 0.3, 0.2}), "bar"}};
  for (const Index target : {1, 10, 200, 2000}) {
    MesherOptions options = with_cells(0);
    options.target_elements = target;
    const Index count = mesh_surfaces(bar, options).mesh.element_count();
    EXPECT_GT(count, 0);
    if (target >= 200) {
      EXPECT_NEAR(std::log(static_cast<double>(count) / static_cast<double>(target)), 0.0, std::log(2.0))
          << target;
    }
  }
}

TEST(Mesher, KeepsAllOfManyEqualParts) {
  SurfaceMesh balls = test::icosphere(1, 0.3);
  for (int i = 1; i < 27; ++i) {
    balls = test::joined(balls, test::moved(test::icosphere(1, 0.3), Vector3(i % 3, i / 3 % 3, i / 9)));
  }
  MesherOptions options = with_cells(36);
  options.smallest_part = 0.2;
  const MeshedSurfaces result = mesh_surfaces(std::vector<RegionSurface>{{balls, "balls"}}, options);
  const std::vector<int> parts = connected_parts(result.mesh);
  EXPECT_EQ(*std::max_element(parts.begin(), parts.end()), 26);
  EXPECT_TRUE(result.report.warnings.empty()) << result.report.warnings.front();
}

TEST(Mesher, FillsPiecesGluedTogether) {
  SurfaceMesh cubes = test::box_surface({0, 0, 0}, {1, 1, 1});
  for (int i = 1; i < 27; ++i) {
    const Vector3 corner(i % 3, i / 3 % 3, i / 9);
    cubes = test::joined(cubes, test::box_surface(corner, corner + Vector3::Ones()));
  }
  const MeshedSurfaces result = mesh_surfaces(std::vector<RegionSurface>{{cubes, "cubes"}}, with_cells(12));
  EXPECT_NEAR(result.report.surface_volume, 27.0, 1e-9);
  EXPECT_NEAR(result.report.mesh_volume, 27.0, 0.3);
}

TEST(Mesher, WarnsOfLimbsThatWereLost) {
  const SurfaceMesh surface =
      test::joined(test::icosphere(3, 1.0), test::box_surface({0.5, -0.02, -0.02}, {2.0, 0.02, 0.02}));
  const MeshedSurfaces result = mesh_surfaces(std::vector<RegionSurface>{{surface, "ball"}}, with_cells(16));
  ASSERT_FALSE(result.report.warnings.empty());
  EXPECT_TRUE(result.report.warnings.front().find("use more cells, as ") != std::string::npos);
}

TEST(Mesher, SaysWhatMoreCellsCost) {
  const std::vector<RegionSurface> surfaces{
      {test::joined(test::icosphere(3, 1.0), test::box_surface({0.5, -0.02, -0.02}, {2.0, 0.02, 0.02})),
       "ball"}};
  const std::string said = mesh_surfaces(surfaces, with_cells(16)).report.warnings.front();
  static const std::regex pattern("use more cells, as ([0-9]+) \\(about ([0-9,]+) elements\\)");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(said, match, pattern)) << said;
  std::string number = match[2];
  std::erase(number, ',');
  const auto finer =
      static_cast<double>(mesh_surfaces(surfaces, with_cells(std::stoi(match[1]))).mesh.element_count());
  EXPECT_NEAR(std::stod(number) / finer, 1.0, 0.2);
}

/// A hat: a ball whose brim is a sheet. The brim is a share of the area that no cells can fill.
SurfaceMesh hat() {
  SurfaceMesh result = test::icosphere(4, 1.0);
  constexpr int around = 64;
  Matrix3X brim(3, 2 * around);
  Eigen::Matrix3Xi triangles(3, 2 * around);
  for (int i = 0; i < around; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / around;
    const Vector3 out(std::cos(angle), std::sin(angle), 0.1);
    brim.col(2 * i) = Vector3(0.97 * out.x(), 0.97 * out.y(), 0.1);
    brim.col(2 * i + 1) = Vector3(2.0 * out.x(), 2.0 * out.y(), 0.1);
    const int next = (i + 1) % around;
    triangles.col(2 * i) << 2 * i, 2 * i + 1, 2 * next;
    triangles.col(2 * i + 1) << 2 * i + 1, 2 * next + 1, 2 * next;
  }
  return test::joined(result, make_surface_mesh(brim, triangles));
}

TEST(Mesher, WarnsOfTheShareOfTheSurfaceThatTheMeshDoesNotFollow) {
  const MeshedSurfaces result = mesh_surfaces(std::vector<RegionSurface>{{hat(), "hat"}}, with_cells(30));
  EXPECT_NEAR(result.report.uncovered.share, 0.365, 0.05);
  EXPECT_NEAR(result.report.uncovered.farthest, 1.0, 0.1);
  ASSERT_FALSE(result.report.warnings.empty());
  EXPECT_TRUE(result.report.warnings.front().find("% of the surface is not followed") != std::string::npos)
      << result.report.warnings.front();
  EXPECT_TRUE(result.report.warnings.front().find("beside a hole") != std::string::npos);
}

TEST(Mesher, RefusesASheetAndFillsItsShell) {
  SurfaceMesh ripples = test::icosphere(5, 1.0);  // of a plate of ripples, the upper side
  std::vector<Index> upper;
  for (Index t = 0; t < ripples.triangle_count(); ++t)
    if (ripples.vertices(2, ripples.triangles(0, t)) > 0.0) upper.push_back(t);
  ripples = make_surface_mesh(ripples.vertices, ripples.triangles(Eigen::all, upper));
  for (Index v = 0; v < ripples.vertex_count(); ++v)
    ripples.vertices(2, v) =
        0.01 * std::sin(9.0 * ripples.vertices(0, v)) * std::sin(7.0 * ripples.vertices(1, v));
  MesherOptions options = with_cells(0);
  options.target_elements = 3000;
  const std::string said = test::error_text([&] {
    mesh_surfaces(std::vector<RegionSurface>{{ripples, "pond"}}, options);
  });
  EXPECT_TRUE(said.starts_with("pond: it is a sheet, or encloses next to nothing")) << said;
  EXPECT_TRUE(said.find("--method voxel --fill shell") != std::string::npos) << said;
  options.method = MeshMethod::voxels;
  options.fill = VoxelFill::shell;
  EXPECT_NEAR(static_cast<double>(
                  mesh_surfaces(std::vector<RegionSurface>{{ripples, "pond"}}, options).mesh.element_count()),
              3000.0, 300.0);
}

TEST(Mesher, WarnsOfASurfaceThatALaterOneCovers) {
  const std::vector<RegionSurface> surfaces{sphere(0.5, Vector3::Zero(), "bone"),
                                            sphere(1.0, Vector3::Zero(), "flesh")};
  const MeshedSurfaces result = mesh_surfaces(surfaces, with_cells(16));
  ASSERT_EQ(result.report.warnings.size(), 1u);
  EXPECT_TRUE(result.report.warnings.front().find("'bone'") != std::string::npos);
}

TEST(Mesher, MeshesABodyFarFromTheOrigin) {
  const MeshedSurfaces result =
      mesh_surfaces(std::vector<RegionSurface>{sphere(1.0, {1e6, -2e6, 3e6})}, with_cells(12));
  EXPECT_NEAR(result.report.mesh_volume / result.report.surface_volume, 1.0, 5e-3);
}

TEST(Mesher, RefusesSurfacesThatEncloseNothing) {
  const auto message = [](const SurfaceMesh& surface) {
    return test::error_text([&] {
      mesh_surfaces(std::vector<RegionSurface>{{surface, "sheet"}}, with_cells(8));
    });
  };
  Matrix3X square(3, 4);
  square << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  Eigen::Matrix3Xi triangles(3, 2);
  triangles << 0, 0, 1, 2, 2, 3;
  EXPECT_TRUE(message(make_surface_mesh(square, triangles)).find("flat") != std::string::npos)
      << message(make_surface_mesh(square, triangles));
  EXPECT_TRUE(message(make_surface_mesh(square, Eigen::Matrix3Xi(3, 0))).find("no triangle") !=
              std::string::npos)
      << message(make_surface_mesh(square, Eigen::Matrix3Xi(3, 0)));
  square(1, 2) = std::nan("");
  EXPECT_TRUE(message(make_surface_mesh(square, triangles)).find("finite") != std::string::npos)
      << message(make_surface_mesh(square, triangles));
  EXPECT_EQ(test::error_text([] { mesh_surfaces({}, with_cells(8)); }), "no surface was given to mesh");
}

TEST(Mesher, MeasuresTheVolumeOfASolid) {
  EXPECT_NEAR(measure_volume(test::ball(1.0), 40) / (4.0 / 3.0 * std::numbers::pi), 1.0, 1e-3);
  EXPECT_NEAR(measure_volume(test::block({0.5, 0.3, 0.1}), 40) / 0.12, 1.0, 0.02);
}

}  // namespace
}  // namespace limber::mesher_test
