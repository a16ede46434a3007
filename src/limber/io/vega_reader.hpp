#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>
#include <string_view>

namespace limber {

/// True for content whose first line that is no comment starts with a keyword of Vega files, e.g. *VERTICES.
bool looks_like_vega(std::string_view content);

/// The volume mesh in the content of a Vega file (.veg, as text).
///
/// Vertices and elements (TET or CUBIC) count from 0 or 1, as the first ones do. Regions are those of the
/// file, named by their set; an element in several belongs to the last, as in VegaFEM. Tags count from 1 in
/// the order of the file, unless every material is called material_TAG, as write_vega does; a set unnamed_TAG
/// then means a region without a name. Elements in no region form one with the lowest free tag from 0,
/// without a name. Materials are not read otherwise.
///
/// `where` names the source in messages. *INCLUDE is refused: read_vega resolves it. Throws Error for
/// anything malformed; parse_mesh checks the geometry.
VolumeMesh parse_vega(std::string_view content, std::string_view where);

/// The mesh in a Vega file. `*INCLUDE name` stands for the content of the file of that name, relative to the
/// folder of the first file, as in VegaFEM. Refuses a file that includes itself and more than 100 inclusions.
/// read_from: gets the files that it includes, where it is given.
VolumeMesh read_vega(const std::filesystem::path& path, FileList* read_from = nullptr);

}  // namespace limber
