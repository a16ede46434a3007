#include "bench/experiments/soak_hands.hpp"
#include "limber/multidomain/live_tree.hpp"

#include <algorithm>
#include <utility>

namespace limber::bench {
namespace {

class TreeSubject : public Subject {
 public:
  explicit TreeSubject(DomainTree tree)
      : tree_(std::move(tree)),
        size_(extent(tree_.surface().mesh().vertices)),
        points_(3, tree_.surface().mesh().vertex_count()) {}

  [[nodiscard]] Goals goals() const override { return {.rescues = 0.02}; }
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
  void pull(Random& random, double /*h*/) override {
    hands_.grab(tree_, tree_.surface().mesh(), size_, random);
    if (random.uniform() > 0.3) return;
    tree_.dynamics().set_wind(
        {.velocity = log_uniform(random, 1.0, 50.0) * random_direction(random), .gusts = random.uniform()});
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

}  // namespace

std::unique_ptr<Subject> make_tree_subject(DomainTree tree) {
  return std::make_unique<TreeSubject>(std::move(tree));
}

}  // namespace limber::bench
