#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

// An octopus that sits on the plane z = 0 and looks towards -y, about 0.6 m across.

namespace limber {
namespace {

constexpr double pi = std::numbers::pi;

/// How an arm lies: it leaves the body at `azimuth`, runs out over the ground, and its last part curls.
struct Arm {
  double azimuth;  ///< degrees about z, 0 to the right, -90 to the front
  double length;   ///< m
  double sway;     ///< turn to the side along the ground, degrees
  double curl;     ///< turn of the tip to the side, degrees
  double lift;     ///< turn of the tip upward, degrees
  double raise;    ///< pitch to which the arm is held up, degrees
};

constexpr std::array<Arm, 8> arms{{{-118.0, 0.47, 16.0, -245.0, 10.0, 0.0},
                                   {-66.0, 0.48, -8.0, 255.0, 12.0, 0.0},
                                   {-22.0, 0.52, 24.0, 0.0, 215.0, 0.0},
                                   {22.0, 0.46, 10.0, 240.0, 10.0, 0.0},
                                   {68.0, 0.44, 2.0, 225.0, 12.0, 0.0},
                                   {112.0, 0.44, 0.0, 220.0, 12.0, 0.0},
                                   {158.0, 0.46, 6.0, 230.0, 10.0, 0.0},
                                   {203.0, 0.52, -14.0, 0.0, -190.0, 92.0}}};

constexpr double base_radius = 0.040;        ///< of an arm where it leaves the body, m
constexpr double tip_radius = 0.0165;        ///< as simulated, m
constexpr double drawn_tip_radius = 0.0090;  ///< m
constexpr int arm_pieces = 60;

double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3.0 - 2.0 * t);
}

struct ArmPoint {
  Vector3 position;
  Vector3 under;  ///< unit, to the side of the suckers
  double radius;
};

std::vector<ArmPoint> trace_arm(const Arm& arm, double tip) {
  std::vector<ArmPoint> path;
  const double radian = pi / 180.0;
  Vector3 x(0.045 * std::cos(arm.azimuth * radian), 0.045 * std::sin(arm.azimuth * radian), 0.082);
  const double ds = arm.length / arm_pieces;
  for (int i = 0; i <= arm_pieces; ++i) {
    const double s = static_cast<double>(i) / arm_pieces;
    const double radius = tip + (base_radius - tip) * std::pow(1.0 - s, 0.85);
    const double tail = std::pow(smooth_step(0.38, 1.15, s) / smooth_step(0.38, 1.15, 1.0), 1.1);
    const double heading = radian * (arm.azimuth + arm.sway * smooth_step(0.05, 0.6, s) + arm.curl * tail);
    const double lift = radian * (arm.lift * tail + arm.raise * smooth_step(0.2, 0.55, s));
    // Down to the ground at first: the pitch follows the height that is left.
    const double dive = std::atan2(std::max(0.0, x.z() - radius), 0.075);
    const Vector3 out(std::cos(heading), std::sin(heading), 0.0), up = Vector3::UnitZ();
    const double pitch = lift - dive * (1.0 - smooth_step(0.5, 0.7, s)) * (arm.raise > 0.0 ? 0.4 : 1.0);
    path.push_back({x, std::sin(pitch) * out - std::cos(pitch) * up, radius});
    x += ds * (std::cos(pitch) * out + std::sin(pitch) * up);
  }
  return path;
}

Implicit arm_body(const Arm& arm, double tip) {
  std::vector<TubePoint> path;
  for (const ArmPoint& point : trace_arm(arm, tip)) path.push_back({point.position, point.radius});
  return tube(path);
}

constexpr double eye_radius = 0.027;
const Vector3 eye_center(0.046, -0.076, 0.170);
const Vector3 mantle_center(0.0, 0.045, 0.225);

Implicit body(double tip) {
  const Matrix3 tilt = Eigen::AngleAxisd(-0.42, Vector3::UnitX()).toRotationMatrix();
  const Implicit mantle = ellipsoid(mantle_center, {0.088, 0.092, 0.118}, tilt);
  const Implicit head = ellipsoid({0.0, -0.022, 0.128}, {0.074, 0.066, 0.062});
  std::vector<Implicit> limbs;
  for (const Arm& arm : arms) limbs.push_back(arm_body(arm, tip));
  const Implicit brow = ellipsoid({0.046, -0.058, 0.165}, {0.034, 0.033, 0.032});
  const Implicit other_brow = ellipsoid({-0.046, -0.058, 0.165}, {0.034, 0.033, 0.032});
  return unite({unite({mantle, head, brow, other_brow}, 0.05), unite(std::move(limbs), 0.022)}, 0.035);
}

SurfaceMesh mirrored_spheres(const Vector3& center, double radius, int segments) {
  return joined(std::array{sphere_surface(center, radius, segments),
                           sphere_surface({-center.x(), center.y(), center.z()}, radius, segments)});
}

/// A cap around the upper part of each eye, lower on its outer side: thin, with a rounded rim.
SurfaceMesh eyelids() {
  constexpr double inner = eye_radius - 0.002, outer = eye_radius + 0.0036, middle = 0.5 * (inner + outer);
  constexpr double opening = 0.47 * pi;  // from the top of the cap to its rim
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
  std::vector<SurfaceMesh> lids;
  for (const double side : {-1.0, 1.0}) {
    const Vector3 axis(side * 0.20, 0.72, 1.0), eye(side * eye_center.x(), eye_center.y(), eye_center.z());
    lids.push_back(revolved_surface(outline, eye, frame_about(axis), 40));
  }
  return joined(lids);
}

/// Shines on both eyes from the same side.
SurfaceMesh glints() {
  std::vector<SurfaceMesh> all;
  for (const double side : {-1.0, 1.0}) {
    const Vector3 eye(side * eye_center.x(), eye_center.y(), eye_center.z());
    all.push_back(
        sphere_surface(eye + (eye_radius + 0.0012) * Vector3(-0.30, -1.0, 0.30).normalized(), 0.0046, 16));
    all.push_back(
        sphere_surface(eye + (eye_radius + 0.0012) * Vector3(0.06, -1.0, -0.22).normalized(), 0.0022, 12));
  }
  return joined(all);
}

/// Two rows of small cups below each arm.
SurfaceMesh suckers(double tip) {
  std::vector<SurfaceMesh> cups;
  for (const Arm& arm : arms) {
    const std::vector<ArmPoint> path = trace_arm(arm, tip);
    for (std::size_t i = 14; i + 3 < path.size(); i += 3) {
      const ArmPoint& point = path[i];
      const Vector3 along = (path[i + 1].position - point.position).normalized();
      const Vector3 side = along.cross(point.under);
      for (const double sign : {-1.0, 1.0}) {
        const Vector3 n = (0.9 * point.under + 0.5 * sign * side).normalized();
        cups.push_back(torus_surface(point.position + point.radius * n, n, 0.26 * point.radius,
                                     0.13 * point.radius, 10));
      }
    }
  }
  return joined(cups);
}

/// Freckles on the mantle: what of the slightly grown body lies within balls on its surface.
Implicit freckles(const Implicit& skin) {
  // Azimuth from the front and height, in radians as seen from the middle of the mantle, and radius in m.
  constexpr std::array<std::array<double, 3>, 13> spots{{{0.42, 0.55, 0.013},
                                                         {-0.30, 0.78, 0.017},
                                                         {0.45, 1.02, 0.020},
                                                         {1.00, 0.62, 0.018},
                                                         {-0.95, 0.60, 0.014},
                                                         {1.35, 0.20, 0.013},
                                                         {-1.40, 1.00, 0.021},
                                                         {1.75, 0.85, 0.022},
                                                         {-1.60, 0.30, 0.018},
                                                         {2.40, 0.50, 0.020},
                                                         {-2.40, 0.70, 0.022},
                                                         {3.05, 0.15, 0.017},
                                                         {-2.35, 0.05, 0.014}}};
  std::vector<Implicit> balls;
  for (const auto& [azimuth, height, radius] : spots) {
    const Vector3 direction(std::sin(azimuth) * std::cos(height), -std::cos(azimuth) * std::cos(height),
                            std::sin(height));
    Vector3 x = mantle_center;
    for (int step = 0; step < 60; ++step) x -= 0.9 * skin.distance(x) * direction;
    balls.push_back(sphere(x, radius + 0.003));
  }
  return intersect(grow(skin, 0.0022), unite(std::move(balls)), 0.008);
}

/// A smile between the eyes and the arms, drawn onto the skin.
SurfaceMesh smile(const Implicit& skin) {
  std::vector<TubePoint> path;
  for (int i = -8; i <= 8; ++i) {
    const double t = i / 8.0;
    Vector3 x(0.024 * t, -0.05, 0.1205 + 0.0075 * t * t);
    for (int step = 0; step < 40; ++step) x.y() += 0.9 * skin.distance(x);
    path.push_back({x, 0.0021 * (1.0 - 0.45 * t * t)});
  }
  return tube_surface(path, 12, Vector3::UnitY());
}

}  // namespace

BodyPlan plan_octopus() {
  BodyPlan plan;
  plan.solid = unite({body(tip_radius), with_mirror_image(sphere(eye_center, eye_radius), 0)}, 0.01);
  plan.regions = {{"octopus", elastic(5e5, 0.45, 1050.0), {}}};
  const Implicit skin = body(drawn_tip_radius);
  const Vector3 gaze = Vector3(-0.04, -1.0, 0.02).normalized();
  plan.surfaces = {{"skin", {0.91, 0.42, 0.30}, skin},
                   {"freckles", {0.80, 0.29, 0.23}, freckles(skin), 1.6},
                   {"suckers", {0.98, 0.80, 0.68}, suckers(drawn_tip_radius)},
                   {"smile", {0.45, 0.12, 0.12}, smile(skin)},
                   {"eyelids", {0.86, 0.36, 0.25}, eyelids()},
                   {"eyes", {0.99, 0.98, 0.94}, mirrored_spheres(eye_center, eye_radius, 40)},
                   {"pupils", {0.10, 0.09, 0.13}, mirrored_spheres(eye_center + 0.0105 * gaze, 0.0192, 40)},
                   {"glints", {1.0, 1.0, 1.0}, glints()}};
  plan.fixed = [](const Vector3& x) { return x.z() < 0.012 && x.head<2>().norm() > 0.12; };
  plan.cells = 46;
  plan.grading = 2;
  plan.least_cells = 38;
  plan.render_cells = 120;
  plan.least_render_cells = 70;
  return plan;
}

}  // namespace limber
