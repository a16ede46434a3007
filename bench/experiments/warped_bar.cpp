// The bar of Choi & Ko 2005, Figures 4 to 7: linear modes, warped modes and nonlinear finite elements under
// growing gravity, at rest and in free vibration; then the bar dragged, twisted and both.
//   warped_bar FOLDER [MODES]
// Writes plots (.svg) and pictures (.png) into the folder and prints the tables of docs/warping.md.

#include "limber/base/file.hpp"
#include "limber/base/timer.hpp"
#include "limber/draw/line_plot.hpp"
#include "limber/draw/render.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/full/statics.hpp"
#include "limber/io/png.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/warp/nodal_rotations.hpp"
#include "limber/warp/rotation.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace limber::bench {
namespace {

constexpr double earth = 9.8;  // m/s^2
const std::vector<double> gravities{0.98,  1.96,  3.92,  5.88,  7.84, 9.8,
                                    11.76, 13.72, 15.68, 17.64, 19.6, 29.4};
const std::vector<double> drawn{9.8, 19.6};  // m/s^2
constexpr double push_seconds = 0.1, vibration_seconds = 3.0;
constexpr double frame = 1.0 / 30.0;  // s, the paper's time step

const Color red{0.80, 0.33, 0.28}, blue{0.26, 0.45, 0.72}, green{0.35, 0.62, 0.38};

double volume(const VolumeMesh& mesh, const Matrix3X& displacement) {
  VolumeMesh moved = mesh;
  moved.vertices += displacement;
  double sum = 0.0;
  for (Index e = 0; e < moved.element_count(); ++e) sum += element_volume(moved, e);
  return sum;
}

/// 11 x 3 x 3 nodes, 240 tetrahedra: that of the paper. Its material is not told; this one falls by half its
/// length under twice the gravity of the earth.
FullModel make_bar() {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), {10, 2, 2}});
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 1e-9) fixed.push_back(v);
  }
  return {mesh,
          {{make_law("stvk", lame_from_young(7e5, 0.35)), 1000.0}},
          fixed,
          FullModelOptions{MassKind::consistent, Executor(1)}};
}

ReducedModel make_modes(const FullModel& bar, int modes) {
  ReduceOptions options;
  options.basis.modes = options.basis.rank = modes;
  options.basis.order = 0;
  options.basis.check = false;
  ReduceReport report;
  return reduce(bar, {}, {}, options, report);
}

/// The bar by modes, linear or warped, seen at every vertex of its mesh.
class ModalBar {
 public:
  ModalBar(const ReducedModel& model, bool warp, ModalIntegrator integrator,
           const RayleighDamping& damping = {})
      : dynamics(make_warped_equations(model, model.materials(), {.damping = damping}),
                 {.integrator = integrator, .warp = warp}),
        basis_(model.simulation->basis),
        rotations_(warp ? nodal_rotations(model.simulation->mesh, model.simulation->basis) : Matrix()) {}

  WarpedDynamics dynamics;

  [[nodiscard]] Matrix3X displacement() const {
    return warped_field(basis_, rotations_, dynamics.equations().shapes * dynamics.state().q);
  }

 private:
  Matrix basis_, rotations_;  ///< no rotations: linear
};

/// |u - v| / |v| in the norm of the mass matrix: over the body, not over its vertices.
double relative_error(const FullModel& bar, const Matrix3X& u, const Matrix3X& v) {
  const Vector difference = bar.dofs().restrict(u - v), exact = bar.dofs().restrict(v);
  return std::sqrt(difference.dot(bar.mass() * difference) / exact.dot(bar.mass() * exact));
}

Vector weight(const FullModel& bar, double gravity) {
  return bar.mass() * bar.dofs().restrict(Vector3(0, 0, -gravity).replicate(1, bar.mesh().vertex_count()));
}

Shape colored(const VolumeMesh& mesh, const Matrix3X& displacement, const Color& color, double shift) {
  Shape shape = make_shape(mesh, displacement);
  shape.color = color;
  shape.vertices.row(0).array() += shift;
  return shape;
}

void draw(const std::filesystem::path& file, const std::vector<Shape>& shapes, const Vector3& direction) {
  RenderOptions options;
  options.width = 1600;
  options.height = 440;
  options.view.direction = direction;
  options.view.field_of_view = 0.0;
  write_png(file, render(shapes, options));
}

struct StaticRow {
  double gravity, bend, linear_error, warped_error, full_volume, linear_volume, warped_volume;
};

/// Figures 4 and 5.
std::vector<StaticRow> at_rest(const FullModel& bar, const ReducedModel& model, std::vector<Shape>& shapes) {
  std::vector<StaticRow> rows;
  const double rest = volume(bar.mesh(), Matrix3X::Zero(3, bar.mesh().vertex_count()));
  Vector u = Vector::Zero(bar.dof_count());
  for (const double gravity : gravities) {
    const StaticReport report = solve_static(bar, weight(bar, gravity), u);
    const Matrix3X full = bar.dofs().expand(u);
    ModalBar linear(model, false, ModalIntegrator::exact), warped(model, true, ModalIntegrator::exact);
    for (ModalBar* one : {&linear, &warped}) {
      one->dynamics.set_gravity({0, 0, -gravity});
      const SolveReport solved = one->dynamics.solve_static();
      if (!solved.ok() || !report.ok()) fmt::print("no equilibrium at {} m/s^2\n", gravity);
    }
    const auto change = [&](const Matrix3X& field) { return volume(bar.mesh(), field) / rest - 1.0; };
    const Matrix3X by_modes = linear.displacement(), by_warping = warped.displacement();
    rows.push_back({gravity, -full.row(2).minCoeff(), relative_error(bar, by_modes, full),
                    relative_error(bar, by_warping, full), change(full), change(by_modes),
                    change(by_warping)});
    if (std::find(drawn.begin(), drawn.end(), gravity) == drawn.end()) continue;
    for (const auto& [field, color] : {std::pair(&by_modes, red), {&by_warping, blue}, {&full, green}}) {
      shapes.push_back(colored(bar.mesh(), *field, color, 1.25 * static_cast<double>(shapes.size())));
    }
  }
  return rows;
}

std::vector<Matrix3X> vibrate(const FullModel& bar, double gravity) {
  constexpr int substeps = 40;
  const Vector force = weight(bar, gravity);
  const LoadFunction load = [&](double t0, double t1, Vector& f) {
    const double share =
        t1 > t0 ? (std::clamp(push_seconds, t0, t1) - t0) / (t1 - t0) : (t0 < push_seconds ? 1.0 : 0.0);
    f = share * force;
  };
  FullDynamics dynamics(bar, load, Vector::Zero(bar.dof_count()), Vector::Zero(bar.dof_count()));
  std::vector<Matrix3X> motion;
  for (double t = 0.0; t < vibration_seconds - 0.5 * frame; t += frame) {
    for (int i = 0; i < substeps; ++i) {
      if (!dynamics.step(frame / substeps).ok()) fmt::print("a step of the full bar failed at {} s\n", t);
    }
    motion.push_back(bar.dofs().expand(dynamics.state().u));
  }
  return motion;
}

std::vector<Matrix3X> vibrate(const ReducedModel& model, bool warp, double gravity) {
  ModalBar bar(model, warp, ModalIntegrator::exact);
  std::vector<Matrix3X> motion;
  for (double t = 0.0; t < vibration_seconds - 0.5 * frame; t += frame) {
    bar.dynamics.set_gravity({0, 0, t < push_seconds - 0.5 * frame ? -gravity : 0.0});
    (void)bar.dynamics.step(frame);
    motion.push_back(bar.displacement());
  }
  return motion;
}

double relative_error(const std::vector<Matrix3X>& u, const std::vector<Matrix3X>& v) {
  double difference = 0.0, exact = 0.0;
  for (std::size_t t = 0; t < u.size(); ++t) {
    difference += (u[t] - v[t]).squaredNorm();
    exact += v[t].squaredNorm();
  }
  return std::sqrt(difference / exact);
}

Vector mean_magnitude(const std::vector<Matrix3X>& motion) {
  Vector result(static_cast<Index>(motion.size()));
  for (std::size_t t = 0; t < motion.size(); ++t)
    result(static_cast<Index>(t)) = motion[t].colwise().norm().mean();
  return result;
}

Vector to_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

void plot(const std::filesystem::path& file, std::string title, std::string x, std::string y,
          std::vector<Curve> curves) {
  LinePlot plot{std::move(title), std::move(x), std::move(y), std::move(curves)};
  plot.width = 560;
  plot.height = 360;
  write_file(file, to_svg(plot));
}

/// Figures 4 and 5.
void compare_at_rest(const FullModel& bar, const ReducedModel& model, const std::filesystem::path& folder) {
  std::vector<Shape> shapes;
  const std::vector<StaticRow> rows = at_rest(bar, model, shapes);
  fmt::print(
      "| gravity (m/s^2) | tip falls by (m) | error, linear | error, warped | volume, full | linear | warped "
      "|\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n");
  const auto column = [&](double StaticRow::*member, double factor) {
    Vector values(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) values(static_cast<Index>(i)) = factor * (rows[i].*member);
    return values;
  };
  for (const StaticRow& row : rows) {
    fmt::print("| {:.2f} | {:.3f} | {:.1f} % | {:.1f} % | {:+.2f} % | {:+.2f} % | {:+.2f} % |\n", row.gravity,
               row.bend, 100 * row.linear_error, 100 * row.warped_error, 100 * row.full_volume,
               100 * row.linear_volume, 100 * row.warped_volume);
  }
  const Vector x = column(&StaticRow::gravity, 1.0);
  plot(folder / "warped_bar_error.svg", "Displacement error at rest", "gravity (m/s^2)",
       "relative L2 error (%)",
       {{"linear modes", x, column(&StaticRow::linear_error, 100)},
        {"warped modes", x, column(&StaticRow::warped_error, 100)}});
  plot(folder / "warped_bar_volume.svg", "Change of volume at rest", "gravity (m/s^2)",
       "change of volume (%)",
       {{"linear modes", x, column(&StaticRow::linear_volume, 100)},
        {"warped modes", x, column(&StaticRow::warped_volume, 100)},
        {"nonlinear finite elements", x, column(&StaticRow::full_volume, 100), true}});
  draw(folder / "warped_bar_gravity.png", shapes, Vector3(-0.25, 0.93, -0.25));
}

/// Largest change of volume during a motion, as a share.
double largest_volume_change(const VolumeMesh& mesh, const std::vector<Matrix3X>& motion) {
  const double rest = volume(mesh, Matrix3X::Zero(3, mesh.vertex_count()));
  double largest = 0.0;
  for (const Matrix3X& field : motion)
    largest = std::max(largest, std::abs(volume(mesh, field) / rest - 1.0));
  return largest;
}

/// What is drawn of one method against gravity.
struct VibrationCurves {
  std::string name;
  Vector error, volume_change;  ///< percent
};

/// Figure 6, and the change of volume during the motion.
void compare_in_vibration(const FullModel& bar, const ReducedModel& model,
                          const std::filesystem::path& folder) {
  fmt::print(
      "\n| gravity for 0.1 s (m/s^2) | error, linear | error, warped | largest change of volume, full | "
      "linear | warped |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  const Vector x = to_vector(gravities);
  std::vector<VibrationCurves> curves{
      {"linear modes", x, x}, {"warped modes", x, x}, {"nonlinear finite elements", x, x}};
  for (Index i = 0; i < x.size(); ++i) {
    const std::vector<Matrix3X> full = vibrate(bar, x(i));
    const std::vector<std::vector<Matrix3X>> motions{vibrate(model, false, x(i)), vibrate(model, true, x(i)),
                                                     full};
    for (std::size_t m = 0; m < motions.size(); ++m) {
      curves[m].error(i) = 100 * relative_error(motions[m], full);
      curves[m].volume_change(i) = 100 * largest_volume_change(bar.mesh(), motions[m]);
    }
    fmt::print("| {:.2f} | {:.1f} % | {:.1f} % | {:.2f} % | {:.2f} % | {:.2f} % |\n", x(i),
               curves[0].error(i), curves[1].error(i), curves[2].volume_change(i), curves[0].volume_change(i),
               curves[1].volume_change(i));
    if (std::abs(x(i) - earth) > 1e-9) continue;
    const Vector times = Vector::LinSpaced(static_cast<Index>(full.size()), frame, vibration_seconds);
    plot(folder / "warped_bar_vibration.svg", "Free vibration after 0.1 s of 9.8 m/s^2", "time (s)",
         "mean displacement (m)",
         {{"linear modes", times, mean_magnitude(motions[0])},
          {"warped modes", times, mean_magnitude(motions[1])},
          {"nonlinear finite elements", times, mean_magnitude(full), true}});
  }
  plot(folder / "warped_bar_vibration_error.svg", "Displacement error in free vibration",
       "gravity for 0.1 s (m/s^2)", "relative L2 error (%)",
       {{curves[0].name, x, curves[0].error}, {curves[1].name, x, curves[1].error}});
  plot(folder / "warped_bar_vibration_volume.svg", "Largest change of volume in free vibration",
       "gravity for 0.1 s (m/s^2)", "change of volume (%)",
       {{curves[0].name, x, curves[0].volume_change},
        {curves[1].name, x, curves[1].volume_change},
        {curves[2].name, x, curves[2].volume_change, true}});
}

int nearest_vertex(const VolumeMesh& mesh, const Vector3& point) {
  Index v = 0;
  (mesh.vertices.colwise() - point).colwise().squaredNorm().minCoeff(&v);
  return static_cast<int>(v);
}

/// One picture of Figure 7: the bar held at the middle of its free end, as far and as turned as asked for.
Matrix3X manipulate(const ReducedModel& model, const Vector3& way, const Vector3& turn, bool position,
                    bool orientation) {
  ModalBar bar(model, true, ModalIntegrator::newmark, {.mass = 2.0, .stiffness = 0.02});
  const VolumeMesh& mesh = model.simulation->mesh;
  const Matrix rotations = nodal_rotations(mesh, model.simulation->basis);
  const auto site = [&](const Vector3& point) {
    return mesh_site(model, rotations, bar.dynamics.equations(), nearest_vertex(mesh, point));
  };
  const WarpSite tip = site({1.0, 0.0, 0.0});
  ManipulationSites sites;
  if (position) sites.positions.push_back(tip);
  if (orientation) sites.orientations.push_back(tip);
  sites.exercised.push_back(tip);
  if (orientation) {  // a force at the constrained node alone hardly turns it
    for (const Vector3& point :
         {Vector3(1, 0.1, 0), Vector3(1, -0.1, 0), Vector3(1, 0, 0.1), Vector3(1, 0, -0.1)})
      sites.exercised.push_back(site(point));
  }
  bar.dynamics.set_constraints(sites);
  double worst_position = 0.0, worst_turn = 0.0;
  constexpr int steps = 120;
  for (int i = 1; i <= 2 * steps; ++i) {
    const double share = std::min(1.0, static_cast<double>(i) / steps);
    if (position) bar.dynamics.constraints().set_position(0, tip.rest + share * way);
    if (orientation) {
      const Vector3 w = share * turn;
      bar.dynamics.constraints().set_orientation(0, Eigen::Quaterniond(rotation_matrix(w)));
    }
    const ConstraintReport report = bar.dynamics.step(frame);
    worst_position = std::max(worst_position, report.position_error);
    worst_turn = std::max(worst_turn, report.orientation_error);
  }
  fmt::print("| {} | {:.1e} | {:.1e} |\n",
             position ? (orientation ? "dragged and twisted" : "dragged") : "twisted",
             worst_position / bar.dynamics.equations().size, worst_turn);
  return bar.displacement();
}

/// Figure 7.
void draw_manipulation(const ReducedModel& model, const std::filesystem::path& folder) {
  fmt::print("\n| bar | position missed (of its size) | orientation missed (rad) |\n| --- | --- | --- |\n");
  const VolumeMesh& mesh = model.simulation->mesh;
  constexpr double pi = std::numbers::pi;
  const Vector3 drag(-0.25, 0.0, 0.55);
  std::vector<Shape> shapes{colored(mesh, manipulate(model, drag, {}, true, false), blue, 0.0),
                            colored(mesh, manipulate(model, {}, {pi, 0, 0}, false, true), blue, 1.4),
                            colored(mesh, manipulate(model, drag, {0.75 * pi, 0, 0}, true, true), blue, 2.9)};
  draw(folder / "warped_bar_handles.png", shapes, Vector3(-0.5, 0.8, -0.33));
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  using namespace limber;
  if (argc < 2) {
    fmt::print(stderr, "usage: warped_bar FOLDER [MODES]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const FullModel bar = bench::make_bar();
  const ReducedModel model = bench::make_modes(bar, argc > 2 ? std::atoi(argv[2]) : 8);
  bench::compare_at_rest(bar, model, folder);
  bench::compare_in_vibration(bar, model, folder);
  bench::draw_manipulation(model, folder);
}
