#include "limber/bodies/plan.hpp"

#include <array>

// A spoon along x, 24 cm long: the handle begins at x = 0, the bowl opens towards +z.

namespace limber {
namespace {

constexpr double bowl_center = 0.194;           ///< m along x
const Vector3 bowl_radii(0.044, 0.032, 0.021);  ///< of the middle of its wall, m
constexpr double wall = 0.0058;                 ///< of the bowl as simulated, m
constexpr double drawn_wall = 0.0036;           ///< as drawn, m
constexpr double handle_flatness = 2.1;         ///< width over height

Implicit bowl(double thickness) {
  const Vector3 center(bowl_center, 0.0, 0.0);
  Implicit skin = shell(ellipsoid(center, bowl_radii), thickness);
  return intersect(std::move(skin), half_space(center, Vector3(0.05, 0.0, 1.0)), 0.7 * thickness);
}

/// slim: how much thinner than simulated, m.
Implicit handle(double slim) {
  const std::array<TubePoint, 6> path{{{{0.008, 0, 0.0120}, 0.0058 - slim},
                                       {{0.045, 0, 0.0125}, 0.0052 - slim},
                                       {{0.090, 0, 0.0110}, 0.0044 - slim},
                                       {{0.125, 0, 0.0080}, 0.0040 - slim},
                                       {{0.143, 0, 0.0030}, 0.0042 - slim},
                                       {{0.151, 0, -0.0015}, 0.0040 - slim}}};
  return stretched(tube(smooth_path(path, 10)), Vector3(1.0, handle_flatness, 1.0));
}

Implicit spoon(double thickness, double slim) { return unite({bowl(thickness), handle(slim)}, 0.010); }

}  // namespace

BodyPlan plan_spoon() {
  BodyPlan plan;
  plan.solid = spoon(wall, 0.0);
  plan.regions = {{"spoon", elastic(4e7, 0.40, 1100.0), {}}};
  plan.surfaces = {{"spoon", {0.86, 0.36, 0.22}, spoon(drawn_wall, 0.0008)}};
  plan.fixed = [](const Vector3& x) { return x.x() < 0.016; };
  plan.cells = 82;
  plan.least_cells = 56;
  plan.render_cells = 220;
  plan.least_render_cells = 160;
  return plan;
}

}  // namespace limber
