#include "limber/mesh/surface_repair.hpp"

#include "limber/mesh/surface_query.hpp"
#include "tests/mesh/shapes.hpp"
#include "tests/mesh/support.hpp"
#include "tests/mesh/winding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace limber::surface_repair_test {
namespace {

using test::contains;
using test::error_text;

SurfaceDefects defects_of(const SurfaceMesh& surface) { return repair_surface(surface, "test").defects; }

/// What is done to a clean surface, and how often.
struct Damage {
  bool unshare = false;
  double flipped = 0.0;     ///< share of the triangles
  double duplicated = 0.0;  ///< either way round
  double removed = 0.0;
  int degenerate = 0;
  int unused = 0;
};

struct Damaged {
  SurfaceMesh surface;
  SurfaceDefects expected;
};

Damaged damage(const SurfaceMesh& clean, const Damage& how, std::uint64_t seed) {
  Random random(seed);
  Damaged result;
  std::vector<Eigen::Vector3i> triangles;
  for (const auto& t : clean.triangles.colwise()) {
    if (random.uniform() < how.removed) continue;
    const bool flip = random.uniform() < how.flipped;
    result.expected.flipped_triangles += flip ? 1 : 0;
    triangles.push_back(flip ? Eigen::Vector3i(t(1), t(0), t(2)) : Eigen::Vector3i(t));
  }
  const std::size_t kept = triangles.size();
  for (std::size_t i = 0; i < kept; ++i) {
    if (random.uniform() >= how.duplicated) continue;
    const Eigen::Vector3i t = triangles[i];
    triangles.push_back(random.uniform() < 0.5 ? Eigen::Vector3i(t(1), t(2), t(0))
                                               : Eigen::Vector3i(t(2), t(1), t(0)));
    ++result.expected.duplicate_triangles;
  }
  for (int i = 0; i < how.degenerate; ++i)
    triangles.emplace_back(triangles[i](0), triangles[i](1), triangles[i](0));
  result.expected.degenerate_triangles = how.degenerate;

  Eigen::Matrix3Xi list(3, static_cast<Index>(triangles.size()));
  for (std::size_t i = 0; i < triangles.size(); ++i) list.col(static_cast<Index>(i)) = triangles[i];
  result.surface = make_surface_mesh(clean.vertices, list);
  if (how.unshare) {
    result.surface = test::unshared(result.surface);
    result.expected.duplicate_vertices = result.surface.vertex_count() - clean.vertex_count();
  }
  const Index n = result.surface.vertex_count();
  result.surface.vertices.conservativeResize(3, n + how.unused);
  for (int i = 0; i < how.unused; ++i) result.surface.vertices.col(n + i).setConstant(10.0 + i);
  result.expected.unused_vertices = how.unused;
  return result;
}

/// Share of random points, farther than `margin` from the unit sphere, that are told inside or outside
/// rightly.
double right_share(const SurfaceMesh& surface, double margin) {
  const SurfaceQuery query(surface);
  Random random(100);
  int right = 0;
  int all = 0;
  while (all < 1000) {
    const Vector3 point = test::random_point(random, 1.3);
    if (std::abs(point.norm() - 1.0) < margin) continue;
    right += query.contains(point) == (point.norm() < 1.0) ? 1 : 0;
    ++all;
  }
  return right / 1000.0;
}

/// Unit cubes side by side, each with twelve triangles of its own.
SurfaceMesh glued_cubes(const Eigen::Vector3i& cells) {
  SurfaceMesh result;
  for (int z = 0; z < cells.z(); ++z) {
    for (int y = 0; y < cells.y(); ++y) {
      for (int x = 0; x < cells.x(); ++x) {
        const SurfaceMesh cube = test::moved(test::box_surface({0, 0, 0}, {1, 1, 1}), Vector3(x, y, z));
        result = result.triangle_count() == 0 ? cube : test::joined(result, cube);
      }
    }
  }
  return result;
}

/// Largest error of the exact winding number at random points in and around the union of boxes.
double winding_error(const SurfaceMesh& surface, std::span<const BoundingBox> boxes) {
  Random random(101);
  double worst = 0.0;
  for (int i = 0; i < 500; ++i) {
    const Vector3 point = test::random_point(random, 3.5);
    const bool inside = std::any_of(boxes.begin(), boxes.end(), [&](const BoundingBox& box) {
      return (point.array() > box.min.array()).all() && (point.array() < box.max.array()).all();
    });
    worst = std::max(worst, std::abs(test::exact_winding_number(surface, point) - (inside ? 1.0 : 0.0)));
  }
  return worst;
}

double winding_error(const SurfaceMesh& surface, const Vector3& max) {
  const BoundingBox box{Vector3::Zero(), max};
  return winding_error(surface, std::span(&box, 1));
}

/// A unit cube with an edge of a face split in the middle, and a triangle on that edge that seals the gap.
SurfaceMesh sealed_cube(bool turn_seal) {
  SurfaceMesh cube = test::box_surface({0, 0, 0}, {1, 1, 1});
  const int middle = 8;
  cube.vertices.conservativeResize(3, 9);
  cube.vertices.col(middle) = 0.5 * (cube.vertices.col(0) + cube.vertices.col(1));
  // Of the two triangles at the edge 0-1, (0, 3, 1) in z = 0 is split, (0, 1, 5) in y = 0 is not.
  Eigen::Matrix3Xi triangles(3, 14);
  triangles.leftCols<12>() = cube.triangles;
  triangles.col(1) << 0, 3, middle;
  triangles.col(12) << middle, 3, 1;
  triangles.col(13) << 0, middle, 1;
  if (turn_seal) triangles.col(13).reverseInPlace();
  return make_surface_mesh(cube.vertices, triangles);
}

TEST(RepairSurface, LeavesACleanSurfaceAsItIs) {
  const SurfaceMesh sphere = test::icosphere(2);
  const RepairedSurface repaired = repair_surface(sphere, "test");
  EXPECT_EQ(repaired.surface.triangles, sphere.triangles);
  EXPECT_EQ(repaired.surface.vertices, sphere.vertices);
  EXPECT_TRUE(repaired.defects.none());
  EXPECT_TRUE(describe(repaired.defects).empty());
  EXPECT_EQ(repaired.defects.components, 1);
}

TEST(RepairSurface, MergesVertices) {
  const Damaged damaged = damage(test::icosphere(2), {.unshare = true}, 1);
  const RepairedSurface repaired = repair_surface(damaged.surface, "test");
  EXPECT_EQ(repaired.defects.duplicate_vertices, damaged.expected.duplicate_vertices);
  EXPECT_TRUE(repaired.defects.closed);
  EXPECT_FALSE(repaired.defects.none());
  EXPECT_EQ(repaired.surface.vertex_count(), 162);
}

TEST(RepairSurface, RemovesUnusedVertices) {
  const RepairedSurface repaired =
      repair_surface(damage(test::icosphere(1), {.unused = 3}, 1).surface, "test");
  EXPECT_EQ(repaired.defects.unused_vertices, 3);
  EXPECT_EQ(repaired.surface.vertex_count(), 42);
}

TEST(RepairSurface, TurnsTrianglesBack) {
  const SurfaceMesh sphere = test::icosphere(3);
  const Damaged damaged = damage(sphere, {.flipped = 0.1}, 2);
  const RepairedSurface repaired = repair_surface(damaged.surface, "test");
  EXPECT_GT(damaged.expected.flipped_triangles, 80);
  EXPECT_EQ(repaired.defects.flipped_triangles, damaged.expected.flipped_triangles);
  EXPECT_NEAR(enclosed_volume(repaired.surface), enclosed_volume(sphere), 1e-12);
}

TEST(RepairSurface, RemovesDuplicatesTurnedEitherWay) {
  const SurfaceMesh sphere = test::icosphere(3);
  const Damaged damaged = damage(sphere, {.duplicated = 0.05}, 3);
  const RepairedSurface repaired = repair_surface(damaged.surface, "test");
  EXPECT_GT(damaged.expected.duplicate_triangles, 40);
  EXPECT_EQ(repaired.defects.duplicate_triangles, damaged.expected.duplicate_triangles);
  EXPECT_EQ(repaired.surface.triangles, sphere.triangles);
}

TEST(RepairSurface, RemovesTrianglesWithoutArea) {
  SurfaceMesh surface = damage(test::icosphere(2), {.degenerate = 7}, 4).surface;
  EXPECT_EQ(defects_of(surface).degenerate_triangles, 7);
  // Three vertices in a line are no better than two.
  surface.vertices.conservativeResize(3, surface.vertex_count() + 1);
  surface.vertices.rightCols<1>() = 0.5 * (surface.vertices.col(0) + surface.vertices.col(1));
  surface.triangles.rightCols<1>() << 0, 1, static_cast<int>(surface.vertex_count()) - 1;
  EXPECT_EQ(defects_of(surface).degenerate_triangles, 7);
  EXPECT_TRUE(defects_of(surface).closed);
}

TEST(RepairSurface, RemovesTheWallBetweenTwoCubes) {
  const RepairedSurface repaired = repair_surface(glued_cubes({2, 1, 1}), "test");
  EXPECT_EQ(repaired.defects.wall_triangles, 4);
  EXPECT_EQ(repaired.defects.duplicate_triangles, 0);
  EXPECT_EQ(repaired.defects.nonmanifold_edges, 0);
  EXPECT_TRUE(repaired.defects.closed);
  EXPECT_EQ(repaired.surface.triangle_count(), 20);
  EXPECT_NEAR(enclosed_volume(repaired.surface), 2.0, 1e-14);
  EXPECT_LT(winding_error(repaired.surface, {2, 1, 1}), 1e-12);
}

TEST(RepairSurface, RemovesTheWallToACubeThatIsInsideOut) {
  const SurfaceMesh cube = test::box_surface({0, 0, 0}, {1, 1, 1});
  const SurfaceMesh turned = test::turned_inside_out(test::moved(cube, {1, 0, 0}));
  const RepairedSurface repaired = repair_surface(test::joined(cube, turned), "test");
  EXPECT_EQ(repaired.defects.wall_triangles, 4);
  EXPECT_TRUE(repaired.defects.closed);
  EXPECT_LT(winding_error(repaired.surface, {2, 1, 1}), 1e-12);
}

TEST(RepairSurface, RemovesTheWallsBetweenManyCubes) {
  const RepairedSurface repaired = repair_surface(glued_cubes({3, 3, 3}), "test");
  EXPECT_EQ(repaired.defects.wall_triangles, 54 * 4);
  EXPECT_EQ(repaired.defects.duplicate_triangles, 0);
  EXPECT_TRUE(repaired.defects.closed);
  EXPECT_EQ(repaired.defects.components, 1);
  EXPECT_EQ(repaired.surface.triangle_count(), 54 * 2);
  EXPECT_NEAR(enclosed_volume(repaired.surface), 27.0, 1e-12);
  EXPECT_LT(winding_error(repaired.surface, {3, 3, 3}), 1e-12);
}

TEST(RepairSurface, RemovesTheWallsAtTheInnerEdgesOfACross) {
  // Six cubes on the faces of a seventh: at its edges two walls and two outer faces meet.
  SurfaceMesh cross = test::box_surface({0, 0, 0}, {1, 1, 1});
  std::vector<BoundingBox> boxes{{Vector3::Zero(), Vector3::Ones()}};
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const Vector3 min = side * Vector3::Unit(axis);
      boxes.push_back({min, min + Vector3::Ones()});
      cross = test::joined(cross, test::box_surface(boxes.back().min, boxes.back().max));
    }
  }
  const RepairedSurface repaired = repair_surface(cross, "test");
  EXPECT_EQ(repaired.defects.wall_triangles, 24);
  EXPECT_TRUE(repaired.defects.closed);
  EXPECT_LT(winding_error(repaired.surface, boxes), 1e-12);
}

TEST(RepairSurface, KeepsOneSideOfASphereGivenFromBoth) {
  const SurfaceMesh sphere = test::icosphere(3);
  for (const bool inward_first : {false, true}) {
    const SurfaceMesh inward = test::turned_inside_out(sphere);
    const RepairedSurface repaired =
        repair_surface(inward_first ? test::joined(inward, sphere) : test::joined(sphere, inward), "test");
    EXPECT_EQ(repaired.defects.duplicate_triangles, sphere.triangle_count());
    EXPECT_EQ(repaired.defects.wall_triangles, 0);
    EXPECT_TRUE(repaired.defects.closed);
    EXPECT_NEAR(enclosed_volume(repaired.surface), enclosed_volume(sphere), 1e-12);
  }
}

TEST(RepairSurface, KeepsACubeGivenFromBothSidesThatTouchesAnother) {
  const SurfaceMesh cube = test::box_surface({0, 0, 0}, {1, 1, 1});
  const SurfaceMesh touching = test::moved(cube, {1, 1, 0});
  const SurfaceMesh all = test::joined(test::joined(cube, test::turned_inside_out(cube)), touching);
  const RepairedSurface repaired = repair_surface(all, "test");
  EXPECT_EQ(repaired.defects.duplicate_triangles, 12);
  EXPECT_EQ(repaired.defects.wall_triangles, 0);
  EXPECT_NEAR(enclosed_volume(repaired.surface), 2.0, 1e-14);
}

TEST(RepairSurface, FindsTwoCubesThatTouchAlongAnEdgeClosed) {
  const SurfaceMesh cube = test::box_surface({0, 0, 0}, {1, 1, 1});
  const std::vector<BoundingBox> boxes{{{0, 0, 0}, {1, 1, 1}}, {{1, 1, 0}, {2, 2, 1}}};
  const SurfaceMesh touching = test::moved(cube, {1, 1, 0});
  for (const bool turned : {false, true}) {
    const RepairedSurface repaired =
        repair_surface(test::joined(cube, turned ? test::turned_inside_out(touching) : touching), "test");
    EXPECT_EQ(repaired.defects.nonmanifold_edges, 1);
    EXPECT_EQ(repaired.defects.boundary_edges, 0);
    EXPECT_EQ(repaired.defects.flipped_triangles, turned ? 12 : 0);
    EXPECT_TRUE(repaired.defects.closed);
    EXPECT_TRUE(SurfaceQuery(repaired.surface).closed());
    EXPECT_LT(winding_error(repaired.surface, boxes), 1e-12);
  }
}

TEST(RepairSurface, KeepsATriangleOnALineThatSealsTheSurface) {
  for (const bool turned : {false, true}) {
    const RepairedSurface repaired = repair_surface(sealed_cube(turned), "test");
    EXPECT_EQ(repaired.defects.degenerate_triangles, 1);
    EXPECT_EQ(repaired.defects.flipped_triangles, turned ? 1 : 0);
    EXPECT_EQ(repaired.surface.triangle_count(), 14);
    EXPECT_TRUE(repaired.defects.closed);
    EXPECT_LT(winding_error(repaired.surface, {1, 1, 1}), 1e-12);
  }
}

TEST(RepairSurface, RemovesATriangleOnALineBesideOneThatSeals) {
  SurfaceMesh cube = sealed_cube(false);
  cube.vertices.conservativeResize(3, 10);
  cube.vertices.col(9) = 0.25 * cube.vertices.col(0) + 0.75 * cube.vertices.col(1);
  cube.triangles.conservativeResize(3, 15);
  cube.triangles.col(14) << 0, 1, 9;
  cube.part.push_back(0);
  const RepairedSurface repaired = repair_surface(cube, "test");
  EXPECT_EQ(repaired.defects.degenerate_triangles, 2);
  EXPECT_EQ(repaired.surface.triangle_count(), 14);
  EXPECT_TRUE(repaired.defects.closed);
}

TEST(RepairSurface, CountsHolesAndTheirEdges) {
  const SurfaceMesh sphere = test::icosphere(2);
  const SurfaceDefects defects = defects_of(test::without(sphere, [](int t) { return t == 0 || t == 200; }));
  EXPECT_EQ(defects.boundary_edges, 6);
  EXPECT_EQ(defects.holes, 2);
  EXPECT_FALSE(defects.closed);
}

TEST(RepairSurface, CountsNonManifoldEdgesAndPieces) {
  SurfaceMesh surface = test::joined(test::icosphere(1), test::moved(test::icosphere(1), {3, 0, 0}));
  EXPECT_EQ(defects_of(surface).components, 2);
  // A fin on an edge.
  surface.vertices.conservativeResize(3, surface.vertex_count() + 1);
  surface.vertices.rightCols<1>() = 2.0 * surface.vertices.col(surface.triangles(0, 0));
  surface.triangles.conservativeResize(3, surface.triangle_count() + 1);
  surface.triangles.rightCols<1>() << surface.triangles(0, 0), surface.triangles(1, 0),
      static_cast<int>(surface.vertex_count()) - 1;
  surface.part.push_back(0);
  const SurfaceDefects defects = defects_of(surface);
  EXPECT_EQ(defects.nonmanifold_edges, 1);
  EXPECT_EQ(defects.boundary_edges, 2);
  EXPECT_EQ(defects.components, 2);
  EXPECT_FALSE(defects.closed);
}

TEST(RepairSurface, CopesWithAllDefectsTogether) {
  const Damage how{
      .unshare = true, .flipped = 0.1, .duplicated = 0.05, .removed = 0.02, .degenerate = 20, .unused = 5};
  for (const std::uint64_t seed : {5, 6, 7, 8}) {
    const Damaged damaged = damage(test::icosphere(4), how, seed);
    const RepairedSurface repaired = repair_surface(damaged.surface, "test");
    EXPECT_EQ(repaired.defects.duplicate_triangles, damaged.expected.duplicate_triangles);
    EXPECT_EQ(repaired.defects.degenerate_triangles, damaged.expected.degenerate_triangles);
    EXPECT_EQ(repaired.defects.duplicate_vertices, damaged.expected.duplicate_vertices);
    EXPECT_EQ(repaired.defects.unused_vertices, damaged.expected.unused_vertices);
    EXPECT_EQ(repaired.defects.flipped_triangles, damaged.expected.flipped_triangles);
    EXPECT_GT(repaired.defects.holes, 50);
    EXPECT_GT(right_share(repaired.surface, 0.1), 0.999);
  }
}

TEST(RepairSurface, IsNeededForAllDefectsTogether) {
  // The same soup as it came: otherwise the test above would show nothing.
  const Damaged damaged = damage(test::icosphere(4), {.flipped = 0.3, .duplicated = 0.3}, 5);
  EXPECT_LT(right_share(damaged.surface, 0.1), 0.9);
}

TEST(RepairSurface, TurnsABodyThatIsInsideOut) {
  const SurfaceMesh sphere = test::icosphere(2);
  const RepairedSurface repaired = repair_surface(test::turned_inside_out(sphere), "test");
  EXPECT_EQ(repaired.defects.flipped_triangles, sphere.triangle_count());
  EXPECT_NEAR(enclosed_volume(repaired.surface), enclosed_volume(sphere), 1e-14);
}

TEST(RepairSurface, TurnsTheOneOfTwoBodiesThatIsInsideOut) {
  const SurfaceMesh left = test::icosphere(2);
  const SurfaceMesh right = test::moved(test::icosphere(2, 1.5), {4, 0, 0});
  for (const bool larger : {false, true}) {
    const SurfaceMesh both = larger ? test::joined(left, test::turned_inside_out(right))
                                    : test::joined(test::turned_inside_out(left), right);
    const RepairedSurface repaired = repair_surface(both, "test");
    EXPECT_EQ(repaired.defects.flipped_triangles, left.triangle_count());
    EXPECT_NEAR(enclosed_volume(repaired.surface), enclosed_volume(left) + enclosed_volume(right), 1e-12);
  }
}

TEST(RepairSurface, KeepsACavity) {
  const SurfaceMesh hollow =
      test::joined(test::icosphere(3), test::turned_inside_out(test::icosphere(2, 0.5)));
  const RepairedSurface repaired = repair_surface(hollow, "test");
  EXPECT_EQ(repaired.defects.flipped_triangles, 0);
  // Inside out as a whole it is turned as a whole.
  const RepairedSurface turned = repair_surface(test::turned_inside_out(hollow), "test");
  EXPECT_EQ(turned.defects.flipped_triangles, hollow.triangle_count());
  EXPECT_NEAR(enclosed_volume(turned.surface), enclosed_volume(hollow), 1e-12);
}

TEST(RepairSurface, TurnsAHollowBodyTogetherWithItsCavity) {
  const SurfaceMesh hollow =
      test::joined(test::icosphere(3), test::turned_inside_out(test::icosphere(2, 0.5)));
  const SurfaceMesh other = test::moved(test::icosphere(2, 3.0), {5, 0, 0});
  const RepairedSurface repaired =
      repair_surface(test::joined(test::turned_inside_out(hollow), other), "test");
  EXPECT_EQ(repaired.defects.flipped_triangles, hollow.triangle_count());
  EXPECT_NEAR(enclosed_volume(repaired.surface), enclosed_volume(hollow) + enclosed_volume(other), 1e-12);
}

TEST(RepairSurface, KeepsASolidInTheCavityOfABodyThatIsTurned) {
  const SurfaceMesh hollow =
      test::joined(test::icosphere(3), test::turned_inside_out(test::icosphere(2, 0.5)));
  const SurfaceMesh core = test::icosphere(1, 0.2);
  const SurfaceMesh other = test::joined(core, test::moved(test::icosphere(2, 3.0), {5, 0, 0}));
  const RepairedSurface repaired =
      repair_surface(test::joined(test::turned_inside_out(hollow), other), "test");
  EXPECT_EQ(repaired.defects.flipped_triangles, hollow.triangle_count());
  EXPECT_NEAR(enclosed_volume(repaired.surface), enclosed_volume(hollow) + enclosed_volume(other), 1e-12);
}

TEST(RepairSurface, KeepsASolidInsideOfAnother) {
  const SurfaceMesh nested = test::joined(test::icosphere(3), test::icosphere(2, 0.5));
  EXPECT_EQ(defects_of(nested).flipped_triangles, 0);
}

TEST(RepairSurface, TurnsAnOpenBodyThatIsInsideOut) {
  const SurfaceMesh sphere = test::icosphere(3);
  const SurfaceMesh open =
      test::without(sphere, [&](int t) { return sphere.vertices(2, sphere.triangles(0, t)) > 0.3; });
  EXPECT_EQ(defects_of(open).flipped_triangles, 0);
  EXPECT_EQ(defects_of(test::turned_inside_out(open)).flipped_triangles, open.triangle_count());
}

TEST(RepairSurface, TurnsTheLidOfABox) {
  // The two triangles of the top are connected to nothing else.
  SurfaceMesh box = test::box_surface({0, 0, 0}, {1, 1, 0.5});
  SurfaceMesh lid = test::without(box, [](int t) { return t != 2 && t != 3; });
  const SurfaceMesh rest = test::without(box, [](int t) { return t == 2 || t == 3; });
  lid.vertices = (0.98 * (lid.vertices.array() - 0.5) + 0.5).matrix();
  EXPECT_EQ(defects_of(test::joined(rest, lid)).flipped_triangles, 0);
  EXPECT_EQ(defects_of(test::joined(rest, test::turned_inside_out(lid))).flipped_triangles, 2);
}

TEST(RepairSurface, KeepsTheInsideOfABowlThatIsNotSewnToItsOutside) {
  const auto half = [](double radius) {
    const SurfaceMesh sphere = test::icosphere(3, radius);
    return test::without(sphere, [&](int t) {
      return (sphere.vertices(2, sphere.triangles(0, t)) + sphere.vertices(2, sphere.triangles(1, t)) +
              sphere.vertices(2, sphere.triangles(2, t))) > 0.0;
    });
  };
  const SurfaceMesh bowl = test::joined(half(1.0), test::turned_inside_out(half(0.95)));
  EXPECT_EQ(defects_of(bowl).flipped_triangles, 0);
}

TEST(RepairSurface, KeepsTheParts) {
  SurfaceMesh surface = damage(test::icosphere(1), {.degenerate = 2}, 9).surface;
  surface.parts = {"a", "b"};
  surface.part.assign(82, 0);
  surface.part[0] = surface.part[79] = 1;
  const RepairedSurface repaired = repair_surface(surface, "test");
  EXPECT_EQ(repaired.surface.parts, surface.parts);
  EXPECT_EQ(repaired.surface.part.size(), 80u);
  EXPECT_EQ(repaired.surface.part[79], 1);
}

TEST(RepairSurface, RefusesWhatEnclosesNothing) {
  EXPECT_TRUE(contains(error_text([] { repair_surface(SurfaceMesh{}, "a.stl"); }),
                       "a.stl: the surface has no triangles"));
  SurfaceMesh line = test::icosphere(0);
  line.vertices.bottomRows<2>().setZero();
  EXPECT_EQ(error_text([&] { repair_surface(line, "a.stl"); }),
            "a.stl: none of its 20 triangles has an area; it encloses no volume");
  SurfaceMesh invalid = test::icosphere(0);
  invalid.vertices(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_text([&] { repair_surface(invalid, "a.stl"); }), "expected finite numbers"));
}

TEST(RepairSurface, RefusesAFlatSurfaceInAnyDirection) {
  Matrix3X corners(3, 4);
  corners << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  Eigen::Matrix3Xi triangles(3, 2);
  triangles << 0, 0, 1, 2, 2, 3;
  const Matrix3 turn = Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  for (const Matrix3& rotation : {Matrix3(Matrix3::Identity()), turn}) {
    const SurfaceMesh square = make_surface_mesh(rotation * corners, triangles);
    EXPECT_EQ(error_text([&] { repair_surface(square, "a.stl"); }),
              "a.stl: the surface is flat: all its vertices lie in one plane; it encloses no volume");
  }
}

TEST(SurfaceDefects, AreDescribedInWords) {
  SurfaceDefects defects;
  defects.duplicate_vertices = 1;
  defects.degenerate_triangles = 2;
  defects.wall_triangles = 12;
  defects.flipped_triangles = 12;
  defects.boundary_edges = 6;
  defects.holes = 2;
  EXPECT_EQ(describe(defects),
            (std::vector<std::string>{"1 vertex at the position of another one", "2 triangles without area",
                                      "12 triangles of walls between touching pieces",
                                      "12 triangles that faced inward", "6 open edges along 2 holes"}));
}

}  // namespace
}  // namespace limber::surface_repair_test
