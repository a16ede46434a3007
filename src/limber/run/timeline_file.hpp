#pragma once

#include "limber/draw/timeline_plot.hpp"

#include <filesystem>

namespace limber {

/// Throws Error unless the name ends with .svg or .png: for a check before a long run.
void check_timeline_path(const std::filesystem::path& path);

/// Draws the bars into a file, by its extension .svg or .png. A crash never leaves half a file.
void write_timeline(const std::filesystem::path& path, const TimelinePlot& plot);

}  // namespace limber
