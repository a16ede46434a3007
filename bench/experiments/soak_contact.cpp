#include "bench/experiments/soak_hands.hpp"
#include "limber/body/world.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber::bench {
namespace {

/// Two bodies of one model with a rigid ball and a box in a closed room, all of which touch. What nothing
/// holds is thrown; hands pull at the first body by springs, or press it somewhere by a handle.
class TouchingSubject : public Subject {
 public:
  explicit TouchingSubject(Model model) : model_(std::make_shared<const Model>(std::move(model))) {
    const Matrix3X& rest = Body(model_).surface().mesh().vertices;
    size_ = extent(rest);
    middle_ = 0.5 * (rest.rowwise().maxCoeff() + rest.rowwise().minCoeff());
    reset();
  }

  [[nodiscard]] Goals goals() const override {
    return {.gain = 1e-5, .rescues = 0.05, .share = 0.1, .episode = 0.3};
  }

  void change(Random& random) override {
    const double rough = random.uniform() < 0.4 ? 0.0 : random.uniform();
    for (Index b = 0; b < world_.body_count(); ++b) {
      Body& body = world_.body(b);
      const double factor = log_uniform(random, 1.0 / most_stiffening, most_stiffening);
      for (Index d = 0; d < model_->domain_count(); ++d) body.set_stiffness(d, factor);
      body.set_damping(random_damping(random));
      world_.set_contact(b, {.friction = rough});
      if (model_->free) body.set_velocity(speed(random), speed(random) / size_);
    }
    for (Index b = 0; b < world_.rigid_count(); ++b) {
      world_.rigid(b).set_material({.friction = rough});
      world_.rigid(b).set_velocity(speed(random), speed(random) / size_);
    }
    varied_ = random.uniform() < 0.5;
    varying_ = Random(static_cast<std::uint64_t>(1e9 * random.uniform()));
  }
  void set_gravity(const Vector3& g) override {
    for (Index b = 0; b < world_.body_count(); ++b) world_.body(b).set_gravity(g);
    for (Index b = 0; b < world_.rigid_count(); ++b) world_.rigid(b).set_gravity(g);
  }
  void pull(Random& random, double /*h*/) override {
    handle_.reset();
    deepest_ = 0.0;
    Body& body = world_.body(0);
    if (random.uniform() < 0.5) return hands_.grab(body, size_, random);
    const auto count = static_cast<double>(body.surface().mesh().vertex_count());
    Handle handle;
    do handle.point = static_cast<int>(random.uniform() * count);
    while (!std::isfinite(body.stiffness_at(handle.point.vertex)));
    handle.position = body.position(handle.point);
    toward_ = 0.002 * size_ * random_direction(random);
    handle_ = handle;
    body.set_handles({&*handle_, 1});
  }
  void move_hands(Random& random) override {
    Body& body = world_.body(0);
    if (!handle_) return hands_.move(body, random);
    handle_->position += toward_;
    handle_->position =
        middle_ + (handle_->position - middle_).cwiseMax(-0.9 * room()).cwiseMin(0.9 * room());
    body.set_handles({&*handle_, 1});
  }
  void let_go() override {
    world_.body(0).set_handles({});
    hands_.let_go(world_.body(0));
    pushed_out_ = 0.0;
  }
  [[nodiscard]] bool ends_within_a_step() const override { return true; }

  void reset() override {
    world_ = World();
    for (int axis = 0; axis < 3; ++axis)
      for (const double sign : {-1.0, 1.0}) {
        const Vector3 out = sign * Vector3::Unit(axis);
        world_.add_obstacle(
            {.name = "wall",
             .shape = HalfSpace{},
             .pose = {middle_ + room() * out, Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), -out)}});
      }
    for (int b = 0; b < (model_->free ? 2 : 1); ++b) {
      Body body(model_);
      if (model_->free) {
        TreeState state = body.state();
        state.root.position += (b == 0 ? -0.6 : 0.6) * size_ * Vector3::UnitZ();
        body.set_state(state);
      }
      world_.set_contact(world_.add(std::move(body)), {});
    }
    const double heavy = world_.body(0).momentum().mass / (size_ * size_ * size_);
    world_.add_rigid(RigidBody({.name = "ball",
                                .shape = Sphere{0.1 * size_},
                                .density = 10.0 * heavy,
                                .pose = {middle_ + 1.2 * size_ * Vector3::UnitX()}}));
    world_.add_rigid(RigidBody({.name = "box",
                                .shape = Box{Vector3::Constant(0.1 * size_)},
                                .density = 10.0 * heavy,
                                .pose = {middle_ + 1.2 * size_ * Vector3::UnitY()}}));
  }
  SolveReport step(double h) override {
    step_ = h;
    const SolveReport report = world_.step(varied_ ? h * log_uniform(varying_, 0.5, 1.0) : h);
    deepest_ = std::max(deepest_, world_.contact_report().deepest);
    pushed_out_ += world_.contact_report().pushed_out;
    return report;
  }
  /// Steps in velocities may give back a little of what they lost before: 1.5 % for each second of a step's
  /// length (tree_coupled.cpp). Energies are those of the middle of a step, where what flies is g h^2 / 8
  /// below its parabola: steps of other lengths show others. What hands have pressed deep into something
  /// comes out of it, at half a size per second at most (ContactOptions::recovery_speed).
  [[nodiscard]] double energy_rounding() const override {
    constexpr double deep = 0.005;
    const double fast = deepest_ > deep * size_ ? world_.contact_options().recovery_speed * size_ : 0.0;
    double rounding = 0.015 * step_ * energy().size();
    const auto add = [&](double mass, const Vector3& gravity) {
      rounding += 0.5 * mass * (fast * fast + 0.25 * step_ * step_ * gravity.squaredNorm());
    };
    for (Index b = 0; b < world_.body_count(); ++b)
      add(world_.body(b).momentum().mass, world_.body(b).loads().gravity);
    for (Index b = 0; b < world_.rigid_count(); ++b)
      add(world_.rigid(b).mass_properties().mass, world_.rigid(b).gravity());
    return rounding;
  }
  [[nodiscard]] double pushed_out() const override { return pushed_out_; }
  [[nodiscard]] Energy energy() const override {
    Energy sum;
    for (Index b = 0; b < world_.body_count(); ++b) {
      const Body& body = world_.body(b);
      const BodyEnergy energy = body.energy();
      sum.kinetic += energy.kinetic;
      sum.elastic += energy.elastic;
      sum.weight += body.load_energy();
    }
    for (Index b = 0; b < world_.rigid_count(); ++b) {
      const RigidBody& rigid = world_.rigid(b);
      sum.kinetic += rigid.kinetic_energy();
      sum.weight -= rigid.mass_properties().mass *
                    rigid.gravity().dot(rigid.center() - rigid.lag() * rigid.velocity() - middle_);
    }
    return sum;
  }
  [[nodiscard]] bool is_finite() override {
    for (Index b = 0; b < world_.body_count(); ++b) {
      Eigen::Matrix3Xf x(3, world_.body(b).surface().mesh().vertex_count());
      world_.body(b).positions(x);
      if (!x.allFinite()) return false;
      // What nothing holds stays in the room.
      const Vector3 center = world_.body(b).momentum().center;
      if (model_->free && (center - middle_).cwiseAbs().maxCoeff() > room()) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] double room() const { return 1.5 * size_; }  ///< half of its width, m
  [[nodiscard]] Vector3 speed(Random& random) const {
    return log_uniform(random, 0.01, 10.0) * size_ * random_direction(random);
  }

  std::shared_ptr<const Model> model_;
  double size_ = 0.0;  ///< m
  Vector3 middle_;     ///< of the room
  World world_;
  Hands hands_;
  std::optional<Handle> handle_;
  Vector3 toward_ = Vector3::Zero();  ///< way of the handle in a step, m
  double step_ = 0.0;                 ///< s, of the last step at most
  double deepest_ = 0.0;              ///< m, since hands took it
  double pushed_out_ = 0.0;           ///< J, since they let go
  bool varied_ = false;               ///< whether steps differ in length
  Random varying_{1};
};

}  // namespace

std::unique_ptr<Subject> make_touching_subject(Model model) {
  return std::make_unique<TouchingSubject>(std::move(model));
}

}  // namespace limber::bench
