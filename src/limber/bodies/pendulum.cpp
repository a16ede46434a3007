#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

// Four acrobats in a chain, 1 m long, that face -y: each holds the feet of the one above and is one body with
// them. The first one hangs from a ring, which is held.             [after Kim & James 2009, Figures 2 and 4]

namespace limber {
namespace {

/// An acrobat, in a frame with the hands at the origin and the feet at z = -pitch.
struct Figure {
  double hand;   ///< half the distance of the hands, m
  double elbow;  ///< of the elbows, m
  double knee;   ///< of the knees, m
  double ankle;  ///< of the ankles, m
  Vector3 suit;  ///< colour
  Vector3 hair;  ///< colour
};

const std::array<Figure, 4> figures{{{0.017, 0.053, 0.029, 0.009, {0.78, 0.16, 0.19}, {0.20, 0.12, 0.09}},
                                     {0.010, 0.054, 0.026, 0.009, {0.15, 0.40, 0.68}, {0.85, 0.60, 0.25}},
                                     {0.010, 0.053, 0.029, 0.009, {0.95, 0.66, 0.14}, {0.12, 0.10, 0.11}},
                                     {0.010, 0.054, 0.034, 0.038, {0.18, 0.54, 0.38}, {0.58, 0.22, 0.10}}}};

constexpr double pitch = 0.2350;       ///< from the hands of one to those of the next, m
constexpr double ring_radius = 0.034;  ///< m
constexpr double ring_tube = 0.0085;   ///< m
constexpr double held_depth = 0.0005;  ///< what lies so near to the ring is held, m
const Vector3 head_center(0.0, -0.003, -0.068);
const Vector3 head_radii(0.0265, 0.0285, 0.0295);  ///< m

Implicit pipe(std::span<const TubePoint> path) { return tube(smooth_path(path, 8)); }

Implicit both_sides(Implicit body) { return with_mirror_image(std::move(body), 0); }

Vector3 origin_of(std::size_t i) { return {0.0, 0.0, -pitch * static_cast<double>(i)}; }

Implicit arms(const Figure& figure) {
  const std::array<TubePoint, 4> arm{{{{figure.hand, 0.0, -0.002}, 0.0118},
                                      {{0.5 * (figure.hand + figure.elbow) + 0.004, 0.003, -0.026}, 0.0104},
                                      {{figure.elbow, 0.005, -0.062}, 0.0112},
                                      {{0.034, 0.003, -0.106}, 0.0150}}};
  const Implicit hand = sphere({figure.hand, 0.0, 0.0}, 0.0140);
  return both_sides(unite({pipe(arm), hand}, 0.006));
}

Implicit feet(const Figure& figure) {
  const Vector3 heel(figure.ankle + 0.001, -0.002, -pitch - 0.006);
  return both_sides(round_cone(heel, heel + Vector3(0.006, -0.026, -0.010), 0.0125, 0.0085));
}

Implicit legs(const Figure& figure) {
  const std::array<TubePoint, 4> leg{{{{0.018, 0.002, -0.156}, 0.0205},
                                      {{0.5 * (figure.knee + 0.018), 0.001, -0.174}, 0.0180},
                                      {{figure.knee, -0.004, -0.197}, 0.0132},
                                      {{figure.ankle, 0.0, 0.002 - pitch}, 0.0108}}};
  return both_sides(pipe(leg));
}

Implicit trunk() {
  const Implicit chest = ellipsoid({0.0, 0.001, -0.116}, {0.0390, 0.0265, 0.0270});
  const Implicit belly = ellipsoid({0.0, -0.004, -0.141}, {0.0345, 0.0310, 0.0290});
  return unite({chest, belly}, 0.020);
}

Implicit head() { return ellipsoid(head_center, head_radii); }

Implicit body(const Figure& figure) {
  const Implicit neck = capsule({0.0, 0.0, -0.086}, {0.0, 0.0, -0.106}, 0.0125);
  const Implicit limbs = unite({trunk(), arms(figure), legs(figure), neck}, 0.013);
  return unite({limbs, unite({head(), feet(figure)})}, 0.006);
}

/// What of the slightly grown body lies about the trunk: a suit with short legs.
Implicit suit(const Figure& figure) {
  const Implicit straps = both_sides(capsule({0.020, 0.0, -0.088}, {0.024, 0.0, -0.120}, 0.0130));
  const Implicit shorts = both_sides(capsule({0.018, 0.0, -0.150}, {0.022, 0.0, -0.170}, 0.0240));
  const Implicit cover = unite({grow(trunk(), 0.004), straps, shorts}, 0.012);
  const Implicit neckline = ellipsoid({0.0, -0.020, -0.090}, {0.0170, 0.0300, 0.0160});
  return intersect(grow(body(figure), 0.0014), subtract(cover, neckline, 0.004), 0.003);
}

Implicit hair() {
  const Implicit face = ellipsoid(head_center + Vector3(0.0, -0.024, -0.012), {0.0250, 0.0240, 0.0270});
  const Implicit bun = sphere(head_center + Vector3(0.0, 0.020, 0.026), 0.0095);
  return unite({subtract(grow(head(), 0.0018), face, 0.005), bun}, 0.004);
}

/// The place on the head behind a point before it.
Vector3 on_head(double x, double z) {
  const double share =
      1.0 - (x * x) / (head_radii.x() * head_radii.x()) - (z * z) / (head_radii.z() * head_radii.z());
  return head_center + Vector3(x, -head_radii.y() * std::sqrt(share), z);
}

SurfaceMesh eyes() {
  return joined(std::array{sphere_surface(on_head(-0.0095, 0.003), 0.0029, 20),
                           sphere_surface(on_head(0.0095, 0.003), 0.0029, 20)});
}

SurfaceMesh smile() {
  std::vector<TubePoint> path;
  for (int i = -8; i <= 8; ++i) {
    const double t = i / 8.0;
    path.push_back({on_head(0.0085 * t, -0.0125 + 0.0040 * t * t), 0.0012 * (1.0 - 0.4 * t * t)});
  }
  return tube_surface(path, 10, Vector3::UnitY());
}

/// The same piece on all acrobats.
SurfaceMesh on_each(const SurfaceMesh& piece) {
  std::vector<SurfaceMesh> all;
  for (std::size_t i = 0; i < figures.size(); ++i) all.push_back(moved(piece, origin_of(i)));
  return joined(all);
}

}  // namespace

BodyPlan plan_pendulum() {
  const Implicit ring = torus({0.0, 0.0, ring_radius}, Vector3::UnitY(), ring_radius, ring_tube);
  std::vector<Implicit> chain, slippers;
  BodyPlan plan;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    chain.push_back(moved(body(figures[i]), origin_of(i)));
    slippers.push_back(moved(grow(feet(figures[i]), 0.0012), origin_of(i)));
  }
  const Implicit skin = unite(chain, 0.006);
  plan.solid = unite({skin, ring}, 0.004);
  constexpr double lambda = 2e4, mu = 1e5;
  plan.regions = {{"acrobats", {Stvk{{lambda, mu}}, 100.0}, {}}};
  plan.surfaces = {{"skin", {0.93, 0.73, 0.60}, skin}, {"ring", {0.72, 0.52, 0.32}, ring}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    plan.surfaces.push_back({"suit", figures[i].suit, moved(suit(figures[i]), origin_of(i)), 1.5});
    plan.surfaces.push_back({"slippers", figures[i].suit, slippers[i]});
    plan.surfaces.push_back({"hair", figures[i].hair, moved(hair(), origin_of(i)), 1.5});
  }
  plan.surfaces.push_back({"eyes", {0.12, 0.09, 0.09}, on_each(eyes())});
  plan.surfaces.push_back({"smiles", {0.62, 0.22, 0.20}, on_each(smile())});
  plan.fixed = [held = ring.distance](const Vector3& x) { return held(x) < held_depth; };
  plan.cells = 133;
  plan.least_cells = 90;
  plan.render_cells = 260;
  plan.least_render_cells = 150;
  return plan;
}

}  // namespace limber
