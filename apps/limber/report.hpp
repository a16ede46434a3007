#pragma once

#include "limber/base/executor.hpp"
#include "limber/mesh/up_axis.hpp"
#include "limber/precompute/reduce.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace limber::app {

/// What a report says beside what the precomputation found.
struct ReportFacts {
  std::string name;    ///< of the body
  Index elements = 0;  ///< of the mesh that was reduced
  Index vertices = 0;  ///< of it
  Index unknowns = 0;  ///< of the full model
  UpAxis up = UpAxis::z;
  Index held = 0;  ///< vertices that do not move
  std::string held_where;
  double total_seconds = 0.0;
  std::int64_t peak_memory_bytes = 0;
  std::vector<std::string> options;  ///< how it was asked for, a line each
};

/// Whether a file name is one that a report may have.
bool is_report_file(std::string_view name);

/// Writes a page about a precomputation: index.html with pictures and plots beside it, which need nothing
/// else to be shown. What there is no data for is left out: the points of a cubature, say, of a model that
/// was kept without its mesh.
/// folder: made where it is missing; files of the same names in it are replaced, each at once, the page last.
/// Throws Error where it is no folder or cannot be written; new files and folders are then removed.
void write_report(const std::filesystem::path& folder, const ReducedModel& reduced,
                  const ReduceReport& report, const ReportFacts& facts, const Executor& executor);

}  // namespace limber::app
