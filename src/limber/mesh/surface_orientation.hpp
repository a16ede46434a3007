#pragma once

#include "limber/mesh/surface_mesh.hpp"

#include <span>
#include <vector>

namespace limber {

/// One side of a triangle.
struct TriangleEdge {
  int low, high;  ///< vertices, low < high
  int triangle;
  bool forward;  ///< the triangle runs through it from low to high
};

/// All sides of all triangles, those of equal vertices together; sides without length are left out.
std::vector<TriangleEdge> sorted_edges(const SurfaceMesh& surface);

/// Calls visit(sides) with all sides between the same two vertices.
template <class Visit>
void for_each_edge(std::span<const TriangleEdge> edges, Visit&& visit) {
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin + 1;
    while (end < edges.size() && edges[end].low == edges[begin].low && edges[end].high == edges[begin].high)
      ++end;
    visit(edges.subspan(begin, end - begin));
    begin = end;
  }
}

/// Turns triangles so that the surface is outward as far as that can be told; returns how many were turned.
///
/// Triangles connected through edges that just two of them share form a patch. Within one, neighbours are
/// made to agree, as most of its area was turned. Then a patch is turned
/// - with all others, where the surface as a whole encloses a negative volume;
/// - where it encloses one itself and lies inside of no other: inward patches in another are cavities; with
///   the closed patches that lie inside of it, so that its own cavities stay ones;
/// - alone, where it is open and closes a hole of the others the wrong way: their winding number must fall
///   along its normal. Where that and its own volume disagree, it stays as it is.
/// Vertices must be merged. Cost O(n log n).
Index orient_outward(SurfaceMesh& surface);

}  // namespace limber
