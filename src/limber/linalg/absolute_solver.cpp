#include "limber/linalg/absolute_solver.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace limber {

struct AbsoluteSolver::Spectrum {
  Eigen::Tridiagonalization<Matrix> reflections;  ///< Q and T
  Eigen::SelfAdjointEigenSolver<Matrix> eigen;    ///< of T
  Vector diagonal, subdiagonal, inverse, projection;

  /// x -= 2 (v . x) / (v . v) v, where v is zero up to row i, one in row i + 1, and then stands in column i
  /// of the packed matrix; nothing where it has no more than that one entry. (Eigen knows 2 / (v . v), but
  /// hands it out by allocating.)
  void reflect(Index i, Vector& x) const {
    const Index rest = x.size() - i - 2;
    const auto v = reflections.packedMatrix().col(i).tail(rest);
    const double size = v.squaredNorm();
    if (size == 0.0) return;
    const double share = 2.0 * (x(i + 1) + v.dot(x.tail(rest))) / (1.0 + size);
    x(i + 1) -= share;
    x.tail(rest) -= share * v;
  }
};

AbsoluteSolver::AbsoluteSolver() = default;
AbsoluteSolver::~AbsoluteSolver() = default;
AbsoluteSolver::AbsoluteSolver(AbsoluteSolver&&) noexcept = default;
AbsoluteSolver& AbsoluteSolver::operator=(AbsoluteSolver&&) noexcept = default;

AbsoluteSolver::AbsoluteSolver(const AbsoluteSolver& other)
    : spectrum_(other.spectrum_ ? std::make_unique<Spectrum>(*other.spectrum_) : nullptr) {}

AbsoluteSolver& AbsoluteSolver::operator=(const AbsoluteSolver& other) {
  return *this = AbsoluteSolver(other);
}

bool AbsoluteSolver::compute(const Matrix& A, double floor, double relative_floor) {
  if (!spectrum_) spectrum_ = std::make_unique<Spectrum>();
  Spectrum& s = *spectrum_;
  if (A.rows() == 1) {  // Eigen wants two rows to reflect
    s.diagonal = A.col(0);
    s.subdiagonal.resize(0);
  } else {
    s.reflections.compute(A);
    s.diagonal = s.reflections.diagonal();
    s.subdiagonal = s.reflections.subDiagonal();
  }
  s.eigen.computeFromTridiagonal(s.diagonal, s.subdiagonal);
  if (s.eigen.info() != Eigen::Success) return false;
  s.inverse = s.eigen.eigenvalues().cwiseAbs();
  floor = std::max(floor, relative_floor * s.inverse.maxCoeff());
  s.inverse = s.inverse.cwiseMax(floor).cwiseInverse();
  return floor > 0.0;
}

void AbsoluteSolver::solve(const Vector& b, Vector& x) {
  Spectrum& s = *spectrum_;
  x = b;
  for (Index i = 0; i + 1 < x.size(); ++i) s.reflect(i, x);
  s.projection.noalias() = s.eigen.eigenvectors().transpose() * x;
  s.projection.array() *= s.inverse.array();
  x.noalias() = s.eigen.eigenvectors() * s.projection;
  for (Index i = x.size() - 2; i >= 0; --i) s.reflect(i, x);
}

}  // namespace limber
