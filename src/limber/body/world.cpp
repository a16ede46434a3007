#include "limber/body/world.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

/// Whether its shell asks it where points are: it has no frames while it touches something.
bool moves_pointwise(const Body& body) { return !body.has_model() || body.method() == Method::warped; }

}  // namespace

Index World::add(Body body, const ReducedStepOptions& options, Driver driver) {
  entries_.push_back({std::move(body), options, std::move(driver)});
  return body_count() - 1;
}

Body World::remove(Index i) {
  leave_contact(i);
  Body body = std::move(entry(i).body);
  entries_.erase(entries_.begin() + i);
  forget_contacts();
  return body;
}

/// Of the last step: numbers of those that touched, and addresses, are no longer theirs.
void World::forget_contacts() {
  contact_.clear();
  touching_.clear();
  contacts_.clear();
  contact_report_ = {};
}

World::Entry& World::entry(Index i) {
  require(i >= 0 && i < body_count(), "body {} of a world with {}", i, body_count());
  return entries_[static_cast<std::size_t>(i)];
}

const World::Entry& World::entry(Index i) const {
  require(i >= 0 && i < body_count(), "body {} of a world with {}", i, body_count());
  return entries_[static_cast<std::size_t>(i)];
}

/// One for all bodies of a model; of those that move without frames, for all of a surface.
std::shared_ptr<BodyShell> World::shell_of(const Body& body) {
  std::erase_if(shells_, [](const auto& known) { return known.second.expired(); });
  const bool pointwise = moves_pointwise(body);
  std::weak_ptr<BodyShell>& known =
      shells_[pointwise ? static_cast<const void*>(body.shared_surface().get()) : &body.model()];
  std::shared_ptr<BodyShell> shell = known.lock();
  if (!shell) {
    shell = pointwise ? std::make_shared<BodyShell>(body) : std::make_shared<BodyShell>(body.shared_model());
    known = shell;
  }
  return shell;
}

void World::set_contact(Index i, const ContactMaterial& material) {
  Entry& one = entry(i);
  check_material(material, one.body.name());
  require_ability(one.body.method(), Ability::contact, one.body.name());
  std::unique_ptr<MovingShell> shell;
  if (!one.shell || one.shell->shell().pointwise() != moves_pointwise(one.body))
    shell = std::make_unique<MovingShell>(shell_of(one.body));
  // Solids first: where they cannot be made, all is as it was.
  const bool points = meets_points(one.shell ? 0 : 1);
  make_solids(points);
  if (shell && (points || one.self)) shell->make_solid();
  one.body.set_coupled(true);
  if (shell) one.shell = std::move(shell);
  one.material = material;
}

/// Whether something has points that bodies are tested against.  more: bodies that will touch, too.
bool World::meets_points(Index more) const {
  const Index touching = more + std::count_if(entries_.begin(), entries_.end(),
                                              [](const Entry& one) { return one.shell != nullptr; });
  return touching > 1 || !rigids_.empty() || !hosts_.empty() ||
         std::any_of(obstacles_.begin(), obstacles_.end(),
                     [](const Standing& one) { return !one.samples.empty(); });
}

/// Of bodies that others may touch with their points: now, because it takes longer than a step.
void World::make_solids(bool points) {
  for (Entry& one : entries_)
    if (one.shell && (points || one.self)) one.shell->make_solid();
}

void World::set_self_contact(Index i, bool on) {
  Entry& one = entry(i);
  if (on) {
    const std::string& name = one.body.name();
    require_ability(one.body.method(), Ability::self_contact, name);
    if (one.body.model().domain_count() > 1)
      require_ability(one.body.method(), Ability::self_contact, Circumstance::in_domains, name);
    require(
        one.shell && one.shell->has_boxes(),
        "{}: bodies that touch themselves take part in contact, have the scale 1 and were kept with their "
        "mesh",
        name);
    one.shell->make_solid();
  }
  one.self = on;
}

void World::set_contact_options(const ContactOptions& options) {
  check_contact_options(options);
  contact_options_ = options;
}

void World::set_contact_points(Index i, Index points) {
  require(touches(i), "body {} touches nothing, so it has no points to choose from; call set_contact()", i);
  require(points >= 1, "{}: contact at {} points, expected at least 1", entry(i).body.name(), points);
  entry(i).shell->set_points(points);
}

void World::leave_contact(Index i) {
  Entry& one = entry(i);
  one.self = false;
  one.body.set_coupled(false);
  one.shell.reset();
}

const BodyShell& World::shell(Index i) const {
  require(touches(i), "body {} touches nothing, so it has no shell", i);
  return entry(i).shell->shell();
}

Index World::add_rigid(RigidBody body) {
  make_solids(true);
  rigids_.push_back(std::move(body));
  return rigid_count() - 1;
}

RigidBody World::remove_rigid(Index i) {
  RigidBody body = std::move(rigid(i));
  rigids_.erase(rigids_.begin() + i);
  forget_contacts();
  return body;
}

RigidBody& World::rigid(Index i) {
  require(i >= 0 && i < rigid_count(), "rigid body {} of a world with {}", i, rigid_count());
  return rigids_[static_cast<std::size_t>(i)];
}

const RigidBody& World::rigid(Index i) const {
  require(i >= 0 && i < rigid_count(), "rigid body {} of a world with {}", i, rigid_count());
  return rigids_[static_cast<std::size_t>(i)];
}

Index World::add_obstacle(Obstacle obstacle) {
  if (obstacle.name.empty()) obstacle.name = fmt::format("obstacle {}", obstacle_count());
  check_shape(obstacle.shape, obstacle.name);
  check_material(obstacle.material, obstacle.name);
  check_pose(obstacle.motion ? obstacle.motion(time_) : obstacle.pose, obstacle.name);
  std::vector<SamplePoint> samples = sample_shape(obstacle.shape);
  make_solids(!samples.empty() || meets_points(0));
  obstacles_.push_back({std::move(obstacle), std::move(samples)});
  return obstacle_count() - 1;
}

void World::remove_obstacle(Index i) {
  (void)obstacle(i);
  obstacles_.erase(obstacles_.begin() + i);
  forget_contacts();
}

const Obstacle& World::obstacle(Index i) const {
  require(i >= 0 && i < obstacle_count(), "obstacle {} of a world with {}", i, obstacle_count());
  return obstacles_[static_cast<std::size_t>(i)].obstacle;
}

void World::set_obstacle_pose(Index i, const Pose& pose) {
  check_pose(pose, obstacle(i).name);
  require(!obstacle(i).motion, "{}: it moves by itself; add one without a motion to place it",
          obstacle(i).name);
  obstacles_[static_cast<std::size_t>(i)].obstacle.pose = pose;
}

Index World::add_host(HostBody body) {
  make_solids(true);
  hosts_.push_back(std::move(body));
  return host_count() - 1;
}

void World::remove_host(Index i) {
  (void)host(i);
  hosts_.erase(hosts_.begin() + i);
  forget_contacts();
}

HostBody& World::host(Index i) {
  require(i >= 0 && i < host_count(), "host body {} of a world with {}", i, host_count());
  return hosts_[static_cast<std::size_t>(i)];
}

const HostBody& World::host(Index i) const {
  require(i >= 0 && i < host_count(), "host body {} of a world with {}", i, host_count());
  return hosts_[static_cast<std::size_t>(i)];
}

Vector3 World::contact_impulse(const Touching& one) const {
  Vector3 sum = Vector3::Zero();
  for (const ContactPoint& contact : contacts()) {
    if (contact.first == one) sum += contact.impulse;
    if (contact.second == one) sum -= contact.impulse;
  }
  return sum;
}

void World::apply_loads(double h) {
  for (Entry& entry : entries_) {
    if (entry.driver) entry.driver(entry.body, h);
  }
}

bool World::contact_possible() const {
  return !rigids_.empty() ||
         std::any_of(entries_.begin(), entries_.end(), [](const Entry& one) { return one.shell != nullptr; });
}

SolveReport World::detect(double h, double time, const StepPart& part) {
  contact_.clear();
  touching_.clear();
  for (Index i = 0; i < body_count(); ++i) {
    Entry& one = entry(i);
    if (!one.shell) continue;
    if (one.shell->shell().pointwise() != moves_pointwise(one.body)) {  // it has another method now
      auto shell = std::make_unique<MovingShell>(shell_of(one.body));
      shell->set_points(one.shell->points());
      require(!one.self || shell->has_boxes(),
              "{}: it touches itself, which the method '{}' does not; choose another, or turn that off",
              one.body.name(), name_of(one.body.method()));
      one.shell = std::move(shell);
      make_solids(meets_points(0));
    }
    contact_.add(ContactStep::Member{{Touching::Of::body, i},
                                     &one.body,
                                     nullptr,
                                     one.shell.get(),
                                     one.material,
                                     one.shell->shell().size(),
                                     one.elastic,
                                     one.self});
    touching_.push_back(&one);
  }
  for (Index i = 0; i < rigid_count(); ++i) {
    RigidBody& one = rigid(i);
    contact_.add(ContactStep::Member{
        {Touching::Of::rigid, i}, nullptr, &one, nullptr, one.material(), 2.0 * one.radius()});
  }
  for (Index i = 0; i < obstacle_count(); ++i) {
    const Standing& standing = obstacles_[static_cast<std::size_t>(i)];
    ContactStep::Static fixed{
        {Touching::Of::obstacle, i}, &standing.obstacle, &standing.samples, standing.obstacle.pose};
    if (standing.obstacle.motion) {
      fixed.pose = standing.obstacle.motion(time);
      const Pose next = standing.obstacle.motion(time + h);
      check_pose(fixed.pose, standing.obstacle.name);
      check_pose(next, standing.obstacle.name);
      fixed.velocity = (next.position - fixed.pose.position) / h;
      fixed.angular_velocity = rotation_vector(next.rotation * fixed.pose.rotation.conjugate()) / h;
    }
    contact_.add(fixed);
  }
  add_hosts();
  return contact_.detect(h, part, filter_);
}

/// Those that nothing moves are obstacles.
void World::add_hosts() {
  for (Index i = 0; i < host_count(); ++i) {
    HostBody& one = host(i);
    const Touching name{Touching::Of::host, i};
    if (one.yields())
      contact_.add(ContactStep::Member{name, nullptr, &one.copy(), nullptr, one.material(),
                                       2.0 * one.copy().radius()});
    else
      contact_.add(ContactStep::Static{name, &one.standing(), &one.samples(), one.state().pose,
                                       one.velocity_of_pose(), one.state().angular_velocity});
  }
}

void World::add_pushes() {
  for (HostBody& host : hosts_) host.clear_push();
  for (const ContactPoint& contact : contacts()) {
    if (contact.first.of == Touching::Of::host)
      host(contact.first.number).add_push(contact.impulse, contact.position);
    if (contact.second.of == Touching::Of::host)
      host(contact.second.number).add_push(-contact.impulse, contact.position);
  }
}

/// A step of those that touch, as it is.
StepReport World::try_touching(double h, double time, int halvings, const StepPart& part) {
  // Impulses that are off by less move nothing that can be seen; those that are off by more let bodies sink.
  constexpr double bearable = 1e-4;
  if (const SolveReport found = detect(h, time, part); !found.ok()) return {found};
  if (const SolveReport solved = contact_.solve(contact_options_); !solved.ok()) return {solved};
  if (halvings > 0 && contact_.wants_halves(bearable)) return {SolveReport{SolveStatus::not_converged}};
  return contact_.commit(halvings == 0);
}

/// Whether those that failed have another way to take the step: with the elastic forces of its end, and where
/// no shorter steps will follow with a shape that stays.
bool World::try_others(bool last) {
  bool any = false;
  for (const int member : contact_.failed()) {
    ElasticEnd& elastic = touching_[static_cast<std::size_t>(member)]->elastic;
    if (elastic == ElasticEnd::rigid || (elastic == ElasticEnd::implicit && !last)) continue;
    elastic = elastic == ElasticEnd::mean ? ElasticEnd::implicit : ElasticEnd::rigid;
    any = true;
  }
  return any;
}

/// Those that touch. A body that gains energy takes the step with the elastic forces of its end, and where
/// that does not help, all take two half steps.
StepReport World::step_touching(double h, double time, int halvings, const StepPart& part) {
  StepReport total;
  while (!(total = try_touching(h, time, halvings, part)).ok()) {
    if (try_others(halvings == 0)) continue;
    if (halvings == 0) return total;
    const double half = 0.5 * h;
    total = step_touching(half, time, halvings - 1, part);
    if (total.ok())
      add_report(step_touching(half, time + half, halvings - 1, {part.whole, part.left - half}), total);
    return total;
  }
  for (Entry* const one : touching_)
    if (one->elastic == ElasticEnd::rigid) one->elastic = ElasticEnd::implicit;
  contacts_.insert(contacts_.end(), contact_.contacts().begin(), contact_.contacts().end());
  const ContactReport& one = contact_.report();
  contact_report_ = {.contacts = contact_report_.contacts + one.contacts,
                     .active = contact_report_.active + one.active,
                     .islands = one.islands,
                     .iterations = std::max(contact_report_.iterations, one.iterations),
                     .converged = contact_report_.converged && one.converged,
                     .residual = std::max(contact_report_.residual, one.residual),
                     .deepest = std::max(contact_report_.deepest, one.deepest),
                     .pushed_out = contact_report_.pushed_out + one.pushed_out,
                     .untested = one.untested,
                     .steps = contact_report_.steps + 1};
  return total;
}

/// Those that touch together, the others one after the other.
StepReport World::solve(double h) {
  constexpr int most_halvings = 5;
  StepReport total;
  contacts_.clear();
  contact_report_ = {};
  if (contact_possible()) {
    for (Entry& entry : entries_) entry.elastic = ElasticEnd::mean;
    total = step_touching(h, time_, most_halvings, {.whole = h, .left = h});
    if (!total.ok()) return total;
  }
  for (Entry& entry : entries_) {
    if (entry.shell) continue;
    add_report(entry.body.step(h, entry.options), total);
    if (!total.ok()) break;
  }
  return total;
}

void World::go_back() {
  contacts_.clear();
  contact_report_ = {};
  for (Entry& entry : entries_) entry.body.go_back();
  for (RigidBody& rigid : rigids_) rigid.go_back();
  add_pushes();
}

StepReport World::step(double h) {
  require(std::isfinite(h) && h > 0.0, "the time step is {} s, expected a positive number", h);
  const bool alone = body_count() == 1 && !contact_possible();  // which stays where it was if it fails
  for (const HostBody& host : hosts_)
    require(host.is_ready(),
            "{}: it moves, and was not told how it is in this step; call set_state before each", host.name());
  apply_loads(h);
  for (HostBody& host : hosts_) host.begin_step(h);
  if (!alone) {
    for (Entry& entry : entries_) entry.body.remember();
    for (RigidBody& rigid : rigids_) rigid.remember();
  }
  try {
    const StepReport total = solve(h);
    if (!total.ok() && !alone) go_back();
    if (!total.ok()) return total;
    time_ += h;
    add_pushes();
    for (HostBody& host : hosts_) host.end_step(h);
    return total;
  } catch (...) {
    if (!alone) go_back();
    throw;
  }
}

double World::energy() const {
  double sum = 0.0;
  for (const Entry& entry : entries_) {
    const BodyEnergy energy = entry.body.energy();
    sum += energy.elastic + energy.kinetic;
  }
  for (const RigidBody& rigid : rigids_) sum += rigid.kinetic_energy();
  return sum;
}

void World::save(StateWriter& out) const {
  out.write(time_);
  out.write(std::int64_t{rigid_count()});
  for (const RigidBody& rigid : rigids_) rigid.save(out);
}

void World::restore(StateReader& in) {
  double time = 0.0;
  std::int64_t count = 0;
  in.read(time);
  in.read(count);
  require(std::isfinite(time) && time >= 0.0 && count == rigid_count(),
          "the state is of a world with {} rigid bodies after {} s, expected {}", count, time, rigid_count());
  for (RigidBody& rigid : rigids_) rigid.restore(in);
  time_ = time;
  contacts_.clear();
  contact_report_ = {};
}

}  // namespace limber
