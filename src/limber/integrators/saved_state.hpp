#pragma once

#include "limber/base/error.hpp"
#include "limber/integrators/dynamic_system.hpp"
#include "limber/integrators/energy_guard.hpp"
#include "limber/linalg/state_stream.hpp"

#include <cmath>
#include <cstdint>

namespace limber {

/// Writes a state for save() of a body.
inline void save_state(const DynamicState& state, StateWriter& out) {
  out.write(state.time);
  out.write(state.u);
  out.write(state.v);
  out.write(state.a);
  out.write(state.slack);
  out.write(std::int64_t{state.caution});
  out.write(state.changed);
}

/// Takes it back. size: entries of u, v and a each. Throws Error for a state of another size, and for numbers
/// that cannot be.
inline DynamicState restore_state(StateReader& in, Index size) {
  DynamicState state;
  in.read(state.time);
  in.read(state.u);
  in.read(state.v);
  in.read(state.a);
  in.read(state.slack);
  std::int64_t caution = 0;
  in.read(caution);
  in.read(state.changed);
  require(state.u.size() == size && state.v.size() == size && state.a.size() == size,
          "the state has {} displacements, {} velocities and {} accelerations, the body needs {}",
          state.u.size(), state.v.size(), state.a.size(), size);
  require(std::isfinite(state.time) && state.u.allFinite() && state.v.allFinite() && state.a.allFinite() &&
              std::isfinite(state.slack) && caution >= 0 && caution <= cautious_steps,
          "the state has numbers that are not finite or out of range");
  state.caution = static_cast<int>(caution);
  return state;
}

}  // namespace limber
