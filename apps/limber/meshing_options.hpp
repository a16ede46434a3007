#pragma once

#include "apps/limber/option_uses.hpp"
#include "limber/mesh/mesher.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber::app {

/// How surfaces become volume meshes: what `limber mesh` and every command that meshes on the way are told.
struct MeshingOptions {
  std::string method = "tet";
  std::optional<int> cells;
  std::int64_t target_elements = 0;
  std::int64_t usual_elements = 0;  ///< as many where neither is given; 0: 40 cells
  int grading = 0;
  std::string fill = "touched";
  bool keep_volume_error = false;
  double smallest_part = 0.01;
};

/// Declares all of them; usual_elements must be set.
void add_meshing_options(CLI::App& parser, MeshingOptions& options);

/// Throws Error for words that are not known.
MesherOptions mesher_options(const MeshingOptions& options, int threads);

/// Which of them are of use. meshes: whether a surface is meshed at all; whose: what has no use for them
/// where none is.
void add_meshing_uses(std::vector<OptionUse>& uses, const MeshingOptions& options, bool meshes,
                      std::string_view whose);

}  // namespace limber::app
