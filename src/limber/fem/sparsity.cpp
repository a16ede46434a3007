#include "limber/fem/sparsity.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <limits>

namespace limber {
namespace {

/// For each free vertex the sorted free vertices it shares an element with, itself included; as compressed
/// rows.
struct VertexGraph {
  std::vector<Index> begin;
  std::vector<int> neighbour;
};

VertexGraph make_vertex_graph(const VolumeMesh& mesh, const DofMap& dofs) {
  const std::size_t vertices = static_cast<std::size_t>(dofs.dof_count() / 3);
  // Elements around each vertex first, so that memory stays proportional to the mesh.
  std::vector<Index> first(vertices + 1, 0);
  for (const int v : mesh.elements.reshaped()) {
    if (const int f = dofs.free_index(v); f >= 0) ++first[static_cast<std::size_t>(f) + 1];
  }
  for (std::size_t f = 0; f < vertices; ++f) first[f + 1] += first[f];
  std::vector<int> around(static_cast<std::size_t>(first[vertices]));
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (const int v : mesh.elements.col(e)) {
      if (const int f = dofs.free_index(v); f >= 0)
        around[static_cast<std::size_t>(next[f]++)] = static_cast<int>(e);
    }
  }

  VertexGraph graph;
  graph.begin.assign(1, 0);
  std::vector<int> neighbours;
  for (std::size_t f = 0; f < vertices; ++f) {
    neighbours.clear();
    for (Index k = first[f]; k < first[f + 1]; ++k) {
      for (const int v : mesh.elements.col(around[static_cast<std::size_t>(k)])) {
        if (const int g = dofs.free_index(v); g >= 0) neighbours.push_back(g);
      }
    }
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    graph.neighbour.insert(graph.neighbour.end(), neighbours.begin(), neighbours.end());
    graph.begin.push_back(static_cast<Index>(graph.neighbour.size()));
  }
  return graph;
}

SparseMatrix make_pattern(const VertexGraph& graph, Index dof_count) {
  SparseMatrix pattern(dof_count, dof_count);
  const Index entries = 9 * static_cast<Index>(graph.neighbour.size());
  require(entries <= std::numeric_limits<int>::max(),
          "the stiffness matrix would have {} entries, limber holds at most {}", entries,
          std::numeric_limits<int>::max());
  pattern.resizeNonZeros(entries);
  int* outer = pattern.outerIndexPtr();
  int* inner = pattern.innerIndexPtr();
  int position = 0;
  for (Index column = 0; column < dof_count; ++column) {
    outer[column] = position;
    for (Index k = graph.begin[column / 3]; k < graph.begin[column / 3 + 1]; ++k) {
      for (int i = 0; i < 3; ++i) inner[position++] = 3 * graph.neighbour[static_cast<std::size_t>(k)] + i;
    }
  }
  outer[dof_count] = position;
  pattern.coeffs().setZero();
  return pattern;
}

}  // namespace

Sparsity make_sparsity(const VolumeMesh& mesh, const DofMap& dofs) {
  const VertexGraph graph = make_vertex_graph(mesh, dofs);
  Sparsity sparsity;
  sparsity.pattern = make_pattern(graph, dofs.dof_count());
  sparsity.nodes = vertices_per_element(mesh.kind);
  for (std::size_t f = 0; f + 1 < graph.begin.size(); ++f) {
    sparsity.stride.push_back(static_cast<int>(3 * (graph.begin[f + 1] - graph.begin[f])));
  }

  const int N = sparsity.nodes;
  sparsity.slots.resize(static_cast<std::size_t>(mesh.element_count() * N * N));
  auto slot = sparsity.slots.begin();
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (int b = 0; b < N; ++b) {
      const int column = dofs.free_index(mesh.elements(b, e));
      for (int a = 0; a < N; ++a, ++slot) {
        const int row = dofs.free_index(mesh.elements(a, e));
        if (row < 0 || column < 0) {
          *slot = -1;
          continue;
        }
        const auto begin = graph.neighbour.begin() + graph.begin[column];
        const auto end = graph.neighbour.begin() + graph.begin[column + 1];
        const auto found = std::lower_bound(begin, end, row);
        *slot = sparsity.pattern.outerIndexPtr()[3 * column] + 3 * static_cast<int>(found - begin);
      }
    }
  }
  return sparsity;
}

}  // namespace limber
