#pragma once

#include "limber/draw/image.hpp"
#include "limber/online/timeline.hpp"

#include <optional>
#include <string>
#include <vector>

namespace limber {

/// One run.
struct TimelineBar {
  std::string name;  ///< shown above the bar
  Timeline steps;
  std::optional<double> timestep;  ///< s, where it is not that of the plot
};

/// What runs with online model reduction did, one bar below the other. [Kim & James 2009, Figures 1, 3, 4]
struct TimelinePlot {
  std::string title;
  std::vector<TimelineBar> bars;
  double timestep = 0.0;                 ///< s, for an axis in time; 0 for an axis in steps
  std::optional<double> accepted_error;  ///< relative, as a dashed line
  bool curves = true;  ///< rank and estimated error below each bar, on the same scales for all
  int width = 900;     ///< pixels; the height follows from the number of bars
};

/// The plot as an SVG document: full steps black, reduced steps light gray, red ticks above where the basis
/// grew and longer blue ones where it was down-dated. Steps narrower than a pixel are shaded by the share of
/// full ones among them, any at all being visible, so that the document stays below some 200 kB per bar for
/// any number of steps. Errors that are not finite leave gaps. Texts may hold any bytes. Throws Error for a
/// plot without bars or with more than 100, a width outside of 320 to 10000, and timesteps that are negative
/// or not finite.
std::string to_svg(const TimelinePlot& plot);

/// The same as a picture of scale * width pixels across, scale from 1 to 8; texts in ASCII, other characters
/// as '?'.
Image to_image(const TimelinePlot& plot, double scale = 2.0);

}  // namespace limber
