#include "limber/draw/render.hpp"

#include "limber/mesh/beam.hpp"
#include "tests/draw/support.hpp"

#include <limits>

namespace limber::render_test {
namespace {

using test::contains;
using test::differing_pixels;
using test::error_text;
using test::pixel_of;
using test::plan_view;
using test::square;

const Color red{0.9, 0.1, 0.1};
const Color green{0.1, 0.8, 0.1};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool is_reddish(const Eigen::Vector3i& p) { return p.x() > 100 && p.y() < 80 && p.z() < 80; }
bool is_greenish(const Eigen::Vector3i& p) { return p.y() > 100 && p.x() < 80 && p.z() < 80; }

std::vector<Shape> beam_scene(ElementKind kind) {
  const VolumeMesh mesh = make_beam({.kind = kind, .cells = {6, 2, 2}});
  Shape rest = make_shape(mesh);
  rest.opacity = 0.3;
  Matrix3X u = Matrix3X::Zero(3, mesh.vertex_count());
  u.row(2) = 0.3 * mesh.vertices.row(0).array().square();
  Shape bent = make_shape(mesh, u);
  bent.values = u.colwise().norm().transpose();
  return {rest, bent};
}

RenderOptions small_picture() {
  RenderOptions options;
  options.width = 160;
  options.height = 100;
  return options;
}

TEST(Render, ShowsTheBackgroundWhereNothingIsDrawn) {
  const RenderOptions options = plan_view();
  const Image image = render({}, options);
  ASSERT_EQ(image.rgb.size(), 3u * 90 * 90);
  for (int y = 0; y < image.height; ++y) {
    const double t = (y + 0.5) / image.height;
    const Color expected = (1.0 - t) * options.background_top + t * options.background_bottom;
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < 3; ++c)
        ASSERT_NEAR(image.pixel(x, y)[c], 255.0 * expected(c), 1.0) << x << ", " << y;
    }
  }
}

TEST(Render, CoversThePixelsOfATriangle) {
  Shape triangle;
  triangle.vertices = Matrix3{{-0.5, 0.5, -0.5}, {-0.5, -0.5, 0.5}, {0.0, 0.0, 0.0}};
  triangle.triangles.resize(3, 1);
  triangle.triangles << 0, 1, 2;
  triangle.color = red;
  triangle.edges = false;
  const RenderOptions options = plan_view();
  const Image image = render({&triangle, 1}, options);
  const Image background = render({}, options);
  for (int j = 0; j < image.height; ++j) {
    for (int i = 0; i < image.width; ++i) {
      const double x = (i + 0.5) / 45.0 - 1.0;
      const double y = 1.0 - (j + 0.5) / 45.0;
      const double inside = std::min({x + 0.5, y + 0.5, -(x + y) / std::sqrt(2.0)});  // distance to the sides
      if (std::abs(inside) < 0.02) continue;                                          // a pixel of the rim
      const bool expected = inside > 0.0;
      ASSERT_EQ(is_reddish(pixel_of(image, i, j)), expected) << i << ", " << j;
      ASSERT_EQ(pixel_of(image, i, j) != pixel_of(background, i, j), expected) << i << ", " << j;
    }
  }
}

TEST(Render, SmoothsTheRimOfAShapeByItsCoverage) {
  const Image image = render({}, plan_view());
  std::vector<Shape> shapes{
      square(1.0 / 3.0 + 1.0 / 135.0, 0.0, Color::Zero())};  // a third of a pixel beyond 30
  const Image covered = render(shapes, plan_view());
  const Color background = srgb_to_linear(pixel_of(image, 29, 45).cast<double>() / 255.0);
  const Color inside = srgb_to_linear(pixel_of(covered, 45, 45).cast<double>() / 255.0);
  const Color expected = 255.0 * linear_to_srgb(2.0 / 3.0 * background + 1.0 / 3.0 * inside);
  EXPECT_NEAR(covered.pixel(29, 45)[1], expected.y(), 2.0);
}

TEST(Render, LeavesNoGapBetweenTriangles) {
  std::vector<Shape> shapes{square(0.9, 0.0, red)};
  const Image image = render(shapes, plan_view(333));
  for (int y = 20; y < 313; ++y) {
    for (int x = 20; x < 313; ++x)
      ASSERT_EQ(pixel_of(image, x, y), pixel_of(image, 20, 20)) << x << ", " << y;
  }
}

TEST(Render, NearerHidesFartherInAnyOrder) {
  std::vector<Shape> shapes{square(0.8, 0.0, red), square(0.4, 0.5, green)};
  const Image image = render(shapes, plan_view());
  EXPECT_TRUE(is_greenish(pixel_of(image, 45, 45)));
  EXPECT_TRUE(is_reddish(pixel_of(image, 12, 45)));
  std::swap(shapes[0], shapes[1]);
  EXPECT_EQ(render(shapes, plan_view()), image);
}

TEST(Render, AShapeBehindAnotherIsNotSeen) {
  std::vector<Shape> shapes{square(0.8, 0.0, red), square(0.4, -0.5, green)};
  EXPECT_TRUE(is_reddish(pixel_of(render(shapes, plan_view()), 45, 45)));
}

TEST(Render, IntersectingShapesHideEachOtherInPart) {
  Shape slope = square(0.8, 0.0, green);
  slope.vertices.row(2) = 0.5 * slope.vertices.row(0);
  std::vector<Shape> shapes{square(0.8, 0.0, red), slope};
  const Image image = render(shapes, plan_view());
  EXPECT_TRUE(is_reddish(pixel_of(image, 20, 45)));
  EXPECT_TRUE(is_greenish(pixel_of(image, 70, 45)));
}

TEST(Render, AGhostLetsShineThroughWhatIsBehind) {
  Shape ghost = square(0.4, 0.5, green);
  ghost.opacity = 0.4;
  std::vector<Shape> shapes{ghost, square(0.8, 0.0, red)};
  const Image image = render(shapes, plan_view());
  const Image without = render({&shapes[1], 1}, plan_view());
  const Eigen::Vector3i mixed = pixel_of(image, 45, 45);
  EXPECT_GT(mixed.y(), pixel_of(without, 45, 45).y() + 30);
  EXPECT_LT(mixed.x(), pixel_of(without, 45, 45).x());
  EXPECT_GT(mixed.x(), 100);
  EXPECT_EQ(pixel_of(image, 12, 45), pixel_of(without, 12, 45));
}

TEST(Render, AGhostStaysBesideOpaqueShapesWhereAsked) {
  Shape ghost = square(0.4, 0.5, green);
  ghost.opacity = 0.4;
  std::vector<Shape> shapes{square(0.8, 0.0, red), ghost};
  RenderOptions options = plan_view();
  options.ghosts_in_front = false;
  EXPECT_EQ(render(shapes, options), render({shapes.data(), 1}, options));
}

TEST(Render, AGhostBehindAShapeIsHidden) {
  Shape ghost = square(0.4, -0.5, green);
  ghost.opacity = 0.4;
  std::vector<Shape> shapes{square(0.8, 0.0, red), ghost};
  EXPECT_EQ(render(shapes, plan_view()), render({shapes.data(), 1}, plan_view()));
}

TEST(Render, ShapesWithoutOpacityAreNotDrawn) {
  Shape shape = square(0.4, 0.0, green);
  shape.opacity = 0.0;
  EXPECT_EQ(render({&shape, 1}, plan_view()), render({}, plan_view()));
}

TEST(Render, BothSidesOfASurfaceAreDrawn) {
  Shape shape = square(0.8, 0.0, red);
  const Image front = render({&shape, 1}, plan_view());
  shape.triangles.row(0).swap(shape.triangles.row(1));
  EXPECT_EQ(render({&shape, 1}, plan_view()), front);
}

TEST(Render, IsDeterministicWhateverTheThreads) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const std::vector<Shape> shapes = beam_scene(kind);
    RenderOptions options = small_picture();
    const Image image = render(shapes, options);
    EXPECT_EQ(render(shapes, options), image);
    options.executor = Executor(3);
    EXPECT_EQ(render(shapes, options), image);
  }
}

TEST(Render, ColoursByValueWithTheEndsOfTheMap) {
  Shape low = square(0.8, 0.0, red);
  low.values = Vector::Constant(4, -5.0);  // below the range: its lowest colour
  RenderOptions options = plan_view();
  options.color_bar = false;
  options.range = ValueRange{0.0, 1.0};
  const Eigen::Vector3i purple = pixel_of(render({&low, 1}, options), 45, 45);
  EXPECT_GT(purple.z(), 2 * purple.y());
  low.values.setConstant(7.0);
  const Eigen::Vector3i yellow = pixel_of(render({&low, 1}, options), 45, 45);
  EXPECT_GT(yellow.x(), 150);
  EXPECT_GT(yellow.y(), 3 * yellow.z());
}

TEST(Render, ValuesThatAreNotFiniteShowTheColourOfTheShape) {
  Shape shape = square(0.8, 0.0, red);
  const Image plain = render({&shape, 1}, plan_view());
  shape.values = Vector::Constant(4, nan);
  EXPECT_EQ(render({&shape, 1}, plan_view()), plain);
}

TEST(Render, EdgesDarkenTheirPixelsButNotTheDiagonalOfABrick) {
  const VolumeMesh mesh =
      make_beam({.kind = ElementKind::brick, .size = {1.6, 1.6, 0.2}, .cells = {1, 1, 1}});
  Shape shape = make_shape(mesh);
  shape.vertices.row(0).array() -= 0.8;
  shape.color = red;
  RenderOptions options = plan_view();
  options.line_width = 30.0;  // 2.7 pixels
  const auto brightness = [&](int x, int y) { return pixel_of(render({&shape, 1}, options), x, y).x(); };
  const int plain = brightness(45, 30);
  EXPECT_LT(brightness(45, 9), plain - 20);  // the rim, y = 0.8
  EXPECT_EQ(brightness(45, 45), plain);      // the middle of both diagonals
  shape.edge_list.reset();                   // now all sides of triangles are edges
  EXPECT_LT(brightness(45, 45), plain - 20);
  shape.edges = false;
  EXPECT_EQ(brightness(45, 9), plain);
}

TEST(Render, CastsASoftShadowOnTheGround) {
  Shape shape = square(0.3, 0.2, red);
  std::vector<Shape> shapes{shape};
  shapes[0].triangles.row(0).swap(shapes[0].triangles.row(1));  // seen from the ground
  RenderOptions options = small_picture();
  options.ground = 0.0;
  options.frame = BoundingBox{Vector3(-1, -1, 0), Vector3(1, 1, 1)};
  const Camera camera = frame_shapes(shapes, options);
  const ScreenPoint beside = camera.project(Vector3(0.0, -0.45, 0.0));
  const Image shaded = render(shapes, options);
  options.shadow = false;
  const Image plain = render(shapes, options);
  const int x = static_cast<int>(beside.x);
  const int y = static_cast<int>(beside.y);
  EXPECT_LT(pixel_of(shaded, x, y).x(), pixel_of(plain, x, y).x() - 5);
  EXPECT_EQ(pixel_of(shaded, 1, 1), pixel_of(plain, 1, 1));
}

TEST(Render, SkipsTrianglesThatCannotBeDrawn) {
  std::vector<Shape> shapes{square(0.8, 0.0, red)};
  const Image image = render(shapes, plan_view());
  Shape broken = square(0.4, 0.5, green);
  broken.vertices(0, 1) = nan;
  broken.vertices(0, 3) = std::numeric_limits<double>::infinity();
  shapes.push_back(broken);
  Shape flat = square(0.4, 0.5, green);
  flat.vertices.setZero();
  shapes.push_back(flat);
  Shape empty;
  shapes.push_back(empty);
  Shape huge = square(1e300, 0.5, green);
  shapes.push_back(huge);
  RenderOptions options = plan_view();
  EXPECT_EQ(render(shapes, options), image);
  options.frame.reset();
  options.shadow = true;
  options.view = View{};
  EXPECT_NO_THROW(render(shapes, options));
}

TEST(Render, SurvivesScenesWithNothingToFrame) {
  Shape point = square(0.0, 0.0, red);
  Shape broken = square(1.0, nan, red);
  broken.values = Vector::Constant(4, nan);
  for (const Shape& shape : {point, broken, Shape{}}) {
    for (const double angle : {0.0, 30.0}) {
      RenderOptions options = small_picture();
      options.view.field_of_view = angle;
      EXPECT_EQ(differing_pixels(render({&shape, 1}, options), render({}, options)), 0);
    }
  }
}

TEST(Render, SurvivesBodiesThatReachBehindTheCamera) {
  RenderOptions options = small_picture();
  options.frame = BoundingBox{Vector3(-0.01, -0.01, -0.01), Vector3(0.01, 0.01, 0.01)};
  EXPECT_NO_THROW(render(beam_scene(ElementKind::brick), options));
}

TEST(Render, SurvivesTinyAndHugeBodiesAndPictures) {
  for (const double unit : {1e-12, 1e12}) {
    std::vector<Shape> shapes = beam_scene(ElementKind::tetrahedron);
    for (Shape& shape : shapes) shape.vertices *= unit;
    const Image image = render(shapes, small_picture());
    EXPECT_GT(differing_pixels(image, render({}, small_picture())), 500);
  }
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{1, 1}, {1, 50}, {200, 3}}) {
    RenderOptions options;
    options.width = width;
    options.height = height;
    options.title = "title";
    EXPECT_EQ(render(beam_scene(ElementKind::brick), options).rgb.size(), 3u * width * height);
  }
}

TEST(Render, RefusesOptionsThatMakeNoSense) {
  const auto refusal = [](const auto& change) {
    RenderOptions options;
    change(options);
    return error_text([&] { render({}, options); });
  };
  EXPECT_EQ(refusal([](RenderOptions& o) { o.width = 0; }),
            "picture of 0 x 1000 pixels, expected 1 to 16384 each");
  EXPECT_TRUE(contains(refusal([](RenderOptions& o) { o.height = 1 << 20; }), "expected 1 to 16384 each"));
  EXPECT_TRUE(contains(refusal([](RenderOptions& o) { o.margin = 0.5; }), "margin of 0.5"));
  EXPECT_TRUE(contains(refusal([](RenderOptions& o) { o.line_width = nan; }), "line width nan"));
  EXPECT_TRUE(contains(refusal([](RenderOptions& o) { o.crease_angle = -1; }), "crease angle of -1"));
  EXPECT_TRUE(contains(refusal([](RenderOptions& o) {
                         o.range = ValueRange{1, 1};
                       }),
                       "colour range from 1 to 1"));
  EXPECT_TRUE(contains(refusal([](RenderOptions& o) { o.ground = nan; }), "ground is not finite"));
  EXPECT_TRUE(
      contains(refusal([](RenderOptions& o) { o.view.direction.setZero(); }), "view: direction (0, 0, 0)"));
  EXPECT_TRUE(
      contains(refusal([](RenderOptions& o) { o.view.field_of_view = 170; }), "field of view of 170"));
  EXPECT_TRUE(contains(refusal([](RenderOptions& o) {
                         o.frame = BoundingBox{Vector3::Zero(), Vector3::Constant(nan)};
                       }),
                       "box to frame"));
}

}  // namespace
}  // namespace limber::render_test
