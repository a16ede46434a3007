#pragma once

#include "limber/draw/surface.hpp"

#include <vector>

namespace limber {

/// Samples per pixel along each axis.
inline constexpr int samples_per_side = 3;

/// For each sample of a band of pixel rows, which facet is nearest.
class VisibilityBand {
 public:
  /// Rows [top, top + rows) of a picture, pixels.
  VisibilityBand(int width, int top, int rows);

  /// Enters a facet. Where `occluder` is given, only samples that are nearer than its by `bias` are taken.
  void draw(const Facet& facet, int number, const VisibilityBand* occluder = nullptr, float bias = 0.0f);

  /// Number of the nearest facet, -1 for none. sx, sy: sample within the band.
  [[nodiscard]] int facet_at(int sx, int sy) const { return number_[index(sx, sy)]; }

 private:
  [[nodiscard]] std::size_t index(int sx, int sy) const {
    return static_cast<std::size_t>(sy) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(sx);
  }

  int columns_;  ///< samples per row
  int rows_;     ///< rows of samples
  int top_;      ///< first row of samples in the picture
  std::vector<float> nearness_;
  std::vector<int> number_;
};

}  // namespace limber
