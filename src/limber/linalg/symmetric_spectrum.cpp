#include "limber/linalg/symmetric_spectrum.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>

namespace limber {

struct SymmetricSpectrum::Decomposition {
  Eigen::Tridiagonalization<Matrix> reflections;  ///< Q and T
  Eigen::SelfAdjointEigenSolver<Matrix> eigen;    ///< of T
  Vector diagonal, subdiagonal, product;

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

  void reflect_back(Vector& x) const {
    for (Index i = x.size() - 2; i >= 0; --i) reflect(i, x);
  }
};

SymmetricSpectrum::SymmetricSpectrum() = default;
SymmetricSpectrum::~SymmetricSpectrum() = default;
SymmetricSpectrum::SymmetricSpectrum(SymmetricSpectrum&&) noexcept = default;
SymmetricSpectrum& SymmetricSpectrum::operator=(SymmetricSpectrum&&) noexcept = default;

SymmetricSpectrum::SymmetricSpectrum(const SymmetricSpectrum& other)
    : decomposition_(other.decomposition_ ? std::make_unique<Decomposition>(*other.decomposition_)
                                          : nullptr) {}

SymmetricSpectrum& SymmetricSpectrum::operator=(const SymmetricSpectrum& other) {
  return *this = SymmetricSpectrum(other);
}

bool SymmetricSpectrum::compute(const Matrix& A) {
  if (!decomposition_) decomposition_ = std::make_unique<Decomposition>();
  Decomposition& d = *decomposition_;
  if (A.rows() == 1) {  // Eigen wants two rows to reflect
    d.diagonal = A.col(0);
    d.subdiagonal.resize(0);
  } else {
    d.reflections.compute(A);
    d.diagonal = d.reflections.diagonal();
    d.subdiagonal = d.reflections.subDiagonal();
  }
  d.eigen.computeFromTridiagonal(d.diagonal, d.subdiagonal);
  return d.eigen.info() == Eigen::Success;
}

const Vector& SymmetricSpectrum::values() const { return decomposition_->eigen.eigenvalues(); }

void SymmetricSpectrum::to_eigenvectors(Vector& b) {
  Decomposition& d = *decomposition_;
  for (Index i = 0; i + 1 < b.size(); ++i) d.reflect(i, b);
  d.product.noalias() = d.eigen.eigenvectors().transpose() * b;
  b = d.product;
}

void SymmetricSpectrum::from_eigenvectors(Vector& y) {
  Decomposition& d = *decomposition_;
  d.product.noalias() = d.eigen.eigenvectors() * y;
  y = d.product;
  d.reflect_back(y);
}

void SymmetricSpectrum::eigenvector(Index k, Vector& x) const {
  x = decomposition_->eigen.eigenvectors().col(k);
  decomposition_->reflect_back(x);
}

bool AbsoluteSolver::compute(const Matrix& A, double floor, double relative_floor) {
  if (!spectrum_.compute(A)) return false;
  inverse_ = spectrum_.values().cwiseAbs();
  floor = std::max(floor, relative_floor * inverse_.maxCoeff());
  inverse_ = inverse_.cwiseMax(floor).cwiseInverse();
  return floor > 0.0;
}

void AbsoluteSolver::solve(const Vector& b, Vector& x) {
  x = b;
  spectrum_.to_eigenvectors(x);
  x.array() *= inverse_.array();
  spectrum_.from_eigenvectors(x);
}

void PositivePart::take(Matrix& A) {
  if (A.rows() == 0 || !spectrum_.compute(A)) return;
  A.setZero();
  for (Index k = 0; k < A.rows(); ++k) {
    const double value = spectrum_.values()(k);
    if (value <= 0.0) continue;
    spectrum_.eigenvector(k, eigenvector_);
    A.noalias() += value * eigenvector_.lazyProduct(eigenvector_.transpose());
  }
}

}  // namespace limber
