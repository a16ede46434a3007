#include "bench/experiments/soak_subject.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/online/online_dynamics.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace limber::bench {
namespace {

constexpr double young = 1e5, poisson = 0.3, density = 1000.0;  // Pa, 1, kg/m^3
constexpr double length = 1.0, width = 0.2;                     // m
constexpr Index usual_steps = 120;                              // of an episode

VolumeMesh small_beam() {
  return make_beam({ElementKind::tetrahedron, Vector3(length, width, width), Eigen::Vector3i(6, 1, 1)});
}

std::vector<int> left_end(const VolumeMesh& mesh) {
  std::vector<int> chosen;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 1e-9) chosen.push_back(v);
  }
  return chosen;
}

/// A load that changes at an instant.
struct Push {
  Vector weight, before, after;  ///< N
  double change = 0.0;           ///< s, when it changes

  /// The mean from t0 to t1.
  void operator()(double t0, double t1, Vector& f) const {
    const double share = t1 > t0 ? std::clamp((change - t0) / (t1 - t0), 0.0, 1.0) : 0.0;
    f = weight + share * before + (1.0 - share) * after;
  }
};

/// A beam of finite elements: held at its left end and pushed at some vertices, or thrown.
class FullSubject : public Subject {
 public:
  FullSubject(std::string_view law, bool thrown) : law_(law), thrown_(thrown) {}

  /// A single episode of a body that is thrown far too hard is rescued in each step: so many episodes as tell
  /// what their share is.
  [[nodiscard]] Goals goals() const override { return {.share = 0.3, .episode = 0.1}; }
  void change(Random& random) override {
    stiffening_ = log_uniform(random, 1.0 / most_stiffening, most_stiffening);
    VolumeMesh mesh = small_beam();
    const std::vector<int> held = thrown_ ? std::vector<int>{} : left_end(mesh);
    full_.reset();
    model_.emplace(
        std::move(mesh),
        std::vector{Material{make_law(law_, lame_from_young(stiffening_ * young, poisson)), density}}, held,
        FullModelOptions{MassKind::consistent, Executor(1)});
    options_ = {.newmark = random.uniform() < 0.5 ? NewmarkOptions{} : real_time_newmark(),
                .damping = random_damping(random)};
  }
  /// Not of one that is thrown, whose energy would soon be that of its fall alone.
  void set_gravity(const Vector3& g) override { gravity_ = thrown_ ? Vector3(Vector3::Zero()) : g; }
  void pull(Random& random, double h) override {
    h_ = h;
    const Vector zero = Vector::Zero(model_->dof_count());
    push_ = {model_->gravity_force(gravity_), zero, thrown_ ? zero : some_forces(random)};
    start(zero, thrown_ ? some_velocities(random) : zero);
  }
  void move_hands(Random& random) override {
    if (thrown_) return;
    Vector next = push_.after;
    const double strength = next.norm();
    for (double& value : next) value += value != 0.0 ? 0.1 * strength * random.normal() : 0.0;
    change_to(std::move(next));
  }
  void let_go() override {
    if (!thrown_) return change_to(Vector::Zero(model_->dof_count()));
    // No load ends now. Thrown once more from where it is, it may not give back what it lost before.
    DynamicState now = state();
    start(std::move(now.u), std::move(now.v));
  }
  [[nodiscard]] bool ends_within_a_step() const override { return !thrown_; }
  void reset() override {}  // each episode starts at rest
  SolveReport step(double h) override { return full_->step(h); }
  /// Of a beam that flies: but for the motion of its center.
  [[nodiscard]] Energy energy() const override {
    const DynamicState now = state();
    const Vector momenta = model_->mass() * now.v;
    const double flight = thrown_ ? 0.5 * linear_momentum(momenta).squaredNorm() / mass() : 0.0;
    return {0.5 * now.v.dot(momenta) - flight, model_->energy(now.u), -push_.weight.dot(now.u)};
  }
  /// Far from where it began it has fewer digits left for its strain.
  [[nodiscard]] double energy_rounding() const override {
    return std::max(1.0, state().u.lpNorm<Eigen::Infinity>() / length) * model_->energy_rounding();
  }
  void mark_momentum() override {
    if (!thrown_) return;
    marked_ = momentum();
    const DynamicState now = state();
    most_momentum_ =
        std::sqrt(2.0 * mass() * (0.5 * now.v.dot(model_->mass() * now.v) + model_->energy(now.u)));
  }
  [[nodiscard]] double drift() const override {
    if (!thrown_ || options_.damping.mass > 0.0 || most_momentum_ == 0.0) return 0.0;
    return (momentum() - marked_).norm() / most_momentum_;
  }
  [[nodiscard]] bool is_finite() override { return state().u.allFinite() && state().v.allFinite(); }

 protected:
  virtual void start(Vector u, Vector v) {
    full_.emplace(*model_, std::ref(push_), std::move(u), std::move(v), options_);
  }
  [[nodiscard]] virtual DynamicState state() const { return full_->state(); }

  std::optional<FullModel> model_;
  DynamicsOptions options_;
  Push push_;
  double h_ = 0.0;  ///< s

 private:
  /// The last step ended with the mean load about its end: the next one is another from half a step on.
  void change_to(Vector next) {
    push_.before = std::exchange(push_.after, std::move(next));
    push_.change = state().time + 0.5 * h_;
  }
  /// At up to three vertices, of which one alone at the tip would bend the beam by up to its length.
  [[nodiscard]] Vector some_forces(Random& random) const {
    const double strongest =
        stiffening_ * young * std::pow(width, 4) / (4.0 * length * length);  // 3 E I / l^3 times l
    Vector forces = Vector::Zero(model_->dof_count());
    const int count = 1 + static_cast<int>(random.uniform(0.0, 3.0));
    for (int i = 0; i < count; ++i) {
      const auto vertex = static_cast<Index>(random.uniform() * static_cast<double>(forces.size() / 3));
      forces.segment<3>(3 * vertex) += log_uniform(random, 0.01, 1.0) * strongest * random_direction(random);
    }
    return forces;
  }
  /// It moves on, by no more than a hundredth of its length a step, or it would soon be so far away that
  /// rounding counts; it turns, by no more than half a radian a step; and it is strained at a rate that makes
  /// strains of up to 0.3.
  [[nodiscard]] Vector some_velocities(Random& random) const {
    const double sound = std::sqrt(stiffening_ * young / density);  // m/s
    const Vector3 center(0.5 * length, 0.0, 0.0),
        forth =
            std::min(log_uniform(random, 0.001, 0.3) * sound, 0.01 * length / h_) * random_direction(random);
    const Vector3 spin =
        std::min(log_uniform(random, 0.001, 0.3) * sound / length, 0.5 / h_) * random_direction(random);
    const double rate = log_uniform(random, 0.001, 0.3) * sound / length;
    const Matrix3 strain = rate * random_direction(random) * random_direction(random).transpose();
    Matrix3X v = model_->mesh().vertices.colwise() - center;
    for (auto column : v.colwise()) column = (forth + spin.cross(Vector3(column)) + strain * column).eval();
    return model_->dofs().restrict(v);
  }
  [[nodiscard]] double mass() const { return model_->vertex_masses().sum(); }
  static Vector3 linear_momentum(const Vector& momenta) {
    return momenta.reshaped(3, momenta.size() / 3).rowwise().sum();
  }
  /// Linear, and angular over the length, kg m/s.
  [[nodiscard]] Eigen::Vector<double, 6> momentum() const {
    const DynamicState now = state();
    Eigen::Vector<double, 6> both;
    both << linear_momentum(model_->mass() * now.v),
        FreeFlight(*model_).angular_momentum(now.u, now.v) / length;
    return both;
  }

  std::string law_;
  bool thrown_;
  double stiffening_ = 1.0;
  Vector3 gravity_ = Vector3::Zero();
  std::optional<FullDynamics> full_;
  Eigen::Vector<double, 6> marked_;
  double most_momentum_ = 0.0;  ///< kg m/s
};

/// Likewise by online model reduction. Its energy by the full model wanders with the error of displacements
/// that was asked for (docs/online.md): by twice that share at most.
class OnlineSubject : public FullSubject {
 public:
  explicit OnlineSubject(std::string_view law) : FullSubject(law, false) {}

  [[nodiscard]] Goals goals() const override {
    Goals goals = FullSubject::goals();
    goals.gain = 2.0 * OnlineSettings().error;
    goals.share = 0.15;
    return goals;
  }
  void change(Random& random) override {
    online_.reset();
    FullSubject::change(random);
    options_.newmark = {};
  }
  SolveReport step(double h) override { return online_->step(h); }

 protected:
  void start(Vector u, Vector v) override {
    online_.emplace(*model_, std::ref(push_), std::move(u), std::move(v), options_, OnlineSettings{},
                    static_cast<double>(usual_steps) * h_);
  }
  [[nodiscard]] DynamicState state() const override { return online_->state(); }

 private:
  std::optional<OnlineDynamics> online_;
};

}  // namespace

std::unique_ptr<Subject> make_full_subject(std::string_view law, bool thrown) {
  return std::make_unique<FullSubject>(law, thrown);
}

std::unique_ptr<Subject> make_online_subject(std::string_view law) {
  return std::make_unique<OnlineSubject>(law);
}

}  // namespace limber::bench
