#pragma once

#include "limber/io/byte_order.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Types of the numbers in VTK files.
enum class VtkType { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

/// Bytes of one number.
std::size_t size_of(VtkType type);
/// The type that VTK XML files call e.g. "Int32"; nothing for a name that is none.
std::optional<VtkType> vtk_xml_type(std::string_view name);
/// The type that legacy files call e.g. "int". "vtkIdType" takes 4 bytes there, "long" 8 as on 64-bit Linux.
std::optional<VtkType> vtk_legacy_type(std::string_view name);

/// The numbers that the bytes hold; a rest that makes no number is left out. Reals lose their
/// fraction.
std::vector<std::int64_t> decode_integers(std::string_view bytes, VtkType type, ByteOrder order);
std::vector<double> decode_reals(std::string_view bytes, VtkType type, ByteOrder order);

/// Cell types of VTK that limber reads.
inline constexpr std::uint8_t vtk_tetra = 10;
inline constexpr std::uint8_t vtk_voxel = 11;
inline constexpr std::uint8_t vtk_hexahedron = 12;

/// Field data in which limber keeps the names of regions: their tags, and the codes of the characters of each
/// name followed by a 0. Numbers rather than strings, because fewer programs read strings.
inline constexpr std::string_view vtk_tags_field = "region_tags";
inline constexpr std::string_view vtk_names_field = "region_names";

/// An unstructured grid as VTK files store it; nothing is checked yet.
struct VtkGrid {
  std::vector<double> points;              ///< 3 n
  std::vector<std::int64_t> connectivity;  ///< point numbers of all cells, one after another
  std::vector<std::int64_t> offsets;       ///< cells + 1: where each cell starts in `connectivity`
  std::vector<std::int64_t> types;         ///< cells: VTK's number of the cell type
  std::string region_array;                ///< name of the cell data that tell regions apart; empty for none
  std::vector<double> regions;             ///< cells: its values
  std::vector<std::int64_t> name_tags;     ///< vtk_tags_field
  std::vector<std::int64_t> name_codes;    ///< vtk_names_field
};

/// True where cell data of that name tell regions apart, and better than `current` does (empty for none): in
/// this order region (limber), CellEntityIds (Gmsh), gmsh:physical, medit:ref, tetgen:ref, gmsh:geometrical
/// (meshio), cell_scalars (TetGen), RegionId (ParaView), MaterialIds (OpenGeoSys).
bool is_better_region_array(std::string_view name, std::string_view current);

/// The volume mesh of a grid: its tetrahedra or its hexahedra and voxels; cells of lower dimension are left
/// out. Throws Error, naming `where`, for other cells, a mix and whatever does not fit together.
VolumeMesh build_mesh(const VtkGrid& grid, std::string_view where);

/// vtk_names_field of a mesh; empty where no region has a name.
std::string encode_region_names(const VolumeMesh& mesh);

}  // namespace limber
