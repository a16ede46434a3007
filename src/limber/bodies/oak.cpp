#include "limber/base/random.hpp"
#include "limber/bodies/tree_plans.hpp"
#include "limber/bodies/triangles.hpp"
#include "limber/mesh/beam.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

// A young oak on the ground z = 0, about 3.6 m high. A trunk carries boughs and limbs, these carry branches,
// all of them carry twigs, and leaves grow along branches and twigs: five kinds of wood and one of leaf, each
// placed wherever a fork of its parent says, with seeded random turns. Wood grows along +z of its part, bent
// towards +x, which is turned upward; a leaf lies along +x and faces +z. [after Barbic & Zhao 2011, Figure 1]

namespace limber {
namespace {

constexpr int wood_rank = 20, leaf_rank = 8;
constexpr std::uint64_t seed = 23;
constexpr double golden_angle = 2.399963;  ///< radians between successive leaves

constexpr double leaf_length = 0.31, leaf_half_width = 0.100;  ///< m
constexpr double stalk_share = 0.16;                           ///< of the length
constexpr double leaf_plate = 0.010;                           ///< thickness as simulated, m
constexpr double leaf_drawn = 0.0040;                          ///< as drawn, m
constexpr double leaf_droop = -1.1, leaf_fold = 0.22;          ///< 1/m, slope
const Vector3 bark(0.42, 0.34, 0.27), green(0.38, 0.57, 0.19);

enum Kind : int { trunk, bough, limb, branch, twig, leaf };

/// Where something grows: a place of the centre line and the direction there.
struct Growth {
  Vector3 place;
  Vector3 along;  ///< unit
};

/// A child of a kind of wood: at a share of its main tube, off it by an angle, to a side counted from +x.
struct Fork {
  double share, angle, side;  ///< radians
  Kind kind;
  double scale;
};

using Path = std::vector<TubePoint>;

struct Wood {
  std::string name;
  std::vector<Path> tubes;     ///< as drawn, the main one first
  double thinnest = 0.0;       ///< radius as simulated, m
  std::vector<Fork> forks;     ///< the first sites of its part
  std::vector<Growth> leaves;  ///< the sites that follow
  double cell = 0.0;           ///< m
  double young = 0.0;          ///< Pa
  double density = 0.0;        ///< kg/m^3
};

Growth along(const Path& path, double share) {
  const double at = share * static_cast<double>(path.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), path.size() - 2);
  const Vector3 piece = path[i + 1].position - path[i].position;
  return {path[i].position + (at - static_cast<double>(i)) * piece, piece.normalized()};
}

/// Right-handed axes with the third along a direction and the first towards `up` as far as possible.
Matrix3 axes_along(const Vector3& direction, const Vector3& up) {
  Matrix3 axes;
  axes.col(2) = direction.normalized();
  axes.col(1) = axes.col(2).cross(up).normalized();
  axes.col(0) = axes.col(1).cross(axes.col(2));
  return axes;
}

/// The direction off a growth by an angle, to a side counted from `up`.
Vector3 off(const Growth& growth, double angle, double side, const Vector3& up) {
  return axes_along(growth.along, up) *
         Vector3(std::sin(angle) * std::cos(side), std::sin(angle) * std::sin(side), std::cos(angle));
}

Path smooth(std::initializer_list<TubePoint> points) {
  return smooth_path(std::span(points.begin(), points.size()), 4);
}

Wood plan_trunk() {
  Wood wood{.name = "trunk", .thinnest = 0.05, .cell = 0.048, .young = 1.2e8, .density = 600.0};
  wood.tubes = {smooth({{{0, 0, 0.02}, 0.155},
                        {{0.02, 0.01, 0.20}, 0.130},
                        {{-0.02, 0.02, 0.48}, 0.116},
                        {{0.03, -0.01, 0.76}, 0.108},
                        {{0.01, 0.02, 0.96}, 0.100},
                        {{0.02, 0.00, 1.10}, 0.086}})};
  wood.forks = {{0.74, 1.12, 0.3, bough, 1.05},
                {0.83, 1.02, 2.5, bough, 1.0},
                {0.90, 0.98, 4.5, bough, 0.97},
                {0.97, 0.50, 1.3, limb, 1.0},
                {1.00, 0.30, 4.4, limb, 1.0}};
  return wood;
}

Wood plan_bough() {
  Wood wood{.name = "bough", .thinnest = 0.038, .cell = 0.029, .young = 2.5e8, .density = 600.0};
  wood.tubes = {smooth({{{0, 0, 0}, 0.072},
                        {{-0.03, 0.02, 0.25}, 0.062},
                        {{0.00, -0.01, 0.50}, 0.055},
                        {{0.10, 0.02, 0.75}, 0.047},
                        {{0.16, 0.06, 1.00}, 0.038}})};
  wood.forks = {
      {0.60, 0.85, 1.9, branch, 1.0}, {1.00, 0.30, 4.6, branch, 0.95}, {0.82, 0.95, -0.9, twig, 1.25}};
  return wood;
}

Wood plan_limb() {
  Wood wood{.name = "limb", .thinnest = 0.038, .cell = 0.028, .young = 2.5e8, .density = 600.0};
  wood.tubes = {smooth({{{0, 0, 0}, 0.070},
                        {{0.03, -0.03, 0.22}, 0.060},
                        {{0.00, 0.03, 0.45}, 0.052},
                        {{-0.05, 0.02, 0.68}, 0.044},
                        {{-0.03, -0.04, 0.92}, 0.036}})};
  wood.forks = {
      {0.62, 0.80, 2.6, branch, 1.0}, {1.00, 0.35, 0.4, branch, 0.95}, {0.80, 0.95, 4.7, twig, 1.25}};
  return wood;
}

Wood plan_branch() {
  Wood wood{.name = "branch", .thinnest = 0.026, .cell = 0.020, .young = 2.5e8, .density = 500.0};
  wood.tubes = {smooth({{{0, 0, 0}, 0.036},
                        {{-0.02, -0.02, 0.18}, 0.031},
                        {{0.01, 0.03, 0.36}, 0.026},
                        {{0.06, 0.02, 0.52}, 0.022},
                        {{0.08, -0.03, 0.68}, 0.018}})};
  wood.forks = {{0.62, 0.90, 1.2, twig, 1.15}, {1.00, 0.40, 4.9, twig, 1.1}};
  for (const double share : {0.45, 0.70, 0.85, 0.97}) wood.leaves.push_back(along(wood.tubes[0], share));
  return wood;
}

/// A twig with side shoots to the left, the right and above.
Wood plan_twig() {
  Wood wood{.name = "twig", .thinnest = 0.0145, .cell = 0.0145, .young = 2.5e8, .density = 350.0};
  wood.tubes = {smooth({{{0, 0, 0}, 0.017},
                        {{0.02, 0.02, 0.18}, 0.0135},
                        {{-0.01, -0.01, 0.36}, 0.0110},
                        {{0.03, 0.00, 0.54}, 0.0090},
                        {{0.05, 0.03, 0.70}, 0.0065}})};
  struct Shoot {
    double share, angle, side, length;
  };
  constexpr std::array<Shoot, 6> shoots{{{0.22, 0.95, 1.5, 0.30},
                                         {0.36, 0.90, 4.4, 0.32},
                                         {0.50, 0.90, 0.3, 0.24},
                                         {0.60, 0.80, 2.2, 0.28},
                                         {0.74, 0.75, 4.9, 0.24},
                                         {0.84, 0.80, 1.0, 0.20}}};
  for (const Shoot& shoot : shoots) {
    const Growth root = along(wood.tubes[0], shoot.share);
    const Vector3 way = off(root, shoot.angle, shoot.side, Vector3::UnitX());
    const Vector3 bend = 0.10 * shoot.length * (Vector3::UnitX() + root.along);
    wood.tubes.push_back(smooth({{root.place, 0.009},
                                 {root.place + 0.5 * shoot.length * way, 0.0075},
                                 {root.place + shoot.length * way + bend, 0.0055}}));
  }
  for (const double share : {0.40, 0.66, 0.90, 1.0}) wood.leaves.push_back(along(wood.tubes[0], share));
  for (std::size_t i = 1; i < wood.tubes.size(); ++i) {
    for (const double share : {0.55, 1.0}) wood.leaves.push_back(along(wood.tubes[i], share));
  }
  return wood;
}

/// Tubes as they are drawn: ends and forks overlap.
SurfaceMesh drawn_tubes(const std::vector<Path>& tubes) {
  std::vector<SurfaceMesh> all;
  for (const Path& path : tubes) {
    const Vector3 way = path.back().position - path.front().position;
    all.push_back(tube_surface(path, 12, way.unitOrthogonal()));
  }
  return joined(all);
}

Part make_wood(const Wood& wood, const Executor& executor) {
  std::vector<Implicit> solid;
  for (Path path : wood.tubes) {
    for (TubePoint& point : path) point.radius = std::max(point.radius, wood.thinnest);
    solid.push_back(tube(path));
  }
  BodyPlan plan;
  plan.regions = {{wood.name, elastic(wood.young, 0.3, wood.density), {}}};
  if (wood.name == "trunk") {
    solid.push_back(round_cone({0, 0, 0}, {0, 0, 0.26}, 0.205, 0.105));  // where it spreads into roots
    plan.solid = intersect(unite(std::move(solid), 0.05), half_space({0, 0, 0}, {0, 0, -1}), 0.01);
    plan.solid.bounds.min.z() = 0.0;
    plan.surfaces = {{wood.name, bark, plan.solid}};
    plan.fixed = [](const Vector3& x) { return x.z() < 0.03; };
  } else {
    const double base = wood.tubes[0][0].radius;
    plan.solid = unite(std::move(solid), 0.5 * wood.thinnest);
    plan.surfaces = {{wood.name, bark, drawn_tubes(wood.tubes)}};
    plan.fixed = [=](const Vector3& x) { return x.z() < 0.25 * base; };
  }
  Part part =
      make_part(wood.name, plan, {.cell = wood.cell, .render_cell = 0.4 * wood.cell, .executor = executor});
  part.rank = wood_rank;
  const double radius = 1.2 * wood.cell;
  for (const Fork& fork : wood.forks) {
    part.sites.push_back(site_near(part.mesh, along(wood.tubes[0], fork.share).place, 1.5 * radius,
                                   fmt::format("fork {}", part.sites.size() + 1)));
  }
  for (std::size_t i = 0; i < wood.leaves.size(); ++i) {
    part.sites.push_back(site_near(part.mesh, wood.leaves[i].place, radius, fmt::format("leaves {}", i + 1)));
  }
  return part;
}

double leaf_height(double x, double y) { return leaf_droop * x * x + leaf_fold * std::abs(y); }

/// Half the width of the blade at a share of the length, without lobes: 0 on the stalk.
double blade_width(double share) {
  const double u = std::clamp((share - stalk_share) / (1.0 - stalk_share), 0.0, 1.0);
  return leaf_half_width * std::pow(u, 0.75) * std::pow(1.0 - std::pow(u, 3.5), 0.5) / 0.75;
}

/// A stalk and a blade with lobes, simulated as one plate of their outline.
Part make_leaf() {
  Part part;
  part.name = "leaf";
  part.rank = leaf_rank;
  part.mesh = make_beam(
      {.kind = ElementKind::tetrahedron, .size = {leaf_length, 2.0, leaf_plate}, .cells = {14, 4, 1}});
  part.mesh.regions = {{1, "leaf"}};
  for (Index v = 0; v < part.mesh.vertex_count(); ++v) {
    auto x = part.mesh.vertices.col(v);
    if (x.x() <= 1e-9) part.fixed.push_back(static_cast<int>(v));
    x.y() *= std::max(blade_width(x.x() / leaf_length), 0.008);
    x.z() += leaf_height(x.x(), x.y());
  }
  part.materials = {elastic(1.5e6, 0.3, 30.0)};
  const auto half_width = [](double share) {
    const double lobes = 0.68 + 0.32 * std::cos(2.0 * std::numbers::pi * 4.0 * (share - 0.30));
    const double stalk = share < 0.98 ? 0.0022 * std::min(1.0, 40.0 * share) : 0.0;
    return std::max(blade_width(share) * lobes, stalk);
  };
  part.render = sheet_surface({leaf_length, leaf_drawn, half_width, leaf_height, 32, 4});
  part.render.parts = {"leaf"};
  part.colors = {green};
  return part;
}

/// Grows the tree: wood from the trunk upward, then leaves.
class Oak {
 public:
  Oak(std::vector<Wood> woods, PartTree& tree) : woods_(std::move(woods)), tree_(tree), random_(seed) {
    Placement root;
    root.name = "trunk";
    tree_.placements.push_back(root);
    for (std::size_t i = 0; i < tree_.placements.size(); ++i) grow_wood(static_cast<int>(i));
  }

  /// As many leaves in all, evenly shared among the places where they grow.
  void grow_leaves(int count) {
    const std::size_t wood_count = tree_.placements.size();
    std::vector<std::pair<int, int>> places;  // placement and number of its growth
    for (std::size_t i = 0; i < wood_count; ++i) {
      const std::size_t growths = wood_of(tree_.placements[i]).leaves.size();
      for (std::size_t g = 0; g < growths; ++g) places.emplace_back(static_cast<int>(i), static_cast<int>(g));
    }
    const auto before = [&](std::size_t place) {
      return static_cast<int>(place * static_cast<std::size_t>(count) / places.size());
    };
    for (std::size_t p = 0; p < places.size(); ++p) {
      for (int k = before(p); k < before(p + 1); ++k) grow_leaf(places[p].first, places[p].second, k);
    }
  }

 private:
  [[nodiscard]] const Wood& wood_of(const Placement& placement) const {
    return woods_[static_cast<std::size_t>(placement.part)];
  }

  /// A child of a placement at a growth of its part.
  [[nodiscard]] static Placement attached(const Placement& parent, int index, int site,
                                          const Growth& growth) {
    Placement child;
    child.parent = index;
    child.site = site;
    child.position = parent.position + parent.rotation * (parent.scale * growth.place);
    return child;
  }

  void grow_wood(int index) {
    const Placement parent = tree_.placements[static_cast<std::size_t>(index)];
    const Wood& wood = wood_of(parent);
    for (std::size_t i = 0; i < wood.forks.size(); ++i) {
      const Fork& fork = wood.forks[i];
      const Growth growth = along(wood.tubes[0], fork.share);
      Placement child = attached(parent, index, static_cast<int>(i), growth);
      const double angle = fork.angle + random_.uniform(-0.12, 0.12);
      const double side = fork.side + random_.uniform(-0.35, 0.35);
      const Vector3 way = parent.rotation * off(growth, angle, side, Vector3::UnitX());
      const double roll = random_.uniform(-0.4, 0.4);
      child.part = fork.kind;
      child.rotation =
          axes_along(way, Vector3::UnitZ()) * Eigen::AngleAxisd(roll, Vector3::UnitZ()).toRotationMatrix();
      child.scale = fork.scale * random_.uniform(0.94, 1.06);
      child.name =
          fmt::format("{} {}", woods_[static_cast<std::size_t>(fork.kind)].name, ++counts_[fork.kind]);
      tree_.placements.push_back(std::move(child));
    }
  }

  void grow_leaf(int index, int growth_index, int number) {
    const Placement& parent = tree_.placements[static_cast<std::size_t>(index)];
    const Wood& wood = wood_of(parent);
    const Growth& growth = wood.leaves[static_cast<std::size_t>(growth_index)];
    Placement child = attached(parent, index, static_cast<int>(wood.forks.size()) + growth_index, growth);
    Vector3 way =
        parent.rotation * off(growth, random_.uniform(0.5, 1.3), golden_angle * number, Vector3::UnitX());
    way.z() = std::clamp(way.z() - 0.15, -0.6, 0.6);
    Matrix3 axes;
    axes.col(0) = way.normalized();
    axes.col(1) = Vector3::UnitZ().cross(way).normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    const double roll = random_.uniform(-0.8, 0.8);
    child.part = leaf;
    child.rotation = axes * Eigen::AngleAxisd(roll, Vector3::UnitX()).toRotationMatrix();
    child.scale = random_.uniform(0.8, 1.15);
    child.name = fmt::format("leaf {}", number + 1);
    tree_.placements.push_back(std::move(child));
  }

  std::vector<Wood> woods_;
  PartTree& tree_;
  Random random_;
  std::array<int, leaf> counts_{};
};

}  // namespace

PartTree make_oak(int leaves, const Executor& executor, const Progress& progress) {
  const std::vector<Wood> woods{plan_trunk(), plan_bough(), plan_limb(), plan_branch(), plan_twig()};
  PartTree tree;
  tree.name = "oak";
  for (const Wood& wood : woods) {
    report(progress, "kinds of wood",
           static_cast<double>(tree.parts.size()) / static_cast<double>(woods.size()));
    tree.parts.push_back(make_wood(wood, executor));
  }
  report(progress, "kinds of wood", 1.0);
  tree.parts.push_back(make_leaf());
  Oak(woods, tree).grow_leaves(leaves);
  return tree;
}

}  // namespace limber
