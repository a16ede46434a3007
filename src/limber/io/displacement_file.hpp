#pragma once

#include "limber/base/file.hpp"
#include "limber/linalg/types.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

namespace limber {

/// Displacement fields of a mesh with n vertices (3 x n each, m), one at least, from
///   .csv   lines `x,y,z`, n for each field: what `limber simulate` writes, and several such files joined
///   .vtu   the point data named "displacement", else "u", in any case; one field
///   .pvd   a series of .vtu files, relative to its folder; all their fields, in its order
/// Throws Error, naming the file and the line, for numbers that are missing or not finite and for another
/// number of vertices. read_from: gets the files that were read, where it is given.
std::vector<Matrix3X> read_displacements(const std::filesystem::path& path, Index vertices,
                                         FileList* read_from = nullptr);

/// The content of a .csv file; `where` names it in messages. Spaces around numbers, either kind of line
/// break, blank lines and a header `x,y,z` between fields (before the first and after the last as well) and a
/// byte order mark are passed over.
std::vector<Matrix3X> parse_displacements_csv(std::string_view text, Index vertices, std::string_view where);

/// The content of a .vtu file.
Matrix3X parse_displacements_vtu(std::string_view content, Index vertices, std::string_view where);

}  // namespace limber
