#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>
#include <string_view>

namespace limber {

/// The set that VegaFEM defines in every mesh.
inline constexpr std::string_view all_elements_set = "allElements";
/// Names that carry the tag of a region: of its material, and of its set where it has no name.
inline constexpr std::string_view material_prefix = "material_";
inline constexpr std::string_view unnamed_prefix = "unnamed_";

/// Writes the mesh as a Vega file (.veg) that read_mesh gives back bit by bit and VegaFEM loads.
///
/// Each region becomes a set with its name, or unnamed_TAG, and a material material_TAG: rubber-like
/// placeholders (ENU, 1000 kg/m^3, 1 MPa, 0.45), to be edited. VegaFEM takes all bricks for cubes of the size
/// of the first, and drops blanks within names. Throws Error for a tag or a name that two regions use and for
/// names that hold a comma, a line break or blanks around them, none of which the format can express.
/// read_back: looks at the content before it takes the place of an older file, as for write_file.
void write_vega(const std::filesystem::path& path, const VolumeMesh& mesh, const ReadBack& read_back = {});

}  // namespace limber
