#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

// A model of a lattice tower after Eiffel's, 3 m high along z on the ground z = 0. Four legs lean inward,
// carry two platforms, and merge into a spire.

namespace limber {
namespace {

/// The outline at a height: legs are squares between `inner` and `outer`, m from the middle planes.
struct Level {
  double z, inner, outer;  ///< m
};

constexpr std::array<Level, 9> profile{{{0.00, 0.335, 0.575},
                                        {0.26, 0.240, 0.430},
                                        {0.52, 0.170, 0.315},
                                        {0.78, 0.110, 0.235},
                                        {1.04, 0.070, 0.182},
                                        {1.36, 0.030, 0.130},
                                        {1.70, 0.000, 0.098},
                                        {2.10, 0.000, 0.076},
                                        {2.52, 0.000, 0.060}}};
constexpr double first_platform = 0.52, second_platform = 1.04, third_platform = 2.52;  ///< m
constexpr double merge_height = 1.70;                                                   ///< of the legs, m
constexpr double tip = 3.0;                                                             ///< m
constexpr double thinnest = 0.054;  ///< half of what is simulated, m

Level level_at(double z) {
  std::size_t i = 1;
  while (i + 1 < profile.size() && profile[i].z < z) ++i;
  const Level &low = profile[i - 1], &high = profile[i];
  const double t = std::clamp((z - low.z) / (high.z - low.z), 0.0, 1.0);
  return {z, low.inner + t * (high.inner - low.inner), low.outer + t * (high.outer - low.outer)};
}

/// The legs as solids. Their sides slope by 0.56 at most along each of x and y: the distance to a section is
/// at most sqrt(1 + 0.56^2) steeper than distance in space.
Implicit legs_solid() {
  const double steepness = std::sqrt(1.0 + 0.56 * 0.56);
  const auto distance = [=](const Vector3& x) {
    const Level level = level_at(std::clamp(x.z(), 0.0, third_platform));
    const double center = 0.5 * (level.inner + level.outer);
    const double half = std::max(0.5 * (level.outer - level.inner), thinnest);
    const double outside = std::max(std::abs(x.x()), std::abs(x.y()));
    const double inside = std::min(std::abs(x.x()), std::abs(x.y()));
    const double side = std::max(outside - center - half, center - half - inside) / steepness;
    return std::max({side, -x.z(), x.z() - third_platform});
  };
  const double reach = profile[0].outer;
  return {distance, {{-reach, -reach, 0.0}, {reach, reach, third_platform}}};
}

Implicit box(double half_x, double half_y, double low, double high) {
  return rounded_box({0, 0, 0.5 * (low + high)}, {half_x, half_y, 0.5 * (high - low)}, 0.005);
}

/// A square ring of a platform.
Implicit ring(double outer, double inner, double low, double high) {
  return subtract(box(outer, outer, low, high), box(inner, inner, low - 1.0, high + 1.0));
}

/// The middle of the arch between two legs, in the face y < 0; t from 0 to 1.
Vector3 on_arch(double t) {
  const double angle = std::numbers::pi * t;
  const double z = 0.13 + 0.325 * std::sin(angle);
  return {-0.315 * std::cos(angle), -(level_at(z).outer - 0.045), z};
}

Matrix3 quarter_turns(int count) {
  constexpr std::array<double, 4> cosine{1, 0, -1, 0}, sine{0, 1, 0, -1};
  const double c = cosine[static_cast<std::size_t>(count)], s = sine[static_cast<std::size_t>(count)];
  return Matrix3{{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
}

Implicit tower_solid() {
  std::vector<Implicit> pieces{legs_solid(), ring(0.345, 0.12, first_platform - 0.05, first_platform + 0.05),
                               box(0.205, 0.205, second_platform - 0.045, second_platform + 0.045),
                               box(0.085, 0.085, third_platform - 0.06, third_platform + 0.05),
                               capsule({0, 0, third_platform}, {0, 0, tip - thinnest}, thinnest)};
  std::vector<TubePoint> path;
  for (int i = 0; i <= 16; ++i) path.push_back({on_arch(i / 16.0), thinnest});
  const Implicit arch = tube(path);
  for (int side = 0; side < 4; ++side) pieces.push_back(moved(arch, Vector3::Zero(), quarter_turns(side)));
  return unite(std::move(pieces));
}

// What is drawn: chords along the edges of the legs, and crosses between them.

constexpr double chord = 0.016, brace = 0.009;  ///< m

/// One panel of a box-shaped framework between two squares: corners a below and b above, in order around.
void add_panel(std::vector<Bar>& bars, const std::array<Vector3, 4>& a, const std::array<Vector3, 4>& b,
               double thickness) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t j = (i + 1) % 4;
    bars.push_back({a[i], b[i], thickness, thickness, Vector3::UnitX()});
    const double thin = thickness * brace / chord;
    const Vector3 normal = (a[j] - a[i]).cross(b[i] - a[i]).normalized();
    bars.push_back({a[i], b[j], thin, thin, normal});
    bars.push_back({a[j], b[i], thin, thin, normal});
    bars.push_back({b[i], b[j], thin, thin, Vector3::UnitZ()});
  }
}

std::array<Vector3, 4> square(double low_x, double high_x, double low_y, double high_y, double z) {
  return {Vector3(low_x, low_y, z), Vector3(high_x, low_y, z), Vector3(high_x, high_y, z),
          Vector3(low_x, high_y, z)};
}

std::array<Vector3, 4> leg_section(int leg, double z) {
  const Level level = level_at(z);
  const double inset = 0.5 * chord;
  std::array<Vector3, 4> section =
      square(level.inner + inset, level.outer - inset, level.inner + inset, level.outer - inset, z);
  for (Vector3& x : section) x = quarter_turns(leg) * x;
  return section;
}

void add_legs(std::vector<Bar>& bars, double low, double high, int panels, double thickness) {
  for (int i = 0; i < panels; ++i) {
    const double z0 = low + (high - low) * i / panels, z1 = low + (high - low) * (i + 1) / panels;
    for (int leg = 0; leg < 4; ++leg) add_panel(bars, leg_section(leg, z0), leg_section(leg, z1), thickness);
  }
}

void add_spire(std::vector<Bar>& bars, double low, double high, int panels) {
  for (int i = 0; i < panels; ++i) {
    const double z0 = low + (high - low) * i / panels, z1 = low + (high - low) * (i + 1) / panels;
    const double w0 = level_at(z0).outer - 0.5 * chord, w1 = level_at(z1).outer - 0.5 * chord;
    add_panel(bars, square(-w0, w0, -w0, w0, z0), square(-w1, w1, -w1, w1, z1), 0.8 * chord);
  }
}

/// Two curved chords of each arch with spokes between them.
void add_arches(std::vector<Bar>& bars) {
  constexpr int pieces = 24;
  for (int side = 0; side < 4; ++side) {
    const Matrix3 turn = quarter_turns(side);
    const auto at = [&](int i, double shift) {
      const Vector3 x = on_arch(static_cast<double>(i) / pieces);
      const double angle = std::numbers::pi * i / pieces;
      return Vector3(turn * (x + shift * Vector3(-std::cos(angle), 0.0, std::sin(angle))));
    };
    const Vector3 face = turn * Vector3::UnitY();
    for (int i = 0; i < pieces; ++i) {
      for (const double shift : {-0.022, 0.022})
        bars.push_back({at(i, shift), at(i + 1, shift), 0.012, 0.02, face});
      bars.push_back({at(i, -0.022), at(i + 1, 0.022), 0.006, 0.006, face});
      bars.push_back({at(i + 1, -0.022), at(i + 1, 0.022), 0.006, 0.006, face});
    }
  }
}

/// The square edge of a platform: a solid band with a railing.
void add_platform(std::vector<Bar>& bars, double half, double z, double thickness) {
  for (int side = 0; side < 4; ++side) {
    const Matrix3 turn = quarter_turns(side);
    const auto bar = [&](double in, double height, double width, double tall) {
      bars.push_back({turn * Vector3(-half + in, -half + in, height),
                      turn * Vector3(half - in, -half + in, height), width, tall});
    };
    bar(0.01, z, 0.02, thickness);
    bar(0.004, z + 0.5 * thickness, 0.03, 0.008);
    bar(0.004, z - 0.5 * thickness, 0.03, 0.008);
    bar(0.006, z + 0.5 * thickness + 0.028, 0.006, 0.006);
    const int posts = std::max(6, static_cast<int>(half / 0.018));
    for (int i = 0; i < posts; ++i) {
      const double t = half * (2.0 * (i + 0.5) / posts - 1.0);
      const Vector3 foot(t, -half + 0.006, z + 0.5 * thickness);
      bars.push_back({turn * foot, turn * (foot + Vector3(0, 0, 0.028)), 0.004, 0.004, Vector3::UnitX()});
    }
  }
}

SurfaceMesh drawn_iron() {
  std::vector<Bar> bars;
  add_legs(bars, 0.03, first_platform, 5, 1.25 * chord);
  add_legs(bars, first_platform, second_platform, 6, 1.1 * chord);
  add_legs(bars, second_platform, merge_height, 9, 0.9 * chord);
  add_spire(bars, merge_height, third_platform, 15);
  add_arches(bars);
  return bar_surface(bars);
}

SurfaceMesh drawn_platforms() {
  std::vector<Bar> bars;
  add_platform(bars, 0.345, first_platform, 0.06);
  add_platform(bars, 0.205, second_platform, 0.05);
  add_platform(bars, 0.080, third_platform, 0.04);
  for (const auto& [half, z] :
       {std::pair{0.335, first_platform}, {0.195, second_platform}, {0.075, third_platform}}) {
    bars.push_back({{-half, 0, z}, {half, 0, z}, 2.0 * half, 0.02});
  }
  std::vector<SurfaceMesh> parts{bar_surface(bars)};
  parts.push_back(cylinder_surface({0, 0, third_platform}, {0, 0, third_platform + 0.10}, 0.042, 24));
  parts.push_back(sphere_surface({0, 0, third_platform + 0.10}, 0.042, 24));
  parts.push_back(cylinder_surface({0, 0, third_platform + 0.10}, {0, 0, tip - 0.10}, 0.014, 12));
  parts.push_back(cylinder_surface({0, 0, tip - 0.12}, {0, 0, tip}, 0.006, 10));
  return joined(parts);
}

SurfaceMesh drawn_feet() {
  std::vector<Bar> bars;
  const Level ground = level_at(0.0);
  const double center = 0.5 * (ground.inner + ground.outer), size = ground.outer - ground.inner + 0.03;
  for (int leg = 0; leg < 4; ++leg) {
    const Vector3 foot = quarter_turns(leg) * Vector3(center, center, 0.0);
    bars.push_back({foot, foot + Vector3(0, 0, 0.045), size, size, Vector3::UnitX()});
  }
  return bar_surface(bars);
}

}  // namespace

BodyPlan plan_tower() {
  BodyPlan plan;
  plan.solid = tower_solid();
  plan.regions = {{"tower", elastic(5e6, 0.30, 600.0), {}}};
  plan.surfaces = {{"iron", {0.66, 0.50, 0.37}, drawn_iron()},
                   {"platforms", {0.58, 0.43, 0.31}, drawn_platforms()},
                   {"feet", {0.68, 0.64, 0.57}, drawn_feet()}};
  plan.fixed = [](const Vector3& x) { return x.z() < 0.03; };
  plan.cells = 60;
  plan.least_cells = 30;
  return plan;
}

}  // namespace limber
