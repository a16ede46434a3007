#pragma once

#include "limber/linalg/types.hpp"

#include <filesystem>

namespace limber {

/// Writes one line `x,y,z` per column, without a header, each number with the fewest digits that read back
/// exactly. displacement: 3 x n, m.
void write_csv(const std::filesystem::path& path, const Matrix3X& displacement);

}  // namespace limber
