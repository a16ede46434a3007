#include "bench/registry.hpp"
#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/contact/touch_finder.hpp"
#include "limber/mesh/beam.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

// What it costs to find where deforming bodies touch: octopuses of 30 modes, whose arms are thin and many,
// and shells of 2,000 points.

namespace limber::bench {
namespace {

constexpr Index contact_rank = 30;

/// What bodies of one model share.
struct Octopus {
  VolumeMesh mesh;
  Matrix columns;  ///< 3n x 30
  SurfaceMesh boundary;
  std::shared_ptr<const RestSolid> solid;
  std::optional<PointShell> points;
  std::shared_ptr<const ShellTree> shell;
  std::optional<OwnPatches> own;
  double size = 0.0;  ///< m
};

std::shared_ptr<const Octopus> octopus() {
  static const std::shared_ptr<const Octopus> made = [] {
    auto one = std::make_shared<Octopus>();
    const BuiltinBody body = make_builtin("builtin:octopus");
    one->mesh = body.mesh;
    const FullModel full(body.mesh, body.materials, {});
    const LinearModes modes = compute_linear_modes(full, 6 + contact_rank);
    one->columns.resize(3 * body.mesh.vertex_count(), contact_rank);
    for (Index k = 0; k < contact_rank; ++k) {
      const Vector shape = modes.elastic_shapes().col(k);
      one->columns.col(k) = full.dofs().expand(shape).reshaped();
      one->columns.col(k) /= one->columns.col(k).lpNorm<Eigen::Infinity>();
    }
    one->boundary = boundary_surface(body.mesh);
    const BoundingBox box = bounding_box(one->boundary);
    one->size = (box.max - box.min).maxCoeff();
    one->solid = std::make_shared<const RestSolid>(
        one->mesh, one->columns, std::make_shared<const RestField>(one->boundary, "octopus"));
    const Eigen::Matrix3Xi triangles = boundary_triangles(one->mesh);
    const ShellSample sample = sample_shell(one->mesh.vertices, triangles, 2000);
    one->points.emplace(one->mesh.vertices, one->columns, sample.vertices);
    one->shell = std::make_shared<const ShellTree>(*one->points);
    one->own.emplace(*one->shell, *one->solid);
    return one;
  }();
  return made;
}

/// Modes of the same energy, about: the lower ones bend most.  share: of the size, that its tips move.
Vector bent_octopus(double share, std::uint64_t seed) {
  Random random(seed);
  Vector q(contact_rank);
  for (Index k = 0; k < contact_rank; ++k)
    q(k) = share * octopus()->size * random.uniform(-1.0, 1.0) / (1.0 + 0.5 * static_cast<double>(k));
  return q;
}

/// A body that is somewhere.
struct Placed {
  RefittedBoxes boxes{octopus()->shell};
  DeformedSolid solid{octopus()->solid};
  Pose pose;
  Vector q;

  void refit() {
    boxes.refit(pose, q);
    solid.refit(pose, q);
  }
};

std::function<void()> make_field() {
  auto body = octopus();
  return [body] { RestField(body->boundary, "octopus"); };
}

/// A block of about 51,000 triangles.
SurfaceMesh fine_block() {
  return boundary_surface(
      make_beam({ElementKind::brick, Vector3(1.0, 0.4, 0.4), Eigen::Vector3i(120, 45, 45)}));
}

std::function<void()> make_fine_field() {
  return [surface = fine_block()] { RestField(surface, "block"); };
}

/// The points of a bent octopus that are next to something, 400 of them.  distance: from that, m.
template <class Distance>
std::function<void()> points_near(const Distance& distance) {
  static constexpr std::size_t wanted = 400;
  const PointShell& points = *octopus()->points;
  PointShell::Coordinates q;
  q.set(bent_octopus(0.1, 1));
  std::vector<double> distances;
  for (Index i = 0; i < points.size(); ++i) distances.push_back(distance(points.position(i, q)));
  std::sort(distances.begin(), distances.end());
  return [q, distance, &points, margin = distances[wanted - 1]] {
    std::size_t found = 0;
    points.for_each_near(q, margin, distance, [&](Index, const Vector3&) { ++found; });
    require(found >= wanted, "{} points were found, not {}", found, wanted);
  };
}

std::function<void()> points_near_ground() {
  return points_near([](const Vector3& x) { return x.z(); });
}

/// The block lies below the octopus.
std::function<void()> points_near_field() {
  static const RestField field(fine_block(), "block");
  const BoundingBox box = bounding_box(octopus()->boundary);
  const Vector3 down(0.5 - 0.5 * (box.min.x() + box.max.x()), 0.2 - 0.5 * (box.min.y() + box.max.y()),
                     0.4 - box.min.z());
  return points_near([down](const Vector3& x) { return field.distance_alone(x + down); });
}

std::function<void()> refit_points() {
  auto body = std::make_shared<Placed>();
  body->q = bent_octopus(0.2, 1);
  return [body] { body->boxes.refit(body->pose, body->q); };
}

std::function<void()> refit_swept_points() {
  auto body = std::make_shared<Placed>();
  body->q = bent_octopus(0.2, 1);
  return [body] {
    body->boxes.refit(body->pose, body->q, body->q, {Vector3::UnitX(), Vector3::UnitY(), 1e-3});
  };
}

std::function<void()> refit_solid() {
  auto body = std::make_shared<Placed>();
  body->q = bent_octopus(0.2, 1);
  return [body] { body->solid.refit(body->pose, body->q); };
}

/// Two of them, one on top of the other as deep as gives about a hundred touches, found both ways.
std::function<void()> touching_pair(bool refit) {
  struct Pair {
    Placed a, b;
    TouchFinder finder;
    std::vector<Touch> touches;
    void find() {
      touches.clear();
      finder.between(a.boxes, b.solid, 0.0, touches);
      finder.between(b.boxes, a.solid, 0.0, touches);
    }
  };
  auto pair = std::make_shared<Pair>();
  pair->a.q = bent_octopus(0.1, 1);
  pair->b.q = bent_octopus(0.1, 2);
  pair->a.refit();
  for (double height = 1.0; height > 0.0; height -= 0.002) {
    pair->b.pose.position = Vector3(0.02, 0.0, height) * octopus()->size;
    pair->b.refit();
    pair->find();
    if (pair->touches.size() >= 50) break;
  }
  return [pair, refit] {
    if (refit) {
      pair->a.refit();
      pair->b.refit();
    }
    pair->find();
  };
}

std::function<void()> self_contact(double share) {
  struct Self {
    Placed body;
    TouchFinder finder;
    std::vector<Touch> touches;
  };
  auto self = std::make_shared<Self>();
  self->body.q = bent_octopus(share, 3);
  return [self] {
    self->body.refit();
    self->touches.clear();
    self->finder.within(self->body.boxes, self->body.solid, *octopus()->own, 0.0, self->touches);
  };
}

/// 256 places next to the surface and within, each for itself.
std::function<void()> places_in_solid() {
  struct Places {
    Placed body;
    std::vector<Vector3> places;
    SolidTouch touch;
  };
  auto all = std::make_shared<Places>();
  all->body.q = bent_octopus(0.2, 1);
  all->body.refit();
  Random random(1);
  const VolumeMesh& mesh = octopus()->mesh;
  for (int i = 0; i < 256; ++i) {
    const auto e = static_cast<Index>(random.uniform(0.0, static_cast<double>(mesh.element_count())));
    Vector3 x = Vector3::Zero();
    for (Index k = 0; k < mesh.elements.rows(); ++k)
      x += all->body.solid.position(mesh.elements(k, e)) / static_cast<double>(mesh.elements.rows());
    all->places.push_back(x);
  }
  return [all] {
    for (const Vector3& x : all->places) (void)all->body.solid.touch(x, 0.0, all->touch);
  };
}

}  // namespace

std::vector<Case> contact_cases(int /*threads*/) {
  const auto per_second = [](const Results&, double s) { return 1.0 / s; };
  const auto goal_of = [](double us) { return fmt::format("the goal of {:.0f} us", us); };
  const auto share_of = [](double us) { return [us](const Results&, double s) { return 1e6 * s / us; }; };
  return {
      {"contact/rest_field/octopus", make_field},
      {"contact/rest_field/51000_triangles", make_fine_field},
      {"contact/points_near_ground/400_of_2000_r_30", points_near_ground, goal_of(25.0), share_of(25.0)},
      {"contact/points_near_field/400_of_2000_r_30", points_near_field, goal_of(25.0), share_of(25.0)},
      {"contact/refit_boxes/2000_points_r_30", refit_points, "refits/s", per_second},
      {"contact/refit_swept_boxes/2000_points_r_30", refit_swept_points, "refits/s", per_second},
      {"contact/refit_solid/octopus_r_30", refit_solid, "refits/s", per_second},
      {"contact/places_in_solid/256", places_in_solid, "places/s",
       [](const Results&, double s) { return 256.0 / s; }},
      {"contact/pair/octopuses", [] { return touching_pair(false); }, "pairs/s", per_second},
      {"contact/pair_with_refit/octopuses", [] { return touching_pair(true); }, goal_of(30.0),
       share_of(30.0)},
      {"contact/self/bent_5_percent", [] { return self_contact(0.05); }, goal_of(100.0), share_of(100.0)},
      {"contact/self/bent_40_percent", [] { return self_contact(0.4); }, goal_of(100.0), share_of(100.0)},
      {"contact/self/bent_80_percent", [] { return self_contact(0.8); }, goal_of(100.0), share_of(100.0)},
  };
}

}  // namespace limber::bench
