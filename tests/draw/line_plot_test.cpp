#include "limber/draw/line_plot.hpp"

#include "limber/base/random.hpp"
#include "limber/draw/plot_layout.hpp"
#include "limber/draw/svg_text.hpp"
#include "tests/support/files.hpp"

#include <cmath>
#include <limits>
#include <set>

namespace limber::line_plot_test {
namespace {

Curve curve(const std::string& name, Index points, double from, double to, double (*y)(double),
            bool dashed = false) {
  Curve curve{name, Vector::LinSpaced(points, from, to), Vector(points), dashed};
  for (Index i = 0; i < points; ++i) curve.y(i) = y(curve.x(i));
  return curve;
}

LinePlot plot_of(std::vector<Curve> curves) { return {"title", "time (s)", "u (m)", std::move(curves)}; }

int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// "0 0.5 1": the labels of the ticks; a power of ten as 10^3; the scale, if any, in brackets.
std::string labels(double low, double high, bool log = false, double margin = 0.0, int wanted = 5) {
  const PlotAxis axis = make_axis({low, high}, log, margin, wanted);
  const auto text = [](const PlotLabel& label) {
    return label.power.empty() ? label.text : fmt::format("{}^{}", label.text, label.power);
  };
  std::string all;
  for (const PlotTick& tick : axis.ticks) {
    EXPECT_GE(axis.position(tick.value), -1e-6) << tick.value;
    EXPECT_LE(axis.position(tick.value), 1.0 + 1e-6) << tick.value;
    all += (all.empty() ? "" : " ") + text(tick.label);
  }
  return axis.scale.text.empty() ? all : fmt::format("{} ({})", all, text(axis.scale));
}

TEST(PlotAxis, HasRoundTicksWithTheDigitsTheyNeed) {
  EXPECT_EQ(labels(0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labels(-3.0, 7.0), "−2 0 2 4 6");
  EXPECT_EQ(labels(0.12, 0.31), "0.15 0.20 0.25 0.30");
  EXPECT_EQ(labels(0.0, 40000.0), "0 10000 20000 30000 40000");
}

TEST(PlotAxis, ScalesVeryLargeAndVerySmallNumbers) {
  EXPECT_EQ(labels(0.0, 3e-7), "0 50 100 150 200 250 300 (×10^−9)");
  EXPECT_EQ(labels(-5e6, 0.0), "−5 −4 −3 −2 −1 0 (×10^6)");
  EXPECT_EQ(labels(-1e300, 1e300), "−1.0 −0.5 0.0 0.5 1.0 (×10^300)");
}

TEST(PlotAxis, ShowsSmallDifferencesOfLargeNumbers) {
  EXPECT_EQ(labels(1.2345, 1.2345 + 3.2e-7, false, 0.0, 3), "1.2345000 1.2345001 1.2345002 1.2345003");
}

TEST(PlotAxis, WidensRangesThatAreTooNarrow) {
  EXPECT_EQ(labels(30.0, 30.0), "27 28 29 30 31 32 33");
  EXPECT_EQ(labels(0.0, 0.0), "−1.0 −0.5 0.0 0.5 1.0");
  EXPECT_EQ(labels(0.0, 5e-324), "−1.0 −0.5 0.0 0.5 1.0");
  const PlotAxis axis = make_axis({1.0, std::nextafter(1.0, 2.0)}, false, 0.0, 5);
  EXPECT_NEAR(axis.range.high - axis.range.low, 2e-8, 1e-12);
}

TEST(PlotAxis, LeavesAMarginThatDoesNotCrossZero) {
  const PlotAxis positive = make_axis({0.0, 10.0}, false, 0.05, 5);
  EXPECT_EQ(positive.range.low, 0.0);
  EXPECT_DOUBLE_EQ(positive.range.high, 10.5);
  EXPECT_EQ(make_axis({0.2, 10.0}, false, 0.05, 5).range.low, 0.0);
  EXPECT_EQ(make_axis({-10.0, -0.2}, false, 0.05, 5).range.high, 0.0);
  EXPECT_DOUBLE_EQ(make_axis({-10.0, 10.0}, false, 0.05, 5).range.low, -11.0);
}

TEST(PlotAxis, HasPowersOfTenWhereItIsLogarithmic) {
  EXPECT_EQ(labels(0.01, 1000.0, true), "0.01 0.1 1 10 100 1000");
  EXPECT_EQ(labels(1e-8, 2e-3, true), "10^−8 10^−7 10^−6 10^−5 10^−4 10^−3");
  EXPECT_EQ(labels(1e-15, 1.0, true), "10^−15 10^−12 10^−9 10^−6 10^−3 10^0");
  EXPECT_EQ(labels(1e-300, 1.0, true), "10^−300 10^−200 10^−100 10^0");
}

TEST(PlotAxis, HasOtherRoundNumbersWhereItSpansFewDecades) {
  EXPECT_EQ(labels(3.0, 70.0, true), "5 10 20 50");
  EXPECT_EQ(labels(0.002, 0.03, true), "0.002 0.005 0.01 0.02");
  EXPECT_EQ(labels(3e6, 7e7, true), "5×10^6 1×10^7 2×10^7 5×10^7");
  EXPECT_EQ(labels(1.1, 1.4, true), "1.10 1.15 1.20 1.25 1.30 1.35 1.40");
  EXPECT_EQ(labels(7.0, 7.0, true), "5 10");
}

TEST(PlotAxis, PlacesNumbersByTheirLogarithm) {
  const PlotAxis axis = make_axis({1.0, 100.0}, true, 0.0, 5);
  EXPECT_NEAR(axis.position(1.0), 0.0, 1e-12);
  EXPECT_NEAR(axis.position(10.0), 0.5, 1e-12);
  EXPECT_NEAR(axis.position(100.0), 1.0, 1e-12);
}

double distance_to(const Vector2& point, const Polyline& line) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Vector2 along = line[i] - line[i - 1];
    const double t = std::clamp(along.dot(point - line[i - 1]) / along.squaredNorm(), 0.0, 1.0);
    nearest = std::min(nearest, (point - line[i - 1] - t * along).norm());
  }
  return nearest;
}

TEST(SimplifiedPolyline, KeepsItsShape) {
  Polyline sine;
  Polyline spiral;
  for (int i = 0; i <= 4000; ++i) {
    const double t = i / 4000.0;
    sine.emplace_back(800 * t, 200 * std::sin(30 * t));
    spiral.emplace_back(300 * t * std::cos(30 * t), 300 * t * std::sin(30 * t));
  }
  for (const Polyline& line : {sine, spiral}) {
    const Polyline simple = simplify_polyline(line, 0.1);
    EXPECT_LT(simple.size(), 600U);
    EXPECT_EQ(simple.front(), line.front());
    EXPECT_EQ(simple.back(), line.back());
    double worst = 0.0;
    for (std::size_t i = 0; i < line.size(); i += 7) worst = std::max(worst, distance_to(line[i], simple));
    EXPECT_LE(worst, 0.2);
  }
}

TEST(SimplifiedPolyline, IsTwoPointsForALine) {
  Polyline line;
  for (int i = 0; i < 1000; ++i) line.emplace_back(0.7 * i, 3.0 - 0.3 * i);
  EXPECT_EQ(simplify_polyline(line, 0.1), (Polyline{line.front(), line.back()}));
  EXPECT_EQ(simplify_polyline({line[0]}, 0.1), Polyline{line[0]});
}

TEST(SimplifiedPolyline, KeepsTheExtremesOfMoreNoiseThanPixels) {
  Random random(1);
  Polyline noise;
  for (int i = 0; i < 200000; ++i) noise.emplace_back(100.0 * i / 200000, 50 * random.uniform());
  noise[77777].y() = 90.0;
  noise[77779].y() = -20.0;
  const Polyline simple = simplify_polyline(noise, 0.1);
  EXPECT_LT(simple.size(), 4100U) << "four for each of a thousand columns";
  EXPECT_NE(std::find(simple.begin(), simple.end(), noise[77777]), simple.end());
  EXPECT_NE(std::find(simple.begin(), simple.end(), noise[77779]), simple.end());
}

TEST(LengthInside, IsThatOfThePartsInTheRectangle) {
  const Polyline line{{-1, 0.5}, {2, 0.5}, {2, 3}, {0.5, 3}, {0.5, 0.25}};
  EXPECT_DOUBLE_EQ(length_inside(line, {0, 0}, {1, 1}), 1.0 + 0.75);
  EXPECT_EQ(length_inside(line, {5, 5}, {6, 6}), 0.0);
  EXPECT_EQ(length_inside({{0.5, 0.5}}, {0, 0}, {1, 1}), 0.0);
}

TEST(SvgText, EscapesWhateverItHolds) {
  EXPECT_EQ(svg_escaped("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(svg_escaped("\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x99\x82"), "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x99\x82");
  EXPECT_EQ(svg_escaped("a\nb\tc"), "a b c");
  const std::string unknown = "\xef\xbf\xbd";
  EXPECT_EQ(svg_escaped(std::string_view("\x01\x00", 2)), unknown + unknown);
  EXPECT_EQ(svg_escaped("\xff"
                        "a"),
            unknown + "a");
  EXPECT_EQ(svg_escaped("\xc3"), unknown) << "cut off";
  EXPECT_EQ(svg_escaped("\xc0\x80"), unknown + unknown) << "longer than need be";
  EXPECT_EQ(svg_escaped("\xed\xa0\x80"), unknown + unknown + unknown) << "a surrogate";
}

TEST(SvgText, IsBrokenAtSpaces) {
  const double width = svg_text_width("aaaa bbb", 10.0);
  EXPECT_EQ(wrapped_text("aaaa bbb cc", 10.0, width), (std::vector<std::string>{"aaaa bbb", "cc"}));
  EXPECT_EQ(wrapped_text("aaaabbbbccccdddd cc", 10.0, width),
            (std::vector<std::string>{"aaaabbbbccccdddd", "cc"}));
}

TEST(SvgText, IsCutBetweenCharacters) {
  EXPECT_EQ(shortened_text("abc", 10.0, 100.0), "abc");
  const double room = svg_text_width("\xc3\xa9\xc3\xa9\xe2\x80\xa6", 10.0) + 1.0;
  EXPECT_EQ(shortened_text("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10.0, room), "\xc3\xa9\xc3\xa9\xe2\x80\xa6");
  EXPECT_EQ(shortened_text("abc", 10.0, 0.0), "\xe2\x80\xa6");
}

TEST(LinePlot, HoldsEachCurveFromItsFirstToItsLastPoint) {
  const LinePlot plot = plot_of({curve("up", 50, 0.0, 2.0, [](double x) { return x; })});
  const PlotLayout layout = lay_out_plot(plot);
  const auto number = [](double value) { return svg_number(value); };
  const PlotBox& frame = layout.frame;
  const double top = frame.high.y() - frame.size().y() / 1.05;  // a margin of 5 %
  EXPECT_TRUE(
      test::contains(to_svg(plot), fmt::format("points=\"{},{} {},{}\"", number(frame.low.x()),
                                               number(frame.high.y()), number(frame.high.x()), number(top))));
}

TEST(LinePlot, ShowsTitleLabelsAndNames) {
  LinePlot plot = plot_of({curve("full & exact", 50, 0.0, 2.0, std::sin)});
  plot.title = "<Spoon>";
  const std::string svg = to_svg(plot);
  for (const char* text :
       {">&lt;Spoon&gt;</text>", ">time (s)</text>", ">u (m)</text>", ">full &amp; exact</text>"}) {
    EXPECT_EQ(count(svg, text), 1) << text;
  }
}

/// A constant of another source of the module that has the name of a margin would move them.
TEST(LinePlot, HasTitleAndLabelsAtItsEdges) {
  const LinePlot plot = plot_of({curve("sine", 20, 0.0, 1.0, [](double x) { return std::sin(x); })});
  const std::string svg = to_svg(plot);
  EXPECT_NE(svg.find(fmt::format("y=\"{}\" text-anchor=\"middle\"", plot_sizes::border + 14.0)),
            std::string::npos);
  EXPECT_NE(svg.find(fmt::format("y=\"{}\" text-anchor=\"middle\"", plot.height - plot_sizes::border)),
            std::string::npos);
}

TEST(LinePlot, HasAWhiteBackgroundOfItsSize) {
  LinePlot plot = plot_of({curve("a", 50, 0.0, 2.0, std::sin)});
  plot.width = 640;
  plot.height = 360;
  const std::string svg = to_svg(plot);
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"360\""));
  EXPECT_EQ(count(svg, "<rect width=\"640\" height=\"360\" fill=\"#fff\"/>"), 1);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(LinePlot, TellsManyCurvesApart) {
  LinePlot plot = plot_of({});
  for (int i = 0; i < 42; ++i) plot.curves.push_back(curve("c", 50, 0.0, 1.0 + i, std::sin, i % 2 == 1));
  const std::string svg = to_svg(plot);
  std::set<std::string> styles;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) {
    styles.insert(svg.substr(at, svg.find("points=", at) - at));
  }
  EXPECT_EQ(styles.size(), 42U);
}

TEST(LinePlot, StaysSmallForManyPoints) {
  const LinePlot plot = plot_of({curve("fine", 100000, 0.0, 60.0, std::sin)});
  EXPECT_LT(to_svg(plot).size(), 16000U);
}

TEST(LinePlot, ShowsThePointsOfShortSolidCurves) {
  const auto circles = [](const LinePlot& plot) { return count(to_svg(plot), "<circle"); };
  EXPECT_EQ(circles(plot_of({curve("", 7, 0.0, 2.0, std::sin)})), 7);
  EXPECT_EQ(circles(plot_of({curve("", 7, 0.0, 2.0, std::sin, true)})), 0);
  EXPECT_EQ(circles(plot_of({curve("", 100, 0.0, 2.0, std::sin)})), 0);
}

TEST(LinePlot, ShowsASinglePointAsADot) {
  EXPECT_EQ(count(to_svg(plot_of({curve("", 1, 3.0, 3.0, std::sin, true)})), "<circle"), 1);
}

TEST(LinePlot, PutsTheLegendWhereNoCurveIs) {
  // A decaying vibration leaves the right corners free, a rising curve the left one at the top.
  const PlotLayout decay = lay_out_plot(plot_of(
      {curve("full", 2000, 0.0, 20.0, [](double x) { return std::exp(-0.3 * x) * std::sin(3.0 * x); })}));
  EXPECT_EQ(decay.legend.place, PlotLegend::Place::inside);
  EXPECT_GT(decay.legend.box.low.x(), 400.0);
  const PlotLayout rise = lay_out_plot(plot_of({curve("full", 2000, 0.0, 2.0, std::exp)}));
  EXPECT_EQ(rise.legend.place, PlotLegend::Place::inside);
  EXPECT_LT(rise.legend.box.high.x(), 400.0);
  for (const PlotLayout& layout : {decay, rise}) {
    EXPECT_EQ(length_inside(layout.lines[0], layout.legend.box.low, layout.legend.box.high), 0.0);
  }
}

TEST(LinePlot, PutsTheLegendOutsideWhereCurvesFillTheFrame) {
  const auto wave = [](double x) { return std::cos(30.0 * x); };
  const PlotLayout few = lay_out_plot(
      plot_of({curve("full", 2000, 0.0, 3.0, wave), curve("reduced", 2000, 0.0, 3.0, wave, true)}));
  EXPECT_EQ(few.legend.place, PlotLegend::Place::above);
  EXPECT_LT(few.legend.box.high.y(), few.frame.low.y());
  LinePlot plot = plot_of({});
  for (int i = 0; i < 30; ++i)
    plot.curves.push_back(curve("a curve with a name that is far too long for this", 2000, 0.0, 3.0, wave));
  const PlotLayout many = lay_out_plot(plot);
  EXPECT_EQ(many.legend.place, PlotLegend::Place::right);
  EXPECT_GT(many.legend.box.low.x(), many.frame.high.x());
  EXPECT_LE(many.legend.box.high.y(), plot.height);
  EXPECT_LE(many.legend.box.high.x(), plot.width);
}

TEST(LinePlot, NeedsNoTexts) {
  LinePlot plot;
  plot.curves = {curve("", 20, 0.0, 1.0, std::sin)};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, "<polyline"), 1);
  EXPECT_EQ(count(svg, "<title>"), 0);
  EXPECT_TRUE(lay_out_plot(plot).legend.entries.empty());
}

TEST(LinePlot, KeepsEverythingInsideOfASmallPicture) {
  LinePlot plot = plot_of({curve("name", 300, 0.0, 1e-9, [](double x) { return -1e7 * std::cos(3e9 * x); })});
  plot.width = 240;
  plot.height = 180;
  const PlotLayout layout = lay_out_plot(plot);
  EXPECT_GT(layout.frame.size().x(), 80.0);
  EXPECT_GT(layout.frame.size().y(), 40.0);
  for (const Vector2& point : layout.lines[0]) {
    EXPECT_TRUE((point.array() >= layout.frame.low.array() - 1e-6).all() &&
                (point.array() <= layout.frame.high.array() + 1e-6).all())
        << point.transpose();
  }
}

TEST(LinePlot, RefusesWhatItCannotDraw) {
  const auto error = [](const LinePlot& plot) { return test::error_text([&] { to_svg(plot); }); };
  EXPECT_EQ(error(plot_of({})), "a plot without curves, expected at least one");
  EXPECT_EQ(error(plot_of({{"a", Vector(), Vector()}})),
            "curve 0 ('a') of the plot has no points, expected at least one");
  EXPECT_EQ(error(plot_of({{"a", Vector::Zero(2), Vector::Zero(3)}})),
            "curve 0 ('a') of the plot has 2 x and 3 y, expected as many");
  EXPECT_TRUE(test::contains(error(plot_of({{"a", Vector::Zero(1), Vector::Constant(1, NAN)}})),
                             "expected finite numbers"));
  EXPECT_TRUE(
      test::contains(error(plot_of({{"a", Vector::Constant(1, 1e301), Vector::Zero(1)}})), "up to 1e+300"));
  LinePlot log = plot_of({{"a", Vector::Zero(1), Vector::Ones(1)}});
  EXPECT_NO_THROW(to_svg(log));
  log.log_y = true;
  EXPECT_NO_THROW(to_svg(log));
  log.log_x = true;
  EXPECT_EQ(
      error(log),
      "curve 0 ('a') of the plot has the point (0, 1), expected positive numbers on a logarithmic axis");
  LinePlot small = plot_of({curve("", 20, 0.0, 1.0, std::sin)});
  small.width = 100;
  EXPECT_TRUE(test::contains(error(small), "a plot of 100 x 450 pixels, expected 240 x 180 to"));
}

}  // namespace
}  // namespace limber::line_plot_test
