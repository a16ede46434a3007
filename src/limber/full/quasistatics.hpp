#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/fem/vertex_maps.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"

#include <functional>

namespace limber {

/// Equilibrium of a body over time, under loads and supports that change slowly enough for inertia not to
/// matter:
///
///   f(y) = f_ext(t),   y = L(t) u + c(t) of the free vertices, c(t) of the fixed ones      (vertex_maps.hpp)
///
/// from one time to the next. Newton's iteration starts with the last u in the maps of the new time. Where
/// that is too far, time is taken by halves; where halves do not help either, as for a load that sets in at
/// once, the way is gone in load steps. Keeps nothing from step to step: the outcome depends on u and the
/// times alone.
class QuasistaticSolver {
 public:
  using MapFunction = std::function<VertexMaps(double t)>;

  /// model: its supports are moved by place() and step(). Keeps a reference. Throws Error as StaticSolver
  /// does.
  QuasistaticSolver(FullModel& model, MapFunction maps, LoadFunction load, const StaticOptions& options = {});

  /// Moves the supports of the model to where they are at time t, s.
  void place(double t);
  /// Maps of the time of the last place() or step().
  [[nodiscard]] const VertexMaps& maps() const { return maps_; }

  /// From equilibrium at time t0 to that at t1, s. u: displacements in the rest pose, unknowns of the model,
  /// m. On failure u stays and the supports are as at t0. load_steps of the report: equilibria found on the
  /// way.
  StaticReport step(double t0, double t1, Vector& u);

 private:
  StaticReport solve_at(double t, Vector& u, bool in_load_steps);

  FullModel& model_;
  MapFunction map_function_;
  LoadFunction load_;
  StaticSolver solver_;
  VertexMaps maps_;
  Vector f_ext_;
};

}  // namespace limber
