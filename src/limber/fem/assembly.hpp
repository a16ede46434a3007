#pragma once

#include "limber/base/executor.hpp"
#include "limber/fem/sparsity.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <memory>
#include <vector>

namespace limber {

/// How the stress derivative enters the stiffness.
enum class Tangent {
  exact,      ///< the true derivative of the internal force
  projected,  ///< each quadrature point's part made positive semidefinite, so that Newton descends
};

/// Sums over all elements of one mesh. Fields are 3 x n, one column per vertex, fixed ones included: their
/// forces are the reactions. Matrices are filled through a Sparsity and cover the free vertices only. The
/// outcome has the same bits for any number of threads (see ElementSchedule).
class Assembly {
 public:
  virtual ~Assembly() = default;

  /// Stored energy, J.
  [[nodiscard]] virtual double energy(const Matrix3X& displacement) const = 0;

  /// Smallest det F over all quadrature points: at most 0 where an element is inverted.
  [[nodiscard]] virtual double smallest_volume_ratio(const Matrix3X& displacement) const = 0;

  /// Largest |F - I| (Frobenius norm) over all quadrature points.
  [[nodiscard]] virtual double largest_gradient(const Matrix3X& displacement) const = 0;

  /// force = dE/du, N.
  virtual void force(const Matrix3X& displacement, Matrix3X& force) const = 0;

  /// force = dE/du and K = d^2E/du^2; K must have the pattern of the Sparsity.
  virtual void force_and_stiffness(const Matrix3X& displacement, Tangent tangent, Matrix3X& force,
                                   SparseMatrix& K) const = 0;

  /// H = d/dt K(displacement + t direction) at t = 0.
  virtual void stiffness_derivative(const Matrix3X& displacement, const Matrix3X& direction,
                                    SparseMatrix& H) const = 0;

  /// Column pair_index(i, j) of products, i >= j: (H : a_i) a_j with H : a_i the derivative above along a_i
  /// (pairs.hpp), for all pairs of directions in one pass over the elements.  directions, products: one row
  /// per unknown; products must have its size.
  virtual void stiffness_derivative_products(const Matrix3X& displacement,
                                             const Eigen::Ref<const Matrix>& directions,
                                             Matrix& products) const = 0;
};

/// materials: one per region of the mesh. The mesh, the sparsity and the materials are copied as far as
/// needed.
std::unique_ptr<Assembly> make_assembly(const VolumeMesh& mesh, const Sparsity& sparsity, const DofMap& dofs,
                                        const std::vector<Material>& materials, const Executor& executor);

}  // namespace limber
