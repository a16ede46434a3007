// Bodies in rough hands: random pulls, materials, ranks, damping, gravity, wind and time steps from 1e-5 to
// 0.1 s, then let go. A body that nobody pushes must not gain energy, no step may fail, and few may need
// rescue (integrators/energy_guard.hpp). Trees that nothing holds must keep their momentum.
//   soak STEPS SEED FILE...
// STEPS: of all bodies together.  FILE: reduced models and trees of domains (.glb); warped:FILE moves a model
// by warped modes, with handles in place of pulls. Prints a line per body. Exit status 1 where a goal is
// missed.

#include "limber/base/file.hpp"
#include "limber/base/random.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/tree_file.hpp"
#include "limber/live/live_body.hpp"
#include "limber/multidomain/live_tree.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace limber::bench {
namespace {

constexpr double energy_tolerance = 1e-9;                          // of what there was when it was let go
constexpr double momentum_tolerance = 1e-12;                       // of what so much energy can have
constexpr double body_rescues = 0.01, tree_rescues = 0.02;         // shares of the steps
constexpr double shortest_step = 1e-5, longest_step = 0.1;         // s
constexpr Index pulled_steps = 200, free_steps = 1000;             // of an episode, on average
constexpr double most_stiffening = 100.0, strongest_pull = 100.0;  // factors

double log_uniform(Random& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

Vector3 direction(Random& random) {
  return Vector3(random.normal(), random.normal(), random.normal()).normalized();
}

/// Energy in parts, so that what it is compared with is known: they may cancel.
struct Energy {
  double kinetic = 0.0, elastic = 0.0, weight = 0.0;  ///< J

  [[nodiscard]] double total() const { return kinetic + elastic + weight; }
  [[nodiscard]] double size() const { return kinetic + std::abs(elastic) + std::abs(weight); }
};

/// What the soak does to a body, of whatever kind.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual void change(Random& random) = 0;  ///< its materials, rank, damping
  virtual void set_gravity(const Vector3& g) = 0;
  virtual void pull(Random& random) = 0;        ///< at new places
  virtual void move_hands(Random& random) = 0;  ///< of those that pull
  virtual void let_go() = 0;
  virtual void reset() = 0;
  virtual SolveReport step(double h) = 0;
  [[nodiscard]] virtual Energy energy() const = 0;
  virtual void mark_momentum() {}                             ///< which it should keep from now on
  [[nodiscard]] virtual double drift() const { return 0.0; }  ///< of the momentum since, as a share
  [[nodiscard]] virtual bool is_finite() = 0;
  [[nodiscard]] virtual double most_rescues() const = 0;
};

double extent(const Matrix3X& vertices) {
  return (vertices.rowwise().maxCoeff() - vertices.rowwise().minCoeff()).norm();
}

/// Pulls at a body or a tree.
template <class Live>
class Hands {
 public:
  void grab(Live& live, const SurfaceMesh& mesh, double size, Random& random) {
    pulls_.clear();
    const int count = 1 + static_cast<int>(random.uniform(0.0, 3.0));
    while (static_cast<int>(pulls_.size()) < count) {  // at least one, or nothing would be let go
      const int vertex = static_cast<int>(random.uniform() * static_cast<double>(mesh.vertex_count()));
      const double stiffness = live.stiffness_at(vertex);
      if (!std::isfinite(stiffness)) continue;  // it is held
      const Vector3 target =
          live.position(vertex) + log_uniform(random, 0.01, 1.0) * size * direction(random);
      pulls_.push_back({vertex, target, stiffness * log_uniform(random, 0.1, strongest_pull)});
    }
    reach_ = size;
    live.set_pulls(pulls_);
  }

  void move(Live& live, Random& random) {
    for (Pull& pull : pulls_) pull.target += 0.01 * reach_ * direction(random);
    live.set_pulls(pulls_);
  }

  void let_go(Live& live) {
    pulls_.clear();
    live.set_pulls(pulls_);
  }

 private:
  std::vector<Pull> pulls_;
  double reach_ = 0.0;
};

RayleighDamping random_damping(Random& random) {
  if (random.uniform() < 0.6) return {};
  return {random.uniform() < 0.5 ? log_uniform(random, 1e-2, 10.0) : 0.0,
          random.uniform() < 0.5 ? log_uniform(random, 1e-6, 1e-2) : 0.0};
}

class BodySubject : public Subject {
 public:
  explicit BodySubject(ReducedModel model)
      : body_(std::move(model)),
        size_(extent(body_.model().surface.mesh.vertices)),
        points_(3, body_.model().surface.mesh.vertex_count()) {}

  void change(Random& random) override {
    const std::vector<Material> original = body_.model().materials();
    const double factor = log_uniform(random, 1.0 / most_stiffening, most_stiffening);
    for (std::size_t i = 0; i < original.size(); ++i) {
      const MaterialLaw& law = original[i].law;
      const LameParameters lame = lame_of(law);
      body_.set_material(static_cast<Index>(i),
                         {make_law(name_of(law), {factor * lame.lambda, factor * lame.mu}, constants_of(law)),
                          original[i].density});
    }
    const Index most = body_.model().rank;
    const auto rank =
        random.uniform() < 0.5 ? most : 1 + static_cast<Index>(random.uniform() * static_cast<double>(most));
    body_.set_rank(rank);
    body_.set_damping(random_damping(random));
  }
  void set_gravity(const Vector3& g) override { body_.set_gravity(g); }
  void pull(Random& random) override { hands_.grab(body_, body_.model().surface.mesh, size_, random); }
  void move_hands(Random& random) override { hands_.move(body_, random); }
  void let_go() override { hands_.let_go(body_); }
  void reset() override { body_.reset(); }
  SolveReport step(double h) override { return body_.step(h); }
  [[nodiscard]] Energy energy() const override {
    const BodyEnergy energy = body_.energy();
    return {energy.kinetic, energy.elastic, body_.load_energy()};
  }
  [[nodiscard]] bool is_finite() override {
    body_.positions(points_);
    return points_.allFinite();
  }
  [[nodiscard]] double most_rescues() const override { return body_rescues; }

 protected:
  LiveBody body_;
  double size_;

 private:
  Hands<LiveBody> hands_;
  Eigen::Matrix3Xf points_;
};

/// Moves by warped modes: hands hold it by a handle.
class WarpedSubject : public BodySubject {
 public:
  explicit WarpedSubject(ReducedModel model) : BodySubject(std::move(model)) {
    body_.set_method(Method::warped);
  }

  void pull(Random& random) override {
    const auto count = static_cast<double>(body_.model().surface.mesh.vertex_count());
    Handle handle;
    do handle.vertex = static_cast<int>(random.uniform() * count);
    while (!std::isfinite(body_.stiffness_at(handle.vertex)));
    handle.position =
        body_.position(handle.vertex) + log_uniform(random, 0.01, 1.0) * size_ * direction(random);
    handles_ = {handle};
    body_.set_handles(handles_);
  }
  void move_hands(Random& random) override {
    for (Handle& handle : handles_) handle.position += 0.01 * size_ * direction(random);
    body_.set_handles(handles_);
  }
  void let_go() override {
    handles_.clear();
    body_.set_handles(handles_);
  }

 private:
  std::vector<Handle> handles_;
};

class TreeSubject : public Subject {
 public:
  explicit TreeSubject(DomainTree tree)
      : tree_(std::move(tree)),
        size_(extent(tree_.surface().mesh().vertices)),
        points_(3, tree_.surface().mesh().vertex_count()) {}

  void change(Random& random) override {
    for (Index i = 0; i < tree_.tree().domain_count(); ++i)
      tree_.dynamics().set_stiffness(i, log_uniform(random, 1.0 / most_stiffening, most_stiffening));
    const RayleighDamping damping = random_damping(random);
    slowed_ = damping.mass > 0.0;
    tree_.set_damping(damping);
  }
  /// Not of a free tree, whose energy would soon be that of its fall alone.
  void set_gravity(const Vector3& g) override {
    if (tree_.tree().free) return;
    gravity_ = g;
    tree_.set_gravity(g);
  }
  void pull(Random& random) override {
    hands_.grab(tree_, tree_.surface().mesh(), size_, random);
    if (random.uniform() > 0.3) return;
    tree_.dynamics().set_wind(
        {.velocity = log_uniform(random, 1.0, 50.0) * direction(random), .gusts = random.uniform()});
  }
  void move_hands(Random& random) override { hands_.move(tree_, random); }
  void let_go() override {
    tree_.dynamics().set_wind({});
    hands_.let_go(tree_);
  }
  void reset() override { tree_.reset(); }
  SolveReport step(double h) override { return tree_.step(h); }
  /// Of a free tree: but for its flight.
  [[nodiscard]] Energy energy() const override {
    const BodyEnergy energy = tree_.energy();
    const TreeMomentum whole = tree_.dynamics().momentum();
    const double flight = tree_.tree().free ? 0.5 * whole.linear.squaredNorm() / whole.mass : 0.0;
    return {energy.kinetic - flight, energy.elastic, -whole.mass * gravity_.dot(whole.center)};
  }
  void mark_momentum() override {
    marked_ = tree_.dynamics().momentum();
    const BodyEnergy energy = tree_.energy();
    most_momentum_ = std::sqrt(2.0 * marked_.mass * (energy.kinetic + energy.elastic));
  }
  [[nodiscard]] double drift() const override {
    if (!tree_.tree().free || slowed_ || !(most_momentum_ > 0.0)) return 0.0;
    const TreeMomentum now = tree_.dynamics().momentum();
    return std::max((now.linear - marked_.linear).norm(), (now.angular - marked_.angular).norm() / size_) /
           most_momentum_;
  }
  [[nodiscard]] bool is_finite() override {
    tree_.positions(points_);
    return points_.allFinite();
  }
  [[nodiscard]] double most_rescues() const override { return tree_rescues; }

 private:
  LiveTree tree_;
  Hands<LiveTree> hands_;
  double size_;
  Eigen::Matrix3Xf points_;
  Vector3 gravity_ = Vector3::Zero();
  bool slowed_ = false;  ///< damped against the world
  TreeMomentum marked_;
  double most_momentum_ = 0.0;  ///< kg m/s
};

struct Tally {
  Index steps = 0, episodes = 0, rescued = 0, failed = 0, grown = 0, infinite = 0;
  double worst = 0.0;  ///< largest gain of energy after letting go, as a share of what there was
  double drift = 0.0;  ///< likewise of momentum
  double seconds = 0.0;

  void count(const SolveReport& report) {
    ++steps;
    rescued += report.rescued ? 1 : 0;
    failed += report.ok() ? 0 : 1;
  }
};

/// Roughly `steps` steps.
Tally soak(Subject& subject, Index steps, Random& random) {
  Tally tally;
  while (tally.steps < steps) {
    if (random.uniform() < 0.3) subject.reset();
    subject.change(random);
    const bool heavy = random.uniform() < 0.3;
    subject.set_gravity(heavy ? Vector3(log_uniform(random, 0.1, 100.0) * direction(random))
                              : Vector3(Vector3::Zero()));
    const double h = log_uniform(random, shortest_step, longest_step);
    subject.pull(random);
    const Timer timer;
    const bool restless = random.uniform() < 0.5;
    const auto pulled = static_cast<Index>(random.uniform(0.0, 2.0 * static_cast<double>(pulled_steps)));
    for (Index i = 0; i < pulled; ++i) {
      if (restless) subject.move_hands(random);
      tally.count(subject.step(h));
    }
    subject.let_go();
    const Energy start = subject.energy();
    subject.mark_momentum();
    Energy most = start;
    const auto free = static_cast<Index>(random.uniform(0.0, 2.0 * static_cast<double>(free_steps)));
    for (Index i = 0; i < free; ++i) {
      tally.count(subject.step(h));
      if (i % 10 != 0 && i + 1 < free) continue;  // the energy of a tree costs as much as a step
      const Energy now = subject.energy();
      if (!(now.total() <= most.total())) most = now;
    }
    tally.seconds += timer.seconds();
    tally.drift = std::max(tally.drift, subject.drift());
    const double gain = (most.total() - start.total()) / std::max(start.size(), 1e-300);
    ++tally.episodes;
    tally.worst = std::isfinite(gain) ? std::max(tally.worst, gain) : std::numeric_limits<double>::infinity();
    if (!(gain <= energy_tolerance)) {
      ++tally.grown;
      fmt::print("  grew by {:.3g} of {:.3g} J: h = {:.3g} s, episode {}\n", gain, start.size(), h,
                 tally.episodes);
    }
    if (!subject.is_finite()) {
      ++tally.infinite;
      subject.reset();
    }
  }
  return tally;
}

constexpr std::string_view warped_word = "warped:";

std::unique_ptr<Subject> make_subject(std::string_view name) {
  const bool warped = name.starts_with(warped_word);
  const std::filesystem::path path = warped ? name.substr(warped_word.size()) : name;
  const std::string content = read_file(path);
  if (warped) return std::make_unique<WarpedSubject>(parse_model(content, path.string()));
  if (looks_like_tree(content)) return std::make_unique<TreeSubject>(parse_tree(content, path.string()));
  return std::make_unique<BodySubject>(parse_model(content, path.string()));
}

/// A file's name without folders and extension.
std::string label(std::string_view name) {
  const bool warped = name.starts_with(warped_word);
  const std::string stem = std::filesystem::path(name).stem().string();
  return warped && !stem.starts_with(warped_word) ? fmt::format("{}{}", warped_word, stem) : stem;
}

int run(Index steps, std::uint64_t seed, const std::vector<std::string>& names) {
  fmt::print("{:<24} {:>10} {:>8} {:>10} {:>8} {:>9} {:>7} {:>10}\n", "body", "steps", "let go", "worst gain",
             "drift", "rescued", "failed", "us/step");
  bool good = true;
  Index taken = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::unique_ptr<Subject> subject = make_subject(names[i]);
    Random random(seed + i);
    const Tally tally = soak(*subject, steps / static_cast<Index>(names.size()), random);
    const double rescued = static_cast<double>(tally.rescued) / static_cast<double>(tally.steps);
    fmt::print("{:<24} {:>10} {:>8} {:>10.2g} {:>8.1g} {:>8.3f}% {:>7} {:>10.2f}\n", label(names[i]),
               tally.steps, tally.episodes, tally.worst, tally.drift, 100.0 * rescued, tally.failed,
               1e6 * tally.seconds / static_cast<double>(tally.steps));
    std::fflush(stdout);
    taken += tally.steps;
    good = good && tally.grown == 0 && tally.failed == 0 && tally.infinite == 0 &&
           tally.drift <= momentum_tolerance && rescued <= subject->most_rescues();
  }
  fmt::print("{} steps: {}\n", taken, good ? "all goals are met" : "a goal is missed");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: soak STEPS SEED FILE...\n");
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
