#pragma once

#include "limber/linalg/state_stream.hpp"

#include <algorithm>

namespace limber {

/// When it is worth to try the subspace again, and to learn for it: after some failures in a row full steps
/// go by in between, the more the longer nothing comes of it. A motion that no small subspace holds then
/// costs little more than full steps alone.
class Patience {
 public:
  [[nodiscard]] bool waits() const { return wait_ > 0; }
  /// A full step went by.
  void pass() { wait_ = std::max<std::int64_t>(0, wait_ - 1); }
  void fail() {
    failures_ = std::min(failures_ + 1, most_failures);
    wait_ = std::max<std::int64_t>(0, (failures_ - free_failures) / 3);
  }
  void succeed() { failures_ = std::max<std::int64_t>(0, failures_ - 2); }

  void save(StateWriter& out) const {
    out.write(failures_);
    out.write(wait_);
  }
  void restore(StateReader& in) {
    in.read(failures_);
    in.read(wait_);
  }

 private:
  static constexpr std::int64_t free_failures = 30, most_failures = 90;
  std::int64_t failures_ = 0, wait_ = 0;
};

}  // namespace limber
