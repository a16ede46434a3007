#include "bench/experiments/shake_runs.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <numbers>
#include <utility>

namespace limber::bench {
namespace {

/// From 0 to 1 within a unit of time, with no velocity and no acceleration at both ends.
double smooth_start(double t) {
  const double x = std::clamp(t, 0.0, 1.0);
  return x * x * x * (10.0 + x * (6.0 * x - 15.0));
}

Matrix3X seen_from(const Pose& support, const Matrix3X& rest, const Matrix3X& displacement) {
  const Matrix3 back = support.rotation.toRotationMatrix().transpose();
  return back * ((rest + displacement).colwise() - support.position) - rest;
}

}  // namespace

Pose Shaking::pose(double t) const {
  const double size = smooth_start(t * frequency), omega = 2.0 * std::numbers::pi * frequency;
  const double angle = size * std::sin(1.5 * omega * t) * tilt.norm();
  const Vector3 axis = tilt.stableNormalized();
  return {size * std::sin(omega * t) * way, Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis))};
}

ShakenMotion shake(Body body, const Specimen& specimen, const Shaking& shaking) {
  body.set_damping(shaking.damping);
  body.set_support([shaking](double t) { return shaking.pose(t); });
  ShakenMotion motion;
  for (int done = 0; done < shaking.steps; done += shaking.every) {
    for (int step = 0; step < shaking.every; ++step) {
      if (!body.step(shaking.h, undamped_steps()).ok()) ++motion.failed;
    }
    motion.displacements.push_back(
        seen_from(shaking.pose(body.time()), specimen.mesh.vertices, body.mesh_displacement()));
  }
  return motion;
}

struct MotionNorm::Data {
  explicit Data(const Specimen& specimen) : full(specimen.mesh, specimen.materials, specimen.fixed) {
    const BoundingBox box = bounding_box(specimen.mesh);
    // Coordinates are scaled by the mass: one of this size moves a body by about a hundred-thousandth of its
    // extent, at which rounding and curvature both are below a millionth of the derivative.
    small = 1e-5 * (box.max - box.min).norm() * std::sqrt(full.vertex_masses().sum());
  }

  [[nodiscard]] double squares(const Matrix3X& field) const {
    const Vector u = full.dofs().restrict(field);
    return u.dot(full.mass() * u);
  }

  /// Of the body with coordinates q.
  static Matrix3X shape(Body& body, const Vector& q) {
    body.set_state(q, Vector::Zero(q.size()));
    return body.mesh_displacement();
  }
  /// How it changes with them: unknowns x coordinates.
  [[nodiscard]] Matrix derivative(Body& body, const Vector& q) const {
    Matrix columns(full.dof_count(), q.size());
    for (Index i = 0; i < q.size(); ++i) {
      const Vector step = small * Vector::Unit(q.size(), i);
      columns.col(i) = full.dofs().restrict(shape(body, q + step) - shape(body, q - step)) / (2.0 * small);
    }
    return columns;
  }
  /// Moves q to where the shape is nearest; the squares of what is left.
  double approach(Body& body, const Matrix3X& target, Vector& q) const {
    constexpr int most = 20;
    constexpr double enough = 1e-3;  // of what is left: the table shows two digits
    double left = squares(shape(body, q) - target);
    for (int i = 0; i < most; ++i) {
      const Matrix J = derivative(body, q), MJ = full.mass() * J;
      const Vector way = full.dofs().restrict(target - shape(body, q));
      const Vector next = q + Vector(Cholesky(MJ.transpose() * J).solve(MJ.transpose() * way));
      const double after = squares(shape(body, next) - target);
      if (!(after < left)) break;
      const bool done = after > (1.0 - enough) * left;
      q = next;
      left = after;
      if (done) break;
    }
    return left;
  }

  FullModel full;
  double small = 0.0;
};

MotionNorm::MotionNorm(const Specimen& specimen) : data_(std::make_unique<const Data>(specimen)) {}
MotionNorm::~MotionNorm() = default;

double MotionNorm::size(const ShakenMotion& motion) const {
  double sum = 0.0;
  for (const Matrix3X& field : motion.displacements) sum += data_->squares(field);
  return std::sqrt(sum);
}

double MotionNorm::error(const ShakenMotion& motion, const ShakenMotion& truth) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.displacements.size(); ++i)
    sum += data_->squares(motion.displacements[i] - truth.displacements[i]);
  return std::sqrt(sum) / size(truth);
}

double MotionNorm::least_error(Body body, const ShakenMotion& truth) const {
  body.reset();
  Vector q = body.q();
  double sum = 0.0;
  for (const Matrix3X& field : truth.displacements) sum += data_->approach(body, field, q);
  return std::sqrt(sum) / size(truth);
}

double lowest_frequency_of(const Body& body) {
  return body.tree() != nullptr ? body.tree()->natural_frequencies()(0) : body.frequencies()(0);
}

namespace {

constexpr double driven_share = 0.8;    ///< of the lowest frequency: near it, and yet not at it
constexpr double damping_ratio = 0.05;  ///< of the slowest mode
constexpr double shaken_share = 0.03;  ///< amplitude of the way, as a share of the size, and of the tilt, rad

/// steps: in one period.  periods: of which the first brings the swing to its size.
Shaking make_shaking(const Specimen& specimen, int steps, int periods) {
  const double lowest = lowest_frequency_of(by_warping(specimen, 2));
  const BoundingBox box = bounding_box(specimen.mesh);
  Shaking shaking;
  shaking.frequency = driven_share * lowest;
  shaking.way = shaken_share * (box.max - box.min).norm() * Vector3(0.3, 0.6, 1.0).normalized();
  shaking.tilt = shaken_share * Vector3(1.0, 2.0, 1.0).normalized();
  shaking.damping = {0.0, damping_ratio / (std::numbers::pi * lowest)};
  shaking.h = 1.0 / (shaking.frequency * steps);
  shaking.steps = periods * steps;
  shaking.every = steps / 20;
  return shaking;
}

/// As many modes as have most of their derivatives in the basis, too.
void add_reduced(ShakeCase& one, std::initializer_list<int> ranks) {
  for (const int rank : ranks)
    one.bodies.push_back({"reduced", by_reduction(one.specimen, std::max(2, rank / 3), rank)});
}

void add_others(ShakeCase& one) {
  for (const int modes : {5, 10, 20}) one.bodies.push_back({"warped", by_warping(one.specimen, modes)});
  for (const int rank : {5, 10, 20})
    one.bodies.push_back({"tree of 3", by_domains(one.specimen, 3, rank, Method::reduced)});
  one.bodies.push_back({"linear tree of 3", by_domains(one.specimen, 3, 10, Method::linear)});
}

ShakeCase make_shaken(Specimen specimen, int steps, int periods) {
  Shaking shaking = make_shaking(specimen, steps, periods);
  return {std::move(specimen), shaking, {}};
}

ShakeCase shaken_bar(const std::string& name, const Vector3& size, const Eigen::Vector3i& cells) {
  ShakeCase one = make_shaken(make_bar(name, size, cells, 1e6, true), 800, 4);
  add_reduced(one, {5, 10, 20, 40});
  add_others(one);
  return one;
}

ShakeCase shaken_heart() {
  ShakeCase one = make_shaken(make_builtin_specimen("builtin:heart?cells=22", true), 200, 2);
  add_reduced(one, {5, 10, 20, 40});
  add_others(one);
  return one;
}

ShakeCase shaken_small_bar() {
  ShakeCase one =
      make_shaken(make_bar("small bar", Vector3(1.0, 0.4, 0.3), Eigen::Vector3i(6, 2, 1), 1e6, true), 200, 2);
  add_reduced(one, {5, 10, 20});
  one.bodies.push_back({"warped", by_warping(one.specimen, 10)});
  one.bodies.push_back({"tree of 2", by_domains(one.specimen, 2, 10, Method::reduced)});
  return one;
}

}  // namespace

ShakeCase make_shake_case(const std::string& name) {
  if (name == "stout") return shaken_bar("stout bar", Vector3(1.0, 0.4, 0.3), Eigen::Vector3i(12, 3, 2));
  if (name == "slender") return shaken_bar("slender bar", Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(16, 2, 2));
  if (name == "heart") return shaken_heart();
  require(name == "small", "nothing that is shaken is called '{}'; there are: stout, slender, heart, small",
          name);
  return shaken_small_bar();
}

}  // namespace limber::bench
