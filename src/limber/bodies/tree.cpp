#include "limber/base/random.hpp"
#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

// A young tree on the ground z = 0, about 1.7 m high. Branches grow by a rule with seeded random turns; twigs
// carry feathered leaves, each simulated as one plate and drawn as seven leaflets.

namespace limber {
namespace {

constexpr double trunk_length = 1.02, trunk_radius = 0.060;  ///< m
constexpr double thinnest_wood = 0.031;                      ///< radius as simulated, m
constexpr double thinnest_drawn = 0.0105;                    ///< radius as drawn, m
constexpr double leaf_length = 0.27, leaf_width = 0.155;     ///< m
constexpr double leaf_plate_thickness = 0.060;               ///< as simulated, m
constexpr double leaf_droop = -1.5;                          ///< 1/m
constexpr double leaf_gap = 0.026;                           ///< between leaves as simulated, m
constexpr double wood_gap = 0.012;                           ///< between branches as simulated, m
constexpr double golden_angle = 2.399963;                    ///< radians between successive branches
constexpr std::uint64_t seed = 17;
constexpr int branch_pieces = 12;
constexpr int most_leaves = 5;      ///< at the end of a branch
constexpr int leaf_attempts = 150;  ///< to find room for them

Matrix3 turned(double angle, const Vector3& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

/// A direction at `angle` from `axis`, turned about it by `azimuth`.
Vector3 branch_off(const Vector3& axis, double angle, double azimuth) {
  return turned(azimuth, axis) * turned(angle, axis.unitOrthogonal()) * axis;
}

struct Branch {
  Vector3 root;
  Vector3 direction;       ///< unit
  double length;           ///< m
  double radius;           ///< at its root, m
  int order;               ///< 0: trunk, 1: branch, 2: twig
  std::size_t parent = 0;  ///< the wood it forks from
};

/// A leaf: where its stalk begins, and its axes (along it, across it, normal).
struct Leaf {
  Vector3 place;
  Matrix3 axes;
};

Implicit leaf_solid() {
  return curled(petal_plate(leaf_length, 0.035, 0.5 * leaf_width, leaf_plate_thickness), leaf_droop, 0.0);
}

/// Seven leaflets on a stalk in the plane z = 0, then all bent down.
SurfaceMesh drawn_leaf() {
  const std::array<TubePoint, 3> stalk{{{{0.0, 0, 0}, 0.005}, {{0.06, 0, 0}, 0.004}, {{0.17, 0, 0}, 0.0025}}};
  std::vector<SurfaceMesh> parts{tube_surface(smooth_path(stalk, 3), 6, Vector3::UnitZ())};
  const auto add = [&](double x, double angle, double length) {
    const auto half_width = [=](double u) {
      return 0.66 * length * std::pow(u, 0.8) * std::pow(1.0 - u, 0.7);
    };
    const auto height = [](double, double y) { return 0.30 * std::abs(y); };
    parts.push_back(moved(sheet_surface({length, 0.006, half_width, height, 10, 4}), {x, 0, 0},
                          turned(angle, Vector3::UnitZ())));
  };
  add(0.155, 0.0, 0.125);
  for (const double side : {-1.0, 1.0}) {
    add(0.060, 0.85 * side, 0.105);
    add(0.105, 0.85 * side, 0.120);
    add(0.150, 0.70 * side, 0.115);
  }
  SurfaceMesh leaf = joined(parts);
  leaf.vertices.row(2).array() += leaf_droop * leaf.vertices.row(0).array().square();
  return leaf;
}

class Tree {
 public:
  Tree() : random_(seed), leaf_(leaf_solid()) {
    std::vector<Branch> branches{
        {{0, 0, 0.01}, Vector3(0.03, 0.02, 1.0).normalized(), trunk_length, trunk_radius, 0}};
    for (std::size_t i = 0; i < branches.size(); ++i) {
      const std::vector<Branch> next = grow(branches[i]);
      branches.insert(branches.end(), next.begin(), next.end());
    }
    for (const Branch& end : ends_) add_leaves(end);
  }

  std::vector<Implicit> wood, drawn_wood;
  std::vector<Implicit> leaf_solids;
  std::vector<Leaf> leaves;

 private:
  /// Adds the wood of a branch, unless it would run into another one, and returns those that fork from it.
  std::vector<Branch> grow(const Branch& branch) {
    std::vector<Branch> forks;
    std::vector<TubePoint> path, drawn;
    Vector3 x = branch.root, direction = branch.direction;
    double azimuth = random_.uniform(0.0, 2.0 * std::numbers::pi);
    const double wobble = branch.order == 0 ? 0.06 : 0.13;
    for (int i = 0; i <= branch_pieces; ++i) {
      const double share = static_cast<double>(i) / branch_pieces;
      const double radius = branch.radius * (1.0 - 0.62 * share);
      path.push_back({x, std::max(radius, thinnest_wood)});
      drawn.push_back({x, std::max(0.92 * radius, thinnest_drawn)});
      if (forks_at(branch.order, i)) {
        azimuth += golden_angle;
        forks.push_back(fork(branch, x, direction, radius, share, azimuth));
        forks.back().parent = wood.size();
      }
      direction += Vector3(random_.uniform(-wobble, wobble), random_.uniform(-wobble, wobble), 0.05);
      direction.normalize();
      if (i < branch_pieces) x += branch.length / branch_pieces * direction;
    }
    if (branch.order > 0 && collides(path, branch.parent)) return {};
    wood.push_back(tube(path));
    drawn_wood.push_back(tube(drawn));
    ends_.push_back({x, direction, 0.0, 0.0, branch.order});
    return forks;
  }

  /// True where a branch, once it has left the one it forks from, comes too near to any other.
  [[nodiscard]] bool collides(std::span<const TubePoint> path, std::size_t parent) const {
    for (std::size_t i = 3; i < path.size(); ++i) {
      for (std::size_t other = 0; other < wood.size(); ++other) {
        if (other == parent && i < path.size() / 2) continue;
        if (wood[other].distance(path[i].position) < path[i].radius + wood_gap) return true;
      }
    }
    return false;
  }

  static bool forks_at(int order, int piece) {
    if (order == 0) return piece >= 4 && piece <= 11;
    return order == 1 && (piece == 5 || piece == 8);
  }

  static Branch fork(const Branch& from, const Vector3& x, const Vector3& direction, double radius,
                     double share, double azimuth) {
    const bool trunk = from.order == 0;
    const double angle = trunk ? 1.35 - 0.75 * share : 0.95;
    const double length = trunk ? 0.74 - 0.36 * share : 0.60 * from.length;
    return {x, branch_off(direction, angle, azimuth), length, std::max(0.66 * radius, 0.012), from.order + 1};
  }

  /// Puts leaves around the end of a branch, wherever there is room: the first along it, others to its sides.
  void add_leaves(const Branch& end) {
    int placed = 0;
    for (int attempt = 0; attempt < leaf_attempts && placed < most_leaves; ++attempt) {
      const double angle = placed == 0 ? random_.uniform(0.0, 0.6) : random_.uniform(0.7, 1.5);
      Vector3 direction = branch_off(end.direction, angle, random_.uniform(0.0, 2.0 * std::numbers::pi));
      direction.z() = std::clamp(direction.z() - 0.30, -0.75, 0.30);
      const double roll = random_.uniform(-1.0, 1.0);
      Leaf leaf{end.root, {}};
      leaf.axes.col(0) = direction.normalized();
      leaf.axes.col(1) = Vector3::UnitZ().cross(leaf.axes.col(0)).normalized();
      leaf.axes.col(2) = leaf.axes.col(0).cross(leaf.axes.col(1));
      leaf.axes = leaf.axes * turned(roll, Vector3::UnitX());
      if (!has_room(leaf)) continue;
      ++placed;
      leaves.push_back(leaf);
      leaf_solids.push_back(moved(leaf_, leaf.place, leaf.axes));
    }
  }

  [[nodiscard]] bool has_room(const Leaf& leaf) const {
    for (const double share : {0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
      for (const double side : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
        const double u = share * leaf_length, v = side * leaf_width * (share < 0.95 ? 1.0 : 0.0);
        const Vector3 x = leaf.place + leaf.axes * Vector3(u, v, leaf_droop * u * u);
        const auto near = [&](const Implicit& other) {
          return distance_to_box(other.bounds, x) < 0.1 &&
                 other.distance(x) < leaf_gap + 0.5 * leaf_plate_thickness;
        };
        if (std::any_of(leaf_solids.begin(), leaf_solids.end(), near)) return false;
        if (std::any_of(wood.begin(), wood.end(), near)) return false;
      }
    }
    return true;
  }

  Random random_;
  Implicit leaf_;
  std::vector<Branch> ends_;  ///< where leaves grow
};

}  // namespace

BodyPlan plan_tree() {
  Tree tree;
  const Implicit ground = half_space({0, 0, 0}, {0, 0, -1});
  const Implicit roots = round_cone({0, 0, 0.0}, {0, 0, 0.12}, 0.085, 0.050);
  tree.wood.push_back(roots);
  tree.drawn_wood.push_back(roots);
  const Implicit wood = intersect(unite(tree.wood, 0.03), ground, 0.01), leaves = unite(tree.leaf_solids);
  std::vector<SurfaceMesh> drawn_leaves;
  for (const Leaf& leaf : tree.leaves) drawn_leaves.push_back(moved(drawn_leaf(), leaf.place, leaf.axes));
  BodyPlan plan;
  plan.solid = unite({wood, leaves}, 0.02);
  plan.solid.bounds.min.z() = 0.0;
  plan.regions = {{"wood", elastic(6e7, 0.35, 700.0), wood}, {"leaves", elastic(4e6, 0.35, 150.0), leaves}};
  plan.surfaces = {{"wood", {0.47, 0.33, 0.22}, intersect(unite(tree.drawn_wood, 0.025), ground, 0.01)},
                   {"leaves", {0.40, 0.64, 0.22}, joined(drawn_leaves)}};
  plan.fixed = [](const Vector3& x) { return x.z() < 0.03; };
  plan.cells = 52;
  plan.least_cells = 44;
  plan.render_cells = 200;
  plan.least_render_cells = 150;
  return plan;
}

}  // namespace limber
