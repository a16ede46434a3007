#include "limber/contact/touch_finder.hpp"

#include "limber/contact/mesh_shape.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/contact/bending.hpp"
#include "tests/reduced/allocations.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace limber::touch_finder_test {
namespace {

using test::random_vector;

/// What bodies of one mesh share.
struct Kind {
  VolumeMesh mesh;
  Matrix columns;
  std::shared_ptr<const RestSolid> solid;
  std::shared_ptr<const PointShell> shell;
  std::shared_ptr<const ShellTree> tree;

  explicit Kind(const VolumeMesh& of, Index points = 600)
      : mesh(of), columns(test::bending_columns(of.vertices)) {
    solid = std::make_shared<const RestSolid>(
        mesh, columns,
        std::make_shared<const RestField>(boundary_surface(mesh), "mesh", RestFieldOptions{100000}));
    const ShellSample sample = sample_shell(mesh.vertices, boundary_triangles(mesh), points);
    shell = std::make_shared<const PointShell>(mesh.vertices, columns, sample.vertices);
    tree = std::make_shared<const ShellTree>(*shell);
  }

  [[nodiscard]] Vector3 place(Index point, const Vector& q) const {
    const int v = shell->vertex(point);
    return mesh.vertices.col(v) + columns.middleRows<3>(3 * v) * q;
  }
};

/// One body in its place.
struct Placed {
  const Kind& kind;
  RefittedBoxes boxes{kind.tree};
  DeformedSolid solid{kind.solid};
  Pose pose;
  Vector q = Vector::Zero(6);

  explicit Placed(const Kind& of) : kind(of) { refit(); }
  void refit() {
    boxes.refit(pose, q);
    solid.refit(pose, q);
  }
  void refit(const Vector& v, const SweptMotion& motion) {
    boxes.refit(pose, q, v, motion);
    solid.refit(pose, q, v, motion);
  }
};

const Kind& bar() {
  static const Kind kind(make_beam({.size = {1.0, 0.2, 0.15}, .cells = {24, 5, 4}}));
  return kind;
}

TEST(RefittedBoxes, AreTightAroundAllPoints) {
  Placed body(bar());
  ASSERT_EQ(body.boxes.tree().size(), body.kind.shell->size());
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    body.q = random_vector(6, 0.3, seed);
    body.pose = {random_vector(3, 100.0, 10 + seed), Eigen::Quaterniond(test::some_rotation())};
    const Vector v = random_vector(6, 3.0, 20 + seed);
    const SweptMotion motion{random_vector(3, 5.0, 30 + seed), random_vector(3, 5.0, 40 + seed), 0.01};
    body.refit(v, motion);
    Vector3 low = Vector3::Constant(1e9), high = -low, least = low, most = high;
    for (Index i = 0; i < body.kind.shell->size(); ++i) {
      const Vector3 x = body.kind.place(i, body.q), turned = body.pose.rotation * x;
      EXPECT_LT((body.boxes.position(i) - body.pose.apply(x)).norm(), 2e-6);
      const int vertex = body.kind.shell->vertex(i);
      const Vector3 way =
          motion.step * (body.pose.rotation * Vector3(body.kind.columns.middleRows<3>(3 * vertex) * v) +
                         motion.velocity + motion.angular_velocity.cross(turned));
      EXPECT_LT((body.boxes.way(i) - way).norm(), 1e-6);
      low = low.cwiseMin(turned);
      high = high.cwiseMax(turned);
      least = least.cwiseMin(way);
      most = most.cwiseMax(way);
    }
    SweptBox box = body.boxes.box(0);
    for (Index g = 1; g < body.boxes.tree().group_count(); ++g) box.include(body.boxes.box(g));
    EXPECT_LT((box.low.head<3>().matrix().cast<double>() - low).norm(), 2e-6);
    EXPECT_LT((box.high.head<3>().matrix().cast<double>() - high).norm(), 2e-6);
    EXPECT_LT((box.least_way.head<3>().matrix().cast<double>() - least).norm(), 2e-6);
    EXPECT_LT((box.most_way.head<3>().matrix().cast<double>() - most).norm(), 2e-6);
  }
}

/// Two bent bars that overlap in most of the poses.
void place_at_random(Placed& a, Placed& b, std::uint64_t seed) {
  a.q = random_vector(6, 0.25, seed);
  b.q = random_vector(6, 0.25, 100 + seed);
  a.pose = {Vector3(50.0, -20.0, 7.0), Eigen::Quaterniond(test::some_rotation())};
  b.pose = {a.pose.position + random_vector(3, 0.4, 200 + seed),
            Eigen::Quaterniond::FromTwoVectors(Vector3::UnitX(), random_vector(3, 1.0, 300 + seed))};
}

TEST(TouchFinder, FindsWhatAskingForEachPointFinds) {
  Placed a(bar()), b(bar());
  TouchFinder finder;
  std::vector<Touch> touches;
  int inside = 0, outside = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    place_at_random(a, b, seed);
    a.refit();
    b.refit();
    const double margin = 0.02;
    touches.clear();
    finder.between(a.boxes, b.solid, margin, touches);
    std::map<int, SolidTouch> found;
    for (const Touch& touch : touches) {
      EXPECT_TRUE(found.emplace(touch.point, touch.solid).second);
      EXPECT_NEAR(touch.reach, margin, 1e-4);
      (touch.solid.inside ? inside : outside) += 1;
    }
    for (int i = 0; i < a.kind.shell->size(); ++i) {
      const Vector3 x = b.pose.inverse().apply(a.boxes.position(i));
      SolidTouch expected;
      const bool touches_it = b.solid.touch(x, margin, expected);
      const bool on_the_brink = touches_it && !expected.inside && expected.distance > 0.99 * margin;
      if (!on_the_brink) {
        EXPECT_EQ(touches_it, found.contains(i));
      }
      if (!touches_it || !found.contains(i)) continue;
      EXPECT_EQ(found[i].inside, expected.inside);
      EXPECT_NEAR(found[i].distance, expected.distance, 1e-5);
    }
  }
  EXPECT_GT(inside, 200);
  EXPECT_GT(outside, 100);
}

/// What is computed where something is near finds what is found once all is computed: in random poses and
/// deformations, at rest and in motion, between bodies and within one.
TEST(TouchFinder, FindsTheSameWhereAllBoxesAreKnownBefore) {
  Placed a(bar()), b(bar());
  const OwnPatches own(a.boxes.tree(), a.solid.rest());
  TouchFinder finder;
  std::size_t between = 0, within = 0;
  Index groups = 0, patches = 0, all_groups = 0, all_patches = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    place_at_random(a, b, seed);
    if (seed % 4 == 3) a.q *= 4.0;  // into itself
    const Vector v = random_vector(6, 2.0, 400 + seed);
    const SweptMotion motion{random_vector(3, 3.0, 500 + seed), random_vector(3, 3.0, 600 + seed), 5e-3};
    const auto refit = [&] {
      if (seed % 2 == 0) {
        a.refit();
        b.refit();
      } else {
        a.refit(v, motion);
        b.refit(-v, {-motion.velocity, motion.angular_velocity, motion.step});
      }
    };
    std::vector<Touch> found, expected;
    const auto find = [&](std::vector<Touch>& touches) {
      finder.between(a.boxes, b.solid, 0.01, touches);
      between += touches.size();
      groups += a.boxes.computed_groups();
      patches += b.solid.computed_patches();
      finder.within(a.boxes, a.solid, own, 0.01, touches);
    };
    refit();
    find(found);
    within += found.size();
    refit();
    for (Placed* body : {&a, &b}) {
      for (Index g = 0; g < body->boxes.tree().group_count(); ++g) (void)body->boxes.box(g);
      for (int p = 0; p < body->solid.rest().patch_count(); ++p) (void)body->solid.box(p);
    }
    const Index seen = groups, fitted = patches;
    find(expected);
    all_groups += groups - seen;
    all_patches += patches - fitted;
    groups = seen;
    patches = fitted;
    ASSERT_EQ(found.size(), expected.size()) << seed;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].point, expected[i].point);
      EXPECT_EQ(found[i].reach, expected[i].reach);
      EXPECT_EQ(found[i].solid.distance, expected[i].solid.distance);
      EXPECT_EQ(found[i].solid.normal, expected[i].solid.normal);
    }
  }
  EXPECT_GT(between, 1000u);
  EXPECT_GT(within, 500u);
  EXPECT_LT(groups, all_groups);
  EXPECT_LT(patches, all_patches);
}

/// How near a place comes to another one along a straight way.
double nearest_on_way(const Vector3& apart, const Vector3& way) {
  const double squared = way.squaredNorm();
  const double share = squared > 0.0 ? std::clamp(-apart.dot(way) / squared, 0.0, 1.0) : 0.0;
  return (apart + share * way).norm();
}

/// Bars in random places and shapes; of every other seed as they move.
struct RandomBars {
  Placed a, b;
  Vector v = Vector::Zero(6);
  SweptMotion motion;
  bool moving;

  explicit RandomBars(std::uint64_t seed) : a(bar()), b(bar()), moving(seed % 2 == 1) {
    place_at_random(a, b, seed);
    if (seed % 4 >= 2) a.q *= 3.0;  // into itself
    if (moving) {
      v = random_vector(6, 2.0, 400 + seed);
      motion = {random_vector(3, 8.0, 500 + seed), random_vector(3, 3.0, 600 + seed), 5e-3};
    }
    refit();
  }
  void refit() {
    if (!moving) {
      a.refit();
      return b.refit();
    }
    a.refit(v, motion);
    b.refit(-v, {-motion.velocity, motion.angular_velocity, motion.step});
  }
  /// Where the touched place of one of them goes within the step.
  [[nodiscard]] Vector3 way(const Placed& of, const SolidTouch& touch) const {
    const double sign = &of == &a ? 1.0 : -1.0;
    Vector3 along = Vector3::Zero();
    for (std::size_t k = 0; k < 4; ++k)
      along +=
          touch.place.weights[k] * Vector3(of.kind.columns.middleRows<3>(3 * touch.place.vertices[k]) * v);
    const Vector3 arm = of.pose.rotation * touch.surface;
    return motion.step *
           (sign * (of.pose.rotation * along + motion.velocity) + motion.angular_velocity.cross(arm));
  }
};

/// What is asked of all patches, and of all points, as the margin is as wide as that, says what must be told:
/// what is inside, and what comes within the margin. And so does the deformed surface itself.
TEST(TouchFinder, LosesNothingThatIsInsideOrComesNear) {
  constexpr double margin = 0.02, everywhere = 4.0;
  TouchFinder finder;
  int inside = 0, near = 0, own_touches = 0, missed = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    RandomBars bars(seed);
    const OwnPatches own(bars.a.boxes.tree(), bars.a.solid.rest());
    for (const bool self : {false, true}) {
      Placed& solid = self ? bars.a : bars.b;
      std::vector<Touch> told, all;
      const auto find = [&](double within, std::vector<Touch>& touches) {
        bars.refit();
        if (self) finder.within(bars.a.boxes, solid.solid, own, within, touches);
        if (!self) finder.between(bars.a.boxes, solid.solid, within, touches);
      };
      find(margin, told);
      find(everywhere, all);
      if (!self) {
        EXPECT_EQ(all.size(), static_cast<std::size_t>(bars.a.boxes.tree().size()));
      }
      std::map<int, SolidTouch> found;
      for (const Touch& touch : told) {
        found[touch.point] = touch.solid;
        EXPECT_TRUE(touch.solid.inside || touch.solid.distance <= touch.reach);
      }
      for (const Touch& touch : all) {
        const Vector3 x = bars.a.boxes.position(touch.point), s = solid.pose.apply(touch.solid.surface);
        const Vector3 way = bars.a.boxes.way(touch.point) - bars.way(solid, touch.solid);
        const bool is_near = nearest_on_way(x - s, way) < 0.999 * margin;
        if (!touch.solid.inside && !is_near) continue;
        // Parts that are bent into themselves: from some patches the way does not lead to the nearest place.
        if (self && !touch.solid.inside && !found.contains(touch.point)) {
          ++missed;
          continue;
        }
        ASSERT_TRUE(found.contains(touch.point)) << seed << ", at " << (x - s).norm() << " m";
        EXPECT_EQ(found[touch.point].inside, touch.solid.inside) << seed;
        if (!self && !touch.solid.inside) {
          EXPECT_NEAR(found[touch.point].distance, touch.solid.distance, 0.1 * margin) << seed;
        }
        (self ? own_touches : touch.solid.inside ? inside : near) += 1;
      }
      if (self) continue;
      VolumeMesh moved = solid.kind.mesh;
      moved.vertices.reshaped() += solid.kind.columns * solid.q;
      const MeshShape surface(boundary_surface(moved), "moved");
      for (int i = 0; i < bars.a.kind.shell->size(); ++i) {
        const double away = surface.distance(solid.pose.inverse().apply(bars.a.boxes.position(i))).distance;
        if (away > 0.8 * margin) continue;
        EXPECT_TRUE(found.contains(i)) << seed << ", " << away << " m";
        if (away < -1e-5) {
          EXPECT_TRUE(found[i].inside) << seed << ", " << away << " m";
        }
      }
    }
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(near, 100);
  EXPECT_GT(own_touches, 100);
  EXPECT_LT(missed, own_touches / 10);
}

TEST(TouchFinder, FindsTheSameWhateverWasAskedBefore) {
  const OwnPatches own(*bar().tree, *bar().solid);
  TouchFinder finder;
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    RandomBars bars(seed);
    Placed &a = bars.a, &b = bars.b;
    const auto ask = [&](int question, double margin, std::vector<Touch>& touches) {
      touches.clear();
      if (question == 0) finder.between(a.boxes, b.solid, margin, touches);
      if (question == 1) finder.between(b.boxes, a.solid, margin, touches);
      if (question == 2) finder.within(a.boxes, a.solid, own, margin, touches);
      if (question == 3) finder.within(b.boxes, b.solid, own, margin, touches);
    };
    std::vector<Touch> touches;
    const auto ask_for_places = [&](std::uint64_t from) {
      std::vector<std::pair<bool, double>> answers;
      for (std::uint64_t i = 0; i < 50; ++i) {
        SolidTouch touch;
        const Vector3 x = Vector3(0.5, 0.0, 0.0) + random_vector(3, 0.6, from + i);
        const bool found = a.solid.touch(x, 0.05, touch);
        answers.emplace_back(found, found ? touch.distance : 0.0);
      }
      return answers;
    };
    std::array<std::vector<Touch>, 4> expected;
    for (int question = 0; question < 4; ++question) {
      bars.refit();
      ask(question, 0.01, expected[static_cast<std::size_t>(question)]);
      count += expected[static_cast<std::size_t>(question)].size();
    }
    bars.refit();
    const auto expected_places = ask_for_places(7000);
    std::array<int, 4> order{0, 1, 2, 3};
    int number = 0;
    do {
      bars.refit();
      // Some patches and groups are known before, others not.
      if (number % 3 == 1) (void)ask_for_places(1000 * seed);
      for (const int question : order) {
        if (number % 4 == 2) ask((question + 1) % 4, 0.1, touches);
        ask(question, 0.01, touches);
        const std::vector<Touch>& same = expected[static_cast<std::size_t>(question)];
        ASSERT_EQ(touches.size(), same.size()) << seed << ", order " << number << ", " << question;
        for (std::size_t i = 0; i < same.size(); ++i) {
          EXPECT_EQ(touches[i].point, same[i].point);
          EXPECT_EQ(touches[i].reach, same[i].reach);
          EXPECT_EQ(touches[i].solid.inside, same[i].solid.inside);
          EXPECT_EQ(touches[i].solid.distance, same[i].solid.distance);
          EXPECT_EQ(touches[i].solid.surface, same[i].solid.surface);
          EXPECT_EQ(touches[i].solid.normal, same[i].solid.normal);
        }
      }
      EXPECT_EQ(ask_for_places(7000), expected_places) << seed << ", order " << number;
      ++number;
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(count, 500u);
}

TEST(TouchFinder, LooksAtNothingWhereBodiesAreApart) {
  Placed a(bar()), b(bar());
  b.pose.position = Vector3(0.0, 0.0, 0.2);
  b.refit();
  TouchFinder finder;
  std::vector<Touch> touches;
  finder.between(a.boxes, b.solid, 0.04, touches);
  EXPECT_TRUE(touches.empty());
  EXPECT_EQ(finder.visited_pairs(), 0);
  finder.between(a.boxes, b.solid, 0.06, touches);
  ASSERT_FALSE(touches.empty());
  for (const Touch& touch : touches) {
    EXPECT_FALSE(touch.solid.inside);
    EXPECT_NEAR(touch.solid.distance, 0.05, 2e-3);  // at rims, more
  }
}

/// A plate that a point passes within a step: found before, on the side it comes from.
TEST(TouchFinder, FindsThinPartsThatAreFasterThanTheyAreThick) {
  static const Kind plate(make_beam({.size = {1.0, 0.6, 0.01}, .cells = {20, 12, 1}}));
  Placed a(bar()), b(plate);
  const double step = 0.005, speed = 30.0;  // 0.15 m: fifteen times as thick
  for (const bool plate_moves : {true, false}) {
    a.pose.position = Vector3(0.0, 0.0, 0.2);
    const SweptMotion still{.step = step};
    const SweptMotion up{Vector3(0.0, 0.0, speed), Vector3::Zero(), step};
    const SweptMotion down{Vector3(0.0, 0.0, -speed), Vector3::Zero(), step};
    a.refit(Vector::Zero(6), plate_moves ? still : down);
    b.refit(Vector::Zero(6), plate_moves ? up : still);
    TouchFinder finder;
    std::vector<Touch> touches;
    finder.between(a.boxes, b.solid, 0.0, touches);
    int below = 0;
    for (const Touch& touch : touches) {
      if (touch.solid.normal.z() < 0.99) continue;
      EXPECT_NEAR(touch.solid.distance, 0.12, 0.02);
      EXPECT_NEAR(touch.reach, 0.15, 0.01);
      ++below;
    }
    EXPECT_GT(below, 100);
    // Together they come no nearer.
    a.refit(Vector::Zero(6), up);
    b.refit(Vector::Zero(6), up);
    touches.clear();
    finder.between(a.boxes, b.solid, 0.0, touches);
    EXPECT_TRUE(touches.empty());
    EXPECT_EQ(finder.visited_pairs(), 0);
  }
}

/// Two arms side by side that are joined at one end, as near as a third of their thickness.
VolumeMesh fork() {
  VolumeMesh mesh = make_beam({.size = {1.0, 0.35, 0.15}, .cells = {30, 7, 3}});
  std::vector<Index> kept;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    Vector3 middle = Vector3::Zero();
    for (Index k = 0; k < 4; ++k) middle += 0.25 * mesh.vertices.col(mesh.elements(k, e));
    if (middle.x() < 0.2 || std::abs(middle.y()) > 0.025) kept.push_back(e);
  }
  Eigen::MatrixXi elements(4, static_cast<Index>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i)
    elements.col(static_cast<Index>(i)) = mesh.elements.col(kept[i]);
  mesh.elements = elements;
  mesh.region.resize(kept.size());
  return mesh;
}

/// Moves the arms of the fork towards each other, by the square of the way from where they are joined: 3n x
/// 1.
Matrix closing_columns(const Matrix3X& x) {
  Matrix columns = Matrix::Zero(3 * x.cols(), 1);
  for (Index i = 0; i < x.cols(); ++i) {
    const double along = std::max(0.0, x(0, i) - 0.2) / 0.8;
    columns(3 * i + 1, 0) = (x(1, i) > 0.0 ? -1.0 : 1.0) * along * along;
  }
  return columns;
}

TEST(TouchFinder, FindsArmsThatMeetAndNothingAtRest) {
  const VolumeMesh mesh = fork();
  const Matrix columns = closing_columns(mesh.vertices);
  const auto rest = std::make_shared<const RestSolid>(
      mesh, columns, std::make_shared<const RestField>(boundary_surface(mesh), "fork"));
  const ShellSample sample = sample_shell(mesh.vertices, boundary_triangles(mesh), 2000);
  const PointShell shell(mesh.vertices, columns, sample.vertices);
  const auto tree = std::make_shared<const ShellTree>(shell);
  const OwnPatches own(*tree, *rest);
  RefittedBoxes boxes(tree);
  DeformedSolid solid(rest);
  TouchFinder finder;
  std::vector<Touch> touches;
  const auto find = [&](double closed, double margin) {
    const Vector q = Vector::Constant(1, closed);
    boxes.refit(Pose{}, q);
    solid.refit(Pose{}, q);
    touches.clear();
    finder.within(boxes, solid, own, margin, touches);
  };
  find(0.0, 0.0);
  EXPECT_TRUE(touches.empty());
  find(0.02, 0.0);  // the tips are 0.01 m apart
  EXPECT_TRUE(touches.empty());
  find(0.02, 0.012);
  EXPECT_FALSE(touches.empty());
  for (const Touch& touch : touches) {
    EXPECT_GT(touch.solid.distance, 0.0);
    EXPECT_GT(tree->rest(touch.point).x(), 0.8);
  }
  // Arms overlap beyond the place where 0.025 of the way is gone.
  const double closed = 0.035;
  find(closed, 0.0);
  const auto overlap = [&](double x) {
    return 2.0 * (closed * std::pow(std::max(0.0, x - 0.2) / 0.8, 2) - 0.025);
  };
  std::map<int, const Touch*> found;
  for (const Touch& touch : touches) found[touch.point] = &touch;
  int expected_count = 0;
  for (int i = 0; i < tree->size(); ++i) {
    const Vector3 at = tree->rest(i);
    const bool facing = std::abs(std::abs(at.y()) - 0.025) < 1e-6;
    const bool rim = std::abs(at.z()) > 0.0749 || at.x() > 0.9999;
    const bool expected = facing && overlap(at.x()) > 1e-3;
    if (expected && !rim) {
      ASSERT_TRUE(found.contains(i)) << at.transpose();
      ++expected_count;
      EXPECT_NEAR(found[i]->solid.distance, -overlap(at.x()), 0.15 * overlap(at.x()) + 5e-4);
      EXPECT_GT(std::abs(found[i]->solid.normal.y()), 0.9);
      EXPECT_LT(found[i]->solid.rest.y() * at.y(), 0.0);
    }
    if (!facing || overlap(at.x()) < -1e-3) {
      EXPECT_FALSE(found.contains(i)) << at.transpose();
    }
  }
  EXPECT_GT(expected_count, 10);
}

/// A bar whose coordinates bend it into turns of a spring: by 5 rad, which is less than one, and by 6.9, a
/// tenth more, so that its ends lie side by side, 0.018 m deep in each other.
TEST(TouchFinder, FindsTheEndsOfABarThatIsBentToARing) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.06, 0.06}, .cells = {64, 4, 4}});
  Matrix columns(3 * mesh.vertex_count(), 2);
  for (Index i = 0; i < mesh.vertex_count(); ++i) {
    const Vector3 x = mesh.vertices.col(i), aside = 0.046 * x.x() * Vector3::UnitY();
    columns.block<3, 1>(3 * i, 0) = test::bend(x, 5.0) - x + aside;
    columns.block<3, 1>(3 * i, 1) = test::bend(x, 6.9) - x + aside;
  }
  const auto rest = std::make_shared<const RestSolid>(
      mesh, columns, std::make_shared<const RestField>(boundary_surface(mesh), "bar"));
  const ShellSample sample = sample_shell(mesh.vertices, boundary_triangles(mesh), 2000);
  const auto tree = std::make_shared<const ShellTree>(PointShell(mesh.vertices, columns, sample.vertices));
  const OwnPatches own(*tree, *rest);
  RefittedBoxes boxes(tree);
  DeformedSolid solid(rest);
  TouchFinder finder;
  std::vector<Touch> touches;
  for (const Vector& q : {Vector(Vector::Zero(2)), Vector(Vector::Unit(2, 0)), Vector(Vector::Unit(2, 1))}) {
    boxes.refit(Pose{}, q);
    solid.refit(Pose{}, q);
    touches.clear();
    finder.within(boxes, solid, own, 0.0, touches);
    if (q(1) == 0.0) {
      EXPECT_TRUE(touches.empty());
      continue;
    }
    EXPECT_GT(touches.size(), 20u);
    for (const Touch& touch : touches) {
      const double from = tree->rest(touch.point).x(), to = touch.solid.rest.x();
      EXPECT_LT(std::min(from, to), 0.1);
      EXPECT_GT(std::max(from, to), 0.9);
      EXPECT_GT(touch.solid.distance, -0.02);
    }
  }
}

TEST(TouchFinder, IsTheSameEachTimeAndAllocatesNothing) {
  Placed a(bar()), b(bar());
  place_at_random(a, b, 3);
  const OwnPatches own(a.boxes.tree(), a.solid.rest());
  const Vector v = random_vector(6, 0.1, 5);
  const SweptMotion motion{.step = 1e-3};
  TouchFinder finder;
  std::vector<Touch> touches, again;
  const auto find = [&](std::vector<Touch>& into) {
    a.refit(v, motion);
    b.refit(v, motion);
    into.clear();
    finder.between(a.boxes, b.solid, 0.01, into);
    finder.between(b.boxes, a.solid, 0.01, into);
    finder.within(a.boxes, a.solid, own, 0.01, into);
  };
  find(touches);
  ASSERT_GT(touches.size(), 20u);
  EXPECT_EQ(test::allocations_of([&] { find(touches); }), 0);
  find(again);
  ASSERT_EQ(touches.size(), again.size());
  for (std::size_t i = 0; i < touches.size(); ++i) {
    EXPECT_EQ(touches[i].point, again[i].point);
    EXPECT_EQ(touches[i].solid.distance, again[i].solid.distance);
  }
}

}  // namespace
}  // namespace limber::touch_finder_test
