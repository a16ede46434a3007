// Modal cubature: one non-negative least-squares problem for each coordinate j, [Yang et al. 2015, section 5]
//
//   A^j w^j = b^j,     A^j(t, p) = (column j of G_p) . P_p(t) / |f^t|,     b^j(t) = f^t_j / |f^t|.
//
// The stresses P_p(t) are the same for all of them.

#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/linalg/nnls.hpp"
#include "limber/linalg/rank_update.hpp"
#include "limber/precompute/cubature_fit.hpp"
#include "limber/precompute/point_forces.hpp"

namespace limber {
namespace {

constexpr Index points_per_task = 4;

/// All coordinates of a task are computed from stresses that were read once.
constexpr Index coordinates_per_task = 4;

/// For all poses: P / |f| (T' x 9m) and psi / W (T' x m).
struct PointResponses {
  Matrix stresses, energies;
};

PointResponses compute_responses(const PointSet& points, const FullModel& model, const PoseTable& poses) {
  PointResponses responses{Matrix(poses.rows(), 9 * points.size()), Matrix(poses.rows(), points.size())};
  model.executor().parallel_ranges(points.size(), points_per_task, [&](Index begin, Index end) {
    const Index m = end - begin;
    Eigen::Ref<Matrix> energies = responses.energies.middleCols(begin, m);
    compute_stresses(points, begin, m, model.materials(), poses, {0, poses.rows()},
                     responses.stresses.middleCols(9 * begin, 9 * m), &energies);
  });
  return responses;
}

/// Weights of some coordinates, from j on, and what they leave of the forces.
/// weights: m x k.  residuals: T' x k.
void fit_coordinates(const PointSet& points, const Matrix& stresses, const PoseTable& poses, Index j,
                     Eigen::Ref<Matrix> weights, Eigen::Ref<Matrix> residuals) {
  const Index T = poses.rows(), k = weights.cols();
  Matrix A(T * k, points.size());  // A^j, A^(j + 1), ... below each other
  for (Index p = 0; p < points.size(); ++p)
    project_stresses(stresses.middleCols(9 * p, 9), points.gradients.block(9 * p, j, 9, k),
                     Eigen::Map<Matrix>(A.col(p).data(), T, k));
  for (Index i = 0; i < k; ++i) {
    const auto rows = A.middleRows(T * i, T);
    const auto b = poses.forces.col(j + i);
    NormalEquations equations(points.size());
    equations.add_rows(rows, b);
    weights.col(i) = solve_nnls(equations).x;
    residuals.col(i) = rows * weights.col(i) - b;
  }
}

/// Weights with which the densities of energy at the points add up to the energies.
Vector fit_energies(const Matrix& energies, const PoseTable& poses) {
  NormalEquations equations(energies.cols());
  equations.add_rows(energies, (poses.energy_scale.array() > 0.0).cast<double>().matrix());
  return solve_nnls(equations).x;
}

}  // namespace

CubatureFit fit_modal_cubature(const ModeGradients& gradients, const TrainingSet& training,
                               std::span<const QuadraturePoint> points) {
  const Timer timer;
  require(!points.empty(), "there are no cubature points, expected one at least");
  const FullModel& model = gradients.model();
  const PoseTable poses = make_pose_table(training, gradients.rank());
  start_rank_updates();
  const PointSet all = gather_points(gradients, points);
  const PointResponses responses = compute_responses(all, model, poses);
  Matrix weights(all.size(), gradients.rank()), residuals(poses.rows(), gradients.rank());
  model.executor().parallel_ranges(gradients.rank(), coordinates_per_task, [&](Index begin, Index end) {
    fit_coordinates(all, responses.stresses, poses, begin, weights.middleCols(begin, end - begin),
                    residuals.middleCols(begin, end - begin));
  });
  std::vector<Index> used;
  for (Index p = 0; p < all.size(); ++p)
    if ((weights.row(p).array() > 0.0).any()) used.push_back(p);
  require(!used.empty(), "no weights bring the {} cubature points nearer to the forces; take others",
          all.size());
  CubatureFit fit;
  fit.rule = make_rule(all.subset(used), weights(used, Eigen::all),
                       fit_energies(responses.energies(Eigen::all, used), poses), residuals, poses);
  fit.error = fit.rule.training.training_error;
  fit.steps.push_back({fit.rule.point_count(), fit.error, timer.seconds()});
  return fit;
}

}  // namespace limber
