#include "bench/experiments/flight_runs.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/linalg/svd3.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace limber::bench {
namespace {

double angle_between(const Matrix3& a, const Matrix3& b) {
  return Eigen::AngleAxisd(Matrix3(a * b.transpose())).angle();
}

/// Looks at the vertices of a mesh by their masses.
class Observer {
 public:
  explicit Observer(const Specimen& specimen)
      : full_(specimen.mesh, specimen.materials, {}), rest_(specimen.mesh.vertices) {
    rest_.colwise() -= center(rest_);
    const BoundingBox box = bounding_box(specimen.mesh);
    size_ = (box.max - box.min).norm();
  }

  void look(const Body& body, Index i, FlightTrack& track) const {
    const Matrix3X places = full_.mesh().vertices + body.mesh_displacement();
    const Vector3 middle = center(places);
    const Matrix3X arms = places.colwise() - middle;
    const Matrix3 rotation =
        polar_decomposition(arms * full_.vertex_masses().asDiagonal() * rest_.transpose()).R;
    track.times(i) = body.time();
    track.centers.col(i) = middle;
    track.strain(i) = (arms - rotation * rest_).colwise().norm().maxCoeff() / size_;
    track.angular.col(i) = angular_momentum(body, arms);
    if (i > 0) track.turned(i) = track.turned(i - 1) + angle_between(rotation, track.rotations.back());
    track.rotations.push_back(rotation);
  }

 private:
  [[nodiscard]] Vector3 center(const Matrix3X& places) const {
    return places * full_.vertex_masses() / full_.vertex_masses().sum();
  }
  [[nodiscard]] Vector3 angular_momentum(const Body& body, const Matrix3X& arms) const {
    Matrix3X velocities(3, arms.cols());
    for (int v = 0; v < arms.cols(); ++v) velocities.col(v) = body.velocity(mesh_point(v));
    const Matrix3X momenta = full_.dofs().expand(full_.mass() * full_.dofs().restrict(velocities));
    Vector3 sum = Vector3::Zero();
    for (Index v = 0; v < arms.cols(); ++v) sum += Vector3(arms.col(v)).cross(Vector3(momenta.col(v)));
    return sum;
  }

  FullModel full_;
  Matrix3X rest_;  ///< places from the centre of mass, m
  double size_ = 0.0;
};

/// But for that of the flight of the centre of mass, J.
double inner_energy(const Body& body, const TreeMomentum& momentum) {
  const BodyEnergy energy = body.energy();
  return energy.elastic + energy.kinetic - 0.5 * momentum.linear.squaredNorm() / momentum.mass;
}

}  // namespace

FlightTrack fly(Body body, const Specimen& specimen, const Throw& given) {
  const Observer observer(specimen);
  const Index looks = given.steps / given.every + 1;
  const Vector none = Vector::Zero(looks);
  const Matrix3X nowhere = Matrix3X::Zero(3, looks);
  FlightTrack track{none, nowhere, {}, none, none, nowhere};
  body.set_gravity(given.gravity);
  body.set_velocity(given.velocity, given.spin);
  for (Index i = 0; i < looks; ++i) {
    for (int step = 0; i > 0 && step < given.every; ++step) {
      if (!body.step(given.h, undamped_steps()).ok()) ++track.failed;
    }
    observer.look(body, i, track);
  }
  return track;
}

FlightError compare(const FlightTrack& track, const FlightTrack& truth) {
  FlightError error;
  double way = 0.0;
  for (Index i = 0; i < truth.times.size(); ++i) {
    if (i > 0) way += (truth.centers.col(i) - truth.centers.col(i - 1)).norm();
    error.path = std::max(error.path, (track.centers.col(i) - truth.centers.col(i)).norm());
    error.seen = std::max(error.seen, (track.angular.col(i) - track.angular.col(0)).norm());
    const auto k = static_cast<std::size_t>(i);
    error.spin = std::max(error.spin, angle_between(track.rotations[k], truth.rotations[k]));
  }
  const Index last = truth.times.size() - 1;
  error.path /= way;
  error.seen /= track.angular.col(0).norm();
  error.spin /= truth.turned(last);
  error.turned = track.turned(last) / truth.turned(last) - 1.0;
  return error;
}

Endurance endure(Body body, const Throw& given, int steps) {
  constexpr int every = 100;
  body.set_gravity(Vector3::Zero());
  body.set_velocity(given.velocity, given.spin);
  const TreeMomentum start = body.momentum();
  const double energy = inner_energy(body, start);
  Endurance result;
  double seconds = 0.0;
  for (int done = 0; done < steps; done += every) {
    const std::clock_t begin = std::clock();
    for (int step = 0; step < every; ++step) {
      const StepReport report = body.step(given.h, undamped_steps());
      if (!report.ok()) ++result.failed;
      if (report.rescued) ++result.rescued;
    }
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const TreeMomentum now = body.momentum();
    result.linear = std::max(result.linear, (now.linear - start.linear).norm() / start.linear.norm());
    result.angular = std::max(result.angular, (now.angular - start.angular).norm() / start.angular.norm());
    result.end = inner_energy(body, now) / energy - 1.0;
    result.gain = std::max(result.gain, result.end);
  }
  result.steps_per_second = steps / seconds;
  return result;
}

namespace {

/// Neither along nor across what it is thrown with.
const Vector3 thrown_velocity(1.0, 0.5, 2.0);  // m/s
/// No principal axis of a body that lies along x, and not far from one across it: most of the way it tumbles.
const Vector3 spin_axis = Vector3(1.0, 4.0, 2.0).normalized();

/// About 200 looks.
Throw make_throw(double spin, double h, int steps) {
  return {thrown_velocity, spin * spin_axis, Vector3::Zero(), h, steps, std::max(1, steps / 200)};
}

FlightCase flying_bar() {
  // At such a spin its ends move at a third of the speed of sound along it, and it stretches by some percent.
  Specimen bar = make_bar("bar", Vector3(1.0, 0.1, 0.1), Eigen::Vector3i(16, 2, 2), 4e5, false);
  FlightCase result{bar, make_throw(13.0, 1e-3, 2400)};
  for (const int rank : {10, 20, 40}) result.flyers.push_back({"reduced", by_reduction(bar, rank / 2, rank)});
  for (const int modes : {10, 20}) result.flyers.push_back({"warped", by_warping(bar, modes)});
  for (const int rank : {6, 12, 20})
    result.flyers.push_back({"tree of 3", by_domains(bar, 3, rank, Method::reduced)});
  result.flyers.push_back({"linear tree of 3", by_domains(bar, 3, 12, Method::linear)});
  result.finer = 2;
  result.endurance = result.full_endurance = 100000;
  return result;
}

FlightCase flying_octopus() {
  Specimen octopus = make_builtin_specimen("builtin:octopus?cells=38", false);
  FlightCase result{octopus, make_throw(3.0, 5e-3, 1260)};
  for (const int rank : {20, 40}) result.flyers.push_back({"reduced", by_reduction(octopus, 20, rank)});
  for (const int modes : {10, 20, 40}) result.flyers.push_back({"warped", by_warping(octopus, modes)});
  for (const int rank : {6, 12})
    result.flyers.push_back({"tree of 9", by_domains(octopus, 9, rank, Method::reduced)});
  result.flyers.push_back({"linear tree of 9", by_domains(octopus, 9, 12, Method::linear)});
  result.endurance = 100000;
  return result;
}

FlightCase flying_small_bar() {
  Specimen bar = make_bar("small bar", Vector3(1.0, 0.1, 0.15), Eigen::Vector3i(8, 1, 1), 4e5, false);
  FlightCase result{bar, make_throw(10.0, 2e-3, 800)};
  result.flyers.push_back({"reduced", by_reduction(bar, 10, 20)});
  result.flyers.push_back({"warped", by_warping(bar, 10)});
  result.flyers.push_back({"tree of 2", by_domains(bar, 2, 12, Method::reduced)});
  result.flyers.push_back({"linear tree of 2", by_domains(bar, 2, 12, Method::linear)});
  result.endurance = 4000;
  result.full_endurance = 800;
  return result;
}

}  // namespace

FlightCase make_flight_case(const std::string& name) {
  if (name == "bar") return flying_bar();
  if (name == "octopus") return flying_octopus();
  require(name == "small", "no flight is called '{}'; there are: bar, octopus, small", name);
  return flying_small_bar();
}

}  // namespace limber::bench
