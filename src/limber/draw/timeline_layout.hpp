#pragma once

#include "limber/draw/drawing.hpp"
#include "limber/draw/timeline_plot.hpp"

namespace limber {

/// Where everything in the plot goes. plot: checked already.
Drawing lay_out_timeline(const TimelinePlot& plot);

}  // namespace limber
