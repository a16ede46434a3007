#include "bench/experiments/soak_hands.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace limber::bench {

RayleighDamping random_damping(Random& random) {
  if (random.uniform() < 0.6) return {};
  return {random.uniform() < 0.5 ? log_uniform(random, 1e-2, 10.0) : 0.0,
          random.uniform() < 0.5 ? log_uniform(random, 1e-6, 1e-2) : 0.0};
}

namespace {

/// A body of any model: one domain or many, held or free.
class BodySubject : public Subject {
 public:
  explicit BodySubject(Model model)
      : body_(std::move(model)),
        size_(extent(body_.surface().mesh().vertices)),
        points_(3, body_.surface().mesh().vertex_count()) {}

  [[nodiscard]] Goals goals() const override { return several() ? Goals{.rescues = 0.02} : Goals{}; }
  void change(Random& random) override {
    if (several()) {
      for (Index i = 0; i < body_.model().domain_count(); ++i)
        body_.set_stiffness(i, log_uniform(random, 1.0 / most_stiffening, most_stiffening));
    } else {
      change_part(random);
    }
    const RayleighDamping damping = random_damping(random);
    slowed_ = damping.mass > 0.0;
    body_.set_damping(damping);
  }
  /// Not of a free body, whose energy would soon be that of its fall alone.
  void set_gravity(const Vector3& g) override {
    if (!body_.model().free) body_.set_gravity(g);
  }
  void pull(Random& random, double /*h*/) override {
    hands_.grab(body_, size_, random);
    if (random.uniform() > 0.3) return;
    body_.set_wind(
        {.velocity = log_uniform(random, 1.0, 50.0) * random_direction(random), .gusts = random.uniform()});
  }
  void move_hands(Random& random) override { hands_.move(body_, random); }
  void let_go() override {
    body_.set_wind({});
    hands_.let_go(body_);
  }
  void reset() override { body_.reset(); }
  SolveReport step(double h) override { return body_.step(h); }
  /// Of a free body: but for its flight.
  [[nodiscard]] Energy energy() const override {
    const BodyEnergy energy = body_.energy();
    return {energy.kinetic - flight(), energy.elastic, body_.load_energy()};
  }
  /// A body that nobody moved has an energy by rounding alone: that of a deflection which nobody sees.
  [[nodiscard]] double energy_rounding() const override {
    const double omega = 2.0 * std::numbers::pi * body_.frequencies()(0), unseen = 1e-9 * size_;
    return body_.momentum().mass * omega * omega * unseen * unseen;
  }
  void mark_momentum() override {
    if (!body_.model().free) return;
    marked_ = body_.momentum();
    const BodyEnergy energy = body_.energy();
    most_momentum_ = std::sqrt(2.0 * marked_.mass * (energy.kinetic + energy.elastic));
  }
  [[nodiscard]] double drift() const override {
    if (!body_.model().free || slowed_ || most_momentum_ == 0.0) return 0.0;
    const TreeMomentum now = body_.momentum();
    return std::hypot((now.linear - marked_.linear).norm(), (now.angular - marked_.angular).norm() / size_) /
           most_momentum_;
  }
  [[nodiscard]] bool is_finite() override {
    body_.positions(points_);
    return points_.allFinite();
  }

 protected:
  Body body_;
  double size_;

 private:
  [[nodiscard]] bool several() const { return body_.model().domain_count() > 1; }
  [[nodiscard]] double flight() const {
    if (!body_.model().free) return 0.0;
    const TreeMomentum whole = body_.momentum();
    return 0.5 * whole.linear.squaredNorm() / whole.mass;
  }
  void change_part(Random& random) {
    const ReducedModel& part = body_.model().part(0).model;
    const std::vector<Material> original = part.materials();
    const double factor = log_uniform(random, 1.0 / most_stiffening, most_stiffening);
    for (std::size_t i = 0; i < original.size(); ++i) {
      const MaterialLaw& law = original[i].law;
      const LameParameters lame = lame_of(law);
      body_.set_material(static_cast<Index>(i),
                         {make_law(name_of(law), {factor * lame.lambda, factor * lame.mu}, constants_of(law)),
                          original[i].density});
    }
    const Index most = part.rank;
    body_.set_rank(
        random.uniform() < 0.5 ? most : 1 + static_cast<Index>(random.uniform() * static_cast<double>(most)));
  }

  Hands hands_;
  Eigen::Matrix3Xf points_;
  bool slowed_ = false;  ///< damped against the world
  TreeMomentum marked_;
  double most_momentum_ = 0.0;  ///< kg m/s
};

/// Moves by natural modes, warped or as they are: hands hold it by a handle.
class ModalSubject : public BodySubject {
 public:
  explicit ModalSubject(Model model, Method method = Method::warped) : BodySubject(std::move(model)) {
    body_.set_method(method);
  }

  void pull(Random& random, double /*h*/) override {
    const auto count = static_cast<double>(body_.surface().mesh().vertex_count());
    Handle handle;
    do handle.point = static_cast<int>(random.uniform() * count);
    while (!std::isfinite(body_.stiffness_at(handle.point.vertex)));
    handle.position =
        body_.position(handle.point) + log_uniform(random, 0.01, 1.0) * size_ * random_direction(random);
    handles_ = {handle};
    body_.set_handles(handles_);
  }
  void move_hands(Random& random) override {
    for (Handle& handle : handles_) handle.position += 0.01 * size_ * random_direction(random);
    body_.set_handles(handles_);
  }
  void let_go() override {
    handles_.clear();
    body_.set_handles(handles_);
  }

 private:
  std::vector<Handle> handles_;
};

/// Shakes the support of a body to and fro about where it stands, and turns it, until it is let go.
class Shaker {
 public:
  void shake(Body& body, double size, Random& random) {
    // Of a frame that turns faster than the body vibrates, centrifugal forces tear it off, as they should.
    const double slowest = 2.0 * std::numbers::pi * body.frequencies()(0);
    const double omega = log_uniform(random, 0.1, 3.0) * slowest, start = body.time();
    const Vector3 way = log_uniform(random, 1e-3, 0.3) * size * random_direction(random);
    const double most_turn = 0.5 * slowest / omega;  // rad, so that it turns no faster than half of that
    const Vector3 axis = random_direction(random);
    const double turn = log_uniform(random, 0.02, 1.0) * std::min(most_turn, 1.0);
    motion_ = [=, from = pose_](double t) {
      const double wave = std::sin(omega * std::max(0.0, t - start));
      const Pose swing{wave * way, Eigen::Quaterniond(Eigen::AngleAxisd(wave * turn, axis))};
      return swing * from;
    };
    body.set_support(motion_);
  }
  void let_go(Body& body) {
    if (!motion_) return;
    pose_ = motion_(body.time());
    motion_ = nullptr;
    body.set_support([pose = pose_](double) { return pose; });
  }
  void reset(Body& body) {
    motion_ = nullptr;
    pose_ = {};
    body.set_support(nullptr);
  }

 private:
  PoseFunction motion_;
  Pose pose_;  ///< where it stands
};

/// By the method of the subject, on a support that is shaken while the body is in hand; half of the time by
/// that alone.
template <class Held>
class ShakenSubject : public Held {
 public:
  using Held::Held;

  void pull(Random& random, double h) override {
    if (random.uniform() < 0.5) Held::pull(random, h);
    shaker_.shake(this->body_, this->size_, random);
  }
  void let_go() override {
    Held::let_go();
    shaker_.let_go(this->body_);
  }
  void reset() override {
    shaker_.reset(this->body_);
    Held::reset();
  }

 private:
  Shaker shaker_;
};

}  // namespace

std::unique_ptr<Subject> make_body_subject(Model model) {
  return std::make_unique<BodySubject>(std::move(model));
}

std::unique_ptr<Subject> make_modal_subject(Model model, Method method) {
  return std::make_unique<ModalSubject>(std::move(model), method);
}

std::unique_ptr<Subject> make_shaken_subject(Model model, Method method) {
  if (method == Method::warped) return std::make_unique<ShakenSubject<ModalSubject>>(std::move(model));
  return std::make_unique<ShakenSubject<BodySubject>>(std::move(model));
}

}  // namespace limber::bench
