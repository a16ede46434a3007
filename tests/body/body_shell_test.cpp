// The points of a body that touch others: what is said to be around them and no slower than they are.

#include "limber/body/body_shell.hpp"

#include "limber/base/random.hpp"
#include "limber/body/body.hpp"
#include "limber/body/world.hpp"
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

}  // namespace
}  // namespace limber::body_shell_test
