#include "limber/linalg/eigen_kernels.hpp"

namespace Eigen::internal {

LIMBER_EIGEN_KERNELS(template);

}  // namespace Eigen::internal
