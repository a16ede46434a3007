#pragma once

#include "limber/body/body.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/fem/vertex_maps.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/online/online_settings.hpp"

#include <functional>
#include <string>
#include <vector>

namespace limber {

/// What a body that is computed with its mesh is made from.
struct MeshBodySetup {
  std::string name;  ///< for messages
  VolumeMesh mesh;
  SurfaceMesh surface;          ///< to draw, moved by the mesh; without triangles: the boundary of the mesh
  std::vector<Vector3> colors;  ///< sRGB, one per part of `surface`; empty: chosen when drawn
  std::vector<Material> materials;  ///< one per region
  std::vector<int> fixed;           ///< vertices
  MassKind mass = MassKind::consistent;
  RayleighDamping damping;
  SparseSolverKind solver = SparseSolverKind::cholesky;
  StaticOptions statics;  ///< of equilibria; its solver is that above
  Executor executor;

  /// Equilibrium at each time in place of motion with inertia.
  bool quasistatic = false;
  /// Quasistatic only: how vertices are carried at a time, s; those that it moves beside fixed ones are among
  /// `fixed`. None: not at all.
  std::function<VertexMaps(double)> maps;
};

/// A body computed with every vertex of its mesh. Points are vertices of the mesh, or of the surface.
/// Throws Error, naming the body, for what FullModel refuses.
Body make_full_body(MeshBodySetup setup);

/// A body computed with every vertex of its mesh while it learns a subspace, and in that where it can.
/// duration: of the whole run, s. [Kim & James 2009]
Body make_online_body(MeshBodySetup setup, const OnlineSettings& settings, double duration);

}  // namespace limber
