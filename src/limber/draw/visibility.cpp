#include "limber/draw/visibility.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Samples this far outside of an edge still count, so that rounding leaves no gap between neighbours.
constexpr double edge_tolerance = 1e-7;

/// Pictures of triangles with less area than this, in samples, are left out: their depth is all rounding.
constexpr double least_area = 1e-9;

int clamp_to_int(double value, int low, int high) {
  return static_cast<int>(std::clamp(value, static_cast<double>(low), static_cast<double>(high)));
}

}  // namespace

VisibilityBand::VisibilityBand(int width, int top, int rows)
    : columns_(width * samples_per_side), rows_(rows * samples_per_side), top_(top * samples_per_side) {
  const auto count = static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_);
  nearness_.assign(count, -std::numeric_limits<float>::infinity());
  number_.assign(count, -1);
}

void VisibilityBand::draw(const Facet& facet, int number, const VisibilityBand* occluder, float bias) {
  // Corners in units of samples: sample (i, j) of the band lies at exactly (i, j).
  std::array<double, 3> x{};
  std::array<double, 3> y{};
  std::array<double, 3> z{};
  for (int k = 0; k < 3; ++k) {
    x[k] = samples_per_side * facet.corners[k].x - 0.5;
    y[k] = samples_per_side * facet.corners[k].y - 0.5 - top_;
    z[k] = facet.corners[k].nearness;
  }
  const double area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
  if (!(std::abs(area) > least_area)) return;
  const double dz_dx = ((z[1] - z[0]) * (y[2] - y[0]) - (z[2] - z[0]) * (y[1] - y[0])) / area;
  const double dz_dy = ((z[2] - z[0]) * (x[1] - x[0]) - (z[1] - z[0]) * (x[2] - x[0])) / area;
  const auto [z_low, z_high] =
      std::minmax({static_cast<float>(z[0]), static_cast<float>(z[1]), static_cast<float>(z[2])});

  const auto [y_low, y_high] = std::minmax({y[0], y[1], y[2]});
  const int first_row = clamp_to_int(std::ceil(y_low - edge_tolerance), 0, rows_);
  const int last_row = clamp_to_int(std::floor(y_high + edge_tolerance), -1, rows_ - 1);
  for (int row = first_row; row <= last_row; ++row) {
    // The span of the row inside the triangle: between the sides that cross it.
    double left = std::numeric_limits<double>::infinity();
    double right = -left;
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3;
      const double low = std::min(y[k], y[next]);
      const double high = std::max(y[k], y[next]);
      if (row < low - edge_tolerance || row > high + edge_tolerance) continue;
      const double t = high > low ? std::clamp((row - y[k]) / (y[next] - y[k]), 0.0, 1.0) : 0.0;
      const double crossing = x[k] + t * (x[next] - x[k]);
      left = std::min({left, crossing, high > low ? crossing : x[next]});
      right = std::max({right, crossing, high > low ? crossing : x[next]});
    }
    if (left > right) continue;
    const int first = clamp_to_int(std::ceil(left - edge_tolerance), 0, columns_);
    const int last = clamp_to_int(std::floor(right + edge_tolerance), -1, columns_ - 1);
    const double z_row = z[0] + dz_dy * (row - y[0]) - dz_dx * x[0];
    for (int column = first; column <= last; ++column) {
      const float nearness = std::clamp(static_cast<float>(z_row + dz_dx * column), z_low, z_high);
      const std::size_t i = index(column, row);
      if (nearness <= nearness_[i]) continue;
      if (occluder != nullptr && nearness <= occluder->nearness_[i] + bias) continue;
      nearness_[i] = nearness;
      number_[i] = number;
    }
  }
}

}  // namespace limber
