#include "limber/bodies/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// A coil spring that hangs along z: a straight end above, six turns, and a straight end with a knob below.

namespace limber {
namespace {

constexpr double coil = 0.055;          ///< radius of the turns, m
constexpr double wire_radius = 0.0065;  ///< m
constexpr double pitch = 0.042;         ///< height of a turn, m
constexpr int turns = 6;
constexpr double rise = 0.06;   ///< of the wire on its way from the coil to the axis, m
constexpr double lead = 0.03;   ///< length of the straight ends, m
constexpr double knob = 0.018;  ///< radius, m
constexpr int per_turn = 40;    ///< points

double smooth_step(double t) { return t * t * (3.0 - 2.0 * t); }

/// The centre line from the top down. Three quarters of a turn lead from the axis out to the coil, and back;
/// at the axis the wire runs straight up and down.
std::vector<TubePoint> center_line() {
  std::vector<TubePoint> path;
  const double half_height = 0.5 * pitch * turns;
  path.push_back({{0.0, 0.0, half_height + rise + lead}, wire_radius});
  const int count = turns * per_turn;
  for (int i = 0; i <= count; ++i) {
    const double inward = std::max(0.0, 1.0 - std::min(i, count - i) / (0.75 * per_turn));  // 1 at the axis
    const double radius = coil * smooth_step(1.0 - inward);
    const double angle = 2.0 * std::numbers::pi * i / per_turn;
    const double height =
        half_height - pitch * i / per_turn + (2 * i < count ? rise : -rise) * inward * inward;
    path.push_back({{radius * std::cos(angle), radius * std::sin(angle), height}, wire_radius});
  }
  path.push_back({{0.0, 0.0, -half_height - rise - lead}, wire_radius});
  return path;
}

}  // namespace

BodyPlan plan_wire() {
  const std::vector<TubePoint> path = center_line();
  const double top = path.front().position.z();
  BodyPlan plan;
  plan.solid = unite({tube(path), sphere(path.back().position, knob)}, 0.012);
  plan.regions = {{"wire", elastic(1.2e9, 0.30, 7800.0), {}}};
  plan.surfaces = {{"wire", {0.62, 0.66, 0.70}, plan.solid}};
  plan.fixed = [top](const Vector3& x) { return x.z() > top - 0.012; };
  plan.cells = 92;
  plan.least_cells = 64;
  plan.render_cells = 190;
  plan.least_render_cells = 110;
  return plan;
}

}  // namespace limber
