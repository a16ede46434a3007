#include "limber/body/reduced_motion.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/integrators/saved_state.hpp"
#include "limber/reduced/inertia.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <utility>

namespace limber {
namespace {

std::shared_ptr<const ReducedEquations> equations_of(const MotionSetup& setup) {
  const PartSettings& settings = setup.settings.front();
  ReducedEquations equations =
      make_equations(setup.model->parts.front().model, settings.materials, settings.rank);
  return std::make_shared<const ReducedEquations>(settings.linear ? linearized(equations)
                                                                  : std::move(equations));
}

}  // namespace

Vector3 product_at(const Eigen::MatrixXf& columns, int vertex, const Vector& q) {
  Vector3 sum = Vector3::Zero();
  for (Index k = 0; k < q.size(); ++k) {
    sum += q(k) * columns.block<3, 1>(3 * Index{vertex}, k).cast<double>();
  }
  return sum;
}

TreeMomentum momentum_of(const ReducedModel& model, const PartSettings& settings, const Vector& q,
                         const Vector& v) {
  const Inertia inertia = inertia_of(model, settings.materials, settings.rank);
  const Index r = settings.rank;
  TreeMomentum result;
  result.mass = inertia.mass;
  result.center = (inertia.first + inertia.first_rows * q) / inertia.mass;
  result.linear = inertia.first_rows * v;
  Vector pairs = inertia.second_rows * v;  // the integral of rho u' x^T, by columns
  for (Index j = 0; j < r; ++j) pairs += q(j) * (inertia.second_pairs.middleCols(r * j, r) * v);
  const Matrix3 stream = pairs.reshaped(3, 3);
  const Vector3 about_origin(stream(2, 1) - stream(1, 2), stream(0, 2) - stream(2, 0),
                             stream(1, 0) - stream(0, 1));
  result.angular = about_origin - result.center.cross(result.linear);
  return result;
}

ReducedMotion::ReducedMotion(MotionSetup setup)
    : setup_(std::move(setup)),
      equations_(equations_of(setup_)),
      work_{ReducedSystem(*equations_, setup_.damping)},
      state_(make_reduced_state(equations_->rank)),
      load_(Vector::Zero(equations_->rank)) {}

std::unique_ptr<Motion> ReducedMotion::copy() const { return std::make_unique<ReducedMotion>(*this); }

void ReducedMotion::set_damping(const RayleighDamping& damping) {
  ReducedWorkspace next{ReducedSystem(*equations_, damping)};
  const std::vector<Spring> springs = springs_;
  work_.system = std::move(next.system);
  setup_.damping = damping;
  springs_.clear();
  set_springs(springs);
  note_change(state_);
}

Vector ReducedMotion::load_of(const Vector3& gravity, std::span<const VertexForce> forces) const {
  Vector sum = equations_->weight * gravity;
  for (const VertexForce& one : forces) setup_.surface->part(0).basis.add_force(one.vertex, one.force, sum);
  return sum;
}

void ReducedMotion::set_gravity(const Vector3& acceleration) {
  if (acceleration == gravity_) return;  // what a step has lost may come back
  load_ = load_of(acceleration, forces_);
  gravity_ = acceleration;
  note_change(state_);
}

void ReducedMotion::set_forces(std::span<const VertexForce> forces) {
  if (std::equal(forces.begin(), forces.end(), forces_.begin(), forces_.end())) return;
  std::vector<VertexForce> next(forces.begin(), forces.end());
  load_ = load_of(gravity_, next);
  forces_ = std::move(next);
  note_change(state_);
}

void ReducedMotion::set_springs(std::span<const Spring> springs) {
  if (std::equal(springs.begin(), springs.end(), springs_.begin(), springs_.end())) return;
  std::vector<ReducedSpring> taken;
  taken.reserve(springs.size());
  for (const auto& [vertex, target, stiffness] : springs) {
    taken.push_back({reduced().surface.basis.block(3 * Index{vertex}, 0, 3, rank()).cast<double>(),
                     target - reduced().surface.mesh.vertices.col(vertex), stiffness});
  }
  std::vector<Spring> next(springs.begin(), springs.end());
  work_.system.set_springs(std::move(taken));
  springs_ = std::move(next);
  note_change(state_);
}

SolveReport ReducedMotion::step(double h, const ReducedStepOptions& options) {
  return limber::step(work_, h, load_, state_, options);
}

TreeState ReducedMotion::state() const {
  TreeState result;
  result.time = state_.time;
  result.q = state_.u;
  result.v = state_.v;
  result.a = state_.a;
  result.slack = state_.slack;
  result.caution = state_.caution;
  return result;
}

void ReducedMotion::set_state(const TreeState& state, Accelerations accelerations) {
  DynamicState next{state.time, state.q, state.v, state.a};
  if (accelerations == Accelerations::keep) {
    next.slack = state.slack;
    next.caution = state.caution;
    note_change(next);
  } else {
    next.a = Vector::Zero(state.q.size());
    require(balance(work_, load_, next).ok(),
            "the body is so far from rest that its forces are not finite; reset it first");
  }
  state_ = std::move(next);
}

void ReducedMotion::reset() {
  state_ = make_reduced_state(rank());
  note_change(state_);
}

void ReducedMotion::save(StateWriter& out) const { save_state(state_, out); }
void ReducedMotion::restore(StateReader& in) { state_ = restore_state(in, rank()); }

BodyEnergy ReducedMotion::energy() const {
  product_.resize(rank());
  const double elastic = equations_->elastic.evaluate_force(state_.u, elastic_, product_);
  work_.system.multiply_mass(state_.v, product_);
  return {elastic, 0.5 * state_.v.dot(product_)};
}

TreeMomentum ReducedMotion::momentum() const {
  return momentum_of(reduced(), setup_.settings.front(), state_.u, state_.v);
}

Vector3 ReducedMotion::position(int vertex) const {
  return reduced().surface.mesh.vertices.col(vertex) + product_at(reduced().surface.basis, vertex, state_.u);
}

Vector3 ReducedMotion::velocity(int vertex) const {
  return product_at(reduced().surface.basis, vertex, state_.v);
}

Eigen::Quaterniond ReducedMotion::orientation(int /*vertex*/) const { return Eigen::Quaterniond::Identity(); }

void ReducedMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  const TreePoints<float>::PartPoints& part = setup_.surface->part(0);
  coordinates_ = state_.u.cast<float>();
  part.basis.positions(part.rest, coordinates_, x);
}

}  // namespace limber
