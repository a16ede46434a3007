#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <utility>

// A heart, 13 cm high, seen from the front (-y): its apex points down and to the right of the picture (+x),
// the great vessels leave at the top (+z).

namespace limber {
namespace {

Matrix3 turned(double angle, const Vector3& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

Implicit pipe(std::span<const TubePoint> path) { return tube(smooth_path(path, 10)); }

Implicit muscle() {
  const std::array<TubePoint, 4> left{{{{0.004, 0.006, 0.006}, 0.0330},
                                       {{0.010, 0.002, -0.018}, 0.0325},
                                       {{0.022, -0.002, -0.044}, 0.0225},
                                       {{0.032, -0.006, -0.062}, 0.0110}}};
  const std::array<TubePoint, 4> right{{{{-0.014, -0.012, 0.006}, 0.0255},
                                        {{-0.008, -0.012, -0.014}, 0.0250},
                                        {{0.006, -0.011, -0.034}, 0.0180},
                                        {{0.018, -0.010, -0.050}, 0.0110}}};
  const Implicit left_atrium =
      ellipsoid({0.024, 0.014, 0.030}, {0.020, 0.018, 0.015}, turned(0.4, {0, 1, 0}));
  const Implicit right_atrium =
      ellipsoid({-0.032, -0.004, 0.022}, {0.017, 0.018, 0.023}, turned(0.3, {0, 1, 0}));
  const Implicit left_ear = round_cone({0.034, 0.002, 0.028}, {0.026, -0.016, 0.020}, 0.010, 0.0055);
  const Implicit right_ear = round_cone({-0.032, -0.010, 0.032}, {-0.018, -0.022, 0.030}, 0.011, 0.0065);
  const Implicit outflow = round_cone({-0.010, -0.014, -0.004}, {0.001, -0.020, 0.018}, 0.021, 0.0135);
  return unite({unite({pipe(left), pipe(right), outflow}, 0.014), unite({left_atrium, right_atrium}, 0.010),
                unite({left_ear, right_ear})},
               0.008);
}

/// A vessel that is cut off at the end of its path.
using Vessel = std::vector<TubePoint>;

Vector3 end_direction(const Vessel& vessel) {
  const std::size_t n = vessel.size();
  return (vessel[n - 1].position - vessel[n - 2].position).normalized();
}

Implicit cut_off(const Vessel& vessel) {
  const TubePoint& end = vessel.back();
  const Implicit beyond =
      cylinder(end.position, end.position + 3.0 * end.radius * end_direction(vessel), 2.0 * end.radius);
  return subtract(pipe(vessel), beyond, 0.0020);
}

Implicit vessels(std::span<const Vessel> all) {
  std::vector<Implicit> shapes;
  for (const Vessel& vessel : all) shapes.push_back(cut_off(vessel));
  return unite(std::move(shapes), 0.005);
}

std::vector<Vessel> aorta() {
  return {
      {{{0.000, 0.004, 0.020}, 0.0115},
       {{-0.008, 0.002, 0.046}, 0.0118},
       {{-0.004, 0.006, 0.066}, 0.0112},
       {{0.012, 0.013, 0.074}, 0.0105},
       {{0.027, 0.020, 0.064}, 0.0098},
       {{0.031, 0.026, 0.044}, 0.0092},
       {{0.031, 0.030, 0.020}, 0.0088}},
      {{{-0.003, 0.006, 0.068}, 0.0064}, {{-0.008, 0.004, 0.084}, 0.0058}, {{-0.012, 0.003, 0.098}, 0.0056}},
      {{{0.009, 0.011, 0.074}, 0.0062}, {{0.009, 0.010, 0.088}, 0.0056}, {{0.008, 0.009, 0.101}, 0.0054}},
      {{{0.019, 0.016, 0.070}, 0.0062}, {{0.023, 0.016, 0.083}, 0.0056}, {{0.028, 0.015, 0.096}, 0.0054}}};
}

std::vector<Vessel> pulmonary_artery() {
  return {{{{-0.004, -0.012, 0.000}, 0.0125},
           {{0.002, -0.021, 0.022}, 0.0120},
           {{0.009, -0.014, 0.042}, 0.0112},
           {{0.022, -0.004, 0.052}, 0.0095},
           {{0.038, 0.002, 0.056}, 0.0080},
           {{0.052, 0.006, 0.057}, 0.0074}},
          {{{0.012, -0.010, 0.046}, 0.0085},
           {{0.004, 0.014, 0.052}, 0.0080},
           {{-0.018, 0.026, 0.053}, 0.0072},
           {{-0.034, 0.029, 0.052}, 0.0068}}};
}

std::vector<Vessel> vena_cava() {
  return {{{{-0.034, 0.004, 0.020}, 0.0105},
           {{-0.035, 0.006, 0.044}, 0.0092},
           {{-0.032, 0.008, 0.066}, 0.0088},
           {{-0.031, 0.008, 0.088}, 0.0086}},
          {{{-0.032, 0.006, 0.010}, 0.0095},
           {{-0.035, 0.010, -0.016}, 0.0090},
           {{-0.034, 0.010, -0.036}, 0.0088}}};
}

/// Round lips of the cut ends.
SurfaceMesh lips(std::span<const Vessel> group) {
  std::vector<SurfaceMesh> rings;
  for (const Vessel& vessel : group) {
    const double radius = vessel.back().radius;
    rings.push_back(
        torus_surface(vessel.back().position, end_direction(vessel), 0.82 * radius, 0.22 * radius, 36));
  }
  return joined(rings);
}

/// Dark discs within the lips: the insides of the vessels.
SurfaceMesh lumens(std::span<const std::vector<Vessel>> groups) {
  std::vector<SurfaceMesh> discs;
  for (const std::vector<Vessel>& group : groups) {
    for (const Vessel& vessel : group) {
      const Vector3 outward = end_direction(vessel), end = vessel.back().position;
      discs.push_back(
          cylinder_surface(end - 0.002 * outward, end + 0.0003 * outward, 0.75 * vessel.back().radius, 32));
    }
  }
  return joined(discs);
}

/// Where a ray from `from` through `to` leaves a body.
Vector3 exit_point(const Implicit& body, const Vector3& from, const Vector3& to) {
  const Vector3 direction = (to - from).normalized();
  Vector3 x = from;
  for (int step = 0; step < 80; ++step) x -= 0.9 * body.distance(x) * direction;
  return x;
}

/// A vessel on the surface of the muscle, behind points given in front of it.
SurfaceMesh coronary(const Implicit& muscle, std::span<const Vector3> points, double radius) {
  std::vector<TubePoint> path;
  for (const Vector3& point : points) {
    const double share = static_cast<double>(path.size()) / static_cast<double>(points.size());
    const Vector3 from(0.3 * point.x(), 0.0, 0.55 * point.z());
    path.push_back({exit_point(muscle, from, point), radius * (1.0 - 0.55 * share)});
  }
  std::vector<TubePoint> fine = smooth_path(path, 8);
  for (TubePoint& point : fine) {  // onto the surface once more, seen from the middle
    const Vector3 from(0.3 * point.position.x(), 0.0, 0.55 * point.position.z());
    point.position = exit_point(muscle, from, point.position);
  }
  return tube_surface(fine, 12, Vector3::UnitY());
}

SurfaceMesh coronaries(const Implicit& muscle) {
  const std::array<Vector3, 6> descending{{{0.020, -0.060, 0.016},
                                           {0.020, -0.060, 0.000},
                                           {0.024, -0.060, -0.018},
                                           {0.030, -0.060, -0.036},
                                           {0.036, -0.060, -0.056},
                                           {0.044, -0.040, -0.072}}};
  const std::array<Vector3, 4> diagonal{
      {{0.021, -0.060, -0.004}, {0.034, -0.060, -0.012}, {0.046, -0.050, -0.026}, {0.056, -0.040, -0.046}}};
  const std::array<Vector3, 4> low{
      {{0.025, -0.060, -0.022}, {0.016, -0.060, -0.034}, {0.010, -0.060, -0.048}, {0.012, -0.050, -0.062}}};
  const std::array<Vector3, 5> right{{{-0.022, -0.060, 0.008},
                                      {-0.032, -0.058, -0.006},
                                      {-0.030, -0.056, -0.022},
                                      {-0.018, -0.055, -0.040},
                                      {0.000, -0.050, -0.058}}};
  const std::array<Vector3, 4> marginal{{{-0.032, -0.058, -0.010},
                                         {-0.020, -0.060, -0.016},
                                         {-0.010, -0.060, -0.024},
                                         {-0.002, -0.060, -0.034}}};
  return joined(std::array{coronary(muscle, descending, 0.0026), coronary(muscle, diagonal, 0.0020),
                           coronary(muscle, low, 0.0018), coronary(muscle, right, 0.0024),
                           coronary(muscle, marginal, 0.0018)});
}

}  // namespace

BodyPlan plan_heart() {
  const Implicit flesh = muscle(), red = vessels(aorta()), blue = vessels(pulmonary_artery()),
                 dark = vessels(vena_cava());
  BodyPlan plan;
  plan.solid = unite({flesh, red, blue, dark}, 0.005);
  plan.regions = {{"heart", elastic(4e5, 0.45, 1060.0), {}}};
  plan.surfaces = {
      {"muscle", {0.74, 0.16, 0.15}, flesh},
      {"aorta", {0.86, 0.32, 0.26}, red},
      {"pulmonary artery", {0.36, 0.47, 0.72}, blue},
      {"vena cava", {0.29, 0.39, 0.64}, dark},
      {"aorta lips", {0.86, 0.32, 0.26}, lips(aorta())},
      {"pulmonary lips", {0.36, 0.47, 0.72}, lips(pulmonary_artery())},
      {"vena cava lips", {0.29, 0.39, 0.64}, lips(vena_cava())},
      {"coronaries", {0.95, 0.66, 0.42}, coronaries(flesh)},
      {"lumens", {0.30, 0.06, 0.08}, lumens(std::array{aorta(), pulmonary_artery(), vena_cava()})}};
  plan.fixed = [](const Vector3& x) { return x.z() > 0.078; };
  plan.cells = 33;
  plan.grading = 1;
  plan.least_cells = 22;
  plan.render_cells = 115;
  plan.least_render_cells = 60;
  return plan;
}

}  // namespace limber
