#pragma once

#include "limber/linalg/types.hpp"

namespace limber {

/// 3 x 3 matrix of any number type (double, Packet, Dual), row i, column j. Eigen's fixed matrices do the
/// same for doubles; compiler vectors cannot be Eigen scalars.
template <class T>
struct Mat3 {
  T entry[9]{};

  T& operator()(int i, int j) { return entry[i + 3 * j]; }
  const T& operator()(int i, int j) const { return entry[i + 3 * j]; }
};

/// 9 x 9 matrix: the derivative of one 3 x 3 matrix by another. Row (i, j) and column (k, l) are numbered i +
/// 3 j, k + 3 l.
template <class T>
struct Mat9 {
  T entry[81];

  T& operator()(int row, int column) { return entry[row + 9 * column]; }
  const T& operator()(int row, int column) const { return entry[row + 9 * column]; }
};

template <class T>
Mat3<T> identity3() {
  Mat3<T> I;
  for (int i = 0; i < 3; ++i) I(i, i) = I(i, i) + 1.0;
  return I;
}

template <class T>
Mat3<T> transpose(const Mat3<T>& A) {
  Mat3<T> B;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) B(i, j) = A(j, i);
  return B;
}

template <class T>
Mat3<T> operator+(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C;
  for (int i = 0; i < 9; ++i) C.entry[i] = A.entry[i] + B.entry[i];
  return C;
}

template <class T>
Mat3<T> operator-(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C;
  for (int i = 0; i < 9; ++i) C.entry[i] = A.entry[i] - B.entry[i];
  return C;
}

template <class S, class T>
requires std::is_convertible_v<S, double> || std::is_same_v<S, T> Mat3<T>
operator*(const S& s, const Mat3<T>& A) {
  Mat3<T> C;
  for (int i = 0; i < 9; ++i) C.entry[i] = s * A.entry[i];
  return C;
}

template <class T>
Mat3<T> operator*(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> C;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) C(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
  return C;
}

/// A^T A, symmetric to the bit.
template <class T>
Mat3<T> gram(const Mat3<T>& A) {
  Mat3<T> C;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i <= j; ++i)
      C(i, j) = C(j, i) = A(0, i) * A(0, j) + A(1, i) * A(1, j) + A(2, i) * A(2, j);
  return C;
}

template <class T>
T trace(const Mat3<T>& A) {
  return A(0, 0) + A(1, 1) + A(2, 2);
}

/// Sum of the products of entries, A : B.
template <class T>
T inner(const Mat3<T>& A, const Mat3<T>& B) {
  T sum = A.entry[0] * B.entry[0];
  for (int i = 1; i < 9; ++i) sum = sum + A.entry[i] * B.entry[i];
  return sum;
}

/// Cofactor matrix: det(A) A^-T where A is regular, and defined for every A. It is the derivative of det.
template <class T>
Mat3<T> cofactor(const Mat3<T>& A) {
  Mat3<T> C;
  for (int j = 0; j < 3; ++j) {
    const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    for (int i = 0; i < 3; ++i) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      C(i, j) = A(i1, j1) * A(i2, j2) - A(i1, j2) * A(i2, j1);
    }
  }
  return C;
}

/// Determinant from the cofactor matrix already at hand.
template <class T>
T determinant(const Mat3<T>& A, const Mat3<T>& cofactor_of_A) {
  return A(0, 0) * cofactor_of_A(0, 0) + A(1, 0) * cofactor_of_A(1, 0) + A(2, 0) * cofactor_of_A(2, 0);
}

inline Matrix3 to_eigen(const Mat3<double>& A) { return Eigen::Map<const Matrix3>(A.entry); }

inline Mat3<double> from_eigen(const Matrix3& A) {
  Mat3<double> B;
  Eigen::Map<Matrix3>(B.entry) = A;
  return B;
}

}  // namespace limber
