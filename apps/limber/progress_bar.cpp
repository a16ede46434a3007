#include "apps/limber/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace limber::app {
namespace {

constexpr int bar_width = 30;           ///< characters
constexpr double redraw_seconds = 0.1;  ///< as often as an eye can follow
constexpr double line_seconds = 2.0;    ///< at most one plain line in this time
constexpr double line_fraction = 0.1;   ///< and one per tenth of the work

void write_stderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) write_stderr("\r\033[K");
}

void ProgressBar::show(std::string_view stage, double fraction) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  const double now = timer_.seconds();
  if (now - last_shown_ < (terminal_ ? redraw_seconds : line_seconds)) return;
  const std::string left =
      fraction > 0.01 ? fmt::format(", {:.0f} s left", now * (1.0 - fraction) / fraction) : "";
  if (terminal_) {
    const int filled = static_cast<int>(std::lround(fraction * bar_width));
    write_stderr(fmt::format("\r[{:#<{}}{:{}}] {:3.0f} %  {}{}\033[K", "", filled, "", bar_width - filled,
                             100.0 * fraction, stage, left));
    drawn_ = true;
  } else {
    if (fraction < next_fraction_ || fraction >= 1.0) return;
    write_stderr(fmt::format("{}: {:.0f} %{}\n", stage, 100.0 * fraction, left));
    next_fraction_ = fraction + line_fraction;
  }
  last_shown_ = now;
}

}  // namespace limber::app
