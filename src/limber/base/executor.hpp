#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace limber {

/// A team of threads that runs loops in parallel. Cheap to copy: copies share the team, and the last one
/// joins it.
///
/// Why not oneTBB: a fork-join loop over coarse tasks is all that limber needs, it fits in one file,
/// ThreadSanitizer can see through it (it cannot see through a prebuilt scheduler), and an engine that embeds
/// limber gets no second task scheduler. What runs where never changes a result: tasks write to disjoint
/// memory, or are ordered by phases.
class Executor {
 public:
  /// threads: how many threads work in a loop, the caller included; 0 takes one per core.
  explicit Executor(int threads = 0);

  [[nodiscard]] int threads() const;

  /// Calls body(i) for every i in [0, count), in any order and on any thread, and returns when all are done.
  /// The first exception thrown by a body is rethrown here and the rest is skipped. A loop inside a body runs
  /// serially.
  void parallel_for(std::ptrdiff_t count, const std::function<void(std::ptrdiff_t)>& body) const;

  /// Splits [0, count) into contiguous ranges of `grain`, the last one maybe shorter, and calls
  /// body(begin, end) for each. The split depends only on count and grain, never on the number of threads.
  void parallel_ranges(std::ptrdiff_t count, std::ptrdiff_t grain,
                       const std::function<void(std::ptrdiff_t, std::ptrdiff_t)>& body) const;

 private:
  class Team;
  std::shared_ptr<Team> team_;
};

}  // namespace limber
