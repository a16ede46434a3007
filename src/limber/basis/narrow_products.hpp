#pragma once

#include "limber/base/executor.hpp"
#include "limber/linalg/types.hpp"

namespace limber {

/// Products of a tall matrix with many columns, V: n x k, and a tall one with few, X: n x c. Each entry of V
/// is used only 2 c times, so that a general matrix product would spend its time on copying V into its own
/// layout: these read it as it is. In parallel over rows; the same bits for any number of threads.

/// V^T X, k x c.
Matrix narrow_product(const Eigen::Ref<const Matrix>& V, const Eigen::Ref<const Matrix>& X,
                      const Executor& executor);

/// X -= V H.  H: k x c; columns of V that only zeros belong to are not read, by eights.
void subtract_combination(const Eigen::Ref<const Matrix>& V, const Eigen::Ref<const Matrix>& H,
                          Eigen::Ref<Matrix> X, const Executor& executor);

}  // namespace limber
