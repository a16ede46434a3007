#include "limber/draw/canvas.hpp"

#include "tests/draw/support.hpp"

#include <limits>
#include <set>

namespace limber::canvas_test {
namespace {

using test::blank_image;
using test::differing_pixels;
using test::pixel_of;

const Color black = Color::Zero();

std::string picture_of(std::string_view text) {
  Image image = blank_image(40, 40);
  draw_text(image, {5, 25}, text, {.height = 18, .color = black});
  return {image.rgb.begin(), image.rgb.end()};
}

TEST(Font, HasADifferentPictureForEveryPrintableCharacter) {
  std::set<std::string> pictures;
  for (char c = '!'; c <= '~'; ++c) pictures.insert(picture_of(std::string(1, c)));
  EXPECT_FALSE(pictures.contains(picture_of("")));
  EXPECT_EQ(pictures.size(), 93u);  // of 94: the digit 0 and the letter O share theirs
}

TEST(Font, ShowsAQuestionMarkForOtherCharacters) {
  EXPECT_EQ(picture_of("\n"), picture_of("?"));
  EXPECT_EQ(picture_of("\xe9"), picture_of("?"));
  EXPECT_EQ(picture_of("\x7f"), picture_of("?"));
  EXPECT_EQ(picture_of(" "), picture_of(""));
}

TEST(Font, StaysWithinItsGrid) {
  for (char c = ' '; c <= '~'; ++c) {
    const Glyph glyph = glyph_of(c);
    EXPECT_LE(glyph.width, 4.0) << c;
    for (const auto& stroke : glyph.strokes) {
      ASSERT_FALSE(stroke.empty()) << c;
      for (const Vector2& point : stroke) {
        EXPECT_TRUE(point.x() >= 0.0 && point.x() <= 4.0 && point.y() >= 0.0 && point.y() <= 8.0) << c;
      }
    }
  }
}

TEST(Text, DigitsAreAllAsWide) {
  for (char c = '1'; c <= '9'; ++c) EXPECT_EQ(text_width(std::string(1, c), 12), text_width("0", 12));
  EXPECT_EQ(text_width("", 12), 0.0);
  EXPECT_DOUBLE_EQ(text_width("abc", 24), 2 * text_width("abc", 12));
}

TEST(Text, IsAlignedByItsWidth) {
  const double width = text_width("label", 12);
  Image left = blank_image(200, 30);
  Image right = left;
  draw_text(left, {100 - width, 20}, "label", {.height = 12});
  draw_text(right, {100, 20}, "label", {.height = 12, .align = 1.0});
  EXPECT_GT(differing_pixels(left, blank_image(200, 30)), 50);
  EXPECT_EQ(left, right);
}

TEST(Canvas, FillsARectangleInProportionToItsCoverage) {
  Image image = blank_image(10, 10);
  fill_rectangle(image, {2.0, 3.0}, {5.5, 6.0}, black);
  EXPECT_EQ(pixel_of(image, 2, 3), Eigen::Vector3i(0, 0, 0));
  EXPECT_EQ(pixel_of(image, 5, 5), Eigen::Vector3i(128, 128, 128));
  EXPECT_EQ(pixel_of(image, 6, 5), Eigen::Vector3i(255, 255, 255));
  EXPECT_EQ(pixel_of(image, 2, 6), Eigen::Vector3i(255, 255, 255));
}

TEST(Canvas, DrawsALineOfTheGivenWidth) {
  Image image = blank_image(20, 20);
  draw_line(image, {4.0, 10.0}, {16.0, 10.0}, 4.0, black);
  int ink = 0;
  for (int y = 0; y < 20; ++y) ink += 255 - image.pixel(10, y)[0];
  EXPECT_NEAR(ink / 255.0, 4.0, 0.02);
}

TEST(Canvas, ClipsWhatLiesOutside) {
  Image image = blank_image(10, 10);
  draw_line(image, {-100.0, 5.0}, {200.0, 5.0}, 2.0, black);
  EXPECT_EQ(pixel_of(image, 0, 4), pixel_of(image, 9, 4));
  const Image before = image;
  draw_text(image, {500, 500}, "far away");
  draw_text(image, {-500, -500}, "far away");
  fill_rectangle(image, {1e30, 1e30}, {1e31, 1e31}, black);
  draw_line(image, {std::numeric_limits<double>::quiet_NaN(), 0.0}, {1.0, 1.0}, 1.0, black);
  blend_pixel(image, -1, 10, black, 1.0);
  EXPECT_EQ(image, before);
}

TEST(Color, ViridisHasItsPublishedEnds) {
  EXPECT_TRUE((255.0 * viridis(0.0)).isApprox(Color(0x44, 0x01, 0x54), 1e-12));
  EXPECT_TRUE((255.0 * viridis(1.0)).isApprox(Color(0xfd, 0xe7, 0x25), 1e-12));
  EXPECT_EQ(viridis(-1.0), viridis(0.0));
  EXPECT_EQ(viridis(2.0), viridis(1.0));
  EXPECT_EQ(viridis(std::numeric_limits<double>::quiet_NaN()), viridis(0.0));
}

TEST(Color, ViridisGetsBrighterAllTheWay) {
  const auto luminance = [](double t) {
    return srgb_to_linear(viridis(t)).dot(Color(0.2126, 0.7152, 0.0722));
  };
  for (int i = 0; i < 100; ++i) EXPECT_LT(luminance(i / 100.0), luminance((i + 1) / 100.0)) << i;
}

TEST(Color, LinearAndSrgbInvertEachOther) {
  for (int i = 0; i <= 255; ++i) {
    const Color srgb = Color::Constant(i / 255.0);
    EXPECT_NEAR(linear_to_srgb(srgb_to_linear(srgb)).x(), srgb.x(), 1e-7);
    EXPECT_EQ(to_byte(srgb.x()), i);
  }
  EXPECT_EQ(to_byte(-1.0), 0);
  EXPECT_EQ(to_byte(7.0), 255);
  EXPECT_EQ(to_byte(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace limber::canvas_test
