#pragma once

#include "limber/linalg/types.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace limber {

/// Weights of bones at the vertices of a mesh, bones x n, from a .csv file: lines `vertex,bone,weight`,
/// vertices by number, bones by name or by number, both from 0. What has no line is 0; spaces, blank lines
/// and a header are passed over. Columns are scaled to the sum 1. Throws Error, naming the file and the line,
/// for vertices and bones that do not exist, weights outside of 0 to 1 or given twice, and vertices whose
/// weights do not add up to 1 within 1e-6, those without any among them.
Matrix read_skin_weights(const std::filesystem::path& path, std::span<const std::string> bones,
                         Index vertices);

/// The same for text in memory; `where` names it in messages.
Matrix parse_skin_weights(std::string_view text, std::span<const std::string> bones, Index vertices,
                          std::string_view where);

}  // namespace limber
