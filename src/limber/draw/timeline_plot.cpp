#include "limber/draw/timeline_plot.hpp"

#include "limber/base/error.hpp"
#include "limber/draw/plot_axis.hpp"
#include "limber/draw/timeline_layout.hpp"

namespace limber {
namespace {

void check(const TimelinePlot& plot) {
  require(!plot.bars.empty() && plot.bars.size() <= 100, "a timeline plot of {} bars, expected 1 to 100",
          plot.bars.size());
  require(plot.width >= 320 && plot.width <= 10000, "a timeline plot {} pixels wide, expected 320 to 10000",
          plot.width);
  const auto check_step = [](double timestep) {
    require(timestep >= 0.0 && timestep <= largest_plotted,
            "a timeline plot with steps of {} s, expected a finite length or 0", timestep);
  };
  check_step(plot.timestep);
  for (const TimelineBar& bar : plot.bars) check_step(bar.timestep.value_or(0.0));
}

}  // namespace

std::string to_svg(const TimelinePlot& plot) {
  check(plot);
  return to_svg(lay_out_timeline(plot), plot.title);
}

Image to_image(const TimelinePlot& plot, double scale) {
  check(plot);
  require(scale >= 1.0 && scale <= 8.0, "a timeline picture at {} times its size, expected 1 to 8", scale);
  return to_image(lay_out_timeline(plot), scale);
}

}  // namespace limber
