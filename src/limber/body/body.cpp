#include "limber/body/body.hpp"

#include "limber/base/error.hpp"
#include "limber/body/lowest_frequency.hpp"
#include "limber/body/reduced_motion.hpp"
#include "limber/body/tree_motion.hpp"
#include "limber/body/warped_motion.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <utility>

namespace limber {
namespace {

/// Frequency of a vibration as a share of the highest below which it is a rigid motion: rounding leaves 1e-8,
/// and bodies have 1e-3 or more.
constexpr double rigid_share = 1e-6;

bool blows(const Wind& wind) { return !wind.velocity.isZero(0.0) && wind.coefficient > 0.0; }

std::size_t root_part(const Model& model) { return static_cast<std::size_t>(model.domains.front().part); }

/// With the vertices of its part in their own order, too.
bool stands_as_made(const Domain& root) {
  return root.part == 0 && root.surface_vertices.empty() && root.scale == 1.0 && root.position.isZero(0.0) &&
         root.rotation.coeffs() == Eigen::Quaterniond::Identity().coeffs();
}

/// Whether a body must have the frame of its root computed: all but one domain that is held as it was made.
bool has_frames(const MotionSetup& setup, const BodyLoads& loads) {
  const Model& model = *setup.model;
  const Domain& root = model.domains.front();
  return model.free || model.domain_count() > 1 || model.rank(0) == 0 || loads.support || blows(loads.wind) ||
         setup.stiffness.front() != 1.0 || !stands_as_made(root);
}

std::unique_ptr<Motion> make_motion(Method method, const MotionSetup& setup, const BodyLoads& loads) {
  if (method == Method::warped) return std::make_unique<WarpedMotion>(setup);
  if (has_frames(setup, loads)) return std::make_unique<TreeMotion>(setup);
  return std::make_unique<ReducedMotion>(setup);
}

/// Coordinates of domains whose ranks change, zeros for those that are new.
Vector resized(const Vector& x, const Model& model, const std::vector<PartSettings>& from,
               const std::vector<PartSettings>& to) {
  Index size = 0;
  for (const Domain& domain : model.domains) size += to[static_cast<std::size_t>(domain.part)].rank;
  Vector result = Vector::Zero(size);
  Index read = 0, written = 0;
  for (const Domain& domain : model.domains) {
    const auto part = static_cast<std::size_t>(domain.part);
    const Index kept = std::min(from[part].rank, to[part].rank);
    result.segment(written, kept) = x.segment(read, kept);
    read += from[part].rank;
    written += to[part].rank;
  }
  return result;
}

}  // namespace

struct Body::Core {
  MotionSetup setup;
  Method method = Method::reduced;
  BodyLoads loads;
  std::unique_ptr<Motion> motion;

  // Memory of const functions and what these compute when first asked.
  Eigen::Matrix3Xf points, normals;
  std::shared_ptr<const NormalUpdater> normal_updater;
  std::optional<NaturalModes> natural;
  std::optional<Vector> frequencies;

  explicit Core(std::shared_ptr<const Model> model) {
    require(model != nullptr, "the model of a body is missing");
    check_model(*model, model->name.empty() ? "the model" : model->name);
    setup.surface = std::make_shared<const TreeSurface>(model);
    setup.settings = settings_of(*model);
    for (const Domain& domain : model->domains) setup.stiffness.push_back(domain.stiffness);
    setup.model = std::move(model);
    motion = make_motion(method, setup, loads);
  }
  Core(const Core& other)
      : setup(other.setup),
        method(other.method),
        loads(other.loads),
        motion(other.motion->copy()),
        normal_updater(other.normal_updater),
        natural(other.natural),
        frequencies(other.frequencies) {}

  [[nodiscard]] std::string name() const {
    return setup.model->name.empty() ? "the body" : setup.model->name;
  }
  [[nodiscard]] bool single() const { return setup.model->domain_count() == 1 && setup.model->rank(0) > 0; }

  void check_vertex(int vertex) const {
    const Index count = setup.surface->mesh().vertex_count();
    require(vertex >= 0 && vertex < count, "vertex {} of a surface with vertices 0 to {}", vertex, count - 1);
    require(setup.surface->domains()[static_cast<std::size_t>(vertex)] >= 0, "vertex {} belongs to no domain",
            vertex);
  }
  void check_part(Index part) const {
    const auto count = static_cast<Index>(setup.settings.size());
    require(part >= 0 && part < count, "part {} of a body with parts 0 to {}", part, count - 1);
  }
  void check_region(Index region, Index part) const {
    check_part(part);
    const auto count = static_cast<Index>(setup.settings[static_cast<std::size_t>(part)].materials.size());
    require(region >= 0 &&
                    region<count, "region {} of a {} with regions 0 to {}", region, setup.settings.size()> 1
                ? "part"
                : "body",
            count - 1);
  }
  void check_domain(Index domain) const {
    require(domain >= 0 && domain < setup.model->domain_count(), "domain {}, expected 0 to {}", domain,
            setup.model->domain_count() - 1);
  }

  /// Makes all that depends on these first; what comes then cannot fail.
  void adopt(Method next_method, MotionSetup next, BodyLoads next_loads) {
    for (PartSettings& settings : next.settings) settings.linear = next_method == Method::linear;
    check_settings(*next.model, next.settings);
    std::unique_ptr<Motion> moved = make_motion(next_method, next, next_loads);
    moved->take(next_loads);
    TreeState state = motion->state();
    for (Vector* x : {&state.q, &state.v, &state.a})
      *x = resized(*x, *next.model, setup.settings, next.settings);
    const bool same = next_method == method && has_frames(next, next_loads) == has_frames(setup, loads);
    moved->set_state(state, same ? Motion::Accelerations::keep : Motion::Accelerations::balance);
    setup = std::move(next);
    method = next_method;
    loads = std::move(next_loads);
    motion = std::move(moved);
    natural.reset();
    frequencies.reset();
  }
  void adopt(MotionSetup next) { adopt(method, std::move(next), loads); }

  /// The same body with or without the frame of its root, where the loads now ask for the other.
  void adopt(BodyLoads next) {
    if (method == Method::warped || has_frames(setup, next) == has_frames(setup, loads)) {
      motion->set_wind(next.wind);
      motion->set_support(next.support);
      loads = std::move(next);
    } else {
      adopt(method, setup, std::move(next));
    }
  }

  /// Of vibrations: elastic forces grow with k s^3, inertia with s^5.
  [[nodiscard]] double frequency_factor() const {
    return std::sqrt(setup.stiffness.front()) / setup.model->domains.front().scale;
  }
  const NaturalModes& modes() {
    if (!natural) {
      const PartSettings& settings = setup.settings[root_part(*setup.model)];
      natural = natural_modes(make_equations(setup.model->part(0).model, settings.materials, settings.rank));
      natural->frequencies *= frequency_factor();
    }
    return *natural;
  }
};

Body::Body(std::shared_ptr<const Model> model) : core_(std::make_unique<Core>(std::move(model))) {}
Body::Body(Model model) : Body(std::make_shared<const Model>(std::move(model))) {}
Body::~Body() = default;
Body::Body(const Body& other) : core_(std::make_unique<Core>(*other.core_)) {}
Body& Body::operator=(const Body& other) {
  if (this != &other) core_ = std::make_unique<Core>(*other.core_);
  return *this;
}
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;

const Model& Body::model() const { return *core_->setup.model; }
const std::shared_ptr<const Model>& Body::shared_model() const { return core_->setup.model; }
const TreeSurface& Body::surface() const { return *core_->setup.surface; }

void Body::set_material(Index region, const Material& material, Index part) {
  core_->check_region(region, part);
  MotionSetup next = core_->setup;
  next.settings[static_cast<std::size_t>(part)].materials[static_cast<std::size_t>(region)] = material;
  core_->adopt(std::move(next));
}

const Material& Body::material(Index region, Index part) const {
  core_->check_region(region, part);
  return core_->setup.settings[static_cast<std::size_t>(part)].materials[static_cast<std::size_t>(region)];
}

void Body::set_damping(const RayleighDamping& damping) {
  require(std::isfinite(damping.mass) && damping.mass >= 0.0 && std::isfinite(damping.stiffness) &&
              damping.stiffness >= 0.0,
          "damping {} and {}, expected numbers of at least 0", damping.mass, damping.stiffness);
  core_->motion->set_damping(damping);
  core_->setup.damping = damping;
}

void Body::set_rank(Index rank, Index part) {
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
  const bool same_frames = has_frames(next, core_->loads) == has_frames(core_->setup, core_->loads);
  if (!same_frames || !core_->motion->set_stiffness(domain, factor)) {
    core_->adopt(std::move(next));
    return;
  }
  core_->setup = std::move(next);
  core_->natural.reset();
  core_->frequencies.reset();
}

double Body::stiffness(Index domain) const {
  core_->check_domain(domain);
  return core_->setup.stiffness[static_cast<std::size_t>(domain)];
}

void Body::set_inertia(SubtreeInertia inertia) {
  core_->motion->set_inertia(inertia);
  core_->setup.inertia = inertia;
}

SubtreeInertia Body::inertia() const { return core_->setup.inertia; }

void Body::set_method(Method method) {
  if (method == core_->method) return;
  const std::string name = core_->name();
  if (model().domain_count() > 1) require_ability(method, Ability::several_domains, name);
  if (model().free) require_ability(method, Ability::flight, name);
  require(method != Method::warped || model().part(0).model.warp.has_value(),
          "{} has no rotations, which the method 'warped' needs; make it again by 'limber reduce'", name);
  require(method != Method::warped || stands_as_made(model().domains.front()),
          "{} stands elsewhere than it was made, or has other numbers of vertices, which the method 'warped' "
          "does not know",
          name);
  BodyLoads kept = core_->loads;
  if (!can(method, Ability::springs)) kept.springs.clear();
  if (!can(method, Ability::handles)) kept.handles.clear();
  if (!can(method, Ability::wind)) kept.wind = {};
  if (!can(method, Ability::support)) kept.support = nullptr;
  core_->adopt(method, core_->setup, std::move(kept));
}

Method Body::method() const { return core_->method; }

void Body::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}) m/s^2, expected finite numbers",
          acceleration.x(), acceleration.y(), acceleration.z());
  core_->motion->set_gravity(acceleration);
  core_->loads.gravity = acceleration;
}

void Body::set_forces(std::span<const VertexForce> forces) {
  std::vector<VertexForce> next;
  next.reserve(forces.size());
  for (const VertexForce& one : forces) {
    core_->check_vertex(one.vertex);
    require(one.force.allFinite(), "the force on vertex {} is ({}, {}, {}) N, expected finite numbers",
            one.vertex, one.force.x(), one.force.y(), one.force.z());
    if (!one.force.isZero(0.0)) next.push_back(one);
  }
  core_->motion->set_forces(next);
  core_->loads.forces = std::move(next);
}

void Body::set_force(int vertex, const Vector3& force) {
  core_->check_vertex(vertex);
  std::vector<VertexForce> next = core_->loads.forces;
  std::erase_if(next, [&](const VertexForce& one) { return one.vertex == vertex; });
  next.push_back({vertex, force});
  set_forces(next);
}

void Body::set_springs(std::span<const Spring> springs) {
  if (!springs.empty()) require_ability(core_->method, Ability::springs, core_->name());
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const auto& [vertex, target, stiffness] = springs[i];
    core_->check_vertex(vertex);
    require(target.allFinite(), "spring {} pulls towards ({}, {}, {}) m, expected finite numbers", i,
            target.x(), target.y(), target.z());
    require(std::isfinite(stiffness) && stiffness >= 0.0,
            "the stiffness of spring {} is {} N/m, expected a finite number of at least 0", i, stiffness);
  }
  std::vector<Spring> next(springs.begin(), springs.end());
  core_->motion->set_springs(springs);
  core_->loads.springs = std::move(next);
}

Vector3 Body::spring_force(Index spring) const {
  const auto count = static_cast<Index>(core_->loads.springs.size());
  require(spring >= 0 && spring < count, "spring {} of a body with {} springs", spring, count);
  const auto& [vertex, target, stiffness] = core_->loads.springs[static_cast<std::size_t>(spring)];
  return stiffness * (target - position(vertex));
}

double Body::stiffness_at(int vertex) const {
  core_->check_vertex(vertex);
  if (!core_->single()) return core_->motion->tree()->stiffness_at(surface().point(vertex));
  const auto& [frequencies, shapes] = core_->modes();
  // K(0)^-1 = S diag(1 / omega^2) S^T
  const Index used = frequencies.size();
  const Matrix3X rows = surface().point(vertex).rows.leftCols(used);
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

void Body::set_handles(std::span<const Handle> handles, ConstraintPriority priority) {
  if (!handles.empty()) require_ability(core_->method, Ability::handles, core_->name());
  if (core_->method != Method::warped) return;
  std::vector<Handle> next(handles.begin(), handles.end());
  core_->motion->set_handles(handles, priority);
  core_->loads.handles = std::move(next);
  core_->loads.priority = priority;
}

ConstraintReport Body::handle_report() const { return core_->motion->handle_report(); }

void Body::set_wind(const Wind& wind) {
  if (!(wind == Wind{})) require_ability(core_->method, Ability::wind, core_->name());
  require(wind.velocity.allFinite() && std::isfinite(wind.gusts) && std::isfinite(wind.coefficient) &&
              wind.coefficient >= 0.0 && std::isfinite(wind.density) && wind.density >= 0.0,
          "wind must be finite, its coefficient and density at least 0");
  BodyLoads next = core_->loads;
  next.wind = blows(wind) ? wind : Wind{};
  core_->adopt(std::move(next));
}

void Body::set_support(PoseFunction motion) {
  if (motion) {
    require_ability(core_->method, Ability::support, core_->name());
    require(!model().free, "{} is a free body, which no support can move", core_->name());
    const Pose start = motion(time());
    require(start.position.allFinite() && is_unit(start.rotation),
            "the pose of the support at {} s is not finite, or its rotation not of unit length", time());
  }
  BodyLoads next = core_->loads;
  next.support = std::move(motion);
  core_->adopt(std::move(next));
}

const BodyLoads& Body::loads() const { return core_->loads; }

SolveReport Body::step(double h, const ReducedStepOptions& options) {
  return core_->motion->step(h, options);
}
void Body::reset() { core_->motion->reset(); }
double Body::time() const { return core_->motion->time(); }
const Vector& Body::q() const { return core_->motion->q(); }
const Vector& Body::v() const { return core_->motion->v(); }
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
  core_->motion->set_state(state, Motion::Accelerations::balance);
}

void Body::save(StateWriter& out) const { core_->motion->save(out); }
void Body::restore(StateReader& in) { core_->motion->restore(in); }

BodyEnergy Body::energy() const { return core_->motion->energy(); }
double Body::load_energy() const { return core_->motion->load_energy(); }
TreeMomentum Body::momentum() const { return core_->motion->momentum(); }

Vector3 Body::position(int vertex) const {
  core_->check_vertex(vertex);
  return core_->motion->position(vertex);
}

Vector3 Body::velocity(int vertex) const {
  core_->check_vertex(vertex);
  return core_->motion->velocity(vertex);
}

Eigen::Quaterniond Body::orientation(int vertex) const {
  core_->check_vertex(vertex);
  return core_->motion->orientation(vertex);
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

InterfaceGap Body::largest_gap() const {
  const TreeDynamics* const tree = core_->motion->tree();
  return tree != nullptr ? tree->largest_gap() : InterfaceGap{};
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
  require(core_->single(), "{} has {} domains; vibrations are shown of bodies with one", core_->name(),
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
