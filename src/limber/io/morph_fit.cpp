#include "limber/io/morph_fit.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr Index row_block =
    768;  ///< rows of the fitted frames that are looked at together: they stay in the cache
constexpr Index frame_block = 16;  ///< frames that are projected together
constexpr Index target_block = 8;  ///< targets that are made together
constexpr double least_share =
    1e-13;  ///< of a direction in the largest: what is less is rounding of their doubles

double largest_length(const Matrix& columns) {
  if (columns.size() == 0) return 0.0;
  return std::sqrt(columns.reshaped(3, columns.size() / 3).colwise().squaredNorm().maxCoeff());
}

/// Frames made when they are asked for, and checked.
class MotionShapes {
 public:
  MotionShapes(Index frames, const FrameShape& shape) : frames_(frames), shape_(shape) {
    require(frames >= 1, "morph targets of {} frames, expected at least one", frames);
    rows_ = shape(0).size();
  }

  [[nodiscard]] Index frames() const { return frames_; }
  [[nodiscard]] Index rows() const { return rows_; }

  [[nodiscard]] Eigen::VectorXf frame(Index f) const {
    const Eigen::Matrix3Xf x = shape_(f);
    require(x.size() == rows_, "frame {} has {} vertices, the first has {}", f, x.cols(), rows_ / 3);
    require(x.allFinite(), "frame {} has displacements that are not finite", f);
    return x.reshaped();
  }

 private:
  Index frames_;
  const FrameShape& shape_;
  Index rows_ = 0;
};

/// With the displacements A (3n x k) = U S V^T of the fitted frames the best t targets, in the sum of
/// squares, are the first columns of U. V are the eigenvectors of the small matrix A^T A. Those of
/// eigenvalues below the rounding of the largest are not exact, but all A V span all that A does:
/// orthogonalised one after the other, they leave nothing out.
class Directions {
 public:
  explicit Directions(const MotionShapes& motion) {
    const Index count = std::min(motion.frames(), most_fitted_frames);
    shapes_.resize(motion.rows(), count);
    for (Index k = 0; k < count; ++k)
      shapes_.col(k) = motion.frame(count > 1 ? k * (motion.frames() - 1) / (count - 1) : 0);
    Matrix gram = Matrix::Zero(count, count);
    for (Index row = 0; row < shapes_.rows(); row += row_block)
      gram.selfadjointView<Eigen::Lower>().rankUpdate(rows(row).transpose());
    const SymmetricEigen eigen = symmetric_eigen(gram);
    require(eigen.found, "the frames have no singular values: they are beyond double");
    blends_ = eigen.vectors.rowwise().reverse();
    largest_ = std::sqrt(std::max(eigen.values(count - 1), 0.0));
    targets_.resize(motion.rows(), 0);
  }

  /// At least `wanted` targets (3n x t, floats as doubles) where the fitted frames have so many.
  const Matrix& targets(Index wanted) {
    while (found_ < wanted && tried_ < blends_.cols()) try_more();
    return targets_;
  }
  [[nodiscard]] Index found() const { return found_; }

 private:
  [[nodiscard]] Matrix rows(Index row) const {
    return shapes_.middleRows(row, std::min(row_block, shapes_.rows() - row)).cast<double>();
  }

  void try_more() {
    const Index count = std::min(target_block, blends_.cols() - tried_);
    Matrix next(shapes_.rows(), count);
    for (Index row = 0; row < shapes_.rows(); row += row_block)
      next.middleRows(row, std::min(row_block, shapes_.rows() - row)) =
          rows(row) * blends_.middleCols(tried_, count);
    tried_ += count;
    if (targets_.cols() < found_ + count)
      targets_.conservativeResize(Eigen::NoChange, 2 * targets_.cols() + count);
    for (Index i = 0; i < count; ++i) {
      Vector direction = next.col(i);
      const auto before = targets_.leftCols(found_);
      for (int pass = 0; pass < 2; ++pass) direction -= before * (before.transpose() * direction).eval();
      const double length = direction.norm();
      if (!(length > least_share * largest_)) continue;
      targets_.col(found_++) = (direction / length).cast<float>().cast<double>();
    }
  }

  Eigen::MatrixXf shapes_;  ///< 3n x k, of the fitted frames
  Matrix blends_;           ///< k x k: shapes_ times it are the directions, the largest first
  double largest_ = 0.0;    ///< singular value
  Matrix targets_;          ///< the first found_ columns; the others are space for more
  Index found_ = 0, tried_ = 0;
};

/// Goes through all frames with the targets of before, and takes one more wherever a frame needs it.
class Fitter {
 public:
  Fitter(const MotionShapes& motion, double tolerance, Index most)
      : motion_(motion), directions_(motion), tolerance_(tolerance), most_(most) {}

  MorphFit fit() {
    Index before = -1;
    while (before != count_) {  // errors are those of this count only if it was the same for all frames
      before = count_;
      largest_error_ = 0.0;
      coordinates_.setZero(count_, motion_.frames());
      for (Index f = 0; f < motion_.frames(); f += frame_block)
        fit_frames(f, std::min(frame_block, motion_.frames() - f));
    }
    return {directions_.targets(count_).leftCols(count_).cast<float>(), std::move(coordinates_),
            largest_error_};
  }

 private:
  void fit_frames(Index first, Index number) {
    Matrix rest(motion_.rows(), number);
    for (Index i = 0; i < number; ++i) rest.col(i) = motion_.frame(first + i).cast<double>();
    const auto targets = directions_.targets(count_).leftCols(count_);
    const Matrix blend = targets.transpose() * rest;
    coordinates_.block(0, first, coordinates_.rows(), number) = blend.topRows(coordinates_.rows());
    rest.noalias() -= targets * blend;
    double error = largest_length(rest);
    while (error > tolerance_ && count_ < most_) {
      const Matrix& more = directions_.targets(count_ + 1);
      if (directions_.found() <= count_) break;
      const Vector target = more.col(count_++);
      rest -= target * (target.transpose() * rest).eval();
      error = largest_length(rest);
    }
    largest_error_ = std::max(largest_error_, error);
  }

  const MotionShapes& motion_;
  Directions directions_;
  double tolerance_;
  Index most_;
  Index count_ = 0;  ///< targets that are needed so far
  Matrix coordinates_;
  double largest_error_ = 0.0;
};

}  // namespace

MorphFit fit_morph_targets(Index frames, const FrameShape& shape, double tolerance, Index most_targets) {
  require(std::isfinite(tolerance) && tolerance > 0.0,
          "the tolerance of morph targets is {} m, expected a positive number", tolerance);
  require(most_targets >= 1, "{} morph targets at most, expected at least 1", most_targets);
  const MotionShapes motion(frames, shape);
  if (motion.rows() == 0) return {{}, Matrix(0, frames), 0.0};
  return Fitter(motion, tolerance, most_targets).fit();
}

}  // namespace limber
