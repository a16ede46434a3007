#include "limber/scene/modal_body.hpp"

#include "limber/base/error.hpp"
#include "limber/scene/body_model.hpp"
#include "limber/scene/load.hpp"
#include "limber/scene/support.hpp"
#include "limber/warp/nodal_rotations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// The same stiffness at rest, which is all that matters here, with forces that need no training.
std::vector<Material> as_stvk(std::vector<Material> materials) {
  for (Material& material : materials) material.law = make_law("stvk", lame_of(material.law));
  return materials;
}

ReduceOptions linear_modes_only(ReduceOptions options) {
  options.basis.order = 0;
  if (options.basis.sketch.empty() && options.basis.snapshots.empty())
    options.basis.rank = std::max(options.basis.modes, 1);
  options.forces = ForceKind::exact;
  return options;
}

std::shared_ptr<const ReducedModel> find_modal_model(const SceneBody& body, const Executor& executor,
                                                     const Progress& progress) {
  return find_model(body, as_stvk(body.materials), linear_modes_only(body.reduction), executor, progress);
}

void check_body(const Scene& scene, const SceneBody& body, const ReducedModel& model) {
  const bool statics = scene.solver.type == SimulationType::statics;
  require(!statics || (body.constraints.empty() && !body.support),
          "{}: 'constraints' and 'support' need a dynamic solver; set solver.type to 'dynamic'", body.name);
  if (statics) require_held(body, model);
  require(!body.support || !model.simulation ||
              unheld_parts(model.simulation->mesh, model.simulation->fixed).empty(),
          "{}: 'support' moves the vertices that are fixed, but they do not hold the body; give 'fixed'",
          body.name);
}

/// Displacements in the world of what is displaced by u in its frame.
Matrix3X carried(const Pose& pose, const Matrix3X& rest, Matrix3X u) {
  const Matrix3 rotation = pose.rotation.toRotationMatrix();
  u = ((rotation * (rest + u)).colwise() + pose.position) - rest;
  return u;
}

}  // namespace

ModalBody::ModalBody(const Scene& scene, const SceneBody& body, const Executor& executor,
                     const Progress& progress)
    : executor_(executor),
      model_(find_modal_model(body, executor, progress)),
      gravity_(scene.gravity),
      statics_(scene.solver.statics),
      static_iterations_(scene.solver.reduced_static_iterations),
      loads_(body.loads),
      accelerations_(body.accelerations) {
  check_body(scene, body, *model_);
  if (body.support) support_ = from_time_zero(body.support);
  const std::vector<Material> materials = as_stvk(region_materials(body, *model_));
  mass_ = total_mass(*model_, materials);
  require(body.rank <= model_->rank, "{}: rank {} asked for, the reduced model has {}", body.name, body.rank,
          model_->rank);
  WarpedEquationsOptions options;
  options.modes = body.rank;
  options.damping = body.damping;
  const bool warp = scene.solver.order == ModelOrder::warped;
  dynamics_ = std::make_unique<WarpedDynamics>(
      make_warped_equations(*model_, materials, options),
      WarpedOptions{scene.solver.modal_integrator, warp, warp && body.coriolis});
  turn_of_mode_ = Vector::Zero(equations().modes());
  for (Index lump = 0; lump < equations().lumps(); ++lump)
    turn_of_mode_ =
        turn_of_mode_.cwiseMax(equations().rotations.middleRows<3>(3 * lump).colwise().norm().transpose());
  sites_ = BodySites(model_, warp, executor);
  if (support_) check_support(scene, body, sites_.mesh().vertices);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    load_sites_.emplace_back();
    for (const int v : loaded_vertices(sites_.mesh(), body, i))
      load_sites_.back().push_back(sites_.site(equations(), v));
  }
  if (body.constraints.empty()) return;
  const OscillatorStep step = make_oscillator_step(equations().stiffness, equations().damping,
                                                   scene.solver.timestep, ModalIntegrator::semi_implicit);
  constraints_ = ConstraintSchedule(body, sites_, equations(), step.q_of_f);
}

/// Gravity and point loads as they are on average from t0 to t1, in the axes of the frame.
void ModalBody::apply_loads(double t0, double t1) {
  loads_from_ = t0;
  loads_to_ = t1;
  const Eigen::Quaterniond to_frame = pose_at(0.5 * (t0 + t1)).rotation.conjugate();
  dynamics_->set_gravity(to_frame * Vector3(gravity_ + mean_acceleration(accelerations_, t0, t1)));
  Vector shares(static_cast<Index>(loads_.size()));
  for (std::size_t i = 0; i < loads_.size(); ++i)
    shares(static_cast<Index>(i)) = active_share(loads_[i], t0, t1);
  const bool same = shares_.size() == shares.size() && shares_ == shares;
  if (same && (to_frame.coeffs() == to_frame_.coeffs() || shares.isZero(0.0))) return;
  std::vector<SiteForce> forces;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const double share = shares(static_cast<Index>(i));
    if (share == 0.0) continue;
    for (const WarpSite& site : load_sites_[i])
      forces.push_back({site, to_frame * Vector3(share * loads_[i].force)});
  }
  dynamics_->set_forces(std::move(forces));
  shares_ = shares;
  to_frame_ = to_frame;
}

void ModalBody::apply_frame_motion(double t0, double t1) {
  if (support_) dynamics_->set_frame_motion(support_motion(support_, t0, t1));
}

/// Keeps the amplitudes of the step if they turn more than those kept so far. The squares of what each mode
/// turns alone are added: which of the shapes of a run is the worst need not be known exactly, and each step
/// must stay as cheap as it is.
void ModalBody::look_for_turns() {
  if (!warped()) return;
  const double turn = q().cwiseProduct(turn_of_mode_).squaredNorm();
  if (!(turn > most_turn_)) return;
  most_turn_ = turn;
  most_turned_ = q();
}

WarpDistortion ModalBody::largest_distortion() const {
  if (!warped() || most_turned_.size() == 0) return {};
  return warp_distortion(*model_, equations().shapes * most_turned_);
}

StepReport ModalBody::solve(const Progress& progress) {
  report(progress, "statics of modes", 0.0);
  apply_loads(0.0, 0.0);
  const SolveReport solved = dynamics_->solve_static(statics_.tolerance, static_iterations_);
  look_for_turns();
  return {solved, 1.0, 1};
}

StepReport ModalBody::advance(double timestep) {
  // The scene's time: a sum of steps would drift away from times that are multiples of them.
  const double start = step_ * timestep, end = (step_ + 1) * timestep;
  apply_loads(start, end);
  apply_frame_motion(start, end);
  // Times that are multiples of the step up to rounding mean these.
  if (!constraints_.empty()) constraints_.prepare(*dynamics_, end, pose_at(end), 1e-6 * timestep);
  constraint_report_ = dynamics_->step(timestep);
  if (!std::isfinite(constraint_report_.position_error + constraint_report_.orientation_error))
    return {
        {SolveStatus::not_finite, constraint_report_.iterations, std::numeric_limits<double>::infinity()}};
  ++step_;
  time_ = end;
  constraints_.record(*dynamics_, time_, constraint_report_);
  look_for_turns();
  return {{SolveStatus::converged, constraint_report_.iterations, 0.0, constraint_report_.rescued}};
}

void ModalBody::remember() { remembered_ = {dynamics_->state(), step_, time_}; }

void ModalBody::go_back() {
  dynamics_->set_state(remembered_.state);
  step_ = remembered_.step;
  time_ = remembered_.time;
}

/// Loads and the motion of the frame are written by the time that they were of.
void ModalBody::save(StateWriter& out) const {
  out.write(std::int64_t{step_});
  out.write(time_);
  out.write(loads_from_);
  out.write(loads_to_);
  dynamics_->save(out);
  constraints_.save(*dynamics_, out);
  out.write(constraint_report_.met);
  out.write(std::int64_t{constraint_report_.iterations});
  out.write(constraint_report_.position_error);
  out.write(constraint_report_.orientation_error);
  out.write(most_turn_);
  out.write(most_turned_);
}

void ModalBody::restore(StateReader& in) {
  std::int64_t step = 0, iterations = 0;
  in.read(step);
  in.read(time_);
  step_ = static_cast<int>(step);
  double from = 0.0, to = 0.0;
  in.read(from);
  in.read(to);
  if (to > from) {  // loads that stand as before the break are no change, after which slack is forgotten
    apply_loads(from, to);
    apply_frame_motion(from, to);
  }
  dynamics_->restore(in);
  constraints_.restore(*dynamics_, in);
  in.read(constraint_report_.met);
  in.read(iterations);
  in.read(constraint_report_.position_error);
  in.read(constraint_report_.orientation_error);
  in.read(most_turn_);
  in.read(most_turned_);
  require(most_turned_.size() == 0 || most_turned_.size() == equations().modes(),
          "the state has {} amplitudes, the body {}", most_turned_.size(), equations().modes());
  constraint_report_.iterations = static_cast<int>(iterations);
}

Matrix3X ModalBody::displacement() const {
  if (!model_->simulation) return Matrix3X(3, 0);
  static const Matrix linear;
  const SimulationMesh& simulation = *model_->simulation;
  return carried(pose(), simulation.mesh.vertices,
                 warped_field(simulation.basis, warped() ? sites_.rotations() : linear, coordinates()));
}

Matrix3X ModalBody::surface_displacement_in_frame(const Vector& at) const {
  static const Eigen::MatrixXf linear;
  return warped_field(model_->surface.basis, warped() ? model_->warp->surface_rotations : linear, at);
}

Matrix3X ModalBody::surface_displacement() const {
  return carried(pose(), model_->surface.mesh.vertices, surface_displacement_in_frame(coordinates()));
}

/// As for a reduced body: nobody needs it enough to walk over the mesh at each step.
double ModalBody::smallest_volume_ratio() const { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace limber
