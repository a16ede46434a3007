#pragma once

#include "limber/fem/element_schedule.hpp"
#include "limber/linalg/packet.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <array>

namespace limber {

/// The two finite elements, eight at a time. Each says how many vertices and quadrature points it has, what
/// it keeps of the rest shape, and the gradients of its shape functions (g[a][axis], 1/m) and the weight
/// (m^3) at quadrature point q.

/// Linear tetrahedron: the gradients are constant, so one point integrates everything exactly.
struct TetrahedronElement {
  static constexpr ElementKind kind = ElementKind::tetrahedron;
  static constexpr int nodes = 4;
  static constexpr int points = 1;

  Packet gradient[nodes][3];
  Packet volume;

  TetrahedronElement(const VolumeMesh& mesh, const ElementPacket& packet);

  Packet point(int /*q*/, Packet (&g)[nodes][3]) const {
    for (int a = 0; a < nodes; ++a)
      for (int axis = 0; axis < 3; ++axis) g[a][axis] = gradient[a][axis];
    return volume;
  }

  /// Integral of N_a N_b over the element, as a share of its volume.
  static constexpr double mass_share(int a, int b) { return a == b ? 0.1 : 0.05; }
};

/// Trilinear axis-aligned brick with three Gauss points per axis. The displacement gradient is quadratic in
/// each coordinate at most in products with itself, the St. Venant-Kirchhoff energy of degree 4: three
/// points, exact up to degree 5, integrate it exactly.
struct BrickElement {
  static constexpr ElementKind kind = ElementKind::brick;
  static constexpr int nodes = 8;
  static constexpr int points = 27;

  Packet inverse_size[3];
  Packet volume;

  BrickElement(const VolumeMesh& mesh, const ElementPacket& packet);

  Packet point(int q, Packet (&g)[nodes][3]) const;

  static double mass_share(int a, int b);
};

}  // namespace limber
