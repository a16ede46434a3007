#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <numbers>

// A daisy on the ground z = 0, 0.4 m high; its bloom leans towards -y.

namespace limber {
namespace {

constexpr int petals = 10;
constexpr double petal_length = 0.078, petal_width = 0.038;  ///< m
constexpr double sheet = 0.0108;                             ///< of petals and leaves as simulated, m
constexpr double drawn_sheet = 0.0030;                       ///< as drawn, m
constexpr double disc_radius = 0.027;                        ///< of the middle of the bloom, m
const Vector3 bloom_center(0.004, -0.028, 0.350);
constexpr double bloom_tilt = 0.85;  ///< radians from upright, towards -y

Matrix3 turned(double angle, const Vector3& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

Matrix3 bloom_axes() { return turned(bloom_tilt, Vector3::UnitX()); }

Implicit stem(double slim) {
  const std::array<TubePoint, 6> path{{{{0.000, 0.010, 0.010}, 0.0080 - slim},
                                       {{0.006, 0.012, 0.080}, 0.0074 - slim},
                                       {{0.004, 0.014, 0.170}, 0.0070 - slim},
                                       {{-0.002, 0.014, 0.260}, 0.0068 - slim},
                                       {{0.000, 0.004, 0.320}, 0.0068 - slim},
                                       {bloom_center - 0.006 * bloom_axes().col(2), 0.0070 - slim}}};
  const Implicit calyx = ellipsoid({0, 0, -0.005}, {0.021 - slim, 0.021 - slim, 0.010});
  return unite({tube(smooth_path(path, 10)), moved(calyx, bloom_center, bloom_axes())}, 0.014);
}

/// A little heap of earth.
Implicit earth() {
  return intersect(ellipsoid({0.0, 0.010, 0.0}, {0.034, 0.034, 0.019}), half_space({0, 0, 0}, {0, 0, -1}),
                   0.003);
}

// Petals and leaves: plates as simulated, thin sheets as drawn, both bent by the same height.

constexpr double leaf_droop = -2.6, leaf_cup = 2.5;    ///< 1/m
constexpr double petal_droop = -1.9, petal_cup = 5.0;  ///< 1/m

/// Where a leaf is: at a height of the stem, turned about z.
struct Leaf {
  double height, azimuth, length;  ///< m, radians, m

  [[nodiscard]] Vector3 place() const { return {0.003, 0.013, height}; }
  [[nodiscard]] Matrix3 axes() const {
    return turned(azimuth, Vector3::UnitZ()) * turned(-0.75, Vector3::UnitY());
  }
};
constexpr std::array<Leaf, 2> leaf_places{{{0.075, -0.35, 0.150}, {0.125, 2.75, 0.130}}};

Implicit leaf_solids() {
  std::vector<Implicit> all;
  for (const Leaf& leaf : leaf_places) {
    const Implicit blade = curled(leaf_plate(leaf.length, 0.38 * leaf.length, sheet), leaf_droop, leaf_cup);
    const Implicit stalk = capsule({0, 0, 0}, {0.22 * leaf.length, 0, -0.004}, 0.55 * sheet);
    all.push_back(moved(unite({blade, stalk}, 0.004), leaf.place(), leaf.axes()));
  }
  return unite(std::move(all));
}

SurfaceMesh drawn_leaves() {
  std::vector<SurfaceMesh> all;
  for (const Leaf& leaf : leaf_places) {
    const auto half_width = [&](double u) {
      return leaf.length *
             (0.035 * std::exp(-30.0 * u * u) + 0.40 * std::pow(u, 0.9) * std::pow(1.0 - u, 0.75));
    };
    const auto height = [&](double x, double y) {
      const double waves = 0.0012 * std::sin(22.0 * x / leaf.length);
      return leaf_droop * x * x + leaf_cup * y * y + 0.10 * std::abs(y) + waves * std::abs(y) / 0.02;
    };
    all.push_back(moved(sheet_surface({leaf.length, drawn_sheet, half_width, height, 36, 14}), leaf.place(),
                        leaf.axes()));
  }
  return joined(all);
}

Vector3 petal_place(int i) {
  const double angle = 2.0 * std::numbers::pi * i / petals;
  return bloom_center + bloom_axes() * Vector3(0.014 * std::cos(angle), 0.014 * std::sin(angle), 0.002);
}

Matrix3 petal_axes(int i) {
  const double angle = 2.0 * std::numbers::pi * i / petals;
  const double rise = 0.12 + (i % 2 == 0 ? 0.05 : -0.03);
  return bloom_axes() * turned(angle, Vector3::UnitZ()) * turned(-rise, Vector3::UnitY());
}

Implicit petal_solids() {
  std::vector<Implicit> all;
  for (int i = 0; i < petals; ++i) {
    const Implicit blade =
        curled(petal_plate(petal_length, 0.008, 0.5 * petal_width, sheet), petal_droop, petal_cup);
    all.push_back(moved(blade, petal_place(i), petal_axes(i)));
  }
  return unite(std::move(all));
}

SurfaceMesh drawn_petals() {
  std::vector<SurfaceMesh> all;
  const auto half_width = [](double u) {
    return 0.57 * petal_width * std::pow(u, 0.55) * std::sqrt(1.0 - std::pow(u, 4.5)) / 0.80;
  };
  const auto height = [](double x, double y) {
    const double furrow = 0.0007 * std::cos(2.0 * std::numbers::pi * y / 0.014);  // two along the petal
    return petal_droop * x * x + petal_cup * y * y - furrow;
  };
  const SurfaceMesh petal = sheet_surface({petal_length, drawn_sheet, half_width, height, 28, 16});
  for (int i = 0; i < petals; ++i) all.push_back(moved(petal, petal_place(i), petal_axes(i)));
  return joined(all);
}

Implicit bloom_disc() {
  return moved(ellipsoid({0, 0, 0.004}, {disc_radius, disc_radius, 0.013}), bloom_center, bloom_axes());
}

/// Seeds on the disc in a sunflower's spiral: each turned by the golden angle from the one before.
SurfaceMesh drawn_seeds() {
  std::vector<SurfaceMesh> all;
  constexpr int count = 90;
  for (int i = 0; i < count; ++i) {
    const double r = 0.97 * disc_radius * std::sqrt((i + 0.5) / count), angle = 2.399963 * i;
    const double z = 0.004 + 0.0128 * std::sqrt(std::max(0.0, 1.0 - (r / disc_radius) * (r / disc_radius)));
    all.push_back(sphere_surface({r * std::cos(angle), r * std::sin(angle), z}, 0.0022, 10));
  }
  return moved(joined(all), bloom_center, bloom_axes());
}

}  // namespace

BodyPlan plan_flower() {
  const Implicit green = unite({stem(0.0), earth()}, 0.006), foliage = leaf_solids();
  const Implicit hub = moved(ellipsoid({0, 0, 0.001}, {0.037, 0.037, 0.0065}), bloom_center, bloom_axes());
  const Implicit bloom = unite({petal_solids(), bloom_disc(), hub}, 0.004);
  BodyPlan plan;
  plan.solid = unite({green, foliage, bloom}, 0.005);
  plan.solid.bounds.min.z() = 0.0;
  plan.regions = {{"stem", elastic(4e7, 0.35, 900.0), green},
                  {"leaves", elastic(3e6, 0.35, 400.0), foliage},
                  {"bloom", elastic(2e6, 0.35, 300.0), bloom}};
  plan.surfaces = {
      {"stem", {0.33, 0.52, 0.20}, stem(0.0025)},     {"earth", {0.40, 0.29, 0.20}, earth()},
      {"leaves", {0.36, 0.62, 0.22}, drawn_leaves()}, {"petals", {0.93, 0.33, 0.47}, drawn_petals()},
      {"disc", {0.62, 0.40, 0.10}, bloom_disc()},     {"seeds", {0.97, 0.76, 0.20}, drawn_seeds()}};
  plan.fixed = [](const Vector3& x) { return x.z() < 0.006; };
  plan.cells = 80;
  plan.least_cells = 56;
  plan.render_cells = 230;
  plan.least_render_cells = 150;
  return plan;
}

}  // namespace limber
