#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// The volume mesh in a file, ready to simulate: tetrahedra turned to positive volume, bricks in canonical
/// order, everything checked (check_mesh, and no element twice). The format is told by the content, not by
/// the extension, except for TetGen's two files, which only their names tell. Vertex numbers count from 0 in
/// the order of the file.
///
/// Formats; the header of each reader says what becomes of its groups:
///   Gmsh MSH 2.2 and 4.1, ASCII and binary   gmsh_reader.hpp
///   MEDIT .mesh and .meshb                    medit_reader.hpp
///   TetGen .node with .ele                    tetgen_reader.hpp
///   VTK legacy .vtk, ASCII and binary         vtk_legacy_reader.hpp
///   VTK XML .vtu                              vtu_reader.hpp
///   Vega .veg                                 vega_reader.hpp
/// Throws Error, naming the file, for one that cannot be read, is no mesh or cannot be simulated.
/// read_from: gets the files that were read, where it is given.
VolumeMesh read_mesh(const std::filesystem::path& path, FileList* read_from = nullptr);

/// read_mesh for content that is in memory; `where` names it in messages. TetGen's two files have
/// parse_tetgen, which leaves the checks to finish_mesh; Vega files must not include others.
VolumeMesh parse_mesh(std::string_view content, std::string_view where);

/// What parse_mesh does to a mesh after the format's own reader: turns tetrahedra of negative volume (many
/// programs number them the other way round, which carries no meaning), puts bricks in canonical order and
/// checks everything. `where` names the source in messages.
void finish_mesh(VolumeMesh& mesh, std::string_view where);

/// Writes the mesh in the format that the extension names (.msh, .mesh, .meshb, .node or .ele, .vtk, .vtu,
/// .veg), so that read_mesh gives the same bits back: vertices, elements and the region of each, in the same
/// order. Regions come back ordered by tag, those without elements not at all. Tags are kept by all formats,
/// names by all but MEDIT and TetGen. Throws Error for another extension and for what the format cannot hold:
/// bricks in TetGen files, tags below 1 in Gmsh files (but for 0 without a name), names with commas in Vega
/// files, a tag that two regions use in any. The files are read back before they take the place of older
/// ones.
void write_mesh(const std::filesystem::path& path, const VolumeMesh& mesh);

/// Whether the content looks like a volume mesh of one of these formats.
bool looks_like_mesh(std::string_view content);

/// The files that write_mesh writes: one, or TetGen's two.
std::vector<std::filesystem::path> files_of_mesh(const std::filesystem::path& path);

/// Throws Error unless write_mesh knows the extension; for a check before long work.
void check_mesh_extension(const std::filesystem::path& path);

/// The formats of volume meshes for a message or a help text: "Gmsh (.msh 2.2 or 4.1), MEDIT (.mesh, ...),
/// ...".
std::string volume_format_names();

}  // namespace limber
