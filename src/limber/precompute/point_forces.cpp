#include "limber/precompute/point_forces.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/packet.hpp"
#include "limber/linalg/small.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace limber {
namespace {

Packet load(const double* x) {
  Packet p;
  std::memcpy(&p, x, sizeof p);
  return p;
}

void store(double* x, Packet p) { std::memcpy(x, &p, sizeof p); }

/// Poses that are worked on at a time: their stresses at some hundred points stay in the cache.
constexpr Index poses_at_once = 64;

/// The law at one point in all poses of a range. gradients: count x 9, grad u; becomes P, scaled.
void apply_law(const MaterialLaw& law, const double* scale, const double* energy_scale,
               Eigen::Ref<Matrix> gradients, double* energies) {
  for (Index t = 0; t < gradients.rows(); t += packet_size) {
    Mat3<Packet> F = identity3<Packet>();
    for (int k = 0; k < 9; ++k) F.entry[k] += load(&gradients(t, k));
    const Mat3<Packet> P = stress(law, F);
    const Packet share = load(scale + t);
    for (int k = 0; k < 9; ++k) store(&gradients(t, k), share * P.entry[k]);
    if (energies) {
      Packet density;
      energy_density(law, F, density);
      store(energies + t, load(energy_scale + t) * density);
    }
  }
}

}  // namespace

PointSet PointSet::subset(std::span<const Index> chosen) const {
  PointSet set;
  set.gradients.resize(9 * static_cast<Index>(chosen.size()), gradients.cols());
  for (const Index p : chosen) {
    set.gradients.middleRows<9>(9 * set.size()) = gradients.middleRows<9>(9 * p);
    set.points.push_back(points[static_cast<std::size_t>(p)]);
    set.region.push_back(region[static_cast<std::size_t>(p)]);
  }
  return set;
}

PointSet gather_points(const ModeGradients& gradients, std::span<const QuadraturePoint> points) {
  PointSet set{
      {points.begin(), points.end()}, {}, Matrix(9 * static_cast<Index>(points.size()), gradients.rank())};
  for (const QuadraturePoint& point : points) set.region.push_back(gradients.region(point));
  gradients.model().executor().parallel_ranges(set.size(), 64, [&](Index begin, Index end) {
    for (Index p = begin; p < end; ++p)
      gradients.write(set.points[static_cast<std::size_t>(p)], set.gradients.middleRows(9 * p, 9));
  });
  return set;
}

PoseTable make_pose_table(const TrainingSet& training, Index rank) {
  check_training_set(training, rank);
  const Index T = training.size(), rows = (T + packet_size - 1) / packet_size * packet_size;
  PoseTable table{T, Matrix::Zero(rows, rank), Matrix::Zero(rows, rank), Vector::Zero(rows),
                  Vector::Zero(rows)};
  table.coordinates.topRows(T) = training.poses.transpose();
  table.scale.head(T) = training.forces.colwise().norm().cwiseInverse();
  table.forces.topRows(T) = table.scale.head(T).asDiagonal() * training.forces.transpose();
  for (Index t = 0; t < T; ++t)
    if (training.energies(t) > 0.0) table.energy_scale(t) = 1.0 / training.energies(t);
  return table;
}

void compute_stresses(const PointSet& points, Index point, Index m, std::span<const Material> materials,
                      const PoseTable& poses, const PoseRange& range, Eigen::Ref<Matrix> stresses,
                      Eigen::Ref<Matrix>* energies) {
  stresses.noalias() = poses.coordinates.middleRows(range.first, range.count) *
                       points.gradients.middleRows(9 * point, 9 * m).transpose();
  for (Index p = 0; p < m; ++p) {
    const auto region = static_cast<std::size_t>(points.region[static_cast<std::size_t>(point + p)]);
    apply_law(materials[region].law, &poses.scale(range.first), &poses.energy_scale(range.first),
              stresses.middleCols(9 * p, 9), energies ? &(*energies)(0, p) : nullptr);
  }
}

void project_stresses(const Eigen::Ref<const Matrix>& P, const Eigen::Ref<const Matrix>& G,
                      Eigen::Ref<Matrix> forces) {
  for (Index t = 0; t < P.rows(); t += packet_size) {
    Packet stress[9];
    for (int k = 0; k < 9; ++k) stress[k] = load(P.data() + t + k * P.outerStride());
    for (Index i = 0; i < G.cols(); ++i) {
      const double* g = G.data() + i * G.outerStride();
      Packet sum = stress[0] * g[0];
      for (int k = 1; k < 9; ++k) sum += stress[k] * g[k];
      store(&forces(t, i), sum);
    }
  }
}

Matrix weighted_gradients(const Matrix& gradients, const Matrix& weights) {
  Matrix loads = gradients;
  for (Index i = 0; i < loads.cols(); ++i)
    for (Index p = 0; p < weights.rows(); ++p)
      loads.col(i).segment<9>(9 * p) *= weights(p, weights.cols() == 1 ? 0 : i);
  return loads;
}

Matrix relative_residuals(const PointSet& points, const Matrix& loads, std::span<const Material> materials,
                          const PoseTable& poses, const Executor& executor) {
  Matrix residuals = -poses.forces;
  executor.parallel_ranges(poses.rows(), poses_at_once, [&](Index begin, Index end) {
    Matrix stresses(end - begin, 9 * points.size());
    compute_stresses(points, 0, points.size(), materials, poses, {begin, end - begin}, stresses);
    residuals.middleRows(begin, end - begin).noalias() += stresses * loads;
  });
  return residuals;
}

CubatureRule make_rule(const PointSet& points, const Matrix& weights, const Vector& energy_weights,
                       const Matrix& residuals, const PoseTable& poses) {
  CubatureRule rule;
  for (const QuadraturePoint& point : points.points) {
    rule.element.push_back(point.element);
    rule.point.push_back(point.point);
  }
  rule.region = points.region;
  rule.gradients = points.gradients;
  rule.weights = weights;
  rule.energy_weights = energy_weights;
  rule.training.training_error = residuals.norm() / std::sqrt(static_cast<double>(poses.size));
  rule.training.poses = poses.size;
  return rule;
}

}  // namespace limber
