#pragma once

#include "limber/bodies/implicit.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/surface_mesh.hpp"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace limber {

/// A region of a body. A point belongs to the region whose shape is nearest.
struct PlanRegion {
  std::string name;
  Material material;
  Implicit shape;  ///< may be left out where there is only one region
};

/// A part of the surface to draw.
struct PlanSurface {
  std::string name;
  Vector3 color;                              ///< sRGB, 0 to 1
  std::variant<Implicit, SurfaceMesh> shape;  ///< meshed as finely as asked for, or triangles as they are
  double detail = 1.0;                        ///< how many times finer than the other surfaces it is meshed
};

/// What a built-in body is, before it is meshed.
struct BodyPlan {
  Implicit solid;                             ///< what is simulated
  std::vector<PlanRegion> regions;            ///< at least one
  std::vector<PlanSurface> surfaces;          ///< what is drawn: within the solid, or nearly so
  std::function<bool(const Vector3&)> fixed;  ///< which points are held; empty: none
  bool domains = false;                       ///< every region is one part, to be reduced on its own
  int cells = 0;                              ///< default number of cells along the longest side
  int least_cells = 0;                        ///< below this the body falls apart or loses its shape
  int grading = 0;                            ///< default: interior tetrahedra grow up to 2^grading cells
  int render_cells = 1;                       ///< default for the surfaces, where some are to be meshed
  int least_render_cells = 1;                 ///< below this, thin parts are lost from the surfaces
};

BodyPlan plan_spoon();
BodyPlan plan_bridge();
BodyPlan plan_tower();
BodyPlan plan_heart();
BodyPlan plan_wire();
BodyPlan plan_flower();
BodyPlan plan_tree();
BodyPlan plan_octopus();
BodyPlan plan_head();
BodyPlan plan_pendulum();
BodyPlan plan_lily();
BodyPlan plan_dragon();

/// St. Venant-Kirchhoff with Young's modulus (Pa), Poisson's ratio and density (kg/m^3).
Material elastic(double young, double poisson, double density);

}  // namespace limber
