#include "limber/draw/color_bar.hpp"

#include "tests/draw/support.hpp"

namespace limber::color_bar_test {
namespace {

using Labels = std::vector<std::string>;

Labels labels_of(double low, double high, int wanted = 5) {
  Labels labels;
  for (const double tick : nice_ticks({low, high}, wanted)) labels.push_back(tick_label(tick));
  return labels;
}

TEST(Ticks, AreRoundNumbersInsideOfTheRange) {
  EXPECT_EQ(labels_of(0.0, 1.0), (Labels{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(labels_of(-0.35, 0.3), (Labels{"-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(labels_of(0.0, 23000.0), (Labels{"0", "5000", "10000", "15000", "20000"}));
  EXPECT_EQ(labels_of(1e-7, 5.2e-7), (Labels{"1e-07", "2e-07", "3e-07", "4e-07", "5e-07"}));
}

TEST(Ticks, SurviveRangesWithoutRoundNumbers) {
  EXPECT_EQ(nice_ticks({1.0, 1.0}).size(), 2u);
  EXPECT_EQ(nice_ticks({-1.7e308, 1.7e308}).size(), 2u);
  EXPECT_LE(nice_ticks({1.0, std::nextafter(1.0, 2.0)}).size(), 50u);
  EXPECT_LE(nice_ticks({1e16, 1e16 + 4.0}).size(), 50u);
  EXPECT_EQ(labels_of(0.0, 5e-324).size(), 2u);
}

TEST(TickLabel, HasNoNegativeZeroAndNoTrailingZeros) {
  EXPECT_EQ(tick_label(-0.0), "0");
  EXPECT_EQ(tick_label(0.1 + 0.2), "0.3");
  EXPECT_EQ(tick_label(-2.5), "-2.5");
}

TEST(ColorBar, RunsThroughTheMapFromTheBottom) {
  Image image = test::blank_image(400, 1000);
  const ColorBar bar{{0.0, 2.0}, "|u| (m)"};
  draw_color_bar(image, bar);
  const int x = 400 - static_cast<int>(color_bar_width(bar, 1000)) + 8;
  for (const double t : {0.1, 0.5, 0.9}) {
    const int y = static_cast<int>(500 + 280 - t * 560);
    const Color expected = viridis((780 - (y + 0.5)) / 560);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(image.pixel(x, y)[c], 255 * expected(c), 1.0);
  }
}

TEST(ColorBar, PutsEachLabelBesideItsTick) {
  // The picture is the empty bar's plus exactly the expected labels, ticks and title.
  const ColorBar bar{{0.0, 2.0}, "stress (MPa)"};
  Image image = test::blank_image(400, 1000);
  draw_color_bar(image, bar);
  const double left = 400 - color_bar_width(bar, 1000);
  Image expected = image;
  for (int y = 0; y < 1000; ++y) {
    for (int x = static_cast<int>(left) + 30; x < 400; ++x) std::fill_n(expected.pixel(x, y), 3, 255);
  }
  for (int y = 0; y < 215; ++y) std::fill_n(expected.pixel(0, y), 3 * 400, 255);
  for (const auto& [label, y] : std::vector<std::pair<std::string, double>>{
           {"0", 780.0}, {"0.5", 640.0}, {"1", 500.0}, {"1.5", 360.0}, {"2", 220.0}}) {
    draw_text(expected, {left + 36, y + 8.5}, label, {.height = 17});
  }
  draw_text(expected, {left, 220.0 - 26.0}, bar.title, {.height = 17});
  EXPECT_EQ(test::differing_pixels(image, expected), 0);
}

TEST(ColorBar, AppearsOnlyWithValues) {
  Shape shape = test::square(0.5, 0.0, Color(0.5, 0.5, 0.5));
  RenderOptions options = test::plan_view(200);
  options.frame.reset();
  const Image plain = render({&shape, 1}, options);
  options.value_title = "u";
  EXPECT_EQ(render({&shape, 1}, options), plain);
  shape.values = Vector::LinSpaced(4, 0.0, 1.0);
  const Image with = render({&shape, 1}, options);
  options.color_bar = false;
  EXPECT_GT(test::differing_pixels(with, render({&shape, 1}, options)), 200);
}

TEST(ColorBar, SurvivesValuesWithoutSpread) {
  Shape shape = test::square(0.5, 0.0, Color(0.5, 0.5, 0.5));
  for (const double value : {0.0, 3.0, -1e308, 1e308}) {
    shape.values = Vector::Constant(4, value);
    EXPECT_NO_THROW(render({&shape, 1}, test::plan_view())) << value;
  }
  shape.values << -1.7e308, 1.7e308, 0.0, 0.0;
  EXPECT_NO_THROW(render({&shape, 1}, test::plan_view()));
}

}  // namespace
}  // namespace limber::color_bar_test
