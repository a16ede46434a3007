// Contact of bodies as one convex problem: its optimum, and what friction, stacks and mass ratios make of
// it.

#include "limber/contact/contact_solver.hpp"

#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace limber::contact_solver_test {
namespace {

using test::random_vector;

constexpr double h = 1e-3;  // s
constexpr double never = std::numeric_limits<double>::infinity();

/// A rigid block that keeps its orientation in space and has velocities (V, w), contacts at its lower
/// corners.
struct Block {
  double mass = 1.0, half = 0.1;
  double height = 0.0;  ///< above where it was put, m
  Matrix A;
  Vector u = Vector::Zero(6), free = Vector::Zero(6);

  explicit Block(double kilograms = 1.0) : mass(kilograms), A(Matrix::Identity(6, 6) * kilograms) {
    A.bottomRightCorner<3, 3>() *= 2.0 / 3.0 * half * half;
  }
  [[nodiscard]] ContactBody contact_body() const { return {&A, &free, &u, 6}; }
};

std::array<Vector3, 4> corners(double half, double z) {
  return {Vector3(half, half, z), Vector3(-half, half, z), Vector3(half, -half, z), Vector3(-half, -half, z)};
}

/// Rows of a point of a rigid body, at `arm` from its centre; the axes of the contact are those of the
/// world.
void write_rows(ContactSolver::Rows rows, const Vector3& arm, double sign) {
  rows.leftCols<3>() = sign * Matrix3::Identity();
  rows.rightCols<3>() =
      -sign * (Matrix3() << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0).finished();
}

/// Four contacts under `upper`, on `lower` or, where that is -1, on the ground, `gap` m apart.
void lay(ContactSolver& solver, int upper, int lower, double half, double friction, double gap) {
  for (const Vector3& corner : corners(half, -half)) {
    const int contact = solver.add(upper, lower);
    write_rows(solver.rows(contact, 0), corner, 1.0);
    if (lower >= 0) write_rows(solver.rows(contact, 1), corner + 2.0 * half * Vector3::UnitZ(), -1.0);
    const double yield = solver.yield(contact);
    solver.cone(contact) = {.friction = friction, .normal = 1e-4 * yield, .tangent = 1e-3 * yield};
    // What is apart may come together within the step; what is too deep comes out gently.
    solver.cone(contact).approach = gap > 0.0 ? -gap / h : -0.2 * gap / h;
  }
}

/// A block on a plane that is tilted by `angle`, for `steps`; how fast it slides down in the end, m/s.
double slide(double angle, double friction, int steps) {
  Block block;
  const Vector3 gravity = 9.81 * Vector3(std::sin(angle), 0.0, -std::cos(angle));
  ContactSolver solver;
  for (int i = 0; i < steps; ++i) {
    block.free = block.u;
    block.free.head<3>() += h * gravity;
    const ContactBody body = block.contact_body();
    solver.begin({&body, 1});
    lay(solver, 0, -1, block.half, friction, block.height);
    EXPECT_TRUE(solver.solve().ok());
    block.u = solver.velocity(0);
    block.height += h * block.u(2);
  }
  return block.u(0);
}

TEST(ContactSolver, LetsABlockSlideFromTheAngleOfFrictionOn) {
  constexpr double degree = std::numbers::pi / 180.0;
  for (const double friction : {0.2, 0.5, 1.0}) {
    const double angle = std::atan(friction);
    EXPECT_LT(slide(angle - 0.2 * degree, friction, 500), 1e-4) << friction;  // creep below 0.1 mm/s
    const double steeper = angle + 0.2 * degree;
    const double expected = 0.5 * 9.81 * (std::sin(steeper) - friction * std::cos(steeper));
    EXPECT_NEAR(slide(steeper, friction, 500), expected, 0.01 * expected) << friction;
  }
}

/// Bodies with random definite matrices, of sizes up to 40, with random contacts.
struct RandomProblem {
  std::vector<Matrix> A;
  std::vector<Vector> u;
  std::vector<ContactBody> bodies;
  ContactSolver solver;

  explicit RandomProblem(std::uint64_t seed, int contacts, int count = 4) {
    std::vector<Index> sizes{36, 6, 13, 40};
    sizes.resize(static_cast<std::size_t>(count));
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      const Index n = sizes[b];
      const Matrix B = random_vector(n * n, 1.0, seed + b).reshaped(n, n);
      A.emplace_back(B * B.transpose() / static_cast<double>(n) + 0.1 * Matrix::Identity(n, n));
      u.push_back(random_vector(n, 1.0, seed + 10 + b));
    }
    for (std::size_t b = 0; b < sizes.size(); ++b) bodies.push_back({&A[b], &u[b], &u[b], 0});
    solver.begin(bodies);
    for (int c = 0; c < contacts; ++c) {
      const int first = c % count, second = c % 3 == 0 || count == 1 ? -1 : (c + 1 + c % 2) % 4;
      const int contact = solver.add(first, second);
      for (int side = 0; side < (second < 0 ? 1 : 2); ++side) {
        auto rows = solver.rows(contact, side);
        rows =
            random_vector(3 * rows.cols(), 1.0,
                          seed + 100 + 2 * static_cast<std::uint64_t>(c) + static_cast<std::uint64_t>(side))
                .reshaped(3, rows.cols());
      }
      const double yield = solver.yield(contact);
      solver.cone(contact) = {.friction = 0.1 * (c % 8),
                              .normal = 0.03 * yield,
                              .tangent = 0.01 * yield,
                              .approach = 0.05 * (c % 3)};
    }
  }
};

TEST(ContactSolver, BalancesMomentumWithImpulsesThatObeyFriction) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomProblem problem(seed, 40);
    ContactSolver& solver = problem.solver;
    const ContactSolveReport report = solver.solve({.tolerance = 1e-10, .lift = never});
    ASSERT_TRUE(report.ok());
    EXPECT_GT(report.active, 5);
    std::vector<Vector> left;
    for (int b = 0; b < 4; ++b) {
      const auto i = static_cast<std::size_t>(b);
      left.emplace_back(problem.A[i] * (solver.velocity(b) - problem.u[i]));
    }
    for (int c = 0; c < solver.contact_count(); ++c) {
      Vector3 velocity = Vector3::Zero();
      const int first = c % 4, second = c % 3 == 0 ? -1 : (c + 1 + c % 2) % 4;
      for (int side = 0; side < (second < 0 ? 1 : 2); ++side) {
        const int body = side == 0 ? first : second;
        left[static_cast<std::size_t>(body)] -= solver.rows(c, side).transpose() * solver.impulse(c);
        velocity += solver.rows(c, side) * solver.velocity(body);
      }
      EXPECT_LT((velocity - solver.relative_velocity(c)).norm(), 1e-9);
      EXPECT_LT((respond(solver.cone(c), velocity).impulse - solver.impulse(c)).norm(), 1e-6);
    }
    for (const Vector& rest : left) EXPECT_LT(rest.norm(), 1e-8);
  }
}

TEST(ContactSolver, LeavesBodiesAloneThatNothingTouches) {
  RandomProblem problem(1, 0);
  ASSERT_TRUE(problem.solver.solve().ok());
  for (int b = 0; b < 4; ++b) EXPECT_EQ(problem.solver.velocity(b), problem.u[static_cast<std::size_t>(b)]);
}

TEST(ContactSolver, CarriesAStackWhateverTheMasses) {
  for (const double ratio : {1.0, 10.0, 1000.0}) {
    std::vector<Block> blocks;
    for (int i = 0; i < 5; ++i) blocks.emplace_back(i == 4 ? ratio : 1.0);
    ContactSolver solver;
    for (int step = 0; step < 300; ++step) {
      std::vector<ContactBody> bodies;
      for (Block& block : blocks) {
        block.free = block.u;
        block.free(2) -= 9.81 * h;
        bodies.push_back(block.contact_body());
      }
      solver.begin(bodies);
      for (int i = 0; i < 5; ++i) {
        const double below = i > 0 ? blocks[static_cast<std::size_t>(i) - 1].height : 0.0;
        lay(solver, i, i - 1, 0.1, 0.5, blocks[static_cast<std::size_t>(i)].height - below);
      }
      const ContactSolveReport report = solver.solve();
      ASSERT_TRUE(report.ok()) << ratio;
      ASSERT_LE(report.iterations, 8);
      for (int i = 0; i < 5; ++i) {
        Block& block = blocks[static_cast<std::size_t>(i)];
        block.u = solver.velocity(i);
        block.height += h * block.u(2);
      }
    }
    EXPECT_GT(blocks.back().height, -1e-3);
    EXPECT_LT(blocks.back().u.norm(), 1e-4);
    double carried = 0.0;
    for (int c = 0; c < 4; ++c) carried += solver.impulse(c).z() / h;
    EXPECT_NEAR(carried, 9.81 * (4.0 + ratio), 1e-4 * carried);
  }
}

TEST(ContactSolver, DoesNotLiftWhatSlides) {
  for (const double friction : {0.2, 0.5, 1.0}) {
    Block block;
    block.u.head<3>() = Vector3(10.0, 0.0, -1.0);
    block.A.bottomRightCorner<3, 3>() *= 1e9;  // it does not tip over
    block.free = block.u;
    const ContactBody body = block.contact_body();
    ContactSolver solver;
    solver.begin({&body, 1});
    lay(solver, 0, -1, block.half, friction, 0.0);
    ASSERT_TRUE(solver.solve().ok());
    const Vector u = solver.velocity(0);
    EXPECT_NEAR(u(2), 0.0, friction < 0.8 ? 0.01 : 0.1) << friction;
    EXPECT_NEAR(u(0), 10.0 - friction, friction < 0.8 ? 0.01 : 0.1) << friction;
    solver.begin({&body, 1});
    lay(solver, 0, -1, block.half, friction, 0.0);
    ASSERT_TRUE(solver.solve({.lift = never}).ok());
    EXPECT_GT(solver.velocity(0)(2), friction) << "as a convex problem has it";
  }
}

TEST(ContactSolver, ItsContactsAreAsHardAsTheyAreWhereItDoesNotConverge) {
  RandomProblem problem(2, 40, 1);
  ContactSolver& solver = problem.solver;
  for (const int iterations : {1, 2, 3}) {
    const ContactSolveReport report =
        solver.solve({.tolerance = 1e-300, .max_iterations = iterations, .lift = never});
    EXPECT_EQ(report.status, SolveStatus::not_converged);
    EXPECT_EQ(report.iterations, 4 * iterations);
    for (int c = 0; c < solver.contact_count(); ++c)
      EXPECT_LT((respond(solver.cone(c), solver.relative_velocity(c)).impulse - solver.impulse(c)).norm(),
                1e-12);
  }
}

TEST(ContactSolver, KeepsWhatIsSolvedWhereFrictionLeadsAstray) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomProblem problem(seed, 60, 4);
    const int enough = problem.solver.solve({.tolerance = 1e-9, .lift = never}).iterations;
    const ContactSolveReport report =
        problem.solver.solve({.tolerance = 1e-9, .max_iterations = enough, .lift = 1e-12});
    EXPECT_TRUE(report.ok()) << seed << ": " << report.residual;
    EXPECT_LE(report.residual, 1e-9);
  }
}

TEST(ContactSolver, DoesNotAskForMoreThanVelocitiesAreKnownTo) {
  // It leaves a little faster than the contact would have it, but for the last bits.
  for (const double less : {1e-10, 1e-12, 1e-14, 1e-15}) {
    Block block;
    block.u(2) = block.free(2) = 0.5;
    const ContactBody body = block.contact_body();
    ContactSolver solver;
    solver.begin({&body, 1});
    lay(solver, 0, -1, block.half, 0.3, 0.0);
    for (int c = 0; c < 4; ++c) solver.cone(c).approach = 0.5 + less;
    EXPECT_TRUE(solver.solve().ok()) << less;
    EXPECT_NEAR(solver.velocity(0)(2), 0.5, 1e-9);
  }
}

TEST(ContactSolver, GivesTheSameBitsEachTime) {
  RandomProblem one(3, 60), other(3, 60);
  ASSERT_TRUE(one.solver.solve().ok());
  ASSERT_TRUE(other.solver.solve().ok());
  for (int b = 0; b < 4; ++b) EXPECT_EQ(one.solver.velocity(b), other.solver.velocity(b));
}

TEST(ContactSolver, SaysWhereNumbersAreNotFinite) {
  RandomProblem problem(5, 10);
  problem.u[0](3) = std::nan("");
  EXPECT_EQ(problem.solver.solve().status, SolveStatus::not_finite);
}

}  // namespace
}  // namespace limber::contact_solver_test
