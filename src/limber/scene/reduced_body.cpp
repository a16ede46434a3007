#include "limber/scene/reduced_body.hpp"

#include "limber/base/error.hpp"
#include "limber/integrators/halving.hpp"
#include "limber/integrators/saved_state.hpp"
#include "limber/scene/body_model.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/scene.hpp"

#include <algorithm>
#include <limits>

namespace limber {
namespace {

void check_laws(const SceneBody& body, const ReducedModel& model, const std::vector<Material>& materials) {
  for (const Material& material : materials) {
    require(model.cubature || std::holds_alternative<Stvk>(material.law),
            "{}: the material is {}, but a reduced model with exact forces takes stvk only", body.name,
            name_of(material.law));
  }
}

Vector load_vector(const ReducedModel& model, const VolumeMesh& mesh, const SceneBody& body, std::size_t load,
                   Index rank) {
  Vector force = Vector::Zero(rank);
  for (const int v : loaded_vertices(mesh, body, load)) {
    const Vector3& f = body.loads[load].force;
    if (model.simulation) {
      force += model.simulation->basis.block(3 * Index{v}, 0, 3, rank).transpose() * f;
    } else {
      force += model.surface.basis.block(3 * Index{v}, 0, 3, rank).cast<double>().transpose() * f;
    }
  }
  return force;
}

}  // namespace

ReducedBody::ReducedBody(const Scene& scene, const SceneBody& body, const Executor& executor,
                         const Progress& progress)
    : executor_(executor), model_(find_model(body, body.materials, body.reduction, executor, progress)) {
  if (scene.solver.type == SimulationType::statics) require_held(body, *model_);
  const Index rank = body.rank == 0 ? model_->rank : body.rank;
  require(rank <= model_->rank, "{}: rank {} asked for, the reduced model has {}", body.name, rank,
          model_->rank);
  const std::vector<Material> materials = region_materials(body, *model_);
  check_laws(body, *model_, materials);
  equations_ = make_equations(*model_, materials, rank);
  mass_ = total_mass(*model_, materials);

  const VolumeMesh mesh = vertices_to_choose(*model_);
  std::vector<Vector> forces;
  for (std::size_t i = 0; i < body.loads.size(); ++i)
    forces.push_back(load_vector(*model_, mesh, body, i, rank));
  load_ = make_load_function(
      body, scene.gravity, [&](const Vector3& a) -> Vector { return equations_.weight * a; },
      std::move(forces));
  f_ext_ = load_before_ = Vector::Zero(rank);
  state_ = make_reduced_state(rank);
  statics_ = scene.solver.statics;
  static_iterations_ = scene.solver.reduced_static_iterations;
  options_.integrator = scene.solver.integrator;
  options_.newmark = scene.solver.newmark;
  if (scene.solver.linear_solver == SparseSolverKind::conjugate_gradient)
    options_.solver = ReducedSolver::conjugate_gradient;
  work_ =
      std::make_unique<ReducedWorkspace>(ReducedWorkspace{ReducedSystem(equations_, body.damping), {}, {}});
  if (scene.solver.type == SimulationType::dynamics &&
      scene.solver.integrator == Integrator::central_differences) {
    check_explicit_timestep(body, scene.solver.timestep, critical_timestep(equations_, body.damping));
  }
}

StepReport ReducedBody::solve(const Progress& progress) {
  report(progress, "reduced statics", 0.0);
  load_(0.0, 0.0, f_ext_);
  const SolveReport solved =
      solve_static(work_->system, f_ext_, state_.u, statics_.tolerance, static_iterations_);
  return {solved, 1.0, 1};
}

StepReport ReducedBody::advance(double timestep) {
  if (!started_) {  // only now is it known over which time the first force stands
    load_(0.0, 0.5 * timestep, f_ext_);
    if (const SolveReport balanced = balance(*work_, f_ext_, state_); !balanced.ok()) return {balanced};
    started_ = true;
  }
  const DynamicState start = state_;
  bool load_changes = false;
  const auto advance_part = [&](double h, bool last) {
    load_(std::max(0.0, state_.time - 0.5 * h), state_.time + 0.5 * h, load_before_);
    load_(state_.time + 0.5 * h, state_.time + 1.5 * h, f_ext_);
    const StepLoad load = mean_load(f_ext_, options_.newmark, load_before_, state_);
    load_changes = load_changes || !load.stands_still();
    return step_once(*work_, h, load, state_, options_, last);
  };
  const SolveReport solved = step_by_halves(
      advance_part, timestep, options_.integrator == Integrator::newmark ? max_step_halvings : 0);
  if (solved.ok()) {
    state_.time = start.time + timestep;
    if (load_changes) forget_slack(state_);
  } else {
    state_ = start;
  }
  return {solved};
}

void ReducedBody::remember() {
  remembered_ = state_;
  remembered_started_ = started_;
}

void ReducedBody::go_back() {
  state_ = remembered_;
  started_ = remembered_started_;
}

/// What the workspace keeps from step to step (preconditioner, evaluations) follows from the state and the
/// step, to the bit.
void ReducedBody::save(StateWriter& out) const {
  out.write(started_);
  save_state(state_, out);
}

void ReducedBody::restore(StateReader& in) {
  in.read(started_);
  state_ = restore_state(in, equations_.rank);
}

double ReducedBody::mass() const { return mass_; }

double ReducedBody::energy() const { return total_energy(*work_, state_); }

/// Nobody needs it enough to walk over the mesh at each step.
double ReducedBody::smallest_volume_ratio() const { return std::numeric_limits<double>::quiet_NaN(); }

Matrix3X ReducedBody::displacement() const {
  if (!model_->simulation) return Matrix3X(3, 0);
  const Matrix& basis = model_->simulation->basis;
  Matrix3X field(3, basis.rows() / 3);
  field.reshaped() = basis.leftCols(q().size()) * q();
  return field;
}

Matrix3X ReducedBody::surface_displacement() const {
  const Eigen::MatrixXf& basis = model_->surface.basis;
  Matrix3X field(3, basis.rows() / 3);
  field.reshaped() = (basis.leftCols(q().size()) * q().cast<float>()).cast<double>();
  return field;
}

}  // namespace limber
