// A ball in a person's hand on a bridge, at 1 kHz in a thread of its own beside the one that draws.
//   feel_a_bridge [SECONDS [BUDGET]]     BUDGET: of a step, in microseconds; 1000 if it is left out
// Prints how long steps took, which of them were too long, and what was done about that. Where there is a
// haptic device, Hand::read() asks it, and `felt` goes to it; here the hand follows a path.

#include <limber/base/detail_pace.hpp>
#include <limber/base/timer.hpp>
#include <limber/base/triple_buffer.hpp>
#include <limber/bodies/builtin.hpp>
#include <limber/body/world.hpp>
#include <limber/precompute/reduce.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using namespace limber;

constexpr double period = 1e-3;  // s
constexpr double pi = 3.14159265358979;

/// What the hand does every four seconds: it comes from above, presses, strokes the bridge and lets go.
struct Hand {
  Vector3 above = Vector3::Zero();  // where the ball just touches
  double depth = 0.0, stroke = 0.0;

  [[nodiscard]] RigidGrip read(double time) const {
    constexpr double speed = 0.5 * pi;  // rad/s
    const double phase = speed * time;
    RigidGrip grip;
    grip.pose.position =
        above + Vector3(stroke * std::sin(0.5 * phase), 0.0, depth * (std::cos(phase) - 0.7));
    grip.velocity = speed * Vector3(0.5 * stroke * std::cos(0.5 * phase), 0.0, -depth * std::sin(phase));
    grip.pose.rotation = Eigen::AngleAxisd(0.3 * std::sin(phase), Vector3::UnitZ());
    return grip;
  }
};

/// What is drawn: coordinates and places, not vertices, so that the fast thread has hardly any work with it.
struct Frame {
  Vector q;
  Pose ball;
  RigidLoad felt;
  double time = 0.0;
};

/// Less and less detail: fewer points where the bridge can be touched, and fewer coordinates.
void take_detail(World& world, int level, Index rank) {
  constexpr Index points[] = {2000, 1000, 500, 250, 120};
  constexpr double shares[] = {1.0, 0.7, 0.55, 0.4, 0.27};
  world.set_contact_points(0, points[level]);
  world.body(0).set_rank(std::max<Index>(1, std::lround(shares[level] * static_cast<double>(rank))));
}

double share_of(std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 10.0;
  const double budget = count > 2 ? 1e-6 * std::atof(arguments[2]) : period;
  if (!(seconds >= period) || !(budget > 0.0)) {
    std::printf(
        "usage: feel_a_bridge [SECONDS [BUDGET]], of at least 0.001 s; BUDGET positive, in microseconds\n");
    return 2;
  }

  // 1. Before the program runs: a bridge, held at its ends, reduced to 15 coordinates.
  const BuiltinBody bridge = make_builtin("builtin:bridge");
  const FullModel full(bridge.mesh, bridge.materials, bridge.fixed);
  ReduceReport report;
  ReduceOptions options;
  options.basis.modes = 10;
  options.basis.rank = 15;
  const auto model = std::make_shared<const Model>(
      make_model(reduce(full, bridge.render, bridge.part_colors, options, report)));

  // 2. The world: the bridge, and a ball that stands for the hand.
  World world;
  Body body(model);
  body.set_damping({.mass = 0.5, .stiffness = 1e-3});
  Body drawn = body;  // of the thread that draws: it shares the model
  Eigen::Matrix3Xf positions(3, body.surface().mesh().vertex_count());
  body.positions(positions);
  const Vector3 low = positions.rowwise().minCoeff().cast<double>();
  const Vector3 high = positions.rowwise().maxCoeff().cast<double>();
  const double size = (high - low).norm(), radius = 0.03 * size;
  const Vector3 middle = 0.5 * (low + high);
  const auto below = body.pick({middle.x(), middle.y(), high.z() + size}, -Vector3::UnitZ());
  if (!below) return 1;
  const double resistance = body.stiffness_at(below->vertex);  // N/m
  const Hand hand{body.position(below->vertex) + Vector3(0.0, 0.0, radius), 0.015 * size, 0.03 * size};
  world.set_contact(world.add(std::move(body)), {.friction = 0.3});

  // 3. The virtual coupling: half as stiff as the bridge, and damped so that the ball does not swing on it.
  //    The ball is as light as follows the hand within a few steps: what is felt are the bridge's forces.
  const double stiffness = 0.5 * resistance, mass = stiffness * std::pow(4.0 * period, 2);
  RigidBodySetup ball;
  ball.name = "ball";
  ball.shape = Sphere{radius};
  ball.density = mass / (4.0 / 3.0 * pi * std::pow(radius, 3));
  ball.pose = hand.read(0.0).pose;
  world.add_rigid(RigidBody(ball));
  const auto grip_of = [&](double time) {
    RigidGrip grip = hand.read(time);
    grip.stiffness = stiffness;
    grip.damping = std::sqrt(stiffness * mass);
    grip.turning_stiffness = 0.1 * grip.stiffness * radius * radius;
    grip.turning_damping = 0.1 * grip.damping * radius * radius;
    return grip;
  };

  // 4. The loop: it never waits for the one that draws, and does not run after steps that it has missed.
  const int steps = static_cast<int>(seconds / period);
  const Index rank = model->rank(0);
  DetailPace pace({.budget = budget, .levels = 5});
  TripleBuffer<Frame> frames({Vector::Zero(rank), {}, {}, 0.0});
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(steps));
  const double reached = 1.7 * hand.depth * stiffness;  // N, about: what the hand would feel of a wall
  const double scale = 3.0 / reached;  // of forces to the device: a bridge is stronger than a person
  double most = 0.0, roughest = 0.0;
  int failed = 0, late = 0, deepest_level = 0;
  std::atomic<bool> done = false;
  std::thread loop([&] {
    using Clock = std::chrono::steady_clock;
    const auto tick = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(period));
    Vector3 felt_before = Vector3::Zero();
    auto next = Clock::now();
    for (int i = 0; i < steps; ++i) {
      std::this_thread::sleep_until(next += tick);
      if (const auto now = Clock::now(); now > next + tick) {  // the system had something else to do
        next = now;
        ++late;
      }
      const Timer timer;
      world.rigid(0).set_grip(grip_of(period * (i + 1)));
      failed += world.step(period).ok() ? 0 : 1;  // all are as they were: the hand feels what it felt
      const RigidLoad& pulled = world.rigid(0).grip_load();
      Frame& frame = frames.writing();
      frame.q.head(world.body(0).q().size()) = world.body(0).q();
      frame.q.tail(rank - world.body(0).q().size()).setZero();
      frame.ball = world.rigid(0).pose();
      frame.felt = {-scale * pulled.force, -scale * pulled.torque};  // to the device
      frame.time = world.time();
      const Vector3 felt = frame.felt.force;
      frames.publish();
      most = std::max(most, felt.norm());
      roughest = std::max(roughest, (felt - felt_before).norm());
      felt_before = felt;
      const double taken = timer.seconds();
      times.push_back(taken);
      if (pace.add_step(taken)) take_detail(world, pace.level(), rank);
      deepest_level = std::max(deepest_level, pace.level());
    }
    done = true;
  });

  // 5. Beside it, sixty times a second: the newest frame, as positions for the graphics card.
  int pictures = 0;
  while (!done) {
    std::this_thread::sleep_for(std::chrono::milliseconds(16));
    if (!frames.refresh()) continue;
    drawn.set_state(frames.reading().q, Vector::Zero(rank));
    drawn.positions(positions);
    ++pictures;
  }
  loop.join();

  std::sort(times.begin(), times.end());
  std::printf("%d steps of 1 ms: p50 %.0f us, p99.9 %.0f us, worst %.0f us; %d pictures\n", steps,
              1e6 * share_of(times, 0.5), 1e6 * share_of(times, 0.999), 1e6 * times.back(), pictures);
  std::printf("the hand felt up to %.1f N, changing by %.2f N in a step at most\n", most, roughest);
  std::printf(
      "%d overruns of %.0f us: detail was taken away %d times, down to level %d, and came back %d times; "
      "now level %d of 4\n",
      pace.overruns(), 1e6 * budget, pace.lowered(), deepest_level, pace.raised(), pace.level());
  std::printf("%d steps began late, %d failed\n", late, failed);
  return failed == 0 && std::isfinite(most) && std::isfinite(roughest) ? 0 : 1;
}
