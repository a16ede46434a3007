#pragma once

#include "limber/linalg/state_stream.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// A basis that grows by single vectors and is turned and cut down where it became too large. Its columns are
/// orthonormal in the mass, U^T M U = I, so that neither lengths nor what is kept depend on how finely the
/// body is meshed.
/// [Kim & James 2009, section 4.1]
class OnlineBasis {
 public:
  /// Keeps a reference to the mass matrix (dofs x dofs), kg.
  explicit OnlineBasis(const SparseMatrix& mass);

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Eigen::Ref<const Matrix> columns() const { return columns_.leftCols(rank_); }

  /// Root mean square over the mass, sqrt(x^T M x / m): of a displacement in m. (The paper's norm is |x| over
  /// the number of entries, which falls as a mesh is refined.)
  [[nodiscard]] double norm(const VectorRef& x) const;
  /// The same for U q.
  [[nodiscard]] double reduced_norm(const VectorRef& q) const { return q.norm() / root_mass_; }

  /// q of the vector in the span that is nearest to x: U^T M x.
  [[nodiscard]] Vector coordinates(const VectorRef& x) const;
  [[nodiscard]] Vector vector(const VectorRef& q) const;    ///< U q
  [[nodiscard]] Vector momentum(const VectorRef& q) const;  ///< M U q
  /// Forces (dofs, N) as the coordinates feel them: U^T f.
  [[nodiscard]] Vector force(const VectorRef& f) const { return columns().transpose() * f; }

  /// Makes x orthogonal to all columns, by modified Gram-Schmidt, and adds it where what is left of it is
  /// longer than `smallest` (m). Returns the length of what is left. [Kim & James 2009, Algorithm 1]
  double add(Vector x, double smallest);

  /// U <- U R.  R: r x k with orthonormal columns, k <= r.                    [Kim & James 2009, Algorithm 2]
  void turn(const Matrix& R);

  void save(StateWriter& out) const;
  void restore(StateReader& in);

 private:
  void reserve(Index rank);

  const SparseMatrix& mass_;
  double root_mass_ = 1.0;  ///< sqrt(kg)
  Index rank_ = 0;
  Matrix columns_;   ///< U and room for more
  Matrix weighted_;  ///< M U
};

/// The directions that matter most in recent states: the left singular vectors of A = [q q q ...], as many as
/// asked for. states: r x k.  count: at most r. [Kim & James 2009, Algorithm 2]
Matrix recent_directions(const Matrix& states, Index count);

}  // namespace limber
