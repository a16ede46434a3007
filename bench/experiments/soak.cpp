// Bodies in rough hands: random pulls, materials, ranks, damping, gravity, wind and time steps from 1e-5 to
// 0.1 s, then let go. A body that nobody pushes must not gain energy, no step may fail, and few may need
// rescue (integrators/energy_guard.hpp). What nothing holds must keep its momentum.
//   soak STEPS SEED BODY...
// STEPS: of all bodies together.  BODY: a file of a reduced model or a tree of domains (.glb);
//   warped:FILE    moves a model by warped modes, with handles in place of pulls,
//   linear:FILE    likewise by its modes as they are,
//   shaken:FILE    likewise, on a support that moves,
//   touching:FILE  in a room with another of its kind and two rigid bodies,
//   full:LAW       a small beam of finite elements of this law, thrown:LAW one that nothing holds,
//   online:LAW     one by online model reduction.
// Prints a line per body. Exit status 1 where a goal is missed.

#include "bench/experiments/soak_subject.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/model_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace limber::bench {
namespace {

constexpr double shortest_step = 1e-5, longest_step = 0.1;  // s
constexpr Index pulled_steps = 200, free_steps = 1000;      // of an episode, on average

/// The larger one; what is no number counts as infinite, which std::max() would drop.
double worse(double a, double b) {
  return std::isfinite(b) ? std::max(a, b) : std::numeric_limits<double>::infinity();
}

struct Tally {
  Index steps = 0, episodes = 0, rescued = 0, failed = 0, grown = 0, infinite = 0;
  double worst = 0.0;  ///< largest gain of energy after letting go, as a share of what there was
  double drift = 0.0;  ///< likewise of momentum
  double seconds = 0.0;
};

/// A body that is pulled and let go again and again.
class Soak {
 public:
  Soak(Subject& subject, std::uint64_t seed) : subject_(subject), random_(seed) {}

  /// Roughly `steps` steps.
  Tally run(Index steps) {
    while (tally_.steps < steps) episode();
    return tally_;
  }

 private:
  void episode() {
    ++tally_.episodes;
    if (random_.uniform() < 0.3) subject_.reset();
    subject_.change(random_);
    const bool heavy = random_.uniform() < 0.3;
    subject_.set_gravity(heavy ? Vector3(log_uniform(random_, 0.1, 100.0) * random_direction(random_))
                               : Vector3(Vector3::Zero()));
    h_ = log_uniform(random_, shortest_step, longest_step);
    subject_.pull(random_, h_);
    const Timer timer;
    if (hold()) watch();
    tally_.seconds += timer.seconds();
    if (!subject_.is_finite()) {
      ++tally_.infinite;
      fmt::print("  not finite: h = {:.3g} s, episode {}\n", h_, tally_.episodes);
      subject_.reset();
    }
  }

  /// In hand. Returns whether all steps could be taken.
  bool hold() {
    const bool restless = random_.uniform() < 0.5;
    const Index count = some(pulled_steps);
    for (Index i = 0; i < count; ++i) {
      if (restless) subject_.move_hands(random_);
      if (!step()) return false;
    }
    subject_.let_go();
    return !subject_.ends_within_a_step() || step();
  }

  /// Let go: its energy and its momentum from here on.
  void watch() {
    const Energy start = subject_.energy();
    subject_.mark_momentum();
    Energy most = start;
    double rounding = subject_.energy_rounding();
    const Index count = some(free_steps);
    for (Index i = 0; i < count; ++i) {
      if (!step()) break;
      if (i % 10 != 0 && i + 1 < count) continue;  // the energy of a tree costs as much as a step
      const Energy now = subject_.energy();
      rounding = std::max(rounding, subject_.energy_rounding());
      if (std::isfinite(most.total()) && !(now.total() <= most.total())) most = now;
    }
    const double drift = subject_.drift();
    tally_.drift = worse(tally_.drift, drift);
    if (!(drift <= subject_.goals().drift))
      fmt::print("  drifted by {:.3g}: h = {:.3g} s, episode {}\n", drift, h_, tally_.episodes);
    const double allowed = start.total() + rounding + subject_.pushed_out();
    const double gain = (most.total() - allowed) / std::max(start.size(), 1e-300);
    tally_.worst = worse(tally_.worst, gain);
    if (gain <= subject_.goals().gain) return;
    ++tally_.grown;
    fmt::print("  grew by {:.3g} of {:.3g} J: h = {:.3g} s, episode {}\n", gain, start.size(), h_,
               tally_.episodes);
  }

  bool step() {
    const SolveReport report = subject_.step(h_);
    ++tally_.steps;
    tally_.rescued += report.rescued ? 1 : 0;
    if (report.ok()) return true;
    ++tally_.failed;
    fmt::print("  failed ({}): h = {:.3g} s, episode {}\n", name_of(report.status), h_, tally_.episodes);
    return false;
  }

  /// As many on average, times the length of the body's episodes.
  Index some(Index average) {
    return static_cast<Index>(
        random_.uniform(0.0, 2.0 * subject_.goals().episode * static_cast<double>(average)));
  }

  Subject& subject_;
  Random random_;
  double h_ = 0.0;  ///< s
  Tally tally_;
};

std::unique_ptr<Subject> make_subject(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string word = colon == std::string::npos ? "" : name.substr(0, colon),
                    rest = colon == std::string::npos ? name : name.substr(colon + 1);
  if (word == "full") return make_full_subject(rest, false);
  if (word == "thrown") return make_full_subject(rest, true);
  if (word == "online") return make_online_subject(rest);
  Model model = read_model(rest);
  if (word == "warped") return make_modal_subject(std::move(model), Method::warped);
  if (word == "linear") return make_modal_subject(std::move(model), Method::linear);
  if (word == "touching") return make_touching_subject(std::move(model));
  if (word == "shaken") return make_shaken_subject(std::move(model), Method::warped);
  if (word == "carried") return make_shaken_subject(std::move(model), Method::reduced);
  return make_body_subject(std::move(model));
}

/// Without folders and extension.
std::string label(const std::string& name) {
  const std::string stem = std::filesystem::path(name).stem().string();
  const std::size_t colon = name.find(':');
  return colon == std::string::npos || stem.starts_with(name.substr(0, colon))
             ? stem
             : fmt::format("{}:{}", name.substr(0, colon), stem);
}

/// Prints the line of a body. Returns whether its goals are met.
bool judge(const std::string& name, const Tally& tally, const Goals& goals) {
  const double rescued = static_cast<double>(tally.rescued) / static_cast<double>(tally.steps);
  fmt::print("{:<24} {:>10} {:>8} {:>10.2g} {:>8.1g} {:>8.3f}% {:>7} {:>10.2f}\n", label(name), tally.steps,
             tally.episodes, tally.worst, tally.drift, 100.0 * rescued, tally.failed,
             1e6 * tally.seconds / static_cast<double>(tally.steps));
  std::fflush(stdout);
  return tally.grown == 0 && tally.failed == 0 && tally.infinite == 0 && tally.drift <= goals.drift &&
         rescued <= goals.rescues;
}

int run(Index steps, std::uint64_t seed, const std::vector<std::string>& names) {
  std::vector<std::unique_ptr<Subject>> subjects;
  double shares = 0.0;
  for (const std::string& name : names) {
    subjects.push_back(make_subject(name));
    shares += subjects.back()->goals().share;
  }
  fmt::print("{:<24} {:>10} {:>8} {:>10} {:>8} {:>9} {:>7} {:>10}\n", "body", "steps", "let go", "worst gain",
             "drift", "rescued", "failed", "us/step");
  bool good = true;
  Index taken = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Goals goals = subjects[i]->goals();
    const Tally tally = Soak(*subjects[i], seed + i)
                            .run(static_cast<Index>(static_cast<double>(steps) * goals.share / shares));
    subjects[i].reset();
    good = judge(names[i], tally, goals) && good;
    taken += tally.steps;
  }
  fmt::print("{} steps: {}\n", taken, good ? "all goals are met" : "a goal is missed");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: soak STEPS SEED BODY...\n");
    return 2;
  }
  try {
    return limber::bench::run(std::atol(argv[1]), static_cast<std::uint64_t>(std::atol(argv[2])),
                              {argv + 3, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    return 2;
  }
}
