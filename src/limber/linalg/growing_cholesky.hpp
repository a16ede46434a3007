#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// The Cholesky factor of a positive definite matrix that gains rows at its end and loses them anywhere,
/// H = L L^T, and y = L^-1 g for one right-hand side g that changes with it. H and g themselves are
/// not stored.
class GrowingCholesky final {
 public:
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] auto y() const { return y_.head(size_); }

  /// C := L^-1 C.  C: size x s.  Cost size^2 s.
  void solve_lower(Eigen::Ref<Matrix> C) const;

  /// s := L^-T s; with s = y that is the solution of H s = g.  Cost size^2.
  void solve_upper(Eigen::Ref<Vector> s) const;

  /// A last row of L, its diagonal entry > 0, and the entry of y that belongs to it.  row: size.
  void append(const VectorRef& row, double diagonal, double y);

  /// Takes row and column p out of H, by plane rotations. Returns by how much |y|^2 = g^T H^-1 g goes down.
  /// Cost 3 (size - p)^2.
  double remove(Index p);

 private:
  void reserve(Index size);

  Matrix L_;  ///< lower triangle of the first size_ rows and columns; what lies above it is anything
  Vector y_;
  Index size_ = 0;
};

/// Rows that may be appended to a factor: with those that are in it eliminated, it can be told which of them
/// to append, and appending one eliminates it from the others at little cost. The factor must not be changed
/// otherwise meanwhile.
class PivotBlock final {
 public:
  /// coupling: H of the rows in the factor and the s new ones, size x s. diagonal: H of the new ones, s x s.
  /// g: s.  Cost s size^2.
  PivotBlock(GrowingCholesky& factor, Matrix coupling, Matrix diagonal, Vector g);

  [[nodiscard]] Index size() const { return g_.size(); }

  /// H(t, t) with all of the factor eliminated: the square of the diagonal entry of L that row t would get. 0
  /// once t is appended.
  [[nodiscard]] double pivot(Index t) const { return S_(t, t); }

  /// g(t) with all of the factor eliminated: for the normal equations of least squares, the slope of entry t.
  [[nodiscard]] double rhs(Index t) const { return g_[t]; }

  /// Appends row t, whose pivot is positive. Returns the square of its entry of y.  Cost s^2.
  double append(Index t);

 private:
  GrowingCholesky& factor_;
  Matrix C_;  ///< L^-1 coupling, with a row more for each that was appended
  Matrix S_;
  Vector g_;
  Index known_;  ///< rows of C_ in use
};

}  // namespace limber
