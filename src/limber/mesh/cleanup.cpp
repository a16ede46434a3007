#include "limber/mesh/cleanup.hpp"

#include "limber/mesh/union_find.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace limber {
namespace {

/// A face of an element by its sorted vertices; a triangle starts with -1.
struct Face {
  std::array<int, 4> vertices;
  int element;
};

struct ElementPair {
  int first, second;
};

/// All faces, those with the same highest vertex together: entry v of `begin` is where those of vertex v
/// start.
struct FacesByVertex {
  std::vector<Face> faces;
  std::vector<Index> begin;
};

FacesByVertex collect_faces(const VolumeMesh& mesh) {
  const bool tetrahedra = mesh.kind == ElementKind::tetrahedron;
  const std::span<const std::array<int, 4>> loops =
      tetrahedra ? std::span<const std::array<int, 4>>(tetrahedron_faces)
                 : std::span<const std::array<int, 4>>(brick_faces);
  const auto face_of = [&](int e, const std::array<int, 4>& loop) {
    Face face{{-1, -1, -1, -1}, e};
    for (int k = 0; k < (tetrahedra ? 3 : 4); ++k) face.vertices[k] = mesh.elements(loop[k], e);
    std::sort(face.vertices.begin(), face.vertices.end());
    return face;
  };
  FacesByVertex result;
  result.begin.assign(static_cast<std::size_t>(mesh.vertex_count()) + 1, 0);
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
    for (const auto& loop : loops) ++result.begin[face_of(e, loop).vertices[3] + 1];
  }
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.faces.resize(static_cast<std::size_t>(result.begin.back()));
  std::vector<Index> next = result.begin;
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
    for (const auto& loop : loops) {
      const Face face = face_of(e, loop);
      result.faces[next[face.vertices[3]]++] = face;
    }
  }
  return result;
}

/// Pairs of elements that share a face.
std::vector<ElementPair> face_neighbours(const VolumeMesh& mesh) {
  FacesByVertex sorted = collect_faces(mesh);
  std::vector<ElementPair> pairs;
  for (std::size_t v = 0; v + 1 < sorted.begin.size(); ++v) {
    const auto begin = sorted.faces.begin() + sorted.begin[v];
    const auto end = sorted.faces.begin() + sorted.begin[v + 1];
    std::sort(begin, end, [](const Face& a, const Face& b) {
      return a.vertices != b.vertices ? a.vertices < b.vertices : a.element < b.element;
    });
    for (auto face = begin; face != end && face + 1 != end; ++face) {
      if (face->vertices == (face + 1)->vertices) pairs.push_back({face->element, (face + 1)->element});
    }
  }
  return pairs;
}

/// Keeps some of the elements, and the pairs among them.
void keep_elements(VolumeMesh& mesh, const std::vector<char>& keep, std::vector<ElementPair>& pairs) {
  std::vector<int> renumbered(keep.size(), -1);
  int kept = 0;
  for (int e = 0; e < static_cast<int>(keep.size()); ++e) {
    if (!keep[e]) continue;
    mesh.elements.col(kept) = mesh.elements.col(e);
    mesh.region[kept] = mesh.region[e];
    renumbered[e] = kept++;
  }
  mesh.elements.conservativeResize(mesh.elements.rows(), kept);
  mesh.region.resize(static_cast<std::size_t>(kept));
  for (ElementPair& pair : pairs) pair = {renumbered[pair.first], renumbered[pair.second]};
  std::erase_if(pairs, [](const ElementPair& pair) { return pair.first < 0; });  // both are of one part
}

void drop_small_parts(VolumeMesh& mesh, double smallest_share, std::vector<ElementPair>& pairs,
                      CleanupReport& report) {
  UnionFind parts(mesh.element_count());
  for (const ElementPair& pair : pairs) parts.join(pair.first, pair.second);
  std::vector<double> volume(static_cast<std::size_t>(mesh.element_count()),
                             0.0);  // at the root of each part
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
    volume[parts.root(e)] += element_volume(mesh, e);
  }
  const double smallest = std::min(smallest_share, 1.0) * *std::max_element(volume.begin(), volume.end());
  std::vector<char> keep(volume.size(), 0);
  for (int e = 0; e < static_cast<int>(keep.size()); ++e) {
    const int root = parts.root(e);
    keep[e] = volume[root] >= smallest ? 1 : 0;
    if (keep[e]) continue;
    ++report.dropped_elements;
    report.dropped_parts += root == e ? 1 : 0;
  }
  if (report.dropped_parts > 0) keep_elements(mesh, keep, pairs);
}

/// Gives every bunch of elements around a vertex, but the first, a copy of it.
void split_vertices(VolumeMesh& mesh, std::span<const ElementPair> pairs, CleanupReport& report) {
  // One entry per corner of an element; corners at one vertex are joined through the faces that contain it.
  const int size = static_cast<int>(mesh.elements.rows());
  UnionFind bunches(mesh.elements.size());
  for (const auto& [e, f] : pairs) {
    for (int a = 0; a < size; ++a) {
      for (int b = 0; b < size; ++b) {
        if (mesh.elements(a, e) == mesh.elements(b, f)) bunches.join(e * size + a, f * size + b);
      }
    }
  }
  const Index given = mesh.vertex_count();
  std::vector<char> taken(static_cast<std::size_t>(given), 0);
  std::vector<int> originals;  // of the copies
  for (int i = 0; i < static_cast<int>(mesh.elements.size()); ++i) {
    int& vertex = mesh.elements(i);
    const int root = bunches.root(i);
    if (root < i) {
      vertex = mesh.elements(root);  // decided before, the root being the lowest
    } else if (taken[vertex]) {
      originals.push_back(vertex);
      vertex = static_cast<int>(given + static_cast<Index>(originals.size()) - 1);
    } else {
      taken[vertex] = 1;
    }
  }
  const auto copies = static_cast<Index>(originals.size());
  mesh.vertices.conservativeResize(3, given + copies);
  for (Index i = 0; i < copies; ++i) mesh.vertices.col(given + i) = mesh.vertices.col(originals[i]);
  report.split_vertices = copies;
}

void drop_unused_vertices(VolumeMesh& mesh) {
  const std::vector<char> used = used_vertices(mesh);
  std::vector<int> renumbered(used.size());
  int kept = 0;
  for (int v = 0; v < static_cast<int>(used.size()); ++v) {
    if (!used[v]) continue;
    mesh.vertices.col(kept) = mesh.vertices.col(v);
    renumbered[v] = kept++;
  }
  mesh.vertices.conservativeResize(3, kept);
  for (int& vertex : mesh.elements.reshaped()) vertex = renumbered[vertex];
}

}  // namespace

CleanupReport clean_up_parts(VolumeMesh& mesh, double smallest_share) {
  CleanupReport report;
  if (mesh.element_count() == 0) return report;
  std::vector<ElementPair> pairs = face_neighbours(mesh);
  drop_small_parts(mesh, smallest_share, pairs, report);
  split_vertices(mesh, pairs, report);
  drop_unused_vertices(mesh);
  return report;
}

}  // namespace limber
