#include "bench/experiments/soak_hands.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <numbers>
#include <utility>

namespace limber::bench {

RayleighDamping random_damping(Random& random) {
  if (random.uniform() < 0.6) return {};
  return {random.uniform() < 0.5 ? log_uniform(random, 1e-2, 10.0) : 0.0,
          random.uniform() < 0.5 ? log_uniform(random, 1e-6, 1e-2) : 0.0};
}

namespace {

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
  void pull(Random& random, double /*h*/) override {
    hands_.grab(body_, body_.model().surface.mesh, size_, random);
  }
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

  void pull(Random& random, double /*h*/) override {
    const auto count = static_cast<double>(body_.model().surface.mesh.vertex_count());
    Handle handle;
    do handle.vertex = static_cast<int>(random.uniform() * count);
    while (!std::isfinite(body_.stiffness_at(handle.vertex)));
    handle.position =
        body_.position(handle.vertex) + log_uniform(random, 0.01, 1.0) * size_ * random_direction(random);
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

/// Likewise, on a support that is shaken while the body is in hand; half of the time by that alone.
class ShakenSubject : public WarpedSubject {
 public:
  using WarpedSubject::WarpedSubject;

  void pull(Random& random, double h) override {
    if (random.uniform() < 0.5) WarpedSubject::pull(random, h);
    // Of a frame that turns faster than the body vibrates, centrifugal forces tear it off, as they should.
    const double slowest = 2.0 * std::numbers::pi * body_.frequencies()(0);
    strength_ = {log_uniform(random, 0.1, 100.0), log_uniform(random, 0.01, 0.5) * slowest,
                 log_uniform(random, 0.1, 100.0)};
    shake(random);
  }
  void move_hands(Random& random) override {
    WarpedSubject::move_hands(random);
    shake(random);
  }
  void let_go() override {
    WarpedSubject::let_go();
    body_.set_frame_motion({});
  }

 private:
  void shake(Random& random) {
    body_.set_frame_motion({.acceleration = strength_.x() * random_direction(random),
                            .angular_velocity = strength_.y() * random_direction(random),
                            .angular_acceleration = strength_.z() * random_direction(random)});
  }

  Vector3 strength_ = Vector3::Zero();  ///< m/s^2, rad/s, rad/s^2
};

}  // namespace

std::unique_ptr<Subject> make_body_subject(ReducedModel model) {
  return std::make_unique<BodySubject>(std::move(model));
}

std::unique_ptr<Subject> make_warped_subject(ReducedModel model, bool shaken) {
  if (shaken) return std::make_unique<ShakenSubject>(std::move(model));
  return std::make_unique<WarpedSubject>(std::move(model));
}

}  // namespace limber::bench
