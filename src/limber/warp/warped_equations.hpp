#pragma once

#include "limber/integrators/dynamic_system.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <span>

namespace limber {

/// The decoupled equations of a body in its natural modes, which are warped:
///
///   q_i'' + c_i q_i' + k_i q_i = (J^T F)_i,   u = R~(Psi q) Phi q,   J = du/dq.          [Choi & Ko 2005, Eq. 18, 22]
///
/// The paper has Phi^T R^T F for the load. The two agree where a place turns as it moves along (d/dq of q
/// sin(psi q)/(psi q) is cos(psi q)), but only J^T F has a potential: under the other gravity feeds a swing.
///
/// The modes Phi = U S come from the model's own subspace: linear modes are themselves, inertia modes and any
/// other basis are turned into the modes that their span holds. In this header q are the amplitudes of modes,
/// m of them; coordinates of the model are S q.
struct WarpedEquations {
  Matrix shapes;      ///< S, r x m: coordinates of the model for each mode
  Vector stiffness;   ///< k, m, 1/s^2, ascending: the modes have mass 1
  Vector damping;     ///< c = alpha + beta k, m, 1/s
  Vector lump_mass;   ///< kg, one per lump
  Matrix3X centers;   ///< of the lumps at rest, m
  Matrix moments;     ///< 3 lumps x m: mass times Phi, kg m per unit of q
  Matrix rotations;   ///< 3 lumps x m: Psi, rad per unit of q
  double size = 0.0;  ///< of the body, the diagonal of the box about its surface at rest, m

  [[nodiscard]] Index modes() const { return stiffness.size(); }
  [[nodiscard]] Index lumps() const { return lump_mass.size(); }
};

struct WarpedEquationsOptions {
  Index rank = 0;             ///< coordinates of the model in use, the first ones; 0: all
  Index modes = 0;            ///< natural modes, the slowest; 0: as many as coordinates
  RayleighDamping damping{};  ///< its kind does not matter
};

/// materials: one per region, of which only the stiffness at rest matters. Throws Error for a model without
/// warp data, for wrong counts and impossible materials or damping.
WarpedEquations make_warped_equations(const ReducedModel& model, std::span<const Material> materials,
                                      const WarpedEquationsOptions& options = {});

/// A vertex as modal warping sees it.
struct WarpSite {
  Vector3 rest = Vector3::Zero();  ///< m
  Matrix3X shape;                  ///< 3 x m: Phi there, m per unit of q
  Matrix3X turn;                   ///< 3 x m: Psi there, rad per unit of q

  [[nodiscard]] Vector3 rotation(const VectorRef& q) const { return turn * q; }  ///< rotation vector
  [[nodiscard]] Vector3 displacement(const VectorRef& q) const;                  ///< R~ Phi q, m
  [[nodiscard]] Matrix3X derivative(const VectorRef& q) const;  ///< of the displacement, 3 x m
  void derivative(const VectorRef& q, Eigen::Ref<Matrix3X, 0, Eigen::OuterStride<>> result) const;
};

/// A vertex of the surface.
WarpSite surface_site(const ReducedModel& model, const WarpedEquations& equations, int vertex);
/// A vertex of the simulation mesh, which the model must have. rotations: nodal_rotations() of its basis.
WarpSite mesh_site(const ReducedModel& model, const Matrix& rotations, const WarpedEquations& equations,
                   int vertex);

}  // namespace limber
