#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/scene/scene.hpp"

#include <functional>

namespace limber {

/// Share of the time from t0 to t1 (s) in which a load acts; for t0 = t1 whether it does then.
double active_share(const PointLoad& load, double t0, double t1);

/// Mean of what the acceleration loads of a body add up to from t0 to t1 (s), m/s^2.
Vector3 mean_acceleration(const std::vector<AccelerationLoad>& loads, double t0, double t1);

/// Force on the unknowns of a model, N, of an acceleration of all of it, m/s^2.
using WeightFunction = std::function<Vector(const Vector3&)>;

/// The load of a body as a function of time: its weight, and its loads while they last.
/// forces: one per point load, on the unknowns of the model, N.
LoadFunction make_load_function(const SceneBody& body, const Vector3& gravity, const WeightFunction& weight,
                                std::vector<Vector> forces);

/// The vertices that a point load acts on. Throws Error, naming the body and the load, where there are none.
std::vector<int> loaded_vertices(const VolumeMesh& mesh, const SceneBody& body, std::size_t load);

/// Throws Error for a time step (s) that central differences cannot take: not below the critical one.
void check_explicit_timestep(const SceneBody& body, double timestep, double critical);

}  // namespace limber
