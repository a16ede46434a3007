#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace limber {

/// Named values, one column per vertex or per element.
struct VtuField {
  std::string name;
  Matrix values;  ///< 1 x n for scalars, 3 x n for vectors; any number of rows is allowed
};

struct VtuFields {
  Matrix3X displacement = {};           ///< 3 x vertices, m; empty for the body at rest
  std::vector<VtuField> vertices = {};  ///< one column per vertex
  std::vector<VtuField> elements = {};  ///< one column per element
};

/// Writes an unstructured grid that ParaView reads (VTK XML, .vtu). The points are the deformed positions
/// (rest position plus displacement). Point data are `displacement`, where it is given, and
/// `fields.vertices`; cell data are `region` (the tag of each element's region) and `fields.elements`.
/// Numbers are doubles, inline base64. Where regions have names, the field data region_tags and region_names
/// (vtk_grid.hpp) keep them. Without displacement, read_mesh gives the mesh back bit by bit as long as each
/// tag is used by one region only. Throws Error for a field of the wrong size, without a name or with a name
/// used twice.
/// read_back: looks at the content before it takes the place of an older file, as for write_file.
void write_vtu(const std::filesystem::path& path, const VolumeMesh& mesh, const VtuFields& fields = {},
               const ReadBack& read_back = {});

/// One instant of a series.
struct PvdEntry {
  double time = 0.0;           ///< s
  std::filesystem::path file;  ///< relative to the folder of the .pvd file
};

/// Writes the collection file (.pvd) by which ParaView opens a series of .vtu files with their times.
void write_pvd(const std::filesystem::path& path, std::span<const PvdEntry> entries);

}  // namespace limber
