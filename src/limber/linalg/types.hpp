#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace limber {

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
