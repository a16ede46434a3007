#pragma once

#include "limber/draw/color_bar.hpp"

#include <string>
#include <vector>

namespace limber {

/// A number as a label: `text`, and the exponent of the power of ten that it ends with, if any.
struct PlotLabel {
  std::string text;
  std::string power;  ///< shown above the line
};

struct PlotTick {
  double value = 0.0;
  PlotLabel label;
};

/// An axis of a plot: what it spans, and where its ticks are.
struct PlotAxis {
  ValueRange range;
  bool log = false;
  std::vector<PlotTick>
      ticks;  ///< round numbers: 1, 2 or 5 times a power of ten apart; powers of ten where log
  std::vector<double> minor;  ///< further lines of the grid, without labels
  PlotLabel scale;            ///< what the labels are to be multiplied with; empty for one

  /// 0 at the low end, 1 at the high end.
  [[nodiscard]] double position(double value) const;
};

inline constexpr double largest_plotted = 1e300;  ///< no sum or difference of two such numbers overflows

/// data: the smallest and the largest number, finite, at most largest_plotted in size; positive where log.
/// margin: what is left free at either end, as a share; it does not cross zero. wanted: about how many ticks.
/// A range that is narrower than 1e-8 of its numbers is widened: no label would tell its ends apart.
PlotAxis make_axis(const ValueRange& data, bool log, double margin, int wanted);

}  // namespace limber
