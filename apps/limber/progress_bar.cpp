#include "apps/limber/progress_bar.hpp"

#include "limber/base/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <utility>

namespace limber::app {
namespace {

constexpr int bar_width = 30;           ///< characters
constexpr double redraw_seconds = 0.1;  ///< as often as an eye can follow
constexpr double line_seconds = 2.0;    ///< at most one plain line in this time
constexpr double line_fraction = 0.1;   ///< and one per tenth of the work,
constexpr double silence = 300.0;       ///< s, or where a tenth takes longer than this, one in this time

constexpr double memory = 20.0;        ///< s, of the average rate
constexpr double least_share = 0.01;   ///< of the work before there is an estimate,
constexpr double least_seconds = 5.0;  ///< or time after which less is enough

}  // namespace

void RemainingTime::update(double now, double fraction) {
  if (!started_ || fraction < last_fraction_) {
    *this = {};
    started_ = true;
    start_ = last_ = now;
    start_fraction_ = last_fraction_ = fraction;
    return;
  }
  const double elapsed = now - last_;
  if (!(elapsed > 0.0)) return;  // counts with the next
  // Weights add up to less than 1 at first: dividing by their sum makes the early average one of what there
  // is.
  const double kept = std::exp(-elapsed / memory);
  rate_ = kept * rate_ + (1.0 - kept) * (fraction - last_fraction_) / elapsed;
  weight_ = kept * weight_ + (1.0 - kept);
  last_ = now;
  last_fraction_ = fraction;
}

std::optional<double> RemainingTime::seconds() const {
  const double done = last_fraction_ - start_fraction_;
  const double elapsed = last_ - start_;
  if (!(done > 0.0) || !(elapsed > 0.0) || !(weight_ > 0.0)) return {};
  if (done < least_share && elapsed < least_seconds) return {};
  const double rate = std::max(rate_ / weight_, done / elapsed);
  return std::max(0.0, 1.0 - last_fraction_) / rate;
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "years";
  const auto up_to = [](double value, double unit) {
    return static_cast<long>(std::ceil(value / unit - 1e-9));
  };
  if (seconds <= 20.0) return fmt::format("{} s", std::max(1L, up_to(seconds, 1.0)));
  if (seconds <= 90.0) return fmt::format("{} s", 5 * up_to(seconds, 5.0));
  const long minutes = up_to(seconds, 60.0);
  if (minutes < 100) return fmt::format("{} min", minutes);
  const long tens = 10 * up_to(seconds, 600.0);
  if (tens < 600 && tens % 60 != 0) return fmt::format("{} h {} min", tens / 60, tens % 60);
  const long hours = up_to(seconds, 3600.0);
  return hours <= 48 ? fmt::format("{} h", hours) : fmt::format("{} days", up_to(seconds, 86400.0));
}

ProgressOutput standard_progress_output() {
  return {::isatty(STDERR_FILENO) == 1, [timer = Timer()] { return timer.seconds(); },
          [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }};
}

ProgressBar::ProgressBar(ProgressOutput output) : output_(std::move(output)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) output_.write("\r\033[K");
}

std::string ProgressBar::line(std::string_view stage, double fraction) const {
  // 100 only when all is done.
  const double percent = fraction < 1.0 ? std::floor(100.0 * fraction + 1e-9) : 100.0;
  std::string text = fmt::format("{}  {:.0f} %", stage, percent);
  const std::optional<double> left = remaining_.seconds();
  if (left && fraction < 1.0) text += fmt::format("  {} left", duration_text(*left));
  return text;
}

void ProgressBar::show(std::string_view stage, double fraction) {
  fraction = std::isnan(fraction) ? 0.0 : std::clamp(fraction, 0.0, 1.0);
  const double now = output_.seconds();
  remaining_.update(now, fraction);
  if (fraction < last_fraction_) next_fraction_ = line_fraction;  // another stage
  last_fraction_ = fraction;
  if (now - last_shown_ < (output_.terminal ? redraw_seconds : line_seconds)) return;
  if (output_.terminal) {
    const int filled = static_cast<int>(std::lround(fraction * bar_width));
    output_.write(
        fmt::format("\r[{:#<{}}{:{}}] {}\033[K", "", filled, "", bar_width - filled, line(stage, fraction)));
    drawn_ = true;
  } else {
    constexpr double rounding = 1e-9;
    const double tenths = std::floor(fraction / line_fraction + rounding);
    if ((fraction + rounding < next_fraction_ && now - last_shown_ < silence) || fraction >= 1.0) return;
    output_.write(line(stage, fraction) + "\n");
    next_fraction_ = line_fraction * (tenths + 1.0);
  }
  last_shown_ = now;
}

}  // namespace limber::app
