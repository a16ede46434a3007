#pragma once

#include "limber/linalg/types.hpp"

#include <string>
#include <vector>

namespace limber {

/// One curve of a plot.
struct Curve {
  std::string name;  ///< for the legend; empty to leave it out there
  Vector x, y;       ///< of the same size, one point at least
  bool dashed = false;
};

struct LinePlot {
  std::string title;
  std::string x_label, y_label;  ///< with units
  std::vector<Curve> curves;     ///< later ones are drawn over earlier ones
  bool log_x = false, log_y = false;
  int width = 800, height = 450;  ///< pixels
};

/// The plot as an SVG document: axes with round ticks, a grid, curves in colours that are told apart also by
/// the colour-blind (Okabe & Ito 2008), a legend that avoids the curves: inside where there is room, else
/// above or at the right. Solid curves of a few points show these. Curves keep as many points as can be seen,
/// so that the document stays small. The background is white, for pages of any colour. Texts may hold any
/// bytes.
/// Throws Error when there is nothing to draw or a number is not finite, larger than 1e300 or, on a
/// logarithmic axis, not positive.
std::string to_svg(const LinePlot& plot);

}  // namespace limber
