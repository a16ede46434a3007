#pragma once

#include "tests/support/fixtures.hpp"

#include <array>

namespace limber::test {

/// Ways to hold a body, from not at all to entirely.
enum class Support { free, two_free_parts, one_vertex, hinge, held };

inline constexpr std::array all_supports{Support::free, Support::two_free_parts, Support::one_vertex,
                                         Support::hinge, Support::held};

inline std::string name_of(Support support) {
  constexpr std::array<std::string_view, 5> names{"free", "two_free_parts", "one_vertex", "hinge", "held"};
  return std::string(names[static_cast<std::size_t>(support)]);
}

inline void PrintTo(Support support, std::ostream* stream) { *stream << name_of(support); }

inline Index rigid_mode_count(Support support) {
  constexpr std::array<Index, 5> counts{6, 12, 3, 1, 0};
  return counts[static_cast<std::size_t>(support)];
}

/// Two copies of a mesh side by side along y, apart.
inline VolumeMesh two_of(const VolumeMesh& mesh) {
  VolumeMesh both = mesh;
  const Index n = mesh.vertex_count(), m = mesh.element_count();
  both.vertices.resize(3, 2 * n);
  both.vertices << mesh.vertices, mesh.vertices.colwise() + Vector3(0.3, 10.0, 0.0);
  both.elements.resize(mesh.elements.rows(), 2 * m);
  both.elements << mesh.elements, (mesh.elements.array() + static_cast<int>(n)).matrix();
  both.region.insert(both.region.end(), mesh.region.begin(), mesh.region.end());
  return both;
}

/// A small beam of uneven sections, so that no two modes have one frequency.
inline FullModel supported_beam(Support support, std::string_view law = "stvk",
                                ElementKind kind = ElementKind::tetrahedron) {
  VolumeMesh mesh = make_beam({kind, Vector3(4.0, 1.1, 0.9), Eigen::Vector3i(5, 2, 2)});
  if (support == Support::two_free_parts) mesh = two_of(mesh);
  std::vector<int> fixed;
  if (support == Support::held) fixed = vertices_below(mesh, 1e-9);
  if (support == Support::one_vertex) fixed = {7};
  if (support == Support::hinge) {  // an edge of the left end, all of it
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      if (mesh.vertices(0, v) < 1e-9 && mesh.vertices(2, v) < -0.4) fixed.push_back(v);
    }
  }
  return {std::move(mesh), {material(law)}, fixed};
}

}  // namespace limber::test
