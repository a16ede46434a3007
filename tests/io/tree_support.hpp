#pragma once

#include "limber/io/model_file.hpp"
#include "tests/io/model_support.hpp"
#include "tests/io/tree_equality.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace limber::test {

/// A part with ports without meaning, but of the right sizes. Without a simulation mesh they name any
/// vertices.
inline ReducedPart random_part(ReducedModel model, int ports, std::uint64_t seed) {
  ReducedPart part;
  part.model = std::move(model);
  const Index r = part.model.rank;
  for (int p = 0; p < ports; ++p) {
    const std::uint64_t own = seed + 10 + 10 * static_cast<std::uint64_t>(p);
    part.ports.push_back({.name = fmt::format("port \"{}\"", p),
                          .vertices = {3 + p, 0, 2, 7},
                          .weights = Eigen::Vector4d(0.1, 0.2, 0.3, 0.4),
                          .center = random_vector(3, 1.0, own),
                          .center_rows = random_matrix(3, r, 1.0, own + 1),
                          .covariance = random_moment(own + 2),
                          .covariance_rows = random_matrix(9, r, 1.0, own + 3)});
  }
  return part;
}

/// The same shape without coordinates: a rigid one.
inline ReducedModel rigid_model(ReducedModel model) {
  model.rank = 0;
  model.warp.reset();
  for (ReducedRegion& region : model.regions) {
    region.mass.resize(0, 0);
    region.weight.resize(0, 3);
    region.moments.second_rows.resize(9, 0);
    region.moments.second_pairs.resize(9, 0);
    if (!model.cubature) region.lambda_energy = region.mu_energy = random_vector(monomial_count(0), 1.0, 3);
  }
  model.surface.basis.resize(model.surface.basis.rows(), 0);
  if (model.simulation) model.simulation->basis.resize(model.simulation->basis.rows(), 0);
  return model;
}

inline Eigen::Quaterniond random_rotation(std::uint64_t seed) {
  return Eigen::Quaterniond(Eigen::Vector4d(random_vector(4, 1.0, seed)).normalized());
}

/// A tree with everything that a file can hold: an exact part with a surface in several pieces, one with
/// cubature that is used three times, a rigid one, and one that no domain is of.
inline Model sample_tree() {
  Model tree;
  tree.name = "b\xC3\xA4um \"1\"";
  tree.description = "random,\nwithout meaning";
  tree.parts.push_back(random_part(sample_model(ElementKind::tetrahedron, 3), 2, 100));
  tree.parts.push_back(random_part(small_cubature_model(RuleKind::weight_per_coordinate, 2), 1, 200));
  tree.parts.push_back(random_part(rigid_model(sample_model(ElementKind::brick)), 1, 300));
  tree.parts.push_back(random_part(small_model(1), 0, 400));
  const std::vector<int> part{0, 1, 2, 1, 1, 0}, parent{-1, 0, 0, 2, 1, 2}, port{-1, 1, 0, 0, 0, 0};
  for (std::size_t i = 0; i < part.size(); ++i) {
    tree.domains.push_back({.name = fmt::format("d\xC3\xB6m {}", i),
                            .part = part[i],
                            .parent = parent[i],
                            .port = port[i],
                            .position = random_vector(3, 1.0, 500 + i),
                            .rotation = random_rotation(600 + i),
                            .scale = 0.3 + 0.7 / static_cast<double>(i + 1),
                            .stiffness = 1.0 + static_cast<double>(i) / 3.0});
  }
  tree.domains[0].rotation = Eigen::Quaterniond(1.0, -0.0, 0.0, 0.0);
  tree.domains[0].scale = 1.0;
  return tree;
}

/// One whose domains know which vertices they share: two of one part with everything.
inline Model shared_tree() {
  Model tree;
  tree.parts.push_back(random_part(sample_model(ElementKind::brick, 2), 1, 700));
  const ReducedModel& model = tree.parts[0].model;
  const auto numbers = [](Index count, int first) {
    std::vector<int> result(static_cast<std::size_t>(count));
    for (std::size_t v = 0; v < result.size(); ++v) result[v] = first + static_cast<int>(v);
    return result;
  };
  for (int i = 0; i < 2; ++i) {
    tree.domains.push_back({.name = i == 0 ? "" : "child", .parent = i - 1, .port = i - 1});
    tree.domains.back().vertices = numbers(model.simulation->mesh.vertex_count(), 5 * i);
    tree.domains.back().surface_vertices = numbers(model.surface.mesh.vertex_count(), 4 * i);
  }
  tree.free = true;
  return tree;
}

/// A small file of a tree: for tests that go through all of its bytes.
inline Model small_tree() {
  Model tree;
  tree.parts.push_back(random_part(small_model(1), 1, 800));
  tree.domains.push_back({.name = "root"});
  tree.domains.push_back({.name = "leaf", .parent = 0, .port = 0, .position = Vector3(0.0, 1.0, 0.0)});
  return tree;
}

}  // namespace limber::test
