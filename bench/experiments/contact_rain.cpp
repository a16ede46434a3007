#include "bench/experiments/contact_rain.hpp"

#include "limber/base/random.hpp"
#include "limber/body/world.hpp"
#include "limber/io/model_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numbers>
#include <string>
#include <vector>

namespace limber::bench {
namespace {

constexpr double weight = 9.81;                                         // m/s^2
constexpr std::array step_lengths{5e-4, 1e-3, 2e-3, 5e-3, 1.0 / 60.0};  // s
constexpr double fastest = 10.0;                                        // m/s, of any body at first
constexpr double softest = 1e4, stiffest = 2e11;                        // Pa
constexpr double duration = 1.0;                                        // s, of a drop
/// Gain of energy that counts as an explosion, as a share of all that there was.
constexpr double most_gain = 0.01;
/// Depth of a vertex in the ground at the end that counts as a body that went through, as a share of its
/// size.
constexpr double most_depth = 0.05;

struct Kind {
  const char* file;
  double young;  ///< Pa, of its model
  Method method = Method::reduced;
};

/// Soft and stiff, thick and thin, of one domain and of many, by reduced forces and linear.
constexpr std::array kinds{Kind{"block", 1e6},
                           Kind{"plate", 1e6},
                           Kind{"stick", 1e6, Method::linear},
                           Kind{"spoon", 1e6},
                           Kind{"wire", 1e6},
                           Kind{"heart", 1e5},
                           Kind{"octopus", 5e5},
                           Kind{"octopus", 5e5, Method::linear},
                           Kind{"chain", 1e6},
                           Kind{"lily", 1e6}};

struct Shape {
  std::shared_ptr<const Model> model;
  double size = 0.0;    ///< m
  double radius = 0.0;  ///< m, around the centre of mass
};

struct Drop {
  double h = 0.0, gain = 0.0, deepest = 0.0, fastest = 0.0, seconds = 0.0;
  Index steps = 0, failed = 0, loose = 0, rescued = 0, halved = 0;
  bool below = false, outside = false, finite = true;

  [[nodiscard]] bool good() const {
    return finite && failed == 0 && !below && !outside && gain <= most_gain && deepest <= most_depth;
  }
};

double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Eigen::Matrix3Xf places(const Body& body) {
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  body.positions(x);
  return x;
}

Shape load(const std::filesystem::path& file) {
  Shape shape;
  shape.model = std::make_shared<const Model>(read_model(file));
  const Body body(shape.model);
  const Eigen::Matrix3Xf x = places(body);
  shape.size = (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm();
  shape.radius = (x.colwise() - body.momentum().center.cast<float>()).colwise().norm().maxCoeff();
  return shape;
}

Vector3 random_vector(Random& random, double largest) {
  const Vector3 direction(random.normal(), random.normal(), random.normal());
  return largest * random.uniform() * direction.normalized();
}

double all_energy(const World& world) {
  double sum = world.energy();
  for (Index b = 0; b < world.body_count(); ++b) sum += world.body(b).load_energy();
  return sum;
}

/// Bodies above each other in a pen of thin walls, in random order, somewhat wider than the widest of them.
class RandomDrop {
 public:
  RandomDrop(const std::vector<Shape>& shapes, std::vector<std::size_t> thrown, double h, std::uint64_t seed)
      : random_(seed) {
    for (const std::size_t i : thrown) width_ = std::max(width_, shapes[i].radius);
    build_pen();
    for (std::size_t i = thrown.size(); i > 1; --i)
      std::swap(thrown[i - 1], thrown[static_cast<std::size_t>(random_.uniform() * static_cast<double>(i))]);
    double height = 0.02;
    for (const std::size_t i : thrown) {
      height += shapes[i].radius;
      throw_in(shapes[i], kinds[i], height);
      height += 1.05 * shapes[i].radius;
    }
    drop_.h = h;
  }

  Drop run() {
    const double scale = energy_scale();
    // At the start nothing lags; later energies are those of the middle of the step, where what flies is
    // g h^2 / 8 lower than its parabola.
    const double first = all_energy(world_);
    double most = first;
    drop_.steps = static_cast<Index>(std::lround(duration / drop_.h));
    const double start = cpu_now();
    for (Index i = 0; i < drop_.steps; ++i) {
      const StepReport report = world_.step(drop_.h);
      drop_.failed += report.ok() ? 0 : 1;
      drop_.rescued += report.rescued ? 1 : 0;
      drop_.loose += world_.contact_report().converged ? 0 : 1;
      drop_.halved += world_.contact_report().steps > 1 ? 1 : 0;
      const double energy = all_energy(world_);
      drop_.finite = drop_.finite && std::isfinite(energy);
      most = std::max(most, energy);
    }
    drop_.seconds = cpu_now() - start;
    drop_.gain = (most - first) / scale;
    look();
    return drop_;
  }

 private:
  void build_pen() {
    constexpr double thickness = 0.01;
    world_.add_obstacle(
        {.name = "ground", .shape = HalfSpace{}, .material = {.friction = random_.uniform()}});
    for (int side = 0; side < 4; ++side) {
      const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.5 * std::numbers::pi * side, Vector3::UnitZ()));
      world_.add_obstacle({.name = fmt::format("wall {}", side),
                           .shape = Box{Vector3(0.5 * thickness, 2.0 * width_, 50.0 * width_)},
                           .pose = {turn * Vector3(half() + 0.5 * thickness, 0.0, 0.0), turn},
                           .material = {.friction = random_.uniform()}});
    }
  }

  void throw_in(const Shape& shape, const Kind& kind, double height) {
    Body body(shape.model);
    body.set_method(kind.method);
    body.set_gravity({0.0, 0.0, -weight});
    const double young = softest * std::pow(stiffest / softest, random_.uniform());
    for (Index d = 0; d < shape.model->domain_count(); ++d) body.set_stiffness(d, young / kind.young);
    if (random_.uniform() < 0.5) body.set_damping({0.0, 1e-4 * random_.uniform()});
    TreeState state = body.state();
    const Vector3 center = body.momentum().center;
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(random_.normal(), random_.normal(), random_.normal(), random_.normal())
            .normalized();
    const double aside = half() - 1.02 * shape.radius;
    const Vector3 middle(aside * (2.0 * random_.uniform() - 1.0), aside * (2.0 * random_.uniform() - 1.0),
                         height);
    state.root.rotation = turn * state.root.rotation;
    state.root.position = middle + turn * (state.root.position - center);
    body.set_state(state);
    const Vector3 spin = random_vector(random_, 0.5 * fastest / shape.radius);
    body.set_velocity(random_vector(random_, fastest), spin);
    const Index number = world_.add(std::move(body));
    world_.set_contact(number,
                       {.friction = random_.uniform(), .restitution = random_.uniform() < 0.3 ? 0.5 : 0.0});
  }

  [[nodiscard]] double half() const { return 1.1 * width_; }  ///< of the pen, m

  /// Of the start: all motion, and how far bodies may fall.
  double energy_scale() {
    double sum = world_.energy();
    for (Index b = 0; b < world_.body_count(); ++b) {
      const TreeMomentum momentum = world_.body(b).momentum();
      sum += momentum.mass * weight * momentum.center.z();
    }
    return sum;
  }

  /// Where all are at the end.
  void look() {
    for (Index b = 0; b < world_.body_count(); ++b) {
      const Body& body = world_.body(b);
      const TreeMomentum momentum = body.momentum();
      const Eigen::Matrix3Xf x = places(body);
      const double size = world_.shell(b).size();
      drop_.finite = drop_.finite && x.allFinite() && momentum.center.allFinite();
      drop_.below = drop_.below || momentum.center.z() < 0.0;
      drop_.outside = drop_.outside || momentum.center.head<2>().cwiseAbs().maxCoeff() > half();
      drop_.deepest = std::max(drop_.deepest, -static_cast<double>(x.row(2).minCoeff()) / size);
      drop_.fastest = std::max(drop_.fastest, momentum.linear.norm() / momentum.mass);
    }
  }

  Random random_;
  World world_;
  double width_ = 0.0;  ///< m, of the widest body: its radius
  Drop drop_;
};

}  // namespace

bool rain(const std::filesystem::path& folder, bool together, int first, int last) {
  std::vector<Shape> shapes;
  for (const Kind& kind : kinds) shapes.push_back(load(folder / (std::string(kind.file) + ".glb")));
  std::array<std::vector<Drop>, step_lengths.size()> found;
  bool good = true;
  for (int number = first; number < last; ++number) {
    const auto at = static_cast<std::size_t>(number);
    std::vector<std::size_t> thrown;
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (together || i == at % kinds.size()) thrown.push_back(i);
    const std::size_t k = (together ? at : at / kinds.size()) % step_lengths.size();
    const Drop drop =
        RandomDrop(shapes, thrown, step_lengths[k], 1000 + static_cast<std::uint64_t>(number)).run();
    found[k].push_back(drop);
    fmt::print(stderr, "drop {} of {}: {:.1f} s\n", number, last, drop.seconds);
    if (drop.good()) continue;
    good = false;
    fmt::print(
        "drop {} ({}, {:.3g} ms): {}{}{}{} steps failed, gain {:.1e}, {:.2f} % deep, {:.3g} m/s at the end\n",
        number, together ? "all" : kinds[thrown.front()].file, 1e3 * drop.h,
        drop.finite ? "" : "not finite, ", drop.below ? "below the ground, " : "",
        drop.outside ? "outside, " : "", drop.failed, drop.gain, 100.0 * drop.deepest, drop.fastest);
    std::fflush(stdout);
  }
  std::puts(
      "| h, ms | drops | failed | largest gain of energy | deepest at the end, % of the size | "
      "fastest at the end, m/s | steps | not converged | in parts | rescued | ms per step |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k].empty()) continue;
    Drop sum;
    Index bad = 0;
    for (const Drop& drop : found[k]) {
      bad += drop.good() ? 0 : 1;
      sum.gain = std::max(sum.gain, drop.gain);
      sum.deepest = std::max(sum.deepest, drop.deepest);
      sum.fastest = std::max(sum.fastest, drop.fastest);
      sum.steps += drop.steps;
      sum.loose += drop.loose;
      sum.halved += drop.halved;
      sum.rescued += drop.rescued;
      sum.seconds += drop.seconds;
    }
    fmt::print("| {:.3g} | {} | {} | {:.1e} | {:.2f} | {:.1f} | {} | {} | {} | {} | {:.2f} |\n",
               1e3 * step_lengths[k], found[k].size(), bad, sum.gain, 100.0 * sum.deepest, sum.fastest,
               sum.steps, sum.loose, sum.halved, sum.rescued,
               1e3 * sum.seconds / static_cast<double>(sum.steps));
  }
  return good;
}

}  // namespace limber::bench
