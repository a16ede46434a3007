#pragma once

#include "limber/bodies/builtin.hpp"
#include "limber/bodies/plan.hpp"

#include <string_view>

namespace limber {

struct PlanMeshOptions {
  ElementKind kind = ElementKind::tetrahedron;
  int cells = 0;         ///< along the longest side of the body
  int grading = 0;       ///< interior tetrahedra grow up to 2^grading cells
  int render_cells = 0;  ///< along the longest side, for the surfaces to draw
  Executor executor{};
  Progress progress = {};
};

/// The body of a plan: its mesh, its surfaces to draw, and what is held.
/// Throws Error where the cells are too coarse for it to hang together. `where` names the body in messages.
BuiltinBody mesh_plan(const BodyPlan& plan, const PlanMeshOptions& options, std::string_view where);

}  // namespace limber
