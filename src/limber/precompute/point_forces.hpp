#pragma once

#include "limber/base/executor.hpp"
#include "limber/precompute/mode_gradients.hpp"
#include "limber/precompute/training_set.hpp"
#include "limber/reduced/cubature.hpp"

#include <span>
#include <vector>

namespace limber {

// What the fits of cubature share: forces of points at many poses, as matrix products with one row per pose.

/// Points of a body with the gradients of its modes.
struct PointSet {
  std::vector<QuadraturePoint> points;  ///< m
  std::vector<int> region;              ///< m
  Matrix gradients;                     ///< 9m x r, as in CubatureRule

  [[nodiscard]] Index size() const { return static_cast<Index>(points.size()); }
  [[nodiscard]] PointSet subset(std::span<const Index> chosen) const;
};

/// Throws Error for points that the mesh does not have.
PointSet gather_points(const ModeGradients& gradients, std::span<const QuadraturePoint> points);

/// Training poses, one row each, filled up to whole packets by rows of zeros. Forces are divided by their
/// length, so that errors are relative.
struct PoseTable {
  Index size = 0;       ///< T
  Matrix coordinates;   ///< T' x r, T' >= T a multiple of 8
  Matrix forces;        ///< T' x r, f / |f|
  Vector scale;         ///< T', 1 / |f|; 0 in rows that fill up
  Vector energy_scale;  ///< T', 1 / W; 0 in those rows and where W is not positive

  [[nodiscard]] Index rows() const { return coordinates.rows(); }
  [[nodiscard]] Index rank() const { return coordinates.cols(); }
};

/// Throws Error as check_training_set does.
PoseTable make_pose_table(const TrainingSet& training, Index rank);

/// Rows [first, first + count) of the table, count a multiple of 8.
struct PoseRange {
  Index first = 0, count = 0;
};

/// Stresses at some points, [point, point + m), in some poses: column 9 p + c + 3 axis of `stresses`
/// (count x 9m) is P / |f| at point p. energies, where not null: psi / W, count x m.
/// Cost O(count m r), in matrix products, and one evaluation of the law per eight poses.
void compute_stresses(const PointSet& points, Index point, Index m, std::span<const Material> materials,
                      const PoseTable& poses, const PoseRange& range, Eigen::Ref<Matrix> stresses,
                      Eigen::Ref<Matrix>* energies = nullptr);

/// Forces of one point: `forces` (count x k) = P G.  P: its stresses, count x 9, count a multiple of 8.
/// G: 9 x k.  Products so narrow are faster without the packing of a general matrix product.
void project_stresses(const Eigen::Ref<const Matrix>& P, const Eigen::Ref<const Matrix>& G,
                      Eigen::Ref<Matrix> forces);

/// L_p of cubature.hpp: gradients times weights.  weights: m x 1 or m x r.  Returns 9m x r.
Matrix weighted_gradients(const Matrix& gradients, const Matrix& weights);

/// (f_cubature - f) / |f|, one row per pose, T' x r.  loads: weighted_gradients.
Matrix relative_residuals(const PointSet& points, const Matrix& loads, std::span<const Material> materials,
                          const PoseTable& poses, const Executor& executor);

/// The rule of these weights, trained to the residuals given.
CubatureRule make_rule(const PointSet& points, const Matrix& weights, const Vector& energy_weights,
                       const Matrix& residuals, const PoseTable& poses);

}  // namespace limber
