// The points of a body that touch others: what is said to be around them and no slower than they are.

#include "limber/body/body_shell.hpp"

#include "limber/base/random.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/body/body.hpp"
#include "limber/body/world.hpp"
#include "limber/precompute/build_model.hpp"
#include "tests/body/bar.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

namespace limber::body_shell_test {
namespace {

/// A bush of twigs that flies, bent and turning at random.
Body bush(Random& random) {
  PartTree parts = test::twig_parts();
  parts.free = true;
  parts.parts[0].fixed.clear();
  Body body(test::reduced(parts));
  TreeState state = body.state();
  for (double& q : state.q) q = 0.02 * random.normal();
  for (double& v : state.v) v = random.normal();
  state.root.velocity = Vector3(random.normal(), random.normal(), random.normal());
  state.root.angular_velocity = 5.0 * Vector3(random.normal(), random.normal(), random.normal());
  body.set_state(state);
  body.set_coupled(true);
  return body;
}

TEST(BodyShell, CoverHoldsAllPointsAndTheirWaysAndNoneIsFaster) {
  Random random(5);
  const double h = 1e-2;
  for (int trial = 0; trial < 5; ++trial) {
    Body body = bush(random);
    MovingShell shell(std::make_shared<BodyShell>(body.shared_model()));
    CoupledStep step;
    ASSERT_TRUE(body.begin_coupled(h, step, ElasticEnd::mean).ok());
    shell.follow(body);
    shell.cover(body, step.free, h);
    const Matrix3 axes = Matrix3::Identity();
    const double speed = shell.speed(body, step.free), reach = shell.reach();
    double fastest = 0.0;
    Index points = 0;
    shell.for_each_near(
        1e9, [](const Vector3&) { return 0.0; },
        [&](Index domain, Index point, const Vector3& x) {
          ++points;
          Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> rows(3, step.free.size());
          shell.write_rows(
              domain, point,
              {body, nullptr, x, axes, 1.0,
               ContactSolver::Rows(rows.data(), 3, rows.cols(), Eigen::OuterStride<>(rows.cols()))});
          const Vector3 v = rows * step.free;
          fastest = std::max(fastest, v.norm());
          EXPECT_LE((x - shell.center()).norm(), reach * (1.0 + 1e-6));
          for (const double t : {0.0, 0.5 * h, h}) {
            double outside = 1e9;
            for (const PointShell::Ball& ball : shell.cover())
              outside = std::min(outside, (x + t * v - ball.center).norm() - ball.radius);
            EXPECT_LE(outside, 1e-6);
          }
        });
    EXPECT_GT(points, 50);
    EXPECT_LE(fastest, speed * (1.0 + 1e-6));
    EXPECT_GT(fastest, 0.3 * speed);  // and not by far
  }
}

/// Of a body, where it is now.
struct ShellNow {
  Body body;
  MovingShell shell;

  explicit ShellNow(Body moved)
      : body(std::move(moved)), shell(std::make_shared<BodyShell>(body.shared_model())) {
    body.set_coupled(true);
    CoupledStep step;
    EXPECT_TRUE(body.begin_coupled(1e-3, step, ElasticEnd::mean).ok());
    shell.make_solid();
    shell.follow(body);
    shell.cover(body, step.free, 1e-3);
    shell.refit_solid(body, step.free, 1e-3);
  }
};

/// A beam in three domains that share vertices, and as one.
TEST(BodyShell, PiecesOfATreeAreAsFarAsTheBodyThatTheyMakeUp) {
  const VolumeMesh mesh = test::cut_beam();
  const FullModel full(mesh, std::vector<Material>(mesh.regions.size(), test::material("stvk")), {});
  ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, 12).elastic_shapes());
  ShellNow whole(Body(make_model(std::move(reduced), true)));
  ShellNow tree((Body(test::beam_tree())));
  ASSERT_TRUE(tree.shell.shell().in_pieces());
  EXPECT_FALSE(tree.shell.has_boxes());
  const BoundingBox box = bounding_box(mesh);
  const double size = (box.max - box.min).norm(), reach = 0.1 * size;
  Random random(7);
  int inside = 0, near = 0;
  for (int i = 0; i < 2000; ++i) {
    Vector3 x;
    for (Index k = 0; k < 3; ++k)
      x(k) = box.min(k) - 0.05 * size + (box.max(k) - box.min(k) + 0.1 * size) * random.uniform();
    MovingShell::PlaceTouch expected, found;
    const bool touches = whole.shell.touch(whole.body, x, reach, expected);
    ASSERT_EQ(tree.shell.touch(tree.body, x, reach, found), touches) << x.transpose();
    if (!touches) continue;
    (expected.distance < 0.0 ? inside : near) += 1;
    EXPECT_NEAR(found.distance, expected.distance, 0.004 * size) << x.transpose();
    // In the middle no side is the nearest.
    if (expected.distance > -0.03 * size) {
      EXPECT_GT(found.normal.dot(expected.normal), 0.7) << x.transpose();
    }
  }
  EXPECT_GT(inside, 200);
  EXPECT_GT(near, 200);
}

TEST(BodyShell, PlacesOfPiecesMoveAsTheirRowsSay) {
  Random random(3);
  const Body body = bush(random);
  const double d = 1e-6;
  ShellNow now(body);
  int tried = 0;
  for (int i = 0; i < 400; ++i) {
    const Vector3 x = now.shell.center() +
                      now.shell.reach() * Vector3(random.normal(), random.normal(), random.normal()) * 0.3;
    MovingShell::PlaceTouch touch;
    if (!now.shell.touch(now.body, x, 0.05, touch)) continue;
    ++tried;
    // The place itself, by the vertices of its domain.
    const auto place_of = [&](const Body& moved) {
      const TreeDynamics& tree = *moved.tree();
      const Model& model = tree.tree();
      const SimulationMesh& simulation = *model.part(touch.domain).model.simulation;
      const Vector q = tree.state().q.segment(tree.first_coordinate(touch.domain), tree.rank(touch.domain));
      Vector3 sum = Vector3::Zero();
      for (std::size_t k = 0; k < 4; ++k) {
        const Index v = touch.place.vertices[k];
        sum += touch.place.weights[k] *
               (simulation.mesh.vertices.col(v) + simulation.basis.middleRows(3 * v, 3) * q);
      }
      const PoseMatrix& frame = tree.frame(touch.domain);
      const double scale = model.domains[static_cast<std::size_t>(touch.domain)].scale;
      return Vector3(frame.position + frame.rotation * (scale * sum));
    };
    const Vector3 place = place_of(now.body);
    EXPECT_NEAR((x - place).dot(touch.normal), touch.distance, 1e-4 + 0.1 * std::abs(touch.distance));
    const Matrix3 axes = Matrix3::Identity();
    const Index n = now.body.state().q.size() + 6;
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> rows(3, n);
    now.shell.write_rows(touch.domain, touch.place,
                         {now.body, nullptr, place, axes, 1.0,
                          ContactSolver::Rows(rows.data(), 3, n, Eigen::OuterStride<>(n))});
    const Vector u = test::random_vector(n, 1.0, static_cast<unsigned>(i));
    TreeState ahead = now.body.state(), behind = ahead;
    for (const double side : {d, -d}) {
      TreeState& state = side > 0.0 ? ahead : behind;
      state.q += side * u.head(n - 6);
      state.root.position += side * u.segment<3>(n - 6);
      const Vector3 turn = side * u.tail<3>();
      state.root.rotation =
          Eigen::Quaterniond(Eigen::AngleAxisd(turn.norm(), turn.normalized())) * state.root.rotation;
    }
    Body moved = now.body;
    moved.set_state(ahead);
    const Vector3 forth = place_of(moved);
    moved.set_state(behind);
    EXPECT_LE((rows * u - (forth - place_of(moved)) / (2.0 * d)).norm(), 1e-4 * u.norm());
  }
  EXPECT_GT(tried, 30);
}

}  // namespace
}  // namespace limber::body_shell_test
