#include "limber/precompute/training_set.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber {
namespace {

/// Poses of one task: products with the basis read it once for all of them.
constexpr Index poses_per_task = 4;

/// Poses between two reports of progress.
constexpr Index poses_per_report = 64;

void keep_columns(const std::vector<Index>& columns, TrainingSet& set) {
  const Matrix poses = set.poses(Eigen::all, columns), forces = set.forces(Eigen::all, columns);
  const Vector energies = set.energies(columns);
  set = {poses, forces, energies};
}

}  // namespace

void TrainingSet::append(const TrainingSet& more) {
  if (more.size() == 0) return;
  if (size() == 0) {
    *this = more;
    return;
  }
  require(more.poses.rows() == poses.rows(), "poses of {} coordinates cannot join poses of {}",
          more.poses.rows(), poses.rows());
  const Index before = size(), total = before + more.size();
  poses.conservativeResize(Eigen::NoChange, total);
  forces.conservativeResize(Eigen::NoChange, total);
  energies.conservativeResize(total);
  poses.rightCols(more.size()) = more.poses;
  forces.rightCols(more.size()) = more.forces;
  energies.tail(more.size()) = more.energies;
}

void check_training_set(const TrainingSet& training, Index rank) {
  const Index T = training.size();
  require(T >= 1, "there are no training poses, expected one at least");
  require(training.poses.rows() == rank && training.forces.rows() == rank,
          "training poses have {} coordinates and forces {}, the basis has {}", training.poses.rows(),
          training.forces.rows(), rank);
  require(training.forces.cols() == T && training.energies.size() == T,
          "{} training poses have {} forces and {} energies, expected one of each", T, training.forces.cols(),
          training.energies.size());
  for (Index t = 0; t < T; ++t) {
    require(training.poses.col(t).allFinite() && training.forces.col(t).allFinite() &&
                std::isfinite(training.energies(t)),
            "training pose {} has numbers that are not finite", t);
    require(training.forces.col(t).norm() > 0.0,
            "training pose {} has no force, so no relative error; leave it out", t);
  }
}

TrainingSet evaluate_poses(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                           const Eigen::Ref<const Matrix>& poses, const Progress& progress) {
  require(basis.rows() == model.dof_count(), "the basis has {} rows, the model needs {} (3 per free vertex)",
          basis.rows(), model.dof_count());
  require(basis.allFinite(), "the basis has entries that are not finite");
  require(poses.rows() == basis.cols(), "poses have {} coordinates, the basis has {}", poses.rows(),
          basis.cols());
  require(poses.allFinite(), "poses have coordinates that are not finite");
  const Index T = poses.cols();
  TrainingSet set{poses, Matrix(poses.rows(), T), Vector(T)};
  report(progress, "training poses", 0.0);
  for (Index first = 0; first < T; first += poses_per_report) {
    const Index count = std::min(poses_per_report, T - first);
    model.executor().parallel_ranges(count, poses_per_task, [&](Index begin, Index end) {
      const Index t = first + begin, columns = end - begin;
      const Matrix u = basis * poses.middleCols(t, columns);
      Matrix f(u.rows(), columns);
      Vector force;
      for (Index i = 0; i < columns; ++i) {
        model.internal_force(u.col(i), force);
        f.col(i) = force;
        set.energies(t + i) = model.energy(u.col(i));
      }
      set.forces.middleCols(t, columns).noalias() = basis.transpose() * f;
    });
    report(progress, "training poses", static_cast<double>(first + count) / static_cast<double>(T));
  }
  const double rounding = basis.norm() * model.force_rounding();
  std::vector<Index> kept;
  for (Index t = 0; t < T; ++t) {
    const double force = set.forces.col(t).norm();
    if (force > rounding && std::isfinite(force) && std::isfinite(set.energies(t))) kept.push_back(t);
  }
  if (static_cast<Index>(kept.size()) < T) keep_columns(kept, set);
  return set;
}

}  // namespace limber
