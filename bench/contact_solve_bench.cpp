#include "bench/registry.hpp"
#include "limber/base/error.hpp"
#include "limber/body/body.hpp"
#include "limber/body/body_shell.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/mesh/farthest_points.hpp"
#include "limber/precompute/reduce.hpp"

#include <fmt/core.h>

#include <array>
#include <map>
#include <memory>
#include <numeric>

// What it costs to solve for the impulses on a block of rank 30 that flies, with contacts at its lower face:
// the problems that a simulation of the same block gave.

namespace limber::bench {
namespace {

constexpr double solve_step = 1e-3;  // s

/// As ContactStep has them, for the size of the block, 0.3 m.
constexpr ContactSolveOptions solve_options{.lift = 3e-5 * 0.3 / solve_step};

/// 0.2 m wide and long, 0.1 m high, 16 x 16 vertices at its lower face.
std::shared_ptr<const Model> block() {
  static const std::shared_ptr<const Model> made = [] {
    const VolumeMesh mesh =
        make_beam({ElementKind::tetrahedron, Vector3(0.2, 0.2, 0.1), Eigen::Vector3i(15, 15, 6)});
    const FullModel full(mesh, {{make_law("stvk", lame_from_young(1e6, 0.3)), 1000.0}}, {});
    ReduceOptions options;
    options.basis.modes = 15;
    options.basis.rank = 30;
    ReduceReport report;
    return std::make_shared<const Model>(make_model(reduce(full, {}, {}, options, report)));
  }();
  return made;
}

/// Points of its lower face, as many as are asked for, far from each other.
std::vector<Index> lower_points(const PointShell& shell, Index count) {
  double low = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < shell.size(); ++i) low = std::min(low, shell.rest(i).z());
  std::vector<Index> lower;
  for (Index i = 0; i < shell.size(); ++i)
    if (shell.rest(i).z() < low + 1e-6) lower.push_back(i);
  Matrix3X places(3, static_cast<Index>(lower.size()));
  for (Index i = 0; i < places.cols(); ++i) places.col(i) = shell.rest(lower[static_cast<std::size_t>(i)]);
  std::vector<Index> points;
  for (const int i : farthest_points(places, count).chosen)
    points.push_back(lower[static_cast<std::size_t>(i)]);
  require(static_cast<Index>(points.size()) == count, "the block has {} points at its lower face, not {}",
          points.size(), count);
  return points;
}

/// The block on the ground z = 0, which it meets with some of its points alone.
class BlockOnGround {
 public:
  BlockOnGround(Index contacts, const TreeState& state) : body_(block()), state_(state) {
    body_.set_coupled(true);
    body_.set_gravity({0.0, 0.0, -9.81});
    body_.set_damping({0.1, 1e-4});
    body_.set_state(state);
    auto shell = std::make_shared<BodyShell>(block());
    points_ = lower_points(shell->part(0), contacts);
    shell_ = std::make_unique<MovingShell>(shell);
  }

  /// The problem of the next step.
  void begin(ContactSolver& solver, CoupledStep& step) {
    require(body_.begin_coupled(solve_step, step).ok(), "the block does not step");
    shell_->follow(body_);
    const ContactBody one{&step.matrix, &step.free, &step.start, 6};
    solver.begin({&one, 1});
    places_.resize(3, shell_->shell().part(0).size());
    shell_->for_each_near(
        std::numeric_limits<double>::max(), [](const Vector3&) { return 0.0; },
        [&](Index, Index point, const Vector3& x) { places_.col(point) = x; });
    const Matrix3 axes = Matrix3::Identity();
    for (const Index point : points_) {
      const Vector3 x = places_.col(point);
      const int number = solver.add(0, -1);
      shell_->write_rows(0, point, {body_, nullptr, x, axes, 1.0, solver.rows(number, 0)});
      const double softness = 0.003 * solver.yield(number);  // as ContactStep has it
      solver.cone(number) = {.friction = 0.5, .normal = softness, .tangent = softness};
      solver.cone(number).approach =
          x.z() > 0.0 ? -x.z() / solve_step : std::min(-0.2 * x.z() / solve_step, 0.1);
    }
  }

  ContactSolveReport take(ContactSolver& solver, const CoupledStep& step) {
    const ContactSolveReport report = solver.solve(solve_options);
    require(report.ok(), "the contacts of the block are not solved");
    const Vector u = solver.velocity(0), impulse = solver.impulses_on(0);
    require(body_.end_coupled(step, u, impulse).ok(), "the block does not end its step");
    return report;
  }

 private:
  Body body_;
  TreeState state_;
  std::vector<Index> points_;
  std::unique_ptr<MovingShell> shell_;
  Matrix3X places_;
};

/// Lying there, or coming down on an edge at 4 m/s, aslant and turning.
TreeState block_state(bool impact) {
  TreeState state = Body(block()).state();
  const auto& vertices = block()->part(0).model.surface.mesh.vertices;
  const double low = vertices.row(2).minCoeff();
  state.root.position.z() -= low;
  if (!impact) return state;
  const double tilt = 0.01;
  state.root.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(tilt, Vector3::UnitY())) * state.root.rotation;
  state.root.position.z() += 0.2 * tilt;
  state.root.velocity = Vector3(2.0, 1.0, -3.0);
  state.root.angular_velocity = Vector3(1.0, 2.0, 3.0);
  return state;
}

/// Problems one after the other, each with the solver that holds it.
struct SolveProblems {
  struct One {
    ContactSolver solver;
    CoupledStep step;
  };
  std::vector<std::unique_ptr<One>> all;
  std::size_t next = 0;

  void solve() {
    require(all[next]->solver.solve(solve_options).ok(), "the contacts of the block are not solved");
    next = (next + 1) % all.size();
  }
};

/// At rest the last of many steps; else the first ten in which it strikes.
std::shared_ptr<SolveProblems> solve_problems(Index contacts, bool impact) {
  static std::map<std::pair<Index, bool>, std::shared_ptr<SolveProblems>> made;
  std::shared_ptr<SolveProblems>& problems = made[{contacts, impact}];
  if (problems) return problems;
  problems = std::make_shared<SolveProblems>();
  BlockOnGround scene(contacts, block_state(impact));
  for (int i = 0; i < (impact ? 50 : 1000) && problems->all.size() < 10; ++i) {
    auto one = std::make_unique<SolveProblems::One>();
    scene.begin(one->solver, one->step);
    const ContactSolveReport report = scene.take(one->solver, one->step);
    if (impact ? report.active > 0 : i == 999) problems->all.push_back(std::move(one));
  }
  return problems;
}

Case solve_case(Index contacts, bool impact, double goal) {
  return {fmt::format("contact/solve_{}/{}_contacts_r_30", impact ? "impact" : "rest", contacts),
          [contacts, impact] { return [problems = solve_problems(contacts, impact)] { problems->solve(); }; },
          fmt::format("the goal of {:.0f} us", goal),
          [goal](const Results&, double s) { return 1e6 * s / goal; }};
}

}  // namespace

std::vector<Case> contact_solve_cases(int /*threads*/) {
  return {solve_case(8, false, 15.0), solve_case(64, false, 30.0), solve_case(256, false, 80.0),
          solve_case(8, true, 37.0),  solve_case(64, true, 75.0),  solve_case(256, true, 200.0)};
}

}  // namespace limber::bench
