#include "limber/live/live_parts.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <utility>

namespace limber {
namespace {

std::shared_ptr<const ReducedEquations> equations_of(const ReducedModel& model, const Choice& choice) {
  ReducedEquations equations = make_equations(model, choice.materials, choice.rank);
  return std::make_shared<const ReducedEquations>(choice.method == Method::linear ? linearized(equations)
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
  return {state.time,  resized(state.u, rank), resized(state.v, rank), resized(state.a, rank),
          state.slack, state.caution,          state.changed};
}

/// Rows of a vertex times q.
Vector3 product_at(const Eigen::MatrixXf& columns, int vertex, const Vector& q) {
  Vector3 sum = Vector3::Zero();
  for (Index k = 0; k < q.size(); ++k) {
    sum += q(k) * columns.block<3, 1>(3 * Index{vertex}, k).cast<double>();
  }
  return sum;
}

}  // namespace

LiveBody::Parts::Parts(ReducedModel given)
    : model(checked(std::move(given))),
      choice{model.materials(), model.rank, Method::nonlinear, {}},
      equations(equations_of(model, choice)),
      work{ReducedSystem(*equations)},
      state(make_reduced_state(model.rank)),
      load(Vector::Zero(model.rank)),
      reconstruction(model.surface.basis),
      rest(model.surface.mesh.vertices.cast<float>()) {}

void LiveBody::Parts::check_vertex(int vertex) const {
  const Index count = model.surface.mesh.vertex_count();
  require(vertex >= 0 && vertex < count, "vertex {} of a surface with vertices 0 to {}", vertex, count - 1);
}

void LiveBody::Parts::check_region(Index region) const {
  const auto count = static_cast<Index>(choice.materials.size());
  require(region >= 0 && region < count, "region {} of a body with regions 0 to {}", region, count - 1);
}

Matrix3X LiveBody::Parts::rows(int vertex, Index rank) const {
  return model.surface.basis.block(3 * Index{vertex}, 0, 3, rank).cast<double>();
}

Vector3 LiveBody::Parts::rotation(int vertex) const {
  return product_at(model.warp->surface_rotations, vertex, state.u);
}

Vector3 LiveBody::Parts::displacement(int vertex) const {
  const Vector3 u = product_at(model.surface.basis, vertex, state.u);
  return warped ? Vector3(mean_rotation(rotation(vertex)) * u) : u;
}

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
                                const std::vector<VertexForce>& at) const {
  Vector sum = of.weight * acceleration;
  for (const VertexForce& one : at) reconstruction.add_force(one.vertex, one.force, sum);
  return sum;
}

/// What moves the body for a choice; none unless that is warped modes. Handles stay where the method does.
std::unique_ptr<WarpedBody> LiveBody::Parts::warped_for(const Choice& next, const ReducedEquations& of,
                                                        const DynamicState& from) const {
  if (next.method != Method::warped) return nullptr;
  WarpedEquations modal =
      make_warped_equations(model, next.materials, {.rank = next.rank, .damping = next.damping});
  auto result = std::make_unique<WarpedBody>(model, std::move(modal), of.mass);
  result->set_gravity(gravity);
  result->set_forces(forces);
  result->set_frame_motion(frame);
  result->set_state(from);
  if (warped) result->set_handles(warped->handles(), warped->priority());
  return result;
}

/// Makes all that depends on the choice first; what comes then cannot fail.
void LiveBody::Parts::adopt(Choice next, std::shared_ptr<const ReducedEquations> of) {
  const bool switches = next.method != choice.method;
  ReducedWorkspace next_work{ReducedSystem(*of, next.damping)};
  if (!switches) next_work.system.set_springs(springs(pulls, next.rank));
  Vector next_load = load_of(*of, gravity, forces);
  DynamicState next_state = resized(state, next.rank);
  note_change(next_state);
  std::unique_ptr<WarpedBody> next_warped = warped_for(next, *of, next_state);
  if (switches && next_warped) {
    next_warped->balance(next_state);
    if (!warped_surface) warped_surface.emplace(rest, model.surface.basis, model.warp->surface_rotations);
  } else if (switches) {
    require(balance(next_work, next_load, next_state).ok(),
            "the body is so far from rest that its forces are not finite; reset it first");
  }

  if (of != equations) natural.reset();
  if (switches) {
    pulls.clear();
    frame = {};
    handle_report = {};
  }
  work.system = std::move(next_work.system);
  equations = std::move(of);
  choice = std::move(next);
  load = std::move(next_load);
  state = std::move(next_state);
  warped = std::move(next_warped);
}

void LiveBody::Parts::adopt(Choice next) {
  std::shared_ptr<const ReducedEquations> of = equations_of(model, next);
  adopt(std::move(next), std::move(of));
}

void LiveBody::Parts::take_forces(std::vector<VertexForce> next) {
  if (next == forces) return;
  Vector next_load = load_of(*equations, gravity, next);
  if (warped) warped->set_forces(next);
  load = std::move(next_load);
  forces = std::move(next);
  note_change(state);
}

const NaturalModes& LiveBody::Parts::modes() {
  if (!natural) natural = natural_modes(*equations);
  return *natural;
}

void LiveBody::Parts::update_surface(Eigen::Ref<Eigen::Matrix3Xf> x) {
  coordinates = state.u.cast<float>();
  if (warped) {
    warped_surface->positions(coordinates, x);
  } else {
    reconstruction.positions(rest, coordinates, x);
  }
}

/// The acceleration becomes the one that balances the forces.
void LiveBody::Parts::go_to(DynamicState next) {
  constexpr const char* too_far = "the state is so far from rest that its forces are not finite";
  if (warped) {
    WarpedBody moved = *warped;
    moved.set_state(next);
    moved.balance(next);
    require(next.a.allFinite(), too_far);
    *warped = std::move(moved);
  } else {
    require(balance(work, load, next).ok(), too_far);
  }
  state = std::move(next);
}

SolveReport LiveBody::Parts::step_warped(double h, bool exact) {
  const auto integrator = exact ? ModalIntegrator::exact : ModalIntegrator::newmark;
  handle_report = warped->step(h, integrator, state);
  return {is_finite(handle_report) ? SolveStatus::converged : SolveStatus::not_finite,
          handle_report.iterations, 0.0, handle_report.rescued};
}

}  // namespace limber
