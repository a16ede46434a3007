#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace limber {

// The layout of Eigen's types follows the CPU that is compiled for, unless it is fixed: whoever uses the
// library must fix it as the library does. The target limber::limber of its CMake package defines both.
static_assert(EIGEN_MAX_ALIGN_BYTES == 64 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
              "compile with -DEIGEN_MAX_ALIGN_BYTES=64 -DEIGEN_MAX_STATIC_ALIGN_BYTES=16, as limber is");

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Matrix3X = Eigen::Matrix3Xd;  ///< one column per vertex
using VectorRef = Eigen::Ref<const Vector>;

/// Compressed columns, 32-bit indices. Symmetric matrices are stored whole: both triangles.
using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

}  // namespace limber
