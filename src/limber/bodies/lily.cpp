#include "limber/bodies/domains.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

// A lily on the ground z = 0, 0.4 m high: twelve domains, three deep. Its bloom leans towards -y, and a side
// stem bears a bud. [after the flower of Barbic & Zhao 2011]

namespace limber {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int petals = 5;
constexpr double sheet = 0.0140;         ///< of petals and leaves as simulated, m
constexpr double drawn_sheet = 0.0028;   ///< as drawn, m
constexpr double stalk_radius = 0.0094;  ///< of petals and leaves as simulated, m
constexpr double reach = 0.0060;         ///< what blends may add to a part, m

Matrix3 turned(double angle, const Vector3& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

// The stem, up to the bloom.

const Vector3 bloom_center(0.000, -0.022, 0.335);
constexpr double bloom_tilt = 0.70;  ///< radians from upright, towards -y

Matrix3 bloom_axes() { return turned(bloom_tilt, Vector3::UnitX()); }

Vector3 in_bloom(const Vector3& x) { return bloom_center + bloom_axes() * x; }

Implicit stem(double slim) {
  const std::array<TubePoint, 6> path{{{{0.000, 0.010, 0.008}, 0.0100 - slim},
                                       {{0.004, 0.012, 0.080}, 0.0098 - slim},
                                       {{0.004, 0.014, 0.160}, 0.0096 - slim},
                                       {{-0.002, 0.013, 0.240}, 0.0094 - slim},
                                       {{-0.001, 0.002, 0.295}, 0.0094 - slim},
                                       {in_bloom({0, 0, -0.008}), 0.0094 - slim}}};
  return tube(smooth_path(path, 10));
}

/// A little heap of earth.
Implicit earth() {
  return intersect(ellipsoid({0.0, 0.010, 0.0}, {0.025, 0.025, 0.0165}), half_space({0, 0, 0}, {0, 0, -1}),
                   0.003);
}

// The side stem, and the bud at its end.

const Vector3 fork(0.003, 0.014, 0.175), bud_base(0.088, 0.040, 0.268);
const Vector3 bud_along = Vector3(0.35, 0.10, 0.93).normalized();
const Vector3 side_along = Vector3(0.90, 0.25, 0.35).normalized();

Implicit side_stem(double slim) {
  const std::array<TubePoint, 5> path{{{fork, 0.0094 - slim},
                                       {fork + 0.022 * side_along, 0.0094 - slim},
                                       {{0.063, 0.032, 0.214}, 0.0094 - slim},
                                       {{0.082, 0.038, 0.245}, 0.0094 - slim},
                                       {bud_base + 0.004 * bud_along, 0.0094 - slim}}};
  return tube(smooth_path(path, 8));
}

Implicit bud(double slim) {
  const Vector3 shape(0.0185 - slim, 0.0185 - slim, 0.036 - slim);
  return moved(ellipsoid({0, 0, 0.030}, shape), bud_base, frame_about(bud_along));
}

/// Closed petals: leaves of green and pink around the bud.
SurfaceMesh drawn_sepals() {
  std::vector<SurfaceMesh> all;
  const auto half_width = [](double u) { return 0.0120 * std::pow(u, 0.35) * std::pow(1.0 - u, 0.6) / 0.62; };
  const auto height = [](double x, double y) {
    const double t = (x + 0.002 - 0.030) / 0.0335;
    return 0.0140 * std::sqrt(std::max(0.0, 1.0 - t * t)) - 24.0 * y * y;
  };
  const SurfaceMesh sepal = sheet_surface({0.0590, 0.0022, half_width, height, 24, 10});
  for (int i = 0; i < 5; ++i) {
    Matrix3 upright;  // x of the sheet along the bud
    upright << 0, 0, 1, 0, -1, 0, 1, 0, 0;
    all.push_back(moved(sepal, bud_base + 0.002 * bud_along,
                        frame_about(bud_along) * turned(2.0 * pi * i / 5, Vector3::UnitZ()) * upright));
  }
  return joined(all);
}

// Leaves and petals: plates as simulated, thin sheets as drawn, both bent by the same height.

constexpr double leaf_droop = -2.4, leaf_cup = 2.5;    ///< 1/m
constexpr double petal_droop = -4.0, petal_cup = 4.0;  ///< 1/m

/// Where a leaf is: at a height of the stem, turned about z, and how steeply it rises.
struct Leaf {
  double height, azimuth, length, rise;  ///< m, radians, m, radians

  [[nodiscard]] Vector3 place() const { return {0.004, 0.013, height}; }
  [[nodiscard]] Matrix3 axes() const {
    return turned(azimuth, Vector3::UnitZ()) * turned(-rise, Vector3::UnitY());
  }
};
constexpr std::array<Leaf, 3> leaves{
    {{0.062, -0.50, 0.122, 0.80}, {0.094, 2.60, 0.114, 0.85}, {0.128, 4.30, 0.106, 0.80}}};

Implicit leaf_solid(const Leaf& leaf) {
  const Implicit blade = leaf_plate(leaf.length, 0.38 * leaf.length, sheet);
  const Implicit midrib = round_cone({0, 0, 0}, {leaf.length - 0.006, 0, 0}, stalk_radius, 0.5 * sheet);
  return moved(curled(unite({blade, midrib}, 0.004), leaf_droop, leaf_cup), leaf.place(), leaf.axes());
}

SurfaceMesh drawn_leaf(const Leaf& leaf) {
  const auto half_width = [&](double u) {
    return leaf.length *
           (0.035 * std::exp(-30.0 * u * u) + 0.36 * std::pow(u, 0.9) * std::pow(1.0 - u, 0.75));
  };
  const auto height = [&](double x, double y) {
    const double waves = 0.0012 * std::sin(22.0 * x / leaf.length);
    return leaf_droop * x * x + leaf_cup * y * y + 0.10 * std::abs(y) + waves * std::abs(y) / 0.02;
  };
  return moved(sheet_surface({leaf.length, drawn_sheet, half_width, height, 36, 14}), leaf.place(),
               leaf.axes());
}

constexpr double petal_length = 0.092, petal_width = 0.044, petal_rise = 0.62;  ///< m, m, radians
constexpr double petal_start = 0.012;  ///< from the axis of the bloom, m

Vector3 petal_place(int i) {
  const double angle = 2.0 * pi * (i + 0.25) / petals;
  return in_bloom({petal_start * std::cos(angle), petal_start * std::sin(angle), 0.0});
}

Matrix3 petal_axes(int i) {
  return bloom_axes() * turned(2.0 * pi * (i + 0.25) / petals, Vector3::UnitZ()) *
         turned(-petal_rise, Vector3::UnitY());
}

Implicit petal_solid(int i) {
  const Implicit blade = moved(leaf_plate(petal_length - 0.012, petal_width, sheet), {0.012, 0, 0});
  const Implicit midrib = round_cone({0, 0, 0}, {petal_length - 0.006, 0, 0}, stalk_radius, 0.5 * sheet);
  return moved(curled(unite({blade, midrib}, 0.004), petal_droop, petal_cup), petal_place(i), petal_axes(i));
}

double petal_height(double x, double y) {
  return petal_droop * x * x + petal_cup * y * y - 0.0016 * std::exp(-y * y / 1.2e-5);
}

SurfaceMesh drawn_petal(int i) {
  const auto half_width = [](double u) {
    return 0.5 * petal_width *
           (0.30 * std::exp(-20.0 * u * u) + 2.15 * std::pow(u, 1.1) * std::pow(1.0 - u, 0.62));
  };
  return moved(sheet_surface({petal_length, drawn_sheet, half_width, petal_height, 34, 18}), petal_place(i),
               petal_axes(i));
}

/// Dots on the throat of a petal.
SurfaceMesh drawn_freckles(int i) {
  std::vector<SurfaceMesh> all;
  for (int k = 0; k < 14; ++k) {
    const double x = 0.028 + 0.0022 * k, y = 0.0036 * ((k * 5) % 7 - 3) * (0.5 + 0.022 * k);
    const Vector3 at(x, y, petal_height(x, y) + 0.5 * drawn_sheet - 0.0004);
    all.push_back(sphere_surface(at, 0.0012, 8));
  }
  return moved(joined(all), petal_place(i), petal_axes(i));
}

// The base of the bloom, with the pistil in its middle.

Implicit cup(double slim) {
  const Implicit base = ellipsoid({0, 0, 0.001}, {0.0235 - slim, 0.0235 - slim, 0.0120 - slim});
  return moved(base, bloom_center, bloom_axes());
}

Implicit pistil(double radius) {
  return round_cone(in_bloom({0, 0, 0.004}), in_bloom({0, 0, 0.046}), radius + 0.001, radius);
}

SurfaceMesh drawn_stamens() {
  std::vector<SurfaceMesh> all;
  for (int i = 0; i < 6; ++i) {
    const double angle = 2.0 * pi * (i + 0.5) / 6;
    const Vector3 out(std::cos(angle), std::sin(angle), 0.0), up = Vector3::UnitZ();
    std::vector<TubePoint> path;
    for (int k = 0; k <= 8; ++k) {
      const double t = k / 8.0;
      path.push_back({in_bloom((0.003 + 0.017 * t * t) * out + (0.006 + 0.044 * t) * up), 0.0011});
    }
    all.push_back(tube_surface(path, 10, bloom_axes() * up.cross(out)));
  }
  return joined(all);
}

SurfaceMesh drawn_anthers() {
  std::vector<SurfaceMesh> all;
  for (int i = 0; i < 6; ++i) {
    const double angle = 2.0 * pi * (i + 0.5) / 6;
    const Vector3 out(std::cos(angle), std::sin(angle), 0.0), side(-std::sin(angle), std::cos(angle), 0.0);
    const Vector3 middle = 0.0205 * out + Vector3(0, 0, 0.0505);
    std::vector<TubePoint> path;
    for (int k = -4; k <= 4; ++k) {
      const double t = k / 4.0;
      path.push_back({in_bloom(middle + 0.0055 * t * side), 0.0021 - 0.0008 * t * t});
    }
    all.push_back(tube_surface(path, 12, bloom_axes() * Vector3::UnitZ()));
  }
  return joined(all);
}

constexpr double stem_young = 1e7, leaf_young = 2e6, petal_young = 1.5e6;  ///< Pa

std::vector<PlanDomain> domains() {
  const Material green = elastic(stem_young, 0.35, 900.0), leaf = elastic(leaf_young, 0.35, 400.0),
                 white = elastic(petal_young, 0.35, 300.0);
  std::vector<PlanDomain> all{{"stem", -1, green, {}}};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Vector3 along = leaves[i].axes().col(0);
    all.push_back({fmt::format("leaf {}", i + 1), 0, leaf, grow(leaf_solid(leaves[i]), reach),
                   leaves[i].place() + 0.026 * along, along});
  }
  const auto head = static_cast<int>(all.size());
  std::vector<Implicit> bloom{cup(0.0), pistil(0.0095), stem(0.0)};
  for (int i = 0; i < petals; ++i) bloom.push_back(petal_solid(i));
  all.push_back({"head", 0, white, grow(unite(std::move(bloom)), reach), in_bloom({0, 0, -0.020}),
                 bloom_axes().col(2)});
  for (int i = 0; i < petals; ++i) {
    const Vector3 along = petal_axes(i).col(0);
    all.push_back({fmt::format("petal {}", i + 1), head, white, grow(petal_solid(i), reach),
                   petal_place(i) + 0.024 * along, along});
  }
  const auto side = static_cast<int>(all.size());
  all.push_back({"side stem", 0, green, grow(unite({side_stem(0.0), bud(0.0)}), reach),
                 fork + 0.022 * side_along, side_along});
  all.push_back({"bud", side, white, grow(bud(0.0), reach), bud_base + 0.001 * bud_along, bud_along});
  return all;
}

}  // namespace

BodyPlan plan_lily() {
  std::vector<Implicit> blades, bloom{cup(0.0), pistil(0.0095)};
  for (const Leaf& leaf : leaves) blades.push_back(leaf_solid(leaf));
  for (int i = 0; i < petals; ++i) bloom.push_back(petal_solid(i));
  BodyPlan plan;
  plan.solid = unite({unite({stem(0.0), side_stem(0.0), earth(), bud(0.0)}, 0.006), unite(std::move(blades)),
                      unite(std::move(bloom), 0.003)},
                     0.005);
  plan.solid.bounds.min.z() = 0.0;
  plan.regions = domain_regions(domains());
  plan.domains = true;

  constexpr double slim = 0.0052;
  plan.surfaces = {{"stem", {0.33, 0.52, 0.20}, stem(slim)}, {"earth", {0.40, 0.29, 0.20}, earth()}};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    plan.surfaces.push_back({fmt::format("leaf {}", i + 1), {0.33, 0.58, 0.22}, drawn_leaf(leaves[i])});
  }
  plan.surfaces.push_back({"calyx", {0.42, 0.60, 0.24}, cup(0.006)});
  plan.surfaces.push_back({"pistil", {0.62, 0.78, 0.36}, pistil(0.0026)});
  plan.surfaces.push_back({"stamens", {0.80, 0.88, 0.60}, drawn_stamens()});
  plan.surfaces.push_back({"anthers", {0.72, 0.33, 0.10}, drawn_anthers()});
  for (int i = 0; i < petals; ++i) {
    plan.surfaces.push_back({fmt::format("petal {}", i + 1), {0.96, 0.66, 0.74}, drawn_petal(i)});
    plan.surfaces.push_back({fmt::format("freckles {}", i + 1), {0.70, 0.16, 0.30}, drawn_freckles(i)});
  }
  plan.surfaces.push_back({"side stem", {0.35, 0.54, 0.21}, side_stem(slim)});
  plan.surfaces.push_back({"bud", {0.86, 0.66, 0.60}, bud(0.004)});
  plan.surfaces.push_back({"sepals", {0.88, 0.62, 0.64}, drawn_sepals()});
  plan.fixed = [](const Vector3& x) { return x.z() < 0.006; };
  plan.cells = 44;
  plan.least_cells = 40;
  plan.render_cells = 200;
  plan.least_render_cells = 130;
  return plan;
}

}  // namespace limber
