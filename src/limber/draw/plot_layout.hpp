#pragma once

#include "limber/draw/line_plot.hpp"
#include "limber/draw/plot_axis.hpp"
#include "limber/draw/polyline.hpp"

#include <string>
#include <vector>

namespace limber {

/// Sizes of what a plot consists of, pixels.
namespace plot_sizes {
inline constexpr double title_text = 15.0;  ///< of the typeface
inline constexpr double text = 13.0;
inline constexpr double tick_text = 12.0;
inline constexpr double power_text = 8.7;  ///< of exponents
inline constexpr double title_row = 20.0;
inline constexpr double legend_row = 19.0;
inline constexpr double border = 14.0;  ///< between the outermost texts and the edge
inline constexpr double tick_length = 5.0;
inline constexpr double sample_length = 28.0;  ///< of a curve in the legend
inline constexpr double sample_gap = 7.0;      ///< between that and the name
}  // namespace plot_sizes

struct PlotBox {
  Vector2 low = Vector2::Zero();   ///< left, top
  Vector2 high = Vector2::Zero();  ///< right, bottom

  [[nodiscard]] Vector2 size() const { return high - low; }
};

struct PlotLegend {
  enum class Place { inside, above, right };
  struct Entry {
    std::size_t curve = 0;
    std::string name;
    Vector2 at = Vector2::Zero();  ///< middle of its left end
  };

  Place place = Place::inside;
  PlotBox box;
  double size = plot_sizes::text;  ///< of the typeface
  std::vector<Entry> entries;
};

/// Where everything in a plot goes, in pixels from the top left corner.
struct PlotLayout {
  PlotBox frame;  ///< what the axes enclose
  PlotAxis x_axis, y_axis;
  std::vector<std::string> title;  ///< its lines
  std::vector<Polyline> lines;     ///< of the curves, with as many points as can be seen
  PlotLegend legend;

  [[nodiscard]] Vector2 to_pixels(double x, double y) const {
    return {frame.low.x() + x_axis.position(x) * frame.size().x(),
            frame.high.y() - y_axis.position(y) * frame.size().y()};
  }
};

/// plot: checked already.
PlotLayout lay_out_plot(const LinePlot& plot);

}  // namespace limber
