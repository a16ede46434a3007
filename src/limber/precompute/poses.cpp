#include "limber/precompute/poses.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/reduced/reduced_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace limber {
namespace {

constexpr int poses_per_motion = 5;
constexpr int steps_per_period =
    40;  ///< of the lowest mode; higher ones are followed less well, which poses do not mind
constexpr double periods = 1.25;        ///< long enough for the swing forth and back
constexpr double damping_ratio = 0.05;  ///< of the lowest mode
constexpr double overshoot =
    2.0;  ///< a load that begins at once moves a linear body twice as far as one at rest
constexpr double runaway = 3.0;        ///< times the amplitude: such poses come from forces that are no good
constexpr Index most_vertices = 1000;  ///< that displacements are measured at and that are pulled
constexpr double least_level = 0.05;   ///< of the amplitude

/// Eigenvalues below this share of the largest are taken for that: a subspace has no rigid motion, but may
/// come near.
constexpr double softest_mode = 1e-12;

double largest_displacement(const Vector& field) {
  double largest = 0.0;
  for (Index v = 0; v < field.size(); v += 3) largest = std::max(largest, field.segment<3>(v).squaredNorm());
  return std::sqrt(largest);
}

Vector3 random_direction(Random& random) {
  Vector3 direction;
  do {
    for (double& x : direction) x = random.normal();
  } while (direction.isZero(0.0));
  return direction.normalized();
}

/// Loads for random motions.
class RandomLoads {
 public:
  RandomLoads(const PoseSpace& space, std::uint64_t seed) : space_(space), random_(seed) {}

  struct Load {
    Vector force;     ///< r
    Vector response;  ///< K(0)^-1 force
  };

  /// Moves the linear body by `distance` at most, under gravity and a pull of random shares.
  Load next(double distance) {
    const Vector gravity = space_.weight * random_direction(random_);
    const Index vertices = space_.basis.rows() / 3;
    const auto vertex = static_cast<Index>(random_.uniform() * static_cast<double>(vertices));
    const Vector pull = space_.basis.middleRows<3>(3 * vertex).transpose() * random_direction(random_);
    const double share = random_.uniform();
    Load load{Vector::Zero(gravity.size()), Vector::Zero(gravity.size())};
    add(gravity, share, load);
    add(pull, 1.0 - share, load);
    const double size = largest_displacement(space_.basis * load.response);
    if (size > 0.0) {
      load.force *= distance / size;
      load.response *= distance / size;
    }
    return load;
  }

  Random& random() { return random_; }

 private:
  /// A load that moves the body by `share`; nothing where it does not move it (gravity on a free body).
  void add(const Vector& force, double share, Load& load) const {
    const Vector response =
        space_.directions *
        ((space_.directions.transpose() * force).array() / space_.omega.array().square()).matrix();
    const double size = largest_displacement(space_.basis * response);
    if (!(size > std::numeric_limits<double>::min())) return;
    load.force += share / size * force;
    load.response += share / size * response;
  }

  const PoseSpace& space_;
  Random random_;
};

/// Distances spread over (0, amplitude] of the body's size: number k of `count`.
double spread_distance(const PoseSpace& space, double amplitude, Index k, Index count) {
  const double level = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
  return space.size * amplitude * std::max(level, least_level);
}

/// The states of one motion at a few random steps.
Matrix poses_of_motion(const PoseSpace& space, const ReducedEquations& equations, double distance,
                       std::uint64_t seed) {
  RandomLoads loads(space, seed);
  const Vector force = loads.next(distance / overshoot).force;
  const double lowest = space.omega.minCoeff();
  const double h = 2.0 * std::numbers::pi / lowest / steps_per_period;
  const int steps = static_cast<int>(periods * steps_per_period);
  std::vector<int> chosen;
  for (int k = 0; k < poses_per_motion; ++k) {
    const double part = static_cast<double>(steps) / poses_per_motion;
    chosen.push_back(1 + static_cast<int>((k + loads.random().uniform()) * part));
  }
  const RayleighDamping damping{2.0 * damping_ratio * lowest, 0.0, RayleighDamping::Stiffness::linear};
  ReducedWorkspace work{ReducedSystem(equations, damping), {}, {}, {}};
  DynamicState state = make_reduced_state(equations.rank);
  Matrix poses(equations.rank, 0);
  if (!balance(work, force, state).ok()) return poses;
  ReducedStepOptions options;
  // Forces alone: a stiffness would take most of the time of training at high rank.
  options.solver = ReducedSolver::conjugate_gradient;
  for (int s = 1; s <= steps; ++s) {
    if (!step(work, h, force, state, options).ok()) break;
    if (std::find(chosen.begin(), chosen.end(), s) == chosen.end()) continue;
    poses.conservativeResize(Eigen::NoChange, poses.cols() + 1);
    poses.rightCols<1>() = state.u;
  }
  return poses;
}

/// The rows of evenly chosen vertices: all where there are few.
Matrix sampled_rows(const Eigen::Ref<const Matrix>& basis) {
  const Index vertices = basis.rows() / 3, count = std::min(vertices, most_vertices);
  Matrix rows(3 * count, basis.cols());
  for (Index k = 0; k < count; ++k)
    rows.middleRows<3>(3 * k) = basis.middleRows<3>(3 * (k * vertices / count));
  return rows;
}

}  // namespace

void PoseSpace::prepare() {
  SymmetricEigen modes = symmetric_eigen(stiffness, mass);
  require(modes.found,
          "the reduced mass is not positive definite: the basis vectors depend on each "
          "other");
  const double largest = modes.values.maxCoeff();
  require(largest > 0.0, "the basis moves the body without deforming it: there are no forces to train with");
  omega = modes.values.cwiseMax(softest_mode * largest).cwiseSqrt();
  directions = std::move(modes.vectors);
}

PoseSpace make_pose_space(const FullModel& model, const Eigen::Ref<const Matrix>& basis) {
  PoseSpace space;
  space.basis = sampled_rows(basis);
  const Matrix mass = basis.transpose() * (model.mass() * basis);
  space.mass = 0.5 * (mass + mass.transpose());
  const Matrix stiffness = basis.transpose() * (model.stiffness(Vector::Zero(model.dof_count())) * basis);
  space.stiffness = 0.5 * (stiffness + stiffness.transpose());
  space.weight.resize(basis.cols(), 3);
  for (int axis = 0; axis < 3; ++axis)
    space.weight.col(axis) = basis.transpose() * model.gravity_force(Vector3::Unit(axis));
  // A basis without rigid motion does not answer to the gravity of a free body but for rounding, which must
  // not pass for a load.
  constexpr double rounding = 1e-9;
  const double heaviest = symmetric_eigenvalues(space.mass).values.maxCoeff();
  const double bound =
      std::sqrt(model.vertex_masses().sum() * std::max(heaviest, 0.0));  // of |weight| for unit acceleration
  for (int axis = 0; axis < 3; ++axis) {
    if (space.weight.col(axis).norm() <= rounding * bound) space.weight.col(axis).setZero();
  }
  const BoundingBox box = bounding_box(model.mesh());
  space.size = (box.max - box.min).norm();
  space.prepare();
  return space;
}

Vector largest_displacements(const PoseSpace& space, const Eigen::Ref<const Matrix>& poses) {
  Vector largest(poses.cols());
  for (Index t = 0; t < poses.cols(); ++t) largest(t) = largest_displacement(space.basis * poses.col(t));
  return largest;
}

Matrix linear_poses(const PoseSpace& space, Index count, double amplitude, std::uint64_t seed) {
  RandomLoads loads(space, seed);
  Matrix poses(space.basis.cols(), count);
  for (Index t = 0; t < count; ++t)
    poses.col(t) = loads.next(spread_distance(space, amplitude, t, count)).response;
  return poses;
}

double natural_amplitude(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                         const PoseSpace& space) {
  constexpr double strong = 0.5, largest = 0.25, small = 1e-3;
  constexpr Index probes = 15;
  RandomLoads loads(space, 1);
  std::vector<double> gradients;  // per unit of amplitude
  for (Index k = 0; k < probes; ++k)
    gradients.push_back(model.largest_gradient(basis * loads.next(small * space.size).response) / small);
  std::nth_element(gradients.begin(), gradients.begin() + probes / 2, gradients.end());
  return std::min(largest, strong / gradients[probes / 2]);
}

Matrix motion_poses(const PoseSpace& space, const Elasticity& elastic, Index count, double amplitude,
                    std::uint64_t seed, const Executor& executor) {
  const ReducedEquations equations{space.basis.cols(), elastic, space.mass, space.weight};
  const Index motions = (count + poses_per_motion - 1) / poses_per_motion;
  std::vector<Matrix> parts(static_cast<std::size_t>(motions));
  Random seeds(seed);
  std::vector<std::uint64_t> seed_of(parts.size());
  for (std::uint64_t& one : seed_of) one = seeds.next();
  executor.parallel_for(motions, [&](std::ptrdiff_t k) {
    const auto i = static_cast<std::size_t>(k);
    parts[i] = poses_of_motion(space, equations, spread_distance(space, amplitude, k, motions), seed_of[i]);
  });
  Matrix poses(space.basis.cols(), poses_per_motion * motions);
  Index found = 0;
  for (const Matrix& part : parts) {
    for (Index t = 0; t < part.cols() && found < count; ++t) {
      const double distance = largest_displacement(space.basis * part.col(t));
      if (distance <= runaway * amplitude * space.size) poses.col(found++) = part.col(t);  // false for NaN
    }
  }
  return poses.leftCols(found);
}

Matrix gaussian_poses(const PoseSpace& space, const VectorRef& mean, const VectorRef& deviation, Index count,
                      std::uint64_t seed) {
  Random random(seed);
  Matrix coordinates(mean.size(), count);
  for (double& x : coordinates.reshaped()) x = random.normal();
  return space.directions * ((deviation.asDiagonal() * coordinates).colwise() + Vector(mean));
}

Vector gaussian_deviation(const PoseSpace& space, double amplitude, std::uint64_t seed) {
  constexpr Index probes = 50;
  const Vector deviation = space.omega.cwiseInverse();
  const Matrix poses = gaussian_poses(space, Vector::Zero(deviation.size()), deviation, probes, seed);
  const double size = largest_displacements(space, poses).norm() / std::sqrt(static_cast<double>(probes));
  return amplitude * space.size / size * deviation;
}

}  // namespace limber
