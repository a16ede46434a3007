#pragma once

#include "limber/body/body.hpp"

#include <functional>
#include <vector>

namespace limber {

/// Bodies that move together, each by a method of its own. A step counts only if it succeeds for all. For one
/// thread at a time.
class World {
 public:
  /// What is to happen to a body before its step of h seconds: loads that change, hands that move.
  using Driver = std::function<void(Body& body, double h)>;

  /// Returns its number. options: of its steps.
  Index add(Body body, const ReducedStepOptions& options = {}, Driver driver = {});
  [[nodiscard]] Index body_count() const { return static_cast<Index>(entries_.size()); }
  [[nodiscard]] Body& body(Index i) { return entry(i).body; }
  [[nodiscard]] const Body& body(Index i) const { return entry(i).body; }
  void set_driver(Index i, Driver driver) { entry(i).driver = std::move(driver); }

  /// Advances all by h seconds, in phases: loads, detection of what touches, solution, commit. On failure all
  /// are left as they were, but for what drivers did.
  StepReport step(double h);

  [[nodiscard]] double energy() const;  ///< elastic and kinetic, of all bodies, J

 private:
  struct Entry {
    Body body;
    ReducedStepOptions options;
    Driver driver;
  };
  [[nodiscard]] Entry& entry(Index i);
  [[nodiscard]] const Entry& entry(Index i) const;

  void apply_loads(double h);
  void detect();
  StepReport solve(double h);
  void go_back();

  std::vector<Entry> entries_;
};

}  // namespace limber
