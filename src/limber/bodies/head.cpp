#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

// The head of a character, 24 cm high with its neck, that looks towards -y. The neck is cut at z = 0. Its
// flesh is a shell: where the skull would be, there is nothing.     [after Kim & James 2009, Figures 1 and 2]

namespace limber {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double held_depth = 0.0012;  ///< what lies so near to the skull or to the cut is held, m

const Vector3 eye_center(0.0265, -0.0590, 0.1380);
constexpr double eye_radius = 0.0140;

Matrix3 turned(double angle, const Vector3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

Implicit pipe(std::span<const TubePoint> path) { return tube(smooth_path(path, 8)); }

Implicit both_sides(Implicit body) { return with_mirror_image(std::move(body), 0); }

/// Without the finer features of the face.
Implicit skull_and_neck() {
  const Implicit cranium = ellipsoid({0.0, 0.020, 0.166}, {0.0655, 0.0810, 0.0720});
  const Implicit face = ellipsoid({0.0, -0.020, 0.116}, {0.0540, 0.0540, 0.0640});
  const Implicit jaw = both_sides(round_cone({0.040, 0.004, 0.090}, {0.013, -0.050, 0.067}, 0.0190, 0.0150));
  const Implicit chin = ellipsoid({0.0, -0.0600, 0.0660}, {0.0180, 0.0150, 0.0150});
  // Two cones with a wide blend, whose depth inside is known: the cut is rounded with it.
  const Implicit throat = round_cone({0.0, 0.014, 0.120}, {0.0, 0.022, 0.040}, 0.0400, 0.0360);
  const Implicit collar = round_cone({0.0, 0.022, 0.040}, {0.0, 0.036, -0.120}, 0.0360, 0.0640);
  return unite({unite({cranium, face, jaw, chin}, 0.030), unite({throat, collar}, 0.024)}, 0.016);
}

Implicit nose() {
  const std::array<TubePoint, 4> bridge{{{{0.0, -0.0600, 0.1500}, 0.0085},
                                         {{0.0, -0.0720, 0.1350}, 0.0085},
                                         {{0.0, -0.0860, 0.1190}, 0.0092},
                                         {{0.0, -0.0905, 0.1110}, 0.0112}}};
  const Implicit wings = both_sides(ellipsoid({0.0110, -0.0790, 0.1075}, {0.0078, 0.0100, 0.0072}));
  return unite({pipe(bridge), wings}, 0.009);
}

constexpr double mouth_width = 0.0200;  ///< half of it, m

/// Height of the line between the lips, m: a faint smile.
double mouth_height(double x) { return 0.0832 + 11.0 * x * x; }

/// offset: of the lip's middle from the line between the lips, m.
Implicit lip(double offset, double radius) {
  std::vector<TubePoint> path;
  for (int i = -8; i <= 8; ++i) {
    const double t = i / 8.0, x = mouth_width * t, swell = 1.0 - t * t;
    path.push_back({{x, -0.0735 + 13.0 * x * x, mouth_height(x) + offset * swell},
                    0.0018 + (radius - 0.0018) * std::sqrt(swell)});
  }
  return tube(path);
}

Implicit lips() { return unite({lip(0.0030, 0.0040), lip(-0.0034, 0.0048)}, 0.0006); }

/// thickness: half of it, m. An ear as it is drawn is thinner than elements can be.
Implicit ear(double thickness) {
  const Matrix3 axes = turned(-0.50, Vector3::UnitZ()) * turned(-0.16, Vector3::UnitX());
  const Vector3 center(0.0725, 0.0220, 0.1320);
  const Implicit plate = ellipsoid(center, {thickness, 0.0215, 0.0310}, axes);
  const Implicit lobe = sphere(center + axes * Vector3(-0.002, -0.0090, -0.0240), 0.0088);
  const Implicit root =
      ellipsoid(center + axes * Vector3(-0.0080, -0.0060, -0.0020), {0.0130, 0.0120, 0.0220}, axes);
  const Implicit bowl =
      ellipsoid(center + axes * Vector3(thickness + 0.0010, -0.0030, 0.0020), {0.0085, 0.0125, 0.0195}, axes);
  return subtract(unite({plate, lobe, root}, 0.010), bowl, 0.006);
}

Implicit flesh(double ear_thickness) {
  const Implicit cheeks = both_sides(sphere({0.0300, -0.0420, 0.1040}, 0.0240));
  const std::array<TubePoint, 4> brow{{{{0.0060, -0.0620, 0.1560}, 0.0080},
                                       {{0.0200, -0.0630, 0.1600}, 0.0090},
                                       {{0.0350, -0.0550, 0.1590}, 0.0088},
                                       {{0.0500, -0.0360, 0.1500}, 0.0050}}};
  const Implicit brows = both_sides(pipe(brow));
  const Implicit sockets = both_sides(ellipsoid({0.0275, -0.0740, 0.1385}, {0.0165, 0.0165, 0.0130}));
  const Implicit head = unite({skull_and_neck(), cheeks, brows}, 0.014);
  const Implicit face = unite({subtract(head, sockets, 0.012), nose()}, 0.012);
  return unite({unite({face, lips()}, 0.003), both_sides(ear(ear_thickness))}, 0.010);
}

/// Where bones are.
Implicit skull() {
  const Implicit brain = ellipsoid({0.0, 0.020, 0.166}, {0.0510, 0.0660, 0.0570});
  const Implicit face = ellipsoid({0.0, -0.014, 0.122}, {0.0360, 0.0380, 0.0420});
  const Implicit jaw = both_sides(round_cone({0.030, 0.000, 0.095}, {0.008, -0.044, 0.079}, 0.0080, 0.0080));
  return unite({brain, face, jaw}, 0.020);
}

/// A cap around an eye: its rim lies `opening` from `axis`.
SurfaceMesh lid(const Vector3& eye, const Vector3& axis, double opening) {
  constexpr double inner = eye_radius - 0.001, outer = eye_radius + 0.0016, middle = 0.5 * (inner + outer);
  std::vector<Eigen::Vector2d> outline;
  const auto add = [&](double radius, double angle) {
    outline.emplace_back(angle > 0.0 ? radius * std::sin(angle) : 0.0, radius * std::cos(angle));
  };
  for (int i = 0; i <= 16; ++i) add(inner, opening * i / 16.0);
  for (int i = 1; i < 6; ++i) {  // around the rim
    const double turn = pi * i / 6.0, half = 0.5 * (outer - inner);
    add(middle - half * std::cos(turn), opening + half * std::sin(turn) / middle);
  }
  for (int i = 20; i >= 0; --i) add(outer, opening * i / 20.0);
  return revolved_surface(outline, eye, frame_about(axis), 40);
}

Vector3 eye(double side) { return {side * eye_center.x(), eye_center.y(), eye_center.z()}; }

SurfaceMesh eyelids() {
  std::vector<SurfaceMesh> lids;
  for (const double side : {-1.0, 1.0}) {
    lids.push_back(lid(eye(side), {side * 0.10, 0.50, 1.0}, 0.45 * pi));
    lids.push_back(lid(eye(side), {side * 0.10, 0.45, -1.0}, 0.40 * pi));
  }
  return joined(lids);
}

/// Balls of `radius` whose middle lies `depth` before the middle of each eye, where it looks.
SurfaceMesh in_the_eyes(double depth, double radius, const Vector3& gaze) {
  return joined(std::array{sphere_surface(eye(-1.0) + depth * gaze, radius, 40),
                           sphere_surface(eye(1.0) + depth * gaze, radius, 40)});
}

/// Puts points onto the skin, along y.
std::vector<TubePoint> on_skin(const Implicit& skin, std::span<const TubePoint> points) {
  std::vector<TubePoint> path = smooth_path(points, 8);
  for (TubePoint& point : path) {
    for (int step = 0; step < 60; ++step) point.position.y() += 0.7 * skin.distance(point.position);
  }
  return path;
}

SurfaceMesh eyebrows(const Implicit& skin) {
  std::vector<SurfaceMesh> brows;
  for (const double side : {-1.0, 1.0}) {
    const std::array<TubePoint, 4> path{{{{side * 0.0110, -0.10, 0.1630}, 0.0026},
                                         {{side * 0.0220, -0.10, 0.1675}, 0.0032},
                                         {{side * 0.0340, -0.10, 0.1670}, 0.0028},
                                         {{side * 0.0450, -0.10, 0.1610}, 0.0012}}};
    brows.push_back(tube_surface(on_skin(skin, path), 14, Vector3::UnitY()));
  }
  return joined(brows);
}

/// The line between the lips.
SurfaceMesh mouth(const Implicit& skin) {
  std::vector<TubePoint> line;
  for (int i = -6; i <= 6; ++i) {
    const double t = i / 6.0, x = (mouth_width + 0.001) * t;
    line.push_back({{x, -0.10, mouth_height(x)}, 0.0011 - 0.0004 * t * t});
  }
  return tube_surface(on_skin(skin, line), 10, Vector3::UnitY());
}

/// What of the lips stands out of the face.
Implicit painted_lips(const Implicit& skin) {
  return intersect(grow(skin, 0.0005), grow(lips(), 0.0010), 0.001);
}

}  // namespace

BodyPlan plan_head() {
  constexpr double ear_thickness = 0.0085, drawn_ear_thickness = 0.0065;
  const Implicit above = half_space({0.0, 0.0, 0.0}, -Vector3::UnitZ()), hollow = skull();
  const auto shell_of = [&](const Implicit& body) {
    Implicit shell = subtract(intersect(body, above, 0.010), hollow);
    shell.bounds.min.z() = 0.0;
    return shell;
  };
  const Implicit skin = flesh(drawn_ear_thickness);
  const Vector3 gaze = Vector3(0.03, -1.0, 0.0).normalized();
  BodyPlan plan;
  plan.solid = shell_of(flesh(ear_thickness));
  constexpr double mu = 5000.0, bulk = 1e5;
  plan.regions = {{"flesh", {ArrudaBoyce({bulk - 2.0 / 3.0 * mu, mu}, 2.5), 1000.0}, {}}};
  plan.surfaces = {{"skin", {0.87, 0.64, 0.52}, shell_of(skin)},
                   {"lips", {0.76, 0.42, 0.38}, painted_lips(skin), 2.5},
                   {"mouth", {0.38, 0.14, 0.13}, mouth(skin)},
                   {"eyebrows", {0.25, 0.16, 0.12}, eyebrows(skin)},
                   {"eyelids", {0.83, 0.58, 0.47}, eyelids()},
                   {"eyes", {0.98, 0.97, 0.95}, in_the_eyes(0.0, eye_radius, gaze)},
                   {"irises", {0.28, 0.42, 0.46}, in_the_eyes(0.0072, 0.0073, gaze)},
                   {"pupils", {0.05, 0.05, 0.06}, in_the_eyes(0.0108, 0.0040, gaze)}};
  plan.fixed = [bone = hollow.distance](const Vector3& x) {
    return bone(x) < held_depth || x.z() < held_depth;
  };
  plan.cells = 26;
  plan.least_cells = 24;
  plan.render_cells = 105;
  plan.least_render_cells = 60;
  return plan;
}

}  // namespace limber
