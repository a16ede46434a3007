#include "limber/live/live_body.hpp"

#include "limber/base/error.hpp"
#include "limber/live/live_parts.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace limber {
namespace {

/// Frequency of a vibration as a share of the highest below which it is a rigid motion: rounding leaves 1e-8,
/// and bodies have 1e-3 or more.
constexpr double rigid_share = 1e-6;

}  // namespace

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

void LiveBody::set_method(Method method) {
  if (method == parts_->choice.method) return;
  require(method != Method::warped || parts_->model.warp.has_value(),
          "{} has no rotations, which the method 'warped' needs; make it again by 'limber reduce'",
          parts_->model.name.empty() ? "the model" : parts_->model.name);
  Choice next = parts_->choice;
  next.method = method;
  parts_->adopt(std::move(next));
}

Method LiveBody::method() const { return parts_->choice.method; }

void LiveBody::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}) m/s^2, expected finite numbers",
          acceleration.x(), acceleration.y(), acceleration.z());
  if (acceleration == parts_->gravity) return;  // what a step has lost may come back
  Vector load = parts_->load_of(*parts_->equations, acceleration, parts_->forces);
  if (parts_->warped) parts_->warped->set_gravity(acceleration);
  parts_->load = std::move(load);
  parts_->gravity = acceleration;
  note_change(parts_->state);
}

void LiveBody::set_force(int vertex, const Vector3& force) {
  parts_->check_vertex(vertex);
  require(force.allFinite(), "the force on vertex {} is ({}, {}, {}) N, expected finite numbers", vertex,
          force.x(), force.y(), force.z());
  std::vector<VertexForce> next = parts_->forces;
  std::erase_if(next, [&](const VertexForce& one) { return one.vertex == vertex; });
  if (!force.isZero(0.0)) next.push_back({vertex, force});
  parts_->take_forces(std::move(next));
}

void LiveBody::clear_forces() { parts_->take_forces({}); }

void LiveBody::set_pulls(std::span<const Pull> pulls) {
  require(pulls.empty() || !parts_->warped,
          "pulls are springs, which warped modes do not take; hold vertices by handles");
  for (std::size_t i = 0; i < pulls.size(); ++i) {
    const auto& [vertex, target, stiffness] = pulls[i];
    parts_->check_vertex(vertex);
    require(target.allFinite(), "pull {} is towards ({}, {}, {}) m, expected finite numbers", i, target.x(),
            target.y(), target.z());
    require(std::isfinite(stiffness) && stiffness >= 0.0,
            "the stiffness of pull {} is {} N/m, expected a finite number of at least 0", i, stiffness);
  }
  if (std::equal(pulls.begin(), pulls.end(), parts_->pulls.begin(), parts_->pulls.end())) return;
  std::vector<Pull> next(pulls.begin(), pulls.end());
  parts_->work.system.set_springs(parts_->springs(next, rank()));
  parts_->pulls = std::move(next);
  note_change(parts_->state);
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

void LiveBody::set_handles(std::span<const Handle> handles, ConstraintPriority priority) {
  require(handles.empty() || parts_->warped, "handles need warped modes; choose that method first");
  if (!parts_->warped) return;
  parts_->warped->set_handles(handles, priority);
  if (handles.empty()) parts_->handle_report = {};
}

const ConstraintReport& LiveBody::handle_report() const { return parts_->handle_report; }

void LiveBody::set_frame_motion(const FrameMotion& motion) {
  require(parts_->warped != nullptr, "a frame that moves needs warped modes; choose that method first");
  parts_->warped->set_frame_motion(motion);
  parts_->frame = motion;
}

SolveReport LiveBody::step(double h, const ReducedStepOptions& options) {
  if (parts_->warped) return parts_->step_warped(h, options.newmark.max_iterations > 1);
  return limber::step(parts_->work, h, parts_->load, parts_->state, options);
}

void LiveBody::reset() {
  DynamicState next = make_reduced_state(rank());
  note_change(next);
  if (parts_->warped) parts_->warped->set_state(next);
  parts_->state = std::move(next);
  parts_->handle_report = {};
}

const DynamicState& LiveBody::state() const { return parts_->state; }

void LiveBody::set_state(const Vector& q, const Vector& v) {
  require(q.size() == rank() && v.size() == rank(),
          "the state has {} coordinates and {} velocities, expected {} of each", q.size(), v.size(), rank());
  require(q.allFinite() && v.allFinite(), "the state has entries that are not finite");
  DynamicState next{parts_->state.time, q, v, parts_->state.a};
  parts_->go_to(std::move(next));
}

BodyEnergy LiveBody::energy() const {
  Parts& parts = *parts_;
  if (parts.warped) return {parts.warped->elastic_energy(), parts.warped->kinetic_energy()};
  parts.product.resize(rank());
  const double elastic = parts.equations->elastic.evaluate_force(parts.state.u, parts.elastic, parts.product);
  parts.work.system.multiply_mass(parts.state.v, parts.product);
  return {elastic, 0.5 * parts.state.v.dot(parts.product)};
}

double LiveBody::load_energy() const {
  return parts_->warped ? parts_->warped->load_energy() : -parts_->load.dot(parts_->state.u);
}

Eigen::Quaterniond LiveBody::orientation(int vertex) const {
  parts_->check_vertex(vertex);
  if (!parts_->warped) return Eigen::Quaterniond::Identity();
  const Vector3 half = 0.5 * parts_->rotation(vertex);
  const Vector3 axis = rotation_factors(half.squaredNorm()).sine * half;
  return {std::cos(half.norm()), axis.x(), axis.y(), axis.z()};
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
