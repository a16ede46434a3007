#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <array>
#include <cmath>

// A model of a tied-arch bridge along x, 4 m long: a deck that hangs from two arches, on stone abutments.

namespace limber {
namespace {

constexpr double half_length = 2.0;      ///< of the deck, m
constexpr double half_width = 0.26;      ///< of the deck, m
constexpr double arch_y = 0.235;         ///< distance of the arches from the middle, m
constexpr double arch_foot = 1.78;       ///< where the arches stand, m along x
constexpr double arch_rise = 0.86;       ///< m
constexpr double member = 0.130;         ///< thickness of what is simulated, m
constexpr double hanger_spacing = 0.36;  ///< m
constexpr int hangers = 9;               ///< of one arch
constexpr int arch_pieces = 48;
constexpr std::array<double, 6> struts{-0.90, -0.54, -0.18,
                                       0.18,  0.54,  0.90};  ///< between the arches, m along x

double arch_height(double x) { return arch_rise * (1.0 - (x / arch_foot) * (x / arch_foot)); }

Vector3 on_arch(double x, double side) { return {x, side * arch_y, arch_height(x)}; }

double hanger_x(int i) {
  constexpr int middle = (hangers - 1) / 2;
  return hanger_spacing * (i - middle);
}

Implicit deck_solid() {
  return rounded_box({0.0, 0.0, 0.0}, {half_length, half_width + 0.035, 0.5 * member}, 0.01);
}

Implicit abutment_solid() {
  return with_mirror_image(
      rounded_box({half_length - 0.12, 0.0, -0.16}, {0.12, half_width + 0.035, 0.16}, 0.01), 0);
}

/// The middle of the arch at y > 0.
std::vector<TubePoint> arch_line() {
  std::vector<TubePoint> path;
  for (int i = 0; i <= arch_pieces; ++i) {
    path.push_back({on_arch(arch_foot * (2.0 * i / arch_pieces - 1.0), 1.0), 0.55 * member});
  }
  return path;
}

Implicit arch_solid() {
  std::vector<Implicit> members;
  members.push_back(tube(arch_line()));
  for (int i = 0; i < hangers; ++i) {
    const double x = hanger_x(i);
    members.push_back(capsule({x, arch_y, 0.0}, on_arch(x, 1.0), 0.48 * member));
  }
  for (const double x : struts)
    members.push_back(capsule({x, 0.0, arch_height(x)}, on_arch(x, 1.0), 0.5 * member));
  return with_mirror_image(unite(std::move(members)), 1);
}

SurfaceMesh drawn_arches() {
  const std::array<Eigen::Vector2d, 4> section{
      {{-0.034, -0.045}, {0.034, -0.045}, {0.034, 0.045}, {-0.034, 0.045}}};
  std::vector<SurfaceMesh> parts;
  for (const double side : {-1.0, 1.0}) {
    std::vector<TubePoint> path;
    for (const TubePoint& point : arch_line()) {
      path.push_back({{point.position.x(), side * point.position.y(), point.position.z()}, 1.0});
    }
    parts.push_back(swept_surface(path, section, Vector3::UnitZ()));
  }
  std::vector<Bar> bars;
  for (const double x : struts) bars.push_back({on_arch(x, -1.0), on_arch(x, 1.0), 0.05, 0.05});
  parts.push_back(bar_surface(bars));
  return joined(parts);
}

SurfaceMesh drawn_hangers() {
  std::vector<SurfaceMesh> rods;
  for (const double side : {-1.0, 1.0}) {
    for (int i = 0; i < hangers; ++i) {
      const double x = hanger_x(i);
      rods.push_back(cylinder_surface({x, side * arch_y, 0.0}, on_arch(x, side), 0.011, 12));
    }
  }
  return joined(rods);
}

SurfaceMesh drawn_deck() {
  std::vector<Bar> bars;
  bars.push_back({{-half_length, 0, 0.012}, {half_length, 0, 0.012}, 2.0 * half_width, 0.045});
  for (const double side : {-1.0, 1.0}) {
    const double y = side * (half_width + 0.01);
    bars.push_back({{-half_length, y, -0.005}, {half_length, y, -0.005}, 0.04, 0.09});  // edge beam
  }
  for (int i = 0; i <= 20; ++i) {  // cross beams below
    const double x = 0.96 * half_length * (i / 10.0 - 1.0);
    bars.push_back({{x, -half_width, -0.025}, {x, half_width, -0.025}, 0.035, 0.045});
  }
  return bar_surface(bars);
}

SurfaceMesh drawn_railing() {
  std::vector<Bar> bars;
  constexpr double top = 0.135;
  for (const double side : {-1.0, 1.0}) {
    const double y = side * (half_width + 0.018);
    for (const double z : {top, 0.5 * (top + 0.04)}) {
      bars.push_back({{-half_length, y, z}, {half_length, y, z}, 0.012, z == top ? 0.014 : 0.008});
    }
    for (int i = 0; i <= 32; ++i) {
      const double x = 0.99 * half_length * (i / 16.0 - 1.0);
      bars.push_back({{x, y, 0.02}, {x, y, top}, 0.01, 0.01, Vector3::UnitX()});
    }
  }
  return bar_surface(bars);
}

SurfaceMesh drawn_abutments() {
  std::vector<Bar> bars;
  for (const double side : {-1.0, 1.0}) {
    const double x = side * (half_length - 0.115);
    bars.push_back({{x, 0, -0.31}, {x, 0, -0.035}, 0.205, 2.0 * half_width, Vector3::UnitY()});
    bars.push_back({{x, 0, -0.075}, {x, 0, -0.03}, 0.23, 2.0 * half_width + 0.05, Vector3::UnitY()});
  }
  return bar_surface(bars);
}

}  // namespace

BodyPlan plan_bridge() {
  const Implicit deck = unite({deck_solid(), abutment_solid()});
  const Implicit arches = arch_solid();
  BodyPlan plan;
  plan.solid = unite({deck, arches});
  plan.regions = {{"deck", elastic(5e6, 0.30, 800.0), deck}, {"arches", elastic(2e7, 0.30, 1200.0), arches}};
  plan.surfaces = {{"deck", {0.62, 0.60, 0.57}, drawn_deck()},
                   {"arches", {0.72, 0.20, 0.16}, drawn_arches()},
                   {"hangers", {0.30, 0.31, 0.33}, drawn_hangers()},
                   {"railing", {0.34, 0.36, 0.40}, drawn_railing()},
                   {"abutments", {0.70, 0.65, 0.56}, drawn_abutments()}};
  plan.fixed = [](const Vector3& x) { return x.z() < -0.08; };
  plan.cells = 66;
  plan.least_cells = 40;
  return plan;
}

}  // namespace limber
