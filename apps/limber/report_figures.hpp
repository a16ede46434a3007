#pragma once

#include "limber/base/executor.hpp"
#include "limber/mesh/up_axis.hpp"
#include "limber/precompute/reduce.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace limber::app {

/// A picture or a plot of a report, written to its folder.
struct Figure {
  std::string file;         ///< name in the folder
  std::string alternative;  ///< what it shows, for those who do not see it
  std::string caption;
  int width = 0, height = 0;  ///< pixels
};

inline constexpr Index most_mode_pictures = 12;

// Pictures (.png).

/// The first basis vectors, one picture each: the body moved along them, coloured by how far, with its rest
/// shape as a ghost. Of the simulation mesh, or of the surface where that was left out.
/// width: of a picture, pixels.
std::vector<Figure> draw_basis(const std::filesystem::path& folder, const ReducedModel& reduced, UpAxis up,
                               const Executor& executor, int width = 640);

/// The mesh with what holds it in orange. Nothing where nothing does, or without the mesh.
std::optional<Figure> draw_held_vertices(const std::filesystem::path& folder, const ReducedModel& reduced,
                                         UpAxis up, const Executor& executor, int width = 960);

/// The points of a cubature inside of the body, coloured and sized by their weight (with a weight per
/// coordinate: by the sum). Nothing without cubature or without the mesh, which knows where they are.
std::optional<Figure> draw_cubature(const std::filesystem::path& folder, const ReducedModel& reduced,
                                    UpAxis up, const Executor& executor, int width = 1400);

/// Where the points of a cubature are in the rest shape, 3 x m.
Matrix3X cubature_positions(const CubatureRule& rule, const VolumeMesh& mesh);

// Plots (.svg); nothing where there is nothing to plot.

/// Natural frequencies: of the linear modes, of the reduced model, and the true ones where they are known.
std::optional<Figure> plot_frequencies(const std::filesystem::path& folder, const ReducedModel& reduced,
                                       const ReduceReport& report);

/// Angles between the true modes and the basis, degrees.
std::optional<Figure> plot_angles(const std::filesystem::path& folder, const ReduceReport& report);

/// Singular values of the samples as shares of the largest, with the rank that was kept.
std::optional<Figure> plot_singular_values(const std::filesystem::path& folder, const ReducedModel& reduced,
                                           const ReduceReport& report);

/// Error of the force over points, of the last fit.
std::optional<Figure> plot_training_curve(const std::filesystem::path& folder, const ReducedModel& reduced,
                                          const ReduceReport& report);

/// Errors on known and on new poses over the number of poses.
std::optional<Figure> plot_training_rounds(const std::filesystem::path& folder, const ReducedModel& reduced,
                                           const ReduceReport& report);

}  // namespace limber::app
