#include "bench/experiments/contact_full.hpp"

#include "limber/base/error.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/body/mesh_body.hpp"
#include "limber/body/world.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/multidomain/interface_frame.hpp"
#include "limber/precompute/build_model.hpp"
#include "limber/precompute/reduce.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber::bench {
namespace {

constexpr double pi = 3.141592653589793;

double cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Solid {
  VolumeMesh mesh;
  std::vector<Material> materials;
};

/// How a body is computed: with every vertex, or by so many coordinates, of which some are contact responses.
struct Way {
  std::string name;
  int rank = 0;  ///< 0: every vertex
  int contact = 0;
};

Body make_body(const Solid& solid, const Way& way) {
  if (way.rank == 0) {
    MeshBodySetup setup;
    setup.name = "full";
    setup.mesh = solid.mesh;
    setup.materials = solid.materials;
    return make_full_body(std::move(setup));
  }
  BasisSettings settings;
  settings.rank = way.rank;
  settings.contact = way.contact;
  settings.check = false;
  const FullModel full(solid.mesh, solid.materials, {});
  ReduceReport report;
  return Body(make_model(build_reduced_model(full, compute_basis(full, settings, report)), true));
}

Matrix3X places_of(const Solid& solid, const Body& body) {
  return solid.mesh.vertices + body.mesh_displacement();
}

/// RMS distance of two shapes, the second laid onto the first as a rigid body would be, m.
double shape_distance(const Matrix3X& one, const Matrix3X& other) {
  const Vector3 a = one.rowwise().mean(), b = other.rowwise().mean();
  const Matrix3X x = one.colwise() - a, y = other.colwise() - b;
  const Matrix3 turned = nearest_rotation(x * y.transpose(), Matrix3::Identity());
  return std::sqrt((x - turned * y).squaredNorm() / static_cast<double>(one.cols()));
}

/// A ball of radius 1 about the origin, finer towards its poles along z: a cube of cells that are narrow in
/// the middle of two faces, and all of it made round.
VolumeMesh make_ball(int cells) {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3::Constant(2.0), {cells, cells, cells}});
  const Vector3 low = mesh.vertices.rowwise().minCoeff();
  for (Index i = 0; i < mesh.vertices.cols(); ++i) {
    Vector3 s = mesh.vertices.col(i) - low - Vector3::Ones();
    s.x() *= std::abs(s.x());
    s.y() *= std::abs(s.y());
    s.z() = std::copysign(1.0 - (1.0 - std::abs(s.z())) * (1.0 - std::abs(s.z())), s.z());
    const Vector3 q = s.cwiseAbs2();
    mesh.vertices.col(i) = Vector3(s.x() * std::sqrt(1.0 - 0.5 * q.y() - 0.5 * q.z() + q.y() * q.z() / 3.0),
                                   s.y() * std::sqrt(1.0 - 0.5 * q.z() - 0.5 * q.x() + q.z() * q.x() / 3.0),
                                   s.z() * std::sqrt(1.0 - 0.5 * q.x() - 0.5 * q.y() + q.x() * q.y() / 3.0));
  }
  return mesh;
}

constexpr double ball_radius = 0.1, ball_young = 1e6, ball_poisson = 0.3;  // m, Pa

/// Of each plate, where both come nearer to the middle by d.
double hertz_force(double d) {
  const double modulus = ball_young / (1.0 - ball_poisson * ball_poisson);
  return 4.0 / 3.0 * modulus * std::sqrt(ball_radius) * std::pow(d, 1.5);
}

/// The approach that goes with a force where the other plate pushes, too: what that one adds here is taken
/// off.
///                                                                                         [Tatara 1991]
double far_approach(double force, double d) {
  const double aa = ball_radius * d, root = std::sqrt(aa + 4.0 * ball_radius * ball_radius);
  return d - (1.0 + ball_poisson) * force / (2.0 * pi * ball_young) *
                 (aa / (root * root * root) + 2.0 * (1.0 - ball_poisson) / root);
}

/// F with far_approach(F, d_hertz(F)) = d.
double two_plate_force(double d) {
  double near = d;
  for (int i = 0; i < 50; ++i) near += d - far_approach(hertz_force(near), near);
  return hertz_force(near);
}

}  // namespace

void hertz() {
  fmt::print(
      "| ball between plates | approach / radius | force, N | Hertz | error | with both plates | error | "
      "pushing "
      "| ms per step |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  constexpr double h = 0.01;
  constexpr int closing = 5, holding = 12;
  const std::vector<double> levels{0.005, 0.01, 0.02, 0.04};
  for (const auto& [cells, way] :
       std::vector<std::pair<int, Way>>{{10, {"every vertex", 0, 0}},
                                        {14, {"every vertex", 0, 0}},
                                        {14, {"r = 30", 30, 0}},
                                        {14, {"r = 30, 10 by `--contact`", 30, 10}},
                                        {14, {"r = 60, 40 by `--contact`", 60, 40}}}) {
    Solid ball{make_ball(cells), {{make_law("stvk", lame_from_young(ball_young, ball_poisson)), 1000.0}}};
    ball.mesh.vertices *= ball_radius;
    World world;
    Body body = make_body(ball, way);
    body.set_damping({20.0, 2e-3});
    world.set_contact(world.add(std::move(body)), {.friction = 0.0});
    const auto approach = [&levels](double time) {
      const double place = time / (h * (closing + holding));
      const auto level = std::min(static_cast<std::size_t>(place), levels.size() - 1);
      const double from = level == 0 ? 0.0 : levels[level - 1];
      const double share = (place - static_cast<double>(level)) * (closing + holding) / closing;
      return ball_radius * (from + std::min(1.0, share) * (levels[level] - from));
    };
    const Eigen::Quaterniond over(Eigen::AngleAxisd(pi, Vector3::UnitX()));
    world.add_obstacle(
        {.name = "below", .shape = HalfSpace{}, .material = {.friction = 0.0}, .motion = [&](double time) {
           return Pose{{0.0, 0.0, approach(time) - ball_radius}};
         }});
    world.add_obstacle(
        {.name = "above", .shape = HalfSpace{}, .material = {.friction = 0.0}, .motion = [&](double time) {
           return Pose{{0.0, 0.0, ball_radius - approach(time)}, over};
         }});
    for (const double level : levels) {
      const double start = cpu_time();
      for (int i = 0; i < closing + holding; ++i) require(world.step(h).ok(), "a step of the ball failed");
      const double seconds = (cpu_time() - start) / (closing + holding);
      const double force = std::abs(world.contact_impulse({Touching::Of::obstacle, 0}).z()) / h;
      const double exact = hertz_force(level * ball_radius), both = two_plate_force(level * ball_radius);
      fmt::print(
          "| {}, {} vertices | {:.3f} | {:.3f} | {:.3f} | {:+.1f} % | {:.3f} | {:+.1f} % | {} | {:.3g} |\n",
          way.name, ball.mesh.vertices.cols(), level, force, exact, 100.0 * (force / exact - 1.0), both,
          100.0 * (force / both - 1.0), world.contact_report().active, 1e3 * seconds);
      std::fflush(stdout);
    }
  }
}

namespace {

/// What a body did.
struct Course {
  std::vector<Vector3> path;   ///< of the mean of its vertices, m
  std::vector<double> pushed;  ///< by the ground and by the ball, N, in each step
  Matrix3X rest;               ///< at the end
  double seconds = 0.0;        ///< of a step
};

Course follow(World& world, const Solid& solid, Index watched, double h, int steps) {
  Course course;
  const double start = cpu_time();
  for (int i = 0; i < steps; ++i) {
    require(world.step(h).ok(), "step {} failed", i);
    course.path.push_back(places_of(solid, world.body(0)).rowwise().mean());
    course.pushed.push_back(world.contact_impulse({Touching::Of::obstacle, watched}).norm() / h);
  }
  course.seconds = (cpu_time() - start) / steps;
  course.rest = places_of(solid, world.body(0));
  return course;
}

/// Falls from a quarter of its height, and comes to rest.
Course drop_heart(const Solid& heart, const Way& way) {
  World world;
  Body body = make_body(heart, way);
  body.set_gravity({0.0, 0.0, -9.81});
  body.set_damping({5.0, 1e-3});
  const Matrix3X& x = heart.mesh.vertices;
  const double low = x.row(2).minCoeff(), high = x.row(2).maxCoeff();
  world.set_contact(world.add(std::move(body)), {});
  world.add_obstacle(
      {.name = "ground", .shape = HalfSpace{}, .pose = {{0.0, 0.0, low - 0.25 * (high - low)}}});
  return follow(world, heart, 0, 5e-3, 200);
}

/// On the ground, a ball comes down on it by a tenth of its size and stays.
Course press_block(const Solid& block, const Way& way) {
  World world;
  Body body = make_body(block, way);
  body.set_damping({2.0, 1e-3});
  const Matrix3X& x = block.mesh.vertices;
  const Vector3 low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  const double radius = 0.25 * (high - low).x(), depth = 0.1 * (high - low).z();
  world.set_contact(world.add(std::move(body)), {});
  world.add_obstacle({.name = "ground", .shape = HalfSpace{}, .pose = {{0.0, 0.0, low.z()}}});
  const Vector3 above(0.5 * (low + high).x(), 0.5 * (low + high).y(), high.z() + radius);
  world.add_obstacle({.name = "ball", .shape = Sphere{radius}, .motion = [=](double time) {
                        return Pose{above - Vector3(0.0, 0.0, depth * std::clamp(time / 0.1, 0.0, 1.0))};
                      }});
  return follow(world, block, 1, 2e-3, 150);
}

/// Mean of the last tenth of the steps, N.
double force_at_rest(const Course& course) {
  const std::size_t count = course.pushed.size() / 10;
  double sum = 0.0;
  for (std::size_t i = course.pushed.size() - count; i < course.pushed.size(); ++i) sum += course.pushed[i];
  return sum / static_cast<double>(count);
}

/// Its shortest side becomes its height: on its tip it would fall to any side.
void lay_down(VolumeMesh& mesh) {
  const Vector3 extent = mesh.vertices.rowwise().maxCoeff() - mesh.vertices.rowwise().minCoeff();
  Index shortest = 0;
  extent.minCoeff(&shortest);
  const Matrix3X before = mesh.vertices;
  for (Index axis = 0; axis < 3; ++axis) mesh.vertices.row(axis) = before.row((axis + shortest + 1) % 3);
}

template <class Run>
void compare(const std::string& name, const Solid& solid, const Run& run) {
  const Matrix3X& x = solid.mesh.vertices;
  const double size = (x.rowwise().maxCoeff() - x.rowwise().minCoeff()).norm();
  Course full;
  for (const Way& way :
       {Way{"every vertex", 0, 0}, Way{"r = 30", 30, 0}, Way{"r = 30, 10 by `--contact`", 30, 10},
        Way{"r = 60", 60, 0}, Way{"r = 60, 20 by `--contact`", 60, 20}}) {
    const Course course = run(solid, way);
    if (way.rank == 0) full = course;
    double path = 0.0, most = 0.0, impulse = 0.0, whole = 0.0;
    for (std::size_t i = 0; i < course.path.size(); ++i) {
      path = std::max(path, (course.path[i] - full.path[i]).norm());
      most = std::max(most, course.pushed[i]);
      impulse += course.pushed[i];
      whole += full.pushed[i];
    }
    fmt::print(
        "| {}, {} vertices | {} | {:.2f} | {:.2f} of {:.2f} | {:.4g} ({:+.1f} %) | {:.4g} | {:+.2f} % | "
        "{:.3g} |\n",
        name, x.cols(), way.name, 100.0 * path / size, 100.0 * shape_distance(full.rest, course.rest) / size,
        100.0 * shape_distance(x, full.rest) / size, force_at_rest(course),
        100.0 * (force_at_rest(course) / force_at_rest(full) - 1.0), most, 100.0 * (impulse / whole - 1.0),
        1e3 * course.seconds);
    std::fflush(stdout);
  }
}

}  // namespace

void compare_with_full() {
  fmt::print(
      "| body | computed with | path: farthest from the full one, % of the size | rest shape: distance from "
      "the "
      "full one, of how far that is from rest, % | force at rest, N | largest, N | impulse of all | ms per "
      "step |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  BuiltinBody heart = make_builtin("builtin:heart?cells=22");
  lay_down(heart.mesh);
  compare("dropped heart", {heart.mesh, heart.materials}, drop_heart);
  VolumeMesh block = make_builtin("builtin:beam?size=0.2,0.2,0.2&cells=8,8,8").mesh;
  compare("pressed block", {block, {{make_law("stvk", lame_from_young(1e5, 0.4)), 1000.0}}}, press_block);
}

}  // namespace limber::bench
