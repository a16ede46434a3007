#pragma once

#include "limber/bodies/part_tree.hpp"
#include "limber/bodies/plan.hpp"

#include <string>

namespace limber {

// The trees of parts that builtin_tree.cpp lists.

inline constexpr int oak_leaves = 1394;

PartTree make_oak(int leaves, const Executor& executor, const Progress& progress);
PartTree make_station();
PartTree make_letters(const Executor& executor, const Progress& progress);

struct PartMeshOptions {
  double cell = 0.0;         ///< of the mesh, m
  double render_cell = 0.0;  ///< of the surfaces to draw, m
  Executor executor{};
};

/// A part meshed as its plan says; without sites.
Part make_part(std::string name, const BodyPlan& plan, const PartMeshOptions& options);

}  // namespace limber
