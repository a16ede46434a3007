#pragma once

#include "limber/multidomain/reduce_tree.hpp"
#include "tests/multidomain/cut_beam.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace limber::test {

inline std::shared_ptr<const Model> reduced(const PartTree& parts, int rank = 8) {
  TreeReduceOptions options;
  options.rank = rank;
  options.executor = Executor(1);
  TreeReduceReport report;
  return std::make_shared<const Model>(reduce_tree(parts, options, report));
}

/// The beam of cut_beam.hpp in three domains that share vertices.
inline std::shared_ptr<const Model> beam_tree(ElementKind kind = ElementKind::tetrahedron) {
  const VolumeMesh mesh = cut_beam(kind);
  return reduced(make_parts(held_body(mesh), decompose_by_regions(mesh)));
}

/// A stem along x that carries three twigs of one part, turned and of different sizes, and a rigid knob.
inline PartTree twig_parts(ElementKind kind = ElementKind::tetrahedron) {
  PartTree tree;
  tree.name = "bush";
  const auto add = [&](std::string name, const Vector3& size, const Eigen::Vector3i& cells) -> Part& {
    Part& part = tree.parts.emplace_back();
    part.name = std::move(name);
    part.mesh = make_beam({kind, size, cells});
    part.materials = {material("stvk")};
    part.fixed = vertices_below(part.mesh, 1e-9);
    return part;
  };
  add("stem", {3.0, 0.5, 0.5}, {6, 2, 2});
  add("twig", {1.0, 0.2, 0.2}, {4, 1, 1});
  add("knob", {0.3, 0.3, 0.3}, {1, 1, 1}).rigid = true;
  tree.placements.push_back({.name = "stem"});
  for (int i = 0; i < 4; ++i) {
    const Vector3 place(0.75 * (i + 1), 0.5, 0.25);
    tree.parts[0].sites.push_back(site_near(tree.parts[0].mesh, place, 0.3, fmt::format("site {}", i)));
    tree.placements.push_back(
        {.name = fmt::format("child {}", i),
         .part = i < 3 ? 1 : 2,
         .parent = 0,
         .site = i,
         .position = place,
         .rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.4 * i, Vector3(0.2, 0.3, 1.0).normalized())),
         .scale = 1.0 + 0.25 * i});
  }
  return tree;
}

}  // namespace limber::test
