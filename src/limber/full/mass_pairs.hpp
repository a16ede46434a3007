#pragma once

#include "limber/fem/full_model.hpp"

#include <functional>

namespace limber {

/// Calls use(a, b, mass) for all pairs of vertices of each element, in both orders and with themselves, with
/// the mass that couples them there, kg: the entries of the mass matrix over all vertices, fixed ones
/// included, as sums. O(elements).
void for_each_mass(const FullModel& model, const std::function<void(int a, int b, double mass)>& use);

}  // namespace limber
