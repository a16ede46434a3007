#pragma once

#include "limber/base/random.hpp"
#include "limber/fem/assembly.hpp"
#include "limber/online/key_elements.hpp"

#include <span>
#include <vector>

namespace limber {

// How key elements are trained: see key_element_fit.cpp and key_element_probes.cpp.

/// A state near a pose, displaced within the space of a basis: what teaches key elements the stiffness there.
struct KeyElementProbe {
  Matrix3X displacement;  ///< of all vertices in the world, 3 x n, m
  Vector force;           ///< less that of its pose; dofs, in the world, N
};

struct KeyElementPose {
  Matrix3X displacement;        ///< of all vertices in the world, 3 x n, m
  std::vector<Matrix3> linear;  ///< of its vertex maps
  Vector force;                 ///< dofs, in the world, N
  std::vector<KeyElementProbe> probes;
};

/// Points in ascending order with their weights, m^3, > 0.
struct KeyPoints {
  std::vector<QuadraturePoint> points;
  Vector weights;
};

/// Rows of the basis (dofs x r) at the vertices of an element: modes, 3 N x r; zero where a vertex is fixed.
void gather_modes(const FullModel& model, const Eigen::Ref<const Matrix>& basis, int element,
                  Eigen::Ref<Matrix> modes);

/// Adds probes until there are two for each vector of the basis (dofs x r) in all poses together: to the
/// poses that have the fewest, the last ones first. Their directions are random, soft and stiff ones alike.
/// Cost: one full force for each that is added.
void add_probes(const FullModel& model, const Assembly& assembly, const Eigen::Ref<const Matrix>& basis,
                std::span<KeyElementPose> poses, Random& random);

/// Trains `chosen`, starting from what it is. Poses: one at least, with probes.
KeyElementFit fit_key_elements(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                               std::span<const KeyElementPose> poses, const KeyElementOptions& options,
                               Random& random, KeyPoints& chosen);

}  // namespace limber
