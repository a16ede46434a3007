#include "limber/draw/timeline_plot.hpp"

#include "limber/base/random.hpp"
#include "limber/draw/canvas.hpp"
#include "limber/draw/svg_text.hpp"
#include "limber/draw/timeline_layout.hpp"
#include "tests/draw/support.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace limber::timeline_plot_test {
namespace {

using test::contains;
using test::error_text;

constexpr Paint black = 0x111111, gray = 0xd2d2d2, red = 0xd7191c, blue = 0x0062c4;
constexpr Paint error_color = 0xa0489b;

Timeline steps_of(Index count, const std::function<TimelineStep(Index)>& make) {
  Timeline steps;
  for (Index i = 0; i < count; ++i) steps.push_back(make(i));
  return steps;
}

TimelineStep step(bool full, BasisChange change = BasisChange::none, Index rank = 5, double error = 0.01) {
  return {full ? StepKind::full : StepKind::reduced, change, rank, error, 0.0};
}

TimelinePlot plot_of(Timeline steps) {
  TimelinePlot plot;
  plot.bars.push_back({"run", std::move(steps), {}});
  return plot;
}

/// Boxes as tall as a bar, without those of the legend.
std::vector<Drawing::Box> bar_boxes(const Drawing& drawing) {
  std::vector<Drawing::Box> found;
  for (const Drawing::Box& box : drawing.boxes) {
    if (box.high.y() - box.low.y() == 26.0) found.push_back(box);
  }
  return found;
}

std::vector<Drawing::Box> boxes_of(const Drawing& drawing, Paint paint, double top) {
  std::vector<Drawing::Box> found;
  for (const Drawing::Box& box : drawing.boxes) {
    if (box.paint == paint && box.low.y() > top) found.push_back(box);
  }
  return found;
}

double bar_top(const Drawing& drawing) { return bar_boxes(drawing).front().low.y(); }

TEST(TimelinePlot, CoversTheShareOfTheBarThatIsFull) {
  const Drawing drawing =
      lay_out_timeline(plot_of(steps_of(100, [](Index i) { return step(i < 20 || i >= 95); })));
  const std::vector<Drawing::Box> boxes = bar_boxes(drawing);
  ASSERT_EQ(boxes.size(), 3U);
  const double left = boxes[0].low.x(), width = boxes[0].high.x() - left;
  EXPECT_EQ(boxes[0].paint, gray);
  EXPECT_EQ(boxes[1].paint, black);
  EXPECT_NEAR((boxes[1].low.x() - left) / width, 0.0, 1e-12);
  EXPECT_NEAR((boxes[1].high.x() - left) / width, 0.2, 1e-12);
  EXPECT_NEAR((boxes[2].low.x() - left) / width, 0.95, 1e-12);
  EXPECT_NEAR((boxes[2].high.x() - left) / width, 1.0, 1e-12);
}

TEST(TimelinePlot, ShadesStepsBelowAPixelByTheShareOfFullOnes) {
  const Drawing drawing =
      lay_out_timeline(plot_of(steps_of(100000, [](Index i) { return step(i % 2 == 0); })));
  const std::vector<Drawing::Box> boxes = bar_boxes(drawing);
  ASSERT_EQ(boxes.size(), 2U) << "one run of one shade on the bar";
  const auto middle = static_cast<double>(boxes[1].paint & 0xffU);
  EXPECT_NEAR(middle, (0x11 + 0xd2) / 2.0, 1.0);
  EXPECT_NEAR(boxes[1].high.x(), boxes[0].high.x(), 1e-9);
}

TEST(TimelinePlot, ShowsALoneStepOfEitherKindAmongManyThousands) {
  for (const bool full : {true, false}) {
    const Drawing drawing =
        lay_out_timeline(plot_of(steps_of(100000, [&](Index i) { return step((i == 50000) == full); })));
    const std::vector<Drawing::Box> boxes = bar_boxes(drawing);
    const Paint others = full ? gray : black;
    int lone = 0;
    for (const Drawing::Box& box : boxes) {
      if (box.paint == others || box.paint == gray) continue;
      ++lone;
      EXPECT_LE(box.high.x() - box.low.x(), 2.0);
      const double middle = (boxes[0].low.x() + boxes[0].high.x()) / 2;
      EXPECT_LE(box.low.x(), middle + 1.0);
      EXPECT_GE(box.high.x(), middle - 1.0);
      const int contrast = std::abs(static_cast<int>(box.paint & 0xffU) - static_cast<int>(others & 0xffU));
      EXPECT_GE(contrast, 20);
    }
    EXPECT_EQ(lone, 1) << "full " << full;
  }
}

TEST(TimelinePlot, StaysSmallForManyStepsWhateverTheyDo) {
  Random random(3);
  const std::string svg = to_svg(plot_of(steps_of(100000, [&](Index) {
    return step(random.uniform() < 0.5, random.uniform() < 0.3 ? BasisChange::grown : BasisChange::none,
                static_cast<Index>(40 * random.uniform()), 0.02 * random.uniform());
  })));
  EXPECT_LT(svg.size(), 200000U);
}

TEST(TimelinePlot, MarksGrowthRedAndDownDatesBlueAboveTheirSteps) {
  const Drawing drawing = lay_out_timeline(plot_of(steps_of(100, [](Index i) {
    return step(true, i == 25 ? BasisChange::grown : i == 75 ? BasisChange::shrunk : BasisChange::none);
  })));
  const Drawing::Box bar = bar_boxes(drawing).front();
  const double name = bar.low.y() - 14.0;  // below the legend
  const auto place = [&](const Drawing::Box& box) {
    return ((box.low.x() + box.high.x()) / 2 - bar.low.x()) / (bar.high.x() - bar.low.x());
  };
  const auto grown = boxes_of(drawing, red, name), shrunk = boxes_of(drawing, blue, name);
  ASSERT_EQ(grown.size(), 1U);
  ASSERT_EQ(shrunk.size(), 1U);
  EXPECT_NEAR(place(grown[0]), 0.255, 0.002);
  EXPECT_NEAR(place(shrunk[0]), 0.755, 0.002);
  EXPECT_LT(grown[0].high.y(), bar.low.y());
  EXPECT_LT(shrunk[0].low.y(), grown[0].low.y()) << "longer";
}

TEST(TimelinePlot, DrawsOneTickForChangesThatShareAPixel) {
  const Drawing drawing =
      lay_out_timeline(plot_of(steps_of(100000, [](Index) { return step(true, BasisChange::grown); })));
  const Drawing::Box bar = bar_boxes(drawing).front();
  const double pixels = bar.high.x() - bar.low.x();
  const auto ticks = static_cast<double>(boxes_of(drawing, red, bar.low.y() - 14.0).size());
  EXPECT_NEAR(ticks, pixels, 1.0);
}

TEST(TimelinePlot, LeavesAGapWhereAnErrorIsNotFinite) {
  const auto curves = [](double odd) {
    const Drawing drawing = lay_out_timeline(plot_of(
        steps_of(100, [&](Index i) { return step(false, BasisChange::none, 5, i == 50 ? odd : 0.01); })));
    const double top = bar_top(drawing);
    return std::ranges::count_if(drawing.lines, [&](const Drawing::Line& line) {
      return line.paint == error_color && line.points.front().y() > top;
    });
  };
  EXPECT_EQ(curves(0.02), 1);
  EXPECT_EQ(curves(std::numeric_limits<double>::quiet_NaN()), 2);
  EXPECT_EQ(curves(std::numeric_limits<double>::infinity()), 2);
}

TEST(TimelinePlot, PutsBarsOfOtherTimestepsOnOneAxisOfTime) {
  TimelinePlot plot = plot_of(steps_of(100, [](Index) { return step(false); }));
  plot.bars.push_back({"twice as fine", steps_of(200, [](Index) { return step(false); }), 0.005});
  plot.timestep = 0.01;
  const std::vector<Drawing::Box> boxes = bar_boxes(lay_out_timeline(plot));
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_NEAR(boxes[0].high.x(), boxes[1].high.x(), 1e-9);
  plot.timestep = 0.0;
  const std::vector<Drawing::Box> in_steps = bar_boxes(lay_out_timeline(plot));
  EXPECT_NEAR(in_steps[0].high.x() - in_steps[0].low.x(), (in_steps[1].high.x() - in_steps[1].low.x()) / 2,
              1e-9);
}

TEST(TimelinePlot, KeepsEveryTextInsideAndApartInBothTypefaces) {
  for (const int width : {320, 500, 900, 2000}) {
    TimelinePlot plot = plot_of(steps_of(1500, [](Index i) {
      return step(i % 7 != 0, i % 100 == 0 ? BasisChange::shrunk : BasisChange::grown, i % 40, 0.0001);
    }));
    plot.width = width;
    plot.accepted_error = 0.02;
    plot.title =
        "A title of many WIDE words that goes on for longer than any of the pictures is wide, even the "
        "widest of them";
    plot.bars.front().name = "a body whose name is longer than WMWMWMWMWMWMWMWMWMW would be without need";
    const Drawing drawing = lay_out_timeline(plot);
    std::vector<std::pair<Vector2, Vector2>> extents;
    for (const Drawing::Text& text : drawing.texts) {
      const double bold = text.bold ? 1.1 : 1.0;
      const double length = std::max(bold * svg_text_width(text.text, text.size),
                                     text_width(text.text, capital_height * text.size));
      const Vector2 low(text.at.x() - text.align * length, text.at.y() - capital_height * text.size);
      extents.emplace_back(low, Vector2(low.x() + length, text.at.y()));
      EXPECT_GE(low.x(), 0.0) << text.text;
      EXPECT_LE(low.x() + length, width) << text.text << " at width " << width;
      EXPECT_LE(text.at.y(), drawing.height);
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool meet = (extents[i].first.array() < extents[j].second.array()).all() &&
                          (extents[j].first.array() < extents[i].second.array()).all();
        EXPECT_FALSE(meet) << drawing.texts[i].text << " | " << drawing.texts[j].text << " at width "
                           << width;
      }
    }
  }
}

TEST(TimelinePlot, SaysHowManyStepsWereReducedAndNeverRoundsToAll) {
  const auto svg = [](Index full) {
    return to_svg(plot_of(steps_of(100000, [&](Index i) { return step(i < full); })));
  };
  EXPECT_TRUE(contains(svg(1), "99,999 of 100,000 steps reduced (99.9 %)"));
  EXPECT_TRUE(contains(svg(0), "100,000 of 100,000 steps reduced (100.0 %)"));
  EXPECT_TRUE(contains(svg(46530), "53,470 of 100,000 steps reduced (53.5 %)"));
}

TEST(TimelinePlot, EscapesTextsOfAnyBytes) {
  TimelinePlot plot = plot_of({step(true)});
  plot.title = "a < b & \"c\" \xff";
  plot.bars.front().name = "<script>";
  const std::string svg = to_svg(plot);
  EXPECT_TRUE(contains(svg, "a &lt; b &amp; &quot;c&quot; \xef\xbf\xbd"));
  EXPECT_FALSE(contains(svg, "<script"));
}

TEST(TimelinePlot, AllowsARunWithoutSteps) {
  EXPECT_TRUE(contains(to_svg(plot_of({})), "no steps"));
  EXPECT_GT(to_image(plot_of({})).height, 0);
}

TEST(TimelinePlot, HasThePictureShowWhatTheDocumentSays) {
  TimelinePlot plot = plot_of(steps_of(10, [](Index i) { return step(i < 5); }));
  plot.title = "title";
  const Drawing drawing = lay_out_timeline(plot);
  const Drawing::Box bar = bar_boxes(drawing).front();
  for (const double scale : {1.0, 2.0}) {
    const Image image = to_image(plot, scale);
    EXPECT_EQ(image.width, static_cast<int>(scale * 900));
    EXPECT_EQ(image.height, static_cast<int>(std::lround(scale * drawing.height)));
    const auto level = [&](double share) {
      const Vector2 at =
          scale * Vector2(bar.low.x() + share * (bar.high.x() - bar.low.x()), bar.low.y() + 13.0);
      return test::pixel_of(image, static_cast<int>(at.x()), static_cast<int>(at.y())).x();
    };
    EXPECT_EQ(level(0.25), 0x11);
    EXPECT_EQ(level(0.75), 0xd2);
  }
}

TEST(TimelinePlot, RefusesWhatCannotBeDrawn) {
  TimelinePlot plot;
  EXPECT_TRUE(contains(error_text([&] { to_svg(plot); }), "0 bars, expected 1 to 100"));
  plot = plot_of({step(true)});
  plot.width = 100;
  EXPECT_TRUE(contains(error_text([&] { to_svg(plot); }), "100 pixels wide, expected 320 to 10000"));
  plot.width = 400;
  plot.bars.front().timestep = -1.0;
  EXPECT_TRUE(contains(error_text([&] { to_svg(plot); }), "steps of -1 s"));
  plot.bars.front().timestep.reset();
  EXPECT_TRUE(contains(error_text([&] { to_image(plot, 0.0); }), "expected 1 to 8"));
}

}  // namespace
}  // namespace limber::timeline_plot_test
