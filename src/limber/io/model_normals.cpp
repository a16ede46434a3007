#include "limber/io/model_normals.hpp"

#include "limber/linalg/cholesky.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber {
namespace {

/// Frames that a fit looks at: more of a smooth motion add nothing but time.
constexpr Index max_fit_frames = 200;

/// Frames whose normals are held at once: memory stays bounded and the sums are matrix products.
constexpr Index fit_batch = 16;

/// Weight of the linearised normals against one frame's in a fit. Weights are up to 1, so that whatever moves
/// visibly in the clip outweighs it by far; what does not move is decided by it.
constexpr double prior_weight = 1e-5;

/// Sum of the normals of the triangles around each vertex, each twice as long as its area; 3 x n, m^2.
Matrix3X sum_normals(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles) {
  Matrix3X sums = Matrix3X::Zero(3, positions.cols());
  for (const auto& t : triangles.colwise()) {
    const Vector3 a = positions.col(t(0));
    const Vector3 normal = (positions.col(t(1)) - a).cross(positions.col(t(2)) - a);
    for (const int vertex : t) sums.col(vertex) += normal;
  }
  return sums;
}

/// The derivative of sum_normals when the vertices move by `change` (3 x n).
Matrix3X sum_normal_changes(const Matrix3X& positions, const Matrix3X& change,
                            const Eigen::Matrix3Xi& triangles) {
  Matrix3X sums = Matrix3X::Zero(3, positions.cols());
  for (const auto& t : triangles.colwise()) {
    const Vector3 a = positions.col(t(0));
    const Vector3 da = change.col(t(0));
    const Vector3 normal = (change.col(t(1)) - da).cross(positions.col(t(2)) - a) +
                           (positions.col(t(1)) - a).cross(change.col(t(2)) - da);
    for (const int vertex : t) sums.col(vertex) += normal;
  }
  return sums;
}

void normalize_columns(Matrix3X& normals) {
  for (auto normal : normals.colwise()) {
    const double length = normal.norm();
    if (length > 0.0 && std::isfinite(length)) {
      normal /= length;
    } else {
      normal = Vector3::UnitZ();
    }
  }
}

/// As floats; what they cannot hold, near triangles that have almost no area, becomes zero.
Eigen::MatrixXf to_floats(const Matrix& values) {
  return values.cast<float>().unaryExpr([](float x) { return std::isfinite(x) ? x : 0.0F; });
}

/// Derivatives of the unit normals along the columns of `targets`: 3n x t.  d(N / |N|) = (I - n n^T) dN /
/// |N|.
Matrix normal_derivatives(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles,
                          const Eigen::Ref<const Eigen::MatrixXf>& targets) {
  const Eigen::RowVectorXd lengths = sum_normals(positions, triangles).colwise().norm();
  const Matrix3X normals = area_weighted_normals(positions, triangles);
  Matrix result(targets.rows(), targets.cols());
  for (Index t = 0; t < targets.cols(); ++t) {
    const Matrix3X change = targets.col(t).cast<double>().reshaped(3, positions.cols());
    Matrix3X derivative = sum_normal_changes(positions, change, triangles);
    for (Index v = 0; v < derivative.cols(); ++v) {
      const auto n = normals.col(v);
      derivative.col(v) = lengths(v) > 0.0
                              ? Vector3((derivative.col(v) - n * n.dot(derivative.col(v))) / lengths(v))
                              : Vector3(Vector3::Zero());
    }
    result.col(t) = derivative.reshaped();
  }
  return result;
}

/// At most max_fit_frames of all, evenly, the first and the last among them.
std::vector<Index> thinned_frames(Index count) {
  const Index kept = std::min(count, max_fit_frames);
  std::vector<Index> frames;
  for (Index k = 0; k < kept; ++k) frames.push_back(kept > 1 ? k * (count - 1) / (kept - 1) : 0);
  return frames;
}

/// (weights, 1) of the rest shape and of the frames to fit, one column each.
Matrix fit_samples(const Eigen::Ref<const Matrix>& weights, const VectorRef& rest_weights) {
  const std::vector<Index> frames = thinned_frames(weights.cols());
  Matrix samples = Matrix::Ones(weights.rows() + 1, static_cast<Index>(frames.size()) + 1);
  samples.topRows(weights.rows()) << rest_weights, weights(Eigen::all, frames);
  return samples;
}

}  // namespace

Matrix3X area_weighted_normals(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles) {
  Matrix3X normals = sum_normals(positions, triangles);
  normalize_columns(normals);
  return normals;
}

MorphNormals linear_normals(const Matrix3X& positions, const Eigen::Matrix3Xi& triangles,
                            const Eigen::Ref<const Eigen::MatrixXf>& targets) {
  return {area_weighted_normals(positions, triangles).cast<float>(),
          to_floats(normal_derivatives(positions, triangles, targets))};
}

MorphNormals fit_normals(const Matrix3X& base_positions, const Eigen::Matrix3Xi& triangles,
                         const Eigen::Ref<const Eigen::MatrixXf>& targets,
                         const Eigen::Ref<const Matrix>& weights, const VectorRef& rest_weights) {
  const Matrix shapes = targets.cast<double>();
  const Index count = shapes.cols();
  // Normals of base_positions + change, as one column.
  const auto true_normals = [&](const VectorRef& change) -> Vector {
    const Matrix3X positions = base_positions + change.reshaped(3, base_positions.cols());
    return area_weighted_normals(positions, triangles).reshaped();
  };

  // Minimises sum_s |X s - n_s|^2 + prior |X - X_0|^2 over X, 3n x (t + 1), for the samples s = (w, 1):
  // (X - X_0) (S S^T + prior) = sum_s (n_s - X_0 s) s^T.
  const Vector rest_change = shapes * rest_weights;
  const Matrix3X rest = base_positions + rest_change.reshaped(3, base_positions.cols());
  Matrix X(shapes.rows(), count + 1);
  X.leftCols(count) = normal_derivatives(rest, triangles, targets);
  X.col(count) = true_normals(rest_change) - X.leftCols(count) * rest_weights;

  const Matrix samples = fit_samples(weights, rest_weights);
  Matrix moments = Matrix::Zero(X.rows(), X.cols());
  for (Index first = 0; first < samples.cols(); first += fit_batch) {
    const auto batch = samples.middleCols(first, std::min(fit_batch, samples.cols() - first));
    const Matrix changes = shapes * batch.topRows(count);
    Matrix misfit = -X * batch;
    for (Index k = 0; k < batch.cols(); ++k) misfit.col(k) += true_normals(changes.col(k));
    moments.noalias() += misfit * batch.transpose();
  }
  Matrix normal_matrix = samples * samples.transpose();
  normal_matrix.diagonal().array() += prior_weight * static_cast<double>(samples.cols());
  X += Cholesky(normal_matrix).solve(moments.transpose()).transpose();

  const Matrix3X base = area_weighted_normals(base_positions, triangles);
  X.col(count) -= base.reshaped();
  return {base.cast<float>(), to_floats(X)};
}

}  // namespace limber
