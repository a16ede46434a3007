#include "limber/body/body.hpp"

#include "limber/base/error.hpp"
#include "limber/body/handles.hpp"
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

/// What a motion of a reduced model is computed with.
enum class Kind {
  coordinates,  ///< of one domain that is held as it was made
  modes,        ///< natural ones of such a domain
  frames,       ///< all else
};

Kind kind_of(Method method, const MotionSetup& setup, const BodyLoads& loads) {
  if (method == Method::warped) return Kind::modes;
  const Model& model = *setup.model;
  const Domain& root = model.domains.front();
  if (model.free || model.domain_count() > 1 || model.rank(0) == 0 || blows(loads.wind) ||
      !stands_as_made(root))
    return Kind::frames;
  if (method == Method::linear && model.part(0).model.warp) return Kind::modes;
  return loads.support || setup.stiffness.front() != 1.0 ? Kind::frames : Kind::coordinates;
}

/// Whether handles ask for what natural modes alone can do.
bool turns_handles(const BodyLoads& loads) {
  return !loads.exercised.empty() ||
         std::any_of(loads.handles.begin(), loads.handles.end(),
                     [](const Handle& handle) { return handle.hold_orientation; });
}

std::unique_ptr<Motion> make_motion(Method method, MotionSetup setup, const BodyLoads& loads) {
  setup.warp = method == Method::warped;
  switch (kind_of(method, setup, loads)) {
    case Kind::modes:
      return std::make_unique<WarpedMotion>(std::move(setup));
    case Kind::frames:
      return std::make_unique<TreeMotion>(std::move(setup));
    case Kind::coordinates:
      break;
  }
  return std::make_unique<ReducedMotion>(std::move(setup));
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
  std::string name;
  std::shared_ptr<const BodySurface> surface;
  std::vector<int> domains;  ///< of the vertices of the surface, of a body without a model
  MotionSetup setup;         ///< of a body with a reduced model
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
    name = model->name.empty() ? "the body" : model->name;
    setup.surface = std::make_shared<const TreeSurface>(model);
    surface = setup.surface;
    setup.settings = settings_of(*model);
    for (const Domain& domain : model->domains) setup.stiffness.push_back(domain.stiffness);
    setup.model = std::move(model);
    motion = make_motion(method, setup, loads);
  }
  Core(std::string title, Method by, std::shared_ptr<const BodySurface> drawn, std::unique_ptr<Motion> moved)
      : name(std::move(title)), surface(std::move(drawn)), method(by), motion(std::move(moved)) {
    require(surface != nullptr && motion != nullptr, "{}: its surface or its motion is missing", name);
    domains.assign(static_cast<std::size_t>(surface->mesh().vertex_count()), 0);
  }
  Core(const Core& other)
      : name(other.name),
        surface(other.surface),
        domains(other.domains),
        setup(other.setup),
        method(other.method),
        loads(other.loads),
        motion(other.motion->copy()),
        normal_updater(other.normal_updater),
        natural(other.natural),
        frequencies(other.frequencies) {}

  [[nodiscard]] const Model& model() const {
    require(setup.model != nullptr,
            "{} moves with every vertex of its mesh; make a reduced model of it for that", name);
    return *setup.model;
  }
  [[nodiscard]] bool single() const { return model().domain_count() == 1 && model().rank(0) > 0; }

  void check_point(const Point& point) const {
    const bool of_mesh = point.of == Point::Of::mesh;
    const Index count = of_mesh ? motion->mesh_vertex_count() : surface->mesh().vertex_count();
    require(!of_mesh || count > 0, "{} was kept without its mesh; name vertices of its surface", name);
    require(point.vertex >= 0 && point.vertex < count, "vertex {} of a {} with vertices 0 to {}",
            point.vertex, of_mesh ? "mesh" : "surface", count - 1);
    const bool moves =
        of_mesh ? motion->has_mesh_vertex(point.vertex)
                : !setup.surface || setup.surface->domains()[static_cast<std::size_t>(point.vertex)] >= 0;
    require(moves, "vertex {} belongs to no domain", point.vertex);
  }
  void check_part(Index part) const {
    const auto count = static_cast<Index>(model().parts.size());
    require(part >= 0 && part < count, "part {} of a body with parts 0 to {}", part, count - 1);
  }
  void check_region(Index region, Index part) const {
    if (setup.model) check_part(part);
    require(setup.model || part == 0, "part {} of a body with one", part);
    const std::vector<Material>& materials =
        setup.model ? setup.settings[static_cast<std::size_t>(part)].materials : motion->materials();
    const auto count = static_cast<Index>(materials.size());
    const bool parts = setup.settings.size() > 1;
    require(region >= 0 && region < count, "region {} of a {} with regions 0 to {}", region,
            parts ? "part" : "body", count - 1);
  }
  void check_domain(Index domain) const {
    require(domain >= 0 && domain < model().domain_count(), "domain {}, expected 0 to {}", domain,
            model().domain_count() - 1);
  }

  /// Makes all that depends on these first; what comes then cannot fail.
  void adopt(Method next_method, MotionSetup next, BodyLoads next_loads) {
    for (PartSettings& settings : next.settings) settings.linear = next_method == Method::linear;
    check_settings(*next.model, next.settings);
    require(kind_of(next_method, next, next_loads) == Kind::modes || !turns_handles(next_loads),
            "{}: handles hold orientations, or act elsewhere, which it then cannot; let go of them first",
            name);
    std::unique_ptr<Motion> moved = make_motion(next_method, next, next_loads);
    moved->take(next_loads);
    TreeState state = motion->state();
    for (Vector* x : {&state.q, &state.v, &state.a})
      *x = resized(*x, *next.model, setup.settings, next.settings);
    const bool same =
        next_method == method && kind_of(method, next, next_loads) == kind_of(method, setup, loads);
    moved->set_state(state, same ? Motion::Accelerations::keep : Motion::Accelerations::balance);
    setup = std::move(next);
    method = next_method;
    loads = std::move(next_loads);
    motion = std::move(moved);
    natural.reset();
    frequencies.reset();
  }
  void adopt(MotionSetup next) { adopt(method, std::move(next), loads); }

  /// Whether the body goes on as it is with other loads; else it is made anew, with or without the frame of
  /// its root, as they ask for.
  bool stays_with(const BodyLoads& next) {
    if (!setup.model || kind_of(method, setup, next) == kind_of(method, setup, loads)) return true;
    adopt(method, setup, next);
    return false;
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
const std::vector<int>& Body::vertex_domains() const {
  return has_model() ? core_->setup.surface->domains() : core_->domains;
}

void Body::set_material(Index region, const Material& material, Index part) {
  require_ability(core_->method, Ability::materials, core_->name);
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
  require_ability(core_->method, Ability::rank, core_->name);
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
  const std::string& name = core_->name;
  require(has_model() && !uses_mesh(method),
          "{}: it moves by the method '{}', which cannot become '{}' on the way; make a body of its {}", name,
          name_of(core_->method), name_of(method), has_model() ? "mesh" : "reduced model");
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
  if (!can(method, Ability::wind)) kept.wind = {};
  if (!can(method, Ability::support)) kept.support = nullptr;
  if (kind_of(method, core_->setup, kept) != Kind::modes) {
    std::erase_if(kept.handles, [](const Handle& handle) { return handle.hold_orientation; });
    kept.exercised.clear();
  }
  core_->adopt(method, core_->setup, std::move(kept));
}

void Body::set_modal_settings(const ModalSettings& settings) {
  require(has_model(), "{} moves with every vertex of its mesh, not by natural modes", core_->name);
  MotionSetup next = core_->setup;
  next.modal = settings;
  core_->adopt(std::move(next));
}

Method Body::method() const { return core_->method; }

void Body::set_gravity(const Vector3& acceleration) {
  require(acceleration.allFinite(), "gravity is ({}, {}, {}) m/s^2, expected finite numbers",
          acceleration.x(), acceleration.y(), acceleration.z());
  core_->motion->set_gravity(acceleration);
  core_->loads.gravity = acceleration;
}

void Body::set_forces(std::span<const PointForce> forces) {
  std::vector<PointForce> next;
  next.reserve(forces.size());
  for (const PointForce& one : forces) {
    core_->check_point(one.point);
    require(one.force.allFinite(), "the force on vertex {} is ({}, {}, {}) N, expected finite numbers",
            one.point.vertex, one.force.x(), one.force.y(), one.force.z());
    if (!one.force.isZero(0.0)) next.push_back(one);
  }
  core_->motion->set_forces(next);
  core_->loads.forces = std::move(next);
}

void Body::set_force(const Point& point, const Vector3& force) {
  core_->check_point(point);
  std::vector<PointForce> next = core_->loads.forces;
  std::erase_if(next, [&](const PointForce& one) { return one.point == point; });
  next.push_back({point, force});
  set_forces(next);
}

void Body::set_timed_loads(TimedLoads loads) {
  const auto check_times = [](double from, double to) {
    require(!std::isnan(from) && !std::isnan(to) && to > from,
            "a load acts from {} s to {} s, expected that it ends after it starts", from, to);
  };
  for (const TimedForce& one : loads.forces) {
    check_times(one.from, one.to);
    require(one.force.allFinite(), "a force from {} s on is ({}, {}, {}) N, expected finite numbers",
            one.from, one.force.x(), one.force.y(), one.force.z());
    for (const Point& point : one.points) core_->check_point(point);
  }
  for (const TimedAcceleration& one : loads.accelerations) {
    check_times(one.from, one.to);
    require(one.acceleration.allFinite(), "an acceleration from {} s on is not finite", one.from);
  }
  core_->motion->set_timed_loads(loads);
  core_->loads.timed = std::move(loads);
}

void Body::set_springs(std::span<const Spring> springs) {
  if (!springs.empty()) require_ability(core_->method, Ability::springs, core_->name);
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const auto& [point, target, stiffness] = springs[i];
    core_->check_point(point);
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
  const auto& [point, target, stiffness] = core_->loads.springs[static_cast<std::size_t>(spring)];
  return stiffness * (target - position(point));
}

double Body::stiffness_at(int vertex) const {
  core_->check_point(vertex);
  if (!core_->single()) return core_->motion->tree()->stiffness_at(core_->setup.surface->point(vertex));
  const auto& [frequencies, shapes] = core_->modes();
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

void Body::set_handles(std::span<const Handle> handles, ConstraintPriority priority,
                       std::span<const Point> exercised) {
  if (!handles.empty()) require_ability(core_->method, Ability::handles, core_->name);
  const bool in_mesh = std::any_of(handles.begin(), handles.end(),
                                   [](const Handle& handle) { return handle.point.of == Point::Of::mesh; });
  check_handles(handles, surface().mesh().vertex_count(), in_mesh ? mesh_vertex_count() : 0);
  for (const Handle& handle : handles) {
    core_->check_point(handle.point);
    if (handle.hold_orientation) require_ability(core_->method, Ability::orientations, core_->name);
  }
  for (const Point& point : exercised) core_->check_point(point);
  const bool modes = has_model() && kind_of(core_->method, core_->setup, core_->loads) == Kind::modes;
  require(modes || exercised.empty(),
          "{}: forces that meet handles act at the handles; name no other points for them", core_->name);
  const bool turned = std::any_of(handles.begin(), handles.end(),
                                  [](const Handle& handle) { return handle.hold_orientation; });
  require(modes || !turned, "{}: its points do not turn by themselves; hold positions alone", core_->name);
  std::vector<Handle> next(handles.begin(), handles.end());
  std::vector<Point> places(exercised.begin(), exercised.end());
  core_->motion->set_handles(handles, priority, exercised);
  core_->loads.handles = std::move(next);
  core_->loads.priority = priority;
  core_->loads.exercised = std::move(places);
}

ConstraintReport Body::handle_report() const { return core_->motion->handle_report(); }

void Body::set_wind(const Wind& wind) {
  if (!(wind == Wind{})) require_ability(core_->method, Ability::wind, core_->name);
  require(wind.velocity.allFinite() && std::isfinite(wind.gusts) && std::isfinite(wind.coefficient) &&
              wind.coefficient >= 0.0 && std::isfinite(wind.density) && wind.density >= 0.0,
          "wind must be finite, its coefficient and density at least 0");
  BodyLoads next = core_->loads;
  next.wind = blows(wind) ? wind : Wind{};
  if (next.wind == core_->loads.wind || !core_->stays_with(next)) return;
  core_->motion->set_wind(next.wind);
  core_->loads.wind = next.wind;
}

void Body::set_support(PoseFunction motion) {
  if (motion) {
    require_ability(core_->method, Ability::support, core_->name);
    require(!has_model() || !model().free, "{} is a free body, which no support can move", core_->name);
    const Pose start = motion(time());
    require(start.position.allFinite() && is_unit(start.rotation),
            "the pose of the support at {} s is not finite, or its rotation not of unit length", time());
  }
  BodyLoads next = core_->loads;
  next.support = std::move(motion);
  if (!core_->stays_with(next)) return;
  core_->motion->set_support(next.support);
  core_->loads.support = std::move(next.support);
}

const BodyLoads& Body::loads() const { return core_->loads; }

StepReport Body::step(double h, const ReducedStepOptions& options) { return core_->motion->step(h, options); }

StepReport Body::solve_static(const EquilibriumOptions& options) {
  require_ability(core_->method, Ability::statics, core_->name);
  return core_->motion->solve_static(options);
}

void Body::reset() { core_->motion->reset(); }
double Body::time() const { return core_->motion->time(); }
const Vector& Body::q() const { return core_->motion->q(); }
const Vector& Body::v() const { return core_->motion->v(); }
Index Body::unknowns() const { return core_->motion->unknowns(); }
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

void Body::set_velocity(const Vector3& velocity, const Vector3& angular) {
  require(velocity.allFinite() && angular.allFinite(), "{}: its velocity is not finite", core_->name);
  require(!has_model() || model().free, "{} is held, so that it cannot be thrown; let it go first",
          core_->name);
  core_->motion->set_velocity(velocity, angular);
}

void Body::remember() { core_->motion->remember(); }
void Body::go_back() { core_->motion->go_back(); }
void Body::save(StateWriter& out) const { core_->motion->save(out); }
void Body::restore(StateReader& in) { core_->motion->restore(in); }

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
