#pragma once

#include "limber/linalg/types.hpp"

#include <memory>

namespace limber {

/// Eigenvalues t and eigenvectors of a symmetric matrix,
///
///   A = Q T Q^T, T tridiagonal, Q a product of reflections;   T = V diag(t) V^T,
///
/// for real time: O(r^3), and allocates nothing once it has been used for a matrix of the same size (Eigen's
/// own solver for full matrices does).
class SymmetricSpectrum {
 public:
  SymmetricSpectrum();
  ~SymmetricSpectrum();
  SymmetricSpectrum(const SymmetricSpectrum& other);
  SymmetricSpectrum& operator=(const SymmetricSpectrum& other);
  SymmetricSpectrum(SymmetricSpectrum&& other) noexcept;
  SymmetricSpectrum& operator=(SymmetricSpectrum&& other) noexcept;

  /// A: its lower triangle is read. Returns whether the eigenvalues were found.
  bool compute(const Matrix& A);

  [[nodiscard]] const Vector& values() const;  ///< t, ascending

  /// y = (Q V)^T b, in place.
  void to_eigenvectors(Vector& b);
  /// x = Q V y, in place.
  void from_eigenvectors(Vector& y);
  /// Column k of Q V.
  void eigenvector(Index k, Vector& x) const;

 private:
  struct Decomposition;
  std::unique_ptr<Decomposition> decomposition_;  ///< made by the first compute()
};

/// Solves with |A|, the symmetric matrix A with the absolute values of its eigenvalues: what Newton's
/// iteration takes for a matrix that is not positive definite, so that its step descends.
class AbsoluteSolver {
 public:
  /// Eigenvalues smaller than `floor`, or than the share `relative_floor` of the largest one, are taken for
  /// that. Returns whether the eigenvalues were found and are not all zero.
  bool compute(const Matrix& A, double floor, double relative_floor);

  /// x = |A|^-1 b. They may be the same vector.
  void solve(const Vector& b, Vector& x);

 private:
  SymmetricSpectrum spectrum_;
  Vector inverse_;
};

/// Takes negative eigenvalues of a symmetric matrix for zero.
class PositivePart {
 public:
  /// A: finite; its lower triangle is read.
  void take(Matrix& A);

 private:
  SymmetricSpectrum spectrum_;
  Vector eigenvector_;
};

}  // namespace limber
