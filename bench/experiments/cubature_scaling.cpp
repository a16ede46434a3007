// Optimized against modal cubature at falling fitting errors. [Yang et al. 2015, Table 3]
//   cubature_scaling MESH|builtin:NAME POSES
// 30 nonlinear modes (12 inertia modes and 78 derivatives, mass-PCA), POSES Gaussian training poses; their
// making is not timed, as in the paper. Prints the table in docs/precomputation.md. "one at a time" is the
// greedy method as published: of 1,000 fresh candidates the best one enters, all weights are solved for
// again, and so on.

#include "limber/base/random.hpp"
#include "limber/base/timer.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/linalg/nnls.hpp"
#include "limber/precompute/point_forces.hpp"
#include "limber/precompute/reduce.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <optional>
#include <string>

namespace limber {
namespace {

constexpr double amplitude = 0.1;         ///< of the poses, share of the body's size
constexpr double longest_greedy = 600.0;  ///< seconds

FullModel load(const std::string& name) {
  if (is_builtin(name)) {
    BuiltinBody body = make_builtin(name, Executor(0));
    return {std::move(body.mesh), std::move(body.materials), body.fixed};
  }
  VolumeMesh mesh = read_mesh(name);
  const BoundingBox box = bounding_box(mesh);
  std::vector<int> fixed;  // the lowest tenth
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(1, v) < box.min.y() + 0.1 * (box.max.y() - box.min.y())) fixed.push_back(v);
  }
  const std::vector<Material> materials(mesh.regions.size(),
                                        {make_law("stvk", lame_from_young(1e6, 0.4)), 1000.0});
  return {std::move(mesh), materials, fixed};
}

/// The forces of points in all poses, one column each: rows are poses, coordinate after coordinate.
Matrix force_columns(const PointSet& points, std::span<const Material> materials, const PoseTable& poses) {
  const Index m = points.size(), rows = poses.rows();
  Matrix stresses(rows, 9 * m), columns(rows * poses.rank(), m);
  compute_stresses(points, 0, m, materials, poses, {0, rows}, stresses);
  for (Index p = 0; p < m; ++p) {
    Eigen::Map<Matrix>(columns.col(p).data(), rows, poses.rank()).noalias() =
        stresses.middleCols<9>(9 * p) * points.gradients.middleRows<9>(9 * p);
  }
  return columns;
}

/// The greedy method as published, one point at a time.
std::optional<FitStep> greedy(const ModeGradients& gradients, const TrainingSet& training, double error) {
  constexpr Index candidates = 1000, at_once = 50;
  const std::vector<Material>& materials = gradients.model().materials();
  const PoseTable poses = make_pose_table(training, gradients.rank());
  const Vector target = poses.forces.reshaped();
  Vector residual = target;
  Random random(1);
  Matrix A(target.size(), 0);
  const Timer timer;
  while (timer.seconds() < longest_greedy) {
    double best = 0.0;
    Vector winner;
    for (Index done = 0; done < candidates; done += at_once) {
      std::vector<QuadraturePoint> drawn;
      for (Index k = 0; k < at_once; ++k)
        drawn.push_back(gradients.at(
            static_cast<Index>(random.uniform() * static_cast<double>(gradients.point_count()))));
      const Matrix columns = force_columns(gather_points(gradients, drawn), materials, poses);
      for (Index k = 0; k < at_once; ++k) {
        const double match = columns.col(k).dot(residual) / columns.col(k).norm();
        if (match > best) {
          best = match;
          winner = columns.col(k);
        }
      }
    }
    if (best == 0.0) break;
    A.conservativeResize(Eigen::NoChange, A.cols() + 1);
    A.rightCols<1>() = winner;
    const NnlsResult solved = solve_nnls(A, target);
    residual = target - A * solved.x;
    if (solved.residual <= error)
      return FitStep{static_cast<Index>(solved.support.size()), solved.residual, timer.seconds()};
  }
  return std::nullopt;
}

/// The fewest evenly spread points that reach an error, and the time to spread them and fit.
std::optional<FitStep> modal(const ModeGradients& gradients, const TrainingSet& training, double error) {
  for (Index points = 1; points <= 2000; points += std::max<Index>(1, points / 10)) {
    const Timer timer;
    const CubatureFit fit = fit_modal_cubature(gradients, training, gradients.spread(points));
    const double seconds = timer.seconds();
    if (fit.error <= error) return FitStep{fit.rule.point_count(), fit.error, seconds};
  }
  return std::nullopt;
}

std::string text(const std::optional<FitStep>& step) {
  return step ? fmt::format("{} | {:.3f}", step->points, step->seconds) : "- | -";
}

}  // namespace
}  // namespace limber

int main(int argc, char** argv) {
  using namespace limber;
  if (argc != 3) {
    fmt::print(stderr, "usage: cubature_scaling MESH|builtin:NAME POSES\n");
    return 2;
  }
  const FullModel model = load(argv[1]);
  BasisSettings settings;
  settings.kind = ModeKind::inertia;
  settings.modes = 12;
  settings.check = false;
  ReduceReport report;
  const Matrix basis = compute_basis(model, settings, report);
  const PoseSpace space = make_pose_space(model, basis);
  const Vector deviation = gaussian_deviation(space, amplitude, 1);
  const Matrix poses =
      gaussian_poses(space, Vector::Zero(deviation.size()), deviation, std::stol(argv[2]), 2);
  const TrainingSet training = evaluate_poses(model, basis, poses);
  const ModeGradients gradients(model, basis);
  fmt::print("{} elements, rank {}, {} poses\n\n", model.mesh().element_count(), basis.cols(),
             training.size());
  fmt::print(
      "| error (%) | points, one at a time | seconds | points, optimized | seconds | points, modal | seconds "
      "| one at a time / "
      "modal | optimized / modal |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  bool greedy_goes_on = true;
  for (const double error : {0.6, 0.25, 0.1, 0.03, 0.01, 0.005, 0.001}) {
    std::optional<FitStep> one;
    if (greedy_goes_on) one = greedy(gradients, training, error);
    greedy_goes_on = one.has_value();
    OptimizedFitOptions options;
    options.error = error;
    options.max_points = 3000;
    const Timer timer;
    const CubatureFit fit = fit_optimized_cubature(gradients, training, {}, options);
    const double seconds = timer.seconds();
    std::optional<FitStep> ours;
    if (fit.error <= error * (1.0 + 1e-9)) ours = FitStep{fit.rule.point_count(), fit.error, seconds};
    const std::optional<FitStep> fast = modal(gradients, training, error);
    const auto ratio = [&](const std::optional<FitStep>& slow) {
      return slow && fast ? fmt::format("{:.0f}", slow->seconds / fast->seconds) : std::string("-");
    };
    fmt::print("| {:g} | {} | {} | {} | {} | {} |\n", 100.0 * error, text(one), text(ours), text(fast),
               ratio(one), ratio(ours));
    std::fflush(stdout);
  }
  return 0;
}
