#include "limber/linalg/svd.hpp"

#include <Eigen/SVD>

namespace limber {

Svd jacobi_svd(const Eigen::Ref<const Matrix>& A) {
  const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

}  // namespace limber
