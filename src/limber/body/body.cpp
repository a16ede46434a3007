#include "limber/body/body.hpp"

#include "limber/base/error.hpp"
#include "limber/body/body_core.hpp"
#include "limber/body/follower_statics.hpp"
#include "limber/body/lowest_frequency.hpp"
#include "limber/reduced/reconstruction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <utility>

// What a body is made of, its motion and where it is; body_loads.cpp has what acts on it.

namespace limber {
namespace {

/// Frequency of a vibration as a share of the highest below which it is a rigid motion: rounding leaves 1e-8,
/// and bodies have 1e-3 or more.
constexpr double rigid_share = 1e-6;

void require_inertia_of_contact(SubtreeInertia inertia, const std::string& name) {
  require(inertia == SubtreeInertia::full,
          "{}: bodies that touch others take the full inertia of subtrees; choose that", name);
}

}  // namespace

Body::Body(std::shared_ptr<const Model> model) : core_(std::make_unique<Core>(std::move(model))) {}
Body::Body(Model model) : Body(std::make_shared<const Model>(std::move(model))) {}
Body::Body(std::string name, Method method, std::shared_ptr<const BodySurface> surface,
           std::unique_ptr<Motion> motion)
    : core_(std::make_unique<Core>(std::move(name), method, std::move(surface), std::move(motion))) {}
Body::~Body() = default;
Body::Body(const Body& other) : core_(std::make_unique<Core>(*other.core_)) {}
Body& Body::operator=(const Body& other) {
  if (this != &other) core_ = std::make_unique<Core>(*other.core_);
  return *this;
}
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;

const std::string& Body::name() const { return core_->name; }
bool Body::has_model() const { return core_->setup.model != nullptr; }
const Model& Body::model() const { return core_->model(); }
const std::shared_ptr<const Model>& Body::shared_model() const { return core_->setup.model; }
const BodySurface& Body::surface() const { return *core_->surface; }
const std::shared_ptr<const BodySurface>& Body::shared_surface() const { return core_->surface; }
const std::vector<int>& Body::vertex_domains() const {
  return has_model() ? core_->setup.surface->domains() : core_->domains;
}

void Body::set_material(Index region, const Material& material, Index part) {
  core_->check_region(region, part);
  if (!has_model()) return core_->motion->set_material(region, material);
  MotionSetup next = core_->setup;
  next.settings[static_cast<std::size_t>(part)].materials[static_cast<std::size_t>(region)] = material;
  core_->adopt(std::move(next));
}

const Material& Body::material(Index region, Index part) const {
  core_->check_region(region, part);
  const std::vector<Material>& materials =
      has_model() ? core_->setup.settings[static_cast<std::size_t>(part)].materials
                  : core_->motion->materials();
  return materials[static_cast<std::size_t>(region)];
}

void Body::set_damping(const RayleighDamping& damping) {
  require(std::isfinite(damping.mass) && damping.mass >= 0.0 && std::isfinite(damping.stiffness) &&
              damping.stiffness >= 0.0,
          "damping {} and {}, expected numbers of at least 0", damping.mass, damping.stiffness);
  core_->motion->set_damping(damping);
  core_->setup.damping = damping;
}

void Body::set_rank(Index rank, Index part) {
  core_->require_able(Ability::rank);
  core_->check_part(part);
  MotionSetup next = core_->setup;
  next.settings[static_cast<std::size_t>(part)].rank = rank;
  core_->adopt(std::move(next));
}

Index Body::rank(Index part) const {
  core_->check_part(part);
  return core_->setup.settings[static_cast<std::size_t>(part)].rank;
}

void Body::set_stiffness(Index domain, double factor) {
  core_->check_domain(domain);
  require(std::isfinite(factor) && factor > 0.0, "stiffness {} of domain '{}', expected a positive factor",
          factor, model().domains[static_cast<std::size_t>(domain)].name);
  MotionSetup next = core_->setup;
  next.stiffness[static_cast<std::size_t>(domain)] = factor;
  // For all leaves of a tree, one by one: a motion is not made anew for each.
  const bool same =
      kind_of(core_->method, next, core_->loads) == kind_of(core_->method, core_->setup, core_->loads);
  if (!same || !core_->motion->set_stiffness(domain, factor)) {
    core_->adopt(std::move(next));
    return;
  }
  core_->setup = std::move(next);
  core_->forget_modes();
}

double Body::stiffness(Index domain) const {
  core_->check_domain(domain);
  return core_->setup.stiffness[static_cast<std::size_t>(domain)];
}

void Body::set_inertia(SubtreeInertia inertia) {
  if (coupled()) require_inertia_of_contact(inertia, core_->name);
  core_->motion->set_inertia(inertia);
  core_->setup.inertia = inertia;
}

SubtreeInertia Body::inertia() const { return core_->setup.inertia; }

void Body::set_method(Method method) {
  if (method == core_->method) return;
  const std::string& name = core_->name;
  require(has_model() && !uses_mesh(method),
          "{}: it moves by the method '{}', which cannot become '{}' on the way; make a body of its {}", name,
          name_of(core_->method), name_of(method), has_model() ? "mesh" : "reduced model");
  if (model().domain_count() > 1) require_ability(method, Ability::several_domains, name);
  require(method != Method::warped || model().part(0).model.warp.has_value(),
          "{} has no rotations, which the method 'warped' needs; make it again by 'limber reduce'", name);
  require(method != Method::warped || stands_as_made(model().domains.front()),
          "{} stands elsewhere than it was made, or has other numbers of vertices, which the method 'warped' "
          "does not know",
          name);
  BodyLoads kept = core_->loads;
  if (kind_of(method, core_->setup, kept) != MotionKind::modes) {
    std::erase_if(kept.handles, [](const Handle& handle) { return handle.hold_orientation; });
    kept.exercised.clear();
    kept.priority = ConstraintPriority::position;
  }
  if (coupled()) core_->check_touching(method, kept);
  core_->adopt(method, core_->setup, std::move(kept));
}

void Body::set_modal_settings(const ModalSettings& settings) {
  require(has_model(), "{} moves with every vertex of its mesh, not by natural modes", core_->name);
  MotionSetup next = core_->setup;
  next.modal = settings;
  core_->adopt(std::move(next));
}

Method Body::method() const { return core_->method; }

StepReport Body::step(double h, const ReducedStepOptions& options) {
  core_->check_steps(options);
  const StepReport report = core_->motion->step(h, options);
  if (report.ok()) core_->follow_shape();
  return report;
}

void Body::set_coupled(bool on) {
  if (on == core_->setup.coupled) return;
  if (on) {
    core_->check_touching(core_->method, core_->loads);
    require_inertia_of_contact(core_->setup.inertia, core_->name);
    require(core_->motion->unknowns() > 0,
            "{}: it is held and has no coordinates, so that nothing moves it; make it an obstacle",
            core_->name);
  }
  if (!has_model()) {
    core_->motion->set_coupled(on);
    core_->setup.coupled = on;
    return;
  }
  MotionSetup next = core_->setup;
  next.coupled = on;
  core_->adopt(std::move(next));
}

bool Body::coupled() const { return core_->setup.coupled; }

SolveReport Body::begin_coupled(double h, CoupledStep& step, ElasticEnd elastic, const StepPart& part) {
  return core_->motion->begin_coupled(h, step, elastic, part);
}

SolveReport Body::end_coupled(const CoupledStep& step, const Vector& u, const Vector& impulse, bool last) {
  const SolveReport report = core_->motion->end_coupled(step, u, impulse, last);
  if (report.ok()) core_->follow_shape();
  return report;
}

SolveReport Body::condense(CondensedStep& step) { return core_->motion->condense(step); }

SolveReport Body::end_condensed(const CondensedStep& step, const Vector& impulse, bool last) {
  const SolveReport report = core_->motion->end_condensed(step, impulse, last);
  if (report.ok()) core_->follow_shape();
  return report;
}

const VolumeMesh* Body::volume_mesh() const { return core_->motion->volume_mesh(); }

void Body::undo_coupled() {
  core_->motion->undo_coupled();
  core_->follow_shape();
}

StepReport Body::solve_static(const EquilibriumOptions& options) {
  if (core_->surface_loads.follow()) return solve_following(*core_->motion, core_->surface_loads, options);
  return core_->motion->solve_static(options);
}

void Body::reset() {
  core_->motion->reset();
  core_->follow_shape();
}
double Body::time() const { return core_->motion->time(); }
const Vector& Body::q() const { return core_->motion->q(); }
const Vector& Body::v() const { return core_->motion->v(); }
Index Body::unknowns() const { return core_->motion->unknowns(); }
Index Body::freedoms() const { return core_->motion->freedoms(); }
TreeState Body::state() const { return core_->motion->state(); }

void Body::set_state(const Vector& q, const Vector& v) {
  TreeState next = state();
  next.q = q;
  next.v = v;
  set_state(next);
}

void Body::set_state(const TreeState& state) {
  const Index size = core_->motion->q().size();
  require(state.q.size() == size && state.v.size() == size,
          "the state has {} coordinates and {} velocities, expected {} of each", state.q.size(),
          state.v.size(), size);
  require(std::isfinite(state.time) && state.q.allFinite() && state.v.allFinite(),
          "the state has entries that are not finite");
  core_->take_back([&] { core_->motion->set_state(state, Motion::Accelerations::balance); });
}

void Body::set_velocity(const Vector3& velocity, const Vector3& angular) {
  require(velocity.allFinite() && angular.allFinite(), "{}: its velocity is not finite", core_->name);
  require(!has_model() || model().free, "{} is held, so that it cannot be thrown; reduce it with --free",
          core_->name);
  core_->motion->set_velocity(velocity, angular);
}

void Body::remember() { core_->motion->remember(); }
void Body::go_back() {
  core_->take_back([&] { core_->motion->go_back(); });
}
void Body::save(StateWriter& out) const { core_->motion->save(out); }
void Body::restore(StateReader& in) {
  const StateReader start = in;
  core_->take_back([&] {
    in = start;
    core_->motion->restore(in);
  });
}

BodyEnergy Body::energy() const { return core_->motion->energy(); }
double Body::load_energy() const { return core_->motion->load_energy(); }
TreeMomentum Body::momentum() const { return core_->motion->momentum(); }

Vector3 Body::position(const Point& point) const {
  core_->check_point(point);
  return core_->motion->position(point);
}

Vector3 Body::velocity(const Point& point) const {
  core_->check_point(point);
  return core_->motion->velocity(point);
}

Eigen::Quaterniond Body::orientation(const Point& point) const {
  core_->check_point(point);
  return core_->motion->orientation(point);
}

void Body::point_rows(const Point& point, PointRows& result) const {
  core_->check_point(point);
  core_->motion->point_rows(point, result);
}

Matrix3X Body::surface_displacement() const { return core_->motion->surface_displacement(); }
Matrix3X Body::mesh_displacement() const { return core_->motion->mesh_displacement(); }
Index Body::mesh_vertex_count() const { return core_->motion->mesh_vertex_count(); }

Pose Body::frame(Index domain) const {
  if (has_model()) core_->check_domain(domain);
  return core_->motion->frame(domain);
}

void Body::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const { core_->motion->positions(x); }

void Body::write_vertices(std::span<float> buffer, const VertexLayout& layout) const {
  const SurfaceMesh& mesh = surface().mesh();
  const Index count = mesh.vertex_count();
  const bool with_normals = layout.normal >= 0;
  const Index last = std::max(layout.position, layout.normal) + 3;
  require(
      layout.position >= 0 && layout.normal >= -1 && layout.stride >= last &&
          (!with_normals || std::abs(layout.position - layout.normal) >= 3),
      "a vertex of {} floats with its position from {} and its normal from {}: they overlap or do not fit",
      layout.stride, layout.position, layout.normal);
  require(count == 0 || static_cast<Index>(buffer.size()) >= (count - 1) * layout.stride + last,
          "room for {} floats, {} vertices of {} need {}", buffer.size(), count, layout.stride,
          (count - 1) * layout.stride + last);
  core_->points.resize(3, count);
  positions(core_->points);
  if (with_normals) {
    if (!core_->normal_updater)
      core_->normal_updater = std::make_shared<const NormalUpdater>(mesh.triangles, count);
    core_->normals.resize(3, count);
    core_->normal_updater->update(core_->points, core_->normals);
  }
  for (Index v = 0; v < count; ++v) {
    float* const vertex = buffer.data() + v * layout.stride;
    for (Index axis = 0; axis < 3; ++axis) {
      vertex[layout.position + axis] = core_->points(axis, v);
      if (with_normals) vertex[layout.normal + axis] = core_->normals(axis, v);
    }
  }
}

std::optional<Pick> Body::pick(const Vector3& origin, const Vector3& direction) const {
  require(origin.allFinite(), "the ray starts at ({}, {}, {}), expected finite numbers", origin.x(),
          origin.y(), origin.z());
  const SurfaceMesh& mesh = surface().mesh();
  core_->points.resize(3, mesh.vertex_count());
  positions(core_->points);
  return pick_vertex(core_->points.cast<double>(), mesh.triangles, origin, direction);
}

const TreeDynamics* Body::tree() const { return core_->motion->tree(); }
const OnlineReport* Body::online_report() const { return core_->motion->online_report(); }
double Body::smallest_volume_ratio() const { return core_->motion->smallest_volume_ratio(); }

InterfaceGap Body::largest_gap() const {
  const TreeDynamics* const tree = core_->motion->tree();
  return tree != nullptr ? tree->largest_gap() : InterfaceGap{};
}

double Body::stiffness_at(int vertex) const {
  core_->check_point(vertex);
  if (!core_->single()) return core_->motion->tree()->stiffness_at(core_->setup.surface->point(vertex));
  const auto& [frequencies, shapes] = core_->all_modes();
  // K(0)^-1 = S diag(1 / omega^2) S^T
  const Index used = frequencies.size();
  const Matrix3X rows = core_->setup.surface->point(vertex).rows.leftCols(used);
  const Eigen::Matrix3Xd moves = rows * shapes;
  if (moves.isZero(0.0)) return std::numeric_limits<double>::infinity();
  double compliance = 0.0;  // m/N, the sum over three directions
  for (Index i = 0; i < frequencies.size(); ++i) {
    const double omega = 2.0 * std::numbers::pi * frequencies(i);
    if (frequencies(i) > rigid_share * frequencies(frequencies.size() - 1))
      compliance += moves.col(i).squaredNorm() / (omega * omega);
  }
  // Shapes are of a mass that grows with s^5, and move places by s times as much.
  const double scale = model().domains.front().scale;
  return compliance > 0.0 ? 3.0 * scale * scale * scale / compliance : 0.0;
}

const Vector& Body::frequencies() const {
  if (!core_->frequencies) {
    const TreeDynamics* const tree = core_->motion->tree();
    core_->frequencies =
        core_->single() ? core_->modes().frequencies : Vector::Constant(1, lowest_frequency(*tree)).eval();
  }
  return *core_->frequencies;
}

Vector Body::mode_shape(Index i) const {
  require(core_->single(), "{} has {} domains; vibrations are shown of bodies with one", core_->name,
          model().domain_count());
  const NaturalModes& modes = core_->modes();
  const Index count = modes.frequencies.size();
  require(i >= 0 && i < count, "vibration {} of a body with {}, expected 0 to {}", i, count, count - 1);
  Vector shape = modes.shapes.col(i);
  const Eigen::MatrixXf& basis = model().part(0).model.surface.basis;
  Vector u = Vector::Zero(basis.rows());
  for (Index k = 0; k < shape.size(); ++k) u += shape(k) * basis.col(k).cast<double>();
  const double farthest = std::sqrt(u.reshaped(3, u.size() / 3).colwise().squaredNorm().maxCoeff());
  return farthest > 0.0 ? Vector(shape / (farthest * model().domains.front().scale)) : shape;
}

}  // namespace limber
