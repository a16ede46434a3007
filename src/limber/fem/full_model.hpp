#pragma once

#include "limber/base/executor.hpp"
#include "limber/fem/assembly.hpp"
#include "limber/fem/dof_map.hpp"
#include "limber/linalg/types.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <memory>
#include <span>
#include <vector>

namespace limber {

enum class MassKind {
  consistent,  ///< M_ab = integral of density N_a N_b
  lumped,      ///< each element's mass split evenly between its vertices
};

struct FullModelOptions {
  MassKind mass = MassKind::consistent;
  Executor executor{};
};

/// The finite-element model of one body: everything that the equation of motion  M u'' + D u' + f(u) = f_ext
/// needs.
///
/// Constant after construction, but for where the fixed vertices are. Vectors hold the unknowns of `dofs()`:
/// three per free vertex. Matrices returned or filled by one model share one sparsity pattern, so that they
/// can be combined by adding their value arrays.
class FullModel {
 public:
  /// materials: one per region of the mesh.  fixed: vertices that do not move.
  /// Throws Error for a mesh that cannot be simulated, a wrong number of materials, or when nothing is left
  /// to move.
  FullModel(VolumeMesh mesh, std::vector<Material> materials, std::span<const int> fixed,
            const FullModelOptions& options = {});

  [[nodiscard]] const VolumeMesh& mesh() const { return mesh_; }
  [[nodiscard]] const DofMap& dofs() const { return dofs_; }
  [[nodiscard]] Index dof_count() const { return dofs_.dof_count(); }
  [[nodiscard]] const std::vector<Material>& materials() const { return materials_; }
  [[nodiscard]] const Executor& executor() const { return executor_; }

  /// Mass matrix M, kg, in the pattern of the stiffness.
  [[nodiscard]] const SparseMatrix& mass() const { return mass_; }

  /// Displacements of the fixed vertices, in place of zero: all functions of u below are then about a body
  /// whose supports were moved so. displacement: 3 x n, m; columns of other vertices are not read.
  void set_supports(const Matrix3X& displacement);

  /// Whether some fixed vertex is displaced.
  [[nodiscard]] bool supports_moved() const { return supports_moved_; }

  [[nodiscard]] MassKind mass_kind() const { return mass_kind_; }

  /// Mass that falls to each vertex, fixed ones included, kg: the row sums of the mass matrix. n.
  [[nodiscard]] const Vector& vertex_masses() const { return vertex_masses_; }

  /// A matrix with the pattern of the stiffness and values zero: what the functions below fill.
  [[nodiscard]] const SparseMatrix& pattern() const { return pattern_; }

  /// Elastic energy W(u), J.
  [[nodiscard]] double energy(const VectorRef& u) const;

  /// Internal force f(u) = dW/du, N: points against the restoring force.
  void internal_force(const VectorRef& u, Vector& f) const;
  [[nodiscard]] Vector internal_force(const VectorRef& u) const;

  /// f(u) and the tangent stiffness K(u) = df/du, N/m, in one pass over the elements. K must come from
  /// `pattern()`.
  void force_and_stiffness(const VectorRef& u, Vector& f, SparseMatrix& K,
                           Tangent tangent = Tangent::exact) const;
  [[nodiscard]] SparseMatrix stiffness(const VectorRef& u, Tangent tangent = Tangent::exact) const;

  /// The same with the forces on all vertices, as vertex_forces() gives them. 3 x n, N.
  void vertex_forces_and_stiffness(const VectorRef& u, Matrix3X& forces, SparseMatrix& K,
                                   Tangent tangent = Tangent::exact) const;

  /// H(u) : a = d/dt K(u + t a) at t = 0, symmetric. (H(u) : a) b = (H(u) : b) a.
  void stiffness_derivative(const VectorRef& u, const VectorRef& a, SparseMatrix& H) const;
  [[nodiscard]] SparseMatrix stiffness_derivative(const VectorRef& u, const VectorRef& a) const;

  /// The same products for all pairs of k directions (dofs x k) in one pass over the elements, without
  /// assembling a matrix: column pair_index(i, j), i >= j, of products (pairs.hpp) is (H(u) : a_i) a_j.  Cost
  /// O(elements k^2).
  void stiffness_derivative_products(const VectorRef& u, const Eigen::Ref<const Matrix>& directions,
                                     Matrix& products) const;

  /// Force of a uniform acceleration field g (m/s^2) on the free vertices, N.
  [[nodiscard]] Vector gravity_force(const Vector3& g) const;

  /// Forces on all vertices, fixed ones included, that the deformed body exerts: dW/dx. 3 x n, N.
  [[nodiscard]] Matrix3X vertex_forces(const VectorRef& u) const;

  /// A bound on the rounding error in `internal_force`, N (Euclidean norm): stresses are differences of
  /// numbers of the order of the moduli, whatever the strain, so forces are known to a few dozen eps |K| |x|.
  /// No residual can be expected below. Supports that were moved away by more than the size of the body add
  /// to it.
  [[nodiscard]] double force_rounding() const { return support_distance_ * force_rounding_; }

  /// The same for `energy`, J.
  [[nodiscard]] double energy_rounding() const { return support_distance_ * energy_rounding_; }

  /// Smallest det F over all quadrature points; at most 0 where an element is inverted.
  [[nodiscard]] double smallest_volume_ratio(const VectorRef& u) const;

  /// Largest |grad u| over all quadrature points: how far from small strain and rotation the state is.
  [[nodiscard]] double largest_gradient(const VectorRef& u) const;

  /// The same of a change du of the displacement, in which the fixed vertices have no part.
  [[nodiscard]] double largest_gradient_of_change(const VectorRef& du) const;

 private:
  /// u with the fixed vertices where the supports are. 3 x n.
  [[nodiscard]] Matrix3X placed(const VectorRef& u) const;

  VolumeMesh mesh_;
  std::vector<Material> materials_;
  Executor executor_;
  DofMap dofs_;
  SparseMatrix pattern_;
  SparseMatrix mass_;
  Vector vertex_masses_;
  double force_rounding_ = 0.0;
  double energy_rounding_ = 0.0;
  std::unique_ptr<Assembly> assembly_;
  MassKind mass_kind_;
  Matrix3X supports_;  ///< displacements of the fixed vertices, zero elsewhere; no columns: none is displaced
  bool supports_moved_ = false;
  double support_distance_ = 1.0;  ///< largest of them as a share of the body's size, at least 1
};

/// Numbers of the connected parts (see connected_parts) that the fixed vertices do not hold: fewer than three
/// of them, or all on one line. Such a part can move or turn without strain, and statics has no answer for
/// it.
std::vector<int> unheld_parts(const VolumeMesh& mesh, std::span<const int> fixed);

}  // namespace limber
