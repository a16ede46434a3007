#pragma once

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/mesh/volume_mesh.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace limber::test {

/// A file that Gmsh made.
inline std::filesystem::path data_file(std::string_view name) {
  return std::filesystem::path(LIMBER_IO_TEST_DATA) / name;
}

inline std::string parse_error(std::string_view content) {
  return error_text([&] { parse_mesh(content, "test.msh"); });
}

/// One tetrahedron with the corners 0, x, y, z, in MSH 2.2.
inline constexpr std::string_view tetrahedron_22 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 5 6 1 2 3 4
$EndElements
)";

/// The same in MSH 4.1, volume 6 in physical group 5.
inline constexpr std::string_view tetrahedron_41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 0 1
6 0 0 0 1 1 1 1 5 0
$EndEntities
$Nodes
1 4 1 4
3 6 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
1 1 1 1
3 6 4 1
1 1 2 3 4
$EndElements
)";

/// `text` with the first `old_part` replaced; a failed test where it is not there.
inline std::string replaced(std::string_view text, std::string_view old_part, std::string_view new_part) {
  std::string result(text);
  const std::size_t found = result.find(old_part);
  if (found == std::string::npos) {
    ADD_FAILURE() << "'" << old_part << "' is not in the sample";
    return result;
  }
  return result.replace(found, old_part.size(), new_part);
}

inline void expect_same_mesh(const VolumeMesh& mesh, const VolumeMesh& expected) {
  EXPECT_EQ(mesh.kind, expected.kind);
  EXPECT_EQ(mesh.vertices, expected.vertices);
  EXPECT_EQ(mesh.elements, expected.elements);
  EXPECT_EQ(mesh.region, expected.region);
  EXPECT_EQ(mesh.regions, expected.regions);
}

}  // namespace limber::test
