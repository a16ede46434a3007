#include "limber/draw/camera.hpp"

#include "limber/base/random.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/draw/support.hpp"

namespace limber::camera_test {
namespace {

using test::error_text;

Matrix3X random_points(std::uint64_t seed) {
  Random random(seed);
  Matrix3X points(3, 50);
  for (double& x : points.reshaped()) x = random.uniform(-1.0, 1.0);
  points.row(0) *= 3.0;
  points.colwise() += Vector3(100.0, -20.0, 5.0);
  return points;
}

TEST(Camera, FramesAllPointsTightly) {
  const Viewport viewport{50, 20, 640, 400};
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    View view;
    view.direction = Vector3(random.normal(), random.normal(), random.normal());
    view.field_of_view = round % 2 == 0 ? 0.0 : random.uniform(5.0, 80.0);
    const Matrix3X points = random_points(static_cast<std::uint64_t>(round));
    const Camera camera(view, points, viewport);
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    for (const auto& point : points.colwise()) {
      const ScreenPoint seen = camera.project(point);
      ASSERT_GT(seen.weight, 0.0);
      left = std::min(left, seen.x);
      right = std::max(right, seen.x);
      top = std::min(top, seen.y);
      bottom = std::max(bottom, seen.y);
    }
    EXPECT_GE(left, 50.0 - 1e-6);
    EXPECT_LE(right, 690.0 + 1e-6);
    EXPECT_GE(top, 20.0 - 1e-6);
    EXPECT_LE(bottom, 420.0 + 1e-6);
    const bool fills_width = left < 50.0 + 1e-6 && right > 690.0 - 1e-6;
    const bool fills_height = top < 20.0 + 1e-6 && bottom > 420.0 - 1e-6;
    EXPECT_TRUE(fills_width || fills_height) << left << " " << right << " " << top << " " << bottom;
  }
}

TEST(Camera, ContainsTheBeamWithItsColourBarAndTitle) {
  const VolumeMesh mesh = make_beam();
  std::vector<Shape> shapes{make_shape(mesh)};
  shapes[0].values = mesh.vertices.row(0).transpose();
  RenderOptions options;
  options.title = "Beam";
  const Camera camera = frame_shapes(shapes, options);
  const double strip = color_bar_width({{0.0, 1.0}, ""}, options.height);
  for (const auto& point : mesh.vertices.colwise()) {
    const ScreenPoint seen = camera.project(point);
    EXPECT_GE(seen.x, 60.0 - 1e-6);
    EXPECT_LE(seen.x, 1600.0 - 60.0 - strip + 1e-6);
    EXPECT_GE(seen.y, 60.0 - 1e-6);
    EXPECT_LE(seen.y, 1000.0 - 60.0 + 1e-6);
  }
}

TEST(Camera, SeesUpUprightAndNearnessTowardsItself) {
  for (const double angle : {0.0, 40.0}) {
    View view;
    view.direction = {0.0, 1.0, 0.0};
    view.field_of_view = angle;
    const Camera camera(view, random_points(1), {0, 0, 100, 100});
    const Vector3 centre(100.0, -20.0, 5.0);
    const ScreenPoint middle = camera.project(centre);
    EXPECT_LT(camera.project(centre + Vector3(0, 0, 0.1)).y, middle.y);
    EXPECT_GT(camera.project(centre + Vector3(0.1, 0, 0)).x, middle.x);
    EXPECT_GT(camera.project(centre - Vector3(0, 0.1, 0)).nearness, middle.nearness);
  }
}

TEST(Camera, LinesOfSightMeetThePlaneWhereItsPointsAreSeen) {
  for (const double angle : {0.0, 40.0}) {
    View view;
    view.field_of_view = angle;
    const Camera camera(view, random_points(2), {0, 0, 300, 200});
    const Vector3 point(99.0, -20.5, 3.5);
    const ScreenPoint seen = camera.project(point);
    const auto found = camera.intersect_plane(seen.x, seen.y, Vector3::UnitZ(), 3.5);
    ASSERT_TRUE(found.has_value());
    EXPECT_LT((*found - point).norm(), 1e-9);
  }
}

TEST(Camera, LooksStraightDown) {
  View view;
  view.direction = {0.0, 0.0, -1.0};
  const Camera camera(view, random_points(3), {0, 0, 100, 100});
  EXPECT_LT((camera.axes() * camera.axes().transpose() - Matrix3::Identity()).norm(), 1e-14);
  EXPECT_TRUE(std::isfinite(camera.project(Vector3(100, -20, 5)).x));
}

TEST(Camera, RefusesAViewWithoutDirection) {
  View view;
  view.direction.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(test::contains(error_text([&] { Camera(view, {}, {}); }), "expected two finite vectors"));
}

}  // namespace
}  // namespace limber::camera_test
