// Islands of bodies that touch: their equations, solved, and the steps that follow from them.

#include "limber/body/contact_step.hpp"

#include "limber/base/error.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace limber {
namespace {

/// Softness of contacts, as shares of what bodies yield: along the normal, and across. Less takes more
/// iterations; a block creeps down a slope by the second times gravity and step, below 0.1 mm/s at 1 ms.
constexpr double normal_softness = 0.003, tangent_softness = 0.003;

/// Of that for bodies that springs pull at: in a step these would go all of their way into what is touched,
/// and the share of it that is left to them is to be far less than what comes out again.
constexpr double pulled_softness = 0.1;

/// Places that yield less than that share of what a place of the body could are taken for held.
constexpr double held_share = 1e-8;

/// Sizes of a body per second by which what is hardly deep comes out: more than it sinks in at rest.
constexpr double calm_speed = 2e-3;

/// By that share of the size of a body contacts may lift in a step what slides: far below what is drawn.
constexpr double lift_share = 3e-5;

/// Axes of a contact: two tangents and the normal.
Matrix3 axes_of(const Vector3& normal) {
  Matrix3 axes;
  axes.col(2) = normal;
  axes.col(0) = normal.unitOrthogonal();
  axes.col(1) = normal.cross(axes.col(0));
  return axes;
}

}  // namespace

void check_contact_options(const ContactOptions& options) {
  const auto check = [](double number, bool good, const char* what, const char* expected) {
    require(good, "contact: the {} is {}, expected {}", what, number, expected);
  };
  const double tolerance = options.solve.tolerance;
  check(tolerance, tolerance > 0.0 && tolerance < 1.0, "tolerance", "a number between 0 and 1");
  check(options.solve.max_iterations, options.solve.max_iterations >= 1, "number of iterations",
        "at least 1");
  for (const auto& [number, what] :
       {std::pair(options.slop, "slop"), std::pair(options.recovery_speed, "speed of recovery")})
    check(number, std::isfinite(number) && number >= 0.0, what, "0 or more");
  check(options.recovery, options.recovery >= 0.0 && options.recovery <= 1.0, "share that is recovered",
        "a number from 0 to 1");
}

int ContactStep::root_of(int member) {
  while (parents_[static_cast<std::size_t>(member)] != member)
    member = parents_[static_cast<std::size_t>(member)] =
        parents_[static_cast<std::size_t>(parents_[static_cast<std::size_t>(member)])];
  return member;
}

void ContactStep::find_islands() {
  const std::size_t count = members_.size();
  parents_.resize(count);
  std::iota(parents_.begin(), parents_.end(), 0);
  for (const Near& near : nears_) {
    if (near.second < 0) continue;
    const int a = root_of(near.first), b = root_of(near.second);
    parents_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  numbers_.assign(count, -1);
  for (Island& island : islands_) {
    island.members.clear();
    island.contacts.clear();
  }
  int islands = 0;
  for (std::size_t c = 0; c < nears_.size(); ++c) {
    int& number = numbers_[static_cast<std::size_t>(root_of(nears_[c].first))];
    if (number < 0) number = islands++;
    if (islands_.size() < static_cast<std::size_t>(islands)) islands_.emplace_back();
    islands_[static_cast<std::size_t>(number)].contacts.push_back(static_cast<int>(c));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int number = numbers_[static_cast<std::size_t>(root_of(static_cast<int>(i)))];
    if (number >= 0) islands_[static_cast<std::size_t>(number)].members.push_back(static_cast<int>(i));
  }
  report_.islands = islands;
}

/// Of the first (side 0) or the second (1) of a contact.
void ContactStep::write_rows(int side, std::size_t contact, const Matrix3& axes, ContactSolver::Rows rows) {
  const int member = side == 0 ? nears_[contact].first : nears_[contact].second;
  const double sign = side == 0 ? 1.0 : -1.0;
  const Member& owner = members_[static_cast<std::size_t>(member)];
  const Vector3& x = contacts_[contact].position;
  if (owner.rigid != nullptr) {
    rows.leftCols<3>() = sign * axes.transpose();
    rows.rightCols<3>().noalias() = sign * axes.transpose() * cross_matrix(owner.rigid->center() - x);
    return;
  }
  const Near& near = nears_[contact];
  const auto m = static_cast<std::size_t>(member);
  const MovingShell::RowTarget to{*owner.body, condenses(m) ? &condensed_[m] : nullptr, x, axes, sign, rows};
  if (near.at_place == side) return owner.shell->write_rows(near.place_domain, near.place, to);
  owner.shell->write_rows(near.domain, near.point, to);
}

/// What the contact resists, and from which speed on.
void ContactStep::set_cone(ContactSolver& solver, int number, std::size_t contact,
                           const ContactOptions& options) {
  const Near& near = nears_[contact];
  const double distance = contacts_[contact].distance, yield = solver.yield(number);
  double most = yields_[static_cast<std::size_t>(near.first)];
  if (near.second >= 0) most += yields_[static_cast<std::size_t>(near.second)];
  if (!(yield > held_share * most)) {  // where the body is held: nothing that could move is to be stopped
    solver.cone(number) = {.normal = 1.0, .tangent = 1.0, .approach = -std::numeric_limits<float>::max()};
    return;
  }
  FrictionCone cone;
  cone.friction = near.material.friction;
  cone.normal = normal_softness * yield;
  cone.tangent = tangent_softness * yield;
  double size = members_[static_cast<std::size_t>(near.first)].size;
  if (near.second >= 0) size = std::min(size, members_[static_cast<std::size_t>(near.second)].size);
  if (near.material.compliance > 0.0) {
    // A spring, at the end of the step: g = k (-d - h v) / compliance.
    const double kick = steps_[static_cast<std::size_t>(near.first)].kick;
    cone.normal = std::max(cone.normal, near.material.compliance / (kick * h_));
    cone.approach = -distance / h_;
  } else {
    // What is hardly deep stays there: fields of deforming bodies are no more exact than that, and what is
    // pushed out of their noise never comes to rest. Out of a shape that is exact it comes, but slowly:
    // pushed fast in the midst of a blow, it would get back energy that it had lost.
    // In the parts of a step it comes as fast as in the whole: faster, shorter steps would be none the
    // gentler.
    const double depth = std::max(0.0, -distance), slop = options.slop * size,
                 rate = options.recovery / std::max(h_, part_.whole);
    const double slowly = near.at_place < 0 ? std::min(rate * std::min(depth, slop), calm_speed * size) : 0.0;
    cone.approach =
        distance > 0.0 ? -distance / h_
                       : std::min(slowly + rate * std::max(0.0, depth - slop), options.recovery_speed * size);
    // A shape that creeps would be pushed out uphill: that has time until it is at ease.
    if (creeps(near.first) || creeps(near.second)) cone.approach = std::min(cone.approach, 0.0);
  }
  solver.cone(number) = cone;
}

void ContactStep::solve_island(Island& island, const ContactOptions& options) {
  ContactSolver& solver = island.solver;
  island.bodies.clear();
  island.bounces.clear();
  for (std::size_t k = 0; k < island.members.size(); ++k) {
    const auto m = static_cast<std::size_t>(island.members[k]);
    numbers_[m] = static_cast<int>(k);
    const Member& member = members_[m];
    const bool flies =
        member.rigid != nullptr || (condenses(m) ? condensed_[m].flies : member.body->model().free);
    const CoupledStep& step = seen(m);
    island.bodies.push_back({&step.matrix, &step.free, &step.start, flies ? 6 : 0, step.pulled});
  }
  solver.begin(island.bodies);
  for (const int c : island.contacts) {
    const auto contact = static_cast<std::size_t>(c);
    const Near& near = nears_[contact];
    const Matrix3 axes = axes_of(contacts_[contact].normal);
    const bool self = near.second == near.first;
    const int second = near.second < 0 || self ? -1 : numbers_[static_cast<std::size_t>(near.second)];
    const int number = solver.add(numbers_[static_cast<std::size_t>(near.first)], second);
    write_rows(0, contact, axes, solver.rows(number, 0));
    if (second >= 0) write_rows(1, contact, axes, solver.rows(number, 1));
    if (self) {
      // How two places of one body move past each other.
      const ContactSolver::Rows rows = solver.rows(number, 0);
      island.own_rows = rows;
      write_rows(1, contact, axes, rows);
      solver.rows(number, 0) += island.own_rows;
    }
    solver.set_drift(number, axes.transpose() * near.drift);
    set_cone(solver, number, contact, options);
    const auto at = static_cast<std::size_t>(numbers_[static_cast<std::size_t>(near.first)]);
    const bool pulled =
        island.bodies[at].coupled || (second >= 0 && island.bodies[static_cast<std::size_t>(second)].coupled);
    if (pulled && near.material.compliance == 0.0) {
      solver.cone(number).normal *= pulled_softness;
      solver.cone(number).tangent *= pulled_softness;
    }
    if (near.material.restitution > 0.0 && !creeps(near.first) && !creeps(near.second) &&
        solver.cone(number).approach > -std::numeric_limits<float>::max()) {
      // How fast it comes, from the velocities before the step; slower than a few steps of gravity nothing
      // bounces, and only what meets in this step does.
      double coming = axes.col(2).dot(near.drift), weight = 0.0;
      for (int side = 0; side < (second >= 0 ? 2 : 1); ++side) {
        const auto m = static_cast<std::size_t>(side == 0 ? near.first : near.second);
        coming += solver.rows(number, side).row(2).dot(seen(m).start);
        const Member& member = members_[m];
        const Vector3& gravity =
            member.rigid != nullptr ? member.rigid->gravity() : member.body->loads().gravity;
        weight = std::max(weight, std::max(h_, part_.whole) * gravity.norm());
      }
      if (coming < -4.0 * weight && contacts_[contact].distance <= -coming * h_) {
        double& approach = solver.cone(number).approach;
        island.bounces.push_back({number, approach, std::max(approach, -near.material.restitution * coming)});
        approach = island.bounces.back().leaving;
      }
    }
  }
  ContactSolveOptions chosen = options.solve;
  double size = std::numeric_limits<double>::max();
  for (const int m : island.members) size = std::min(size, members_[static_cast<std::size_t>(m)].size);
  chosen.lift = std::max(chosen.lift, lift_share * size / h_);
  island.solved = solver.solve(chosen);
  island.gain = 0.0;
  take_solution(island);
  if (!island.bounces.empty()) solve_bounces(island, chosen);
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    ContactPoint& contact = contacts_[static_cast<std::size_t>(island.contacts[i])];
    const Matrix3 axes = axes_of(contact.normal);
    contact.impulse = axes * solver.impulse(static_cast<int>(i));
    contact.velocity = axes * solver.relative_velocity(static_cast<int>(i));
  }
  find_unearned(island);
}

void ContactStep::take_solution(Island& island) {
  for (std::size_t k = 0; k < island.members.size(); ++k) {
    const auto m = static_cast<std::size_t>(island.members[k]);
    ends_[m] = island.solver.velocity(static_cast<int>(k));
    pushes_[m] = island.solver.impulses_on(static_cast<int>(k));
  }
}

/// Work of the impulses of an island on its members, J.
double ContactStep::given_by(const Island& island) const {
  double given = 0.0;
  for (const int member : island.members) given += work_on(static_cast<std::size_t>(member));
  for (std::size_t i = 0; i < island.contacts.size(); ++i)  // obstacles that move give what is theirs
    given += island.solver.impulse(static_cast<int>(i)).dot(island.solver.drift(static_cast<int>(i)));
  return given;
}

/// Where several places bounce at once, or one that also slides, velocities that all of them leave with, as
/// their restitution has it, may take more energy than there was [Kane 1984]. Then all bounce by the largest
/// share of that which takes no more.
void ContactStep::solve_bounces(Island& island, const ContactSolveOptions& options) {
  constexpr int most_tries = 6;
  const double most = options.tolerance * energy_of(island);
  if (!(given_by(island) > most)) return;
  double good = 0.0, bad = 1.0, share = 1.0;
  const auto bounce_by = [&](double x) {
    share = x;
    for (const Bounce& bounce : island.bounces)
      island.solver.cone(bounce.number).approach = bounce.alone + x * (bounce.leaving - bounce.alone);
    island.solved = island.solver.solve(options);
    take_solution(island);
  };
  for (int i = 0; i < most_tries; ++i) {
    bounce_by(0.5 * (good + bad));
    (given_by(island) > most ? bad : good) = share;
  }
  if (share != good) bounce_by(good);
}

/// Contacts take energy from what touches and give none, but for springs that get back what they have taken,
/// and obstacles that move. Where a step is long for the forces in it some give nevertheless: friction that
/// turns round within it takes back the way of all of it, what leaves at its start and is pressed by its end
/// is pushed along the way that it has left, and what is deep is pushed out against what presses it. That is
/// not to be counted as given by those that guard their energy. What another engine does to its bodies within
/// the step is not known.
void ContactStep::find_unearned(Island& island) {
  double turned = 0.0, due = 0.0;
  island.pushed_out = 0.0;
  bool hosted = false;
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const auto number = static_cast<int>(i);
    const Vector3& impulse = island.solver.impulse(number);
    if (impulse.isZero(0.0)) continue;
    const Near& near = nears_[static_cast<std::size_t>(island.contacts[i])];
    const ContactPoint& contact = contacts_[static_cast<std::size_t>(island.contacts[i])];
    if (contact.first.of == Touching::Of::host || contact.second.of == Touching::Of::host) {
      hosted = true;
      continue;
    }
    const bool alone = near.second < 0 || near.second == near.first;
    const auto first = static_cast<std::size_t>(near.first),
               second = alone ? first : static_cast<std::size_t>(near.second);
    Vector3 sum = island.solver.relative_velocity(number) + island.solver.drift(number) +
                  island.solver.rows(number, 0) * seen(first).start;
    if (!alone) sum += island.solver.rows(number, 1) * seen(second).start;
    due -= impulse.dot(island.solver.drift(number));
    if (near.material.compliance > 0.0)
      due += std::max(0.0, 0.5 * impulse.z() * sum.z());
    else if (contact.distance < 0.0 && island.solver.cone(number).approach > 0.0)
      island.pushed_out += std::max(0.0, 0.5 * impulse.z() * sum.z());
    const double work = 0.5 * impulse.head<2>().dot(sum.head<2>());
    if (!(work > 0.0)) continue;
    turned += work;
    const bool shared = !alone && members_[first].body != nullptr && members_[second].body != nullptr;
    for (const std::size_t m : {first, second}) {
      step_of(m).unearned += shared ? 0.5 * work : work;
      if (alone) break;
    }
  }
  island.pushed_out = std::max(0.0, island.pushed_out);
  if (hosted) return;
  double given = -due;
  for (const int member : island.members) given += work_on(static_cast<std::size_t>(member));
  if (given > turned) share_excess(island, given - turned);
  const auto deforms = [&](int member) { return members_[static_cast<std::size_t>(member)].body != nullptr; };
  // What a shape that creeps does to others is not counted as its own loss.
  if (given > island.pushed_out && !creeps(island) &&
      std::any_of(island.members.begin(), island.members.end(), deforms))
    island.gain = (given - island.pushed_out) / energy_of(island);
}

/// Work of its impulses on a member, as it counts that itself (CoupledStep::hardness), J.
double ContactStep::work_on(std::size_t member) const {
  const CoupledStep& step = seen(member);
  const bool whole = step.hardness > 0.0;
  const Index count = !whole ? step.start.size() : members_[member].body->model().free ? 6 : 0;
  return 0.5 * pushes_[member].tail(count).dot(step.start.tail(count) + ends_[member].tail(count));
}

/// What contacts gave too much, by those bodies that got it. Rigid ones have no vibrations to take it from.
void ContactStep::share_excess(const Island& island, double energy) {
  double got = 0.0;
  for (const int member : island.members) {
    const auto m = static_cast<std::size_t>(member);
    if (members_[m].body != nullptr) got += std::max(0.0, work_on(m));
  }
  if (!(got > 0.0)) return;
  for (const int member : island.members) {
    const auto m = static_cast<std::size_t>(member);
    if (members_[m].body != nullptr) step_of(m).excess += energy * std::max(0.0, work_on(m)) / got;
  }
}

/// About what an island has of energy in the sense of the step: of its velocities, before and after, and of
/// what they bend in it.
double ContactStep::energy_of(const Island& island) const {
  double energy = 0.0;
  for (const int member : island.members) {
    const CoupledStep& step = seen(static_cast<std::size_t>(member));
    for (const Vector* const u : {&step.start, &step.free, &ends_[static_cast<std::size_t>(member)]})
      for (Index j = 0; j < u->size(); ++j) energy += 0.5 * (*u)(j)*step.matrix.col(j).dot(*u);
  }
  return energy;
}

SolveReport ContactStep::solve(const ContactOptions& options) {
  constexpr int most_rounds = 2;  // of contacts that were found late
  for (int round = 0;; ++round) {
    solve_islands(options);
    if (round == most_rounds || !take_speeds()) return {};
    if (const SolveReport found = find_near(); !found.ok()) return found;
  }
}

void ContactStep::solve_islands(const ContactOptions& options) {
  solved_ = true;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    step_of(i).unearned = step_of(i).excess = 0.0;
    step_of(i).tolerance = options.solve.tolerance;
    ends_[i] = seen(i).free;
    pushes_[i].setZero(ends_[i].size());
  }
  find_islands();
  executor_.parallel_for(report_.islands, [this, &options](std::ptrdiff_t i) {
    solve_island(islands_[static_cast<std::size_t>(i)], options);
  });
  for (int i = 0; i < report_.islands; ++i) {
    const ContactSolveReport& solved = islands_[static_cast<std::size_t>(i)].solved;
    report_.iterations = std::max(report_.iterations, solved.iterations);
    report_.active += solved.active;
    report_.converged = report_.converged && solved.ok();
    report_.residual = std::max(report_.residual, solved.residual);
    solved_ = solved_ && solved.status != SolveStatus::not_finite;
  }
}

/// Whether the contacts of an island were not solved by far: impulses that do not belong to the velocities
/// give energy to one body that none has lost.
bool ContactStep::unsolved(const Island& island) {
  constexpr double unbearable = 0.1;  // residual, and share of the energy that is given
  const ContactSolveReport& solved = island.solved;
  return !(island.gain <= unbearable) ||
         (!solved.ok() && (solved.status == SolveStatus::not_finite || solved.residual > unbearable));
}

/// Whether the shape of a member (-1: none) creeps.
bool ContactStep::creeps(int member) const {
  if (member < 0) return false;
  const auto m = static_cast<std::size_t>(member);
  return !condenses(m) && steps_[m].hardness > 0.0;
}

/// Whether that of one of its bodies does: it is out of all proportion, as its contacts are.
bool ContactStep::creeps(const Island& island) const {
  return std::any_of(island.members.begin(), island.members.end(),
                     [&](int member) { return creeps(member); });
}

/// Those of an island that is not solved stand still for this step. Those with every vertex, which nothing
/// but impulses moves, and shapes that creep, which have no momentum, go on as if nothing touched them.
void ContactStep::stop(Island& island) {
  island.pushed_out = 0.0;
  for (const int member : island.members) {
    const auto m = static_cast<std::size_t>(member);
    const bool crept = creeps(member) && members_[m].elastic != ElasticEnd::rigid;
    step_of(m).unearned = step_of(m).excess = 0.0;
    if (condenses(m) || crept) {
      ends_[m] = seen(m).free;
      pushes_[m].setZero(ends_[m].size());
      continue;
    }
    ends_[m].setZero();
    if (members_[m].rigid != nullptr)
      pushes_[m] = members_[m].rigid->stopping_impulse(steps_[m]);
    else
      pushes_[m].noalias() = -1.0 * steps_[m].matrix * steps_[m].free;
  }
  for (const int contact : island.contacts) {
    contacts_[static_cast<std::size_t>(contact)].impulse.setZero();
    contacts_[static_cast<std::size_t>(contact)].velocity.setZero();
  }
}

/// Islands that are not solved stop where shapes creep, and else at the end of all halvings: but for bodies
/// that have not tried to keep their shape; they fail, to be asked again so. Returns whether any stops.
bool ContactStep::stop_unsolved(bool last) {
  const auto yields = [&](int member) {
    const Member& one = members_[static_cast<std::size_t>(member)];
    return one.body != nullptr && one.elastic != ElasticEnd::rigid;
  };
  bool any = false;
  for (int i = 0; i < report_.islands; ++i) {
    Island& island = islands_[static_cast<std::size_t>(i)];
    if (!unsolved(island)) continue;
    if (!creeps(island)) {
      if (!last) continue;
      const std::size_t before = failed_.size();
      std::copy_if(island.members.begin(), island.members.end(), std::back_inserter(failed_), yields);
      if (failed_.size() > before) continue;
    }
    stop(island);
    any = true;
  }
  const auto is_finite = [&](const Island& island) {
    return island.solved.status != SolveStatus::not_finite || creeps(island) || last;
  };
  solved_ = std::all_of(islands_.begin(), islands_.begin() + report_.islands, is_finite);
  return any;
}

/// Ways are straight within a step: what turns by more meets things elsewhere than where its contacts are,
/// and a thin body that a strong hand turns over would be below the ground before any contact is seen.
bool ContactStep::turns_far(int member) const {
  constexpr double largest_turn = 0.25;  // rad: places are off by 3 % of their distance to the axis
  const auto m = static_cast<std::size_t>(member);
  const Body* const body = members_[m].body;
  if (body == nullptr || condenses(m) || body->tree() == nullptr || !body->tree()->tree().free) return false;
  return ends_[m].tail<3>().norm() * h_ > largest_turn;
}

/// Whether what was not solved, or turns far, is to be tried in shorter steps: shapes that creep do not gain
/// by these.
bool ContactStep::wants_halves(double bearable) const {
  constexpr double largest_gain = 1e-3;
  return std::any_of(islands_.begin(), islands_.begin() + report_.islands, [&](const Island& island) {
    const bool wrong = !island.solved.ok() && island.solved.residual > bearable;
    const bool far = std::any_of(island.members.begin(), island.members.end(),
                                 [&](int member) { return turns_far(member); });
    return (wrong || far || !(island.gain <= largest_gain)) && !creeps(island);
  });
}

StepReport ContactStep::commit(bool last) {
  StepReport total;
  failed_.clear();
  total.rescued = stop_unsolved(last);
  if (!failed_.empty()) {
    total.status = SolveStatus::not_converged;
    return total;
  }
  bool finite = solved_;
  for (std::size_t i = 0; i < members_.size(); ++i)
    finite = finite && ends_[i].allFinite() && pushes_[i].allFinite();
  if (!finite) {
    total.status = SolveStatus::not_finite;
    return total;
  }
  for (int i = 0; i < report_.islands; ++i)
    report_.pushed_out += islands_[static_cast<std::size_t>(i)].pushed_out;
  reports_.assign(members_.size(), {});
  executor_.parallel_for(static_cast<std::ptrdiff_t>(members_.size()), [this, last](std::ptrdiff_t index) {
    const auto i = static_cast<std::size_t>(index);
    const Member& member = members_[i];
    if (member.body == nullptr) return;
    const bool slows = last && member.elastic != ElasticEnd::mean;
    reports_[i] = condenses(i) ? member.body->end_condensed(condensed_[i], pushes_[i], slows)
                               : member.body->end_coupled(steps_[i], ends_[i], pushes_[i], slows);
  });
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].body == nullptr) continue;
    if (!reports_[i].ok()) failed_.push_back(static_cast<int>(i));
    if (total.ok()) add_report({reports_[i]}, total);
  }
  if (!failed_.empty()) {
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (members_[i].body != nullptr && reports_[i].ok()) members_[i].body->undo_coupled();
    return total;
  }
  for (std::size_t i = 0; i < members_.size(); ++i)  // which cannot fail
    if (members_[i].rigid != nullptr) members_[i].rigid->end_coupled(steps_[i], ends_[i], pushes_[i]);
  return total;
}

}  // namespace limber
