#include "limber/body/body_core.hpp"

#include "limber/base/error.hpp"
#include "limber/body/reduced_motion.hpp"
#include "limber/body/tree_motion.hpp"
#include "limber/body/warped_motion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {

bool blows(const Wind& wind) { return !wind.velocity.isZero(0.0) && wind.coefficient > 0.0; }

bool stands_as_made(const Domain& root) {
  return root.part == 0 && root.surface_vertices.empty() && root.scale == 1.0 && root.position.isZero(0.0) &&
         root.rotation.coeffs() == Eigen::Quaterniond::Identity().coeffs();
}

MotionKind kind_of(Method method, const MotionSetup& setup, const BodyLoads& loads) {
  if (method == Method::warped) return MotionKind::modes;
  if (setup.coupled) return MotionKind::frames;
  const Model& model = *setup.model;
  const Domain& root = model.domains.front();
  if (model.free || model.domain_count() > 1 || model.rank(0) == 0 || blows(loads.wind) ||
      !stands_as_made(root))
    return MotionKind::frames;
  if (method == Method::linear && model.part(0).model.warp) return MotionKind::modes;
  return loads.support || setup.stiffness.front() != 1.0 ? MotionKind::frames : MotionKind::coordinates;
}

namespace {

std::size_t root_part(const Model& model) { return static_cast<std::size_t>(model.domains.front().part); }

/// Whether handles ask for what natural modes alone can do.
bool turns_handles(const BodyLoads& loads) {
  return !loads.exercised.empty() ||
         std::any_of(loads.handles.begin(), loads.handles.end(),
                     [](const Handle& handle) { return handle.hold_orientation; });
}

std::unique_ptr<Motion> make_motion(Method method, MotionSetup setup, const BodyLoads& loads) {
  setup.warp = method == Method::warped;
  switch (kind_of(method, setup, loads)) {
    case MotionKind::modes:
      return std::make_unique<WarpedMotion>(std::move(setup));
    case MotionKind::frames:
      return std::make_unique<TreeMotion>(std::move(setup));
    case MotionKind::coordinates:
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

/// Of a body that may touch others, whose steps know neither: nothing is ignored without a word.
void check_coupled_modes(const MotionSetup& setup, const std::string& name) {
  const ModalSettings& modal = setup.modal;
  require(!modal.integrator || *modal.integrator == ModalIntegrator::newmark,
          "{}: a body that may touch others takes the integrator 'newmark' only; choose that", name);
  require(modal.modes == 0 || modal.modes >= setup.settings[root_part(*setup.model)].rank,
          "{}: a body that may touch others takes no fewer modes than it has coordinates; lower its rank",
          name);
}

}  // namespace

void check_movable(std::span<const Handle> handles, const Motion& motion) {
  PointRows rows;
  for (const Handle& handle : handles) {
    motion.point_rows(handle.point, rows);
    require(!rows.rows.isZero(0.0), "vertex {} cannot move: the body is held there; hold another one",
            handle.point.vertex);
  }
}

void hand_forces(std::span<const PointForce> forces, const SurfaceLoads& surface, Motion& motion) {
  if (surface.constant().empty()) {
    motion.set_forces(forces);
  } else {
    std::vector<PointForce> all(forces.begin(), forces.end());
    all.insert(all.end(), surface.constant().begin(), surface.constant().end());
    motion.set_forces(all);
  }
  motion.set_surface_forces(surface.forces());
}

Body::Core::Core(std::shared_ptr<const Model> model) {
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

Body::Core::Core(std::string title, Method by, std::shared_ptr<const BodySurface> drawn,
                 std::unique_ptr<Motion> moved)
    : name(std::move(title)), surface(std::move(drawn)), method(by), motion(std::move(moved)) {
  require(surface != nullptr && motion != nullptr, "{}: its surface or its motion is missing", name);
  domains.assign(static_cast<std::size_t>(surface->mesh().vertex_count()), 0);
}

Body::Core::Core(const Core& other)
    : name(other.name),
      surface(other.surface),
      domains(other.domains),
      setup(other.setup),
      method(other.method),
      loads(other.loads),
      surface_loads(other.surface_loads),
      motion(other.motion->copy()),
      normal_updater(other.normal_updater),
      natural(other.natural),
      all_natural(other.all_natural),
      frequencies(other.frequencies) {}

const Model& Body::Core::model() const {
  require(setup.model != nullptr,
          "{} moves with every vertex of its mesh; make a reduced model of it for that", name);
  return *setup.model;
}

void Body::Core::require_able(Ability ability) const {
  require_ability(method, ability, name);
  if (setup.coupled) require_ability(method, ability, Circumstance::touching, name);
  if (!setup.model) return;
  if (setup.model->domain_count() > 1) require_ability(method, ability, Circumstance::in_domains, name);
  if (motion->tree() != nullptr) require_ability(method, ability, Circumstance::framed, name);
}

void Body::Core::check_touching(Method by, const BodyLoads& given) const {
  const auto check = [&](bool has, Ability ability) {
    if (has) require_ability(by, ability, Circumstance::touching, name);
  };
  check(true, Ability::contact);
  check(!given.springs.empty(), Ability::springs);
  check(!given.handles.empty(), Ability::handles);
  check(blows(given.wind), Ability::wind);
  check(given.support != nullptr, Ability::supports);
}

void Body::Core::check_steps(const ReducedStepOptions& options) const {
  if (options.integrator == Integrator::central_differences) require_able(Ability::central_differences);
  // Bodies of meshes have the solver that they were made with, and say so.
  if (options.solver == ReducedSolver::conjugate_gradient && setup.model)
    require_able(Ability::conjugate_gradients);
}

void Body::Core::check_point(const Point& point) const {
  const bool of_mesh = point.of == Point::Of::mesh;
  const Index count = of_mesh ? motion->mesh_vertex_count() : surface->mesh().vertex_count();
  require(!of_mesh || count > 0, "{} was kept without its mesh; name vertices of its surface", name);
  require(point.vertex >= 0 && point.vertex < count, "vertex {} of a {} with vertices 0 to {}", point.vertex,
          of_mesh ? "mesh" : "surface", count - 1);
  const bool moves =
      of_mesh ? motion->has_mesh_vertex(point.vertex)
              : !setup.surface || setup.surface->domains()[static_cast<std::size_t>(point.vertex)] >= 0;
  require(moves, "vertex {} belongs to no domain", point.vertex);
}

void Body::Core::check_part(Index part) const {
  const auto count = static_cast<Index>(model().parts.size());
  require(part >= 0 && part < count, "part {} of a body with parts 0 to {}", part, count - 1);
}

void Body::Core::check_region(Index region, Index part) const {
  if (setup.model) check_part(part);
  require(setup.model || part == 0, "part {} of a body with one", part);
  const std::vector<Material>& materials =
      setup.model ? setup.settings[static_cast<std::size_t>(part)].materials : motion->materials();
  const auto count = static_cast<Index>(materials.size());
  const bool parts = setup.settings.size() > 1;
  require(region >= 0 && region < count, "region {} of a {} with regions 0 to {}", region,
          parts ? "part" : "body", count - 1);
}

void Body::Core::check_domain(Index domain) const {
  require(domain >= 0 && domain < model().domain_count(), "domain {}, expected 0 to {}", domain,
          model().domain_count() - 1);
}

void Body::Core::adopt(Method next_method, MotionSetup next, BodyLoads next_loads) {
  for (PartSettings& settings : next.settings) settings.linear = next_method == Method::linear;
  check_settings(*next.model, next.settings);
  if (next.coupled && next_method != Method::reduced) check_coupled_modes(next, name);
  require(kind_of(next_method, next, next_loads) == MotionKind::modes || !turns_handles(next_loads),
          "{}: handles hold orientations, or act elsewhere, which it then cannot; let go of them first",
          name);
  std::unique_ptr<Motion> moved = make_motion(next_method, next, next_loads);
  check_movable(next_loads.handles, *moved);
  moved->take(next_loads);
  SurfaceLoads next_surface = surface_loads;
  hand_forces(next_loads.forces, next_surface, *moved);
  TreeState state = motion->state();
  for (Vector* x : {&state.q, &state.v, &state.a})
    *x = resized(*x, *next.model, setup.settings, next.settings);
  const bool same =
      next_method == method && kind_of(method, next, next_loads) == kind_of(method, setup, loads);
  const auto accelerations = same ? Motion::Accelerations::keep : Motion::Accelerations::balance;
  moved->set_state(state, accelerations);
  if (next_surface.follow() && next_surface.update(*moved)) {
    moved->set_surface_forces(next_surface.forces());
    moved->set_state(state, accelerations);
  }
  if (setup.coupled && next.coupled) moved->set_lag(motion->lag());
  setup = std::move(next);
  method = next_method;
  loads = std::move(next_loads);
  surface_loads = std::move(next_surface);
  motion = std::move(moved);
  forget_modes();
}

bool Body::Core::stays_with(const BodyLoads& next) {
  if (!setup.model || kind_of(method, setup, next) == kind_of(method, setup, loads)) return true;
  adopt(method, setup, next);
  return false;
}

bool Body::Core::follow_shape_now() {
  if (!surface_loads.update(*motion)) return false;
  motion->set_surface_forces(surface_loads.forces());
  return true;
}

const NaturalModes& Body::Core::modes() {
  if (!natural) natural = modes_of_rank(setup.settings[root_part(*setup.model)].rank);
  return *natural;
}

const NaturalModes& Body::Core::all_modes() {
  const Index whole = setup.model->rank(0);
  if (setup.settings[root_part(*setup.model)].rank == whole) return modes();
  if (!all_natural) all_natural = modes_of_rank(whole);
  return *all_natural;
}

void Body::Core::forget_modes() {
  natural.reset();
  all_natural.reset();
  frequencies.reset();
}

NaturalModes Body::Core::modes_of_rank(Index rank) const {
  const PartSettings& settings = setup.settings[root_part(*setup.model)];
  NaturalModes modes = natural_modes(make_equations(setup.model->part(0).model, settings.materials, rank));
  // Elastic forces grow with k s^3, inertia with s^5.
  modes.frequencies *= std::sqrt(setup.stiffness.front()) / setup.model->domains.front().scale;
  return modes;
}

}  // namespace limber
