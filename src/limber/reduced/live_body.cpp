#include "limber/reduced/live_body.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace limber {
namespace {

/// Frequency of a vibration as a share of the highest below which it is a rigid motion: rounding leaves 1e-8, and bodies have 1e-3
/// or more.
constexpr double rigid_share = 1e-6;

/// What a person may change of the equations of motion.
struct Choice {
  std::vector<Material> materials;  ///< one per region
  Index rank = 0;
  bool linear = false;
  RayleighDamping damping;
};

struct PointForce {
  int vertex = -1;
  Vector3 force = Vector3::Zero();  ///< N
};

std::shared_ptr<const ReducedEquations> equations_of(const ReducedModel& model, const Choice& choice) {
  ReducedEquations equations = make_equations(model, choice.materials, choice.rank);
  return std::make_shared<const ReducedEquations>(choice.linear ? linearized(equations)
                                                                : std::move(equations));
}

ReducedModel checked(ReducedModel model) {
  check_model(model, model.name.empty() ? "the model" : model.name);
  return model;
}

/// The first `rank` entries, zeros for those that it does not have.
Vector resized(const Vector& x, Index rank) {
  const Index kept = std::min(rank, x.size());
  Vector result = Vector::Zero(rank);
  result.head(kept) = x.head(kept);
  return result;
}

DynamicState resized(const DynamicState& state, Index rank) {
  return {state.time, resized(state.u, rank), resized(state.v, rank), resized(state.a, rank)};
}

}  // namespace

struct LiveBody::Parts {
  ReducedModel model;
  Choice choice;
  std::shared_ptr<const ReducedEquations> equations;  ///< to which the system keeps a reference
  ReducedWorkspace work;
  DynamicState state;

  Vector3 gravity = Vector3::Zero();
  std::vector<PointForce> forces;  ///< none is zero
  std::vector<Pull> pulls;
  Vector load;  ///< r', of gravity and forces

  Reconstruction<float> reconstruction;
  Eigen::Matrix3Xf rest;  ///< 3 x n, m

  // Memory of const functions and what these compute when first asked.
  ElasticWorkspace elastic;
  Vector product;
  Eigen::VectorXf coordinates;
  Eigen::Matrix3Xf surface;
  Matrix3X points;
  std::optional<NaturalModes> natural;  ///< of the equations

  explicit Parts(ReducedModel given)
      : model(checked(std::move(given))),
        choice{model.materials(), model.rank, false, {}},
        equations(equations_of(model, choice)),
        work{ReducedSystem(*equations)},
        state(make_reduced_state(model.rank)),
        load(Vector::Zero(model.rank)),
        reconstruction(model.surface.basis),
        rest(model.surface.mesh.vertices.cast<float>()) {}

  void check_vertex(int vertex) const {
    const Index count = model.surface.mesh.vertex_count();
    require(vertex >= 0 && vertex < count, "vertex {} of a surface with vertices 0 to {}", vertex, count - 1);
  }
  void check_region(Index region) const {
    const auto count = static_cast<Index>(choice.materials.size());
    require(region >= 0 && region < count, "region {} of a body with regions 0 to {}", region, count - 1);
  }

  /// U at a vertex, 3 x r'.
  [[nodiscard]] Eigen::Matrix3Xd rows(int vertex, Index rank) const {
    return model.surface.basis.block(3 * Index{vertex}, 0, 3, rank).cast<double>();
  }
  [[nodiscard]] Vector3 displacement(int vertex) const {
    Vector3 sum = Vector3::Zero();
    for (Index k = 0; k < state.u.size(); ++k) {
      sum += state.u(k) * model.surface.basis.block<3, 1>(3 * Index{vertex}, k).cast<double>();
    }
    return sum;
  }
  [[nodiscard]] std::vector<ReducedSpring> springs(std::span<const Pull> list, Index rank) const;
  [[nodiscard]] Vector load_of(const ReducedEquations& of, const Vector3& acceleration,
                               const std::vector<PointForce>& at) const;
  void adopt(Choice next, std::shared_ptr<const ReducedEquations> of);
  void adopt(Choice next);
  const NaturalModes& modes();
  void update_surface(Eigen::Ref<Eigen::Matrix3Xf> x);
};

std::vector<ReducedSpring> LiveBody::Parts::springs(std::span<const Pull> list, Index rank) const {
  std::vector<ReducedSpring> result;
  result.reserve(list.size());
  for (const Pull& pull : list) {
    result.push_back({rows(pull.vertex, rank), pull.target - model.surface.mesh.vertices.col(pull.vertex),
                      pull.stiffness});
  }
  return result;
}

Vector LiveBody::Parts::load_of(const ReducedEquations& of, const Vector3& acceleration,
                                const std::vector<PointForce>& at) const {
  Vector sum = of.weight * acceleration;
  for (const PointForce& one : at) reconstruction.add_force(one.vertex, one.force, sum);
  return sum;
}

/// Makes all that depends on the choice first; what comes then cannot fail.
void LiveBody::Parts::adopt(Choice next, std::shared_ptr<const ReducedEquations> of) {
  ReducedSystem system(*of, next.damping);
  system.set_springs(springs(pulls, next.rank));
  Vector next_load = load_of(*of, gravity, forces);
  DynamicState next_state = resized(state, next.rank);

  if (of != equations) natural.reset();
  work.system = std::move(system);
  equations = std::move(of);
  choice = std::move(next);
  load = std::move(next_load);
  state = std::move(next_state);
}

void LiveBody::Parts::adopt(Choice next) {
  std::shared_ptr<const ReducedEquations> of = equations_of(model, next);
  adopt(std::move(next), std::move(of));
}

const NaturalModes& LiveBody::Parts::modes() {
  if (!natural) natural = natural_modes(*equations);
  return *natural;
}

void LiveBody::Parts::update_surface(Eigen::Ref<Eigen::Matrix3Xf> x) {
  coordinates = state.u.cast<float>();
  reconstruction.positions(rest, coordinates, x);
}

LiveBody::LiveBody(ReducedModel model) : parts_(std::make_unique<Parts>(std::move(model))) {}
LiveBody::~LiveBody() = default;
LiveBody::LiveBody(LiveBody&&) noexcept = default;
LiveBody& LiveBody::operator=(LiveBody&&) noexcept = default;

const ReducedModel& LiveBody::model() const { return parts_->model; }
Index LiveBody::rank() const { return parts_->choice.rank; }

void LiveBody::set_material(Index region, const Material& material) {
  parts_->check_region(region);
  Choice next = parts_->choice;
  next.materials[static_cast<std::size_t>(region)] = material;
  parts_->adopt(std::move(next));
}

const Material& LiveBody::material(Index region) const {
  parts_->check_region(region);
  return parts_->choice.materials[static_cast<std::size_t>(region)];
}

void LiveBody::set_damping(const RayleighDamping& damping) {
  Choice next = parts_->choice;
  next.damping = damping;
  parts_->adopt(std::move(next), parts_->equations);
}

void LiveBody::set_rank(Index rank) {
  Choice next = parts_->choice;
  next.rank = rank;
  parts_->adopt(std::move(next));
}

void LiveBody::set_linear(bool linear) {
  Choice next = parts_->choice;
  next.linear = linear;
  parts_->adopt(std::move(next));
}

void LiveBody::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}) m/s^2, expected finite numbers",
          acceleration.x(), acceleration.y(), acceleration.z());
  parts_->load = parts_->load_of(*parts_->equations, acceleration, parts_->forces);
  parts_->gravity = acceleration;
}

void LiveBody::set_force(int vertex, const Vector3& force) {
  parts_->check_vertex(vertex);
  require(force.allFinite(), "the force on vertex {} is ({}, {}, {}) N, expected finite numbers", vertex,
          force.x(), force.y(), force.z());
  std::vector<PointForce> next = parts_->forces;
  std::erase_if(next, [&](const PointForce& one) { return one.vertex == vertex; });
  if (!force.isZero(0.0)) next.push_back({vertex, force});
  parts_->load = parts_->load_of(*parts_->equations, parts_->gravity, next);
  parts_->forces = std::move(next);
}

void LiveBody::clear_forces() {
  parts_->load = parts_->load_of(*parts_->equations, parts_->gravity, {});
  parts_->forces.clear();
}

void LiveBody::set_pulls(std::span<const Pull> pulls) {
  for (std::size_t i = 0; i < pulls.size(); ++i) {
    const auto& [vertex, target, stiffness] = pulls[i];
    parts_->check_vertex(vertex);
    require(target.allFinite(), "pull {} is towards ({}, {}, {}) m, expected finite numbers", i, target.x(),
            target.y(), target.z());
    require(std::isfinite(stiffness) && stiffness >= 0.0,
            "the stiffness of pull {} is {} N/m, expected a finite number of at least 0", i, stiffness);
  }
  std::vector<Pull> next(pulls.begin(), pulls.end());
  parts_->work.system.set_springs(parts_->springs(next, rank()));
  parts_->pulls = std::move(next);
}

Vector3 LiveBody::pull_force(Index pull) const {
  const auto count = static_cast<Index>(parts_->pulls.size());
  require(pull >= 0 && pull < count, "pull {} of a body with {} pulls", pull, count);
  const auto& [vertex, target, stiffness] = parts_->pulls[static_cast<std::size_t>(pull)];
  return stiffness * (target - position(vertex));
}

double LiveBody::stiffness_at(int vertex) const {
  parts_->check_vertex(vertex);
  const auto& [frequencies, shapes] = parts_->modes();
  // K(0)^-1 = S diag(1 / omega^2) S^T
  const Eigen::Matrix3Xd moves = parts_->rows(vertex, rank()) * shapes;
  if (moves.isZero(0.0)) return std::numeric_limits<double>::infinity();
  double compliance = 0.0;  // m/N, the sum over three directions
  for (Index i = 0; i < frequencies.size(); ++i) {
    const double omega = 2.0 * std::numbers::pi * frequencies(i);
    if (frequencies(i) > rigid_share * frequencies(frequencies.size() - 1))
      compliance += moves.col(i).squaredNorm() / (omega * omega);
  }
  return compliance > 0.0 ? 3.0 / compliance : 0.0;
}

SolveReport LiveBody::step(double h, const ReducedStepOptions& options) {
  return limber::step(parts_->work, h, parts_->load, parts_->state, options);
}

void LiveBody::reset() { parts_->state = make_reduced_state(rank()); }

const DynamicState& LiveBody::state() const { return parts_->state; }

void LiveBody::set_state(const Vector& q, const Vector& v) {
  require(q.size() == rank() && v.size() == rank(),
          "the state has {} coordinates and {} velocities, expected {} of each", q.size(), v.size(), rank());
  require(q.allFinite() && v.allFinite(), "the state has entries that are not finite");
  DynamicState next{parts_->state.time, q, v, parts_->state.a};
  require(balance(parts_->work, parts_->load, next).ok(),
          "the state is so far from rest that its forces are not finite");
  parts_->state = std::move(next);
}

BodyEnergy LiveBody::energy() const {
  Parts& parts = *parts_;
  parts.product.resize(rank());
  const double elastic = parts.equations->elastic.evaluate_force(parts.state.u, parts.elastic, parts.product);
  parts.work.system.multiply_mass(parts.state.v, parts.product);
  return {elastic, 0.5 * parts.state.v.dot(parts.product)};
}

Vector3 LiveBody::position(int vertex) const {
  parts_->check_vertex(vertex);
  return parts_->model.surface.mesh.vertices.col(vertex) + parts_->displacement(vertex);
}

void LiveBody::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const { parts_->update_surface(x); }

std::optional<Pick> LiveBody::pick(const Vector3& origin, const Vector3& direction) const {
  require(origin.allFinite(), "the ray starts at ({}, {}, {}), expected finite numbers", origin.x(),
          origin.y(), origin.z());
  Parts& parts = *parts_;
  parts.surface.resize(3, parts.rest.cols());
  parts.update_surface(parts.surface);
  parts.points = parts.surface.cast<double>();
  return pick_vertex(parts.points, parts.model.surface.mesh.triangles, origin, direction);
}

const Vector& LiveBody::frequencies() const { return parts_->modes().frequencies; }

Vector LiveBody::mode_shape(Index i) const {
  require(i >= 0 && i < rank(), "vibration {} of a body with {}, expected 0 to {}", i, rank(), rank() - 1);
  Vector shape = parts_->modes().shapes.col(i);
  const Eigen::MatrixXf& basis = parts_->model.surface.basis;
  Vector u = Vector::Zero(basis.rows());
  for (Index k = 0; k < shape.size(); ++k) u += shape(k) * basis.col(k).cast<double>();
  const double farthest = std::sqrt(u.reshaped(3, u.size() / 3).colwise().squaredNorm().maxCoeff());
  return farthest > 0.0 ? Vector(shape / farthest) : shape;
}

}  // namespace limber
