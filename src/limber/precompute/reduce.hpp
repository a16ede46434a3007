#pragma once

#include "limber/base/progress.hpp"
#include "limber/basis/sketch.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <string>
#include <utility>
#include <vector>

namespace limber {

/// What a subspace is made of. Several sources are mixed, each scaled to the same largest length.
struct BasisSettings {
  int modes = 20;                   ///< linear modes, without rigid motions; 0: none
  bool derivatives = true;          ///< of these modes along each other
  std::vector<Matrix3X> snapshots;  ///< displacement fields, one column per vertex of the mesh
  std::vector<PointForce> sketch;   ///< recorded forces, whose shapes full statics finds
  SketchOptions sketching{};
  int rank = 30;  ///< r at most; fewer where the sources span less
};

struct ReduceOptions {
  BasisSettings basis{};
  bool keep_simulation_mesh = true;
  Progress progress{};
};

/// What was done, and how long each stage took.
struct ReduceReport {
  Vector frequencies_hz;                               ///< of the linear modes, without rigid motions
  Index rigid_modes = 0;                               ///< motions without strain, which the model leaves out
  Vector singular_values;                              ///< of all samples, descending
  SketchShapes sketch;                                 ///< counts; its shapes are taken away
  double orthonormality = 0.0;                         ///< largest entry of |U^T M U - I|
  std::vector<std::pair<std::string, double>> stages;  ///< seconds, in their order
};

/// A subspace for the motion of a body, dofs x r, mass-orthonormal.
/// Throws Error when the settings name no source or the modes are not found.
Matrix compute_basis(const FullModel& model, const BasisSettings& settings, ReduceReport& report,
                     const Progress& progress = {});

/// From a mesh to a body that moves in real time: basis, coefficients, surface.       [Barbic & James 2005]
/// surface, colors: as for build_reduced_model.
ReducedModel reduce(const FullModel& model, const SurfaceMesh& surface, const std::vector<Vector3>& colors,
                    const ReduceOptions& options, ReduceReport& report);

}  // namespace limber
