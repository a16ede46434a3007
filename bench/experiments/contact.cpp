// Bodies that fall onto ground, stairs, a bridge and each other: depth, energy, and what a step costs.
//   contact FOLDER [NAME...]
// FOLDER: with the models that contact.sh made.  NAME: drop, stairs, bridge, multibody, rain, storm, pile,
// hertz, full or small (seconds); all but small by default. rain:FIRST:LAST: some of the 200 drops;
// storm:FIRST:LAST likewise, of ten bodies at once. Prints the tables of docs/contact.md. Exit status 1
// where a drop fails.

#include "bench/experiments/contact_full.hpp"
#include "bench/experiments/contact_rain.hpp"
#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/base/text.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/body/world.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/scene/scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace limber::bench {
namespace {

const Vector3 gravity(0.0, 0.0, -9.81);
std::filesystem::path folder;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::shared_ptr<const Model> load(const std::string& name) {
  return std::make_shared<const Model>(read_model(folder / (name + ".glb")));
}

struct Extent {
  Vector3 low, high;
  explicit Extent(const Body& body) {
    Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
    body.positions(x);
    low = x.rowwise().minCoeff().cast<double>();
    high = x.rowwise().maxCoeff().cast<double>();
  }
  [[nodiscard]] double size() const { return (high - low).norm(); }
};

Body placed(const std::shared_ptr<const Model>& model, const Vector3& middle,
            const Eigen::Quaterniond& turned = Eigen::Quaterniond::Identity()) {
  Body body(model);
  body.set_gravity(gravity);
  body.set_damping({0.1, 1e-4});
  TreeState state = body.state();
  const Vector3 center = body.momentum().center;
  state.root.rotation = turned * state.root.rotation;
  state.root.position = middle + turned * (state.root.position - center);
  body.set_state(state);
  return body;
}

/// Largest depth of any vertex that is drawn below the ground z = 0, m.
double depth(const Body& body) { return std::max(0.0, -Extent(body).low.z()); }

struct Outcome {
  double seconds = 0.0, growth = 0.0;
  double deepest = 0.0;  ///< m, below the ground
  double inside = 0.0;   ///< m, that any touched another at the start of a step
  int iterations = 0, rescued = 0, failed = 0, most_contacts = 0;
};

/// Runs a world for a time.  ground: whether depths below z = 0 are looked at, each so many steps.
Outcome run(World& world, double h, double time, int look_each) {
  Outcome outcome;
  double before = 0.0;
  const int steps = static_cast<int>(std::lround(time / h));
  for (int i = 0; i < steps; ++i) {
    const double start = cpu_seconds();
    const StepReport report = world.step(h);
    outcome.seconds += cpu_seconds() - start;
    const ContactReport& contact = world.contact_report();
    outcome.failed += report.ok() && contact.converged ? 0 : 1;
    outcome.rescued += report.rescued ? 1 : 0;
    outcome.iterations = std::max(outcome.iterations, contact.iterations);
    outcome.most_contacts = std::max(outcome.most_contacts, contact.active);
    outcome.inside = std::max(outcome.inside, contact.deepest);
    double energy = world.energy();
    for (Index b = 0; b < world.body_count(); ++b) energy += world.body(b).load_energy();
    if (i > 0) outcome.growth = std::max(outcome.growth, energy - before);
    before = energy;
    if (look_each > 0 && i % look_each == 0)
      for (Index b = 0; b < world.body_count(); ++b)
        outcome.deepest = std::max(outcome.deepest, depth(world.body(b)));
  }
  outcome.seconds /= steps;
  return outcome;
}

void drop(const std::vector<std::string>& names) {
  std::puts(
      "| body | h, ms | depth, % of the size | energy growth in a step | rescued | iterations | contacts | "
      "us per step |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const std::string& name : names) {
    const auto model = load(name);
    const Extent rest{Body(model)};
    const double height = rest.high.z() - rest.low.z();
    for (const double h : {1e-3, 5e-3, 1.0 / 60.0}) {
      World world;
      world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
      Body body = placed(model, Body(model).momentum().center + Vector3(0.0, 0.0, height - rest.low.z()));
      const double whole = body.momentum().mass * 9.81 * height;
      world.set_contact(world.add(std::move(body)), {});
      const Outcome found = run(world, h, 3.0, 1);
      fmt::print("| {} | {:.3g} | {:.2f} | {:.1e} | {} | {} | {} | {:.0f} |\n", name, 1e3 * h,
                 100.0 * found.deepest / rest.size(), std::max(0.0, found.growth) / whole, found.rescued,
                 found.iterations, found.most_contacts, 1e6 * found.seconds);
      std::fflush(stdout);
    }
  }
}

Eigen::Quaterniond random_turn(Random& random) {
  return Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
}

void stairs(const std::vector<std::string>& names, double time) {
  std::puts(
      "| 15 bodies on stairs | us per step | steps per second | contacts | iterations | not converged | "
      "rescued |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- |");
  for (const std::string& name : names) {
    const auto model = load(name);
    const double size = Extent(Body(model)).size();
    World world;
    for (int i = 0; i < 12; ++i)
      world.add_obstacle({.name = fmt::format("step {}", i),
                          .shape = Box{Vector3(0.25, 2.0, 0.25) * size},
                          .pose = {Vector3(0.5 * i, 0.0, -0.25 - 0.3 * i) * size}});
    world.add_obstacle({.name = "ground", .shape = HalfSpace{}, .pose = {Vector3(0.0, 0.0, -4.0 * size)}});
    Random random(1);
    for (int i = 0; i < 15; ++i)
      world.set_contact(
          world.add(placed(model, size * Vector3(0.4 * (i % 3), 0.9 * (i % 5) - 1.8, 0.8 + 1.0 * (i / 5)),
                           random_turn(random))),
          {});
    const Outcome found = run(world, 1e-3, time, 0);
    fmt::print("| {} | {:.0f} | {:.0f} | {} | {} | {} | {} |\n", name, 1e6 * found.seconds,
               1.0 / found.seconds, found.most_contacts, found.iterations, found.failed, found.rescued);
    std::fflush(stdout);
  }
}

/// The bridge in a mesh so fine that its boundary, which is drawn then, has about as many triangles as the
/// bridge of paper 000: 59,630. Made once.
std::shared_ptr<const Model> fine_bridge() {
  const std::string name = "fine_bridge";
  const std::filesystem::path file = folder / (name + ".glb");
  if (!std::filesystem::exists(file)) {
    const BuiltinBody body = make_builtin("builtin:bridge?cells=130");
    const FullModel full(body.mesh, body.materials, body.fixed);
    ReduceOptions options;
    options.basis.rank = 15;
    options.basis.check = false;
    ReduceReport report;
    write_model(file, make_model(reduce(full, boundary_surface(body.mesh), {}, options, report), false));
  }
  return load(name);
}

/// A rigid ball on a bridge, as in paper 000: held at its ends, r = 15.
void roll_on(const std::shared_ptr<const Model>& model) {
  World world;
  Body body(model);
  body.set_damping({0.5, 1e-3});
  const Extent rest(body);
  const Vector3 middle = 0.5 * (rest.low + rest.high);
  const double radius = 0.03 * rest.size();
  world.set_contact(world.add(std::move(body)), {});
  RigidBody ball({.name = "ball",
                  .shape = Sphere{radius},
                  .density = 500.0,
                  .pose = {Vector3(middle.x(), middle.y(), rest.high.z() + 2.0 * radius)},
                  .gravity = gravity});
  world.add_rigid(ball);
  const Outcome found = run(world, 1e-3, 3.0, 0);
  const ReducedModel& reduced = model->part(0).model;
  fmt::print("| {} | {} | {} | {:.1f} | {:.0f} | {} |\n", reduced.surface.mesh.triangles.cols(),
             reduced.simulation->mesh.element_count(), model->rank(0), 1e6 * found.seconds,
             1.0 / found.seconds, found.most_contacts);
  std::fflush(stdout);
}

void bridge() {
  std::puts("| ball on the bridge: triangles | tetrahedra | r | us per step | steps per second | contacts |");
  std::puts("| --- | --- | --- | --- | --- | --- |");
  roll_on(load("bridge"));
  roll_on(fine_bridge());
}

/// The example scene after paper 000's figure of many bodies that bend by much.
void multibody() {
  const Scene scene = read_scene("examples/scenes/multibody.json");
  SceneState state = make_state(scene);
  World& world = state.world;
  double size = 0.0;
  for (Index b = 0; b < world.body_count(); ++b) size = std::max(size, world.shell(b).size());
  const double h = scene.solver.timestep;
  const Outcome found = run(world, h, h * scene.solver.steps, 1);
  std::puts(
      "| bodies that bend | r | h, ms | us per step | below the ground, % of the size | inside of each other "
      "| iterations | contacts | not converged | rescued |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  fmt::print("| {} | {} | {:.3g} | {:.0f} | {:.2f} | {:.2f} | {} | {} | {} | {} |\n", world.body_count(),
             world.body(0).model().rank(0), 1e3 * h, 1e6 * found.seconds, 100.0 * found.deepest / size,
             100.0 * found.inside / size, found.iterations, found.most_contacts, found.failed, found.rescued);
}

void pile(const std::string& name, int count, double time) {
  const auto model = load(name);
  const double size = Extent(Body(model)).size();
  World world;
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}});
  Random random(3);
  for (int i = 0; i < count; ++i)
    world.set_contact(
        world.add(placed(model, size * Vector3(0.7 * (i % 4), 0.7 * ((i / 4) % 4), 0.7 + 0.75 * (i / 16)),
                         random_turn(random))),
        {});
  const Outcome found = run(world, 2e-3, time, 0);
  double deepest = 0.0;
  for (Index b = 0; b < count; ++b) deepest = std::max(deepest, depth(world.body(b)));
  fmt::print(
      "a pile of {} {}s: {:.1f} ms per step of 2 ms, {} contacts at most, {} iterations at most, {} steps "
      "not converged, {} rescued, {:.2f} % of the size below the ground at the end\n",
      count, name, 1e3 * found.seconds, found.most_contacts, found.iterations, found.failed, found.rescued,
      100.0 * deepest / size);
}

/// By a name as rain or storm:0:10.
bool rain_named(const std::string& name) {
  const auto words = split(name, ':');
  const bool together = words.front() == "storm";
  if (words.size() == 1) return rain(folder, together, 0, together ? 20 : 200);
  const auto first = words.size() == 3 ? parse_integer(words[1]) : std::nullopt,
             last = words.size() == 3 ? parse_integer(words[2]) : std::nullopt;
  require(first && last && *first >= 0 && *first < *last, "'{}' are no drops, expected {}:FIRST:LAST", name,
          words.front());
  return rain(folder, together, *first, *last);
}

/// Returns whether nothing failed.
bool run_named(const std::string& name) {
  if (name.starts_with("rain") || name.starts_with("storm")) return rain_named(name);
  if (name == "drop")
    drop({"block", "octopus", "dragon"});
  else if (name == "stairs")
    stairs({"octopus", "dragon"}, 2.0);
  else if (name == "bridge")
    bridge();
  else if (name == "multibody")
    multibody();
  else if (name == "pile")
    pile("block", 100, 3.0);
  else if (name == "hertz")
    hertz();
  else if (name == "full")
    compare_with_full();
  else {
    require(name == "small",
            "no scene '{}'; there are drop, stairs, bridge, multibody, rain, storm, pile, hertz, full and "
            "small",
            name);
    drop({"block"});
    pile("block", 8, 1.0);
  }
  return true;
}

}  // namespace
}  // namespace limber::bench

int main(int count, char** arguments) {
  try {
    limber::require(count >= 2, "usage: contact FOLDER [NAME...]");
    limber::bench::folder = arguments[1];
    std::vector<std::string> names(arguments + 2, arguments + count);
    if (names.empty())
      names = {"drop", "stairs", "bridge", "multibody", "rain", "storm", "pile", "hertz", "full"};
    bool good = true;
    for (const std::string& name : names) good = limber::bench::run_named(name) && good;
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "contact: {}\n", error.what());
    return 2;
  }
}
