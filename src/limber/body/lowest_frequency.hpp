#pragma once

#include "limber/multidomain/tree_dynamics.hpp"

namespace limber {

/// Hz, about the lowest frequency of small vibrations of a tree about its rest shape, whatever it does now:
/// Rayleigh's quotient of its shape under gravity, the least of three axes. 0 for a free tree and one without
/// coordinates. Costs as much as some steps.
double lowest_frequency(const TreeDynamics& dynamics);

}  // namespace limber
