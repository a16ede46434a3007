#include "limber/bodies/domains.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

// A young dragon, 0.85 m high, that sits on the plane z = 0 and looks towards -y: forty domains, five deep.
// Its left is +x.

namespace limber {
namespace {

constexpr double reach = 0.014;         ///< what blends may add to a part, m
constexpr double sheet = 0.035;         ///< of wings and ears as simulated, m
constexpr double drawn_sheet = 0.006;   ///< as drawn, m
constexpr double stalk_radius = 0.025;  ///< of wings and ears where they start, m
constexpr std::array<double, 2> sides{1.0, -1.0};

std::string_view side_name(double side) { return side > 0.0 ? "left" : "right"; }

Vector3 on_side(const Vector3& x, double side) { return {side * x.x(), x.y(), x.z()}; }

/// Where a ray from inside a body leaves it, found from outside, where distances are exact.
Vector3 exit_point(const Implicit& body, const Vector3& inside, const Vector3& direction) {
  Vector3 x = inside + 0.2 * direction;
  for (int step = 0; step < 80; ++step) x -= body.distance(x) * direction;
  return x;
}

// Torso, neck and tail.

Implicit torso() {
  const Implicit belly = ellipsoid({0.0, 0.010, 0.150}, {0.125, 0.115, 0.175});
  const Implicit chest = ellipsoid({0.0, 0.002, 0.285}, {0.085, 0.080, 0.105});
  return intersect(unite({belly, chest}, 0.06), half_space({0, 0, 0}, {0, 0, -1}), 0.02);
}

const std::array<TubePoint, 5> neck_path{{{{0.0, 0.010, 0.330}, 0.060},
                                          {{0.0, 0.036, 0.440}, 0.049},
                                          {{0.0, 0.044, 0.545}, 0.045},
                                          {{0.0, 0.016, 0.640}, 0.045},
                                          {{0.0, -0.030, 0.695}, 0.046}}};
const std::array<TubePoint, 8> tail_path{{{{0.000, 0.050, 0.088}, 0.074},
                                          {{0.000, 0.160, 0.075}, 0.060},
                                          {{0.030, 0.265, 0.068}, 0.052},
                                          {{0.110, 0.350, 0.064}, 0.046},
                                          {{0.225, 0.385, 0.068}, 0.040},
                                          {{0.325, 0.340, 0.090}, 0.034},
                                          {{0.375, 0.250, 0.112}, 0.029},
                                          {{0.385, 0.180, 0.140}, 0.026}}};

Implicit neck() { return tube(smooth_path(neck_path, 8)); }
Implicit tail() { return tube(smooth_path(tail_path, 8)); }

/// A place on a path: a point and the direction there. where: counts its given points from 0.
struct Place {
  Vector3 at, along;
};

template <std::size_t n>
Place place_on(const std::array<TubePoint, n>& path, double where) {
  constexpr int fine = 100;
  const std::vector<TubePoint> points = smooth_path(path, fine);
  const auto i = static_cast<std::size_t>(std::lround(where * fine));
  return {points[i].position, (points[i + 1].position - points[i - 1].position).normalized()};
}

// The head.

const Vector3 eye_center(0.053, -0.108, 0.753);
constexpr double eye_radius = 0.031;

Implicit skull() {
  const Implicit cranium = ellipsoid({0.0, -0.060, 0.725}, {0.086, 0.088, 0.076});
  const Implicit snout = ellipsoid({0.0, -0.178, 0.701}, {0.060, 0.078, 0.040});
  const Implicit nose = with_mirror_image(sphere({0.030, -0.228, 0.721}, 0.023), 0);
  const Implicit brows = with_mirror_image(sphere({0.050, -0.094, 0.767}, 0.032), 0);
  return unite({cranium, snout, nose, brows}, 0.032);
}

const Place jaw_neck{{0.0, -0.100, 0.649}, Vector3(0.0, -0.80, -0.60)};

Matrix3 jaw_axes() { return Eigen::AngleAxisd(0.36, Vector3::UnitX()).toRotationMatrix(); }

Implicit jaw() {
  const Implicit chin = ellipsoid({0.0, -0.160, 0.607}, {0.050, 0.078, 0.024}, jaw_axes());
  const Implicit hinge = round_cone({0.0, -0.070, 0.685}, {0.0, -0.118, 0.629}, 0.036, 0.028);
  return unite({chin, hinge}, 0.02);
}

constexpr double horn_tip = 0.017;  ///< radius as simulated, m

std::vector<TubePoint> horn_path(double side, double tip) {
  const std::array<TubePoint, 4> path{{{on_side({0.046, -0.025, 0.765}, side), 0.026},
                                       {on_side({0.068, 0.006, 0.835}, side), 0.024},
                                       {on_side({0.076, 0.050, 0.883}, side), 0.018},
                                       {on_side({0.074, 0.092, 0.907}, side), tip}}};
  return smooth_path(path, 8);
}

/// A leaf of skin around a bone: where it starts, the direction it points to and the one it faces.
struct Lobe {
  Vector3 place, along, facing;
  double length, width;  ///< m
  double start;          ///< of the blade, m; before it there is a stalk
  double bend;           ///< out of its plane, 1/m
  double arch = 0.0;     ///< within its plane, 1/m

  [[nodiscard]] Matrix3 axes() const {
    Matrix3 result;
    result.col(0) = along.normalized();
    result.col(1) = facing.cross(along).normalized();
    result.col(2) = result.col(0).cross(result.col(1));
    return result;
  }
  /// How far its middle lies to the side.
  [[nodiscard]] double shift(double x) const { return arch * x * (length - x); }
  [[nodiscard]] double half_width(double u) const {
    return 0.5 * width * (0.12 * std::exp(-20.0 * u * u) + 3.2 * u * std::pow(1.0 - u, 0.9));
  }

  [[nodiscard]] Implicit solid() const {
    const Implicit blade = moved(leaf_plate(length - start, width, sheet), {start, 0, 0});
    const Implicit rib = round_cone({0, 0, 0}, {length - 0.022, 0, 0}, stalk_radius, 0.55 * sheet);
    const Implicit flat = unite({blade, rib}, 0.006);
    const double slope = std::abs(arch) * length, most = 0.25 * slope * length;
    BoundingBox box = flat.bounds;
    box.min.y() -= most;
    box.max.y() += most;
    const auto straight = [lobe = *this](const Vector3& x) {
      return Vector3(x.x(), x.y() - lobe.shift(std::clamp(x.x(), 0.0, lobe.length)), x.z());
    };
    const Implicit arched = warped(flat, straight, 0.5 * (slope + std::sqrt(slope * slope + 4.0)), box);
    return moved(curled(arched, bend, 0.0), place, axes());
  }
  [[nodiscard]] SurfaceMesh drawn() const {
    const auto outline = [this](double u) { return half_width(u); };
    const auto height = [this](double x, double) { return bend * x * x; };
    SurfaceMesh surface = sheet_surface({length, drawn_sheet, outline, height, 32, 14});
    for (auto x : surface.vertices.colwise()) x.y() += shift(x.x());
    return moved(std::move(surface), place, axes());
  }
  /// The bone along its arched side, or along its middle.
  [[nodiscard]] SurfaceMesh drawn_rib(double radius) const {
    std::vector<TubePoint> path;
    const double side = arch == 0.0 ? 0.0 : std::copysign(0.62, arch);
    for (int i = 0; i <= 24; ++i) {
      const double x = 0.985 * length * i / 24.0;
      const double y = shift(x) + side * (half_width(x / length) - half_width(0.0));
      path.push_back({place + axes() * Vector3(x, y, bend * x * x), radius * (1.0 - 0.75 * i / 24.0)});
    }
    return tube_surface(path, 14, axes().col(2));
  }
};

Lobe ear(double side) {
  return {on_side({0.070, -0.040, 0.725}, side),
          on_side({0.92, 0.28, 0.22}, side),
          on_side({0.25, -1.0, 0.20}, side),
          0.140,
          0.080,
          0.024,
          1.2};
}

// Wings: an arm with a lobe that hangs from it, and two fingers.

const Vector3 shoulder(0.042, 0.055, 0.300), wrist(0.200, 0.140, 0.430);

Lobe wing_lobe(double side) {
  return {on_side({0.128, 0.104, 0.372}, side),
          on_side({0.34, 0.22, -0.92}, side),
          on_side({-0.35, 1.0, 0.05}, side),
          0.200,
          0.120,
          0.006,
          -0.6,
          -2.2 * side};
}

std::array<Lobe, 2> fingers(double side) {
  const Vector3 root = on_side(wrist, side), facing = on_side({-0.25, 1.0, 0.0}, side);
  return {{{root, on_side({0.48, 0.10, 0.86}, side), facing, 0.310, 0.160, 0.046, -0.5, -1.7 * side},
           {root, on_side({0.88, 0.22, -0.42}, side), facing, 0.285, 0.150, 0.046, -0.5, -1.7 * side}}};
}

Implicit wing_arm(double side, double slim) {
  return round_cone(on_side(shoulder, side), on_side(wrist, side), 0.030 - slim, 0.024 - slim);
}

// Limbs: two bones, and a hand or foot.

struct Limb {
  std::string_view where;  ///< of its name
  std::array<std::string_view, 3> parts;
  std::array<TubePoint, 4> path;  ///< of the left one
  Vector3 end_radii;              ///< of the hand or foot
  double first_cut;               ///< from the start of its path, m
};

const std::array<Limb, 2> limbs{{{"front",
                                  {"upper arm", "forearm", "hand"},
                                  {{{{0.060, -0.025, 0.312}, 0.034},
                                    {{0.196, -0.052, 0.268}, 0.027},
                                    {{0.212, -0.150, 0.248}, 0.024},
                                    {{0.208, -0.196, 0.252}, 0.024}}},
                                  {0.035, 0.036, 0.030},
                                  0.062},
                                 {"hind",
                                  {"thigh", "shin", "foot"},
                                  {{{{0.080, -0.022, 0.092}, 0.052},
                                    {{0.190, -0.140, 0.122}, 0.042},
                                    {{0.205, -0.272, 0.078}, 0.034},
                                    {{0.205, -0.308, 0.098}, 0.026}}},
                                  {0.046, 0.029, 0.060},
                                  0.072}}};

Implicit bone(const Limb& limb, std::size_t i, double side) {
  const TubePoint &a = limb.path[i], &b = limb.path[i + 1];
  return round_cone(on_side(a.position, side), on_side(b.position, side), a.radius, b.radius);
}

Implicit limb_end(const Limb& limb, double side) {
  return unite({bone(limb, 2, side), ellipsoid(on_side(limb.path[3].position, side), limb.end_radii)}, 0.01);
}

// Spikes.

constexpr double spike_root = 0.032, spike_length = 0.088, spike_tip = 0.016;  ///< m

struct Spike {
  Place place;  ///< on the skin
  double scale;

  [[nodiscard]] Implicit solid() const {
    return round_cone(place.at - 0.010 * place.along, place.at + scale * spike_length * place.along,
                      scale * spike_root, spike_tip);
  }
};

Spike spike_on(const Implicit& body, const Vector3& inside, const Vector3& direction, double scale) {
  const Vector3 along = direction.normalized();
  return {{exit_point(body, inside, along), along}, scale};
}

Spike tail_spike(double where, double scale) {
  const Place place = place_on(tail_path, where);
  const Vector3 up = Vector3::UnitZ() - Vector3::UnitZ().dot(place.along) * place.along;
  return spike_on(tail(), place.at, up + 0.25 * place.along, scale);
}

Spike neck_spike(double where) {
  const Place place = place_on(neck_path, where);
  const Vector3 back = Vector3::UnitY() - Vector3::UnitY().dot(place.along) * place.along;
  return spike_on(neck(), place.at, back, 0.85);
}

std::array<Spike, 2> back_spikes() {
  return {{spike_on(torso(), {0.0, 0.000, 0.290}, {0.0, 1.0, 0.22}, 0.95),
           spike_on(torso(), {0.0, 0.000, 0.200}, {0.0, 1.0, 0.10}, 1.0)}};
}

Spike crest() { return spike_on(skull(), {0.0, -0.040, 0.720}, {0.0, 0.95, 0.30}, 0.9); }

Spike nose_horn() { return spike_on(skull(), {0.0, -0.200, 0.700}, {0.0, -0.45, 1.0}, 0.70); }

const std::array<double, 2> neck_spikes{1.27, 2.40};
const std::array<double, 3> tail_spikes{1.75, 3.20, 4.55};
const std::array<double, 3> tail_scales{0.95, 0.90, 0.82};
const std::array<double, 4> tail_cuts{0.92, 2.50, 3.85, 5.20};

/// A spade at the end of the tail.
Lobe tail_tip() {
  const Place end = place_on(tail_path, 6.95);
  return {end.at - 0.030 * end.along, end.along, Vector3(0.0, 0.5, 0.85), 0.170, 0.130, 0.0, 0.0};
}

// Domains.

class Domains {
 public:
  /// The number of the new domain.
  int add(std::string name, int parent, const Material& material, const Implicit& shape, const Vector3& neck,
          const Vector3& along) {
    all_.push_back({std::move(name), parent, material, grow(shape, reach), neck, along.normalized()});
    return static_cast<int>(all_.size()) - 1;
  }
  int add(std::string name, int parent, const Material& material, const Spike& spike) {
    return add(std::move(name), parent, material, spike.solid(), spike.place.at + 0.010 * spike.place.along,
               spike.place.along);
  }
  [[nodiscard]] std::vector<PlanDomain> take() { return std::move(all_); }

 private:
  std::vector<PlanDomain> all_;
};

const Material flesh = elastic(8e6, 0.40, 700.0);
const Material horn = elastic(1.2e7, 0.40, 700.0);
const Material skin_of_wings = elastic(1e7, 0.40, 300.0);

void add_head(Domains& domains, int torso_domain) {
  const Place first = place_on(neck_path, 0.78), second = place_on(neck_path, 1.75);
  const int neck_1 = domains.add("neck 1", torso_domain, flesh, neck(), first.at, first.along);
  const int neck_2 = domains.add("neck 2", neck_1, flesh, neck(), second.at, second.along);
  const Place top = place_on(neck_path, 3.05);
  const int head = domains.add("head", neck_2, flesh, unite({skull(), jaw(), neck()}), top.at, top.along);
  domains.add("jaw", head, flesh, jaw(), jaw_neck.at, jaw_neck.along);
  for (const double side : sides) {
    const std::vector<TubePoint> path = horn_path(side, horn_tip);
    const Vector3 along = (path[8].position - path[0].position).normalized();
    domains.add(fmt::format("{} horn", side_name(side)), head, horn, tube(path),
                path[0].position + 0.032 * along, along);
    const Lobe lobe = ear(side);
    domains.add(fmt::format("{} ear", side_name(side)), head, flesh, lobe.solid(),
                lobe.place + 0.032 * lobe.axes().col(0), lobe.along);
  }
  domains.add("crest", head, horn, crest());
  domains.add("nose horn", head, horn, nose_horn());
  domains.add("neck spike 1", neck_1, horn, neck_spike(neck_spikes[0]));
  domains.add("neck spike 2", neck_2, horn, neck_spike(neck_spikes[1]));
}

void add_tail(Domains& domains, int parent) {
  for (std::size_t i = 0; i < tail_cuts.size(); ++i) {
    const Place cut = place_on(tail_path, tail_cuts[i]);
    // From a little before this cut to a little beyond the next.
    std::vector<TubePoint> piece = smooth_path(tail_path, 8);
    if (i + 1 < tail_cuts.size()) piece.resize(static_cast<std::size_t>(8.0 * tail_cuts[i + 1]) + 5);
    piece.erase(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(8.0 * tail_cuts[i]) - 4);
    const Implicit shape = i + 1 < tail_cuts.size() ? tube(piece) : unite({tube(piece), tail_tip().solid()});
    parent = domains.add(fmt::format("tail {}", i + 1), parent, flesh, shape, cut.at, cut.along);
    if (i < tail_spikes.size()) {
      domains.add(fmt::format("tail spike {}", i + 1), parent, horn,
                  tail_spike(tail_spikes[i], tail_scales[i]));
    }
  }
}

void add_limb(Domains& domains, int parent, const Limb& limb, double side) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3 at = on_side(limb.path[i].position, side), to = on_side(limb.path[i + 1].position, side);
    const Vector3 along = (to - at).normalized();
    const Vector3 before = i == 0 ? along : (at - on_side(limb.path[i - 1].position, side)).normalized();
    parent = domains.add(fmt::format("{} {}", side_name(side), limb.parts[i]), parent, flesh,
                         i == 2 ? limb_end(limb, side) : bone(limb, i, side),
                         at + (i == 0 ? limb.first_cut : 0.0) * along, along + before);
  }
}

constexpr double finger_cut = 0.062;  ///< from the wrist, m

void add_wing(Domains& domains, int parent, double side) {
  const Vector3 along = on_side(wrist - shoulder, side).normalized();
  std::vector<Implicit> shapes{wing_arm(side, 0.0), wing_lobe(side).solid()};
  const int wing = domains.add(fmt::format("{} wing", side_name(side)), parent, skin_of_wings,
                               unite(std::move(shapes)), on_side(shoulder, side) + 0.055 * along, along);
  const std::array<Lobe, 2> lobes = fingers(side);
  for (std::size_t i = 0; i < lobes.size(); ++i) {
    const Vector3 out = lobes[i].axes() * Vector3(finger_cut, lobes[i].shift(finger_cut), 0.0);
    domains.add(fmt::format("{} wing finger {}", side_name(side), i + 1), wing, skin_of_wings,
                lobes[i].solid(), lobes[i].place + out, out);
  }
}

std::vector<PlanRegion> regions() {
  Domains domains;
  const int root = domains.add("torso", -1, flesh, torso(), Vector3::Zero(), Vector3::UnitZ());
  add_head(domains, root);
  add_tail(domains, root);
  const std::array<Spike, 2> spikes = back_spikes();
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    domains.add(fmt::format("back spike {}", i + 1), root, horn, spikes[i]);
  }
  for (const double side : sides) {
    for (const Limb& limb : limbs) add_limb(domains, root, limb, side);
    add_wing(domains, root, side);
  }
  return domain_regions(domains.take());
}

// The whole.

std::vector<Spike> all_spikes() {
  const std::array<Spike, 2> back = back_spikes();
  std::vector<Spike> all(back.begin(), back.end());
  for (const double where : neck_spikes) all.push_back(neck_spike(where));
  for (std::size_t i = 0; i < tail_spikes.size(); ++i) {
    all.push_back(tail_spike(tail_spikes[i], tail_scales[i]));
  }
  all.push_back(crest());
  return all;
}

/// All that is green.
Implicit skin() {
  std::vector<Implicit> limbs_and_tail{tail()};
  for (const double side : sides) {
    for (const Limb& limb : limbs) {
      limbs_and_tail.push_back(
          unite({bone(limb, 0, side), bone(limb, 1, side), limb_end(limb, side)}, 0.012));
    }
  }
  const Implicit head = unite({skull(), jaw()}, 0.012);
  return unite({unite({torso(), neck()}, 0.05), head, unite(std::move(limbs_and_tail))}, 0.024);
}

Implicit solid() {
  std::vector<Implicit> thin;
  for (const double side : sides) {
    const std::array<Lobe, 2> lobes = fingers(side);
    thin.push_back(
        unite({wing_arm(side, 0.0), wing_lobe(side).solid(), lobes[0].solid(), lobes[1].solid()}, 0.008));
    thin.push_back(ear(side).solid());
    thin.push_back(tube(horn_path(side, horn_tip)));
  }
  for (const Spike& spike : all_spikes()) thin.push_back(spike.solid());
  thin.push_back(nose_horn().solid());
  thin.push_back(tail_tip().solid());
  return unite({skin(), unite(std::move(thin))}, 0.010);
}

// What is drawn.

SurfaceMesh cone(const Vector3& from, const Vector3& to, double radius) {
  std::vector<TubePoint> path;
  for (int i = 0; i <= 12; ++i) {
    const double t = i / 12.0;
    path.push_back({from + t * (to - from), radius * (1.0 - 0.93 * t)});
  }
  const Vector3 along = (to - from).normalized();
  return tube_surface(path, 20, frame_about(along).col(0));
}

SurfaceMesh drawn(const Spike& spike) {
  const auto& [at, along] = spike.place;
  return cone(at - 0.010 * along, at + spike.scale * (spike_length + 0.008) * along,
              spike.scale * spike_root);
}

SurfaceMesh drawn_spikes() {
  std::vector<SurfaceMesh> all;
  for (const Spike& spike : all_spikes()) all.push_back(drawn(spike));
  return joined(all);
}

SurfaceMesh drawn_horns() {
  std::vector<SurfaceMesh> all{drawn(nose_horn())};
  for (const double side : sides) {
    std::vector<TubePoint> path = horn_path(side, 0.004);
    for (TubePoint& point : path) point.radius *= 0.92;
    all.push_back(tube_surface(path, 22, Vector3::UnitX()));
  }
  return joined(all);
}

SurfaceMesh drawn_membranes() {
  std::vector<SurfaceMesh> all;
  for (const double side : sides) {
    all.push_back(wing_lobe(side).drawn());
    for (const Lobe& lobe : fingers(side)) all.push_back(lobe.drawn());
  }
  return joined(all);
}

SurfaceMesh drawn_bones() {
  std::vector<SurfaceMesh> all;
  for (const double side : sides) {
    const std::array<TubePoint, 2> arm{{{on_side(shoulder, side), 0.020}, {on_side(wrist, side), 0.013}}};
    all.push_back(tube_surface(arm, 18, Vector3::UnitY()));
    all.push_back(wing_lobe(side).drawn_rib(0.009));
    for (const Lobe& lobe : fingers(side)) all.push_back(lobe.drawn_rib(0.012));
  }
  return joined(all);
}

/// Toes and fingers end in claws.
SurfaceMesh drawn_claws() {
  std::vector<SurfaceMesh> all;
  for (const double side : sides) {
    for (const Limb& limb : limbs) {
      const bool hind = limb.where == "hind";
      const Vector3 middle = limb.path[3].position;
      for (int k = -1; k <= 1; ++k) {
        const Vector3 out = hind ? Vector3(0.45 * k, -0.25, 1.0 - 0.25 * std::abs(k)).normalized()
                                 : Vector3(0.55 * k, -1.0, -0.35).normalized();
        const Implicit end = ellipsoid(middle, limb.end_radii);
        const Vector3 at = exit_point(end, middle, out);
        all.push_back(cone(on_side(at - 0.006 * out, side), on_side(at + 0.017 * out, side), 0.0095));
      }
    }
  }
  return joined(all);
}

SurfaceMesh spheres_on_both_sides(const Vector3& center, double radius, int segments) {
  return joined(std::array{sphere_surface(center, radius, segments),
                           sphere_surface(on_side(center, -1.0), radius, segments)});
}

/// Shines on both eyes from the same side.
SurfaceMesh glints(const Vector3& pupil, double radius) {
  std::vector<SurfaceMesh> all;
  for (const double side : sides) {
    const Vector3 at = on_side(pupil, side);
    all.push_back(sphere_surface(at + radius * Vector3(-0.25, -0.85, 0.45).normalized(), 0.0050, 14));
  }
  return joined(all);
}

/// The front of body and neck, paler than the rest.
Implicit belly(const Implicit& skin) {
  const Implicit front = ellipsoid({0.0, -0.120, 0.160}, {0.088, 0.100, 0.145});
  const Implicit breast = round_cone({0.0, -0.115, 0.260}, {0.0, -0.090, 0.350}, 0.064, 0.056);
  const Implicit throat = round_cone({0.0, -0.090, 0.350}, {0.0, -0.046, 0.440}, 0.056, 0.050);
  const Implicit top = round_cone({0.0, -0.046, 0.440}, {0.0, -0.034, 0.560}, 0.050, 0.040);
  return intersect(grow(skin, 0.0030), unite({front, breast, throat, top}, 0.02), 0.004);
}

Implicit soles() {
  const Vector3 foot = limbs[1].path[3].position;
  return with_mirror_image(ellipsoid(foot + Vector3(0.0, -0.0215, -0.008), {0.026, 0.011, 0.034}), 0);
}

Implicit tongue() { return ellipsoid({0.0, -0.163, 0.630}, {0.028, 0.060, 0.0150}, jaw_axes()); }

SurfaceMesh nostrils() {
  const Vector3 direction = Vector3(0.25, -0.80, 0.45).normalized();
  return spheres_on_both_sides(exit_point(skull(), {0.030, -0.220, 0.719}, direction) - 0.002 * direction,
                               0.0062, 16);
}

}  // namespace

BodyPlan plan_dragon() {
  const Implicit green = skin();
  const Vector3 gaze = Vector3(0.28, -1.0, 0.05).normalized(), pupil = eye_center + 0.0115 * gaze;
  BodyPlan plan;
  plan.solid = solid();
  plan.solid.bounds = {{-0.480, -0.360, 0.0}, {0.480, 0.450, 0.950}};  // those of its parts are too wide
  plan.regions = regions();
  plan.domains = true;
  plan.surfaces = {{"skin", {0.36, 0.66, 0.40}, green},
                   {"belly", {0.95, 0.88, 0.62}, belly(green), 1.8},
                   {"ears", {0.33, 0.60, 0.38}, joined(std::array{ear(1.0).drawn(), ear(-1.0).drawn()})},
                   {"horns", {0.96, 0.90, 0.76}, drawn_horns()},
                   {"spikes", {0.94, 0.56, 0.22}, drawn_spikes()},
                   {"wings", {0.96, 0.68, 0.36}, drawn_membranes()},
                   {"wing bones", {0.30, 0.58, 0.36}, drawn_bones()},
                   {"tail tip", {0.94, 0.56, 0.22}, tail_tip().drawn()},
                   {"claws", {0.97, 0.94, 0.86}, drawn_claws()},
                   {"soles", {0.95, 0.88, 0.62}, soles(), 1.3},
                   {"tongue", {0.88, 0.36, 0.38}, tongue(), 1.3},
                   {"nostrils", {0.16, 0.30, 0.19}, nostrils()},
                   {"eyes", {0.99, 0.98, 0.94}, spheres_on_both_sides(eye_center, eye_radius, 40)},
                   {"pupils", {0.12, 0.10, 0.10}, spheres_on_both_sides(pupil, 0.0215, 36)},
                   {"glints", {1.0, 1.0, 1.0}, glints(pupil, 0.0215)}};
  plan.fixed = [](const Vector3& x) { return x.z() < 0.012; };
  plan.cells = 46;
  plan.grading = 2;
  plan.least_cells = 42;
  plan.render_cells = 150;
  plan.least_render_cells = 90;
  return plan;
}

}  // namespace limber
