#include "limber/linalg/svd.hpp"

#include <Eigen/SVD>

namespace limber {

LeftSingularVectors left_singular_vectors(const Eigen::Ref<const Matrix>& A, bool complete) {
  const Eigen::BDCSVD<Matrix> svd(A, complete ? Eigen::ComputeFullU : Eigen::ComputeThinU);
  return {svd.matrixU(), svd.singularValues()};
}

}  // namespace limber
