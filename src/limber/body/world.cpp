#include "limber/body/world.hpp"

#include "limber/base/error.hpp"

#include <utility>

namespace limber {

Index World::add(Body body, const ReducedStepOptions& options, Driver driver) {
  entries_.push_back({std::move(body), options, std::move(driver)});
  return body_count() - 1;
}

World::Entry& World::entry(Index i) {
  require(i >= 0 && i < body_count(), "body {} of a world with {}", i, body_count());
  return entries_[static_cast<std::size_t>(i)];
}

const World::Entry& World::entry(Index i) const {
  require(i >= 0 && i < body_count(), "body {} of a world with {}", i, body_count());
  return entries_[static_cast<std::size_t>(i)];
}

void World::apply_loads(double h) {
  for (Entry& entry : entries_) {
    if (entry.driver) entry.driver(entry.body, h);
  }
}

/// Nothing touches yet.
void World::detect() {}

/// One body after the other, as long as nothing couples them.
StepReport World::solve(double h) {
  StepReport total;
  for (Entry& entry : entries_) {
    add_report(entry.body.step(h, entry.options), total);
    if (!total.ok()) break;
  }
  return total;
}

void World::go_back() {
  for (Entry& entry : entries_) entry.body.go_back();
}

StepReport World::step(double h) {
  const bool alone = body_count() == 1;  // a body that fails stays where it was by itself
  apply_loads(h);
  if (!alone) {
    for (Entry& entry : entries_) entry.body.remember();
  }
  detect();
  try {
    const StepReport total = solve(h);
    if (!total.ok() && !alone) go_back();
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
  return sum;
}

}  // namespace limber
