#pragma once

#include "limber/bodies/builtin.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber::test {

/// The faces by which two regions of a body of tetrahedra hang together.
struct Interface {
  std::set<int> vertices;
  int faces = 0;
};

/// How the regions of a body hang together by faces.
struct RegionGraph {
  std::vector<int> parts;                               ///< of each region, connected by faces
  std::vector<int> elements;                            ///< of each region
  std::vector<std::set<int>> vertices;                  ///< of each region
  std::map<std::pair<int, int>, Interface> interfaces;  ///< by the lower and the higher region
  std::vector<int> parent;                              ///< of each region, the first being the root
  std::vector<int> depth;  ///< 1 for the root; 0 for those that it does not reach
};

inline void find_depths(RegionGraph& graph) {
  graph.depth.assign(graph.elements.size(), 0);
  graph.parent.assign(graph.elements.size(), -1);
  graph.depth[0] = 1;
  for (std::size_t round = 0; round < graph.depth.size(); ++round) {
    for (const auto& [pair, interface] : graph.interfaces) {
      for (const auto& [from, to] : {pair, std::pair(pair.second, pair.first)}) {
        if (graph.depth[from] == 0 || graph.depth[to] != 0) continue;
        graph.depth[to] = graph.depth[from] + 1;
        graph.parent[to] = from;
      }
    }
  }
}

inline RegionGraph region_graph(const VolumeMesh& mesh) {
  RegionGraph graph;
  graph.parts.assign(mesh.regions.size(), 0);
  graph.elements.assign(mesh.regions.size(), 0);
  graph.vertices.resize(mesh.regions.size());
  std::vector<std::vector<int>> neighbours(mesh.region.size());
  std::map<std::array<int, 3>, int> open;  // faces seen once, with their element
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
    const int region = mesh.region[e];
    ++graph.elements[region];
    for (int skipped = 0; skipped < 4; ++skipped) {
      std::array<int, 3> face{};
      for (int k = 0; k < 3; ++k) face[k] = mesh.elements((skipped + 1 + k) % 4, e);
      graph.vertices[region].insert(face.begin(), face.end());
      std::sort(face.begin(), face.end());
      const auto [entry, is_new] = open.try_emplace(face, e);
      if (is_new) continue;
      const int other = entry->second;
      if (mesh.region[other] == region) {
        neighbours[e].push_back(other);
        neighbours[other].push_back(e);
      } else {
        Interface& interface = graph.interfaces[std::minmax(region, mesh.region[other])];
        interface.vertices.insert(face.begin(), face.end());
        ++interface.faces;
      }
    }
  }
  std::vector<char> reached(mesh.region.size(), 0);
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
    if (reached[e]) continue;
    ++graph.parts[mesh.region[e]];
    std::vector<int> front{e};
    reached[e] = 1;
    while (!front.empty()) {
      const int at = front.back();
      front.pop_back();
      for (const int next : neighbours[at]) {
        if (!std::exchange(reached[next], 1)) front.push_back(next);
      }
    }
  }
  find_depths(graph);
  return graph;
}

/// Standard deviations of some vertices along their principal axes, ascending, m.
inline Vector3 spread(const VolumeMesh& mesh, const std::set<int>& vertices) {
  Vector3 mean = Vector3::Zero();
  for (const int v : vertices) mean += mesh.vertices.col(v);
  mean /= static_cast<double>(vertices.size());
  Matrix3 covariance = Matrix3::Zero();
  for (const int v : vertices) {
    const Vector3 x = mesh.vertices.col(v) - mean;
    covariance += x * x.transpose() / static_cast<double>(vertices.size());
  }
  return symmetric_eigen3(covariance).values.cwiseMax(0.0).cwiseSqrt();
}

/// The number of a region. Fails where there is none of that name.
inline int region_named(const VolumeMesh& mesh, std::string_view name) {
  for (std::size_t i = 0; i < mesh.regions.size(); ++i) {
    if (mesh.regions[i].name == name) return static_cast<int>(i);
  }
  ADD_FAILURE() << "no region '" << name << "'";
  return 0;
}

/// Names of all regions on which another one hangs, from it to the root.
inline std::vector<std::string> way_to_root(const VolumeMesh& mesh, const RegionGraph& graph,
                                            std::string_view name) {
  std::vector<std::string> way;
  for (int region = graph.parent[region_named(mesh, name)]; region >= 0; region = graph.parent[region]) {
    way.push_back(mesh.regions[region].name);
  }
  return way;
}

/// What a body must be to be reduced domain by domain.
inline void expect_tree_of_domains(const BuiltinBody& body, std::size_t count, int depth) {
  const VolumeMesh& mesh = body.mesh;
  const RegionGraph graph = region_graph(mesh);
  ASSERT_EQ(mesh.regions.size(), count);
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.insert(mesh.regions[i].name);
    EXPECT_EQ(graph.parts[i], 1) << mesh.regions[i].name << " hangs together";
    EXPECT_GT(graph.depth[i], 0) << mesh.regions[i].name << " hangs on the root";
  }
  EXPECT_EQ(names.size(), count) << "all names are unlike";
  EXPECT_EQ(graph.interfaces.size(), count - 1) << "no loop";
  EXPECT_EQ(*std::max_element(graph.depth.begin(), graph.depth.end()), depth);
  for (const auto& [pair, interface] : graph.interfaces) {
    const int child = graph.depth[pair.first] > graph.depth[pair.second] ? pair.first : pair.second;
    const std::string& name = mesh.regions[child].name;
    EXPECT_GE(interface.vertices.size(), 6U) << name;
    EXPECT_LT(static_cast<double>(interface.vertices.size()),
              0.5 * static_cast<double>(graph.vertices[child].size()))
        << name;
    const Vector3 axes = spread(mesh, interface.vertices);
    EXPECT_GT(axes(1), 0.4 * axes(2)) << name << ": its interface is no line";
    EXPECT_LT(axes(0), 0.75 * axes(1)) << name << ": its interface is nearly a plane";
  }
  for (const int v : body.fixed) {
    for (std::size_t i = 1; i < count; ++i) {
      EXPECT_FALSE(graph.vertices[i].contains(v)) << mesh.regions[i].name << " is held";
    }
  }
}

/// Pairs of regions that share a vertex and no face.
inline std::vector<std::string> unrelated_contacts(const VolumeMesh& mesh) {
  const RegionGraph graph = region_graph(mesh);
  std::map<int, std::set<int>> regions;
  for (std::size_t i = 0; i < graph.vertices.size(); ++i) {
    for (const int v : graph.vertices[i]) regions[v].insert(static_cast<int>(i));
  }
  std::set<std::string> found;
  for (const auto& [v, all] : regions) {
    for (const int a : all) {
      for (const int b : all) {
        if (a < b && !graph.interfaces.contains({a, b})) {
          found.insert(mesh.regions[a].name + " and " + mesh.regions[b].name);
        }
      }
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace limber::test
