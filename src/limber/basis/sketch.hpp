#pragma once

#include "limber/base/progress.hpp"
#include "limber/basis/rest_stiffness.hpp"
#include "limber/full/statics.hpp"

#include <span>

namespace limber {

/// A force that a person applied to one point of the body while sketching.
struct SketchForce {
  Vector3 at = Vector3::Zero();     ///< place in the rest shape, m; need not be a vertex
  Vector3 force = Vector3::Zero();  ///< N

  bool operator==(const SketchForce&) const = default;
};

struct SketchOptions {
  double load_separation =
      0.05;  ///< a recorded force is dropped where its linear response is nearer than this to that of
             ///< one that is kept, or to rest: mass-distance as a share of the largest
             ///< response, at least 0 and less than 1. Each that is left takes a full static solution
  double shape_separation = 0.02;  ///< the same for solved shapes, to all kept ones
  StaticOptions statics{};
  Progress progress{};
};

struct SketchShapes {
  Matrix shapes;     ///< dofs x kept
  int recorded = 0;  ///< forces given
  int solved = 0;    ///< forces left after thinning, each solved by full statics
  int failed = 0;    ///< of these without a solution, left out
  int kept = 0;      ///< shapes left after thinning
};

/// Shapes of the full model under sketched forces, for mass-PCA. [Barbic & James 2005, section 5.2] Each
/// force is solved by full nonlinear statics, starting from the shape solved before whose linear response is
/// nearest. Throws Error for a body that is not held, for points outside of the body by more than its size,
/// for separations out of range, and when no force has a solution or moves the body. Otherwise one shape is
/// kept at least.
SketchShapes solve_sketch(RestStiffness& rest, std::span<const SketchForce> sketch,
                          const SketchOptions& options = {});

}  // namespace limber
