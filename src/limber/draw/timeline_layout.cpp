#include "limber/draw/timeline_layout.hpp"

#include "limber/draw/plot_axis.hpp"
#include "limber/draw/plot_layout.hpp"
#include "limber/draw/svg_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

namespace limber {
namespace {

using namespace plot_sizes;

constexpr double name_row = 20.0;
constexpr double grown_tick = 6.0, shrunk_tick = 10.0;
constexpr double bar_height = 26.0;
constexpr double curve_gap = 7.0, curve_height = 52.0;
constexpr double bar_gap = 18.0;
constexpr int shades = 16;
/// Of curves, pixels: the lines are wider than that, and a long run has many points per pixel.
constexpr double curve_tolerance = 0.4;

constexpr Paint full_paint = 0x111111, reduced_paint = 0xd2d2d2;
constexpr Paint grown_paint = 0xd7191c, shrunk_paint = 0x0062c4;
constexpr Paint rank_paint = 0x00845f, error_paint = 0xa0489b;
constexpr Paint text_paint = 0x222222, quiet_paint = 0x666666, axis_paint = 0x444444;
constexpr Paint grid_paint = 0xe2e2e2, zero_paint = 0xb0b0b0;

/// A number of steps with a comma between thousands.
std::string count_text(std::size_t count) {
  std::string text = std::to_string(count);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(text.begin() + at, ',');
  }
  return text;
}

std::size_t reduced_count(const Timeline& steps) {
  return static_cast<std::size_t>(std::ranges::count(steps, StepKind::reduced, &TimelineStep::kind));
}

/// Rounded, but 100 only where every step was reduced.
std::string share_text(std::size_t reduced, std::size_t count) {
  const double percent = 100.0 * static_cast<double>(reduced) / static_cast<double>(count);
  return fmt::format("{:.1f} %", reduced < count ? std::min(percent, 99.9) : 100.0);
}

/// Places everything, from the top to the bottom.
class TimelinePlanner {
 public:
  explicit TimelinePlanner(const TimelinePlot& plot) : plot_(plot) {}

  Drawing plan();

 private:
  [[nodiscard]] bool in_time() const { return plot_.timestep > 0.0; }
  /// Length of a step on the axis.
  [[nodiscard]] double step_length(const TimelineBar& bar) const {
    return in_time() ? bar.timestep.value_or(plot_.timestep) : 1.0;
  }
  [[nodiscard]] double to_x(double value) const { return left_ + x_axis_.position(value) * (right_ - left_); }

  void make_scales();
  void place_sides();
  void add_title();
  void add_legend();
  void add_bar(const TimelineBar& bar);
  void add_header(const TimelineBar& bar);
  void add_steps(const TimelineBar& bar);
  void add_runs(const TimelineBar& bar);
  void add_shades(const TimelineBar& bar);
  void add_changes(const TimelineBar& bar);
  void add_curves(const TimelineBar& bar);
  void add_curve_scale(double top);
  void add_axis();
  [[nodiscard]] std::string axis_label() const;

  void add_box(double left, double top, double right, double bottom, Paint paint) {
    out_.boxes.push_back({{left, top}, {right, bottom}, paint});
  }

  const TimelinePlot& plot_;
  Drawing out_;
  double left_ = 0.0, right_ = 0.0;  ///< of the bars
  double y_ = 0.0;                   ///< what is above is taken
  bool any_grown_ = false, any_shrunk_ = false;
  double longest_ = 0.0;  ///< of the runs, on the axis
  double rank_top_ = 1.0, error_top_ = 1.0;
  std::vector<double> rank_ticks_, error_ticks_;
  PlotAxis x_axis_;
};

Drawing TimelinePlanner::plan() {
  out_.width = plot_.width;
  make_scales();
  place_sides();
  y_ = border;
  add_title();
  add_legend();
  for (const TimelineBar& bar : plot_.bars) add_bar(bar);
  add_axis();
  out_.height = std::ceil(y_);
  return std::move(out_);
}

void TimelinePlanner::make_scales() {
  double rank = 1.0, error = 0.0;
  for (const TimelineBar& bar : plot_.bars) {
    longest_ = std::max(longest_, step_length(bar) * static_cast<double>(bar.steps.size()));
    for (const TimelineStep& step : bar.steps) {
      any_grown_ = any_grown_ || step.change == BasisChange::grown;
      any_shrunk_ = any_shrunk_ || step.change == BasisChange::shrunk;
      rank = std::max(rank, static_cast<double>(step.rank));
      if (std::isfinite(step.error)) error = std::max(error, std::min(step.error, 1e12));
    }
  }
  const double accepted = plot_.accepted_error.value_or(0.0);
  if (std::isfinite(accepted)) error = std::max(error, accepted);
  if (!(error > 1e-12)) error = 1e-3;  // a scale for a curve of zeros
  rank_top_ = 1.08 * rank;
  error_top_ = 1.08 * 100.0 * error;  // per cent
  rank_ticks_ = rank < 3.0 ? std::vector<double>{0.0, rank} : nice_ticks({0.0, rank}, 2);
  error_ticks_ = nice_ticks({0.0, 100.0 * error}, 2);
}

void TimelinePlanner::place_sides() {
  double ranks = 0.0, errors = 0.0;
  for (const double tick : rank_ticks_) ranks = std::max(ranks, drawn_width(tick_label(tick), tick_text));
  for (const double tick : error_ticks_) {
    errors = std::max(errors, drawn_width(tick_label(tick) + " %", tick_text));
  }
  const double room = 6.0;
  left_ = std::ceil(border + (plot_.curves ? ranks + room : 4.0));
  right_ = std::floor(plot_.width - border - (plot_.curves ? errors + room : 4.0));
  const double longest = longest_ > 0.0 ? longest_ : 1.0;
  x_axis_ = make_axis({0.0, longest}, false, 0.0, std::max(2, static_cast<int>((right_ - left_) / 85.0)));
}

void TimelinePlanner::add_title() {
  if (plot_.title.empty()) return;
  const double room = plot_.width - border - left_;
  constexpr double reserve = 0.93;  // a line may have wider letters than the whole
  for (const std::string& line :
       wrapped_text(plot_.title, title_text, reserve * room / bold_factor(plot_.title))) {
    out_.texts.push_back(
        {{left_, y_ + 13.0}, fitted_bold(line, title_text, room), 0.0, title_text, text_paint, true});
    y_ += title_row;
  }
  y_ += 4.0;
}

void TimelinePlanner::add_legend() {
  enum class Sample { block, tick, line, dashes };
  struct Entry {
    Sample sample;
    Paint paint;
    std::string_view name;
  };
  std::vector<Entry> entries{{Sample::block, full_paint, "full step"},
                             {Sample::block, reduced_paint, "reduced step"}};
  if (any_grown_) entries.push_back({Sample::tick, grown_paint, "basis grown"});
  if (any_shrunk_) entries.push_back({Sample::tick, shrunk_paint, "basis down-dated"});
  if (plot_.curves) {
    entries.push_back({Sample::line, rank_paint, "rank (left)"});
    entries.push_back({Sample::line, error_paint, "error estimate (right)"});
    if (plot_.accepted_error) entries.push_back({Sample::dashes, error_paint, "error accepted"});
  }
  double x = left_;
  for (const auto& [sample, paint, name] : entries) {
    const double length = sample == Sample::tick ? 3.0 : 20.0;
    const double width = length + sample_gap + drawn_width(name, tick_text);
    if (x > left_ && x + width > plot_.width - border) {
      x = left_;
      y_ += legend_row;
    }
    const double middle = y_ + legend_row / 2;
    if (sample == Sample::block) add_box(x, middle - 5.0, x + length, middle + 5.0, paint);
    if (sample == Sample::tick) {
      const double height = paint == shrunk_paint ? shrunk_tick : grown_tick;
      add_box(x, middle + 4.0 - height, x + 2.0, middle + 4.0, paint);
    }
    if (sample == Sample::line) out_.lines.push_back({{{x, middle}, {x + length, middle}}, paint});
    for (double at = x; sample == Sample::dashes && at < x + length; at += 8.0) {
      add_box(at, middle - 0.5, at + 4.0, middle + 0.5, paint);
    }
    out_.texts.push_back({{x + length + sample_gap, middle + 4.2}, std::string(name)});
    x += width + 16.0;
  }
  y_ += legend_row + 10.0;
}

void TimelinePlanner::add_bar(const TimelineBar& bar) {
  add_header(bar);
  y_ += name_row;
  add_changes(bar);
  y_ += shrunk_tick + 2.0;
  add_steps(bar);
  y_ += bar_height;
  if (plot_.curves) {
    y_ += curve_gap;
    add_curve_scale(y_);
    add_curves(bar);
    y_ += curve_height;
  }
  y_ += bar_gap;
}

void TimelinePlanner::add_header(const TimelineBar& bar) {
  const std::size_t reduced = reduced_count(bar.steps);
  const double room = right_ - left_ - 20.0;
  std::string summary = "no steps";
  if (!bar.steps.empty()) {
    const std::string share = share_text(reduced, bar.steps.size());
    summary =
        fmt::format("{} of {} steps reduced ({})", count_text(reduced), count_text(bar.steps.size()), share);
    if (drawn_width(summary, tick_text) > 0.6 * room) summary = share + " reduced";
  }
  const std::string name = fitted_bold(bar.name, text, room - drawn_width(summary, tick_text));
  out_.texts.push_back({{left_, y_ + 13.0}, name, 0.0, text, text_paint, true});
  out_.texts.push_back({{right_, y_ + 13.0}, summary, 1.0, tick_text, quiet_paint});
}

void TimelinePlanner::add_steps(const TimelineBar& bar) {
  const double length = step_length(bar);
  const double end = to_x(length * static_cast<double>(bar.steps.size()));
  add_box(left_, y_, std::max(end, left_), y_ + bar_height, reduced_paint);
  if (to_x(length) - left_ >= 1.0) {
    add_runs(bar);
  } else {
    add_shades(bar);
  }
}

/// Steps that are wide enough to be seen one by one.
void TimelinePlanner::add_runs(const TimelineBar& bar) {
  const double length = step_length(bar);
  for (std::size_t i = 0; i < bar.steps.size();) {
    std::size_t end = i + 1;
    while (end < bar.steps.size() && bar.steps[end].kind == bar.steps[i].kind) ++end;
    if (bar.steps[i].kind == StepKind::full) {
      add_box(to_x(length * static_cast<double>(i)), y_, to_x(length * static_cast<double>(end)),
              y_ + bar_height, full_paint);
    }
    i = end;
  }
}

/// Columns of a pixel, shaded by the share of full steps in each; a lone step of either kind still shows.
void TimelinePlanner::add_shades(const TimelineBar& bar) {
  std::vector<double> before(bar.steps.size() + 1, 0.0);  // full steps
  for (std::size_t i = 0; i < bar.steps.size(); ++i) {
    before[i + 1] = before[i] + (bar.steps[i].kind == StepKind::full ? 1.0 : 0.0);
  }
  const auto count = static_cast<double>(bar.steps.size());
  const double steps_per_pixel = 1.0 / (to_x(step_length(bar)) - left_);
  const auto full_before = [&](double step) {
    const double at = std::clamp(step, 0.0, count);
    const auto i = std::min(static_cast<std::size_t>(at), bar.steps.size() - 1);
    return before[i] + (at - static_cast<double>(i)) * (before[i + 1] - before[i]);
  };
  const int columns = static_cast<int>(std::ceil(count / steps_per_pixel - 1e-9));
  std::vector<int> shade(static_cast<std::size_t>(columns));
  for (int c = 0; c < columns; ++c) {
    const double from = c * steps_per_pixel, to = std::min((c + 1) * steps_per_pixel, count);
    const double share = (full_before(to) - full_before(from)) / (to - from);
    constexpr double rounding = 1e-9;
    int level = std::clamp(static_cast<int>(std::lround(shades * share)), 2, shades - 2);
    if (share < rounding) level = 0;
    if (share > 1.0 - rounding) level = shades;
    shade[static_cast<std::size_t>(c)] = level;
  }
  const auto mixed = [](int level) {
    const auto dark = static_cast<Paint>(full_paint & 0xffU),
               light = static_cast<Paint>(reduced_paint & 0xffU);
    const Paint gray = light - (light - dark) * static_cast<Paint>(level) / shades;
    return gray << 16U | gray << 8U | gray;
  };
  const double right = to_x(step_length(bar) * count);
  for (int level = 1; level <= shades; ++level) {
    for (int c = 0; c < columns;) {
      int end = c + 1;
      const int here = shade[static_cast<std::size_t>(c)];
      while (end < columns && shade[static_cast<std::size_t>(end)] == here) ++end;
      if (here == level) {
        add_box(left_ + c, y_, std::min(left_ + end, right), y_ + bar_height, mixed(level));
      }
      c = end;
    }
  }
}

/// Ticks that stand on the bar; of those that share a pixel, one.
void TimelinePlanner::add_changes(const TimelineBar& bar) {
  const double length = step_length(bar);
  const double width = std::clamp(to_x(length) - left_, 1.0, 2.0);
  const double bottom = y_ + shrunk_tick + 1.0;
  for (const auto& [change, height, paint] : {std::tuple(BasisChange::grown, grown_tick, grown_paint),
                                              std::tuple(BasisChange::shrunk, shrunk_tick, shrunk_paint)}) {
    double last = -1.0;
    for (std::size_t i = 0; i < bar.steps.size(); ++i) {
      if (bar.steps[i].change != change) continue;
      const double x = std::floor(to_x(length * (static_cast<double>(i) + 0.5)) - (width - 1.0) / 2);
      if (x == last) continue;
      add_box(x, bottom - height, x + width, bottom, paint);
      last = x;
    }
  }
}

void TimelinePlanner::add_curve_scale(double top) {
  const double bottom = top + curve_height;
  for (const PlotTick& tick : x_axis_.ticks) {
    const double x = to_x(tick.value);
    add_box(x - 0.4, top, x + 0.4, bottom, grid_paint);
  }
  const auto add_ticks = [&](const std::vector<double>& ticks, double scale, bool left) {
    for (const double tick : ticks) {
      const double y = bottom - tick / scale * curve_height;
      if (left) add_box(left_, y - 0.4, right_, y + 0.4, tick == 0.0 ? zero_paint : grid_paint);
      const std::string label = tick_label(tick);
      if (left) out_.texts.push_back({{left_ - 5.0, y + 4.2}, label, 1.0, tick_text, rank_paint});
      if (!left) out_.texts.push_back({{right_ + 5.0, y + 4.2}, label + " %", 0.0, tick_text, error_paint});
    }
  };
  add_ticks(rank_ticks_, rank_top_, true);
  add_ticks(error_ticks_, error_top_, false);
  if (!plot_.accepted_error || !std::isfinite(*plot_.accepted_error)) return;
  const double y = bottom - 100.0 * *plot_.accepted_error / error_top_ * curve_height;
  for (double x = left_; x < right_; x += 8.0) {
    add_box(x, y - 0.5, std::min(x + 4.0, right_), y + 0.5, error_paint);
  }
}

void TimelinePlanner::add_curves(const TimelineBar& bar) {
  const double length = step_length(bar);
  const double bottom = y_ + curve_height;
  Polyline rank, error;
  const auto add = [&](Polyline& line, Paint paint) {
    if (line.size() > 1) out_.lines.push_back({simplify_polyline(line, curve_tolerance), paint});
    line.clear();
  };
  for (std::size_t i = 0; i < bar.steps.size(); ++i) {
    const TimelineStep& step = bar.steps[i];
    const double from = to_x(length * static_cast<double>(i));
    const double to = to_x(length * static_cast<double>(i + 1));
    const double height = bottom - static_cast<double>(step.rank) / rank_top_ * curve_height;
    rank.emplace_back(from, height);
    rank.emplace_back(to, height);
    if (!std::isfinite(step.error)) {
      add(error, error_paint);
      continue;
    }
    error.emplace_back(to, bottom - std::min(100.0 * step.error / error_top_, 1.0) * curve_height);
  }
  add(error, error_paint);
  add(rank, rank_paint);  // over the error, which fills the room where it goes up and down a lot
}

std::string TimelinePlanner::axis_label() const {
  const std::string scale = x_axis_.scale.text.empty() ? "" : fmt::format("1e{} ", x_axis_.scale.power);
  return in_time()       ? fmt::format("time ({}s)", scale)
         : scale.empty() ? std::string("step")
                         : fmt::format("step ({})", scale.substr(0, scale.size() - 1));
}

void TimelinePlanner::add_axis() {
  y_ -= bar_gap - (plot_.curves ? 8.0 : 5.0);
  add_box(left_, y_ - 0.5, right_, y_ + 0.5, axis_paint);
  const double baseline = y_ + tick_length + 14.0;
  for (const PlotTick& tick : x_axis_.ticks) {
    const double x = to_x(tick.value);
    add_box(x - 0.5, y_, x + 0.5, y_ + tick_length, axis_paint);
    out_.texts.push_back({{x, baseline}, tick.label.text, 0.5});
  }
  y_ = baseline + 20.0;
  out_.texts.push_back({{(left_ + right_) / 2, y_}, axis_label(), 0.5, text});
  y_ += border;
}

}  // namespace

Drawing lay_out_timeline(const TimelinePlot& plot) { return TimelinePlanner(plot).plan(); }

}  // namespace limber
